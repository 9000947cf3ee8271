"""The list of tossups: what is marked in it is the tossup that is open."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from quizwriter.gui.theme import Theme
from quizwriter.gui.writing.tossup_list import TossupList
from quizwriter.store.summaries import TossupSummary


@pytest.fixture
def tossups(qtbot):
    """A list of three, of which the first is open."""
    shown = TossupList(Theme(QApplication.instance(), scheme="light", draft_font="", draft_size_px=16))
    qtbot.addWidget(shown)
    shown.show_all([TossupSummary(key, f"Answer {key}", "It opens", 2, 1) for key in "abc"])
    shown.show_current("a")
    shown.resize(240, 480)
    with qtbot.waitExposed(shown):
        shown.show()
    return shown


def marked(tossups):
    return tossups.view.currentIndex().row(), [one.row() for one in tossups.view.selectedIndexes()]


def middle(tossups, row):
    return tossups.view.visualRect(tossups.view.model().index(row, 0)).center()


def test_a_right_click_asks_for_the_menu_and_leaves_the_open_tossup_marked(tossups, qtbot):
    asked, opened = [], []
    tossups.menu_wanted.connect(lambda key, _: asked.append(key))
    tossups.opened.connect(opened.append)

    qtbot.mouseClick(tossups.view.viewport(), Qt.MouseButton.RightButton, pos=middle(tossups, 2))
    tossups.view.customContextMenuRequested.emit(middle(tossups, 2))

    assert asked == ["c"]
    assert opened == []
    assert marked(tossups) == (0, [0])


def test_escape_after_the_arrow_keys_marks_the_open_tossup_again(tossups, qtbot):
    left = []
    tossups.left.connect(lambda: left.append(True))
    tossups.view.setFocus()
    qtbot.keyClick(tossups.view, Qt.Key.Key_Down)
    assert marked(tossups)[0] == 1

    qtbot.keyClick(tossups.view, Qt.Key.Key_Escape)

    assert marked(tossups) == (0, [0])
    assert left == [True]


def test_a_click_opens(tossups, qtbot):
    opened = []
    tossups.opened.connect(opened.append)

    qtbot.mouseClick(tossups.view.viewport(), Qt.MouseButton.LeftButton, pos=middle(tossups, 1))

    assert opened == ["b"]
