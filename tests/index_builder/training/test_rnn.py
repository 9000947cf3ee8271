"""What the training of an RNN takes over from a DAN."""

from __future__ import annotations

import numpy as np

from index_builder.training.dan import DanLearner
from index_builder.training.learner import TrainingPlan
from index_builder.training.page_classifier import NetworkSize
from index_builder.training.rnn import RnnLearner
from index_builder.training.training_set import TrainingSet
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.tokenizer import places, tokenize

PLAN = TrainingPlan(4, 1e9, 16, rate=0.3, seed=3, size=NetworkSize(12, 16, 8))


def test_a_dan_of_the_same_training_set_is_taken_over_by_an_rnn(bare_forest, forest):
    training_set = TrainingSet.of(Bundle.open(bare_forest))
    dan = DanLearner(training_set, PLAN)
    player = Bundle.open(forest[0]).player("dan")

    assert not DanLearner(training_set, PLAN).adopt(None)
    assert not dan.adopt(({**player[0], "terms": player[0]["terms"][:-1]}, {}))
    assert dan.adopt(player)
    rnn = RnnLearner(training_set, PLAN, 1, dan)
    assert np.array_equal(rnn.module.outputs.weight.detach(), player[0]["outputs"].astype(np.float32))
    stem = places(tokenize(Tossup("AA1")).stems, rnn.terms), places(tokenize(Tossup("AA1")).stems, dan.terms)
    vectors, known = (one.module.vectors.weight.detach().numpy() for one in (rnn, dan))
    assert np.array_equal(vectors[stem[0]], known[stem[1]])
