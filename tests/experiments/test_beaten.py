"""Questions that beat the players: each figure is counted again from the table of the questions."""

from __future__ import annotations

import csv
import io
import random

import pytest

from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.services.beat_goal import answer_overlap
from quizwriter.store.plays import Course, PlayRecord, PlaySummary
from quizwriter.system.resource_files import resources_folder

EXAMPLES = str(resources_folder() / "examples.jsonl")


@pytest.mark.parametrize(
    ("guess", "line", "page", "share"),
    [
        ("Mark_Twain", "Samuel Clemens [accept Mark Twain]", "Mark_Twain", 1.0),
        ("Mark_Twain", "Samuel Clemens", "Samuel_Clemens", 0.0),
        ("Henry_IV_of_France", "Henry IV of England", "Henry_IV_of_England", 0.75),
        ("Henry_IV,_Part_2", "Henry V", "Henry_V_(play)", 1 / 3),
        ("Mercury_(planet)", "Mercury", "Mercury_(element)", 1.0),  # F1 does not know that these are two
        (None, "Mercury", "Mercury_(element)", 0.0),
    ],
)
def test_the_best_of_the_accepted_names_counts(guess, line, page, share):
    said = None if guess is None else Page(guess)

    assert answer_overlap(said, Answer(line, Page(page))) == pytest.approx(share)


GUESSES = ("Henry_IV_of_France", "Henry_V_(play)", "Mark_Twain", "Symphony_No._5")


def played(player, question, draw):
    """A game of one word at whose end the first guess is right, wrong, or none."""
    answer = question.tossup.answer
    page = draw.choice([answer.page, answer.page, *GUESSES, None])
    right = page is not None and answer.accepts(page)
    summary = PlaySummary(
        player, "engine", 1, 1 if right else None, 1 if right else None, None, "", 0.0, False,
        draw.random() < 0.9, ("1" if right else "0") * 100,
    )  # fmt: skip
    said = [] if page is None else [0]
    return PlayRecord(
        summary,
        Course(
            [1], [int(right)], [0.5], [None], [] if page is None else [page], [said], [[-1.0] * len(said)]
        ),
    )


def test_each_share_is_recounted_question_by_question(shared_app, monkeypatch):
    draw = random.Random(4)
    games = {}

    def courses(self, questions):
        games.update({name: [played(name, one, draw) for one in questions] for name in ("ir", "dan", "rnn")})
        return games

    monkeypatch.setattr(ExperimentInputs, "courses", courses)
    report = run("beaten", ExperimentInputs(shared_app, questions_from=EXAMPLES, options={"read": "yes"}))

    told = {}
    for row in csv.DictReader(io.StringIO(report.files()["beaten.questions.csv"].decode("utf-8"))):
        by_page = row["beaten by the page"] == "yes"
        assert (row["beaten by F1"] == "yes") == (by_page and float(row["F1"]) < 0.4)
        marks = told.setdefault(row["player"], {})
        marks[row["question"]] = (by_page, row["beaten by F1"] == "yes")
    rows = [dict(zip(report.head, row, strict=True)) for row in report.found.rows]
    known = sum(all(game.summary.knowable for game in of) for of in zip(*games.values(), strict=True))
    alive = {"page": set(told["ir"]), "F1": set(told["ir"])}
    last = known
    for row in rows:
        marks = told.pop(row["player"])
        by_page = {key for key, (page, _) in marks.items() if page}
        by_words = {key for key, (_, words) in marks.items() if words}
        alive = {"page": alive["page"] & by_page, "F1": alive["F1"] & by_words}
        for title, keys in {
            "beaten by the page": by_page,
            "beaten by F1": by_words,
            "by the page alone": by_page - by_words,
            "beaten with all weaker": alive["page"],
            "by F1 with all weaker": alive["F1"],
        }.items():
            assert row[title].number == len(marks) == row["questions"] == known
            assert row[title].value == pytest.approx(len(keys) / known), title
        assert len(by_page) <= last, "the player that most questions beat comes first"
        last = len(by_page)
    assert not told
    everyone = f"{100 * len(alive['page']) / known:.1f} % beat them all by the page"
    assert everyone in report.found.sentence
