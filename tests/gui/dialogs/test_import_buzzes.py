"""People's buzzes are read in a dialog, shown before they are kept, and drawn in the lane."""

from __future__ import annotations

import json

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import PutInSet
from quizwriter.gui.dialogs.import_buzzes import NO_SET, ImportBuzzesDialog


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(qtbot, app, shared_window):
    window = shared_window
    qtbot.keyClicks(window.draft, "A deep lake in the far north of Asia. For 10 points, name this lake.")
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)
    app.store.add_events([Event.new(window.session.tossup_id, 1, "ada", PutInSet("Spring"))])
    window.header.refresh()
    return window


def test_buzzes_are_shown_then_kept_then_drawn(qtbot, window, tmp_path):
    window.menus.actions["people-lane"].trigger()
    lane = window.people.lane
    qtbot.waitUntil(lambda: lane.caption == "predicted")
    file, empty = tmp_path / "games.jsonl", tmp_path / "empty.jsonl"
    row = {"bq": window.session.tossup_id, "game": "g", "team": "A", "pos": 4, "correct": True}
    file.write_text(json.dumps(row) + "\n")
    empty.write_text("")
    window.menus.actions["import-buzzes"].trigger()
    (dialog,) = window.findChildren(ImportBuzzesDialog)
    assert dialog.set.currentText() == "Spring"
    assert not dialog.button.isEnabled()

    dialog.buzzes.setText(str(empty))
    dialog.button.click()
    qtbot.waitUntil(lambda: not dialog.busy and bool(dialog.message.text()))
    assert "buzz" in dialog.message.text()
    assert dialog.button.text() == "Read"

    dialog.buzzes.setText(str(file))
    dialog.button.click()
    qtbot.waitUntil(lambda: dialog.button.text() == "Keep the buzzes")
    assert dialog.message.text() == (
        "1 room with 1 buzz on 1 tossup of Spring.\n1 room does not say which version was read."
    )
    assert lane.caption == "predicted"  # nothing is kept yet
    dialog.button.click()
    qtbot.waitUntil(lambda: lane.caption == "recorded, 1 room")
    assert lane.curve.in_words.endswith("1 room does not say which version was read.")
    assert dialog.message.text().startswith("Kept: ")
    dialog.close()


def test_without_a_set_it_is_said_what_to_do(window, monkeypatch):
    monkeypatch.setattr(type(window.people._app.review), "sets", lambda _: ())
    window.menus.actions["import-buzzes"].trigger()
    (dialog,) = window.findChildren(ImportBuzzesDialog)

    assert dialog.message.text() == NO_SET
    dialog.close()
