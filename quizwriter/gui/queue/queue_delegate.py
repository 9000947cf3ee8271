"""Paints the cells of the queue."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from quizwriter.gui.colours import mixed
from quizwriter.gui.queue.queue_model import RIGHT_ALIGNED, ModelIndex, QueueModel
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.status_icon import ICON
from quizwriter.workflow.queue import GAME

INSET = 11
"""Pixels between a cell's edge and its text."""

_SELECTED, _FOCUSED = QStyle.StateFlag.State_Selected.value, QStyle.StateFlag.State_HasFocus.value
_FLAGS = [
    int(side | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)
    for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
]


class QueueDelegate(QStyledItemDelegate):
    """Paints cells without a style sheet, which takes three times as long: scrolling would stutter."""

    def __init__(self, theme: Theme, model: QueueModel, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._model = theme, model
        self.apply_theme()

    def apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._metrics = QFontMetricsF(self._theme.font())
        self._chosen = QColor(mixed(tokens.accent, tokens.page, 0.16))
        self._hairline = QColor(mixed(tokens.ink, tokens.page, 0.06))
        self._ink, self._focus = QColor(tokens.ink), QColor(tokens.accent)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        at, model = index.column(), self._model
        rect = option.rect
        left, top, width, height = rect.x(), rect.y(), rect.width(), rect.height()
        state = option.state.value  # plain numbers: Python's flags are slow
        chosen = bool(state & _SELECTED)
        if chosen:
            painter.fillRect(rect, self._chosen)
        painter.fillRect(left, top + height - 1, width, 1, self._hairline)
        if state & _FOCUSED:
            painter.fillRect(left, top, 2, height, self._focus)
        row = model.row(index.row())
        if row is None:
            return
        column, player = model.columns[at]
        left, width, height = left + INSET, width - 2 * INSET, height - 1
        if column == "status":
            size = self._theme.px(ICON)
            model.icon(row.status).paint(painter, left, top + (height - size) // 2, size, size)
            left, width = left + size + 6, width - size - 6
        colour = None if chosen and column not in GAME else model.colour(row, column, player)
        painter.setPen(self._ink if colour is None else colour)
        text = self._metrics.elidedText(
            model.text(row, column, player), Qt.TextElideMode.ElideRight, width + 1
        )
        painter.drawText(left, top, width, height, _FLAGS[column in RIGHT_ALIGNED], text)
