"""Packets in the layouts of the wild, made from questions, and what reading them back must give."""

from __future__ import annotations

import random
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

NUMBERED, UNNUMBERED, LISTED = "numbered", "unnumbered", "listed by Word"


@dataclass(frozen=True)
class Layout:
    """How a packet is typed."""

    name: str
    word: bool = True
    numbers: str = NUMBERED
    mark: bool = True  # power is marked (*)
    tight_mark: bool = False  # without spaces around it
    bold: bool = False  # power is bold
    split: bool = False  # Word's runs are split mid-word
    tags: bool = False
    answer: str = "ANSWER: "
    same_line: bool = False  # question and answer
    table: str = ""  # "sides": question beside answer; "labels": the label beside what it labels
    smart: bool = False
    notes: bool = False
    breaks: bool = False  # line breaks instead of paragraphs
    wrap: int = 0  # columns
    blank: bool = True  # a blank line between questions
    heads: bool = False  # running heads and page numbers
    newline: str = "\n"
    encoding: str = "utf-8"
    emphasis: bool = False  # _required_ and ~italics~
    bonuses: str = "[10]"  # how parts are marked; "inline": in the line of the leadin
    tracked: bool = False  # the last words are a tracked insertion, after a tracked deletion


LAYOUTS = [
    Layout("ACF", bold=True, tags=True, bonuses="[10e]"),
    Layout("runs split", bold=True, split=True, mark=False),
    Layout("unnumbered", numbers=UNNUMBERED, tags=True),
    Layout("Word's list", numbers=LISTED, bold=True),
    Layout("side by side", table="sides", bonuses=""),
    Layout("labels in a table", table="labels", tags=True),
    Layout("one line", same_line=True, answer="ANSWER:"),
    Layout("smart quotes", smart=True, bold=True, tight_mark=True),
    Layout("line breaks", breaks=True, answer="ANS. ", tags=True),
    Layout("tracked changes", tracked=True, notes=True, answer="Answer: "),
    Layout("inline parts", bonuses="inline", bold=True, mark=False, split=True, tags=True),
    Layout("text", word=False),
    Layout("text, wrapped", word=False, wrap=76, tags=True),
    Layout("text, wrapped, no blank lines", word=False, wrap=80, blank=False),
    Layout("text, unnumbered", word=False, numbers=UNNUMBERED, tight_mark=True),
    Layout("text, unnumbered, wrapped", word=False, numbers=UNNUMBERED, wrap=70, tags=True),
    Layout("text, unnumbered, no blank lines", word=False, numbers=UNNUMBERED, blank=False, bonuses=""),
    Layout("text, one line", word=False, same_line=True, answer="ANSWER: "),
    Layout("text, heads", word=False, wrap=90, heads=True, notes=True),
    Layout("text of Windows", word=False, newline="\r\n", encoding="cp1252", smart=True, answer="Answer:\t"),
    Layout("text of QEMS", word=False, emphasis=True, tags=True, bonuses="[10m]"),
]


@dataclass(frozen=True)
class Source:
    """A question to be printed."""

    text: str  # with (*), if it has power
    answer: str


@dataclass(frozen=True)
class Expected:
    """What a packet must be read as: tossups, and bonuses as lead-in and parts."""

    tossups: list[Source]
    bonuses: list[tuple[str, list[Source]]]


def smart(text: str) -> str:
    """``text`` with the quotes that Word puts in."""
    text = re.sub(r'(^|[\s(\[])"', "\\1“", text).replace('"', "”")
    return re.sub(r"(^|[\s(\[“])'", "\\1‘", text).replace("'", "’")


def make(
    path: Path, layout: Layout, tossups: list[Source], bonuses: list[tuple[str, list[Source]]], seed: int
) -> Expected:
    """Write a packet of these questions to ``path``, its suffix aside; what it must be read as."""
    maker = _Maker(layout, random.Random(seed))
    if layout.smart:
        tossups = [Source(smart(one.text), smart(one.answer)) for one in tossups]
        bonuses = [
            (smart(leadin), [Source(smart(part.text), smart(part.answer)) for part in parts])
            for leadin, parts in bonuses
        ]
    if not layout.bonuses:
        bonuses = []
    expected = [maker.tossup(number, one) for number, one in enumerate(tossups, start=1)]
    maker.bonus_section(bonuses)
    if layout.word:
        maker.document.save(str(path.with_suffix(".docx")))
    else:
        text = layout.newline.join(maker.lines) + layout.newline
        path.with_suffix(".txt").write_bytes(text.encode(layout.encoding, "ignore"))
    return Expected(expected, bonuses)


class _Maker:
    def __init__(self, layout: Layout, chance: random.Random) -> None:
        self.layout = layout
        self.chance = chance
        self.lines: list[str] = []
        self.document = docx.Document()
        self._page = 1
        title = ["Autumn Invitational 2031", "Packet by the Editors and Example University A", "Tossups"]
        if layout.word:
            self.document.sections[0].header.paragraphs[0].text = "Autumn Invitational"
            self.document.sections[0].footer.paragraphs[0].text = "Page 1 of 9"
            for line in title:
                self.document.add_paragraph().add_run(line).bold = True
        else:
            for line in title:
                self.lines += [line, ""]

    # -- tossups

    def tossup(self, number: int, asked: Source) -> Source:
        """Print a tossup; what it must be read as."""
        layout = self.layout
        text, answer = asked.text, asked.answer
        label = self._label(number)
        if layout.notes and number % 5 == 0:
            text = f"Note to moderator: Read this slowly. {text}"
        shown = text
        power = len(text.partition(" (*)")[0]) if "(*)" in text else 0
        if power and not layout.mark:
            shown = text.replace(" (*)", "", 1)
        elif layout.tight_mark:
            shown = shown.replace(" (*) ", "(*)", 1)
        tag = "<Editor - Literature, British>" if layout.tags else ""
        answered = f"{layout.answer}{self._emphasised(answer)}"
        if layout.emphasis:
            shown = re.sub(r"\b([A-Z]\w+ [A-Z]\w+)\b", r"~\1~", shown, count=1)
        if layout.word:
            self._word_tossup(label, shown, power if layout.bold else 0, answered, tag)
        else:
            self._text_block(f"{label}{shown}", answered, tag)
        return Source(text, answer)

    def _label(self, number: int) -> str:
        if self.layout.numbers != NUMBERED:
            return ""
        return "TB. " if number == 21 else f"{number}. "

    def _emphasised(self, answer: str) -> str:
        return re.sub(r"^(\w+)", r"_\1_", answer) if self.layout.emphasis else answer

    def _word_tossup(self, label: str, text: str, power: int, answered: str, tag: str) -> None:
        layout = self.layout
        if layout.table == "sides":
            cells = self._cells(2)
            self._write(cells[0].paragraphs[0], label + text)
            self._write_answer(cells[1].paragraphs[0], answered.removeprefix(layout.answer))
            return
        if layout.table == "labels":
            cells = self._cells(2)
            self._write(cells[0].paragraphs[0], label)
            self._write(cells[1].paragraphs[0], text)
            cells = self._cells(2)
            self._write(cells[0].paragraphs[0], layout.answer)
            self._write_answer(cells[1].paragraphs[0], answered.removeprefix(layout.answer))
            self.document.add_paragraph(tag)
            return
        paragraph = self.document.add_paragraph(style="List Number" if layout.numbers == LISTED else None)
        if layout.numbers == LISTED:
            self._list(paragraph)
        if label:
            paragraph.add_run(label)
        if power:
            self._write(paragraph, text[:power], bold=True)
            mark = " (*)" if layout.mark and not layout.tight_mark else ""
            self._write(paragraph, text[power : power + len(mark)], bold=self.chance.random() < 0.5)
            self._write(paragraph, text[power + len(mark) :])
        else:
            self._write(paragraph, text)
        if layout.same_line:
            paragraph.add_run(" ")
        elif layout.breaks:
            paragraph.add_run().add_break()
        else:
            paragraph = self.document.add_paragraph()
        self._write_answer(paragraph, answered)
        if tag and layout.breaks:
            paragraph.add_run().add_break()
            paragraph.add_run(tag)
        elif tag:
            self.document.add_paragraph(tag)
        if layout.blank:
            self.document.add_paragraph()

    def _cells(self, count: int):
        return self.document.add_table(rows=1, cols=count).rows[0].cells

    def _list(self, paragraph) -> None:
        properties = paragraph._p.get_or_add_pPr()
        numbered = properties.get_or_add_numPr()
        numbered.get_or_add_ilvl().val = 0
        numbered.get_or_add_numId().val = 1

    def _write(self, paragraph, text: str, *, bold: bool = False) -> None:
        pieces = [text]
        if self.layout.split:
            cuts = sorted(self.chance.sample(range(1, max(2, len(text))), min(12, max(0, len(text) - 1))))
            pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        for piece in pieces:
            run = paragraph.add_run(piece)
            run.bold = bold or None
            if self.layout.split and self.chance.random() < 0.3:
                run.italic = True
        if self.layout.tracked and len(text) > 60:
            last = paragraph.runs[-1]
            last.text, inserted = text[:-20], text[-20:]
            self._track(paragraph, "w:del", "w:delText", "words that were struck")
            self._track(paragraph, "w:ins", "w:t", inserted)

    def _track(self, paragraph, kind: str, inside: str, text: str) -> None:
        change, run, said = OxmlElement(kind), OxmlElement("w:r"), OxmlElement(inside)
        said.text = text
        said.set(qn("xml:space"), "preserve")
        run.append(said)
        change.append(run)
        paragraph._p.append(change)

    def _write_answer(self, paragraph, text: str) -> None:
        head, found, rest = text.partition(" [")
        run = paragraph.add_run(head)
        run.bold = run.underline = True
        paragraph.add_run(found + rest)

    def _text_block(self, text: str, answered: str, tag: str) -> None:
        layout = self.layout
        block = [f"{text} {answered}"] if layout.same_line else [text, answered]
        if layout.wrap:
            block = [line for one in block for line in textwrap.wrap(one, layout.wrap)]
        if layout.heads and self.chance.random() < 0.4:
            place = self.chance.randrange(1, len(block))
            head = ["", "Autumn Invitational 2031 - Packet 7 - " + f"Page {self._page}", ""]
            self._page += 1
            block[place:place] = head
        self.lines += block
        if tag:
            self.lines.append(tag)
        if layout.blank:
            self.lines.append("")

    # -- bonuses

    def bonus_section(self, bonuses: list[tuple[str, list[Source]]]) -> None:
        """Print the bonuses."""
        if not bonuses:
            return
        self._line("Bonuses")
        for number, (leadin, parts) in enumerate(bonuses, start=1):
            label = f"{number}. " if self.layout.numbers != UNNUMBERED else ""
            opening = f"{label}{leadin}"
            for part in parts:
                mark = "[10]" if self.layout.bonuses == "inline" else self.layout.bonuses
                if self.layout.bonuses == "inline" and part is parts[0]:
                    opening = f"{opening} {mark} {part.text}"
                    self._line(opening)
                else:
                    if part is parts[0]:
                        self._line(opening)
                    self._line(f"{mark} {part.text}")
                self._line(f"ANSWER: {part.answer}")
            if self.layout.tags:
                self._line("<Science - Biology>")
            if self.layout.blank:
                self._line("")

    def _line(self, text: str) -> None:
        if self.layout.word:
            self.document.add_paragraph(text)
        else:
            self.lines += textwrap.wrap(text, self.layout.wrap) if self.layout.wrap and text else [text]
