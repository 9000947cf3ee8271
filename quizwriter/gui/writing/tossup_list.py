"""The tossup list: everything written so far, the last changed first, found by what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from unicodedata import bidirectional, combining, normalize

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from quizwriter.gui.theme import Theme, tint
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.workflow.wording import counted_noun

OPENING = 60
"""Characters of a draft that the list shows."""

_Index = QModelIndex | QPersistentModelIndex


class ListableTossup(Protocol):
    """What the list shows of a tossup; the store's rows are such."""

    @property
    def tossup_id(self) -> str:
        """Which one it is."""

    @property
    def answer_line(self) -> str:
        """What it asks for; empty while that is not decided."""

    @property
    def opening(self) -> str:
        """How it begins."""

    @property
    def words(self) -> int:
        """How long it is."""


@dataclass(frozen=True, slots=True)
class TossupEntry:
    """A tossup of the list."""

    tossup_id: str
    answer_line: str
    opening: str
    words: int

    def has(self, wanted: Sequence[str]) -> bool:
        """Whether all that is ``wanted``, as :func:`fold_case` has it, is in its answer or first words."""
        line = fold_case(self.answer_line)
        return all(word in line for word in wanted) or all(word in fold_case(self.opening) for word in wanted)


def fold_case(text: str) -> str:
    """``text`` without case and accents."""
    if text.isascii():  # most are, and there may be thousands to look through between two keys
        return text.lower()
    return "".join(letter for letter in normalize("NFKD", text.casefold()) if not combining(letter))


class TossupList(QWidget):
    """``opened`` carries the id of the tossup to open; ``new_wanted`` asks for a new one.

    ``menu_wanted`` carries the id of the tossup of which the menu is wanted, and where on the screen.
    """

    opened = Signal(str)
    menu_wanted = Signal(str, object)
    new_wanted = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: list[TossupEntry] = []
        self._current = ""
        self._title = plain_label("Tossups", wrap=False)
        self._new = QToolButton()
        self._new.setText("New")
        self._new.setObjectName("outlined")
        self._new.setToolTip("New tossup (Ctrl+N)")
        self._new.setAccessibleName("New tossup")
        self._new.clicked.connect(self.new_wanted)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setToolTip("Search answers and first words (Ctrl+O)")
        self.search.setAccessibleName("Search tossups")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._open_first)
        self.search.installEventFilter(self)
        self._model = _TossupModel(self)
        self.view = QListView()
        self.view.setModel(self._model)
        self.view.setItemDelegate(_EntryDelegate(theme, self))
        self.view.setUniformItemSizes(True)  # 5,000 tossups scroll like 50
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setMouseTracking(True)
        self.view.setAccessibleName("Tossups")
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.clicked.connect(self._open)
        self.view.activated.connect(self._open)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._want_menu)
        self.view.installEventFilter(self)
        self.view.viewport().installEventFilter(self)
        self._nothing = plain_label(wrap=False)
        self._nothing.setWordWrap(True)
        self._nothing.setContentsMargins(0, 4, 0, 0)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._new)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 8, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.search)
        column.addWidget(self._nothing)
        column.addWidget(self.view, 1)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self._filter()

    def show_all(self, listed: Sequence[ListableTossup]) -> None:
        """List these, the last changed first."""
        self._entries = [
            TossupEntry(one.tossup_id, one.answer_line, one.opening, one.words) for one in listed
        ]
        self._filter()

    def show_changed(self, entry: TossupEntry) -> None:
        """Take over what changed in one of them, which may be new; it keeps its place."""
        for at, known in enumerate(self._entries):
            if known.tossup_id == entry.tossup_id:
                if known != entry:
                    self._entries[at] = entry
                    self._model.replace(entry)
                return
        self._entries.insert(0, entry)
        self._filter()

    def show_current(self, tossup_id: str) -> None:
        """Mark the one that is open."""
        self._current = tossup_id
        row = self._model.row(tossup_id)
        self.view.setCurrentIndex(QModelIndex() if row is None else self._model.index(row))

    def lines(self) -> tuple[str, ...]:
        """The answer lines as listed now."""
        return tuple(entry.answer_line for entry in self._model.entries)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view.viewport():  # a right click asks for the menu, and selects nothing
            press = event if isinstance(event, QMouseEvent) else None
            if press is not None and press.button() == Qt.MouseButton.RightButton:
                return press.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)
        key = event.key() if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress else None
        if watched is self.view and key == Qt.Key.Key_Escape:  # the arrow keys may have moved the mark
            self.show_current(self._current)
            self.left.emit()
            return True
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.view.setFocus()
                if not self.view.currentIndex().isValid() and self._model.entries:
                    self.view.setCurrentIndex(self._model.index(0))
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.search.clear()
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(self._model.entries[index.row()].tossup_id)

    def _want_menu(self, point: QPoint) -> None:
        index = self.view.indexAt(point)
        if index.isValid():
            where = self.view.viewport().mapToGlobal(point)
            self.menu_wanted.emit(self._model.entries[index.row()].tossup_id, where)

    def _open_first(self) -> None:
        if self._model.entries:
            self.opened.emit(self._model.entries[0].tossup_id)

    def _filter(self) -> None:
        wanted = fold_case(self.search.text()).split()
        self._model.show_entries([entry for entry in self._entries if entry.has(wanted)])
        self._nothing.setText(
            "No tossup has these words in its answer or at its beginning."
            if self._entries
            else "Your tossups appear here."
        )
        self._nothing.setVisible(not self._model.entries)
        self.show_current(self._current)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._title.setFont(self._theme.font(bold=True))
        self._nothing.setStyleSheet(f"color: {tokens.soft};")
        self.view.setStyleSheet("background: transparent;")


class _TossupModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: list[TossupEntry] = []

    def rowCount(self, parent: _Index | None = None) -> int:
        return len(self.entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entries[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return entry.answer_line or entry.opening or "New tossup"
        if role == Qt.ItemDataRole.ToolTipRole:
            answer = entry.answer_line or "No answer yet"
            return plain_tooltip(f"{answer}: {counted_noun(entry.words, 'word')}")
        return None

    def row(self, tossup_id: str) -> int | None:
        return next((row for row, entry in enumerate(self.entries) if entry.tossup_id == tossup_id), None)

    def replace(self, entry: TossupEntry) -> None:
        row = self.row(entry.tossup_id)
        if row is not None:
            before, self.entries[row] = self.entries[row], entry
            if (before.answer_line, before.opening) != (entry.answer_line, entry.opening):
                self.dataChanged.emit(
                    self.index(row), self.index(row)
                )  # a list of thousands is laid out anew

    def show_entries(self, entries: list[TossupEntry]) -> None:
        if entries != self.entries:
            self.beginResetModel()
            self.entries = entries
            self.endResetModel()


class _EntryDelegate(QStyledItemDelegate):
    """Two lines: what it asks for, and how it begins."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        high = QFontMetricsF(self._theme.font()).height()
        low = QFontMetricsF(self._theme.font(small=True)).height()
        return QSize(120, round(high + low) + 18)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        model = index.model()
        assert isinstance(model, _TossupModel)
        entry, tokens = model.entries[index.row()], self._theme.tokens
        state, rect = option.state, QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = rect.adjusted(0, 1, 0, -1)
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint(tokens.accent, 0.13))
            painter.drawRoundedRect(box, 6, 6)
            painter.setBrush(QColor(tokens.accent))  # the tint alone is too weak for some eyes
            painter.drawRoundedRect(QRectF(box.left(), box.top() + 8, 3, box.height() - 16), 1.5, 1.5)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint(tokens.ink, 0.05))
            painter.drawRoundedRect(box, 6, 6)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)
        bold, small = self._theme.font(bold=True), self._theme.font(small=True)
        width = box.width() - 16
        high, low = QFontMetricsF(bold), QFontMetricsF(small)
        top = box.top() + (box.height() - high.height() - low.height() - 2) / 2
        painter.setFont(bold)
        painter.setPen(QColor(tokens.ink if entry.answer_line else tokens.soft))
        line = QRectF(box.left() + 8, top, width + 1, high.height())
        _paint_elided(painter, line, entry.answer_line or "No answer yet")
        painter.setFont(small)
        painter.setPen(QColor(tokens.soft))
        line = QRectF(box.left() + 8, line.bottom() + 2, width + 1, low.height())
        _paint_elided(painter, line, entry.opening.replace("\n", " ") or "Empty")
        painter.restore()


def _paint_elided(painter: QPainter, box: QRectF, text: str) -> None:
    """Paint one line of ``text`` in its own reading direction, cut where the ``box`` ends."""
    first = next((kind for kind in map(bidirectional, text) if kind in {"L", "R", "AL"}), "L")
    direction = Qt.LayoutDirection.LeftToRight if first == "L" else Qt.LayoutDirection.RightToLeft
    painter.setLayoutDirection(direction)
    shown = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, box.width() - 1)
    painter.drawText(box, Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignVCenter, shown)
