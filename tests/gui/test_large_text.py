"""Letters of 200 % in a window of 900 pixels: nothing is cut, and nothing lies over something else."""

from itertools import pairwise

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QToolButton, QWidget

from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.past_questions import PastQuestion, PastReport, QuestionKind, TimesAsked
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.gui.dialogs.preferences import PAGES
from quizwriter.gui.theme import Theme
from quizwriter.gui.writing.clue_view import ClueView
from quizwriter.gui.writing.guess_row import GuessRow
from quizwriter.gui.writing.past_pane import PastPane
from tests.gui.test_rest import painted_words
from tests.helpers.fakes import DRAFT, FakeApp, Lead, Overlap
from tests.helpers.leaks import delete_what_waits
from tests.helpers.windows import put_back


@pytest.fixture(scope="module")
def usual_letters(qapp):
    """The letters of later tests, again of their usual size once the window is gone."""
    yield
    delete_what_waits()
    Theme(qapp, scheme="light", draft_font="", draft_size_px=16)


@pytest.fixture(scope="module")
def opened(tmp_path_factory, usual_letters, open_shared):
    app = FakeApp(
        tmp_path_factory.mktemp("home"),
        tuple(Player(Overlap(name), Lead(), "fake") for name in ("ir", "dan")),
    )
    app.settings = replace(app.settings, text_percent=200)
    return open_shared(app)


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT, Answer("Madama Butterfly", Page("Madama_Butterfly"))))
    window.resize(900, 700)
    qtbot.waitUntil(lambda: window.settled)
    return window


def cut(top):
    """The labels and buttons that are smaller than their texts."""
    for one in top.findChildren(QLabel):
        if one.isVisibleTo(top) and one.text() and one.accessibleName() != "Your answer":
            needed = one.heightForWidth(one.width()) if one.wordWrap() else one.sizeHint().height()
            if one.height() < needed - 1 or (not one.wordWrap() and one.width() < one.sizeHint().width() - 1):
                yield one.text()
    for kind in (QPushButton, QToolButton):
        for one in top.findChildren(kind):
            if one.isVisibleTo(top) and len(one.text()) > 2 and one.width() < one.minimumSizeHint().width():
                yield one.text()


def test_the_parts_of_the_window_fit_and_do_not_overlap(window, qtbot):
    assert window.width() == 900
    qtbot.waitUntil(lambda: list(cut(window.guesses)) == [])  # the larger letters are laid out by and by
    assert list(cut(window.status)) == []
    parts = [window.header, window.answer, window.draft, window.time_line, window.guesses, window.evidence]
    places = [QRect(one.mapTo(window, QPoint(0, 0)), one.size()) for one in parts if one.isVisible()]
    for number, place in enumerate(places):
        assert window.rect().contains(place)
        assert not any(place.intersects(other) for other in places[number + 1 :])


def test_a_low_window_keeps_lines_of_the_draft_and_the_reason_for_a_buzz(window, qtbot):
    window.resize(960, 600)
    line = window.draft.fontMetrics().lineSpacing()
    qtbot.waitUntil(lambda: window.draft.viewport().height() > 4 * line)
    window.analysis.show_buzz("ir")
    qtbot.waitUntil(lambda: window.evidence._why.isVisible() and "Top cues" in window.evidence.why)
    qtbot.waitUntil(lambda: window.evidence.text.viewport().height() > 1.5 * line)
    assert not any("…" in text for text in painted_words(window.time_line))
    window.status.tell("Every player gets it before the last sentence.")
    qtbot.waitUntil(lambda: "sentence." in painted_words(window.status._sentence))
    window.resize(1600, 600)
    qtbot.waitUntil(window.status._size.isVisible)


def test_the_heads_of_the_list_and_of_the_problems_are_not_cut(window, qtbot):
    window.resize(1280, 800)
    window.columns.show_tossups()
    window.problems.toggle()
    assert window.tossups.isVisible()
    assert list(cut(window.tossups)) == []
    problems = window.problems.list
    qtbot.waitUntil(lambda: list(cut(problems)) == [])  # it slides up


def test_the_past_questions_scroll_rather_than_lie_over_each_other(window, qtbot):
    pane, clue = PastPane(window.theme), ClueView(window.theme)
    host = QWidget()  # the pane is squeezed, as in a low window; a window would not let itself be
    qtbot.addWidget(host)
    pane.setParent(host)
    pane.add_on_top(clue)
    clue.show_nothing("Heard in two past questions, in 2011 and in 2014; mostly in the lead in.")
    asked = [PastQuestion(n, QuestionKind.TOSSUP, DRAFT, "Gralholm", Page("Gralholm")) for n in (1, 2)]
    pane.show_report(PastReport("Gralholm", TimesAsked(tossups=2), tuple(asked)))
    pane.setGeometry(0, 0, 320, 240)
    host.show()

    shown = [clue.title, clue.said, pane.said, pane.search, pane.list]
    places = [QRect(one.mapTo(pane, QPoint(0, 0)), one.size()) for one in shown if one.isVisible()]
    assert len(places) == len(shown)
    assert all(upper.bottom() < lower.top() for upper, lower in pairwise(places))
    assert all(place.right() <= pane.width() for place in places)
    assert list(cut(clue)) == []


def test_the_list_makes_room_and_comes_back(window):
    assert window.tossups.isHidden()
    window.columns.toggle_tossups()
    assert not window.tossups.isHidden()  # the writer wants it all the same
    window.columns.toggle_tossups()
    window.appearance.use_letters(family="", draft_px=16, percent=100)

    assert window.columns.sizes_to_save().tossups_hidden is window.tossups.isHidden()


def test_a_lane_and_its_ruler_are_as_high_as_their_letters(window):
    letters = QFontMetricsF(window.theme.font(small=True)).height()

    assert window.time_line.box(1, 1).top() - window.time_line.box(0, 1).top() >= letters
    assert window.theme.px(18) >= letters


def test_every_page_of_the_preferences_fits_or_scrolls(window, qtbot):
    for title in (page.title for page in PAGES):
        window.open_preferences(title)
        dialog = window.preferences
        qtbot.waitExposed(dialog)

        assert list(cut(dialog)) == [], title
        for button in (dialog.close_button, *dialog.findChildren(QAbstractButton)):
            if button.isVisibleTo(dialog) and not dialog.stack.isAncestorOf(button):
                place = QRect(button.mapTo(dialog, QPoint(0, 0)), button.size())
                assert dialog.rect().contains(place), title
        dialog.close()
        qtbot.waitUntil(lambda: window.preferences is None)


def test_the_tour_fits(window):
    window.start_tour()
    tour = window.tour
    while window.tour is not None:
        assert window.rect().contains(tour.card.geometry()), tour.stop.title
        assert list(cut(tour.card)) == []
        tour.go(1)


def test_icons_grow_with_the_letters(window, qtbot):
    rows = window.guesses.findChildren(GuessRow)
    qtbot.waitUntil(lambda: {row.link.width() for row in rows if row.isVisible()} == {window.theme.px(24)})
    assert window.header.status_chip.iconSize().width() == window.theme.px(12)
    bell = next(box for kind, box in window.time_line.mark_boxes(0) if kind == "buzz")
    assert bell.width() == window.theme.px(12) > 12


def test_a_name_has_the_room_of_a_link_that_is_not_in_sight(window, qtbot):
    window.resize(1280, 800)
    window.show_right()
    row = next(row for row in window.guesses.findChildren(GuessRow) if row.isVisible() and row.line)
    qtbot.waitUntil(lambda: 260 < row.width() < window.theme.px(260))
    assert not row.shows_link
    _, end = row._room("")
    assert end == row.width() - 8


def test_the_text_has_most_of_a_narrow_column(window):
    """Long names of players are cut there, so that the text is not."""
    column = window.draft.viewport().geometry()
    assert column.left() < window.draft.width() * 0.25
    assert column.width() > window.draft.width() * 0.7


def test_set_and_category_share_their_room(window):
    """What the shorter one leaves, the longer one has."""
    row = window.header
    row.set_chip.show_text("ABC")
    row.category_chip.show_text("A long name of a category")
    row._fit()
    assert row.set_chip.text() == "ABC"
    assert len(row.category_chip.text()) >= 8
