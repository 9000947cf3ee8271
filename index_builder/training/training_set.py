"""What networks learn from: the texts of a bundle as labelled tokens, and batches drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from index_builder.index.tokenized_texts import tokenize_texts
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes, places
from quizwriter.errors import QuizwriterError

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Arrays = dict[str, np.ndarray[Any, Any]]

PASSAGES_PER_ARTICLE = 6
"""Networks learn from the first so many passages of each article."""

BATCH_SHARES = {PassageKind.TOSSUP: 0.65, PassageKind.BONUS: 0.25, PassageKind.ARTICLE: 0.10}
"""The share of each kind of text in a batch."""


SHORTEST_STRETCH, LONGEST_STRETCH = 8, 60
"""Tokens of the shortest stretch of a tossup that is learnt from, and of the longest from its middle."""


class TrainingSet(msgspec.Struct, frozen=True, dict=True):
    """The texts of a bundle that networks learn from: those on pages that tossups ask for.

    The pages are the classes. ``stop_words`` are the corpus stop words of the bundle.

    Shapes:
        ``classes`` are rows of pages. ``labels`` (places in ``classes``) and ``kinds`` have an entry for each
        text; ``starts[t]`` is where the tokens of text ``t`` begin in ``stems`` and ``pointers``.
    """

    classes: npt.NDArray[np.int32]
    labels: Numbers
    kinds: npt.NDArray[np.int8]
    starts: Numbers
    stems: Hashes
    pointers: npt.NDArray[np.bool_]
    stop_words: Hashes
    added: int = (
        0  # how many texts, the last ones, are of added packets: half of each batch is drawn from them
    )

    @classmethod
    def of(cls, bundle: Bundle, pages_learnt: Numbers | None = None) -> TrainingSet:
        """The training set in ``bundle``: on the pages that tossups ask for, or on these rows of pages."""
        kinds = np.asarray(bundle.array("passages/kinds.npy"))
        starts = np.asarray(bundle.array("passages/page_starts.npy"))
        pages = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        asked = np.flatnonzero(bundle.array("pages_asked.npy"))
        classes = (asked if pages_learnt is None else pages_learnt).astype(np.int32)
        number = places(pages, classes)
        # a page's articles lie behind its questions, so the first few are its opening
        article = kinds == PassageKind.ARTICLE
        before = np.cumsum(article) - article
        nth = before
        if len(before):  # half of a bundle of one question has none
            nth = before - np.repeat(before[starts[:-1].clip(max=len(before) - 1)], np.diff(starts))
        used = (number >= 0) & (~article | (nth < PASSAGES_PER_ARTICLE))
        chosen = np.flatnonzero(used)
        texts = bundle.texts("passages/texts")
        tokens = tokenize_texts([texts[int(place)] for place in chosen])
        return cls(
            classes,
            number[chosen],
            kinds[chosen],
            np.searchsorted(tokens.passages, np.arange(len(chosen) + 1)),
            tokens.stems,
            tokens.pointers,
            np.asarray(bundle.array("ir/everywhere.npy")),
        )

    def with_added(
        self, texts: Sequence[str], kinds: Sequence[PassageKind], labels: Sequence[int]
    ) -> TrainingSet:
        """This training set and the ``texts`` of added packets, whose classes are ``labels``."""
        tokens = tokenize_texts(list(texts))
        starts = np.searchsorted(tokens.passages, np.arange(1, len(texts) + 1))
        return replace(
            self,
            labels=np.append(self.labels, np.asarray(labels, np.int64)),
            kinds=np.append(self.kinds, np.asarray(kinds, self.kinds.dtype)),
            starts=np.append(self.starts, self.starts[-1] + starts),
            stems=np.append(self.stems, tokens.stems),
            pointers=np.append(self.pointers, tokens.pointers),
            added=len(texts),
        )

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def in_question(self) -> npt.NDArray[np.bool_]:
        """For each token, whether it is in a question."""
        return np.repeat(self.kinds != PassageKind.ARTICLE, np.diff(self.starts))

    @cached_property
    def class_weights(self) -> npt.NDArray[np.float64]:
        """How often each class is asked for; a bonus part counts half, and every class counts a little."""
        tossups = np.bincount(self.labels[self.kinds == PassageKind.TOSSUP], minlength=len(self.classes))
        parts = np.bincount(self.labels[self.kinds == PassageKind.BONUS], minlength=len(self.classes))
        return np.asarray(tossups + 0.5 * parts + 0.3)


class CandidateClasses(msgspec.Struct, frozen=True):
    """The classes that one step tells apart, and the labels of its texts as places among ``classes``.

    ``log_chances`` are the logarithms of the chance that each class is among the candidates.
    """

    classes: Numbers
    log_chances: Floats
    labels: Numbers


class BatchSampler:
    """Draws texts, and from a tossup a stretch: its beginning, a few sentences of it, or all of it."""

    def __init__(self, training_set: TrainingSet, seed: int) -> None:
        self.training_set = training_set
        self.random = np.random.default_rng(seed)
        self._seed = seed
        filled = np.diff(training_set.starts) > 0
        self._by_kind = {kind: np.flatnonzero(filled & (training_set.kinds == kind)) for kind in PassageKind}
        self._added = np.flatnonzero(filled & (np.arange(len(filled)) >= len(filled) - training_set.added))
        popular = training_set.class_weights**0.75
        self._popular = popular / popular.sum()
        self._cumulative = np.cumsum(self._popular)

    def begin(self, what: str, number: int) -> None:
        """Draw what belongs to ``number`` from here on, whatever was drawn before: a stop changes nothing."""
        self.random = np.random.default_rng([self._seed, number, *what.encode()])

    @property
    def tossups(self) -> int:
        """How many tossups there are to draw from."""
        return len(self._by_kind[PassageKind.TOSSUP])

    def shares(self, batch: int) -> dict[PassageKind, int]:
        """How many texts of each kind there are in a batch of about ``batch``, by :data:`BATCH_SHARES`."""
        return {
            kind: round(batch * BATCH_SHARES[kind]) for kind, texts in self._by_kind.items() if len(texts)
        }

    def texts(self, batch: int) -> Numbers:
        """Numbers of about ``batch`` texts, see :meth:`shares`; with repeats; half are added if some are."""
        drawn = [self.random.choice(self._by_kind[kind], size) for kind, size in self.shares(batch).items()]
        texts = np.concatenate(drawn)
        if len(self._added):
            self.random.shuffle(texts)
            half = len(texts) // 2
            texts[:half] = self.random.choice(self._added, half)
        return texts

    def stretches(self, texts: Numbers) -> tuple[Numbers, Numbers]:
        """Where the words to be learnt of each of ``texts`` begin and end, as tokens of the training set."""
        starts, random = self.training_set.starts[texts], self.random
        lengths = self.training_set.starts[texts + 1] - starts
        low, high = np.zeros(len(texts), np.int64), lengths.copy()
        way = np.where(
            (self.training_set.kinds[texts] == PassageKind.TOSSUP) & (lengths > SHORTEST_STRETCH),
            random.random(len(texts)),
            1.0,
        )
        begun = way < 0.35
        high[begun] = random.integers(SHORTEST_STRETCH, lengths[begun] + 1)
        within = (way >= 0.35) & (way < 0.85)
        sizes = random.integers(SHORTEST_STRETCH, np.minimum(lengths[within], LONGEST_STRETCH) + 1)
        low[within] = random.integers(0, lengths[within] - sizes + 1)
        high[within] = low[within] + sizes
        return starts + low, starts + high

    def candidates(self, labels: Numbers, wanted: int) -> CandidateClasses:
        """About ``wanted`` classes to tell apart, all of ``labels`` among them.

        The others are drawn by how often they are asked for. Where too few are drawn, all classes are taken.

        Source:
            Bengio and Senécal, "Adaptive Importance Sampling" (2008): the softmax over drawn classes is
            unbiased if the logarithm of the chance to be drawn is taken off their scores.
        """
        classes = len(self._popular)
        present = np.unique(labels)
        wanted = max(wanted, len(present))
        everyone = CandidateClasses(np.arange(classes), np.zeros(classes, np.float32), labels)
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
        return CandidateClasses(chosen, np.log(np.clip(chance, 1e-6, 1)).astype(np.float32), place[labels])


def concatenated_ranges(starts: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers of all ranges one after the other, and for each number the range that it is of."""
    sizes = np.maximum(ends - starts, 0)
    owner = np.repeat(np.arange(len(starts)), sizes)
    first = np.cumsum(sizes) - sizes
    return np.arange(len(owner)) - first[owner] + starts[owner], owner


def terms_seen(times: int, hashes: Hashes) -> tuple[Hashes, Numbers]:
    """The terms that occur at least so many times among ``hashes``, sorted, and how often each occurs."""
    found, count = np.unique(hashes, return_counts=True)
    enough = count >= times
    return found[enough], count[enough]


def words_seen(hashes: Hashes) -> tuple[Hashes, Numbers]:
    """The words among ``hashes``, which are all words in questions, sorted, and how often each occurs."""
    words, count = terms_seen(1, hashes)
    if count.max(initial=0) < 2:
        raise QuizwriterError(
            "There is too little in the bundle for a network to learn from: no word is in two questions, or "
            "each is in nearly all of them.",
            "Build it from more tossups with their answers.",
        )
    return words, count
