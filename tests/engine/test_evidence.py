"""The arithmetic of evidence: shares add up to the score, and two passages say more than one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.evidence import Cue
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.evidence import (
    EARLY_WORDS,
    TITLE_POINTS,
    HeardWeighting,
    best_passages,
    stem_weights,
    word_cues,
)
from quizwriter.engine.tokenizer import token, tokenize
from quizwriter.system.decoding import DecodingError

TOSSUP = Tossup("Pinkerton leaves this geisha. The geisha sings of Nagasaki.")
WORDS = len(TOSSUP.words)

words = st.integers(0, WORDS - 1)
terms = st.lists(st.tuples(words, words, st.floats(0.01, 30)), min_size=1, max_size=20)


@given(terms, st.floats(0, 5), st.none() | words)
def test_weights_of_words_add_up_to_points_prior_and_title(terms, prior, title_word):
    score, cues = word_cues(TOSSUP, terms, prior, title_word)

    expected = sum(points for _, _, points in terms) + prior + (0 if title_word is None else TITLE_POINTS)
    assert score == pytest.approx(expected)
    assert sum(cue.weight for cue in cues) == pytest.approx(expected)
    assert {cue.span for cue in cues} <= set(TOSSUP.words)


def test_the_words_of_a_pair_have_equal_weights_and_other_words_none():
    score, cues = word_cues(TOSSUP, [(0, 3, 4.0)], 0.0, None)

    assert score == 4.0
    assert cues == (Cue(TOSSUP.words[0], 2.0), Cue(TOSSUP.words[3], 2.0))


def test_a_page_without_any_term_has_no_score_not_even_its_prior():
    assert word_cues(TOSSUP, [], 3.0, 2) is None


def test_a_stem_weighs_as_much_as_its_heaviest_word_in_the_sentence():
    second = TOSSUP.sentences[1]
    cues = [
        Cue(span, weight) for span, weight in zip(TOSSUP.words, (1, 1, 1, 9, 1, 2, 3, 1, -4), strict=True)
    ]

    found = stem_weights(TOSSUP, second, cues)

    assert found == {token("geisha").hash: (2, "geisha"), token("sings").hash: (3, "sings")}


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        ([], []),
        ([(1.0, "a1")], ["a1"]),
        ([(5.0, "a1"), (4.0, "a2"), (3.0, "b1")], ["a1", "b1"]),
        ([(5.0, "a1"), (4.0, "a2"), (2.5, "b1")], ["a1", "a2"]),
        ([(5.0, "a1"), (1.0, "b1"), (0.5, "b2")], ["a1", "b1"]),
    ],
)
def test_the_second_passage_is_of_another_kind_where_one_is_nearly_as_good(ranked, expected):
    assert best_passages(ranked, lambda passage: passage[0]) == expected


HEARING = HeardWeighting(early_loss=0.25, again_loss=0.5, kind_weight=0.75, called_points=2.0)


def weights(text, hearing=HEARING):
    """The sort and the weight of each term of ``text``, by the words that it begins and ends with."""
    tossup = Tossup(text)
    terms = tokenize(tossup).terms(np.zeros(0, np.uint64))
    spoken = [span.of(text) for span in tossup.words]
    return {
        (spoken[first], spoken[last], last): (sort, weight)
        for first, last, sort, weight in zip(
            terms.first.tolist(),
            terms.last.tolist(),
            terms.sorts.tolist(),
            hearing.weights(terms).tolist(),
            strict=True,
        )
    }


def test_a_word_counts_less_early_and_again_a_pair_again_and_a_kind_always():
    far = "and " * EARLY_WORDS
    found = weights(f"geisha sings {far}geisha sings harbour")

    assert found["geisha", "geisha", 0] == (0, 0.75)
    assert found["geisha", "sings", 1] == (1, 1.0)
    assert found["geisha", "geisha", EARLY_WORDS + 2] == (0, 0.5)
    assert found["geisha", "sings", EARLY_WORDS + 3] == (1, 0.5)
    assert found["harbour", "harbour", EARLY_WORDS + 4] == (0, 1.0)
    assert weights("sings sings")["sings", "sings", 1] == (1, 1.0)
    assert weights("this geisha")["geisha", "geisha", 1] == (2, 0.75)
    assert {weight for _, weight in weights("this geisha and this geisha", HeardWeighting()).values()} == {
        1.0
    }


@given(st.lists(st.sampled_from(["this", "geisha", "sings", "of", "harbour"]), min_size=2, max_size=60))
def test_no_weight_depends_on_a_later_word(said):
    def heard(count):
        terms = tokenize(Tossup(" ".join(said[:count]))).terms(np.zeros(0, np.uint64))
        whole = zip(terms.sorts, terms.last, HEARING.weights(terms), strict=True)
        return sorted(one for one in whole if one[1] < count - 1)

    before = heard(len(said) - 1)
    assert before == [one for one in heard(len(said)) if one[1] < len(said) - 2]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([], "four numbers"),
        ([0.1, 0.2, 1.0], "four numbers"),
        ([-0.1, 0.2, 1.0, 1.0], "four numbers"),
        ([0.5, 0.6, 1.0, 1.0], "more than it has"),
    ],
)
def test_numbers_of_an_index_that_make_no_sense_are_refused(numbers, said):
    with pytest.raises(DecodingError, match=said):
        HeardWeighting.of(numbers)
    assert HeardWeighting.of([0.25, 0.5, 0.75, 2.0]) == HEARING
