"""How far people agree who judged the same things without seeing each other's judgement."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations

import msgspec


def share_agreed(judgements: Sequence[Sequence[Hashable]]) -> float | None:
    """Of all pairs of judgements of one thing, the share that is equal, on average over the things.

    ``judgements`` has a row for each thing, with one judgement of it from everybody. For two people this
    is percentage agreement as everybody knows it. None where there is nothing to compare.
    """
    shares = []
    for row in judgements:
        pairs = [one == other for one, other in combinations(row, 2)]
        if pairs:
            shares.append(sum(pairs) / len(pairs))
    return sum(shares) / len(shares) if shares else None


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """How much more often two people judge alike than they would by chance: 1 always, 0 no more often.

    None where chance alone has them agree always, as when neither ever used a tag: kappa is undefined
    then.

    Source:
        J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
        Measurement 20 (1960), 37-46: (p_o - p_c) / (1 - p_c), with each person's own frequencies in p_c.
    """
    number = len(one)
    agreed = sum(mine == theirs for mine, theirs in zip(one, other, strict=True))
    by_chance = sum(one.count(kind) * other.count(kind) for kind in set(one))
    # In whole numbers as long as possible, so that "no more than by chance" is exactly 0.
    if by_chance == number * number:
        return None
    return (agreed * number - by_chance) / (number * number - by_chance)


def fleiss_kappa(judgements: Sequence[Sequence[Hashable]]) -> float | None:
    """The same for any number of people, who need not be the same ones for everything.

    ``judgements`` has a row for each thing, with equally many judgements of it, two or more. None where
    there is nothing to compare, or all judgements are of one kind.

    Source:
        J. L. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76
        (1971), 378-382, formulas 3, 5 and 7.
    """
    if not judgements:
        return None
    raters = {len(row) for row in judgements}
    if len(raters) > 1 or min(raters) < 2:
        raise ValueError("everything must be judged by equally many people, two or more")
    each, number = raters.pop(), len(judgements)
    kinds = {kind for row in judgements for kind in row}
    counts = {kind: [row.count(kind) for row in judgements] for kind in kinds}
    pairs = sum(count * (count - 1) for column in counts.values() for count in column)
    agreed = pairs / (number * each * (each - 1))
    if len(kinds) == 1:
        return None
    by_chance = sum((sum(column) / (number * each)) ** 2 for column in counts.values())
    return (agreed - by_chance) / (1 - by_chance)


class KappaEstimate(msgspec.Struct, frozen=True):
    """A kappa over ``number`` things, with its 95 % interval; None where it is not defined."""

    number: int
    kappa: float | None
    low: float | None = None
    high: float | None = None


def estimate_kappa(judgements: Sequence[Sequence[Hashable]], *, same_two: bool) -> KappaEstimate:
    """Cohen's kappa where the ``same_two`` people judged everything, else Fleiss' kappa, with an interval.

    ``judgements`` has a row for each thing, with equally many judgements of it. There is no interval where
    kappa is not defined, not defined without one of the things, or the same without any one of them.

    Source:
        The jackknife estimate of the standard error: B. Efron and C. Stein, "The jackknife estimate of
        variance", Annals of Statistics 9 (1981), 586-596; for kappa, H. J. A. Schouten, "Nominal scale
        agreement among observers", Psychometrika 51 (1986), 453-466. The interval is the estimate and 1.96
        standard errors, within the range of kappa.
    """

    def kappa_of(some: Sequence[tuple[Hashable, ...]]) -> float | None:
        if some and same_two:
            return cohen_kappa(*zip(*some, strict=True))
        return fleiss_kappa(some)

    rows = [tuple(row) for row in judgements]
    number, kappa = len(rows), kappa_of(rows)
    if kappa is None or number < 2:
        return KappaEstimate(number, kappa)
    left: list[tuple[int, float]] = []  # equal rows give the same kappa without one of them
    for row, count in Counter(rows).items():
        rest = list(rows)
        rest.remove(row)
        without = kappa_of(rest)
        if without is None:
            return KappaEstimate(number, kappa)
        left.append((count, without))
    mean = sum(count * value for count, value in left) / number
    spread = sum(count * (value - mean) ** 2 for count, value in left)
    if not spread:
        return KappaEstimate(number, kappa)
    error = 1.96 * math.sqrt((number - 1) / number * spread)
    return KappaEstimate(number, kappa, max(-1.0, kappa - error), min(1.0, kappa + error))
