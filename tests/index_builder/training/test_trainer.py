"""Training the players of a bundle: which are trained, and what a stop or a kill leaves behind."""

from __future__ import annotations

import ast
import inspect
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from index_builder.build import build
from index_builder.data import Inputs
from index_builder.index import elastic_staging
from index_builder.progress import NullProgress
from index_builder.training import buzzers as fitted_buzzers
from index_builder.training import (
    calibration_parts,
    dan,
    learner,
    rnn,
    train,
    trainer,
    training_set,
)
from index_builder.training import ensemble as fitted_ensemble
from quizwriter.engine import bundle as bundles
from quizwriter.engine import dan as engine_dan
from quizwriter.engine import ensemble, load, networks
from quizwriter.engine import rnn as engine_rnn
from quizwriter.engine.bundle import Bundle
from quizwriter.errors import QuizwriterError
from tests.helpers.forest import plant


@pytest.fixture
def bare(bare_forest, tmp_path):
    return shutil.copytree(bare_forest, tmp_path / "forest")


@pytest.fixture(autouse=True)
def small(small_and_quick):
    with small_and_quick():
        yield


def test_only_the_players_asked_for_are_trained_and_only_anew_again(bare):
    assert set(train(bare, ["dan"], NullProgress())) == {"dan"}
    before = Bundle.open(bare)

    assert train(bare, ["dan"], NullProgress()) == {}
    assert Bundle.open(bare).digest == before.digest
    assert set(train(bare, ["dan"], NullProgress(), anew=True, seed=5)) == {"dan"}

    after = Bundle.open(bare)
    assert after.about["players"]["dan"]["seed"] == 5
    assert after.about["players"]["dan"]["folder"] != before.about["players"]["dan"]["folder"]
    assert len(list((bare / "players").iterdir())) == 1
    assert [player.name for player in load(bare).players] == ["ir", "dan"]
    assert not list(bare.parent.glob("*.training"))


def test_the_ensemble_needs_the_dan(bare):
    with pytest.raises(QuizwriterError) as trouble:
        train(bare, ["ensemble"], NullProgress())

    assert trouble.value.problem == "The ensemble needs the DAN."


def test_a_bundle_with_too_little_in_it_says_so(tmp_path):
    file = tmp_path / "one.jsonl"
    file.write_text(
        json.dumps(
            {"id": "1", "text": "Here not one word is ever said twice over", "page": "Elm", "answer": "Elm"}
        )
        + "\n"
    )
    build(Inputs((file,), everything=True), tmp_path / "one", "One", NullProgress())

    for players in (["dan"], ["rnn"]):
        with pytest.raises(QuizwriterError, match="too little in the bundle"):
            train(tmp_path / "one", players, NullProgress())


def test_a_bundle_of_everything_is_judged_by_halves(tmp_path, small, monkeypatch):
    folder = plant(tmp_path / "all", ["guesstrain"])
    halves = []
    play = trainer.play_parts

    def watched(parts, *more):
        halves.extend(parts)
        return play(parts, *more)

    monkeypatch.setattr(trainer, "play_parts", watched)

    report = train(folder, ["dan", "ensemble", "buzzers"], NullProgress())

    texts = [{tossup.text for tossup in one.tossups} for one in halves]
    assert len(halves) == 2
    assert not texts[0] & texts[1]
    assert len(texts[0] | texts[1]) == len({*load(folder).retrieval.past_tossups()})
    for half, heard in zip(halves, texts, strict=True):
        assert not heard & {*half.retrieval.past_tossups()}
    assert set(report["buzzers"]) == {"ir", "dan", "ensemble"}
    assert [player.name for player in load(folder).players] == ["ir", "dan", "ensemble"]


def test_a_kill_in_the_middle_leaves_a_bundle_that_opens_and_a_training_that_goes_on(bare):
    program = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from index_builder.progress import NullProgress\n"
        "from index_builder.training import TrainingPlan, train, trainer\n"
        "trainer.SAVE_EVERY = -1.0\n"
        "plan = TrainingPlan(4, 1e9, 16, width=12, hidden=16, units=8)\n"
        "class Kill(NullProgress):\n"
        "    def training(self, player, share):\n"
        "        share > 0.5 and os.kill(os.getpid(), signal.SIGKILL)\n"
        f"train(Path({str(bare)!r}), ['dan'], Kill(), plan_for=lambda *given: plan)\n"
    )
    hasty = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "true"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=hasty, capture_output=True, text=True, check=False
    )

    assert done.returncode == -signal.SIGKILL, done.stderr
    assert [player.name for player in load(bare).players] == ["ir"]
    assert train(bare, ["dan"], NullProgress())["dan"]["resumed"]
    assert [player.name for player in load(bare).players] == ["ir", "dan"]


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
        fitted_buzzers,
        fitted_ensemble,
        learner,
        networks,
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
