"""The power mark: a tossup has one, and it can be moved."""

from __future__ import annotations

import re

from quizwriter.domain.history import Edit, replay
from quizwriter.domain.span import Span

MARK = "(*)"

_MARKS = re.compile(r"\(\*\)")


def power_mark_edits(text: str, selected: Span) -> tuple[Edit, ...]:
    """The edits that put the power mark in the place of what is ``selected``, one after the other.

    The mark gets the spaces that it needs, and is taken from where it was before. There are no edits where
    all is as it should be.
    """
    edits = []
    at = selected.start
    if selected.start < selected.end:
        edits.append(Edit(at, selected.of(text), ""))
    left = replay(edits, text)
    for found in reversed(list(_MARKS.finditer(left))):
        edit = _without(left, Span(*found.span()))
        left = edit.apply(left)
        if at > edit.start:
            at = max(edit.start, at - len(edit.removed)) + len(edit.inserted)
        edits.append(edit)
    before = " " if at and not left[at - 1].isspace() else ""
    after = " " if at < len(left) and not left[at].isspace() else ""
    edits.append(Edit(at, "", f"{before}{MARK}{after}"))
    return () if replay(edits, text) == text else tuple(edits)


def _without(text: str, mark: Span) -> Edit:
    """The edit of ``text`` that takes out the mark at ``mark`` with one of the spaces around it."""
    start, end = mark.start, mark.end
    left, right = text[start - 1 : start] if start else "", text[end : end + 1]
    if right == " " and (not left or left.isspace()):
        end += 1
    elif left == " " and (not right or right.isspace()):
        start -= 1
    glued = left and right and not left.isspace() and not right.isspace() and end == mark.end
    return Edit(start, text[start:end], " " if glued else "")
