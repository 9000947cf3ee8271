"""Players in a process of their own: the window need not wait for the interpreter while networks compute.

A request is a line of JSON on that process's standard input, its reply one on the standard output. What that
process does is in :mod:`quizwriter.engine.player_process`. This module imports nothing of the engine: the
process starts first of all, and reads its bundle while the window is made.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import TOP, Buzz, PlayOutline, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.system.children import Child, child_command

if TYPE_CHECKING:
    from quizwriter.domain.guessing import Player
    from quizwriter.engine.engine import Engine

log = logging.getLogger(__name__)

COMMAND = child_command(Child.PLAYERS)
BATCH = "--batch"
"""What is added to the command where the process has the lowest priority."""

AGAIN_S = 5.0
"""How long after it ended twice the process is not started anew."""


class PlayerRequest(msgspec.Struct, frozen=True):
    """A game that is wanted of a player, or its evidence for ``page``, or the outlines of ``variants``.

    Without a player it says which bundle will be asked for, and there is no reply.
    """

    folder: str
    digest: str = ""
    player: str = ""
    text: str = ""
    answer: Answer | None = None
    top: int = TOP
    page: Page | None = None
    exact: bool = False
    variants: tuple[str, ...] = ()
    buzz_chance: float = 0.0
    ends: bool = False  # only what is guessed after the last word


class PlayerReply(msgspec.Struct, frozen=True):
    """What was asked for; or problem and remedy of a trouble; or the traceback of a bug.

    The tossup of ``play`` is left empty: who asks knows it.
    """

    play: Playthrough | None = None
    evidence: Evidence | None = None
    outlines: tuple[PlayOutline, ...] = ()
    trouble: tuple[str, str] | None = None
    bug: str = ""


class PlayerProcesses:
    """The processes in which players play: one for what is wanted at once, another for exact
    evidence and for variants of a draft.

    Each is started when it is first asked, and again if it ended. Any thread may ask; it waits for its turn.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self._quick, self._thorough = _PlayerProcess(command), _PlayerProcess(command)

    def start(self, folder: Path | None = None) -> None:
        """Start the process that will be asked first, if it does not run. Quick; any thread may call it.

        It reads the bundle in ``folder`` until it is asked. The first folder that is known holds.
        """
        self._quick.start(folder)

    def players(self, engine: Engine) -> Engine:
        """``engine`` with all players but the first, which is the quickest, and the distant ones apart.

        Those that play at pauses share the process of what is not wanted at once: no other waits for them.
        """
        first, *others = engine.players
        away = {one.name: one for one in _away(engine, others, self.ask)}
        slow = [one for one in others if one.at_pauses]
        away |= {one.name: one for one in _away(engine, slow, self._thorough.ask)}
        return replace(engine, players=(first, *away.values()))

    def variant_players(self, engine: Engine) -> tuple[Player, ...]:
        """All players of ``engine`` that can play dozens of variants of a draft, apart.

        Distant ones and those that play at pauses are left out.

        The first player is among them, since whatever it computes in the window takes turns from the window.
        """
        near = (one for one in engine.players if not (one.distant or one.at_pauses))
        return tuple(_away(engine, near, self.ask))

    def ask(self, question: PlayerRequest) -> PlayerReply:
        thorough = question.exact or question.variants
        return (self._thorough if thorough else self._quick).ask(question)

    def close(self) -> None:
        """End the processes; for whoever waits for an answer, or asks from now on, that raises Cancelled."""
        self._quick.close()
        self._thorough.close()


@contextmanager
def batch_players(
    engine: Engine, cancellation: Cancellation, command: tuple[str, ...] = COMMAND
) -> Iterator[Engine]:
    """``engine`` for slow work, within the block: the players of the draft never wait for that work.

    All players but the distant ones play in one process of their own, which has the lowest priority. The
    process starts with the first request. It ends with the block, or at once when the work is cancelled.
    """
    process = _PlayerProcess(command, batch=True)

    def ask(question: PlayerRequest) -> PlayerReply:
        cancellation.check()
        try:
            return process.ask(question)
        except QuizwriterError:
            cancellation.check()  # the process was ended because the work was cancelled
            raise

    try:
        with cancellation.on_cancel(process.end):
            yield replace(engine, players=tuple(_away(engine, engine.players, ask)))
    finally:
        process.close()


def _away(
    engine: Engine, players: Iterable[Player], ask: Callable[[PlayerRequest], PlayerReply]
) -> Iterator[Player]:
    """``players`` of ``engine``, with requests sent to ``ask``; distant ones stay as they are."""
    for player in players:
        if player.distant:
            yield player
        else:
            away = _RemoteGuesser(ask, str(engine.folder), engine.digest, player.name)
            yield replace(player, guesser=away, buzzer=_RemoteBuzzer())


class _RemoteGuesser(msgspec.Struct, frozen=True):
    """A player's guesser, which is in another process, and so is its buzzer."""

    ask: Callable[[PlayerRequest], PlayerReply]
    folder: str
    digest: str
    name: str

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        play = self.ask(replace(self._about(tossup), top=top)).play
        assert play is not None
        return replace(play, tossup=tossup)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        return self.ask(replace(self._about(tossup), page=page, exact=exact)).evidence

    def outlines(
        self, tossup: Tossup, variants: Sequence[Tossup], buzz_chance: float, *, ends: bool = False
    ) -> Sequence[PlayOutline]:
        texts = tuple(variant.text for variant in variants)
        if not texts:
            return ()
        asked = replace(self._about(tossup), variants=texts, buzz_chance=buzz_chance, ends=ends)
        return self.ask(asked).outlines

    def _about(self, tossup: Tossup) -> PlayerRequest:
        return PlayerRequest(self.folder, self.digest, self.name, tossup.text, tossup.answer)


class _RemoteBuzzer(msgspec.Struct, frozen=True):
    """Leaves a game as the buzzer in the other process has judged it."""

    @property
    def threshold(self) -> float:
        """Unknown here: the game says it."""
        return 0.0

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        return play.chances

    def buzz(self, play: Playthrough) -> Buzz | None:
        return play.buzz


class _PlayerProcess:
    """One process, which answers a line with a line."""

    def __init__(self, command: tuple[str, ...], *, batch: bool = False) -> None:
        self._command = (*command, BATCH) if batch else command
        self._batch = batch
        self._turn = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._told = False  # whether it was told which bundle it will be asked for first
        self._said: IO[bytes] | None = None  # what it says on its standard error
        self._closed = False
        self._again = 0.0

    def ask(self, question: PlayerRequest) -> PlayerReply:
        reply = _reply_decoder().decode(self._ask(_encode(question)))
        if reply.trouble is not None:
            raise QuizwriterError(*reply.trouble)
        if reply.bug:
            raise RuntimeError(reply.bug)
        return reply

    def _ask(self, line: bytes) -> bytes:
        with self._turn:
            if time.monotonic() >= self._again:
                for _ in range(2):  # one that the system ended, for want of memory perhaps, gets a successor
                    answer = self._answer(line)
                    if answer is not None:
                        return answer
                self._again = time.monotonic() + AGAIN_S
        if self._closed:
            raise Cancelled("The players were closed before this one had answered.")
        goes_on = "start this again" if self._batch else "it is started again when you type on"
        raise QuizwriterError(
            "The program of this player ended unexpectedly.",
            f"Close other programs if memory is short; {goes_on}.",
        )

    def start(self, folder: Path | None = None) -> None:
        with self._turn:
            if self._closed or (self._process is not None and (folder is None or self._told)):
                return
            try:
                process = self._process or self._start()
                if folder is not None:
                    assert process.stdin is not None
                    process.stdin.write(_encode(PlayerRequest(str(folder))) + b"\n")
                    process.stdin.flush()
                    self._told = True
            except OSError:
                self._forget()  # whoever asks will hear of it

    def end(self) -> None:
        """End the process for good, at once: a caller that waits for an answer gets none."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        self.end()
        with self._turn:
            self._forget()

    def _answer(self, line: bytes) -> bytes | None:
        """What the process says to ``line``; None if it ended instead, or has to."""
        if self._closed:
            return None
        try:
            process = self._process or self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError as trouble:
            log.info("players could not be asked: %s", trouble)
            answer = b""
        if answer.endswith(b"\n"):
            return answer
        self._forget()
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        flags = 0
        if sys.platform == "win32":
            priority = (
                subprocess.IDLE_PRIORITY_CLASS if self._batch else subprocess.BELOW_NORMAL_PRIORITY_CLASS
            )
            flags = subprocess.CREATE_NO_WINDOW | priority
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it is there as long as the process
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            creationflags=flags,
        )
        if self._closed:  # it was to end while it started
            self._process.kill()
        return self._process

    def _forget(self) -> None:
        """Let go of the process, which ends now if it has not yet, and keep in the log what it said."""
        process, self._process, self._told = self._process, None, False
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                with suppress(OSError):  # what it was not told any more
                    pipe.close()
            if not self._closed:
                log.warning("players ended with %s", process.returncode)
        said, self._said = self._said, None
        if said is not None:
            said.seek(0)
            if (words := said.read().decode("utf-8", "replace").strip()) and not self._closed:
                log.warning("they said: %s", words[-2_000:])
            said.close()


_encode = msgspec.json.Encoder().encode


@cache
def _reply_decoder() -> msgspec.json.Decoder[PlayerReply]:
    return msgspec.json.Decoder(PlayerReply)  # it takes a while to make, and nobody asks before the window
