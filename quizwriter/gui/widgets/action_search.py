"""The search of actions: every action of the menus with its key, narrowed by what is typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.key_bindings import action_name
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip

ROW, MOST = 28, 14
"""Pixels of a row in the search of actions, and how many are shown without scrolling."""


class ActionSearch(QFrame):
    """All actions with their keys, narrowed by what is typed; also the answer to "which keys are there?"."""

    def __init__(self, theme: Theme, actions: Sequence[QAction], window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._actions = tuple(actions)
        self._before: QWidget | None = None
        self.setObjectName("floating")
        self.search = SearchField(theme, "Search the actions", name="Search actions")
        self.list = QListWidget()
        self.list.setAccessibleName("Actions found")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(_ActionDelegate(theme, self))
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 8, 8, 8)
        self._nothing = plain_label("There is no action with this name.", wrap=False)
        self._nothing.setContentsMargins(8, 4, 8, 4)
        box.addWidget(self.search)
        box.addWidget(self._nothing)
        box.addWidget(self.list)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list.itemClicked.connect(self._run)
        self.hide()

    def use(self, actions: Sequence[QAction]) -> None:
        """Search among these from now on."""
        self._actions = tuple(actions)
        if self.isVisible():
            self._filter()

    def names(self) -> tuple[str, ...]:
        """The actions listed now."""
        return tuple(
            action_name(action.text())
            for row in range(self.list.count())
            if isinstance(action := self.list.item(row).data(Qt.ItemDataRole.UserRole), QAction)
        )

    def open(self, before: QWidget | None) -> None:
        """Show all actions; ``before`` gets the keyboard back afterwards."""
        self._before = before
        window = self.window()
        self.search.clear()
        self._filter()
        self.move((window.width() - self.width()) // 2, 48)
        self.show()
        self.raise_()
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search:
            if event.type() == QEvent.Type.FocusOut and self.isVisible():
                self.hide()
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        row, last = self.list.currentRow(), self.list.count() - 1
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        elif event.key() == Qt.Key.Key_Down:
            self.list.setCurrentRow(min(last, row + 1))
        elif event.key() == Qt.Key.Key_Up:
            self.list.setCurrentRow(max(0, row - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            item = self.list.currentItem()
            if item is not None:
                self._run(item)
        else:
            return False
        return True

    def _run(self, item: QListWidgetItem) -> None:
        action = item.data(Qt.ItemDataRole.UserRole)
        self._leave()
        if isinstance(action, QAction):
            action.trigger()

    def _leave(self) -> None:
        self.hide()
        if self._before is not None:
            self._before.setFocus()

    def _filter(self) -> None:
        wanted = self.search.text().strip().casefold().split()
        self.list.clear()
        found: list[tuple[int, QAction]] = []
        for action in self._actions:
            name = action_name(action.text()).casefold()
            searched = f"{name} {action.statusTip()}".casefold()
            # accents find an accent
            if action.isEnabled() and all(word.removesuffix("s") in searched for word in wanted):
                typed = " ".join(wanted)
                # Enter does the first: the action that was named, and not one whose tip has the word.
                found.append((0 if name == typed else 1 if name.startswith(typed) else 2, action))
        for _, action in sorted(found, key=lambda one: one[0]):
            name = action_name(action.text())
            item = QListWidgetItem()
            item.setData(Qt.ItemDataRole.UserRole, action)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name} {action.shortcut().toString()}")
            item.setToolTip(plain_tooltip(action.statusTip()))
            item.setSizeHint(QSize(100, self._theme.px(ROW)))
            self.list.addItem(item)
        if self.list.count():
            self.list.setCurrentRow(0)
        self.list.setVisible(self.list.count() > 0)
        self._nothing.setVisible(not self.list.count())
        room = self.window().height() - 160
        row = self._theme.px(ROW)
        self.list.setFixedHeight(min(MOST, room // row, max(1, self.list.count())) * row)
        self.adjustSize()
        self.resize(min(self._theme.px(520), self.window().width() - 48), self.height())


class _ActionDelegate(QStyledItemDelegate):
    """An action's name and, at the other end, its key."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = self._theme.tokens
        action = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(action, QAction):
            return
        state, rect = option.state, QRectF(option.rect)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent))
            painter.drawRoundedRect(rect, 4, 4)
        inside = rect.adjusted(8, 0, -8, 0)
        painter.setPen(QColor(tokens.on_accent if chosen else tokens.ink))
        painter.setFont(self._theme.font())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignLeft, action_name(action.text()))
        painter.setPen(QColor(tokens.on_accent if chosen else tokens.soft))
        painter.setFont(self._theme.font(small=True))
        key = action.shortcut().toString()
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignRight, key)
        painter.restore()
