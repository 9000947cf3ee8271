"""Where each player stood as of a version, then and today, and what it guessed in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTreeWidgetItem, QWidget

from quizwriter.domain.guessing import Outcome
from quizwriter.domain.page import page_title
from quizwriter.domain.tossup import Answer
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import plain_table
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip, rich_label
from quizwriter.gui.widgets.layouts import column_of
from quizwriter.workflow.history_analysis import History, Position, PositionUnit
from quizwriter.workflow.session import RecordedPlay
from quizwriter.workflow.wording import player_title

NO_GUESSES = "No player read this version."

HIGHEST = 260
"""Pixels that the table may be high."""

BORDERS = 6
"""Pixels above and below its rows."""

TodaysPlays = Mapping[str, Sequence[tuple[int, RecordedPlay]]]
"""Today's plays by player, each with the index of the version that was read."""


class PlayersPane(QWidget):
    """A table of the players' positions, and under it the guesses of the row that is chosen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._plays: list[RecordedPlay] = []  # a row each
        self._answer: Answer | None = None
        self.table = plain_table("Results of each player", "", "Buzz", "First right", "Stays right")
        self.table.setUniformRowHeights(True)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.currentItemChanged.connect(self._show_guesses)
        header = self.table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in range(1, 4):
            _align_right(self.table.headerItem(), column)
        self._guesses_title, self.guesses_label = plain_label(wrap=False), rich_label()
        self.guesses_label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.guesses_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = column_of(self.table, on=self, margins=(8, 4, 8, 4), spacing=8)
        self._guesses_title.setContentsMargins(8, 0, 8, 0)
        self.guesses_label.setContentsMargins(8, 0, 8, 8)
        layout.addWidget(self._guesses_title)
        layout.addWidget(self.guesses_label)
        layout.addStretch(1)
        theme.follow(self._apply_theme)

    def show_step(self, history: History, index: int, today: TodaysPlays, unit: PositionUnit) -> None:
        """Show what each player said as of the version at ``index``, and what it says ``today``."""
        step = history.steps[index]
        self._answer = step.answer
        rows: list[tuple[str, RecordedPlay, bool]] = []  # title, play, whether it is of this very version
        for name in dict.fromkeys((*history.players, *today)):
            title = player_title(name)
            if name in step.shown:
                rows.append((title, step.shown[name], name in step.fresh))
            if name in today:
                latest = [play for at, play in today[name] if at <= index][-1:]
                rows += [(f"{title} today", play, play.seq == step.seq) for play in latest]
        while self.table.topLevelItemCount() < len(rows):
            added = QTreeWidgetItem()
            for column in range(1, 4):
                _align_right(added, column)
            self.table.addTopLevelItem(added)
        while self.table.topLevelItemCount() > len(rows):
            self.table.takeTopLevelItem(self.table.topLevelItemCount() - 1)
        self._plays = [play for _, play, _ in rows]
        for place, (title, play, fresh) in enumerate(rows):
            item = self.table.topLevelItem(place)
            assert item is not None
            self._fill(item, title, play, fresh=fresh, unit=unit)
        height = self.table.header().sizeHint().height() + BORDERS
        height += max(1, len(rows)) * (self.table.sizeHintForRow(0) if rows else 24)
        height = min(height, self._theme.px(HIGHEST))
        if height != self.table.height():  # with every step it would cost as much as the text
            self.table.setFixedHeight(height)
            for column in range(1, 4):
                self.table.resizeColumnToContents(column)
        if rows and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.table.model().index(0, 0))
        self._show_guesses()

    def _fill(
        self, item: QTreeWidgetItem, title: str, play: RecordedPlay, *, fresh: bool, unit: PositionUnit
    ) -> None:
        item.setText(0, title)
        for column, position in enumerate(Position, start=1):
            item.setText(column, _position_text(position, play, unit))
        colour = QColor(self._theme.tokens.ink if fresh else self._theme.tokens.soft)
        tip = f"The engine's digest: {play.engine}"
        if not fresh:
            older = f"This is the result after edit {play.seq:,}; the player did not read this version."
            tip = f"{older}\n{tip}"
        for column in range(4):
            item.setForeground(column, colour)
            item.setToolTip(column, plain_tooltip(tip))

    def _show_guesses(self) -> None:
        item = self.table.currentItem()
        place = self.table.indexOfTopLevelItem(item) if item is not None else -1
        if not 0 <= place < len(self._plays):
            self._guesses_title.setText("")
            self.guesses_label.setText(NO_GUESSES)
            return
        assert item is not None
        tokens = self._theme.tokens
        self._guesses_title.setText(f"{item.text(0)} guesses at the end")
        lines = []
        for rank, guess in enumerate(self._plays[place].top, start=1):
            title = escape(page_title(guess.page))
            if self._answer is not None and self._answer.accepts(guess.page):
                title = f"<span style='color:{tokens.right}'><b>✓ {title}</b></span>"
            lines.append(f"<span style='color:{tokens.soft}'>{rank}</span>&nbsp;&nbsp;{title}")
        self.guesses_label.setText("<br>".join(lines) or "Nothing.")

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._guesses_title.setFont(self._theme.font(bold=True, small=True))
        self.table.header().setMinimumSectionSize(self._theme.px(56))
        chosen = mixed(tokens.accent, tokens.page, 0.13)
        self.table.setStyleSheet(
            "QTreeView { background: transparent; border: none; }"
            f"QTreeView::item:selected {{ background: {chosen}; color: {tokens.ink}; }}"
        )


def _align_right(item: QTreeWidgetItem, column: int) -> None:
    item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _position_text(position: Position, play: RecordedPlay, unit: PositionUnit) -> str:
    """A position as a cell of the table says it."""
    heard = position.of(play)
    if heard is None:
        unable = position is not Position.BUZZ and not play.knowable
        return str(Outcome.CANNOT_KNOW) if unable else "never"
    if unit is PositionUnit.PERCENT:
        return f"{round(100 * heard / max(1, play.words))}\u00a0%"
    return str(heard)
