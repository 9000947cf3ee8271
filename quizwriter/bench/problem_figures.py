"""The figures of problems: how many published tossups have, how long they take, and which slips are found."""

from __future__ import annotations

import random
import re
import string
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from quizwriter.cancellation import PartProgress
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import Engine
from quizwriter.formats.question_files import ReadReport, questions
from quizwriter.workflow.estimates import percentile
from quizwriter.workflow.problems.rule import Inspection, SpellingChecker
from quizwriter.workflow.problems.rules import find_problems

QUESTIONS = 2_000
"""How many questions are looked at, drawn with a fixed seed."""

EASIEST = 7
"""The difficulty from which on questions of a file are drawn: regionals, nationals and open tournaments."""

PLANTED = 100
"""Into how many tossups each kind of slip is planted."""

SEED = 16

Around = Callable[[Inspection], Inspection]
"""Adds to an inspection what a bundle knows."""

_WORD_BEFORE_WORD = re.compile(r"(?<![\w’'-])[a-z]{3,30}(?= [a-z]{3,30}(?![\w’'-]))")
_SMALL_WORD = re.compile(r"(?<![\w’'-])[a-z]{5,30}(?![\w’'-])")

Planter = Callable[[str, random.Random], str]
"""A text with one more slip of a kind; the same text where it has no place for one."""


def problem_figures(
    engine: Engine,
    path: Path | None,
    progress: PartProgress,
    spelling: SpellingChecker | None = None,
    around: Around | None = None,
) -> dict[str, Any]:
    """The figures of published tossups from the question file at ``path``, else from the bundle's own."""
    if path is None:
        every = [Tossup(text) for text in engine.retrieval.past_tossups()]
    else:
        every = list(_published(path))
    chosen = random.Random(SEED).sample(every, min(QUESTIONS, len(every)))
    return figures_of(chosen, progress, spelling, around)


def _published(path: Path) -> Iterator[Tossup]:
    """The tossups of hard tournaments in a question file, with the power marks that its rows tell of."""
    for question in questions(path, ReadReport(str(path))):
        origin, text = question.origin, question.text
        if (origin.difficulty or 0) < EASIEST:
            continue
        if origin.power is not None and "(*)" not in text:
            text = f"{text[: origin.power].rstrip()} (*) {text[origin.power :].lstrip()}"
        yield Tossup(text, Answer(question.line))


def figures_of(
    tossups: Sequence[Tossup],
    progress: PartProgress,
    spelling: SpellingChecker | None = None,
    around: Around | None = None,
) -> dict[str, Any]:
    """How many problems published tossups have, by rule, how long that takes, and which slips are found.

    ``around`` adds what is known of a tossup's answer and names from past questions.
    """
    times, by_rule = [], Counter[str]()
    for done, tossup in enumerate(tossups):
        progress("Looking for problems", done, len(tossups))
        before = time.thread_time()
        inspection = Inspection(tossup, spelling=spelling)
        found = find_problems(inspection if around is None else around(inspection))
        times.append((time.thread_time() - before) * 1000)
        by_rule.update(one.rule for one in found)
    total = max(1, len(tossups))
    return {
        "problems_questions": len(tossups),
        "problems_cpu_p50": round(percentile(times, 50), 2),
        "problems_cpu_p95": round(percentile(times, 95), 2),
        "problems_a_tossup": round(by_rule.total() / total, 3),
        **{f"problems_{rule}": round(count / total, 4) for rule, count in by_rule.most_common()},
        **planted_figures(tossups, spelling),
    }


def planted_figures(tossups: Sequence[Tossup], spelling: SpellingChecker | None) -> dict[str, float]:
    """The share of planted slips of each kind that its rule finds; a kind without a place is left out."""
    shares = {}
    for rule, plant in PLANTERS.items():
        if rule in ("spelling", "run_together") and spelling is None:
            continue
        draw, planted, found = random.Random(SEED), 0, 0
        for tossup in tossups:
            if planted == PLANTED:
                break
            text = plant(tossup.text, draw)
            if text == tossup.text:
                continue
            planted += 1
            found += _count(rule, Tossup(text, tossup.answer), spelling) > _count(rule, tossup, spelling)
        if planted:
            shares[f"planted_{rule}_found"] = round(found / planted, 3)
    planted, found = 0, 0
    draw = random.Random(SEED)
    for tossup in tossups:
        if planted < PLANTED and tossup.answer is not None and len(Answer(tossup.answer.line).main) > 3:
            planted += 1
            leaking = _between(tossup.text, draw, f" {Answer(tossup.answer.line).main} ")
            found += _count("leak", Tossup(leaking, tossup.answer)) > _count("leak", tossup)
    return shares | ({"planted_leak_found": round(found / planted, 3)} if planted else {})


def _count(rule: str, tossup: Tossup, spelling: SpellingChecker | None = None) -> int:
    return len(find_problems(Inspection(tossup, spelling=spelling), only=[rule]))


# -- slips


def _gaps(text: str) -> list[int]:
    """The places of single spaces between two words of small letters, outside quotations."""
    gaps, quoted = [], False
    for at, letter in enumerate(text):
        if letter in '“”"':
            quoted = letter == "“" or (letter == '"' and not quoted)
        if letter == " " and not quoted and text[at - 1 : at].islower() and text[at + 1 : at + 2].islower():
            gaps.append(at)
    return gaps


def _between(text: str, draw: random.Random, inserted: str) -> str:
    """``text`` with ``inserted`` in the place of a space between two of its words."""
    gaps = _gaps(text)
    at = draw.choice(gaps) if gaps else -1
    return text if at < 0 else text[:at] + inserted + text[at + 1 :]


def _inserting(inserted: str) -> Planter:
    return lambda text, draw: _between(text, draw, inserted)


def _repeat_word(text: str, draw: random.Random) -> str:
    gaps = _gaps(text)
    at = draw.choice(gaps) if gaps else -1
    word = text[:at].rsplit(" ", 1)[-1] if at > 0 else ""
    return text if not word.isalpha() or not word.islower() else f"{text[:at]} {word}{text[at:]}"


def _misspell(text: str, draw: random.Random) -> str:
    """``text`` with a slip in a word of five small letters or more; it may make another word of it."""
    words = list(_SMALL_WORD.finditer(text))
    if not words:
        return text
    at, end = draw.choice(words).span()
    place, letter = draw.randrange(at, end - 1), draw.choice(string.ascii_lowercase)
    before, one, two, after = text[:place], text[place], text[place + 1], text[place + 2 :]
    slips = (two, two + one, letter + two, letter + one + two)  # one left out, swapped, another, one too many
    return before + draw.choice(slips) + after


def _run_together(text: str, draw: random.Random) -> str:
    """``text`` without the space between two words of three small letters or more."""
    ends = [found.end() for found in _WORD_BEFORE_WORD.finditer(text)]
    at = draw.choice(ends) if ends else len(text)
    return text[:at] + text[at + 1 :]


def _replacing(old: str, new: str) -> Planter:
    return lambda text, _: text.replace(old, new, 1)


def _new_sentence(sentence: str) -> Planter:
    """A planter that puts ``sentence`` behind the first sentence."""

    def plant(text: str, draw: random.Random) -> str:
        sentences = Tossup(text).sentences
        if len(sentences) < 2:
            return text
        return f"{text[: sentences[0].end]} {sentence}{text[sentences[0].end :]}"

    return plant


PLANTERS: dict[str, Planter] = {
    "double_space": _inserting("  "),
    "space_before_punct": _inserting(" , "),
    "comma_no_space": _inserting(","),
    "quote_punct": _inserting(" “something”, "),
    "ellipsis": _inserting("... "),
    "double_hyphen": _inserting("--"),
    "number_range": _inserting(" from 1702-1709 "),
    "ampersand": _inserting(" & "),
    "unbalanced_parens": _inserting(" (so "),
    "unbalanced_quotes": _inserting(" “so "),
    "repeated_word": _repeat_word,
    "contractions": _new_sentence("That place doesn't matter."),
    "one_of": _new_sentence("One of his letters names a horse."),
    "imprecise_from": _new_sentence("A painter from this country drew a horse."),
    "vague_this": _new_sentence("This led to a riot."),
    "subjective": _new_sentence("A famous horse is named there."),
    "long_sentence": _new_sentence("A horse " + "ran and " * 30 + "slept."),
    "fps": _replacing("For 10 points, ", ""),
    "numerals": _replacing("For 10 points", "For ten points"),
    "fpe": _replacing("For 10 points", "For 10 points each"),
    "imperative": lambda text, _: text.rstrip(".") + "?" if text.endswith(".") else text,
    "pg_span": _inserting(" (VROTS-wahf) "),
    "pronoun_first": lambda text, _: f"In his youth, {text[0].lower()}{text[1:]}",
    "power": lambda text, _: f"{text} (*)",
    "length": lambda text, _: " ".join(text.split()[:30]),
    "filler": _inserting(" TODO "),
    "spelling": _misspell,
    "run_together": _run_together,
}
"""What plants a slip, by the name of the rule that has to find it."""
