"""The commands that work on the tossups themselves, for scripts and for machines without a screen.

What reads question files and packs is imported where it is used: the window starts through here, too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter.cli.challenge_commands import status_called
from quizwriter.domain.review import Status
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.services import App, import_sentence
from quizwriter.workflow.checks import TITLES
from quizwriter.workflow.queue import COLUMNS, GAME, QueueFilter, QueueSort, cell, row_json
from quizwriter.workflow.wording import counted_noun, listed

if TYPE_CHECKING:
    from rich.console import Console

Command = Callable[..., argparse.ArgumentParser]


def add_commands(command: Command, json_option: argparse.ArgumentParser) -> None:
    """Make the commands; ``command`` takes a name, what runs it, a sentence and parents."""
    store = argparse.ArgumentParser(add_help=False)
    store.add_argument("--store", type=Path, metavar="FILE", help="another database than your own")
    wanted = argparse.ArgumentParser(add_help=False)
    _add_filters(wanted)

    taken = command("import", _import, "Make drafts of the questions in files.", store, json_option)
    taken.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSON lines or QANTA JSON")
    taken.add_argument("--set", default="", metavar="NAME", help="the set to put them in")

    shown = command("list", _list, "List the tossups as the queue does.", store, json_option, wanted)
    shown.add_argument(
        "--sort",
        default="changed",
        choices=[*COLUMNS, *GAME],
        help="by which column; those of a player need --player",
    )
    shown.add_argument("--player", default="", metavar="NAME", help="whose first right, stable or buzz")
    shown.add_argument("--up", action="store_true", help="the smallest first")

    history = command("history", _history, "Tell how a tossup came to be.", store, json_option)
    history.add_argument("id", metavar="ID")

    status = command("status", _status, "Give tossups another status.", store, json_option)
    status.add_argument("ids", nargs="+", metavar="ID")
    status.add_argument(
        "--set", required=True, type=status_called, metavar="STATUS", help=listed(list(Status))
    )
    status.add_argument("--reason", default="", metavar="TEXT", help="why; refusals and unlocking need one")
    status.add_argument(
        "--override",
        action="append",
        default=[],
        type=_override,
        metavar="CHECK=REASON",
        help=f"why a check need not pass ({', '.join(TITLES)}); may be given several times",
    )

    packed = command(
        "pack", _pack, "Write tossups into a file for somebody else.", store, json_option, wanted
    )
    packed.add_argument("file", type=Path, metavar="FILE")
    packed.add_argument("ids", nargs="*", metavar="ID", help="which; without any, all that fit the filters")

    merged = command("merge", _merge, "Take in what others packed.", store, json_option)
    merged.add_argument("files", nargs="+", type=Path, metavar="FILE")


def _add_filters(parser: argparse.ArgumentParser) -> None:
    which = parser.add_argument_group("which tossups")
    which.add_argument("--text", default="", metavar="WORDS", help="with these words in answer or text")
    which.add_argument("--in-set", action="append", default=[], metavar="NAME")
    which.add_argument("--status", action="append", default=[], type=status_called, metavar="STATUS")
    which.add_argument("--category", action="append", default=[], metavar="A/B/C", help="and all below it")
    which.add_argument("--author", action="append", default=[], metavar="NAME")
    which.add_argument("--stumps", action="append", default=[], metavar="PLAYER")
    which.add_argument("--min-words", type=int, metavar="N")
    which.add_argument("--max-words", type=int, metavar="N")
    which.add_argument("--since", type=_moment, metavar="DATE", help="changed on that day or later")
    which.add_argument("--changed", action="store_true", help="edited after the status was set")
    which.add_argument("--commented", action="store_true", help="with open comments or suggestions")


def _moment(text: str) -> int:
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except ValueError:
        raise argparse.ArgumentTypeError("must be a date like 2031-10-04") from None


def _override(text: str) -> tuple[str, str]:
    name, found, reason = text.partition("=")
    if not found or name not in TITLES or not reason.strip():
        raise argparse.ArgumentTypeError(f"must be CHECK=REASON, the check one of {', '.join(TITLES)}")
    return name, reason.strip()


@contextlib.contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[App]:
    app = App(bundle=arguments.bundle, database=arguments.store)
    with contextlib.closing(app.store):
        yield app


def _filter(app: App, arguments: argparse.Namespace) -> QueueFilter:
    people = app.store.people()
    authors = []
    for name in arguments.author:
        known = [key for key, person in people.items() if name in (key, person.name, person.email)]
        if not known:
            names = sorted({person.name for person in people.values() if person.name})
            raise QuizwriterError(
                f"Nobody here is called {name}.", f"Known are {listed(names) or 'no names yet'}."
            )
        authors += known
    return QueueFilter(
        text=arguments.text,
        sets=tuple(arguments.in_set),
        statuses=tuple(arguments.status),
        categories=tuple(tuple(path.split("/")) for path in arguments.category),
        authors=tuple(authors),
        stumps=tuple(arguments.stumps),
        least_words=arguments.min_words,
        most_words=arguments.max_words,
        changed_after_ms=arguments.since,
        changed=arguments.changed,
        commented=arguments.commented,
    )


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=1))


def _import(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as app:
        done = app.transfer.import_files(arguments.files, set_name=arguments.set)
    if arguments.json:
        _print_json(
            {"added": done.added, "known": done.known, "files": [one.as_json() for one in done.reports]}
        )
        return 0
    known = f"; {done.known:,} were here already" if done.known else ""
    print(f"{counted_noun(len(done.added), 'draft')} added{known}.")
    for report in done.reports:
        for reason, count in report.rejected.most_common():
            rows = counted_noun(count, "row")
            print(f"{report.path}: {rows} left out, {reason} (the first is row {report.first[reason]}).")
    return 0


def _list(arguments: argparse.Namespace) -> int:
    if (arguments.sort in GAME) != bool(arguments.player):
        raise QuizwriterError(
            f"{arguments.sort} cannot be sorted by so.",
            f"{listed(list(GAME))} are of a player, whom --player names; the others are not.",
        )
    with _opened(arguments) as app:
        sort = QueueSort(arguments.sort, down=not arguments.up, player=arguments.player)
        keys = app.store.queue(_filter(app, arguments), sort)
        people = app.store.people()
        rows = app.store.queue_rows(keys)
    if arguments.json:
        _print_json([row_json(row, people) for row in rows])
        return 0
    for row in rows:
        answer = Answer(row.answer_line).main if row.answer_line else "no answer yet"
        beside = [cell(row, people, column) for column in ("set", "author")]
        print(f"{row.tossup_id}  {row.status:9}  {row.words:4}  {', '.join(filter(None, [answer, *beside]))}")
    print(counted_noun(len(rows), "tossup"))
    return 0


def _console() -> Console:
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Output(highlight=False, markup=False)


def _history(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as app:
        history = app.transfer.history_json(arguments.id)
    if arguments.json:
        _print_json(history)
        return 0
    from rich.table import Table

    table = Table("edit", "when", "who", "taken out", "put in", "players' buzzes after it")
    buzzes: dict[int, list[str]] = {}
    for shown in history["analyses"]:
        at = "none" if shown["buzz"] is None else f"{shown['buzz']} of {shown['words']}"
        buzzes.setdefault(shown["after_edit"], []).append(f"{shown['player']} {at}")
    for edit in history["edits"]:
        table.add_row(
            str(edit["seq"]),
            edit["at"][:19].replace("T", " "),
            edit["author"] or "unknown",
            _short(edit["removed"]),
            _short(edit["inserted"]),
            ", ".join(buzzes.get(edit["seq"], [])),
        )
    console = _console()
    console.print(f"{history['answer'] or 'No answer yet'} ({history['status']})")
    console.print(table)
    for event in history["events"]:
        values = [value for name, value in event.items() if name not in _NOT_SAID]
        said = [_plain(value) for value in values if value not in ("", [], None)]
        when, who = event["at"][:19].replace("T", " "), event["author"] or "unknown"
        console.print(f"{when} {who}: {event['kind']}: {', '.join(said)}")
    return 0


_NOT_SAID = {"id", "after_edit", "at", "author", "author_id", "kind"}


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return ": ".join(map(str, value.values())) if isinstance(value, dict) else str(value)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:40]} … {text[-15:]}"


def _status(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as app:
        failed: dict[str, list[str]] = {}
        if arguments.set is Status.READY:
            engine = None
            with contextlib.suppress(QuizwriterError):  # the check of past questions says so
                engine = app.engines.load()
            checks = app.review.check(app.tossups.drafts(arguments.ids), engine)
            failed = {key: [one.name for one in found if not one.passed] for key, found in checks.items()}
        done = app.review.set_status(
            arguments.ids,
            arguments.set,
            arguments.reason,
            failed=failed,
            overridden=dict(arguments.override),
        )
    refused = dict(done.refused)
    if arguments.json:
        changed = [event.tossup_id for event in done.events]
        _print_json({"changed": changed, "refused": {key: str(why) for key, why in refused.items()}})
    else:
        print(f"{counted_noun(len(done.events), 'tossup')} set to {arguments.set}.")
        for key, trouble in refused.items():
            print(f"{key}: {trouble}")
    return 1 if refused else 0


def _pack(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as app:
        wanted = _filter(app, arguments)
        keys: Iterable[str] | None = arguments.ids or None
        if keys is not None and wanted != QueueFilter():
            raise QuizwriterError("Both ids and filters were given.", "Give one of them.")
        if keys is None and wanted != QueueFilter():
            keys = app.store.queue(wanted, QueueSort())
        count = app.transfer.pack(arguments.file, keys)
    if arguments.json:
        _print_json({"file": str(arguments.file), "tossups": count})
    else:
        print(f"{counted_noun(count, 'tossup')} packed into {arguments.file}, branches counted each.")
    return 0


def _merge(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as app:
        merged = app.transfer.merge(arguments.files)
    if arguments.json:
        came: dict[str, Any] = {"came": {key: str(one) for key, one in merged.came.items()}}
        _print_json(came | {"moved": merged.moved, "answered": merged.answered})
    else:
        print(import_sentence(merged))
    return 0
