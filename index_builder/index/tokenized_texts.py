"""The tokens of many texts at once, as every index counts them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.engine.tokenizer import TOKEN, Hashes, distinct, hashes_of_distinct

Numbers = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Value = TypeVar("Value", bound=np.generic)

AT_ONCE = 1000
"""Texts that are read between two reports of progress."""

BLOCK = 1 << 18
"""Tokens that are counted at once; whoever counts all of a corpus at once needs gigabytes."""

PARTS = 8
"""Terms are sorted in so many parts, because each takes a fraction of the memory."""

_IN_WORDS = bytes(byte > 127 or byte == ord("'") or chr(byte).isalnum() for byte in range(256))
"""For each byte of UTF-8, whether it may be a part of a word."""

_SHORT = 16
"""Bytes of the longest stretch that is compared as two numbers."""

_LOW_MASKS, _HIGH_MASKS = (
    np.asarray([(1 << 8 * min(max(size - first, 0), 8)) - 1 for size in range(_SHORT + 1)], np.uint64)
    for first in (0, 8)
)
"""For a stretch of so many bytes, which bits of its first and of its last eight bytes are its own."""

_MOST_SLOT_BITS = 19
"""Bits of the number of a slot in the largest table of stretches; larger ones leave the processor's cache."""


class CorpusVocabulary:
    """The distinct words of texts, numbered as they are met; each is folded, stemmed and hashed once.

    Texts are cut into stretches, which is many times quicker than to look for words. Words are looked for
    only inside a stretch, once in each distinct one.
    """

    def __init__(
        self, words: Iterable[str] = (), stems: Iterable[int] = (), pointers: Iterable[int] = ()
    ) -> None:
        """With the distinct ``words`` of another vocabulary, which has their ``stems`` and ``pointers``."""
        self._numbers = defaultdict[str, int](count().__next__)  # a new word gets the next number
        for word in words:
            self._numbers[word]
        self._stems = array("Q", stems)
        self._pointers = bytearray(pointers)
        self._stretches = _Stretches(self._numbers)

    def read(self, texts: Sequence[str]) -> tuple[Numbers, Places]:
        """The numbers of the words in ``texts``, one after the other, and how many words each text has."""
        found = self._stretches.words_in([text.encode(errors="replace") for text in texts])
        new = list(islice(reversed(self._numbers), len(self._numbers) - len(self._stems)))
        self._add(*hashes_of_distinct(new[::-1]))
        return found

    def numbers_of(self, words: Iterable[str], stems: Hashes, pointers: npt.NDArray[np.bool_]) -> Numbers:
        """The numbers of ``words`` of another vocabulary, which has their ``stems`` and ``pointers``."""
        known = len(self._numbers)
        found = np.fromiter(map(self._numbers.__getitem__, words), np.int32)
        new = found >= known
        self._add(stems[new], pointers[new])
        return found

    @property
    def words(self) -> list[str]:
        """The words by their numbers."""
        return list(self._numbers)

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

    def _add(self, stems: Hashes, pointers: npt.NDArray[np.bool_]) -> None:
        """Keep those of the words that are new."""
        self._stems.frombytes(stems.tobytes())
        self._pointers += pointers.tobytes()


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


class _Stretches(dict[bytes, int]):
    """What stands between spaces and signs: most often one word, whose number it has; else one below 0.

    Short stretches are also in a table, each in the slot that its bytes say, unless another one came first.
    Nearly all stretches of a text are found there, many thousands at once.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        """``numbers`` has the number of every word, and gives one to each that is new."""
        super().__init__()
        self._number = numbers.__getitem__
        self._words, self._starts = array("i"), array("i", [0])  # of stretches of no word, or of several
        self._slot_bits = 0
        self._slots: Hashes = np.zeros((2, 0), np.uint64)  # 0 where no stretch is
        self._found: Numbers = np.zeros(0, np.int32)

    def __missing__(self, raw: bytes) -> int:
        stretch = raw.decode()
        words = [stretch] if stretch.isalnum() else TOKEN.findall(stretch)  # a quick look: most are words
        if len(words) == 1:
            number = self._number(words[0])
        else:
            number = -len(self._starts)
            self._words.extend(map(self._number, words))
            self._starts.append(len(self._words))
        self[raw] = number
        return number

    def words_in(self, texts: Sequence[bytes]) -> tuple[Numbers, Places]:
        """The numbers of the words in ``texts``, one after the other, and how many words each text has."""
        raw = b" ".join([b"", *texts, bytes(_SHORT)])
        inside = np.frombuffer(raw.translate(_IN_WORDS), np.bool_)
        borders = np.flatnonzero(inside[1:] != inside[:-1]) + 1
        starts, ends = borders[::2], borders[1::2]
        found = self._numbers(raw, starts, ends)
        sizes = np.ones(len(found), np.int64)
        others = np.flatnonzero(found < 0)
        parts, sizes[others] = rows_of(np.asarray(self._words), np.asarray(self._starts), -found[others] - 1)
        words = np.repeat(found, sizes)
        words[words < 0] = parts
        first = np.searchsorted(starts, np.cumsum([1, *map(len, texts)]) + np.arange(len(texts) + 1))
        return words, np.diff(np.concatenate([[0], np.cumsum(sizes)])[first])

    def _numbers(self, raw: bytes, starts: Places, ends: Places) -> Numbers:
        """The number of each stretch of ``raw``, behind whose last one are :data:`_SHORT` bytes more."""
        if not self._slot_bits:  # a slot for each byte of the first texts, if they are few
            self._slot_bits = min(len(raw).bit_length(), _MOST_SLOT_BITS)
            self._slots = np.zeros((2, 1 << self._slot_bits), np.uint64)
            self._found = np.zeros(1 << self._slot_bits, np.int32)
        eight = np.ndarray(len(raw) - 7, "<u8", raw, strides=1)  # the number that the bytes at each place are
        sizes = ends - starts
        is_short = sizes <= _SHORT
        np.minimum(sizes, _SHORT, out=sizes)
        low = eight[starts] & _LOW_MASKS[sizes]
        high = eight[starts + 8] & _HIGH_MASKS[sizes]
        mixed = low * np.uint64(0x9E3779B97F4A7C15) ^ high * np.uint64(0xBF58476D1CE4E5B9)
        slot = (mixed >> np.uint64(64 - self._slot_bits)).astype(np.int64)
        in_slot = self._slots[0][slot]
        found: Numbers = self._found[slot]
        missed = np.flatnonzero(~(is_short & (in_slot == low) & (self._slots[1][slot] == high)))
        found[missed] = [
            self[raw[start:end]]
            for start, end in zip(starts[missed].tolist(), ends[missed].tolist(), strict=True)
        ]
        new = missed[is_short[missed] & (in_slot[missed] == 0)]
        new = new[np.unique(slot[new], return_index=True)[1]]  # one stretch a slot, and all of it
        self._slots[:, slot[new]] = low[new], high[new]
        self._found[slot[new]] = found[new]
        return found


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
