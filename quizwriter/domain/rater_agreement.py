"""How far people agree who judged the same things without seeing each other's judgement."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations


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

    Raises:
        ValueError: they did not judge equally many things.

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

    Raises:
        ValueError: some things were judged by more people than others, or by fewer than two.

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
