"""Made-up matches of three phones in a room: what the room keeps is what the same match has without one.

Phones press at the same millisecond, say what is not theirs to say, lose their seat to another tab in the
middle of a buzz, and join late; the moderator pauses, undoes undone moves, rules and protests at any moment.
"""

from __future__ import annotations

import json
import random

import msgspec
from msgspec.structs import replace

from quizwriter.domain.tossup_game import FORMATS, IllegalMoveError, Phase, PlayedBy, Seat
from quizwriter.services.match import Match, MatchTossup
from quizwriter.services.room_lines import FromPhone, Joining, RoomOpening, ToRoom
from quizwriter.services.room_server import GRACE_MS, TAKEN_OVER, RoomDesk
from quizwriter.services.rooms import RoomHost, read_log
from tests.helpers.made_games import EELS

ANSWERS = "eel", "an eel", "fish", "a fish", "carp", "", "eels and carp"
NAMES, LATE = ("Ada", "Ben", "Cem"), "Dov"
STEPS = (
    "read", "read", "read", "read", "show", "show", "buzz", "buzz", "tie", "answer", "answer", "wrong answer",
    "take over", "pause", "undo", "undo", "undo twice", "overrule", "read on", "read on", "end", "time",
    "protest", "bonus", "throw out", "throw out", "next", "next", "next", "next", "late", "old buzz",
    "read", "read", "go on", "go on", "go on",
)  # fmt: skip
TOSSUPS, SPARES = 4, 2


def scripts(seed, count):
    """What is done, at which millisecond; much of it may not be."""
    draw = random.Random(seed)
    for _ in range(count):
        now, steps = 0, []
        for _ in range(draw.randrange(30, 150)):
            now += draw.choice((0, 0, 1, 200, 700, 5_000, 10_000))
            seats = draw.sample(range(len(NAMES)), 2)
            step = draw.choice(STEPS)
            steps.append((step, now, seats, draw.choice(ANSWERS), draw.randrange(20)))
        teams = draw.choice((("", "", ""), ("Red", "Red", "Blue"), ("Red", "", "Red")))
        yield draw.choice(list(FORMATS.values())), teams, steps


def a_match(game_format, seats, clock):
    tossups, spares = [MatchTossup("t", EELS)] * TOSSUPS, [MatchTossup("s", EELS)] * SPARES
    return Match("m", tossups, game_format, seats, clock, PlayedBy.ROOM, spares)


def moderate(match, step, text, number, pause):
    """Do what a moderator does, if it may be."""
    game = match.game
    match step:
        case "read" if not match.paused:
            game.read(game.state.word + 1 + number % 3)
        case "pause":
            pause(not match.paused)
        case "go on" if match.paused:
            pause(False)
        case "undo":
            match.undo()
        case "undo twice":
            match.undo()
            match.undo()
        case "overrule":
            match.overrule()
        case "read on":
            game.read_on()
        case "end" | "next":
            game.end()
        case "time" if not match.paused:
            game.time_up()
        case "protest":
            match.rule(replace(match.ruling, protest=text))
        case "bonus" if match.state.answered is not None:
            match.rule(replace(match.ruling, bonus=number % 4 * 10))
        case "throw out" if match.state.phase is Phase.OVER:
            spare = match.spare_numbers[0] if match.spare_numbers else 0
            match.rule(replace(match.ruling, replaced=not match.ruling.replaced, replacement=spare))


class Alone:
    """The match without a room: this test's own account of what a room lets phones do."""

    def __init__(self, game_format, teams):
        self.ms = 0
        self.seats = [Seat(name, team) for name, team in zip(NAMES, teams, strict=True)]
        self.match = a_match(game_format, tuple(self.seats), lambda: self.ms)
        self.shown, self.read_ms = [0] * len(NAMES), []

    def buzz(self, seat):
        match, word = self.match, self.shown[seat]
        if match.paused or not match.state.may_buzz(match.game.rules, seat):
            return
        heard = match.state.word
        old = word < heard and self.ms - self.read_ms[word] > GRACE_MS
        match.game.buzz(seat, heard if old else word, marked=old)

    def do(self, step, seats, text, number):
        match = self.match
        first, state = seats[0], match.state
        answers = state.phase in (Phase.ANSWERING, Phase.PROMPTED)
        if step == "show":
            self.shown[first] = max(self.shown[first], min(number, state.word))
        elif step in ("buzz", "tie"):  # of two at once, the one who may
            for seat in seats if step == "tie" else [first]:
                self.buzz(seat)
        elif step == "answer" and answers and state.buzzes[-1].seat < len(NAMES):
            match.answer(text)
        elif step == "take over":
            self.shown[first] = 0
        elif step == "late" and len(self.seats) == len(NAMES):
            self.seats.append(Seat(LATE))
            if not match.game.log:
                self.begin()
        elif step == "next" and state.phase is Phase.OVER and not match.is_last:
            match.record()
            match.next()
            self.begin()
        else:
            moderate(match, step, text, number, match.pause)
        self.read_ms += [self.ms] * (match.state.word - len(self.read_ms))

    def begin(self):
        self.match.seat(self.seats)
        self.shown, self.read_ms = [0] * len(NAMES), []


class PhoneOfTest:
    """What a phone without a network has on its screen."""

    def __init__(self):
        self.seat, self.closed = None, 0
        self.hello, self.screen = {}, {"words": [], "view": None, "lock": None, "number": 0}

    def send(self, message):
        got = json.loads(message)
        self.hello = got if "token" in got else self.hello
        if "begin" in got:
            self.screen = {"words": [], "view": None, "lock": None, "number": got["begin"]}
        if got.get("words"):
            assert got["from"] == len(self.screen["words"])  # none twice, none left out
            self.screen["words"] += got["words"]
        if "view" in got:
            self.screen |= {"view": got["view"] | {"left_ms": None}, "lock": None}
        if "lock" in got:
            self.screen["lock"] = got["lock"]

    def close(self, code):
        self.closed = code


class InRoom:
    """The same match by phones, a desk and a host."""

    def __init__(self, game_format, teams, journal):
        self.ms, self.reports = 0, []
        self.desk = RoomDesk(
            RoomOpening("1", ("127.0.0.1",), "Room", str(journal)), self.reports.append, self.now
        )
        self.match = a_match(game_format, (), self.now)
        self.host = RoomHost(self.match, lambda line: self.desk.take(msgspec.json.decode(line, type=ToRoom)))
        self.phones = [self.joined(name, team) for name, team in zip(NAMES, teams, strict=True)]
        self.settle()
        self.host.begin()

    def now(self):
        return self.ms

    def joined(self, name, team=""):
        phone = PhoneOfTest()
        assert self.desk.let_in(phone, "") == 0
        self.desk.hear(phone, FromPhone(join=Joining("1", name, team)))
        return phone

    def again(self, seat):
        """The same seat in another tab: its screen shows what that of the first did."""
        before, phone = self.phones[seat], PhoneOfTest()
        assert self.desk.let_in(phone, before.hello["token"]) == 0
        assert before.closed == TAKEN_OVER
        assert phone.screen == before.screen
        self.phones[seat] = phone
        return before

    def settle(self):
        while self.reports:
            self.host.take(self.reports.pop(0))

    def say(self, seat, **what):
        self.desk.hear(self.phones[seat], FromPhone(**{"number": self.match.number} | what))

    def do(self, step, seats, text, number):
        match = self.match
        first, second = seats
        state = match.state
        if step == "show":
            self.say(first, ack=number)
        elif step == "buzz":
            self.say(first, buzz=True)
            self.say(first, buzz=True)  # pressed twice
        elif step == "tie":
            self.say(first, buzz=True)
            self.say(second, buzz=True)
        elif step == "old buzz":
            self.say(first, buzz=True, number=match.number + 1)
        elif step in ("answer", "wrong answer"):
            here = [state.buzzes[-1].seat] if state.buzzes else []
            says = here if step == "answer" else [at for at in seats if at not in here]
            for at in says:
                if at < len(NAMES):
                    self.say(at, answer=text)
        elif step == "take over":
            old = self.again(first)
            for said in (
                FromPhone(buzz=True, number=match.number),
                FromPhone(answer="eel", number=match.number),
            ):
                self.desk.hear(old, said)  # the first tab has no seat any more
        elif step == "late" and len(self.phones) == len(NAMES):
            self.phones.append(self.joined(LATE))
        elif step == "next" and state.phase is Phase.OVER and not match.is_last:
            match.record()
            match.next()
            self.host.begin()
        else:
            moderate(match, step, text, number, lambda paused: self.host.pause(paused=paused))
        self.settle()

    def check(self):
        """Every phone shows the game as it is, and nobody is locked out by a buzz that is settled."""
        state, rules = self.match.state, self.match.game.rules
        may = [at for at in range(len(rules.seats)) if state.may_buzz(rules, at)]
        for phone in self.phones[: len(rules.seats)]:
            screen = phone.screen
            assert (screen["number"], screen["lock"]) == (self.match.number, None)
            assert len(screen["words"]) == state.word
            shown = screen["view"]
            assert (shown["phase"], shown["may"], shown["paused"]) == (state.phase, may, self.match.paused)
            assert [tuple(row) for row in shown["score"]] == list(self.match.standings)


def tried(face, now, *step):
    face.ms = now
    try:
        face.do(*step)
    except IllegalMoveError:
        if isinstance(face, InRoom):
            face.settle()


def test_matches_of_three_in_a_room_end_in_the_logs_that_they_have_without_one(tmp_path):
    kinds, games, longest = set(), 0, 0
    for number, (game_format, teams, steps) in enumerate(scripts(32, 160)):
        journal = tmp_path / f"{number}.jsonl"
        alone, room = Alone(game_format, teams), InRoom(game_format, teams, journal)
        for what, now, *how in steps:
            for face in (alone, room):
                tried(face, now, what, *how)
            assert room.match.game.log == alone.match.game.log, (number, what, now, how)
            assert room.match.ruling == alone.match.ruling
            assert room.match.standings == alone.match.standings
            room.check()
        for match in (alone.match, room.match):
            match.record()
        room.desk.close()
        expected = [played for _, played in alone.match.records]
        assert [played for _, played in room.match.records] == expected
        assert [played for _, played in read_log(journal).played] == expected
        assert all(one.replay() is not None for one in expected)
        kinds |= {move.kind for one in expected for move in one.moves}
        games, longest = games + len(expected), max(longest, len(expected))
    assert len(kinds) == 9
    assert games >= 300
    assert longest > TOSSUPS  # one was read in the place of another
