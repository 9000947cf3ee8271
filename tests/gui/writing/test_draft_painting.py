"""What of the draft is painted when its marks change."""

import random

import pytest
from PySide6.QtWidgets import QApplication

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.gui.writing.draft import DraftPane
from quizwriter.gui.writing.draft_marks import BuzzMark, DraftMarks, Underline, UnderlinedStretch


@pytest.fixture
def pane(qtbot, theme):
    pane = DraftPane(theme)
    qtbot.addWidget(pane)
    pane.resize(800, 500)
    pane.show()
    qtbot.waitExposed(pane)
    pane.setFocus()
    return pane


@pytest.mark.parametrize("seed", range(3))
def test_after_each_edit_and_each_mark_the_screen_is_as_if_all_were_painted_anew(qtbot, pane, seed):
    draw = random.Random(seed)
    pane.setCursorWidth(0)
    pane.put("Sorrow (read slowly) waits for the humming chorus behind the paper wall.\n" * 6, 0)

    def span():
        start = draw.randrange(len(pane.text))
        return Span(start, min(len(pane.text), start + draw.randrange(1, 40)))

    def marks():
        cues = tuple(sorted((span(), draw.choice([-1, 0.5, 1])) for _ in range(6)))
        buzzes = tuple(
            BuzzMark(name, draw.randrange(len(pane.text)), right=None)
            for name in draw.sample(["ir", "dan"], draw.randrange(3))
        )
        return DraftMarks(cues, buzzes)

    def screen():
        qtbot.wait(0)  # events that were posted, too
        QApplication.processEvents()
        return pane.screen().grabWindow(pane.winId()).toImage()

    for _ in range(25):
        what = draw.randrange(4)
        if what == 0:
            pane.show_marks(marks())
        elif what == 1:
            pane.show_underlined("anybody", [UnderlinedStretch(span(), Underline.WAVY, "")])
        elif what == 2:
            pane.point_at(span())
        else:
            edited = span()
            new = draw.choice(["", "x", " ", "\n", " (a pause) ", ")"])
            pane.make_step([Edit(edited.start, edited.of(pane.text)[: draw.randrange(9)], new)])
        left = screen()
        pane.viewport().update()
        assert screen() == left


def test_a_cue_at_the_end_leaves_the_lines_above_as_they_are(qtbot, pane, monkeypatch):
    pane.put("The humming chorus is heard. " * 30, 0)
    early, late = (Span(4, 11), 1.0), (Span(len(pane.text) - 7, len(pane.text) - 2), 0.5)
    pane.show_marks(DraftMarks((early,)))
    painted = []
    paint = pane.mark_painter.paint_under_text
    monkeypatch.setattr(
        pane.mark_painter,
        "paint_under_text",
        lambda painter, dirty: (painted.append(dirty), paint(painter, dirty)),
    )
    qtbot.wait(20)
    painted.clear()

    pane.show_marks(DraftMarks((early, late)))
    qtbot.waitUntil(lambda: bool(painted))

    (box,) = pane.boxes(late[0])
    assert all(dirty.top() > box.top() - 2 * box.height() for dirty in painted)


def test_marks_in_another_order_are_painted_anew(qtbot, pane):
    pane.put("The humming chorus is heard. " * 30, 0)
    buzzes = BuzzMark("ir", 40, right=None), BuzzMark("dan", 40, right=None)
    cues = (Span(4, 11), 1.0), (Span(33, 40), 0.5)

    one, other = DraftMarks(cues, buzzes), DraftMarks(cues, buzzes[::-1])
    assert one.first_change(other) == 39
    assert one.first_change(DraftMarks(cues[::-1], buzzes)) == 4

    pane.show_marks(one)
    pane.show_marks(other)
    assert pane.buzz_marks() == buzzes[::-1]
