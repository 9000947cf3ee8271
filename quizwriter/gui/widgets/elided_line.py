"""A line to type into that ends in an ellipsis while nobody types and the text is too long."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QTextLayout
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame


class ElidedLineEdit(QLineEdit):
    """Shows the beginning of a long text, and an ellipsis, as long as it does not have the keyboard.

    ``formats`` are how stretches of the text look then, in UTF-16 units.
    """

    def __init__(self) -> None:
        super().__init__()
        self.formats: list[QTextLayout.FormatRange] = []

    @property
    def is_elided(self) -> bool:
        """Whether the end of the text is replaced by an ellipsis now."""
        return not self.hasFocus() and self.fontMetrics().horizontalAdvance(self.text()) > self._room()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.is_elided:
            super().paintEvent(event)
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        painter = QPainter(self)
        style = self.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        inside = style.subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        margins = self.textMargins()
        inside = inside.adjusted(margins.left() + 2, margins.top(), -margins.right() - 2, -margins.bottom())
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, inside.width())
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        painter.setClipRect(inside)
        layout = self._laid_out(text)
        wider = layout.lineAt(0).naturalTextWidth() - inside.width()
        if wider > 0:  # bold letters need more room than plain ones
            room = inside.width() - round(wider) - 1
            layout = self._laid_out(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room))
        top = QRectF(inside).center().y() - layout.lineAt(0).height() / 2
        layout.draw(painter, QPointF(inside.left(), top))
        painter.end()

    def _laid_out(self, text: str) -> QTextLayout:
        """``text`` in one line, with the formats."""
        layout = QTextLayout(text, self.font(), self)
        layout.setFormats(self.formats)
        layout.beginLayout()
        layout.createLine().setNumColumns(len(text))
        layout.endLayout()
        return layout

    def _room(self) -> int:
        """How many pixels the text has."""
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        margins = self.textMargins()
        return inside.width() - margins.left() - margins.right() - 4
