"""The commands that release a challenge set, verify one, and retract questions from one.

:mod:`quizwriter.challenge` is imported where it is used: the window starts through this package, too.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened, status_argument, whole_number
from quizwriter.cli.output import print_json, print_lines, progress
from quizwriter.domain.review import NameVerdict
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App

if TYPE_CHECKING:
    from quizwriter.challenge.metadata import SetMetadata
    from quizwriter.challenge.selection import Selection


@command(
    "export",
    "Release a challenge set in a folder.",
    argument("--out", type=Path, metavar="DIR", help="the new folder"),
    argument("--title", help="the title of the set"),
    argument(
        "--version", help="the version of the set, like 1.0; with --after, else one more than that version"
    ),
    argument("--maintainer", help="who maintains the set: a team or an office, kept for later"),
    argument("--contact", help="where to write to, not a person's address; kept for later"),
    argument("--website", help="the page of the set; kept for later"),
    argument("--date", metavar="DAY", help="the day of the release, like 2031-10-16; else today"),
    argument("--licence", help="CC BY 4.0, CC BY-SA 4.0, CC BY-NC 4.0 or CC0 1.0"),
    argument("--after", type=Path, metavar="DIR", help="the version before, whose numbers and splits stay"),
    argument("--set", metavar="NAME", help="only tossups of this set"),
    argument(
        "--status",
        action="append",
        type=status_argument,
        metavar="S",
        help="tossups with this status instead of accepted ones; may be given several times",
    ),
    argument(
        "--stumps",
        action="append",
        default=[],
        metavar="PLAYER",
        help="only tossups that stump this player; may be given several times",
    ),
    argument(
        "--until",
        type=whole_number(1, 100),
        default=100,
        metavar="N",
        help="a player counts as stumped if it is not right within N per cent of the words",
    ),
    argument(
        "--control",
        type=Path,
        metavar="FILE",
        help="a question file, whose held-back questions are played beside (unless given: the bundle's own)",
    ),
    argument("--keep-repeats", action="store_true", help="release all near duplicates"),
    argument("--keep", action="append", default=[], metavar="ID", help="release this near duplicate"),
    argument("--histories", action="store_true", help="release every edit, too"),
    argument(
        "--remarks",
        action="store_true",
        help="release comments, notes and reasons, too; see them first with --rehearse",
    ),
    argument("--no-histories", action="store_true", help=argparse.SUPPRESS),  # the default now
    argument(
        "--sign",
        action="store_true",
        help="sign the set with the key of your profile, which shows that you released it",
    ),
    argument(
        "--rehearse",
        action="store_true",
        help="say how many questions, whose remarks and which names would be released; write nothing",
    ),
    argument(
        "--working-names",
        action="store_true",
        help="release the names of files and packets and the team's own tags, too, instead of numbers",
    ),
    *(
        argument(
            f"--{option}", action="append", default=[], metavar="NAME", help=f"{meaning}; kept for later"
        )
        for option, meaning in (
            ("other-person", "this name in the texts is another person's than a writer's here"),
            ("this-person", "this name in the texts is the writer's, so the texts have to be changed"),
            ("never-release", "tossups with this name are left out of releases"),
        )
    ),
    argument("--sheet", type=Path, metavar="FILE", help="the file with the editor's answers about the set"),
    store=True,
    json=True,
)
def _export(arguments: argparse.Namespace) -> int:
    from quizwriter.challenge.export import export, rehearse
    from quizwriter.challenge.name_decisions import decide_names

    if arguments.out is None and not arguments.rehearse:
        raise QuizwriterError("An export needs a folder.", "Name one with --out, or use --rehearse.")
    with opened(arguments) as app:
        metadata, sheet = _metadata(app, arguments)
        selection = _selection(arguments)
        decided = _decided_names(arguments)
        with progress() as bars:
            if decided:
                found = rehearse(app, selection, metadata, after=arguments.after, progress=bars.show)
                decide_names(app, decided, (*found.names, *found.never_released), found.tossups)
            if arguments.rehearse:
                found = rehearse(app, selection, metadata, after=arguments.after, progress=bars.show)
                print_json(found.as_json()) if arguments.json else print_lines(*found.lines)
                return 1 if found.stopping else 0
            report = export(
                app,
                arguments.out,
                selection,
                metadata,
                after=arguments.after,
                control=arguments.control,
                signed=arguments.sign,
                progress=bars.show,
            )
    if arguments.json:
        print_json(report.as_json())
        return 0
    print_lines(*report.lines)
    if report.unanswered:
        print_lines(f"Only you can answer these questions. Answer them in {sheet} and export again.")
    return 0


def _decided_names(arguments: argparse.Namespace) -> dict[str, NameVerdict]:
    verdicts = {
        NameVerdict.ANOTHER_PERSON: arguments.other_person,
        NameVerdict.THIS_PERSON: arguments.this_person,
        NameVerdict.NEVER_RELEASE: arguments.never_release,
    }
    return {name: verdict for verdict, names in verdicts.items() for name in names}


def _selection(arguments: argparse.Namespace) -> Selection:
    from quizwriter.challenge.selection import Selection

    return Selection(
        frozenset(arguments.status or Selection().statuses),
        arguments.set,
        tuple(arguments.stumps),
        arguments.until,
        arguments.keep_repeats,
        frozenset(arguments.keep),
    )


def _metadata(app: App, arguments: argparse.Namespace) -> tuple[SetMetadata, Path]:
    """The answers of the editor about the set, and their file; options win over that file.

    Without ``--sheet`` it is the file that the program keeps. It is made if it is not there yet, for the
    editor to answer the data sheet's questions in it.
    """
    from quizwriter.challenge.metadata import SetMetadata, check_day, metadata_path, today, version_after
    from quizwriter.challenge.statements import LICENCES

    path = arguments.sheet or metadata_path(app.home)
    if arguments.sheet is not None and not path.exists():
        raise QuizwriterError(f"There is no file {path}.", "Name a file that is there, or leave --sheet out.")
    options: dict[str, Any] = {
        "title": arguments.title,
        "version": arguments.version or (version_after(arguments.after) if arguments.after else None),
        "licence": arguments.licence,
        "maintainer": arguments.maintainer,
        "contact": arguments.contact,
        "website": arguments.website,
        "released": arguments.date,
        "histories": arguments.histories,  # asked for each time: nothing is released by an old setting
        "remarks": arguments.remarks,
        "working_names": arguments.working_names,
    }
    given = {name: value for name, value in options.items() if value is not None}
    kept = SetMetadata.read(path)
    metadata = replace(kept, **given)
    metadata = replace(metadata, released=check_day(metadata.released or today()))
    if metadata.licence not in LICENCES:
        raise QuizwriterError(
            f"“{metadata.licence}” is not a licence that QuizWriter knows.", f"Choose {', '.join(LICENCES)}."
        )
    stated = {name: given[name] for name in ("maintainer", "contact", "website") if name in given}
    if not path.exists() or replace(kept, **stated) != kept:
        (replace(kept, **stated) if path.exists() else replace(metadata, released="")).write(path)
    return metadata, path


@command(
    "verify",
    "Verify every file of a challenge set.",
    argument("folder", type=Path, metavar="DIR", help="the challenge set"),
    argument(
        "--public-key",
        default="",
        metavar="KEY",
        help="the key of who released the set: its signature must fit",
    ),
    argument(
        "--sample",
        type=whole_number(0, 1_000_000),
        default=20,
        metavar="N",
        help="play N questions again, drawn at random each time (20)",
    ),
    store=True,
    json=True,
)
def _verify(arguments: argparse.Namespace) -> int:
    from quizwriter.challenge.verify import verify

    with opened(arguments) as app, progress() as bars:
        report = verify(
            app, arguments.folder, bars.show, public_key=arguments.public_key, sample=arguments.sample
        )
    if arguments.json:
        print_json({"problems": report.problems, "notes": report.notes})
    else:
        print_lines(*report.problems, *report.notes)
    return 1 if report.problems else 0


@command(
    "retract",
    "Retract questions in a new version of a set.",
    argument("folder", type=Path, metavar="DIR", help="the version that has the questions"),
    argument(
        "ids", nargs="+", metavar="ID", help="a question's qanta_id or tossup_id, or the ID of your tossup"
    ),
    argument("--reason", required=True, help="why; the reason is published"),
    argument("--out", type=Path, required=True, metavar="DIR", help="the new folder"),
    argument(
        "--version", default="", help="the new version (unless given: one more than the version before)"
    ),
    store=True,
)
def _retract(arguments: argparse.Namespace) -> int:
    from quizwriter.challenge.retraction import retract

    with opened(arguments) as app:
        version = retract(
            app, arguments.folder, arguments.ids, arguments.reason, arguments.out, arguments.version
        )
    print_lines(f"Version {version} is in {arguments.out}. {arguments.folder} is as it was.")
    return 0
