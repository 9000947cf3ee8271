"""*Help > The players*: what each player is, in a paragraph."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QWidget

from quizwriter.domain.players import PLAYERS
from quizwriter.gui.help_texts import BUZZERS
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import scrolling
from quizwriter.gui.widgets.layouts import column_of


class PlayersDialog(Dialog):
    """A paragraph for each player; those that play come first, and each heading says whether one plays."""

    def __init__(self, theme: Theme, playing: Collection[str], parent: QWidget | None = None) -> None:
        super().__init__(theme, "The players", parent, size=(560, 600))
        inside = QWidget()
        column = column_of(on=inside, margins=(0, 0, 8, 0), spacing=4)
        for kind in sorted(PLAYERS.values(), key=lambda one: one.name not in playing):
            away = "" if kind.name in playing else ", which is off"
            column.addWidget(self.label(f"{kind.title}{away}", TextStyle.HEADING))
            column.addWidget(self.label(kind.about))
            column.addSpacing(8)
        column.addWidget(self.label("When they buzz", TextStyle.HEADING))
        column.addWidget(self.label(BUZZERS))
        column.addStretch(1)
        area = scrolling(inside, by_keys=True)
        area.setAccessibleName("The players")
        self.body.addWidget(area, 1)
        area.setFocus()
