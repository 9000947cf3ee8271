"""The rules by which a tossup gets another status, and by which a consent to its release is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizwriter.domain.review import (
    Consent,
    ConsentBasis,
    ConsentGiven,
    ConsentState,
    Override,
    Review,
    Status,
    StatusSet,
    allowed_next,
)
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.wording import listed

_SAID_WHY = frozenset({Status.SENT_BACK, Status.REJECTED, Status.WITHDRAWN})


def needs_reason(before: Status, after: Status) -> bool:
    """Whether the change from ``before`` to ``after`` must be explained: a refusal, and an unlocking."""
    return after in _SAID_WHY or before is Status.ACCEPTED


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

    Raises:
        QuizwriterError: the status cannot follow, or a reason is missing; the problem says which.
    """
    reason = reason.strip()
    if status not in allowed_next(review.status):
        raise QuizwriterError(
            f"A tossup that is {review.status} cannot become {status} at once."
            if status is not review.status
            else f"This tossup is {status} already.",
            f"It can become {listed(list(allowed_next(review.status)), 'or')}.",
        )
    if needs_reason(review.status, status) and not reason:
        what = "Unlocking" if review.status is Status.ACCEPTED else f"Setting a tossup to {status}"
        raise QuizwriterError(f"{what} needs a reason.", "Say why, so that others can follow.")
    overrides: tuple[Override, ...] = ()
    if status is Status.READY:
        reasons = {name: why.strip() for name, why in (overridden or {}).items()}
        missing = [name for name in failed if not reasons.get(name)]
        if missing:
            raise QuizwriterError(
                f"Not every check passes: {listed(missing)}.",
                "Mend the tossup, or say why that is all right.",
            )
        overrides = tuple(Override(name, reasons[name]) for name in failed)
    return StatusSet(status, reason, overrides)


def record_consent(now: ConsentState, given: ConsentGiven, author: str) -> ConsentGiven:
    """What is to be recorded where the consent stands as ``now`` and ``author`` records ``given``.

    Raises:
        QuizwriterError: the author is not the writer, and gave no reason or cannot overrule the writer.
    """
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
                f"The writer answered “{now.consent}” and signed it, so nobody else can answer.",
                "Withdraw the tossup if it must not be released.",
            )
    if now.writer and not reason and given.consent is not Consent.NOT_ASKED:
        raise QuizwriterError(
            "This tossup is another writer's, so a reason is missing.",
            "Say how the writer told you, such as “by e-mail on 3 May”.",
        )
    return ConsentGiven(given.consent, reason)
