"""Spelling: which words are doubted, and what is meant."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import hunspell
import pytest

from quizwriter import spelling
from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.spelling import Speller
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.problems.rule import Inspection
from quizwriter.workflow.problems.rules import find_problems

USUAL = {"this": 9_000, "king": 500, "river": 800, "his": 7_000, "Vadsbru": 5_000, "eels": 3, "of": 120_000}


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
        ("Vadbsru", "Vadsbru"),
        ("Vadsbro", "Vadsbru"),
        ("tHis", "this"),
    ],
)
def test_a_slip_is_doubted_and_the_word_is_suggested(speller, word, meant):
    assert speller.meant(word)
    assert speller.meant(word)[0] == meant
    assert word == "tHis" or meant in speller.suggestions(word)
    assert len(speller.suggestions(word)) <= 5


@pytest.mark.parametrize(
    "word",
    ["this", "eels", "colour", "organise", "travelled", "pyjamas", "kerb",
     "king’s", "Vadsbru’s", "NATO", "Zyxqwold",
     "l’eau", "œuvre", "Őrség", "of", "x" * 200, "résumé"],
)  # fmt: skip
def test_names_british_spellings_and_words_of_past_questions_are_not_doubted(speller, word):
    assert not speller.meant(word)


def test_without_the_british_dictionary_american_words_alone_are_known():
    bare = Speller(USUAL)
    assert not bare.meant("penalization")
    assert bare.meant("penalisation") == ("penalization",)


def test_without_a_word_list_the_dictionary_alone_finds_slips_in_small_letters():
    bare = Speller({})
    assert bare.meant("necesary")
    assert not bare.meant("Kierkegaard")
    assert not bare.meant("necessary")


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("moun", "tain", "mountain"),  # a line ended in the word
        ("Moun", "tains", "Mountains"),
        ("well", "salted", "well-salted"),
        ("Reed", "Marsh", "Reed-Marsh"),
        ("eel", "Marsh", "eel-Marsh"),
        ("ZQX", "salted", "ZQX-salted"),
        ("vads", "bru", "vadsbru"),  # no dictionary has it, but many questions
        ("endonucle", "ases", "endonucleases"),  # English texts have it
        ("zom", "burk", ""),
    ],
)
def test_a_torn_word_is_told_from_a_word_with_a_hyphen(speller, first, second, whole):
    assert speller.untorn(first, second) == whole


def test_the_fix_of_a_torn_word_takes_its_hyphen_away_unless_it_has_one(speller):
    text = "Its moun- tain, its well- salted eel, and its zom- burk."
    problems = find_problems(Inspection(Tossup(text), spelling=speller), only=["torn_hyphen"])
    assert [(one.words, one.fix) for one in problems] == [("- ", ""), ("- ", "-"), ("- ", None)]


@pytest.mark.parametrize("word", ["citrine", "polyhedra", "carboxyl", "introns", "utopian", "rivier"])
def test_a_word_of_english_texts_is_doubted_only_by_a_large_list(word, monkeypatch):
    counts = {"river": 9_000}
    assert Speller(counts).meant(word) == ()
    monkeypatch.setattr(spelling, "LARGE", len(counts))
    assert Speller(counts).meant(word)[:1] == (("river",) if word == "rivier" else ())
    assert Speller(counts).meant(word.title()) == ()  # a name that English texts have
    assert Speller(counts).meant(word.title(), begins=True)[:1] == (("River",) if word == "rivier" else ())


class Beside:
    """Knows that zomburks stand beside rivers, and that "this river" is asked for."""

    def together(self, before, words, after):
        beside = {*before, *after}
        return [
            (word == "zomburk" and "river" in beside, word == "river" and before[-1:] == ("this",))
            for word in words
        ]


def test_the_words_around_tell_a_slip_from_a_new_word(monkeypatch):
    monkeypatch.setattr("quizwriter.spelling.LARGE", 1)
    speller = Speller({"zomburk": 3}, neighbours=Beside())
    assert speller.meant("domburk", ("of", "a", "river")) == ("zomburk",)
    assert speller.meant("domburk", ("of", "a", "pond")) == ()
    assert Speller({"river": 3}, neighbours=Beside()).meant("Ryver", ("this",)) == ("River",)
    assert Speller({"river": 3}, neighbours=Beside()).meant("Ryver", ("that",)) == ()


def test_a_word_that_stands_beside_its_neighbours_elsewhere_is_no_slip():
    counts = USUAL | {"rivver": 2}
    assert Speller(counts).meant("rivver", ("eels",))
    assert not Speller(counts, neighbours=Everything()).meant("rivver", ("eels",))


def test_a_small_list_does_not_say_how_usual_a_word_is():
    assert Speller({"depicted": 3}).meant("dedpicted") == ("depicted",)
    assert Speller({"Depicton": 3}).meant("Depictan") == ()


def test_a_word_of_english_texts_is_doubted_less_than_one_that_nobody_wrote(monkeypatch):
    monkeypatch.setattr("quizwriter.spelling.LARGE", 1)
    speller = Speller({"guttman": 25, "Vaughn": 40})
    assert speller.meant("guttmamn") == ("guttman",)
    assert speller.meant("guttmann") == ()
    assert speller.meant("Vavghn") == ("Vaughn",)
    assert speller.meant("Vaught") == ()


def test_a_known_word_that_stands_twice_is_meant_so():
    speller = Speller({"river": 9_000, "rivver": 2})
    assert speller.meant("rivver")
    assert speller.meant("rivver", again=True) == ()
    assert speller.meant("riverr", again=True)[0] == "river"  # whoever slips may slip twice
    assert words("The riverr has a riverr.") == ["riverr", "riverr"]


def test_speech_without_its_last_letter_is_meant_so():
    assert words("“Rivverin” is there.") == []
    assert words("It says “come rivverin’ home” of eels.") == []


class Everything:
    """Knows that all words stand together."""

    def together(self, before, words, after):
        return [(True, False) for _ in words]


def test_a_capital_at_the_beginning_of_a_sentence_makes_no_name():
    assert Speller({"river": 5}).meant("Ryver", begins=True) == ("River",)
    assert Speller({"river": 5}).meant("Ryver") == ()
    assert words("Tihs king ran. Tihs mill stood.") == []  # stands twice
    assert words("Tihs king ran.") == ["Tihs"]


def test_one_thing_is_no_slip_of_several():
    assert Speller({"zomburks": 900}).meant("zomburk") == ()
    assert Speller({"zomburk": 900}).meant("zomburks") == ()
    assert Speller({"zomburk": 9_000}).meant("zomburkt") == ("zomburk",)


def test_a_letter_that_was_left_out_is_a_likelier_slip_than_another_vowel(monkeypatch):
    monkeypatch.setattr("quizwriter.spelling.LARGE", 1)
    assert Speller({"rivulet": 5}).meant("rivlet")[0] == "rivulet"


def test_a_word_beside_a_foreign_one_is_doubted_less(monkeypatch):
    monkeypatch.setattr("quizwriter.spelling.LARGE", 1)
    speller = Speller({"minor": 3, "river": 30_000})
    assert speller.meant("minorh", ("a",), ("mill",))[0] == "minor"
    assert speller.meant("minorh", ("eine",), ("mill",)) == ()
    assert speller.meant("rivver", ("eine",), ("mill",))[0] == "river"


def test_accents_that_are_letters_of_their_own_part_no_word():
    assert words("The façade has a fac\u0327ade of tihs.") == ["tihs"]
    assert words("The Bohe\u0300me of eels.") == []


def test_what_was_parted_at_the_end_of_a_line_is_no_word():
    assert words("The rivver runs, and this riv- verr runs.") == ["rivver"]


def test_a_beginning_makes_a_word_and_no_space_is_missing():
    counts = {"in": 90_000, "non": 2_000, "spiraling": 60, "the": 200_000, "positive": 900}
    parted = [Speller(counts).parts(word) for word in ("inspiraling", "nonpositive", "inthe")]
    assert parted == ["", "", "in the"]


def test_words_without_a_space_between_them_are_parted(speller):
    assert speller.parts("ofhis") == "of his"
    assert speller.parts("kingriver") == ""  # two usual words may make a new one
    counts = {"art": 8_000, "form": 20_000, "to": 200_000, "the": 300_000, "king": 20_000}
    assert [Speller(counts).parts(word) for word in ("artform", "tothe", "artking")] == [
        "",
        "to the",
        "art king",
    ]
    assert speller.parts("this") == speller.parts("Ofhis") == speller.parts("l’eau") == ""
    (found,) = find_problems(
        Inspection(Tossup("The mill ofhis king."), spelling=Speller(USUAL)), only=["run_together"]
    )
    assert (found.words, found.fix) == ("ofhis", "of his")


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


def test_the_dictionaries_are_read_once_for_all_who_ask(monkeypatch):
    made = []

    class Known:
        def __init__(self, name, **_):
            made.append(name)

        def add_dic(self, path):
            assert Path(path).is_file()

        def spell(self, word):
            return word == "colour"

    folder = resources_folder() / "spelling"
    monkeypatch.setattr(spelling.hunspell, "Hunspell", Known)
    spelling.dictionaries.cache_clear()
    try:
        spelling.dictionaries(folder).read()
        assert made == ["en_US", "en_GB"]
        assert [Speller({}, folder).meant("colour"), Speller({}, folder).meant("colour")] == [(), ()]
        assert made == ["en_US", "en_GB"]
    finally:
        spelling.dictionaries.cache_clear()


@pytest.mark.parametrize("at_once", [7, 15_000])
def test_a_dictionary_that_is_read_in_parts_knows_what_the_whole_one_knows(tmp_path, monkeypatch, at_once):
    folder = resources_folder() / "spelling"
    lines = (folder / "en_GB.dic").read_bytes().split(b"\n")[1:]
    some = lines if at_once > 1_000 else lines[20_000:20_500]
    (tmp_path / "en_GB.dic").write_bytes(b"\n".join([b"%d" % len(some), *some]))
    shutil.copy(folder / "en_GB.aff", tmp_path)
    monkeypatch.setattr(spelling, "MOST_AT_ONCE", at_once)
    whole = hunspell.Hunspell("en_GB", hunspell_data_dir=str(tmp_path))
    stems = [line.partition(b"/")[0].decode("utf-8") for line in lines[20_000:20_500] if line]
    words = [f"{stem}{end}" for stem in stems for end in ("", "s", "ed", "ing", "ly", "q")]

    parted = spelling.Dictionaries(tmp_path)._british

    assert [parted.spell(word) for word in words] == [whole.spell(word) for word in words]
    assert {whole.spell(word) for word in words} == {True, False}


def test_without_room_for_parts_a_dictionary_is_read_whole(monkeypatch):
    def refuse(**_):
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(spelling, "TemporaryDirectory", refuse)

    assert "colour" in spelling.Dictionaries(resources_folder() / "spelling")
