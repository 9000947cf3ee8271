"""Edits: any way of writing a draft can be replayed, forwards and backwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.history import Edit, replay

drafts = st.text(alphabet="ab😀", max_size=8)  # three letters, so that prefixes and suffixes collide


def edits_between(versions):
    pairs = zip(["", *versions], versions, strict=False)
    return [edit for one, other in pairs if (edit := Edit.between(one, other)) is not None]


@given(st.lists(drafts))
def test_any_list_of_drafts_replays_to_the_last(versions):
    assert replay(edits_between(versions)) == (versions[-1] if versions else "")


@given(st.lists(drafts))
def test_any_list_of_drafts_replays_back_to_nothing(versions):
    edits = edits_between(versions)

    assert replay((edit.undone() for edit in reversed(edits)), versions[-1] if versions else "") == ""


@given(drafts, drafts)
def test_an_edit_touches_no_more_than_it_must(before, after):
    edit = Edit.between(before, after)
    if edit is None:
        assert before == after
        return
    one, other = edit.removed, edit.inserted

    assert one != other
    assert not (one and other and (one[0] == other[0] or one[-1] == other[-1]))


@given(drafts)
def test_between_equal_drafts_there_is_no_edit(draft):
    assert Edit.between(draft, draft) is None


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        ("", "lake", Edit(0, "", "lake")),
        ("lake", "", Edit(0, "lake", "")),
        ("lake", "Lake", Edit(0, "l", "L")),
        ("a lake", "a deep lake", Edit(2, "", "deep ")),
        ("aaa", "aaaa", Edit(3, "", "a")),
        ("😀😀", "😀x😀", Edit(1, "", "x")),
    ],
)
def test_the_smallest_edit_is_found(before, after, edit):
    assert Edit.between(before, after) == edit


@given(drafts, drafts, drafts)
def test_two_edits_as_one_do_what_both_did(first, second, third):
    a, b = Edit.between(first, second), Edit.between(second, third)
    joined = None if a is None or b is None else a.then(b)

    assert joined is None or joined.apply(first) == third


@given(
    st.builds(Edit, st.integers(0, 3), st.text("ab", max_size=2), st.text("ab", max_size=2)),
    st.builds(Edit, st.integers(0, 3), st.text("ab", max_size=2), st.text("ab", max_size=2)),
    st.text("ab", min_size=3, max_size=6),
)
def test_edits_of_any_origin_are_joined_only_if_that_changes_nothing(a, b, text):
    joined = a.then(b)
    try:
        there = b.apply(a.apply(text))
    except ValueError:
        return

    assert joined is None or (joined.apply(text) == there and joined.undone().apply(there) == text)


@pytest.mark.parametrize(
    ("one", "later", "joined"),
    [
        (Edit(2, "", "de"), Edit(4, "", "ep"), Edit(2, "", "deep")),  # typing on
        (Edit(2, "old", "n"), Edit(3, "", "ew"), Edit(2, "old", "new")),  # typing on over a selection
        (Edit(4, "e", ""), Edit(3, "k", ""), Edit(3, "ke", "")),  # rubbing out
        (Edit(2, "", "de"), Edit(3, "e", ""), None),  # a letter taken back stays in the history
        (Edit(2, "", "de"), Edit(2, "", "ep"), None),  # typing before it
        (Edit(2, "d", ""), Edit(2, "e", ""), None),  # deleting forwards
        (Edit(2, "", "de"), Edit(9, "", "ep"), None),  # typing elsewhere
    ],
)
def test_only_typing_on_and_rubbing_out_become_one_edit(one, later, joined):
    assert one.then(later) == joined


@pytest.mark.parametrize(
    "edit",
    [
        Edit(0, "b", "x"),
        Edit(1, "bb", "x"),
        Edit(4, "", "x"),
        Edit(-1, "", "x"),
        Edit(3, "c", ""),
        Edit(-1, "c", ""),
    ],
)
def test_an_edit_of_another_draft_is_refused(edit):
    with pytest.raises(ValueError, match=f"edit at {edit.start} does not fit"):
        edit.apply("abc")


def test_replay_begins_where_it_is_told():
    assert replay([Edit(1, "b", "B")], "abc") == "aBc"


def test_a_pasted_book_is_compared_at_once():
    book = "water " * 500_000

    assert Edit.between(book, book[:1_000_000] + "!" + book[1_000_000:]) == Edit(1_000_000, "", "!")
