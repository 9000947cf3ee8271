"""Texts in windows: shown as they are, or as HTML of our own; other modules make no label by themselves.

Qt takes a text for HTML if it looks like HTML, and HTML can name any file on the computer. A text from a file
or from another person is shown by :func:`plain_label`, :func:`plain_tooltip`, :func:`tree_row` or
:class:`ElidedLabel`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QByteArray, QSize, Qt, QUrl
from PySide6.QtGui import QPaintDevice, QPainter, QPaintEvent, QTextDocument
from PySide6.QtWidgets import QLabel, QSizePolicy, QTextBrowser, QTreeWidgetItem, QWidget


def plain_label(
    text: str = "", *, wrap: bool = True, selectable: bool = False, parent: QWidget | None = None
) -> QLabel:
    """A label that shows any text as it is, HTML too; by default it wraps, so that it is never cut."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if wrap:
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def plain_tooltip(text: str) -> str:
    """A tooltip that shows ``text`` as it is: Qt takes a tooltip for HTML if it looks like HTML."""
    looks_rich = "<" in text or "&" in text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>' if looks_rich else text


def tree_row(cells: Sequence[str], data: object = None) -> QTreeWidgetItem:
    """A row of a list: each cell is whole in its tooltip, and the first one carries ``data``."""
    row = QTreeWidgetItem(list(cells))
    row.setData(0, Qt.ItemDataRole.UserRole, data)
    for place, text in enumerate(cells):
        row.setToolTip(place, plain_tooltip(text))
    return row


def rich_label(html: str = "", *, parent: QWidget | None = None) -> QLabel:
    """A label for HTML of our own. A caller escapes each text that a person or a file brings."""
    label = QLabel(html, parent)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


class RichPane(QTextBrowser):
    """Shows HTML of our own, which the keyboard can scroll; it reads no file, whatever the HTML names."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)

    def show_html(self, html: str) -> None:
        """Show ``html``. A caller escapes each text that a person or a file brings."""
        if self.verticalScrollBar().isVisible():
            # The bar stays meanwhile, or all is laid out anew as it goes and as it comes back.
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHtml(html)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def loadResource(self, kind: int, name: QUrl | str) -> QByteArray:
        return QByteArray(b"")  # for nothing at all, Qt reads the file itself


class RichDocument(QTextDocument):
    """HTML of our own, to be painted; it reads no file, whatever the HTML names. Any thread may have one."""

    def __init__(self, html: str, device: QPaintDevice, width: float) -> None:
        """The document as ``device`` shows it in the ``width``, in units of the device.

        A caller escapes each text that a person or a file brings.
        """
        super().__init__()
        self.setDocumentMargin(0)
        self.documentLayout().setPaintDevice(device)
        self.setHtml(html)
        self.setTextWidth(width)

    def loadResource(self, kind: int, name: QUrl | str) -> QByteArray:
        return QByteArray(b"")  # for nothing at all, Qt reads the file itself


class ElidedLabel(QWidget):
    """A label that ends in an ellipsis instead of widening the window; the tooltip has it whole."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
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
