"""*Send to editor* and *Receive*, and the controller that opens them and *Branches*."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHeaderView, QTreeWidgetItem, QWidget

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import FORMATS
from quizwriter.gui.background.jobs import PATIENCE_MS, Jobs
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.dialogs.branches import BranchesDialog
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import BUG, Dialog
from quizwriter.gui.widgets.fields import choice_box, plain_table
from quizwriter.gui.widgets.file_dialog import ask_files, ask_new_file
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import row_of
from quizwriter.services.transfer import SUFFIX, merge_report_sentence
from quizwriter.services.wiring import App
from quizwriter.store.merging import MergeOutcome, MergeReport
from quizwriter.workflow.queue import QueueFacets, QueueFilter, QueueSort
from quizwriter.workflow.wording import counted_noun

WIDTH = 560
PACKS = f"{FORMATS['pack'].filter};;All files (*)"
PACK_CONTENTS = (
    "A pack is one file with the tossups, their histories, analyses, comments and tags, and the names and "
    "e-mail addresses of their writers and editors. QuizWriter writes it to this computer; you send it as "
    "you like."
)
OUTCOMES = {
    MergeOutcome.NEW: "new",
    MergeOutcome.UPDATED: "updated",
    MergeOutcome.BRANCHED: "edited in two places",
}


class SendDialog(Dialog):
    """Asks which tossups to pack and where, and packs them."""

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, tossup_id: str, title: str, parent: QWidget | None = None
    ) -> None:
        """``tossup_id`` and ``title`` are those of the tossup on screen, empty if it is not saved."""
        super().__init__(theme, "Send to editor", parent, width=WIDTH)
        self._app, self._jobs = app, jobs
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._offers: list[Callable[[], Sequence[str] | None]] = []
        self.which = choice_box("Which tossups")
        self.which.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.body.addWidget(self.label(PACK_CONTENTS))
        row = row_of(self.label("Tossups", wrap=False), (self.which, 1), spacing=12)
        self.body.addLayout(row)
        self.send = self.add_primary("Choose the file…", self._choose_file)
        if tossup_id:
            self._offer(f"This tossup: {title}", lambda: [tossup_id])
        self._jobs.ask(
            lambda _: app.queue.facets(),
            self._offer_sets,
            lambda trouble: self.show_failure(trouble or BUG),
            still=lambda: not self.closed,
        )

    def _offer_sets(self, there: QueueFacets) -> None:
        for name, count in there.sets.items():
            if name:
                self._offer(f"{name}: {counted_noun(count, 'tossup')}", partial(self._in_set, name))
        self._offer(f"Everything: {counted_noun(there.tossups, 'tossup')}", lambda: None)

    def _in_set(self, name: str) -> Sequence[str]:
        return self._app.queue.find(QueueFilter(sets=(name,)), QueueSort())

    def _offer(self, text: str, keys: Callable[[], Sequence[str] | None]) -> None:
        self._offers.append(keys)
        self.which.addItem(text)
        self.which.setItemData(self.which.count() - 1, plain_tooltip(text), Qt.ItemDataRole.ToolTipRole)

    def _choose_file(self) -> None:
        ask_new_file(self, "Send to editor", "tossups" + SUFFIX, PACKS, self.pack)

    def pack(self, path: Path) -> None:
        chosen, cancellation = self.which.currentIndex(), Cancellation()
        keys = self._offers[chosen] if chosen >= 0 else lambda: None

        def do(progress: Progress) -> int:
            return self._app.transfer.pack(path, keys(), progress, cancellation)

        def then(count: int) -> None:
            self.show_message(f"{counted_noun(count, 'tossup')} packed into {path}.")
            self.send.setText("Send other tossups…")

        self.run_job(self._jobs, "Packing…", do, then, cancel=cancellation.cancel)


class ReceiveDialog(Dialog):
    """Merges packs and lists the outcome. ``merged`` carries the MergeReport, or None if nothing was merged.

    ``opened`` carries the id of a tossup that the user wants to open.
    """

    merged = Signal(object)
    opened = Signal(str)

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, ready: Callable[[], None], parent: QWidget | None = None
    ) -> None:
        """``ready`` is called in the background first; it raises QuizwriterError if nothing may be merged."""
        super().__init__(theme, "Receive", parent, width=WIDTH)
        self._app, self._jobs = app, jobs
        self._ready = ready
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.list = plain_table("Tossups received", "Tossup", "Outcome")
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemActivated.connect(lambda item: self.opened.emit(item.data(0, Qt.ItemDataRole.UserRole)))
        self.list.setMinimumHeight(240)
        self.list.hide()
        self.body.addWidget(self.list, 1)

    def receive(self, paths: Sequence[Path]) -> None:
        """Merge the packs at ``paths``, all or none."""
        cancellation = Cancellation()

        def do(progress: Progress) -> tuple[MergeReport, list[tuple[str, str, MergeOutcome]], str]:
            self._ready()
            report = self._app.transfer.merge(paths, progress, cancellation)
            names = {key: person.name for key, person in self._app.review.people().items()}
            return report, self._app.transfer.arrived_tossups(report), merge_report_sentence(report, names)

        def then(result: tuple[MergeReport, list[tuple[str, str, MergeOutcome]], str]) -> None:
            report, arrivals, told = result
            for key, title, outcome in arrivals:
                again = ", to be accepted again" if key in report.changed_accepted else ""
                item = QTreeWidgetItem([title, f"{OUTCOMES[outcome]}{again}"])
                item.setData(0, Qt.ItemDataRole.UserRole, key)
                item.setToolTip(0, plain_tooltip(title))
                self.list.addTopLevelItem(item)
            self.list.setVisible(bool(arrivals))
            self.show_message(told)
            self.merged.emit(report)

        self.run_job(self._jobs, "Receiving…", do, then, cancel=cancellation.cancel, closable=False)

    def show_failure(self, text: str) -> None:
        super().show_failure(text)
        self.merged.emit(None)


class TransferController(QObject):
    """Opens the dialogs for the main window and passes on their results.

    ``changed`` carries under which new ids tossups continue; ``opened`` the id of a tossup to be opened.
    """

    changed = Signal(object)
    opened = Signal(str)

    def __init__(
        self, app: App, theme: Theme, saver: Saver, save: Callable[[], object], parent: QWidget
    ) -> None:
        """``save`` hands everything not saved yet to ``saver``."""
        super().__init__(parent)
        self._app, self._theme, self._window = app, theme, parent
        self._saver, self._save = saver, save
        self._jobs = Jobs("transfer", self)
        self.busy = False
        """Whether tossups are being received, so that nothing else may be saved."""

    def send(self, tossup_id: str, title: str) -> SendDialog:
        dialog = SendDialog(self._app, self._theme, self._jobs, tossup_id, title, self._window)
        dialog.show()
        return dialog

    def choose(self) -> None:
        ask_files(self._window, "Receive", PACKS, self.receive)

    def receive(self, paths: Sequence[Path]) -> ReceiveDialog:
        """Merge the packs at ``paths``."""

        def take(merged: MergeReport | None) -> None:
            self.busy = False
            if merged is not None:
                self.changed.emit({})

        self._save()
        self.busy = True
        dialog = ReceiveDialog(self._app, self._theme, self._jobs, self._flush, self._window)
        dialog.merged.connect(take)
        dialog.opened.connect(self.opened)
        dialog.show()
        dialog.receive(paths)
        return dialog

    def branches(self) -> BranchesDialog:
        """Show the tossups that were edited in several places."""

        def prepare() -> None:
            self._save()
            self.busy = True

        def changed(moved: Mapping[str, str] | None) -> None:
            self.busy = False
            if moved is not None:
                self.changed.emit(moved)

        dialog = BranchesDialog(
            self._app, self._theme, self._jobs, prepare, self._flush, changed, self._window
        )
        dialog.opened.connect(self.opened)
        dialog.show()
        return dialog

    def _flush(self) -> None:
        if not self._saver.flush(PATIENCE_MS):
            raise QuizwriterError(
                "Your last words are not saved yet, so nothing was changed.",
                "The message above your draft explains why.",
            )
