"""The clauses of questions, from which clues are made."""

from __future__ import annotations

from quizwriter.domain.page import Page
from quizwriter.domain.past_questions import PastQuestion, QuestionKind
from quizwriter.engine.clues import MOST_CHARACTERS, clauses, clues_of
from quizwriter.engine.same_clue import shared_clue
from tests.helpers.processor_time import seconds


def said(text, answer=""):
    return [[span.of(text) for span in clause.spans] for clause in clauses(text, answer)]


def test_sentences_are_cut_at_conjunctions_and_keep_their_words():
    text = (
        "The keeper of this tower wrote a diary about gannets, while its lantern fell into the sea in 1871."
    )
    assert said(text) == [
        ["keeper", "wrote", "diary", "gannets"],
        ["lantern", "fell", "sea", "1871"],
    ]


def test_a_short_clause_belongs_to_its_neighbour_and_a_quotation_is_not_cut():
    assert said("It burned, and boats sank near long grey reefs.") == [
        ["burned", "boats", "sank", "near", "long", "grey", "reefs"]
    ]
    quoted = 'Its bell reads "hear me ring loudly, and sail far away from my rocks".'
    assert len(said(quoted)) == 1


def test_stock_phrases_and_the_words_of_the_answer_are_no_clue():
    text = "For 10 points, name this tower on Gralholm with a red lantern."
    assert said(text, "Gralholm_Light") == [["red", "lantern"]]
    (clause,) = clauses(text, "Gralholm_Light")
    assert clause.span.of(text) == "this tower on Gralholm with a red lantern."
    assert (clause.sentence, clause.sentences) == (0, 1)


def test_a_text_without_words_has_no_clauses():
    assert clauses("") == clauses("... (*)") == clauses("name this") == ()


def test_a_word_that_is_said_again_and_again_takes_linear_time():
    assert seconds(lambda: clauses("boat " * 40_000), 3) <= 3  # 15 where each place copies those before it


def test_long_clauses_of_two_words_are_compared_in_linear_time():
    one, other = (clauses(words * 1_200)[0].words for words in ("Zorgon Blip ", "Blip Zorgon "))
    weights = dict.fromkeys(one.places, 9.0)

    assert seconds(lambda: shared_clue(one, other, weights, 10.0), 0.1) <= 0.1  # 13 by pairs of places


def test_a_text_of_many_sentences_takes_linear_time():
    text = "The old owl sat there. " * 4_000
    assert seconds(lambda: clauses(text), 4) <= 4


def rare(stems):
    return dict.fromkeys(stems, 9.0)


def asked(texts):
    page = Page("Owl")
    return [PastQuestion(number, QuestionKind.TOSSUP, text, "Owl", page) for number, text in enumerate(texts)]


def test_clues_of_questions_that_say_two_words_only_take_linear_time():
    questions = asked(["Zorgon Blip " * 140] * 10)

    assert seconds(lambda: clues_of(questions, rare, 10.0), 1) <= 1  # 4 by pairs of places


def test_questions_that_are_too_many_to_read_are_not_counted():
    told = "Zorgon built a copper belfry in Blip."
    (group,) = clues_of(asked([told, told, "owl " * MOST_CHARACTERS, told]), rare, 10.0)

    assert (group.clue.tossups, group.clue.of_tossups) == (2, 2)
    assert group.asked.share(dict.fromkeys(group.told.stems, 9.0)) == 1
