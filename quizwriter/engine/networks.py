"""The neural players: a draft becomes a vector after every word, and a softmax over pages answers it.

:class:`Dan` averages the vectors of the terms heard, :class:`Rnn` reads the words in order with gated
recurrent units. index_builder trains them; here they only play, in NumPy, which needs no start-up and no
memory beyond the weights. A network knows the pages that were asked for when it was trained: its classes.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Cue, Evidence, Faithfulness, Method
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Guess, Playthrough, Row
from quizwriter.domain.tossup import Page, Tossup, answer_key
from quizwriter.engine.pages import Pages
from quizwriter.engine.retrieval import NAMED, WIDE
from quizwriter.engine.tokenizer import TitleFinder, TokenizedTossup, places, terms_of, tokenize

Floats = npt.NDArray[np.float32]
Arrays = Mapping[str, np.ndarray[Any, Any]]
"""A network's weights by name, as index_builder wrote them; halves on disk, floats once used."""

STEP = 25
"""A network that reads both ways plays at every so many characters: the published grid (QANTA)."""

DROPPED = 5
"""How many words faithfulness leaves out."""
DRAWS = 5
"""How many times faithfulness draws words at random."""

AT_ONCE = 64
"""At most so many tossups are read in one batch, which takes memory when they are long."""

POINTER = np.uint64(2)
"""Stands for "this" among the stems an RNN reads; no stem's hash is even."""


@dataclass(frozen=True)
class NetworkTrace:
    """What a network makes of a tossup. The moments are the words after which it says something new.

    Shapes:
        ``moments``: ``[m]``, words heard, rising. ``vectors``: ``[m, hidden]``. ``logs``: ``[m]``, the
        logarithm of what the softmax divides by. ``pages`` and ``scores``: ``[m, WIDE]``, classes and their
        log-probabilities, best first. ``ranks``: of the true answer, 0 if it is no class.
    """

    moments: npt.NDArray[np.int64]
    vectors: Floats
    logs: Floats
    pages: npt.NDArray[np.int64]
    scores: Floats
    ranks: npt.NDArray[np.int64]
    named: dict[int, int]  # class: words heard when its title is complete

    def moment_after(self, words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Which moment was the last when so many words had been heard; -1 before the first."""
        return np.searchsorted(self.moments, words, side="right") - 1


def grid(tossup: Tossup, extra: Sequence[int] = ()) -> list[int]:
    """Words heard at every :data:`STEP` characters, at every sentence end, at ``extra``, and at the end."""
    ends = [span.end for span in tossup.words]
    last = ends[-1] if ends else 0
    found = np.searchsorted(ends, np.arange(STEP, last, STEP), side="left") + 1
    sentences = np.searchsorted(ends, [span.end for span in tossup.sentences], side="left") + 1
    return sorted({min(int(word), len(ends)) for word in (*found, *sentences, *extra, len(ends))})


class Network(ABC):
    """What both networks share: the softmax over their classes, games, and evidence.

    A class whose title is read aloud loses as much as with the retrieval player, for the same reason.
    """

    def __init__(self, name: str, arrays: Arrays, pages: Pages, titles: TitleFinder) -> None:
        """The network of these weights; ``pages`` and ``titles`` are those of its bundle.

        Shapes:
            ``classes``: ``[c]``, rows of pages, rising. ``outputs``: ``[c, hidden]``. ``biases``: ``[c]``.
        """
        self._name = name
        self._arrays = arrays
        self._pages = pages
        self._titles = titles
        self.classes: npt.NDArray[np.int32] = arrays["classes"]
        self._heard = lru_cache(maxsize=4)(self._hear)
        # what was heard last, of which a draft with one more letter shares nearly everything
        self._before: tuple[TokenizedTossup, int, NetworkTrace] | None = None

    @property
    def name(self) -> str:
        """``dan``, ``rnn`` or ``birnn``."""
        return self._name

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses after every word of ``tossup``, or wherever the network says something new.

        Units:
            Scores are natural logarithms of probabilities over the classes.

        Raises:
            ValueError: ``top`` is not between 1 and :data:`WIDE`.
        """
        if not 1 <= top <= WIDE:
            raise ValueError(f"top must be between 1 and {WIDE}")
        hearing = self._heard(tossup)
        rows: list[Row] = []
        for pages, scores in zip(
            hearing.pages[:, :top].tolist(), hearing.scores[:, :top].tolist(), strict=True
        ):
            rows.append(
                tuple(Guess(self._page(page), score) for page, score in zip(pages, scores, strict=True))
            )
        ranks = [rank if 0 < rank <= RANK_DEPTH else None for rank in hearing.ranks.tolist()]
        heard = self._grid(tossup, hearing)
        at = hearing.moment_after(np.asarray(heard, np.int64)).tolist()
        return Playthrough(
            self._name,
            tossup,
            tuple(heard),
            tuple(() if moment < 0 else rows[moment] for moment in at),
            tuple(None if moment < 0 else ranks[moment] for moment in at),
            knows_answer=None if tossup.answer is None else self._number(tossup.answer.key) >= 0,
        )

    def knows(self, row: int) -> bool:
        """Whether the page in this row of the bundle is a class, as it was asked for in training."""
        return bool(places(np.asarray([row]), self.classes)[0] >= 0)

    def candidates(self, tossup: Tossup) -> npt.NDArray[np.int64]:
        """The first :data:`WIDE` guesses after every word, best first, as rows of pages; -1 before any.

        Shapes:
            ``[words, WIDE]``.
        """
        hearing = self._heard(tossup)
        found = np.full((len(hearing.moments) + 1, WIDE), -1, np.int64)
        found[:-1, : hearing.pages.shape[1]] = self.classes[hearing.pages]
        return found[hearing.moment_after(np.arange(1, len(tossup.words) + 1))]

    def scores(self, tossup: Tossup, rows: npt.NDArray[np.int64]) -> Floats:
        """The log-probabilities of ``rows``, pages of the bundle, after every word; nan where not a class.

        Shapes:
            Result: ``[words, rows]``; nan too before the network has heard anything.
        """
        hearing = self._heard(tossup)
        number = places(rows.astype(np.int64), self.classes)
        known = np.flatnonzero(number >= 0)
        logits = hearing.vectors @ self._outputs[:, number[known]] + self._biases[number[known]]
        for column, one in enumerate(number[known].tolist()):
            if one in hearing.named:
                logits[hearing.moments >= hearing.named[one], column] += np.float32(NAMED)
        found = np.full((len(hearing.moments) + 1, len(rows)), np.nan, np.float32)
        found[:-1, known] = logits - hearing.logs[:, None]
        return found[hearing.moment_after(np.arange(1, len(tossup.words) + 1))]

    def first(self, tossup: Tossup) -> int:
        """The row of the page it would name after all of ``tossup``; games are for more."""
        return int(self.classes[int(self._last_logits([tokenize(tossup)])[0].argmax())])

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """How each word of ``tossup`` moved the log-probability of ``page``.

        As an estimate the gradient by the word's vectors times these vectors; ``exact``, how far the
        log-probability falls when the tossup is read without the word.

        Source:
            Wallace et al., "Trick Me If You Can", TACL 2019, section 3.3: the gradient times the input, which
            is a first-order estimate of leaving the word out.
        """
        number = self._number(answer_key(page))
        if number < 0 or not len(self._heard(tossup).moments):
            return Evidence(self._name, page, method=Method.WITHOUT if exact else Method.GRADIENT)
        score = float(self.scores(tossup, self.classes[[number]].astype(np.int64))[-1, 0])
        if exact:
            reading = tokenize(tossup)
            shorter = [reading.without({word}) for word in range(len(tossup.words))]
            weights = (score - self.log_chances(shorter, number)).tolist()
        else:
            weights = self._gradient(tossup, number).tolist()
        cues = tuple(Cue(span, weight) for span, weight in zip(tossup.words, weights, strict=True) if weight)
        return Evidence(
            self._name,
            page,
            score,
            cues,
            method=Method.WITHOUT if exact else Method.GRADIENT,
            faithfulness=self._faithfulness(tossup, number, score, weights),
        )

    def log_chances(self, readings: Sequence[TokenizedTossup], number: int) -> npt.NDArray[np.float64]:
        """The log-probability of class ``number`` after all of each of ``readings``, heard in batches."""
        found = np.zeros(len(readings))
        for start in range(0, len(readings), AT_ONCE):
            logits = self._last_logits(readings[start : start + AT_ONCE])
            found[start : start + AT_ONCE] = logits[:, number] - _log_sums(logits)
        return found

    def _last_logits(self, readings: Sequence[TokenizedTossup]) -> Floats:
        logits = self._logits(self._last_vectors(readings))
        for reading, line in zip(readings, logits, strict=True):
            line[list(self._named(reading))] += np.float32(NAMED)
        return logits

    @abstractmethod
    def _moments(
        self, tossup: Tossup, reading: TokenizedTossup, extra: Sequence[int]
    ) -> tuple[list[int], Floats]:
        """Words heard when something new is said, ``extra`` ones too, and the hidden vectors then."""

    @abstractmethod
    def _last_vectors(self, readings: Sequence[TokenizedTossup]) -> Floats:
        """The hidden vector after all of each reading."""

    @abstractmethod
    def _gradient(self, tossup: Tossup, number: int) -> Floats:
        """For each word, the gradient of the log-probability of a class by its vectors, times these."""

    def _grid(self, tossup: Tossup, hearing: NetworkTrace) -> list[int]:
        """The words heard at which a playthrough has a row; the last word is among them."""
        return list(range(1, len(tossup.words) + 1))

    @cached_property
    def _outputs(self) -> Floats:
        """``[hidden, c]``: turned once, so that every product runs along memory."""
        return np.ascontiguousarray(self._arrays["outputs"].T.astype(np.float32))

    @cached_property
    def _biases(self) -> Floats:
        return self._arrays["biases"].astype(np.float32)

    def _page(self, number: int) -> Page:
        return self._pages.all[int(self.classes[number])]

    def _layer(self, features: Floats) -> Floats:
        """The rectified units, between what a network makes of the words and its classes."""
        return np.maximum(features @ self._arrays["hidden"] + self._arrays["hidden_bias"], np.float32(0))

    def _logits(self, vectors: Floats) -> Floats:
        return vectors @ self._outputs + self._biases

    def _named(self, reading: TokenizedTossup) -> dict[int, int]:
        """The classes whose titles are read aloud, and words heard by then."""
        named = self._titles.named(reading)
        numbers = places(np.fromiter(named, np.int64, len(named)), self.classes)
        words = (word + 1 for word in named.values())
        return {number: word for number, word in zip(numbers.tolist(), words, strict=True) if number >= 0}

    def _hear(self, tossup: Tossup) -> NetworkTrace:
        reading = tokenize(tossup)
        named = self._named(reading)
        moments, vectors = self._moments(tossup, reading, sorted(named.values()))
        at = np.asarray(moments, np.int64)
        answer = -1 if tossup.answer is None else self._number(tossup.answer.key)
        wide = min(WIDE, len(self.classes))
        logs = np.zeros(len(at), np.float32)
        pages, scores = np.zeros((len(at), wide), np.int64), np.zeros((len(at), wide), np.float32)
        ranks = np.zeros(len(at), np.int64)
        fresh = np.ones(len(at), np.bool_)
        before = self._before  # once, as players are heard in more than one thread
        if before is not None and before[1] == answer:
            known = places(at, before[2].moments)
            fresh = (known < 0) | (at > reading.alike(before[0]))
            then, taken = before[2], known[~fresh]
            vectors[~fresh], logs[~fresh], ranks[~fresh] = (
                then.vectors[taken],
                then.logs[taken],
                then.ranks[taken],
            )
            pages[~fresh], scores[~fresh] = then.pages[taken], then.scores[taken]
        logits = self._logits(vectors[fresh])
        for number, word in named.items():
            logits[at[fresh] >= word, number] += np.float32(NAMED)
        logs[fresh] = _log_sums(logits)
        pages[fresh], scores[fresh] = _best(logits, wide)
        scores[fresh] -= logs[fresh, None]
        if answer >= 0:
            ranks[fresh] = 1 + np.count_nonzero(logits > logits[:, answer, None], axis=1)
        hearing = NetworkTrace(at, vectors, logs, pages, scores, ranks, named)
        self._before = reading, answer, hearing
        return hearing

    def _number(self, key: str) -> int:
        """The class of the page with this key; -1 if there is none."""
        row = self._pages.rows.get(key)
        return -1 if row is None else int(places(np.asarray([row]), self.classes)[0])

    def _faithfulness(
        self, tossup: Tossup, number: int, score: float, weights: Sequence[float]
    ) -> Faithfulness | None:
        clues = [word for word, clue in enumerate(tossup.clues) if clue]
        if len(clues) <= 2 * DROPPED:
            return None
        heaviest = sorted(clues, key=lambda word: -weights[word])[:DROPPED]
        drawn = random.Random(len(tossup.text))
        others = [word for word in clues if word not in heaviest]
        left_out = [heaviest, *(drawn.sample(others, DROPPED) for _ in range(DRAWS))]
        reading = tokenize(tossup)
        logits = self._last_logits([reading.without(set(words)) for words in left_out])
        logits -= _log_sums(logits)[:, None]
        chances = np.exp(logits[:, number])
        best, scores = _best(logits, min(TOP, len(self.classes)))
        unread = []
        for pages, row, its_own in zip(
            best.tolist(), scores.tolist(), logits[:, number].tolist(), strict=True
        ):
            if number not in pages:
                pages.append(number)
                row.append(its_own)
            unread.append(tuple(zip(map(self._page, pages), row, strict=True)))
        return Faithfulness(
            whole=float(np.exp(score)),
            without_top=float(chances[0]),
            without_random=float(chances[1:].mean()),
            unread=tuple(unread),
        )

    def _by_vector(self, vector: Floats, reading: TokenizedTossup, number: int) -> Floats:
        """The gradient of a class's log-probability by the hidden vector after all of ``reading``."""
        logits = self._logits(vector[None])[0]
        logits[list(self._named(reading))] += np.float32(NAMED)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        gradient: Floats = self._outputs[:, number] - self._outputs @ chances
        return gradient


class Dan(Network):
    """A deep averaging network over the terms that the retrieval player hears, too.

    The vectors of words, pairs and kinds heard so far are averaged, each by its emphasis, its inverse
    document frequency; one layer of rectified units follows. All prefixes are one running sum and one
    product.

    Source:
        Iyyer et al., "Deep Unordered Composition Rivals Syntactic Methods for Text Classification", ACL 2015.
    """

    def __init__(self, arrays: Arrays, pages: Pages, titles: TitleFinder, name: str = "dan") -> None:
        """The network of ``arrays``.

        Shapes:
            ``terms``: ``[v]``, sorted hashes. ``vectors`` and ``scales``: as :func:`vectors_of` takes them.
            ``emphasis``: ``[v]``. ``hidden``: ``[width, hidden]``. ``hidden_bias``: ``[hidden]``.
            ``everywhere``: sorted hashes.
        """
        super().__init__(name, arrays, pages, titles)

    @property
    def width(self) -> int:
        """How long a word's vector is."""
        return int(self._arrays["vectors"].shape[1])

    def means(self, reading: TokenizedTossup) -> tuple[list[int], Floats]:
        """After every word that completes a known term: words heard, and the mean vector so far.

        Shapes:
            Means: ``[m, width]``.
        """
        numbers, _, last = self._terms(reading)
        if not len(numbers):
            return [], np.zeros((0, self.width), np.float32)
        emphasis = self._arrays["emphasis"][numbers].astype(np.float32)
        vectors = vectors_of(self._arrays, numbers)
        sums = np.cumsum(vectors * emphasis[:, None], axis=0)
        ends = np.flatnonzero(np.append(last[1:] != last[:-1], True))
        means = (sums[ends] / np.cumsum(emphasis)[ends, None]).astype(np.float32)
        return (last[ends] + 1).tolist(), means

    def _terms(
        self, reading: TokenizedTossup
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The known terms in the order they are complete: rows of vectors, first and last word."""
        terms = reading.terms(self._arrays["everywhere"])
        numbers = places(terms.hashes, self._arrays["terms"])
        order = np.argsort(terms.last, kind="stable")
        order = order[numbers[order] >= 0]
        return numbers[order], terms.first[order], terms.last[order]

    def _moments(
        self, tossup: Tossup, reading: TokenizedTossup, extra: Sequence[int]
    ) -> tuple[list[int], Floats]:
        moments, means = self.means(reading)
        if not moments:
            return [], self._layer(means)
        wanted = sorted({*moments, *(word for word in extra if word >= moments[0])})
        at = np.searchsorted(moments, wanted, side="right") - 1
        return wanted, self._layer(means)[at]

    def _last_vectors(self, readings: Sequence[TokenizedTossup]) -> Floats:
        found = [self.means(reading)[1] for reading in readings]
        return self._layer(
            np.stack([means[-1] if len(means) else np.zeros(self.width, np.float32) for means in found])
        )

    def _gradient(self, tossup: Tossup, number: int) -> Floats:
        reading = tokenize(tossup)
        numbers, first, last = self._terms(reading)
        emphasis = self._arrays["emphasis"][numbers].astype(np.float32)
        emphasis /= emphasis.sum()
        vectors = vectors_of(self._arrays, numbers)
        layer = self._layer((emphasis @ vectors)[None])[0]
        by_mean = self._arrays["hidden"] @ (self._by_vector(layer, reading, number) * (layer > 0))
        moved = emphasis * (vectors @ by_mean) / 2  # a pair is half of each of its words
        shares = np.zeros(len(tossup.words), np.float32)
        np.add.at(shares, first, moved)
        np.add.at(shares, last, moved)
        return shares


@dataclass(frozen=True)
class GateTrace:
    """What gated units went through.

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

    def then(self, later: GateTrace) -> GateTrace:
        """This and what followed."""
        return GateTrace(
            np.concatenate([self.states, later.states]),
            np.concatenate([self.gates, later.gates]),
            np.concatenate([self.recurrent, later.recurrent]),
            np.concatenate([self.candidates, later.candidates]),
        )


@dataclass(frozen=True)
class GatedUnits:
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
        """How many units there are."""
        return len(self.across)

    def run(self, inputs: Floats, start: Floats | None = None) -> GateTrace:
        """What the units go through hearing ``inputs``, from the state ``start`` or from nothing.

        Shapes:
            ``inputs``: ``[steps, batch, width]``. ``start``: ``[batch, size]``.
        """
        size, (steps, batch, _) = self.size, inputs.shape
        entering = inputs @ self.into + self.bias
        found = GateTrace(*(np.empty((steps, batch, wide * size), np.float32) for wide in (1, 2, 1, 1)))
        state = np.zeros((batch, size), np.float32) if start is None else start
        half = np.float32(0.5)
        for step in range(steps):
            across = state @ self.across + self.across_bias
            gate = np.tanh(half * (entering[step, :, : 2 * size] + across[:, : 2 * size])) * half + half
            recurrent = across[:, 2 * size :]
            candidate = np.tanh(entering[step, :, 2 * size :] + gate[:, :size] * recurrent)
            state = candidate + gate[:, size:] * (state - candidate)
            found.states[step], found.gates[step] = state, gate
            found.recurrent[step], found.candidates[step] = recurrent, candidate
        return found

    def back(self, trace: GateTrace, by_states: Floats) -> Floats:
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


@dataclass(frozen=True)
class WordSteps:
    """What an RNN reads: at each step a known word, and the known pair that it completes, if it does.

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

    def alike(self, other: WordSteps) -> int:
        """How many steps this and ``other`` begin with in common."""
        shorter = min(len(self), len(other))
        differ = self.numbers[:shorter] != other.numbers[:shorter]
        differ |= self.pairs[:shorter] != other.pairs[:shorter]
        return int(np.append(differ, True).argmax())


_NOTHING = WordSteps(*np.zeros((4, 0), np.int64))


class Rnn(Network):
    """A recurrent network over the words that can be clues, and "this".

    At each step it is told the word's vector and that of the pair which the word completes: rare pairs are
    what past questions are remembered by, and need not be learnt as sequences. For each direction the last
    state and the mean of all states go through one layer of rectified units. With one direction every word is
    a step of one pass. With two, the words are read backwards anew for every prefix; so it plays at the
    published grid, every :data:`STEP` characters and every sentence end, and word by word between two places
    that differ in their first guess.

    Source:
        Wallace et al., "Trick Me If You Can", TACL 2019: a bidirectional recurrent network with gated units.
    """

    def __init__(self, arrays: Arrays, pages: Pages, titles: TitleFinder, name: str = "rnn") -> None:
        """The network of ``arrays``.

        Shapes:
            ``terms``: ``[v]``, sorted hashes of words and pairs. ``vectors`` and ``scales``: as
            :func:`vectors_of` takes them. ``everywhere``: sorted hashes. ``into``, ``across``, ``bias`` and
            ``across_bias``: those of :class:`GatedUnits`, with a first axis for the directions, one or two.
            ``hidden``: ``[directions * 2 * size, hidden]``. ``hidden_bias``: ``[hidden]``.
        """
        super().__init__(name, arrays, pages, titles)
        names = ("into", "across", "bias", "across_bias")
        self._units = [
            GatedUnits(*(arrays[name][way].astype(np.float32) for name in names))
            for way in range(len(arrays["into"]))
        ]
        # what was read last forwards, which a draft with one more letter begins with
        self._read = _NOTHING, self._units[0].run(np.zeros((0, 1, self._width), np.float32))

    @property
    def _width(self) -> int:
        return len(self._units[0].into)

    def _steps(self, reading: TokenizedTossup) -> WordSteps:
        stems = np.where(reading.pointers, POINTER, reading.stems)
        numbers = places(stems, self._arrays["terms"])
        pairs, first = np.full((2, len(stems)), -1, np.int64)
        _, found, _ = terms_of(
            reading.stems, reading.pointers, np.zeros(len(stems), np.int8), self._arrays["everywhere"]
        )
        pairs[found.last] = places(found.hashes, self._arrays["terms"])
        first[found.last] = reading.words[found.first]
        known = numbers >= 0
        return WordSteps(numbers[known], reading.words[known], pairs[known], first[known])

    def _inputs(self, steps: WordSteps) -> Floats:
        inputs = vectors_of(self._arrays, steps.numbers)
        some = steps.pairs >= 0
        inputs[some] += vectors_of(self._arrays, steps.pairs[some])
        return inputs

    def _forwards(self, steps: WordSteps, inputs: Floats) -> GateTrace:
        """What the first direction's units go through; from where the words differ from the last ones'."""
        before, trace = self._read  # once, as players are heard in more than one thread
        alike = steps.alike(before)
        trace = trace[:alike]
        if alike < len(steps):
            trace = trace.then(self._units[0].run(inputs[alike:, None], trace.states[-1] if alike else None))
        self._read = steps, trace
        return trace

    def _moments(
        self, tossup: Tossup, reading: TokenizedTossup, extra: Sequence[int]
    ) -> tuple[list[int], Floats]:
        steps = self._steps(reading)
        if not len(steps):
            return [], self._layer(np.zeros((0, self._arrays["hidden"].shape[0]), np.float32))
        words, inputs = steps.words, self._inputs(steps)
        forward = _prefixes(self._forwards(steps, inputs).states[:, 0])
        counts = np.searchsorted(words, np.arange(len(tossup.words) + 1))  # inputs heard after so many words
        first = int(words[0]) + 1
        if len(self._units) == 1:
            ends = (words[np.flatnonzero(np.append(words[1:] != words[:-1], True))] + 1).tolist()
            moments = sorted({*ends, *(word for word in extra if word >= first)})
            return moments, self._layer(forward[counts[moments] - 1])
        moments = [word for word in grid(tossup, extra) if word >= first]
        vectors = self._both(inputs, forward, counts[moments])
        leaders = np.argmax(self._logits(vectors), axis=1)
        between = [
            word
            for one, other, same in zip(moments, moments[1:], leaders[1:] == leaders[:-1], strict=False)
            if not same
            for word in range(one + 1, other)
            if counts[word] != counts[word - 1]
        ]
        if between:
            more = self._both(inputs, forward, counts[between])
            order = np.argsort([*moments, *between], kind="stable")
            vectors = np.concatenate([vectors, more])[order]
            moments = sorted([*moments, *between])
        return moments, vectors

    def _grid(self, tossup: Tossup, hearing: NetworkTrace) -> list[int]:
        if len(self._units) == 1 or not len(hearing.moments):
            return super()._grid(tossup, hearing)
        moments: list[int] = hearing.moments.tolist()  # the last word is a place, so it is among them
        return moments

    def _both(self, inputs: Floats, forward: Floats, counts: npt.NDArray[np.int64]) -> Floats:
        """The hidden vectors after ``counts`` inputs, each prefix read backwards too."""
        turned = np.zeros((int(counts.max()), len(counts), inputs.shape[1]), np.float32)
        for column, count in enumerate(counts.tolist()):
            turned[:count, column] = inputs[:count][::-1]
        return self._layer(np.hstack([forward[counts - 1], _ends(self._units[1].run(turned).states, counts)]))

    def _last_vectors(self, readings: Sequence[TokenizedTossup]) -> Floats:
        sequences = [self._inputs(self._steps(reading)) for reading in readings]
        counts = np.asarray([max(1, len(sequence)) for sequence in sequences])
        features = []
        for way, units in enumerate(self._units):
            batch = np.zeros((int(counts.max()), len(sequences), self._width), np.float32)
            for column, sequence in enumerate(sequences):
                batch[: len(sequence), column] = sequence[::-1] if way else sequence
            features.append(_ends(units.run(batch).states, counts))
        return self._layer(np.hstack(features))

    def _gradient(self, tossup: Tossup, number: int) -> Floats:
        reading = tokenize(tossup)
        steps = self._steps(reading)
        inputs = self._inputs(steps)
        traces = [self._forwards(steps, inputs)]
        traces += [units.run(inputs[::-1, None]) for units in self._units[1:]]
        features = np.concatenate([_prefixes(trace.states[:, 0])[-1] for trace in traces])
        layer = self._layer(features[None])[0]
        by_features = self._arrays["hidden"] @ (self._by_vector(layer, reading, number) * (layer > 0))
        by_inputs = np.zeros_like(inputs)
        for way, (units, trace) in enumerate(zip(self._units, traces, strict=True)):
            by_last, by_mean = by_features[2 * way * units.size : 2 * (way + 1) * units.size].reshape(2, -1)
            by_states = np.tile(by_mean / len(inputs), (len(inputs), 1)).astype(np.float32)
            by_states[-1] += by_last
            by_inputs += units.back(trace, by_states)[:: -1 if way else 1]
        found = np.zeros(len(tossup.words), np.float32)
        of_words = vectors_of(self._arrays, steps.numbers)
        np.add.at(found, steps.words, (by_inputs * of_words).sum(axis=1))
        of_pairs = (by_inputs * (inputs - of_words)).sum(axis=1) / 2  # half is each of its words'
        np.add.at(found, steps.words, of_pairs)
        np.add.at(found, steps.first, np.where(steps.pairs >= 0, of_pairs, 0))
        return found


def vectors_of(arrays: Arrays, numbers: npt.NDArray[np.int64]) -> Floats:
    """The vectors in these rows of a network's table.

    Shapes:
        ``vectors``: ``[v, width]``, bytes. ``scales``: ``[v]``, what those of a row are times. Result:
        ``[numbers, width]``.
    """
    found: Floats = arrays["vectors"][numbers].astype(np.float32)
    found *= arrays["scales"][numbers, None]
    return found


def _prefixes(states: Floats) -> Floats:
    """For each prefix of one sequence its last state and the mean of all, side by side."""
    counts = np.arange(1, len(states) + 1, dtype=np.float32)[:, None]
    return np.hstack([states, np.cumsum(states, axis=0) / counts])


def _ends(states: Floats, counts: npt.NDArray[np.int64]) -> Floats:
    """For each column its state after as many steps as it has, and the mean of those, side by side."""
    columns = np.arange(states.shape[1])
    inside = np.arange(len(states))[:, None] < counts
    means = np.einsum("sbh,sb->bh", states, inside.astype(np.float32)) / counts[:, None].astype(np.float32)
    return np.hstack([states[counts - 1, columns], means])


def _log_sums(logits: Floats) -> Floats:
    """For each row the logarithm of the sum of exponentials."""
    highest = logits.max(axis=1, initial=-np.inf)
    found: Floats = highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))
    return found


def _best(logits: Floats, keep: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """For each row the ``keep`` largest, largest first, and where they stand; ties by place."""
    if not len(logits):
        return np.zeros((0, keep), np.int64), np.zeros((0, keep), np.float32)
    floor = np.partition(logits, -keep, axis=1)[:, -keep]
    rows, columns = np.nonzero(logits >= floor[:, None])
    order = np.lexsort((columns, -logits[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    within = np.arange(len(rows)) - np.searchsorted(rows, rows)  # a row with ties at its floor has more
    found = columns[within < keep].reshape(len(logits), keep)
    return found, np.take_along_axis(logits, found, axis=1)
