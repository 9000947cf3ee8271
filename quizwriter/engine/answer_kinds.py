"""Whether a page is what a tossup calls its answer: "this novel" speaks against a country."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from quizwriter.domain.tossup import Tossup
from quizwriter.engine.stored_arrays import StoredWeights, match_shapes, require
from quizwriter.engine.tokenizer import TokenizedTossup, places, tokenize

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

AFTER_POINTER = 3
"""A kind may be so many words after "this" at most: "this German novel"."""

PRIOR = 1.5
"""A page is taken to have been called so many kinds at random beside those that it was called."""

KIND_FIGURES = 4
"""How many numbers :meth:`AnswerKinds.match` gives for each page."""


class AnswerKinds:
    """The kinds that past questions call each page, and how alike kinds are.

    Kinds are alike if one page is called both: a nation is a country. A page that no question asks for is
    what the first sentence about it, or its title, says that it is.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """The kinds in the weights of an ensemble.

        Shapes:
            ``kind_terms``: ``[k]``, hashes of stems, rising. ``kind_shares``: ``[k]``, of all that pages are
            called. ``kind_likeness``: ``[k, k]``, how often a page that is called one kind is called another.
            ``page_kinds`` and ``page_kind_counts``: ``[n]``, the kinds of all pages, page by page, and how
            often each is used; those of a page begin at its entry in ``page_kind_starts``: ``[pages + 1]``.
        """
        self._arrays = arrays

    @staticmethod
    def check(arrays: StoredWeights) -> None:
        wanted = {"kind_terms": "k", "kind_shares": "k", "kind_likeness": "k k", "page_kind_starts": "p"}
        sizes = match_shapes(arrays.shapes, wanted | {"page_kinds": "n", "page_kind_counts": "n"})
        require(sizes["p"] > 1, "page_kind_starts names no page")

    def match(self, tossup: Tossup, rows: Numbers) -> Floats:
        """How much oftener each page is called the kinds heard than pages are at all, as logarithms.

        After every word: the mean of all kinds heard, the sum of the different ones, the last, and the least.

        Shapes:
            ``[KIND_FIGURES, words, rows]``.
        """
        words = len(tossup.words)
        kinds, last = self._heard(tokenize(tossup))
        if not len(kinds):
            return np.zeros((KIND_FIGURES, words, len(rows)), np.float32)
        fits = self._fits(kinds, rows)
        new = np.asarray([kind not in kinds[:place] for place, kind in enumerate(kinds.tolist())])
        found = np.stack(
            [
                fits.cumsum(axis=0) / np.arange(1, len(kinds) + 1)[:, None],
                (fits * new[:, None]).cumsum(axis=0),
                fits,
                np.minimum.accumulate(fits),
            ]
        )
        nothing = np.zeros((KIND_FIGURES, 1, len(rows)))
        heard = np.searchsorted(last, np.arange(words), side="right")
        return np.concatenate([nothing, found], axis=1).astype(np.float32)[:, heard]

    def _heard(self, reading: TokenizedTossup) -> tuple[Numbers, Numbers]:
        """The kinds that follow a pointer, as places in ``kind_terms``, and the word that says each."""
        number = places(reading.stems, self._arrays["kind_terms"])
        pointers = np.flatnonzero(reading.pointers)
        at = np.full(len(pointers), -1, np.int64)
        for step in range(AFTER_POINTER, 0, -1):  # the nearest counts
            place = np.minimum(pointers + step, len(number) - 1)
            at = np.where((pointers + step < len(number)) & (number[place] >= 0), place, at)
        at = np.sort(at[at >= 0])
        return number[at], reading.words[at]

    def _fits(self, kinds: Numbers, rows: Numbers) -> npt.NDArray[np.float64]:
        """For each of ``kinds`` and ``rows`` the logarithm of how much oftener than usual one is the other.

        What the arrays say of pages may be wrong, as they come from outside; then the result is, too.
        """
        starts = self._arrays["page_kind_starts"]
        numbers, counts = self._arrays["page_kinds"], self._arrays["page_kind_counts"]
        likeness = self._arrays["kind_likeness"]
        some = np.where(rows < len(starts) - 1, rows, 0)
        begin, end = (np.minimum(starts[some + one], len(numbers)) for one in (0, 1))
        sizes = np.where(rows < len(starts) - 1, end - begin, 0)
        row = np.repeat(np.arange(len(rows)), sizes)
        place = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        number = np.minimum(numbers[place], len(likeness) - 1)
        count = counts[place].astype(np.float64)
        some = likeness[:, kinds].astype(np.float64)[number] * count[:, None]
        summed = np.vstack([np.zeros(len(kinds)), some.cumsum(axis=0)])
        called = summed[np.cumsum(sizes)] - summed[np.cumsum(sizes) - sizes]
        total = np.bincount(row, count, minlength=len(rows))
        usual = np.maximum(self._arrays["kind_shares"][kinds].astype(np.float64), 1e-6)
        found: npt.NDArray[np.float64] = (called + PRIOR * usual) / ((total[:, None] + PRIOR) * usual)
        return np.log(found).T
