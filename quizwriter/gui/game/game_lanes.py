"""What people and machines did with a tossup that is over, a lane for each, word by word."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from quizwriter.domain.guessing import Playthrough
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme, draw_player
from quizwriter.gui.widgets.fields import named
from quizwriter.workflow.wording import player_title

ROW, NAME = 22, 150  # pixels at 100 %


class HeardBuzz(msgspec.Struct, frozen=True):
    """A buzz after ``word`` words; ``right`` is None where nobody judged it."""

    word: int
    right: bool | None


class GameLanes(QWidget):
    """A lane of people with their buzzes, and one of each machine: where it knew the answer, and its buzz."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._words = 0
        self._people: tuple[HeardBuzz, ...] = ()
        self._plays: tuple[Playthrough, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.follow(self.updateGeometry)
        theme.changed.connect(self.update)

    def show_games(self, words: int, people: Sequence[HeardBuzz], plays: Sequence[Playthrough]) -> None:
        self._words, self._people, self._plays = words, tuple(people), tuple(plays)
        named(self, " ".join(self.lines()))
        self.updateGeometry()
        self.update()

    def lines(self) -> list[str]:
        """What the lanes show, in words."""
        said = [
            f"People: {'right' if one.right else 'wrong'} after word {one.word} of {self._words}."
            for one in self._people
        ]
        for play in self._plays:
            knows = play.stable_correct
            known = f"stays right from word {knows}" if knows is not None else "not right at the end"
            buzz = "no buzz" if play.buzz is None else f"buzz after word {play.buzz.heard}"
            said.append(f"{player_title(play.guesser)}: {known}, {buzz}.")
        return said

    def sizeHint(self) -> QSize:
        return QSize(480, self._theme.px(ROW) * (1 + len(self._plays)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self._theme.tokens
        painter.setFont(self._theme.font(small=True))
        row, left = self._theme.px(ROW), self._theme.px(NAME)
        room = max(1.0, self.width() - left - 8.0)

        def x_of(word: int) -> float:
            return left + room * word / max(1, self._words)

        for number, play in enumerate((None, *self._plays)):
            top = number * row
            line = QRectF(left, top + row * 0.3, room, row * 0.4)
            painter.setPen(QColor(tokens.ink))
            name = "People" if play is None else player_title(play.guesser)
            where = QRectF(0, top, left - 8, row)
            painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, name)
            painter.fillRect(line, QColor(tokens.line))
            if play is None:
                for one in self._people:
                    colour = QColor(tokens.right if one.right else tokens.confident)
                    painter.fillRect(QRectF(x_of(one.word) - 2, top + 2, 4, row - 4), colour)
                continue
            before = 0
            for heard, right in zip(play.heard, play.right, strict=True):
                if right:
                    cell = QRectF(x_of(before), line.top(), x_of(heard) - x_of(before) + 0.5, line.height())
                    painter.fillRect(cell, QColor(mixed(tokens.right, tokens.page, 0.6)))
                before = heard
            if play.buzz is not None:
                size = row * 0.6
                at = QRectF(x_of(play.buzz.heard) - size / 2, top + row * 0.2, size, size)
                draw_player(painter, at, tokens.player(play.guesser))
        painter.end()
