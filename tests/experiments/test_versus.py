"""Players against recorded people: the rules on rooms made by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from msgspec.structs import replace

from quizwriter.domain.guessing import win_chance
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.calibration import cal_score, mean_calibration_error, peoples_scores
from quizwriter.experiments.curves import PeoplesWins
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.runner import run
from quizwriter.experiments.versus import (
    _classes,
    _Duel,
    _matches,
    _scores,
    _spread,
    match_points,
    qanta25,
    qanta26,
)
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.services.wiring import App
from quizwriter.store.plays import PlaySummary
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.estimates import Estimate

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
        (True, 0.25, False, 12),
        (True, 0.6, False, 11),
        (True, 0.75, False, 10),
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
        (6, True, [(6, 10)], (10, 0)),  # positions of people are counted from 0
        (4, True, [(7, 10)], (15, 0)),  # the power mark stands behind word 4
        (5, True, [(7, 10)], (10, 0)),
        (6, False, [(7, -5), (8, 10)], (-5, 10)),  # people go on after a wrong buzz of their own, too
        (6, False, [(7, -5)], (-5, 0)),
        (6, False, [], (-5, 0)),
        (10, False, [], (0, 0)),  # at the end a wrong answer costs nothing
        (6, False, [(2, -5), (8, 10)], (0, -5)),
        (3, True, [(2, -5), (8, 10)], (15, -5)),
    ],
)
def test_who_buzzes_first_answers(buzz, right, people, points):
    assert match_points(duel(buzz, right), room(*people)) == points


def test_many_matches_are_those_that_are_played_one_after_another():
    draw = np.random.default_rng(5)
    duels = [
        duel(
            int(draw.integers(1, 11)),
            bool(draw.random() < 0.6),
            *(room((int(at), 10)) for at in draw.integers(0, 10, 1 + int(draw.integers(4)))),
        )
        for _ in range(40)
    ]
    found = _matches(duels, np.random.default_rng(9))
    again = np.random.default_rng(9)
    which, where = again.integers(0, 40, (10_000, 20)), again.random((10_000, 20))
    for at in range(0, 10_000, 97):
        played = [
            match_points(duels[one], duels[one].rooms[int(place * len(duels[one].rooms))])
            for one, place in zip(which[at], where[at], strict=True)
        ]
        assert tuple(found[at]) == tuple(map(sum, zip(*played, strict=True)))


def test_rooms_that_are_open_are_those_where_nobody_was_right_before():
    found = duel(5, True, room((3, 10)), room((4, 10)), room((2, -5), (8, 10)), room())

    assert found.still_open == 0.75


def test_a_match_that_is_lost_early_is_scored_by_rule():
    """Both rules on a duel before and after the people, and without a buzz."""
    early, late, silent = (duel(at, True, room((4, 10)), room()) for at in (3, 6, None))
    wins = PeoplesWins({"q": [0.1, 0.2, 0.45, 0.55, 0.9, None], "another": [0.1] * 6})

    assert _scores("people", [early, late, silent], wins) == pytest.approx([4 / 6, 2 / 6, 0])
    assert _scores("qanta25", [early, late, silent], wins) == [1.0, 0.5, 0.0]
    assert _scores("qanta26", [early, late, silent], wins) == [14.0, 11.0, 0.0]
    assert _scores("acf", [early, late, silent], wins) == [15.0, 5.0, 0.0]
    read = [
        win_chance(len("one two three") / len(TEXT)),
        win_chance(len("one two three four (*) five six") / len(TEXT)),
    ]
    assert _scores("cubic", [early, late, silent], wins) == pytest.approx([*read, 0.0], abs=0.05)


@pytest.mark.parametrize(
    ("rule", "score"), [("people", 0.0), ("cubic", 0.0), ("qanta25", -0.5), ("qanta26", 0.0), ("acf", -5.0)]
)
def test_a_wrong_buzz_scores_by_rule(rule, score):
    assert _scores(rule, [duel(6, False, room())], PeoplesWins({"q": [0.9] * 6})) == [score]


@pytest.mark.parametrize(
    ("buzz", "right", "first_correct", "kind"),
    [
        (6, True, 3, "best"),
        (6, True, None, "best"),
        (6, False, 3, "late"),
        (None, False, 3, "late"),
        (3, False, 3, "late"),
        (2, False, 3, "premature"),
        (2, False, None, "hopeless"),
        (None, False, None, "hopeless"),
    ],
)
def test_a_game_is_of_one_class(buzz, right, first_correct, kind):
    found = duel(buzz, right)
    found = replace(found, game=replace(found.game, first_correct=first_correct))

    assert _classes([found, found]) == {"best": 0, "late": 0, "premature": 0, "hopeless": 0, kind: 2}


def test_matches_are_sums_of_drawn_tossups_and_rooms():
    """Each tossup of a duel has the points of one of its rooms: 15 to 0, or 0 to 10."""
    only = _matches([duel(3, True, room())], np.random.default_rng(0))
    assert only.shape == (10_000, 2)
    assert (only == [20 * 15, 0]).all()

    mixed = _matches([duel(3, True, room(), room((1, 10)))], np.random.default_rng(0))
    won = mixed[:, 0] / 15
    assert (mixed[:, 1] == (20 - won) * 10).all()
    assert won.mean() == pytest.approx(10, abs=0.2)
    assert won.std() == pytest.approx(5**0.5, abs=0.2)


def test_the_tossups_of_a_match_are_drawn_alike():
    sure, lost = duel(3, True, room()), duel(6, True, room((1, 10)))

    found = _matches([sure, lost, lost, lost], np.random.default_rng(1))

    assert found.mean(axis=0) == pytest.approx([20 * 15 / 4, 20 * 10 * 3 / 4], rel=0.03)


def test_the_spread_of_points_is_their_mean_and_middle():
    assert _spread(np.arange(0.0, 1_001.0)) == Estimate(1_001, 500.0, 25.0, 975.0)


def test_every_rule_has_a_row_and_the_same_is_told_twice(tmp_path, starter, told):
    rows = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()][:7]
    questions, buzzes = tmp_path / "q.jsonl", tmp_path / "b.jsonl"
    questions.write_text("\n".join(json.dumps(row | {"id": f"q{at}"}) for at, row in enumerate(rows)))
    made = [
        {"bq": f"q{at}", "game": f"g{game}", "pos": 20 + 9 * game, "correct": game % 3 > 0}
        for at in range(6)
        for game in range(8)
    ]
    buzzes.write_text("\n".join(map(json.dumps, made)))

    def made():
        with App(tmp_path / "home", bundle=starter) as app:
            given = ExperimentInputs(app, questions_from=str(questions), buzzes_from=str(buzzes))
            return run("versus", given)

    report = made()
    assert [row[1] for row in report.found.rows] == ["people", "cubic", "qanta25", "qanta26", "acf"]
    found = dict(zip(report.head, report.found.rows[4], strict=True))
    assert found["matches won"].number == 10_000
    classes = sum(found[kind].value for kind in ("best", "late", "premature", "hopeless"))
    assert classes == pytest.approx(1)
    assert report.left_out == (("questions without a recorded room", 1),)
    assert told(report) == told(made())


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
