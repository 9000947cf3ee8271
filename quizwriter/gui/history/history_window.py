"""The history window: a tossup's whole life on a slider, what moved the players, and ways back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QWidget

from quizwriter.domain.signatures import Authenticity
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.colours import mixed
from quizwriter.gui.history.chart_pane import ChartPane
from quizwriter.gui.history.moves_pane import MovesPane
from quizwriter.gui.history.playback_bar import PlaybackBar
from quizwriter.gui.history.players_pane import PlayersPane
from quizwriter.gui.history.reread_bar import RereadBar
from quizwriter.gui.history.version_pane import VersionsView
from quizwriter.gui.review.log_pane import LogPane
from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.fields import named, scrolling
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, WrappingLayout, column_of, row_of
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.option_row import OptionRow
from quizwriter.gui.widgets.saved_layout import WindowFrame, WindowPlace, resize_within_screen
from quizwriter.services.tossups import TitledHistory
from quizwriter.services.wiring import App
from quizwriter.workflow.dates import moment
from quizwriter.workflow.history_analysis import History, HistoryMove, StepSize
from quizwriter.workflow.session import PendingSave
from quizwriter.workflow.wording import step_line

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

RELOAD_MS = 1_000
"""How long the writer pauses before what was written meanwhile is added to an open history."""

ROOMY = 1_040
"""Pixels of the window from which there is room for its title, and for two versions beside the players."""

PLAYBACK_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space)
"""Keys that mean the same whatever list has the keyboard."""

TABS = (
    ("players", "Players", "The buzzes and guesses of each player at this version"),
    ("moves", "Buzz moves", "The edits that moved the players' buzzes, the farthest first"),
    ("log", "Log", "Statuses, reasons, comments, consents, tags and releases of the tossup"),
)
UNREADABLE = "The history could not be read because of an error in QuizWriter."
EMPTY_HISTORY = "This tossup has no text yet, so it has no history."


class HistoryWindow(QWidget):
    """One tossup's history.

    ``drawn`` says that text and chart are there, or why there are none.
    ``restored`` carries the text of a version to restore and its styles, ``branched`` the id of a new
    tossup made from one, ``closed`` says that the window is closed.
    """

    drawn = Signal()
    restored = Signal(str, object)
    branched = Signal(str)
    closed = Signal()

    def __init__(
        self,
        app: App,
        theme: Theme,
        tossup_id: str,
        engine: Callable[[], Engine | None],
        jobs: Jobs,
        reader: Jobs,
    ) -> None:
        """The history of ``tossup_id``; ``engine`` gives the one with today's players, if it is loaded.

        ``jobs`` reads the history and ``reader`` has games played; both outlive the window.
        """
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("History")
        self._app, self._theme = app, theme
        self.tossup_id = tossup_id
        self.history: History | None = None
        self._names: Mapping[str, str] = {}
        self._authenticity: tuple[Authenticity, ...] = ()
        self.index = 0
        self._first_index: int | None = None  # the step to begin at; None: the last one
        self._since: int | None = None  # the edit after which changes are marked; None: the last one is
        self._jobs, self._reader = jobs, reader
        self._closed = False
        self._reload_soon = SingleShot(self, RELOAD_MS, self.reload)
        self.messages = MessageBars(theme)
        self.chart_pane = ChartPane(theme, self.messages)
        self.chart_pane.step_chosen.connect(self.go)
        self.chart_pane.options_changed.connect(self._show_step)
        self.chart_pane.drawn.connect(self.drawn)
        self.playback = PlaybackBar(theme, self.play)
        self.playback.stepped.connect(self.step)
        self.playback.ticked.connect(self._play_step)
        self.versions = VersionsView(theme)
        self.players = PlayersPane(theme)
        self.moves = MovesPane(theme)
        self.moves.move_chosen.connect(self._go_to_move)
        self.log = LogPane(app, theme, jobs, tossup_id)
        for view in (self.players.table, self.moves.list):
            view.installEventFilter(self)
        self.reread = RereadBar(app, theme, engine, jobs, reader, self.messages, tossup_id)
        self.reread.plays_changed.connect(self._show_plays)
        self.reread.history_ready.connect(self._find_moves)
        self._lay_out()
        theme.follow(self._apply_theme)
        resize_within_screen(self, 1180, 800)
        self.setMinimumSize(720, 520)
        self.reload()

    # -- reading

    def reload(self) -> None:
        """Read the history again; where its end was shown, the new end is shown."""
        self._jobs.ask(
            lambda _: self._app.tossups.titled_history(self.tossup_id),
            self._take_history,
            self._show_unread,
            still=self._is_open,
        )

    def follow(self) -> None:
        """Show what was written meanwhile, once the writer pauses."""
        self._reload_soon.start()

    @property
    def place(self) -> WindowPlace:
        """What the window shows, to be shown again by :meth:`restore`."""
        at_end = self.history is None or self.index >= len(self.history) - 1
        return WindowPlace(
            "history", WindowFrame.of(self), (self.tossup_id,), self.tab.value, None if at_end else self.index
        )

    def restore_place(self, place: WindowPlace) -> None:
        """Show what the window showed when it closed; its history may not be read yet."""
        if place.frame is not None:
            place.frame.apply(self)
        if place.pane in {name for name, _, _ in TABS}:
            self.tab.choose(place.pane)
        if self.history is None:
            self._first_index = place.at
        elif place.at is not None:
            self.go(place.at)

    def _show_unread(self, trouble: str) -> None:
        if self.history is None:
            self._show_notice(trouble or UNREADABLE)
        else:
            self.messages.show_message("read", trouble or UNREADABLE)

    def _take_history(self, result: TitledHistory) -> None:
        before = self.history
        at_end = before is None or self.index >= len(before) - 1
        self.history, self._names, self._authenticity = result.history, result.names, result.authenticity
        self.reread.history = self.history
        self.chart_pane.title.setText(result.title)
        self.setWindowTitle(f"History of {result.title}")
        self.origin.setText(result.origin)
        self.origin.setVisible(bool(result.origin))
        count = len(self.history)
        if not count:
            self._show_notice(EMPTY_HISTORY)
            return
        self._middle.setCurrentIndex(1)
        self._offer_players()
        first, self._first_index = self._first_index, None
        if first is not None:
            self.go(first)
        else:
            self.go(count - 1 if at_end else self.index)
        self.chart_pane.draw()
        self._find_moves()

    def _show_notice(self, text: str) -> None:
        self.notice.setText(text)
        self._middle.setCurrentIndex(0)
        self.drawn.emit()

    def _show_plays(self) -> None:
        self._offer_players()
        self.chart_pane.draw()
        self._show_step()

    def _offer_players(self) -> None:
        self.chart_pane.use_history(self.history, self.reread.today)
        self.moves.use_histories(self.history, self.reread.today_history)

    def _find_moves(self) -> None:
        histories = [one for one in (self.history, self.reread.today_history) if one is not None]

        def take(_: object) -> None:
            self._offer_players()
            self.moves.show_moves()

        self._jobs.ask(lambda _: [history.moves for history in histories], take, take, still=self._is_open)

    def _is_open(self) -> bool:
        return not self._closed

    # -- stepping

    def go(self, index: int, since: int | None = None) -> None:
        """Show step ``index`` with what changed since edit ``since``, or by the last edit, marked."""
        if self.history is None or not len(self.history):
            return
        self.index = max(0, min(index, len(self.history) - 1))
        self._since = since
        self.chart_pane.go(self.index)
        self._show_step()

    def step(self, direction: int) -> None:
        """Go one step of the chosen size on (1) or back (-1)."""
        if self.history is None or not len(self.history):
            return
        size = StepSize(self.playback.step_size.value)
        index = self.history.next_index(self.index, size, direction)
        before = self.history.steps[self.index].seq if direction > 0 else None
        self.go(index, None if size is StepSize.EDIT else before)

    def play(self) -> None:
        """Step on without being asked, or stop that."""
        if self.playback.playing or self.history is None or len(self.history) < 2:
            self.playback.stop()
            return
        if self.index == len(self.history) - 1:
            self.go(0)
        self.playback.start(len(self.history))

    def _play_step(self) -> None:
        self.step(1)
        if self.history is None or self.index == len(self.history) - 1:
            self.playback.stop()

    def _go_to_move(self, move: HistoryMove) -> None:
        if self.history is not None:
            self.go(self.history.index_of(move.last), move.first - 1)

    def _show_step(self) -> None:
        history, index = self.history, self.index
        if history is None or not len(history):
            return
        step = history.steps[index]
        time = moment(step.at_ms)
        who = self._names.get(history.changes[step.seq - 1].author, "")
        if who and step.seq <= len(self._authenticity):
            who = f"{who} ({self._authenticity[step.seq - 1].word})"
        earlier, later = index > 0, index < len(history) - 1
        said = step_line(history, index, self._since)
        self.playback.show_step(said, f"{time}, {who}" if who else time, earlier=earlier, later=later)
        self.versions.show_step(history, index, self._since, self.chart_pane.hidden)
        self.players.show_step(history, index, self.reread.today, self.chart_pane.unit)
        self.restore_button.setEnabled(later)

    # -- what can be done with a version

    def restore(self) -> None:
        if self.history is not None and len(self.history):
            styles = self.history.styles_after(self.history.steps[self.index].seq)
            self.restored.emit(self.history.text(self.index), styles)

    def branch(self) -> None:
        history, index = self.history, self.index
        if history is None or not len(history):
            return

        self._jobs.ask(
            lambda _: self._app.tossups.branch_from(self.tossup_id, history, index),
            self.branched.emit,
            partial(self.messages.show_message, "branch"),
            still=self._is_open,
        )

    def compare(self) -> None:
        """Hold the version that is shown beside any other that is gone to, or let go of it."""
        comparing = self.compare_button.isChecked()
        self.versions.hold(self.index if comparing else None)
        self._side.setVisible(not comparing or self.width() >= ROOMY)
        if comparing and self.history is not None and self.index == 0:
            self.go(len(self.history) - 1)
        self._show_step()

    # -- layout

    def _lay_out(self) -> None:
        upper = QWidget()
        self.origin = named(plain_label(""), "Where the tossup comes from")
        self.origin.setContentsMargins(16, 8, 16, 0)
        column_of(self.origin, (self.chart_pane, 1), self.playback, on=upper, margins=NO_MARGINS, spacing=0)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(1)
        split.addWidget(upper)
        split.addWidget(self._lower_half())
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 3)
        split.setSizes([330, 430])
        split.setCollapsible(0, False)
        split.setCollapsible(1, False)
        self.notice = plain_label("Reading the history…", wrap=False)
        self.notice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.notice.setWordWrap(True)
        self.notice.setContentsMargins(32, 32, 32, 32)
        self._middle = QStackedWidget()
        self._middle.addWidget(self.notice)
        self._middle.addWidget(split)
        column_of((self._middle, 1), on=self, margins=NO_MARGINS, spacing=0)
        self.messages.lie_over(self, above=self._foot)
        self.chart_pane.slider.setFocus()

    def _lower_half(self) -> QWidget:
        """The versions, the players or what moved them, and what can be done with a version."""
        self._side = self._side_pane()
        sides = QSplitter(Qt.Orientation.Horizontal)
        sides.setHandleWidth(1)
        sides.addWidget(self.versions)
        sides.addWidget(self._side)
        sides.setStretchFactor(0, 1)
        sides.setStretchFactor(1, 0)
        sides.setSizes([780, 400])
        sides.setCollapsible(0, False)
        self.restore_button = outlined("Restore this version", self.restore)
        self.restore_button.setToolTip("Restore this version to the draft, as one edit that you can undo")
        self.branch_button = outlined("New tossup from this version", self.branch)
        self.branch_button.setToolTip("Make a new tossup from this version and its history so far")
        self.compare_button = QPushButton("Compare")
        self.compare_button.setObjectName("outlined")
        self.compare_button.setAutoDefault(False)
        self.compare_button.setCheckable(True)
        self.compare_button.setToolTip("Compare this version with the other versions that you open")
        self.compare_button.clicked.connect(lambda _=False: self.compare())
        self._foot = QWidget()
        between = QWidget()
        foot = WrappingLayout(
            (self.restore_button, self.branch_button, self.compare_button, between, self.reread),
            wide=between,
            spacing=8,
        )
        foot.setContentsMargins(16, 8, 16, 8)
        self._foot.setLayout(foot)
        lower = QWidget()
        column_of((sides, 1), self._foot, on=lower, margins=NO_MARGINS, spacing=0)
        return lower

    def _side_pane(self) -> QWidget:
        """The players, or what moved them, whichever tab is chosen."""
        stack = QStackedWidget()
        stack.addWidget(scrolling(self.players, sideways=False))
        stack.addWidget(self.moves)
        stack.addWidget(self.log)
        self.tab = OptionRow(self._theme, TABS)
        names = [name for name, _, _ in TABS]

        def show() -> None:
            stack.setCurrentIndex(names.index(self.tab.value))
            if stack.currentWidget() is self.log:
                self.log.read()

        self.tab.chosen.connect(show)
        side = QWidget()
        side.setMinimumWidth(300)
        tabs = row_of((self.tab, 1), margins=(12, 8, 12, 0), spacing=8)
        column_of(tabs, (stack, 1), on=side, margins=NO_MARGINS, spacing=0)
        return side

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        pressed = mixed(tokens.accent, tokens.page, 0.16)
        self.compare_button.setStyleSheet(f"QPushButton:checked {{ background: {pressed}; }}")
        fill_background(self, tokens.page)
        self._show_step()

    # -- Qt's

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in PLAYBACK_KEYS
        ):
            self.keyPressEvent(event)  # lists would use them up for nothing
            return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.chart_pane.title.setVisible(self.width() >= ROOMY)  # the window's own title says it, too
        self._side.setVisible(not self.compare_button.isChecked() or self.width() >= ROOMY)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.step(1 if key == Qt.Key.Key_Right else -1)
        elif key == Qt.Key.Key_Space:
            self.play()
        elif key == Qt.Key.Key_Home:
            self.go(0)
        elif key == Qt.Key.Key_End and self.history is not None:
            self.go(len(self.history) - 1)
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._closed = True
        self._reload_soon.stop()
        self.playback.stop()
        self.reread.shutdown()
        self.closed.emit()
        event.accept()


class HistoryWindows(QObject):
    """The history windows that are open, one for each tossup.

    ``restored`` carries a tossup's id, the text to restore and its styles, ``branched`` the id of a new
    tossup.
    """

    restored = Signal(str, str, object)
    branched = Signal(str)

    def __init__(
        self, app: App, theme: Theme, engine: Callable[[], Engine | None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._theme = theme
        self._engine = engine
        self._jobs, self._reader = Jobs("history", self), Jobs("read again", self)
        self.windows: dict[str, HistoryWindow] = {}

    def show(self, tossup_id: str) -> HistoryWindow:
        window = self.windows.get(tossup_id)
        if window is None:
            window = HistoryWindow(self._app, self._theme, tossup_id, self._engine, self._jobs, self._reader)
            window.restored.connect(partial(self.restored.emit, tossup_id))
            window.branched.connect(self.branched)
            window.closed.connect(partial(self._forget, tossup_id))
            self.windows[tossup_id] = window
        window.show()
        window.activateWindow()
        return window

    def follow(self, saving: PendingSave) -> None:
        window = self.windows.get(saving.tossup_id)
        if window is not None and (saving.changes or saving.shown):
            window.follow()

    def shutdown(self) -> None:
        for window in list(self.windows.values()):
            window.close()
        stop_background(self)

    def _forget(self, tossup_id: str) -> None:
        self.windows.pop(tossup_id, None)
