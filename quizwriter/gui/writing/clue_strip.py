"""The clue strip under the lanes: how strongly each clue alone points to the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QProgressBar, QPushButton, QSizePolicy, QToolTip, QWidget

from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import ElidedLabel, plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, row_of
from quizwriter.gui.writing.lane_legend import paint_empty_lane
from quizwriter.gui.writing.timeline import TimeLine
from quizwriter.workflow.wording import percent, player_title

HIGH = 26
"""Height in px of a bar that is full."""

MARKS = 8
"""Height in px above the bars for the marks of cliffs and races."""

SAYS = 24
"""Height in px of the line below the bars."""

NOTHING_YET = "One bar for each clue: how strongly it alone points to the answer."
NOTHING_YET_SHORT = "What each clue alone gives away."


class ClueBar(msgspec.Struct, frozen=True):
    """A clue as the strip shows it: its words from ``first`` to before ``end``, its text, and its figures.

    ``chances`` has for each player that can know the answer the chance of the answer by this clue alone.
    ``heard`` past questions have the clue; it is hatched where it is ``stock``.
    """

    first: int
    end: int
    text: str
    chances: Mapping[str, float]
    heard: int = 0
    stock: bool = False
    cliff: bool = False

    def in_words(self, number: int) -> str:
        """The bar for those who do not see it, and for its tooltip."""
        said = [f"{player_title(name)} {percent(chance)}" for name, chance in self.chances.items()]
        parts = [f"Clue {number + 1}, words {self.first + 1} to {self.end}"]
        parts.append(
            f"chance of the answer with this clue alone: {', '.join(said)}" if said else "not played yet"
        )
        if self.stock:
            parts.append(f"stock, heard in {self.heard:,} past questions")
        if self.cliff:
            parts.append("a cliff: the chance of the answer jumps here")
        return "; ".join(parts)


class ClueStrip(QWidget):
    """One bar for each clue, aligned with its words in the time line, and one sentence below them.

    ``chosen`` carries the number of a clue that was clicked, ``looked`` whether the writer looks at the offer
    of a change. The height never changes with what is shown.
    """

    chosen = Signal(int)
    looked = Signal(bool)

    def __init__(self, theme: Theme, time_line: TimeLine) -> None:
        super().__init__()
        self._theme, self._time_line = theme, time_line
        self._bars: tuple[ClueBar, ...] = ()
        self._race: tuple[int, int] | None = None
        self._stale = False
        self._voices: list[_Voice] = []
        self._left, self._right = 64, 16
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Clue strip")
        self.said = ElidedLabel()
        self.take = QPushButton("Move it")
        self.take.setFlat(True)
        self.take.installEventFilter(self)
        self.take.hide()
        self._line = QWidget(self)
        row_of((self.said, 1), self.take, on=self._line, margins=NO_MARGINS, spacing=8)
        self.setMouseTracking(True)
        theme.follow(self._apply_theme)

    @property
    def bars(self) -> tuple[ClueBar, ...]:
        return self._bars

    def align(self, left: int, right: int) -> None:
        self._left, self._right = left, right
        self._place()

    def show_bars(
        self,
        bars: Sequence[ClueBar],
        sentence: str = "",
        *,
        told: str = "",
        race: tuple[int, int] | None = None,
        offer: str = "",
    ) -> None:
        """Show ``bars`` and a ``sentence``; ``race`` has the first and the last word of a buzzer race.

        ``told`` says the same at length, for the tooltip and for screen readers. ``offer`` says what the
        button does that makes the change of which the sentence speaks; empty: no button.
        """
        self._bars, self._race, self._stale = tuple(bars), race, False
        self.said.setText(sentence)
        self.take.setVisible(bool(offer))
        self.take.setToolTip(plain_tooltip(f"{offer} (Ctrl+Alt+Y)"))
        self.take.setAccessibleName(offer)
        self.said.setToolTip(plain_tooltip(told or sentence))
        self.setAccessibleDescription(told or sentence or ("" if bars else NOTHING_YET))
        self._place()
        self.update()

    def show_stale(self) -> None:
        """The bars are of an older draft until others come."""
        if self._bars and not self._stale:
            self._stale = True
            self.take.hide()
            self.update()

    def box(self, number: int) -> QRectF:
        """Where the bar of a clue may be, from no chance to certainty."""
        bar = self._bars[number]
        first, last = self._time_line.box(0, bar.first + 1), self._time_line.box(0, bar.end)
        across = first.united(last)
        return QRectF(across.left() + 1, self._theme.px(MARKS), across.width() - 2, self._theme.px(HIGH))

    # -- Qt's

    def sizeHint(self) -> QSize:
        return QSize(320, self._theme.px(MARKS) + self._theme.px(HIGH) + self._theme.px(SAYS) + 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._at(event.position())
        if number is not None:
            self.chosen.emit(number)
        super().mousePressEvent(event)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is self.take and event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            self.looked.emit(True)
        elif watched is self.take and event.type() in (
            QEvent.Type.Leave,
            QEvent.Type.FocusOut,
            QEvent.Type.Hide,
        ):
            self.looked.emit(False)
        return False

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number = self._at(QPointF(event.pos()))
            if not self._bars:
                QToolTip.showText(event.globalPos(), plain_tooltip(NOTHING_YET), self)
            elif number is None:
                QToolTip.hideText()
            else:
                bar = self._bars[number]
                text = f"{bar.in_words(number)}\n{bar.text}"
                QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter = self._theme.tokens, QPainter(self)
        painter.setFont(self._theme.font(small=True))
        metrics = QFontMetricsF(painter.font())
        top, high = self._theme.px(MARKS), self._theme.px(HIGH)
        painter.setPen(QColor(tokens.soft))
        beside = QRectF(0, top, self._left - 8, high)
        painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "Clues")
        if not self._bars:
            room = QRectF(self._left, top, self.width() - self._left - self._right, high)
            paint_empty_lane(painter, room, NOTHING_YET_SHORT, tokens)
        painter.setOpacity(0.6 if self._stale else 1.0)
        for number in range(len(self._bars)):
            self._paint_bar(painter, number, metrics)
        if self._race is not None and self._bars:
            first, last = (self._time_line.box(0, word) for word in self._race)
            across = first.united(last)
            painter.setPen(QPen(QColor(tokens.ink), 2))
            y = top - 4.0
            painter.drawLine(QPointF(across.left(), y), QPointF(across.right(), y))
            for x in (across.left(), across.right()):
                painter.drawLine(QPointF(x, y - 2), QPointF(x, y + 2))

    def _paint_bar(self, painter: QPainter, number: int, metrics: QFontMetricsF) -> None:
        tokens, bar, box = self._theme.tokens, self._bars[number], self.box(number)
        painter.fillRect(box, QColor(tokens.band))
        names = list(bar.chances)
        for place, name in enumerate(names):
            wide = box.width() / len(names)
            high = box.height() * bar.chances[name]
            column = QRectF(box.left() + place * wide, box.bottom() - high, max(1.0, wide - 1), high)
            colour = QColor(tokens.player(name).colour)
            painter.fillRect(column, colour)
            if bar.stock:
                painter.fillRect(column, QBrush(QColor(tokens.page), Qt.BrushStyle.BDiagPattern))
        if bar.stock:  # seen also where no player has anything to show
            painter.fillRect(
                box, QBrush(QColor(mixed(tokens.soft, tokens.page, 0.5)), Qt.BrushStyle.BDiagPattern)
            )
        painter.setPen(QPen(QColor(tokens.soft), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        text = str(number + 1)
        if box.width() > metrics.horizontalAdvance(text) + 6:
            at = QPointF(box.left() + 3, box.top() + metrics.ascent())
            halo = QRectF(
                box.left() + 1, box.top(), metrics.horizontalAdvance(text) + 4, metrics.ascent() + 2
            )
            painter.fillRect(halo, QColor(tokens.page))
            painter.setPen(QColor(tokens.soft))
            painter.drawText(at, text)
        if bar.cliff:
            x, y = box.center().x(), box.top() - 1
            painter.setBrush(QColor(tokens.confident))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawPolygon(QPolygonF([QPointF(x - 5, y - 6), QPointF(x + 5, y - 6), QPointF(x, y)]))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    # -- ours

    def _at(self, place: QPointF) -> int | None:
        return next(
            (
                number
                for number in range(len(self._bars))
                if self.box(number).left() <= place.x() < self.box(number).right() + 2
            ),
            None,
        )

    def _place(self) -> None:
        """Place the sentence, and an element for each bar, which a screen reader finds."""
        top = self._theme.px(MARKS) + self._theme.px(HIGH) + 2
        self._line.setGeometry(
            self._left, top, max(60, self.width() - self._left - self._right), self._theme.px(SAYS)
        )
        while len(self._voices) < len(self._bars):
            voice = _Voice(self)
            voice.setRange(0, 100)
            self._voices.append(voice)
        for number, voice in enumerate(self._voices):
            there = number < len(self._bars)
            voice.setVisible(there)
            if there:
                bar = self._bars[number]
                voice.setAccessibleName(bar.in_words(number))
                voice.setValue(round(100 * max(bar.chances.values(), default=0.0)))
                voice.setGeometry(self.box(number).toRect())

    def _apply_theme(self) -> None:
        for widget in (self.said, self.take):
            widget.setFont(self._theme.font(small=True))
        self.said.setStyleSheet(f"color: {self._theme.tokens.soft};")
        self.take.setStyleSheet(
            f"QPushButton {{ color: {self._theme.tokens.accent}; padding: 1px 6px; border: none; }}"
            f"QPushButton:focus, QPushButton:hover {{ text-decoration: underline; }}"
        )
        self.updateGeometry()
        self._place()
        self.update()


class _Voice(QProgressBar):
    """A bar for screen readers, which say its name and its value; the strip paints what is seen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextVisible(False)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing: the strip has painted the bar."""
