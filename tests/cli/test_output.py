"""What commands do with the standard streams, closed, full, interrupted or a terminal's."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quizwriter.cli import main

BELL_AND_COLOUR = "\a\x1b[31m\x9b31m"

posix = pytest.mark.skipif(os.name != "posix", reason="There is no such shell.")


class Terminal(io.StringIO):
    """A standard stream of a terminal."""

    def isatty(self):
        return True


def in_ascii(monkeypatch, *arguments):
    """What a command prints where no letter outside ASCII is shown."""
    output = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", output)
    assert main([*map(str, arguments)]) == 0
    return output.buffer.getvalue().decode("ascii")


def run_program(command, *, setup=""):
    """What a shell makes of a command, whose standard streams ``setup`` bends."""
    return subprocess.run(
        f"exec {setup}; {shlex.quote(sys.executable)} -m quizwriter {command}",
        shell=True,
        executable="/bin/bash",
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@posix
@pytest.mark.parametrize("setup", [">&- <&-", "2>&-", "> >(true)"])
def test_a_closed_stream_ends_a_command_quietly(setup):
    done = run_program("judge Emma Emma", setup=setup)

    assert (done.returncode, done.stderr) == (0, "")


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Only Linux has a device that is always full.")
def test_output_that_finds_no_room_is_said_in_two_lines():
    done = run_program("judge Emma Emma", setup="> /dev/full")

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "The output could not be written (No space left on device).",
        "Free some disk space, or send it elsewhere.",
    ]


def test_a_terminal_without_our_letters_shows_the_others(draft, starter, monkeypatch):
    said = in_ascii(monkeypatch, "play", draft, "--answer", "Madama Butterfly", "--bundle", starter)

    assert "IR buzzes at " in said


@posix
def test_ctrl_c_ends_a_command_quietly(starter):
    process = subprocess.Popen(
        [sys.executable, "-m", "quizwriter", "play", "--bundle", str(starter)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"word " * 1_000_000)  # more than a pipe holds: it returns while the command reads
    process.send_signal(signal.SIGINT)

    process.stdin.close()
    assert (process.stderr.read(), process.wait()) == (b"", 130)
    process.stderr.close()


@posix
def test_an_error_is_not_printed_as_output_where_errors_cannot_be():
    done = run_program("judge --cases nowhere.jsonl", setup="2>&-")

    assert (done.returncode, done.stdout) == (1, "")


def test_json_keeps_the_letters_that_a_terminal_does_not_have(tmp_path, starter, monkeypatch):
    path = tmp_path / "draft.txt"
    path.write_text("This café is in Łódź.", encoding="utf-8")
    said = in_ascii(monkeypatch, "play", path, "--bundle", starter, "--json")

    assert "Ł" not in said
    assert json.loads(said)["tossup"]["text"] == "This café is in Łódź."


def test_texts_do_nothing_to_the_terminal_and_are_no_markup(capsys, tmp_path, starter):
    path = tmp_path / "draft.txt"
    path.write_text(f"This [bold]opera[/bold] :fire:{BELL_AND_COLOUR} here.", encoding="utf-8")
    assert main(["play", str(path), "--answer", f"[red]x{BELL_AND_COLOUR}", "--bundle", str(starter)]) == 0

    out = " ".join(capsys.readouterr().out.split())
    assert "This [bold]opera[/bold] :fire:" in out
    assert "Answer: [red]x" in out
    assert not {"\a", "\x1b", "\x9b"} & set(out)


def test_an_error_does_nothing_to_the_terminal(capsys):
    assert main(["history", f"none{BELL_AND_COLOUR}"]) == 1
    assert not {"\a", "\x1b", "\x9b"} & set(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "work"),
    [(["pack", "{folder}/set.qwpack"], "Packing"), (["merge", "{folder}/made.qwpack"], "Merging")],
)
def test_long_commands_show_progress_on_a_terminal_only(capsys, monkeypatch, made, tmp_path, arguments, work):
    monkeypatch.setenv("TERM", "xterm")
    assert main(["pack", str(tmp_path / "made.qwpack")]) == 0
    arguments = [one.format(folder=tmp_path) for one in arguments]
    capsys.readouterr()
    assert main(arguments) == 0
    assert capsys.readouterr().err == ""

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(arguments) == 0
    assert work in terminal.getvalue()
    assert work not in capsys.readouterr().out
