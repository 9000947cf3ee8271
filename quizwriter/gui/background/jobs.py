"""Slow work that the writer asked for, off the window's thread, on one pool of threads.

Jobs of one queue run one after another, jobs of different queues beside each other. A queue costs nothing
while it has no job, so every part of the window that must not wait for others has a queue with its own key.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThreadPool, Signal, Slot

from quizwriter.errors import QuizwriterError

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE_MS = 60_000
"""How long the window waits for a thread when it closes; longer than any load."""

MOST_THREADS = 16
"""How many jobs run at once at most: more than there are queues in a program with every window open."""

Progress = Callable[[int, int], None]
"""Is told how many of how many things are done."""


_held: list[Callable[[], None]] | None = None  # the jobs that are held back; None: they begin at once


def hold_jobs() -> None:
    """Begin no job until :func:`release_jobs`: the first paint of a window would take turns with it."""
    global _held
    if _held is None:
        _held = []


def release_jobs() -> None:
    """Begin the jobs that were held back, and all others at once from now on."""
    global _held
    held, _held = _held or [], None
    for job in held:
        _begin(job)


def _begin(job: Callable[[], None]) -> None:
    if _held is not None:
        _held.append(job)
        return
    pool = QThreadPool.globalInstance()
    pool.setMaxThreadCount(max(MOST_THREADS, pool.maxThreadCount()))
    pool.start(job)


class JobQueue(QObject):
    """The jobs with one ``key``, one after another.

    ``progressed`` says how many of how many things the running job has done, ``broke`` carries the traceback
    of a bug. The key names the queue in the log.
    """

    progressed = Signal(int, int)
    broke = Signal(str)

    _finished = Signal(object, object)

    def __init__(self, key: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._key = key
        self._stopped = False
        self._waiting: deque[tuple[Callable[[Progress], Any], Callable[[Any], object]]] = deque()
        self._runs = False  # whether a job was started that has not been taken yet
        self._ended = threading.Event()  # whether no job is in another thread
        self._ended.set()
        # A decorated slot of an object living here: a bare function would run in the job's thread.
        self._finished.connect(self._take)

    def run(self, do: Callable[[Progress], T], then: Callable[[T | QuizwriterError | None], object]) -> None:
        """Have ``do`` called in another thread, and ``then`` in this one.

        ``then`` gets the result, or the QuizwriterError, or None after a bug. After :meth:`stop` nothing is
        done any more.
        """
        if self._stopped:
            return
        self._waiting.append((do, then))
        if not self._runs:
            self._start_next()

    def stop(self) -> None:
        """Begin no other job, and wait for the one that runs."""
        release_jobs()  # one that is held back would be waited for
        self._stopped = True
        self._waiting.clear()
        self._ended.wait(PATIENCE_MS / 1000)

    def _start_next(self) -> None:
        do, then = self._waiting.popleft()
        self._runs = True
        self._ended.clear()

        def job() -> None:
            result: object = None
            try:
                result = do(self.progressed.emit)
            except QuizwriterError as trouble:
                log.info("a job of %s failed: %s", self._key, trouble)
                result = trouble
            except Exception:
                log.exception("a job of %s failed", self._key)
                self.broke.emit(traceback.format_exc())
            self._finished.emit(then, result)
            self._ended.set()

        _begin(job)

    @Slot(object, object)
    def _take(self, then: Callable[[object], object], result: object) -> None:
        self._ended.wait()  # the job's thread is at its last line
        self._runs = False
        if self._waiting:
            self._start_next()
        then(result)
