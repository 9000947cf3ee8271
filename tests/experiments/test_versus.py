"""Players against recorded people: the rules on rooms made by hand."""

from __future__ import annotations

import json

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.calibration import cal_score, mean_calibration_error, peoples_scores
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.runner import run
from quizwriter.experiments.versus import _Duel, match_points, qanta25, qanta26
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.services.wiring import App
from quizwriter.store.plays import PlaySummary
from quizwriter.system.resource_files import resources_folder

EXAMPLES = resources_folder() / "examples.jsonl"
TEXT = "one two three four (*) five six seven eight nine ten"


def room(*buzzes):
    """A room with buzzes of a position and the points they brought."""
    made = tuple(RecordedBuzz("t", "p", at, value > 0, value) for at, value in buzzes)
    return PlayedRoom(Room("q", "g", words=10, buzzes=made), "q", 10)


def duel(buzz, right, *rooms):
    game = PlaySummary("ir", "", 10, 3, 3, buzz, "X", 0.9, right, True, "1" * 100)
    return _Duel(SourceQuestion("q", Tossup(TEXT, Answer("X"))), game, rooms)


@pytest.mark.parametrize(
    ("right", "still_open", "score"),
    [(True, 1.0, 1.0), (True, 0.25, 0.25), (False, 0.5, -0.25), (None, 1.0, 0)],
)
def test_the_rule_of_2025(right, still_open, score):
    assert qanta25(right, still_open) == score


@pytest.mark.parametrize(
    ("right", "heard", "in_power", "points"),
    [
        (True, 0.1, True, 15),
        (True, 0.3, False, 12),
        (True, 0.6, False, 11),
        (True, 1.0, False, 10),
        (False, 0.1, True, 0),
    ],
)
def test_the_rule_of_2026(right, heard, in_power, points):
    assert qanta26(right, heard, in_power=in_power) == points


@pytest.mark.parametrize(
    ("buzz", "right", "people", "points"),
    [
        (3, True, [(4, 10)], (15, 0)),
        (6, True, [(7, 10)], (10, 0)),
        (6, False, [(7, 10)], (-5, 10)),
        (6, True, [(2, 15)], (0, 15)),
        (6, True, [(2, -5)], (10, -5)),
        (None, False, [(2, -5), (8, 10)], (0, -5)),
        (None, False, [], (0, 0)),
        (6, True, [(5, 10)], (0, 10)),  # at the same word people come first
    ],
)
def test_who_buzzes_first_answers(buzz, right, people, points):
    assert match_points(duel(buzz, right), room(*people)) == points


def test_rooms_that_are_open_are_those_where_nobody_was_right_before():
    found = duel(5, True, room((3, 10)), room((4, 10)), room((2, -5), (8, 10)), room())

    assert found.still_open == 0.75


def test_every_rule_has_a_row_and_the_files_are_the_same_twice(tmp_path, starter):
    rows = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()][:7]
    questions, buzzes = tmp_path / "q.jsonl", tmp_path / "b.jsonl"
    questions.write_text("\n".join(json.dumps(row | {"id": f"q{at}"}) for at, row in enumerate(rows)))
    made = [
        {"bq": f"q{at}", "game": f"g{game}", "pos": 20 + 9 * game, "correct": game % 3 > 0}
        for at in range(6)
        for game in range(8)
    ]
    buzzes.write_text("\n".join(map(json.dumps, made)))

    def files():
        with App(tmp_path / "home", bundle=starter) as app:
            given = ExperimentInputs(app, questions_from=str(questions), buzzes_from=str(buzzes))
            return run("versus", given)

    report = files()
    assert [row[1] for row in report.found.rows] == ["people", "cubic", "qanta25", "qanta26", "acf"]
    found = dict(zip(report.head, report.found.rows[4], strict=True))
    assert found["matches won"].number == 2000
    classes = sum(found[kind].value for kind in ("best", "late", "premature", "hopeless"))
    assert classes == pytest.approx(1)
    assert report.left_out == (("questions without a recorded room", 1),)
    assert report.files() == files().files()


def test_an_unknown_rule_is_one_sentence(tmp_path, starter):
    buzzes = tmp_path / "b.jsonl"
    buzzes.write_text(json.dumps({"bq": "q", "game": "g", "pos": 3, "correct": True, "n_words": 9}))
    with (
        App(tmp_path / "home", bundle=starter) as app,
        pytest.raises(QuizwriterError, match="cannot be golf"),
    ):
        run(
            "versus",
            ExperimentInputs(
                app, questions_from=str(EXAMPLES), buzzes_from=str(buzzes), options={"rule": "golf"}
            ),
        )


# -- sure and right


def test_cal_score_and_mce_are_those_of_the_authors_function():
    """The values are what the function of the authors gave for this question (commit 7ddd76b)."""
    right, chances, answered = [False, True, True, True], [0.3, 0.8, 0.9, 1.0], [0, 0.25, 0.25, 0.75]

    assert mean_calibration_error(right, chances) == pytest.approx(0.325)
    assert cal_score(right, chances, answered) == pytest.approx(0.61875)
    assert cal_score(right, chances, [0] * 4) == mean_calibration_error(right, chances)
    assert cal_score([True], [1.0], [0.0]) == 0
    assert cal_score([True], [1.0], [1.0]) == cal_score([False], [1.0], [0.0]) == 1


def test_people_against_each_other_are_the_mean_over_the_rooms():
    answered_at = [(1, 2), (2,), ()]  # after which of three moments each room has answered
    moments, rooms = 3, len(answered_at)
    by_room = [[bool(at) and moment >= min(at) for moment in range(moments)] for at in answered_at]
    whole = [sum(room[moment] for room in by_room) for moment in range(moments)]
    scores = []
    for own in by_room:
        others = [(whole[at] - own[at]) / (rooms - 1) for at in range(moments)]
        scores.append(cal_score(own, [float(one) for one in own], others))

    mce, score = peoples_scores(whole, rooms)

    assert score == pytest.approx(sum(scores) / rooms)
    assert mce == pytest.approx(1 - sum(map(sum, by_room)) / rooms / moments)


def test_calibration_has_a_row_for_each_player_and_for_people(tmp_path, starter):
    rows = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()][:4]
    questions, buzzes = tmp_path / "q.jsonl", tmp_path / "b.jsonl"
    questions.write_text("\n".join(json.dumps(row | {"id": f"q{at}"}) for at, row in enumerate(rows)))
    made = [
        {"bq": f"q{at}", "game": f"g{game}", "pos": 20 + 9 * game, "correct": game != 1}
        for at in range(4)
        for game in range(1 if at == 3 else 3)
    ]
    buzzes.write_text("\n".join(map(json.dumps, made)))

    with App(tmp_path / "home", bundle=starter) as app:
        given = ExperimentInputs(
            app, questions_from=str(questions), buzzes_from=str(buzzes), options={"calibration": "yes"}
        )
        report = run("versus", given)

    found = {row[0]: dict(zip(report.head, row, strict=True)) for row in report.found.rows}
    assert [*found][-1] == "people"
    assert found["people"]["tossups"] == 3
    assert found["people"]["right of its buzzes"].value == pytest.approx(6 / 9)
    for name, row in found.items():
        assert row["MCE"].value <= row["CalScore"].value + 1e-12
        assert name == "people" or 0 <= row["calibration error"].value <= 1
    assert report.left_out == (("tossups with fewer than 2 rooms", 1),)
    assert {"versus-calibration.csv", "versus-calibration.svg"} <= report.files().keys()
