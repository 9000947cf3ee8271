"""The guess pane: what each player would say after some word, best first, with the true answer marked."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from quizwriter.domain.page import Page
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.icons import Icon, IconButton
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, STRETCH, column_of
from quizwriter.gui.writing.guess_card import GuessCard
from quizwriter.gui.writing.guess_card_view import GuessCardView
from quizwriter.gui.writing.guess_row import HIGH, LOW

CARD = 280
"""Pixels a card needs beside another, so that names of answers are whole; narrower, and cards are stacked."""

DEEP = 2
"""How many cards may stand on each other unfolded; of more, all but the current one fold."""

MANY = 3
"""Cards from which their rows are lower, so that all may be seen at once."""

ONE_LINE = 250
"""Pixels from which a folded card has its player and its first guess in one line; narrower, in two."""

FIRST_GUESS = 46
"""Pixels, at 100 %, in which the first guess of a player can be read; in a low column the rest scrolls."""

SPACE = 10
"""Pixels between a card and the one below it."""


class GuessPane(QWidget):
    """One card a player. Names of answers get the width first, so cards are stacked unless it is ample.

    Of many cards on each other only that of the current player shows all its guesses; the others fold to
    their first one.

    ``chosen`` carries a player's name and the page whose evidence should be shown, ``player_chosen`` the name
    of the player to be current, ``player_moved`` a player's name and -1 to show it earlier or 1 to show it
    later, ``player_switched_off`` the name of one to be switched off, ``stepped`` -1 or 1 for a word back or
    on, ``height_changed`` how many pixels all cards need.
    """

    chosen = Signal(str, object)
    player_chosen = Signal(str)
    player_moved = Signal(str, int)
    player_switched_off = Signal(str)
    stepped = Signal(int)
    height_changed = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cards: list[GuessCardView] = []
        self._spare: list[GuessCardView] = []  # made before, and used again: each tossup begins without cards
        self._columns = self._needed = 0
        self.setAccessibleName("Guesses")
        self._word = plain_label()
        self._back = IconButton(
            theme, Icon.LEFT, "One word back (Alt+Left)", lambda: self.stepped.emit(-1), name="One word back"
        )
        self._forth = IconButton(
            theme, Icon.RIGHT, "One word forward (Alt+Right)", lambda: self.stepped.emit(1),
            name="One word forward",
        )  # fmt: skip
        for button in (self._back, self._forth):
            button.setAutoRepeat(True)
        self._head = head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._word, 1)
        head.addWidget(self._back)
        head.addWidget(self._forth)
        self._message = plain_label(wrap=False)
        self._message.setWordWrap(True)
        inside = QWidget()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(SPACE)
        column_of(self._message, self._grid, STRETCH, on=inside, margins=NO_MARGINS, spacing=8)
        self._scroll = QScrollArea()  # for more players than there is room for
        self._scroll.setWidget(inside)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        for clear in (self._scroll.viewport(), inside):
            clear.setAutoFillBackground(False)
        column_of(head, (self._scroll, 1), on=self, margins=(16, 12, 12, 8), spacing=8)
        # What one row of cards needs, so that nothing below jumps when the first guesses come.
        measured = GuessCardView(theme)
        self._scroll.setMinimumHeight(measured.sizeHint().height())
        measured.deleteLater()
        self.show_word(0, 0)
        self.show_notice("")
        theme.follow(self._apply_theme)

    @property
    def word(self) -> str:
        return self._word.text()

    def show_notice(self, message: str) -> None:
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

    def show_cards(self, cards: tuple[GuessCard, ...]) -> None:
        """Paint ``cards``; what did not change is not painted again."""
        count = len(self._cards)
        while len(self._cards) < len(cards):
            self._cards.append(self._spare.pop() if self._spare else self._new_card())
        while len(self._cards) > len(cards):
            view = self._cards.pop()
            self._grid.removeWidget(view)
            view.hide()
            view.show_card(GuessCard(""), 0, 1)
            self._spare.append(view)
        for place, (view, shown) in enumerate(zip(self._cards, cards, strict=True)):
            view.show_card(shown, place, len(cards))
        new = count != len(cards)
        self._lay_out(anew=new)
        if new:
            self._order_tabs()

    def _new_card(self) -> GuessCardView:
        view = GuessCardView(self._theme)
        view.chosen.connect(self.chosen)
        view.player_chosen.connect(self.player_chosen)
        view.player_moved.connect(self.player_moved)
        view.player_switched_off.connect(self.player_switched_off)
        return view

    @property
    def cards(self) -> tuple[GuessCardView, ...]:
        return tuple(self._cards)

    @property
    def stale(self) -> bool:
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _order_tabs(self) -> None:
        """Let the keyboard go through the cards where they stand, not where they were made: last."""
        before: QWidget = self._forth
        for stop in (stop for view in self._cards for stop in view.focus_order()):
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
            view.setVisible(True)
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
        column = self.contentsMargins() if (layout := self.layout()) is None else layout.contentsMargins()
        around = column.top() + self._head.sizeHint().height() + 2 * SPACE + column.bottom()
        needed = around + sum(rows) + SPACE * len(rows)
        if needed != self._needed:
            self._needed = needed
            self._scroll.setMinimumHeight(min(max(heights), self._theme.px(FIRST_GUESS)))
            self.height_changed.emit(needed)

    def _apply_theme(self) -> None:
        self._word.setFont(self._theme.font(bold=True))
        self._message.setStyleSheet(f"color: {self._theme.tokens.soft};")
