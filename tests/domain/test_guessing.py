"""A game as it went: when the first guess was right, and whether the buzz was."""

import pytest

from quizwriter.domain.guessing import Buzz, Guess, Playthrough
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
