"""The window's side of a room: what phones are told of a match, and what they do in it.

It knows neither windows nor networks: lines go to the room's process and come from it, through whoever holds
that process. The log that the process writes is taken into the database if the window could not do it.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from quizwriter.domain.tossup_game import (
    LONGEST_SAID,
    MOST_SEATS,
    Game,
    GameFormat,
    GameId,
    IllegalMoveError,
    Move,
    Phase,
    Played,
    PlayedBy,
    Ruling,
    Seat,
    clean_line,
    shown_words,
    version_digest,
)
from quizwriter.errors import QuizwriterError
from quizwriter.services.games import Games, is_kept
from quizwriter.services.match import GameChoices, Match
from quizwriter.services.room_lines import (
    CODE_DIGITS,
    FromRoom,
    Guest,
    RoomAdvice,
    RoomAnswered,
    RoomBuzz,
    RoomBuzzed,
    RoomGuests,
    RoomMove,
    RoomOpening,
    RoomRemoval,
    RoomSeat,
    RoomTossup,
    RoomView,
    ShownBuzz,
    ToRoom,
    TossupKey,
)
from quizwriter.store.store import Store
from quizwriter.system.decoding import DecodingError, convert_value, decode_small_json, read_limited

JOURNALS = "rooms"
"""The folder in the home where rooms write their logs."""

MOST_JOURNAL_BYTES = 64 << 20
LONGEST_BREAK_S = 12 * 3600
"""How long after its window was killed a room can go on: an evening, and the night after it."""


def new_code() -> str:
    """The digits that let phones into a room."""
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"


def own_addresses() -> tuple[str, ...]:
    """The addresses under which others may reach this computer, the likeliest first, itself last.

    Nothing is sent: the system only says from where it would be.
    """
    found = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(("192.0.2.1", 9))  # an address of nobody, for examples
        found.append(str(asked.getsockname()[0]))
    with suppress(OSError):
        found += [str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return tuple(dict.fromkeys([one for one in found if not one.startswith("127.")] + ["127.0.0.1"]))


class RoomHost:
    """Plays a :class:`Match` in a room: tells the room each move, and takes what phones do.

    ``send`` hands a line to the room's process. ``spoken``: a moderator reads aloud, so phones get no word,
    and who buzzes waits for the moderator to say at which word that was.
    """

    def __init__(
        self, match: Match, send: Callable[[bytes], object], *, spoken: bool = False, adviser: str = ""
    ) -> None:
        self.match, self.spoken = match, spoken
        self._send_line = send
        self._fixed = tuple(match.seats)  # they have no phone
        self.guests: tuple[Guest, ...] = ()
        self.wrong_codes = 0
        self.waiting: RoomBuzzed | None = None  # a buzz that is not settled
        self._settled = 0
        self._sent_words = 0
        self._begun = 0  # the tossup that the room knows
        self.adviser = adviser
        """What the machine is called that may be asked after a buzz; empty: there is none."""
        match.moved, match.ruled = self._follow, partial(self._follow, None)

    @property
    def fixed(self) -> int:
        """How many seats have no phone; they come first."""
        return len(self._fixed)

    def opening(
        self, address: str, code: str, title: str, journal: Path, before: RoomOpening | None = None
    ) -> None:
        """Have the process open the room, after a kill at the port and with the seats of ``before``."""
        typed = not self.spoken
        port, seats = (before.port, before.seats) if before is not None else (0, ())
        addresses, names = (address,), tuple(one.name for one in self._fixed)
        self._send(RoomOpening(code, addresses, title, str(journal), port, names, self.adviser, typed, seats))

    def begin(self) -> None:
        """The present tossup of the match begins; whoever came until now plays it.

        One that goes on after a kill is still played by those who played it.
        """
        match, logged = self.match, bool(self.match.game.log)
        if not logged:
            match.seat((*self._fixed, *(Seat(one.name, one.team) for one in self.guests)))
        self._settle()
        self._sent_words, self._begun, self.waiting = 0, match.number, None
        about = match.name, match.current.key, match.number, match.game.rules
        self._send(RoomTossup(*about, match.reaction_ms, match.replaces, logged))
        self._tell(None)

    def pause(self, *, paused: bool) -> None:
        self.match.pause(paused)
        self._tell(None)

    def remove(self, guest: int) -> None:
        self._send(RoomRemoval(len(self._fixed) + guest))

    def ask(self, seat: int) -> None:
        """A buzz of a seat without a phone: the room decides whether it is first."""
        self._send(RoomBuzz(seat))

    def tell_advice(self) -> None:
        """Show what the machine was asked to the phones of the team that answers, and to nobody else."""
        advice, rules = self.match.advice, self.match.game.rules
        if advice is not None:
            team = rules.team(advice.seat)
            seats = tuple(at for at in range(len(rules.seats)) if rules.team(at) == team)
            self._send(RoomAdvice(seats, advice.guess, advice.chance))

    # -- what the room reports

    def take(self, report: FromRoom) -> bool:
        """Take a report; whether the game went on by it, or waits for the moderator's word."""
        match report:
            case RoomGuests():
                self.guests, self.wrong_codes = report.guests, report.wrong_codes
                more = len(self.match.seats) < len(self._fixed) + len(self.guests)
                untouched = not self.match.game.log and self.waiting is None
                if more and untouched and self._begun == self.match.number:
                    self.begin()
            case RoomBuzzed():
                self.waiting = report
                if not self.spoken:
                    return self.settle(report.word)
                if self._is_ours(report):
                    return True
                self.refuse()
            case RoomAnswered():
                state = self.match.state
                if state.phase in (Phase.ANSWERING, Phase.PROMPTED) and state.buzzes[-1].seat == report.seat:
                    self.match.answer(clean_line(report.text, LONGEST_SAID))
                    return True
        return False

    def _is_ours(self, buzz: RoomBuzzed) -> bool:
        """Whether a buzz may still be, or came when the moderator had paused or undone something."""
        rules, seat = self.match.game.rules, buzz.seat
        known = buzz.number == self.match.number and seat < len(rules.seats)
        return known and not self.match.paused and self.match.state.may_buzz(rules, seat)

    def settle(self, word: int) -> bool:
        """Let the buzz that waits be at ``word``; whether it could be."""
        buzz = self.waiting
        if buzz is None:
            return False
        if not self._is_ours(buzz):
            self.refuse()
            return False
        self._settle()
        try:
            if self.spoken and word > self.match.state.word:
                self.match.game.read(word)
            self.match.game.buzz(buzz.seat, min(word, self.match.state.word), marked=buzz.marked)
        except IllegalMoveError:
            self._tell(None)
            return False
        return True

    def refuse(self) -> None:
        """The buzz that waits was none; everybody goes on."""
        self._settle()
        self._tell(None)

    def _settle(self) -> None:
        if self.waiting is not None:
            self.waiting = None
            self._settled += 1

    # -- what the room is told

    def _follow(self, move: Move | None, ruling: Ruling | None = None) -> None:
        if self._begun == self.match.number:
            self._tell(move, ruling)

    def _tell(self, move: Move | None, ruling: Ruling | None = None) -> None:
        words: tuple[str, ...] = ()
        state = self.match.state
        if not self.spoken and state.word > self._sent_words:
            words = shown_words(self.match.current.tossup)[self._sent_words : state.word]
            self._sent_words = state.word
        self._send(RoomMove(self.view, self._settled, move, words, ruling))

    @property
    def view(self) -> RoomView:
        """What phones show beside the words."""
        match, state, rules = self.match, self.match.state, self.match.game.rules
        names = [one.name or f"Player {at}" for at, one in enumerate(rules.seats, start=1)]
        answering = state.phase in (Phase.ANSWERING, Phase.PROMPTED, Phase.JUDGING)
        last = state.buzzes[-1] if state.buzzes else None
        points = (0,) * len(state.buzzes) if match.ruling.replaced else state.points(rules)
        return RoomView(
            match.question,
            len(match.tossups),
            state.phase.value,
            state.word,
            tuple(at for at in range(len(rules.seats)) if state.may_buzz(rules, at)),
            last.seat if answering and last is not None else None,
            last.prompt if state.phase is Phase.PROMPTED and last is not None and not self.spoken else "",
            None if state.due_ms is None or match.paused else max(0, state.due_ms - match.game.now_ms),
            match.paused,
            tuple(
                ShownBuzz(names[one.seat], one.word, one.answers[-1] if one.answers else "", one.said, worth)
                for one, worth in zip(state.buzzes, points, strict=True)
            ),
            match.standings,
            self.adviser if match.current.machines else "",
        )

    def _send(self, line: ToRoom) -> None:
        self._send_line(msgspec.json.encode(line) + b"\n")


# -- logs of rooms whose window was killed


class RoomPlan(msgspec.Struct, frozen=True, tag="plan", tag_field="do"):
    """What a room reads and how, by the ids of its tossups: enough to go on after its window was killed."""

    game: GameId
    tossups: Annotated[tuple[TossupKey, ...], msgspec.Meta(min_length=1, max_length=10_000)]
    spares: Annotated[tuple[TossupKey, ...], msgspec.Meta(max_length=10_000)]
    format: GameFormat
    seats: Annotated[tuple[Seat, ...], msgspec.Meta(max_length=MOST_SEATS)]
    choices: GameChoices

    @classmethod
    def of(cls, match: Match, choices: GameChoices) -> RoomPlan:
        """The plan of a ``match`` that has not begun."""
        tossups, spares = (tuple(one.key for one in of) for of in (match.tossups, match.spares))
        return cls(match.name, tossups, spares, match.game.rules.format, match.seats, choices)


class RoomLog(msgspec.Struct):
    """The log of a room: its plan, how it was opened, with the seats, and each tossup with its moves."""

    plan: RoomPlan | None = None
    opening: RoomOpening | None = None
    tossups: list[tuple[RoomTossup, Game, Ruling]] = msgspec.field(default_factory=list)

    def add(self, row: Mapping[str, object]) -> None:
        last = self.tossups[-1] if self.tossups else None
        match row.get("do"):
            case "plan":
                self.plan = convert_value(row, RoomPlan)
            case "open":
                self.opening = convert_value(row, RoomOpening)
            case "seat":
                self._add_seat(convert_value(row, RoomSeat))
            case "remove":
                self._bar(convert_value(row, RoomRemoval).seat)
            case "tossup":
                begun = convert_value(row, RoomTossup)
                if not begun.logged:  # else it goes on after a kill
                    self.tossups.append((begun, Game(begun.rules, lambda: 0), Ruling()))
            case _ if last is not None and "kind" in row:
                last[1].take(convert_value(row, Move))
            case _ if last is not None:
                self.tossups[-1] = (*last[:2], convert_value(row, Ruling))

    def _add_seat(self, seat: RoomSeat) -> None:
        if self.opening is not None:
            self.opening = replace(self.opening, seats=(*self.opening.seats, seat))

    def _bar(self, number: int) -> None:
        if self.opening is not None:
            seats = (
                replace(seat, barred=seat.barred or at == number)
                for at, seat in enumerate(self.opening.seats, len(self.opening.fixed))
            )
            self.opening = replace(self.opening, seats=tuple(seats))

    @property
    def played(self) -> list[tuple[str, Played]]:
        """The games that were begun, each with the id of its tossup."""
        return [(key, played) for key, played, _ in self.games()]

    def games(self) -> Iterator[tuple[str, Played, str]]:
        role = (self.plan.choices if self.plan is not None else GameChoices(alone=False)).role
        for begun, game, ruling in self.tossups:
            if game.state.is_begun:
                played = Played.ruled(
                    begun.game,
                    begun.number,
                    PlayedBy.ROOM,
                    game,
                    ruling,
                    reaction_ms=begun.reaction_ms,
                    replaces=begun.replaces,
                )
                yield begun.key, played, ruling.impression.remark(role)


class KilledRoom(msgspec.Struct, frozen=True):
    """A room whose window was killed: it stopped at the tossup that had ``begun``, with its ``ruling``."""

    plan: RoomPlan
    opening: RoomOpening
    played: tuple[Played, ...]
    begun: RoomTossup
    ruling: Ruling

    @classmethod
    def of(cls, log: RoomLog) -> KilledRoom | None:
        """The room of a log, if it can go on."""
        if log.plan is None or log.opening is None or not log.tossups:
            return None
        begun, _, ruling = log.tossups[-1]
        return cls(log.plan, log.opening, tuple(one for _, one in log.played), begun, ruling)

    @property
    def place(self) -> str:
        """What was read, and how far it was, in words."""
        at = self.begun.replaces or self.begun.number
        where = f"tossup {at} of {len(self.plan.tossups)}"
        return f"{title}, {where}" if (title := self.plan.choices.title) else where

    def resume(self, match: Match) -> None:
        """Let ``match``, which has not begun, be where the room stopped."""
        match.go_on(self.played, self.begun.number, self.begun.replaces, self.ruling)

    def match(self, games: Games) -> Match:
        """The match as it was before its first tossup. Slow."""
        keys, begun = self.plan.tossups + self.plan.spares, self.begun
        found = games.tossups(keys)
        numbers = begun.number, self.ruling.replacement, *(one.number for one in self.played)
        same = tuple(one.key for one in found) == keys and max(numbers) <= len(keys)
        if not same or version_digest(found[begun.number - 1].tossup) != begun.rules.tossup.digest:
            raise QuizwriterError(
                "The room cannot be continued, as its tossups were changed or deleted since.",
                "Open a new one; what was played is kept.",
            )
        most = len(self.plan.tossups)
        return Match(
            self.plan.game,
            found[:most],
            self.plan.format,
            self.plan.seats,
            games.clock,
            PlayedBy.ROOM,
            found[most:],
        )


class RoomJournals:
    """Keeps the logs that rooms write, and takes what no window could keep into the database."""

    def __init__(self, store: Store, home: Path) -> None:
        self._store, self._folder = store, home / JOURNALS

    def path(self, game: str) -> Path:
        """Where the room of a ``game`` writes its log."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{game}.jsonl"

    def begin(self, plan: RoomPlan) -> Path:
        """Begin the log of a room. Nobody else may read it: whoever has a token has the seat."""
        path = self.path(plan.game)
        with suppress(OSError), os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "ab") as log:
            log.write(msgspec.json.encode(plan) + b"\n")  # without it, a killed room is kept and cannot go on
        return path

    def done(self, game: str) -> None:
        """All tossups of a ``game`` were kept: its log is not needed any more."""
        with suppress(OSError):
            (self._folder / f"{game}.jsonl").unlink(missing_ok=True)

    def killed(self, open_games: Collection[str]) -> KilledRoom | None:
        """The last room of the past hours whose window was killed, if it can go on. Slow."""
        found = [(one.stat().st_mtime, one) for one in self._others(open_games)]
        for at, path in sorted(found, reverse=True):
            room = KilledRoom.of(read_log(path))
            if room is not None and room.plan.game == path.stem and time.time() - at < LONGEST_BREAK_S:
                return room
        return None

    def recover(
        self,
        keep: Callable[[str, Played, str], object],
        open_games: Collection[str],
        may_go_on: str = "",
    ) -> int:
        """Have ``keep`` put the games that no window could keep, with what was said, into the database.

        How many it put. Logs of ``open_games`` are left alone; all others are removed. Of the game that
        ``may_go_on`` the log and the tossup where it stopped are left. Slow.
        """
        count = 0
        for path in self._others(open_games):
            log = read_log(path)
            for key, one, remark in log.games():
                goes_on = path.stem == may_go_on and one.number == log.tossups[-1][0].number
                if not goes_on and self._is_new(key, one):
                    keep(key, one, remark)
                    count += 1
            if path.stem != may_go_on:
                self.done(path.stem)
        return count

    def _others(self, open_games: Collection[str]) -> list[Path]:
        return [one for one in sorted(self._folder.glob("*.jsonl")) if one.stem not in open_games]

    def _is_new(self, key: str, played: Played) -> bool:
        try:
            return not is_kept(self._store, key, played)
        except QuizwriterError:  # the tossup is gone
            return False


def read_log(path: Path) -> RoomLog:
    """The log of a room, as far as it can be read; a last line that is cut is left out."""
    log = RoomLog()
    try:
        lines = read_limited(path, MOST_JOURNAL_BYTES).splitlines()
    except (OSError, DecodingError):
        return log
    for line in lines:
        try:
            log.add(decode_small_json(line, dict[str, object]))
        except (DecodingError, IllegalMoveError):
            break
    return log
