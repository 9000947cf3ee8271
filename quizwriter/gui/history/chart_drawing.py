"""What the chart of a history draws: how long the text was and where each player stood, edit by edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

import msgspec
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPainter, QPen, QPixmap, QPolygonF

from quizwriter.gui.colours import ColourTokens, tint
from quizwriter.gui.theme import Theme, draw_player
from quizwriter.workflow.history_analysis import NEVER, History, Position, PositionUnit, position_share
from quizwriter.workflow.session import RecordedPlay
from quizwriter.workflow.wording import engine_line, player_title

LEFT, BELOW, RIGHT, ABOVE = 70, 50, 16, 10
"""Pixels around the plot for labels and air; all but the right grow with the letters."""

GAP = 8
"""Pixels between an axis and its labels."""

DENSE = 400
"""Points from which a line is drawn one pixel wide: a wider one takes a hundred times as long to paint."""

MARKED = 60
"""Points up to which each has its symbol; of more, as many have."""

SYMBOL, ASIDE, CROSS = 8.0, 6.0, 9.0
"""Pixels of a point, of one that stands aside of what is newer, and of the cross of a wrong buzz."""

MARGIN = 0.012
"""How much of the plot is left free at its left and its right end, so that the points there are whole."""


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

    def lines(self, curve: PositionCurve) -> Iterator[list[tuple[float, float]]]:
        """The line of ``curve`` in steps: between two edits that were played, nobody knows a position.

        It breaks where another engine played: what two engines say is not one development.
        """
        line: list[tuple[float, float]] = []
        for (index, shown), goes_on in zip(curve.counted, (*curve.joined, False), strict=False):
            height = self.height(shown)
            if line and line[-1][1] != height:
                line.append((index, line[-1][1]))
            line.append((index, height))
            if not goes_on:
                yield line
                line = []

    def marked(self, curve: PositionCurve) -> list[tuple[float, float]]:
        """The points of ``curve`` that have a symbol: some of them, and those that no line reaches."""
        points, joined = curve.counted, curve.joined
        every = max(1, len(points) // MARKED)
        alone = [not before and not after for before, after in pairwise((False, *joined, False))]
        return [
            (index, self.height(shown))
            for number, (index, shown) in enumerate(points)
            if number % every == 0 or alone[number]
        ]

    def wrong_buzzes(self, curve: PositionCurve) -> list[tuple[float, float]]:
        """The points at which the player buzzes with another page than the answer of that version."""
        if self.position is not Position.BUZZ:
            return []
        wrong: list[tuple[float, float]] = [
            (index, self.height(shown))
            for index, shown in curve.points
            if shown.buzz_page is not None
            and (answer := self.history.steps[index].answer) is not None
            and not answer.accepts(shown.buzz_page)
        ]
        return wrong[:: max(1, len(wrong) // MARKED)]


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


class PlotFrame(msgspec.Struct, frozen=True):
    """The ``box`` in which steps lie from left to right, and heights from the bottom up to ``highest``."""

    box: QRectF
    steps: int
    highest: float

    @classmethod
    def inside(cls, whole: QRectF, drawing: ChartContent | None, theme: Theme) -> PlotFrame:
        """The frame of ``drawing`` and its axes in ``whole``."""
        box = whole.adjusted(theme.px(LEFT), theme.px(ABOVE), -RIGHT, -theme.px(BELOW))
        if drawing is None:
            return cls(box, 0, 1.0)
        return cls(box, len(drawing.history), drawing.full * NEVER * 1.04)

    @property
    def last(self) -> int:
        """The step at the right end."""
        return max(1, self.steps - 1)

    def point(self, step: float, height: float) -> QPointF:
        share = (step / self.last + MARGIN) / (1 + 2 * MARGIN)
        return QPointF(
            self.box.left() + share * self.box.width(),
            self.box.bottom() - height / self.highest * self.box.height(),
        )

    def step_at(self, x: float) -> int:
        share = (x - self.box.left()) / max(1.0, self.box.width())
        index = round((share * (1 + 2 * MARGIN) - MARGIN) * self.last)
        return max(0, min(self.steps - 1, index))


def legend(drawing: ChartContent, title: str, tokens: ColourTokens) -> str:
    """What is drawn, as rich text."""
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
    return "&nbsp;&nbsp; ".join(filter(None, parts))


def swatch(theme: Theme, player: str, ratio: float) -> QIcon:
    """The colour and the shape of ``player``, for a button that switches the player off."""
    tokens = theme.tokens
    mark = tokens.player(player)
    icon = QIcon()
    font = theme.font()
    font.setPixelSize(theme.px(12))
    side = theme.px(14)
    for colour, state in ((mark.colour, QIcon.State.On), (tokens.line, QIcon.State.Off)):
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


def paint_chart(
    painter: QPainter, drawing: ChartContent, frame: PlotFrame, theme: Theme, *, titled: bool = False
) -> None:
    """Paint ``drawing`` in ``frame``; the axes say what it shows if ``titled``, else buttons above it do."""
    tokens = theme.tokens
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scale = 1.0 if drawing.unit is PositionUnit.WORDS else 100 / drawing.history.longest
    lengths = [(index, step.words * scale) for index, step in enumerate(drawing.history.steps)]
    outline = _polygon(lengths, frame)
    under = _polygon([*lengths, (len(lengths) - 1, 0), (0, 0)], frame)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tint(tokens.wrong, 0.14))
    painter.drawPolygon(under)
    painter.setPen(QPen(QColor(tokens.wrong), 1))
    painter.drawPolyline(outline)
    _paint_axes(painter, drawing, frame, theme, titled=titled)
    has_today = any(curve.today for curve in drawing.curves)
    for curve in drawing.curves:
        _paint_line(painter, drawing, curve, frame, tokens, aside=has_today and not curve.today)
    for curve in drawing.curves:
        _paint_points(painter, drawing, curve, frame, tokens, aside=has_today and not curve.today)


def _polygon(points: Sequence[tuple[float, float]], frame: PlotFrame) -> QPolygonF:
    return QPolygonF([frame.point(*point) for point in points])


def _paint_axes(
    painter: QPainter, drawing: ChartContent, frame: PlotFrame, theme: Theme, *, titled: bool
) -> None:
    tokens, box = theme.tokens, frame.box
    font = theme.font(small=True)
    metrics = QFontMetricsF(font)
    tall = metrics.height()
    unit = "\u00a0%" if drawing.unit is PositionUnit.PERCENT else ""
    heights = [(value, f"{value:.0f}{unit}") for value in _round_numbers(drawing.full, 4)]
    heights.append((drawing.full * NEVER, "never"))
    hairline = QPen(QColor(tokens.line), 1)
    painter.setFont(font)
    for height, words in heights:
        y = round(frame.point(0, height).y()) + 0.5  # on whole pixels
        painter.setPen(hairline)
        painter.drawLine(QLineF(box.left(), y, box.right(), y))
        painter.setPen(QColor(tokens.soft))
        wide = metrics.horizontalAdvance(words)
        painter.drawText(QPointF(box.left() - GAP - wide, y - tall / 2 + metrics.ascent()), words)
    painter.setPen(hairline)
    painter.drawLine(QLineF(box.topLeft(), box.bottomLeft()))
    painter.setPen(QColor(tokens.soft))
    for step, words in _edits(drawing.history):
        wide = metrics.horizontalAdvance(words)
        left = min(frame.point(step, 0).x() - wide / 2, box.right() + RIGHT - wide)
        painter.drawText(QPointF(left, box.bottom() + GAP + metrics.ascent()), words)
    across = "Edits" if titled else "edits"
    at = QPointF(
        box.center().x() - metrics.horizontalAdvance(across) / 2,
        box.bottom() + 1.5 * GAP + tall + metrics.ascent(),
    )
    painter.drawText(at, across)
    up = _height_title(drawing) if titled else ("per cent" if unit else "words")
    painter.save()
    painter.translate(box.left() - theme.px(LEFT) + GAP / 2 + metrics.ascent(), box.center().y())
    painter.rotate(-90)
    painter.drawText(QPointF(-metrics.horizontalAdvance(up) / 2, 0), up)
    painter.restore()


def _height_title(drawing: ChartContent) -> str:
    where = {Position.BUZZ: "Buzz", Position.FIRST: "First right", Position.STABLE: "Stays right"}
    measure = "per cent of the words" if drawing.unit is PositionUnit.PERCENT else "words heard"
    return f"{where[drawing.position]}, {measure}"


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


def _paint_line(
    painter: QPainter,
    drawing: ChartContent,
    curve: PositionCurve,
    frame: PlotFrame,
    tokens: ColourTokens,
    *,
    aside: bool,
) -> None:
    """Paint the line of ``curve``, dotted and thin where it stands ``aside`` of what is newer."""
    pen = QPen(QColor(tokens.player(curve.player).colour), 1 if aside or len(curve.points) > DENSE else 2)
    if aside:
        pen.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in drawing.lines(curve):
        painter.drawPolyline(_polygon(line, frame))


def _paint_points(
    painter: QPainter,
    drawing: ChartContent,
    curve: PositionCurve,
    frame: PlotFrame,
    tokens: ColourTokens,
    *,
    aside: bool,
) -> None:
    mark, page = tokens.player(curve.player), QColor(tokens.page)
    for point in drawing.marked(curve):
        box = _around(frame.point(*point), ASIDE if aside else SYMBOL)
        draw_player(painter, box, mark, page if aside else None, right=not aside)
    painter.setPen(QPen(QColor(tokens.confident), 2))
    for point in drawing.wrong_buzzes(curve):
        box = _around(frame.point(*point), CROSS)
        painter.drawLine(QLineF(box.topLeft(), box.bottomRight()))
        painter.drawLine(QLineF(box.topRight(), box.bottomLeft()))


def _around(point: QPointF, side: float) -> QRectF:
    return QRectF(point.x() - side / 2, point.y() - side / 2, side, side)


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
