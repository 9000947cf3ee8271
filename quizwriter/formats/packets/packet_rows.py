"""The tossups of a packet as the rows of a question file, so that both become drafts in one way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quizwriter.formats.packets.grammar import WORD, read_packet
from quizwriter.formats.question_files import ReadReport

SUFFIXES = frozenset({WORD, ".txt", ".text"})
"""How the names of packets end; every other file is read as a question file."""


def packet_rows(path: Path, report: ReadReport) -> Iterator[dict[str, Any]]:
    """A row for each tossup of the packet at ``path``; ``report`` counts what could not be read.

    Bonuses are no tossups and are left out. What stands between angle brackets after an answer stays there:
    see :func:`quizwriter.formats.question_files.question_of`.

    Raises:
        QuizwriterError: the file cannot be read at all.
    """
    packet = read_packet(path)
    for tossup in packet.tossups:
        report.rows += 1
        tag = f" <{tossup.tag}>" if tossup.tag else ""
        yield {
            "text": tossup.text,
            "answer": f"{tossup.answer}{tag}",
            "packet": path.stem,
            "num": tossup.number or str(report.rows),
            "id": f"{path.stem} {tossup.number or report.rows}",
        }
    for unread in packet.unread:
        report.rows += 1
        report.reject(unread.reason)
    report.read = 1.0
