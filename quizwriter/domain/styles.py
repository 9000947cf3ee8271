"""Bold, italics, underline, superscript and subscript: kept beside a plain text, which they never change.

The styles of a text are no part of what is stored of it. They follow from its history: from the edits, which
styles go along with, and from the events :class:`Styled`, which say what somebody set. So any version of a
text has its styles, and a program that knows nothing of styles reads the same text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec

from quizwriter.domain.alignment import matching_words
from quizwriter.domain.events import Body, Event, event_kind
from quizwriter.domain.history import Change, Edit, EditKind, tokens
from quizwriter.domain.span import Span


class LetterStyle(StrEnum):
    """What a letter can be besides itself."""

    BOLD = "bold"
    ITALIC = "italic"
    UNDERLINE = "underline"
    SUPERSCRIPT = "superscript"
    SUBSCRIPT = "subscript"

    @property
    def bit(self) -> int:
        """The bit of the style in a code of :class:`TextStyles`."""
        return _BITS[self]


_BITS = {
    LetterStyle.BOLD: 1,
    LetterStyle.UNDERLINE: 2,
    LetterStyle.ITALIC: 4,
    LetterStyle.SUPERSCRIPT: 8,
    LetterStyle.SUBSCRIPT: 16,
}
"""As in :class:`quizwriter.domain.answer_line.markup.Style`, so that bytes of both mean the same."""

_EXCLUDES = {LetterStyle.SUPERSCRIPT: LetterStyle.SUBSCRIPT, LetterStyle.SUBSCRIPT: LetterStyle.SUPERSCRIPT}
_BOTH = LetterStyle.SUPERSCRIPT.bit | LetterStyle.SUBSCRIPT.bit
_POSSIBLE = bytes(
    code & 31 & ~(LetterStyle.SUPERSCRIPT.bit if code & _BOTH == _BOTH else 0) for code in range(256)
)
"""Each byte as a code: no letter is raised and lowered at once."""


class StyledSpan(msgspec.Struct, frozen=True):
    """A stretch of a text, in code points, whose letters all have the ``styles``."""

    start: int
    end: int
    styles: tuple[LetterStyle, ...]


class TextStyles(msgspec.Struct, frozen=True):
    """The styles of a text: one byte for each code point, a bit for each style.

    Plain letters at the end have no byte, so that of two equal ones the bytes are equal, and a plain text has
    none.
    """

    codes: bytes = b""

    @classmethod
    def of_codes(cls, codes: bytes | bytearray) -> TextStyles:
        return cls(bytes(codes).translate(_POSSIBLE).rstrip(b"\0"))

    @classmethod
    def of(cls, spans: Iterable[StyledSpan], length: int) -> TextStyles:
        """The styles of a text of ``length`` letters with ``spans``, which follow each other.

        The first span that does not, or that lies beyond the text, ends them: anybody may have written them.
        """
        codes = bytearray()
        for span in spans:
            if not len(codes) <= span.start < span.end <= length:
                break
            code = 0
            for style in span.styles:
                code |= style.bit
            codes += bytes(span.start - len(codes)) + bytes((code,)) * (span.end - span.start)
        return cls.of_codes(codes)

    def __bool__(self) -> bool:
        return bool(self.codes)

    def spans(self) -> Iterator[StyledSpan]:
        """The stretches with equal styles, in order, without the plain ones."""
        at = 0
        for code, same in itertools.groupby(self.codes):
            end = at + sum(1 for _ in same)
            if code:
                yield StyledSpan(at, end, styles_of_code(code))
            at = end

    def after(self, edit: Edit) -> TextStyles:
        """The styles once ``edit`` is made.

        What is typed gets the styles of the letter before it, and what replaces other letters those of the
        first of them.
        """
        codes, start = self.codes, edit.start
        if not codes or start > len(codes):
            return self
        end = start + len(edit.removed)
        like = start if edit.removed else start - 1  # the letter whose styles go on
        code = codes[like : like + 1] if like >= 0 else b""
        return TextStyles.of_codes(codes[:start] + (code or b"\0") * len(edit.inserted) + codes[end:])

    def stretch(self, span: Span) -> TextStyles:
        return TextStyles.of_codes(self.codes[span.start : span.end])

    def restyled(self, span: Span, styles: TextStyles) -> TextStyles:
        """With ``styles``, and no others, for the text in ``span``; what lies beyond it is left out."""
        length = span.end - span.start
        inside = styles.codes[:length].ljust(length, b"\0")
        before = self.codes[: span.start].ljust(span.start, b"\0")
        return TextStyles.of_codes(before + inside + self.codes[span.end :])

    def before(self, point: int) -> int:
        """The code of the letter before ``point``, which what is typed there gets; 0 if it is plain."""
        return self.codes[point - 1] if 0 < point <= len(self.codes) else 0

    def has(self, style: LetterStyle, text: str, span: Span) -> bool:
        """Whether all letters of ``text`` in ``span`` have the ``style``; spaces count only among spaces."""
        letters = [at for at in range(span.start, span.end) if not text[at].isspace()]
        found = letters or range(span.start, span.end)
        return bool(found) and all(at < len(self.codes) and self.codes[at] & style.bit for at in found)

    def toggled(self, style: LetterStyle, text: str, span: Span) -> TextStyles:
        """The styles of ``text`` in ``span`` with the ``style``, or without it if all letters have it."""
        add = not self.has(style, text, span)
        codes = self.codes[span.start : span.end].ljust(span.end - span.start, b"\0")
        return TextStyles.of_codes(bytes(toggled_code(code, style, on=add) for code in codes))


PLAIN = TextStyles()
"""Of a text without styles."""


def toggled_code(code: int, style: LetterStyle, *, on: bool | None = None) -> int:
    """``code`` with the ``style`` switched ``on`` or off; None: to what it is not now."""
    if not (not code & style.bit if on is None else on):
        return code & ~style.bit
    return (code & ~_EXCLUDES[style].bit if style in _EXCLUDES else code) | style.bit


def styles_of_code(code: int) -> tuple[LetterStyle, ...]:
    return tuple(style for style in LetterStyle if code & style.bit)


@event_kind("styles", log="", pack=3)
class Styled(Body, frozen=True):
    """The text in ``[start, end)`` after edit ``seq`` of the event has the styles of ``spans`` and no others.

    The spans are in code points of the whole text. ``step`` says how it stands to the steps of undo, and
    FIRST that it begins one; MORE: it belongs to the edit or the event before it.
    """

    start: int
    end: int
    spans: tuple[StyledSpan, ...] = ()
    step: EditKind = EditKind.UNKNOWN

    @classmethod
    def setting(cls, span: Span, styles: TextStyles, step: EditKind) -> Styled:
        """That the text in ``span`` has ``styles``, which begin with it."""
        moved = (
            StyledSpan(one.start + span.start, one.end + span.start, one.styles) for one in styles.spans()
        )
        return cls(span.start, span.end, tuple(moved), step)

    def change(self, styles: TextStyles, length: int) -> Restyle | None:
        """What this changes in ``styles`` of a text of ``length`` letters; None if nothing.

        An event of somebody else may say anything: what it says of letters that are not there is left out.
        """
        start, end = max(0, self.start), min(self.end, length)
        if start >= end:
            return None
        span = Span(start, end)
        restyle = Restyle(span, styles.stretch(span), TextStyles.of(self.spans, end).stretch(span))
        return restyle if restyle.before != restyle.after else None


@event_kind("answer styles", log="", pack=3, texts={"line": "an earlier answer of {}"})
class AnswerStyled(Body, frozen=True):
    """Where the answer line reads ``line``, it has the styles of ``spans``."""

    line: str
    spans: tuple[StyledSpan, ...] = ()

    def styles_of(self, line: str) -> TextStyles:
        """The styles of an answer ``line`` that this one became."""
        styles = TextStyles.of(self.spans, len(self.line))
        edit = Edit.between(self.line, line)
        return styles if edit is None else styles.after(edit)


class Restyle(msgspec.Struct, frozen=True):
    """The text in ``span`` has the styles ``after`` instead of ``before``, both of the span alone."""

    span: Span
    before: TextStyles
    after: TextStyles

    def inverse(self) -> Restyle:
        return Restyle(self.span, self.after, self.before)

    def apply(self, styles: TextStyles) -> TextStyles:
        return styles.restyled(self.span, self.after)


def carried_styles(before: str, styles: TextStyles, after: str) -> tuple[TextStyles, bytes]:
    """The ``styles`` of the text ``before`` on the words that stand in the text ``after``, too.

    The second result has a 1 for each letter of ``after`` that stands in ``before``, and a 0 for the others.
    """
    ours, theirs = tokens(before), tokens(after)
    words = [_word(span.of(before)) for span in ours], [_word(span.of(after)) for span in theirs]
    codes, known = bytearray(len(after)), bytearray(len(after))
    old = styles.codes.ljust(len(before), b"\0")
    for mine, other in matching_words(*words):
        here, there = theirs[other], ours[mine]
        size = here.end - here.start
        same = there.end - there.start == size
        codes[here.start : here.end] = (
            old[there.start : there.end] if same else old[there.start : there.start + 1] * size
        )
        known[here.start : here.end] = b"\1" * size
    return TextStyles.of_codes(codes), bytes(known)


def _word(token: str) -> str:
    """``token``; a space for any white space, which programs change as they like."""
    return " " if token.isspace() else token


def merged_styles(
    base: tuple[str, TextStyles], branches: Iterable[tuple[str, TextStyles]], text: str
) -> TextStyles:
    """The styles of ``text``, the merged text of ``branches``, which all began as the text ``base``.

    A letter has the styles that a branch gave it: those of the first branch that has it with other styles
    than it had in ``base``, else those of the first branch that has it.
    """
    started, there = carried_styles(*base, text)
    codes, settled = bytearray(len(text)), bytearray(len(text))
    found = [carried_styles(*branch, text) for branch in branches]
    for differing in (True, False):
        for styles, known in found:
            for at, code in enumerate(styles.codes.ljust(len(text), b"\0")):
                old = started.codes[at] if at < len(started.codes) else 0
                if known[at] and not settled[at] and (not differing or (there[at] and code != old)):
                    codes[at], settled[at] = code, 1
    return TextStyles.of_codes(codes)


StyleStep = tuple[Change | Restyle, TextStyles, Event | None]


def style_steps(changes: Sequence[Change], events: Iterable[Event]) -> Iterator[StyleStep]:
    """What a history did with styles: each edit and each restyling in order, and the styles after it.

    Nothing is told before the first restyling, because nothing has a style until then. A restyling comes with
    its event. ``events`` are those of the tossup, in order; those of other kinds are left out.
    """
    said: dict[int, list[Event]] = {}
    for event in events:
        if isinstance(event.body, Styled):
            said.setdefault(event.seq, []).append(event)
    if not said:
        return
    first = min(said)
    length = sum(len(one.edit.inserted) - len(one.edit.removed) for one in changes[:first])
    styles = PLAIN
    for seq in range(first, len(changes) + 1):
        if seq > first:
            change = changes[seq - 1]
            styles = styles.after(change.edit)
            length += len(change.edit.inserted) - len(change.edit.removed)
            yield change, styles, None
        for event in said.get(seq, ()):
            assert isinstance(event.body, Styled)
            restyle = event.body.change(styles, length)
            if restyle is not None:
                styles = restyle.apply(styles)
                yield restyle, styles, event


def styles_after(changes: Sequence[Change], events: Iterable[Event]) -> TextStyles:
    """The styles of the text after ``changes``, the beginning of a history with ``events`` in order."""
    found = PLAIN
    for _, styles, _ in style_steps(changes, events):
        found = styles
    return found


def answer_styles(line: str, events: Iterable[Event]) -> TextStyles:
    """The styles of an answer ``line`` after ``events``, those of the tossup in order."""
    said = AnswerStyled("")
    for event in events:
        if isinstance(event.body, AnswerStyled):
            said = event.body
    return said.styles_of(line)
