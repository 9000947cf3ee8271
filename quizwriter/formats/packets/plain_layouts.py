"""What other programs put around the lines of a plain text: columns, marks of notes, Markdown, bullets.

A text from PDF may have two columns, one from a word processor the marks of comments and footnotes, whose
texts stand at its end. All of it is told by what stands in several lines, so that nothing is taken from a
text that only looks like it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import takewhile

_FEWEST_ROWS = 6
"""Lines on a page that have two columns."""

_NARROWEST = 15
"""Letters on average of a column of a text; numbers before a list have fewer."""

_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")


def in_one_column(text: str) -> str:
    """``text`` with the columns of each page one below the other, as they are read."""
    if "   " not in text:
        return text
    return "\f".join(map(_read_page, text.split("\f")))


def _read_page(page: str) -> str:
    lines = page.split("\n")
    begins = Counter(found.end() for line in lines for found in _GAP.finditer(line))
    for begin, times in begins.most_common(1):
        columns = [(line[:begin].rstrip(), line[begin:].rstrip()) for line in lines]
        both = sum(bool(left.strip() and right) for left, right in columns)
        parted = all(line[max(0, begin - 2) : begin].isspace() for line in lines if line[begin:].strip())
        if times < _FEWEST_ROWS or 2 * times < both or not parted:
            break
        sides = [[one for one in side if one.strip()] for side in zip(*columns, strict=True)]
        if all(sum(map(len, side)) >= _NARROWEST * len(side) for side in sides):
            return "\n".join([*(left for left, _ in columns), "", *(right for _, right in columns)])
    return page


_NOTE = re.compile(r"\s*\[([a-z]{1,2}|\d{1,3})\]\s?(?=\S)")
"""How a comment or a footnote begins at the end of a text; its mark stands behind a word above."""
_ORDINALS = [*(chr(97 + at) for at in range(26)), *(f"a{chr(97 + at)}" for at in range(26))]


_MARK = re.compile(r"(?<=\S)\[([a-z]{1,2}|\d{1,3})\]")


def notes_below(lines: Sequence[str]) -> tuple[int, frozenset[str]]:
    """From which of ``lines`` on there are only comments and footnotes, and their marks.

    They are numbered from the first one on, and the mark of each stands right behind a word before them.
    """
    begun = [(at, found[1]) for at, line in enumerate(lines) if (found := _NOTE.match(line))]
    for first in ("a", "1"):
        start = max((number for number, (_, mark) in enumerate(begun) if mark == first), default=None)
        if start is None:
            continue
        marks = [mark for _, mark in begun[start:]]
        usual = _ORDINALS if first == "a" else [str(number) for number in range(1, len(marks) + 1)]
        above = {found[1] for line in lines[: begun[start][0]] for found in _MARK.finditer(line)}
        if marks == usual[: len(marks)] and above.issuperset(marks):
            return begun[start][0], frozenset(marks)
    return len(lines), frozenset()


def places_of_marks(line: str, marks: Collection[str]) -> list[int]:
    """Where parts of ``line`` without the ``marks`` begin and end, in turn."""
    spans = [found.span() for found in _MARK.finditer(line) if found[1] in marks]
    return [0, *(end for span in spans for end in span), len(line)]


_NUMBER = r"(?:[a-z-]{1,9}\s)?#?\d{1,3}\s?[.):]"
_LABEL = rf"(?:{_NUMBER}|(?:ANSWER|ANS|toss-?up|question|[QA](?:\s?\d{{1,3}})?)\s?[:.]?)"
_MARKED = rf"(?:{_NUMBER}|(?:ANSWER|ANS|toss-?up|question|[QA]\s?\d{{1,3}})\s?[:.]|[QA]\s?:)"
"""A label with its colon: a line of a text may begin with a dash and one of these words."""
_EMPHASISED = re.compile(rf"(\*{{1,3}}|_{{1,3}})({_LABEL})\1", re.IGNORECASE)
_EMPHASISED_TAG = re.compile(r"([*_]{1,3})(<[^<>]+>|\[[^\[\]]+\])\1")
_WHOLE_ANSWER = re.compile(r"(\*{1,3}|_{1,3})(ANSWER\s?:\s?)(?=[^\s*_])", re.IGNORECASE)
_ESCAPED = re.compile(r"(\d{1,3})\\(?=[.)])")
_HEADING = re.compile(r"#{2,6}\s+|#\s+(?=[^\s\d])")
_BULLET = re.compile(rf"[-*+•●▪◦‣–]\s+(?=[*_]{{0,3}}{_MARKED}[*_]{{0,3}}\s)", re.IGNORECASE)
_ESCAPED_SIGN = re.compile(r"\\([*_~#>])")
_UNDERLINED = re.compile(r"\[([^\[\]]{1,200})\]\{\.(underline|smallcaps|ul)\}")


def without_marks(line: str) -> str:
    """``line`` without what Markdown and mail put before it and around its number or its ``ANSWER:``."""
    line = line.lstrip("> ") if line[:1] == ">" else line
    if line[:1] == "#":
        line = _HEADING.sub("", line, count=1) if _HEADING.match(line) else line
    line = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
    if line[:1] in ("*", "_"):
        line = _EMPHASISED.sub(r"\2", line, count=1) if _EMPHASISED.match(line) else line
        line = _WHOLE_ANSWER.sub(r"\2\1", line, count=1) if _WHOLE_ANSWER.match(line) else line
        line = found[2] if (found := _EMPHASISED_TAG.fullmatch(line)) else line
    elif _ESCAPED.match(line):
        line = _ESCAPED.sub(r"\1", line, count=1)
    line = _UNDERLINED.sub(r"<u>\1</u>", line) if "]{." in line else line
    return _ESCAPED_SIGN.sub(r"\1", line) if "\\" in line else line


_TABLE_ROW = re.compile(r"\|(.+)\|\s*")
_RULE = re.compile(r":?-{3,}:?")


def is_ruled(line: str) -> bool:
    """Whether ``line`` is the rule below the head of a table in Markdown."""
    row = line.strip()
    cells = row.removeprefix("|").removesuffix("|").split("|")
    return "|" in row[1:] and all(_RULE.fullmatch(cell.strip()) for cell in cells)


def cells_of(line: str) -> list[str]:
    """The cells of a row of a table in Markdown; none of another line."""
    found = _TABLE_ROW.fullmatch(line)
    return found[1].split("|") if found and "|" in found[1] else []


# -- numbers that few packets have

_ONES = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
_ROMAN = tuple(tens + ones for tens in ("", "X", "XX") for ones in _ONES)[1:]
_DASHED = re.compile(r"(\d{1,3})\s[-–—]\s+(?=\S)")
_NO = re.compile(r"(?:no|nr)\.\s?(\d{1,3})\s?[.):–-]?\s*", re.IGNORECASE)
_ALONE = re.compile(
    r"(?:toss-?up|question)\s(?:#\s?|no\.\s?)?(\d{1,3})(?:\sof\s\d{1,3})?\s*\Z", re.IGNORECASE
)
_IN_ROMAN = re.compile(r"([IVX]{1,6})[.)]\s+(?=\S)")


def unusual_numbers(lines: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Which of ``lines`` begin with numbers written as few packets do: each number, and where it ends.

    They are believed where they count from one on.
    """
    for pattern in (_DASHED, _NO, _ALONE, _IN_ROMAN):
        found = [
            (at, hit)
            for at, line in enumerate(lines)
            if (hit := pattern.match(line, len(line) - len(line.lstrip())))
        ]
        usual = _ROMAN if pattern is _IN_ROMAN else [str(number + 1) for number in range(len(found))]
        counted = [*takewhile(lambda pair: pair[0][1][1] == pair[1], zip(found, usual, strict=False))]
        if len(counted) > 1 and len(counted) == len(found):
            return {at: (str(number), hit.end()) for number, ((at, hit), _) in enumerate(counted, start=1)}
    return {}
