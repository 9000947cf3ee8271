"""The steps of a training: stopping and going on, and rows that only change where they are used."""

from __future__ import annotations

import os

import numpy as np
import pytest

from index_builder.training import TrainingPlan
from index_builder.training.dan import DanLearner
from index_builder.training.learner import EmbeddingTable
from index_builder.training.rnn import RnnLearner
from index_builder.training.training_set import TrainingSet
from quizwriter.engine.bundle import Bundle
from quizwriter.errors import QuizwriterError

PLAN = TrainingPlan(4, 1e9, 16, rate=0.3, seed=3, width=12, hidden=16, units=8)


@pytest.fixture
def training_set(bare_forest, small_and_quick):
    with small_and_quick():
        yield TrainingSet.of(Bundle.open(bare_forest))


@pytest.mark.parametrize("make", [DanLearner, lambda training_set, plan: RnnLearner(training_set, plan, 1)])
def test_a_training_that_was_stopped_ends_where_it_would_have(training_set, tmp_path, make):
    whole, first, second = (make(training_set, PLAN) for _ in range(3))
    whole.learn(lambda done, arrays: True)
    first.learn(lambda done, arrays: first.step < whole.steps // 2)
    first.save(tmp_path)

    assert second.resume(tmp_path)
    assert 0 < second.step < whole.steps
    second.learn(lambda done, arrays: True)

    assert second.step == whole.steps
    expected = whole.arrays()
    for name, array in second.arrays().items():
        assert np.array_equal(array, expected[name]), name


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


def test_rows_that_nothing_touches_stay():
    rows = EmbeddingTable(np.ones((3, 2), np.float32))
    rows.update(np.zeros(0, np.int64), np.zeros((0, 2), np.float32), 1.0)
    rows.update(np.asarray([1]), np.ones((1, 2), np.float32), 0.1)

    assert (rows.table[[0, 2]] == 1).all()
    assert (rows.table[1] < 1).all()


def test_what_was_kept_of_a_training_holds_no_pickle(training_set, tmp_path):
    DanLearner(training_set, PLAN).save(tmp_path)

    with np.load(tmp_path / "dan.npz", allow_pickle=False) as kept:
        assert all(kept[name].dtype.kind != "O" for name in kept.files)
    assert os.listdir(tmp_path) == ["dan.npz"]
