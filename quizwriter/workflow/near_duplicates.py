"""Finds tossups that say what another says, be it reworded here and there."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol

import msgspec

from quizwriter.domain.page import answer_key
from quizwriter.domain.tossup import Tossup

DUPLICATE_THRESHOLD = 0.35
"""Two tossups that share this much of their runs of words say the same.

The nearest neighbours of 1,500 published tossups on the same answers came to 0.31 at most; one with every
eighth word changed keeps 0.5.
"""


class OtherTossup(msgspec.Struct, frozen=True):
    """A tossup to compare with: what it is known by, what people call it, and its text."""

    key: str
    name: str
    text: str


_LONGEST_WORD = 100
"""Characters of a word that are looked at; no word of any packet has as many."""


def word_tokens(word: str) -> tuple[str, ...]:
    """What is left of ``word`` without case, accents, punctuation and possessive; "well-known" is two."""
    return _tokens_of(word[:_LONGEST_WORD])


@lru_cache(maxsize=100_000)
def _tokens_of(word: str) -> tuple[str, ...]:
    key = answer_key(_POSSESSIVE.sub("", word))
    return tuple(key.split()) if key[:1].isalnum() else ()


_POSSESSIVE = re.compile(r"['’]s?(?!\w)")


@lru_cache(maxsize=100_000)
def singular(token: str) -> str:
    """``token`` without the ending of a plural; good enough to compare by, not to print."""
    if len(token) > 4 and token.endswith("ies"):
        return token[:-3] + "y"
    if len(token) > 4 and token.endswith(("sses", "xes", "zes", "ches", "shes")):
        return token[:-2]
    if len(token) > 3 and token.endswith("s") and not token.endswith(("ss", "us", "is")):
        return token[:-1]
    return token


_RUN = 4  # words
_FEWEST = 12  # runs of a text that may be near another; shorter ones only repeat it or do not
_LONG = re.compile(r"\w{6,}")  # words that few other texts have
_ANY = re.compile(r"\w+")
_ALIKE = 0.25  # two that share less of their long words do not share a third of their runs

_UNITS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: number for number, word in enumerate(_UNITS.split(), start=1)} | {
    word: 10 * number for number, word in enumerate(_TENS.split(), start=2)
}


def _digits(tokens: Iterable[str]) -> Iterator[str]:
    """``tokens`` with numbers up to 99 as digits: "twenty", "one" is "21"."""
    tens = 0
    for token in tokens:
        number = _NUMBERS.get(token)
        if tens and number is not None and number < 10:
            yield str(tens + number)
            tens = 0
            continue
        if tens:
            yield str(tens)
        tens = number if number is not None and number >= 20 else 0
        if not tens:
            yield token if number is None else str(number)
    if tens:
        yield str(tens)


def compared_words(text: str) -> tuple[str, ...]:
    """The words of ``text`` as they are compared: without case, accents, punctuation, "for 10 points"."""
    tossup = Tossup(text)
    return tuple(
        _digits(
            token
            for span, clue in zip(tossup.words, tossup.clues, strict=True)
            if clue
            for token in word_tokens(span.of(text))
        )
    )


class _Runs(msgspec.Struct, frozen=True):
    """A text by its runs of words, as hashes that are the same on every machine."""

    words: int  # a hash of all of them
    runs: frozenset[int]

    def shares(self, other: _Runs) -> float:
        """How much of the shorter the other says too, from 0 to 1."""
        if self.words == other.words:
            return 1.0 if self.runs else 0.0
        fewer = min(len(self.runs), len(other.runs))
        return len(self.runs & other.runs) / fewer if fewer >= _FEWEST else 0.0


@lru_cache(maxsize=100)  # experiments meet the same past tossups again and again
def _runs_of(text: str) -> _Runs:
    words = compared_words(text)
    runs = (" ".join(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1)))
    return _Runs(_hash(" ".join(words)), frozenset(map(_hash, runs)) if words else frozenset())


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


class NearDuplicate(msgspec.Struct, frozen=True):
    """Another tossup that says much the same; ``share`` is how much, and 1 is every word of the shorter."""

    other: OtherTossup
    share: float


class RepeatFinder(Protocol):
    """Finds tossups that say what a text says."""

    def of(self, text: str, key: str = "") -> tuple[NearDuplicate, ...]:
        """Those that say what ``text`` says, but for the one known by ``key``; the nearest first."""


class DuplicateFinder:
    """Finds among tossups those that say what another says, be it reworded here and there.

    Compared are runs of four words; what moderators read to everybody is left out, numbers up to 99 are
    alike in words and digits.

    Those to compare with are found by the long words they share, so that a set of thousands is looked through
    in the time that it takes to split its texts into words.

    Source:
        Broder, "On the Resemblance and Containment of Documents" (1997): containment.
    """

    def __init__(self, others: Iterable[OtherTossup] = ()) -> None:
        self._others: list[OtherTossup] = []
        self._words: list[int] = []  # how many each is found by
        self._having: dict[str, list[int]] = {}
        self._runs: dict[int, _Runs] = {}
        for other in others:
            self.add(other)

    def add(self, other: OtherTossup) -> None:
        """Compare with ``other``, too; one without words is like no other."""
        words = _found_by(other.text)
        for word in words:
            self._having.setdefault(word, []).append(len(self._others))
        self._others.append(other)
        self._words.append(len(words))

    def of(self, text: str, key: str = "") -> tuple[NearDuplicate, ...]:
        return tuple(NearDuplicate(self._others[at], share) for at, share in self._near(text, key))

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The keys of those that say the same, directly or through others, two or more each.

        In the order they were added, groups by their first.
        """
        leaders = list(range(len(self._others)))

        def leader(at: int) -> int:
            while leaders[at] != at:
                leaders[at] = at = leaders[leaders[at]]
            return at

        for at, other in enumerate(self._others):
            for near, _ in self._near(other.text, other.key):
                one, two = sorted((leader(at), leader(near)))
                leaders[two] = one
        grouped: dict[int, list[str]] = {}
        for at, other in enumerate(self._others):
            grouped.setdefault(leader(at), []).append(other.key)
        return tuple(tuple(keys) for keys in grouped.values() if len(keys) > 1)

    def _near(self, text: str, key: str) -> list[tuple[int, float]]:
        words = _found_by(text)
        shared = Counter(at for word in words for at in self._having.get(word, ()))
        runs, found = None, []
        for at, count in shared.items():
            if count < _ALIKE * min(len(words), self._words[at]) or (key and self._others[at].key == key):
                continue
            runs = runs or _runs_of(text)
            if at not in self._runs:
                self._runs[at] = _runs_of(self._others[at].text)
            share = runs.shares(self._runs[at])
            if share >= DUPLICATE_THRESHOLD:
                found.append((at, share))
        return sorted(found, key=lambda one: (-one[1], one[0]))


def _found_by(text: str) -> set[str]:
    """The long words of ``text``; all, where it has hardly any."""
    lower = text.lower()
    words = set(_LONG.findall(lower))
    return words if len(words) > 2 else set(_ANY.findall(lower))
