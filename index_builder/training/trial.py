"""A small deep averaging network, trained in seconds on some passages: what an experiment compares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch

from index_builder.index.tokenized_texts import tokenize_texts
from index_builder.training.dan import DanLearner
from index_builder.training.learner import TrainingPlan
from index_builder.training.page_classifier import NetworkSize
from index_builder.training.training_set import Arrays, TrainingSet
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes

PASSES, BATCH = 30, 256
"""How often the network sees every tossup, and how many texts a step has."""

SIZE = NetworkSize(width=100, hidden=128)


def train_trial_dan(
    texts: Sequence[tuple[str, PassageKind, int]],
    stop_words: Hashes,
    seed: int,
    progress: Callable[[float], None],
) -> Arrays:
    """The weights of a network that learned ``texts``: text, kind and row of the page of each.

    The result does not depend on the number of cores: it is trained in one thread, on the processor.
    """
    rows = np.asarray([row for _, _, row in texts], np.int64)
    tokens = tokenize_texts([text for text, _, _ in texts])
    classes = np.unique(rows)
    training_set = TrainingSet(
        classes.astype(np.int32),
        np.searchsorted(classes, rows),
        np.asarray([kind for _, kind, _ in texts], np.int8),
        np.searchsorted(tokens.passages, np.arange(len(texts) + 1)),
        tokens.stems,
        tokens.pointers,
        stop_words,
    )
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        plan = TrainingPlan(PASSES, math.inf, BATCH, rate=0.2, seed=seed, size=SIZE)
        learner = DanLearner(training_set, plan)
        learner.start()

        def watch(done: float) -> bool:
            progress(done)
            return True

        learner.learn(watch)
    finally:
        torch.set_num_threads(before)
    return learner.arrays()
