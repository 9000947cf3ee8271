"""The training of the ensemble: it learns which of the candidates that compete is right."""

from __future__ import annotations

import numpy as np
import pytest

from index_builder.training import ensemble
from index_builder.training.ensemble import EnsembleExample, fit_ensemble
from quizwriter.errors import QuizwriterError


def test_the_ensemble_learns_which_of_those_that_compete_is_right(monkeypatch):
    """What is right here only the comparison tells: at each moment, whoever has most of the first feature."""
    draw = np.random.default_rng(0)
    examples = []
    for _ in range(240):
        moments = np.repeat([2, 5, 9], [3, 5, 4])
        features = draw.normal(draw.normal(), 1, (12, 3)).astype(np.float32)
        best = [
            np.flatnonzero(moments == moment)[features[moments == moment, 0].argmax()] for moment in (2, 5, 9)
        ]
        examples.append(EnsembleExample(features, moments, np.isin(np.arange(12), best)))

    monkeypatch.setattr(ensemble, "FITS", 1)
    arrays = fit_ensemble(examples[:220], 0)

    hits = 0
    for example in examples[220:]:
        found = np.clip(example.features, arrays["lowest"], arrays["highest"])
        for layer in range(2):
            found = np.maximum(found @ arrays[f"weights{layer}"] + arrays[f"biases{layer}"], 0)
        logits = (found @ arrays["weights2"] + arrays["biases2"])[:, 0]
        for moment in (2, 5, 9):
            some = example.moments == moment
            hits += bool(example.right[some][logits[some].argmax()])
    assert hits >= 54  # of 60


@pytest.fixture
def few_steps(monkeypatch):
    """No more steps than the examples ask for."""
    monkeypatch.setattr(ensemble, "MINIMUM_STEPS", 5)


def test_the_network_that_is_kept_is_the_mean_of_those_that_were_fitted(few_steps, monkeypatch):
    draw = np.random.default_rng(0)
    example = EnsembleExample(
        draw.normal(size=(20, 3)).astype(np.float32), np.repeat([3, 9], 10), np.arange(20) % 10 == 0
    )

    def logits(fits, seed):
        monkeypatch.setattr(ensemble, "FITS", fits)
        arrays = fit_ensemble([example], seed)
        found = np.clip(example.features, arrays["lowest"], arrays["highest"])
        for layer in range(2):
            found = np.maximum(found @ arrays[f"weights{layer}"] + arrays[f"biases{layer}"], 0)
        return (found @ arrays["weights2"] + arrays["biases2"])[:, 0]

    assert logits(2, 0) == pytest.approx((logits(1, 0) + logits(1, 1)) / 2, abs=1e-4)


def test_an_ensemble_of_nothing_is_refused():
    with pytest.raises(QuizwriterError, match="too few tossups"):
        fit_ensemble([], 0)


def test_an_ensemble_of_which_nobody_is_right_is_fitted_all_the_same(few_steps):
    features = np.random.default_rng(0).random((20, 3), np.float32)
    arrays = fit_ensemble([EnsembleExample(features, np.repeat([3, 9], 10), np.zeros(20, bool))], 0)

    assert all(np.isfinite(array).all() for array in arrays.values())
