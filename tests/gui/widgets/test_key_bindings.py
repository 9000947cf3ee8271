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
        for one, title, keys in (
            ("new", "&New", ["Ctrl+N"]),
            ("open", "&Open…", ["Ctrl+O", "F4"]),
            ("salt", "Salt && pepper", []),
        ):
            made.add(one, QAction(title, made), keys)
        return made

    return make


def test_a_name_has_no_marks_of_its_menu():
    assert [action_name(text) for text in ("&Open…", "Salt && &pepper")] == ["Open", "Salt & pepper"]


def test_at_first_each_has_the_keys_of_the_program(bindings):
    keys = bindings()

    assert [keys.keys_of(name) for name in keys.ids] == [("Ctrl+N",), ("Ctrl+O", "F4"), ()]
    assert all(map(keys.is_default, keys.ids))


def test_who_gets_a_key_takes_it_away_and_that_is_told(bindings, saved):
    keys = bindings()
    assert keys.owner("ctrl+o") == "open"

    assert keys.assign("new", ["Ctrl+O"]) == ("open",)
    assert keys.keys_of("new") == ("Ctrl+O",)
    assert keys.keys_of("open") == ("F4",)
    assert [one.toString() for one in keys.action("open").shortcuts()] == ["F4"]
    assert saved[-1] == {"new": ("Ctrl+O",)}  # what Open lost follows from that


def test_after_a_reset_the_other_has_its_key_back(bindings, saved):
    keys = bindings()
    keys.assign("new", ["Ctrl+O"])
    assert keys.reset("new") == ()
    assert keys.keys_of("open") == ("Ctrl+O", "F4")

    keys.assign("salt", ["Ctrl+N"])
    keys.reset_all()
    assert all(map(keys.is_default, keys.ids))
    assert saved[-1] == {}


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("a", "types text"),
        ("Shift+A", "types text"),
        ("Tab", "moves the focus"),
        ("Return", "moves the focus"),
        ("Shift+F10", "Every window already uses"),
        ("Ctrl+Nonsense", "is not a key"),
        ("Ctrl+K, Ctrl+C", "is not a key"),
        ("", "is not a key"),
    ],
)
def test_a_key_that_would_be_missed_elsewhere_is_refused(bindings, key, reason):
    keys = bindings()
    assert reason in key_refusal(key)
    with pytest.raises(QuizwriterError, match="Choose another key"):
        keys.assign("new", [key])

    assert keys.keys_of("new") == ("Ctrl+N",)


@pytest.mark.parametrize("key", ["F5", "Ctrl+Shift+K", "Alt+Left", "Ctrl++", "Ctrl+Return", "Meta+7"])
def test_other_keys_are_possible(key):
    assert key_refusal(key) == ""


def test_settings_with_wrong_keys_lose_only_these(bindings):
    keys = bindings({"new": ("a", "Ctrl+M"), "Gone": ("Ctrl+O",)})

    assert keys.keys_of("new") == ("Ctrl+M",)
    assert keys.keys_of("open") == ("Ctrl+O", "F4")  # an action that is not there holds no key


def test_a_file_carries_all_keys_to_another_computer(bindings, tmp_path, saved):
    keys = bindings()
    keys.assign("new", ["Ctrl+O"])
    keys.assign("salt", ["F9", "Ctrl+Alt+P"])
    keys.export(tmp_path / "keys.json")
    other = bindings()

    assert other.import_file(tmp_path / "keys.json") == ()
    assert {name: other.keys_of(name) for name in other.ids} == {
        "new": ("Ctrl+O",),
        "open": ("F4",),
        "salt": ("F9", "Ctrl+Alt+P"),
    }


def write(path, keys, **more):
    path.write_text(json.dumps({"format": "quizwriter keys", "version": 2, "keys": keys, **more}))
    return path


def test_an_action_that_the_file_does_not_know_keeps_its_keys_but_those_given_away(bindings, tmp_path):
    keys = bindings()
    unknown = keys.import_file(write(tmp_path / "keys.json", {"new": ["F4"], "fly": ["Ctrl+F"]}))

    assert unknown == ("fly",)
    assert keys.keys_of("new") == ("F4",)
    assert keys.keys_of("open") == ("Ctrl+O",)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"format": "quizwriter keys", "version": 3, "keys": {}}',
        b'{"format": "other", "version": 2, "keys": {}}',
        b'{"format": "quizwriter keys", "version": 2, "keys": {"new": "Ctrl+N"}}',
        b'{"format": "quizwriter keys", "version": 2, "keys": {"new": ["a"]}}',
        b'{"format": "quizwriter keys", "version": 2, "keys": {"new": ["F1", "F2", "F3", "F4", "F5"]}}',
        b'{"format": "quizwriter keys", "version": 2, "keys": {"new": ["F7"], "open": ["F7"]}}',
        b'{"format": "quizwriter keys", "version": 2, "keys": {}, "more": 1}',
        b"[" * 100_000,
        b" " * (MOST_BYTES + 1),
        json.dumps(
            {"format": "quizwriter keys", "version": 2, "keys": {f"a{i}": [] for i in range(1001)}}
        ).encode(),
    ],
)
def test_a_hostile_file_changes_nothing(bindings, tmp_path, saved, content):
    keys = bindings()
    (tmp_path / "keys.json").write_bytes(content)
    with pytest.raises(QuizwriterError):
        keys.import_file(tmp_path / "keys.json")

    assert all(map(keys.is_default, keys.ids))
    assert saved == []


def test_a_file_that_is_not_there_is_told(bindings, tmp_path):
    with pytest.raises(QuizwriterError, match=r"keys\.json cannot be read"):
        bindings().import_file(tmp_path / "keys.json")


def test_keys_that_were_kept_under_titles_are_kept_under_ids_from_now_on(qapp, saved):
    old = {
        "New tossup": ("Ctrl+M",),
        "Theme: dark": ("F12",),
        "Player: Elastic": ("Ctrl+Alt+7",),
        "Move the ensemble up": ("Ctrl+Alt+8",),
        "Gone long ago": ("F4",),
    }
    new = {
        "new": ("Ctrl+M",),
        "theme:dark": ("F12",),
        "player:elasticsearch": ("Ctrl+Alt+7",),
        "move-up:ensemble": ("Ctrl+Alt+8",),
        "Gone long ago": ("F4",),
    }
    made = KeyBindings(old, saved.append, qapp)
    made.add("new", QAction("Begin a tossup", made), ["Ctrl+N"])

    assert saved == [new]
    assert made.keys_of("new") == ("Ctrl+M",)
    KeyBindings(new, saved.append, qapp)
    assert saved == [new]  # once


def test_a_file_with_titles_still_gives_its_keys(qapp, saved, tmp_path):
    made = KeyBindings({}, saved.append, qapp)
    made.add("new", QAction("Begin a tossup", made), ["Ctrl+N"])
    path = tmp_path / "keys.json"
    path.write_text('{"format": "quizwriter keys", "version": 1, "keys": {"New tossup": ["F12"], "Fly": []}}')

    assert made.import_file(path) == ("Fly",)
    assert made.keys_of("new") == ("F12",)
