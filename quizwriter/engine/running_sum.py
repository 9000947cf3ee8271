"""The running sum of the retrieval player: the first pages after every word of a tossup.

Every term adds points to the pages in its posting. The order of the pages is wanted after every word, but of
the first few only. Points never fall, except by :data:`TITLE_POINTS` where a title is read aloud. So in a
stretch of words only the pages that have enough points at its end can be among the first anywhere in it. For
these few the points are worked out term by term; for all others they are added up in one go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.guessing import RANK_DEPTH
from quizwriter.engine.evidence import TITLE_POINTS
from quizwriter.engine.tokenizer import TokenizedTossup, common

Posting = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""The pages of a term, rising, and the points that each of them gets."""

STRETCH = 32
"""Words that are added up in one go."""

SPARE = 20
"""How many titles may be read in one go: so many pages more than are ranked have the points of the floor."""

_Numbers = npt.NDArray[np.intp]
_Floats = npt.NDArray[np.float32]
_NO_PAGES, _NO_POINTS = np.zeros(0, np.int32), np.zeros(0, np.float32)


class HeardTerms(msgspec.Struct, frozen=True, dict=True):
    """What a tossup brings up: for each of its words the terms that it completes. Words are counted from 0.

    ``titles_read`` has, for each page whose title is read aloud, the word that first completes it.
    """

    reading: TokenizedTossup
    by_word: Sequence[Sequence[Posting]]
    titles_read: Mapping[int, int]

    @cached_property
    def titled(self) -> _Numbers:
        return np.fromiter(self.titles_read.keys(), np.intp, len(self.titles_read))

    @cached_property
    def titled_at(self) -> _Numbers:
        """For each of these pages the word that first completes its title."""
        return np.fromiter(self.titles_read.values(), np.intp, len(self.titles_read))


class Ranking(msgspec.Struct, frozen=True):
    """The first pages after every word.

    Shapes:
        ``pages``, -1 where there are fewer, and ``points``, best first: ``[words, depth]``. ``ranks``, the
        place of the best page that was looked for, from 1, or None where it is not among the first
        ``RANK_DEPTH``: ``[words]``.
    """

    pages: _Numbers
    points: _Floats
    ranks: list[int | None]


class _Stretch(msgspec.Struct, frozen=True):
    """What some words in a row came to, and what the sum was before them.

    ``end`` is the word after them. ``words`` are those that add anything: the rows of ``pages``, ``points``
    and ``ranks``. The pages in ``touched`` had the points ``before``.
    """

    end: int
    words: Sequence[int]
    pages: _Numbers
    points: _Floats
    ranks: list[int | None]
    touched: _Numbers
    before: _Floats
    floor_before: float


class RunningSum:
    """The points of all pages after the words heard, which go on, or back, to the words of another draft."""

    def __init__(self, prior: _Floats) -> None:
        """The sum before the first word: each page has its ``prior``."""
        self._prior, self._largest_prior = prior, float(prior.max(initial=0))
        self._points = prior.copy()  # titles that were read are not counted
        self._floor = -np.inf  # at least RANK_DEPTH + SPARE of the pages brought up have so many points
        self._column: _Numbers = np.zeros(len(prior), np.intp)  # of some pages, while a stretch is added up
        self._stretches: list[_Stretch] = []
        self._played: tuple[TokenizedTossup, int, tuple[int, ...]] | None = None

    def copy(self) -> RunningSum:
        """The same sum, which goes on by itself."""
        found = RunningSum(self._prior)
        found._points[:], found._floor = self._points, self._floor
        found._stretches, found._played = self._stretches.copy(), self._played
        return found

    def play(self, heard: HeardTerms, depth: int, right: tuple[int, ...] = ()) -> Ranking:
        """The first ``depth`` pages after each word, and the place of the best of the ``right`` ones.

        The words that are those of the tossup before are not heard again. A page that shares no term with
        the words heard is never among the first; of pages with equal points, the lower number is first.
        """
        shared = 0
        if self._played is not None and self._played[1:] == (depth, right):
            shared = heard.reading.shared_prefix(self._played[0])
        self._played = None
        while self._stretches and self._stretches[-1].end > shared:
            stretch = self._stretches.pop()
            self._points[stretch.touched], self._floor = stretch.before, stretch.floor_before
        at, words = self._stretches[-1].end if self._stretches else 0, len(heard.by_word)
        titles = np.bincount(heard.titled_at, minlength=words).tolist()
        while at < words:
            end = self._stretch_end(titles, at)
            some = [word for word in range(at, min(end, words)) if heard.by_word[word] or titles[word]]
            if some:
                self._stretches.append(self._hear(heard, some, end, depth, right))
            at = end
        self._played = heard.reading, depth, right
        return self._ranking(words, depth)

    def _stretch_end(self, titles: Sequence[int], start: int) -> int:
        """The word before which a stretch must end that begins at ``start``.

        A page that no word has brought up has its prior only. Until that is too little to be among the first,
        the words are heard one by one, after each of which it is known what was brought up.
        """
        if titles[start] > SPARE:
            self._floor = -np.inf
        if self._floor <= self._largest_prior:
            return start + 1
        read = titles[start]
        for word in range(start + 1, min(start + STRETCH, len(titles))):
            read += titles[word]
            if read > SPARE:
                return word
        return start + STRETCH

    def _hear(
        self, heard: HeardTerms, words: Sequence[int], end: int, depth: int, right: tuple[int, ...]
    ) -> _Stretch:
        """Add ``words``, up to before the word ``end``."""
        points, floor = self._points, self._floor
        terms = [term for word in words for term in heard.by_word[word]]
        last_term = np.cumsum([len(heard.by_word[word]) for word in words])  # of each word, from 1
        ends = np.cumsum([0, *(len(pages) for pages, _ in terms)])
        pages = np.concatenate([_NO_PAGES, *(pages for pages, _ in terms)], dtype=np.intp)
        added = np.concatenate([_NO_POINTS, *(added for _, added in terms)])
        before = points.take(pages)
        np.add.at(points, pages, added)
        enough = points >= floor
        if floor <= self._largest_prior:
            enough &= points != self._prior  # only what was brought up
        columns = enough.nonzero()[0]

        # The points of these few pages at first and after each term.
        likely = enough.take(pages).nonzero()[0]
        self._column[columns] = np.arange(len(columns))
        column = self._column.take(pages[likely])
        grid = np.zeros((len(terms) + 1, len(columns)), np.float32)
        grid[0] = points[columns]
        grid[0, column] = before[likely]
        grid[ends.searchsorted(likely, "right"), column] = added[likely]
        sum_before = grid[0]
        for row in grid[1:]:
            row += sum_before
            sum_before = row
        after = grid[last_term]
        titled, column = common(heard.titled, columns)
        if len(titled):
            read = np.asarray(words)[:, None] >= heard.titled_at[titled]
            after[:, column] += np.where(read, np.float32(TITLE_POINTS), np.float32(0))

        self._floor = -np.inf
        if len(columns) >= RANK_DEPTH + SPARE:
            self._floor = float(np.partition(after[-1], -(RANK_DEPTH + SPARE))[-(RANK_DEPTH + SPARE)])
        first, first_points = _first(after, columns, depth)
        ranks = _ranks(after, columns, right)
        return _Stretch(end, words, first, first_points, ranks, pages, before, floor)

    def _ranking(self, words: int, depth: int) -> Ranking:
        """The rows of all stretches; a word that adds nothing shares the row before."""
        pages, points = np.full((words + 1, depth), -1, np.intp), np.zeros((words + 1, depth), np.float32)
        ranks: list[int | None] = [None] * (words + 1)
        source = np.zeros(words + 1, np.intp)  # the first row is that before any word
        for stretch in self._stretches:
            rows = np.asarray(stretch.words) + 1
            source[rows] = rows
            pages[rows, : stretch.pages.shape[1]] = stretch.pages
            points[rows, : stretch.pages.shape[1]] = stretch.points
            for word, rank in zip(stretch.words, stretch.ranks, strict=True):
                ranks[word + 1] = rank
        source = np.maximum.accumulate(source)[1:]
        return Ranking(pages[source], points[source], [ranks[row] for row in source.tolist()])


def _first(after: _Floats, pages: _Numbers, depth: int) -> tuple[_Numbers, _Floats]:
    """The first ``depth`` of ``pages`` and their points, best first, ties by number, for each row.

    Shapes:
        ``after``, the points: ``[rows, pages]``. ``pages`` rise.
    """
    if len(pages) > depth:
        # What is never better than so many others at their worst is never among the first.
        enough = np.partition(after.min(axis=0), -depth)[-depth]
        some = (after.max(axis=0) >= enough).nonzero()[0]
        after, pages = after[:, some], pages[some]
    order = (-after).argsort(axis=1, kind="stable")[:, :depth]
    return pages[order], after[np.arange(len(after))[:, None], order]


def _ranks(after: _Floats, pages: _Numbers, right: tuple[int, ...]) -> list[int | None]:
    """For each row of points the place of the best of the ``right`` pages, from 1; None beyond RANK_DEPTH."""
    if not right:
        return [None] * len(after)
    best = np.full(len(after), RANK_DEPTH + 1)
    for column in common(np.asarray(right, np.intp), pages)[1].tolist():
        points = after[:, column, None]
        ahead = np.count_nonzero(after > points, axis=1)
        ahead += np.count_nonzero(after[:, :column] == points, axis=1)
        np.minimum(best, ahead + 1, out=best)
    return [rank if rank <= RANK_DEPTH else None for rank in best.tolist()]
