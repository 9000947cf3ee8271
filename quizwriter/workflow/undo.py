"""Undo and redo of one tossup: stacks that follow from the log of its edits and styles, however old that is.

An undo is an edit like any other, and stands in the log with its kind. The kind must be recorded, because
the edits alone are ambiguous: to rub out a letter and to undo its typing are the same edit, but after the
first one undo brings the letter back, and after the second one it goes further back. With the kinds, the
stacks of a program that has just started are those of the program before.

To undo a deletion brings the styles of the letters back, and to undo a restyling the styles from before it.
What the letters would not have by themselves is logged after the edit that brings them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, Restyle, Styled, TextStyles, style_steps

PAUSE_MS = 500
"""A writer who does nothing for so long has paused. People type five letters in that time."""

LONG_RUN = 40
"""Characters: a run of typing ends at the next word after so many, also without a pause."""

TYPED_AT_ONCE = 16
"""Characters: a longer insertion was not typed. What is saved at once holds a tenth of a second of typing."""


class StyledEdit(msgspec.Struct, frozen=True):
    """An edit with the styles of what it removes and of what it inserts."""

    edit: Edit
    removed: TextStyles = PLAIN
    inserted: TextStyles = PLAIN

    def inverse(self) -> StyledEdit:
        return StyledEdit(self.edit.inverse(), self.inserted, self.removed)


class _Entry(NamedTuple):
    """What was done, on a stack; ``first`` says that a step of undo begins with it."""

    done: StyledEdit | Restyle
    first: bool


class _Run(msgspec.Struct):
    """The typing, or the rubbing out, that goes on in the last entry of the undo stack."""

    at_ms: int  # the last edit of it
    ripe: bool = False  # whether it ends where the next word begins


class UndoLog:
    """What can be undone and redone in one tossup, step by step.

    :meth:`add` takes the changes of the log in their order. A step is a run of typing or of rubbing out, or
    any other single edit, or several edits between :meth:`hold` and :meth:`end_step`. A run ends between two
    words once the writer has paused or the run is long, and it ends where the cursor was moved.
    """

    def __init__(
        self,
        changes: Sequence[Change] = (),
        events: Iterable[Event] = (),
        *,
        styles: TextStyles | None = None,
    ) -> None:
        """The log after ``changes`` with their ``events`` in order; ``styles`` are those of the text then."""
        self.styles = PLAIN
        self._undo: list[_Entry] = []
        self._redo: list[_Entry] = []
        self._run: _Run | None = None
        self._held = ""  # "begun" from hold() on, "goes on" after the first edit since
        self._touched = False
        self._add_all(changes, events)
        if styles is not None:
            self.styles = styles

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    @property
    def touched(self) -> bool:
        return self._touched

    def undo_step(self) -> tuple[StyledEdit | Restyle, ...]:
        """What takes the last step back, in its order; :meth:`add` and :meth:`add_restyle` want it back."""
        found = []
        for entry in reversed(self._undo):
            found.append(entry.done.inverse())
            if entry.first:
                break
        return tuple(found)

    def redo_step(self) -> tuple[StyledEdit | Restyle, ...]:
        """What makes the step again that was taken back last, in its order."""
        found: list[StyledEdit | Restyle] = []
        for entry in reversed(self._redo):
            if found and entry.first:
                break
            found.append(entry.done)
        return tuple(found)

    def hold(self) -> None:
        """Let all edits from now until :meth:`end_step` be one step."""
        self._run = None
        self._held = "begun"

    @property
    def holds(self) -> bool:
        """Whether all edits are one step until :meth:`end_step`."""
        return bool(self._held)

    def end_step(self) -> None:
        """Let the next edit begin a step, because the cursor was moved, or something else was done."""
        self._run = None
        self._held = ""

    def places(self, edit: Edit) -> tuple[int, ...]:
        """Where ``edit`` would have to begin to go on with the run."""
        run = self._last_edit
        if self._run is None or run is None:
            return ()
        if run.inserted:
            return (run.start + len(run.inserted),)
        return (run.start, run.start - len(edit.removed))

    def kind_of(self, edit: Edit, at_ms: int) -> EditKind:
        """Whether the new ``edit``, made at ``at_ms``, begins a step or belongs to the last one."""
        if self._held:
            return self.restyle_kind
        run, typed = self._run, self._last_edit
        if run is None or typed is None or not _is_typing(edit):
            return EditKind.FIRST
        if bool(typed.inserted) != bool(edit.inserted) or _joined(typed, edit) is None:
            return EditKind.FIRST
        ripe = run.ripe or at_ms - run.at_ms >= PAUSE_MS
        return EditKind.FIRST if ripe and _between_words(typed, edit) else EditKind.MORE

    @property
    def restyle_kind(self) -> EditKind:
        """Whether a restyling that somebody makes now begins a step or belongs to the last one."""
        return EditKind.MORE if self._held == "goes on" else EditKind.FIRST

    def add(self, change: Change) -> None:
        """Take the next change of the log.

        One without a kind is judged by its time and place. An undo that does not take back what it should is
        an edit like any other.
        """
        edit, kind = change.edit, change.kind
        before, self.styles = self.styles, self.styles.after(edit)
        self._touched = True
        last, undone = self._last_edit, self._redo[-1].done if self._redo else None
        if kind is EditKind.UNDO and last is not None and last.inverse() == edit:
            self._take_back()
            return
        if kind is EditKind.REDO and isinstance(undone, StyledEdit) and undone.edit == edit:
            self._make_again()
            return
        if kind not in (EditKind.FIRST, EditKind.MORE):
            kind = self.kind_of(edit, change.at_ms)
        self._redo.clear()
        run = self._run
        removed = before.stretch(Span(edit.start, edit.start + len(edit.removed)))
        if kind is EditKind.MORE and self._undo:
            top = self._undo[-1]
            joined = None if last is None else _joined(last, edit)
            if joined is None:
                self._undo.append(_Entry(self._styled(edit, removed), first=False))
            else:
                assert isinstance(top.done, StyledEdit)
                removed = _joined_styles(top.done, edit, removed)
                self._undo[-1] = _Entry(self._styled(joined, removed), top.first)
        else:
            run = None
            self._undo.append(_Entry(self._styled(edit, removed), first=True))
        if self._held:
            self._held, self._run = "goes on", None
        elif _is_typing(edit) or (edit.inserted and len(edit.inserted) <= TYPED_AT_ONCE):
            self._run = _Run(change.at_ms, ripe=self._ripens(run, change.at_ms))
        else:
            self._run = None

    def add_restyle(self, restyle: Restyle, kind: EditKind) -> None:
        """Take the next restyling of the log.

        One that belongs to the edit before it (MORE) is undone together with that edit. One that only
        completes the undo or redo of an edit is none by itself.
        """
        self._touched = True
        self.styles = restyle.apply(self.styles)
        top = self._undo[-1] if self._undo else None
        if kind is EditKind.UNDO:
            if top is not None and isinstance(top.done, Restyle) and top.done.inverse() == restyle:
                self._take_back()
            return
        if kind is EditKind.REDO:
            if self._redo and self._redo[-1].done == restyle:
                self._make_again()
            return
        self._redo.clear()
        if kind is EditKind.MORE and top is not None:
            done = top.done
            if isinstance(done, StyledEdit) and _lies_in(restyle.span, done.edit):
                self._undo[-1] = _Entry(self._styled(done.edit, done.removed), top.first)
                return
        self._undo.append(_Entry(restyle, first=kind is not EditKind.MORE or top is None))
        self._run = None
        if self._held:
            self._held = "goes on"

    @property
    def _last_edit(self) -> Edit | None:
        done = self._undo[-1].done if self._undo else None
        return done.edit if isinstance(done, StyledEdit) else None

    def _styled(self, edit: Edit, removed: TextStyles) -> StyledEdit:
        """The ``edit`` that was made, with the styles of what it ``removed`` and of what it inserted."""
        if not self.styles and not removed:
            return StyledEdit(edit)
        inserted = self.styles.stretch(Span(edit.start, edit.start + len(edit.inserted)))
        return StyledEdit(edit, removed, inserted)

    def _take_back(self) -> None:
        self._redo.append(self._undo.pop())
        self.end_step()

    def _make_again(self) -> None:
        self._undo.append(self._redo.pop())
        self.end_step()

    def _add_all(self, changes: Sequence[Change], events: Iterable[Event]) -> None:
        at = 0
        for done, _, event in style_steps(changes, events):
            if isinstance(done, Restyle):
                assert event is not None
                assert isinstance(event.body, Styled)
                for change in changes[at : event.seq]:
                    self.add(change)
                at = event.seq
                self.add_restyle(done, event.body.step)
        for change in changes[at:]:
            self.add(change)

    def keep(self, edit: Edit) -> None:
        """Never take ``edit`` back, if it is the step that everything began with."""
        if self._undo and isinstance(done := self._undo[0].done, StyledEdit) and done.edit == edit:
            steps = (at for at, entry in enumerate(self._undo) if at and entry.first)
            del self._undo[: next(steps, len(self._undo))]

    def go_back_to(self, earlier: UndoLog) -> None:
        """Put under this log the ``earlier`` one, which ends where this one begins."""
        self._undo = [*earlier._undo, *self._undo]
        if not self._touched:
            self._redo, self._touched = [*earlier._redo], earlier._touched

    def _ripens(self, run: _Run | None, at_ms: int) -> bool:
        """Whether the run, which was ``run`` before an edit at ``at_ms``, ends at the next word."""
        last = self._last_edit
        assert last is not None
        long = max(len(last.inserted), len(last.removed) if not last.inserted else 0) >= LONG_RUN
        return long or (run is not None and (run.ripe or at_ms - run.at_ms >= PAUSE_MS))


def _is_typing(edit: Edit) -> bool:
    """Whether ``edit`` may go on with a run: some letters were typed, or some rubbed out."""
    return not (edit.removed and edit.inserted) and len(edit.removed) + len(edit.inserted) <= TYPED_AT_ONCE


def _lies_in(span: Span, edit: Edit) -> bool:
    return edit.start <= span.start and span.end <= edit.start + len(edit.inserted)


def _joined_styles(run: StyledEdit, later: Edit, removed: TextStyles) -> TextStyles:
    """The styles of what ``run`` and then ``later`` removed, where ``removed`` are those of the latter."""
    if not later.removed:
        return run.removed
    parts = [(run.removed, len(run.edit.removed)), (removed, len(later.removed))]
    if later.start < run.edit.start:
        parts.reverse()
    return TextStyles.of_codes(b"".join(styles.codes.ljust(length, b"\0") for styles, length in parts))


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
