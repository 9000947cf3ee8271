"""The main window at rest: how much stands beside the tossup, and that the rest comes when it is wanted."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QLineEdit,
    QScrollArea,
    QTabBar,
    QTextEdit,
    QWidget,
)

from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from tests.helpers.fakes import DRAFT, Lead, Overlap
from tests.helpers.windows import put_back

FOUR = tuple(Player(Overlap(name), Lead(), "fake") for name in ("ir", "dan", "rnn", "ensemble"))
FULL = Tossup(DRAFT, Answer("Madama Butterfly", Page("Madama_Butterfly")))
SIZES = [(1280, 800), (1024, 700)]


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared(tossup=FULL, players=FOUR, right=False)


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot, FULL, right=False)
    qtbot.waitUntil(lambda: window.settled)
    return window


def in_sight(window):
    return [
        one for one in window.findChildren(QWidget) if one.isVisible() and not one.visibleRegion().isEmpty()
    ]


def controls(window):
    """What a mouse can press or a keyboard can fill in, but for the menus, the list and the draft."""
    tabs = [place for one in in_sight(window) if isinstance(one, QTabBar) for place in range(one.count())]
    return [one for one in in_sight(window) if isinstance(one, QAbstractButton | QLineEdit)] + tabs


def painted_words(widget):
    """The words that a widget paints itself; numbers and marks are none."""
    buffer, picture = QBuffer(), QSvgGenerator()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.setOutputDevice(buffer)
    picture.setSize(widget.size())
    painter = QPainter(picture)
    widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag(0))
    painter.end()
    texts = ElementTree.fromstring(bytes(buffer.data().data())).iter("{http://www.w3.org/2000/svg}text")
    return [word for text in texts for word in (text.text or "").split() if re.search("[A-Za-z]", word)]


def interface_words(window):
    """All words beside those of tossups: neither of the list nor of the draft nor of the answer."""
    theirs = [window.draft.viewport(), window.tossups.view.viewport(), window.answer.line]
    left = [one for one in in_sight(window) if one not in theirs]
    menus = []
    if window.menuBar() in left:  # it paints the letter of a key apart
        left.remove(window.menuBar())
        menus = [one.text() for one in window.menuBar().actions()]
    return menus + [word for one in left for word in painted_words(one)]


@pytest.mark.parametrize("size", SIZES)
def test_little_stands_beside_a_tossup_with_four_players_and_the_draft_has_three_fifths(window, qtbot, size):
    window.resize(*size)
    qtbot.waitUntil(lambda: window.height() == size[1])
    menus = [one for one in window.menuBar().actions() if one.isVisible()]
    assert len(controls(window)) <= 5
    assert len(controls(window)) + len(menus) <= 13
    words = interface_words(window)
    assert {"&File", "Draft", "Ensemble", "saved"} <= set(words)  # or nothing was counted
    assert len(words) <= 60

    qtbot.waitUntil(lambda: window.time_line.geometry().bottom() < window.status.geometry().top())
    assert window.draft.viewport().height() >= 0.6 * window.height()
    line = window.time_line
    for row in range(4):
        assert all(line.rect().contains(box.toAlignedRect()) for _, box in line.mark_boxes(row))
    assert window.rect().contains(window.status.geometry())


def test_the_text_is_whole_beside_its_evidence(window, qtbot):
    window.resize(*SIZES[1])
    window.draft.replace(
        DRAFT.replace("For 10", "Its first night at La Scala failed in 1904. " * 3 + "For 10")
    )
    qtbot.waitUntil(lambda: window.settled)
    qtbot.keyClick(window.draft, Qt.Key.Key_F4)
    qtbot.waitUntil(lambda: window.settled and window.columns.shows_players)
    assert window.draft.verticalScrollBar().maximum() == 0
    assert window.right_tabs.tabText(0) == "Evidence"
    assert window.guesses.isVisible()
    assert window.evidence.isVisible()


def test_nothing_marks_the_text_until_it_is_asked_why_and_escape_clears_it(window, qtbot):
    assert window.columns.page is None
    assert window.draft.mark_painter.cue_boxes() == ()
    column, boxes = window.draft.column, list(window.draft.boxes(FULL.words[40]))
    qtbot.keyClick(window.draft, Qt.Key.Key_F4)
    assert window.columns.shows_players
    assert window.right_tabs.shown is window.evidence
    qtbot.waitUntil(lambda: window.settled and len(window.draft.mark_painter.cue_boxes()) > 0)
    assert (window.draft.column.left(), list(window.draft.boxes(FULL.words[40]))) == (column.left(), boxes)

    qtbot.keyClick(window.evidence.text, Qt.Key.Key_Escape)
    assert window.columns.page is None
    assert window.session.heard is None
    assert window.draft.mark_painter.cue_boxes() == ()
    assert window.draft.hasFocus()


def test_what_is_asked_opens_the_right_column(window):
    for asked in ("evidence:2", "evidence:answer", "word-back", "go-what-if", "next-problem"):
        window.menus.actions[asked].trigger()
        page = window.columns.page
        assert page is (window.problems.list if asked == "next-problem" else window.right_tabs), asked
        window.put_away()
        assert window.columns.page is None, asked


def test_a_click_on_a_lane_opens_it_at_that_word(window, qtbot):
    place = window.time_line.box(1, 30).center().toPoint()
    qtbot.mouseClick(window.time_line, Qt.MouseButton.LeftButton, pos=place)
    assert window.columns.shows_players
    assert (window.session.heard, window.analysis.evidence_player) == (30, "dan")


def test_a_page_for_writing_has_the_text_alone_until_escape_or_a_bell(window, qtbot):
    for end in (Qt.Key.Key_F11, Qt.Key.Key_Escape, Qt.Key.Key_F4):
        qtbot.keyClick(window.draft, Qt.Key.Key_F11)
        assert [one for one in in_sight(window) if isinstance(one, QAbstractButton | QLineEdit)] == []
        assert {type(one) for one in in_sight(window) if isinstance(one, QTextEdit | QAbstractItemView)} == {
            type(window.draft)
        }
        assert interface_words(window) == []
        qtbot.waitUntil(lambda: window.draft.viewport().height() > 0.95 * window.height())
        qtbot.keyClicks(window.draft, "x")
        qtbot.waitUntil(lambda: window.settled)  # the players go on
        qtbot.keyClick(window.draft, end)
        assert window.time_line.isVisible()
        qtbot.waitUntil(lambda: window.menuBar().height() > 10)
        assert window.columns.shows_players is (end == Qt.Key.Key_F4)


def test_the_answer_is_looked_after_below_its_field_only_while_it_is_written(window, qtbot):
    qtbot.keyClick(window.draft, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert window.answer.below.isVisible()
    qtbot.keyClick(window.draft, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert not window.answer.below.isVisible()


def lines(draft):
    """Where each line of the draft begins: its first letter, and its place in the window."""
    block = draft.document().firstBlock()
    layout, corner = block.layout(), draft.viewport().mapTo(draft.window(), QPoint())
    return [layout.lineAt(at).textStart() for at in range(layout.lineCount())], corner


@pytest.mark.parametrize("size", [*SIZES, (960, 600)])
def test_the_draft_stays_as_it_is_when_the_right_column_opens(window, qtbot, size):
    window.resize(*size)
    qtbot.waitUntil(lambda: window.height() == size[1])
    before = lines(window.draft)
    assert len(before[0]) > 3
    window.menus.actions["next-buzz"].trigger()
    qtbot.waitUntil(lambda: window.settled)
    assert window.columns.shows_players
    assert lines(window.draft) == before
    scrolled = window.guesses.findChild(QScrollArea).verticalScrollBar().maximum()
    assert scrolled == 0 or size[1] < SIZES[-1][1]  # all guesses are in sight, but in a window as low as that
    window.put_away()
    assert lines(window.draft) == before
