"""The tossup list: everything written so far, in groups or the last changed first, found by what is in it."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from enum import StrEnum
from typing import Protocol
from unicodedata import bidirectional, combining, normalize

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from quizwriter.domain.answer_line import main_answer, without_markup
from quizwriter.domain.review import Status
from quizwriter.gui.colours import tint
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.icons import Icon, SearchField, draw_icon
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import column_of, row_of
from quizwriter.workflow.wording import counted_noun, sentence

OPENING = 60
"""Characters of a draft that the list shows."""

_Index = QModelIndex | QPersistentModelIndex


class ListableTossup(Protocol):
    """What the list shows of a tossup; the store's rows are such."""

    @property
    def tossup_id(self) -> str: ...

    @property
    def answer_line(self) -> str: ...

    @property
    def opening(self) -> str: ...

    @property
    def words(self) -> int: ...

    @property
    def set_name(self) -> str: ...

    @property
    def packet(self) -> str: ...

    @property
    def status(self) -> str: ...


class ListGrouping(StrEnum):
    """Under which headings the list shows the tossups."""

    NONE = "none"
    SET = "set"
    PACKET = "packet"
    STATUS = "status"


GROUPING_TITLES = {
    ListGrouping.NONE: "Not grouped",
    ListGrouping.SET: "By set",
    ListGrouping.PACKET: "By set and packet",
    ListGrouping.STATUS: "By status",
}
"""What people call the groupings."""


class TossupEntry(msgspec.Struct, frozen=True):
    """A tossup of the list."""

    tossup_id: str
    answer_line: str
    opening: str
    words: int
    set_name: str = ""
    packet: str = ""
    status: str = str(Status.DRAFT)

    @property
    def title(self) -> str:
        return main_answer(self.answer_line) if self.answer_line else ""

    def group(self, grouping: ListGrouping) -> tuple[tuple[object, ...], str]:
        """What its group is sorted by, and the heading of the group."""
        match grouping:
            case ListGrouping.SET:
                return _name_order(self.set_name), self.set_name or "In no set"
            case ListGrouping.PACKET:
                titles = [self.set_name or "In no set", self.packet]
                key = (*_name_order(self.set_name), *_name_order(self.packet))
                return key, ", ".join(filter(None, titles))
            case ListGrouping.STATUS:
                known = self.status in _STATUSES
                return (_STATUSES.index(self.status) if known else 99,), sentence(self.status)
        return (), ""

    def has(self, wanted: Sequence[str]) -> bool:
        """Whether all that is ``wanted``, as :func:`fold_case` has it, is in its answer or first words."""
        line = fold_case(self.answer_line)
        return all(word in line for word in wanted) or all(word in fold_case(self.opening) for word in wanted)


class _Heading(msgspec.Struct, frozen=True):
    """The heading of a group, with how many tossups it has, and whether they are hidden."""

    title: str
    count: int
    folded: bool = False


_STATUSES = [str(status) for status in Status]
_DIGITS = re.compile(r"\d{1,9}")


def _name_order(name: str) -> tuple[object, ...]:
    """Names by the numbers in them, *Packet 2* before *Packet 10*; what has no name comes last."""
    digits = _DIGITS.search(name)
    before = name[: digits.start()] if digits else name
    return not name, fold_case(before), int(digits[0]) if digits else -1, fold_case(name)


def fold_case(text: str) -> str:
    """``text`` without case and accents."""
    if text.isascii():  # most are, and there may be thousands to look through between two keys
        return text.lower()
    return "".join(letter for letter in normalize("NFKD", text.casefold()) if not combining(letter))


FOLD = 12
"""Pixels of the sign that says whether a group is folded."""


class TossupList(QWidget):
    """``opened`` carries the id of the tossup to open; ``new_wanted`` asks for a new one.

    ``menu_wanted`` carries the id of the tossup of which the menu is wanted, and where on the screen;
    ``bin_wanted`` the id of one to be thrown away, ``grouping_changed`` the grouping that the writer chose.
    """

    opened = Signal(str)
    menu_wanted = Signal(str, object)
    new_wanted = Signal()
    bin_wanted = Signal(str)
    grouping_changed = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._entries: list[TossupEntry] = []
        self._current = ""
        self.grouping = ListGrouping.NONE
        self._folded: set[str] = set()
        self._new = named(QToolButton(), "New tossup", "New tossup (Ctrl+N)")
        self._new.setText("New")
        self._new.setObjectName("outlined")
        self._new.clicked.connect(self.new_wanted)
        self.search = SearchField(theme, "Search", name="Search tossups")
        self.search.setToolTip("Search answers and first words (Ctrl+O)")
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._open_first)
        self.search.installEventFilter(self)
        self._model = _TossupModel(self)
        self.view = named(QListView(), "Tossups")
        self.view.setModel(self._model)
        self.view.setItemDelegate(_EntryDelegate(theme, self))
        self.view.setUniformItemSizes(True)  # 5,000 tossups scroll like 50
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setMouseTracking(True)
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
        head = row_of((self.search, 1), self._new, spacing=8)
        column_of(head, self._nothing, (self.view, 1), on=self, margins=(12, 8, 8, 8), spacing=8)
        theme.follow(self._apply_theme)
        self.group_by(ListGrouping.NONE)

    def group_by(self, grouping: ListGrouping) -> None:
        """Show the tossups under the headings of ``grouping``."""
        self.grouping = grouping
        self._filter()

    def choose_grouping(self, grouping: ListGrouping) -> None:
        self.group_by(grouping)
        self.grouping_changed.emit(str(grouping))

    def neighbour(self, tossup_id: str, gone: Container[str]) -> str:
        """The id of the next tossup in sight that is not ``gone``, below or else above; empty: none."""
        keys = [entry.tossup_id for entry in self._model.entries]
        at = keys.index(tossup_id) if tossup_id in keys else 0
        return next((key for key in (*keys[at:], *reversed(keys[:at])) if key not in gone), "")

    def show_all(self, listed: Sequence[ListableTossup]) -> None:
        """List these, the last changed first."""
        self._entries = [
            TossupEntry(
                one.tossup_id,
                without_markup(one.answer_line),
                one.opening,
                one.words,
                one.set_name,
                one.packet,
                one.status,
            )
            for one in listed
        ]
        self._filter()

    def show_changed(self, entry: TossupEntry) -> None:
        """Take over the answer and the text of one, which may be new; it keeps its place and group."""
        for at, known in enumerate(self._entries):
            if known.tossup_id == entry.tossup_id:
                entry = replace(entry, set_name=known.set_name, packet=known.packet, status=known.status)
                if known != entry:
                    self._entries[at] = entry
                    self._model.replace(entry)
                return
        self._entries.insert(0, entry)
        self._filter()

    def show_current(self, tossup_id: str) -> None:
        self._current = tossup_id
        row = self._model.row(tossup_id)
        self.view.setCurrentIndex(QModelIndex() if row is None else self._model.index(row))

    def lines(self) -> tuple[str, ...]:
        return tuple(entry.answer_line for entry in self._model.entries)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view.viewport():  # a right click asks for the menu, and selects nothing
            press = event if isinstance(event, QMouseEvent) else None
            if press is not None and press.button() == Qt.MouseButton.RightButton:
                return press.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)
        key = event.key() if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress else None
        if watched is self.view and key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            entry = self._model.entry(self.view.currentIndex())
            if entry is not None:
                self.bin_wanted.emit(entry.tossup_id)
            return True
        if watched is self.view and key == Qt.Key.Key_Escape:  # the arrow keys may have moved the mark
            self.show_current(self._current)
            self.left.emit()
            return True
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.view.setFocus()
                if not self.view.currentIndex().isValid() and self._model.rows:
                    self.view.setCurrentIndex(self._model.index(0))
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.search.clear()
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _open(self, index: QModelIndex) -> None:
        row = self._model.rows[index.row()]
        if isinstance(row, TossupEntry):
            self.opened.emit(row.tossup_id)
            return
        self._folded ^= {row.title}
        self._filter()
        self.view.setCurrentIndex(self._model.index(index.row()))

    def _want_menu(self, point: QPoint) -> None:
        entry = self._model.entry(self.view.indexAt(point))
        if entry is not None:
            self.menu_wanted.emit(entry.tossup_id, self.view.viewport().mapToGlobal(point))

    def _open_first(self) -> None:
        if self._model.entries:
            self.opened.emit(self._model.entries[0].tossup_id)

    def _filter(self) -> None:
        wanted = fold_case(self.search.text()).split()
        found = [entry for entry in self._entries if entry.has(wanted)]
        self._model.show_rows(_grouped(found, self.grouping, set() if wanted else self._folded))
        self._nothing.setText(
            "No tossup has these words in its answer or its first words."
            if self._entries
            else "Your tossups appear here."
        )
        self._nothing.setVisible(not found)
        self.show_current(self._current)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._nothing.setStyleSheet(f"color: {tokens.soft};")
        self.view.setStyleSheet("background: transparent;")


_Row = TossupEntry | _Heading


def _grouped(entries: Sequence[TossupEntry], grouping: ListGrouping, folded: Container[str]) -> list[_Row]:
    """The ``entries`` under their headings; those of a ``folded`` group are left out."""
    if grouping is ListGrouping.NONE:
        return list(entries)
    groups: dict[str, tuple[tuple[object, ...], list[TossupEntry]]] = {}
    for entry in entries:
        key, title = entry.group(grouping)
        groups.setdefault(title, (key, []))[1].append(entry)
    rows: list[_Row] = []
    for title, (_, found) in sorted(groups.items(), key=lambda group: group[1][0]):
        rows.append(_Heading(title, len(found), title in folded))
        if title not in folded:
            rows += found
    return rows


class _TossupModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[_Row] = []

    @property
    def entries(self) -> list[TossupEntry]:
        return [row for row in self.rows if isinstance(row, TossupEntry)]

    def entry(self, index: _Index) -> TossupEntry | None:
        """The tossup at ``index``; None where there is a heading or nothing."""
        row = self.rows[index.row()] if index.isValid() else None
        return row if isinstance(row, TossupEntry) else None

    def rowCount(self, parent: _Index | None = None) -> int:
        return len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if isinstance(row, _Heading):
            if role == Qt.ItemDataRole.DisplayRole:
                return row.title
            if role == Qt.ItemDataRole.AccessibleTextRole:
                state = "folded" if row.folded else "open"
                return f"{row.title}, group of {counted_noun(row.count, 'tossup')}, {state}"
            if role == Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(f"{row.title}: {counted_noun(row.count, 'tossup')}")
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.title or row.opening or "New tossup"
        if role == Qt.ItemDataRole.ToolTipRole:
            answer = row.answer_line or "No answer yet"
            place = ", ".join(filter(None, [row.set_name, row.packet]))
            facts = "; ".join(filter(None, [counted_noun(row.words, "word"), row.status, place]))
            return plain_tooltip(f"{answer}: {facts}")
        return None

    def row(self, tossup_id: str) -> int | None:
        return next(
            (
                number
                for number, row in enumerate(self.rows)
                if isinstance(row, TossupEntry) and row.tossup_id == tossup_id
            ),
            None,
        )

    def replace(self, entry: TossupEntry) -> None:
        number = self.row(entry.tossup_id)
        before = None if number is None else self.rows[number]
        if number is not None and isinstance(before, TossupEntry):
            self.rows[number] = entry
            if (before.answer_line, before.opening) != (entry.answer_line, entry.opening):
                self.dataChanged.emit(
                    self.index(number), self.index(number)
                )  # a list of thousands is laid out anew

    def show_rows(self, rows: list[_Row]) -> None:
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
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
        entry, tokens = model.rows[index.row()], self._theme.tokens
        state, rect = option.state, QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = rect.adjusted(0, 1, 0, -1)
        if isinstance(entry, _Heading):
            self._paint_heading(painter, entry, box, focused=bool(state & QStyle.StateFlag.State_HasFocus))
            painter.restore()
            return
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
        _paint_elided(painter, line, entry.title or "No answer yet")
        painter.setFont(small)
        painter.setPen(QColor(tokens.soft))
        line = QRectF(box.left() + 8, line.bottom() + 2, width + 1, low.height())
        _paint_elided(painter, line, entry.opening.replace("\n", " ") or "Empty")
        painter.restore()

    def _paint_heading(self, painter: QPainter, heading: _Heading, box: QRectF, *, focused: bool) -> None:
        """Paint a heading at the bottom of its row, over a line."""
        tokens, font = self._theme.tokens, self._theme.font(small=True)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        base = box.bottom() - 6
        count = f"{heading.count:,}"
        room = metrics.horizontalAdvance(count) + 8
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(QPointF(box.left() + 8, base + 3), QPointF(box.right() - 8, base + 3))
        painter.setPen(QColor(tokens.soft))
        line = QRectF(box.left() + 8, base - metrics.height(), box.width() - 16, metrics.height())
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        side = min(self._theme.px(FOLD), line.height())
        sign = QRectF(line.left() - 2, line.center().y() - side / 2, side, side)
        draw_icon(painter, Icon.RIGHT if heading.folded else Icon.DOWN, sign, QColor(tokens.soft))
        _paint_elided(painter, line.adjusted(side + 2, 0, -room, 0), heading.title)
        if focused:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)


def _paint_elided(painter: QPainter, box: QRectF, text: str) -> None:
    """Paint one line of ``text`` in its own reading direction, cut where the ``box`` ends."""
    first = next((kind for kind in map(bidirectional, text) if kind in {"L", "R", "AL"}), "L")
    direction = Qt.LayoutDirection.LeftToRight if first == "L" else Qt.LayoutDirection.RightToLeft
    painter.setLayoutDirection(direction)
    shown = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, box.width() - 1)
    painter.drawText(box, Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignVCenter, shown)
