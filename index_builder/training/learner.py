"""The training of a network, whichever it is: one step, the optimiser, and how to go on after a stop.

Both networks have tens of thousands of word vectors and classes, of which a batch touches few. A step
therefore takes the rows it needs, has JAX work out the gradients of the small dense part, and puts the rows
back: word vectors and classes are updated where they were used (Adagrad, one rate a row), the rest with Adam.
The average of word vectors is a sparse matrix product, which SciPy has and XLA lacks.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from index_builder.training.training_set import (
    BATCH_SHARES,
    Arrays,
    BatchSampler,
    CandidateClasses,
    Floats,
    Numbers,
    TrainingSet,
)
from quizwriter.atomic import atomic_write
from quizwriter.engine.networks import vectors_of
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes

Dense = dict[str, jax.Array]
"""The dense weights of a network by name."""

SAMPLED_CLASSES = 6144
"""Classes told apart in one step: those of the batch, and others that are drawn."""

INITIAL_SQUARE = 1e-3
"""What Adagrad begins with as the sum of a row's squared gradients."""


@dataclass
class EmbeddingTable:
    """A table of which a step touches few rows. It is updated by Adagrad, with one rate for each row."""

    table: Floats
    squares: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.squares = np.full(len(self.table), INITIAL_SQUARE, np.float32)

    def update(self, rows: npt.NDArray[np.integer[Any]], gradient: Floats, rate: float) -> None:
        """One step down ``gradient``, which is that of the table's ``rows``; no row may be named twice."""
        self.squares[rows] += (gradient * gradient).mean(axis=tuple(range(1, gradient.ndim)))
        scale = rate / np.sqrt(self.squares[rows])
        self.table[rows] -= gradient * (scale[:, None] if gradient.ndim > 1 else scale)


@dataclass(frozen=True)
class TrainingPlan:
    """How large a network is, and how long it learns: ``passes`` over the tossups, at most ``seconds``.

    ``width`` counts the numbers in a word's vector, ``hidden`` the units between the words and the classes,
    and ``units`` those of the RNN in each direction. ``batch`` counts the texts of a step.
    """

    passes: float
    seconds: float
    batch: int
    rate: float = 0.2
    dense_rate: float = 2e-3
    seed: int = 0
    width: int = 200
    hidden: int = 256
    units: int = 256


Watch = Callable[[float, Callable[[], Arrays]], bool]
"""Gets the share that is done and a way to get the weights so far; the result is whether to go on."""

Step = Callable[[float], None]
"""Takes a step; the argument multiplies the rates of the plan."""


class Parameters(NamedTuple):
    """What a step changes: the dense weights, the inputs made of word vectors, and the classes."""

    dense: Dense
    inputs: jax.Array
    outputs: jax.Array
    biases: jax.Array


class Batch(NamedTuple):
    """What a step learns from.

    ``ends`` are those of :func:`index_builder.training.rnn.features_of`; ``log_chances`` and ``labels`` are
    those of :class:`CandidateClasses`; ``counts`` is 0 for padding; ``key`` draws what is dropped.
    """

    ends: jax.Array | None
    log_chances: jax.Array
    labels: jax.Array
    counts: jax.Array
    key: jax.Array


class Learner(ABC):
    """Trains one network: the part that is the same for all, and the abstract part that is not."""

    def __init__(self, name: str, training_set: TrainingSet, plan: TrainingPlan, terms: Hashes) -> None:
        """``terms`` are those that will have a vector."""
        self.name = name
        self.training_set = training_set
        self.plan = plan
        self.terms = terms
        self.sampler = BatchSampler(training_set, plan.seed)
        self._random = np.random.default_rng(plan.seed + 1)  # what the weights begin as
        normal, classes = self._random.standard_normal, len(training_set.classes)
        self.outputs = EmbeddingTable((0.02 * normal((classes, plan.hidden))).astype(np.float32))
        self.biases = EmbeddingTable((0.5 * np.log(training_set.class_weights)).astype(np.float32))
        self.vectors = EmbeddingTable((0.1 * normal((len(terms), plan.width))).astype(np.float32))
        self.dense = self._start()
        tossups_in_batch = plan.batch * BATCH_SHARES[PassageKind.TOSSUP]
        self.steps = max(1, math.ceil(plan.passes * self.sampler.tossups / tossups_in_batch))
        self.step = 0
        self.spent = 0.0
        self._state = _ADAM.init(self.dense)

    def learn(self, watch: Watch) -> None:
        """Take all the steps that are left; the next batch is drawn while a step is taken."""
        with ThreadPoolExecutor(1) as ahead:
            drawn = ahead.submit(self.prepare, self.step)
            while self.step < self.steps:
                started = time.monotonic()
                take = drawn.result()
                drawn = ahead.submit(self.prepare, self.step + 1)
                done = max(self.step / self.steps, self.spent / self.plan.seconds)
                if done >= 1:
                    break
                take(max(0.03, 1 - done))
                self.step += 1
                self.spent += time.monotonic() - started
                if not watch(done, self.arrays):
                    break

    @abstractmethod
    def prepare(self, number: int) -> Step:
        """Draw what step ``number`` learns from, which does not depend on what was drawn before."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """The weights, as the players in :mod:`quizwriter.engine.networks` load them."""

    @abstractmethod
    def _start(self) -> Dense:
        """The dense weights to begin with."""

    @staticmethod
    @abstractmethod
    def loss(parameters: Parameters, batch: Batch) -> jax.Array:
        """What a step makes smaller: a sum of cross-entropies; see :func:`cross_entropy`."""

    def _descend(
        self,
        number: int,
        pace: float,
        inputs: Floats,
        ends: Numbers | None,
        candidates: CandidateClasses,
        counts: Floats,
    ) -> Floats:
        """Step ``number`` for all but the word vectors; the gradient by ``inputs``."""
        outputs, biases = self.outputs.table[candidates.classes], self.biases.table[candidates.classes]
        by = _gradient(self.loss)(
            Parameters(self.dense, jnp.asarray(inputs), jnp.asarray(outputs), jnp.asarray(biases)),
            Batch(
                None if ends is None else jnp.asarray(ends),
                jnp.asarray(candidates.log_chances),
                jnp.asarray(candidates.labels),
                jnp.asarray(counts),
                jax.random.PRNGKey(number),
            ),
        )
        self.outputs.update(candidates.classes, np.asarray(by.outputs), self.plan.rate * pace)
        self.biases.update(candidates.classes, np.asarray(by.biases), self.plan.rate * pace)
        texts = len(counts) if ends is None else len(ends)
        rate = self.plan.dense_rate * pace
        self.dense, self._state = _update(self.dense, by.dense, self._state, texts, rate)
        found: Floats = np.asarray(by.inputs)
        return found

    def _adopt_tables(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Begin with the vectors and classes of a trained network."""
        self.vectors.table[:] = vectors_of(arrays, np.arange(len(self.terms)))
        self.outputs.table[:], self.biases.table[:] = arrays["outputs"], arrays["biases"]

    def _saved_tables(self) -> Arrays:
        """Vectors and classes as the players load them; vectors in bytes, half as many as float16 takes."""
        largest = np.abs(self.vectors.table).max(axis=1, initial=1e-12)
        scales = (largest / 127).astype(np.float32)
        return {
            "terms": self.terms,
            "everywhere": self.training_set.stop_words,
            "vectors": np.rint(self.vectors.table / scales[:, None]).astype(np.int8),
            "scales": scales,
            "classes": self.training_set.classes,
            "outputs": self.outputs.table.astype(np.float16),
            "biases": self.biases.table.copy(),
        }

    @property
    def _tables(self) -> dict[str, EmbeddingTable]:
        return {"outputs": self.outputs, "biases": self.biases, "vectors": self.vectors}

    @property
    def _data_digest(self) -> str:
        """A digest of the terms and classes: a training does not go on with others."""
        known = hashlib.sha256(self.terms.tobytes())
        known.update(self.training_set.classes.tobytes())
        return known.hexdigest()[:16]

    def save(self, folder: Path) -> None:
        """Save all that is needed to go on; a stop at any moment loses minutes at most.

        Raises:
            QuizwriterError: the disk does not take the file.
        """
        about = {"step": self.step, "spent": self.spent, "learnt_from": self._data_digest}
        saved = {
            "about": np.asarray(json.dumps(about)),
            **{f"dense.{key}": np.asarray(value) for key, value in self.dense.items()},
            **{f"state{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(self._state))},
            **{f"{name}.table": rows.table for name, rows in self._tables.items()},
            **{f"{name}.squares": rows.squares for name, rows in self._tables.items()},
        }
        with atomic_write(
            folder / f"{self.name}.npz",
            problem=f"The training could not be saved in {folder}",
            remedy="Make room or allow writing there; the same command goes on from where it was last saved.",
            make_folder=True,
        ) as file:
            np.savez(file, allow_pickle=False, **saved)

    def resume(self, folder: Path) -> bool:
        """Go on where :meth:`save` was called; False if nothing was saved, or other terms and classes."""
        leaves, shape = jax.tree.flatten(self._state)
        try:
            path = folder / f"{self.name}.npz"
            with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
                about = json.loads(str(saved["about"]))
                tables = {name: (saved[f"{name}.table"], saved[f"{name}.squares"]) for name in self._tables}
                dense = {key: jnp.asarray(saved[f"dense.{key}"]) for key in self.dense}
                state = [jnp.asarray(saved[f"state{i}"]) for i in range(len(leaves))]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):  # no file, or a damaged one
            return False
        if about.get("learnt_from", self._data_digest) != self._data_digest or any(
            table.shape != self._tables[name].table.shape for name, (table, _) in tables.items()
        ):
            return False
        for name, (table, squares) in tables.items():
            self._tables[name].table[:] = table
            self._tables[name].squares[:] = squares
        self.dense, self._state = dense, jax.tree.unflatten(shape, state)
        self.step, self.spent = about["step"], about["spent"]
        return True


_ADAM = optax.chain(optax.clip_by_global_norm(5.0), optax.scale_by_adam())


@jax.jit
def _update(
    weights: Dense, gradient: Dense, state: optax.OptState, texts: float, rate: float
) -> tuple[Dense, optax.OptState]:
    """One step of Adam down the mean of a gradient that is a sum over ``texts``."""
    changes, state = _ADAM.update({key: value / texts for key, value in gradient.items()}, state)
    return {key: value - rate * changes[key] for key, value in weights.items()}, state


@lru_cache
def _gradient(loss: Callable[[Parameters, Batch], jax.Array]) -> Callable[[Parameters, Batch], Parameters]:
    """The gradient of a learner's loss by all parameters; compiled once for all learners of a class."""
    return jax.jit(jax.grad(loss))


def cross_entropy(hidden: jax.Array, parameters: Parameters, batch: Batch) -> jax.Array:
    """The sum of the cross-entropies of the labels among the candidates."""
    scores = hidden @ parameters.outputs.T + parameters.biases - batch.log_chances
    own = jnp.take_along_axis(scores, batch.labels[:, None], axis=1)[:, 0]
    return ((jax.nn.logsumexp(scores, axis=1) - own) * batch.counts).sum()


def dropout(values: jax.Array, key: jax.Array, share: float) -> jax.Array:
    """``values``, of which a ``share`` is set to zero at random and the others are scaled up."""
    return values * jax.random.bernoulli(key, 1 - share, values.shape) / (1 - share)
