"""The main window: the layout of its panes, and the connections between panes and controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.formats.file_formats import unread_sentence
from quizwriter.gui.background.database_watch import DatabaseWatch
from quizwriter.gui.background.early_imports import EarlyImports
from quizwriter.gui.background.garbage import sweeper
from quizwriter.gui.background.jobs import bugs, release_jobs, stop_background
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.help_texts import WHAT_IS_THIS
from quizwriter.gui.menus import Menus
from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.widgets.file_drops import FileDrops
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.messages import copying_report
from quizwriter.gui.widgets.saved_layout import OpenPlace, resize_within_screen
from quizwriter.gui.writing.tossup_list import ListGrouping
from quizwriter.gui.writing_desk import Desk
from quizwriter.services.wiring import App
from quizwriter.workflow.goals import goal_in_force
from quizwriter.workflow.session import WritingSession

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
        super().__init__(app, theme, persistent=persistent)
        self._app, self._persistent = app, persistent
        self._warned_unsaved = False  # whether the writer was told, and closes all the same
        self._started = self._closed = False
        self.setWindowTitle("QuizWriter")
        self._build_layout()
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
        self.games.kept.connect(lambda _: self.people.read())
        for follow in (self.tossup_actions.engine_changed, self.games.offer_machines):
            self.engines.engine_changed.connect(follow)
        self.analysis.painted.connect(self.painted)
        self.analysis.asked.connect(self._show_answers)
        self.analysis.completed.connect(self.completed)
        self.sessions.may_save = lambda: self.windows.may_save() and not self.recovery.busy
        self.recovery.restored.connect(lambda: self._take_merged({}))
        self.recovery.replaced.connect(self._take_foreign_changes)
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
        self.windows.profile.told.connect(
            lambda text, good: self.messages.show_message("profile", text, news=good)
        )
        self.windows.profile.imported.connect(lambda me: self.sessions.use_author(me.id))
        bugs.reported.connect(self.report)
        self.saver.settled.connect(lambda: self.messages.dismiss("closing"))
        play_all = self.windows.play_all
        play_all.changed.connect(lambda: self.status.show_activity(play_all.text))
        play_all.told.connect(self._tell_played)
        self.engines.engine_changed.connect(lambda: self.messages.dismiss("games"))  # of other players
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
            why = self.saver.why_unsaved
            told = why and self.messages.text("disk")  # that message says why
            said = "" if told else f" {why or 'They could not be written yet.'}"
            self.messages.show_message(
                "closing",
                f"The window stays open because your last words are not on disk yet.{said} Copy the draft to "
                "keep them. Close the window again to close it anyway.",
                [("Copy draft", self.sessions.copy_unsaved)],
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
        if self.sessions.keep_typed():  # while a job kept the draft from being saved
            self.saver.flush(CLOSING_MS)
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
        self.comments.read()

    def _take_files(self, paths: Sequence[Path]) -> None:
        """Do with dropped files what their kind asks for."""
        if left := self.windows.take_files(paths):
            self.messages.show_message("files", unread_sentence(left))

    def _tell_played(self, text: str, good: bool) -> None:
        """Say what was wrong with games; what went well is told in the queue alone."""
        if not good:
            self.messages.show_message("games", text)

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
        self.analysis.hide(hidden=hidden)
        self.clues.hide(hidden=hidden)
        self.people.hide_curve(hidden=hidden)
        self.what_if.follow_hiding()

    def _lock(self, locked: bool) -> None:
        if locked == self.draft.isReadOnly():
            return  # as it is whenever a tossup opens: nothing is laid out for that
        self.draft.lock(locked=locked)
        self.answer.line.setReadOnly(locked)
        self.sessions.undo.offer()
        self._apply_theme()

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        self.columns.fit_letters(self.theme.px)
        for pane in (self.centre, self.guesses, self.evidence, self.panes.past, self.what_if.pane):
            locked = pane is self.centre and self.draft.isReadOnly()
            fill_background(pane, tokens.chrome if locked else tokens.page)

    def _keep_geometry(self) -> None:
        if self._persistent:
            scrolled = self.draft.verticalScrollBar().value()
            place = OpenPlace(self.session.tossup_id, scrolled, self.windows.open_places)
            self.appearance.keep_geometry(self, self.columns, self.right_tabs.chosen_name, place)
