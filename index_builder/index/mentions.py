"""What passages about other pages say of a page: the words around its title, and whom they are about.

Most pages were never the answer of a tossup, and little is written about them; but passages about other pages
name them. Words near a title count a little for its page. They make no page longer and no term commoner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from index_builder.index.tokenized_texts import TokenizedTexts, rising_order, rows_of
from quizwriter.engine.tokenizer import Hashes, common, distinct, is_in, title_runs

FULL_MENTIONS = 100
"""From so many mentions on, those of a title count together as much as so many."""

MOST_MENTIONS, MOST_MENTIONS_OF_A_WORD = 3_000, 150
"""A title that stands in more places, or one of a single word that does, tells too little of its page."""

NEAR = 10
"""So many tokens before a title, and so many after it, tell of its page."""

NEAR_COUNT, ABOUT_COUNT = 0.05, 0.05
"""What a word near a title counts on its page, and what a word in the title of the page counts that the
passage is about. Chosen on 1,368 tossups of the development fold; docs/researchers.md has the figures."""

PART_BITS = 3
"""What mentions tell is added up in parts by so many first bits of the stem: all at once takes a gigabyte."""

_BITS = 20
"""Bits of a hash that are looked at together: most runs of words differ from every title in these already."""

_LOW_BITS, _HIGH_BITS = np.uint64((1 << _BITS) - 1), np.uint64(64 - _BITS)

_Numbers = npt.NDArray[np.int64]


class MentionCounts(NamedTuple):
    """What words count for pages by mentions; run parallel, one entry for each word that tells of a page."""

    stems: Hashes
    pages: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]

    def at(self, which: _Numbers | slice) -> MentionCounts:
        """Some of them."""
        return MentionCounts(self.stems[which], self.pages[which], self.counts[which])


class MentionCounter:
    """Counts what mentions tell of pages, in passages that may come part by part.

    A page is mentioned where a passage about another page has its title, unless several pages have this
    title. How much a mention counts is known only when all passages are read.
    """

    def __init__(self, titles: Hashes, titled: npt.NDArray[np.int32], pages: int, stop_words: Hashes) -> None:
        """``titles`` and ``titled`` are the hashes of titles and their pages, of all ``pages``.

        They come from :func:`~quizwriter.engine.tokenizer.title_hashes`. ``stop_words`` tell nothing.
        """
        every, at, times = np.unique(titles, return_index=True, return_counts=True)
        self._titles, self._titled = every[times == 1], titled[at[times == 1]]
        self._begins_title, self._ends_title = np.zeros((2, 1 << _BITS), np.bool_)
        self._begins_title[self._titles >> _HIGH_BITS] = True
        self._ends_title[self._titles & _LOW_BITS] = True
        self._met = np.zeros(pages, np.int32)  # more than the most is not counted further
        self._most = np.full(pages, MOST_MENTIONS, np.int32)
        self._stop_words = stop_words

    def read(
        self,
        tokens: TokenizedTexts,
        page_of: npt.NDArray[np.int32],
        titles: Sequence[tuple[int, ...]],
        first_page: int = 0,
    ) -> MentionCounts:
        """What mentions in some passages tell, each counted whole; an entry may come again.

        ``titles`` are those of some pages, see :func:`~quizwriter.engine.tokenizer.title_stems`, of which
        ``first_page`` is the number of the first among all; ``page_of`` has for each passage the place among
        them of its page.
        """
        starts = np.cumsum([0, *map(len, titles)])
        in_titles = np.fromiter((stem for title in titles for stem in title), np.uint64)
        words = tokens.vocabulary.stems
        stems, number = np.unique(np.concatenate([words, in_titles]), return_inverse=True)
        tells = (stems != 0) & ~is_in(stems, self._stop_words)
        stem_of, title_words = np.split(number, [len(words)])
        found = [_NOTHING]
        for start, stop in tokens.blocks():
            block = tokens.between(start, stop)
            about = page_of[start:stop]
            first, last, page = self._mentions(block, first_page + about)
            passage = block.passages[first]
            near, near_of = _near(block, first, last, passage)
            named, sizes = rows_of(title_words, starts, about[passage])
            stem = np.concatenate([stem_of[block.words[near]], named])
            told_of = np.concatenate([page[near_of], np.repeat(page, sizes)])
            counts = np.repeat([NEAR_COUNT, ABOUT_COUNT], [len(near), len(named)])
            told = tells[stem]
            stem, told_of, counts = _summed(stem[told], told_of[told], counts[told], len(self._met))
            found.append((stem.astype(np.int32), told_of, counts))
        stem, told_of, counts = map(np.concatenate, zip(*found, strict=True))
        return MentionCounts(stems[stem], told_of, counts)

    def settled(self, found: MentionCounts) -> MentionCounts:
        """What was ``found`` of some pages in all passages, as it counts; by stem and then by page."""
        kept = self._met[found.pages] <= self._most[found.pages]
        part_of = (found.stems >> np.uint64(64 - PART_BITS)).astype(np.int8)
        parts = [np.flatnonzero(kept & (part_of == part)) for part in range(1 << PART_BITS)]
        settled = (self._settled(found.at(some)) for some in parts)
        return MentionCounts(*map(np.concatenate, zip(*settled, strict=True)))

    def _settled(self, found: MentionCounts) -> MentionCounts:
        stems = distinct(found.stems)
        number = np.searchsorted(stems, found.stems)
        stem, pages, sums = _summed(number, found.pages, found.counts, len(self._met))
        share = np.minimum(1.0, FULL_MENTIONS / self._met[pages])
        return MentionCounts(stems[stem], pages, (sums * share).astype(np.float32))

    def _mentions(
        self, block: TokenizedTexts, about: npt.NDArray[np.int32]
    ) -> tuple[_Numbers, _Numbers, _Numbers]:
        """The first token, the last token and the page of every mention; ``about`` has each text's page."""
        runs, ends = title_runs(block.stems)
        content = ends[: np.count_nonzero(block.stems)]
        lengths = 1 + np.cumsum(np.append(False, ends[1:] <= ends[:-1])[: len(ends)])
        some = np.flatnonzero(self._ends_title[runs & _LOW_BITS])
        some = some[self._begins_title[runs[some] >> _HIGH_BITS]]
        hit, title = common(runs[some], self._titles)
        last, length, page = ends[some[hit]], lengths[some[hit]], self._titled[title]
        first = content[np.searchsorted(content, last) - length + 1]
        self._most[page[length == 1]] = MOST_MENTIONS_OF_A_WORD
        passage = block.passages
        told = passage[first] == passage[last]
        told &= last - first <= length + 2
        told &= about[passage[last]] != page
        told &= self._met[page] <= self._most[page]
        np.add.at(self._met, page[told], 1)
        return first[told].astype(np.int64), last[told].astype(np.int64), page[told].astype(np.int64)


def _near(
    block: TokenizedTexts, first: _Numbers, last: _Numbers, passage: npt.NDArray[np.int32]
) -> tuple[_Numbers, _Numbers]:
    """The tokens near mentions in the same passage, and the number of the mention that each is near to."""
    starts, ends = block.starts[passage], block.starts[passage + 1]
    tokens, mentions = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for distance in range(1, NEAR + 1):
        for at, inside in (
            (first - distance, first - distance >= starts),
            (last + distance, last + distance < ends),
        ):
            tokens.append(at[inside])
            mentions.append(np.flatnonzero(inside))
    return np.concatenate(tokens), np.concatenate(mentions)


_NOTHING = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))


def _summed(
    stem: npt.NDArray[np.int64],
    page: npt.NDArray[np.integer],
    counts: npt.NDArray[np.floating],
    pages: int,
) -> tuple[_Numbers, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Each stem once for each page, by stem and then by page. There are so many ``pages``."""
    keys = stem * np.int64(pages) + page
    order = rising_order(keys)
    keys = keys[order]
    first = np.diff(keys, prepend=-1) > 0
    sums = np.bincount(np.cumsum(first) - 1, counts[order], minlength=np.count_nonzero(first))
    keys = keys[first]
    stem, page = np.divmod(keys, np.int64(max(pages, 1)))
    return stem, page.astype(np.int32), sums.astype(np.float32)
