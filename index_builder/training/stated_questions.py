"""Questions and what they say of their answers: the pairs from which the distractor learns.

Fan and Liu wrote 300 such pairs by hand. Questions of quizbowl have two forms that a rule can state: "Name
this composer of Aida", and "This composer wrote Aida". What the rule cannot state is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec
import numpy as np

from quizwriter.domain.page import Page, plain_title
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.entity_library import EntityLibraries
from quizwriter.engine.pages import read_pages
from quizwriter.engine.retrieval import PassageKind, PassageTable

LONGEST, SHORTEST = 40, 5
"""Words of a question that is stated."""

_POINTS = re.compile(r"(?:for (?:10|15|20|ten|fifteen|twenty) points(?: each)?+|ftp|ftpe),?+ ", re.IGNORECASE)
_ASKED = re.compile(r"(?:name|identify|give) th(is|ese) (?=\w)", re.IGNORECASE)
_POINTER = re.compile(r"\bth(?:is|ese) ((?:[\w-]++ ?){1,4})", re.IGNORECASE)
_WORD = re.compile(r"[\w-]++")
_CLOSED = ('."', ".”", "?”", "!”", '?"', '!"')
_GOES_ON = frozenset("about by for from in of on that to which who whom whose with".split())  # noqa: SIM905
"""Words before which a noun phrase is not over yet."""


class StatedPair(msgspec.Struct, frozen=True):
    """A question, the answer as a sentence says it, and the question as a statement about the answer."""

    question: str
    answer: str
    statement: str


def state(question: str, answer: str, nouns: Collection[str]) -> str | None:
    """``question``, one sentence, as a statement about ``answer``; None where the rule cannot state it.

    ``nouns`` are what questions call answers, such as "composer".
    """
    asked = without_points(question)
    name = _ASKED.match(asked)
    if name is not None:
        verb = "is" if name.group(1) == "is" else "are"
        said = asked[name.end() :].rstrip(" .?!")
        return f"{answer} {verb} the {said}{'' if said.endswith(_CLOSED) else '.'}"
    for pointer in _POINTER.finditer(asked):
        words = list(_WORD.finditer(asked, *pointer.span(1)))
        last = next((at for at, word in enumerate(words) if word.group() in nouns), None)
        if last is None:
            continue
        while last + 1 < len(words) and words[last + 1].group() in nouns:
            last += 1
        end = words[last].end()
        following = _WORD.match(asked, end + 1) if asked[end : end + 1] == " " else None
        if following is not None and following.group() in _GOES_ON:
            return None
        return f"{asked[: pointer.start()]}{answer}{asked[end:].rstrip()}"
    return None


def without_points(question: str) -> str:
    """``question`` without "For 10 points," before it."""
    points = _POINTS.match(question)
    return question if points is None else question[points.end() :]


def asking_sentence(tossup: Tossup) -> str | None:
    """The last sentence of ``tossup`` that points at the answer, without the points; None if none does."""
    for span in reversed(tossup.sentences):
        sentence = without_points(span.of(tossup.text).strip())
        if _POINTER.search(sentence) is not None and is_of_length(sentence):
            return sentence
    return None


def is_of_length(sentence: str) -> bool:
    """Whether ``sentence`` is neither a scrap nor several sentences."""
    return SHORTEST <= len(sentence.split()) <= LONGEST


def stated_pairs(bundle: Bundle, libraries: EntityLibraries) -> Iterator[tuple[Page, StatedPair]]:
    """The pairs of ``bundle`` with their pages: one of each bonus part, two of each tossup at most."""
    pages, passages, nouns = read_pages(bundle), PassageTable(bundle), libraries.sizes.keys()
    kinds = np.asarray(passages.kinds)
    for row, page in enumerate(pages.all):
        answer = plain_title(page)
        for number in passages.about(row):
            if kinds[number] == PassageKind.ARTICLE:
                continue
            most = 1 if kinds[number] == PassageKind.BONUS else 2
            tossup = Tossup(passages.texts[number])
            for span in tossup.sentences[-most:]:
                question = without_points(span.of(tossup.text).strip())
                if not is_of_length(question) or answer.casefold() in question.casefold():
                    continue
                statement = state(question, answer, nouns)
                if statement is not None:
                    yield page, StatedPair(question, answer, statement)
