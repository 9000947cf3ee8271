"""The tokens of many texts at once, as every index counts them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.engine.tokenizer import TOKEN, Hashes, distinct, token

Numbers = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Value = TypeVar("Value", bound=np.generic)

AT_ONCE = 1000
"""Texts that are read between two reports of progress."""

BLOCK = 1 << 18
"""Tokens that are counted at once; whoever counts all of a corpus at once needs gigabytes."""

PARTS = 8
"""Terms are sorted in so many parts, because each takes a fraction of the memory."""

_SIGNS = ',.“”"()-;:?'
"""The signs that touch words most often; none is part of a word."""

_BORDER_SIGN = "\0"
_BORDER = f" {_BORDER_SIGN} "
"""What stands between texts that are read at once; the sign is no part of a word."""


class CorpusVocabulary:
    """The distinct words of texts, numbered as they are met; each is folded, stemmed and hashed once.

    Texts are split at spaces, which is many times quicker than to look for words. Words are looked for only
    in what stands between two spaces, once in each distinct stretch.
    """

    def __init__(
        self, words: Iterable[str] = (), stems: Iterable[int] = (), pointers: Iterable[int] = ()
    ) -> None:
        """With the distinct ``words`` of another vocabulary, which has their ``stems`` and ``pointers``."""
        self.words = list(words)
        self._stems = array("Q", stems)
        self._pointers = bytearray(pointers)
        self._numbers = {word: number for number, word in enumerate(self.words)}
        self._stretches = _Stretches(self._number)

    def read(self, texts: Sequence[str]) -> tuple[Numbers, Places]:
        """The numbers of the words in ``texts``, one after the other, and how many words each text has."""
        joined = _BORDER.join(texts)
        if joined.count(_BORDER_SIGN) >= max(len(texts), 1):  # one of the texts has the sign itself
            joined = _BORDER.join(text.replace(_BORDER_SIGN, " ") for text in texts)
        for sign in _SIGNS:
            joined = joined.replace(sign, " ")
        return self._stretches.words_in(joined.split(), len(texts))

    def numbers_of(self, words: Iterable[str], stems: Iterable[int], pointers: Iterable[bool]) -> Numbers:
        """The numbers of ``words`` of another vocabulary, which has their ``stems`` and ``pointers``."""
        found = array("i")
        for word, stem, pointer in zip(words, stems, pointers, strict=True):
            number = self._numbers.setdefault(word, len(self.words))
            if number == len(self.words):
                self._add(word, stem, pointer)
            found.append(number)
        return np.asarray(found)

    @property
    def stems(self) -> Hashes:
        """The hash of the stem of each word; 0 for a stop word."""
        return np.array(self._stems, np.uint64)

    @property
    def pointers(self) -> npt.NDArray[np.bool_]:
        """For each word, whether it is "this" or "these"."""
        return np.array(self._pointers, np.bool_)

    def stems_of(self, words: Numbers) -> Hashes:
        """The hash of the stem of each of some words."""
        return np.asarray(self._stems, np.uint64)[words]

    def pointers_of(self, words: Numbers) -> npt.NDArray[np.bool_]:
        """Whether each of some words is "this" or "these"."""
        return np.asarray(self._pointers, np.bool_)[words]

    def _number(self, word: str) -> int:
        number = self._numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            found = token(word)
            self._add(word, found.hash, found.pointer)
        return number

    def _add(self, word: str, stem: int, pointer: bool) -> None:
        self.words.append(word)
        self._stems.append(stem)
        self._pointers.append(pointer)


class PackedVocabulary(msgspec.Struct):
    """A vocabulary as one process sends it to another one."""

    words: list[str]
    stems: bytes
    pointers: bytes

    @classmethod
    def of(cls, vocabulary: CorpusVocabulary, words: list[str] | None = None) -> PackedVocabulary:
        """``vocabulary``, ready to be sent; with other ``words`` than its own, if they are given."""
        return cls(
            vocabulary.words if words is None else words,
            vocabulary.stems.tobytes(),
            vocabulary.pointers.tobytes(),
        )

    def unpacked(self) -> CorpusVocabulary:
        """The vocabulary that was sent."""
        return CorpusVocabulary(self.words, array("Q", self.stems), self.pointers)


class _Stretches(dict[str, int]):
    """What stands between spaces: most often one word, whose number it has; else the number is below 0."""

    def __init__(self, number: Callable[[str], int]) -> None:
        super().__init__()
        self._number = number
        self._words, self._starts = array("i"), array("i", [0])  # of stretches of no word, or of several
        self._border = self[_BORDER_SIGN]

    def __missing__(self, stretch: str) -> int:
        words = [stretch] if stretch.isalnum() else TOKEN.findall(stretch)  # a quick look: most are words
        if len(words) == 1:
            number = self._number(words[0])
        else:
            number = -len(self._starts)
            self._words.extend(map(self._number, words))
            self._starts.append(len(self._words))
        self[stretch] = number
        return number

    def words_in(self, stretches: Sequence[str], texts: int) -> tuple[Numbers, Places]:
        """The numbers of the words in ``stretches`` of so many ``texts``, and how many each text has."""
        found = np.fromiter(map(self.__getitem__, stretches), np.int32, len(stretches))
        sizes = np.ones(len(found), np.int64)
        others = np.flatnonzero(found < 0)
        parts, sizes[others] = rows_of(np.asarray(self._words), np.asarray(self._starts), -found[others] - 1)
        words = np.repeat(found, sizes)
        words[words < 0] = parts
        borders = np.zeros(texts + 1, np.int64)
        borders[1:-1] = others[found[others] == self._border]
        borders[-1] = len(found)
        return words, np.diff(np.concatenate([[0], np.cumsum(sizes)])[borders])


def rows_of(
    values: npt.NDArray[Value], starts: npt.NDArray[Any], rows: npt.NDArray[Any]
) -> tuple[npt.NDArray[Value], npt.NDArray[Any]]:
    """What some ``rows`` of a ragged table hold, one after the other, and how much each row holds.

    Shapes:
        ``values`` has the rows one after the other, ``starts`` an entry for each row and one more.
    """
    sizes = starts[rows + 1] - starts[rows]
    ends = np.cumsum(sizes)
    at = np.repeat(starts[rows] - ends + sizes, sizes) + np.arange(ends[-1] if len(ends) else 0)
    return values[at], sizes


class TokenizedTexts(msgspec.Struct, frozen=True):
    """Every token of some texts, in order, as the number of a word in ``vocabulary``.

    Shapes:
        ``words`` has an entry for each token. ``starts`` says where the tokens of each text begin, and has
        one entry more. ``stems``, ``pointers`` and ``passages`` run parallel to ``words``.
    """

    vocabulary: CorpusVocabulary
    words: Numbers
    starts: Places

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def stems(self) -> Hashes:
        """The hash of the stem of each token; 0 for a stop word."""
        return self.vocabulary.stems_of(self.words)

    @property
    def pointers(self) -> npt.NDArray[np.bool_]:
        return self.vocabulary.pointers_of(self.words)

    @property
    def passages(self) -> Numbers:
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))

    def joined(self, firsts: Places) -> TokenizedTexts:
        """Longer texts: each goes from one of ``firsts`` to the next one."""
        return TokenizedTexts(self.vocabulary, self.words, self.starts[firsts])

    def between(self, start: int, stop: int) -> TokenizedTexts:
        """The texts from ``start`` to before ``stop``."""
        starts = self.starts[start : stop + 1]
        words = self.words[starts[0] : starts[-1]]
        return TokenizedTexts(self.vocabulary, words, starts - starts[0])

    def blocks(self, groups: npt.NDArray[Any] | None = None) -> Iterator[tuple[int, int]]:
        """The texts in blocks of about :data:`BLOCK` tokens: the first text of each, and the one behind it.

        With ``groups``, the rising number of the group of each text, texts of one group stay together.
        """
        if groups is None:
            borders = np.arange(len(self) + 1)
        else:
            borders = np.concatenate([[0], np.flatnonzero(np.diff(groups)) + 1, [len(self)]])
        ends = self.starts[borders]
        at, last = 0, len(borders) - 1
        while at < last and len(self):
            stop = max(at + 1, int(np.searchsorted(ends, ends[at] + BLOCK, "right")) - 1)
            yield int(borders[at]), int(borders[stop])
            at = stop


def tokenize_texts(
    texts: Iterable[str],
    progress: Callable[[int], None] = lambda done: None,
    vocabulary: CorpusVocabulary | None = None,
) -> TokenizedTexts:
    """Every token of ``texts``; ``progress`` is told how many texts are done.

    Words are numbered by ``vocabulary``, if it is given, which grows by the new ones.
    """
    vocabulary = CorpusVocabulary() if vocabulary is None else vocabulary
    words, sizes = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
    done, left = 0, iter(texts)
    while some := list(islice(left, AT_ONCE)):
        found, counts = vocabulary.read(some)
        words.append(found)
        sizes.append(counts)
        done += len(some)
        progress(done)
    return TokenizedTexts(vocabulary, np.concatenate(words), np.cumsum(np.concatenate(sizes)))


Postings = tuple[Hashes, Places, Numbers]


def postings_by_stem(*parts: tuple[TokenizedTexts, Numbers]) -> Postings:
    """The distinct stems in rising order, how many texts have each, and these texts, stem by stem.

    ``parts`` are tokens of one vocabulary with the number of the text that each of their texts is, or is a
    part of. Texts of the number -1 and stop words are left out.
    """
    hashes, stem_of = np.unique(parts[0][0].vocabulary.stems, return_inverse=True)
    count = max(int(numbers.max(initial=-1)) for _, numbers in parts) + 1
    borders = np.linspace(0, len(hashes) * count, PARTS + 1).astype(np.int64) // max(count, 1) * count
    borders[-1] = len(hashes) * count
    keys = [[np.zeros(0, np.int64)] for _ in range(PARTS)]
    for tokens, numbers in parts:
        for start, stop in tokens.blocks():
            block = tokens.between(start, stop)
            text, stem = numbers[start:stop][block.passages], stem_of[block.words]
            used = (text >= 0) & (hashes[stem] != 0)
            of_block = distinct(stem[used] * count + text[used])
            for some, one in zip(
                keys, np.split(of_block, np.searchsorted(of_block, borders[1:-1])), strict=True
            ):
                some.append(one.copy())  # a part alone, which goes when it is sorted
    found = []
    for some in keys:
        every = distinct(np.concatenate(some))
        some.clear()
        stem, text = np.divmod(every, max(count, 1))
        first = np.flatnonzero(np.diff(stem, prepend=-1))
        found.append((hashes[stem[first]], np.diff(first, append=len(stem)), text.astype(np.int32)))
    terms, sizes, texts = zip(*found, strict=True)
    return np.concatenate(terms), np.concatenate(sizes), np.concatenate(texts)


def rising_order(keys: npt.NDArray[np.integer[Any]]) -> Places:
    """Where each of ``keys``, none below 0, stands when they rise; equal ones stay in their order.

    Each is sorted as one number with its place behind it, many times quicker than places are by their keys.
    """
    bits = len(keys).bit_length()
    shift = max(int(keys.max(initial=0)).bit_length() + bits - 64, 0)
    packed = keys.astype(np.uint64) >> np.uint64(shift) << np.uint64(bits)
    packed += np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    order = (packed & np.uint64((1 << bits) - 1)).astype(np.int64)
    if shift:  # keys that differ in their last bits alone may stand the wrong way round
        rising = keys[order]
        if np.any(rising[1:] < rising[:-1]):
            return np.argsort(keys, kind="stable")
    return order
