"""``quizwriter import``, ``list``, ``history``, ``status`` and ``consent``, as scripts use them."""

from __future__ import annotations

import json

import pytest

from quizwriter.cli import main
from quizwriter.store.store import Store

ROWS = [
    {
        "id": "q1",
        "text": "This lake in Siberia is the deepest of all. For 10 points, name this lake.",
        "answer": "Lake Baikal [accept Baikal]",
        "page": "Lake_Baikal",
        "category": "Geography",
        "subcategory": "Asia",
        "tournament": "2031 Winter Open",
        "packet": "3",
        "num": 4,
        "author": "Ada Novak",
    },
    {"id": "q2", "text": "This author of Emma lived at Chawton in Hampshire.", "answer": "Jane Austen"},
    {"id": "q3", "text": "short", "answer": "Nobody"},
]


@pytest.fixture
def questions(tmp_path):
    """A file of questions: a whole one, one without a page, and one that is too short."""
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_the_goal_of_a_set_is_chosen_and_its_tossups_are_played(command, questions, capsys):
    command("import", questions, "--set", "Spring")
    assert command("brief", "Spring")["count"] is None
    found = command("brief", "Spring", "--beat", "dan,ir")
    assert (found["set"], found["goal"]) == ("Spring", {"players": ["dan", "ir"], "by_f1": False})
    by_page, by_f1 = found["count"], command("brief", "Spring", "--by", "f1")["count"]
    assert by_page["counted"] + by_page["unknown"] == by_f1["counted"] + by_f1["unknown"] == 2
    assert by_page["unplayed"] == 0
    assert command("brief", "Spring", "--beat", "none")["goal"] == {"players": [], "by_f1": True}
    assert main(["brief", "Sprang"]) == 1
    assert "There is no set “Sprang”." in capsys.readouterr().err


def test_each_question_of_a_file_becomes_a_draft_with_its_answer_author_and_source(command, questions):
    done = command("import", questions, "--set", "Spring")
    assert len(done["added"]) == 2
    assert done["files"][0]["rejected"] == {"text missing or too short": {"rows": 1, "first_row": 3}}

    (row,) = command("list", "--text", "siberia")
    assert row["answer"] == "Lake Baikal [accept Baikal]"
    assert (row["author"], row["set"], row["status"]) == ("Ada Novak", "Spring", "draft")
    assert row["category"] == ["Geography", "Asia"]
    history = command("history", row["id"])
    assert (history["text"], history["page"]) == (ROWS[0]["text"], "Lake_Baikal")
    assert [edit["inserted"] for edit in history["edits"]] == [ROWS[0]["text"]]
    (source,) = [event["source"] for event in history["events"] if event["kind"] == "source"]
    assert source == "2031 Winter Open, packet 3, tossup 4"


def test_what_was_imported_is_not_imported_again(command, questions):
    command("import", questions)

    assert command("import", questions)["added"] == []
    assert len(command("list")) == 2


def test_qanta_json_is_imported_too(command, tmp_path):
    path = tmp_path / "qanta.json"
    path.write_text(json.dumps({"questions": [{**ROWS[1], "qanta_id": 7, "page": "Jane_Austen"}]}))

    assert len(command("import", path)["added"]) == 1


def test_a_file_that_is_not_there_is_said(capsys, tmp_path):
    assert main(["import", str(tmp_path / "none.jsonl")]) == 1
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        (["--status", "accepted"], lambda row: row["status"] == "accepted"),
        (["--in-set", "Nationals"], lambda row: row["set"] == "Nationals"),
        (["--category", "History"], lambda row: row["category"][:1] == ["History"]),
        (["--author", "Ada Novak"], lambda row: row["author"] == "Ada Novak"),
        (["--max-words", "110"], lambda row: row["words"] <= 110),
        (["--commented"], lambda row: row["open_comments"] > 0),
    ],
)
def test_lists_can_be_filtered(command, made, options, fits):
    everything = command("list")

    assert command("list", *options) == [row for row in everything if fits(row)]


def test_lists_can_be_sorted(command, made):
    words = [row["words"] for row in command("list", "--sort", "words", "--up")]
    assert words == sorted(words)
    buzzes = [row["players"]["ir"]["buzz"] for row in command("list", "--sort", "buzz", "--player", "ir")]
    assert [buzz for buzz in buzzes if buzz is not None] == sorted(filter(None, buzzes), reverse=True)


def test_a_column_of_a_player_needs_the_player(capsys, made):
    assert main(["list", "--sort", "buzz"]) == 1
    assert "--player" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("--sort", "buzz", "--player", "XX"), ("--stumps", "XX")])
def test_a_player_that_nobody_knows_is_no_empty_list(capsys, made, options):
    assert main(["list", *options]) == 1
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem == "There is no player 'XX'."
    assert "ir" in remedy


def test_a_list_is_readable_without_json(capsys, made):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines[:-1]} == set(made)
    assert lines[-1] == "8 tossups"


def test_a_history_has_every_edit_and_analysis(command, made, home):
    history = command("history", made[0])
    store = Store(home / "quizwriter.db")

    assert len(history["edits"]) == len(store.history(made[0]))
    assert len(history["analyses"]) == len(store.recorded_plays(made[0]))
    assert history["edits"][0]["author"] in {person.name for person in store.people().values()}
    store.close()


def test_a_history_is_readable_without_json(capsys, made):
    assert main(["history", made[0]]) == 0
    told = capsys.readouterr().out
    assert "set: " in told
    assert "category: " in told


def test_an_unknown_tossup_is_said(capsys):
    assert main(["history", "none"]) == 1
    assert "not in the database" in capsys.readouterr().err


def test_statuses_are_set_by_the_rules_and_the_reason_is_kept(command, capsys, questions):
    first, second = command("import", questions)["added"]
    assert main(["status", first, second, "--set", "rejected"]) == 1
    assert "needs a reason" in capsys.readouterr().out

    assert command("status", first, "--set", "rejected", "--reason", "Too easy.")["changed"] == [first]
    done = command("status", first, second, "--set", "rejected", "--reason", "No.", status=1)
    assert done["changed"] == [second]
    assert "already" in done["refused"][first]
    events = command("history", first)["events"]
    assert [event["reason"] for event in events if event["kind"] == "status"] == ["Too easy."]


def test_ready_needs_the_checks_or_reasons(command, questions, starter):
    key = command("import", questions)["added"][0]
    asked = ["status", key, "--set", "ready", "--bundle", starter]
    refused = command(*asked, status=1)["refused"][key]
    assert "Not every check passes" in refused
    assert "length" in refused

    command(*asked, *(f"--override={name}=It is a tiebreaker." for name in ("length", "leak", "page")))
    (event,) = [event for event in command("history", key)["events"] if event["kind"] == "status"]
    assert {"check": "length", "reason": "It is a tiebreaker."} in event["overridden"]


def test_tags_behind_a_question_are_people_and_a_category_and_no_words_of_it(command, tmp_path):
    row = {"text": "This river flows past four capitals of Europe. <Doe, World Geography>"}
    file = tmp_path / "tagged.jsonl"
    file.write_text(json.dumps({**row, "answer": "Danube [or Donau] <ed. JR>"}), encoding="utf-8")

    command("import", file)

    (row,) = command("list")
    assert (row["author"], row["answer"]) == ("Doe", "Danube [or Donau]")
    assert row["category"] == ["World Geography"]
    assert command("history", row["id"])["text"] == "This river flows past four capitals of Europe."


def test_a_list_shows_answer_set_and_author_without_json(command, questions, capsys):
    first, _ = sorted(command("import", questions, "--set", "Spring")["added"])
    assert main(["list", "--sort", "answer", "--up"]) == 0

    austen, baikal, total = capsys.readouterr().out.splitlines()
    assert first in (austen + baikal)
    assert austen.endswith("  draft         9  Jane Austen, Spring")
    assert baikal.endswith("  draft        15  Lake Baikal, Spring, Ada Novak")
    assert total == "2 tossups"


def test_what_a_file_lacks_is_said_without_json(questions, capsys):
    assert main(["import", str(questions)]) == 0
    added, unlisted, left_out, asked = capsys.readouterr().out.splitlines()

    assert added == "2 drafts added."
    assert unlisted.startswith("The players do not know the answers of 2 of them")
    assert left_out.startswith(f"{questions}: 1 row left out")
    assert left_out.endswith("text missing or too short. It is row 3.")
    assert asked.startswith("Ada Novak wrote 1 question. Who is that?")


def test_whose_questions_are_is_said_at_the_import_and_by_command(command, questions, capsys):
    assert main(["profile", "--name", "Cy Example", "--email", "cy@example.org"]) == 0
    assert capsys.readouterr().out == "Cy Example <cy@example.org>\n"
    done = command("import", questions, "--writer", "Ada Novak=outside")
    assert [(one["name"], one["questions"], one["answer"]) for one in done["writers"]] == [
        ("Ada Novak", 1, "outside"),
        ("", 1, ""),
    ]
    rows = {row["author"]: row["id"] for row in command("list")}
    assert set(rows) == {"Ada Novak", "Cy Example"}
    assert [(one["name"], one["outside"], one["has_key"]) for one in command("people")] == [
        ("Cy Example", False, True),
        ("Ada Novak", True, False),
    ]
    command("author", rows["Ada Novak"], "--to", "me")
    assert {row["author"] for row in command("list")} == {"Cy Example"}
    assert main(["author", rows["Ada Novak"], "--to", "Nobody At All"]) != 0
    assert "Nobody here is called Nobody At All" in capsys.readouterr().err


def test_who_does_not_use_quizwriter_is_recorded_once_and_taken_back_by_command(command, questions, capsys):
    command("import", questions)
    asked = ["people", "merge", "Ada Novak", "outside"]
    assert [main(asked), main(asked), main(["people", "separate", "Ada Novak"]), main(asked)] == [0] * 4

    recorded = "Ada Novak is a writer who does not use QuizWriter on 1 tossup."
    assert capsys.readouterr().out.splitlines() == [
        recorded,
        "Nothing changes: it was recorded before on every tossup that names Ada Novak.",
        "Ada Novak is a person of that name again on 1 tossup.",
        recorded,
    ]


PACKET = """Winter Open, packet by the editors

Tossups

1. This composer wrote The Creation. For 10 points, name this Austrian, the father of the symphony.
ANSWER: Joseph Haydn <{tag}>

Bonuses

1. Answer these about a made-up railway, for 10 points each.
[10] Name the station where it begins.
ANSWER: Alpha
[10] Name the station where it ends.
ANSWER: Omega
[10] Name the river it crosses.
ANSWER: Lethe
"""


def test_nothing_that_is_read_is_dropped_without_a_count_and_a_line(command, capsys, tmp_path):
    packet = tmp_path / "packet.txt"
    packet.write_text(PACKET.format(tag="Music, " + "long " * 40), encoding="utf-8")
    file = tmp_path / "bonuses.jsonl"
    file.write_text('{"leadin": "Of a made-up railway.", "parts": []}\n', encoding="utf-8")

    assert main(["import", str(packet), str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 draft added, 2 bonuses left out.",
        f"{packet}: 1 bonus left out, because only tossups become drafts.",
        f"{packet}: 3 lines left out as not part of a question (headings, notes, page numbers).",
        f"{packet}: 1 tag is too long for a category or a name, and left out.",
        f"{file}: 1 bonus left out, because only tossups become drafts.",
    ]
    first, second = command("import", packet, file)["files"]
    assert (first["rows"], first["left_out"]) == (
        2,
        {"bonuses": 1, "headings": 3, "long_tags": 1, "editors": 0},
    )
    assert (second["rows"], second["left_out"]["bonuses"]) == (1, 1)


def test_consent_is_recorded_and_an_unknown_answer_is_refused(command, questions, capsys):
    first, second = command("import", questions)["added"]

    assert main(["consent", first, second, "--set", "never"]) == 1
    assert "This tossup is another writer's, so a reason is missing." in capsys.readouterr().out
    assert main(["consent", first, second, "--set", "never", "--reason", "By e-mail."]) == 0
    assert capsys.readouterr().out == "2 tossups: the consent to release is “do not release”.\n"
    *_, event = (event for event in command("history", first)["events"] if event["kind"] == "consent")
    assert event["consent"] == "do not release"
    with pytest.raises(SystemExit):
        main(["consent", first, "--set", "perhaps"])
    assert "must be yes, no or never" in capsys.readouterr().err


def test_a_person_is_forgotten_only_with_yes(command, questions, capsys):
    assert main(["profile", "--name", "Cy Example"]) == 0
    capsys.readouterr()
    command("import", questions)
    planned = command("forget", "Ada Novak")
    assert (planned["names"], planned["tossups"]) == (["Ada Novak"], 1)
    assert "Ada Novak" in [one["name"] for one in command("people")]
    done = command("forget", "Ada Novak", "--yes")
    assert done["pseudonym"].startswith("Former writer ")
    assert {one["name"] for one in command("people")} == {"Cy Example", done["pseudonym"]}
    command("import", questions)
    assert {row["author"] for row in command("list")} == {"Cy Example", done["pseudonym"]}
    assert command("forget", "Ada Novak", "--allow") == {"allowed": 1}
