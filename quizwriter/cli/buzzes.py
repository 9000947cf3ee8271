"""The command about people's buzzes: those on the tossups of a set, and the predicted curves.

:mod:`quizwriter.experiments` is imported where it is used: the window starts through this package, too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened
from quizwriter.cli.output import cancelled_by_interrupt, print_json, print_lines
from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_text
from quizwriter.workflow.people_curve import CurveOutcome, curve_part, fit_curves, log_losses

if TYPE_CHECKING:
    from quizwriter.experiments.inputs import PlayedRoom

_SAMPLES = 2_000  # of the bootstrap


@command(
    "buzzes",
    "Keep people's buzzes on the tossups of a set, or fit the curves that are predicted without any.",
    argument("action", choices=("import", "fit"), help="what to do"),
    argument("file", type=Path, metavar="FILE", help="a file of buzzes, or a folder of games"),
    argument("--set", default="", metavar="NAME", help="import: the set whose tossups were played"),
    argument(
        "--questions", type=Path, metavar="FILE", help="the questions that were read, or a folder of packets"
    ),
    argument("--out", type=Path, metavar="FILE", help="fit: write the curves into this file"),
    json=True,
    store=True,
)
def _buzzes(arguments: argparse.Namespace) -> int:
    return _import(arguments) if arguments.action == "import" else _fit(arguments)


def _import(arguments: argparse.Namespace) -> int:
    if not arguments.set:
        raise QuizwriterError("The set is missing.", "Name it with --set.")
    with opened(arguments) as app, cancelled_by_interrupt() as cancellation:
        planned = app.recorded_rooms.plan(arguments.set, arguments.file, arguments.questions, cancellation)
        app.recorded_rooms.record(planned)
    if arguments.json:
        print_json(
            {
                "set": planned.set_name,
                "tossups": {
                    key: sum(len(one.games) for one in of_tossup)
                    for key, of_tossup in planned.recorded.items()
                },
                "remarks": list(planned.remarks),
            }
        )
    else:
        print_lines(planned.sentence, *planned.remarks)
    return 0


def _fit(arguments: argparse.Namespace) -> int:
    from quizwriter.experiments.inputs import ExperimentInputs
    from quizwriter.services.recorded_rooms import curve_rows

    with opened(arguments) as app, cancelled_by_interrupt() as cancellation:
        questions = "" if arguments.questions is None else str(arguments.questions)
        given = ExperimentInputs(app, questions, str(arguments.file), cancellation=cancellation)
        outcomes = [_outcome(one) for one in given.rooms]
        learned = [one for one in outcomes if not _is_held_back(one.tossup)]
        held_back = [one for one in outcomes if _is_held_back(one.tossup)]
        if not learned or not held_back:
            raise QuizwriterError("There are too few tossups to hold any back.", "Name more buzzes.")
    curves = fit_curves(learned)
    mine, of_all = log_losses(curves, held_back), log_losses({None: curves[None]}, held_back)
    low, high = _interval(held_back, mine, of_all)
    loss, loss_of_all = sum(mine) / len(mine), sum(of_all) / len(of_all)
    shipped = fit_curves(outcomes)
    found = {
        "source": "; ".join(f"{one.role} {one.name}, SHA-256 {one.digest}" for one in given.records),
        "command": "quizwriter buzzes fit",
        "held_back": len(held_back),
        "loss": round(loss, 4),
        "loss_of_all": round(loss_of_all, 4),
        "interval": [round(low, 4), round(high, 4)],
        "curves": curve_rows(shipped),
    }
    if arguments.out is not None:
        with atomic_text(arguments.out, make_folder=True) as file:
            file.write(json.dumps(found, indent=1) + "\n")
    if arguments.json:
        print_json({**found, "left_out": dict(sorted(given.left_out.items()))})
    else:
        print_lines(
            f"On {len(held_back):,} rooms held back the log loss is {loss:.4f} nats by the mean curve of the "
            f"difficulty and {loss_of_all:.4f} by one curve for all: {loss_of_all - loss:.4f} less, "
            f"{low:.4f} to {high:.4f} by bootstrap over tossups.",
            *(f"{number:,} left out: {reason}." for reason, number in sorted(given.left_out.items())),
        )
    return 0


def _outcome(one: PlayedRoom) -> CurveOutcome:
    at = one.room.answered_at
    part = None if at is None else curve_part(min(at + 1, one.words), one.words)
    return CurveOutcome(one.key, one.question.difficulty if one.question is not None else None, part)


def _is_held_back(tossup: str) -> bool:
    """Whether a tossup is judged: half of all, by a hash of its key."""
    return hashlib.sha256(tossup.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 1


def _interval(
    rooms: Sequence[CurveOutcome], mine: Sequence[float], other: Sequence[float]
) -> tuple[float, float]:
    """95 % of the bootstrap samples of tossups: by how much a room's loss is less."""
    sums: dict[str, list[float]] = {}
    for room, one, two in zip(rooms, mine, other, strict=True):
        row = sums.setdefault(room.tossup, [0.0, 0.0])
        row[0] += two - one
        row[1] += 1
    rows, draw, drawn = list(sums.values()), random.Random(1), []
    for _ in range(_SAMPLES):
        sample = draw.choices(rows, k=len(rows))
        drawn.append(sum(one for one, _ in sample) / sum(of for _, of in sample))
    drawn.sort()
    return drawn[_SAMPLES * 25 // 1000], drawn[_SAMPLES * 975 // 1000]
