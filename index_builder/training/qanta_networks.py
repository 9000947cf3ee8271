"""QANTA's own DAN and bidirectional RNN, and how they are trained: on numbers only, so that a machine with a
graphics card needs none of the texts.

Source:
    Wallace et al., TACL 2019, and the settings of github.com/Pinafore/qb (``qanta-defaults.yaml``,
    ``qanta/guesser/dan.py`` and ``rnn.py``). Two things differ: words are told apart by a pattern and not by
    NLTK, and where no file of word vectors is given, all vectors begin as those of words without one do. On a
    graphics card, products are of TF32.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import PackedSequence

from index_builder.progress import Progress
from index_builder.training.learner import reproducible
from index_builder.training.page_classifier import tensor
from index_builder.training.saved_training import SAVE_EVERY, TrainingState, load_training, save_training
from index_builder.training.training_set import Floats, Numbers, concatenated_ranges
from quizwriter.errors import QuizwriterError

WIDTH = 300
"""Numbers in the vector of a word."""

VECTOR_SPREAD = 0.08
"""Vectors begin with numbers between minus and plus this, where no file has them."""

RATE, LARGEST_GRADIENT = 1e-3, 0.25
"""Adam's rate, and the length at which the gradient is clipped."""

PASSES, PLATEAU, PATIENCE = 100, 5, 10
"""At most so many passes; after 5 without a better one the rate falls to a tenth, and after 10 it is over."""

POOLED_BATCHES = 20
"""Batches that are drawn together, so that each can have sentences of about one length."""

ASKED_AT_ONCE = 256
"""Texts that are read in one batch to measure."""

PADDING, UNKNOWN = 0, 1
"""Words that are no words."""


class Recipe(msgspec.Struct, frozen=True):
    """The settings of one network: texts in a batch, units, and the share of numbers left out at random."""

    batch: int
    units: int
    dropout: float


RECIPES = {"qanta-dan": Recipe(512, 1000, 0.5), "qanta-birnn": Recipe(128, 1500, 0.25)}


class NumberedTexts(msgspec.Struct, frozen=True):
    """Texts as the rows of their words: those of text ``i`` are ``rows[starts[i]:starts[i + 1]]``."""

    rows: Numbers
    starts: Numbers

    @classmethod
    def of(cls, texts: Iterable[Sequence[int]]) -> NumberedTexts:
        """Each of ``texts`` has one word at least."""
        found = [np.asarray(text, np.int64) for text in texts]
        ends = np.cumsum([0, *map(len, found)])
        return cls(np.concatenate([np.zeros(0, np.int64), *found]), ends)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Numbers:
        """The number of words of each text."""
        return np.diff(self.starts)

    def chosen(self, numbers: Numbers) -> tuple[Tensor, Tensor]:
        """The rows of the words of the texts with these ``numbers``, one after the other, and their sizes."""
        places, _ = concatenated_ranges(self.starts[numbers], self.starts[numbers + 1])
        return tensor(self.rows[places]), tensor(self.sizes[numbers])


class LabelledTexts(msgspec.Struct, frozen=True):
    """Texts with the class of each."""

    texts: NumberedTexts
    labels: Numbers


class QantaDan(nn.Module):
    """The mean of the vectors, one layer of exponential units, and a softmax over normalised logits."""

    def __init__(self, words: int, classes: int, recipe: Recipe) -> None:
        super().__init__()
        self.vectors = nn.EmbeddingBag(words, WIDTH, mode="mean")
        self.layers = nn.Sequential(
            nn.Dropout(recipe.dropout),
            nn.Linear(WIDTH, recipe.units),
            nn.BatchNorm1d(recipe.units),
            nn.ELU(),
            nn.Dropout(recipe.dropout),
            nn.Linear(recipe.units, classes),
            nn.BatchNorm1d(classes),
            nn.Dropout(recipe.dropout),
        )

    def forward(self, words: Tensor, sizes: Tensor) -> Tensor:
        """The logits of all classes, ``[texts, classes]``; ``sizes``, on the processor, counts the words of
        each text."""
        found: Tensor = self.layers(self.vectors(words, (sizes.cumsum(0) - sizes).to(words.device)))
        return found


class QantaRnn(nn.Module):
    """Gated units that read both ways, and a softmax over normalised logits of their last states."""

    def __init__(self, words: int, classes: int, recipe: Recipe) -> None:
        super().__init__()
        self.vectors = nn.Embedding(words, WIDTH)
        self.dropout = nn.Dropout(recipe.dropout)
        self.units = nn.GRU(WIDTH, recipe.units, bidirectional=True)
        self.layers = nn.Sequential(
            nn.Linear(2 * recipe.units, classes), nn.BatchNorm1d(classes), nn.Dropout(recipe.dropout)
        )

    def forward(self, words: Tensor, sizes: Tensor) -> Tensor:
        """See :meth:`QantaDan.forward`."""
        longest_first = sizes.argsort(descending=True, stable=True)
        lengths = sizes[longest_first]
        together = (lengths > torch.arange(int(lengths[0])).unsqueeze(1)).sum(dim=1)
        step = torch.arange(len(together)).repeat_interleave(together)
        text = torch.arange(len(step)) - (together.cumsum(0) - together).repeat_interleave(together)
        places = (sizes.cumsum(0) - sizes)[longest_first][text] + step
        there = words.device
        vectors = self.dropout(self.vectors(words[places.to(there)]))
        order = longest_first.to(there), longest_first.argsort().to(there)
        _, last = self.units(PackedSequence(vectors, together, *order))
        found: Tensor = self.layers(torch.cat([*last], dim=1))
        return found


class RecipeTrainer:
    """Trains one network of QANTA; a training that was stopped goes on after the last saved pass."""

    def __init__(
        self,
        name: str,
        recipe: Recipe,
        learnt: LabelledTexts,
        judged: LabelledTexts,
        shown: tuple[LabelledTexts, LabelledTexts],
        *,
        words: int,
        classes: int,
        seed: int,
        device: str,
        known: tuple[Numbers, Floats] | None = None,
    ) -> None:
        """``learnt`` and ``judged`` are the sentences to learn, and those that say when it is over.

        ``shown`` are halves of tossups and whole ones, for the progress alone.
        ``known`` are rows of words of which a file has vectors, with these vectors.
        """
        self.name, self._recipe, self._seed = name, recipe, seed
        self._device = torch.device(device)
        self._learnt, self._judged, self._shown = learnt, judged, shown
        if len(learnt.texts) < 2 or not len(judged.texts):
            raise QuizwriterError(
                "There are too few tossups in the bundle to learn from and to judge by.",
                "Build it from more tossups, or take a larger share.",
            )
        torch.manual_seed(seed)
        if self._device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        kind = QantaDan if name == "qanta-dan" else QantaRnn
        self.module = kind(UNKNOWN + 1 + words, classes, recipe).to(self._device)
        with torch.no_grad():
            table = self.module.vectors.weight
            table.uniform_(-VECTOR_SPREAD, VECTOR_SPREAD)
            if known is not None:
                table[tensor(known[0]).to(self._device)] = tensor(known[1]).to(self._device)
            table[UNKNOWN] = table[UNKNOWN + 1 :].mean(dim=0)
            table[PADDING] = 0.0
        # fused, as most of a step is the vectors of words that it does not touch
        self._optimiser = torch.optim.Adam(self.module.parameters(), RATE, fused=True)
        self._pace = torch.optim.lr_scheduler.ReduceLROnPlateau(self._optimiser, "max", patience=PLATEAU)
        self._best = self._weights()
        self.curve: list[float] = []
        self._spent = 0.0

    def train(self, work: Path, progress: Progress, minutes: float | None = None) -> None:
        """Take all passes that are left, or as many as begin within so many ``minutes``; the best weights are
        then those it has. All is saved in ``work`` now and then, and at the end."""
        path = work / f"{self.name}.npz"
        self._resume(path)
        begun = saved = time.monotonic()
        while not self.is_over and (minutes is None or time.monotonic() < begun + 60 * minutes):
            started = time.monotonic()
            self._take_pass(progress)
            self._spent += time.monotonic() - started
            if time.monotonic() >= saved + SAVE_EVERY:
                self._save(path)
                saved = time.monotonic()
            half, end = map(self.accuracy, self._shown)
            progress.measured(self.name, half, end)
        self._save(path)
        self.module.load_state_dict(self._best)
        progress.training(self.name, 1.0)

    @property
    def is_over(self) -> bool:
        """Whether the recipe ends here: after all passes, or too many without a better one."""
        return len(self.curve) >= PASSES or self._without_progress >= PATIENCE

    @property
    def report(self) -> dict[str, int]:
        """How large the network is, how many passes the training took, the best of them, and how long."""
        best = self.curve.index(max(self.curve)) + 1 if self.curve else 0
        took = {"passes": len(self.curve), "best": best, "seconds": round(self._spent)}
        return {"units": self._recipe.units, **took}

    @torch.no_grad()
    def guesses(self, texts: NumberedTexts) -> Numbers:
        """The likeliest class of each text."""
        self.module.eval()
        order = np.argsort(texts.sizes, kind="stable")
        found: Numbers = np.zeros(len(order), np.int64)
        for start in range(0, len(order), ASKED_AT_ONCE):
            some = order[start : start + ASKED_AT_ONCE]
            found[some] = self._logits(texts, some).argmax(dim=1).cpu().numpy()
        return found

    def accuracy(self, asked: LabelledTexts) -> float:
        """The share of ``asked`` of which the first guess is right."""
        return float(np.mean(self.guesses(asked.texts) == asked.labels))

    def _take_pass(self, progress: Progress) -> None:
        number, batches = len(self.curve), list(self._batches(len(self.curve)))
        for place, batch in enumerate(batches):
            progress.training(self.name, (number + place / len(batches)) / PASSES)
            self._descend(batch, number, place)
        found = self.accuracy(self._judged)
        if not self.curve or found > max(self.curve):
            self._best = self._weights()
        self.curve.append(found)
        self._pace.step(found)

    @property
    def _without_progress(self) -> int:
        """How many passes in a row were not better than the best before them."""
        return len(self.curve) - 1 - self.curve.index(max(self.curve)) if self.curve else 0

    @property
    def _learnt_from(self) -> str:
        """A digest of the sentences and the settings: a training does not go on with others."""
        known = hashlib.sha256(f"{self._recipe} {self._seed}".encode())
        for array in (self._learnt.texts.rows, self._learnt.texts.starts, self._learnt.labels):
            known.update(array.astype("<i8").tobytes())
        return known.hexdigest()[:16]

    def _weights(self) -> dict[str, Tensor]:
        return {name: one.detach().clone() for name, one in self.module.state_dict().items()}

    def _save(self, path: Path) -> None:
        state = TrainingState(
            self._learnt_from, len(self.curve), self._spent, tuple((one,) for one in self.curve)
        )
        best = {name: one.cpu().numpy() for name, one in self._best.items()}
        save_training(path, state, self.module, [self._optimiser], best)

    def _resume(self, path: Path) -> None:
        found = load_training(path, self._learnt_from, self.module, [self._optimiser], columns=1)
        if found is None:
            return
        state, best = found
        self._best = {name: tensor(array).to(self._device) for name, array in best.items()}
        self._spent, self.curve = state.spent, [one for (one,) in state.curve]
        for accuracy in self.curve:  # the rate is where it was
            self._pace.step(accuracy)

    def _batches(self, number: int) -> Iterator[Numbers]:
        """The batches of a pass: all sentences once, in an order of its own, those of one length together."""
        draw = np.random.default_rng([self._seed, number])
        sizes, size = self._learnt.texts.sizes, self._recipe.batch
        order = draw.permutation(len(sizes))
        found = []
        for start in range(0, len(order), POOLED_BATCHES * size):
            pool = order[start : start + POOLED_BATCHES * size]
            pool = pool[np.argsort(sizes[pool], kind="stable")]
            found += [pool[at : at + size] for at in range(0, len(pool), size)]
        # a batch of one has no variance to normalise by
        return (found[at] for at in draw.permutation(len(found)).tolist() if len(found[at]) > 1)

    def _descend(self, batch: Numbers, number: int, place: int) -> None:
        with reproducible(self._device) if self._device.type == "cpu" else nullcontext():
            torch.manual_seed((self._seed * 1_000 + number) * 100_000 + place)  # what is left out
            self.module.train()
            self._optimiser.zero_grad()
            labels = tensor(self._learnt.labels[batch]).to(self._device)
            logits = self._logits(self._learnt.texts, batch)
            functional.cross_entropy(logits, labels).backward()  # type: ignore[no-untyped-call]
            clip_grad_norm_(self.module.parameters(), LARGEST_GRADIENT)
            self._optimiser.step()

    def _logits(self, texts: NumberedTexts, numbers: Numbers) -> Tensor:
        words, sizes = texts.chosen(numbers)
        found: Tensor = self.module(words.to(self._device), sizes)
        return found
