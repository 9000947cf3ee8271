"""The lines of a packet, whatever file it is: their text, what of it is bold, and where paragraphs begin."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import UNPRINTABLE, clean

if TYPE_CHECKING:
    from docx.document import Document
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

LARGEST = 64 << 20
"""Bytes of a packet, unpacked; real ones have less than one million."""

# What answers and the parts of bonuses begin with, and what may stand alone in a table's cell.
ANSWER = re.compile(r"\s*(?:(?i:ANS(?:WERS?)?\s*[:.\uff1a])|ANSWER\b(?!\s*[a-z]))\s*")
VALUE = r"(?:5|10|15|20|30)\s*[ehm]?|[ehm]"
PART = re.compile(
    rf"\s*(?:\[\s*({VALUE}|\d+)\s*[\]\[)}}]|[({{]\s*({VALUE})\s*[)\]}}]|({VALUE})\])\s*", re.IGNORECASE
)
_LABEL = re.compile(rf"(?:{ANSWER.pattern}|{PART.pattern}|(?i:\d{{1,3}}\s*[.):]?|tb\s*[.):]))")


def is_prose(text: str) -> bool:
    """Whether ``text`` may be a question or a good part of one, not a heading."""
    return len(text) >= 60 and len(text.split()) >= 10


@dataclass(frozen=True, slots=True)
class StyledText:
    """A text, and for each of its characters ``b`` where it is bold and a space where it is not."""

    text: str
    bold: str

    def cut(self, start: int, end: int | None = None) -> StyledText:
        """The stretch from ``start`` to ``end``."""
        return StyledText(self.text[start:end], self.bold[start:end])

    def without(self, pattern: re.Pattern[str]) -> StyledText:
        """With all that matches ``pattern`` left out."""
        ends = [0, *(end for found in pattern.finditer(self.text) for end in found.span()), len(self.text)]
        kept = [slice(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
        return StyledText(
            "".join(map(self.text.__getitem__, kept)), "".join(map(self.bold.__getitem__, kept))
        )

    def stripped(self) -> StyledText:
        """Without the white space around it."""
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, start + len(self.text.strip()))


@dataclass(frozen=True, slots=True)
class PacketLine:
    """A line of a packet, not blank. ``apart``: a blank line or a new paragraph comes before it."""

    styled: StyledText
    place: int
    apart: bool
    listed: bool = False  # Word numbers it, so that no number is in the text


_SPACES = re.compile(r"\s")


def text_lines(path: Path) -> Iterator[PacketLine]:
    """The lines of a plain text.

    Raises:
        OSError: the file cannot be read.
        QuizwriterError: it is no text, or far too large.
    """
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
            yield PacketLine(StyledText(whole, " " * len(whole)), place, apart)
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

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def word_lines(path: Path) -> Iterator[PacketLine]:
    """The lines of a Word document, places being its paragraphs; headers and footers are left out.

    Raises:
        OSError: the file cannot be read.
        QuizwriterError: it is no sound Word document, or far too large.
    """
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


class _Word:
    """The lines of a Word document, from its XML: python-docx's paragraphs leave out what was inserted while
    changes were tracked, links, and content controls."""

    def __init__(self, document: Document) -> None:
        self._body = document.element.body
        self._styles = {
            style.get(f"{_W}styleId"): style for style in document.styles.element.iter(f"{_W}style")
        }
        self._bold_styles: dict[str, bool | None] = {}
        self._place = 0

    def lines(self) -> Iterator[PacketLine]:
        """The lines of the body."""
        yield from self._of(self._body)

    def _of(self, parent: Element) -> Iterator[PacketLine]:
        for child in parent.iterchildren():
            if child.tag == f"{_W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                for row in child.iterchildren(f"{_W}tr"):
                    cells = [list(self._of(cell)) for cell in row.iterchildren(f"{_W}tc")]
                    yield from _row([cell for cell in cells if cell])
            elif child.tag != f"{_W}sectPr":
                yield from self._of(child)

    def _paragraph(self, paragraph: Element) -> Iterator[PacketLine]:
        self._place += 1
        properties = paragraph.find(f"{_W}pPr")
        style = self._named(properties, "pStyle")
        texts, bolds = [], []
        for run in self._runs(paragraph):
            own = run.find(f"{_W}rPr")
            if own is None or not self._switched(own, "vanish"):
                texts.append(self._text(run))
                bolds.append(("b" if self._is_bold(own, style) else " ") * len(texts[-1]))
        whole = StyledText("".join(texts), "".join(bolds)).without(UNPRINTABLE)
        first = True
        for found in re.finditer(r"[^\n]+", whole.text):
            line = whole.cut(*found.span())
            if line.text.strip():
                yield PacketLine(
                    StyledText(_SPACES.sub(" ", line.text), line.bold),
                    self._place,
                    first,
                    first and self._is_listed(properties),
                )
                first = False

    def _runs(self, parent: Element) -> Iterator[Element]:
        """The runs in a paragraph that are printed, those in links and insertions too."""
        for child in parent.iterchildren():
            if child.tag == f"{_W}r":
                yield child
            elif child.tag not in (f"{_W}del", f"{_W}moveFrom", f"{_W}pPr"):
                yield from self._runs(child)

    def _text(self, run: Element) -> str:
        said = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
        names = {_W + name: text for name, text in said.items()}
        return "".join(
            (child.text or "").replace("\n", " ") if child.tag == f"{_W}t" else names.get(child.tag, "")
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
                own = style.find(f"{_W}rPr")
                bold = None if own is None else self._switched(own, "b")
                based = style.find(f"{_W}basedOn")
                if bold is None and based is not None:
                    bold = self._style_is_bold(based.get(f"{_W}val", ""))
                self._bold_styles[name] = bold
        return self._bold_styles[name]

    def _switched(self, properties: Element, name: str) -> bool | None:
        found = properties.find(f"{_W}{name}")
        return None if found is None else found.get(f"{_W}val", "1") not in {"0", "false", "off"}

    def _named(self, properties: Element | None, name: str) -> str:
        found = None if properties is None else properties.find(f"{_W}{name}")
        return "" if found is None else str(found.get(f"{_W}val", ""))

    def _is_listed(self, properties: Element | None) -> bool:
        numbered = None if properties is None else properties.find(f"{_W}numPr")
        if numbered is None:
            return False
        return self._named(numbered, "numId") not in {"", "0"} and self._named(numbered, "ilvl") in {"", "0"}


_SENTENCE = re.compile(r"\w.*\s.*[.?!][\"”’')\]]*$")


def _row(cells: list[list[PacketLine]]) -> Iterator[PacketLine]:
    """The lines of a table's row: a cell with a label goes before the next one, question and answer may stand
    beside each other; anything else is read cell by cell."""
    while len(cells) > 1:
        first, second, *others = cells
        text, beside = first[-1].styled.text.strip(), second[0]
        answered = any(ANSWER.match(line.styled.text) for line in (*first, *second))
        if _LABEL.fullmatch(text):
            label = StyledText(f"{text} ", " " * (len(text) + 1))
        elif not answered and (_SENTENCE.search(text) or is_prose(text)):
            yield from first
            first, label = [beside], StyledText("ANSWER: ", " " * 8)
        else:
            yield from first
            cells = [second, *others]
            continue
        whole = StyledText(label.text + beside.styled.text, label.bold + beside.styled.bold)
        joined = PacketLine(whole, beside.place, apart=True)
        cells = [[*first[:-1], joined, *second[1:]], *others]
    for cell in cells:
        yield from cell
