"""The dialog for the style sheet of a set: rules on or off, lengths, spelling, buzz rule, goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QSpinBox, QTreeWidget, QTreeWidgetItem, QWidget

from quizwriter.domain.style_sheet import NO_GOAL, STANDARD_STYLE, PointsPhrase, Powers, Spelling, StyleSheet
from quizwriter.gui.dialogs.goal import GoalForm
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog
from quizwriter.gui.widgets.fields import choice_box, number_box, text_line
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import STRETCH, FieldRows, row_of
from quizwriter.workflow.problems.rules import RULES


class _BuzzRule(StrEnum):
    """Whose rule says when players buzz."""

    OF_WRITER = "as in each writer's Preferences"
    OWN = "each by its own rule"
    SAME = "all once a guess has a chance of"


T = TypeVar("T", Spelling, PointsPhrase, Powers, _BuzzRule)

_SPELLINGS = {
    Spelling.EITHER: "British or American",
    Spelling.AMERICAN: "American",
    Spelling.BRITISH: "British",
}
_PHRASES = {PointsPhrase.FIGURES: "For 10 points", PointsPhrase.WORDS: "For ten points"}
_POWERS = {
    Powers.AS_OTHERS: "expected if most tossups of the set have one",
    Powers.EXPECTED: "expected in every tossup",
    Powers.NONE: "none",
}
_BUZZ_RULES = {rule: str(rule) for rule in _BuzzRule}
USUAL_CHANCE = 50
LONGEST_WORDS = 2_000
LONGEST_WORD_LIST = 100_000


class StyleSheetDialog(Dialog):
    """Shows and changes the style sheet of a set. ``saved`` carries the new :class:`StyleSheet`."""

    saved = Signal(object)

    def __init__(
        self,
        theme: Theme,
        set_name: str,
        sheet: StyleSheet,
        players: Sequence[str] = (),
        parent: QWidget | None = None,
    ) -> None:
        """The style ``sheet`` of the set; its goal can name one of the ``players``."""
        super().__init__(theme, "Style sheet", parent, size=(640, 700))
        of = f"the set {set_name}" if set_name else "tossups in no set"
        self.body.addWidget(
            self.label(
                f"The rules for {of}. Everyone who gets these tossups uses them, whatever their "
                "Preferences are."
            )
        )
        self.shortest, self.longest = self._words("Shortest tossup"), self._words("Longest tossup")
        self.longest_sentence = self._words("Longest sentence")
        self.spelling = self._choice("Spelling", _SPELLINGS)
        self.points = self._choice("Phrase before the last clue", _PHRASES)
        self.powers = self._choice("Power marks", _POWERS)
        self.buzz_rule = self._choice("When players buzz", _BUZZ_RULES)
        self.chance = number_box("Chance at which all players buzz", 1, 99, value=USUAL_CHANCE, unit=" %")
        self.buzz_rule.currentIndexChanged.connect(lambda _: self._enable_chance())
        self.goal = GoalForm(players, sheet.goal)
        self.words = text_line(
            "Words of the set",
            "Correctly spelled names and terms, separated by spaces",
            longest=LONGEST_WORD_LIST,
        )
        lengths = row_of(
            self.shortest,
            plain_label("to", wrap=False),
            self.longest,
            (plain_label("words", wrap=False), 1),
            spacing=8,
        )
        buzzing = row_of(self.buzz_rule, self.chance, STRETCH, spacing=8)
        form = FieldRows()
        form.add("Length of a tossup", lengths)
        form.add("Longest sentence", self.longest_sentence)
        form.add("Spelling", self.spelling)
        form.add("Before the last clue", self.points)
        form.add("Power marks", self.powers)
        form.add("Players buzz", buzzing)
        form.add("Buzz goal", self.goal)
        form.add("Words of the set", self.words)
        self.body.addLayout(form)
        self.rules = QTreeWidget()
        self.rules.setAccessibleName("Rules")
        self.rules.setColumnCount(2)
        self.rules.setHeaderLabels(["Rule", "What it finds"])
        self.rules.setRootIsDecorated(False)
        self.rules.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for rule in RULES.values():
            item = QTreeWidgetItem([rule.title, _example(rule.wrong)])
            item.setData(0, Qt.ItemDataRole.UserRole, rule.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setToolTip(
                1, plain_tooltip(f"Finds: {rule.wrong}\nCorrect: {rule.right}" if rule.wrong else "")
            )
            self.rules.addTopLevelItem(item)
        self.rules.resizeColumnToContents(0)
        self.body.addWidget(self.rules, 1)
        self._unknown: tuple[str, ...] = ()  # changed rules of another version
        self.add_aside("Standard style", lambda: self.show_sheet(STANDARD_STYLE))
        self.add_primary("Save", self.save)
        self.name_close_button("Cancel")
        self.show_sheet(sheet)

    def show_sheet(self, sheet: StyleSheet) -> None:
        """Show ``sheet``; what it says of rules that this version does not know is kept."""
        self._unknown = tuple(name for name in sheet.changed if name not in RULES)
        self.shortest.setValue(sheet.shortest)
        self.longest.setValue(sheet.longest)
        self.longest_sentence.setValue(sheet.longest_sentence)
        self.spelling.setCurrentIndex(self.spelling.findData(sheet.spelling))
        self.points.setCurrentIndex(self.points.findData(sheet.points))
        self.powers.setCurrentIndex(self.powers.findData(sheet.powers))
        percent = sheet.buzz_percent
        buzzing = _BuzzRule.OF_WRITER if percent is None else _BuzzRule.SAME if percent else _BuzzRule.OWN
        self.buzz_rule.setCurrentIndex(self.buzz_rule.findData(buzzing))
        self.chance.setValue(percent or USUAL_CHANCE)
        self._enable_chance()
        self.goal.show_goal(sheet.goal)
        self.words.setText(" ".join(sheet.words))
        for number, rule in enumerate(RULES.values()):
            item = self.rules.topLevelItem(number)
            assert item is not None
            on = rule.is_on(sheet)
            item.setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    @property
    def sheet(self) -> StyleSheet:
        changed = []
        for number, rule in enumerate(RULES.values()):
            item = self.rules.topLevelItem(number)
            assert item is not None
            if (item.checkState(0) is Qt.CheckState.Checked) != rule.default:
                changed.append(rule.name)
        return StyleSheet(
            (*changed, *self._unknown),
            self.shortest.value(),
            max(self.shortest.value(), self.longest.value()),
            self.longest_sentence.value(),
            Spelling(self.spelling.currentData()),
            PointsPhrase(self.points.currentData()),
            Powers(self.powers.currentData()),
            tuple(dict.fromkeys(self.words.text().split())),
            self._buzz_percent,
            self.goal.goal if self.goal.goal.is_set else NO_GOAL,
        )

    @property
    def _buzz_percent(self) -> int | None:
        rule = _BuzzRule(self.buzz_rule.currentData())
        if rule is _BuzzRule.SAME:
            return self.chance.value()
        return None if rule is _BuzzRule.OF_WRITER else 0

    def _enable_chance(self) -> None:
        self.chance.setVisible(self.buzz_rule.currentData() == _BuzzRule.SAME)

    def save(self) -> None:
        sheet = self.sheet
        self.accept()
        self.saved.emit(sheet)

    def _words(self, name: str) -> QSpinBox:
        return number_box(name, 1, LONGEST_WORDS)

    def _choice(self, name: str, titles: Mapping[T, str]) -> QComboBox:
        box = choice_box(name)
        for value, title in titles.items():
            box.addItem(title, value)
        return box


def _example(text: str) -> str:
    """The beginning of an example, as long as a column shows it."""
    return text if len(text) <= 70 else f"{text[:66]} …"
