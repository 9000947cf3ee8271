"""Stretches of a text that stay with it: checked against letters that are followed one by one."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker, shift_span
from tests.helpers.steps import steps_of

TEXT = "A maid is told that a thread of smoke will rise. Suzuki and a child fall asleep."


def edits_on(length):
    """Any edit of a text of that many letters, each of which is a letter of its own."""
    return st.tuples(
        st.integers(0, length), st.integers(0, length), st.text("xy", max_size=3), st.booleans()
    ).map(lambda drawn: (*sorted(drawn[:2]), drawn[2]))


@st.composite
def changed(draw):
    """A text of unlike letters, a span of it, and an edit."""
    text = "abcdefgh"[: draw(st.integers(1, 8))]
    start, end, inserted = draw(edits_on(len(text)))
    low, high = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text, Span(low, high), Edit(start, text[start:end], inserted)


@given(changed())
def test_a_stretch_keeps_every_letter_that_is_left_of_it_and_takes_in_no_other(drawn):
    text, span, edit = drawn
    if span.start == span.end:
        return
    now = edit.apply(text)
    found = shift_span(span, edit)
    left = [letter for letter in span.of(text) if letter in now]
    if found is None:
        assert not left
        return

    words = found.of(now)
    assert left
    assert [letter for letter in words if letter in text] == left
    assert len(words) == found.end - found.start
    inside = span.start <= edit.start and edit.start + len(edit.removed) <= span.end
    grows = inside and (edit.removed or span.start < edit.start < span.end)
    assert (edit.inserted in words) if grows else not set(words) & set("xy")


@given(changed())
def test_a_point_stays_between_its_neighbours(drawn):
    text, span, edit = drawn
    point = shift_span(Span(span.start, span.start), edit)
    now = edit.apply(text)
    before, after = text[: span.start], text[span.start :]
    if point is None:
        assert before[-1] not in now
        assert after[0] not in now
        return
    kept = [letter for letter in now if letter in text]

    assert [letter for letter in now[: point.start] if letter in text] == [
        letter for letter in kept if letter in before
    ]
    assert point.start == point.end


def drafts(seed, versions=30):
    """A text as it goes on: typing, deleting, moving passages, going back."""
    draw = random.Random(seed)
    texts = [TEXT]
    for _ in range(versions):
        text = texts[-1]
        low, high = sorted(draw.sample(range(len(text) + 1), 2)) if text else (0, 0)
        what = draw.randrange(4)
        if what == 0:
            text = text[:low] + draw.choice(["deep ", "x", "the harbour "]) + text[low:]
        elif what == 1:
            text = text[:low] + text[min(high, low + 9) :]
        elif what == 2:
            cut, rest = text[low:high], text[:low] + text[high:]
            texts.append(rest)
            at = draw.randrange(len(rest) + 1)
            text = rest[:at] + cut + rest[at:]
        else:
            text = draw.choice(texts)
        texts.append(text)
    return [one for one, other in zip(texts, ["", *texts], strict=False) if one != other]


def trail(*texts):
    pairs = zip(["", *texts], texts, strict=False)
    return AnchorTracker(edit for before, after in pairs if (edit := Edit.between(before, after)) is not None)


def span(words, text=TEXT):
    return Span(text.index(words), text.index(words) + len(words))


@given(st.integers(0, 500), st.integers(0, 70), st.integers(1, 20))
def test_the_same_text_has_the_same_stretches(seed, start, length):
    texts = drafts(seed)
    stretch = Span(start, min(start + length, len(TEXT)))
    seen = {}
    for count in range(1, len(texts) + 1):
        so_far = trail(*texts[:count])
        place = so_far.place(1, stretch)
        assert place is None or 0 <= place.start < place.end <= len(so_far.text)
        assert seen.setdefault(so_far.text, place) == place


@given(st.integers(0, 500), st.integers(0, 70), st.integers(0, 20))
def test_asking_in_between_changes_nothing(seed, start, length):
    texts, stretch = drafts(seed, versions=12), Span(start, min(start + length, len(TEXT)))
    asked, unasked = AnchorTracker(), AnchorTracker()
    for before, after in zip(["", *texts], texts, strict=False):
        whole = Edit.between(before, after)
        typed = [Edit(whole.start + at, "", letter) for at, letter in enumerate(whole.inserted)]
        taken = [Edit(whole.start, whole.removed, "")] if whole.removed else []
        for edit in [*taken, *typed] if len(asked) else [whole]:
            asked.add(edit)
            unasked.add(edit)
            asked.place(1, stretch)

    assert asked.place(1, stretch) == unasked.place(1, stretch)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([TEXT.replace("A maid", "In this work, a maid")], "thread of smoke"),
        ([TEXT.replace("thread of smoke", "thread of white smoke")], "thread of white smoke"),
        ([TEXT.replace("thread of ", "")], "smoke"),
        ([TEXT.replace("a thread of smoke", "it")], None),
        ([TEXT.replace("thread of smoke", ""), TEXT], "thread of smoke"),  # undone
        ([TEXT.replace("thread of smoke", ""), TEXT + " Sorrow", "All new", TEXT], "thread of smoke"),
        (["Suzuki", "Suzuki sings", TEXT.replace("A maid", "The maid")], None),  # typed anew, another text
        (
            # A sentence is cut out and pasted behind the other one.
            ["Suzuki and a child fall asleep.", "Suzuki and a child fall asleep. " + TEXT[:48]],
            "thread of smoke",
        ),
    ],
)
def test_where_a_comment_on_a_thread_of_smoke_goes(texts, words):
    now = trail(TEXT, *texts)
    place = now.place(1, span("thread of smoke"))

    assert (place and place.of(now.text)) == words
    assert now.version(1) == TEXT


def typed(text, at, removed, letters):
    """``text`` each time a key was pressed that replaced ``removed`` at ``at`` by ``letters``, one by one."""
    for count in range(1, len(letters) + 1):
        yield text[:at] + letters[:count] + text[at + len(removed) :]


@pytest.mark.parametrize("words", ["thread of smoke", "smoke will"])
def test_what_is_typed_letter_by_letter_is_as_if_it_were_typed_at_once(words):
    at = TEXT.index("smoke")
    one_by_one = trail(TEXT, *typed(TEXT, at, "smoke", "mist"))
    at_once = trail(TEXT, TEXT.replace("smoke", "mist"))
    place = one_by_one.place(1, span(words))

    assert place == at_once.place(1, span(words))
    assert place.of(one_by_one.text) == words.replace("smoke", "mist")


def test_what_is_rubbed_out_and_typed_again_is_the_same():
    at = TEXT.index("smoke will") + len("smoke")
    rubbed = [TEXT[: at - count] + TEXT[at:] for count in range(1, 9)]
    again = list(typed(rubbed[-1], at - 8, "", "of smoke or"))
    now = trail(TEXT, *rubbed, *again)

    assert now.place(1, span("thread of smoke")).of(now.text) == "thread of smoke"


def test_a_single_word_typed_again_is_not_the_one_that_was_deleted():
    now = trail(TEXT, TEXT.replace("Suzuki", ""), TEXT.replace("Suzuki", "") + "Suzuki")

    assert now.place(1, span("Suzuki")) is None


def test_a_stretch_of_a_text_that_nobody_has_is_nowhere():
    assert trail(TEXT).place(5, Span(0, 3)) is None
    assert trail(TEXT).place(1, Span(60, 300)) is None


SUGGESTED = Edit(TEXT.index("smoke"), "smoke", "white smoke")


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (TEXT, TEXT.replace("smoke", "white smoke")),
        ("Here, " + TEXT, "Here, " + TEXT.replace("smoke", "white smoke")),
        (TEXT.replace("rise", "appear"), TEXT.replace("smoke", "white smoke").replace("rise", "appear")),
        (TEXT.replace("smoke", "fog"), None),
        (TEXT.replace("of smoke will", "will"), None),
        ("", None),
    ],
)
def test_a_suggestion_is_made_of_the_text_as_it_is_now_or_not_at_all(text, now):
    so_far = trail(TEXT, text)
    edit = so_far.rebased(1, SUGGESTED)

    assert (edit and edit.apply(so_far.text)) == now


def test_a_suggestion_that_only_adds_finds_its_place():
    so_far = trail(TEXT, "Here, " + TEXT.replace("rise", "appear"))
    edit = so_far.rebased(1, Edit(TEXT.index("Suzuki"), "", "There, "))

    assert edit.apply(so_far.text) == "Here, " + TEXT.replace("rise", "appear").replace(
        "Suzuki", "There, Suzuki"
    )


@given(st.integers(0, 500))
def test_a_suggestion_never_changes_other_words_than_those_it_was_made_of(seed):
    texts = drafts(seed)
    so_far = trail(*texts)
    edit = so_far.rebased(1, SUGGESTED)
    if edit is not None:
        now = edit.apply(so_far.text)
        assert now[edit.start :].startswith("white smoke")
        assert edit.removed == "smoke"


def test_the_work_for_a_history_grows_as_the_history_does():
    def work(edits):
        texts = ["word " * count for count in range(1, edits + 1)]

        def follow():
            assert trail(*texts).place(10, Span(0, 4)) == Span(0, 4)

        return steps_of(follow)

    assert work(800) < 2.5 * work(400)
