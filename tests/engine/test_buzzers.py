"""When a player interrupts: the chance of being right, row by row, from the margin or a trained curve."""

from __future__ import annotations

from math import log, log1p

import numpy as np
import pytest

from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.tossup import Page, Tossup
from quizwriter.engine.buzzers import CalibratedBuzzer, MarginBuzzer, buzzer_features
from quizwriter.system.decoding import DecodingError


def row(*scores, first="A"):
    """Guesses with these scores; the page of the first is ``first``."""
    return tuple(Guess(Page(first if i == 0 else f"other {i}"), score) for i, score in enumerate(scores))


def game(*rows, heard=None, chances=()):
    heard = heard or tuple(range(1, len(rows) + 1))
    return Playthrough("made", Tossup("word " * heard[-1]), heard, rows, chances=chances)


# The rule of bundles without trained buzzers


@pytest.mark.parametrize(
    ("lead", "chance"),
    [
        (0.0, 0.0329),
        (0.25, 0.1581),
        (1.0, 0.4428),
        (2.25, 0.7206),
        (4.0, 0.8653),
        (9.0, 0.9473),
        (12.0, 0.9529),
        (16.0, 0.9529),  # a lead of more than 12 counts as 12
    ],
)
def test_the_margin_buzzer_believes_in_a_lead_by_its_fitted_curve(lead, chance):
    assert MarginBuzzer().chances(game(row(lead - 7.5, -7.5))) == pytest.approx((chance,), abs=5e-5)


def test_the_margin_buzzer_looks_at_the_lead_over_the_second_guess_only():
    near, far = row(4.0, 3.0, 2.9), row(104.0, 103.0, -50.0)

    assert MarginBuzzer().chances(game(near, far)) == pytest.approx((0.4428, 0.4428), abs=5e-5)


def test_a_guess_without_a_second_has_no_lead_and_no_guess_has_no_chance():
    lonely, nothing, sure = row(50.0), (), row(4.0, 0.0)

    found = MarginBuzzer().chances(game(nothing, lonely, lonely, sure, sure, nothing))

    assert found == pytest.approx((0.0, 0.0329, 0.0329, 0.8653, 0.8653, 0.0), abs=5e-5)


def test_the_margin_buzzer_interrupts_when_being_right_is_as_likely_as_not():
    """The curve passes one half at a lead of 1.1868."""
    play = game(row(1.186, 0.0), row(1.187, 0.0, first="B"), row(9.0, 0.0))
    judged = game(*play.rows, chances=MarginBuzzer().chances(play))

    buzz = MarginBuzzer().buzz(judged)

    assert (buzz.heard, buzz.guess.page) == (2, "B")
    assert buzz.confidence == pytest.approx(0.5, abs=1e-3)


# The features of trained buzzers


def test_the_features_of_a_row_are_as_documented():
    five = row(6.0, 2.0, 1.0, 0.5, -3.0, -90.0)  # the sixth guess counts for nothing

    (found,) = buzzer_features(game(five, heard=(7,)))

    assert found == pytest.approx([1.0, 4.0, 2.0, 9.0, 6.0, log1p(0), 7.0, log(7)])


def test_few_guesses_have_small_leads():
    pair, lonely, nothing = buzzer_features(game(row(3.0, 2.0), row(3.0, first="B"), ()))

    assert pair[:5] == pytest.approx([1.0, 1.0, 1.0, 1.0, 3.0])
    assert lonely[:5] == pytest.approx([1.0, 0.0, 0.0, 0.0, 3.0])
    assert nothing[:5] == pytest.approx([0.0] * 5)


def test_leads_are_cut_where_they_tell_no_more():
    (found,) = buzzer_features(game(row(60.0, 10.0, 9.0, 8.0, 7.0)))

    assert found[1:4] == pytest.approx([12.0, 12.0**0.5, 24.0])


def test_a_page_is_first_since_it_took_the_lead():
    """A row without a guess interrupts nothing unless another page follows it."""
    a, a_again, b = row(2.0, 1.0), row(3.0, 1.0), row(2.0, 1.0, first="B")
    play = game((), a, a, a_again, b, (), b, heard=(2, 3, 5, 8, 9, 12, 20))

    found = buzzer_features(play)

    assert found[:, 5] == pytest.approx(np.log1p([2, 0, 2, 5, 0, 3, 0]))
    assert found[:, 6] == pytest.approx([2, 3, 5, 8, 9, 12, 20])
    assert found[:, 7] == pytest.approx(np.log([2, 3, 5, 8, 9, 12, 20]))
    assert found[:, 4] == pytest.approx([0, 2, 2, 3, 2, 0, 2])


def test_a_game_that_lacks_a_row_is_not_read():
    with pytest.raises(ValueError, match="shorter"):
        buzzer_features(game(row(1.0), heard=(1, 2)))


def test_a_game_without_rows_has_no_features():
    assert buzzer_features(Playthrough("made", Tossup(""))).shape == (0, 8)


# Trained buzzers

WEIGHTS = (0.5, 1.0, -1.0, 0.25, 0.0, 2.0, 0.125, 0.0)
BUZZER = CalibratedBuzzer(WEIGHTS, -3.0, (-1.0, 1.0, 3.0), (0.1, 0.3, 0.9), 0.4)


def test_a_trained_buzzer_reads_the_chance_of_a_weighted_sum_from_its_curve():
    """0.5 + lead 4 - root 2 + 9/4 + 7 words / 8 - 3 = 2.625, between the knots 1 and 3."""
    play = game(row(6.0, 2.0, 1.0, 0.5, -3.0), heard=(7,))

    assert BUZZER.chances(play) == pytest.approx((0.3 + 0.6 * (2.625 - 1) / 2,))


def test_a_trained_buzzer_has_no_chance_without_a_guess_but_one_without_a_lead():
    """0.5 + lead 0 + 2 · ln 1 + 2 words / 8 - 3 = -2.25, before the first knot."""
    assert BUZZER.chances(game((), row(6.0))) == pytest.approx((0.0, 0.1))


@pytest.mark.parametrize(("threshold", "heard"), [(0.3, 1), (0.31, 2), (0.9, 3), (0.91, None)])
def test_a_trained_buzzer_interrupts_at_its_own_threshold(threshold, heard):
    play = game(row(1.0), row(2.0), row(3.0), chances=(0.3, 0.6, 0.9))

    buzz = BUZZER.with_threshold(threshold).buzz(play)

    assert (buzz and buzz.heard) == heard


def test_another_threshold_changes_nothing_else():
    assert BUZZER.with_threshold(0.7) == CalibratedBuzzer(WEIGHTS, -3.0, BUZZER.knots, BUZZER.values, 0.7)


SAVED = {
    "weights": WEIGHTS,
    "constant": -3.0,
    "knots": (-1.0, 1.0, 3.0),
    "values": (0.1, 0.3, 0.9),
    "worth_it": 0.4,
}


def test_a_trained_buzzer_is_saved_under_these_names():
    assert BUZZER.as_json() == SAVED
    assert CalibratedBuzzer.from_json({**SAVED, "reliability": {"error": 0.01}}) == BUZZER


@pytest.mark.parametrize(
    "allowed",
    [
        {"knots": [2.0], "values": [0.5]},
        {"values": [0.0, 0.0, 1.0]},  # the chance may stay level, and ends at certainty
        {"worth_it": 0},
        {"worth_it": 1},
        {"constant": 1e9},
        {"weights": [-1e9] * 8},
    ],
)
def test_the_limits_of_what_is_saved_are_allowed_themselves(allowed):
    assert CalibratedBuzzer.from_json({**SAVED, **allowed})


@pytest.mark.parametrize(
    ("senseless", "problem"),
    [
        ({"weights": [1.0] * 7}, "weights"),
        ({"weights": [1.0] * 9}, "weights"),
        ({"weights": [1.1e9] * 8}, "weights"),
        ({"constant": -1.1e9}, "constant"),
        ({"constant": 1.1e9}, "constant"),
        ({"knots": []}, "knots"),
        ({"knots": [-1.0, 1.0]}, "knots: a rising number for each value is expected"),
        ({"knots": [-1.0, 1.0, 1.0]}, "knots: a rising number for each value is expected"),
        ({"knots": [-1.0, 1.0, 0.0]}, "knots: a rising number for each value is expected"),
        ({"values": [0.1, 0.3, 0.2]}, "values: they fall"),
        ({"values": [0.1, 0.3, 1.1]}, "values"),
        ({"values": [-0.1, 0.3, 0.9]}, "values"),
        ({"worth_it": -0.1}, "worth_it"),
        ({"worth_it": 1.1}, "worth_it"),
    ],
)
def test_what_is_no_buzzer_is_refused(senseless, problem):
    with pytest.raises(DecodingError, match=f"^{problem}$" if ":" in problem else problem):
        CalibratedBuzzer.from_json({**SAVED, **senseless})


@pytest.mark.parametrize("missing", list(SAVED))
def test_a_saved_buzzer_has_all_its_values(missing):
    with pytest.raises(DecodingError):
        CalibratedBuzzer.from_json({name: value for name, value in SAVED.items() if name != missing})
