"""People's buzzes in the window: the people's lane of the open tossup, and the import of buzzes for a set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from quizwriter.domain.answer_line import Directive
from quizwriter.domain.history import Edit
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.theme import Theme
from quizwriter.gui.writing.panes import WritingPanes
from quizwriter.gui.writing.people_lane import PeopleLane
from quizwriter.workflow.session import WritingSession

if TYPE_CHECKING:
    from quizwriter.services.wiring import App

NO_ANSWERS = "No wrong answers of people are known for this tossup."

PAUSE_MS = 400
"""The pause in typing, in ms, after which the curve is looked up again."""


class PeopleController(QObject):
    """Shows how early people answer the open tossup."""

    def __init__(
        self,
        app: App,
        theme: Theme,
        panes: WritingPanes,
        *,
        save: Callable[[], None],
        set_name: Callable[[], str],
        add_name: Callable[[Directive, str], None],
        shown: bool,
        parent: QWidget,
    ) -> None:
        """``set_name`` gives the set of the open tossup; ``shown``: the lane is in sight.

        ``add_name`` writes into the answer line what to do with an answer.
        """
        super().__init__(parent)
        self._app, self._theme, self._window = app, theme, parent
        self._messages, self._save, self._set_name = panes.messages, save, set_name
        self.lane = PeopleLane(theme, panes.time_line)
        self.lane.setVisible(shown)
        self.lane.name_wanted.connect(add_name)
        self._shown, self._hidden = shown, False
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
