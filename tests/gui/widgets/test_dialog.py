"""The base of dialogs: keys, texts, messages, and what it allows while it works."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QScrollArea, QWidget

from quizwriter.gui.widgets.dialog import BUG, Dialog

HOSTILE = "<b>bold</b> <img src='file:///etc/passwd'>"


class Jobs:
    """Jobs whose one job ends when the test says so."""

    def ask(self, do, then, failed, *, still, told):
        self.told = told
        self.end = lambda result: still() and then(result)
        self.fail = failed


@pytest.fixture
def pressed():
    return []


@pytest.fixture
def dialog(qtbot, theme, pressed):
    """A dialog with a field and three buttons, shown."""
    made = Dialog(theme, "Test", width=400, reused=True)
    qtbot.addWidget(made)
    made.field = QLineEdit()
    made.body.addWidget(made.field)
    made.body.addWidget(QPushButton("In the contents", clicked=lambda: pressed.append("contents")))
    made.add_aside("Aside", lambda: pressed.append("aside"))
    made.add_primary("Save", lambda: pressed.append("save"))
    made.show()
    qtbot.waitExposed(made)
    return made


def test_enter_presses_the_primary_button_wherever_the_keyboard_is(qtbot, dialog, pressed):
    for widget in (dialog.field, *dialog.findChildren(QPushButton)):
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_Return)
    assert pressed == ["save"] * 5


def test_enter_does_nothing_while_something_is_missing_or_going_on(qtbot, dialog, pressed):
    dialog.set_ready(False)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    dialog.set_ready(True)
    dialog.show_busy("Working…")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert pressed == []

    dialog.end_busy()
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert pressed == ["save"]


def test_escape_cancels_work_once_and_then_closes(qtbot, dialog, pressed):
    dialog.show_busy("Working…", 1, 3, cancel=lambda: pressed.append("cancel"))
    assert dialog.close_button.text() == "Cancel"
    assert dialog.progress_bar.isVisible()
    for _ in range(2):
        qtbot.keyClick(dialog.field, Qt.Key.Key_Escape)
    assert pressed == ["cancel"]
    assert dialog.isVisible()
    assert not dialog.close_button.isEnabled()

    dialog.end_busy("Stopped.")
    assert dialog.close_button.text() == "Close"
    assert dialog.message.text() == "Stopped."
    qtbot.keyClick(dialog.field, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_work_that_cannot_be_cancelled_keeps_the_dialog_open(qtbot, dialog):
    dialog.show_busy("Writing…", closable=False)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Escape)
    dialog.close()
    assert dialog.isVisible()


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        (lambda jobs: jobs.fail("No. Try."), "No. Try."),
        (lambda jobs: jobs.fail(""), BUG),
        (lambda jobs: jobs.end(3), "3 done"),
    ],
)
def test_a_job_ends_with_its_result_or_with_its_trouble(dialog, ends, message):
    jobs = Jobs()
    dialog.run_job(jobs, "Working…", lambda _: 3, lambda found: dialog.show_message(f"{found} done"))
    assert dialog.busy
    ends(jobs)
    assert not dialog.busy
    assert dialog.message.text() == message


def test_the_dialog_shows_how_far_its_job_is(dialog):
    jobs = Jobs()
    dialog.run_job(jobs, "Working…", lambda _: 3, print, telling=lambda done, total: f"{done} of {total}")
    jobs.told(2, 5)
    assert (dialog.message.text(), dialog.progress_bar.value()) == ("2 of 5", 2)
    jobs.end(3)

    dialog.run_job(jobs, "Counting…", lambda _: 3, lambda _: dialog.show_message("Counted."))
    jobs.told(1, 2)
    assert (dialog.message.text(), dialog.progress_bar.maximum()) == ("Counting…", 2)
    jobs.end(3)
    assert dialog.message.text() == "Counted."


def test_the_result_of_a_closed_dialog_goes_nowhere(dialog):
    jobs, found = Jobs(), []
    dialog.run_job(jobs, "Working…", lambda _: 3, found.append)
    dialog.close()
    jobs.end(3)
    assert found == []


def test_no_text_is_taken_for_html(dialog):
    dialog.show_message(HOSTILE)
    assert dialog.message.textFormat() is Qt.TextFormat.PlainText
    assert dialog.label(HOSTILE).textFormat() is Qt.TextFormat.PlainText


def test_a_long_message_is_shown_whole(dialog):
    before = dialog.height()
    dialog.show_message("A sentence that says what happened. " * 20)
    assert dialog.height() > before
    label = dialog.message
    assert label.heightForWidth(label.width()) <= label.height()


def test_a_closed_dialog_is_deleted(qtbot, theme):
    dialog = Dialog(theme, "Test", size=(300, 200))
    dialog.show()
    with qtbot.waitSignal(dialog.destroyed):
        dialog.close()


def test_the_keyboard_begins_in_the_first_field_and_comes_to_the_buttons_last(qtbot, theme):
    made = Dialog(theme, "Test", width=400, reused=True)
    qtbot.addWidget(made)
    fields = [QLineEdit(), QLineEdit()]
    for field in fields:
        made.body.addWidget(field)
    aside, primary = made.add_aside("Aside", list), made.add_primary("Do it", list)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: fields[0].hasFocus())
    order = []
    for _ in range(5):
        order.append(made.focusWidget())
        qtbot.keyClick(made.focusWidget(), Qt.Key.Key_Tab)
    assert order == [*fields, aside, primary, made.close_button]


def test_enter_closes_where_the_close_button_has_the_keyboard_and_nothing_is_left_to_do(qtbot, theme):
    made = Dialog(theme, "Test", width=400, reused=True)
    qtbot.addWidget(made)
    made.add_primary("Do it", list)
    made.show()
    made.close_button.setFocus()
    qtbot.keyClick(made.close_button, Qt.Key.Key_Return)
    assert made.isVisible()  # it pressed the primary button
    made.set_ready(False)
    qtbot.keyClick(made.close_button, Qt.Key.Key_Return)
    assert not made.isVisible()


@pytest.mark.parametrize("size", [{"width": 400}, {"size": (400, 300)}], ids=["fixed", "resizable"])
def test_on_a_low_screen_the_contents_scroll_and_the_buttons_stay(qtbot, theme, monkeypatch, pressed, size):
    monkeypatch.setattr(Dialog, "_room", lambda _: QSize(900, 300))
    made = Dialog(theme, "Test", reused=True, **size)
    qtbot.addWidget(made)
    fields = [QLineEdit() for _ in range(20)]
    for field in fields:
        made.body.addWidget(field)
    save = made.add_primary("Save", lambda: pressed.append("save"))
    made.show()
    qtbot.waitExposed(made)

    assert made.height() <= 300
    assert made.width() <= 900
    assert made.focusWidget() is fields[0]
    for button in (save, made.close_button):
        assert made.rect().contains(QRect(button.mapTo(made, QPoint(0, 0)), button.size()))
    qtbot.waitUntil(lambda: made.findChild(QScrollArea).verticalScrollBar().maximum() > 200)
    assert made.findChild(QScrollArea).horizontalScrollBar().maximum() == 0
    made.show_message("It is not saved.", trouble=True)
    assert made.height() <= 300
    qtbot.keyClick(fields[3], Qt.Key.Key_Return)
    assert pressed == ["save"]
    order = [fields[-1]]
    for _ in range(2):
        order.append(order[-1].nextInFocusChain())
    assert order[1:] == [save, made.close_button]


def test_where_there_is_room_nothing_scrolls(dialog):
    assert dialog.findChild(QScrollArea) is None


def test_a_dialog_without_what_it_lists_is_low_and_grows_when_there_is_something(qtbot, theme):
    made = Dialog(theme, "Test", size=(600, 400), reused=True)
    qtbot.addWidget(made)
    table = QScrollArea()
    made.body.addWidget(made.label("Nothing is here."))
    made.body.addWidget(table, 1)
    made.fill(False, table)
    made.show()
    qtbot.waitExposed(made)
    assert not table.isVisible()
    assert made.height() < 150
    made.show_message("A long sentence. " * 20)
    assert made.message.height() >= made.message.heightForWidth(made.message.width())

    made.fill(True, table)
    assert table.isVisible()
    assert made.height() >= 400
    made.resize(600, 500)
    made.fill(True, table)
    assert made.height() == 500  # the writer's choice holds

    made.fill(False, table)
    assert made.height() < 300


def test_a_dialog_that_the_desktop_put_above_the_screen_comes_over_its_window(qtbot, theme):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.setGeometry(100, 100, 600, 500)
    parent.show()
    made = Dialog(theme, "Test", parent, width=400)
    qtbot.addWidget(made)
    made.show()
    made.move(0, -22)

    qtbot.waitUntil(lambda: made.y() > 0)
    assert parent.frameGeometry().contains(made.frameGeometry().center())
