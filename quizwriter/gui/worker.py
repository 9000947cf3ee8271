"""The threads beside the window's: one reads drafts to the players, one writes to the disk, one runs errands.

The only file that names threads; everything else is written as if there were one.
"""

from __future__ import annotations

import gc
import logging
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from quizwriter.errors import QuizwriterError
from quizwriter.workflow.analysis import Analyst, Request
from quizwriter.workflow.writing import Saving

if TYPE_CHECKING:
    from quizwriter.app import Engine

log = logging.getLogger(__name__)

T = TypeVar("T")

SWEEP_MS = 1_000
"""How often the window's thread looks whether there is garbage."""

RETRY_MS = 2_000
"""How long after a failed saving the next try is, unless more is typed before."""

PATIENCE_MS = 60_000
"""How long the window waits for a thread when it closes; longer than any load."""


@contextmanager
def sweeping_here() -> Iterator[None]:
    """Python's cyclic garbage is collected in this thread only, between events.

    Otherwise whichever thread happens to trip the collector would destroy widgets that another one is
    painting, and Qt crashes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    timer = QTimer()
    timer.setInterval(SWEEP_MS)
    timer.timeout.connect(_sweep)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
        if was_enabled:
            gc.enable()


def _sweep() -> None:
    for generation in (2, 1, 0):
        if gc.get_count()[generation] > gc.get_threshold()[generation]:
            gc.collect(generation)
            return


@dataclass
class _Newest:
    """The one number that both threads see: the window's writes it, the worker's reads it."""

    ticket: int = 0


class _Reader(QObject):
    """Lives in the worker thread. A ticket that is no longer the newest is dropped at every step."""

    loaded = Signal(object)
    refused = Signal(object)
    analysed = Signal(int, object)
    broke = Signal(str)

    def __init__(self, newest: _Newest) -> None:
        super().__init__()
        self._newest = newest
        self._analyst: Analyst | None = None

    @Slot(object)
    def load(self, load: Callable[[], Engine]) -> None:
        try:
            engine = load()
        except QuizwriterError as trouble:
            log.info("no engine: %s", trouble)
            self.refused.emit(trouble)
        except Exception:
            log.exception("the engine could not be loaded")
            self.broke.emit(traceback.format_exc())
        else:
            self._analyst = Analyst(engine.players)
            self.loaded.emit(engine)

    @Slot(int, object)
    def read(self, ticket: int, request: Request) -> None:
        if self._analyst is None or ticket != self._newest.ticket:
            return
        try:
            for analysis in self._analyst.analyse(request):
                if ticket != self._newest.ticket:
                    return
                self.analysed.emit(ticket, analysis)
        except Exception:
            log.exception("an analysis failed")
            self.broke.emit(traceback.format_exc())


class Machine(QObject):
    """The players, in a thread of their own; what they say arrives in the window's thread.

    ``loaded`` carries an Engine, ``refused`` a QuizwriterError, ``analysed`` an Analysis of the newest
    request and of no other, ``broke`` the traceback of a bug.
    """

    loaded = Signal(object)
    refused = Signal(object)
    analysed = Signal(object)
    broke = Signal(str)

    _load = Signal(object)
    _read = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self._newest = _Newest()
        self._thread = QThread()
        self._thread.setObjectName("players")
        self._reader = _Reader(self._newest)
        self._reader.moveToThread(self._thread)
        self._load.connect(self._reader.load)
        self._read.connect(self._reader.read)
        # Decorated slots of an object living here: a bare function would run in the worker's thread.
        self._reader.loaded.connect(self.loaded)
        self._reader.refused.connect(self.refused)
        self._reader.analysed.connect(self._take_analysis)
        self._reader.broke.connect(self.broke)
        self._thread.start()

    def load(self, load: Callable[[], Engine]) -> None:
        """Have ``load`` called in the worker's thread; ``loaded`` or ``refused`` follows."""
        self._load.emit(load)

    def submit(self, request: Request) -> None:
        """Have ``request`` read to the players; whatever was asked before is dropped."""
        self._newest.ticket += 1
        self._read.emit(self._newest.ticket, request)

    def forget(self) -> None:
        """Drop whatever was asked."""
        self._newest.ticket += 1

    def stop(self) -> None:
        """End the thread; an analysis on its way ends at its next step."""
        self.forget()
        self._thread.quit()
        self._thread.wait(PATIENCE_MS)

    @Slot(int, object)
    def _take_analysis(self, ticket: int, analysis: object) -> None:
        if ticket == self._newest.ticket:
            self.analysed.emit(analysis)


class _Writer(QObject):
    """Lives in the saver's thread; keeps what could not be saved and tries again."""

    saved = Signal(object)
    settled = Signal(int)
    troubled = Signal(object)
    broke = Signal(str)

    def __init__(self, save: Callable[[Saving], None], retry_ms: int) -> None:
        super().__init__()
        self._save = save
        self._waiting: dict[str, Saving] = {}
        self._number = 0
        self._retry = QTimer(self)  # a child, so that it moves to the thread too
        self._retry.setSingleShot(True)
        self._retry.setInterval(retry_ms)
        self._retry.timeout.connect(self.write)

    @Slot(int, object)
    def keep(self, number: int, saving: Saving) -> None:
        self._number = number
        earlier = self._waiting.get(saving.tossup_id)
        self._waiting[saving.tossup_id] = earlier.before(saving) if earlier else saving
        self.write()

    @Slot()
    def write(self) -> None:
        """Save what waits; a tossup that cannot be saved does not hold up the others."""
        self._retry.stop()
        for tossup_id, saving in list(self._waiting.items()):
            try:
                self._save(saving)
            except QuizwriterError as trouble:
                log.warning("not saved yet: %s", trouble)
                self.troubled.emit(trouble)
            except Exception:
                log.exception("not saved yet")
                self.broke.emit(traceback.format_exc())
            else:
                del self._waiting[tossup_id]
                self.saved.emit(saving)
        if self._waiting:
            self._retry.start()
        else:
            self.settled.emit(self._number)

    @Slot(object)
    def flush(self, done: Future[bool]) -> None:
        self.write()
        done.set_result(not self._waiting)

    @Slot()
    def halt(self) -> None:
        self._retry.stop()  # a timer must be stopped in its own thread, so before that ends
        QThread.currentThread().quit()


class Saver(QObject):
    """The way to the disk, in a thread of its own, so that no key ever waits for it.

    ``saved`` carries a Saving that is on disk, ``settled`` says that everything is, ``troubled`` carries
    a QuizwriterError and ``broke`` the traceback of a bug: what was to be saved is kept and tried again.
    """

    saved = Signal(object)
    settled = Signal()
    troubled = Signal(object)
    broke = Signal(str)

    _keep = Signal(int, object)
    _flush = Signal(object)
    _halt = Signal()

    def __init__(self, save: Callable[[Saving], None], *, retry_ms: int = RETRY_MS) -> None:
        super().__init__()
        self._asked = 0
        self._done = 0
        self._thread = QThread()
        self._thread.setObjectName("saver")
        self._writer = _Writer(save, retry_ms)
        self._writer.moveToThread(self._thread)
        self._keep.connect(self._writer.keep)
        self._flush.connect(self._writer.flush)
        self._halt.connect(self._writer.halt)
        self._writer.saved.connect(self.saved)
        self._writer.settled.connect(self._take_settled)
        self._writer.troubled.connect(self.troubled)
        self._writer.broke.connect(self.broke)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Whether everything handed over is on disk."""
        return self._done == self._asked

    def keep(self, saving: Saving) -> None:
        """Have ``saving`` put on disk soon."""
        self._asked += 1
        self._keep.emit(self._asked, saving)

    def flush(self, within_ms: int) -> bool:
        """Wait until everything is on disk; False if that fails or takes longer."""
        done: Future[bool] = Future()
        self._flush.emit(done)
        try:
            return done.result(within_ms / 1000)
        except TooLate:
            return False

    def stop(self) -> None:
        """End the thread."""
        self._halt.emit()
        self._thread.wait(PATIENCE_MS)

    @Slot(int)
    def _take_settled(self, number: int) -> None:
        self._done = number
        if self.idle:
            self.settled.emit()


Progress = Callable[[int, int], None]
"""Is told how many of how many things are done."""


class _Runner(QObject):
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


class Errands(QObject):
    """Slow work that the writer asked for, one piece after the other in a thread of its own.

    ``progressed`` says how many of how many things are done, ``broke`` carries the traceback of a bug.
    """

    progressed = Signal(int, int)
    broke = Signal(str)

    _run = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._thread = QThread()
        self._thread.setObjectName("errands")
        self._runner = _Runner()
        self._runner.moveToThread(self._thread)
        self._run.connect(self._runner.run)
        self._runner.done.connect(self._take)
        self._runner.progressed.connect(self.progressed)
        self._runner.broke.connect(self.broke)

    def run(self, do: Callable[[Progress], T], then: Callable[[T | QuizwriterError | None], object]) -> None:
        """Have ``do`` called in the thread, and ``then`` in this one.

        ``then`` gets the result, or the QuizwriterError, or None after a bug.
        """
        if not self._thread.isRunning():
            self._thread.start()
        self._run.emit(do, then)

    def stop(self) -> None:
        """End the thread; what is being done is finished first."""
        self._thread.quit()
        self._thread.wait(PATIENCE_MS)

    @Slot(object, object)
    def _take(self, then: Callable[[object], object], result: object) -> None:
        then(result)
