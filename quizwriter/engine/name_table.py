"""Lists of names, such as pages and aliases, kept as bytes with offsets.

A bundle has some 400,000 names. Objects take 60 bytes each beside the letters; here an offset takes four.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import overload

import numpy as np
import numpy.typing as npt

from quizwriter.engine.stored_arrays import Array

AT_ONCE = 8_192
"""Names that are read together; other threads get their turn in between."""

MOST_KEPT = 4_096
"""Names that are kept as objects once they were read: players name the same pages after most words."""

STEP = 16
"""One name of so many is kept as an object to find others in a sorted list."""

_LINE_FEED = 10
_BITS = 0xFFFFFFFF


class Names(Sequence[str]):
    """Names in a fixed order. Each becomes an object when it is asked for."""

    def __init__(self, raw: bytes) -> None:
        """The lines of ``raw``, each ended by a line feed; what follows the last line feed is left out."""
        if not raw.isascii():
            raw.decode("utf-8")
        ends = np.flatnonzero(np.frombuffer(raw, np.uint8) == _LINE_FEED)
        starts: Array = np.zeros(len(ends) + 1, np.uint32 if len(raw) <= _BITS else np.uint64)
        starts[1:] = ends + 1
        self.raw = raw
        self.starts = starts
        self._starts = memoryview(starts.data)  # gives Python's own numbers, more quickly than an array
        self._read = lru_cache(maxsize=MOST_KEPT)(_reader(raw, self._starts))

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        lines = list(names)
        found = cls("".join(f"{line}\n" for line in lines).encode("utf-8"))
        if len(found) != len(lines):
            raise ValueError("a name has a line feed")
        return found

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self._read(index if index >= 0 else index + len(self))

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), AT_ONCE):
            yield from self.between(start, min(start + AT_ONCE, len(self)))

    def between(self, first: int, last: int) -> list[str]:
        """The names from the number ``first`` to before ``last``."""
        return self.raw[self._starts[first] : self._starts[last]].decode("utf-8").split("\n")[:-1]

    def hashes(self) -> npt.NDArray[np.uint32]:
        """A hash of each name, which is another one in every process."""
        found = np.empty(len(self), np.uint32)
        for start in range(0, len(self), AT_ONCE):
            some = self.between(start, min(start + AT_ONCE, len(self)))
            found[start : start + len(some)] = [hash(name) & _BITS for name in some]
        return found

    def place(self, name: str) -> int:
        """Where ``name`` stands, or would stand, in a list that is sorted."""
        first = STEP * max(0, bisect_left(self._signposts, name) - 1)
        return first + bisect_left(self.between(first, min(first + STEP, len(self))), name)

    @cached_property
    def _signposts(self) -> list[str]:
        return [self[place] for place in range(0, len(self), STEP)]

    @property
    def longest(self) -> int:
        return int(np.diff(self.starts).max(initial=1)) - 1

    def lengths(self) -> npt.NDArray[np.uint32]:
        begins = (np.frombuffer(self.raw, np.uint8) & 0xC0) != 0x80  # the first byte of each character
        counts = np.concatenate([[0], np.cumsum(begins, dtype=np.uint32)])
        lengths: npt.NDArray[np.uint32] = np.diff(counts[self.starts]) - np.uint32(1)
        return lengths


def _reader(raw: bytes, starts: memoryview) -> Callable[[int], str]:
    last = len(starts) - 1

    def read(index: int) -> str:
        if not 0 <= index < last:
            raise IndexError(index)
        return raw[starts[index] : starts[index + 1] - 1].decode("utf-8")

    return read


class NameFinder:
    """Finds the places of a name in a list."""

    def __init__(self, names: Names) -> None:
        hashes = names.hashes()
        self._names = names
        self._order = np.argsort(hashes, kind="stable").astype(np.int32)
        self._hashes = hashes[self._order]

    def places(self, name: str) -> list[int]:
        """The places of ``name``, rising; none where it is not in the list."""
        wanted = np.uint32(hash(name) & _BITS)
        first, last = self._hashes.searchsorted(wanted, "left"), self._hashes.searchsorted(wanted, "right")
        return [place for place in self._order[first:last].tolist() if self._names[place] == name]


class NameRows(Mapping[str, int]):
    """The row behind each name: where rows share a name, the first of those with the largest weight."""

    def __init__(self, names: Names, weights: Sequence[int]) -> None:
        self._names, self._weights = names, weights
        self._finder = NameFinder(names)

    def __getitem__(self, name: str) -> int:
        places = self._finder.places(name)
        if not places:
            raise KeyError(name)
        return max(places, key=self._weights.__getitem__)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(self._names))

    def __len__(self) -> int:
        return len({*self._names})


class NameCounts(Mapping[str, int]):
    """A number for each of some names, which are sorted."""

    def __init__(self, names: Names, counts: npt.NDArray[np.int32]) -> None:
        self._names, self._counts = names, memoryview(counts.data)

    def __getitem__(self, name: str) -> int:
        place = self._names.place(name)
        if place == len(self._names) or self._names[place] != name:
            raise KeyError(name)
        return self._counts[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def items(self) -> ItemsView[str, int]:
        return _Counted(self)

    def pairs(self) -> Iterator[tuple[str, int]]:
        """Each name with its number; quicker than one by one."""
        return zip(self._names, self._counts, strict=True)


class _Counted(ItemsView[str, int]):
    _mapping: NameCounts

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return self._mapping.pairs()
