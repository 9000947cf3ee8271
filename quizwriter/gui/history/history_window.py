"""The history window: a tossup's whole life on a slider, what moved the players, and ways back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QDateTime,
    QEvent,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListView,
    QProgressBar,
    QPushButton,
    QSlider,
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextEdit,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.history import InlineDiff, differences
from quizwriter.domain.tossup import Span, Tossup, page_title
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import JobQueue, Progress
from quizwriter.gui.theme import Theme, mixed, tint
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.labels import ElidedLabel
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.writing.draft import BuzzMark, DraftMarks, DraftPane, Utf16Positions
from quizwriter.workflow.history_analysis import (
    History,
    HistoryMove,
    HistoryStep,
    Position,
    PositionUnit,
    StepSize,
    every_nth,
    replay_with,
)
from quizwriter.workflow.session import PendingSave, RecordedPlay
from quizwriter.workflow.wording import (
    counted_noun,
    edit_line,
    engine_line,
    move_line,
    player_title,
    sentence,
    shifts_line,
    step_line,
)

if TYPE_CHECKING:
    from quizwriter.gui.history.chart import Chart
    from quizwriter.services import App, Engine, TitledHistory

FRAME_MS, SLOWEST_MS, WHOLE_MS = 33, 600, 20_000
"""How long a step is shown in play: so that all take about the last, within the first two."""

FRESH_MS = 1_000
"""How long the writer pauses before what was written meanwhile is added to an open history."""

LOOK_MS = 250
"""How often what has been read again is drawn while the rest is read."""

LETTERS = 3
"""Up to so many letters are marked by themselves; a larger edit is marked in whole words."""

CHART_MARGIN = 0.012
"""How much of its width the chart leaves free at each end, as the chart knows it, too."""

ROOMY = 1_040
"""Pixels of the window from which there is room for its title, and for two versions beside the players."""

HANDLE = 16
"""Pixels of the slider's handle."""

STEPPING = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space)
"""Keys that mean the same whatever list has the keyboard."""

CHART = "quizwriter.gui.history.chart"
"""Loaded late; it brings the plotting library."""

STRIDES = (
    (StepSize.EDIT, "Edit", "Step by edit"),
    (StepSize.SENTENCE, "Sentence", "Step from one stretch of work on a sentence to the next"),
    (StepSize.GUESS, "Guess", "Step to where some player's guess changed, or what it buzzes on"),
)
POSITIONS = (
    (Position.BUZZ, "Buzz", "Draw where each player buzzes"),
    (Position.FIRST, "First right", "Draw where each player is right for the first time"),
    (Position.STABLE, "Right for good", "Draw from where each player is right for good"),
)
UNITS = (
    (PositionUnit.WORDS, "Words", "Count positions in words"),
    (PositionUnit.PERCENT, "Per cent", "Count positions in per cent of the words there were"),
)
TABS = (
    ("players", "Players", "Where each player stood, and what it guessed"),
    ("moves", "What moved it", "The edits that moved the players' buzzes, the farthest first"),
)
READINGS = (
    ("Every version", 1),
    ("Every 10th version", 10),
    ("Every 100th version", 100),
)
UNREAD = "The history could not be read, because something in QuizWriter went wrong."
NOTHING = "Nothing has been written here yet, so there is no history."
CHART_LOADS = "The chart is being prepared…"
UNMOVED = "No edit moved a player's buzz, as far as the players read along."
LINES = "Dotted: then. Solid: today."
KINDS = "Drawing (*.svg);;Picture (*.png);;Table of all figures (*.csv)"


class OptionRow(QWidget):
    """Some options in a row, of which one holds; ``chosen`` says that it is another."""

    chosen = Signal()

    def __init__(
        self, theme: Theme, options: Sequence[tuple[str, str, str]], parent: QWidget | None = None
    ) -> None:
        """``options`` are values with what they are called and what choosing them does."""
        super().__init__(parent)
        self._theme = theme
        self.value = options[0][0]
        self._buttons: dict[str, QToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for value, title, tip in options:
            button = QToolButton()
            button.setText(title)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setCheckable(True)
            button.clicked.connect(partial(self._pick, value))
            row.addWidget(button)
            self._buttons[value] = button
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def choose(self, value: str) -> None:
        """Let ``value`` hold."""
        self._pick(value)

    def _pick(self, value: str, _: bool = False) -> None:
        changed, self.value = value != self.value, value
        self._apply_theme()
        if changed:
            self.chosen.emit()

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        current = mixed(tokens.accent, tokens.chrome, 0.16)
        for value, button in self._buttons.items():
            button.setChecked(value == self.value)
            button.setFont(self._theme.font(bold=value == self.value))
            button.setStyleSheet(
                f"QToolButton {{ color: {tokens.soft}; padding: 3px 8px; }}"
                f"QToolButton:checked {{ color: {tokens.ink}; background: {current}; }}"
            )


class VersionPane(DraftPane):
    """A version to be read: like the draft, but it takes no keys."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._marked = InlineDiff("", (), (), ())
        self.setReadOnly(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(name)
        theme.changed.connect(self._colour)

    @property
    def marked(self) -> InlineDiff:
        """The version that is shown, with what came and went."""
        return self._marked

    def show_version(self, marked: InlineDiff, buzzes: tuple[BuzzMark, ...] = ()) -> None:
        """Show ``marked``; ``buzzes`` are in code points of its text."""
        if marked != self._marked:
            top = self.verticalScrollBar().value()
            self.put(marked.text, 0)
            self._hint.hide()
            self._marked = marked
            self._colour()
            self.verticalScrollBar().setValue(top)
            self._see(*marked.inserted[:1], *marked.removed[:1])
        self.show_marks(DraftMarks(buzzes=buzzes))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            event.ignore()  # the window has a use for it

    def _see(self, *spans: Span) -> None:
        """Scroll so that the first of ``spans`` is in sight, unless it is."""
        for box in (box for span in spans for box in self.boxes(span)):
            if not self.viewport().rect().contains(box.toRect()):
                bar = self.verticalScrollBar()
                bar.setValue(round(bar.value() + box.center().y() - self.viewport().height() / 2))
            return

    def _colour(self) -> None:
        """Mark what came and what went: by a line under it or through it, and by colour."""
        tokens, units = self._theme.tokens, Utf16Positions(self._marked.text)
        came, went = QTextCharFormat(), QTextCharFormat()
        came.setBackground(tint(tokens.cue, 0.20))
        came.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        came.setUnderlineColor(QColor(tokens.cue))
        went.setForeground(QColor(tokens.soft))
        went.setBackground(tint(tokens.counter, 0.14))
        went.setFontStrikeOut(True)
        selections = []
        for spans, looks in ((self._marked.inserted, came), (self._marked.removed, went)):
            for span in spans:
                selection = QTextEdit.ExtraSelection()
                cursor = QTextCursor(self.document())
                cursor.setPosition(units.to_qt(span.start))
                cursor.setPosition(units.to_qt(span.end), QTextCursor.MoveMode.KeepAnchor)
                selection.cursor, selection.format = cursor, looks
                selections.append(selection)
        self.setExtraSelections(selections)


class HistoryWindow(QWidget):
    """One tossup's history.

    ``drawn`` says that text and chart are there, or why there are none.
    ``restored`` carries the text of a version that is wanted back, ``branched`` the id of a new tossup made
    from one, ``closed`` says that it is gone.
    """

    drawn = Signal()
    restored = Signal(str)
    branched = Signal(str)
    closed = Signal()

    def __init__(
        self,
        app: App,
        theme: Theme,
        tossup_id: str,
        engine: Callable[[], Engine | None],
        jobs: JobQueue,
        reader: JobQueue,
    ) -> None:
        """The history of ``tossup_id``; ``engine`` gives the one with today's players, if it is loaded.

        ``errands`` fetch and ``reader`` has games played; both outlive the window.
        """
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("History")
        self._app = app
        self._theme = theme
        self.tossup_id = tossup_id
        self._engine = engine
        self.history: History | None = None
        self._names: Mapping[str, str] = {}
        self.index = 0
        self._since: int | None = None  # what is marked is what changed since this edit; None: the last one
        self._pinned = 0  # the version beside which the present one is compared
        self._today: dict[str, list[tuple[int, RecordedPlay]]] = {}
        self._read_today: History | None = None  # the same edits as today's players read them
        self._rereading: list[tuple[int, tuple[RecordedPlay, ...]]] = []
        self._cancellation = Cancellation()  # of the reading that goes on, or was last
        self._hidden: frozenset[str] = frozenset()
        self._switches: dict[str, QToolButton] = {}
        self._shown_rows: list[RecordedPlay] = []
        self._chart: Chart | None = None
        self._jobs, self._reader = jobs, reader
        self._gone = False
        self._ticks = QTimer(self)
        self._ticks.timeout.connect(self._tick)
        self._fresh_soon = QTimer(self)
        self._fresh_soon.setSingleShot(True)
        self._fresh_soon.setInterval(FRESH_MS)
        self._fresh_soon.timeout.connect(self.reload)
        self._draw_later = QTimer(self)
        self._draw_later.setInterval(LOOK_MS)
        self._draw_later.timeout.connect(lambda: self._take_reread())
        self._lay_out()
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self.resize(1180, 800)
        self.setMinimumSize(720, 520)
        self._want_chart()
        self.reload()

    # -- what is shown

    @property
    def version(self) -> VersionPane:
        """The pane with the text as it was at the step looked at."""
        return self._version

    @property
    def chart(self) -> Chart | None:
        """The chart of the players' positions; None until its library is loaded."""
        return self._chart

    def reload(self) -> None:
        """Read the history again; who is at its end stays there."""
        self._run(self._jobs, lambda _: self._app.tossups.titled_history(self.tossup_id), self._take_past)

    def follow(self) -> None:
        """Something was written: show that, too, once the writer pauses."""
        self._fresh_soon.start()

    def go(self, index: int, since: int | None = None) -> None:
        """Show step ``index`` with what changed since edit ``since``, or by the last edit, marked."""
        if self.history is None or not len(self.history):
            return
        self.index = max(0, min(index, len(self.history) - 1))
        self._since = since
        if self.slider.value() != self.index:
            self.slider.blockSignals(True)
            self.slider.setValue(self.index)
            self.slider.blockSignals(False)
        if self._chart is not None:
            self._chart.go(self.index)
        self._show_step()

    def step(self, direction: int) -> None:
        """Go one stride on (1) or back (-1)."""
        if self.history is None or not len(self.history):
            return
        stride = StepSize(self.stride.value)
        index = self.history.next_index(self.index, stride, direction)
        before = self.history.steps[self.index].seq if direction > 0 else None
        self.go(index, None if stride is StepSize.EDIT else before)

    def play(self) -> None:
        """Go on by itself, or stop that."""
        if self._ticks.isActive() or self.history is None or len(self.history) < 2:
            self._ticks.stop()
        else:
            if self.index == len(self.history) - 1:
                self.go(0)
            per_step = WHOLE_MS // len(self.history)
            quick = self.stride.value == StepSize.EDIT
            self._ticks.start(max(FRAME_MS, min(SLOWEST_MS, per_step)) if quick else SLOWEST_MS)
        self._say_playing()

    def _tick(self) -> None:
        self.step(1)
        if self.history is None or self.index == len(self.history) - 1:
            self._ticks.stop()
            self._say_playing()

    def _say_playing(self) -> None:
        playing = self._ticks.isActive()
        self._play.setText("Pause" if playing else "Play")
        self._play.setToolTip("Stop here (Space)" if playing else "Play the history (Space)")

    # -- ways back

    def restore(self) -> None:
        """Have the version shown put into the draft."""
        if self.history is not None and len(self.history):
            self.restored.emit(self.history.text(self.index))

    def branch(self) -> None:
        """Make a new tossup of the version shown and all that led to it."""
        history, index = self.history, self.index
        if history is None or not len(history):
            return

        def then(result: str | QuizwriterError | None) -> None:
            if isinstance(result, str):
                self.branched.emit(result)
            elif result is not None:
                self._messages.show_message("branch", str(result))

        self._run(self._jobs, lambda _: self._app.tossups.branch_from(history, index), then)

    def compare(self) -> None:
        """Show the version on screen beside whatever is gone to from here; again: one version alone."""
        comparing = self._compare.isChecked()
        self._beside.setVisible(comparing)
        self._side.setVisible(not comparing or self.width() >= ROOMY)
        self._other_says.setVisible(comparing)
        self._pinned = self.index
        if comparing and self.history is not None and self.index == 0:
            self.go(len(self.history) - 1)
        self._show_step()

    def save(self, path: Path) -> None:
        """Save the chart, or its figures, at ``path``."""
        if self._chart is None:
            return
        try:
            self._chart.save(path, self._today, title=self._title.text())
        except QuizwriterError as trouble:
            self._messages.show_message("save", str(trouble))
        else:
            self._messages.show_message("save", f"Saved as {path.name}.", brief=True)

    # -- then and now

    def read_again(self) -> None:
        """Have today's players read the versions chosen, or stop that."""
        if self._draw_later.isActive():
            self._again.setEnabled(False)
            self._cancellation.cancel()
            return
        history, engine = self.history, self._engine()
        if history is None or not len(history):
            return
        if engine is None or not engine.players:
            self._messages.show_message("again", "No player is ready yet; try again in a moment.", brief=True)
            return
        if (which := self._which.currentIndex()) < len(READINGS):
            indices: Sequence[int] = every_nth(history, READINGS[which][1])
        else:
            indices = sorted({history.index_of(last) for _, last in history.runs})
        self._rereading, self._cancellation = [], Cancellation()
        self._today, self._read_today = {}, None
        rereading, cancellation = self._rereading, self._cancellation

        def do(_: Progress) -> None:
            with self._app.engines.batch_players(engine, cancellation) as reading:
                for found in replay_with(history, indices, reading.players, cancellation):
                    rereading.append(found)

        self._bar.setRange(0, len(indices))
        self._bar.setValue(0)
        self._bar.show()
        self._again.setText("Stop")
        self._draw_later.start()
        self._run(self._reader, do, self._read_done)

    def _take_reread(self, *, last: bool = False) -> None:
        """Show as much as has been read again; a chart of thousands of points is not drawn for each."""
        done = len(self._rereading)
        self._bar.setValue(done)
        self._bar.setToolTip(f"{done:,} of {counted_noun(self._bar.maximum(), 'version')} read")
        drawn = max(map(len, self._today.values()), default=0)
        if done == drawn or (not last and done < drawn * 1.2):
            return
        found: dict[str, list[tuple[int, RecordedPlay]]] = {}
        for index, analyses in self._rereading[:done]:
            for shown in analyses:
                found.setdefault(shown.guesser, []).append((index, shown))
        self._today = found
        then = self.history.players if self.history is not None else ()
        self._lines_say.setVisible(bool(found) and bool(then))
        self._fill_players()
        self._draw()
        self._show_step()

    def _read_done(self, result: object) -> None:
        self._draw_later.stop()
        self._bar.hide()
        self._again.setText("Read again")
        self._again.setEnabled(True)
        self._take_reread(last=True)
        if isinstance(result, QuizwriterError) and not isinstance(result, Cancelled):
            self._messages.show_message("again", str(result))
        history = self.history
        if history is None or not self._today:
            return
        read = [shown for _, analyses in self._rereading for shown in analyses]

        def then(made: History | QuizwriterError | None) -> None:
            if isinstance(made, History):
                self._read_today = made
                self._find_moves()

        self._run(self._jobs, lambda _: History(history.changes, read), then)

    # -- what comes back

    def _take_past(self, result: TitledHistory | QuizwriterError | None) -> None:
        if result is None or isinstance(result, QuizwriterError):
            said = UNREAD if result is None else str(result)
            if self.history is None:
                self._say_instead(said)
            else:
                self._messages.show_message("read", said)
            return
        before = self.history
        at_end = before is None or self.index >= len(before) - 1
        self.history, self._names = result.history, result.names
        self._title.setText(result.title)
        self.setWindowTitle(f"History of {result.title}")
        count = len(self.history)
        if not count:
            self._say_instead(NOTHING)
            return
        self._middle.setCurrentIndex(1)
        self.slider.setRange(0, count - 1)
        self._fill_players()
        self.go(count - 1 if at_end else self.index)
        self._draw()
        self._find_moves()

    def _say_instead(self, text: str) -> None:
        self._message.setText(text)
        self._middle.setCurrentIndex(0)
        self.drawn.emit()

    def _find_moves(self) -> None:
        """Work out what moved the players, then and today."""
        known = [one for one in (self.history, self._read_today) if one is not None]

        def then(_: object) -> None:
            self._fill_players()
            self._show_moves()

        self._run(self._jobs, lambda _: [one.moves for one in known], then)

    def _want_chart(self) -> None:
        """Have the chart made once its library is there, without waiting for that."""

        def then(module: object) -> None:
            if module is not None and not isinstance(module, QuizwriterError):
                self._make_chart()

        if CHART in sys.modules:
            self._make_chart()
        else:
            self._run(self._reader, lambda _: import_module(CHART), then)

    def _make_chart(self) -> None:
        from quizwriter.gui.history.chart import Chart

        self._chart = Chart(self._theme)
        self._chart.chosen.connect(self.go)
        self._chart.placed.connect(self._align)
        self._chart_room.addWidget(self._chart)
        self._chart_room.setCurrentWidget(self._chart)
        self._save.setEnabled(True)
        self._fill_players()
        self._draw()

    def _run(self, jobs: JobQueue, do: Callable[[Progress], object], then: Callable[[Any], object]) -> None:
        """Have ``do`` done elsewhere, and ``then`` here unless the window is gone."""
        jobs.run(do, lambda result: None if self._gone else then(result))

    # -- painting

    def _draw(self) -> None:
        """Draw the chart anew."""
        if self._chart is None or self.history is None or not len(self.history):
            return
        from quizwriter.gui.history.chart import ChartContent, curves

        lines = curves(self.history, self._today, self._hidden)
        self._chart.show_drawing(
            ChartContent(self.history, lines, Position(self._position.value), PositionUnit(self._unit.value))
        )
        self._chart.go(self.index)
        self.drawn.emit()

    def _show_step(self) -> None:
        history = self.history
        if history is None or not len(history):
            return
        index, step = self.index, history.steps[self.index]
        self._told.setText(step_line(history, index, self._since))
        when = QLocale().toString(QDateTime.fromMSecsSinceEpoch(step.at_ms), QLocale.FormatType.ShortFormat)
        who = self._names.get(history.changes[step.seq - 1].author, "")
        self._when.setText(f"{when}, {who}" if who else when)
        text = history.text(index)
        if self._compare.isChecked():
            self._show_both(history, text)
        else:
            marked = self._marked(history, text)
            self._version.show_version(marked, self._buzzes(step, text, marked))
            self._version_says.setText(self._caption(index))
        self._show_players(step)
        earlier, later = index > 0, index < len(history) - 1
        self._back.setEnabled(earlier)
        self._on.setEnabled(later)
        self._restore.setEnabled(later)

    def _marked(self, history: History, text: str) -> InlineDiff:
        """The version with what led to it marked."""
        edit, since = history.edit(self.index), self._since
        seq = history.steps[self.index].seq
        if since is None or since >= seq - 1:
            least = edit.trimmed() if edit is not None else None
            before = history.text_before(self.index)
            if least is not None and len(least.removed) + len(least.inserted) > LETTERS:
                least = least.expanded_to_words(before)
            return InlineDiff.of(before, text, (least.difference,) if least is not None else ())
        before = history.text_after(since)
        return InlineDiff.of(before, text, differences(before, text))

    def _show_both(self, history: History, text: str) -> None:
        """Show the pinned version and this one, the earlier one at the left."""
        other = history.text(self._pinned)
        first, second = (other, text) if self._pinned <= self.index else (text, other)
        found = differences(first, second)
        low, high = sorted((self._pinned, self.index))
        went = InlineDiff(
            first, tuple(one.before for one in found if one.before.start < one.before.end), (), ()
        )
        came = InlineDiff(
            second, (), tuple(one.after for one in found if one.after.start < one.after.end), ()
        )
        self._other.show_version(went)
        self._version.show_version(came)
        self._other_says.setText(self._caption(low))
        self._version_says.setText(self._caption(high))

    def _caption(self, index: int) -> str:
        assert self.history is not None
        step = self.history.steps[index]
        pinned = ", held" if self._compare.isChecked() and index == self._pinned else ""
        return f"After edit {step.seq:,}: {counted_noun(step.words, 'word')}{pinned}"

    def _buzzes(self, step: HistoryStep, text: str, marked: InlineDiff) -> tuple[BuzzMark, ...]:
        """Where players buzzed in this very text."""
        heard = {name: step.shown[name].buzz_heard for name in step.fresh if name not in self._hidden}
        if not any(heard.values()):
            return ()
        words = Tossup(text).words
        found = []
        for name, count in heard.items():
            if count is not None and count <= len(words):
                page, answer = step.shown[name].buzz_page, step.answer
                right = None if answer is None or page is None else answer.accepts(page)
                found.append(BuzzMark(name, marked.place(words[count - 1].end), right))
        return tuple(found)

    def _show_players(self, step: HistoryStep) -> None:
        """Show what each player said as of this step, and says today."""
        assert self.history is not None
        rows: list[tuple[str, bool, RecordedPlay, bool]] = []  # player, today, what, of this very text
        for name in dict.fromkeys((*self.history.players, *self._today)):
            if name in step.shown:
                rows.append((name, False, step.shown[name], name in step.fresh))
            if name in self._today:
                latest = [one for index, one in self._today[name] if index <= self.index][-1:]
                rows += [(name, True, one, one.seq == step.seq) for one in latest]
        per_cent = self._unit.value == PositionUnit.PERCENT
        tokens = self._theme.tokens
        while self.games.topLevelItemCount() < len(rows):
            added = QTreeWidgetItem()
            for place in range(1, 4):
                added.setTextAlignment(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.games.addTopLevelItem(added)
        while self.games.topLevelItemCount() > len(rows):
            self.games.takeTopLevelItem(self.games.topLevelItemCount() - 1)
        self._shown_rows = [shown for _, _, shown, _ in rows]
        for place, (name, today, shown, fresh) in enumerate(rows):
            row = self.games.topLevelItem(place)
            assert row is not None
            row.setText(0, f"{player_title(name)}{' today' if today else ''}")
            for column, position in enumerate(Position, start=1):
                row.setText(column, _short(position.of(shown), shown.words, per_cent=per_cent))
            row.setText(4, engine_line(shown.engine))
            row.setToolTip(4, f"The engine's digest: {shown.engine}")
            colour = QColor(tokens.ink if fresh else tokens.soft)
            tip = "" if fresh else f"It said so after edit {shown.seq:,}; it had not read this version yet."
            for column in range(5):
                row.setForeground(column, colour)
                if column < 4:
                    row.setToolTip(column, tip)
        high = self.games.header().sizeHint().height() + 2
        high += max(1, len(rows)) * (self.games.sizeHintForRow(0) if rows else 24)
        if min(high, 260) != self.games.height():  # with every step it would cost as much as the text
            self.games.setFixedHeight(min(high, 260))
            for column in range(4):
                self.games.resizeColumnToContents(column)
        if rows and not self.games.currentIndex().isValid():
            self.games.setCurrentIndex(self.games.model().index(0, 0))
        self._show_guesses()

    def _show_guesses(self) -> None:
        """Show the guesses of the row chosen."""
        item = self.games.currentItem()
        place = self.games.indexOfTopLevelItem(item) if item is not None else -1
        if self.history is None or not 0 <= place < len(self._shown_rows):
            self._guesses_of.setText("")
            self._guesses.setText("No player had read this version yet.")
            return
        assert item is not None
        answer = self.history.steps[self.index].answer
        shown, tokens = self._shown_rows[place], self._theme.tokens
        self._guesses_of.setText(f"{item.text(0)} guesses in the end")
        lines = []
        for rank, guess in enumerate(shown.top, start=1):
            title = escape(page_title(guess.page))
            if answer is not None and answer.accepts(guess.page):
                title = f"<span style='color:{tokens.right}'><b>✓ {title}</b></span>"
            lines.append(f"<span style='color:{tokens.soft}'>{rank}</span>&nbsp;&nbsp;{title}")
        self._guesses.setText("<br>".join(lines) or "Nothing.")

    def _show_moves(self) -> None:
        today, whose = self._whose.currentData() or (False, "")
        history = self._read_today if today else self.history
        if history is None:
            return
        moves = [move for move in history.moves if move.size(whose)]
        if whose:
            moves.sort(key=lambda move: -move.size(whose))
        self._moves.show_moves(moves, whose)
        self._unmoved.setVisible(not moves)

    def _go_to_move(self, index: QModelIndex, _: QModelIndex | None = None) -> None:
        history = self.history
        if history is not None and index.isValid():
            move = self._moves.moves[index.row()]
            self.go(history.index_of(move.last), move.first - 1)

    def _fill_players(self) -> None:
        """A switch for each player's curve, and a choice of whose moves are listed."""
        names = tuple(dict.fromkeys((*(self.history.players if self.history else ()), *self._today)))
        if self._chart is not None and tuple(self._switches) != names:
            from quizwriter.gui.history.chart import swatch

            for button in self._switches.values():
                button.deleteLater()
            self._switches = {}
            for name in names:
                button = QToolButton()
                button.setText(player_title(name))
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
                button.setCheckable(True)
                button.setChecked(name not in self._hidden)
                button.setToolTip(f"Draw {player_title(name)} or leave it out")
                button.clicked.connect(partial(self._switch, name))
                button.setStyleSheet(
                    f"QToolButton {{ color: {self._theme.tokens.wrong}; }}"
                    f"QToolButton:checked {{ color: {self._theme.tokens.ink}; }}"
                )
                button.setIcon(swatch(self._theme, name, self.devicePixelRatioF()))
                self._switch_row.addWidget(button)
                self._switches[name] = button
        then, today = (() if of is None else of.players for of in (self.history, self._read_today))
        wanted = [(False, name) for name in ("", *then)] + [(True, name) for name in ("", *today) if today]
        if [self._whose.itemData(at) for at in range(self._whose.count())] != wanted:
            chosen = self._whose.currentData()
            self._whose.blockSignals(True)
            self._whose.clear()
            for is_today, name in wanted:
                title = player_title(name) if name else "any player"
                self._whose.addItem(f"{title}{' today' if is_today else ''}", (is_today, name))
            self._whose.setCurrentIndex(wanted.index(chosen) if chosen in wanted else 0)
            self._whose.blockSignals(False)

    def _switch(self, name: str, _: bool = False) -> None:
        self._hidden ^= {name}
        self._switches[name].setChecked(name not in self._hidden)
        self._draw()
        self._show_step()

    # -- layout

    def _lay_out(self) -> None:
        self._messages = MessageBars(self._theme)
        self._title = ElidedLabel()
        self._position = OptionRow(self._theme, POSITIONS)
        self._position.chosen.connect(self._draw)
        self._unit = OptionRow(self._theme, UNITS)
        self._unit.chosen.connect(self._draw)
        self._unit.chosen.connect(self._show_step)
        self._switch_row = QHBoxLayout()
        self._switch_row.setSpacing(2)
        self._save = outlined("Save chart…", self._choose_file)
        self._save.setToolTip("Save the chart as a drawing or a picture, or its figures as a table")
        self._save.setEnabled(False)
        head = _row(16, 8, 16, 4)
        head.addWidget(self._title, 1)
        head.addLayout(self._switch_row)
        head.addStretch(0)
        head.addSpacing(8)
        head.addWidget(self._position)
        head.addSpacing(8)
        head.addWidget(self._unit)
        head.addSpacing(8)
        head.addWidget(self._save)

        self._chart_room = QStackedWidget()
        waiting = QLabel(CHART_LOADS)
        waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._chart_room.addWidget(waiting)
        self.slider = _Slider()
        self.slider.valueChanged.connect(self.go)
        self._slider_row = _row(40, 0, 8, 0)
        self._slider_row.addWidget(self.slider)

        self._back = _arrow("\u2039", "One step back (Left)", lambda: self.step(-1))
        self._play = outlined("Play", self.play)
        self._play.setFixedWidth(72)
        self._on = _arrow("\u203a", "One step on (Right)", lambda: self.step(1))
        self.stride = OptionRow(self._theme, STRIDES)
        self._told = ElidedLabel()
        self._told.setAccessibleName("This step")
        self._when = QLabel()
        transport = _row(16, 0, 16, 8)
        transport.addWidget(self._back)
        transport.addWidget(self._play)
        transport.addWidget(self._on)
        transport.addSpacing(4)
        self._by = QLabel("by")
        transport.addWidget(self._by)
        transport.addWidget(self.stride)
        transport.addSpacing(8)
        transport.addWidget(self._told, 1)
        transport.addWidget(self._when)
        self._say_playing()

        upper = QWidget()
        above = _column(upper)
        above.addLayout(head)
        above.addWidget(self._chart_room, 1)
        above.addLayout(self._slider_row)
        above.addLayout(transport)

        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(1)
        split.addWidget(upper)
        split.addWidget(self._lay_out_versions())
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 3)
        split.setSizes([330, 430])
        split.setCollapsible(0, False)
        split.setCollapsible(1, False)

        self._message = QLabel("Reading the history…")
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setContentsMargins(32, 32, 32, 32)
        self._middle = QStackedWidget()
        self._middle.addWidget(self._message)
        self._middle.addWidget(split)
        whole = _column(self)
        whole.addWidget(self._messages)
        whole.addWidget(self._middle, 1)
        self.slider.setFocus()

    def _lay_out_versions(self) -> QWidget:
        self._version = VersionPane(self._theme, "The version shown")
        self._other = VersionPane(self._theme, "The version it is compared with")
        self._version_says, self._other_says = QLabel(), QLabel()
        self._version_box, self._beside = QWidget(), QWidget()
        for box, says, pane in (
            (self._beside, self._other_says, self._other),
            (self._version_box, self._version_says, self._version),
        ):
            column = _column(box)
            says.setContentsMargins(16, 8, 16, 0)
            column.addWidget(says)
            column.addWidget(pane, 1)
            box.setMinimumWidth(240)
        self._beside.hide()
        texts = QSplitter(Qt.Orientation.Horizontal)
        texts.setHandleWidth(1)
        texts.addWidget(self._beside)
        texts.addWidget(self._version_box)
        self._sides = QSplitter(Qt.Orientation.Horizontal)
        self._sides.setHandleWidth(1)
        self._sides.addWidget(texts)
        self._sides.addWidget(self._lay_out_side())
        self._sides.setStretchFactor(0, 1)
        self._sides.setStretchFactor(1, 0)
        self._sides.setSizes([780, 400])
        self._sides.setCollapsible(0, False)

        self._restore = outlined("Restore this version", self.restore)
        self._restore.setToolTip("Put this version into the draft, as an edit that can be undone")
        self._branch = outlined("New tossup from it", self.branch)
        self._branch.setToolTip("Make a new tossup of this version and its history up to here")
        self._compare = QPushButton("Compare")
        self._compare.setObjectName("outlined")
        self._compare.setAutoDefault(False)
        self._compare.setCheckable(True)
        self._compare.setToolTip("Hold this version beside any other that you go to")
        self._compare.clicked.connect(lambda _=False: self.compare())
        self._which = QComboBox()
        self._which.addItems([*(title for title, _ in READINGS), "The end of every run of edits"])
        self._which.setToolTip("Which versions today's players read")
        self._which.setAccessibleName("Which versions are read again")
        self._again = outlined("Read again", self.read_again)
        self._again.setToolTip(
            "Have today's players read them, to stand beside what was said then; kept until the window closes"
        )
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(96, 8)
        self._bar.hide()
        foot = _row(16, 8, 16, 8)
        for button in (self._restore, self._branch, self._compare):
            foot.addWidget(button)
        foot.addStretch(1)
        self._lines_say = QLabel(LINES)
        self._lines_say.hide()
        foot.addWidget(self._lines_say)
        foot.addWidget(self._bar)
        foot.addWidget(self._which)
        foot.addWidget(self._again)
        lower = QWidget()
        column = _column(lower)
        column.addWidget(self._sides, 1)
        column.addLayout(foot)
        return lower

    def _lay_out_side(self) -> QWidget:
        self.games = QTreeWidget()
        self.games.setHeaderLabels(["", "Buzz", "First right", "For good", "Engine"])
        self.games.setRootIsDecorated(False)
        self.games.setUniformRowHeights(True)
        self.games.setAllColumnsShowFocus(True)
        self.games.setFrameShape(QFrame.Shape.NoFrame)
        self.games.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.games.setAccessibleName("Where each player stood")
        self.games.currentItemChanged.connect(self._show_guesses)
        header = self.games.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(56)
        for place in range(1, 4):
            self.games.headerItem().setTextAlignment(
                place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
        self._guesses_of, self._guesses = QLabel(), QLabel()
        self._guesses.setTextFormat(Qt.TextFormat.RichText)
        self._guesses.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._guesses.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._then = QWidget()
        players = _column(self._then)
        players.setContentsMargins(8, 4, 8, 4)
        players.setSpacing(8)
        players.addWidget(self.games)
        self._guesses_of.setContentsMargins(8, 0, 8, 0)
        self._guesses.setContentsMargins(8, 0, 8, 8)
        players.addWidget(self._guesses_of)
        players.addWidget(self._guesses)
        players.addStretch(1)

        self._whose = QComboBox()
        self._whose.setAccessibleName("Whose buzz was moved")
        self._whose.currentIndexChanged.connect(self._show_moves)
        self._moves = _MovesModel(self)
        self.moves = QListView()
        self.moves.setModel(self._moves)
        self.moves.setItemDelegate(_MoveDelegate(self._theme, self))
        self.moves.setFrameShape(QFrame.Shape.NoFrame)
        self.moves.setUniformItemSizes(True)
        self.moves.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.moves.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.moves.setMouseTracking(True)
        self.moves.setAccessibleName("What moved the players, the farthest first")
        self.moves.clicked.connect(self._go_to_move)
        self.moves.selectionModel().currentChanged.connect(self._go_to_move)
        for view in (self.games, self.moves):
            view.installEventFilter(self)
        self._unmoved = QLabel(UNMOVED)
        self._unmoved.setWordWrap(True)
        self._unmoved.setContentsMargins(8, 8, 8, 8)
        what = QWidget()
        moved = _column(what)
        moved.setContentsMargins(8, 4, 8, 4)
        chooser = _row(8, 4, 8, 4)
        chooser.addWidget(QLabel("The edits that moved the buzz of"))
        chooser.addWidget(self._whose)
        chooser.addStretch(1)
        moved.addLayout(chooser)
        moved.addWidget(self._unmoved)
        moved.addWidget(self.moves, 1)

        self._tabs = QStackedWidget()
        self._tabs.addWidget(self._then)
        self._tabs.addWidget(what)
        self.tab = OptionRow(self._theme, TABS)
        self.tab.chosen.connect(
            lambda: self._tabs.setCurrentIndex([one for one, _, _ in TABS].index(self.tab.value))
        )
        self._side = side = QWidget()
        side.setMinimumWidth(300)
        column = _column(side)
        chosen = _row(12, 8, 12, 0)
        chosen.addWidget(self.tab)
        chosen.addStretch(1)
        column.addLayout(chosen)
        column.addWidget(self._tabs, 1)
        return side

    def _align(self, left: int, right: int) -> None:
        """Let the slider's handle stand under the chart's line."""
        width = self._chart_room.width() - left - right
        inset = round(width * (1 - 1 / (1 + 2 * CHART_MARGIN)) / 2) - HANDLE // 2
        self._slider_row.setContentsMargins(left + inset, 0, right + inset, 0)

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, "Save chart", "", KINDS)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        suffixes = ("svg", "png", "csv")

        def suffix(chosen: str) -> None:
            dialog.setDefaultSuffix(next(one for one in suffixes if f"*.{one}" in chosen))

        dialog.filterSelected.connect(suffix)
        suffix("*.svg")
        dialog.selectFile(f"history of {self._title.text()}.svg")
        dialog.fileSelected.connect(lambda name: self.save(Path(name)))
        dialog.open()

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._title.setFont(self._theme.font(bold=True))
        for label in (self._version_says, self._other_says, self._guesses_of):
            label.setFont(self._theme.font(bold=True, small=True))
        for label in (
            self._when,
            self._by,
            self._version_says,
            self._other_says,
            self._unmoved,
            self._lines_say,
        ):
            label.setStyleSheet(f"color: {tokens.soft};")
        chosen = mixed(tokens.accent, tokens.page, 0.13)
        self.moves.setStyleSheet("background: transparent; border: none;")
        self.games.setStyleSheet(
            "QTreeView { background: transparent; border: none; }"
            f"QTreeView::item:selected {{ background: {chosen}; color: {tokens.ink}; }}"
        )
        pressed = mixed(tokens.accent, tokens.page, 0.16)
        self._compare.setStyleSheet(f"QPushButton:checked {{ background: {pressed}; }}")
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, tokens.page)
        self.setPalette(palette)
        self.setAutoFillBackground(True)
        switches, self._switches = self._switches, {}
        for button in switches.values():
            button.deleteLater()
        self._fill_players()
        self._show_step()

    # -- Qt's

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in STEPPING:
            self.keyPressEvent(event)  # lists would use them up for nothing
            return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._title.setVisible(self.width() >= ROOMY)  # the window's own title says it, too
        self._side.setVisible(not self._compare.isChecked() or self.width() >= ROOMY)

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
        self._gone = True
        self._cancellation.cancel()
        for timer in (self._ticks, self._fresh_soon, self._draw_later):
            timer.stop()
        self.closed.emit()
        event.accept()


class HistoryWindows(QObject):
    """The history windows that are open; one a tossup.

    ``restored`` carries a tossup's id and the text that is wanted back, ``branched`` the id of a new tossup,
    ``broke`` the traceback of a bug.
    """

    restored = Signal(str, str)
    branched = Signal(str)
    broke = Signal(str)

    def __init__(
        self, app: App, theme: Theme, engine: Callable[[], Engine | None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._theme = theme
        self._engine = engine
        self._jobs, self._reader = JobQueue("history"), JobQueue("read again")
        for jobs in (self._jobs, self._reader):
            jobs.broke.connect(self.broke)
        self.windows: dict[str, HistoryWindow] = {}

    def warm(self) -> None:
        """Have the plotting library loaded, because it may be wanted in a moment."""
        if CHART not in sys.modules:
            self._reader.run(lambda _: import_module(CHART), lambda _: None)

    def show(self, tossup_id: str) -> HistoryWindow:
        """Show the history of a tossup."""
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
        """Show what was saved, if a window shows that tossup."""
        window = self.windows.get(saving.tossup_id)
        if window is not None and (saving.changes or saving.shown):
            window.follow()

    def shutdown(self) -> None:
        """Close all windows and end what they have going on."""
        for window in list(self.windows.values()):
            window.close()
        self._jobs.stop()
        self._reader.stop()

    def _forget(self, tossup_id: str) -> None:
        self.windows.pop(tossup_id, None)


class _Slider(QSlider):
    """Takes the mouse; the keys mean strides, which are the window's."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName("Step of the history")
        self.setToolTip("Left and Right step, Home and End go to the ends, Space plays")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            super().keyPressEvent(event)
        else:
            event.ignore()


class _MovesModel(QAbstractListModel):
    """What moved the players."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.moves: list[HistoryMove] = []
        self.whose = ""

    def show_moves(self, moves: list[HistoryMove], whose: str) -> None:
        """List ``moves``; ``whose`` shift is told first."""
        if (moves, whose) != (self.moves, self.whose):
            self.beginResetModel()
            self.moves, self.whose = moves, whose
            self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return len(self.moves)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        move = self.moves[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return move_line(move, self.whose)
        if role == Qt.ItemDataRole.ToolTipRole:
            edits = (
                f"Edit {move.first:,}"
                if move.first == move.last
                else f"Edits {move.first:,} to {move.last:,}"
            )
            return f"<p>{edits}</p><p>{escape(move_line(move, self.whose))}</p>"
        return None


class _MoveDelegate(QStyledItemDelegate):
    """Two lines of what was done, and one of whom it moved."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        high = QFontMetricsF(self._theme.font()).height()
        return QSize(160, round(3 * high) + 22)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        model = index.model()
        assert isinstance(model, _MovesModel)
        move, tokens = model.moves[index.row()], self._theme.tokens
        state, rect = option.state, QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = rect.adjusted(0, 1, 0, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(tint(tokens.accent, 0.13))
            painter.drawRoundedRect(box, 6, 6)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(tint(tokens.ink, 0.05))
            painter.drawRoundedRect(box, 6, 6)
        font = self._theme.font()
        metrics = QFontMetricsF(font)
        inside = box.adjusted(8, 8, -8, -8)
        painter.setFont(font)
        painter.setPen(QColor(tokens.ink))
        what = QRectF(inside.left(), inside.top(), inside.width(), 2 * metrics.height())
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
        text = sentence(edit_line(move.edits))
        used = metrics.boundingRect(what, flags, text).height()
        painter.drawText(what, flags, text)
        painter.setFont(self._theme.font(bold=True))
        painter.setPen(QColor(tokens.accent))
        top = what.top() + min(used, what.height()) + 2
        line = QRectF(inside.left(), top, inside.width(), metrics.height())
        whom = QFontMetricsF(painter.font()).elidedText(
            shifts_line(move.shifts, model.whose), Qt.TextElideMode.ElideRight, line.width()
        )
        painter.drawText(line, Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignVCenter, whom)
        painter.restore()


def _short(heard: int | None, words: int, *, per_cent: bool) -> str:
    """A position in a table's cell."""
    if heard is None:
        return "never"
    return f"{round(100 * heard / max(1, words))}\u00a0%" if per_cent else str(heard)


def _arrow(text: str, tip: str, do: Callable[[], object]) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setAutoRepeat(True)
    button.setFixedSize(28, 28)
    button.clicked.connect(lambda _=False: do())
    return button


def _row(left: int, above: int, right: int, below: int) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(left, above, right, below)
    row.setSpacing(8)
    return row


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    return column
