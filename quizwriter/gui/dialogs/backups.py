"""*Restore from backup*: the backups and what each would change, and the rescue of a damaged database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPlainTextEdit, QTreeWidgetItem, QWidget

from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import named, plain_table
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.services.recovery import BackupLine, Recovery
from quizwriter.store.rescue import RescueReport
from quizwriter.workflow.dates import relative_time
from quizwriter.workflow.session import now_ms

EXPLANATION = (
    "Restoring a backup sets all tossups back to that day. Your present tossups are kept as a backup, so "
    "you can undo this."
)
DAMAGED = (
    "Rescue copies every undamaged tossup, and the readable parts of the others, into a new database, and "
    "lists them. A backup restores everything as it was on its day. In both cases, the damaged database is "
    "kept."
)
NOTHING = "There are no backups yet. QuizWriter makes the first one today."


class BackupsDialog(Dialog):
    """Lists the backups and restores one.

    ``restoring`` says that a backup is about to be restored. ``restored`` carries its path and the path of
    what it replaced, ``failed`` says that nothing was replaced. Where the database is damaged, the dialog
    also offers the rescue, and ``accepted`` says that the database can be opened again.
    """

    restoring = Signal()
    restored = Signal(object, object)
    failed = Signal()

    def __init__(
        self, recovery: Recovery, theme: Theme, parent: QWidget | None = None, *, damage: str = ""
    ) -> None:
        """``damage`` says why the database cannot be opened; empty if it can."""
        title = "Your tossups cannot be opened" if damage else "Restore from backup"
        super().__init__(theme, title, parent, size=(860, 480))
        self._recovery, self._damage = recovery, damage
        self._lines: Sequence[BackupLine] = ()
        self.jobs = Jobs("backups", self)
        self.list = plain_table("Backups", "Made", "Why", "Tossups", "Words", "Effect of restoring")
        self.list.setColumnHidden(4, bool(damage))
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        header = self.list.header()
        header.setStretchLastSection(True)
        for column in range(4):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(self._enable)
        self.report = named(QPlainTextEdit(), "Rescued")
        self.report.setReadOnly(True)
        self.report.hide()
        self.body.addWidget(self.label(damage or "Backups of your tossups", TextStyle.HEADING))
        self.body.addWidget(self.label(DAMAGED if damage else EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.report, 1)
        self.where = self.label(f"The backups are in {recovery.folder}.", TextStyle.CAPTION)
        self.body.addWidget(self.where)
        self.restore = self.add_primary("Restore", self._restore)
        if damage:
            self.rescue = self.add_aside("Rescue what can be read", self._rescue)
            self.name_close_button("Quit")
        else:
            self.back_up = self.add_aside("Back up now", self._back_up)
        self._read()

    def done(self, result: int) -> None:
        self.jobs.stop()
        super().done(result)

    @property
    def chosen(self) -> BackupLine | None:
        item = self.list.currentItem()
        row = -1 if item is None else self.list.indexOfTopLevelItem(item)
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def _read(self, message: str = "") -> None:
        def show(lines: tuple[BackupLine, ...]) -> None:
            self._show(lines)
            self.show_message(message or ("" if lines or self._damage else NOTHING))

        self._work("Reading the backups…", self._recovery.lines, show)

    def _show(self, lines: Sequence[BackupLine]) -> None:
        self._lines = lines
        self.list.clear()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for line in lines:
            made = relative_time(int(line.made.timestamp() * 1000), now_ms())
            item = QTreeWidgetItem([made, line.reason, f"{line.tossups:,}", f"{line.words:,}", line.change])
            for column in (2, 3):
                item.setTextAlignment(column, right)
            item.setToolTip(4, plain_tooltip(line.change))
            item.setToolTip(0, plain_tooltip(str(line.path)))
            self.list.addTopLevelItem(item)
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        self._enable()

    def _enable(self, *_: object) -> None:
        self.set_ready(self.chosen is not None and not self.chosen.trouble)

    def _work(
        self, text: str, do: Callable[[Callable[[int, int], None]], object], then: Callable[..., object]
    ) -> None:
        self.run_job(self.jobs, text, do, then, closable=False)

    def _back_up(self) -> None:
        def take(_: object) -> None:
            self._read("The backup is ready. It stays until you delete its file.")

        self._work(
            "Backing up…", lambda progress: self._recovery.back_up(requested=True, progress=progress), take
        )

    def _restore(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        path = chosen.path
        restore = self._recovery.restore_closed if self._damage else self._recovery.restore
        self.restoring.emit()

        def take(aside: Path) -> None:
            self.restored.emit(path, aside)
            self.accept()

        self._work("Restoring…", lambda _: restore(path), take)

    def _rescue(self) -> None:
        def take(result: tuple[RescueReport, Path]) -> None:
            report, aside = result
            self.list.hide()
            self.where.hide()
            self.rescue.hide()
            self.restore.hide()
            self.report.setPlainText("\n".join(report.lines))
            self.report.show()
            self.show_message(f"The damaged database is kept in {aside}.")
            self.add_primary("Open QuizWriter", self.accept)

        self._work("Rescuing…", self._recovery.rescue_closed, take)

    def show_failure(self, text: str) -> None:
        self.failed.emit()
        super().show_failure(text)
