"""The rules on spelling."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.problems.rule import Finding, Inspection, Rule, RuleNeed

_ACCENTS = r"[\u0300-\u036f]"  # of letters that are written as two: "é" as "e" and an accent
_LETTERS = rf"(?:[^\W\d_]{_ACCENTS}*+)++"
_WORD = re.compile(rf"(?<![\w-])(?<!{_ACCENTS}){_LETTERS}(?:['’]{_LETTERS})*+(?![\w-])")
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*+")
_BROKEN = re.compile(r"\w[-\u2010] $")  # what was parted at the end of a line: "re- peated"
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:][\"”’)\]]{0,2}\s{1,3})[\"“‘(\[]{0,2}$")
_APOSTROPHES = ("'", "’")
_AROUND = 3  # words on each side that are looked at
_LOOKED_BACK = 12  # letters before a word by which it begins a sentence


class _Placed(NamedTuple):
    """A word, its place, up to three words on each side, and whether it begins a sentence.

    ``again``: it stands elsewhere in the text, too.
    """

    word: str
    span: Span
    before: tuple[str, ...]
    after: tuple[str, ...]
    begins: bool
    again: bool


def _words_looked_at(inspection: Inspection) -> tuple[_Placed, ...]:
    """The words that nobody said are right. A name that stands twice, or in the answer line, is meant so."""
    return _words_beside(inspection.tossup, inspection.sheet.words, inspection.known_words)


@lru_cache(maxsize=1)  # both rules look at the same text, one after the other
def _words_beside(
    tossup: Tossup, words_of_sheet: tuple[str, ...], own_words: frozenset[str]
) -> tuple[_Placed, ...]:
    return tuple(_find_words(tossup, {word.casefold() for word in (*words_of_sheet, *own_words)}))


def _find_words(tossup: Tossup, known: set[str]) -> Iterator[_Placed]:
    answer = tossup.answer
    if answer is not None:
        known |= {word.casefold() for word in _WORD.findall(answer.line)}
    letters = list(tossup.text)
    for span in tossup.unread:
        letters[span.start : span.end] = " " * (span.end - span.start)
    text = "".join(letters)
    times = Counter(_WORD.findall(text))
    tokens = list(_TOKEN.finditer(text))
    starts, ends = [token.start() for token in tokens], [token.end() for token in tokens]
    words = [token.group() for token in tokens]
    for found in _WORD.finditer(text):
        word = found.group()
        bare = word.casefold().replace("’", "'").removesuffix("'s")
        if bare in known or word.casefold() in known or (word[0].isupper() and times[word] > 1):
            continue
        if _BROKEN.search(text[max(0, found.start() - 3) : found.start()]):
            continue
        if bare.endswith("'d") or (
            bare.endswith("in") and text[found.end() : found.end() + 1] in _APOSTROPHES
        ):
            continue  # as it is spoken or sung: goin’, touch’d
        first, next_one = bisect_left(ends, found.start() + 1), bisect_left(starts, found.end())
        just_before = text[max(0, found.start() - _LOOKED_BACK) : found.start()]
        yield _Placed(
            word,
            Span(*found.span()),
            tuple(words[max(0, first - _AROUND) : first]),
            tuple(words[next_one : next_one + _AROUND]),
            _SENTENCE_BEGINS.search(just_before) is not None,
            times[word] > 1,
        )


def _spelling(inspection: Inspection) -> Iterator[Finding]:
    checker = inspection.spelling
    if checker is None:
        return
    for one in _words_looked_at(inspection):
        meant = checker.meant(one.word, one.before, one.after, begins=one.begins, again=one.again)
        if meant:
            yield Finding(one.span, f"“{one.word}” may be misspelt: did you mean “{meant[0]}”?", meant[0])


def _run_together(inspection: Inspection) -> Iterator[Finding]:
    checker = inspection.spelling
    if checker is None:
        return
    for one in _words_looked_at(inspection):
        parts = checker.parts(one.word)
        if parts:
            yield Finding(one.span, f"A space may be missing in “{one.word}”: did you mean “{parts}”?", parts)


RULES = (
    Rule("spelling", "Spelling", _spelling, needs=(RuleNeed.SPELLING,)),
    Rule("run_together", "Words without a space between them", _run_together, needs=(RuleNeed.SPELLING,)),
)
