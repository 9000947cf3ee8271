"""Experiments: what people and players make of questions, with the statistics of the published papers.

One experiment is one function that is declared with the question it answers, its table and its plot
(:mod:`quizwriter.experiments.registry`). ``inputs`` reads what it is given, ``estimates`` and ``inference``
hold the statistics, ``runner`` runs one and writes CSV, JSON, SVG and PNG, and the other modules are the
experiments. Others import from here. Nothing of Qt or SQL belongs here; the libraries for statistics and
plots are imported where they are used.
"""

from __future__ import annotations

from importlib import import_module

from quizwriter.experiments.accuracy import SHARES_HEARD as SHARES_HEARD
from quizwriter.experiments.accuracy import PlayerResult as PlayerResult
from quizwriter.experiments.accuracy import characters_heard as characters_heard
from quizwriter.experiments.accuracy import first_right as first_right
from quizwriter.experiments.accuracy import player_result as player_result
from quizwriter.experiments.drawing import PlotStyle as PlotStyle
from quizwriter.experiments.estimates import Estimate as Estimate
from quizwriter.experiments.estimates import mean_of as mean_of
from quizwriter.experiments.estimates import share_of as share_of
from quizwriter.experiments.inputs import HELD_BACK as HELD_BACK
from quizwriter.experiments.inputs import ExperimentInputs as ExperimentInputs
from quizwriter.experiments.registry import Experiment as Experiment
from quizwriter.experiments.registry import Need as Need
from quizwriter.experiments.registry import declared
from quizwriter.experiments.runner import ExperimentReport as ExperimentReport
from quizwriter.experiments.runner import run as _run

_MODULES = (
    "people", "curves", "shape", "human_curve", "probing", "versus", "calibration", "advscore",
    "effort", "overlap", "tags", "retraining", "distractor", "arms", "published",
)  # fmt: skip
"""The modules in which experiments are declared, in the order in which lists name them."""


def experiments() -> dict[str, Experiment]:
    """All experiments by their names."""
    for name in _MODULES:
        import_module(f"{__name__}.{name}")
    return declared()


def run(name: str, given: ExperimentInputs, command: str = "") -> ExperimentReport:
    """See :func:`quizwriter.experiments.runner.run`."""
    experiments()
    return _run(name, given, command)


def keep_survival(given: ExperimentInputs, report: ExperimentReport, day: str) -> int:
    """See :func:`quizwriter.experiments.retraining.keep_survival`."""
    from quizwriter.experiments.retraining import keep_survival as keep

    return keep(given, report, day)
