"""Slow work that the writer asked for, off the window's thread."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QThread, Signal, Slot

from quizwriter.errors import QuizwriterError

if TYPE_CHECKING:
    pass

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE_MS = 60_000
"""How long the window waits for a thread when it closes; longer than any load."""


Progress = Callable[[int, int], None]
"""Is told how many of how many things are done."""


class _JobWorker(QObject):
    """Lives in the errands' thread."""

    done = Signal(object, object)
    progressed = Signal(int, int)
    broke = Signal(str)

    @Slot(object, object)
    def run(self, do: Callable[[Progress], object], then: object) -> None:
        result: object = None
        try:
            result = do(self.progressed.emit)
        except QuizwriterError as trouble:
            log.info("an errand failed: %s", trouble)
            result = trouble
        except Exception:
            log.exception("an errand failed")
            self.broke.emit(traceback.format_exc())
        self.done.emit(then, result)


class JobQueue(QObject):
    """Slow work that the writer asked for, one piece after the other in a thread of its own.

    ``progressed`` says how many of how many things are done, ``broke`` carries the traceback of a bug.
    """

    progressed = Signal(int, int)
    broke = Signal(str)

    _run = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._stopped = False
        self._thread = QThread()
        self._thread.setObjectName("errands")
        self._runner = _JobWorker()
        self._runner.moveToThread(self._thread)
        self._run.connect(self._runner.run)
        self._runner.done.connect(self._take)
        self._runner.progressed.connect(self.progressed)
        self._runner.broke.connect(self.broke)

    def run(self, do: Callable[[Progress], T], then: Callable[[T | QuizwriterError | None], object]) -> None:
        """Have ``do`` called in the thread, and ``then`` in this one.

        ``then`` gets the result, or the QuizwriterError, or None after a bug. After :meth:`stop` nothing is
        done any more.
        """
        if self._stopped:
            return
        if not self._thread.isRunning():
            self._thread.start()
        self._run.emit(do, then)

    def stop(self) -> None:
        """End the thread; what is being done is finished first."""
        self._stopped = True
        self._thread.quit()
        self._thread.wait(PATIENCE_MS)

    @Slot(object, object)
    def _take(self, then: Callable[[object], object], result: object) -> None:
        then(result)
