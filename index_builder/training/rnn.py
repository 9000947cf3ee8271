"""The training of the recurrent network, which reads forwards or both ways."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from index_builder.training.dan import DROPPED_WORDS, MINIMUM_PAIR_COUNT, DanLearner
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
from index_builder.training.training_set import Arrays, Numbers, TrainingSet, terms_seen, words_seen
from quizwriter.engine.rnn import POINTER
from quizwriter.engine.tokenizer import places, terms_of

MAXIMUM_SEQUENCE = 96
"""Words from which the network learns at once."""

SEQUENCE_STEP = 32
"""Sequences are padded to a multiple of so many words: JAX compiles a step for each length."""

POOLED_BATCHES = 8
"""Batches that are drawn together, so that each can have sequences of about one length."""


class RnnLearner(Learner):
    """Trains :class:`quizwriter.engine.rnn.Rnn`, with ``directions`` one or two.

    It starts with the word vectors and the classes of a trained DAN, if there is one: what is left to learn
    is what order adds.
    """

    def __init__(
        self, training_set: TrainingSet, plan: TrainingPlan, directions: int, dan: DanLearner | None = None
    ) -> None:
        sequence = np.where(training_set.pointers, POINTER, training_set.stems)
        words, _ = words_seen(sequence[training_set.in_question & (sequence != 0)])
        owner = np.repeat(np.arange(len(training_set), dtype=np.int32), np.diff(training_set.starts))
        _, found, _ = terms_of(training_set.stems, training_set.pointers, owner, training_set.stop_words)
        pairs, _ = terms_seen(MINIMUM_PAIR_COUNT, found.hashes[training_set.in_question[found.last]])
        self.directions = directions
        name = "rnn" if directions == 1 else "birnn"
        super().__init__(name, training_set, plan, np.sort(np.concatenate([words, pairs])))
        self._numbers = places(sequence, self.terms).astype(np.int32)
        # the pair that each token completes, and the token that began it
        self._pairs, self._first = np.full((2, len(sequence)), -1, np.int32)
        self._pairs[found.last] = places(found.hashes, self.terms)
        self._first[found.last] = found.first
        if dan is not None:
            place = places(self.terms, dan.terms)
            self.vectors.table[place >= 0] = dan.vectors.table[place[place >= 0]]
            self.outputs.table[:] = dan.outputs.table
            self.biases.table[:] = dan.biases.table
        drawn = sum(self.sampler.shares(POOLED_BATCHES * plan.batch + POOLED_BATCHES).values())
        self._size = min(plan.batch, drawn)
        self._per_pool = min(POOLED_BATCHES, drawn // self._size)
        self._pool = lru_cache(maxsize=1)(self._draw_pool)

    def _start(self) -> Dense:
        def normal(*shape: int) -> jax.Array:
            return jnp.asarray(self._random.standard_normal(shape) * shape[-2] ** -0.5, jnp.float32)

        directions, units, plan = self.directions, self.plan.units, self.plan
        return {
            "into": normal(directions, plan.width, 3 * units),
            "across": normal(directions, units, 3 * units),
            "bias": jnp.zeros((directions, 3 * units), jnp.float32),
            "across_bias": jnp.zeros((directions, 3 * units), jnp.float32),
            "hidden": normal(directions * 2 * units, plan.hidden),
            "hidden_bias": jnp.zeros(plan.hidden, jnp.float32),
        }

    def adopt(self, player: tuple[Mapping[str, np.ndarray[Any, Any]], object] | None) -> bool:
        """Begin with a trained network of one direction; only reading backwards is left to learn then.

        The result is False if the network was not trained on the same training set.
        """
        if player is None or self.directions != 2 or len(player[0]["into"]) != 1:
            return False
        arrays = player[0]
        if not np.array_equal(arrays["terms"], self.terms) or not np.array_equal(
            arrays["classes"], self.training_set.classes
        ):
            return False
        self._adopt_tables(arrays)
        for name in ("into", "across", "bias", "across_bias"):
            self.dense[name] = self.dense[name].at[0].set(arrays[name][0].astype(np.float32))
        hidden = self.dense["hidden"].at[: 2 * self.plan.units].set(arrays["hidden"])
        self.dense["hidden"] = hidden.at[2 * self.plan.units :].multiply(0.1)
        self.dense["hidden_bias"] = jnp.asarray(arrays["hidden_bias"])
        return True

    @staticmethod
    def loss(parameters: Parameters, batch: Batch) -> jax.Array:
        """``inputs`` and ``ends`` are those of :func:`features_of`."""
        assert batch.ends is not None
        dense, keys = parameters.dense, jax.random.split(batch.key)
        features = dropout(features_of(dense, parameters.inputs, batch.ends), keys[0], 0.2)
        hidden = dropout(jax.nn.relu(features @ dense["hidden"] + dense["hidden_bias"]), keys[1], 0.2)
        return cross_entropy(hidden, parameters, batch) / batch.ends.shape[1]

    def prepare(self, number: int) -> Step:
        """Sequences of about one length, where in each to answer, and the classes to tell apart."""
        pool, part = divmod(number, self._per_pool)
        texts, sequences = self._pool(pool)[part]
        self.sampler.begin("batch", number)
        lengths = np.asarray([sequence.shape[1] for sequence in sequences])
        steps = SEQUENCE_STEP * max(1, math.ceil(lengths.max() / SEQUENCE_STEP))
        numbers, pairs = np.full((2, steps, len(texts)), -1, np.int64)
        for column, sequence in enumerate(sequences):
            numbers[: sequence.shape[1], column], pairs[: sequence.shape[1], column] = sequence
        ends = np.maximum(lengths, 1)[:, None]
        if self.directions == 1:  # one pass answers anywhere: at the end, and at five places before it
            some = self.sampler.random.integers(1, ends + 1, (len(texts), 5))
            ends = np.hstack([ends, np.where(ends > 8, np.maximum(some, 4), some)])
        candidates = self.sampler.candidates(self.training_set.labels[texts], SAMPLED_CLASSES)
        candidates = replace(candidates, labels=np.repeat(candidates.labels, ends.shape[1]))
        counts = np.repeat((lengths > 0).astype(np.float32), ends.shape[1])
        inside = numbers >= 0
        completes = np.flatnonzero(pairs[inside] >= 0)  # which of the words complete a pair
        terms = np.concatenate([numbers[inside], pairs[inside][completes]])
        words = int(np.count_nonzero(inside))
        columns = np.concatenate([np.arange(words), completes])
        rows, flat = np.unique(terms, return_inverse=True)
        spread = sp.csr_matrix((np.ones(len(flat), np.float32), (flat, columns)), shape=(len(rows), words))
        gather = spread.T.tocsr()

        def take(pace: float) -> None:
            inputs = np.zeros((*numbers.shape, self.plan.width), np.float32)
            inputs[inside] = gather @ self.vectors.table[rows]
            by_inputs = self._descend(number, pace, inputs, ends, candidates, counts)
            self.vectors.update(rows, spread @ by_inputs[inside], self.plan.rate * pace)

        return take

    def _draw_pool(self, number: int) -> list[tuple[Numbers, list[npt.NDArray[np.int32]]]]:
        """Batches of texts whose sequences are about as long as each other, so that little is padded.

        Shapes:
            A sequence: ``[2, tokens]``, rows of vectors, those of words and those of the pairs they complete.
        """
        self.sampler.begin("pool", number)
        texts, sequences = self.sampler.texts(POOLED_BATCHES * self.plan.batch + POOLED_BATCHES), []
        for text in texts.tolist():
            low, high = (self.training_set.starts[text] + end for end in self.sampler.stretch(text))
            tokens = low + np.flatnonzero(self._numbers[low:high] >= 0)
            tokens = tokens[self.sampler.random.random(len(tokens)) >= DROPPED_WORDS / 2][:MAXIMUM_SEQUENCE]
            complete = self._first[tokens] >= low
            complete &= self.sampler.random.random(len(tokens)) >= DROPPED_WORDS / 2
            sequences.append(np.stack([self._numbers[tokens], np.where(complete, self._pairs[tokens], -1)]))
        order = np.argsort([sequence.shape[1] for sequence in sequences], kind="stable")
        order = order[-self._per_pool * self._size :]
        parts = np.split(order, self._per_pool)
        shuffled = [parts[part] for part in self.sampler.random.permutation(self._per_pool).tolist()]
        return [(texts[part], [sequences[place] for place in part.tolist()]) for part in shuffled]

    def arrays(self) -> Arrays:
        """See :class:`Learner`."""
        dense = {key: np.asarray(value) for key, value in self.dense.items()}
        halves = {key: dense[key].astype(np.float16) for key in ("into", "across")}
        return {**self._saved_tables(), **dense, **halves}


def features_of(dense: Mapping[str, jax.Array], inputs: jax.Array, ends: jax.Array) -> jax.Array:
    """The inputs of an RNN's hidden layer at each place, for JAX to differentiate.

    Shapes:
        ``inputs``: ``[steps, batch, width]``. ``ends``: ``[batch, places]``, inputs read at each place; one
        place with two directions. Result: ``[batch * places, directions * 2 * size]``.
    """
    columns = jnp.arange(inputs.shape[1])
    features = []
    for way in range(dense["into"].shape[0]):
        turned = inputs
        if way:  # each sequence reversed, its padding kept behind it
            back = ends[:, 0] - 1 - jnp.arange(inputs.shape[0])[:, None]
            turned = jnp.where((back >= 0)[:, :, None], inputs[jnp.maximum(back, 0), columns], 0.0)
        names = ("into", "across", "bias", "across_bias")
        states = _states(turned, *(dense[name][way] for name in names))
        means = jnp.cumsum(states, axis=0) / jnp.arange(1, len(states) + 1)[:, None, None]
        features += [states[ends - 1, columns[:, None]], means[ends - 1, columns[:, None]]]
    joined = jnp.concatenate(features, axis=-1)
    return joined.reshape(-1, joined.shape[-1])


def _states(
    inputs: jax.Array, into: jax.Array, across: jax.Array, bias: jax.Array, across_bias: jax.Array
) -> jax.Array:
    """The states of :class:`quizwriter.engine.rnn.GatedUnits` after each input."""
    size = across.shape[0]

    def step(state: jax.Array, now: jax.Array) -> tuple[jax.Array, jax.Array]:
        recurrent = state @ across + across_bias
        gate = jax.nn.sigmoid(now[:, : 2 * size] + recurrent[:, : 2 * size])
        candidate = jnp.tanh(now[:, 2 * size :] + gate[:, :size] * recurrent[:, 2 * size :])
        state = candidate + gate[:, size:] * (state - candidate)
        return state, state

    return jax.lax.scan(step, jnp.zeros((inputs.shape[1], size), inputs.dtype), inputs @ into + bias)[1]
