"""The brief of a set in the window: edited, saved, and a tossup begun for it."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import BriefLine, PutInSet
from quizwriter.gui.dialogs.set_brief import NO_PLAYERS, SetBriefDialog
from quizwriter.services.beat_goal import BeatGoal


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(qtbot, app, shared_window):
    window = shared_window
    qtbot.keyClicks(window.draft, "A lake in Asia.")
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)
    app.store.add_events([Event.new(window.session.tossup_id, 1, "ada", PutInSet("Spring"))])
    return window


@pytest.fixture
def dialog(qtbot, window):
    window.menus.actions["new-for-brief"].trigger()
    qtbot.waitUntil(lambda: bool(window.findChildren(SetBriefDialog)))
    (dialog,) = window.findChildren(SetBriefDialog)
    qtbot.waitUntil(lambda: not dialog.busy)
    return dialog


def fill(dialog, row, *cells):
    for place, text in enumerate(cells):
        dialog.table.item(row, place).setText(text)


def test_a_brief_is_written_and_a_tossup_begun_for_what_is_missing(qtbot, window, dialog, app):
    assert dialog.set_name == "Spring"
    assert "no lines yet" in dialog.summary.text()
    assert not dialog.begin_button.isEnabled()
    dialog.add_line()
    fill(dialog, 0, "Science / Physics", "a person", "", "2")
    dialog.add_line()
    fill(dialog, 1, "History", "", "", "x")
    dialog.save()
    assert "must be 1 or more" in dialog.message.text()
    dialog.table.selectRow(1)
    dialog.remove_line()
    dialog.save()
    qtbot.waitUntil(lambda: not dialog.busy and dialog.summary.text() == "2 tossups still needed.")
    assert not dialog.save_line_button.isEnabled()

    before = window.session.tossup_id
    dialog.begin_button.click()
    qtbot.waitUntil(lambda: window.session.tossup_id != before)
    assert window.header.review.category == ("Science", "Physics")
    (state,) = app.briefs.report("Spring").states
    assert (state.line, state.there) == (BriefLine(("Science", "Physics"), "a person", "", 2), 1)


def test_a_brief_that_was_typed_is_not_thrown_away_unasked(qtbot, dialog, app):
    dialog.add_line()
    fill(dialog, 0, "History", "", "", "3")
    dialog.reject()
    assert dialog.isVisible()
    assert dialog.message.text() == (
        "The brief is not saved. Save it, or close again to discard your changes."
    )
    dialog.sets.addItem("Autumn", "Autumn")
    dialog.table.item(0, 0).setText("Music")
    dialog.sets.setCurrentIndex(dialog.sets.findData("Autumn"))
    dialog.sets.activated.emit(dialog.sets.currentIndex())
    assert dialog.set_name == "Spring"
    assert "choose the set again" in dialog.message.text()
    dialog.reject()
    assert not dialog.isVisible()
    assert app.briefs.report("Spring").states == ()


def test_a_goal_is_chosen_and_its_tossups_are_counted(qtbot, window, dialog, app, engine):
    dialog._engine = lambda: None
    assert not dialog.by_f1.isEnabled()
    dialog.beats.setCurrentIndex(2)
    dialog.beats.activated.emit(2)
    assert (dialog.beats.currentText(), dialog.reached.text()) == ("DAN and IR", "")
    dialog.by_f1.setCurrentIndex(1)
    dialog.by_f1.activated.emit(1)
    dialog.save()
    qtbot.waitUntil(lambda: not dialog.busy and not dialog.save_line_button.isEnabled())
    assert app.briefs.goal("Spring") == BeatGoal(("dan", "ir"), by_f1=True)

    assert dialog.reached.text() == (
        "No players are loaded yet, so the tossups that reach the goal are not counted."
    )

    again = SetBriefDialog(app, window.theme, dialog._jobs, "Spring", window, engine=lambda: engine)
    qtbot.waitUntil(lambda: bool(again.reached.text()))
    assert (again.beats.currentText(), again.by_f1.currentText()) == ("DAN and IR", "by F1 under 40 %")
    assert again.reached.text() == "Nothing is counted: the bundle has no DAN."
    again.beats.setCurrentIndex(0)
    again.beats.activated.emit(0)
    assert (again.reached.text(), again.by_f1.isEnabled()) == ("", False)
    assert again.save_line_button.isEnabled()


def test_a_goal_is_counted_once_players_are_loaded_if_nothing_is_typed(qtbot, window, dialog, app, engine):
    app.briefs.choose("Spring", [BriefLine(("History",), wanted=3)], BeatGoal(("dan",)))
    dialog.read()
    qtbot.waitUntil(lambda: dialog.reached.text() == NO_PLAYERS)
    fill(dialog, 0, "Music")
    assert dialog.reached.text() == ""
    window.engines._runner.use(engine)
    qtbot.waitUntil(lambda: window.engines.engine is engine)
    qtbot.wait(50)
    assert (dialog.reached.text(), dialog.table.item(0, 0).text()) == ("", "Music")
    dialog.save()
    counted = "Nothing is counted: the bundle has no DAN."
    qtbot.waitUntil(lambda: dialog.reached.text() == counted)
    dialog.reached.clear()
    window.engines.engine_changed.emit()
    qtbot.waitUntil(lambda: dialog.reached.text() == counted)


def test_a_tossup_begun_for_a_line_that_was_just_typed_saves_the_brief(qtbot, window, dialog, app):
    dialog.add_line()
    fill(dialog, 0, "History", "", "", "3")
    before = window.session.tossup_id
    dialog.begin_button.click()
    qtbot.waitUntil(lambda: window.session.tossup_id != before)
    (state,) = app.briefs.report("Spring").states
    assert (state.line.category, state.line.wanted, state.there) == (("History",), 3, 1)
