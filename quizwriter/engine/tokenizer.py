"""From running text to index terms; shared with index_builder, so that both always agree.

A term is a content word's stem, two content words in a row, or a stem that follows "this": what the
question calls its answer. Terms are known by 64-bit hashes, so that a vocabulary of millions is one sorted
array. Everything after the split into tokens is NumPy on whole arrays, for a draft as for a corpus.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import Stemmer
from anyascii import anyascii

from quizwriter.domain.tossup import Tossup

Hashes = npt.NDArray[np.uint64]
TokenNumbers = npt.NDArray[np.int32]  # of tokens: a corpus has millions

Number = TypeVar("Number", bound=np.generic)

TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# The most tokens from the first word of a pair to the second: "Theme by Haydn" has a pair.
_PAIR_DISTANCE = 3

_STOP_WORDS = """
    a about after all also although am an and another any are as at be became because been before being
    both but by can could did do does doing during each either for from had has have having he her here
    hers herself him himself his how however i if in into is it its itself just me more most my nor not of
    off on once one only or other our out over own she should so some such than that the their theirs them
    themselves then there these they this those through thus to too under until up upon very was we were
    what when where which while who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that say nothing about any answer. A bundle adds those that most of its tossups contain."""

_POINTERS = frozenset({"this", "these"})  # the next word names the kind of thing that the question asks for


class Token(msgspec.Struct, frozen=True):
    """A token: the hash of its stem, 0 for a stop word, and whether it is "this" or "these"."""

    hash: int
    pointer: bool


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 0)  # its own cache is slower than to stem a word once more


@lru_cache(maxsize=100_000)
def token(word: str) -> Token:
    """The token that ``word``, a match of :data:`TOKEN`, stands for.

    Folded to ASCII, lower case, without possessive; stemmed with Snowball's English stemmer.
    """
    folded = _folded(word)
    if folded in STOP_WORDS or not folded:
        return Token(0, folded in _POINTERS)
    return Token(_hash(_stemmer().stemWord(folded)), pointer=False)


def hashes_of_distinct(words: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.bool_]]:
    """The fields of the :func:`token` of each of ``words``, quicker for distinct ones: none is kept."""
    plain = "\n".join([*(word if word.isascii() else anyascii(word) for word in words), ""])
    folded = plain.lower().replace("'s\n", "\n").replace("'", "").split("\n")[:-1]  # all at once
    digests = b"".join(map(_digest, _stemmer().stemWords(folded)))
    hashes = np.where([not one or one in STOP_WORDS for one in folded], 0, np.frombuffer(digests, "<u8") | 1)
    return hashes.astype(np.uint64), np.asarray([one in _POINTERS for one in folded], np.bool_)


def _folded(word: str) -> str:
    return (word if word.isascii() else anyascii(word)).lower().removesuffix("'s").replace("'", "")


def _hash(stem: str) -> int:
    return int.from_bytes(_digest(stem), "little") | 1  # odd, so never 0


def _digest(stem: str) -> bytes:
    return hashlib.blake2b(stem.encode(), digest_size=8).digest()


SORTS = ("word", "pair", "kind")
"""What terms there are, in the order in which :func:`terms_of` gives them."""


class TermRun(msgspec.Struct, frozen=True):
    """The terms of a run of tokens, in the order they are complete.

    ``last[i]`` is the token that completes term ``hashes[i]``, ``first[i]`` the one that began it, and
    ``sorts[i]`` says which of :data:`SORTS` it is.
    """

    hashes: Hashes
    first: TokenNumbers
    last: TokenNumbers
    sorts: npt.NDArray[np.int8]


def terms_of(
    stems: Hashes, pointers: npt.NDArray[np.bool_], texts: npt.NDArray[Any], stop_words: Hashes
) -> Iterator[TermRun]:
    """The words, then the pairs, then the kinds among tokens; ``texts`` says which text each token is of.

    ``stop_words`` are the hashes, sorted, of stems that count as stop words beyond the usual.

    Shapes:
        ``stems``, ``pointers`` and ``texts`` run parallel, one entry per token.
    """
    raw, stems = stems, np.where(is_in(stems, stop_words), np.uint64(0), stems)
    content = np.flatnonzero(stems).astype(np.int32)
    yield TermRun(stems[content], content, content, np.full(len(content), 0, np.int8))

    before, after = content[:-1], content[1:]
    close = (after - before <= _PAIR_DISTANCE) & (texts[before] == texts[after])
    before, after = before[close], after[close]
    yield TermRun(_combined_hash(stems[before], stems[after]), before, after, np.full(len(after), 1, np.int8))

    after_pointer = (
        np.flatnonzero(pointers[:-1] & (raw[1:] != 0) & (texts[:-1] == texts[1:])).astype(np.int32) + 1
    )
    kinds = _combined_hash(np.full(len(after_pointer), _THIS_HASH), raw[after_pointer])
    yield TermRun(kinds, after_pointer, after_pointer, np.full(len(after_pointer), 2, np.int8))


def pair_hash(one: int, other: int) -> int:
    """The hash of the term of two stems that stand together, ``one`` first; see :func:`terms_of`."""
    return int(_combined_hash(np.asarray([one], np.uint64), np.asarray([other], np.uint64))[0])


def kind_hash(stem: int) -> int:
    """The hash of the term of a stem that follows "this": what the question calls its answer."""
    return pair_hash(int(_THIS_HASH), stem)


def stems_in(text: str) -> set[int]:
    """The hashes of the stems in ``text``, without stop words."""
    return {stem for found in TOKEN.finditer(text) if (stem := token(found.group()).hash)}


class TokenizedTossup(msgspec.Struct, frozen=True):
    """The tokens in a tossup that can be clues: their stems, which of them point, and whose word each is."""

    stems: Hashes
    pointers: npt.NDArray[np.bool_]
    words: npt.NDArray[np.int64]

    def terms(self, stop_words: Hashes) -> TermRun:
        """All terms; ``first`` and ``last`` count the tossup's words, from 0. See :func:`terms_of`."""
        parts = list(terms_of(self.stems, self.pointers, np.zeros(len(self.stems), np.int8), stop_words))
        return TermRun(
            np.concatenate([part.hashes for part in parts]),
            self.words[np.concatenate([part.first for part in parts])].astype(np.int32),
            self.words[np.concatenate([part.last for part in parts])].astype(np.int32),
            np.concatenate([part.sorts for part in parts]),
        )

    def without(self, words: Collection[int]) -> TokenizedTossup:
        """The tossup without these words, which are counted from 0."""
        # np.isin sorts, and imports numpy.ma: slow for the hundred words of a tossup.
        kept = np.asarray([word not in words for word in self.words.tolist()], np.bool_)
        return TokenizedTossup(self.stems[kept], self.pointers[kept], self.words[kept])

    def shared_prefix(self, other: TokenizedTossup) -> int:
        """How many words at the beginning have the same tokens in this and ``other``.

        :data:`UNLIMITED` where both have all tokens in common.
        """
        shorter = min(len(self.stems), len(other.stems))
        differ = self.stems[:shorter] != other.stems[:shorter]
        differ |= self.pointers[:shorter] != other.pointers[:shorter]
        differ |= self.words[:shorter] != other.words[:shorter]
        first = int(differ.argmax()) if differ.any() else shorter
        return min(
            (int(one.words[first]) for one in (self, other) if first < len(one.words)), default=UNLIMITED
        )


def together(readings: Sequence[TokenizedTossup]) -> tuple[TokenizedTossup, npt.NDArray[np.int32]]:
    """The tokens of all of ``readings`` in a row, and of which of them each is, for :func:`terms_of`."""
    counts = [len(reading.stems) for reading in readings]
    return (
        TokenizedTossup(
            np.concatenate([reading.stems for reading in readings]),
            np.concatenate([reading.pointers for reading in readings]),
            np.concatenate([reading.words for reading in readings]),
        ),
        np.repeat(np.arange(len(readings), dtype=np.int32), counts),
    )


UNLIMITED = 1 << 30
"""A number of words that no tossup reaches."""


@lru_cache(maxsize=8)  # all players read the same draft
def tokenize(tossup: Tossup) -> TokenizedTossup:
    """``tossup`` as the players hear it; stock phrases are left out."""
    tokens: list[str] = []
    words: list[int] = []
    for number, (span, clue) in enumerate(zip(tossup.words, tossup.clues, strict=True)):
        if clue:
            found = TOKEN.findall(tossup.text, span.start, span.end)
            tokens += found
            words += [number] * len(found)
    return TokenizedTossup(*hashes_of(tokens), np.asarray(words, np.int64))


class TitleFinder:
    """Finds the pages whose titles are read aloud. Its arrays are those of :func:`title_hashes`."""

    def __init__(self, hashes: Hashes, numbers: npt.NDArray[np.int32]) -> None:
        self._hashes, self._numbers = hashes, numbers

    def find(self, reading: TokenizedTossup) -> dict[int, int]:
        """The number of each page whose title is read aloud, and the word that first completes it."""
        titles, ends = title_runs(reading.stems)
        hits, low = common(titles, self._hashes)
        high = np.searchsorted(self._hashes, titles[hits], "right")
        found_pages: dict[int, int] = {}
        for hit, start, end in zip(hits.tolist(), low.tolist(), high.tolist(), strict=True):
            word = int(reading.words[ends[hit]])
            for page in self._numbers[start:end].tolist():
                found_pages[page] = min(word, found_pages.get(page, word))
        return found_pages


def title_runs(stems: Hashes) -> tuple[Hashes, TokenNumbers]:
    """Hashes of every run of content stems that is short enough to be a title, and where each ends."""
    content = np.flatnonzero(stems).astype(np.int32)
    grown = stems[content]
    hashes, ends = [grown], [content]
    for length in range(2, _LONGEST_TITLE + 1):
        grown = _combined_hash(grown[:-1], stems[content[length - 1 :]])
        hashes.append(grown)
        ends.append(content[length - 1 :])
    return np.concatenate(hashes), np.concatenate(ends)


def title_hashes(pages: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.int32]]:
    """The hashes by which :func:`title_runs` finds titles, sorted, and the number of each one's page.

    Words in parentheses only distinguish pages of one name, and are not read aloud. A title without content
    words, or with too many, has no hash.
    """
    return hashes_of_titles(map(title_stems, pages))


def hashes_of_titles(titles: Iterable[tuple[int, ...]]) -> tuple[Hashes, npt.NDArray[np.int32]]:
    """As :func:`title_hashes`, of the :func:`title_stems` of pages."""
    by_length: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for number, stems in enumerate(titles):
        if 0 < len(stems) <= _LONGEST_TITLE:
            by_length.setdefault(len(stems), []).append((number, stems))
    hashes, numbers = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
    for found in by_length.values():
        first, *others = np.asarray([stems for _, stems in found], np.uint64).T
        for other in others:
            first = _combined_hash(first, other)
        hashes.append(first)
        numbers.append(np.asarray([number for number, _ in found], np.int32))
    every = np.concatenate(hashes)
    order = np.argsort(every, kind="stable")
    return every[order], np.concatenate(numbers)[order]


def title_stems(page: str) -> tuple[int, ...]:
    """The hashes of the content words in the title of ``page``, without the parentheses at its end."""
    words = TOKEN.findall(_DISAMBIGUATION.sub("", page).replace("_", " "))
    return tuple(found.hash for found in map(token, words) if found.hash)


_DISAMBIGUATION = re.compile(r"_\([^()]*\)$")
_LONGEST_TITLE = 6  # content words
_THIS_HASH = np.uint64(0x9E3779B97F4A7C15)


def _combined_hash(one: Hashes, other: Hashes) -> Hashes:
    """A hash of two hashes in order; the multiplier is splitmix64's."""
    combined = one << np.uint64(23)
    combined |= one >> np.uint64(41)
    combined ^= other
    combined *= np.uint64(0xBF58476D1CE4E5B9)
    combined ^= combined >> np.uint64(31)
    return combined


def places(wanted: npt.NDArray[Any], among: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Where each of ``wanted`` stands in the sorted array ``among``; -1 where it does not."""
    found = np.full(len(wanted), -1, np.int64)
    some, at = common(wanted, among)
    found[some] = at
    return found


def common(
    wanted: npt.NDArray[Any], among: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Which of ``wanted`` are in the sorted array ``among``, as places in the one and in the other."""
    if not len(among):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    at = among.searchsorted(wanted)
    at[at == len(among)] = 0
    some = (among[at] == wanted).nonzero()[0]
    return some, at[some]


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The different numbers among ``values``, rising.

    NumPy's own function imports masked arrays when it is first called, for which the first guess would wait.
    """
    rising = np.sort(values, axis=None)
    found: npt.NDArray[Number] = rising[np.append(True, rising[1:] != rising[:-1])[: len(rising)]]
    return found


def is_in(wanted: Hashes, among: Hashes) -> npt.NDArray[np.bool_]:
    """For each of ``wanted``, whether it is in the sorted array ``among``."""
    return places(wanted, among) >= 0


def hashes_of(words: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.bool_]]:
    """The stems' hashes of ``words``, and which of them point ("this")."""
    found = [token(word) for word in words]
    return (
        np.fromiter((one.hash for one in found), np.uint64, len(found)),
        np.fromiter((one.pointer for one in found), np.bool_, len(found)),
    )
