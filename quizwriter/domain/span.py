"""A stretch of a text."""

from __future__ import annotations

import msgspec


class Span(msgspec.Struct, frozen=True, order=True):
    """A half-open stretch ``[start, end)`` of a text, in code points."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of ``text`` inside this span."""
        return text[self.start : self.end]
