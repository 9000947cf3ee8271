"""Answers alone: each figure is counted again from the table of the questions."""

from __future__ import annotations

import csv
import io
import random

import pytest

from quizwriter.engine.pages import Pages
from quizwriter.errors import QuizwriterError
from quizwriter.experiments import answer_only
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.store.plays import Course, PlayRecord, PlaySummary
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.estimates import Estimate

EXAMPLES = str(resources_folder() / "examples.jsonl")
OTHERS = ("Henry_IV_of_France", "Henry_V_(play)", "Mark_Twain", "Symphony_No._5", "Turandot")


def played(player, question, draw):
    """A game of one word after which the answer is at a drawn place among the guesses, or at none."""
    pages = draw.sample(OTHERS, draw.randint(0, 4))
    if draw.random() < 0.8:
        pages.insert(draw.randint(0, len(pages)), question.tossup.answer.page)
    right = bool(pages) and question.tossup.answer.accepts(pages[0])
    summary = PlaySummary(
        player, "engine", 1, 1 if right else None, 1 if right else None, None, "", 0.0, False,
        draw.random() < 0.9, ("1" if right else "0") * 100,
    )  # fmt: skip
    places = list(range(len(pages)))
    return PlayRecord(
        summary, Course([1], [int(right)], [0.5], [None], pages, [places], [[-1.0] * len(pages)])
    )


@pytest.fixture
def asked(monkeypatch):
    """How many past tossups ask for a page: a small number by its letters, so that some are equal."""

    def times(self, page):
        return len(page) % 4

    monkeypatch.setattr(Pages, "asked", times)
    return lambda page: times(None, page)


def test_each_share_is_recounted_question_by_question(shared_app, monkeypatch, asked):
    draw, games, questions = random.Random(8), {}, {}

    def courses(self, given):
        questions.update({one.key: one for one in given})
        games.update({name: [played(name, one, draw) for one in given] for name in ("ir", "dan")})
        return games

    monkeypatch.setattr(ExperimentInputs, "courses", courses)
    report = run("answers", ExperimentInputs(shared_app, questions_from=EXAMPLES, options={"read": "yes"}))

    told = list(csv.DictReader(io.StringIO(report.files()["answers.questions.csv"].decode("utf-8"))))
    for row in (dict(zip(report.head, one, strict=True)) for one in report.found.rows):
        mine = [one for one in told if one["player"] == row["player"]]
        counted = []
        for one, game in zip(questions.values(), games[row["player"]], strict=True):
            pages = game.course.pages
            right = [one.tossup.answer.accepts(page) for page in pages]
            if not game.summary.knowable or not any(right):
                continue
            most = [page for page in pages if asked(page) == max(map(asked, pages))]
            alone = sum(map(one.tossup.answer.accepts, most)) / len(most)
            counted.append((sum(right) / len(right), alone, float(right[0]), alone - sum(right) / len(right)))
        means = [sum(of) / len(counted) for of in zip(*counted, strict=True)]
        titles = ("right by chance", "right by the answer alone", "right by the question")
        for title, mean in zip((*titles, "alone, more than chance"), means, strict=True):
            assert row[title].value == pytest.approx(mean), title
            assert row[title].number == row["among its guesses"] == len(mine) == len(counted)
        assert row["can know"] == sum(game.summary.knowable for game in games[row["player"]])


def test_without_an_answer_among_the_guesses_nothing_is_said(shared_app, monkeypatch, asked):
    def courses(self, given):
        return {"ir": [played("ir", one, random.Random(at)) for at, one in enumerate(given)]}

    monkeypatch.setattr(ExperimentInputs, "courses", courses)
    monkeypatch.setattr("quizwriter.experiments.answer_only._Pick.of", lambda *given: None)

    with pytest.raises(QuizwriterError, match="No answer is among the guesses"):
        run("answers", ExperimentInputs(shared_app, questions_from=EXAMPLES, options={"read": "yes"}))


@pytest.mark.parametrize(
    ("more", "low", "high", "said"),
    [
        (-0.017, -0.055, 0.027, "are not shown to give anything away"),
        (0.069, 0.017, 0.124, "bring 6.9 points more than chance (1.7 to 12.4)"),
        (-0.05, -0.08, -0.02, "bring 5.0 points less than chance (2.0 to 8.0)"),
    ],
)
def test_what_the_answers_alone_give_away_is_said_where_it_is_shown(more, low, high, said):
    shares = [Estimate(9, 0.2), Estimate(9, 0.2 + more), Estimate(9, 0.8), Estimate(9, more, low, high)]

    assert answer_only._sentence("IR", shares).endswith(f"its first in 80.0 %: the answers alone {said}")
