"""The goal of a set: which players its tossups are to beat, and by which rule."""

from __future__ import annotations

from itertools import pairwise

import pytest

from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer
from quizwriter.workflow.beat_goal import ADVERSARIES, NO_BEAT_GOAL, BeatGoal, GoalCount, beats

MERCURY = Answer("Mercury [the element; accept quicksilver]", Page("Mercury_(element)"))


@pytest.mark.parametrize(
    ("guess", "by_page", "by_f1"),
    [
        (None, True, True),
        ("Mercury_(element)", False, False),
        ("Mercury_(planet)", True, False),  # F1 does not know that these are two
        ("Lead", True, True),
    ],
)
def test_each_rule_has_its_own_beaten_players(guess, by_page, by_f1):
    said = None if guess is None else Page(guess)

    assert beats(MERCURY, said, by_f1=False) == by_page
    assert beats(MERCURY, said, by_f1=True) == by_f1


def test_f1_of_forty_per_cent_wins():
    line = Answer("battle of the big red one hill", Page("X"))

    assert not beats(line, Page("battle_red_gun_boat"), by_f1=True)  # two of four words, two of six
    assert beats(line, Page("battle_gun_boat"), by_f1=True)


def test_the_adversaries_grow_stronger_by_one_and_only_these_are_goals():
    assert [len(players) for players in ADVERSARIES] == [1, 2, 3]
    assert all(set(one) < set(other) for one, other in pairwise(ADVERSARIES))
    assert BeatGoal.of(["dan", "ir"], True) == BeatGoal(("dan", "ir"), by_f1=True)
    for wild in (None, 3, "dan", ["dan", ["ir"]], ["rnn"] * 1000, {"dan": 1}):
        assert BeatGoal.of(wild, 1) == NO_BEAT_GOAL
    assert BeatGoal.of(["dan"], "yes") == BeatGoal(("dan",))


def test_a_tossup_reaches_the_goal_if_it_beats_all_its_players():
    goal, planet, element = BeatGoal(("dan", "ir")), Page("Mercury_(planet)"), Page("Mercury_(element)")
    tossups = [
        (MERCURY, {"dan": planet, "ir": None}, True),
        (MERCURY, {"dan": planet, "ir": element}, True),
        (MERCURY, {"dan": planet, "ir": planet}, False),
        (MERCURY, {"dan": planet}, True),
    ]

    assert GoalCount.of(goal, tossups) == GoalCount(reached=1, counted=2, unknown=1, unplayed=1)
    assert GoalCount.of(BeatGoal(("dan", "ir"), by_f1=True), tossups[:1]) == GoalCount(0, 1)
    assert goal.sentence == "beat DAN and IR by the page"
    assert GoalCount(1, 2, 1, 1, 3).sentence == (
        "1 of 2 tossups reaches the goal; not counted: 1 whose answer some player cannot know, "
        "1 not played yet, 3 with the machines hidden."
    )
