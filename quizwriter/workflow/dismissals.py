"""Problems that a person dismissed: where their words are now, and whether a problem is one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from quizwriter.domain.events import Event
from quizwriter.domain.review import Dismissed
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.problems.rule import Problem


class PlacedDismissal(msgspec.Struct, frozen=True):
    """A dismissal whose words are in the text as they were, at ``span``; ``event`` says who and why."""

    event: Event
    body: Dismissed
    span: Span

    def covers(self, problem: Problem) -> bool:
        """Whether ``problem`` is what was dismissed."""
        body = self.body
        if (body.rule, body.in_answer, body.quoted) != (problem.rule, problem.in_answer, problem.words):
            return False
        return problem.of_whole or problem.in_answer or problem.span == self.span


def placed_dismissals(
    events: Iterable[Event], trail: AnchorTracker | None, tossup: Tossup
) -> tuple[PlacedDismissal, ...]:
    """Those of the dismissals ``events`` whose words still stand in ``tossup``.

    ``trail`` is the history of its text up to now. A dismissal survives edits elsewhere, and is gone once its
    words are others; it is back when they are what they were.
    """
    line = tossup.answer.line if tossup.answer is not None else ""
    found = []
    for event in events:
        body = event.body
        if not isinstance(body, Dismissed):
            continue
        span: Span | None = Span(0, 0)
        if body.in_answer:
            span = span if body.quoted in line else None
        elif body.quoted:
            span = trail.place(body.seq, Span(body.start, body.end)) if trail is not None else None
            if span is not None and span.of(tossup.text) != body.quoted:
                span = None
        if span is not None:
            found.append(PlacedDismissal(event, body, span))
    return tuple(found)


def dismissal_of(problem: Problem, dismissals: Sequence[PlacedDismissal]) -> PlacedDismissal | None:
    """The dismissal of ``problem``; None if nobody dismissed it."""
    return next((one for one in dismissals if one.covers(problem)), None)
