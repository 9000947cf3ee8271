"""Figures: shares and means with their 95 % intervals, and percentiles; the standard library suffices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

import msgspec

_Z = 1.959964
"""How many standard errors a 95 % interval reaches to each side."""


class Estimate(msgspec.Struct, frozen=True):
    """A figure of ``number`` cases with its 95 % interval; None where there is nothing, never nan."""

    number: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


def share_of(hits: int, number: int) -> Estimate:
    """The share of ``hits`` in ``number``, with its 95 % interval.

    Source:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
        American Statistical Association 22 (1927), 209-212.
    """
    if not number:
        return Estimate(0)
    share, square = hits / number, _Z * _Z
    middle = (share + square / (2 * number)) / (1 + square / number)
    reach = _Z * math.sqrt(share * (1 - share) / number + square / (4 * number * number))
    reach /= 1 + square / number
    return Estimate(number, share, max(0.0, middle - reach), min(1.0, middle + reach))


def mean_of(values: Sequence[float]) -> Estimate:
    """The mean of ``values`` between 0 and 1; its 95 % interval is by the normal approximation.

    A single value has no interval, and equal values have none: they do not tell how far others would differ.
    """
    if not values:
        return Estimate(0)
    mean = fmean(values)
    if len(set(values)) < 2:
        return Estimate(len(values), mean)
    reach = _Z * stdev(values) / math.sqrt(len(values))
    return Estimate(len(values), mean, max(0.0, mean - reach), min(1.0, mean + reach))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest of ``values`` that ``percent`` of them do not exceed; nan of nothing."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(percent / 100 * len(values)) - 1)]
