"""The glossary is a page that people read and a list that the window shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from quizwriter.workflow.glossary import NAME, GlossaryEntry, glossary, parse, search

ROOT = Path(__file__).parents[2]

WANTED = """
    page, bundle, lane, player, guesser, buzzer, guess, buzz, stump, cannot know it, cue, passage,
    evidence, power, power mark, giveaway, fold, branch, pack, packet, set, tossup, bonus, answer
    line, draft, edit, history, session, playthrough, heard, chance, digest, engine, tag, consent,
    release, challenge set, pseudonym, queue, category, status, play
"""


def test_each_heading_is_a_word_and_the_text_below_it_the_meaning():
    page = "# Words\n\nNone.\n\n## cue\n\nA word of\nthe draft.\n\nIt has a weight.\n\n## page\n\nA name.\n"

    assert parse(page) == (
        GlossaryEntry("cue", "A word of the draft. It has a weight."),
        GlossaryEntry("page", "A name."),
    )


def test_a_page_without_headings_has_no_entries():
    assert parse("Nothing is explained here.") == ()


def test_the_glossary_explains_the_words_of_the_program_in_alphabetical_order():
    words = [entry.word for entry in glossary()]

    assert {word.strip() for word in " ".join(WANTED.split()).split(",")} <= set(words)
    assert words == sorted(set(words), key=str.casefold)


def test_each_meaning_is_short_plain_text():
    for entry in glossary():
        assert entry.meaning.endswith("."), entry
        assert len(entry.meaning) <= 300, entry
        assert not re.search(r"[*_`<>\[\]#|]|https?:", entry.meaning.replace("(*)", "")), entry


def test_a_search_finds_parts_of_words_and_of_meanings_and_puts_the_word_itself_first():
    entries = parse("## bundle\n\nA folder for players.\n\n## lane\n\nA strip.\n\n## player\n\nIt plays.\n")

    assert [entry.word for entry in search(entries, "PLAY")] == ["player", "bundle"]
    assert [entry.word for entry in search(entries, "folder players")] == ["bundle"]
    assert search(entries, "  ") == entries
    assert search(entries, "zebra") == ()


def test_the_wheel_takes_the_glossary_to_the_folder_where_the_window_looks():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert f"docs/{NAME}" in wheel["only-include"]
    assert wheel["sources"]["docs"] == "quizwriter/resources"


def test_the_wheel_holds_the_glossary(tmp_path):
    pytest.importorskip("hatchling", reason="The wheel is built with hatchling, of the extra dev.")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        shipped = file.read("quizwriter/resources/glossary.md").decode("utf-8")

    assert parse(shipped) == glossary()
