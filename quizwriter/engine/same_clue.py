"""Whether two sentences tell the same clue: both have at least two content words, near each other in both.

One of these is a name or a rare word, and none belongs to the answer, whose words every question on it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from quizwriter.engine.tokenizer import TOKEN, token

MOST_WORDS = 400
"""Words of a sentence that are looked at; nobody writes longer ones."""

NEAR = 12
"""So many words lie at most between two words that belong to one clue."""

# Shares of the weight of a word that one sentence has. How they were chosen is in docs/researchers.md.
_RARE_WORD, _RARE_NAME, _CONTENT_WORD = 0.31, 0.235, 0.05
_TOGETHER = 0.56


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


def same_clue(
    one: SentenceWords,
    other: SentenceWords,
    weights: Mapping[int, float],
    rarest: float,
    without: Collection[int] = (),
    about: Collection[int] = (),
) -> frozenset[int]:
    """The stems by which both tell the same clue; none if they do not.

    ``weights`` say how rare stems are, ``rarest`` is the weight of one that a single sentence has, and
    ``without`` are the stems of the answer. The clue has all stems of ``about``.
    """
    kinds = one.kinds | other.kinds
    shared = {
        stem: weight
        for stem in one.places.keys() & other.places.keys()
        if (weight := weights.get(stem, 0.0)) >= _CONTENT_WORD * rarest
        and stem not in kinds
        and stem not in without
    }
    names = one.names | other.names
    for stem, weight in shared.items():
        if weight >= rarest * (_RARE_NAME if stem in names else _RARE_WORD):
            near = {
                beside
                for beside in shared
                if beside != stem and all(_are_near(words, stem, beside) for words in (one, other))
            }
            if (
                near
                and near.union({stem}).issuperset(about)
                and weight + sum(shared[beside] for beside in near) >= _TOGETHER * rarest
            ):
                return frozenset(shared)
    return frozenset()


def _are_near(words: SentenceWords, stem: int, beside: int) -> bool:
    return any(abs(first - last) <= NEAR for first in words.places[stem] for last in words.places[beside])


def tells_the_answer(own: Collection[int], past: SentenceWords, answer: Iterable[int]) -> bool:
    """Whether a past sentence on another answer names the draft's, whose stems are ``own``.

    ``answer`` are the stems of the past question's answer: one may also be part of the other, as *Mozart* is
    of *symphonies of Mozart*.
    """
    stems, asked = frozenset(own), frozenset(answer)
    return bool(stems) and (stems <= asked | past.places.keys() or (bool(asked) and asked <= stems))
