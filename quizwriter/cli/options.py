"""What several commands share: their options, the types of their arguments, and how they open the program."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from quizwriter.cli.output import print_trouble
from quizwriter.domain.review import Status
from quizwriter.domain.server_address import MODEL_KEY_VARIABLE, SECRET_VARIABLES
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings

if TYPE_CHECKING:
    from quizwriter.workflow.queue import QueueFilter

Subparsers = argparse._SubParsersAction  # noqa: SLF001 - argparse has no public name for it


class Commands:
    """The commands of the program. Each family of commands adds its own."""

    def __init__(self, subparsers: Subparsers[argparse.ArgumentParser]) -> None:
        self._subparsers = subparsers

    def add(
        self,
        name: str,
        run: Callable[[argparse.Namespace], int],
        summary: str,
        *,
        json: bool = False,
        store: bool = False,
        server: bool = False,
        model: bool = False,
    ) -> argparse.ArgumentParser:
        """A new command, which ``run`` runs; its parser, for more arguments.

        ``json``, ``store``, ``server`` and ``model`` give it the options ``--json``, ``--store``, those of
        the Elasticsearch player, and those of the language model.
        """
        command = self._subparsers.add_parser(name, help=summary, description=summary)
        command.set_defaults(run=run)
        add_bundle(command, "use this bundle", default=argparse.SUPPRESS)
        if json:
            command.add_argument("--json", action="store_true", help="print JSON")
        if store:
            command.add_argument(
                "--store", type=Path, metavar="FILE", help="use this database instead of your own"
            )
        if server:
            _add_server(command)
        if model:
            _add_model(command)
        return command


def add_bundle(parser: argparse.ArgumentParser, text: str, *, default: str | None) -> None:
    """Add ``--bundle``. A command's own is suppressed by default, or it would undo one given before it."""
    parser.add_argument("--bundle", type=Path, metavar="DIR", default=default, help=text)


def _add_server(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "the Elasticsearch player",
        "It plays if you name a server. The program then sends the tossups to that server. Its API key or "
        f"password is read from {' or '.join(SECRET_VARIABLES.values())}, or from the keyring, where "
        "Preferences keeps it.",
    )
    group.add_argument("--elasticsearch", metavar="URL", help="the server: https://search.example.org:9200")
    group.add_argument("--index", metavar="NAME", help="the index on that server")
    group.add_argument("--ca", metavar="FILE", help="the certificate that the server is checked with")
    group.add_argument("--user", metavar="NAME", help="the user whose password it is")


def _add_model(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "the language model",
        "It plays if you name a server. The program then sends the words of the tossups to that server, and "
        "keeps the answers in your database, so that no text is paid for twice. The budget is that of "
        f"Preferences. Its key is read from {MODEL_KEY_VARIABLE}, or from the keyring, where Preferences "
        "keeps it.",
    )
    group.add_argument("--endpoint", metavar="URL", help="the server: http://127.0.0.1:11434/v1")
    group.add_argument("--model", metavar="NAME", help="the model on that server")


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the filters of the queue, which :func:`queue_filter` reads."""
    group = parser.add_argument_group("which tossups")
    repeated: dict[str, Any] = {"action": "append", "default": []}
    group.add_argument("--text", default="", metavar="WORDS", help="with these words in the answer or text")
    group.add_argument("--in-set", **repeated, metavar="NAME", help="of this set")
    group.add_argument(
        "--status", **repeated, type=status_argument, metavar="STATUS", help="with this status"
    )
    group.add_argument(
        "--category", **repeated, metavar="A/B/C", help="of this category or a category below it"
    )
    group.add_argument("--author", **repeated, metavar="NAME", help="by this author")
    group.add_argument("--stumps", **repeated, metavar="PLAYER", help="that stump this player")
    group.add_argument("--min-words", type=int, metavar="N", help="with N words or more")
    group.add_argument("--max-words", type=int, metavar="N", help="with N words or fewer")
    group.add_argument("--since", type=_date, metavar="DATE", help="changed on this day or later")
    group.add_argument("--changed", action="store_true", help="edited after their status was set")
    group.add_argument("--commented", action="store_true", help="with open comments or suggestions")


def queue_filter(app: App, arguments: argparse.Namespace) -> QueueFilter:
    """The filter that the options of :func:`add_filters` describe."""
    from quizwriter.workflow.queue import QueueFilter  # here, as the window does not start with it

    return QueueFilter(
        text=arguments.text,
        sets=tuple(arguments.in_set),
        statuses=tuple(arguments.status),
        categories=tuple(tuple(path.split("/")) for path in arguments.category),
        authors=tuple(key for name in arguments.author for key in app.review.find_people(name)),
        stumps=tuple(arguments.stumps),
        least_words=arguments.min_words,
        most_words=arguments.max_words,
        changed_after_ms=arguments.since,
        changed=arguments.changed,
        commented=arguments.commented,
    )


def status_argument(text: str) -> Status:
    """The status that an argument names.

    Raises:
        argparse.ArgumentTypeError: no status has this name.
    """
    try:
        return Status(text.strip().lower().replace("-", " "))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(Status)}") from None


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an argument that is a number from ``least`` to ``most``."""
    wanted = f"must be a whole number from {least}" + (f" to {most}" if most is not None else "")

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(wanted) from None
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(wanted)
        return value

    return number


def _date(text: str) -> int:
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError("must be a date like 2031-10-04") from None


def opened(arguments: argparse.Namespace) -> App:
    """The application of a command. Used in a ``with`` block, it is closed at the end of the block."""
    app = App(bundle=arguments.bundle, database=getattr(arguments, "store", None))
    app.profile.identity.warn = print_trouble
    return app


def opened_to_play(arguments: argparse.Namespace, shares: Sequence[int] = ()) -> App:
    """The application of a command that is about the players; used as that of :func:`opened`.

    Players that are asked after some words only are asked after these ``shares`` of the words, in per cent;
    without them at sentence ends.
    """
    app = opened(arguments)
    app.engines.shares = tuple(shares)
    if app.profile.settings_trouble is not None and arguments.bundle is None:
        raise app.profile.settings_trouble
    if getattr(arguments, "elasticsearch", None):
        app.engines.use_server(_server(arguments, app.profile.settings.elasticsearch))
    elif any(getattr(arguments, name, None) for name in ("index", "ca", "user")):
        raise QuizwriterError(
            "--index, --ca and --user describe an Elasticsearch server, but no server is named.",
            "Name the server with --elasticsearch.",
        )
    if getattr(arguments, "endpoint", None):
        app.models.use(app.models.named(arguments.endpoint, arguments.model or ""), shares)
        app.engines.metered_in_batches = True
    elif getattr(arguments, "model", None):
        raise QuizwriterError(
            "--model names a language model, but no server is named.", "Name the server with --endpoint."
        )
    return app


_NUMBER = re.compile(r"(?:(?:toss-?up|tu)\s?)?\d{1,3}[.):]\s+", re.IGNORECASE)


def read_draft(name: str) -> tuple[str, str | None]:
    """The text in the file ``name``, and its answer line if the text ends with one."""
    standard = name == "-"
    try:
        raw = Path(name).read_bytes() if not standard else sys.stdin.buffer.read() if sys.stdin else b""
    except OSError as trouble:
        raise QuizwriterError(
            f"{name} cannot be read ({trouble.strerror}).", "Check its name and that you may read it."
        ) from trouble
    name = "The standard input" if standard else name
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        raise QuizwriterError(f"{name} is not a UTF-8 text.", "Save it as plain text in UTF-8.") from trouble
    if "\0" in text:
        raise QuizwriterError(
            f"{name} has NUL bytes in it and is not a text.", "Save it as plain text in UTF-8."
        )
    head, found, line = text.rpartition("ANSWER:")
    if found and "\n" not in line.strip():
        head = head.strip()
        number = _NUMBER.match(head)  # of a packet, and no word of the text
        return head[number.end() :] if number else head, line.strip()
    return text.strip(), None


def _server(arguments: argparse.Namespace, known: ServerSettings) -> ServerSettings:
    """The server that is named. If Preferences have the same address, they fill in what is not named."""
    url = arguments.elasticsearch.rstrip("/")
    server = known if url == known.url else ServerSettings(url=url)
    server = replace(server, on=True, index=arguments.index or server.index, ca=arguments.ca or server.ca)
    in_environment = [kind for kind, variable in SECRET_VARIABLES.items() if os.environ.get(variable)]
    sign_in = "password" if arguments.user else next(iter(in_environment), server.sign_in)
    return replace(server, sign_in=sign_in, user=arguments.user or server.user or "elastic")
