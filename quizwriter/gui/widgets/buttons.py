"""Push buttons, check boxes and boxes for numbers as all windows have them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
)

from quizwriter.gui.theme import Theme, draw_check


def outlined(text: str, do: Callable[[], object]) -> QPushButton:
    """A button of a dialog that does ``do``; Enter elsewhere in the dialog does not press it."""
    button = QPushButton(text)
    button.setObjectName("outlined")
    button.setAutoDefault(False)
    button.clicked.connect(lambda _=False: do())
    return button


def pad_text(box: QAbstractSpinBox) -> None:
    """Begin the text of ``box`` where a line to type in begins; a style sheet cannot."""
    line = box.findChild(QLineEdit)
    if line is not None:
        line.setTextMargins(7, 0, 0, 0)


class NumberBox(QSpinBox):
    """A box for a number."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        pad_text(self)


class TickBox(QCheckBox):
    """A box to tick that can be seen in the dark, too; Fusion's own has the colour of what is around it."""

    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__(text)
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        option = QStyleOptionButton()
        self.initStyleOption(option)
        style = self.style()
        box = QRectF(style.subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self))
        box = box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(1.0 if self.isEnabled() else 0.5)
        colour = tokens.accent if self.isChecked() or self.hasFocus() else tokens.wrong
        painter.setPen(QPen(QColor(colour), 3 if self.hasFocus() else 1))
        painter.setBrush(QColor(tokens.accent if self.isChecked() else tokens.page))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1) if self.hasFocus() else box, 3, 3)
        if self.isChecked():
            draw_check(painter, box.adjusted(2, 2, -2, -2), QColor(tokens.on_accent))
        label = style.subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        painter.setOpacity(1.0)
        painter.setPen(QColor(tokens.ink))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextHideMnemonic
        painter.drawText(label, flags, self.text())
