"""The commands that carry the user's profile, with the key that signs, to another computer."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened
from quizwriter.cli.output import print_lines
from quizwriter.errors import QuizwriterError

PASSPHRASE_VARIABLE = "QUIZWRITER_PASSPHRASE"
"""The environment variable with the passphrase, where nobody can be asked for it."""


@command(
    "profile",
    "Take your profile with its key to another computer.",
    argument(
        "action", choices=("export", "import", "key"), help="write the file, read it, or print the public key"
    ),
    argument("file", nargs="?", type=Path, metavar="FILE", help="the file of the profile"),
    store=True,
)
def _profile(arguments: argparse.Namespace) -> int:
    if arguments.file is None and arguments.action != "key":
        raise QuizwriterError("No file was named.", "Name the file of the profile.")
    with opened(arguments) as app:
        if arguments.action == "key":
            from quizwriter.challenge.release_signature import public_key_of

            print_lines(public_key_of(app.profile.identity.needed_key()))
        elif arguments.action == "export":
            app.profile.export(arguments.file, _passphrase(repeat=True))
            print_lines(f"The profile is in {arguments.file}. Keep the file and the passphrase apart.")
        else:
            me = app.profile.import_profile(arguments.file, _passphrase(repeat=False))
            print_lines(f"You write as {me.name} on this computer from now on.")
    return 0


def _passphrase(*, repeat: bool) -> str:
    """The passphrase from the environment or the keyboard."""
    given = os.environ.get(PASSPHRASE_VARIABLE)
    if given is not None:
        return given
    if sys.stdin is None or not sys.stdin.isatty():
        raise QuizwriterError(
            "No passphrase was given.", f"Set the environment variable {PASSPHRASE_VARIABLE}."
        )
    passphrase = getpass.getpass("Passphrase: ")
    if repeat and getpass.getpass("Passphrase once more: ") != passphrase:
        raise QuizwriterError("The two passphrases differ.", "Type the same passphrase twice.")
    return passphrase
