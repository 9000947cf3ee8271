"""The players' process: it answers the requests of :mod:`quizwriter.engine.player_processes`."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.domain.tossup import Tossup
from quizwriter.engine.player_processes import BATCH, PlayerReply, PlayerRequest
from quizwriter.engine.variants import play_ends, play_variants
from quizwriter.errors import QuizwriterError

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

NICE, NICE_BATCH = 10, 19
"""How far a process stands back where the window and the quickest player want a core too.

One for a batch stands back behind those that play the draft, too.
"""

FIRST = Tossup("Players read their weights when they first play.")
"""What is played before anybody asks."""

ENGINES = 2
"""How many engines the process keeps: while one is replaced, both are asked."""


class _PlayerServer:
    """Inside the process: the engines that are asked."""

    def __init__(self, load: Callable[..., Engine]) -> None:
        self._load = load
        self._engines: dict[tuple[str, str], Engine] = {}

    def reply(self, question: PlayerRequest) -> PlayerReply:
        try:
            return self._reply(question)
        except QuizwriterError as trouble:
            return PlayerReply(trouble=(trouble.problem, trouble.remedy))
        except Exception:  # noqa: BLE001 - told to whoever asked, who keeps it in the log
            return PlayerReply(bug=traceback.format_exc())

    def get_ready(self, folder: str) -> None:
        """Load the bundle in ``folder``, which will be asked for, and have its networks read their weights.

        Whatever is wrong with it is told when it is asked for.
        """
        with suppress(Exception):
            engine = self._load(Path(folder), trusted=True)
            self._engines[folder, engine.digest] = engine
            for player in engine.players[1:]:  # the first one plays in the window
                if not player.at_pauses:
                    player.play(FIRST)

    def _reply(self, question: PlayerRequest) -> PlayerReply:
        engine = self._engine(question.folder, question.digest)
        player = next(player for player in engine.players if player.name == question.player)
        tossup = Tossup(question.text, question.answer)
        if question.page is not None:
            return PlayerReply(evidence=player.explain(tossup, question.page, exact=question.exact))
        if question.variants:
            variants = [Tossup(text, question.answer) for text in question.variants]
            played = (
                play_ends(player, tossup, variants)
                if question.ends
                else play_variants(player, tossup, variants, buzz_chance=question.buzz_chance)
            )
            return PlayerReply(outlines=tuple(played))
        return PlayerReply(play=replace(player.play(tossup, question.top), tossup=Tossup("")))

    def _engine(self, folder: str, digest: str) -> Engine:
        if (folder, digest) not in self._engines:
            engine = self._load(Path(folder), trusted=True)
            if engine.digest != digest:
                raise QuizwriterError(
                    f"{folder} holds another bundle than when it was opened.", "Open that bundle again."
                )
            while len(self._engines) >= ENGINES:
                del self._engines[next(iter(self._engines))]
            self._engines[folder, digest] = engine
        return self._engines[folder, digest]


_encode = msgspec.json.Encoder().encode
_decode_request = msgspec.json.Decoder(PlayerRequest).decode


def main(arguments: list[str]) -> int:
    """Answer questions until there are no more; the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for who asks, and ends this by asking no more
    if sys.platform != "win32":
        os.nice(NICE_BATCH if BATCH in arguments else NICE)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer
    from quizwriter.engine.engine import load  # here only: who asks has it loaded already, or never needs it

    company = _PlayerServer(load)
    for line in sys.stdin.buffer:
        request = _decode_request(line)
        if not request.player:
            company.get_ready(request.folder)
            continue
        answers.write(_encode(company.reply(request)) + b"\n")
        answers.flush()
    return 0
