"""How long tests wait: as long as the busiest machine needs, as a limit costs nothing where it passes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partialmethod

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

PATIENCE_S = 60.0
PATIENCE_MS = int(1_000 * PATIENCE_S)


class PatientBot(QtBot):
    """Waits so long in each of its ways, where pytest-qt waits for five seconds."""

    def waitUntil(self, true: Callable[[], bool], timeout: int = PATIENCE_MS) -> None:
        """Wait until that is true. It looks after 1 ms, 2 and so on up to 10, as often as pytest-qt does."""
        end, pause = time.monotonic() + timeout / 1_000, 0
        while not true():
            assert time.monotonic() < end, "it did not become true"
            pause = min(10, pause + 1)
            self.wait(pause)

    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE_MS)


def release_modifiers() -> None:
    """Release Shift, Control and Alt: after a click of a key with one, Qt takes it for held until the next.

    Rows that a test selects would be added to a selection, or none would be.
    """
    if QGuiApplication.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyRelease(QWidget(), Qt.Key.Key_Shift)


@contextmanager
def hurried(*pauses: str) -> Iterator[None]:
    """Within the block, each of these pauses of the program, named by module and constant, takes 10 ms."""
    with pytest.MonkeyPatch.context() as patch:
        for pause in pauses:
            patch.setattr(f"quizwriter.gui.{pause}", 10)
        yield


def until(true: Callable[[], object], what: object = "it", *, seconds: float = PATIENCE_S) -> None:
    """Wait for something that no event tells of."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.005)
