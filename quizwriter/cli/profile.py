"""The command of the user's profile: its name, and the file with its key for another computer."""

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

LONGEST_NAME = 200
"""Characters of a name or an address at most."""


@command(
    "profile",
    "Set your name and e-mail address, or take your profile with its key to another computer.",
    argument(
        "action",
        nargs="?",
        default="show",
        choices=("show", "export", "import", "key"),
        help="print name and address, write the file, read it, or print the public key",
    ),
    argument("file", nargs="?", type=Path, metavar="FILE", help="the file of the profile"),
    argument("--name", metavar="NAME", help="the name that others know you by"),
    argument("--email", metavar="ADDRESS", help="your e-mail address; empty for none"),
    store=True,
)
def _profile(arguments: argparse.Namespace) -> int:
    given = (arguments.name, arguments.email) != (None, None)
    if given and arguments.action != "show":
        raise QuizwriterError("--name and --email stand alone.", "Give the command without them.")
    if arguments.action == "show":
        with opened(arguments) as app:
            if given:
                me = app.profile.me
                name, email = (
                    known if new is None else " ".join(new.split())[:LONGEST_NAME]
                    for known, new in ((me.name, arguments.name), (me.email, arguments.email))
                )
                if not name:
                    raise QuizwriterError("Your profile has no name.", "Give one with --name.")
                app.profile.set_profile(name, email)
            me = app.profile.me
            print_lines(f"{me.name or 'No name yet'}{f' <{me.email}>' if me.email else ''}")
        return 0
    if arguments.file is None and arguments.action != "key":
        raise QuizwriterError("No file was named.", "Name the file of the profile.")
    with opened(arguments) as app:
        if arguments.action == "key":
            from quizwriter.challenge.release_signature import public_key_of

            print_lines(public_key_of(app.profile.identity.needed_key()))
        elif arguments.action == "export":
            app.profile.export(arguments.file, _passphrase(repeat=True))
            print_lines(
                f"The profile is in {arguments.file}. Keep the file and the passphrase in different places."
            )
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
