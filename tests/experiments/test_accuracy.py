"""Figures about players: expected wins, accuracy by words heard, time."""

import json
import math

import pytest

from quizwriter.domain.guessing import win_chance
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.experiments.accuracy import SHARES_HEARD, evaluate
from quizwriter.workflow.estimates import percentile

TEN = "one two three four five six seven eight nine ten"
LAKE = Tossup(TEN, Answer("Lake Baikal", "Lake_Baikal"))
KNOWN = {"lake baikal", "ladoga"}


def figures(*players, tossups=(LAKE,), known=KNOWN):
    return evaluate(players, tossups, known)["guessers"]


def firsts(pattern):
    """The script of a player that is right at ``x`` and wrong at ``o``."""
    return ["Lake_Baikal" if first == "x" else "Ladoga" for first in pattern]


@pytest.mark.parametrize(("share", "chance"), [(0, 0.9931), (0.25, 0.942), (0.5, 0.786), (1, 0.381)])
def test_the_chance_of_winning_is_that_of_the_paper(share, chance):
    assert win_chance(share) == pytest.approx(chance, abs=5e-4)


def test_the_chance_of_winning_falls_as_more_is_heard_and_is_never_above_one():
    chances = [win_chance(share / 100) for share in range(5, 101)]

    assert chances == sorted(chances, reverse=True)
    assert max(win_chance(share / 1000) for share in range(1001)) <= 1


def test_a_right_buzz_is_worth_the_chance_at_its_place(player):
    found = figures(player("ir", "Lake_Baikal", buzz=5))["ir"]

    assert found["expected_wins"] == round(win_chance(23 / 48), 4)  # of the characters


@pytest.mark.parametrize("buzz", [None, 1])
def test_who_is_never_right_wins_nothing(player, buzz):
    assert figures(player("ir", "Ladoga", buzz=buzz))["ir"]["expected_wins"] == 0


def test_a_question_that_is_never_right_counts_as_its_end(player):
    other = Tossup(TEN, Answer("Onega", "Onega"))
    found = figures(player("ir", *firsts("ooooo"), *firsts("xxxxx")), tossups=[LAKE, other])["ir"]

    assert found["first_correct"] == 0.6
    assert found["first_correct_or_end"] == 0.8


def test_who_is_right_but_never_buzzes_wins_nothing(player):
    assert figures(player("ir", "Lake_Baikal"))["ir"]["expected_wins"] == 0


def test_a_buzz_before_the_guess_is_right_wins_nothing(player):
    assert figures(player("ir", *firsts("ox"), buzz=1))["ir"]["expected_wins"] == 0


def test_expected_wins_are_the_mean_over_all_questions(player):
    other = Tossup(TEN, Answer("Onega", "Onega"))
    found = figures(player("ir", "Lake_Baikal", buzz=10), tossups=[LAKE, other])["ir"]

    assert found["expected_wins"] == round(win_chance(1) / 2, 4)


@pytest.mark.parametrize(
    ("pattern", "accuracy"),
    [
        ("oooooooooo", [0, 0, 0, 0, 0, 0]),
        ("xxxxxxxxxx", [1, 1, 1, 1, 1, 1]),
        ("xooooooooo", [1, 0, 0, 0, 0, 0]),  # 10 % of ten words is the first
        ("ooxooooooo", [0, 1, 0, 0, 0, 0]),  # 25 % is the third: 2.5, rounded up
        ("ooooxooooo", [0, 0, 1, 0, 0, 0]),
        ("oooooooxoo", [0, 0, 0, 1, 0, 0]),  # 75 % is the eighth
        ("ooooooooxo", [0, 0, 0, 0, 1, 0]),
        ("ooooooooox", [0, 0, 0, 0, 0, 1]),
    ],
)
def test_accuracy_is_taken_after_a_share_of_the_words(player, pattern, accuracy):
    found = figures(player("ir", *firsts(pattern)))["ir"]

    assert list(found["top1"].values()) == accuracy
    assert [int(share) for share in found["top1"]] == list(SHARES_HEARD)


def test_any_of_the_guesses_counts_for_the_top_five(player):
    runner_up = Tossup(TEN, Answer("Runner-up", "Runner_up"))
    found = figures(player("ir", "Ladoga"), tossups=[runner_up])["ir"]

    assert (found["top1"]["100"], found["top5"]["100"]) == (0, 1)


def test_positions_are_means_in_shares_of_the_words_over_the_questions_that_have_one(player):
    never = Tossup(TEN, Answer("Onega", "Onega"))
    found = figures(player("ir", *firsts("oxoxx")), tossups=[LAKE, never])["ir"]

    assert (found["first_correct"], found["stable_correct"]) == (0.2, 0.4)


def test_a_question_on_an_unknown_page_is_not_answerable(player):
    never = Tossup(TEN, Answer("Onega", "Onega"))

    assert figures(player("ir", "Ladoga"), tossups=[LAKE, never])["ir"]["answerable"] == 1


def test_every_player_has_figures_of_its_own(player):
    found = figures(player("ir", "Ladoga"), player("dan", "Lake_Baikal"))

    assert {name: figure["top1"]["100"] for name, figure in found.items()} == {"ir": 0, "dan": 1}


def test_a_question_without_words_counts_as_wrong(player):
    empty = Tossup("", LAKE.answer)
    found = evaluate([player("ir", "Lake_Baikal", buzz=10)], [empty, LAKE], KNOWN)

    assert found["questions"] == 2
    assert found["guessers"]["ir"]["top1"]["100"] == 0.5


def test_of_no_questions_there_are_no_figures_but_a_report_all_the_same(player):
    found = evaluate([player("ir", "Ladoga")], [], KNOWN)

    assert found["questions"] == 0
    assert found["guessers"]["ir"]["expected_wins"] is None
    assert found["guessers"]["ir"]["milliseconds"] == {"p50": None, "p95": None}


def test_the_report_is_json(player):
    report = evaluate([player("ir", "Ladoga")], [LAKE], KNOWN)

    assert json.loads(json.dumps(report, allow_nan=False)) == report


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([3, 1, 2], 50, 2),
        ([4, 1, 3, 2], 50, 2),
        ([7], 95, 7),
        ([7], 0, 7),
        (range(1, 101), 95, 95),
        ([1, 2], 100, 2),
    ],
)
def test_a_percentile_is_one_of_the_values(values, percent, expected):
    assert percentile(list(values), percent) == expected


def test_there_is_no_percentile_of_nothing():
    assert math.isnan(percentile([], 50))


def test_shares_of_what_a_player_can_know_leave_out_the_rest(player):
    unlisted = Tossup(TEN, Answer("My aunt"))
    found = figures(player("ir", "Lake_Baikal", buzz=10), tossups=[LAKE, unlisted, unlisted])["ir"]

    assert found["top1"]["100"] == round(1 / 3, 4)  # of all, as before
    assert found["guessable"]["questions"] == 1
    assert found["guessable"]["top1"]["100"] == found["guessable"]["top5"]["100"] == 1
    assert found["guessable"]["expected_wins"] == round(win_chance(1), 4)
    assert (found["first_correct_or_end"], found["guessable"]["first_correct_or_end"]) == (0.7, 0.1)


def test_a_player_that_can_know_nothing_has_no_share(player):
    found = figures(player("ir", "Ladoga"), tossups=[Tossup(TEN, Answer("My aunt"))])["ir"]

    assert found["guessable"]["questions"] == 0
    assert found["guessable"]["top1"]["100"] is None
