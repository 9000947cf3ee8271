"""The problems of a tossup: rules, and what they find.

``rule``           what a rule is, what it looks at, and what it finds
``typography``     spaces, punctuation, quotation marks, dashes, brackets
``usage``          contractions, vague words, repetitions, spellings, long sentences
``answer_leak``    the answer in the text
``misspellings``   words that a checker doubts
``past_usage``     what past questions usually have: guides for names, other names in answer lines
``question_form``  what is asked for, "for 10 points", power mark, guides, length
``readiness``      what must hold before a tossup is ready, and what the players say of it

Others import from this module only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from quizwriter.workflow.problems import misspellings, past_usage, question_form, readiness, typography, usage
from quizwriter.workflow.problems.answer_leak import answer_names as answer_names
from quizwriter.workflow.problems.rule import Finding as Finding
from quizwriter.workflow.problems.rule import Inspection as Inspection
from quizwriter.workflow.problems.rule import PageIndex as PageIndex
from quizwriter.workflow.problems.rule import Problem as Problem
from quizwriter.workflow.problems.rule import Rule as Rule
from quizwriter.workflow.problems.rule import SpellingChecker as SpellingChecker

RULES: tuple[Rule, ...] = (
    *readiness.RULES, *question_form.RULES, *misspellings.RULES, *past_usage.RULES,
    *usage.RULES, *typography.RULES,
)  # fmt: skip
"""Every rule, in the order in which people read them."""

MOST_PROBLEMS = 50
"""Problems of one rule that are told; a text with more of them is no tossup."""


def find_problems(inspection: Inspection, only: Collection[str] | None = None) -> tuple[Problem, ...]:
    """What the rules of the set's style sheet find, in the order of the text.

    ``only`` names the rules that are asked; None: all that are on.
    """
    found: list[Problem] = []
    for rule in RULES:
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
