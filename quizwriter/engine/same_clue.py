"""Whether two sentences tell the same clue: both have at least two content words, near each other in both.

One of these is a name or a rare word beyond those of the answer, which every question on it has. How likely
the clue is the same depends on what else both say there, on whether both point to one answer, and on how many
past questions on it, the compared one among them, have the same words. Both names of a person are one part
of a clue, not two.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.engine.tokenizer import TOKEN, token

MOST_WORDS = 400
"""Words of a sentence that are looked at; nobody writes longer ones."""

NEAR = 16
"""So many words lie at most between two words that belong to one clue."""

_BESIDE = 3  # words before and behind a clue that are compared, too

# Shares of the weight of a word that one sentence has.
_RARE_WORD, _RARE_NAME, _CONTENT_WORD = 0.25, 0.2, 0.05

_MOST = 0.7  # of the weight of a clue: a past question with so much of it has the clue

SAME_FROM = 0.85
"""The least chance of two sentences that are said to tell the same clue."""


class SentenceWords(msgspec.Struct, frozen=True):
    """The content words of a sentence by stem: where they are, counted in words, and how they are written.

    ``names`` have a capital or are numbers, not only as the first word; ``kinds`` follow "this". ``stems``
    has the content words in order, and ``written`` all words, in small letters.
    """

    places: Mapping[int, tuple[int, ...]]
    names: frozenset[int]
    kinds: frozenset[int]
    stems: tuple[int, ...]
    written: tuple[str, ...]


def sentence_words(sentence: str) -> SentenceWords:
    places: dict[int, tuple[int, ...]] = {}
    names, kinds = set(), set()
    stems: list[int] = []
    written: list[str] = []
    pointed = False
    for number, found in enumerate(TOKEN.finditer(sentence)):
        if number == MOST_WORDS:
            break
        one = token(found.group())
        written.append(found.group().lower())
        if one.hash:
            stems.append(one.hash)
            places[one.hash] = (*places.get(one.hash, ()), number)
            if number and is_written_as_name(found.group()):
                names.add(one.hash)
            if pointed:
                kinds.add(one.hash)
        pointed = one.pointer
    return SentenceWords(places, frozenset(names), frozenset(kinds), tuple(stems), tuple(written))


def is_written_as_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


class AnswerWords:
    """In which of the past questions on an answer a word is."""

    def __init__(self, questions: int, with_stem: Callable[[int], npt.NDArray[np.integer[Any]]]) -> None:
        """``with_stem`` has for a stem the questions with it, each once, counted from 0."""
        self._questions, self._with_stem = questions, with_stem
        self._found: dict[int, npt.NDArray[np.integer[Any]]] = {}

    def share(self, clue: Mapping[int, float]) -> float:
        """The share of the questions that have most of ``clue``, by the weight of its stems."""
        if not self._questions:
            return 0.0
        weighed = np.zeros(self._questions)
        for stem, weight in clue.items():
            if stem not in self._found:
                self._found[stem] = self._with_stem(stem)
            weighed[self._found[stem]] += weight
        return float(np.count_nonzero(weighed >= _MOST * sum(clue.values()))) / self._questions


class ClueFigures(NamedTuple):
    """What the chance of two sentences to tell the same clue comes from.

    ``on_answer``: their questions have one answer; ``names_answer``: at least one sentence names the other's
    answer. ``of_one`` and ``of_other`` are how much of the weight of the words around the clue, in each
    sentence, both have; ``shared`` is the logarithm of one more than the words that both have anywhere,
    ``parts`` that of one more than the weight of the parts of the clue, and ``in_a_row`` that of one more
    than the most words in a row that both have. ``asked`` is the share of the past questions on the draft's
    answer that have the clue's words; the compared one counts, so of a single question it is 1.
    """

    on_answer: float
    names_answer: float
    of_one: float
    of_other: float
    shared: float
    parts: float
    in_a_row: float
    asked: float

    @property
    def chance(self) -> float:
        odds = sum(weight * figure for weight, figure in zip(WEIGHTS, self, strict=True))
        return 1 / (1 + math.exp(-BIAS - odds))


WEIGHTS, BIAS = ClueFigures(0.77, 2.98, 2.31, 1.3, 1.62, 3.87, 1.77, 2.34), -10.75
"""A logistic regression on the working pairs in tests/data; tests/engine/test_stock_clue_truth.py fits it."""


class SharedClue(NamedTuple):
    """The clue that two sentences may have in common: the stems by which they do, and its figures."""

    stems: frozenset[int]
    figures: ClueFigures


def same_clue(
    one: SentenceWords,
    other: SentenceWords,
    weights: Mapping[int, float],
    rarest: float,
    without: Collection[int] = (),
    about: Collection[int] = (),
    asked: AnswerWords | None = None,
) -> frozenset[int]:
    """The stems by which ``one``, of a draft, and ``other``, on its answer, tell the same clue; none if not.

    See :func:`shared_clue`.
    """
    found = shared_clue(one, other, weights, rarest, without, about, asked)
    return found.stems if found is not None and found.figures.chance >= SAME_FROM else frozenset()


def shared_clue(
    one: SentenceWords,
    other: SentenceWords,
    weights: Mapping[int, float],
    rarest: float,
    without: Collection[int] = (),
    about: Collection[int] = (),
    asked: AnswerWords | None = None,
    *,
    on_answer: bool = True,
    names_answer: bool = True,
) -> SharedClue | None:
    """The clue that both may tell; None if they share too little.

    ``weights`` say how rare stems are, ``rarest`` is the weight of one that a single sentence has, and
    ``without`` are the stems of the answer, and ``asked`` the words of past questions on it. The clue has all
    stems of ``about``.
    """
    common = one.places.keys() & other.places.keys()
    shared = {stem: weight for stem in common if (weight := weights.get(stem, 0.0)) > 0}
    kinds, names = one.kinds | other.kinds, one.names | other.names
    telling = {
        stem: weight
        for stem, weight in shared.items()
        if weight >= _CONTENT_WORD * rarest and stem not in kinds and stem not in without
    }
    most, clue = 0.0, frozenset[int]()
    near_here, near_there = _Near(one, shared), _Near(other, shared)
    for stem, weight in telling.items():
        if weight < rarest * (_RARE_NAME if stem in names else _RARE_WORD):
            continue
        here, there = near_here.to(stem), near_there.to(stem)
        near = {beside for beside in shared if beside in here and beside in there}
        if len(near) < 2 or not near.issuperset(about):
            continue
        inside = near & telling.keys()
        if (heavy := sum(telling[beside] for beside in inside)) > most:
            most, clue = heavy, frozenset(inside)
        if len(inside) == len(telling):
            break  # no other is heavier
    if not clue:
        return None
    of_one, of_other = (
        most / max(most, _weight_around(words, clue, weights, without)) for words in (one, other)
    )
    figures = ClueFigures(
        on_answer,
        names_answer,
        of_one,
        of_other,
        shared=math.log1p(len(common)),
        parts=math.log1p(_weight_of_parts(one, other, telling) / rarest),
        in_a_row=math.log1p(_most_in_a_row(one, other, telling)),
        asked=asked.share(telling) if asked is not None else 0.0,
    )
    return SharedClue(frozenset(telling), figures)


def _weight_of_parts(one: SentenceWords, other: SentenceWords, telling: Mapping[int, float]) -> float:
    """What the parts of a clue weigh: words in a row in both are one part, as heavy as the rarest of them."""
    following = set(pairwise(other.stems))
    parts: list[list[int]] = []
    before = 0
    for stem in one.stems:
        if stem not in telling:
            before = 0
            continue
        if (before, stem) in following:
            parts[-1].append(stem)
        else:
            parts.append([stem])
        before = stem
    weight = 0.0
    counted: set[int] = set()
    for part in sorted(parts, key=len, reverse=True):
        if not counted.issuperset(part):
            counted.update(part)
            weight += max(telling[stem] for stem in part)
    return weight


def _most_in_a_row(one: SentenceWords, other: SentenceWords, telling: Collection[int]) -> int:
    """The most words, one of them of the clue, that both have in the same row and written alike."""
    letters = {word: chr(number) for number, word in enumerate({*one.written, *other.written})}
    some, others = _Rows(one, telling, letters), _Rows(other, telling, letters)
    least, more = 0, 1
    while some.has_common(others, more):
        least, more = more, 2 * more
    return bisect_left(range(more), True, least + 1, key=lambda words: not some.has_common(others, words)) - 1


class _Rows:
    """The rows of words of a sentence in which a word of the clue is.

    A row that both have has a shorter one that both have. So a few lengths are tried, each in the time that
    the words take; hostile texts have a word hundreds of times, and far more pairs of places with it.
    """

    def __init__(self, words: SentenceWords, telling: Iterable[int], letters: Mapping[str, str]) -> None:
        """``letters`` has one for each word: a row of letters is compared in one go."""
        self._written = "".join(map(letters.__getitem__, words.written))
        self._marks = sum(1 << place for stem in telling for place in words.places[stem])

    def has_common(self, other: _Rows, length: int) -> bool:
        """Whether both have a row of so many words, with a word of the clue at one place of it."""
        rows, others = self._of(length), other._of(length)
        return any(marks & others.get(row, 0) for row, marks in rows.items())

    def _of(self, length: int) -> Mapping[str, int]:
        """Each row with a bit for each place in it at which, anywhere, a word of the clue is."""
        found: dict[str, int] = {}
        inside = (1 << length) - 1
        for start in range(len(self._written) - length + 1):
            if marks := self._marks >> start & inside:
                row = self._written[start : start + length]
                found[row] = found.get(row, 0) | marks
        return found


class _Near:
    """Which of some stems are near another in a sentence."""

    def __init__(self, words: SentenceWords, stems: Iterable[int]) -> None:
        placed = sorted((place, stem) for stem in stems for place in words.places[stem])
        self._places, self._stems = [place for place, _ in placed], [stem for _, stem in placed]
        self._words = words

    def to(self, stem: int) -> set[int]:
        found = set[int]()
        for place in self._words.places[stem]:
            first, end = bisect_left(self._places, place - NEAR), bisect_right(self._places, place + NEAR)
            found.update(self._stems[first:end])
        return found


def _weight_around(
    words: SentenceWords, clue: Collection[int], weights: Mapping[int, float], without: Collection[int]
) -> float:
    """The weight of the words between those of ``clue`` and beside them."""
    places = [place for stem in clue for place in words.places[stem]]
    first, last = min(places) - _BESIDE, max(places) + _BESIDE
    around = (
        stem
        for stem, where in words.places.items()
        if where[0] <= last and where[-1] >= first and any(first <= place <= last for place in where)
    )
    return sum(weights.get(stem, 0.0) for stem in around if stem not in without)


def tells_the_answer(own: Collection[int], past: SentenceWords, answer: Iterable[int]) -> bool:
    """Whether a past sentence on another answer names the draft's, whose stems are ``own``.

    ``answer`` are the stems of the past question's answer: one may also be part of the other, as *Mozart* is
    of *symphonies of Mozart*.
    """
    stems, asked = frozenset(own), frozenset(answer)
    return bool(stems) and (stems <= asked | past.places.keys() or (bool(asked) and asked <= stems))
