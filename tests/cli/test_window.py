"""``quizwriter`` without a command. What the window does is tested in ``tests/gui``."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quizwriter.cli import main


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="There is always a screen.")
def test_without_a_screen_it_says_what_to_do_and_writes_nothing(capsys, monkeypatch, tmp_path, home):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)

    assert main([]) == 1

    out, err = capsys.readouterr()
    problem, remedy = err.splitlines()
    assert "needs a screen" in problem
    assert "quizwriter play FILE" in remedy
    assert (out, list(folder.iterdir()), home.exists()) == ("", [], False)


OPENED = """
import sys
from quizwriter import cli
cli.open_window = lambda arguments: print(arguments.bundle, *sorted(sys.modules), sep="\\n") or 0
sys.exit(cli.main())
"""


def test_the_window_opens_without_what_only_other_commands_need():
    done = subprocess.run([sys.executable, "-c", OPENED], capture_output=True, text=True, check=True)

    bundle, *modules = done.stdout.splitlines()
    assert bundle == "None"
    assert {"quizwriter.cli.window", "quizwriter.services"} <= {*modules}
    of_commands = (
        "quizwriter.cli.parser",
        "quizwriter.judging",
        "quizwriter.workflow.problems",
        "quizwriter.bench",
    )
    assert not [name for name in modules if name.startswith((*of_commands, "rapidfuzz", "PySide6"))]
