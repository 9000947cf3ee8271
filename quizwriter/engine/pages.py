"""Every page a bundle can name, found by what people type."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from heapq import nsmallest

from quizwriter.domain.tossup import Page, answer_key


class Pages:
    """The answers a bundle can name, in the order of their row numbers.

    ``keys`` are their :func:`answer_key`, worked out when the bundle was built; ``weights`` say how often
    each is asked for, which ranks what autocomplete offers and settles which page a shared key means.
    """

    def __init__(self, pages: Sequence[Page], keys: Sequence[str], weights: Sequence[int]) -> None:
        self.all = tuple(pages)
        self._keys = tuple(keys)
        self._weights = tuple(weights)

    def __len__(self) -> int:
        return len(self.all)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row number behind each key; where pages share one, the page asked for most."""
        found: dict[str, int] = {}
        for row, key in enumerate(self._keys):
            if key not in found or self._weights[row] > self._weights[found[key]]:
                found[key] = row
        return found

    def find(self, name: str) -> Page | None:
        """The page that ``name`` means, case, accents, articles and punctuation aside."""
        row = self.rows.get(answer_key(name)) if name.strip() else None
        return None if row is None else self.all[row]

    def complete(self, typed: str, limit: int = 12) -> tuple[Page, ...]:
        """Up to ``limit`` pages of which some word starts what was ``typed``.

        The exact one first, then those that begin with it, then by how often they are asked for.
        """
        wanted = answer_key(typed) if typed.strip() else ""
        if not wanted:
            return ()
        text, starts = self._searchable
        rows = {
            bisect_right(starts, found.start()) - 1
            for before in ("\n", " ")  # twice a plain text is many times quicker than once a pattern
            for found in re.finditer(re.escape(before + wanted), text)
        }
        keys, weights = self._keys, self._weights
        best = nsmallest(
            limit,
            (row for row in rows if self.rows[keys[row]] == row),
            key=lambda row: (keys[row] != wanted, not keys[row].startswith(wanted), -weights[row], keys[row]),
        )
        return tuple(self.all[row] for row in best)

    @cached_property
    def _searchable(self) -> tuple[str, list[int]]:
        """All keys, each after a line feed, and where those are: scanning beats an index at this size."""
        starts, position = [], 0
        for key in self._keys:
            starts.append(position)
            position += len(key) + 1
        return "".join(f"\n{key}" for key in self._keys), starts
