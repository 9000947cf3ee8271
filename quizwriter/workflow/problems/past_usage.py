"""Rules on what past questions usually have: guides for hard names, other names in the answer line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quizwriter.domain.answer_line import Directive, read_answer_line
from quizwriter.domain.page import answer_key
from quizwriter.domain.pronunciation import bracketed, guide_key, guide_place, placed_guides
from quizwriter.domain.span import Span
from quizwriter.workflow.problems.rule import WHOLE, Finding, Inspection, Rule, RuleNeed
from quizwriter.workflow.wording import listed

SHORTEST_NAME = 4
"""Letters of the shortest word for which a guide is missed; shorter ones are mostly abbreviations."""

MOST_TOLD = 4
"""Other names that one sentence tells."""

_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*+")


def _pronunciation(inspection: Inspection) -> Iterator[Finding]:
    """Names without a guide that past questions usually have with one; each is told of once."""
    book, text = inspection.guides, inspection.text
    if book is None:
        return
    names = [one.name.of(text) for one in placed_guides(text)]
    done = {guide_key(word) for name in names for word in (name, *_NAME.findall(name))}
    before: re.Match[str] | None = None
    for found in _NAME.finditer(inspection.tossup.heard_text):
        spans = [Span(*found.span())]
        if before is not None and _is_one_name(before, found):
            spans.insert(0, Span(before.start(), found.end()))
        before = found
        for span in spans:
            name = span.of(text)
            guide = book.expected(name) if span.end - span.start >= SHORTEST_NAME else None
            if guide is None or guide_key(name) in done:
                continue
            done |= {guide_key(name), guide_key(found.group())}
            end = guide_place(text, span)
            whole = Span(span.start, end)
            told = f"Past questions have a pronunciation guide for “{name}”: “{guide.said}”."
            yield Finding(whole, told, f"{whole.of(text)} {bracketed(guide.said, text)}")
            break


def _is_one_name(one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two words may be one name: "Ilse Brandt"."""
    apart = other.start() - one.end()
    return apart == 1 and one.group()[0].isupper() and other.group()[0].isupper()


def _answer_alts(inspection: Inspection) -> Iterator[Finding]:
    """Other names that most past answer lines of this answer accept, and that this one does not have."""
    answer = inspection.tossup.answer
    if answer is None or not inspection.usual_names:
        return
    own = [_words(name.text) for name in read_answer_line(answer.line).named(*Directive)]
    missing = [
        name for name in inspection.usual_names if not any(_is_part(_words(name), words) for words in own)
    ]
    if missing:
        names = listed([f"“{name}”" for name in missing[:MOST_TOLD]])
        yield Finding(WHOLE, f"Most past answer lines also accept {names}.", in_answer=True)


def _words(name: str) -> set[str]:
    """The words of a name; the judge takes one and many of a thing alike."""
    return {word.removesuffix("s") for word in answer_key(name).split()}


def _is_part(one: set[str], other: set[str]) -> bool:
    """Whether one name has all the words of the other, as a surname alone and the whole name."""
    return bool(one and other) and (one <= other or other <= one)


RULES = (
    Rule(
        "pronunciation",
        "Names that usually have a pronunciation guide",
        _pronunciation,
        needs=(RuleNeed.GUIDES,),
    ),
    Rule(
        "answer_alts",
        "Other names that past answer lines accept",
        _answer_alts,
        needs=(RuleNeed.NAMES,),
    ),
)
