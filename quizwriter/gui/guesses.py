"""The guess list: what each player would say after some word, best first, with the true answer marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QUrl, QVariantAnimation, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.guessing import TOP, Playthrough
from quizwriter.domain.tossup import Page, page_title
from quizwriter.gui.look import Look, draw_away, draw_check, tint
from quizwriter.workflow.telling import player_title, rank_line

CARD = 164
"""Pixels a player's card needs; narrower, and the cards stand below each other."""

ROOMY = 220
"""Pixels from which a row has room for the score and the link; narrower, and they come when wanted."""

LINK = 32.0
"""Pixels the link needs at a row's end."""

STALE = 0.6
"""The opacity of guesses that are of an older draft."""


def wikipedia(page: Page) -> QUrl:
    """Where people can read about ``page``."""
    return QUrl("https://en.wikipedia.org/wiki/" + quote(page.replace(" ", "_"), safe="_(),'!:"))


@dataclass(frozen=True, slots=True)
class Line:
    """One guess as it is painted; ``length`` of the bar is from 0 to 1."""

    rank: int
    page: Page
    score: float
    length: float
    right: bool
    focus: bool


@dataclass(frozen=True, slots=True)
class Card:
    """One player's guesses as they are painted; ``note`` says where the true answer stands."""

    player: str
    lines: tuple[Line, ...]
    buzz: str
    note: str
    trouble: str


def card(play: Playthrough, heard: int, focus: Page | None) -> Card:
    """What ``play`` said after ``heard`` words, with the page in ``focus`` marked."""
    index = play.index_after(heard)
    row = play.rows[index] if index is not None else ()
    most = max((row[0].score for row in play.rows if row), default=0.0)
    answer = play.tossup.answer
    buzz = ""
    if play.buzz is not None:
        buzz = "buzzes here" if play.buzz.heard == heard else f"buzzes at word {play.buzz.heard}"
    elif play.rows:
        buzz = "does not buzz"
    return Card(
        player=player_title(play.guesser),
        lines=tuple(
            Line(
                rank=rank,
                page=guess.page,
                score=guess.score,
                length=max(0.0, min(1.0, guess.score / most)) if most > 0 else 0.0,
                right=answer is not None and answer.accepts(guess.page),
                focus=guess.page == focus,
            )
            for rank, guess in enumerate(row[:TOP], start=1)
        ),
        buzz=buzz,
        note=rank_line(play, index) if row else "",
        trouble=play.trouble or "",
    )


class GuessPane(QWidget):
    """One card a player. ``chosen`` carries the page whose evidence is wanted, ``stepped`` -1 or 1.

    ``painted`` carries the generation whose guesses are on the screen now.
    """

    chosen = Signal(object)
    stepped = Signal(int)
    painted = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._cards: list[_CardView] = []
        self._columns = 0
        self._generation = 0
        self._told = 0
        self._word = QLabel()
        self._word.setAccessibleName("Word")
        self._back = QToolButton()
        self._forth = QToolButton()
        for button, by, what, key, text in (
            (self._back, -1, "One word back", "Alt+Left", "\u2039"),
            (self._forth, 1, "One word on", "Alt+Right", "\u203a"),
        ):
            button.setToolTip(f"{what} ({key})")
            button.setAccessibleName(what)
            button.setText(text)
            button.setAutoRepeat(True)
            button.setFixedSize(28, 28)
            button.clicked.connect(lambda _=False, by=by: self.stepped.emit(by))
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._word, 1)
        head.addWidget(self._back)
        head.addWidget(self._forth)
        self._message = QLabel()
        self._message.setWordWrap(True)
        inside = QWidget()
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        rows.addWidget(self._message)
        rows.addLayout(self._grid)
        rows.addStretch(1)
        self._scroll = QScrollArea()  # for more players than there is room for
        self._scroll.setWidget(inside)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        for clear in (self._scroll.viewport(), inside):
            clear.setAutoFillBackground(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 12, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._scroll, 1)
        # What one row of cards needs, so that nothing below jumps when the first guesses come.
        self._scroll.setMinimumHeight(_CardView(look, has_keys=False).sizeHint().height())
        self.show_word(0, 0)
        self.say("")
        look.changed.connect(self._dress)
        self._dress()

    def say(self, message: str) -> None:
        """Say ``message`` above the cards, for instance why there are none."""
        self._message.setText(message)
        self._message.setVisible(bool(message))

    def show_word(self, heard: int, words: int) -> None:
        """Say after which word the guesses are."""
        text = f"After word {heard} of {words}" if words else "Guesses"
        if text != self._word.text():
            self._word.setText(text)
        self._back.setEnabled(heard > 1)
        self._forth.setEnabled(0 < heard < words)

    def show_cards(self, cards: tuple[Card, ...], generation: int) -> None:
        """Paint ``cards``; what did not change is not painted again."""
        while len(self._cards) < len(cards):
            view = _CardView(self._look, has_keys=not self._cards)
            view.chosen.connect(self.chosen)
            self._cards.append(view)
            self._columns = 0
        while len(self._cards) > len(cards):
            view = self._cards.pop()
            view.hide()
            view.deleteLater()
            self._columns = 0
        for view, shown in zip(self._cards, cards, strict=True):
            view.show_card(shown)
        new = not self._columns
        self._lay_out()
        if new:
            self._order_tabs()
        if generation != self._generation:
            self._generation = generation
            self.update(0, 0, 1, 1)  # one pixel, painted together with whatever changed

    def dim(self, *, stale: bool) -> None:
        """Show that the guesses are of an older draft, or that they are not."""
        for view in self._cards:
            view.dim(stale=stale)

    @property
    def stale(self) -> bool:
        """Whether the guesses are shown as of an older draft."""
        return any(view.stale for view in self._cards)

    def texts(self) -> tuple[str, ...]:
        """All lines as a screen reader has them."""
        return tuple(text for view in self._cards for text in view.texts())

    def page(self, rank: int) -> Page | None:
        """The guess at ``rank`` of the first player; None if there is none."""
        lines = self._cards[0].shown.lines if self._cards else ()
        return lines[rank - 1].page if 0 < rank <= len(lines) else None

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._told != self._generation:
            self._told = self._generation
            self.painted.emit(self._generation)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _order_tabs(self) -> None:
        """Let the keyboard go through the cards where they stand, not where they were made: last."""
        before: QWidget = self._forth
        for view in self._cards:
            for stop in view.stops():
                QWidget.setTabOrder(before, stop)
                before = stop

    def _lay_out(self) -> None:
        columns = max(1, min(len(self._cards), (self.width() - 28 + 12) // (CARD + 12)))
        if columns == self._columns:
            return
        for column in range(max(columns, self._columns)):
            self._grid.setColumnStretch(column, int(column < columns))
        self._columns = columns
        for index, view in enumerate(self._cards):
            self._grid.addWidget(view, index // columns, index % columns, Qt.AlignmentFlag.AlignTop)

    def _dress(self) -> None:
        self._word.setFont(self._look.font(bold=True))
        self._message.setStyleSheet(f"color: {self._look.tokens.soft};")


class _CardView(QWidget):
    """One player's title and guesses; the first player's ``has_keys`` for them."""

    chosen = Signal(object)

    def __init__(self, look: Look, *, has_keys: bool) -> None:
        super().__init__()
        self._look = look
        self.shown = Card("", (), "", "", "")
        self.stale = False
        self._title = QLabel()
        self._buzz = QLabel()
        self._note = QLabel()
        self._trouble = QLabel()
        self._trouble.setWordWrap(True)
        self._rows = [_Row(look, has_key=has_keys) for _ in range(TOP)]
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._buzz)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addSpacing(2)
        column.addWidget(self._trouble)
        for row in self._rows:
            column.addWidget(row)
            row.clicked.connect(lambda _=False, row=row: self._choose(row))
        column.addSpacing(2)
        column.addWidget(self._note)
        self._trouble.hide()
        look.changed.connect(self._dress)
        self._dress()

    def show_card(self, shown: Card) -> None:
        """Paint what changed."""
        if shown == self.shown:
            return
        self.shown = shown
        _put(self._title, shown.player)
        _put(self._buzz, shown.buzz)
        _put(self._note, shown.note or " ")
        if self._trouble.text() != shown.trouble:
            self._trouble.setText(shown.trouble)
            self._trouble.setVisible(bool(shown.trouble))
        for index, row in enumerate(self._rows):
            row.show_line(shown.lines[index] if index < len(shown.lines) else None)
            row.setVisible(not shown.trouble)

    def dim(self, *, stale: bool) -> None:
        """See the pane."""
        if stale != self.stale:
            self.stale = stale
            for row in self._rows:
                row.dim(STALE if stale else 1.0)

    def texts(self) -> tuple[str, ...]:
        """See the pane."""
        lines = [row.accessibleName() for row in self._rows if row.line is not None]
        return (*lines, self._note.text().strip()) if self._note.text().strip() else tuple(lines)

    def stops(self) -> Iterator[QWidget]:
        """What the keyboard goes through, in order."""
        for row in self._rows:
            yield row
            yield row.link

    def _choose(self, row: _Row) -> None:
        if row.line is not None:
            self.chosen.emit(row.line.page)

    def _dress(self) -> None:
        tokens = self._look.tokens
        self._title.setFont(self._look.font(bold=True))
        for label in (self._buzz, self._note):
            label.setFont(self._look.font(small=True))
            label.setStyleSheet(f"color: {tokens.soft};")
        self._trouble.setStyleSheet(f"color: {tokens.confident};")


class _Button(QAbstractButton):
    """A button of our own painting, which Return presses too, on every platform."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


class _Row(_Button):
    """One guess: rank, check if it is the answer, title, score; the bar lies behind them."""

    def __init__(self, look: Look, *, has_key: bool) -> None:
        super().__init__()
        self._look = look
        self._has_key = has_key
        self.line: Line | None = None
        self._opacity = 1.0
        self._length = 0.0
        self._glide = QVariantAnimation(self)
        self._glide.valueChanged.connect(self._slide)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # painted anew when the mouse comes or goes
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.link = _Link(look, self)
        self.link.clicked.connect(self._open)
        self.link.hide()
        self.setEnabled(False)

    def sizeHint(self) -> QSize:
        return QSize(160, 32)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 32)

    def show_line(self, line: Line | None) -> None:
        """Paint ``line``; the bar glides to its new length if the page stays."""
        if line == self.line:
            return
        before = self.line
        self.line = line
        self.setEnabled(line is not None)
        self.link.setVisible(line is not None)
        if line is None:
            self._glide.stop()
            self._length = 0.0
            self.setAccessibleName("")
            self.setToolTip("")
            self.update()
            return
        title = page_title(line.page)
        self.setAccessibleName(
            f"{line.rank}, {title}, score {line.score:.1f}" + (", your answer" if line.right else "")
        )
        key = f" (Ctrl+{line.rank})" if self._has_key else ""
        self.setToolTip(f"Show the evidence for {title}{key}; score {line.score:.1f}")
        self.link.setToolTip(f"Read about {title} on Wikipedia (opens the browser)")
        self.link.setAccessibleName(f"{title} on Wikipedia")
        if before is not None and abs(line.length - self._length) > 0.004 and self._look.gliding_ms:
            self._glide.stop()
            self._glide.setDuration(self._look.gliding_ms)
            self._glide.setStartValue(self._length)
            self._glide.setEndValue(line.length)
            self._glide.start()
        else:
            self._glide.stop()
            self._length = line.length
        self.update()

    @property
    def links(self) -> bool:
        """Whether the link is shown: where room is short, only while it may be wanted."""
        wanted = self.underMouse() or self.hasFocus() or self.link.hasFocus()
        return self.line is not None and (self.width() >= ROOMY or wanted)

    def dim(self, opacity: float) -> None:
        """Paint at ``opacity``."""
        self._opacity = opacity
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.link.setGeometry(self.width() - 28, 2, 24, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        line, tokens = self.line, self._look.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._opacity)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if line is None:
            painter.setPen(QPen(QColor(tokens.line), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(30, box.bottom() - 4), QPointF(box.right() - 30, box.bottom() - 4))
            return
        colour = tokens.right if line.right else tokens.wrong
        painter.setPen(Qt.PenStyle.NoPen)
        if self.underMouse():
            painter.setBrush(tint(tokens.ink, 0.05))
            painter.drawRoundedRect(box, 6, 6)
        if line.focus:
            painter.setBrush(tint(tokens.accent, 0.09))
            painter.drawRoundedRect(box, 6, 6)
        end = LINK if self.width() >= ROOMY else 8.0
        bar = QRectF(30, box.bottom() - 6, max(4.0, (self.width() - 30 - end) * self._length), 4)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(bar, 2, 2)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 6, 6)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        high = self.height() - 6
        painter.setFont(self._look.font())
        painter.setPen(QColor(tokens.soft))
        painter.drawText(QRectF(8, 0, 14, high), flags | Qt.AlignmentFlag.AlignRight, str(line.rank))
        left = 30.0
        if line.right:
            draw_check(painter, QRectF(left - 1, high / 2 - 6, 12, 12), QColor(tokens.right))
            left += 16
        right = self.width() - (LINK if self.links else 8.0)
        if self.width() >= ROOMY:
            score = f"{line.score:.1f}"
            room = QFontMetricsF(painter.font()).horizontalAdvance(score)
            painter.drawText(QRectF(right - room, 0, room + 1, high), flags, score)
            right -= room + 8
        font = self._look.font(bold=line.right)
        painter.setFont(font)
        painter.setPen(QColor(tokens.right if line.right else tokens.ink))
        title = QFontMetricsF(font).elidedText(
            page_title(line.page), Qt.TextElideMode.ElideRight, right - left
        )
        painter.drawText(QRectF(left, 0, right - left + 1, high), flags, title)

    def _slide(self, length: object) -> None:
        if isinstance(length, float):
            self._length = length
            self.update()

    def _open(self) -> None:
        if self.line is not None:
            QDesktopServices.openUrl(wikipedia(self.line.page))


class _Link(_Button):
    """The small arrow that opens Wikipedia."""

    def __init__(self, look: Look, row: _Row) -> None:
        super().__init__(row)
        self._look = look
        self._row = row
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._row.links:
            return
        tokens = self._look.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.underMouse() or self.hasFocus()
        if lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint(tokens.accent, 0.12))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        draw_away(painter, QRectF(6, 6, 12, 12), QColor(tokens.accent if lit else tokens.soft))

    def sizeHint(self) -> QSize:
        return QSize(24, 24)


def _put(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
