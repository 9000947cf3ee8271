"""The column of the open tossup, in which the draft has the room that is left."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of
from quizwriter.gui.writing.timeline import TimeLine

LOW_COLUMN = 520
"""Below so many px of height, which grow with the letters, a column shows no lanes under the time line."""

LANE_MORE = 60
"""So many px more, a column needs for each lane after the first."""


class WritingColumn(QWidget):
    """Widgets one below the other: some above the draft; bars, the time line, and more lanes below it.

    In a low window, with large letters, or while a bar is open, the lanes below the time line make room for
    the draft, the last one first. The time line, which is always there, is lower where the window is.
    """

    def __init__(
        self,
        theme: Theme,
        above: Iterable[QWidget],
        draft: QWidget,
        bars: Iterable[QWidget],
        time_line: TimeLine,
        lanes: Iterable[QWidget],
    ) -> None:
        super().__init__()
        self._theme, self._bars, self._lanes = theme, tuple(bars), time_line
        for one in self._bars:
            one.installEventFilter(self)
        self._rooms: list[QWidget] = []  # one for each lane, which may be hidden by the writer besides
        for lane in lanes:
            self._rooms.append(QWidget())
            _stack(self._rooms[-1], (lane,))
        _stack(self, (*above, draft, *self._bars, time_line, *self._rooms)).setStretchFactor(draft, 1)
        theme.changed.connect(self._fit_lanes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_lanes()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._fit_lanes()
        return False

    def _fit_lanes(self) -> None:
        taken = sum(one.sizeHint().height() for one in self._bars if not one.isHidden())
        self._lanes.be_low(low=self.height() < self._theme.px(LOW_COLUMN))
        for number, room in enumerate(self._rooms):
            room.setVisible(self.height() - taken >= self._theme.px(LOW_COLUMN + number * LANE_MORE))


def _stack(parent: QWidget, children: Iterable[QWidget]) -> QVBoxLayout:
    """Lay ``children`` out in ``parent``, one below the other and nothing between them."""
    column = column_of(on=parent, margins=NO_MARGINS, spacing=0)
    for child in children:
        column.addWidget(child)
    return column
