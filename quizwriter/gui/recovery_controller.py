"""What keeps the tossups safe while the window is open: the disk, the daily backup, *Restore from backup*."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.gui.background.disk_sync import DiskSync
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.background.saver import FLUSH_MS
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.writing.panes import WindowContext

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.backups import BackupsDialog
    from quizwriter.gui.dialogs.who_is_who import PeopleDialog

FIRST_MS = 30_000
"""The time, in ms, from the start of the window to the first look whether a backup is due."""

AGAIN_MS = 3_600_000
"""The same, in ms, from one look to the next: a window may stay open for weeks."""


class RecoveryController(QObject):
    """Makes the daily backup and restores one.

    ``restored``: the database holds something else now. ``replaced``: another program put another database in
    its place.
    """

    restored = Signal()
    replaced = Signal()
    _replaced = Signal(Path)  # with the backup of the former database

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._app, self._theme, self._window = context.app, context.theme, context.window
        self._saver, self._save, self._messages = context.saver, context.save, context.panes.messages
        self._cancellation = Cancellation()
        self.jobs = Jobs("daily backup", self)
        self._later = SingleShot(self, FIRST_MS, self.back_up_if_due)
        self.disk = DiskSync(lambda: self._app.recovery.sync(), self)
        self.dialog: BackupsDialog | None = None
        self.people_dialog: PeopleDialog | None = None
        self.busy = False
        """Whether a backup is being restored, so that nothing may be saved."""
        self._ended = False
        self._replaced.connect(self._show_replaced)  # a saving is made in any thread

    def start(self) -> None:
        """Make a backup on each day from now on, and bring each saving to the disk without waiting for it."""
        self._later.start()
        self._app.recovery.serve_window(self.disk.follow, self._take_replaced)

    def shutdown(self) -> None:
        """Make no more backups; the one under way is given up."""
        self._ended = True
        self.disk.end()
        self._cancellation.cancel()
        stop_background(self)

    def back_up_if_due(self) -> None:
        """Make today's backup in the background, unless there is one."""

        def make(_: object) -> None:
            with suppress(Cancelled):
                if self._app.recovery.is_backup_due():
                    self._app.recovery.back_up(cancellation=self._cancellation)

        def failed(trouble: str) -> None:
            self._messages.show_message("backup", trouble, [("Restore from backup…", self.open_backups)])

        self.jobs.ask(make, lambda _: None, failed)
        self._later.start_in(AGAIN_MS)

    def open_backups(self) -> None:
        from quizwriter.gui.dialogs.backups import BackupsDialog

        self._save()
        self.dialog = BackupsDialog(self._app.recovery, self._theme, self._window)
        self.dialog.restoring.connect(self._begin)
        self.dialog.failed.connect(self._end)
        self.dialog.restored.connect(self._take_restored)
        self.dialog.open()

    def open_people(self) -> None:
        """Show the people; to forget one replaces what the database holds, as a restored backup does."""
        from quizwriter.gui.dialogs.who_is_who import PeopleDialog

        self._save()
        dialog = PeopleDialog(self._app, self._theme, self.jobs, self._window)
        dialog.erasing.connect(self._begin)
        dialog.erased.connect(self._end)
        dialog.erased.connect(self.restored)
        dialog.changed.connect(self.restored)
        dialog.show()
        self.people_dialog = dialog

    def _begin(self) -> None:
        self._save()
        self._saver.flush(FLUSH_MS)
        self.busy = True

    def _end(self) -> None:
        self.busy = False

    def _take_restored(self, backup: Path, aside: Path) -> None:
        self.busy = False
        self.restored.emit()
        self._messages.show_message(
            "restored",
            f"The backup {backup.name} is restored. What you had before is kept as a backup.",
            [("Undo", lambda: self._undo(aside))],
            news=True,
        )

    def _take_replaced(self, aside: Path) -> None:
        if not self._ended:  # the store may outlive the window
            self._replaced.emit(aside)

    @Slot(Path)
    def _show_replaced(self, aside: Path) -> None:
        self._messages.show_message(
            "replaced",
            "Another program put another database in the place of the open one. What was saved until then is "
            f"kept in {aside}, which you can restore.",
            [("Restore from backup…", self.open_backups)],
        )
        self.replaced.emit()

    def _undo(self, aside: Path) -> None:
        from quizwriter.gui.dialogs.replace_in_set import UndoDialog

        def take(_: object) -> None:
            self.busy = False
            self.restored.emit()
            self._messages.show_message("restored", "Undone: everything is as it was before.", brief=True)

        self._messages.dismiss("restored")
        self._begin()
        dialog = UndoDialog(self._theme, self._window)
        dialog.undone.connect(take)
        dialog.failed.connect(self._end)
        dialog.open()  # nobody types into what is replaced
        dialog.undo(self.jobs, self._saver.settle, lambda: self._app.recovery.restore(aside))
