"""The guess list: what each player would say after some word, best first, with the true answer marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from urllib.parse import quote

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QUrl, QVariantAnimation, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDesktopServices,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
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
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.guessing import TOP, Playthrough, odds
from quizwriter.domain.tossup import Page, page_title
from quizwriter.gui.theme import STALE, Theme, draw_away, draw_check, draw_player, mixed, tint
from quizwriter.workflow.wording import percent, player_title, rank_line, sentence

CARD = 280
"""Pixels a card needs beside another, so that names of answers are whole; narrower, and cards are stacked."""

DEEP = 2
"""How many cards may stand on each other unfolded; of more, all but the current one fold."""

MANY = 3
"""Cards from which their rows are lower, so that all may be seen at once."""

ROOMY = 260
"""Pixels from which a row has room for the link; narrower, and it comes when wanted."""

ONE_LINE = 330
"""Pixels from which a folded card has its player and its first guess in one line; narrower, in two."""

SIGN = 9.0
"""Pixels of a player's shape."""

LEADS = ("RNN", "Ensemble")
"""Titles that folded cards leave room for, so that their names begin below each other."""

LINK = 32.0
"""Pixels the link needs at a row's end."""

SPACE = 10
"""Pixels between a card and the one below it."""

HIGH, LOW = 32, 26
"""Pixels of a row; the lower where many players share the pane."""

BAR = 6
"""Pixels at a row's foot, below its words, where the bar is."""

STIRS = 0.004
"""The share of its room by which a bar's length must change for it to be moved."""


def wikipedia(page: Page) -> QUrl:
    """Where people can read about ``page``."""
    return QUrl("https://en.wikipedia.org/wiki/" + quote(page.replace(" ", "_"), safe="_(),'!:"))


@dataclass(frozen=True, slots=True)
class GuessLine:
    """One guess as it is painted; ``chance`` is that it is right, None where nobody judged that."""

    rank: int
    page: Page
    chance: float | None
    right: bool
    focus: bool

    @property
    def looks(self) -> tuple[object, ...]:
        """What can be seen of it but the length of its bar."""
        return (
            self.rank,
            self.page,
            None if self.chance is None else percent(self.chance),
            self.right,
            self.focus,
        )


@dataclass(frozen=True, slots=True)
class GuessCard:
    """One player's guesses as they are painted; ``note`` says where the true answer stands."""

    player: str
    lines: tuple[GuessLine, ...] = ()
    buzz: str = ""
    note: str = ""
    trouble: str = ""
    current: bool = False  # whose evidence is shown
    stale: bool = False  # of an older draft, or not here yet


def guess_card(play: Playthrough, heard: int, focus: Page | None = None) -> GuessCard:
    """What ``play`` said after ``heard`` words, with the page in ``focus`` marked."""
    index = play.index_after(heard)
    row = play.rows[index] if index is not None else ()
    chances: tuple[float | None, ...] = (None,) * len(row)
    if index is not None and play.chances:
        chances = odds(row, play.chances[index])
    answer = play.tossup.answer
    buzz = ""
    if play.buzz is not None:
        buzz = "buzzes here" if play.buzz.heard == heard else f"buzzes at word {play.buzz.heard}"
    elif play.rows:
        buzz = "does not buzz"
    return GuessCard(
        player=play.guesser,
        lines=tuple(
            GuessLine(
                rank=rank,
                page=guess.page,
                chance=chance,
                right=answer is not None and answer.accepts(guess.page),
                focus=guess.page == focus,
            )
            for rank, (guess, chance) in enumerate(zip(row[:TOP], chances[:TOP], strict=True), start=1)
        ),
        buzz=buzz,
        note=rank_line(play, index) if row else "",
        trouble=play.trouble or "",
    )


class PlayerChooser(QWidget):
    """A row of players of whom one is current; ``picked`` carries the name of another that is wanted."""

    picked = Signal(str)

    def __init__(self, theme: Theme, what: str, parent: QWidget | None = None) -> None:
        """``what`` of them is chosen, for those who do not see it."""
        super().__init__(parent)
        self._theme = theme
        self._what = what
        self._names: tuple[str, ...] = ()
        self._current = ""
        self._buttons: dict[str, QToolButton] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self._row.addStretch(1)
        theme.changed.connect(self._apply_theme)

    def show_players(self, names: tuple[str, ...], current: str) -> None:
        """Offer ``names``, of whom ``current`` is shown; nothing where there is no choice."""
        if names != self._names:
            self._names = names
            for button in self._buttons.values():
                button.hide()
                button.deleteLater()
            self._buttons = {name: self._button(name) for name in names}
        self._current = current
        for name, button in self._buttons.items():
            button.setChecked(name == current)
        self.setVisible(len(names) > 1)
        self._apply_theme()

    def stops(self) -> Iterator[QWidget]:
        """What the keyboard goes through, in order."""
        yield from self._buttons.values()

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        title = player_title(name)
        button.setText(title)
        button.setCheckable(True)
        button.setToolTip(f"Show {self._what} of {player_title(name)}")
        button.setAccessibleName(f"{title}, {self._what}")
        button.clicked.connect(lambda _=False: self._pick(name))
        self._row.insertWidget(self._row.count() - 1, button)
        return button

    def _pick(self, name: str) -> None:
        for other, button in self._buttons.items():
            button.setChecked(other == self._current)  # until the window says otherwise
        if name != self._current:
            self.picked.emit(name)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        current = mixed(tokens.accent, tokens.page, 0.14)
        for name, button in self._buttons.items():
            button.setFont(self._theme.font(bold=name == self._current))
            button.setStyleSheet(
                f"QToolButton {{ color: {tokens.soft}; padding: 2px 8px; }}"
                f"QToolButton:checked {{ color: {tokens.ink}; background: {current}; }}"
            )


class GuessPane(QWidget):
    """One card a player. Names of answers get the width first, so cards are stacked unless it is ample.

    Of many cards on each other only that of the current player shows all its guesses; the others fold to
    their first one.

    ``chosen`` carries a player's name and the page whose evidence is wanted, ``picked`` the name of the
    player to be current, ``moved`` the name of one who should stand -1 earlier or 1 later, ``silenced``
    one to be switched off, ``stepped`` -1 or 1, ``fitting`` how many pixels all cards would need.

    ``painted`` carries the generation whose guesses are on the screen now, and whether all players' are.
    """

    chosen = Signal(str, object)
    picked = Signal(str)
    moved = Signal(str, int)
    silenced = Signal(str)
    stepped = Signal(int)
    fitting = Signal(int)
    painted = Signal(int, bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: list[_CardView] = []
        self._columns = self._needed = 0
        self._generation = self._told = (-1, False)
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
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(SPACE)
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
        measured = _CardView(theme)
        self._scroll.setMinimumHeight(measured.sizeHint().height())
        measured.deleteLater()
        self.show_word(0, 0)
        self.say("")
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    @property
    def word(self) -> str:
        """What is said of the word that the guesses are after."""
        return self._word.text()

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

    def show_cards(self, cards: tuple[GuessCard, ...], generation: int, *, complete: bool = True) -> None:
        """Paint ``cards``, ``complete`` or not; what did not change is not painted again.

        A negative ``generation`` says that they are of no draft that is worth telling of.
        """
        count = len(self._cards)
        while len(self._cards) < len(cards):
            view = _CardView(self._theme)
            view.chosen.connect(self.chosen)
            view.picked.connect(self.picked)
            view.moved.connect(self.moved)
            view.silenced.connect(self.silenced)
            self._cards.append(view)
        while len(self._cards) > len(cards):
            view = self._cards.pop()
            view.hide()
            view.deleteLater()
        for place, (view, shown) in enumerate(zip(self._cards, cards, strict=True)):
            view.show_card(shown, place, len(cards))
        new = count != len(cards)
        self._lay_out(anew=new)
        if new:
            self._order_tabs()
        if generation >= 0 and (generation, complete) != self._generation:
            self._generation = (generation, complete)
            self.update(0, 0, 1, 1)  # one pixel, painted together with whatever changed

    @property
    def cards(self) -> tuple[_CardView, ...]:
        """The players' cards, in order."""
        return tuple(self._cards)

    @property
    def stale(self) -> bool:
        """Whether some guesses are shown as of an older draft."""
        return any(view.shown.stale for view in self._cards)

    @property
    def folds(self) -> bool:
        """Whether all cards but the current one show their first guess only."""
        return -(-len(self._cards) // max(1, self._columns)) > DEEP

    def names(self) -> tuple[tuple[str, bool], ...]:
        """The names of answers in sight, each with whether there is room for all of it."""
        return tuple(name for view in self._cards for name in view.names())

    def texts(self) -> tuple[str, ...]:
        """All lines as a screen reader has them."""
        return tuple(text for view in self._cards for text in view.texts())

    def page(self, rank: int) -> Page | None:
        """The guess at ``rank`` of the current player; None if there is none."""
        lines = next((view.shown.lines for view in self._cards if view.shown.current), ())
        return lines[rank - 1].page if 0 < rank <= len(lines) else None

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._told != self._generation:
            self._told = self._generation
            self.painted.emit(*self._generation)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _order_tabs(self) -> None:
        """Let the keyboard go through the cards where they stand, not where they were made: last."""
        before: QWidget = self._forth
        for stop in (stop for view in self._cards for stop in view.stops()):
            QWidget.setTabOrder(before, stop)
            before = stop

    def _lay_out(self, *, anew: bool = False) -> None:
        count = len(self._cards)
        columns = max(1, min(count, (self.width() - 28 + 16) // (CARD + 16)))
        if count == MANY + 1 and columns == MANY:
            columns = 2  # two and two rather than three and one
        if -(-count // columns) > DEEP:
            columns = 1  # folded, they need no column beside them
        if columns == self._columns and not anew:
            self._fold()
            return
        for column in range(max(columns, self._columns)):
            self._grid.setColumnStretch(column, int(column < columns))
        self._columns = columns
        for index, view in enumerate(self._cards):
            view.use_height(LOW if count >= MANY else HIGH)
            self._grid.addWidget(view, index // columns, index % columns, Qt.AlignmentFlag.AlignTop)
        self._fold()

    def _fold(self) -> None:
        """Fold the cards that show their first guess only, and say how high all are if that is new."""
        folds = self.folds
        for view in self._cards:
            view.fold(folded=folds and not view.shown.current, one_line=self.width() - 28 >= ONE_LINE)
        if not self._cards:
            return
        width = (self.width() - 28 - 16 * (self._columns - 1)) // self._columns
        heights = [view.height_at(width) for view in self._cards]
        rows = [max(heights[at : at + self._columns]) for at in range(0, len(heights), self._columns)]
        around = self.sizeHint().height() - self._scroll.minimumHeight()
        needed = around + sum(rows) + SPACE * len(rows)
        if needed != self._needed:
            self._needed = needed
            self._scroll.setMinimumHeight(max(heights))
            self.fitting.emit(needed)

    def _apply_theme(self) -> None:
        self._word.setFont(self._theme.font(bold=True))
        self._message.setStyleSheet(f"color: {self._theme.tokens.soft};")


class _CardView(QWidget):
    """One player's title and guesses; the current player's have keys.

    A folded one shows the first guess only, where the room allows it in one line with the player's title.
    """

    chosen = Signal(str, object)
    picked = Signal(str)
    moved = Signal(str, int)
    silenced = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.shown = GuessCard("")
        self._first = self._last = True
        self._folded = self._one_line = False
        self._sign = _Sign(theme)
        self._title = QLabel()
        self._more = QToolButton()
        self._more.setText("\u22ef")
        self._more.setFixedSize(24, 20)
        self._more.clicked.connect(self._show_menu)
        self._buzz = QLabel()
        self._note = QLabel()
        self._note.setWordWrap(True)
        self._trouble = QLabel()
        self._trouble.setWordWrap(True)
        self._rows = [_GuessRow(theme) for _ in range(TOP)]
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(8, 0, 8, 2)
        head.setSpacing(4)
        head.addWidget(self._sign)
        head.addSpacing(2)
        head.addWidget(self._title)
        head.addWidget(self._more)
        head.addWidget(self._buzz, 1)
        self._buzz.setWordWrap(True)
        self._buzz.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._note.setContentsMargins(8, 2, 8, 0)
        self._trouble.setContentsMargins(8, 0, 8, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._head)
        column.addWidget(self._trouble)
        for row in self._rows:
            column.addWidget(row)
            row.clicked.connect(lambda _=False, row=row: self._choose(row))
        column.addWidget(self._note)
        self._trouble.hide()
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def show_card(self, shown: GuessCard, place: int, of: int) -> None:
        """Paint what changed; the card is at ``place``, from 0."""
        self._first, self._last = place == 0, place == of - 1
        self._more.setVisible(of > 1)
        if shown == self.shown:
            return
        before, self.shown = self.shown, shown
        title = player_title(shown.player)
        _put(self._title, title)
        _put(self._buzz, shown.buzz)
        _put(self._note, shown.note or " ")
        if before.player != shown.player:
            self._sign.show_player(shown.player)
            self._more.setToolTip(f"Move {title}, or switch it off")
            self._more.setAccessibleName(f"More for {title}")
        if self._trouble.text() != shown.trouble:
            self._trouble.setText(shown.trouble)
            self._trouble.setVisible(bool(shown.trouble))
        for index, row in enumerate(self._rows):
            glides = before.player == shown.player
            row.show_line(
                shown.lines[index] if index < len(shown.lines) else None, has_key=shown.current, glides=glides
            )
            row.dim(STALE if shown.stale else 1.0)
        self._show_parts()

    def fold(self, *, folded: bool, one_line: bool) -> None:
        """Show the first guess only, or all; ``one_line`` says that the title has room beside a guess."""
        if (folded, one_line) != (self._folded, self._one_line):
            self._folded, self._one_line = folded, one_line
            self._show_parts()

    def height_at(self, width: int) -> int:
        """How high it is where it is ``width`` wide: captions wrap."""
        return self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()

    def names(self) -> tuple[tuple[str, bool], ...]:
        """See the pane."""
        return tuple(
            (page_title(row.line.page), row.is_whole)
            for row in self._rows
            if row.line is not None and not row.isHidden()
        )

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not (self._first and self._last):
            self.menu().popup(event.globalPos())

    def _show_parts(self) -> None:
        shown = self.shown
        folded = self._folded and not shown.trouble
        in_line = folded and self._one_line
        _set_visible(self._head, visible=not in_line)
        _set_visible(self._note, visible=not folded)
        for number, row in enumerate(self._rows):
            _set_visible(row, visible=not shown.trouble and not (folded and number))
        note = shown.note.removeprefix("Your answer: ") if folded else ""
        self._rows[0].lead(shown.player if in_line else "", buzz=shown.buzz if folded else "", note=note)

    def use_height(self, pixels: int) -> None:
        """Make every row so high."""
        for row in self._rows:
            row.use_height(pixels)

    def texts(self) -> tuple[str, ...]:
        """See the pane."""
        lines = [row.accessibleName() for row in self._rows if row.line is not None]
        return (*lines, self._note.text().strip()) if self._note.text().strip() else tuple(lines)

    def stops(self) -> Iterator[QWidget]:
        """What the keyboard goes through, in order."""
        yield self._more
        for row in self._rows:
            yield row
            yield row.link

    def menu(self) -> QMenu:
        """What can be done with this player."""
        menu, name = QMenu(self), self.shown.player
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, possible, by in (("Move up", not self._first, -1), ("Move down", not self._last, 1)):
            action = menu.addAction(text)
            action.setEnabled(possible)
            action.triggered.connect(lambda _=False, by=by: self.moved.emit(name, by))
        menu.addSeparator()
        menu.addAction("Switch off").triggered.connect(lambda _=False: self.silenced.emit(name))
        return menu

    def _show_menu(self) -> None:
        self.menu().popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def _choose(self, row: _GuessRow) -> None:
        if row.is_led:
            self.picked.emit(self.shown.player)
        elif row.line is not None:
            self.chosen.emit(self.shown.player, row.line.page)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._title.setFont(self._theme.font(bold=True))
        for label in (self._buzz, self._note):
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {tokens.soft};")
        self._trouble.setStyleSheet(f"color: {tokens.confident};")


class _Sign(QWidget):
    """A player's shape in its colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._player = ""
        self.setFixedSize(round(SIGN) + 2, round(SIGN) + 2)

    def show_player(self, player: str) -> None:
        """Show that of ``player``."""
        self._player = player
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._player:
            mark = self._theme.tokens.player(self._player)
            draw_player(QPainter(self), QRectF(1, 1, SIGN, SIGN), mark)


class _Button(QAbstractButton):
    """A button of our own painting, which Return presses too, on every platform."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


class _GuessRow(_Button):
    """One guess: rank, check if it is the answer, title, chance; the bar below is as long as that.

    In a folded card the player stands where the rank does.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._height = HIGH
        self._has_key = False
        self._player = self._buzz = self._note = ""
        self._led = False
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
        return QSize(160, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._height)

    def use_height(self, pixels: int) -> None:
        """Be so high."""
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
        stirs = abs(length - self._length) > STIRS
        if last is not None and had_key is has_key and last.looks == line.looks and not stirs:
            return
        chance = "" if line.chance is None else f", {percent(line.chance)}"
        self.setAccessibleName(f"{line.rank}, {title}{chance}" + (", your answer" if line.right else ""))
        self._hint()
        self.link.setToolTip(f"Read about {title} on Wikipedia (opens the browser)")
        self.link.setAccessibleName(f"{title} on Wikipedia")
        if glides and last is not None and stirs and self._theme.gliding_ms:
            self._glide.stop()
            self._glide.setDuration(self._theme.gliding_ms)
            self._glide.setStartValue(self._length)
            self._glide.setEndValue(length)
            self._glide.start()
        else:
            self._glide.stop()
            self._length = length
        self.update()

    def lead(self, player: str, *, buzz: str, note: str) -> None:
        """Let ``player`` stand before the guess, with what else is to say of its game, or nothing."""
        if (player, buzz, note) != (self._player, self._buzz, self._note):
            self._player, self._buzz, self._note = player, buzz, note
            self._hint()
            self.update()

    @property
    def is_whole(self) -> bool:
        """Whether there is room for all of the answer's name."""
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
            answer = f"your answer: {self._note}" if self._note else ""
            said.append(sentence("; ".join(filter(None, (self._buzz, answer)))))
        self.setToolTip("\n".join(said))
        about = (player_title(self._player) if self._player else "", *said[1:])
        self.setAccessibleDescription(": ".join(filter(None, about)))

    def _start(self) -> float:
        """Where the bar and the name begin."""
        if not self._player:
            return 30.0
        metrics = QFontMetricsF(self._theme.font(bold=True))
        return ceil(
            (8 + SIGN + 6 + max(map(metrics.horizontalAdvance, (*LEADS, player_title(self._player))))) + 12
        )

    def _room(self, chance: str) -> tuple[float, float]:
        """Where the name may begin and where it must end, before the ``chance``."""
        assert self.line is not None
        left, right = self._start(), self.width() - (LINK if self.links else 8.0)
        if self.line.right:
            left += 16
        if chance:
            right -= QFontMetricsF(self._theme.font()).horizontalAdvance(chance) + 8
        return left, right

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._led = bool(self._player) and event.position().x() < self._start() - 6
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._led = False
        super().keyPressEvent(event)

    @property
    def is_led(self) -> bool:
        """Whether the click was on the player before the guess."""
        return self._led

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
        self.link.setGeometry(self.width() - 28, (self.height() - 28) // 2, 24, 24)

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
            self._paint_lead(painter, self.height() - BAR)
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
        start = self._start()
        if (length := (self.width() - start - end) * self._length) >= 2:
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
            self._paint_lead(painter, high)
        else:
            painter.drawText(QRectF(8, 0, 14, high), flags | Qt.AlignmentFlag.AlignRight, str(line.rank))
        chance = "" if line.chance is None else percent(line.chance)
        left, right = self._room(chance)
        if line.right:
            draw_check(painter, QRectF(left - 17, high / 2 - 6, 12, 12), QColor(tokens.right))
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

    def _paint_lead(self, painter: QPainter, high: float) -> None:
        """Paint the player before the guess."""
        if self._player:
            tokens = self._theme.tokens
            draw_player(painter, QRectF(8, (high - SIGN) / 2, SIGN, SIGN), tokens.player(self._player))
            painter.setFont(self._theme.font(bold=True))
            painter.setPen(QColor(tokens.ink))
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
            painter.drawText(QRectF(8 + SIGN + 6, 0, self._start(), high), flags, player_title(self._player))

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


class _WikipediaLink(_Button):
    """The small arrow that opens Wikipedia."""

    def __init__(self, theme: Theme, row: _GuessRow) -> None:
        super().__init__(row)
        self._theme = theme
        self._row = row
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._row.links:
            return
        tokens = self._theme.tokens
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


def _set_visible(widget: QWidget, *, visible: bool) -> None:
    if widget.isHidden() is visible:
        widget.setVisible(visible)


def _put(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
