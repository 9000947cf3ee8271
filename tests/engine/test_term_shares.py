"""What each term of a tossup adds to some pages: together with what they begin with, it is their points."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from index_builder.user_packets import add_packets
from quizwriter.domain.page import answer_key
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.engine import load
from quizwriter.engine.evidence import TITLE_POINTS
from tests.helpers.forest import in_the_forest
from tests.helpers.json_lines import write_lines

TEXT = (
    "This composer of a German Requiem and a Hungarian dance, Johannes Brahms, wrote it for a violin. "
    "For 10 points, name this composer of a lullaby."
)


@pytest.fixture(scope="module")
def retrieval(engine):
    return next(player.guesser for player in engine.players if player.name == "ir")


@pytest.fixture
def rows(retrieval):
    """Pages that share terms with the text, one that shares none, and one whose title is read."""
    _, ranked = retrieval.final_points(Tossup(TEXT))
    none = next(row for row in range(len(retrieval.pages)) if row not in ranked.tolist())
    read = retrieval.pages.rows[answer_key("Johannes_Brahms")]
    return np.unique([*ranked[:40:3].tolist(), none, read])


@pytest.mark.parametrize("text", [TEXT, in_the_forest("Elm", 3), "Brahms Brahms Brahms", "zzyzx qqq"])
def test_the_points_after_every_word_are_those_of_all_that_was_heard_by_then(retrieval, rows, text):
    tossup = Tossup(text)
    found = retrieval.scores(tossup, rows)

    assert (found.shape, found.dtype) == ((len(tossup.words), len(rows)), np.float32)
    for heard in range(1, len(tossup.words) + 1):
        whole, _ = retrieval.final_points(tossup.heard(heard))
        np.testing.assert_allclose(found[heard - 1], whole[rows], rtol=1e-4, atol=1e-4)


def test_there_are_no_points_without_words_or_without_pages(retrieval, rows):
    unread, unasked = retrieval.scores(Tossup(""), rows), retrieval.scores(Tossup(TEXT), rows[:0])

    assert (unread.shape, unread.dtype) == ((0, len(rows)), np.float32)
    assert (unasked.shape, unasked.dtype) == ((len(Tossup(TEXT).words), 0), np.float32)


def test_the_title_counts_from_the_word_that_completes_it(retrieval, rows):
    tossup, page = Tossup(TEXT), retrieval.pages.rows[answer_key("Johannes_Brahms")]
    column = rows.tolist().index(page)
    steps = np.diff(retrieval.scores(tossup, rows)[:, column], prepend=0)
    shares = retrieval.shares(tossup, rows)
    last = next(at for at, word in enumerate(tossup.words) if word.of(TEXT) == "Brahms,")
    of_terms = shares.points[shares.last == last, column].sum()

    assert steps[last] == pytest.approx(of_terms + TITLE_POINTS, abs=1e-3)


def test_a_title_that_is_read_counts_for_no_other_page(retrieval, rows):
    """Neither where its page would be between those that are asked for, nor where it would be behind them."""
    tossup, page = Tossup(TEXT), retrieval.pages.rows[answer_key("Johannes_Brahms")]
    whole, _ = retrieval.final_points(tossup)
    between, before = rows[rows != page], rows[rows < page]
    assert len(between) > len(before) > 0

    for others in (between, before):
        found = retrieval.scores(tossup, others)
        np.testing.assert_allclose(found[-1], whole[others], rtol=1e-4, atol=1e-4)


def test_of_many_pages_with_equal_points_the_lower_number_is_first(retrieval, monkeypatch):
    points = np.random.default_rng(0).integers(0, 5, 300).astype(np.float32)
    monkeypatch.setattr(retrieval, "_points_heard", lambda _: (points, np.ones(300, np.bool_)))

    _, ranked = retrieval.final_points(Tossup(TEXT))

    assert ranked.tolist() == sorted(range(300), key=lambda page: (-points[page], page))


def test_a_term_has_its_points_its_last_word_its_sort_and_the_number_of_its_pages(retrieval, rows):
    tossup = Tossup(TEXT)
    shares = retrieval.shares(tossup, rows)
    everywhere = retrieval.shares(tossup, np.arange(len(retrieval.pages)))

    assert shares.points.shape == (len(shares.last), len(rows))
    assert (shares.last.dtype, shares.document_frequency.dtype) == (np.int64, np.int64)
    np.testing.assert_array_equal(shares.points, everywhere.points[:, rows])
    np.testing.assert_array_equal((everywhere.points != 0).sum(axis=1), everywhere.document_frequency)
    assert shares.document_frequency.min() > 0
    assert len(shares.sorts) == len(shares.last)
    assert set(shares.last.tolist()) <= set(range(len(tossup.words)))
    assert shares.last.max() > len(tossup.words) // 2
    assert len(set(shares.sorts.tolist())) > 1


def test_terms_of_added_packets_and_of_the_bundle_are_added(bare_forest, tmp_path):
    folder = shutil.copytree(bare_forest, tmp_path / "forest")
    text = in_the_forest("Elm", 3)
    row = {"id": "added", "text": f"{text} And an owl.", "answer": "Elm", "page": "Elm"}
    add_packets(folder, [write_lines(tmp_path / "added.jsonl", [row])])
    retrieval, tossup = load(folder).retrieval, Tossup(f"{text} And an owl.")
    rows = np.arange(len(retrieval.pages))
    whole, _ = retrieval.final_points(tossup)

    np.testing.assert_allclose(retrieval.scores(tossup, rows)[-1], whole, rtol=1e-4, atol=1e-4)
    own = load(bare_forest).retrieval.shares(tossup, rows[: len(load(bare_forest).pages)])
    both = retrieval.shares(tossup, rows)
    assert both.document_frequency.sum() > own.document_frequency.sum()
