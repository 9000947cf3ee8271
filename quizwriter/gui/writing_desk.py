"""The desk of a writer: the parts of the main window, and what goes on across several of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow, QWidget

from quizwriter.gui.help_texts import TOUR, TourStop
from quizwriter.gui.widgets.layouts import LARGEST_HEIGHT

if TYPE_CHECKING:
    from quizwriter.gui.analysis_controller import AnalysisController
    from quizwriter.gui.appearance import Appearance
    from quizwriter.gui.clues_controller import CluesController
    from quizwriter.gui.dialogs.preferences import PreferencesDialog
    from quizwriter.gui.engine_controller import EngineController
    from quizwriter.gui.games_controller import GamesController
    from quizwriter.gui.guides_controller import GuidesController
    from quizwriter.gui.model_controller import ModelController
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
    from quizwriter.gui.tour import Tour
    from quizwriter.gui.what_if_controller import WhatIfController
    from quizwriter.gui.widgets.action_search import ActionSearch
    from quizwriter.gui.widgets.column_layout import ColumnLayout
    from quizwriter.gui.widgets.key_bindings import KeyBindings
    from quizwriter.gui.widgets.letter_palette import LetterPalette
    from quizwriter.gui.widgets.messages import MessageBars
    from quizwriter.gui.widgets.status_line import StatusLine
    from quizwriter.gui.writing.answer_field import AnswerField
    from quizwriter.gui.writing.draft import DraftPane
    from quizwriter.gui.writing.draft_head import DraftHead
    from quizwriter.gui.writing.evidence import EvidencePane
    from quizwriter.gui.writing.find_bar import FindBar
    from quizwriter.gui.writing.panes import WritingPanes
    from quizwriter.gui.writing.right_tabs import RightTabs
    from quizwriter.gui.writing.timeline import TimeLine
    from quizwriter.gui.writing.tossup_list import TossupList
    from quizwriter.workflow.session import WritingSession


class Desk(QMainWindow):
    """The main window as its actions see it; ``MainWindow`` makes the parts and connects them."""

    theme: Theme
    keys: KeyBindings
    action_search: ActionSearch
    panes: WritingPanes
    tossups: TossupList
    answer: AnswerField
    draft: DraftPane
    head: DraftHead
    time_line: TimeLine
    evidence: EvidencePane
    messages: MessageBars
    status: StatusLine
    header: TossupHeader
    find_bar: FindBar
    columns: ColumnLayout
    right_tabs: RightTabs
    appearance: Appearance
    analysis: AnalysisController
    sessions: SessionController
    models: ModelController
    engines: EngineController
    comments: CommentsController
    review_actions: ReviewActions
    problems: ProblemsController
    sources: SourcesController
    windows: SecondaryWindows
    tossup_actions: TossupActions
    pasted: PastedQuestion
    guides: GuidesController
    clues: CluesController
    what_if: WhatIfController
    people: PeopleController
    games: GamesController
    recovery: RecoveryController
    parts: dict[str, QWidget]  # those that *What is this?* explains, by their names in ``WHAT_IS_THIS``

    def __init__(self) -> None:
        super().__init__()
        self.preferences: PreferencesDialog | None = None
        self.tour: Tour | None = None
        self.letters: LetterPalette | None = None
        self.writes_alone = False
        """Whether there is nothing but the text."""

    @property
    def session(self) -> WritingSession:
        """The session of the open tossup."""
        return self.sessions.current

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
