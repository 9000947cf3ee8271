"""Push buttons, check boxes and boxes for numbers as all windows have them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QPushButton, QSizePolicy, QSpinBox


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
