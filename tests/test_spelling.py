"""Spelling: which words are doubted, what is meant, and what published slips do to a list of words."""

from __future__ import annotations

from collections import Counter

import pytest

from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.resource_files import resources_folder
from quizwriter.spelling import Speller, known_words
from quizwriter.workflow.problems import Inspection, find_problems

USUAL = {"this": 9_000, "king": 500, "river": 800, "his": 7_000, "Vadsbru": 5_000, "eels": 3, "of": 9_000}


@pytest.fixture(scope="module")
def speller():
    return Speller(USUAL, resources_folder() / "spelling")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("tihs", "this"),  # two letters swapped
        ("rivver", "river"),  # one too many
        ("definately", "definitely"),  # another one
        ("recieved", "received"),
        ("ofhis", "of his"),  # no space between
        ("Vadbsru", "Vadsbru"),
        ("Vadsbro", "Vadsbru"),
        ("vAdsbru", "Vadsbru"),
    ],
)
def test_a_slip_is_doubted_and_the_word_is_suggested(speller, word, meant):
    assert speller.doubts(word)
    assert meant in speller.suggestions(word)
    assert len(speller.suggestions(word)) <= 5


@pytest.mark.parametrize(
    "word",
    ["this", "eels", "colour", "organise", "travelled", "pyjamas", "kerb",
     "king’s", "Vadsbru’s", "NATO", "Zyxqwold",
     "l’eau", "œuvre", "Őrség", "of", "x" * 200, "résumé"],
)  # fmt: skip
def test_names_british_spellings_and_words_of_past_questions_are_not_doubted(speller, word):
    assert not speller.doubts(word)


def test_without_the_british_dictionary_american_words_alone_are_known():
    bare = Speller(USUAL)
    assert not bare.doubts("color")
    assert bare.doubts("colour")


def test_without_a_word_list_the_dictionary_alone_finds_slips_in_small_letters():
    bare = Speller({})
    assert bare.doubts("necesary")
    assert not bare.doubts("Kierkegaard")
    assert not bare.doubts("necessary")


def word_counts(texts):
    """The words of ``texts``, each of which is given by its words."""
    every = Counter(word for words in texts for word in {word.casefold() for word in words})
    small = Counter(word for words in texts for word in set(words) if word[:1].islower())
    return known_words(every, small)


def test_a_word_list_leaves_out_published_slips_and_keeps_names_apart():
    texts = [["This", "river", "past", "Vadsbru's", "mill"]] * 90 + [["rivver", "Rivver", "vadsbrus"]]
    counts = word_counts(texts)
    assert counts["river"] == 90
    assert counts["this"] == 90 if "this" in counts else counts["This"] == 90
    assert "Vadsbru's" in counts
    assert "rivver" not in {word.casefold() for word in counts}


def test_a_word_list_leaves_out_words_that_are_run_together():
    texts = [["of", "this"]] * 2_500 + [["ofthis", "Ofthis", "Offthis", "ofthat"]] + [["offal"]]
    counts = word_counts(texts)
    assert "ofthis" not in {word.casefold() for word in counts}
    assert {"Offthis", "ofthat", "offal"} <= set(counts)  # a name, and what has no two usual words


def words(text, line="", **known):
    tossup = Tossup(text, Answer(line) if line else None)
    return [
        one.words
        for one in find_problems(Inspection(tossup, spelling=Speller(USUAL), **known), only=["spelling"])
    ]


def test_the_rule_marks_the_word_and_offers_what_is_meant():
    tossup = Tossup("This rivver has eels.")
    (found,) = find_problems(Inspection(tossup, spelling=Speller(USUAL)), only=["spelling"])
    assert (found.words, found.fix) == ("rivver", "river")
    assert "“rivver”" in found.sentence
    assert "“river”" in found.sentence


def test_words_of_the_writer_the_set_the_answer_and_repeated_names_are_right():
    assert words("A rivver of Vadsbro.") == ["rivver", "Vadsbro"]
    assert words("A rivver of Vadsbro.", known_words=frozenset({"Rivver"})) == ["Vadsbro"]
    assert words("A rivver of Vadsbro’s.", sheet=StyleSheet(words=("Vadsbro",))) == ["rivver"]
    assert words("A rivver of Vadsbro.", "Vadsbro") == ["rivver"]
    assert words("A rivver past Vadsbro and Vadsbro.") == ["rivver"]


def test_guides_and_hyphened_words_are_not_looked_at():
    assert words("This king of rivver-eels (“rivver”) ran.") == []


def test_without_a_checker_nothing_is_found():
    assert find_problems(Inspection(Tossup("This rivver.")), only=["spelling"]) == ()
