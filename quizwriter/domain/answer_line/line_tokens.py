"""The tokens of an answer line, and which piece of the line each of them was read as."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.answer_line.markup import MarkedText, read_markup
from quizwriter.domain.answer_line.nouns import LinePiece, PieceKind
from quizwriter.domain.answer_line.words import CLOSERS, OPENERS, TRIMMED
from quizwriter.domain.span import Span

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*+|\S")


class LineToken(msgspec.Struct, frozen=True, gc=False):
    """A word or one sign of the plain text; ``word`` is in lower case, with straight apostrophes."""

    text: str
    word: str
    start: int
    end: int
    is_word: bool  # and no sign
    quoted: bool = False  # inside quotation marks


_BRACKETS = OPENERS.keys() | CLOSERS.keys()
_QUOTES = frozenset('“«”»"')
_GLUED = re.compile(r"(?:anti-?)?prompt|accept|reject", re.IGNORECASE)


def _stretches(marked: MarkedText) -> Iterator[tuple[int, int]]:
    """Where tokens stand; a direction that is glued to a marked word is a token of its own."""
    for match in _TOKEN.finditer(marked.text):
        start, end = match.span()
        for glued in _GLUED.finditer(marked.text, start, end):
            at = glued.start()
            if at > start and marked.styles[at - 1] != marked.styles[at]:
                yield start, at
                start = at
        yield start, end


def _tokens(marked: MarkedText) -> list[LineToken]:
    text = marked.text
    # most lines are plain
    stretches = map(re.Match.span, _TOKEN.finditer(text)) if marked.is_plain else _stretches(marked)
    found = [
        LineToken((one := text[start:end]), one.lower().replace("’", "'"), start, end, one[0].isalnum())
        for start, end in stretches
    ]
    return found if _QUOTES.isdisjoint(text) else _quoted(found)


def _quoted(tokens: list[LineToken]) -> list[LineToken]:
    found: list[LineToken] = []
    quoted = False
    texts = [token.text for token in tokens]
    # an opening mark quotes only where a closing one is still to come
    closing = sum(one in {"”", "»"} for one in texts)
    straight = texts.count('"')
    for token, one in zip(tokens, texts, strict=True):
        if one in {"“", "«"}:
            quoted = closing > 0
        elif one in {"”", "»"}:
            quoted, closing = False, closing - 1
        elif one == '"':
            straight -= 1
            quoted = not quoted and straight > 0
        found.append(replace(token, quoted=True) if quoted and one not in _QUOTES else token)
    return found


class LineTokens:
    """The tokens of one line. Readers claim them for pieces."""

    def __init__(self, source: str) -> None:
        self.marked: MarkedText = read_markup(source)
        self.is_plain = self.marked.is_plain
        self.tokens = _tokens(self.marked)
        self.distinct = frozenset(token.word for token in self.tokens)
        """The words and signs in the line, for a quick look whether it says something at all."""
        self.kinds: list[PieceKind | None] = [None] * len(self.tokens)
        self.brackets = [at for at, token in enumerate(self.tokens) if token.text in _BRACKETS]
        self.matches = self._matched()
        """For each token that opens a bracket, the token that closes it."""
        self._reasons: dict[int, str] = {}

    def _matched(self) -> dict[int, int]:
        found: dict[int, int] = {}
        opened: dict[str, list[int]] = {opener: [] for opener in OPENERS}
        for at in self.brackets:
            sign = self.tokens[at].text
            if sign in OPENERS:
                opened[sign].append(at)
            elif opened[CLOSERS[sign]]:
                found[opened[CLOSERS[sign]].pop()] = at
        return found

    def words(self, indices: Iterable[int]) -> list[str]:
        """The words among tokens, without signs."""
        return [self.tokens[one].word for one in indices if self.tokens[one].is_word]

    def is_trimmed(self, indices: Sequence[int]) -> bool:
        """Whether tokens are nothing but the signs that are left out around a name."""
        if indices and self.tokens[indices[0]].text not in TRIMMED:  # a quick look: most begin with a word
            return False
        return all(self.tokens[one].text in TRIMMED for one in indices)

    def text(self, indices: Sequence[int]) -> str:
        """The plain text from the first of some tokens to the last."""
        return (
            self.marked.text[self.tokens[indices[0]].start : self.tokens[indices[-1]].end] if indices else ""
        )

    def place(self, indices: Sequence[int]) -> Span:
        """Where some tokens stand in the line as it was written."""
        if not indices:
            return Span(0, 0)
        return self.marked.source(Span(self.tokens[indices[0]].start, self.tokens[indices[-1]].end))

    def claim(self, indices: Iterable[int], kind: PieceKind, reason: str = "") -> None:
        """Say what tokens were read as, and where they could not be read, why."""
        for one in indices:
            self.kinds[one] = kind
            if reason:
                self._reasons[one] = reason

    def pieces(self, source: str, rest: str) -> Iterator[LinePiece]:
        """The line in pieces, each up to the next one; markup and spaces go with the piece before them."""
        bounds: list[tuple[int, PieceKind, str]] = []
        before, reason_before = None, ""
        reasons, starts = self._reasons, self.marked.starts
        for at, kind in enumerate(self.kinds):
            reason = reasons.get(at, "") if reasons else ""
            if kind is None:
                kind = PieceKind.MARK
                if self.tokens[at].is_word:
                    kind, reason = PieceKind.UNREAD, "it fits no rule"
            if kind is not before or reason != reason_before:
                before, reason_before = kind, reason
                bounds.append((starts[self.tokens[at].start], kind, reason))
        if bounds:
            bounds[0] = (0, *bounds[0][1:])
        else:
            bounds.append((0, PieceKind.MARK, "nothing is written here"))
        ends = [place for place, _, _ in bounds[1:]] + [len(source)]
        for (start, kind, reason), end in zip(bounds, ends, strict=True):
            yield LinePiece(kind, source[start:end], Span(start, end), reason)
        if rest:
            end = len(source) + len(rest)
            yield LinePiece(PieceKind.UNREAD, rest, Span(len(source), end), "the line is too long to be read")
