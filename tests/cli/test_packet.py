"""``quizwriter packet``, as scripts use it."""

from __future__ import annotations

import json

import pytest

from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import BasedOn, Categorised, ClueSourced, Person, PutInSet
from quizwriter.domain.styles import AnswerStyled, LetterStyle, StyledSpan
from quizwriter.domain.tossup import Answer
from quizwriter.formats.file_formats import read_packet
from quizwriter.store.store import Store
from quizwriter.workflow.session import PendingSave

TEXT = "A cat of a made-up story sleeps on a stove and counts (*) the flies. For 10 points, name this animal."


@pytest.fixture
def database(tmp_path):
    """A database with three tossups of one set, one of them empty."""
    path = tmp_path / "own.db"
    store = Store(path)
    store.save_person(Person("ada", "Ada Example"))
    both = (LetterStyle.BOLD, LetterStyle.UNDERLINE)
    for key, text, said in (
        ("a", TEXT, (Categorised(("Literature", "World")),)),
        ("b", TEXT.replace("cat", "dog"), (BasedOn("2011 Winter, tossup 4, on Elm"),)),
        ("c", "", ()),
    ):
        changes = (Change(1, 1, Edit(0, "", text), "ada"),) if text else ()
        answer = Answer(f"Answer {key}", None) if text else None
        store.save(PendingSave(key, text, answer, 0, 1, changes, author="ada"))
        bodies = [PutInSet("Spring"), ClueSourced("A secret book", 1, 0, 5, text[:5], "It says so."), *said]
        if text:
            bodies.append(AnswerStyled(f"Answer {key}", (StyledSpan(0, 6, both),)))
            store.add_events([Event.new(key, at, "ada", one) for at, one in enumerate(bodies, 2)])
        else:
            store.add_events([Event.new(key, 2, "ada", bodies[0])])
    store.close()
    return path


def test_a_set_becomes_a_word_document(database, tmp_path, capsys):
    path = tmp_path / "spring.docx"
    arguments = ["packet", "--store", str(database), "--in-set", "Spring", "--out", str(path), "--json"]
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"file": str(path), "format": "docx", "tossups": 2, "left_out": 1}
    assert main(arguments[:-1]) == 0
    said = "2 tossups written to {}. 1 empty tossup is left out."
    assert " ".join(capsys.readouterr().out.split()) == said.format(path)
    read = read_packet(path)
    assert [(one.number, one.text, one.answer) for one in read.tossups] == [
        ("1", TEXT, "Answer a"),
        ("2", TEXT.replace("cat", "dog"), "Answer b"),
    ]
    assert [one.tag for one in read.tossups] == ["Ada Example, Literature - World", "Ada Example"]


def test_ids_become_a_packet_for_modaq_in_their_order(database, tmp_path, capsys):
    path = tmp_path / "packet.json"
    assert main(["packet", "b", "a", "--store", str(database), "--out", str(path)]) == 0
    assert f"2 tossups written to {path}." in capsys.readouterr().out
    made = json.loads(path.read_text(encoding="utf-8"))
    assert made["name"] == "Spring"
    first, second = made["tossups"]
    assert first["answer"] == "<b><u>Answer</u></b> b"
    assert first["metadata"] == "Ada Example; based on 2011 Winter, tossup 4, on Elm"
    assert second["question"].endswith("(*)</b> the flies. For 10 points, name this animal.")


@pytest.mark.parametrize(("kind", "begins"), [("html", b"<!DOCTYPE html>"), ("pdf", b"%PDF-")])
def test_pages_are_written(database, tmp_path, kind, begins, qapp):
    path = tmp_path / "packet.any"
    assert main(["packet", "a", "--store", str(database), "--format", kind, "--out", str(path)]) == 0
    assert path.read_bytes().startswith(begins)


@pytest.mark.parametrize("kind", ["docx", "html", "modaq"])
def test_no_source_of_a_clue_is_in_a_packet(database, tmp_path, kind):
    import zipfile

    path = tmp_path / "packet.any"
    assert main(["packet", "a", "--store", str(database), "--format", kind, "--out", str(path)]) == 0
    if kind == "docx":
        with zipfile.ZipFile(path) as parts:
            whole = b"".join(parts.read(name) for name in parts.namelist())
    else:
        whole = path.read_bytes()
    assert b"Answer" in whole
    assert b"secret" not in whole
    assert b"It says so" not in whole


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "packet.rtf"], "does not tell the kind"),
        (["nobody", "--out", "packet.docx"], "not in the database"),
        (["c", "--out", "packet.docx"], "There is nothing to print."),
        (["a", "--in-set", "Spring", "--out", "packet.docx"], "Both ids and filters"),
        (["a", "--out", "no/such/folder/packet.docx"], "The packet could not be written"),
        (["a", "--out", "no/such/folder/packet.pdf"], "The packet could not be written"),
        (["a", "--out", "no/such/folder/packet.json"], "The packet could not be written"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(database, tmp_path, monkeypatch, capsys, qapp, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert main(["packet", "--store", str(database), *arguments]) == 1
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("packet*"))
