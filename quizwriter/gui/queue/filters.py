"""What narrows the queue: buttons that open lists to tick, and a form for the rarer wishes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QDate, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDateEdit,
    QGridLayout,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import NumberBox
from quizwriter.gui.widgets.facet_button import style_facet
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import STRETCH, row_of
from quizwriter.system.moments import utc_time
from quizwriter.workflow.queue import QueueFilter
from quizwriter.workflow.wording import player_name


class MoreFiltersButton(QToolButton):
    """The rarer filters: players stumped, length, and what happened since; ``changed`` says so."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._players: dict[str, QCheckBox] = {}
        self.setText("More")
        self.setToolTip("Filter by players, length and changes")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.least, self.most = NumberBox(), NumberBox()
        for box, called in ((self.least, "Fewest words"), (self.most, "Most words")):
            box.setRange(0, 999)
            box.setSpecialValueText("any")
            box.setAccessibleName(called)
            box.valueChanged.connect(self._changed)
        self.since = named(QDateEdit(), "Changed since")
        self.since.setCalendarPopup(True)
        self.since.setDisplayFormat("yyyy-MM-dd")
        self.since.setDate(QDate.currentDate().addDays(-7))
        self.since.dateChanged.connect(self._changed)
        self.is_since = QCheckBox("Changed since")
        self.edited = QCheckBox("Edited after its status was set")
        self.commented = QCheckBox("Has open comments")
        self.unplayed = QCheckBox("Current text not played")
        self.unplayed.setToolTip("A player in use has not played the current text")
        for tick in (self.is_since, self.edited, self.commented, self.unplayed):
            tick.toggled.connect(self._changed)
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(16, 12, 16, 12)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.addWidget(plain_label("Words", wrap=False), 0, 0)
        between = row_of(self.least, plain_label("to", wrap=False), self.most, STRETCH, spacing=8)
        grid.addLayout(between, 0, 1)
        grid.addWidget(self.is_since, 1, 0)
        grid.addWidget(self.since, 1, 1)
        grid.addWidget(self.edited, 2, 0, 1, 2)
        grid.addWidget(self.commented, 3, 0, 1, 2)
        self._stumps = QVBoxLayout()
        self._stumps.setSpacing(4)
        grid.addWidget(self.unplayed, 4, 0, 1, 2)
        grid.addLayout(self._stumps, 5, 0, 1, 2)
        popup = QMenu(self)
        holder = QWidgetAction(popup)
        holder.setDefaultWidget(inside)
        popup.addAction(holder)
        self.setMenu(popup)
        theme.follow(self._apply_theme)

    def offer(self, players: Sequence[str]) -> None:
        for name in players:
            if name not in self._players:
                tick = QCheckBox(f"Stumps {player_name(name)}")
                tick.toggled.connect(self._changed)
                self._stumps.addWidget(tick)
                self._players[name] = tick

    def put_into(self, wanted: QueueFilter) -> QueueFilter:
        start = self.since.date().startOfDay().toMSecsSinceEpoch()
        return replace(
            wanted,
            stumps=tuple(name for name, tick in self._players.items() if tick.isChecked()),
            least_words=self.least.value() or None,
            most_words=self.most.value() or None,
            changed_after_ms=start if self.is_since.isChecked() else None,
            changed=self.edited.isChecked(),
            commented=self.commented.isChecked(),
            unplayed=self.unplayed.isChecked(),
        )

    def show_filter(self, wanted: QueueFilter) -> None:
        """Show what ``wanted`` has; emits nothing."""
        self.blockSignals(True)
        self.offer(wanted.stumps)
        for name, tick in self._players.items():
            tick.setChecked(name in wanted.stumps)
        self.least.setValue(wanted.least_words or 0)
        self.most.setValue(wanted.most_words or 0)
        self.is_since.setChecked(wanted.changed_after_ms is not None)
        if wanted.changed_after_ms is not None:
            since = utc_time(wanted.changed_after_ms).astimezone()
            self.since.setDate(QDate(since.year, since.month, since.day))
        self.edited.setChecked(wanted.changed)
        self.commented.setChecked(wanted.commented)
        self.unplayed.setChecked(wanted.unplayed)
        self.blockSignals(False)
        self._apply_theme()

    def _changed(self) -> None:
        self._apply_theme()
        self.changed.emit()

    def _apply_theme(self) -> None:
        style_facet(self, self._theme, active=self.put_into(QueueFilter()) != QueueFilter())
