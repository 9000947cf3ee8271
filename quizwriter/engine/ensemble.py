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
from quizwriter.domain.guessing import IN_SIGHT, TOP, Guess, Playthrough, Row
from quizwriter.domain.tossup import Page, Tossup
from quizwriter.engine.neural import Dan
from quizwriter.engine.pages import Pages
from quizwriter.engine.retrieval import Retrieval
from quizwriter.engine.terms import SORTS, places, read

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

FARTHEST = 15.0
"""Beyond this a page is as good as out of the question for a member, in its units."""


RARE = (2, 10, 100)
"""Terms on at most so many pages are of one rarity; what is on more is common."""

RECENT = (6, 12, 30)
"""How many of the last words are looked at by themselves."""

CLUES = 2 * (len(SORTS) * (len(RARE) + 1) + len(RECENT)) + len(SORTS) + 3
"""How many numbers :meth:`Clues.of` gives for each page."""


def told_of(members: int) -> int:
    """How many numbers describe a candidate to an ensemble of so many members."""
    return 9 * members + 7 + 2 * CLUES


class Member(Protocol):
    """A player that the ensemble listens to."""

    @property
    def name(self) -> str:
        """Its short name."""

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


class Types:
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
        moments, means = self._dan.means(read(tossup))
        found = np.zeros((len(moments) + 1, len(rows)), np.float32)
        number = places(rows, self._dan.classes)
        known = np.flatnonzero(number >= 0)
        wanted = means @ self._weights + self._biases
        wanted = np.exp(wanted - wanted.max(axis=1, keepdims=True, initial=-np.inf))
        wanted /= wanted.sum(axis=1, keepdims=True)
        found[:-1, known] = np.log(wanted @ self._of_class[number[known]].T.astype(np.float32) + 1e-3)
        at = np.searchsorted(np.asarray(moments, np.int64), np.arange(1, words + 1), side="right") - 1
        return found[at]


class Clues:
    """Which sorts of clues speak for a page: retrieval adds them all up, and so cannot tell them apart."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval

    def of(self, tossup: Tossup, rows: Numbers, moments: Numbers) -> Floats:
        """What speaks for ``rows``, distinct pages in rising order, when the words in ``moments`` are heard.

        For each sort and rarity of terms, and for all in the last few words: what they add to the page's
        points, and how many do; the page's share of the words heard, by their rarity; the strongest term of
        each sort; how many terms were heard, and how many passages are about the page.

        Shapes:
            ``moments``: words counted from 0. Result: ``[moments, rows, CLUES]``.
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
        return np.stack(found, axis=-1).astype(np.float32)


@dataclass(frozen=True)
class Field:
    """The candidates of a tossup, moment by moment.

    ``words[i]`` had been heard when page ``rows[i]`` was a candidate described by ``features[i]``; sorted by
    words. ``moment_of[w]`` is the last moment at which candidates changed, in words heard, 0 before any.
    """

    words: Numbers
    rows: Numbers
    features: Floats
    moment_of: Numbers


class Ensemble:
    """Re-ranks its members' candidates. It has no evidence of its own."""

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray[Any, Any]],
        members: Sequence[Member],
        clues: Clues,
        types: Types,
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
        field = candidates(tossup, self._members, self._clues, self._types, self._asked)
        logits = self._logits(field.features)
        answer = None if tossup.answer is None else self._pages.rows.get(tossup.answer.key)
        said: dict[int, tuple[Row, int | None]] = {0: ((), None)}
        starts = np.flatnonzero(np.append(True, field.words[1:] != field.words[:-1])[: len(field.words)])
        ends = np.append(starts[1:], len(field.words))[: len(starts)]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            now = logits[start:end]
            order = np.lexsort((field.rows[start:end], -now))
            rows = field.rows[start:end][order]
            scores = now[order] - np.logaddexp.reduce(now, initial=0.0)  # or it is none of them
            row = tuple(map(Guess, map(self._page, rows[:top].tolist()), scores[:top].tolist()))
            place = np.flatnonzero(rows[:IN_SIGHT] == answer)
            said[int(field.words[start])] = row, int(place[0]) + 1 if len(place) else None
        heard = tuple(range(1, len(tossup.words) + 1))
        moments = field.moment_of.tolist()
        return Playthrough(
            self.name,
            tossup,
            heard,
            tuple(said[moment][0] for moment in moments),
            tuple(said[moment][1] for moment in moments),
        )

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
    tossup: Tossup, members: Sequence[Member], clues: Clues, types: Types, asked: npt.NDArray[np.float32]
) -> Field:
    """Who may be meant in ``tossup`` after each word that changes it, and what is known of each.

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
    rows = np.unique(together[moments])
    rows = rows[rows >= 0]
    member_of = np.zeros((len(moments), len(rows) + 1), np.bool_)
    place = np.where(together[moments] >= 0, np.searchsorted(rows, together[moments]), len(rows))
    member_of[np.arange(len(moments))[:, None], place] = True
    moment, column = np.nonzero(member_of[:, :-1])

    parts: list[npt.NDArray[Any]] = []
    is_first, behind_by = [], []
    for member in members:
        scores = member.scores(tossup, rows)[moments]
        known = np.isfinite(scores)
        scores = np.where(member_of[:, :-1] & known, scores, -np.inf)
        nobody = np.full((len(moments), 2), -np.inf, np.float32)  # there may be less than two candidates
        ordered = -np.sort(-np.hstack([scores, nobody]), axis=1)
        best, second = ordered[:, :1], ordered[:, 1:2]
        with np.errstate(invalid="ignore"):
            behind = np.clip(np.nan_to_num(best - scores, nan=FARTHEST, posinf=FARTHEST), 0, FARTHEST)
            lead = np.clip(np.nan_to_num(best - second, nan=0.0, posinf=FARTHEST), 0, FARTHEST)
        first = behind == 0
        # those of other moments come last: no rank may depend on what is said later
        order = np.argsort(np.where(member_of[:, :-1], behind, np.inf), axis=1, kind="stable")
        rank = np.argsort(order, axis=1)
        share = np.exp(-behind) / np.maximum(
            np.exp(-behind).sum(axis=1, keepdims=True, where=member_of[:, :-1]), 1
        )
        value = np.clip(np.nan_to_num(scores, neginf=-20.0), -20, 20)
        columns = [
            behind, np.sqrt(behind), first * lead, first * np.sqrt(lead),
            1 / (1 + rank), share, value / 10, known,
        ]  # fmt: skip
        parts += [values[moment, column] for values in columns]
        parts.append(np.broadcast_to(lead, behind.shape)[moment, column])
        is_first.append((first & known)[moment, column])
        behind_by.append(behind[moment, column])
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
    told = clues.of(tossup, rows, moments)
    most = np.where(member_of[:, :-1, None], told, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        lacks = most - told
    parts += [*told[moment, column].T, *lacks[moment, column].T]
    return Field(moments[moment] + 1, rows[column], np.stack(parts, axis=1).astype(np.float32), moment_of)
