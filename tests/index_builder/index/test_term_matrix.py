"""What terms add to pages: the formula, and what it is made for."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from msgspec.structs import replace

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index.term_matrix import HEARING, KIND_WEIGHTS, KINDS, PAIRS, PRIOR_WEIGHT, WORDS
from index_builder.progress import Progress
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.engine import load
from quizwriter.engine.evidence import EARLY_WORDS
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import SORTS, kind_hash, token
from tests.helpers.json_lines import write_lines
from tests.index_builder.test_build import QUESTIONS, few_questions


@pytest.fixture
def retrieval(tmp_path):
    """The retrieval player of a bundle of these few questions."""
    build(Inputs((few_questions(tmp_path),), everything=True), tmp_path / "out", "Few", Progress())
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
        expected += (1 - HEARING.early_loss) * (
            WORDS.weight * math.log1p(WORDS.sharpness * saturated / (norm * (total[stem] + 0.5) / size))
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


def test_a_word_heard_early_or_again_adds_less(retrieval):
    def added(before, word):
        scores = [
            {guess.page: guess.score for guess in retrieval.play(Tossup(text)).final}["Wolf"]
            for text in (before, f"{before} and of the {word}")
        ]
        return scores[1] - scores[0]

    start, long = "winter of the", "winter" + " of the" * EARLY_WORDS
    whole = added(long, "moon")

    assert added(start, "moon") == pytest.approx((1 - HEARING.early_loss) * whole, rel=1e-4)
    assert added(f"{long} moon", "moon") == pytest.approx((1 - HEARING.again_loss) * whole, rel=1e-4)
    assert added(f"{start} moon", "moon") == pytest.approx(
        (1 - HEARING.early_loss - HEARING.again_loss) * whole, rel=1e-4
    )


def test_what_a_page_was_called_counts_once_and_then_less(tmp_path):
    called = [("this vixen and this hunter", "Fox"), ("grey packs", "Wolf"), ("this hunter sleeps", "Wolf")]
    rows = [
        {"id": f"k{n}", "text": f"{text} of long nights", "page": page}
        for n, (text, page) in enumerate(called)
    ]
    questions = write_lines(tmp_path / "questions.jsonl", rows)
    build(Inputs((questions,), everything=True), tmp_path / "out", "Few", Progress())
    retrieval = load(tmp_path / "out").retrieval

    def points(text):
        """What kinds alone add to the fox."""
        found = retrieval.shares(Tossup(text), np.asarray([retrieval.pages.rows["fox"]]))
        return found.points[found.sorts == SORTS.index("kind"), 0].tolist()

    once, twice, other = (
        points("this vixen"),
        points("this vixen this vixen"),
        points("this vixen this hunter"),
    )

    assert once[0] > HEARING.called_points
    assert twice == pytest.approx([once[0], once[0] - HEARING.called_points])
    assert other[0] == once[0]
    assert 0 < other[1] < HEARING.called_points

    bundle = Bundle.open(tmp_path / "out")
    vixen = bundle.array("ir/terms.npy").tolist().index(kind_hash(token("vixen").hash))
    only_fox = bundle.array("ir/points.npy")[bundle.array("ir/offsets.npy")[vixen]]
    assert once[0] - HEARING.called_points == pytest.approx(HEARING.kind_weight * only_fox, rel=1e-4)
