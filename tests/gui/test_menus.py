"""The menus: every action has its own name, a key or a letter, and a sentence; nothing needs the mouse."""

import re
from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from quizwriter.domain.guessing import Player
from quizwriter.gui.widgets.key_bindings import action_name
from tests.helpers.fakes import FakeApp, Lead, Overlap
from tests.helpers.windows import app_of


@pytest.fixture
def window(tmp_path, open_window, qtbot):
    players = tuple(Player(Overlap(name), Lead(), "fake") for name in ("ir", "dan", "rnn"))
    window = open_window(FakeApp(tmp_path, players))
    qtbot.waitUntil(lambda: "Player: RNN" in window.menus.keys.names)
    return window


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

    assert [name for name in window.menus.keys.names if window.menus.keys.action(name) not in shown] == []
    for action in shown:
        if action.menu() is None and action.isEnabled():
            assert window.menus.keys.action(action_name(action.text())) is action


def test_an_action_without_a_key_has_a_letter_in_its_menu(window):
    assert all(letter(action.text()) for action in window.menuBar().actions())
    for menu, actions in menus_of(window.menuBar()):
        for action in actions:
            if action.shortcut().isEmpty() and action.isEnabled() and action.isVisible():
                assert letter(action.text()), f"{menu.title()} > {action.text()}"


def test_no_key_belongs_to_two_actions(window):
    keys = window.menus.keys
    owners = Counter(key for name in keys.names for key in keys.keys_of(name))

    assert [key for key, times in owners.items() if times > 1] == []
    assert {"Ctrl+N", "F1", "Shift+F1"} <= set(owners)


def test_the_status_line_says_what_an_action_does_while_its_menu_is_open(window, qtbot):
    action = window.menus.keys.action("New tossup")
    action.hover()  # as an open menu does
    assert window.status.accessible_sentence == action.statusTip()
    window.menuBar().actions()[0].menu().aboutToHide.emit()

    assert window.status.accessible_sentence == window.status.sentence


def test_another_key_does_what_the_menu_says_and_is_kept(window, qtbot):
    keys = window.menus.keys
    assert keys.assign("Draft and time line only", ["Ctrl+Alt+D"]) == ()
    qtbot.keyClick(window.draft, Qt.Key.Key_F11)
    assert not window.tossups.isHidden()
    qtbot.keyClick(
        window.draft, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )

    assert window.tossups.isHidden()
    assert keys.action("Draft and time line only").shortcut() == QKeySequence("Ctrl+Alt+D")
    assert app_of(window).profile.settings.keys == {"Draft and time line only": ("Ctrl+Alt+D",)}


def test_a_players_key_survives_another_engine(window):
    keys = window.menus.keys
    keys.assign("Player: DAN", ["Ctrl+Alt+9"])
    window.menus.update_player_actions()

    assert keys.action("Player: DAN").shortcut() == QKeySequence("Ctrl+Alt+9")
