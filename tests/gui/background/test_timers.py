"""The timer that goes off once: how long it waits after each kind of start."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QSpinBox

from quizwriter.gui.background.timers import SingleShot

PAUSE_MS = 600_000  # no test lasts so long


def pause(waiting):
    return waiting.findChild(QTimer).interval() if waiting.isActive() else None


def test_another_pause_is_for_once(qtbot):
    box, done = QSpinBox(), []
    qtbot.addWidget(box)
    waiting = SingleShot(box, PAUSE_MS, lambda: done.append(True))
    assert pause(waiting) is None
    waiting.start_in(0)
    qtbot.waitUntil(lambda: bool(done))
    assert pause(waiting) is None
    waiting.start()
    assert pause(waiting) == PAUSE_MS
    waiting.stop()
    assert (pause(waiting), done) == (None, [True])


def test_a_signal_with_a_number_starts_the_whole_pause(qtbot):
    box = QSpinBox()
    qtbot.addWidget(box)
    waiting = SingleShot(box, PAUSE_MS, lambda: None)
    box.valueChanged.connect(waiting.start)
    box.textChanged.connect(waiting.start)
    box.setValue(7)
    assert pause(waiting) == PAUSE_MS
    waiting.stop()
