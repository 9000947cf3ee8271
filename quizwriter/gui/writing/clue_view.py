"""What past questions say of the sentence at the cursor: how often its clue was heard, and in which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import ElidedLabel, plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.domain.stock_clues import SentenceClues

MOST_SOURCES = 3
"""Past questions with the clue that are named; the tooltip of each has the sentence in which they say it."""

NARROW = 320
"""Pixels of the view below which one source is named."""

NO_SENTENCE = "Move the cursor to a sentence to see how often its clue was heard."
READING_CLUES = "Searching past questions for this clue…"


class ClueView(QWidget):
    """The clue of one sentence: a line that counts, the surest sources, and what says nearly the same.

    It is as high as what it says, and stands above the past questions on the answer.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: tuple[str, tuple[tuple[str, str], ...], int, str] = ("", (), 0, "")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("The clue of this sentence")
        self.title, self.said = plain_label("This sentence"), plain_label()
        self.sources = tuple(ElidedLabel() for _ in range(MOST_SOURCES))
        self.more, self.near = plain_label(), plain_label(selectable=True)
        self._line = QFrame()
        self._line.setFrameShape(QFrame.Shape.HLine)
        column_of(
            self.title,
            self.said,
            *self.sources,
            self.more,
            self.near,
            self._line,
            on=self,
            margins=NO_MARGINS,
            spacing=4,
        )
        self.said.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.follow(self._apply_theme)
        self.show_nothing(NO_SENTENCE)

    def show_nothing(self, why: str) -> None:
        self._show(why, (), 0, "")

    def show_clues(self, clues: SentenceClues) -> None:
        from quizwriter.workflow.past_wording import clue_sentence, hearing_line, near_sentence

        self._show(
            f"{'Stock clue. ' if clues.stock else ''}{clue_sentence(clues)}",
            tuple((hearing_line(one), one.passage) for one in clues.hearings[:MOST_SOURCES]),
            clues.anywhere + min(clues.alike, len(clues.hearings)),
            near_sentence(clues.near) if clues.near is not None else "",
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Keep every line of the sentences in sight: where the pane is narrow, fewer sources are named."""
        _, sources, heard, _ = self._shown
        named = len(sources) if self.width() >= NARROW else min(len(sources), 1)
        for place, source in enumerate(self.sources):
            source.setVisible(place < named)
        left = heard - named
        self.more.setText(f"and {counted_noun(left, 'other')}" if named and left else "")
        self.more.setVisible(bool(self.more.text()))
        for label in (self.said, self.near):
            label.setMinimumHeight(label.heightForWidth(self.width()) if label.text() else 0)

    def _show(self, said: str, sources: tuple[tuple[str, str], ...], heard: int, near: str) -> None:
        if (said, sources, heard, near) == self._shown:  # as after most keys
            return
        self._shown = said, sources, heard, near
        self.said.setText(said)
        for (line, passage), label in zip(sources, self.sources, strict=False):
            label.setText(f"{line}. {passage}")
        self.near.setText(near)
        self.near.setVisible(bool(near))
        self._fit()
        named = (f"{line}." for line, _ in sources)
        self.setAccessibleDescription(" ".join(filter(None, (said, *named, self.more.text(), near))))

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self.title.setFont(self._theme.font(bold=True))
        for widget in (*self.sources, self.more):
            widget.setFont(self._theme.font(small=True))
            widget.setStyleSheet(f"color: {tokens.soft};")
        self._line.setStyleSheet(f"color: {tokens.line};")
        self._fit()
