"""The list of words that the rule on spelling needs: how it is made, and that ours is whole."""

from __future__ import annotations

import gzip

import msgspec
import pytest

from index_builder.__main__ import main
from index_builder.listed_words import LISTED, listed_lines
from quizwriter.system.resource_files import resources_folder

HEADER = {"format": "cB", "version": 1}


def slips(folder, content=b"rivre->river\n"):
    (folder / "dictionary.txt").write_bytes(content)
    return str(folder / "dictionary.txt")


def packed(value):
    return gzip.compress(msgspec.msgpack.encode(value), mtime=0)


def test_words_of_one_beginning_stand_in_one_line(tmp_path, capsys):
    source = tmp_path / "large_en.msgpack.gz"
    words = [["river", "it's", "rivet"], ["riv", "eel", "to", "River", "4th", "rivre"]]
    source.write_bytes(packed([HEADER, [], *words]))
    assert main(["words", str(source), "--slips", slips(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / LISTED).read_text(encoding="utf-8") == "eel \nriv  er et\n"
    assert "4 words" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [b"no list", gzip.compress(b"\xc1", mtime=0), packed({"format": "cB"}), packed([]),
     packed([{"format": "x"}]), packed([HEADER, [4]]), packed([HEADER, "river"]),
     gzip.compress(b"river", mtime=0)[:-4]],
)  # fmt: skip
def test_what_is_no_list_is_refused_and_nothing_is_written(tmp_path, capsys, content):
    source = tmp_path / "large_en.msgpack.gz"
    source.write_bytes(content)
    assert main(["words", str(source), "--slips", slips(tmp_path), "--out", str(tmp_path)]) == 1
    assert "wordfreq" in capsys.readouterr().err
    assert not (tmp_path / LISTED).exists()


@pytest.mark.parametrize("content", [b"", b"\xff->x", b"river"])
def test_what_has_no_slips_is_refused(tmp_path, capsys, content):
    source = tmp_path / "large_en.msgpack.gz"
    source.write_bytes(packed([HEADER, ["river"]]))
    assert main(["words", str(source), "--slips", slips(tmp_path, content), "--out", str(tmp_path)]) == 1
    assert "codespell" in capsys.readouterr().err
    assert not (tmp_path / LISTED).exists()


def test_the_list_that_comes_with_us_is_in_its_form():
    lines = (resources_folder() / "spelling" / LISTED).read_text(encoding="utf-8").splitlines()
    words = {line[:3] + rest for line in lines for rest in line[4:].split(" ")}
    assert len(words) == 286_963
    assert listed_lines(words) == lines
