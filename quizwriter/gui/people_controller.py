"""People's buzzes in the window: the people's lane of the open tossup, and the import of buzzes for a set."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from quizwriter.domain.history import Edit
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.gui.writing.people_lane import PeopleLane
from quizwriter.workflow.session import WritingSession

NO_ANSWERS = "No wrong answers of people are known for this tossup."

PAUSE_MS = 400
"""The pause in typing, in ms, after which the curve is looked up again."""


class PeopleController(QObject):
    """Shows how early people answer the open tossup."""

    def __init__(self, context: WindowContext, set_name: Callable[[], str]) -> None:
        """``set_name`` gives the set of the open tossup."""
        super().__init__(context.window)
        self._app, self._theme, self._window = context.app, context.theme, context.window
        panes = context.panes
        self._messages, self._save, self._set_name = panes.messages, context.save, set_name
        self._shown, self._hidden = context.app.profile.settings.shows_people_lane, False
        self.lane = PeopleLane(context.theme, panes.time_line)
        self.lane.setVisible(self._shown)
        self.lane.name_wanted.connect(panes.answer.add_name)
        self._session: WritingSession | None = None
        self.jobs = Jobs("people", self)
        self._soon = SingleShot(self, PAUSE_MS, self._read)
        panes.draft.edited.connect(self._take_edit)

    def open(self, session: WritingSession) -> None:
        self._session = session
        self.lane.show_curve(None)
        self._soon.start_in(0)

    def hide_curve(self, *, hidden: bool) -> None:
        """Show no curve: the tossup is written without any; or show it again."""
        if hidden != self._hidden:
            self._hidden = hidden
            self.lane.show_curve(None)
            self.read()

    def show_lane(self, *, shown: bool) -> None:
        self._shown = shown
        self.lane.setVisible(shown)
        self.read()

    def read(self) -> None:
        self._soon.start_in(0)

    def offer_answers(self) -> None:
        """Offer wrong answers of people for the answer line, or say that there are none."""
        if not self.lane.offer_answers():
            self._messages.show_message("people", NO_ANSWERS, brief=True)

    def choose_import(self) -> None:
        from quizwriter.gui.dialogs.import_buzzes import ImportBuzzesDialog  # late: not needed at start

        self._save()
        dialog = ImportBuzzesDialog(self._app, self._theme, self.jobs, self._set_name(), self._window)
        dialog.recorded.connect(self.read)
        dialog.show()

    def _take_edit(self, _edit: Edit, _text: str) -> None:
        self._soon.start()

    def _read(self) -> None:
        session = self._session
        if session is None or not self._shown or self._hidden:
            return
        key, tossup = session.tossup_id, session.tossup

        self.jobs.ask(
            lambda _: self._app.recorded_rooms.curve(key, tossup),
            self.lane.show_curve,
            lambda _: self.lane.show_curve(None),
            still=lambda: self._session is session and session.tossup == tossup and not self._hidden,
        )
