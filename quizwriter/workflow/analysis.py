"""Read one draft to every player and say what they made of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import Buzzer, Guesser, Playthrough
from quizwriter.domain.tossup import Page, Tossup
from quizwriter.errors import QuizwriterError

log = logging.getLogger(__name__)

LONGEST = 1_000
"""Words of a draft that are read to the players; no tossup is a third as long."""


@dataclass(frozen=True, slots=True)
class Player:
    """A guesser with its finger on a buzzer. ``engine`` is the digest of what it was loaded from."""

    guesser: Guesser
    buzzer: Buzzer
    engine: str = ""

    @property
    def name(self) -> str:
        """The guesser's name."""
        return self.guesser.name

    def play(self, tossup: Tossup) -> Playthrough:
        """The whole game on ``tossup``, the buzz and the time it took included."""
        started = time.perf_counter()
        play = self.guesser.play(tossup)
        play = replace(play, chances=self.buzzer.chances(play))
        play = replace(play, buzz=self.buzzer.buzz(play))
        return replace(play, milliseconds=(time.perf_counter() - started) * 1000)


@dataclass(frozen=True, slots=True)
class Request:
    """A draft to be read, and what the writer is looking at.

    ``generation`` comes from one counter: no two requests of a run share one. ``focus`` is the page
    whose evidence is wanted, None for the top guess; ``heard`` the word it is wanted at, None for the
    last; ``exact`` asks for exact weights in it. ``seq`` numbers the edit that made the draft. Players
    named in ``silent`` are switched off.
    """

    generation: int
    tossup: Tossup
    seq: int = 0
    focus: Page | None = None
    heard: int | None = None
    exact: bool = False
    silent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the players made of a request, so far; ``evidence`` has one entry per player with any."""

    request: Request
    plays: tuple[Playthrough, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class Analyst:
    """Reads drafts to players, and remembers the last one, so that a new focus costs no new game."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.players = tuple(players)
        self._tossup = Tossup("")
        self._plays: dict[str, Playthrough] = {}

    def analyse(self, request: Request) -> Iterator[Analysis]:
        """The analysis as it grows: a step per player's game, then a step per player's evidence.

        Players are asked in their order, so quick ones should come first; whoever iterates may stop
        after any step. A player in trouble gets a playthrough that says so, and the others go on.
        """
        tossup = request.tossup
        if len(tossup.words) > LONGEST:
            tossup = tossup.heard(LONGEST)
        if tossup != self._tossup:
            self._tossup, self._plays = tossup, {}
        analysis = Analysis(request)
        players = [player for player in self.players if player.name not in request.silent]
        for player in players:
            play = self._plays.get(player.name) or self._play(player, tossup)
            analysis = replace(analysis, plays=(*analysis.plays, play))
            yield analysis
        for player, play in zip(players, analysis.plays, strict=True):
            evidence = self._explain(player, play, request)
            if evidence is not None:
                analysis = replace(analysis, evidence=(*analysis.evidence, evidence))
                yield analysis

    def _play(self, player: Player, tossup: Tossup) -> Playthrough:
        try:
            play = player.play(tossup)
        except QuizwriterError as trouble:
            log.warning("%s could not play: %s", player.name, trouble)
            return Playthrough(player.name, tossup, trouble=str(trouble))
        self._plays[player.name] = play
        return play

    def _explain(self, player: Player, play: Playthrough, request: Request) -> Evidence | None:
        count = len(play.tossup.words)
        heard = count if request.heard is None else min(request.heard, count)
        index = play.index_after(heard)
        row = play.rows[index] if index is not None else ()
        page = request.focus or (row[0].page if row else None)
        if page is None or play.trouble is not None:
            return None
        try:
            return player.guesser.explain(play.tossup.heard(heard), page, exact=request.exact)
        except QuizwriterError as trouble:
            log.warning("%s could not explain: %s", player.name, trouble)
            return None
