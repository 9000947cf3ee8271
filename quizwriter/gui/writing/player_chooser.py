"""A row of players of whom one is current."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme, restyle
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import WrappingLayout
from quizwriter.workflow.wording import player_title


class PlayerChooser(QWidget):
    """A row of players of whom one is current; ``player_chosen`` carries the name of another one."""

    player_chosen = Signal(str)

    def __init__(self, theme: Theme, what: str) -> None:
        """``what`` of them is chosen, for those who do not see it."""
        super().__init__()
        self._theme = theme
        self._what = what
        self._names: tuple[str, ...] = ()
        self._current = ""
        self._buttons: dict[str, QToolButton] = {}
        self._row = WrappingLayout((), spacing=2)  # five players do not fit beside each other in 270 pixels
        self.setLayout(self._row)
        self.hide()
        theme.changed.connect(self._apply_theme)

    def show_players(self, names: tuple[str, ...], current: str) -> None:
        """Offer ``names``, of whom ``current`` is shown; nothing where there is no choice."""
        if (names, current) == (self._names, self._current):
            return
        if names != self._names:
            self._names = names
            for button in self._buttons.values():
                button.hide()
                self._row.removeWidget(button)
                button.deleteLater()
            self._buttons = {name: self._button(name) for name in names}
        self._current = current
        for name, button in self._buttons.items():
            button.setChecked(name == current)
        self.setVisible(len(names) > 1)
        self._apply_theme()

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        title = player_title(name)
        button.setText(title)
        button.setCheckable(True)
        button.setToolTip(plain_tooltip(f"Show {self._what} of {player_title(name)}"))
        button.setAccessibleName(f"{title}, {self._what}")
        button.clicked.connect(lambda _=False: self._pick(name))
        self._row.addWidget(button)
        return button

    def _pick(self, name: str) -> None:
        for other, button in self._buttons.items():
            button.setChecked(other == self._current)  # until the window says otherwise
        if name != self._current:
            self.player_chosen.emit(name)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        current = mixed(tokens.accent, tokens.page, 0.14)
        for name, button in self._buttons.items():
            button.setFont(self._theme.font(bold=name == self._current))
            restyle(
                button,
                f"QToolButton {{ color: {tokens.soft}; padding: 2px 8px; }}"
                f"QToolButton:checked {{ color: {tokens.ink}; background: {current}; }}",
            )
