"""Timers that go off once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class SingleShot(QObject):
    """Calls a function once, a while after each start; a start in that time begins it anew.

    Unlike with Qt's own timer, a signal with a number can be connected to :meth:`start`, and a start with
    another pause is for once.
    """

    def __init__(self, parent: QObject, milliseconds: int, do: Callable[[], object]) -> None:
        super().__init__(parent)
        self._milliseconds = milliseconds
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(do)
        self._ended = False

    def start(self) -> None:
        self.start_in(self._milliseconds)

    def start_in(self, milliseconds: int) -> None:
        if not self._ended:
            self._timer.start(milliseconds)

    def stop(self) -> None:
        self._timer.stop()

    def end(self) -> None:
        """Stop for good, because the window closes: a start does nothing any more."""
        self._ended = True
        self._timer.stop()

    def isActive(self) -> bool:
        return self._timer.isActive()
