"""The commands on the tossups themselves, for scripts and for machines without a screen."""

from __future__ import annotations

import argparse
import contextlib
from datetime import datetime
from pathlib import Path

import msgspec

from quizwriter.cli.commands import FILTERS, argument, command
from quizwriter.cli.options import (
    known_player,
    known_set,
    opened,
    queue_filter,
    status_argument,
    whole_number,
)
from quizwriter.cli.output import (
    cancelled_by_interrupt,
    print_json,
    print_lines,
    print_recorded,
    print_table,
    print_text,
    progress,
)
from quizwriter.domain.review import Consent, ConsentGiven, Status, name_key
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.services.beat_goal import ADVERSARIES, F1_LIMIT, BeatGoal
from quizwriter.services.known_people import OUTSIDE, writer_questions
from quizwriter.services.transfer import left_out_lines
from quizwriter.workflow.brief_lines import line_title
from quizwriter.workflow.checks import check_titles
from quizwriter.workflow.dates import moment
from quizwriter.workflow.event_log import KINDS, SIGNATURES, LogFilter, entry_json, person_labels
from quizwriter.workflow.queue import COLUMNS, GAME, QueueSort, cell, row_json
from quizwriter.workflow.set_progress import HOURS_RULE, PROGRESS_COLUMNS, progress_cells, progress_json
from quizwriter.workflow.set_state import state_json
from quizwriter.workflow.sources import sources_json
from quizwriter.workflow.wording import counted_noun, listed

CONSENTS = {"yes": Consent.YES, "no": Consent.NO, "never": Consent.DO_NOT_RELEASE}


def _override(text: str) -> tuple[str, str]:
    name, found, reason = text.partition("=")
    if not found or name not in check_titles() or not reason.strip():
        raise argparse.ArgumentTypeError(
            f"must be CHECK=REASON, the check one of {', '.join(check_titles())}"
        )
    return name, reason.strip()


def _writer(text: str) -> tuple[str, str]:
    name, found, who = text.partition("=")
    if not found or not who.strip():
        raise argparse.ArgumentTypeError("must be NAME=WHO, for example CL=me")
    return name_key(name), who.strip()


def _consent_argument(text: str) -> Consent:
    if text not in CONSENTS:
        raise argparse.ArgumentTypeError(f"must be {listed(list(CONSENTS), 'or')}")
    return CONSENTS[text]


_GOALS = ["none", *(",".join(players) for players in ADVERSARIES)]


def _adversaries(text: str) -> tuple[str, ...]:
    if text not in _GOALS:
        raise argparse.ArgumentTypeError(f"must be {listed(_GOALS, 'or')}")
    return () if text == "none" else tuple(text.split(","))


@command(
    "import",
    "Make drafts of the questions in files.",
    argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="JSON lines, QANTA JSON, or a packet as Word file or plain text",
    ),
    argument("--set", default="", metavar="NAME", help="put the drafts into this set"),
    argument(
        "--writer",
        action="append",
        default=[],
        type=_writer,
        metavar="NAME=WHO",
        help="whose the questions with this NAME are, or without a name (=WHO): me, the name, e-mail address "
        "or id of somebody known here, or outside for a writer who does not use QuizWriter",
    ),
    new_store=True,
    json=True,
)
def _import(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app, progress() as bars:
        writers = {name: who if who == OUTSIDE else app.people.find(who).id for name, who in arguments.writer}
        pages, trouble = None, None
        try:
            pages = app.engines.load().pages
        except QuizwriterError as unusable:  # the questions come in all the same
            trouble = unusable
        done = app.transfer.import_files(
            arguments.files,
            set_name=arguments.set,
            writers=writers,
            pages=pages,
            progress=lambda report: bars.show(f"Reading {Path(report.path).name}", report.read, 1),
        )
        named = app.people.asked_of(done.names)
        people = {one.person.id: one.person.name for one in app.people.known()}
    if arguments.json:
        print_json(
            {
                "added": done.added,
                "known": done.known,
                "unlisted": None if done.unlisted is None else len(done.unlisted),
                "handed_over": done.handed_over,
                "writers": [msgspec.to_builtins(one) for one in named],
                "files": [report.as_json() for report in done.reports],
            }
        )
        return 0
    print_lines(done.sentence(arguments.set))
    if trouble is not None:
        print_lines(f"Their answers were not looked up in a bundle: {trouble}")
    if done.unlisted:
        print_lines(f"The players do not know the answers of {len(done.unlisted):,} of them.")
    print_lines(*left_out_lines(done.reports))
    if done.handed_over:
        print_lines(f"{counted_noun(len(done.handed_over), 'tossup')} here already got another writer.")
    print_lines(*writer_questions(named, people))
    return 0


@command(
    "list",
    "List the tossups as the queue does, each branch in a line.",
    *FILTERS,
    argument(
        "--sort",
        default="changed",
        choices=[*COLUMNS, *GAME],
        help=f"sort by this column; {listed(list(GAME))} are of a player and need --player",
    ),
    argument("--player", default="", metavar="NAME", help="the player whose game is sorted by"),
    argument("--up", action="store_true", help="sort the smallest first"),
    store=True,
    json=True,
)
def _list(arguments: argparse.Namespace) -> int:
    if (arguments.sort in GAME) != bool(arguments.player):
        raise QuizwriterError(
            "--sort and --player do not fit together.",
            f"Name a player with --player to sort by {listed(list(GAME), 'or')}, and only then.",
        )
    with opened(arguments) as app:
        player = arguments.player and known_player(app, arguments.player)
        sort = QueueSort(arguments.sort, down=not arguments.up, player=player)
        rows = app.queue.rows(app.queue.find(queue_filter(app, arguments), sort))
        tossups = len(app.store.one_of_each([row.tossup_id for row in rows]))
        people = app.review.people()
    if arguments.json:
        print_json([row_json(row, people) for row in rows])
        return 0
    for row in rows:
        answer = Answer(row.answer_line).main if row.answer_line else "no answer yet"
        details = filter(None, [answer, *(cell(row, people, column) for column in ("set", "author"))])
        print_lines(f"{row.tossup_id}  {row.status:9}  {row.words:4}  {', '.join(details)}")
    branches = f" with {counted_noun(len(rows), 'branch', 'branches')}" if len(rows) > tossups else ""
    print_lines(f"{counted_noun(tossups, 'tossup')}{branches}")
    return 0


@command(
    "history",
    "Show how a tossup was written.",
    argument("id", metavar="ID", help="the tossup"),
    store=True,
    json=True,
)
def _history(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        history = app.transfer.history_json(arguments.id)
        entries = app.set_log.entries(LogFilter(tossups=(arguments.id,)))
        labels = person_labels(app.set_log.people())
    if arguments.json:
        print_json(history)
        return 0
    buzzes: dict[int, list[str]] = {}
    for shown in history["analyses"]:
        at = "none" if shown["buzz"] is None else f"{shown['buzz']} of {shown['words']}"
        buzzes.setdefault(shown["after_edit"], []).append(f"{shown['player']} {at}")
    print_text(f"{history['answer'] or 'No answer yet'} ({history['status']})")
    print_table(
        ("edit", "when", "who", "removed", "inserted", "players' buzzes after it"),
        [
            [
                str(edit["seq"]),
                moment(round(datetime.fromisoformat(edit["at"]).timestamp() * 1000)),
                edit["author"] or "unknown",
                _shortened(edit["removed"]),
                _shortened(edit["inserted"]),
                ", ".join(buzzes.get(edit["seq"], [])),
            ]
            for edit in history["edits"]
        ],
    )
    for entry in reversed(entries):
        who = labels.get(entry.author) or "unknown"
        print_text(f"{moment(entry.at_ms)} {who}: {KINDS[entry.kind].lower()}: {entry.text}")
    return 0


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:40]} … {text[-15:]}"


@command(
    "figures",
    "Count tossups, hours and stumps of sets and writers.",
    argument("--in-set", action="append", default=[], metavar="NAME", help="only tossups of this set"),
    argument(
        "--seed", type=whole_number(0), default=0, metavar="N", help="draw the review samples with this seed"
    ),
    store=True,
    json=True,
)
def _figures(arguments: argparse.Namespace) -> int:
    from quizwriter.challenge.set_names import state_with_names

    with opened(arguments) as app:
        sets = [known_set(app, name) for name in arguments.in_set]
        report = app.statistics.report(sets, arguments.seed)
        state = state_with_names(app, sets)
    if arguments.json:
        print_json(
            {
                "seed": report.seed,
                "hours": HOURS_RULE,
                "writers": [progress_json(one) for one in report.writers],
                "sets": [progress_json(one) for one in report.sets],
                "all": progress_json(report.everything),
                "state": state_json(state),
            }
        )
        return 0
    for group in dict.fromkeys(line.group for line in state):
        print_table((group, "tossups", ""), [list(line.cells) for line in state if line.group == group])
    for title, figures in (("Writers", report.writers), ("Sets", (*report.sets, report.everything))):
        print_table(PROGRESS_COLUMNS, [progress_cells(one) for one in figures], title=title)
    print_lines(HOURS_RULE)
    for one in report.writers:
        ids = ", ".join(one.sample)
        print_lines(f"To review of {one.name}, drawn with the seed {report.seed}: {ids}.")
    return 0


@command(
    "brief",
    "Show the brief of a set and which tossups reach its goal, or choose the goal.",
    argument("name", metavar="SET", help="the set"),
    argument(
        "--beat",
        type=_adversaries,
        metavar="PLAYERS",
        help=f"the goal: each tossup is to beat these players; {listed(_GOALS, 'or')}",
    ),
    argument(
        "--by",
        choices=("page", "f1"),
        help=f"a tossup beats a player by the page, as usual, or by {F1_LIMIT}, as in Beat the AI".replace(
            "%", "%%"
        ),
    ),
    store=True,
    json=True,
)
def _brief(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app, cancelled_by_interrupt() as cancellation, progress() as bars:

        def step(done: int, total: int) -> None:
            cancellation.check()
            bars.show("Playing", done, total)

        goal = app.briefs.goal(known_set(app, arguments.name))
        if arguments.beat is not None or arguments.by is not None:
            players = goal.players if arguments.beat is None else arguments.beat
            goal = BeatGoal(players, goal.by_f1 if arguments.by is None else arguments.by == "f1")
            app.briefs.choose(arguments.name, goal=goal)
        report, count = app.briefs.report(arguments.name), None
        if goal.players:
            with app.engines.batch_players(app.engines.load(), cancellation) as batch:
                count = app.briefs.count_goal(arguments.name, goal, batch.players, play=True, step=step)
    if arguments.json:
        print_json(
            {
                "set": arguments.name,
                "lines": [
                    {**msgspec.to_builtins(state.line), "written": state.there} for state in report.states
                ],
                "goal": msgspec.to_builtins(goal),
                "count": msgspec.to_builtins(count),
            }
        )
        return 0
    print_table(
        ("line", "needed", "written"),
        [[line_title(one.line), str(one.line.wanted), str(one.there)] for one in report.states],
    )
    print_lines(f"Goal: each tossup is to {goal.sentence}. {goal.rule}" if goal.players else "No goal.")
    if count is not None:
        print_lines(count.sentence)
    return 0


@command(
    "log",
    "List everything that was recorded of a set or a tossup.",
    argument("ids", nargs="*", metavar="ID", help="only of these tossups"),
    argument("--text", default="", metavar="WORDS", help="with these words"),
    argument("--in-set", action="append", default=[], metavar="NAME", help="of tossups of this set"),
    argument("--kind", action="append", default=[], choices=list(KINDS), help="of this kind"),
    argument("--by", action="append", default=[], metavar="NAME", help="recorded by this person"),
    store=True,
    json=True,
)
def _log(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        authors = tuple(key for name in arguments.by for key in app.review.find_people(name))
        wanted = LogFilter(
            arguments.text, tuple(arguments.in_set), tuple(arguments.kind), authors, tuple(arguments.ids)
        )
        entries, labels = app.set_log.entries(wanted), person_labels(app.set_log.people())
        logged = {one.tossup_id for entry in entries for one in entry.tossups}
        for key in sorted(set(arguments.ids) - logged):
            app.tossups.titled_history(key)  # refuses one that is not there
        for name in () if entries else arguments.in_set:
            known_set(app, name)
    if arguments.json:
        print_json([entry_json(entry, labels) for entry in entries])
        return 0
    for entry in entries:
        who, gone = labels.get(entry.author, "unknown"), "" if entry.counts else " (undone)"
        said = f"{KINDS[entry.kind]}: {entry.text}{gone}"
        print_text(f"{moment(entry.at_ms)}  {who}, {SIGNATURES[entry.authenticity]}  {entry.title}  {said}")
    print_lines(counted_noun(len(entries), "entry", "entries"))
    return 0


@command(
    "status",
    "Give tossups another status.",
    argument("ids", nargs="+", metavar="ID", help="a tossup"),
    argument("--set", required=True, type=status_argument, metavar="STATUS", help=listed(list(Status), "or")),
    argument("--reason", default="", metavar="TEXT", help="why; a rejection and an unlocking need a reason"),
    argument(
        "--in-steps",
        action="store_true",
        help="take all steps to a later status, for example from draft to accepted, each with its rules",
    ),
    argument(
        "--override",
        action="append",
        default=[],
        type=_override,
        metavar="CHECK=REASON",
        help=f"why a check need not pass ({', '.join(check_titles())}); may be given several times",
    ),
    store=True,
    json=True,
)
def _status(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        failed: dict[str, tuple[str, ...]] = {}
        if arguments.set is Status.READY or arguments.in_steps:
            engine = None
            with contextlib.suppress(QuizwriterError):  # the check of past questions reports it
                engine = app.engines.load()
            with progress() as bars:
                plan = app.review.plan_status(arguments.ids, arguments.set, engine, bars.counter("Checking"))
            failed = {key: planned.failed for key, planned in plan.items()}
        done = app.review.set_status(
            arguments.ids,
            arguments.set,
            arguments.reason,
            failed=failed,
            overridden=dict(arguments.override),
            in_steps=arguments.in_steps,
        )
    sentence = f"{counted_noun(len(done.changed), 'tossup')} set to {arguments.set}."
    return print_recorded(done, sentence, as_json=arguments.json)


@command(
    "consent",
    "Record whether tossups may be released.",
    argument("ids", nargs="+", metavar="ID", help="a tossup"),
    argument(
        "--set",
        required=True,
        type=_consent_argument,
        metavar="C",
        help="yes, no, or never; never holds whatever others answer",
    ),
    argument(
        "--reason", default="", metavar="TEXT", help="how you know it, where the tossup is another writer's"
    ),
    store=True,
)
def _consent(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        done = app.review.record(arguments.ids, ConsentGiven(arguments.set, arguments.reason))
    count = counted_noun(len(done.events), "tossup")
    return print_recorded(done, f"{count}: the consent to release is “{arguments.set}”.")


@command(
    "sources",
    "List where the clues of tossups come from.",
    argument("ids", nargs="*", metavar="ID", help="only of these tossups"),
    argument("--output", type=Path, metavar="FILE", help="write a table (.csv) or JSON (.json) to this file"),
    *FILTERS,
    store=True,
    json=True,
)
def _sources(arguments: argparse.Namespace) -> int:
    with opened(arguments) as app:
        wanted, sort = queue_filter(app, arguments), QueueSort("answer", down=False)
        keys = tuple(arguments.ids) or app.queue.find_tossups(wanted, sort)[0]
        if arguments.output is not None:
            count = app.sources.export(arguments.output, keys)
            if arguments.json:
                print_json({"file": str(arguments.output), "sources": count})
            else:
                print_lines(f"{counted_noun(count, 'source')} written to {arguments.output}.")
            return 0
        found = [one for one in app.sources.of(keys) if one.clues or one.based_on]
    if arguments.json:
        print_json(sources_json(found))
        return 0
    for one in found:
        print_text(one.answer_line or "No answer yet")
        if one.based_on:
            print_text(f"  Based on {one.based_on}")
        for clue in one.clues:
            gone = "" if clue.place is not None else " (no longer in the text)"
            print_text(f"  “{clue.clue}”{gone}: {clue.source}")
    print_lines(counted_noun(sum(len(one.clues) for one in found), "source"))
    return 0
