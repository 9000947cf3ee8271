"""One player's card in the guess pane: its title, its guesses, and a menu."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from quizwriter.domain.guessing import TOP
from quizwriter.domain.page import page_title
from quizwriter.gui.theme import STALE_OPACITY, Theme, draw_player
from quizwriter.gui.widgets.icons import Icon, IconButton
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, Gap, column_of, row_of
from quizwriter.gui.writing.guess_card import GuessCard
from quizwriter.gui.writing.guess_row import SIGN, GuessRow
from quizwriter.workflow.wording import player_title


class GuessCardView(QWidget):
    """One player's title and guesses; the current player's have keys.

    A folded one shows the first guess only, where the room allows it in one line with the player's title.
    """

    chosen = Signal(str, object)
    player_chosen = Signal(str)
    player_moved = Signal(str, int)
    player_switched_off = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.shown = GuessCard("")
        self._first = self._last = True
        self._folded = self._one_line = False
        self._sign = _PlayerSign(theme)
        self._title = plain_label(wrap=False)
        self._more = IconButton(theme, Icon.MORE, "More", self._show_menu)
        self._buzz = plain_label(wrap=False)
        self._note = plain_label(wrap=False)
        self._note.setWordWrap(True)
        self._trouble = plain_label(wrap=False)
        self._trouble.setWordWrap(True)
        self._rows = [GuessRow(theme) for _ in range(TOP)]
        self._head = QWidget()
        row_of(
            self._sign,
            Gap(2),
            self._title,
            self._more,
            (self._buzz, 1),
            on=self._head,
            margins=(8, 0, 8, 2),
            spacing=4,
        )
        self._buzz.setWordWrap(True)
        self._buzz.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._note.setContentsMargins(8, 2, 8, 0)
        self._trouble.setContentsMargins(8, 0, 8, 0)
        column = column_of(self._head, self._trouble, on=self, margins=NO_MARGINS, spacing=2)
        for row in self._rows:
            column.addWidget(row)
            row.clicked.connect(lambda _=False, row=row: self._choose(row))
        column.addWidget(self._note)
        self._trouble.hide()
        theme.follow(self._apply_theme)

    def show_card(self, shown: GuessCard, place: int, of: int) -> None:
        """Paint what changed; the card is at ``place``, from 0."""
        self._first, self._last = place == 0, place == of - 1
        self._more.setVisible(of > 1)
        if shown == self.shown:
            return
        before, self.shown = self.shown, shown
        title = player_title(shown.player)
        _set_text(self._title, title)
        _set_text(self._buzz, shown.buzz)
        _set_text(self._note, shown.note or " ")
        if before.player != shown.player:
            self._sign.show_player(shown.player)
            self._more.setToolTip(plain_tooltip(f"Move {title}, or switch it off"))
            self._more.setAccessibleName(f"More for {title}")
        if self._trouble.text() != shown.trouble:
            self._trouble.setText(shown.trouble)
            self._trouble.setVisible(bool(shown.trouble))
        for index, row in enumerate(self._rows):
            glides = before.player == shown.player
            row.show_line(
                shown.lines[index] if index < len(shown.lines) else None, has_key=shown.current, glides=glides
            )
            row.dim(STALE_OPACITY if shown.stale else 1.0)
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
        note = shown.note if folded else ""
        self._rows[0].show_player(
            shown.player if in_line else "", buzz=shown.buzz if folded else "", note=note
        )

    def use_height(self, pixels: int) -> None:
        """Make every row so high."""
        for row in self._rows:
            row.use_height(pixels)

    def texts(self) -> tuple[str, ...]:
        lines = [row.accessibleName() for row in self._rows if row.line is not None]
        return (*lines, self._note.text().strip()) if self._note.text().strip() else tuple(lines)

    def focus_order(self) -> Iterator[QWidget]:
        yield self._more
        for row in self._rows:
            yield row
            yield row.link

    def menu(self) -> QMenu:
        menu, name = QMenu(self), self.shown.player
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, possible, by in (("Move up", not self._first, -1), ("Move down", not self._last, 1)):
            action = menu.addAction(text)
            action.setEnabled(possible)
            action.triggered.connect(lambda _=False, by=by: self.player_moved.emit(name, by))
        menu.addSeparator()
        menu.addAction("Switch off").triggered.connect(lambda _=False: self.player_switched_off.emit(name))
        return menu

    def _show_menu(self) -> None:
        self.menu().popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def _choose(self, row: GuessRow) -> None:
        if row.player_was_clicked:
            self.player_chosen.emit(self.shown.player)
        elif row.line is not None:
            self.chosen.emit(self.shown.player, row.line.page)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._more.setFixedSize(self._theme.px(24), self._theme.px(20))
        self._title.setFont(self._theme.font(bold=True))
        for label in (self._buzz, self._note):
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {tokens.soft};")
        self._trouble.setStyleSheet(f"color: {tokens.confident};")


class _PlayerSign(QWidget):
    """A player's shape in its colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._player = ""
        theme.follow(self._fit)

    def _fit(self) -> None:
        side = self._theme.px(SIGN) + 2
        self.setFixedSize(side, side)

    def show_player(self, player: str) -> None:
        self._player = player
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._player:
            mark = self._theme.tokens.player(self._player)
            side = self._theme.px(SIGN)
            draw_player(QPainter(self), QRectF(1, 1, side, side), mark)


def _set_visible(widget: QWidget, *, visible: bool) -> None:
    if widget.isHidden() is visible:
        widget.setVisible(visible)


def _set_text(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
