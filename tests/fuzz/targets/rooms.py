"""Rooms: their logs, from which games are recovered, and what phones say."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path

import msgspec

from quizwriter.domain.events import Event
from quizwriter.domain.tossup_game import (
    FORMATS,
    Impression,
    Move,
    MoveKind,
    Phase,
    Played,
    PlayedTossup,
    Rules,
    Ruling,
    Said,
    Seat,
)
from quizwriter.services.room_lines import FromPhone, RoomMove, RoomOpening, RoomTossup, RoomView
from quizwriter.services.room_server import RoomDesk
from quizwriter.services.rooms import read_log
from quizwriter.system.decoding import DecodingError, decode_small_json
from tests.fuzz import mutation
from tests.fuzz.target import Target

_RULES = Rules(
    FORMATS["mACF"], PlayedTossup("ab" * 32, 12, 4), (Seat("Ada", "Red"), Seat("IR", machine="ir"))
)
_TOSSUP = RoomTossup("m1", "t", 1, _RULES)
_LINES = (
    _TOSSUP,
    Move(MoveKind.READ, 900, 5),
    Move(MoveKind.BUZZ, 950, 5, 0),
    Move(MoveKind.ANSWER, 2_000, text="carp"),
    Move(MoveKind.VERDICT, 2_000, said=Said.REJECT),
    Move(MoveKind.UNDO, 2_500),
    Move(MoveKind.VERDICT, 3_000, said=Said.ACCEPT),
    Move(MoveKind.OVERRULE, 3_500, said=Said.REJECT),
    Move(MoveKind.READ_ON, 4_000),
    Move(MoveKind.END, 5_000),
    Ruling(10, "Misread.", replaced=True, replacement=3, impression=Impression("fair", comment="Nice.")),
)


class RoomLogs(Target):
    """The log that the process of a room writes; what is recovered from it can be kept and read again."""

    name = "logs of rooms"

    def make(self, draw: random.Random, case: Path) -> None:
        lines = b"\n".join(msgspec.json.encode(line) for line in _LINES * draw.choice((1, 2)))
        (case / "m1.jsonl").write_bytes(mutation.json_lines(draw, lines))

    def read(self, case: Path) -> None:
        for key, played, remark in read_log(case / "m1.jsonl").games():
            assert isinstance(remark, str)
            game = played.replay()
            assert game is not None
            game.state.score(played.rules)
            event = Event.new(key, 1, "ada", played)
            assert msgspec.convert(msgspec.to_builtins(event.body), Played) == played


_SAID = [
    {"join": {"code": "012345", "name": "Ada", "team": "Red"}},
    {"ack": 3, "number": 1},
    {"buzz": True, "number": 1},
    {"answer": "eel", "number": 1},
]


class _Line:
    """A phone that takes everything."""

    seat = None
    closes = False

    def send(self, message: bytes) -> None:
        json.loads(message)

    def close(self, code: int) -> None:
        self.closes = True


class PhoneMessages(Target):
    """What phones say to the room, some with a seat."""

    name = "messages of phones"

    def make(self, draw: random.Random, case: Path) -> None:
        lines = [json.dumps(draw.choice(_SAID)) for _ in range(12)]
        (case / "said").write_bytes(
            mutation.json_lines(draw, "\n".join([json.dumps(_SAID[0]), *lines]).encode())
        )

    def read(self, case: Path) -> None:
        opening = RoomOpening("012345", ("127.0.0.1",), "Spring", str(case / "log.jsonl"))
        desk = RoomDesk(opening, msgspec.json.encode, lambda: 0)
        phones = [_Line(), _Line()]
        for phone in phones:
            desk.let_in(phone, "")
        view = RoomView(1, 20, Phase.READING.value, 2, (0, 1))
        desk.take(_TOSSUP)
        desk.take(RoomMove(view, 0, Move(MoveKind.READ, 1, 2), ("This", "fish")))
        for at, line in enumerate((case / "said").read_bytes().splitlines()):
            with suppress(DecodingError, UnicodeDecodeError):
                desk.hear(phones[at % 2], decode_small_json(line, FromPhone))
        desk.close()
