"""What the look-up of clues needs of all past questions at once: weights of sentences, and words of titles.

index_builder keeps both in bundles, because a writer would wait for them at the first look-up. Of a bundle
that an older version built they are worked out then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from quizwriter.engine.stored_arrays import Array, require
from quizwriter.engine.tokenizer import Hashes, distinct, places, title_stems

COMMON = 3.5
"""What is taken off a stem's weight: stems in more than one sentence of thirty count nothing.

The sums in :data:`TOTALS` are made with it."""

TOTALS = "sentences/totals.npy"
"""The file of a bundle that has the weight of each of its sentences; older bundles have none."""

TITLES = tuple(f"library/title_{name}.npy" for name in ("terms", "offsets", "pages"))
"""The files of a bundle that have the words of titles; older bundles have none."""

_AT_ONCE = 1 << 18  # entries of the index that are weighed in one go, which takes milliseconds


def rarities(sizes: Array, sentences: int) -> npt.NDArray[np.float64]:
    """What stems weigh that are in so many of all ``sentences``: nothing if common, the more the rarer."""
    found: npt.NDArray[np.float64] = math.log(max(1, sentences)) - np.log(sizes)
    return np.maximum(0.0, found - COMMON)


def sentence_totals(
    weights: npt.NDArray[np.float64],
    offsets: npt.NDArray[np.int64],
    piece: Callable[[int, int], npt.NDArray[np.int32]],
    count: int,
) -> npt.NDArray[np.float64]:
    """What all stems of each of ``count`` sentences weigh.

    ``piece`` gives a part of the sentences with each stem, which begin at its entry in ``offsets``.
    """
    found = np.zeros(count)
    size = int(offsets[-1])
    borders = np.unique(offsets.searchsorted([*range(0, size, _AT_ONCE), size]))
    for first, last in pairwise(borders.tolist()):  # all other threads stand still during each
        ends = offsets[first : last + 1]
        some = piece(int(ends[0]), int(ends[-1]))
        np.add.at(found, some.astype(np.intp), np.repeat(weights[first:last], np.diff(ends)))
    return found


class TitleWords:
    """The stems in the titles of pages, and the pages with each."""

    def __init__(self, terms: Hashes, offsets: npt.NDArray[np.int64], pages: Array, count: int) -> None:
        """Those of ``count`` pages; for each of ``terms``, which rise, its ``pages`` begin at its offset."""
        require(len(offsets) == len(terms) + 1 and offsets[-1] == len(pages), "they do not fit each other")
        require(pages.min(initial=0) >= 0 and pages.max(initial=-1) < count, "a page is missing")
        self._terms, self._offsets, self._pages = terms, offsets, pages
        self._sizes = np.bincount(pages, minlength=count).astype(np.int32)

    @classmethod
    def of(cls, names: Sequence[str]) -> TitleWords:
        """Those of the pages with these ``names``."""
        titles = [frozenset(title_stems(name)) for name in names]
        pages = np.repeat(np.arange(len(names), dtype=np.int32), list(map(len, titles)))
        stems = np.asarray([stem for title in titles for stem in title], np.uint64)
        order = np.argsort(stems, kind="stable")
        terms = distinct(stems)
        offsets = np.append(stems[order].searchsorted(terms), len(stems)).astype(np.int64)
        return cls(terms, offsets, pages[order], len(names))

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        return self._terms, self._offsets, self._pages

    def named_by(self, stems: Iterable[int]) -> npt.NDArray[np.bool_]:
        """Of each page, whether ``stems`` has its whole title."""
        named = np.zeros(len(self._sizes), np.int32)
        for pages in self._with_each(stems):
            named[pages] += 1
        found: npt.NDArray[np.bool_] = (named == self._sizes) & (self._sizes > 0)
        return found

    def sharing(self, stems: Iterable[int]) -> npt.NDArray[np.int32]:
        return np.concatenate([np.zeros(0, np.int32), *self._with_each(stems)])

    def _with_each(self, stems: Iterable[int]) -> list[npt.NDArray[np.int32]]:
        rows = places(np.fromiter(stems, np.uint64), self._terms)
        rows = rows[rows >= 0]
        starts, ends = self._offsets[rows].tolist(), self._offsets[rows + 1].tolist()
        return [self._pages[start:end] for start, end in zip(starts, ends, strict=True)]
