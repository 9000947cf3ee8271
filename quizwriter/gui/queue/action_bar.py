"""The bar under the queue: how many tossups there are, and what can be done with those selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.facet_button import style_facet
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import WrappingLayout
from quizwriter.workflow.wording import counted_noun

Fill = Callable[[QMenu], None]


class ActionBar(QWidget):
    """A count, and buttons whose clicks are for the window to follow."""

    def __init__(
        self, theme: Theme, menus: Sequence[tuple[str, Fill]], fill_tags: Fill, fill_more: Fill
    ) -> None:
        """A bar with the titles of ``menus`` and what fills them.

        ``fill_tags`` fills the menu beside *Tag…*, ``fill_more`` that of everything else.
        """
        super().__init__()
        self._theme = theme
        self.count_label = plain_label(wrap=False)
        self.count_label.setAccessibleName("Number of tossups")
        self.play_button = _button("Play all")
        self.play_button.setToolTip("Play every tossup whose current text the players have not played")
        self._change_buttons = [self._menu_button(title, fill) for title, fill in menus]
        self.comment_button = _button("Comment…")
        self._change_buttons.append(self.comment_button)
        self.tag_button = _button("Tag…")
        self.tag_button.setToolTip(
            "Tag the selected tossups, or all that are shown, with what makes them hard"
        )
        tags = QMenu(self.tag_button)
        tags.aboutToShow.connect(partial(fill_tags, tags))
        self.tag_button.setMenu(tags)
        self.tag_button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.more_button = self._menu_button("More", fill_more)
        buttons = (self.play_button, *self._change_buttons, self.tag_button, self.more_button)
        row = WrappingLayout((self.count_label, *buttons), wide=self.count_label, spacing=8)
        row.setContentsMargins(12, 8, 12, 8)
        self.setLayout(row)
        theme.follow(self._apply_theme)

    def show_counts(self, shown: int, selected: int, total: int | None) -> None:
        """Say how many tossups are shown and selected; ``total`` is None where no filter is set."""
        text = counted_noun(shown, "tossup")
        if total is not None and total > shown:
            text = f"{shown:,} of {counted_noun(total, 'tossup')}"
        if selected:
            text += f", {selected:,} selected"
        self.count_label.setText(text)
        for button in self._change_buttons:
            button.setEnabled(bool(selected))
            button.setToolTip("Change this for the selected tossups" if selected else "Select tossups first")
        self.tag_button.setEnabled(bool(shown))

    def show_progress(self, done: int, total: int) -> None:
        """Say how many rows are read of so many."""
        self.count_label.setText(f"Reading {done:,} of {counted_noun(total, 'row')}…")

    def show_playing(self, text: str) -> None:
        """Say on the button how far *Play all* is; a click cancels it then. Empty: nothing is played."""
        self.play_button.setText(f"{text.rstrip('…')} · Cancel" if text else "Play all")
        style_facet(self.play_button, self._theme, active=bool(text))

    def _menu_button(self, text: str, fill: Fill) -> QToolButton:
        button = _button(text)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(partial(fill, menu))
        button.setMenu(menu)
        return button

    def _apply_theme(self) -> None:
        self.count_label.setStyleSheet(f"color: {self._theme.tokens.soft};")
        for button in (self.play_button, *self._change_buttons, self.tag_button, self.more_button):
            style_facet(button, self._theme, active=False)


def _button(text: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    return button
