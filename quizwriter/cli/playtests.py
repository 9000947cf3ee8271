"""The command on playtests: the page that is sent, and what comes back."""

from __future__ import annotations

import argparse
from pathlib import Path

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened, whole_number
from quizwriter.cli.output import print_json, print_lines
from quizwriter.domain.tossup_game import FORMATS
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.wording import counted_noun


@command(
    "playtest",
    "Write a page on which playtesters play tossups, or read their results.",
    argument("action", choices=("send", "receive"), help="what to do"),
    argument("file", type=Path, metavar="FILE", help="the page to write, or the results to read"),
    argument("--set", default="", metavar="NAME", help="send: the set whose tossups are played"),
    argument("--packet", default="", metavar="NAME", help="send: only this packet of the set"),
    argument("--control", default="", metavar="NAME", help="send: mix blind with tossups of this set"),
    argument("--each", type=whole_number(1, 100), default=60, metavar="N", help="blind: of each set (60)"),
    argument("--seed", type=whole_number(0, 2**31), default=1, metavar="N", help="blind: the seed (1)"),
    argument("--format", default="mACF", choices=tuple(FORMATS), help="send: what answers are worth"),
    argument("--dry-run", action="store_true", help="receive: only say what the results hold"),
    json=True,
    store=True,
)
def _playtest(arguments: argparse.Namespace) -> int:
    return _send(arguments) if arguments.action == "send" else _receive(arguments)


def _send(arguments: argparse.Namespace) -> int:
    if not arguments.set:
        raise QuizwriterError("The set is missing.", "Name it with --set.")
    with opened(arguments) as app:
        if arguments.control:
            from quizwriter.services.blind_draws import BlindDraws  # late: it brings the judge

            draws = BlindDraws(app.store, app.games)
            tossups = draws.draw(arguments.set, arguments.control, arguments.each, arguments.seed)
        else:
            tossups = app.games.tossups_of(arguments.set, arguments.packet)
        title = "" if arguments.control else ", ".join(filter(None, (arguments.set, arguments.packet)))
        size = app.playtests.send(arguments.file, tossups, FORMATS[arguments.format], title)
    if arguments.json:
        print_json({"tossups": len(tossups), "bytes": size})
    else:
        print_lines(f"{counted_noun(len(tossups), 'tossup')} written to {arguments.file} ({size:,} bytes).")
    return 0


def _receive(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        received = app.playtests.read(arguments.file)
        if not arguments.dry_run:
            app.playtests.keep(received)
    if arguments.json:
        print_json(
            {
                "name": received.name,
                "tossups": [key for key, _ in received.games],
                "remarks": len(received.remarks),
                "notes": list(received.notes),
            }
        )
    else:
        print_lines(received.sentence, *received.notes)
    return 0
