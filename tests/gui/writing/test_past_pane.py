"""The pane of past questions: the clues and questions on the draft's answer, and its tab."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl

from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.gui.widgets.saved_layout import read_layout
from quizwriter.gui.writing.past_pane import NO_ANSWER
from tests.helpers.fakes import FakeApp
from tests.helpers.past_packets import LIGHTHOUSES, past_packets

LIGHT = Answer("Gralholm Light", Page("Gralholm_Light"))
DRAFT = "The lantern of this tower broke in 1871."


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return load(past_packets(tmp_path_factory.mktemp("past"))).library


@pytest.fixture
def app(tmp_path, library):
    app = FakeApp(tmp_path)
    app.library = library
    return app


@pytest.fixture
def opened(open_window, app, qtbot):
    """Opens a window on a draft, with its past questions in sight."""

    def opened(answer=LIGHT, text=DRAFT):
        window = open_window(app, tossup=Tossup(text, answer))
        window.resize(1280, 800)
        window.menus.actions["go-past"].trigger()
        if answer is not None:
            qtbot.waitUntil(lambda: bool(window.panes.past.list.rows))
        return window

    return opened


def test_what_is_said_without_questions_is_at_the_top(opened, qtbot):
    window = opened(answer=None)
    pane = window.panes.past
    assert pane.said.text() == NO_ANSWER
    qtbot.waitUntil(lambda: pane.said.height() < 3 * pane.said.sizeHint().height())
    assert pane.said.mapTo(pane, pane.said.rect().topLeft()).y() < pane.height() // 3


def titles(pane):
    return [row.title for row in pane.list.rows]


def tab(window):
    return window.right_tabs.tabText(window.right_tabs.indexOf(window.panes.past))


def test_the_tab_tells_how_many_questions_there_are_and_the_pane_shows_their_clues(opened, qtbot):
    window = opened()
    pane = window.panes.past

    qtbot.waitUntil(lambda: tab(window) == "Past questions · 4")
    assert pane.said.text().startswith("Gralholm Light. Asked in 3 tossups and 1 bonus part, first 2010")
    assert pane.list.rows[0].caption.startswith("in 3 of 3 tossups, first 2010")
    pane.list.setCurrentIndex(pane.list.model().index(0, 0))
    assert pane.view.isVisible()
    assert pane.view.toPlainText().count("ANSWER:") == 4


def test_clues_are_ticked_as_the_draft_has_them(opened, qtbot):
    window = opened()
    pane = window.panes.past
    lantern = next(place for place, title in enumerate(titles(pane)) if "lantern" in title)
    qtbot.waitUntil(lambda: pane.list.rows[lantern].ticked)
    assert "the draft has this clue" in pane.list.model().index(lantern, 0).data()

    window.draft.replace("Somebody rowed there.")
    qtbot.waitUntil(lambda: not pane.list.rows[lantern].ticked)
    assert pane.list.rows[lantern].ticked is False


def test_questions_are_listed_by_year_searched_and_filtered(opened, qtbot):
    pane = opened().panes.past
    pane.questions_button.click()

    assert titles(pane)[1:] == LIGHTHOUSES[::-1]
    assert not pane.kinds.isVisible()  # there is nothing to filter among so few
    assert pane.list.rows[-1].caption == "2010 Fjord Open, packet 3, tossup 7 · difficulty 4 · power mark"
    pane.years.choose([("2011",)])
    pane.years.changed.emit()
    assert titles(pane) == [LIGHTHOUSES[1]]
    assert pane.years.isVisible()  # or nobody could take the filter back
    pane.years.choose(())
    pane.kinds.choose([("Bonus part",)])
    pane.kinds.changed.emit()
    assert len(pane.list.rows) == 1
    pane.kinds.choose(())
    pane.difficulties.choose([("4",), ("5",)])
    pane.difficulties.changed.emit()
    assert titles(pane) == [LIGHTHOUSES[1], LIGHTHOUSES[0]]
    pane.difficulties.choose(())
    pane.search.setText("Gannets SEAL")
    qtbot.waitUntil(lambda: titles(pane) == [LIGHTHOUSES[0]])


def test_a_question_is_cited_as_the_source_of_a_clue(opened, qtbot):
    pane = opened().panes.past
    pane.questions_button.click()
    pane.list.setCurrentIndex(pane.list.model().index(1, 0))
    pane.cited.disconnect()  # the sources have a test of their own

    with qtbot.waitSignal(pane.cited) as cited:
        pane.view.anchorClicked.emit(QUrl("#0"))
    assert cited.args == ["2012 Fjord Open, packet 3, tossup 9", LIGHTHOUSES[2]]


def test_another_answer_has_other_questions_and_no_answer_has_none(opened, qtbot):
    window = opened()
    pane = window.panes.past
    pane.search.setText("lantern")
    window.answer.put(None)
    window.answer.changed.emit(None)
    qtbot.waitUntil(lambda: pane.said.text() == NO_ANSWER)
    assert tab(window) == "Past questions"
    assert not pane.list.isVisible()

    window.answer.changed.emit(Answer("gannets", Page("Gannet")))
    qtbot.waitUntil(lambda: tab(window) == "Past questions · 1")
    assert pane.search.text() == ""
    assert titles(pane)[0].startswith("This bird dives")
    assert not pane.clues_button.isEnabled()  # one question shares no clue with another


def test_a_bundle_without_library_says_how_to_get_one(open_window, tmp_path, qtbot):
    window = open_window(FakeApp(tmp_path), tossup=Tossup(DRAFT, LIGHT))
    window.menus.actions["go-past"].trigger()
    qtbot.waitUntil(lambda: "Build the bundle again" in window.panes.past.said.text())
    assert window.clues.view.isHidden()  # it has the same to tell
    window.answer.put(None)
    window.answer.changed.emit(None)
    qtbot.waitUntil(lambda: not window.clues.view.isHidden())


def test_the_chosen_tab_is_remembered_and_is_too_narrow_for_its_whole_name(opened, open_window, app, qtbot):
    window = opened()
    qtbot.waitUntil(lambda: tab(window) == "Past questions · 4")
    window.right_tabs.resize(240, 300)
    assert tab(window) == "Past · 4"
    window.close()
    assert read_layout(app.home).tab == "past questions"

    again = open_window(app, tossup=Tossup(DRAFT, LIGHT))
    assert again.right_tabs.shown is again.panes.past
    again.menus.actions["go-evidence"].trigger()
    assert again.right_tabs.shown is again.evidence
