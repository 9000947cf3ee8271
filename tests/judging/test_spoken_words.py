"""The words of names and answers as they are compared: forms, numbers, places, initials, parts of plays."""

import pytest

from quizwriter.domain.answer_line import read_answer_line
from quizwriter.judging.same_word import is_form, is_national, is_word_form, most_slips
from quizwriter.judging.spoken_words import (
    MOST_WORDS,
    first_letters,
    is_fragment,
    part_turned,
    spoken_words,
    squashed,
    verbatim,
    words_of_name,
)

WORDS = [
    ("\u22125", [("negative", "negative", "", 0, 1), ("5", "5", "5", 1, 2)]),
    ("-1 °C", [("negative", "negative", "", 0, 1), ("1", "1", "1", 1, 2), ("c", "c", "", 4, 5)]),
    ("King’s Gambit", [("king", "king", "", 0, 4), ("gambit", "gambit", "", 7, 13)]),
    ("L'Étranger", [("l", "l", "", 0, 1), ("etranger", "etranger", "", 2, 10)]),
    ("a D’Artagnan", [("a", "a", "", 0, 1), ("d", "d", "", 2, 3), ("artagnan", "artagnan", "", 4, 12)]),
    ("D’Artagnan’s", [("d", "d", "", 0, 1), ("artagnan", "artagnans", "", 2, 12)]),
    ("O'Neill", [("oneill", "oneill", "", 0, 7)]),
    ("1,000", [("1000", "1000", "1000", 0, 5)]),
    ("3.14", [("3.14", "3.14", "3.14", 0, 4)]),
    ("1,234.5", [("1,234.5", "1,234.5", "1,234.5", 0, 7)]),
    ("B12", [("b12", "b12", "", 0, 3)]),
    ("a 012B", [("a", "a", "", 0, 1), ("012", "012", "12", 2, 5), ("b", "b", "", 5, 6)]),
    ("7wolves", [("7", "7", "7", 0, 1), ("wolf", "wolves", "", 1, 7)]),
    ("016th", [("16", "016th", "16", 0, 5)]),
    ("1960s", [("1960", "1960s", "1960", 0, 5)]),
    ("1st 2nd 3rd", [("1", "1st", "1", 0, 3), ("2", "2nd", "2", 4, 7), ("3", "3rd", "3", 8, 11)]),
    ("007 0", [("7", "007", "7", 0, 3), ("0", "0", "0", 4, 5)]),
    ("Henry VIII", [("henry", "henry", "", 0, 5), ("8", "viii", "8", 6, 10)]),
    ("xlix lxxxix", [("49", "xlix", "49", 0, 4), ("89", "lxxxix", "89", 5, 11)]),
    ("l IL", [("l", "l", "", 0, 1), ("il", "il", "", 2, 4)]),
    ("a v. b", [("a", "a", "", 0, 1), ("versus", "v", "", 2, 3), ("b", "b", "", 5, 6)]),
    (
        "a v.b V. v",
        [
            *(("a", "a", "", 0, 1), ("5", "v", "5", 2, 3), ("b", "b", "", 4, 5)),
            *(("5", "v", "5", 6, 7), ("5", "v", "5", 9, 10)),
        ],
    ),
    ("\u221a2", [("root", "sqrt", "", 0, 1), ("2", "2", "2", 1, 2)]),
    ("+ & %", [("+", "+", "", 0, 1), ("and", "&", "", 2, 3), ("%", "%", "", 4, 5)]),
    ("\u03b1 particles", [("alpha", "alpha", "", 0, 1), ("particle", "particles", "", 2, 11)]),
]


def _told(text):
    return [(one.text, one.raw, one.number, one.span.start, one.span.end) for one in spoken_words(text)]


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_a_word_has_its_form_its_letters_its_value_and_its_place(text, words):
    assert _told(text) == words


def test_an_ordinal_behind_a_ten_is_a_part_of_the_number():
    assert [word.number for word in spoken_words("twenty third")] == ["23"]


NUMBERS = [
    ("nineteen eighty-four", "nineteeneightyfour", "1984"),
    ("eighteen forty-eight", "eighteenfortyeight", "1848"),
    ("twenty-one", "twentyone", "21"),
    ("nineteen oh five", "nineteenohfive", "1905"),
    ("nineteen oh one", "nineteenohone", "1901"),
    ("nineteen o nine", "nineteenonine", "1909"),
    ("twenty ten", "twentyten", "2010"),
    ("twenty twenty", "twentytwenty", "2020"),
    ("thirty twelve", "thirtytwelve", "3012"),
    ("two thousand and one", "twothousandandone", "2001"),
    ("one hundred and five", "onehundredandfive", "105"),
    ("one hundred five", "onehundredfive", "105"),
    ("one hundred twenty-two", "onehundredtwentytwo", "122"),
    ("three hundred", "threehundred", "300"),
    ("ninety nine hundred", "ninetyninehundred", "9900"),
    ("two million five thousand six", "twomillionfivethousandsix", "2005006"),
    ("three billion and seventy", "threebillionandseventy", "3000000070"),
    ("one thousand and two hundred", "onethousandandtwohundred", "1200"),
]


@pytest.mark.parametrize(("text", "raw", "value"), NUMBERS)
def test_a_number_of_several_words_is_one_word(text, raw, value):
    assert _told(f"in {text} A.D.")[1] == (value, raw, value, 3, 3 + len(text))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("eighteen five", ["18", "5"]),
        ("nineteen oh ten", ["19", "", "10"]),
        ("nineteen oh zero", ["19", "", "0"]),
        ("nineteen oh", ["19", ""]),
        ("nineteen oh well", ["19", "", ""]),
        ("nine oh five", ["9", "", "5"]),
        ("two hundred oh five", ["200", "", "5"]),
        ("one hundred zero ten", ["100", "10"]),
        ("nine eleven", ["9", "11"]),
        ("twenty zero", ["20", "0"]),
        ("twelve twenty one hundred", ["1221", "100"]),
        ("thousand and", ["1000", ""]),
        ("hundred and ten", ["100", "", "10"]),
        ("two hundred and", ["200", ""]),
        ("thousand hundred", ["1000", "100"]),
        ("one hundred hundred", ["100", "100"]),
    ],
)
def test_numbers_that_make_no_number_stay_words(text, values):
    assert [one.number for one in spoken_words(text)] == values


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("half", ["1/1", "2/half"]),
        ("halves", ["1/1", "2/halves"]),
        ("quarter", ["1/1", "4/quarter"]),
        ("third", ["3/third"]),
        ("a third", ["1/1", "3/third"]),
        ("an eighth", ["/an", "8/eighth"]),
        ("one half", ["1/one", "2/half"]),
        ("three quarters", ["3/three", "4/quarters"]),
        ("my half", ["/my", "2/half"]),
        ("half a third", ["2/half", "/a", "3/third"]),
    ],
)
def test_a_fraction_is_two_numbers(text, parts):
    found = spoken_words(text)
    assert [f"{one.number}/{one.raw}" for one in found] == parts
    assert all(one.text == one.number for one in found if one.number)


def test_initials_with_stops_are_no_roman_numbers_and_no_articles():
    found = spoken_words("V. I. Lenin")
    assert [(one.text, one.number, one.initial, one.span.start) for one in found] == [
        ("v", "", True, 0), ("i", "", True, 3), ("lenin", "", False, 6)
    ]  # fmt: skip
    assert [one.light for one in (*spoken_words("A. Smith"), *spoken_words("a smith"))] == [
        False, False, True, False
    ]  # fmt: skip


def test_a_text_that_is_too_long_has_one_word_too_many():
    assert len(spoken_words("eel " * MOST_WORDS)) == MOST_WORDS
    assert len(spoken_words("eel " * 200)) == MOST_WORDS + 1


@pytest.mark.parametrize(
    ("name", "turned"),
    [
        ("Henry IV, Part 1", "1 henry 4"),
        ("Henry IV, Part 2", "2 henry 4"),
        ("Henry VI, Part 3", "3 henry 6"),
        ("1 Henry IV", "henry 4 part 1"),
        ("3 Henry VI", "henry 6 part 3"),
        ("2 King Henry IV", "king henry 4 part 2"),
        ("Henry IV, Part 4", ""),
        ("4 Henry IV", ""),
        ("Henry IV, Act 1", ""),
        ("Henry, Part 3", ""),
        ("1 Henry Duke", ""),
        ("Part 1", ""),
        ("1 2 3", ""),
    ],
)
def test_a_part_of_a_play_is_called_the_other_way_too(name, turned):
    assert " ".join(one.text for one in part_turned(spoken_words(name))) == turned


def test_the_part_of_a_play_is_required_where_its_number_is():
    def required(line):
        words = words_of_name(read_answer_line(line).clauses[0].names[0])
        return [(one.text, one.required, one.span.start) for one in part_turned(words)]

    assert required("<b><u>1</u></b> Henry IV") == [
        ("henry", False, 2), ("4", False, 8), ("part", True, 0), ("1", True, 0)
    ]  # fmt: skip


NAMES = [
    ("<b><u>U</u></b>nited <b><u>A</u></b>rab <b><u>E</u></b>mirates", "uae", "U:u A:a E:e"),
    ("<b><u>G</u></b>uy <b><u>W</u></b>ren", "gw", "G:g W:w"),
    ("the <b><u>United States of America</u></b>", "tusoa usa usoa", "the U S O A"),
    ("North (Atlantic) Treaty Organization", "nato nto", "north (atlantic) treaty organization"),
    ("a b of the c", "abotc boc", "a b of the c"),
    ("An Eel of Linz", "aeol eol", "an eel of linz"),
    ("Boeing 747 Jumbo Jet", "b747jj b7jj", "boeing 747 jumbo jet"),
    ("Apollo XIII Moon", "a13m axiiim", "apollo 13 moon"),
    ("Henry VIII", "", "henry 8"),
    ("12 13 Moon", "", "12 13 moon"),
]


@pytest.mark.parametrize(("line", "letters", "marks"), NAMES)
def test_the_first_letters_of_a_name_and_what_is_required_of_it(line, letters, marks):
    words = words_of_name(read_answer_line(line).clauses[0].names[0])
    assert sorted(first_letters(words, [one for one in words if not one.light])) == letters.split()

    def mark(one):
        text = f"({one.text})" if one.optional else one.text
        return f"{text[0].upper()}{':' if one.stem else ''}{one.stem}" if one.required else text

    assert " ".join(map(mark, words)) == marks


def test_a_required_part_of_a_word_is_its_stem_only_from_its_beginning():
    (word,) = words_of_name(read_answer_line("un<b><u>tied</u></b>").clauses[0].names[0])
    assert (word.required, word.stem) == (True, "")
    (word,) = words_of_name(read_answer_line("<b><u>ti</u></b>es").clauses[0].names[0])
    assert (word.required, word.stem) == (True, "ti")


@pytest.mark.parametrize(
    ("text", "letters", "key"),
    [
        ("the United Nations", "unitednations", "the united nations"),
        ("U.A.E.", "uae", "u a e"),
        ("a U A E", "auae", "a u a e"),
        ("a of", "", "a of"),
        ("Henry VIII", "henry8", "henry 8"),
    ],
)
def test_the_letters_of_words_without_spaces_and_as_they_are(text, letters, key):
    assert (squashed(spoken_words(text)), verbatim(spoken_words(text))) == (letters, key)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("ox", True),
        ("xy", True),
        ("mc", False),
        ("mt", False),
        ("la", False),
        ("an", False),
        ("12", False),
        ("abc", False),
    ],
)
def test_a_word_of_two_letters_may_be_a_piece_of_another(text, fragment):
    assert is_fragment(spoken_words(text)[0]) is fragment


@pytest.mark.parametrize(
    "pair",
    [
        "test testing",
        "run running",
        "stop stopped",
        "box boxes",
        "echo echoes",
        "bus buses",
        "match matches",
        "dish dishes",
        "buzz buzzes",
        "city cities",
        "make making",
        "bus bused",
        "beg begged",
    ],
)
def test_words_with_endings_of_one_word_are_its_forms(pair):
    one, other = pair.split()
    assert is_form(one, other)
    assert is_form(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ab", "abs"),
        ("cat", "dog"),
        ("cat", "cates"),
        ("tester", "testimonial"),
        ("run", "runting"),
        ("top", "tapping"),
    ],
)
def test_other_words_are_no_forms(one, other):
    assert not is_form(one, other)


@pytest.mark.parametrize(
    ("place", "adjective", "national"),
    [
        ("japan", "japanese", True),
        ("iran", "iranian", True),
        ("finland", "finlandish", True),
        ("australia", "australian", True),
        ("china", "chinese", True),
        ("italy", "italian", True),
        ("cuba", "cuban", True),
        ("mali", "malian", True),
        ("peru", "peruan", True),
        ("turke", "turkish", True),
        ("oma", "oman", False),
        ("essex", "essean", False),
        ("spain", "spanish", False),
        ("chana", "chinese", False),
        ("japan", "japann", False),
    ],
)
def test_the_adjective_of_a_place(place, adjective, national):
    assert is_national(place, adjective) is national
    assert is_national(adjective, place) is national


def test_longer_words_may_have_more_slips():
    assert [most_slips(length) for length in (1, 4, 5, 7, 8, 20)] == [0, 0, 1, 1, 2, 2]


def test_a_number_alone_is_its_value():
    assert [(one.text, one.spelled) for one in spoken_words("eleven eels")] == [("11", True), ("eel", False)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("heroic", "heroism", True), ("motor", "motion", False), ("potion", "potent", False)],
)
def test_word_forms_have_four_letters_in_common_before_their_endings(one, other, same):
    assert is_word_form(one, other) is same


def test_the_part_that_is_put_behind_a_play_has_the_place_of_its_number():
    turned = part_turned(spoken_words("1 Henry IV"))
    places = [(word.text, word.span.start, word.span.end) for word in turned]
    assert places == [("henry", 2, 7), ("4", 8, 10), ("part", 0, 1), ("1", 0, 1)]
