"""Skills: two are found where two were made, one ability is enough where one was, thin data is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom
from quizwriter.experiments.response_theory import Effects, fit_effects
from quizwriter.experiments.runner import run
from quizwriter.experiments.skills import KNOWN, NEW, PEOPLE, TEAMS, _needs, _Responses, person_responses
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.services.wiring import App
from tests.helpers.forest import TREES, in_the_forest

TOSSUPS, GAMES = 60, 30


@pytest.fixture(scope="module")
def app(bare_forest, tmp_path_factory):
    """A program on the forest, of which no tossup here is read."""
    with App(tmp_path_factory.mktemp("home"), bundle=bare_forest) as app:
        yield app


def room(question, game, *buzzes):
    made = tuple(RecordedBuzz("t", who, at, right, 0) for at, (who, right) in enumerate(buzzes))
    return PlayedRoom(Room(question, game, words=20, buzzes=made), question, 20)


def test_of_all_who_buzzed_in_a_game_the_first_right_one_answered():
    rooms = [
        room("q1", "g", ("Ada", False), ("Ben", True), ("Cleo", True)),
        room("q2", "g", ("Ada", False)),
        room("q1", "h", ("Dov", True)),
    ]

    assert person_responses(rooms) == [
        ("Ada", "q1", False), ("Ben", "q1", True), ("Cleo", "q1", False),
        ("Ada", "q2", False), ("Ben", "q2", False), ("Cleo", "q2", False),
        ("Dov", "q1", True),
    ]  # fmt: skip


def test_the_fit_is_where_the_penalised_likelihood_is_level():
    draw = np.random.default_rng(3)
    who, question = (places.ravel() for places in np.indices((80, 50)))
    abilities, levels = draw.normal(size=80), 2 * draw.normal(size=50)
    right = draw.random(4000) < 1 / (1 + np.exp(-(0.5 + abilities[who] + levels[question])))

    free = fit_effects([who, question], [81, 50], right)
    assert np.corrcoef(free.parts[0][:80], abilities)[0, 1] > 0.9
    assert free.parts[0][80] == pytest.approx(0), "nobody is nobody's ability"
    assert 0.5 < free.variances[0] < 1.5 < 2.5 < free.variances[1] < 6

    begin = Effects(0.0, [np.ones(80), np.zeros(50)], [1.0, 0.1])
    held = fit_effects([who, question], [80, 50], right, begin)
    assert held.variances == [1.0, 0.1]
    logits = held.constant + held.parts[0][who] + held.parts[1][question]
    missed = right - 1 / (1 + np.exp(-logits))
    for places, effects, variance in zip((who, question), held.parts, (1.0, 0.1), strict=True):
        assert np.bincount(places, missed) == pytest.approx(effects / variance, abs=0.1)


def test_a_tossup_needs_what_tells_its_responses_by_more_than_the_error_of_all_skills():
    question = np.repeat([0, 1, 2], [16, 16, 5])
    of = _Responses(
        question, question, question, question > 0, ["a"], ["p", "q", "r"], ["History", "Science"]
    )
    swing = np.tile([0.05, -0.05], 8)
    gains = np.array([
        [*(0.02 + swing), *(0.001 * swing), *[0.5] * 5],  # 0.02 is 1.5 errors: chance
        [*(0.03 + swing), *(-0.2 + swing), *[-0.5] * 5],
    ])  # fmt: skip

    (first, of_first), (second, _), (third, of_third) = _needs(of, gains)

    assert (first, second, third) == ("Science", "", ""), "five responses are too few"
    assert (of_first.number, of_third.number) == (16, 5)
    assert of_first.value == pytest.approx(0.03)
    assert of_first.low == pytest.approx(0.03 - 2.2414 * 0.05 / 15**0.5, abs=1e-5)


def files(folder, skills):
    """Questions on two subjects, and games in which ``skills(draw, people)`` say who is likely to answer.

    Each of two teams in a game has two people; the skills are of the shape (people, 2), in log-odds.
    """
    draw = np.random.default_rng(11)
    trees = list(TREES)
    rows = []
    for at in range(TOSSUPS):
        tree = trees[at % len(trees)]
        category = ("Science", "Literature")[at % 2]
        text = in_the_forest(tree, 100 + at)
        rows.append({"id": f"q{at}", "text": text, "answer": tree, "page": tree, "category": category})
    buzzes = []
    for game in range(GAMES):
        odds = np.exp(skills(draw, 4))
        for at in range(TOSSUPS):
            chances = np.append(odds[:, at % 2], 0.5)  # or nobody answers
            who = int(draw.choice(5, p=chances / chances.sum()))
            right, person = who < 4, who % 4
            buzzes.append(
                {"bq": f"q{at}", "game": f"g{game}", "team": f"t{game}-{person // 2}",
                 "player": f"p{game}-{person}", "pos": 3, "correct": right}
            )  # fmt: skip
    for name, lines in (("questions", rows), ("buzzes", buzzes)):
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return str(folder / "questions.jsonl"), str(folder / "buzzes.jsonl")


def of_people(report):
    """The gain of skills on other responses and on new tossups, and what is said that each tossup needs."""
    rows = [dict(zip(report.head, row, strict=True)) for row in report.found.rows]
    gains = {
        row["held out"]: row["gain of skills"]
        for row in rows
        if row["who"] == PEOPLE and row["tossups of"] == "all"
    }
    needs = [(row[2], row[5]) for row in report.found.details if row[3] == PEOPLE]
    assert len(needs) == TOSSUPS
    return gains, needs


def test_two_skills_are_found_where_people_have_two(app, tmp_path, told):
    def two_skills(draw, people):
        return 1.5 * draw.normal(size=(people, 2))

    given = ExperimentInputs(app, *files(tmp_path, two_skills), players=("ir",), options={"machines": "yes"})
    report = run("skills", given)
    gains, needs = of_people(report)

    assert gains[KNOWN].low > 0.02
    assert gains[NEW].low > 0.02
    assert sum(need == category for category, need in needs) > TOSSUPS / 2
    assert sum(need not in ("", category) for category, need in needs) == 0
    assert "Skills predict the answers of people better than one ability does" in report.found.sentence
    (player,) = (row for row in report.found.rows if row[2] == "IR")
    assert player[:5] == [TEAMS, KNOWN, "IR", TOSSUPS, 1]
    again = ExperimentInputs(
        app, given.questions_from, given.buzzes_from, players=("ir",), options=given.options
    )
    assert told(run("skills", again)) == told(report)


def test_one_ability_is_enough_where_people_have_one(app, tmp_path):
    def one_ability(draw, people):
        return np.repeat(1.5 * draw.normal(size=(people, 1)), 2, axis=1)

    report = run("skills", ExperimentInputs(app, *files(tmp_path, one_ability)))
    gains, needs = of_people(report)

    assert gains[KNOWN].high < 0.005
    assert min(gains[KNOWN].low, gains[NEW].low) <= 0
    assert {need for _, need in needs} == {""}
    assert all(row[-1] is None for row in report.found.details)
    assert "One ability predicts the answers of people as well as skills" in report.found.sentence
    assert "Skills predict" not in report.found.sentence


def test_thin_data_is_refused_in_a_sentence(app, tmp_path):
    questions, buzzes = files(tmp_path, lambda draw, people: np.zeros((people, 2)))
    few = (tmp_path / "buzzes.jsonl").read_text(encoding="utf-8").splitlines()[:TOSSUPS]
    (tmp_path / "buzzes.jsonl").write_text("\n".join(few), encoding="utf-8")

    with pytest.raises(QuizwriterError, match="Skills need 10 teams or people, and two categories of 20"):
        run("skills", ExperimentInputs(app, questions, buzzes))
