"""The window with the log of all sets: searched, filtered, opened from, and closed by its keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut

from quizwriter.gui.queue.log_window import LogWindow
from quizwriter.gui.review.log_pane import NO_ENTRY_FITS


@pytest.fixture
def app(four):
    return four


@pytest.fixture
def window(qtbot, theme, app):
    window = LogWindow(app, theme)
    with qtbot.waitSignal(window.pane.painted):
        window.present()
    yield window
    window.shutdown()


def press(window, key):
    (found,) = [one for one in window.findChildren(QShortcut) if one.key().toString() == key]
    found.activated.emit()


def test_it_lists_everything_and_says_how_much(window, app):
    assert len(window.pane.model.entries) == len(app.set_log.entries())
    assert window.pane.count.text() == f"{len(app.set_log.entries())} entries"
    assert window.pane.search.hasFocus() or window.focusWidget() is window.pane.search


def test_it_shows_the_log_of_one_set(qtbot, window):
    with qtbot.waitSignal(window.pane.painted):
        window.present("Winter")

    entries = window.pane.model.entries
    assert entries
    assert {one.set_name for entry in entries for one in entry.tossups} == {"Winter"}


def test_escape_clears_the_search_first_and_closes_then(qtbot, window):
    window.activateWindow()
    qtbot.waitUntil(window.pane.search.hasFocus)
    window.pane.search.setText("no such words")
    press(window, "Esc")
    assert window.pane.search.text() == ""
    assert window.isVisible()

    press(window, "Esc")
    assert not window.isVisible()


def test_it_is_read_anew_only_while_somebody_sees_it(qtbot, window, app):
    before = len(window.pane.model.entries)
    app.review.record(["a"], app.review.events("b")[-1].body)
    with qtbot.waitSignal(window.pane.painted):
        window.refresh()
    assert len(window.pane.model.entries) == before + 1

    window.close()
    app.review.take_back(app.review.events("a")[-1:])
    window.refresh()
    with qtbot.waitSignal(window.pane.painted):
        press_read(window)
    assert len(window.pane.model.entries) == before + 2


def press_read(window):
    """What F5 does."""
    press(window, "F5")


def test_a_tossup_opens_on_the_row_that_speaks_of_it_alone(qtbot, window):
    rows = [at for at, entry in enumerate(window.pane.model.entries) if len(entry.tossups) == 1]
    index = window.pane.model.index(rows[0], 0)
    with qtbot.waitSignal(window.opened) as opened:
        window.pane.table.activated.emit(index)

    assert opened.args == [window.pane.model.entries[rows[0]].tossups[0].tossup_id]


def test_a_search_that_finds_nothing_says_so_in_place_of_the_table(qtbot, window):
    qtbot.keyClicks(window.pane.search, "zeppelin")
    qtbot.waitUntil(lambda: not window.pane.model.entries)

    assert window.pane.nothing.text() == NO_ENTRY_FITS
    assert window.pane.nothing.isVisible()
    assert not window.pane.table.isVisible()
    assert window.pane.model.rowCount() == 0
    assert window.pane.model.headerData(1, Qt.Orientation.Horizontal) == "Who"
