"""Games on the writer's tossups: which are read, what the machines do, and what is kept of a game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess, Player, Playthrough, odds
from quizwriter.domain.review import Commented
from quizwriter.domain.tossup import Tossup
from quizwriter.domain.tossup_game import MOST_WORDS, Game, Move, MoveKind, Played, Said
from quizwriter.errors import QuizwriterError
from quizwriter.services.match import SAID, MatchTossup, judged_answer
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.wording import quoted

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine


class Games:
    """Chooses the tossups of a game, has machines play along, and keeps games and what people say of them."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store, self._profile = store, profile

    @staticmethod
    def clock() -> int:
        """Milliseconds since some moment; never set back."""
        return time.monotonic_ns() // 1_000_000

    @property
    def me(self) -> str:
        return self._profile.me.id

    def places(self) -> tuple[tuple[str, str], ...]:
        """Every set, each followed by its packets; the empty name is for tossups in no set."""
        return tuple(
            (name, packet) for name in self._store.sets() for packet in ("", *self._store.packets(name))
        )

    def tossups_of(self, set_name: str, packet: str = "") -> tuple[MatchTossup, ...]:
        """The tossups of a set, or of a ``packet`` of it, in the order of packets."""
        return self.tossups(self._store.packet_tossups(set_name, packet))

    def tossups(self, keys: Sequence[str]) -> tuple[MatchTossup, ...]:
        """The tossups ``keys`` that can be read: those with a text that is no book, and an answer line."""
        found = []
        for key in keys:
            tossup = self._store.load(key).tossup
            length = len(tossup.words)
            if 0 < length <= MOST_WORDS and tossup.answer is not None and tossup.answer.line.strip():
                found.append(MatchTossup(key, tossup, not self._store.review_of(key).hides_machines))
        if not found:
            raise QuizwriterError(
                "There is no tossup to read.",
                f"Write a text of at most {MOST_WORDS:,} words and an answer line, or choose another set.",
            )
        return tuple(found)

    # -- machines

    @staticmethod
    def machines(engine: Engine | None) -> tuple[Player, ...]:
        """The players that can be asked after every word: those on this computer, which cost nothing."""
        players = () if engine is None else engine.players
        return tuple(one for one in players if not (one.distant or one.metered or one.at_pauses))

    @staticmethod
    def buzz_of(machine: Player, tossup: Tossup, heard: int) -> Guess | None:
        """The guess that ``machine`` buzzes with once ``heard`` words are read, None if it waits.

        It gets those words, and neither the words to come nor the answer. Slow.
        """
        buzz = machine.play(Tossup(tossup.heard(heard).text)).buzz
        return None if buzz is None else buzz.guess

    @staticmethod
    def advice_of(machine: Player, tossup: Tossup, heard: int) -> tuple[Guess, float] | None:
        """The first guess of ``machine`` once ``heard`` words are read, with its chance. Slow."""
        play = machine.play(Tossup(tossup.heard(heard).text))
        if not play.rows or not play.rows[-1]:
            return None
        return play.rows[-1][0], odds(play.rows[-1], play.chances[-1])[0]

    @staticmethod
    def play_of(machine: Player, tossup: Tossup) -> Playthrough:
        """The whole game of ``machine`` on a tossup that is over. Slow."""
        return machine.play(tossup)

    @staticmethod
    def judge_again(game: Game, tossup: Tossup) -> str:
        """Give the answers of a game the verdict of the judge, as moves of its log; what differed before.

        A person's own word that an answer was right counts as a claim only.
        """
        notes = []
        for buzz in game.state.buzzes:
            if buzz.said not in {Said.ACCEPT, Said.REJECT}:
                continue
            if not buzz.answers:
                if buzz.said is Said.ACCEPT:
                    notes.append(f"The buzz after word {buzz.word} has no answer, so it counts as wrong.")
                    game.take(Move(MoveKind.OVERRULE, game.state.at_ms, seat=buzz.seat, said=Said.REJECT))
                continue
            ours = SAID[judged_answer(tossup, buzz.answers[-1], buzz.word).verdict]
            if ours is Said.PROMPT and len(buzz.answers) > 1:
                ours = Said.REJECT
            if ours is buzz.said:
                continue
            who = game.rules.seats[buzz.seat].name or "the player"
            notes.append(
                f"{quoted(buzz.answers[-1])} of {who} after word {buzz.word} counted as "
                f"{'right' if buzz.said is Said.ACCEPT else 'wrong'} there; the judge says {ours}."
            )
            final = Said.ACCEPT if ours is Said.ACCEPT else Said.REJECT
            if final is not buzz.said:
                game.take(Move(MoveKind.OVERRULE, game.state.at_ms, seat=buzz.seat, said=final))
        return " ".join(notes)

    # -- what is kept

    def keep(self, key: str, played: Played | None, remark: str = "") -> None:
        """Keep the log of a tossup that was played, once, and a ``remark`` as a comment on all of it. Slow.

        None: nothing happened in it.
        """
        if played is not None and is_kept(self._store, key, played):
            return  # its remark was kept with it
        bodies = ([played] if played is not None else []) + ([Commented(remark)] if remark else [])
        self._store.add_events([Event.new(key, now_ms(), self.me, one) for one in bodies])


def is_kept(store: Store, key: str, played: Played) -> bool:
    """Whether this tossup of this game is in the database already. Slow."""
    return any(
        isinstance(one.body, Played) and (one.body.game, one.body.number) == (played.game, played.number)
        for one in store.review_of(key).games
    )
