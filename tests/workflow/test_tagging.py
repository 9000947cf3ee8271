"""Who found what, who may see it, and how far they agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.events import Event
from quizwriter.domain.rater_agreement import cohen_kappa
from quizwriter.domain.review import Round, Tagged
from quizwriter.domain.review_state import fold_events
from quizwriter.services.tossups import phenomena
from quizwriter.workflow.tagging import (
    agreements,
    decided,
    disputed,
    finished_people,
    may_decide,
    may_see,
    progress,
    ratio,
    share_of_equal_taggings,
)

SIX = [
    "Composing seen clues",
    "Logic and calculations",
    "Multi-step reasoning",
    "Paraphrases",
    "Entity type distractors",
    "Novel clues",
]


def tagged(*found):
    """A tossup in which ``found`` was found: (person, tags), or (person, tags, round)."""
    return fold_events(
        Event(str(number), "t", number, person, Tagged(tuple(tags.split()), *of))
        for number, (person, tags, *of) in enumerate(found)
    )


def test_the_six_phenomena_are_explained_each_by_one_answer_asked_in_two_ways():
    found = phenomena()

    assert [one.name for one in found] == SIX
    assert {one.group for one in found} == {"reasoning", "distracting clues"}
    for one in found:
        assert one.usual != one.harder
        assert all(text.endswith(".") for text in (one.definition, one.usual, one.harder, one.because))
        assert one.answer.casefold() not in f"{one.usual} {one.harder}".casefold()


def test_nobody_sees_anything_until_two_are_done_with_everything():
    one, two = tagged(("ana", "a"), ("tom", "b"), ("mei", "")), tagged(("ana", ""))

    counts = progress([one, two])
    assert counts == {"ana": 2, "tom": 1, "mei": 1}
    assert finished_people(counts, 2) == ("ana",)
    assert not any(may_see(counts, 2, who) for who in ("ana", "tom", "mei", "eve"))

    counts = progress([one, tagged(("ana", ""), ("tom", ""))])
    assert may_see(counts, 2, "ana")
    assert may_see(counts, 2, "eve")  # tags nothing, and may decide
    assert not may_see(counts, 2, "mei")  # is not done, and would be coloured


def test_a_third_decides():
    review = tagged(("ana", "a"), ("tom", "a b"))

    assert [may_decide(review, who) for who in ("ana", "tom", "mei")] == [False, False, True]
    assert disputed(review, ("ana", "tom")) == ("b",)
    assert decided(review) is None
    assert decided(tagged(("ana", "a"), ("tom", "a b"), ("mei", "b", Round.DECIDING))) == ("b",)


def test_what_was_decided_last_holds():
    first, last = ("mei", "a", Round.DECIDING), ("eve", "b", Round.DECIDING)

    assert decided(tagged(first, last)) == ("b",)
    assert decided(tagged(last, first)) == ("a",)
    assert decided(tagged(first, last, first)) == ("a",)


def test_what_all_found_needs_no_decision_but_one_alone_is_nobody_s_agreement():
    assert decided(tagged(("ana", "b a"), ("tom", "a b"))) == ("a", "b")
    assert decided(tagged(("ana", "a"))) is None


ticks = st.lists(st.tuples(st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc"))), min_size=1)


@given(ticks)
def test_two_people_s_agreement_is_that_of_a_table_counted_by_hand(found):
    reviews = {
        str(number): tagged(("ana", " ".join(one)), ("tom", " ".join(other)))
        for number, (one, other) in enumerate(found)
    }
    for agreement in agreements(reviews, ("ana", "tom"), "abc"):
        one, other = ([agreement.tag in pair[who] for pair in found] for who in range(2))
        assert agreement.counts == (sum(one), sum(other))
        assert agreement.everyone == sum(map(all, zip(one, other, strict=True)))
        same = [mine == theirs for mine, theirs in zip(one, other, strict=True)]
        assert agreement.share == pytest.approx(sum(same) / len(same))
        if agreement.kappa is not None:
            assert agreement.kappa == cohen_kappa(one, other)
    assert share_of_equal_taggings(reviews, ("ana", "tom")) == sum(
        one == other for one, other in found
    ) / len(found)


def test_three_people_s_kappa_is_fleiss_s_and_only_what_all_tagged_counts():
    reviews = {
        "1": tagged(("ana", "a"), ("tom", "a"), ("mei", "")),
        "2": tagged(("ana", ""), ("tom", ""), ("mei", "")),
        "3": tagged(("ana", "a"), ("tom", "a")),
    }
    (found,) = agreements(reviews, ("ana", "tom", "mei"), "a")

    # Shares 1/3 and 1, so 2/3; by chance (2/6)^2 + (4/6)^2 = 5/9; (6/9 - 5/9) / (4/9) = 1/4.
    assert (found.counts, found.everyone) == ((1, 1, 0), 0)
    assert found.share == pytest.approx(2 / 3)
    assert found.kappa == pytest.approx(1 / 4)


def test_where_nobody_tagged_everything_there_is_nothing_to_compare():
    (found,) = agreements({"1": tagged(("ana", "a"))}, ("ana", "tom"), "a")

    assert (found.share, found.kappa) == (None, None)
    assert share_of_equal_taggings({}, ("ana", "tom")) is None


def test_ratios_are_said_with_two_digits():
    assert [ratio(number) for number in (1.0, -0.001, -0.25, 0.666, None)] == [
        "1.00",
        "0.00",
        "\u22120.25",
        "0.67",
        "\u2013",
    ]
