"""The training of buzzers: chances that mean what they say, and buzzes where most is won."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from index_builder.training.buzzers import CHANCE_LIMITS, fit_buzzer, reliability
from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.buzzers import FEATURES, CalibratedBuzzer
from tests.helpers.made_plays import made_play


@pytest.fixture(scope="module")
def buzzer():
    draw = random.Random(0)
    return fit_buzzer([made_play(draw) for _ in range(400)])


def test_a_buzzer_means_what_it_says_on_fresh_games(buzzer):
    draw = random.Random(1)
    fresh = [made_play(draw) for _ in range(300)]

    found = reliability(buzzer, fresh)

    assert found["error"] < 0.05
    assert len(found["table"]) > 5
    for count, said, right in found["table"]:
        assert count < 10 or said == pytest.approx(right, abs=0.1)


def test_everyone_trained_has_a_buzzer_and_its_reliability_is_told(forest, trees):
    told = Bundle.open(forest[0]).about["buzzers"]

    assert list(told) == [player.name for player in trees.players]
    for player in trees.players:
        assert isinstance(player.buzzer, CalibratedBuzzer)
        assert 0 <= told[player.name]["reliability"]["error"] <= 1
        assert sum(count for count, _, _ in told[player.name]["reliability"]["table"]) == pytest.approx(
            24, abs=1
        )


def constant(chance):
    return CalibratedBuzzer((0.0,) * FEATURES, 0.0, (0.0,), (chance,), 0.5)


def game(*first):
    """A game in which these pages are first in turn; the answer is A."""
    tossup = Tossup(" ".join(["word"] * len(first)), Answer("A", Page("A")))
    rows = tuple((Guess(Page(page), 1.0),) if page else () for page in first)
    return Playthrough("made", tossup, tuple(range(1, len(first) + 1)), rows, (None,) * len(first))


def test_reliability_counts_a_tossup_once():
    assert reliability(constant(0.5), [game("A", "B")]) == {"error": 0.0, "table": [[1.0, 0.5, 0.5]]}
    assert reliability(constant(0.7), [game("A"), game("B")])["error"] == pytest.approx(0.2)
    # one of two words right, and ten of ten: three quarters of the two tossups
    found = reliability(constant(0.75), [game("A", "B"), game(*"AAAAAAAAAA")])
    assert found == {"error": 0.0, "table": [[2.0, 0.75, 0.75]]}
    assert reliability(constant(1.0), [game("A"), game("")]) == {"error": 0.0, "table": [[1.0, 1.0, 1.0]]}
    assert reliability(constant(0.3), [game(""), game()]) == {"error": 0.0, "table": []}


@pytest.mark.parametrize(
    ("plays", "chance"), [([], 0.005), ([game("", "")], 0.005), ([game("A")], 0.995), ([game("B")], 0.005)]
)
def test_games_that_teach_nothing_make_a_buzzer_that_says_so(plays, chance):
    buzzer = fit_buzzer(plays)

    assert buzzer.chances(game("A")) == (chance,)
    assert CalibratedBuzzer.from_json(buzzer.as_json()) == buzzer


def test_the_threshold_of_a_player_that_should_wait_for_certainty_is_not_the_end_of_a_grid():
    """Nine in ten right at once, all right from the third word of ten on: it wins more by waiting."""
    plays = []
    for number in range(100):
        tossup = Tossup(" ".join(["word"] * 10), Answer("A", Page("A")))
        first = "A" if number % 10 else "B"
        rows = tuple(
            (Guess(Page("A" if word > 2 else first), 9.0), Guess(Page("C"), 1.0 if word > 2 else 7.0))
            for word in range(1, 11)
        )
        plays.append(Playthrough("made", tossup, tuple(range(1, 11)), rows, (None,) * 10))

    buzzer = fit_buzzer(plays)

    assert buzzer.chances(plays[1])[0] < 0.92 < 0.93 < buzzer.threshold < CHANCE_LIMITS[1] - 0.005


def test_a_buzzer_buzzes_where_it_wins_most():
    """Right from the third word on, and the lead says so: it buzzes there, not before and not much later."""

    def play(number):
        words = 10 + number % 3
        tossup = Tossup(" ".join(["word"] * words), Answer("A", Page("A")))
        rows = tuple(
            (Guess(Page("A" if word > 2 else "B"), 5.0), Guess(Page("C"), 1.0 if word > 2 else 4.8))
            for word in range(1, words + 1)
        )
        return Playthrough("made", tossup, tuple(range(1, words + 1)), rows, (None,) * words)

    buzzer = fit_buzzer([play(number) for number in range(30)])
    fresh = play(7)

    buzz = buzzer.buzz(replace(fresh, chances=buzzer.chances(fresh)))

    assert buzz is not None
    assert (buzz.heard, buzz.guess.page) == (3, "A")
