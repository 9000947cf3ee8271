"""Packs by somebody who means harm are refused with a sentence, quickly, and before they take memory."""

from __future__ import annotations

import json
import os
import time
import tracemalloc
import zipfile
from contextlib import closing

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.formats import archive, archive_lines
from quizwriter.formats.archive import MANIFEST, PEOPLE, TOSSUPS, Pack
from quizwriter.store.store import Store
from quizwriter.system.moments import AHEAD_MS, LATEST_MS
from tests.helpers.hostile_packs import (
    NOON_MS,
    edit_row,
    encrypted,
    forks,
    patched,
    seal,
    slow_replay,
    tossup_row,
    wide_body,
    write_members,
    write_rows,
)
from tests.helpers.processor_time import seconds

MOST_MEMORY = 200 << 20


@pytest.fixture
def path(tmp_path):
    return tmp_path / "hostile.qwpack"


def read(path):
    pack = Pack(path)
    for _ in (*pack.people(), *pack.branches()):
        pass


def refusal(path):
    """Why the pack is refused, which needs little memory and says the file."""
    tracemalloc.start()
    try:
        with pytest.raises(QuizwriterError) as trouble:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    assert str(path) in trouble.value.problem
    return trouble.value.problem


def dated(**parts):
    return tossup_row("dated", "a", [edit_row(0, "", "a")], **parts)


def event(body, key="e", kind="tags", at_ms=NOON_MS):
    return [key, 0, "dated", at_ms, "mallory", kind, body]


def game(at_ms=NOON_MS, guesses="[]", player="ir"):
    return [0, at_ms, player, "d", 1, None, None, None, None, guesses]


@pytest.mark.parametrize(
    ("lists", "match"),
    [(400_000, "longer than 1,048,576 bytes"), (1_100_000, "events: more than 100,000 rows")],
)
def test_an_event_of_millions_of_lists_is_refused_before_they_are_made(path, lists, match):
    write_members(path, {TOSSUPS: wide_body(lists), PEOPLE: b""})

    assert match in refusal(path)


def test_a_line_that_is_far_larger_than_the_file_is_refused(path):
    write_members(path, {TOSSUPS: wide_body(8_000_000), PEOPLE: b""})

    assert "more than 200 times longer" in refusal(path)


@pytest.mark.parametrize("name", ["edits", "asked", "games", "events"])
def test_rows_are_counted_before_they_are_made(path, name, monkeypatch):
    monkeypatch.setattr(archive_lines, "_MOST_ARRAYS", 1_000)
    line = json.dumps(dated() | {name: "HERE"}).encode()
    write_members(
        path, {TOSSUPS: line.replace(b'"HERE"', b"[" + b"[]," * 1_000 + b"[]]") + b"\n", PEOPLE: b""}
    )

    assert f"{name}: more than" in refusal(path)


@pytest.mark.parametrize(
    ("limit", "row", "match"),
    [
        ("MOST_EDITS", dated(), "edits: more than 0 rows"),
        ("MOST_ANSWERS", dated(asked=[[0, 1, None, ""]]), "asked: more than 0 rows"),
        ("MOST_GAMES", dated(games=[game()]), "games: more than 0 rows"),
        ("MOST_EVENTS", dated(events=[event({"tags": []})]), "events: more than 0 rows"),
    ],
)
def test_there_are_not_more_rows_than_a_tossup_has(path, limit, row, match, monkeypatch):
    monkeypatch.setattr(archive_lines, limit, 0)
    write_rows(path, [row])

    assert match in refusal(path)


@pytest.mark.parametrize(
    ("row", "match"),
    [
        (
            dated(asked=[[0, 1, [" " * 10_001, None], ""]]),
            "asked[0][2][0]: expected text of length 10000 or less",
        ),
        (
            dated(asked=[[0, 1, ["a", "b" * 1_001], ""]]),
            "asked[0][2][1]: expected text of length 1000 or less",
        ),
        (dated(games=[game(player="p" * 1_001)]), "games[0][2]: expected text of length 1000 or less"),
        (dated(games=[game(guesses=f'[["{"a" * 20_001}", 1.0]]')]), "games[0][9]: expected text of length"),
        (dated(games=[game(guesses='[["a", 1e999]]')]), "games[0][9]: "),
        (dated(games=[game(guesses=r'[["\q", 1.0]]')]), "games[0][9]: "),
        (dated(events=[event({"text": "x" * 100_001}, kind="comment")]), "a text is longer"),
        (dated(events=[event({"tags": []}), event({"tags": ["x"]})]), "two events have the same id"),
        (dated(author_id="x"), "the field `author_id` is unknown"),
        (tossup_row("a" * 201, "", []), "id: expected text of length 200 or less"),
        (
            tossup_row("long", "a" * 100_001, [edit_row(0, "", "a" * 100_001)]),
            "text: expected text of length",
        ),
        (
            tossup_row("long", "", [edit_row(0, "", "a" * 99_999), edit_row(0, "", "ab")]),
            "a version has more than 100,000 characters",
        ),
        (slow_replay(4_000_000, 10), "text: expected text of length 100000 or less"),
    ],
)
def test_what_is_longer_than_in_any_tossup_is_refused(path, row, match):
    write_rows(path, [row])

    assert match in refusal(path)


@pytest.mark.parametrize(
    "person", [["m", "n" * 1_001, "", 1], ["m", "n", "e" * 1_001, 1], ["m", "n", "", -1]]
)
def test_people_have_names_of_a_bounded_length(path, person):
    write_rows(path, [], [person])

    assert "makes no sense at person 1" in refusal(path)


def test_a_line_of_people_is_bounded(path):
    write_members(path, {TOSSUPS: b"", PEOPLE: b" " * 70_000 + b"\n"})

    assert "would unpack to more" in refusal(path)


def test_more_people_than_any_pack_has_are_refused(path):
    write_members(path, {TOSSUPS: b"", PEOPLE: b"\n" * 100_001})

    assert "has more than 100,000 people" in refusal(path)


def test_more_lines_than_the_manifest_says_are_refused_at_once(path):
    write_rows(path, [dated()])
    with zipfile.ZipFile(path) as pack:
        files = json.loads(pack.read(MANIFEST))["files"]
    files[TOSSUPS]["lines"] = 0
    write_members(
        path, {TOSSUPS: json.dumps(dated()).encode() + b"\n", PEOPLE: b""}, manifest={"files": files}
    )

    assert "would unpack to more" in refusal(path)


@pytest.mark.parametrize(
    "row",
    [
        dated(created_ms=LATEST_MS),
        tossup_row("dated", "a", [edit_row(0, "", "a", LATEST_MS)]),
        dated(asked=[[0, LATEST_MS, None, ""]]),
        dated(games=[game(LATEST_MS)]),
        dated(events=[event({"tags": []}, at_ms=LATEST_MS)]),
        dated(events=[event({"tags": []}, at_ms=int(time.time() * 1_000) + AHEAD_MS + 86_400_000)]),
    ],
)
def test_what_is_dated_after_any_clock_is_refused(path, row):
    write_rows(path, [row])

    assert "more than 100 years after the clock of this computer" in refusal(path)


def test_a_clock_that_is_ninety_years_ahead_is_only_wrong(path):
    ahead = int(time.time() * 1_000) + 90 * 365 * 86_400_000
    write_rows(path, [dated(events=[event({"tags": []}, at_ms=ahead)])])

    (branch,) = Pack(path).branches()
    assert branch.events[0].at_ms == ahead


def test_a_thousand_branches_of_one_tossup_are_refused_by_its_id(path):
    write_rows(path, forks(1_000))

    assert "has more than 100 branches of the tossup forked" in refusal(path)


def test_a_history_of_the_largest_size_replays_in_no_time(path):
    """A fiftieth of the size that took 48 seconds: 100,000 letters and 5,000 edits at both ends."""
    write_rows(path, [slow_replay(95_000, 5_000)])

    def read():
        (branch,) = Pack(path).branches()
        assert len(branch.text) == 100_000

    assert seconds(read, 5) < 5


def test_an_encrypted_member_is_named_as_such(path):
    patched(write_rows(path, [dated()]), encrypted)

    assert "is encrypted" in refusal(path)


@pytest.mark.parametrize("way", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_ways_to_compress_are_refused_before_they_are_read(path, way):
    write_members(path, {TOSSUPS: b"", PEOPLE: b""}, compression=way)

    assert "packed in an unusual way" in refusal(path)


def test_a_list_of_a_million_members_is_refused_before_it_is_read(path, monkeypatch):
    with zipfile.ZipFile(path, "w") as pack:
        for number in range(100):
            pack.writestr(f"{number}", "")
        pack.comment = b"sha256:" + b"0" * 64
    seal(path)
    monkeypatch.setattr(archive.zipfile, "ZipFile", None)

    assert "is not a pack" in refusal(path)


def test_deep_nesting_is_refused(path):
    line = wide_body(1).replace(b"[[]]", b"[" * 100_000 + b"]" * 100_000)
    write_members(path, {TOSSUPS: line, PEOPLE: b""})

    assert "nested too deeply" in refusal(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="There are no named pipes on this system.")
def test_a_pipe_is_not_waited_for(path):
    os.mkfifo(path)

    assert "is not a pack" in refusal(path)


def test_a_pack_of_rows_at_every_limit_is_taken(path, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BRANCHES", 3)
    for limit in ("MOST_ANSWERS", "MOST_GAMES", "MOST_EVENTS"):
        monkeypatch.setattr(archive_lines, limit, 2)
    rows = list(forks(3, "dated"))
    rows[0] |= {
        "asked": [[0, 1, ["a" * 10_000, "p" * 1_000], "m"], [0, 2, None, ""]],
        "games": [game(), game(1)],
        "events": [event({"tags": []}), event({"tags": ["x"]}, "f")],
    }
    write_rows(path, rows, [["m", "n" * 1_000, "e" * 1_000, 1]])

    with closing(Store(tmp_path / "here.db")) as store:
        assert len(store.merge(Pack(path).branches(), Pack(path).people()).outcomes) == 1
        assert store.check() == ()
