"""Challenge sets that were made to do harm: whole in every digest, and leading elsewhere."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sys

import pytest

from quizwriter.challenge import set_reader
from quizwriter.challenge.layout import MANIFEST
from quizwriter.challenge.retraction import retract
from quizwriter.challenge.verify import verify
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from tests.fuzz.target import unpack_seed
from tests.fuzz.targets.challenge import ChallengeSets


@pytest.fixture
def app(tmp_path):
    with App(tmp_path / "home", bundle=tmp_path / "no-bundle") as app:
        yield app


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    return unpack_seed("challenge/sets.tar.xz", tmp_path_factory.mktemp("sets") / "sets")


@pytest.fixture
def folder(tmp_path, unpacked):
    return shutil.copytree(unpacked, tmp_path / "sets") / "spring-1.1"


def change(folder, name, changed):
    """Replace a part of the JSON file ``name``, and make all digests anew."""
    path = folder / name
    whole = changed(json.loads(path.read_bytes()))
    path.write_text(json.dumps(whole), encoding="utf-8")
    ChallengeSets._seal(folder)


@pytest.mark.parametrize(
    "earlier",
    [
        [{"version": "1.0", "retracted": 0, "files": {"/dev/zero": "0" * 64}}],
        [{"version": "1.0", "retracted": 0, "files": {"../../home/settings.toml": "0" * 64}}],
        [{"version": "1.0", "retracted": "all", "files": {}}],
        ["1.0"],
    ],
)
def test_the_versions_before_lead_to_no_other_folder(app, folder, earlier):
    change(folder, "MANIFEST.json", lambda manifest: {**manifest, "earlier": earlier})

    with pytest.raises(QuizwriterError, match="not the manifest"):
        verify(app, folder)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes and links of that kind.")
@pytest.mark.parametrize("names", [["MANIFEST.json"], ["SHA256SUMS", "plays.jsonl", "another"]])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "link"])
def test_pipes_and_links_are_named_and_not_read(app, folder, names, make):
    for name in names:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    try:
        found = "\n".join(verify(app, folder).problems)
    except QuizwriterError as refused:
        found = str(refused)
    for name in names:
        assert re.search(rf"{re.escape(name)} is not a (plain|regular) file", found), found


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("retracted.json", lambda _: [{"qanta_id": 1}]),
        ("retracted.json", lambda _: {}),
        ("questions.json", lambda whole: {**whole, "quizwriter": [3]}),
        ("questions.json", lambda whole: {"questions": []}),
    ],
)
def test_nothing_is_withdrawn_from_a_set_that_makes_no_sense(app, folder, tmp_path, name, changed):
    change(folder, name, changed)

    with pytest.raises(QuizwriterError, match="cannot be read"):
        retract(app, folder, ["1"], "A reason.", tmp_path / "next")
    assert not (tmp_path / "next").exists()


def test_an_empty_list_of_digests_is_named(app, folder):
    assert not verify(app, folder).problems
    (folder / "SHA256SUMS").write_bytes(b"")

    assert "SHA256SUMS was changed: the digest of MANIFEST.json is another." in verify(app, folder).problems


def test_nested_lists_are_a_problem_of_their_file(app, folder):
    draw = random.Random(0)
    path = folder / "plays.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    draw.shuffle(lines)
    path.write_bytes(b"[" * 100_000 + b"\n" + b"".join(lines[:3]))
    ChallengeSets._seal(folder)

    assert any("plays.jsonl" in problem for problem in verify(app, folder).problems)


@pytest.fixture
def later_set(tmp_path):
    return unpack_seed("challenge/later_sets.tar.xz", tmp_path / "later") / "schema-3"


def test_a_set_cannot_pass_itself_off_as_one_that_says_less(app, later_set):
    (later_set / "README.md").write_text("Every player is stumped.")
    change(later_set, "MANIFEST.json", lambda manifest: {**manifest, "schema": 1})

    found = verify(app, later_set)

    assert any("it says that the set is of an older form than it is" in one for one in found.problems)


def test_it_is_said_what_nobody_computed_again(app, folder, later_set):
    assert any("No figure of README.md" in note for note in verify(app, folder).notes)
    assert not any("computed again" in note for note in verify(app, later_set).notes)

    change(later_set, "MANIFEST.json", lambda manifest: {**manifest, "program": "QuizWriter 0.0.1"})
    notes = verify(app, later_set).notes
    assert any("The sentences, words, power marks and checks were not computed again" in one for one in notes)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names.")
def test_names_that_no_file_of_a_set_has_are_told(app, folder):
    names = ("Icon\r", "<b>x.md", "a\u202egnp.txt", "con.txt", "what?.txt", "\udcff.txt")
    for name in names:
        (folder / name).write_bytes(b"x")

    told = [
        one
        for one in verify(app, folder).problems
        if "is not a plain file" in one or f"not in {MANIFEST}" in one
    ]

    assert len(told) == len(names), told


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("another.bin", "another.bin is in the folder, but not in MANIFEST.json"),
        ("another.jsonl", "another.jsonl was not searched for names"),
        ("README.md", "README.md was changed"),
        ("questions.json", "questions.json was changed"),
        ("plays.jsonl", "plays.jsonl makes no sense"),
    ],
)
def test_a_file_with_holes_is_not_read(app, folder, name, said):
    """It needs no room on the disk, and in memory all that it claims."""
    with (folder / name).open("ab") as file:
        file.truncate(1 << 40)

    assert any(said in one for one in verify(app, folder).problems)


def test_a_file_with_holes_is_not_read_where_the_manifest_lists_its_size(app, folder):
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["files"]["plays.jsonl"]["bytes"] = 1 << 40
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with (folder / "plays.jsonl").open("ab") as file:
        file.truncate(1 << 40)

    with pytest.raises(QuizwriterError, match=MANIFEST):
        verify(app, folder)


def test_a_large_file_of_lines_is_searched_where_the_manifest_lists_its_size(app, folder, monkeypatch):
    monkeypatch.setattr(set_reader, "MAX_QUESTIONS_BYTES", (folder / "plays.jsonl").stat().st_size - 1)

    assert verify(app, folder).problems == []
