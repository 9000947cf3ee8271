"""The chart of a history with what it shows, a slider under it, and a way to save it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSlider, QToolButton, QWidget

from quizwriter.gui.history.chart import Chart
from quizwriter.gui.history.chart_drawing import ChartContent, PlotFrame, curves, swatch
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.file_dialog import ask_new_file
from quizwriter.gui.widgets.labels import ElidedLabel, plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, WrappingLayout, column_of, row_of
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.option_row import OptionRow
from quizwriter.workflow.history_analysis import History, Position, PositionUnit
from quizwriter.workflow.session import RecordedPlay
from quizwriter.workflow.wording import player_title

LOWEST_CHART = 180
"""The most pixels that the chart needs in height; half of it suffices for letters of 100 %."""

HANDLE = 16
"""Pixels of the slider's handle."""

POSITIONS = (
    (Position.BUZZ, "Buzz", "Draw where each player buzzes"),
    (Position.FIRST, "First right", "Draw the word at which each player is first right"),
    (Position.STABLE, "Stays right", "Draw the word from which each player stays right"),
)
UNITS = (
    (PositionUnit.WORDS, "Words", "Count positions in words"),
    (PositionUnit.PERCENT, "Per cent", "Count positions as a share of the words at that time"),
)
FILE_TYPES = "Drawing (*.svg);;Picture (*.png);;Table of all figures (*.csv)"


class ChartPane(QWidget):
    """The chart. ``step_chosen`` carries the index of a step, ``options_changed`` says that other players are
    hidden or positions are counted in another unit, ``drawn`` that the chart was drawn anew.
    """

    step_chosen = Signal(int)
    options_changed = Signal()
    drawn = Signal()

    def __init__(self, theme: Theme, messages: MessageBars) -> None:
        super().__init__()
        self._theme, self._messages = theme, messages
        self._history: History | None = None
        self._today: Mapping[str, list[tuple[int, RecordedPlay]]] = {}
        self._index = 0
        self.chart = Chart(theme)
        self.chart.chosen.connect(self.step_chosen)
        self.chart.placed.connect(self._align_slider)
        self.hidden: frozenset[str] = frozenset()  # the players that are not drawn
        self.switches: dict[str, QToolButton] = {}
        self.title = ElidedLabel()
        self.position = OptionRow(theme, POSITIONS)
        self.position.chosen.connect(self.draw)
        self._unit = OptionRow(theme, UNITS)
        self._unit.chosen.connect(self.draw)
        self._unit.chosen.connect(self.options_changed)
        switches = QWidget()
        self._switch_row = row_of(on=switches, margins=NO_MARGINS, spacing=2)
        self._save = outlined("Save chart…", self._choose_file)
        self._save.setToolTip("Save the chart as a drawing or a picture, or its figures as a table")
        head = WrappingLayout(
            (self.title, self.position, self._unit, switches, self._save), wide=self.title, spacing=8
        )
        head.setContentsMargins(16, 8, 16, 4)
        self.slider = _StepSlider()
        self.slider.valueChanged.connect(self.step_chosen)
        self._slider_row = row_of(self.slider, margins=(40, 0, 8, 0), spacing=8)  # as the chart places it
        column_of(head, (self.chart, 1), self._slider_row, on=self, margins=NO_MARGINS, spacing=0)
        theme.follow(self._apply_theme)

    @property
    def unit(self) -> PositionUnit:
        return PositionUnit(self._unit.value)

    def count_in(self, unit: PositionUnit) -> None:
        self._unit.choose(unit)

    def use_history(
        self, history: History | None, today: Mapping[str, list[tuple[int, RecordedPlay]]]
    ) -> None:
        """Offer the players of ``history`` and of ``today``'s plays; :meth:`draw` draws them."""
        self._history, self._today = history, today
        if history is not None and len(history):
            with QSignalBlocker(self.slider):
                self.slider.setRange(0, len(history) - 1)
        self._fill_switches()

    def draw(self) -> None:
        if self._history is None or not len(self._history):
            return
        lines = curves(self._history, self._today, self.hidden)
        self.chart.show_drawing(ChartContent(self._history, lines, Position(self.position.value), self.unit))
        self.chart.go(self._index)
        self.drawn.emit()

    def go(self, index: int) -> None:
        """Mark the step at ``index``; emits nothing."""
        self._index = index
        if self.slider.value() != index:
            with QSignalBlocker(self.slider):
                self.slider.setValue(index)
        self.chart.go(index)

    def save(self, path: Path) -> None:
        with self._messages.telling("save"):
            self.chart.save(path, self._today, title=self.title.text())
            self._messages.show_message("save", f"Saved as {path.name}.", brief=True)

    # -- players

    def _fill_switches(self) -> None:
        players = self._history.players if self._history is not None else ()
        names = tuple(dict.fromkeys((*players, *self._today)))
        if tuple(self.switches) == names:
            return
        for button in self.switches.values():
            self._switch_row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.switches = {name: self._switch(name) for name in names}
        for button in self.switches.values():
            self._switch_row.addWidget(button)

    def _switch(self, name: str) -> QToolButton:
        tokens = self._theme.tokens
        button = QToolButton()
        button.setText(player_title(name))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setCheckable(True)
        button.setChecked(name not in self.hidden)
        button.setToolTip(plain_tooltip(f"Show or hide {player_title(name)}"))
        button.clicked.connect(partial(self._toggle_player, name))
        button.setStyleSheet(
            f"QToolButton {{ color: {tokens.wrong}; }}QToolButton:checked {{ color: {tokens.ink}; }}"
        )
        button.setIcon(swatch(self._theme, name, self.devicePixelRatioF()))
        button.setIconSize(QSize(self._theme.px(14), self._theme.px(14)))
        return button

    def _toggle_player(self, name: str, _: bool = False) -> None:
        self.hidden ^= {name}
        self.switches[name].setChecked(name not in self.hidden)
        self.draw()
        self.options_changed.emit()

    # -- files and looks

    def _choose_file(self) -> None:
        ask_new_file(self, "Save chart", f"history of {self.title.text()}.svg", FILE_TYPES, self.save)

    def _align_slider(self, frame: PlotFrame) -> None:
        """Let the slider's handle be under the chart's line."""
        left, right = (round(frame.point(step, 0).x()) for step in (0, frame.last))
        self._slider_row.setContentsMargins(left - HANDLE // 2, 0, self.width() - right - HANDLE // 2, 0)

    def _apply_theme(self) -> None:
        self.chart.setMinimumHeight(min(LOWEST_CHART, self._theme.px(LOWEST_CHART // 2)))
        self.title.setFont(self._theme.font(bold=True))
        switches, self.switches = self.switches, {}
        for button in switches.values():
            button.deleteLater()
        self._fill_switches()


class _StepSlider(QSlider):
    """Takes the mouse and page keys; the window steps with the other keys."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName("Step of the history")
        self.setToolTip("Left and Right step, Home and End go to the ends, Space plays")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            super().keyPressEvent(event)
        else:
            event.ignore()
