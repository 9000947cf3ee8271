"""The menus: every action has its own name, a key or a letter, and a sentence; nothing needs the mouse."""

import re
from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from quizwriter.domain.guessing import Player
from quizwriter.gui import actions as table
from quizwriter.gui.actions import ACTIONS, Action
from quizwriter.gui.menus import with_letters
from quizwriter.gui.widgets.key_bindings import action_name
from quizwriter.gui.widgets.old_key_names import OLD_IDS
from quizwriter.services.wiring import App
from quizwriter.settings import Settings
from tests.helpers.fakes import FakeApp, Lead, Overlap
from tests.helpers.windows import app_of, put_back


@pytest.fixture(scope="module")
def opened(open_shared):
    players = tuple(Player(Overlap(name), Lead(), "fake") for name in ("ir", "dan", "rnn"))
    return open_shared(players=players)


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot)
    qtbot.waitUntil(lambda: "player:rnn" in window.menus.keys.ids)
    yield window
    window.menus.keys.reset_all()


def menus_of(bar):
    """Every menu of the bar, with its actions that are more than a line."""
    waiting = [action.menu() for action in bar.actions()]
    while waiting:
        menu = waiting.pop()
        menu.aboutToShow.emit()
        waiting += [action.menu() for action in menu.actions() if action.menu() is not None]
        yield menu, [action for action in menu.actions() if not action.isSeparator()]


def letter(text):
    """The letter by which an item of an open menu is chosen; empty without one."""
    found = re.search(r"(?<!&)(?:&&)*&([^&])", text)
    return found[1].casefold() if found else ""


def test_every_action_has_a_name_of_its_own_and_a_sentence(window):
    said = {}
    for _, actions in menus_of(window.menuBar()):
        for action in actions:
            if action.menu() is None and action.isEnabled():
                name = action_name(action.text())
                assert name not in said, f"two actions are called {name}"
                said[name] = action.statusTip()

    assert len(said) > 60
    assert [name for name, tip in said.items() if not re.fullmatch(r"[A-Z].*\.", tip)] == []


def test_every_action_stands_in_a_menu_with_its_key(window):
    shown = {action for _, actions in menus_of(window.menuBar()) for action in actions}

    assert [one for one in window.menus.keys.ids if window.menus.keys.action(one) not in shown] == []
    for action in shown:
        if action.menu() is None and action.isEnabled():
            assert window.menus.keys.action(action.objectName()) is action


def test_an_item_has_a_letter_that_no_other_of_its_menu_has(window):
    assert all(letter(action.text()) for action in window.menuBar().actions())
    for menu, actions in menus_of(window.menuBar()):
        said = Counter(letter(one.text()) for one in actions)
        del said[""]
        assert [one for one, times in said.items() if times > 1] == [], menu.title()
        for action in actions:
            if action.shortcut().isEmpty() and action.isEnabled() and action.isVisible():
                assert letter(action.text()), f"{menu.title()} > {action.text()}"


def test_letters_that_are_given_come_first_and_each_other_title_has_the_first_that_is_free():
    assert with_letters(("Cut", "&Copy", "Tidy…", "&Coat", "C")) == [
        "C&ut", "&Copy", "&Tidy…", "C&oat", "C",
    ]  # fmt: skip


def test_no_key_belongs_to_two_actions(window):
    keys = window.menus.keys
    owners = Counter(key for one in keys.ids for key in keys.keys_of(one))

    assert [key for key, times in owners.items() if times > 1] == []
    assert {"Ctrl+N", "F1", "Shift+F1"} <= set(owners)


def test_the_status_line_says_what_an_action_does_while_its_menu_is_open(window, qtbot):
    action = window.menus.keys.action("new")
    action.hover()  # as an open menu does
    assert window.status.accessible_sentence == action.statusTip()
    window.menuBar().actions()[0].menu().aboutToHide.emit()

    assert window.status.accessible_sentence == window.status.sentence


def test_another_key_does_what_the_menu_says_and_is_kept(window, qtbot):
    keys = window.menus.keys
    assert keys.assign("writing-only", ["Ctrl+Alt+D"]) == ()
    qtbot.keyClick(window.draft, Qt.Key.Key_F11)
    assert not window.tossups.isHidden()
    qtbot.keyClick(
        window.draft, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )

    assert window.tossups.isHidden()
    assert keys.action("writing-only").shortcut() == QKeySequence("Ctrl+Alt+D")
    assert app_of(window).profile.settings.keys == {"writing-only": ("Ctrl+Alt+D",)}


def test_keys_of_an_older_program_are_carried_over_once(tmp_path, open_window):
    (tmp_path / "settings.toml").write_text(
        '[keys]\n"New tossup" = ["F12"]\n"Player: DAN" = ["Ctrl+Alt+9"]\n"Bin" = []\n', encoding="utf-8"
    )
    window = open_window(App(tmp_path), start=False)
    keys = window.menus.keys

    assert keys.action("new").shortcut() == QKeySequence("F12")
    kept = {"new": ("F12",), "player:dan": ("Ctrl+Alt+9",), "bin": ()}
    assert app_of(window).profile.settings.keys == kept
    assert Settings.read(tmp_path / "settings.toml") == (app_of(window).profile.settings, None)


def test_every_key_of_an_older_program_finds_its_action(window):
    known = {*window.menus.keys.ids}

    assert [title for title, one in OLD_IDS.items() if one not in known] == []


def test_an_action_is_declared_once_and_found_everywhere(tmp_path, open_window, qtbot, monkeypatch):
    done = []
    made_up = Action(
        "fly", "go", "&Fly to the moon…", "Ctrl+Alt+U", "Leave this desk.", lambda window: done.append(window)
    )
    monkeypatch.setattr(table, "ACTIONS", (*ACTIONS, made_up))
    window = open_window(FakeApp(tmp_path))
    shown = {menu.title(): [one.text() for one in found] for menu, found in menus_of(window.menuBar())}
    assert shown["&Go"][-1] == "&Fly to the moon…"

    window.menus.actions["keys"].trigger()
    qtbot.keyClicks(window.menus.search.search, "moon")
    assert window.menus.search.names() == ("Fly to the moon",)
    qtbot.keyClick(window.menus.search.search, Qt.Key.Key_Return)
    qtbot.keyClick(
        window.draft, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    assert done == [window, window]

    window.menus.actions["fly"].hover()
    assert window.status.accessible_sentence == "Leave this desk."
    window.open_preferences("Keys")
    assert ("Fly to the moon", "Ctrl+Alt+U") in window.preferences.page.rows


def test_a_players_key_survives_another_engine(window):
    keys = window.menus.keys
    keys.assign("player:dan", ["Ctrl+Alt+9"])
    window.menus.renew()

    assert keys.action("player:dan").shortcut() == QKeySequence("Ctrl+Alt+9")
