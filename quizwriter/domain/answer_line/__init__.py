"""The grammar of answer lines: what a packet prints after ``ANSWER:``, read into clauses and written back.

An answer line is a main answer followed by directions to the moderator, in brackets, parentheses, braces, or
behind semicolons::

    line      := answer (group | note | guide | tag)*  [("AND" | "OR") answer …]
    group     := open clause (";" clause)* close
    clause    := directive names [in place of words] [condition] ["by asking" question] | rule | note
    directive := accept | or | prompt on | anti-prompt on | do not accept | do not prompt on | reject | …
    names     := name ((", " | " or ") name)*

Required words are what the markup makes bold and underlined: HTML (``<b><u>``) or ``*_…_*``. The reader
never fails: each character of the line is in one piece, and words that fit no rule are an unread piece with
its place and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from quizwriter.domain.answer_line.accepted_titles import is_titled, titles_of
from quizwriter.domain.answer_line.directions import direction_at
from quizwriter.domain.answer_line.line_tokens import LineTokens
from quizwriter.domain.answer_line.markup import MarkedText, Style, read_markup, without_markup
from quizwriter.domain.answer_line.nouns import (
    AnswerClause,
    AnswerLine,
    AnswerName,
    AnswerRule,
    Condition,
    Directive,
    LinePiece,
    PieceKind,
)
from quizwriter.domain.answer_line.plain_names import plain_names
from quizwriter.domain.answer_line.reader import LineReader

__all__ = [
    "LONGEST_LINE",
    "AnswerClause",
    "AnswerLine",
    "AnswerName",
    "AnswerRule",
    "Condition",
    "Directive",
    "LinePiece",
    "MarkedText",
    "PieceKind",
    "Style",
    "accepted_titles",
    "begins_with_direction",
    "is_titled",
    "main_answer",
    "plain_names",
    "read_answer_line",
    "read_markup",
    "without_markup",
]

LONGEST_LINE = 20_000
"""Characters of an answer line that are read; the longest published line has fewer than 1,200."""


@lru_cache(maxsize=4_096)
def read_answer_line(line: str) -> AnswerLine:
    """The clauses and pieces of ``line``, which may carry markup.

    Never raises: words that fit no rule, and all behind the first :data:`LONGEST_LINE` characters, are
    unread pieces. Takes time in proportion to the length.
    """
    return LineReader(line[:LONGEST_LINE], line[LONGEST_LINE:]).line


_LONGEST_DIRECTION = 200


def begins_with_direction(text: str) -> bool:
    """Whether ``text`` goes on with an answer line: with a bracket, or with a direction to the moderator."""
    line = LineTokens(text[:_LONGEST_DIRECTION])
    if not line.tokens:
        return False
    if line.tokens[0].text in "[(":
        return True
    found = direction_at(line, range(len(line.tokens)), 0)
    return found is not None and (found[2] or line.tokens[0].word == "or")


@lru_cache(maxsize=4_096)
def main_answer(line: str) -> str:
    """What people call the answer ``line``: its first answer in plain text, without what may be left out.

    Where the line asks for several answers at once, all of them. A line without any answer is its own.
    """
    if names := plain_names(line):
        return names[0]
    return read_answer_line(line).main or line.strip()


@lru_cache(maxsize=4_096)
def accepted_titles(line: str, page: str) -> Mapping[str, tuple[str, ...]]:
    return titles_of(read_answer_line(line), page)
