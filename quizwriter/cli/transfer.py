"""The commands that give tossups to other writers and take theirs in.

What reads packs is imported where it is used: the window starts through this package, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cli.commands import FILTERS, argument, command
from quizwriter.cli.options import opened, queue_filter, whole_number
from quizwriter.cli.output import cancelled_by_interrupt, print_json, print_lines, print_text, progress
from quizwriter.errors import QuizwriterError
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.workflow.dates import moment
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.wording import counted_noun, listed

if TYPE_CHECKING:
    from quizwriter.services.branches import BranchFamily


@command(
    "pack",
    "Write tossups into a file for another writer.",
    *FILTERS,
    argument("file", type=Path, metavar="FILE", help="the pack to write"),
    argument(
        "ids", nargs="*", metavar="ID", help="these tossups; without any, all that the filters let through"
    ),
    store=True,
    json=True,
)
def _pack(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        wanted = queue_filter(app, arguments)
        keys: Iterable[str] | None = arguments.ids or None
        if wanted != QueueFilter():
            if keys is not None:
                raise QuizwriterError("Both ids and filters were given.", "Give one of them.")
            keys = app.queue.find(wanted, QueueSort())
        damaged: list[DamagedDatabaseError] = []
        with progress() as bars, cancelled_by_interrupt() as cancellation:
            count = app.transfer.pack(
                arguments.file, keys, bars.counter("Packing"), cancellation, damaged=damaged
            )
    left_out = [one.problem for one in damaged]
    if arguments.json:
        print_json({"file": str(arguments.file), "tossups": count, "left_out": left_out})
    else:
        print_lines(
            *(f"Left out: {problem}" for problem in left_out),
            f"{counted_noun(count, 'tossup')} packed into {arguments.file}. Each branch of a tossup counts.",
        )
    return 1 if damaged else 0


@command(
    "merge",
    "Receive packs from other writers.",
    argument("files", nargs="+", type=Path, metavar="FILE", help="a pack"),
    new_store=True,
    json=True,
)
def _merge(arguments: argparse.Namespace) -> int:
    from quizwriter.services.transfer import merge_report_sentence, signatures_json

    with opened(arguments) as app, progress() as bars, cancelled_by_interrupt() as cancellation:
        merged = app.transfer.merge(arguments.files, bars.counter("Merging"), cancellation)
        names = {key: person.name for key, person in app.review.people().items()}
    if arguments.json:
        outcomes = {key: str(outcome) for key, outcome in merged.outcomes.items()}
        print_json(
            {
                "came": outcomes,
                "answered": merged.answered,
                "changed_accepted": merged.changed_accepted,
                "left_out": merged.left_out,
                "signatures": signatures_json(merged.signatures),
            }
        )
    else:
        print_lines(merge_report_sentence(merged, names))
    return 0


def _choice(text: str) -> tuple[int, int]:
    number, _, taken = text.partition("=")
    if not (number.isdecimal() and taken.isdecimal() and len(text) < 10 and int(number) and int(taken)):
        raise argparse.ArgumentTypeError("must be two numbers from 1 on, for example 1=2")
    return int(number), int(taken)


@command(
    "branches",
    "List tossups that were edited in several places, merge their branches, or keep one.",
    argument(
        "action",
        nargs="?",
        default="list",
        choices=("list", "merge", "keep", "restore"),
        help="what to do; restore shows a hidden branch again",
    ),
    argument("id", nargs="?", metavar="ID", help="a branch; merge: any branch of the tossup"),
    argument("--hidden", action="store_true", help="list: hidden branches, too"),
    argument(
        "--choose",
        action="append",
        default=[],
        type=_choice,
        metavar="N=M",
        help="merge: take alternative M of choice N; may be given several times",
    ),
    argument(
        "--answer", type=whole_number(0), default=0, metavar="M", help="merge: take answer M of several"
    ),
    store=True,
    json=True,
)
def _branches(arguments: argparse.Namespace) -> int:
    if (arguments.id is None) != (arguments.action == "list"):
        raise QuizwriterError(
            "The action and the id do not fit together.",
            "merge, keep and restore need an id; list takes none.",
        )
    with opened(arguments) as app:
        if arguments.action == "list":
            _list_branches(app.branches.families(hidden=arguments.hidden), as_json=arguments.json)
            return 0
        family = app.branches.family_of(arguments.id)
        if arguments.action == "restore":
            line = next(line for line in family.lines if line.tossup_id == arguments.id)
            if line.hidden:
                app.branches.restore(line)
            done = {"restored": [line.tossup_id] if line.hidden else []}
            told = "The branch is restored." if line.hidden else "The branch is not hidden."
        else:
            if arguments.action == "keep":
                joined = app.branches.keep(family, arguments.id)
            else:
                joined = app.branches.merge(family, *_choices(family, arguments.choose, arguments.answer))
            done = {"goes_on": [joined.tossup_id], "hidden": list(joined.superseded)}
            told = (
                f"The tossup continues as {joined.tossup_id}. Hidden: {listed(joined.superseded)}. "
                f"{counted_noun(joined.comments, 'comment')} moved along."
            )
    if arguments.json:
        print_json(done)
    else:
        print_lines(told)
    return 0


def _list_branches(families: Iterable[BranchFamily], *, as_json: bool) -> None:
    if as_json:
        print_json([_family_json(family) for family in families])
        return
    count = 0
    for family in families:
        count += 1
        for line in family.lines:
            answer = line.tossup.answer.main if line.tossup.answer else "no answer yet"
            who = f" by {listed(line.authors)}" if line.authors else ""
            when = f", {moment(line.at_ms)}" if line.edits else ""
            hidden = ", hidden" if line.hidden else ""
            print_text(f"{line.tossup_id}  {answer}  {counted_noun(line.edits, 'edit')}{who}{when}{hidden}")
        for number, conflict in enumerate(family.merge.conflicts, start=1):
            for at, one in enumerate(conflict.alternatives, start=1):
                print_text(f"    choice {number}={at}: “{one.text}”")
        for at, given in enumerate(family.answers if len(family.answers) > 1 else (), start=1):
            print_text(f"    answer {at}: {given.line if given else 'none'}")
    print_lines(counted_noun(count, "tossup with branches", "tossups with branches"))


def _family_json(family: BranchFamily) -> dict[str, object]:
    return {
        "branches": [
            {
                "id": line.tossup_id,
                "answer": line.tossup.answer and line.tossup.answer.line,
                "text": line.tossup.text,
                "edits": line.edits,
                "authors": list(line.authors),
                "edited_ms": line.at_ms,
                "status": str(line.status),
                "open_comments": line.comments,
                "tags": line.tags,
                "hidden": line.hidden,
            }
            for line in family.lines
        ],
        "choices": [[one.text for one in conflict.alternatives] for conflict in family.merge.conflicts],
        "answers": [answer and answer.line for answer in family.answers],
    }


def _choices(family: BranchFamily, given: Sequence[tuple[int, int]], answer: int) -> tuple[list[int], int]:
    """The numbers, from 0, of the alternatives and of the answer that were chosen."""
    chosen, conflicts = dict(given), family.merge.conflicts
    wanted = {number: len(conflict.alternatives) for number, conflict in enumerate(conflicts, start=1)}
    if set(chosen) != set(wanted) or any(chosen[number] > most for number, most in wanted.items()):
        raise QuizwriterError(
            f"The branches need {counted_noun(len(conflicts), 'choice')}; the options give others.",
            "quizwriter branches list prints the choices; give each with --choose, such as --choose 1=2.",
        )
    if not (answer == 0 and len(family.answers) == 1) and not 1 <= answer <= len(family.answers):
        raise QuizwriterError(
            "The branches have different answers.",
            "Choose one of those listed with --answer, such as --answer 1.",
        )
    return [chosen[number] - 1 for number in wanted], max(0, answer - 1)
