"""The reader of answer lines: from brackets to clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from quizwriter.domain.answer_line.directions import (
    BEGIN_DIRECTIONS,
    condition_behind,
    condition_end,
    condition_of,
    direction_at,
    question_of,
    replacement_of,
)
from quizwriter.domain.answer_line.line_tokens import LineTokens
from quizwriter.domain.answer_line.name_lists import name_of, parts_of, read_part
from quizwriter.domain.answer_line.nouns import (
    AnswerClause,
    AnswerLine,
    AnswerName,
    AnswerRule,
    Condition,
    Directive,
    PieceKind,
)
from quizwriter.domain.answer_line.words import (
    CLOSERS,
    CLOSES_QUOTE,
    CONDITIONS,
    NO_BREAK,
    NOTE_STARTS,
    NOTE_VERBS,
    OPENERS,
    TRIMMED,
    is_guide,
    rules_of,
    words_of,
)

_BEHIND_GROUP = frozenset([*OPENERS, *CLOSERS, *";,."])
_NOTES = words_of("ed edited eds ed's note writer's moderator editor's")


class LineReader:
    """One walk over the tokens of a line; ``rest`` is what is too long to be read."""

    def __init__(self, source: str, rest: str) -> None:
        self._line = LineTokens(source)
        self._clauses: list[AnswerClause] = []
        self._begun = False  # whether the main answer was read
        self._read()
        self.line = AnswerLine(tuple(self._line.pieces(source, rest)), tuple(self._clauses))

    def _close_of(self, at: int) -> int | None:
        """Where the bracket that opens at ``at`` ends; an unclosed one ends with the line."""
        opener = self._line.tokens[at].text
        if at in self._line.matches:
            return self._line.matches[at]
        if opener not in "[{":
            return None
        self._line.claim([at], PieceKind.MARK, "the bracket is not closed")
        last = self._line.tokens[-1].text
        return (
            len(self._line.tokens) - 1
            if last in CLOSERS and len(self._line.tokens) - 1 > at
            else len(self._line.tokens)
        )

    def _read(self) -> None:
        outside: list[int] = []
        at, tokens = 0, self._line.tokens
        while at < len(tokens):
            close = self._close_of(at) if tokens[at].text in OPENERS else None
            if close is None:
                outside.append(at)
                at += 1
                continue
            kind = self._group_kind(at, close, outside)
            if kind is None:  # a part of the name
                outside += range(at, min(close + 1, len(tokens)))
            elif kind is PieceKind.DIRECTIVE:
                self._outside(outside)
                outside = []
                self._line.claim([at, *([close] if close < len(tokens) else [])], PieceKind.MARK)
                self._group(list(range(at + 1, close)))
            else:
                self._line.claim(range(at, min(close + 1, len(tokens))), kind)
            at = close + 1
        self._outside(outside)
        self._claim_strays()

    def _claim_strays(self) -> None:
        """Say of a bracket that closes that none is open before it; in an interval such as (0, 1] one is."""
        opened = 0
        closes = set(self._line.matches.values())
        for at in self._line.brackets:
            sign = self._line.tokens[at].text
            if sign in OPENERS and at not in self._line.matches:
                opened += 1
            elif sign in {"]", "}"} and at not in closes:
                opened -= 1
                if opened < 0:
                    self._line.claim([at], PieceKind.MARK, "no bracket is opened before it")
                    opened = 0

    def _group_kind(self, at: int, close: int, outside: Sequence[int]) -> PieceKind | None:
        """What a bracket holds; None where it is a part of the name around it."""
        inside = self._line.tokens[at + 1 : close]
        words = [token.word for token in inside if token.is_word]
        opener = self._line.tokens[at].text
        if opener == "<":
            return PieceKind.TAG
        if not words:
            return PieceKind.MARK
        named = any(
            self._line.tokens[place].is_word or self._line.tokens[place].text not in TRIMMED
            for place in outside
        )
        ends = close + 1 >= len(self._line.tokens) or self._line.tokens[close + 1].text in _BEHIND_GROUP
        if self._directs(at + 1, close) and (named or self._begun):
            return PieceKind.DIRECTIVE
        if is_guide(self._line.marked.text[inside[0].start : inside[-1].end]):
            return PieceKind.GUIDE
        if words[0] in _NOTES:
            return PieceKind.NOTE
        if not (named or self._begun):
            return None if not ends or close + 1 >= len(self._line.tokens) else PieceKind.NOTE
        if not ends:
            return None
        if len(words) > 3 and (words[0] in NOTE_STARTS or NOTE_VERBS & set(words)):
            return PieceKind.NOTE
        if opener in "[{":
            return PieceKind.DIRECTIVE
        if (
            len(inside) == 1
            and inside[0].text.isupper()
            and len(inside[0].text) <= 4
            and inside[0].text.isalpha()
        ):
            initials = "".join(
                self._line.tokens[place].text[0]
                for place in outside
                if self._line.tokens[place].text[0].isupper()
            )
            return None if inside[0].text in initials else PieceKind.NOTE
        return PieceKind.NOTE if self._begun and not named else None

    def _directs(self, start: int, end: int) -> bool:
        """Whether a bracket begins as directions do."""
        found = direction_at(self._line, range(start, end), 0)
        if found is not None:
            return True
        words = [token.word for token in self._line.tokens[start:end] if token.is_word]
        if (
            words
            and words[0] in CONDITIONS
            and any(direction_at(self._line, range(start, end), at) for at in range(1, min(end - start, 20)))
        ):
            return True
        part = words[
            : next((at for at, word in enumerate(words) if word in {"accept", "prompt"}), len(words))
        ]
        return bool(rules_of(part))

    def _outside(self, indices: list[int]) -> None:
        """Read what stands outside of brackets: the main answer, or what follows a group."""
        tokens = self._line.tokens
        words = [at for at in indices if tokens[at].is_word]
        if not words:
            if not self._begun and (
                symbols := [at for at in indices if self._line.tokens[at].text not in TRIMMED]
            ):
                self._begun = True
                self._clauses.append(
                    AnswerClause(
                        Directive.MAIN,
                        (name_of(self._line, symbols, Directive.MAIN),),
                        span=self._line.place(symbols),
                    )
                )
            return
        joins = self._line.tokens[words[0]].word in {"and", "or"}
        if self._begun and not joins and direction_at(self._line, indices, indices.index(words[0])) is None:
            self._line.claim(
                indices, PieceKind.UNREAD, "words behind the brackets that say nothing to the moderator"
            )
            return
        first = not self._begun
        self._begun = True
        if not first and self._line.tokens[words[0]].word == "and":
            self._line.claim(words[:1], PieceKind.DIRECTIVE)
            self._segment(indices[indices.index(words[0]) + 1 :], Directive.MAIN, joined=True)
            return
        joined = [at for at, index in enumerate(indices) if self._line.tokens[index].text == "AND"]
        if first and joined and not all(self._line.tokens[at].text.isupper() for at in words):
            self._line.claim([indices[at] for at in joined], PieceKind.DIRECTIVE)
            for number, (start, end) in enumerate(pairwise([-1, *joined, len(indices)])):
                self._segment(indices[start + 1 : end], Directive.MAIN, joined=number > 0)
            return
        self._group(indices, Directive.MAIN if first else None)

    def _group(self, indices: Sequence[int], default: Directive | None = None) -> None:
        """Read the clauses between two brackets, or of the main answer."""
        before = default
        for segment in self._segments(indices, outside=default is Directive.MAIN):
            made = self._segment(segment, before)
            before = made or before

    def _segments(self, indices: Sequence[int], *, outside: bool) -> Iterator[list[int]]:
        """Clauses: split behind semicolons, and before a direction."""
        found: list[int] = []
        words: list[str] = []  # of those found
        depth = 0
        skip = 0  # tokens before it belong to a direction, or to the clause before
        tokens, kinds = self._line.tokens, self._line.kinds
        for at, index in enumerate(indices):
            token = tokens[index]
            if token.text in OPENERS:
                depth += index in self._line.matches
            elif depth and token.text in CLOSERS:
                depth -= 1
            after = tokens[indices[at + 1]].text if token.text == ";" and at + 1 < len(indices) else ""
            if (
                at >= skip
                and token.text == ";"
                and depth == 0
                and (not token.quoted or after in CLOSES_QUOTE)
            ):
                self._line.claim([index], PieceKind.MARK)
                if token.quoted and after:  # “nuclear;” or …
                    self._line.claim(indices[at + 1 : at + 2], PieceKind.MARK)
                    skip = at + 2
                yield found
                found, words = [], []
                continue
            if at >= skip and not token.quoted and not depth and token.word in BEGIN_DIRECTIONS:
                directed = direction_at(self._line, indices, at)
                breaks = directed is not None and words and self._breaks(indices, at, directed)
                if breaks and not (outside and words[-1] in {"the", "a", "of"}) and not self._leads(words):
                    yield found
                    found, words = [], []
                if directed is not None and (directed[2] or not words):
                    skip = directed[1]
            if at >= skip or kinds[index] is None:
                found.append(index)
                if token.is_word:
                    words.append(token.word)
        yield found

    def _leads(self, words: Sequence[str]) -> bool:
        """Whether what stands before a direction is its condition: "before mentioned, prompt on …"."""
        return words[0] in CONDITIONS and len(words) <= 16

    def _breaks(self, indices: Sequence[int], at: int, directed: tuple[Directive, int, bool]) -> bool:
        """Whether a direction that begins inside a clause begins a clause of its own."""
        before = self._line.tokens[indices[at - 1]]
        if not directed[2] or not before.is_word:
            return directed[2]
        return directed[0] is not Directive.ACCEPT or before.word not in NO_BREAK

    def _segment(
        self, indices: Sequence[int], default: Directive | None, *, joined: bool = False
    ) -> Directive | None:
        """Read one clause; the directive that it has."""
        tokens = self._line.tokens
        if self._line.is_trimmed(indices):
            return None
        at, condition = 0, None
        start = next((at for at, index in enumerate(indices) if tokens[index].is_word), 0)
        if tokens[indices[start]].word in CONDITIONS and default is not Directive.MAIN:
            for place in range(start + 1, min(len(indices), start + 20)):
                found = direction_at(self._line, indices, place)
                if found is not None and found[2]:
                    condition = condition_of(self._line, indices[start:place])
                    at = place
                    break
        directed = direction_at(self._line, indices, max(at, start if default is not Directive.MAIN else 0))
        directive, told = default, False
        if directed is not None and not (default is Directive.MAIN and not directed[2] and not self._clauses):
            directive, end, told = directed
            self._line.claim(indices[at:end], PieceKind.DIRECTIVE)
            at = end
        rest = list(indices[at:])
        if directive is None:
            part = self._line.words(rest)
            rules = rules_of(part)
            if not rules:
                self._line.claim(rest, PieceKind.UNREAD, "it says neither accept, prompt nor reject")
                return None
            directive = Directive.ACCEPT
        if self._line.is_trimmed(rest):
            self._line.claim(indices, PieceKind.UNREAD, f"nothing follows “{directive.value}”")
            return directive
        if self._clauses and self._is_condition(rest):  # "…, but prompt after"
            before, condition = self._clauses[-1], condition_of(self._line, rest)
            self._clauses.append(
                AnswerClause(directive, before.names, before.rules, condition, span=self._line.place(rest))
            )
            return directive
        self._clause(rest, directive, condition, joined=joined, told=told)
        return directive

    def _is_condition(self, rest: Sequence[int]) -> bool:
        first = next((at for at, index in enumerate(rest) if self._line.tokens[index].is_word), None)
        words = self._line.words(rest)
        if (
            first is None
            or self._line.tokens[rest[first]].quoted
            or words[0] not in CONDITIONS | {"afterwards", "afterward", "thereafter"}
        ):
            return False
        end = condition_end(self._line, rest, first)
        return len(words) == 1 or (end is not None and not self._line.words(rest[end:]))

    def _clause(
        self,
        rest: list[int],
        directive: Directive,
        condition: Condition | None,
        *,
        joined: bool = False,
        told: bool = False,
    ) -> None:
        ask, instead, described = "", "", False
        whole = list(rest)
        after: list[int] = []
        if directive is Directive.PROMPT or directive is Directive.ANTIPROMPT:
            rest, ask, after = question_of(self._line, rest)
        if condition is None and directive is not Directive.MAIN:
            rest, condition, more = condition_behind(self._line, rest, told=told)
            after = more or after
        if directive is not Directive.MAIN:
            rest, instead = replacement_of(self._line, rest)
        names: list[AnswerName] = []
        rules: set[AnswerRule] = {AnswerRule.ALL_REQUIRED} if joined else set()
        listing = False
        for part in parts_of(self._line, rest, directive):
            named, ruled, describing = read_part(self._line, part, directive, listing=listing)
            names += named
            rules |= ruled
            described = described or describing
            listing = listing or describing
        if names or rules:
            self._clauses.append(
                AnswerClause(
                    directive,
                    tuple(names),
                    frozenset(rules),
                    condition,
                    ask,
                    instead,
                    described,
                    self._line.place(whole),
                )
            )
        if after:
            start = next((at for at, index in enumerate(after) if self._line.tokens[index].is_word), None)
            if (
                start is not None
                and self._line.tokens[after[start]].word in {"or", "and"} | CONDITIONS
                and len(after) < len(whole)
            ):
                if self._line.tokens[after[start]].word in {"or", "and"}:
                    self._line.claim(after[start : start + 1], PieceKind.DIRECTIVE)
                    self._clause(after[start + 1 :], directive, None)
                else:
                    self._line.claim(after, PieceKind.CONDITION)
            else:
                self._line.claim(after, PieceKind.NOTE)
