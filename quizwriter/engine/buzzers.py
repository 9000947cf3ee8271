"""When to interrupt: the chance that the first guess is right, and whether it is worth the risk."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import astuple, replace

from quizwriter.domain.guessing import TOP, Buzz, Playthrough, Row
from quizwriter.system.decoding import DecodingError, decode_value

DEFAULT_THRESHOLD = 0.5
"""The confidence to buzz at: it wins most on the buzzer fold, by the win chances of arXiv 1904.04792."""

_CONSTANT, _ROOT, _LINEAR = -3.38, 3.68, -0.53
_LARGEST_LEAD = 12.0  # a larger lead does not make a guess more likely


class MarginBuzzer:
    """Buzzes once the first guess leads the second by enough; the simple rule until buzzers are trained.

    The confidence is a logistic function of the lead and its root, fitted on the buzzer fold; on the
    development fold its expected calibration error is .010.
    """

    threshold = DEFAULT_THRESHOLD

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        found: list[float] = []
        last: Row | None = None
        for row in play.rows:
            if row is not last:  # most words change nothing, and share the row before
                last, now = row, chance(row) if row else 0.0
            found.append(now)
        return tuple(found)

    def buzz(self, play: Playthrough) -> Buzz | None:
        return play.first_buzz(DEFAULT_THRESHOLD)


FEATURES = 8
"""How many numbers :func:`buzzer_features` gives for each row."""


def buzzer_features(play: Playthrough) -> npt.NDArray[np.float64]:
    """The features of each row of ``play``, from that row and earlier ones only.

    Whether there is a guess; the first guess's lead, its root, and its lead over the fifth; its score; for
    how many words it has been first, as a logarithm; how many words were heard, and their logarithm.

    Shapes:
        ``[rows, FEATURES]``.
    """
    last: Row | None = None
    since = 0
    of_rows: list[tuple[float, ...]] = []
    numbers, sinces = [], []
    for heard, row in zip(play.heard, play.rows, strict=True):
        if row is not last:  # most words change nothing, and share the row before
            if row and (not last or last[0].page != row[0].page):
                since = heard
            last = row
            if row:
                lead = min(row[0].score - row[1].score, _LARGEST_LEAD) if len(row) > 1 else 0.0
                far = min(row[0].score - row[:TOP][-1].score, 2 * _LARGEST_LEAD)
                of_rows.append((1.0, lead, math.sqrt(lead), far, row[0].score))
            else:
                of_rows.append((0.0,) * 5)
        numbers.append(len(of_rows) - 1)
        sinces.append(since)
    found = np.zeros((len(play.rows), FEATURES))
    if numbers:
        words = np.asarray(play.heard, np.float64)
        found[:, :5] = np.asarray(of_rows)[numbers]
        found[:, 5:] = np.stack([np.log1p(words - sinces), words, np.log(words)], axis=1)
    return found


_Weight = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
_Chance = Annotated[float, msgspec.Meta(ge=0, le=1)]


class CalibratedBuzzer(msgspec.Struct, frozen=True):
    """Buzzes once the chance that its guess is right, as fitted on other tossups, is ``threshold``.

    The chance is a curve through ``knots`` and ``values`` over a weighted sum of what
    :func:`buzzer_features`.
    """

    weights: Annotated[tuple[_Weight, ...], msgspec.Meta(min_length=FEATURES, max_length=FEATURES)]
    constant: _Weight
    knots: Annotated[tuple[_Weight, ...], msgspec.Meta(min_length=1)]
    values: tuple[_Chance, ...]
    threshold: _Chance = msgspec.field(name="worth_it")  # as bundles call it

    @classmethod
    def from_json(cls, saved: Mapping[str, object]) -> CalibratedBuzzer:
        """The buzzer that :meth:`as_json` saved, maybe together with other values."""
        own = {name: saved[name] for name in cls.__struct_encode_fields__ if name in saved}
        read = decode_value(own, cls)
        rising = all(one < other for one, other in pairwise(read.knots))
        if not rising or len(read.knots) != len(read.values):
            raise DecodingError("knots: a rising number for each value is expected")
        if any(one > other for one, other in pairwise(read.values)):
            raise DecodingError("values: they fall")
        return read

    def as_json(self) -> dict[str, object]:
        return dict(zip(self.__struct_encode_fields__, astuple(self), strict=True))

    def with_threshold(self, threshold: float) -> CalibratedBuzzer:
        return replace(self, threshold=threshold)

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        features = buzzer_features(play)
        found = np.interp(features @ np.asarray(self.weights) + self.constant, self.knots, self.values)
        return tuple(np.where(features[:, 0] > 0, found, 0.0).tolist())

    def buzz(self, play: Playthrough) -> Buzz | None:
        return play.first_buzz(self.threshold)


def chance(row: Row) -> float:
    """The chance, from 0 to 1, that the first guess of ``row`` is right.

    A guess without a second has no lead: too few words were heard.
    """
    lead = min(row[0].score - row[1].score, _LARGEST_LEAD) if len(row) > 1 else 0.0
    return 1 / (1 + math.exp(-(_CONSTANT + _ROOT * math.sqrt(lead) + _LINEAR * lead)))
