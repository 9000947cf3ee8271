"""The running sum: what it works out for few pages, a stretch at a time, holds for all pages word by word."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from quizwriter.domain.guessing import RANK_DEPTH
from quizwriter.engine.evidence import TITLE_POINTS
from quizwriter.engine.running_sum import SPARE, STRETCH, HeardTerms, RunningSum
from quizwriter.engine.tokenizer import TokenizedTossup

PAGES, WORDS, DEPTH = 600, 3 * STRETCH, 10


def drawn(seed: int, titles: int = WORDS // 2) -> tuple[np.ndarray, HeardTerms]:
    """A prior and a tossup; the points are multiples of a quarter, so that pages tie and sums are exact."""
    draw = np.random.default_rng(seed)
    prior = draw.integers(0, 6, PAGES).astype(np.float32) / 4

    def posting():
        pages = np.sort(draw.choice(PAGES, draw.integers(1, 60), replace=False)).astype(np.int32)
        return pages, draw.integers(1, 12, len(pages)).astype(np.float32) / 4

    by_word = [[posting() for _ in range(draw.integers(0, 4))] for _ in range(WORDS)]
    read = draw.choice(PAGES, titles, replace=False).tolist()
    titles_read = {page: int(draw.integers(WORDS)) for page in read}
    return prior, HeardTerms(reading(np.arange(1, WORDS + 1)), by_word, titles_read)


def reading(stems: np.ndarray) -> TokenizedTossup:
    """A tossup of one stem a word."""
    return TokenizedTossup(stems.astype(np.uint64), np.zeros(len(stems), np.bool_), np.arange(len(stems)))


def with_other_words(heard: HeardTerms, since: int) -> HeardTerms:
    """``heard`` with other stems and postings since a word, and without some titles."""
    stems = heard.reading.stems.copy()
    stems[since:] += 1000
    kept = {page: word for page, word in heard.titles_read.items() if word < since or page % 2}
    return HeardTerms(reading(stems), [*heard.by_word[:since], *heard.by_word[since:][::-1]], kept)


def word_by_word(prior: np.ndarray, heard: HeardTerms, right: tuple[int, ...] = (), depth: int = DEPTH):
    """For each word the first pages, their points, and the rank: all pages brought up are sorted."""
    points, brought_up = prior.copy(), np.zeros(PAGES, np.bool_)
    for word, terms in enumerate(heard.by_word):
        for pages, added in terms:
            points[pages] += added
            brought_up[pages] = True
        now = points.copy()
        for page, read_at in heard.titles_read.items():
            now[page] += np.float32(TITLE_POINTS) if read_at <= word else 0
        order = np.argsort(np.where(brought_up, -now, np.inf), kind="stable")[: brought_up.sum()].tolist()
        ranks = [order.index(page) + 1 for page in right if page in order[:RANK_DEPTH]]
        yield order[:depth], now[order[:depth]].tolist(), min(ranks, default=None)


def played(ranking):
    """The ranking as rows of pages, rows of points, and ranks."""
    counts = (ranking.pages >= 0).sum(axis=1).tolist()
    pages = [row[:count] for row, count in zip(ranking.pages.tolist(), counts, strict=True)]
    points = [row[:count] for row, count in zip(ranking.points.tolist(), counts, strict=True)]
    return list(zip(pages, points, ranking.ranks, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_the_first_pages_and_ranks_are_those_of_all_pages_sorted_after_every_word(seed):
    prior, heard = drawn(seed)
    right = (3, 77, 400)

    ranking = RunningSum(prior).play(heard, DEPTH, right)

    assert played(ranking) == list(word_by_word(prior, heard, right))


@pytest.mark.parametrize("seed", range(20, 28))
def test_sums_are_added_up_in_the_precision_of_the_points(seed):
    draw = np.random.default_rng(seed)
    prior, heard = drawn(seed, titles=0)
    prior = draw.random(PAGES, np.float32)
    by_word = [
        [(pages, draw.random(len(pages), np.float32) * 3) for pages, _ in terms] for terms in heard.by_word
    ]
    heard = replace(heard, by_word=by_word)

    *_, (late, _, _) = word_by_word(prior, heard, depth=RANK_DEPTH)
    right = (late[-3],)  # hardly among those that are ranked

    ranking = RunningSum(prior).play(heard, DEPTH, right)

    assert ranking.points.dtype == np.float32
    assert ranking.ranks[-1] == RANK_DEPTH - 2
    assert played(ranking) == list(word_by_word(prior, heard, right))


@pytest.mark.parametrize("seed", range(20))
def test_the_first_of_hundreds_of_pages_that_one_word_brings_up_are_those_of_all_sorted(seed):
    prior = np.zeros(PAGES, np.float32)
    points = np.random.default_rng(seed).random(PAGES, np.float32)
    heard = HeardTerms(reading(np.arange(1, 2)), [[(np.arange(PAGES, dtype=np.int32), points)]], {})

    ranking = RunningSum(prior).play(heard, RANK_DEPTH)

    assert played(ranking) == list(word_by_word(prior, heard, depth=RANK_DEPTH))


def test_there_is_no_page_where_fewer_were_brought_up():
    prior, _ = drawn(1)
    posting = np.asarray([4, 9], np.int32), np.ones(2, np.float32)
    ranking = RunningSum(prior).play(HeardTerms(reading(np.arange(1, 3)), [[], [posting]], {}), 4)

    assert sorted(ranking.pages[1].tolist()) == [-1, -1, 4, 9]
    assert (ranking.pages[0].tolist(), ranking.points[0].tolist()) == ([-1] * 4, [0.0] * 4)


def test_a_page_that_nothing_brought_up_is_not_among_the_first_where_it_ties_with_them():
    prior = np.full(PAGES, 1, np.float32)
    brought_up = np.arange(100, 100 + RANK_DEPTH + SPARE, dtype=np.int32)
    prior[brought_up] = 0
    first = brought_up, np.ones(len(brought_up), np.float32)  # as many points as the others begin with
    again = brought_up[:1], np.zeros(1, np.float32)
    heard = HeardTerms(reading(np.arange(1, 3)), [[first], [again]], {})

    assert played(RunningSum(prior).play(heard, DEPTH)) == list(word_by_word(prior, heard))


def test_a_page_is_not_among_the_first_before_a_word_brings_it_up():
    """Word by word, though with its prior it ties with the last of the pages that are enough."""
    prior = np.zeros(PAGES, np.float32)
    prior[0] = 1
    brought_up = np.arange(100, 100 + RANK_DEPTH + SPARE, dtype=np.int32)
    first = brought_up, np.ones(len(brought_up), np.float32)
    again, late = ((np.asarray([page], np.int32), np.ones(1, np.float32)) for page in (100, 0))
    heard = HeardTerms(reading(np.arange(1, 4)), [[first], [again], [late]], {})

    assert played(RunningSum(prior).play(heard, DEPTH, (0,))) == list(word_by_word(prior, heard, (0,)))


@pytest.mark.parametrize("titles", [SPARE - 1, SPARE, SPARE + 1, 2 * SPARE])
def test_titles_that_are_read_one_after_the_other_leave_the_right_pages(titles):
    """Each takes a page from the first ones, until one that had fewer points has its place."""
    first = (
        np.arange(100, 100 + RANK_DEPTH + SPARE, dtype=np.int32),
        np.full(RANK_DEPTH + SPARE, 2, np.float32),
    )
    others = np.arange(300, 400, dtype=np.int32), np.ones(100, np.float32)
    read = {100 + number: 1 + number for number in range(titles)}
    heard = HeardTerms(reading(np.arange(1, titles + 2)), [[first, others], *[[]] * titles], read)
    prior = np.zeros(PAGES, np.float32)

    ranking = RunningSum(prior).play(heard, RANK_DEPTH, (300,))

    assert played(ranking) == list(word_by_word(prior, heard, (300,), RANK_DEPTH))


def test_hundreds_of_titles_that_are_read_at_once_leave_the_right_pages():
    prior, heard = drawn(1)
    at_once = replace(heard, titles_read=dict.fromkeys(range(0, PAGES, 2), WORDS // 2))
    assert len(at_once.titles_read) > RANK_DEPTH + SPARE

    assert played(RunningSum(prior).play(at_once, DEPTH)) == list(word_by_word(prior, at_once))


def test_a_tossup_in_which_nothing_is_known_has_no_first_pages():
    prior, heard = drawn(2)
    unknown = replace(heard, by_word=[[] for _ in range(WORDS)])

    ranking = RunningSum(prior).play(unknown, DEPTH, (3,))

    assert played(ranking) == [([], [], None)] * WORDS


@pytest.mark.parametrize("since", [0, 1, STRETCH, STRETCH + 3, WORDS - 1])
def test_a_sum_that_goes_on_from_another_draft_says_what_a_new_one_says(since):
    prior, heard = drawn(3)
    other = with_other_words(heard, since)
    running = RunningSum(prior)
    running.play(heard, DEPTH)

    branch = running.copy()

    assert played(branch.play(other, DEPTH)) == list(word_by_word(prior, other))
    assert played(branch.play(heard, DEPTH)) == list(word_by_word(prior, heard))
    assert played(running.play(heard, DEPTH)) == list(word_by_word(prior, heard))


def test_a_sum_that_is_asked_for_another_answer_has_the_ranks_of_that():
    prior, heard = drawn(4)
    running = RunningSum(prior)

    for right in ((), (5,), (9, 200), ()):
        assert played(running.play(heard, DEPTH, right)) == list(word_by_word(prior, heard, right))


def test_only_the_last_words_are_heard_again_when_a_word_is_added():
    prior, heard = drawn(5, titles=0)
    running = RunningSum(prior)
    shorter = HeardTerms(reading(heard.reading.stems[:-1]), heard.by_word[:-1], heard.titles_read)
    running.play(shorter, DEPTH)
    begun = list(running._stretches)

    running.play(heard, DEPTH)

    assert running._stretches[: len(begun) - 1] == begun[:-1]
    assert len(begun) > 2
