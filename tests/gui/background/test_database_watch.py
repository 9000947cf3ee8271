"""The watch over the database: what other programs write is noticed, and nothing after its end."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication, QObject

from quizwriter.gui.background.database_watch import DatabaseWatch


class Versions:
    """The version of a database that another program changes before each question but the first."""

    def __init__(self):
        self.asked = 0
        self.gate = threading.Event()
        self.waits = False

    def __call__(self):
        self.asked += 1
        if self.waits:
            self.gate.wait(30)
        return self.asked


@pytest.fixture
def versions():
    return Versions()


@pytest.fixture
def watch(qtbot, versions):
    owner = QObject()
    watch = DatabaseWatch(versions, owner)
    yield watch
    versions.gate.set()
    watch.stop()
    owner.deleteLater()


def ask(qtbot, watch, versions):
    """Ask, as soon as the last answer has come."""
    asked = versions.asked
    qtbot.waitUntil(lambda: watch.ask() or versions.asked > asked, timeout=30_000)


def test_what_another_program_writes_is_noticed(qtbot, watch, versions):
    ask(qtbot, watch, versions)
    with qtbot.waitSignal(watch.changed, timeout=30_000):
        ask(qtbot, watch, versions)


def test_an_answer_on_its_way_is_dropped_when_the_watch_ends(qtbot, watch, versions):
    noticed = []
    watch.changed.connect(lambda: noticed.append(versions.asked))
    ask(qtbot, watch, versions)
    versions.waits = True
    ask(qtbot, watch, versions)

    versions.gate.set()
    watch.stop()
    QCoreApplication.processEvents()
    assert versions.asked == 2
    assert noticed == []
