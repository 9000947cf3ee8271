"""The deep averaging network (DAN): a player that averages the vectors of the terms heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quizwriter.domain.players import DAN
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.networks import OUTPUT_SHAPES, TERM_SHAPES, Arrays, Floats, Network, vectors_of
from quizwriter.engine.pages import Pages
from quizwriter.engine.reasons import IsFrame, no_frame
from quizwriter.engine.tokenizer import TitleFinder, TokenizedTossup, places, terms_of, together, tokenize


class Dan(Network):
    """A deep averaging network over the terms that the retrieval player hears, too.

    The vectors of words, pairs and kinds heard so far are averaged, each by its emphasis, its inverse
    document frequency; one layer of rectified units follows. All prefixes are one running sum and one
    product.

    Source:
        Iyyer et al., "Deep Unordered Composition Rivals Syntactic Methods for Text Classification", ACL 2015.
    """

    SHAPES: ClassVar[Mapping[str, str]] = {
        **OUTPUT_SHAPES,
        **TERM_SHAPES,
        "emphasis": "v",
        "hidden": "w h",
    }

    def __init__(
        self,
        arrays: Arrays,
        pages: Pages,
        titles: TitleFinder,
        name: str = DAN,
        is_frame: IsFrame = no_frame,
    ) -> None:
        """The network of ``arrays``.

        Shapes:
            ``terms``: ``[v]``, sorted hashes. ``vectors`` and ``scales``: as :func:`vectors_of` takes them.
            ``emphasis``: ``[v]``. ``hidden``: ``[width, hidden]``. ``hidden_bias``: ``[hidden]``.
            ``everywhere``: sorted hashes.
        """
        super().__init__(arrays, pages, titles, name, is_frame)
        # of the last tossup: the ensemble asks for them right after the game
        self._last_means: tuple[TokenizedTossup, tuple[list[int], Floats]] | None = None

    @property
    def width(self) -> int:
        return len(self._arrays["hidden"])

    def means(self, reading: TokenizedTossup) -> tuple[list[int], Floats]:
        """After every word that completes a known term: words heard, and the mean vector so far.

        Shapes:
            Means: ``[m, width]``.
        """
        before = self._last_means  # once, as players are heard in more than one thread
        if before is None or before[0] is not reading:
            before = self._last_means = reading, self._read_means(reading)
        return before[1]

    def _read_means(self, reading: TokenizedTossup) -> tuple[list[int], Floats]:
        numbers, _, last = self._terms(reading)
        if not len(numbers):
            return [], np.zeros((0, self.width), np.float32)
        emphasis = self._arrays["emphasis"][numbers].astype(np.float32)
        vectors = vectors_of(self._arrays, numbers)
        sums = np.cumsum(vectors * emphasis[:, None], axis=0)
        ends = np.flatnonzero(np.append(last[1:] != last[:-1], True))
        means = (sums[ends] / np.cumsum(emphasis)[ends, None]).astype(np.float32)
        return (last[ends] + 1).tolist(), means

    def _terms(
        self, reading: TokenizedTossup
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The known terms in the order they are complete: rows of vectors, first and last word."""
        terms = reading.terms(self._arrays["everywhere"])
        numbers = places(terms.hashes, self._arrays["terms"])
        order = np.argsort(terms.last, kind="stable")
        order = order[numbers[order] >= 0]
        return numbers[order], terms.first[order], terms.last[order]

    def _positions(
        self, tossup: Tossup, reading: TokenizedTossup, extra: Sequence[int]
    ) -> tuple[list[int], Floats]:
        positions, means = self.means(reading)
        if not positions:
            return [], self._hidden_layer(means)
        wanted = sorted({*positions, *(word for word in extra if word >= positions[0])})
        at = np.searchsorted(positions, wanted, side="right") - 1
        return wanted, self._hidden_layer(means)[at]

    def _last_vectors(self, readings: Sequence[TokenizedTossup]) -> Floats:
        """See :meth:`Network._last_vectors`. Terms are looked up together, each vector once."""
        reading, texts = together(readings)
        runs = list(terms_of(reading.stems, reading.pointers, texts, self._arrays["everywhere"]))
        numbers = places(np.concatenate([run.hashes for run in runs]), self._arrays["terms"])
        last = np.concatenate([run.last for run in runs])[numbers >= 0]
        order = np.lexsort((reading.words[last], texts[last]))  # summed in the order of a game
        terms, row_of = np.unique(numbers[numbers >= 0][order], return_inverse=True)
        ends = np.searchsorted(texts[last][order], np.arange(len(readings) + 1))
        emphasis = self._arrays["emphasis"][terms].astype(np.float32)
        vectors = vectors_of(self._arrays, terms) * emphasis[:, None]
        means = np.zeros((len(readings), self.width), np.float32)
        for mean, begin, end in zip(means, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            if begin < end:
                rows = row_of[begin:end]
                mean[:] = vectors[rows].sum(axis=0) / np.cumsum(emphasis[rows])[-1]
        return self._hidden_layer(means)

    def _gradient(self, tossup: Tossup, number: int) -> tuple[Floats, Floats]:
        reading = tokenize(tossup)
        numbers, first, last = self._terms(reading)
        emphasis = self._arrays["emphasis"][numbers].astype(np.float32)
        emphasis /= emphasis.sum()
        vectors = vectors_of(self._arrays, numbers)
        layer = self._hidden_layer((emphasis @ vectors)[None])[0]
        gradient, logits = self._output_gradient(layer, reading, number)
        by_mean = self._arrays["hidden"] @ (gradient * (layer > 0))
        moved = emphasis * (vectors @ by_mean) / 2  # a pair is half of each of its words
        shares = np.zeros(len(tossup.words), np.float32)
        np.add.at(shares, first, moved)
        np.add.at(shares, last, moved)
        return shares, logits
