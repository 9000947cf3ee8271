"""Savings brought from the system's memory to the disk, while the next ones are already written."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from quizwriter.gui.background.jobs import Jobs


class DiskSync(QObject):
    """Calls ``sync`` in another thread after each saving, once for all that were made meanwhile.

    A saving survives the end of the program as soon as it is written, and a power failure as soon as it is
    synced. A disk may need half a second for that. If each saving waited for it, the end of the program would
    cost what was typed in that time.
    """

    _saved = Signal()

    def __init__(self, sync: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sync = sync
        self._jobs = Jobs("disk", self)
        self._runs = self._again = self._ended = False
        self._saved.connect(self._start)  # a saving is made in any thread

    def follow(self) -> None:
        """Sync soon, because something was saved. Any thread may call it."""
        if not self._ended:
            self._saved.emit()

    def end(self) -> None:
        """Follow no more: the store may outlive the window."""
        self._ended = True

    @Slot()
    def _start(self) -> None:
        if self._runs:
            self._again = True
            return
        self._runs = True
        self._jobs.ask(lambda _: self._sync(), self._finish, self._finish)

    def _finish(self, _: object) -> None:
        self._runs = False
        if self._again:
            self._again = False
            self._start()
