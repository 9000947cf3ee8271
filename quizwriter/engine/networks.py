"""What the neural players share: a vector of the words heard, and a softmax over pages.

:class:`quizwriter.engine.dan.Dan` averages the vectors of the terms heard; :class:`quizwriter.engine.rnn.Rnn`
reads the words in order with gated recurrent units. index_builder trains them. Here they only play, in NumPy,
which starts at once and needs no memory beyond the weights. A network knows the pages that past questions
asked for when it was trained: its classes.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Cue, Evidence, Faithfulness, Method, Reason
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Guess, Playthrough, Row
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.evidence import TITLE_POINTS
from quizwriter.engine.pages import Pages
from quizwriter.engine.reasons import RIVALS, IsFrame, cue_groups, find_reasons, no_frame
from quizwriter.engine.retrieval import CANDIDATES
from quizwriter.engine.stored_arrays import StoredWeights, match_shapes, require
from quizwriter.engine.tokenizer import TitleFinder, TokenizedTossup, places, tokenize
from quizwriter.system.memory import own_cache

Floats = npt.NDArray[np.float32]
Arrays = Mapping[str, np.ndarray[Any, Any]]
"""A network's weights by name, as index_builder wrote them; halves on disk, floats once used."""

POSITION_STEP = 25
"""A network that reads both ways plays at every so many characters: the published grid (QANTA)."""

DROPPED_WORDS = 5
"""How many words are left out to measure faithfulness."""
RANDOM_DRAWS = 5
"""How many times random words are left out to measure faithfulness."""

OUTPUT_SHAPES = {"classes": "c", "outputs": "c h", "biases": "c", "hidden_bias": "h"}
"""The axes of the arrays that every network has: classes and hidden units."""

TERM_SHAPES = {"terms": "v", "vectors": "v w", "scales": "v", "everywhere": "e"}
"""The axes of the table of terms: terms, the width of their vectors, and terms that are everywhere."""

_GROUP = 64
"""How many columns :func:`_near_top` deals into one group."""

BATCH_SIZE = 64
"""At most so many tossups are read in one batch, which takes memory when they are long."""


class NetworkTrace(msgspec.Struct, frozen=True):
    """A tossup as a network hears it. Positions are the numbers of words after which its guesses change.

    Shapes:
        ``positions``: ``[m]``, words heard, rising. ``vectors``: ``[m, hidden]``.
        ``log_normalizers``: ``[m]``, the logarithm of the softmax's divisor. ``pages`` and ``scores``:
        ``[m, CANDIDATES]``, classes and their log-probabilities, best first. ``ranks``: ``[m]``, those of the
        true answer, 0 where it is no class.
    """

    positions: npt.NDArray[np.int64]
    vectors: Floats
    log_normalizers: Floats
    pages: npt.NDArray[np.int64]
    scores: Floats
    ranks: npt.NDArray[np.int64]
    titles_read: dict[int, int]  # class: words heard when its title is complete

    def position_index(self, words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The index of the last position after so many words; -1 before the first."""
        return np.searchsorted(self.positions, words, side="right") - 1


def spaced_positions(tossup: Tossup, most: int) -> list[int]:
    """At most ``most`` of the positions of :func:`play_positions`, evenly from the last one back."""
    positions = play_positions(tossup)
    return positions[:: -math.ceil(len(positions) / most)][::-1]


def play_positions(tossup: Tossup, extra: Sequence[int] = ()) -> list[int]:
    """The numbers of words heard after which players that do not play word by word play.

    The words at every :data:`POSITION_STEP` characters, at every sentence end, at ``extra``, and the last;
    rising.
    """
    ends = [span.end for span in tossup.words]
    last = ends[-1] if ends else 0
    found = np.searchsorted(ends, np.arange(POSITION_STEP, last, POSITION_STEP), side="left") + 1
    sentences = np.searchsorted(ends, [span.end for span in tossup.sentences], side="left") + 1
    return sorted({min(int(word), len(ends)) for word in (*found, *sentences, *extra, len(ends))})


class Network(ABC):
    """What the networks share: the softmax over their classes, games, and evidence.

    A class whose title is read aloud loses :data:`TITLE_POINTS`, as with the retrieval player.
    """

    SHAPES: ClassVar[Mapping[str, str]]
    """The axes of each array, as :func:`quizwriter.engine.stored_arrays.match_shapes` takes them."""

    def __init__(
        self, arrays: Arrays, pages: Pages, titles: TitleFinder, name: str, is_frame: IsFrame = no_frame
    ) -> None:
        """The network of these weights; ``pages``, ``titles`` and ``is_frame`` are those of its bundle.

        Shapes:
            ``classes``: ``[c]``, rows of pages, rising. ``outputs``: ``[c, hidden]``. ``biases``: ``[c]``.
        """
        self._name = name
        self._arrays = arrays
        self._pages = pages
        self._titles = titles
        self._is_frame = is_frame
        self.classes: npt.NDArray[np.int32] = arrays["classes"]
        self._cached_trace = own_cache(self._trace, 4)
        # the last tossup: a draft with one more letter shares nearly all of it
        self._previous: tuple[TokenizedTossup, tuple[int, ...], NetworkTrace] | None = None

    @classmethod
    def check(cls, arrays: StoredWeights, pages: Pages) -> None:
        """Return if a network can play with ``arrays``; only the classes are read."""
        sizes = match_shapes(arrays.shapes, cls.SHAPES)
        require(min(sizes[letter] for letter in "chw") > 0, "an array is empty")
        require(arrays["classes"][-1] < len(pages), "a class is no page of the bundle")

    @property
    def name(self) -> str:
        return self._name

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses after every word of ``tossup``, or at the positions that the network plays at.

        Units:
            Scores are natural logarithms of probabilities over the classes.
        """
        if not 1 <= top <= CANDIDATES:
            raise ValueError(f"top must be between 1 and {CANDIDATES}")
        trace = self._cached_trace(tossup)
        rows: list[Row] = []
        for pages, scores in zip(trace.pages[:, :top].tolist(), trace.scores[:, :top].tolist(), strict=True):
            rows.append(
                tuple(Guess(self._page(page), score) for page, score in zip(pages, scores, strict=True))
            )
        ranks = [rank if 0 < rank <= RANK_DEPTH else None for rank in trace.ranks.tolist()]
        heard = self._row_positions(tossup, trace)
        at = trace.position_index(np.asarray(heard, np.int64)).tolist()
        return Playthrough(
            self._name,
            tossup,
            tuple(heard),
            tuple(() if position < 0 else rows[position] for position in at),
            tuple(None if position < 0 else ranks[position] for position in at),
            knows_answer=None if tossup.answer is None else bool(self._right(tossup)),
        )

    def knows(self, row: int) -> bool:
        """Whether the page in this row of the bundle is a class: past questions asked for it in training."""
        return bool(places(np.asarray([row]), self.classes)[0] >= 0)

    def candidates(self, tossup: Tossup) -> npt.NDArray[np.int64]:
        trace = self._cached_trace(tossup)
        found = np.full((len(trace.positions) + 1, CANDIDATES), -1, np.int64)
        found[:-1, : trace.pages.shape[1]] = self.classes[trace.pages]
        return found[trace.position_index(np.arange(1, len(tossup.words) + 1))]

    def scores(self, tossup: Tossup, rows: npt.NDArray[np.int64]) -> Floats:
        """The log-probabilities of ``rows``, pages of the bundle, after every word; nan where not a class.

        Shapes:
            Result: ``[words, rows]``; nan too before the network has heard anything.
        """
        trace = self._cached_trace(tossup)
        number = places(rows.astype(np.int64), self.classes)
        known = np.flatnonzero(number >= 0)
        logits = trace.vectors @ self._outputs[:, number[known]] + self._biases[number[known]]
        for column, one in enumerate(number[known].tolist()):
            if one in trace.titles_read:
                logits[trace.positions >= trace.titles_read[one], column] += np.float32(TITLE_POINTS)
        found = np.full((len(trace.positions) + 1, len(rows)), np.nan, np.float32)
        found[:-1, known] = logits - trace.log_normalizers[:, None]
        return found[trace.position_index(np.arange(1, len(tossup.words) + 1))]

    def best_row(self, tossup: Tossup) -> int:
        """The row of the best page after all of ``tossup``, without a whole game."""
        return int(self.classes[int(self._last_logits([tokenize(tossup)])[0].argmax())])

    def play_ends(self, tossups: Sequence[Tossup], top: int = TOP) -> Iterator[Playthrough]:
        """Games of ``tossups`` whose only row is the one after the last word, heard in batches."""
        right_of: dict[Answer | None, list[int]] = {}
        for start in range(0, len(tossups), BATCH_SIZE):
            some = tossups[start : start + BATCH_SIZE]
            logits = self._last_logits([tokenize(tossup) for tossup in some])
            pages, scores = _top(logits, min(top, len(self.classes)))
            scores -= _log_sum_exp(logits)[:, None]
            for number, tossup in enumerate(some):
                if tossup.answer not in right_of:
                    right_of[tossup.answer] = list(self._right(tossup))
                right, rank = right_of[tossup.answer], None
                if right:
                    ahead = 1 + np.count_nonzero(logits[number] > logits[number, right].max())
                    rank = int(ahead) if ahead <= RANK_DEPTH else None
                row = tuple(
                    Guess(self._page(page), score)
                    for page, score in zip(pages[number].tolist(), scores[number].tolist(), strict=True)
                )
                knows = None if tossup.answer is None else bool(right)
                heard = (max(1, len(tossup.words)),)
                yield Playthrough(self._name, tossup, heard, (row,), (rank,), knows_answer=knows)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """How each word of ``tossup`` moved the log-probability of ``page``.

        As an estimate the gradient by the word's vectors times these vectors; ``exact``, how far the
        log-probability falls when the tossup is read without the word, with the faithfulness.

        Source:
            Wallace et al., "Trick Me If You Can", TACL 2019, section 3.3: the gradient times the input, which
            is a first-order estimate of leaving the word out.
        """
        number = self._number(answer_key(page))
        if number < 0 or not len(self._cached_trace(tossup).positions):
            return Evidence(self._name, page, method=Method.WITHOUT if exact else Method.GRADIENT)
        score = float(self.scores(tossup, self.classes[[number]].astype(np.int64))[-1, 0])
        reading = tokenize(tossup)
        if exact:
            shorter = [reading.without({word}) for word in range(len(tossup.words))]
            weights = (score - self.log_chances(shorter, number)).tolist()
            logits = self._last_logits([reading])[0]
        else:
            gradient, logits = self._gradient(tossup, number)
            weights = gradient.tolist()
        cues = tuple(Cue(span, weight) for span, weight in zip(tossup.words, weights, strict=True) if weight)
        reasons, frame = self._reasons(tossup, number, logits)
        return Evidence(
            self._name,
            page,
            score,
            cues,
            method=Method.WITHOUT if exact else Method.GRADIENT,
            faithfulness=self._faithfulness(tossup, number, score, weights) if exact else None,
            reasons=reasons,
            frame=frame,
        )

    def _reasons(
        self, tossup: Tossup, number: int, logits: Floats
    ) -> tuple[tuple[Reason, ...], tuple[Span, ...]]:
        """The cues without which class ``number`` leads by the least, and the frame.

        Shapes:
            ``logits``: ``[c]``, those after all of ``tossup``.
        """
        reading = tokenize(tossup)
        best, _ = _top(logits[None], min(RIVALS + 1, len(self.classes)))
        columns = [number, *(one for one in best[0].tolist() if one != number)]
        titles_read = self._titles_read(reading)
        biases = self._biases[columns] + np.float32(TITLE_POINTS) * np.asarray(
            [one in titles_read for one in columns]
        )
        outputs = self._outputs[:, columns]

        def leads(without: Sequence[frozenset[int]]) -> list[float]:
            found: list[float] = []
            for start in range(0, len(without), BATCH_SIZE):
                some = [reading.without(words) for words in without[start : start + BATCH_SIZE]]
                left = self._last_vectors(some) @ outputs + biases
                rival = left[:, 1:].max(axis=1) if len(columns) > 1 else 0.0
                found += (left[:, 0] - rival).tolist()
            return found

        return find_reasons(tossup, cue_groups(tossup, self._is_frame), leads([frozenset()])[0], leads)

    def log_chances(self, readings: Sequence[TokenizedTossup], number: int) -> npt.NDArray[np.float64]:
        """The log-probability of class ``number`` after all of each of ``readings``, heard in batches."""
        found = np.zeros(len(readings))
        for start in range(0, len(readings), BATCH_SIZE):
            logits = self._last_logits(readings[start : start + BATCH_SIZE])
            found[start : start + BATCH_SIZE] = logits[:, number] - _log_sum_exp(logits)
        return found

    def _last_logits(self, readings: Sequence[TokenizedTossup]) -> Floats:
        logits = self._logits(self._last_vectors(readings))
        for reading, line in zip(readings, logits, strict=True):
            line[list(self._titles_read(reading))] += np.float32(TITLE_POINTS)
        return logits

    @abstractmethod
    def _positions(
        self, tossup: Tossup, reading: TokenizedTossup, extra: Sequence[int]
    ) -> tuple[list[int], Floats]:
        """The words heard at which guesses change, with those in ``extra``, and the hidden vectors then."""

    @abstractmethod
    def _last_vectors(self, readings: Sequence[TokenizedTossup]) -> Floats:
        """The hidden vector after all of each reading."""

    @abstractmethod
    def _gradient(self, tossup: Tossup, number: int) -> tuple[Floats, Floats]:
        """For each word, the gradient of the log-probability of a class by its vectors, times these.

        Beside it the logits after all words, which that took.
        """

    def _row_positions(self, tossup: Tossup, trace: NetworkTrace) -> list[int]:
        """The words heard at which a playthrough has a row; the last word is among them."""
        return list(range(1, len(tossup.words) + 1))

    @cached_property
    def _outputs(self) -> Floats:
        """``[hidden, c]``: transposed once, so that every product runs along memory."""
        return np.ascontiguousarray(self._arrays["outputs"].T.astype(np.float32))

    @cached_property
    def _biases(self) -> Floats:
        return self._arrays["biases"].astype(np.float32)

    def _page(self, number: int) -> Page:
        return self._pages.all[int(self.classes[number])]

    def _hidden_layer(self, features: Floats) -> Floats:
        """The layer of rectified units between the features of the words and the classes."""
        return np.maximum(features @ self._arrays["hidden"] + self._arrays["hidden_bias"], np.float32(0))

    def _logits(self, vectors: Floats) -> Floats:
        logits: Floats = vectors @ self._outputs
        logits += self._biases  # in place: fresh memory for a row of every class costs more than the sum
        return logits

    def _titles_read(self, reading: TokenizedTossup) -> dict[int, int]:
        """The classes whose titles are read aloud, and the words heard by then."""
        titles_read = self._titles.find(reading)
        numbers = places(np.fromiter(titles_read, np.int64, len(titles_read)), self.classes)
        words = (word + 1 for word in titles_read.values())
        return {number: word for number, word in zip(numbers.tolist(), words, strict=True) if number >= 0}

    def _trace(self, tossup: Tossup) -> NetworkTrace:
        reading = tokenize(tossup)
        titles_read = self._titles_read(reading)
        positions, vectors = self._positions(tossup, reading, sorted(titles_read.values()))
        at = np.asarray(positions, np.int64)
        right = self._right(tossup)
        wide = min(CANDIDATES, len(self.classes))
        log_normalizers = np.zeros(len(at), np.float32)
        pages, scores = np.zeros((len(at), wide), np.int64), np.zeros((len(at), wide), np.float32)
        ranks = np.zeros(len(at), np.int64)
        fresh = np.ones(len(at), np.bool_)
        before = self._previous  # once, as players are heard in more than one thread
        if before is not None and before[1] == right:
            known = places(at, before[2].positions)
            fresh = (known < 0) | (at > reading.shared_prefix(before[0]))
            then, taken = before[2], known[~fresh]
            vectors[~fresh], log_normalizers[~fresh], ranks[~fresh] = (
                then.vectors[taken],
                then.log_normalizers[taken],
                then.ranks[taken],
            )
            pages[~fresh], scores[~fresh] = then.pages[taken], then.scores[taken]
        logits = self._logits(vectors[fresh])
        for number, word in titles_read.items():
            logits[at[fresh] >= word, number] += np.float32(TITLE_POINTS)
        log_normalizers[fresh] = _log_sum_exp(logits)
        pages[fresh], scores[fresh] = _top(logits, wide)
        scores[fresh] -= log_normalizers[fresh, None]
        if right:
            ranks[fresh] = 1 + np.count_nonzero(logits > logits[:, right].max(axis=1, keepdims=True), axis=1)
        trace = NetworkTrace(at, vectors, log_normalizers, pages, scores, ranks, titles_read)
        self._previous = reading, right, trace
        return trace

    def _right(self, tossup: Tossup) -> tuple[int, ...]:
        rows = np.asarray(self._pages.right(tossup.answer), np.int64)
        return tuple(number for number in places(rows, self.classes).tolist() if number >= 0)

    def _number(self, key: str) -> int:
        row = self._pages.rows.get(key)
        return -1 if row is None else int(places(np.asarray([row]), self.classes)[0])

    def _faithfulness(
        self, tossup: Tossup, number: int, score: float, weights: Sequence[float]
    ) -> Faithfulness | None:
        clues = [word for word, clue in enumerate(tossup.clues) if clue]
        if len(clues) <= 2 * DROPPED_WORDS:
            return None
        heaviest = sorted(clues, key=lambda word: -weights[word])[:DROPPED_WORDS]
        drawn = random.Random(len(tossup.text))
        others = [word for word in clues if word not in heaviest]
        left_out = [heaviest, *(drawn.sample(others, DROPPED_WORDS) for _ in range(RANDOM_DRAWS))]
        reading = tokenize(tossup)
        logits = self._last_logits([reading.without(set(words)) for words in left_out])
        logits -= _log_sum_exp(logits)[:, None]
        chances = np.exp(logits[:, number])
        best, scores = _top(logits, min(TOP, len(self.classes)))
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

    def _output_gradient(
        self, vector: Floats, reading: TokenizedTossup, number: int
    ) -> tuple[Floats, Floats]:
        """The gradient of a class's log-probability by the hidden vector after all of ``reading``.

        Beside it the logits then.
        """
        logits = self._logits(vector[None])[0]
        logits[list(self._titles_read(reading))] += np.float32(TITLE_POINTS)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        return self._outputs[:, number] - self._outputs @ chances, logits


def vectors_of(arrays: Arrays, numbers: npt.NDArray[np.int64]) -> Floats:
    """The vectors in these rows of a network's table.

    Shapes:
        ``vectors``: ``[v, width]``, bytes. ``scales``: ``[v]``, what those of a row are times. Result:
        ``[numbers, width]``.
    """
    rows = (
        arrays.rows("vectors", numbers) if isinstance(arrays, StoredWeights) else arrays["vectors"][numbers]
    )
    found: Floats = rows.astype(np.float32)
    found *= arrays["scales"][numbers, None]
    return found


def _log_sum_exp(logits: Floats) -> Floats:
    highest = logits.max(axis=1, initial=-np.inf)
    below = logits - highest[:, None]
    np.exp(below, out=below)  # in place, as in Network._logits
    found: Floats = highest + np.log(below.sum(axis=1))
    return found


def _near_top(logits: Floats, keep: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the ``keep`` largest of each row stand, and others near them: the rows and the columns.

    The columns are dealt into groups. The ``keep`` groups with the largest maxima have at least ``keep``
    numbers that are not below the smallest of these maxima, so nothing below it can be among the largest. To
    find maxima takes an eighth of the time that a partition of all columns takes.
    """
    count = logits.shape[1]
    groups = count // _GROUP
    if groups < 2 * keep:
        rows, columns = np.nonzero(logits >= np.partition(logits, -keep, axis=1)[:, -keep, None])
        return rows.astype(np.int64, copy=False), columns.astype(np.int64, copy=False)
    dealt = logits[:, : groups * _GROUP].reshape(len(logits), _GROUP, groups)
    highest = dealt.max(axis=1)
    floor = np.partition(highest, -keep, axis=1)[:, -keep, None]
    row, group = np.nonzero(highest >= floor)
    inside, member = np.nonzero(dealt[row, :, group] >= floor[row])
    rest_row, rest = np.nonzero(logits[:, groups * _GROUP :] >= floor)
    return (
        np.concatenate([row[inside], rest_row]),
        np.concatenate([member * groups + group[inside], rest + groups * _GROUP]),
    )


def _top(logits: Floats, keep: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """For each row the ``keep`` largest, largest first, and where they stand; ties by place."""
    if not len(logits):
        return np.zeros((0, keep), np.int64), np.zeros((0, keep), np.float32)
    rows, columns = _near_top(logits, keep)
    order = np.lexsort((columns, -logits[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    within = np.arange(len(rows)) - np.searchsorted(rows, rows)  # a row with ties at its floor has more
    found = columns[within < keep].reshape(len(logits), keep)
    return found, np.take_along_axis(logits, found, axis=1)
