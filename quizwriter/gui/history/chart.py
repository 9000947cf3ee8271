"""The chart of a history: how long the text was and where each player stood, edit by edit.

The only module that knows the plotting library, which takes most of a second to import: so it is itself
imported late, and by a thread that nobody waits for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QObject,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QIcon,
    QImage,
    QImageWriter,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFrame, QGraphicsItem, QSizePolicy, QWidget

from quizwriter.domain.guessing import Outcome
from quizwriter.domain.page import page_title
from quizwriter.errors import QuizwriterError
from quizwriter.formats.tables import write_table
from quizwriter.gui.colours import ColourTokens, tint
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of
from quizwriter.system.atomic import atomic_text, atomic_write
from quizwriter.workflow.history_analysis import (
    NEVER,
    History,
    Position,
    PositionUnit,
    history_table,
    position_share,
)
from quizwriter.workflow.session import RecordedPlay
from quizwriter.workflow.wording import engine_line, player_title, position_line

pg.setConfigOptions(antialias=True, exitCleanup=False)

LEFT, BELOW, RIGHT, ABOVE, UNDER = 70, 40, 16, 8, 10
"""Pixels around the plot: the axes' labels left and below, and air; the title below hangs out of its axis."""

DENSE = 400
"""Points from which a line is drawn one pixel wide: a wider one takes a hundred times as long to paint."""

MARKED = 60
"""Points up to which each has its symbol; of more, as many have."""

SAVED = QSize(1200, 480)
"""Pixels of a saved chart; a picture has twice as many."""

MARGIN = 0.012
"""How much of the plot is left free at its left and its right end."""


class PositionCurve(msgspec.Struct, frozen=True):
    """One player's positions: as they were kept, or as it plays ``today``."""

    player: str
    today: bool
    points: tuple[tuple[int, RecordedPlay], ...]  # by step

    @property
    def counted(self) -> tuple[tuple[int, RecordedPlay], ...]:
        return tuple(point for point in self.points if point[1].knowable)

    @property
    def engines(self) -> str:
        return ", ".join(dict.fromkeys(engine_line(shown.engine) for _, shown in self.points))

    @property
    def joined(self) -> tuple[bool, ...]:
        """For each point that is drawn but the last, whether the same engine played at the next."""
        return tuple(one.engine == other.engine for (_, one), (_, other) in pairwise(self.counted))

    @property
    def title(self) -> str:
        return f"{player_title(self.player)}{' today' if self.today else ''}"


class ChartContent(msgspec.Struct, frozen=True):
    """What is drawn, whole."""

    history: History
    curves: tuple[PositionCurve, ...]
    position: Position = Position.BUZZ
    unit: PositionUnit = PositionUnit.WORDS

    @property
    def full(self) -> float:
        return float(self.history.longest) if self.unit is PositionUnit.WORDS else 100.0

    def height(self, shown: RecordedPlay) -> float:
        heard = self.position.of(shown)
        if heard is None:
            return self.full * NEVER
        return float(heard) if self.unit is PositionUnit.WORDS else 100 * position_share(heard, shown.words)


def curves(
    history: History,
    today: Mapping[str, Sequence[tuple[int, RecordedPlay]]],
    hidden: frozenset[str] = frozenset(),
) -> tuple[PositionCurve, ...]:
    """The curves of all players but those ``hidden``: each as it was, then as it is today where known."""
    names = dict.fromkeys((*history.players, *today))
    return tuple(
        PositionCurve(name, is_today, tuple(points))
        for name in names
        if name not in hidden
        for is_today, points in ((False, history.points(name)), (True, today.get(name, ())))
        if points
    )


class Chart(QWidget):
    """``chosen`` carries a step clicked or dragged to, ``placed`` the plot's left and right margin."""

    chosen = Signal(int)
    placed = Signal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._drawing: ChartContent | None = None
        self._index = 0
        self._plot = pg.PlotWidget()
        self._plot.setFrameShape(QFrame.Shape.NoFrame)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.viewport().setMouseTracking(True)
        self._plot.viewport().installEventFilter(self)
        self._here = pg.InfiniteLine(0, 90)
        self._over = pg.InfiniteLine(0, 90)
        self._read_out = plain_label(wrap=False, parent=self)
        self._read_out.setObjectName("floating")
        self._read_out.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._read_out.setContentsMargins(8, 4, 8, 4)
        self._read_out.hide()
        column_of(self._plot, on=self, margins=NO_MARGINS)
        self.setMinimumHeight(96)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Chart of the history")
        theme.changed.connect(self._draw)

    def sizeHint(self) -> QSize:
        return QSize(640, 220)

    @property
    def drawing(self) -> ChartContent | None:
        return self._drawing

    def show_drawing(self, drawing: ChartContent) -> None:
        if drawing != self._drawing:
            self._drawing = drawing
            self._draw()

    def go(self, index: int) -> None:
        self._index = index
        self._here.setValue(index)

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
        remedy = "Choose another folder, or free some space on the disk."
        if kind == ".csv":
            with atomic_text(path, newline="", problem=problem, remedy=remedy) as file:
                write_table(file, history_table(drawing.history, today))
            return
        if kind not in (".png", ".svg"):
            raise QuizwriterError(
                f"A chart cannot be saved as {path.name}.",
                "Choose a name that ends in .svg, .png or .csv.",
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
            generator.setResolution(self.logicalDpiX())  # or axes and plot are of two sizes
            self._render(generator, drawing, title)
        with atomic_write(path, problem=problem, remedy=remedy) as picture:
            picture.write(made.data().data())

    # -- Qt's

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._plot.viewport() and isinstance(event, QMouseEvent) and self._drawing is not None:
            index = self._at(event.position())
            if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
                self.chosen.emit(index)
                return True
            if kind == QEvent.Type.MouseMove:
                if event.buttons() & Qt.MouseButton.LeftButton:
                    self.chosen.emit(index)
                self._show_read_out(index, event.position())
                return True
            if kind in (QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick):
                return True
        elif watched is self._plot.viewport() and kind == QEvent.Type.Wheel:
            return True
        elif watched is self._plot.viewport() and kind == QEvent.Type.Leave:
            self._read_out.hide()
            self._over.hide()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.placed.emit(self._theme.px(LEFT), RIGHT)

    # -- ours

    def _draw(self) -> None:
        self._read_out.hide()
        tokens = self._theme.tokens
        self._plot.setBackground(tokens.page)
        if self._drawing is None:
            return
        plot = self._plot.getPlotItem()
        _draw(plot, self._drawing, self._theme, kept=True)
        here = QPen(QColor(tokens.accent), 2)
        here.setCosmetic(True)
        self._here.setPen(here)
        over = QPen(QColor(tokens.soft), 1, Qt.PenStyle.DashLine)
        over.setCosmetic(True)
        self._over.setPen(over)
        self._over.hide()
        plot.addItem(self._over)
        plot.addItem(self._here)
        self._here.setValue(self._index)

    def _at(self, point: QPointF) -> int:
        """The step that lies under ``point``."""
        assert self._drawing is not None
        low, high = _across(self._drawing)
        left = self._theme.px(LEFT)
        width = max(1, self._plot.width() - left - RIGHT)
        index = round(low + (point.x() - left) / width * (high - low))
        return max(0, min(len(self._drawing.history) - 1, index))

    def _show_read_out(self, index: int, at: QPointF) -> None:
        self._over.setValue(index)
        self._over.show()
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
        plot = pg.PlotWidget(background=tokens.page)
        plot.resize(SAVED)
        item = plot.getPlotItem()
        _draw(item, drawing, self._theme, kept=False)
        item.setTitle(legend(drawing, title, tokens), justify="left", size="9pt", color=tokens.ink)
        whole = QRectF(0, 0, SAVED.width(), SAVED.height())
        item.resize(whole.size())
        if isinstance(device, QImage):
            device.fill(QColor(tokens.page))
        painter = QPainter(device)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(whole, QColor(tokens.page))
        plot.scene().render(painter, whole, whole)
        painter.end()
        plot.deleteLater()


def legend(drawing: ChartContent, title: str, tokens: ColourTokens) -> str:
    """What is drawn, as rich text in one line."""
    what = {Position.BUZZ: "buzz", Position.FIRST: "first right", Position.STABLE: "stays right"}
    parts = [
        f"<b>{escape(title)}</b>" if title else "",
        f"{what[drawing.position]}, in {drawing.unit}, edit by edit; ✗ marks a wrong buzz",
        f"<span style='color:{tokens.wrong}'>▬</span> length, at most {drawing.history.longest:,} words",
    ]
    for curve in drawing.curves:
        mark = tokens.player(curve.player)
        parts.append(
            f"<span style='color:{mark.colour}'>{mark.glyph}</span> {escape(curve.title)} {curve.engines}"
        )
    return "&nbsp;&nbsp;&nbsp;".join(filter(None, parts))


def swatch(theme: Theme, player: str, ratio: float) -> QIcon:
    """The colour and the shape of ``player``, for a button that switches the player off."""
    tokens = theme.tokens
    mark = tokens.player(player)
    icon = QIcon()
    font = theme.font()
    font.setPixelSize(theme.px(12))
    side = theme.px(14)
    for colour, state in (
        (mark.colour, QIcon.State.On),
        (tokens.line, QIcon.State.Off),
    ):
        pixmap = QPixmap(round(side * ratio), round(side * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(QRectF(0, 0, side, side), Qt.AlignmentFlag.AlignCenter, mark.glyph)
        painter.end()
        icon.addPixmap(pixmap, QIcon.Mode.Normal, state)
    return icon


def _draw(plot: pg.PlotItem, drawing: ChartContent, theme: Theme, *, kept: bool) -> None:
    """Draw ``drawing`` on ``plot``; ``kept`` lines are painted once, so that moving a mark costs nothing."""
    tokens = theme.tokens
    plot.clear()
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.vb.setMouseEnabled(x=False, y=False)
    plot.layout.setContentsMargins(0, ABOVE, RIGHT, UNDER)
    top = drawing.full * NEVER
    plot.vb.setRange(xRange=_across(drawing), yRange=(0, top * 1.04), padding=0)
    _draw_axes(plot, drawing, theme, short=kept)
    drawn = [_draw_length(plot, drawing, tokens)]
    has_today = any(curve.today for curve in drawing.curves)
    drawn += [
        _draw_curve(plot, drawing, curve, tokens, aside=has_today and not curve.today)
        for curve in drawing.curves
    ]
    if kept:
        for line in drawn:
            line.curve.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)


def _across(drawing: ChartContent) -> tuple[float, float]:
    """The steps at the left and the right edge; beyond the ends, so that their points are whole."""
    last = max(1, len(drawing.history) - 1)
    return -MARGIN * last, last * (1 + MARGIN)


def _draw_axes(plot: pg.PlotItem, drawing: ChartContent, theme: Theme, *, short: bool) -> None:
    """Draw both axes; with ``short`` titles, because the buttons above the chart say what it shows."""
    tokens = theme.tokens
    line = QPen(QColor(tokens.line), 1)
    line.setCosmetic(True)
    unit = "\u00a0%" if drawing.unit is PositionUnit.PERCENT else ""
    heights = [(value, f"{value:.0f}{unit}") for value in _round_numbers(drawing.full, 4)]
    heights.append((drawing.full * NEVER, "never"))
    places = list(_edits(drawing.history))
    where = {Position.BUZZ: "Buzz", Position.FIRST: "First right", Position.STABLE: "Stays right"}
    measure = "per cent of the words" if drawing.unit is PositionUnit.PERCENT else "words heard"
    unit_title = "per cent" if drawing.unit is PositionUnit.PERCENT else "words"
    left = unit_title if short else f"{where[drawing.position]}, {measure}"
    titles = {"left": left, "bottom": "edits" if short else "Edits"}
    for name, ticks in (("left", heights), ("bottom", places)):
        axis = plot.getAxis(name)
        axis.setTicks([ticks])
        axis.setPen(line)
        axis.setTickPen(line)
        axis.setTextPen(QPen(QColor(tokens.soft)))
        axis.setStyle(tickLength=0, tickTextOffset=8, tickFont=theme.font(small=True))
        axis.setLabel(titles[name], color=tokens.soft)
        axis.label.setFont(theme.font(small=True))
    plot.getAxis("left").setWidth(theme.px(LEFT))
    plot.getAxis("bottom").setHeight(theme.px(BELOW))
    for height, _ in heights:
        grid = pg.InfiniteLine(height, 0, pen=line)
        grid.setZValue(-20)
        plot.addItem(grid)


def _edits(history: History) -> Iterator[tuple[float, str]]:
    """Where the axis says which edit it is."""
    steps = history.steps
    if not steps:
        return
    last = len(steps) - 1
    yield 0.0, "1"
    for value in _round_numbers(len(history.changes), 10):
        at = history.index_of(int(value))
        if last * 0.04 < at < last * 0.97:
            yield float(at), f"{int(value):,}"
    if last:
        yield float(last), f"{steps[-1].seq:,}"


def _draw_length(plot: pg.PlotItem, drawing: ChartContent, tokens: ColourTokens) -> pg.PlotDataItem:
    scale = 1.0 if drawing.unit is PositionUnit.WORDS else 100 / drawing.history.longest
    lengths = [step.words * scale for step in drawing.history.steps]
    pen = QPen(QColor(tokens.wrong), 1)
    pen.setCosmetic(True)
    drawn = plot.plot(
        range(len(lengths)),
        lengths,
        pen=pen,
        fillLevel=0,
        fillBrush=tint(tokens.wrong, 0.14),
    )
    drawn.setZValue(-30)
    return drawn


def _draw_curve(
    plot: pg.PlotItem, drawing: ChartContent, curve: PositionCurve, tokens: ColourTokens, *, aside: bool
) -> pg.PlotDataItem:
    """Draw ``curve``, dotted and thin where it stands ``aside`` of what is newer.

    The line breaks where another engine played: what two engines say is not one development.
    """
    across = [index for index, _ in curve.counted]
    heights = [drawing.height(shown) for _, shown in curve.counted]
    joined = curve.joined
    along, levels, connected = _steps(across, heights, joined)
    mark = tokens.player(curve.player)
    colour = QColor(mark.colour)
    pen = QPen(colour, 1 if aside or len(across) > DENSE else 2)
    pen.setCosmetic(True)
    if aside:
        pen.setStyle(Qt.PenStyle.DotLine)
    drawn = plot.plot(along, levels, pen=pen, connect=np.array(connected, np.int32))
    every = max(1, len(across) // MARKED)
    # A point that no line reaches is seen by its symbol only.
    alone = [not before and not after for before, after in pairwise((False, *joined, False))]
    marked = [number for number in range(len(across)) if number % every == 0 or alone[number]]
    outline = QPen(colour, 1)
    outline.setCosmetic(True)
    marks = plot.plot(
        [across[number] for number in marked],
        [heights[number] for number in marked],
        pen=None,
        symbol=mark.shape,
        symbolSize=5 if aside else 7,
        symbolPen=outline,
        symbolBrush=QColor(tokens.page) if aside else colour,
        useCache=False,  # or they would be drawn as pictures, also where lines are saved
    )
    marks.setZValue(10)
    if drawing.position is Position.BUZZ:
        _draw_wrong_buzzes(plot, drawing, curve, tokens)
    return drawn


def _steps(
    across: Sequence[int], heights: Sequence[float], joined: Sequence[bool]
) -> tuple[list[float], list[float], list[bool]]:
    """The points of a line in steps: between two edits that were played, nobody knows a position.

    The third list says of each point whether the line goes on to the next.
    """
    along, levels, connected = list[float](), list[float](), list[bool]()
    for number, (place, height) in enumerate(zip(across, heights, strict=True)):
        along.append(place)
        levels.append(height)
        goes_on = number < len(joined) and joined[number]
        connected.append(goes_on)
        if goes_on and heights[number + 1] != height:
            along.append(across[number + 1])
            levels.append(height)
            connected.append(True)
    return along, levels, connected


def _draw_wrong_buzzes(
    plot: pg.PlotItem, drawing: ChartContent, curve: PositionCurve, tokens: ColourTokens
) -> None:
    """Cross out the points at which the player buzzes with another page than the answer of that version."""
    wrong = [
        (index, shown)
        for index, shown in curve.points
        if shown.buzz_page is not None
        and (answer := drawing.history.steps[index].answer) is not None
        and not answer.accepts(shown.buzz_page)
    ]
    if not wrong:
        return
    every = max(1, len(wrong) // MARKED)
    pen = QPen(QColor(tokens.confident), 2)
    pen.setCosmetic(True)
    crosses = plot.plot(
        [index for index, _ in wrong[::every]],
        [drawing.height(shown) for _, shown in wrong[::every]],
        pen=None,
        symbol="x",
        symbolSize=11,
        symbolPen=pen,
        symbolBrush=QColor(tokens.confident),
        useCache=False,
    )
    crosses.setZValue(11)


def _latest(points: Sequence[tuple[int, RecordedPlay]], index: int) -> RecordedPlay | None:
    low, high = 0, len(points)
    while low < high:
        middle = (low + high) // 2
        if points[middle][0] <= index:
            low = middle + 1
        else:
            high = middle
    return points[low - 1][1] if low else None


def _round_numbers(most: float, about: int) -> Iterator[float]:
    """Round numbers from 0 to ``most``, some ``about`` of them."""
    step = 1.0
    for factor in (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 5_000, 10_000, 100_000):
        step = float(factor)
        if most / step <= about:
            break
    value = 0.0
    while value <= most:
        yield value
        value += step
