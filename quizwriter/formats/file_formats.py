"""The formats of question files and packets, each declared once: its endings, what it holds, who reads it.

The dialogs, dropped files, commands, folders of experiments and ``index_builder`` all ask :data:`FORMATS`.
Readers and writers are imported where they are used: a start needs only the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from quizwriter.errors import QuizwriterError, translate_reading_errors

if TYPE_CHECKING:
    from quizwriter.formats.packets.packet_questions import Packet
    from quizwriter.formats.printed_packet import PrintedPacket
    from quizwriter.formats.question_files import ReadReport


class Holds(StrEnum):
    """What a file of a format holds for us."""

    PACKET = "packet"  # the tossups and bonuses of a round
    QUESTIONS = "questions"  # a row for each question
    GAMES = "games"  # what people answered, where and when
    TOSSUPS = "tossups"  # a pack: tossups with their histories
    DOCUMENT = "document"  # a text that nothing here reads
    ARCHIVE = "archive"


class FileFormat(msgspec.Struct, frozen=True):
    """What is declared of a format.

    The name of a file ends with one of ``endings``; the first one is that of files we write. Where other
    formats have the same endings, ``fits`` looks into the file. A format that holds a packet has ``read``. A
    format in which packets are exported has ``write``, or is ``paged``: then Qt lays out its pages. ``kind``
    names its files in a dialog, and ``tip`` explains the export. ``advice`` says what to do with a file that
    is not read.
    """

    id: str
    title: str
    endings: tuple[str, ...]
    holds: Holds
    kind: str = ""
    tip: str = ""
    fits: Callable[[Path], bool] | None = None
    read: Callable[[Path], Packet] | None = None
    write: Callable[[PrintedPacket, BinaryIO], None] | None = None
    paged: bool = False
    compressed: bool = False  # whether a file may be compressed, which one more ending says
    advice: str = ""

    @property
    def is_written(self) -> bool:
        return self.paged or self.write is not None

    @property
    def filter(self) -> str:
        """The files of the format, as dialogs for files name them."""
        return f"{self.kind} (*{self.endings[0]})"

    def has(self, path: Path) -> bool:
        name = path.name.casefold()
        if self.compressed and name.endswith(COMPRESSED):
            name = name.rpartition(".")[0]
        return name.endswith(self.endings) and (self.fits is None or self.fits(path))


COMPRESSED = (".gz", ".xz", ".bz2")
"""How the names of compressed files end."""


def _of(function: str) -> Callable[..., Any]:
    """The ``function`` "module:name" of the formats, imported where it is first called."""
    return lambda *given: resolve_name(f"quizwriter.formats.{function}")(*given)


_READ_TEXT = _of("packets.grammar:read_text")

FORMATS: dict[str, FileFormat] = {
    one.id: one
    for one in (
        FileFormat(
            "docx", "Word document", (".docx",), Holds.PACKET,
            kind="Word documents", tip="Write this tossup as a packet in a Word file, in the style of ACF.",
            read=_of("packets.grammar:read_word"), write=_of("packet_files:write_word"),
        ),
        FileFormat("text", "plain text", (".txt", ".text"), Holds.PACKET, read=_READ_TEXT),
        FileFormat(
            "pdf", "PDF", (".pdf",), Holds.DOCUMENT, kind="PDF", paged=True,
            tip="Write this tossup as a page that looks the same everywhere.",
            advice="a PDF; save the packet as .docx or as plain text",
        ),
        FileFormat(
            "html", "HTML", (".html", ".htm"), Holds.DOCUMENT,
            kind="HTML", tip="Write this tossup as a page for browsers.",
            write=_of("packet_files:write_html"),
        ),
        FileFormat(
            "modaq", "MODAQ packet", (".json",), Holds.PACKET,
            kind="MODAQ packets",
            tip="Write this tossup as a packet for MODAQ, the program for moderators.",
            fits=_of("packets.modaq:is_modaq"), read=_of("packets.modaq:read_modaq"),
            write=_of("packet_files:write_modaq"),
        ),
        FileFormat("json", "question file", (".json", ".jsonl"), Holds.QUESTIONS, compressed=True),
        FileFormat("qbj", "games", (".qbj",), Holds.GAMES),
        FileFormat("buzz table", "table of buzzes", ("buzzes.csv", ".buzz.csv"), Holds.GAMES),
        FileFormat("pack", "pack", (".qwpack",), Holds.TOSSUPS, kind="Packs of QuizWriter"),
        FileFormat(
            "doc", "old Word document", (".doc",), Holds.DOCUMENT,
            advice="an old Word document; save it as .docx",
        ),
        FileFormat(
            "odt", "OpenDocument text", (".odt",), Holds.DOCUMENT,
            advice="an OpenDocument text; save it as .docx",
        ),
        FileFormat("rtf", "rich text", (".rtf",), Holds.DOCUMENT, advice="rich text; save it as .docx"),
        FileFormat("pages", "Pages document", (".pages",), Holds.DOCUMENT),
        FileFormat("zip", "archive", (".zip",), Holds.ARCHIVE, advice="an archive; unpack it first"),
    )
}  # fmt: skip
"""Every format by its id; of several that a file fits, the first one counts."""

READ = (Holds.PACKET, Holds.QUESTIONS)
"""What drafts are made of."""


def format_of(path: Path) -> FileFormat | None:
    """The format of the file at ``path``; None if its name says none."""
    return next((one for one in FORMATS.values() if one.has(path)), None)


def endings(holds: Collection[Holds]) -> tuple[str, ...]:
    """The endings of the formats that hold one of these, without those of compressed files."""
    found = (ending for one in FORMATS.values() if one.holds in holds for ending in one.endings)
    return tuple(dict.fromkeys(found))


def unread_sentence(paths: Sequence[Path]) -> str:
    """That nothing can be done with ``paths``, and what helps with the first."""
    from quizwriter.formats.question_files import one_line

    found, name = format_of(paths[0]), one_line(paths[0].name)[:80]
    said = "cannot be read. QuizWriter reads question files, packets, packs and challenge sets"
    folder = False
    with suppress(OSError):  # its path may be longer than any path of a file
        folder = paths[0].is_dir()
    if folder:
        said = "is a folder and no challenge set. Drop the files in it instead"
    elif found is not None and found.advice:
        said = f"is {found.advice}"
    more = f" {len(paths) - 1} more cannot be read." if len(paths) > 1 else ""
    return f"{name} {said}.{more}"


def import_filter(title: str) -> str:
    """The files of which drafts can be made, as dialogs for files name them."""
    return f"{title} (*{' *'.join((*endings(READ), *COMPRESSED))});;All files (*)"


def importable() -> str:
    """The formats of which drafts can be made, as a sentence lists them."""
    *others, last = (
        f"{one.title} ({', '.join(one.endings)})" for one in FORMATS.values() if one.holds in READ
    )
    return f"{', '.join(others)} or {last}"


def written_formats() -> tuple[FileFormat, ...]:
    return tuple(one for one in FORMATS.values() if one.is_written)


# -- packets and question files


def read_packet(path: Path) -> Packet:
    """The questions of a packet, in their order; what no format is named for is read as plain text."""
    found = format_of(path)
    read = found.read if found is not None and found.read is not None else _READ_TEXT
    with translate_reading_errors(path):
        packet = read(path)
    from quizwriter.formats.packets.packet_questions import take_tags

    take_tags(packet)
    return packet


def question_rows(path: Path, report: ReadReport) -> Iterator[dict[str, Any]]:
    """The questions of a question file or of a packet, as rows; ``report`` counts what could not be read."""
    from quizwriter.formats.buzz_files import is_qbj
    from quizwriter.formats.question_files import begins_as_json, rows

    found = format_of(path)
    holds = None if found is None else found.holds
    if FORMATS["qbj"].has(path) or (holds is Holds.QUESTIONS and is_qbj(path)):
        raise QuizwriterError(
            f"{path} is QBJ, of which no drafts are made.",
            "Import its games as people's buzzes (in the menu Review, Sets); save questions in a format that "
            f"can be imported: {importable()}.",
        )
    if holds is Holds.DOCUMENT or (holds not in READ and not begins_as_json(path)):
        raise QuizwriterError(
            f"{path} is not a question file or packet that QuizWriter can read.",
            f"Save it in a format that can be imported: {importable()}.",
        )
    return packet_rows(path, report) if holds is Holds.PACKET else rows(path, report)


def packet_rows(path: Path, report: ReadReport) -> Iterator[dict[str, Any]]:
    """A row for each tossup of the packet at ``path``; ``report`` counts what could not be read.

    Bonuses and headings are no tossups; they are counted and left out. What stands between angle brackets
    after an answer stays there: see :func:`quizwriter.formats.question_files.question_of`.
    """
    from quizwriter.formats.packet_tags import LONGEST_TAG
    from quizwriter.formats.question_files import PRINTED, PrintedDetails

    packet = read_packet(path)
    used: set[str] = set()
    for tossup in packet.tossups:
        report.rows += 1
        name = f"{path.stem} {tossup.number or report.rows}"
        if name in used:  # a file with several packets, each of which begins with 1
            name = f"{name}, the tossup {report.rows} of the file"
        used.add(name)
        report.long_tags += len(tossup.tag) > LONGEST_TAG
        tag = f" <{tossup.tag}>" if 0 < len(tossup.tag) <= LONGEST_TAG else ""
        yield {
            "text": tossup.text,
            "answer": f"{tossup.answer}{tag}",
            "packet": path.stem,
            "num": tossup.number or str(report.rows),
            "id": name,
            PRINTED: PrintedDetails(tossup.styles, tossup.answer_styles, tossup.based_on),
        }
    for unread in packet.unread:
        report.rows += 1
        report.reject(unread.reason, unread.opening)
    report.rows += len(packet.bonuses)
    report.bonuses += len(packet.bonuses)
    report.headings += packet.headings
    report.odd += packet.odd
    report.read = 1.0
