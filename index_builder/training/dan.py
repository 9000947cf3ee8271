"""The training of the deep averaging network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from index_builder.training.learner import (
    SAMPLED_CLASSES,
    Batch,
    Dense,
    Learner,
    Parameters,
    Step,
    TrainingPlan,
    cross_entropy,
    dropout,
)
from index_builder.training.training_set import Arrays, Floats, Numbers, TrainingSet, terms_seen, words_seen
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes, places, terms_of, token
from quizwriter.errors import QuizwriterError

DROPPED_WORDS = 0.3
"""The share of a text's terms that are left out at random, other terms each time."""

MINIMUM_PAIR_COUNT = 2
"""Times a pair must occur in questions to have a vector; for a word once is enough."""

MINIMUM_VECTOR_WIDTH = 10
"""Numbers for a word in a file of word vectors; such files have 25 and more."""


class DanLearner(Learner):
    """Trains :class:`quizwriter.engine.dan.Dan`."""

    def __init__(self, training_set: TrainingSet, plan: TrainingPlan, words: Path | None = None) -> None:
        """``words`` is a text file of word vectors to start from; see :func:`read_word_vectors`."""
        owner = np.repeat(np.arange(len(training_set), dtype=np.int32), np.diff(training_set.starts))
        sorts = list(terms_of(training_set.stems, training_set.pointers, owner, training_set.stop_words))
        asked = [terms.hashes[training_set.in_question[terms.last]] for terms in sorts]
        found = [words_seen(asked[0]), terms_seen(MINIMUM_PAIR_COUNT, asked[1]), terms_seen(1, asked[2])]
        vocabulary, counts = zip(*found, strict=True)
        hashes = np.concatenate(vocabulary)
        order = np.argsort(hashes)
        super().__init__("dan", training_set, plan, hashes[order])
        seen = np.concatenate(counts)[order]
        questions = max(1, int(np.count_nonzero(training_set.kinds != PassageKind.ARTICLE)))
        self.emphasis = np.maximum(np.log(2.0 * questions / (seen + 1)), 0.5).astype(np.float32)

        numbers = [places(terms.hashes, self.terms).astype(np.int32) for terms in sorts]
        number = np.concatenate(numbers)
        first, last = (np.concatenate([getattr(terms, end) for terms in sorts]) for end in ("first", "last"))
        order = np.flatnonzero(number >= 0)
        order = order[np.argsort(last[order], kind="stable")]
        self._numbers, self._first, self._last = number[order], first[order], last[order]
        self._starts = np.searchsorted(self._last, training_set.starts)
        if words is not None:
            vectors, known = read_word_vectors(words, self.terms, plan.width)
            self.vectors.table[known] = vectors

    def adopt(self, player: tuple[Mapping[str, np.ndarray[Any, Any]], object] | None) -> bool:
        """Take over vectors and classes of a DAN of the same training set; False if they do not fit."""
        if player is None:
            return False
        arrays, _ = player
        if not np.array_equal(arrays["terms"], self.terms):
            return False
        if not np.array_equal(arrays["classes"], self.training_set.classes):
            return False
        self._adopt_tables(arrays)
        return True

    def _start(self) -> Dense:
        width, hidden = self.plan.width, self.plan.hidden
        return {
            "hidden": jnp.asarray(self._random.standard_normal((width, hidden)) * width**-0.5, jnp.float32),
            "hidden_bias": jnp.zeros(hidden, jnp.float32),
        }

    @staticmethod
    def loss(parameters: Parameters, batch: Batch) -> jax.Array:
        """``inputs`` are means, ``[batch, width]``; there are no ``ends``."""
        dense = parameters.dense
        hidden = jax.nn.relu(parameters.inputs @ dense["hidden"] + dense["hidden_bias"])
        return cross_entropy(dropout(hidden, batch.key, 0.2), parameters, batch)

    def prepare(self, number: int) -> Step:
        """Averages as a sparse matrix, the rows of vectors it multiplies, and the classes to tell apart."""
        self.sampler.begin("batch", number)
        texts = self.sampler.texts(self.plan.batch)
        bags = [self._bag(text) for text in texts.tolist()]
        sizes = np.asarray([len(bag) for bag in bags])
        rows, column = np.unique(np.concatenate(bags), return_inverse=True)
        weights = self.emphasis[rows][column]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        sums = np.concatenate([[0.0], np.cumsum(weights, dtype=np.float64)])
        totals = np.maximum(sums[ends[1:]] - sums[ends[:-1]], 1e-6)
        average = sp.csr_matrix(
            ((weights / np.repeat(totals, sizes)).astype(np.float32), column.astype(np.int32), ends),
            shape=(len(bags), len(rows)),
        )
        spread = average.T.tocsr()
        candidates = self.sampler.candidates(self.training_set.labels[texts], SAMPLED_CLASSES)
        counts = (sizes > 0).astype(np.float32)

        def take(pace: float) -> None:
            means = average @ self.vectors.table[rows]
            by_means = self._descend(number, pace, means, None, candidates, counts)
            self.vectors.update(rows, spread @ by_means, self.plan.rate * pace)

        return take

    def _bag(self, text: int) -> npt.NDArray[np.int32]:
        """The terms of a stretch of a text, without those that are dropped this time."""
        low, high = (self.training_set.starts[text] + end for end in self.sampler.stretch(text))
        start, end = self._starts[text], self._starts[text + 1]
        start, end = start + np.searchsorted(self._last[start:end], (low, high))
        terms = self._numbers[start:end][self._first[start:end] >= low]
        kept: npt.NDArray[np.int32] = terms[self.sampler.random.random(len(terms)) >= DROPPED_WORDS]
        return kept if len(kept) else terms

    def arrays(self) -> Arrays:
        """See :class:`Learner`."""
        return {
            **self._saved_tables(),
            "emphasis": self.emphasis,
            **{key: np.asarray(value) for key, value in self.dense.items()},
        }


def read_word_vectors(path: Path, terms: Hashes, width: int) -> tuple[Floats, Numbers]:
    """The vectors in a GloVe or word2vec text file for words among ``terms``, and which these are.

    Where two words have one stem, the first in the file counts: such files begin with the commonest. The
    vectors are turned at random to ``width`` numbers, which keeps their distances, and scaled as a learner's
    own vectors are at the start.

    Raises:
        QuizwriterError: the file cannot be read, or is not a file of word vectors.
    """
    found: dict[int, Floats] = {}
    columns = 0
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                columns = columns or len(line.split()) - 1
                if columns == 1:  # word2vec's first line counts words and numbers
                    columns = 0
                    continue
                word, *numbers = line.rstrip().rsplit(" ", columns)  # a "word" may hold spaces
                place = int(places(np.asarray([token(word).hash], np.uint64), terms)[0])
                if place >= 0 and place not in found:
                    found[place] = np.asarray(numbers, np.float32)
        values = np.asarray(list(found.values()), np.float32)
        if not np.isfinite(values).all() or (found and columns < MINIMUM_VECTOR_WIDTH):
            raise ValueError
    except OSError as trouble:
        raise QuizwriterError(
            f"{path} cannot be read ({trouble.strerror}).", "Name a text file of word vectors."
        ) from trouble
    except ValueError:
        raise QuizwriterError(
            f"{path} does not hold word vectors.", "Name a file with a word and its numbers on each line."
        ) from None
    if not found:
        raise QuizwriterError(f"{path} has no vector for any word of the bundle.", "Name another file.")
    turn = np.random.default_rng(0).standard_normal((values.shape[1], width)).astype(np.float32)
    turned = values @ turn
    return 0.1 * turned / max(float(turned.std()), 1e-6), np.asarray(list(found), np.int64)
