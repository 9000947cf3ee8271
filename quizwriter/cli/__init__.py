"""Every command of ``quizwriter``: the window, and the same work without it.

``parser`` puts the command line together, ``options`` has what several commands share, and ``output`` is the
only module here that prints. Every other module is one family of commands. A command asks the services; it
holds no rules of its own. Others import from this module only.
"""

from __future__ import annotations

from collections.abc import Sequence

from quizwriter.cli.output import exit_status
from quizwriter.cli.parser import command_parser as command_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments``; the exit status, which is 1 after an error printed in two lines."""
    parsed = command_parser().parse_args(arguments)
    return exit_status(lambda: parsed.run(parsed))
