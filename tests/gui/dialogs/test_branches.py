"""The branches dialog in the window, on real databases."""

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QRadioButton, QTextBrowser

from quizwriter.domain.tossup import Answer
from quizwriter.gui.application import make_window
from quizwriter.services.wiring import App
from tests.services.test_branches import BASE, write


@pytest.fixture
def apps(tmp_path):
    """Three machines on which one tossup was edited in three ways; the first has all branches."""
    made = [App(tmp_path / name) for name in ("ada", "ben", "cleo")]
    for app, name in zip(made, ("Ada", "Ben", "Cleo"), strict=True):
        app.profile.set_profile(name, "")
    write(made[0], "root", BASE, Answer("Jane Austen"))
    made[0].transfer.pack(tmp_path / "all.qwpack")
    for app in made[1:]:
        app.transfer.merge([tmp_path / "all.qwpack"])
    write(made[0], "root", BASE.replace("red", "<b>grey</b>"))
    write(made[1], "root", BASE.replace("red", "blue"))
    write(made[2], "root", BASE.replace("name her", "name this woman"))
    for number, app in enumerate(made[1:]):
        app.transfer.pack(tmp_path / f"{number}.qwpack")
        made[0].transfer.merge([tmp_path / f"{number}.qwpack"])
    yield made
    for app in made:
        app.store.close()


@pytest.fixture
def window(qtbot, qapp, apps, collecting_here):
    opened = make_window(apps[0], qapp)
    opened.show()
    qtbot.waitExposed(opened)
    yield opened
    opened.close()
    opened.deleteLater()


@pytest.fixture
def dialog(qtbot, window):
    opened = window.windows.transfer.branches()
    settle(qtbot, opened)
    yield opened
    opened.close()


def settle(qtbot, dialog):
    qtbot.waitUntil(lambda: not dialog.busy)


def texts(dialog):
    content = dialog.area.widget()
    panes = [pane.toHtml() for pane in content.findChildren(QTextBrowser)]
    return panes + [label.text() for label in content.findChildren(QLabel)]


def buttons(dialog, text):
    return [one for one in dialog.area.widget().findChildren(QPushButton) if one.text() == text]


def test_while_it_searches_the_dialog_does_not_say_that_there_is_nothing(qtbot, window):
    dialog = window.windows.transfer.branches()
    assert dialog.busy
    assert dialog.nothing.isHidden()
    settle(qtbot, dialog)
    dialog.close()


def test_three_branches_are_shown_and_merged_after_a_choice_by_keyboard(qtbot, window, apps, dialog):
    assert len(buttons(dialog, "Keep only this one")) == 3
    assert any("by Cleo" in text for text in texts(dialog))
    assert any("&lt;b&gt;" in text and "text-decoration: underline" in text for text in texts(dialog))
    assert any("line-through" in text and ">red</span>" in text for text in texts(dialog))
    assert "[choice 1]" in dialog._preview.toPlainText()
    assert not dialog.merge_button.isEnabled()
    first, second, before = dialog.area.widget().findChildren(QRadioButton)
    assert "“blue” (branch" in second.accessibleName() + first.accessibleName()
    assert "as it was before" in before.accessibleName()
    qtbot.keyClick(second, Qt.Key.Key_Space)
    assert dialog.merge_button.isEnabled()
    assert "[choice 1]" not in dialog._preview.toPlainText()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    settle(qtbot, dialog)

    (one,) = apps[0].store.tossups()
    assert apps[0].store.load(one.tossup_id).tossup.text == BASE.replace("red", "blue").replace(
        "name her", "name this woman"
    )
    assert window.session.tossup_id == one.tossup_id
    assert window.draft.text == window.session.tossup.text
    assert dialog.message.text().startswith(
        "The changes of all branches of Jane Austen are merged. The others"
    )
    dialog.undo()
    settle(qtbot, dialog)
    assert len(apps[0].store.tossups()) == 3
    assert dialog.message.text().startswith("Undone")


def test_a_kept_branch_hides_the_others_which_can_be_shown_and_brought_back(qtbot, apps, dialog):
    buttons(dialog, "Keep only this one")[1].click()
    settle(qtbot, dialog)
    assert len(apps[0].store.tossups()) == 1
    assert dialog.family is None
    dialog.show_hidden.click()
    settle(qtbot, dialog)
    assert sum(", hidden" in text for text in texts(dialog)) == 2
    assert not dialog.merge_button.isVisible()
    buttons(dialog, "Restore it")[0].click()
    settle(qtbot, dialog)

    assert len(apps[0].store.tossups()) == 2
    assert dialog.merge_button.isVisible()


def test_a_branch_that_moved_meanwhile_is_not_touched_and_is_shown_again(qtbot, apps, dialog):
    key = dialog.family.lines[1].tossup_id
    write(apps[0], key, "All is new.")
    dialog.keep("root")
    settle(qtbot, dialog)

    assert len(apps[0].store.tossups()) == 3
    assert "edited after it was shown here" in dialog.message.text()
    assert any("All is new" in text for text in texts(dialog))


def test_what_is_typed_while_the_branches_are_shown_is_saved_and_nothing_is_hidden(
    qtbot, window, apps, dialog
):
    key = window.session.tossup_id
    window.draft.insertPlainText("Ours. ")
    dialog.keep(next(line.tossup_id for line in dialog.family.lines if line.tossup_id != key))
    settle(qtbot, dialog)

    assert "edited after it was shown here" in dialog.message.text()
    assert "Ours. " in apps[0].store.load(key).tossup.text
    assert len(apps[0].store.tossups()) == 3
    assert window.windows.may_save()


def test_what_is_typed_while_branches_are_joined_is_saved(qtbot, window, apps, dialog, monkeypatch):
    key, keep, going_on = window.session.tossup_id, apps[0].branches.keep, threading.Event()
    monkeypatch.setattr(apps[0].branches, "keep", lambda *given: going_on.wait() and keep(*given))
    dialog.keep(next(line.tossup_id for line in dialog.family.lines if line.tossup_id != key))
    qtbot.keyClicks(window.draft, "Ours. ")
    assert not window.windows.may_save()
    going_on.set()
    settle(qtbot, dialog)
    assert window.session.tossup_id == key
    assert window.draft.text == apps[0].store.load(key).tossup.text
    assert window.draft.text.startswith("Ours. ")
    assert len(dialog.family.visible) == 2  # what somebody goes on with is hidden no more

    going_on.clear()
    dialog.keep(key)
    qtbot.keyClicks(window.draft, "Again. ")
    threading.Timer(0.05, going_on.set).start()
    assert window.close()
    assert apps[0].store.load(key).tossup.text.startswith("Ours. Again. ")
    assert apps[0].store.check() == ()
