"""What happens beside the edits: the same events make the same state, in whatever order they come."""

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import (
    ArmDrawn,
    Commented,
    Decided,
    NeverSent,
    Override,
    Replied,
    Resolved,
    Round,
    Status,
    StatusSet,
    Suggested,
    Superseded,
    Tagged,
    TakenBack,
    allowed_next,
)
from quizwriter.domain.review_state import Review, fold_events
from tests.helpers.strategies import bodies

happenings = st.lists(bodies, max_size=8).map(
    lambda found: [Event(f"e{at}", "one", at // 2, "me", body) for at, body in enumerate(found)]
)


def happened(*bodies):
    return [Event(f"e{at}", "one", at, "me", body) for at, body in enumerate(bodies)]


@given(happenings, st.randoms())
def test_the_state_does_not_depend_on_the_order_in_which_events_arrive_nor_on_repeats(events, draw):
    shuffled = [*events, *draw.sample(events, k=len(events) // 2)]
    draw.shuffle(shuffled)

    assert fold_events(shuffled) == fold_events(events)


@given(happenings, bodies)
def test_what_is_taken_back_is_as_if_it_had_not_been(events, body):
    assume(not isinstance(body, NeverSent | ArmDrawn | StatusSet))  # these hold for good, if only a little
    extra = Event("extra", "one", 50, "me", body)
    back = Event("back", "one", 60, "me", TakenBack(("extra",)))

    assert fold_events([*events, extra, back]) == fold_events(events)


def test_taking_back_can_be_taken_back():
    events = happened(StatusSet(Status.READY), TakenBack(("e0",)), TakenBack(("e1",)))

    assert fold_events(events[:2]).status is Status.DRAFT
    assert fold_events(events).status is Status.READY


def test_a_tossup_to_which_nothing_happened_is_a_draft():
    assert fold_events([]) == Review()
    assert Review().status is Status.DRAFT


def test_the_last_status_counts_with_its_overrides():
    overridden = (Override("length", "It is a tiebreaker."),)
    review = fold_events(happened(StatusSet(Status.READY, "", overridden), StatusSet(Status.IN_REVIEW)))

    assert (review.status, review.overridden) == (Status.IN_REVIEW, ())
    assert fold_events(happened(StatusSet(Status.READY, "", overridden))).overridden == overridden


def test_only_accepted_ones_are_locked():
    assert [status for status in Status if fold_events(happened(StatusSet(status))).locked] == [
        Status.ACCEPTED
    ]


def test_the_usual_way_is_open_and_every_status_can_be_left():
    way = [
        Status.DRAFT,
        Status.READY,
        Status.IN_REVIEW,
        Status.EDITED,
        Status.PROOFREAD,
        Status.ACCEPTED,
    ]

    assert [allowed_next(status)[0] for status in way[:-1]] == way[1:]
    assert all(allowed_next(status) and status not in allowed_next(status) for status in Status)
    reached = {after for status in Status for after in allowed_next(status)}
    assert reached == set(Status)


def test_a_comment_carries_its_replies_and_whether_it_is_done():
    review = fold_events(happened(Commented("Is this so?"), Replied("e0", "Yes."), Resolved("e0")))

    (comment,) = review.comments
    assert (comment.event.body.text, [reply.body.text for reply in comment.replies]) == (
        "Is this so?",
        ["Yes."],
    )
    assert (comment.resolved, review.open_comments) == (True, 0)


def test_a_suggestion_waits_until_it_is_decided():
    suggestion = Suggested(1, Edit(0, "", "a"))

    assert fold_events(happened(suggestion)).open_suggestions == 1
    assert fold_events(happened(suggestion, Decided("e0", accepted=False))).open_suggestions == 0


def test_tags_are_by_person_and_round_and_the_last_ones_count():
    first, second, *others = happened(
        Tagged(("a", "b")), Tagged(("c",)), Tagged(("a",)), Tagged(("b",), Round.DECIDING)
    )
    review = fold_events([first, replace(second, author="you"), *others])

    assert review.tags == {
        (Round.BLIND, "me"): ("a",),
        (Round.BLIND, "you"): ("c",),
        (Round.DECIDING, "me"): ("b",),
    }


def test_a_superseded_branch_comes_back_with_the_next_edit():
    review = fold_events([Event("e", "one", 1, "me", Superseded("other"), seq=7)])

    assert review.is_superseded(7)
    assert not review.is_superseded(8)
