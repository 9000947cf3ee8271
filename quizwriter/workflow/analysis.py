"""Read one draft to every player and say what they made of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Cancelled
from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import Player, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError

log = logging.getLogger(__name__)

LONGEST_DRAFT = 1_000
"""Words of a draft that are read to the players; no tossup is a third as long."""

MOST_EVIDENCE = 32
"""How much evidence of one draft is kept: some kilobytes each."""

BUG = "This player cannot play because of an error in QuizWriter."
"""The trouble of a player with a bug."""


class Request(msgspec.Struct, frozen=True):
    """A draft to be read, and what the writer is looking at.

    ``generation`` comes from one counter: it numbers what the writer sees, so a request that only asks for
    more about the same carries the same one. ``focus`` is the page whose evidence is wanted, None for the top
    guess; ``heard`` the word it is wanted at, None for the player's buzz, or for the last word if it does not
    buzz or a page is in focus; ``whose`` the one player whose evidence it is, None for everyone's; ``exact``
    asks for exact weights in it. ``seq`` numbers the edit that made the draft, and ``tossup_id`` names the
    tossup. Players named in ``silent`` are switched off. Where ``buzz_chance`` is not 0, all players buzz
    once their guess has that chance; otherwise each buzzes by its own rule.
    """

    generation: int
    tossup: Tossup
    seq: int = 0
    focus: Page | None = None
    heard: int | None = None
    whose: str | None = None
    exact: bool = False
    silent: frozenset[str] = frozenset()
    buzz_chance: float = 0.0
    tossup_id: str = ""


class Analysis(msgspec.Struct, frozen=True):
    """What the players made of a request, so far.

    ``evidence`` has an entry for every player asked who had any. ``done`` says that nothing more comes.
    """

    request: Request
    plays: tuple[Playthrough, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    done: bool = False

    def merged_with(self, other: Analysis) -> Analysis:
        """This and what ``other`` players made of the same request, these first."""
        return Analysis(
            self.request,
            self.plays + other.plays,
            self.evidence + other.evidence,
            self.done and other.done,
        )


class Analyst:
    """Reads drafts to players, and keeps games and evidence of the last one: a new focus costs no game."""

    def __init__(
        self, players: Sequence[Player], judged: Callable[[Playthrough], Playthrough] = lambda play: play
    ) -> None:
        """``judged`` adds to a game what the judge says of its guesses."""
        self.players, self._judged = tuple(players), judged
        self._tossup = Tossup("")
        self._plays: dict[str, Playthrough] = {}
        self._evidence: dict[tuple[str, int, Page, bool], Evidence | None] = {}
        self._bug: Exception | None = None
        self._passed_over: set[str] = set()  # who was not asked about the last draft

    def analyse(self, request: Request) -> Iterator[Analysis]:
        """The analysis as it grows: a step for each player's game, and one for its evidence if wanted.

        Players are asked in their order, so quick ones should come first: all of theirs is there before a
        slow one begins. Whoever iterates may stop after any step; those who were not asked then come first
        next time, so that a writer who never pauses hears of everyone. A player in trouble gets a
        playthrough that says so, and the others go on. The last step is ``done``; a player's bug is raised
        after it.
        """
        tossup = _read_part(request.tossup)
        if tossup != self._tossup:
            self._tossup, self._plays = tossup, {}
            self._evidence.clear()
        self._bug = None
        analysis = Analysis(request)
        awake = [player for player in self.players if player.name not in request.silent]
        places = {player.name: place for place, player in enumerate(awake)}
        waiting, self._passed_over = self._passed_over, set(places)
        for player in sorted(awake, key=lambda player: player.name not in waiting):
            self._passed_over.discard(player.name)
            before = analysis.plays
            for found in self._games(player, tossup):
                play = found.buzzing_at(request.buzz_chance)
                plays = sorted((*before, play), key=lambda play: places[play.guesser])
                analysis = replace(analysis, plays=tuple(plays))
                yield analysis
            if request.whose in (None, player.name):
                analysis, without = self._explained(player, play, analysis), analysis
                if (analysis.evidence, analysis.plays) != (without.evidence, without.plays):
                    yield analysis
        yield replace(analysis, done=True)
        if self._bug is not None:
            raise self._bug

    def prepare(self, request: Request) -> Analysis:
        """The evidence that ``request`` asks for, without games, if a player here has played its draft."""
        found = Analysis(request)
        if _read_part(request.tossup) == self._tossup:
            for player in self.players:
                if player.name == request.whose and player.name in self._plays:
                    play = self._plays[player.name].buzzing_at(request.buzz_chance)
                    found = self._explained(player, play, found)
        return found

    def _games(self, player: Player, tossup: Tossup) -> Iterator[Playthrough]:
        """The game of ``player``: the one it has played, or one that may grow."""
        if player.name in self._plays:
            yield self._plays[player.name]
            return
        try:
            for play in player.games(tossup):
                judged = self._judged(play)
                if not play.grows:
                    self._plays[player.name] = judged
                yield judged
        except Cancelled:
            raise  # nobody wants the analysis any more
        except QuizwriterError as trouble:
            log.warning("%s could not play: %s", player.name, trouble)
            yield Playthrough(player.name, tossup, trouble=str(trouble))
        except Exception as bug:
            log.exception("%s could not play", player.name)
            self._bug = bug
            yield Playthrough(player.name, tossup, trouble=BUG)

    def _explained(self, player: Player, play: Playthrough, analysis: Analysis) -> Analysis:
        heard, page = wanted_evidence(play, analysis.request)
        if page is None:
            return analysis
        wanted = player.name, heard, page, analysis.request.exact
        try:
            if wanted in self._evidence:
                found = self._evidence[wanted]
            else:
                found = player.explain(play.tossup.heard(heard), page, exact=analysis.request.exact)
                if player.name in self._plays and not player.distant:
                    self._evidence[wanted] = found
                    if len(self._evidence) > MOST_EVIDENCE:
                        del self._evidence[next(iter(self._evidence))]
        except Cancelled:
            raise
        except QuizwriterError as trouble:
            log.warning("%s could not explain: %s", player.name, trouble)
            if not player.distant:
                return analysis
            # Out of reach meanwhile, so nobody can look into what it said: its trouble is said instead.
            del self._plays[player.name]
            lost = Playthrough(player.name, play.tossup, trouble=str(trouble))
            return replace(analysis, plays=tuple(lost if one is play else one for one in analysis.plays))
        return analysis if found is None else replace(analysis, evidence=(*analysis.evidence, found))


def _read_part(tossup: Tossup) -> Tossup:
    """What is read to the players."""
    return tossup.heard(LONGEST_DRAFT) if len(tossup.words) > LONGEST_DRAFT else tossup


def wanted_evidence(play: Playthrough, request: Request) -> tuple[int, Page | None]:
    """After how many words ``request`` wants the evidence, and for which page; None if for none."""
    heard = count = len(play.tossup.words)
    if request.heard is not None:
        heard = min(request.heard, count)
    elif request.focus is None and play.buzz is not None:
        heard = play.buzz.heard
    index = play.index_after(heard)
    row = play.rows[index] if index is not None else ()
    return heard, None if play.trouble is not None else request.focus or (row[0].page if row else None)


def with_exact_weights(players: Sequence[Player], analysis: Analysis) -> Analysis:
    """``analysis`` with exact weights in its evidence; nobody plays again. Slow, up to seconds.

    Evidence that cannot be had exactly stays as it is.
    """
    request = replace(analysis.request, exact=True)
    by_name = {player.name: player for player in players}
    plays = {play.guesser: play for play in analysis.plays}
    found = []
    for evidence in analysis.evidence:
        heard, _ = wanted_evidence(play := plays[evidence.guesser], request)
        try:
            exact = by_name[evidence.guesser].explain(play.tossup.heard(heard), evidence.page, exact=True)
        except Cancelled:
            raise
        except QuizwriterError as trouble:
            log.warning("%s could not explain exactly: %s", evidence.guesser, trouble)
            exact = None
        found.append(exact or evidence)
    return replace(analysis, request=request, evidence=tuple(found))
