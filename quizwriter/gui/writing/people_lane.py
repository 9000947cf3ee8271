"""The people's lane, last under the draft: how many rooms have answered after each word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from quizwriter.gui.colours import tint
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.writing.lane_legend import paint_empty_lane
from quizwriter.gui.writing.timeline import TimeLine
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.workflow.people_curve import PeopleCurve

HIGH = 30
"""Height in px of a curve in which every room answers."""

EMPTY = "How early people answer, as recorded or predicted."
EMPTY_SHORT = "How early people answer."


class PeopleLane(QWidget):
    """One curve, aligned with the words of the time line. The height never changes with what is shown.

    A recorded curve is a filled step line; a predicted one is a dashed line, and the word *predicted* stands
    in the lane.
    """

    def __init__(self, theme: Theme, time_line: TimeLine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._time_line = theme, time_line
        self._curve: PeopleCurve | None = None
        self._left, self._right = 64, 16
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("People's lane")
        self.setAccessibleDescription(EMPTY)
        self.setMouseTracking(True)
        theme.changed.connect(self._follow_theme)

    @property
    def curve(self) -> PeopleCurve | None:
        return self._curve

    @property
    def caption(self) -> str:
        """What stands in the lane: whether the curve is recorded or predicted, and from how many rooms."""
        curve = self._curve
        if curve is None:
            return ""
        if not curve.recorded:
            return "predicted"
        return f"recorded, {counted_noun(curve.rooms, 'room')}{', of an older text' if curve.edited else ''}"

    def align(self, left: int, right: int) -> None:
        self._left, self._right = left, right
        self.update()

    def show_curve(self, curve: PeopleCurve | None) -> None:
        if curve != self._curve:
            self._curve = curve
            self.setAccessibleDescription(curve.in_words if curve is not None else EMPTY)
            self.update()

    # -- Qt's

    def sizeHint(self) -> QSize:
        return QSize(320, self._theme.px(HIGH) + 10)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            heard = self._word_at(event.pos().x())
            if self._curve is None:
                QToolTip.showText(event.globalPos(), plain_tooltip(EMPTY), self)
            else:
                said = self._curve.at_word(heard) if heard is not None else ""
                text = f"{said}\n{self._curve.in_words}".strip()
                QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter = self._theme.tokens, QPainter(self)
        painter.setFont(self._theme.font(small=True))
        metrics = QFontMetricsF(painter.font())
        high = self._theme.px(HIGH)
        room = QRectF(self._left, 4, self.width() - self._left - self._right, high)
        painter.setPen(QColor(tokens.soft))
        beside = QRectF(0, 4, self._left - 8, high)
        painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "People")
        curve = self._curve
        if curve is None or not curve.shares:
            paint_empty_lane(painter, room, EMPTY_SHORT if curve is None else "", tokens)
            return
        painter.fillRect(room, QColor(tokens.band))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(tokens.note)
        line = self._path(curve, room)
        area = QPainterPath(line)
        area.lineTo(line.currentPosition().x(), room.bottom())
        area.lineTo(line.elementAt(0).x, room.bottom())
        painter.fillPath(area, tint(tokens.note, 0.28 if curve.recorded else 0.12))
        pen = QPen(colour, 1.5)
        if not curve.recorded:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.strokePath(line, pen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(QPen(QColor(tokens.confident), 1.5))
        for heard in sorted(set(curve.wrong)):
            if heard <= len(curve.shares):  # a cross for each word at which people buzzed wrong
                at = QPointF(self._time_line.box(0, heard).center().x(), room.top() + 5)
                painter.drawLine(at + QPointF(-3, -3), at + QPointF(3, 3))
                painter.drawLine(at + QPointF(-3, 3), at + QPointF(3, -3))
        painter.setPen(QColor(tokens.soft))
        text = metrics.elidedText(self.caption, Qt.TextElideMode.ElideRight, room.width() / 2)
        first = self._time_line.box(0, 1).left() < room.center().x()  # the low end has the room
        side = Qt.AlignmentFlag.AlignLeft if first else Qt.AlignmentFlag.AlignRight
        painter.drawText(room.adjusted(6, 0, -6, 0), side | Qt.AlignmentFlag.AlignVCenter, text)

    # -- ours

    def _follow_theme(self) -> None:
        self.updateGeometry()
        self.update()

    def _path(self, curve: PeopleCurve, room: QRectF) -> QPainterPath:
        """The line of the shares, from the beginning of the first word to the end of the last one."""
        first = self._time_line.box(0, 1)
        mirrored = first.left() > self._time_line.box(0, 2).left()
        path = QPainterPath(QPointF(first.right() if mirrored else first.left(), room.bottom()))
        for heard, share in enumerate(curve.shares, start=1):
            box = self._time_line.box(0, heard)
            end = box.left() if mirrored else box.right()
            y = room.bottom() - share * room.height()
            if curve.recorded:  # steps: nothing happens between two words
                path.lineTo(box.right() if mirrored else box.left(), y)
            path.lineTo(end, y)
        return path

    def _word_at(self, x: float) -> int | None:
        if self._curve is None:
            return None
        for heard in range(1, len(self._curve.shares) + 1):
            box = self._time_line.box(0, heard)
            if box.left() <= x < box.right():
                return heard
        return None
