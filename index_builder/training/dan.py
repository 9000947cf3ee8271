"""The training of the deep averaging network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import coo_array, diags_array
from torch import Tensor

from index_builder.training.learner import (
    SAMPLED_CLASSES,
    Batch,
    Learner,
    LearningTask,
    NetworkTraining,
    Schedule,
    TrainingPlan,
)
from index_builder.training.page_classifier import VECTOR_SPREAD, Bags, NetworkSize, PageClassifier, tensor
from index_builder.training.training_set import (
    Arrays,
    Floats,
    Numbers,
    TrainingSet,
    concatenated_ranges,
    terms_seen,
    words_seen,
)
from quizwriter.domain.players import DAN
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes, places, terms_of, token
from quizwriter.errors import QuizwriterError, translate_reading_errors

DROPPED_WORDS = 0.3
"""The share of a text's terms that are left out at random, other terms each time."""

MINIMUM_PAIR_COUNT = 2
"""Times a pair must occur in questions to have a vector; for a word once is enough."""

MINIMUM_VECTOR_WIDTH = 10
"""Numbers for a word in a file of word vectors; such files have 25 and more."""


class DanModule(PageClassifier[Bags]):
    """A deep averaging network: the mean of the word vectors is all that is known of the words.

    Source:
        Iyyer et al., "Deep Unordered Composition Rivals Syntactic Methods for Text Classification", ACL 2015:
        section 3.2 for the network, and 3.3 for the words that are dropped while it learns.
    """

    def __init__(self, terms: int, classes: int, size: NetworkSize, *, sparse: bool = True) -> None:
        super().__init__(terms, classes, size.width, size, sparse=sparse)

    def features(self, inputs: Bags) -> Tensor:
        """The means of the vectors, because the weights of each bag add up to one: ``[bags, width]``."""
        found: Tensor = self.vectors(inputs.terms, inputs.starts, per_sample_weights=inputs.weights)
        return found


class DanLearner(Learner[Bags, DanModule]):
    """Trains :class:`quizwriter.engine.dan.Dan`."""

    def __init__(
        self, training_set: TrainingSet, plan: TrainingPlan, words: Path | None = None, device: str = "cpu"
    ) -> None:
        """``words`` is a text file of word vectors for :meth:`start`; see :func:`read_word_vectors`."""
        owner = np.repeat(np.arange(len(training_set), dtype=np.int32), np.diff(training_set.starts))
        sorts = list(terms_of(training_set.stems, training_set.pointers, owner, training_set.stop_words))
        asked = [terms.hashes[training_set.in_question[terms.last]] for terms in sorts]
        found = [words_seen(asked[0]), terms_seen(MINIMUM_PAIR_COUNT, asked[1]), terms_seen(1, asked[2])]
        vocabulary, counts = zip(*found, strict=True)
        hashes = np.concatenate(vocabulary)
        order = np.argsort(hashes)
        super().__init__(DAN, training_set, plan, hashes[order], device)
        seen = np.concatenate(counts)[order]
        questions = max(1, int(np.count_nonzero(training_set.kinds != PassageKind.ARTICLE)))
        self.emphasis = np.maximum(np.log(2.0 * questions / (seen + 1)), 0.5).astype(np.float32)

        numbers = [places(terms.hashes, self.terms).astype(np.int32) for terms in sorts]
        number = np.concatenate(numbers)
        first, last = (np.concatenate([getattr(terms, end) for terms in sorts]) for end in ("first", "last"))
        order = np.flatnonzero(number >= 0)
        order = order[np.argsort(last[order], kind="stable")]
        self._numbers, self._first, self._last = number[order], first[order], last[order]
        self._words = words

    def start(self) -> None:
        """Give each term a vector that says already on which classes it occurs.

        A vector that begins at random is learnt only as often as its term is drawn, and most terms are rare.
        """
        with torch.no_grad():
            latent = tensor(self._latent_vectors()).to(self.device)
            known = (latent != 0).any(dim=1)
            self.module.vectors.weight[known, : latent.shape[1]] = latent[known]
            if self._words is not None:
                vectors, rows = read_word_vectors(self._words, self.terms, self.plan.size.width)
                self.module.vectors.weight[tensor(rows).to(self.device)] = tensor(vectors).to(self.device)

    def go_on(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """See :meth:`Learner.go_on`; terms keep their emphasis, too."""
        super().go_on(arrays)
        place = places(self.terms, np.asarray(arrays["terms"]))
        self.emphasis[place >= 0] = np.asarray(arrays["emphasis"])[place[place >= 0]]

    def _latent_vectors(self) -> Floats:
        """Latent semantic analysis of the terms by the classes on which they occur.

        Shapes:
            ``[terms, dimensions]``: as many dimensions as a vector has numbers, or fewer where there are few
            classes. A term that is on no class has zeros.

        Source:
            Deerwester et al., "Indexing by Latent Semantic Analysis", JASIS 41 (1990).
        """
        from sklearn.decomposition import TruncatedSVD
        from sklearn.preprocessing import normalize

        classes, width = len(self.training_set.classes), self.plan.size.width
        text = np.searchsorted(self.training_set.starts, self._last, side="right") - 1
        cells = (self._numbers, self.training_set.labels[text])
        shape = (len(self.terms), classes)
        counts = coo_array((np.ones(len(text), np.float32), cells), shape).tocsr()  # adds up equal cells
        counts.data = np.log1p(counts.data)
        weighed = normalize(normalize(diags_array(self.emphasis) @ counts, axis=0), axis=1)
        dimensions = min(width, min(shape) - 1)
        if not dimensions:
            return np.zeros((len(self.terms), 0), np.float32)
        analysis = TruncatedSVD(dimensions, n_iter=2, random_state=self.plan.seed)
        found = normalize(analysis.fit_transform(weighed))
        return np.asarray(VECTOR_SPREAD * dimensions**0.5 * found, np.float32)

    def _module(self, *, sparse: bool) -> DanModule:
        return DanModule(len(self.terms), len(self.training_set.classes), self.plan.size, sparse=sparse)

    def adopt(self, player: tuple[Mapping[str, np.ndarray[Any, Any]], object] | None) -> bool:
        """Take over vectors and classes of a DAN of the same training set; False if they do not fit."""
        if player is None or not self.fits(player[0]):
            return False
        self.module.load_tables(player[0])
        return True

    def draw(self, number: int) -> Batch[Bags]:
        """Means of the terms of stretches of texts, and the classes to tell apart."""
        self.sampler.begin("batch", number)
        texts = self.sampler.texts(self.plan.batch)
        low, high = self.sampler.stretches(texts)
        place, text = concatenated_ranges(np.searchsorted(self._last, low), np.searchsorted(self._last, high))
        inside = self._first[place] >= low[text]
        kept = inside & (self.sampler.random.random(len(place)) >= DROPPED_WORDS)
        # a text all of whose terms would be dropped keeps them
        kept |= inside & (np.bincount(text[kept], minlength=len(texts)) == 0)[text]
        terms, text = self._numbers[place[kept]].astype(np.int64), text[kept]
        emphasis = self.emphasis[terms]
        totals = np.bincount(text, emphasis, minlength=len(texts)).astype(np.float32)
        bags = Bags(
            tensor(terms),
            tensor(np.searchsorted(text, np.arange(len(texts)))),
            tensor(emphasis / totals[text]),
        )
        candidates = self.sampler.candidates(self.training_set.labels[texts], SAMPLED_CLASSES)
        return Batch(bags, candidates, (totals > 0).astype(np.float32))

    def arrays(self) -> Arrays:
        """See :class:`Learner`."""
        return {**self.known_terms(), **self.module.arrays(), "emphasis": self.emphasis}


def read_word_vectors(path: Path, terms: Hashes, width: int) -> tuple[Floats, Numbers]:
    """The vectors in a GloVe or word2vec text file for words among ``terms``, and which these are.

    Where two words have one stem, the first in the file counts: such files begin with the commonest. The
    vectors are turned at random to ``width`` numbers, which keeps their distances, and scaled as a learner's
    own vectors are at the start.
    """
    found: dict[int, Floats] = {}
    columns = 0
    try:
        for word, numbers in vectors_in(path):
            columns = len(numbers)
            place = int(places(np.asarray([token(word).hash], np.uint64), terms)[0])
            if place >= 0 and place not in found:
                found[place] = np.asarray(numbers, np.float32)
        values = np.asarray(list(found.values()), np.float32)
        if not np.isfinite(values).all() or (found and columns < MINIMUM_VECTOR_WIDTH):
            raise ValueError
    except ValueError:
        raise QuizwriterError(
            f"{path} does not hold word vectors.", "Name a file with a word and its numbers on each line."
        ) from None
    if not found:
        raise QuizwriterError(f"{path} has no vector for any word of the bundle.", "Name another file.")
    turn = np.random.default_rng(0).standard_normal((values.shape[1], width)).astype(np.float32)
    turned = values @ turn
    return 0.1 * turned / max(float(turned.std()), 1e-6), np.asarray(list(found), np.int64)


def vectors_in(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The words of a GloVe or word2vec text file, and the numbers of each as they are written."""
    columns = 0
    with (
        translate_reading_errors(path, "Name a text file of word vectors."),
        path.open(encoding="utf-8", errors="replace") as lines,
    ):
        for line in lines:
            columns = columns or len(line.split()) - 1
            if columns == 1:  # word2vec's first line counts words and numbers
                columns = 0
                continue
            word, *numbers = line.rstrip().rsplit(" ", columns)  # a "word" may hold spaces
            yield word, numbers


def _learner(task: LearningTask) -> DanLearner:
    return DanLearner(task.training_set, task.plan, task.vectors, task.device)


TRAINING = NetworkTraining(
    Schedule(
        passes=50, batch=1024, rate=0.2,
        small_steps=200, small_batch=256, small_rate=0.2,
        tuning_steps=150, tuning_batch=512,
    ),
    _learner,
    lambda training_set, plan, device: DanLearner(training_set, plan, device=device),
    starts_others=True,
)  # fmt: skip
