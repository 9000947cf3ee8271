"""The power mark: there is one, with the spaces it needs, and it can be moved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.history import replay
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.power import power_mark_edits


def marked(text, start, end=None):
    return replay(power_mark_edits(text, Span(start, start if end is None else end)), text)


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("one two", 3, "one (*) two"),
        ("one two", 4, "one (*) two"),
        ("one two", 7, "one two (*)"),
        ("one two", 0, "(*) one two"),
        ("", 0, "(*)"),
        ("one (*) two three", 11, "one two (*) three"),
        ("one two (*) three", 3, "one (*) two three"),
        ("one (*) two", 4, "one (*) two"),
        ("one (*) two", 5, "one (*) two"),
        ("one (*) two", 8, "one (*) two"),
        ("one two (*)", 3, "one (*) two"),
        ("(*) one two", 7, "one (*) two"),
        ("one(*)two three", 9, "one two (*) three"),
        ("one(*) two three", 10, "one two (*) three"),
        ("one (*) two (*) three", 21, "one two three (*)"),
        ("one (*)\ntwo", 11, "one\ntwo (*)"),
    ],
)
def test_the_one_mark_moves_to_the_cursor(text, at, expected):
    assert marked(text, at) == expected


def test_what_is_selected_gives_way_to_the_mark():
    assert marked("one big two", 4, 7) == "one (*) two"


def test_a_mark_that_is_where_it_should_be_is_no_edit():
    assert power_mark_edits("one (*) two", Span(8, 8)) == ()


@given(st.text("ab \n", max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_however_often_it_is_put_there_is_one_mark_and_the_words_stay(text, places):
    words = text.split()
    for place in [*places, 0]:
        cut = min(place, len(text))
        if 0 < cut < len(text) and not text[cut - 1].isspace() and not text[cut].isspace():
            cut = 0  # inside a word it would cut that
        text = marked(text, cut)

    assert text.count("(*)") == 1
    assert [span.of(text) for span in Tossup(text).words] == [word for word in words if word]
