"""Names that are spelt or bent another way: *Kowaltschuk*, *Wolfs*, *Margret*; and nicknames beside a name.

A word is compared with each part of each name. Alone it counts where the last name is rare; else a first and
a last name must stand together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import msgspec
from rapidfuzz.distance import OSA

from quizwriter.challenge.nicknames import cut_names, nicknames_of
from quizwriter.system.english_words import is_listed
from quizwriter.system.memory import own_cache

IsRare = Callable[[str], bool]
"""Whether a last name, in plain small letters, is so rare that it says alone who is meant."""

_SHORTEST_RARE = 6  # letters of a rare last name
_SHORTEST_SLIP = 6  # letters of a word that may have a slip
_SHORTEST_SLIP_ALONE = 8
_SHORTEST_BENT = 3  # letters of a last name that may have an ending
_FEWEST_INITIALS, _MOST_INITIALS = 2, 4  # before a last name; one alone is looked for as a form
_MOST_BETWEEN = 3  # names between the first and the last name
_ENDING = re.compile(
    r"(?:e?s|'s|a|u|y|i|e|o|em|om|ovi|owi|in|ie|ek|ka|ego|emu|ym|ej|iej|ami|ow|ou|oi|oyu|oy|oj|nin)\Z"
)
"""Endings of cases in the languages that bend names."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LONGEST = 40  # letters of a word that is compared
_SPELLINGS = re.compile(
    r"(?P<ch>tsch|tch|tsh|cz|tj)|(?P<sh>shch|sch|sz)|(?P<h>kh)|(?P<d>dh)|(?P<f>ph)|(?P<z>zh)|(?P<u>ou)|(?P<v>[wv])"
    r"|(?P<ks>x)|(?P<i>[iyj]+)|(?P<k>c(?=[aoulr]|\Z))"
)
"""Letters that are written in several ways, by the usual one."""
_DOUBLED = re.compile(r"(.)\1+")


def is_unlisted(last: str) -> bool:
    return not is_listed(last)


@lru_cache(maxsize=100_000)
def spelling(word: str) -> str:
    """What the spellings of a name in plain small letters have in common."""
    return _DOUBLED.sub(r"\1", _SPELLINGS.sub(lambda found: found.lastgroup or "", word.replace("'", "")))


class _Parts(msgspec.Struct, frozen=True):
    """The parts of one person's name in plain small letters."""

    given: str
    called: frozenset[str]  # the first names
    rare: frozenset[str]  # of the last names


class _NamesByLetter:
    """Names with the numbers of their people, by first letter, as written and as :func:`spelling` has it."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, set[int]]] = {}

    def add(self, name: str, number: int) -> None:
        for letter in {name[0], spelling(name)[0]}:
            self._names.setdefault(letter, {}).setdefault(name, set()).add(number)

    def like(self, word: str) -> frozenset[int]:
        """Whose name ``word`` may be, spelt or bent another way, or with one slip."""
        found: set[int] = set()
        for letter in {word[0], spelling(word)[0]}:
            for name, people in self._names.get(letter, {}).items():
                if _same(word, name):
                    found |= people
        return frozenset(found)


class NearMatch(msgspec.Struct, frozen=True):
    """A name that was found: as the profile has it, the letters, the place, and whether one word said it."""

    given: str
    letters: str
    span: tuple[int, int]
    alone: bool


class _Word(msgspec.Struct, frozen=True):
    low: str
    span: tuple[int, int]
    capital: bool

    @property
    def is_initial(self) -> bool:
        return self.capital and len(self.low) == 1


class NearNames:
    """Looks for names whose words are near those of a profile."""

    def __init__(self, is_rare: IsRare) -> None:
        """``is_rare`` says which last names count alone."""
        self._is_rare = is_rare
        self._people: list[_Parts] = []
        self._firsts, self._lasts = _NamesByLetter(), _NamesByLetter()
        self._meant = own_cache(self._look_up, 100_000)

    def add(self, given: str, firsts: Iterable[str], lasts: Iterable[str]) -> None:
        """Look for the person of these first and last names, each in plain small letters.

        All people are added before the first search, which keeps what it finds.
        """
        called, family, number = frozenset(firsts), frozenset(lasts), len(self._people)
        rare = frozenset(last for last in family if len(last) >= _SHORTEST_RARE and self._is_rare(last))
        self._people.append(_Parts(given, called, rare))
        for name in called.union(*map(nicknames_of, called), *map(cut_names, called)):
            self._firsts.add(name, number)
        for name in family:
            self._lasts.add(name, number)

    def search(self, plain: str, *, remark: bool) -> Iterator[NearMatch]:
        """The names in a text of plain letters; in a remark they need no capitals."""
        lows = list(map(str.lower, _WORD.findall(plain)))
        if all(self._meant(low) is _NOBODY for low in set(lows)):
            return
        meant = list(map(self._meant, lows))
        found = _WORD.finditer(plain)
        words = [_Word(word[0].lower(), word.span(), word[0][0].isupper()) for word in found]
        for at, (word, (firsts, lasts, rare)) in enumerate(zip(words, meant, strict=True)):
            for number in rare:
                yield NearMatch(self._people[number].given, word.low, word.span, True)
            if lasts and (word.capital or remark):
                yield from self._with_initials(plain, words, at, lasts)
            if firsts and (word.capital or remark):
                yield from self._with_last(plain, words, meant, at, firsts, remark=remark)
            if lasts and at + 1 < len(words) and (word.capital or remark):
                after = words[at + 1]
                between = plain[word.span[1] : after.span[0]]
                if (after.capital or remark) and between in {" ", ", ", "-", "_"}:
                    for number in lasts & meant[at + 1][0]:
                        if word.low != after.low:
                            yield self._both(number, word, after)

    def _with_last(
        self,
        plain: str,
        words: list[_Word],
        meant: list[_Meant],
        at: int,
        firsts: frozenset[int],
        *,
        remark: bool,
    ) -> Iterator[NearMatch]:
        """The last names behind the first name that is the word number ``at``, with names between."""
        for other in range(at + 1, min(at + 2 + _MOST_BETWEEN, len(words))):
            gap = plain[words[other - 1].span[1] : words[other].span[0]]
            if gap not in {" ", "-", ". ", "."} or not (words[other].capital or remark):
                return
            for number in firsts & meant[other][1]:
                if other > at + 1 or words[at].low != words[other].low:
                    yield self._both(number, words[at], words[other])

    def _with_initials(
        self, plain: str, words: list[_Word], at: int, lasts: frozenset[int]
    ) -> Iterator[NearMatch]:
        """The people whose last name is the word number ``at`` behind two or more initials: *E. M. Rose*."""
        begin = at
        while (
            begin > max(0, at - _MOST_INITIALS)
            and words[begin - 1].is_initial
            and plain[words[begin - 1].span[1] : words[begin].span[0]] in {".", ". "}
        ):
            begin -= 1
        if at - begin < _FEWEST_INITIALS:
            return
        if (
            begin
            and words[begin - 1].capital
            and plain[words[begin - 1].span[1] : words[begin].span[0]] == " "
        ):
            return  # "Ulysses S. T. Grant" is no S. T. Grant
        span = (words[begin].span[0], words[at].span[1])
        for number in lasts:
            person = self._people[number]
            if any(first[:1] == words[begin].low for first in person.called):
                letters = "".join(word.low for word in words[begin : at + 1])
                yield NearMatch(person.given, letters, span, False)

    def _both(self, number: int, one: _Word, other: _Word) -> NearMatch:
        span = (one.span[0], other.span[1])
        return NearMatch(self._people[number].given, one.low + other.low, span, False)

    def _look_up(self, low: str) -> _Meant:
        """The people whose first, whose last, and whose rare last name a word may be."""
        if len(low) > _LONGEST:
            return _NOBODY
        word = low.removesuffix("'s").replace("'", "")
        firsts, lasts = self._firsts.like(word), self._lasts.like(word)
        rare = frozenset(
            number
            for number, person in enumerate(self._people)
            if any(_is_rare_name(word, name) for name in person.rare)
        )
        return (firsts, lasts, rare) if firsts or lasts or rare else _NOBODY


_Meant = tuple[frozenset[int], frozenset[int], frozenset[int]]
_NOBODY: _Meant = (frozenset(), frozenset(), frozenset())


def _same(word: str, name: str) -> bool:
    """Whether ``word`` is ``name``, spelt or bent another way, or with one slip."""
    if word == name:
        return True
    if len(name) < _SHORTEST_BENT or abs(len(word) - len(name)) > 4 or word[0] != name[0]:
        if len(name) < 4 or len(word) < 4 or word[:1] == name[:1]:
            return len(name) > 3 and len(word) > 3 and spelling(word) == spelling(name)
        same, said = spelling(name), spelling(word)
        return said == same or (said[:1] == same[:1] and _is_bent(said, same))
    if _is_bent(word, name) or (len(name) > 3 and spelling(word) == spelling(name)):
        return True
    pairs = ((word, name), (spelling(word), spelling(name)))
    return min(len(word), len(name)) >= _SHORTEST_SLIP and any(
        OSA.distance(one, other, score_cutoff=1) <= 1 for one, other in pairs
    )


def _is_bent(word: str, name: str) -> bool:
    """Whether ``word`` is ``name`` with the ending of a case; the vowel at its end may go for that."""
    if word.startswith(name) and _ENDING.fullmatch(word, len(name)):
        return True
    stem = name.rstrip("aeiouy") if len(name) > 4 else name
    return len(stem) > 3 and word.startswith(stem) and _ENDING.fullmatch(word, len(stem)) is not None


def _is_rare_name(word: str, name: str) -> bool:
    """Whether ``word`` has the rare last name ``name`` in it, spelt or bent another way, or with one slip."""
    if len(word) < len(name) - 2:
        return False
    if name in word:
        return True
    same = spelling(name)
    stem = same.rstrip("aeiou")
    said = spelling(word)
    if len(stem) >= _SHORTEST_RARE - 1 and said.startswith(stem) and len(said) - len(stem) <= 3:
        return True
    return (
        min(len(word), len(name)) >= _SHORTEST_SLIP_ALONE
        and OSA.distance(word, name, score_cutoff=1) <= 1
        and is_unlisted(word)
    )
