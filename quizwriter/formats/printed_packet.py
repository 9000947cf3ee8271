"""A packet as it is printed: numbered tossups with styles, power, answer lines and tags, and never a source.

Word documents, HTML, PDF, paper and MODAQ are all made of :class:`PrintedPacket`, so that they say the same.
The conventions are those of ACF: what is in power is bold up to the mark, required words are bold and
underlined, and the tag stands in angle brackets on a line of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

import msgspec
from msgspec.structs import force_setattr, replace

from quizwriter.domain.answer_line import Directive, Style, read_answer_line, read_markup
from quizwriter.domain.plain_text import LEFT_OUT, repaired
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.answer_notes import marked_source

_MARK = re.compile(r"\(\*\)")
_SPACES = frozenset("\t")
_BRACKETS = re.compile(r"[<>]")
_REQUIRED = Style.BOLD | Style.UNDERLINE
_GLUED_AFTER = frozenset(".,;:!?)]”’\"'")
"""What stands right behind a power mark without a space."""


class PrintedRun(msgspec.Struct, frozen=True):
    """Letters that are printed alike.

    ``code`` has the bits of their styles, and power and required words are in it. ``aside`` is what nobody
    reads to players: a pronunciation guide, or a note to the moderator.
    """

    text: str
    code: int = 0
    aside: bool = False


class PrintedTossup(msgspec.Struct, frozen=True):
    """A tossup on paper. ``number`` is 0 where it is printed without one; ``tag`` has no brackets."""

    number: int
    question: tuple[PrintedRun, ...]
    answer: tuple[PrintedRun, ...]
    tag: str = ""
    based_on: str = ""  # a past question; printed, because a rewritten tossup is nobody's own

    @property
    def lead(self) -> str:
        """What stands before the question: its number."""
        return f"{self.number}. " if self.number else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines below the answer line: the tag, and the past question."""
        tag = f"<{self.tag}>" if self.tag else ""
        based_on = f"Based on {self.based_on.rstrip('.')}." if self.based_on else ""
        return tuple(filter(None, (tag, based_on)))


class PrintedPacket(msgspec.Struct, frozen=True):
    """Tossups in the order of a packet, under a ``title``, which may be empty."""

    title: str
    tossups: tuple[PrintedTossup, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "title", " ".join(_printable(self.title, b"")[0].split()))

    @property
    def for_clipboard(self) -> PrintedPacket:
        """Without a title; one tossup alone without its number."""
        alone = len(self.tossups) == 1
        return PrintedPacket("", tuple(replace(one, number=0) if alone else one for one in self.tossups))


def printed_tossup(
    tossup: Tossup,
    *,
    number: int = 0,
    styles: TextStyles = PLAIN,
    answer_styles: TextStyles = PLAIN,
    author: str = "",
    category: Sequence[str] = (),
    based_on: str = "",
) -> PrintedTossup:
    """How ``tossup`` is printed; its tag says ``author, category - subcategory``."""
    text, codes = _printable(tossup.text, styles.codes)
    text, codes = _mark_apart(text, codes)
    mark = _MARK.search(text)
    asides = bytearray(len(text))
    for span in Tossup(text).unread:
        if not _MARK.fullmatch(span.of(text)):
            asides[span.start : span.end] = b"\1" * (span.end - span.start)
    bold = LetterStyle.BOLD.bit
    for at in range(mark.end() if mark is not None else 0):
        codes[at] |= 0 if asides[at] else bold
    line = tossup.answer.line if tossup.answer is not None else ""
    tag = ", ".join(filter(None, (_in_tag(author), " - ".join(filter(None, map(_in_tag, category))))))
    return PrintedTossup(
        number,
        _runs(text, codes, asides),
        _answer_runs(line, answer_styles),
        tag,
        " ".join(_printable(based_on, b"")[0].split()),
    )


def plain_text(runs: Sequence[PrintedRun]) -> str:
    """The letters of ``runs`` on one line."""
    return " ".join("".join(run.text for run in runs).split())


def packet_text(packet: PrintedPacket) -> str:
    """``packet`` as plain text, with an empty line between the tossups."""
    parts = [packet.title] if packet.title else []
    for one in packet.tossups:
        lines = (f"{one.lead}{plain_text(one.question)}", f"ANSWER: {plain_text(one.answer)}", *one.notes)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _answer_runs(line: str, styles: TextStyles) -> tuple[PrintedRun, ...]:
    """The answer ``line`` as it is printed, its required words bold and underlined."""
    source, _ = marked_source(line, styles)
    marked = read_markup(source)
    codes = bytearray(marked.styles)
    for name in read_answer_line(source).named(Directive.MAIN, Directive.ACCEPT):
        if name.required:
            inside = range(*(bisect_left(marked.starts, end) for end in (name.span.start, name.span.end)))
            found = {Style(codes[at]) & _REQUIRED for at in inside}
            how = next((one for one in (_REQUIRED, Style.UNDERLINE, Style.BOLD) if one in found), _REQUIRED)
            for at in inside:
                if codes[at] & how == how:
                    codes[at] |= _REQUIRED
    text, printed = _printable(marked.text.replace("\n", " "), codes)
    return _runs(text, printed, bytearray(len(text)))


def _printable(text: str, codes: bytes | bytearray) -> tuple[str, bytearray]:
    """``text`` as files can hold it, without space around it, and a code for each letter."""
    codes = codes.ljust(len(text), b"\0")
    kept = [
        (" " if letter in _SPACES else letter, code)
        for letter, code in zip(repaired(text), codes, strict=True)
        if not LEFT_OUT.match(letter)
    ]
    letters = "".join(letter for letter, _ in kept)
    start, end = len(letters) - len(letters.lstrip()), len(letters.rstrip())
    return letters.strip(), bytearray(code for _, code in kept[start:end])


def _mark_apart(text: str, codes: bytearray) -> tuple[str, bytearray]:
    """``text`` with a space on both sides of each power mark."""
    pieces, found, at = [], bytearray(), 0
    for mark in _MARK.finditer(text):
        before, after = text[max(0, mark.start() - 1) : mark.start()], text[mark.end() : mark.end() + 1]
        gap = " " if before and not before.isspace() else ""
        behind = " " if after and not after.isspace() and after not in _GLUED_AFTER else ""
        pieces += [text[at : mark.start()], gap, mark.group(), behind]
        found += codes[at : mark.start()] + bytes(len(gap)) + codes[slice(*mark.span())] + bytes(len(behind))
        at = mark.end()
    return "".join([*pieces, text[at:]]), found + codes[at:]


def _runs(text: str, codes: bytearray, asides: bytearray) -> tuple[PrintedRun, ...]:
    runs, at = [], 0
    for (code, aside), same in groupby(zip(codes, asides, strict=True)):
        span = Span(at, at + sum(1 for _ in same))
        runs.append(PrintedRun(span.of(text), code, bool(aside)))
        at = span.end
    return tuple(runs)


def _in_tag(words: str) -> str:
    """``words`` as a part of a tag: on one line, without angle brackets."""
    return " ".join(_BRACKETS.sub(" ", _printable(words, b"")[0]).split())
