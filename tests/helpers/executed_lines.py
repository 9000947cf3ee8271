"""A pytest plugin: notes which lines of the program the tests run, for ``coverage report``.

Before Python 3.12, coverage's own tracing costs half as much again as the tests, because it traces all
libraries too. SlipCover puts probes into our own code alone. The programs that tests start are short, and
traced.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import slipcover
from coverage import CoverageData

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "quizwriter", ROOT / "index_builder"
DATA = ROOT / "build" / "coverage" / "data"

NEVER_REMOVED = -1
"""Probes stay: to take them out while tests run costs more than they do."""


class ExecutedLines:
    """Puts the probes in, and at the end writes what they found."""

    def __init__(self):
        self._probes = slipcover.Slipcover(d_miss_threshold=NEVER_REMOVED, exclude_lines=[])
        slipcover.ImportManager(self._probes, slipcover.FileMatcher(sources=SOURCES)).__enter__()
        os.environ["COVERAGE_FILE"] = str(DATA)
        os.environ["COVERAGE_PROCESS_START"] = str(ROOT / "pyproject.toml")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        """Write the lines beside those of other processes; a file that was never imported has none."""
        found = self._probes.get_coverage()["files"]
        data = CoverageData(str(DATA), suffix=True)
        data.add_lines({str(ROOT / name): lines["executed_lines"] for name, lines in found.items()})
        data.touch_files(str(file) for folder in SOURCES for file in folder.rglob("*.py"))
        data.write()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Begin before anything of the program is imported, in each process that runs tests."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if is_worker or not early_config.known_args_namespace.numprocesses:
        early_config.pluginmanager.register(ExecutedLines())
