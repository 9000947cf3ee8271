"""The search over everything in its window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from quizwriter.domain.tossup import Answer
from quizwriter.engine.engine import load
from quizwriter.gui.dialogs.search_window import HELP, NO_ENGINE, SearchWindow
from quizwriter.gui.theme import Theme
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.helpers.past_packets import LIGHTHOUSES, past_packets

OWN = "Maren Oldsund rowed to this tower with a cracked lantern."


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return load(past_packets(tmp_path_factory.mktemp("past")))


@pytest.fixture
def window(qtbot, theme, tmp_path, engine):
    app = App(tmp_path)
    app.store.save(PendingSave.begun("mine", OWN, Answer("Gralholm Light"), 1, "ada"))
    window = SearchWindow(app, theme, lambda: engine)
    window.present()
    yield window
    window.shutdown()
    app.store.close()


def look_for(window, qtbot, words):
    window.words.setText(words)
    qtbot.keyClick(window.words, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.found.text() != HELP and bool(window.found.text()))


def test_the_window_is_low_until_something_is_found(window, qtbot):
    assert window.height() < 300
    assert not window.list.isVisible()
    look_for(window, qtbot, "lantern oldsund")
    qtbot.waitUntil(lambda: bool(window.list.rows))
    assert window.height() >= 640
    assert window.list.isVisible()


def test_own_tossups_past_questions_and_articles_are_found_and_shown_whole(window, qtbot):
    look_for(window, qtbot, "lantern oldsund")
    qtbot.waitUntil(lambda: window.found.text() == "1 own tossup and 2 past tossups.")

    first, second, _ = window.list.rows
    assert "Oldsund" in first.title
    assert [span.of(second.title) for span in second.bold][:2] == ["lantern", "Oldsund"]
    assert (
        second.caption == "Gralholm Light · 2012 Fjord Open, packet 3, tossup 9 · difficulty 6 · power mark"
    )
    assert OWN in window.view.toPlainText()
    window.list.setCurrentIndex(window.list.model().index(1, 0))
    assert "ANSWER: Gralholm Light [or Gralholm Lighthouse]" in window.view.toPlainText()


def test_an_own_tossup_is_opened_and_a_past_question_is_cited_or_copied(window, qtbot):
    look_for(window, qtbot, "lantern oldsund")
    qtbot.waitUntil(lambda: len(window.list.rows) == 3)
    with qtbot.waitSignal(window.opened) as opened:
        window.open_button.click()
    assert opened.args == ["mine"]

    window.list.setCurrentIndex(window.list.model().index(1, 0))
    assert not window.open_button.isVisible()
    with qtbot.waitSignal(window.cited) as cited:
        window.cite_button.click()
    source, excerpt = cited.args
    assert source == "2012 Fjord Open, packet 3, tossup 9"
    assert excerpt in LIGHTHOUSES[2]
    assert "Oldsund" in excerpt
    window.copy_button.click()
    assert QApplication.clipboard().text().startswith(LIGHTHOUSES[2])


def test_filters_narrow_what_is_found_and_work_without_words(window, qtbot):
    look_for(window, qtbot, "oldsund")
    qtbot.waitUntil(lambda: len(window.list.rows) == 6)
    window.first.setValue(2012)
    qtbot.waitUntil(lambda: window.found.text() == "1 past tossup and 1 bonus part.")
    window.first.setValue(window.first.minimum())
    window.answer.setText("gannet")
    qtbot.waitUntil(lambda: window.found.text() == "1 past tossup.")
    window.words.clear()
    window.kinds.choose([("tossup",)])
    window.kinds.changed.emit()
    qtbot.waitUntil(lambda: window.found.text() == "1 past tossup.")
    window.answer.clear()
    window.kinds.choose(())
    window.kinds.changed.emit()
    qtbot.waitUntil(lambda: window.found.text() == HELP)
    assert not window.list.rows
    assert not window.cite_button.isEnabled()


def test_words_that_cannot_be_found_are_told(window, qtbot):
    look_for(window, qtbot, "of the")
    qtbot.waitUntil(lambda: "Nearly every text" in window.found.text())
    look_for(window, qtbot, "oldsund camel")
    qtbot.waitUntil(lambda: window.found.text() == "No text has all these words.")


def test_without_an_engine_the_search_waits(qtbot, qapp, tmp_path):
    app = App(tmp_path)
    theme = Theme(qapp, scheme="dark", draft_font="", draft_size_px=16)
    window = SearchWindow(app, theme, lambda: None)
    window.present("lantern")
    assert window.found.text() == NO_ENGINE
    window.shutdown()
