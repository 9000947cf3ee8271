"""The keys of actions: the writer's choice, conflicts, and files."""

import json

import pytest
from PySide6.QtGui import QAction

from quizwriter.errors import QuizwriterError
from quizwriter.gui.widgets.key_bindings import MOST_BYTES, KeyBindings, action_name, key_refusal


@pytest.fixture
def saved():
    return []


@pytest.fixture
def bindings(qapp, saved):
    def make(chosen=()):
        made = KeyBindings(dict(chosen), saved.append, qapp)
        for text, keys in (("&New", ["Ctrl+N"]), ("&Open…", ["Ctrl+O", "F4"]), ("Salt && pepper", [])):
            made.add(QAction(text, made), keys)
        return made

    return make


def test_a_name_has_no_marks_of_its_menu():
    assert [action_name(text) for text in ("&Open…", "Salt && &pepper")] == ["Open", "Salt & pepper"]


def test_at_first_each_has_the_keys_of_the_program(bindings):
    keys = bindings()

    assert [keys.keys_of(name) for name in keys.names] == [("Ctrl+N",), ("Ctrl+O", "F4"), ()]
    assert all(map(keys.is_default, keys.names))


def test_who_gets_a_key_takes_it_away_and_that_is_told(bindings, saved):
    keys = bindings()
    assert keys.owner("ctrl+o") == "Open"

    assert keys.assign("New", ["Ctrl+O"]) == ("Open",)
    assert keys.keys_of("New") == ("Ctrl+O",)
    assert keys.keys_of("Open") == ("F4",)
    assert [one.toString() for one in keys.action("Open").shortcuts()] == ["F4"]
    assert saved[-1] == {"New": ("Ctrl+O",)}  # what Open lost follows from that


def test_after_a_reset_the_other_has_its_key_back(bindings, saved):
    keys = bindings()
    keys.assign("New", ["Ctrl+O"])
    assert keys.reset("New") == ()
    assert keys.keys_of("Open") == ("Ctrl+O", "F4")

    keys.assign("Salt & pepper", ["Ctrl+N"])
    keys.reset_all()
    assert all(map(keys.is_default, keys.names))
    assert saved[-1] == {}


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("a", "types text"),
        ("Shift+A", "types text"),
        ("Tab", "moves the keyboard"),
        ("Return", "moves the keyboard"),
        ("Shift+F10", "Every window needs"),
        ("Ctrl+Nonsense", "is not a key"),
        ("Ctrl+K, Ctrl+C", "is not a key"),
        ("", "is not a key"),
    ],
)
def test_a_key_that_would_be_missed_elsewhere_is_refused(bindings, key, reason):
    keys = bindings()
    assert reason in key_refusal(key)
    with pytest.raises(QuizwriterError, match="Choose another key"):
        keys.assign("New", [key])

    assert keys.keys_of("New") == ("Ctrl+N",)


@pytest.mark.parametrize("key", ["F5", "Ctrl+Shift+K", "Alt+Left", "Ctrl++", "Ctrl+Return", "Meta+7"])
def test_other_keys_are_possible(key):
    assert key_refusal(key) == ""


def test_settings_with_wrong_keys_lose_only_these(bindings):
    keys = bindings({"New": ("a", "Ctrl+M"), "Gone": ("Ctrl+O",)})

    assert keys.keys_of("New") == ("Ctrl+M",)
    assert keys.keys_of("Open") == ("Ctrl+O", "F4")  # an action that is not there holds no key


def test_a_file_carries_all_keys_to_another_computer(bindings, tmp_path, saved):
    keys = bindings()
    keys.assign("New", ["Ctrl+O"])
    keys.assign("Salt & pepper", ["F9", "Ctrl+Alt+P"])
    keys.export(tmp_path / "keys.json")
    other = bindings()

    assert other.import_file(tmp_path / "keys.json") == ()
    assert {name: other.keys_of(name) for name in other.names} == {
        "New": ("Ctrl+O",),
        "Open": ("F4",),
        "Salt & pepper": ("F9", "Ctrl+Alt+P"),
    }


def write(path, keys, **more):
    path.write_text(json.dumps({"format": "quizwriter keys", "version": 1, "keys": keys, **more}))
    return path


def test_an_action_that_the_file_does_not_know_keeps_its_keys_but_those_given_away(bindings, tmp_path):
    keys = bindings()
    unknown = keys.import_file(write(tmp_path / "keys.json", {"New": ["F4"], "Fly": ["Ctrl+F"]}))

    assert unknown == ("Fly",)
    assert keys.keys_of("New") == ("F4",)
    assert keys.keys_of("Open") == ("Ctrl+O",)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"format": "quizwriter keys", "version": 2, "keys": {}}',
        b'{"format": "other", "version": 1, "keys": {}}',
        b'{"format": "quizwriter keys", "version": 1, "keys": {"New": "Ctrl+N"}}',
        b'{"format": "quizwriter keys", "version": 1, "keys": {"New": ["a"]}}',
        b'{"format": "quizwriter keys", "version": 1, "keys": {"New": ["F1", "F2", "F3", "F4", "F5"]}}',
        b'{"format": "quizwriter keys", "version": 1, "keys": {"New": ["F7"], "Open": ["F7"]}}',
        b'{"format": "quizwriter keys", "version": 1, "keys": {}, "more": 1}',
        b"[" * 100_000,
        b" " * (MOST_BYTES + 1),
        json.dumps(
            {"format": "quizwriter keys", "version": 1, "keys": {f"a{i}": [] for i in range(1001)}}
        ).encode(),
    ],
)
def test_a_hostile_file_changes_nothing(bindings, tmp_path, saved, content):
    keys = bindings()
    (tmp_path / "keys.json").write_bytes(content)
    with pytest.raises(QuizwriterError):
        keys.import_file(tmp_path / "keys.json")

    assert all(map(keys.is_default, keys.names))
    assert saved == []


def test_a_file_that_is_not_there_is_told(bindings, tmp_path):
    with pytest.raises(QuizwriterError, match=r"keys\.json cannot be read"):
        bindings().import_file(tmp_path / "keys.json")
