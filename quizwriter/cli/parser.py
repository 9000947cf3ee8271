"""The command line: the modules with commands, and the parser of all of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from quizwriter import __version__
from quizwriter.cli.commands import COMMANDS, Command, add_command
from quizwriter.cli.window import open_window

MODULES = (
    "playing", "past_questions", "typed_answers", "maintenance", "problems", "tossups", "stock", "packet",
    "transfer", "profile", "persons", "playtests", "buzzes", "experiment", "results", "challenge",
)  # fmt: skip
"""The modules that declare commands, in the order of the help."""

BUILDER_MODULES = ("training", "building")
"""Those that declare the commands that make bundles."""


def parser_of_all() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="quizwriter",
        description="Write quizbowl tossups while machine players play every draft.",
    )
    parser.add_argument(
        "--bundle",
        type=Path,
        metavar="DIR",
        help="use this bundle instead of the last one or the starter bundle",
    )
    parser.add_argument("--version", action="version", version=f"quizwriter {__version__}")
    parser.set_defaults(run=open_window, stopped="")
    parsers = parser.add_subparsers(metavar="COMMAND", title="commands (without a command, the window opens)")
    for command in _declared(*MODULES, *BUILDER_MODULES):
        add_command(parsers, command)
    return parser


def builder_parser() -> argparse.ArgumentParser:
    """The parser of the commands that make bundles, as ``python -m index_builder`` has them."""
    parser = argparse.ArgumentParser(
        prog="python -m index_builder", description="Build the bundles that QuizWriter loads."
    )
    parsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _declared(*BUILDER_MODULES):
        if command.builds:
            add_command(parsers, command)
    return parser


def _declared(*modules: str) -> Iterable[Command]:
    for module in modules:
        import_module(f"quizwriter.cli.{module}")
    return COMMANDS.values()
