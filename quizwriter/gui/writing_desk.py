"""The desk of a writer: the parts of the main window, and what goes on across several of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow, QWidget

from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.answer_controller import AnswerController
from quizwriter.gui.appearance import Appearance
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.clues_controller import CluesController
from quizwriter.gui.engine_controller import EngineController
from quizwriter.gui.games_controller import GamesController
from quizwriter.gui.guides_controller import GuidesController
from quizwriter.gui.help_texts import TOUR, TourStop
from quizwriter.gui.model_controller import ModelController
from quizwriter.gui.past_controller import PastController
from quizwriter.gui.pasted_question import PastedQuestion
from quizwriter.gui.people_controller import PeopleController
from quizwriter.gui.problems_controller import ProblemsController
from quizwriter.gui.recovery_controller import RecoveryController
from quizwriter.gui.review.comments_controller import CommentsController
from quizwriter.gui.review.header import TossupHeader
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.review.sources_controller import SourcesController
from quizwriter.gui.secondary_windows import SecondaryWindows
from quizwriter.gui.session_controller import SessionController
from quizwriter.gui.theme import Theme
from quizwriter.gui.tossup_actions import TossupActions
from quizwriter.gui.what_if_controller import WhatIfController
from quizwriter.gui.widgets.action_search import ActionSearch
from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.widgets.key_bindings import KeyBindings
from quizwriter.gui.widgets.layouts import LARGEST_HEIGHT
from quizwriter.gui.writing.draft_head import DraftHead
from quizwriter.gui.writing.find_bar import FindBar
from quizwriter.gui.writing.panes import WindowContext, WritingPanes
from quizwriter.gui.writing.right_tabs import RightTabs
from quizwriter.gui.writing.writing_column import WritingColumn
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave, WritingSession

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.preferences import PreferencesDialog
    from quizwriter.gui.tour import Tour
    from quizwriter.gui.widgets.letter_palette import LetterPalette


class Desk(QMainWindow):
    """The main window as its actions see it: its parts, which ``MainWindow`` lays out and connects."""

    def __init__(self, app: App, theme: Theme, *, persistent: bool = True) -> None:
        """Without ``persistent``, nothing reaches the disk."""
        save = app.tossups.save if persistent else _save_nothing  # may raise, so before any thread runs
        super().__init__()
        self.theme = theme
        self.analysis_runner = AnalysisRunner(
            why_barred=app.models.why_barred if persistent else lambda _: ""
        )
        self.saver = Saver(save)
        self.panes = panes = WritingPanes.make(theme)
        self.messages, self.tossups, self.answer = panes.messages, panes.tossups, panes.answer
        self.draft, self.time_line, self.guesses = panes.draft, panes.time_line, panes.guesses
        self.evidence, self.status = panes.evidence, panes.status
        self.header = TossupHeader(app, theme, self.messages)
        self.appearance = Appearance(app.profile, theme, self.messages, app.home, self)
        context = WindowContext(
            app, theme, panes, self.saver, self,
            save=self.save, save_settings=self.appearance.save_settings,
            session=lambda: self.session, engine=lambda: self.analysis.engine, persistent=persistent,
        )  # fmt: skip
        self.analysis = AnalysisController(context, self.analysis_runner)
        self.sessions = SessionController(context, self.analysis)
        self.models = ModelController(context, self.analysis_runner, self.analysis)
        self.engines = EngineController(context, self.analysis_runner, self.analysis)
        self.answers = AnswerController(context)
        self.comments = CommentsController(context)
        self.review_actions = ReviewActions(
            app,
            theme,
            self.saver,
            self.messages,
            self,
            save=self.save,
            engine=context.engine,
            shown=lambda: self.session.tossup_id,
        )
        self.problems = ProblemsController(context, self.analysis, self.review_actions)
        self.sources = SourcesController(context, self.review_actions)
        self.windows = SecondaryWindows(context, self.header, self.review_actions)
        self.tossup_actions = TossupActions(context, self.sessions, self.review_actions, self.windows)
        self.pasted = PastedQuestion(
            panes, self.sessions, self.header, self.review_actions, parent=self,
            show_import=self.windows.import_pasted, put_in_bin=self.tossup_actions.put_in_bin,
        )  # fmt: skip
        self.guides = GuidesController(context)
        self.past = PastController(context)
        self.clues = CluesController(context)
        panes.past.add_on_top(self.clues.view)
        self.what_if = WhatIfController(context, self.analysis, self.clues)
        self.games = GamesController(context)
        self.people = PeopleController(context, lambda: self.header.review.set_name)
        self.recovery = RecoveryController(context)
        self.find_bar = FindBar(theme, self.draft)
        self.head = DraftHead(theme, self.answer, self.header)
        self.right_tabs = RightTabs(theme, self.evidence, panes.past, self.what_if.pane, self.comments.pane)
        self.keys = KeyBindings(
            self.appearance.settings.keys, lambda keys: self.appearance.save_settings(keys=keys), self
        )
        self.action_search = ActionSearch(theme, (), self)
        self.centre = WritingColumn(
            self.theme, (self.head,), self.draft, (self.find_bar,), self.time_line,
            (self.what_if.strip, self.people.lane),
        )  # fmt: skip
        self.columns = ColumnLayout(
            self.tossups, self.centre, self.guesses, self.evidence, self.right_tabs.hold_evidence_in
        )
        self.parts: dict[str, QWidget] = {  # those that *What is this?* explains
            "header": self.header,
            "answer": self.answer,
            "draft": self.draft,
            "time_line": self.time_line,
            "guesses": self.guesses,
            "evidence": self.evidence,
            "right": self.right_tabs,
            "comments": self.comments.pane,
            "tossups": self.tossups,
            "messages": self.messages,
            "status": self.status,
            "menu_bar": self.menuBar(),
            "search_actions": self.action_search,
        }
        self.preferences: PreferencesDialog | None = None
        self.tour: Tour | None = None
        self.letters: LetterPalette | None = None
        self.writes_alone = False
        """Whether there is nothing but the text."""

    @property
    def session(self) -> WritingSession:
        return self.sessions.current

    def save(self) -> None:
        """Hand everything not saved yet to the saver."""
        self.sessions.save()

    def show_right(self) -> None:
        """Open the right column with guesses and evidence."""
        self.write_alone(alone=False)
        self.problems.list.close_list()
        self.columns.show_players_side()

    def put_away(self) -> None:
        """Close what was opened beside the text, with its marks; or come back from the text alone."""
        if self.writes_alone:
            self.write_alone(alone=False)
        else:
            self.find_bar.hide_bar()
            self.problems.list.close_list()
            self.columns.close_right()
            self.analysis.stop_asking()
        self.draft.setFocus()

    def write_alone(self, *, alone: bool) -> None:
        """Leave nothing but the text, or bring back what was around it."""
        if alone is self.writes_alone:
            return
        self.writes_alone = alone
        self.columns.leave_writing_alone(alone=alone)
        for part in (self.head, self.time_line, self.status):
            part.setVisible(not alone)
        # Not hidden: the actions of a menu bar that is not there have no keys.
        self.menuBar().setMaximumHeight(0 if alone else LARGEST_HEIGHT)
        self.draft.show_text_alone(alone=alone)
        self.keep_room()
        self.draft.setFocus()

    def keep_room(self) -> None:
        """Leave the room of the right column free beside the text, which does not move when it opens."""
        self.draft.keep_free(0 if self.writes_alone else self.columns.free_width)

    def open_preferences(self, page: str = "") -> None:
        """Show the preferences, with the page of this title in sight if one is named."""
        from quizwriter.gui.dialogs.preferences import PreferencesDialog

        if self.preferences is None:
            self.preferences = PreferencesDialog(
                self.theme,
                self.appearance,
                self.analysis,
                self.keys,
                open_server=self.engines.open_server,
                open_model=self.models.open_settings,
                open_backups=self.recovery.open_backups,
                parent=self,
            )
            self.preferences.finished.connect(self._forget_preferences)
        if page:
            self.preferences.open_page(page)
        self.preferences.show()
        self.preferences.activateWindow()

    def _forget_preferences(self) -> None:
        self.preferences = None

    def start_tour(self) -> None:
        """Show on the example set how tossups are written; a tour that goes on begins anew."""
        from quizwriter.gui.tour import Tour

        if self.tour is not None:
            self.tour.end()
        self.write_alone(alone=False)
        self.sessions.open_examples()
        self.tour = Tour(self.theme, self, self.parts | {"evidence": self.right_tabs}, TOUR)
        self.tour.came.connect(self._show_stop)
        self.tour.ended.connect(self._forget_tour)
        self.tour.go(1)

    def _show_stop(self, stop: TourStop) -> None:
        """Have in sight what a stop of the tour is about."""
        if not stop.asks:
            self.put_away()
        elif not self.columns.shows_players:
            self.show_right()
            self.right_tabs.choose(self.evidence)
            self.analysis.show_next_buzz()

    def _forget_tour(self) -> None:
        self.tour = None

    def open_letters(self) -> None:
        """Open the palette of letters at the field that has the keyboard, else at the draft."""
        from quizwriter.gui.widgets.letter_palette import LetterPalette
        from quizwriter.gui.widgets.popup import text_field_in_focus

        if self.letters is None:
            look = self.appearance
            self.letters = LetterPalette(
                self.theme,
                lambda: look.settings.recent_letters,
                lambda letters: look.save_settings(recent_letters=letters),
                self,
            )
        field = text_field_in_focus() or self.draft
        self.draft.refused_edit.emit() if field.isReadOnly() else self.letters.open_for(field)


def _save_nothing(pending: PendingSave) -> None:
    """Drop ``pending``: the save function of a window that is not persistent."""
