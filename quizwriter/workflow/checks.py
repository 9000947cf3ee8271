"""What must hold before a tossup is ready, each of which a person may override with a reason.

A check is one of the rules of :mod:`quizwriter.workflow.problems`: it does not pass where the rule finds a
problem that nobody dismissed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from quizwriter.domain.page import Page, page_title
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.tossup import Tossup, bare_word
from quizwriter.workflow.near_duplicates import RepeatFinder
from quizwriter.workflow.problems.rule import Inspection, PageIndex, Problem
from quizwriter.workflow.problems.rules import RULES, find_problems
from quizwriter.workflow.wording import counted_noun, listed


class Check(msgspec.Struct, frozen=True):
    """One thing that must hold: its ``name`` is what an override refers to, ``finding`` is a sentence."""

    name: str
    passed: bool
    finding: str


CHECKS_VERSION = 3
"""It grows when a check may find something else of the same tossup, so that no kept finding is used again."""

_NAMES = ("text", "answer", "page", "length", "leak", "set", "past", "vulgar", "filler")
_RULE_TITLES = {rule.name: rule.title for rule in RULES}
TITLES = {name: _RULE_TITLES[name] for name in _NAMES}
"""What people call the checks, by name, in the order they are made."""

_PASSES = {
    "text": "There is a text.",
    "leak": "Neither the answer nor what it accepts is in the text.",
    "set": "Nothing in this set says the same.",
    "past": "Nothing among past questions says the same.",
    "vulgar": "Nothing vulgar is in the text.",
    "filler": "Nothing in it looks like a test.",
}


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
    """What must hold before ``tossup``, known by ``key``, is ready, in the order of :data:`TITLES`.

    ``in_set`` are the tossups of its set, which may hold itself, ``past`` the past questions that come near
    it, and ``pages`` those of the bundle. None: they could not be looked at, and so do not pass. ``sheet`` is
    the style sheet of its set, and ``dismissed`` says of a problem whether a person said that it is none.
    """
    inspection = Inspection(tossup, key, sheet, in_set=in_set, past=past, pages=pages)
    problems = [one for one in find_problems(inspection, only=_NAMES) if not dismissed(one)]
    missing = {
        "set": in_set is None and "Nothing in this set could be looked at.",
        "past": past is None and "Nothing among past questions could be looked at.",
        "page": _unknown_page(tossup, pages),
    }
    found = []
    for name in _NAMES:
        of_it = [one for one in problems if one.rule == name]
        if missing.get(name):
            found.append(Check(name, False, str(missing[name])))
        elif of_it:
            found.append(Check(name, False, _finding(name, of_it)))
        else:
            found.append(Check(name, True, _passes(name, inspection)))
    return tuple(found)


def _unknown_page(tossup: Tossup, pages: PageIndex | None) -> str:
    """Why it cannot be said whether a player can guess the answer; empty if it can."""
    if tossup.answer is None or tossup.answer.page is None:
        return "No page of the bundle has this answer, so no player can guess it."
    return "" if pages is not None else "No bundle is open, so its pages could not be looked at."


def _finding(name: str, problems: Sequence[Problem]) -> str:
    if name == "vulgar":
        said = dict.fromkeys(bare_word(one.words) for one in problems)
        return f"It says {listed([f'“{word}”' for word in said])}."
    return problems[0].sentence


def _passes(name: str, inspection: Inspection) -> str:
    answer, sheet = inspection.tossup.answer, inspection.sheet
    if name == "answer" and answer is not None:
        return f"It asks for {answer.main}."
    if name == "page" and answer is not None and inspection.pages is not None:
        found = inspection.pages.find(answer.page or "")
        return f"Players know it as {page_title(found or Page(''))}."
    if name == "length":
        words = counted_noun(len(inspection.tossup.words), "word")
        return f"{words}; from {sheet.shortest} to {sheet.longest} is usual."
    if name == "leak" and answer is None:
        return "There is no answer that could be said."
    return _PASSES[name]
