"""The printed numbers: each that can be computed again is, by the functions that all experiments use."""

from __future__ import annotations

from statistics import fmean

import pytest

from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.published import printed_figures
from quizwriter.experiments.runner import run
from quizwriter.services.wiring import App

FIGURES = {f"{one.paper}, {one.what}": one for one in printed_figures()}
NOT_REPRODUCED = (
    "Wallace et al. 2019, Fisher's exact test of the accuracies, p",
    "CODAH 2019, per cent of idioms",
    "CODAH 2019, per cent of reference",
    "CODAH 2019, accuracy of GPT-1 over all categories",
    "CODAH 2019, people's accuracy over all categories",
)


@pytest.mark.parametrize("name", FIGURES)
def test_a_printed_number_is_reproduced_or_the_remark_says_why_not(name):
    one = FIGURES[name]

    assert one.reproduced is (name not in NOT_REPRODUCED)
    assert bool(one.remark) is (name in NOT_REPRODUCED)
    assert one.source


def test_values_to_more_digits_than_the_papers_print():
    def computed(name):
        return FIGURES[name].computed

    assert computed("Wallace et al. 2019, two-sided t-test of the positions, p") == pytest.approx(
        0.00465, abs=5e-6
    )
    assert computed("Jia and Liang 2017, mean F1 of sixteen systems, original") == pytest.approx(
        75.41, abs=0.005
    )
    assert computed("Jia and Liang 2017, mean F1 of sixteen systems, AddSent") == pytest.approx(
        36.36, abs=0.005
    )
    assert computed("Jia and Liang 2017, mean F1 of four systems, AddAny") == pytest.approx(6.70)
    assert fmean((52.6, 41.7, 51.0, 38.9)) == pytest.approx(46.05)  # AddCommon; no mean of it is printed
    assert computed("CODAH 2019, accuracy of BERT over all categories") == pytest.approx(64.53, abs=0.005)
    assert computed("CODAH 2019, people's accuracy on negation and quantitative questions") == pytest.approx(
        98.97, abs=0.005
    )
    assert computed("CODAH 2019, per cent of idioms") == pytest.approx(8.89, abs=0.005)


def test_the_experiment_needs_nothing_and_says_what_is_not_reproduced(tmp_path):
    with App(tmp_path / "home") as app:
        report = run("published", ExperimentInputs(app))

    assert len(report.found.rows) == len(FIGURES)
    assert report.found.sentence.startswith(
        "15 of 16 printed numbers that test a statistic are reproduced, and 29 of 33 that follow from "
        "printed ones by arithmetic"
    )
    assert [row[2] for row in report.found.rows].count("a statistic") == 16
    assert all(name in report.found.sentence for name in NOT_REPRODUCED)
    assert sorted(report.files()) == ["published.csv", "published.json"]
