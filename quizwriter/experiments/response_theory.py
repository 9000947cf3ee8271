"""Models of who answers which question rightly: of two parameters, and of the sum of several effects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.experiments.inference import Floats

Places = npt.NDArray[np.int64]

_SLOPE, _SLOPE_SPREAD = 1.0, 0.7  # what discriminations are drawn to, and how strongly
_LEVEL_SPREAD = 2.0
_Z = 1.959964
_EDGE = 5.0  # abilities from -5 to 5 count for the information of a question
_NODES = 41  # abilities over which is summed
_ROUNDS, _SETTLED = 2_000, 1e-4  # of the search for the parameters, which ends where the slope is that small


_SWEEPS, _STILL = 100, 2e-3  # over all effects; the sweeps end where no effect moves more
_BROADEST, _NARROWEST = 2.0, 1e-4  # the variance with which effects begin, and the least


class ResponseModel(msgspec.Struct, frozen=True):
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
    from scipy.optimize import minimize
    from scipy.sparse import coo_array
    from scipy.special import expit

    people, questions = int(who.max()) + 1, int(question.max()) + 1
    hits = right.astype(np.float64)
    grid = np.linspace(-_EDGE, _EDGE, _NODES)
    prior = -(grid**2) / 2
    shape = (people, questions)
    heard = coo_array((np.ones(len(hits)), (who, question)), shape).tocsr()
    answered = coo_array((hits, (who, question)), shape).tocsr()

    def logits(parameters: Floats) -> Floats:
        return parameters[:questions, None] * grid + parameters[questions:, None]

    def log_posterior(parameters: Floats) -> tuple[Floats, Floats]:
        """The logarithm of the chance of each answerer's responses, and the chance of each ability."""
        of = logits(parameters)
        told = answered @ of - heard @ np.logaddexp(0.0, of) + prior
        most = told.max(axis=1, keepdims=True)
        posterior = np.exp(told - most)
        total = posterior.sum(axis=1, keepdims=True)
        return np.log(total) + most, posterior / total

    def loss(parameters: Floats) -> tuple[float, Floats]:
        told, posterior = log_posterior(parameters)
        slope, level = parameters[:questions] - _SLOPE, parameters[questions:]
        penalty = (slope / _SLOPE_SPREAD) @ (slope / _SLOPE_SPREAD) + level @ level / _LEVEL_SPREAD**2
        missed = answered.T @ posterior - (heard.T @ posterior) * expit(logits(parameters))
        downhill = np.concatenate([
            slope / _SLOPE_SPREAD**2 - missed @ grid, level / _LEVEL_SPREAD**2 - missed.sum(axis=1)
        ])  # fmt: skip
        return float(penalty / 2 - told.sum()), downhill

    begin = np.concatenate([np.full(questions, _SLOPE), np.zeros(questions)])
    limits = {"maxiter": _ROUNDS, "maxfun": 2 * _ROUNDS, "ftol": 0.0, "gtol": _SETTLED}
    found = np.asarray(minimize(loss, begin, jac=True, method="L-BFGS-B", options=limits).x)
    posterior = log_posterior(found)[1]
    of_response = posterior[who]
    missed = of_response * (hits[:, None] - expit(logits(found))[question])
    of_slope, of_level = missed @ grid, missed.sum(axis=1)
    slopes = np.bincount(question, of_slope**2, questions) + 1 / _SLOPE_SPREAD**2
    crossed = np.bincount(question, of_slope * of_level, questions)
    levels = np.bincount(question, of_level**2, questions) + 1 / _LEVEL_SPREAD**2
    determinant = slopes * levels - crossed**2
    return ResponseModel(
        posterior @ grid,
        found[:questions],
        np.sqrt(levels / determinant),
        found[questions:],
        np.sqrt(slopes / determinant),
    )


class Effects(msgspec.Struct, frozen=True):
    """What :func:`fit_effects` found: the constant, and the effects of each part with their variance."""

    constant: float
    parts: Sequence[Floats]
    variances: Sequence[float]


def fit_effects(
    parts: Sequence[Places],
    sizes: Sequence[int],
    right: npt.NDArray[np.bool_],
    begin: Effects | None = None,
) -> Effects:
    """The effects of a model in which the log-odds of a response are a sum: the constant, then each part's.

    Response i has the effect ``parts[j][i]`` of each part j, which has ``sizes[j]`` of them. The effects of a
    part are normal around 0; their variance is fitted, too, or that of ``begin``, where the search begins.
    An effect without a response goes to 0.

    Source:
        N. E. Breslow and D. G. Clayton, "Approximate inference in generalized linear mixed models", Journal
        of the American Statistical Association 88 (1993), with one Newton step for each part in turn.
    """
    from scipy.special import expit

    hits = right.astype(np.float64)
    if begin is None:
        odds = (hits.sum() + 0.5) / (len(hits) - hits.sum() + 0.5)
        zeros = [np.zeros(size) for size in sizes]
        constant, found, variances = float(np.log(odds)), zeros, [_BROADEST] * len(sizes)
    else:
        constant, found, variances = begin.constant, [of.copy() for of in begin.parts], [*begin.variances]
    logits = np.full(len(hits), constant)
    for places, effects in zip(parts, found, strict=True):
        logits += effects[places]
    for _ in range(_SWEEPS):
        chances = expit(logits)
        step = float((hits - chances).sum() / (chances * (1 - chances)).sum())
        constant, logits, most = constant + step, logits + step, abs(step)
        for at, (places, size) in enumerate(zip(parts, sizes, strict=True)):
            chances = expit(logits)
            bend = np.bincount(places, chances * (1 - chances), size) + 1 / variances[at]
            steps = (np.bincount(places, hits - chances, size) - found[at] / variances[at]) / bend
            found[at] += steps
            logits += steps[places]
            if begin is None:
                variances[at] = max(_NARROWEST, float((found[at] ** 2 + 1 / bend).mean()))
            most = max(most, float(np.abs(steps).max()))
        if most < _STILL:
            break
    return Effects(constant, found, variances)
