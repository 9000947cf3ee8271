"""The row above the draft: the answer, and at its end the state of the tossup."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.writing.answer_field import AnswerField

LEAST_ANSWER = 260
"""Pixels of the answer, at 100 %; where the state leaves less, it goes on beside the text's column."""

ABOVE, BELOW, GAP = 8, 4, 8
"""Pixels above and below the row, and between the answer and the state."""

EDGE = 12
"""Pixels from the state to the edge of the window."""


class TossupState(Protocol):
    """What stands at the end of the row."""

    @property
    def wanted(self) -> int:
        """Pixels that all of it would take."""


class DraftHead(QWidget):
    """``answer`` and ``state`` side by side, both within the column of the text as long as they fit."""

    def __init__(self, theme: Theme, answer: AnswerField, state: QWidget) -> None:
        super().__init__()
        self._theme, self._answer, self._state = theme, answer, state
        self._left, self._right = 52, 0
        answer.setParent(self)
        state.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._follow_theme)

    def align(self, left: int, right: int) -> None:
        """Begin and end where the text does, so many pixels from the edges."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.place()

    def place(self) -> None:
        """Give both their room, of which the state may want another share."""
        state: TossupState = self._state  # type: ignore[assignment]
        begin, end = self._left - self._answer.inset, self.width() - self._right
        wanted = begin + self._theme.px(LEAST_ANSWER) + GAP + state.wanted
        end = max(end, min(wanted, self.width() - EDGE))
        least = min(self._theme.px(LEAST_ANSWER), (end - begin) // 2)
        width = min(state.wanted, end - begin - least - GAP)
        high = self.height() - ABOVE - BELOW
        self._state.setGeometry(end - width, ABOVE, width, high)
        self._answer.setGeometry(begin, ABOVE, end - width - GAP - begin, high)

    def sizeHint(self) -> QSize:
        high = max(self._answer.sizeHint().height(), self._state.sizeHint().height())
        return QSize(320, ABOVE + high + BELOW)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place()

    def _follow_theme(self) -> None:
        self.updateGeometry()
        self.place()
