"""What an editor looks at before texts of people are released: their remarks, and names that were found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from quizwriter.challenge.name_decisions import NameGroup
from quizwriter.challenge.reports import ExportRehearsal
from quizwriter.domain.review import NameVerdict
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import named, widen_columns
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import STRETCH, row_of
from quizwriter.workflow.wording import counted_noun, sentence

REMARKS_EXPLANATION = (
    "These comments, notes and reasons would be released, under pseudonyms. Their writers wrote them to "
    "colleagues: ask them first."
)
NAMES_EXPLANATION = (
    "These words may name a writer. Decide once for each name; the decision is kept with the tossups. The "
    "texts with a writer's name have to be changed before they can be exported."
)
NOBODY = "A person without a name"


def _by_person(found: ExportRehearsal) -> Iterator[str]:
    """The remarks, whole: the person, and below what each text is and the text."""
    for person, remarks in groupby(found.remarks, key=lambda one: one.person):
        said = list(remarks)
        yield f"{found.people.get(person) or NOBODY} ({len(said):,})"
        for one in said:
            yield f"{sentence(one.kind)} on {one.title}:\n{one.text}"


class RemarksDialog(Dialog):
    """Shows each remark that would be released, by person; accepted when the editor goes on."""

    def __init__(self, theme: Theme, found: ExportRehearsal, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Comments and reasons to be released", parent, size=(760, 480))
        self.texts = named(QPlainTextEdit("\n\n".join(_by_person(found))), "Comments and reasons, by person")
        self.texts.setReadOnly(True)
        self.body.addWidget(self.label(REMARKS_EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.texts, 1)
        writers = len({one.person for one in found.remarks})
        by = "one person" if writers == 1 else f"{writers:,} people"
        self.body.addWidget(self.label(f"{counted_noun(len(found.remarks), 'text')} by {by}."))
        self.name_close_button("Cancel")
        self.add_primary("Export with these texts…", self.accept)


class NamesDialog(Dialog):
    """Asks once for each name in texts to be released whose it is; ``decided`` carries a dict of verdicts."""

    decided = Signal(dict)

    def __init__(
        self, theme: Theme, groups: Sequence[NameGroup], keep: str, parent: QWidget | None = None
    ) -> None:
        """``keep`` is the text of the button that keeps the decisions."""
        super().__init__(theme, "Names in texts to be released", parent, size=(980, 520))
        self._groups = tuple(groups)
        self._verdicts: dict[str, NameVerdict] = {}
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels(["Name", "Resembles", "Where", "In the text", "Decision"])
        self.tree.setAccessibleName("Names")
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setStyleSheet("QTreeWidget::item { padding: 4px 2px; }")
        for group in self._groups:
            self.tree.addTopLevelItem(_item_of(group))
        header = self.tree.header()
        header.setStretchLastSection(False)
        widen_columns(self.tree, theme.px, 120, 110, 185, 100, 115)
        header.setSectionResizeMode(_CONTEXT, QHeaderView.ResizeMode.Stretch)
        self.tree.itemSelectionChanged.connect(self._show_state)
        self.buttons = {
            verdict: outlined(title, partial(self._give, verdict))
            for verdict, title in (
                (NameVerdict.THIS_PERSON, "This writer"),
                (NameVerdict.ANOTHER_PERSON, "Another person"),
                (NameVerdict.NEVER_RELEASE, "Never release"),
            )
        }
        for verdict, tip in _TIPS.items():
            self.buttons[verdict].setToolTip(plain_tooltip(tip))
        self.counted = self.label()
        self.body.addWidget(self.label(NAMES_EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.tree, 1)
        self.body.addLayout(
            row_of(plain_label("The selected names mean:", wrap=False), *self.buttons.values(), STRETCH)
        )
        self.body.addWidget(self.counted)
        self.name_close_button("Cancel")
        self.add_aside("Select all", self.tree.selectAll)
        self.add_primary(keep, self._decide)
        if (first := self.tree.topLevelItem(0)) is not None:
            self.tree.setCurrentItem(first)
        self._show_state()

    @property
    def _selected(self) -> list[int]:
        """The places of the groups of which a line is selected."""
        tops = (item.parent() or item for item in self.tree.selectedItems())
        return sorted({self.tree.indexOfTopLevelItem(item) for item in tops})

    def _give(self, verdict: NameVerdict) -> None:
        for at in self._selected:
            group, item = self._groups[at], self.tree.topLevelItem(at)
            if item is not None and (verdict is not NameVerdict.ANOTHER_PERSON or group.may_pass):
                self._verdicts[group.words] = verdict
                item.setText(_DECISION, sentence(verdict))
        self._show_state()

    def _show_state(self) -> None:
        chosen = [self._groups[at] for at in self._selected]
        for verdict, button in self.buttons.items():
            passes = verdict is not NameVerdict.ANOTHER_PERSON or all(one.may_pass for one in chosen)
            button.setEnabled(bool(chosen) and passes)
        names = counted_noun(len(self._groups), "name")
        decided = sum(one.words in self._verdicts or one.verdict is not None for one in self._groups)
        self.counted.setText(f"{decided:,} of {names} decided.")
        self.set_ready(bool(self._verdicts))

    def _decide(self) -> None:
        self.decided.emit(self._verdicts)
        self.accept()


_CONTEXT, _DECISION = 3, 4  # the columns of the words around the name, and of the decision

_TIPS = {
    NameVerdict.THIS_PERSON: "Nothing is exported until these texts are changed",
    NameVerdict.ANOTHER_PERSON: "These words may be released",
    NameVerdict.NEVER_RELEASE: "Tossups with this name are left out of releases",
}


def _item_of(group: NameGroup) -> QTreeWidgetItem:
    """A line for a name, and below it one for each place."""
    first, more = group.matches[0], len(group.matches) - 1
    where = f"{first.place}, and {counted_noun(more, 'more place')}" if more else first.place
    decided = sentence(group.verdict) if group.verdict is not None else ""
    item = QTreeWidgetItem([group.words, ", ".join(group.people), where, first.context, decided])
    places = [QTreeWidgetItem(["", "", one.place, one.context]) for one in group.matches[:_PLACES]]
    if more:
        item.addChildren(places)
    for line in (item, *(places if more else ())):
        for column in (1, 2, _CONTEXT):
            line.setToolTip(column, plain_tooltip(line.text(column)))
    return item


_PLACES = 100
"""So many places of a name are listed below it."""
