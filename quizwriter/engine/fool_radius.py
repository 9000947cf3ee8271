"""How easily retrieval is fooled: the fewest added words that take the first place from the answer.

The points of retrieval are a sum over words. So nothing has to be searched: the best words for a rival are
those with the largest difference between the rival's points and the answer's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec.structs import replace

from quizwriter.domain.guessing import FoolRadius, PlayOutline
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.retrieval import Retrieval
from quizwriter.engine.tokenizer import TOKEN, title_stems, token

RIVALS = 5
"""How many pages next to the answer are tried."""

MOST_WORDS = 40
"""Words that are added at most."""

MOST_TEXTS = 400
"""Texts about a rival that words and sentences are taken from; few pages have more."""

LONGEST_SENTENCE = 300
"""Characters of the distractor."""


def fool_radius(
    retrieval: Retrieval, tossup: Tossup, vocabulary: Sequence[str] | None = None
) -> FoolRadius | None:
    """The fewest words whose addition to ``tossup`` has another page lead in the end.

    The words may be any of ``vocabulary``, each once, and each counts as a word alone, without pairs; by
    default they are all words of the texts about a rival, because no others speak for it. Words in the titles
    of the answer and of the rival are left out. None where the answer does not lead, or no words are enough.
    """
    answer = None if tossup.answer is None else retrieval.pages.rows.get(tossup.answer.key)
    points, ranked = retrieval.final_points(tossup)
    if answer is None or not len(ranked) or ranked[0] != answer:
        return None
    best: FoolRadius | None = None
    row, whole = -1, True
    for rival in ranked[1 : RIVALS + 1].tolist():
        gains = word_gains(retrieval, tossup, answer, rival, vocabulary)
        whole &= vocabulary is not None or len(retrieval.texts_about(rival)) <= MOST_TEXTS
        most = MOST_WORDS if best is None else len(best.words) - 1
        gap = float(points[answer]) - float(points[rival])
        words = _fewest(gains, gap, most, wins_ties=rival < answer)
        if words is not None:
            best, row = FoolRadius(retrieval.pages.all[rival], words, exact=False), rival
    if best is None:
        return None
    # A page that shares no word with the tossup starts from its prior, which its points are.
    others = np.delete(points, ranked[: RIVALS + 1])
    gap = float(points[answer]) - float(others.max(initial=-np.inf))
    exact = whole and ((len(best.words) - 1) * retrieval.largest_points < gap or not len(others))
    return replace(best, exact=exact, distractor=_distractor(retrieval, tossup, answer, row))


def rival_words(
    retrieval: Retrieval, tossup: Tossup, rival: Page, most: int, vocabulary: Sequence[str] | None
) -> tuple[str, ...]:
    """The ``most`` words that speak most for ``rival`` and least for the answer, the best first.

    They are of ``vocabulary``, or of the texts about the rival; no word is in the title of either. Empty
    where a page is not one of the player's.
    """
    rows = retrieval.pages.rows
    answer = None if tossup.answer is None else rows.get(tossup.answer.key)
    other = rows.get(Answer(str(rival), rival).key)
    if answer is None or other is None:
        return ()
    gains = word_gains(retrieval, tossup, answer, other, vocabulary)
    return tuple(sorted((word for word in gains if gains[word] > 0), key=lambda word: -gains[word])[:most])


def greedy_bound(
    ends: Callable[[Sequence[Tossup]], Sequence[PlayOutline]],
    answer: Answer,
    words: Sequence[str],
    variant: Callable[[Sequence[str]], Tossup],
) -> tuple[tuple[str, ...], int]:
    """Some of ``words`` whose addition has a player name another page than ``answer``.

    All are added first. Then, as long as the answer stays lost, that word is left out without which it has
    the lowest chance. ``ends`` has the player hear variants to their end, and ``variant`` adds words to the
    tossup. The words are empty where all of them are not enough; with them comes how many variants were
    heard.
    """

    def lost(outline: PlayOutline) -> bool:
        return outline.page is not None and not answer.accepts(outline.page)

    found, heard = list(words), 1
    if not found or not lost(ends([variant(found)])[0]):
        return (), heard
    while len(found) > 1:
        shorter = [[*found[:place], *found[place + 1 :]] for place in range(len(found))]
        outlines = ends([variant(line) for line in shorter])
        heard += len(shorter)
        still = [(one.answer_chance, at) for at, one in enumerate(outlines) if lost(one)]
        if not still:
            break
        found = shorter[min(still)[1]]
    return tuple(found), heard


def _fewest(gains: dict[str, float], gap: float, most: int, *, wins_ties: bool) -> tuple[str, ...] | None:
    """The fewest words, ``most`` at most, whose gains are more than ``gap``."""
    added: list[str] = []
    total = 0.0
    for word, gain in sorted(gains.items(), key=lambda pair: -pair[1])[:most]:
        if gain <= 0:
            return None
        added.append(word)
        total += gain
        if total > gap or (wins_ties and total == gap):
            return tuple(added)
    return None


def word_gains(
    retrieval: Retrieval, tossup: Tossup, answer: int, rival: int, vocabulary: Sequence[str] | None
) -> dict[str, float]:
    """For each word, one of each stem, by how much it brings the row ``rival`` nearer to the row ``answer``.

    The words are those of ``vocabulary``, or of the texts about the rival; words in the titles of the answer
    and of the rival are left out.
    """
    left_out = {stem for page in (answer, rival) for stem in title_stems(retrieval.pages.all[page])}
    if vocabulary is None:
        texts = retrieval.texts_about(rival)[:MOST_TEXTS]
        vocabulary = list(dict.fromkeys(word for text in texts for word in TOKEN.findall(text)))
    by_stem: dict[int, str] = {}
    for word in vocabulary:
        stem = token(word).hash
        if stem and stem not in left_out:
            by_stem.setdefault(stem, word)
    rows = np.asarray(sorted((answer, rival)), np.int32)
    points = retrieval.term_points(tossup, np.fromiter(by_stem, np.uint64, len(by_stem)), rows)
    gains = points @ np.where(rows == rival, 1.0, -1.0)
    return dict(zip(by_stem.values(), gains.tolist(), strict=True))


def _distractor(retrieval: Retrieval, tossup: Tossup, answer: int, rival: int) -> str:
    """The sentence about ``rival`` whose words speak most for it and least for ``answer``."""
    gains = {
        token(word).hash: gain for word, gain in word_gains(retrieval, tossup, answer, rival, None).items()
    }
    best, chosen = 0.0, ""
    for text in retrieval.texts_about(rival)[:MOST_TEXTS]:
        for span in Tossup(text).sentences:
            sentence = span.of(text)
            if len(sentence) > LONGEST_SENTENCE:
                continue
            stems = {token(word).hash for word in TOKEN.findall(sentence)}
            gain = sum(gains.get(stem, 0.0) for stem in stems)
            if gain > best:
                best, chosen = gain, sentence
    return chosen
