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
    assert {"quizwriter.cli.window", "quizwriter.services.wiring"} <= {*modules}
    of_commands = (
        "quizwriter.cli.parser",
        "quizwriter.judging",
        "quizwriter.workflow.problems",
        "quizwriter.bench",
    )
    assert not [name for name in modules if name.startswith((*of_commands, "rapidfuzz", "PySide6"))]


IMPORTED = """
import sys
import quizwriter.cli, quizwriter.gui.application, quizwriter.engine.player_processes
print(*sorted(sys.modules), sep="\\n")
"""

LATER = (
    "elasticsearch",
    "httpx",
    "hunspell",
    "index_builder",
    "numpy",
    "quizwriter.domain.past_questions",
    "quizwriter.engine",
    "quizwriter.formats.packet_tags",
    "quizwriter.workflow.people_curve",
    "quizwriter.workflow.problems",
    "quizwriter.workflow.queue",
    "rich",
    "sqlite_utils",
)
"""What no window and no process of players waits for at the start, though both use it in the end."""


def test_the_window_is_made_without_what_is_used_after_it_is_shown():
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)

    modules = done.stdout.splitlines()
    assert "PySide6.QtWidgets" in modules
    started = {
        "quizwriter.engine",
        "quizwriter.engine.player_processes",
    }  # an empty package, and who starts them
    early = [name for name in modules if any(name == one or name.startswith(f"{one}.") for one in LATER)]
    assert [name for name in early if name not in started] == []
