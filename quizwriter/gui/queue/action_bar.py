"""The bar under the queue: how many tossups there are, and what can be done with those selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.facet_button import style_facet
from quizwriter.workflow.wording import counted_noun


class ActionBar(QWidget):
    """``tag_clicked``, ``copy_clicked`` and ``export_clicked`` say which button was clicked."""

    tag_clicked = Signal()
    copy_clicked = Signal()
    export_clicked = Signal()

    def __init__(
        self,
        theme: Theme,
        menus: Sequence[tuple[str, Callable[[QMenu], None]]],
        fill_columns: Callable[[QMenu], None],
    ) -> None:
        """A bar with the titles of ``menus`` and what fills them, and a menu that ``fill_columns`` fills."""
        super().__init__()
        self._theme = theme
        self.count_label = QLabel()
        self.count_label.setAccessibleName("Number of tossups")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(self.count_label)
        row.addStretch(1)
        self._change_buttons = [self._menu_button(title, fill) for title, fill in menus]
        self._columns = self._menu_button("Columns", fill_columns)
        self.tag_button = self._button("Tag…", self.tag_clicked)
        self.tag_button.setToolTip(
            "Tag the selected tossups, or all that are shown, with what makes them hard"
        )
        self.copy_button = self._button("Copy", self.copy_clicked)
        self.copy_button.setToolTip("Copy the selected rows, or all that are shown (Ctrl+C)")
        self.export_button = self._button("Export CSV…", self.export_clicked)
        self.export_button.setToolTip("Write the selected rows, or all that are shown, to a file")
        for button in self._change_buttons:
            row.addWidget(button)
        row.addSpacing(16)
        for button in (self.tag_button, self._columns, self.copy_button, self.export_button):
            row.addWidget(button)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

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
        for button in (self.tag_button, self.copy_button, self.export_button):
            button.setEnabled(bool(shown))

    def show_progress(self, done: int, total: int) -> None:
        """Say how many rows are read of so many."""
        self.count_label.setText(f"Reading {done:,} of {counted_noun(total, 'row')}…")

    def _button(self, text: str, clicked: SignalInstance) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.clicked.connect(clicked)
        return button

    def _menu_button(self, text: str, fill: Callable[[QMenu], None]) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(partial(fill, menu))
        button.setMenu(menu)
        return button

    def _apply_theme(self) -> None:
        self.count_label.setStyleSheet(f"color: {self._theme.tokens.soft};")
        buttons = (self.tag_button, self._columns, self.copy_button, self.export_button)
        for button in (*self._change_buttons, *buttons):
            style_facet(button, self._theme, active=False)
