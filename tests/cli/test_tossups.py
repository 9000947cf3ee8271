"""The commands on the tossups themselves, as scripts use them."""

import json

import pytest

from quizwriter.cli import main
from quizwriter.services import App, import_sentence
from quizwriter.store import Store
from quizwriter.workflow.session import WritingSession
from tests.helpers.made_histories import fill

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


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of its own for every test."""
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


@pytest.fixture
def made(home):
    """Eight tossups with histories, reviewed."""
    home.mkdir()
    store = Store(home / "quizwriter.db")
    keys = fill(store, 8, seed=6)
    store.close()
    return keys


def said(capsys, *arguments, status=0):
    assert main([*map(str, arguments), "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_each_question_of_a_file_becomes_a_draft_with_its_answer_author_and_source(capsys, questions):
    done = said(capsys, "import", questions, "--set", "Spring")
    assert len(done["added"]) == 2
    assert done["files"][0]["rejected"] == {"text missing or too short": {"rows": 1, "first_row": 3}}

    (row,) = said(capsys, "list", "--text", "siberia")
    assert row["answer"] == "Lake Baikal [accept Baikal]"
    assert (row["author"], row["set"], row["status"]) == ("Ada Novak", "Spring", "draft")
    assert row["category"] == ["Geography", "Asia"]
    history = said(capsys, "history", row["id"])
    assert (history["text"], history["page"]) == (ROWS[0]["text"], "Lake_Baikal")
    assert [edit["inserted"] for edit in history["edits"]] == [ROWS[0]["text"]]
    (source,) = [event["source"] for event in history["events"] if event["kind"] == "source"]
    assert source == "2031 Winter Open, packet 3, tossup 4"


def test_what_was_imported_is_not_imported_again(capsys, questions):
    said(capsys, "import", questions)

    assert said(capsys, "import", questions)["added"] == []
    assert len(said(capsys, "list")) == 2


def test_qanta_json_is_imported_too(capsys, tmp_path):
    path = tmp_path / "qanta.json"
    path.write_text(json.dumps({"questions": [{**ROWS[1], "qanta_id": 7, "page": "Jane_Austen"}]}))

    assert len(said(capsys, "import", path)["added"]) == 1


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
def test_lists_can_be_filtered(capsys, made, options, fits):
    everything = said(capsys, "list")

    assert said(capsys, "list", *options) == [row for row in everything if fits(row)]


def test_lists_can_be_sorted(capsys, made):
    words = [row["words"] for row in said(capsys, "list", "--sort", "words", "--up")]
    assert words == sorted(words)
    buzzes = [
        row["players"]["ir"]["buzz"] for row in said(capsys, "list", "--sort", "buzz", "--player", "ir")
    ]
    assert [buzz for buzz in buzzes if buzz is not None] == sorted(filter(None, buzzes), reverse=True)


def test_a_column_of_a_player_needs_the_player(capsys, made):
    assert main(["list", "--sort", "buzz"]) == 1
    assert "--player" in capsys.readouterr().err


def test_a_list_is_readable_without_json(capsys, made):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines[:-1]} == set(made)
    assert lines[-1] == "8 tossups"


def test_an_unknown_author_is_said(capsys, made):
    assert main(["list", "--author", "Nobody"]) == 1
    assert "Nobody here is called Nobody." in capsys.readouterr().err


def test_a_history_has_every_edit_and_analysis(capsys, made, home):
    history = said(capsys, "history", made[0])
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


def test_statuses_are_set_by_the_rules_and_the_reason_is_kept(capsys, questions):
    first, second = said(capsys, "import", questions)["added"]
    assert main(["status", first, second, "--set", "rejected"]) == 1
    assert "needs a reason" in capsys.readouterr().out

    assert said(capsys, "status", first, "--set", "rejected", "--reason", "Too easy.")["changed"] == [first]
    done = said(capsys, "status", first, second, "--set", "rejected", "--reason", "No.", status=1)
    assert done["changed"] == [second]
    assert "already" in done["refused"][first]
    events = said(capsys, "history", first)["events"]
    assert [event["reason"] for event in events if event["kind"] == "status"] == ["Too easy."]


def test_ready_needs_the_checks_or_reasons(capsys, questions, starter):
    key = said(capsys, "import", questions)["added"][0]
    asked = ["status", key, "--set", "ready", "--bundle", starter]
    refused = said(capsys, *asked, status=1)["refused"][key]
    assert "Not every check passes" in refused
    assert "length" in refused

    said(capsys, *asked, *(f"--override={name}=It is a tiebreaker." for name in ("length", "leak", "page")))
    (event,) = [event for event in said(capsys, "history", key)["events"] if event["kind"] == "status"]
    assert {"check": "length", "reason": "It is a tiebreaker."} in event["overridden"]


def test_what_was_packed_is_merged_into_another_store(capsys, made, tmp_path):
    pack, other = tmp_path / "set.qwpack", tmp_path / "other.db"
    assert said(capsys, "pack", pack)["tossups"] == 8
    assert set(said(capsys, "merge", pack, pack, "--store", other)["came"].values()) == {"new"}
    assert set(said(capsys, "merge", pack, "--store", other)["came"].values()) == {"unchanged"}

    assert said(capsys, "list", "--store", other) == said(capsys, "list")


def test_some_can_be_packed_by_id_or_by_filter(capsys, made, tmp_path):
    pack = tmp_path / "set.qwpack"
    assert said(capsys, "pack", pack, made[0], made[3])["tossups"] == 2
    accepted = len(said(capsys, "list", "--status", "accepted"))
    assert said(capsys, "pack", pack, "--status", "accepted")["tossups"] == accepted
    assert main(["pack", str(pack), made[0], "--status", "accepted"]) == 1


def test_of_several_packs_with_a_bad_one_none_is_merged(capsys, made, tmp_path):
    good, bad, other = tmp_path / "good.qwpack", tmp_path / "bad.qwpack", tmp_path / "other.db"
    said(capsys, "pack", good)
    raw = good.read_bytes()
    bad.write_bytes(raw[: len(raw) // 2])
    assert main(["merge", str(good), str(bad), "--store", str(other)]) == 1
    assert str(bad) in capsys.readouterr().err

    assert said(capsys, "list", "--store", other) == []


def test_what_came_is_told_in_a_sentence(capsys, made, tmp_path):
    pack = tmp_path / "set.qwpack"
    said(capsys, "pack", pack)
    capsys.readouterr()

    assert main(["merge", str(pack), "--store", str(tmp_path / "other.db")]) == 0
    assert capsys.readouterr().out == "8 tossups received: 8 new.\n"


def test_a_tossup_edited_in_two_places_is_told_as_such(tmp_path):
    apps = [App(tmp_path / name) for name in "ab"]
    session = WritingSession("one", author="a")
    session.type("lake")
    apps[0].store.save(session.take_unsaved())
    pack = tmp_path / "one.qwpack"
    apps[0].transfer.pack(pack)
    apps[1].transfer.merge([pack])
    for app, text in zip(apps, ("a lake", "the lake"), strict=True):
        session = app.tossups.session("one")
        session.type(text)
        app.store.save(session.take_unsaved())
    apps[0].transfer.pack(pack)

    told = import_sentence(apps[1].transfer.merge([pack]))
    assert told.startswith("1 tossup received: 1 edited in two places. What was edited in two places is kept")
    for app in apps:
        app.store.close()
