"""The threads beside the window's, and programs beside this one.

Three threads read drafts to the players, one loads, one writes to the disk, one runs errands. The only file
that starts threads; everything else is written as if there were one, but for :mod:`quizwriter.engine.player_process`, whose
processes several threads may ask.
"""

from __future__ import annotations

import gc
import json
import logging
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QProcess, QThread, QTimer, Signal, Slot

from quizwriter.domain.guessing import Playthrough
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.analysis import Analysis, Analyst, Player, Request, with_exact_weights
from quizwriter.workflow.session import PendingSave
from quizwriter.workflow.wording import retry_line

if TYPE_CHECKING:
    from quizwriter.services.wiring import Engine

log = logging.getLogger(__name__)

T = TypeVar("T")

TURN_S = 0.0005
"""How long a player's thread computes before the window's gets its turn; Python's own 5 ms can be felt."""

SWEEP_MS = 1_000
"""How often the window's thread looks whether there is garbage."""

TOGETHER_MS = 15
"""How long the first of several slower players waits for the next, so that both are painted in one go."""

RETRY_MS = 2_000
"""How long after a failed saving the next try is, unless more is typed before."""

AGAIN_MS, AT_MOST_MS = 1_000, 30_000
"""How long after a trouble a distant player is asked again: twice as long after each, up to the second."""

PAUSE_MS = 300
"""How long no key is pressed before a distant player hears of a new draft: servers are shared."""

PATIENCE_MS = 60_000
"""How long the window waits for a thread when it closes; longer than any load."""

STOP_MS = 1_500
"""How long a program may take to end in good order before it is ended without; ours take a second at most."""

MOST_ERRORS = 20_000
"""Bytes of what a program says when it breaks."""


@contextmanager
def collecting_garbage_here() -> Iterator[None]:
    """Python's cyclic garbage is collected in this thread only, between events.

    Otherwise whichever thread happens to trip the collector would destroy widgets that another one is
    painting, and Qt crashes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()  # modules and the window are here to stay: the first sweeps would take 50 ms over them
    interval = sys.getswitchinterval()
    sys.setswitchinterval(TURN_S)
    timer = QTimer()
    timer.setInterval(SWEEP_MS)
    timer.timeout.connect(_collect_garbage)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
        gc.unfreeze()
        sys.setswitchinterval(interval)
        if was_enabled:
            gc.enable()


def _collect_garbage() -> None:
    for generation in (2, 1, 0):
        if gc.get_count()[generation] > gc.get_threshold()[generation]:
            gc.collect(generation)
            return


@dataclass
class _NewestTicket:
    """The one number that both threads see: the window's writes it, the worker's reads it."""

    ticket: int = 0


class _AnalysisWorker(QObject):
    """Lives in a worker thread. A ticket that is no longer the newest is dropped at every step."""

    analysed = Signal(int, int, object)
    broke = Signal(str)

    def __init__(self, newest: _NewestTicket, number: int) -> None:
        super().__init__()
        self._newest = newest
        self._number = number
        self._analyst = Analyst(())

    @Slot(object)
    def use(self, players: Sequence[Player]) -> None:
        self._analyst = Analyst(players)

    @Slot(int, object)
    def read(self, ticket: int, request: Request) -> None:
        if ticket != self._newest.ticket:
            return
        try:
            for analysis in self._analyses(request):
                if ticket != self._newest.ticket:
                    return
                self.analysed.emit(ticket, self._number, analysis)
        except Exception:
            log.exception("an analysis failed")
            self.broke.emit(traceback.format_exc())

    def _analyses(self, request: Request) -> Iterator[Analysis]:
        return self._analyst.analyse(request)


class _ServerAnalysisWorker(_AnalysisWorker):
    """Reads to those who ask over a network, once the writer pauses.

    After a trouble they are left alone for a while, longer every time, in which the trouble is said again at
    once. Then the newest draft is read to them, whether or not anybody types.
    """

    def __init__(self, newest: _NewestTicket, number: int, again_ms: int, pause_ms: int) -> None:
        super().__init__(newest, number)
        self._first_ms = self._wait_ms = again_ms
        self._last: tuple[int, Request] | None = None
        self._anybody = False
        self._said: tuple[Playthrough, ...] = ()  # by those who are in trouble
        self._again = QTimer(self)  # a child, so that it moves to the thread too
        self._again.setSingleShot(True)
        self._again.timeout.connect(self.try_again)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(pause_ms)
        self._pause.timeout.connect(self.read_last)

    @Slot(object)
    def use_anew(self, players: Sequence[Player]) -> None:
        self.use(players)
        self._anybody = bool(players)
        self._again.stop()
        self._said, self._wait_ms = (), self._first_ms

    @Slot(int, object)
    def hear(self, ticket: int, request: Request) -> None:
        typed = self._last is None or request.tossup != self._last[1].tossup
        self._last = ticket, request
        if self._said:
            self.read_last()
        elif typed:
            self._pause.start()
        elif not self._pause.isActive():
            self.read_last()

    @Slot()
    def read_last(self) -> None:
        if self._last is not None and self._anybody:
            self.read(*self._last)

    @Slot()
    def try_again(self) -> None:
        self._said = ()
        self.read_last()

    @Slot()
    def halt(self) -> None:
        self._again.stop()  # a timer must be stopped in its own thread, so before that ends
        self._pause.stop()
        QThread.currentThread().quit()

    def _analyses(self, request: Request) -> Iterator[Analysis]:
        if self._said:
            awake = [play for play in self._said if play.guesser not in request.silent]
            plays = tuple(replace(play, tossup=request.tossup) for play in awake)
            yield Analysis(request, plays, done=True)
            return
        for analysis in super()._analyses(request):
            said = [
                replace(play, trouble=retry_line(play.trouble)) if play.trouble else play
                for play in analysis.plays
            ]
            told = replace(analysis, plays=tuple(said))
            self._heed(told)
            yield told

    def _heed(self, analysis: Analysis) -> None:
        """Leave those in trouble alone from now on."""
        if self._said or not analysis.plays:
            return
        self._said = tuple(play for play in analysis.plays if play.trouble is not None)
        if self._said:
            self._again.start(self._wait_ms)
            self._wait_ms = min(2 * self._wait_ms, AT_MOST_MS)
        elif analysis.done:
            self._wait_ms = self._first_ms


class _EngineLoader(QObject):
    """Lives in the thread for what may take its time: the engine, and exact evidence."""

    loaded = Signal(object)
    refused = Signal(object)
    sharpened = Signal(int, object)
    broke = Signal(str)

    def __init__(self, newest: _NewestTicket) -> None:
        super().__init__()
        self._newest = newest

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
            self.loaded.emit(engine)

    @Slot(int, object, object)
    def sharpen(self, ticket: int, players: Sequence[Player], analysis: Analysis) -> None:
        if ticket != self._newest.ticket:
            return
        try:
            self.sharpened.emit(ticket, with_exact_weights(players, analysis))
        except Exception:
            log.exception("exact evidence failed")
            self.broke.emit(traceback.format_exc())


class AnalysisRunner(QObject):
    """The players, in threads of their own; what they say arrives in the window's thread.

    The first player, which is the quickest, has a thread to itself, so that it need not wait for a slow
    one's game of a draft that is old already; what can take seconds has another, and what asks over a network
    a third. An analysis is done without the distant players, unless it is their evidence that is wanted.

    ``loaded`` carries an Engine, ``refused`` a QuizwriterError, ``analysed`` an Analysis of the newest
    request and of no other, ``broke`` the traceback of a bug.
    """

    loaded = Signal(object)
    refused = Signal(object)
    analysed = Signal(object)
    broke = Signal(str)

    _load = Signal(object)
    _use_first = Signal(object)
    _use_others = Signal(object)
    _use_distant = Signal(object)
    _read = Signal(int, object)
    _sharpen = Signal(int, object, object)
    _halt = Signal()

    def __init__(self, *, again_ms: int = AGAIN_MS, pause_ms: int = PAUSE_MS) -> None:
        super().__init__()
        self._newest = _NewestTicket()
        self._players: tuple[Player, ...] = ()
        self._parts: dict[int, Analysis] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._say_all)
        self._loader = _EngineLoader(self._newest)
        self._distant: tuple[Player, ...] = ()
        far = _ServerAnalysisWorker(self._newest, 2, again_ms, pause_ms)
        self._readers = (_AnalysisWorker(self._newest, 0), _AnalysisWorker(self._newest, 1), far)
        self._threads: list[QThread] = []
        for name, inside in zip(
            ("loader", "first player", "players", "distant players"),
            (self._loader, *self._readers),
            strict=True,
        ):
            thread = QThread()
            thread.setObjectName(name)
            inside.moveToThread(thread)
            self._threads.append(thread)
        self._load.connect(self._loader.load)
        self._sharpen.connect(self._loader.sharpen)
        # Decorated slots of an object living here: a bare function would run in the worker's thread.
        self._loader.loaded.connect(self._take_engine)
        self._loader.refused.connect(self.refused)
        self._loader.sharpened.connect(self._take_sharpened)
        self._loader.broke.connect(self.broke)
        self._halt.connect(far.halt)
        self._use_first.connect(self._readers[0].use)
        self._use_others.connect(self._readers[1].use)
        self._use_distant.connect(far.use_anew)
        for reader in self._readers:
            self._read.connect(far.hear if reader is far else reader.read)
            reader.analysed.connect(self._take_analysis)
            reader.broke.connect(self.broke)
        for thread in self._threads:
            thread.start()

    def load(self, load: Callable[[], Engine]) -> None:
        """Have ``load`` called in a worker's thread; ``loaded`` or ``refused`` follows."""
        self._load.emit(load)

    def use(self, engine: Engine) -> None:
        """Let the players of ``engine`` play from now on; ``loaded`` follows at once."""
        self._take_engine(engine)

    def submit(self, request: Request) -> None:
        """Have ``request`` read to the players; whatever was asked before is dropped."""
        self.forget()
        self._read.emit(self._newest.ticket, request)

    def sharpen(self, analysis: Analysis) -> None:
        """Have the evidence of ``analysis``, the newest, worked out exactly; a newer request drops that."""
        self._sharpen.emit(self._newest.ticket, self._players, analysis)

    def forget(self) -> None:
        """Drop whatever was asked."""
        self._newest.ticket += 1
        self._parts.clear()

    def stop(self) -> None:
        """End the threads; an analysis on its way ends at its next step."""
        self.forget()
        self._halt.emit()
        for thread in self._threads[:-1]:
            thread.quit()
        for thread in self._threads:
            thread.wait(PATIENCE_MS)

    @Slot(object)
    def _take_engine(self, engine: Engine) -> None:
        self._players = tuple(engine.players)
        near = [player for player in self._players if not player.distant]
        self._use_first.emit(near[:1])
        self._use_others.emit(near[1:])
        distant = tuple(player for player in self._players if player.distant)
        if distant != self._distant:  # or they go on as they are
            self._distant = distant
            self._use_distant.emit(distant)
        self.loaded.emit(engine)

    @Slot(int, int, object)
    def _take_analysis(self, ticket: int, number: int, analysis: Analysis) -> None:
        if ticket == self._newest.ticket:
            self._parts[number] = analysis
            if number == 0 or analysis.done:
                self._soon.start(0)  # once what is being painted is on the screen
            elif not self._soon.isActive():
                self._soon.start(TOGETHER_MS)

    @Slot(int, object)
    def _take_sharpened(self, ticket: int, analysis: Analysis) -> None:
        if ticket == self._newest.ticket:
            exact = {found.guesser: found for found in analysis.evidence}
            for number, part in self._parts.items():
                found = tuple(exact.get(one.guesser, one) for one in part.evidence)
                self._parts[number] = replace(part, request=analysis.request, evidence=found)
            self._soon.start(0)

    def _say_all(self) -> None:
        """Say what everyone has made of the newest draft."""
        if not self._parts:
            return  # forgotten meanwhile
        request = next(iter(self._parts.values())).request
        first, others, distant = (self._parts.get(at, Analysis(request)) for at in range(3))
        whole = first.beside(others)
        waits = any(request.whose in (None, player.name) for player in self._distant)
        whole = replace(whole.beside(distant), done=whole.done and (distant.done or not waits))
        if whole.plays or whole.done:
            self.analysed.emit(whole)


class _SaveWorker(QObject):
    """Lives in the saver's thread; keeps what could not be saved and tries again."""

    saved = Signal(object)
    settled = Signal(int)
    troubled = Signal(object)
    broke = Signal(str)

    def __init__(self, save: Callable[[PendingSave], None], retry_ms: int) -> None:
        super().__init__()
        self._save = save
        self._waiting: dict[str, PendingSave] = {}
        self._number = 0
        self._retry = QTimer(self)  # a child, so that it moves to the thread too
        self._retry.setSingleShot(True)
        self._retry.setInterval(retry_ms)
        self._retry.timeout.connect(self.write)

    @Slot(int, object)
    def keep(self, number: int, saving: PendingSave) -> None:
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

    def __init__(self, save: Callable[[PendingSave], None], *, retry_ms: int = RETRY_MS) -> None:
        super().__init__()
        self._asked = 0
        self._done = 0
        self._thread = QThread()
        self._thread.setObjectName("saver")
        self._writer = _SaveWorker(save, retry_ms)
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

    def keep(self, saving: PendingSave) -> None:
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


class ChildProcess(QObject):
    """A program of ours in a process of its own, which says how far it is in lines of JSON.

    It ends in good order when its standard input is closed. ``said`` carries a line as a dict; ``ended``
    whether it did what it should, and what it said on the standard error; ``absent`` why it could not be
    started.
    """

    said = Signal(object)
    ended = Signal(bool, str)
    absent = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._output = b""
        self._impatience = QTimer(self)
        self._impatience.setSingleShot(True)
        self._impatience.setInterval(STOP_MS)
        self._impatience.timeout.connect(self._kill)

    @property
    def runs(self) -> bool:
        """Whether it runs."""
        return self._process is not None

    def start(self, command: Sequence[str]) -> None:
        """Start ``command``; only while none runs."""
        assert self._process is None
        self._output = b""
        program, *arguments = command
        process = self._process = QProcess(self)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._failed)
        process.start(program, arguments)

    def stop(self) -> None:
        """Have it end; ``ended`` follows."""
        if self._process is not None:
            self._process.closeWriteChannel()
            self._impatience.start()

    def shutdown(self) -> None:
        """End it and wait for that, because the window closes; nothing more is said."""
        process, self._process = self._process, None
        if process is None:
            return
        process.blockSignals(True)
        process.closeWriteChannel()
        if not process.waitForFinished(STOP_MS):
            process.kill()
            process.waitForFinished(STOP_MS)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _read(self) -> None:
        assert self._process is not None
        self._output += self._process.readAllStandardOutput().data()
        *lines, self._output = self._output.split(b"\n")
        for line in lines:
            try:
                said = json.loads(line)
            except ValueError:
                said = None
            if isinstance(said, dict):
                self.said.emit(said)
            else:
                log.warning("not understood: %r", line[:200])

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._forget()
            self.absent.emit(reason)

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        assert self._process is not None
        self._read()
        errors = bytes(self._process.readAllStandardError().data())[-MOST_ERRORS:].decode("utf-8", "replace")
        self._forget()
        well = status is QProcess.ExitStatus.NormalExit and code == 0
        if not well:
            log.info("a program ended with %s, %s: %s", status, code, errors)
        self.ended.emit(well, errors)

    def _forget(self) -> None:
        self._impatience.stop()
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
