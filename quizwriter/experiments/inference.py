"""Tests, intervals and estimates: SciPy and statsmodels with names and inputs that experiments have.

The tests take counts and moments, so that figures of papers can be computed again without their lists. The
libraries are imported where they are used: windows and other commands do without them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.workflow.estimates import Estimate

Floats = npt.NDArray[np.float64]

RESAMPLES = 2_000
"""Bootstrap samples of an interval."""

ROC_RESAMPLES = 500
"""Bootstrap samples of an area under a ROC curve, which takes long."""

_SAME = 1e-12
"""What samples of equal values differ by at most, because sums are rounded."""

_NEWTON_STEPS, _SETTLED = 50, 1e-8

_BLOCK = 1 << 24  # numbers that are drawn together: 128 MB


class Moments(msgspec.Struct, frozen=True):
    """How many values there were, their mean and their standard deviation with n - 1."""

    number: int
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Sequence[float] | Floats) -> Moments:
        found = np.asarray(values, dtype=np.float64)
        return cls(len(found), float(found.mean()), float(found.std(ddof=1)) if len(found) > 1 else 0.0)


class Significance(msgspec.Struct, frozen=True):
    """A statistic with its degrees of freedom, where it has any, and its two-sided p."""

    statistic: float | None
    p: float | None
    freedom: float | None = None


def fisher_exact(right: int, wrong: int, other_right: int, other_wrong: int) -> Significance:
    """Fisher's exact test, two-sided, of two groups of right and wrong; the statistic is the odds ratio.

    None stands where a group is empty, and for a ratio that is not finite.
    """
    from scipy.stats import fisher_exact as test

    if not right + wrong or not other_right + other_wrong:
        return Significance(None, None)
    found = test([[right, wrong], [other_right, other_wrong]])
    ratio = float(found.statistic)
    return Significance(ratio if math.isfinite(ratio) else None, float(found.pvalue))


def t_test(one: Moments, other: Moments, *, pooled: bool) -> Significance:
    """Student's t-test with one pooled variance, else Welch's, of the means; two-sided.

    None stands where a group has fewer than two values, or where no value differs from another.
    """
    from scipy.stats import ttest_ind_from_stats

    if min(one.number, other.number) < 2 or not (one.deviation or other.deviation):
        return Significance(None, None)
    found = ttest_ind_from_stats(
        one.mean, one.deviation, one.number, other.mean, other.deviation, other.number, equal_var=pooled
    )
    freedom: float = one.number + other.number - 2
    if not pooled:
        parts = [of.deviation**2 / of.number for of in (one, other)]
        freedom = sum(parts) ** 2 / sum(
            part**2 / (of.number - 1) for part, of in zip(parts, (one, other), strict=True)
        )
    return Significance(float(found.statistic), float(found.pvalue), freedom)


def mcnemar(only_first: int, only_second: int) -> Significance:
    """McNemar's exact test of paired answers, by the pairs in which only one of the two was right."""
    from statsmodels.stats.contingency_tables import mcnemar as test

    if not only_first + only_second:
        return Significance(None, None)
    found = test([[0, only_first], [only_second, 0]], exact=True)
    return Significance(float(found.statistic), float(found.pvalue))


def kendall_tau(one: Sequence[float] | Floats, other: Sequence[float] | Floats) -> float | None:
    """Kendall's tau-b; None where it is not defined: fewer than two values, or all equal."""
    from scipy.stats import kendalltau

    if len(one) < 2 or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return float(kendalltau(one, other).statistic)


def spearman(one: Sequence[float] | Floats, other: Sequence[float] | Floats) -> float | None:
    """Spearman's rank correlation; None where it is not defined: fewer than two values, or all equal."""
    from scipy.stats import spearmanr

    if len(one) < 2 or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return float(spearmanr(one, other).statistic)


def roc_area(
    scores: Sequence[float] | Floats, labels: Sequence[bool] | npt.NDArray[np.bool_]
) -> float | None:
    """The area under the ROC curve of ``scores`` for the ``labels``; None where all labels are alike.

    It is Mann and Whitney's U as a share of all pairs; ties count half.
    """
    from scipy.stats import rankdata

    true = np.asarray(labels, dtype=bool)
    hits, misses = int(true.sum()), int((~true).sum())
    if not hits or not misses:
        return None
    ranks = rankdata(np.asarray(scores, dtype=np.float64))
    return float((ranks[true].sum() - hits * (hits + 1) / 2) / (hits * misses))


class SurvivalCurve(msgspec.Struct, frozen=True):
    """The share not yet there after each of ``times``, with its 95 % band."""

    times: tuple[float, ...]
    left: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def median(self) -> float | None:
        """The first time at which no more than half are left; None if more than half stay."""
        return next(
            (time for time, share in zip(self.times, self.left, strict=True) if share <= 0.5 + 1e-9), None
        )


def kaplan_meier(
    times: Sequence[float] | Floats, ended: Sequence[bool] | npt.NDArray[np.bool_]
) -> SurvivalCurve:
    """The survival curve of ``times``; where ``ended`` is False, the case was only watched until then.

    Source:
        E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete observations", Journal of the
        American Statistical Association 53 (1958). The band is Greenwood's on the scale of log(-log).
    """
    from statsmodels.duration.survfunc import SurvfuncRight

    done = np.asarray(ended, dtype=bool)
    if not done.any():
        return SurvivalCurve((), (), (), ())
    found = SurvfuncRight(np.asarray(times, dtype=np.float64), done.astype(int))
    left = np.asarray(found.surv_prob)
    errors = np.asarray(found.surv_prob_se)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = 1.959964 * errors / (left * np.abs(np.log(left)))
        low, high = left ** np.exp(reach), left ** np.exp(-reach)
    low, high = (np.where(np.isfinite(edge), edge, left) for edge in (low, high))
    return SurvivalCurve(*(tuple(map(float, row)) for row in (found.surv_times, left, low, high)))


# -- the bootstrap


def generator(seed: int, name: str) -> np.random.Generator:
    """The source of chance of the experiment ``name``: the same for the same seed, everywhere."""
    return np.random.default_rng([seed, *name.encode()])


def bootstrap_ratio(
    sums: Floats, counts: Floats, draw: np.random.Generator, samples: int = RESAMPLES
) -> Floats:
    """Bootstrap samples of sum / count over groups, which are drawn whole: shape (samples, columns).

    Row i of ``sums`` and ``counts``, of the shape (groups, columns), is what group i adds. Groups are
    tossups, because buzzes on one tossup depend on each other. nan stands where a sample has no count.
    """
    sums, counts = np.atleast_2d(sums.T).T, np.atleast_2d(counts.T).T
    groups = len(sums)
    found = np.empty((samples, sums.shape[1]))
    step = max(1, _BLOCK // max(1, groups))
    for start in range(0, samples, step):
        size = min(step, samples - start)
        weights = draw.multinomial(groups, np.full(groups, 1 / groups), size=size).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[start : start + size] = (weights @ sums) / (weights @ counts)
    return found


def bootstrap_statistic(
    groups: int,
    statistic: Callable[[npt.NDArray[np.int64]], float | None],
    draw: np.random.Generator,
    samples: int = RESAMPLES,
) -> Floats:
    """Bootstrap samples of any ``statistic``, which gets the numbers of the drawn groups."""
    found = [statistic(draw.integers(0, groups, groups)) for _ in range(samples)]
    return np.array([np.nan if one is None else one for one in found])


def roc_estimate(
    scores: Sequence[Sequence[float]], labels: Sequence[Sequence[bool]], draw: np.random.Generator
) -> Estimate:
    """:func:`roc_area` of all ``scores``, with its interval by bootstrap over groups, which are drawn whole.

    Each group has its scores and its labels; the number of the estimate is that of the scores.
    """
    sizes = np.array([len(of) for of in scores], dtype=np.int64)
    every = np.array([score for of in scores for score in of], dtype=np.float64)
    true = np.array([label for of in labels for label in of], dtype=bool)
    area = roc_area(every, true)
    if area is None:
        return Estimate(len(every))
    starts = np.cumsum(sizes) - sizes

    def resampled(groups: npt.NDArray[np.int64]) -> float | None:
        drawn = sizes[groups]
        ends = np.cumsum(drawn)
        places = np.arange(ends[-1]) - np.repeat(ends - drawn, drawn) + np.repeat(starts[groups], drawn)
        return roc_area(every[places], true[places])

    return interval(bootstrap_statistic(len(sizes), resampled, draw, ROC_RESAMPLES), area, len(every))


def interval(samples: Floats, value: float | None, number: int) -> Estimate:
    """``value`` with the middle 95 % of bootstrap ``samples``.

    There is no interval where most samples are not defined, and none where all are equal, as those of one
    tossup, or of tossups that are all right: they do not tell how far others would differ.
    """
    if value is None or not math.isfinite(value):
        return Estimate(number)
    sound = samples[np.isfinite(samples)]
    if len(sound) < len(samples) / 2 or len(sound) < 2 or number < 2:
        return Estimate(number, value)
    if np.ptp(sound) <= _SAME:
        return Estimate(number, value)
    low, high = np.quantile(sound, (0.025, 0.975))
    return Estimate(number, value, float(low), float(high))


def difference_interval(samples: Floats, other_samples: Floats, difference: float, number: int) -> Estimate:
    """The ``difference`` of two figures of sets that are not matched; see :func:`interval`.

    Where one of the two has no interval, the difference has none: that of the other alone is too narrow.
    """
    if any(interval(of, 0.0, number).low is None for of in (samples, other_samples)):
        return Estimate(number, difference)
    return interval(samples - other_samples, difference, number)


class GroupedFigures(msgspec.Struct, frozen=True):
    """Figures, one a column, that are sums over counts: row i of ``sums`` and ``counts`` is of tossup i."""

    sums: Floats
    counts: Floats

    @property
    def values(self) -> list[float | None]:
        """The figures; None where there is nothing to take one of."""
        sums, counts = self.sums.sum(axis=0), self.counts.sum(axis=0)
        return [float(one / of) if of else None for one, of in zip(sums, counts, strict=True)]

    @property
    def numbers(self) -> list[int]:
        return [int(one) for one in self.counts.sum(axis=0)]

    def drawn(self, seed: int, stream: str) -> Floats:
        """Bootstrap samples of the figures; the same for the same tossups, whatever else is drawn."""
        return bootstrap_ratio(self.sums, self.counts, generator(seed, stream))

    def less(
        self, other: GroupedFigures, drawn: tuple[Floats, Floats], at: int, scale: float = 1
    ) -> Estimate:
        """The figure ``at`` less that of other tossups, ``scale`` times; ``drawn`` are samples of both."""
        value, other_value = self.values[at], other.values[at]
        number = self.numbers[at] + other.numbers[at]
        if value is None or other_value is None:
            return Estimate(number)
        own, others = (scale * one[:, at] for one in drawn)
        return difference_interval(own, others, scale * (value - other_value), number)


def ridge_logistic(
    features: Floats, hits: Floats, trials: Floats, offset: Floats, penalty: float = 1.0
) -> Floats:
    """The coefficients of a logistic regression of ``hits`` among ``trials``; one for each column.

    The log-odds are ``offset`` plus the features times the coefficients. Half of ``penalty`` times the sum
    of the squared coefficients is added to the loss, that of the first column, the constant, left out.
    """
    from scipy.special import expit

    weights = np.full(features.shape[1], penalty)
    weights[0] = 0.0
    found = np.zeros(features.shape[1])

    def loss(coefficients: Floats) -> float:
        logits = offset + features @ coefficients
        value = float(trials @ np.logaddexp(0.0, logits) - hits @ logits)
        return value + float(weights @ coefficients**2) / 2

    before = loss(found)
    for _ in range(_NEWTON_STEPS):
        chances = expit(offset + features @ found)
        slope = features.T @ (trials * chances - hits) + weights * found
        bend = (features * (trials * chances * (1 - chances))[:, None]).T @ features + np.diag(weights)
        step = np.linalg.lstsq(bend, slope, rcond=None)[0]
        while (after := loss(found - step)) > before and np.abs(step).max() > _SETTLED:
            step /= 2
        found, gain, before = found - step, before - after, after
        if gain < _SETTLED:
            break
    return found


def mean_estimates(columns: Floats, draw: np.random.Generator) -> list[Estimate]:
    """The mean of each of ``columns``, of the shape (tossups, columns), by bootstrap over tossups."""
    if not len(columns):
        return [Estimate(0)] * columns.shape[1]
    drawn = bootstrap_ratio(columns, np.ones_like(columns), draw)
    means = columns.mean(axis=0)
    return [interval(drawn[:, at], float(mean), len(columns)) for at, mean in enumerate(means)]


def paired_means(differences: Floats, seed: int) -> list[Estimate]:
    """The mean difference in each column, by bootstrap over the pairs of a question and its control."""
    return mean_estimates(differences, generator(seed, "control"))


def grouped_mean(
    values: Floats, groups: npt.NDArray[np.int64], draw: np.random.Generator
) -> tuple[Estimate, Floats]:
    """The mean of ``values`` with the bootstrap over their ``groups``, and the samples.

    ``groups`` are numbers from 0. The number of the estimate is that of the values.
    """
    if not len(values):
        return Estimate(0), np.full(RESAMPLES, np.nan)
    known, inverse = np.unique(groups, return_inverse=True)
    sums = np.bincount(inverse, values, len(known)).astype(np.float64)
    counts = np.bincount(inverse, minlength=len(known)).astype(np.float64)
    found = bootstrap_ratio(sums, counts, draw)[:, 0]
    mean = float(values.mean())
    if len(known) < 2:
        return Estimate(len(values), mean), found
    one = interval(found, mean, max(2, len(values)))
    return Estimate(len(values), mean, one.low, one.high), found
