"""Answer lines of the commonest form, whose names are told without the grammar."""

from __future__ import annotations

import re

from quizwriter.domain.answer_line.directions import ASKING, BEGIN_DIRECTIONS
from quizwriter.domain.answer_line.name_lists import SEPARATORS
from quizwriter.domain.answer_line.words import (
    ANSWERS,
    CONDITIONS,
    EQUIVALENTS,
    IN_RULES,
    LIKE,
    words_of,
)

LONGEST_PLAIN = 2_000
"""Characters; a longer line is for the grammar, which has a limit of its own."""

_WORD = r"[^\W_]+(?:['’-][^\W_]+)*+"
_BARE = rf"{_WORD}(?:(?:\. ?| |–){_WORD})*+"
_NAME = rf'(?:{_BARE}|“{_BARE}”|"{_BARE}")'
_PLAIN = re.compile(_NAME)
_CLAUSE = re.compile(r"(or|accept|prompt on|do not accept(?: or prompt on)?) (.+)", re.IGNORECASE)
_WORDS = re.compile(_WORD)
_ACCEPTS = words_of("or accept")
_MARKS = '“”"'
_TELLING = (
    BEGIN_DIRECTIONS | CONDITIONS | ASKING | SEPARATORS | LIKE | ANSWERS | EQUIVALENTS
    | words_of("alone form forms instead itself lieu place such")
)  # fmt: skip
"""Words that may tell the moderator something; a line with one in a name is for the grammar."""


def plain_names(line: str) -> tuple[str, ...]:
    """The names that ``line`` accepts, the main answer first; empty where only the grammar can tell.

    It can of most lines: ``main``, ``main [or name or name; accept name; prompt on name]``. The grammar says
    the same of them, and takes twenty times as long.
    """
    if len(line) > LONGEST_PLAIN:
        return ()
    main, bracket, inside = line[:-1].partition(" [") if line.endswith("]") else (line, "", "")
    if not _is_name(main):
        return ()
    names = [main]
    for clause in inside.split("; ") if bracket else ():
        found = _CLAUSE.fullmatch(clause)
        some = found[2].split(" or ") if found else [""]
        if found is None or not all(map(_is_name, some)):
            return ()
        if found[1].lower() in _ACCEPTS:
            names += some
    return tuple(name.strip(_MARKS) for name in names)


def _is_name(name: str) -> bool:
    """Whether ``name`` is words alone of which none tells anything, nor all together state a rule."""
    if not _PLAIN.fullmatch(name):
        return False
    words = _WORDS.findall(name.lower().replace("’", "'"))
    return _TELLING.isdisjoint(words) and not IN_RULES.issuperset(words)
