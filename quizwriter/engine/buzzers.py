"""When to interrupt: the chance that the first guess is right, and whether it is worth the risk."""

from __future__ import annotations

import math

from quizwriter.domain.guessing import Buzz, Playthrough, Row

WORTH_IT = 0.5
"""The confidence to buzz at: it wins most on the buzzer fold, by the win chances of arXiv 1904.04792."""

_CONSTANT, _ROOT, _LINEAR = -3.43, 3.19, -0.43
_FARTHEST = 12.0  # beyond this a larger lead says nothing more


class MarginBuzzer:
    """Buzzes once the first guess leads the second by enough; the simple rule until buzzers are trained.

    The confidence is a logistic function of the lead and its root, fitted on the buzzer fold; on the
    development fold its expected calibration error is .014.
    """

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        """For each row of ``play``, the chance that its first guess is right."""
        found: list[float] = []
        last: Row | None = None
        for row in play.rows:
            if row is not last:  # most words change nothing, and share the row before
                last, now = row, chance(row) if row else 0.0
            found.append(now)
        return tuple(found)

    def buzz(self, play: Playthrough) -> Buzz | None:
        """The first moment at which the confidence is high enough; None if it never is."""
        return first_worth_it(play, WORTH_IT)


def first_worth_it(play: Playthrough, confidence: float) -> Buzz | None:
    """The buzz at the first row whose chance is at least ``confidence``; None if there is none."""
    for heard, row, now in zip(play.heard, play.rows, play.chances, strict=True):
        if row and now >= confidence:
            return Buzz(heard, row[0], now)
    return None


def chance(row: Row) -> float:
    """The chance, from 0 to 1, that the first guess of ``row`` is right.

    A lone guess leads nobody: too little was heard.
    """
    lead = min(row[0].score - row[1].score, _FARTHEST) if len(row) > 1 else 0.0
    return 1 / (1 + math.exp(-(_CONSTANT + _ROOT * math.sqrt(lead) + _LINEAR * lead)))
