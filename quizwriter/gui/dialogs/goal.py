"""*Review > Buzz goal…*: before which share of the words no player is to buzz."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from quizwriter.domain.style_sheet import NO_GOAL_AT_ALL, BuzzGoal
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, number_box
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, row_of
from quizwriter.workflow.rewrite_offers import USUAL_GOAL
from quizwriter.workflow.wording import player_title


class GoalForm(QWidget):
    """A player or all, and the per cent of the words; 0 is no goal."""

    def __init__(self, players: Sequence[str], goal: BuzzGoal | None = None) -> None:
        super().__init__()
        self.player = choice_box("Player of the goal")
        self.player.addItem("No player", "")
        for name in players:
            self.player.addItem(f"Not {player_title(name)}", name)
        self.per_cent = number_box(
            "Per cent of the words", 0, 100, value=USUAL_GOAL, unit=" %", special="no goal"
        )
        self.per_cent.setSingleStep(5)
        if goal is not None:
            self.show_goal(goal)
        row = row_of(on=self, margins=NO_MARGINS, spacing=8)
        before: QLabel = plain_label("before", wrap=False)
        after = plain_label("of the words", wrap=False)
        for widget in (self.player, before, self.per_cent, after):
            row.addWidget(widget)
        row.addStretch(1)
        for label in (before, after):
            policy = label.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            label.setSizePolicy(policy)
        self._words = (before, after)
        self.per_cent.valueChanged.connect(lambda _: self._show_words())
        self._show_words()

    def _show_words(self) -> None:
        """Say before which words, if there is a goal."""
        there = self.per_cent.value() > 0
        self.player.setEnabled(there)
        for label in self._words:
            label.setVisible(there)

    def show_goal(self, goal: BuzzGoal) -> None:
        """Show ``goal``; a player that is not here is offered, too."""
        if goal.player and self.player.findData(goal.player) < 0:
            self.player.addItem(f"Not {player_title(goal.player)}", goal.player)
        self.player.setCurrentIndex(max(0, self.player.findData(goal.player)))
        self.per_cent.setValue(goal.per_cent)

    @property
    def goal(self) -> BuzzGoal:
        return BuzzGoal(self.per_cent.value(), str(self.player.currentData() or ""))


class GoalDialog(Dialog):
    """Asks for the goal of a tossup; ``chosen`` carries it."""

    chosen = Signal(object)

    def __init__(
        self, theme: Theme, players: Sequence[str], goal: BuzzGoal | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "Buzz goal", parent, width=440)
        waived = goal is not None and goal.is_waived
        self.form = GoalForm(players, None if waived else goal)
        self.waived = QCheckBox("No goal for this tossup")
        self.waived.toggled.connect(self.form.setDisabled)
        self.waived.setChecked(waived)
        self.body.addWidget(self.label("How late should the players buzz on this tossup?", TextStyle.HEADING))
        self.body.addWidget(self.form)
        self.body.addWidget(self.waived)
        self.body.addWidget(
            self.label(
                "The time line shows the goal as a dotted line. 0 %: use the set's goal.", TextStyle.CAPTION
            )
        )
        self.add_primary("Set the goal", self._choose)
        self.name_close_button("Cancel")

    def _choose(self) -> None:
        self.chosen.emit(NO_GOAL_AT_ALL if self.waived.isChecked() else self.form.goal)
        self.accept()
