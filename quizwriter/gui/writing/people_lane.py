"""The people's lane, last under the draft: how many rooms have answered after each word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from quizwriter.domain.answer_line import Directive
from quizwriter.gui.colours import tint
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.writing.lane_legend import paint_empty_lane
from quizwriter.gui.writing.timeline import TimeLine
from quizwriter.workflow.wording import counted_noun, quoted

if TYPE_CHECKING:
    from quizwriter.workflow.people_curve import PeopleCurve

HIGH = 30
"""Height in px of a curve in which every room answers."""

MOST_ANSWERS = 8
"""Wrong answers that are offered at once."""

OFFERS = {
    Directive.ACCEPT: "Accept {0} in the answer line",
    Directive.PROMPT: "Prompt on {0} in the answer line",
    Directive.REJECT: "Reject {0} in the answer line",
}

EMPTY = "How early people answer, as recorded or predicted."
EMPTY_SHORT = "How early people answer."


class PeopleLane(QWidget):
    """One curve, aligned with the words of the time line. The height never changes with what is shown.

    A recorded curve is a step line in its band, a predicted one is a dashed line, and the word *predicted*
    stands in the lane. Right buzzes are bars, wrong ones crosses. ``name_wanted``
    carries what the writer chose to do with a wrong answer, and that answer.
    """

    name_wanted = Signal(Directive, str)

    def __init__(self, theme: Theme, time_line: TimeLine) -> None:
        super().__init__()
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
        """What stands in the lane: whether the curve is recorded or predicted, and from how many rooms.

        It covers what is below it, so the tooltip has the rest.
        """
        curve = self._curve
        if curve is None:
            return ""
        if not curve.recorded:
            return "predicted"
        gone = f", {curve.gone:,} no longer fit{'s' if curve.gone == 1 else ''}" if curve.gone else ""
        return f"recorded, {counted_noun(curve.rooms, 'room')}{gone}"

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
        if curve is None:
            paint_empty_lane(painter, room, EMPTY_SHORT, tokens)
            return
        painter.fillRect(room, QColor(tokens.band))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if curve.shares:
            self._paint_curve(painter, curve, room)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        self._paint_buzzes(painter, curve, room)
        text = metrics.elidedText(self.caption, Qt.TextElideMode.ElideRight, room.width() / 2)
        first = self._time_line.box(0, 1).left() < room.center().x()  # the low end has the room
        side = Qt.AlignmentFlag.AlignLeft if first else Qt.AlignmentFlag.AlignRight
        place = side | Qt.AlignmentFlag.AlignVCenter
        inside = room.adjusted(6, 0, -6, 0)
        plate = painter.boundingRect(inside, place, text).adjusted(-3, 0, 3, 0).intersected(room)
        painter.fillRect(plate, QColor(tokens.band))  # an early curve crosses it: not through its letters
        painter.setPen(QColor(tokens.soft))
        painter.drawText(inside, place, text)

    # -- ours

    def _follow_theme(self) -> None:
        self.updateGeometry()
        self.update()

    def _paint_curve(self, painter: QPainter, curve: PeopleCurve, room: QRectF) -> None:
        tokens = self._theme.tokens
        line = self._path(curve.shares, room, steps=curve.recorded)
        area = QPainterPath(line)
        if curve.low:  # the band
            area = self._path(curve.high, room, steps=True)
            area.connectPath(self._path(curve.low, room, steps=True).toReversed())
        else:
            area.lineTo(line.currentPosition().x(), room.bottom())
            area.lineTo(line.elementAt(0).x, room.bottom())
        painter.fillPath(area, tint(tokens.note, 0.28 if curve.recorded else 0.12))
        pen = QPen(QColor(tokens.note), 1.5)
        if not curve.recorded:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.strokePath(line, pen)

    def _paint_buzzes(self, painter: QPainter, curve: PeopleCurve, room: QRectF) -> None:
        tokens = self._theme.tokens
        for word, right in sorted({(one.placed.word, one.right) for one in curve.buzzes}):
            x = self._time_line.box(0, word).center().x()
            if right:  # a bar at the bottom
                painter.fillRect(QRectF(x - 1.5, room.bottom() - 9, 3, 9), QColor(tokens.right))
                continue
            at = QPointF(x, room.top() + 5)
            painter.setPen(QPen(QColor(tokens.confident), 1.5))
            painter.drawLine(at + QPointF(-3, -3), at + QPointF(3, 3))
            painter.drawLine(at + QPointF(-3, 3), at + QPointF(3, -3))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        heard = self._word_at(event.pos().x())
        if self._curve is not None and heard is not None:
            here = [one.answers[-1] for one in self._curve.buzzes_at(heard, right=False) if one.answers]
            self._offer_answers(tuple(dict.fromkeys(here)) or self._curve.wrong_answers, event.globalPos())

    def offer_answers(self) -> bool:
        """Offer all wrong answers of people for the answer line; whether there are any."""
        answers = self._curve.wrong_answers if self._curve is not None else ()
        self._offer_answers(answers, self.mapToGlobal(self.rect().topLeft()))
        return bool(answers)

    def _offer_answers(self, answers: Sequence[str], where: QPoint) -> None:
        if not answers:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for answer in answers[:MOST_ANSWERS]:
            for directive, text in OFFERS.items():
                action = menu.addAction(text.format(quoted(answer).replace("&", "&&")))
                action.triggered.connect(partial(self.name_wanted.emit, directive, answer))
            menu.addSeparator()
        self.menu = menu
        menu.popup(where)

    def _path(self, shares: Sequence[float], room: QRectF, *, steps: bool) -> QPainterPath:
        """The line of ``shares``, from the beginning of the first word to the end of the last one."""
        first = self._time_line.box(0, 1)
        mirrored = first.left() > self._time_line.box(0, 2).left()
        path = QPainterPath(QPointF(first.right() if mirrored else first.left(), room.bottom()))
        for heard, share in enumerate(shares, start=1):
            box = self._time_line.box(0, heard)
            end = box.left() if mirrored else box.right()
            y = room.bottom() - share * room.height()
            if steps:  # nothing happens between two words
                path.lineTo(box.right() if mirrored else box.left(), y)
            path.lineTo(end, y)
        return path

    def _word_at(self, x: float) -> int | None:
        if self._curve is None:
            return None
        for heard in range(1, self._curve.words + 1):
            box = self._time_line.box(0, heard)
            if box.left() <= x < box.right():
                return heard
        return None
