"""Train the networks: what they learn from, how a step goes, and how to go on after a stop.

Both networks have tens of thousands of word vectors and classes, of which a batch touches few. So a step
takes the rows it needs, has JAX work out the gradients of the small dense part, and puts the rows back:
word vectors and classes are updated where they were used (Adagrad, one rate a row), the rest with Adam.
The average of word vectors is a sparse matrix product, which SciPy has and XLA lacks.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax
import scipy.sparse as sp

from index_builder.index import tokenise
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.neural import POINTER
from quizwriter.engine.retrieval import Kind
from quizwriter.engine.terms import Hashes, places, terms_of, token
from quizwriter.errors import QuizwriterError

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

WIDTH = 200  # of a word's vector
HIDDEN = 256  # units between the words and the classes
UNITS = 256  # of the RNN, in each direction
CANDIDATES = 6144  # classes told apart in one step: those of the batch, the rest drawn
UNHEARD = 0.3  # share of the words left out at random, anew each time
ARTICLES = 6  # passages from each article that are learnt from
SHARES = {Kind.TOSSUP: 0.65, Kind.BONUS: 0.25, Kind.ARTICLE: 0.10}  # of a batch
LEAST_WORD, LEAST_PAIR = 2, 5  # times a term must occur in questions to have a vector
LONGEST = 96  # words an RNN learns from at once
PADDED = 32  # sequences are made so long, or twice or thrice as long: for each JAX compiles a step of its own
STARTING = 1e-3  # what Adagrad takes for granted of a row's squared gradients


@dataclass(frozen=True)
class Lessons:
    """The texts of a bundle that networks learn from: those on pages that were asked for, the classes.

    ``labels`` are classes and ``kinds`` sorts of text, one for each text; ``starts[t]`` is where the tokens
    of text ``t`` begin in ``stems`` and ``pointers``.
    """

    classes: npt.NDArray[np.int32]
    labels: Numbers
    kinds: npt.NDArray[np.int8]
    starts: Numbers
    stems: Hashes
    pointers: npt.NDArray[np.bool_]
    everywhere: Hashes

    @classmethod
    def of(cls, bundle: Bundle, *, only: npt.NDArray[np.bool_] | None = None) -> Lessons:
        """The lessons in ``bundle``; ``only`` says for each passage whether it may be learnt from."""
        kinds = np.asarray(bundle.array("passages/kinds.npy"))
        starts = np.asarray(bundle.array("passages/page_starts.npy"))
        pages = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        classes = np.flatnonzero(bundle.array("pages_asked.npy")).astype(np.int32)
        number = places(pages, classes)
        # a page's articles lie behind its questions, so the first few are its opening
        article = kinds == Kind.ARTICLE
        before = np.cumsum(article) - article
        nth = before - np.repeat(before[starts[:-1].clip(max=len(before) - 1)], np.diff(starts))
        used = (number >= 0) & (~article | (nth < ARTICLES))
        if only is not None:
            used &= only
        chosen = np.flatnonzero(used)
        texts = bundle.texts("passages/texts")
        tokens = tokenise([texts[int(place)] for place in chosen], lambda done: None)
        return cls(
            classes,
            number[chosen],
            kinds[chosen],
            np.searchsorted(tokens.passages, np.arange(len(chosen) + 1)),
            tokens.stems,
            tokens.pointers,
            np.asarray(bundle.array("ir/everywhere.npy")),
        )

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def asked(self) -> npt.NDArray[np.bool_]:
        """For each token, whether it is in a question."""
        return np.repeat(self.kinds != Kind.ARTICLE, np.diff(self.starts))

    @cached_property
    def weight_of_class(self) -> npt.NDArray[np.float64]:
        """How often each class is asked for; a bonus part counts half, and all have a little."""
        tossups = np.bincount(self.labels[self.kinds == Kind.TOSSUP], minlength=len(self.classes))
        parts = np.bincount(self.labels[self.kinds == Kind.BONUS], minlength=len(self.classes))
        return np.asarray(tossups + 0.5 * parts + 0.3)


class Draw:
    """Draws texts, and from a tossup a stretch: a beginning, a few sentences' worth, or all of it."""

    def __init__(self, lessons: Lessons, seed: int) -> None:
        self.lessons = lessons
        self.random = np.random.default_rng(seed)
        filled = np.diff(lessons.starts) > 0
        self._by_kind = [np.flatnonzero(filled & (lessons.kinds == kind)) for kind in Kind]
        popular = lessons.weight_of_class**0.75
        self._popular = popular / popular.sum()
        self._cumulative = np.cumsum(self._popular)

    @property
    def tossups(self) -> int:
        """How many tossups there are to draw from."""
        return len(self._by_kind[Kind.TOSSUP])

    def texts(self, batch: int) -> Numbers:
        """Numbers of about ``batch`` texts, by :data:`SHARES`; with repeats."""
        drawn = [
            self.random.choice(texts, round(batch * SHARES[kind]))
            for kind, texts in zip(Kind, self._by_kind, strict=True)
            if len(texts)
        ]
        return np.concatenate(drawn)

    def stretch(self, text: int) -> tuple[int, int]:
        """Where the words to be learnt begin and end, counted in tokens from the start of the text."""
        length = int(self.lessons.starts[text + 1] - self.lessons.starts[text])
        if self.lessons.kinds[text] != Kind.TOSSUP or length <= 8:
            return 0, length
        way = self.random.random()
        if way < 0.35:
            return 0, int(self.random.integers(8, length + 1))
        if way < 0.85:
            size = int(self.random.integers(8, min(length, 60) + 1))
            start = int(self.random.integers(0, length - size + 1))
            return start, start + size
        return 0, length

    def candidates(self, labels: Numbers, wanted: int) -> tuple[Numbers, Floats, Numbers]:
        """Classes to tell apart, the logarithm of each one's chance to be among them, and labels as places.

        All of ``labels`` are among them; the others are drawn by how often they are asked for. Taking that
        logarithm off the scores makes their softmax unbiased (Bengio and Senécal, 2008).
        """
        classes = len(self._popular)
        if wanted >= classes:
            return np.arange(classes), np.zeros(classes, np.float32), labels
        present = np.unique(labels)
        drawn = np.unique(
            np.searchsorted(self._cumulative, self.random.random(2 * wanted)).clip(max=classes - 1)
        )
        others = np.setdiff1d(drawn, present)
        self.random.shuffle(others)
        chosen = np.concatenate([present, others])[:wanted]
        chance = 1 - (1 - self._popular[chosen]) ** (2 * wanted)
        chance *= min(1.0, (wanted - len(present)) / max(1, len(others)))
        by_batch = 1 - np.exp(-len(labels) * self._popular[chosen[: len(present)]])
        chance[: len(present)] = np.maximum(chance[: len(present)], by_batch)
        place = np.zeros(classes, np.int64)
        place[chosen] = np.arange(len(chosen))
        return chosen, np.log(np.clip(chance, 1e-6, 1)).astype(np.float32), place[labels]


@dataclass
class Rows:
    """A table of which a step touches few rows: Adagrad with one rate a row."""

    table: Floats
    squares: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.squares = np.full(len(self.table), STARTING, np.float32)

    def update(self, rows: Numbers, gradient: Floats, rate: float) -> None:
        """One step down ``gradient``, that of the table's ``rows``, none twice."""
        self.squares[rows] += (gradient * gradient).reshape(len(rows), -1).mean(axis=1)
        scale = rate / np.sqrt(self.squares[rows])
        self.table[rows] -= gradient * (scale[:, None] if gradient.ndim > 1 else scale)


@dataclass(frozen=True)
class Plan:
    """How long to learn: so many passes over the tossups, and not beyond so many seconds."""

    passes: float
    seconds: float
    batch: int
    rate: float = 0.2
    dense_rate: float = 2e-3
    seed: int = 0


Watch = Callable[[float, Callable[[], dict[str, Any]]], bool]
"""Is told the share done and how to get the weights so far; says whether to go on."""


class Learner:
    """What the training of both networks shares: the classes, the dense weights, the clock, the stop."""

    def __init__(self, name: str, lessons: Lessons, plan: Plan) -> None:
        self.name = name
        self.lessons = lessons
        self.plan = plan
        self.draw = Draw(lessons, plan.seed)
        random = np.random.default_rng(plan.seed + 1)
        self.random = random
        classes = len(lessons.classes)
        self.outputs = Rows((0.02 * random.standard_normal((classes, HIDDEN))).astype(np.float32))
        self.biases = Rows((0.5 * np.log(lessons.weight_of_class)).astype(np.float32))
        self.vectors = Rows(np.zeros((0, WIDTH), np.float32))
        self.dense: dict[str, Any] = {}
        self.steps = max(1, math.ceil(plan.passes * self.draw.tossups / (plan.batch * SHARES[Kind.TOSSUP])))
        self.step = 0
        self.spent = 0.0

    def start(self) -> None:
        """Make the optimiser ready; call once the dense weights are there."""
        self.optimiser = optax.chain(optax.clip_by_global_norm(5.0), optax.scale_by_adam())
        self.state = self.optimiser.init(self.dense)
        self.update = jax.jit(self.optimiser.update)

    def learn(self, watch: Watch) -> None:
        """All the steps that are left, the next batch drawn while the one before is worked on."""
        with ThreadPoolExecutor(1) as ahead:
            drawn = ahead.submit(self.batch)
            while self.step < self.steps:
                started = time.monotonic()
                batch = drawn.result()
                drawn = ahead.submit(self.batch)
                done = max(self.step / self.steps, self.spent / self.plan.seconds)
                if done >= 1:
                    break
                self.learn_from(batch, max(0.03, 1 - done))
                self.step += 1
                self.spent += time.monotonic() - started
                if not watch(done, self.arrays):
                    break

    def batch(self) -> Any:
        """What one step learns from."""
        raise NotImplementedError

    def learn_from(self, batch: Any, pace: float) -> None:
        """One step at ``pace`` times the plan's rates."""
        raise NotImplementedError

    def arrays(self) -> dict[str, Any]:
        """The weights, as the players in quizwriter.engine.neural take them."""
        raise NotImplementedError

    def step_dense(self, gradient: Any, pace: float) -> None:
        """One step of Adam down ``gradient``."""
        changes, self.state = self.update(gradient, self.state)
        rate = self.plan.dense_rate * pace
        self.dense = {key: value - rate * changes[key] for key, value in self.dense.items()}

    def save(self, folder: Path) -> None:
        """Keep all that is needed to go on, so that a stop at any moment loses minutes at most."""
        leaves = {f"state{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(self.state))}
        tables = {
            f"{name}.{part}": getattr(getattr(self, name), part)
            for name in ("outputs", "biases", "vectors")
            for part in ("table", "squares")
        }
        about = {
            "step": self.step,
            "spent": self.spent,
            "random": [self.draw.random.bit_generator.state, self.random.bit_generator.state],
        }
        folder.mkdir(parents=True, exist_ok=True)
        half = folder / f"{self.name}.half.npz"
        np.savez(
            half,
            allow_pickle=False,
            about=np.asarray(json.dumps(about)),
            **{f"dense.{key}": np.asarray(value) for key, value in self.dense.items()},
            **leaves,
            **tables,
        )
        half.replace(folder / f"{self.name}.npz")

    def resume(self, folder: Path) -> bool:
        """Go on where :meth:`save` was; whether there was anything that fits."""
        path = folder / f"{self.name}.npz"
        if not path.exists():
            return False
        with np.load(path, allow_pickle=False) as kept:
            about = json.loads(str(kept["about"]))
            if any(
                kept[f"{name}.table"].shape != getattr(self, name).table.shape
                for name in ("outputs", "biases", "vectors")
            ):
                return False  # of other texts
            for name in ("outputs", "biases", "vectors"):
                getattr(self, name).table[:] = kept[f"{name}.table"]
                getattr(self, name).squares[:] = kept[f"{name}.squares"]
            self.dense = {key: jnp.asarray(kept[f"dense.{key}"]) for key in self.dense}
            leaves, shape = jax.tree.flatten(self.state)
            self.state = jax.tree.unflatten(
                shape, [jnp.asarray(kept[f"state{i}"]) for i in range(len(leaves))]
            )
        self.step, self.spent = about["step"], about["spent"]
        self.draw.random.bit_generator.state, self.random.bit_generator.state = about["random"]
        return True


def _cross_entropy(hidden: Any, outputs: Any, biases: Any, taken_off: Any, labels: Any, counts: Any) -> Any:
    """The sum of the cross-entropies of the labels among the candidates; ``counts`` is 0 for padding."""
    scores = hidden @ outputs.T + biases - taken_off
    own = jnp.take_along_axis(scores, labels[:, None], axis=1)[:, 0]
    return ((jax.nn.logsumexp(scores, axis=1) - own) * counts).sum()


def _dropped(values: Any, key: Any, share: float) -> Any:
    return values * jax.random.bernoulli(key, 1 - share, values.shape) / (1 - share)


class DanLearner(Learner):
    """Trains :class:`quizwriter.engine.neural.Dan`."""

    def __init__(self, lessons: Lessons, plan: Plan, words: Path | None = None) -> None:
        """``words`` is a text file of word vectors to start from; see :func:`vectors_in`."""
        super().__init__("dan", lessons, plan)
        owner = np.repeat(np.arange(len(lessons), dtype=np.int32), np.diff(lessons.starts))
        sorts = list(terms_of(lessons.stems, lessons.pointers, owner, lessons.everywhere))
        vocabulary, counts = [], []
        for terms, least in zip(sorts, (LEAST_WORD, LEAST_PAIR, LEAST_WORD), strict=True):
            hashes, count = np.unique(terms.hashes[lessons.asked[terms.last]], return_counts=True)
            vocabulary.append(hashes[count >= least])
            counts.append(count[count >= least])
        hashes = np.concatenate(vocabulary)
        order = np.argsort(hashes)
        self.terms = hashes[order]
        seen = np.concatenate(counts)[order]
        questions = max(1, int(np.count_nonzero(lessons.kinds != Kind.ARTICLE)))
        self.emphasis = np.maximum(np.log(2.0 * questions / (seen + 1)), 0.5).astype(np.float32)
        found, firsts, lasts = [], [], []
        for terms in sorts:
            number = places(terms.hashes, self.terms)
            known = number >= 0
            found.append(number[known].astype(np.int32))
            firsts.append(terms.first[known])
            lasts.append(terms.last[known])
        last = np.concatenate(lasts)
        order = np.argsort(last, kind="stable")
        self._numbers, self._first = np.concatenate(found)[order], np.concatenate(firsts)[order]
        self._last = last[order]
        self._starts = np.searchsorted(self._last, lessons.starts)

        random = self.random
        self.vectors = Rows((0.1 * random.standard_normal((len(self.terms), WIDTH))).astype(np.float32))
        if words is not None:
            found, known = vectors_in(words, self.terms)
            self.vectors.table[known] = found
        self.dense = {
            "hidden": jnp.asarray(random.standard_normal((WIDTH, HIDDEN)) * WIDTH**-0.5, jnp.float32),
            "hidden_bias": jnp.zeros(HIDDEN, jnp.float32),
        }
        self._gradient = jax.jit(jax.value_and_grad(self._loss, (0, 1, 2, 3)))
        self.start()

    def adopt(self, player: tuple[dict[str, Any], Any] | None) -> bool:
        """Take over the vectors and classes of a DAN that was trained on the same lessons; whether they fit."""
        if player is None or not np.array_equal(player[0]["terms"], self.terms):
            return False
        arrays = player[0]
        if not np.array_equal(arrays["classes"], self.lessons.classes):
            return False
        for name in ("vectors", "outputs", "biases"):
            getattr(self, name).table[:] = arrays[name]
        return True

    @staticmethod
    def _loss(
        dense: Any, means: Any, outputs: Any, biases: Any, taken_off: Any, labels: Any, counts: Any, key: Any
    ) -> Any:
        hidden = jax.nn.relu(means @ dense["hidden"] + dense["hidden_bias"])
        return _cross_entropy(_dropped(hidden, key, 0.2), outputs, biases, taken_off, labels, counts)

    def batch(self) -> Any:
        """Averages as a sparse matrix, the rows of vectors it multiplies, and the classes to tell apart."""
        draw, lessons = self.draw, self.lessons
        texts = draw.texts(self.plan.batch)
        bags = []
        for text in texts.tolist():
            low, high = draw.stretch(text)
            start, end = self._starts[text], self._starts[text + 1]
            low, high = lessons.starts[text] + low, lessons.starts[text] + high
            start, end = start + np.searchsorted(self._last[start:end], (low, high))
            terms = self._numbers[start:end][self._first[start:end] >= low]
            heard = terms[draw.random.random(len(terms)) >= UNHEARD]
            bags.append(heard if len(heard) else terms)
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
        chosen = draw.candidates(lessons.labels[texts], CANDIDATES)
        return rows, average, average.T.tocsr(), chosen, (sizes > 0).astype(np.float32)

    def learn_from(self, batch: Any, pace: float) -> None:
        """See :class:`Learner`."""
        rows, average, spread, (chosen, taken_off, labels), counts = batch
        key = jax.random.PRNGKey(self.step)
        means = average @ self.vectors.table[rows]
        _, (dense, by_means, by_outputs, by_biases) = self._gradient(
            self.dense,
            means,
            self.outputs.table[chosen],
            self.biases.table[chosen],
            taken_off,
            labels,
            counts,
            key,
        )
        rate = self.plan.rate * pace
        self.vectors.update(rows, spread @ np.asarray(by_means), rate)
        self.outputs.update(chosen, np.asarray(by_outputs), rate)
        self.biases.update(chosen, np.asarray(by_biases), rate)
        self.step_dense(jax.tree.map(lambda value: value / len(labels), dense), pace)

    def arrays(self) -> dict[str, Any]:
        """See :class:`Learner`."""
        return {
            "classes": self.lessons.classes,
            "outputs": self.outputs.table.astype(np.float16),
            "biases": self.biases.table.copy(),
            "terms": self.terms,
            "vectors": self.vectors.table.astype(np.float16),
            "emphasis": self.emphasis,
            "everywhere": self.lessons.everywhere,
            **{key: np.asarray(value) for key, value in self.dense.items()},
        }


def vectors_in(path: Path, terms: Hashes) -> tuple[Floats, Numbers]:
    """The vectors in a GloVe or word2vec text file for words among ``terms``, and which of these they are for.

    Where two words have one stem, the first in the file counts: such files begin with the commonest. The vectors
    are turned at random to :data:`WIDTH` numbers, which keeps their distances, and scaled as ours begin.

    Raises:
        QuizwriterError: the file cannot be read, or is none.
    """
    found: dict[int, list[float]] = {}
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                word, *numbers = line.rstrip().split(" ")
                if len(numbers) < 10:
                    continue  # word2vec's first line counts words and numbers
                place = int(places(np.asarray([token(word).hash], np.uint64), terms)[0])
                if place >= 0 and place not in found:
                    found[place] = [float(number) for number in numbers]
        known = np.asarray(list(found), np.int64)
        values = np.asarray(list(found.values()), np.float32)
    except OSError as trouble:
        raise QuizwriterError(
            f"{path} cannot be read ({trouble.strerror}).", "Name a text file of word vectors."
        ) from trouble
    except ValueError:
        raise QuizwriterError(
            f"{path} does not hold word vectors.", "Name a file with a word and its numbers on each line."
        ) from None
    if values.ndim != 2:
        raise QuizwriterError(f"{path} has no vector for any word of the bundle.", "Name another file.")
    turn = np.random.default_rng(0).standard_normal((values.shape[1], WIDTH)).astype(np.float32)
    turned = values @ turn
    return 0.1 * turned / turned.std(), known


class RnnLearner(Learner):
    """Trains :class:`quizwriter.engine.neural.Rnn`, with ``directions`` one or two.

    It starts with the word vectors and the classes of a trained DAN, if there is one: what is left to learn
    is what order adds.
    """

    def __init__(self, lessons: Lessons, plan: Plan, directions: int, dan: DanLearner | None = None) -> None:
        super().__init__("rnn" if directions == 1 else "birnn", lessons, plan)
        self.directions = directions
        sequence = np.where(lessons.pointers, POINTER, lessons.stems)
        asked = sequence[lessons.asked & (sequence != 0)]
        hashes, count = np.unique(asked, return_counts=True)
        self.stems = hashes[count >= LEAST_WORD]
        self._numbers = places(sequence, self.stems).astype(np.int32)
        random = self.random
        vectors = (0.1 * random.standard_normal((len(self.stems), WIDTH))).astype(np.float32)
        if dan is not None:
            place = places(self.stems, dan.terms)
            vectors[place >= 0] = dan.vectors.table[place[place >= 0]]
            self.outputs.table[:] = dan.outputs.table
            self.biases.table[:] = dan.biases.table
        self.vectors = Rows(vectors)

        def normal(*shape: int) -> Any:
            return jnp.asarray(random.standard_normal(shape) * shape[-2] ** -0.5, jnp.float32)

        self.dense = {
            "into": normal(directions, WIDTH, 3 * UNITS),
            "across": normal(directions, UNITS, 3 * UNITS),
            "bias": jnp.zeros((directions, 3 * UNITS), jnp.float32),
            "across_bias": jnp.zeros((directions, 3 * UNITS), jnp.float32),
            "hidden": normal(directions * 2 * UNITS, HIDDEN),
            "hidden_bias": jnp.zeros(HIDDEN, jnp.float32),
        }
        self._gradient = jax.jit(jax.value_and_grad(self._loss, (0, 1, 2, 3)))
        self._waiting: Iterator[tuple[Numbers, list[Numbers]]] = iter(())
        self.start()

    def adopt(self, player: tuple[dict[str, Any], Any] | None) -> bool:
        """Begin with a trained network of one direction, so that only reading backwards is to be learnt.

        Whether it fits: it must have been trained on the same lessons.
        """
        if player is None or self.directions != 2 or len(player[0]["into"]) != 1:
            return False
        arrays = player[0]
        if not np.array_equal(arrays["stems"], self.stems) or not np.array_equal(
            arrays["classes"], self.lessons.classes
        ):
            return False
        for name in ("vectors", "outputs", "biases"):
            getattr(self, name).table[:] = arrays[name]
        for name in ("into", "across", "bias", "across_bias"):
            self.dense[name] = self.dense[name].at[0].set(arrays[name][0].astype(np.float32))
        hidden = self.dense["hidden"].at[: 2 * UNITS].set(arrays["hidden"])
        self.dense["hidden"] = hidden.at[2 * UNITS :].multiply(0.1)
        self.dense["hidden_bias"] = jnp.asarray(arrays["hidden_bias"])
        self.start()
        return True

    @staticmethod
    def _loss(
        dense: Any,
        inputs: Any,
        outputs: Any,
        biases: Any,
        ends: Any,
        taken_off: Any,
        labels: Any,
        counts: Any,
        key: Any,
    ) -> Any:
        """``inputs`` is ``[steps, batch, width]``, ``ends`` ``[batch, places]``: inputs heard at each place."""
        columns = jnp.arange(inputs.shape[1])[:, None]
        features = []
        for way in range(dense["into"].shape[0]):
            weights = {name: dense[name][way] for name in ("into", "across", "bias", "across_bias")}
            turned = inputs
            if way:  # each sequence reversed, its padding kept behind it; two directions have one place only
                back = ends[:, 0][None] - 1 - jnp.arange(inputs.shape[0])[:, None]
                turned = jnp.where(
                    (back >= 0)[:, :, None], inputs[jnp.maximum(back, 0), columns[:, 0][None]], 0.0
                )
            states = _states(weights, turned)
            means = jnp.cumsum(states, axis=0) / jnp.arange(1, len(states) + 1)[:, None, None]
            features += [states[ends - 1, columns], means[ends - 1, columns]]
        keys = jax.random.split(key)
        joined = jnp.concatenate(features, axis=-1).reshape(-1, dense["hidden"].shape[0])
        hidden = jax.nn.relu(_dropped(joined, keys[0], 0.2) @ dense["hidden"] + dense["hidden_bias"])
        hidden = _dropped(hidden, keys[1], 0.2)
        return _cross_entropy(hidden, outputs, biases, taken_off, labels, counts) / ends.shape[1]

    def batch(self) -> Any:
        """Sequences of about one length, where in each to answer, and the classes to tell apart."""
        draw, lessons = self.draw, self.lessons
        texts, sequences = self._alike()
        steps = PADDED * math.ceil(max(len(sequence) for sequence in sequences) / PADDED)
        numbers = np.full((steps, len(texts)), -1, np.int64)
        for column, sequence in enumerate(sequences):
            numbers[: len(sequence), column] = sequence
        lengths = np.asarray([len(sequence) for sequence in sequences])
        ends = lengths[:, None]
        if self.directions == 1:  # one pass answers anywhere: at the end, and at five places before it
            some = draw.random.integers(1, np.maximum(lengths, 1)[:, None] + 1, (len(texts), 5))
            ends = np.hstack([np.maximum(ends, 1), np.where(lengths[:, None] > 8, np.maximum(some, 4), some)])
        ends = np.maximum(ends, 1)
        places_in_all = ends.shape[1]
        chosen, taken_off, labels = draw.candidates(lessons.labels[texts], CANDIDATES)
        rows, flat = np.unique(numbers[numbers >= 0], return_inverse=True)
        return numbers, rows, flat, ends, (chosen, taken_off, np.repeat(labels, places_in_all))

    def _alike(self) -> tuple[Numbers, list[Numbers]]:
        """A batch of texts whose sequences are about as long as each other, so that little is padded."""
        while (drawn := next(self._waiting, None)) is None:
            self._waiting = self._pools()
        return drawn

    def _pools(self) -> Iterator[tuple[Numbers, list[Numbers]]]:
        size = self.plan.batch
        texts, sequences = self.draw.texts(8 * size + 8), []
        for text in texts.tolist():
            low, high = self.draw.stretch(text)
            start = self.lessons.starts[text]
            sequence = self._numbers[start + low : start + high]
            sequence = sequence[sequence >= 0]
            heard = sequence[self.draw.random.random(len(sequence)) >= UNHEARD / 2]
            sequences.append(heard[:LONGEST].astype(np.int64))
        order = np.argsort([len(sequence) for sequence in sequences], kind="stable")[-8 * size :]
        for part in self.draw.random.permutation(len(order) // size).tolist():
            chosen = order[part * size : (part + 1) * size]
            if len(sequences[chosen[-1]]):
                yield texts[chosen], [sequences[place] for place in chosen.tolist()]

    def learn_from(self, batch: Any, pace: float) -> None:
        """See :class:`Learner`."""
        numbers, rows, flat, ends, (chosen, taken_off, labels) = batch
        inside = numbers >= 0
        inputs = np.zeros((*numbers.shape, WIDTH), np.float32)
        inputs[inside] = self.vectors.table[rows][flat]
        counts = np.repeat(inside.any(axis=0).astype(np.float32), ends.shape[1])
        _, (dense, by_inputs, by_outputs, by_biases) = self._gradient(
            self.dense,
            inputs,
            self.outputs.table[chosen],
            self.biases.table[chosen],
            ends,
            taken_off,
            labels,
            counts,
            jax.random.PRNGKey(self.step),
        )
        rate = self.plan.rate * pace
        spread = sp.csr_matrix((np.ones(len(flat), np.float32), (flat, np.arange(len(flat)))))
        self.vectors.update(rows, spread @ np.asarray(by_inputs)[inside], rate)
        self.outputs.update(chosen, np.asarray(by_outputs), rate)
        self.biases.update(chosen, np.asarray(by_biases), rate)
        self.step_dense(jax.tree.map(lambda value: value / len(ends), dense), pace)

    def arrays(self) -> dict[str, Any]:
        """See :class:`Learner`."""
        dense = {key: np.asarray(value) for key, value in self.dense.items()}
        halves = {key: dense[key].astype(np.float16) for key in ("into", "across")}
        return {
            "classes": self.lessons.classes,
            "outputs": self.outputs.table.astype(np.float16),
            "biases": self.biases.table.copy(),
            "stems": self.stems,
            "vectors": self.vectors.table.astype(np.float16),
            **dense,
            **halves,
        }


def _states(weights: dict[str, Any], inputs: Any) -> Any:
    """The states of :class:`quizwriter.engine.neural.Units` after each input, for JAX to differentiate."""
    entering = inputs @ weights["into"] + weights["bias"]
    size = weights["across"].shape[0]

    def step(state: Any, now: Any) -> Any:
        across = state @ weights["across"] + weights["across_bias"]
        gate = jax.nn.sigmoid(now[:, : 2 * size] + across[:, : 2 * size])
        candidate = jnp.tanh(now[:, 2 * size :] + gate[:, :size] * across[:, 2 * size :])
        state = candidate + gate[:, size:] * (state - candidate)
        return state, state

    return jax.lax.scan(step, jnp.zeros((inputs.shape[1], size), inputs.dtype), entering)[1]
