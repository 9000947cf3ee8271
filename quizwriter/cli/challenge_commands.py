"""The commands that release a challenge set, check one, and withdraw from one."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.domain.review import Consent, ConsentGiven, Status
from quizwriter.errors import QuizwriterError
from quizwriter.services import App
from quizwriter.workflow.wording import counted_noun, listed

if TYPE_CHECKING:
    from quizwriter.challenge.export import ExportReport
    from quizwriter.challenge.metadata import SetMetadata

Command = Callable[..., argparse.ArgumentParser]


def add_commands(command: Command, json_option: argparse.ArgumentParser) -> None:
    """Make the commands; ``command`` takes a name, what runs it, a sentence and parents."""
    store = argparse.ArgumentParser(add_help=False)
    store.add_argument("--store", type=Path, metavar="FILE", help="another database than your own")

    release = command("export", _export, "Release a challenge set in a folder.", store, json_option)
    release.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder that is not there")
    release.add_argument("--title", help="what the set is called")
    release.add_argument("--version", help="its version, as 1.0")
    release.add_argument("--licence", help="CC BY 4.0, CC BY-SA 4.0, CC BY-NC 4.0 or CC0 1.0")
    release.add_argument("--after", type=Path, metavar="DIR", help="an earlier version, whose splits stay")
    release.add_argument("--set", metavar="NAME", help="only tossups of this set")
    release.add_argument(
        "--status",
        action="append",
        type=status_called,
        metavar="S",
        help="instead of accepted; may be repeated",
    )
    release.add_argument(
        "--stumps", action="append", default=[], metavar="PLAYER", help="only what stumps this player"
    )
    release.add_argument(
        "--until",
        type=_share,
        default=100,
        metavar="N",
        help="they may be right after N per cent of the words",
    )
    release.add_argument("--keep-repeats", action="store_true", help="keep all of several near duplicates")
    release.add_argument("--keep", action="append", default=[], metavar="ID", help="keep this near duplicate")
    release.add_argument("--no-histories", action="store_true", help="leave the histories out")
    release.add_argument(
        "--other-person", action="append", default=[], metavar="NAME", help="a name that means somebody else"
    )
    release.add_argument("--sheet", type=Path, metavar="FILE", help="what the editor says of the set")

    folder = command("verify", _verify, "Check a challenge set, every byte of it.", store, json_option)
    folder.add_argument("folder", type=Path, metavar="DIR")

    consent = command("consent", _consent, "Say whether tossups may be released.", store)
    consent.add_argument("ids", nargs="+", metavar="ID")
    consent.add_argument(
        "--set", required=True, type=_consented, metavar="C", help="yes, no, or never: whatever others say"
    )

    withdraw = command("retract", _retract, "Withdraw questions in a new version.", store)
    withdraw.add_argument("folder", type=Path, metavar="DIR", help="the version to go on from")
    withdraw.add_argument("ids", nargs="+", metavar="ID", help="a question's qanta_id or tossup_id")
    withdraw.add_argument("--reason", required=True, help="why; it is published")
    withdraw.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder that is not there")
    withdraw.add_argument("--version", default="", help="of the new one; else one more than before")


def status_called(text: str) -> Status:
    """The status that an argument names.

    Raises:
        argparse.ArgumentTypeError: there is none.
    """
    try:
        return Status(text.strip().lower().replace("-", " "))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(Status)}") from None


def _consented(text: str) -> Consent:
    answers = {"yes": Consent.YES, "no": Consent.NO, "never": Consent.DO_NOT_RELEASE}
    if text not in answers:
        raise argparse.ArgumentTypeError(f"must be {listed(list(answers), 'or')}")
    return answers[text]


def _share(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100:
        raise argparse.ArgumentTypeError("must be from 1 to 100")
    return number


@contextlib.contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[App]:
    app = App(bundle=arguments.bundle, database=arguments.store)
    with contextlib.closing(app.store):
        yield app


def _export(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as app:
        report, written = _exported(app, arguments)
    if arguments.json:
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=1))
        return 0
    for sentence in report.lines:
        print(sentence)
    if report.unanswered:
        print(f"Answer them in {written}, and export again; nobody else can.")
    return 0


def _exported(app: App, arguments: argparse.Namespace) -> tuple[ExportReport, Path]:
    from quizwriter.challenge.export import export
    from quizwriter.challenge.selection import Selection

    release, written = _asked_release(
        app,
        arguments.sheet,
        title=arguments.title,
        version=arguments.version,
        licence=arguments.licence,
        others=tuple(arguments.other_person),
        histories=False if arguments.no_histories else None,
    )
    choice = Selection(
        frozenset(arguments.status or Selection().statuses),
        arguments.set,
        tuple(arguments.stumps),
        arguments.until,
        arguments.keep_repeats,
        frozenset(arguments.keep),
    )
    return export(app, arguments.out, choice, release, after=arguments.after), written


def _verify(arguments: argparse.Namespace) -> int:
    from quizwriter.challenge.verify import verify

    with _opened(arguments) as app:
        verdict = verify(app, arguments.folder)
    if arguments.json:
        told = {"problems": verdict.problems, "notes": verdict.notes}
        print(json.dumps(told, ensure_ascii=False, indent=1))
    else:
        for sentence in (*verdict.problems, *verdict.notes):
            print(sentence)
    return 1 if verdict.problems else 0


def _retract(arguments: argparse.Namespace) -> int:
    from quizwriter.challenge.verify import retract

    with _opened(arguments) as app:
        version = retract(
            app, arguments.folder, arguments.ids, arguments.reason, arguments.out, arguments.version
        )
    print(f"Version {version} is in {arguments.out}; {arguments.folder} is as it was.")
    return 0


def _asked_release(
    app: App, sheet: Path | None, **said: str | tuple[str, ...] | bool | None
) -> tuple[SetMetadata, Path]:
    """What the editor says of a set, ``said`` over what is in the file ``sheet``, or kept; and that file.

    The kept one is made where there is none, for the editor to answer the data sheet's questions.

    Raises:
        QuizwriterError: it makes no sense, or cannot be read or made.
    """
    from quizwriter.challenge.documents import LICENCES
    from quizwriter.challenge.metadata import SetMetadata, kept_in

    path = sheet or kept_in(app.home)
    if sheet is not None and not sheet.exists():
        raise QuizwriterError(f"There is no file {sheet}.", "Name one, or leave that out.")
    kept = SetMetadata.read(path)
    release = replace(kept, **{name: value for name, value in said.items() if value not in (None, ())})  # type: ignore[arg-type]
    if release.licence not in LICENCES:
        raise QuizwriterError(
            f"“{release.licence}” is no licence that is known here.", f"Choose {', '.join(LICENCES)}."
        )
    if not path.exists():
        release.write(path)
    return release, path


def _consent(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as app:
        done = app.review.record(arguments.ids, ConsentGiven(arguments.set))
    print(f"{counted_noun(len(done.events), 'tossup')}: consent to release is “{arguments.set}”.")
    for key, trouble in done.refused:
        print(f"{key}: {trouble}")
    return 1 if done.refused else 0
