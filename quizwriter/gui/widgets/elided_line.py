"""A line to type into that ends in an ellipsis while nobody types and the text is too long."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QTextLayout
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame, QWidget


class ElidedLineEdit(QLineEdit):
    """Shows the beginning of a long text, and an ellipsis, as long as it does not have the keyboard.

    ``formats`` are how stretches of the text look then, in UTF-16 units.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        layout = QTextLayout(text, self.font(), self)
        layout.setFormats(self.formats)
        layout.beginLayout()
        line = layout.createLine()
        line.setNumColumns(len(text))
        layout.endLayout()
        layout.draw(painter, QPointF(inside.left(), inside.center().y() - line.height() / 2))
        painter.end()

    def _room(self) -> int:
        """How many pixels the text has."""
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        margins = self.textMargins()
        return inside.width() - margins.left() - margins.right() - 4
