"""The text of a draft: its positions as Python and as Qt count them, its words and its direction."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right

from quizwriter.domain.span import Span


class Utf16Positions:
    """Positions of one text in code points, as we count, and in UTF-16 units, as Qt does.

    The only place that knows the difference.
    """

    def __init__(self, text: str) -> None:
        wide = [] if text.isascii() else [i for i, letter in enumerate(text) if letter > "\uffff"]
        self._points = wide
        self._units = [point + before for before, point in enumerate(wide)]

    def to_qt(self, point: int) -> int:
        """The UTF-16 position of code point ``point``."""
        return point + bisect_left(self._points, point)

    def from_qt(self, unit: int) -> int:
        """The code point at UTF-16 position ``unit``; inside a pair, the one it is half of."""
        return unit - bisect_left(self._units, unit)


def mixes_directions(text: str) -> bool:
    """Whether ``text`` has letters that run from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in text)


def word_at(words: tuple[Span, ...], point: int) -> int | None:
    """The number, from 0, of the word that ``point`` is in or right after; None before the first."""
    index = bisect_right(words, Span(point, 1 << 60)) - 1
    return index if index >= 0 else None
