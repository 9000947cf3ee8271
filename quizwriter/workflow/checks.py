"""What must hold before a tossup is ready, each of which a person may override with a reason.

A check is a rule of :mod:`quizwriter.workflow.problems` that holds back: it passes where the rule finds no
problem, or only dismissed ones.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.near_duplicates import RepeatFinder
from quizwriter.workflow.problems.rule import HoldsBack, Inspection, PageIndex, Problem, RuleNeed
from quizwriter.workflow.problems.rules import RULES, find_problems


class Check(msgspec.Struct, frozen=True):
    """One thing that must hold: its ``name`` is what an override refers to, ``finding`` is a sentence."""

    name: str
    passed: bool
    finding: str


_VERSION = 5
"""It grows when a check may find something else of the same tossup."""


def checks() -> dict[str, HoldsBack]:
    """Each check by the name of its rule, in order."""
    found = [(name, rule.holds_back) for name, rule in RULES.items() if rule.holds_back is not None]
    return dict(sorted(found, key=lambda one: one[1].place))


def checks_version() -> str:
    """What kept findings are kept under: another one where a check is added, or may find something else."""
    return f"{_VERSION}: {', '.join(checks())}"


def check_titles() -> dict[str, str]:
    return {name: RULES[name].title for name in checks()}


def check(
    tossup: Tossup,
    key: str = "",
    *,
    in_set: RepeatFinder | None = None,
    past: RepeatFinder | None = None,
    pages: PageIndex | None = None,
    sheet: StyleSheet = STANDARD_STYLE,
    dismissed: Callable[[Problem], bool] = lambda _: False,
) -> tuple[Check, ...]:
    """What must hold before ``tossup``, known by ``key``, is ready, in the order of :func:`check_titles`.

    ``in_set`` are the tossups of its set, which may hold the tossup itself, ``past`` the past questions near
    it, and ``pages`` the pages of the bundle; a check that needs one that is None does not pass. ``sheet`` is
    the style sheet of the set, and ``dismissed`` tells whether a person dismissed a problem.
    """
    inspection = Inspection(tossup, key, sheet, in_set=in_set, past=past, pages=pages)
    asked = checks()
    problems = [one for one in find_problems(inspection, only=asked) if not dismissed(one)]
    return tuple(
        _checked(name, held, inspection, [one for one in problems if one.rule == name])
        for name, held in asked.items()
    )


def repeatable_checks() -> frozenset[str]:
    """The names of the checks that need nothing beside the tossup and its style sheet."""
    return frozenset(name for name in checks() if not RULES[name].needs)


def checks_with(need: RuleNeed) -> frozenset[str]:
    return frozenset(name for name in checks() if need in RULES[name].needs)


def _checked(name: str, held: HoldsBack, inspection: Inspection, problems: list[Problem]) -> Check:
    missing = (need.missing for need in RULES[name].needs if not inspection.has(need))
    stopped = held.never(inspection) or next(missing, "") or (held.fails(problems) if problems else "")
    if stopped:
        return Check(name, False, stopped)
    return Check(name, True, held.passes if isinstance(held.passes, str) else held.passes(inspection))
