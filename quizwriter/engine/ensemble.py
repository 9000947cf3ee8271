"""The ensemble: what the other players think of, weighed anew by a small network.

It takes the first guesses of every member after every word, asks all members what they make of each, adds
which sorts of clues speak for the page and whether it is the type of thing that the words heard ask for, and
orders the candidates by the chance that a network fitted on the buzzer fold gives them. In the spirit of
Yamada et al., "Studio Ousia's Quiz Bowl Question Answering System" (2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Guess, Playthrough, Row
from quizwriter.domain.tossup import Page, Tossup
from quizwriter.engine.dan import Dan
from quizwriter.engine.pages import Pages
from quizwriter.engine.retrieval import Retrieval
from quizwriter.engine.tokenizer import SORTS, TokenizedTossup, places, tokenize

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

FARTHEST = 15.0
"""Beyond this a page is as good as out of the question for a member, in its units."""


RARE = (2, 10, 100)
"""Terms on at most so many pages are of one rarity; what is on more is common."""

RECENT = (6, 12, 30)
"""How many of the last words are looked at by themselves."""

CLUES = 2 * (len(SORTS) * (len(RARE) + 1) + len(RECENT)) + len(SORTS) + 3
"""How many numbers :meth:`ClueKinds.of` gives for each page."""


def feature_count(members: int) -> int:
    """How many numbers describe a candidate to an ensemble of so many members."""
    return 9 * members + 7 + 2 * CLUES


class EnsembleMember(Protocol):
    """A player that the ensemble listens to."""

    @property
    def name(self) -> str:
        """Its short name."""

    def knows(self, row: int) -> bool:
        """Whether the page in this row is one that it can name."""

    def candidates(self, tossup: Tossup) -> Numbers:
        """Its first guesses after every word as rows of pages, best first, -1 where there are fewer.

        Shapes:
            ``[words, wide]``.
        """

    def scores(self, tossup: Tossup, rows: Numbers) -> Floats:
        """What it makes of the pages in ``rows`` after every word, as natural logarithms; nan: nothing.

        Shapes:
            ``[words, rows]``.
        """


class AnswerTypes:
    """Which type of thing the words heard ask for, and which type each page is.

    A type is what the field and the noun after "this" make together: a person in literature, a place in
    history. The DAN's mean vector decides, by logistic regression.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray[Any, Any]], dan: Dan) -> None:
        """The types of ``arrays``.

        Shapes:
            ``type_weights``: ``[width, types]``. ``type_biases``: ``[types]``. ``page_types``, how much
            commoner a type is among the tossups on a class than among all: ``[c, types]``.
        """
        self._weights, self._biases = arrays["type_weights"], arrays["type_biases"]
        self._of_class = arrays["page_types"]
        self._dan = dan

    def match(self, tossup: Tossup, rows: Numbers) -> Floats:
        """How much likelier the type wanted makes each page, as a natural logarithm; 0 for unknown pages.

        Shapes:
            ``[words, rows]``.
        """
        words = len(tossup.words)
        moments, means = self._dan.means(tokenize(tossup))
        found = np.zeros((len(moments) + 1, len(rows)), np.float32)
        number = places(rows, self._dan.classes)
        known = np.flatnonzero(number >= 0)
        wanted = means @ self._weights + self._biases
        wanted = np.exp(wanted - wanted.max(axis=1, keepdims=True, initial=-np.inf))
        wanted /= wanted.sum(axis=1, keepdims=True)
        found[:-1, known] = np.log(wanted @ self._of_class[number[known]].T.astype(np.float32) + 1e-3)
        at = np.searchsorted(np.asarray(moments, np.int64), np.arange(1, words + 1), side="right") - 1
        return found[at]


class ClueKinds:
    """Which sorts of clues speak for a page: retrieval adds them all up, and so cannot tell them apart."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval

    def of(self, tossup: Tossup, rows: Numbers, moments: Numbers) -> Floats:
        """What speaks for ``rows``, distinct pages in rising order, when the words in ``moments`` are heard.

        For each sort and rarity of terms, and for all in the last few words: what they add to the page's
        points, and how many do; the page's share of the words heard, by their rarity; the strongest term of
        each sort; how many terms were heard, and how many passages are about the page.

        Shapes:
            ``moments``: words counted from 0. Result: ``[CLUES, moments, rows]``.
        """
        shares = self._retrieval.shares(tossup, rows)
        hits = (shares.points > 0).astype(np.float32)
        heard = shares.last <= moments[:, None]
        rarity = np.searchsorted(RARE, shares.spread)
        kept = [
            heard & (shares.sorts == sort) & (rarity == rare)
            for sort in range(len(SORTS))
            for rare in range(len(RARE) + 1)
        ]
        kept += [heard & (shares.last > moments[:, None] - recent) for recent in RECENT]
        some = np.stack(kept).astype(np.float32)  # [groups, moments, terms]
        telling = np.where(shares.sorts == 0, np.log(len(self._retrieval.pages) / shares.spread), 0.0)
        told = heard * telling.astype(np.float32)
        order = np.argsort(shares.last, kind="stable")
        upto = np.searchsorted(shares.last[order], moments, side="right")
        nothing = np.zeros((1, len(rows)), np.float32)
        strongest = []
        for sort in range(len(SORTS)):
            points = np.where((shares.sorts == sort)[:, None], shares.points, 0)[order]
            strongest.append(np.vstack([nothing, np.maximum.accumulate(points, axis=0)])[upto])
        wide = (len(moments), len(rows))
        found = [
            *(some @ shares.points),
            *(some @ hits),
            (told @ hits) / np.maximum(told.sum(axis=1, keepdims=True), 1),
            *strongest,
            np.broadcast_to(heard.sum(axis=1)[:, None], wide),
            np.broadcast_to(self._retrieval.passages(rows), wide),
        ]
        return np.stack(found, dtype=np.float32)


@dataclass(frozen=True)
class CandidateField:
    """The candidates of a tossup, moment by moment.

    ``words[i]`` had been heard when page ``rows[i]`` was a candidate described by ``features[i]``; sorted by
    words. ``moment_of[w]`` is the last moment at which candidates changed, in words heard, 0 before any.
    """

    words: Numbers
    rows: Numbers
    features: Floats
    moment_of: Numbers


_Said = tuple[Row, int | None]  # what is said at a moment, and the answer's rank


class Ensemble:
    """Re-ranks its members' candidates. It has no evidence of its own."""

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray[Any, Any]],
        members: Sequence[EnsembleMember],
        clues: ClueKinds,
        types: AnswerTypes,
        pages: Pages,
        asked: npt.NDArray[np.float32],
    ) -> None:
        """The ensemble of ``members``, in the order they had when it was fitted.

        Shapes:
            ``weights0``, …, ``biases0``, …: the layers of the network, rectified units between. ``lowest``
            and ``highest``: what each feature is cut off at.
            ``asked``: for each page the logarithm of one more than the tossups on it.
        """
        self._members = tuple(members)
        self._clues = clues
        self._types = types
        self._pages = pages
        self._asked = asked
        self._ends = arrays["lowest"], arrays["highest"]
        self._layers = [
            (arrays[f"weights{layer}"], arrays[f"biases{layer}"])
            for layer in range(sum(name.startswith("weights") for name in arrays))
        ]
        # what was said last, most of which is said again of a draft with one more letter
        self._before: tuple[TokenizedTossup, int | None, int, dict[int, _Said]] | None = None

    @property
    def name(self) -> str:
        """``ensemble``."""
        return "ensemble"

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` candidates after every word of ``tossup``.

        Units:
            Scores are natural logarithms of each candidate's chance to be the answer.

        Raises:
            ValueError: ``top`` is less than 1.
        """
        if top < 1:
            raise ValueError("top must be at least 1")
        reading = tokenize(tossup)
        answer = None if tossup.answer is None else self._pages.rows.get(tossup.answer.key)
        said: dict[int, _Said] = {0: ((), None)}
        alike = 0
        before = self._before  # once, as players are heard in more than one thread
        if before is not None and before[1:3] == (answer, top):
            alike = reading.alike(before[0])
            said |= {moment: row for moment, row in before[3].items() if moment <= alike}
        parties = tossup, self._members, self._clues, self._types, self._asked
        field = candidates(*parties, after=alike)
        if not said.keys() >= {moment for moment in field.moment_of.tolist() if moment <= alike}:
            field, said = candidates(*parties), {0: ((), None)}  # a member's tie fell the other way this time
        logits = self._logits(field.features)
        starts = np.flatnonzero(np.append(True, field.words[1:] != field.words[:-1])[: len(field.words)])
        sizes = np.diff(np.append(starts, len(field.words)))
        # all candidates together, or none of them
        wholes = np.logaddexp(np.logaddexp.reduceat(logits, starts), 0) if len(starts) else starts
        order = np.lexsort((field.rows, -logits, field.words))
        rows, scores = field.rows[order], (logits[order] - np.repeat(wholes, sizes)).tolist()
        for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
            best = rows[start : start + min(size, RANK_DEPTH)].tolist()
            row = tuple(map(Guess, map(self._page, best[:top]), scores[start : start + top]))
            said[int(field.words[start])] = row, best.index(answer) + 1 if answer in best else None
        self._before = reading, answer, top, said
        heard = tuple(range(1, len(tossup.words) + 1))
        moments = field.moment_of.tolist()
        return Playthrough(
            self.name,
            tossup,
            heard,
            tuple(said[moment][0] for moment in moments),
            tuple(said[moment][1] for moment in moments),
            knows_answer=None if tossup.answer is None else answer is not None and self.knows(answer),
        )

    def knows(self, row: int) -> bool:
        """Whether any member can name the page in this row: all candidates are proposed by members."""
        return any(member.knows(row) for member in self._members)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """None: its reasons are its members'."""
        return None

    def _page(self, row: int) -> Page:
        return self._pages.all[row]

    def _logits(self, features: Floats) -> Floats:
        features = np.clip(features, *self._ends)
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
    asked: npt.NDArray[np.float32],
    *,
    after: int = 0,
) -> CandidateField:
    """Who may be meant in ``tossup`` after each word that changes it, and what is known of each.

    Of the first ``after`` words only ``moment_of`` is told.

    For each member: how far the page is behind that member's best, and if it is the first, how far ahead of
    the next, both with their roots; its rank, its share among the candidates, its score, whether it is known
    at all; and the lead of whoever is first. Then how many members have it first, its mean and its least
    distance, the type match, how often it is asked, and the position. Last the clues, and how far the page
    is behind whoever has most of each.
    """
    words = len(tossup.words)
    firsts = [member.candidates(tossup) for member in members]
    together = np.hstack(firsts)  # [words, members * wide]
    changed = np.flatnonzero(np.any(together[1:] != together[:-1], axis=1)) + 1
    moments = np.append(0, changed)[:words]
    moments = moments[np.any(together[moments] >= 0, axis=1)]
    moment_of = np.zeros(words, np.int64)
    if len(moments):
        at = np.searchsorted(moments, np.arange(words), side="right") - 1
        moment_of = np.where(at >= 0, moments[at] + 1, 0)
    moments = moments[moments >= after]
    rows = np.unique(together[moments])
    rows = rows[rows >= 0]
    member_of = np.zeros((len(moments), len(rows) + 1), np.bool_)
    place = np.where(together[moments] >= 0, np.searchsorted(rows, together[moments]), len(rows))
    member_of[np.arange(len(moments))[:, None], place] = True
    moment, column = np.nonzero(member_of[:, :-1])  # from here on an entry for each candidate at each moment
    starts = np.searchsorted(moment, np.arange(len(moments)))
    sizes = np.diff(np.append(starts, len(moment)))

    parts: list[npt.NDArray[Any]] = []
    is_first, behind_by = [], []
    for member in members:
        scores = member.scores(tossup, rows)[moments[moment], column]
        known = np.isfinite(scores)
        scores = np.where(known, scores, -np.inf)
        falling = np.append(scores[np.lexsort((-scores, moment))], -np.inf)
        best = falling[starts]
        second = np.where(sizes > 1, falling[starts + 1], -np.inf)
        with np.errstate(invalid="ignore"):
            behind = np.nan_to_num(best[moment] - scores, nan=FARTHEST, posinf=FARTHEST).clip(0, FARTHEST)
            lead = np.nan_to_num(best - second, nan=0.0, posinf=FARTHEST).clip(0, FARTHEST)[moment]
        first = behind == 0
        rank = np.empty(len(moment))
        rank[np.lexsort((column, behind, moment))] = np.arange(len(moment)) - starts[moment]
        nearness = np.exp(-behind)
        together_near = np.add.reduceat(nearness, starts) if len(starts) else nearness
        share = nearness / np.maximum(together_near, 1)[moment]
        value = np.nan_to_num(scores, neginf=-20.0).clip(-20, 20)
        parts += [behind, np.sqrt(behind), first * lead, first * np.sqrt(lead)]
        parts += [1 / (1 + rank), share, value / 10, known, lead]
        is_first.append(first & known)
        behind_by.append(behind)
    distance = np.stack(behind_by) if behind_by else np.zeros((1, len(moment)))
    heard = (moments + 1)[moment].astype(np.float32)
    parts += [
        np.sum(is_first, axis=0),
        distance.mean(axis=0) / 5,
        distance.min(axis=0) / 5,
        types.match(tossup, rows)[moments][moment, column],
        asked[rows][column],
        np.log(heard),
        heard / 100,
    ]
    told = clues.of(tossup, rows, moments)[:, moment, column]
    most = np.maximum.reduceat(told, starts, axis=1) if len(moments) else told
    parts += [*told, *(most[:, moment] - told)]
    features = np.stack(parts, dtype=np.float32).T  # feature by feature, as they were made, is twice as quick
    return CandidateField(moments[moment] + 1, rows[column], features, moment_of)
