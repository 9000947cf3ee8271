"""The distractor: who falls for a sentence about another answer, and what cannot be made."""

from __future__ import annotations

import json

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.services.beat_goal import word_overlap
from quizwriter.services.wiring import App
from quizwriter.system.extras import EXTRAS, require_extra
from tests.helpers.novels import write_questions


@pytest.fixture
def app(tmp_path, novels_with_distractor):
    with App(tmp_path / "home", bundle=novels_with_distractor[0]) as app:
        yield app


@pytest.fixture
def questions(tmp_path):
    return str(write_questions(tmp_path / "questions.jsonl"))


@pytest.mark.parametrize(
    ("said", "wanted", "share"),
    [
        ("The Nile", "nile", 1),
        ("Blue Nile", "Nile", 2 / 3),
        ("Amazon", "Nile", 0),
        ("", "Nile", 0),
        ("", "", 0),
        ("x x y", "x y z", 2 / 3),
    ],
)
def test_the_words_of_two_answers_are_compared_as_squad_does(said, wanted, share):
    assert word_overlap(said, wanted) == pytest.approx(share)


def test_both_sentences_are_played_and_the_same_seed_gives_the_same_bytes(app, questions):
    def report(seed):
        return run(
            "distractor",
            ExperimentInputs(app, questions_from=questions, limit=6, seed=seed, options={"read": "yes"}),
        )

    first = report(1)
    (row,) = (dict(zip(first.head, cells, strict=True)) for cells in first.found.rows)
    assert row["player"] == "ir"
    assert row["tossups"] == 6
    for name in ("network", "rule"):
        change = row[f"right with the {name}'s"].value - row["right before"].value
        assert row[f"change by the {name}'s"].value == pytest.approx(change)
    assert row["F1 before"].value >= row["right before"].value
    assert "IR is right on" in first.found.sentence
    for details in first.found.details:
        _, answer, noun, other, *_, written, by_rule = details
        assert other != answer
        assert other in by_rule
        assert noun in {"author", "novel"}
        assert written
    assert first.files() == report(1).files()
    assert first.found.details != report(2).found.details


def test_a_bundle_without_one_names_the_command_that_trains_it(tmp_path, novels, questions):
    with App(tmp_path / "home", bundle=novels) as app, pytest.raises(QuizwriterError) as caught:
        run("distractor", ExperimentInputs(app, questions_from=questions))

    assert "has no distractor" in caught.value.problem
    assert "train --players distractor" in caught.value.remedy


def test_questions_that_cannot_be_rewritten_are_a_sentence(app, tmp_path):
    path = tmp_path / "plain.jsonl"
    rows = [
        {"text": "Nothing is named here. Name this thing at once please.", "answer": "Bramin Tulvane"},
        {"text": "Nobody knows this answer. Name this author of nothing.", "answer": "Someone Unknown"},
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    with pytest.raises(QuizwriterError, match="None of the questions has a last sentence"):
        run("distractor", ExperimentInputs(app, questions_from=str(path)))


def test_without_torch_one_sentence_has_the_command(app, questions, monkeypatch):
    asked = []

    def missing(extra, purpose):
        asked.append(extra)
        if extra == "train":
            raise QuizwriterError(f"{purpose} needs PyTorch, which is not installed.", "Install it.")
        require_extra(extra, purpose)

    monkeypatch.setattr("quizwriter.experiments.distractor.require_extra", missing)
    with pytest.raises(QuizwriterError, match="writes the sentences needs PyTorch"):
        run("distractor", ExperimentInputs(app, questions_from=questions))
    assert asked == ["train"]
    assert "torch" in EXTRAS["train"]
