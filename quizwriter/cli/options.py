"""What several commands share: their options, the types of their arguments, and how they open the program."""

from __future__ import annotations

import argparse
import math
import os
import re
import reprlib
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from quizwriter.cli.output import print_trouble
from quizwriter.domain.players import PLAYERS
from quizwriter.domain.review import Status
from quizwriter.domain.server_address import SECRET_VARIABLES
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings
from quizwriter.system.decoding import LARGEST_NUMBER, DecodingError, convert_value, open_regular

if TYPE_CHECKING:
    from quizwriter.workflow.queue import QueueFilter


def queue_filter(app: App, arguments: argparse.Namespace) -> QueueFilter:
    """The filter that the options in :data:`quizwriter.cli.commands.FILTERS` describe."""
    from quizwriter.workflow.queue import QueueFilter  # imported late: not needed at start

    return QueueFilter(
        text=arguments.text,
        sets=tuple(known_set(app, name) for name in arguments.in_set),
        statuses=tuple(arguments.status),
        categories=tuple(tuple(path.split("/")) for path in arguments.category),
        authors=tuple(key for name in arguments.author for key in app.review.find_people(name)),
        stumps=tuple(known_player(app, name) for name in arguments.stumps),
        least_words=arguments.min_words,
        most_words=arguments.max_words,
        changed_after_ms=arguments.since,
        changed=arguments.changed,
        commented=arguments.commented,
    )


def known_set(app: App, name: str) -> str:
    """``name``, if tossups are in that set; the empty name is for those in none."""
    if name and name not in app.review.sets():
        raise QuizwriterError(f"There is no set “{name}”.", "Name a set that has tossups.")
    return name


def known_player(app: App, name: str) -> str:
    """``name``, if it is a player's that QuizWriter has or that played a tossup of the database."""
    names = sorted({*PLAYERS, *app.queue.players()})
    if name not in names:
        raise QuizwriterError(
            f"There is no player {reprlib.repr(name)}.", f"The players are {', '.join(names)}."
        )
    return name


def status_argument(text: str) -> Status:
    try:
        return Status(text.strip().lower().replace("-", " "))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(Status)}") from None


def text_argument(text: str) -> str:
    """An argument that names no file; bytes that are no text, which Python keeps as halves, are refused."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("must be text in UTF-8") from None
    return text


def whole_number(least: int, most: int = LARGEST_NUMBER) -> Callable[[str], int]:
    """The type of an argument that is a number from ``least`` to ``most``."""
    wanted = f"must be a whole number from {least}" + (f" to {most}" if most < LARGEST_NUMBER else "")

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(wanted) from None
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(wanted)
        return value

    return number


def positive_number(text: str) -> float:
    """A number that an argument gives, 0 included."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= LARGEST_NUMBER:  # not a number is never
        raise argparse.ArgumentTypeError("must be a number from 0")
    return value


def day_argument(text: str) -> int:
    """The beginning of the day that an argument names, in milliseconds since 1970."""
    try:
        return int(datetime.strptime(text, "%Y-%m-%d").timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError("must be a date like 2031-10-04") from None


def existing_database(path: Path | None) -> Path | None:
    """``path``, where a database is: only commands that fill one make one, or a mistyped name would."""
    if path is None:
        return None
    with translate_reading_errors(path):
        is_there = path.exists()
    if not is_there:
        raise QuizwriterError(
            f"There is no database {path}.", "Check its name; import and merge make a new database."
        )
    return path


def opened(arguments: argparse.Namespace) -> App:
    """The application of a command. Used in a ``with`` block, it is closed at the end of the block."""
    named = existing_database(getattr(arguments, "store", None)) or getattr(arguments, "new_store", None)
    app = App(bundle=arguments.bundle, database=named)
    app.profile.identity.warn = print_trouble
    return app


def opened_to_play(arguments: argparse.Namespace, shares: Sequence[int] = ()) -> App:
    """The application of a command that needs players; used as the result of :func:`opened`.

    Players that are asked after some words only are asked after these ``shares`` of the words, in per cent;
    without them at sentence ends.
    """
    app = opened(arguments)
    app.engines.shares = tuple(shares)
    if app.profile.settings_trouble is not None and arguments.bundle is None:
        raise app.profile.settings_trouble
    use_named_server(app, arguments)
    if getattr(arguments, "endpoint", None):
        app.models.use(app.models.named(arguments.endpoint, arguments.model or ""), shares)
        app.engines.metered_in_batches = True
    elif getattr(arguments, "model", None):
        raise QuizwriterError(
            "--model names a language model, but no server is named.", "Name the server with --endpoint."
        )
    return app


def use_named_server(app: App, arguments: argparse.Namespace) -> ServerSettings | None:
    """Let the Elasticsearch server that ``arguments`` name play in ``app``; None if they name none."""
    if getattr(arguments, "elasticsearch", None):
        server = _server(arguments, app.profile.settings.elasticsearch)
        app.engines.use_server(server)
        return server
    if any(getattr(arguments, name, None) for name in ("index", "fields", "ca", "user")):
        raise QuizwriterError(
            "--index, --fields, --ca and --user describe an Elasticsearch server, but no server is named.",
            "Name the server with --elasticsearch.",
        )
    return None


_LARGEST_DRAFT = 8 << 20  # bytes
_NUMBER = re.compile(r"(?:(?:toss-?up|tu)\s?)?\d{1,3}[.):]\s+", re.IGNORECASE)


def read_text(name: str) -> str:
    """The text in the file ``name``; - is the standard input."""
    standard = name == "-"
    with (
        translate_reading_errors(name),
        nullcontext(sys.stdin.buffer if sys.stdin else BytesIO())
        if standard
        else open_regular(Path(name)) as stream,
    ):
        raw = stream.read(_LARGEST_DRAFT + 1)
    name = "The standard input" if standard else name
    if len(raw) > _LARGEST_DRAFT:
        raise QuizwriterError(
            f"{name} has more than {_LARGEST_DRAFT >> 20} MB.", "Name a file that holds one tossup."
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        raise QuizwriterError(f"{name} is not a UTF-8 text.", "Save it as plain text in UTF-8.") from trouble
    if "\0" in text:
        raise QuizwriterError(
            f"{name} has NUL bytes in it and is not a text.", "Save it as plain text in UTF-8."
        )
    return text


def read_draft(name: str) -> tuple[str, str | None]:
    """The text in the file ``name``, and its answer line if the text ends with one."""
    text = read_text(name)
    head, found, line = text.rpartition("ANSWER:")
    if found and "\n" not in line.strip():
        head = head.strip()
        number = _NUMBER.match(head)  # of a packet, and no word of the text
        return head[number.end() :] if number else head, line.strip()
    return text.strip(), None


def _field_names(named: str) -> str:
    try:
        return convert_value({"fields": named}, ServerSettings).fields
    except DecodingError:
        raise QuizwriterError(
            f"{reprlib.repr(named)} does not name two fields.",
            "Name the field of titles and the field of texts, such as --fields title,text.",
        ) from None


def _server(arguments: argparse.Namespace, known: ServerSettings) -> ServerSettings:
    """The server that is named. If Preferences have the same address, they fill in what is not named."""
    url = arguments.elasticsearch.rstrip("/")
    server = known if url == known.url else ServerSettings(url=url)
    server = replace(
        server,
        on=True,
        index=arguments.index or server.index,
        fields=_field_names(arguments.fields) if arguments.fields else server.fields,
        ca=arguments.ca or server.ca,
    )
    in_environment = [kind for kind, variable in SECRET_VARIABLES.items() if os.environ.get(variable)]
    sign_in = "password" if arguments.user else next(iter(in_environment), server.sign_in)
    return replace(server, sign_in=sign_in, user=arguments.user or server.user or "elastic")
