"""Every command of ``quizwriter``: the window, and the same work without it.

``parser`` puts the command line together, ``options`` has what several commands share, and ``output`` is the
only module here that prints. Every other module is one family of commands. A command asks the services; it
holds no rules of its own. Others import from this module only.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from quizwriter.cli.output import exit_status
from quizwriter.cli.window import open_window


def command_parser() -> ArgumentParser:
    """The parser of all commands. What it parses has ``run``, which takes it and returns the exit status."""
    from quizwriter.cli.parser import parser_of_all  # a tenth of what the window waits for when it starts

    return parser_of_all()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments``; the exit status, which is 1 after an error printed in two lines."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        return exit_status(lambda: open_window(Namespace(bundle=None)))
    return _run(command_parser(), given)


def builder_main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the commands that make bundles, as ``python -m index_builder``; the exit status."""
    from quizwriter.cli.parser import builder_parser

    return _run(builder_parser(), arguments)


def _run(parser: ArgumentParser, arguments: Sequence[str] | None) -> int:
    parsed = parser.parse_args(arguments)
    return exit_status(lambda: parsed.run(parsed), parsed.stopped)
