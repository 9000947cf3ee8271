"""The line at the bottom of the window: the analysis, the size of the draft, whether it is saved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import ElidedLabel, plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import row_of
from quizwriter.workflow.goals import speaking_time
from quizwriter.workflow.wording import counted_noun

EDGE, SPACING = 16, 24
"""Pixels beside all parts, and between two of them."""


class StatusLine(QWidget):
    """The analysis in one sentence, the problems, the size of the draft, and whether it is saved."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._told = self._shown = self._tip = ""
        self._in_full = True  # the length has room for more than the words
        self._lengths = (0, 0, 0, 0)  # characters, words, seconds, and the words that a draft may have
        self._sentence = named(ElidedLabel(), "Analysis")
        self._doing = plain_label(wrap=False)
        self._doing.hide()
        self.problems = QToolButton()
        self.problems.setAutoRaise(True)
        self.problems.setCursor(Qt.CursorShape.PointingHandCursor)
        self.problems.setToolTip("Hide or show the problems (Ctrl+F8); F8 goes to the next one")
        self._size = plain_label(wrap=False)
        self._saved = plain_label(wrap=False)
        row_of(
            (self._sentence, 1),
            self._doing,
            self.problems,
            self._size,
            self._saved,
            on=self,
            margins=(EDGE, 2, EDGE, 2),
            spacing=SPACING,
        )
        theme.follow(self._apply_theme)
        policy = self.problems.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # or the draft would be higher until they are counted
        self.problems.setSizePolicy(policy)
        self.show_problems(None)

    @property
    def sentence(self) -> str:
        return self._told

    @property
    def accessible_sentence(self) -> str:
        """What a screen reader reads: what is said of the draft, or of an action in an open menu."""
        return self._sentence.accessibleDescription()

    @property
    def length(self) -> str:
        return self._size.text()

    @property
    def saved(self) -> str:
        return self._saved.text()

    @property
    def shown(self) -> str:
        """The part of the sentence that is painted."""
        return self._sentence.text()

    def tell(self, sentence: str, *, shown: str = "") -> None:
        """Say ``sentence``; paint ``shown`` in its place, if the eye has the rest elsewhere."""
        self._told, self._shown = sentence, shown
        self._say()

    def _say(self) -> None:
        text = self._tip or self._shown or self._told
        self._sentence.setText(text)
        if not self._tip and self._shown:
            self._sentence.setAccessibleDescription(" ".join((self._shown, self._told)))
            self._sentence.setToolTip(plain_tooltip(f"{self._shown}\n{self._told}"))
        self._make_room()

    def show_tip(self, tip: str) -> None:
        """Say what the action does that the writer looks at in a menu, until ``tip`` is empty."""
        self._tip = tip
        self._say()

    def show_activity(self, text: str) -> None:
        if text != self._doing.text():
            self._doing.setText(text)
            self._doing.setVisible(bool(text))
            self._make_room()

    @property
    def doing(self) -> str:
        return self._doing.text()

    def count(self, characters: int, words: int, seconds: int, longest: int = 0) -> None:
        """Say how long the draft is, how many ``seconds`` it takes to read it aloud, and what is too long.

        A draft of more than ``longest`` words is too long; 0: none is.
        """
        self._lengths = characters, words, seconds, longest
        self._show_lengths()

    def _show_lengths(self) -> None:
        text, short = self._length_texts()
        before, shown = self._size.text(), text if self._in_full else short
        self._show_length(shown, text)
        if len(shown) != len(before):  # not after most keys, which change a digit
            self._make_room()

    def _length_texts(self) -> tuple[str, str]:
        characters, words, seconds, longest = self._lengths
        over = f" ({words - longest:,} too many)" if longest and words > longest else ""
        aloud, counted = speaking_time(seconds), f"{counted_noun(words, 'word')}{over}"
        return f"{counted_noun(characters, 'character')}, {counted}, {aloud} aloud", f"{counted}, {aloud}"

    def _show_length(self, shown: str, text: str) -> None:
        if shown != self._size.text():
            self._size.setText(shown)
            self._size.setToolTip(plain_tooltip(text))
            self._size.setAccessibleName(text)

    def _make_room(self) -> None:
        """Say the length as far as there is room beside the sentence; one that is too long stays."""
        _, words, _, longest = self._lengths
        text, short = self._length_texts()
        beside = [one.sizeHint().width() for one in (self._doing, self.problems) if one.text()]
        taken = sum(beside) + self._saved.minimumWidth() + SPACING * (len(beside) + 2) + 2 * EDGE
        sentence = QFontMetricsF(self._sentence.font()).horizontalAdvance(self._sentence.text())
        room, metrics = self.width() - taken - sentence, QFontMetricsF(self._size.font())
        self._in_full = metrics.horizontalAdvance(text) <= room
        shown = text if self._in_full else short
        self._show_length(shown, text)
        self._size.setVisible(0 < longest < words or metrics.horizontalAdvance(shown) <= room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def show_problems(self, count: int | None) -> None:
        """Say how many problems there are; None while that is not known."""
        self.problems.setHidden(count is None)
        text = counted_noun(count, "problem") if count else "No problems"
        if text != self.problems.text():
            self.problems.setText(text)
            self.problems.setAccessibleName(text)
            self._make_room()

    def show_save_state(self, text: str) -> None:
        if text != self._saved.text():
            self._saved.setText(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self._theme.tokens.line), 1))
        painter.drawLine(0, 0, self.width(), 0)

    def _apply_theme(self) -> None:
        for label in (self._doing, self.problems, self._size, self._saved):
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")
        self._saved.setMinimumWidth(64)
        self._saved.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._make_room()
