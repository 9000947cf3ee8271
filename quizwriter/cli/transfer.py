"""The commands that give tossups to other writers and take theirs in.

What reads packs is imported where it is used: the window starts through this package, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from quizwriter.cli.options import Commands, add_filters, opened, queue_filter
from quizwriter.cli.output import cancelled_by_interrupt, print_json, print_lines, progress
from quizwriter.errors import QuizwriterError
from quizwriter.services import DamagedDatabaseError
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.wording import counted_noun


def add_commands(commands: Commands) -> None:
    """Add ``pack`` and ``merge``."""
    pack = commands.add("pack", _pack, "Write tossups into a file for another writer.", store=True, json=True)
    add_filters(pack)
    pack.add_argument("file", type=Path, metavar="FILE", help="the pack to write")
    pack.add_argument(
        "ids", nargs="*", metavar="ID", help="these tossups; without any, all that the filters let through"
    )

    merge = commands.add("merge", _merge, "Take in what other writers have packed.", store=True, json=True)
    merge.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a pack")


def _pack(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        wanted = queue_filter(app, arguments)
        keys: Iterable[str] | None = arguments.ids or None
        if wanted != QueueFilter():
            if keys is not None:
                raise QuizwriterError("Both ids and filters were given.", "Give one of them.")
            keys = app.queue.find(wanted, QueueSort())
        damaged: list[DamagedDatabaseError] = []
        with progress() as bars, cancelled_by_interrupt() as cancellation:
            count = app.transfer.pack(
                arguments.file, keys, bars.counter("Packing"), cancellation, damaged=damaged
            )
    left_out = [one.problem for one in damaged]
    if arguments.json:
        print_json({"file": str(arguments.file), "tossups": count, "left_out": left_out})
    else:
        print_lines(
            *(f"Left out: {problem}" for problem in left_out),
            f"{counted_noun(count, 'tossup')} packed into {arguments.file}. Each branch of a tossup counts.",
        )
    return 1 if damaged else 0


def _merge(arguments: argparse.Namespace) -> int:
    from quizwriter.services import merge_report_sentence, signatures_json

    with opened(arguments) as app, progress() as bars, cancelled_by_interrupt() as cancellation:
        merged = app.transfer.merge(arguments.files, bars.counter("Merging"), cancellation)
        names = {key: person.name for key, person in app.review.people().items()}
    if arguments.json:
        outcomes = {key: str(outcome) for key, outcome in merged.outcomes.items()}
        print_json(
            {
                "came": outcomes,
                "answered": merged.answered,
                "left_out": merged.left_out,
                "signatures": signatures_json(merged.signatures),
            }
        )
    else:
        print_lines(merge_report_sentence(merged, names))
    return 0
