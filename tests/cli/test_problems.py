"""``quizwriter problems``: drafts, question files, packets and saved tossups, with every mark in JSON."""

from __future__ import annotations

import json

import pytest

from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.review import Arm, ArmDrawn, Status
from quizwriter.domain.style_sheet import PointsPhrase, StyleSheet
from quizwriter.domain.tossup import Answer
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave

SLIP = "This king sold the the eels. For 10 points, name this king of mud and eels."
ROWS = [
    {"id": "a", "text": f"{SLIP} (*) Much later.", "answer": "Knut [accept Cnut]"},
    {
        "id": "b",
        "text": "This queen  sold (*) mud. For 10 points, name this queen of eels.",
        "answer": "Emma",
    },
    {
        "id": "c",
        "text": "This eel sold mud. For 10 points, name this eel of kings and queens.",
        "answer": "Eel",
    },
]


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


def by_rule(one):
    return {problem["rule"]: problem for problem in one["problems"]}


def test_every_mark_of_a_draft_has_rule_span_words_and_fix(command, tmp_path):
    path = tmp_path / "draft.txt"
    path.write_text(f"{SLIP}\nANSWER: Knut", encoding="utf-8")
    (one,) = command("problems", path)
    assert (one["text"], one["answer"], one["file"]) == (SLIP, "Knut", str(path))
    mark = by_rule(one)["repeated_word"]
    start, end = mark["span"]
    assert one["text"][start:end] == mark["words"] == "the the"
    assert (mark["fix"], mark["where"], mark["sentence"]) == ("the", "text", "“the” is repeated.")
    assert by_rule(one)["length"] == {
        "rule": "length", "where": "text", "span": [0, 0], "words": "", "fix": None,
        "sentence": "16 words; from 50 to 175 is usual.",
    }  # fmt: skip


@pytest.mark.parametrize("number", ["7.", "12)", "TU 3:", "Tossup 4."])
def test_the_number_before_a_draft_is_no_part_of_it(command, tmp_path, number):
    path = tmp_path / "draft.txt"
    path.write_text(f"{number} {SLIP}\nANSWER: Knut", encoding="utf-8")
    (one,) = command("problems", path)
    assert (one["text"], one["answer"]) == (SLIP, "Knut")


def test_a_question_file_is_a_set_and_keeps_its_spaces(command, questions):
    found = command("problems", questions)
    assert [one["answer"] for one in found] == ["Knut [accept Cnut]", "Emma", "Eel"]
    assert "double_space" in by_rule(found[1])
    assert by_rule(found[2])["power"]["sentence"] == "The power mark (*) is missing."
    assert "leak" in by_rule(found[2])


def test_a_packet_is_read_question_by_question(command, tmp_path):
    path = tmp_path / "packet.txt"
    path.write_text(
        f"1. {SLIP}\nANSWER: Knut\n\n2. {SLIP.replace('the the', 'the')}\nANSWER: Cnut\n", encoding="utf-8"
    )
    found = command("problems", path)
    assert [one["answer"] for one in found] == ["Knut", "Cnut"]
    assert ["repeated_word" in by_rule(one) for one in found] == [True, False]


def test_strict_fails_where_there_is_a_problem(command, questions, capsys):
    command("problems", questions, "--strict", status=1)
    assert main(["problems", str(questions)]) == 0
    assert "Repeated words: “the” is repeated. Write “the”." in capsys.readouterr().out


def test_nothing_to_look_at_is_an_error(capsys):
    assert main(["problems"]) == 1
    assert "No tossup is named." in capsys.readouterr().err


def test_a_file_that_is_not_there_is_an_error_of_two_lines(capsys, tmp_path):
    assert main(["problems", str(tmp_path / "none.jsonl")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_a_tossup_whose_machines_are_hidden_is_played_only_once_it_is_ready(command, starter, capsys):
    text = "This queen of the marsh of Reedmarsh. For 10 points, name this."
    with App() as app:
        app.store.save(PendingSave.begun("drawn", text, Answer("Madama Butterfly"), 1, "ada"))
        drawn = Event.new("drawn", 1, "ada", ArmDrawn("Spring", Arm.HIDDEN, 1))
        app.store.add_events([drawn])
    asked = ("problems", "--id", "drawn", "--play", "--bundle", starter)
    (one,) = command(*asked)
    assert "giveaway" not in by_rule(one)
    assert main([str(word) for word in asked]) == 0
    assert "No player played drawn.\nThe machines are hidden" in capsys.readouterr().err

    with App() as app:
        app.review.set_status(["drawn"], Status.READY)
    (one,) = command(*asked)
    assert "giveaway" in by_rule(one)


def test_the_players_say_whether_they_get_it(command, draft, starter):
    (one,) = command("problems", draft, "--play", "--bundle", starter)
    assert "giveaway" not in by_rule(one)
    text = "This queen of the marsh of Reedmarsh. For 10 points, name this."
    path = draft.with_name("hard.txt")
    path.write_text(f"{text}\nANSWER: Madama Butterfly", encoding="utf-8")
    (one,) = command("problems", path, "--play", "--bundle", starter)
    assert by_rule(one)["giveaway"]["words"] == "For 10 points, name this."
    path.write_text(f"{text}\nANSWER: Nobody at All", encoding="utf-8")
    (one,) = command("problems", path, "--play", "--bundle", starter)
    assert {"page"} == {"page", "giveaway"} & by_rule(one).keys()


def test_saved_tossups_follow_the_style_sheet_of_their_set(command, home, made, questions):
    key = made[0]
    with App(home) as app:
        name = app.review.review_of(key).set_name
        app.problems.choose_style(name, StyleSheet(points=PointsPhrase.WORDS, shortest=1, longest=2))
    (one,) = command("problems", "--id", key)
    assert one["question"] == key
    assert "from 1 to 2 is usual" in by_rule(one)["length"]["sentence"]
    found = command("problems", questions, "--style-of", name)
    assert all("numerals" in by_rule(one) for one in found)


def test_what_is_left_out_of_a_file_is_told(command, tmp_path, capsys):
    path = tmp_path / "cut.jsonl"
    path.write_text(json.dumps(ROWS[0]) + '\n{"text": 5}\nnothing\n', encoding="utf-8")
    assert main(["problems", str(path), "--json"]) == 0
    said = capsys.readouterr()
    assert [one["answer"] for one in json.loads(said.out)] == ["Knut [accept Cnut]"]
    assert said.err.splitlines() == [
        f"{path}: 1 row left out: text missing or too short. It is row 2.",
        f"{path}: 1 row left out: not JSON. It is row 3.",
    ]


@pytest.mark.parametrize("name", ["packet.pdf", "packet.odt", "packet.DOC", "table.csv", "pack.qwpack"])
def test_a_document_that_nobody_reads_is_refused_with_what_to_do(tmp_path, capsys, name):
    (tmp_path / name).write_bytes(b"%PDF-1.7 \xff\xfe")
    assert main(["problems", str(tmp_path / name)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{tmp_path / name} is not a question file or packet that QuizWriter can read.",
        "Save it in a format that can be imported: Word document (.docx), plain text (.txt, .text), "
        "MODAQ packet (.json) or question file (.json, .jsonl).",
    ]
