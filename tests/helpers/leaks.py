"""A pytest plugin: a test fails that leaves a thread, a child process or a Qt timer running, or a window.

What a fixture of a module or of the session starts may run until that fixture ends, and so may the timers
that it made and those of a window that it made. A failure names the place in the code that started what was
left. Windows that stay slow down all later tests of the process: Qt gives every widget its style anew
whenever a theme is made.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QProcess, QThread, QTimer
from PySide6.QtWidgets import QApplication

from tests.helpers.patience import PATIENCE_S

GRACE_S = PATIENCE_S
"""How long something that is ending may take to end; nobody waits where nothing is left."""

DEPTH = 8  # frames of the place that started something
RUNNERS = {"_pytest", "pluggy", "pytestqt", "xdist"}  # whose frames say nothing


@dataclass
class Started:
    """Something that runs beside the test: what it is, the frames that started it, and whose it is."""

    reference: weakref.ref
    frames: tuple[tuple[str, int, str], ...]
    owner: object = None  # the fixture that started it, if that outlives the test
    blamed: bool = False

    def __str__(self):
        places = "".join(f"\n    {file}:{line} in {name}" for file, line, name in self.frames)
        return f"  {_described(self.reference())}, started at{places}"


class Leaks:
    """Notes whatever is started, and says what is left of it after a test."""

    def __init__(self):
        self._started: list[Started] = []
        self._fixtures = []  # those being set up that outlive a test, the innermost last
        self._lasting = set()  # those that are set up
        self._children = set()
        self._windows = {}

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self):
        """Have every start noted."""
        self._wrap(threading.Thread, "start")
        self._wrap(QThread, "start")
        self._wrap(QProcess, "start")
        self._wrap(subprocess.Popen, "__init__")
        self._wrap_timers()

    def _wrap(self, kind, name):
        start = getattr(kind, name)

        @wraps(start)
        def noted(thing, *given, **named):
            self._note(thing)
            return start(thing, *given, **named)

        setattr(kind, name, noted)

    def _wrap_timers(self):
        make, start = QTimer.__init__, QTimer.start

        def made(timer, *given, **named):
            make(timer, *given, **named)
            timer.made_by = self._fixtures[-1] if self._fixtures else None

        def noted(timer, *given):
            self._note(timer)
            # Qt drops what a signal carries and ``start`` cannot take; a Python function has to do so itself
            return start(timer, *(one for one in given[:1] if isinstance(one, int)))

        QTimer.__init__, QTimer.start = made, noted

    def _note(self, thing):
        frame, frames = sys._getframe(2), []
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] not in RUNNERS:
            if len(frames) < DEPTH:
                frames.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname))
            frame = frame.f_back
        owner = self._fixtures[-1] if self._fixtures else None
        self._started.append(Started(weakref.ref(thing), tuple(frames), owner))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """What a fixture starts that outlives the test belongs to that fixture."""
        if fixturedef.scope == "function":
            return (yield)
        self._fixtures.append(fixturedef)
        self._lasting.add(fixturedef)
        try:
            return (yield)
        finally:
            self._fixtures.pop()
            self._windows = _windows()

    def pytest_fixture_post_finalizer(self, fixturedef):
        """From here on nothing may run that the fixture started."""
        self._lasting.discard(fixturedef)
        for one in self._started:
            if one.owner is fixturedef:
                one.owner = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        """Note which child processes and windows are there before the test."""
        self._children, self._windows = _children(), _windows()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        """Fail the test if anything is left; after a test that failed itself, let it be."""
        result = yield
        delete_what_waits()
        self._started = [one for one in self._started if _runs(one.reference())]
        left = [one for one in self._started if one.owner is None and not one.blamed]
        left = [one for one in left if not self._stays(one.reference())]
        until = time.monotonic() + GRACE_S
        left = [one for one in left if not _ends(one.reference(), until)]
        for one in left:
            one.blamed = True
        if not item.stash.get(FAILED, False):
            windows = _windows()
            said = [str(one) for one in left] + self._strangers(until)
            said += [f"  window {windows[one]}" for one in windows.keys() - self._windows.keys()]
            if said:
                pytest.fail("The test left behind:\n" + "\n".join(said), pytrace=False)
        return result

    def _stays(self, thing):
        """Whether it is a timer of a fixture or of a window that was there before the test."""
        if not isinstance(thing, QTimer) or not shiboken6.isValid(thing):
            return False
        if getattr(thing, "made_by", None) in self._lasting:
            return True
        while (parent := thing.parent()) is not None:
            thing = parent
        return thing.isWidgetType() and shiboken6.getCppPointer(thing)[0] in self._windows

    def _strangers(self, until):
        """Child processes that nothing noted started: libraries and Qt start some by themselves."""
        known = {_process_id(one.reference()) for one in self._started}
        while True:
            left = _children() - self._children - known
            if not left or time.monotonic() > until:
                return [f"  process {number}: {_command(number)}" for number in sorted(left)]
            time.sleep(0.01)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item):
        """Note whether the test failed or was skipped: then it may leave things half done."""
        report = yield
        if report.when != "teardown" and not report.passed:
            item.stash[FAILED] = True
        return report


FAILED = pytest.StashKey[bool]()
"""Whether a test failed or was skipped before its end."""


def delete_what_waits():
    """Delete the Qt objects whose deletion waits for an event loop: a test has none of its own."""
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()


def _runs(thing):
    if thing is None:
        return False
    if isinstance(thing, threading.Thread):
        return thing.is_alive()
    if isinstance(thing, subprocess.Popen):
        return getattr(thing, "pid", None) is not None and thing.poll() is None
    if not shiboken6.isValid(thing):
        return False
    if isinstance(thing, QThread):
        return thing.isRunning()
    if isinstance(thing, QProcess):
        return thing.state() is not QProcess.ProcessState.NotRunning
    return thing.isActive()


def _ends(thing, until):
    """Whether it ends by itself in time; a timer is given none, for its object should have been deleted."""
    left = max(0.0, until - time.monotonic())
    if isinstance(thing, threading.Thread):
        thing.join(left)
    elif isinstance(thing, subprocess.Popen):
        try:
            thing.wait(left)
        except subprocess.TimeoutExpired:
            return False
    elif isinstance(thing, QThread) and shiboken6.isValid(thing):
        thing.wait(int(left * 1000))
    elif isinstance(thing, QProcess) and shiboken6.isValid(thing):
        thing.waitForFinished(int(left * 1000))
    return not _runs(thing)


def _described(thing):
    if isinstance(thing, subprocess.Popen):
        return f"process {thing.pid}: {_short(thing.args)}"
    if isinstance(thing, QProcess):
        return f"process {thing.processId()}: {_short([thing.program(), *thing.arguments()])}"
    if isinstance(thing, threading.Thread):
        return f"thread {thing.name!r}"
    what = "Qt thread" if isinstance(thing, QThread) else f"timer of {thing.interval()} ms"
    return f"{what} {thing.objectName()!r} of {thing.parent()}"


def _short(command):
    return (command if isinstance(command, str) else " ".join(map(str, command)))[:200]


def _process_id(thing):
    if isinstance(thing, subprocess.Popen):
        return thing.pid
    if isinstance(thing, QProcess) and shiboken6.isValid(thing):
        return thing.processId()
    return None


def _children():
    """The numbers of this process's children, where the system lists them in files."""
    if sys.platform != "linux":
        return set()
    found = set()
    for thread in os.listdir("/proc/self/task"):  # twice a test: a glob of paths takes three times as long
        with suppress(OSError), open(f"/proc/self/task/{thread}/children", "rb") as file:  # it may have ended
            found.update(map(int, file.read().split()))
    return found


def _windows():
    """The windows there are, shown or not, by their places in memory; one of another goes with that."""
    if not isinstance(QCoreApplication.instance(), QApplication):
        return {}
    tops = QApplication.topLevelWidgets()
    return {shiboken6.getCppPointer(one)[0]: repr(one) for one in tops if one.parent() is None}


def _command(number):
    try:
        return _short(Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode())
    except OSError:
        return "it ended meanwhile"
