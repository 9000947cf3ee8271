"""Train the networks: what they learn from, how a step goes, and how to go on after a stop.

Both networks have tens of thousands of word vectors and classes, of which a batch touches few. So a step
takes the rows it needs, has JAX work out the gradients of the small dense part, and puts the rows back:
word vectors and classes are updated where they were used (Adagrad, one rate a row), the rest with Adam.
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
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax
import scipy.sparse as sp

from index_builder.index import tokenise
from quizwriter.atomic import atomic_write
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.networks import POINTER, vectors_of
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes, places, terms_of, token
from quizwriter.errors import QuizwriterError

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Arrays = dict[str, np.ndarray[Any, Any]]
Dense = dict[str, jax.Array]

WIDTH = 200  # of a word's vector
HIDDEN = 256  # units between the words and the classes
UNITS = 256  # of the RNN, in each direction
CANDIDATES = 6144  # classes told apart in one step: those of the batch, the rest drawn
UNHEARD = 0.3  # share of the words left out at random, anew each time
ARTICLES = 6  # passages from each article that are learnt from
SHARES = {PassageKind.TOSSUP: 0.65, PassageKind.BONUS: 0.25, PassageKind.ARTICLE: 0.10}  # of a batch
LEAST_PAIR = 2  # times a pair must occur in questions to have a vector; for a word once is enough
LEAST_WIDTH = 10  # numbers for a word; files of word vectors have 25 and more
LONGEST = 96  # words an RNN learns from at once
PADDED = 32  # sequences are made so long, or twice or thrice as long: for each JAX compiles a step of its own
POOL = 8  # batches of an RNN that are drawn together, so that each has sequences of one length
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
        article = kinds == PassageKind.ARTICLE
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
        return np.repeat(self.kinds != PassageKind.ARTICLE, np.diff(self.starts))

    @cached_property
    def weight_of_class(self) -> npt.NDArray[np.float64]:
        """How often each class is asked for; a bonus part counts half, and all have a little."""
        tossups = np.bincount(self.labels[self.kinds == PassageKind.TOSSUP], minlength=len(self.classes))
        parts = np.bincount(self.labels[self.kinds == PassageKind.BONUS], minlength=len(self.classes))
        return np.asarray(tossups + 0.5 * parts + 0.3)


@dataclass(frozen=True)
class Choice:
    """Classes to tell apart, the logarithm of each one's chance to be among them, and labels as places."""

    classes: Numbers
    taken_off: Floats
    labels: Numbers


class Draw:
    """Draws texts, and from a tossup a stretch: a beginning, a few sentences' worth, or all of it."""

    def __init__(self, lessons: Lessons, seed: int) -> None:
        self.lessons = lessons
        self.random = np.random.default_rng(seed)
        self._seed = seed
        filled = np.diff(lessons.starts) > 0
        self._by_kind = {kind: np.flatnonzero(filled & (lessons.kinds == kind)) for kind in PassageKind}
        popular = lessons.weight_of_class**0.75
        self._popular = popular / popular.sum()
        self._cumulative = np.cumsum(self._popular)

    def begin(self, what: str, number: int) -> None:
        """Draw from here on what belongs to ``number``, so that a stop changes nothing."""
        self.random = np.random.default_rng([self._seed, number, *what.encode()])

    @property
    def tossups(self) -> int:
        """How many tossups there are to draw from."""
        return len(self._by_kind[PassageKind.TOSSUP])

    def shares(self, batch: int) -> dict[PassageKind, int]:
        """How many texts of each kind there are in a batch of about ``batch``, by :data:`SHARES`."""
        return {kind: round(batch * SHARES[kind]) for kind, texts in self._by_kind.items() if len(texts)}

    def texts(self, batch: int) -> Numbers:
        """Numbers of about ``batch`` texts, see :meth:`shares`; with repeats."""
        drawn = [self.random.choice(self._by_kind[kind], size) for kind, size in self.shares(batch).items()]
        return np.concatenate(drawn)

    def stretch(self, text: int) -> tuple[int, int]:
        """Where the words to be learnt begin and end, counted in tokens from the start of the text."""
        length = int(self.lessons.starts[text + 1] - self.lessons.starts[text])
        if self.lessons.kinds[text] != PassageKind.TOSSUP or length <= 8:
            return 0, length
        way = self.random.random()
        if way < 0.35:
            return 0, int(self.random.integers(8, length + 1))
        if way < 0.85:
            size = int(self.random.integers(8, min(length, 60) + 1))
            start = int(self.random.integers(0, length - size + 1))
            return start, start + size
        return 0, length

    def candidates(self, labels: Numbers, wanted: int) -> Choice:
        """About ``wanted`` classes to tell apart, all of ``labels`` among them.

        The others are drawn by how often they are asked for. Taking the logarithm of the chance to be drawn
        off the scores makes their softmax unbiased (Bengio and Senécal, 2008). Where too few are drawn, all
        classes are taken: there are two sizes at most, as JAX compiles a step for each.
        """
        classes = len(self._popular)
        present = np.unique(labels)
        wanted = max(wanted, len(present))
        everyone = Choice(np.arange(classes), np.zeros(classes, np.float32), labels)
        if wanted >= classes:
            return everyone
        drawn = np.unique(
            np.searchsorted(self._cumulative, self.random.random(2 * wanted)).clip(max=classes - 1)
        )
        others = np.setdiff1d(drawn, present)
        if len(present) + len(others) < wanted:
            return everyone
        self.random.shuffle(others)
        chosen = np.concatenate([present, others])[:wanted]
        chance = 1 - (1 - self._popular[chosen]) ** (2 * wanted)
        chance *= min(1.0, (wanted - len(present)) / max(1, len(others)))
        by_batch = 1 - np.exp(-len(labels) * self._popular[present])
        chance[: len(present)] = np.maximum(chance[: len(present)], by_batch)
        place = np.zeros(classes, np.int64)
        place[chosen] = np.arange(wanted)
        return Choice(chosen, np.log(np.clip(chance, 1e-6, 1)).astype(np.float32), place[labels])


@dataclass
class Rows:
    """A table of which a step touches few rows: Adagrad with one rate a row."""

    table: Floats
    squares: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.squares = np.full(len(self.table), STARTING, np.float32)

    def update(self, rows: npt.NDArray[np.integer[Any]], gradient: Floats, rate: float) -> None:
        """One step down ``gradient``, that of the table's ``rows``, none twice."""
        self.squares[rows] += (gradient * gradient).mean(axis=tuple(range(1, gradient.ndim)))
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
    units: int = UNITS


Watch = Callable[[float, Callable[[], Arrays]], bool]
"""Is told the share done and how to get the weights so far; says whether to go on."""

Step = Callable[[float], None]
"""Takes a step at so many times the plan's rates."""


class Learnt(NamedTuple):
    """What a step changes: dense weights, the words' vectors as a learner takes them in, and the classes."""

    dense: Dense
    inputs: jax.Array
    outputs: jax.Array
    biases: jax.Array


class Given(NamedTuple):
    """What a step learns from.

    ``ends`` are those of :func:`features_of`; ``taken_off`` and ``labels`` those of a :class:`Choice`;
    ``counts`` is 0 for padding; ``key`` draws what is dropped.
    """

    ends: jax.Array | None
    taken_off: jax.Array
    labels: jax.Array
    counts: jax.Array
    key: jax.Array


class Learner(ABC):
    """What the training of both networks shares: the classes, the dense weights, the clock, the stop."""

    def __init__(self, name: str, lessons: Lessons, plan: Plan, terms: Hashes) -> None:
        """``terms`` are those that will have a vector."""
        self.name = name
        self.lessons = lessons
        self.plan = plan
        self.terms = terms
        self.draw = Draw(lessons, plan.seed)
        self._random = np.random.default_rng(plan.seed + 1)  # what the weights begin as
        classes = len(lessons.classes)
        self.outputs = Rows((0.02 * self._random.standard_normal((classes, HIDDEN))).astype(np.float32))
        self.biases = Rows((0.5 * np.log(lessons.weight_of_class)).astype(np.float32))
        self.vectors = Rows((0.1 * self._random.standard_normal((len(terms), WIDTH))).astype(np.float32))
        self.dense = self._start()
        self.steps = max(
            1, math.ceil(plan.passes * self.draw.tossups / (plan.batch * SHARES[PassageKind.TOSSUP]))
        )
        self.step = 0
        self.spent = 0.0
        self._state = _ADAM.init(self.dense)

    def learn(self, watch: Watch) -> None:
        """All the steps that are left, the next batch drawn while the one before is worked on."""
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
        """The weights, as the players in quizwriter.engine.networks take them."""

    @abstractmethod
    def _start(self) -> Dense:
        """The dense weights to begin with."""

    @staticmethod
    @abstractmethod
    def loss(learnt: Learnt, given: Given) -> jax.Array:
        """What a step makes smaller: the sum of cross-entropies, as :func:`_cross_entropy` has it."""

    def _descend(
        self,
        number: int,
        pace: float,
        inputs: Floats,
        ends: Numbers | None,
        choice: Choice,
        counts: Floats,
    ) -> Floats:
        """Step ``number`` for all but the word vectors; the gradient by ``inputs``."""
        outputs, biases = self.outputs.table[choice.classes], self.biases.table[choice.classes]
        by = _gradient(self.loss)(
            Learnt(self.dense, jnp.asarray(inputs), jnp.asarray(outputs), jnp.asarray(biases)),
            Given(
                None if ends is None else jnp.asarray(ends),
                jnp.asarray(choice.taken_off),
                jnp.asarray(choice.labels),
                jnp.asarray(counts),
                jax.random.PRNGKey(number),
            ),
        )
        self.outputs.update(choice.classes, np.asarray(by.outputs), self.plan.rate * pace)
        self.biases.update(choice.classes, np.asarray(by.biases), self.plan.rate * pace)
        texts = len(counts) if ends is None else len(ends)
        rate = self.plan.dense_rate * pace
        self.dense, self._state = _update(self.dense, by.dense, self._state, texts, rate)
        found: Floats = np.asarray(by.inputs)
        return found

    def _take_tables(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Begin with the vectors and classes of a trained network."""
        self.vectors.table[:] = vectors_of(arrays, np.arange(len(self.terms)))
        self.outputs.table[:], self.biases.table[:] = arrays["outputs"], arrays["biases"]

    def _tables_kept(self) -> Arrays:
        """Vectors and classes as the players take them, vectors in bytes: halves would be twice as long."""
        largest = np.abs(self.vectors.table).max(axis=1, initial=1e-12)
        scales = (largest / 127).astype(np.float32)
        return {
            "terms": self.terms,
            "everywhere": self.lessons.everywhere,
            "vectors": np.rint(self.vectors.table / scales[:, None]).astype(np.int8),
            "scales": scales,
            "classes": self.lessons.classes,
            "outputs": self.outputs.table.astype(np.float16),
            "biases": self.biases.table.copy(),
        }

    @property
    def _tables(self) -> dict[str, Rows]:
        return {"outputs": self.outputs, "biases": self.biases, "vectors": self.vectors}

    @property
    def _learnt_from(self) -> str:
        """Names the terms and classes, so that a training does not go on with others."""
        known = hashlib.sha256(self.terms.tobytes())
        known.update(self.lessons.classes.tobytes())
        return known.hexdigest()[:16]

    def save(self, folder: Path) -> None:
        """Keep all that is needed to go on, so that a stop at any moment loses minutes at most.

        Raises:
            QuizwriterError: the disk does not take it.
        """
        about = {"step": self.step, "spent": self.spent, "learnt_from": self._learnt_from}
        kept = {
            "about": np.asarray(json.dumps(about)),
            **{f"dense.{key}": np.asarray(value) for key, value in self.dense.items()},
            **{f"state{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(self._state))},
            **{f"{name}.table": rows.table for name, rows in self._tables.items()},
            **{f"{name}.squares": rows.squares for name, rows in self._tables.items()},
        }
        with atomic_write(
            folder / f"{self.name}.npz",
            problem=f"The training could not be kept in {folder}",
            remedy="Make room or allow writing there; the same command goes on from where it was last kept.",
            make_folder=True,
        ) as file:
            np.savez(file, allow_pickle=False, **kept)

    def resume(self, folder: Path) -> bool:
        """Go on where :meth:`save` was; whether there was anything that fits."""
        leaves, shape = jax.tree.flatten(self._state)
        try:
            path = folder / f"{self.name}.npz"
            with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
                about = json.loads(str(kept["about"]))
                tables = {name: (kept[f"{name}.table"], kept[f"{name}.squares"]) for name in self._tables}
                dense = {key: jnp.asarray(kept[f"dense.{key}"]) for key in self.dense}
                state = [jnp.asarray(kept[f"state{i}"]) for i in range(len(leaves))]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):  # none, or damaged
            return False
        if about.get("learnt_from", self._learnt_from) != self._learnt_from or any(
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
def _gradient(loss: Callable[[Learnt, Given], jax.Array]) -> Callable[[Learnt, Given], Learnt]:
    """The gradient of a learner's loss by all that is learnt; compiled once, whoever learns."""
    return jax.jit(jax.grad(loss))


def _cross_entropy(hidden: jax.Array, learnt: Learnt, given: Given) -> jax.Array:
    """The sum of the cross-entropies of the labels among the candidates."""
    scores = hidden @ learnt.outputs.T + learnt.biases - given.taken_off
    own = jnp.take_along_axis(scores, given.labels[:, None], axis=1)[:, 0]
    return ((jax.nn.logsumexp(scores, axis=1) - own) * given.counts).sum()


def _dropped(values: jax.Array, key: jax.Array, share: float) -> jax.Array:
    return values * jax.random.bernoulli(key, 1 - share, values.shape) / (1 - share)


def _at_least(times: int, hashes: Hashes) -> tuple[Hashes, Numbers]:
    """What is so many times or more among ``hashes``, sorted, and how many times."""
    found, count = np.unique(hashes, return_counts=True)
    enough = count >= times
    return found[enough], count[enough]


def _words(hashes: Hashes) -> tuple[Hashes, Numbers]:
    """The words asked, sorted, and how often each is; ``hashes`` are all that questions say.

    Raises:
        QuizwriterError: none is asked twice, so that nothing learnt of one question would serve another.
    """
    words, count = _at_least(1, hashes)
    if count.max(initial=0) < 2:
        raise QuizwriterError(
            "There is too little in the bundle for a network to learn from: no word is in two questions.",
            "Build it from more tossups with their answers.",
        )
    return words, count


class DanLearner(Learner):
    """Trains :class:`quizwriter.engine.networks.Dan`."""

    def __init__(self, lessons: Lessons, plan: Plan, words: Path | None = None) -> None:
        """``words`` is a text file of word vectors to start from; see :func:`vectors_in`."""
        owner = np.repeat(np.arange(len(lessons), dtype=np.int32), np.diff(lessons.starts))
        sorts = list(terms_of(lessons.stems, lessons.pointers, owner, lessons.everywhere))
        asked = [terms.hashes[lessons.asked[terms.last]] for terms in sorts]
        found = [_words(asked[0]), _at_least(LEAST_PAIR, asked[1]), _at_least(1, asked[2])]
        vocabulary, counts = zip(*found, strict=True)
        hashes = np.concatenate(vocabulary)
        order = np.argsort(hashes)
        super().__init__("dan", lessons, plan, hashes[order])
        seen = np.concatenate(counts)[order]
        questions = max(1, int(np.count_nonzero(lessons.kinds != PassageKind.ARTICLE)))
        self.emphasis = np.maximum(np.log(2.0 * questions / (seen + 1)), 0.5).astype(np.float32)

        numbers = [places(terms.hashes, self.terms).astype(np.int32) for terms in sorts]
        number = np.concatenate(numbers)
        first, last = (np.concatenate([getattr(terms, end) for terms in sorts]) for end in ("first", "last"))
        order = np.flatnonzero(number >= 0)
        order = order[np.argsort(last[order], kind="stable")]
        self._numbers, self._first, self._last = number[order], first[order], last[order]
        self._starts = np.searchsorted(self._last, lessons.starts)
        if words is not None:
            vectors, known = vectors_in(words, self.terms)
            self.vectors.table[known] = vectors

    def adopt(self, player: tuple[Mapping[str, np.ndarray[Any, Any]], Mapping[str, Any]] | None) -> bool:
        """Take over the vectors and classes of a DAN trained on the same lessons; whether they fit."""
        if player is None:
            return False
        arrays, _ = player
        if not np.array_equal(arrays["terms"], self.terms):
            return False
        if not np.array_equal(arrays["classes"], self.lessons.classes):
            return False
        self._take_tables(arrays)
        return True

    def _start(self) -> Dense:
        return {
            "hidden": jnp.asarray(self._random.standard_normal((WIDTH, HIDDEN)) * WIDTH**-0.5, jnp.float32),
            "hidden_bias": jnp.zeros(HIDDEN, jnp.float32),
        }

    @staticmethod
    def loss(learnt: Learnt, given: Given) -> jax.Array:
        """``inputs`` are means, ``[batch, width]``; there are no ``ends``."""
        dense = learnt.dense
        hidden = jax.nn.relu(learnt.inputs @ dense["hidden"] + dense["hidden_bias"])
        return _cross_entropy(_dropped(hidden, given.key, 0.2), learnt, given)

    def prepare(self, number: int) -> Step:
        """Averages as a sparse matrix, the rows of vectors it multiplies, and the classes to tell apart."""
        self.draw.begin("batch", number)
        texts = self.draw.texts(self.plan.batch)
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
        choice = self.draw.candidates(self.lessons.labels[texts], CANDIDATES)
        counts = (sizes > 0).astype(np.float32)

        def take(pace: float) -> None:
            by_means = self._descend(number, pace, average @ self.vectors.table[rows], None, choice, counts)
            self.vectors.update(rows, spread @ by_means, self.plan.rate * pace)

        return take

    def _bag(self, text: int) -> npt.NDArray[np.int32]:
        """The terms of a stretch of a text, less those that are not heard this time."""
        low, high = (self.lessons.starts[text] + end for end in self.draw.stretch(text))
        start, end = self._starts[text], self._starts[text + 1]
        start, end = start + np.searchsorted(self._last[start:end], (low, high))
        terms = self._numbers[start:end][self._first[start:end] >= low]
        heard: npt.NDArray[np.int32] = terms[self.draw.random.random(len(terms)) >= UNHEARD]
        return heard if len(heard) else terms

    def arrays(self) -> Arrays:
        """See :class:`Learner`."""
        return {
            **self._tables_kept(),
            "emphasis": self.emphasis,
            **{key: np.asarray(value) for key, value in self.dense.items()},
        }


def vectors_in(path: Path, terms: Hashes) -> tuple[Floats, Numbers]:
    """The vectors in a GloVe or word2vec text file for words among ``terms``, and which these are.

    Where two words have one stem, the first in the file counts: such files begin with the commonest. The
    vectors are turned at random to :data:`WIDTH` numbers, which keeps their distances, and scaled as ours
    begin.

    Raises:
        QuizwriterError: the file cannot be read, or is none.
    """
    found: dict[int, Floats] = {}
    width = 0
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                width = width or len(line.split()) - 1
                if width == 1:  # word2vec's first line counts words and numbers
                    width = 0
                    continue
                word, *numbers = line.rstrip().rsplit(" ", width)  # a "word" may hold spaces
                place = int(places(np.asarray([token(word).hash], np.uint64), terms)[0])
                if place >= 0 and place not in found:
                    found[place] = np.asarray(numbers, np.float32)
        values = np.asarray(list(found.values()), np.float32)
        if not np.isfinite(values).all() or (found and width < LEAST_WIDTH):
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
    turn = np.random.default_rng(0).standard_normal((values.shape[1], WIDTH)).astype(np.float32)
    turned = values @ turn
    return 0.1 * turned / max(float(turned.std()), 1e-6), np.asarray(list(found), np.int64)


class RnnLearner(Learner):
    """Trains :class:`quizwriter.engine.networks.Rnn`, with ``directions`` one or two.

    It starts with the word vectors and the classes of a trained DAN, if there is one: what is left to learn
    is what order adds.
    """

    def __init__(self, lessons: Lessons, plan: Plan, directions: int, dan: DanLearner | None = None) -> None:
        sequence = np.where(lessons.pointers, POINTER, lessons.stems)
        words, _ = _words(sequence[lessons.asked & (sequence != 0)])
        owner = np.repeat(np.arange(len(lessons), dtype=np.int32), np.diff(lessons.starts))
        _, found, _ = terms_of(lessons.stems, lessons.pointers, owner, lessons.everywhere)
        pairs, _ = _at_least(LEAST_PAIR, found.hashes[lessons.asked[found.last]])
        self.directions = directions
        name = "rnn" if directions == 1 else "birnn"
        super().__init__(name, lessons, plan, np.sort(np.concatenate([words, pairs])))
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
        drawn = sum(self.draw.shares(POOL * plan.batch + POOL).values())
        self._size = min(plan.batch, drawn)
        self._per_pool = min(POOL, drawn // self._size)
        self._pool = lru_cache(maxsize=1)(self._draw_pool)

    def _start(self) -> Dense:
        def normal(*shape: int) -> jax.Array:
            return jnp.asarray(self._random.standard_normal(shape) * shape[-2] ** -0.5, jnp.float32)

        directions, units = self.directions, self.plan.units
        return {
            "into": normal(directions, WIDTH, 3 * units),
            "across": normal(directions, units, 3 * units),
            "bias": jnp.zeros((directions, 3 * units), jnp.float32),
            "across_bias": jnp.zeros((directions, 3 * units), jnp.float32),
            "hidden": normal(directions * 2 * units, HIDDEN),
            "hidden_bias": jnp.zeros(HIDDEN, jnp.float32),
        }

    def adopt(self, player: tuple[Mapping[str, np.ndarray[Any, Any]], Mapping[str, Any]] | None) -> bool:
        """Begin with a trained network of one direction, so that only reading backwards is to be learnt.

        Whether it fits: it must have been trained on the same lessons.
        """
        if player is None or self.directions != 2 or len(player[0]["into"]) != 1:
            return False
        arrays = player[0]
        if not np.array_equal(arrays["terms"], self.terms) or not np.array_equal(
            arrays["classes"], self.lessons.classes
        ):
            return False
        self._take_tables(arrays)
        for name in ("into", "across", "bias", "across_bias"):
            self.dense[name] = self.dense[name].at[0].set(arrays[name][0].astype(np.float32))
        hidden = self.dense["hidden"].at[: 2 * self.plan.units].set(arrays["hidden"])
        self.dense["hidden"] = hidden.at[2 * self.plan.units :].multiply(0.1)
        self.dense["hidden_bias"] = jnp.asarray(arrays["hidden_bias"])
        return True

    @staticmethod
    def loss(learnt: Learnt, given: Given) -> jax.Array:
        """``inputs`` and ``ends`` are those of :func:`features_of`."""
        assert given.ends is not None
        dense, keys = learnt.dense, jax.random.split(given.key)
        features = _dropped(features_of(dense, learnt.inputs, given.ends), keys[0], 0.2)
        hidden = _dropped(jax.nn.relu(features @ dense["hidden"] + dense["hidden_bias"]), keys[1], 0.2)
        return _cross_entropy(hidden, learnt, given) / given.ends.shape[1]

    def prepare(self, number: int) -> Step:
        """Sequences of about one length, where in each to answer, and the classes to tell apart."""
        pool, part = divmod(number, self._per_pool)
        texts, sequences = self._pool(pool)[part]
        self.draw.begin("batch", number)
        lengths = np.asarray([sequence.shape[1] for sequence in sequences])
        steps = PADDED * max(1, math.ceil(lengths.max() / PADDED))
        numbers, pairs = np.full((2, steps, len(texts)), -1, np.int64)
        for column, sequence in enumerate(sequences):
            numbers[: sequence.shape[1], column], pairs[: sequence.shape[1], column] = sequence
        ends = np.maximum(lengths, 1)[:, None]
        if self.directions == 1:  # one pass answers anywhere: at the end, and at five places before it
            some = self.draw.random.integers(1, ends + 1, (len(texts), 5))
            ends = np.hstack([ends, np.where(ends > 8, np.maximum(some, 4), some)])
        choice = self.draw.candidates(self.lessons.labels[texts], CANDIDATES)
        choice = replace(choice, labels=np.repeat(choice.labels, ends.shape[1]))
        counts = np.repeat((lengths > 0).astype(np.float32), ends.shape[1])
        inside = numbers >= 0
        completes = np.flatnonzero(pairs[inside] >= 0)  # which of those heard complete a pair
        heard = np.concatenate([numbers[inside], pairs[inside][completes]])
        told = int(np.count_nonzero(inside))
        columns = np.concatenate([np.arange(told), completes])
        rows, flat = np.unique(heard, return_inverse=True)
        spread = sp.csr_matrix((np.ones(len(flat), np.float32), (flat, columns)), shape=(len(rows), told))
        gather = spread.T.tocsr()

        def take(pace: float) -> None:
            inputs = np.zeros((*numbers.shape, WIDTH), np.float32)
            inputs[inside] = gather @ self.vectors.table[rows]
            by_inputs = self._descend(number, pace, inputs, ends, choice, counts)
            self.vectors.update(rows, spread @ by_inputs[inside], self.plan.rate * pace)

        return take

    def _draw_pool(self, number: int) -> list[tuple[Numbers, list[npt.NDArray[np.int32]]]]:
        """Batches of texts whose sequences are about as long as each other, so that little is padded.

        Shapes:
            A sequence: ``[2, tokens]``, rows of vectors, those of words and those of the pairs they complete.
        """
        self.draw.begin("pool", number)
        texts, sequences = self.draw.texts(POOL * self.plan.batch + POOL), []
        for text in texts.tolist():
            low, high = (self.lessons.starts[text] + end for end in self.draw.stretch(text))
            tokens = low + np.flatnonzero(self._numbers[low:high] >= 0)
            tokens = tokens[self.draw.random.random(len(tokens)) >= UNHEARD / 2][:LONGEST]
            complete = (self._first[tokens] >= low) & (self.draw.random.random(len(tokens)) >= UNHEARD / 2)
            sequences.append(np.stack([self._numbers[tokens], np.where(complete, self._pairs[tokens], -1)]))
        order = np.argsort([sequence.shape[1] for sequence in sequences], kind="stable")
        order = order[-self._per_pool * self._size :]
        parts = np.split(order, self._per_pool)
        shuffled = [parts[part] for part in self.draw.random.permutation(self._per_pool).tolist()]
        return [(texts[part], [sequences[place] for place in part.tolist()]) for part in shuffled]

    def arrays(self) -> Arrays:
        """See :class:`Learner`."""
        dense = {key: np.asarray(value) for key, value in self.dense.items()}
        halves = {key: dense[key].astype(np.float16) for key in ("into", "across")}
        return {**self._tables_kept(), **dense, **halves}


def features_of(dense: Mapping[str, jax.Array], inputs: jax.Array, ends: jax.Array) -> jax.Array:
    """What an RNN's hidden layer is told at each place, for JAX to differentiate.

    Shapes:
        ``inputs``: ``[steps, batch, width]``. ``ends``: ``[batch, places]``, inputs heard at each place; one
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
    """The states of :class:`quizwriter.engine.networks.GatedUnits` after each input."""
    size = across.shape[0]

    def step(state: jax.Array, now: jax.Array) -> tuple[jax.Array, jax.Array]:
        told = state @ across + across_bias
        gate = jax.nn.sigmoid(now[:, : 2 * size] + told[:, : 2 * size])
        candidate = jnp.tanh(now[:, 2 * size :] + gate[:, :size] * told[:, 2 * size :])
        state = candidate + gate[:, size:] * (state - candidate)
        return state, state

    return jax.lax.scan(step, jnp.zeros((inputs.shape[1], size), inputs.dtype), inputs @ into + bias)[1]
