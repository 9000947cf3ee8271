"""The lists of titles that the judge needs: what is in them, and that those that come with us are fresh."""

import json
import lzma

import pytest

from index_builder.__main__ import main
from index_builder.title_lists import bare_titles, confusable_words, shared_titles, write_title_lists
from quizwriter.errors import QuizwriterError
from quizwriter.system.resource_files import resource_lines, resources_folder

TITLES = resources_folder() / "titles"


def test_words_a_slip_apart_are_confusable_but_forms_of_one_word_are_not():
    titles = ["Nitrite", "Nitrate ion", "Painting", "Paintings", "Zebra", "Iran", "Iraq"]
    assert confusable_words(titles) == ["nitrate", "nitrite"]


def test_a_title_is_bare_where_the_word_for_its_kind_tells_two_pages_apart():
    titles = ["Columbia University", "Columbia", "Lake Victoria", "Victoria (queen)", "Amur River"]
    assert bare_titles(titles) == ["columbia", "victoria"]


def test_a_title_is_bare_where_its_article_or_what_is_behind_its_colon_tells_two_pages_apart():
    titles = [
        "El Salvador",
        "Salvador, Bahia",
        "La Traviata",
        "Uno: A",
        "Uno: B",
        "Dos: C",
        "Tres",
        "Tres: D",
    ]
    assert bare_titles(titles) == ["salvador", "tre", "uno"]


def test_a_name_without_its_middle_names_is_bare_where_it_may_be_somebody_else():
    titles = [
        "John Adams",
        "John Quincy Adams",
        "George W. Bush",
        "George H. W. Bush",
        "Percy Bysshe Shelley",
    ]
    assert bare_titles(titles) == ["george bush", "john adam"]


def test_a_title_is_shared_where_another_page_has_something_behind_it():
    titles = ["Arcadia", "Arcadia (play)", "London, Ontario", "London", "Emma (novel)", "Go", "Go (game)"]
    assert set(shared_titles(titles)) >= {"arcadia", "london"}
    assert not {"emma", "go"} & set(shared_titles(titles))


def test_the_command_writes_the_lists(tmp_path, capsys):
    source = tmp_path / "titles.jsonl"
    source.write_text("".join(json.dumps({"page": one}) + "\n" for one in ("Emma", "Emma_(novel)")))

    assert main(["titles", str(source), "--out", str(tmp_path / "lists")]) == 0

    assert "emma" in (tmp_path / "lists" / "shared_titles.txt").read_text(encoding="utf-8").split("\n")
    assert "shared_titles.txt" in capsys.readouterr().out


def test_a_file_without_titles_is_refused(tmp_path):
    source = tmp_path / "titles.jsonl"
    source.write_text('{"text": "no title"}\n')
    with pytest.raises(QuizwriterError, match="no titles"):
        write_title_lists(source, tmp_path)


def test_the_lists_that_come_with_the_program_are_those_of_the_titles(tmp_path, shared_data):
    source = shared_data / "page_titles.jsonl.xz"
    with lzma.open(source, "rt", encoding="utf-8") as lines:
        assert sum(1 for _ in lines) == 61_698, "README.md says of how many titles the lists are"

    for name in write_title_lists(source, tmp_path):
        assert (tmp_path / name).read_text(encoding="utf-8") == (TITLES / name).read_text(encoding="utf-8"), (
            "run make titles"
        )


def test_the_lists_hold_single_words_and_short_titles_and_no_text():
    """Titles are facts; a sentence would be somebody's."""
    assert all(len(line.split()) == 1 for line in resource_lines("titles/confusable_words.txt"))
    for name in ("bare_titles", "shared_titles"):
        assert max(len(line.split()) for line in resource_lines(f"titles/{name}.txt")) < 12
