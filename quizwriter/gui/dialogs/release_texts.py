"""What an editor looks at before texts of people are released: their remarks, and names that were found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QPlainTextEdit, QTreeWidget, QTreeWidgetItem, QWidget

from quizwriter.challenge.name_search import NameMatch
from quizwriter.challenge.reports import ExportRehearsal
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.workflow.wording import counted_noun, sentence

REMARKS_EXPLANATION = (
    "These comments, notes and reasons would be released, under pseudonyms. Their writers wrote them to "
    "colleagues: ask them first."
)
NAMES_EXPLANATION = (
    "These words may name a writer. Tick a line if its words mean somebody or something else; that is kept "
    "for later exports. Change the text of each other line, and export again."
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
    """Shows the names that stopped an export; ``decided`` carries the keys of those of somebody else."""

    decided = Signal(list)

    def __init__(self, theme: Theme, matches: Sequence[NameMatch], parent: QWidget | None = None) -> None:
        super().__init__(theme, "Names in texts to be released", parent, size=(760, 480))
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels(["Somebody else: words", "Like the writer", "Where", "In the text"])
        self.tree.setAccessibleName("Names")
        self.tree.setRootIsDecorated(False)
        self.tree.setStyleSheet("QTreeWidget::item { padding: 4px 2px; }")
        for one in matches:
            item = QTreeWidgetItem([one.found, one.name, one.place, one.context])
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(0, Qt.CheckState.Unchecked)
            item.setData(0, Qt.ItemDataRole.UserRole, one.key)
            for column, text in ((2, one.place), (3, one.context)):
                item.setToolTip(column, plain_tooltip(text))
            self.tree.addTopLevelItem(item)
        header = self.tree.header()
        for column, width in enumerate((170, 130, 190)):
            header.resizeSection(column, width)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.itemChanged.connect(self._show_ready_keys)
        self.counted = self.label()
        self.body.addWidget(self.label(NAMES_EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.tree, 1)
        self.body.addWidget(self.counted)
        self.name_close_button("Cancel")
        self.add_aside("Tick all", self._tick_all)
        self.add_primary("Keep and export again", self._decide)
        self._show_ready_keys()

    @property
    def keys(self) -> list[str]:
        items = (self.tree.topLevelItem(at) for at in range(self.tree.topLevelItemCount()))
        return [
            str(item.data(0, Qt.ItemDataRole.UserRole))
            for item in items
            if item is not None and item.checkState(0) == Qt.CheckState.Checked
        ]

    def _tick_all(self) -> None:
        for at in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(at)
            if item is not None:
                item.setCheckState(0, Qt.CheckState.Checked)

    def _show_ready_keys(self) -> None:
        ticked, lines = len(self.keys), self.tree.topLevelItemCount()
        self.counted.setText(f"{ticked:,} of {counted_noun(lines, 'line')} ticked.")
        self.set_ready(ticked > 0)

    def _decide(self) -> None:
        self.decided.emit(self.keys)
        self.accept()
