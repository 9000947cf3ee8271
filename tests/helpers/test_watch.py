"""The watch over tests: what fails a test, and that the failure names the place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.helpers import leaks
from tests.helpers.leaks import Leaks
from tests.helpers.logs import Logs
leaks.GRACE_S = 0.2
def pytest_configure(config):
    for plugin in (Leaks(), Logs()):
        config.pluginmanager.register(plugin)
"""
TESTS = """
import logging, subprocess, sys, threading
import pytest
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QWidget

log = logging.getLogger("quizwriter.somewhere")
over = threading.Event()
kept = []

def start(thing):
    kept.append(thing)
    thing.start()

def sleeper():
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

@pytest.fixture(scope="module", autouse=True)
def at_the_end():
    lasting = sleeper()
    yield
    over.set()
    for one in kept:
        if isinstance(one, subprocess.Popen):
            one.kill()
            one.communicate()
        elif isinstance(one, QThread):
            one.quit()
            one.wait()
    lasting.kill()
    lasting.communicate()

@pytest.fixture(scope="module")
def lasting_timer(qapp):
    timer = QTimer(interval=60_000)
    yield timer
    timer.stop()

def test_fine_a_thread_that_ends(): start(threading.Thread(target=lambda: None))
def test_bad_a_thread(): start(threading.Thread(target=over.wait))
def test_bad_a_process(): kept.append(sleeper())
def test_bad_a_qt_thread(qapp): start(QThread())
def test_bad_a_timer(qapp): start(QTimer(interval=60_000))
def test_fine_a_timer_that_was_stopped(qapp):
    start(QTimer(interval=60_000))
    kept[-1].stop()
def test_bad_a_window(qapp): kept.append(QWidget())
def test_fine_a_window_that_is_deleted_and_one_that_is_older(qapp):
    kept.append(QWidget())
    kept[-1].deleteLater()
def test_fine_a_timer_of_a_window_that_is_older(qapp):
    start(QTimer(next(one for one in kept if isinstance(one, QWidget)), interval=60_000))
def test_fine_a_timer_that_a_fixture_made(lasting_timer): start(lasting_timer)
def test_bad_a_timer_beside_a_window_that_is_older(qapp): start(QTimer(interval=60_000))
def test_bad_a_record(): log.warning("lake %s", 1)
def test_fine_an_information(): log.info("lake")
@pytest.mark.logs("lake .")
def test_fine_a_record_that_was_announced(): log.error("lake %s", 1)
@pytest.mark.logs("lake")
def test_bad_a_record_that_never_came(): pass
@pytest.mark.logs("lake", always=False)
def test_fine_a_record_that_may_stay_away(): pass
"""
SAID = {
    "a_thread": r"thread 'Thread-\d+.*start\n.*in test_bad_a_thread",
    "a_process": r"process \d+: .* -c input\(\).*in sleeper\n.*in test_bad_a_process",
    "a_qt_thread": r"Qt thread.*in test_bad_a_qt_thread",
    "a_timer": r"timer of 60000 ms.*in test_bad_a_timer",
    "a_window": r"window <PySide6\.QtWidgets\.QWidget",
    "a_record": r"logged unexpectedly:\nWARNING quizwriter\.somewhere: lake 1",
    "a_record_that_never_came": r"never logged: \['lake'\]",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What pytest says of tests that leave all kinds of things behind."""
    folder = tmp_path_factory.mktemp("watched")
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nqt_api = pyside6\n")
    path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "."],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_exactly_what_leaves_something_behind_fails(run):
    failed = set(re.findall(r"^test_it\.py::(\w+) ERROR", run, re.MULTILINE))

    assert failed == set(re.findall(r"def (test_bad_\w+)", TESTS)), run
    assert f"{TESTS.count('def test_')} passed" in run


@pytest.mark.parametrize("what", SAID)
def test_the_failure_names_what_was_left_and_the_place(run, what):
    part = re.search(
        rf"ERROR at teardown of test_bad_{what} _+\n(.*?)(?:\n_{{5,}}|\n={{5,}})", run, re.DOTALL
    )

    assert part is not None, run
    assert re.search(SAID[what], part[1], re.DOTALL), part[1]
