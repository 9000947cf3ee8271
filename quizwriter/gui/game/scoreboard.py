"""The scoreboard of a match, in letters that a hall can read."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QVBoxLayout, QWidget

from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.saved_layout import resize_within_screen
from quizwriter.services.match import Match

MOST_ROWS = 12
"""Teams that are shown; a hall reads no more."""

PLACE = 24
"""Height in px of the letters that say which tossup is played: as small as those of the most teams."""

SIDE, TOP = 48, 32
"""The margins in px on either side, and above and below."""

LARGEST = 72
"""Height in px of the letters of few teams in a window of :data:`USUAL`; larger windows have larger ones."""

USUAL = 900, 600

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
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # letters fit the screen
        column.setContentsMargins(SIDE, TOP, SIDE, TOP)
        column.addWidget(self.place)
        column.addLayout(self._grid, 1)
        resize_within_screen(self, *USUAL)
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

    def _fonts(self, size: int) -> tuple[list[QFont], int]:
        """The font of each name in letters of ``size`` px, and how high the rows are then.

        It is smaller where a word of a name would not fit.
        """
        large = QFont(self._theme.font(bold=True))
        large.setPixelSize(size)
        metrics = QFontMetrics(large)
        points = max((metrics.horizontalAdvance(one.text()) for _, one in self._rows), default=0)
        room = self.width() - 2 * SIDE - self._grid.horizontalSpacing() - points
        fonts, height = [], 0
        for name, _ in self._rows:
            longest = max(map(metrics.horizontalAdvance, name.text().split()), default=0)
            font = QFont(large)
            if longest > room > 0:
                font.setPixelSize(max(1, size * room // longest))
            wrapped = QRect(0, 0, max(1, room), 1)
            named = QFontMetrics(font).boundingRect(wrapped, Qt.TextFlag.TextWordWrap, name.text())
            height += max(metrics.height(), named.height()) + self._grid.verticalSpacing()
            fonts.append(font)
        return fonts, height

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        fill_background(self, tokens.page)
        small = QFont(self._theme.font())
        small.setPixelSize(self._theme.px(PLACE))
        self.place.setFont(small)
        self.place.setStyleSheet(f"color: {tokens.soft}")
        share = min(self.width() / USUAL[0], self.height() / USUAL[1])
        size = max(PLACE, round(self._theme.px(LARGEST) * share))
        room = self.height() - 2 * TOP - 2 * QFontMetrics(small).height()
        while size > PLACE and self._fonts(size)[1] > room:
            size -= max(1, size // 12)
        for (name, points), font in zip(self._rows, self._fonts(size)[0], strict=True):
            name.setFont(font)
            large = QFont(font)
            large.setPixelSize(size)
            points.setFont(large)
            for label in (name, points):
                label.setStyleSheet(f"color: {tokens.ink}")
