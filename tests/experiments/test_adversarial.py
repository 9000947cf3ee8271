"""Who loses more on adversarial questions: exact drops of two players, on pairs that both can know."""

from __future__ import annotations

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.experiments import inputs
from quizwriter.experiments.adversarial import _fallen
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.services.wiring import App
from quizwriter.store.plays import PlaySummary
from tests.helpers.forest import TREES, ask

PER_TREE = 5


@pytest.fixture(scope="module")
def app(bare_forest, tmp_path_factory):
    """A program on the forest, which has read no tossup of number 100 or more."""
    with App(tmp_path_factory.mktemp("home"), bundle=bare_forest) as app:
        yield app


def game(player, right, *, known=True):
    """A game that is right from ``right`` per cent on, or never."""
    curve = "".join("1" if right and at >= right else "0" for at in range(1, 101))
    first = right or None
    return PlaySummary(player, "engine", 100, first, first, None, "", 0.0, False, known, curve)


@pytest.fixture
def given(app, tmp_path, monkeypatch):
    """Makes the inputs, where the players play each question as it says: of (set, number of the question)."""

    def given(plays):
        these, others = tmp_path / "these.jsonl", tmp_path / "others.jsonl"
        ask(these, range(100, 100 + PER_TREE))
        ask(others, range(200, 200 + PER_TREE))

        def summaries(self, questions):
            adversarial = questions[0].key.endswith(tuple(f"-{number}" for number in range(100, 105)))
            return {
                name: [play(adversarial, at) for at in range(len(questions))] for name, play in plays.items()
            }

        monkeypatch.setattr(ExperimentInputs, "summaries", summaries)
        monkeypatch.setattr(inputs, "was_asked", lambda tossup, engine: False)  # none was: to look takes 5 ms
        return ExperimentInputs(app, str(these), against_from=str(others))

    return given


def rows_of(report):
    return {(row[0], row[1]): row for row in report.found.rows}


def test_the_network_loses_more_and_the_sentence_says_by_how_much(given):
    pairs = len(TREES) * PER_TREE
    report = run(
        "adversarial",
        given(
            {
                "ir": lambda adversarial, at: game("ir", 50),
                "dan": lambda adversarial, at: game("dan", 0 if adversarial and at % 2 else 75),
            }
        ),
    )

    found = rows_of(report)
    assert found["ir", "regular"][2] == pairs
    assert [cell.value for cell in found["ir", "regular"][3:]] == [0.0, 1.0, 1.0, 1.0]
    assert [cell.value for cell in found["ir", "drop"][3:]] == [0.0, 0.0, 0.0, 0.0]
    assert [cell.value for cell in found["dan", "drop"][3:]] == [0.0, 0.0, 0.5, 0.5]
    last = found["dan less ir", "drop"][-1]
    assert last.value == 0.5
    assert 0 < last.low < 0.5 < last.high < 1
    assert "IR stays at 100.0 %, DAN falls from 100.0 % to 50.0 %" in report.found.sentence
    assert "DAN loses 50.0 points more than IR" in report.found.sentence
    assert any("its DAN falls from 54.1 to 32.4 %" in remark for remark in report.found.remarks)


def test_where_both_fall_alike_no_difference_is_claimed(given):
    report = run(
        "adversarial",
        given(
            {
                "ir": lambda adversarial, at: game("ir", 0 if adversarial and at % 2 else 50),
                "dan": lambda adversarial, at: game("dan", 0 if adversarial and not at % 2 else 50),
            }
        ),
    )

    assert "no difference is shown between the falls of IR and DAN" in report.found.sentence
    assert "more than" not in report.found.sentence


def test_only_pairs_that_every_player_can_know_are_compared_and_all_are_beside_them(given):
    report = run(
        "adversarial",
        given(
            {
                "ir": lambda adversarial, at: game("ir", 50),
                "dan": lambda adversarial, at: game("dan", 0 if at < 6 else 50, known=at >= 6),
            }
        ),
    )

    found = rows_of(report)
    assert found["ir", "regular"][2] == found["dan", "drop"][2] == len(TREES) * PER_TREE - 6
    assert found["dan", "drop of all"][2] == len(TREES) * PER_TREE
    nobody = {"ir": lambda adversarial, at: game("ir", 50, known=at < 3)}
    with pytest.raises(QuizwriterError, match="know the answers of only 3 pairs"):
        run("adversarial", given(nobody))


def test_so_many_questions_are_drawn_by_the_seed_and_the_others_are_counted(given):
    def drawn(number, seed=1):
        asked = given({"ir": lambda adversarial, at: game("ir", 50)})
        asked.seed, asked.options = seed, {"draw": number}
        report = run("adversarial", asked)
        return asked.left_out["questions that were not drawn"], [row[0] for row in report.found.details]

    whole = len(TREES) * PER_TREE
    left, keys = drawn("20")
    assert left == whole - 20
    assert len(set(keys)) == 20
    assert drawn("20") == (left, keys)
    assert drawn("20", seed=2)[1] != keys
    assert drawn(str(whole))[0] == 0
    with pytest.raises(QuizwriterError, match=f"Choose a number from 20 to {whole}"):
        drawn("19")


@pytest.mark.parametrize(
    ("adversarial", "said"),
    [
        (0.5, "IR falls from 75.0 % to 50.0 %"),
        (0.7501, "IR stays at 75.0 %"),
        (0.9, "IR rises from 75.0 % to 90.0 %"),
    ],
)
def test_a_player_that_does_not_fall_is_not_said_to_fall(adversarial, said):
    assert _fallen("ir", 0.75, adversarial) == said
