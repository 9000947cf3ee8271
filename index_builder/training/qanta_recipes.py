"""QANTA's own DAN and bidirectional RNN, trained beside ours on the same questions, to compare them.

"Trick Me If You Can" was written against these networks. They learn single sentences and are asked about all
that was heard. They are no players of a bundle: nothing here writes into it.

Source:
    Wallace et al., TACL 2019, and the settings of github.com/Pinafore/qb (``qanta-defaults.yaml``,
    ``qanta/guesser/dan.py`` and ``rnn.py``). Two things differ: words are told apart by a pattern and not by
    NLTK, and where no file of word vectors is given, all vectors begin as those of words without one do.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from anyascii import anyascii
from msgspec.structs import replace
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_sequence

from index_builder.progress import Progress
from index_builder.training.dan import vectors_in
from index_builder.training.learner import chosen_device, reproducible, usable_cores
from index_builder.training.page_classifier import tensor
from index_builder.training.saved_training import TrainingState, load_training, save_training
from index_builder.training.trainer import NetworkTrainer, TrainingOptions, device_line
from index_builder.training.training_set import Numbers, TrainingSet
from quizwriter.domain.players import networks
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.engine import held_back
from quizwriter.engine.pages import read_pages
from quizwriter.engine.retrieval import PassageKind, PassageTable
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import BUZZ, DEVELOPMENT

WORK_SUFFIX = ".recipes"
"""Added to the name of a bundle's folder: the folder beside it where networks are saved meanwhile."""

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

_ASIDE = re.compile(r"\([^()]*+\)|\[[^][]*+\]")
_POINTS = re.compile(r"\b(?:for (?:10|ten) points(?: each)?+|ftpe?+)\b,?+", re.IGNORECASE)
_WORD = re.compile(r"\w++|[^\w\s]")

PADDING, UNKNOWN = 0, 1
"""Words that are no words."""

LabelledTossup = tuple[Tossup, int]
"""A tossup with its class."""

Sentence = tuple[list[int], int]
"""The rows of the words of a sentence, and its class."""


class Recipe(msgspec.Struct, frozen=True):
    """The settings of one network: texts in a batch, units, and the share of numbers left out at random."""

    batch: int
    units: int
    dropout: float


RECIPES = {"qanta-dan": Recipe(512, 1000, 0.5), "qanta-birnn": Recipe(128, 1500, 0.25)}


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
        """The logits of all classes, ``[texts, classes]``; ``sizes`` counts the words of each text."""
        found: Tensor = self.layers(self.vectors(words, sizes.cumsum(0) - sizes))
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
        texts = self.dropout(self.vectors(words)).split(sizes.tolist())
        _, last = self.units(pack_sequence(texts, enforce_sorted=False))
        found: Tensor = self.layers(torch.cat([*last], dim=1))
        return found


def recipe_words(text: str) -> list[str]:
    """The words and signs of ``text`` without what stands in brackets and the points, in plain letters."""
    return _WORD.findall(anyascii(_POINTS.sub(" ", _ASIDE.sub(" ", text))).lower())


def sentences_of(tossup: Tossup) -> Iterator[str]:
    return (span.of(tossup.text) for span in tossup.sentences)


class RecipeTrainer:
    """Trains one network of QANTA; a training that was stopped goes on after the last whole pass."""

    def __init__(
        self,
        name: str,
        recipe: Recipe,
        learnt: Sequence[LabelledTossup],
        judged: Sequence[LabelledTossup],
        classes: int,
        *,
        seed: int,
        device: str,
        vectors: Path | None = None,
    ) -> None:
        """``learnt`` and ``judged`` are the tossups to learn, and those that say when it is over."""
        self.name, self._recipe, self._seed = name, recipe, seed
        self._device = torch.device(device)
        self._rows: dict[str, int] = {}
        said = [(recipe_words(one), label) for tossup, label in learnt for one in sentences_of(tossup)]
        for words, _ in said:
            for word in words:
                self._rows.setdefault(word, UNKNOWN + 1 + len(self._rows))
        self._learnt = [(self._numbers(words), label) for words, label in said]
        self._judged = judged
        if len(self._learnt) < 2 or not judged:
            raise QuizwriterError(
                "There are too few tossups in the bundle to learn from and to judge by.",
                "Build it from more tossups, or take a larger share.",
            )
        torch.manual_seed(seed)
        kind = QantaDan if name == "qanta-dan" else QantaRnn
        self.module = kind(UNKNOWN + 1 + len(self._rows), classes, recipe).to(self._device)
        with torch.no_grad():
            table = self.module.vectors.weight
            table.uniform_(-VECTOR_SPREAD, VECTOR_SPREAD)
            if vectors is not None:
                self._begin_with(vectors, table)
            table[UNKNOWN] = table[UNKNOWN + 1 :].mean(dim=0)
            table[PADDING] = 0.0
        # fused, as most of a step is the vectors of words that it does not touch
        self._optimiser = torch.optim.Adam(self.module.parameters(), RATE, fused=True)
        self._pace = torch.optim.lr_scheduler.ReduceLROnPlateau(self._optimiser, "max", patience=PLATEAU)
        self._best = self._weights()
        self.curve: list[float] = []
        self._spent = 0.0

    def train(self, work: Path, progress: Progress) -> None:
        """Take all passes that are left, saving each in ``work``; the best weights are then those it has."""
        path = work / f"{self.name}.npz"
        self._resume(path)
        while len(self.curve) < PASSES and self._without_progress < PATIENCE:
            started = time.monotonic()
            batches = self._batches(len(self.curve))
            for number, batch in enumerate(batches):
                progress.training(self.name, (len(self.curve) + number / len(batches)) / PASSES)
                self._descend(batch, len(self.curve), number)
            found = self._sentence_accuracy()
            if not self.curve or found > max(self.curve):
                self._best = self._weights()
            self.curve.append(found)
            self._pace.step(found)
            progress.measured(self.name, *self.accuracy(self._judged))
            self._spent += time.monotonic() - started
            state = TrainingState(
                self._learnt_from, len(self.curve), self._spent, tuple((one,) for one in self.curve)
            )
            save_training(path, state, self.module, [self._optimiser], self._best)
        self.module.load_state_dict({name: tensor(array) for name, array in self._best.items()})
        progress.training(self.name, 1.0)

    def accuracy(self, tossups: Sequence[LabelledTossup]) -> tuple[float, float]:
        """The shares of first guesses that are right after half and after all of each of ``tossups``."""
        labels = np.asarray([label for _, label in tossups])
        halves = [tossup.heard(len(tossup.words) // 2).text for tossup, _ in tossups]
        half, end = (
            float(np.mean(self._guesses([self._numbers(recipe_words(text)) for text in texts]) == labels))
            for texts in (halves, [tossup.text for tossup, _ in tossups])
        )
        return half, end

    @property
    def seconds(self) -> float:
        """How long the training took."""
        return self._spent

    def _begin_with(self, vectors: Path, table: Tensor) -> None:
        """Put those of the file ``vectors`` that are of words that are learnt into ``table``."""
        there = 0
        try:
            for word, numbers in vectors_in(vectors):
                if word in self._rows and len(numbers) == WIDTH:
                    table[self._rows[word]] = torch.tensor([float(number) for number in numbers])
                    there += 1
        except ValueError:
            there = 0
        if not there:
            raise QuizwriterError(
                f"{vectors} has no vectors of {WIDTH} numbers for words of the bundle.",
                "Name a file with a word and its numbers on each line, such as glove.6B.300d.txt.",
            )

    @property
    def _without_progress(self) -> int:
        """How many passes in a row were not better than the best before them."""
        return len(self.curve) - 1 - self.curve.index(max(self.curve)) if self.curve else 0

    @property
    def _learnt_from(self) -> str:
        """A digest of the sentences and the settings: a training does not go on with others."""
        known = hashlib.sha256(f"{self._recipe} {self._seed}".encode())
        for rows, label in self._learnt:
            known.update(f"{rows} {label}\n".encode())
        return known.hexdigest()[:16]

    def _numbers(self, words: Sequence[str]) -> list[int]:
        return [self._rows.get(word, UNKNOWN) for word in words] or [UNKNOWN]

    def _weights(self) -> dict[str, np.ndarray[Any, Any]]:
        return {name: one.detach().cpu().numpy().copy() for name, one in self.module.state_dict().items()}

    def _resume(self, path: Path) -> None:
        found = load_training(path, self._learnt_from, self.module, [self._optimiser], columns=1)
        if found is None:
            return
        state, self._best = found
        self._spent, self.curve = state.spent, [one for (one,) in state.curve]
        for accuracy in self.curve:  # the rate is where it was
            self._pace.step(accuracy)

    def _batches(self, number: int) -> list[list[Sentence]]:
        """The batches of a pass: all sentences once, in an order of its own, those of one length together."""
        draw = np.random.default_rng([self._seed, number])
        order, size = draw.permutation(len(self._learnt)), self._recipe.batch
        found = []
        for start in range(0, len(order), POOLED_BATCHES * size):
            pool = [self._learnt[at] for at in order[start : start + POOLED_BATCHES * size].tolist()]
            pool.sort(key=lambda one: len(one[0]))
            found += [pool[at : at + size] for at in range(0, len(pool), size)]
        # a batch of one has no variance to normalise by
        return [found[at] for at in draw.permutation(len(found)).tolist() if len(found[at]) > 1]

    def _descend(self, batch: Sequence[Sentence], number: int, place: int) -> None:
        with reproducible(self._device):
            torch.manual_seed((self._seed * 1_000 + number) * 100_000 + place)  # what is left out
            self.module.train()
            self._optimiser.zero_grad()
            logits = self._logits([rows for rows, _ in batch])
            labels = torch.tensor([label for _, label in batch], device=self._device)
            functional.cross_entropy(logits, labels).backward()  # type: ignore[no-untyped-call]
            clip_grad_norm_(self.module.parameters(), LARGEST_GRADIENT)
            self._optimiser.step()

    def _logits(self, texts: Sequence[Sequence[int]]) -> Tensor:
        words = torch.tensor([row for rows in texts for row in rows], device=self._device)
        found: Tensor = self.module(words, torch.tensor([len(rows) for rows in texts], device=self._device))
        return found

    @torch.no_grad()
    def _guesses(self, texts: Sequence[Sequence[int]]) -> Numbers:
        """The best class of each text."""
        self.module.eval()
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found = np.zeros(len(texts), np.int64)
        for start in range(0, len(order), ASKED_AT_ONCE):
            some = order[start : start + ASKED_AT_ONCE]
            found[some] = self._logits([texts[at] for at in some]).argmax(dim=1).cpu().numpy()
        return found

    def _sentence_accuracy(self) -> float:
        """The share of the sentences of the tossups to judge by of which the class is right."""
        said = [(recipe_words(one), label) for tossup, label in self._judged for one in sentences_of(tossup)]
        found = self._guesses([self._numbers(words) for words, _ in said])
        return float(np.mean(found == np.asarray([label for _, label in said])))


def compare_recipes(
    folder: Path,
    players: Sequence[str],
    progress: Progress,
    *,
    share: float = 1.0,
    units: int | None = None,
    options: TrainingOptions | None = None,
) -> dict[str, Any]:
    """Train ``players``, recipes and networks of ours, on a ``share`` of the classes of a bundle; a report.

    All learn the same tossups, ours also the bonuses and articles on the same pages. The buzzer fold says
    when each is done. The figures are of the development tossups on these pages, which decided nothing.
    ``units`` are those of QANTA's RNN. The bundle is not written to. A training that was stopped goes on
    where it was.
    """
    options = options or TrainingOptions()
    options = replace(options, device=chosen_device(options.device))
    bundle = Bundle.open(folder)
    asked = np.flatnonzero(bundle.array("pages_asked.npy"))
    drawn = np.random.default_rng(options.seed).permutation(asked)[: max(2, round(share * len(asked)))]
    pages_learnt = np.sort(drawn)
    row_of = read_pages(bundle).rows
    classes = {row: at for at, row in enumerate(pages_learnt.tolist())}
    judged, measured = (
        [
            (tossup, classes[row])
            for tossup in held_back(bundle, fold)
            if tossup.answer is not None and (row := row_of.get(tossup.answer.key, -1)) in classes
        ]
        for fold in (BUZZ, DEVELOPMENT)
    )
    if not judged or not measured:
        raise QuizwriterError(
            "The bundle holds back no tossups to judge by and to measure on.",
            "Build it without --all, or take a larger share of the classes.",
        )
    table = PassageTable(bundle)
    learnt = [
        (Tossup(table.texts[number]), at)
        for row, at in classes.items()
        for number in table.about(row)
        if table.kinds[number] == PassageKind.TOSSUP
    ]
    work = folder.parent / f"{folder.name}{WORK_SUFFIX}"
    before = torch.get_num_threads()
    torch.set_num_threads(options.threads or usable_cores())
    found: dict[str, Any] = {}
    try:
        progress.note(device_line(options.device))
        for name in (one for one in players if one in RECIPES):
            recipe = RECIPES[name]
            if units is not None and name == "qanta-birnn":
                recipe = replace(recipe, units=units)
            trainer = RecipeTrainer(
                name, recipe, learnt, judged, len(classes),
                seed=options.seed, device=options.device, vectors=options.vectors,
            )  # fmt: skip
            trainer.train(work, progress)
            half, end = trainer.accuracy(measured)
            done = {"passes": len(trainer.curve), "seconds": round(trainer.seconds)}
            found[name] = {"half": half, "end": end, "units": recipe.units, **done}
        ours = [kind.name for kind in networks() if kind.name in players]
        if ours:
            trainer_of_ours = NetworkTrainer(
                folder,
                work,
                options,
                TrainingSet.of(bundle, pages_learnt),
                [tossup for tossup, _ in judged],
            )
        for name in ours:
            arrays, about, _ = trainer_of_ours.learn(name, progress)
            progress.training(name, 1.0)
            half, end = trainer_of_ours.accuracy(name, arrays, [tossup for tossup, _ in measured])
            found[name] = {"half": half, "end": end, "steps": about["steps"], "seconds": about["seconds"]}
    finally:
        torch.set_num_threads(before)
    shutil.rmtree(work, ignore_errors=True)
    return {
        "classes": len(classes),
        "tossups": len(learnt),
        "judged_by": len(judged),
        "measured_on": len(measured),
        "players": {name: _rounded(one) for name, one in found.items()},
    }


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(one, 4) for name, one in figures.items()}
