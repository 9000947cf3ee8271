"""Progress in lines of JSON, for a program that watches this one and ends it by no longer listening."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from rich.console import Console

from index_builder import progress_output
from index_builder.progress_output import STOPPED, ConsoleProgress

DEAF = """
import signal, threading
from index_builder import progress_output
progress_output.GRACE_S = 0.1
lines = progress_output.JsonProgress()
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as code that is compiling
lines.note("deaf")
threading.Event().wait()
"""

LOADING = """
import sys, threading
from importlib.abc import MetaPathFinder
class Slow(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "index_builder.training":
            print("loading", flush=True)
            threading.Event().wait()
sys.meta_path.insert(0, Slow())
from quizwriter.system import extras
extras.EXTRAS = {"train": {}}  # also where it is not installed
from index_builder.__main__ import main
sys.exit(main(["train", "--bundle", "nowhere", "--json-progress"]))
"""


@pytest.mark.parametrize(("script", "said"), [(DEAF, "deaf"), (LOADING, "loading")])
def test_a_program_that_nobody_listens_to_ends_whatever_it_is_doing(script, said):
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert said in process.stdout.readline().decode()
            process.stdin.close()
            assert process.wait(timeout=60) == STOPPED
        finally:
            process.kill()


TRAINING = """
import time
now = 0.0
time.monotonic = lambda: now
from index_builder.progress_output import JsonProgress
lines = JsonProgress()
for second in range(4):
    now = 60.0 * second
    lines.training("dan", second / 10)
lines.measured("dan", 0.31, 0.6)
now += 1.0
lines.training("rnn", 0.0)
"""


def test_lines_say_how_long_a_training_takes_and_what_is_learnt_so_far():
    with subprocess.Popen(
        [sys.executable, "-c", TRAINING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        said = [json.loads(line) for line in process.stdout]  # while standard input is held open

    dan = [line for line in said if line["player"] == "dan"]
    assert [line.get("seconds_left") for line in dan] == [540, 480, 420, None]
    assert dan[-1] == {"player": "dan", "half": 0.31, "end": 0.6}
    assert said[-1] == {"player": "rnn", "share": 0.0, "seconds_left": None}


def test_the_bar_of_a_training_shows_what_is_learnt_so_far(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(progress_output, "Console", lambda **_: Console(file=written, width=140))
    with ConsoleProgress() as bars:
        bars.training("dan", 0.0)
        for half, end in [(0.1, 0.3), (0.2, 0.4), (0.25, 0.5), (0.3, 0.6), (0.31, 0.62)]:
            bars.measured("dan", half, end)
            bars.training("dan", end)

    assert "Training dan, right after half/all: 0.200/0.400, 0.250/0.500, 0.300/0.600, 0.310/0.620" in (
        " ".join(written.getvalue().split())
    )
