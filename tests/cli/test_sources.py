"""``quizwriter sources``, as scripts use it."""

from __future__ import annotations

import json

from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.review import BasedOn, ClueSourced, PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.store.store import Store
from quizwriter.workflow.session import PendingSave


def written(path):
    """A database with a tossup that has a source, and one that is based on a past question."""
    store = Store(path)
    for key, body in (
        ("a", ClueSourced("A book: https://example.org/a", 1, 0, 6, "A lake", "It is deep.")),
        ("b", BasedOn("2011 Winter, tossup 4, on Elm")),
    ):
        text = "A lake in Asia."
        store.save(PendingSave.begun(key, text, Answer(f"Answer {key}", None), 1, "ada"))
        store.add_events([Event.new(key, 2, "ada", PutInSet("Spring")), Event.new(key, 3, "ada", body)])
    store.close()
    return path


def test_sources_are_printed_as_json_and_written_as_a_table(tmp_path, capsys):
    database = written(tmp_path / "own.db")
    assert main(["sources", "--store", str(database), "--in-set", "Spring", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first["sources"] == [
        {
            "clue": "A lake", "start": 0, "end": 6, "source": "A book: https://example.org/a",
            "link": "https://example.org/a", "says": "It is deep.",
        }
    ]  # fmt: skip
    assert (second["based_on"], second["sources"]) == ("2011 Winter, tossup 4, on Elm", [])

    table = tmp_path / "sources.csv"
    assert main(["sources", "a", "--store", str(database), "--output", str(table)]) == 0
    assert f"1 source written to {table}." in capsys.readouterr().out
    assert "https://example.org/a" in table.read_text(encoding="utf-8")
    assert main(["sources", "a", "--store", str(database), "--output", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(table), "sources": 1}


def test_sources_are_printed_for_people(tmp_path, capsys):
    assert main(["sources", "--store", str(written(tmp_path / "own.db"))]) == 0
    said = capsys.readouterr().out
    assert "“A lake”: A book: https://example.org/a" in said
    assert "Based on 2011 Winter, tossup 4, on Elm" in said
    assert "1 source" in said


def test_a_tossup_that_is_not_there_is_told(tmp_path, capsys):
    assert main(["sources", "nobody", "--store", str(written(tmp_path / "own.db"))]) == 1
    assert capsys.readouterr().err
