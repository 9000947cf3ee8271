"""The time line: every player's whole game, word by word, exactly under the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QLine, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from quizwriter.domain.page import page_title
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.colours import mixed, tint
from quizwriter.gui.theme import (
    STALE_OPACITY,
    Theme,
    draw_crosshatch,
    draw_first_correct,
    draw_player,
    draw_stable_correct,
    draw_unknown,
)
from quizwriter.gui.widgets.icons import draw_bell
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.writing.lane_legend import LEGENDS, paint_sign
from quizwriter.workflow.goals import goal_met, goal_sentence, goal_word
from quizwriter.workflow.wording import Lane, counted_noun, lane_in_words, player_short, player_title

LANE, GAP, ABOVE, RULER, LEGEND = 18, 16, 18, 18, 20
"""Heights in px: a lane, what is between two (its marks), the marks above, the ruler, the legend."""

MOST_LEGEND = 3
"""Rows of the legend; where it would need more, there is none."""

LOW_LANE = 10
"""Height in px of a lane where the window is low for its letters; there is no ruler then."""

LOW = 8
"""Height in px of what is painted where the answer does not lead; where it does, a lane is full."""

SIGN = 9
"""Width and height in px of a player's shape beside its lane."""

GLYPH = 12
"""Width and height in px of a mark of a lane; like all places it grows with the letters."""

KEY = 10
"""Width and height in px of a sign in the legend."""

GHOST = 0.45
"""How strongly the bell of before the last edit is painted."""

BRACKETS = re.compile(r" \([^()]*\)")
"""What a label leaves out first: the word of a buzz, or how sure a player must be."""

SHORTEST = 60
"""Words the line has room for from the start, so that it does not jump with every word of a short draft."""


class TimeLine(QWidget):
    """``pointed`` carries the word (heard, from 1) under the mouse or None; ``chosen`` one that was clicked
    or stepped to, None for the last; ``lane_chosen`` the player whose lane was clicked, with that word;
    ``buzz_chosen`` the player whose bell or name was clicked.

    ``painted`` carries the generation whose lanes are on the screen now, and whether all players' are.
    """

    pointed = Signal(object)
    chosen = Signal(object)
    lane_chosen = Signal(str, object)
    buzz_chosen = Signal(str)
    painted = Signal(int, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lanes: tuple[Lane, ...] = ()
        self._words = 0
        self._power: int | None = None
        self._goal: BuzzGoal | None = None
        self._ends: tuple[int, ...] = ()
        self._ended = False  # whether the draft tells the players what to name
        self._marked: int | None = None
        self._mirrored = False
        self._message = ""
        self._summary = ""
        self._shows_legend = False
        self._generation = self._painted_generation = (-1, False)
        self._stale: frozenset[str] = frozenset()
        self._left, self._right, self._rows_before = 64, 16, 0
        self._previews: dict[str, int] = {}
        self._is_low = False
        self._voices: list[QLabel] = []
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time line")
        theme.changed.connect(self._follow_theme)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        return self._lanes

    @property
    def message(self) -> str:
        return self._message

    def align(self, left: int, right: int) -> None:
        rows = self._legend_rows()
        if (left, right, rows) != (self._left, self._right, self._rows_before):
            self._left, self._right, self._rows_before = left, right, rows
            self.updateGeometry()  # the legend may need another row
            self.update()

    def show_lanes(
        self,
        tossup: Tossup,
        lanes: tuple[Lane, ...],
        message: str = "",
        *,
        summary: str = "",
        stale: frozenset[str] = frozenset(),
    ) -> None:
        """Paint the ``lanes``, which are of ``tossup``; ``message`` stands where there are none.

        ``summary`` is for those who do not see them; players named in ``stale`` are painted as of an older
        draft.
        """
        words = tossup.words
        ends = []
        at = 0
        for sentence in tossup.sentences:
            while at < len(words) and words[at].start < sentence.end:
                at += 1
            ends.append(at)
        shown = (lanes, len(words), tossup.power, tuple(ends), message, summary, stale)
        before = (self._lanes, self._words, self._power, self._ends, self._message)
        if shown == (*before, self._summary, self._stale):
            return
        if len(lanes) != len(self._lanes):
            self.updateGeometry()
        self._ended = not all(tossup.clues)
        self._lanes, self._words, self._power, self._ends, self._message = shown[:5]
        self._summary, self._stale = shown[5:]
        self._describe()
        self._speak_lanes()
        self.update()

    def show_goal(self, goal: BuzzGoal | None) -> None:
        """Paint before which word no player is to buzz, or the player of the ``goal``."""
        if goal != self._goal:
            self._goal = goal
            self._describe()
            self.update()

    def show_legend(self, *, shown: bool) -> None:
        """Say below the lanes what their colours and marks mean, or not."""
        if shown != self._shows_legend:
            self._shows_legend = shown
            self.updateGeometry()
            self.update()

    def tell_when_painted(self, generation: int, *, complete: bool) -> None:
        """Have ``painted`` say when lanes of ``generation`` are on the screen; at once if nobody sees them.

        A negative ``generation`` says that they are of no draft that is worth telling of.
        """
        if generation < 0 or (generation, complete) == self._generation:
            return
        self._generation = (generation, complete)
        if self.isVisible():
            self.update(0, 0, 1, 1)  # one pixel, painted together with whatever changed
        else:
            self._tell_painted()

    def tell_anew(self) -> None:
        """Have ``painted`` say when the next lanes are on the screen: they are of another draft."""
        self._generation = self._painted_generation = (-1, False)

    def _tell_painted(self) -> None:
        if self._painted_generation != self._generation:
            self._painted_generation = self._generation
            self.painted.emit(*self._generation)

    def mirror(self, *, mirrored: bool) -> None:
        """Read from right to left."""
        if mirrored != self._mirrored:
            self._mirrored = mirrored
            self.update()

    def mark(self, heard: int | None) -> None:
        """Show word ``heard`` as the one looked at."""
        if heard != self._marked:
            self._marked = heard
            self.update()

    def step(self, by: int) -> None:
        if not self._words:
            return
        at = self._words if self._marked is None else self._marked
        heard = max(1, min(self._words, at + by))
        self._announce(heard)
        chosen = None if heard == self._words else heard
        self.mark(chosen)  # at once: the next step goes on from here
        self.chosen.emit(chosen)

    def box(self, lane: int, heard: int) -> QRectF:
        cell = self._cell()
        x = self._left + (heard - 1) * cell
        if self._mirrored:
            x = self.width() - self._right - heard * cell
        return QRectF(x, self._top(lane), cell, self._lane_height)

    def lane_end(self, name: str) -> QRect | None:
        """The square at the end of the lane of the player ``name``; None if there is no such lane."""
        row = next((row for row, lane in enumerate(self._lanes) if lane.name == name), None)
        if row is None:
            return None
        size = self._lane_height + 4
        left = self._left if self._mirrored else self.width() - self._right - size
        return QRect(left, self._top(row) - 2, size, size)

    def be_low(self, *, low: bool) -> None:
        """Take little height, for a draft that has little; or what looks best."""
        if low != self._is_low:
            self._is_low = low
            self._speak_lanes()
            self.updateGeometry()
            self.update()

    @property
    def _lane_height(self) -> int:
        return self._theme.px(LOW_LANE if self._is_low else LANE)

    @property
    def _ruler(self) -> int:
        return 0 if self._is_low else self._theme.px(RULER)

    # -- Qt's

    def sizeHint(self) -> QSize:
        return QSize(320, self._low() + self._ruler + 8 + self._theme.px(LEGEND) * self._legend_rows() + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._speak_lanes()
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointed.emit(self._word_at(event.position().x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        place = event.position()
        heard, row = self._word_at(place.x()), self._row_at(place.y())
        lane = None if row is None else self._lanes[row]
        bells = [] if row is None else [box for kind, box in self.mark_boxes(row) if kind == "buzz"]
        beside = place.x() > self.width() - self._right if self._mirrored else place.x() < self._left
        if lane is not None and (beside or any(box.contains(place) for box in bells)):
            self.buzz_chosen.emit(lane.name)
        elif heard is not None:
            wanted = None if heard == self._words else heard
            if lane is None:
                self.chosen.emit(wanted)
            else:
                self.lane_chosen.emit(lane.name, wanted)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        on = -1 if self._mirrored else 1
        steps = {Qt.Key.Key_Right: on, Qt.Key.Key_Left: -on, Qt.Key.Key_Down: 10, Qt.Key.Key_Up: -10}
        key = Qt.Key(event.key())
        if key in steps:
            self.step(steps[key])
        elif key == Qt.Key.Key_Home and self._words:
            self.chosen.emit(1)
        elif key == Qt.Key.Key_End:
            self.chosen.emit(None)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._hint(event.pos().x(), event.pos().y())
            if text:
                QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._tell_painted()
        if event.rect().size() == QSize(1, 1):
            return  # nothing stands there; only the telling was wanted
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setFont(self._theme.font(small=True))
        metrics = QFontMetricsF(painter.font())
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 1, -2, -1), 6, 6)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        rows = self._lanes or (Lane(""),)
        for row, lane in enumerate(rows):
            painter.setOpacity(STALE_OPACITY if lane.name in self._stale else 1.0)
            self._paint_lane(painter, row, lane, metrics)
        painter.setOpacity(1.0)
        self._paint_ruler(painter, len(rows), metrics)
        if self._lanes and self._words:
            for row, lane in enumerate(rows):
                self._paint_marks(painter, row, lane)
                self._paint_label(painter, row, metrics)
        if self._marked is not None and self._marked <= self._words:
            place = self.box(0, self._marked)
            low = self._low() + 6
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.accent), 1.5))
            painter.setBrush(tint(tokens.accent, 0.12))
            width = max(place.width(), 4.0)
            painter.drawRoundedRect(
                QRectF(place.center().x() - width / 2 - 1, place.top() - 3, width + 2, low - place.top()),
                2,
                2,
            )
        self._paint_legend(painter, metrics)

    # -- ours

    def _follow_theme(self) -> None:
        self.updateGeometry()  # the letters may have another size
        self.update()

    def _top(self, row: int) -> int:
        return self._theme.px(ABOVE) + row * (self._lane_height + self._theme.px(GAP))

    def _low(self) -> int:
        return self._top(max(1, len(self._lanes)) - 1) + self._lane_height

    def _cell(self) -> float:
        room = max(40.0, float(self.width() - self._left - self._right))
        return room / max(SHORTEST, self._words)

    def _word_at(self, x: float) -> int | None:
        from_start = self.width() - self._right - x if self._mirrored else x - self._left
        heard = int(from_start // self._cell()) + 1
        return heard if 1 <= heard <= self._words else None

    def _row_at(self, y: float) -> int | None:
        """The lane at height ``y``, with the room for its marks above it."""
        above, high = self._theme.px(ABOVE), self._lane_height
        rows = (
            row for row in range(len(self._lanes)) if self._top(row) - above <= y <= self._top(row) + high
        )
        return next(rows, None)

    def _paint_lane(self, painter: QPainter, row: int, lane: Lane, metrics: QFontMetricsF) -> None:
        tokens = self._theme.tokens
        top = self._top(row)
        room = QRectF(self._left, top, self.width() - self._left - self._right, self._lane_height)
        painter.setPen(QColor(tokens.soft))
        side = self._theme.px(SIGN)
        beside = QRectF(4, top, self._left - 4 - 8 - side - 6, self._lane_height).adjusted(0, -GAP, 0, GAP)
        name = player_title(lane.name) if lane.name else ""
        if metrics.horizontalAdvance(name) > beside.width():
            name = metrics.elidedText(player_short(lane.name), Qt.TextElideMode.ElideRight, beside.width())
        painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
        if name:
            sign = QRectF(self._left - 8 - side, top + (self._lane_height - side) / 2, side, side)
            draw_player(painter, sign, tokens.player(lane.name))
        band = QColor(tokens.band)
        text = self._said(row)
        if text:
            self._paint_said(painter, room, text, metrics, band)
            return
        painter.fillRect(room, band)
        colours = {
            "r": tokens.right,
            "w": tokens.wrong,
            "c": tokens.confident,
            "?": mixed(tokens.wrong, tokens.page, 0.7),
        }
        start = 0
        states = lane.states
        while start < len(states):
            end = start
            while end < len(states) and states[end] == states[start]:
                end += 1
            state = states[start]
            run = self.box(row, start + 1).united(self.box(row, end))
            if state in colours:
                if state in "w?":  # lower, so that who is right does not rely on its colour
                    run.setTop(run.bottom() - LOW)
                painter.fillRect(run, QColor(colours[state]))
                if state == "c":
                    draw_crosshatch(painter, run, QColor(tokens.page))
            elif state == "-":
                draw_unknown(painter, run, QColor(tokens.soft))
            start = end
        cell = self._cell()
        if cell >= 4:  # hairlines between words, where there is room for them
            painter.setPen(QPen(tint(tokens.page, 0.28), 1))
            begin, step = self._edge(0), -cell if self._mirrored else cell
            bottom = top + self._lane_height - 1
            lines = []
            for heard, (before, after) in enumerate(pairwise(states), start=1):
                if before == after == "-":
                    continue
                x = round(begin + heard * step)
                low = before in "w?" and after in "w?"
                lines.append(QLine(x, bottom + 1 - LOW if low else top, x, bottom))
            painter.drawLines(lines)

    def _paint_said(
        self, painter: QPainter, room: QRectF, text: str, metrics: QFontMetricsF, band: QColor
    ) -> None:
        """Paint ``text`` in the ``band`` of a lane, or higher; without lanes a long text has two lines."""
        room = room.adjusted(0, min(0.0, room.height() - metrics.height()), 0, 0)
        words = room.adjusted(6, 0, -6, 0)
        if self._lanes:
            words.setRight(words.right() - self._lane_height)  # the mark of what is sent stands there
        elif metrics.horizontalAdvance(text) > words.width():
            words.setTop(words.top() - self._theme.px(ABOVE))
            if metrics.boundingRect(words, Qt.TextFlag.TextWordWrap, text).height() <= words.height():
                painter.fillRect(words.adjusted(-6, 0, 6, 0), band)
                painter.setPen(QColor(self._theme.tokens.soft))
                painter.drawText(words, Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignVCenter, text)
                return
            words.setTop(room.top())
        painter.fillRect(room, band)
        painter.setPen(QColor(self._theme.tokens.confident if self._lanes else self._theme.tokens.soft))
        short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, short)

    def _said(self, row: int) -> str:
        """What stands in a lane in words, instead of a game."""
        return (self._lanes[row].trouble or "") if self._lanes else self._message

    def _paint_ruler(self, painter: QPainter, rows: int, metrics: QFontMetricsF) -> None:
        tokens = self._theme.tokens
        low = self._low()
        for count in self._ends:
            if 0 < count < self._words:  # the last one moves with every key, and the line ends there anyway
                painter.fillRect(QRectF(round(self._edge(count)) - 1, low, 1, 6), QColor(tokens.soft))
        if self._power is not None and 0 < self._power <= self._words:
            x = round(self._edge(self._power)) + 0.5
            painter.setPen(QPen(QColor(tokens.ink), 1, Qt.PenStyle.DashLine))
            for row in range(rows):
                if not self._said(row):
                    top = self._top(row)
                    painter.drawLine(QPointF(x, top - 6), QPointF(x, top + self._lane_height + 4))
        if self._goal is not None and self._words:
            x = round(self._edge(goal_word(self._goal, self._words))) + 0.5
            for row in range(rows):
                mine = not self._lanes or self._goal.player in ("", self._lanes[row].name)
                if mine and not self._said(row):
                    ends = (
                        QPointF(x, self._top(row) - 8),
                        QPointF(x, self._top(row) + self._lane_height + 4),
                    )
                    painter.setPen(QPen(QColor(tokens.page), 4))  # or a full lane would hide the dots
                    painter.drawLine(*ends)
                    painter.setPen(QPen(QColor(tokens.accent), 2, Qt.PenStyle.DotLine))
                    painter.drawLine(*ends)
        if self._is_low:
            return
        painter.setPen(QColor(tokens.soft))
        every = next(
            step for step in (10, 20, 50, 100, 500, 10_000) if step * self._cell() >= self._theme.px(28)
        )
        for count in range(every, self._words + 1, every):
            x = self.box(0, count).center().x()
            text = str(count)
            width = metrics.horizontalAdvance(text)
            if x + width / 2 > self.width():
                break
            painter.drawText(QPointF(x - width / 2, low + 5 + metrics.ascent()), text)

    def mark_boxes(self, row: int) -> tuple[tuple[str, QRectF], ...]:
        """The marks of the lane in ``row``, each with its place: always over or in its own word.

        The bell stands above the lane. What is said of the answer, "first" and "stable", stands in the lane,
        where it hides no bell; where both are close, "stable" lies over "first".
        """
        lane = self._lanes[row]
        first = lane.first if lane.first != lane.stable else None
        above = (("ghost", None if self._previews else lane.ghost), ("buzz", lane.buzz))
        inside = (("first", first), ("stable", lane.stable))
        down = (self._lane_height + self._theme.px(GLYPH)) / 2 + 2.0
        return tuple(
            (kind, self.bell_box(row, heard).translated(0, down if (kind, heard) in inside else 0))
            for kind, heard in (*above, *inside)
            if heard is not None
        )

    def bell_box(self, row: int, heard: int) -> QRectF:
        """Where a bell stands over word ``heard`` of the lane in ``row``."""
        side = self._theme.px(GLYPH)
        return QRectF(self.box(row, heard).center().x() - side / 2, self._top(row) - side - 2.0, side, side)

    def leave_room_for(self, previews: Mapping[str, int]) -> None:
        """Keep labels away from bells, by player and word, that are painted over the lanes for a change.

        Meanwhile no bell is of before the last edit: a pale one has one meaning at a time.
        """
        if previews != self._previews:
            self._previews = dict(previews)
            self.update()

    def _paint_marks(self, painter: QPainter, row: int, lane: Lane) -> None:
        tokens = self._theme.tokens
        page = QColor(tokens.page)
        for kind, at in self.mark_boxes(row):
            if self._previews and kind in ("first", "stable"):
                continue  # the lane of the change lies over half of them
            if kind == "buzz" and lane.buzz is not None:
                edge = self._edge(lane.buzz)
                painter.fillRect(
                    QRectF(edge - 1, self._top(row) - 2, 2, self._lane_height + 4), QColor(tokens.ink)
                )
                colour = QColor(tokens.player(lane.name).colour)
                draw_bell(painter, at, colour, page, right=lane.buzzes_right)
            elif kind == "ghost":
                colour = QColor(tokens.player(lane.name).colour)
                x, low = round(at.center().x()) + 0.5, self._top(row) + self._lane_height + 2
                painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(x, at.bottom()), QPointF(x, low))
                painter.setOpacity(GHOST)
                draw_bell(painter, at, colour, page)
                painter.setOpacity(1.0)
            elif kind == "stable":
                draw_stable_correct(painter, at, QColor(tokens.right), page)
            else:
                draw_first_correct(painter, at, QColor(tokens.right), page)

    def label(self, row: int) -> str:
        """What stands over the lane in ``row``: where its player buzzes, what the last edit did, the goal."""
        said = self._lanes[row].label
        goal = self._goal
        if goal is None or not said or goal.player not in ("", self._lanes[row].name):
            return said
        met = goal_met(goal, [(one.name, one.buzz) for one in self._lanes], self._words)
        return f"{said}, goal met" if met and self._ended else said

    def _fitting_label(self, row: int, metrics: QFontMetricsF) -> tuple[str, QRectF]:
        """The label with its place; where it would lie over a bell, what is in brackets is left out."""
        whole = self.label(row)
        box, free = self._label_place(row, whole, metrics)
        short = BRACKETS.sub("", whole)
        return (whole, box) if free or short == whole else (short, self._label_place(row, short, metrics)[0])

    def label_box(self, row: int, metrics: QFontMetricsF) -> QRectF:
        """Where the label is: where the lane begins, or else where no bell is in its way."""
        return self._fitting_label(row, metrics)[1]

    def _label_place(self, row: int, text: str, metrics: QFontMetricsF) -> tuple[QRectF, bool]:
        """Where a label with this ``text`` is, and whether it is free of bells there."""
        width = metrics.horizontalAdvance(text) + 4
        high = self._theme.px(GAP)
        left, right = float(self._left), float(self.width() - self._right)
        bells = [box for kind, box in self.mark_boxes(row) if kind in ("buzz", "ghost")]
        if (preview := self._previews.get(self._lanes[row].name)) is not None:
            bells.append(self.bell_box(row, preview))
        top = self._top(row) - high
        starts = [left, right - width, *(box.right() + 4 for box in bells)]
        boxes = [QRectF(start, top, width, high - 1) for start in starts if start + width <= self.width()]
        free = [box for box in boxes if not any(box.intersects(bell.adjusted(-3, 0, 3, 0)) for bell in bells)]
        return (free or boxes or [QRectF(left, top, width, high - 1)])[0], bool(free)

    def _paint_label(self, painter: QPainter, row: int, metrics: QFontMetricsF) -> None:
        text, box = self._fitting_label(row, metrics)
        if not text or self._said(row):
            return
        painter.setOpacity(STALE_OPACITY if self._lanes[row].name in self._stale else 1.0)
        painter.setPen(QColor(self._theme.tokens.ink if "→" in text else self._theme.tokens.soft))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.setOpacity(1.0)

    def _legend_rows(self) -> int:
        """How many rows every entry at once would take, so that nothing moves as they come and go.

        More than MOST_LEGEND are none: large letters leave the room to the draft, and tool tips say the same.
        """
        if not self._shows_legend:
            return 0
        metrics = QFontMetricsF(self._theme.font(small=True))
        sampled = any("-" in lane.states for lane in self._lanes)
        entries = [one for one in LEGENDS[1:] if sampled or one[0] != "-"]
        rows = 1 + max(row for _, _, _, row in self._placed(entries, metrics))
        return rows if rows <= MOST_LEGEND else 0

    def _placed(
        self, entries: Sequence[tuple[str, str]], metrics: QFontMetricsF
    ) -> Iterator[tuple[str, str, float, int]]:
        """Every entry of the legend with where it begins and in which row."""
        x, row = float(self._left), 0
        for kind, text in entries:
            width = self._theme.px(14) + metrics.horizontalAdvance(text)
            if x + width > self.width() - 4 and x > self._left:
                x, row = float(self._left), row + 1
            yield kind, text, x, row
            x += width + 14

    def _paint_legend(self, painter: QPainter, metrics: QFontMetricsF) -> None:
        if not self._words or not self._lanes or not self._legend_rows():
            return
        tokens = self._theme.tokens
        there = set("".join(lane.states for lane in self._lanes))
        there |= {"first"} if any(lane.first not in (None, lane.stable) for lane in self._lanes) else set()
        there |= {"stable"} if any(lane.stable is not None for lane in self._lanes) else set()
        there |= {"buzz"} if any(lane.buzz is not None for lane in self._lanes) else set()
        there |= {"power"} if self._power is not None else set()
        there |= {"goal"} if self._goal is not None else set()
        side = self._theme.px(KEY)
        for kind, text, x, row in self._placed([one for one in LEGENDS if one[0] in there], metrics):
            y = self._low() + self._ruler + 8 + row * self._theme.px(LEGEND)
            key = QRectF(x, y + self._theme.px(7) - side / 2, side, side)
            paint_sign(painter, key, kind, tokens)
            painter.setPen(QColor(tokens.soft))
            painter.drawText(
                QPointF(x + self._theme.px(14), y + self._theme.px(7) + metrics.capHeight() / 2), text
            )

    def _edge(self, heard: int) -> float:
        along = heard * self._cell()
        return self.width() - self._right - along if self._mirrored else self._left + along

    def _hint(self, x: int, y: int) -> str:
        heard = self._word_at(x)
        if not self._lanes:
            return ""
        row = int((y - self._top(0)) // (self._lane_height + self._theme.px(GAP)))
        lane = self._lanes[max(0, min(len(self._lanes) - 1, row))]
        if lane.trouble or heard is None:
            return lane.trouble or ""
        return f"Word {heard} of {self._words}, {player_title(lane.name)}: {self._state(lane, heard)}"

    def _state(self, lane: Lane, heard: int) -> str:
        """What ``lane`` shows at word ``heard``."""
        if lane.trouble:
            return lane.trouble
        state = lane.states[heard - 1] if heard <= len(lane.states) else "."
        said = {
            "r": "your answer leads",
            "w": "another answer leads",
            "c": "another answer leads; locked out after a wrong buzz",
            "?": "a guess, but no answer to compare it with",
            ".": "no guess yet",
            "-": "not asked at this word",
        }[state]
        marks = [
            text
            for at, text in (
                (lane.buzz, f"buzz on {page_title(lane.buzz_page)}"),
                (lane.first, "right for the first time"),
                (lane.stable, "stays right from here"),
            )
            if at == heard
        ]
        return "; ".join([said, *marks])

    def _describe(self) -> None:
        said = filter(None, (self._summary, self._described()))
        self.setAccessibleDescription(" ".join(said))

    def _described(self) -> str:
        """The whole line in words, for those who do not see it."""
        said = [counted_noun(self._words, "word")]
        if self._power is not None:
            said.append(f"power mark after word {self._power}")
        if self._goal is not None:
            said.append(
                f"goal: {goal_sentence(self._goal)}, which is word {goal_word(self._goal, self._words)}"
            )
        return "; ".join([*said, *map(lane_in_words, self._lanes)]) + "."

    def _speak_lanes(self) -> None:
        """Give each lane an element of its own for screen readers, which see nothing of what is painted."""
        while len(self._voices) < len(self._lanes):
            voice = plain_label(wrap=False, parent=self)
            voice.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._voices.append(voice)
        for row, voice in enumerate(self._voices):
            voice.setVisible(row < len(self._lanes))
            if row < len(self._lanes):
                voice.setAccessibleName(lane_in_words(self._lanes[row]))
                voice.setGeometry(0, self._top(row), self.width(), self._lane_height)

    def _announce(self, heard: int) -> None:
        """Have a screen reader say how the lanes are at word ``heard``."""
        if not QAccessible.isActive():
            return
        said = [f"Word {heard} of {self._words}"]
        said += [f"{player_title(lane.name)}: {self._state(lane, heard)}" for lane in self._lanes]
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, "; ".join(said)))
