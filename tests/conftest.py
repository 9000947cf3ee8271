"""What several test files need: the starter bundle, and the shared data."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

from index_builder.starter import starter_bundle
from quizwriter.app import resources
from quizwriter.engine import load

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def starter(tmp_path_factory):
    """The folder of the starter bundle, built once a run."""
    return starter_bundle(resources() / "starter", tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="session")
def engine(starter):
    """The engine of the starter bundle."""
    return load(starter)


@pytest.fixture
def collecting_here():
    """Garbage is collected between events of this thread only, as in the running window."""
    from quizwriter.gui.worker import sweeping_here

    with sweeping_here():
        yield


@pytest.fixture
def open_window(qtbot, qapp, tmp_path, collecting_here):
    """Opens windows on fake applications; all are closed when the test ends."""
    from quizwriter.gui.main import make_window
    from tests.fakes import FakeApp

    opened = []

    def open_one(app=None, *, tossup=None, players=None, start=True, keep=True):
        from quizwriter.workflow.writing import WritingSession

        app = app or FakeApp(tmp_path, players)
        session = None if tossup is None else WritingSession("t0", tossup, cursor=len(tossup.text))
        window = make_window(app, qapp, session=session, keep=keep)
        opened.append(window)
        window.show()
        qtbot.waitExposed(window)
        if start:
            with qtbot.waitSignal(window.machine.indexed):
                window.start()
        window.draft.setFocus()
        return window

    yield open_one
    for window in opened:
        window.close()  # twice, should the disk of the test be full
        window.close()
        window.deleteLater()
