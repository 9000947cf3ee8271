"""What people say, beside the text as it is now."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.review import Commented, Decided, Replied, Resolved, Suggested
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, Styled, TextStyles
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.workflow.dates import relative_time
from quizwriter.workflow.threads import (
    author_name,
    each_thread,
    quoted_styles,
    threads,
    threads_by_time,
    whole_words,
)

TEXT = "A maid is told that a thread of smoke will rise. Suzuki and a child fall asleep."


def said(*bodies):
    return fold_events(Event(str(n), "t", n, "ana", body) for n, body in enumerate(bodies))


def on(words, text="?"):
    return Commented(text, 1, TEXT.index(words), TEXT.index(words) + len(words), words)


def suggest(words, other):
    return Suggested(1, Edit(TEXT.index(words), words, other))


def trail(*texts):
    pairs = zip(["", *texts], texts, strict=False)
    return AnchorTracker(Edit.between(*pair) for pair in pairs)


def test_what_is_said_stands_in_the_order_of_the_text_and_of_all_of_it_last():
    review = said(Commented("Fine."), on("Suzuki"), suggest("smoke", "mist"), on("maid"))

    assert [one.id for one in threads(review, trail(TEXT))] == ["3", "2", "1", "0"]


def test_of_many_threads_the_oldest_open_one_is_first_and_what_comes_after_the_first_has_no_place():
    review = said(on("maid"), suggest("smoke", "mist"), on("Suzuki"), suggest("child", "man"), Resolved("0"))
    found = threads_by_time(review, trail(TEXT), {}, 2)

    assert [(one.id, one.placed) for one in found] == [("1", True), ("2", True), ("3", False), ("0", False)]


def test_a_suggestion_after_the_first_ones_is_placed_once_it_is_looked_up():
    review = said(suggest("maid", "girl"), suggest("smoke", "mist"))
    first, later = threads_by_time(review, trail(TEXT), {}, 1)

    assert (first.placed, first.proposal.edit) == (True, Edit(TEXT.index("maid"), "maid", "girl"))
    assert (later.placed, later.place, later.is_removed) == (False, None, False)
    assert (later.proposal.removed, later.proposal.inserted, later.proposal.edit) == ("smoke", "mist", None)
    (placed,) = each_thread(review, trail(TEXT), {}, {later.id})
    assert placed.proposal.edit == Edit(TEXT.index("smoke"), "smoke", "mist")


def test_a_comment_on_all_of_it_is_never_gone():
    (one,) = threads(said(Commented("Fine.")), trail(TEXT, "Another."))

    assert one.place is None
    assert not one.is_removed


def test_a_decision_says_what_and_why():
    review = said(suggest("smoke", "mist"), Decided("0", False, "No mist."))
    (one,) = threads(review, trail(TEXT))

    assert (one.open, one.outcome) == (False, "Declined")
    assert [remark.text for remark in one.remarks] == ["", "No mist."]


def test_a_suggestion_shows_a_few_words_on_both_sides_of_it_as_they_were():
    (one,) = threads(said(suggest("smoke", "mist"), Replied("9", "lost")), trail(TEXT, "Other."))

    assert (one.proposal.before, one.proposal.after) == (
        "A maid is told that a thread of ",
        " will rise. Suzuki and a child \u2026",
    )
    assert one.proposal.edit is None
    assert one.is_removed


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        ("a thread of smoke", "a thread of white smoke", Edit(12, "", "white ")),
        ("Karl Pohl", "Carl Pohl", Edit(0, "Karl", "Carl")),
        ("a smoky ship", "a smoking ship", Edit(2, "smoky", "smoking")),
        ("It ends", "It ends here", Edit(7, "", " here")),
        ("one two three", "one three", Edit(4, "two three", "three")),
    ],
)
def test_a_suggestion_changes_whole_words(before, after, edit):
    found = whole_words(before, Edit.between(before, after))

    assert found.apply(before) == after
    assert found == edit


@given(st.text("ab ", max_size=12), st.text("ab ", max_size=12))
def test_whole_words_come_to_the_same(before, after):
    edit = Edit.between(before, after)

    assert edit is None or whole_words(before, edit).apply(before) == after


numbers = st.integers(-3, 90)


@given(
    numbers, numbers, numbers, st.sampled_from(["", "smoke", TEXT]), st.sampled_from([TEXT, "", TEXT + "!"])
)
def test_what_a_pack_says_of_places_that_never_were_does_no_harm(seq, start, end, words, now):
    review = said(Commented("?", seq, start, end, "x"), Suggested(seq, Edit(start, words, "mist")))

    for thread in threads(review, trail(TEXT, now) if now != TEXT else trail(TEXT)):
        assert thread.place is None or 0 <= thread.place.start <= thread.place.end <= len(now)
        edit = thread.proposal and thread.proposal.edit
        assert edit is None or edit.apply(now)


def test_people_are_called_what_they_call_themselves():
    called = {"ana": "Ana", "nobody": ""}

    assert author_name(called, "me", "me") == "You"
    assert author_name(called, "ana", "me") == "Ana"
    assert {author_name(called, who, "me") for who in ("", "nobody", "new")} == {"Somebody unknown"}


NOON = 1_760_000_000_000 // 86_400_000 * 86_400_000 + 43_200_000


@pytest.mark.parametrize(
    ("ago_s", "said"),
    [
        (0, "just now"),
        (59, "just now"),
        (-3_600 * 24 * 400, None),  # by a clock that is wrong: some day, and no crash
        (86_400 * 3, "2025-10-06 12:00"),
        (86_400, "yesterday, 12:00"),
        (3_600, "11:00"),
        (86_400 * 400, "2024-09-04 12:00"),
    ],
)
def test_moments_are_said_as_people_say_them(monkeypatch, ago_s, said):
    import time

    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    told = relative_time(NOON - ago_s * 1000, NOON)
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()
    elif said is not None:
        pytest.skip("the zone of this system cannot be set")

    assert told
    assert said is None or told == said


def test_what_a_comment_quotes_has_the_styles_that_it_had_then():
    made = [Change(1, 1, Edit(0, "", "a red fox")), Change(2, 2, Edit(0, "", "See "))]
    fox, all_of_it = Span(6, 9), Span(0, 9)
    styled = [
        replace(Event.new("t", at, "", Styled.setting(span, TextStyles(codes), EditKind.FIRST)), seq=1)
        for at, span, codes in ((1, fox, b"\1\1\1"), (5, all_of_it, b"\2" * 9))
    ]
    said = [
        replace(Event.new("t", 3, "ada", Commented("Which?", 1, 2, 9, "red fox")), seq=1),
        replace(Event.new("t", 6, "ada", Commented("Whole.", 0)), seq=2),
    ]
    review = fold_events([*styled, *said])
    looks = quoted_styles(review, made, [*styled, *said])

    assert looks == {said[0].id: TextStyles(bytes(4) + b"\1\1\1")}
    found = threads(review, AnchorTracker(change.edit for change in made), looks)
    assert [(one.quoted, one.styles) for one in found] == [("red fox", looks[said[0].id]), ("", PLAIN)]
    assert quoted_styles(review, made, said) == {}
