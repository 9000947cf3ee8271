"""The arithmetic that the retrieval player and the Elasticsearch player share.

Both players sum the points of terms, weighted by how each was heard. So both explain a score in the same way:
each word has an exact share of the score, and the passages shown are those that contain the words with the
largest shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Cue
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.stored_arrays import require
from quizwriter.engine.tokenizer import SORTS, TOKEN, Hashes, TermRun, is_in, token, tokenize

TITLE_POINTS = -5.7
"""Points of a page from the moment its title is read aloud: a tossup does not say its own answer."""

WORD, KIND = SORTS.index("word"), SORTS.index("kind")

EARLY_WORDS = 30
"""So many words begin a tossup; they are those of many answers."""

P = TypeVar("P")


class HeardWeighting(msgspec.Struct, frozen=True):
    """How the points of a term count by how it is heard. An index has the numbers; old ones have none.

    A word among the first :data:`EARLY_WORDS` of a tossup loses the share ``early_loss`` of its points, and a
    word or a pair that is heard again, ``again_loss``. The points of a kind ("this novel") are multiplied by
    ``kind_weight``, and a page gets ``called_points`` once, at the first kind that its past questions called
    it by.
    """

    early_loss: float = 0.0
    again_loss: float = 0.0
    kind_weight: float = 1.0
    called_points: float = 0.0

    @classmethod
    def of(cls, numbers: Sequence[float]) -> HeardWeighting:
        """The numbers as an index has them, in the order of the fields."""
        right = len(numbers) == len(cls.__struct_fields__) and min(numbers) >= 0
        require(right, "it does not have four numbers of 0 or more")
        found = cls(*numbers)
        require(found.early_loss + found.again_loss <= 1, "a word would lose more than it has")
        return found

    def weights(self, terms: TermRun) -> npt.NDArray[np.float32]:
        """What the points of each of ``terms`` are multiplied by. No weight depends on a later term.

        ``terms`` are those of a tossup; see :meth:`quizwriter.engine.tokenizer.TokenizedTossup.terms`.
        """
        weights = np.ones(len(terms.hashes), np.float32)
        order = terms.hashes.argsort(kind="stable")
        rising = terms.hashes[order]
        weights[order[1:][rising[1:] == rising[:-1]]] -= self.again_loss
        weights[(terms.sorts == WORD) & (terms.last < EARLY_WORDS)] -= self.early_loss
        weights[terms.sorts == KIND] = self.kind_weight
        return weights

    def weigh(
        self,
        postings: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]],
        numbers: Sequence[int],
        terms: TermRun,
        pages: int,
    ) -> None:
        """Put into ``postings`` the points that count; ``numbers`` says which of ``terms`` each is of.

        A posting has pages, which are less than ``pages``, and the points of each.
        """
        weights = self.weights(terms).tolist()
        for place, number in enumerate(numbers):
            if weights[number] != 1:
                some, points = postings[place]
                postings[place] = some, points * np.float32(weights[number])
        if not self.called_points:
            return
        called = np.zeros(pages, np.bool_)
        kinds = [place for place, number in enumerate(numbers) if terms.sorts[number] == KIND]
        for place in sorted(kinds, key=lambda place: int(terms.last[numbers[place]])):
            some, points = postings[place]
            added = np.where(called[some], np.float32(0), np.float32(self.called_points))
            postings[place] = some, points + added
            called[some] = True

    def word_weights(self, tossup: Tossup, stems: Hashes) -> npt.NDArray[np.float64]:
        """What the points of each of ``stems`` are multiplied by if it is heard, alone, after ``tossup``."""
        again = is_in(stems, np.sort(tokenize(tossup).stems))
        early = len(tossup.words) < EARLY_WORDS
        return np.asarray(1 - self.again_loss * again - self.early_loss * early, np.float64)


def word_cues(
    tossup: Tossup, terms: Iterable[tuple[int, int, float]], prior: float, title_word: int | None
) -> tuple[float, tuple[Cue, ...]] | None:
    """The score of a page after all of ``tossup``, and the words that it is the sum of.

    ``terms`` has, for each term that was heard, its first word, its last word (counted from 0) and the points
    that it adds to the page. ``prior`` is the number of points that the page starts with. ``title_word`` is
    the word that completes the page's title, or None where the title is not read aloud.

    A term of two words gives half of its points to each. The prior is divided among the words in proportion
    to their points, so the weights add up to the score. :data:`TITLE_POINTS` belong to ``title_word``.

    Returns None where no term adds any points: the player does not guess such a page.

    Units:
        Points, as in :meth:`quizwriter.engine.retrieval.Retrieval.play`.
    """
    weights = [0.0] * len(tossup.words)
    for first, last, points in terms:
        weights[first] += points / 2
        weights[last] += points / 2
    total = sum(weights)
    if not total:
        return None
    weights = [weight * (1 + prior / total) for weight in weights]
    if title_word is not None:
        weights[title_word] += TITLE_POINTS
    cues = tuple(Cue(span, weight) for span, weight in zip(tossup.words, weights, strict=True) if weight)
    return sum(weights), cues


def stem_weights(tossup: Tossup, sentence: Span, cues: Iterable[Cue]) -> dict[int, tuple[float, str]]:
    """The stems in one sentence of ``tossup`` that speak for a page.

    For the hash of each stem, its weight, which is that of its heaviest word, and that word. Cues with a
    negative weight and stop words are left out.
    """
    found: dict[int, tuple[float, str]] = {}
    for cue in cues:
        if sentence.start <= cue.span.start < sentence.end and cue.weight > 0:
            for word in TOKEN.findall(tossup.text, cue.span.start, cue.span.end):
                stem = token(word).hash
                if stem and cue.weight > found.get(stem, (0.0, ""))[0]:
                    found[stem] = cue.weight, word
    return found


def best_passages(ranked: Sequence[tuple[float, P]], kind: Callable[[P], object]) -> list[P]:
    """At most two of the passages in ``ranked``, which has scores with passages, the highest score first.

    The first is the best passage. The second is the best passage of another kind if its score is more than
    half of the best score, because two kinds of text say more than one. Otherwise it is the next best.
    """
    if len(ranked) < 2:
        return [passage for _, passage in ranked]
    (best, first), (_, second) = ranked[:2]
    other_kind = (
        passage for score, passage in ranked[1:] if score > best / 2 and kind(passage) != kind(first)
    )
    return [first, next(other_kind, second)]
