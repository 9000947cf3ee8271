"""The names of a clause: a list split at "or" and commas, each with its required and optional stretches."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from quizwriter.domain.answer_line.line_tokens import LineTokens
from quizwriter.domain.answer_line.markup import Style
from quizwriter.domain.answer_line.nouns import AnswerName, AnswerRule, Directive, PieceKind
from quizwriter.domain.answer_line.words import (
    ANSWERS,
    CLOSERS,
    DESCRIBING,
    EQUIVALENTS,
    HEDGES,
    LIKE,
    OPENERS,
    TRIMMED,
    rules_of,
    words_of,
)
from quizwriter.domain.span import Span

SEPARATORS = words_of('or nor , and on as ” "')
_HEADS = HEDGES | ANSWERS | EQUIVALENTS | {"anything", "saying", "for"}
_DESCRIPTIONS = DESCRIBING | HEDGES
_BRACKETS = frozenset("([{")
_OPTIONAL = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")


def parts_of(line: LineTokens, rest: list[int], directive: Directive) -> Iterator[list[int]]:
    """The names of a clause: split at "or", and at the commas of a list."""
    words = [line.tokens[one].word for one in rest]
    if SEPARATORS.isdisjoint(words):  # a quick look: most parts are one name
        yield rest
        return
    commas = [at for at, word in enumerate(words) if word == "," and not line.tokens[rest[at]].quoted]
    joined = any(words[at + 1 : at + 2] and words[at + 1] in {"or", "nor"} for at in commas)
    like = next(
        (at for at, word in enumerate(words) if word in LIKE or words[at : at + 2] == ["such", "as"]),
        None,
    )
    listed = joined or (directive is not Directive.MAIN and (len(commas) > 1 or like is not None))
    underline = int(Style.UNDERLINE)
    styles = b"" if line.is_plain else line.marked.styles
    underlined = [
        at for at, index in enumerate(rest) if styles and styles[line.tokens[index].start] & underline
    ]
    bare = len(rest) == len(line.tokens) and not styles  # perhaps a title with "or"

    def apart(at: int) -> bool:
        """Whether both sides of a separator have required words, and the separator is none of them."""
        before = bisect_left(underlined, at)
        return 0 < before < len(underlined) and underlined[before] != at

    found: list[int] = []
    depth = skip = 0
    for at, index in enumerate(rest):
        token = line.tokens[index]
        depth += (token.text in OPENERS) - (token.text in CLOSERS and depth > 0)
        splits = False
        if (
            not found
            and directive is not Directive.MAIN
            and token.word in {"or", "nor", "on"}
            and at + 1 < len(rest)
        ):
            line.claim([index], PieceKind.MARK)
            continue
        if depth == 0 and found and not token.quoted:
            if words[at : at + 3] == ["as", "well", "as"]:
                splits = directive is not Directive.MAIN
                skip = at + 3
            elif token.word in {"or", "nor"}:
                splits = directive is not Directive.MAIN or not bare or apart(at)
            elif token.word == ",":
                splits = listed or (directive is not Directive.MAIN and apart(at))
            elif token.word == "and" and directive is not Directive.MAIN:
                before, after = words[at - 1 : at], words[at + 1 : at + 2]
                splits = (
                    before == [","]
                    and (like is not None or (len(commas) > 1 and directive is not Directive.ACCEPT))
                ) or (
                    directive is Directive.REJECT and before[0] in '”"’' and after != [] and after[0] in '“"‘'
                )
        if splits or at < skip:
            line.claim([index], PieceKind.MARK)
        if at < skip and not splits:
            continue
        if splits:
            yield found
            found = []
        else:
            found.append(index)
        if (
            token.text in '”"'
            and not token.quoted
            and depth == 0
            and found
            and directive is not Directive.MAIN
        ):
            # “A,” “B”: the comma stands inside the quotation
            inner = line.tokens[rest[at - 1]].text if at else ""
            if inner == "," and at + 1 < len(rest):
                yield found
                found = []
    yield found


def read_part(
    line: LineTokens, part: list[int], directive: Directive, *, listing: bool
) -> tuple[list[AnswerName], set[AnswerRule], bool]:
    """The names and rules in one part of a clause, and whether it describes rather than names."""
    tokens = [line.tokens[one] for one in part]
    places = [at for at, token in enumerate(tokens) if token.is_word]
    if not places:
        symbols = [one for one in part if line.tokens[one].text not in TRIMMED]
        return ([name_of(line, symbols, directive)] if symbols else []), set(), False
    words = [tokens[at].word for at in places]
    if directive is not Directive.MAIN and not tokens[places[0]].quoted:
        rules = rules_of(words, prompting=directive is not Directive.ACCEPT)
        if rules:
            line.claim(part, PieceKind.RULE)
            return [], set(rules), False
        head = 0
        while head < len(words) and words[head] in _HEADS:
            head += 1
        found = set(words[:head])
        ruled: set[AnswerRule] = set()
        if head and found & EQUIVALENTS:
            ruled.add(AnswerRule.EQUIVALENTS)
        if (
            head > 1
            and found & {"form", "forms"}
            and "word" in found | {"word"}
            and found & {"word", "forms", "grammatical"}
        ):
            ruled.add(AnswerRule.WORD_FORMS)
        describing = bool(head and found & ANSWERS)
        if describing:
            while head < len(words) and words[head] in _DESCRIPTIONS:
                head += 1
        like = next(
            (
                at
                for at, word in enumerate(words)
                if (at >= head and word in {"like", "including"}) or words[at : at + 2] == ["such", "as"]
            ),
            None,
        )
        if head == len(words) and (ruled or describing):
            line.claim(part, PieceKind.RULE)
            return [], ruled or {AnswerRule.EQUIVALENTS}, describing
        if (ruled or describing) and 0 < head < len(words) and like is None:
            line.claim(part[: places[head]], PieceKind.RULE)
            return [name_of(line, part[places[head] :], directive)], ruled, describing
        if like is not None and not tokens[places[like]].quoted and like + 1 < len(words):
            first = like + 1 + (words[like] == "such")
            if first < len(words):
                heading = part[: places[like]]
                names = [name_of(line, part[places[first] :], directive)]
                plain = any(
                    token.word not in HEDGES | ANSWERS for token in tokens[: places[like]] if token.is_word
                )
                line.claim(heading, PieceKind.RULE)
                line.claim(part[places[like] : places[first]], PieceKind.RULE)
                if plain:
                    names.insert(0, name_of(line, heading, directive))
                return names, ruled or {AnswerRule.EQUIVALENTS}, describing
    if directive is Directive.MAIN or len(words) == 1:
        pass
    elif words[0] in {"just", "simply", "only"}:
        line.claim(part[: places[1]], PieceKind.RULE)
        part = part[places[1] :]
    elif words[-1] == "alone" or words[-2:] == ["by", "itself"]:
        line.claim(part[places[-1 - (words[-1] != "alone")] :], PieceKind.RULE)
        part = part[: places[-1 - (words[-1] != "alone")]]
    if not any(line.tokens[one].is_word for one in part):
        return [], set(), False
    return [name_of(line, part, directive)], set(), False


def name_of(line: LineTokens, part: Sequence[int], directive: Directive) -> AnswerName:
    """The name in ``part`` without the punctuation around it."""
    tokens, kinds = line.tokens, line.kinds
    keep = [one for one in part if kinds[one] is not PieceKind.GUIDE]
    while len(keep) > 1 and tokens[keep[0]].text in TRIMMED:
        keep = keep[1:]
    while len(keep) > 1 and tokens[keep[-1]].text in TRIMMED:
        keep = keep[:-1]
    line.claim(keep, PieceKind.NAME)
    text, required, optional = _written(line, keep, directive)
    return AnswerName(text, required, optional, line.place(keep))


_ASKED_STYLES = (Style.UNDERLINE, Style.BOLD)
_REQUIRED_STYLES = (Style.BOLD | Style.UNDERLINE, *_ASKED_STYLES)


def _written(
    line: LineTokens, keep: Sequence[int], directive: Directive
) -> tuple[str, tuple[Span, ...], tuple[Span, ...]]:
    """The text of tokens with its required and optional stretches; what stands between them is kept."""
    tokens = line.tokens
    # only white space stands between two tokens, so that those without a gap are one stretch of the text
    gaps: list[int] = []
    if keep and keep[-1] - keep[0] >= len(keep):
        gaps = [at for at, (one, other) in enumerate(pairwise(keep), 1) if other != one + 1]
    borders = pairwise([0, *gaps, len(keep)] if keep else [])
    runs = [Span(tokens[keep[start]].start, tokens[keep[end - 1]].end) for start, end in borders]
    text = ""
    required: list[Span] = []
    style = None
    if not line.is_plain:
        asked = directive is Directive.PROMPT or directive is Directive.ANTIPROMPT
        styles = _ASKED_STYLES if asked else _REQUIRED_STYLES
        style = next(
            (one for one in styles if any(True for run in runs for _ in line.marked.spans(one, run))), None
        )
    for run in runs:
        text += " " if text else ""
        base = len(text) - run.start
        text += run.of(line.marked.text)
        if style is not None:
            required += [Span(one.start + base, one.end + base) for one in line.marked.spans(style, run)]
    optional = (
        ()
        if _BRACKETS.isdisjoint(text)
        else tuple(
            Span(found.start(1), found.end(1))
            for found in _OPTIONAL.finditer(text)
            if found.start() != 0 or found.end() != len(text)
        )
    )
    return text, tuple(required), optional
