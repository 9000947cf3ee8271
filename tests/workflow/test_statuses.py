"""Statuses follow each other by rules, and what is unusual is explained."""

from itertools import product

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import (
    Consent,
    ConsentBasis,
    ConsentGiven,
    Decided,
    Override,
    Status,
    StatusSet,
    Suggested,
    WrittenBy,
)
from quizwriter.domain.review_state import ConsentState, Review, fold_events
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.statuses import (
    change_status,
    hand_over,
    hindrance,
    needs_reason,
    record_consent,
    steps_to,
)

DRAFT, READY, IN_REVIEW, EDITED, PROOFREAD, ACCEPTED, SENT_BACK, REJECTED, WITHDRAWN = Status
REFUSALS = (SENT_BACK, REJECTED, WITHDRAWN)


def standing(status, *bodies):
    """A tossup of this status, to which ``bodies`` happened before."""
    happened = (*bodies, StatusSet(status))
    return fold_events(Event(f"e{i}", "one", i, "me", body) for i, body in enumerate(happened))


SUGGESTION = Suggested(1, Edit(0, "", "A"))


def refusal(call, *given, **named):
    with pytest.raises(QuizwriterError) as raised:
        call(*given, **named)
    return raised.value.problem, raised.value.remedy


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


# The way from one status to another

STEPS = {
    (DRAFT, READY): (READY,),
    (DRAFT, IN_REVIEW): (READY, IN_REVIEW),
    (DRAFT, EDITED): (READY, IN_REVIEW, EDITED),
    (DRAFT, PROOFREAD): (READY, IN_REVIEW, EDITED, PROOFREAD),
    (DRAFT, ACCEPTED): (READY, IN_REVIEW, EDITED, PROOFREAD, ACCEPTED),
    (DRAFT, REJECTED): (REJECTED,),
    (DRAFT, WITHDRAWN): (WITHDRAWN,),
    (READY, DRAFT): (DRAFT,),
    (READY, IN_REVIEW): (IN_REVIEW,),
    (READY, EDITED): (IN_REVIEW, EDITED),
    (READY, PROOFREAD): (IN_REVIEW, EDITED, PROOFREAD),
    (READY, ACCEPTED): (IN_REVIEW, EDITED, PROOFREAD, ACCEPTED),
    (IN_REVIEW, READY): (READY,),
    (IN_REVIEW, EDITED): (EDITED,),
    (IN_REVIEW, PROOFREAD): (EDITED, PROOFREAD),
    (IN_REVIEW, ACCEPTED): (EDITED, PROOFREAD, ACCEPTED),
    (EDITED, IN_REVIEW): (IN_REVIEW,),
    (EDITED, PROOFREAD): (PROOFREAD,),
    (EDITED, ACCEPTED): (PROOFREAD, ACCEPTED),
    (PROOFREAD, EDITED): (EDITED,),
    (PROOFREAD, ACCEPTED): (ACCEPTED,),
    (ACCEPTED, EDITED): (EDITED,),
    (SENT_BACK, DRAFT): (DRAFT,),
    (SENT_BACK, READY): (READY,),
    (SENT_BACK, IN_REVIEW): (READY, IN_REVIEW),
    (SENT_BACK, EDITED): (READY, IN_REVIEW, EDITED),
    (SENT_BACK, PROOFREAD): (READY, IN_REVIEW, EDITED, PROOFREAD),
    (SENT_BACK, ACCEPTED): (READY, IN_REVIEW, EDITED, PROOFREAD, ACCEPTED),
    (SENT_BACK, REJECTED): (REJECTED,),
    (SENT_BACK, WITHDRAWN): (WITHDRAWN,),
    (REJECTED, DRAFT): (DRAFT,),
    (WITHDRAWN, DRAFT): (DRAFT,),
    **{
        (before, refused): (refused,)
        for before in (READY, IN_REVIEW, EDITED, PROOFREAD, ACCEPTED)
        for refused in REFUSALS
    },
}
"""What leads where; every other pair of statuses has no way between them."""


@pytest.mark.parametrize(("before", "after"), list(product(Status, repeat=2)))
def test_a_later_status_is_reached_by_all_steps_between_and_an_earlier_one_by_one_step(before, after):
    assert steps_to(before, after) == STEPS.get((before, after), ())


@pytest.mark.parametrize(("before", "after"), list(product(Status, repeat=2)))
def test_a_status_can_be_set_at_once_only_if_one_step_leads_there(before, after):
    if STEPS.get((before, after)) == (after,):
        assert change_status(standing(before), after, "Because.") == StatusSet(after, "Because.")
        return
    problem, remedy = refusal(change_status, standing(before), after, "Because.")
    assert problem == (
        f"This tossup is already {after}."
        if before is after
        else f"A tossup cannot go from {before} to {after} directly."
    )
    assert remedy.startswith("It can become ")


@pytest.mark.parametrize(
    ("before", "remedy"),
    [
        (DRAFT, "It can become ready, rejected or withdrawn."),
        (EDITED, "It can become proofread, in review, sent back, rejected or withdrawn."),
        (REJECTED, "It can become draft."),
    ],
)
def test_who_asks_for_an_impossible_status_reads_the_possible_ones(before, remedy):
    assert refusal(change_status, standing(before), before)[1] == remedy


# What hinders a change


def test_a_status_is_hindered_if_no_way_leads_there():
    assert hindrance(standing(DRAFT), DRAFT) == "It is already draft."
    assert hindrance(standing(REJECTED), ACCEPTED) == "Its status is rejected. It can become draft."
    assert hindrance(standing(EDITED), DRAFT) == (
        "Its status is edited. It can become proofread, in review, sent back, rejected or withdrawn."
    )
    assert hindrance(standing(DRAFT), PROOFREAD) == ""


@pytest.mark.parametrize("before", [DRAFT, READY, IN_REVIEW, EDITED, PROOFREAD, SENT_BACK])
def test_open_suggestions_hinder_every_way_to_accepted_and_no_other_way(before):
    suggested, decided = standing(before, SUGGESTION), standing(before, SUGGESTION, Decided("e0", True))

    assert hindrance(suggested, ACCEPTED) == "It has open suggestions. Accept or decline them first."
    assert hindrance(suggested, WITHDRAWN) == ""
    assert hindrance(decided, ACCEPTED) == ""


def test_a_tossup_with_open_suggestions_is_not_accepted():
    problem, remedy = refusal(change_status, standing(PROOFREAD, SUGGESTION), ACCEPTED)

    assert problem == "This tossup has 1 open suggestion."
    assert remedy == "Accept or decline them first."
    assert refusal(change_status, standing(PROOFREAD, SUGGESTION, SUGGESTION), ACCEPTED)[0] == (
        "This tossup has 2 open suggestions."
    )


@pytest.mark.parametrize("accepted", [True, False])
def test_a_tossup_is_accepted_once_all_suggestions_are_decided(accepted):
    decided = standing(PROOFREAD, SUGGESTION, Decided("e0", accepted))
    half = standing(PROOFREAD, SUGGESTION, Decided("e0", accepted), SUGGESTION)

    assert change_status(decided, ACCEPTED) == StatusSet(ACCEPTED)
    assert refusal(change_status, half, ACCEPTED)[0] == "This tossup has 1 open suggestion."


def test_open_suggestions_do_not_keep_a_tossup_from_another_status():
    assert change_status(standing(PROOFREAD, SUGGESTION), EDITED) == StatusSet(EDITED)


def test_who_accepts_from_too_far_away_reads_of_the_way_before_the_suggestions():
    problem, _ = refusal(change_status, standing(DRAFT, SUGGESTION), ACCEPTED)

    assert problem == "A tossup cannot go from draft to accepted directly."


# Reasons


@pytest.mark.parametrize(("before", "after"), list(product(Status, repeat=2)))
def test_refusing_and_unlocking_must_be_explained_and_nothing_else(before, after):
    explain = after in REFUSALS or before is ACCEPTED

    assert needs_reason(before, after) is explain
    if STEPS.get((before, after)) != (after,):
        return
    if explain:
        what = "Unlocking" if before is ACCEPTED else f"Setting a tossup to {after}"
        assert refusal(change_status, standing(before), after, " \n") == (
            f"{what} needs a reason.",
            "Give a reason, so that others understand the change.",
        )
    else:
        assert change_status(standing(before), after) == StatusSet(after)


def test_the_space_around_a_reason_is_not_kept():
    assert change_status(standing(READY), REJECTED, " A repeat. ").reason == "A repeat."


def test_a_failed_check_matters_for_ready_only():
    failed, overridden = ["leak"], {"leak": "It is meant."}

    made = change_status(standing(READY), IN_REVIEW, failed=failed, overridden=overridden)

    assert made == StatusSet(IN_REVIEW)
    assert refusal(change_status, Review(), READY, failed=failed) == (
        "Not every check passes: leak.",
        "Fix the tossup, or override the check with a reason.",
    )


def test_only_the_checks_that_are_not_overridden_are_missing():
    overridden = {"length": "A tiebreaker."}

    problem, _ = refusal(change_status, Review(), READY, failed=["length", "leak"], overridden=overridden)

    assert problem == "Not every check passes: leak."


# Consents to a release

ONLY_THE_WRITER = ", and only the writer can change that."
NOBODY_ELSE = " and signed the answer, so nobody else can change it."


def said(consent, basis):
    return ConsentState("writer", consent, basis)


@pytest.mark.parametrize("basis", ConsentBasis)
@pytest.mark.parametrize(("before", "after"), list(product(Consent, repeat=2)))
def test_the_writer_may_answer_anything_again_without_a_reason(basis, before, after):
    given = ConsentGiven(after, " ")

    assert record_consent(said(before, basis), given, "writer") == ConsentGiven(after, "")


@pytest.mark.parametrize("reason", ["", " By e-mail. "])
def test_the_writers_own_reason_is_kept_without_the_space_around_it(reason):
    now = said(Consent.YES, ConsentBasis.NONE)

    assert record_consent(now, ConsentGiven(Consent.NO, reason), "writer").reason == reason.strip()


@pytest.mark.parametrize(
    ("basis", "before", "after", "refused"),
    [
        (ConsentBasis.UNSIGNED, Consent.NO, Consent.YES, ONLY_THE_WRITER),
        (ConsentBasis.UNSIGNED, Consent.DO_NOT_RELEASE, Consent.NO, ONLY_THE_WRITER),
        (ConsentBasis.UNSIGNED, Consent.NO, Consent.NO, ""),
        (ConsentBasis.UNSIGNED, Consent.NO, Consent.DO_NOT_RELEASE, ""),
        (ConsentBasis.UNSIGNED, Consent.YES, Consent.NO, ""),
        (ConsentBasis.VERIFIED, Consent.NO, Consent.YES, ONLY_THE_WRITER),
        (ConsentBasis.VERIFIED, Consent.YES, Consent.NO, NOBODY_ELSE),
        (ConsentBasis.VERIFIED, Consent.YES, Consent.NOT_ASKED, NOBODY_ELSE),
        (ConsentBasis.VERIFIED, Consent.NO, Consent.DO_NOT_RELEASE, NOBODY_ELSE),
        (ConsentBasis.VERIFIED, Consent.YES, Consent.YES, ""),
        (ConsentBasis.RECORDED, Consent.DO_NOT_RELEASE, Consent.YES, ""),
        (ConsentBasis.NONE, Consent.NOT_ASKED, Consent.YES, ""),
    ],
)
def test_another_person_overrules_no_writer(basis, before, after, refused):
    given = ConsentGiven(after, " By e-mail on 3 May. ")
    if not refused:
        recorded = record_consent(said(before, basis), given, "editor")
        assert recorded == ConsentGiven(after, "By e-mail on 3 May.")
        return
    problem, remedy = refusal(record_consent, said(before, basis), given, "editor")
    assert problem == f"The writer answered “{before}”{refused}"
    assert remedy == (
        "Ask the writer to answer again, and to send you the tossup."
        if refused is ONLY_THE_WRITER
        else "Withdraw the tossup if it must not be released."
    )


@pytest.mark.parametrize("consent", Consent)
@pytest.mark.parametrize("writer", ["writer", ""])
def test_a_record_of_another_writers_answer_says_how_it_was_given(consent, writer):
    now, given = ConsentState(writer), ConsentGiven(consent, " ")

    if writer and consent is not Consent.NOT_ASKED:
        assert refusal(record_consent, now, given, "editor") == (
            "This tossup is another writer's, so a reason is missing.",
            "Describe how the writer told you, such as “by e-mail on 3 May”.",
        )
    else:
        assert record_consent(now, given, "editor") == ConsentGiven(consent, "")


def test_only_a_tossup_s_writer_or_who_handed_it_over_hands_it_over():
    to, names = WrittenBy("cy"), {"ada": "Ada", "bo": "Bo"}
    now = ConsentState(writer="ada", handed_by="bo")

    assert hand_over(ConsentState(), to, "me", {}) is to
    assert hand_over(now, to, "ada", names) is hand_over(now, to, "bo", names) is to
    assert refusal(hand_over, now, to, "me", names) == (
        "Only the writer of a tossup can hand it over.",
        "Ask Ada or Bo to do that, and to send you the tossup.",
    )
    assert refusal(hand_over, ConsentState(writer="ada"), to, "me", {})[1].startswith("Ask its writer to do")
