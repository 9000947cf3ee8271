"""How well past questions say together what a tossup says together.

Retrieval adds up the words of a page, wherever they were said. Here words count that one past sentence has
beside each other: they tell that the same clue was asked before.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.stored_arrays import require
from quizwriter.engine.tokenizer import distinct, places, tokenize

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

RECENT = 16
"""Words of the tossup that count as said together."""

MOST_SENTENCES = 2_000
"""A stem in more sentences of a bundle says too little, and takes too long."""

LEAST_SHARED = 10.0
"""The weight of the words that a sentence must share before it counts as one with the same clue."""

FIGURES = 7
"""How many numbers :meth:`PastSentences.of` gives for each page."""


class PastSentences:
    """The sentences of the questions that a bundle, and the packets added to it, have for its players.

    Those of questions that are held back from the players are none of them.
    """

    def __init__(self, bundle: Bundle, added: Bundle | None = None) -> None:
        """Those of ``bundle`` and of the index ``added``; only what is needed is read, when it is needed."""
        self._bundles = [one for one in (bundle, added) if one is not None and self.are_in(one)]

    @staticmethod
    def are_in(bundle: Bundle) -> bool:
        """Whether ``bundle`` has sentences; those that older versions built have none."""
        return "sentences/first.npy" in bundle.files

    @cached_property
    def _shelves(self) -> list[_Shelf]:
        return [_Shelf(bundle) for bundle in self._bundles]

    def of(self, tossup: Tossup, rows: Numbers) -> Floats:
        """What the sentences about the pages in ``rows``, which are distinct, share with the words heard.

        After every word, for each page: the weight that one sentence shares with some words close together,
        the largest so far and the largest of late; the weight above :data:`LEAST_SHARED`, summed; how many
        words stood in a sentence with one more, and with two more; the most words together of late; the
        weight that one question shares with all words.

        Shapes:
            ``[FIGURES, words, rows]``.

        Units:
            A word weighs the logarithm of all sentences by the sentences with its stem.
        """
        wide = len(tossup.words), len(rows)
        together, counts, question = np.zeros((3, *wide), np.float32)
        reading = tokenize(tossup)
        content = np.flatnonzero(reading.stems)
        words = reading.words[content]
        if len(content) and len(rows):
            stems = distinct(reading.stems[content])
            stem_of = stems.searchsorted(reading.stems[content])
            found = [shelf.stem_counts(stems) for shelf in self._shelves]
            every = max(1, sum(shelf.count for shelf in self._shelves))
            weights = np.log(every / np.maximum(1, sum(found, np.zeros(len(stems), np.int64))))[stem_of]
            for shelf in self._shelves:
                shelf.compare(words, stems, stem_of, weights, rows, (together, counts, question))
        return np.stack(
            [
                np.maximum.accumulate(together, axis=0),
                _of_late(together),
                np.cumsum(np.maximum(together - np.float32(LEAST_SHARED), 0), axis=0),
                np.cumsum(counts >= 2, axis=0),
                np.cumsum(counts >= 3, axis=0),
                _of_late(counts),
                np.maximum.accumulate(question, axis=0),
            ],
            dtype=np.float32,
        )


class _Shelf:
    """The sentences of one bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        # whole, 28 MB: half of the time would go into reading the sentences of each stem
        self._rows: npt.NDArray[np.int32] = bundle.array("sentences/rows.npy")
        self._terms: npt.NDArray[np.uint64] = bundle.array("sentences/terms.npy")
        self._offsets: Numbers = bundle.array("sentences/offsets.npy")
        with bundle.refusing("sentences/offsets.npy"):
            fits = len(self._offsets) == len(self._terms) + 1 and self._offsets[-1] == len(self._rows)
            require(fits, "it does not fit the sentences")
        first: Numbers = bundle.array("sentences/first.npy")
        passages: npt.NDArray[np.int32] = bundle.array("library/passages.npy")
        starts: Numbers = bundle.array("passages/page_starts.npy")
        with bundle.refusing("sentences/first.npy"):
            require(len(first) == len(passages) + 1, "it does not fit the questions")
            require(first[-1] == len(bundle.stored("sentences/starts.npy")), "it does not fit the sentences")
        with bundle.refusing("library/passages.npy"):
            require(passages.max(initial=-1) < starts[-1], "a text is missing")
        page = (np.searchsorted(starts, passages, side="right") - 1).astype(np.int32)
        page[passages < 0] = -1  # held back: that a player reads them would be cheating
        self._page_of_question = page
        self._question_of = np.repeat(np.arange(len(passages), dtype=np.int32), np.diff(first))
        self._page_of = page[self._question_of]
        self.count = len(self._page_of)
        with bundle.refusing("sentences/rows.npy"):
            require(self._rows.max(initial=-1) < self.count, "a sentence is missing")

    def stem_counts(self, stems: npt.NDArray[np.uint64]) -> Numbers:
        rows = places(stems, self._terms)
        return np.where(rows >= 0, self._offsets[rows + 1] - self._offsets[rows], 0)

    def compare(
        self,
        words: Numbers,
        stems: npt.NDArray[np.uint64],
        stem_of: Numbers,
        weights: npt.NDArray[np.float64],
        rows: Numbers,
        figures: tuple[Floats, Floats, Floats],
    ) -> None:
        """Raise each of ``figures`` to what this shelf has: weights together, counts together, of questions.

        Shapes:
            ``words``, ``stem_of`` and ``weights`` run parallel to the tokens of the tossup, ``stem_of``
            places in ``stems``; each of ``figures``: ``[words, rows]``.
        """
        column = np.full(int(self._page_of_question.max(initial=-1)) + 2, -1, np.int32)  # the last is for -1
        known = rows < len(column) - 1
        column[rows[known]] = np.flatnonzero(known)
        start_of = self._offsets[places(stems, self._terms)]  # of stems that are in none, any
        found = [
            self._rows[start:end] if end - start <= MOST_SENTENCES else _NONE
            for start, end in zip(
                start_of.tolist(), (start_of + self.stem_counts(stems)).tolist(), strict=True
            )
        ]
        sentences = np.concatenate(found)
        of_stem = np.repeat(np.arange(len(found)), [len(some) for some in found])
        about = column[self._page_of[sentences]] >= 0
        sentences, of_stem = sentences[about], of_stem[about]
        # an entry for each token and each sentence with its stem, sorted by sentence, then by token
        size = len(words)
        begin = np.searchsorted(of_stem, np.arange(len(found) + 1))
        lengths = np.diff(begin)[stem_of]
        place = np.repeat(begin[stem_of] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        key = sentences[place].astype(np.int64) * size + np.repeat(np.arange(size), lengths)
        key.sort()
        sentence, token = np.divmod(key, size)
        columns = column[self._page_of[sentence]]
        summed = np.append(0.0, np.cumsum(weights[token]))
        since = np.searchsorted(key, sentence * size + np.searchsorted(words, words - RECENT + 1)[token])
        until = np.arange(1, len(key) + 1)
        together, counts, question = figures
        np.maximum.at(together, (words[token], columns), (summed[until] - summed[since]).astype(np.float32))
        np.maximum.at(counts, (words[token], columns), (until - since).astype(np.float32))

        earliest = np.full(len(stems), size)  # a word counts once, however often it is said
        np.minimum.at(earliest, stem_of, np.arange(size))
        some = earliest[stem_of[token]] == token
        key = distinct(self._question_of[sentence[some]].astype(np.int64) * size + token[some])
        asked, token = np.divmod(key, size)
        summed = np.append(0.0, np.cumsum(weights[token]))
        shared = summed[1:] - summed[np.searchsorted(key, asked * size)]
        columns = column[self._page_of_question[asked]]
        np.maximum.at(question, (words[token], columns), shared.astype(np.float32))


_NONE = np.zeros(0, np.int32)


def _of_late(figures: Floats) -> Floats:
    """After every word the largest of the last :data:`RECENT` of ``figures``, which has a row for each."""
    found = figures.copy()
    step = 1
    while step < RECENT:  # each step doubles how many are compared; RECENT is a power of two
        found[step:] = np.maximum(found[step:], found[:-step])
        step *= 2
    return found
