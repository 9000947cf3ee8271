"""The markup of answer lines, HTML tags and ``*_…_*``, read into plain text with each character's style."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from enum import IntFlag

import msgspec

from quizwriter.domain.span import Span


class Style(IntFlag):
    """How a character is printed. Required words of an answer line are bold and underlined."""

    PLAIN = 0
    BOLD = 1
    UNDERLINE = 2
    ITALIC = 4
    SUPERSCRIPT = 8
    SUBSCRIPT = 16


_TAGS = {
    "b": Style.BOLD, "strong": Style.BOLD, "u": Style.UNDERLINE, "i": Style.ITALIC, "em": Style.ITALIC,
    "sup": Style.SUPERSCRIPT, "sub": Style.SUBSCRIPT,
}  # fmt: skip
_SIGNS = {"*": Style.BOLD, "_": Style.UNDERLINE, "~": Style.ITALIC}
_MARKUP = re.compile(
    r"<(?P<close>/?)(?P<tag>b|strong|u|i|em|sup|sub)>|&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});|(?P<sign>[*_~]+)",
    re.IGNORECASE,
)


class MarkedText(msgspec.Struct, frozen=True):
    """A text as it is printed: its characters, and their styles, and where each stands in the source."""

    text: str
    styles: bytes
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @property
    def is_plain(self) -> bool:
        return self.styles.count(0) == len(self.styles)

    def source(self, span: Span) -> Span:
        """Where a stretch of the text stands in the source, without the markup around it."""
        if span.start >= span.end:
            place = self.starts[span.start] if span.start < len(self.starts) else 0
            return Span(place, place)
        return Span(self.starts[span.start], self.ends[span.end - 1])

    def runs(self) -> Iterator[tuple[str, Style]]:
        """The text in stretches of one style, for printing."""
        start = 0
        for at in range(1, len(self.text) + 1):
            if at == len(self.text) or self.styles[at] != self.styles[start]:
                yield self.text[start:at], Style(self.styles[start])
                start = at

    def spans(self, style: Style, within: Span) -> Iterator[Span]:
        """The stretches inside ``within`` that have all of ``style``, without the spaces at their ends."""
        start, bits = None, int(style)  # flags are compared ten times slower
        if bits and self.styles.count(0, within.start, within.end) == within.end - within.start:
            return  # a quick look: most lines are plain
        for at in range(within.start, within.end + 1):
            has = at < within.end and self.styles[at] & bits == bits
            if has and start is None:
                start = at
            elif not has and start is not None:
                stretch = self.text[start:at]
                begin = start + len(stretch) - len(stretch.lstrip())
                if stretch.strip():
                    yield Span(begin, begin + len(stretch.strip()))
                start = None


def read_markup(source: str) -> MarkedText:
    """``source`` without its markup; signs and tags that mark nothing stay in the text."""
    if _MARKUP.search(source) is None:  # a quick look: most lines have none
        count = len(source)
        return MarkedText(source, bytes(count), tuple(range(count)), tuple(range(1, count + 1)))
    letters: list[str] = []
    styles = bytearray()
    starts: list[int] = []
    ends: list[int] = []
    style = Style.PLAIN
    closed = _closed_signs(source)

    def put(start: int, end: int, decoded: str = "") -> None:
        letters.append(decoded or source[start:end])
        styles.extend([style] * len(letters[-1]))
        starts.extend([start] * len(decoded) if decoded else range(start, end))
        ends.extend([end] * len(decoded) if decoded else range(start + 1, end + 1))

    at = 0
    for found in _MARKUP.finditer(source):
        put(at, found.start())
        at = found.end()
        if found["tag"]:
            mark = _TAGS[found["tag"].lower()]
            style = style & ~mark if found["close"] else style | mark
        elif found["sign"]:
            for place in range(found.start(), found.end()):
                if place not in closed:
                    put(place, place + 1)
            for sign in {source[place] for place in range(found.start(), found.end()) if place in closed}:
                style ^= _SIGNS[sign]
        else:
            put(found.start(), found.end(), html.unescape(found.group()))
    put(at, len(source))
    return MarkedText("".join(letters), bytes(styles), tuple(starts), tuple(ends))


def _closed_signs(source: str) -> frozenset[int]:
    """Where the signs stand that begin a style before a word or end it after one."""
    found: set[int] = set()
    opened: dict[str, list[int]] = {}
    for run in _MARKUP.finditer(source):
        if not run["sign"]:
            continue
        before = source[max(0, run.start() - 1) : run.start()]
        after = source[run.end() : run.end() + 1]
        for sign in _SIGNS:
            places = [place for place in range(run.start(), run.end()) if source[place] == sign]
            if places and sign in opened and before.strip():
                opening = opened.pop(sign)
                if len(opening) == len(places):
                    found.update(opening, places)
            elif places and after.strip() and not before.isalnum():
                opened[sign] = places
    return frozenset(found)


def without_markup(source: str) -> str:
    """The text of ``source`` alone; as :func:`read_markup` has it, and quicker."""
    if _MARKUP.search(source) is None:
        return source
    closed = _closed_signs(source)

    def plain(found: re.Match[str]) -> str:
        if found["tag"]:
            return ""
        if found["sign"]:
            return "".join(source[at] for at in range(*found.span()) if at not in closed)
        return html.unescape(found.group())

    return _MARKUP.sub(plain, source)
