"""The command that judges typed answers by answer lines: accept, prompt or reject."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter.cli.commands import argument, command
from quizwriter.cli.output import print_json, print_lines
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.system.decoding import DecodingError, decode_small_json, open_regular

if TYPE_CHECKING:
    from quizwriter.judging import Judgement

LINE_FIELDS = ("answerline", "answer_line", "line", "answer")
"""Where a case has its answer line: the first of these fields that it has."""

GIVEN_FIELDS = ("given", "typed", "guess", "response")
HEARD_FIELDS = ("heard", "read")

LONGEST_CASE = 1 << 20
"""Bytes of a line of a file of cases."""


@command(
    "judge",
    "Judge a typed answer by an answer line.",
    argument("line", nargs="?", metavar="ANSWER LINE", help="with <b><u> or *_…_* or without"),
    argument("given", nargs="?", metavar="ANSWER", help="what was typed"),
    argument(
        "--heard",
        metavar="TEXT",
        help="what was read so far, for what a line accepts until something is read",
    ),
    argument(
        "--cases",
        metavar="FILE",
        help="JSON lines with answerline and given, - for the standard input; one verdict a line is printed",
    ),
    json=True,
)
def _judge(arguments: argparse.Namespace) -> int:
    if arguments.cases is not None:
        return _judge_cases(arguments)
    if arguments.line is None or arguments.given is None:
        raise QuizwriterError(
            "There is nothing to judge.", "Give an answer line and an answer, or a file with --cases."
        )
    from quizwriter.judging import judge  # late here and below: other commands need no judge

    found = judge(arguments.line, arguments.given, heard=arguments.heard)
    if arguments.json:
        print_json(_as_json(found))
    else:
        print_lines(_sentence(found))
    return 0


def _judge_cases(arguments: argparse.Namespace) -> int:
    if arguments.line is not None:
        raise QuizwriterError("An answer line and a file of cases were given.", "Give only one of them.")
    from quizwriter.judging import judge

    status = 0
    for number, raw in enumerate(_lines(arguments.cases), start=1):
        try:
            line, given, heard = _case(raw)
        except DecodingError as trouble:
            status = 1
            found: dict[str, Any] = {"verdict": None, "error": f"line {number}: {trouble}"}
        else:
            found = _as_json(judge(line, given, heard=arguments.heard if heard is None else heard))
        print_lines(json.dumps(found))
    return status


def _lines(name: str) -> Iterator[bytes]:
    """The lines of a file of cases, each cut to so many bytes; empty ones are left out."""
    with (
        translate_reading_errors(name),
        nullcontext(sys.stdin.buffer) if name == "-" else open_regular(Path(name)) as stream,
    ):
        while raw := stream.readline(LONGEST_CASE):
            rest = raw
            while len(rest) == LONGEST_CASE and not rest.endswith(b"\n"):
                rest = stream.readline(LONGEST_CASE)  # one case has one verdict, however long it is
            if raw.strip():
                yield raw


def _case(raw: bytes) -> tuple[str, str, str | None]:
    """An answer line, an answer and what was read."""
    row = decode_small_json(raw.removeprefix(b"\xef\xbb\xbf"), dict[str, object])

    def text(fields: tuple[str, ...]) -> str | None:
        value = next((row[field] for field in fields if row.get(field) is not None), None)
        if value is not None and not isinstance(value, str | int | float):
            raise DecodingError(f"the field {fields[0]} is no text")
        return None if value is None else str(value)

    line, given = text(LINE_FIELDS), text(GIVEN_FIELDS)
    if line is None or given is None:
        raise DecodingError(f"a case has the fields {LINE_FIELDS[0]} and {GIVEN_FIELDS[0]}")
    return line, given, text(HEARD_FIELDS)


def _as_json(found: Judgement) -> dict[str, Any]:
    return {
        "verdict": found.verdict.value,
        "ask": found.ask or None,
        "clause": found.clause.directive.value if found.clause is not None else None,
        "name": found.name or None,
        "reason": found.reason,
    }


def _sentence(found: Judgement) -> str:
    asked = f" Ask: {found.ask}" if found.ask else ""
    named = f" ({found.name})" if found.name else ""
    return f"{found.verdict.value}: {found.reason}{named}{asked}"
