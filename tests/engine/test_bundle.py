"""A bundle is there whole or not at all, and what is not sound is refused in a sentence."""

import json
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from quizwriter.engine.bundle import (
    INDEX,
    MANIFEST,
    SCHEMA,
    YOURS,
    Bundle,
    BundleWriter,
    add_player,
    added_folder,
    amend,
    publishing,
)
from quizwriter.errors import QuizwriterError


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "bundles" / "one"


def publish(folder, title="first", lines=("a", "b")):
    with publishing(folder, {"title": title}) as writer:
        writer.lines("pages.txt", list(lines))
        writer.array("ir/rows.npy", np.arange(5, dtype=np.int32))
    return Bundle.open(folder)


def fail_halfway(folder, trouble):
    with publishing(folder, {}) as writer:
        writer.lines("pages.txt", ["half"])
        raise trouble


def files_of(folder):
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def told(folder):
    with pytest.raises(QuizwriterError) as trouble:
        Bundle.open(folder)
    return trouble.value.problem


def manifest(folder, **changes):
    about = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    (folder / MANIFEST).write_text(json.dumps({**about, **changes}), encoding="utf-8")


def test_what_was_published_can_be_opened(folder):
    bundle = publish(folder)

    assert bundle.about["title"] == "first"
    assert bundle.lines("pages.txt") == ["a", "b"]
    assert bundle.array("ir/rows.npy").tolist() == [0, 1, 2, 3, 4]


def test_an_array_cannot_be_changed(folder):
    array = publish(folder).array("ir/rows.npy")

    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_the_digest_names_the_contents(folder):
    first = publish(folder).digest
    again = publish(folder).digest
    other = publish(folder, lines=("a", "c")).digest

    assert first == again != other


def test_what_is_known_only_at_the_end_may_be_said_then(folder):
    about = {}
    with publishing(folder, about):
        about["questions"] = 3

    assert Bundle.open(folder).about["questions"] == 3


def test_publishing_replaces_the_old_bundle_and_leaves_nothing_beside_it(folder):
    publish(folder)
    bundle = publish(folder, title="second", lines=("c",))

    assert (bundle.about["title"], bundle.lines("pages.txt")) == ("second", ["c"])
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize(
    "lines", [(), ("",), ("", "", ""), ("a\rb", "c\u2028d", "e\x0bf\x85", " g "), ("😀", "é")]
)
def test_lines_come_back_as_they_were_kept(folder, lines):
    assert publish(folder, lines=lines).lines("pages.txt") == list(lines)


def test_a_list_of_nothing_but_line_ends_is_refused_before_it_becomes_objects(folder, monkeypatch):
    bundle = publish(folder, lines=("",) * 9)
    monkeypatch.setattr("quizwriter.engine.bundle.MOST_LINES", 8)
    for read in (bundle.lines, bundle.names):
        with pytest.raises(QuizwriterError, match=r"pages\.txt makes no sense: it has more than 8 lines"):
            read("pages.txt")


def test_a_line_with_a_line_feed_is_refused_rather_than_made_two(folder):
    with pytest.raises(ValueError, match="line feed"):
        publish(folder, lines=("a\nb",))


@pytest.mark.parametrize("trouble", [RuntimeError("bug"), KeyboardInterrupt(), QuizwriterError("No.", "Go.")])
def test_if_building_fails_the_old_bundle_stays_and_nothing_else(folder, trouble):
    publish(folder)
    before = files_of(folder)

    with pytest.raises(type(trouble)):
        fail_halfway(folder, trouble)
    assert files_of(folder) == before
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("trouble", [RuntimeError("bug"), KeyboardInterrupt()])
def test_if_the_first_building_fails_there_is_no_bundle(folder, trouble):
    with pytest.raises(type(trouble)):
        fail_halfway(folder, trouble)
    assert list(folder.parent.iterdir()) == []


def test_while_building_the_old_bundle_is_still_there(folder):
    publish(folder)

    with publishing(folder, {"title": "second"}):
        assert Bundle.open(folder).about["title"] == "first"


def test_a_bundle_that_would_not_open_is_not_published(folder):
    publish(folder)

    with pytest.raises(QuizwriterError), publishing(folder, {"schema": "new"}) as writer:
        writer.lines("pages.txt", ["half"])
    assert Bundle.open(folder).about["title"] == "first"


def test_if_the_disk_does_not_take_it_that_is_said_and_the_old_bundle_stays(folder):
    publish(folder)

    with (
        pytest.raises(QuizwriterError, match=r"could not be written to .* \(No space left\)"),
        publishing(folder, {}),
    ):
        raise OSError(28, "No space left")
    assert Bundle.open(folder).about["title"] == "first"


def test_what_an_earlier_building_left_behind_is_no_obstacle(folder):
    half = folder.with_name(f".{folder.name}.building")
    half.mkdir(parents=True)
    (half / "rest").write_text("of a killed run")

    bundle = publish(folder)
    assert "rest" not in bundle.about["files"]
    assert list(folder.parent.iterdir()) == [folder]


def test_a_bundle_put_aside_by_a_run_that_was_killed_comes_back_if_the_next_one_fails(folder):
    publish(folder)
    folder.rename(folder.with_name(f".{folder.name}.old"))

    with pytest.raises(RuntimeError), publishing(folder, {}):
        raise RuntimeError("bug")
    assert Bundle.open(folder).about["title"] == "first"


def test_a_bundle_put_aside_by_a_run_that_was_killed_opens_all_the_same(folder):
    publish(folder)
    folder.rename(folder.with_name(f".{folder.name}.old"))

    assert Bundle.open(folder).lines("pages.txt") == ["a", "b"]
    assert publish(folder, title="second").about["title"] == "second"


def test_a_bundle_may_be_named_from_inside(folder, monkeypatch):
    publish(folder)
    monkeypatch.chdir(folder)
    with publishing(Path(), {"title": "second"}) as writer:
        writer.lines("pages.txt", [])

    assert Bundle.open(folder).about["title"] == "second"
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("kind", ["a folder with files", "a file"])
def test_what_is_no_bundle_is_not_replaced(folder, kind):
    if kind == "a file":
        folder.parent.mkdir()
        folder.write_text("thesis")
    else:
        folder.mkdir(parents=True)
        (folder / "thesis.txt").write_text("thesis")

    with pytest.raises(QuizwriterError, match="exists and is not a bundle"):
        publish(folder)
    assert "thesis" in (folder if folder.is_file() else folder / "thesis.txt").read_text()


def test_an_empty_folder_is_no_obstacle(folder):
    folder.mkdir(parents=True)

    assert publish(folder).lines("pages.txt") == ["a", "b"]


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path):
    assert told(tmp_path) == f"There is no bundle in {tmp_path}."


def test_a_file_is_no_bundle(tmp_path):
    (tmp_path / "file").write_text("text")

    assert "cannot be read" in told(tmp_path / "file")


@pytest.mark.parametrize("raw", [b"abXd", b"ab", b""], ids=["changed", "short", "empty"])
def test_a_damaged_file_is_named(folder, raw):
    publish(folder)
    (folder / "pages.txt").write_bytes(raw)

    assert told(folder) == f"The bundle in {folder} is damaged: pages.txt is missing or not as it was built."


def test_a_missing_file_is_named(folder):
    publish(folder)
    (folder / "ir" / "rows.npy").unlink()

    assert "ir/rows.npy is missing" in told(folder)


def test_a_folder_in_the_place_of_a_file_is_said(folder):
    publish(folder)
    (folder / "pages.txt").unlink()
    (folder / "pages.txt").mkdir()

    assert str(folder) in told(folder)


def test_a_bundle_of_a_newer_version_is_refused(folder):
    publish(folder)
    manifest(folder, schema=SCHEMA + 1)

    assert f"for a newer QuizWriter (its schema is {SCHEMA + 1}" in told(folder)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"{}", b"[]", b"null", b"12", b"nonsense", b"\xff\xfe", b"[" * 100_000,
        b'{"format": "other", "schema": 1, "files": {}}',
        b'{"format": "quizwriter bundle", "schema": "1", "files": {}}',
        b'{"format": "quizwriter bundle", "schema": 0, "files": {}}',
        b'{"format": "quizwriter bundle", "schema": 1, "files": []}',
        b'{"format": "quizwriter bundle", "schema": 1, "files": {"a": 1}}',
        b'{"format": "quizwriter bundle", "schema": 1, "files": {"a": {"bytes": null, "sha256": ""}}}',
        b'{"format": "quizwriter bundle", "schema": 1, "files": {"a": {"bytes": 1e999, "sha256": ""}}}',
    ],
)  # fmt: skip
def test_a_foreign_manifest_is_refused(tmp_path, raw):
    (tmp_path / MANIFEST).write_bytes(raw)

    assert told(tmp_path).startswith(f"{tmp_path / MANIFEST} is not the manifest of a QuizWriter bundle (")


def test_a_manifest_of_gigabytes_is_not_read(tmp_path):
    with (tmp_path / MANIFEST).open("wb") as file:
        file.truncate(1 << 40)  # of nothing; it takes no room

    assert "is not the manifest" in told(tmp_path)


@pytest.mark.parametrize(
    "name", ["../secret", "deep/../../secret", "/etc/passwd", "a\0b", "..\\secret", "C:\\secret"]
)
def test_a_name_outside_the_bundle_is_refused(folder, name):
    publish(folder)
    secret = folder.parent / "secret"
    secret.write_bytes(b"")
    manifest(
        folder,
        files={
            name: {"bytes": 0, "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
        },
    )

    assert "is not the manifest of a QuizWriter bundle (" in told(folder)


def test_what_the_manifest_does_not_list_is_not_read(folder):
    bundle = publish(folder)
    (folder / "extra.txt").write_text("a\n")

    with pytest.raises(QuizwriterError, match=r"has no extra\.txt"):
        bundle.lines("extra.txt")


def test_pickled_objects_are_never_loaded(folder):
    with publishing(folder, {}) as writer:
        (writer.folder / "ir").mkdir()
        np.save(writer.folder / "ir/rows.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)

    with pytest.raises(QuizwriterError, match=r"ir/rows\.npy makes no sense: it is not an array"):
        Bundle.open(folder).array("ir/rows.npy")


@pytest.mark.parametrize(
    "texts", [[], [""], ["a"], ["", "a", "", "bc", ""], ["😀", "line\nfeed", "a\r\nb\0", "بحيرة"]]
)
def test_texts_come_back_by_their_number(folder, texts):
    with publishing(folder, {}) as writer:
        writer.texts("passages", iter(texts))
    found = Bundle.open(folder).texts("passages")

    assert [found[index] for index in range(len(found))] == texts


def test_texts_can_be_gone_through_to_the_end(folder):
    with publishing(folder, {}) as writer:
        writer.texts("passages", ["a", "b"])

    assert list(Bundle.open(folder).texts("passages")) == ["a", "b"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("trusted", [False, True])
def test_a_pipe_or_a_link_among_the_files_is_refused_and_nobody_waits(folder, trusted):
    publish(folder)
    (folder / "pages.txt").rename(folder.parent / "elsewhere")
    for make in (
        lambda path: os.mkfifo(path),
        lambda path: path.symlink_to(folder.parent / "elsewhere"),
        lambda path: path.symlink_to("/dev/zero"),
    ):
        make(folder / "pages.txt")
        with pytest.raises(QuizwriterError, match=r"is damaged: pages\.txt is missing"):
            Bundle.open(folder, trusted=trusted)
        (folder / "pages.txt").unlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_manifest_that_is_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / MANIFEST)

    assert "is not a regular file" in told(tmp_path)
    assert Bundle.digest_of(tmp_path) is None


@pytest.mark.parametrize(
    "place", ["{victim}", "../victim", "players/../../victim", "players/..", "ir", "players"]
)
def test_training_never_removes_what_a_foreign_manifest_names(folder, place):
    publish(folder)
    victim = folder.parent / "victim"
    victim.mkdir()
    (victim / "thesis.txt").write_text("years of work")
    manifest(folder, players={"dan": {"folder": place.format(victim=victim)}})

    with pytest.raises(QuizwriterError, match="is not the manifest of a QuizWriter bundle"):
        add_player(folder, "dan", ARRAYS, {})
    assert (victim / "thesis.txt").read_text() == "years of work"
    assert (folder / "pages.txt").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="only administrators make links there")
@pytest.mark.parametrize("linked", ["players", "players/dan-old"])
def test_training_never_writes_or_removes_behind_a_link(folder, linked):
    publish(folder)
    victim = folder.parent / "victim"
    (victim / "dan-old").mkdir(parents=True)
    (victim / "dan-old" / "thesis.txt").write_text("years of work")
    (folder / linked).parent.mkdir(exist_ok=True)
    (folder / linked).symlink_to(victim if linked == "players" else victim / "dan-old")
    manifest(folder, players={"dan": {"folder": "players/dan-old"}})

    with suppress(QuizwriterError):
        add_player(folder, "dan", ARRAYS, {})
    assert [path.name for path in victim.iterdir()] == ["dan-old"]
    assert (victim / "dan-old" / "thesis.txt").read_text() == "years of work"


@pytest.mark.skipif(sys.platform == "win32", reason="only administrators make links there")
def test_the_folder_of_added_packets_is_never_a_link(folder):
    publish(folder)
    victim = folder.parent / "victim"
    (victim / "index").mkdir(parents=True)
    (folder / YOURS).symlink_to(victim)

    with pytest.raises(QuizwriterError, match="is a link"):
        added_folder(folder, INDEX)


# -- players

ARRAYS = {"classes": np.arange(5, dtype=np.int32), "outputs": np.ones((2, 2), np.float16)}


@pytest.fixture
def bare(bare_forest, tmp_path):
    return shutil.copytree(bare_forest, tmp_path / "forest")


def test_a_player_is_added_replaced_and_described(bare):
    add_player(bare, "one", ARRAYS, {"said": 1})
    first = Bundle.open(bare).about["players"]["one"]
    add_player(bare, "one", {"classes": np.arange(6, dtype=np.int32)}, {"said": 2})
    amend(bare, {"note": "kept"})

    arrays, about = Bundle.open(bare).player("one")
    assert first["said"] == 1
    assert Bundle.open(bare).about["players"]["one"]["said"] == 2
    assert set(arrays) == {"classes"}
    assert arrays["classes"].tolist() == list(range(6))
    assert Bundle.open(bare).about["note"] == "kept"
    assert [path.name for path in (bare / "players").iterdir()] == [Path(about.folder).name]
    add_player(bare, "one", {"classes": np.arange(6, dtype=np.int32)}, {"said": 3})
    assert Bundle.open(bare).about["players"]["one"]["said"] == 3


@pytest.mark.parametrize("failing", ["array", "rename", "replace"])
def test_a_failing_disk_leaves_the_bundle_as_it_was(bare, monkeypatch, failing):
    add_player(bare, "one", ARRAYS, {"said": 1})
    digest = Bundle.open(bare).digest

    def full(*given, **more):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(*((BundleWriter, "array") if failing == "array" else (Path, failing)), full)
        with pytest.raises(QuizwriterError, match=r"could not be added to \(No space left"):
            add_player(bare, "one", {"classes": np.arange(7)}, {"said": 2})

    assert Bundle.open(bare).digest == digest
    assert Bundle.open(bare).player("one")[0]["classes"].tolist() == list(range(5))


def test_a_full_disk_leaves_the_bundle_as_it_was(small_disk, tmp_path, bare):
    folder = small_disk / "forest"
    if sum(path.stat().st_size for path in bare.rglob("*") if path.is_file()) > 400_000:
        pytest.fail("The bundle of the test is too large for its disk.")
    shutil.copytree(bare, folder)
    digest = Bundle.open(folder).digest

    with pytest.raises(QuizwriterError, match="could not be added to"):
        add_player(folder, "large", {"classes": np.zeros(1 << 18)}, {})

    assert Bundle.open(folder).digest == digest
    assert not list(folder.glob(".*"))
