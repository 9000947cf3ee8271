"""One script, three faces: the state machine, the page of playtesters, and a room end in the same log."""

from __future__ import annotations

import json
import random

import msgspec
import pytest

from quizwriter.domain.tossup_game import FORMATS, IllegalMoveError, Move, PlayedTossup, Seat
from quizwriter.judging.verdict_table import verdict_table
from quizwriter.services.match import Match, MatchTossup
from quizwriter.services.room_lines import FromPhone, Joining, RoomOpening, ToRoom
from quizwriter.services.room_server import RoomDesk
from quizwriter.services.rooms import RoomHost, read_log
from tests.helpers.made_games import EELS
from tests.helpers.node import in_node, needs_node

ANSWERS = "eel", "an eel", "fish", "a fish", "carp", "", "Sargasso", "eels and carp"


def scripts():
    """300 games: what somebody does, at which millisecond; much of it may not be."""
    rng = random.Random(3)
    for _ in range(300):
        now, steps = 0, []
        for _ in range(rng.randrange(4, 30)):
            now += rng.choice((0, 1, 200, 5_000, 10_000))
            kinds = ("read",) * 6 + ("buzz", "buzz", "answer", "answer", "read on", "end", "time", "overrule")
            steps.append({"do": rng.choice(kinds), "at_ms": now, "text": rng.choice(ANSWERS)})
        yield rng.choice(list(FORMATS.values())), steps


def match_of(game_format, clock):
    return Match("m", [MatchTossup("t", EELS)], game_format, (Seat("Ben"),), clock)


def moderate(match, step):
    """Do what a moderator does."""
    game = match.game
    if step["do"] == "read":
        game.read(game.state.word + 1)
    elif step["do"] == "read on":
        game.read_on()
    elif step["do"] == "end":
        game.end()
    elif step["do"] == "time":
        game.time_up()
    elif step["do"] == "overrule":
        match.overrule()


def by_machine(game_format, steps):
    """The log of the state machine."""
    now = [0]
    match = match_of(game_format, lambda: now[0])
    for step in steps:
        now[0] = step["at_ms"]
        try:
            if step["do"] == "buzz":
                match.game.buzz(0)
            elif step["do"] == "answer":
                if match.state.phase in ("answering", "prompted"):
                    match.answer(step["text"])
            else:
                moderate(match, step)
        except IllegalMoveError:
            pass
    return match.game.log


class PhoneOfTest:
    """A phone without a network, which shows each word at once."""

    def __init__(self):
        self.seat, self.got = None, []

    def send(self, message):
        self.got.append(json.loads(message))

    def close(self, code):
        raise AssertionError(code)


def by_room(game_format, steps, journal):
    """The log of a room in which one phone plays, and the log on the disk."""
    now, reports = [0], []
    opening = RoomOpening("1", ("127.0.0.1",), "Room", str(journal))
    desk = RoomDesk(opening, reports.append, lambda: now[0])
    match = Match("m", [MatchTossup("t", EELS)], game_format, (), lambda: now[0])
    host = RoomHost(match, lambda line: desk.take(msgspec.json.decode(line, type=ToRoom)))

    def settle():
        while reports:
            host.take(reports.pop(0))

    phone = PhoneOfTest()
    assert desk.let_in(phone, "") == 0
    desk.hear(phone, FromPhone(join=Joining("1", "Ben")))
    settle()
    host.begin()
    for step in steps:
        now[0] = step["at_ms"]
        desk.hear(phone, FromPhone(ack=match.state.word, number=1))
        try:
            if step["do"] == "buzz":
                desk.hear(phone, FromPhone(buzz=True, number=1))
            elif step["do"] == "answer":
                desk.hear(phone, FromPhone(answer=step["text"], number=1))
            else:
                moderate(match, step)
        except IllegalMoveError:
            pass
        settle()
    desk.close()
    kept = [played.moves for _, played in read_log(journal).played]
    return match.game.log, kept[0] if kept else ()


@needs_node
def test_300_scripted_games_end_in_the_same_log_in_all_faces(tmp_path):
    games = list(scripts())
    table, tossup = verdict_table(EELS), PlayedTossup.of(EELS)
    rows = [
        {"do": "script", "format": one, "tossup": tossup, "table": table, "steps": steps}
        for one, steps in games
    ]
    pages = in_node(rows)
    lengths = set()
    for number, ((one, steps), page) in enumerate(zip(games, pages, strict=True)):
        log = by_machine(one, steps)
        assert [msgspec.convert(move, Move) for move in page] == log
        room, kept = by_room(one, steps, tmp_path / f"{number}.jsonl")
        assert room == log
        if any(move.kind == "read" for move in log):
            assert kept == tuple(log)
        lengths.add(len(log))
    assert max(lengths) > 8  # they are games


@pytest.mark.parametrize("name", FORMATS)
def test_the_replay_of_a_log_word_by_word_is_the_same_game(name):
    for _, steps in list(scripts())[:50]:
        log = by_machine(FORMATS[name], steps)
        match = match_of(FORMATS[name], lambda: 0)
        for move in log:
            match.game.take(move)
        assert match.game.log == log
