"""The training of a network, whichever it is: a step, its optimisers, and how to go on after a stop.

Both networks have hundreds of thousands of word vectors and classes, of which a batch touches few. These are
learnt by Adagrad on sparse gradients, all other weights by Adam.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
import torch
from msgspec.structs import replace
from torch import Tensor
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_

from index_builder.training.page_classifier import Inputs, NetworkSize, PageClassifier, tensor
from index_builder.training.saved_training import TrainingState, load_training, save_training, whole_step
from index_builder.training.training_set import (
    BATCH_SHARES,
    Arrays,
    BatchSampler,
    CandidateClasses,
    Floats,
    TrainingSet,
)
from quizwriter.domain.players import player_kind
from quizwriter.engine.networks import vectors_of
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes, places
from quizwriter.errors import QuizwriterError

SAMPLED_CLASSES = 6144
"""Classes told apart in one step: those of the batch, and others that are drawn."""

INITIAL_SQUARE = 1e-3
"""What Adagrad begins with as the sum of squared gradients, those of one text's loss added over a batch."""

SLOWEST_PACE = 0.03
"""The rates fall from all of the plan's to this share of them."""

LARGEST_GRADIENT = 5.0
"""The length at which the gradient by the dense weights is clipped."""


class TrainingPlan(msgspec.Struct, frozen=True):
    """How long a network learns: ``passes`` over the tossups, at most ``seconds``; ``batch`` texts a step.

    A limit in seconds makes the result depend on how fast the computer is.
    """

    passes: float
    seconds: float
    batch: int
    rate: float = 0.2
    dense_rate: float = 2e-3
    seed: int = 0
    size: NetworkSize = msgspec.field(default_factory=NetworkSize)


class Schedule(msgspec.Struct, frozen=True):
    """How long a network learns unless the user says otherwise, and in what batches.

    A bundle of few tossups is trained for ``small_steps``, because a pass takes a moment.
    ``tuning_steps`` are those on added packets; 0: the network takes too long to learn from them.
    """

    passes: int
    batch: int
    rate: float
    small_steps: int
    small_batch: int
    small_rate: float
    tuning_steps: int = 0
    tuning_batch: int = 0


class LearningTask(msgspec.Struct, frozen=True):
    """What a network is to learn, and where: what :attr:`NetworkTraining.learner` gets.

    ``plan_of`` is the plan of another network by its name, ``trained`` its weights in the bundle, if any.
    ``work`` is the folder where trainings are saved until they are done; ``vectors`` a file of word vectors.
    """

    training_set: TrainingSet
    plan: TrainingPlan
    device: str
    work: Path
    vectors: Path | None
    plan_of: Callable[[str], TrainingPlan]
    trained: Callable[[str], tuple[Mapping[str, np.ndarray[Any, Any]], object] | None]


class NetworkTraining(msgspec.Struct, frozen=True):
    """The training of one network, declared beside its learner; see :mod:`quizwriter.domain.players`.

    ``learner`` makes the learner of a whole training. ``tuner`` makes one that goes on from trained weights,
    on a training set with added packets.
    """

    schedule: Schedule
    learner: Callable[[LearningTask], Learner[Any, Any]]
    tuner: Callable[[TrainingSet, TrainingPlan, str], Learner[Any, Any]] | None = None
    directions: int = 1
    starts_others: bool = False
    """Whether other networks start from what it learnt, so that its training is saved when it ends."""


def network_training(name: str) -> NetworkTraining:
    found = resolve_name(player_kind(name).training)
    assert isinstance(found, NetworkTraining)
    return found


class Batch(msgspec.Struct, Generic[Inputs], frozen=True):
    """What a step learns from: what the network reads, and the classes to tell apart.

    ``weights`` say what each text counts: 0 if no word of it is known.
    """

    inputs: Inputs
    candidates: CandidateClasses
    weights: Floats


class DevelopmentCurve(msgspec.Struct):
    """What a network knew while it learnt: how much was done, and the shares right after half and after all.

    It is saved with the training: which weights were the best, and when to stop, do not depend on a stop.
    """

    points: list[tuple[float, float, float]] = msgspec.field(default_factory=list)
    best: Arrays | None = None

    def add(self, done: float, half: float, end: float, arrays: Arrays) -> None:
        """A measurement of ``arrays``."""
        if self.best is None or half + end > max(one[1] + one[2] for one in self.points):
            self.best = arrays
        self.points.append((done, half, end))

    @property
    def measured(self) -> float:
        """How much was done at the last measurement."""
        return self.points[-1][0] if self.points else 0.0

    @property
    def without_progress(self) -> int:
        """How many measurements in a row are not better than the best before them."""
        sums = [half + end for _, half, end in self.points]
        return len(sums) - 1 - sums.index(max(sums)) if sums else 0


Watch = Callable[[float], bool]
"""Gets the share that is done; the result is whether to go on."""

Module = TypeVar("Module", bound=PageClassifier[Any])


class Learner(ABC, Generic[Inputs, Module]):
    """Trains one network: the part that is the same for all, and the abstract part that is not."""

    def __init__(
        self, name: str, training_set: TrainingSet, plan: TrainingPlan, terms: Hashes, device: str
    ) -> None:
        """``terms`` are those that will have a vector."""
        self.name = name
        self.training_set = training_set
        self.plan = plan
        self.terms = terms
        self.device = torch.device(device)
        self.sampler = BatchSampler(training_set, plan.seed)
        torch.manual_seed(plan.seed)  # what the weights begin as
        # torch has no sparse gradients on Apple's graphics cards
        self.module = self._module(sparse=self.device.type != "mps").to(self.device)
        with torch.no_grad():
            popular = (0.5 * np.log(training_set.class_weights)).astype(np.float32)
            self.module.biases.weight.copy_(tensor(popular)[:, None])
        begin = INITIAL_SQUARE / plan.batch**2  # gradients are of the mean over a batch
        self._optimisers: tuple[torch.optim.Optimizer, ...] = (
            torch.optim.Adagrad(self.module.tables, plan.rate, initial_accumulator_value=begin),
            torch.optim.Adam(self.module.dense, plan.dense_rate),
        )
        self._rates = plan.rate, plan.dense_rate
        tossups_in_batch = plan.batch * BATCH_SHARES[PassageKind.TOSSUP]
        self.steps = max(1, math.ceil(plan.passes * self.sampler.tossups / tossups_in_batch))
        self.step = 0
        self.spent = 0.0
        self.curve = DevelopmentCurve()

    def start(self) -> None:
        """Prepare a training that begins from nothing: not a saved one, nor one of a trained network."""

    def go_on(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Begin with the trained weights ``arrays``; terms without a vector there have zeros."""
        place = places(self.terms, np.asarray(arrays["terms"]))
        was = place >= 0
        vectors = np.zeros((len(place), self.plan.size.width), np.float32)
        vectors[was] = vectors_of(arrays, place[was])
        # whole tables in float, of which every row is its own scale times bytes
        self.module.load({**arrays, "vectors": vectors, "scales": np.ones(len(vectors), np.float32)})

    def learn(self, watch: Watch) -> None:
        """Take all the steps that are left; the next batch is drawn while a step is taken."""
        with ThreadPoolExecutor(1) as ahead, reproducible(self.device):
            drawn = ahead.submit(self.draw, self.step)
            while self.step < self.steps:
                started = time.monotonic()
                batch = drawn.result()
                done = max(self.step / self.steps, self.spent / self.plan.seconds)
                if done >= 1:
                    break
                drawn = ahead.submit(self.draw, self.step + 1)
                with whole_step():
                    self._descend(batch, max(SLOWEST_PACE, 1 - done))
                    self.step += 1
                    self.spent += time.monotonic() - started
                if not watch(done):
                    break

    @property
    def done(self) -> float:
        """The share that was done before the last step, as :data:`Watch` gets it."""
        return max(0, self.step - 1) / self.steps

    @abstractmethod
    def _module(self, *, sparse: bool) -> Module:
        """The network before it has learnt anything."""

    @abstractmethod
    def draw(self, number: int) -> Batch[Inputs]:
        """What step ``number`` learns from, which does not depend on what was drawn before."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """The weights, as the players in :mod:`quizwriter.engine.networks` load them."""

    def known_terms(self) -> Arrays:
        """The arrays of a player that say what its terms and its classes are."""
        return {
            "terms": self.terms,
            "everywhere": self.training_set.stop_words,
            "classes": self.training_set.classes,
        }

    def fits(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> bool:
        """Whether a player's ``arrays`` are of the same terms and classes."""
        return np.array_equal(arrays["terms"], self.terms) and np.array_equal(
            arrays["classes"], self.training_set.classes
        )

    def loss(self, batch: Batch[Inputs]) -> Tensor:
        """The mean of the cross-entropies of the labels among the candidates."""
        classes, log_chances, labels, weights = (
            tensor(values).to(self.device)
            for values in (
                batch.candidates.classes,
                batch.candidates.log_chances,
                batch.candidates.labels,
                batch.weights,
            )
        )
        logits = self.module(batch.inputs.to(self.device), classes) - log_chances
        return (functional.cross_entropy(logits, labels, reduction="none") * weights).mean()

    def _descend(self, batch: Batch[Inputs], pace: float) -> None:
        """One step; ``pace`` multiplies the rates of the plan."""
        torch.manual_seed(self.plan.seed * 1_000_003 + self.step)  # what is dropped
        self.module.train()
        for optimiser, rate in zip(self._optimisers, self._rates, strict=True):
            optimiser.zero_grad()
            optimiser.param_groups[0]["lr"] = rate * pace
        self.loss(batch).backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(self.module.dense, LARGEST_GRADIENT)
        for optimiser in self._optimisers:
            optimiser.step()

    @property
    def _data_digest(self) -> str:
        """A digest of the terms and classes: a training does not go on with others."""
        known = hashlib.sha256(self.terms.tobytes())
        known.update(self.training_set.classes.tobytes())
        known.update(repr(replace(self.plan, seconds=0.0)).encode())
        return known.hexdigest()[:16]

    def save(self, folder: Path) -> None:
        """Save all that is needed to go on; a stop at any moment loses minutes at most."""
        state = TrainingState(self._data_digest, self.step, self.spent, tuple(self.curve.points))
        save_training(folder / f"{self.name}.npz", state, self.module, self._optimisers, self.curve.best)

    def resume(self, folder: Path) -> bool:
        """Go on where :meth:`save` was called; False if nothing was saved, or other terms and classes."""
        path = folder / f"{self.name}.npz"
        found = load_training(path, self._data_digest, self.module, self._optimisers, columns=3)
        if found is None:
            return False
        state, best = found
        self.curve = DevelopmentCurve([(done, half, end) for done, half, end in state.curve], best or None)
        self.step, self.spent = state.step, state.spent
        return True


def chosen_device(wanted: str) -> str:
    """The device to train on."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == "auto":
        return next(name for name, found in there.items() if found)
    if not there.get(wanted, False):
        raise QuizwriterError(
            f"PyTorch finds no device {wanted} on this computer.",
            "Train with --device auto, which takes what there is.",
        )
    return wanted


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def reproducible(device: torch.device) -> Iterator[None]:
    """Within it the same seed gives the same bytes on one machine, with the same number of threads.

    On a graphics card some sums have no such algorithm; torch then takes the other one.
    """
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=device.type != "cpu")
    try:
        with torch.sparse.check_sparse_tensor_invariants(enable=False):  # type: ignore[no-untyped-call]
            yield
    finally:
        torch.use_deterministic_algorithms(before)
