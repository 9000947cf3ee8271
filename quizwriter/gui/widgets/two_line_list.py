"""A list whose rows have a title of up to two lines and a caption, painted only where they are seen."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from quizwriter.domain.span import Span
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import qt_length
from quizwriter.gui.widgets.icons import draw_check
from quizwriter.gui.widgets.labels import plain_tooltip

_LINES = 2  # of a title
_LONGEST_TITLE = 400
_EDGE, _TICK = 8, 20  # px around a row's texts, and for the tick before them

ModelIndex = QModelIndex | QPersistentModelIndex


class ListRow(msgspec.Struct, frozen=True):
    """A row: its title with the words in it that are bold, its caption, and whether it has a tick.

    ``ticked`` is None in lists without ticks.
    """

    title: str
    caption: str
    bold: tuple[Span, ...] = ()
    ticked: bool | None = None
    tick_meaning: str = ""

    @property
    def spoken(self) -> str:
        said = f"{self.title}; {self.caption}"
        return f"{said}; {self.tick_meaning}" if self.ticked and self.tick_meaning else said


class _Rows(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: Sequence[ListRow] = ()

    def show_rows(self, rows: Sequence[ListRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.spoken
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(f"{row.title}\n{row.caption}")
        return None


class TwoLineList(QListView):
    """A list of :class:`ListRow`. ``chosen`` carries the number of the row that is current, or -1.

    ``wanted`` carries that of a row that was activated, by Enter or by a double click.
    """

    chosen = Signal(int)
    wanted = Signal(int)

    def __init__(self, theme: Theme, name: str, *, caption_lines: int = 1) -> None:
        """A caption has up to ``caption_lines`` lines, and those that its title leaves."""
        super().__init__()
        self._rows = _Rows(self)
        self.setModel(self._rows)
        self.setItemDelegate(_Painter(theme, self, caption_lines))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(caption_lines == 1)  # a long list is laid out at once
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.selectionModel().currentChanged.connect(self._choose)
        self.activated.connect(lambda index: self.wanted.emit(index.row()))
        theme.changed.connect(self.viewport().update)

    @property
    def rows(self) -> Sequence[ListRow]:
        return self._rows.rows

    def show_rows(self, rows: Sequence[ListRow], current: int = -1) -> None:
        """Show ``rows``; the row ``current`` is the current one, and -1 leaves none."""
        if rows == self._rows.rows and current == self.currentIndex().row():
            return
        at = self.verticalScrollBar().value()
        self._rows.show_rows(rows)
        if 0 <= current < len(rows):
            self.setCurrentIndex(self._rows.index(current))
        self.verticalScrollBar().setValue(at)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.uniformItemSizes():
            self.scheduleDelayedItemsLayout()  # other lines, other heights
        self.scrollTo(self.currentIndex())

    def _choose(self, now: ModelIndex) -> None:
        # The row that becomes current with the keyboard is not selected by Qt, and nobody would see it.
        self.selectionModel().select(now, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.chosen.emit(now.row())


class _Painter(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: TwoLineList, caption_lines: int) -> None:
        super().__init__(view)
        self._theme, self._view, self._caption_lines = theme, view, caption_lines

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        font, small = self._theme.font(), self._theme.font(small=True)
        title, caption = _LINES, self._caption_lines
        if not self._view.uniformItemSizes():
            width, row = self._view.viewport().width() - 2 * _EDGE, self._view.rows[index.row()]
            title = _line_count(row.title, font, width, _LINES)
            caption = _line_count(row.caption, small, width, self._caption_lines + _LINES - title)
        lines = title * QFontMetricsF(font).height() + caption * QFontMetricsF(small).height()
        return QSize(120, round(lines) + 2 * _EDGE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tokens, row = self._theme.tokens, self._view.rows[index.row()]
        box: QRect = option.rect
        state = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(mixed(tokens.accent, tokens.page, 0.14)))
            if self._view.hasFocus():
                painter.setPen(QColor(tokens.accent))
                painter.drawRect(box.adjusted(0, 0, -1, -1))
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), QColor(tokens.accent))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(mixed(tokens.ink, tokens.page, 0.05)))
        left = _EDGE
        if row.ticked is not None:
            left += self._theme.px(_TICK)
            if row.ticked:
                side = self._theme.px(_TICK - 7)
                tick = QRectF(box.left() + _EDGE, box.top() + _EDGE + 2, side, side)
                draw_check(painter, tick, QColor(tokens.right))
        width = max(20, box.width() - left - _EDGE)
        at = QPointF(box.left() + left, box.top() + _EDGE)
        title = " ".join(row.title.split()) if "\n" in row.title else row.title
        title = title[:_LONGEST_TITLE]
        font, small = self._theme.font(), self._theme.font(small=True)
        lines, below = _draw_lines(
            painter, title, font, QColor(tokens.ink), at, width, _LINES, _bold(title, row.bold, font)
        )
        at, lines = (
            QPointF(at.x(), below),
            self._caption_lines + _LINES - lines,
        )  # those that the title leaves
        _draw_lines(painter, row.caption, small, QColor(tokens.soft), at, width, lines)
        painter.setPen(QColor(tokens.line))
        painter.drawLine(box.left() + left, box.bottom(), box.right(), box.bottom())
        painter.restore()


def _line_count(text: str, font: QFont, width: float, most: int) -> int:
    """How many lines ``text`` takes, at most ``most``."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    for _ in range(most):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(max(20.0, width))
    layout.endLayout()
    return max(1, layout.lineCount())


def _draw_lines(
    painter: QPainter,
    text: str,
    font: QFont,
    colour: QColor,
    at: QPointF,
    width: float,
    most: int,
    formats: Sequence[QTextLayout.FormatRange] = (),
) -> tuple[int, float]:
    """Draw ``text`` in at most so many lines, the last one elided; how many it took, and where they end."""
    metrics = QFontMetricsF(font)
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.setFormats(formats)
    layout.beginLayout()
    end = 0
    for number in range(most):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, number * metrics.height()))
        end = line.textStart() + line.textLength()
    layout.endLayout()
    count = layout.lineCount()
    painter.save()
    painter.setPen(colour)
    painter.setFont(font)
    if end < qt_length(text):  # the last line does not hold the rest
        last = layout.lineAt(count - 1)
        start = len(text.encode("utf-16-le")[: 2 * last.textStart()].decode("utf-16-le"))
        rest = metrics.elidedText(text[start:], Qt.TextElideMode.ElideRight, width)
        painter.drawText(at + QPointF(0, last.y() + metrics.ascent()), rest)
        painter.setClipRect(QRectF(at.x(), at.y(), width, last.y()))
    if end or count:
        layout.draw(painter, at)
    painter.restore()
    return count, at.y() + count * metrics.height()


def _bold(text: str, spans: Sequence[Span], font: QFont) -> list[QTextLayout.FormatRange]:
    """The formats of bold words; Qt counts UTF-16 units."""
    found = []
    heavy = QTextCharFormat()
    heavy.setFont(font)
    heavy.setFontWeight(QFont.Weight.Bold)
    for span in spans:
        if span.end <= len(text):
            one = QTextLayout.FormatRange()
            one.start = qt_length(text[: span.start])
            one.length = qt_length(span.of(text))
            one.format = heavy
            found.append(one)
    return found
