"""Every rule, the problems they find in a tossup, and those of them that a person dismissed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from quizwriter.domain.events import Event
from quizwriter.domain.review import Dismissed
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.problems import misspellings, past_usage, question_form, readiness, typography, usage
from quizwriter.workflow.problems.rule import Inspection, Problem, Rule

RULES: dict[str, Rule] = {
    rule.name: rule
    for module in (readiness, question_form, misspellings, past_usage, usage, typography)
    for rule in module.RULES
}
"""Every rule by its name, in the order in which people read them."""

MOST_PROBLEMS = 50
"""Problems of one rule that are told; a text with more of them is no tossup."""


def find_problems(
    inspection: Inspection,
    only: Collection[str] | None = None,
    give_way: Callable[[], object] = lambda: None,
) -> tuple[Problem, ...]:
    """What the rules of the set's style sheet find, in the order of the text.

    ``only`` names the rules that are asked; None: all that are on. ``give_way`` is called before each.
    """
    found: list[Problem] = []
    for rule in RULES.values():
        if rule.is_on(inspection.sheet) if only is None else rule.name in only:
            give_way()
            found += _found(rule, inspection)
    return tuple(sorted(found, key=lambda one: (one.in_answer, one.span)))


def _found(rule: Rule, inspection: Inspection) -> Iterable[Problem]:
    answer = inspection.tossup.answer
    for number, one in enumerate(rule.find(inspection)):
        if number == MOST_PROBLEMS:
            return
        text = (answer.line if answer is not None else "") if one.in_answer else inspection.text
        yield Problem(rule.name, one.span, one.span.of(text), one.sentence, one.fix, one.in_answer)


class PlacedDismissal(msgspec.Struct, frozen=True):
    """A dismissal whose words are in the text as they were, at ``span``; ``event`` says who and why."""

    event: Event
    body: Dismissed
    span: Span

    def covers(self, problem: Problem) -> bool:
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
    return next((one for one in dismissals if one.covers(problem)), None)
