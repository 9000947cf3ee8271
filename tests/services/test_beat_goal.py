"""The goal of a set: which players its tossups are to beat, and by which rule."""

from __future__ import annotations

from itertools import pairwise

import pytest

from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer
from quizwriter.services.beat_goal import ADVERSARIES, NO_BEAT_GOAL, BeatGoal, GoalCount, beats

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


@pytest.mark.parametrize(
    ("line", "page", "guess"),
    [
        ("<b><u>color</u></b>", "Color", "Colour"),
        ("Pyotr <b><u>Tchaikovsky</u></b>", "Pyotr_Ilyich_Tchaikovsky", "Chaikovsky"),
        ("<b><u>Ottoman</u></b> Empire", "Ottoman_Empire", "Ottomans"),
        ("<b><u>Mozart</u></b> [prompt on Amadeus]", "Wolfgang_Amadeus_Mozart", "Amadeus"),
    ],
)
def test_a_guess_that_may_be_right_is_not_beaten(line, page, guess):
    answer, said = Answer(line, Page(page)), Page(guess)

    assert not answer.accepts(said)
    assert not beats(answer, said, by_f1=False)
    assert not beats(answer, said, by_f1=True)


def test_the_title_of_the_page_is_a_name_in_the_rule_and_in_its_sentence():
    line = Answer("<b><u>Prince</u></b> [accept Love Symbol]", Page("Rogers_Nelson"))

    assert beats(line, Page("Nelson_Rogers_Jr"), by_f1=False)
    assert not beats(line, Page("Nelson_Rogers_Jr"), by_f1=True)
    assert BeatGoal(by_f1=True).rule.endswith(
        "the answer line neither accepts nor prompts on it and its title has an F1 under 40 % with each name "
        "that the line accepts and with the title of the page."
    )
    assert BeatGoal().rule.endswith(
        "page of the answer and the answer line neither accepts nor prompts on it."
    )


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
