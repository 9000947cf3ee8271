"""The titles of pages that an answer line accepts by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from quizwriter.domain.answer_line.nouns import AnswerLine, AnswerName, AnswerRule, Directive
from quizwriter.domain.page import answer_key
from quizwriter.system.resource_files import resource_lines

SHORTEST_TITLE = 3
"""Letters of the key of a name that may be a title; shorter ones are symbols of many things."""

_ARTICLES = ("the ", "a ", "an ")


def titles_of(line: AnswerLine, page: str) -> Mapping[str, tuple[str, ...]]:
    """The names in ``line`` that are surely right as titles, by their answer keys.

    ``page`` is the page of the answer, empty where it has none. Left out are names that hold only for a
    while, that replace words or describe an answer, parts of several answers, what the line prompts on or
    rejects elsewhere, and what may be the title of another answer: a part of the page's or the main answer's
    name, and a name that several pages have.
    """
    if any(AnswerRule.ALL_REQUIRED in clause.rules for clause in line.clauses):
        return {}
    refused = {
        answer_key(name.text) for name in line.named(Directive.PROMPT, Directive.ANTIPROMPT, Directive.REJECT)
    }
    main = frozenset(answer_key(line.main).split())
    whole = frozenset(answer_key(page).split()) if page else frozenset()
    found: dict[str, list[str]] = {}
    for name in _names(line):
        key = answer_key(name.text)
        words = frozenset(key.split())
        apart = not (words <= whole or words < main)
        long = len(key) >= SHORTEST_TITLE and not key.isdigit()
        if long and apart and key not in refused and key not in shared_titles():
            found.setdefault(key, []).append(name.text)
    return {key: tuple(names) for key, names in found.items()}


def _names(line: AnswerLine) -> Iterator[AnswerName]:
    for clause in line.clauses:
        holds = clause.condition is None and not clause.described and not clause.instead_of
        if holds and clause.directive in {Directive.MAIN, Directive.ACCEPT}:
            yield from (name for name in clause.names if name.text.strip())


@cache
def shared_titles() -> frozenset[str]:
    """The keys of titles whose name other pages have, too, with something behind it: Jupiter."""
    return frozenset(resource_lines("titles/shared_titles.txt"))


def is_titled(title: str, names: tuple[str, ...]) -> bool:
    """Whether a page with the ``title`` is called by one of ``names``, all of which have the title's key.

    An article that only the title has makes it another work, and so do the accents of a single word.
    """
    plain = title.replace("_", " ").strip().casefold()
    article = next((one for one in _ARTICLES if plain.startswith(one)), "")
    bare = plain.removeprefix(article)
    for name in names:
        said = name.strip().casefold()
        if article and not said.startswith(article):
            continue
        own = next((one for one in _ARTICLES if said.startswith(one)), "")
        if " " in bare or said.removeprefix(own) == bare:
            return True
    return False
