"""The commands about this installation: whether its data is sound, its backups, and how fast it is."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from quizwriter.bench.comparison import (
    ComparedFigure,
    compared_figures,
    comparison_remarks,
    comparison_sentence,
    read_figures,
    require_comparable,
)
from quizwriter.cancellation import PartProgress
from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import existing_database, opened, opened_to_play
from quizwriter.cli.output import print_json, print_lines, print_table, progress
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.services.wiring import App
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.services.recovery import BackupLine


@command(
    "bench",
    "Time the players, the window and the start.",
    argument(
        "--desk", action="store_true", help="measure what helps while one writes instead: clues, problems"
    ),
    argument(
        "--long",
        action="store_true",
        help="measure what a long day leaves in memory: 20,000 keys, 300 tossups, 20 changes of bundle",
    ),
    argument(
        "--other",
        type=Path,
        metavar="FOLDER",
        help="with --long: the bundle that is opened in turns with the one in use, else a copy of that",
    ),
    argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="with --desk: the question file that the bundle was built from with --hold-back",
    ),
    argument(
        "--compare",
        type=Path,
        metavar="FILE",
        help="compare the figures with those of an earlier run, kept with bench --json > FILE",
    ),
    json=True,
    server=True,
    model=True,
)
def _bench(arguments: argparse.Namespace) -> int:
    if arguments.questions is not None and not arguments.desk:
        raise QuizwriterError("--questions belongs to --desk.", "Add --desk, or leave out --questions.")
    if arguments.other is not None and not arguments.long:
        raise QuizwriterError("--other belongs to --long.", "Add --long, or leave out --other.")
    if arguments.long and (arguments.desk or arguments.compare is not None):
        raise QuizwriterError("--long measures nothing else.", "Leave out --desk and --compare.")
    if arguments.compare is not None and arguments.desk:
        raise QuizwriterError("--compare compares no figures of --desk.", "Leave out one of them.")
    kept = read_figures(arguments.compare) if arguments.compare is not None else None
    with opened_to_play(arguments) as app, progress() as bars:
        if arguments.long:
            return _bench_long(app, arguments, bars.show)
        if arguments.desk:
            from quizwriter.bench.desk import bench_desk

            figures = bench_desk(app, arguments.questions, bars.show)
        else:
            from quizwriter.bench.engine import bench

            engine = app.engines.load()
            if kept is not None:  # what cannot be compared is not measured first
                require_comparable(kept, {"bundle": engine.title})
            figures = bench(app, engine, bars.show)
    if kept is not None:
        _print_comparison(kept, figures, as_json=arguments.json)
    elif arguments.json:
        print_json(figures)
    else:
        print_table(("figure", "value"), [(name, str(value)) for name, value in figures.items()])
    return 0


def _bench_long(app: App, arguments: argparse.Namespace, progress: PartProgress) -> int:
    from quizwriter.bench.long import bench_long

    rows = [asdict(row) for row in bench_long(app, arguments.other, progress)]
    if arguments.json:
        print_json(rows)
    else:
        head = [name.replace("_", " ") for name in rows[0]]
        print_table(head, [[f"{cell:,}" for cell in row.values()] for row in rows])
    return 0


def _print_comparison(kept: Mapping[str, float | str], figures: dict[str, Any], *, as_json: bool) -> None:
    compared, remarks = compared_figures(kept, figures), comparison_remarks(kept, figures)
    if as_json:
        rows = {one.name: {"kept": one.kept, "now": one.now, "ratio": _ratio_json(one)} for one in compared}
        sentence = comparison_sentence(compared)
        print_json({"figures": figures, "compared": rows, "sentence": sentence, "remarks": remarks})
        return
    cells = [(one.name, f"{one.kept:g}", f"{one.now:g}", f"{one.ratio:.2f}") for one in compared]
    print_table(("figure", "kept", "now", "ratio"), cells)
    print_lines(comparison_sentence(compared), *remarks)


def _ratio_json(one: ComparedFigure) -> float | None:
    """The ratio; None where there is none, since JSON has no infinite number."""
    return round(one.ratio, 3) if isfinite(one.ratio) else None


@command(
    "check",
    "Check the bundle, the database, and that every history replays.",
)
def _check(arguments: argparse.Namespace) -> int:
    with opened_to_play(arguments) as app:
        engine = app.engines.load()
        print_lines(
            f"Bundle {engine.title}: every file is as it was built ({engine.digest}).",
            *map(str, engine.troubles),
        )
        with progress() as bars:
            report = app.tossups.check_database(bars.counter("Checking"))
    print_lines(*report.damage)
    if not report.damage:
        replay = "1 history replays" if report.tossups == 1 else f"{report.tossups:,} histories replay"
        print_lines(f"Database {report.path}: sound; {replay}, both ways.")
    return 1 if report.damage or engine.troubles else 0


@command(
    "backup",
    "List the backups of the database, make one, or restore one.",
    argument("action", choices=("list", "make", "restore"), help="what to do"),
    argument(
        "backup",
        nargs="?",
        metavar="BACKUP",
        help="restore: the file name of a backup, or a path; unless given, the newest",
    ),
    new_store=True,
    json=True,
)
def _backup(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        if arguments.action == "make" or (arguments.action == "list" and app.recovery.newest() is None):
            existing_database(arguments.new_store)  # restoring makes it where it is lost
        if arguments.action == "list":
            _list_backups(app, as_json=arguments.json)
        elif arguments.action == "make":
            _make_backup(app, as_json=arguments.json)
        else:
            _restore_backup(app, arguments.backup, as_json=arguments.json)
    return 0


def _list_backups(app: App, *, as_json: bool) -> None:
    with progress() as bars:
        lines = app.recovery.lines(bars.counter("Reading the backups"))
    if as_json:
        print_json([_backup_json(line) for line in lines])
    elif not lines:
        print_lines(f"There are no backups in {app.recovery.folder} yet.")
    else:
        print_lines(f"The backups in {app.recovery.folder}, the newest first:")
        for line in lines:
            print_lines(
                line.path.name,
                f"    {line.made:%Y-%m-%d %H:%M}, {line.reason}, {line.size / 1e6:,.1f} MB, "
                f"{counted_noun(line.tossups, 'tossup')}, {counted_noun(line.words, 'word')}. "
                f"Restored now: {line.change}",
            )


def _backup_json(line: BackupLine) -> dict[str, object]:
    return {
        "file": str(line.path),
        "made": line.made.isoformat(timespec="seconds"),
        "reason": line.reason,
        "bytes": line.size,
        "tossups": line.tossups,
        "words": line.words,
        "returning": line.returning,
        "changing": line.changing,
        "leaving": line.leaving,
        "trouble": line.trouble,
    }


def _make_backup(app: App, *, as_json: bool) -> None:
    app.open_database()
    with progress() as bars:
        made = app.recovery.back_up(requested=True, progress=bars.counter("Copying"))
    if as_json:
        print_json({"file": str(made.path), "bytes": made.size})
    else:
        print_lines(f"The backup is {made.path}. It stays until you delete it.")


def _restore_backup(app: App, name: str | None, *, as_json: bool) -> None:
    if name is None:
        newest = app.recovery.newest()
        if newest is None:
            raise QuizwriterError(f"There are no backups in {app.recovery.folder}.", "Name the file of one.")
        path = newest
    else:
        path = app.recovery.folder / name if Path(name).name == name else Path(name)
    with translate_reading_errors(path):
        is_there = path.is_file()
    if not is_there:
        raise QuizwriterError(f"There is no backup {path}.", "quizwriter backup list names all of them.")
    from quizwriter.gui.window_lock import window_lock  # imported late: Qt, which no other command needs

    database = app.recovery.database
    with window_lock(
        database.parent,
        "Close its window first, or restore the backup there with File > Restore from backup….",
    ):
        try:
            app.open_database()
            aside = app.recovery.restore(path)
        except DamagedDatabaseError:
            aside = app.recovery.restore_closed(path)
    if as_json:
        print_json({"restored": str(path), "aside": str(aside)})
    else:
        print_lines(f"{path.name} is restored.", f"What the database held until now is in {aside}.")


@command(
    "rescue",
    "Read a damaged database as far as it goes into a new one.",
    argument("file", type=Path, metavar="FILE", help="the damaged database, which stays as it is"),
    argument("--to", type=Path, required=True, metavar="NEW", help="the new database"),
    json=True,
)
def _rescue(arguments: argparse.Namespace) -> int:
    from quizwriter.store.rescue import rescue

    with progress() as bars:
        report = rescue(arguments.file, arguments.to, bars.counter("Rescuing"))
    if arguments.json:
        tossups = [
            {"id": one.tossup_id, "title": one.title, "state": str(one.state), "missing": list(one.missing)}
            for one in report.tossups
        ]
        print_json(
            {
                "file": str(arguments.to),
                "pages": report.pages,
                "bad_pages": report.bad_pages,
                "tossups": tossups,
            }
        )
    else:
        print_lines(*report.lines, f"The new database is {arguments.to}. {arguments.file} is as it was.")
    return 0
