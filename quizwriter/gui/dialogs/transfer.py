"""*Send to editor*, *Receive*, and the branches of tossups that were edited in two places."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.cancellation import Cancellation
from quizwriter.domain.history import TextDifference, differences
from quizwriter.domain.review import Event
from quizwriter.domain.tossup import Span
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import PATIENCE_MS, JobQueue
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.theme import Theme, mixed
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import BUG, Dialog, TextStyle
from quizwriter.gui.widgets.file_dialog import FileDialog
from quizwriter.gui.widgets.labels import RichPane, plain_tooltip
from quizwriter.services import (
    SUFFIX,
    App,
    BranchLine,
    MergeOutcome,
    MergeReport,
    Progress,
    display_title,
    merge_report_sentence,
)
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.wording import counted_noun, listed, relative_time

WIDTH = 560
PACKS = f"Packs of QuizWriter (*{SUFFIX});;All files (*)"
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
SEARCHING = "Searching for tossups that were edited in two places…"
NO_BRANCHES = "No tossup has two branches."


class SendDialog(Dialog):
    """Asks which tossups to pack and where, and packs them."""

    def __init__(
        self,
        app: App,
        theme: Theme,
        jobs: JobQueue,
        tossup_id: str,
        title: str,
        parent: QWidget | None = None,
    ) -> None:
        """``tossup_id`` and ``title`` are those of the tossup on screen, empty if it is not saved."""
        super().__init__(theme, "Send to editor", parent, width=WIDTH)
        self._app, self._jobs = app, jobs
        self.setWindowModality(Qt.WindowModality.WindowModal)
        jobs.progressed.connect(self._show_packing)
        self.choices = QMenu(self)
        self.which = QPushButton()
        self.which.setObjectName("outlined")
        self.which.setStyleSheet("text-align: left;")
        self.which.setAccessibleName("Which tossups")
        self.which.setMenu(self.choices)
        self._keys: Callable[[], Sequence[str] | None] = lambda: None
        self.body.addWidget(self.label(PACK_CONTENTS))
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.label("Tossups", wrap=False))
        row.addWidget(self.which, 1)
        self.body.addLayout(row)
        self.send = self.add_primary("Choose the file…", self._choose_file)
        if tossup_id:
            self._offer(f"This tossup: {title}", lambda: [tossup_id])
        self._jobs.run(lambda _: app.queue.facets().sets, self._offer_sets)

    def _offer_sets(self, sets: Mapping[str, int] | QuizwriterError | None) -> None:
        if self.closed:
            return
        if not isinstance(sets, Mapping):
            self.show_failure(str(sets or BUG))
            return
        for name, count in sets.items():
            if name:
                self._offer(f"{name}: {counted_noun(count, 'tossup')}", partial(self._in_set, name))
        self._offer(f"Everything: {counted_noun(sum(sets.values()), 'tossup')}", lambda: None)

    def _in_set(self, name: str) -> Sequence[str]:
        return self._app.queue.find(QueueFilter(sets=(name,)), QueueSort())

    def _offer(self, text: str, keys: Callable[[], Sequence[str] | None]) -> None:
        action = self.choices.addAction(text.replace("&", "&&"))
        action.triggered.connect(lambda: self._choose_keys(text, keys))
        if len(self.choices.actions()) == 1:
            self._choose_keys(text, keys)

    def _choose_keys(self, text: str, keys: Callable[[], Sequence[str] | None]) -> None:
        room = WIDTH - 180
        shown = self.which.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
        self.which.setText(shown.replace("&", "&&"))
        self.which.setToolTip(plain_tooltip(text))
        self._keys = keys

    def _choose_file(self) -> None:
        dialog = FileDialog(self, "Send to editor", "", PACKS)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
        dialog.selectFile("tossups" + SUFFIX)
        dialog.fileSelected.connect(lambda name: self.pack(Path(name)))
        dialog.open()

    def pack(self, path: Path) -> None:
        """Write the chosen tossups to ``path``."""
        keys, cancellation = self._keys, Cancellation()

        def do(progress: Progress) -> int:
            return self._app.transfer.pack(path, keys(), progress, cancellation)

        def then(count: int) -> None:
            self.show_message(f"{counted_noun(count, 'tossup')} packed into {path}.")
            self.send.setText("Send other tossups…")

        self.run_job(self._jobs, "Packing…", do, then, cancel=cancellation.cancel)

    def _show_packing(self, done: int, total: int) -> None:
        if self.busy:
            self.show_progress("", done, total)


class ReceiveDialog(Dialog):
    """Merges packs and lists the outcome. ``merged`` carries the MergeReport, or None if nothing was merged.

    ``opened`` carries the id of a tossup that the user wants to open.
    """

    merged = Signal(object)
    opened = Signal(str)

    def __init__(
        self,
        app: App,
        theme: Theme,
        jobs: JobQueue,
        ready: Callable[[], None],
        parent: QWidget | None = None,
    ) -> None:
        """``ready`` is called in the background first; it raises QuizwriterError if nothing may be merged."""
        super().__init__(theme, "Receive", parent, width=WIDTH)
        self._app, self._jobs = app, jobs
        self._ready = ready
        self.setWindowModality(Qt.WindowModality.WindowModal)
        jobs.progressed.connect(self._show_merging)
        self.list = QTreeWidget()
        self.list.setHeaderLabels(["Tossup", "Outcome"])
        self.list.setAccessibleName("Tossups received")
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
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
                item = QTreeWidgetItem([title, OUTCOMES[outcome]])
                item.setData(0, Qt.ItemDataRole.UserRole, key)
                item.setToolTip(0, plain_tooltip(title))
                self.list.addTopLevelItem(item)
            self.list.setVisible(bool(arrivals))
            self.show_message(told)
            self.merged.emit(report)

        self.run_job(self._jobs, "Receiving…", do, then, cancel=cancellation.cancel, closable=False)

    def show_failure(self, text: str) -> None:
        """Show why nothing was merged."""
        super().show_failure(text)
        self.merged.emit(None)

    def _show_merging(self, done: int, total: int) -> None:
        if self.busy:
            self.show_progress("", done, total)


class BranchesDialog(Dialog):
    """Shows the branches of a tossup that was edited in two places side by side, and adopts the chosen one.

    ``opened`` carries the id of a branch that the user wants to edit.
    """

    opened = Signal(str)

    def __init__(
        self,
        app: App,
        theme: Theme,
        jobs: JobQueue,
        changed: Callable[[Mapping[str, str]], object],
        parent: QWidget | None = None,
    ) -> None:
        """``changed`` gets which ids continue under which other id, also after the dialog was closed."""
        super().__init__(theme, "Branches", parent, size=(960, 560))
        self._app, self._jobs, self._changed = app, jobs, changed
        self._families: tuple[tuple[BranchLine, ...], ...] = ()
        self._events: tuple[Event, ...] = ()
        self.list = QTreeWidget()
        self.list.setHeaderHidden(True)
        self.list.setAccessibleName("Tossups edited in two places")
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setRootIsDecorated(False)
        self.list.currentItemChanged.connect(self._show)
        self.sides: list[tuple[QLabel, RichPane]] = []
        panes = QWidget()
        row = QHBoxLayout(panes)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(12)
        for side, name in enumerate(("Left branch", "Right branch")):
            summary = self.label()
            pane = RichPane()
            pane.setAccessibleName(name)
            pane.setFont(theme.draft_font())
            pane.document().setDocumentMargin(12)
            column = QVBoxLayout()
            column.setSpacing(8)
            column.addWidget(summary)
            column.addWidget(pane, 1)
            below = QHBoxLayout()
            below.setSpacing(8)
            below.addWidget(outlined("Adopt this branch", partial(self.adopt, side)))
            below.addWidget(outlined("Edit it", partial(self._edit, side)))
            below.addStretch(1)
            column.addLayout(below)
            row.addLayout(column, 1)
            self.sides.append((summary, pane))
        splitter = QSplitter()
        splitter.addWidget(self.list)
        splitter.addWidget(panes)
        splitter.setSizes([220, 740])
        splitter.setChildrenCollapsible(False)
        nothing = self.label(NO_BRANCHES, TextStyle.CAPTION)
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedLayout()
        self._pages.addWidget(nothing)
        self._pages.addWidget(splitter)
        self.body.addLayout(self._pages, 1)
        self.undo_button = self.add_aside("Undo", self.undo)
        self.undo_button.hide()
        self._list_branches("", SEARCHING)

    @property
    def pair(self) -> tuple[BranchLine, BranchLine] | None:
        """The two branches side by side."""
        item = self.list.currentItem()
        if item is None:
            return None
        parent = item.parent() or item
        family = self._families[self.list.indexOfTopLevelItem(parent)]
        return family[0], family[parent.indexOfChild(item) + 1 if item.parent() else 1]

    def _list_branches(self, message: str, busy: str = "") -> None:
        """List the tossups with branches again, then show ``message``; ``busy`` is shown meanwhile."""

        def then(found: tuple[tuple[BranchLine, ...], ...]) -> None:
            self._families = found
            self.list.clear()
            for family in found:
                item = QTreeWidgetItem([display_title(family[0].tossup)])
                if len(family) > 2:
                    item.addChildren([QTreeWidgetItem([_edits_sentence(line)]) for line in family[1:]])
                self.list.addTopLevelItem(item)
                item.setExpanded(True)
            self.list.setRootIsDecorated(any(len(family) > 2 for family in found))
            self._pages.setCurrentIndex(1 if found else 0)
            if found:
                self.list.setCurrentIndex(self.list.model().index(0, 0))
            self.show_message(message)

        self.run_job(self._jobs, busy or message, lambda _: self._app.transfer.diverged_branches(), then)

    def _show(self, *_: object) -> None:
        pair = self.pair
        if pair is None:
            return
        one, other = pair
        for (summary, pane), line in zip(self.sides, pair, strict=True):
            answer = line.tossup.answer.line if line.tossup.answer else "no answer yet"
            summary.setText(f"{answer}\n{_edits_sentence(line)}")
            pane.clear()

        def then(found: tuple[TextDifference, ...] | QuizwriterError | None) -> None:
            if self.closed or self.pair != pair:
                return
            if not isinstance(found, tuple):
                self.show_failure(str(found or BUG))
                return
            spans = tuple(it.before for it in found if it.before.end > it.before.start)
            others = tuple(it.after for it in found if it.after.end > it.after.start)
            for (_, pane), line, marked in zip(self.sides, pair, (spans, others), strict=True):
                pane.show_html(_marked(line.tossup.text, marked, self._theme))

        # long texts take long to compare
        self._jobs.run(lambda _: differences(one.tossup.text, other.tossup.text), then)

    def adopt(self, side: int) -> None:
        """Continue the tossup with the branch on the left (0) or on the right (1)."""
        if self.pair is None:
            return
        adopted = self.pair[side]
        family = next(family for family in self._families if adopted in family)

        def then(result: tuple[Event, ...] | QuizwriterError | None) -> None:
            if isinstance(result, tuple):
                others = (one.tossup_id for one in family if one is not adopted)
                self._changed(dict.fromkeys(others, adopted.tossup_id))
            if self.closed:
                return
            if not isinstance(result, tuple):
                self.show_failure(str(result or BUG))
                return
            self._events = result
            self.undo_button.show()
            title = display_title(adopted.tossup)
            self._list_branches(f"This branch of {title} is adopted. The other one is kept, out of sight.")

        self._jobs.run(lambda _: self._app.transfer.adopt(adopted.tossup_id), then)

    def undo(self) -> None:
        """Show the branches side by side again that were there before the last one was adopted."""
        events = self._events

        def then(result: object) -> None:
            self._changed({})
            if self.closed:
                return
            if result is None or isinstance(result, QuizwriterError):
                self.show_failure(str(result or BUG))
                return
            self.undo_button.hide()
            self._list_branches("The branches are side by side again.")

        self._jobs.run(lambda _: self._app.review.take_back(events), then)

    def _edit(self, side: int) -> None:
        if self.pair is not None:
            self.opened.emit(self.pair[side].tossup_id)


def _marked(text: str, spans: Sequence[Span], theme: Theme) -> str:
    """``text`` as HTML with ``spans`` marked by colour and by a line under them."""
    colour = mixed(theme.tokens.cue, theme.tokens.page, 0.2)
    parts, at = [], 0
    for span in spans:
        marked = f'<span style="background-color: {colour}; text-decoration: underline;">'
        parts += [escape(text[at : span.start]), marked, escape(span.of(text)), "</span>"]
        at = span.end
    whole = "".join([*parts, escape(text[at:])])
    return f'<p style="white-space: pre-wrap; line-height: 140%;">{whole}</p>'


def _edits_sentence(line: BranchLine) -> str:
    """How many edits a branch has, by whom, and when the last one was made."""
    if not line.edits:
        return "not edited since the branches diverged"
    when = relative_time(line.at_ms, int(time.time() * 1000))
    who = f" by {listed(line.authors)}" if line.authors else ""
    return f"{counted_noun(line.edits, 'edit')}{who}, the last one {when}"


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
        self._jobs = JobQueue("transfer")
        self.busy = False
        """Whether tossups are being received, so that nothing else may be saved."""

    def shutdown(self) -> None:
        """End the jobs, because the window closes; a running merge is finished first."""
        self._jobs.stop()

    def send(self, tossup_id: str, title: str) -> SendDialog:
        """Ask which tossups to send."""
        dialog = SendDialog(self._app, self._theme, self._jobs, tossup_id, title, self._window)
        dialog.show()
        return dialog

    def choose(self) -> None:
        """Ask for packs, and receive them."""
        dialog = FileDialog(self._window, "Receive", "", PACKS)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.receive([Path(name) for name in names]))
        dialog.open()

    def receive(self, paths: Sequence[Path]) -> ReceiveDialog:
        """Merge the packs at ``paths``."""

        def take(merged: MergeReport | None) -> None:
            self.busy = False
            if merged is not None:
                self.changed.emit({})

        def ready() -> None:
            if not self._saver.flush(PATIENCE_MS):
                raise QuizwriterError(
                    "Your last words are not on disk yet, so nothing was received.",
                    "The message above your draft says why.",
                )

        self._save()
        self.busy = True
        dialog = ReceiveDialog(self._app, self._theme, self._jobs, ready, self._window)
        dialog.merged.connect(take)
        dialog.opened.connect(self.opened)
        dialog.show()
        dialog.receive(paths)
        return dialog

    def branches(self) -> BranchesDialog:
        """Show the tossups that were edited in two places."""
        dialog = BranchesDialog(self._app, self._theme, self._jobs, self.changed.emit, self._window)
        dialog.opened.connect(self.opened)
        dialog.show()
        return dialog
