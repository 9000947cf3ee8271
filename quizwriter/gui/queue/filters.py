"""What narrows the queue: buttons that open lists to tick, and a form for the rarer wishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDateEdit,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QSpinBox,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from quizwriter.gui.theme import Theme, mixed
from quizwriter.gui.widgets.buttons import edge_boxes
from quizwriter.workflow.categories import Category
from quizwriter.workflow.queue import QueueFilter, day
from quizwriter.workflow.wording import player_name


class FacetButton(QToolButton):
    """A button that opens a list of what can be ticked; ``changed`` says that something was."""

    changed = Signal()

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__()
        self._theme = theme
        self._title = title
        self._items: dict[Category, QTreeWidgetItem] = {}
        self._chosen: tuple[Category, ...] = ()
        self._labels: dict[Category, str] = {}
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setColumnCount(2)
        self.tree.setAccessibleName(title)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemChanged.connect(self._ticked)
        self._popup = QMenu(self)
        holder = QWidgetAction(self._popup)
        holder.setDefaultWidget(self.tree)
        self._popup.addAction(holder)
        self.setMenu(self._popup)
        self.setToolTip(title)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def offer(self, options: Sequence[tuple[Category, str, int]]) -> None:
        """Have these to tick: each with what it is called and how many tossups it has, in levels."""
        self.tree.blockSignals(True)
        self.tree.clear()
        self._items, self._labels = {}, {}
        counts: dict[Category, int] = {}
        for path, _, count in options:
            for depth in range(1, len(path) + 1):
                counts[path[:depth]] = counts.get(path[:depth], 0) + count
        called = {path: label for path, label, _ in options}
        for path, count in counts.items():
            above = self._items.get(path[:-1])
            item = QTreeWidgetItem(above if above is not None else self.tree.invisibleRootItem())
            self._labels[path] = called.get(path, path[-1])
            item.setText(0, self._labels[path])
            item.setText(1, f"{count:,}")
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, QColor(self._theme.tokens.soft))
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
            checked = path in self._chosen
            item.setCheckState(0, Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked)
            self._items[path] = item
        for path in self._chosen:
            for depth in range(1, len(path)):
                if path[:depth] in self._items:
                    self._items[path[:depth]].setExpanded(True)
        self.tree.setRootIsDecorated(any(len(path) > 1 for path in counts))
        self.tree.blockSignals(False)
        rows = max(3, min(12, sum(len(path) == 1 for path in counts) + 2 * self.tree.rootIsDecorated()))
        self.tree.setFixedSize(300, rows * (self.tree.sizeHintForRow(0) if counts else 24) + 8)
        self._say()

    @property
    def chosen(self) -> tuple[Category, ...]:
        """What is ticked; what lies below something ticked is not said."""
        return self._chosen

    def choose(self, paths: Sequence[Category]) -> None:
        """Tick these and nothing else; emits nothing."""
        self._chosen = tuple(paths)
        self.tree.blockSignals(True)
        for path, item in self._items.items():
            item.setCheckState(0, Qt.CheckState.Checked if path in self._chosen else Qt.CheckState.Unchecked)
        self.tree.blockSignals(False)
        self._say()

    def _ticked(self) -> None:
        ticked = [path for path, item in self._items.items() if item.checkState(0) is Qt.CheckState.Checked]
        self._chosen = tuple(
            path for path in ticked if not any(path[:depth] in ticked for depth in range(1, len(path)))
        )
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        names = [self._labels.get(path, path[-1] if path else "") for path in self._chosen]
        text = self._title
        if names:
            text += f": {names[0]}" if len(names) == 1 else f": {len(names)}"
        shown = QFontMetricsF(self.font()).elidedText(text, Qt.TextElideMode.ElideRight, 150)
        self.setText(shown.replace("&", "&&"))
        self.setToolTip("\n".join([self._title, *names]))
        style_facet(self, self._theme, active=bool(names))

    def _apply_theme(self) -> None:
        edge_boxes(self.tree, self._theme)
        style_facet(self, self._theme, active=bool(self._chosen))


def style_facet(button: QToolButton, theme: Theme, *, active: bool) -> None:
    """Give ``button`` an edge, and a tint where it is ``active``."""
    tokens = theme.tokens
    back = mixed(tokens.accent, tokens.chrome, 0.13) if active else "transparent"
    edge = tokens.accent if active else tokens.line
    button.setStyleSheet(
        f"""
        QToolButton {{ background: {back}; border: 1px solid {edge}; border-radius: 6px; padding: 4px 10px;
                       color: {tokens.ink}; }}
        QToolButton:hover {{ background: {mixed(tokens.ink, tokens.chrome, 0.07)}; }}
        QToolButton:disabled {{ color: {tokens.wrong}; }}
        QToolButton::menu-indicator {{ image: none; width: 0; }}
        """
    )


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
        self.least, self.most = QSpinBox(), QSpinBox()
        for box, called in ((self.least, "Fewest words"), (self.most, "Most words")):
            box.setRange(0, 999)
            box.setSpecialValueText("any")
            box.setAccessibleName(called)
            box.valueChanged.connect(self._changed)
        self.since = QDateEdit()
        self.since.setCalendarPopup(True)
        self.since.setDate(QDate.currentDate().addDays(-7))
        self.since.setAccessibleName("Changed since")
        self.since.dateChanged.connect(self._changed)
        self.is_since = QCheckBox("Changed since")
        self.edited = QCheckBox("Edited after its status was set")
        self.commented = QCheckBox("Has open comments")
        for tick in (self.is_since, self.edited, self.commented):
            tick.toggled.connect(self._changed)
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(16, 12, 16, 12)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.addWidget(QLabel("Words"), 0, 0)
        between = QHBoxLayout()
        between.setSpacing(8)
        between.addWidget(self.least)
        between.addWidget(QLabel("to"))
        between.addWidget(self.most)
        between.addStretch(1)
        grid.addLayout(between, 0, 1)
        grid.addWidget(self.is_since, 1, 0)
        grid.addWidget(self.since, 1, 1)
        grid.addWidget(self.edited, 2, 0, 1, 2)
        grid.addWidget(self.commented, 3, 0, 1, 2)
        self._stumps = QVBoxLayout()
        self._stumps.setSpacing(4)
        grid.addLayout(self._stumps, 4, 0, 1, 2)
        popup = QMenu(self)
        holder = QWidgetAction(popup)
        holder.setDefaultWidget(inside)
        popup.addAction(holder)
        self.setMenu(popup)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def offer(self, players: Sequence[str]) -> None:
        """Have these players."""
        for name in players:
            if name not in self._players:
                tick = QCheckBox(f"Stumps {player_name(name)}")
                tick.toggled.connect(self._changed)
                self._stumps.addWidget(tick)
                self._players[name] = tick
                edge_boxes(tick, self._theme)

    def put_into(self, wanted: QueueFilter) -> QueueFilter:
        """``wanted`` with what is chosen here."""
        start = self.since.date().startOfDay().toMSecsSinceEpoch()
        return replace(
            wanted,
            stumps=tuple(name for name, tick in self._players.items() if tick.isChecked()),
            least_words=self.least.value() or None,
            most_words=self.most.value() or None,
            changed_after_ms=start if self.is_since.isChecked() else None,
            changed=self.edited.isChecked(),
            commented=self.commented.isChecked(),
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
            self.since.setDate(QDate.fromString(day(wanted.changed_after_ms), Qt.DateFormat.ISODate))
        self.edited.setChecked(wanted.changed)
        self.commented.setChecked(wanted.commented)
        self.blockSignals(False)
        self._apply_theme()

    def _changed(self) -> None:
        self._apply_theme()
        self.changed.emit()

    def _apply_theme(self) -> None:
        for box in (self.least, self.most, self.since, self.is_since, self.edited, self.commented):
            edge_boxes(box, self._theme)
        for tick in self._players.values():
            edge_boxes(tick, self._theme)
        style_facet(self, self._theme, active=self.put_into(QueueFilter()) != QueueFilter())
