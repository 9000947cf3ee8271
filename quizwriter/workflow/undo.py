"""Undo and redo of one tossup: stacks that follow from the log of its edits, however old that is.

An undo is an edit like any other, and stands in the log with its kind. The kind must be recorded, because
the edits alone are ambiguous: to rub out a letter and to undo its typing are the same edit, but after the
first one undo brings the letter back, and after the second one it goes further back. With the kinds, the
stacks of a program that has just started are those of the program before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from quizwriter.domain.history import Change, Edit, EditKind

PAUSE_MS = 500
"""A writer who does nothing for so long has paused. People type five letters in that time."""

LONG_RUN = 40
"""Characters: a run of typing ends at the next word after so many, also without a pause."""

TYPED_AT_ONCE = 16
"""Characters: a longer insertion was not typed. What is saved at once holds a tenth of a second of typing."""


class _Entry(NamedTuple):
    """An edit on a stack; ``first`` says that a step of undo begins with it."""

    edit: Edit
    first: bool


@dataclass(slots=True)
class _Run:
    """The typing, or the rubbing out, that goes on in the last entry of the undo stack."""

    at_ms: int  # the last edit of it
    ripe: bool = False  # whether it ends where the next word begins


class UndoLog:
    """What can be undone and redone in one tossup, step by step.

    :meth:`add` takes the changes of the log in their order. A step is a run of typing or of rubbing out, or
    any other single edit, or several edits between :meth:`hold` and :meth:`end_step`. A run ends between two
    words once the writer has paused or the run is long, and it ends where the cursor was moved.
    """

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self._undo: list[_Entry] = []
        self._redo: list[_Entry] = []
        self._run: _Run | None = None
        self._held = ""  # "begun" from hold() on, "goes on" after the first edit since
        self._touched = False
        for change in changes:
            self.add(change)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to make again."""
        return bool(self._redo)

    @property
    def touched(self) -> bool:
        """Whether it has taken any change."""
        return self._touched

    def undo_edits(self) -> tuple[Edit, ...]:
        """The edits that take the last step back, in their order; :meth:`add` wants them back as changes."""
        edits = []
        for entry in reversed(self._undo):
            edits.append(entry.edit.inverse())
            if entry.first:
                break
        return tuple(edits)

    def redo_edits(self) -> tuple[Edit, ...]:
        """The edits that make the step again that was taken back last, in their order."""
        edits: list[Edit] = []
        for entry in reversed(self._redo):
            if edits and entry.first:
                break
            edits.append(entry.edit)
        return tuple(edits)

    def hold(self) -> None:
        """Let all edits from now until :meth:`end_step` be one step."""
        self._run = None
        self._held = "begun"

    def end_step(self) -> None:
        """Let the next edit begin a step, because the cursor was moved, or something else was done."""
        self._run = None
        self._held = ""

    def places(self, edit: Edit) -> tuple[int, ...]:
        """Where ``edit`` would have to begin to go on with the run."""
        if self._run is None or not self._undo:
            return ()
        run = self._undo[-1].edit
        if run.inserted:
            return (run.start + len(run.inserted),)
        return (run.start, run.start - len(edit.removed))

    def kind_of(self, edit: Edit, at_ms: int) -> EditKind:
        """Whether the new ``edit``, made at ``at_ms``, begins a step or belongs to the last one."""
        if self._held:
            return EditKind.FIRST if self._held == "begun" else EditKind.MORE
        run = self._run
        if run is None or not self._undo or not _is_typing(edit):
            return EditKind.FIRST
        typed = self._undo[-1].edit
        if bool(typed.inserted) != bool(edit.inserted) or _joined(typed, edit) is None:
            return EditKind.FIRST
        ripe = run.ripe or at_ms - run.at_ms >= PAUSE_MS
        return EditKind.FIRST if ripe and _between_words(typed, edit) else EditKind.MORE

    def add(self, change: Change) -> None:
        """Take the next change of the log.

        One without a kind is judged by its time and place. An undo that does not take back what it should is
        an edit like any other.
        """
        self._touched = True
        edit, kind = change.edit, change.kind
        if kind is EditKind.UNDO and self._undo and self._undo[-1].edit.inverse() == edit:
            self._redo.append(self._undo.pop())
            self.end_step()
            return
        if kind is EditKind.REDO and self._redo and self._redo[-1].edit == edit:
            self._undo.append(self._redo.pop())
            self.end_step()
            return
        if kind not in (EditKind.FIRST, EditKind.MORE):
            kind = self.kind_of(edit, change.at_ms)
        self._redo.clear()
        run = self._run
        if kind is EditKind.MORE and self._undo:
            last = self._undo[-1]
            joined = _joined(last.edit, edit)
            if joined is None:
                self._undo.append(_Entry(edit, first=False))
            else:
                self._undo[-1] = _Entry(joined, last.first)
        else:
            run = None
            self._undo.append(_Entry(edit, first=True))
        if self._held:
            self._held, self._run = "goes on", None
        elif _is_typing(edit) or (edit.inserted and len(edit.inserted) <= TYPED_AT_ONCE):
            self._run = _Run(change.at_ms, ripe=self._ripens(run, change.at_ms))
        else:
            self._run = None

    def go_back_to(self, earlier: UndoLog) -> None:
        """Put under this log the ``earlier`` one, which ends where this one begins."""
        self._undo = [*earlier._undo, *self._undo]
        if not self._touched:
            self._redo, self._touched = [*earlier._redo], earlier._touched

    def _ripens(self, run: _Run | None, at_ms: int) -> bool:
        """Whether the run, which was ``run`` before an edit at ``at_ms``, ends at the next word."""
        last = self._undo[-1].edit
        long = max(len(last.inserted), len(last.removed) if not last.inserted else 0) >= LONG_RUN
        return long or (run is not None and (run.ripe or at_ms - run.at_ms >= PAUSE_MS))


def _is_typing(edit: Edit) -> bool:
    """Whether ``edit`` may go on with a run: some letters were typed, or some rubbed out."""
    return not (edit.removed and edit.inserted) and len(edit.removed) + len(edit.inserted) <= TYPED_AT_ONCE


def _joined(edit: Edit, later: Edit) -> Edit | None:
    """The two as one where ``later`` types on or rubs out more, to the left or to the right; else None."""
    if not edit.inserted and not later.inserted and later.start == edit.start:
        return Edit(edit.start, edit.removed + later.removed, "")
    return edit.then(later)


def _between_words(run: Edit, later: Edit) -> bool:
    """Whether a word ends or begins between ``run``, which holds a word, and ``later``."""
    if later.inserted:
        whole, before, after = run.inserted, run.inserted[-1], later.inserted[0]
    elif later.start < run.start:
        whole, before, after = run.removed, run.removed[0], later.removed[-1]
    else:
        whole, before, after = run.removed, run.removed[-1], later.removed[0]
    return before.isspace() != after.isspace() and bool(whole.strip())
