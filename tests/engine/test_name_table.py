"""Names are kept as bytes, and are what they were as objects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.engine import name_table as module
from quizwriter.engine.name_table import NameFinder, NameRows, Names

NAMES = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=5))


@given(NAMES, st.integers(-3, 3))
def test_names_are_a_list_of_strings(listed, index):
    names = Names.of(listed)

    assert [*names] == listed
    assert len(names) == len(listed)
    assert names[1:] == listed[1:]
    assert names.between(0, len(listed)) == listed
    assert names.lengths().tolist() == [len(name) for name in listed]
    assert names.longest == max((len(name.encode()) for name in listed), default=0)
    if -len(listed) <= index < len(listed):
        assert names[index] == listed[index]
    else:
        with pytest.raises(IndexError):
            names[index]


@given(NAMES, st.text(max_size=5), st.integers(1, 4))
def test_a_name_is_found_in_a_sorted_list_between_two_that_are_kept(listed, wanted, step):
    listed = sorted(listed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STEP", step)
        place = Names.of(listed).place(wanted)

    assert all(name < wanted for name in listed[:place])
    assert all(name >= wanted for name in listed[place:])


@given(st.lists(st.sampled_from("abc")), st.data())
def test_rows_that_share_a_name_are_all_found_and_the_first_with_the_largest_weight_is_meant(listed, data):
    weights = data.draw(st.lists(st.integers(0, 2), min_size=len(listed), max_size=len(listed)))
    finder, rows = NameFinder(Names.of(listed)), NameRows(Names.of(listed), weights)

    for name in "abcd":
        places = [place for place, one in enumerate(listed) if one == name]
        assert finder.places(name) == places
        assert rows.get(name) == max(places, key=lambda place: weights[place], default=None)
    assert set(rows) == set(listed)
    assert len(rows) == len(set(listed))


def test_what_follows_the_last_line_feed_is_left_out_and_a_carriage_return_is_part_of_a_name():
    assert [*Names(b"a\r\nb")] == ["a\r"]


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(UnicodeDecodeError):
        Names(b"a\n\xff\n")


def test_a_name_has_no_line_feed():
    with pytest.raises(ValueError, match="line feed"):
        Names.of(["a\nb"])
