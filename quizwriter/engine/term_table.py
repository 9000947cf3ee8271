"""The terms of a bundle's matrix, and where the postings of each are.

There are three million, of which a draft has some hundred. The hashes stay in their file: one in :data:`STEP`
is kept, and tells which few of the others must be read. Where postings begin is kept in 32 bits.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from quizwriter.engine.bundle import Bundle
from quizwriter.engine.stored_arrays import Array, require
from quizwriter.engine.tokenizer import Hashes, places
from quizwriter.system.decoding import DecodingError

STEP = 32
"""Terms in a block, which is read in one piece."""

_AT_ONCE = STEP << 13

_TERMS, _OFFSETS = "ir/terms.npy", "ir/offsets.npy"

_Numbers = npt.NDArray[np.int64]


class TermTable:
    """Finds terms by their hashes. Any thread may ask."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._terms, self._offsets = bundle.stored(_TERMS), bundle.stored(_OFFSETS)
        with bundle.refusing(_OFFSETS):
            require(len(self._offsets) == len(self._terms) + 1, f"it does not fit {_TERMS}")
            ends = (0, len(self._terms))
            first, self.postings = (int(self._offsets.piece(at, at + 1)[0]) for at in ends)
            require(first == 0, "a value is out of its range or out of order")
        with bundle.refusing(_TERMS):
            self._signposts = self._read_signposts()

    def _read_signposts(self) -> Hashes:
        """The first term of each block; all terms are read, piece by piece, to see that they are sorted."""
        found = [np.zeros(0, np.uint64)]
        before = np.zeros(0, np.uint64)
        for start in range(0, len(self), _AT_ONCE):
            terms = self._terms.piece(start, min(start + _AT_ONCE, len(self)))
            in_order = (terms[1:] >= terms[:-1]).all() and (before <= terms[:1]).all()
            require(bool(in_order), "a value is out of its range or out of order")
            found.append(terms[::STEP].copy())
            before = terms[-1:]
        return np.concatenate(found)

    def __len__(self) -> int:
        return len(self._terms)

    def places(self, hashes: Hashes) -> _Numbers:
        """The numbers of the terms with these ``hashes``, which rise; -1 where there is none."""
        found = np.full(len(hashes), -1, np.int64)
        blocks = self._signposts.searchsorted(hashes, "right") - 1
        inside = np.flatnonzero(blocks >= 0)
        if not len(inside):
            return found
        starts = STEP * np.unique(blocks[inside])
        ends = np.minimum(starts + STEP, len(self))
        try:
            terms = self._terms.pieces(starts, ends)
        except (DecodingError, OSError) as trouble:
            raise self._bundle.changed(_TERMS, trouble) from trouble
        at = places(hashes[inside], terms)
        block, inner = np.divmod(at, STEP)  # only the last block is shorter
        found[inside] = np.where(at >= 0, starts[block] + inner, -1)
        return found

    def ranges(self, numbers: _Numbers) -> tuple[_Numbers, _Numbers]:
        """Where the postings of the terms with these ``numbers`` begin and end."""
        borders = self._borders
        starts: _Numbers = borders[numbers].astype(np.int64)
        ends: _Numbers = borders[numbers + 1].astype(np.int64)
        return starts, ends

    @cached_property
    def _borders(self) -> Array:
        """Where the postings of each term begin, and then how many there are."""
        kept: Array = np.zeros(len(self._offsets), np.uint32 if self.postings < 1 << 32 else np.int64)
        before = 0
        try:
            for start in range(0, len(kept), _AT_ONCE):
                end = min(start + _AT_ONCE, len(kept))
                offsets = self._offsets.piece(start, end)
                in_order = before <= offsets[0] and (offsets[1:] >= offsets[:-1]).all()
                require(bool(in_order), "a value is out of its range or out of order")
                kept[start:end], before = offsets, offsets[-1]
        except (DecodingError, OSError) as trouble:
            raise self._bundle.changed(_OFFSETS, trouble) from trouble
        return kept
