"""The shape of tossups: the stated base rates, a made inversion, and a permutation of its sentences."""

from __future__ import annotations

import json

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.clue_readings import clue_ends
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.runner import run
from quizwriter.experiments.shape import peoples_shape
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.services.wiring import App

SENTENCES = [f"{first} clue has exactly six words." for first in ("One", "Two", "Red", "Far", "End")]
QUESTION = SourceQuestion("q", Tossup(" ".join(SENTENCES), Answer("An answer")))


def rooms(right, wrong=()):
    """A room for each position of a buzz."""
    found = []
    for at, (position, is_right) in enumerate([*((p, True) for p in right), *((p, False) for p in wrong)]):
        buzz = RecordedBuzz("t", "p", position, is_right, 10 if is_right else -5)
        found.append(PlayedRoom(Room("q", f"g{at}", words=30, buzzes=(buzz,)), "q", 30, QUESTION))
    return found


def spread(*counts):
    """Positions with so many buzzes in each clue of six words."""
    return [6 * clue + at % 6 for clue, count in enumerate(counts) for at in range(count)]


def test_a_made_inversion_is_found():
    found = peoples_shape(rooms(spread(6, 1, 4, 5, 4)))

    assert found.hazards == pytest.approx((6 / 20, 1 / 14, 4 / 13, 5 / 9))
    assert (found.inversions, found.pairs) == (1, 6)
    assert found.cliff == pytest.approx(5 / 9 - 4 / 13)


def test_a_pyramid_has_no_inversion_and_a_permutation_permutes_the_figures():
    steady = peoples_shape(rooms(spread(1, 2, 4, 6, 7)))
    turned = peoples_shape(rooms(spread(4, 2, 1, 6, 7)))

    assert steady.inversions == 0
    assert turned.inversions == 3
    assert steady.hazards[1:2] != turned.hazards[1:2]


def test_a_clue_that_few_were_left_to_hear_has_no_hazard():
    assert len(peoples_shape(rooms(spread(6, 6, 1, 1, 1))).hazards) == 2


def test_a_buzzer_race_is_within_five_words_and_before_the_end():
    assert peoples_shape(rooms([8] * 5 + [12] * 3 + [20, 25, 26, 27])).has_race
    assert not peoples_shape(rooms([3, 9, 13, 20, 21, 25] + [29] * 8)).has_race


def test_a_neg_pile_up_is_in_one_clue():
    right = spread(1, 2, 4, 6, 7)

    assert peoples_shape(rooms(right, spread(0, 3, 1, 1))).has_pile_up
    assert not peoples_shape(rooms(right, spread(0, 2, 2, 1))).has_pile_up
    assert peoples_shape(rooms(right, spread(0, 4))).pile_up_share is None


def test_few_buzzes_tell_no_shape():
    assert peoples_shape(rooms(spread(1, 2, 4))) is None


def test_words_are_counted_as_the_file_counts_them():
    tossup = Tossup('The ("thuh") first clue. The second one (*) ends here.', Answer("x"))

    assert clue_ends(tossup, len(tossup.words)) == (3, 8)
    assert clue_ends(tossup, len(tossup.text.split())) == (4, 10)


def test_the_shared_buzzes_have_the_stated_base_rates(app, shared_data):
    buzzes, questions = (shared_data / f"{name}.jsonl.xz" for name in ("buzzes", "buzz_tossups"))

    report = run("shape", ExperimentInputs(app, questions_from=str(questions), buzzes_from=str(buzzes)))

    people = dict(zip(report.head, report.found.rows[0], strict=True))
    assert people["tossups"] == 1_821
    stated = {"clue pairs out of order": 0.080, "buzzer race": 0.109, "neg pile-up": 0.220}
    assert {name: round(people[name].value, 3) for name in stated} == stated


def test_too_few_buzzes_are_one_sentence(app, tmp_path):
    questions, buzzes = tmp_path / "q.jsonl", tmp_path / "b.jsonl"
    questions.write_text(json.dumps({"id": "q", "text": QUESTION.tossup.text, "answer": "An answer"}))
    row = {"bq": "q", "game": "g", "pos": 3, "correct": True, "n_words": 30}
    buzzes.write_text(json.dumps(row))

    with pytest.raises(QuizwriterError, match="No tossup has 10 right buzzes"):
        run("shape", ExperimentInputs(app, questions_from=str(questions), buzzes_from=str(buzzes)))


def test_players_hear_each_clue_alone_and_are_held_against_people(tmp_path, starter):
    questions, buzzes = tmp_path / "q.jsonl", tmp_path / "b.jsonl"
    texts = {
        at: " ".join(
            [
                "Nobody knows this first clue of all.",
                "A humming chorus is sung while Suzuki sleeps.",
                "This sentence says very little about it.",
                "Name this opera about Pinkerton and Cio-Cio-San.",
            ][:: 1 if at else -1]
        )
        for at in range(2)
    }
    questions.write_text(
        "\n".join(
            json.dumps({"id": f"q{at}", "text": text, "answer": "Madama Butterfly"})
            for at, text in texts.items()
        )
    )
    rows = [
        {"bq": f"q{at}", "game": f"g{game}", "pos": (game * (3 - at)) % 29, "correct": True, "n_words": 29}
        for at in texts
        for game in range(24)
    ]
    buzzes.write_text("\n".join(map(json.dumps, rows)))

    with App(tmp_path / "home", bundle=starter) as app:
        given = ExperimentInputs(
            app, questions_from=str(questions), buzzes_from=str(buzzes), options={"machines": "yes"}
        )
        report = run("shape", given)

    people, player = (dict(zip(report.head, row, strict=True)) for row in report.found.rows)
    assert (people["by"], player["by"]) == ("people", "ir")
    assert player["giveaway alone is enough"].number == 2
    assert player["Spearman with people"].number <= 2
    assert (
        player["ROC area, pairs out of order"].number == sum(row[5] >= 0 for row in report.found.details) * 3
    )
    assert player["ROC area, tossups out of order"].number == 2
    assert player["marked pairs that people have"].number <= 6
    assert people["ROC area, buzzer races"] is None
    json.dumps(report.as_json(), allow_nan=False)
