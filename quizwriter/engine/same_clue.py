"""Whether two sentences tell the same clue: both have at least two content words, near each other in both.

One of these is a name or a rare word beyond those of the answer, which every question on it has. How likely
the clue is the same depends on what else both say there, and on whether both point to one answer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from quizwriter.engine.tokenizer import TOKEN, token

MOST_WORDS = 400
"""Words of a sentence that are looked at; nobody writes longer ones."""

NEAR = 16
"""So many words lie at most between two words that belong to one clue."""

_BESIDE = 3  # words before and behind a clue that are compared, too

# Shares of the weight of a word that one sentence has.
_RARE_WORD, _RARE_NAME, _CONTENT_WORD = 0.25, 0.2, 0.05

SAME_FROM = 0.78
"""The least chance of two sentences that are said to tell the same clue."""


class SentenceWords(msgspec.Struct, frozen=True):
    """The content words of a sentence by stem: where they are, counted in words, and how they are written.

    ``names`` have a capital or are numbers, not only as the first word; ``kinds`` follow "this".
    """

    places: Mapping[int, tuple[int, ...]]
    names: frozenset[int]
    kinds: frozenset[int]


def sentence_words(sentence: str) -> SentenceWords:
    places: dict[int, tuple[int, ...]] = {}
    names, kinds = set(), set()
    pointed = False
    for number, found in enumerate(TOKEN.finditer(sentence)):
        if number == MOST_WORDS:
            break
        one = token(found.group())
        if one.hash:
            places[one.hash] = (*places.get(one.hash, ()), number)
            if number and is_written_as_name(found.group()):
                names.add(one.hash)
            if pointed:
                kinds.add(one.hash)
        pointed = one.pointer
    return SentenceWords(places, frozenset(names), frozenset(kinds))


def is_written_as_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


class ClueFigures(NamedTuple):
    """What the chance of two sentences to tell the same clue comes from.

    ``on_answer``: their questions have one answer; ``names_answer``: at least one sentence names the other's
    answer. ``of_one`` and ``of_other`` are how much of the weight of the words around the clue, in each
    sentence, both have; ``shared`` is the logarithm of one more than the words that both have anywhere.
    """

    on_answer: float
    names_answer: float
    of_one: float
    of_other: float
    shared: float

    @property
    def chance(self) -> float:
        odds = sum(weight * figure for weight, figure in zip(WEIGHTS, self, strict=True))
        return 1 / (1 + math.exp(-BIAS - odds))


WEIGHTS, BIAS = ClueFigures(0.82, 1.96, 3.74, 1.01, 2.0), -6.23
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
) -> frozenset[int]:
    """The stems by which ``one``, of a draft, and ``other``, on its answer, tell the same clue; none if not.

    See :func:`shared_clue`.
    """
    found = shared_clue(one, other, weights, rarest, without, about)
    return found.stems if found is not None and found.figures.chance >= SAME_FROM else frozenset()


def shared_clue(
    one: SentenceWords,
    other: SentenceWords,
    weights: Mapping[int, float],
    rarest: float,
    without: Collection[int] = (),
    about: Collection[int] = (),
    *,
    on_answer: bool = True,
    names_answer: bool = True,
) -> SharedClue | None:
    """The clue that both may tell; None if they share too little.

    ``weights`` say how rare stems are, ``rarest`` is the weight of one that a single sentence has, and
    ``without`` are the stems of the answer. The clue has all stems of ``about``.
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
    for stem, weight in telling.items():
        if weight < rarest * (_RARE_NAME if stem in names else _RARE_WORD):
            continue
        here, there = one.places[stem], other.places[stem]
        near = {
            beside
            for beside in shared
            if _are_near(here, one.places[beside]) and _are_near(there, other.places[beside])
        }
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
    figures = ClueFigures(on_answer, names_answer, of_one, of_other, math.log1p(len(common)))
    return SharedClue(frozenset(telling), figures)


def _are_near(some: tuple[int, ...], others: tuple[int, ...]) -> bool:
    if len(some) == len(others) == 1:
        return -NEAR <= some[0] - others[0] <= NEAR
    return any(-NEAR <= place - beside <= NEAR for place in some for beside in others)


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
