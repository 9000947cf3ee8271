"""Agreement between people: against scikit-learn, and against what was published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.rater_agreement import cohen_kappa, fleiss_kappa, share_agreed


@pytest.fixture(scope="module")
def cohen_kappa_score():
    """That of scikit-learn, which takes a second to import."""
    from sklearn.metrics import cohen_kappa_score

    return cohen_kappa_score


pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


@given(pairs)
def test_cohen_s_kappa_is_scikit_learn_s(cohen_kappa_score, judged):
    one, other = ([pair[who] for pair in judged] for who in range(2))
    ours = cohen_kappa(one, other)
    if len({*one, *other}) == 1:
        assert ours is None  # scikit-learn warns and says "not a number"
    else:
        assert ours == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)


def test_cohen_s_kappa_takes_any_kinds(cohen_kappa_score):
    one, other = "abcabcab", "abcabbbb"

    assert cohen_kappa(one, other) == pytest.approx(cohen_kappa_score(list(one), list(other)))


@given(pairs)
def test_whoever_is_asked_first(judged):
    one, other = ([pair[who] for pair in judged] for who in range(2))

    assert cohen_kappa(one, other) == cohen_kappa(other, one)


def test_one_who_judges_by_a_coin_agrees_no_more_than_by_chance():
    assert cohen_kappa([True, True, False, False], [True, False, True, False]) == 0


def test_kappa_of_things_that_only_one_of_them_saw_is_no_number():
    with pytest.raises(ValueError, match="shorter"):
        cohen_kappa([True, False], [True])
    assert cohen_kappa([], []) is None


# The worked example of the article "Fleiss' kappa" in Wikipedia: how many of fourteen people put each of ten
# things into which of five kinds.
TEN_BY_FOURTEEN = """
    0 0 0 0 14
    0 2 6 4 2
    0 0 3 5 6
    0 3 9 2 0
    2 2 8 1 1
    7 7 0 0 0
    3 2 6 3 0
    2 5 3 2 2
    6 5 2 1 0
    0 2 2 3 7
"""


def spelt_out(table):
    rows = [[int(count) for count in line.split()] for line in table.strip().splitlines()]
    return [[kind for kind, count in enumerate(row) for _ in range(count)] for row in rows]


def test_fleiss_s_kappa_is_that_of_the_worked_example():
    judged = spelt_out(TEN_BY_FOURTEEN)

    assert share_agreed(judged) == pytest.approx(0.378, abs=5e-4)
    assert fleiss_kappa(judged) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_s_kappa_of_everything_alike_or_nothing_is_no_number():
    assert fleiss_kappa([]) is None
    assert fleiss_kappa([[True, True, True]]) is None
    assert fleiss_kappa([[True, True, True], [False, False, False]]) == 1


@pytest.mark.parametrize("judged", [[[True]], [[True, False], [True, False, True]]])
def test_fleiss_s_kappa_wants_as_many_judgements_of_everything(judged):
    with pytest.raises(ValueError, match="equally many people"):
        fleiss_kappa(judged)


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=20))
def test_fleiss_s_kappa_does_not_care_who_is_who(judged):
    assert fleiss_kappa(judged) == fleiss_kappa([sorted(row) for row in judged])


def test_agreement_of_one_person_alone_is_no_number():
    assert share_agreed([[True], [False]]) is None
    assert share_agreed([[True, True], [True, False]]) == 0.5
