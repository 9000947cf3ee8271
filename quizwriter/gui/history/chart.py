"""The chart of a history in its window: it says what is under the mouse, and can be saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QLineF,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QImage,
    QImageWriter,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QSizePolicy, QWidget

from quizwriter.domain.guessing import Outcome
from quizwriter.domain.page import page_title
from quizwriter.errors import QuizwriterError
from quizwriter.formats.tables import write_table
from quizwriter.gui.history.chart_drawing import ABOVE, RIGHT, ChartContent, PlotFrame, legend, paint_chart
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import RichDocument, rich_label
from quizwriter.system.atomic import atomic_text, atomic_write
from quizwriter.workflow.history_analysis import Position, history_table
from quizwriter.workflow.session import RecordedPlay
from quizwriter.workflow.wording import engine_line, position_line

SAVED = QSize(1200, 480)
"""Pixels of a saved chart; a picture has twice as many."""

LEGEND_POINTS = 9
"""The size of the letters above a saved chart."""


class Chart(QWidget):
    """``chosen`` carries a step clicked or dragged to, ``placed`` the frame in which the chart lies."""

    chosen = Signal(int)
    placed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._drawing: ChartContent | None = None
        self._picture: QPixmap | None = None  # of the drawing, so that moving a mark costs nothing
        self._index = 0
        self._over: int | None = None  # the step under the mouse
        self._read_out = rich_label(parent=self)
        self._read_out.setObjectName("floating")
        self._read_out.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._read_out.setContentsMargins(8, 4, 8, 4)
        self._read_out.hide()
        self.setMouseTracking(True)
        self.setMinimumHeight(96)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Chart of the history")
        theme.changed.connect(self._draw)

    def sizeHint(self) -> QSize:
        return QSize(640, 220)

    @property
    def drawing(self) -> ChartContent | None:
        return self._drawing

    @property
    def frame(self) -> PlotFrame:
        """Where the steps lie."""
        return PlotFrame.inside(QRectF(self.rect()), self._drawing, self._theme)

    def show_drawing(self, drawing: ChartContent) -> None:
        if drawing != self._drawing:
            self._drawing = drawing
            self._draw()

    def go(self, index: int) -> None:
        self._index = index
        self.update()

    def read_out(self, index: int) -> str:
        """What the chart says of step ``index``, as rich text."""
        drawing = self._drawing
        if drawing is None:
            return ""
        step, tokens = drawing.history.steps[index], self._theme.tokens
        lines = [f"<b>Edit {step.seq:,}</b>: {step.words:,} words"]
        for curve in drawing.curves:
            shown = _latest(curve.points, index)
            if shown is not None:
                where = (
                    position_line(drawing.position.of(shown), shown.words)
                    if shown.knowable
                    else str(Outcome.CANNOT_KNOW)
                )
                page, answer = shown.buzz_page, step.answer
                if drawing.position is Position.BUZZ and page and answer and not answer.accepts(page):
                    where = f"{where}, ✗ on {escape(page_title(page))}"
                mark = tokens.player(curve.player)
                lines.append(
                    f"<span style='color:{mark.colour}'>{mark.glyph}</span> {escape(curve.title)}: {where}"
                    f" <span style='color:{tokens.soft}'>{engine_line(shown.engine)}</span>"
                )
        return "<br>".join(lines)

    def save(
        self,
        path: Path,
        today: Mapping[str, Sequence[tuple[int, RecordedPlay]]] | None = None,
        title: str = "",
    ) -> None:
        """Save what is drawn at ``path``: a picture (.png), a drawing (.svg) or the figures (.csv)."""
        drawing = self._drawing
        if drawing is None:
            return
        kind = path.suffix.lower()
        problem = f"The chart could not be saved to {path}"
        remedy = "Choose another folder, or free some disk space."
        if kind == ".csv":
            with atomic_text(path, newline="", problem=problem, remedy=remedy) as file:
                write_table(file, history_table(drawing.history, today))
            return
        if kind not in (".png", ".svg"):
            raise QuizwriterError(
                f"A chart cannot be saved as {path.name}.", "Choose a name that ends in .svg, .png or .csv."
            )
        made = QBuffer()  # Qt does not say why it could not write a file, and leaves half of one
        made.open(QIODevice.OpenModeFlag.WriteOnly)
        if kind == ".png":
            image = QImage(SAVED * 2, QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(2)
            self._render(image, drawing, title)
            QImageWriter(made, QByteArray(b"png")).write(image)
        else:
            generator = QSvgGenerator()
            generator.setOutputDevice(made)
            generator.setSize(SAVED)
            generator.setViewBox(QRect(0, 0, SAVED.width(), SAVED.height()))
            generator.setTitle(title)
            generator.setResolution(self.logicalDpiX())  # or letters are of another size than their places
            self._render(generator, drawing, title)
        with atomic_write(path, problem=problem, remedy=remedy) as picture:
            picture.write(made.data().data())

    # -- Qt's

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._drawing is not None:
            self.chosen.emit(self.step_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drawing is None:
            return
        index = self.step_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.chosen.emit(index)
        self._show_read_out(index, event.position())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hide_read_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._picture = None
        self.placed.emit(self.frame)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, frame = self._theme.tokens, self.frame
        painter = QPainter(self)
        if self._drawing is None:
            painter.fillRect(self.rect(), QColor(tokens.page))
            return
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatioF() != ratio:
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(QColor(tokens.page))
            drawn = QPainter(self._picture)
            paint_chart(drawn, self._drawing, frame, self._theme)
            drawn.end()
        painter.drawPixmap(0, 0, self._picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, pen in (
            (self._over, QPen(QColor(tokens.soft), 1, Qt.PenStyle.DashLine)),
            (self._index, QPen(QColor(tokens.accent), 2)),
        ):
            if index is not None:
                painter.setPen(pen)
                painter.drawLine(QLineF(frame.point(index, 0), frame.point(index, frame.highest)))

    # -- ours

    def _draw(self) -> None:
        self._picture = None
        self._hide_read_out()
        self.update()

    def step_at(self, point: QPointF) -> int:
        return self.frame.step_at(point.x())

    def _hide_read_out(self) -> None:
        self._over = None
        self._read_out.hide()
        self.update()

    def _show_read_out(self, index: int, at: QPointF) -> None:
        self._over = index
        self.update()
        self._read_out.setText(self.read_out(index))
        self._read_out.setWordWrap(False)
        size, room = self._read_out.sizeHint(), self.width() - 8
        if size.width() > room:
            self._read_out.setWordWrap(True)
            size = QSize(room, self._read_out.heightForWidth(room))
        self._read_out.resize(size)
        left = at.x() + 16
        if left + self._read_out.width() > self.width() - 4:
            left = at.x() - 16 - self._read_out.width()
        top = max(
            4, min(round(at.y()) - self._read_out.height() // 2, self.height() - self._read_out.height())
        )
        self._read_out.move(max(4, round(left)), max(4, top))
        self._read_out.show()
        self._read_out.raise_()

    def _render(self, device: QImage | QSvgGenerator, drawing: ChartContent, title: str) -> None:
        """Draw everything on ``device``, with a legend, because a saved chart has nothing around it."""
        tokens = self._theme.tokens
        style = f"color:{tokens.ink}; font-size:{LEGEND_POINTS}pt;"
        said = f"<div style='{style}'>{legend(drawing, title, tokens)}</div>"
        above = RichDocument(said, device, SAVED.width() - 2 * RIGHT)
        whole = QRectF(QPointF(), SAVED.toSizeF())
        painter = QPainter(device)
        painter.fillRect(whole, QColor(tokens.page))
        painter.translate(RIGHT, ABOVE)
        above.drawContents(painter)
        painter.translate(-RIGHT, -ABOVE)
        below = whole.adjusted(0, ABOVE + above.size().height(), 0, 0)
        paint_chart(painter, drawing, PlotFrame.inside(below, drawing, self._theme), self._theme, titled=True)
        painter.end()


def _latest(points: Sequence[tuple[int, RecordedPlay]], index: int) -> RecordedPlay | None:
    low, high = 0, len(points)
    while low < high:
        middle = (low + high) // 2
        if points[middle][0] <= index:
            low = middle + 1
        else:
            high = middle
    return points[low - 1][1] if low else None
