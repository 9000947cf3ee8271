"""*Your packets*: which packets were added, which of their questions could not be read, and removing them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from quizwriter.formats.file_formats import import_filter
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import plain_table
from quizwriter.gui.widgets.file_dialog import ask_files, ask_folder
from quizwriter.gui.widgets.labels import plain_tooltip, tree_row
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of, row_of
from quizwriter.workflow.dates import day

if TYPE_CHECKING:
    from index_builder.user_packets import PacketImport

EXPLANATION = (
    "Questions from these packets count as evidence immediately, and players can guess their answers. They "
    "stay on this computer. QuizWriter reads Word documents (.docx), plain text, JSON lines and QANTA JSON."
)
LEARNING_EXPLANATION = (
    "DAN and RNN can learn from them, too. The training takes some minutes in "
    "the background, and you can undo it."
)
LEARN, STOP_LEARNING = "&Learn from my packets", "&Stop learning"
LEARNING = "The networks are learning from your packets. You can close this window."
NO_PACKETS = "No packets have been added to this bundle yet. Add files or a folder."
FULL = 1_000
"""Steps of the bar of a learning."""
ALL_READ = "Every question was read."


class PacketsDialog(Dialog):
    """Lists the packets that were added and, for the selected one, the questions that could not be read.

    ``add_requested`` carries the paths of packets to add, ``remove_requested`` the name of one to remove.
    ``learn_requested`` asks for the networks to learn from the packets, ``unlearn_requested`` to take that
    back, ``stop_requested`` to stop them while they learn.
    """

    add_requested = Signal(object)
    remove_requested = Signal(str)
    learn_requested = Signal()
    unlearn_requested = Signal()
    stop_requested = Signal()

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Your packets", parent, size=(760, 520))
        self._added: list[PacketImport] = []
        heads = ("Packets", "Tossups", "Bonuses", "Files", "Not read", "Added")
        self.list = _tree("Packets added", heads, stretched=(0,))
        self.list.currentItemChanged.connect(self._show_report)
        self._summary = self.label()
        parts = ("File", "Place", "Problem", "Question text")
        self.report = _tree("Questions that were not read", parts, stretched=(2, 3))

        self.nothing = self.label(NO_PACKETS)
        self._full = QWidget()
        column_of(
            (self.list, 2), self._summary, (self.report, 3), on=self._full, margins=NO_MARGINS, spacing=8
        )

        self.body.addWidget(self.label(f"Packets added to {title}", TextStyle.HEADING))
        self.body.addWidget(self.label(EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.nothing)
        self.body.addWidget(self._full, 1)
        self._learns = self._taught = False
        self.learn = outlined(LEARN, self._learn_or_stop)
        self.unlearn = outlined("&Undo training", self.unlearn_requested.emit)
        self.unlearn.setToolTip(
            plain_tooltip("Let DAN and RNN play as they did before they learned from packets.")
        )
        learning = row_of(
            (self.label(LEARNING_EXPLANATION, TextStyle.CAPTION), 1), self.learn, self.unlearn, spacing=8
        )
        self.body.addLayout(learning)
        self.add_files = self.add_primary("Add files…", self._choose_files)
        self.add_folder = self.add_button("Add folder…", self._choose_folder)
        self.remove = self.add_aside("Remove", self._remove_chosen)
        self.copy = self.add_aside("Copy report", self._copy_report)
        self.nothing.hide()
        self.fill(False, self._full, self.remove, self.copy)
        self.show_busy("Looking up the packets…")
        self._enable_buttons()

    def begin_work(self, text: str) -> None:
        self.show_busy(text)
        self._enable_buttons()

    def show_reading(self, done: int, total: int) -> None:
        if done < total:
            self.show_progress(f"Reading file {done + 1:,} of {total:,}…", done, total)
        else:
            self.show_progress("Adding the questions to the evidence…")

    def begin_learning(self) -> None:
        """Show that the networks learn, until :meth:`end_work`; the button that began it stops them."""
        self._learns = True
        self.show_busy(LEARNING)
        self._enable_buttons()

    def show_learning(self, text: str, share: float) -> None:
        self.show_progress(f"{text} {LEARNING}", round(share * FULL), FULL)

    def end_work(self, text: str, *, trouble: bool) -> None:
        self._learns = False
        self.end_busy(text, trouble=trouble)
        self._enable_buttons()

    def show_added(
        self, added: Sequence[PacketImport], text: str, chosen: str, *, taught: bool, trouble: bool
    ) -> None:
        """List ``added``, select the one named ``chosen``, and show ``text``; failed imports have no name.

        ``taught``: a network has learned from packets, also from some that were removed since.
        """
        self._added, self._taught = list(added), taught
        self.list.clear()
        for one in added:
            on = day(round(datetime.fromisoformat(one.on).timestamp() * 1000))
            numbers = (f"{number:,}" for number in (one.tossups, one.bonuses, one.files, len(one.unread)))
            item = QTreeWidgetItem([one.title, *numbers, on])
            item.setToolTip(0, plain_tooltip(one.origin))
            for place in range(1, 6):
                item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.list.addTopLevelItem(item)
        self.nothing.setVisible(not added)
        self.fill(bool(added), self._full, self.remove, self.copy)
        names = [one.name for one in added]
        if added:
            row = names.index(chosen) if chosen in names else 0
            self.list.setCurrentIndex(self.list.model().index(row, 0))
        self.end_work(text, trouble=trouble)

    @property
    def chosen(self) -> PacketImport | None:
        item = self.list.currentItem()
        row = -1 if item is None else self.list.indexOfTopLevelItem(item)
        return self._added[row] if 0 <= row < len(self._added) else None

    def _enable_buttons(self) -> None:
        chosen = self.chosen
        self.add_folder.setEnabled(not self.busy)
        self.remove.setEnabled(not self.busy and chosen is not None and bool(chosen.name))
        self.copy.setEnabled(chosen is not None and bool(chosen.unread))
        self.learn.setText(STOP_LEARNING if self._learns else LEARN)
        stops = "Stop the training. A network that is not finished plays as it did before your packets."
        learns = "Let DAN and RNN learn from all packets that were added."
        self.learn.setToolTip(plain_tooltip(stops if self._learns else learns))
        self.learn.setEnabled(self._learns or (not self.busy and any(one.name for one in self._added)))
        self.unlearn.setEnabled(not self.busy and self._taught)

    def _show_report(self, *_: object) -> None:
        chosen = self.chosen
        self.report.clear()
        if chosen is None:
            return
        whole = chosen.unread or chosen.known
        self._summary.setText(chosen.sentence if whole else f"{chosen.sentence} {ALL_READ}")
        for line in chosen.unread:
            opening = f"{line.opening} …" if line.opening else ""
            self.report.addTopLevelItem(tree_row((line.file, line.place, line.reason, opening)))
        self.report.setVisible(bool(chosen.unread))
        self._enable_buttons()

    def _learn_or_stop(self) -> None:
        (self.stop_requested if self._learns else self.learn_requested).emit()

    def _choose_folder(self) -> None:
        ask_folder(self, "Add a folder of packets", lambda folder: self.add_requested.emit([folder]))

    def _choose_files(self) -> None:
        ask_files(self, "Add packets", import_filter("Packets"), self.add_requested.emit)

    def _remove_chosen(self) -> None:
        if self.chosen is not None:
            self.remove_requested.emit(self.chosen.name)

    def _copy_report(self) -> None:
        if self.chosen is not None:
            lines = [self.chosen.sentence, *(line.sentence for line in self.chosen.unread)]
            QGuiApplication.clipboard().setText("\n".join(lines))


def _tree(name: str, titles: Sequence[str], stretched: Sequence[int]) -> QTreeWidget:
    tree = plain_table(name, *titles)
    tree.setUniformRowHeights(True)
    tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    for place in range(1, len(titles) if len(stretched) == 1 else 1):
        tree.headerItem().setTextAlignment(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    header = tree.header()
    header.setStretchLastSection(False)
    modes = QHeaderView.ResizeMode
    for place in range(len(titles)):
        header.setSectionResizeMode(place, modes.Stretch if place in stretched else modes.ResizeToContents)
    return tree
