"""What a key means, whatever the system and the layout of the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

LETTERS = "letters"
"""The id of the action that opens the palette of letters, which dialogs offer, too."""


def is_letter(event: QKeyEvent) -> bool:
    """Whether ``event`` can only be a letter that is typed: the quick answer to nearly every key."""
    text = event.text()
    return text != "" and text.isprintable() and event.modifiers() == Qt.KeyboardModifier.NoModifier


def is_undo(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo)


def is_redo(event: QKeyEvent) -> bool:
    """Whether ``event`` asks for redo, on whatever system: Ctrl+Y does so everywhere."""
    control_y = event.key() == Qt.Key.Key_Y and event.modifiers() == Qt.KeyboardModifier.ControlModifier
    return event.matches(QKeySequence.StandardKey.Redo) or control_y
