"""The bar under the draft that finds words in it and replaces them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QToolButton, QWidget

from quizwriter.domain.span import Span
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import named, text_line
from quizwriter.gui.widgets.icons import Icon, IconButton
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import WrappingLayout
from quizwriter.gui.writing.draft import DraftPane
from quizwriter.gui.writing.draft_marks import Underline, UnderlinedStretch
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.workflow.replacing import TextSearch

OWNER = "find"
"""Whose underlines the matches are."""

NARROW_PX = 460
"""Pixels; with less, the buttons stand below the fields."""

MOST_MARKED = 200
"""Matches that are underlined; the others are found all the same."""


class FindBar(QWidget):
    """Finds words in the draft, marks all matches, and replaces one or all of them.

    The draft stays where it is while the bar comes and goes. ``left`` says that the keyboard goes back to the
    draft, ``set_wanted`` carries the search and the new words that are wanted in other tossups, too.
    """

    left = Signal()
    set_wanted = Signal(object, str)

    def __init__(self, theme: Theme, draft: DraftPane) -> None:
        super().__init__()
        self._theme, self._draft = theme, draft
        self._matches: tuple[Span, ...] = ()
        self._at = -1  # the match that is selected
        self.words = _field("Find", "Find in this tossup")
        self.new_words = _field("Replace with", "Replace with")
        self.found = plain_label(wrap=False)
        self.match_case = IconButton(theme, Icon.MATCH_CASE, "Match case")
        self.whole_words = IconButton(theme, Icon.WHOLE_WORDS, "Whole words only")
        for toggle in (self.match_case, self.whole_words):
            toggle.setCheckable(True)
        self.back = IconButton(theme, Icon.LEFT, "Previous match (Shift+F3)", lambda: self.go(-1))
        self.on = IconButton(theme, Icon.RIGHT, "Next match (F3)", lambda: self.go(1))
        self.replace_one = _button("Replace", "Replace this match", self.replace)
        self.replace_every = _button("All", "Replace all matches in this tossup", self.replace_all)
        self.in_set = _button("In the set…", "Find and replace in all tossups of a set", self._want_set)
        close = IconButton(theme, Icon.CLOSE, "Close (Esc)", self.close_bar)
        self._finds = _row(self.match_case, self.whole_words, self.back, self.on, close)
        self._replaces = _row(self.replace_one, self.replace_every, self.in_set)
        self._grid = QGridLayout(self)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._narrow: bool | None = None
        self._replacing = (self.new_words, self._replaces)
        self.words.textChanged.connect(lambda _: self._search(select=True))
        self.match_case.toggled.connect(lambda _: self._search(select=True))
        self.whole_words.toggled.connect(lambda _: self._search(select=True))
        for field in (self.words, self.new_words):
            field.installEventFilter(self)
        draft.edited.connect(lambda *_: self._search())
        theme.follow(self._apply_theme)
        self.align(52, 12)
        self._order_by_tab(close)
        self.hide()

    @property
    def search(self) -> TextSearch:
        from quizwriter.workflow.replacing import TextSearch  # late: not needed at start

        return TextSearch(self.words.text(), self.match_case.isChecked(), self.whole_words.isChecked())

    def align(self, left: int, right: int) -> None:
        self._grid.setContentsMargins(left, 4, right, 4)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        margins = self._grid.contentsMargins()
        narrow = self.width() - margins.left() - margins.right() < NARROW_PX
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for widget in (self.words, self.found, self._finds, self.new_words, self._replaces):
            self._grid.removeWidget(widget)
        self._grid.addWidget(self.words, 0, 0)
        self._grid.addWidget(self.found, 0, 1)
        if narrow:
            self._grid.addWidget(self._finds, 1, 0, 1, 2)
            self._grid.addWidget(self.new_words, 2, 0, 1, 2)
            self._grid.addWidget(self._replaces, 3, 0, 1, 2)
        else:
            self._grid.addWidget(self._finds, 0, 2)
            self._grid.addWidget(self.new_words, 1, 0)
            self._grid.addWidget(self._replaces, 1, 1, 1, 2)

    def _order_by_tab(self, close: QWidget) -> None:
        """From the words to the new words, as in word processors; the buttons come after both fields."""
        replaces = (self.new_words, self.replace_one, self.replace_every, self.in_set)
        finds = (self.match_case, self.whole_words, self.back, self.on, close)
        for before, after in pairwise((self.words, *replaces, *finds)):
            QWidget.setTabOrder(before, after)

    def open_bar(self, *, replace: bool = False) -> None:
        """Show the bar, with what is selected in the draft as the words; ``replace``: with both fields."""
        selected = self._draft.selected.of(self._draft.text)
        for widget in self._replacing:
            widget.setVisible(replace)
        self.show()
        if selected and "\n" not in selected:
            self.words.setText(selected)
        self._search(select=True)
        self.words.setFocus()
        self.words.selectAll()

    def close_bar(self) -> None:
        """Hide the bar and its marks, and go back to the draft."""
        self.hide_bar()
        self.left.emit()

    def hide_bar(self) -> None:
        """Hide the bar and its marks; the keyboard stays where it is."""
        self.hide()
        self._draft.show_underlined(OWNER, ())

    def open_tossup(self) -> None:
        self._at = -1
        self._search()

    def go(self, by: int) -> None:
        """Select the next match, or the one before; after the last comes the first."""
        if not self.isVisible():
            self.open_bar()
            return
        if not self._matches:
            return
        selected = self._draft.selected
        if 0 <= self._at < len(self._matches) and self._matches[self._at] == selected:
            self._select((self._at + by) % len(self._matches))
            return
        if by > 0:
            later = (at for at, one in enumerate(self._matches) if one.start >= selected.start)
            self._select(next(later, 0))
        else:
            earlier = [at for at, one in enumerate(self._matches) if one.end <= selected.start]
            self._select(earlier[-1] if earlier else len(self._matches) - 1)

    def replace(self) -> None:
        """Replace the selected match and go to the next one; without one, go to the next."""
        selected = self._draft.selected
        if selected not in self._matches:
            self.go(1)
            return
        new = self.new_words.text()
        edits = [
            one for one in self.search.replacements(self._draft.text, new) if one.start == selected.start
        ]
        self._draft.make_step(edits)
        at = selected.start + len(new)
        self._draft.select(Span(at, at))
        self._at = -1
        self.go(1)

    def replace_all(self) -> None:
        """Replace all matches, as one step of undo."""
        before = self._draft.text
        edits = self.search.replacements(before, self.new_words.text())
        self._draft.make_step(edits)
        if self._draft.text != before:  # a locked draft takes none
            done = counted_noun(len(edits), "match", "matches")
            self.found.setText(f"{done} replaced")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if watched is self.new_words:
                    self.replace()
                else:
                    self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
        return super().eventFilter(watched, event)

    def _want_set(self) -> None:
        self.set_wanted.emit(self.search, self.new_words.text())

    def _search(self, *, select: bool = False) -> None:
        if self.isHidden():
            return
        self._matches = self.search.matches(self._draft.text)
        if select and self._matches:
            start = self._draft.selected.start
            later = (at for at, one in enumerate(self._matches) if one.start >= start)
            self._select(next(later, 0))
            return
        self._at = self._matches.index(self._draft.selected) if self._draft.selected in self._matches else -1
        self._show()

    def _select(self, at: int) -> None:
        self._at = at
        self._draft.select(self._matches[at])
        self._show()

    def _show(self) -> None:
        count = len(self._matches)
        if not self.words.text():
            said = ""
        elif not count:
            said = "Not found"
        else:
            said = (
                f"{self._at + 1} of {count:,}" if self._at >= 0 else counted_noun(count, "match", "matches")
            )
        self.found.setText(said)
        for button in (self.back, self.on, self.replace_one, self.replace_every):
            button.setEnabled(count > 0)
        self._draft.show_underlined(
            OWNER,
            [
                UnderlinedStretch(span, Underline.DOTTED, "", current=at == self._at)
                for at, span in enumerate(self._matches[:MOST_MARKED])
            ],
        )

    def _apply_theme(self) -> None:
        self.found.setFont(self._theme.font(small=True))
        self.found.setStyleSheet(f"color: {self._theme.tokens.soft};")
        self.found.setMinimumWidth(72)


def _row(*widgets: QWidget) -> QWidget:
    whole = QWidget()
    whole.setLayout(WrappingLayout(widgets))
    return whole


def _field(name: str, hint: str) -> QLineEdit:
    return text_line(name, hint, longest=1_000)


def _button(text: str, tip: str, do: object) -> QToolButton:
    button = named(QToolButton(), tip, tip)
    button.setText(text)
    button.setObjectName("outlined")
    if callable(do):
        button.clicked.connect(lambda _=False: do())
    return button
