"""What a challenge set says of its people: the attempts of who wrote, and the rooms of who played."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from quizwriter.challenge.figures import (
    ControlGames,
    PeopleRow,
    QuestionRow,
    loop_row,
    people_row,
    set_figures,
)
from quizwriter.challenge.verify import verify
from quizwriter.domain.events import Event
from quizwriter.domain.guessing import win_chance
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import RoomsRecorded
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.people_rooms import PastVersions

TEXT = "one two three four five six seven eight nine ten"


def recorded(seq, *bodies):
    return [replace(Event.new("t", 1_000 + at, "", body), seq=seq) for at, body in enumerate(bodies)]


def test_a_room_counts_once_and_a_later_edit_is_said():
    rooms = RoomsRecorded("a.jsonl", 10, ("g1", "g2", "g3"), (9, 4, 0), (3,))
    again = RoomsRecorded("b.jsonl", 20, ("g3", "g4"), (2, 20))
    history = PastVersions([Change(1, 1_000, Edit(0, "", TEXT)), Change(2, 2_000, Edit(0, "", "zero "))])
    now = Tossup(f"zero {TEXT}")

    assert people_row(recorded(1, rooms, again), Tossup(TEXT), history) == PeopleRow(4, (4, 9, 10), True)
    assert people_row(recorded(1, rooms), Tossup(TEXT), history) == PeopleRow(3, (4, 9))
    assert people_row(recorded(1, rooms), now, history) == PeopleRow(3, (5, 10), edited=True)
    assert people_row([], now, history) is None
    assert people_row(recorded(1, rooms), Tossup(""), history) is None


def question(number, people=None):
    return QuestionRow(number, f"q{number}", "train", "w", (), 10, (), (), people=people)


def game(buzz, right=True, knowable=True):
    return PlaySummary("ir", "e", 10, buzz, buzz, buzz, "X", 0.9, right, knowable, "1" * 100)


def test_wins_are_by_the_rooms_of_the_question_and_by_the_cubic_on_the_same_questions():
    rows = [
        question(1, PeopleRow(5, (2, 4, 6, 8))),  # in one room nobody was right
        question(2, PeopleRow(1, (5,), edited=True)),  # too few rooms: those of all questions count
        question(3, PeopleRow(5, (1, 1, 1, 1, 1))),  # the player cannot know it
        question(4),
    ]
    games = {"ir": {1: game(5), 2: game(7), 3: game(3, knowable=False), 4: game(3)}}
    tossups = {number: Tossup(TEXT, Answer("X")) for number in range(1, 5)}

    people = set_figures(rows, games, ControlGames(), tossups).people

    assert (people.questions, people.rooms, people.edited) == (3, 11, 1)
    assert people.answered.value == 10 / 11
    (wins,) = people.wins
    assert wins.people.number == wins.cubic.number == 2
    assert wins.people.value == pytest.approx((3 / 5 + 2 / 11) / 2)
    ends = {heard: tossups[1].words[heard - 1].end / len(TEXT) for heard in (5, 7)}
    assert wins.cubic.value == pytest.approx(sum(map(win_chance, ends.values())) / 2)
    assert set_figures([question(4)], games, ControlGames(), tossups).people is None


def test_a_set_says_wins_by_people_and_by_the_cubic_and_verifies(desk, tmp_path):
    for key in ("a", "b"):
        desk.write(key)
    desk.export(tmp_path / "before")
    rooms = RoomsRecorded("cup.jsonl", 12, tuple(f"g{at}" for at in range(6)), (9, 10, 11, 12, 12, 0))
    desk.say("a", rooms)
    desk.export(tmp_path / "out")

    whole = json.loads((tmp_path / "out/questions.json").read_text(encoding="utf-8"))["quizwriter"]
    (played,) = [row["people"] for row in whole if "people" in row]
    readme, sheet = (
        (tmp_path / "out" / name).read_text(encoding="utf-8") for name in ("README.md", "DATASHEET.md")
    )
    assert (played["rooms"], len(played["answered"])) == (6, 5)
    assert "| player | questions | wins, by people | wins, by the cubic |" in readme
    assert "People played 1 question of this set in\n6 rooms" in readme
    assert "- name: people" in readme
    assert "## People who played it" in sheet
    assert "g0" not in json.dumps([row.get("people") for row in whole])
    assert not verify(desk.app, tmp_path / "out").problems
    before = (tmp_path / "before/README.md").read_text(encoding="utf-8")
    assert "records no buzzes of" in before
    assert "- name: people" not in before

    path = tmp_path / "out/questions.json"
    said = path.read_text(encoding="utf-8")
    path.write_text(said.replace('"rooms":6', '"rooms":3'), encoding="utf-8")
    assert any("does not fit together" in problem for problem in verify(desk.app, tmp_path / "out").problems)


def test_looking_twice_in_one_stretch_of_typing_is_one_attempt():
    typed = [Change(at, 1_000 * at, Edit(at - 1, "", "x"), "") for at in (1, 2, 3)]
    elsewhere = Change(4, 200_000, Edit(0, "", "y"), "")

    assert loop_row([*typed, elsewhere], [(1, "ir"), (3, "ir")]).attempts == 1
    assert loop_row([*typed, elsewhere], [(1, "ir"), (3, "ir"), (4, "ir")]).attempts == 2
