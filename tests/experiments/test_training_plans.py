"""Plans of trainings: figures that follow from what is learned, keeping on after a stop, and bad input."""

from __future__ import annotations

import json
import sys

import pytest

from index_builder.trials import Trial, TrialAnswer, TrialRequest, TrialText, run_trials
from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.errors import QuizwriterError
from quizwriter.experiments import training_process
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.system.resource_files import resources_folder

EXAMPLES = str(resources_folder() / "examples.jsonl")


@pytest.fixture
def questions(tmp_path, app):
    """Tossups on pages of the starter bundle, in words of their own."""
    engine = app.engines.load()
    counts = engine.retrieval.log_tossup_counts
    pages = [page for row, page in enumerate(engine.pages.all) if counts[row] > 0][:8]
    path = tmp_path / "questions.jsonl"
    path.write_text(
        "\n".join(
            json.dumps(
                {
                    "id": f"q{at}",
                    "text": f"The quorbling {word} of this thing wexed. It frimpled {word} twice. Name it.",
                    "answer": page.replace("_", " "),
                    "page": page,
                }
            )
            for at, (page, word) in enumerate(
                zip(pages, ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op"], strict=True)
            )
        )
    )
    return str(path)


def trial_rows(report):
    return [dict(zip(report.head, row, strict=True)) for row in report.found.rows]


@pytest.fixture
def scripted(monkeypatch):
    """Trials answered without a training: ``answer`` says what a trial makes of a test."""
    asked = []

    def use(answer):
        def replies(given, request):
            asked.append(request)
            for number, trial in enumerate(request.trials):
                given.cancellation.check()
                yield training_process.TrialReply(
                    number, 1.0, 1, tuple(answer(trial, at) for at in trial.tests)
                )

        monkeypatch.setattr(training_process, "_replies", replies)
        return asked

    return use


def test_a_trial_learns_what_it_is_given(starter):
    """A page is known to retrieval once a tossup about it is learned, and not before."""
    text = TrialText(
        "A zyzzyva quorbled beneath vorpal plinths of yore.", "Madama Butterfly", "Madama_Butterfly"
    )
    other = TrialText("Nobody frimpled the glimmering ostrock.", "Tosca", "Tosca")
    request = TrialRequest(
        str(starter),
        ("Madama_Butterfly", "Tosca"),
        (text, other),
        (Trial("ir", (0,)), Trial("ir", (0, 1), (0, 1)), Trial("ir", (0,), (0,), sources=())),
        100,
    )

    before, after, alone = run_trials(request, lambda number, done: None)

    assert after.learned == before.learned + 2
    assert alone.learned == 1
    assert [one.right for one in after.answers] == [True, True]
    assert alone.answers == (TrialAnswer("Madama_Butterfly", right=True, knows=True),)


def test_a_player_that_learned_nothing_answers_nothing(starter):
    text = TrialText("A zyzzyva quorbled.", "Carmen", "Carmen")
    request = TrialRequest(str(starter), ("Carmen",), (text,), (Trial("ir", (0,), sources=()),), 10)

    (reply,) = run_trials(request, lambda number, done: None)

    assert reply.answers == (TrialAnswer("", right=False, knows=False),)


def test_the_same_seed_trains_the_same_network_and_another_one_does_not(starter, app):
    pytest.importorskip("torch")
    pages = tuple(map(str, app.engines.load().pages.all[:40]))
    text = TrialText("This opera has a humming chorus and a bonze. Name it.", "Carmen", pages[0])
    request = TrialRequest(
        str(starter), pages, (text,), tuple(Trial("dan", (0,), (0,), seed=seed) for seed in (1, 1)), 60
    )

    one, other = run_trials(request, lambda number, done: None)

    assert one.answers == other.answers
    assert one.answers[0].knows


def test_seeds_say_the_spread_and_what_a_stump_of_one_seed_is_worth(app, questions, scripted):
    """Seed 1 gets the even questions, seed 2 all, seed 3 none."""
    asked = scripted(
        lambda trial, at: TrialAnswer(
            "p", right=trial.seed == 2 or (trial.seed == 1 and at % 2 == 0), knows=True
        )
    )

    report = run(
        "retrain", ExperimentInputs(app, questions_from=questions, options={"plan": "seeds", "seeds": "3"})
    )

    first, second, third, every = trial_rows(report)
    assert [row["right in the end"].value for row in (first, second, third)] == [0.5, 1.0, 0.0]
    assert every["right in the end"].value == pytest.approx(0.5)
    assert every["spread over seeds"] == pytest.approx(0.40825, abs=1e-4)
    assert every["stumped before and still"].value == pytest.approx(0.5)
    assert every["stumped"].value == 0
    assert [trial.seed for trial in asked[0].trials] == [1, 2, 3]
    assert "another answers 50.0 %" in report.found.sentence


@pytest.mark.parametrize(("right", "said"), [(True, "; the first gets none wrong."), (False, "8 stump all")])
def test_all_right_and_none_right_are_no_nan(app, questions, scripted, right, said):
    scripted(lambda trial, at: TrialAnswer("p", right=right, knows=True))

    for plan in ("seeds", "ablate", "kfold"):
        given = ExperimentInputs(
            app, questions_from=questions, options={"plan": plan}, players=() if plan == "seeds" else ("dan",)
        )
        report = run("retrain", given)
        assert json.dumps(report.as_json(), allow_nan=False)
        if plan == "seeds":
            assert said in report.found.sentence


def test_folds_of_a_network_learn_the_other_folds_and_are_asked_their_own(app, questions, scripted):
    asked = scripted(lambda trial, at: TrialAnswer("p", right=bool(trial.texts), knows=True))

    report = run(
        "retrain",
        ExperimentInputs(
            app, questions_from=questions, options={"plan": "kfold", "folds": "4"}, players=("dan",)
        ),
    )

    whole, *folds = asked[0].trials
    assert whole.texts == ()
    assert sorted(at for trial in folds for at in trial.tests) == list(range(8))
    for trial in folds:
        assert set(trial.texts).isdisjoint(trial.tests)
        assert len(trial.texts) + len(trial.tests) == 8
    before, after = trial_rows(report)
    assert (before["right in the end"].value, after["right in the end"].value) == (0, 1)
    assert after["McNemar p"] == pytest.approx(2 / 2**8)


def test_an_ablation_leaves_out_each_source_and_shares_of_all(app, questions, scripted):
    asked = scripted(lambda trial, at: TrialAnswer("p", right="tossups" in trial.sources, knows=True))

    report = run("retrain", ExperimentInputs(app, questions_from=questions, options={"plan": "ablate"}))

    assert [trial.sources for trial in asked[0].trials[:4]] == [
        ("tossups", "bonuses", "articles"), ("bonuses", "articles"), ("tossups", "articles"),
        ("tossups", "bonuses"),
    ]  # fmt: skip
    assert [trial.share for trial in asked[0].trials[4:]] == [0.8, 0.6, 0.4, 0.2]
    found = {row["learned"]: row for row in trial_rows(report)}
    assert found["without tossups"]["change"].value == -1
    assert "loses most without tossups: 100.0 points" in report.found.sentence


def test_a_matrix_trains_on_the_same_number_of_rows_and_tests_on_each_attack(app, questions, scripted):
    asked = scripted(lambda trial, at: TrialAnswer("p", right=True, knows=True))

    report = run(
        "retrain",
        ExperimentInputs(
            app, questions_from=questions, options={"plan": "matrix", "seeds": "2", "rows": "12"}
        ),
    )

    trials = asked[0].trials
    assert len(trials) == 8
    assert len({len(trial.texts) for trial in trials}) == 1
    assert len({trial.tests for trial in trials}) == 1
    assert set(trials[0].tests).isdisjoint(trials[0].texts)
    rows = trial_rows(report)
    assert len(rows) == 16
    assert all(row["trainings"] == 2 and row["spread over seeds"] == 0 for row in rows)


def test_a_plan_that_was_stopped_goes_on_where_it_was(app, questions, scripted):
    cancellation = Cancellation()

    def answer(trial, at):
        if trial.seed == 2:
            cancellation.cancel()
        return TrialAnswer("p", right=True, knows=True)

    asked = scripted(answer)
    options = {"plan": "seeds", "seeds": "4"}
    with pytest.raises(Cancelled):
        run(
            "retrain",
            ExperimentInputs(app, questions_from=questions, options=options, cancellation=cancellation),
        )
    assert list((app.home / training_process.FOLDER).iterdir())

    run("retrain", ExperimentInputs(app, questions_from=questions, options=options))

    assert [trial.seed for trial in asked[1].trials] == [3, 4]
    assert not (app.home / training_process.FOLDER).exists()


def test_a_damaged_answer_is_asked_for_again(app, questions, scripted):
    asked = scripted(lambda trial, at: TrialAnswer("p", right=True, knows=True))
    folder = app.home / training_process.FOLDER
    given = ExperimentInputs(app, questions_from=questions, options={"plan": "seeds", "seeds": "2"})
    run("retrain", given)
    folder.mkdir()
    (folder / training_process._key(given, asked[0], asked[0].trials[0])).write_text('[{"page": 3}]')

    run("retrain", ExperimentInputs(app, questions_from=questions, options={"plan": "seeds", "seeds": "2"}))

    assert len(asked[1].trials) == 2


def test_a_process_that_ends_is_a_sentence(app, questions, monkeypatch):
    command = (sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit('out of memory')")
    monkeypatch.setattr(training_process, "COMMAND", command)

    with pytest.raises(QuizwriterError, match="ended unexpectedly"):
        run("retrain", ExperimentInputs(app, questions_from=questions, options={"plan": "seeds"}))


def test_the_process_does_what_it_is_asked(app, questions):
    """One plan whole, through the process that trains."""
    given = ExperimentInputs(app, questions_from=questions, options={"plan": "ablate", "classes": "12"})

    report = run("retrain", given)

    assert len(report.found.rows) == 8
    assert "12 pages of the bundle" in " ".join(report.found.remarks)


def test_without_the_extra_that_trains_there_is_a_sentence(app, questions, monkeypatch):
    monkeypatch.setattr("quizwriter.system.extras.find_spec", lambda name: None if name == "torch" else True)

    with pytest.raises(QuizwriterError, match="needs PyTorch") as found:
        run("retrain", ExperimentInputs(app, questions_from=questions, options={"plan": "seeds"}))
    assert found.value.remedy


@pytest.mark.parametrize(
    ("options", "players", "problem"),
    [
        ({"plan": "seeds", "seeds": "1"}, (), "--seeds cannot be 1"),
        ({"plan": "seeds", "classes": "many"}, (), "--classes cannot be many"),
        ({"plan": "seeds"}, ("ir",), "does not train IR"),
        ({"plan": "kfold"}, ("rnn",), "does not train RNN"),
    ],
)
def test_bad_options_are_a_sentence(app, questions, options, players, problem):
    with pytest.raises(QuizwriterError, match=problem):
        run("retrain", ExperimentInputs(app, questions_from=questions, options=options, players=players))


def test_questions_on_no_page_of_the_bundle_are_a_sentence(app, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"text": "One clue is here. Name it.", "answer": "Qxzzyq"}')

    with pytest.raises(QuizwriterError, match="None of these questions is on a page"):
        run("retrain", ExperimentInputs(app, questions_from=str(path), options={"plan": "seeds"}))


def test_nothing_is_told_of_mistakes_and_losses_that_there_are_not(app, questions, scripted):
    scripted(lambda trial, at: TrialAnswer("p", right=True, knows=True))

    def said(plan, **options):
        given = ExperimentInputs(
            app, questions_from=questions, players=("dan",), options={"plan": plan, **options}
        )
        return run("retrain", given).found.sentence

    assert said("ablate") == "DAN is right on 100.0 % of 8 questions, and loses nothing."
    assert said("kfold", folds="2").startswith("Learning the other fold takes DAN from 100.0 % to 100.0 %")
