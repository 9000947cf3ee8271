"""Accuracy by the share heard: beside its control, with never as never, and equal to what else states it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.accuracy import characters_heard, evaluate, player_result
from quizwriter.experiments.controls import ControlCandidate, matched
from quizwriter.experiments.curves import PeoplesWins, _above, _ahead, median_position
from quizwriter.experiments.inference import kaplan_meier
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom
from quizwriter.experiments.people import percent_range
from quizwriter.experiments.runner import run
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.estimates import Estimate

EXAMPLES = str(resources_folder() / "examples.jsonl")


@pytest.fixture
def held_back(monkeypatch):
    """The bundle holds the example questions back, all but the first."""
    from quizwriter.services.tossups import read_tossups

    found = list(read_tossups(resources_folder() / "examples.jsonl"))[1:]
    for reader in ("engine.engine", "experiments.inputs"):
        monkeypatch.setattr(f"quizwriter.{reader}.held_back", lambda of, fold: found)
    return found


def rows(report):
    return [dict(zip(report.head, row, strict=True)) for row in report.found.rows]


def test_the_set_stands_beside_its_control_and_the_difference(app, held_back):
    report = run("curves", ExperimentInputs(app, questions_from=EXAMPLES, limit=4))

    these, against, difference = rows(report)
    assert [row["set"] for row in (these, against, difference)] == ["these", "against", "difference"]
    for share in (25, 50, 75, 100):
        name = f"right after {share} %"
        assert difference[name].value == pytest.approx(these[name].value - against[name].value)
    assert difference["questions"] == these["questions"] == 4  # pairs, not both of each
    assert difference["right after 50 %"].number == difference["can know"] <= 4
    half = [100 * row["right after 50 %"].value for row in (these, against)]
    shares = f"IR is right on {half[0]:.1f} % of these and {half[1]:.1f} % of the others: "
    assert report.found.sentence.startswith(f"Half-way, on 4 pairs, {shares}")
    assert difference["right in the end, of all"].value is None, "what nobody knows has no control"
    assert any("control is 4 questions" in remark for remark in report.found.remarks)
    assert sorted(report.files()) == [
        "curves.csv", "curves.json", "curves.png", "curves.questions.csv", "curves.svg",
    ]  # fmt: skip


def test_a_packet_of_modaq_is_played_as_questions(app, tmp_path):
    packet = tmp_path / "packet.json"
    questions = [
        ("He set a requiem in German. For 10 points, name this composer.", "Johannes <b><u>Brahms</u></b>"),
        ("It freezes for months. For 10 points, name this Siberian lake.", "<b><u>Lake Baikal</u></b>"),
    ]
    tossups = [{"question": text, "answer": answer} for text, answer in questions]
    packet.write_text(json.dumps({"tossups": tossups, "bonuses": []}), encoding="utf-8")

    (played,) = rows(run("curves", ExperimentInputs(app, questions_from=str(packet), players=("ir",))))

    assert played["right in the end, of all"].number == 2
    assert played["can know"] == 1


def test_a_bundle_that_holds_nothing_back_has_no_control_and_says_so(app):
    report = run("curves", ExperimentInputs(app, questions_from=EXAMPLES, limit=4))

    assert [row["set"] for row in rows(report)] == ["these"]
    assert any("holds no questions back" in remark for remark in report.found.remarks)
    with pytest.raises(QuizwriterError, match="holds no questions back"):
        run("curves", ExperimentInputs(app, questions_from=EXAMPLES, against_from="held-back"))


def test_the_value_at_the_end_is_that_of_evaluate_and_of_a_readme(app):
    given = ExperimentInputs(app, questions_from=EXAMPLES)
    questions = given.resolved(given.questions)
    these = rows(run("curves", ExperimentInputs(app, questions_from=EXAMPLES)))[0]

    tossups = [one.tossup for one in questions]
    evaluated = evaluate(given.engine.players, tossups, given.engine.pages.rows)["guessers"]["ir"]
    readme = player_result("ir", given.summaries(questions)["ir"], tossups)

    for share in (25, 50, 75, 100):
        shown = these[f"right after {share} %"]
        assert shown.number == evaluated["guessable"]["questions"] == readme.can_know
        assert shown.value == pytest.approx(evaluated["guessable"]["top1"][str(share)], abs=5e-5)
        assert shown.value == pytest.approx(readme.right[share].value)
    assert these["wins, by the cubic"].value == pytest.approx(readme.wins.value)
    assert these["right in the end, of all"].value == pytest.approx(evaluated["top1"]["100"], abs=5e-5)


def test_questions_that_were_withdrawn_from_a_challenge_set_do_not_count(app, tmp_path):
    found = [json.loads(line) for line in Path(EXAMPLES).read_text(encoding="utf-8").splitlines()[:3]]
    released = [{**row, "qanta_id": number} for number, row in enumerate(found)]
    (tmp_path / "questions.json").write_text(json.dumps({"questions": released}))
    (tmp_path / "retracted.json").write_text('[{"qanta_id": 1}]')

    for given in (tmp_path, tmp_path / "questions.json"):
        report = run("curves", ExperimentInputs(app, questions_from=str(given), options={"read": "yes"}))
        assert rows(report)[0]["questions"] == 2
        assert report.left_out == (("questions.json: withdrawn from its challenge set", 1),)


def test_the_curve_of_one_question_is_its_own(app):
    given = ExperimentInputs(app, questions_from=EXAMPLES, limit=1)
    report = run("curves", given)

    game = given.summaries(given.resolved(given.questions))["ir"][0]
    these = report.found.series[0]
    assert list(these.up) == [float(at) for at in game.curve]
    assert rows(report)[0]["never right"].value == (game.first_correct is None)


def test_the_held_back_questions_have_no_control_of_their_own(app, held_back):
    report = run("curves", ExperimentInputs(app, questions_from="held-back"))

    assert [row["set"] for row in rows(report)] == ["these"]
    assert report.inputs[0]["number"] == rows(report)[0]["questions"] > 0


@pytest.mark.parametrize(
    ("content", "problem"),
    [("", "no question with an answer"), ('{"text": "short", "answer": "x"}', "text missing or too short")],
)
def test_an_empty_set_is_one_sentence(app, tmp_path, content, problem):
    path = tmp_path / "q.jsonl"
    path.write_text(content)

    with pytest.raises(QuizwriterError, match=problem):
        run("curves", ExperimentInputs(app, questions_from=str(path)))


def test_an_unknown_player_and_an_unknown_set_are_one_sentence_each(app):
    with pytest.raises(QuizwriterError, match="has no player oracle"):
        run("curves", ExperimentInputs(app, questions_from=EXAMPLES, players=("oracle",)))
    with pytest.raises(QuizwriterError, match="no file, folder or set"):
        run("curves", ExperimentInputs(app, questions_from="nowhere"))


def test_nobody_can_know_the_answers(app, tmp_path):
    path = tmp_path / "q.jsonl"
    row = {"text": "A long text on nothing that anybody has ever heard of.", "answer": "Qxzzy the Unheard"}
    path.write_text(json.dumps(row))

    report = run("curves", ExperimentInputs(app, questions_from=str(path)))

    assert rows(report)[0]["right after 50 %"].value is None
    assert "can know none" in report.found.sentence
    json.dumps(report.as_json(), allow_nan=False)


def test_wins_by_people_are_the_rooms_that_nobody_answered_before():
    def room(number, position):
        buzz = RecordedBuzz("t", "p", position, right=True, value=10)
        return PlayedRoom(Room("q", f"g{number}", words=10, buzzes=(buzz,)), "q", 10)

    wins = PeoplesWins.of([room(at, position) for at, position in enumerate((1, 3, 5, 7, 9))])

    assert [wins.chance("q", share) for share in (0.1, 0.2, 0.3, 0.6, 1.0)] == pytest.approx(
        [1, 1, 0.8, 0.6, 0.2]
    )
    assert wins.chance("another", 1.0) == pytest.approx(0.2)


def test_each_question_gets_the_control_that_is_most_like_it():
    def candidate(name, answer, category, words):
        return ControlCandidate.of(name, Tossup("word " * words, Answer(answer)), category)

    targets = {0: candidate("1", "Ohm", "Science", 30), 1: candidate("2", "Rome", "History", 30)}
    pool = [
        candidate("a", "Ohm", "Science", 40),
        candidate("b", "Volt", "Science", 30),
        candidate("short", "Rome", "History", 19),
        candidate("long", "Rome", "History", 401),
        candidate("c", "Troy", "History", 90),
        candidate("d", "Emma", "Literature", 30),
    ]

    def whole(one):
        return 20 <= one.words <= 400

    found = [(at, one.id, same) for at, (one, same) in matched(targets, pool, 0, may_be=whole).items()]

    assert found == [(0, "a", True), (1, "c", False)]


def test_characters_and_words_are_not_the_same_share():
    tossup = Tossup("a b c extraordinarily")

    assert characters_heard(tossup, 3) == pytest.approx(5 / 21)
    assert characters_heard(tossup, 4) == 1
    assert characters_heard(tossup, 0) == 0


@pytest.mark.parametrize(
    "positions", [(0.1, 0.2, None), (0.3, None, None, 0.1), (None, None, 0.5), (0.4,), (0.2, 0.2, 0.9, None)]
)
def test_the_median_of_a_set_is_that_of_the_survival_curve(positions):
    times = [1.0 if at is None else at for at in positions]
    curve = kaplan_meier(times, [at is not None for at in positions])

    assert median_position(positions) == curve.median


def test_people_stand_beside_the_players_in_every_group(app, tmp_path):
    rows_of = [
        {"id": f"q{at}", "text": f"{word} was written by a man. Name him.", "page": "Johannes_Brahms",
         "answer": "Johannes Brahms", "category": category, "difficulty": level}
        for at, (word, category, level) in enumerate(
            [("It", "Geography", 3), ("This", "Geography", 4), ("What", "Trash", 4)]
        )
    ]  # fmt: skip
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(f"{json.dumps(row)}\n" for row in rows_of), encoding="utf-8")
    buzzes = tmp_path / "buzzes.jsonl"
    said = [
        {"bq": f"q{at}", "set": "s", "round": "1", "game": f"g{game}", "team": "t", "player": "p",
         "pos": 4, "n_words": 7, "value": 10, "correct": True}
        for at in range(3) for game in range(2)
    ]  # fmt: skip
    buzzes.write_text("".join(f"{json.dumps(row)}\n" for row in said), encoding="utf-8")

    def run_by(by):
        given = ExperimentInputs(
            app, str(questions), str(buzzes), players=("ir",), options={"by": by, "read": "yes"}
        )
        return run("curves", given)

    found = rows(run_by("category"))
    assert [(row["player"], row["set"], row["questions"]) for row in found] == [
        ("ir", "Geography", 2), ("people", "Geography", 2), ("ir", "Trash", 1), ("people", "Trash", 1),
    ]  # fmt: skip
    assert found[1]["right after 100 %"].value == 1.0
    assert found[1]["right after 100 %"].number == 4
    assert "People 100.0 % (difficulty 03) to 100.0 % (difficulty 04)" in run_by("difficulty").found.sentence
    assert found[1]["right buzzes"].value == 1.0
    assert found[1]["right buzzes"].number == 4
    assert "IR is ahead half-way in " in run_by("difficulty").found.sentence
    assert "by category: IR 0.0 % (Geography) to 0.0 % (Trash); People" in run_by("category").found.sentence
    assert [one.label for one in run_by("category").found.series] == ["IR", "People"]


def test_a_group_in_which_nobody_is_right_is_an_end_of_the_range():
    assert percent_range({"Alpha": 0.0, "Beta": 1.0, "Gamma": None}) == "0.0 % (Alpha) to 100.0 % (Beta)"
    assert percent_range({"Gamma": None}) == "an unknown share"


@pytest.mark.parametrize(
    ("one", "other", "above"),
    [((0.5, 0.6), (0.3, 0.4), True), ((0.3, 0.4), (0.5, 0.6), False), ((0.3, 0.5), (0.4, 0.6), False)],
)
def test_a_group_is_ahead_only_where_the_intervals_do_not_meet(one, other, above):
    estimates = (Estimate(9, sum(edges) / 2, *edges) for edges in (one, other))

    assert _above(*estimates) is above


def test_a_single_group_is_one_group():
    row = [Estimate(9, 0.5, 0.4, 0.6)] * 8

    assert _ahead({("ir", "Trash"): row, ("people", "Trash"): row})[0].startswith("Of 1 group, IR is ahead")


def test_sets_that_are_as_hard_differ_by_nothing(app, tmp_path):
    text = "It freezes for months and has seals. For 10 points, name this Siberian lake."
    these, others = tmp_path / "these.jsonl", tmp_path / "others.jsonl"
    for at, path in enumerate((these, others)):
        row = {"id": f"q{at}", "text": f"{text[:-1]}{' now' * at}.", "answer": "Qxzzy", "page": "Macbeth"}
        path.write_text(json.dumps(row))

    given = ExperimentInputs(app, str(these), against_from=str(others), players=("ir",))

    assert run("curves", given).found.sentence.endswith(" of the others: no difference.")
