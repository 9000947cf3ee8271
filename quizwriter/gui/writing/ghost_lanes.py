"""Ghost lanes over the time line: the games on a change that the writer looks at and has not made."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.icons import draw_bell
from quizwriter.gui.writing.timeline import GHOST, TimeLine
from quizwriter.workflow.wording import Lane

THICK = 6
"""Height in px of a ghost lane, which lies along the bottom of its player's lane."""

FRAME = 2
"""Pixels of the lane below it, so that its frame is in the lane and crosses no label of the next."""


class GhostLanes(QWidget):
    """A thin lane at the bottom of each player's lane, framed, with a pale bell where the buzz would go.

    It is as long as the lane, also where the change makes the tossup shorter: both are the whole tossup,
    so that a buzz after a larger share of it is farther along.
    """

    def __init__(self, theme: Theme, time_line: TimeLine) -> None:
        super().__init__(time_line)
        self._theme, self._time_line = theme, time_line
        self._ghosts: dict[str, Lane] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        time_line.installEventFilter(self)
        self.hide()

    @property
    def ghosts(self) -> Sequence[Lane]:
        return tuple(self._ghosts.values())

    def show_ghosts(self, lanes: Sequence[Lane]) -> None:
        self._ghosts = {one.name: one for one in lanes}
        room = {lane.name: self._word_below(lane) for lane in self._time_line.lanes}
        self._time_line.leave_room_for({name: word for name, word in room.items() if word is not None})
        self.setGeometry(self._time_line.rect())
        self.setVisible(bool(lanes))
        self.update()

    def _word_below(self, lane: Lane) -> int | None:
        """The word of ``lane`` at the share of the tossup where the ghost buzzes; None if it does not."""
        ghost = self._ghosts.get(lane.name)
        if ghost is None or ghost.buzz is None or not lane.states:
            return None
        return max(1, round(ghost.buzz / len(ghost.states) * len(lane.states)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._time_line.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter = self._theme.tokens, QPainter(self)
        colours = {"r": tokens.right, "w": tokens.wrong, "c": tokens.confident, "?": tokens.wrong}
        for row, lane in enumerate(self._time_line.lanes):
            ghost = self._ghosts.get(lane.name)
            if ghost is None or not ghost.states or not lane.states:
                continue
            first = self._time_line.box(row, 1)
            last = self._time_line.box(row, len(lane.states))
            whole = first.united(last)
            cell = (whole.width() if first.left() <= last.left() else -whole.width()) / len(ghost.states)
            start = whole.left() if cell > 0 else whole.right()
            strip = QRectF(whole.left(), whole.bottom() - THICK - FRAME, whole.width(), THICK)
            painter.fillRect(strip.adjusted(-1, -1, 1, 1), QColor(tokens.page))
            for heard, state in enumerate(ghost.states, start=1):
                if state in colours:
                    ends = start + (heard - 1) * cell, start + heard * cell
                    box = QRectF(min(ends), strip.top(), abs(cell), THICK)
                    painter.fillRect(box, QColor(colours[state]))
            painter.setPen(QPen(QColor(tokens.accent), 1, Qt.PenStyle.DashLine))
            painter.drawRect(strip.adjusted(-1, -1, 1, 1))
            word = self._word_below(lane)
            if word is not None and (word, ghost.buzzes_right) != (lane.buzz, lane.buzzes_right):
                bell = self._time_line.bell_box(row, word)
                colour, page = QColor(tokens.player(lane.name).colour), QColor(tokens.page)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setOpacity(GHOST)
                draw_bell(painter, bell, colour, page, right=ghost.buzzes_right)
                painter.setOpacity(1.0)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
