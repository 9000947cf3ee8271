"""The windows beside the main one: they open again where they were left."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget

from quizwriter.gui.application import make_window
from quizwriter.gui.widgets.saved_layout import WindowPlace, read_layout
from quizwriter.gui.window_table import WINDOWS, WindowSpec
from quizwriter.services.wiring import App
from tests.helpers.patience import PATIENCE_MS


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
    assert first.saver.flush(PATIENCE_MS)
    key = first.session.tossup_id
    first.windows.open("history", key)
    history = first.windows._histories.windows[key]
    qtbot.waitUntil(lambda: history.history is not None)
    for word in (" of", " this", " opera"):
        qtbot.keyClicks(first.draft, word)
        first.save()
    assert first.saver.flush(PATIENCE_MS)
    history.reload()
    qtbot.waitUntil(lambda: len(history.history) > 3)
    history.tab.choose("log")
    history.go(2)
    history.setGeometry(30, 40, 800, 600)
    first.windows.open("search-everything", "humming")
    first.windows.find("search-everything").setGeometry(50, 60, 700, 500)
    first.windows.open("log")
    first.close()
    places = read_layout(tmp_path).place.windows
    assert sorted(place.kind for place in places) == ["history", "log", "search"]

    windows = opened().windows
    windows.reopen(places)
    again = windows._histories.windows[key]
    qtbot.waitUntil(lambda: again.history is not None)
    assert (again.index, again.tab.value) == (2, "log")
    assert again.geometry() == QRect(30, 40, 800, 600)
    search = windows.find("search-everything")
    assert search.words.text() == "humming"
    at = search.geometry()  # low until there is a result
    assert (at.x(), at.y(), at.width()) == (50, 60, 700)
    assert search.place.frame.height == 640
    assert windows.find("log").isVisible()


def test_the_windows_of_a_tossup_that_is_gone_do_not_open_again(opened):
    windows = opened().windows
    gone = WindowPlace("history", tossups=("thrown away",))
    windows.reopen([gone, WindowPlace("tagging"), WindowPlace("unknown"), "log"])

    assert windows._histories is None
    assert windows.find("tag") is None, "nobody has a name yet"
    assert windows.find("log").isVisible()


class Moon(QWidget):
    """A made-up window, of which one opens for each crater."""

    def __init__(self, crater):
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.crater, self.restored = crater, None

    @property
    def place(self):
        return WindowPlace("moon", texts={"crater": self.crater})

    def restore_place(self, place):
        self.restored = place

    def shutdown(self):
        self.close()


def test_a_window_is_declared_once_and_found_everywhere(opened, monkeypatch, qtbot, tmp_path):
    made_up = WindowSpec(
        "moon", "review", "&Moon…", "Ctrl+Alt+U", "Look at the moon.", f"{__name__}:Moon",
        lambda here, made, crater: made(crater), lambda desk: (desk.tossup_id,),
        place="moon", again=lambda place: (place.texts["crater"],),
    )  # fmt: skip
    monkeypatch.setitem(WINDOWS, "moon", made_up)
    first = opened()
    assert first.menus.actions["moon"].statusTip() == "Look at the moon."
    assert first.menus.actions["moon"] in first.menus._menus["review"].actions()
    assert first.menus.keys.keys_of("moon") == ("Ctrl+Alt+U",)
    first.menus.actions["moon"].trigger()
    moon = first.windows.find("moon")
    assert moon.crater == first.session.tossup_id
    assert moon.isVisible()
    first.windows.open("moon", moon.crater)
    assert first.windows.find("moon") is moon, "it comes to the front"
    first.windows.open("moon", "Tycho")
    assert not moon.isVisible()
    first.close()
    places = read_layout(tmp_path).place.windows

    again = opened().windows
    again.reopen(places)
    assert (again.find("moon").crater, again.find("moon").restored) == ("Tycho", places[0])


@pytest.fixture(scope="module")
def at_the_start():
    """The modules that a start imports, and the sources that it holds."""
    program = "import linecache, sys, quizwriter.gui.application; print(*sys.modules, '|', *linecache.cache)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split("|")


def test_no_window_is_imported_before_it_opens(at_the_start):
    found = {
        one.id: getattr(import_module(one.made.partition(":")[0]), one.made.partition(":")[2])
        for one in WINDOWS.values()
    }
    assert all(map(callable, found.values()))
    assert {one.made.partition(":")[0] for one in WINDOWS.values()}.isdisjoint(at_the_start[0].split())


def test_sources_of_modules_are_neither_read_nor_held_at_the_start(at_the_start):
    assert "quizwriter" not in at_the_start[1]
