"""The recurrent networks: players that read the words in order with gated recurrent units, in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.players import RNN
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.networks import (
    OUTPUT_SHAPES,
    TERM_SHAPES,
    Arrays,
    Floats,
    Network,
    NetworkTrace,
    play_positions,
    vectors_of,
)
from quizwriter.engine.pages import Pages
from quizwriter.engine.reasons import IsFrame, no_frame
from quizwriter.engine.stored_arrays import StoredWeights, match_shapes, require
from quizwriter.engine.tokenizer import TitleFinder, TokenizedTossup, places, terms_of, together, tokenize

POINTER = np.uint64(2)
"""Stands for "this" among the stems an RNN reads; no stem's hash is even."""


class GateTrace(msgspec.Struct, frozen=True):
    """The states of gated units over a sequence, and what their gradient needs.

    Shapes:
        ``states``: ``[steps, batch, size]``, after each input. ``gates``: ``[steps, batch, 2 * size]``.
        ``recurrent`` and ``candidates``: as ``states``.
    """

    states: Floats
    gates: Floats
    recurrent: Floats
    candidates: Floats

    def __getitem__(self, steps: slice) -> GateTrace:
        return GateTrace(self.states[steps], self.gates[steps], self.recurrent[steps], self.candidates[steps])

    def concatenated(self, later: GateTrace) -> GateTrace:
        """This trace and ``later``, which goes on from its last state."""
        return GateTrace(
            np.concatenate([self.states, later.states]),
            np.concatenate([self.gates, later.gates]),
            np.concatenate([self.recurrent, later.recurrent]),
            np.concatenate([self.candidates, later.candidates]),
        )


class GatedUnits(msgspec.Struct, frozen=True):
    """Gated recurrent units, one layer, one direction.

    Shapes:
        ``into``: ``[width, 3 * size]``; ``across``: ``[size, 3 * size]``; ``bias`` and ``across_bias``:
        ``[3 * size]``; in this order: reset, update, candidate.

    Source:
        Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", EMNLP 2014, in the form that
        all libraries compute: the reset gate scales the candidate's recurrent part after its product.
    """

    into: Floats
    across: Floats
    bias: Floats
    across_bias: Floats

    @property
    def size(self) -> int:
        return len(self.across)

    def run(self, inputs: Floats, start: Floats | None = None) -> GateTrace:
        """The trace of the units over ``inputs``, from the state ``start`` or from zeros.

        Shapes:
            ``inputs``: ``[steps, batch, width]``. ``start``: ``[batch, size]``.
        """
        size, (steps, batch, _) = self.size, inputs.shape
        entering = self.entering(inputs)
        found = GateTrace(*(np.empty((steps, batch, wide * size), np.float32) for wide in (1, 2, 1, 1)))
        state = np.zeros((batch, size), np.float32) if start is None else start
        for step in range(steps):
            one = self.step(entering[step], state)
            state = found.states[step] = one.states
            found.gates[step], found.recurrent[step], found.candidates[step] = (
                one.gates,
                one.recurrent,
                one.candidates,
            )
        return found

    def entering(self, inputs: Floats) -> Floats:
        """What ``inputs`` add to the gates and the candidate, before any state."""
        return inputs @ self.into + self.bias

    def step(self, entering: Floats, state: Floats) -> GateTrace:
        """One step of a batch, from ``state``; the trace has no axis for steps."""
        size, half = self.size, np.float32(0.5)
        across = state @ self.across + self.across_bias
        gate = np.tanh(half * (entering[:, : 2 * size] + across[:, : 2 * size])) * half + half
        recurrent = across[:, 2 * size :]
        candidate = np.tanh(entering[:, 2 * size :] + gate[:, :size] * recurrent)
        return GateTrace(candidate + gate[:, size:] * (state - candidate), gate, recurrent, candidate)

    def backward(self, trace: GateTrace, by_states: Floats) -> Floats:
        """The gradient by the inputs of one sequence when that by each of its states is given.

        Shapes:
            ``by_states``: ``[steps, size]``. Result: ``[steps, width]``.
        """
        size = self.size
        states, reset, update = trace.states[:, 0], trace.gates[:, 0, :size], trace.gates[:, 0, size:]
        recurrent, candidates = trace.recurrent[:, 0], trace.candidates[:, 0]
        before = np.vstack([np.zeros((1, size), np.float32), states[:-1]])
        # by each state, by the gates' and the candidate's sums, as far as that needs nothing of what follows
        inner = (1 - update) * (1 - candidates**2)
        moved = np.stack(
            [inner * recurrent * reset * (1 - reset), (before - candidates) * update * (1 - update)]
        )
        by_entering = np.empty((len(states), 3, size), np.float32)
        by_across = np.empty((3, size), np.float32)
        later = np.zeros(size, np.float32)
        for step in reversed(range(len(states))):
            by_state = by_states[step] + later
            by_across[:2] = by_entering[step, :2] = moved[:, step] * by_state
            by_entering[step, 2] = inner[step] * by_state
            by_across[2] = by_entering[step, 2] * reset[step]
            later = by_state * update[step] + self.across @ by_across.reshape(-1)
        return by_entering.reshape(len(states), -1) @ self.into.T


class WordSteps(msgspec.Struct, frozen=True):
    """The steps of an RNN: at each a known word, and the known pair that the word completes, if any.

    Shapes:
        ``numbers``: ``[steps]``, rows of vectors. ``words``: ``[steps]``, which word of the tossup each is.
        ``pairs``: ``[steps]``, rows of vectors, -1 for none. ``first``: ``[steps]``, the word that begins it.
    """

    numbers: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)

    def turned(self) -> WordSteps:
        return WordSteps(self.numbers[::-1], self.words[::-1], self.pairs[::-1], self.first[::-1])

    def shared_prefix(self, other: WordSteps) -> int:
        """How many steps at the beginning are the same in this and ``other``."""
        shorter = min(len(self), len(other))
        differ = self.numbers[:shorter] != other.numbers[:shorter]
        differ |= self.pairs[:shorter] != other.pairs[:shorter]
        return int(np.append(differ, True).argmax())


_NO_STEPS = WordSteps(*np.zeros((4, 0), np.int64))


class Rnn(Network):
    """A recurrent network over the words that can be clues, and "this".

    The input of each step is the word's vector plus that of the pair which the word completes: rare pairs
    identify past questions, and need not be learnt as sequences. For each direction the last
    state and the mean of all states go through one layer of rectified units. With one direction every word is
    a step of one pass. With two, the words are read backwards anew for every prefix. Therefore it plays at
    the positions of :func:`quizwriter.engine.networks.play_positions` only, and word by word between two of
    them that differ in their first guess.

    Source:
        Wallace et al., "Trick Me If You Can", TACL 2019: a bidirectional recurrent network with gated units.
    """

    SHAPES: ClassVar[Mapping[str, str]] = {
        **OUTPUT_SHAPES,
        **TERM_SHAPES,
        "into": "d w g",
        "across": "d s g",
        "bias": "d g",
        "across_bias": "d g",
        "hidden": "f h",
    }

    def __init__(
        self,
        arrays: Arrays,
        pages: Pages,
        titles: TitleFinder,
        name: str = RNN,
        is_frame: IsFrame = no_frame,
    ) -> None:
        """The network of ``arrays``.

        Shapes:
            ``terms``: ``[v]``, sorted hashes of words and pairs. ``vectors`` and ``scales``: as
            :func:`vectors_of` takes them. ``everywhere``: sorted hashes. ``into``, ``across``, ``bias`` and
            ``across_bias``: those of :class:`GatedUnits`, with a first axis for the directions, one or two.
            ``hidden``: ``[directions * 2 * size, hidden]``. ``hidden_bias``: ``[hidden]``.
        """
        super().__init__(arrays, pages, titles, name, is_frame)
        # the last tossup read forwards: a draft with one more letter begins with it
        self._previous_steps: tuple[WordSteps, GateTrace] | None = None

    @classmethod
    def check(cls, arrays: StoredWeights, pages: Pages) -> None:
        super().check(arrays, pages)
        sizes = match_shapes(arrays.shapes, cls.SHAPES)
        require(sizes["d"] in (1, 2) and sizes["s"] > 0, "the units have neither one direction nor two")
        require(sizes["g"] == 3 * sizes["s"], "the units have not three gates")
        require(sizes["f"] == 2 * sizes["d"] * sizes["s"], "the shape of hidden does not fit the units")

    @cached_property
    def _units(self) -> list[GatedUnits]:
        """The units of each direction; the window, in which no network plays, never reads them."""
        names = ("into", "across", "bias", "across_bias")
        return [
            GatedUnits(*(self._arrays[name][way].astype(np.float32) for name in names))
            for way in range(len(self._arrays["into"]))
        ]

    @property
    def _width(self) -> int:
        return len(self._units[0].into)

    def _steps(self, readings: Sequence[TokenizedTossup]) -> list[WordSteps]:
        """The steps of each of ``readings``, which are looked up at once."""
        reading, texts = together(readings)
        stems = np.where(reading.pointers, POINTER, reading.stems)
        numbers = places(stems, self._arrays["terms"])
        pairs, first = np.full((2, len(stems)), -1, np.int64)
        _, found, _ = terms_of(reading.stems, reading.pointers, texts, self._arrays["everywhere"])
        pairs[found.last] = places(found.hashes, self._arrays["terms"])
        first[found.last] = reading.words[found.first]
        known = numbers >= 0
        ends = np.searchsorted(texts[known], np.arange(1, len(readings)))
        columns = (np.split(column[known], ends) for column in (numbers, reading.words, pairs, first))
        return [WordSteps(*parts) for parts in zip(*columns, strict=True)]

    def _inputs(self, steps: WordSteps) -> Floats:
        inputs = vectors_of(self._arrays, steps.numbers)
        some = steps.pairs >= 0
        inputs[some] += vectors_of(self._arrays, steps.pairs[some])
        return inputs

    def _forwards(self, steps: WordSteps, inputs: Floats) -> GateTrace:
        """The trace of the first direction, computed from where the words differ from the last tossup's."""
        previous = self._previous_steps  # once, as players are heard in more than one thread
        before, trace = previous or (_NO_STEPS, self._units[0].run(inputs[:0, None]))
        alike = steps.shared_prefix(before)
        trace = trace[:alike]
        if alike < len(steps):
            trace = trace.concatenated(
                self._units[0].run(inputs[alike:, None], trace.states[-1] if alike else None)
            )
        self._previous_steps = steps, trace
        return trace

    def _positions(
        self, tossup: Tossup, reading: TokenizedTossup, extra: Sequence[int]
    ) -> tuple[list[int], Floats]:
        (steps,) = self._steps([reading])
        if not len(steps):
            return [], self._hidden_layer(np.zeros((0, self._arrays["hidden"].shape[0]), np.float32))
        words, inputs = steps.words, self._inputs(steps)
        forward = _prefix_features(self._forwards(steps, inputs).states[:, 0])
        counts = np.searchsorted(words, np.arange(len(tossup.words) + 1))  # inputs heard after so many words
        first = int(words[0]) + 1
        if len(self._units) == 1:
            ends = (words[np.flatnonzero(np.append(words[1:] != words[:-1], True))] + 1).tolist()
            positions = sorted({*ends, *(word for word in extra if word >= first)})
            return positions, self._hidden_layer(forward[counts[positions] - 1])
        positions = [word for word in play_positions(tossup, extra) if word >= first]
        vectors = self._bidirectional_vectors(inputs, forward, counts[positions])
        leaders = np.argmax(self._logits(vectors), axis=1)
        between = [
            word
            for one, other, same in zip(positions, positions[1:], leaders[1:] == leaders[:-1], strict=False)
            if not same
            for word in range(one + 1, other)
            if counts[word] != counts[word - 1]
        ]
        if between:
            more = self._bidirectional_vectors(inputs, forward, counts[between])
            order = np.argsort([*positions, *between], kind="stable")
            vectors = np.concatenate([vectors, more])[order]
            positions = sorted([*positions, *between])
        return positions, vectors

    def _row_positions(self, tossup: Tossup, trace: NetworkTrace) -> list[int]:
        if len(self._units) == 1 or not len(trace.positions):
            return super()._row_positions(tossup, trace)
        positions: list[int] = trace.positions.tolist()  # the last word is among them
        return positions

    def _bidirectional_vectors(
        self, inputs: Floats, forward: Floats, counts: npt.NDArray[np.int64]
    ) -> Floats:
        """The hidden vectors after ``counts`` inputs. Each prefix is read backwards too."""
        turned = np.zeros((int(counts.max()), len(counts), inputs.shape[1]), np.float32)
        for column, count in enumerate(counts.tolist()):
            turned[:count, column] = inputs[:count][::-1]
        return self._hidden_layer(
            np.hstack([forward[counts - 1], _final_features(self._units[1].run(turned).states, counts)])
        )

    def _last_vectors(self, readings: Sequence[TokenizedTossup]) -> Floats:
        """See :meth:`Network._last_vectors`. What is read as in the last tossup is not read again."""
        sequences = self._steps(readings)
        features = []
        for way, units in enumerate(self._units):
            known, states = _NO_STEPS, np.zeros((0, units.size), np.float32)
            if not way and self._previous_steps is not None:
                known, trace = self._previous_steps
                states = trace.states[:, 0]
            turned = [one.turned() for one in sequences] if way else sequences
            features.append(self._features(units, turned, known, states))
        return self._hidden_layer(np.hstack(features))

    def _features(
        self, units: GatedUnits, sequences: Sequence[WordSteps], known: WordSteps, states: Floats
    ) -> Floats:
        """For each of ``sequences`` its last state and the mean of its states, side by side.

        Those of ``known`` are ``states``, so each is read only from where it differs from that.
        """
        alike = np.asarray([one.shared_prefix(known) for one in sequences])
        order = np.argsort(alike, kind="stable")  # a step is one product for all that have begun
        begins = alike[order]
        counts = np.asarray([max(1, len(sequences[number])) for number in order.tolist()])
        inputs, rows = self._distinct_inputs([sequences[number] for number in order.tolist()])
        entering = units.entering(inputs)
        before = np.vstack([np.zeros((1, units.size), np.float32), states])
        state, sums = before[begins], np.cumsum(before, axis=0)[begins]
        last = state.copy()
        for step in range(int(begins[0]), int(counts.max())):
            begun = int(np.searchsorted(begins, step, side="right"))
            state[:begun] = units.step(entering[rows[step, :begun]], state[:begun]).states
            going = np.flatnonzero(counts[:begun] > step)
            sums[going] += state[going]
            ending = going[counts[going] == step + 1]
            last[ending] = state[ending]
        found = np.empty((len(order), 2 * units.size), np.float32)
        found[order] = np.hstack([last, sums / counts[:, None].astype(np.float32)])
        return found

    def _distinct_inputs(self, sequences: Sequence[WordSteps]) -> tuple[Floats, npt.NDArray[np.int64]]:
        """The inputs of ``sequences``, each once and then zeros; and of each step the row of each sequence.

        Past an end, and where a sequence is empty, that is the row of zeros.
        """
        numbers = np.concatenate([one.numbers for one in sequences])
        pairs = np.concatenate([one.pairs for one in sequences])
        _, first, row_of = np.unique(
            numbers * (len(self._arrays["terms"]) + 1) + pairs, return_index=True, return_inverse=True
        )
        distinct = self._inputs(WordSteps(numbers[first], numbers[first], pairs[first], pairs[first]))
        rows = np.full((max(1, *map(len, sequences)), len(sequences)), len(distinct), np.int64)
        end = 0
        for column, one in enumerate(sequences):
            rows[: len(one), column] = row_of[end : end + len(one)]
            end += len(one)
        return np.vstack([distinct, np.zeros((1, self._width), np.float32)]), rows

    def _gradient(self, tossup: Tossup, number: int) -> tuple[Floats, Floats]:
        reading = tokenize(tossup)
        (steps,) = self._steps([reading])
        inputs = self._inputs(steps)
        traces = [self._forwards(steps, inputs)]
        traces += [units.run(inputs[::-1, None]) for units in self._units[1:]]
        features = np.concatenate([_prefix_features(trace.states[:, 0])[-1] for trace in traces])
        layer = self._hidden_layer(features[None])[0]
        gradient, logits = self._output_gradient(layer, reading, number)
        by_features = self._arrays["hidden"] @ (gradient * (layer > 0))
        by_inputs = np.zeros_like(inputs)
        for way, (units, trace) in enumerate(zip(self._units, traces, strict=True)):
            by_last, by_mean = by_features[2 * way * units.size : 2 * (way + 1) * units.size].reshape(2, -1)
            by_states = np.tile(by_mean / len(inputs), (len(inputs), 1)).astype(np.float32)
            by_states[-1] += by_last
            by_inputs += units.backward(trace, by_states)[:: -1 if way else 1]
        found = np.zeros(len(tossup.words), np.float32)
        of_words = vectors_of(self._arrays, steps.numbers)
        np.add.at(found, steps.words, (by_inputs * of_words).sum(axis=1))
        of_pairs = (by_inputs * (inputs - of_words)).sum(axis=1) / 2  # half is each of its words'
        np.add.at(found, steps.words, of_pairs)
        np.add.at(found, steps.first, np.where(steps.pairs >= 0, of_pairs, 0))
        return found, logits


def _prefix_features(states: Floats) -> Floats:
    """For each prefix of one sequence its last state and the mean of its states, side by side."""
    counts = np.arange(1, len(states) + 1, dtype=np.float32)[:, None]
    return np.hstack([states, np.cumsum(states, axis=0) / counts])


def _final_features(states: Floats, counts: npt.NDArray[np.int64]) -> Floats:
    """For each column its state after its number of steps and the mean of its states, side by side."""
    columns = np.arange(states.shape[1])
    inside = np.arange(len(states))[:, None] < counts
    means = np.einsum("sbh,sb->bh", states, inside.astype(np.float32)) / counts[:, None].astype(np.float32)
    return np.hstack([states[counts - 1, columns], means])
