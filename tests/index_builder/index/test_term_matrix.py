"""What terms add to pages: the formula, and what it is made for."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from index_builder.build import build
from index_builder.data import Inputs
from index_builder.index.term_matrix import KIND_WEIGHTS, KINDS, PAIRS, PRIOR_WEIGHT, WORDS
from index_builder.progress import NullProgress
from quizwriter.domain.tossup import Tossup
from quizwriter.engine import load
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import token
from tests.helpers.json_lines import write_lines

QUESTIONS = [
    ("red fox jumps over lazy dogs near rivers", "Fox"),
    ("this vixen red coat hunts hens at dusk quietly", "Fox"),
    ("grey wolf howls at moon with packs in winter", "Wolf"),
]


@pytest.fixture
def retrieval(tmp_path):
    """The retrieval player of a bundle of these few questions."""
    rows = [
        {"id": f"q{n}", "text": text, "page": page, "answer": page}
        for n, (text, page) in enumerate(QUESTIONS)
    ]
    questions = write_lines(tmp_path / "questions.jsonl", rows)
    build(Inputs((questions,), everything=True), tmp_path / "out", "Few", NullProgress())
    return load(tmp_path / "out").retrieval


def test_points_are_those_of_the_formula(retrieval):
    """An independent count, word by word, of what the matrix holds for one short draft."""
    stems = {
        page: [token(word).hash for text, answer in QUESTIONS if answer == page for word in text.split()]
        for page in ("Fox", "Wolf")
    }
    words = {page: Counter(stem for stem in found if stem) for page, found in stems.items()}
    total = sum(words.values(), Counter())
    size = sum(total.values()) + 0.5 * len(total)

    expected = PRIOR_WEIGHT * math.log1p(2)
    for word in ("red", "hens"):
        stem = token(word).hash
        tf = words["Fox"][stem]
        saturated = tf / (1 + tf / WORDS.saturation)
        norm = (sum(words["Fox"].values()) + WORDS.smoothing) ** WORDS.normalisation
        expected += WORDS.weight * math.log1p(
            WORDS.sharpness * saturated / (norm * (total[stem] + 0.5) / size)
        )

    (fox,) = retrieval.play(Tossup("red and again and again hens")).final

    assert fox.page == "Fox"
    assert fox.score == pytest.approx(expected, rel=1e-5)


LENGTHS = np.asarray([0.0, 3.0, 40.0, 2500.0])


@pytest.mark.parametrize("weighting", [WORDS, PAIRS, KINDS], ids=["word", "pair", "kind"])
def test_counts_come_back_from_points(weighting):
    tf = np.asarray([0.2, 1.0, 17.4, 800.0])[:, None]
    share = np.asarray([1e-7, 1e-4, 0.03])[:, None, None]

    points = weighting.points(tf, LENGTHS, share)

    assert points.dtype == np.float32
    assert (np.diff(points, axis=1) > 0).all()
    assert (np.diff(points, axis=0) < 0).all()  # what is everywhere says less
    assert weighting.counts(points, LENGTHS, share) == pytest.approx(
        np.broadcast_to(tf, points.shape), rel=1e-2
    )


def test_a_long_page_is_held_back_by_less_than_its_length():
    one = np.ones(1)
    pair = PAIRS.points(np.ones(len(LENGTHS)), LENGTHS, one * 1e-6)
    assert pair == pytest.approx(np.full(len(LENGTHS), pair[0]))

    half = replace(WORDS, smoothing=0.0, normalisation=0.5, saturation=math.inf)
    longer, shorter = half.points(2 * one, 400 * one, one), half.points(one, 100 * one, one)
    assert longer == pytest.approx(shorter)


def test_pairs_and_kinds_add_to_their_words(retrieval):

    def score(text):
        return retrieval.play(Tossup(text)).final[0].score

    assert score("lazy dogs") > score("dogs lazy")
    assert score("this vixen") > score("that vixen")
    assert {PAIRS.minimum_total, KINDS.minimum_total} == {1.0, 0.0}
    assert KIND_WEIGHTS[PassageKind.ARTICLE] < KIND_WEIGHTS[PassageKind.TOSSUP]
