"""The past questions of the open tossup: asked for while the writer writes, and put into their pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.gui.writing.past_pane import NO_ANSWER, READING
from quizwriter.workflow.session import WritingSession

if TYPE_CHECKING:
    from quizwriter.domain.past_questions import PastReport

PAUSE_MS = 400
"""The pause in typing, in ms, after which the clues of the draft are ticked anew."""


class PastController(QObject):
    """Fills the pane of past questions. ``counted`` carries how many there are on the answer."""

    counted = Signal(int)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._app, self._pane, self._engine = context.app, context.panes.past, context.engine
        self._session: WritingSession | None = None
        self._asked: tuple[str, str, str] | None = None  # digest of the engine, page and draft
        self._seen = False
        self._jobs = Jobs("past questions", self)
        self._soon = SingleShot(self, PAUSE_MS, self._ask)

    def open(self, session: WritingSession) -> None:
        self._session = session
        self._ask()

    def follow_edit(self) -> None:
        if self._session is not None:
            self._soon.start()

    def show(self, *, seen: bool) -> None:
        """The pane came into sight, or went out of it: ticks follow the draft only while it is seen."""
        self._seen = seen
        if seen:
            self._ask()

    def _ask(self) -> None:
        engine, session = self._engine(), self._session
        if session is None:
            return
        answer = session.tossup.answer
        if engine is None or answer is None:
            self._asked = None
            self._pane.show_nothing(NO_ANSWER if engine is not None else READING)
            self.counted.emit(0)
            return
        page = answer.page or answer.main
        draft = session.tossup.text if self._seen else ""
        asked = (engine.digest, page, draft)
        if asked == self._asked:
            return
        if self._asked is None or asked[:2] != self._asked[:2]:
            self._pane.show_nothing(READING)
            self.counted.emit(0)
        elif not self._seen:
            return
        self._asked = asked

        def show(report: PastReport) -> None:
            self._pane.show_report(report)
            self.counted.emit(report.counts.all)

        self._jobs.ask(
            lambda _: self._app.past.report(engine, page, draft),
            show,
            self._pane.show_trouble,
            still=lambda: asked == self._asked,
        )
