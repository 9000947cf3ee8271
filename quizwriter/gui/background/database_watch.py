"""Notices when another program, such as a command, writes into the database that the window shows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from quizwriter.gui.background.jobs import Jobs

WATCH_MS = 2_000
"""How often the database is asked."""


class DatabaseWatch(QObject):
    """``changed`` says that another program has written since the last time it was asked."""

    changed = Signal()

    def __init__(self, version: Callable[[], int], parent: QObject) -> None:
        """``version`` gives a number that other programs change by writing; any thread may call it."""
        super().__init__(parent)
        self._version = version
        self._known: int | None = None
        self.asks = False
        """Whether an answer has not come yet."""
        self._jobs = Jobs("database watch", self)
        self._timer = QTimer(self)
        self._timer.setInterval(WATCH_MS)
        self._timer.timeout.connect(self.ask)

    def start(self) -> None:
        self.ask()
        self._timer.start()

    def stop(self) -> None:
        """Ask no more, and end the thread."""
        self._timer.stop()
        self._jobs.stop()

    def ask(self) -> None:
        if not self.asks:
            self.asks = True
            self._jobs.ask(lambda _: self._version(), self._take, self._miss)

    def _miss(self, _: str) -> None:
        self.asks = False

    def _take(self, version: int) -> None:
        self.asks = False
        if self._timer.isActive():
            known, self._known = self._known, version
            if known is not None and version != known:
                self.changed.emit()
