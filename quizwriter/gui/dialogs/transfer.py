"""Tossups to others and from others: *Send to editor*, *Receive*, and what was edited in two places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.history import differences
from quizwriter.domain.review import Event
from quizwriter.domain.tossup import Span
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import PATIENCE_MS, JobQueue
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.theme import Theme, mixed
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.services import (
    SUFFIX,
    App,
    BranchLine,
    MergeOutcome,
    MergeReport,
    Progress,
    display_title,
    import_sentence,
)
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.wording import counted_noun, listed

WIDTH = 560
PACKS = f"Packs of QuizWriter (*{SUFFIX});;All files (*)"
SENT = (
    "One file holds the tossups with their whole histories, analyses, comments and tags, and the names and "
    "e-mail addresses of those who made them. It is written to this computer; how you send it is up to you."
)
BUG = "Something in QuizWriter went wrong; nothing was changed."
TOLD = {
    MergeOutcome.NEW: "new",
    MergeOutcome.UPDATED: "gone on with",
    MergeOutcome.BRANCHED: "edited in two places",
}
LOOKING = "Looking for tossups that were edited in two places…"
NONE_PARTED = "No tossup is in two branches."


class _WorkingDialog(QDialog):
    """A dialog that has something done and says how far it is; it stays until that is over."""

    def __init__(self, app: App, theme: Theme, jobs: JobQueue, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._app, self._theme, self._jobs = app, theme, jobs
        jobs.progressed.connect(self._progressed)
        self._gone = False
        self._busy = False
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(8)
        self._bar.hide()
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.said.hide()
        self.shut = outlined("Close", self.close)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(24, 24, 24, 16)
        self.column.setSpacing(12)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)

    def _finish_layout(self) -> None:
        self.column.addWidget(self._bar)
        self.column.addWidget(self.said)
        self.column.addLayout(self.buttons)

    def label(self, text: str, *, soft: bool = False) -> QLabel:
        """A line of the dialog."""
        label = QLabel(text)
        label.setWordWrap(True)
        if soft:
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")
        return label

    def say(self, text: str) -> None:
        """Say what came of it."""
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def work(self, text: str, do: Callable[[Progress], object], then: Callable[[object], None]) -> None:
        """Have ``do`` done in the background, and ``then`` unless it fails, which is said."""

        def done(result: object) -> None:
            self._busy = False
            self._bar.hide()
            self.shut.setEnabled(True)
            if result is None or isinstance(result, QuizwriterError):
                self.failed(str(result or BUG))
            else:
                then(result)

        self._busy = True
        self._bar.setRange(0, 0)
        self._bar.show()
        self.shut.setEnabled(False)
        self.say(text)
        self._jobs.run(do, done)

    def _fit(self) -> None:
        """Be as high as what is shown."""
        self.column.activate()
        self.resize(WIDTH, self.column.totalHeightForWidth(WIDTH))

    def failed(self, text: str) -> None:
        """Say why it was not done."""
        self.say(text)

    def _progressed(self, done: int, total: int) -> None:
        if self._busy:
            self._bar.setRange(0, total)
            self._bar.setValue(done)

    def reject(self) -> None:
        if not self._busy:
            super().reject()

    def done(self, result: int) -> None:
        self._gone = True
        super().done(result)


class SendDialog(_WorkingDialog):
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
        super().__init__(app, theme, jobs, "Send to editor", parent)
        self.setFixedWidth(WIDTH)
        self._tossup_id = tossup_id
        self.choices = QMenu(self)
        self.which = QPushButton()
        self.which.setObjectName("outlined")
        self.which.setStyleSheet("text-align: left;")
        self.which.setAccessibleName("Which tossups")
        self.which.setMenu(self.choices)
        self._keys: Callable[[], Sequence[str] | None] = lambda: None
        if tossup_id:
            self._offer(f"This tossup: {title}", lambda: [tossup_id])
        self.column.addWidget(self.label(SENT))
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(QLabel("What"))
        row.addWidget(self.which, 1)
        self.column.addLayout(row)
        self.send = outlined("Choose where…", self._choose)
        self.send.setDefault(True)
        self.buttons.addStretch(1)
        self.buttons.addWidget(self.shut)
        self.buttons.addWidget(self.send)
        self._finish_layout()
        self._jobs.run(lambda _: app.queue.facets().sets, self._offer_sets)

    def _offer_sets(self, sets: Mapping[str, int] | QuizwriterError | None) -> None:
        if self._gone:
            return
        if not isinstance(sets, Mapping):
            self.say(str(sets or BUG))
            return
        for name, count in sets.items():
            if name:
                self._offer(f"The set {name}: {counted_noun(count, 'tossup')}", partial(self._in_set, name))
        self._offer(f"Everything: {counted_noun(sum(sets.values()), 'tossup')}", lambda: None)

    def _in_set(self, name: str) -> Sequence[str]:
        return self._app.queue.find(QueueFilter(sets=(name,)), QueueSort())

    def _offer(self, text: str, keys: Callable[[], Sequence[str] | None]) -> None:
        action = self.choices.addAction(text.replace("&", "&&"))
        action.triggered.connect(lambda: self._choose_keys(text, keys))
        if len(self.choices.actions()) == 1:
            self._choose_keys(text, keys)

    def _choose_keys(self, text: str, keys: Callable[[], Sequence[str] | None]) -> None:
        self.which.setText(text.replace("&", "&&"))
        self._keys = keys

    def _choose(self) -> None:
        dialog = QFileDialog(self, "Send to editor", "", PACKS)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
        dialog.selectFile("tossups" + SUFFIX)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.pack(Path(name)))
        dialog.open()

    def pack(self, path: Path) -> None:
        """Write what is chosen to ``path``."""
        keys = self._keys

        def do(progress: Progress) -> int:
            return self._app.transfer.pack(path, keys(), progress)

        def then(count: object) -> None:
            assert isinstance(count, int)
            self.say(f"{counted_noun(count, 'tossup')} packed into {path}.")
            self.send.setText("Send something else…")

        self.work("Packing…", do, then)


class ReceiveDialog(_WorkingDialog):
    """Takes in packs, and tells what came. ``merged`` carries a Merged once they are in the database.

    ``opened`` carries the id of a tossup to look at.
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
        super().__init__(app, theme, jobs, "Receive", parent)
        self._ready = ready
        self.setFixedWidth(WIDTH)
        self.list = QTreeWidget()
        self.list.setHeaderLabels(["Tossup", "What came of it"])
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
        self.buttons.addStretch(1)
        self.buttons.addWidget(self.shut)
        self._finish_layout()
        self.column.insertWidget(self.column.count() - 1, self.list, 1)

    def receive(self, paths: Sequence[Path]) -> None:
        """Merge the packs at ``paths``, all or none."""

        def do(progress: Progress) -> tuple[MergeReport, list[tuple[str, str, MergeOutcome]]]:
            self._ready()
            merged = self._app.transfer.merge(paths, progress)
            return merged, self._app.transfer.arrivals(merged)

        def then(result: object) -> None:
            assert isinstance(result, tuple)
            merged, arrived = result
            self.say(import_sentence(merged))
            for key, title, came in arrived:
                item = QTreeWidgetItem([title, TOLD[came]])
                item.setData(0, Qt.ItemDataRole.UserRole, key)
                self.list.addTopLevelItem(item)
            if arrived:
                self.list.show()
            self._fit()
            self.merged.emit(merged)

        self.work("Receiving…", do, then)

    def failed(self, text: str) -> None:
        self.say(text)
        self._fit()
        self.merged.emit(None)


class BranchesDialog(QDialog):
    """Shows what was edited in two places side by side, and goes on with the one chosen.

    ``opened`` carries the id of one to be written on.
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
        """``changed`` is told which ids go on under which other, also after the dialog was closed."""
        super().__init__(parent)
        self._app, self._theme, self._jobs, self._changed = app, theme, jobs, changed
        self._gone = False
        self._families: tuple[tuple[BranchLine, ...], ...] = ()
        self._events: tuple[Event, ...] = ()
        self.setWindowTitle("Branches")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(960, 560)
        self.list = QTreeWidget()
        self.list.setHeaderHidden(True)
        self.list.setAccessibleName("Tossups edited in two places")
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setRootIsDecorated(False)
        self.list.currentItemChanged.connect(self._show)
        self._sides: list[tuple[QLabel, QTextBrowser]] = []
        panes = QWidget()
        row = QHBoxLayout(panes)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(12)
        for side, name in enumerate(("Left branch", "Right branch")):
            says = QLabel()
            says.setWordWrap(True)
            pane = QTextBrowser()
            pane.setAccessibleName(name)
            pane.setFont(theme.draft_font())
            pane.document().setDocumentMargin(12)
            column = QVBoxLayout()
            column.setSpacing(8)
            column.addWidget(says)
            column.addWidget(pane, 1)
            below = QHBoxLayout()
            below.setSpacing(8)
            below.addWidget(outlined("Keep this one", partial(self._keep, side)))
            below.addWidget(outlined("Write on it", partial(self._write_on, side)))
            below.addStretch(1)
            column.addLayout(below)
            row.addLayout(column, 1)
            self._sides.append((says, pane))
        splitter = QSplitter()
        splitter.addWidget(self.list)
        splitter.addWidget(panes)
        splitter.setSizes([220, 740])
        splitter.setChildrenCollapsible(False)
        nothing = QLabel(NONE_PARTED)
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        nothing.setStyleSheet(f"color: {theme.tokens.soft};")
        self._middle = QStackedLayout()
        self._middle.addWidget(nothing)
        self._middle.addWidget(splitter)
        self.said = QLabel()
        self.said.setWordWrap(True)
        self._undo = outlined("Undo", self._take_back)
        self._undo.hide()
        last = QHBoxLayout()
        last.setSpacing(8)
        last.addWidget(self.said, 1)
        last.addWidget(self._undo)
        last.addWidget(outlined("Close", self.close))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 16, 16, 16)
        whole.setSpacing(12)
        whole.addLayout(self._middle, 1)
        whole.addLayout(last)
        self._look_up(LOOKING)

    @property
    def pair(self) -> tuple[BranchLine, BranchLine] | None:
        """The two branches beside each other."""
        item = self.list.currentItem()
        if item is None:
            return None
        parent = item.parent() or item
        family = self._families[self.list.indexOfTopLevelItem(parent)]
        return family[0], family[parent.indexOfChild(item) + 1 if item.parent() else 1]

    def done(self, result: int) -> None:
        self._gone = True
        super().done(result)

    def _look_up(self, text: str) -> None:
        def then(found: tuple[tuple[BranchLine, ...], ...] | QuizwriterError | None) -> None:
            if self._gone:
                return
            if not isinstance(found, tuple):
                self.said.setText(str(found or BUG))
                return
            self._families = found
            self.list.clear()
            for family in found:
                item = QTreeWidgetItem([display_title(family[0].tossup)])
                if len(family) > 2:
                    item.addChildren([QTreeWidgetItem([_told(line)]) for line in family[1:]])
                self.list.addTopLevelItem(item)
                item.setExpanded(True)
            self.list.setRootIsDecorated(any(len(family) > 2 for family in found))
            self._middle.setCurrentIndex(1 if found else 0)
            if found:
                self.list.setCurrentIndex(self.list.model().index(0, 0))
            if text == LOOKING:
                self.said.setText("")

        self.said.setText(text)
        self._jobs.run(lambda _: self._app.transfer.diverged(), then)

    def _show(self, *_: object) -> None:
        if self.pair is None:
            return
        one, other = self.pair
        found = differences(one.tossup.text, other.tossup.text)
        spans = tuple(it.before for it in found if it.before.end > it.before.start)
        others = tuple(it.after for it in found if it.after.end > it.after.start)
        for (says, pane), line, marked in zip(self._sides, (one, other), (spans, others), strict=True):
            answer = line.tossup.answer.line if line.tossup.answer else "no answer yet"
            says.setText(f"{answer}\n{_told(line)}")
            pane.setHtml(_marked(line.tossup.text, marked, self._theme))

    def _keep(self, side: int) -> None:
        if self.pair is None:
            return
        kept = self.pair[side]
        family = next(family for family in self._families if kept in family)

        def then(events: tuple[Event, ...] | QuizwriterError | None) -> None:
            if isinstance(events, tuple):
                others = (one.tossup_id for one in family if one is not kept)
                self._changed(dict.fromkeys(others, kept.tossup_id))
            if self._gone:
                return
            if not isinstance(events, tuple):
                self.said.setText(str(events or BUG))
                return
            self._events = events
            self._undo.show()
            self._look_up(
                f"{display_title(kept.tossup)} goes on as you chose. The other is kept, out of sight."
            )

        self._jobs.run(lambda _: self._app.transfer.adopt(kept.tossup_id), then)

    def _take_back(self) -> None:
        events = self._events

        def then(result: object) -> None:
            self._changed({})
            if self._gone:
                return
            if result is None or isinstance(result, QuizwriterError):
                self.said.setText(str(result or BUG))
                return
            self._undo.hide()
            self._look_up("The branches are side by side again.")

        self._jobs.run(lambda _: self._app.review.take_back(events), then)

    def _write_on(self, side: int) -> None:
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


def _told(line: BranchLine) -> str:
    """Who did how much on a branch, and when."""
    if not line.edits:
        return "not edited since they parted"
    when = QLocale().toString(QDateTime.fromMSecsSinceEpoch(line.at_ms), QLocale.FormatType.ShortFormat)
    who = f" by {listed(line.authors)}" if line.authors else ""
    return f"{counted_noun(line.edits, 'edit')}{who}, the last {when}"


class TransferController(QObject):
    """What the window has of all this: it opens the dialogs and hears what came of them.

    ``changed`` carries by which ids tossups that were here go on; ``opened`` the id of one to be opened.
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
        """End what goes on, because the window closes; a merge is finished first."""
        self._jobs.stop()

    def send(self, tossup_id: str, title: str) -> SendDialog:
        """Ask what to send."""
        dialog = SendDialog(self._app, self._theme, self._jobs, tossup_id, title, self._window)
        dialog.show()
        return dialog

    def choose(self) -> None:
        """Ask for packs, and receive them."""
        dialog = QFileDialog(self._window, "Receive", "", PACKS)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(lambda names: self.receive([Path(name) for name in names]))
        dialog.open()

    def receive(self, paths: Sequence[Path]) -> ReceiveDialog:
        """Take in packs."""

        def take(merged: MergeReport | None) -> None:
            self.busy = False
            if merged is not None:
                self.changed.emit(merged.moved)

        def ready() -> None:
            if not self._saver.flush(PATIENCE_MS):
                raise QuizwriterError(
                    "What you typed last is not on disk yet, so nothing was received.",
                    "The bar above your draft says what is in the way.",
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
        """Show what was edited in two places."""

        dialog = BranchesDialog(self._app, self._theme, self._jobs, self.changed.emit, self._window)
        dialog.opened.connect(self.opened)
        dialog.show()
        return dialog
