"""The chooser of several things: a button that opens a list with check boxes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidgetAction,
)

from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import MENU_SIGN, Theme, restyle
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.workflow.categories import Category
from quizwriter.workflow.wording import listed


class FacetButton(QToolButton):
    """A button that opens a list with check boxes, in levels; ``changed`` says that a tick changed."""

    changed = Signal()

    def __init__(self, theme: Theme, title: str, *, placeholder: str = "", room: int = 150) -> None:
        """The button shows its ``title``, or only the choice, and ``placeholder`` where nothing is chosen.

        ``room`` is the width of its text in pixels at most; the tooltip has all of it.
        """
        super().__init__()
        self._placeholder, self._room = placeholder, room
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
        self.tree.itemChanged.connect(self._take_ticks)
        self._popup = QMenu(self)
        holder = QWidgetAction(self._popup)
        holder.setDefaultWidget(self.tree)
        self._popup.addAction(holder)
        self.setMenu(self._popup)
        theme.follow(self._show_choice)  # its title, until it is known what there is to choose

    def offer(self, options: Sequence[tuple[Category, str, int | None]]) -> None:
        """Offer these: each with its levels, its text, and how many tossups it has, None: not shown."""
        with QSignalBlocker(self.tree):
            self.tree.clear()
            self._items, self._labels = {}, {}
            counts: dict[Category, int] = {}
            for path, _, count in options:
                for depth in range(1, len(path) + 1):
                    counts[path[:depth]] = counts.get(path[:depth], 0) + (count or 0)
            counted = any(count is not None for _, _, count in options)
            titles = {path: label for path, label, _ in options}
            for path, count in counts.items():
                above = self._items.get(path[:-1])
                item = QTreeWidgetItem(above if above is not None else self.tree.invisibleRootItem())
                self._labels[path] = titles.get(path, path[-1])
                item.setText(0, self._labels[path])
                item.setText(1, f"{count:,}" if counted else "")
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
        rows = max(3, min(12, sum(len(path) == 1 for path in counts) + 2 * self.tree.rootIsDecorated()))
        self.tree.setFixedSize(300, rows * (self.tree.sizeHintForRow(0) if counts else 24) + 8)
        self._show_choice()

    @property
    def chosen(self) -> tuple[Category, ...]:
        """The ticked entries; those below a ticked entry are left out."""
        return self._chosen

    def choose(self, paths: Sequence[Category]) -> None:
        """Tick these and nothing else; emits nothing."""
        self._chosen = tuple(paths)
        with QSignalBlocker(self.tree):
            for path, item in self._items.items():
                item.setCheckState(
                    0, Qt.CheckState.Checked if path in self._chosen else Qt.CheckState.Unchecked
                )
        self._show_choice()

    def _take_ticks(self) -> None:
        ticked = [path for path, item in self._items.items() if item.checkState(0) is Qt.CheckState.Checked]
        self._chosen = tuple(
            path for path in ticked if not any(path[:depth] in ticked for depth in range(1, len(path)))
        )
        self._show_choice()
        self.changed.emit()

    def _show_choice(self) -> None:
        names = [self._labels.get(path, path[-1] if path else "") for path in self._chosen]
        if self._placeholder:
            text = listed(names) if len(names) < 3 else f"{len(names)} chosen"
            text = text or self._placeholder
        else:
            text = self._title
            if names:
                text += f": {names[0]}" if len(names) == 1 else f": {len(names)}"
        shown = QFontMetricsF(self.font()).elidedText(
            text, Qt.TextElideMode.ElideRight, self._theme.px(self._room)
        )
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(plain_tooltip("\n".join([self._title, *names])))
        style_facet(self, self._theme, active=bool(names))


def style_facet(button: QToolButton, theme: Theme, *, active: bool) -> None:
    """Give ``button`` an edge, and a tint where it is ``active``."""
    tokens = theme.tokens
    back = mixed(tokens.accent, tokens.chrome, 0.13) if active else "transparent"
    edge = tokens.accent if active else tokens.line
    restyle(
        button,
        f"""
        QToolButton {{ background: {back}; border: 1px solid {edge}; border-radius: 6px; padding: 4px 10px;
                       color: {tokens.ink}; }}
        QToolButton[popupMode="2"] {{ padding-right: {theme.px(MENU_SIGN) + 12}px; }}
        QToolButton[popupMode="1"] {{ padding-right: {theme.px(MENU_SIGN) + 14}px; }}
        QToolButton:hover {{ background: {mixed(tokens.ink, tokens.chrome, 0.07)}; }}
        QToolButton:disabled {{ color: {tokens.wrong}; }}
        """,
    )
