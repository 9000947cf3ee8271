"""*What is this?* (Shift+F1): the explanation of the part of a window that has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWhatsThis, QWidget

KEY = "Shift+F1"


def explanation(widget: QWidget | None) -> str:
    """The explanation of ``widget``: its own text, else that of its parent; empty if neither has one."""
    while widget is not None:
        if widget.whatsThis():
            return widget.whatsThis()
        widget = None if widget.isWindow() else widget.parentWidget()
    return ""


def explain(widget: QWidget) -> None:
    """Show the explanation of ``widget`` next to it, until the next key or click."""
    text = explanation(widget)
    if text:
        QWhatsThis.showText(widget.mapToGlobal(QPoint(16, min(widget.height(), 48))), text, widget)


class ExplainsItself(QObject):
    """Has Shift+F1 explain what has the keyboard in a window that has no menu with that action."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
            if event.key() == Qt.Key.Key_F1 and shift:  # no part of the window took the key
                explain(QApplication.focusWidget() or self._window)
                return True
        return super().eventFilter(watched, event)
