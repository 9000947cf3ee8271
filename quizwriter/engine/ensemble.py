"""The ensemble: the guesses of the other players, ordered anew by a small network.

After every word the first guesses of all members are the candidates. The features of a candidate are the
score that each member gives it now and gave it before, the sorts of clues that speak for it, the words that
a past sentence on it says together, and whether it is the kind of thing that the words heard ask for. A
network, fitted on the buzzer fold, gives each candidate its chance. In the spirit of Yamada et al., "Studio
Ousia's Quiz Bowl Question Answering System" (2018).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Guess, Playthrough, Row
from quizwriter.domain.page import Page
from quizwriter.domain.players import ENSEMBLE
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.answer_kinds import KIND_FIGURES, AnswerKinds
from quizwriter.engine.dan import Dan
from quizwriter.engine.pages import Pages
from quizwriter.engine.past_sentences import FIGURES, PastSentences
from quizwriter.engine.retrieval import Retrieval
from quizwriter.engine.stored_arrays import StoredWeights, match_shapes, require
from quizwriter.engine.tokenizer import SORTS, TokenizedTossup, distinct, places, tokenize

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

LARGEST_GAP = 15.0
"""The largest distance from a member's best score that features have, in the member's units."""

COURSE = (8, 24)
"""How far a page was behind a member's best is averaged over so many of the last words."""

RARITY_LIMITS = (2, 10, 100)
"""The classes of rarity: terms on at most so many pages; terms on more than the last are common."""

RECENT_WORDS = (6, 12, 30)
"""The clues in so many of the last words have features of their own."""

CLUE_FEATURES = 2 * (len(SORTS) * (len(RARITY_LIMITS) + 1) + len(RECENT_WORDS)) + len(SORTS) + 3
"""How many numbers :meth:`ClueKinds.of` gives for each page."""


def feature_count(members: int, *, past: bool) -> int:
    """How many numbers describe a candidate to so many members, with the ``past`` of it or without."""
    if not past:
        return 9 * members + 7 + 2 * CLUE_FEATURES
    return (9 + len(COURSE) + 2) * members + 7 + CLUE_FEATURES + 2 * (FIGURES + KIND_FIGURES)


class EnsembleMember(Protocol):
    """A player whose guesses the ensemble orders."""

    @property
    def name(self) -> str:
        """Its short name."""

    def knows(self, row: int) -> bool:
        """Whether the player can name the page in this row."""

    def candidates(self, tossup: Tossup) -> Numbers:
        """Its first guesses after every word as rows of pages, best first, -1 where there are fewer.

        Shapes:
            ``[words, wide]``.
        """

    def scores(self, tossup: Tossup, rows: Numbers) -> Floats:
        """The scores of the pages in ``rows`` after every word, as natural logarithms; nan where it has none.

        Shapes:
            ``[words, rows]``.
        """


class AnswerTypes:
    """The type of thing that the words heard ask for, and the type of each page.

    A type is what the field and the noun after "this" make together: a person in literature, a place in
    history. The DAN's mean vector decides, by logistic regression; without a DAN nothing is known of types.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray[Any, Any]], dan: Dan | None) -> None:
        """The types of ``arrays``, which has none of these if ``dan`` is None.

        Shapes:
            ``type_weights``: ``[width, types]``. ``type_biases``: ``[types]``. ``page_types``, how much
            commoner a type is among the tossups on a class than among all: ``[c, types]``.
        """
        self._arrays = arrays
        self._dan = dan

    def match(self, tossup: Tossup, rows: Numbers) -> Floats:
        """How much likelier the type wanted makes each page, as a natural logarithm; 0 where it is unknown.

        Shapes:
            ``[words, rows]``.
        """
        words = len(tossup.words)
        if self._dan is None:
            return np.zeros((words, len(rows)), np.float32)
        positions, means = self._dan.means(tokenize(tossup))
        found = np.zeros((len(positions) + 1, len(rows)), np.float32)
        number = places(rows, self._dan.classes)
        known = np.flatnonzero(number >= 0)
        wanted = means @ self._arrays["type_weights"] + self._arrays["type_biases"]
        wanted = np.exp(wanted - wanted.max(axis=1, keepdims=True, initial=-np.inf))
        wanted /= wanted.sum(axis=1, keepdims=True)
        of_class = self._arrays["page_types"][number[known]].astype(np.float32)
        found[:-1, known] = np.log(wanted @ of_class.T + 1e-3)
        at = np.searchsorted(np.asarray(positions, np.int64), np.arange(1, words + 1), side="right") - 1
        return found[at]


class ClueKinds:
    """The sorts of clues that speak for a page. Retrieval itself only adds them up."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval

    def of(self, tossup: Tossup, rows: Numbers, positions: Numbers) -> Floats:
        """The clue features of ``rows``, distinct pages in rising order, after the words in ``positions``.

        For each sort and rarity of terms, and for all in the last few words: what they add to the page's
        points, and how many do; the page's share of the words heard, by their rarity; the strongest term of
        each sort; how many terms were heard, and how many passages are about the page.

        Shapes:
            ``positions``: words counted from 0. Result: ``[CLUE_FEATURES, positions, rows]``.
        """
        shares = self._retrieval.shares(tossup, rows)
        order = np.argsort(shares.last, kind="stable")
        last, sorts = shares.last[order], shares.sorts[order]
        frequency, points = shares.document_frequency[order], shares.points[order]
        hits = (points > 0).astype(np.float32)
        both = np.hstack([points, hits])
        upto = np.searchsorted(last, positions, side="right")
        rarity = np.searchsorted(RARITY_LIMITS, frequency)
        groups = [
            _sums_upto(both, (sorts == sort) & (rarity == rare), upto)
            for sort in range(len(SORTS))
            for rare in range(len(RARITY_LIMITS) + 1)
        ]
        summed = np.vstack([np.zeros((1, both.shape[1]), np.float32), both.cumsum(axis=0)])
        groups += [
            summed[upto] - summed[np.searchsorted(last, positions - recent, side="right")]
            for recent in RECENT_WORDS
        ]
        wide = len(rows)
        inverse_frequency = np.where(sorts == 0, np.log(len(self._retrieval.pages) / frequency), 0.0)
        weights = inverse_frequency.astype(np.float32)[:, None]
        every = np.ones(len(last), np.bool_)
        strongest = []
        for sort in range(len(SORTS)):
            some = np.where((sorts == sort)[:, None], points, np.float32(0))
            strongest.append(np.vstack([np.zeros((1, wide), np.float32), np.maximum.accumulate(some)])[upto])
        found: list[npt.NDArray[Any]] = [
            *(group[:, :wide] for group in groups),
            *(group[:, wide:] for group in groups),
            _sums_upto(hits * weights, every, upto) / np.maximum(_sums_upto(weights, every, upto), 1),
            *strongest,
            np.broadcast_to(upto[:, None].astype(np.float32), (len(positions), wide)),
            np.broadcast_to(self._retrieval.log_passage_counts[rows], (len(positions), wide)),
        ]
        return np.stack(found, dtype=np.float32)


def _sums_upto(values: Floats, counted: npt.NDArray[np.bool_], upto: Numbers) -> Floats:
    """The sums of those of the first ``upto`` rows of ``values`` that are ``counted``.

    Shapes:
        ``values``: ``[terms, wide]``. Result: ``[upto, wide]``.
    """
    places = np.flatnonzero(counted)
    sums = np.vstack([np.zeros((1, values.shape[1]), np.float32), values[places].cumsum(axis=0)])
    return sums[np.searchsorted(places, upto)]


class PastUse(msgspec.Struct, frozen=True):
    """How past questions used the words of a tossup; ensembles of older versions lack it."""

    sentences: PastSentences
    kinds: AnswerKinds

    def of(self, tossup: Tossup, rows: Numbers) -> Floats:
        """What ``rows``, distinct pages, share with the words heard, after every word.

        Shapes:
            ``[FIGURES + KIND_FIGURES, words, rows]``.
        """
        return np.concatenate([self.sentences.of(tossup, rows), self.kinds.match(tossup, rows)])


class CandidateFeatures(msgspec.Struct, frozen=True):
    """The candidates of a tossup, position by position.

    ``words[i]`` had been heard when page ``rows[i]`` was a candidate described by ``features[i]``; sorted by
    words. ``position_of[w]`` is the last position at which candidates changed, in words heard, 0 before any.
    """

    words: Numbers
    rows: Numbers
    features: Floats
    position_of: Numbers


_RankedRow = tuple[Row, int | None]  # the guesses at a position, and the answer's rank


class Ensemble:
    """Re-ranks its members' candidates. It has no evidence of its own."""

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray[Any, Any]],
        members: Sequence[EnsembleMember],
        clues: ClueKinds,
        types: AnswerTypes,
        pages: Pages,
        log_tossup_counts: npt.NDArray[np.float32],
        past: PastUse | None = None,
    ) -> None:
        """The ensemble of ``members``, in the order they had when it was fitted, with ``past`` if it had it.

        Shapes:
            ``weights0``, …, ``biases0``, …: the layers of the network, rectified units between. ``lowest``
            and ``highest``: what each feature is cut off at.
            ``log_tossup_counts``: for each page the logarithm of one more than the tossups on it.
        """
        self._members = tuple(members)
        self._clues = clues
        self._types = types
        self._pages = pages
        self._log_tossup_counts = log_tossup_counts
        self._past = past
        self._feature_limits = arrays["lowest"], arrays["highest"]
        self._layers = [
            (arrays[f"weights{layer}"], arrays[f"biases{layer}"])
            for layer in range(sum(name.startswith("weights") for name in arrays))
        ]
        # the last game: a draft with one more letter shares most of its rows
        self._previous: tuple[TokenizedTossup, tuple[int, ...], int, dict[int, _RankedRow]] | None = None

    @staticmethod
    def check(arrays: StoredWeights, members: int, dan: StoredWeights | None) -> None:
        """Return if an ensemble of so many ``members``, with the types of ``dan``, can play with ``arrays``.

        ``dan`` is None if it is no member.
        """
        layers = sum(name.startswith("weights") for name in arrays)
        shapes = {"lowest": "size0", "highest": "size0"}
        for layer in range(layers):
            shapes |= {
                f"weights{layer}": f"size{layer} size{layer + 1}",
                f"biases{layer}": f"size{layer + 1}",
            }
        found = dict(arrays.shapes)
        if dan is not None:
            shapes |= {"type_weights": "w t", "type_biases": "t", "page_types": "c t", "vectors": "v w"}
            shapes |= {"classes": "c"}
            found |= {name: dan.shapes[name] for name in ("vectors", "classes")}
        sizes = match_shapes(found, shapes)
        require(members > 0, "it has no members")
        require(dan is None or sizes["t"] > 0, "it has no types of answers")
        require(layers > 0 and sizes[f"size{layers}"] == 1, "its network has not one output")

    @property
    def name(self) -> str:
        return ENSEMBLE

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` candidates after every word of ``tossup``.

        Units:
            Scores are natural logarithms of each candidate's chance to be the answer.
        """
        if top < 1:
            raise ValueError("top must be at least 1")
        reading = tokenize(tossup)
        right = self._pages.right(tossup.answer)
        ranked: dict[int, _RankedRow] = {0: ((), None)}
        alike = 0
        before = self._previous  # once, as players are heard in more than one thread
        if before is not None and before[1:3] == (right, top):
            alike = reading.shared_prefix(before[0])
            ranked |= {position: row for position, row in before[3].items() if position <= alike}
        arguments = tossup, self._members, self._clues, self._types, self._log_tossup_counts, self._past
        found = candidates(*arguments, after=alike)
        if not ranked.keys() >= {position for position in found.position_of.tolist() if position <= alike}:
            # a member has broken a tie in another way this time
            found, ranked = candidates(*arguments), {0: ((), None)}
        logits = self._logits(found.features)
        starts = np.flatnonzero(np.append(True, found.words[1:] != found.words[:-1])[: len(found.words)])
        sizes = np.diff(np.append(starts, len(found.words)))
        # all candidates together with the case that none of them is right
        wholes = np.logaddexp(np.logaddexp.reduceat(logits, starts), 0) if len(starts) else starts
        order = np.lexsort((found.rows, -logits, found.words))
        rows, scores = found.rows[order], (logits[order] - np.repeat(wholes, sizes)).tolist()
        ranks = np.arange(1, len(rows) + 1) - np.repeat(starts, sizes)
        is_right = (rows[:, None] == np.asarray(right, np.int64)).any(axis=1)
        ranks[~is_right | (ranks > RANK_DEPTH)] = RANK_DEPTH + 1
        first = np.minimum.reduceat(ranks, starts).tolist() if len(starts) else []
        for start, size, rank in zip(starts.tolist(), sizes.tolist(), first, strict=True):
            best = rows[start : start + min(size, top)].tolist()
            row = tuple(map(Guess, map(self._page, best), scores[start : start + top]))
            ranked[int(found.words[start])] = row, rank if rank <= RANK_DEPTH else None
        self._previous = reading, right, top, ranked
        heard = tuple(range(1, len(tossup.words) + 1))
        positions = found.position_of.tolist()
        return Playthrough(
            self.name,
            tossup,
            heard,
            tuple(ranked[position][0] for position in positions),
            tuple(ranked[position][1] for position in positions),
            knows_answer=None if tossup.answer is None else any(map(self.knows, right)),
        )

    def knows(self, row: int) -> bool:
        """Whether any member can name the page in this row: all candidates are proposed by members."""
        return any(member.knows(row) for member in self._members)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """None: the evidence for a candidate is that of the members."""
        return None

    def _page(self, row: int) -> Page:
        return self._pages.all[row]

    def _logits(self, features: Floats) -> Floats:
        lowest, highest = self._feature_limits
        features = np.minimum(np.maximum(features, lowest), highest)  # in a third of the time of np.clip
        for weights, biases in self._layers[:-1]:
            features = np.maximum(features @ weights + biases, np.float32(0))
        weights, biases = self._layers[-1]
        found: Floats = (features @ weights + biases)[:, 0]
        return found


def candidates(
    tossup: Tossup,
    members: Sequence[EnsembleMember],
    clues: ClueKinds,
    types: AnswerTypes,
    log_tossup_counts: npt.NDArray[np.float32],
    past: PastUse | None = None,
    *,
    after: int = 0,
    choose: Callable[[Numbers], Numbers] | None = None,
) -> CandidateFeatures:
    """The candidates of ``tossup`` after each word that changes them, and their features.

    For the first ``after`` words the result has only ``position_of``. ``choose`` gets the numbers of words
    heard after which there are candidates, if any, and returns those whose candidates are wanted.

    For each member: how far the page is behind that member's best, and, where the page is first, how far
    ahead of the next, both with their square roots; its rank, its share among the candidates, its score,
    whether the member knows the page; and the lead of the first page. Then how many members have it first,
    its mean and its least distance, the type match, how often the page is asked for, and the position. Last
    the clues. An ensemble without ``past`` is told how far the page is behind the page with the most of each
    clue. One with it is told how far behind each member's best the page was in the last words; and what it
    has of ``past``, and how far that is behind the page with the most.
    """
    words = len(tossup.words)
    firsts = [member.candidates(tossup) for member in members]
    candidate_rows = np.hstack(firsts)  # [words, members * wide]
    changed = np.flatnonzero(np.any(candidate_rows[1:] != candidate_rows[:-1], axis=1)) + 1
    positions = np.append(0, changed)[:words]
    positions = positions[np.any(candidate_rows[positions] >= 0, axis=1)]
    position_of = np.zeros(words, np.int64)
    if len(positions):
        at = np.searchsorted(positions, np.arange(words), side="right") - 1
        position_of = np.where(at >= 0, positions[at] + 1, 0)
    positions = positions[positions >= after]
    if choose is not None and len(positions):
        positions = choose(positions + 1) - 1
    seen = candidate_rows[positions]
    if past is not None and len(seen):  # how far pages are behind is counted from the first of each word
        course = slice(max(0, int(positions[0]) - max(COURSE)), None)
        seen = np.hstack([seen.ravel(), *(first[course, 0] for first in firsts)])
    rows = distinct(seen)
    rows = rows[rows >= 0]
    member_of = np.zeros((len(positions), len(rows) + 1), np.bool_)
    place = np.where(
        candidate_rows[positions] >= 0, np.searchsorted(rows, candidate_rows[positions]), len(rows)
    )
    member_of[np.arange(len(positions))[:, None], place] = True
    # from here on there is an entry for each candidate at each position
    position, column = np.nonzero(member_of[:, :-1])
    starts = np.searchsorted(position, np.arange(len(positions)))
    sizes = np.diff(np.append(starts, len(position)))

    parts: list[npt.NDArray[Any]] = []
    is_first, behind_by = [], []
    for member, guesses in zip(members, firsts, strict=True):
        every = member.scores(tossup, rows)
        if past is not None:
            parts += _course(every, guesses[:, 0], rows, positions[position], column)
        scores = every[positions[position], column]
        known = np.isfinite(scores)
        scores = np.where(known, scores, -np.inf)
        falling = np.append(scores[np.lexsort((-scores, position))], -np.inf)
        best = falling[starts]
        second = np.where(sizes > 1, falling[starts + 1], -np.inf)
        with np.errstate(invalid="ignore"):
            behind = _gap(best[position] - scores)
            lead = np.nan_to_num(best - second, nan=0.0, posinf=LARGEST_GAP).clip(0, LARGEST_GAP)[position]
        first = behind == 0
        rank = np.empty(len(position))
        rank[np.lexsort((column, behind, position))] = np.arange(len(position)) - starts[position]
        nearness = np.exp(-behind)
        together_near = np.add.reduceat(nearness, starts) if len(starts) else nearness
        share = nearness / np.maximum(together_near, 1)[position]
        value = scores.clip(-20, 20)
        parts += [behind, np.sqrt(behind), first * lead, first * np.sqrt(lead)]
        parts += [1 / (1 + rank), share, value / 10, known, lead]
        is_first.append(first & known)
        behind_by.append(behind)
    distance = np.stack(behind_by) if behind_by else np.zeros((1, len(position)))
    heard = (positions + 1)[position].astype(np.float32)
    parts += [
        np.sum(is_first, axis=0),
        distance.mean(axis=0) / 5,
        distance.min(axis=0) / 5,
        types.match(tossup, rows)[positions][position, column],
        log_tossup_counts[rows][column],
        np.log(heard),
        heard / 100,
    ]
    clue_features = clues.of(tossup, rows, positions)[:, position, column]
    parts += [*clue_features]
    compared = clue_features
    if past is not None:
        compared = past.of(tossup, rows)[:, positions[position], column]
        parts += [*compared]
    most = np.maximum.reduceat(compared, starts, axis=1) if len(positions) else compared
    parts += [*(most[:, position] - compared)]
    features = np.stack(parts, dtype=np.float32).T  # feature by feature, as they were made, is twice as quick
    return CandidateFeatures(positions[position] + 1, rows[column], features, position_of)


def _course(
    scores: Floats, firsts: Numbers, rows: Numbers, words: Numbers, column: Numbers
) -> list[npt.NDArray[Any]]:
    """How pages stood with a member in the last words.

    How far behind its first guess each was on average, for each number of words in :data:`COURSE`; how much
    farther behind it is than so many words ago; and the share of all words after which it was first.

    Shapes:
        ``scores``: ``[words, rows]``. ``firsts``: ``[words]``, rows of pages, -1 where the member had none.
        ``words``, counted from 0, and ``column``: an entry for each result.
    """
    if not len(words):
        return [np.zeros(0)] * (len(COURSE) + 2)
    at = np.minimum(np.searchsorted(rows, firsts), len(rows) - 1)
    none = rows[at] != firsts  # or one that no word looks back to
    every = np.arange(len(firsts))
    behind = _gap(scores[every, at][:, None] - scores)
    behind[none] = 0
    summed, times = np.zeros((2, len(firsts) + 1, len(rows)), np.float32)
    behind.cumsum(axis=0, out=summed[1:])
    times[1:][every[~none], at[~none]] = 1
    times.cumsum(axis=0, out=times)
    heard = words + 1
    found: list[npt.NDArray[Any]] = []
    for recent in COURSE:
        before = np.maximum(heard - recent, 0)
        found.append((summed[heard, column] - summed[before, column]) / (heard - before))
    found.append(behind[words, column] - behind[np.maximum(words - COURSE[0], 0), column])
    found.append(times[heard, column] / heard)
    return found


def _gap(behind: Floats) -> Floats:
    """``behind``, which is changed, cut off at :data:`LARGEST_GAP`; so far behind is a page without score."""
    behind[~(behind < LARGEST_GAP)] = LARGEST_GAP  # not a number, too
    return np.maximum(behind, 0, out=behind)
