"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_path, atomic_text, atomic_write, write_over
from tests.helpers.fakes import fill


class Interrupted(BaseException):
    """What ends a program in the middle of a block."""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_file_is_there_when_the_block_ends_and_not_before(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with atomic_write(path) as file:
        file.write(b"after")
        file.flush()
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("trouble", [ValueError, Interrupted, QuizwriterError("What?", "That.")])
def test_a_block_that_raises_leaves_what_was_there(tmp_path, trouble):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def write():
        with atomic_write(path) as file:
            file.write(b"half")
            raise trouble

    with pytest.raises((ValueError, Interrupted, QuizwriterError)):
        write()
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["file"]


def test_a_full_disk_leaves_what_was_there_and_is_said(small_disk):
    path = small_disk / "file"
    path.write_text("before")
    with (
        pytest.raises(
            QuizwriterError, match=r"^It could not be kept \(No space left.*\)\. Free some disk space\.$"
        ),
        atomic_text(path, problem="It could not be kept", remedy="Free some disk space.") as file,
    ):
        file.write("x" * (4 << 20))
    assert path.read_text() == "before"
    assert names(small_disk) == ["file"]


def test_a_file_that_others_have_open_is_written_over_and_a_full_disk_leaves_it(small_disk):
    path = small_disk / "log"
    path.write_bytes(b"a long line\n")
    with path.open("ab") as other:
        for raw in (b"short\n", b"longer than what was there\n"):
            write_over(path, raw)
            assert path.read_bytes() == raw
        fill(small_disk / "filler")
        with pytest.raises(OSError, match="No space left"):
            write_over(path, b"x" * 9_000)
        assert path.read_bytes() == b"longer than what was there\n"
        other.write(b"more\n")
    assert path.read_bytes().endswith(b"there\nmore\n")


def test_a_folder_that_is_not_there_is_made_only_where_that_is_wanted(tmp_path):
    path = tmp_path / "a" / "b" / "file"
    with pytest.raises(QuizwriterError, match="file could not be written"), atomic_text(path) as file:
        file.write("text")
    assert names(tmp_path) == []
    with atomic_text(path, make_folder=True) as file:
        file.write("text")
    assert path.read_text() == "text"


def test_text_is_written_with_the_encoding_and_the_line_ends_wanted(tmp_path):
    with atomic_text(tmp_path / "a") as file:
        file.write("é\n")
    with atomic_text(tmp_path / "b", encoding="utf-8-sig", newline="") as file:
        file.write("é\r\n")
    assert (tmp_path / "a").read_bytes() == "é\n".encode()
    assert (tmp_path / "b").read_bytes() == b"\xef\xbb\xbf" + "é\r\n".encode()


def test_text_that_is_no_unicode_is_said(tmp_path):
    with pytest.raises(QuizwriterError, match="could not be written"), atomic_text(tmp_path / "a") as file:
        file.write("\udc80")
    assert names(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights.")
def test_nobody_else_reads_a_private_file_not_even_one_that_was_left_half(tmp_path):
    left = tmp_path / ".key.new"
    left.write_bytes(b"old")
    left.chmod(0o666)
    with atomic_write(tmp_path / "key", private=True) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        file.write(b"secret")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert (tmp_path / "key").read_bytes() == b"secret"


def test_what_a_stopped_program_left_of_a_database_is_not_added_to_the_next(tmp_path):
    """Of a database that is copied anew, SQLite would take the log that lies beside it for its own."""
    left = [tmp_path / f".a.db.new{end}" for end in ("", "-wal", "-shm", "-journal")]
    for path in left:
        path.write_bytes(b"left")

    with atomic_path(tmp_path / "a.db", problem="No.") as new:
        assert not any(path.exists() for path in left)
        new.write_bytes(b"whole")

    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]
