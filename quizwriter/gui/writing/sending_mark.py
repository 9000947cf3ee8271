"""The padlock in the lane of a player while words of the draft are sent to its server; a click stops that."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton

from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.icons import Icon, draw_icon
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.writing.timeline import TimeLine

SEEN_MS = 700
"""How long the padlock stays at least, in ms, so that a short request can be seen and stopped."""


class SendingMark(QAbstractButton):
    """A button on the lane of one player, in sight while something is sent."""

    def __init__(self, theme: Theme, time_line: TimeLine, player: str) -> None:
        super().__init__(time_line)
        self._theme, self._time_line, self._player = theme, time_line, player
        self._sending = False
        self._hide_soon = SingleShot(self, SEEN_MS, self._place)
        self._place_soon = SingleShot(self, 0, self._place)  # not while the time line is painted
        self.setAccessibleName("Stop the LLM")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()
        time_line.installEventFilter(self)
        theme.changed.connect(self.update)

    @property
    def sending(self) -> bool:
        return self._sending

    def show_sending(self, host: str, *, sending: bool) -> None:
        """Whether words are on their way to ``host``."""
        self._sending = sending
        if not sending:
            self._place()
            return
        text = f"The LLM is sending words of your draft to {host}. Click to stop it."
        self.setToolTip(plain_tooltip(text))
        self.setAccessibleDescription(text)
        self._hide_soon.start()
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moved = event.type() in (QEvent.Type.Resize, QEvent.Type.Paint) and self._wanted
        if moved and (self.isHidden() or self.geometry() != self._time_line.lane_end(self._player)):
            self._place_soon.start()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        ring = tokens.accent if self.hasFocus() or self.underMouse() else tokens.line
        painter.setPen(QPen(QColor(ring), 1.5 if self.hasFocus() else 1.0))
        painter.setBrush(QColor(tokens.page))
        painter.drawRoundedRect(whole, 4, 4)
        side = 0.76 * min(whole.width(), whole.height())
        box = QRectF(whole.center().x() - side / 2, whole.center().y() - side / 2, side, side)
        draw_icon(painter, Icon.PADLOCK, box, QColor(tokens.confident), line=2.5)

    @property
    def _wanted(self) -> bool:
        return self._sending or self._hide_soon.isActive()

    def _place(self) -> None:
        """Stand at the end of the lane, once there is one, while something is sent."""
        place = self._time_line.lane_end(self._player)
        if place is not None:
            self.setGeometry(place)
        self.setVisible(place is not None and self._wanted)
