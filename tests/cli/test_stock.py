"""``quizwriter stock``: how often the clue of each sentence was heard."""

from __future__ import annotations

import json

import pytest

from quizwriter.cli import main
from tests.helpers.json_lines import write_lines
from tests.helpers.stock_bundle import FRESH, LEAD_IN, stock_bundle


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return stock_bundle(tmp_path_factory.mktemp("stock"))[0]


def test_each_sentence_of_a_draft_says_how_often_its_clue_was_heard(command, bundle, tmp_path):
    draft = tmp_path / "draft.txt"
    draft.write_text(f"{FRESH} {LEAD_IN}\nANSWER: Ida Frost [or Frost]", encoding="utf-8")

    (said,) = command("stock", draft, "--bundle", bundle)

    assert (said["answer"], said["page"]) == ("Ida Frost [or Frost]", "Ida_Frost")
    fresh, stock = said["sentences"]
    assert (fresh["text"], fresh["stock"], fresh["heard_anywhere"], fresh["near_duplicate"]) == (
        FRESH,
        False,
        0,
        None,
    )
    assert stock["span"] == [len(FRESH) + 1, len(FRESH) + 1 + len(LEAD_IN)]
    assert (stock["stock"], stock["heard_on_answer"], stock["heard_anywhere"]) == (True, 3, 4)
    assert (stock["first_year"], stock["last_year"]) == (2004, 2010)
    assert sum(stock["places"].values()) == 4
    assert (stock["sources"][0]["tournament"], stock["sources"][0]["year"]) == ("2004 Fjord Open", 2004)
    assert stock["near_duplicate"]["passage"] == LEAD_IN


def test_each_question_of_a_file_is_looked_up(command, bundle, tmp_path):
    rows = [{"text": text, "answer": "Ida Frost", "page": "Ida_Frost"} for text in (FRESH, LEAD_IN)]
    path = write_lines(tmp_path / "questions.jsonl", rows)

    said = command("stock", path, "--bundle", bundle)

    assert [(one["question"], one["sentences"][0]["stock"]) for one in said] == [(1, False), (2, True)]


def test_each_tossup_of_a_packet_is_looked_up(command, bundle, tmp_path):
    packet = tmp_path / "packet.txt"
    packet.write_text(
        f"1. {FRESH}\nANSWER: Ulvangsund\n\n2. {LEAD_IN}\nANSWER: Ida Frost\n", encoding="utf-8"
    )

    said = command("stock", packet, "--bundle", bundle)

    assert [(one["answer"], one["sentences"][0]["stock"]) for one in said] == [
        ("Ulvangsund", False),
        ("Ida Frost", True),
    ]


def test_without_json_it_is_said_in_sentences(bundle, tmp_path, capsys):
    draft = tmp_path / "draft.txt"
    draft.write_text(f"{FRESH} {LEAD_IN}\nANSWER: Ida Frost", encoding="utf-8")

    assert main(["stock", str(draft), "--bundle", str(bundle)]) == 0

    said = " ".join(capsys.readouterr().out.split())
    assert "No past question has this clue." in said
    assert "Heard in 4 past questions, 3 of them on this answer, first 2004, last 2010;" in said
    assert "The same is in 2004 Fjord Open" in said
    assert "1 stock clue in 2 sentences." in said


def test_a_bundle_of_an_older_version_cannot_tell(bundle, tmp_path, capsys):
    old = tmp_path / "old"
    (manifest := old / "manifest.json").parent.mkdir()
    for path in bundle.rglob("*"):
        if path.is_file() and not path.is_relative_to(bundle / "sentences"):
            (old / path.relative_to(bundle)).parent.mkdir(parents=True, exist_ok=True)
            (old / path.relative_to(bundle)).write_bytes(path.read_bytes())
    about = json.loads(manifest.read_text(encoding="utf-8"))
    about["files"] = {name: file for name, file in about["files"].items() if "sentences" not in name}
    manifest.write_text(json.dumps(about), encoding="utf-8")
    draft = tmp_path / "draft.txt"
    draft.write_text(FRESH, encoding="utf-8")

    assert main(["stock", str(draft), "--bundle", str(old)]) == 1
    assert "older version of QuizWriter built it" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_an_error(bundle, tmp_path, capsys):
    assert main(["stock", str(tmp_path / "none.jsonl"), "--bundle", str(bundle)]) == 1
    assert "cannot be read" in capsys.readouterr().err
