"""Pages for what people type of a name: words in any order, unfinished, with a slip, or another name.

A page is found by its own name and by its aliases. A name scores the sum of two logarithms: how often the
page is asked for under it, and how likely somebody who means it types just that. The losses and gains below
are parts of the second. They were set by trial on names of pages and on names in held-out answer lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter

from quizwriter.engine.bundle import Bundle, BundleWriter
from quizwriter.engine.name_table import Names
from quizwriter.engine.stored_arrays import Array, require
from quizwriter.engine.tokenizer import distinct
from quizwriter.system.memory import own_cache

MOST_WORDS, LONGEST_WORD = 8, 40
"""What is compared of what is typed: so many words, and so many letters of each."""

FOLDER = "names"
"""The folder of :class:`NameWords` in a bundle."""

MOST_INITIALS = 8
"""A page is found by so many initials at the most."""

MOST_TAILS = 100
"""So many words that differ from a typed one in the first letter are looked at."""

CLOSELY = 48
"""So many names are compared letter by letter with what is typed; those score best by their words."""

_HEAD, _TAIL, _MIDDLE, _ASIDE = range(4)
"""Where a word stands in a name: first, last, between, or in what only tells pages apart, as "(novel)"."""

_PLACE_LOSS = np.asarray([0.0, 0.1, 0.8, 2.0], np.float32)
_UNFINISHED_LOSS, _UNTYPED_WORD_LOSS = 1.5, 0.25
_SLIP_LOSS, _FIRST_LETTER_LOSS = 3.5, 1.0
_WRITTEN_LOSS, _INITIALS_LOSS, _SPACE_LOSS = 0.2, 1.5, 1.0
_ALIAS_LOSS = 1.4
_WHOLE_GAIN, _BEGINNING_GAIN, _LAST_WORD_GAIN = 3.2, 1.2, 1.6

_LAST = "\U0010ffff"
_MISSING = np.float32(-np.inf)
_GENERATIONS = frozenset({"jr", "sr", "ii", "iii"})
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii"
_COUNTED = "one two three four five six seven eight nine ten eleven twelve"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_WRITTEN = {
    **{str(number): (numeral,) for number, numeral in enumerate(_ROMAN.split(), 1)},
    **{str(at): pair for at, pair in enumerate(zip(_ROMAN.split(), _COUNTED.split(), strict=False), 1)},
    **{word: (str(at), _ROMAN.split()[at - 1]) for at, word in enumerate(_ORDINALS.split(), 1)},
    "100": ("hundred",), "1000": ("thousand",), "mt": ("mount",), "st": ("saint",), "ft": ("fort",),
}  # fmt: skip
"""How names may write a word that was typed."""

_Numbers = npt.NDArray[np.int32]
_Scores = npt.NDArray[np.float32]
_Item = TypeVar("_Item")


class CompletionHit(NamedTuple):
    """A page that was found by one of its names: the row number of the page, and the number of the alias.

    ``alias`` is None where it was found by its own name.
    """

    row: int
    alias: int | None


class NameWords(NamedTuple):
    """The words of the answer keys of all pages, and behind these of all aliases, in sorted arrays.

    Shapes:
        ``starts``: where the names with each word begin, and then how many there are, ``[words + 1]``.
        ``names``, the number of each of them, and ``places``, where in the name the word stands: ``[words in
        names]``. ``main``: how many words of each name are not in brackets or the like, ``[names]``.
        ``tails``: the numbers of the words, sorted by what follows the first letter, ``[words]``.
        ``initial_starts`` and ``initialled``: as ``starts`` and ``names``, for the initials of pages.
    """

    words: Names
    starts: _Numbers
    names: _Numbers
    places: npt.NDArray[np.int8]
    main: npt.NDArray[np.int16]
    tails: _Numbers
    initials: Names
    initial_starts: _Numbers
    initialled: _Numbers

    @classmethod
    def of(cls, keys: Sequence[str], aliases: Sequence[str], main: Sequence[int]) -> NameWords:
        """The words of the answer ``keys`` of pages, of which the first ``main`` ones are no addition.

        ``aliases`` are other answer keys. It takes half a second for a hundred thousand names.
        """
        parts = [key.split(" ") for names in (keys, aliases) for key in names]
        sizes = np.fromiter(map(len, parts), np.int32, len(parts))
        mains = sizes.copy()
        mains[: len(keys)] = main
        initials = _by_initials(parts[: len(keys)], main)
        found = [word[:LONGEST_WORD] for words in parts for word in words]
        del parts
        words = [word for group in _by_first_letter(set(found), str) for word in sorted(group)]
        number = {word: at for at, word in enumerate(words)}
        word_of = np.fromiter([number[word] for word in found], np.int32, len(found))
        del number
        order = np.argsort(word_of, kind="stable")
        name_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        tails = _by_first_letter([(word[1:], at) for at, word in enumerate(words)], itemgetter(0))
        sorted_tails = [at for group in tails for _, at in sorted(group)]
        return cls(
            words=Names.of(words),
            starts=np.searchsorted(word_of[order], np.arange(len(words) + 1)).astype(np.int32),
            names=name_of[order],
            places=_places(found, sizes.astype(np.int64), mains.astype(np.int64))[order],
            main=mains.astype(np.int16),
            tails=np.asarray(sorted_tails, np.int32),
            initials=Names.of(initials),
            initial_starts=np.cumsum([0, *map(len, initials.values())], dtype=np.int32),
            initialled=np.asarray([row for rows in initials.values() for row in rows], np.int32),
        )

    def write(self, writer: BundleWriter) -> None:
        for name, values in self._asdict().items():
            if isinstance(values, Names):
                writer.file(f"{FOLDER}/{name}.txt", values.raw)
            else:
                writer.array(f"{FOLDER}/{name}.npy", values)

    @classmethod
    def are_in(cls, bundle: Bundle) -> bool:
        """Whether ``bundle`` has the arrays; an older version made none."""
        return f"{FOLDER}/words.txt" in bundle.files

    @classmethod
    def read(cls, bundle: Bundle, pages: int, aliases: int) -> NameWords:
        """The arrays in ``bundle``, which has so many names."""

        def array(name: str) -> Array:
            return bundle.array(f"{FOLDER}/{name}.npy")

        found = cls(
            words=bundle.names(f"{FOLDER}/words.txt"),
            starts=array("starts"),
            names=array("names"),
            places=array("places"),
            main=array("main"),
            tails=array("tails"),
            initials=bundle.names(f"{FOLDER}/initials.txt"),
            initial_starts=array("initial_starts"),
            initialled=array("initialled"),
        )
        with bundle.refusing(f"the index in {FOLDER}"):
            found._check(pages, aliases)
        return found

    def _check(self, pages: int, aliases: int) -> None:
        require(len(self.main) == pages + aliases, "it does not fit the names")
        require(len(self.starts) == len(self.words) + 1 == len(self.tails) + 1, "it does not fit the words")
        require(self.starts[-1] == len(self.names) == len(self.places), "it does not fit the words")
        require(self.names.max(initial=-1) < pages + aliases, "a name is missing")
        require(self.tails.max(initial=-1) < len(self.words), "a word is missing")
        require(len(self.initial_starts) == len(self.initials) + 1, "it does not fit the initials")
        require(self.initial_starts[-1] == len(self.initialled), "it does not fit the initials")
        require(self.initialled.max(initial=-1) < pages, "a page is missing")

    def with_initials(self, initials: str) -> _Numbers:
        at = self.initials.place(initials)
        if at == len(self.initials) or self.initials[at] != initials:
            return self.initialled[:0]
        return self.initialled[self.initial_starts[at] : self.initial_starts[at + 1]]


class CompletionIndex:
    """The names of all pages by their words."""

    def __init__(
        self,
        keys: Names,
        asked: Sequence[int],
        aliases: Names,
        alias_numbers: _Numbers,
        words: NameWords,
    ) -> None:
        """``keys`` are the answer keys of the pages, ``asked`` counts the questions that ask for each page.

        ``aliases`` are other answer keys. ``alias_numbers`` has first the row of the page of each, then the
        number of questions whose answer line has it. ``words`` are those of all these names.
        """
        self._pages = len(keys)
        self._page_keys, self._alias_keys = keys, aliases
        self._alias_rows = alias_numbers[:, 0]
        own = np.asarray(asked, np.float32)
        shares = alias_numbers[:, 1].astype(np.float32) + 0.02 * own[self._alias_rows] + 0.2
        # for each name the logarithm of how often its page is asked for under it
        priors = np.concatenate([np.log(own + 0.2), np.log(shares) - _ALIAS_LOSS])
        self._prior: _Scores = priors.astype(np.float32)
        self._index = words
        self._words = words.words
        self._main = words.main.astype(np.float32)
        lengths = np.clip(words.words.lengths(), 1, LONGEST_WORD).astype(np.float32)
        self._lengths = np.repeat(lengths, np.diff(words.starts))  # of the word of each entry
        self._scores_of = own_cache(self._word_scores, 8)  # all words but the last stay while one types
        self._between = lru_cache(maxsize=2)(words.words.between)  # of one letter, cut to three lengths
        self._beginnings = own_cache(self._cut_words, 24)

    def _key(self, name: int) -> str:
        return self._page_keys[name] if name < self._pages else self._alias_keys[name - self._pages]

    def _row(self, name: int) -> int:
        return name if name < self._pages else int(self._alias_rows[name - self._pages])

    def pages_with(self, word: str) -> _Numbers:
        """The rows of the pages whose answer keys have ``word``, rising."""
        at = self._words.place(word[:LONGEST_WORD])
        if not self._is_at(at, word[:LONGEST_WORD]):
            return self._index.names[:0]
        names = self._index.names[self._index.starts[at] : self._index.starts[at + 1]]
        rows = distinct(names[names < self._pages])
        if len(word) < LONGEST_WORD:
            return rows
        return np.asarray([row for row in rows.tolist() if word in self._key(row).split(" ")], np.int32)

    def with_initials(self, initials: str) -> _Numbers:
        return self._index.with_initials(initials)

    def find(self, wanted: str, limit: int, exact: int | None = None) -> list[CompletionHit]:
        """Up to ``limit`` pages for the answer key ``wanted``, the likeliest first.

        The page in the row ``exact`` is always among those that are compared.
        """
        words = [word[:LONGEST_WORD] for word in wanted.split(" ")[:MOST_WORDS]]
        scores = self._score(words)
        candidates = _best(scores, CLOSELY)
        if exact is not None and exact not in candidates:
            candidates.append(exact)
        closely = sorted((-self._closely(wanted, words, name, scores), name) for name in candidates)
        found: dict[int, CompletionHit] = {}
        own: set[str] = set()  # of pages whose names differ as answer lines do, the one asked for most
        for _, name in closely:
            row = self._row(name)
            key = self._page_keys[row]
            if name < self._pages and key in own and row not in found:
                continue
            own.add(key)
            found.setdefault(row, CompletionHit(row, name - self._pages if name >= self._pages else None))
        return list(found.values())[:limit]

    def _closely(self, wanted: str, words: list[str], name: int, scores: _Scores) -> float:
        key, score = self._key(name), float(scores[name])
        if key == wanted:
            return max(score, float(self._prior[name])) + _WHOLE_GAIN
        parts = key.split(" ")[: int(self._index.main[name])]
        if words[-1] == parts[-1]:
            score += _LAST_WORD_GAIN
        if key.startswith(wanted):
            score += _BEGINNING_GAIN
        return score

    def _score(self, words: list[str]) -> _Scores:
        """The score of each name; minus infinity where a word that was typed is missing in it."""
        best = np.full(len(self._prior), _MISSING)
        for number, (reading, loss) in enumerate(self._readings(words)):
            total: _Scores | None = None
            for word in dict.fromkeys(reading):
                found = self._scores_of(word, number == 0)
                if found is None:
                    total = None
                    break
                total = found if total is None else total + found
            if total is not None:
                left = self._main - np.float32(len(reading))
                np.maximum(left, 0, out=left)
                left *= np.float32(_UNTYPED_WORD_LOSS)
                np.subtract(total, left, out=left)
                left -= np.float32(loss)
                np.maximum(best, left, out=best)
        if len(words) == 1:
            some = self._index.with_initials(words[0])
            best[some] = np.maximum(best[some], -_INITIALS_LOSS)
        best += self._prior
        return best

    def _readings(self, words: list[str]) -> Iterator[tuple[list[str], float]]:
        """The words that may be meant by ``words``, and what each reading loses; the first are they."""
        yield words, 0.0
        if len(words) > 1:
            if any(1 < len(word) < 4 for word in words[:-1]):  # "ts eliot"
                apart = [one for word in words[:-1] for one in (word if len(word) < 4 else [word])]
                yield [*apart, words[-1]], _INITIALS_LOSS
            yield ["".join(words)[:LONGEST_WORD]], _SPACE_LOSS  # "mac beth"
        elif len(words[0]) > 4:  # "vangogh"
            for at in range(2, len(words[0]) - 1):
                if self._is_word(words[0][:at]):
                    yield [words[0][:at], words[0][at:]], _SPACE_LOSS + _SPACE_LOSS

    def _is_word(self, word: str) -> bool:
        return self._is_at(self._words.place(word), word)

    def _is_at(self, at: int, word: str) -> bool:
        return at < len(self._words) and self._words[at] == word

    def _word_scores(self, word: str, slips: bool) -> _Scores | None:
        """What ``word`` loses in each name that has it, perhaps with ``slips``; None if no name has it."""
        ranges = [(*self._starting_with(word), np.float32(0.0), len(word))]
        for written in _WRITTEN.get(word, ()):
            at = self._words.place(written)
            if self._is_at(at, written):
                ranges.append((at, at + 1, np.float32(_WRITTEN_LOSS), len(written)))
        edits = 0 if not slips or len(word) < 4 or word.isdigit() else 1 if len(word) < 7 else 2
        if edits:
            ranges += self._misspelt(word, edits)
        found, index = None, self._index
        for first, last, loss, length in ranges:
            start, end = index.starts[first], index.starts[last]
            if start >= end:
                continue
            if found is None:
                found = np.full(len(self._prior), _MISSING)
            unfinished = _UNFINISHED_LOSS * np.maximum(1 - length / self._lengths[start:end], 0)
            lost = _PLACE_LOSS[index.places[start:end]] + unfinished + loss
            np.maximum.at(found, index.names[start:end], -lost.astype(np.float32))
        return found

    def _starting_with(self, word: str) -> tuple[int, int]:
        first = self._words.place(word)
        if first == len(self._words) or not self._words[first].startswith(word):
            return first, first  # so it is for most slips that are tried
        return first, self._words.place(word + _LAST)

    def _misspelt(self, word: str, edits: int) -> Iterator[tuple[int, int, np.float32, int]]:
        """The words that begin as ``word`` does, but for one slip in the first letter or some behind it."""
        for length in (len(word), len(word) - 1, len(word) + 1):
            beginnings, starts = self._beginnings(word[0], length)
            for _, distance, at in extract_iter(
                word, beginnings, scorer=OSA.distance, score_cutoff=edits, processor=None
            ):
                if distance:
                    loss = np.float32(_SLIP_LOSS * float(distance))
                    yield starts[at], starts[at + 1], loss, len(beginnings[at])
        loss = np.float32(_SLIP_LOSS + _FIRST_LETTER_LOSS)
        for other in (word[1:], word[1] + word[0] + word[2:]):  # a letter too many, two letters swapped
            yield *self._starting_with(other), loss, len(other)
        if edits == 1:  # with two edits allowed, these were found above
            for other in _moved(word):
                yield *self._starting_with(other), loss, len(other)
        for tail in (word[1:], word):  # another letter, a letter too few
            tails, words = self._index.tails, self._words
            first = bisect_left(tails, tail, key=lambda number: words[number][1:])
            last = min(first + MOST_TAILS, len(tails))
            last = bisect_left(tails, tail + _LAST, first, last, key=lambda number: words[number][1:])
            for number in tails[first:last].tolist():
                yield number, number + 1, loss, len(tail) + 1

    def _cut_words(self, letter: str, length: int) -> tuple[list[str], list[int]]:
        """The beginnings of all words with this first letter, and the number of the first word of each."""
        first, last = self._starting_with(letter)
        cut = [word[:length] for word in self._between(first, last)]
        starts = dict(zip(reversed(cut), range(last - 1, first - 1, -1), strict=True))
        return [*reversed(starts)], [*reversed(starts.values()), last]


def _by_first_letter(items: Iterable[_Item], word_of: Callable[[_Item], str]) -> list[list[_Item]]:
    """``items`` in groups by the first letter of the word of each, in the order of the letters.

    To sort all at once takes a tenth of a second, in which no other thread gets its turn.
    """
    groups: dict[str, list[_Item]] = {}
    for item in items:
        groups.setdefault(word_of(item)[:1], []).append(item)
    return [groups[letter] for letter in sorted(groups)]


def _moved(word: str) -> Iterator[str]:
    """``word`` with one letter at another place, "gandhi" for "ghandi"; not only swapped with the next."""
    for at, letter in enumerate(word):
        rest = word[:at] + word[at + 1 :]
        for place in range(len(word)):
            if abs(place - at) > 1:
                yield rest[:place] + letter + rest[place:]


def _by_initials(keys: Sequence[list[str]], main: Sequence[int]) -> dict[str, list[int]]:
    """The rows of the pages whose names have these initials, three or more; the initials are sorted."""
    found: dict[str, list[int]] = {}
    for row, (words, count) in enumerate(zip(keys, main, strict=True)):
        some = words[: min(count, MOST_INITIALS)]
        if len(some) > 2:
            found.setdefault("".join([word[:1] for word in some]), []).append(row)
    return dict(sorted(found.items()))


def _places(
    words: Sequence[str], sizes: npt.NDArray[np.int64], main: npt.NDArray[np.int64]
) -> npt.NDArray[np.int8]:
    """Where each of ``words``, those of one name after those of the other, stands in its name."""
    ends = np.cumsum(sizes)
    starts = ends - sizes
    at = np.arange(len(words)) - np.repeat(starts, sizes)
    tail = starts + main - 1
    generation = np.fromiter((words[one] in _GENERATIONS for one in tail), np.bool_, len(tail)) & (main > 2)
    tail -= generation
    places = np.where(at < np.repeat(main, sizes), _MIDDLE, _ASIDE).astype(np.int8)
    places[tail] = _TAIL
    places[starts] = _HEAD
    return places


def _best(scores: _Scores, count: int) -> list[int]:
    """The numbers of the ``count`` highest ``scores``, those of minus infinity left out."""
    some = np.flatnonzero(scores > _MISSING)
    if len(some) > count:
        some = some[np.argpartition(-scores[some], count)[:count]]
    return [int(one) for one in some]
