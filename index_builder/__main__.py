"""``python -m index_builder``: build bundles on the command line."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from index_builder.build import REPORT, build
from index_builder.catalogue import QANTA, WIKIPEDIA, megabytes
from index_builder.corpus import Inputs
from index_builder.encyclopedia import fetch_articles, titles_of
from index_builder.fetch import KEPT, fetch
from index_builder.steps import BUNDLE, SOURCES, Everything, Lines
from index_builder.yours import add, added, remove
from quizwriter.engine import BUZZERS, ENSEMBLE, NETWORKS
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic import Connection
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport

API_KEY, PASSWORD = "QUIZWRITER_ELASTICSEARCH_API_KEY", "QUIZWRITER_ELASTICSEARCH_PASSWORD"
"""What lets us into a server: never on a command line, which anyone on the computer can read."""

TRAINABLE = (*NETWORKS, ENSEMBLE, BUZZERS)


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
        print(parsed.stopped, file=sys.stderr)
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
    command.set_defaults(
        run=_build, stopped="Stopped; nothing was published, and what was there before is untouched."
    )
    _add_training(commands)

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
    command.set_defaults(run=_add, stopped="Stopped; nothing was added.")
    _add_fetching(commands)
    _add_publishing(commands)
    return parser


def _add_training(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "train", help="train the networks, the ensemble and the buzzers of a bundle"
    )
    command.set_defaults(
        run=_train, stopped="Stopped; what was trained is kept, and the same command goes on from there."
    )
    command.add_argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to train for")
    command.add_argument(
        "--players", type=_players, default=(), metavar="NAMES",
        help=f"which, by commas: {', '.join(TRAINABLE)} (all but birnn unless said)",
    )  # fmt: skip
    command.add_argument(
        "--vectors", type=Path, metavar="FILE", help="start from word vectors: a GloVe or word2vec text file"
    )
    command.add_argument("--minutes", type=float, metavar="N", help="at most so long for each network")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of what is drawn at random")
    command.add_argument("--anew", action="store_true", help="also what the bundle has already")
    command.add_argument(
        "--json-progress", action="store_true", help="for programs: say how far it is in lines of JSON"
    )


def _players(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in TRAINABLE:
            raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(TRAINABLE)}")
    return names


def _train(parsed: argparse.Namespace) -> int:
    lines = Lines() if parsed.json_progress else None  # first: it may have to stop while libraries load
    # here, because JAX and scikit-learn take a second, which only this needs
    from index_builder.train import PLAYERS, train

    def training(progress: Callable[[str, float], None]) -> dict[str, Any]:
        return train(
            parsed.bundle,
            parsed.players or PLAYERS,
            progress,
            vectors=parsed.vectors,
            anew=parsed.anew,
            minutes=parsed.minutes,
            seed=parsed.seed,
        )

    if lines is not None:
        try:
            training(lines.training)
        except QuizwriterError as trouble:
            lines.trouble(trouble)
            return 1
        return 0
    with _bars() as bars:
        report = training(bars.training)
    print(json.dumps(report, indent=1))
    return 0


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


def _add_fetching(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    questions = argparse.ArgumentParser(add_help=False)
    questions.add_argument("--mirror", default="", metavar="URL", help="another address, or a file here")
    articles = argparse.ArgumentParser(add_help=False)
    articles.add_argument("--api", default=WIKIPEDIA.address, metavar="URL", help="of another MediaWiki")
    articles.add_argument(
        "--whole",
        action="store_true",
        help="whole articles, one a second, instead of their openings, 20 a second",
    )
    articles.add_argument(
        "--limit", type=_positive, metavar="N", help="only the N answers asked for most often"
    )
    articles.add_argument(
        "--contact", default="", metavar="ADDRESS", help="where Wikipedia's operators can reach you"
    )

    fetched = commands.add_parser("fetch", help="fetch public data").add_subparsers(
        required=True, metavar="WHAT"
    )
    command = fetched.add_parser("qanta", help=QANTA.title, parents=[questions])
    command.set_defaults(run=_fetch_questions, stopped=f"Stopped. {KEPT}")
    command.add_argument("--out", type=Path, default=Path(SOURCES), metavar="DIR", help="where to keep it")
    command = fetched.add_parser("wikipedia", help="encyclopedia text on answers", parents=[articles])
    command.set_defaults(run=_fetch_articles, stopped=f"Stopped. {KEPT}")
    command.add_argument("--titles-from", type=Path, required=True, metavar="BUNDLE", help="whose answers")
    command.add_argument("--out", type=Path, default=Path(SOURCES), metavar="DIR", help="where to keep it")

    command = commands.add_parser("all", help="fetch and build everything", parents=[questions, articles])
    command.set_defaults(run=_everything, stopped=f"Stopped. {KEPT}")
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="a folder for the bundle and what is fetched"
    )
    command.add_argument(
        "--json-progress", action="store_true", help="for programs: say how far it is in lines of JSON"
    )


def _add_publishing(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("publish", help="publish to an Elasticsearch server or cluster")
    command.set_defaults(
        run=_publish, stopped="Stopped; what has arrived is kept, and the same command goes on from there."
    )
    command.add_argument("--to", required=True, metavar="URL", help="of the server; of several, by commas")
    command.add_argument("--index", required=True, metavar="NAME", help="under which it is found there")
    files: dict[str, Any] = {"type": Path, "nargs": "+", "metavar": "FILE", "default": []}
    command.add_argument("--questions", **files, help="as for build")
    command.add_argument("--bonuses", **files, help="as for build")
    command.add_argument(
        "--wiki",
        **files,
        help="encyclopedia text: JSON lines, WikiExtractor's or a CirrusSearch dump; folders of them too",
    )
    command.add_argument("--answer-map", **files, help="as for build")
    command.add_argument(
        "--all", action="store_true", help="every fold, not only the guessers' training fold"
    )
    command.add_argument("--bundle", type=Path, metavar="DIR", help="the passages of this bundle, instead")
    command.add_argument("--ca", default="", metavar="FILE", help="the server's certificate authority")
    command.add_argument(
        "--no-verify", action="store_true", help="take any certificate; anyone on the way can then read along"
    )
    command.add_argument("--plain-http", action="store_true", help="allow http to another computer")
    command.add_argument(
        "--user", default="", metavar="NAME", help=f"whose password is in {PASSWORD}; or set {API_KEY}"
    )
    command.add_argument("--shards", type=_positive, default=1, metavar="N", help="of the index")
    command.add_argument("--k1", type=float, default=1.2, metavar="X", help="of BM25, for ranking passages")
    command.add_argument("--b", type=float, default=0.75, metavar="X", help="of BM25, for ranking passages")
    command.add_argument("--work", type=Path, metavar="DIR", help="where to sort and count (a cache folder)")


def _publish(parsed: argparse.Namespace) -> int:
    from index_builder.publish import Ranking, publish

    named = [*parsed.questions, *parsed.bonuses, *parsed.wiki]
    if bool(named) == bool(parsed.bundle):
        raise QuizwriterError(
            "Name either files to publish or a bundle.",
            "Give --questions, --bonuses or --wiki, or else --bundle.",
        )
    source = Bundle.open(parsed.bundle) if parsed.bundle else Inputs(
        tuple(parsed.questions),
        tuple(parsed.bonuses),
        tuple(file for path in parsed.wiki for file in _files(path)),
        tuple(parsed.answer_map),
        everything=parsed.all,
    )  # fmt: skip
    connection = Connection(
        parsed.to,
        parsed.index,
        ca=parsed.ca,
        verify=not parsed.no_verify,
        user=parsed.user,
        secret=os.environ.get(PASSWORD, ""),
        api_key=os.environ.get(API_KEY, ""),
        plain_ok=parsed.plain_http,
    )
    work = parsed.work or platformdirs.user_cache_path("quizwriter") / "publish"
    with _bars() as bars:
        done = publish(source, connection, work, bars, ranking=Ranking(parsed.k1, parsed.b, parsed.shards))
    if not done.seconds:
        print(f"{parsed.index} on {parsed.to} is up to date: {done.passages:,} passages.")
        return 0
    print(
        f"Published {parsed.index} on {parsed.to}: {done.pages:,} pages, {done.passages:,} passages, "
        f"{megabytes(done.bytes)}, {done.bytes / done.passages:,.0f} bytes a passage; "
        f"sent in {done.seconds:,.0f} s."
    )
    return 0


def _files(path: Path) -> list[Path]:
    """``path``, or every file in it if it is a folder, as WikiExtractor fills them."""
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _build(parsed: argparse.Namespace) -> int:
    inputs = Inputs(
        tuple(parsed.questions),
        tuple(parsed.bonuses),
        tuple(parsed.wiki),
        tuple(parsed.answer_map),
        everything=parsed.all,
    )
    with _bars() as bars:
        report = build(inputs, parsed.out, parsed.title or parsed.out.name, bars)
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


def _fetch_questions(parsed: argparse.Namespace) -> int:
    with _bars() as bars:
        path = fetch(QANTA, parsed.out, bars, mirror=parsed.mirror)
    print(f"{path} is here. {QANTA.terms}")
    return 0


def _fetch_articles(parsed: argparse.Namespace) -> int:
    titles = titles_of(parsed.titles_from, parsed.limit)
    with _bars() as bars:
        path = fetch_articles(
            titles, parsed.out, bars, api=parsed.api, whole=parsed.whole, contact=parsed.contact
        )
    print(f"{path} is here. {WIKIPEDIA.terms}")
    return 0


def _everything(parsed: argparse.Namespace) -> int:
    way = Everything(parsed.out, parsed.mirror, parsed.api, parsed.whole, parsed.limit, parsed.contact)
    if parsed.json_progress:
        lines = Lines()
        try:
            way.run(lines)
        except QuizwriterError as trouble:
            lines.trouble(trouble)
            return 1
        return 0
    with _bars() as bars:
        way.run(bars)
    print(f"{parsed.out / BUNDLE} is ready; open it in QuizWriter with File, Open bundle….")
    return 0


@contextmanager
def _bars() -> Iterator[_Bars]:
    columns = (TextColumn("{task.description}"), BarColumn(), _Speed(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, highlight=False)) as bars:
        yield _Bars(bars)


class _Speed(ProgressColumn):
    """Rows, passages, articles or megabytes per second."""

    def render(self, task: Task) -> Text:
        speed = task.fields["rows"] / task.elapsed if task.elapsed else 0.0
        said = f"{megabytes(round(speed))}/s" if task.fields["unit"] == "bytes" else f"{speed:,.0f}/s"
        return Text(said if speed else "", "cyan")


class _Bars:
    """Progress as one bar for each file or index; what else there is to say stands between them."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._here: dict[str, int] = {}  # what was fetched before, which says nothing about speed
        self._waited = ""

    def reading(self, report: ReadReport) -> None:
        self._show(f"Reading {Path(report.path).name}", report.rows, report.read, 1.0)

    def indexing(self, done: int, total: int) -> None:
        self._show("Indexing", done, done, total)

    def fetching(self, name: str, done: int, total: int | None, unit: str) -> None:
        self._show(f"Fetching {name}", done - self._here.setdefault(name, done), done, total, unit)

    def waiting(self, why: str, seconds: float) -> None:
        if why != self._waited:
            self._waited = why
            self.note(f"{why} Trying again.")

    def training(self, player: str, share: float) -> None:
        self._show(f"Training {player}", 0, share, 1.0)

    def sending(self, done: int, total: int) -> None:
        self._show("Sending", done - self._here.setdefault("Sending", done), done, total)

    def note(self, sentence: str) -> None:
        self._bars.console.print(sentence, markup=False)

    def step(self, number: int, of: int, name: str) -> None:
        self._tasks.clear()
        self.note(f"Step {number} of {of}: {name}")

    def published(self, bundle: Path) -> None:
        self.note(f"Published {bundle}.")

    def _show(self, name: str, rows: int, done: float, total: float | None, unit: str = "") -> None:
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, rows=0, unit=unit)
        self._bars.update(self._tasks[name], completed=done, total=total, rows=rows)


if __name__ == "__main__":
    sys.exit(main())
