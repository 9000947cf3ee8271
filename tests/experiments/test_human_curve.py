"""The predicted curve of people: outcomes by clue, its loss by hand, and a fit that finds what is there."""

from __future__ import annotations

import json

import numpy as np
import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.human_curve import (
    CurveModel,
    HeardTossup,
    ceiling_losses,
    clue_outcomes,
    curve_hazards,
    log_losses,
    mean_curve,
)
from quizwriter.experiments.inference import ridge_logistic
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.registry import experiments
from quizwriter.experiments.runner import run
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.services.wiring import App

QUESTION = SourceQuestion("q", Tossup("One two. Three four. Five six.", Answer("X")), "Made", difficulty=3)


def heard(answered, rooms=10, text=None, question=QUESTION):
    """A tossup of clues of one length, with so many of its rooms answered in each."""
    answered = np.array(answered, dtype=float)
    clues = len(answered)
    still_open = rooms - np.cumsum(answered) + answered
    features = np.zeros((clues, 11)) if text is None else np.column_stack([text, np.zeros((clues, 10))])
    ends = np.arange(1, clues + 1) / clues
    return HeardTossup(question, rooms, still_open, answered, ends, features, np.zeros((clues, 4)))


def test_rooms_are_answered_in_the_clue_in_which_somebody_is_right_first():
    def room(*buzzes):
        made = tuple(RecordedBuzz("t", "p", at, right, 0) for at, right in buzzes)
        return PlayedRoom(Room("q", "g", words=6, buzzes=made), "q", 6)

    rooms = [room((1, True)), room((1, False), (2, True)), room((99, True)), room((0, False)), room()]

    still_open, answered = clue_outcomes((2, 4, 6), rooms)

    assert answered.tolist() == [1, 1, 1]
    assert still_open.tolist() == [5, 4, 3]


def test_the_mean_curve_of_one_tossup_gives_its_own_hazards():
    one = heard([2, 4, 3])
    curve = mean_curve([one])

    assert curve[[0, 100]].tolist() == [0.0, pytest.approx(0.9)]
    # a clue ends between two per cents, so that a little is lost
    assert curve_hazards(curve, one) == pytest.approx([2 / 10, 4 / 8, 3 / 4], abs=0.01)


def test_the_log_loss_is_that_of_each_room():
    one = heard([1, 0, 1], rooms=3)
    hazards = np.array([0.5, 0.25, 0.8])

    by_room = (0.5, 0.5 * 0.75 * 0.8, 0.5 * 0.75 * 0.2)
    assert log_losses(one, hazards) == pytest.approx(-np.log(by_room).sum())


def test_the_other_rooms_tell_where_a_tossup_is_answered():
    steady = heard([0, 20, 0], rooms=20)
    flat = np.array([0.3, 0.3, 0.3])

    assert ceiling_losses(steady, flat) < 0.6 * log_losses(steady, flat)
    assert ceiling_losses(heard([1, 0, 0], rooms=1), flat) == pytest.approx(-np.log(0.3))


def test_the_regression_gives_known_coefficients_back():
    draw = np.random.default_rng(1)
    features = np.column_stack([np.ones(4000), draw.normal(size=(4000, 2))])
    true = np.array([-0.5, 1.2, 0.0])
    trials = np.full(4000, 10.0)
    hits = draw.binomial(10, 1 / (1 + np.exp(-(0.3 + features @ true)))).astype(float)

    assert ridge_logistic(features, hits, trials, np.full(4000, 0.3)) == pytest.approx(true, abs=0.05)


@pytest.mark.parametrize(("told", "gains"), [(True, True), (False, False)])
def test_a_fit_gains_where_a_feature_tells_the_hazard_and_not_elsewhere(told, gains):
    draw = np.random.default_rng(3)

    def made():
        feature = draw.normal(size=4)
        hazards = 1 / (1 + np.exp(-(-1 + (1.5 * feature if told else 0 * feature))))
        left, answered = 40, []
        for hazard in hazards:
            answered.append(draw.binomial(left, hazard))
            left -= answered[-1]
        return heard(answered, 40, feature)

    taught, kept_back = [made() for _ in range(150)], [made() for _ in range(80)]
    model = CurveModel.fitted(taught, played=False)

    old = sum(log_losses(one, model.of_difficulty(one)) for one in kept_back)
    new = sum(log_losses(one, model.hazards(one)) for one in kept_back)
    assert (new < 0.9 * old) is gains
    assert new < 1.01 * old
    if told:
        assert next(iter(model.strongest))[0] == "place of the clue"


@pytest.fixture
def sources(tmp_path):
    """Sixty made tossups, and three rooms on each."""
    questions, buzzes = tmp_path / "q.jsonl", tmp_path / "b.jsonl"
    texts = [
        f"Clue {at} of this made tossup. A humming chorus is sung while Suzuki sleeps. Name this opera."
        for at in range(60)
    ]
    questions.write_text(
        "\n".join(
            json.dumps({"id": f"q{at}", "text": text, "answer": "Madama Butterfly", "difficulty": at % 2})
            for at, text in enumerate(texts)
        )
    )
    words = len(texts[0].split())
    rows = [
        {"bq": f"q{at}", "game": f"g{game}", "pos": (5 * at + 4 * game) % words, "correct": game > 0,
         "n_words": words}
        for at in range(60)
        for game in range(3)
    ]  # fmt: skip
    buzzes.write_text("\n".join(map(json.dumps, rows)))
    return questions, buzzes


def test_the_option_of_shape_is_an_experiment_with_a_table_of_its_own(tmp_path, starter, sources, told):
    questions, buzzes = map(str, sources)

    def made():
        with App(tmp_path / "home", bundle=starter) as app:
            return run(
                "shape",
                ExperimentInputs(app, questions_from=questions, buzzes_from=buzzes, options={"fit": "yes"}),
            )

    report = made()

    assert "shape --fit" in experiments()
    found = [row[0] for row in report.found.rows]
    assert found == [
        "mean curve of all", "mean curve of the difficulty", "by the other rooms of the same tossup",
        "fitted on the text", "fitted on the text and IR",
    ]  # fmt: skip
    assert report.found.sentence.startswith("On tossups held back, the log loss of a room is ")
    assert sorted(report.files()) == [
        "shape-fit.csv", "shape-fit.json", "shape-fit.png", "shape-fit.questions.csv", "shape-fit.svg",
    ]  # fmt: skip
    json.dumps(report.as_json(), allow_nan=False)
    assert told(report) == told(made())


def test_too_few_tossups_and_rooms_of_one_kind_are_one_sentence(tmp_path, starter, sources):
    questions, buzzes = sources

    def asked(**how):
        with App(tmp_path / "home", bundle=starter) as app:
            given = {"questions_from": str(questions), "buzzes_from": str(buzzes), "options": {"fit": "yes"}}
            run("shape", ExperimentInputs(app, **given, **how))

    with pytest.raises(
        QuizwriterError, match="Recorded rooms are there of only 7 tossups of two clues or more"
    ):
        asked(limit=7)
    rows = [json.loads(line) | {"correct": True} for line in buzzes.read_text().splitlines()]
    buzzes.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(QuizwriterError, match="Every room was answered, or none was"):
        asked()
