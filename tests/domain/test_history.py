"""Edits: any way of writing a draft can be replayed, forwards and backwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.history import (
    CHECKPOINT,
    MERGE_GAP,
    Edit,
    InlineDiff,
    VersionCache,
    differences,
    merged_edits,
    replay,
)
from quizwriter.domain.span import Span
from tests.helpers.processor_time import seconds

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

    assert replay((edit.inverse() for edit in reversed(edits)), versions[-1] if versions else "") == ""


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

    assert joined is None or (joined.apply(text) == there and joined.inverse().apply(there) == text)


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


# -- walked


@given(st.lists(st.text(alphabet="ab cd", max_size=8), max_size=12))
def test_every_version_is_what_its_edits_lead_to(texts):
    edits = edits_between(texts)
    versions = VersionCache(edits)

    assert len(versions) == len(edits)
    assert [versions.after(count) for count in range(len(edits) + 1)] == [
        replay(edits[:count]) for count in range(len(edits) + 1)
    ]


def test_versions_beyond_a_checkpoint_are_right_and_others_are_not_there():
    edits = [Edit(at, "", "ab"[at % 2]) for at in range(2 * CHECKPOINT + 3)]
    versions = VersionCache(edits)

    assert versions.after(CHECKPOINT) == "ab" * (CHECKPOINT // 2)
    assert versions.after(len(edits)) == replay(edits)
    for count in (-1, len(edits) + 1):
        with pytest.raises(IndexError):
            versions.after(count)


def test_a_history_that_does_not_replay_is_refused():
    with pytest.raises(ValueError, match="edit at 3"):
        VersionCache([Edit(0, "", "ab"), Edit(3, "x", "y")])


# -- told


@given(drafts, drafts, drafts)
def test_two_edits_that_touch_become_one_that_does_the_same(first, second, third):
    one, other = Edit.between(first, second), Edit.between(second, third)
    if one is None or other is None:
        return
    joined = one.joined(other, second)

    apart = max(other.start - one.start - len(one.inserted), one.start - other.start - len(other.removed))
    assert (joined is None) == (apart > MERGE_GAP)
    assert joined is None or joined.apply(first) == third


@given(st.lists(drafts, min_size=1))
def test_pieces_lead_where_the_edits_lead(versions):
    edits = edits_between(versions)
    found = merged_edits(edits)

    assert replay(found) == versions[-1]
    assert len(found) <= len(edits)
    assert all(piece.removed != piece.inserted for piece in found)


def test_what_is_typed_letter_by_letter_is_one_piece_and_a_letter_taken_back_is_none_of_it():
    typed = [Edit(5 + at, "", letter) for at, letter in enumerate("brahx")]
    typed += [Edit(9, "x", ""), Edit(9, "", "m"), Edit(0, "Who, ", ""), Edit(0, "", "Who, ")]

    assert merged_edits(typed, "Who, the composer") == (Edit(5, "", "brahm"),)


@given(st.text("ab .", max_size=12), st.text("ab .", max_size=12))
def test_an_edit_told_in_words_does_the_same(before, after):
    edit = Edit.between(before, after)
    if edit is None:
        return
    told = edit.expanded_to_words(before)

    assert told.apply(before) == after
    for text, end in ((before, told.start + len(told.removed)), (after, told.start + len(told.inserted))):
        for place in (told.start, end):
            if told.removed != told.inserted:
                assert not (text[place - 1 : place].isalnum() and text[place : place + 1].isalnum())


@pytest.mark.parametrize(
    ("before", "after", "removed", "inserted"),
    [
        ("A ship sails.", "A ships sails.", "ship", "ships"),
        ("The end.", "The first. The end.", "", "The first. "),
        ("The man who wrote.", "This man who wrote.", "The", "This"),
        ("A composer, whose work lasts.", "A composer.", ", whose work lasts", ""),
        ("It is Brahms's.", "It is Dvořák's.", "Brahms's", "Dvořák's"),
        ("a well-known man", "a well-read man", "well-known", "well-read"),
    ],
)
def test_people_are_told_whole_words(before, after, removed, inserted):
    told = Edit.between(before, after).expanded_to_words(before)

    assert (told.removed, told.inserted) == (removed, inserted)


# -- side by side


@given(st.text("ab .", max_size=16), st.text("ab .", max_size=16))
def test_what_is_between_differences_is_equal(before, after):
    found = differences(before, after)
    at = Span(0, 0)
    for one in found:
        assert before[at.start : one.before.start] == after[at.end : one.after.start]
        assert one.before.of(before) != one.after.of(after)
        at = Span(one.before.end, one.after.end)

    assert before[at.start :] == after[at.end :]


def test_a_phrase_that_was_replaced_is_one_difference_though_it_kept_an_of():
    found = differences("He met the archivist of the city.", "He met a friend of his mother.")

    assert len(found) == 1


@given(st.text("ab .", max_size=16), st.text("ab .", max_size=16))
def test_a_marked_version_has_both_texts_in_it(before, after):
    marked = InlineDiff.of(before, after, differences(before, after))

    def without(spans):
        keep = [not any(span.start <= at < span.end for span in spans) for at in range(len(marked.text))]
        return "".join(letter for letter, kept in zip(marked.text, keep, strict=True) if kept)

    assert without(marked.removed) == after
    assert without(marked.inserted) == before
    for point, letter in enumerate(after):
        if not any(span.start <= marked.place(point) < span.end for span in marked.removed):
            assert marked.text[marked.place(point)] == letter


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(" * 20_000, ")" + "(" * 19_000),
        ("()" * 10_000, ")(" * 10_000 + "x"),
        ("( ) x " * 3_000, "y ) ( " * 3_000),
        (
            "".join(f"{'(' * (at % 7)}{at}" for at in range(5_000)),
            "".join(f"{at}{'(' * (at % 5)}" for at in range(5_000)),
        ),
    ],
)
def test_versions_of_many_brackets_are_compared_quickly(before, after):
    found = differences(before, after)

    assert seconds(lambda: differences(before, after), 1) < 1
    assert found
    at, rebuilt = 0, []
    for one in found:
        rebuilt += [before[at : one.before.start], one.after.of(after)]
        at = one.before.end
    assert "".join([*rebuilt, before[at:]]) == after
