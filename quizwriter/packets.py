"""Packets as people write them, in Word or as plain text: a lexer for lines, a grammar for questions.

The conventions are those of ACF's guidelines and of YetAnotherPacketParser's lexer, with what differs in the
wild: numbers or none, answers on a line of their own or not, tables, notes, running heads, hard-wrapped text.
Nothing that looks like a question is passed over in silence: what cannot be read is :class:`Unread`.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.questions import SHORTEST, UNPRINTABLE, clean

if TYPE_CHECKING:
    from docx.document import Document
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

WORD, TEXT = ".docx", ".txt"
LARGEST = 64 << 20
"""Bytes of a packet, unpacked; real ones have less than one million."""

LONGEST_WORDS = 600
"""Words of the longest question believed in; beyond, answer lines are missing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A tossup of a packet, on one line; ``power`` stands in the text as ``(*)``."""

    number: str  # as printed: "5", "TB"; empty where there is none
    text: str
    answer: str  # the whole answer line, directions included
    tag: str  # the category or author between angle brackets
    place: int


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus: what is read first, and pairs of a part's text and its answer line."""

    number: str
    leadin: str
    parts: tuple[tuple[str, str], ...]
    tag: str
    place: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A question that could not be read, or not whole; ``place`` is a line or paragraph, from 1; 0: none."""

    place: int
    reason: str
    opening: str = ""


@dataclass
class Packet:
    """What a packet holds; ``unit`` is what its places count."""

    unit: str
    tossups: list[Asked] = field(default_factory=list)
    bonuses: list[Bonus] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)


def read_packet(path: Path) -> Packet:
    """The questions of a Word or plain-text packet, in their order.

    Raises:
        QuizwriterError: the file cannot be read at all.
    """
    try:
        if path.suffix.casefold() == WORD:
            return _Grammar("paragraph", _word_lines(path)).packet
        return _Grammar("line", _text_lines(path)).packet
    except OSError as trouble:
        raise QuizwriterError(
            f"{path} cannot be read ({trouble.strerror or trouble}).", "Check that you may read it."
        ) from trouble


# -- what both formats become


@dataclass(frozen=True, slots=True)
class _Styled:
    """A text, and for each of its characters ``b`` where it is bold and a space where it is not."""

    text: str
    bold: str

    def cut(self, start: int, end: int | None = None) -> _Styled:
        """The stretch from ``start`` to ``end``."""
        return _Styled(self.text[start:end], self.bold[start:end])


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a packet, not blank. ``apart``: a blank line or a new paragraph comes before it."""

    styled: _Styled
    place: int
    apart: bool
    listed: bool = False  # Word numbers it, so that no number is in the text


_SPACES = re.compile(r"\s")


def _text_lines(path: Path) -> Iterator[_Line]:
    if path.stat().st_size > LARGEST:
        raise _too_large(path)
    raw = path.read_bytes()
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\0" in raw:
        encodings = []
    else:
        encodings = ["utf-8-sig", "cp1252"]  # the second is what old Windows editors write
    text = next((found for name in encodings if (found := _decoded(raw, name)) is not None), None)
    if text is None:
        raise QuizwriterError(f"{path} is not a text.", "Save the packet as plain text or as .docx.")
    apart = True
    for place, line in enumerate(re.split(r"\r\n|[\n\r\f\v\x85\u2028\u2029]", text), start=1):
        whole = clean(_SPACES.sub(" ", line))
        if whole:
            yield _Line(_Styled(whole, " " * len(whole)), place, apart)
        apart = not whole


def _decoded(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def _too_large(path: Path) -> QuizwriterError:
    return QuizwriterError(
        f"{path} is far larger than a packet.", "Choose packets; large files of questions are built in."
    )


# -- Word


def _word_lines(path: Path) -> Iterator[_Line]:
    import docx  # here, as it takes a quarter of a second
    from docx.opc.exceptions import PackageNotFoundError

    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                raise _too_large(path)
        document = docx.Document(str(path))
        yield from _Word(document).lines()
    except (
        zipfile.BadZipFile,
        PackageNotFoundError,
        SyntaxError,  # of the XML
        KeyError,
        ValueError,
        AttributeError,
        NotImplementedError,
        EOFError,
        zlib.error,
    ) as trouble:
        raise QuizwriterError(
            f"{path} is not a sound Word document.", "Open it in a word processor and save it again as .docx."
        ) from trouble


_ELEMENTS = (
    *(
        "p",
        "r",
        "t",
        "tbl",
        "tr",
        "tc",
        "pPr",
        "rPr",
        "b",
        "val",
        "vanish",
        "pStyle",
        "rStyle",
        "numPr",
        "numId",
    ),
    *(
        "ilvl",
        "basedOn",
        "styleId",
        "style",
        "del",
        "moveFrom",
        "txbxContent",
        "sectPr",
        "noBreakHyphen",
        "tab",
    ),
    *("br", "cr"),
)


class _Word:
    """The lines of a Word document, from its XML: python-docx's paragraphs leave out what was inserted while
    changes were tracked, links, and content controls."""

    def __init__(self, document: Document) -> None:
        from docx.oxml.ns import qn

        self._w = {name: qn(f"w:{name}") for name in _ELEMENTS}
        self._body = document.element.body
        self._styles = {
            style.get(self._w["styleId"]): style for style in document.styles.element.iter(self._w["style"])
        }
        self._bold_styles: dict[str, bool | None] = {}
        self._place = 0

    def lines(self) -> Iterator[_Line]:
        """The lines of the body; headers and footers are no part of it."""
        yield from self._of(self._body)

    def _of(self, parent: Element) -> Iterator[_Line]:
        for child in parent.iterchildren():
            if child.tag == self._w["p"]:
                yield from self._paragraph(child)
            elif child.tag == self._w["tbl"]:
                for row in child.iter(self._w["tr"]):
                    cells = [list(self._of(cell)) for cell in row.iterchildren(self._w["tc"])]
                    yield from _row([cell for cell in cells if cell])
            elif child.tag != self._w["sectPr"]:
                yield from self._of(child)

    def _paragraph(self, paragraph: Element) -> Iterator[_Line]:
        self._place += 1
        properties = paragraph.find(self._w["pPr"])
        style = self._named(properties, "pStyle")
        texts, bolds = [], []
        for run in self._runs(paragraph):
            own = run.find(self._w["rPr"])
            if own is None or not self._switched(own, "vanish"):
                texts.append(self._text(run))
                bolds.append(("b" if self._is_bold(own, style) else " ") * len(texts[-1]))
        text, bold = "".join(texts), "".join(bolds)
        for odd in reversed(list(UNPRINTABLE.finditer(text))):
            text = text[: odd.start()] + text[odd.end() :]
            bold = bold[: odd.start()] + bold[odd.end() :]
        first = True
        for found in re.finditer(r"[^\n]+", text):
            line = _Styled(_SPACES.sub(" ", found[0]), bold[found.start() : found.end()])
            if line.text.strip():
                yield _Line(line, self._place, first, first and self._is_listed(properties))
                first = False

    def _runs(self, parent: Element) -> Iterator[Element]:
        """The runs in a paragraph that are printed, those in links and insertions too."""
        for child in parent.iterchildren():
            if child.tag == self._w["r"]:
                yield child
            elif child.tag not in (self._w["del"], self._w["moveFrom"], self._w["pPr"]):
                yield from self._runs(child)

    def _text(self, run: Element) -> str:
        said = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
        names = {self._w[name]: text for name, text in said.items()}
        return "".join(
            (child.text or "").replace("\n", " ") if child.tag == self._w["t"] else names.get(child.tag, "")
            for child in run.iterchildren()
        )

    def _is_bold(self, own: Element | None, style: str) -> bool:
        direct = None if own is None else self._switched(own, "b")
        if direct is None:
            direct = self._style_is_bold(self._named(own, "rStyle"))
        return bool(self._style_is_bold(style) if direct is None else direct)

    def _style_is_bold(self, name: str) -> bool | None:
        if name not in self._bold_styles:
            self._bold_styles[name] = None  # should styles be based on each other in a circle
            style = self._styles.get(name)
            if style is not None:
                own = style.find(self._w["rPr"])
                bold = None if own is None else self._switched(own, "b")
                based = style.find(self._w["basedOn"])
                if bold is None and based is not None:
                    bold = self._style_is_bold(based.get(self._w["val"], ""))
                self._bold_styles[name] = bold
        return self._bold_styles[name]

    def _switched(self, properties: Element, name: str) -> bool | None:
        found = properties.find(self._w[name])
        return None if found is None else found.get(self._w["val"], "1") not in {"0", "false", "off"}

    def _named(self, properties: Element | None, name: str) -> str:
        found = None if properties is None else properties.find(self._w[name])
        return "" if found is None else str(found.get(self._w["val"], ""))

    def _is_listed(self, properties: Element | None) -> bool:
        numbered = None if properties is None else properties.find(self._w["numPr"])
        if numbered is None:
            return False
        return self._named(numbered, "numId") not in {"", "0"} and self._named(numbered, "ilvl") in {"", "0"}


def _row(cells: list[list[_Line]]) -> Iterator[_Line]:
    """The lines of a table's row: a cell with a label goes before the next one, question and answer may stand
    beside each other; anything else is read cell by cell."""
    while len(cells) > 1:
        first, second, *others = cells
        text, beside = first[-1].styled.text.strip(), second[0]
        answered = any(_ANSWER.match(line.styled.text) for line in (*first, *second))
        if _LABEL.fullmatch(text):
            label = _Styled(f"{text} ", " " * (len(text) + 1))
        elif not answered and _is_prose(" ".join(line.styled.text for line in first)):
            yield from first
            first, label = [beside], _Styled("ANSWER: ", " " * 8)
        else:
            yield from first
            cells = [second, *others]
            continue
        whole = _Styled(label.text + beside.styled.text, label.bold + beside.styled.bold)
        joined = _Line(whole, beside.place, apart=True)
        cells = [[*first[:-1], joined, *second[1:]], *others]
    for cell in cells:
        yield from cell


# -- the lexer


class _Kind(Enum):
    NUMBER = "number"
    ANSWER = "answer"
    PART = "part"
    TAG = "tag"
    SECTION = "section"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    styled: _Styled  # of a number, an answer or a part: the mark as it was typed
    place: int
    apart: bool = False  # whether a paragraph begins with it
    value: str = ""  # "5" of "5.", "Biology" of "<Biology>"


_ANSWER = re.compile(r"\s*(?:(?i:ANS(?:WERS?)?\s*[:.\uff1a])|ANSWER\b(?!\s*[a-z]))\s*")
_ANSWER_INSIDE = re.compile(r"(?<=\s)ANS(?:WER)?\s*[:.]\s*|(?<=[.?!\"”)\]])\s+Answer\s*:\s*")
_NUMBER = re.compile(
    r"\s*(?:(?:toss-?up|tu|bonus|question)\s*#?\s*)?(\d{1,3}|tb\s*\d*|tie-?(?:breaker)?|extra)\s*[.):]\s*(?=\D|$)",
    re.IGNORECASE,
)
_VALUE = r"(?:5|10|15|20|30)\s*[ehm]?|[ehm]"
_PART = re.compile(
    rf"\s*(?:\[\s*({_VALUE}|\d+)\s*[\]\[)}}]|[({{]\s*({_VALUE})\s*[)\]}}]|({_VALUE})\])\s*", re.IGNORECASE
)
_PART_INSIDE = re.compile(rf"(?<=\s)\[\s*({_VALUE})\s*\](?=\s)", re.IGNORECASE)
_TAG = re.compile(r"\s*<([^<>]+)>\s*")
_TAG_INSIDE = re.compile(r"\s<([^<>]+)>\s*(?=$|<)")
_SECTION = re.compile(
    r"\W*(?:(?:first|second|extra|round\s+\d+|packet\s+\d+)\W+)?"
    r"(toss-?ups?|bonus(?:es)?)(?:\W+questions?)?\W*(?:\d+\W*(?:[-–]\W*\d+\W*)?)?",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\W*(?:note\s+to|moderator|players?\s+note)", re.IGNORECASE)
_PAGE = re.compile(r"\W*(?:page\s+)?\d{1,3}\W*(?:(?:of|/)\W*\d{1,3}\W*)?", re.IGNORECASE)
_LABEL = re.compile(rf"(?:{_ANSWER.pattern}|{_PART.pattern}|(?i:\d{{1,3}}\s*[.):]?|tb\s*[.):]))")
_NUMBERED_ONLY = re.compile(r"\s*\d{1,3}\s*[.):]\s*")


def _lex(lines: Sequence[_Line]) -> Iterator[_Token]:
    """The tokens of ``lines``; running heads and page numbers are left out."""
    running = _running_heads(lines)
    for place, line in enumerate(lines):
        if place not in running:  # a page may end anywhere, so what comes after its foot may go on
            yield from _lex_line(replace(line, apart=False) if place - 1 in running else line)


def _lex_line(line: _Line) -> Iterator[_Token]:
    rest, apart = line.styled, line.apart

    def token(kind: _Kind, end: int, value: str = "") -> _Token:
        nonlocal rest, apart
        found = _Token(kind, rest.cut(0, end), line.place, apart, value.strip())
        rest, apart = rest.cut(end), False
        return found

    if _SECTION.fullmatch(rest.text):
        yield token(_Kind.SECTION, len(rest.text), "bonus" if "onus" in rest.text.casefold() else "tossup")
        return
    if line.listed and not any(mark.match(rest.text) for mark in (_ANSWER, _PART, _TAG, _NUMBER)):
        yield token(_Kind.NUMBER, 0)
    while rest.text.strip():
        if found := _TAG.match(rest.text):
            yield token(_Kind.TAG, found.end(), found[1])
        elif found := _ANSWER.match(rest.text):
            yield token(_Kind.ANSWER, found.end())
            yield from _lex_answer(token, rest)
            return
        elif found := _PART.match(rest.text):
            yield token(_Kind.PART, found.end(), next(filter(None, found.groups())))
        elif (found := _NUMBER.match(rest.text)) and len(rest.text) == len(line.styled.text):
            yield token(_Kind.NUMBER, found.end(), found[1].upper())
        else:
            ends = [hit.start() for mark in (_ANSWER_INSIDE, _PART_INSIDE) if (hit := mark.search(rest.text))]
            yield token(_Kind.WORDS, min(ends, default=len(rest.text)))


def _lex_answer(token: Callable[..., _Token], rest: _Styled) -> Iterator[_Token]:
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
    if hit := _PART.match(rest.text):
        yield token(_Kind.PART, hit.end(), next(filter(None, hit.groups())))
        rest = rest.cut(hit.end())
    if rest.text.strip():
        yield token(_Kind.WORDS, len(rest.text))


def _running_heads(lines: Sequence[_Line]) -> frozenset[int]:
    """Which lines stand at the head or foot of every page: alone, short, and said again and again."""
    alone = {
        place: re.sub(r"\d+", "#", line.styled.text.strip().casefold())
        for place, line in enumerate(lines)
        if line.apart
        and (place + 1 == len(lines) or lines[place + 1].apart)
        and len(line.styled.text) <= 80
        and not any(mark.match(line.styled.text) for mark in (_ANSWER, _PART, _TAG, _SECTION, _NUMBERED_ONLY))
    }
    often = Counter(alone.values())
    return frozenset(
        place
        for place, shape in alone.items()
        if _PAGE.fullmatch(lines[place].styled.text)
        or (often[shape] >= 3 and not shape.endswith((".", "?", "!")) and "point" not in shape)
    )


# -- the grammar


_ENDS = re.compile(r"[.?!:][\"”’')\]*\s]*$")
_POWER = re.compile(r"\s*[(\[]\s*[*\u2217\uff0a]\s*[)\]]\s*")
_EMPHASIS = re.compile(r"(?<!\w)([~_])(?=\S)([^~_]+?)(?<=\S)\1(?!\w)")
_BRACKETS = re.compile(r"[\[(][^\[\]()]*[\])]")
_DIRECTION = re.compile(r"\s*(?:[\[(]|or\b|accept\b|prompt\b|(?:do\s+not|don'?t)\b|anti-?prompt\b)", re.I)


def _is_prose(text: str) -> bool:
    """Whether ``text`` may be a question or a good part of one, not a heading."""
    return len(text) >= 60 and len(text.split()) >= 10


def _is_whole(text: str) -> bool:
    """Whether ``text`` looks like a question from beginning to end."""
    return _is_prose(text) and bool(_ENDS.search(text)) and bool(re.search(r"\bpoints?\b|\bFTP", text, re.I))


class _Grammar:
    """packet := (section | tossup | bonus)*;  tossup := [number] words answer tag*;
    bonus := [number] words (part words answer)+ tag*"""

    def __init__(self, unit: str, lines: Iterable[_Line]) -> None:
        self.packet = Packet(unit)
        held = list(lines)
        self._tokens = list(_lex(held))
        self._at = 0
        self._section = ""
        self._last = 0  # the number of the question before
        while self._at < len(self._tokens):
            self._next()

    def _next(self) -> None:
        token = self._tokens[self._at]
        if token.kind is _Kind.SECTION:
            self._section, self._last = token.value, 0
            self._at += 1
        elif token.kind is _Kind.TAG:
            self._at += 1  # of a question that was not read
        elif token.kind is _Kind.ANSWER:
            self._at += 1
            answer = self._answer()
            self._unread(token.place, "an answer line without a question", answer.text)
        else:
            self._question()

    def _question(self) -> None:
        number, place = "", self._tokens[self._at].place
        if self._kind() is _Kind.NUMBER:
            number = self._numbered()
        paragraphs = self._words()
        after = self._kind()
        if after not in {_Kind.ANSWER, _Kind.PART}:
            self._leave(paragraphs, "no answer line", numbered=bool(number))
            return
        whole = self._opening(paragraphs, numbered=bool(number))
        place = place if number else whole[0][0].place if whole else place
        if len(whole) < len(paragraphs):
            number = ""  # it belonged to what was left
        opening = _joined(part for paragraph in whole for part in paragraph)
        if after is _Kind.PART:
            self._bonus(number, opening, place)
        elif self._section == "bonus":
            self._unmarked_bonus(number, opening, place)
        else:
            self._tossup(number, opening, place)

    def _numbered(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        if token.value.isdigit():
            self._last = int(token.value)
        elif not token.value:  # Word's own numbers
            self._last += 1
            return str(self._last)
        return token.value

    def _tossup(self, number: str, opening: _Styled, place: int) -> None:
        self._at += 1
        answer, tag = self._answer().text, self._tags()
        text = _finished(opening)
        reason = _wrong(text, answer)
        if reason:
            self._unread(place, reason, text or answer)
        else:
            self.packet.tossups.append(Asked(number, text, _unmarked(answer), tag, place))

    def _bonus(self, number: str, leadin: _Styled, place: int) -> None:
        parts: list[tuple[str, str]] = []
        while self._kind() is _Kind.PART:
            at = self._tokens[self._at].place
            self._at += 1
            words = [part for paragraph in self._words() for part in paragraph]
            text = _finished(_joined(words))
            if self._kind() is not _Kind.ANSWER:
                self._unread(at, f"part {len(parts) + 1} of a bonus has no answer line", text)
                continue
            self._at += 1
            answer = self._answer().text
            reason = _wrong(text, answer)
            if reason:
                self._unread(at, f"part {len(parts) + 1} of a bonus: {reason}", text or answer)
            else:
                parts.append((text, _unmarked(answer)))
        self._keep_bonus(number, leadin, parts, place)

    def _unmarked_bonus(self, number: str, opening: _Styled, place: int) -> None:
        """A bonus whose parts have no ``[10]``: what follows without a number belongs to it."""
        self._at += 1
        parts = [(_finished(opening), _unmarked(self._answer().text))]
        while number and self._kind() is _Kind.WORDS:
            before = self._at
            words = [part for paragraph in self._words() for part in paragraph]
            if self._kind() is not _Kind.ANSWER:
                self._at = before
                break
            self._at += 1
            parts.append((_finished(_joined(words)), _unmarked(self._answer().text)))
        sound = [part for part in parts if not _wrong(*part)]
        self._keep_bonus(number, _Styled("", ""), sound, place)

    def _keep_bonus(self, number: str, leadin: _Styled, parts: list[tuple[str, str]], place: int) -> None:
        text, tag = _finished(leadin), self._tags()
        if parts:
            self.packet.bonuses.append(Bonus(number, text, tuple(parts), tag, place))
        if len(parts) != 3:
            count = {0: "no parts", 1: "1 part"}.get(len(parts), f"{len(parts)} parts")
            self._unread(place, f"a bonus with {count}" + (", read as it is" if parts else ""), text)

    # -- runs of tokens

    def _kind(self) -> _Kind | None:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else None

    def _words(self) -> list[list[_Token]]:
        """The paragraphs from here to the next mark; a number inside a text is no mark."""
        paragraphs: list[list[_Token]] = []
        while self._kind() in {_Kind.WORDS, _Kind.NUMBER}:
            token = self._tokens[self._at]
            if token.kind is _Kind.NUMBER and self._begins(token, paragraphs):
                break
            if token.apart or not paragraphs:
                paragraphs.append([])
            paragraphs[-1].append(token)
            self._at += 1
        return paragraphs

    def _begins(self, token: _Token, before: list[list[_Token]]) -> bool:
        """Whether a number begins a question, though what stands before has no answer yet."""
        if token.apart or not before:
            return True
        ended = bool(_ENDS.search(before[-1][-1].styled.text))
        return ended and token.value == str(self._last + 1)

    def _opening(self, paragraphs: list[list[_Token]], *, numbered: bool) -> list[list[_Token]]:
        """The paragraphs that belong to the answer that comes next; the others are left."""
        texts = [_joined(paragraph).text for paragraph in paragraphs]
        first = len(paragraphs)
        while first > 0:
            before = first - 1
            if first < len(paragraphs):
                if _is_whole(texts[before]) and _is_prose(texts[first]):
                    break  # a question of its own
                read = bool(self.packet.tossups or self.packet.bonuses)
                goes_on = _is_prose(texts[before]) and (read or not _ENDS.search(texts[before]))
                if not numbered and not _NOTE.match(texts[before]) and not goes_on:
                    break  # a heading
            first = before
        self._leave(paragraphs[:first], "no answer line", numbered=numbered and first > 0)
        return paragraphs[first:]

    def _leave(self, paragraphs: list[list[_Token]], reason: str, *, numbered: bool) -> None:
        """Report what may be a question; headings go."""
        text = _joined(part for paragraph in paragraphs for part in paragraph).text
        if paragraphs and (numbered or any(_is_whole(_joined(part).text) for part in paragraphs)):
            self._unread(paragraphs[0][0].place, reason, text)
        elif any(_is_prose(_joined(part).text) for part in paragraphs):
            self._unread(paragraphs[0][0].place, "text without an answer line", text)

    def _answer(self) -> _Styled:
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
        return _joined(found)

    def _goes_on(self, found: list[_Token], token: _Token) -> bool:
        if token.apart:
            return False
        if token.place == found[-1].place:
            return True
        if _is_whole(token.styled.text):
            return False
        if self._closes_soon(found) or _DIRECTION.match(token.styled.text):
            return True
        # what stands below an answer without a blank line is a question if it has an answer itself
        for later in self._tokens[self._at :]:
            if later.apart or later.kind in {_Kind.NUMBER, _Kind.PART, _Kind.SECTION}:
                return True
            if later.kind is _Kind.ANSWER:
                return False
        return True

    def _closes_soon(self, found: list[_Token]) -> bool:
        """Whether a bracket is open in an answer line and closed below, before anything else is asked."""
        text = _joined(found).text
        for opening, closing in ("[]", "()"):
            if text.count(opening) > text.count(closing):
                for later in self._tokens[self._at :]:
                    if later.apart or later.kind not in {_Kind.WORDS, _Kind.NUMBER}:
                        return False
                    brackets = [letter for letter in later.styled.text if letter in opening + closing]
                    if brackets:
                        return brackets[0] == closing
        return False

    def _tags(self) -> str:
        tags = []
        while self._kind() is _Kind.TAG:
            tags.append(self._tokens[self._at].value)
            self._at += 1
        return "; ".join(tags)

    def _unread(self, place: int, reason: str, text: str) -> None:
        short = " ".join(text.split()[:8])
        self.packet.unread.append(Unread(place, reason, short))


def _joined(tokens: Iterable[_Token]) -> _Styled:
    """The words of tokens on one line, single-spaced; a word broken at its hyphen is whole again."""
    text, bold = "", ""
    for token in tokens:
        if text and not (re.search(r"\w-$", text) and re.match(r"\w", token.styled.text)):
            text, bold = f"{text} ", f"{bold}{bold[-1:]}"
        text, bold = text + token.styled.text.strip(), bold + _stripped(token.styled).bold
    spaced = _Styled(text, bold)
    for found in reversed(list(re.finditer("  +", text))):
        spaced = _Styled(
            spaced.text[: found.start() + 1] + spaced.text[found.end() :],
            spaced.bold[: found.start() + 1] + spaced.bold[found.end() :],
        )
    return _stripped(spaced)


def _stripped(styled: _Styled) -> _Styled:
    start = len(styled.text) - len(styled.text.lstrip())
    return styled.cut(start, start + len(styled.text.strip()))


def _unmarked(text: str) -> str:
    """``text`` without the signs for italics and underlining that plain text has."""
    return _EMPHASIS.sub(r"\2", text)


def _finished(styled: _Styled) -> str:
    """A question's text with its power mark as ``(*)`` between spaces; without one, the bold words say it."""
    if _POWER.search(styled.text):
        return _unmarked(_POWER.sub(" (*) ", styled.text).strip())
    words = Tossup(styled.text).words
    bold = [2 * styled.bold.count("b", word.start, word.end) > word.end - word.start for word in words]
    count = _leading(bold)
    if 0 < count < len(words):
        end = words[count - 1].end
        return _unmarked(f"{styled.text[:end]} (*){styled.text[end:]}")
    return _unmarked(styled.text)


_GAP, _ON = 2, 3


def _leading(bold: Sequence[bool]) -> int:
    """How many words are in bold from the first on; a title that lost its bold does not end it."""
    count = 0
    for at, one in enumerate(bold):
        if one and (at == count or (at - count <= _GAP and count and all(bold[at : at + _ON]))):
            count = at + 1
        elif at - count > _GAP:
            break
    return count


def _wrong(text: str, answer: str) -> str:
    """Why a question cannot be used; empty if it can."""
    if not text:
        return "an answer line without a question"
    if len(text) < SHORTEST:
        return "the text is too short"
    if not re.search(r"\w", answer):
        return "the answer line is empty"
    if len(text.split()) > LONGEST_WORDS:
        return "longer than any question, so answer lines seem to be missing"
    if _is_whole(_BRACKETS.sub("", answer)):
        return "the answer line runs on into another question"
    return ""
