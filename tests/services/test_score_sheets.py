"""The score sheet of a match: what it says, and that others and we read it again."""

from __future__ import annotations

import csv
import json

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, Game, GameFormat, Ruling, Said, Seat
from quizwriter.formats.buzz_files import read_rooms
from quizwriter.formats.question_files import ReadReport
from quizwriter.services.match import Match, MatchTossup
from quizwriter.services.score_sheets import qbj_match, write_score_sheet

EELS = Tossup(
    "This fish (“eel”) swims — slowly — to the Sargasso Sea. (*) For 10 points, name this long fish.",
    Answer("<u>eel</u>s"),
)
SEATS = Seat("Ada", "Red"), Seat("Ben", "Red"), Seat("=Cem", "Blue"), Seat("IR", machine="ir", engine="d1")


def play(match, word, *buzzes, bonus=0):
    """Read up to ``word``, and have seats answer there."""
    match.game.read(word)
    for seat, text in buzzes:
        match.game.buzz(seat)
        match.answer(text)
        if match.state.answered is None:
            match.game.read_on()
    match.game.end()
    match.rule(Ruling(bonus))


@pytest.fixture
def match():
    match = Match("m", [MatchTossup("t", EELS)] * 4, FORMATS["mACF"], SEATS, lambda: 0)
    match.reaction_ms = 300
    play(match, 5, (0, "carp"), (2, "eel"), bonus=20)
    match.record()
    match.next()
    play(match, 9, (3, "eels"))
    match.record()
    match.next()
    play(match, 4, (1, "eel"), bonus=30)
    match.rule(Ruling(30, "Misread.", replaced=True))
    match.record()
    match.next()
    play(match, len(EELS.words))
    match.record()
    return match


def test_the_score_has_bonuses_and_nothing_of_what_was_thrown_out(match):
    assert match.standings == (("Red", -5), ("Blue", 35), ("IR", 10))


def test_qbj_says_who_scored_what_and_what_machines_were_given(match):
    found = qbj_match(match.records)
    assert found["tossups_read"] == 3
    teams = {one["team"]["name"]: one for one in found["match_teams"]}
    assert list(teams) == ["Red", "Blue", "IR"]
    assert teams["Blue"]["bonus_points"] == 20
    ada = teams["Red"]["match_players"][0]
    assert (ada["tossups_heard"], ada["answer_counts"]) == (3, [{"answer": {"value": -5}, "number": 1}])
    first, second, third, last = found["match_questions"]
    assert [one["result"]["value"] for one in first["buzzes"]] == [-5, 15]
    assert first["bonus"] == {"parts": [{"controlled_points": 20}]}
    assert second["buzzes"][0]["player"] == {"name": "IR"}
    assert (third["notes"], third["buzzes"][0]["result"]) == ("Thrown out. Misread.", {"value": 0})
    assert last["buzzes"] == []
    assert found["notes"] == (
        "Format: mACF 15/10/\N{MINUS SIGN}5. IR is a machine (d1); it got the words that were read. "
        "Machines buzz 300 ms after they decide."
    )


@pytest.mark.parametrize("name", ["match.qbj", "match.json"])
def test_our_reader_finds_each_buzz_at_its_word(match, tmp_path, name):
    path = tmp_path / name
    write_score_sheet(path, match.records)
    whole = json.loads(path.read_text(encoding="utf-8"))
    assert ("objects" in whole) == (name == "match.qbj")
    rooms = read_rooms(path, ReadReport(str(path)))
    assert len(rooms) == 4
    heard = [[buzz.position + 1 for buzz in one.in_our_words(EELS.text).buzzes] for one in rooms]
    assert heard == [[5, 5], [9], [4], []]
    assert [[buzz.right for buzz in one.buzzes] for one in rooms] == [[False, True], [True], [False], []]


def test_the_table_has_no_formulas_and_a_row_for_each_buzz(match, tmp_path):
    path = tmp_path / "match.csv"
    write_score_sheet(path, match.records)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(one["tossup"], one["player"], one["word"], one["points"]) for one in rows] == [
        ("1", "Ada", "5", "-5"),
        ("1", "'=Cem", "5", "15"),
        ("2", "IR", "9", "10"),
        ("3", "Ben", "4", "0"),
        ("4", "", "", "0"),
    ]
    assert {one["reaction ms"] for one in rows} == {"300"}


def test_a_machine_that_was_asked_is_in_the_table_and_in_the_notes(tmp_path):
    match = Match("m", [MatchTossup("t", EELS)], FORMATS["mACF"], SEATS, lambda: 0)
    match.game.read(5)
    match.game.buzz(0)
    match.advise("ir", "=Carp", 0.25)
    match.answer("carp")
    match.game.read_on()
    match.game.buzz(2)
    match.answer("eel")
    match.record()
    path = tmp_path / "match.csv"
    write_score_sheet(path, match.records)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = "player", "asked", "guess", "chance", "taken", "guess is right"
    assert [tuple(one[name] for name in columns) for one in rows] == [
        ("Ada", "ir", "'=Carp", "25", "yes", "no"),
        ("'=Cem", "", "", "", "", ""),
    ]
    (question,) = qbj_match(match.records)["match_questions"]
    assert question["notes"] == "Ada asked IR: =Carp, 25 %; taken, wrong."


def test_a_spare_counts_in_the_place_of_what_was_thrown_out(tmp_path):
    spares = [MatchTossup("s", EELS)] * 3
    match = Match("m", [MatchTossup("t", EELS)] * 2, FORMATS["mACF"], SEATS, lambda: 0, spares=spares)
    play(match, 5, (0, "eel"), bonus=20)
    match.rule(Ruling(20, "Misread.", replaced=True, replacement=match.spare_numbers[1]))
    match.record()
    assert match.standings == (("Red", 0), ("Blue", 0), ("IR", 0))
    match.next()
    assert (match.place, match.spare_numbers) == ("Tossup 1 of 2, in whose place tossup 4 is read", (3, 5))
    play(match, 6, (2, "eel"), bonus=10)
    match.record()
    match.next()
    assert (match.place, match.is_last) == ("Tossup 2 of 2", True)
    play(match, len(EELS.words))
    match.rule(Ruling(replaced=True, replacement=3))
    assert not match.is_last
    match.rule(Ruling())
    assert match.is_last
    match.record()
    assert match.standings == (("Red", 0), ("Blue", 25), ("IR", 0))
    found = qbj_match(match.records)
    assert found["tossups_read"] == 2
    first, second = found["match_questions"]
    assert (first["question_number"], first["replacement_tossup_question"]["question_number"]) == (1, 4)
    assert [one["result"]["value"] for one in first["buzzes"]] == [15]
    assert (first["notes"], first["bonus"]) == (
        "Thrown out. Misread.",
        {"parts": [{"controlled_points": 10}]},
    )
    assert "replacement_tossup_question" not in second
    path = tmp_path / "match.csv"
    write_score_sheet(path, match.records)
    with path.open(encoding="utf-8", newline="") as file:
        columns = "tossup", "points", "bonus", "thrown out", "in place of"
        rows = [tuple(one[name] for name in columns) for one in csv.DictReader(file)]
    assert rows == [("1", "0", "0", "yes", ""), ("4", "15", "10", "", "1"), ("2", "0", "0", "", "")]
    path = tmp_path / "match.qbj"
    write_score_sheet(path, match.records)
    numbers = [one.question.split()[-1] for one in read_rooms(path, ReadReport(str(path)))]
    assert numbers == ["4", "2"]


def test_the_records_replayed_move_by_move_are_the_same_match(match):
    for _, played in match.records:
        assert tuple(Game.replayed(played.rules, played.moves).log) == played.moves


MARKED = Tossup(
    "One two three four five (+) six seven eight nine ten (*) eleven twelve. For ten points, name this fish.",
    Answer("<u>eel</u>"),
)


def marked_match(game_format):
    """Eight tossups with every kind of points, bonus and ruling, as a moderator scores them by hand below."""
    seats = Seat("Ada", "Red"), Seat("Ben", "Blue")
    match = Match("m", [MatchTossup("t", MARKED)] * 8, game_format, seats, lambda: 0)
    end = len(MARKED.words)
    for buzzes, bonus in (
        ([(4, 0, "eel")], 20),  # superpower
        ([(7, 1, "carp"), (12, 0, "eel")], 10),
        ([(9, 0, "eel")], 30),  # power
        ([(8, 0, "carp"), (15, 1, "carp")], 0),  # one neg
        ([(end, 0, "carp"), (end, 1, "eel")], 0),  # at the end: no neg
        ([(6, 0, "carp"), (8, 1, "eel")], 10),
        ([(3, 1, "eel"), (11, 0, "eel")], 20),  # the first is overruled
        ([(2, 0, "eel")], 30),  # thrown out
    ):
        for word, seat, answer in buzzes:
            if word > match.state.word:
                match.game.read(word)
            match.game.buzz(seat)
            match.answer(answer)
            if match.number == 7 and seat == 1:
                match.overrule()
            if match.state.answered is None:
                match.game.read_on()
        match.game.end()
        if bonus:
            match.rule(Ruling(bonus, replaced=match.number == 8))
        match.record()
        if not match.is_last:
            match.next()
    return match


@pytest.mark.parametrize(
    ("game_format", "red", "blue"),
    [
        (FORMATS["ACF"], 30 + 80, 10 + 10),
        (FORMATS["mACF"], 40 + 80, 15 + 10),
        (FORMATS["PACE"], 60 + 80, 30 + 10),
        (FORMATS["Superpowers"], 45 + 80, 15 + 10),
        (GameFormat("Own", 1, -2, 3), 4 + 80, 0 + 10),
    ],
)
def test_the_score_by_hand_is_that_of_the_match_and_of_every_sheet(tmp_path, game_format, red, blue):
    match, by_hand = marked_match(game_format), {"Red": red, "Blue": blue}
    assert dict(match.standings) == by_hand
    for one in qbj_match(match.records)["match_teams"]:
        tossups = sum(
            count["answer"]["value"] * count["number"]
            for player in one["match_players"]
            for count in player["answer_counts"]
        )
        assert tossups + one["bonus_points"] == by_hand[one["team"]["name"]]
        assert {player["tossups_heard"] for player in one["match_players"]} == {7}
    write_score_sheet(tmp_path / "match.csv", match.records)
    with (tmp_path / "match.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for team, points in by_hand.items():
        assert sum(int(one["points"]) + int(one["bonus"]) for one in rows if one["team"] == team) == points


def test_the_bonus_is_in_the_table_once_where_a_later_answer_was_right_too(tmp_path):
    match = Match("m", [MatchTossup("t", EELS)], FORMATS["ACF"], SEATS, lambda: 0)
    play(match, 5, (0, "carp"), (2, "eel"), bonus=20)
    match.game.overrule(0, Said.ACCEPT)
    match.record()
    write_score_sheet(tmp_path / "match.csv", match.records)
    with (tmp_path / "match.csv").open(encoding="utf-8", newline="") as file:
        rows = [(one["team"], one["points"], one["bonus"]) for one in csv.DictReader(file)]
    assert rows == [("Red", "10", "20"), ("Blue", "0", "0")]
    assert match.standings == (("Red", 30), ("Blue", 0), ("IR", 0))
