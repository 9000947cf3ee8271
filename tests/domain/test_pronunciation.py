"""Pronunciation guides: found behind their names, put in and taken out, and never heard."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quizwriter.domain.pronunciation import (
    LONGEST_GUIDE,
    UsedGuide,
    best_guides,
    bracketed,
    cleaned_guide,
    guide_edit,
    guide_key,
    guide_of,
    is_respelling,
    names_at,
    placed_guides,
    word_at,
)
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup

LETTER = "This baker wrote to Ilse Brandt (“IL-zuh BRAHNT”) from Wrocław; “Nachtlied” followed."


def at(text, word):
    return Span(text.index(word) + 1, text.index(word) + 1)


def found(text):
    return [(one.name.of(text), one.said) for one in placed_guides(text)]


@pytest.mark.parametrize(
    ("text", "guides"),
    [
        (LETTER, [("Ilse Brandt", "IL-zuh BRAHNT")]),
        ('A mill at Lodz ("WOODGE") stands.', [("Lodz", "WOODGE")]),
        ("A mill at Lodz [woodge-uh] stands.", [("Lodz", "woodge-uh")]),
        ("A mill at Lodz (LOW-dz) stands.", [("Lodz", "LOW-dz")]),
        ("A mill at “Lodz” (pronounced “woodge”) stands.", [("Lodz", "woodge")]),
        ("A mill (*) at Lodz (read slowly) stands [emphasize].", []),
        ("(“WOODGE”) stands alone.", []),
        ("He ate (in 1712) and slept (US-led).", []),
    ],
)
def test_guides_stand_behind_their_names(text, guides):
    assert found(text) == guides


@pytest.mark.parametrize(
    ("said", "name"),
    [("VROTS-wahf", "Wrocław"), ("GUR-tuh", "Goethe"), ("soo", "Sui"), ("du-kay", "Duque"), ("dun", "Donne")],
)
def test_syllables_are_a_respelling(said, name):
    assert is_respelling(said, name)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Song of the Night", "Nachtlied"), ("the eighth", "Charles VIII"), ("Wrocław", "wrocław"),
        ("", "Lodz"), ("Finn McCool", "mac Cumhaill"), ("LONDS or LAND", "lands"), ("anything", "Lodz"),
    ],
)  # fmt: skip
def test_translations_and_notes_are_none(said, name):
    assert not is_respelling(said, name)


@pytest.mark.parametrize(
    ("word", "begins"),
    [
        ("Wrocław", "from Wrocław (“x-Y”); “Nacht"),
        ("Nachtlied", "“Nachtlied” (“x-Y”) followed"),
        ("followed", "followed (“x-Y”)."),
        ("Brandt", "Ilse Brandt (“x-Y”) from"),
        ("zuh", "Ilse Brandt (“x-Y”) from"),  # the cursor is in the guide itself
    ],
)
def test_a_guide_goes_behind_the_word_at_the_cursor(word, begins):
    edit = guide_edit(LETTER, word_at(LETTER, at(LETTER, word)), "x-Y")
    assert begins in edit.apply(LETTER)


def test_it_goes_behind_what_belongs_to_the_name():
    for text, after in [
        ("Goethe's mill burned.", "Goethe's (“x-Y”) mill burned."),
        ("“Nachtlied,” a song", "“Nachtlied,” (“x-Y”) a song"),
        ('"Nachtlied" is a song', '"Nachtlied" ("x-Y") is a song'),  # with the marks that the text has
        ("Lodz", "Lodz (“x-Y”)"),
        ("well-known Lodz—he", "well-known Lodz (“x-Y”)—he"),
    ]:
        word = "Lodz" if "Lodz" in text else text.strip('“"')[:4]
        assert guide_edit(text, word_at(text, at(text, word)), "x-Y").apply(text) == after


def test_what_is_selected_has_the_guide():
    start = LETTER.index("Ilse")
    name = word_at(LETTER, Span(start - 1, start + 12))
    assert name.of(LETTER) == "Ilse Brandt"
    assert guide_of(LETTER, name).said == "IL-zuh BRAHNT"


def test_an_empty_guide_is_taken_away_with_its_space():
    name = word_at(LETTER, at(LETTER, "Brandt"))
    assert "Ilse Brandt from" in guide_edit(LETTER, name, " ").apply(LETTER)
    assert guide_edit(LETTER, name, "IL-zuh BRAHNT") is None
    assert guide_edit(LETTER, word_at(LETTER, at(LETTER, "Wrocław")), "") is None


def test_there_is_no_word_before_the_first():
    assert word_at("  (“A-b”)", Span(1, 1)) == Span(1, 1)
    assert word_at("", Span(0, 0)) == Span(0, 0)


def test_longer_names_that_end_at_the_word_are_looked_up_first():
    names = names_at(LETTER, word_at(LETTER, at(LETTER, "Brandt")))
    assert names[-2:] == ("Ilse Brandt", "Brandt")
    assert len(names) == 5
    assert names_at("Lodz", Span(0, 4)) == ("Lodz",)


def test_the_most_used_guide_comes_first_and_case_makes_no_other():
    guides = best_guides(
        [
            UsedGuide("Lodz", "woodge", 1, 2020),
            UsedGuide("Lodz", "WOODGE", 2),
            UsedGuide("Lodz", "looj", 2, 1999),
        ]
    )
    assert [one.said for one in guides] == ["looj", "WOODGE"]
    assert guide_key("Łódź’s") == guide_key("lodz")


def test_nothing_that_is_entered_breaks_the_brackets():
    assert cleaned_guide(' ("VROTS-\n[wahf]”) ') == "VROTS- wahf"
    assert len(cleaned_guide("ab-" * 99)) <= LONGEST_GUIDE
    assert bracketed("a-B", 'a "mill"') == '("a-B")'


PIECES = st.sampled_from(
    [
        "Lodz ", "mill ", " ", "Lodz. ", "mill, ", "mill; ", "“Ode” ", "(*) ", "(“A-b”) ", "Name ",
        "for ", "10 ", "points ", "Lodz? ", "of ", "a b. ",
    ]
)  # fmt: skip


def test_where_nothing_but_marks_stand_there_is_no_name():
    assert word_at("(*) (*) ", Span(4, 4)) == Span(4, 4)
    assert word_at("(“A-b”) (*) ", Span(9, 9)) == Span(0, 0)
    assert word_at("Lodz (“A-b”) (*) ", Span(14, 14)) == Span(0, 4)


@given(st.lists(PIECES, max_size=14).map("".join), st.text(min_size=1, max_size=90), st.data())
def test_a_guide_that_is_put_in_is_no_word_and_changes_no_clue(text, said, data):
    cursor = data.draw(st.integers(0, len(text)))
    name = word_at(text, Span(cursor, cursor))
    assume(name.start < name.end and cleaned_guide(said))
    edit = guide_edit(text, name, said)
    assume(edit is not None)
    new = edit.apply(text)

    def heard(one):
        return [span.of(one).strip(".,;?“”") for span in Tossup(one).words]

    assert heard(new) == heard(text)
    assert Tossup(new).clues == Tossup(text).clues
    assert Tossup(new).power == Tossup(text).power
    assert Tossup(new).length == Tossup(text).length
    assert guide_of(new, name) is not None
    assert guide_edit(new, name, said) is None


def test_a_sentence_does_not_end_in_a_guide_but_behind_it():
    text = "He met Ada (“St. Ada”) by a mill. A boat (“bote”). Name this baker."
    assert [span.of(text) for span in Tossup(text).sentences] == [
        "He met Ada (“St. Ada”) by a mill.", "A boat (“bote”).", "Name this baker.",
    ]  # fmt: skip
    assert Tossup("He rowed a boat (“bote”). Name this.").clues == Tossup("He rowed a boat. Name this.").clues


def test_what_nobody_reads_aloud_is_not_counted():
    assert Tossup("He met Ada (“AY-duh”) there (*).").characters == len("He met Ada there.")
    assert Tossup("He met Ada there.").characters == 17
