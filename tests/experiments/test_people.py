"""The experiment on buzzes: the figures of the shared buzzes, and what stands where there is nothing."""

from __future__ import annotations

import json
import math

import pytest
from msgspec.structs import replace

from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.estimates import Estimate


def lines(path, *rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def buzz(question, game, position, right=True, **more):
    value = 10 if right else -5
    found = {"bq": question, "game": game, "pos": position, "correct": right, "value": value, "n_words": 10}
    return found | {"team": "a", "player": "p"} | more


def cells(report, row=0):
    return dict(zip(report.head, report.found.rows[row], strict=True))


def test_a_room_is_answered_at_its_first_right_buzz(app, tmp_path):
    path = lines(
        tmp_path / "b.jsonl",
        buzz("q1", "g1", 1, right=False),
        buzz("q1", "g1", 4, team="b"),
        buzz("q1", "g2", 9),
        buzz("q2", "g1", 9, right=False),
    )

    report = run("people", ExperimentInputs(app, buzzes_from=path))

    found = cells(report)
    assert (found["tossups"], found["rooms"], found["buzzes"]) == (2, 3, 4)
    assert found["right"].value == 0.5
    assert found["answered by 25 %"].value == 0
    assert found["answered by 50 %"].value == pytest.approx(1 / 3)
    assert found["answered by 100 %"].value == pytest.approx(2 / 3)
    assert found["conversion"].value == pytest.approx(2 / 3)
    assert found["negs"].value == pytest.approx(1 / 3)  # the other is after the last word
    assert found["position of right buzzes"].value == pytest.approx(0.75)
    assert found["first right buzz"] == 0.5
    assert found["BPA"].value == pytest.approx(100 * 0.5 / 3)
    assert "50.0 % of 4 buzzes" in report.found.sentence


def test_every_share_stands_beside_its_number(app, tmp_path):
    path = lines(tmp_path / "b.jsonl", buzz("q1", "g1", 1), buzz("q2", "g1", 3))

    report = run("people", ExperimentInputs(app, buzzes_from=path))

    for title, cell in cells(report).items():
        if isinstance(cell, Estimate):
            assert cell.number > 0, title
    assert all("(n " in cell for line in report.lines for cell in line if "[" in cell)


@pytest.mark.parametrize("right", [True, False])
def test_all_right_and_none_right_are_sentences_without_nan(app, tmp_path, right):
    one = lines(tmp_path / "a.jsonl", *(buzz(f"q{at}", "g", at, right) for at in range(5)))
    other = lines(tmp_path / "b.jsonl", *(buzz(f"r{at}", "g", at, right) for at in range(5)))

    report = run("people", ExperimentInputs(app, buzzes_from=one, against_from=other))

    assert "nan" not in json.dumps(report.as_json(), allow_nan=False)
    assert f"right in {100 if right else 0}.0 %" in report.found.sentence
    alone = run("people", ExperimentInputs(app, buzzes_from=one))
    assert ("nobody was right" in alone.found.sentence) is not right


def test_one_question_has_no_interval_over_questions(app, tmp_path):
    path = lines(tmp_path / "b.jsonl", buzz("q1", "g1", 1), buzz("q1", "g2", 3, right=False))

    right = cells(run("people", ExperimentInputs(app, buzzes_from=path)))["right"]

    assert right == Estimate(2, 0.5)


def test_positions_past_the_end_and_buzzes_that_are_there_twice_are_said(app, tmp_path):
    path = lines(tmp_path / "b.jsonl", buzz("q1", "g1", 14), buzz("q1", "g1", 14), buzz("q1", "g2", 3))

    report = run("people", ExperimentInputs(app, buzzes_from=path))

    assert cells(report)["position"].value == pytest.approx((1 + 0.4) / 2)
    reasons = " ".join(reason for reason, _ in report.left_out)
    assert "past the last word" in reasons
    assert "there twice" in reasons


def test_buzzes_that_fit_no_question_are_one_sentence(app, tmp_path):
    path = lines(tmp_path / "b.jsonl", buzz("q1", "g1", 4))
    questions = tmp_path / "q.jsonl"
    questions.write_text(
        json.dumps({"id": "other", "text": "A text that is long enough to be asked.", "answer": "An answer"})
    )

    with pytest.raises(QuizwriterError, match="fits a question"):
        run("people", ExperimentInputs(app, buzzes_from=path, questions_from=str(questions)))


def test_two_sets_are_compared_by_the_published_tests_and_by_the_bootstrap(app, tmp_path):
    one = lines(tmp_path / "a.jsonl", *(buzz(f"q{at}", "g", at % 9, at % 5 > 0) for at in range(40)))
    other = lines(tmp_path / "b.jsonl", *(buzz(f"r{at}", "g", at % 10, at % 3 > 0) for at in range(40)))

    report = run("people", ExperimentInputs(app, buzzes_from=one, against_from=other))

    found = cells(report, 2)
    assert found["group"] == "difference"
    assert 0 < found["Fisher p"] <= 1
    assert found["df"] == 78
    assert found["right"].low < found["right"].value < found["right"].high
    assert "Fisher: p = " in report.found.sentence


@pytest.mark.parametrize("by", ["set", "ability", "team"])
def test_groups(app, tmp_path, by):
    rows = [
        buzz(f"q{at}", f"g{at % 3}", at % 10, at % 4 > 0, team=f"t{at % 5}", set=f"s{at % 2}")
        for at in range(60)
    ]
    path = lines(tmp_path / "a.jsonl", *rows)

    report = run("people", ExperimentInputs(app, buzzes_from=path, options={"by": by}))

    assert len(report.found.rows) == {"set": 2, "ability": 3, "team": 5}[by]
    assert sum(row[3] for row in report.found.rows) == 60


def test_an_unknown_group_is_one_sentence(app, tmp_path):
    path = lines(tmp_path / "b.jsonl", buzz("q1", "g1", 4))

    with pytest.raises(QuizwriterError, match="cannot be colour"):
        run("people", ExperimentInputs(app, buzzes_from=path, options={"by": "colour"}))
    with pytest.raises(QuizwriterError, match="does not say the category"):
        run("people", ExperimentInputs(app, buzzes_from=path, options={"by": "category"}))


def test_the_same_inputs_give_the_same_bytes(app, tmp_path):
    path = lines(tmp_path / "b.jsonl", *(buzz(f"q{at}", "g", at % 10, at % 3 > 0) for at in range(30)))
    first, second = (run("people", ExperimentInputs(app, buzzes_from=path, seed=4)).files() for _ in range(2))

    assert sorted(first) == ["people.csv", "people.json", "people.png", "people.svg"]
    assert first == second
    other = run("people", ExperimentInputs(app, buzzes_from=path, seed=5)).files()
    assert other["people.json"] != first["people.json"]
    assert str(tmp_path).encode() not in b"".join(first.values())


def test_a_folder_that_cannot_be_made_is_one_sentence(app, tmp_path):
    path = lines(tmp_path / "b.jsonl", buzz("q1", "g1", 4))
    report = run("people", ExperimentInputs(app, buzzes_from=path))

    with pytest.raises(QuizwriterError, match=r"b\.jsonl is a file\."):
        report.write(tmp_path / "b.jsonl" / "out")


def test_the_shared_buzzes_give_the_stated_figures(app, shared_data):
    path = shared_data / "buzzes.jsonl.xz"

    report = run("people", ExperimentInputs(app, buzzes_from=str(path)))

    found = cells(report)
    assert found["buzzes"] == 69_638
    assert found["rooms"] == 56_756
    assert found["right"].value == pytest.approx(0.7501, abs=0.00005)
    assert found["position of right buzzes"].value == pytest.approx(0.744, abs=0.0005)
    answered = [found[f"answered by {share} %"].value for share in (25, 50, 75, 90, 100)]
    assert answered == pytest.approx([0.022, 0.149, 0.431, 0.628, 0.920], abs=0.0006)


def test_a_small_loss_is_no_negative_zero(app, tmp_path, monkeypatch):
    from quizwriter.experiments import registry
    from quizwriter.experiments.registry import experiments

    made = experiments()["people"]
    small = replace(
        made, function=lambda given: replace(made.function(given), rows=[["x"] + [0] * 3 + [-0.00004] * 18])
    )
    monkeypatch.setitem(registry._EXPERIMENTS, "people", small)

    report = run(
        "people", ExperimentInputs(app, buzzes_from=lines(tmp_path / "b.jsonl", buzz("q1", "g1", 4)))
    )

    assert "-0.0," not in report.files()["people.csv"].decode()
    assert cells(report)["right"] == -0.00004
    assert next(report.lines)[report.head.index("right")] == "0.000"


def test_a_report_with_nan_is_a_bug(app, tmp_path, monkeypatch):
    from quizwriter.experiments import registry
    from quizwriter.experiments.registry import experiments

    made = experiments()["people"]
    wrong = replace(
        made, function=lambda given: replace(made.function(given), rows=[["x"] + [math.nan] * 21])
    )
    monkeypatch.setitem(registry._EXPERIMENTS, "people", wrong)

    with pytest.raises(ValueError, match="not finite"):
        run("people", ExperimentInputs(app, buzzes_from=lines(tmp_path / "b.jsonl", buzz("q1", "g1", 4))))


def test_rooms_have_one_interval_wherever_they_are_shown_and_in_whatever_order(app, tmp_path, shared_sets):
    rows, questions = shared_sets
    one, turned = lines(tmp_path / "a.jsonl", *rows), lines(tmp_path / "b.jsonl", *rows[::-1])
    other = lines(tmp_path / "c.jsonl", *(row | {"bq": f"r{row['bq']}"} for row in rows[:20]))

    def shown(name, title, row=0, **more):
        report = run(name, ExperimentInputs(app, buzzes_from=one, players=("ir",), **more))
        return cells(report, row)[title]

    right = shown("people", "right")
    assert right.low < right.value < right.high
    assert shown("people", "right", against_from=other) == right
    assert cells(run("people", ExperimentInputs(app, buzzes_from=turned)))["right"] == right
    given = {"questions_from": questions, "options": {"read": "yes"}}
    assert shown("curves", "right buzzes", -1, **given) == right
    end = shown("people", "answered by 100 %")
    assert shown("curves", "right after 100 %", -1, **given) == end
    calibration = given | {"options": {"read": "yes", "calibration": "yes"}}
    assert shown("versus", "right of its buzzes", -1, **calibration) == right


@pytest.fixture
def shared_sets(tmp_path):
    """Buzzes in two rooms on each example tossup, and the tossups."""
    examples = (resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()[:12]
    questions = [json.loads(row) | {"id": f"q{at}"} for at, row in enumerate(examples)]
    rows = [
        buzz(one["id"], game, 10 + 7 * at, (at + place) % 3 > 0, n_words=len(one["text"].split()))
        for at, one in enumerate(questions)
        for place, game in enumerate(("g1", "g2"))
    ]
    return rows, lines(tmp_path / "questions.jsonl", *questions)


def test_the_difference_of_sets_of_as_many_tossups_is_not_drawn_alike(app, tmp_path):
    one = lines(tmp_path / "a.jsonl", *(buzz(f"q{at}", "g", at % 9, at % 5 > 0) for at in range(40)))
    other = lines(tmp_path / "b.jsonl", *(buzz(f"r{at}", "g", at % 9, at % 5 > 0) for at in range(40)))

    difference = cells(run("people", ExperimentInputs(app, buzzes_from=one, against_from=other)), 2)["right"]

    assert difference.value == 0
    assert difference.low < -0.1 < 0.1 < difference.high
