"""Bad input for every experiment: a sentence each, and never a figure that is no number."""

from __future__ import annotations

import json
import math

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.experiments import runner
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.registry import Need, experiments
from quizwriter.experiments.runner import run
from quizwriter.system.resource_files import resources_folder

EXAMPLES = [
    json.loads(line)
    for line in (resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()
]
OPTIONS = {
    "shape --fit": {"fit": "yes"},
    "versus --calibration": {"calibration": "yes"},
    "whatif": {"probe": "drop,last,radius"},
    "retrain": {"plan": "kfold", "folds": "2"},
}


def questions(*numbers):
    return [EXAMPLES[number] | {"id": f"q{number}"} for number in numbers]


def buzzes(keys, rooms=3, right=lambda room: room % 2 == 0, position=lambda room: 20 + 15 * room, game="g"):
    return [
        {
            "bq": key,
            "game": f"{game}{room}",
            "team": f"t{room}",
            "pos": position(room),
            "correct": right(room),
        }
        for key in keys
        for room in range(rooms)
    ]


CASES = {
    "buzzes that fit no question": (questions(0, 1), buzzes(["elsewhere"])),
    "positions past the end": (questions(0, 1), buzzes(["q0", "q1"], position=lambda room: 10_000 + room)),
    "one room twice": (questions(0, 1), [*buzzes(["q0", "q1"]), *buzzes(["q0", "q1"])]),
    "an empty set": ([], buzzes(["q0"])),
    "no buzzes": (questions(0, 1), []),
    "one question": (questions(0), buzzes(["q0"])),
    "one question, one room": (questions(0), buzzes(["q0"], rooms=1)),
    "all right": (questions(0, 1, 2), buzzes(["q0", "q1", "q2"], right=lambda room: True)),
    "none right": (questions(0, 1, 2), buzzes(["q0", "q1", "q2"], right=lambda room: False)),
    "answers that nobody can know": (
        [row | {"answer": f"No {row['id']}", "page": f"No_{row['id']}"} for row in questions(0, 1)],
        buzzes(["q0", "q1"]),
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def finite_plots(monkeypatch):
    """Plots are checked instead of drawn: a library draws what is no number as nothing."""

    def checked(plot, series, title):
        for one in series:
            for values in (one.across, one.up, one.low, one.high):
                assert all(isinstance(value, str) or math.isfinite(value) for value in values), one.label
        return {}

    monkeypatch.setattr(runner, "draw", checked)


def told(name, given):
    """The report of an experiment, or why it refused."""
    try:
        return run(name.split(" --")[0], given), None
    except QuizwriterError as refusal:
        return None, refusal


def tried():
    """Each experiment with each case; one that takes no buzzes gets the same questions only once."""
    for name, made in experiments().items():
        met = []
        for case, (rows, _) in CASES.items():
            if Need.BUZZES in made.needs | made.may or rows not in met:
                met.append(rows)
                yield name, case


@pytest.mark.parametrize(("name", "case"), [*tried()])
def test_every_experiment_says_a_sentence_whatever_it_is_given(name, case, shared_app, engine, tmp_path):
    rows, made = CASES[case]
    asked, heard = tmp_path / "questions.jsonl", tmp_path / "buzzes.jsonl"
    asked.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    heard.write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
    given = ExperimentInputs(
        shared_app,
        questions_from=str(asked),
        buzzes_from=str(heard),
        players=() if name in {"distractor", "effort", "arms"} else ("ir",),
        options=OPTIONS.get(name, {}),
        loaded=engine,
    )

    report, refusal = told(name, given)
    if report is None:
        assert refusal.problem.endswith(".")
        assert refusal.remedy
        return

    sentence = report.found.sentence
    assert sentence.endswith(".")
    assert sentence[0] == sentence[0].upper()
    for text in (sentence, *report.found.remarks):
        assert not {"nan", "None", "inf"} & {*text.replace(",", " ").replace("%", " ").split()}, text
    json.dumps(report.as_json(), allow_nan=False)
    for raw in report.files().values():
        cells = raw.decode("utf-8").replace("\n", ",").casefold().split(",")
        assert not {"nan", "inf", "-inf", "none"} & {*cells}
