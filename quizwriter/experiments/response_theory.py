"""The two-parameter model of who answers which question rightly, fitted by penalised marginal likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quizwriter.experiments.inference import Floats

Places = npt.NDArray[np.int64]

_SLOPE, _SLOPE_SPREAD = 1.0, 0.7  # what discriminations are drawn to, and how strongly
_LEVEL_SPREAD = 2.0
_Z = 1.959964
_EDGE = 5.0  # abilities from -5 to 5 count for the information of a question
_NODES = 41  # abilities over which is summed
_ROUNDS, _STEPS, _SETTLED = 200, 3, 1e-3


@dataclass(frozen=True)
class ResponseModel:
    """What a fit found: the chance that somebody is right is expit(discrimination * ability + level).

    ``abilities`` are those of the answerers, drawn to a mean of 0 and a deviation of 1; the other arrays have
    one value for each question, and the errors are standard errors.
    """

    abilities: Floats
    discriminations: Floats
    discrimination_errors: Floats
    levels: Floats
    level_errors: Floats

    def chances(self, ability: float | Floats) -> Floats:
        """The chance of each question for each ability: shape (abilities, questions)."""
        from scipy.special import expit

        of = np.atleast_1d(np.asarray(ability, dtype=np.float64))
        return np.asarray(expit(of[:, None] * self.discriminations + self.levels), dtype=np.float64)

    @property
    def information(self) -> Floats:
        """The integral of the information of each question over abilities from -5 to 5.

        The integral of a² p (1 - p) is that of a dp: a times the difference of the chances at both ends.
        """
        low, high = self.chances(-_EDGE)[0], self.chances(_EDGE)[0]
        return np.asarray(self.discriminations * (high - low), dtype=np.float64)

    @property
    def negative(self) -> npt.NDArray[np.bool_]:
        """Whether the able are wrong more often, beyond chance: the whole interval of 95 % is below 0."""
        return np.asarray(self.discriminations + _Z * self.discrimination_errors < 0)


def fit_responses(who: Places, question: Places, right: npt.NDArray[np.bool_]) -> ResponseModel:
    """The model of these responses; row i says whether answerer ``who[i]`` was right on ``question[i]``.

    Answerers and questions are numbers from 0, each with a response at least.

    Source:
        R. D. Bock and M. Aitkin, "Marginal maximum likelihood estimation of item parameters", Psychometrika
        46 (1981), with normal priors on discriminations and levels. The errors are those of the scores of the
        answerers, whose abilities are summed out.
    """
    from scipy.special import expit

    people, questions = int(who.max()) + 1, int(question.max()) + 1
    hits = right.astype(np.float64)
    grid = np.linspace(-_EDGE, _EDGE, _NODES)
    prior = -(grid**2) / 2
    slope, level = np.full(questions, _SLOPE), np.zeros(questions)

    def summed(values: Floats, places: Places, size: int) -> Floats:
        """The sums of the rows of ``values`` by place: shape (size, nodes)."""
        return np.column_stack([np.bincount(places, of, size) for of in values.T])

    for _ in range(_ROUNDS):
        logits = grid[None, :] * slope[:, None] + level[:, None]
        told = hits[:, None] * logits[question] - np.logaddexp(0.0, logits)[question]
        posterior = summed(told, who, people) + prior
        posterior = np.exp(posterior - posterior.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        of_response = posterior[who]
        heard = summed(of_response, question, questions)
        answered = summed(of_response * hits[:, None], question, questions)
        new_slope, new_level = _raised(slope, level, heard, answered, grid)
        moved = max(float(np.abs(new_slope - slope).max()), float(np.abs(new_level - level).max()))
        slope, level = new_slope, new_level
        if moved < _SETTLED:
            break
    chances = expit(grid[None, :] * slope[:, None] + level[:, None])[question]
    missed = of_response * (hits[:, None] - chances)
    of_slope, of_level = missed @ grid, missed.sum(axis=1)
    slopes = np.bincount(question, of_slope**2, questions) + 1 / _SLOPE_SPREAD**2
    crossed = np.bincount(question, of_slope * of_level, questions)
    levels = np.bincount(question, of_level**2, questions) + 1 / _LEVEL_SPREAD**2
    determinant = slopes * levels - crossed**2
    return ResponseModel(
        posterior @ grid, slope, np.sqrt(levels / determinant), level, np.sqrt(slopes / determinant)
    )


def _raised(
    slope: Floats, level: Floats, heard: Floats, answered: Floats, grid: Floats
) -> tuple[Floats, Floats]:
    """Discriminations and levels after steps of Newton on what was heard and answered at each ability."""
    from scipy.special import expit

    for _ in range(_STEPS):
        chances = expit(grid[None, :] * slope[:, None] + level[:, None])
        miss, weight = answered - heard * chances, heard * chances * (1 - chances)
        up_slope = miss @ grid - (slope - _SLOPE) / _SLOPE_SPREAD**2
        up_level = miss.sum(axis=1) - level / _LEVEL_SPREAD**2
        slopes = weight @ grid**2 + 1 / _SLOPE_SPREAD**2
        crossed = weight @ grid
        levels = weight.sum(axis=1) + 1 / _LEVEL_SPREAD**2
        determinant = slopes * levels - crossed**2
        slope = slope + np.clip((levels * up_slope - crossed * up_level) / determinant, -1, 1)
        level = level + np.clip((slopes * up_level - crossed * up_slope) / determinant, -1, 1)
    return slope, level
