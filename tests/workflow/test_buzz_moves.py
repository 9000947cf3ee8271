"""What the last edit did: places of buzzes that move along with the text, and what is said of them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.domain.guessing import Buzz, Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.buzz_moves import PAUSE_S, BuzzMoves, BuzzPlace, move_label

ANSWER = Answer("Elm", Page("Elm"))
TEXT = "one two three four five six seven eight nine ten"


def game(text, heard, *, page="Elm", answer=ANSWER, chances=(), waits_for=0.0):
    """A game on ``text`` with a buzz after ``heard`` words, None for none."""
    tossup = Tossup(text, answer)
    guess = Guess(Page(page), 0.0)
    words = len(tossup.words)
    return Playthrough(
        "ir",
        tossup,
        tuple(range(1, words + 1)),
        ((guess,),) * words,
        (1,) * words,
        tuple(chances) or (0.5,) * words,
        None if heard is None else Buzz(heard, guess, 0.9),
        knows_answer=True,
        waits_for=waits_for,
    )


@pytest.mark.parametrize(
    ("play", "said"),
    [
        (game(TEXT, 3), "30\u00a0% (word 3 of 10)"),
        (game(TEXT, 3, page="Oak"), "wrong at 30\u00a0% (word 3 of 10)"),
        (game(TEXT, 3, page="Oak", answer=None), "30\u00a0% (word 3 of 10)"),
        (game(TEXT, None), "not yet"),
        (game(f"{TEXT}. For 10 points, name it.", None), "never"),
        (
            game(TEXT, None, chances=(0.1,) * 9 + (0.9249,), waits_for=0.925),
            "not yet (92\u00a0%, waits for 93\u00a0%)",
        ),
        (
            game(TEXT, None, chances=(0.1,) * 9 + (0.899,), waits_for=0.9),
            "not yet (89\u00a0%, waits for 90\u00a0%)",
        ),
        # how sure a player is of a wrong guess is no reason where it can guess nothing else
        (
            replace(game(TEXT, None, page="Oak", chances=(0.4,) * 10, waits_for=0.9), knows_answer=False),
            "cannot know it",
        ),
        (
            replace(game(TEXT, 3, page="Oak"), knows_answer=False),
            "wrong at 30\u00a0% (word 3 of 10), cannot know it",
        ),
        (
            replace(game(TEXT, None, answer=None, chances=(0.4,) * 10, waits_for=0.9), knows_answer=False),
            "not yet (40\u00a0%, waits for 90\u00a0%)",
        ),
    ],
)
def test_a_place_is_the_share_heard_and_a_player_that_does_not_buzz_says_what_it_waits_for(play, said):
    assert BuzzPlace.of(play).in_words == said


def label(moves, text, heard, **how):
    play = game(text, heard, **how)
    moves.take([play])
    return move_label(BuzzPlace.of(play), moves.before("ir"), play.tossup)


def changed(moves, text, heard, at_s=0.0, **how):
    moves.follow(text, at_s)
    return label(moves, text, heard, **how)


@pytest.fixture
def moves():
    """The moves of a draft on which IR buzzes after three of ten words."""
    found = BuzzMoves(TEXT)
    found.take([game(TEXT, 3)])
    return found


def test_an_edit_that_moves_the_buzz_says_where_it_was(moves):
    after = TEXT.replace("two", "2")

    assert changed(moves, after, 9) == "30\u00a0% \u2192 90\u00a0% (word 9 of 10)"
    assert moves.before("ir").word_in(Tossup(after)) == 3


def test_a_buzz_that_is_lost_or_goes_wrong_has_moved(moves):
    assert changed(moves, TEXT.replace("two", "2"), None) == "30\u00a0% \u2192 not yet"
    moves.end()
    assert changed(moves, TEXT.replace("two", "3"), 3, page="Oak") == (
        "not yet \u2192 wrong at 30\u00a0% (word 3 of 10)"
    )


def test_two_shares_that_read_the_same_are_no_move(moves):
    longer = " ".join([TEXT] * 30)
    moves.follow(longer, 0.0)
    moves.take([game(longer, 90)])
    moves.end()
    assert changed(moves, f"{longer} x", 91) == "30\u00a0% (word 91 of 301)"


def test_words_that_only_push_the_buzz_along_do_not_move_it(moves):
    assert changed(moves, f"zero {TEXT}", 4) == "36\u00a0% (word 4 of 11)"
    assert moves.before("ir").word_in(Tossup(f"zero {TEXT}")) == 4
    assert changed(moves, f"zero {TEXT} eleven", 4) == "33\u00a0% (word 4 of 12)"


def test_a_clue_that_is_moved_later_in_two_steps_has_moved_its_buzz(moves):
    moves.follow(f"four five six seven eight nine {TEXT}", 0.0)  # What if puts the later clue in,
    text = "four five six seven eight nine one two three ten"  # and then takes it out

    assert changed(moves, text, 9) == "30\u00a0% \u2192 90\u00a0% (word 9 of 10)"
    assert moves.before("ir").word_in(Tossup(text)) == 3


def test_what_is_typed_on_is_one_edit_and_the_next_begins_elsewhere_or_after_a_pause(moves):
    for typed in ("t", "tw", "two and"):
        assert changed(moves, TEXT.replace("two", typed), 5).startswith("30\u00a0% \u2192 ")
    moves.end()
    text = TEXT.replace("two", "two and").replace("nine", "9")
    assert changed(moves, text, 8).startswith("45\u00a0% \u2192 ")
    assert changed(moves, text.replace("ten", "10"), 9, at_s=PAUSE_S + 1).startswith("73\u00a0% \u2192 ")


def test_an_edit_that_is_undone_has_moved_nothing(moves):
    changed(moves, TEXT.replace("two", "2"), 9)

    assert changed(moves, TEXT, 3) == "30\u00a0% (word 3 of 10)"


def test_games_on_an_older_text_say_nothing(moves):
    moves.follow(TEXT.replace("two", "2"), 0.0)
    moves.take([game(TEXT, 7)])
    moves.end()

    assert changed(moves, TEXT.replace("two", "22"), 3) == "30\u00a0% (word 3 of 10)"
