"""Around the draft: bells where players buzz, bubbles where comments are, and edges that fade."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import QTextEdit, QToolTip, QWidget

from quizwriter.gui.widgets.icons import Icon, draw_icon
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.writing.mark_painter import MarkPainter
from quizwriter.workflow.wording import player_short, player_title

BELL = 13
"""Pixels of the bell beside a line on which a player buzzes."""

BUBBLE = 13
"""Pixels of the bubble beside a line that has a comment."""

FADE = 8
"""Pixels in which the text fades where it goes on out of sight."""


class BuzzMargin(QWidget):
    """The margin left of the text, where a bell says on which line a player buzzes.

    A line has one bell, that of its earliest buzz, which stands at the line and leaves the sight with it. Who
    else buzzes there is counted beside it and named where the mouse rests. A line on which nobody buzzes may
    have the label of what is underlined on it.

    ``buzz_clicked`` carries the player whose bell was clicked; each further click on the line the next one.
    """

    buzz_clicked = Signal(str)

    def __init__(self, edit: QTextEdit, marks: MarkPainter) -> None:
        super().__init__(edit)
        self._edit, self._marks = edit, marks
        self._clicked = ""
        self.setMouseTracking(True)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        player = self._marks.next_buzz_at(event.position().y() - self._edit.viewport().y(), self._clicked)
        if player and event.button() == Qt.MouseButton.LeftButton:
            self._clicked = player
            self.buzz_clicked.emit(player)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._marks.next_buzz_at(event.position().y() - self._edit.viewport().y(), "")
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            said = self._marks.margin_hint(event.pos().y() - self._edit.viewport().y())
            QToolTip.showText(event.globalPos(), plain_tooltip(said), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        marks, column = self._marks, self._edit.viewport().geometry()
        painter = QPainter(self)
        painter.setClipRect(QRect(0, column.top(), self.width(), column.height()))
        painter.setFont(marks.margin_font())
        metrics = QFontMetricsF(painter.font())
        right, side = self.width() - 4.0, marks.px(BELL)
        for line in marks.buzz_lines():
            middle = line.box.center().y() + column.top()
            mark = line.marks[0]
            marks.paint_bell(painter, QRectF(right - side, middle - side / 2, side, side), mark)
            painter.setPen(marks.buzz_colour(mark))
            label, room = line.label, right - side - 8
            if metrics.horizontalAdvance(label) > room:
                label = label.replace(player_title(mark.player), player_short(mark.player), 1)
            label = metrics.elidedText(label, Qt.TextElideMode.ElideMiddle, room)
            width = metrics.horizontalAdvance(label)
            painter.drawText(QPointF(right - side - 4 - width, middle + metrics.capHeight() / 2), label)
        painter.setPen(marks.label_colour())
        for beside in marks.margin_labels():
            middle = beside.box.center().y() + column.top()
            left = right - metrics.horizontalAdvance(beside.label)
            painter.drawText(QPointF(left, middle + metrics.capHeight() / 2), beside.label)


class CommentMargin(QWidget):
    """The margin right of the text, where a bubble says which lines have comments.

    ``note_clicked`` carries the name of the note whose bubble was clicked.
    """

    note_clicked = Signal(str)

    def __init__(self, edit: QTextEdit, marks: MarkPainter) -> None:
        super().__init__(edit)
        self._marks = marks
        self.places: list[tuple[QRectF, str]] = []
        self._painted: tuple[tuple[str, float], QPixmap] | None = None
        self.setToolTip("Comments on this line")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.places.clear()
        free = 0.0
        for note, boxes in self._marks.note_boxes():
            for box in boxes[:1]:
                top = max(free, box.center().y() - BUBBLE / 2)
                free = top + BUBBLE + 1
                self.places.append((QRectF(2, top, BUBBLE, BUBBLE), note.name))
                painter.setOpacity(1.0 if note.current else 0.75)
                painter.drawPixmap(QPointF(2, top), self._picture())

    def _picture(self) -> QPixmap:
        """A bubble, painted once for every colour and screen."""
        colour, ratio = self._marks.note_colour(), self.devicePixelRatioF()
        state = colour.name(), ratio
        if self._painted is None or self._painted[0] != state:
            picture = QPixmap(round(BUBBLE * ratio), round(BUBBLE * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            draw_icon(painter, Icon.COMMENT, QRectF(0, 0, BUBBLE, BUBBLE), colour, inside=colour)
            painter.end()
            self._painted = (state, picture)
        return self._painted[1]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for place, name in self.places:
            if place.adjusted(-2, -2, 2, 2).contains(event.position()):
                self.note_clicked.emit(name)
                return
        event.ignore()


class EdgeFade(QWidget):
    """Lets the text fade where it goes on above or below what is in sight, so that no line looks cut."""

    def __init__(self, edit: QTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        edit.viewport().installEventFilter(self)
        edit.verticalScrollBar().valueChanged.connect(lambda _: self.update())
        edit.verticalScrollBar().rangeChanged.connect(lambda *_: self.update())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.setGeometry(self._edit.viewport().geometry())
            self.raise_()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        bar, painter, page = (
            self._edit.verticalScrollBar(),
            QPainter(self),
            self._edit.palette().base().color(),
        )
        clear = QColor(page)
        clear.setAlpha(0)
        width, height = self.width(), self.height()
        for goes_on, edge, inwards in (
            (bar.value() > bar.minimum(), 0, FADE),
            (bar.value() < bar.maximum(), height, height - FADE),
        ):
            if goes_on:
                shade = QLinearGradient(0, edge, 0, inwards)
                shade.setColorAt(0, page)
                shade.setColorAt(1 / FADE, page)  # nothing is left at the very edge
                shade.setColorAt(1, clear)
                painter.fillRect(QRect(0, min(edge, inwards), width, FADE), shade)
