"""Where a tossup stands, above the draft: what is shown, what changes it, and what a locked one refuses."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from quizwriter.domain.events import Event
from quizwriter.domain.page import Page
from quizwriter.domain.review import Commented, Status, StatusSet
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.tossup import Answer
from quizwriter.gui.dialogs.profile import ProfileDialog
from quizwriter.gui.review.review_actions import NAMELESS
from quizwriter.gui.review.status_dialog import CategoriesDialog, LineDialog, StatusDialog
from quizwriter.services.review import PlannedStatus
from quizwriter.workflow.categories import STANDARD
from quizwriter.workflow.checks import Check


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(shared_window):
    return shared_window


@pytest.fixture
def written(qtbot, window):
    """A window with a short draft that has an answer."""
    qtbot.keyClicks(window.draft, "An opera about a ship. ")
    window.session.set_answer(Answer("Tosca", Page("Tosca")))
    window.save()
    return window


def review(window):
    return fold_events(window._app.store.events(window.session.tossup_id))


def dialog_of(qtbot, window):
    qtbot.waitUntil(lambda: window.review_actions.dialog is not None)
    return window.review_actions.dialog


def give(qtbot, window, status, reason="Because."):
    """Give the open tossup a status that needs no checks."""
    window.header.set_status(status)
    dialog = dialog_of(qtbot, window)
    dialog.reason.setText(reason)
    with qtbot.waitSignal(window.review_actions.changed):
        dialog.choose()
    qtbot.waitUntil(lambda: window.review_actions.dialog is None)


@pytest.fixture
def accepted(qtbot, written):
    """The same, accepted."""
    qtbot.waitUntil(lambda: written.saver.idle)
    key = written.session.tossup_id
    written._app.store.add_events([Event.new(key, 1, "ben", StatusSet(Status.ACCEPTED))])
    written.header.refresh()
    return written


def test_a_new_tossup_is_a_draft_in_no_set(window):
    row = window.header
    assert row.status_chip.full_text == "Draft"
    assert not row.set_chip.isVisible()  # the menu of the status has both
    assert not row.category_chip.isVisible()
    window.header.set_status(Status.READY)
    assert "Write some text first" in window.messages.text("header")
    assert window.review_actions.dialog is None


def test_a_set_and_a_category_are_chosen_and_taken_back(qtbot, written):
    row = written.header
    with qtbot.waitSignal(written.review_actions.changed):
        row._put_in("Winter Open")
    assert "Set: Winter Open" in row.set_chip.toolTip()  # all of it, where the chip has no room
    with qtbot.waitSignal(written.review_actions.changed):
        row._categorise(("Fine Arts", "Opera"))
    assert (row.set_chip.full_text, row.category_chip.full_text) == ("Winter Open", "Fine Arts / Opera")
    assert written.messages.text("review") == "This tossup now has the category Fine Arts / Opera."
    with qtbot.waitSignal(written.review_actions.changed):
        written.review_actions.undo()
    assert (row.set_chip.full_text, row.category_chip.full_text) == ("Winter Open", "")
    assert (row.set_chip.isVisible(), row.category_chip.isVisible()) == (True, False)


def test_a_set_and_a_category_that_have_room_are_not_cut(qtbot, written):
    row = written.header
    for put in (lambda: row._put_in("Winter Open"), lambda: row._categorise(("Literature",))):
        with qtbot.waitSignal(written.review_actions.changed):
            put()
    assert row.width() >= row.wanted
    for width in (row.wanted, row.wanted + 1):
        row.resize(width, row.height())
        assert (row.set_chip.text(), row.category_chip.text()) == ("Winter Open", "Literature")
    status = row.status_chip.sizeHint().width()
    seen = []
    for room in (120, 70, 20):  # none of them is an ellipsis alone
        row.resize(status + room, row.height())
        seen.append((row.set_chip.isVisible(), row.category_chip.isVisible()))
    assert seen == [(True, True), (True, False), (False, False)]
    row.resize(row.wanted, row.height())
    assert (row.set_chip.text(), row.category_chip.text()) == ("Winter Open", "Literature")


def test_the_menus_offer_what_there_is(qtbot, written):
    row = written.header
    with qtbot.waitSignal(written.review_actions.changed):
        row._put_in("Winter & Spring")
    written._app.review.save_categories("Winter & Spring", [("Food",), ("Food", "Fruit"), ("Drink",)])
    row._fill_sets()
    row._fill_categories()
    row._fill_statuses()
    assert [one.text() for one in row.set_chip.choices.actions() if one.isChecked()] == ["Winter && Spring"]
    names = [one.text() for one in row.category_chip.choices.actions()]
    assert names == ["Food", "Drink", "", "No category", "Change the categories…"]
    assert [one.text() for one in row.status_chip.choices.actions()] == [
        "Ready…", "Reject…", "Withdraw…", "", "Set", "Category",
    ]  # fmt: skip


def test_ready_shows_the_checks_and_keeps_why_each_failing_one_is_all_right(qtbot, written):
    written.draft.setFocus()
    qtbot.keyClick(written.draft, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    dialog = dialog_of(qtbot, written)
    qtbot.waitUntil(lambda: bool(dialog.overrides))
    # no bundle is open, so neither pages nor past questions are known
    assert set(dialog.overrides) == {"page", "length", "past"}
    qtbot.keyClicks(dialog.overrides["page"], "It is an opera.")
    assert not dialog.can_choose
    qtbot.keyClicks(dialog.overrides["length"], "A tiebreaker.")
    assert not dialog.can_choose
    qtbot.keyClicks(dialog.overrides["past"], "I wrote it today.")
    qtbot.keyClicks(dialog.reason, "Please read.")
    with qtbot.waitSignal(written.review_actions.changed):
        dialog.choose()
    assert review(written).status is Status.READY
    assert [(one.check, one.reason) for one in review(written).overridden] == [
        ("page", "It is an opera."), ("length", "A tiebreaker."), ("past", "I wrote it today."),
    ]  # fmt: skip
    assert written.header.status_chip.full_text == "Ready"
    assert "A tiebreaker." in written.header.status_chip.toolTip()


def test_the_checks_are_of_the_words_on_screen(qtbot, written):
    qtbot.keyClicks(written.draft, "It is Tosca.")
    written.header.set_status(Status.READY)
    dialog = dialog_of(qtbot, written)
    qtbot.waitUntil(lambda: "leak" in dialog.overrides)
    dialog.reject()


def test_checks_that_come_too_late_are_not_shown_for_another_status(qtbot, written):
    written.header.set_status(Status.READY)
    dialog_of(qtbot, written).reject()
    written.header.set_status(Status.REJECTED)
    dialog = dialog_of(qtbot, written)
    written.review_actions.jobs.ask(lambda _: None, lambda _: dialog.setObjectName("the errands are done"))
    qtbot.waitUntil(lambda: dialog.objectName() != "")
    assert not dialog.overrides
    dialog.reject()


def test_a_status_that_cannot_follow_is_said(qtbot, written):
    written.header.set_status(Status.ACCEPTED)
    assert written.messages.text("header") == "A tossup cannot go from draft to accepted directly."


def test_an_accepted_tossup_takes_no_edits_and_loses_none(qtbot, accepted):
    before = accepted.draft.text
    assert accepted.header.status_chip.full_text.startswith("Accepted")
    accepted.draft.setFocus()
    qtbot.keyClicks(accepted.draft, "x")
    qtbot.keyClick(accepted.draft, Qt.Key.Key_Backspace)
    accepted.draft.insert_power_mark()
    accepted.draft.undo()
    QGuiApplication.clipboard().setText("pasted")
    of_answer = [accepted.menus.actions[name].trigger for name in ("past-answers", "mend-answer")]
    for edit in (accepted.draft.paste, accepted.draft.cut, *of_answer):
        accepted.messages.dismiss("header")
        edit()
        assert accepted.draft.text == before
        assert "cannot be edited" in accepted.messages.text("header")
    qtbot.keyClicks(accepted.answer.line, "x")
    assert accepted.session.tossup.answer.line == "Tosca"
    assert not accepted.session.has_unsaved


def test_it_is_unlocked_with_a_reason_and_takes_edits_again(qtbot, accepted):
    accepted.header.unlock()
    dialog = dialog_of(qtbot, accepted)
    assert "Unlock Tosca" in dialog.heading.text()
    assert not dialog.can_choose
    qtbot.keyClicks(dialog.reason, "The second clue is wrong.")
    with qtbot.waitSignal(accepted.review_actions.changed):
        dialog.choose()
    assert review(accepted).status is Status.EDITED
    assert review(accepted).status_set.body.reason == "The second clue is wrong."
    qtbot.keyClicks(accepted.draft, "x")
    assert accepted.draft.text.count("x") == 1


def test_what_was_asked_about_a_tossup_is_recorded_of_it_while_another_is_open(qtbot, accepted):
    app, key = accepted._app, accepted.session.tossup_id
    accepted.header._ask_set()
    accepted.header.refuse_edit()
    accepted.sessions.open_new()
    accepted.messages._messages["header"].findChild(QPushButton).click()
    dialog = dialog_of(qtbot, accepted)
    dialog.reason.setText("Too easy.")
    with qtbot.waitSignal(accepted.review_actions.changed):
        dialog.choose()
    assert app.review.review_of(key).status is Status.EDITED

    named = accepted.findChild(LineDialog)
    named.line.setText("Winter Open")
    with qtbot.waitSignal(accepted.review_actions.changed):
        named._enter()
    assert app.review.review_of(key).set_name == "Winter Open"
    assert accepted.messages.text("review") == "One tossup now has the set Winter Open."
    with qtbot.waitSignal(accepted.review_actions.changed):
        accepted.messages._messages["review"].findChild(QPushButton).click()
    assert app.review.review_of(key).set_name == ""
    assert accepted.messages.text("review") == "Undone: the set Winter Open of one tossup."


def test_who_gives_no_name_can_record_the_same_later(qtbot, written):
    app = written._app
    app.profile.save_settings(replace(app.profile.settings, profile_name=""))
    written.header._put_in("Winter Open")
    written.findChild(ProfileDialog).reject()
    assert written.messages.text("review") == NAMELESS
    written.messages._messages["review"].findChild(QPushButton).click()
    dialog = written.findChildren(ProfileDialog)[-1]
    dialog.name.setText("Ada")
    with qtbot.waitSignal(written.review_actions.changed):
        dialog.save()
    assert review(written).set_name == "Winter Open"


def test_another_tossup_is_not_locked_with_it(qtbot, accepted):
    accepted.sessions.open_new()
    assert not accepted.draft.isReadOnly()
    assert accepted.header.status_chip.full_text == "Draft"


def test_the_queue_changes_what_the_window_shows(qtbot, written):
    qtbot.waitUntil(lambda: written.saver.idle)
    written.windows.open("queue")
    queue = written.windows.find("queue")
    qtbot.waitUntil(lambda: len(queue.model.keys) == 1)
    queue.table.selectAll()
    with qtbot.waitSignal(queue.review_actions.changed):
        queue.bulk.put_in_set("Winter Open")
    qtbot.waitUntil(lambda: written.header.set_chip.full_text == "Winter Open")
    assert [one.set_name for one in written.tossups._entries] == ["Winter Open"]
    queue.review_actions.record(queue.model.keys, Commented("Which opera?"), "the comment")
    qtbot.waitUntil(lambda: len(written.comments.threads) == 1)
    written.sessions.open_new()
    queue.opened.emit(queue.model.keys[0])
    assert written.draft.text.startswith("An opera")


def test_the_categories_of_a_set_are_edited(qtbot, app, window):
    kept = []
    dialog = CategoriesDialog(window.theme, ["Winter"], "Winter", window)
    dialog.saved.connect(lambda *what: kept.append(what))
    dialog.show_paths(STANDARD, standard=True)
    dialog.save()
    assert kept == [("Winter", None)]
    dialog = CategoriesDialog(window.theme, ["Winter"], "Winter", window)
    dialog.saved.connect(lambda *what: kept.append(what))
    dialog.show_paths([("Food",), ("Food", "Fruit"), ("Food", "Fruit", "Apples")])
    item = dialog.tree.topLevelItem(0).child(0)
    dialog.tree.setCurrentItem(item.child(0))
    assert not dialog.add_below_button.isEnabled()  # there is no fourth level
    dialog.tree.setCurrentItem(item)
    dialog.add_category(below=True)
    item.child(1).setText(0, "  Pears ")
    dialog.tree.setCurrentItem(item.child(0))
    dialog.remove_category()
    dialog.save()
    assert kept[1] == ("Winter", (("Food",), ("Food", "Fruit"), ("Food", "Fruit", "Pears")))


def test_categories_that_were_typed_are_not_thrown_away_unasked(window):
    wanted = []
    dialog = CategoriesDialog(window.theme, ["Winter", "Spring"], "Winter", window)
    dialog.set_selected.connect(wanted.append)
    dialog.show_paths([("Food",)])

    def choose(name):
        dialog.sets.setCurrentIndex(dialog.sets.findData(name))
        dialog.sets.activated.emit(dialog.sets.currentIndex())

    dialog.tree.topLevelItem(0).setText(0, "Drink")
    choose("Spring")
    assert (dialog.set_name, dialog.paths, wanted) == ("Winter", (("Drink",),), [])
    said = "or choose the set again to discard your changes."
    assert dialog.message.text().endswith(said)
    dialog.tree.topLevelItem(0).setText(0, "Food and drink")
    choose("Spring")
    assert (dialog.set_name, wanted) == ("Winter", []), "this change was not warned of"
    choose("Spring")
    assert wanted == ["Spring"]
    dialog.show_paths([("Music",)])
    assert not dialog.message.text()
    choose("Winter")
    assert wanted == ["Spring", "Winter"]


def test_only_those_that_pass_can_be_chosen(qtbot, window):
    dialog = StatusDialog(
        window.theme, Status.READY, {"a": "A", "b": "B", "c": "C"}, explain=False, parent=window
    )
    chosen = []
    dialog.decided.connect(chosen.append)
    dialog.show_plan(
        {
            "a": PlannedStatus(Status.DRAFT, (Status.READY,), "", (Check("length", True, "Fine."),)),
            "b": PlannedStatus(Status.DRAFT, (Status.READY,), "", (Check("length", False, "3 words."),)),
            "c": PlannedStatus(Status.REJECTED, (), "Its status is rejected. It can become draft."),
        }
    )
    left = [dialog.left.topLevelItem(at) for at in range(dialog.left.topLevelItemCount())]
    assert [(item.text(0), item.text(2)) for item in left] == [
        ("B", "Length: 3 words."), ("C", "Its status is rejected. It can become draft."),
    ]  # fmt: skip
    assert dialog.primary.text() == "Ready: 1 tossup"
    qtbot.keyClicks(dialog.overrides["length"], "Short on purpose.")
    assert dialog.primary.text() == "Ready: 2 tossups"
    dialog.overrides["length"].clear()
    dialog.primary.click()
    assert chosen[0].keys == ("a",)
    assert not chosen[0].overridden


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        (0, "Every check passes."),
        (1, "Every check passes. 1 problem remains and does not prevent it."),
        (4, "Every check passes. 4 problems remain and do not prevent it."),
    ],
)
def test_checks_that_pass_are_one_whole_button_and_the_problems_left_are_counted(
    qtbot, window, problems, said
):
    dialog = StatusDialog(window.theme, Status.READY, {"a": "A"}, explain=False, parent=window)
    checks = (Check("length", True, "Fine."), Check("text", True, "Fine."))
    dialog.show()
    dialog.show_plan({"a": PlannedStatus(Status.DRAFT, (Status.READY,), "", checks)}, problems)
    assert dialog._summary.text() == said
    qtbot.waitUntil(lambda: dialog.passed_button.height() > 8)
    assert dialog.passed_button.visibleRegion().boundingRect() == dialog.passed_button.rect()
    dialog.close()


def test_the_steps_to_a_later_status_say_what_they_check(qtbot, window):
    dialog = StatusDialog(window.theme, Status.ACCEPTED, {"a": "A", "b": "B"}, explain=False, parent=window)
    way = (Status.READY, Status.IN_REVIEW, Status.EDITED, Status.PROOFREAD, Status.ACCEPTED)
    dialog.show_plan({"a": PlannedStatus(Status.DRAFT, way), "b": PlannedStatus(Status.DRAFT, way)})
    told = dialog._summary.text()
    assert "2 tossups: draft → ready → in review → edited → proofread → accepted." in told
    assert "For ready, every check must pass" in told
    assert "For accepted, no suggestion may be open" in told


@pytest.mark.logs("not saved yet")
def test_words_typed_into_a_tossup_that_was_accepted_elsewhere_are_given_up(qtbot, written):
    qtbot.waitUntil(lambda: written.saver.idle)
    key, before = written.session.tossup_id, written.draft.text
    elsewhere = Event.new(key, 9_000_000_000_000, "ben", StatusSet(Status.ACCEPTED))
    written._app.store.add_events([elsewhere])
    qtbot.keyClicks(written.draft, "x")
    qtbot.waitUntil(lambda: written.status.saved == "not saved")
    assert "cannot be edited" in written.messages.text("disk")

    qtbot.keyClick(written.draft, Qt.Key.Key_Backspace)

    qtbot.waitUntil(lambda: written.status.saved == "saved")
    assert written.draft.text == before
    assert written.messages.text("disk") == "Everything is saved again." or not written.messages.text("disk")
    assert written.saver.idle


@pytest.mark.logs("not saved yet: This tossup is accepted")
def test_they_are_given_up_and_copied_where_they_are_while_another_tossup_is_open(qtbot, accepted):
    key, before = accepted.session.tossup_id, accepted.draft.text
    accepted._lock(locked=False)  # as where it was accepted elsewhere
    qtbot.keyClicks(accepted.draft, "x")
    qtbot.waitUntil(lambda: "The draft is not saved yet" in accepted.messages.text("disk"))
    accepted.sessions.open_new()
    assert accepted.messages.text("disk").startswith("The draft of “Tosca” is not saved yet.")
    qtbot.keyClicks(accepted.draft, "A lake")
    copy, discard = accepted.messages._messages["disk"].findChildren(QPushButton)[:2]
    copy.click()
    assert "x" in QGuiApplication.clipboard().text()
    discard.click()
    assert accepted.draft.text == "A lake"
    qtbot.waitUntil(lambda: accepted.status.saved == "saved")
    accepted.sessions.open_saved(key)
    assert accepted.draft.text == before
