"""The scoreboard of a match, in letters that a hall can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.saved_layout import resize_within_screen

if TYPE_CHECKING:
    from quizwriter.services.match import Match

MOST_ROWS = 12
"""Teams that are shown; a hall reads no more."""

PLACE = 24
"""Height in px of the letters that say which tossup is played: as small as those of the most teams."""

SIDE = 48
"""The margin in px on either side."""

_MINUS = "\N{MINUS SIGN}"


class Scoreboard(QWidget):
    """Each team with its points, and which tossup is played. F11 fills the screen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setWindowTitle("Scoreboard")
        named(self, "Scoreboard")
        self.place = plain_label(wrap=False)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 1)
        self._rows: list[tuple[QLabel, QLabel]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 32, SIDE, 32)
        column.addWidget(self.place)
        column.addLayout(self._grid, 1)
        resize_within_screen(self, 900, 600)
        theme.follow(self._apply_theme)

    def show_match(self, match: Match) -> None:
        """Show how a match is going."""
        standings = match.leaders(MOST_ROWS)
        self.place.setText(match.place)
        while len(self._rows) < len(standings):
            name, points = plain_label(), plain_label(wrap=False)
            name.setMinimumWidth(1)  # or a long word would make this wider than the screen
            points.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(name, len(self._rows), 0)
            self._grid.addWidget(points, len(self._rows), 1)
            self._rows.append((name, points))
        for at, (name, points) in enumerate(self._rows):
            shown = at < len(standings)
            name.setText(standings[at][0] if shown else "")
            points.setText(str(standings[at][1]).replace("-", _MINUS) if shown else "")
        self._apply_theme()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F11:
            self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._apply_theme()

    def _fitting(self, large: QFont, name: str) -> QFont:
        """The font for a name: smaller than ``large`` where a word of it would not fit."""
        width = QFontMetrics(large).horizontalAdvance
        points = max(width(points.text()) for _, points in self._rows)
        room = self.contentsRect().width() - 2 * SIDE - self._grid.horizontalSpacing() - points
        longest = max(map(width, name.split()), default=0)
        font = QFont(large)
        if longest > room > 0:
            font.setPixelSize(max(1, large.pixelSize() * room // longest))
        return font

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        fill_background(self, tokens.page)
        large = QFont(self._theme.font(bold=True))
        large.setPixelSize(self._theme.px(max(24, min(72, 260 // max(1, len(self._rows))))))
        for name, points in self._rows:
            name.setFont(self._fitting(large, name.text()))
            points.setFont(large)
            for label in (name, points):
                label.setStyleSheet(f"color: {tokens.ink}")
        small = QFont(self._theme.font())
        small.setPixelSize(self._theme.px(PLACE))
        self.place.setFont(small)
        self.place.setStyleSheet(f"color: {tokens.soft}")
