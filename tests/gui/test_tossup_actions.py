"""Whole tossups in the window: copied, thrown away, put back; the list in groups; how long reading takes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from quizwriter.domain.events import Event
from quizwriter.domain.review import BasedOn, PutInSet, Status, StatusSet
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.tossup import Answer
from quizwriter.gui.dialogs.bin import BinDialog, EmptyBinDialog
from quizwriter.gui.writing.tossup_list import ListGrouping
from quizwriter.workflow.session import PendingSave


def saving(key, text, at_ms):
    return PendingSave.begun(key, text, Answer(f"Answer {key}", None), at_ms, "ada")


@pytest.fixture
def app(app):
    for at, key in enumerate("abc", start=1):
        app.store.save(saving(key, f"A lake called {key} in Asia.", at))
    app.store.add_events(
        [
            Event.new("a", 1, "ada", PutInSet("Spring", "Packet 10")),
            Event.new("b", 1, "ada", PutInSet("Spring", "Packet 2")),
            Event.new("b", 1, "ada", StatusSet(Status.READY)),
        ]
    )
    return app


def listed(window):
    return [entry.tossup_id for entry in window.tossups._model.entries]


def rows(window):
    return [window.tossups._model.index(at).data() for at in range(window.tossups._model.rowCount())]


def press(widget, name):
    next(button for button in widget.findChildren(QPushButton) if button.text() == name).click()


def test_a_tossup_goes_to_the_bin_and_undo_brings_it_back(qtbot, window):
    assert window.session.tossup_id == "c"
    window.menus.actions["move-to-bin"].trigger()
    qtbot.waitUntil(lambda: listed(window) == ["b", "a"])
    assert window.session.tossup_id == "b"  # the one below is open
    assert window.messages.text("bin") == "The tossup is in the bin."

    press(window.messages, "Undo")
    qtbot.waitUntil(lambda: listed(window) == ["c", "b", "a"])
    assert window.session.tossup_id == "c"


def test_words_typed_just_before_are_in_the_bin_with_the_tossup(qtbot, window, app):
    qtbot.keyClicks(window.draft, "Now ")
    window.tossup_actions.put_in_bin()
    qtbot.waitUntil(lambda: "c" not in listed(window))
    (away,) = app.tossups.bin_contents()
    assert "Now" in app.store.load("c").tossup.text
    assert away.tossup_id == "c"


def test_delete_in_the_list_throws_away_the_marked_tossup_not_the_open_one(qtbot, window):
    window.tossups.view.setFocus()
    qtbot.keyClick(window.tossups.view, Qt.Key.Key_Down)
    qtbot.keyClick(window.tossups.view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: listed(window) == ["c", "a"])
    assert window.session.tossup_id == "c"


def test_an_accepted_tossup_is_not_thrown_away(qtbot, window, app):
    app.store.add_events([Event.new("c", 9, "ada", StatusSet(Status.ACCEPTED))])
    window.tossup_actions.put_in_bin(["c"])
    qtbot.waitUntil(lambda: "accepted" in window.messages.text("bin"))
    assert "c" in listed(window)


def test_the_bin_restores_and_is_emptied_after_a_question(qtbot, window, app):
    app.tossups.put_in_bin(["a", "c"])
    window.tossup_actions.open_bin()
    (dialog,) = window.findChildren(BinDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 2)
    dialog.list.clearSelection()
    assert not dialog.restore_button.isEnabled()
    first = dialog.list.topLevelItem(0)
    key = first.data(0, Qt.ItemDataRole.UserRole)
    first.setSelected(True)
    dialog.restore()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1 and key in listed(window))

    dialog.empty_button.click()
    (question,) = dialog.findChildren(EmptyBinDialog)
    press(question, "Remove 1 tossup")
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 0 and not dialog.busy)
    assert app.store.check() == ()
    assert len(app.store.backups.all()) == 1
    assert len(app.tossups.summaries()) == 2
    dialog.close()


def test_a_copy_has_the_history_the_set_and_where_it_comes_from(qtbot, window, app):
    app.store.add_events(
        [
            Event.new("b", 9, "ada", BasedOn("2011 Winter, tossup 4")),
            Event.new("b", 9, "ada", BuzzGoal(60, "dan")),
        ]
    )
    window.tossup_actions.duplicate("b")
    qtbot.waitUntil(lambda: len(listed(window)) == 4)
    copy = window.session.tossup_id
    assert copy not in "abc"
    review = app.review.review_of(copy)
    assert (review.set_name, review.packet, review.status) == ("Spring", "Packet 2", Status.DRAFT)
    assert review.based_on.body.source == "2011 Winter, tossup 4"
    assert review.buzz_goal == BuzzGoal(60, "dan")
    assert app.store.load(copy).tossup == app.store.load("b").tossup


def test_the_list_is_grouped_by_packet_and_by_status_and_that_is_remembered(qtbot, window, app):
    window.menus.actions["group-list:packet"].trigger()
    assert rows(window) == [
        "Spring, Packet 2", "Answer b", "Spring, Packet 10", "Answer a", "In no set", "Answer c",
    ]  # fmt: skip
    window.tossups.choose_grouping(ListGrouping.STATUS)
    assert rows(window) == ["Draft", "Answer c", "Answer a", "Ready", "Answer b"]
    assert app.profile.settings.list_grouping == "status"

    heading = window.tossups.view.visualRect(window.tossups._model.index(0)).center()
    qtbot.mouseClick(window.tossups.view.viewport(), Qt.MouseButton.LeftButton, pos=heading)
    assert rows(window) == ["Draft", "Ready", "Answer b"]
    window.tossups.search.setText("lake")  # a search looks into folded groups, too
    assert rows(window) == ["Draft", "Answer c", "Answer a", "Ready", "Answer b"]


def test_typing_leaves_a_tossup_in_its_group(qtbot, window):
    window.tossups.choose_grouping(ListGrouping.SET)
    window.sessions.open_saved("a")
    qtbot.keyClicks(window.draft, "Now ")
    assert rows(window)[0] == "Spring"
    assert listed(window).index("a") < listed(window).index("c")


def test_the_status_line_says_how_long_reading_takes(window, app):
    assert "6 words, 0:02 aloud" in window.status._size.text()
    window.status.count(1, 1, 0)
    assert window.status._length_texts() == ("1 character, 1 word, 0:00 aloud", "1 word, 0:00")
    window.menus.actions["reading-speed:120"].trigger()
    assert "0:03 aloud" in window.status._size.text()
    assert app.profile.settings.reading_speed == 120
    window.draft.replace("A")
    assert window.status._size.toolTip() == "1 character, 1 word, 0:00 aloud"
