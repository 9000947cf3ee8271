"""Players measure nothing on questions that they have read: these are left out, or it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import FEWEST_UNREAD, ExperimentInputs
from quizwriter.experiments.registry import experiments
from quizwriter.experiments.runner import run
from quizwriter.services.wiring import App
from tests.helpers.forest import TREES, ask

MEASURED = {
    "adversarial", "advscore", "answers", "arms", "beaten", "cues", "curves", "distractor", "effort",
    "retrain", "shape", "shape --fit", "skills", "tags", "teaming", "versus", "versus --calibration",
    "whatif",
}  # fmt: skip
"""The experiments that say how players do on questions."""


@pytest.fixture(scope="module")
def app(bare_forest, tmp_path_factory):
    """A program on the forest, of which every tossup below number 20 is read or held back."""
    with App(tmp_path_factory.mktemp("home"), bundle=bare_forest) as app:
        yield app


@pytest.fixture
def file(tmp_path):
    """Writes a file of the tossups with these numbers on each tree."""

    def file(*numbers):
        path = tmp_path / "questions.jsonl"
        ask(path, numbers)
        return str(path)

    return file


def test_every_experiment_on_how_players_do_asks_for_unread_questions():
    assert {one.name for one in experiments().values() if one.unread} == MEASURED
    assert all(("read" in one.options) is one.unread for one in experiments().values())


def test_what_was_read_has_no_stump_that_learning_could_take(app, file):
    given = ExperimentInputs(app, questions_from=file(0, *range(100, 104)), options={"folds": "2"})
    report = run("retrain", given)

    assert report.found.sentence.startswith("The players have read 6 of 30 questions; these are left out. ")
    assert {row[4] for row in report.found.rows} == {24}
    with pytest.raises(QuizwriterError, match="have read 6 of 6 questions"):
        run("retrain", ExperimentInputs(app, questions_from=file(0)))


def test_read_questions_are_left_out_and_counted_and_the_first_sentence_says_so(app, file):
    given = ExperimentInputs(app, questions_from=file(0, *range(100, 104)))
    report = run("curves", given)

    assert report.found.sentence.startswith("The players have read 6 of 30 questions; these are left out. ")
    assert dict(report.left_out)["questions that the players have read"] == 6
    assert report.found.rows[0][2] == 24
    assert report.as_json()["read"] == {"questions": 30, "read": 6, "played": False}


def test_with_too_few_left_nothing_is_measured(app, file):
    needed = f"18 would be left, and {FEWEST_UNREAD} are needed"
    with pytest.raises(QuizwriterError, match=needed) as raised:
        run("curves", ExperimentInputs(app, questions_from=file(0, 100, 101, 102)))
    assert "--read" in raised.value.remedy


def test_they_are_played_if_one_asks_for_that_and_every_result_says_so(app, file):
    given = ExperimentInputs(app, questions_from=file(0, 100), options={"read": "yes"})
    report = run("curves", given)

    assert report.found.sentence.startswith("The players have read 6 of 12 questions, and play them here")
    assert report.found.rows[0][2] == 12
    assert report.as_json()["read"]["played"] is True
    assert b"the players have read some" in report.files()["curves.svg"]


def test_a_set_that_nobody_read_may_be_small_and_says_nothing(app, file):
    report = run("curves", ExperimentInputs(app, questions_from=file(100)))

    assert report.found.rows[0][2] == len(TREES)
    assert "have read" not in report.found.sentence


def test_controls_that_the_players_have_read_are_left_out_too(app, file, tmp_path):
    these = Path(file(100)).rename(tmp_path / "these.jsonl")
    report = run("curves", ExperimentInputs(app, str(these), against_from=file(0, 101)))

    assert dict(report.left_out)["controls that the players have read"] == len(TREES)
    assert report.found.rows[1][2] == len(TREES)
    with pytest.raises(QuizwriterError, match=r"have read all questions of questions\.jsonl"):
        run("curves", ExperimentInputs(app, str(these), against_from=file(0)))
