"""The windows beside the main one: they open again where they were left."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication

from quizwriter.gui.application import make_window
from quizwriter.gui.widgets.saved_layout import WindowPlace, read_layout
from quizwriter.services.wiring import App


@pytest.fixture
def opened(qtbot, tmp_path):
    """Opens the main window of one data folder; the one before is closed."""
    windows = []

    def close():
        for window in windows:
            window.close()
            window.deleteLater()
        windows.clear()
        qtbot.wait(1)

    def opened():
        close()
        window = make_window(App(tmp_path), QApplication.instance(), scheme="light")
        windows.append(window)
        window.show()
        qtbot.waitExposed(window)
        return window

    yield opened
    close()


def test_history_search_and_log_open_again_as_they_were(qtbot, opened, tmp_path):
    first = opened()
    qtbot.keyClicks(first.draft, "The humming chorus")
    first.save()
    assert first.saver.flush(5_000)
    key = first.session.tossup_id
    first.windows.show_history(key)
    history = first.windows.histories.windows[key]
    qtbot.waitUntil(lambda: history.history is not None)
    for word in (" of", " this", " opera"):
        qtbot.keyClicks(first.draft, word)
        first.save()
    assert first.saver.flush(5_000)
    history.reload()
    qtbot.waitUntil(lambda: len(history.history) > 3)
    history.tab.choose("log")
    history.go(2)
    history.setGeometry(30, 40, 800, 600)
    first.windows.open_search("humming")
    first.windows.search.setGeometry(50, 60, 700, 500)
    first.windows.open_log()
    first.close()
    places = read_layout(tmp_path).place.windows
    assert sorted(place.kind for place in places) == ["history", "log", "search"]

    windows = opened().windows
    windows.reopen(places)
    again = windows.histories.windows[key]
    qtbot.waitUntil(lambda: again.history is not None)
    assert (again.index, again.tab.value) == (2, "log")
    assert again.geometry() == QRect(30, 40, 800, 600)
    assert windows.search.words.text() == "humming"
    assert windows.search.geometry() == QRect(50, 60, 700, 500)
    assert windows.log.isVisible()


def test_the_windows_of_a_tossup_that_is_gone_do_not_open_again(opened):
    windows = opened().windows
    gone = WindowPlace("history", tossups=("thrown away",))
    windows.reopen([gone, WindowPlace("tagging"), WindowPlace("unknown"), "log"])

    assert not windows.histories.windows
    assert windows.tagging is None, "nobody has a name yet"
    assert windows.log.isVisible()
