"""``python -m index_builder``: build bundles on the command line."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from index_builder.build import REPORT, build
from index_builder.corpus import Inputs
from index_builder.yours import add, added, remove
from quizwriter.errors import QuizwriterError
from quizwriter.questions import Report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments``; the exit status, 1 after a trouble said in two lines."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
        return status
    except QuizwriterError as trouble:
        print(f"{trouble.problem}\n{trouble.remedy}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; nothing was published, and what was there before is untouched.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m index_builder", description="Build what QuizWriter loads."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("build", help="build a bundle from questions and encyclopedia text")
    files: dict[str, Any] = {"type": Path, "nargs": "+", "metavar": "FILE"}
    command.add_argument(
        "--questions", **files, required=True, help="tossups: JSON lines or QANTA JSON, .gz or .xz too"
    )
    command.add_argument("--bonuses", **files, default=[], help="bonuses: JSON lines")
    command.add_argument(
        "--wiki", **files, default=[], help="encyclopedia text: JSON lines with page and text"
    )
    command.add_argument(
        "--answer-map", **files, default=[], help="JSON lines with key and page, for answers without a page"
    )
    command.add_argument("--out", type=Path, required=True, metavar="BUNDLE", help="the folder to publish to")
    command.add_argument("--title", help="what the window calls it; else the folder's name")
    command.add_argument(
        "--all", action="store_true", help="index every fold, not only the guessers' training fold"
    )
    command.set_defaults(run=_build)

    command = commands.add_parser("add", help="add your own packets to a bundle")
    command.add_argument(
        "paths",
        type=Path,
        nargs="*",
        metavar="PATH",
        help="folders or files: .docx, .txt, JSON lines, QANTA JSON; without any, what was added is listed",
    )
    command.add_argument(
        "--bundle", type=Path, required=True, metavar="DIR", help="the bundle to add them to"
    )
    command.add_argument("--remove", metavar="NAME", help="take out what was added under this name")
    command.set_defaults(run=_add)
    return parser


def _add(parsed: argparse.Namespace) -> int:
    if parsed.remove:
        remove(parsed.bundle, parsed.remove)
        print(f"Removed {parsed.remove}.")
    if parsed.paths:
        started = time.monotonic()
        with Progress(console=Console(stderr=True, highlight=False)) as bars:
            task = bars.add_task("Reading packets", total=None)
            found = add(
                parsed.bundle,
                parsed.paths,
                lambda done, total: bars.update(task, completed=done, total=total),
            )
        for one in found:
            print(one.sentence)
            for line in one.unread:
                print(f"  {line.sentence}")
        print(f"{time.monotonic() - started:.1f} s.")
        return 0 if any(one.name for one in found) else 1
    if not parsed.remove:
        listed, troubles = added(parsed.bundle)
        for one in listed:
            print(f"{one.name}: {one.sentence}")
        for trouble in troubles:
            print(f"{trouble.problem}\n{trouble.remedy}", file=sys.stderr)
        if not listed and not troubles:
            print(f"Nothing was added to {parsed.bundle}.")
    return 0


def _build(parsed: argparse.Namespace) -> int:
    inputs = Inputs(
        tuple(parsed.questions),
        tuple(parsed.bonuses),
        tuple(parsed.wiki),
        tuple(parsed.answer_map),
        everything=parsed.all,
    )
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), _Speed(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bars:
        report = build(inputs, parsed.out, parsed.title or parsed.out.name, _Bars(bars))
    counts: Any = report["counts"]
    print(
        f"Published {parsed.out}: {counts['pages']:,} pages, {counts['passages']:,} passages, "
        f"{counts['postings']:,} postings, in {report['seconds']} s."
    )
    files: Any = report["files"]
    rejected = sum(entry["rows"] for file in files for entry in file["rejected"].values())
    if rejected:
        print(f"{rejected:,} rows could not be used; {parsed.out / REPORT} says which and why.")
    return 0


class _Speed(ProgressColumn):
    """Rows or passages per second."""

    def render(self, task: Task) -> Text:
        seconds = task.elapsed or 0.0
        return Text(f"{task.fields['rows'] / seconds:,.0f}/s" if seconds else "", "cyan")


class _Bars:
    """A build's progress as one bar per file and one for the index."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def reading(self, report: Report) -> None:
        self._show(f"Reading {Path(report.path).name}", report.rows, report.read, 1.0)

    def indexing(self, done: int, total: int) -> None:
        self._show("Indexing", done, done, total)

    def _show(self, name: str, rows: int, done: float, total: float) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, rows=0)
        self._bars.update(self._tasks[name], completed=done, rows=rows)


if __name__ == "__main__":
    sys.exit(main())
