"""The ensemble: what the other players think of, weighed anew by a small network.

It takes the first guesses of every member after every word, asks all members what they make of each, adds
whether the page is the type of thing that the words heard ask for, and orders the candidates by the chance
that a network fitted on the buzzer fold gives them. In the spirit of Yamada et al., "Studio Ousia's Quiz Bowl
Question Answering System" (2018).
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
from quizwriter.engine.terms import places, read

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

FARTHEST = 15.0
"""Beyond this a page is as good as out of the question for a member, in its units."""


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
        types: Types,
        pages: Pages,
        asked: npt.NDArray[np.float32],
    ) -> None:
        """The ensemble of ``members``, in the order they had when it was fitted.

        Shapes:
            ``weights0``, …, ``biases0``, …: the layers of the network, rectified units between.
            ``asked``: for each page the logarithm of one more than the tossups on it.
        """
        self._members = tuple(members)
        self._types = types
        self._pages = pages
        self._asked = asked
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
            Scores are natural logarithms of each candidate's chance to be right, fitted one by one.

        Raises:
            ValueError: ``top`` is less than 1.
        """
        if top < 1:
            raise ValueError("top must be at least 1")
        field = candidates(tossup, self._members, self._types, self._asked)
        scores = self._log_chances(field.features)
        answer = None if tossup.answer is None else self._pages.rows.get(tossup.answer.key)
        said: dict[int, tuple[Row, int | None]] = {0: ((), None)}
        starts = np.flatnonzero(np.append(True, field.words[1:] != field.words[:-1])[: len(field.words)])
        ends = np.append(starts[1:], len(field.words))[: len(starts)]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            order = np.lexsort((field.rows[start:end], -scores[start:end]))
            rows = field.rows[start:end][order]
            row = tuple(
                Guess(self._page(page), score)
                for page, score in zip(
                    rows[:top].tolist(), scores[start:end][order][:top].tolist(), strict=True
                )
            )
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

    def _log_chances(self, features: Floats) -> Floats:
        for weights, biases in self._layers[:-1]:
            features = np.maximum(features @ weights + biases, np.float32(0))
        weights, biases = self._layers[-1]
        logits = (features @ weights + biases)[:, 0]
        found: Floats = -np.logaddexp(np.float32(0), -logits)
        return found


def candidates(
    tossup: Tossup, members: Sequence[Member], types: Types, asked: npt.NDArray[np.float32]
) -> Field:
    """Who may be meant in ``tossup`` after each word that changes it, and what is known of each.

    For each member: how far the page is behind that member's best, and if it is the first, how far ahead of
    the next, both with their roots; its rank, its share among the candidates, its score, whether it is known
    at all; and the lead of whoever is first. Then how many members have it first, its mean and its least
    distance, the type match, how often it is asked, and the position.
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
    return Field(moments[moment] + 1, rows[column], np.stack(parts, axis=1).astype(np.float32), moment_of)
