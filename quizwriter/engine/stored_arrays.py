"""Arrays and texts in the files of a bundle, which a stranger may have made: each is checked when it is read.

No file is mapped into memory: where a file that is mapped becomes shorter, the system ends the whole program.
Small arrays are read whole. Postings and texts, of which a game needs little, are read piece by piece from
the file, which stays open. A file that became shorter or was changed since then is an error.
"""

from __future__ import annotations

import math
import os
import tokenize
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from io import BufferedReader
from threading import Lock
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.system.decoding import DecodingError

Array: TypeAlias = np.ndarray[Any, Any]

LARGEST_VALUE = 1e4
"""The largest weight of a player, and the most points of a term. Ours are below 100, and sums of products of
numbers up to this limit stay finite."""

LARGEST_COUNT = 1e12
MANY_ROWS = 16
"""A request for more than the sixteenth part of all rows reads the array whole: that is quicker."""

LEAST_KEPT = 1_024
"""Room for so many rows of an array is made at first."""

LARGEST_WHOLE, LARGEST_EMBEDDINGS = 400 << 20, 1 << 31
"""The most bytes of an array that is read whole, and of that with a vector for each passage; ours have a
third and a twentieth. A file with holes needs no room on a disk, but in memory all that it claims."""

LONGEST_STORED_TEXT = 1 << 24  # bytes of one text; a passage has a few thousand


class ArrayKind(msgspec.Struct, frozen=True):
    """What an array in a bundle is: its axes, a rule for its values, and NumPy's letters for its types."""

    types: str
    axes: int
    rule: Callable[[Array], bool] | None = None
    most_bytes: int = LARGEST_WHOLE

    def check_header(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        """Return if an array of this type and shape is one of this kind."""
        if dtype.char not in self.types or not dtype.isnative or len(shape) != self.axes:
            wanted = " or ".join(np.dtype(one).name for one in self.types)
            raise DecodingError(
                f"it has {len(shape)} axes of {dtype.name}, where {self.axes} of {wanted} are expected"
            )


def _is_small(values: Array) -> bool:
    if values.dtype == np.float16:  # bits in the order of the sizes: NumPy compares halves slowly
        sizes = values.view(np.uint16) & np.uint16(0x7FFF)
        return bool(sizes.max(initial=0) <= np.float16(LARGEST_VALUE).view(np.uint16))
    return _within(-LARGEST_VALUE, LARGEST_VALUE)(values)


def _within(lowest: float, highest: float) -> Callable[[Array], bool]:
    def rule(values: Array) -> bool:  # a value that is no number is neither above nor below
        return not values.size or bool(values.min() >= lowest and values.max() <= highest)

    return rule


def _is_sorted(values: Array) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def _rises(values: Array) -> bool:
    return bool((values[1:] > values[:-1]).all())


def _are_offsets(values: Array) -> bool:
    return bool(len(values) and values[0] == 0 and _is_sorted(values))


def _are_rows(values: Array) -> bool:
    return bool(not len(values) or values[0] >= 0) and _rises(values)


_HASH, _OFFSET, _ROW = np.dtype(np.uint64).char, np.dtype(np.int64).char, np.dtype(np.int32).char
_FLOATS = np.dtype(np.float16).char + np.dtype(np.float32).char
_POINTS, _DOUBLE = np.dtype(np.float32).char, np.dtype(np.float64).char
_BYTE, _SHORT = np.dtype(np.int8).char, np.dtype(np.int16).char
_SMALL = _is_small
_COUNTS = _within(0, LARGEST_COUNT)

OFFSETS = ArrayKind(_OFFSET, 1, _are_offsets)

INDEX_ARRAYS: Mapping[str, ArrayKind] = {
    "ir/terms.npy": ArrayKind(_HASH, 1, _is_sorted),
    "ir/offsets.npy": OFFSETS,
    "ir/rows.npy": ArrayKind(_ROW, 1, _COUNTS),
    "ir/points.npy": ArrayKind(_POINTS, 1, _SMALL),
    "ir/prior.npy": ArrayKind(_POINTS, 1, _SMALL),
    "ir/hearing.npy": ArrayKind(_DOUBLE, 1, _SMALL),
    "ir/everywhere.npy": ArrayKind(_HASH, 1, _is_sorted),
    "ir/titles.npy": ArrayKind(_HASH, 1, _is_sorted),
    "ir/titled.npy": ArrayKind(_ROW, 1, _COUNTS),
    "pages_asked.npy": ArrayKind(_ROW, 1, _COUNTS),
    "aliases/numbers.npy": ArrayKind(_ROW, 2, _COUNTS),
    "names/starts.npy": ArrayKind(_ROW, 1, _are_offsets),
    "names/names.npy": ArrayKind(_ROW, 1, _COUNTS),
    "names/places.npy": ArrayKind(_BYTE, 1, _within(0, 3)),
    "names/main.npy": ArrayKind(_SHORT, 1, _within(1, 10_000)),
    "names/tails.npy": ArrayKind(_ROW, 1, _COUNTS),
    "names/initial_starts.npy": ArrayKind(_ROW, 1, _are_offsets),
    "names/initialled.npy": ArrayKind(_ROW, 1, _COUNTS),
    "passages/kinds.npy": ArrayKind(_BYTE, 1, _within(0, 2)),
    "passages/page_starts.npy": OFFSETS,
    "passages/categories.npy": ArrayKind(_SHORT, 1, _COUNTS),
    "passages/texts.offsets.npy": OFFSETS,
    "passages/sources.offsets.npy": OFFSETS,
    "held/texts.offsets.npy": OFFSETS,
    "sentences/first.npy": OFFSETS,
    "sentences/starts.npy": ArrayKind(_ROW, 1, _COUNTS),
    "sentences/ends.npy": ArrayKind(_ROW, 1, _COUNTS),
    "sentences/terms.npy": ArrayKind(_HASH, 1, _rises),
    "sentences/offsets.npy": OFFSETS,
    "sentences/rows.npy": ArrayKind(_ROW, 1, _COUNTS),
    "sentences/totals.npy": ArrayKind(_DOUBLE, 1, _COUNTS),
    "library/page_starts.npy": OFFSETS,
    "library/title_terms.npy": ArrayKind(_HASH, 1, _rises),
    "library/title_offsets.npy": OFFSETS,
    "library/title_pages.npy": ArrayKind(_ROW, 1, _COUNTS),
    "library/passages.npy": ArrayKind(_ROW, 1),
    "library/kinds.npy": ArrayKind(_BYTE, 1, _within(0, 1)),
    "library/years.npy": ArrayKind(_SHORT, 1, _within(0, 2100)),
    "library/difficulties.npy": ArrayKind(_BYTE, 1, _within(0, 10)),
    "library/powers.npy": ArrayKind(_ROW, 1, _within(-1, LARGEST_COUNT)),
    "library/tournaments.npy": ArrayKind(_ROW, 1, _COUNTS),
    "library/categories.npy": ArrayKind(_ROW, 1, _COUNTS),
    "library/places.npy": ArrayKind(_ROW, 1, _COUNTS),
    "library/lines.offsets.npy": OFFSETS,
    "library/terms.npy": ArrayKind(_HASH, 1, _rises),
    "library/offsets.npy": OFFSETS,
    "library/rows.npy": ArrayKind(_ROW, 1),
    "words/counts.npy": ArrayKind(_ROW, 1, _COUNTS),
    "guides/counts.npy": ArrayKind(_ROW, 1, _COUNTS),
    "guides/years.npy": ArrayKind(_SHORT, 1, _within(0, 2100)),
    "counts/sorts.npy": ArrayKind(_BYTE, 1, _within(0, 2)),
    "counts/totals.npy": ArrayKind(_POINTS, 1, _COUNTS),
    "counts/lengths.npy": ArrayKind(_POINTS, 2, _COUNTS),
    "counts/masses.npy": ArrayKind(_DOUBLE, 1, _COUNTS),
    "counts/weighings.npy": ArrayKind(_DOUBLE, 2),  # only compared
}
"""The arrays of an index by their names in the bundle."""

_MATRIX, _VECTOR = ArrayKind(_FLOATS, 2, _SMALL), ArrayKind(_FLOATS, 1, _SMALL)
_CUBE = ArrayKind(_FLOATS, 3, _SMALL)

PLAYER_ARRAYS: Mapping[str, ArrayKind] = {
    "classes": ArrayKind(_ROW, 1, _are_rows),
    "terms": ArrayKind(_HASH, 1, _rises),
    "everywhere": ArrayKind(_HASH, 1, _is_sorted),
    "vectors": ArrayKind(_BYTE, 2),
    "scales": _VECTOR,
    "emphasis": ArrayKind(_FLOATS, 1, _within(float(np.finfo(np.float32).tiny), LARGEST_VALUE)),
    "hidden": _MATRIX,
    "hidden_bias": _VECTOR,
    "outputs": _MATRIX,
    "biases": _VECTOR,
    "into": _CUBE,
    "across": _CUBE,
    "bias": _MATRIX,
    "across_bias": _MATRIX,
    "lowest": _VECTOR,
    "highest": _VECTOR,
    "type_weights": _MATRIX,
    "type_biases": _VECTOR,
    "embeddings": ArrayKind(_BYTE, 2, most_bytes=LARGEST_EMBEDDINGS),
    "page_types": ArrayKind(_FLOATS, 2, _within(0, LARGEST_VALUE)),
    "kind_terms": ArrayKind(_HASH, 1, _rises),
    "kind_shares": ArrayKind(_FLOATS, 1, _within(0, 1)),
    "kind_likeness": ArrayKind(_FLOATS, 2, _within(0, 1)),
    "page_kind_starts": OFFSETS,
    "page_kinds": ArrayKind(_ROW, 1, _COUNTS),
    "page_kind_counts": ArrayKind(_FLOATS, 1, _within(0, LARGEST_VALUE)),
    "letters": ArrayKind(np.dtype(np.uint8).char, 1),
    "parameters": _VECTOR,
    **{f"weights{layer}": _MATRIX for layer in range(4)},
    **{f"biases{layer}": _VECTOR for layer in range(4)},
}
"""The arrays of a trained player by their names; only these are read."""


class StoredArray:
    """One array in an open file of a bundle. Its type and shape are checked at once, its values when read."""

    def __init__(self, file: BufferedReader, kind: ArrayKind) -> None:
        """The array in ``file``, which may be closed afterwards."""
        self._kind = kind
        self.dtype, self.shape, self._columns_first, start = _header(file, kind)
        size = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        self._bytes = StoredBytes(file, start, size)

    def __len__(self) -> int:
        return self.shape[0]

    def whole(self) -> Array:
        """All values, which cannot be changed and keep the rule of the kind."""
        if len(self._bytes) > self._kind.most_bytes:
            raise DecodingError(f"it has more than {self._kind.most_bytes >> 20:,} MB")
        values = np.frombuffer(self._bytes.read(0, len(self._bytes)), self.dtype)
        values = values.reshape(self.shape, order="F" if self._columns_first else "C")
        if self._kind.rule is not None and not self._kind.rule(values):
            raise DecodingError("a value is out of its range or out of order")
        return values

    def piece(self, start: int, end: int) -> Array:
        """The values from ``start`` to before ``end`` of an array with one axis; no rule is checked."""
        size = self.dtype.itemsize
        return np.frombuffer(self._bytes.read(start * size, end * size), self.dtype)

    def pieces(self, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Array:
        """Several of what :meth:`piece` gives, one behind the other; each is read by itself."""
        size = self.dtype.itemsize
        parts = self._bytes.read_pieces((starts * size).tolist(), (ends * size).tolist())
        return np.frombuffer(parts, self.dtype)

    def rows(self, numbers: npt.NDArray[np.int64]) -> Array:
        """The rows ``numbers``, none of them negative, of an array with two axes; no rule is checked."""
        if self._columns_first:
            return self.whole()[numbers]
        width = self.shape[1] * self.dtype.itemsize
        starts = numbers * width
        raw = self._bytes.read_pieces(starts.tolist(), (starts + width).tolist())
        return np.frombuffer(raw, self.dtype).reshape(len(numbers), self.shape[1])


class StoredBytes:
    """Bytes of an open file that are read piece by piece; any thread may read."""

    def __init__(self, file: BufferedReader, start: int, count: int) -> None:
        """The ``count`` bytes from ``start`` of ``file``, which may be closed afterwards."""
        if os.fstat(file.fileno()).st_size != start + count:
            raise DecodingError("it has more or fewer bytes than it says")
        self._start, self._count = start, count
        self._descriptor = os.dup(file.fileno())
        self._turn = Lock()
        weakref.finalize(self, os.close, self._descriptor)

    def __len__(self) -> int:
        return self._count

    def read(self, start: int, end: int) -> bytes:
        parts = [self._some(self._start + start, end - start) if start < end else b""]
        at = start + len(parts[0])
        if at == end:
            return parts[0]
        while at < end:  # the system may give less than what was asked for
            part = self._some(self._start + at, end - at)
            if not part:
                raise DecodingError("it became shorter while it was open")
            parts.append(part)
            at += len(part)
        return b"".join(parts)

    def read_pieces(self, starts: Sequence[int], ends: Sequence[int]) -> bytes:
        """The bytes from each of ``starts`` to before each of ``ends``, one piece behind the other."""
        some, before = self._some, self._start
        found = b"".join([some(before + at, end - at) for at, end in zip(starts, ends, strict=True)])
        if len(found) == sum(ends) - sum(starts):  # otherwise the system gave less than what was asked for
            return found
        return b"".join(map(self.read, starts, ends))

    if hasattr(os, "pread"):

        def _some(self, at: int, count: int) -> bytes:
            return os.pread(self._descriptor, count, at)

    else:

        def _some(self, at: int, count: int) -> bytes:
            with self._turn:
                os.lseek(self._descriptor, at, os.SEEK_SET)
                return os.read(self._descriptor, count)


class StoredWeights(Mapping[str, Array]):
    """The arrays of a trained player by name; each is read whole when it is first used, or row by row.

    The window lists players whose games another process plays: it never reads their weights.
    """

    def __init__(
        self, stored: Mapping[str, StoredArray], refusing: Callable[[str], AbstractContextManager[None]]
    ) -> None:
        """``refusing`` gives a block that reads an array of this name and says which file is refused."""
        self._stored = stored
        self._refusing = refusing
        self._values: dict[str, Array] = {}
        self._parts: dict[str, _RowsRead] = {}

    def __getitem__(self, name: str) -> Array:
        values = self._values.get(name)
        if values is None:
            with self._refusing(name):
                values = self._values[name] = self._stored[name].whole()
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)

    def rows(self, name: str, numbers: npt.NDArray[np.int64]) -> Array:
        """These rows of an array with two axes, for whose values there is no rule.

        Only rows that were not asked for before are read: a table has the vectors of half a million words,
        and a tossup some hundred. Many at once are read with all others.
        """
        part = self._parts.get(name)
        if part is None and name not in self._values:
            part = self._parts[name] = _RowsRead(self._stored[name])
        if part is None or len(numbers) > len(part) // MANY_ROWS:
            self._parts.pop(name, None)
            found: Array = self[name][numbers]
            return found
        with self._refusing(name):
            return part.rows(numbers)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: stored.shape for name, stored in self._stored.items()}


class _RowsRead:
    """What has been read of an array with two axes, in the order in which it was first asked for.

    The rows are not kept in their own places: what the system gives for one row may be two megabytes.
    """

    def __init__(self, stored: StoredArray) -> None:
        self._stored = stored
        self._turn = Lock()
        self._place = np.full(len(stored), -1, np.int32)  # where each row is kept
        self._kept = np.empty((LEAST_KEPT, stored.shape[1]), stored.dtype)
        self._count = 0

    def __len__(self) -> int:
        return len(self._place)

    def rows(self, numbers: npt.NDArray[np.int64]) -> Array:
        with self._turn:
            unread = {*numbers[self._place[numbers] < 0].tolist()}
            if unread:
                self._keep(np.fromiter(sorted(unread), np.int64, len(unread)))
            found: Array = self._kept[self._place[numbers]]
        return found

    def _keep(self, numbers: npt.NDArray[np.int64]) -> None:
        rows = self._stored.rows(numbers)
        end = self._count + len(rows)
        if end > len(self._kept):
            larger = np.empty((2 * end, self._kept.shape[1]), self._kept.dtype)
            larger[: self._count] = self._kept[: self._count]
            self._kept = larger
        self._kept[self._count : end] = rows
        self._place[numbers] = np.arange(self._count, end, dtype=np.int32)
        self._count = end


def require(fits: bool | np.bool_, reason: str) -> None:
    if not fits:
        raise DecodingError(reason)


def match_shapes(shapes: Mapping[str, tuple[int, ...]], wanted: Mapping[str, str]) -> dict[str, int]:
    """The size of each axis that ``wanted`` names by a letter: ``{"hidden": "w h", "hidden_bias": "h"}``."""
    sizes: dict[str, int] = {}
    for name, letters in wanted.items():
        if name not in shapes:
            raise DecodingError(f"{name} is missing")
        for letter, size in zip(letters.split(), shapes[name], strict=True):
            if sizes.setdefault(letter, size) != size:
                raise DecodingError(f"the shape of {name} does not fit the other arrays")
    return sizes


_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    SyntaxError,
    tokenize.TokenError,
    RecursionError,
    MemoryError,
    OverflowError,
    UserWarning,
)  # what NumPy raises for headers that it did not write


def _header(file: BufferedReader, kind: ArrayKind) -> tuple[np.dtype[Any], tuple[int, ...], bool, int]:
    """The type and shape of the array in ``file``, whether columns come first, and where its values begin."""
    try:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, columns_first, dtype = read(file)
    except _UNREADABLE as trouble:
        raise DecodingError("it is not an array") from trouble
    if dtype.hasobject or any(size < 0 for size in shape):
        raise DecodingError("it is not an array")
    kind.check_header(dtype, shape)
    size = os.fstat(file.fileno()).st_size
    # NumPy counts an axis without any value as one, and has a limit
    counted = math.prod(axis or 1 for axis in shape) * dtype.itemsize
    if math.prod(shape) * dtype.itemsize > size or counted > max(size, kind.most_bytes):
        raise DecodingError("it has more or fewer bytes than it says")
    return dtype, shape, columns_first, file.tell()


class TextTable:
    """A list of texts in a file of a bundle; each is read when it is used."""

    def __init__(
        self, raw: StoredBytes, offsets: npt.NDArray[np.int64], refuse: Callable[[Exception], Exception]
    ) -> None:
        """The texts between ``offsets`` of ``raw``; ``refuse`` makes the error for one that is unreadable."""
        if offsets[-1] > len(raw) or np.diff(offsets).max(initial=0) > LONGEST_STORED_TEXT:
            raise DecodingError("the places of its texts do not fit it")
        self._raw = raw
        self._offsets = offsets
        self._refuse = refuse

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < len(self):
            raise IndexError(index)
        start, end = self._offsets[index : index + 2].tolist()
        try:
            return self._raw.read(start, end).decode("utf-8")
        except (OSError, DecodingError, UnicodeDecodeError) as trouble:
            raise self._refuse(trouble) from trouble
