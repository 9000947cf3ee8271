"""A tossup read to people and machines: the one state machine of the game, its formats, and its log.

Faces of the game, such as the window and the page of playtesters, make moves; :func:`after` says what each
does, or that it may not be. The log of a tossup is its moves, which are only ever added: whoever replays them
has the same state. The event :class:`Played` keeps them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Released, event_kind
from quizwriter.domain.tossup import Tossup

MOST_WORDS = 2_000
"""Words of a tossup that is played; the longest have 250."""

MOST_SEATS = 50
MOST_MOVES = 2_000
"""Of one tossup; words that are read after each other are one move."""

LONGEST_NAME = 40
LONGEST_SAID = 200
"""Characters of an answer that is kept; what is longer is cut."""

LONGEST_GAME_MS = 86_400_000

_MINUS = "\N{MINUS SIGN}"

Points = Annotated[int, msgspec.Meta(ge=-1_000, le=1_000)]
Words = Annotated[int, msgspec.Meta(ge=0, le=MOST_WORDS)]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, lt=MOST_SEATS)]
GameMilliseconds = Annotated[int, msgspec.Meta(ge=0, le=LONGEST_GAME_MS)]
Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
GameId = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
TossupNumber = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Remark = Annotated[str, msgspec.Meta(max_length=2_000)]
Felt = Literal["", "too easy", "fair", "too hard"]
"""How hard a tossup was to somebody who played it."""


class GameFormat(msgspec.Struct, frozen=True):
    """What a right answer and an interruption are worth, and how long there is for them.

    ``superpower`` and ``power`` are the points before those marks. ``answer_ms`` is the time for an answer
    after a buzz, ``end_ms`` that for a buzz after the last word; 0: no clock.
    """

    name: Name
    right: Points = 10
    neg: Points = -5
    power: Points = 0
    superpower: Points = 0
    answer_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 10_000
    end_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 5_000

    @property
    def in_words(self) -> str:
        """The name with its points, as formats are called: "mACF 15/10/-5"."""
        points = [one for one in (self.superpower, self.power) if one] + [self.right]
        if self.neg:
            points.append(self.neg)
        return f"{self.name} {'/'.join(str(one).replace('-', _MINUS) for one in points)}"


FORMATS: Mapping[str, GameFormat] = {
    one.name: one
    for one in (
        GameFormat("ACF"),
        GameFormat("mACF", power=15),
        GameFormat("PACE", neg=0, power=20),
        GameFormat("Superpowers", power=15, superpower=20),
    )
}
"""The formats that people know by name; any other :class:`GameFormat` is one's own."""


class Seat(msgspec.Struct, frozen=True):
    """Who can buzz. Of one ``team`` only one may answer each tossup; without a team, everybody is one's own.

    ``machine`` is the name of a player, ``engine`` the digest of what it was loaded from; of people,
    ``person`` is the id, empty where nobody told.
    """

    name: Name = ""
    team: Name = ""
    machine: Annotated[str, msgspec.Meta(max_length=100)] = ""
    engine: Annotated[str, msgspec.Meta(max_length=200)] = ""
    person: Annotated[str, msgspec.Meta(max_length=200)] = ""


BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters without a glyph that Unicode does not call control or format characters."""

_JOINERS = "\u200c\u200d"
"""Signs that nobody sees, but that change how their neighbours look: in Persian words, and in emoji."""

_NEVER_JOINED = ("LATIN", "GREEK", "CYRILLIC")  # there a joiner would only hide a name from who looks for it

_MOST_MARKS = 3  # above and below a letter; a pile of them would cover the lines around


def clean_line(text: str, longest: int = LONGEST_NAME) -> str:
    """A name, or another ``text`` of others, as it is kept: one line without signs that nobody sees."""
    parts = ("".join(_seen(part)) for part in unicodedata.normalize("NFC", text).split())
    return " ".join(filter(None, parts))[:longest].rstrip()


def seen_lines(text: str) -> str:
    """A remark of others as it is kept: as :func:`clean_line`, with its lines, spaces and joined letters."""
    lines = text.replace("\t", " ").splitlines()
    return "\n".join("".join(_seen(line, _JOINERS)) for line in lines)


def _seen(part: str, joiners: str = "") -> Iterator[str]:
    marks, letter = 0, "a"
    for one in part:
        category = unicodedata.category(one)
        if category.startswith("C") or one in BLANKS:
            if one in joiners and not unicodedata.name(letter, "").startswith(_NEVER_JOINED):
                yield one
            continue  # it does not end a pile of marks
        if category.startswith("M"):
            marks += 1
        else:
            marks, letter = 0, one
        if marks <= _MOST_MARKS:
            yield one


class Said(StrEnum):
    """What the moderator says to an answer."""

    ACCEPT = "accept"
    PROMPT = "prompt"
    REJECT = "reject"


class MoveKind(StrEnum):
    """What can happen while a tossup is read."""

    READ = "read"  # all words up to ``word`` were read
    BUZZ = "buzz"  # of ``seat``, with ``word`` on its screen
    ANSWER = "answer"  # ``text`` was said
    VERDICT = "verdict"  # ``said``; ``text`` is what a prompt asks
    TIME = "time"  # the clock ran out
    OVERRULE = "overrule"  # the answer of ``seat`` counts as ``said``
    READ_ON = "read on"  # after a wrong answer
    END = "end"  # the rest is not played
    UNDO = "undo"  # the last move that is no reading never was


class Move(msgspec.Struct, frozen=True):
    """Something that happened ``at_ms`` after the tossup began; what a kind does not name is empty.

    A buzz is ``marked`` where its word is the one that the room had come to, because the player's screen was
    too far behind.
    """

    kind: MoveKind
    at_ms: GameMilliseconds = 0
    word: Words = 0
    seat: SeatNumber = 0
    said: Said | None = None
    text: Annotated[str, msgspec.Meta(max_length=LONGEST_SAID)] = ""
    marked: bool = False


class Phase(StrEnum):
    """What the game waits for."""

    READING = "reading"  # words, or a buzz
    ANSWERING = "answering"  # an answer
    PROMPTED = "prompted"  # a more exact answer
    JUDGING = "judging"  # a verdict
    DECIDED = "decided"  # the moderator: overrule, read on, or go to the next
    OVER = "over"


class Buzzed(msgspec.Struct, frozen=True):
    """A buzz with what came of it; ``said`` is None until there is a verdict."""

    seat: int
    word: int
    at_ms: int
    answers: tuple[str, ...] = ()
    prompt: str = ""
    said: Said | None = None
    overruled: bool = False
    timed_out: bool = False


class PlayedTossup(msgspec.Struct, frozen=True):
    """What the game needs to know of a tossup: its words and marks, and which version it was."""

    digest: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    words: Words
    power: Words | None = None
    superpower: Words | None = None

    @classmethod
    def of(cls, tossup: Tossup) -> PlayedTossup:
        mark = tossup.text.find("(+)")
        superpower = None if mark < 0 else sum(span.end <= mark for span in tossup.words)
        return cls(version_digest(tossup), len(tossup.words), tossup.power, superpower)


_GAP = re.compile(r" ([.,;:!?])")  # where a guide stood before a full stop


def shown_words(tossup: Tossup, *, marks: bool = False) -> tuple[str, ...]:
    """The words one after another; with ``marks``, each with the marks and guides behind it."""
    source, words = tossup.text if marks else tossup.heard_text, tossup.words
    found = []
    for at, span in enumerate(words):
        end = words[at + 1].start if at + 1 < len(words) else len(source)
        piece = " ".join(source[span.start if at else 0 : end].split())
        found.append(piece if marks else _GAP.sub(r"\1", piece))
    return tuple(found)


def version_digest(tossup: Tossup) -> str:
    """The digest of a tossup as it is read: its text and its answer line."""
    line = "" if tossup.answer is None else tossup.answer.line
    whole = f"{len(tossup.text)}\n{tossup.text}{line}"
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


class Rules(msgspec.Struct, frozen=True):
    """What stands before the first word: the format, the tossup and the seats."""

    format: GameFormat
    tossup: PlayedTossup
    seats: tuple[Seat, ...]

    def team(self, seat: int) -> tuple[str, int]:
        """The team of a seat; of one without a team, its own."""
        name = self.seats[seat].team
        return (name, -1) if name else ("", seat)


class GameState(msgspec.Struct, frozen=True):
    """Where the game stands; ``due_ms`` is when the clock runs out, None without a clock."""

    phase: Phase = Phase.READING
    word: int = 0
    at_ms: int = 0
    due_ms: int | None = None
    buzzes: tuple[Buzzed, ...] = ()

    @property
    def answered(self) -> Buzzed | None:
        return next((one for one in self.buzzes if one.said is Said.ACCEPT), None)

    @property
    def is_begun(self) -> bool:
        """Whether a word was read, or somebody buzzed before one was: there is something to keep."""
        return self.word > 0 or bool(self.buzzes)

    def may_buzz(self, rules: Rules, seat: int) -> bool:
        """Whether the seat may buzz now: somebody reads, and its team has not answered yet."""
        tried = {rules.team(one.seat) for one in self.buzzes}
        return self.phase is Phase.READING and rules.team(seat) not in tried

    def points(self, rules: Rules) -> tuple[int, ...]:
        """The points of each buzz: those of the first right one, and of the first interruption before it."""
        found, negged, is_answered = [], False, False
        for one in self.buzzes:
            worth = 0
            if one.said is Said.ACCEPT and not is_answered:
                is_answered, worth = True, _worth(rules, one.word)
            elif one.said is Said.REJECT and not (is_answered or negged) and one.word < rules.tossup.words:
                negged, worth = True, rules.format.neg
            found.append(worth)
        return tuple(found)

    def score(self, rules: Rules) -> tuple[int, ...]:
        score = [0] * len(rules.seats)
        for one, points in zip(self.buzzes, self.points(rules), strict=True):
            score[one.seat] += points
        return tuple(score)


def _worth(rules: Rules, word: int) -> int:
    """The points of a right answer after ``word`` words."""
    marks = (rules.tossup.superpower, rules.format.superpower), (rules.tossup.power, rules.format.power)
    return next(
        (points for mark, points in marks if mark is not None and points and word <= mark),
        rules.format.right,
    )


class IllegalMoveError(ValueError):
    """The move cannot be in this state; nothing changed."""


def after(rules: Rules, state: GameState, move: Move) -> GameState:
    """The state after ``move``, which is no undo."""
    if move.at_ms < state.at_ms:
        raise IllegalMoveError("Time does not run backwards.")
    phase, at_ms, clocks = state.phase, move.at_ms, rules.format
    match move.kind:
        case MoveKind.READ if phase is Phase.READING and state.word < move.word <= rules.tossup.words:
            due = _due(at_ms, clocks.end_ms) if move.word == rules.tossup.words else None
            return replace(state, word=move.word, at_ms=at_ms, due_ms=due)
        case MoveKind.BUZZ if move.seat < len(rules.seats) and move.word <= state.word:
            if not state.may_buzz(rules, move.seat):
                raise IllegalMoveError("This seat may not buzz now.")
            buzzed = Buzzed(move.seat, move.word, at_ms)
            due = _due(at_ms, clocks.answer_ms)
            return replace(
                state, phase=Phase.ANSWERING, at_ms=at_ms, due_ms=due, buzzes=(*state.buzzes, buzzed)
            )
        case MoveKind.ANSWER if phase in {Phase.ANSWERING, Phase.PROMPTED}:
            last = state.buzzes[-1]
            last = replace(last, answers=(*last.answers, move.text))
            return replace(_with_last(state, last), phase=Phase.JUDGING, at_ms=at_ms, due_ms=None)
        case MoveKind.VERDICT if phase in {Phase.ANSWERING, Phase.PROMPTED, Phase.JUDGING} and move.said:
            last = state.buzzes[-1]
            if move.said is Said.PROMPT:
                if last.said is Said.PROMPT:
                    raise IllegalMoveError("A player is prompted once.")
                prompted = _with_last(state, replace(last, said=Said.PROMPT, prompt=move.text))
                due = _due(at_ms, clocks.answer_ms)
                return replace(prompted, phase=Phase.PROMPTED, at_ms=at_ms, due_ms=due)
            decided = _with_last(state, replace(last, said=move.said))
            return replace(decided, phase=Phase.DECIDED, at_ms=at_ms, due_ms=None)
        case MoveKind.TIME if state.due_ms is not None and at_ms >= state.due_ms:
            if phase is Phase.READING:
                return replace(state, phase=Phase.OVER, at_ms=at_ms, due_ms=None)
            late = replace(state.buzzes[-1], said=Said.REJECT, timed_out=True)
            return replace(_with_last(state, late), phase=Phase.DECIDED, at_ms=at_ms, due_ms=None)
        case MoveKind.OVERRULE if phase in {Phase.DECIDED, Phase.OVER} and move.said not in {
            None,
            Said.PROMPT,
        }:
            return replace(state, at_ms=at_ms, buzzes=_overruled(state, move))
        case MoveKind.READ_ON if phase is Phase.DECIDED and state.answered is None:
            is_read = state.word == rules.tossup.words
            due = _due(at_ms, clocks.end_ms) if is_read else None
            return replace(state, phase=Phase.READING, at_ms=at_ms, due_ms=due)
        case MoveKind.END if phase in {Phase.READING, Phase.DECIDED}:
            return replace(state, phase=Phase.OVER, at_ms=at_ms, due_ms=None)
    raise IllegalMoveError(f"“{move.kind}” cannot be while the game is {phase}.")


def _due(at_ms: int, clock_ms: int) -> int | None:
    return at_ms + clock_ms if clock_ms else None


def _with_last(state: GameState, last: Buzzed) -> GameState:
    return replace(state, buzzes=(*state.buzzes[:-1], last))


def _overruled(state: GameState, move: Move) -> tuple[Buzzed, ...]:
    buzz = next((one for one in state.buzzes if one.seat == move.seat), None)
    if buzz is None or buzz.said is move.said:
        raise IllegalMoveError("There is nothing to overrule.")
    return tuple(
        replace(one, said=move.said, overruled=not one.overruled) if one is buzz else one
        for one in state.buzzes
    )


class Game:
    """A tossup that is being played: its state and its log. All times come from ``clock``, in ms."""

    def __init__(
        self, rules: Rules, clock: Callable[[], int], moved: Callable[[Move], object] | None = None
    ) -> None:
        """``moved`` is called after each move."""
        self.rules, self.state = rules, GameState()
        self.log: list[Move] = []
        self._moved = moved
        self._clock, self._began = clock, clock()
        self._before: list[GameState] = []  # the states before the moves that are no reading

    @classmethod
    def replayed(cls, rules: Rules, moves: Iterable[Move]) -> Game:
        game = cls(rules, lambda: 0)
        for move in moves:
            game.take(move)
        return game

    @property
    def now_ms(self) -> int:
        """The time since the tossup began; never earlier than the last move."""
        return max(self.state.at_ms, min(self._clock() - self._began, LONGEST_GAME_MS))

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    def take(self, move: Move) -> GameState:
        """The state after ``move``, which is added to the log."""
        reads_on = move.kind is MoveKind.READ and bool(self.log) and self.log[-1].kind is MoveKind.READ
        if not reads_on and len(self.log) >= MOST_MOVES:
            raise IllegalMoveError("The log of this tossup is full.")
        if move.kind is MoveKind.UNDO:
            if not self._before or move.at_ms < self.state.at_ms:
                raise IllegalMoveError("There is nothing to undo.")
            before = self._before.pop()
            heard = max(before.word, self.state.word)  # nobody can unhear a word
            due = None if before.due_ms is None else before.due_ms - before.at_ms + move.at_ms
            if before.phase is Phase.READING and heard == self.rules.tossup.words:
                due = _due(move.at_ms, self.rules.format.end_ms)
            self.state = replace(before, word=heard, at_ms=move.at_ms, due_ms=due)
        else:
            state = after(self.rules, self.state, move)
            if move.kind is not MoveKind.READ:
                self._before.append(self.state)
            self.state = state
        if reads_on:
            self.log[-1] = move
        else:
            self.log.append(move)
        if self._moved is not None:
            self._moved(move)
        return self.state

    def go_on(self, moves: Iterable[Move]) -> None:
        """Take the ``moves`` of a log, and go on where it ends: the time since then counts for nothing."""
        for move in moves:
            self.take(move)
        self._began = self._clock() - self.state.at_ms

    # -- what faces call

    def read(self, word: int) -> GameState:
        return self.take(Move(MoveKind.READ, self.now_ms, word))

    def buzz(self, seat: int, word: int | None = None, *, marked: bool = False) -> GameState:
        """A buzz of ``seat`` with ``word`` on its screen; None: the last one that was read."""
        heard = self.state.word if word is None else word
        return self.take(Move(MoveKind.BUZZ, self.now_ms, heard, seat, marked=marked))

    def answer(self, text: str) -> GameState:
        return self.take(Move(MoveKind.ANSWER, self.now_ms, text=text.strip()[:LONGEST_SAID]))

    def judge(self, said: Said, ask: str = "") -> GameState:
        """The verdict on what was answered last; ``ask`` is what a prompt asks."""
        return self.take(Move(MoveKind.VERDICT, self.now_ms, said=said, text=ask[:LONGEST_SAID]))

    def time_up(self) -> GameState:
        return self.take(Move(MoveKind.TIME, self.now_ms))

    def overrule(self, seat: int, said: Said) -> GameState:
        return self.take(Move(MoveKind.OVERRULE, self.now_ms, seat=seat, said=said))

    def read_on(self) -> GameState:
        return self.take(Move(MoveKind.READ_ON, self.now_ms))

    def end(self) -> GameState:
        return self.take(Move(MoveKind.END, self.now_ms))

    def undo(self) -> GameState:
        return self.take(Move(MoveKind.UNDO, self.now_ms))


class Advice(msgspec.Struct, frozen=True):
    """A guess of a ``machine`` that a team asked for once ``seat`` had buzzed after ``word`` words.

    ``chance`` is in percent. ``taken``: the guess was the last answer; ``right``: it would have been, or was.
    """

    seat: SeatNumber
    word: Words
    machine: Annotated[str, msgspec.Meta(max_length=100)]
    guess: Annotated[str, msgspec.Meta(max_length=LONGEST_SAID)]
    chance: Annotated[int, msgspec.Meta(ge=0, le=100)]
    taken: bool = False
    right: bool = False


Advices = Annotated[tuple[Advice, ...], msgspec.Meta(max_length=MOST_SEATS)]


class Impression(msgspec.Struct, frozen=True):
    """What somebody says of a tossup after it was played: how hard, what was unfair, and anything else."""

    felt: Felt = ""
    unfair: Remark = ""
    comment: Remark = ""

    def remark(self, role: str) -> str:
        """The review comment that says it, by somebody in this ``role``; empty if nothing was said."""
        said = [self.felt.capitalize()] if self.felt else []
        if self.unfair.strip():
            said.append(f"Unfair because {self.unfair.strip()}")
        if self.comment.strip():
            said.append(self.comment.strip())
        ended = (one if one.endswith((".", "?", "!")) else f"{one}." for one in said)
        return f"After a game, as {role}: {' '.join(ended)}" if said else ""


class Ruling(msgspec.Struct, frozen=True):
    """What is kept of a tossup beside its moves: what a moderator rules, and which machine was asked.

    A game that is over has no ``replacement``, which is then in the next one, nor an ``impression``, which is
    a comment.
    """

    bonus: Points = 0  # of the team that answered
    protest: Annotated[str, msgspec.Meta(max_length=LONGEST_SAID)] = ""
    replaced: bool = False  # thrown out: another tossup counts in its place, if one was left
    advice: Advices = ()
    replacement: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0
    """The number of the spare that is read next; 0: none."""
    impression: Impression = Impression()


class PlayedBy(StrEnum):
    """By which face a game was played."""

    WINDOW = "window"
    MAIL = "mail"
    ROOM = "room"


@event_kind("game", log="people", pack=4, later={"replaces": 4, "advice": 4}, released=Released.NEVER)
class Played(Body, frozen=True):
    """The tossup was played, as it was after this event's edit, as number ``number`` of the game ``game``."""

    game: GameId
    number: TossupNumber
    by: PlayedBy
    rules: Rules
    moves: Annotated[tuple[Move, ...], msgspec.Meta(max_length=MOST_MOVES)]
    bonus: Points = 0  # this and the next two are the :class:`Ruling`
    protest: Annotated[str, msgspec.Meta(max_length=LONGEST_SAID)] = ""
    replaced: bool = False
    reaction_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = (
        0  # between a machine's decision and its buzz
    )
    replaces: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0  # number of the one thrown out; 0: of none
    advice: Advices = ()

    @classmethod
    def ruled(
        cls,
        name: str,
        number: int,
        by: PlayedBy,
        game: Game,
        ruling: Ruling,
        *,
        reaction_ms: int,
        replaces: int,
    ) -> Played:
        """What is kept of ``game``; a bonus is nobody's where nobody answered."""
        bonus = ruling.bonus if game.state.answered is not None else 0
        return cls(
            name,
            number,
            by,
            game.rules,
            tuple(game.log),
            bonus,
            ruling.protest,
            ruling.replaced,
            reaction_ms,
            replaces,
            ruling.advice,
        )

    @property
    def ruling(self) -> Ruling:
        return Ruling(self.bonus, self.protest, self.replaced, self.advice)

    @property
    def question(self) -> int:
        """The number on the score sheet: that of the tossup in whose place this was read."""
        return self.replaces or self.number

    @property
    def people(self) -> tuple[int, ...]:
        return tuple(at for at, seat in enumerate(self.rules.seats) if not seat.machine)

    def replay(self) -> Game | None:
        """The game as it went; None where its moves cannot have been, as somebody else may say anything."""
        try:
            return Game.replayed(self.rules, self.moves)
        except IllegalMoveError:
            return None
