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

from functools import lru_cache

from quizwriter.domain.answer_line.markup import MarkedText, Style, read_markup
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
    "read_answer_line",
    "read_markup",
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
