"""A small frame over a text field, with the keyboard in it until it is closed."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from quizwriter.gui.widgets.layouts import column_of

GAP_PX = 6
"""Between the frame and the line at which it is opened."""

TextField = QLineEdit | QTextEdit | QPlainTextEdit


class Popup(QFrame):
    """A frame with its contents in :attr:`body`; Esc and a click elsewhere close it.

    It is a popup of the screen, so that it works over dialogs, too, and the field that it was opened at has
    the keyboard again afterwards, with its cursor where it was.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("floating")
        self.body = column_of(on=self, margins=(8, 8, 8, 8), spacing=8)
        self.field: TextField | None = None

    def open_at(self, field: TextField, first: QWidget, place: QRect | None = None) -> None:
        """Open under the cursor of ``field``, or under ``place`` in it, and over it where no room is left.

        ``first`` in the frame gets the keyboard.
        """
        self.field = field
        if place is None:
            place = field.cursorRect()
        inside = field if isinstance(field, QLineEdit) else field.viewport()
        self.adjustSize()
        below = inside.mapToGlobal(QPoint(place.left(), place.bottom() + GAP_PX))
        screen = QGuiApplication.screenAt(below) or self.screen()
        room = screen.availableGeometry()
        if below.y() + self.height() > room.bottom():
            below.setY(inside.mapToGlobal(place.topLeft()).y() - GAP_PX - self.height())
        left = max(room.left(), min(below.x(), room.right() - self.width()))
        self.move(left, max(room.top(), below.y()))
        self.show()
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.field is not None:
            self.field.setFocus(Qt.FocusReason.PopupFocusReason)


def text_field_in_focus() -> TextField | None:
    """The field that has the keyboard, if text can be typed into it."""
    widget = QApplication.focusWidget()
    if isinstance(widget, QLineEdit | QTextEdit | QPlainTextEdit) and not widget.isReadOnly():
        return widget
    return None
