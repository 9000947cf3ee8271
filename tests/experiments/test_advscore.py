"""AdvScore: known parameters come back, teams without a chance are missing, thin data is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.experiments.advscore import _players_right, adv_scores, team_responses
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom
from quizwriter.experiments.response_theory import ResponseModel, fit_responses
from quizwriter.experiments.runner import run
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.services.wiring import App
from quizwriter.store.plays import PlaySummary


def room(question, game, *buzzes):
    made = tuple(RecordedBuzz(team, "p", at, right, 0) for at, (team, right) in enumerate(buzzes))
    return PlayedRoom(Room(question, game, words=20, buzzes=made), question, 20)


def test_a_team_without_a_chance_is_missing_and_not_wrong():
    rooms = [
        room("q1", "g", ("A", True)),
        room("q2", "g", ("A", False), ("B", True)),
        room("q3", "g", ("B", False)),
        room("q4", "g"),
    ]

    assert team_responses(rooms) == [
        ("A", "q1", True),
        ("A", "q2", False), ("B", "q2", True),
        ("A", "q3", False), ("B", "q3", False),
        ("A", "q4", False), ("B", "q4", False),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def simulated():
    """Answers by the model to known parameters: 300 answerers, 60 questions, every tenth turned round."""
    draw = np.random.default_rng(5)
    abilities = draw.normal(size=300)
    slopes = draw.uniform(0.6, 1.8, 60)
    slopes[::10] = -1.0
    levels = draw.normal(size=60)
    chances = 1 / (1 + np.exp(-(abilities[:, None] * slopes + levels)))
    who, question = (places.ravel() for places in np.indices(chances.shape))
    right = draw.random(chances.size) < chances.ravel()
    return abilities, slopes, levels, fit_responses(who, question, right)


def test_known_parameters_lie_within_their_intervals(simulated):
    abilities, slopes, levels, model = simulated

    for found, errors, true in (
        (model.discriminations, model.discrimination_errors, slopes),
        (model.levels, model.level_errors, levels),
    ):
        assert np.mean(np.abs(found - true) < 1.96 * errors) > 0.85
        assert np.abs(found - true).max() < 5 * errors.max()
    assert np.corrcoef(model.abilities, abilities)[0, 1] > 0.93
    assert model.negative.nonzero()[0].tolist() == [0, 10, 20, 30, 40, 50]


def test_the_fit_is_the_top_of_the_penalised_likelihood():
    """The likelihood is written here again, answerer by answerer, from Bock and Aitkin's formula."""
    draw = np.random.default_rng(8)
    who, question = (places.ravel() for places in np.indices((30, 6)))
    there = draw.random(who.size) < 0.8
    who, question = who[there], question[there]
    right = draw.random(who.size) < 0.3 + 0.1 * question
    model = fit_responses(who, question, right)
    nodes = np.linspace(-5, 5, 41)
    weights = np.exp(-(nodes**2) / 2)

    def height(slopes, levels):
        found = -(((slopes - 1) / 0.7) ** 2).sum() / 2 - ((levels / 2) ** 2).sum() / 2
        for one in range(30):
            product = weights.copy()
            for at, hit in zip(question[who == one], right[who == one], strict=True):
                chance = 1 / (1 + np.exp(-(slopes[at] * nodes + levels[at])))
                product *= chance if hit else 1 - chance
            found += np.log(product.sum())
        return found

    top, step = height(model.discriminations, model.levels), 1e-3
    for at in range(6):
        for move in (step, -step):
            aside = np.where(np.arange(6) == at, move, 0.0)
            assert height(model.discriminations + aside, model.levels) < top
            assert height(model.discriminations, model.levels + aside) < top


def test_the_information_is_the_integral_of_its_curve(simulated):
    model = simulated[3]
    grid = np.linspace(-5, 5, 20_001)
    chances = model.chances(grid)
    curve = model.discriminations**2 * chances * (1 - chances)

    assert model.information == pytest.approx(np.trapezoid(curve, grid, axis=0), rel=1e-4)


def test_the_parts_of_the_score_by_hand():
    model = ResponseModel(np.array([0.0, 0.0, 0.0, 3.0]), np.array([1.0]), np.array([0.1]), np.array([0.0]),
                          np.array([0.1]))  # fmt: skip

    found = adv_scores(model, [0, 1, 2], np.array([0.5, 0.5, 0.5]), np.array([-1.0]))

    below = 1 / (1 + np.e)
    information = (1 / (1 + np.exp(-5.0))) - (1 / (1 + np.exp(5.0)))
    assert found.margin == pytest.approx([0.5 - below])
    assert found.kappa == pytest.approx([1 - np.exp(-information)])
    assert found.delta == pytest.approx([0.0])
    assert found.score == pytest.approx(found.margin * (1 + found.kappa))


def test_experts_who_disagree_lower_the_score():
    abilities = np.array([-2.0, -2.0, -1.0, -1.0, 0.0, 0.0, 3.0, 4.0])
    model = ResponseModel(abilities, *(np.array([one]) for one in (1.0, 0.1, -3.0, 0.1)))

    found = adv_scores(model, range(8), np.ones(8), np.array([-1.0]))

    def chance(ability):
        return 1 / (1 + np.exp(3 - ability))

    delta = (chance(4) - chance(3)) / 2  # these two are more than a deviation above the mean, an eighth
    kappa = 1 - np.exp(-(chance(5) - chance(-5)))
    assert delta > 0.1
    assert found.delta == pytest.approx([delta])
    assert found.score == pytest.approx([(chance(1 / 8) - chance(-1)) * (1 + kappa) / (1 + delta)])


def sources(folder, rows):
    questions, buzzes = folder / "q.jsonl", folder / "b.jsonl"
    texts = [f"Clue {at} is made. A humming chorus is sung. Name this opera." for at in range(12)]
    questions.write_text(
        "\n".join(
            json.dumps({"id": f"q{at}", "text": text, "answer": "Madama Butterfly"})
            for at, text in enumerate(texts)
        )
    )
    buzzes.write_text("\n".join(map(json.dumps, rows)))
    return {"questions_from": str(questions), "buzzes_from": str(buzzes)}


def buzz(question, game, team, right):
    return {"bq": f"q{question}", "game": f"g{game}", "team": team, "player": "p", "pos": 5, "correct": right,
            "n_words": 12}  # fmt: skip


def test_the_table_has_a_row_for_the_players_and_the_same_is_told_twice(tmp_path, starter, told):
    rows = [
        buzz(question, game, f"t{game}", (question * game) % 3 > 0)
        for game in range(14)
        for question in range(12)
    ]
    given = sources(tmp_path, rows)

    def made():
        with App(tmp_path / "home", bundle=starter) as app:
            return run("advscore", ExperimentInputs(app, **given))

    report = made()

    row = dict(zip(report.head, report.found.rows[0], strict=True))
    assert (row["questions"], row["teams"], row["responses"]) == (12, 14, 168)
    assert row["margin"].value == pytest.approx(
        row["chance of people"].value - row["chance of players"].value
    )
    assert len(report.found.details) == 12
    json.dumps(report.as_json(), allow_nan=False)
    assert told(report) == told(made())


@pytest.mark.parametrize(
    ("games", "right", "problem"),
    [
        (3, True, "12 questions and 3 teams have 5 responses or more|0 questions and 0 teams"),
        (14, True, "All responses of teams are alike"),
        (14, False, "All responses of teams are alike"),
    ],
)
def test_thin_data_is_refused_in_a_sentence(tmp_path, starter, games, right, problem):
    rows = [buzz(question, game, f"t{game}", right) for game in range(games) for question in range(12)]
    given = sources(tmp_path, rows)

    with App(tmp_path / "home", bundle=starter) as app, pytest.raises(QuizwriterError, match=problem):
        run("advscore", ExperimentInputs(app, **given))


def test_players_that_agree_tell_no_more_of_a_tossup_than_one():
    games = [PlaySummary("ir", "", 9, 3, 3, 3, "X", 0.9, True, True, str(at % 2) * 100) for at in range(40)]

    def width(players):
        found = _players_right([games] * players, np.random.default_rng(1))
        assert (found.number, found.value) == (40 * players, 0.5)
        return found.high - found.low

    assert width(8) > 0.9 * width(1)
