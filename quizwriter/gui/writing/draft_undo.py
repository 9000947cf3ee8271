"""Undo and redo in the draft that is open, back through all of its log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit, QTextEdit, QWidget

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.styles import Restyle
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.writing.draft import DraftPane
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.undo import UndoLog

log = logging.getLogger(__name__)

READ_MS = 500
"""From the opening of a tossup to the reading of its log; what is asked for before is read at once."""


class DraftUndo(QObject):
    """Takes back and makes again the steps of the session that is open, and shows them in the draft.

    What was done in this session is undone at once. The log from before it is read in a thread of its own,
    soon after the tossup was opened or as soon as it is needed, and what was asked for meanwhile follows.

    ``made`` says that the session has got another text, which is in the draft already, and carries the text
    before it with its styles; ``refused`` carries a sentence about what could not be read. ``history`` reads
    a tossup's log, and ``events`` its events; any thread may call them.
    """

    made = Signal(str, object)
    refused = Signal(str)

    def __init__(
        self,
        draft: DraftPane,
        history: Callable[[str], Sequence[Change]],
        parent: QObject | None = None,
        *,
        events: Callable[[str], Sequence[Event]] = lambda tossup_id: (),
    ) -> None:
        super().__init__(parent)
        self._draft = draft
        self._history, self._events = history, events
        self._session: WritingSession | None = None
        self._reads: WritingSession | None = None  # whose log is being read
        self._waiting: list[Callable[[], None]] = []  # what was asked for and needs the log
        self._actions: tuple[QAction, QAction] | None = None
        self._jobs = Jobs("undo", self)
        self._read_soon = SingleShot(self, READ_MS, self._read)
        draft.undo_requested.connect(self.undo)
        draft.redo_requested.connect(self.redo)
        draft.step_begun.connect(self._begin_step)
        draft.step_ended.connect(self._end_step)
        draft.edited.connect(self._forget_waiting)

    def use_actions(self, undo: QAction, redo: QAction) -> None:
        """Switch the two on and off as there is something to undo or redo where the keyboard is."""
        self._actions = (undo, redo)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self.offer)
        self.offer()

    def open(self, session: WritingSession) -> None:
        self._session = session
        self._waiting.clear()
        session.undo_log.end_step()
        self._read_soon.stop()
        if session.log_wanted:
            self._read_soon.start()
        self.offer()

    @property
    def can_undo(self) -> bool:
        return self._session is not None and self._session.can_undo and not self._draft.isReadOnly()

    @property
    def can_redo(self) -> bool:
        return self._session is not None and self._session.can_redo and not self._draft.isReadOnly()

    @property
    def busy(self) -> bool:
        return self._reads is not None

    def offer(self, *_: object) -> None:
        """Show what is possible now in the actions and in the draft's context menu."""
        self._draft.offer_undo(undo=self.can_undo, redo=self.can_redo)
        if self._actions is not None:
            elsewhere = _has_its_own(QApplication.focusWidget(), self._draft)
            undo, redo = self._actions
            undo.setEnabled(elsewhere or self.can_undo)
            redo.setEnabled(elsewhere or self.can_redo)

    def undo(self) -> None:
        session = self._session
        if session is None:
            return
        self._draft.finish_composing()
        if self._waiting or (session.log_wanted and not session.undo_log.can_undo):
            self._wait_with(self.undo)
        else:
            self._make(session, session.undo)

    def redo(self) -> None:
        session = self._session
        if session is None:
            return
        self._draft.finish_composing()
        if self._waiting or (session.log_wanted and not session.undo_log.touched):
            self._wait_with(self.redo)
        else:
            self._make(session, session.redo)

    def _make(self, session: WritingSession, do: Callable[[], Sequence[Edit | Restyle]]) -> None:
        before = session.tossup.text, session.styles
        if step := do():
            edits = [done for done in step if isinstance(done, Edit)]
            if edits:
                self._draft.make_all(edits)
            self._draft.styling.show(session.styles)
            self.made.emit(*before)
        self.offer()

    def _wait_with(self, what: Callable[[], None]) -> None:
        self._waiting.append(what)
        self._read()

    def _forget_waiting(self, *_: object) -> None:
        """Whoever types on does not want an older undo to take that back."""
        self._waiting.clear()

    def _begin_step(self) -> None:
        if self._session is not None:
            self._session.undo_log.hold()

    def _end_step(self) -> None:
        if self._session is not None:
            self._session.undo_log.end_step()

    def _read(self) -> None:
        """Read the log of the session that is open, unless that is known or on its way."""
        self._read_soon.stop()
        session = self._session
        if session is None or not session.log_wanted or self._reads is session:
            return

        def do(_: object) -> UndoLog:
            key = session.tossup_id
            history = self._history(key)
            try:
                return session.log_of(history, self._events(key))
            except ValueError as trouble:
                level = logging.WARNING if history else logging.INFO  # without any, it left the bin meanwhile
                log.log(level, "the log of %s cannot be undone: %s", key, trouble)
                raise QuizwriterError(
                    "Earlier edits cannot be undone: the history does not lead to the text.",
                    "Run quizwriter check for the details.",
                ) from None

        self._reads = session

        def take(found: UndoLog) -> None:
            session.take_log(found)
            for what in ended():
                what()
            if session is self._session:
                self.offer()

        def failed(trouble: str) -> None:
            if ended() and trouble:
                self.refused.emit(trouble)
            if session is self._session:
                self.offer()

        def ended() -> list[Callable[[], None]]:
            """What was asked for of this session meanwhile."""
            if self._reads is session:
                self._reads = None
            if session is not self._session:
                return []
            waiting, self._waiting = self._waiting, []
            return waiting

        self._jobs.ask(do, take, failed)


def _has_its_own(widget: QWidget | None, draft: DraftPane) -> bool:
    """Whether the keyboard is in a ``widget`` with an undo of its own."""
    return isinstance(widget, QLineEdit | QTextEdit) and widget is not draft
