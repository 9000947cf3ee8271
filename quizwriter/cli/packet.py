"""The command that prints tossups as a packet."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cli.commands import FILTERS, argument, command
from quizwriter.cli.options import opened, queue_filter
from quizwriter.cli.output import print_json, print_lines, progress
from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import written_formats
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.wording import counted_noun, listed, without_empty

if TYPE_CHECKING:
    from quizwriter.formats.printed_packet import PrintedPacket


@command(
    "packet",
    "Write tossups as a packet to print.",
    argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="these tossups, in this order; without any, all that the filters let through, by answer",
    ),
    argument("--out", type=Path, required=True, metavar="FILE", help="the file to write"),
    argument(
        "--format",
        choices=lambda: [one.id for one in written_formats()],
        help="Word, PDF, HTML, or JSON for MODAQ; unless given, by the ending of the file",
    ),
    *FILTERS,
    store=True,
    json=True,
)
def _packet(arguments: argparse.Namespace) -> int:
    path: Path = arguments.out
    formats = {one.id: one for one in written_formats()}
    by_ending = {one.endings[0]: one.id for one in formats.values()}
    kind = arguments.format or by_ending.get(path.suffix.casefold(), "")
    if not kind:
        raise QuizwriterError(
            f"The name {path.name} does not tell the kind of file.",
            f"Give --format {listed(list(formats), 'or')}.",
        )
    with opened(arguments) as app:
        wanted = queue_filter(app, arguments)
        if arguments.ids and wanted != QueueFilter():
            raise QuizwriterError("Both ids and filters were given.", "Give one of them.")
        keys = tuple(arguments.ids) or app.queue.find_tossups(wanted, QueueSort("answer", down=False))[0]
        with progress() as bars:
            packet = app.printing.packet(keys, bars.counter("Reading"))
        if formats[kind].paged:
            _write_pdf(packet, path)
        else:
            app.printing.write(path, kind, packet)
    count = len(packet.tossups)
    if arguments.json:
        print_json({"file": str(path), "format": kind, "tossups": count, "left_out": len(keys) - count})
    else:
        said = f"{counted_noun(count, 'tossup')} written to {path}."
        print_lines(f"{said}{without_empty(count, len(keys))}")
    return 0


def _write_pdf(packet: PrintedPacket, path: Path) -> None:
    """Write ``packet`` as PDF, for which Qt lays out the pages; on Linux no screen is needed."""
    if sys.platform.startswith("linux"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from quizwriter.gui.application import qt_application
    from quizwriter.gui.printing import write_pdf

    qt = qt_application()
    write_pdf(packet, path)
    del qt  # it had to live as long
