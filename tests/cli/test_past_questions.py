"""``quizwriter past`` and ``quizwriter search``."""

from __future__ import annotations

import pytest

from quizwriter.cli import main
from tests.helpers.past_packets import LIGHTHOUSES, past_packets


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return past_packets(tmp_path_factory.mktemp("past"))


def test_past_says_everything_in_json(command, bundle, tmp_path):
    draft = tmp_path / "mine.txt"
    draft.write_text("A diary of Maren Oldsund.", encoding="utf-8")
    said = command("past", "gralholm light", "--bundle", bundle, "--draft", draft)

    assert said["page"] == "Gralholm_Light"
    assert said["asked"] == {"tossups": 3, "bonus_parts": 1, "yours": 0, "first": 2010, "last": 2015}
    assert [question["year"] for question in said["questions"]] == [2010, 2011, 2012, 2015]
    first = said["questions"][0]
    assert first["text"] == LIGHTHOUSES[0]
    assert (first["kind"], first["tournament"], first["difficulty"]) == ("tossup", "2010 Fjord Open", 4)
    assert (first["answer"], first["category"], first["yours"]) == ("Gralholm Light", "Geography", False)
    clue = said["clues"][0]
    assert (clue["tossups"], clue["of_tossups"], clue["bonus_parts"]) == (3, 3, 1)
    assert (clue["first"], clue["last"], clue["in_draft"]) == (2010, 2015, True)
    assert "Oldsund" in clue["words"]


def test_past_takes_a_part_of_a_name_for_the_page_that_the_answer_field_offers(command, bundle):
    assert command("past", "gralholm", "--bundle", bundle)["page"] == "Gralholm_Light"
    assert command("past", "gralholm zebra", "--bundle", bundle)["questions"] == []


def test_past_filters_questions_and_prints_them(command, capsys, bundle):
    said = command("past", "Gralholm Light", "--bundle", bundle, "--kind", "tossup", "--since", "2012")
    assert [question["year"] for question in said["questions"]] == [2012]
    assert main(["past", "Gralholm Light", "--bundle", str(bundle)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Gralholm Light. Asked in 3 tossups and 1 bonus part, first 2010, last 2015." in printed
    assert "in 3 of 3 tossups, first 2010" in printed
    assert main(["past", "Nobody", "--bundle", str(bundle)]) == 0
    assert "No past question has this answer." in capsys.readouterr().out


def test_search_says_what_it_found(command, capsys, bundle):
    said = command("search", "oldsund", "diary", "--bundle", bundle, "--limit", 2)
    assert said["found"] == {"tossup": 3, "bonus part": 1}
    assert [hit["year"] for hit in said["hits"]] == [2015, 2012]
    assert [said["hits"][0]["text"][slice(*hit)] for hit in said["hits"][0]["hits"]] == ["diary", "Oldsund"]
    assert command("search", '"keeper Maren Oldsund"', "--bundle", bundle)["found"] == {"tossup": 2}
    narrow = ("--answer", "gannet", "--category", "sci", "--in-set", "winter")
    assert command("search", "oldsund", *narrow, "--bundle", bundle)["found"] == {"tossup": 1}
    assert command("search", "of the", "--bundle", bundle)["too_common"]
    assert main(["search", "oldsund", "lantern", "--bundle", str(bundle)]) == 0
    assert capsys.readouterr().out.startswith("2 past tossups.\n")


def test_a_search_longer_than_is_read_is_cut_between_words(command, bundle):
    found = command("search", "diary " * 2_000, "--bundle", bundle)["found"]
    assert found == command("search", "diary", "--bundle", bundle)["found"] != {}


def test_past_knows_the_other_names_of_an_answer(command, bundle):
    assert command("past", "gralholm lighthouse", "--bundle", bundle)["page"] == "Gralholm_Light"


@pytest.mark.parametrize("asked", [("past", ""), ("past", " "), ("search", ""), ("search", '"', "*")])
def test_nothing_to_look_for_is_told(capsys, bundle, asked):
    assert main([*asked, "--bundle", str(bundle)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "No answer is named." in told.err or "There is no word to search for." in told.err


def test_a_draft_that_cannot_be_read_is_told(capsys, bundle, tmp_path):
    assert main(["past", "Gannet", "--bundle", str(bundle), "--draft", str(tmp_path / "no.txt")]) == 1
    assert "cannot be read" in capsys.readouterr().err
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xff")
    assert main(["past", "Gannet", "--bundle", str(bundle), "--draft", str(tmp_path / "bad.txt")]) == 1
    assert "is not a UTF-8 text" in capsys.readouterr().err
