"""One guess of a player as a row: rank, name, chance, and a bar as long as the chance."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from quizwriter.domain.page import page_title
from quizwriter.domain.players import usual_players
from quizwriter.gui.colours import tint
from quizwriter.gui.theme import Theme, draw_player
from quizwriter.gui.widgets.icons import Icon, draw_check, draw_icon
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.writing.guess_card import GuessLine, wikipedia
from quizwriter.workflow.wording import percent, player_short, player_title, sentence

ROOMY, ROOMY_WITH_PLAYER = 260, 330
"""Pixels, at 100 %, from which a row keeps room for the link, so that nothing moves when it comes; the second
where the player is named in it too, in short if the row is narrower."""

SIGN = 9
"""Pixels of a player's shape; this and all other places in a row grow with the letters."""

LINK = 32
"""Pixels the link needs at a row's end."""

SQUARE = 24
"""Pixels of a side of the link, around its arrow."""

TICK = 12
"""Pixels of the tick before the answer."""

HIGH, LOW = 32, 26
"""Pixels of a row; the lower where many players share the pane."""

BAR = 6
"""Pixels at a row's foot, below its words, where the bar is."""

LEAST_GLIDE = 0.004
"""The share of the available width by which a bar's length must change before the bar moves."""


class _PaintedButton(QAbstractButton):
    """A button of our own painting, which Return presses too, on every platform."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


class GuessRow(_PaintedButton):
    """One guess: rank, check if it is the answer, title, chance; the bar below is as long as that.

    In a folded card the player stands where the rank does.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._height = HIGH
        self._has_key = False
        self._player = self._buzz = self._note = ""
        self._player_clicked = False
        self.line: GuessLine | None = None
        self._opacity = 1.0
        self._length = 0.0
        self._glide = QVariantAnimation(self)
        self._glide.valueChanged.connect(self._slide)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # painted anew when the mouse comes or goes
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.link = _WikipediaLink(theme, self)
        self.link.clicked.connect(self._open)
        self.link.hide()
        self.setEnabled(False)

    def sizeHint(self) -> QSize:
        return QSize(160, self._theme.px(self._height))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._theme.px(self._height))

    def use_height(self, pixels: int) -> None:
        if pixels != self._height:
            self._height = pixels
            self.updateGeometry()

    def show_line(self, line: GuessLine | None, *, has_key: bool, glides: bool) -> None:
        """Paint ``line``; the bar glides to its new length if it ``glides``."""
        if (line, has_key) == (self.line, self._has_key):
            return
        last, had_key = self.line, self._has_key
        self.line, self._has_key = line, has_key
        self.setEnabled(line is not None)
        self.link.setVisible(line is not None)
        if line is None:
            self._glide.stop()
            self._length = 0.0
            self.setAccessibleName("")
            self.setToolTip("")
            self.update()
            return
        title, length = page_title(line.page), line.chance or 0.0
        changes_length = abs(length - self._length) > LEAST_GLIDE
        if (
            last is not None
            and had_key is has_key
            and last.appearance == line.appearance
            and not changes_length
        ):
            return
        chance = "" if line.chance is None else f", {percent(line.chance)}"
        self.setAccessibleName(f"{line.rank}, {title}{chance}" + (", your answer" if line.right else ""))
        self._hint()
        self.link.setAccessibleName(f"{title} on Wikipedia")
        if glides and last is not None and changes_length and self._theme.animation_ms:
            self._glide.stop()
            self._glide.setDuration(self._theme.animation_ms)
            self._glide.setStartValue(self._length)
            self._glide.setEndValue(length)
            self._glide.start()
        else:
            self._glide.stop()
            self._length = length
        self.update()

    def show_player(self, player: str, *, buzz: str, note: str) -> None:
        """Let ``player`` stand before the guess, with what else is to say of its game, or nothing."""
        if (player, buzz, note) != (self._player, self._buzz, self._note):
            self._player, self._buzz, self._note = player, buzz, note
            self._hint()
            self.update()

    @property
    def is_whole(self) -> bool:
        if self.line is None:
            return True
        left, right = self._room("" if self.line.chance is None else percent(self.line.chance))
        font = self._theme.font(bold=self.line.right)
        return QFontMetricsF(font).horizontalAdvance(page_title(self.line.page)) <= right - left

    def _hint(self) -> None:
        line = self.line
        if line is None:
            return
        title = page_title(line.page)
        key = f" (Ctrl+{line.rank})" if self._has_key else ""
        sure = "" if line.chance is None else f"; the chance that it is right: {percent(line.chance)}"
        said = [f"Show the evidence for {title}{key}{sure}"]
        if self._buzz or self._note:
            answer = self._note[:1].lower() + self._note[1:]
            said.append(sentence("; ".join(filter(None, (self._buzz, answer)))))
        self.setToolTip(plain_tooltip("\n".join(said)))
        about = (player_title(self._player) if self._player else "", *said[1:])
        self.setAccessibleDescription(": ".join(filter(None, about)))

    def _start(self) -> float:
        """Where the words of the guess begin: below each other, in the rows of usual players."""
        if not self._player:
            return self._theme.px(30)
        metrics = QFontMetricsF(self._theme.font(bold=True))
        return ceil(
            self._name_start
            + max(metrics.horizontalAdvance(self._named(one)) for one in (*usual_players(), self._player))
            + self._theme.px(12)
        )

    @property
    def _name_start(self) -> int:
        """Where the name of the player begins, after its shape."""
        return 8 + self._theme.px(SIGN) + self._theme.px(6)

    @property
    def _is_roomy(self) -> bool:
        return self.width() >= self._theme.px(ROOMY_WITH_PLAYER if self._player else ROOMY)

    def _named(self, player: str) -> str:
        return player_title(player) if self._is_roomy else player_short(player)

    @property
    def _end(self) -> int:
        """Pixels that bar and chance leave free at the row's end, for the link where it always stands."""
        return self._theme.px(LINK) if self._is_roomy else 8

    def _room(self, chance: str) -> tuple[float, float]:
        """Where the name may begin and where it must end, before the ``chance``."""
        assert self.line is not None
        left, right = self._start(), self.width() - (self._theme.px(LINK) if self.links else 8.0)
        if self.line.right:
            left += self._theme.px(16)
        if chance:
            right -= QFontMetricsF(self._theme.font()).horizontalAdvance(chance) + 8
        return left, right

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._player_clicked = bool(self._player) and event.position().x() < self._start() - 6
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._player_clicked = False
        super().keyPressEvent(event)

    @property
    def player_was_clicked(self) -> bool:
        return self._player_clicked

    @property
    def shows_link(self) -> bool:
        """Whether the link is in sight: while the mouse or the keyboard is here."""
        wanted = self.underMouse() or self.hasFocus() or self.link.hasFocus()
        return self.line is not None and wanted

    @property
    def links(self) -> bool:
        """Whether there is room for the link: where it is short, only while the link is in sight."""
        return self.line is not None and (self._is_roomy or self.shows_link)

    def dim(self, opacity: float) -> None:
        self._opacity = opacity
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        side = self._theme.px(SQUARE)
        self.link.setGeometry(self.width() - side - 4, (self.height() - side - 4) // 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        line, tokens = self.line, self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._opacity)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if line is None:
            painter.setPen(QPen(QColor(tokens.line), 1, Qt.PenStyle.DotLine))
            start = self._start()
            painter.drawLine(QPointF(start, box.bottom() - 4), QPointF(box.right() - 30, box.bottom() - 4))
            self._paint_player(painter, self.height() - BAR)
            return
        colour = tokens.right if line.right else tokens.wrong
        painter.setPen(Qt.PenStyle.NoPen)
        if self.underMouse():
            painter.setBrush(tint(tokens.ink, 0.05))
            painter.drawRoundedRect(box, 6, 6)
        if line.focus:
            painter.setBrush(tint(tokens.accent, 0.09))
            painter.drawRoundedRect(box, 6, 6)
        start = self._start()
        if (length := (self.width() - start - self._end) * self._length) >= 2:
            bar = QRectF(start, box.bottom() - 5, length, 4)
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(bar, 2, 2)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 6, 6)
        high = self.height() - BAR
        if event.rect().top() >= high:
            return
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.setFont(self._theme.font())
        painter.setPen(QColor(tokens.soft))
        if self._player:
            self._paint_player(painter, high)
        else:
            painter.drawText(
                QRectF(8, 0, start - 16, high), flags | Qt.AlignmentFlag.AlignRight, str(line.rank)
            )
        chance = "" if line.chance is None else percent(line.chance)
        left, right = self._room(chance)
        if line.right:
            side = self._theme.px(TICK)
            tick = QRectF(left - side - 5, (high - side) / 2, side, side)
            draw_check(painter, tick, QColor(tokens.right))
        painter.setFont(self._theme.font())
        painter.setPen(QColor(tokens.soft))
        painter.drawText(QRectF(right + 8, 0, self.width(), high), flags, chance)
        font = self._theme.font(bold=line.right)
        metrics, title = QFontMetricsF(font), page_title(line.page)
        taken = metrics.horizontalAdvance(title)
        self._paint_beside(painter, QRectF(left + taken + 12, 0, right - left - taken - 12, high))
        painter.setFont(font)
        painter.setPen(QColor(tokens.right if line.right else tokens.ink))
        if taken > right - left:
            title = metrics.elidedText(title, Qt.TextElideMode.ElideRight, right - left)
        painter.drawText(QRectF(left, 0, right - left + 1, high), flags, title)

    def _paint_player(self, painter: QPainter, high: float) -> None:
        if self._player:
            tokens = self._theme.tokens
            side = self._theme.px(SIGN)
            draw_player(painter, QRectF(8, (high - side) / 2, side, side), tokens.player(self._player))
            painter.setFont(self._theme.font(bold=True))
            painter.setPen(QColor(tokens.ink))
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
            painter.drawText(
                QRectF(self._name_start, 0, self._start(), high), flags, self._named(self._player)
            )

    def _paint_beside(self, painter: QPainter, room: QRectF) -> None:
        """Paint when the player buzzes, where the name of the answer leaves ``room`` for all of that."""
        painter.setFont(self._theme.font(small=True))
        if self._player and QFontMetricsF(painter.font()).horizontalAdvance(self._buzz) <= room.width():
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(room, flags | Qt.TextFlag.TextSingleLine, self._buzz)

    def _slide(self, length: object) -> None:
        if isinstance(length, float):
            self._length = length
            self.update(0, self.height() - BAR, self.width(), BAR)  # the words stay, which take much longer

    def _open(self) -> None:
        if self.line is not None:
            QDesktopServices.openUrl(wikipedia(self.line.page))


class _WikipediaLink(_PaintedButton):
    """The small arrow that opens Wikipedia."""

    def __init__(self, theme: Theme, row: GuessRow) -> None:
        super().__init__(row)
        self._theme = theme
        self._row = row
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Read about it on Wikipedia (opens the browser)")

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._row.shows_link:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.underMouse() or self.hasFocus()
        if lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint(tokens.accent, 0.12))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        edge = self.width() / 4
        box = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        draw_icon(painter, Icon.ELSEWHERE, box, QColor(tokens.accent if lit else tokens.soft))

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(SQUARE), self._theme.px(SQUARE))
