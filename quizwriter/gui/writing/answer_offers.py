"""The list under the answer field: pages for what was typed, or past answer lines to take over."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from quizwriter.domain.answer_line import Style
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.layouts import column_of

ROW_PX, LEAST_PX = 28, 480
PADDING_PX = 8


class Offer(msgspec.Struct, frozen=True):
    """A row of the list: ``runs`` are its text with styles, ``aside`` stands soft at the right end.

    ``note`` stands soft behind the text. ``value`` is what the writer gets who picks the row.
    """

    runs: tuple[tuple[str, Style], ...]
    note: str
    aside: str
    value: object

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.runs)

    @property
    def spoken(self) -> str:
        return ", ".join(filter(None, (self.text, self.note, self.aside)))


class OfferList(QFrame):
    """The list. A child of the window, not a window: the field keeps the keyboard.

    ``picked`` carries the value of the row that was clicked.
    """

    picked = Signal(object)

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self.was_stepped = False
        """Whether the writer went to another row."""
        self.setObjectName("floating")
        self._model = _OfferModel(self)
        self._list = named(QListView(), "Answers to choose from")
        self._list.setModel(self._model)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMouseTracking(True)
        self._list.setItemDelegate(_OfferDelegate(theme, self._list))
        self._list.clicked.connect(lambda index: self.picked.emit(self._model.offers[index.row()].value))
        column_of(self._list, on=self, margins=(4, 4, 4, 4))
        self.hide()

    @property
    def offers(self) -> tuple[Offer, ...]:
        return self._model.offers

    def fill(self, offers: Sequence[Offer]) -> None:
        """Offer these where the list stands; no row is chosen."""
        self.was_stepped = False
        self._model.show_offers(tuple(offers))
        self._list.setCurrentIndex(QModelIndex())

    def show_offers(self, offers: Sequence[Offer], below: QLineEdit, *, chosen: bool = True) -> None:
        """Offer these under the field; the first row is ``chosen``, or none until the writer steps to one."""
        self.fill(offers)
        if chosen:
            self._list.setCurrentIndex(self._model.index(0))
        corner = below.mapTo(self.window(), below.rect().bottomLeft())
        room = self.window().width() - corner.x() - PADDING_PX
        width = max(below.width(), min(LEAST_PX, room))  # in a narrow window over the guesses, too
        self.setGeometry(corner.x(), corner.y() + 4, width, ROW_PX * len(offers) + 10)
        self.show()
        self.raise_()

    def current(self) -> object | None:
        """The value of the chosen row."""
        row = self._list.currentIndex().row()
        return self.offers[row].value if 0 <= row < len(self.offers) else None

    def step(self, by: int) -> None:
        """Go to the next row, round and round."""
        self.was_stepped = True
        row, count = self._list.currentIndex().row(), len(self.offers)
        row = (row + by) % count if row >= 0 else (0 if by > 0 else count - 1)
        self._list.setCurrentIndex(self._model.index(row))


class _OfferModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.offers: tuple[Offer, ...] = ()

    def show_offers(self, offers: tuple[Offer, ...]) -> None:
        self.beginResetModel()
        self.offers = offers
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.offers)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        offer = self.offers[index.row()]
        if role == Qt.ItemDataRole.UserRole:
            return offer
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return offer.spoken
        return None


class _OfferDelegate(QStyledItemDelegate):
    """Paints a row: the text with its styles, the note behind it, the aside at the right end."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, ROW_PX)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = self._theme.tokens
        offer: Offer = index.data(Qt.ItemDataRole.UserRole)
        state, rect = option.state, QRectF(option.rect)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            colour = QColor(tokens.accent)
            if not chosen:
                colour.setAlphaF(0.10)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(rect, 4, 4)
        ink = QColor(tokens.on_accent if chosen else tokens.ink)
        soft = QColor(tokens.on_accent if chosen else tokens.soft)
        inside = rect.adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        small = self._theme.font(small=True)
        painter.setFont(small)
        painter.setPen(soft)
        sides = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(inside, sides | Qt.AlignmentFlag.AlignRight, offer.aside)
        right = inside.right() - QFontMetricsF(small).horizontalAdvance(offer.aside) - 2 * PADDING_PX
        x = inside.left()
        pieces = [(text, style, ink) for text, style in offer.runs]
        for text, style, colour in (*pieces, (f"  {offer.note}" if offer.note else "", Style.PLAIN, soft)):
            font = self._theme.font(bold=bool(style & Style.BOLD))
            font.setUnderline(bool(style & Style.UNDERLINE))
            font.setItalic(bool(style & Style.ITALIC))
            metrics = QFontMetricsF(font)
            room = max(0.0, right - x)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room + 0.5)
            painter.setFont(font)
            painter.setPen(colour)
            painter.drawText(
                QRectF(x, rect.top(), room + 1, rect.height()), sides | Qt.AlignmentFlag.AlignLeft, shown
            )
            x += metrics.horizontalAdvance(text)
            if x >= right:
                break
        painter.restore()
