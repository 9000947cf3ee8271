"""The command that finds the problems of tossups: drafts, question files, and tossups of the database."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened_to_play, read_draft
from quizwriter.cli.output import print_json, print_lines, print_notes, print_text, print_trouble, progress
from quizwriter.domain.style_sheet import STANDARD_STYLE
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import FORMATS
from quizwriter.services.transfer import left_out_lines
from quizwriter.services.wiring import App
from quizwriter.workflow.control_arm import HIDDEN_NOTICE
from quizwriter.workflow.problems.rule import Problem
from quizwriter.workflow.problems.rules import RULES
from quizwriter.workflow.wording import counted_noun, quoted

if TYPE_CHECKING:
    from quizwriter.formats.question_files import ReadReport


@command(
    "problems",
    "Find the problems of drafts or of questions in files.",
    argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a text file with one tossup, - for the standard input, JSON lines, QANTA JSON, or a packet",
    ),
    argument(
        "--id", action="append", default=[], metavar="ID", help="a tossup of the database; may be repeated"
    ),
    argument(
        "--play",
        action="store_true",
        help="let the players of the bundle play each tossup, for the rules on the giveaway and the answer",
    ),
    argument("--style-of", metavar="SET", help="use the style sheet that this set has in the database"),
    argument("--strict", action="store_true", help="end with the exit status 1 if there is a problem"),
    json=True,
    store=True,
)
def _problems(arguments: argparse.Namespace) -> int:
    if not arguments.files and not arguments.id:
        raise QuizwriterError("No tossup is named.", "Name a file, - for the standard input, or --id ID.")
    found: list[dict[str, Any]] = []
    with opened_to_play(arguments) as app, progress() as bars:
        engine = app.engines.load() if arguments.play else None
        sheet = STANDARD_STYLE if arguments.style_of is None else app.problems.style_sheet(arguments.style_of)
        for name in bars.counted("Looking for problems", arguments.files):
            found += (
                _as_json(name, str(number), tossup, problems)
                for number, (tossup, problems) in enumerate(
                    app.problems.of_questions(list(tossups_of(app, name)), sheet, engine), start=1
                )
            )
        for key in arguments.id:
            tossup = app.review.tossup(key)
            if engine is not None and app.review.hides_machines(key):
                print_trouble(QuizwriterError(f"No player played {key}.", HIDDEN_NOTICE))
            found.append(_as_json("", key, tossup, app.problems.of_saved(key, engine)))
    if arguments.json:
        print_json(found)
    else:
        _print(found)
    return 1 if arguments.strict and any(one["problems"] for one in found) else 0


def tossups_of(app: App, name: str) -> Iterator[Tossup]:
    """The tossups in a file; a text file with one question is a draft. Rows left out are reported."""
    path = Path(name)
    if name != "-" and path.suffix.casefold() not in {*FORMATS["text"].endings, ".md", ""}:
        yield from app.problems.tossups_in(path, _tell)
        return
    text, line = read_draft(name)
    if name != "-" and text.count("ANSWER:"):  # more than one: a packet
        yield from app.problems.tossups_in(path, _tell)
    else:
        yield Tossup(text, Answer(line) if line else None)


def _tell(report: ReadReport) -> None:
    """Say what of a file was left out; bonuses have no problems of tossups."""
    print_notes(*left_out_lines([report]))


def _as_json(name: str, key: str, tossup: Tossup, problems: Sequence[Problem]) -> dict[str, Any]:
    return {
        "file": name,
        "question": key,
        "text": tossup.text,
        "answer": tossup.answer.line if tossup.answer is not None else None,
        "problems": [
            {
                "rule": one.rule,
                "where": "answer" if one.in_answer else "text",
                "span": [one.span.start, one.span.end],
                "words": one.words,
                "sentence": one.sentence,
                "fix": one.fix,
            }
            for one in problems
        ],
    }


def _print(found: Sequence[dict[str, Any]]) -> None:
    for one in found:
        if not one["problems"]:
            continue
        answer = Answer(one["answer"]).main if one["answer"] else "No answer"
        print_text(f"{one['file']} {one['question']}: {answer}".strip())
        for problem in one["problems"]:
            told = (problem["fix"] or "").strip()
            fix = f" Write {quoted(told)}." if told and told != problem["words"].strip() else ""
            print_text(f"  {RULES[problem['rule']].title}: {problem['sentence']}{fix}")
    total = sum(len(one["problems"]) for one in found)
    print_lines(f"{counted_noun(total, 'problem')} in {counted_noun(len(found), 'tossup')}.")
