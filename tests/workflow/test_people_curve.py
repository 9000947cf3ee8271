"""How early people answer: recorded rooms, the mean curves, and how well these do."""

from __future__ import annotations

from math import log

import pytest

from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.people_curve import (
    STEPS,
    CurveOutcome,
    curve_part,
    difficulty_of,
    fit_curves,
    has_end,
    log_losses,
)


def test_the_mean_curve_is_that_of_the_rooms_and_its_loss_is_the_log_of_its_chance():
    outcomes = [CurveOutcome("a", 3, 0), CurveOutcome("a", 3, STEPS - 1), CurveOutcome("b", 8, None)]
    curves = fit_curves(outcomes)

    assert {level: (one.rooms, one.tossups) for level, one in curves.items()} == {
        3: (2, 1),
        8: (1, 1),
        None: (3, 2),
    }
    assert sum(curves[None].chances) == pytest.approx(1)
    assert log_losses(curves, [CurveOutcome("c", 3, 0)]) == [pytest.approx(-log(2 / (2 + STEPS + 1)))]
    assert log_losses(curves, [CurveOutcome("c", 5, None)]) == [pytest.approx(-log(2 / (3 + STEPS + 1)))]
    shares = curves[3].shares(7)
    assert list(shares) == sorted(shares)
    assert shares[-1] == pytest.approx(sum(curves[3].chances[:-1]))


def test_a_buzz_past_the_end_lies_in_the_last_part():
    assert [curve_part(heard, 100) for heard in (0, 1, 5, 6, 100, 130)] == [0, 0, 0, 1, 19, 19]


def test_difficulties_are_understood_in_digits_and_in_words():
    assert [difficulty_of(said) for said in ("8", " Regionals ", "11", "²", "hard-ish", "")] == [
        8, 8, None, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("", False),
        ("This lake is deep.", False),
        ("For 10 points, name this lake. It is deep.", False),
        ("It is deep. For 10 points, name this lake.", True),
        ("It is deep. FTP, what is it", True),
        ("It is deep. Which lake is this?", True),
    ],
)
def test_the_end_of_a_tossup_asks(text, there):
    assert has_end(Tossup(text)) is there
