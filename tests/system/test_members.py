"""A name in a manifest leads to a regular file inside its folder, and to nothing else."""

import os
import sys

import pytest

from quizwriter.system import members
from quizwriter.system.decoding import DecodingError, decode_value
from quizwriter.system.members import MemberName, member_state, open_member, read_member

OUTSIDE = [
    *("", ".", "..", "/etc/passwd", "//server/share", "../a", "a/../b", "a/..", "a//b", "a/", "./a"),
    *("C:a", "C:\\a", "\\\\server\\share", "a\\..\\b", "a\0b", "a\nb", "a\x7f", "a:stream", "a.", "a "),
    *("a*", "a?", 'a"', "a|b", "<a>", "CON", "nul", "Nul.txt", "a/AUX", "com1", "COM¹", "lpt9.npy", "prn/a"),
    *("conin$", "nul .txt", "a" * 401, "a/" * 199 + "..", "." * 400, " " * 400, "con." * 100),
]
INSIDE = (
    "manifest.json",
    "ir/terms.npy",
    "players/dan-0a1b/vectors.npy",
    ".hidden",
    "ä b.txt",
    "console",
    "com",
    "a..b",
)
NO_LINKS = pytest.mark.skipif(sys.platform == "win32", reason="only administrators make links there")


@pytest.fixture(params=["one part at a time", "whole paths"])
def folder(request, tmp_path, monkeypatch):
    if request.param == "whole paths":
        monkeypatch.setattr(os, "supports_dir_fd", frozenset())
    elif os.open not in os.supports_dir_fd:
        pytest.skip("this system opens whole paths only")
    place = tmp_path / "folder"
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "file").write_bytes(b"contents")
    (tmp_path / "outside").write_bytes(b"secret")
    return place


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_name_leads_outside_on_any_system(name, tmp_path):
    with pytest.raises(DecodingError):
        decode_value(name, MemberName)
    with pytest.raises(DecodingError):
        open_member(tmp_path, name)


@pytest.mark.parametrize("name", INSIDE)
def test_names_of_files_are_taken(name):
    assert decode_value(name, MemberName) == name


def test_names_are_keys_of_a_manifest_too():
    assert decode_value({"a/b": 1}, dict[MemberName, int]) == {"a/b": 1}
    with pytest.raises(DecodingError):
        decode_value({"a/../b": 1}, dict[MemberName, int])


def test_a_regular_file_is_read(folder):
    assert read_member(folder, "deep/file", 8) == b"contents"
    size, digest = member_state(folder, "deep/file")
    assert (size, digest[:8]) == (8, "d1b2a59f")


def test_a_file_that_is_too_long_is_refused(folder):
    with pytest.raises(DecodingError, match="more than 7 bytes"):
        read_member(folder, "deep/file", 7)


def test_a_missing_file_is_an_error_of_the_system(folder):
    with pytest.raises(FileNotFoundError):
        open_member(folder, "deep/other")
    with pytest.raises(FileNotFoundError):
        open_member(folder, "other/file")


@NO_LINKS
def test_a_link_is_not_followed(folder):
    (folder / "link").symlink_to(folder.parent / "outside")
    (folder / "inner").symlink_to(folder / "deep" / "file")
    (folder / "linked").symlink_to(folder.parent)
    for name in ("link", "inner", "linked/outside"):
        with pytest.raises(DecodingError):
            open_member(folder, name)


@NO_LINKS
def test_the_folder_itself_may_be_a_link(folder):
    (folder.parent / "chosen").symlink_to(folder)

    assert read_member(folder.parent / "chosen", "deep/file", 8) == b"contents"


def test_a_folder_and_a_path_through_a_file_are_refused(folder):
    with pytest.raises(DecodingError):
        open_member(folder, "deep")
    with pytest.raises((DecodingError, NotADirectoryError)):
        open_member(folder, "deep/file/more")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_refused_without_waiting_for_a_writer(folder):
    os.mkfifo(folder / "pipe")

    with pytest.raises(DecodingError, match="pipe is not a regular file"):
        open_member(folder, "pipe")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no such device")
def test_a_device_behind_a_file_is_refused(folder, monkeypatch):
    (folder / "zero").symlink_to("/dev/zero")

    with pytest.raises(DecodingError):
        read_member(folder, "zero", 8)
    with pytest.raises(DecodingError, match="regular file"):
        members._require_regular(os.stat("/dev/zero"), "zero")
