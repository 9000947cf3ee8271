"""The command on the sources of clues."""

from __future__ import annotations

import argparse
from pathlib import Path

from quizwriter.cli.commands import FILTERS, argument, command
from quizwriter.cli.options import opened, queue_filter
from quizwriter.cli.output import print_json, print_lines, print_text
from quizwriter.workflow.queue import QueueSort
from quizwriter.workflow.sources import sources_json
from quizwriter.workflow.wording import counted_noun


@command(
    "sources",
    "List where the clues of tossups come from.",
    argument("ids", nargs="*", metavar="ID", help="only of these tossups"),
    argument("--output", type=Path, metavar="FILE", help="write a table (.csv) or JSON (.json) to this file"),
    *FILTERS,
    store=True,
    json=True,
)
def _sources(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        keys = tuple(arguments.ids) or app.queue.find(
            queue_filter(app, arguments), QueueSort("answer", down=False)
        )
        if arguments.output is not None:
            count = app.sources.export(arguments.output, keys)
            print_lines(f"{counted_noun(count, 'source')} written to {arguments.output}.")
            return 0
        found = [one for one in app.sources.of(keys) if one.clues or one.based_on]
    if arguments.json:
        print_json(sources_json(found))
        return 0
    for one in found:
        print_text(one.answer_line or "No answer yet")
        if one.based_on:
            print_text(f"  Based on {one.based_on}")
        for clue in one.clues:
            gone = "" if clue.place is not None else " (no longer in the text)"
            print_text(f"  “{clue.clue}”{gone}: {clue.source}")
    print_lines(counted_noun(sum(len(one.clues) for one in found), "source"))
    return 0
