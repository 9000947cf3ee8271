"""The dialogs of playtests: the page is written, and what comes back is shown before it is kept."""

from __future__ import annotations

import pytest

from quizwriter.gui.game.new_game import NewGameDialog
from quizwriter.gui.game.playtests import ReceivePlaytestDialog, SendPlaytestDialog
from tests.services.test_playtests import data_of, results, saved


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(shared_window):
    return shared_window


@pytest.fixture
def desk(app, window):
    saved(app)
    return window


def opened(qtbot, window, action, kind):
    window.menus.actions[action].trigger()
    qtbot.waitUntil(lambda: bool(window.findChildren(kind)))
    return window.findChildren(kind)[0]


def test_without_a_tossup_the_dialog_says_why_nothing_can_be_sent(qtbot, window):
    dialog = opened(qtbot, window, "send-playtest", SendPlaytestDialog)
    assert dialog.message.text() == "There is no tossup to read yet: write one first."


def test_one_tossup_has_no_spares(qtbot, desk):
    desk.sessions.open_saved("a")
    dialog = opened(qtbot, desk, "play-read", NewGameDialog)
    assert dialog.what.currentText() == "This tossup"
    assert not dialog.spares.isVisible()
    dialog.what.setCurrentText("Spring, 1")
    assert dialog.spares.isVisible()


def test_a_page_is_written_and_its_results_are_kept(qtbot, desk, app, tmp_path):
    page = tmp_path / "page.html"
    dialog = opened(qtbot, desk, "send-playtest", SendPlaytestDialog)
    dialog.what.setCurrentText("Spring, 1")
    dialog.write(page)
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.message.text().startswith("1 tossup written to ")
    dialog.close()
    raw = results(data_of(page.read_text(encoding="utf-8")))

    taking = opened(qtbot, desk, "receive-playtest", ReceivePlaytestDialog)
    assert not taking.button.isEnabled()
    taking.text.setPlainText("{}")
    taking.button.click()
    qtbot.waitUntil(lambda: not taking.busy)
    assert taking.message.text().startswith("These are not results of a playtest")
    taking.text.setPlainText(raw)
    taking.button.click()
    qtbot.waitUntil(lambda: taking.button.text() == "Keep the results")
    assert taking.message.text() == "1 tossup played by Ben."
    assert app.store.review_of("a").games == ()  # nothing is kept yet
    with qtbot.waitSignal(taking.kept):
        taking.button.click()
    assert len(app.store.review_of("a").games) == 1
    back = tmp_path / "results.json"
    back.write_text(raw, encoding="utf-8")
    taking.read_file(back)
    qtbot.waitUntil(lambda: not taking.busy)
    assert (
        taking.message.text() == "There is nothing new from Ben.\nThe result of tossup 1 was received before."
    )
    taking.close()
