"""The commands on people: who is known, whose tossups are, who somebody is, and who is forgotten."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened
from quizwriter.cli.output import print_json, print_lines, print_recorded, print_table, progress
from quizwriter.domain.review import WrittenBy
from quizwriter.errors import QuizwriterError
from quizwriter.services.known_people import OUTSIDE, merge_line
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.services.forgotten_people import ForgetPlan


@command(
    "people",
    "List the people of the database, or say that somebody without a key is somebody else.",
    argument(
        "action",
        nargs="?",
        default="list",
        choices=("list", "merge", "separate"),
        help="merge: NAME is the person INTO, or outside, signed by you; separate undoes that",
    ),
    argument("name", nargs="?", metavar="NAME", help="the name, e-mail address or id of a person"),
    argument(
        "into",
        nargs="?",
        metavar="INTO",
        help="who that is: somebody whose key is known, or outside for who does not use QuizWriter",
    ),
    store=True,
    json=True,
)
def _people(arguments: argparse.Namespace) -> int:
    wanted = {"list": 0, "merge": 2, "separate": 1}[arguments.action]
    if wanted != sum(one is not None for one in (arguments.name, arguments.into)):
        raise QuizwriterError(
            "The action and the names do not fit together.",
            "merge needs two people, separate one, list none.",
        )
    with opened(arguments) as app:
        if arguments.action == "list":
            known = app.people.known()
        elif arguments.action == "merge":
            person = app.people.find(arguments.name)
            other = None if arguments.into == OUTSIDE else app.people.find(arguments.into)
            count = app.people.merge(person.id, OUTSIDE if other is None else other.id)
            told = merge_line(person.name, OUTSIDE if other is None else other.name, count)
        else:
            person = app.people.find_merged(arguments.name)
            count = app.people.separate(person.id)
            told = f"{person.name} is a person of that name again on {counted_noun(count, 'tossup')}."
    if arguments.action != "list":
        if arguments.json:
            print_json({"tossups": count})
        else:
            print_lines(told)
        return 0
    names = {one.person.id: one.person.name for one in known}
    if arguments.json:
        print_json(
            [
                {
                    "id": one.person.id,
                    "name": one.person.name,
                    "email": one.person.email,
                    "has_key": one.has_key,
                    "tossups": one.tossups,
                    "outside": one.outside,
                    "is": one.into,
                    "undecided": one.undecided,
                }
                for one in known
            ]
        )
        return 0
    print_table(
        ("name", "e-mail", "tossups", "who", "id"),
        [
            [
                one.person.name,
                one.person.email,
                str(one.tossups),
                one.told(names),
                one.person.id,
            ]
            for one in known
        ],
    )
    return 0


@command(
    "author",
    "Hand tossups over to another writer.",
    argument("ids", nargs="+", metavar="ID", help="a tossup"),
    argument(
        "--to",
        required=True,
        metavar="NAME",
        help="me, or the name, e-mail address or id of a person known here",
    ),
    store=True,
    json=True,
)
def _author(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        to = app.people.find(arguments.to)
        done = app.review.record(arguments.ids, WrittenBy(to.id))
    sentence = f"{counted_noun(len(done.changed), 'tossup')} handed over to {to.name}."
    return print_recorded(done, sentence, as_json=arguments.json)


@command(
    "forget",
    "Erase a person's name from this computer; say what others hold.",
    argument("name", metavar="NAME", help="the name, e-mail address or id of a person, or a player of games"),
    argument("--yes", action="store_true", help="do it; without this, only say what would be done"),
    argument("--keep-backups", action="store_true", help="leave the name in the backups"),
    argument("--allow", action="store_true", help="let a forgotten name come in again, for somebody else"),
    store=True,
    json=True,
)
def _forget(arguments: argparse.Namespace) -> int:
    from quizwriter.gui.window_lock import window_lock  # imported late: Qt, which no other command needs

    with opened(arguments) as app, progress() as bars:
        if arguments.allow:
            count = app.forgotten_people.allow(arguments.name)
            lines, done = ["The name can come in again."], dict[str, object](allowed=count)
        else:
            folder = app.recovery.database.parent
            with window_lock(folder, "Close its window first, or forget the person there."):
                plan = app.forgotten_people.plan(arguments.name, bars.counter("Reading"))
                lines, done = [*plan.here, *plan.elsewhere], _plan_json(plan)
                if arguments.yes:
                    made = app.forgotten_people.forget(
                        plan, backups=not arguments.keep_backups, progress=bars.counter("Erasing")
                    )
                    lines.insert(0, made.sentence)
                    done |= {"pseudonym": made.pseudonym, "backups": made.backups, "left": list(made.left)}
                else:
                    lines.append("Nothing was changed. Give --yes to do it; it cannot be undone.")
    if arguments.json:
        print_json(done)
    else:
        print_lines(*lines)
    return 0


def _plan_json(plan: ForgetPlan) -> dict[str, object]:
    return {
        "names": list(plan.names),
        "tossups": plan.tossups,
        "entries": plan.places.events,
        "texts": plan.places.texts,
        "answers": plan.places.answers,
        "settings": plan.places.items,
        "unsigned": plan.places.unsigned,
        "part_alone": plan.places.alone,
        "backups_found": len(plan.backups),
        "released": list(plan.released),
    }
