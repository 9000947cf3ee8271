"""The training of the recurrent network, which reads forwards or both ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from msgspec.structs import replace
from torch import Tensor, nn

from index_builder.training.dan import DROPPED_WORDS, MINIMUM_PAIR_COUNT, DanLearner
from index_builder.training.learner import (
    SAMPLED_CLASSES,
    Batch,
    Learner,
    LearningTask,
    NetworkTraining,
    Schedule,
    TrainingPlan,
)
from index_builder.training.page_classifier import Bags, NetworkSize, PageClassifier, tensor
from index_builder.training.training_set import (
    Arrays,
    Numbers,
    TrainingSet,
    concatenated_ranges,
    terms_seen,
    words_seen,
)
from quizwriter.domain.players import BIRNN, DAN, RNN
from quizwriter.engine.rnn import POINTER
from quizwriter.engine.tokenizer import places, terms_of

MAXIMUM_SEQUENCE = 96
"""Words from which the network learns at once."""

POOLED_BATCHES = 8
"""Batches that are drawn together, so that each can have sequences of about one length."""

PLACES = 5
"""At so many places before its end a sequence read forwards is learnt from, too."""


class Sequences(NamedTuple):
    """Sequences of words, and where in each the network answers.

    Shapes:
        ``words``: a bag for each step of each sequence, ``[steps * sequences]``, step by step. ``ends``:
        ``[sequences, places]``, words read by then, 1 or more; one place with two directions.
    """

    words: Bags
    ends: Tensor

    def to(self, device: torch.device) -> Sequences:
        """See :class:`index_builder.training.page_classifier.NetworkInputs`."""
        return Sequences(self.words.to(device), self.ends.to(device))


class RnnModule(PageClassifier[Sequences]):
    """Gated recurrent units over the words, in one direction or in two.

    Of each direction the last state and the mean of all states go on to the hidden layer. ``units`` has a
    layer for each direction, because each prefix is read backwards from its own end.

    Source:
        Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", EMNLP 2014, for the units;
        Wallace et al., "Trick Me If You Can", TACL 2019, for both directions.
    """

    def __init__(
        self, terms: int, classes: int, directions: int, size: NetworkSize, *, sparse: bool = True
    ) -> None:
        super().__init__(terms, classes, directions * 2 * size.units, size, sparse=sparse)
        self.units = nn.ModuleList([nn.GRU(size.width, size.units) for _ in range(directions)])
        for weights in self.units.parameters():
            nn.init.zeros_(weights) if weights.dim() == 1 else nn.init.normal_(
                weights, std=weights.shape[1] ** -0.5
            )

    def features(self, inputs: Sequences) -> Tensor:
        """The states when each sequence is read up to each of its ends, and the means of those until then.

        Shapes:
            Result: ``[sequences * places, directions * 2 * units]``.
        """
        bags, ends = inputs
        steps = len(bags.starts) // len(ends)
        vectors = self.vectors(bags.terms, bags.starts, per_sample_weights=bags.weights)
        words = vectors.view(steps, len(ends), -1)
        step, sequence = torch.arange(steps, device=ends.device), torch.arange(len(ends), device=ends.device)
        # what each state counts in the mean of those up to an end
        shares = (step < ends[:, :, None]).to(words.dtype) / ends[:, :, None]
        features = []
        for way, units in enumerate(self.units):
            if way:  # each sequence reversed, its padding kept behind it
                back = (ends[:, 0] - 1 - step[:, None]).clamp(min=0)
                words = words.gather(0, back[:, :, None].expand_as(words))
            states, _ = units(words)
            means = torch.bmm(shares, states.transpose(0, 1))
            features += [states[ends - 1, sequence[:, None]], means]
        return torch.cat(features, dim=-1).flatten(0, 1)

    def arrays(self) -> Arrays:
        """See :class:`PageClassifier`."""
        into, across, bias, across_bias = (
            np.stack([getattr(units, f"{name}_l0").detach().cpu().numpy() for units in self.units])
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        return {
            **super().arrays(),
            "into": into.transpose(0, 2, 1).astype(np.float16),
            "across": across.transpose(0, 2, 1).astype(np.float16),
            "bias": bias,
            "across_bias": across_bias,
        }

    @torch.no_grad()
    def load_units(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Take over the units of as many directions as a player has."""
        for way, units in zip(range(len(arrays["into"])), self.units, strict=False):
            weights = {
                "weight_ih_l0": arrays["into"][way].T,
                "weight_hh_l0": arrays["across"][way].T,
                "bias_ih_l0": arrays["bias"][way],
                "bias_hh_l0": arrays["across_bias"][way],
            }
            units.load_state_dict({name: tensor(array.astype(np.float32)) for name, array in weights.items()})

    def load(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """See :class:`PageClassifier`."""
        super().load(arrays)
        self.load_units(arrays)


class RnnLearner(Learner[Sequences, RnnModule]):
    """Trains :class:`quizwriter.engine.rnn.Rnn`, with ``directions`` one or two.

    It begins with the word vectors and the classes of ``dan``, if that is given: what is left to learn is
    what order adds.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        plan: TrainingPlan,
        directions: int,
        dan: DanLearner | None = None,
        device: str = "cpu",
    ) -> None:
        sequence = np.where(training_set.pointers, POINTER, training_set.stems)
        words, _ = words_seen(sequence[training_set.in_question & (sequence != 0)])
        owner = np.repeat(np.arange(len(training_set), dtype=np.int32), np.diff(training_set.starts))
        _, found, _ = terms_of(training_set.stems, training_set.pointers, owner, training_set.stop_words)
        pairs, _ = terms_seen(MINIMUM_PAIR_COUNT, found.hashes[training_set.in_question[found.last]])
        self.directions = directions
        name = RNN if directions == 1 else BIRNN
        super().__init__(name, training_set, plan, np.sort(np.concatenate([words, pairs])), device)
        self._numbers = places(sequence, self.terms).astype(np.int32)
        # the pair that each token completes, and the token that began it
        self._pairs, self._first = np.full((2, len(sequence)), -1, np.int32)
        self._pairs[found.last] = places(found.hashes, self.terms)
        self._first[found.last] = found.first
        if dan is not None:
            place = places(self.terms, dan.terms)
            known = torch.from_numpy(place >= 0).to(self.device)
            with torch.no_grad():
                of_dan = dan.module.vectors.weight.to(self.device)
                self.module.vectors.weight[known] = of_dan[tensor(place[place >= 0]).to(self.device)]
                self.module.outputs.load_state_dict(dan.module.outputs.state_dict())
                self.module.biases.load_state_dict(dan.module.biases.state_dict())
        drawn = sum(self.sampler.shares(POOLED_BATCHES * plan.batch + POOLED_BATCHES).values())
        self._size = min(plan.batch, drawn)
        self._per_pool = min(POOLED_BATCHES, drawn // self._size)
        self._pool = lru_cache(maxsize=1)(self._draw_pool)

    def _module(self, *, sparse: bool) -> RnnModule:
        return RnnModule(
            len(self.terms), len(self.training_set.classes), self.directions, self.plan.size, sparse=sparse
        )

    def adopt(self, player: tuple[Mapping[str, np.ndarray[Any, Any]], object] | None) -> bool:
        """Begin with a trained network of one direction; only reading backwards is left to learn then.

        The result is False if the network was not trained on the same training set.
        """
        if player is None or self.directions != 2 or len(player[0]["into"]) != 1 or not self.fits(player[0]):
            return False
        arrays, module = player[0], self.module
        module.load_tables(arrays)
        module.load_units(arrays)
        with torch.no_grad():
            forwards = module.hidden.weight.shape[1] // 2
            module.hidden.weight[:, :forwards] = tensor(arrays["hidden"].T.astype(np.float32))
            module.hidden.weight[:, forwards:] *= 0.1
            module.hidden.bias.copy_(tensor(arrays["hidden_bias"].astype(np.float32)))
        return True

    def draw(self, number: int) -> Batch[Sequences]:
        """Sequences of about one length, where in each to answer, and the classes to tell apart."""
        pool, part = divmod(number, self._per_pool)
        texts, sequences = self._pool(pool)[part]
        self.sampler.begin("batch", number)
        lengths = np.asarray([sequence.shape[1] for sequence in sequences])
        steps = max(1, int(lengths.max()))
        terms = np.full((steps, len(texts), 2), -1, np.int64)  # a word, and the pair that it completes
        for column, sequence in enumerate(sequences):
            terms[: sequence.shape[1], column] = sequence.T
        ends = np.maximum(lengths, 1)[:, None]
        if self.directions == 1:  # one pass answers anywhere: at the end, and at places before it
            some = self.sampler.random.integers(1, ends + 1, (len(texts), PLACES))
            ends = np.hstack([ends, np.where(ends > 8, np.maximum(some, 4), some)])
        candidates = self.sampler.candidates(self.training_set.labels[texts], SAMPLED_CLASSES)
        candidates = replace(candidates, labels=np.repeat(candidates.labels, ends.shape[1]))
        known = (terms >= 0).reshape(-1, 2)
        words = Bags(
            tensor(terms.reshape(-1)[known.reshape(-1)]),
            tensor(np.cumsum(known.sum(axis=1)) - known.sum(axis=1)),
            torch.ones(int(np.count_nonzero(known))),
        )
        weights = np.repeat((lengths > 0).astype(np.float32), ends.shape[1])
        return Batch(Sequences(words, tensor(ends)), candidates, weights)

    def _draw_pool(self, number: int) -> list[tuple[Numbers, list[npt.NDArray[np.int32]]]]:
        """Batches of texts whose sequences are about as long as each other, so that little is padded.

        Shapes:
            A sequence: ``[2, tokens]``, rows of vectors, those of words and those of the pairs they complete.
        """
        self.sampler.begin("pool", number)
        random = self.sampler.random
        texts = self.sampler.texts(POOLED_BATCHES * self.plan.batch + POOLED_BATCHES)
        low, high = self.sampler.stretches(texts)
        token, text = concatenated_ranges(low, high)
        kept = (self._numbers[token] >= 0) & (random.random(len(token)) >= DROPPED_WORDS / 2)
        token, text = token[kept], text[kept]
        complete = self._first[token] >= low[text]
        complete &= random.random(len(token)) >= DROPPED_WORDS / 2
        both = np.stack([self._numbers[token], np.where(complete, self._pairs[token], -1)])
        starts = np.searchsorted(text, np.arange(len(texts)))
        sizes = np.minimum(np.diff(np.append(starts, len(text))), MAXIMUM_SEQUENCE)
        order = np.argsort(sizes, kind="stable")[-self._per_pool * self._size :]
        parts = np.split(order, self._per_pool)
        shuffled = [parts[part] for part in random.permutation(self._per_pool).tolist()]
        return [
            (texts[part], [both[:, starts[one] : starts[one] + sizes[one]] for one in part.tolist()])
            for part in shuffled
        ]

    def arrays(self) -> Arrays:
        """See :class:`Learner`."""
        return {**self.known_terms(), **self.module.arrays()}


def _learner_reading(directions: int) -> Callable[[LearningTask], RnnLearner]:
    def learner(task: LearningTask) -> RnnLearner:
        # it starts from the DAN; one that reads both ways also from the RNN, where the bundle has it
        dan = DanLearner(task.training_set, task.plan_of(DAN), task.vectors, task.device)
        if not (dan.resume(task.work) or dan.adopt(task.trained(DAN))):
            dan.start()
        made = RnnLearner(task.training_set, task.plan, directions, dan, task.device)
        made.adopt(task.trained(RNN))
        return made

    return learner


_SCHEDULE = Schedule(
    passes=12, batch=256, rate=0.1,
    small_steps=90, small_batch=64, small_rate=0.1,
    tuning_steps=60, tuning_batch=128,
)  # fmt: skip

TRAINING = NetworkTraining(
    _SCHEDULE,
    _learner_reading(1),
    lambda training_set, plan, device: RnnLearner(training_set, plan, 1, device=device),
)
TRAINING_BOTH_WAYS = NetworkTraining(_SCHEDULE, _learner_reading(2), directions=2)
