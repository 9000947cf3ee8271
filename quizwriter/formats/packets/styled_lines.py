"""The lines of a packet, whatever file it is: their text with its styles, and where paragraphs begin."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.domain.plain_text import LEFT_OUT, count_odd, repaired
from quizwriter.domain.styles import LetterStyle, TextStyles
from quizwriter.errors import QuizwriterError
from quizwriter.formats.packets.plain_layouts import (
    cells_of,
    in_one_column,
    is_ruled,
    without_marks,
)
from quizwriter.formats.question_files import clean
from quizwriter.system.decoding import (
    DecodingError,
    check_zip,
    open_regular,
    translate_decoding_errors,
    translate_unpacking_errors,
)

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

LARGEST = 64 << 20
"""Bytes of a Word document with its pictures, unpacked."""

LARGEST_TEXT = 8 << 20
"""Bytes of a plain text; real packets have less than a tenth of one million."""

LONGEST_LINE = 50_000
"""Characters of a line or paragraph; a whole packet in one line has as many."""

MOST_PACKET_LINES = 50_000
"""Lines or paragraphs of a packet; a hundred packets one after the other have as many."""

MOST_MARKS = 1_500_000
"""Tags and attributes in the XML of a Word document; a long packet has a tenth."""

DEEPEST_TEXT = 40
"""Levels of tables, links and insertions within each other."""

# What answers and the parts of bonuses begin with, and what may stand alone in a table's cell.
ANSWER = re.compile(
    r"\s*+(?:(?:(?i:correct)\s)?(?i:ANS(?:WERS?)?\s*+[:.\uff1a]|[(\[]ANS(?:WERS?)?[:.]?[)\]](?=\s*+\w))"
    r"|A(?:NSWER|nswer)\s++[-–—](?=\s)|ANSWER\b(?!\s*+[a-z]))\s*+"
)
VALUE = r"(?:5|10|15|20|30)\s*+[ehm]?+|[ehm]"
PART = re.compile(
    rf"\s*(?:\[\s*({VALUE}|\d+)\s*[\]\[)}}]|[({{]\s*({VALUE})\s*[)\]}}]|({VALUE})\])\s*", re.IGNORECASE
)
_LABEL = re.compile(rf"(?:{ANSWER.pattern}|{PART.pattern}|(?i:\d{{1,3}}\s*[.):]?|tb\s*[.):]))")


_TAG = re.compile(r"<(/?)(b|strong|u|i|em|req|sup|sub)>", re.IGNORECASE)
_BOLD, _UNDERLINE = LetterStyle.BOLD.bit, LetterStyle.UNDERLINE.bit
_ITALIC = LetterStyle.ITALIC.bit
_TAG_BITS = {
    "b": _BOLD, "strong": _BOLD, "u": _UNDERLINE, "i": _ITALIC, "em": _ITALIC, "req": _BOLD | _UNDERLINE,
    "sup": LetterStyle.SUPERSCRIPT.bit, "sub": LetterStyle.SUBSCRIPT.bit,
}  # fmt: skip


def is_prose(text: str) -> bool:
    """Whether ``text`` may be a question or a good part of one, not a heading."""
    return len(text) >= 60 and len(text.split()) >= 10


ENDS = re.compile(r"[.?!:][\"”’')\]*\s]*$")
_WORTH = re.compile(r"\bpoints?\b|\bFTP", re.IGNORECASE)


def is_whole(text: str) -> bool:
    """Whether ``text`` looks like a question from beginning to end."""
    return is_prose(text) and bool(ENDS.search(text)) and bool(_WORTH.search(text))


class StyledText(msgspec.Struct, frozen=True):
    """A text, and for each of its characters the bits of its styles, as in :class:`TextStyles`."""

    text: str
    codes: bytes

    @classmethod
    def plain(cls, text: str) -> StyledText:
        return cls(text, bytes(len(text)))

    @classmethod
    def tagged(cls, source: str) -> StyledText:
        """The text of ``source`` with the styles of its HTML tags for letters, which are left out."""
        letters: list[str] = []
        codes: list[bytes] = []
        code = at = 0
        for found in _TAG.finditer(source):
            letters.append(source[at : found.start()])
            codes.append(bytes((code,)) * len(letters[-1]))
            bits = _TAG_BITS[found[2].casefold()]
            code = code & ~bits if found[1] else code | bits
            at = found.end()
        letters.append(source[at:])
        codes.append(bytes((code,)) * len(letters[-1]))
        return cls("".join(letters), b"".join(codes))

    @property
    def styles(self) -> TextStyles:
        return TextStyles.of_codes(self.codes)

    def cut(self, start: int, end: int | None = None) -> StyledText:
        return StyledText(self.text[start:end], self.codes[start:end])

    def without(self, pattern: re.Pattern[str]) -> StyledText:
        ends = [0, *(end for found in pattern.finditer(self.text) for end in found.span()), len(self.text)]
        kept = [slice(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
        return StyledText(
            "".join(map(self.text.__getitem__, kept)), b"".join(map(self.codes.__getitem__, kept))
        )

    def cleaned(self) -> StyledText:
        """As :func:`quizwriter.domain.plain_text.cleaned` does it, each letter with its style."""
        return StyledText(repaired(self.text), self.codes).without(LEFT_OUT)

    def stripped(self) -> StyledText:
        """Without the white space around it."""
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, start + len(self.text.strip()))


class PacketLine(msgspec.Struct, frozen=True):
    """A line of a packet, not blank. ``apart``: a blank line or a new paragraph comes before it."""

    styled: StyledText
    place: int
    apart: bool
    listed: bool = False  # Word numbers it, so that no number is in the text
    odd: int = 0  # characters that no text can have; they were replaced or left out
    page: bool = False  # a new page begins with it
    aside: bool = False  # a note below the text, or a rule


_SPACES = re.compile(r"\s")
_LINE = re.compile(r"([^\n\r\f\v\x85\u2028\u2029]*)(?:\r\n|[\n\r\f\v\x85\u2028\u2029]|\Z)")
_PRINTED_LINE = re.compile(r"[^\n]+")


def text_lines(path: Path) -> Iterator[PacketLine]:
    with open_regular(path) as file:
        raw = file.read(LARGEST_TEXT + 1)
    if len(raw) > LARGEST_TEXT:
        raise _too_large(path, f"it has more than {LARGEST_TEXT >> 20} MB")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\0" in raw:
        encodings = []
    else:
        encodings = ["utf-8-sig", "cp1252"]  # the second is what old Windows editors write
    decoded = (_decoded(raw, name) for name in encodings)
    text = next((one for one in decoded if one is not None), None)
    if text is None:
        raise QuizwriterError(f"{path} is not a text.", "Save the packet as plain text or as .docx.")
    for place, found in enumerate(_LINE.finditer(text), start=1):
        _check_size(path, "line", place, len(found[1]))
    yield from pasted_lines(text)


def pasted_lines(text: str) -> Iterator[PacketLine]:
    """The lines of a ``text`` that is known to be short enough."""
    found = [*_LINE.finditer(in_one_column(text))]
    lines = [_SPACES.sub(" ", one[1]) for one in found]
    apart, table, page = True, _Table(), False
    for place, (one, line) in enumerate(zip(found, lines, strict=True), start=1):
        whole = without_marks(clean(line))
        odd = count_odd(one[1])
        if cells := cells_of(whole) or _tabbed(one[1]):
            row = [
                [PacketLine(StyledText.tagged(text), place, apart=True)] if (text := cell.strip()) else []
                for cell in cells
            ]
            if row[-1]:
                row[-1] = [replace(row[-1][0], odd=odd)]
            yield from table.row(row)
        elif whole:
            aside = is_ruled(whole)
            yield PacketLine(StyledText.tagged(whole), place, apart, odd=odd, page=page, aside=aside)
        if whole or not one[0].endswith("\f"):  # a page may end anywhere, and what is below go on
            apart = not whole
        page = one[0].endswith("\f") or (page and not whole)


def _tabbed(line: str) -> list[str]:
    """The cells of a row with tabs between them: a whole question, and an answer behind it.

    None of any other line: there a tab is no more than a space.
    """
    cells = [clean(cell) for cell in line.split("\t")] if "\t" in line else []
    question = next((at for at, cell in enumerate(cells) if is_prose(cell)), None)
    return cells if question is not None and is_whole(cells[question]) and any(cells[question + 1 :]) else []


def _decoded(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def _check_size(path: Path, unit: str, place: int, characters: int) -> None:
    """Check that a line or paragraph is not too long, and is not one too many."""
    if place > MOST_PACKET_LINES:
        raise _too_large(path, f"it has more than {MOST_PACKET_LINES:,} {unit}s")
    if characters > LONGEST_LINE:
        raise _too_large(path, f"{unit} {place:,} is longer than {LONGEST_LINE:,} characters")


def _too_large(path: Path, reason: object) -> QuizwriterError:
    return QuizwriterError(
        f"{path} is far larger than a packet ({reason}).",
        "Choose packets; large files of questions are built in.",
    )


# -- Word

_EBCDIC = b"\x4c\x6f\xa7\x94"  # "<?xm", which a parser would understand
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([\w.-]+)""")
_USUAL_ENCODINGS = frozenset({b"utf-8", b"utf-16", b"us-ascii", b"iso-8859-1", b"windows-1252"})
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

_OFF = ("0", "false", "off", "none")
_LOOKS: Mapping[str, Mapping[str, int]] = {
    "b": {"": LetterStyle.BOLD.bit} | dict.fromkeys(_OFF, 0),
    "i": {"": LetterStyle.ITALIC.bit} | dict.fromkeys(_OFF, 0),
    "u": {"": LetterStyle.UNDERLINE.bit} | dict.fromkeys(_OFF, 0),
    "vertAlign": {"superscript": LetterStyle.SUPERSCRIPT.bit, "subscript": LetterStyle.SUBSCRIPT.bit},
}
"""The properties of letters that are styles, and the bits of their values; the empty value is any other."""

_PRINTED = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def word_lines(path: Path) -> Iterator[PacketLine]:
    """The lines of a Word document, places being its paragraphs; headers and footers are left out."""
    with translate_decoding_errors(
        f"{path} is not a sound Word document",
        "Open it in a word processor and save it again as .docx, or choose a smaller one.",
    ):
        body, styles, notes = _opened(path)
        yield from _Word(path, body, styles).lines()
        for _ in range(min(notes, MOST_PACKET_LINES)):
            yield PacketLine(StyledText.plain("A note."), 1, apart=True, aside=True)


_NOTES = re.compile(rb"<w:(?:comment|footnote|endnote)\s(?![^<>]*w:type=)")
"""A comment or a note in a Word document; those with a type are rules between text and notes."""


def _opened(path: Path) -> tuple[Element, dict[str | None, Element], int]:
    """The body of the Word document at ``path``, its styles, and how many comments and notes it has.

    It is looked over before anything is built.
    """
    with translate_unpacking_errors(), open_regular(path) as file, zipfile.ZipFile(file) as archive:
        check_zip(archive, LARGEST)
        members = archive.infolist()
        may_be_many = sum(member.file_size for member in members) > MOST_MARKS  # a tag is longer than a byte
        marks = notes = 0
        for member in members:
            raw = archive.read(member)
            _check_xml(raw)
            notes += len(_NOTES.findall(raw))
            if may_be_many:  # roughly what a parser would make
                marks += raw.count(b"<") + raw.count(b"=")
            if marks > MOST_MARKS:
                raise DecodingError(f"it has more than {MOST_MARKS:,} tags and attributes")

    import docx  # here, as it takes a quarter of a second

    try:
        document = docx.Document(str(path))
        body: Element | None = document.element.find(f"{_W}body")
        styles = {style.get(f"{_W}styleId"): style for style in document.styles.element.iter(f"{_W}style")}
    except OSError:
        raise
    except Exception as trouble:  # the library means well-formed documents, and has no word for others
        raise DecodingError(f"{type(trouble).__name__} while it was opened") from trouble
    if body is None:
        raise DecodingError("it has no text")
    return body, styles, notes


def _check_xml(raw: bytes) -> None:
    """Refuse XML of which a parser may make more than its tags; no word processor writes it."""
    if raw.startswith(_EBCDIC):
        raise DecodingError("it is written in an unusual encoding")
    if raw[:4].strip(b"\xef\xbb\xbf\xff\xfe\0 \r\n\t").startswith(b"<"):
        plain = raw.replace(b"\0", b"")  # of UTF-16
        if b"<!DOCTYPE" in plain:
            raise DecodingError("it declares a document type")
        declared = _ENCODING.search(plain, 0, 200)
        if declared is not None and declared[1].lower() not in _USUAL_ENCODINGS:
            raise DecodingError("it is written in an unusual encoding")


def _check_level(level: int) -> None:
    if level > DEEPEST_TEXT:
        raise DecodingError("tables or links are nested too deeply")


class _Word:
    """The lines of a Word document, from its XML: python-docx's paragraphs leave out what was inserted while
    changes were tracked, links, and content controls."""

    def __init__(self, path: Path, body: Element, styles: dict[str | None, Element]) -> None:
        self._path = path
        self._body = body
        self._styles = styles
        self._looks: dict[tuple[str, str], str | None] = {}  # what a style says of a property
        self._place = 0

    def lines(self) -> Iterator[PacketLine]:
        yield from self._of(self._body)

    def _of(self, parent: Element, level: int = 0) -> Iterator[PacketLine]:
        _check_level(level)
        for child in parent.iterchildren():
            if child.tag == f"{_W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                table = _Table()
                for row in child.iterchildren(f"{_W}tr"):
                    yield from table.row(
                        [[*self._of(cell, level + 1)] for cell in row.iterchildren(f"{_W}tc")]
                    )
            elif child.tag != f"{_W}sectPr":
                yield from self._of(child, level + 1)

    def _paragraph(self, paragraph: Element) -> Iterator[PacketLine]:
        self._place += 1
        _check_size(self._path, "paragraph", self._place, 0)
        properties = paragraph.find(f"{_W}pPr")
        style = self._named(properties, "pStyle")
        texts: list[str] = []
        codes: list[bytes] = []
        for run in self._runs(paragraph):
            own = run.find(f"{_W}rPr")
            if own is None or self._look(own, "vanish") in {None, *_OFF}:
                texts.append(self._text(run))
                codes.append(bytes((self._code(own, style),)) * len(texts[-1]))
        _check_size(self._path, "paragraph", self._place, sum(map(len, texts)))
        whole = StyledText("".join(texts), b"".join(codes))
        odd = count_odd(whole.text)
        whole = whole.cleaned()
        first = True
        for found in _PRINTED_LINE.finditer(whole.text):
            line = whole.cut(*found.span())
            if not any(line.codes):
                line = StyledText.tagged(without_marks(line.text.strip()))
            if line.text.strip():
                yield PacketLine(
                    StyledText(_SPACES.sub(" ", line.text), line.codes),
                    self._place,
                    first,
                    first and self._is_listed(properties),
                    odd if first else 0,
                )
                first = False

    def _runs(self, parent: Element, level: int = 0) -> Iterator[Element]:
        """The runs in a paragraph that are printed, those in links and insertions too."""
        _check_level(level)
        for child in parent.iterchildren():
            if child.tag == f"{_W}r":
                yield child
            elif child.tag not in (f"{_W}del", f"{_W}moveFrom", f"{_W}pPr"):
                yield from self._runs(child, level + 1)

    def _text(self, run: Element) -> str:
        return "".join(
            (child.text or "").replace("\n", " ") if child.tag == f"{_W}t" else _PRINTED.get(child.tag, "")
            for child in run.iterchildren()
        )

    def _code(self, own: Element | None, style: str) -> int:
        """The bits of the styles of a run with ``own`` properties in a paragraph with the ``style``."""
        code = 0
        named = self._named(own, "rStyle")
        for name, values in _LOOKS.items():
            said = None if own is None else self._look(own, name)
            if said is None:
                said = self._look_of_style(named, name)
            if said is None:
                said = self._look_of_style(style, name)
            if said is not None:
                code |= values.get(said, values.get("", 0))
        return code

    def _look_of_style(self, name: str, look: str) -> str | None:
        """What a style says of a property, itself or by what it is based on; None where nothing says it."""
        chain = []
        while (name, look) not in self._looks:
            chain.append((name, look))
            self._looks[name, look] = None  # should styles be based on each other in a circle
            style = self._styles.get(name)
            own = None if style is None else style.find(f"{_W}rPr")
            self._looks[name, look] = None if own is None else self._look(own, look)
            if style is None or self._looks[name, look] is not None:
                break
            name = self._named(style, "basedOn")
        found = self._looks[name, look]
        self._looks.update(dict.fromkeys(chain, found))
        return found

    def _look(self, properties: Element, name: str) -> str | None:
        """The value of a property, which is "1" where the property is there without one."""
        found = properties.find(f"{_W}{name}")
        return None if found is None else str(found.get(f"{_W}val", "1"))

    def _named(self, properties: Element | None, name: str) -> str:
        found = None if properties is None else properties.find(f"{_W}{name}")
        return "" if found is None else str(found.get(f"{_W}val", ""))

    def _is_listed(self, properties: Element | None) -> bool:
        numbered = None if properties is None else properties.find(f"{_W}numPr")
        if numbered is None:
            return False
        return self._named(numbered, "numId") not in {"", "0"} and self._named(numbered, "ilvl") in {"", "0"}


_WORD = re.compile(r"\w")


def _is_sentence(text: str) -> bool:
    """Whether ``text`` has at least two words and ends as a sentence does."""
    bare = text.rstrip("\"”’')]")
    word = _WORD.search(bare) if bare.endswith((".", "?", "!")) else None
    return word is not None and _SPACES.search(bare, word.end()) is not None


_HEADS = {
    **dict.fromkeys(("no", "number", "question", "tossup", "text", "question text", "tossup text", "id"), ""),
    **dict.fromkeys(("answer", "answers", "answer line", "answerline"), "ANSWER: "),
    **dict.fromkeys(("category", "subcategory", "subject"), "Category: "),
    **dict.fromkeys(("author", "writer", "written by"), "Author: "),
}
"""What the head of a column says of its cells, and how a packet without tables says it."""


def _head(line: PacketLine) -> str | None:
    return _HEADS.get(line.styled.text.strip(" .:#*").casefold())


class _Table:
    """A table, read row by row; its first row may say what the columns hold."""

    def __init__(self) -> None:
        self._heads: list[str] | None = None

    def row(self, cells: list[list[PacketLine]]) -> Iterator[PacketLine]:
        if self._heads is None:
            heads = [_head(cell[0]) if len(cell) == 1 else None if cell else "" for cell in cells]
            self._heads = [head or "" for head in heads] if "ANSWER: " in heads and None not in heads else []
            if len(cells) > 2 and self._heads:
                yield from (replace(line, aside=True) for cell in cells for line in cell)
                return
            self._heads = []
        labelled = []
        for at, cell in enumerate(cells):
            label = self._heads[at] if at < len(self._heads) else ""
            if label and cell and not (label == "ANSWER: " and ANSWER.match(cell[0].styled.text)):
                cell = [_beside(label, cell[0]), *cell[1:]]
            labelled.append(cell)
        if len(labelled) == 2 and all(labelled) and (said := _head(labelled[0][0])) is not None:
            bare = labelled[1]
            labelled = [[_beside(said, bare[0]), *bare[1:]]]
        yield from _row(cell for cell in labelled if cell)


def _row(cells: Iterable[list[PacketLine]]) -> Iterator[PacketLine]:
    """The lines of a table's row: a cell with a label goes before the next one, question and answer may stand
    beside each other; anything else is read cell by cell."""
    last: PacketLine | None = None  # of the cell before, or of those that were joined to one
    answered = False  # whether a line before it begins with the mark of an answer
    for cell in cells:
        lines = cell
        if last is not None:
            text, beside = last.styled.text.strip(), cell[0]
            if _LABEL.fullmatch(text):
                lines = [_beside(f"{text}. " if text.isdigit() else f"{text} ", beside), *cell[1:]]
            else:
                yield last
                answered = answered or any(ANSWER.match(line.styled.text) for line in (last, *cell))
                if not answered and (_is_sentence(text) or is_prose(text)):
                    lines = [_beside("ANSWER: ", beside), *cell[1:]]
                answered = False
        yield from lines[:-1]
        answered = answered or any(ANSWER.match(line.styled.text) for line in lines[:-1])
        last = lines[-1]
    if last is not None:
        yield last


def _beside(label: str, line: PacketLine) -> PacketLine:
    """``line`` after ``label``, as the beginning of a paragraph."""
    styled = StyledText(label + line.styled.text, bytes(len(label)) + line.styled.codes)
    return replace(line, styled=styled, apart=True)
