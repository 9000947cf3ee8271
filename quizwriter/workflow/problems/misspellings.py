"""The rule on spelling."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from quizwriter.domain.tossup import Span
from quizwriter.workflow.problems.rule import Finding, Inspection, Rule

_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?:['’][^\W\d_]+)*+(?![\w-])")


def _spelling(inspection: Inspection) -> Iterator[Finding]:
    """Words that the checker doubts. A name that stands twice, or in the answer line, is meant as it is."""
    checker, answer = inspection.spelling, inspection.tossup.answer
    if checker is None:
        return
    known = {word.casefold() for word in (*inspection.sheet.words, *inspection.known_words)}
    if answer is not None:
        known |= {word.casefold() for word in _WORD.findall(answer.line)}
    letters = list(inspection.text)
    for span in inspection.tossup.unread:
        letters[span.start : span.end] = " " * (span.end - span.start)
    text = "".join(letters)
    times = Counter(_WORD.findall(text))
    for found in _WORD.finditer(text):
        word = found.group()
        bare = word.casefold().replace("’", "'").removesuffix("'s")
        if bare in known or word.casefold() in known or (word[0].isupper() and times[word] > 1):
            continue
        if checker.doubts(word):
            meant = checker.suggestions(word)
            told = f"“{word}” is not in the dictionary"
            told += f": “{meant[0]}” may be meant." if meant else "."
            yield Finding(Span(*found.span()), told, meant[0] if meant else None)


RULES = (Rule("spelling", "Spelling", _spelling),)
