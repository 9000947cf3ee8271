"""The arithmetic that the retrieval player and the Elasticsearch player share.

Both players sum the points of terms, weighted by how each was heard. So both explain a score in the same way:
each word has an exact share of the score, and the passages shown are those that contain the words with the
largest shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Cue
from quizwriter.domain.tossup import Span, Tossup
from quizwriter.engine.tokenizer import SORTS, TOKEN, TermRun, token

TITLE_POINTS = -5.7
"""Points of a page from the moment its title is read aloud: a tossup does not say its own answer."""

WORD, KIND = SORTS.index("word"), SORTS.index("kind")

# What follows was fitted by softmax regression on 2,400 tossups of the buzzer fold, chosen on 1,368 of the
# development fold, and rounded: the product of a weight and of a rounded point is exact.
EARLY_WORDS, EARLY_LOSS = 30, 0.1875
"""A word among the first ones of a tossup, which are many answers' words, loses this share of its points."""

AGAIN_LOSS = 0.625
"""A word or a pair that is heard again loses this share of its points: it says little new."""

KIND_WEIGHT, CALLED_POINTS = 0.625, 1.625
"""What the points of a kind ("this novel") are multiplied by, and the points that a page gets once, at the
first kind that its past questions called it by."""

P = TypeVar("P")


def term_weights(terms: TermRun) -> npt.NDArray[np.float32]:
    """What the points of each of ``terms`` are multiplied by. No weight depends on a later term.

    ``terms`` are those of a tossup, as :meth:`quizwriter.engine.tokenizer.TokenizedTossup.terms` has them.
    """
    weights = np.ones(len(terms.hashes), np.float32)
    again = np.ones(len(terms.hashes), np.bool_)
    again[np.unique(terms.hashes, return_index=True)[1]] = False
    kinds = terms.sorts == KIND
    weights[again] -= AGAIN_LOSS
    weights[(terms.sorts == WORD) & (terms.last < EARLY_WORDS)] -= EARLY_LOSS
    weights[kinds] = KIND_WEIGHT
    return weights


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
