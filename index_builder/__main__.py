"""``python -m index_builder``: build bundles on the command line."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from index_builder.build import REPORT, build
from index_builder.data.catalogue import QANTA, WIKIPEDIA, megabytes
from index_builder.data.corpus import Inputs
from index_builder.data.encyclopedia import article_titles, fetch_articles
from index_builder.data.fetch import RESUME_HINT, fetch_file
from index_builder.listed_words import LISTED, write_listed_words
from index_builder.pipeline import BUNDLE, SOURCES, Pipeline
from index_builder.progress import Progress
from index_builder.progress_output import STOPPED, ConsoleProgress
from index_builder.starter import train_starter
from index_builder.title_lists import write_title_lists
from index_builder.training_commands import (
    add_device,
    add_training_commands,
    per_cent,
    positive,
    with_progress,
)
from index_builder.user_packets import (
    add_packets,
    added_packets,
    learn_from_packets,
    remove_packets,
    unlearn_packets,
    unlearnt_sentence,
)
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import Connection
from quizwriter.errors import QuizwriterError
from quizwriter.system.extras import TRAINING, require_extra

if TYPE_CHECKING:
    from index_builder.index.elastic_publisher import BarredPassages

API_KEY, PASSWORD = "QUIZWRITER_ELASTICSEARCH_API_KEY", "QUIZWRITER_ELASTICSEARCH_PASSWORD"
"""Environment variables for secrets: a command line can be read by anyone on the computer."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments``; the exit status: 1 after an error, which is printed in two lines."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
        return status
    except QuizwriterError as trouble:
        print(f"{trouble.problem}\n{trouble.remedy}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(parsed.stopped, file=sys.stderr)
        return STOPPED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m index_builder", description="Build the bundles that QuizWriter loads."
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
    command.add_argument("--title", help="the bundle's name in the window (unless given: the folder's name)")
    command.add_argument(
        "--all", action="store_true", help="index every fold, not only the guessers' training fold"
    )
    command.add_argument(
        "--hold-back",
        type=per_cent,
        default=0,
        metavar="N",
        help="leave out N of a hundred tournaments whole, to measure on them: quizwriter bench --desk",
    )
    command.set_defaults(
        run=_build, stopped="Stopped; nothing was published, and what was there before is untouched."
    )
    add_training_commands(commands)
    _add_starter(commands)

    command = commands.add_parser("add", help="add your own packets to a bundle")
    command.add_argument(
        "paths",
        type=Path,
        nargs="*",
        metavar="PATH",
        help="folders or files: .docx, .txt, JSON lines, QANTA JSON; without any, added packets are listed",
    )
    command.add_argument(
        "--bundle", type=Path, required=True, metavar="DIR", help="the bundle to add them to"
    )
    command.add_argument(
        "--remove", metavar="NAME", help="remove the packets that were added under this name"
    )
    command.set_defaults(run=_add, stopped="Stopped; nothing was added.")
    command = commands.add_parser("learn", help="let the networks of a bundle learn from your added packets")
    command.add_argument(
        "--bundle", type=Path, required=True, metavar="DIR", help="the bundle that the packets were added to"
    )
    command.add_argument(
        "--undo", action="store_true", help="give the networks the weights back that they had before"
    )
    command.add_argument(
        "--json-progress", action="store_true", help="for programs: write progress as lines of JSON"
    )
    command.set_defaults(
        run=_learn,
        stopped="Stopped; a network that was learning is as it was before it learnt from any packets.",
    )
    add_device(command)
    _add_fetching(commands)
    _add_publishing(commands)
    return parser


def _add_starter(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "starter", help="for releases: train the players that come with the program"
    )
    command.add_argument(
        "--texts", type=Path, required=True, metavar="DIR", help="the starter texts; the players go into them"
    )
    command.add_argument(
        "--examples", type=Path, required=True, metavar="FILE", help="tossups that nobody learns from"
    )
    command.set_defaults(run=_starter, stopped="Stopped; the players are as they were before.")
    command = commands.add_parser(
        "titles", help="for releases: make the lists of titles that the judge needs"
    )
    command.add_argument(
        "source", type=Path, metavar="FILE", help="JSON lines with a page each; it may be packed"
    )
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the lists")
    command.set_defaults(run=_titles, stopped="Stopped; the lists are as they were before.")
    command = commands.add_parser(
        "words", help="for releases: make the list of words that the rule on spelling needs"
    )
    command.add_argument(
        "source", type=Path, metavar="FILE", help="large_en.msgpack.gz of the package wordfreq"
    )
    command.add_argument(
        "--slips", type=Path, required=True, metavar="FILE", help="dictionary.txt of the package codespell"
    )
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the list")
    command.set_defaults(run=_words, stopped="Stopped; the list is as it was before.")


def _titles(parsed: argparse.Namespace) -> int:
    for name, lines in write_title_lists(parsed.source, parsed.out).items():
        print(f"{parsed.out / name}: {lines:,} lines")
    return 0


def _words(parsed: argparse.Namespace) -> int:
    count = write_listed_words(parsed.source, parsed.slips, parsed.out)
    print(f"{parsed.out / LISTED}: {count:,} words")
    return 0


def _starter(parsed: argparse.Namespace) -> int:
    with ConsoleProgress() as bars:
        train_starter(parsed.texts, parsed.examples, bars)
    return 0


def _learn(parsed: argparse.Namespace) -> int:
    if parsed.undo:
        print(unlearnt_sentence(unlearn_packets(parsed.bundle)))
        return 0
    said: list[str] = []

    def run(progress: Progress) -> None:
        require_extra("train", TRAINING)
        said.append(learn_from_packets(parsed.bundle, progress, device=parsed.device).sentence)
        if parsed.json_progress:
            progress.note(said[0])

    status = with_progress(parsed, run)
    if not parsed.json_progress:
        print(*said)
    return status


def _add(parsed: argparse.Namespace) -> int:
    if parsed.remove:
        remove_packets(parsed.bundle, parsed.remove)
        print(f"Removed {parsed.remove}.")
    if parsed.paths:
        started = time.monotonic()
        with ConsoleProgress() as bars:
            found = add_packets(parsed.bundle, parsed.paths, bars.reading_packets)
        for one in found:
            print(one.sentence)
            for problem in one.unread:
                print(f"  {problem.sentence}")
        print(f"{time.monotonic() - started:.1f} s.")
        return 0 if any(one.name for one in found) else 1
    if not parsed.remove:
        listed, troubles = added_packets(parsed.bundle)
        for one in listed:
            print(f"{one.name}: {one.sentence}")
        for trouble in troubles:
            print(f"{trouble.problem}\n{trouble.remedy}", file=sys.stderr)
        if not listed and not troubles:
            print(f"Nothing was added to {parsed.bundle}.")
    return 0


def _add_fetching(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    questions = argparse.ArgumentParser(add_help=False)
    questions.add_argument(
        "--mirror",
        default="",
        metavar="URL",
        help="another address of the questions, or a file on this computer",
    )
    articles = argparse.ArgumentParser(add_help=False)
    articles.add_argument(
        "--api", default=WIKIPEDIA.address, metavar="URL", help="the address of another MediaWiki"
    )
    articles.add_argument(
        "--whole",
        action="store_true",
        help="fetch whole articles, one a second, instead of their openings, 20 a second",
    )
    articles.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="fetch articles only for the N answers asked for most often",
    )
    articles.add_argument(
        "--contact", default="", metavar="ADDRESS", help="where Wikipedia's operators can reach you"
    )

    fetched = commands.add_parser("fetch", help="fetch public data").add_subparsers(
        required=True, metavar="WHAT"
    )
    command = fetched.add_parser("qanta", help=QANTA.title, parents=[questions])
    command.set_defaults(run=_fetch_questions, stopped=f"Stopped. {RESUME_HINT}")
    command.add_argument(
        "--out", type=Path, default=Path(SOURCES), metavar="DIR", help="the folder for the fetched files"
    )
    command = fetched.add_parser("wikipedia", help="encyclopedia text on answers", parents=[articles])
    command.set_defaults(run=_fetch_articles, stopped=f"Stopped. {RESUME_HINT}")
    command.add_argument(
        "--titles-from",
        type=Path,
        required=True,
        metavar="BUNDLE",
        help="the bundle whose answers the articles are about",
    )
    command.add_argument(
        "--out", type=Path, default=Path(SOURCES), metavar="DIR", help="the folder for the fetched files"
    )

    command = commands.add_parser("all", help="fetch and build everything", parents=[questions, articles])
    command.set_defaults(run=_run_pipeline, stopped=f"Stopped. {RESUME_HINT}")
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder for the bundle and the fetched files",
    )
    command.add_argument(
        "--json-progress", action="store_true", help="for programs: write progress as lines of JSON"
    )


def _add_publishing(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("publish", help="publish to an Elasticsearch server or cluster")
    command.set_defaults(
        run=_publish, stopped="Stopped; what has arrived is kept, and the same command goes on from there."
    )
    command.add_argument(
        "--to",
        required=True,
        metavar="URL",
        help="the address of the server; several addresses are separated by commas",
    )
    command.add_argument(
        "--index", required=True, metavar="NAME", help="the name under which the index is found there"
    )
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
        "--all", action="store_true", help="publish every fold, not only the guessers' training fold"
    )
    command.add_argument(
        "--bundle", type=Path, metavar="DIR", help="publish the passages of this bundle instead of files"
    )
    command.add_argument(
        "--ca",
        default="",
        metavar="FILE",
        help="the file of the certificate authority that signed for the server",
    )
    command.add_argument(
        "--no-verify",
        action="store_true",
        help="accept any certificate; anyone between here and the server can then read along",
    )
    command.add_argument(
        "--plain-http", action="store_true", help="allow http to another computer, without encryption"
    )
    command.add_argument(
        "--user",
        default="",
        metavar="NAME",
        help=f"the user whose password is in {PASSWORD}; or set {API_KEY} instead",
    )
    command.add_argument(
        "--shards", type=positive, default=1, metavar="N", help="the number of shards of the index"
    )
    command.add_argument(
        "--k1", type=float, default=1.2, metavar="X", help="parameter of BM25, which ranks passages"
    )
    command.add_argument(
        "--b", type=float, default=0.75, metavar="X", help="parameter of BM25, which ranks passages"
    )
    command.add_argument(
        "--work",
        type=Path,
        metavar="DIR",
        help="the folder in which passages are sorted and counted (unless given: a cache folder)",
    )


def _publish(parsed: argparse.Namespace) -> int:
    from index_builder.index.elastic_publisher import IndexOptions, publish_index

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
    with ConsoleProgress() as bars:
        done = publish_index(
            source,
            connection,
            work,
            bars,
            options=IndexOptions(parsed.k1, parsed.b, parsed.shards),
            barred=_barred_passages(),
        )
    if not done.seconds:
        print(f"{parsed.index} on {parsed.to} is up to date: {done.passages:,} passages.")
        return 0
    print(
        f"Published {parsed.index} on {parsed.to}: {done.pages:,} pages, {done.passages:,} passages, "
        f"{megabytes(done.bytes)}, {done.bytes / done.passages:,.0f} bytes a passage; "
        f"sent in {done.seconds:,.0f} s."
    )
    return 0


def _barred_passages() -> BarredPassages | None:
    """What never leaves this machine, which only the program's database knows; None if there is nothing."""
    from index_builder.index.elastic_publisher import BarredPassages
    from quizwriter.services.wiring import DATABASE, App

    with App() as app:
        if not (app.home / DATABASE).exists():
            return None
        texts = app.models.barred_texts()
    if not texts.parts:
        return None
    sets = ", ".join(sorted(set(texts.parts.values())))
    print(f"Passages that hold a text of these sets never leave this machine, and are left out: {sets}.")
    return BarredPassages(lambda text: texts.set_of(Tossup(text)) is None, texts.digest)


def _files(path: Path) -> list[Path]:
    """``path``, or every file in it if it is a folder, as WikiExtractor fills them."""
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _build(parsed: argparse.Namespace) -> int:
    inputs = Inputs(
        tuple(parsed.questions),
        tuple(parsed.bonuses),
        tuple(parsed.wiki),
        tuple(parsed.answer_map),
        everything=parsed.all,
        hold_back=parsed.hold_back,
    )
    with ConsoleProgress() as bars:
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
    with ConsoleProgress() as bars:
        path = fetch_file(QANTA, parsed.out, bars, mirror=parsed.mirror)
    print(f"{path} is ready. {QANTA.terms}")
    return 0


def _fetch_articles(parsed: argparse.Namespace) -> int:
    titles = article_titles(parsed.titles_from, parsed.limit)
    with ConsoleProgress() as bars:
        path = fetch_articles(
            titles, parsed.out, bars, api=parsed.api, whole=parsed.whole, contact=parsed.contact
        )
    print(f"{path} is ready. {WIKIPEDIA.terms}")
    return 0


def _run_pipeline(parsed: argparse.Namespace) -> int:
    pipeline = Pipeline(parsed.out, parsed.mirror, parsed.api, parsed.whole, parsed.limit, parsed.contact)
    status = with_progress(parsed, pipeline.run)
    if not parsed.json_progress:
        print(f"{parsed.out / BUNDLE} is ready; open it in QuizWriter with File, Open bundle….")
    return status


if __name__ == "__main__":
    sys.exit(main())
