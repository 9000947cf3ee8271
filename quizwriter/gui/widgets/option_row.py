"""A row of options of which one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.layouts import WrappingLayout


class OptionRow(QWidget):
    """Some options in a row, of which one is chosen; ``chosen`` says that it is another one now."""

    chosen = Signal()

    def __init__(self, theme: Theme, options: Sequence[tuple[str, str, str]]) -> None:
        """``options`` are values, each with its title and a tool tip; the first one is chosen."""
        super().__init__()
        self._theme = theme
        self.value = options[0][0]
        self._buttons: dict[str, QToolButton] = {}
        for value, title, tip in options:
            button = named(QToolButton(), tip, tip)
            button.setText(title)
            button.setCheckable(True)
            button.clicked.connect(partial(self._pick, value))
            self._buttons[value] = button
        self.setLayout(WrappingLayout(tuple(self._buttons.values()), spacing=2))
        theme.follow(self._apply_theme)

    def choose(self, value: str) -> None:
        self._pick(value)

    def _pick(self, value: str, _: bool = False) -> None:
        changed, self.value = value != self.value, value
        self._apply_theme()
        if changed:
            self.chosen.emit()

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        current = mixed(tokens.accent, tokens.chrome, 0.16)
        for value, button in self._buttons.items():
            button.setChecked(value == self.value)
            button.setFont(self._theme.font(bold=value == self.value))
            button.setStyleSheet(
                f"QToolButton {{ color: {tokens.soft}; padding: 3px 8px; }}"
                f"QToolButton:checked {{ color: {tokens.ink}; background: {current}; }}"
            )
