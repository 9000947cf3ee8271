"""What an answer line is read into: its pieces, and the clauses that say what to accept."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cached_property

import msgspec

from quizwriter.domain.span import Span

NO_SPAN = Span(0, 0)


class Directive(Enum):
    """What a clause tells the moderator to do with the answers that it names."""

    MAIN = "main"
    ACCEPT = "accept"
    PROMPT = "prompt"
    ANTIPROMPT = "anti-prompt"
    """The player said something too specific, and is asked for something wider."""
    REJECT = "reject"


class AnswerRule(Enum):
    """What a clause says about answers without naming them."""

    EITHER = "either part"
    PARTIAL = "partial answers"
    WORD_FORMS = "word forms"
    EQUIVALENTS = "equivalents"
    ANY_ORDER = "any order"
    ALL_REQUIRED = "all parts required"
    EXACT = "exact answer"


class PieceKind(Enum):
    """What a stretch of an answer line is."""

    NAME = "name"
    DIRECTIVE = "directive"
    RULE = "rule"
    INSTEAD = "in place of"
    CONDITION = "condition"
    ASK = "question to ask"
    NOTE = "note"
    GUIDE = "pronunciation guide"
    TAG = "tag"
    MARK = "punctuation"
    UNREAD = "unread"


class LinePiece(msgspec.Struct, frozen=True):
    """A stretch of the line as it was written, markup included; ``reason`` says why it is unread."""

    kind: PieceKind
    text: str
    span: Span  # in the line as written
    reason: str = ""


class AnswerName(msgspec.Struct, frozen=True):
    """One name in a clause, as it is printed.

    ``required`` are the stretches of ``text`` that a player must say, by the line's markup; empty where the
    line marks nothing there. ``optional`` are stretches in parentheses, without the parentheses.
    """

    text: str
    required: tuple[Span, ...] = ()
    optional: tuple[Span, ...] = ()
    span: Span = NO_SPAN  # in the line as written

    @property
    def without_optional(self) -> str:
        """The name without what stands in parentheses: "Niels Bohr" of "Niels (Henrik David) Bohr"."""
        text = self.text
        for span in sorted(self.optional, reverse=True):
            text = text[: span.start - 1] + text[span.end + 1 :]
        return " ".join(text.split()).strip(' -"“”') or self.text

    @property
    def required_words(self) -> tuple[str, ...]:
        return tuple(span.of(self.text) for span in self.required)


class Condition(msgspec.Struct, frozen=True):
    """While a clause holds: ``when`` is "before", "until" or "after" something is read.

    ``mention`` are the words that are read; empty where the line means the named answer itself.
    """

    when: str
    mention: str


class AnswerClause(msgspec.Struct, frozen=True):
    """A direction of the line: what to do, with which names, and when.

    ``described`` says that the names describe answers ("any answer that mentions …") and are not to be said
    word for word. ``instead_of`` are words of the main answer that the names may replace.
    """

    directive: Directive
    names: tuple[AnswerName, ...]
    rules: frozenset[AnswerRule] = frozenset()
    condition: Condition | None = None
    ask: str = ""
    instead_of: str = ""
    described: bool = False
    span: Span = NO_SPAN  # in the line as written


class AnswerLine(msgspec.Struct, frozen=True, dict=True):
    """An answer line that was read. ``clauses`` begin with those of the main answer."""

    pieces: tuple[LinePiece, ...]
    clauses: tuple[AnswerClause, ...]

    @cached_property  # the judge cuts every clause out of it
    def written(self) -> str:
        """The line written back: the same characters that were read."""
        return "".join(piece.text for piece in self.pieces)

    @cached_property
    def main(self) -> str:
        """The first main answer in plain text, without its optional words; empty where the line has none.

        Where the line asks for several answers at once, they are joined by "and".
        """
        mains = [one for one in self.clauses if one.directive is Directive.MAIN and one.names]
        several = [one for one in mains[1:] if AnswerRule.ALL_REQUIRED in one.rules]
        return " and ".join(one.names[0].without_optional for one in (*mains[:1], *several))

    @property
    def accepted(self) -> tuple[AnswerName, ...]:
        """The names of answers that are right as they stand, the main answer first."""
        return tuple(
            name
            for clause in self.clauses
            if clause.directive in {Directive.MAIN, Directive.ACCEPT}
            and not (clause.described or clause.instead_of)
            for name in clause.names
        )

    @property
    def unread(self) -> tuple[LinePiece, ...]:
        """The pieces that fit no rule of the grammar, each with its place and the reason."""
        return tuple(piece for piece in self.pieces if piece.reason)

    @cached_property
    def marked(self) -> bool:
        return any(name.required for name in self.named(Directive.MAIN, Directive.ACCEPT))

    @property
    def rules(self) -> frozenset[AnswerRule]:
        """The rules that accepting clauses state without a name."""
        return frozenset(
            rule
            for clause in self.clauses
            for rule in clause.rules
            if clause.directive in {Directive.MAIN, Directive.ACCEPT}
        )

    def named(self, *directives: Directive) -> Iterator[AnswerName]:
        """The names of all clauses with one of ``directives``, in their order."""
        for clause in self.clauses:
            if clause.directive in directives:
                yield from clause.names
