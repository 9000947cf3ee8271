"""How well stock clues are found, measured on tournaments that the bundle held back."""

from __future__ import annotations

import pytest

from quizwriter.bench.clue_accuracy import clue_accuracy
from quizwriter.bench.desk import bench_desk
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import is_held_back
from quizwriter.services.wiring import App
from tests.helpers.stock_bundle import FRESH, LEAD_IN, stock_bundle, stock_rows

HELD = next(f"{year} Held Cup" for year in range(2000, 2400) if is_held_back(f"{year} Held Cup", 5))
REWORDED = "Vadsbru has quilters who sew a banner, the crooked herringbone one of a second voyage."


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    rows = stock_rows()
    for row in rows[:4]:
        assert not is_held_back(row["tournament"], 5)
    rows += [
        {
            "id": "held",
            "text": f"{REWORDED} {FRESH} For 10 points, name this explorer.",
            "page": "Ida_Frost",
            "answer": "Ida Frost",
            "tournament": HELD,
        },
        {
            "id": "host",
            "text": f"{FRESH} For 10 points, name this fjord.",
            "answer": "Fjord",
            "tournament": HELD,
        },
    ]
    return stock_bundle(tmp_path_factory.mktemp("measured"), rows, hold_back=5)


def test_known_clues_are_planted_and_found_and_new_ones_are_not_marked(measured):
    bundle, path = measured

    figures = clue_accuracy(load(bundle), path, lambda *_: None)

    assert (figures["stock_planted"], figures["stock_found_on_answer"]) == (1, 1.0)
    assert figures["stock_new_sentences_per_tossup"] == 1.5  # what names the fjord is new, too
    assert figures["stock_false_marks_per_tossup"] == 0.0
    assert figures["stock_marks_per_tossup"] == 0.5


def test_the_bench_of_the_desk_has_these_figures_and_times(measured, tmp_path):
    bundle, path = measured

    with App(tmp_path / "home", bundle=bundle) as app:
        figures = bench_desk(app, path)

    assert figures["library_questions"] > 500
    assert 0 < figures["clue_sentence_p50"] <= figures["clue_sentence_p95"]
    assert figures["stock_planted"] == 1
    assert 0 < figures["judgement_p50"] <= figures["judgement_p95"]
    assert (figures["judge_takes_own_answer"], figures["judge_takes_other_pages"]) == (1.0, 0)


def test_questions_of_tournaments_held_back_are_nowhere_in_the_bundle(measured):
    engine = load(measured[0])

    assert not any(question.tournament == HELD for question in engine.library.questions_on("Ida Frost"))
    assert not engine.library.search("Ulvangsund").hits
    assert engine.library.search(LEAD_IN[:40]).hits


def test_a_bundle_that_holds_nothing_back_cannot_be_measured(tmp_path):
    bundle, path = stock_bundle(tmp_path / "whole")

    with pytest.raises(QuizwriterError, match="held tournaments back"):
        clue_accuracy(load(bundle), path, lambda *_: None)
