"""Training the players of a bundle: which are trained, and what a stop or a kill leaves behind."""

from __future__ import annotations

import ast
import inspect
import json
import shutil
import signal
import subprocess
import sys

import pytest

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index import elastic_staging
from index_builder.progress import Progress
from index_builder.training import buzzers as fitted_buzzers
from index_builder.training import (
    calibration_parts,
    dan,
    fine_tuning,
    learner,
    page_classifier,
    rnn,
    trainer,
    training_set,
)
from index_builder.training import ensemble as fitted_ensemble
from index_builder.training.trainer import TrainingOptions, train
from quizwriter.engine import bundle as bundles
from quizwriter.engine import dan as engine_dan
from quizwriter.engine import ensemble, networks
from quizwriter.engine import rnn as engine_rnn
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.buzzers import CalibratedBuzzer
from quizwriter.engine.engine import held_back, load
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import DEVELOPMENT
from tests.helpers.forest import plant


@pytest.fixture
def bare(bare_forest, tmp_path):
    return shutil.copytree(bare_forest, tmp_path / "forest")


@pytest.fixture(autouse=True)
def small(small_and_quick):
    with small_and_quick():
        yield


def test_only_the_players_asked_for_are_trained_and_only_anew_again(bare):
    assert set(train(bare, ["dan"], Progress())) == {"dan"}
    before = Bundle.open(bare)

    assert train(bare, ["dan"], Progress()) == {}
    assert Bundle.open(bare).digest == before.digest
    assert set(train(bare, ["dan"], Progress(), anew=True, options=TrainingOptions(seed=5))) == {"dan"}

    after = Bundle.open(bare)
    assert after.about["players"]["dan"]["seed"] == 5
    assert after.about["players"]["dan"]["folder"] != before.about["players"]["dan"]["folder"]
    assert len(list((bare / "players").iterdir())) == 1
    assert [player.name for player in load(bare).players] == ["ir", "dan"]
    assert not list(bare.parent.glob("*.training"))


@pytest.mark.parametrize(
    ("networks", "members"),
    [(["birnn"], ["birnn"]), (["dan", "birnn"], ["dan", "birnn"]), (["rnn", "birnn"], ["rnn"])],
    ids="+".join,
)  # fmt: skip
def test_the_ensemble_takes_in_whatever_plays_at_each_word(bare, networks, members):
    report = train(bare, [*networks, "ensemble", "buzzers"], Progress())

    assert report["ensemble"]["members"] == ["ir", *members]
    players = {player.name: player for player in load(bare).players}
    assert list(players) == ["ir", *networks, "ensemble"]
    assert isinstance(players["ensemble"].buzzer, CalibratedBuzzer)
    fold = held_back(bare, DEVELOPMENT)
    right = [players["ensemble"].guesser.play(tossup).right[-1] for tossup in fold]
    assert sum(right) >= 0.8 * len(fold)  # one in six by chance


def test_an_ensemble_of_ir_alone_is_refused_with_a_sentence(bare):
    with pytest.raises(QuizwriterError) as trouble:
        train(bare, ["ensemble"], Progress())

    assert trouble.value.problem.endswith("this bundle has IR alone.")
    assert "dan,ensemble" in trouble.value.remedy
    assert set(train(bare, ["buzzers"], Progress())["buzzers"]) == {"ir"}


def test_a_bundle_with_too_little_in_it_says_so(tmp_path):
    file = tmp_path / "one.jsonl"
    file.write_text(
        json.dumps(
            {"id": "1", "text": "Here not one word is ever said twice over", "page": "Elm", "answer": "Elm"}
        )
        + "\n"
    )
    build(Inputs((file,), everything=True), tmp_path / "one", "One", Progress())

    for players in (["dan"], ["rnn"]):
        with pytest.raises(QuizwriterError, match="too little in the bundle"):
            train(tmp_path / "one", players, Progress())


def test_one_question_trains_a_network_and_says_why_it_trains_no_buzzer(tmp_path, small):
    file = tmp_path / "one.jsonl"
    text = "This tree gives elm wood to wheels. Tall wheels of that wood name this tree."
    file.write_text(json.dumps({"id": "1", "text": text, "page": "Elm", "answer": "Elm"}) + "\n")
    build(Inputs((file,), everything=True), tmp_path / "one", "One", Progress())

    assert train(tmp_path / "one", ["dan"], Progress())
    with pytest.raises(QuizwriterError, match="too little in the bundle"):
        train(tmp_path / "one", ["buzzers"], Progress())
    assert [player.name for player in load(tmp_path / "one").players] == ["ir", "dan"]


def test_a_bundle_of_everything_is_judged_by_halves(tmp_path, small, monkeypatch):
    folder = plant(tmp_path / "all", ["guesstrain"])
    halves = []
    play = trainer.play_parts

    def watched(parts, *more, **named):
        halves.extend(parts)
        return play(parts, *more, **named)

    monkeypatch.setattr(trainer, "play_parts", watched)

    report = train(folder, ["dan", "ensemble", "buzzers"], Progress())

    texts = [{tossup.text for tossup in one.tossups} for one in halves]
    assert len(halves) == 2
    assert not texts[0] & texts[1]
    assert len(texts[0] | texts[1]) == len({*load(folder).retrieval.past_tossups()})
    for half, heard in zip(halves, texts, strict=True):
        assert not heard & {*half.retrieval.past_tossups()}
    assert set(report["buzzers"]) == {"ir", "dan", "ensemble"}
    assert [player.name for player in load(folder).players] == ["ir", "dan", "ensemble"]


def contents(bundle):
    """The bytes of all trained players, by file."""
    players = bundle / "players"
    return {str(path.relative_to(players)): path.read_bytes() for path in sorted(players.rglob("*.npy"))}


def test_the_same_seed_trains_the_same_bytes(bare, tmp_path):
    other = shutil.copytree(bare, tmp_path / "other")
    everybody = ["dan", "rnn", "birnn", "ensemble", "buzzers"]

    train(bare, everybody, Progress(), options=TrainingOptions(threads=2))
    train(other, everybody, Progress(), options=TrainingOptions(threads=2))

    assert len(contents(bare)) > 30
    assert contents(bare) == contents(other)
    assert Bundle.open(bare).about["buzzers"] == Bundle.open(other).about["buzzers"]


KILLED = """\
import os, signal, sys
from pathlib import Path
from index_builder.progress import Progress
from index_builder.training import saved_training
from index_builder.training.learner import TrainingPlan
from index_builder.training.page_classifier import NetworkSize
from index_builder.training.trainer import TrainingOptions, train
saved_training.SAVE_EVERY = -1.0
class Kill(Progress):
    def training(self, player, share):
        player == sys.argv[2] and share > 0.5 and os.kill(os.getpid(), signal.SIGKILL)
plan = TrainingPlan(3, 1e9, 16, size=NetworkSize(width=12, hidden=16, units=8))
options = TrainingOptions(plan_for=lambda *given: plan, threads=1)
train(Path(sys.argv[1]), ["dan", "rnn"], Kill(), options=options)
"""


@pytest.mark.parametrize("player", ["dan", "rnn"])
def test_a_kill_in_the_middle_changes_nothing_in_the_end(bare, tmp_path, player):
    """The measurements are part of what a training goes on from: they decide when it stops, and with what."""
    whole = shutil.copytree(bare, tmp_path / "whole")

    command = [sys.executable, "-c", KILLED, str(bare), player]
    killed = subprocess.run(command, capture_output=True, text=True, check=False)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert [one.name for one in load(bare).players] == ["ir", "dan"][: 1 + (player == "rnn")]
    plan = learner.TrainingPlan(3, 1e9, 16, size=page_classifier.NetworkSize(12, 16, 8))
    options = TrainingOptions(plan_for=lambda *given: plan, threads=1)
    players = ["dan"] if player == "dan" else ["dan", "rnn"]
    report = train(bare, players, Progress(), options=options)
    expected = train(whole, players, Progress(), options=options)
    assert report[player]["resumed"]
    assert not expected[player]["resumed"]
    assert contents(bare) == contents(whole)
    assert report[player]["development"] == expected[player]["development"]
    assert len(expected[player]["development"]) >= 3
    assert report[player]["steps"] == expected[player]["steps"]


def test_a_stop_in_a_measurement_changes_nothing_in_the_end(bare, tmp_path, monkeypatch):
    whole, measured = shutil.copytree(bare, tmp_path / "whole"), trainer.NetworkTrainer.accuracy
    expected = train(whole, ["dan"], Progress(), options=TrainingOptions(threads=1))
    calls = iter(range(1000))

    def stopped(self, *what):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return measured(self, *what)

    monkeypatch.setattr(trainer.NetworkTrainer, "accuracy", stopped)
    with pytest.raises(KeyboardInterrupt):
        train(bare, ["dan"], Progress(), options=TrainingOptions(threads=1))
    report = train(bare, ["dan"], Progress(), options=TrainingOptions(threads=1))

    assert report["dan"]["resumed"]
    assert report["dan"]["development"] == expected["dan"]["development"]
    assert contents(bare) == contents(whole)


class Heard(Progress):
    """Keeps what a training says."""

    def __init__(self):
        self.notes, self.curve = [], []

    def note(self, sentence):
        self.notes.append(sentence)

    def measured(self, player, half, end):
        self.curve.append((player, half, end))


def test_a_training_says_where_it_runs_and_how_much_is_learnt_so_far(bare):
    heard = Heard()
    train(bare, ["dan"], heard, options=TrainingOptions(device="cpu", threads=1))

    assert heard.notes == ["The networks are trained on the processor, in 1 thread."]
    assert len(heard.curve) >= 3
    assert all(player == "dan" and 0 <= half <= 1 and 0 <= end <= 1 for player, half, end in heard.curve)
    assert heard.curve[-1][2] > heard.curve[0][2] or heard.curve[0][2] == 1


def test_auto_takes_the_best_device_there_is_and_a_missing_one_is_refused(bare, monkeypatch):
    import torch

    for cuda, mps, expected in [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")]:
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=cuda: there)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda there=mps: there)
        assert learner.chosen_device("auto") == expected
    with pytest.raises(QuizwriterError, match="PyTorch finds no device cuda"):
        train(bare, ["dan"], Progress(), options=TrainingOptions(device="cuda"))
    assert learner.chosen_device("cpu") == "cpu"


def test_dense_gradients_which_some_cards_need_learn_the_same(bare_forest):
    """Apple's cards have no sparse gradients: Adagrad then passes over rows without a gradient."""
    import torch

    made = training_set.TrainingSet.of(Bundle.open(bare_forest))
    plan = learner.TrainingPlan(2, 1e9, 16, size=page_classifier.NetworkSize(12, 16, 8))
    sparse, dense = dan.DanLearner(made, plan), dan.DanLearner(made, plan)
    for table in (dense.module.vectors, dense.module.outputs, dense.module.biases):
        table.sparse = False
    for one in (sparse, dense):
        one.learn(lambda done: True)

    assert all(
        torch.allclose(weights, other, atol=1e-4)
        for weights, other in zip(sparse.module.parameters(), dense.module.parameters(), strict=True)
    )


@pytest.mark.parametrize(
    "module",
    [
        bundles,
        calibration_parts,
        dan,
        elastic_staging,
        engine_dan,
        engine_rnn,
        ensemble,
        fine_tuning,
        fitted_buzzers,
        fitted_ensemble,
        learner,
        networks,
        page_classifier,
        rnn,
        trainer,
        training_set,
    ],
    ids=lambda module: module.__name__,
)
def test_nobody_opens_or_writes_a_pickle(module):
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            assert not {"pickle", "joblib", "dill", "skops", "shelve"} & {
                name.split(".")[0] for name in names
            }
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"np.load", "np.save", "np.savez"}:
            allowed = [ast.unparse(one.value) for one in node.keywords if one.arg == "allow_pickle"]
            assert allowed == ["False"], ast.unparse(node)
