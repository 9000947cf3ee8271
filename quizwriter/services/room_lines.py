"""What the window and the process that serves a room tell each other, each a line of JSON."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec

from quizwriter.domain.tossup_game import (
    LONGEST_SAID,
    MOST_SEATS,
    GameId,
    Move,
    Name,
    Rules,
    Ruling,
    Said,
    SeatNumber,
    TossupNumber,
    Words,
)

CODE_DIGITS = 6

TossupKey = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Guest(msgspec.Struct, frozen=True):
    """Somebody in a room: the seat's name and team, and whether their phone is connected."""

    name: Name = ""
    team: Name = ""
    here: bool = True


# -- from the window


class RoomSeat(msgspec.Struct, frozen=True, tag="seat", tag_field="do"):
    """A phone's seat: whoever shows the ``token`` comes back to it, unless the host has ``barred`` them."""

    name: Name
    team: Name
    token: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    barred: bool = False


class RoomOpening(msgspec.Struct, frozen=True, tag="open", tag_field="do"):
    """Open a room at ``addresses``; port 0: any that is free. The seats ``fixed``, by name, have no phone.

    Nobody is called as these or as the ``adviser``, the machine that may be asked after a buzz. ``seats`` are
    those of a room that goes on after its window was killed.
    """

    code: str
    addresses: tuple[str, ...]
    title: str
    journal: str
    port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 0
    fixed: tuple[Name, ...] = ()
    adviser: Name = ""
    typed: bool = True  # whether answers are typed on phones, rather than said to the moderator
    seats: Annotated[tuple[RoomSeat, ...], msgspec.Meta(max_length=MOST_SEATS)] = ()


class RoomTossup(msgspec.Struct, frozen=True, tag="tossup", tag_field="do"):
    """A tossup begins: what its log needs. If it was ``logged``, it goes on after a kill of the window."""

    game: GameId
    key: TossupKey
    number: TossupNumber
    rules: Rules
    reaction_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 0
    replaces: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0
    logged: bool = False


class ShownBuzz(msgspec.Struct, frozen=True):
    """A buzz as phones show it."""

    name: str
    word: int
    answer: str
    said: Said | None
    points: int


class RoomView(msgspec.Struct, frozen=True):
    """What phones show of the game beside its words; ``may`` are the seats that may buzz."""

    number: int
    of: int
    phase: str
    word: int
    may: tuple[int, ...] = ()
    seat: int | None = None  # who answers
    ask: str = ""
    left_ms: int | None = None  # of the time for an answer or a buzz; None: no clock runs
    paused: bool = False
    buzzes: tuple[ShownBuzz, ...] = ()
    score: tuple[tuple[str, int], ...] = ()
    adviser: str = ""  # the machine that may be asked after a buzz


class RoomMove(msgspec.Struct, frozen=True, tag="move", tag_field="do"):
    """The game went on, by a ``move`` or a ``ruling``; ``words`` are those that phones show from now on.

    ``settled`` is how many buzzes the window has dealt with: until it knows of the last one, nobody else gets
    in between.
    """

    view: RoomView
    settled: int
    move: Move | None = None
    words: tuple[str, ...] = ()
    ruling: Ruling | None = None


class RoomBuzz(msgspec.Struct, frozen=True, tag="buzz", tag_field="do"):
    """Somebody without a phone wants to buzz, such as a machine: it is first if nobody was before."""

    seat: SeatNumber


class RoomRemoval(msgspec.Struct, frozen=True, tag="remove", tag_field="do"):
    """The phone of this seat is sent away, and its seat is empty from now on."""

    seat: SeatNumber


class RoomAdvice(msgspec.Struct, frozen=True, tag="advice", tag_field="do"):
    """What a machine guesses, for the phones of these seats only."""

    seats: tuple[SeatNumber, ...]
    guess: str
    chance: int


ToRoom = RoomOpening | RoomTossup | RoomMove | RoomBuzz | RoomRemoval | RoomAdvice


# -- from the room


class RoomOpened(msgspec.Struct, frozen=True, tag="opened", tag_field="is"):
    """The room is open at this port."""

    port: int


class RoomTrouble(msgspec.Struct, frozen=True, tag="trouble", tag_field="is"):
    """The room could not be opened, or its log cannot be written."""

    problem: str
    remedy: str


class RoomGuests(msgspec.Struct, frozen=True, tag="guests", tag_field="is"):
    """Who has a phone's seat, in order; the first is behind the fixed seats. ``wrong_codes`` were tried."""

    guests: Annotated[tuple[Guest, ...], msgspec.Meta(max_length=MOST_SEATS)]
    wrong_codes: int = 0


class RoomBuzzed(msgspec.Struct, frozen=True, tag="buzzed", tag_field="is"):
    """The first buzz, with ``word`` on the screen; ``marked``: in the room, as the screen was too old."""

    number: int
    seat: SeatNumber
    word: Words
    marked: bool


class RoomAnswered(msgspec.Struct, frozen=True, tag="answered", tag_field="is"):
    """What was typed on the phone that has the buzz."""

    seat: SeatNumber
    text: Annotated[str, msgspec.Meta(max_length=LONGEST_SAID)]


class RoomAsked(msgspec.Struct, frozen=True, tag="asked", tag_field="is"):
    """The phone that has the buzz asks the machine."""

    seat: SeatNumber


FromRoom = RoomOpened | RoomTrouble | RoomGuests | RoomBuzzed | RoomAnswered | RoomAsked


# -- from a phone


class Joining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody wants a seat."""

    code: Annotated[str, msgspec.Meta(max_length=20)]
    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    team: Annotated[str, msgspec.Meta(max_length=200)] = ""


class FromPhone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message of a phone: one of these. ``number`` is that of the tossup on its screen."""

    join: Joining | None = None
    ack: Words | None = None  # this many words are on the screen
    buzz: bool = False
    answer: Annotated[str, msgspec.Meta(max_length=LONGEST_SAID)] | None = None
    ask: bool = False  # the machine
    number: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0


class TokenBucket:
    """Lets ``rate`` things a second pass, and ``burst`` at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        """What was taken last counts for nothing."""
        self._left = min(self._burst, self._left + 1)
