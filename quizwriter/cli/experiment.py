"""The command that runs one experiment: its table and its sentence are printed, its files written.

The experiments are imported where they are used: the window starts through this package, too.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened_to_play, whole_number
from quizwriter.cli.output import cancelled_by_interrupt, print_json, print_lines, print_table, progress
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.experiment_options import OPTIONS, option_words, source_words
from quizwriter.workflow.dates import day
from quizwriter.workflow.session import now_ms

if TYPE_CHECKING:
    from quizwriter.cancellation import Cancellation
    from quizwriter.experiments.inputs import ExperimentInputs
    from quizwriter.services.wiring import App

_SETTINGS = tuple(
    argument(f"--{one.name}", nargs="?", const="yes", default="", metavar="yes|no", help=one.help)
    if one.switch  # alone it says yes
    else argument(f"--{one.name}", default="", metavar=one.name.upper(), help=one.help)
    for one in OPTIONS.values()
)

_USER_INFO = re.compile("//[^/,]*@")
"""A name and a password before the host of an address, which no player takes and no report is to hold."""

WIDEST = 7
"""Columns of a table that a terminal can show."""

ROWS_ON_SIDE = 4


@command(
    "experiment",
    "Run an experiment on questions, people's buzzes and the players; without a name, list them.",
    argument("name", nargs="?", default="", metavar="NAME", help="the experiment"),
    argument(
        "--questions",
        default="",
        metavar="SOURCE",
        help="the questions: a file, a folder, a set of the database, or held-back",
    ),
    argument(
        "--tossups",
        default="",
        metavar="IDS",
        help="instead of --questions: tossups of the database, with commas between their ids",
    ),
    argument(
        "--buzzes",
        default="",
        metavar="FILE",
        help="people's buzzes: JSON lines, a QBJ file, a table NAME.buzz.csv, a folder of games, or games",
    ),
    argument(
        "--against", default="", metavar="SOURCE", help="what is compared with: other questions or buzzes"
    ),
    argument("--players", default="", metavar="NAMES", help="only these players, with commas between them"),
    argument(
        "--seed", type=whole_number(0, 2**31), default=1, metavar="N", help="the seed of all chance (1)"
    ),
    argument("--limit", type=whole_number(1), metavar="N", help="only the first N questions"),
    argument(
        "--out", type=Path, metavar="DIR", help="write the table, the report and the plot into this folder"
    ),
    *_SETTINGS,
    json=True,
    store=True,
    server=True,
)
def _experiment(arguments: argparse.Namespace) -> int:
    from quizwriter.experiments.retraining import keep_survival
    from quizwriter.experiments.runner import require_folder, run

    if not arguments.name:
        return _list(arguments.json)
    if arguments.questions and arguments.tossups:
        raise QuizwriterError("Both --questions and --tossups were given.", "Give one of them.")
    if arguments.out is not None:
        require_folder(arguments.out)
    with opened_to_play(arguments) as app, progress() as bars, cancelled_by_interrupt() as cancellation:
        given = given_by(arguments, app, bars.show, cancellation)
        report = run(arguments.name, given, _command(arguments, given.options))
        keep_survival(given, report, day(now_ms()))
    written = report.write(arguments.out) if arguments.out is not None else ()
    if arguments.json:
        print_json(report.as_json())
        return 0
    print_lines(report.experiment.asks)
    _print_rows(report.head, list(report.lines))
    print_lines(*report.found.remarks)
    print_lines(*(f"Left out: {reason} ({number:,})." for reason, number in report.left_out))
    print_lines(*(f"Written: {path}" for path in written))
    print_lines(report.found.sentence)
    return 0


def given_by(
    arguments: argparse.Namespace,
    app: App,
    show: Callable[[str, float, float], None],
    cancellation: Cancellation,
) -> ExperimentInputs:
    from quizwriter.experiments.inputs import ExperimentInputs

    return ExperimentInputs(
        app,
        arguments.questions,
        arguments.buzzes,
        arguments.against,
        tossup_ids=_parted(arguments.tossups),
        players=_parted(arguments.players),
        seed=arguments.seed,
        limit=arguments.limit,
        options={name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name)},
        progress=show,
        cancellation=cancellation,
    )


def _parted(said: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in said.split(",") if name.strip())


def _print_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print the rows; a table of many columns is laid on its side, a few rows at a time."""
    if len(head) <= WIDEST:
        print_table(head, rows)
        return
    for start in range(0, len(rows), ROWS_ON_SIDE):
        some = rows[start : start + ROWS_ON_SIDE]
        turned = ([title, *(row[at] for row in some)] for at, title in enumerate(head[1:], 1))
        print_table((head[0], *(row[0] for row in some)), turned)


def _command(arguments: argparse.Namespace, options: Mapping[str, str]) -> str:
    """The command that repeats this run where its files are, with their names and not their folders."""
    words = ["quizwriter", "experiment", arguments.name]
    if arguments.bundle is not None:
        words += ["--bundle", arguments.bundle.resolve().name]
    words += source_words({name: getattr(arguments, name) for name in ("questions", "buzzes", "against")})
    for name in ("tossups", "players"):
        if value := getattr(arguments, name):
            words += [f"--{name}", value]
    if arguments.limit is not None:
        words += ["--limit", str(arguments.limit)]
    for name in ("elasticsearch", "index", "fields"):
        if value := getattr(arguments, name):
            words += [f"--{name}", _USER_INFO.sub("//", value)]
    return shlex.join([*words, *option_words(options), "--seed", str(arguments.seed)])


def _list(as_json: bool) -> int:
    from quizwriter.experiments.registry import experiments

    found = experiments().values()
    if as_json:
        print_json(
            [
                {
                    "name": one.name,
                    "asks": one.asks,
                    "source": one.source,
                    "needs": sorted(one.needs),
                    "may": sorted(one.may),
                    "options": list(one.options),
                }
                for one in found
            ]
        )
    else:
        rows = ([one.name, one.asks, ", ".join(sorted(one.needs)) or "–"] for one in found)
        print_table(("experiment", "what it asks", "needs"), rows)
    return 0
