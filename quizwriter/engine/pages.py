"""Every page a bundle knows, found by what people type."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

from quizwriter.domain.tossup import Page, answer_key


class Pages:
    """The answers a bundle can name.

    Immutable; the keys are worked out at the first use, so loading a bundle does not wait for them.
    ``weights`` says how often each page is asked for, which ranks what autocomplete offers.
    """

    def __init__(self, pages: Sequence[Page], weights: Sequence[int]) -> None:
        self.all = tuple(pages)
        self._weights = tuple(weights)

    def __len__(self) -> int:
        return len(self.all)

    @cached_property
    def keys(self) -> dict[str, Page]:
        """Each page by its key; where two share one, the page asked for more often."""
        found: dict[str, Page] = {}
        for index in sorted(range(len(self.all)), key=lambda index: self._weights[index]):
            found[answer_key(self.all[index])] = self.all[index]
        return found

    @cached_property
    def _starts(self) -> tuple[list[str], list[str], dict[Page, int]]:
        """Every word start of every key, sorted, with the key it starts in; and each page's weight."""
        pairs = [
            (key[start:], key) for key in self.keys for start in _word_starts(key)
        ]
        pairs.sort()
        return (
            [tail for tail, _ in pairs],
            [key for _, key in pairs],
            dict(zip(self.all, self._weights, strict=True)),
        )

    def find(self, name: str) -> Page | None:
        """The page that ``name`` means, case, accents, articles and punctuation aside."""
        return self.keys.get(answer_key(name)) if name.strip() else None

    def complete(self, typed: str, limit: int = 12) -> tuple[Page, ...]:
        """Up to ``limit`` pages one of whose words starts what was ``typed``.

        Exact ones first, then those that begin with it, then by how often they are asked for.
        """
        wanted = answer_key(typed) if typed.strip() else ""
        if not wanted:
            return ()
        tails, keys, weights = self._starts
        low = bisect_left(tails, wanted)
        high = bisect_left(tails, wanted + "\uffff", low)
        found = set(keys[low:high])
        best = sorted(
            found,
            key=lambda key: (key != wanted, not key.startswith(wanted), -weights[self.keys[key]], key),
        )
        return tuple(self.keys[key] for key in best[:limit])


def _word_starts(key: str) -> Iterable[int]:
    yield 0
    for index, letter in enumerate(key):
        if letter == " ":
            yield index + 1
