"""The tossups of packets and of question files as rows, so that both become drafts in one way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quizwriter.errors import QuizwriterError
from quizwriter.formats.packet_tags import LONGEST_TAG
from quizwriter.formats.packets.grammar import WORD, read_packet
from quizwriter.formats.packets.modaq import is_modaq
from quizwriter.formats.question_files import PRINTED, PrintedDetails, ReadReport, rows

SUFFIXES = frozenset({WORD, ".txt", ".text"})
"""How the names of packets end; other files are question files, and JSON may be either."""

_DOCUMENTS = frozenset({".pdf", ".doc", ".odt", ".rtf", ".html", ".htm", ".pages"})


def question_rows(path: Path, report: ReadReport) -> Iterator[dict[str, Any]]:
    """The questions of a question file or of a packet, as rows; ``report`` counts what could not be read."""
    if path.suffix.casefold() in _DOCUMENTS:
        raise QuizwriterError(
            f"{path} is no question file and no packet that QuizWriter reads.",
            "Save it as a Word document (.docx) or as plain text (.txt).",
        )
    packet = path.suffix.casefold() in SUFFIXES or is_modaq(path)
    return packet_rows(path, report) if packet else rows(path, report)


def packet_rows(path: Path, report: ReadReport) -> Iterator[dict[str, Any]]:
    """A row for each tossup of the packet at ``path``; ``report`` counts what could not be read.

    Bonuses are no tossups and are left out. What stands between angle brackets after an answer stays there:
    see :func:`quizwriter.formats.question_files.question_of`.
    """
    packet = read_packet(path)
    used: set[str] = set()
    for tossup in packet.tossups:
        report.rows += 1
        name = f"{path.stem} {tossup.number or report.rows}"
        if name in used:  # a file with several packets, each of which begins with 1
            name = f"{name}, the tossup {report.rows} of the file"
        used.add(name)
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
        report.reject(unread.reason)
    report.read = 1.0
