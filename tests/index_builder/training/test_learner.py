"""The steps of a training: stopping and going on, and rows that change only where they are used."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from index_builder.training.dan import DanLearner
from index_builder.training.learner import DevelopmentCurve, TrainingPlan
from index_builder.training.page_classifier import NetworkSize
from index_builder.training.rnn import RnnLearner
from index_builder.training.training_set import TrainingSet
from quizwriter.engine.bundle import Bundle
from quizwriter.errors import QuizwriterError

PLAN = TrainingPlan(4, 1e9, 16, rate=0.3, seed=3, size=NetworkSize(12, 16, 8))


@pytest.fixture
def training_set(bare_forest, small_and_quick):
    with small_and_quick():
        yield TrainingSet.of(Bundle.open(bare_forest))


@pytest.mark.parametrize("make", [DanLearner, lambda training_set, plan: RnnLearner(training_set, plan, 1)])
def test_a_training_that_was_stopped_ends_where_it_would_have(training_set, tmp_path, make):
    whole, first, second = (make(training_set, PLAN) for _ in range(3))
    whole.learn(lambda done: True)
    first.learn(lambda done: first.step < whole.steps // 2)
    first.save(tmp_path)

    assert second.resume(tmp_path)
    assert 0 < second.step < whole.steps
    second.learn(lambda done: True)

    assert second.step == whole.steps
    expected = whole.arrays()
    for name, array in second.arrays().items():
        assert np.array_equal(array, expected[name]), name


def test_ctrl_c_in_the_midst_of_a_step_waits_for_its_end(training_set, tmp_path, monkeypatch):
    """Half a step that was saved would be taken again."""
    whole, first, second = (DanLearner(training_set, PLAN) for _ in range(3))
    whole.learn(lambda done: True)
    tables, _ = first._optimisers
    step, before = tables.step, signal.getsignal(signal.SIGINT)

    def pressed():
        if first.step == 3:
            signal.raise_signal(signal.SIGINT)
        step()

    monkeypatch.setattr(tables, "step", pressed)
    with pytest.raises(KeyboardInterrupt):
        first.learn(lambda done: True)
    first.save(tmp_path)
    assert first.step == 4
    assert signal.getsignal(signal.SIGINT) is before

    assert second.resume(tmp_path)
    second.learn(lambda done: True)
    expected = whole.arrays()
    assert all(np.array_equal(array, expected[name]) for name, array in second.arrays().items())


def test_nothing_goes_on_from_a_training_on_other_words_or_a_damaged_file(training_set, tmp_path):
    learner = DanLearner(training_set, PLAN)
    assert not learner.resume(tmp_path)
    learner.save(tmp_path)
    other = DanLearner(training_set, PLAN)
    other.terms = other.terms + np.uint64(2)
    assert not other.resume(tmp_path)

    (tmp_path / "dan.npz").write_bytes((tmp_path / "dan.npz").read_bytes()[:3000])
    assert not learner.resume(tmp_path)


def test_a_training_that_cannot_be_saved_says_so(training_set, tmp_path):
    (tmp_path / "a file").write_text("in the way")

    with pytest.raises(QuizwriterError, match="could not be saved"):
        DanLearner(training_set, PLAN).save(tmp_path / "a file")


def test_rows_that_nothing_touches_stay(training_set):
    learner = DanLearner(training_set, PLAN)
    before = learner.module.vectors.weight.detach().clone()
    touched = np.zeros(len(learner.terms), bool)
    touched[learner.draw(0).inputs.terms] = True
    assert 0 < touched.sum() < len(touched)

    learner.learn(lambda done: False)

    moved = (learner.module.vectors.weight.detach() != before).any(dim=1).numpy()
    assert learner.step == 1
    assert (moved == touched).all()


def test_the_curve_knows_the_best_weights_and_how_long_nothing_got_better():
    curve = DevelopmentCurve()
    assert (curve.measured, curve.without_progress, curve.best) == (0.0, 0, None)
    for number, (half, end) in enumerate([(0.1, 0.3), (0.2, 0.4), (0.15, 0.45), (0.1, 0.3)], 1):
        curve.add(number / 10, half, end, {"vectors": np.asarray([number])})

    assert curve.best == {"vectors": np.asarray([2])}
    assert curve.without_progress == 2
    assert curve.measured == 0.4


def test_what_was_kept_of_a_training_holds_no_pickle(training_set, tmp_path):
    DanLearner(training_set, PLAN).save(tmp_path)

    with np.load(tmp_path / "dan.npz", allow_pickle=False) as kept:
        assert all(kept[name].dtype.kind != "O" for name in kept.files)
    assert os.listdir(tmp_path) == ["dan.npz"]
