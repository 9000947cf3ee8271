"""The command line: all families of commands under one parser."""

from __future__ import annotations

import argparse

from quizwriter import __version__
from quizwriter.cli import (
    buzzes,
    challenge,
    experiment,
    maintenance,
    packet,
    past_questions,
    playing,
    problems,
    profile,
    sources,
    stock,
    tossups,
    transfer,
    typed_answers,
)
from quizwriter.cli.options import Commands, add_bundle
from quizwriter.cli.window import open_window


def parser_of_all() -> argparse.ArgumentParser:
    """The parser of all commands, with their options."""
    parser = argparse.ArgumentParser(
        prog="quizwriter",
        description="Write quizbowl tossups while machine players play every draft.",
    )
    add_bundle(parser, "use this bundle instead of the last one or the starter bundle", default=None)
    parser.add_argument("--version", action="version", version=f"quizwriter {__version__}")
    parser.set_defaults(run=open_window)
    commands = Commands(
        parser.add_subparsers(metavar="COMMAND", title="commands (without a command, the window opens)")
    )
    for family in (
        playing, past_questions, typed_answers, maintenance, problems, tossups, stock, sources, packet,
        transfer, profile, buzzes, experiment, challenge,
    ):  # fmt: skip
        family.add_commands(commands)
    return parser
