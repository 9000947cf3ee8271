"""Slow work off the window's thread, on one pool of threads.

The jobs of one :class:`Jobs` run one after another, those of different ones beside each other. It costs
nothing while it has no job, so every part of the window that must not wait for others has its own.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThreadPool, Signal, Slot

from quizwriter.cancellation import Progress
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.timers import SingleShot

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE_MS = 60_000
"""How long the window waits for a thread when it closes; longer than any load."""

MOST_THREADS = 16
"""How many jobs run at once at most: more than there are queues in a program with every window open."""

ANSWER_S = 1.0
"""How long an answer that a writer waits for may take all turns, if it does not come before."""

_LOOK_S = 0.01  # between two looks whether it came


class BugReports(QObject):
    """The one door for bugs: any thread emits a traceback in ``reported``, and the main window shows it."""

    reported = Signal(str)


bugs = BugReports()
"""The door of this process."""


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


_answered_at = 0.0  # until then somebody waits for an answer


def answer_first() -> None:
    """Keep what calls :func:`give_way` waiting: the writer waits for an answer."""
    global _answered_at
    _answered_at = time.monotonic() + ANSWER_S


def answered() -> None:
    """Let go on what waits, because the writer has the answer."""
    global _answered_at
    _answered_at = 0.0


def give_way() -> None:
    """Wait while the writer waits for an answer; a job does so before it begins, a slow one between parts."""
    while (left := _answered_at - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK_S))


def _begin(job: Callable[[], None]) -> None:
    if _held is not None:
        _held.append(job)
        return
    pool = QThreadPool.globalInstance()
    pool.setMaxThreadCount(max(MOST_THREADS, pool.maxThreadCount()))
    pool.start(job)


def stop_background(owner: QObject) -> None:
    """Stop the timers and the jobs of ``owner`` and of everything that belongs to it, because it closes."""
    for timer in owner.findChildren(SingleShot):
        timer.end()
    for jobs in owner.findChildren(Jobs):
        jobs.stop()


def _ignore(text: str) -> None:
    """Leave a failure to the log."""


def unheard(done: int, total: int) -> None:
    """Leave progress untold."""


def _always() -> bool:
    return True


@dataclass(frozen=True)
class _Job:
    do: Callable[[Progress], Any]
    then: Callable[[Any], object]
    failed: Callable[[str], object]
    still: Callable[[], bool]
    told: Callable[[int, int], object]


class Jobs(QObject):
    """The background work of one window or pane, one job after another.

    Where it has an owner, :func:`stop_background` stops it with that. The name is for the log.
    """

    _progressed = Signal(object, int, int)
    _finished = Signal(object, object)

    def __init__(self, name: str, owner: QObject | None = None) -> None:
        super().__init__(owner)
        self._name = name
        self._stopped = False
        self._waiting: deque[_Job] = deque()
        self._job: _Job | None = None  # the one that runs
        self._runs = False  # whether a job was started whose answer has not been taken yet
        self._ended = threading.Event()  # whether no job is in another thread
        self._ended.set()
        # A decorated slot of an object living here: a bare function would run in the job's thread.
        self._progressed.connect(self._tell)
        self._finished.connect(self._take)

    def ask(
        self,
        do: Callable[[Progress], T],
        then: Callable[[T], object],
        failed: Callable[[str], object] = _ignore,
        *,
        still: Callable[[], bool] = _always,
        told: Callable[[int, int], object] = unheard,
    ) -> None:
        """Call ``do`` in another thread, then ``then`` in this one with its result.

        ``told`` gets in this thread the progress that ``do`` tells. After a QuizwriterError, ``failed`` gets
        its sentences instead of a result; after a bug, which is logged and reported in :data:`bugs`, an empty
        text. None of them is called once ``still`` is false, or after a stop.
        """
        if self._stopped:
            return
        self._waiting.append(_Job(do, then, failed, still, told))
        if not self._runs:
            self._start_next()

    def stop(self) -> None:
        """Begin no other job, wait for the one that runs, and take no answer any more."""
        release_jobs()  # one that is held back would be waited for
        answered()  # so would one that gives way to the answer, which the window cannot paint meanwhile
        self._stopped = True
        self._waiting.clear()
        self._ended.wait(PATIENCE_MS / 1000)

    def _start_next(self) -> None:
        self._job = self._waiting.popleft()
        self._runs = True
        self._ended.clear()
        _begin(self._run)

    def _run(self) -> None:
        job = self._job
        assert job is not None
        answer = partial(job.failed, "")
        try:
            give_way()
            answer = partial(job.then, job.do(partial(self._progressed.emit, job)))
        except QuizwriterError as trouble:
            log.info("a job of %s failed: %s", self._name, trouble)
            answer = partial(job.failed, str(trouble))
        except Exception:
            log.exception("a job of %s failed", self._name)
            bugs.reported.emit(traceback.format_exc())
        self._finished.emit(job, answer)
        del job, answer  # or a widget that they hold could be deleted in this thread
        self._ended.set()

    @Slot(object, int, int)
    def _tell(self, job: _Job, done: int, total: int) -> None:
        if not self._stopped and job.still():
            job.told(done, total)

    @Slot(object, object)
    def _take(self, job: _Job, answer: Callable[[], object]) -> None:
        self._ended.wait()  # until the worker has returned
        self._runs = False
        self._job = None
        if self._waiting:
            self._start_next()
        if not self._stopped and job.still():
            answer()
