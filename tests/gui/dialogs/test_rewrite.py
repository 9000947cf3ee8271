"""*New from a past question…* and the goal in the time line."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from quizwriter.domain.style_sheet import NO_GOAL_AT_ALL, BuzzGoal
from quizwriter.gui.dialogs.goal import GoalDialog
from quizwriter.gui.dialogs.rewrite import RewriteDialog
from quizwriter.services.wiring import App


@pytest.fixture(scope="module")
def shared_app(tmp_path_factory, bare_forest):
    app = App(tmp_path_factory.mktemp("rewrite"), bundle=bare_forest)
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    yield app
    app.store.close()


@pytest.fixture
def app(shared_app, monkeypatch):
    monkeypatch.setattr(
        "quizwriter.workflow.rewrite_offers.EARLY", 1.0
    )  # the player of the forest waits long
    monkeypatch.setattr("quizwriter.services.rewriting.MOST_PLAYED", 6)
    return shared_app


@pytest.fixture
def window(qtbot, app, shared_window):
    if shared_window.engines.engine is None:
        with qtbot.waitSignal(shared_window.analysis_runner.loaded):
            shared_window.start()
    return shared_window


@pytest.fixture
def dialog(qtbot, window):
    window.menus.actions["new-from-past"].trigger()
    qtbot.waitUntil(lambda: bool(window.findChildren(RewriteDialog)))
    (dialog,) = window.findChildren(RewriteDialog)
    qtbot.waitUntil(lambda: not dialog.busy)
    return dialog


def test_a_question_is_found_looked_at_and_begun_with_its_goal(qtbot, window, dialog, app):
    assert dialog.list.topLevelItemCount() > 0  # it opens filled, and Enter begins
    assert dialog.begin_button.isEnabled()
    assert dialog.list.hasFocus()
    dialog.categories.setCurrentIndex(dialog.categories.findData("Literature"))
    dialog.search_button.click()
    qtbot.waitUntil(lambda: not dialog.busy and dialog.list.topLevelItemCount() > 0)
    offer = dialog.chosen
    assert dialog.text.toPlainText() == offer.question.text
    assert "IR" in dialog.curves.accessibleDescription()
    dialog.goal.per_cent.setValue(75)
    dialog.begin_button.click()
    qtbot.waitUntil(lambda: window.session.tossup.text == offer.question.text)

    assert app.review.review_of(window.session.tossup_id).buzz_goal == BuzzGoal(75)
    words = len(window.session.tossup.words)
    goal = f"goal: No player is to buzz before 75 % of the words, which is word {-(-words * 75 // 100)}"
    assert goal in window.time_line.accessibleDescription()
    window.sessions.copy_draft()
    copied = QApplication.clipboard().text()
    assert copied.endswith(f"Based on {offer.question.source}, on {offer.question.page}.")


def test_a_category_without_questions_says_so(qtbot, dialog):
    dialog.categories.setCurrentIndex(dialog.categories.findData("Science"))
    dialog.search_button.setFocus()
    qtbot.keyClick(dialog.search_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not dialog.busy)
    assert "no past tossup of the category Science" in dialog.message.text()
    assert not dialog.list.isVisible()  # no empty table
    assert dialog.search_button.isEnabled()
    assert not dialog.begin_button.isEnabled()
    dialog.search_button.setFocus()
    qtbot.keyClick(dialog.search_button, Qt.Key.Key_Return)  # looks again: nothing can be begun
    assert dialog.busy
    qtbot.waitUntil(lambda: not dialog.busy)
    dialog.reject()


def test_the_goal_of_a_tossup_is_set_and_removed(qtbot, window, app):
    qtbot.keyClicks(window.draft, "A lake in Asia.")
    for per_cent, said in ((40, "goal: IR is not to buzz before 40 % of the words"), (0, "")):
        window.menus.actions["buzz-goal"].trigger()
        dialog = next(one for one in window.findChildren(GoalDialog) if one.isVisible())
        dialog.form.player.setCurrentIndex(1)
        dialog.form.per_cent.setValue(per_cent)
        with qtbot.waitSignal(window.review_actions.changed):
            dialog._choose()
        assert said in window.time_line.accessibleDescription()
    assert "goal" not in window.time_line.accessibleDescription()


def test_a_tossup_can_have_no_goal_whatever_its_set_says(qtbot, window, app):
    qtbot.keyClicks(window.draft, "A lake in Asia.")
    dialog = GoalDialog(window.theme, ["ir"], None, window)
    assert not dialog.waived.isChecked()
    dialog.waived.setChecked(True)
    assert not dialog.form.isEnabled()
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog._choose()
    assert chosen.args == [NO_GOAL_AT_ALL]

    again = GoalDialog(window.theme, ["ir"], NO_GOAL_AT_ALL, window)
    assert again.waived.isChecked()
    again.reject()
