"""Every command: the window, and the same core without it."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import logging
import logging.handlers
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter import __version__
from quizwriter.cli import tossup_commands
from quizwriter.cli.challenge_commands import add_commands as commands_of_challenge
from quizwriter.domain.evidence import Evidence, Passage
from quizwriter.domain.guessing import Playthrough, odds
from quizwriter.domain.tossup import Answer, Tossup, page_title
from quizwriter.engine.elastic.secrets import VARIABLES
from quizwriter.errors import QuizwriterError
from quizwriter.services import App, read_tossups
from quizwriter.settings import ServerSettings
from quizwriter.workflow.analysis import Analyst, Request
from quizwriter.workflow.evaluation import SHARES, evaluate
from quizwriter.workflow.wording import (
    percent,
    play_sentence,
    player_title,
    stumped_sentence,
    summary_sentence,
)

if TYPE_CHECKING:
    from rich.console import Console

    from quizwriter.services import Engine

PICTURE = Path("quizwriter-window.png")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments``; the exit status, 1 after a trouble said in two lines."""
    parsed = _parser().parse_args(arguments)
    if sys.stdout is None:  # closed, or started without a console
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the program
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ✓ is no reason to say nothing
    try:
        status: int = parsed.run(parsed)
        sys.stdout.flush()
        return status
    except QuizwriterError as trouble:
        print(f"{trouble.problem}\n{trouble.remedy}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read the output has seen enough
        _forget_output()
        return 0
    except OSError as trouble:  # of the output: all else that is read or written says so itself
        if trouble.errno not in {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT}:
            raise
        _forget_output()
        print(
            f"The output could not be written ({trouble.strerror}).\nMake room, or send it elsewhere.",
            file=sys.stderr,
        )
        return 1


def _forget_output() -> None:
    """Let nothing more be written at the exit, where it would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--bundle",
        type=Path,
        metavar="DIR",
        help="the bundle to use instead of the last one, or the starter bundle",
    )
    json_option = argparse.ArgumentParser(add_help=False)
    json_option.add_argument("--json", action="store_true", help="print JSON")

    parser = argparse.ArgumentParser(
        prog="quizwriter",
        description="Write quizbowl tossups with the machine looking over your shoulder.",
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"quizwriter {__version__}")
    parser.set_defaults(run=_window)
    commands = parser.add_subparsers(metavar="COMMAND", title="commands (without one, the window opens)")

    def command(
        name: str, run: object, text: str, *parents: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        # SUPPRESS, or a --bundle before the command would be forgotten
        added = commands.add_parser(name, help=text, description=text, parents=[*parents])
        added.add_argument(
            "--bundle", type=Path, metavar="DIR", default=argparse.SUPPRESS, help="the bundle to use"
        )
        added.set_defaults(run=run)
        return added

    play = command("play", _play, "Play one tossup word by word.", json_option, _server_options())
    play.add_argument(
        "file", nargs="?", default="-", help="a text file with the tossup; - for standard input"
    )
    play.add_argument("--answer", help="its answer line; an ANSWER: line in the text does as well")

    measure = command(
        "evaluate",
        _evaluate,
        "Say how good the players are on answered questions.",
        json_option,
        _server_options(),
    )
    measure.add_argument(
        "--questions", type=Path, required=True, metavar="FILE", help="JSON lines or QANTA JSON"
    )
    measure.add_argument("--limit", type=_positive, metavar="N", help="only the first N questions")

    command("bench", _bench, "Time the players, the window and the start.", json_option, _server_options())
    command("check", _check, "Check the bundle, the database, and that every history replays.")
    tossup_commands.add_commands(command, json_option)
    commands_of_challenge(command, json_option)
    return parser


def _server_options() -> argparse.ArgumentParser:
    """The options of commands that the Elasticsearch player may take part in."""
    options = argparse.ArgumentParser(add_help=False)
    group = options.add_argument_group(
        "the Elasticsearch player",
        "It takes part if a server is named, which then is sent the tossups. Its API key or password comes "
        f"from {' or '.join(VARIABLES.values())}, or from the keyring, where Preferences put it.",
    )
    group.add_argument("--elasticsearch", metavar="URL", help="the server: https://search.example.org:9200")
    group.add_argument("--index", metavar="NAME", help="the index there")
    group.add_argument("--ca", metavar="FILE", help="the certificate it is checked by")
    group.add_argument("--user", metavar="NAME", help="whose password it is")
    return options


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _window(arguments: argparse.Namespace) -> int:
    # Qt's modules, interrupted while they are imported or make a window, abort or hang. Ending at once harms
    # nothing, and the window takes over once it is there.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    app = App(bundle=arguments.bundle)
    _log_to(app.home)
    if not _has_display():
        return _without_display(app)
    from quizwriter.gui.main_window import run

    return run(app)


def _has_display() -> bool:
    if sys.platform in {"win32", "darwin"}:
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _without_display(app: App) -> int:
    print(
        "There is no display here: playing the example in the terminal, "
        f"and painting a picture of the window to {PICTURE}.\n"
    )
    tossup = app.tossups.example()
    _say(_analysed(app.engines.load(), tossup))
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from quizwriter.gui.main_window import picture

    picture(app, tossup, PICTURE)
    return 0


def _log_to(home: Path) -> None:
    """Keep a log beside the database; without one if the disk does not take it."""
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            home / "quizwriter.log", maxBytes=1_000_000, backupCount=1, encoding="utf-8"
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logging.raiseExceptions = False  # a full disk is said in the window; the log may lack it
        logging.getLogger("quizwriter").addHandler(handler)
        logging.getLogger("quizwriter").setLevel(logging.INFO)


def _app(arguments: argparse.Namespace) -> App:
    """The application of a command; a choice of bundle that makes no sense is not passed over."""
    app = App(bundle=arguments.bundle)
    if app.profile.settings_trouble is not None and arguments.bundle is None:
        raise app.profile.settings_trouble
    if getattr(arguments, "elasticsearch", None):
        app.engines.use_server(_server(arguments, app.profile.settings.elasticsearch))
    elif any(getattr(arguments, name, None) for name in ("index", "ca", "user")):
        raise QuizwriterError(
            "--index, --ca and --user are about an Elasticsearch server, and none is named.",
            "Name it with --elasticsearch.",
        )
    return app


def _server(arguments: argparse.Namespace, known: ServerSettings) -> ServerSettings:
    """The server named; what Preferences say of that very address holds for all that is not named."""
    url = arguments.elasticsearch.rstrip("/")
    server = known if url == known.url else ServerSettings(url=url)
    server = replace(server, on=True, index=arguments.index or server.index, ca=arguments.ca or server.ca)
    said = [kind for kind, variable in VARIABLES.items() if os.environ.get(variable)]
    sign_in = "password" if arguments.user else next(iter(said), server.sign_in)
    return replace(server, sign_in=sign_in, user=arguments.user or server.user or "elastic")


def _play(arguments: argparse.Namespace) -> int:
    text, line = _read_tossup(arguments.file)
    line = arguments.answer or line
    engine = _app(arguments).engines.load()
    answer = None
    if line:
        unresolved = Answer(line)
        answer = Answer(line, engine.pages.find(unresolved.main))
    played = _analysed(engine, Tossup(text, answer))
    if arguments.json:
        print(json.dumps(_as_json(*played), ensure_ascii=False, indent=1))
    else:
        _say(played)
    return 0


def _console() -> Console:
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # as everywhere else, or it would exit with 1

    return Output(highlight=False)


Played = tuple[Tossup, tuple[Playthrough, ...], Evidence | None]


def _analysed(engine: Engine, tossup: Tossup) -> Played:
    *_, analysis = Analyst(engine.players).analyse(Request(0, tossup))
    return tossup, analysis.plays, next(iter(analysis.evidence), None)


def _read_tossup(name: str) -> tuple[str, str | None]:
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
        raise QuizwriterError(f"{name} holds NUL bytes, so it is no text.", "Save it as plain text in UTF-8.")
    head, found, line = text.rpartition("ANSWER:")
    if found and "\n" not in line.strip():
        return head.strip(), line.strip()
    return text.strip(), None


def _as_json(tossup: Tossup, plays: Sequence[Playthrough], evidence: Evidence | None) -> dict[str, Any]:
    return {
        "tossup": {"text": tossup.text, "words": len(tossup.words), "power": tossup.power},
        "plays": [
            {
                "guesser": play.guesser,
                "heard": play.heard,
                "rows": [
                    [{"page": guess.page, "score": round(guess.score, 4)} for guess in row]
                    for row in play.rows
                ],
                "chances": [round(chance, 4) for chance in play.chances],
                "first_correct": play.first_correct,
                "stable_correct": play.stable_correct,
                "outcome": None if play.trouble else str(play.outcome),
                "buzz": play.buzz
                and {
                    "heard": play.buzz.heard,
                    "page": play.buzz.guess.page,
                    "confidence": round(play.buzz.confidence, 4),
                },
                "milliseconds": round(play.milliseconds, 2),
                **({"trouble": play.trouble} if play.trouble else {}),
            }
            for play in plays
        ],
        "summary": summary_sentence(plays),
        "transfer": stumped_sentence(plays),
        "evidence": evidence
        and {
            "page": evidence.page,
            "cues": [
                {"start": cue.span.start, "end": cue.span.end, "weight": round(cue.weight, 4)}
                for cue in evidence.cues
            ],
            "passages": [
                {
                    "source": passage.source,
                    "text": passage.text,
                    "hits": [[hit.start, hit.end] for hit in passage.hits],
                }
                for passage in evidence.passages
            ],
        },
    }


def _say(played: Played) -> None:
    """Print a game for a reader: where the guesses change, the positions, the words that gave it away."""
    from rich.table import Table
    from rich.text import Text

    tossup, plays, evidence = played
    console = _console()
    words = len(tossup.words)
    shaded = Text(tossup.text)
    if evidence is not None:
        strongest = max((abs(cue.weight) for cue in evidence.cues), default=1.0) or 1.0
        for cue in evidence.cues:
            if abs(cue.weight) > 0.2 * strongest:
                shaded.stylize("bold underline" if cue.weight > 0 else "strike", cue.span.start, cue.span.end)
    console.print(shaded)
    if tossup.answer is not None:
        known = (
            "" if tossup.answer.page else " (no page of this bundle is called so: no machine can guess it)"
        )
        console.print(f"\nAnswer: {tossup.answer.line}{known}", markup=False)
    for play in plays:
        console.print()
        if play.trouble:
            console.print(f"{player_title(play.guesser)}: {play.trouble}", markup=False)
            continue
        table = Table(
            "after word",
            "first",
            "second",
            "third",
            title=f"{player_title(play.guesser)}, where its first guess changes",
            title_justify="left",
        )
        for index, row in enumerate(play.rows):
            if row and (index == len(play.rows) - 1 or not index or row[0].page != _first(play, index - 1)):
                mark = "✓ " if play.right[index] else ""
                chances = odds(row, play.chances[index])
                cells = [
                    f"{page_title(guess.page)}, {percent(chance)}"
                    for guess, chance in zip(row[:3], chances[:3], strict=True)
                ]
                table.add_row(f"{play.heard[index]} of {words}", mark + cells[0], *cells[1:])
        console.print(table)
        console.print(play_sentence(play), markup=False)
    if len(plays) > 1:
        console.print()
        for line in (summary_sentence(plays), stumped_sentence(plays)):
            console.print(line, markup=False)
    if evidence is not None and evidence.passages:
        console.print(f"\nEvidence for {page_title(evidence.page)}:", markup=False)
        for passage in evidence.passages[:6]:
            start, end = _around(passage)
            text = Text(passage.text[start:end].strip())
            for hit in passage.hits:
                text.stylize("bold", max(0, hit.start - start), max(0, hit.end - start))
            console.print(Text(f"  {passage.source}: ", "dim") + text)


def _around(passage: Passage, width: int = 240) -> tuple[int, int]:
    """The stretch of about ``width`` characters of a passage that holds the most of its hits."""
    starts = [hit.start for hit in passage.hits]
    best = max(starts, key=lambda start: sum(start <= other < start + width for other in starts))
    start = passage.text.rfind(" ", 0, max(0, best - 20)) + 1
    end = passage.text.find(" ", start + width)
    return start, len(passage.text) if end < 0 else end


def _first(play: Playthrough, index: int) -> str | None:
    return play.rows[index][0].page if play.rows[index] else None


def _evaluate(arguments: argparse.Namespace) -> int:
    engine = _app(arguments).engines.load()
    report = evaluate(engine.players, read_tossups(arguments.questions, arguments.limit), engine.pages.rows)
    if not report["questions"]:
        raise QuizwriterError(
            f"There are no answered questions in {arguments.questions}.",
            "It should hold JSON lines or QANTA JSON, each row with a text and an answer.",
        )
    if arguments.json:
        print(json.dumps(report, indent=1))
        return 0
    from rich.table import Table

    figures: dict[str, Any] = report["guessers"]  # type: ignore[assignment]
    table = Table("", *figures)
    guessable = [found["guessable"] for found in figures.values()]
    table.add_row("questions it can know", *(str(found["questions"]) for found in guessable))
    for name, key in (("right", "top1"), ("among the five", "top5")):
        for share in SHARES:
            table.add_row(
                f"{name} after {share} %", *(_figure(found[key][str(share)]) for found in guessable)
            )
    for name, key in (
        ("first right, share of the words", "first_correct"),
        ("right for good, share of the words", "stable_correct"),
    ):
        table.add_row(name, *(_figure(found[key]) for found in figures.values()))
    table.add_row("expected wins", *(_figure(found["expected_wins"]) for found in guessable))
    for key in ("p50", "p95"):
        table.add_row(
            f"milliseconds {key}", *(_figure(found["milliseconds"][key]) for found in figures.values())
        )
    console = _console()
    console.print(f"{report['questions']} questions; shares are of those that each player can know")
    console.print(table)
    return 0


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _bench(arguments: argparse.Namespace) -> int:
    from quizwriter.bench.engine import bench

    figures = bench(_app(arguments))
    if arguments.json:
        print(json.dumps(figures, indent=1))
    else:
        for name, value in figures.items():
            print(f"{name:36} {value}")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    app = _app(arguments)
    engine = app.engines.load()
    print(f"Bundle {engine.title}: every file is as it was built ({engine.digest}).")
    for trouble in engine.troubles:
        print(trouble)
    with contextlib.closing(app.store) as store:
        damage = store.check()
        count = len(store.tossups())
    for sentence in damage:
        print(sentence)
    if not damage:
        replay = "1 history replays" if count == 1 else f"{count} histories replay"
        print(f"Database {store.path}: sound; {replay}, both ways.")
    return 1 if damage or engine.troubles else 0
