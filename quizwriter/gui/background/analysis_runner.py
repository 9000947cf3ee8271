"""The players, in threads of their own.

The first player has a thread, the others share one, players that ask over a network share a third, those
whose games cost something a fourth, those that play at pauses a fifth, and a sixth loads engines.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from quizwriter.cancellation import Cancelled
from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import Player, Playthrough
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import PATIENCE_MS, bugs
from quizwriter.workflow.analysis import Analysis, Analyst, Request, wanted_evidence, with_exact_weights
from quizwriter.workflow.wording import retry_line

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

log = logging.getLogger(__name__)

T = TypeVar("T")

TOGETHER_MS = 15
"""How long the first of several slower players waits for the next, so that both are painted in one go."""


AGAIN_MS, AT_MOST_MS = 1_000, 30_000
"""How long after a trouble a distant player is asked again: twice as long after each, up to the second."""


PAUSE_MS = 300
"""How long no key is pressed before a distant player hears of a new draft: servers are shared."""


METERED_PAUSE_MS = 2_500
"""The same for a metered player within a sentence: each of its games costs something."""


SLOW_PAUSE_MS = 800
"""The same for a player on this computer that plays at pauses: a game takes a core for a moment."""


class _NewestTicket(msgspec.Struct):
    """The one number that both threads see: the window's writes it, the worker's reads it."""

    ticket: int = 0


class _AnalysisWorker(QObject):
    """Lives in a worker thread. A ticket that is no longer the newest is dropped at every step."""

    analysed = Signal(int, int, object)
    prepared = Signal(int, object)

    def __init__(self, newest: _NewestTicket, number: int) -> None:
        super().__init__()
        self._newest = newest
        self._number = number
        self._analyst = Analyst(())

    @Slot(object)
    def use(self, players: Sequence[Player]) -> None:
        from quizwriter.judging import with_possible  # here, as the window does not wait for the judge

        self._analyst = Analyst(players, with_possible)

    @Slot(int, object)
    def read(self, ticket: int, request: Request) -> None:
        if ticket != self._newest.ticket:
            return
        try:
            for analysis in self._analyses(request):
                if ticket != self._newest.ticket:
                    return
                self.analysed.emit(ticket, self._number, analysis)
        except Cancelled:
            log.info("an analysis ended, because a player was stopped")
        except Exception:
            log.exception("an analysis failed")
            bugs.reported.emit(traceback.format_exc())

    @Slot(int, object)
    def prepare(self, ticket: int, request: Request) -> None:
        if ticket != self._newest.ticket:
            return
        found = Analysis(request)
        try:
            found = self._analyst.prepare(request)
        except Cancelled:
            log.info("evidence ended, because a player was stopped")
        except Exception:
            log.exception("evidence could not be prepared")
            bugs.reported.emit(traceback.format_exc())
        self.prepared.emit(ticket, found)

    def _analyses(self, request: Request) -> Iterator[Analysis]:
        return self._analyst.analyse(request)


class _ServerAnalysisWorker(_AnalysisWorker):
    """Reads to those who ask over a network, once the writer pauses.

    After a trouble they are left alone for a while, longer every time, in which the trouble is said again at
    once. Then the newest draft is read to them, whether or not anybody types.
    """

    def __init__(
        self,
        newest: _NewestTicket,
        number: int,
        again_ms: int,
        pause_ms: int,
        why_barred: Callable[[str], str],
    ) -> None:
        super().__init__(newest, number)
        self._why_barred = why_barred
        self._first_ms = self._wait_ms = again_ms
        self._last: tuple[int, Request] | None = None
        self._anybody = False
        self._said: tuple[Playthrough, ...] = ()  # by those who are in trouble
        self._again = QTimer(self)  # a child, so that it moves to the thread too
        self._again.setSingleShot(True)
        self._again.timeout.connect(self.try_again)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause_ms = pause_ms
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
        elif typed and self._anybody:
            self._pause.start(self._pause_after(request))
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

    def _pause_after(self, request: Request) -> int:
        return self._pause_ms

    def _barred(self, request: Request) -> str:
        """Why the tossup must not leave this computer; empty if it may."""
        try:
            return self._why_barred(request.tossup_id)
        except QuizwriterError as trouble:
            return str(trouble)  # where that cannot be found out, nothing is sent

    def _retried(self, trouble: str) -> str:
        return retry_line(trouble)

    def _analyses(self, request: Request) -> Iterator[Analysis]:
        if self._anybody and (barred := self._barred(request)):
            names = [player.name for player in self._analyst.players if player.name not in request.silent]
            refused = tuple(Playthrough(name, request.tossup, trouble=barred) for name in names)
            yield Analysis(request, refused, done=True)
            return
        if self._said:
            awake = [play for play in self._said if play.guesser not in request.silent]
            plays = tuple(replace(play, tossup=request.tossup) for play in awake)
            yield Analysis(request, plays, done=True)
            return
        for analysis in super()._analyses(request):
            said = [
                replace(play, trouble=self._retried(play.trouble)) if play.trouble else play
                for play in analysis.plays
            ]
            told = replace(analysis, plays=tuple(said))
            self._heed(told)
            yield told

    def _heed(self, analysis: Analysis) -> None:
        if self._said or not analysis.plays:
            return
        self._said = tuple(play for play in analysis.plays if play.trouble is not None)
        if self._said:
            self._again.start(self._wait_ms)
            self._wait_ms = min(2 * self._wait_ms, AT_MOST_MS)
        elif analysis.done:
            self._wait_ms = self._first_ms


class _PauseAnalysisWorker(_ServerAnalysisWorker):
    """Reads at the ends of sentences, and once the writer pauses: to players that cost money or much time."""

    def _pause_after(self, request: Request) -> int:
        ends = request.tossup.text.rstrip().rstrip("\"”’')]")[-1:] in {".", "?", "!"}
        return min(PAUSE_MS, self._pause_ms) if ends else self._pause_ms

    def _retried(self, trouble: str) -> str:
        return trouble  # which says itself when the player is asked again


class _EngineLoader(QObject):
    """Lives in the thread for what may take its time: the engine, and exact evidence."""

    loaded = Signal(object)
    refused = Signal(object)
    sharpened = Signal(int, object)

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
            bugs.reported.emit(traceback.format_exc())
        else:
            self.loaded.emit(engine)

    @Slot(int, object, object)
    def sharpen(self, ticket: int, players: Sequence[Player], analysis: Analysis) -> None:
        if ticket != self._newest.ticket:
            return
        try:
            self.sharpened.emit(ticket, with_exact_weights(players, analysis))
        except Cancelled:
            log.info("exact evidence ended, because a player was stopped")
        except Exception:
            log.exception("exact evidence failed")
            bugs.reported.emit(traceback.format_exc())


class AnalysisRunner(QObject):
    """The players, in threads of their own; what they say arrives in the window's thread.

    The first player, which is the quickest, has a thread to itself, so that it need not wait for a slow
    one's game of a draft that is old already; what can take seconds has another, what asks over a network a
    third, what costs something a fourth, and what plays at pauses a fifth. An analysis is done without the
    last three, unless it is their evidence that is wanted.

    ``loaded`` carries an Engine, ``refused`` a QuizwriterError, ``analysed`` an Analysis of the newest
    request and of no other. A bug goes to :data:`quizwriter.gui.background.jobs.bugs`.
    """

    loaded = Signal(object)
    refused = Signal(object)
    analysed = Signal(object)

    _load = Signal(object)
    _use_first = Signal(object)
    _use_others = Signal(object)
    _use_distant = Signal(object)
    _use_metered = Signal(object)
    _use_slow = Signal(object)
    _read_near = Signal(int, object)
    _read_far = Signal(int, object)
    _prepare = Signal(int, object)
    _sharpen = Signal(int, object, object)
    _halt = Signal()

    def __init__(
        self,
        *,
        again_ms: int = AGAIN_MS,
        pause_ms: int = PAUSE_MS,
        metered_pause_ms: int = METERED_PAUSE_MS,
        slow_pause_ms: int = SLOW_PAUSE_MS,
        why_barred: Callable[[str], str] = lambda tossup_id: "",
    ) -> None:
        """``why_barred`` says of the id of a tossup why nothing of it may be sent; empty if it may be.

        It is called in the threads that send, right before they do.
        """
        super().__init__()
        self._newest = _NewestTicket()
        self._players: tuple[Player, ...] = ()
        self._parts: dict[int, Analysis] = {}
        self._played = False  # whether those near have played the newest draft before it was submitted
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._say_all)
        self._to_prepare: list[Request] = []
        self._prepared: dict[Request, tuple[Evidence, ...]] = {}
        self._preparing = 0  # threads that are at one of them
        self._prepare_soon = QTimer(self)
        self._prepare_soon.setSingleShot(True)
        self._prepare_soon.timeout.connect(self._prepare_next)
        self._loader = _EngineLoader(self._newest)
        self._distant: tuple[Player, ...] = ()
        self._metered: tuple[Player, ...] = ()
        self._slow: tuple[Player, ...] = ()
        far = _ServerAnalysisWorker(self._newest, 2, again_ms, pause_ms, why_barred)
        metered = _PauseAnalysisWorker(self._newest, 3, again_ms, metered_pause_ms, why_barred)
        slow = _PauseAnalysisWorker(self._newest, 4, again_ms, slow_pause_ms, lambda tossup_id: "")
        self._near = _AnalysisWorker(self._newest, 0), _AnalysisWorker(self._newest, 1)
        self._readers = (*self._near, far, metered, slow)
        self._threads: list[QThread] = []
        for name, inside in zip(
            ("loader", "first player", "players", "distant players", "metered players", "slow players"),
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
        self._halt.connect(far.halt)
        self._halt.connect(metered.halt)
        self._halt.connect(slow.halt)
        self._use_first.connect(self._readers[0].use)
        self._use_others.connect(self._readers[1].use)
        self._use_distant.connect(far.use_anew)
        self._use_metered.connect(metered.use_anew)
        self._use_slow.connect(slow.use_anew)
        for reader in self._near:
            self._read_near.connect(reader.read)
            self._prepare.connect(reader.prepare)
            reader.prepared.connect(self._take_prepared)
        for other in (far, metered, slow):
            self._read_far.connect(other.hear)
        for reader in self._readers:
            reader.analysed.connect(self._take_analysis)
        for thread in self._threads:
            thread.start()

    def load(self, load: Callable[[], Engine]) -> None:
        self._load.emit(load)

    def use(self, engine: Engine) -> None:
        """Let the players of ``engine`` play from now on; ``loaded`` follows at once."""
        self._take_engine(engine)

    def submit(self, request: Request) -> None:
        """Have ``request`` read to the players; whatever was asked before is dropped.

        What is known for it follows at once, before this returns: it was prepared, or it is the evidence at
        the buzz, which the draft itself asked for.
        """
        found = self._known_evidence(request) or self._prepared.get(_asked(request), ())
        played = [
            part
            for number in range(len(self._near))
            if (part := self._parts.get(number)) and part.done and part.request.tossup == request.tossup
        ]
        self.forget()
        self._played = len(played) == len(self._near)
        self._read_far.emit(self._newest.ticket, request)
        if found and self._played:
            for number, part in enumerate(played):
                self._parts[number] = replace(part, request=request, evidence=() if number else found)
            self._say_all()
        else:
            self._read_near.emit(self._newest.ticket, request)

    def _known_evidence(self, request: Request) -> tuple[Evidence, ...]:
        """What an analysis of the newest draft has of the evidence that ``request`` asks for."""
        for part in (self._parts[number] for number in range(len(self._near)) if number in self._parts):
            before, play = (
                part.request,
                next((one for one in part.plays if one.guesser == request.whose), None),
            )
            same = replace(before, focus=request.focus, heard=request.heard, exact=request.exact)
            if play is None or _asked(same) != _asked(request):
                continue
            if wanted_evidence(play, before) == wanted_evidence(play, request):
                return part.evidence
        return ()

    def prepare(self, requests: Iterable[Request]) -> None:
        """Have the evidence worked out for which ``requests``, of the newest draft, would ask.

        Nothing follows until one of them is submitted. One is worked out after the other, as none can be
        stopped once it has begun; a newer request drops the rest.
        """
        wanted = list(map(_asked, requests))
        self._prepared = {one: self._prepared[one] for one in wanted if one in self._prepared}
        self._to_prepare = [one for one in wanted if one not in self._prepared]
        self._prepare_soon.start(0)

    @property
    def prepares(self) -> bool:
        """Whether something that was to be prepared is still to come."""
        return bool(self._to_prepare or self._preparing)

    def sharpen(self, analysis: Analysis) -> None:
        """Have the evidence of ``analysis``, the newest, worked out exactly; a newer request drops that."""
        self._sharpen.emit(self._newest.ticket, self._players, analysis)

    def forget(self) -> None:
        self._newest.ticket += 1
        self._parts.clear()
        self._soon.stop()
        self._to_prepare.clear()
        self._preparing = 0
        self._prepare_soon.stop()

    def stop(self) -> None:
        """End the threads; an analysis on its way ends at its next step."""
        self.forget()
        self._halt.emit()
        for thread in self._threads[:-3]:
            thread.quit()
        for thread in self._threads:
            thread.wait(PATIENCE_MS)

    @Slot(object)
    def _take_engine(self, engine: Engine) -> None:
        self._players = tuple(engine.players)
        self._prepared.clear()
        self._parts.clear()
        near = [player for player in self._players if not (player.distant or player.at_pauses)]
        self._use_first.emit(near[:1])
        self._use_others.emit(near[1:])
        metered = tuple(player for player in self._players if player.metered)
        if metered != self._metered:
            self._metered = metered
            self._use_metered.emit(metered)
        slow = tuple(player for player in self._players if player.at_pauses)
        if slow != self._slow:
            self._slow = slow
            self._use_slow.emit(slow)
        distant = tuple(player for player in self._players if player.distant and not player.metered)
        if distant != self._distant:  # or they go on as they are
            self._distant = distant
            self._use_distant.emit(distant)
        self.loaded.emit(engine)

    @Slot(int, int, object)
    def _take_analysis(self, ticket: int, number: int, analysis: Analysis) -> None:
        if ticket == self._newest.ticket:
            self._parts[number] = analysis
            near = [self._parts.get(at) for at in range(len(self._near))]
            if self._played and all(part is not None and part.done for part in near):
                self._soon.stop()
                self._say_all()  # before the window is painted without the evidence
            elif number == 0 or analysis.done:
                self._soon.start(0)  # once what is being painted is on the screen
            elif not self._soon.isActive():
                self._soon.start(TOGETHER_MS)

    @Slot()
    def _prepare_next(self) -> None:
        if self._to_prepare and not self._preparing:
            self._preparing = len(self._near)
            self._prepare.emit(self._newest.ticket, self._to_prepare.pop(0))

    @Slot(int, object)
    def _take_prepared(self, ticket: int, found: Analysis) -> None:
        if ticket == self._newest.ticket:
            if found.evidence:
                self._prepared[found.request] = found.evidence
            self._preparing -= 1
            if not self._preparing:
                self._prepare_soon.start(0)  # after a key that was pressed meanwhile

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
        first, others, *later = (self._parts.get(at, Analysis(request)) for at in range(5))
        whole = first.merged_with(others)
        for players, said in zip((self._distant, self._metered, self._slow), later, strict=True):
            waits = any(request.whose in (None, player.name) for player in players)
            whole = replace(whole.merged_with(said), done=whole.done and (said.done or not waits))
        if whole.plays or whole.done:
            self.analysed.emit(whole)


def _asked(request: Request) -> Request:
    """``request`` as it is whenever it is made."""
    return replace(request, generation=0)
