"""The dialog with the writer's own packets: what was added, what could not be read, and taking it out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QLocale, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined

if TYPE_CHECKING:
    from quizwriter.services import PacketImport

EXPLAINED = (
    "What you add is evidence, and can be guessed, at once. It stays on this computer. Word documents "
    "(.docx), plain text, JSON lines and QANTA JSON are read."
)
NOTHING = "No packets were added to this bundle yet."
FILES = "Packets (*.docx *.txt *.text *.json *.jsonl *.gz *.xz *.bz2);;All files (*)"
WHOLE = "Every question was read."


class PacketsDialog(QDialog):
    """Lists what was added and, for the one chosen, the questions that could not be read.

    ``wanted`` carries the paths to add, ``unwanted`` the name of what is to be removed.
    """

    wanted = Signal(object)
    unwanted = Signal(str)

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._added: list[PacketImport] = []
        self.setWindowTitle("Your packets")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(760, 520)
        head = QLabel(f"Packets added to {title}")
        head.setFont(theme.font(bold=True))
        explained = QLabel(EXPLAINED)
        explained.setWordWrap(True)
        explained.setStyleSheet(f"color: {theme.tokens.soft};")

        self.list = _tree(("Packets", "Tossups", "Bonuses", "Files", "Not read", "Added"), stretched=(0,))
        self.list.setAccessibleName("Packets added")
        self.list.currentItemChanged.connect(self._show_report)
        self._said = QLabel()
        self._said.setWordWrap(True)
        self.report = _tree(("File", "Place", "What is wrong", "The question begins"), stretched=(2, 3))
        self.report.setAccessibleName("Questions that were not read")

        self._nothing = QLabel(NOTHING)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setStyleSheet(f"color: {theme.tokens.soft};")
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.list, 2)
        column.addWidget(self._said)
        column.addWidget(self.report, 3)
        self._middle = QStackedLayout()
        self._middle.addWidget(self._nothing)
        self._middle.addWidget(full)

        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(8)
        self.status = QLabel()
        self.status.setWordWrap(True)
        self._add_folder = outlined("Add folder…", self._choose_folder)
        self._add_files = outlined("Add files…", self._choose_files)
        self._remove = outlined("Remove", self._take_out)
        self._copy = outlined("Copy report", self._copy_report)
        close = outlined("Close", self.close)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self._add_folder, self._add_files, self._remove, self._copy):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(close)

        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 16, 16, 16)
        whole.setSpacing(8)
        whole.addWidget(head)
        whole.addWidget(explained)
        whole.addLayout(self._middle, 1)
        whole.addWidget(self._bar)
        whole.addWidget(self.status)
        whole.addLayout(buttons)
        self.wait("Looking what was added…")

    def wait(self, text: str) -> None:
        """Say that ``text`` is going on; until :meth:`show_added` or :meth:`say` nothing can be changed."""
        self.status.setText(text)
        self._bar.setRange(0, 0)
        self._busy(busy=True)

    def progress(self, done: int, total: int) -> None:
        """Say how many of how many files are read."""
        if done < total:
            self.status.setText(f"Reading file {done + 1:,} of {total:,}…")
            self._bar.setRange(0, total)
            self._bar.setValue(done)
        else:
            self.wait("Putting them into the evidence…")

    def say(self, text: str) -> None:
        """Say what came of it, which may be a trouble."""
        self.status.setText(text)
        self._busy(busy=False)

    def show_added(self, added: Sequence[PacketImport], text: str = "", chosen: str = "") -> None:
        """List ``added``, select the one named ``chosen``, and say ``text``; those not kept have no name."""
        self._added = list(added)
        locale = QLocale()
        self.list.clear()
        for one in added:
            day = datetime.fromisoformat(one.on).astimezone()
            on = locale.toString(QDate(day.year, day.month, day.day), QLocale.FormatType.ShortFormat)
            numbers = (f"{number:,}" for number in (one.tossups, one.bonuses, one.files, len(one.unread)))
            item = QTreeWidgetItem([one.title, *numbers, on])
            item.setToolTip(0, one.origin)
            for place in range(1, 6):
                item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.list.addTopLevelItem(item)
        self._middle.setCurrentIndex(1 if added else 0)
        names = [one.name for one in added]
        if added:
            row = names.index(chosen) if chosen in names else 0
            self.list.setCurrentIndex(self.list.model().index(row, 0))
        self.say(text)

    @property
    def chosen(self) -> PacketImport | None:
        """The one selected."""
        item = self.list.currentItem()
        row = -1 if item is None else self.list.indexOfTopLevelItem(item)
        return self._added[row] if 0 <= row < len(self._added) else None

    def _busy(self, *, busy: bool) -> None:
        self._bar.setVisible(busy)
        self.status.setVisible(bool(self.status.text()))
        for button in (self._add_folder, self._add_files):
            button.setEnabled(not busy)
        chosen = self.chosen
        self._remove.setEnabled(not busy and chosen is not None and bool(chosen.name))
        self._copy.setEnabled(chosen is not None and bool(chosen.unread))

    def _show_report(self, *_: object) -> None:
        chosen = self.chosen
        self.report.clear()
        if chosen is None:
            return
        self._said.setText(chosen.sentence if chosen.unread or chosen.known else f"{chosen.sentence} {WHOLE}")
        for line in chosen.unread:
            opening = f"{line.opening} …" if line.opening else ""
            item = QTreeWidgetItem([line.file, line.place, line.reason, opening])
            for place, text in enumerate((line.file, line.place, line.reason, opening)):
                item.setToolTip(place, text)
            self.report.addTopLevelItem(item)
        self.report.setVisible(bool(chosen.unread))
        self._remove.setEnabled(self._add_folder.isEnabled() and bool(chosen.name))
        self._copy.setEnabled(bool(chosen.unread))

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, "Add a folder of packets")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._choose(dialog)

    def _choose_files(self) -> None:
        dialog = QFileDialog(self, "Add packets", "", FILES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        self._choose(dialog)

    def _choose(self, dialog: QFileDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(lambda names: self.wanted.emit([Path(name) for name in names]))
        dialog.open()

    def _take_out(self) -> None:
        if self.chosen is not None:
            self.unwanted.emit(self.chosen.name)

    def _copy_report(self) -> None:
        if self.chosen is not None:
            lines = [self.chosen.sentence, *(line.sentence for line in self.chosen.unread)]
            QGuiApplication.clipboard().setText("\n".join(lines))


def _tree(titles: Sequence[str], stretched: Sequence[int]) -> QTreeWidget:
    tree = QTreeWidget()
    tree.setHeaderLabels(list(titles))
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    tree.setAllColumnsShowFocus(True)
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
