"""Having every tossup played: in the background of the window, or by a command."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quizwriter.cancellation import Cancellation, Cancelled, Progress
from quizwriter.errors import QuizwriterError
from quizwriter.services.control_arms import hidden_among
from quizwriter.services.engines import Engines
from quizwriter.store.store import Store
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.domain.tossup import Tossup
    from quizwriter.engine.engine import Engine
    from quizwriter.store.plays import PlaySummary

log = logging.getLogger(__name__)

_KIND = "play all"  # of the item that says that *Play all* was begun and neither finished nor cancelled


class PlayReport(msgspec.Struct, frozen=True):
    """The result of *Play all*: how many tossups and games were played, and what is left."""

    tossups: int = 0
    games: int = 0
    left: int = 0  # tossups that a player in use has still not played
    troubles: tuple[tuple[str, QuizwriterError], ...] = ()  # by player; that player was left out from there
    barred: int = 0  # tossups of which nothing was sent to a server, because they never leave this machine
    hidden: int = 0  # tossups that were left out, because their machines are hidden until they are ready
    is_empty: bool = False  # whether the database has no tossup with words

    @property
    def sentence(self) -> str:
        if self.is_empty:
            return "There is no tossup to play."
        if self.tossups:
            said = (
                f"{counted_noun(self.tossups, 'tossup')} played, with {counted_noun(self.games, 'new game')}."
            )
        else:
            said = f"Every {'other ' if self.hidden else ''}tossup was played before."
        if self.hidden == 1:
            said += " 1 tossup waits until it is ready, because its machines are hidden."
        elif self.hidden:
            said += f" {self.hidden:,} tossups wait until they are ready, because their machines are hidden."
        if self.barred:
            said += f" {counted_noun(self.barred, 'tossup')} never left this machine."
        if self.left:
            said += f" {counted_noun(self.left, 'tossup')} could not be played by every player."
        return said


class Plays:
    """Has tossups played by the players in use, and keeps the games for lists and exports."""

    def __init__(
        self, store: Store, home: Path, engines: Engines, why_barred: Callable[[str], str] = lambda key: ""
    ) -> None:
        """Games of the tossups in ``store``; they are kept in the data folder ``home``.

        ``why_barred`` says of the id of a tossup why it is sent to no server; empty if it may be sent.
        """
        self._store, self._home, self._engines, self._why_barred = store, home, engines, why_barred

    def unplayed(self, engine: Engine) -> tuple[str, ...]:
        """The ids of the tossups that a player of ``engine`` has not played as they are, the newest first.

        A game of a player that was loaded from something else, and a game of an older text, do not count. A
        tossup whose machines are hidden is left out until it is ready.
        """
        return self._unplayed(engine)[0]

    def _unplayed(self, engine: Engine) -> tuple[tuple[str, ...], frozenset[str]]:
        """As :meth:`unplayed`, and the tossups that are left out because their machines are hidden."""
        from quizwriter.workflow.queue import QueueFilter, QueueSort

        players = {player.name: player.engine for player in self._engines.batch_engine(engine).players}
        found = self._store.queue(QueueFilter(unplayed=True), QueueSort(), players)
        hidden = hidden_among(self._store, found)
        return tuple(key for key in found if key not in hidden), hidden

    def play_all(
        self,
        engine: Engine,
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
    ) -> PlayReport:
        """Have the players of ``engine`` play what they have not played yet.

        Slow; any thread may call it. Games that an export played are known and are not played again. Each
        tossup is kept when it is done, so that a later call plays only what is missing. A player that fails
        is left out from there on; the others go on.
        """
        from quizwriter.store.plays import PlayCache  # imported late: not needed at start

        cancellation = cancellation or Cancellation()
        wanted, hidden = self._unplayed(engine)
        troubles: dict[str, QuizwriterError] = {}
        tossups = games = barred = 0
        with (
            closing(PlayCache(self._home)) as cache,
            self._engines.batch_players(engine, cancellation) as batch,
        ):
            for done, key in enumerate(wanted):
                if progress is not None:
                    progress(done, len(wanted))
                cancellation.check()
                tossup = self._store.load(key).tossup
                plays: list[PlaySummary] = []
                stays_here = any(player.distant for player in batch.players) and bool(self._why_barred(key))
                barred += stays_here
                for player in batch.players:
                    if player.name in troubles or (player.distant and stays_here):
                        continue
                    try:
                        is_new = not cache.has(player, tossup)
                        plays.append(cache.summary(player, tossup))
                        games += is_new
                    except Cancelled:
                        raise
                    except QuizwriterError as trouble:
                        log.warning("%s is left out of playing all: %s", player.name, trouble)
                        troubles[player.name] = trouble
                self._store.put_plays(key, tossup, plays)
                tossups += 1
        left = len(self.unplayed(engine))
        is_empty = not (tossups or hidden or any(one.words for one in self._store.tossups()))
        return PlayReport(tossups, games, left, tuple(troubles.items()), barred, len(hidden), is_empty)

    def record(self, tossup_id: str, tossup: Tossup, plays: Sequence[PlaySummary]) -> None:
        """Keep games that were played of a tossup for something else, for lists."""
        self._store.put_plays(tossup_id, tossup, plays)

    # -- resuming

    @property
    def is_pending(self) -> bool:
        """Whether *Play all* was begun and neither finished nor cancelled, in an earlier run too."""
        return bool(self._store.items(_KIND))

    def set_pending(self, pending: bool) -> None:
        """Remember whether *Play all* has to go on after a restart."""
        self._store.put_item(_KIND, "", "true" if pending else None)
