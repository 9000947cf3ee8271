"""The window's side of a room: what phones are told of a match, and what they do in it.

It knows neither windows nor networks: lines go to the room's process and come from it, through whoever holds
that process. The log that the process writes is taken into the database if the window could not do it.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import msgspec

from quizwriter.domain.tossup_game import (
    LONGEST_SAID,
    Game,
    IllegalMoveError,
    Move,
    Phase,
    Played,
    PlayedBy,
    Ruling,
    Seat,
    clean_line,
    shown_words,
)
from quizwriter.errors import QuizwriterError
from quizwriter.services.match import Match
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
    RoomTossup,
    RoomView,
    ShownBuzz,
    ToRoom,
)
from quizwriter.store.store import Store
from quizwriter.system.decoding import DecodingError, convert_value, decode_small_json, read_limited

JOURNALS = "rooms"
"""The folder in the home where rooms write their logs."""

MOST_JOURNAL_BYTES = 64 << 20


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
        match.moved, match.ruled = self._tell_move, self._tell_ruling

    @property
    def fixed(self) -> int:
        """How many seats have no phone; they come first."""
        return len(self._fixed)

    def opening(self, address: str, code: str, title: str, journal: Path) -> None:
        """Have the process open the room."""
        typed = not self.spoken
        addresses, names = (address,), tuple(one.name for one in self._fixed)
        self._send(RoomOpening(code, addresses, title, str(journal), 0, names, self.adviser, typed))

    def begin(self) -> None:
        """The present tossup of the match begins; whoever came until now plays it."""
        seats = (*self._fixed, *(Seat(one.name, one.team) for one in self.guests))
        self.match.seat(seats)
        self._settle()
        self._begin()

    def _begin(self) -> None:
        match = self.match
        self._sent_words, self._begun, self.waiting = 0, match.number, None
        about = match.name, match.current.key, match.number, match.game.rules
        self._send(RoomTossup(*about, match.reaction_ms, match.replaces))
        self._tell(None)

    def pause(self, *, paused: bool) -> None:
        self.match.pause(paused)
        self._tell(None)

    def remove(self, guest: int) -> None:
        """Send the phone of a guest away."""
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
                if more and self._begun == self.match.number and not self.match.game.log:
                    self.begin()
            case RoomBuzzed():
                self.waiting = report
                if not self.spoken or report.seat < len(self._fixed):
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

    def _tell_move(self, move: Move) -> None:
        if self._begun == self.match.number:
            self._tell(move)

    def _tell_ruling(self, ruling: Ruling) -> None:
        if self._begun == self.match.number:
            self._tell(None, ruling)

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
        points = state.points(rules)
        return RoomView(
            match.question,
            len(match.tossups),
            state.phase.value,
            state.word,
            tuple(at for at in range(len(rules.seats)) if state.may_buzz(rules, at)),
            last.seat if answering and last is not None else None,
            last.prompt if state.phase is Phase.PROMPTED and last is not None else "",
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


class RoomJournals:
    """Reads the logs that rooms wrote, and takes what no window could keep into the database."""

    def __init__(self, store: Store, home: Path) -> None:
        self._store, self._folder = store, home / JOURNALS

    def path(self, game: str) -> Path:
        """Where the room of a ``game`` writes its log."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{game}.jsonl"

    def done(self, game: str) -> None:
        """All tossups of a ``game`` were kept: its log is not needed any more."""
        with suppress(OSError):
            (self._folder / f"{game}.jsonl").unlink(missing_ok=True)

    def recover(self, keep: Callable[[str, Played], object], open_games: Collection[str]) -> int:
        """Have ``keep`` put the games that no window could keep into the database; how many. Slow.

        Logs of ``open_games`` are left alone; all others are removed.
        """
        count = 0
        for path in sorted(self._folder.glob("*.jsonl")):
            if path.stem in open_games:
                continue
            for key, played in read_journal(path):
                if self._is_new(key, played):
                    keep(key, played)
                    count += 1
            self.done(path.stem)
        return count

    def _is_new(self, key: str, played: Played) -> bool:
        try:
            kept = [event.body for event in self._store.review_of(key).games]
        except QuizwriterError:  # the tossup is gone
            return False
        return not any(
            isinstance(one, Played) and (one.game, one.number) == (played.game, played.number) for one in kept
        )


def read_journal(path: Path) -> list[tuple[str, Played]]:
    """The games in the log of a room, each with the id of its tossup; a last line that is cut is left out."""
    try:
        lines = read_limited(path, MOST_JOURNAL_BYTES).splitlines()
    except (OSError, DecodingError):
        return []
    found: list[tuple[RoomTossup, Game]] = []
    rulings: list[Ruling] = []
    for line in lines:
        try:
            row = decode_small_json(line, dict[str, object])
            if "do" in row:
                begun = convert_value(row, RoomTossup)
                found.append((begun, Game(begun.rules, lambda: 0)))
                rulings.append(Ruling())
            elif found and "kind" in row:
                found[-1][1].take(convert_value(row, Move))
            elif found:
                rulings[-1] = convert_value(row, Ruling)
        except (DecodingError, IllegalMoveError):
            break
    return [
        (
            begun.key,
            Played.ruled(
                begun.game,
                begun.number,
                PlayedBy.ROOM,
                game,
                ruling,
                reaction_ms=begun.reaction_ms,
                replaces=begun.replaces,
            ),
        )
        for (begun, game), ruling in zip(found, rulings, strict=True)
        if game.state.word
    ]
