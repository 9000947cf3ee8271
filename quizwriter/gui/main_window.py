"""The main window: the layout of its panes, and the connections between panes and controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.formats.file_formats import unread_sentence
from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.answer_controller import AnswerController
from quizwriter.gui.appearance import Appearance
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.database_watch import DatabaseWatch
from quizwriter.gui.background.early_imports import EarlyImports
from quizwriter.gui.background.garbage import sweeper
from quizwriter.gui.background.jobs import bugs, release_jobs, stop_background
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.clues_controller import CluesController
from quizwriter.gui.engine_controller import EngineController
from quizwriter.gui.games_controller import GamesController
from quizwriter.gui.guides_controller import GuidesController
from quizwriter.gui.help_texts import WHAT_IS_THIS
from quizwriter.gui.menus import Menus
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
from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.tossup_actions import TossupActions
from quizwriter.gui.what_if_controller import WhatIfController
from quizwriter.gui.widgets.action_search import ActionSearch
from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.widgets.file_drops import FileDrops
from quizwriter.gui.widgets.key_bindings import KeyBindings
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.messages import copying_report
from quizwriter.gui.widgets.saved_layout import OpenPlace, resize_within_screen
from quizwriter.gui.writing.draft_head import DraftHead
from quizwriter.gui.writing.find_bar import FindBar
from quizwriter.gui.writing.panes import WritingPanes
from quizwriter.gui.writing.right_tabs import RightTabs
from quizwriter.gui.writing.tossup_list import ListGrouping
from quizwriter.gui.writing.writing_column import WritingColumn
from quizwriter.gui.writing_desk import Desk
from quizwriter.services.wiring import App
from quizwriter.workflow.goals import goal_in_force
from quizwriter.workflow.session import PendingSave, WritingSession

KEY_MS = 1_500
"""After this pause the key of the profile is loaded: the keyring has 25 modules, and guesses come first."""

KEEP_GEOMETRY_MS = 1_000
"""The time, in ms, from the last change of the window's size until the size is saved."""

UNSEEN_MS = 1_000
"""The longest time, in ms, that the start of the engine waits for a paint: a window may open minimised."""

CLOSING_MS = 3_000
"""The longest time, in ms, that a closing window waits for the last save."""


class MainWindow(Desk):
    """The whole program on screen.

    ``painted`` carries the generation whose first guesses have just been painted, ``completed`` the one of
    which all players' guesses have been.
    """

    painted = Signal(int)
    completed = Signal(int)

    def __init__(
        self, app: App, theme: Theme, *, session: WritingSession | None = None, persistent: bool = True
    ) -> None:
        """A window on ``app``; without ``persistent``, nothing reaches the disk."""
        save = app.tossups.save if persistent else _save_nothing  # may raise, so before any thread runs
        super().__init__()
        self._app, self.theme, self._persistent = app, theme, persistent
        self._warned_unsaved = False  # whether the writer was told, and closes all the same
        self._started = self._closed = False
        self.setWindowTitle("QuizWriter")
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
        save_settings = self.appearance.save_settings
        self.analysis = AnalysisController(
            app.profile, self.analysis_runner, panes, save_settings=save_settings,
            is_hidden=app.review.hides_machines if persistent else lambda _: False, parent=self,
        )  # fmt: skip
        self.sessions = SessionController(app, self.saver, self.analysis, panes, parent=self)
        self.models = ModelController(
            app, theme, self.analysis_runner, self.analysis, panes,
            save_settings=save_settings, persistent=persistent, parent=self,
        )  # fmt: skip
        self.engines = EngineController(
            app, theme, self.analysis_runner, self.analysis, panes,
            save_settings=save_settings, persistent=persistent, parent=self,
        )  # fmt: skip
        self.answers = AnswerController(
            app, panes.answer, session=lambda: self.sessions.current, engine=lambda: self.analysis.engine,
            persistent=persistent, parent=self,
        )  # fmt: skip
        self.comments = CommentsController(
            app, theme, self.draft, self.saver, self.messages, save=self.save, parent=self
        )
        self.review_actions = ReviewActions(
            app, theme, self.saver, self.messages, self, save=self.save, engine=lambda: self.analysis.engine
        )
        self.problems = ProblemsController(
            app, theme, panes, self.analysis, self.review_actions, save=self.save, parent=self
        )
        self.sources = SourcesController(
            app, theme, panes, self.review_actions,
            save=self.save, title=lambda: self.sessions.title, parent=self,
        )  # fmt: skip
        self.windows = SecondaryWindows(
            app, theme, self.saver, self.header, self.review_actions,
            save=self.save, engine=lambda: self.analysis.engine, parent=self,
        )  # fmt: skip
        self.tossup_actions = TossupActions(
            app, theme, self.saver, self.sessions, panes, self.review_actions, self.windows,
            engine=lambda: self.analysis.engine, parent=self,
        )  # fmt: skip
        self.engines.engine_changed.connect(self.tossup_actions.engine_changed)
        self.pasted = PastedQuestion(
            panes, self.sessions, self.header, self.review_actions, parent=self,
            show_import=self.windows.import_pasted, put_in_bin=self.tossup_actions.put_in_bin,
        )  # fmt: skip
        self.guides = GuidesController(
            app, theme, panes, self.sessions, engine=lambda: self.analysis.engine, parent=self
        )  # fmt: skip
        self.past = PastController(app, panes.past, lambda: self.analysis.engine, self)
        self.clues = CluesController(
            app, theme, self.draft,
            engine=lambda: self.analysis.engine, marked=self.appearance.marks_stock_clues,
            persistent=persistent, parent=self,
        )  # fmt: skip
        panes.past.add_on_top(self.clues.view)
        self.what_if = WhatIfController(
            app, theme, panes, self.analysis, self.clues,
            strip_shown=self.appearance.shows_clue_strip, parent=self,
        )  # fmt: skip
        self.games = GamesController(
            app, theme, save=self.save, engine=lambda: self.analysis.engine, session=lambda: self.session,
            speed=lambda: self.appearance.reading_speed, parent=self,
        )  # fmt: skip
        self.games.kept.connect(lambda _: self.people.read())
        self.engines.engine_changed.connect(self.games.offer_machines)
        self.people = PeopleController(
            app, theme, panes,
            save=self.save, set_name=lambda: self.header.review.set_name, add_name=self.answer.add_name,
            shown=self.appearance.shows_people_lane, parent=self,
        )  # fmt: skip
        self.recovery = RecoveryController(app, theme, self.saver, self.messages, save=self.save, parent=self)
        self.find_bar = FindBar(theme, self.draft)
        self._build_layout()
        self.keys = KeyBindings(
            self.appearance.settings.keys, lambda keys: self.appearance.save_settings(keys=keys), self
        )
        self.action_search = ActionSearch(theme, (), self)
        self.menus = Menus(self)
        self._use_actions()
        self._start_soon = SingleShot(self, UNSEEN_MS, self.start)
        self._load_key_soon = SingleShot(self, KEY_MS, self.windows.profile.load_key)
        self._keep_geometry_soon = SingleShot(self, KEEP_GEOMETRY_MS, self._keep_geometry)
        self._connect()
        self._apply_theme()
        self._follow_right()
        self.time_line.show_legend(shown=self.appearance.settings.shows_legend)
        self.tossups.group_by(ListGrouping(app.profile.settings.list_grouping))
        if persistent:
            self.right_tabs.choose_name(self.appearance.restore_geometry(self, self.columns))
        self.sessions.read_list()
        self.appearance.say_trouble()
        if session is None:
            self.sessions.open_first()
        else:
            self.sessions.open(session)
        self.draft.setFocus()

    def _build_layout(self) -> None:
        self.head = DraftHead(self.theme, self.answer, self.header)
        self._centre = WritingColumn(
            self.theme, (self.head,), self.draft, (self.find_bar,), self.time_line,
            (self.what_if.strip, self.people.lane),
        )  # fmt: skip
        self.right_tabs = RightTabs(
            self.theme, self.evidence, self.panes.past, self.what_if.pane, self.comments.pane
        )
        self.columns = ColumnLayout(
            self.tossups, self._centre, self.guesses, self.evidence, self.right_tabs.hold_evidence_in
        )
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.columns, 1)
        rows.addWidget(self.status)
        self.setCentralWidget(whole)
        self.columns.add_page(self.problems.list)
        self.columns.close_right()
        self.messages.lie_over(whole)
        self.setMinimumSize(QSize(760, 480))
        resize_within_screen(self, 1280, 800)

    def _use_actions(self) -> None:
        """Give the actions to the parts that offer or switch them, and explain each part."""
        actions = self.menus.actions
        self.sessions.undo.use_actions(actions["undo"], actions["redo"])
        self.draft.offers = [actions[one] for one in ("comment", "suggest", "sources", "cite-evidence")]
        self.draft.tour_requested.connect(self.start_tour)
        self.analysis.players_changed.connect(self.menus.renew)
        self.parts = {
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
        for name, part in self.parts.items():
            part.setWhatsThis(plain_tooltip(WHAT_IS_THIS[name]))

    def _connect(self) -> None:
        """Connect the signals of panes and controllers."""
        for signal in (self.columns.left, self.answer.done, self.tossups.left, self.find_bar.left):
            signal.connect(self.draft.setFocus)
        self.columns.moved.connect(self._keep_geometry_soon.start)
        self.columns.moved.connect(self.keep_room)
        rows = (self.head, self.find_bar, self.time_line, self.what_if.strip, self.people.lane)
        for row in rows:
            self.draft.placed.connect(row.align)
        self.draft.refused_edit.connect(self.header.refuse_edit)
        self.guesses.height_changed.connect(self._fit_guesses)
        self.tossups.menu_wanted.connect(self.tossup_actions.show_menu)
        self.right_tabs.switched.connect(self._follow_right)
        self.columns.turned.connect(self._follow_right)
        self.problems.list.opened.connect(self.analysis.stop_asking)
        self.problems.list.opened.connect(lambda: self.columns.show_page(self.problems.list))
        self.problems.list.closed.connect(lambda: self.columns.leave_page(self.problems.list))
        self.past.counted.connect(self.right_tabs.show_past_count)
        for cited in (self.panes.past.cited, self.windows.cited):
            cited.connect(self.sources.cite)
        for changed in (self.sessions.edited, self.engines.engine_changed):
            changed.connect(self.past.follow_edit)
        for changed in (self.sessions.edited, self.engines.engine_settled):
            changed.connect(self.clues.follow_change)
        self.sessions.edited.connect(sweeper.note_key)
        self._imports = EarlyImports(self)
        self.sessions.edited.connect(self._imports.note_key)
        self.engines.engine_settled.connect(self._imports.begin)
        self.analysis.painted.connect(self.painted)
        self.analysis.asked.connect(self._show_answers)
        self.analysis.completed.connect(self.completed)
        self.sessions.may_save = lambda: self.windows.may_save() and not self.recovery.busy
        self.recovery.restored.connect(lambda: self._take_merged({}))
        self.sessions.opened.connect(self._take_session)
        self.sessions.examples_listed.connect(self.columns.show_tossups)
        self.comments.shown.connect(self.show_right)
        self.comments.shown.connect(lambda: self.right_tabs.show_for_now(self.comments.pane))
        self.find_bar.set_wanted.connect(self.tossup_actions.replace_in_set)
        self.tossup_actions.changed.connect(self._take_foreign_changes)
        self.review_actions.changed.connect(lambda _: self.sessions.read_list())
        self.tossups.grouping_changed.connect(lambda name: self.appearance.save_settings(list_grouping=name))
        self.tossups.bin_wanted.connect(lambda key: self.tossup_actions.put_in_bin([key]))
        self.comments.counted.connect(
            lambda threads, unsent: self.right_tabs.show_comment_count(threads, unsent=unsent)
        )
        self.header.use(self.review_actions)
        self.header.resized.connect(self.head.place)
        self.header.locked.connect(self._lock)
        self.header.locked.connect(lambda _: self._show_goal())
        self.header.hidden.connect(self._hide_machines)
        self.problems.sheet_changed.connect(self._take_sheet)
        for follow in (self.sessions.show_counts, self.problems.read):
            self.appearance.lengths_changed.connect(follow)
        self.windows.opened.connect(self._open_from_window)
        self.windows.merged.connect(self._take_merged)
        self.windows.imported.connect(self.sessions.read_list)
        for follow in (self.sessions.read_list, self.problems.read, self.comments.read):
            self.windows.recorded.connect(follow)
        self.windows.told.connect(lambda text: self.messages.show_message("import", text, brief=True))
        FileDrops(self).dropped.connect(self._take_files)
        self.windows.profile.told.connect(lambda text: self.messages.show_message("profile", text))
        self.windows.profile.imported.connect(lambda me: self.sessions.use_author(me.id))
        bugs.reported.connect(self.report)
        play_all = self.windows.play_all
        play_all.changed.connect(lambda: self.status.show_activity(play_all.text))
        if self._persistent:
            self.engines.engine_changed.connect(self.windows.use_engine)
        self._watch = DatabaseWatch(self._app.tossups.foreign_version, self)
        self._watch.changed.connect(self._take_foreign_changes)
        self.theme.changed.connect(self._apply_theme)

    # -- from start to end

    def start_after_paint(self) -> None:
        """Scroll to where the writer was, and :meth:`start` once the draft is on the screen.

        Threads that load the engine earlier take turns from the first paint.
        """
        place = self.appearance.last_place if self._persistent else None
        if place is not None and place.tossup_id == self.session.tossup_id:
            self.draft.verticalScrollBar().setValue(place.scrolled)
        self.draft.painted.connect(
            lambda: self._start_soon.start_in(0), Qt.ConnectionType.SingleShotConnection
        )
        self._start_soon.start()

    def start(self) -> None:
        """Load the engine, then the key of the profile, and open the windows that were open."""
        if self._started or self._closed:
            return
        self._started = True
        release_jobs()
        self.engines.start()
        if self._persistent and (place := self.appearance.last_place) is not None:
            self.windows.reopen(place.windows)
        self._load_key_soon.start()
        if self._persistent:
            self._watch.start()
            self.recovery.start()

    @property
    def settled(self) -> bool:
        """Whether everything on the screen belongs to the current draft."""
        return self.analysis.settled

    def save(self) -> None:
        """Hand everything not saved yet to the saver."""
        self.sessions.save()

    def report(self, text: str) -> None:
        """Show a message about a bug with the traceback ``text``, after saving the draft."""
        self.save()
        self.messages.show_message(
            "bug",
            "An error occurred in QuizWriter. Your text is safe, and you can continue. Please send a report, "
            "so that the error can be corrected.",
            [copying_report(text)],
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._closed:
            return
        self.save()
        if not self.saver.flush(CLOSING_MS) and not self._warned_unsaved:
            self._warned_unsaved = True
            why = self.saver.why_unsaved or "They could not be written yet."
            self.messages.show_message(
                "closing",
                f"The window stays open because your last words are not on disk yet. {why} Copy the draft to "
                "keep them. Close the window again to close it anyway.",
                [("Copy draft", self.sessions.copy_draft)],
            )
            event.ignore()
            return
        self._keep_geometry()  # while the other windows are open, too
        if not self.windows.close_all():
            event.ignore()
            return
        self._closed = True
        self._watch.stop()
        self.hide()  # a player may be waiting for its server; the writer need not
        for part in (
            self.evidence, self.comments, self.windows, self.recovery, self.what_if, self.guides, self.models,
            self.engines, self.games,
        ):  # fmt: skip
            part.shutdown()
        stop_background(self)
        bugs.reported.disconnect(self.report)
        self._app.close()  # first, so that no thread waits for a player
        self.analysis_runner.stop()
        self.saver.stop()
        event.accept()

    # -- what comes back from controllers and other windows

    def _take_session(self, session: WritingSession) -> None:
        self.header.open(session)
        self.sources.open(session)
        self.past.open(session)
        self.clues.open(session)
        self.what_if.open(session)
        self.people.open(session)
        self.find_bar.open_tossup()
        self.right_tabs.return_to_choice()
        if self._persistent:
            self.comments.open(session)
            self.problems.open(session)

    def _open_from_window(self, tossup_id: str) -> None:
        self.sessions.open_saved(tossup_id)
        self.comments.reveal()
        self.activateWindow()

    def _take_merged(self, moved: Mapping[str, str]) -> None:
        """Show the database after a merge, in which the tossups in ``moved`` got other ids."""
        self.windows.refresh()
        self.sessions.reopen(moved)
        self.comments.read()

    def _take_foreign_changes(self) -> None:
        """Show what another program wrote into the database, such as an import by a command."""
        self.sessions.read_list()
        self.header.refresh()
        self.windows.refresh()
        self.problems.read()

    def _take_files(self, paths: Sequence[Path]) -> None:
        """Do with dropped files what their kind asks for."""
        if left := self.windows.take_files(paths):
            self.messages.show_message("files", unread_sentence(left))

    # -- how it looks

    def _show_answers(self) -> None:
        """Show what answers a question on a word, a guess or a player."""
        self.right_tabs.choose(self.evidence)
        self.show_right()

    def _follow_right(self) -> None:
        """Shade the draft while its evidence is in sight, and work for panes only while they are."""
        seen = self.right_tabs.shown if self.columns.shows_players else None
        self.draft.show_cues(shown=seen is self.evidence)
        self.past.show(seen=seen is self.panes.past)
        self.what_if.show(seen=seen is self.what_if.pane)
        self.keep_room()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.put_away()
        else:
            super().keyPressEvent(event)

    def _fit_guesses(self, pixels: int) -> None:
        """Give the guesses ``pixels`` of height, and update the chooser of the evidence pane."""
        self.columns.fit_guesses(pixels)
        self.analysis.update_evidence_chooser()

    def _take_sheet(self, sheet: StyleSheet) -> None:
        """Follow the lengths, the buzz rule and the goal of the tossup's set."""
        self.sessions.use_sheet(sheet)
        self.analysis.use_sheet(sheet)
        self._show_goal()

    def _show_goal(self) -> None:
        """Show before which word no player is to buzz, by the tossup or by its set."""
        self.time_line.show_goal(goal_in_force(self.header.review.buzz_goal, self.problems.sheet))

    def _hide_machines(self, hidden: bool) -> None:
        """Hide the machines' side of the tossup, or show it again."""
        self.analysis.hide(hidden=hidden)
        self.clues.hide(hidden=hidden)
        self.people.hide_curve(hidden=hidden)
        self.what_if.follow_hiding()

    def _lock(self, locked: bool) -> None:
        """Lock the tossup against edits, or unlock it."""
        self.draft.lock(locked=locked)
        self.answer.line.setReadOnly(locked)
        self.sessions.undo.offer()
        self._apply_theme()

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        self.columns.fit_letters(self.theme.px)
        for pane in (self._centre, self.guesses, self.evidence, self.panes.past, self.what_if.pane):
            locked = pane is self._centre and self.draft.isReadOnly()
            fill_background(pane, tokens.chrome if locked else tokens.page)

    def _keep_geometry(self) -> None:
        if self._persistent:
            scrolled = self.draft.verticalScrollBar().value()
            place = OpenPlace(self.session.tossup_id, scrolled, self.windows.open_places)
            self.appearance.keep_geometry(self, self.columns, self.right_tabs.chosen_name, place)


def _save_nothing(pending: PendingSave) -> None:
    """Drop ``pending``: the save function of a window that is not persistent."""
