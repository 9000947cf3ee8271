"""What networks learn from: which texts, and which classes a step tells apart."""

from __future__ import annotations

import numpy as np
import pytest

from index_builder.training.training_set import BatchSampler, TrainingSet
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.tokenizer import places, token
from tests.helpers.forest import TREES


@pytest.fixture
def training_set(bare_forest):
    return TrainingSet.of(Bundle.open(bare_forest))


def test_tossups_held_back_are_never_learnt_from(training_set, forest):
    bundle = Bundle.open(forest[0])
    arrays, about = bundle.player("dan")[0], bundle.about["players"]["dan"]
    rare = np.asarray([token("Rarebuzztrain").hash, token("Rareguessdev").hash], np.uint64)

    assert about["tossups"] == 12 * len(TREES)
    assert (places(rare, np.sort(training_set.stems)) == -1).all()
    assert (places(rare, arrays["terms"]) == -1).all()
    assert places(np.asarray([token("AA1").hash], np.uint64), arrays["terms"])[0] >= 0


def test_labels_are_always_candidates_and_nothing_is_log_chances_where_all_are(training_set):
    sampler = BatchSampler(training_set, 0)
    for wanted in (1, 3, 5):
        labels = np.asarray([5, 2, 2, 0])
        candidates = sampler.candidates(labels, wanted)
        assert candidates.classes[candidates.labels].tolist() == labels.tolist()
        assert len(set(candidates.classes.tolist())) == len(candidates.classes)
        assert (candidates.log_chances <= 0).all()
    everyone = sampler.candidates(labels, 100)
    assert everyone.classes.tolist() == list(range(len(TREES)))
    assert not everyone.log_chances.any()


def test_the_gradient_of_drawn_candidates_is_nearly_that_of_all():
    """Averaged over draws, as a share of the full softmax's length; a biased draw misses by far more."""
    classes, batch = 300, 40
    random = np.random.default_rng(0)
    asked = random.integers(1, 30, classes)
    kinds = np.zeros(asked.sum(), np.int8)
    labels = np.repeat(np.arange(classes), asked)
    nothing = np.zeros(0, np.uint64)
    made = TrainingSet(
        np.arange(classes, dtype=np.int32), labels, kinds, np.arange(len(labels) + 1),
        np.ones(len(labels), np.uint64), np.zeros(len(labels), bool), nothing,
    )  # fmt: skip
    sampler = BatchSampler(made, 0)
    logits = random.standard_normal(classes)
    chances = np.exp(logits) / np.exp(logits).sum()
    found, plain, times = np.zeros(classes), np.zeros(classes), 400
    for _ in range(times):
        candidates = sampler.candidates(random.choice(labels, batch), 80)
        for into, scores in (
            (found, logits[candidates.classes] - candidates.log_chances),
            (plain, logits[candidates.classes]),
        ):
            share = np.exp(scores)
            into[candidates.classes] += share / share.sum() / times

    def miss(one):
        return np.linalg.norm(one - chances) / np.linalg.norm(chances)

    assert miss(found) < 0.25
    assert miss(found) < miss(plain) / 2
