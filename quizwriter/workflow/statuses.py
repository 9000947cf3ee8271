"""The rules by which a tossup gets another status, and by which a consent to its release is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizwriter.domain.review import (
    Consent,
    ConsentBasis,
    ConsentGiven,
    Override,
    Status,
    StatusSet,
    WrittenBy,
    allowed_next,
)
from quizwriter.domain.review_state import ConsentState, Review
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.wording import counted_noun, listed

_SAID_WHY = frozenset({Status.SENT_BACK, Status.REJECTED, Status.WITHDRAWN})


def needs_reason(before: Status, after: Status) -> bool:
    """Whether the change from ``before`` to ``after`` must be explained: a refusal, and an unlocking."""
    return after in _SAID_WHY or before is Status.ACCEPTED


_WAY = (Status.DRAFT, Status.READY, Status.IN_REVIEW, Status.EDITED, Status.PROOFREAD, Status.ACCEPTED)
"""The way of a tossup into the set."""

OPEN_SUGGESTIONS = "It has open suggestions. Accept or decline them first."


def steps_to(before: Status, after: Status) -> tuple[Status, ...]:
    """The statuses that a tossup gets one after another on its way from ``before`` to ``after``.

    One step where the rules allow it, else all steps forward to a later status. Empty where no such way
    leads there: a tossup that was refused becomes a draft first, and nothing goes back in several steps.
    """
    if before is after:
        return ()
    if after in allowed_next(before):
        return (after,)
    if before is Status.SENT_BACK:
        rest = steps_to(Status.READY, after)
        return (Status.READY, *rest) if rest else ()
    if before not in _WAY or after not in _WAY or _WAY.index(after) <= _WAY.index(before):
        return ()
    return _WAY[_WAY.index(before) + 1 : _WAY.index(after) + 1]


def hindrance(review: Review, status: Status) -> str:
    """Why a tossup cannot get ``status`` in one pass, in a sentence; empty if it can.

    The checks of *ready* are not asked: see :func:`quizwriter.workflow.checks.check`.
    """
    if status is review.status:
        return f"It is already {status}."
    steps = steps_to(review.status, status)
    if not steps:
        return (
            f"Its status is {review.status}. It can become {listed(list(allowed_next(review.status)), 'or')}."
        )
    if Status.ACCEPTED in steps and review.open_suggestions:
        return OPEN_SUGGESTIONS
    return ""


STEP_RULES = {
    Status.READY: "every check must pass or be overridden with a reason",
    Status.ACCEPTED: "no suggestion may be open",
}
"""What must hold for a step, by the status that it gives; other steps ask for nothing."""


def change_status(
    review: Review,
    status: Status,
    reason: str = "",
    *,
    failed: Sequence[str] = (),
    overridden: Mapping[str, str] | None = None,
) -> StatusSet:
    """What is to be recorded where ``review`` stands and the tossup gets another ``status``.

    ``failed`` names the checks that do not pass, which matters for *ready*: each needs a reason in
    ``overridden``, which is kept.
    """
    reason = reason.strip()
    if status is Status.ACCEPTED and status in allowed_next(review.status) and review.open_suggestions:
        raise QuizwriterError(
            f"This tossup has {counted_noun(review.open_suggestions, 'open suggestion')}.",
            "Accept or decline them first.",
        )
    if status not in allowed_next(review.status):
        raise QuizwriterError(
            f"A tossup cannot go from {review.status} to {status} directly."
            if status is not review.status
            else f"This tossup is already {status}.",
            f"It can become {listed(list(allowed_next(review.status)), 'or')}.",
        )
    if needs_reason(review.status, status) and not reason:
        what = "Unlocking" if review.status is Status.ACCEPTED else f"Setting a tossup to {status}"
        raise QuizwriterError(
            f"{what} needs a reason.", "Give a reason, so that others understand the change."
        )
    overrides: tuple[Override, ...] = ()
    if status is Status.READY:
        reasons = {name: why.strip() for name, why in (overridden or {}).items()}
        missing = [name for name in failed if not reasons.get(name)]
        if missing:
            raise QuizwriterError(
                f"Not every check passes: {listed(missing)}.",
                "Fix the tossup, or override the check with a reason.",
            )
        overrides = tuple(Override(name, reasons[name]) for name in failed)
    return StatusSet(status, reason, overrides)


def hand_over(now: ConsentState, to: WrittenBy, author: str, names: Mapping[str, str]) -> WrittenBy:
    """What is to be recorded where ``author`` hands a tossup over, whose consent stands as ``now``.

    ``names`` are those of people, by their ids.
    """
    if now.can_hand_over(author):
        return to
    who = listed([names.get(one) or "its writer" for one in (now.writer, now.handed_by) if one], "or")
    raise QuizwriterError(
        "Only the writer of a tossup can hand it over.", f"Ask {who} to do that, and to send you the tossup."
    )


def record_consent(now: ConsentState, given: ConsentGiven, author: str) -> ConsentGiven:
    """What is to be recorded where the consent stands as ``now`` and ``author`` records ``given``."""
    reason = given.reason.strip()
    if author == now.writer:
        return ConsentGiven(given.consent, reason)
    if now.basis in (ConsentBasis.VERIFIED, ConsentBasis.UNSIGNED):
        if given.consent.strictness < now.consent.strictness:
            raise QuizwriterError(
                f"The writer answered “{now.consent}”, and only the writer can change that.",
                "Ask the writer to answer again, and to send you the tossup.",
            )
        if now.basis is ConsentBasis.VERIFIED and given.consent is not now.consent:
            raise QuizwriterError(
                f"The writer answered “{now.consent}” and signed the answer, so nobody else can change it.",
                "Withdraw the tossup if it must not be released.",
            )
    if now.writer and not reason and given.consent is not Consent.NOT_ASKED:
        raise QuizwriterError(
            "This tossup is another writer's, so a reason is missing.",
            "Describe how the writer told you, such as “by e-mail on 3 May”.",
        )
    return ConsentGiven(given.consent, reason)
