"""*Help > Tour*: a card that goes from part to part of the main window and says what each is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from quizwriter.gui.help_texts import TourStop
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import STRETCH, Gap, column_of, row_of

WIDTH, GAP = 340, 12
"""Pixels of the card's width, and between the card and what it explains."""


class Tour(QObject):
    """A walk through the ``parts`` of a window; nothing in the window is locked meanwhile.

    Enter and the right arrow go on, the left arrow goes back, Esc ends the tour. ``came`` carries a stop
    before it is shown, ``ended`` says that the tour is over; the keyboard is then where it was before.
    """

    came = Signal(object)
    ended = Signal()

    def __init__(
        self, theme: Theme, window: QWidget, parts: Mapping[str, QWidget], stops: Sequence[TourStop]
    ) -> None:
        super().__init__(window)
        self._window, self._parts = window, parts
        self._stops = list(stops)
        self._at = -1
        self._before = QApplication.focusWidget()
        self._outline = _Outline(theme, window)
        self._card = _Card(theme, window)
        self._card.next_button.clicked.connect(lambda: self.go(1))
        self._card.back_button.clicked.connect(lambda: self.go(-1))
        self._card.skip_button.clicked.connect(self.end)
        self._card.stepped.connect(self.go)
        self._card.left.connect(self.end)
        for one in {window, *(parts[stop.part] for stop in stops)}:
            one.installEventFilter(self)  # a lane more, say, and the outline is another

    @property
    def stop(self) -> TourStop | None:
        return self._stops[self._at] if 0 <= self._at < len(self._stops) else None

    @property
    def card(self) -> _Card:
        return self._card

    def go(self, by: int) -> None:
        self._at = max(0, self._at + by)
        stop = self.stop
        if stop is None:
            self.end()
            return
        self.came.emit(stop)
        self._card.show_stop(stop, self._at + 1, len(self._stops))
        self._place()
        self._card.next_button.setFocus()

    def end(self) -> None:
        self._at = -1  # the parts still report here until this is deleted, and show nothing any more
        self._window.removeEventFilter(self)
        for widget in (self._outline, self._card):
            widget.hide()
            widget.deleteLater()
        if self._before is not None:
            self._before.setFocus()
        self.ended.emit()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self._is_looked_at(watched):
            self._place()
        return super().eventFilter(watched, event)

    def _is_looked_at(self, watched: QObject) -> bool:
        return watched is self._window or (self.stop is not None and watched is self._parts[self.stop.part])

    def _place(self) -> None:
        """Put the outline around the part, and the card where it covers as little of the part as it can."""
        stop = self.stop
        if stop is None:
            return
        part = self._parts[stop.part]
        around = QRect(part.mapTo(self._window, QPoint(0, 0)), part.size())
        self._outline.setGeometry(around)
        self._outline.show()
        self._outline.raise_()
        size = self._card.wanted_size(self._window.width() - 2 * GAP)
        self._card.setGeometry(card_place(around, size, self._window.rect()))
        self._card.show()
        self._card.raise_()


def card_place(around: QRect, size: QSize, room: QRect) -> QRect:
    """Where a card of ``size`` stands in ``room``: beside, below or above ``around``, else in its corner."""
    right, left = around.right() + GAP, around.left() - GAP - size.width()
    below, above = around.bottom() + GAP, around.top() - GAP - size.height()
    inside = QPoint(around.right() - size.width() - GAP, around.bottom() - size.height() - GAP)
    low = around.top() + max(0, around.height() - size.height()) * 2 // 3  # below the text beside it
    top = max(GAP, min(low, room.height() - size.height() - GAP))
    start = max(GAP, min(around.left(), room.width() - size.width() - GAP))
    large = 3 * around.width() * around.height() > room.width() * room.height()  # it has a corner to spare
    for place in (
        () if large else (QPoint(right, top), QPoint(left, top), QPoint(start, below), QPoint(start, above))
    ):
        if room.contains(QRect(place, size)):
            return QRect(place, size)
    kept = QPoint(
        max(0, min(inside.x(), room.width() - size.width())),
        max(0, min(inside.y(), room.height() - size.height())),
    )
    return QRect(kept, size)


class _Outline(QWidget):
    """A frame around the part that is explained."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.accent), 3))
        painter.drawRoundedRect(self.rect().adjusted(2, 2, -2, -2), 6, 6)


class _Card(QFrame):
    """What is said at a stop; ``stepped`` carries 1 or -1, ``left`` says that it was enough."""

    stepped = Signal(int)
    left = Signal()

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self.setObjectName("floating")
        self.setWhatsThis("The tour. Enter continues, the left arrow goes back, Esc ends the tour.")
        self.title = plain_label()
        self.text = plain_label()
        self.count = plain_label(wrap=False)
        self.skip_button = outlined("Skip the tour", lambda: None)
        self.back_button = outlined("Back", lambda: None)
        self.next_button = outlined("Next", lambda: None)
        self.next_button.setObjectName("primary")
        row = row_of(self.skip_button, STRETCH, self.back_button, self.next_button, spacing=8)
        column_of(
            self.count, self.title, self.text, Gap(4), row, on=self, margins=(16, 16, 16, 12), spacing=8
        )
        for button in (self.skip_button, self.back_button, self.next_button):
            button.installEventFilter(self)
        theme.follow(self._apply_theme)
        self.hide()

    def show_stop(self, stop: TourStop, number: int, of: int) -> None:
        """Show what is said at ``stop``, which is ``number`` of so many."""
        self.title.setText(stop.title)
        self.text.setText(stop.text)
        self.count.setText(f"{number} of {of}")
        self.back_button.setEnabled(number > 1)
        self.next_button.setText("Done" if number == of else "Next")
        self.skip_button.setVisible(number < of)
        self.setAccessibleName(f"Tour, {number} of {of}: {stop.title}. {stop.text}")
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))

    def wanted_size(self, most: int) -> QSize:
        """The size that the texts need, no wider than ``most``."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        width = min(most, max(self._theme.px(WIDTH), layout.totalMinimumSize().width()))
        return QSize(width, layout.totalHeightForWidth(width))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        arrows = (Qt.Key.Key_Left, Qt.Key.Key_Right)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in arrows:
            self.keyPressEvent(event)  # or the button gives the keyboard to the button beside it
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Return: 1, Qt.Key.Key_Enter: 1}
        key = Qt.Key(event.key())
        if key in steps:
            self.stepped.emit(steps[key])
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _apply_theme(self) -> None:
        self.title.setFont(self._theme.font(bold=True))
        self.count.setFont(self._theme.font(small=True))
        self.count.setStyleSheet(f"color: {self._theme.tokens.soft};")
