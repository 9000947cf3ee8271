"""Tells words that are probably spelt wrong, and what was meant: hunspell with the words that questions use.

A name that nobody ever asked about looks like a slip to every dictionary. So a word counts as a slip only if
a word is near that is likelier here: by how many texts have it, by what slip it would be, and by whether it
stands beside these neighbours in other texts.
"""

from __future__ import annotations

import math
import re
import shutil
import string
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import NamedTuple, Protocol

import hunspell
from anyascii import anyascii
from rapidfuzz.distance import OSA

from quizwriter.system.english_words import is_listed
from quizwriter.system.memory import own_cache

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*+")
"""A word: letters, and apostrophes inside."""

SHORTEST = 3
"""Letters of the shortest word that is looked at."""

LONGEST = 40
"""Letters of the longest word that is looked at."""

RARE = 30
"""Words of more texts are never slips; rarer ones may be slips for a far more usual word."""

LEAST_FOR_RARE = 100
"""Texts that a word is in at the least that may be meant by a rare one."""

COMPARED = 6
"""So many words that may be meant are compared; those of most texts."""

SURELY_KNOWN = 60
"""Words of at least so many texts have slips of their own, which are left out of a list of words."""

SURELY_SMALL = 1_000
"""A word of so many texts is a slip if a capital stands inside: "tHis"."""

LARGE = 50_000
"""Words of a list that says which words are usual; that of the starter bundle does not."""

UNLISTED = 200
"""A word of the dictionary counts as one of so many texts where no large list says how usual it is."""

FAR_FROM = 7
"""Letters of the shortest word for which words are suggested that are two slips away."""

SURELY_APART = 10_000
"""One of two words that are run together is in so many texts, unless both stand side by side elsewhere."""

SURELY_PARTED = 60_000
"""The same where English texts have the word: "tothe" is two words all the same, "artform" is one."""

MOST_AT_ONCE = 15_000
"""Entries of a dictionary that are read in one go, which takes a hundredth of a second."""

MOST_SUGGESTIONS = 5
"""Suggestions for a word."""

_BASE = 0.15
_MORE_TEXTS, _MORE_TEXTS_OF_NAME = 1.52, 0.87  # for each tenfold number of texts
_RARE, _RARE_OF_DICTIONARY, _LISTED = -2.32, -7.0, -2.24
_CAPITAL_INSIDE, _POSSESSIVE = -1.32, -2.15
_FOREIGN = -1.33  # a word right beside it is in small letters and in no dictionary
_BY_SLIP = {"swapped": 1.71, "vowel": -0.76, "too few": 0.87}
_FIRST_LETTER, _FIRST_LETTER_OF_NAME = -1.01, -1.81
_BESIDE, _KIND, _SELF_BESIDE = 1.49, 2.09, -3.7
_EACH_OTHER, _MOST_OTHERS = -0.2, 8
"""What speaks for a slip, as log odds; above 0 a word counts as one.

They are a logistic regression on 6,000 planted slips in words of four letters or more and 2,500 words of
1,500 published tossups of the development fold, which no list of the bundle has or which are rare, in a
bundle of 80,000 pages; words with letters that a wrong encoding left were taken out before. The base is set
so that published tossups have fewer than .3 marks each that are no slips of theirs; a rare word that a
dictionary has needs more than the regression says, because to mark it wrongly is worse.
"""

_BEGINNINGS = frozenset(
    {"anti", "co", "de", "dis", "ex", "in", "inter", "non", "pre", "re", "semi", "sub", "un"}
)
"""What makes a new word of a word it stands before: "nonpositive" lacks no space."""


class Neighbours(Protocol):
    """Knows which words stand together in other texts."""

    def together(
        self, before: Sequence[str], words: Sequence[str], after: Sequence[str]
    ) -> Sequence[tuple[bool, bool]]:
        """For each of ``words``, whether it stands beside such neighbours, and is a kind of answer here.

        ``before`` and ``after`` are the words around the place, in the order of the text.
        """


class _Word(NamedTuple):
    """A word that may be meant: in small letters, in how many texts it is, and what slip it would be."""

    word: str
    texts: float
    slip: str


class Dictionaries:
    """Hunspell's American dictionary and the British one of a folder; each is read at its first use.

    Any thread may ask.
    """

    def __init__(self, british: Path | None = None, *, in_parts: bool = True) -> None:
        """Without the folder ``british``, American words alone are known.

        A dictionary that is read ``in_parts`` does not stop other threads, and takes twice as long to ask.
        """
        self._british_folder = british
        self._read = _read_in_parts if in_parts else _read_at_once
        self._turn = Lock()

    @cached_property
    def _american(self) -> hunspell.HunspellWrap:
        return self._read("en_US", Path(hunspell.__file__).parent / "dictionaries")

    @cached_property
    def _british(self) -> hunspell.HunspellWrap | None:
        """Read only where a word is in no other list."""
        folder = self._british_folder
        return None if folder is None else self._read("en_GB", folder)

    def read(self) -> None:
        """Read both now."""
        with self._turn:
            _ = self._american, self._british

    def __contains__(self, word: object) -> bool:
        """Whether one of them has ``word``."""
        if not isinstance(word, str):
            return False
        with self._turn:
            try:
                if self._american.spell(word):
                    return True
                return self._british is not None and bool(self._british.spell(word))
            except UnicodeEncodeError:
                return False


def _read_at_once(language: str, folder: Path) -> hunspell.HunspellWrap:
    return hunspell.Hunspell(language, hunspell_data_dir=str(folder))


def _read_in_parts(language: str, folder: Path) -> hunspell.HunspellWrap:
    """The dictionary of ``language`` in ``folder``: hunspell stops all threads while it reads a file."""
    _, *lines = (folder / f"{language}.dic").read_bytes().split(b"\n")
    borders = [0]
    while borders[-1] < len(lines):
        end = borders[-1] + MOST_AT_ONCE
        while end < len(lines) and _entry(lines[end]) == _entry(lines[end - 1]):
            end += 1  # hunspell looks for all entries of one word in one file
        borders.append(end)
    try:
        with TemporaryDirectory(prefix="quizwriter-") as made:
            shutil.copy(folder / f"{language}.aff", made)
            parts = [Path(made, f"{language}{number or ''}.dic") for number in range(len(borders) - 1)]
            for part, (first, last) in zip(parts, pairwise(borders), strict=True):
                part.write_bytes(b"\n".join([b"%d" % (last - first), *lines[first:last], b""]))
            found = hunspell.Hunspell(language, hunspell_data_dir=made)
            for part in parts[1:]:
                found.add_dic(str(part))
            return found
    except OSError:  # no room: to stand still for a moment is better than no dictionary
        return _read_at_once(language, folder)


def _entry(line: bytes) -> bytes:
    return line.partition(b"/")[0]


@cache
def dictionaries(british: Path | None = None) -> Dictionaries:
    """The dictionaries that all threads of this process share."""
    return Dictionaries(british)


class Speller:
    """Knows words by dictionaries, and by past questions and articles. Any one thread may ask at a time."""

    def __init__(
        self,
        counts: Mapping[str, int],
        british: Path | None = None,
        neighbours: Neighbours | None = None,
    ) -> None:
        """``counts`` says in how many texts each word is, and may be empty.

        ``british`` is the folder of the British dictionary; without it, American words alone are known.
        Without ``neighbours``, a word is looked at by itself.
        """
        self._dictionaries = dictionaries(british)
        self._counts = counts
        self._neighbours = neighbours
        self._cached_meant = own_cache(self._meant, 20_000)
        self._cached_parts = own_cache(self._parts, 5_000)
        self._near = own_cache(self._words_near, 5_000)

    def meant(
        self,
        word: str,
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
        *,
        begins: bool = False,
        again: bool = False,
    ) -> tuple[str, ...]:
        """What is probably meant by ``word``, the likeliest first.

        Empty if it is no slip, or if it is two words that :meth:`parts` tells.
        ``before`` and ``after`` are up to three words on each side. A word that ``begins`` a sentence has its
        capital from there. One that stands ``again`` elsewhere in the text is meant so if any list has it.
        """
        return self._cached_meant(word, before, after, begins, again)

    def _meant(
        self, word: str, before: tuple[str, ...], after: tuple[str, ...], begins: bool, again: bool
    ) -> tuple[str, ...]:
        written = unicodedata.normalize("NFC", word).replace("’", "'")
        word = written.removesuffix("'s").rstrip("'")
        folded = word.casefold()
        odd = word[1:] != word[1:].lower()  # a capital inside, as in names and formulas
        if not SHORTEST <= len(word) <= LONGEST or word.isupper() or not folded:
            return ()
        if odd and self._counts.get(folded, 0) >= SURELY_SMALL:
            return (_cased(folded, word),)
        texts, in_dictionary = self._count(folded), word in self._dictionaries
        if texts > RARE or self._is_unaccented(word):
            return ()
        if "'" in word and all(map(self._knows, word.split("'"))):
            return ()
        if self.parts(word):  # a space is missing, which :meth:`parts` tells
            return ()
        name = word[:1].isupper() and not begins
        rare = bool(texts) or in_dictionary
        known = is_listed(folded)
        if (again and rare) or (known and (again or (name and not odd) or not self._is_large)):
            return ()  # without a large list, whether a word is usual cannot tell a rare one from a slip
        listed = _RARE * bool(texts) + _LISTED * known
        near = self._near(folded, rare, odd or word[:1].isupper())
        odds = _CAPITAL_INSIDE * odd + (_RARE_OF_DICTIONARY if in_dictionary else listed)
        odds += _POSSESSIVE * (word != written)
        odds += _FOREIGN * any(map(self._is_foreign, (*before[-1:], *after[:1])))
        told = self._likely(word, near, before, after, odds, name=name)
        if not near and not rare and not word[:1].isupper() and not odd and len(folded) >= FAR_FROM:
            told = self._far(folded)
        return tuple(_cased(one, word) for one in told[:MOST_SUGGESTIONS])

    @cached_property
    def _is_large(self) -> bool:
        """Whether the list of words says which words are usual."""
        return len(self._counts) >= LARGE

    def _likely(
        self,
        word: str,
        near: Sequence[_Word],
        before: tuple[str, ...],
        after: tuple[str, ...],
        odds: float,
        *,
        name: bool,
    ) -> list[str]:
        """The words of ``near``, the likeliest first, if one of them is likelier meant than not.

        ``odds`` are the log odds by what ``word`` is in itself.
        """
        compared = near[:COMPARED]
        if not compared:
            return []
        beside: Sequence[tuple[bool, bool]] = [(False, False)] * (len(compared) + 1)
        if self._neighbours is not None:
            beside = self._neighbours.together(before, [word, *(one.word for one in compared)], after)
        odds += _BASE + _EACH_OTHER * min(len(near), _MOST_OTHERS) + _SELF_BESIDE * any(beside[0])
        scored = []
        for one, (pair, kind) in zip(compared, beside[1:], strict=True):
            more = math.log10(one.texts + 1) * (_MORE_TEXTS_OF_NAME if name else _MORE_TEXTS)
            more += _BY_SLIP.get(one.slip, 0)
            if one.word[0] != word[0].casefold():
                more += _FIRST_LETTER_OF_NAME if name else _FIRST_LETTER
            scored.append((odds + more + _BESIDE * pair + _KIND * kind, one.word))
        scored.sort(key=lambda one: (-one[0], one[1]))
        return [one for _, one in scored] if scored[0][0] > 0 else []

    def suggestions(self, word: str) -> tuple[str, ...]:
        """What may be meant by ``word``, wherever it stands, the words of most texts first."""
        plain = word.replace("’", "'").removesuffix("'s")
        found = [one.word for one in self._near(plain.casefold(), False, plain[:1].isupper())]
        return tuple(_cased(one, plain) for one in found[:MOST_SUGGESTIONS])

    def _words_near(self, folded: str, rare: bool, name: bool) -> tuple[_Word, ...]:
        """The words one slip away, those of most texts first; for a ``rare`` one usual words alone.

        Names are looked for in the list alone.
        """
        large = self._is_large
        shortest = 5 if large else 4  # short words of a dictionary are rare ones
        found: dict[str, _Word] = {}
        for one, slip in _slips(folded):
            if one in found or one == folded or _are_one_and_several(folded, one):
                continue
            texts = self._count(one)
            if texts and not (large or rare or name):  # a small list says little of how usual a word is
                texts = max(texts, UNLISTED)
            if texts >= (LEAST_FOR_RARE if rare else 1):
                found[one] = _Word(one, texts, slip)
            elif not rare and not name and len(one) >= shortest and one in self._dictionaries:
                found[one] = _Word(one, 0.5 if large else UNLISTED, slip)
        return tuple(sorted(found.values(), key=lambda one: (-one.texts, one.word)))

    def _far(self, word: str) -> list[str]:
        """The usual words that begin as ``word`` and are two slips away."""
        usual = self._usual_by_letter.get(word[0], ())
        near = [one for one in usual if OSA.distance(one, word, score_cutoff=2) <= 2]
        return [one for one in near if not _are_one_and_several(word, one)]

    @cached_property
    def _usual_by_letter(self) -> dict[str, list[str]]:
        """The words of at least ``SURELY_KNOWN`` texts by their first letters, the most frequent first."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        usual = [(count, word) for word, count in self._counts.items() if count >= SURELY_KNOWN]
        for _, word in sorted(usual, key=lambda one: (-one[0], one[1])):
            found[word[0]].append(word)
        return found

    def parts(self, word: str) -> str:
        """``word`` as two words, if a space between them is missing; else empty."""
        return self._cached_parts(word)

    def _parts(self, word: str) -> str:
        if not word.islower() or not word.isalpha() or len(word) > LONGEST or self._knows(word):
            return ""
        listed = is_listed(word)
        for at in range(2, len(word) - 1):
            one, two = word[:at], word[at:]
            texts = self._counts.get(one, 0), self._counts.get(two, 0)
            if texts[0] < 400 or texts[1] < 20 or (one in _BEGINNINGS and len(two) > _OF_NEW_WORD):
                continue
            if max(texts) >= (SURELY_PARTED if listed else SURELY_APART) or (
                not listed
                and self._neighbours is not None
                and self._neighbours.together((), [one], (two,))[0][0]
            ):
                return f"{one} {two}"
        return ""

    def untorn(self, first: str, second: str) -> str:
        """What "first- second" is meant to be: one word, or two with a hyphen; empty if neither is sure."""
        whole = first + second
        if second.islower() and whole in self._dictionaries:
            return whole
        named = first.isupper() or second[:1].isupper()
        if named or (first in self._dictionaries and second in self._dictionaries):
            return f"{first}-{second}"
        return whole if self._count(whole.casefold()) > RARE or is_listed(whole.casefold()) else ""

    def _count(self, word: str) -> int:
        """In how many texts the word of small letters is, with a capital or without."""
        return self._counts.get(word) or self._counts.get(word[:1].upper() + word[1:], 0)

    def _knows(self, word: str) -> bool:
        if len(word) < SHORTEST or self._count(word.casefold()) or word in self._dictionaries:
            return True
        return self._is_unaccented(word)

    def _is_unaccented(self, word: str) -> bool:
        """Whether ``word`` has letters beyond ASCII and is known without them."""
        plain = anyascii(word)
        return plain != word and bool(self._count(plain.casefold()) or plain in self._dictionaries)

    def _is_foreign(self, word: str) -> bool:
        return len(word) > 1 and word.islower() and word not in self._dictionaries


def _cased(meant: str, word: str) -> str:
    """``meant`` with the capital that ``word`` begins with."""
    return meant[:1].upper() + meant[1:] if word[:1].isupper() else meant


_VOWELS = frozenset("aeiouy")
_OF_NEW_WORD = 4  # letters of a word that a beginning makes a new word of: "inspiraling", but not "inthe"


def _are_one_and_several(word: str, other: str) -> bool:
    """Whether one of two words is the other with an "s" behind it: "bufotoxin" is no slip of "bufotoxins"."""
    one, several = sorted((word, other), key=len)
    return several == f"{one}s" and not one.endswith("s")


def _slips(word: str) -> Iterator[tuple[str, str]]:
    """The words one slip away from ``word``, of small letters, each with what the slip would be.

    In ``word`` stands a letter too many or too few, another one or another vowel, or two are swapped.
    """
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:], "swapped"
        if after:
            yield before + after[1:], "too many"
        for letter in string.ascii_lowercase:
            yield before + letter + after, "too few"
            if after:
                vowels = letter in _VOWELS and after[0] in _VOWELS
                yield before + letter + after[1:], "vowel" if vowels else "another"
