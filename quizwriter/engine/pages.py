"""Every page a bundle can name, found by what people type."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from quizwriter.domain.tossup import Page, answer_key
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.stored_arrays import require


class Pages:
    """The answers a bundle can name, in the order of their row numbers.

    ``keys`` are their :func:`answer_key`, worked out when the bundle was built; ``weights`` say how often
    each is asked for, which ranks what autocomplete offers and settles which page a shared key means.
    """

    def __init__(self, pages: Sequence[Page], keys: Sequence[str], weights: Sequence[int]) -> None:
        self.all = tuple(pages)
        self.rows: dict[str, int] = {}
        """The row number behind each key; where pages share one, the page asked for most."""
        favourites = sorted(range(len(keys)), key=lambda row: (-weights[row], keys[row]))
        for row in favourites:
            self.rows.setdefault(keys[row], row)
        # All keys, the one asked for most first, each after a line feed; and where those are. Scanning it
        # beats an index at this size, and what is found first is what is wanted most.
        self._text = "".join(f"\n{key}" for key in self.rows)
        self._starts = [0, *accumulate(len(key) + 1 for key in self.rows)]
        self._by_place = tuple(self.rows.values())

    def __len__(self) -> int:
        return len(self.all)

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
        found = [self.rows[wanted]] if wanted in self.rows else []
        for before in ("\n", " "):
            place = -1
            while len(found) < limit and (place := self._text.find(before + wanted, place + 1)) >= 0:
                row = self._by_place[bisect_right(self._starts, place) - 1]
                if row not in found:
                    found.append(row)
        return tuple(self.all[row] for row in found)


def read_pages(bundle: Bundle) -> Pages:
    """The pages of ``bundle``, in the order of their rows.

    Raises:
        QuizwriterError: the bundle has no list of pages, or its files do not fit each other.
    """
    names, keys = bundle.lines("pages.txt"), bundle.lines("page_keys.txt")
    asked = bundle.array("pages_asked.npy").tolist()
    with bundle.refusing("pages.txt"):
        require(len(names) == len(keys) == len(asked), "it does not fit page_keys.txt and pages_asked.npy")
    return Pages(list(map(Page, names)), keys, asked)
