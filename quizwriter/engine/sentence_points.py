"""After which words a player is asked that is too slow, or too dear, to be asked after each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup

MOST_POINTS = 12
"""After so many words of a tossup a player is asked at most; usual tossups have six sentences."""

FEWEST_WORDS = 4
"""After fewer words, nothing is asked."""

Points = Callable[[Tossup], Sequence[int]]
"""After how many words of a tossup a player is asked, rising."""


def sentence_ends(tossup: Tossup) -> tuple[int, ...]:
    """The numbers of words heard at the ends of the sentences, and at the end of the text."""
    points = sorted(
        {count for count in accumulate(map(len, sentence_words(tossup))) if count >= FEWEST_WORDS}
    )
    if len(points) <= MOST_POINTS:
        return tuple(points)
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return tuple(sorted({points[round(number * step)] for number in range(MOST_POINTS)}))


def share_points(shares: Sequence[int]) -> Points:
    """The points after these shares of the words, in per cent."""

    def points(tossup: Tossup) -> tuple[int, ...]:
        words = len(tossup.words)
        return tuple(sorted({math.ceil(share / 100 * words) for share in shares if words} - {0}))

    return points


def sentence_words(tossup: Tossup) -> list[tuple[Span, ...]]:
    ends, at = [0], 0
    for sentence in tossup.sentences:
        while at < len(tossup.words) and tossup.words[at].start < sentence.end:
            at += 1
        ends.append(at)
    return [tossup.words[start:end] for start, end in pairwise(ends) if start < end]


def words_read(tossup: Tossup, count: int) -> str:
    """What a moderator has read aloud after ``count`` words: no marks, guides and notes."""
    return " ".join(span.of(tossup.text) for span in tossup.words[:count])
