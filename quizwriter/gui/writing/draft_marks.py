"""What is marked in a draft: cues, buzzes, comments, underlined words, in code points of its text."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QRectF

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.workflow.wording import player_title


class BuzzMark(msgspec.Struct, frozen=True):
    """Where a player buzzes: after the code point ``at``."""

    player: str
    at: int
    right: bool | None


class DraftMarks(msgspec.Struct, frozen=True):
    """What is painted on the draft, in code points of it.

    ``cues`` are words with their share from -1 to 1, relative to the strongest.
    """

    cues: tuple[tuple[Span, float], ...] = ()
    buzzes: tuple[BuzzMark, ...] = ()
    word: Span | None = None

    def first_change(self, other: DraftMarks) -> int:
        """The first code point at which these marks and ``other``, which are not equal, differ."""
        found: list[int] = []
        if self.cues != other.cues:
            found += [span.start for span, _ in {*self.cues} ^ {*other.cues} or self.cues]
        if self.buzzes != other.buzzes:  # maybe in their order only, in which they stand side by side
            found += [mark.at - 1 for mark in {*self.buzzes} ^ {*other.buzzes} or self.buzzes]
        if self.word != other.word:
            found += [word.start for word in (self.word, other.word) if word is not None]
        return min(found)

    def after(self, edit: Edit) -> DraftMarks:
        """The marks moved along with the text by ``edit``; those it touches inside are gone."""
        by = len(edit.inserted) - len(edit.removed)

        def point(at: int) -> int:
            return at if at <= edit.start else max(edit.start, at + by)

        cues = tuple(
            (new, share) for span, share in self.cues if (new := untouched_span(span, edit)) is not None
        )
        return DraftMarks(
            cues=cues, buzzes=tuple(replace(mark, at=point(mark.at)) for mark in self.buzzes), word=None
        )


def untouched_span(span: Span, edit: Edit) -> Span | None:
    """Where ``span`` is after ``edit``; None if the edit touches it inside, so that it is another one now."""
    by = len(edit.inserted) - len(edit.removed)
    if span.end <= edit.start:
        return span
    if span.start >= edit.start + len(edit.removed):
        return Span(span.start + by, span.end + by)
    return None


class Underline(StrEnum):
    """What lines stand under words: a wavy one for spelling and style, a dotted one for what others wrote."""

    WAVY = "wavy"
    DOTTED = "dotted"


class UnderlinedStretch(msgspec.Struct, frozen=True):
    """A stretch with a line under it; ``hint`` says why where the mouse rests on it.

    ``current``: the writer looks at it now, so it is framed, too. ``label`` stands in the margin beside the
    line on which the stretch begins, if nobody buzzes there.
    """

    span: Span
    underline: Underline
    hint: str
    current: bool = False
    label: str = ""


class BuzzLine(msgspec.Struct, frozen=True):
    """A line of the text on which players buzz: its ``box`` in the viewport and their marks in order."""

    box: QRectF
    marks: tuple[BuzzMark, ...]

    @property
    def label(self) -> str:
        """Who buzzes first, and how many more buzz on the line."""
        more = f" +{len(self.marks) - 1}" if len(self.marks) > 1 else ""
        return player_title(self.marks[0].player) + more


class CommentedStretch(msgspec.Struct, frozen=True):
    """A stretch that has a comment called ``name``; ``current`` if that comment is looked at now."""

    name: str
    span: Span
    current: bool = False


class MarginLabel(msgspec.Struct, frozen=True):
    """What stands in the margin beside a line of the text: its ``box`` in the viewport, and why."""

    box: QRectF
    label: str
    hint: str
