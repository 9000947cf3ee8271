"""Packets as people write them, in Word or as plain text: a lexer for lines, a grammar for questions.

The conventions are those of ACF's guidelines and of YetAnotherPacketParser's lexer, with what differs in the
wild: numbers or none, answers on a line of their own or not, tables, notes, running heads, hard-wrapped text.
Nothing that looks like a question is passed over in silence: what cannot be read is :class:`UnreadQuestion`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import Enum
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec.structs import replace

from quizwriter.domain.answer_line import begins_with_direction
from quizwriter.formats.packet_tags import is_tag_line
from quizwriter.formats.packets.packet_questions import (
    Packet,
    PacketBonus,
    UnreadQuestion,
    finished,
    finished_tossup,
    joined,
    unread_question,
    why_unusable,
    without_signs,
    without_stars,
    without_typesetting,
)
from quizwriter.formats.packets.plain_layouts import notes_below, places_of_marks, unusual_numbers
from quizwriter.formats.packets.styled_lines import (
    ANSWER,
    ENDS,
    PART,
    VALUE,
    PacketLine,
    StyledText,
    is_prose,
    is_whole,
    pasted_lines,
    text_lines,
    word_lines,
)

LONGEST_PASTED = 20_000
"""Characters of a pasted text that is looked at."""

MOST_PASTED_LINES = 400
"""Lines of a pasted text that is looked at; a packet has fewer."""

ANSWER_WORD = "ans"
"""What every way to write “ANSWER:” holds, in small letters."""

_SHORT_ANSWER = re.compile(
    r"(?<=\n)((?:[ \t>*_-]|<[biu]>){0,8})A(?:[ \t]?:|[ \t]?\d{1,3}[ \t]?[.:])(?=[ \t*_]*\S)"
)
_LONG_ANSWER = re.compile(r"\bANS(?:WER)?S?\b\s?[:.\uff1a-]", re.IGNORECASE)

MOST_LINES = 12
"""Lines of the longest answer line believed in."""


def read_word(path: Path) -> Packet:
    return _Grammar("paragraph", word_lines(path), has_signs=False).packet


def read_text(path: Path) -> Packet:
    return _Grammar("line", text_lines(path)).packet


def read_pasted(text: str) -> Packet | None:
    """The questions of a pasted ``text``, read as a packet; None where it has no whole tossup.

    "A:" begins the answer line where nothing else does.
    """
    if len(text) > LONGEST_PASTED or text.count("\n") >= MOST_PASTED_LINES:
        return None
    marks = list(_SHORT_ANSWER.finditer(text))
    if len(marks) == 1 and not _LONG_ANSWER.search(text):
        text = f"{text[: marks[0].start()]}{marks[0][1]}ANSWER: {text[marks[0].end() :]}"
    if ANSWER_WORD not in text.casefold() and len(marks) < 2:  # a quick look first
        return None
    packet = _Grammar("line", pasted_lines(text)).packet
    return packet if packet.tossups else None


# -- the lexer


class _Kind(Enum):
    NUMBER = "number"
    ANSWER = "answer"
    PART = "part"
    TAG = "tag"
    SECTION = "section"
    WORDS = "words"


class _Token(msgspec.Struct, frozen=True):
    kind: _Kind
    styled: StyledText  # of a number, an answer or a part: the mark as it was typed
    place: int
    apart: bool = False  # whether a paragraph begins with it
    value: str = ""  # "5" of "5.", "Biology" of "<Biology>"


_ANSWER_INSIDE = re.compile(r"(?<=\s)ANS(?:WER)?\s*[:.]\s*|(?<=[.?!\"”)\]])\s+Answer\s*:\s*")
_NUMBER = re.compile(
    r"\s*+(?:(?:(?:toss-?up|tu|bonus|question|q)\s*+(?:#\s*+)?)?"
    r"(\d{1,3}|tb(?:\s*+\d++)?|tie-?(?:breaker)?|extra)\s*+[.):]"
    r"|(?:toss-?up|tu|bonus|question)\s*+(?:#\s*+)?(\d{1,3})"
    r"(?:\s++[-–—](?=\s)|(?=\s*+(?:\([^()]{3,60}\)|\[[^\[\]]{3,60}\])\s*+$))"
    r"|\((\d{1,3})\)|\#\s*+(\d{1,3})(?:[.):]|(?=\s))|(?:toss-?up|question|q)\s*+:)\s*(?=\D|$)",
    re.IGNORECASE,
)
_LABELLED_TAG = re.compile(
    r"\s*(?:(?:sub-?)?category|subject|(author|writer))\s*+:\s*+([^<>]{1,100})", re.IGNORECASE
)
_NAMES = r"(?-i:[A-Z][\w.'’-]*+(?: [A-Z][\w.'’-]*+){0,3}+)"
_CREDIT = re.compile(
    rf"\s*+(?:[-–—]\s*+)?+Written by ({_NAMES}(?:(?:,|,? and| &) {_NAMES}){{0,3}}+)"
    rf"[.,;]?(?: (?:and )?([Ee]dited by {_NAMES}))?+\.?\s*+"
)
"""Who wrote a question, below its answer line."""
_BRACED_TAG = re.compile(r"\s*+\{([^{}]{2,60})\}\s*+[-–—]\s*+([^{}.?!:]{2,40})")
_PART_INSIDE = re.compile(rf"(?<=\s)\[\s*({VALUE})\s*\](?=\s)", re.IGNORECASE)
_TAG = re.compile(r"\s*<([^<>]+)>\s*")
_TAG_INSIDE = re.compile(r"\s<([^<>]+)>\s*(?=$|<)")
_SECTION = re.compile(
    r"\W*+(?:(?:first|second|extra|round\s++\d++|packet\s++\d++)\W++)?"
    r"(toss-?ups?|bonus(?:es)?)(?:\W++questions?)?\W*+"
    r"(?:\d++(?:(?=[^\w–-]*+[-–])\W++\d++)?+\W*+)?",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\W*+(?:note\s++to|moderator|players?\s++note|description\s++acceptable)", re.IGNORECASE)
_NOTE_LINES = 3
_RULE = re.compile(r"\s*(?:[-–—=_*~•]\s*){3,}")
"""A line between questions."""
_SHORT_LINE = re.compile(r"\s*A(?:\s?:|\s?\d{1,3}\s?[.:)])\s*(?=\S)")
"""How an answer line begins in packets without the word."""
_BRACKETED_ANSWER = re.compile(
    r"\s*+[(\[]\s*+(ANS(?:WER)?S?\s?[:.](?:[^()\[\]]++|[(\[][^()\[\]]*+[)\]])++)[)\]]\s*+", re.IGNORECASE
)
_ANSWER_IN_BRACKETS = re.compile(
    r"(?<=[.?!\"”)\]])\s++[(\[]\s*+(ANS(?:WER)?\s?[:.](?:[^()\[\]]++|[(\[][^()\[\]]*+[)\]])++)[)\]]\s*+\Z",
    re.IGNORECASE,
)
"""Such an answer line behind its question."""
_PAGE = re.compile(
    r"(?:.*\bpage\b)?\W*+\d{1,3}(?:(?:\W*+of\W*+|(?=[^\w/]*+/)\W++)\d{1,3})?+\W*+", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_NUMBERED_ONLY = re.compile(r"\s*\d{1,3}\s*[.):]\s*")
_LONGEST_HEAD = 80  # letters of a running head
_EDGE = 2  # lines at the head or foot of a page
_NEAR = 60  # tokens in which the answer of a question stands


def _lex(lines: Sequence[PacketLine], running: Collection[int], titles: Collection[int]) -> Iterator[_Token]:
    """The tokens of ``lines`` without those that are ``running`` heads and page numbers, and ``titles``."""
    for place, line in enumerate(lines):
        if place in running or place in titles:
            continue
        apart = line.apart and place - 1 not in running  # a page may end anywhere, and what is below go on
        yield from _lex_line(replace(line, apart=apart or place - 1 in titles))


def _lex_line(line: PacketLine) -> Iterator[_Token]:
    rest, apart = line.styled, line.apart

    def token(kind: _Kind, end: int, value: str = "") -> _Token:
        nonlocal rest, apart
        found = _Token(kind, rest.cut(0, end), line.place, apart, value.strip())
        rest, apart = rest.cut(end), False
        return found

    if _SECTION.fullmatch(rest.text):
        yield token(_Kind.SECTION, len(rest.text), "bonus" if "onus" in rest.text.casefold() else "tossup")
        return
    if found := _LABELLED_TAG.fullmatch(rest.text):
        said = f"Author: {found[2]}" if found[1] else found[2]  # else a name is no more than any other word
        yield token(_Kind.TAG, len(rest.text), said)
        return
    if found := _CREDIT.fullmatch(rest.text) or _BRACED_TAG.fullmatch(rest.text):
        yield token(_Kind.TAG, len(rest.text), "; ".join(filter(None, found.groups())))
        return
    if line.listed and not any(mark.match(rest.text) for mark in (ANSWER, PART, _TAG, _NUMBER)):
        yield token(_Kind.NUMBER, 0)
    while rest.text.strip():
        if found := _TAG.match(rest.text):
            yield token(_Kind.TAG, found.end(), found[1])
        elif found := ANSWER.match(rest.text):
            yield token(_Kind.ANSWER, found.end())
            yield from _lex_answer(token, rest)
            return
        elif found := PART.match(rest.text):
            yield token(_Kind.PART, found.end(), next(filter(None, found.groups())))
        elif (found := _NUMBER.match(rest.text)) and len(rest.text) == len(line.styled.text):
            yield token(_Kind.NUMBER, found.end(), next(filter(None, found.groups()), "").upper())
        else:
            ends = [hit.start() for mark in (_ANSWER_INSIDE, _PART_INSIDE) if (hit := mark.search(rest.text))]
            yield token(_Kind.WORDS, min(ends, default=len(rest.text)))


def _lex_answer(token: Callable[..., _Token], rest: StyledText) -> Iterator[_Token]:
    """What follows ``ANSWER:`` on its line; the tags at its end are taken off."""
    found = _TAG_INSIDE.search(rest.text)
    inside = _PART_INSIDE.search(rest.text)
    end = min(found.start() if found else len(rest.text), inside.start() if inside else len(rest.text))
    if rest.text[:end].strip():
        yield token(_Kind.WORDS, end)
    rest = rest.cut(end)
    while hit := _TAG.match(rest.text):
        yield token(_Kind.TAG, hit.end(), hit[1])
        rest = rest.cut(hit.end())
    if hit := PART.match(rest.text):
        yield token(_Kind.PART, hit.end(), next(filter(None, hit.groups())))
        rest = rest.cut(hit.end())
    if rest.text.strip():
        yield token(_Kind.WORDS, len(rest.text))


def _with_answer_marks(lines: list[PacketLine]) -> list[PacketLine]:
    """``lines`` with “ANSWER:” where several begin with “A:” or “A1.” and none has the word.

    An answer line between brackets is taken out of them.
    """
    for at, line in enumerate(lines):
        styled = line.styled
        if inside := _BRACKETED_ANSWER.fullmatch(styled.text):
            lines[at] = replace(line, styled=styled.cut(*inside.span(1)))
        elif inside := _ANSWER_IN_BRACKETS.search(styled.text):
            lines[at] = replace(
                line, styled=joined([styled.cut(0, inside.start()), styled.cut(*inside.span(1))])
            )
    short = [_SHORT_LINE.match(line.styled.text) for line in lines]
    if sum(map(bool, short)) < 2 or any(_LONG_ANSWER.search(line.styled.text) for line in lines):
        return lines
    found = []
    for line, mark in zip(lines, short, strict=True):
        rest = line.styled.cut(mark.end()) if mark else line.styled
        word = "ANSWER: " if mark else ""
        found.append(replace(line, styled=StyledText(word + rest.text, bytes(len(word)) + rest.codes)))
    return found


def _without_notes(lines: list[PacketLine]) -> list[PacketLine]:
    """``lines`` without the marks of comments and footnotes, whose texts at the end are asides."""
    below, marks = notes_below([line.styled.text for line in lines])
    for at, line in enumerate(lines if marks else ()):
        ends = places_of_marks(line.styled.text, marks)
        parts = [line.styled.cut(*span) for span in zip(ends[::2], ends[1::2], strict=True)]
        styled = StyledText("".join(one.text for one in parts), b"".join(one.codes for one in parts))
        lines[at] = replace(line, styled=styled, aside=line.aside or at >= below)
    return lines


def _with_usual_numbers(lines: list[PacketLine]) -> list[PacketLine]:
    """``lines`` with “1.” where none has such a number and they are numbered as few packets are."""
    if any(_NUMBER.match(line.styled.text) or line.listed for line in lines):
        return lines
    found = unusual_numbers([line.styled.text for line in lines])
    for at, (number, end) in found.items():
        rest = lines[at].styled.cut(end)
        styled = StyledText(f"{number}. {rest.text}", bytes(len(number) + 2) + rest.codes)
        lines[at] = replace(lines[at], styled=styled, apart=True)
    return lines


def _is_marked(text: str) -> bool:
    return any(mark.match(text) for mark in (ANSWER, PART, _TAG, _SECTION, _NUMBERED_ONLY))


def _is_tag(text: str) -> bool:
    """Whether a line is the tag of a question, which several may have."""
    bracketed = text.strip()[:1] in ("(", "[", "{") and is_tag_line(text)
    return bracketed or any(mark.fullmatch(text) for mark in (_LABELLED_TAG, _CREDIT, _BRACED_TAG))


def _running_heads(lines: Sequence[PacketLine]) -> frozenset[int]:
    """Which lines stand at the head or foot of every page: alone, short, and said again and again."""
    alone = {
        place: _DIGITS.sub("#", line.styled.text.strip().casefold())
        for place, line in enumerate(lines)
        if line.apart
        and (place + 1 == len(lines) or lines[place + 1].apart)
        and len(line.styled.text) <= _LONGEST_HEAD
        and not _is_marked(line.styled.text)
    }
    pages = [place for place, line in enumerate(lines) if line.page]
    at_edges = [
        (at, _DIGITS.sub("#", line.styled.text.strip().casefold()))
        for place in (*pages, *[len(lines)] * bool(pages))
        for at in range(max(0, place - _EDGE), min(place + _EDGE, len(lines)))
        if len((line := lines[at]).styled.text) <= _LONGEST_HEAD
        and not (_is_marked(line.styled.text) or _is_tag(line.styled.text))
    ]
    alone |= {at: shape for at, shape in at_edges if _PAGE.fullmatch(lines[at].styled.text)}
    shapes = Counter(dict(at_edges).values())
    heads = {at for at, shape in at_edges if shapes[shape] > 1 and not ENDS.search(shape)}
    often = Counter(alone.values())
    return frozenset(heads).union(
        place
        for place, shape in alone.items()
        if _PAGE.fullmatch(lines[place].styled.text)
        or (often[shape] >= 3 and not shape.endswith((".", "?", "!")) and "point" not in shape)
    )


_TITLE = re.compile(
    r"\b(?:packet|round|set|open|invitational|tournament|championships?|classic|league|scrimmage|edited|written"
    r"|editors?|writers?|authors?|playtest(?:ers?|ed)|questions\s+by|tossups\s+by)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:this|these|points?|ftp|name|identify|what|which|who)\b|[?]", re.IGNORECASE)
_SMALL = re.compile(r"(?<![\w'’])[a-z]")
_SMALL_WORDS = re.compile(
    r"(?:a|all|an|and|as|at|by|clubs?|compiled|contributors|draft|edited|editing|everybody|everyone|final|for|from"
    r"|head|help|in|of|on|packet|play|playtested|questions|round|section|set|subject|teams?|the|to|tossups|version"
    r"|with|written|(?:author|editor|playtester|writer)s?)\b"
)


def _is_title(text: str) -> bool:
    """Whether ``text`` is a line of a packet's title: *Autumn Open, Packet 3*, *Edited by Ann Lee*."""
    if _TITLE.search(text) is None or _ASKS.search(text) or _TAG.match(text):
        return False
    return all(_SMALL_WORDS.match(text, small.start()) for small in _SMALL.finditer(text))


def _titles_above(texts: Sequence[str], *, is_first: bool) -> int:
    """How many of ``texts``, the lines of a paragraph, are titles; all or none if it is not the first."""
    if not texts or not _is_title(texts[0]):
        return 0
    numbered = (at for at, text in enumerate(texts) if _NUMBER.match(text) or _SECTION.fullmatch(text))
    until = next(numbered, len(texts))
    if until == len(texts) and any(_ASKS.search(text) or ANSWER.match(text) for text in texts):
        until = next((at for at, text in enumerate(texts) if not _is_title(text)), 0)
        below = texts[until].lstrip()
        if below[:1].islower() or (below.isupper() and not ANSWER.match(below)):
            return 0  # a sentence goes on; in capitals it may
    if (until == len(texts) or is_first) and not any(map(_ASKS.search, texts[:until])):
        return until
    return 0


def _name_above_number(texts: Sequence[str]) -> int:
    """1 where the first of ``texts`` is a heading in capitals, and a question with a number is below it."""
    above = len(texts) > 1 and texts[0].isupper() and _NUMBER.match(texts[1]) is not None
    return int(above and not any(mark.match(texts[0]) for mark in (ANSWER, _NUMBER, _SECTION, _TAG, _NOTE)))


def _titles(lines: Sequence[PacketLine]) -> frozenset[int]:
    """Which lines are titles with the names of those who wrote the packet: they are long, and ask nothing.

    They are paragraphs of their own, or are right above the first question; none is where a question or its
    answer goes on.
    """
    found = {place for place, line in enumerate(lines) if _RULE.fullmatch(line.styled.text)}
    begins = [place for place, line in enumerate(lines) if line.apart or place == 0]
    goes_on = credited = False
    for begin, end in pairwise([*begins, len(lines)]):
        texts = [line.styled.text for line in lines[begin:end]]
        below = credited or (begin > 0 and ANSWER.match(lines[begin - 1].styled.text) is not None)
        credited = below and any(mark.fullmatch(texts[0]) for mark in (_CREDIT, _LABELLED_TAG, _TAG))
        no_title = goes_on or credited
        titles = 0 if no_title else _titles_above(texts, is_first=begin == 0) or _name_above_number(texts)
        found.update(range(begin, begin + titles))
        for at, text in enumerate(texts[titles:]):
            if label := ANSWER.match(text):
                goes_on = not text[label.end() :].strip()
            elif _SECTION.fullmatch(text):
                goes_on = False
            elif _NUMBER.match(text) or _ASKS.search(text):
                goes_on = True
            elif at == 0 and not text.startswith("<"):  # others may be further lines of an answer
                goes_on = goes_on or _SMALL.search(text) is not None
    return frozenset(found)


# -- the grammar


_BASED_ON = re.compile(r"Based on ([^\n]{1,600})\.")
"""What a packet of this program prints below a question that was begun with a past one."""


def _whether_answered(tokens: Sequence[_Token]) -> list[bool]:
    """For each of ``tokens`` and the end, whether what stands from there has an answer line of its own.

    What stands below an answer without a blank line is a question then.
    """
    found = [False]
    for token in reversed(tokens):
        if token.apart or token.kind in {_Kind.NUMBER, _Kind.PART, _Kind.SECTION}:
            found.append(False)
        else:
            found.append(token.kind is _Kind.ANSWER or found[-1])
    return found[::-1]


def _whether_closed(tokens: Sequence[_Token], opening: str, closing: str) -> list[bool]:
    """For each of ``tokens`` and the end, whether a bracket is closed from there on, before another opens and
    before anything else is asked."""
    found = [False]
    for token in reversed(tokens):
        text = token.styled.text
        if token.apart or token.kind not in {_Kind.WORDS, _Kind.NUMBER}:
            found.append(False)
        elif opening in text or closing in text:
            closed, opened = text.find(closing), text.find(opening)
            found.append(closed >= 0 and not 0 <= opened < closed)
        else:
            found.append(found[-1])
    return found[::-1]


class _Grammar:
    """packet := (section | tossup | bonus)*;  tossup := [number] words answer tag*;
    bonus := [number] words (part words answer)+ tag*"""

    def __init__(self, unit: str, lines: Iterable[PacketLine], *, has_signs: bool = True) -> None:
        """``has_signs``: ``~`` and ``_`` around words stand for styles, as in a text without any."""
        self.packet = Packet(unit)
        self._has_signs = has_signs
        held = _with_usual_numbers(_with_answer_marks(_without_notes(list(lines))))
        self.packet.odd = sum(line.odd for line in held)
        running = _running_heads(held)
        titles = _titles(held).union(place for place, line in enumerate(held) if line.aside)
        self.packet.headings = len(running | titles)
        self._tokens = list(_lex(held, running, titles))
        self._answered = _whether_answered(self._tokens)
        self._closed = {pair: _whether_closed(self._tokens, *pair) for pair in ("[]", "()")}
        self._at = 0
        self._section = ""
        self._last = 0  # the number of the question before
        while self._at < len(self._tokens):
            self._next()

    def _next(self) -> None:
        token = self._tokens[self._at]
        if token.kind is _Kind.SECTION:
            self._section, self._last = token.value, 0
            self.packet.headings += 1
            self._at += 1
        elif token.kind is _Kind.TAG:
            self.packet.headings += 1  # of a question that was not read
            self._at += 1
        elif token.kind is _Kind.ANSWER:
            self._at += 1
            answer = self._answer()
            self._unread(token.place, "an answer line without a question", answer.text)
        else:
            self._question()

    def _question(self) -> None:
        number, place = "", self._tokens[self._at].place
        category = ""
        if self._kind() is _Kind.NUMBER:
            number = self._numbered()
            category = self._category_above()
        if number and self._is_worth():
            self._at += 1
        paragraphs = self._words(numbered=bool(number))
        if not number and self._is_note_before_number(paragraphs):
            number = self._numbered()
            paragraphs += self._words(numbered=True)
        after = self._kind()
        if after not in {_Kind.ANSWER, _Kind.PART}:
            self._leave(paragraphs, "no answer line", numbered=bool(number))
            return
        whole = self._opening(paragraphs, numbered=bool(number))
        place = place if number else whole[0][0].place if whole else place
        if len(whole) < len(paragraphs):
            number = ""  # it belonged to what was left
        opening = self._text_of(part for paragraph in whole for part in paragraph)
        if after is _Kind.PART:
            self._bonus(number, opening, place)
        elif self._section == "bonus":
            self._unmarked_bonus(number, opening, place)
        else:
            self._tossup(number, opening, place, category)

    def _is_worth(self) -> bool:
        """Whether ``[10]`` behind a number says what a tossup is worth: no other part follows its answer."""
        token = self._tokens[self._at] if self._kind() is _Kind.PART else None
        if token is None or not token.value.isdigit() or self._section == "bonus":
            return False
        kinds = [token.kind for token in self._tokens[self._at + 1 : self._at + 1 + _NEAR]]
        marks = [kind for kind in kinds if kind not in {_Kind.WORDS, _Kind.TAG}]
        return marks[:1] == [_Kind.ANSWER] and marks[1:2] != [_Kind.PART]

    def _category_above(self) -> str:
        """The category that stands alone between a number and the text; empty where none does."""
        token, below = (
            self._tokens[at] if at < len(self._tokens) else None for at in (self._at, self._at + 1)
        )
        if token is None or below is None or {token.kind, below.kind} != {_Kind.WORDS}:
            return ""
        if not is_tag_line(token.styled.text, above=True) or not is_prose(below.styled.text):
            return ""
        self._at += 1
        return token.styled.text.strip(" \t()[]{}")

    def _numbered(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        if token.value.isdigit():
            self._last = int(token.value)
        elif not token.value:  # Word's own numbers
            self._last += 1
            return str(self._last)
        return token.value

    def _tossup(self, number: str, opening: StyledText, place: int, category: str) -> None:
        self._at += 1
        answer, below = self._answer(), self._tags()
        tag = "; ".join(filter(None, (category, below)))
        based_on = self._based_on()
        found = finished_tossup(number, opening, answer, tag, place, based_on)
        if isinstance(found, UnreadQuestion):
            self.packet.unread.append(found)
        else:
            self.packet.tossups.append(found)

    def _based_on(self) -> str:
        """The past question that is named below a question; empty where none is."""
        if self._kind() is not _Kind.WORDS:
            return ""
        said = _BASED_ON.fullmatch(self._tokens[self._at].styled.text.strip())
        self._at += said is not None
        return said[1] if said is not None else ""

    def _bonus(self, number: str, leadin: StyledText, place: int) -> None:
        parts: list[tuple[str, str]] = []
        while self._kind() is _Kind.PART:
            at = self._tokens[self._at].place
            self._at += 1
            words = [part for paragraph in self._words() for part in paragraph]
            text = finished(self._text_of(words)).text
            if self._kind() is not _Kind.ANSWER:
                self._unread(at, f"part {len(parts) + 1} of a bonus has no answer line", text)
                continue
            self._at += 1
            answer = self._answer().text
            reason = why_unusable(text, answer)
            if reason:
                self._unread(at, f"part {len(parts) + 1} of a bonus: {reason}", text or answer)
            else:
                parts.append((text, answer))
        self._keep_bonus(number, leadin, parts, place)

    def _unmarked_bonus(self, number: str, opening: StyledText, place: int) -> None:
        """A bonus whose parts have no ``[10]``: what follows without a number belongs to it."""
        self._at += 1
        parts = [(finished(opening).text, self._answer().text)]
        while number and self._kind() is _Kind.WORDS:
            before = self._at
            words = [part for paragraph in self._words() for part in paragraph]
            if self._kind() is not _Kind.ANSWER:
                self._at = before
                break
            self._at += 1
            parts.append((finished(self._text_of(words)).text, self._answer().text))
        sound = [part for part in parts if not why_unusable(*part)]
        self._keep_bonus(number, StyledText.plain(""), sound, place)

    def _keep_bonus(self, number: str, leadin: StyledText, parts: list[tuple[str, str]], place: int) -> None:
        text, tag = finished(leadin).text, self._tags()
        if parts:
            self.packet.bonuses.append(PacketBonus(number, text, tuple(parts), tag, place))
        if len(parts) != 3:
            count = {0: "no parts", 1: "1 part"}.get(len(parts), f"{len(parts)} parts")
            self._unread(place, f"a bonus with {count}" + (", read as it is" if parts else ""), text)

    # -- runs of tokens

    def _kind(self) -> _Kind | None:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else None

    def _words(self, *, numbered: bool = True) -> list[list[_Token]]:
        """The paragraphs from here to the next mark; a number inside a text is no mark."""
        paragraphs: list[list[_Token]] = []
        while self._kind() in {_Kind.WORDS, _Kind.NUMBER}:
            token = self._tokens[self._at]
            if token.kind is _Kind.NUMBER and self._begins(token, paragraphs, numbered=numbered):
                break
            if token.apart or not paragraphs:
                paragraphs.append([])
            paragraphs[-1].append(token)
            self._at += 1
        return paragraphs

    def _begins(self, token: _Token, before: list[list[_Token]], *, numbered: bool) -> bool:
        """Whether a number begins a question, though what stands before has no answer yet."""
        if token.apart or not before:
            return True
        ended = bool(ENDS.search(before[-1][-1].styled.text))
        follows = token.value == str(self._last + 1)
        above = not numbered and follows and len(before[-1]) == 1 and not is_prose(before[-1][0].styled.text)
        return above or (ended and (follows or _is_note(before)))

    def _is_note_before_number(self, paragraphs: list[list[_Token]]) -> bool:
        """Whether a number stands right below a note, which is of the question with that number."""
        numbered = self._kind() is _Kind.NUMBER and not self._tokens[self._at].apart
        return numbered and _is_note(paragraphs)

    def _opening(self, paragraphs: list[list[_Token]], *, numbered: bool) -> list[list[_Token]]:
        """The paragraphs that belong to the answer that comes next; the others are left."""
        texts = [self._text_of(paragraph).text for paragraph in paragraphs]
        first = len(paragraphs)
        while first > 0:
            before = first - 1
            if first < len(paragraphs):
                if is_whole(texts[before]) and is_prose(texts[first]):
                    break  # a question of its own
                read = bool(self.packet.tossups or self.packet.bonuses)
                goes_on = is_prose(texts[before]) and (read or not ENDS.search(texts[before]))
                if not numbered and not _NOTE.match(texts[before]) and not goes_on:
                    break  # a heading
            first = before
        self._leave(paragraphs[:first], "no answer line", numbered=numbered and first > 0)
        return paragraphs[first:]

    def _leave(self, paragraphs: list[list[_Token]], reason: str, *, numbered: bool) -> None:
        """Report what may be a question; headings are counted."""
        text = self._text_of(part for paragraph in paragraphs for part in paragraph).text
        if paragraphs and (numbered or any(is_whole(self._text_of(part).text) for part in paragraphs)):
            self._unread(paragraphs[0][0].place, reason, text)
        elif any(
            is_prose(line := self._text_of(part).text) and not _BASED_ON.fullmatch(line)
            for part in paragraphs
        ):
            self._unread(paragraphs[0][0].place, "text without an answer line", text)
        else:
            self.packet.headings += len(paragraphs)

    def _answer(self) -> StyledText:
        """The answer line from here, with the lines it goes on over."""
        found: list[_Token] = []
        while self._kind() is _Kind.WORDS or (
            self._kind() is _Kind.NUMBER and found and self._closes_soon(found)
        ):
            token = self._tokens[self._at]
            if found and not self._goes_on(found, token):
                break
            found.append(token)
            self._at += 1
        return self._text_of(found)

    def _goes_on(self, found: list[_Token], token: _Token) -> bool:
        directs = found[-1].styled.text.rstrip().endswith((";", ",")) and begins_with_direction(
            token.styled.text
        )
        if (
            (token.apart and not directs)
            or len(found) > MOST_LINES
            or _BASED_ON.fullmatch(token.styled.text.strip())
        ):
            return False
        if directs or token.place == found[-1].place:
            return True
        if is_whole(token.styled.text):
            return False
        if self._closes_soon(found):
            return True
        if is_tag_line(token.styled.text) or self._is_note_below(self._at):
            return False
        if begins_with_direction(token.styled.text):
            return True
        return not self._answered[self._at]

    def _closes_soon(self, found: list[_Token]) -> bool:
        """Whether a bracket is open in an answer line and closed below, before anything else is asked."""
        text = self._text_of(found).text
        for pair, closed in self._closed.items():
            if text.count(pair[0]) > text.count(pair[1]):
                return closed[self._at]
        return False

    def _text_of(self, tokens: Iterable[_Token]) -> StyledText:
        """The words of tokens on one line, without the signs that plain text has for styles."""
        styled = without_typesetting(joined(token.styled for token in tokens))
        bare = without_stars(styled)
        return without_signs(bare) if self._has_signs or bare is not styled else bare

    def _tags(self) -> str:
        """The tags below an answer line. A note there is counted: the question was read already."""
        tags = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.kind is _Kind.TAG:
                tags.append(token.value)
            elif self._is_tag_below(self._at):
                tags.append(token.styled.text.strip(" \t()[]{}"))
            elif self._is_note_below(self._at):
                self.packet.headings += 1
            else:
                break
            self._at += 1
        return "; ".join(tags)

    def _is_tag_below(self, at: int) -> bool:
        """Whether a line is a tag of the question above it; one that is apart has brackets, and ends it."""
        token, end = self._tokens[at], at + 1 == len(self._tokens)
        if token.kind is not _Kind.WORDS or not is_tag_line(token.styled.text):
            return False
        bracketed = token.styled.text.strip()[:1] in ("(", "[", "{")
        return not token.apart or (bracketed and (end or self._tokens[at + 1].kind is _Kind.NUMBER))

    def _is_note_below(self, at: int) -> bool:
        """Whether a line right below an answer is a note, and the next question is further down."""
        token, end = self._tokens[at], at + 1 == len(self._tokens)
        note = token.kind is _Kind.WORDS and not token.apart and _NOTE.match(token.styled.text) is not None
        return note and (end or self._tokens[at + 1].apart or self._tokens[at + 1].kind is _Kind.TAG)

    def _unread(self, place: int, reason: str, text: str) -> None:
        self.packet.unread.append(unread_question(place, reason, text))


def _is_note(paragraphs: Sequence[Sequence[_Token]]) -> bool:
    """Whether there is nothing but a note to the moderator or the players, on a few lines."""
    return (
        len(paragraphs) == 1
        and len(paragraphs[0]) <= _NOTE_LINES
        and _NOTE.match(paragraphs[0][0].styled.text) is not None
    )
