"""Files with people's buzzes: each form is read, and what cannot be used is counted with its reason."""

from __future__ import annotations

import json
import lzma

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.formats import buzz_files
from quizwriter.formats.buzz_files import AGAIN, ANSWERED, read_rooms
from quizwriter.formats.question_files import ReadReport, place_key


def row(**changes):
    found = {
        "bq": "q1", "set": "Set", "tournament": "Site", "round": 1, "game": "g1", "team": "a",
        "player": "p", "pos": 9, "n_words": 20, "value": 10, "correct": True,
    }  # fmt: skip
    return found | changes


def read(path):
    report = ReadReport(str(path))
    return read_rooms(path, report), report


def match(*questions, packets="Packet 01"):
    return {"tossups_read": 20, "packets": packets, "match_teams": [], "match_questions": list(questions)}


def buzz(position, value, team="Alpha", player="Ann"):
    return {
        "team": {"name": team},
        "player": {"name": player},
        "buzz_position": {"word_index": position},
        "result": {"value": value},
    }


def question(number, *buzzes, **more):
    return {"question_number": number, "tossup_question": {"question_number": number, "type": "tossup"}} | {
        "buzzes": list(buzzes),
        **more,
    }


def test_a_question_may_be_named_by_its_number_in_a_challenge_set(tmp_path):
    path = tmp_path / "buzzes.jsonl"
    path.write_text("\n".join(map(json.dumps, (row(bq=2_000_123_456), row(bq="2000123456", pos=3)))))

    ((room,), report) = read(path)

    assert (room.question, len(room.buzzes), report.rejected) == ("2000123456", 1, {ANSWERED: 1})


def test_lines_become_rooms_whose_buzzes_are_in_order(tmp_path):
    path = tmp_path / "buzzes.jsonl.xz"
    lines = [row(pos=15, team="b"), row(pos=4, correct=False, value=-5), row(game="g2", pos=20)]
    path.write_bytes(lzma.compress("\n".join(map(json.dumps, lines)).encode()))

    rooms, report = read(path)

    first, second = rooms
    assert (first.question, first.room, first.set, first.words) == ("q1", "g1", "Set", 20)
    assert [(one.position, one.right, one.value) for one in first.buzzes] == [(4, False, -5), (15, True, 10)]
    assert first.answered_at == 15
    assert second.answered_at == 20
    assert report.used == 3


def test_names_of_people_are_not_kept(tmp_path):
    path = tmp_path / "buzzes.jsonl"
    path.write_text(json.dumps(row(team="The Ravens", player="Ana Novak")))

    (room,), _ = read(path)

    assert "Ana" not in repr(room)
    assert "Raven" not in repr(room)


def test_the_same_buzz_twice_counts_once_and_is_said(tmp_path):
    path = tmp_path / "buzzes.jsonl"
    path.write_text("\n".join([json.dumps(row())] * 2))

    (room,), report = read(path)

    assert len(room.buzzes) == 1
    assert report.rejected == {AGAIN: 1}


@pytest.mark.parametrize(
    "change",
    [
        {"pos": -1}, {"pos": "9"}, {"correct": None}, {"bq": ""}, {"bq": -1}, {"pos": 10**9}, {"game": 3},
        {"game": ""}, {"value": -5}, {"correct": False},
    ],
)  # fmt: skip
def test_a_line_that_makes_no_sense_is_counted_with_its_reason(tmp_path, change):
    path = tmp_path / "buzzes.jsonl"
    path.write_text("\n".join(map(json.dumps, (row(), row(game="g2") | change))))

    rooms, report = read(path)

    assert [room.room for room in rooms] == ["g1"]
    assert sum(report.rejected.values()) == 1
    assert report.used == 1


def test_a_room_ends_with_its_first_right_buzz_whatever_the_order_of_the_lines(tmp_path):
    path = tmp_path / "buzzes.jsonl"
    lines = [row(pos=12, team="b"), row(pos=3, team="c", correct=False, value=-5), row(), row(value=15)]
    path.write_text("\n".join(map(json.dumps, lines)))

    (room,), report = read(path)

    assert [(one.position, one.right) for one in room.buzzes] == [(3, False), (9, True)]
    assert report.rejected == {ANSWERED: 2}
    assert report.used == 2


def test_a_game_that_was_written_twice_in_other_words_is_one_room(tmp_path):
    once = match(question(1, buzz(3, 10)))
    (tmp_path / "a.qbj").write_text(json.dumps(once))
    (tmp_path / "b.qbj").write_bytes(b"\xef\xbb\xbf" + json.dumps(once, indent=2, sort_keys=True).encode())
    wrapped = {"objects": [{"id": "m", **once}, {"$ref": "m"}, {"id": "other", **match(question(1))}]}
    (tmp_path / "c.qbj").write_text(json.dumps(wrapped))

    rooms, report = read(tmp_path)

    assert sorted(len(room.buzzes) for room in rooms) == [0, 1, 1]
    assert report.rejected == {"the same game is there twice": 2}


def test_a_table_needs_finite_numbers_and_says_of_each_row_whether_it_buzzes(tmp_path):
    path = tmp_path / "robot.buzz.csv"
    path.write_text(
        "question_id,token_position,guess,confidence,buzz,correct\n"
        "q1,1,Ohm,nan,1,1\nq2,1,Ohm,1e999,1,1\nq3,1,Ohm,.5,,\nq4,1,Ohm,.5,0,\nq5,1\n"
    )

    rooms, report = read(path)

    assert [(room.question, room.buzzes) for room in rooms] == [("q4", ())]
    assert sum(report.rejected.values()) == 4


def test_rooms_and_values_of_a_file_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(buzz_files, "MOST_BUZZES", 3)
    monkeypatch.setattr(buzz_files, "MOST_VALUES_OF_GAMES", 40)
    table = tmp_path / "robot.buzz.csv"
    table.write_text("question_id,token_position,buzz\n" + "".join(f"q{at},1,0\n" for at in range(4)))
    rounds = tmp_path / "rounds" / "buzzes.csv"
    rounds.parent.mkdir()
    rounds.write_text("game,round\n" + "".join(f"{at},1,1,A,Al,B,,,,5,10\n" for at in range(4)))
    games = tmp_path / "games.qbj"
    games.write_text(json.dumps({"objects": [{}] * 41}))
    monkeypatch.setattr(buzz_files, "convert_value", None)  # counted before a cell is looked at

    with pytest.raises(QuizwriterError, match="more than 3 rooms"):
        read(table)
    with pytest.raises(QuizwriterError, match="more than 3 buzzes"):
        read(rounds.parent)
    with pytest.raises(QuizwriterError, match="more than 40 values"):
        read(games)


def test_a_bare_match_of_modaq_is_read_and_a_dead_tossup_is_a_room(tmp_path):
    path = tmp_path / "Round_1_Room_A.qbj"
    path.write_text(json.dumps(match(question(1, buzz(30, -5), buzz(60, 10, "Beta", "Bo")), question(2))))

    rooms, _ = read(path)

    assert [room.question for room in rooms] == [place_key("Packet 1", 1), place_key("packet_01.json", 2)]
    assert [one.right for one in rooms[0].buzzes] == [False, True]
    assert rooms[1].buzzes == ()


def test_the_wrapped_form_follows_references(tmp_path):
    path = tmp_path / "tournament.qbj"
    whole = {
        "version": "2.1.1",
        "objects": [
            {"type": "Team", "id": "t1", "name": "Alpha"},
            {"type": "Player", "id": "p1", "name": "Ann"},
            {"type": "Packet", "id": "k1", "name": "Packet 3"},
            {"type": "Question", "id": "q1", "question_number": 7},
            {
                "type": "Match",
                "id": "m1",
                "packets": [{"$ref": "k1"}],
                "match_questions": [
                    {
                        "question_number": 1,
                        "tossup_question": {"$ref": "q1"},
                        "buzzes": [
                            {
                                "team": {"$ref": "t1"},
                                "player": {"$ref": "p1"},
                                "buzz_position": {"word_index": 5},
                                "result": {"value": 15},
                            }
                        ],
                    }
                ],
            },
        ],
    }
    path.write_text(json.dumps(whole))

    (room,), _ = read(path)

    assert room.question == place_key("Packet 3", 7)
    assert room.buzzes[0].value == 15


def test_the_tossup_that_replaced_another_is_the_one_that_was_played(tmp_path):
    path = tmp_path / "a.qbj"
    path.write_text(
        json.dumps(match(question(4, buzz(3, 10), replacement_tossup_question={"question_number": 21})))
    )

    (room,), _ = read(path)

    assert room.question == place_key("Packet 1", 21)


def test_the_first_row_that_buzzes_in_a_table_is_the_buzz_of_the_system(tmp_path):
    path = tmp_path / "robot.buzz.csv"
    path.write_text(
        "question_id,token_position,guess,confidence,buzz,correct\n"
        "q1,10,Ohm,0.2,False,False\nq1,20,Volt,0.8,True,True\nq1,30,Volt,0.9,True,True\n"
        "q2,5,Tesla,x,True,False\nq2,6,Tesla,0.4,False,False\n"
    )

    rooms, report = read(path)

    assert [(room.question, len(room.buzzes)) for room in rooms] == [("q1", 1), ("q2", 0)]
    assert rooms[0].buzzes[0].position == 20
    assert rooms[0].plays_systems
    assert sum(report.rejected.values()) == 1


def test_a_folder_of_buzzpoints_is_read_and_a_copy_of_a_game_is_counted_once(tmp_path):
    games = tmp_path / "tournaments" / "cup" / "game_files"
    games.mkdir(parents=True)
    for name in ("Round_1_A.qbj", "Round_1_A copy.qbj"):
        (games / name).write_text(json.dumps(match(question(1, buzz(3, 10)))))
    (games / "Round_1_B.qbj").write_text(json.dumps(match(question(1, buzz(8, 10)))))
    other = tmp_path / "tournaments" / "old"
    other.mkdir()
    (other / "index.json").write_text(
        json.dumps({"name": "Old", "set": "S", "rounds": [{"number": 2, "packet": "Packet B"}]})
    )
    (other / "buzzes.csv").write_text(
        "game,round,question,team,player,opponent,a,b,c,position,value\n7,2,3,Alpha,Ann,Beta,,,,44,10\n"
        "7,2,3,Beta,Bo,Alpha,,,,x,10\n"
    )

    rooms, report = read(tmp_path)

    assert sorted(room.question for room in rooms) == [
        place_key("Packet 1", 1), place_key("Packet 1", 1), place_key("Packet B", 3),
    ]  # fmt: skip
    assert report.rejected["the same file of a game is there twice"] == 1


def of_cup(folder, name, content):
    """A game beside a sound one in the folder of a tournament."""
    folder.mkdir()
    (folder / "sound.qbj").write_text(json.dumps(match(question(1, buzz(3, 10)))))
    (folder / name).write_bytes(content)
    return folder


GAME_HEAD = b"game,round,question,team,player,opponent,a,b,c,position,value\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("broken.qbj", b'{"match_questions": [', "broken.qbj is damaged"),
        ("broken.qbj", b"", "broken.qbj is damaged"),
        ("broken.buzz.csv", b"token_position\xff", "broken.buzz.csv is damaged (it is not UTF-8)"),
        ("buzzes.csv", GAME_HEAD + b'7,2,3,A,B,C,,,,4,10\n7,2,4,"A', "buzzes.csv is damaged (it is not CSV"),
        ("buzzes.csv", b"", "an empty table"),
    ],
)
def test_a_damaged_file_of_a_folder_is_left_out_whole_and_named(tmp_path, name, content, said):
    rooms, report = read(of_cup(tmp_path / "cup", name, content))

    assert [room.question for room in rooms] == [place_key("Packet 1", 1)]
    ((reason, number),) = report.rejected.items()
    assert (reason[: len(said)], number) == (said, 1)


def test_of_many_damaged_files_a_few_are_named(tmp_path):
    folder = of_cup(tmp_path / "cup", "0.qbj", b"{")
    for at in range(1, 9):
        (folder / f"{at}.qbj").write_text("{" + " " * at)

    report = read(folder)[1]

    named = [reason.split()[0] for reason in report.rejected if not reason.startswith("another")]
    assert named == ["0.qbj", "1.qbj", "2.qbj", "3.qbj", "4.qbj"]
    assert sum(report.rejected.values()) == 9


def test_a_damaged_file_that_is_named_itself_is_one_sentence(tmp_path):
    for name, content in (("a.qbj", b"{"), ("a.buzz.csv", GAME_HEAD + b'7,2,4,"A')):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(QuizwriterError, match=rf"{name} cannot be used: .*\.$"):
            read(tmp_path / name)


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("mark", ["", "\N{BYTE ORDER MARK}"])
def test_tables_of_spreadsheets_are_read(tmp_path, delimiter, mark):
    path = tmp_path / "robot.buzz.csv"
    lines = "question_id,token_position,guess,confidence,buzz,correct\nq1,20,Volt,0.8,True,True\n"
    path.write_text(mark + lines.replace(",", delimiter), encoding="utf-8")

    ((room,), report) = read(path)

    assert [(one.position, one.right) for one in room.buzzes] == [(20, True)]
    assert not report.rejected


def test_a_line_with_a_number_out_of_range_says_which(tmp_path):
    path = tmp_path / "buzzes.jsonl"
    path.write_text("\n".join(map(json.dumps, (row(), row(game="g2", pos=10_000), {"bq": "q2"}))))

    report = read(path)[1]

    assert sorted(report.rejected) == [
        "a line does not name its question (bq), game, word (pos), and whether it was right (correct)",
        "a line that cannot be used (pos: expected a whole number, 2000 or less)",
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b""),
        ("a.qbj", b""),
        ("a.buzz.csv", b""),
        ("a.jsonl", b'{"bq": 1}\n'),
        ("a.qbj", b"{"),
        ("a.qbj", b"{}"),
        ("a.qbj", b'{"match_questions": 3}'),
        ("a.qbj", b'{"objects": [{"$ref": "a", "id": "a"}]}'),
        ("a.buzz.csv", b"\xff"),
        ("a.buzz.csv", b"nothing,here\n1,2\n"),
        ("missing.jsonl", None),
    ],
)
def test_a_file_without_buzzes_is_one_sentence(tmp_path, name, content):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(QuizwriterError) as trouble:
        read(path)

    assert trouble.value.problem
    assert trouble.value.remedy
