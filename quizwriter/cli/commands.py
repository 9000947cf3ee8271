"""The table of commands: each is declared once, by :func:`command` above the function that runs it.

The parser, ``--help``, the pages and ``python -m index_builder`` read :data:`COMMANDS`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from quizwriter.cli.options import day_argument, status_argument, text_argument, whole_number
from quizwriter.domain.server_address import MODEL_KEY_VARIABLE, SECRET_VARIABLES

Run = Callable[[argparse.Namespace], int]


class Argument(NamedTuple):
    """An argument of a command, as :mod:`argparse` takes it, under a heading of the help.

    The help may be a function, where it names what another table declares.
    """

    names: tuple[str, ...]
    options: dict[str, Any]
    group: str = ""


def argument(*names: str, group: str = "", **options: Any) -> Argument:  # noqa: ANN401 - argparse's own
    if options.get("action", "append") == "append" and options.get("metavar") not in {"FILE", "BACKUP"}:
        options.setdefault("type", text_argument)
    return Argument(names, options, group)


class Command(NamedTuple):
    """A command: its name, one sentence for the help, the function that takes what was parsed, its arguments.

    A name with a space is that of a command below one of :data:`ABOVE`. ``builds``: it makes bundles, so that
    ``python -m index_builder`` has it, too. ``stopped`` is printed after Ctrl-C.
    """

    name: str
    summary: str
    run: Run
    arguments: tuple[Argument, ...]
    builds: bool = False
    stopped: str = ""


COMMANDS: dict[str, Command] = {}
"""Every command by its name, in the order of the help."""

ABOVE = {"fetch": "Fetch public data."}
"""The summaries of commands that have commands below them."""


def command(
    name: str,
    summary: str,
    *arguments: Argument,
    json: bool = False,
    store: bool = False,
    new_store: bool = False,
    server: bool = False,
    model: bool = False,
) -> Callable[[Run], Run]:
    """Declare the decorated function as a command that plays with a bundle, or keeps tossups.

    ``json``, ``store``, ``server`` and ``model`` give it the options ``--json``, ``--store``, those of the
    Elasticsearch player, and those of the language model. With ``new_store`` instead, ``--store`` may name a
    database that is not there yet.
    """
    shared = (
        BUNDLE,
        *[JSON] * json,
        *[STORE] * store,
        *[NEW_STORE] * new_store,
        *SERVER * server,
        *MODEL * model,
    )

    def declare(run: Run) -> Run:
        COMMANDS[name] = Command(name, summary, run, (*shared, *arguments))
        return run

    return declare


def builder_command(name: str, summary: str, *arguments: Argument, stopped: str) -> Callable[[Run], Run]:
    """Declare the decorated function as a command that makes bundles."""

    def declare(run: Run) -> Run:
        COMMANDS[name] = Command(name, summary, run, arguments, builds=True, stopped=stopped)
        return run

    return declare


def add_command(parsers: argparse._SubParsersAction[argparse.ArgumentParser], command: Command) -> None:
    """Add the parser of ``command`` to ``parsers``; what it parses has ``run`` and ``stopped``."""
    above, _, name = command.name.rpartition(" ")
    if above:
        if above not in parsers.choices:
            parser = parsers.add_parser(above, help=ABOVE[above], description=ABOVE[above])
            parser.set_defaults(below=parser.add_subparsers(required=True, metavar="WHAT"))
        parsers = parsers.choices[above].get_default("below")
    parser = parsers.add_parser(name, help=command.summary, description=command.summary)
    parser.set_defaults(run=command.run, stopped=command.stopped)
    groups: dict[str, argparse._ArgumentGroup] = {}
    for one in command.arguments:
        if one.group and one.group not in groups:
            groups[one.group] = parser.add_argument_group(one.group, GROUPS.get(one.group))
        # a callable is asked now: what it lists may be declared after the command
        asked = {name: one.options[name] for name in ("help", "choices") if callable(one.options.get(name))}
        options = one.options | {name: ask() for name, ask in asked.items()}
        (groups[one.group] if one.group else parser).add_argument(*one.names, **options)


# A command's own --bundle is suppressed by default, or it would undo one given before the command.
BUNDLE = argument("--bundle", type=Path, metavar="DIR", default=argparse.SUPPRESS, help="use this bundle")
JSON = argument("--json", action="store_true", help="print JSON")
STORE = argument("--store", type=Path, metavar="FILE", help="use this database instead of your own")
NEW_STORE = argument(
    "--store",
    type=Path,
    metavar="FILE",
    dest="new_store",
    help="use this database instead of your own; if it is not there, it is made",
)

_SERVER, _MODEL, _WHICH = "the Elasticsearch player", "the language model", "which tossups"
GROUPS = {
    _SERVER: "It plays if you name a server. The program then sends the tossups to that server. Its API key "
    f"or password is read from {' or '.join(SECRET_VARIABLES.values())}, or from the keyring, where "
    "Preferences keeps it.",
    _MODEL: "It plays if you name a server. The program then sends the words of the tossups to that server, "
    "and keeps the answers in your database, so that no text is paid for twice. The budget is that of "
    f"Preferences. Its key is read from {MODEL_KEY_VARIABLE}, or from the keyring, where Preferences keeps "
    "it.",
}
"""The text under each heading of arguments in the help."""

SERVER = (
    argument(
        "--elasticsearch", metavar="URL", help="the server: https://search.example.org:9200", group=_SERVER
    ),
    argument("--index", metavar="NAME", help="the index on that server", group=_SERVER),
    argument(
        "--fields",
        metavar="TITLE,TEXT",
        help="the fields of any index by which the server ranks pages itself",
        group=_SERVER,
    ),
    argument("--ca", metavar="FILE", help="the certificate that the server is checked with", group=_SERVER),
    argument("--user", metavar="NAME", help="the user whose password it is", group=_SERVER),
)
MODEL = (
    argument("--endpoint", metavar="URL", help="the server: http://127.0.0.1:11434/v1", group=_MODEL),
    argument("--model", metavar="NAME", help="the model on that server", group=_MODEL),
)


def _repeated(name: str, **options: Any) -> Argument:  # noqa: ANN401 - argparse's own
    return argument(name, action="append", default=[], group=_WHICH, **options)


FILTERS = (
    argument(
        "--text", default="", metavar="WORDS", help="with these words in the answer or text", group=_WHICH
    ),
    _repeated("--in-set", metavar="NAME", help="of this set"),
    _repeated("--status", type=status_argument, metavar="STATUS", help="with this status"),
    _repeated("--category", metavar="A/B/C", help="of this category or a category below it"),
    _repeated("--author", metavar="NAME", help="by this author"),
    _repeated("--stumps", metavar="PLAYER", help="that stump this player"),
    argument("--min-words", type=whole_number(0), metavar="N", help="with N words or more", group=_WHICH),
    argument("--max-words", type=whole_number(0), metavar="N", help="with N words or fewer", group=_WHICH),
    argument("--since", type=day_argument, metavar="DATE", help="changed on this day or later", group=_WHICH),
    argument("--changed", action="store_true", help="edited after their status was set", group=_WHICH),
    argument("--commented", action="store_true", help="with open comments or suggestions", group=_WHICH),
)
"""The filters of the queue, which :func:`quizwriter.cli.options.queue_filter` reads."""
