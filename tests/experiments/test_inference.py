"""Tests and intervals: exact values from counts and moments, and nothing that is not defined."""

from __future__ import annotations

import numpy as np
import pytest

from quizwriter.experiments.inference import (
    Moments,
    bootstrap_ratio,
    difference_interval,
    fisher_exact,
    generator,
    grouped_mean,
    interval,
    kaplan_meier,
    kendall_tau,
    mcnemar,
    roc_area,
    spearman,
    t_test,
)
from quizwriter.workflow.estimates import mean_of, share_of

CHALLENGE, BASELINE = Moments(136, 0.583918, 0.258719), Moments(38, 0.716998, 0.230559)


def test_the_published_t_test_is_reproduced_from_moments():
    found = t_test(CHALLENGE, BASELINE, pooled=True)

    assert found.statistic == pytest.approx(-2.868, abs=0.0005)
    assert found.freedom == 172
    assert found.p == pytest.approx(0.00465, abs=0.000005)


def test_a_difference_has_no_interval_where_one_side_tells_not_how_far_others_would_differ():
    draw = generator(1, "difference")
    many, two = (bootstrap_ratio(of, np.ones(len(of)), draw)[:, 0] for of in (np.arange(9) % 2, np.ones(2)))

    assert difference_interval(many, two, -0.5, 11).low is None
    assert difference_interval(two, many, 0.5, 11).high is None
    other = bootstrap_ratio(np.arange(12) % 3 / 2, np.ones(12), draw)[:, 0]
    found = difference_interval(many, other, -0.06, 21)
    assert found.low < -0.06 < found.high


def test_fishers_two_sided_test_of_the_published_counts_is_not_the_printed_one():
    assert fisher_exact(122, 14, 32, 6).p == pytest.approx(0.389, abs=0.0005)


@pytest.mark.parametrize(
    ("hits", "low", "high"), [(38, 0.291, 0.478), (5, 0.022, 0.112)]
)  # of a hundred tagged questions
def test_wilsons_interval(hits, low, high):
    found = share_of(hits, 100)

    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


def test_wilsons_interval_is_that_of_statsmodels():
    from statsmodels.stats.proportion import proportion_confint

    found = share_of(17, 60)

    assert (found.low, found.high) == pytest.approx(proportion_confint(17, 60, method="wilson"), abs=1e-6)


def test_welch_has_its_own_degrees_of_freedom():
    from scipy.stats import ttest_ind

    one, other = [1.0, 2.0, 4.0, 8.0], [3.0, 3.5, 4.0]
    found = t_test(Moments.of(one), Moments.of(other), pooled=False)
    wanted = ttest_ind(one, other, equal_var=False)

    assert found.p == pytest.approx(wanted.pvalue)
    assert found.freedom == pytest.approx(wanted.df)


@pytest.mark.parametrize(
    "test",
    [
        lambda: t_test(Moments(1, 0.5, 0.0), CHALLENGE, pooled=True),
        lambda: t_test(Moments(3, 0.5, 0.0), Moments(4, 0.5, 0.0), pooled=False),
        lambda: fisher_exact(0, 0, 3, 4),
        lambda: mcnemar(0, 0),
    ],
)
def test_a_test_of_nothing_has_no_p(test):
    assert test().p is None


def test_correlations_of_equal_values_are_none():
    assert kendall_tau([1.0, 1.0], [1.0, 2.0]) is None
    assert spearman([1.0], [1.0]) is None
    assert kendall_tau([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]) == pytest.approx(1 / 3)
    assert spearman([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]) == pytest.approx(1)


def test_the_area_under_the_curve_is_the_share_of_pairs_in_order():
    assert roc_area([0.1, 0.4, 0.4, 0.9], [False, True, False, True]) == pytest.approx(3.5 / 4)
    assert roc_area([0.1, 0.4], [True, True]) is None


def test_mcnemar_is_the_exact_test_of_the_discordant_pairs():
    from scipy.stats import binomtest

    assert mcnemar(9, 2).p == pytest.approx(binomtest(2, 11).pvalue)


def test_cases_that_were_only_watched_stay_in_the_survival_curve():
    found = kaplan_meier([1, 2, 2, 3], [True, True, False, True])

    assert found.times == (1, 2, 3)
    assert found.left == pytest.approx((3 / 4, 3 / 4 * 2 / 3, 0))
    assert found.median == 2
    assert kaplan_meier([1, 2], [False, False]).times == ()


def test_the_bootstrap_draws_whole_groups_and_is_the_same_each_time():
    values, groups = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0]), np.array([0, 0, 1, 1, 2, 3])
    one, samples = grouped_mean(values, groups, generator(3, "a test"))
    again, _ = grouped_mean(values, groups, generator(3, "a test"))

    assert one == again
    assert one.number == 6
    assert one.value == 0.5
    assert one.low < 0.5 < one.high
    assert len(samples) == 2000


def test_the_bootstrap_covers_the_truth_about_as_often_as_it_says():
    draw = np.random.default_rng(5)
    covered = 0
    for at in range(200):
        counts = draw.integers(1, 6, 60)
        hits = draw.binomial(counts, 0.3)
        samples = bootstrap_ratio(
            hits.astype(float), counts.astype(float), generator(at, "cover"), samples=400
        )
        found = interval(samples[:, 0], hits.sum() / counts.sum(), int(counts.sum()))
        covered += found.low <= 0.3 <= found.high
    assert 180 <= covered <= 198


def test_nothing_has_no_interval_and_never_is_nan():
    assert mean_of([]).value is None
    empty, _ = grouped_mean(np.array([]), np.array([], dtype=np.int64), generator(1, "x"))
    assert empty.value is None
    assert interval(np.full(10, np.nan), 0.5, 3).low is None


@pytest.mark.parametrize("groups", [[(3, 4)], [(2, 2), (5, 5)], [(0, 3), (0, 1)]])
def test_equal_samples_have_no_interval_for_they_tell_nothing_of_others(groups):
    sums, counts = np.array(groups, float).T

    samples = bootstrap_ratio(sums, counts, generator(1, "test"))[:, 0]
    found = interval(samples, float(sums.sum() / counts.sum()), int(counts.sum()))

    assert found.value == pytest.approx(sums.sum() / counts.sum())
    assert (found.low, found.high) == (None, None)
