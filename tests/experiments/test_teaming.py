"""A team that follows a player: whose buzz counts, and what it is worth."""

from __future__ import annotations

import json

import pytest

from quizwriter.experiments.inference import generator
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.experiments.teaming import TeamBuzz, TeamRoom, _row, _Tally
from quizwriter.system.resource_files import resources_folder


@pytest.mark.parametrize(
    ("own", "closed", "player", "counts"),
    [
        (None, 2.0, TeamBuzz(0.4, True), "player"),
        (None, 0.3, TeamBuzz(0.4, True), None),  # another team was right before
        (None, 0.4, TeamBuzz(0.4, True), None),  # people come first at the same word
        (TeamBuzz(0.3, True), 2.0, TeamBuzz(0.4, False), "own"),
        (TeamBuzz(0.4, False), 2.0, TeamBuzz(0.4, True), "own"),
        (TeamBuzz(0.5, True), 2.0, TeamBuzz(0.4, False), "player"),  # the player's error is the team's
        (TeamBuzz(0.5, True), 2.0, None, "own"),
    ],
)
def test_whichever_buzz_comes_first_is_the_teams(own, closed, player, counts):
    buzz = TeamRoom(own, closed).with_player(player)

    assert buzz is {"own": own, "player": player, None: None}[counts]


def rows_of(report):
    return [dict(zip(report.head, row, strict=True)) for row in report.found.rows]


def test_a_sure_player_gains_a_team_what_it_would_have_won_later(app, tmp_path):
    examples = (resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(row) for row in examples[:24]]
    questions, buzzes = tmp_path / "questions.jsonl", tmp_path / "buzzes.jsonl"
    questions.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    said = [
        {"bq": row["id"], "set": "s", "round": "1", "game": "g", "team": team, "player": team,
         "pos": 2000, "n_words": len(row["text"].split()), "value": value, "correct": value > 0}
        for row in rows for team, value in (("late", 0), ("later", 10))
    ]  # fmt: skip
    buzzes.write_text("".join(f"{json.dumps(row)}\n" for row in said), encoding="utf-8")

    given = ExperimentInputs(
        app, str(questions), str(buzzes), players=("ir",), options={"read": "yes"}, seed=3
    )
    found = rows_of(run("teaming", given))

    assert [row["followed from"] for row in found] == ["from 30 %", "from 50 %", "from 70 %", "from 90 %"]
    for row in found:  # one team is always wrong after the last word, one always right
        alone, gain = row["QANTA 2025, alone"], row["QANTA 2025, gain"]
        assert alone.number == gain.number == 2 * len(rows)
        assert alone.value == pytest.approx(0.25)
        assert -0.75 <= gain.value <= 0.75
    followed = [row["followed"].value for row in found]
    assert followed == sorted(followed, reverse=True), "a higher chance comes no more often"
    assert followed[0] > 0


def test_rooms_that_hear_one_tossup_count_as_one_case_of_an_interval():
    """A player is followed in all fifty rooms of a tossup, or in none: fifty rooms tell no more than one."""
    tallies = [
        _Tally(rooms=50, followed=50 * (at % 2), followed_right=50 * (at % 4 == 1)) for at in range(40)
    ]

    followed, right = _row("ir", 0.5, tallies, generator(1, "teaming"))[3:5]

    assert (followed.number, followed.value, right.number, right.value) == (2000, 0.5, 1000, 0.5)
    assert followed.high - followed.low > 0.25
    assert right.high - right.low > 0.25
    none = _row("ir", 0.5, [_Tally(rooms=9), _Tally(rooms=9)], generator(1, "teaming"))
    assert (none[3].value, none[4].number, none[4].value) == (0, 0, None)


def test_a_single_tossup_that_a_team_heard_is_one_tossup(app, tmp_path):
    row = json.loads((resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()[0])
    questions, buzzes = tmp_path / "questions.jsonl", tmp_path / "buzzes.jsonl"
    questions.write_text(json.dumps(row), encoding="utf-8")
    buzz = {"bq": row["id"], "set": "s", "game": "g", "team": "t", "pos": 3, "value": 10, "correct": True}
    buzzes.write_text(json.dumps(buzz), encoding="utf-8")

    given = ExperimentInputs(app, str(questions), str(buzzes), players=("ir",), options={"read": "yes"})

    assert "on (1 tossup that teams heard)" in run("teaming", given).found.sentence
