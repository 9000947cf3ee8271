"""Every rule, and what they find in a tossup."""

from __future__ import annotations

from collections.abc import Collection, Iterable

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


def find_problems(inspection: Inspection, only: Collection[str] | None = None) -> tuple[Problem, ...]:
    """What the rules of the set's style sheet find, in the order of the text.

    ``only`` names the rules that are asked; None: all that are on.
    """
    found: list[Problem] = []
    for rule in RULES.values():
        if rule.is_on(inspection.sheet) if only is None else rule.name in only:
            found += _found(rule, inspection)
    return tuple(sorted(found, key=lambda one: (one.in_answer, one.span)))


def _found(rule: Rule, inspection: Inspection) -> Iterable[Problem]:
    answer = inspection.tossup.answer
    for number, one in enumerate(rule.find(inspection)):
        if number == MOST_PROBLEMS:
            return
        text = (answer.line if answer is not None else "") if one.in_answer else inspection.text
        yield Problem(rule.name, one.span, one.span.of(text), one.sentence, one.fix, one.in_answer)
