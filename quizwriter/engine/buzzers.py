"""When to interrupt: the chance that the first guess is right, and whether it is worth the risk."""

from __future__ import annotations

import math
from dataclasses import dataclass

from quizwriter.domain.guessing import Buzz, Playthrough, Row


@dataclass(frozen=True, slots=True)
class MarginBuzzer:
    """Buzzes once the first guess leads the second by enough; the simple rule until buzzers are trained.

    The confidence is a logistic function of the lead and of the first guess's points.
    """

    threshold: float = 0.5
    slope: float = 1.0
    bias: float = 0.0

    def buzz(self, play: Playthrough) -> Buzz | None:
        """The first moment at which the confidence reaches the threshold; None if it never does."""
        row: Row | None = None
        for heard, said in zip(play.heard, play.rows, strict=True):
            if said is row or not said:
                continue
            row = said
            confidence = self.confidence(row)
            if confidence >= self.threshold:
                return Buzz(heard, row[0], confidence)
        return None

    def confidence(self, row: Row) -> float:
        """The chance that the first guess of ``row`` is right."""
        lead = row[0].score - (row[1].score if len(row) > 1 else 0.0)
        return 1 / (1 + math.exp(-(self.slope * lead + self.bias)))
