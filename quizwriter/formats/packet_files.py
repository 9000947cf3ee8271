"""Printed packets as files: HTML, Word documents, and the JSON that MODAQ and YAPP read."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from quizwriter.domain.styles import LetterStyle, TextStyles, styles_of_code
from quizwriter.formats.printed_packet import PrintedPacket, PrintedRun, PrintedTossup, plain_text
from quizwriter.formats.styled_html import styled_markup

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph

FONT = "Times New Roman"
SIZE_PT = 10
GAP_PT = 12
"""Between two tossups."""

ASIDE = "595959"
"""The grey of pronunciation guides; contrast on white 7.0."""

_MODAQ_TAGS = {
    LetterStyle.BOLD: "b",
    LetterStyle.UNDERLINE: "u",
    LetterStyle.ITALIC: "em",
    LetterStyle.SUPERSCRIPT: "sup",
    LetterStyle.SUBSCRIPT: "sub",
}
_LIKE_TAG = re.compile(r"<(?=/?(?:b|u|i|em|strong|req|sub|sup)>)", re.IGNORECASE)


def packet_html(packet: PrintedPacket) -> str:
    """``packet`` as a document in HTML without anything from elsewhere, for other programs and browsers."""
    body = [title_html(packet.title)] if packet.title else []
    body += [tossup_html(one, GAP_PT if at or packet.title else 0) for at, one in enumerate(packet.tossups)]
    return (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8">'
        f"<title>{html.escape(packet.title or 'Packet')}</title></head>\n"
        f"<body style=\"font-family:'{FONT}',Times,serif; font-size:{SIZE_PT}pt; color:#000000\">\n"
        f"<!--StartFragment-->{chr(10).join(body)}<!--EndFragment-->\n</body></html>\n"
    )


def title_html(title: str) -> str:
    """The heading of a packet as a paragraph."""
    return _paragraph(f"<b>{html.escape(title)}</b>", size=SIZE_PT + 3)


def tossup_html(one: PrintedTossup, gap: int = 0) -> str:
    """A tossup as paragraphs, with a ``gap`` in points above it."""
    below = (f"ANSWER: {_html_runs(one.answer)}", *(html.escape(note, quote=False) for note in one.notes))
    question = _paragraph(html.escape(one.lead) + _html_runs(one.question), gap)
    return "\n".join([question, *map(_paragraph, below)])


def _paragraph(markup: str, gap: int = 0, size: int = SIZE_PT) -> str:
    # each margin by itself: Qt, which prints it, knows no other
    looks = f"margin-top:{gap * 4 // 3}px; margin-bottom:0px; margin-left:0px; margin-right:0px"
    font = f"font-family:'{FONT}',Times,serif; font-size:{size}pt"
    return f'<p style="{looks}; {font}">{markup}</p>'


def _html_runs(runs: Sequence[PrintedRun]) -> str:
    parts = []
    for run in runs:
        markup = styled_markup(run.text, TextStyles.of_codes(bytes((run.code,)) * len(run.text)))
        parts.append(f'<span style="color:#{ASIDE}">{markup}</span>' if run.aside else markup)
    return "".join(parts)


def packet_modaq(packet: PrintedPacket) -> dict[str, Any]:
    """``packet`` as the object of a packet file of MODAQ, with the plain texts that YAPP adds.

    Required words are between ``<b><u>``, as in the packets of other programs. MODAQ reads entities first and
    tags then: an ``&`` that would begin an entity is escaped, and behind a ``<`` that would begin one of its
    tags stands a tag that changes nothing, so that it begins none.

    Source:
        MODAQ, src/state/IPacket.ts and src/parser/FormattedTextParser.ts; YetAnotherPacketParser, the option
        "modaq".
    """
    found: dict[str, Any] = {"name": packet.title} if packet.title else {}
    found["tossups"] = [_modaq_tossup(place, one) for place, one in enumerate(packet.tossups, start=1)]
    return found


def _modaq_tossup(place: int, one: PrintedTossup) -> dict[str, Any]:
    based_on = f"based on {one.based_on.rstrip('.')}" if one.based_on else ""
    metadata = "; ".join(filter(None, (one.tag, based_on)))
    row: dict[str, Any] = {
        "number": one.number or place,
        "question": _modaq_runs(one.question),
        "answer": _modaq_runs(one.answer),
        "question_sanitized": plain_text(one.question),
        "answer_sanitized": plain_text(one.answer),
    }
    return {**row, "metadata": _escaped(metadata)} if metadata else row


def _escaped(text: str) -> str:
    """``text`` as MODAQ reads it back, which decodes even ``&copy`` without its semicolon."""
    return text if html.unescape(text) == text else text.replace("&", "&amp;")


def _modaq_runs(runs: Sequence[PrintedRun]) -> str:
    parts = []
    for run in runs:
        tags = [_MODAQ_TAGS[style] for style in styles_of_code(run.code)]
        tags.sort(key=["b", "u", "em", "sup", "sub"].index)
        parts += [f"<{tag}>" for tag in tags]
        idle = "<em>" if "em" in tags else "</em>"
        parts.append(_LIKE_TAG.sub(f"<{idle}", run.text.replace("\n", " ")))
        parts += [f"</{tag}>" for tag in reversed(tags)]
    return _escaped("".join(parts))


def write_html(packet: PrintedPacket, file: BinaryIO) -> None:
    file.write(packet_html(packet).encode())


def write_modaq(packet: PrintedPacket, file: BinaryIO) -> None:
    file.write(f"{json.dumps(packet_modaq(packet), ensure_ascii=False, indent=1)}\n".encode())


def write_word(packet: PrintedPacket, file: BinaryIO) -> None:
    """Write ``packet`` to ``file`` as a Word document: Letter, inch margins, Times New Roman of 10 pt."""
    from docx import Document  # late: not needed at start
    from docx.oxml.ns import qn
    from docx.shared import Inches, Pt

    document = Document()
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = FONT, Pt(SIZE_PT)
    fonts = normal.element.get_or_add_rPr().get_or_add_rFonts()
    for script in ("w:eastAsia", "w:cs"):
        fonts.set(qn(script), FONT)
    normal.paragraph_format.space_after = Pt(0)
    for section in document.sections:
        section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Inches(1)
    about = document.core_properties
    about.author, about.comments, about.title = "", "", packet.title[:255]
    if packet.title:
        title = document.add_paragraph().add_run(packet.title)
        title.bold, title.font.size = True, Pt(SIZE_PT + 3)
    for place, one in enumerate(packet.tossups):
        question = document.add_paragraph(one.lead)
        question.paragraph_format.space_before = Pt(GAP_PT if place or packet.title else 0)
        _add_runs(question, one.question)
        answer = document.add_paragraph("ANSWER: ")
        _add_runs(answer, one.answer)
        below = [document.add_paragraph(note) for note in one.notes]
        for paragraph in (question, answer, *below):
            paragraph.paragraph_format.keep_together = True
        for paragraph in (question, answer, *below)[:-1]:
            paragraph.paragraph_format.keep_with_next = True
    document.save(file)


def _add_runs(paragraph: Paragraph, runs: Sequence[PrintedRun]) -> None:
    from docx.shared import RGBColor

    for run in runs:
        made, styles = paragraph.add_run(run.text), styles_of_code(run.code)
        made.bold = True if LetterStyle.BOLD in styles else None
        made.italic = True if LetterStyle.ITALIC in styles else None
        made.underline = True if LetterStyle.UNDERLINE in styles else None
        if LetterStyle.SUPERSCRIPT in styles:
            made.font.superscript = True
        if LetterStyle.SUBSCRIPT in styles:
            made.font.subscript = True
        if run.aside:
            made.font.color.rgb = RGBColor.from_string(ASIDE)
