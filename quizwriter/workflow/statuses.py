"""The rules by which a tossup gets another status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizwriter.domain.review import Override, Review, Status, StatusSet, allowed_next
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
