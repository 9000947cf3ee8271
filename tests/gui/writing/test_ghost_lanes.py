"""Ghost lanes alone: a change is shown by the share of the tossup heard, as its figures are."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from quizwriter.domain.tossup import Tossup
from quizwriter.gui.writing.ghost_lanes import FRAME, THICK, GhostLanes
from quizwriter.gui.writing.timeline import SHORTEST, TimeLine
from quizwriter.workflow.wording import Lane

TEN = Tossup("One two three four five. Six seven eight nine ten.")


@pytest.fixture
def over(qtbot, theme):
    """Ghost lanes over a time line on ten words, of which IR buzzes after four."""
    line = TimeLine(theme)
    qtbot.addWidget(line)
    line.align(100, 100)
    line.resize(200 + 8 * SHORTEST, 240)
    line.show_lanes(TEN, (Lane("ir", "wwwrrrrrrr", buzz=4, buzzes_right=True),))
    line.show()
    qtbot.waitExposed(line)
    return GhostLanes(theme, line)


def strip_colour(over, x):
    line, low = over._time_line, over._time_line.box(0, 1).bottom() - FRAME - THICK / 2
    return line.grab().toImage().pixelColor(round(x), round(low))


def bells(over):
    return dict(over._time_line._previews)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_shorter_tossup_takes_the_whole_lane_and_a_later_share_is_farther(over, mirrored):
    over._time_line.mirror(mirrored=mirrored)
    over.show_ghosts([Lane("ir", "wwwwr", buzz=3, buzzes_right=True)])  # 60 % rather than 40 %
    assert bells(over) == {"ir": 6}
    right = QColor(over._theme.tokens.right)
    last = over._time_line.box(0, 10).center().x()
    assert strip_colour(over, last) == right
    assert strip_colour(over, over._time_line.box(0, 8).center().x()) != right


def test_the_same_words_are_where_they_were(over):
    over.show_ghosts([Lane("ir", "wwwwwwrrrr", buzz=7, buzzes_right=True)])
    assert bells(over) == {"ir": 7}


def test_without_a_buzz_there_is_no_bell(over):
    over.show_ghosts([Lane("ir", "wwwww")])
    assert bells(over) == {}
    over.show_ghosts(())
    assert not over.isVisible()
