"""``quizwriter`` without a command. What the window does is tested in ``tests/gui``."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from quizwriter.cli import main
from quizwriter.services.tossups import example_tossup

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="There is always a screen.")
def test_without_a_screen_an_example_is_played_in_the_terminal(home, monkeypatch, capsys):
    for name in SCREENS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    assert main([]) == 0
    said, trouble = capsys.readouterr()

    text = example_tossup()
    assert trouble == ""
    assert "needs a screen" in said.splitlines()[0]
    assert "quizwriter play FILE" in said.splitlines()[-1] + said.splitlines()[-2]
    moments = re.findall(r"After word (\d+) of 126\s+(.+?)└", said, re.DOTALL)
    assert [int(heard) for heard, _ in moments] == [18, 31, 53, 68, 88, 108, 126]
    assert len(moments) == len(text.sentences)
    for _, table in moments:
        assert re.search(r"IR +┃ DAN +┃ RNN +┃ Ensemble", table)
        ranks = re.findall(r"^│ ([1-5]) +│ (\S.+?) │ (\S.+?) │ (\S.+?) │ (\S.+?) │$", table, re.MULTILINE)
        assert [rank for rank, *_ in ranks] == [*"12345"]
        assert all(guess.strip().endswith("%") for _, *guesses in ranks for guess in guesses)
    assert re.search(r"buzz │ not yet +│ not yet +│ not yet +│ not yet", moments[0][1])
    assert re.search(r"buzz │ word 87, right +│", moments[4][1])
    assert len(re.findall(r"^IR on .+, mostly for: ", said, re.MULTILINE)) == len(moments)
    assert said.count("Ensemble has no evidence of its own.") == len(moments)
    assert "QuizWriter starter set, tossup:" in said
    assert "IR buzzes at 69\u00a0% (word 87 of 126) on Johannes Brahms." in said
    assert not (home / "quizwriter.db").exists()


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
import linecache, sys
import quizwriter.cli, quizwriter.gui.application, quizwriter.engine.player_processes
print(*sorted(sys.modules), sep="\\n")
sources = tuple(quizwriter.__path__)
assert not [file for file in linecache.cache if file.startswith(sources)], "PySide has read the sources"
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
