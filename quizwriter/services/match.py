"""A match: tossups played one after another in one format, judged by the one judge, with a score.

It knows nothing of windows and times itself by the clock it is given. What a face shows and when it reads the
next word is the face's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec
from msgspec.structs import replace

from quizwriter.domain.page import Page, page_title
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import (
    LONGEST_SAID,
    Advice,
    Buzzed,
    Game,
    GameFormat,
    GameState,
    Move,
    Phase,
    Played,
    PlayedBy,
    PlayedTossup,
    Rules,
    Ruling,
    Said,
    Seat,
)
from quizwriter.judging.judge import Judgement, Verdict, is_right, judge
from quizwriter.judging.spoken_words import spoken_words, verbatim
from quizwriter.workflow.wording import player_title

SLOWEST, QUICKEST = 100, 500
"""Words a minute."""


class GameChoices(msgspec.Struct, frozen=True):
    """How a game is read: to a player who is ``alone``, or by somebody who may see the ``marks`` and guides.

    ``reaction_ms`` is what a machine waits between its decision and its buzz; ``adviser`` is the player that
    may be asked after a buzz, empty: none. Of a room, ``spoken`` says that
    a moderator reads aloud, ``address`` where it is opened, and ``title`` what is read.
    """

    words_per_minute: Annotated[int, msgspec.Meta(ge=SLOWEST, le=QUICKEST)] = 220
    marks: bool = False
    reaction_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 300
    alone: bool = True
    spoken: bool = False
    address: str = ""
    title: str = ""
    adviser: str = ""

    @property
    def role(self) -> str:
        """Who says how the tossup was."""
        return "a player" if self.alone else "the reader"


SAID = {Verdict.ACCEPT: Said.ACCEPT, Verdict.PROMPT: Said.PROMPT, Verdict.REJECT: Said.REJECT}


class MatchTossup(msgspec.Struct, frozen=True):
    """A tossup of a match with its id; ``machines`` says whether the machines' side may be shown."""

    key: str
    tossup: Tossup
    machines: bool = True


def judged_answer(tossup: Tossup, typed: str, heard: int) -> Judgement:
    """What the judge says to an answer that was ``typed`` once ``heard`` words were read."""
    answer = tossup.answer or Answer("")
    return judge(answer.line, typed, heard=tossup.heard(heard).text, page=answer.page or "")


def advice_in_words(advice: Advice, name: str) -> str:
    """What somebody called ``name`` asked, and what came back."""
    taken, right = "taken" if advice.taken else "not taken", "right" if advice.right else "wrong"
    asked = f"{name} asked {player_title(advice.machine)}"
    return f"{asked}: {advice.guess}, {advice.chance} %; {taken}, {right}"


def _is_of(advice: Advice, buzz: Buzzed) -> bool:
    """Whether ``advice`` was asked after ``buzz``; a seat buzzes once on a tossup."""
    return (advice.seat, advice.word) == (buzz.seat, buzz.word)


def _is_same_answer(one: str, other: str) -> bool:
    """Whether two answers are the same words to the judge: capitals, accents and stops do not count."""
    first, second = (verbatim(spoken_words(text)) or text.strip() for text in (one, other))
    return first == second


class Match:
    """Plays ``tossups`` in order; ``game`` is that of the present one.

    ``spares`` are read in the place of tossups that are thrown out; their numbers follow the others.
    """

    def __init__(
        self,
        name: str,
        tossups: Sequence[MatchTossup],
        game_format: GameFormat,
        seats: Sequence[Seat],
        clock: Callable[[], int],
        by: PlayedBy = PlayedBy.WINDOW,
        spares: Sequence[MatchTossup] = (),
    ) -> None:
        """``name`` is the id of the match, the same for no other."""
        self.name, self.tossups, self.seats = name, tuple(tossups), tuple(seats)
        self.spares = tuple(spares)
        self._format, self._clock, self._by = game_format, clock, by
        self._paused_at: int | None = None  # None: no pause
        self._skipped_ms = 0  # by the pauses before
        self.moved: Callable[[Move], object] | None = None
        """Is called after each move."""
        self.ruled: Callable[[Ruling], object] | None = None
        """Is called when the moderator ruled something."""
        self._scored = [0] * len(self.seats)  # by the tossups before
        self._bonuses: dict[tuple[str, int], int] = {}  # of each side, by the tossups before
        self.reaction_ms = 0
        self.records: list[tuple[MatchTossup, Played]] = []
        """What was played to its end, in order."""
        self.ruling = Ruling()
        self.number, self.replaces = 1, 0
        self.game = self._new_game()

    def _side(self, at: int) -> tuple[str, int]:
        """Whose points those of a seat are: the team's, or its own."""
        return (self.seats[at].team, -1) if self.seats[at].team else ("", at)

    def _new_game(self) -> Game:
        rules = Rules(self._format, PlayedTossup.of(self.current.tossup), self.seats)
        return Game(rules, self._now_ms, self._tell)

    def _now_ms(self) -> int:
        """The time of the games: no pause is in it."""
        now = self._clock() if self._paused_at is None else self._paused_at
        return now - self._skipped_ms

    @property
    def paused(self) -> bool:
        return self._paused_at is not None

    def pause(self, paused: bool) -> None:
        if paused and self._paused_at is None:
            self._paused_at = self._clock()
        elif not paused and self._paused_at is not None:
            self._skipped_ms += self._clock() - self._paused_at
            self._paused_at = None

    def _tell(self, move: Move) -> None:
        if self.moved is not None:
            self.moved(move)

    def seat(self, seats: Sequence[Seat]) -> None:
        """Let those in ``seats`` play from the present tossup on, which has not begun; none is dropped."""
        self._scored += [0] * (len(seats) - len(self.seats))
        self.seats = tuple(seats)
        self.game = self._new_game()

    @property
    def current(self) -> MatchTossup:
        return (self.tossups + self.spares)[self.number - 1]

    @property
    def question(self) -> int:
        """The number on the score sheet of the present tossup."""
        return self.replaces or self.number

    @property
    def place(self) -> str:
        """Which tossup is played, in words."""
        spare = f", in whose place tossup {self.number} is read" if self.replaces else ""
        return f"Tossup {self.question} of {len(self.tossups)}{spare}"

    @property
    def spare_numbers(self) -> tuple[int, ...]:
        """The numbers of the spares that were not read yet."""
        first, used = len(self.tossups) + 1, {one.number for _, one in self.records} | {self.number}
        return tuple(at for at in range(first, first + len(self.spares)) if at not in used)

    def rule(self, ruling: Ruling) -> None:
        """Let ``ruling`` be what is said of the present tossup.

        If that throws it out, the spare ``replacement`` is read in its place, one of :attr:`spare_numbers`.
        """
        self.ruling = ruling if ruling.replaced else replace(ruling, replacement=0)
        if self.ruled is not None:
            self.ruled(self.ruling)

    @property
    def state(self) -> GameState:
        return self.game.state

    @property
    def is_last(self) -> bool:
        return self.question == len(self.tossups) and not self.ruling.replacement

    @property
    def score(self) -> tuple[int, ...]:
        """The points of each seat, with those of the present tossup."""
        now = (0,) * len(self.seats) if self.ruling.replaced else self.state.score(self.game.rules)
        return tuple(before + points for before, points in zip(self._scored, now, strict=True))

    @property
    def standings(self) -> tuple[tuple[str, int], ...]:
        """The points of each team, and of each seat without one, in the order of the seats; with bonuses."""
        points: dict[tuple[str, int], int] = {}
        names: dict[tuple[str, int], str] = {}
        for at, (seat, scored) in enumerate(zip(self.seats, self.score, strict=True)):
            side = self._side(at)
            points[side] = points.get(side, self._bonuses.get(side, 0)) + scored
            names[side] = seat.team or seat.name or f"Player {at + 1}"
        answered = self.state.answered
        if answered is not None and not self.ruling.replaced:
            points[self._side(answered.seat)] += self.ruling.bonus
        return tuple((names[side], total) for side, total in points.items())

    def leaders(self, most: int) -> tuple[tuple[str, int], ...]:
        """The standings; of more than ``most`` sides those with the most points, the highest first."""
        found = self.standings
        return found if len(found) <= most else tuple(sorted(found, key=lambda one: -one[1])[:most])

    @property
    def played(self) -> Played | None:
        """The log of the present tossup, to be kept; None if nothing happened in it."""
        if not self.state.is_begun:
            return None
        return Played.ruled(
            self.name,
            self.number,
            self._by,
            self.game,
            self.ruling,
            reaction_ms=self.reaction_ms,
            replaces=self.replaces,
        )

    def record(self) -> Played | None:
        """The log of the present tossup, which is over; it goes to the records."""
        played = self.played
        if played is not None:
            self.records.append((self.current, played))
        return played

    def go_on(self, played: Sequence[Played], number: int, replaces: int, ruling: Ruling) -> None:
        """Go on after a kill at the tossup ``number``, with its ``ruling`` and all that was ``played``.

        It is paused: a clock that runs there has to wait for the people.
        """
        for one in played:
            self.number, self.replaces, self.ruling = one.number, one.replaces, one.ruling
            self.seat(one.rules.seats)
            self.game = Game(one.rules, self._now_ms, self._tell)  # the text may have been edited since
            self.game.go_on(one.moves)
            if one.number != number:
                self.records.append((self.current, one))
                self._add_points()
        if self.number != number:  # nothing of it was read
            self.number, self.replaces = number, replaces
            self.game = self._new_game()
        self.ruling = ruling
        self.pause(True)

    def _add_points(self) -> None:
        """The points of the present tossup are those of one before from now on."""
        answered = self.state.answered
        if answered is not None and not self.ruling.replaced:
            side = self._side(answered.seat)
            self._bonuses[side] = self._bonuses.get(side, 0) + self.ruling.bonus
        self._scored = list(self.score)

    def next(self) -> None:
        """Go to the next tossup, or to the one in the place of what was thrown out; there must be one."""
        self._add_points()
        if self.ruling.replacement:
            self.number, self.replaces = self.ruling.replacement, self.question
        else:
            self.number, self.replaces = self.question + 1, 0
        self.ruling = Ruling()
        self.game = self._new_game()

    # -- answers

    def answer(self, typed: str) -> Judgement:
        """What the judge says to what was ``typed`` after the last buzz; a second prompt rejects."""
        buzz = self.state.buzzes[-1]
        found = judged_answer(self.current.tossup, typed, buzz.word)
        self.game.answer(typed)
        self._settle_ruling()
        said = SAID[found.verdict]
        if said is Said.PROMPT and buzz.said is Said.PROMPT:
            said = Said.REJECT
        self.game.judge(said, found.ask if said is Said.PROMPT else "")
        return found

    @property
    def advice(self) -> Advice | None:
        """What a machine was asked since the last buzz, if one was."""
        last = self.state.buzzes[-1] if self.state.buzzes else None
        return next((one for one in self.ruling.advice if last is not None and _is_of(one, last)), None)

    def advise(self, machine: str, page: Page, chance: float) -> Advice:
        """Keep that who answers now was shown the guess of a ``machine``, with its chance to be right."""
        buzz, guess = self.state.buzzes[-1], page_title(page)[:LONGEST_SAID].strip()
        right = judged_answer(self.current.tossup, guess, buzz.word).verdict is Verdict.ACCEPT
        advice = Advice(buzz.seat, buzz.word, machine, guess, round(100 * chance), right=right)
        self.rule(replace(self.ruling, advice=(*self.ruling.advice, advice)))
        return advice

    def undo(self) -> None:
        """Take back what was last done: a verdict with its answer, a machine's with its buzz.

        Advice goes with its buzz, a bonus with the right answer.
        """
        self.game.undo()
        if self.state.phase is Phase.JUDGING:
            self.game.undo()
            if self.seats[self.state.buzzes[-1].seat].machine:
                self.game.undo()
        self._settle_ruling()

    def _settle_ruling(self) -> None:
        """Keep the advice of buzzes that there are, taken where the last answer is the guess; and the bonus
        only of who has answered, or the next to be right would get it."""
        advice = tuple(
            replace(one, taken=buzz.answers != () and _is_same_answer(buzz.answers[-1], one.guess))
            for one in self.ruling.advice
            for buzz in self.state.buzzes
            if _is_of(one, buzz)
        )
        bonus = self.ruling.bonus if self.state.answered is not None else 0
        settled = replace(self.ruling, advice=advice, bonus=bonus)
        if settled != self.ruling:
            self.rule(settled)

    def answer_page(self, page: Page) -> bool:
        """Whether the ``page`` that a machine guesses is right; it is judged so."""
        right = is_right(self._line, page, is_page=True)
        self.game.answer(page_title(page))
        self.game.judge(Said.ACCEPT if right else Said.REJECT)
        return right

    @property
    def _line(self) -> Answer:
        return self.current.tossup.answer or Answer("")

    def overrule(self) -> bool:
        """Turn the last verdict of the present tossup round; False if there is none."""
        decided = [one for one in self.state.buzzes if one.said in {Said.ACCEPT, Said.REJECT}]
        if not decided or self.state.phase not in {Phase.DECIDED, Phase.OVER}:
            return False
        last = decided[-1]
        self.game.overrule(last.seat, Said.REJECT if last.said is Said.ACCEPT else Said.ACCEPT)
        self._settle_ruling()
        return True
