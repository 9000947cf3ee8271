"""The training of the buzzers: chances that mean what they say, and the confidence to buzz at.

A buzzer is fitted on the games of its player on tossups that the player has not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from quizwriter.domain.guessing import Playthrough, Reliability, win_chance
from quizwriter.engine.buzzers import FEATURES, CalibratedBuzzer, buzzer_features

CHANCE_LIMITS = 0.005, 0.995
"""No buzzer gives a lower or a higher chance: so few tossups say nothing of what is rarer."""


LOWEST_THRESHOLD = 0.2
"""The lowest confidence to buzz at."""


def fit_buzzer(plays: Sequence[Playthrough]) -> CalibratedBuzzer:
    """The buzzer that wins most on ``plays``, and whose chances mean there what they say.

    A logistic regression on :func:`quizwriter.engine.buzzers.buzzer_features` orders the rows; an
    isotonic one makes chances of it. The confidence to buzz at is the one with the highest mean win chance.
    """
    from sklearn.isotonic import IsotonicRegression
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    features, right, weights = [], [], []
    for play in plays:
        if play.rows:
            features.append(buzzer_features(play))
            right.append(np.asarray(play.right))
            weights.append(np.full(len(play.rows), 1 / len(play.rows)))
    every = np.concatenate([np.zeros((0, FEATURES)), *features])
    guessed = every[:, 0] > 0
    every = every[guessed]
    truth, weight = (np.concatenate([np.zeros(0), *parts])[guessed] for parts in (right, weights))
    if len(set(truth.tolist())) < 2:  # never right, or always: there is nothing to tell apart
        share = float(np.clip(truth.mean(), *CHANCE_LIMITS)) if len(truth) else CHANCE_LIMITS[0]
        return CalibratedBuzzer((0.0,) * FEATURES, 0.0, (0.0,), (share,), 0.5)
    scaler = StandardScaler().fit(every)
    model = LogisticRegression().fit(scaler.transform(every), truth, sample_weight=weight)
    coefficients = model.coef_[0] / scaler.scale_
    constant = float(model.intercept_[0] - scaler.mean_ @ coefficients)
    logits = every @ coefficients + constant
    curve = IsotonicRegression(y_min=CHANCE_LIMITS[0], y_max=CHANCE_LIMITS[1], out_of_bounds="clip").fit(
        logits, truth, weight
    )
    knots = np.unique(np.quantile(logits, np.linspace(0, 1, 101)))  # they carry the whole curve
    values = np.maximum.accumulate(curve.predict(knots))
    buzzer = CalibratedBuzzer(
        tuple(coefficients.tolist()), constant, tuple(knots.tolist()), tuple(values.tolist()), 0.5
    )
    return buzzer.with_threshold(_best_threshold(buzzer, plays))


def _best_threshold(buzzer: CalibratedBuzzer, plays: Sequence[Playthrough]) -> float:
    """The confidence that wins most on ``plays``; of several that do, the middle of those side by side."""
    thresholds = np.arange(LOWEST_THRESHOLD, CHANCE_LIMITS[1], 0.0025)  # as far as chances go
    won = np.zeros(len(thresholds))
    for play in plays:
        chances = np.asarray(buzzer.chances(play))
        if not len(chances):
            continue
        highest = np.maximum.accumulate(chances)
        at = np.searchsorted(highest, thresholds)
        words = len(play.tossup.words)
        for number, place in enumerate(at.tolist()):
            if place < len(chances) and play.right[place]:
                won[number] += win_chance(play.heard[place] / words)
    best = np.flatnonzero(won >= won.max() - 1e-9)
    run = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)[-1]
    return round(float(thresholds[run[len(run) // 2]]), 4)


def reliability(buzzer: CalibratedBuzzer, plays: Sequence[Playthrough]) -> dict[str, Any]:
    """How well the chances of ``buzzer`` agree with ``plays``, ready for JSON.

    ``error`` and ``table`` are those of :class:`quizwriter.domain.guessing.Reliability`.
    """
    found = Reliability()
    for play in plays:
        found.add(replace(play, chances=buzzer.chances(play)))
    return reliability_report(found)


def reliability_report(found: Reliability) -> dict[str, Any]:
    """``found``, ready for JSON."""
    return {"error": round(found.error, 4), "table": [list(line) for line in found.table()]}
