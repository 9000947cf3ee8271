"""Answer lines of the commonest form, whose names are told without the grammar."""

from __future__ import annotations

import re
from functools import lru_cache

from quizwriter.domain.answer_line.directions import ASKING, BEGIN_DIRECTIONS
from quizwriter.domain.answer_line.name_lists import SEPARATORS
from quizwriter.domain.answer_line.words import (
    ANSWERS,
    CONDITIONS,
    EQUIVALENTS,
    IN_RULES,
    LEADING,
    LIKE,
    rules_of,
    words_of,
)

LONGEST_PLAIN = 2_000
"""Characters; a longer line is for the grammar, which has a limit of its own."""

_WORD = r"[^\W_]+(?:['’-][^\W_]+)*+"
_BARE = rf"{_WORD}(?:(?:\. ?| |–){_WORD})*+"
_NAME = rf'(?:{_BARE}|“{_BARE}”|"{_BARE}")'
_PLAIN = re.compile(_NAME)
_PLAIN_MAIN = re.compile(rf"{_NAME}(?:, {_NAME})*+")
_CLAUSE = re.compile(
    r"(?:(?P<accepts>or|accept)|(?:anti-)?prompt on|do not accept(?: or prompt on)?) (?P<said>.+)",
    re.IGNORECASE,
)
_OTHER = r'[^“”"«»()\[\]{}<>*_~&;]'
_SAYS_NO_NAME = re.compile(rf'(?:{_OTHER}|“{_OTHER}*+”|"{_OTHER}*+")++')
_WORDS = re.compile(_WORD)
_MARKS = '“”"'
_BEGINS_CLAUSE = BEGIN_DIRECTIONS - LEADING - words_of("aka known i")
_BEGINS_OR_SEPARATES = BEGIN_DIRECTIONS | SEPARATORS
_TELLING = (
    BEGIN_DIRECTIONS | CONDITIONS | ASKING | SEPARATORS | LIKE | ANSWERS | EQUIVALENTS
    | words_of("alone form forms instead itself lieu place such")
) - words_of("and i")  # fmt: skip
"""Words that may tell the moderator something; a line with one in a name is for the grammar."""


@lru_cache(maxsize=4_096)
def plain_names(line: str) -> tuple[str, ...]:
    """The names that ``line`` accepts, the main answer first; empty where only the grammar can tell.

    It can of most lines: ``main``, ``main [or name or name; accept name; accept word forms; prompt on
    anything]``. The grammar says the same of them, and takes twenty times as long.
    """
    if len(line) > LONGEST_PLAIN:
        return ()
    opener = {"]": " [", ")": " ("}.get(line[-1:])
    main, _, inside = line[:-1].partition(opener) if opener else (line, "", "")
    if not _is_name(main, _PLAIN_MAIN):
        return ()
    names = [main]
    for clause in inside.split("; ") if opener else ():
        found = _CLAUSE.fullmatch(clause)
        if found is None:
            return ()
        said = found["said"]
        if not found["accepts"]:
            if not (_SAYS_NO_NAME.fullmatch(said) and _BEGINS_CLAUSE.isdisjoint(_words(said.lower()))):
                return ()
        elif not _is_rule(said):
            some = said.split(" or ")
            if not all(map(_is_name, some)):
                return ()
            names += some
    return tuple(name.strip(_MARKS) for name in names)


def _words(folded: str) -> list[str]:
    """The words of a text in lower case as the grammar compares them."""
    return _WORDS.findall(folded.replace("’", "'"))


def _is_name(name: str, pattern: re.Pattern[str] = _PLAIN) -> bool:
    """Whether ``name`` is words alone of which none tells anything, nor all together state a rule."""
    if not pattern.fullmatch(name) or "AND" in name or "i." in (folded := name.lower()):
        return False
    words = _words(folded)
    return _TELLING.isdisjoint(words) and not IN_RULES.issuperset(words)


def _is_rule(said: str) -> bool:
    """Whether ``said`` states a rule, and nothing else."""
    words = said.split(" ")
    return _BEGINS_OR_SEPARATES.isdisjoint(words) and bool(rules_of(words))
