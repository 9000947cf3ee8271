"""The time line alone: where words are, what is said of them, and what the mouse and the keys choose."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent
from PySide6.QtWidgets import QApplication

from quizwriter.domain.guessing import Outcome
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.writing.timeline import LANE, SHORTEST, TimeLine
from quizwriter.workflow.wording import Lane

TOSSUP = Tossup("One two three four five. Six seven (*) eight nine ten.")
WORDS = 10
IR = Lane("ir", "..wwcccrrr", first=8, stable=9, buzz=4, buzz_page="Lake_Como", buzzes_right=False)
DAN = Lane("dan", "..........", outcome=Outcome.CANNOT_KNOW)


@pytest.fixture
def line(qtbot, theme):
    """A time line whose words are 8 px wide, beginning at 100."""
    line = TimeLine(theme)
    qtbot.addWidget(line)
    line.align(100, 100)
    line.resize(200 + 8 * SHORTEST, 240)
    line.show()
    qtbot.waitExposed(line)
    return line


def colour_at(line, lane, heard):
    """The colour of the lower part of a word, away from the hairlines on both sides."""
    box = line.box(lane, heard)
    return line.grab().toImage().pixelColor(round(box.center().x()), round(box.bottom()) - 2).name()


@pytest.fixture
def hint(line, monkeypatch):
    """What is said where the mouse rests: without a screen no hint can be shown."""
    said = []

    class Hints:
        showText = staticmethod(lambda at, text, of: said.append(text))
        hideText = staticmethod(lambda: said.append(""))

    monkeypatch.setattr("quizwriter.gui.writing.timeline.QToolTip", Hints)

    def hint(place):
        at = QPoint(round(place.x()), round(place.y()))
        QApplication.sendEvent(line, QHelpEvent(QEvent.Type.ToolTip, at, line.mapToGlobal(at)))
        return said.pop()

    return hint


def test_words_stand_side_by_side_and_lanes_below_each_other(line):
    line.show_lanes(TOSSUP, (IR, DAN))

    boxes = [line.box(0, heard) for heard in range(1, WORDS + 1)]
    assert boxes[0].left() == 100
    assert [box.width() for box in boxes] == [8.0] * WORDS
    assert all(one.right() == other.left() for one, other in pairwise(boxes))
    assert line.box(1, 1).top() >= line.box(0, 1).top() + LANE
    assert line.box(1, 3).left() == line.box(0, 3).left()


def test_a_long_tossup_has_room_for_all_its_words(line):
    many = Tossup("word " * (3 * SHORTEST))
    line.show_lanes(many, (Lane("ir", "r" * (3 * SHORTEST)),))

    assert line.box(0, 3 * SHORTEST).right() == pytest.approx(line.width() - 100)


def test_what_is_read_from_right_to_left_begins_at_the_right(line):
    line.show_lanes(TOSSUP, (IR,))
    line.mirror(mirrored=True)

    assert line.box(0, 1).right() == line.width() - 100
    assert line.box(0, 2).right() == line.box(0, 1).left()


def test_right_words_wrong_ones_and_those_after_a_wrong_buzz_differ(line, theme):
    line.show_lanes(TOSSUP, (Lane("ir", "..wwcccrrr"),))

    wrong, right = colour_at(line, 0, 3), colour_at(line, 0, 9)
    assert wrong == theme.tokens.wrong.lower()
    assert right == theme.tokens.right.lower()
    assert colour_at(line, 0, 1) not in (wrong, right)
    assert colour_at(line, 0, 6) not in (wrong, right)


def test_words_in_a_low_lane_are_as_high_as_their_letters(line, theme):
    theme.use_letters("", 16, 200)
    line.be_low(low=True)
    line.show_lanes(TOSSUP, (), message="Typography")
    image, across = line.grab().toImage(), line.width() - 104
    band = [
        y for y in range(line.height()) if image.pixelColor(across, y).name() == theme.tokens.band.lower()
    ]
    assert len(band) >= QFontMetricsF(theme.font(small=True)).height() - 1


def test_the_mouse_says_which_word_it_is_on(qtbot, line):
    line.show_lanes(TOSSUP, (IR,))
    pointed = []
    line.pointed.connect(pointed.append)

    for place in (line.box(0, 4).center(), QPointF(20, 60), line.box(0, WORDS + 1).center()):
        qtbot.mouseMove(line, place.toPoint())
    QApplication.sendEvent(line, QEvent(QEvent.Type.Leave))

    assert pointed == [4, None, None, None]


def test_a_click_chooses_a_word_and_on_the_last_the_whole(qtbot, line):
    line.show_lanes(TOSSUP, (IR,))
    chosen = []
    line.lane_chosen.connect(lambda *of: chosen.append(of))
    for heard in (2, WORDS):
        qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=line.box(0, heard).center().toPoint())

    assert chosen == [("ir", 2), ("ir", None)]


def test_a_click_on_a_bell_or_a_name_asks_why_that_player_buzzes(qtbot, line):
    line.show_lanes(TOSSUP, (IR, Lane("rnn", "rrrrrrrrrr", buzz=7)))
    asked, chosen = [], []
    line.buzz_chosen.connect(asked.append)
    line.lane_chosen.connect(lambda *of: chosen.append(of))
    bell = dict(line.mark_boxes(1))["buzz"].center().toPoint()
    for place in (bell, QPoint(5, round(line.box(0, 1).center().y()))):
        qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=place)

    assert (asked, chosen) == (["rnn", "ir"], [])


LABEL = "20\u00a0% \u2192 70\u00a0% (word 7 of 10)"


@pytest.mark.parametrize(("buzz", "ghost"), [(7, 2), (2, 9), (10, 1), (1, 10), (5, None), (None, 4)])
def test_the_label_hides_no_bell(line, buzz, ghost):
    line.show_lanes(TOSSUP, (Lane("ir", "." * WORDS, buzz=buzz, ghost=ghost, label=LABEL),))
    label = line.label_box(0, line.fontMetrics())

    assert not any(label.intersects(box) for _, box in line.mark_boxes(0))
    assert line.rect().toRectF().contains(label)


def test_labels_begin_where_their_lanes_do_and_lie_on_no_lane(line):
    buzzes = (("ir", 30), ("dan", 50), ("rnn", None))
    line.show_lanes(TOSSUP, tuple(Lane(name, buzz=buzz, label=LABEL) for name, buzz in buzzes))
    for row in range(3):
        label = line.label_box(row, line.fontMetrics())
        assert label.left() == line.box(row, 1).left()
        assert label.bottom() <= line.box(row, 1).top()
        assert row == 0 or label.top() >= line.box(row - 1, 1).bottom()


def test_a_label_without_room_beside_the_bell_leaves_its_brackets_out(line):
    line.resize(200 + 140, 240)
    line.show_lanes(TOSSUP, (Lane("ir", "." * WORDS, buzz=38, label=LABEL),))
    metrics = line.fontMetrics()
    label = line.label_box(0, metrics)
    assert label.width() < metrics.horizontalAdvance(LABEL)
    assert not any(label.intersects(box) for _, box in line.mark_boxes(0))


def test_a_label_leaves_room_for_the_bell_of_a_change_which_is_the_only_pale_one(line):
    line.show_lanes(TOSSUP, (Lane("ir", "." * WORDS, buzz=9, ghost=8, label=LABEL),))
    line.leave_room_for({"ir": 3})
    assert not line.label_box(0, line.fontMetrics()).intersects(line.bell_box(0, 3))
    assert [kind for kind, _ in line.mark_boxes(0)] == ["buzz"]
    line.leave_room_for({})
    assert [kind for kind, _ in line.mark_boxes(0)] == ["ghost", "buzz"]


@pytest.mark.parametrize(
    ("buzzes", "player", "said"),
    [((6, None), "", ", goal met"), ((5, 9), "", ""), ((5, 9), "rnn", ""), ((6, 2), "ir", ", goal met")],
)
def test_a_goal_that_is_met_is_said_once_the_draft_has_its_end(line, buzzes, player, said):
    lanes = tuple(
        Lane(name, buzz=buzz, label=LABEL) for name, buzz in zip(("ir", "rnn"), buzzes, strict=True)
    )
    line.show_goal(BuzzGoal(60, player))
    line.show_lanes(Tossup("One two three four five six. For 10 points, name."), lanes)
    assert line.label(0) == LABEL + said

    line.show_lanes(TOSSUP, lanes)
    assert line.label(0) == LABEL


@pytest.mark.parametrize(
    ("marked", "mirrored", "key", "chosen"),
    [
        (None, False, Qt.Key.Key_Left, 9),
        (4, False, Qt.Key.Key_Right, 5),
        (4, False, Qt.Key.Key_Left, 3),
        (4, True, Qt.Key.Key_Right, 3),
        (9, False, Qt.Key.Key_Right, None),  # the last is the whole
        (1, False, Qt.Key.Key_Left, 1),
        (4, False, Qt.Key.Key_Up, 1),
        (4, False, Qt.Key.Key_Down, None),
        (4, False, Qt.Key.Key_Home, 1),
        (4, False, Qt.Key.Key_End, None),
    ],
)
def test_keys_step_through_the_words(qtbot, line, marked, mirrored, key, chosen):
    line.show_lanes(TOSSUP, (IR,))
    line.mirror(mirrored=mirrored)
    line.mark(marked)
    with qtbot.waitSignal(line.chosen) as found:
        qtbot.keyClick(line, key)

    assert found.args == [chosen]


def test_without_words_there_is_nothing_to_step_to(qtbot, line):
    line.show_lanes(Tossup(""), ())
    with qtbot.assertNotEmitted(line.chosen):
        for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home):
            qtbot.keyClick(line, key)


def test_a_hint_says_all_of_a_word(line, hint):
    line.show_lanes(TOSSUP, (IR, DAN))

    assert hint(line.box(0, 4).center()) == ("Word 4 of 10, IR: another answer leads; buzz on Lake Como")
    assert hint(line.box(0, 8).center()).endswith("your answer leads; right for the first time")
    assert hint(line.box(1, 8).center()) == "Word 8 of 10, DAN: no guess yet"
    assert hint(QPointF(10, line.box(0, 1).center().y())) == ""


def test_a_player_in_trouble_says_so_wherever_the_mouse_is(line, hint):
    line.show_lanes(TOSSUP, (Lane("ir", trouble="The disk is full."),))

    assert hint(line.box(0, 4).center()) == "The disk is full."
    assert "IR, The disk is full." in line.accessibleDescription()


def test_the_whole_line_is_said_in_words(line):
    line.show_lanes(TOSSUP, (IR, DAN), summary="A summary. Nobody gets it.")

    assert line.accessibleDescription() == (
        "A summary. Nobody gets it. 10 words; power mark after word 7; IR, first right at word 8, stays "
        "right from word 9, buzzes at word 4 on Lake Como; DAN, cannot know the answer."
    )


def test_marks_stand_over_their_own_words(line):
    line.show_lanes(TOSSUP, (IR, Lane("dan", "r" * WORDS, first=2, stable=2)))

    marks = dict(line.mark_boxes(0))
    assert list(marks) == ["buzz", "first", "stable"]
    for kind, heard in (("buzz", 4), ("first", 8), ("stable", 9)):
        assert marks[kind].center().x() == line.box(0, heard).center().x()
    assert marks["buzz"].bottom() < line.box(0, 4).top()
    assert [kind for kind, _ in line.mark_boxes(1)] == ["stable"]  # the same word: said once


def test_the_same_again_paints_nothing(qtbot, theme):
    painted = []

    class Noted(TimeLine):
        def paintEvent(self, event):
            painted.append(event)
            super().paintEvent(event)

    other = Noted(theme)
    qtbot.addWidget(other)
    other.show()
    qtbot.waitExposed(other)
    other.show_lanes(TOSSUP, (IR,), summary="One.")
    qtbot.waitUntil(lambda: bool(painted))
    QApplication.processEvents()
    painted.clear()
    other.show_lanes(TOSSUP, (IR,), summary="One.")
    QApplication.processEvents()
    assert not painted
    other.show_lanes(TOSSUP, (IR,), summary="Another.")
    qtbot.waitUntil(lambda: bool(painted))


def test_nothing_moves_when_a_second_player_is_as_high_as_it_says(line):
    line.show_lanes(TOSSUP, (IR,))
    one = line.sizeHint().height()
    line.show_lanes(TOSSUP, (IR, DAN))

    assert line.sizeHint().height() > one
    assert line.minimumSizeHint().height() == line.sizeHint().height()


def painted_rows(line, colour):
    """How many rows of pixels at the beginning of the lanes have ``colour``."""
    image = line.grab().toImage()
    return sum(image.pixelColor(102, row) == QColor(colour) for row in range(image.height()))


def test_a_long_message_has_two_lines_where_there_are_no_lanes(line, theme):
    band = theme.tokens.band
    line.show_lanes(TOSSUP, (), "Short.")
    assert painted_rows(line, band) == LANE
    room = line.width() - 200
    text = "no machine "
    while line.fontMetrics().horizontalAdvance(text) < 1.2 * room:
        text += "no machine "
    line.show_lanes(TOSSUP, (), text)
    assert painted_rows(line, band) > LANE
    line.show_lanes(TOSSUP, (Lane("llm", trouble=text),))
    assert painted_rows(line, band) == LANE
