"""A stretch of a text."""

from __future__ import annotations

import msgspec

from quizwriter.system.decoding import Count


class Span(msgspec.Struct, frozen=True, order=True, array_like=True, forbid_unknown_fields=True):
    """A half-open stretch ``[start, end)`` of a text, in code points."""

    start: Count
    end: Count

    def of(self, text: str) -> str:
        return text[self.start : self.end]
