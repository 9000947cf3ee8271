"""Progress in lines of JSON, for a program that watches this one and ends it by no longer listening."""

from __future__ import annotations

import subprocess
import sys

import pytest

from index_builder.progress_output import STOPPED

DEAF = """
import signal, threading
from index_builder.progress_output import JsonProgress
lines = JsonProgress()
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
from quizwriter import extras
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
