"""Whether two sentences tell the same clue."""

from __future__ import annotations

import numpy as np
import pytest

from quizwriter.engine.same_clue import (
    SAME_FROM,
    AnswerWords,
    ClueFigures,
    same_clue,
    sentence_words,
    shared_clue,
    tells_the_answer,
)
from quizwriter.engine.tokenizer import stems_in, token
from tests.helpers.processor_time import seconds

RAREST = 10.0
WEIGHTS = {
    **dict.fromkeys(("metal", "ore", "rich", "hotel", "palace", "survived", "bulb"), 2.0),
    **dict.fromkeys(("Imperial", "Tokyo", "Salazar", "scheelite", "filament"), 4.0),
    "composer": 5.0,
}


STEMS = {token(word).hash: weight for word, weight in WEIGHTS.items()}
ASKED = AnswerWords(1, lambda _: np.zeros(1, int))
"""The only past question on the answer has every word."""


def same(one, other, answer="", about=()):
    found = same_clue(
        sentence_words(one),
        sentence_words(other),
        STEMS,
        RAREST,
        stems_in(answer),
        {token(word).hash for word in about},
        ASKED,
    )
    return {word for word in WEIGHTS if token(word).hash in found}


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("His Imperial Hotel survived.", "Tokyo has an Imperial Hotel.", {"Imperial", "hotel"}),
        ("A filament in a bulb.", "Filament of bulbs.", {"filament", "bulb"}),
        ("His Imperial Hotel survived.", "His Imperial Palace burned.", set()),  # one word is no fact
        ("Ore of this metal made villages rich.", "Rich ores give a metal.", set()),  # none is rare
        ("Villages sold scheelite.", "An ore is scheelite.", set()),
    ],
)
def test_two_content_words_make_a_clue_if_one_is_a_name_or_rare(one, other, shared):
    assert same(one, other) == same(other, one) == shared


def test_words_far_from_each_other_make_no_clue():
    between = "and by and by " * 4
    assert same("An Imperial hotel.", f"An Imperial house {between} had a hotel.") == set()
    assert same("An Imperial hotel.", f"Imperial and {between[:26]} a hotel.")


def chance(one, other, **how):
    how = {"asked": ASKED, **how}
    return shared_clue(sentence_words(one), sentence_words(other), STEMS, RAREST, **how).figures.chance


def test_the_more_is_said_beside_the_shared_words_the_less_likely_is_one_clue():
    told = "His Imperial Hotel survived."
    likely, less, least = (
        chance(f"{other} Imperial Hotel.", told)
        for other in ("Tokyo has an", "The Tokyo scheelite", "Tokyo Salazar scheelite")
    )

    assert likely > less > least > SAME_FROM
    assert chance("The Tokyo scheelite Imperial Hotel.", told, asked=None) < SAME_FROM
    assert chance(f"Tokyo {'and by ' * 4}has an Imperial Hotel.", told) > likely  # far from the clue


def test_a_past_question_on_another_answer_has_to_share_more():
    sentences = ("Tokyo has an Imperial Hotel.", "Tokyo has an Imperial Hotel.")
    same_answer, named, other = (
        chance(*sentences, on_answer=on_answer, names_answer=names)
        for on_answer, names in ((True, True), (False, True), (False, False))
    )

    assert same_answer > named > other
    assert same_answer > SAME_FROM


def test_both_names_of_a_person_are_one_part_of_a_clue_and_two_facts_are_two():
    one_part, two_parts = (
        shared_clue(sentence_words(one), sentence_words(other), STEMS, RAREST).figures.parts
        for one, other in (
            ("A Tokyo Salazar survived.", "Rich Tokyo Salazar."),
            ("A Tokyo palace of Salazar survived.", "Rich Salazar had Tokyo."),
        )
    )

    assert one_part == pytest.approx(np.log1p(0.4))
    assert two_parts == pytest.approx(np.log1p(0.8))


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("He built an Imperial Hotel in Tokyo.", "An Imperial Hotel in Tokyo survived.", 5),
        ("He built an Imperial Hotel.", "Imperial by the hotel.", 1),
        ("Imperials had hotels.", "Imperial by the hotel.", 0),
        ("Imperial hotel " * 200, "Hotel imperial " * 200, 399),
        ("Imperial owls: a bird of a hotel.", "Owls, a bird of a hotel, the Imperial.", 6),
        ("Imperial hotel. And of the owls.", "And of the owls in an Imperial hotel.", 2),
    ],
)
def test_words_in_a_row_are_counted_as_they_are_written(one, other, words):
    found = shared_clue(sentence_words(one), sentence_words(other), STEMS, RAREST)

    assert np.expm1(found.figures.in_a_row) == pytest.approx(words)


@pytest.mark.parametrize("again", [("Imperial hotel ", "Hotel imperial "), ("Imperial hotel ",) * 2])
def test_words_said_again_and_again_cost_what_the_sentences_are_long(again):
    one, other = (sentence_words(words * 200) for words in again)

    assert seconds(lambda: shared_clue(one, other, STEMS, RAREST), 0.02) <= 0.02  # 0.09 by pairs of places


def test_a_clue_that_past_questions_on_the_answer_have_is_likelier():
    with_stem = {token("Imperial").hash: [0, 1, 2], token("hotel").hash: [0, 1], token("Tokyo").hash: [3]}
    asked = AnswerWords(4, lambda stem: np.asarray(with_stem[stem]))
    sentences = ("Tokyo has an Imperial Hotel.", "An Imperial Hotel survived.")

    found = shared_clue(*map(sentence_words, sentences), STEMS, RAREST, asked=asked)

    assert found.figures.asked == 0.5  # those with most of the weight of Imperial Hotel
    assert AnswerWords(0, lambda _: np.zeros(0, int)).share(STEMS) == 0


def test_each_figure_makes_the_clue_likelier():
    usual = ClueFigures(0, 0, 0.5, 0.5, 1.5, 0.5, 1, 0.5)

    assert all(
        usual._replace(**{name: getattr(usual, name) + 0.5}).chance > usual.chance for name in usual._fields
    )


def test_what_this_names_and_the_words_of_the_answer_make_no_clue():
    assert same("This composer sold scheelite.", "A composer of scheelite.") == set()
    assert same("An Imperial Hotel.", "An Imperial Hotel.", "Imperial Hotel") == set()


def test_a_clue_may_be_asked_to_have_a_word():
    sentences = ("Tokyo has an Imperial Hotel.", "The Imperial Hotel in Tokyo survived.")
    assert same(*sentences, about=["Tokyo"])
    assert same(*sentences, about=["survived"]) == set()


@pytest.mark.parametrize(
    ("own", "past", "asked", "told"),
    [
        ("Roland", "Its hero is furious.", "The Song of Roland", True),
        ("Symphonies of Mozart", "He wrote forty-one.", "Mozart", True),
        ("Sikhism", "This guru founded Sikhism.", "Nanak", True),
        ("Sunrise", "He composed Also sprach Zarathustra.", "Richard Strauss", False),
        ("", "Anything.", "Anything", False),
    ],
)
def test_a_past_sentence_on_another_answer_has_to_name_the_drafts(own, past, asked, told):
    assert tells_the_answer(stems_in(own), sentence_words(past), stems_in(asked)) is told


def test_the_words_of_a_sentence_are_counted_up_to_a_limit():
    assert len(sentence_words("owl " * 100_000).places[token("owl").hash]) == 400
