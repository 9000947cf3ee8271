"""Statuses follow each other by rules, and what is unusual is explained."""

import pytest

from quizwriter.domain.review import Event, Override, Status, StatusSet
from quizwriter.domain.review_state import Review, fold_events
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.statuses import change_status


def standing(status):
    return fold_events([Event("e", "one", 1, "me", StatusSet(status))])


def test_a_draft_whose_checks_pass_becomes_ready_without_a_word():
    assert change_status(Review(), Status.READY) == StatusSet(Status.READY)


def test_a_draft_is_not_ready_while_a_check_fails():
    with pytest.raises(QuizwriterError, match="Not every check passes: length and leak"):
        change_status(Review(), Status.READY, failed=["length", "leak"])


def test_a_check_may_be_overridden_with_a_reason_which_is_kept():
    overridden = {"length": " A tiebreaker. ", "leak": "It is meant.", "vulgar": "unasked"}
    made = change_status(Review(), Status.READY, "Go.", failed=["length", "leak"], overridden=overridden)

    assert made == StatusSet(
        Status.READY, "Go.", (Override("length", "A tiebreaker."), Override("leak", "It is meant."))
    )


def test_an_override_without_a_reason_is_none():
    with pytest.raises(QuizwriterError, match="leak"):
        change_status(Review(), Status.READY, failed=["leak"], overridden={"leak": " "})


def test_what_may_not_follow_is_refused_and_what_may_is_said():
    with pytest.raises(QuizwriterError, match=r"cannot become accepted at once\. It can become ready, "):
        change_status(Review(), Status.ACCEPTED)
    with pytest.raises(QuizwriterError, match="is draft already"):
        change_status(Review(), Status.DRAFT)


@pytest.mark.parametrize("status", [Status.SENT_BACK, Status.REJECTED, Status.WITHDRAWN])
def test_a_refusal_needs_a_reason(status):
    with pytest.raises(QuizwriterError, match="needs a reason"):
        change_status(standing(Status.IN_REVIEW), status, " ")
    assert change_status(standing(Status.IN_REVIEW), status, "No.").reason == "No."


def test_unlocking_needs_a_reason():
    with pytest.raises(QuizwriterError, match="Unlocking needs a reason"):
        change_status(standing(Status.ACCEPTED), Status.EDITED)
    assert change_status(standing(Status.ACCEPTED), Status.EDITED, "A typo.").status is Status.EDITED
