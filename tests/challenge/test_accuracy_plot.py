"""The plot of a challenge set: a line and a label for each player, inside the picture."""

import re
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

from quizwriter.challenge.documents import accuracy_plot


def games(*right_from):
    """Games that are right from these shares of the words on."""
    return {
        number: SimpleNamespace(
            knowable=start is not None, right_after=lambda share, start=start: share >= start
        )
        for number, start in enumerate(right_from)
    }


def parts(plot, tag):
    return ElementTree.fromstring(plot).findall(f"{{http://www.w3.org/2000/svg}}{tag}")


def heights(line):
    return [float(point.partition(",")[2]) for point in line.get("points").split()]


def test_a_line_rises_where_games_become_right_and_those_it_cannot_know_do_not_count():
    (line,) = parts(accuracy_plot({"ir": games(1, 51, None)}), "polyline")

    assert heights(line) == [167.0] * 50 + [26.0] * 50


def test_the_control_is_a_thin_line_of_the_same_colour():
    line, control = parts(accuracy_plot({"ir": games(1)}, {"ir": games(101)}), "polyline")

    assert line.get("stroke") == control.get("stroke")
    assert float(control.get("stroke-width")) < float(line.get("stroke-width"))
    assert heights(control) == [308.0] * 100


def test_labels_of_lines_that_end_at_one_place_stand_below_each_other_inside_the_picture():
    plot = accuracy_plot({name: games(1) for name in ("ir", "dan", "rnn", "ensemble")})
    places = sorted(float(y) for y in re.findall(r'x="598\.00" y="([\d.]+)"', plot))
    assert len(places) == 4
    assert places[0] >= 12
    assert all(later - earlier >= 12 for earlier, later in pairwise(places))


def test_the_same_games_give_the_same_bytes():
    assert accuracy_plot({"dan": games(3, 70)}) == accuracy_plot({"dan": games(3, 70)})
