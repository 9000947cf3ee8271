"""The history of a tossup that is open in the main window: ways back, and what is written meanwhile."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QPushButton

from quizwriter.gui.history import history_window


def test_a_restored_version_is_an_edit_that_can_be_undone(qtbot, open_window):
    window = open_window()
    qtbot.keyClicks(window.draft, "A port", delay=20)
    qtbot.waitUntil(lambda: window.saver.idle and not window.session.has_unsaved)
    key = window.session.tossup_id
    window.menus.actions["history"].trigger()
    history = window.windows._histories.windows[key]
    qtbot.waitUntil(lambda: history.history is not None)
    history.go(0)
    wanted = history.history.text(0)
    history.restore()

    assert window.draft.text == wanted != "A port"
    assert window.messages.text("version") == "The old version is in the draft."
    qtbot.waitUntil(lambda: window.saver.idle and not window.session.has_unsaved)
    assert window._app.store.texts[key].text == wanted
    window.sessions.open_new()
    qtbot.keyClicks(window.draft, "A lake")
    other = window.session
    window.messages.findChild(QPushButton).click()
    assert window.session.tossup_id == key
    assert window.draft.text == "A port"
    assert other.tossup.text == "A lake"


def test_a_branch_opens_as_a_tossup_of_its_own(qtbot, open_window):
    window = open_window()
    qtbot.keyClicks(window.draft, "A lake", delay=5)
    qtbot.waitUntil(lambda: window.saver.idle and not window.session.has_unsaved)
    before = window.session.tossup_id
    window.windows.open("history", before)
    history = window.windows._histories.windows[before]
    qtbot.waitUntil(lambda: history.history is not None)
    history.go(0)
    history.branch()
    qtbot.waitUntil(lambda: window.session.tossup_id != before)

    assert window.draft.text == history.history.text(0)
    assert window._app.store.texts[before].text == "A lake"


def test_the_history_follows_what_is_written_meanwhile(qtbot, open_window, monkeypatch):
    monkeypatch.setattr(history_window, "RELOAD_MS", 20)
    window = open_window()
    qtbot.keyClicks(window.draft, "A lake")
    qtbot.waitUntil(lambda: window.saver.idle and not window.session.has_unsaved)
    window.windows.open("history", window.session.tossup_id)
    history = window.windows._histories.windows[window.session.tossup_id]
    qtbot.waitUntil(lambda: history.history is not None)
    qtbot.keyClicks(window.draft, " in Japan")
    qtbot.waitUntil(lambda: history.history.text(len(history.history) - 1) == "A lake in Japan")

    assert history.index == len(history.history) - 1


def test_the_list_offers_the_history_of_what_is_under_the_mouse(qtbot, open_window, monkeypatch):
    window = open_window()
    window.sessions.open_examples()
    wanted = []
    monkeypatch.setattr(window.windows, "open", lambda *what: wanted.append(what))
    menus = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, where: menus.append(menu))
    place = window.tossups.view.visualRect(window.tossups._model.index(1)).center()
    window.tossups.view.customContextMenuRequested.emit(place)
    next(action for action in menus[0].actions() if action.text() == "History…").trigger()

    assert wanted == [("history", window.tossups._model.entries[1].tossup_id)]
