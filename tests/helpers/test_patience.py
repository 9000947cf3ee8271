"""What waits and cleans up for tests."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.helpers.patience import release_modifiers


@pytest.mark.parametrize("held", [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier])
def test_a_key_that_a_test_held_is_held_by_nobody_in_the_next_test(qapp, held):
    QTest.keyClick(QWidget(), Qt.Key.Key_A, held)
    assert qapp.keyboardModifiers() == held, "Qt releases it by itself now: no test needs this"
    release_modifiers()
    assert qapp.keyboardModifiers() == Qt.KeyboardModifier.NoModifier
