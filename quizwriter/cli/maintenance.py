"""The commands about this installation: whether its data is sound, and how fast it is."""

from __future__ import annotations

import argparse

from quizwriter.cli.options import Commands, opened_to_play
from quizwriter.cli.output import print_json, print_lines, print_table, progress


def add_commands(commands: Commands) -> None:
    """Add ``bench`` and ``check``."""
    commands.add("bench", _bench, "Time the players, the window and the start.", json=True, server=True)
    commands.add("check", _check, "Check the bundle, the database, and that every history replays.")


def _bench(arguments: argparse.Namespace) -> int:
    from quizwriter.bench.engine import bench

    with opened_to_play(arguments) as app, progress() as bars:
        figures = bench(app, bars.show)
    if arguments.json:
        print_json(figures)
    else:
        print_table(("figure", "value"), [(name, str(value)) for name, value in figures.items()])
    return 0


def _check(arguments: argparse.Namespace) -> int:
    with opened_to_play(arguments) as app:
        engine = app.engines.load()
        print_lines(
            f"Bundle {engine.title}: every file is as it was built ({engine.digest}).",
            *map(str, engine.troubles),
        )
        report = app.tossups.check_database()
    print_lines(*report.damage)
    if not report.damage:
        replay = "1 history replays" if report.tossups == 1 else f"{report.tossups:,} histories replay"
        print_lines(f"Database {report.path}: sound; {replay}, both ways.")
    return 1 if report.damage or engine.troubles else 0
