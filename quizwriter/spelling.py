"""Tells words that are probably spelt wrong, and what was meant: hunspell with the words that questions use.

A name that nobody ever asked about looks like a slip to every dictionary. So a word counts as a slip only if
a well-known word is very near; what is near nothing is taken for a name or a term that is new.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

import hunspell
from anyascii import anyascii
from rapidfuzz.distance import OSA

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*+")
"""A word: letters, and apostrophes inside."""

SHORTEST = 3
"""Letters of the shortest word that is looked at."""

LONGEST = 40
"""Letters of the longest word that is looked at."""

SURELY_KNOWN = 60
"""Words of at least so many texts are no slips."""

SURELY_NAMED = 1_000
"""A word of so many texts may be what is meant by a capitalised word with another first letter."""

SURER = 8
"""How much less usual a word need be that may be meant where two letters are swapped."""

LEAST = 3
"""Texts that a name is in at the least to be meant by a word with two letters swapped."""

LARGE = 50_000
"""Words of a list that says which words are usual; that of the starter bundle does not."""

FAR_FROM = 7
"""Letters of the shortest word for which words are suggested that are two slips away."""

MOST_RUN_TOGETHER = 20
"""Texts in which two words may be run together that are no word all the same."""

MOST_SUGGESTIONS = 5
"""Suggestions for a word."""


class Speller:
    """Knows words by hunspell's American and British dictionaries, and by past questions and articles.

    A dictionary is read at its first use. Any one thread may ask at a time.
    """

    def __init__(self, counts: Mapping[str, int], british: Path | None = None) -> None:
        """``counts`` says in how many texts each word is, see :func:`known_words`; it may be empty.

        ``british`` is the folder of the British dictionary; without it, American words alone are known.
        """
        self._british_folder = british
        self._counts = counts
        self.doubts = lru_cache(maxsize=20_000)(self._doubts)
        self.suggestions = lru_cache(maxsize=2_000)(self._suggestions)

    @cached_property
    def _american(self) -> hunspell.HunspellWrap:
        return hunspell.Hunspell("en_US")

    @cached_property
    def _british(self) -> hunspell.HunspellWrap | None:
        """Read only where a word is in no other list."""
        folder = self._british_folder
        return None if folder is None else hunspell.Hunspell("en_GB", hunspell_data_dir=str(folder))

    def _doubts(self, word: str) -> bool:
        word = word.replace("’", "'").removesuffix("'s").rstrip("'")
        if not SHORTEST <= len(word) <= LONGEST or word.isupper() or self._knows(word):
            return False
        if "'" in word and all(map(self._knows, word.split("'"))):
            return False
        stem = word.removesuffix("s")
        if len(stem) > SHORTEST and self._knows(stem) and stem != word:
            return False
        return bool(self.suggestions(word))

    def _suggestions(self, word: str) -> tuple[str, ...]:
        word = word.replace("’", "'")
        folded = word.casefold()
        odd = word[1:] != word[1:].lower()  # a capital inside, as in names and formulas
        name = odd or word[:1].isupper()
        least = _least_of_name(len(word), odd=odd) if name else _least_of_word(len(word))
        swapped = max(min(least, LEAST), least // SURER)
        near = {
            one for one, sure in _near(folded) if self._is_usual(one, swapped if sure else least, name=name)
        }
        if name and not odd:  # of what begins otherwise, only well-known words are likelier than a new name
            near = {one for one in near if one[0] == folded[0] or self._count(one) >= SURELY_NAMED}
        found = sorted(near, key=lambda one: (-self._count(one), one))
        if not name:
            found += filter(None, [self._parts(folded)])
        if not found and not name and len(folded) >= FAR_FROM:
            found = self._far(folded)
        return tuple(one[:1].upper() + one[1:] if name else one for one in found[:MOST_SUGGESTIONS])

    def _far(self, word: str) -> list[str]:
        """The usual words that begin as ``word`` and are two slips away."""
        usual = self._usual_by_letter.get(word[0], ())
        return [one for one in usual if OSA.distance(one, word, score_cutoff=2) <= 2]

    @cached_property
    def _usual_by_letter(self) -> dict[str, list[str]]:
        """The words of at least ``SURELY_KNOWN`` texts by their first letters, the most frequent first."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        usual = [(count, word) for word, count in self._counts.items() if count >= SURELY_KNOWN]
        for _, word in sorted(usual, key=lambda one: (-one[0], one[1])):
            found[word[0]].append(word)
        return found

    def _parts(self, word: str) -> str:
        """``word`` as two usual words, if a space between them is missing; else empty."""
        for at in range(2, len(word) - 1):
            one, two = word[:at], word[at:]
            if self._count(one) >= 400 and self._count(two) >= 20:
                return f"{one} {two}"
        return ""

    def _count(self, word: str) -> int:
        """In how many texts the word of small letters is, with a capital or without."""
        return self._counts.get(word) or self._counts.get(word[:1].upper() + word[1:], 0)

    def _is_usual(self, word: str, least: int, *, name: bool) -> bool:
        """Whether ``word`` is in ``least`` texts or, unless a ``name`` is looked for, in the dictionary."""
        if self._count(word) >= least:
            return True
        shortest = 5 if len(self._counts) >= LARGE else 4  # short words of a dictionary are rare ones
        return not name and len(word) >= shortest and self._in_dictionary(word)

    def _knows(self, word: str) -> bool:
        folded = word.casefold()
        if len(word) < SHORTEST or folded in self._counts or self._in_dictionary(word):
            return True
        if word[:1].isupper() and self._count(folded):
            return True
        plain = anyascii(word)
        return plain != word and bool(self._count(plain.casefold()) or self._in_dictionary(plain))

    def _in_dictionary(self, word: str) -> bool:
        """Whether the American dictionary or the British one has ``word``."""
        try:
            if self._american.spell(word):
                return True
            return self._british is not None and bool(self._british.spell(word))
        except UnicodeEncodeError:
            return False


def _least_of_word(length: int) -> int:
    """In how many texts a word is at least that a word of small letters may be a slip for."""
    return {3: 20_000, 4: 3_000, 5: 100, 6: 10}.get(length, 2)


def _least_of_name(length: int, *, odd: bool) -> int:
    """In how many texts a word is at least that a capitalised word, or an ``odd`` one, may be a slip for."""
    return max(100 if odd else 0, {3: 40_000, 4: 10_000, 5: 2_000, 6: 300, 7: 70}.get(length, 6))


def _near(word: str) -> Iterator[tuple[str, bool]]:
    """The words one slip away: a letter of small ones too many, too few, another one, or two swapped.

    With each, whether two letters are swapped, which hardly makes a new name.
    """
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:], False
        if len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:], True
        for letter in string.ascii_lowercase:
            yield before + letter + after, False
            if after:
                yield before + letter + after[1:], False


def known_words(every: Mapping[str, int], small: Mapping[str, int]) -> dict[str, int]:
    """The words of published texts, without slips for other words, and in how many texts each is.

    ``every`` counts the texts that each casefolded word is in, ``small`` those that have it in small letters.
    Words are in small letters, but those that are only written with a capital have it. Published texts have
    slips, too: a word is left out if a word of far more texts is one slip away, or if it is two such words
    run together.
    """
    by_rest: defaultdict[str, list[str]] = defaultdict(list)
    for word, count in every.items():
        if count >= SURELY_KNOWN and len(word) >= SHORTEST:
            for rest in _with_one_less(word):
                by_rest[rest].append(word)
    counts = {}
    for word, count in every.items():
        in_small = small.get(word, 0)
        if _is_slip(word, count, every, by_rest) or (in_small and _is_run_together(word, count, every)):
            continue
        is_name = not in_small or _is_slip(word, in_small, every, by_rest)
        counts[word[:1].upper() + word[1:] if is_name else word] = count
    return counts


def _is_slip(word: str, count: int, counts: Mapping[str, int], by_rest: Mapping[str, list[str]]) -> bool:
    rests = _with_one_less(word)
    if by_rest.keys().isdisjoint(rests):  # a quick look: most words are near none
        return False
    least = count * {2: 1_500, 3: 1_500, 4: 150}.get(len(word), 60)
    return any(
        counts[other] >= least and other != word and OSA.distance(word, other, score_cutoff=1) <= 1
        for rest in rests
        for other in by_rest.get(rest, ())
    )


def _is_run_together(word: str, count: int, counts: Mapping[str, int]) -> bool:
    """Whether a seldom ``word`` is two far more usual ones without the space between: "ofthe"."""
    return count <= MOST_RUN_TOGETHER and any(
        counts.get(word[:at], 0) >= 2_000 and counts.get(word[at:], 0) >= max(200, 100 * count)
        for at in range(2, len(word) - 1)
    )


def _with_one_less(word: str) -> set[str]:
    """``word``, and what is left of it without one of its letters."""
    return {word[:at] + word[at + 1 :] for at in range(len(word) + 1)}
