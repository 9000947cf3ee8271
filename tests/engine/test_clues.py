"""The clauses of questions, from which clues are made."""

from __future__ import annotations

from quizwriter.engine.clues import clauses
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
