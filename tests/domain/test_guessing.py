"""A game as it went: when the first guess was right, and whether the buzz was."""

import pytest
from msgspec.structs import replace

from quizwriter.domain.guessing import Buzz, Guess, Outcome, Playthrough, can_know, outcome, stumped
from quizwriter.domain.tossup import Answer, Tossup

BAIKAL = Tossup("one two three four five six", Answer("Lake Baikal", "Lake_Baikal"))


def game(firsts, heard=None, tossup=BAIKAL, buzz=None):
    """A game whose first guesses are right at ``x``, wrong at ``o``, and missing at ``-``."""
    rows = {"x": (Guess("Lake_Baikal", 2.0), Guess("Ladoga", 1.0)), "o": (Guess("Ladoga", 2.0),), "-": ()}
    return Playthrough(
        "ir", tossup, heard or tuple(range(1, len(firsts) + 1)), tuple(rows[f] for f in firsts), buzz=buzz
    )


@pytest.mark.parametrize(
    ("firsts", "first", "stable"),
    [
        ("oooooo", None, None),
        ("ooxxxx", 3, 3),
        ("oxoxxx", 2, 4),
        ("oxxoxo", 2, None),
        ("ooooox", 6, 6),
        ("xxxxxx", 1, 1),
        ("x-xxxx", 1, 3),
        ("------", None, None),
        ("", None, None),
    ],
)
def test_positions_are_the_first_right_guess_and_the_last_change_to_it(firsts, first, stable):
    play = game(firsts)

    assert (play.first_correct, play.stable_correct) == (first, stable)


@pytest.mark.parametrize(
    ("firsts", "knows", "ends"),
    [
        ("oooooo", True, Outcome.WRONG),
        ("ooooxx", True, Outcome.RIGHT),
        ("oxoooo", True, Outcome.WRONG),  # one early word is not enough
        ("oooooo", False, Outcome.CANNOT_KNOW),
        ("------", False, Outcome.CANNOT_KNOW),
        ("oxoooo", False, Outcome.WRONG),  # its own guess shows that it knows the page
        ("oooooo", None, Outcome.WRONG),  # unknown: the answer has a page
    ],
)
def test_a_game_ends_in_one_of_three_states(firsts, knows, ends):
    assert replace(game(firsts), knows_answer=knows).outcome is ends


def test_without_an_answer_nobody_can_know_it():
    unset = replace(game("oooooo"), tossup=Tossup(BAIKAL.text), knows_answer=None)

    assert unset.outcome is Outcome.CANNOT_KNOW


def test_whether_a_page_can_be_known_is_judged_by_what_there_is():
    listed, unlisted = Answer("Lake Baikal", "Lake_Baikal"), Answer("My aunt")

    assert [can_know(listed, said) for said in (True, False, None)] == [True, False, True]
    assert [can_know(unlisted, said) for said in (True, False, None)] == [True, False, False]
    assert can_know(unlisted, False, first_correct=3)
    assert not can_know(None, True)


def test_only_a_player_that_can_know_the_answer_is_stumped():
    assert stumped(None, None, knowable=True)
    assert not stumped(None, None, knowable=False)
    assert not stumped(3, None, knowable=True)
    assert not stumped(None, 3, knowable=True)
    assert outcome(None, knowable=True) is Outcome.WRONG


def test_positions_are_counted_in_words_not_rows():
    play = game("oxx", heard=(2, 4, 6))

    assert (play.first_correct, play.stable_correct) == (4, 4)


@pytest.mark.parametrize(
    ("heard", "index"), [(0, None), (1, None), (2, 0), (3, 0), (4, 1), (5, 1), (6, 2), (99, 2)]
)
def test_the_row_after_some_words_is_the_last_one_said_by_then(heard, index):
    assert game("oox", heard=(2, 4, 6)).index_after(heard) == index


def test_a_row_is_right_by_its_first_guess_only():
    second = (Guess("Ladoga", 2.0), Guess("Lake_Baikal", 1.0))
    play = Playthrough("ir", BAIKAL, (1, 2), (second, second[::-1]))

    assert play.right == (False, True)


def test_a_guess_is_right_as_redirects_are():
    play = Playthrough("ir", BAIKAL, (1,), ((Guess("lake baikal", 1.0),),))

    assert play.right == (True,)


def test_nothing_is_right_while_no_answer_is_asked_for():
    play = game("xx", tossup=Tossup("one two"))

    assert play.right == (False, False)
    assert play.first_correct is play.stable_correct is None


def test_the_final_guesses_are_those_of_the_last_row():
    assert game("ox").final == (Guess("Lake_Baikal", 2.0), Guess("Ladoga", 1.0))


def test_a_game_that_never_began_ends_without_guesses():
    play = Playthrough("ir", BAIKAL, trouble="The weights are gone.")

    assert play.final == ()
    assert play.index_after(6) is None


@pytest.mark.parametrize(
    ("page", "verdict"), [("Lake_Baikal", True), ("lake_baikal", True), ("Ladoga", False)]
)
def test_a_buzz_is_right_on_the_true_answer(page, verdict):
    assert game("o", buzz=Buzz(1, Guess(page, 1.0), 0.5)).buzzes_right is verdict


def test_not_buzzing_is_not_right():
    assert not game("x").buzzes_right


def test_a_buzz_is_not_right_while_no_answer_is_asked_for():
    assert not game("x", tossup=Tossup("one"), buzz=Buzz(1, Guess("Lake_Baikal", 1.0), 0.5)).buzzes_right


@pytest.mark.parametrize(
    ("chances", "threshold", "heard"),
    [
        ((0.2, 0.5, 0.9), 0.5, 4),  # exactly the threshold is enough
        ((0.2, 0.4999999, 0.9), 0.5, 7),
        ((0.2, 0.4, 0.4999999), 0.5, None),
        ((1.0, 1.0, 1.0), 1.0, 2),
        ((0.0, 0.0, 0.0), 0.0, 2),
        ((0.9, 0.1, 0.1), 0.5, 2),  # a chance that falls again does not take the buzz back
    ],
)
def test_the_first_buzz_is_at_the_first_chance_that_reaches_the_threshold(chances, threshold, heard):
    play = replace(game("oxo", heard=(2, 4, 7)), chances=chances)

    buzz = play.first_buzz(threshold)

    if heard is None:
        assert buzz is None
    else:
        at = play.heard.index(heard)
        assert buzz == Buzz(heard, play.rows[at][0], chances[at])


def test_a_game_that_lacks_a_chance_has_no_buzz():
    with pytest.raises(ValueError, match="shorter"):
        replace(game("ox"), chances=(0.1,)).first_buzz(0.5)


def test_nobody_buzzes_without_a_guess():
    assert replace(game("-x"), chances=(0.9, 0.8)).first_buzz(0.5).heard == 2
