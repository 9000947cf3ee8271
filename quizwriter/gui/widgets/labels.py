"""Labels: one that shows any text as it is, and one that ends in an ellipsis where there is no room."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


def plain_label(text: str = "", *, wrap: bool = True, selectable: bool = False) -> QLabel:
    """A label that shows any text as it is, HTML too; by default it wraps, so that it is never cut."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if wrap:
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def plain_tooltip(text: str) -> str:
    """A tooltip that shows ``text`` as it is: Qt takes a tooltip for HTML if it looks like HTML."""
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>' if "<" in text else text


class ElidedLabel(QWidget):
    """A label that ends in an ellipsis instead of widening the window; the tooltip has it whole."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        """The whole text."""
        return self._text

    def setText(self, text: str) -> None:
        """Show ``text``."""
        if text != self._text:
            self._text = text
            self.setToolTip(plain_tooltip(text))
            self.setAccessibleDescription(text)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(100, self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        text = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
