"""The commands that make bundles; ``python -m index_builder`` has them, too.

What builds is imported where it is used: the parser of all commands reads this module.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter.cli.commands import STORE, argument, builder_command
from quizwriter.cli.options import existing_database, positive_number, whole_number
from quizwriter.cli.output import print_lines, print_notes
from quizwriter.cli.training import DEVICE, JSON_PROGRESS, with_progress
from quizwriter.domain.server_address import SECRET_VARIABLES
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.system.extras import TRAINING, require_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from index_builder.index.elastic_publisher import BarredPassages
    from index_builder.progress import Progress

RESUMED = "Stopped. What has arrived is kept, and the next try continues from there."

_FILES: dict[str, Any] = {"type": Path, "nargs": "+", "metavar": "FILE"}

_QUESTIONS = (
    argument(
        "--mirror",
        default="",
        metavar="URL",
        help="another address of the questions, or a file on this computer",
    ),
)

_ARTICLES = (
    argument("--api", default="", metavar="URL", help="the address of another MediaWiki"),
    argument(
        "--whole",
        action="store_true",
        help="fetch whole articles, one a second, instead of their openings, 20 a second",
    ),
    argument(
        "--limit",
        type=whole_number(1),
        metavar="N",
        help="fetch articles only for the N answers asked for most often",
    ),
    argument("--contact", default="", metavar="ADDRESS", help="where Wikipedia's operators can reach you"),
)


@builder_command(
    "build",
    "Build a bundle from questions and encyclopedia text.",
    argument(
        "--questions", **_FILES, required=True, help="tossups: JSON lines or QANTA JSON, .gz or .xz too"
    ),
    argument("--bonuses", **_FILES, default=[], help="bonuses: JSON lines"),
    argument("--wiki", **_FILES, default=[], help="encyclopedia text: JSON lines with page and text"),
    argument(
        "--answer-map", **_FILES, default=[], help="JSON lines with key and page, for answers without a page"
    ),
    argument("--out", type=Path, required=True, metavar="BUNDLE", help="the folder to publish to"),
    argument("--title", help="the bundle's name in the window (unless given: the folder's name)"),
    argument("--all", action="store_true", help="index every fold, not only the guessers' training fold"),
    argument(
        "--hold-back",
        type=whole_number(0, 99),
        default=0,
        metavar="N",
        help="leave out N of a hundred tournaments whole, to measure on them: quizwriter bench --desk",
    ),
    argument(
        "--without",
        **_FILES,
        default=[],
        help="leave out the questions in these files, to measure on them, and their near copies: "
        "questions that share a fifth of their runs of five words with one",
    ),
    stopped="Stopped; nothing was published, and what was there before is untouched.",
)
def _build(arguments: argparse.Namespace) -> int:
    from index_builder.build import REPORT, build
    from index_builder.data.corpus import Inputs
    from index_builder.progress_output import ConsoleProgress

    inputs = Inputs(
        tuple(arguments.questions),
        tuple(arguments.bonuses),
        tuple(arguments.wiki),
        tuple(arguments.answer_map),
        everything=arguments.all,
        hold_back=arguments.hold_back,
        without=tuple(arguments.without),
    )
    with ConsoleProgress() as bars:
        report = build(inputs, arguments.out, arguments.title or arguments.out.name, bars)
    counts: Any = report["counts"]
    print_lines(
        f"Published {arguments.out}: {counts['pages']:,} pages, {counts['passages']:,} passages, "
        f"{counts['postings']:,} postings, in {report['seconds']} s."
    )
    left_out: Any = report["left_out"]
    if left_out:
        told = " and ".join(f"{count:,} {noun}" for noun, count in left_out.items())
        print_lines(f"Left out as questions of --without or near copies of them: {told}.")
    files: Any = report["files"]
    rejected = sum(entry["rows"] for file in files for entry in file["rejected"].values())
    if rejected:
        print_lines(f"{rejected:,} rows could not be used; {arguments.out / REPORT} says which and why.")
    return 0


@builder_command(
    "add",
    "Add your own packets to a bundle.",
    argument(
        "paths",
        type=Path,
        nargs="*",
        metavar="PATH",
        help="folders or files: .docx, .txt, JSON lines, QANTA JSON; without any, added packets are listed",
    ),
    argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to add them to"),
    argument("--remove", metavar="NAME", help="remove the packets that were added under this name"),
    stopped="Stopped; nothing was added.",
)
def _add(arguments: argparse.Namespace) -> int:
    from index_builder.progress_output import ConsoleProgress
    from index_builder.user_packets import add_packets, added_packets, remove_packets

    if arguments.remove:
        remove_packets(arguments.bundle, arguments.remove)
        print_lines(f"Removed {arguments.remove}.")
    if arguments.paths:
        started = time.monotonic()
        with ConsoleProgress() as bars:
            found = add_packets(arguments.bundle, arguments.paths, bars.reading_packets)
        for one in found:
            print_lines(one.sentence)
            for problem in one.unread:
                print_lines(f"  {problem.sentence}")
        print_lines(f"{time.monotonic() - started:.1f} s.")
        return 0 if any(one.name for one in found) else 1
    if not arguments.remove:
        listed, troubles = added_packets(arguments.bundle)
        for one in listed:
            print_lines(f"{one.name}: {one.sentence}")
        for trouble in troubles:
            print_notes(f"{trouble.problem}\n{trouble.remedy}")
        if not listed and not troubles:
            print_lines(f"Nothing was added to {arguments.bundle}.")
    return 0


@builder_command(
    "learn",
    "Let the networks of a bundle learn from your added packets.",
    argument(
        "--bundle", type=Path, required=True, metavar="DIR", help="the bundle that the packets were added to"
    ),
    argument(
        "--undo", action="store_true", help="undo the training: restore the networks' weights from before"
    ),
    JSON_PROGRESS,
    DEVICE,
    stopped="Stopped; a network that was learning is as it was before it learnt from any packets.",
)
def _learn(arguments: argparse.Namespace) -> int:
    from index_builder.user_packets import learn_from_packets, unlearn_packets, unlearnt_sentence

    if arguments.undo:
        print_lines(unlearnt_sentence(unlearn_packets(arguments.bundle)))
        return 0
    said: list[str] = []

    def run(progress: Progress) -> None:
        require_extra("train", TRAINING)
        said.append(learn_from_packets(arguments.bundle, progress, device=arguments.device).sentence)
        if arguments.json_progress:
            progress.note(said[0])

    status = with_progress(arguments, run)
    if not arguments.json_progress:
        print_lines(*said)
    return status


@builder_command(
    "starter",
    "For releases: train the players that come with the program.",
    argument(
        "--texts", type=Path, required=True, metavar="DIR", help="the starter texts; the players go into them"
    ),
    argument("--examples", type=Path, required=True, metavar="FILE", help="tossups that nobody learns from"),
    stopped="Stopped; the players are as they were before.",
)
def _starter(arguments: argparse.Namespace) -> int:
    from index_builder.progress_output import ConsoleProgress
    from index_builder.starter import train_starter

    with ConsoleProgress() as bars:
        train_starter(arguments.texts, arguments.examples, bars)
    return 0


@builder_command(
    "titles",
    "For releases: make the lists of titles that the judge needs.",
    argument("source", type=Path, metavar="FILE", help="JSON lines with a page each; it may be packed"),
    argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the lists"),
    stopped="Stopped; the lists are as they were before.",
)
def _titles(arguments: argparse.Namespace) -> int:
    from index_builder.title_lists import write_title_lists

    for name, lines in write_title_lists(arguments.source, arguments.out).items():
        print_lines(f"{arguments.out / name}: {lines:,} lines")
    return 0


@builder_command(
    "words",
    "For releases: make the list of words that the rule on spelling needs.",
    argument("source", type=Path, metavar="FILE", help="large_en.msgpack.gz of the package wordfreq"),
    argument(
        "--slips", type=Path, required=True, metavar="FILE", help="dictionary.txt of the package codespell"
    ),
    argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the list"),
    stopped="Stopped; the list is as it was before.",
)
def _words(arguments: argparse.Namespace) -> int:
    from index_builder.listed_words import LISTED, write_listed_words

    count = write_listed_words(arguments.source, arguments.slips, arguments.out)
    print_lines(f"{arguments.out / LISTED}: {count:,} words")
    return 0


@builder_command(
    "synonyms",
    "For releases: make the list of synonyms that What if offers.",
    argument("source", type=Path, metavar="DIR", help="the folder with the files of WordNet 3"),
    argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the list"),
    stopped="Stopped; the list is as it was before.",
)
def _synonyms(arguments: argparse.Namespace) -> int:
    from index_builder.synonym_list import LISTED, write_synonyms

    count = write_synonyms(arguments.source, arguments.out)
    print_lines(f"{arguments.out / LISTED}: {count:,} words")
    return 0


@builder_command(
    "fetch qanta",
    "Fetch QANTA's past questions.",
    *_QUESTIONS,
    argument(
        "--out", type=Path, default=Path("sources"), metavar="DIR", help="the folder for the fetched files"
    ),
    stopped=RESUMED,
)
def _fetch_questions(arguments: argparse.Namespace) -> int:
    from index_builder.data.catalogue import QANTA
    from index_builder.data.fetch import fetch_file
    from index_builder.progress_output import ConsoleProgress

    with ConsoleProgress() as bars:
        path = fetch_file(QANTA, arguments.out, bars, mirror=arguments.mirror)
    print_lines(f"{path} is ready. {QANTA.terms}")
    return 0


@builder_command(
    "fetch wikipedia",
    "Fetch encyclopedia text on the answers of a bundle.",
    *_ARTICLES,
    argument(
        "--titles-from",
        type=Path,
        required=True,
        metavar="BUNDLE",
        help="the bundle whose answers the articles are about",
    ),
    argument(
        "--out", type=Path, default=Path("sources"), metavar="DIR", help="the folder for the fetched files"
    ),
    stopped=RESUMED,
)
def _fetch_articles(arguments: argparse.Namespace) -> int:
    from index_builder.data.catalogue import WIKIPEDIA
    from index_builder.data.encyclopedia import article_titles, fetch_articles
    from index_builder.progress_output import ConsoleProgress

    titles = article_titles(arguments.titles_from, arguments.limit)
    with ConsoleProgress() as bars:
        path = fetch_articles(
            titles,
            arguments.out,
            bars,
            api=arguments.api or WIKIPEDIA.address,
            whole=arguments.whole,
            contact=arguments.contact,
        )
    print_lines(f"{path} is ready. {WIKIPEDIA.terms}")
    return 0


@builder_command(
    "all",
    "Fetch public data and build a bundle of it.",
    *_QUESTIONS,
    *_ARTICLES,
    argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder for the bundle and the fetched files",
    ),
    JSON_PROGRESS,
    stopped=RESUMED,
)
def _run_pipeline(arguments: argparse.Namespace) -> int:
    from index_builder.data.catalogue import WIKIPEDIA
    from index_builder.pipeline import BUNDLE, Pipeline

    pipeline = Pipeline(
        arguments.out,
        arguments.mirror,
        arguments.api or WIKIPEDIA.address,
        arguments.whole,
        arguments.limit,
        arguments.contact,
    )
    status = with_progress(arguments, pipeline.run)
    if not arguments.json_progress:
        print_lines(f"{arguments.out / BUNDLE} is ready; open it in QuizWriter with File, Open bundle….")
    return status


@builder_command(
    "publish",
    "Publish to an Elasticsearch server or cluster.",
    argument(
        "--to",
        required=True,
        metavar="URL",
        help="the address of the server; several addresses are separated by commas",
    ),
    argument("--index", required=True, metavar="NAME", help="the name under which the index is found there"),
    argument("--questions", **_FILES, default=[], help="as for build"),
    argument("--bonuses", **_FILES, default=[], help="as for build"),
    argument(
        "--wiki",
        **_FILES,
        default=[],
        help="encyclopedia text: JSON lines, WikiExtractor's or a CirrusSearch dump; folders of them too",
    ),
    argument("--answer-map", **_FILES, default=[], help="as for build"),
    argument("--all", action="store_true", help="publish every fold, not only the guessers' training fold"),
    argument(
        "--bundle", type=Path, metavar="DIR", help="publish the passages of this bundle instead of files"
    ),
    argument(
        "--ca",
        default="",
        metavar="FILE",
        help="the file of the certificate authority that signed for the server",
    ),
    argument(
        "--no-verify",
        action="store_true",
        help="accept any certificate; anyone between here and the server can then read along",
    ),
    argument("--plain-http", action="store_true", help="allow http to another computer, without encryption"),
    argument(
        "--user",
        default="",
        metavar="NAME",
        help="the user whose password is in {password}; or set {key} instead".format_map(SECRET_VARIABLES),
    ),
    argument(
        "--shards", type=whole_number(1), default=1, metavar="N", help="the number of shards of the index"
    ),
    argument(
        "--k1", type=positive_number, default=1.2, metavar="X", help="parameter of BM25, which ranks passages"
    ),
    argument(
        "--b", type=positive_number, default=0.75, metavar="X", help="parameter of BM25, which ranks passages"
    ),
    argument(
        "--work",
        type=Path,
        metavar="DIR",
        help="the folder in which passages are sorted and counted (unless given: a cache folder)",
    ),
    STORE,
    JSON_PROGRESS,
    stopped="Stopped; what has arrived is kept, and the same command continues from there.",
)
def _publish(arguments: argparse.Namespace) -> int:
    import platformdirs

    from index_builder.data.catalogue import megabytes
    from index_builder.data.corpus import Inputs
    from index_builder.index.elastic_publisher import IndexOptions, publish_index
    from quizwriter.engine.bundle import Bundle
    from quizwriter.engine.elastic.client import Connection

    named = [*arguments.questions, *arguments.bonuses, *arguments.wiki]
    if bool(named) == bool(arguments.bundle):
        raise QuizwriterError(
            "Name either files to publish or a bundle.",
            "Give --questions, --bonuses or --wiki, or else --bundle.",
        )
    source = Bundle.open(arguments.bundle) if arguments.bundle else Inputs(
        tuple(arguments.questions),
        tuple(arguments.bonuses),
        tuple(file for path in arguments.wiki for file in _files(path)),
        tuple(arguments.answer_map),
        everything=arguments.all,
    )  # fmt: skip
    connection = Connection(
        arguments.to,
        arguments.index,
        ca=arguments.ca,
        verify=not arguments.no_verify,
        user=arguments.user,
        secret=os.environ.get(SECRET_VARIABLES["password"], ""),
        api_key=os.environ.get(SECRET_VARIABLES["key"], ""),
        plain_ok=arguments.plain_http,
    )
    work = arguments.work or platformdirs.user_cache_path("quizwriter") / "publish"
    said: list[str] = []

    def run(progress: Progress) -> None:
        tell = progress.note if arguments.json_progress else said.append
        done = publish_index(
            source,
            connection,
            work,
            progress,
            options=IndexOptions(arguments.k1, arguments.b, arguments.shards),
            barred=_barred_passages(arguments.store, tell),
        )
        if not done.seconds:
            tell(f"{arguments.index} on {arguments.to} is up to date: {done.passages:,} passages.")
            return
        tell(
            f"Published {arguments.index} on {arguments.to}: {done.pages:,} pages, {done.passages:,} "
            f"passages, {megabytes(done.bytes)}, {done.bytes / done.passages:,.0f} bytes a passage; "
            f"sent in {done.seconds:,.0f} s."
        )

    status = with_progress(arguments, run)
    print_lines(*said)
    return status


def _barred_passages(database: Path | None, tell: Callable[[str], object]) -> BarredPassages | None:
    """What never leaves this machine, which only the program's database knows; None if there is nothing."""
    from index_builder.index.elastic_publisher import BarredPassages

    with App(database=existing_database(database)) as app:
        if not app.database.exists():
            return None
        texts = app.models.barred_texts()
    if not texts.parts:
        return None
    sets = ", ".join(sorted(set(texts.parts.values())))
    tell(f"Passages that hold a text of these sets never leave this machine, and are left out: {sets}.")
    return BarredPassages(lambda text: texts.set_of(Tossup(text)) is None, texts.digest)


def _files(path: Path) -> list[Path]:
    """``path``, or every file in it if it is a folder, as WikiExtractor fills them."""
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
