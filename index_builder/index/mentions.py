"""What passages about other pages say of a page: the words around its title, and whom they are about.

Most pages were never the answer of a tossup, and little is written about them; but passages about other pages
name them. Words near a title count a little for its page. They make no page longer and no term commoner.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from index_builder.index.tokenized_texts import TokenizedTexts, rows_of
from quizwriter.domain.tossup import Page
from quizwriter.engine.tokenizer import (
    Hashes,
    common,
    is_in,
    title_hashes,
    title_runs,
    title_stems,
)

FULL_MENTIONS = 100
"""From so many mentions on, those of a title count together as much as so many."""

MOST_MENTIONS, MOST_MENTIONS_OF_A_WORD = 3_000, 150
"""A title that stands in more places, or one of a single word that does, tells too little of its page."""

NEAR = 10
"""So many tokens before a title, and so many after it, tell of its page."""

NEAR_COUNT, ABOUT_COUNT = 0.05, 0.05
"""What a word near a title counts on its page, and what a word in the title of the page counts that the
passage is about. Fitted on the buzzer fold."""

_LOW_BITS = np.uint64((1 << 20) - 1)

_Keys = npt.NDArray[np.int64]
_Weights = npt.NDArray[np.float64]


def count_mentions(
    tokens: TokenizedTexts, page_of: npt.NDArray[np.int32], pages: Sequence[Page], stop_words: Hashes
) -> tuple[Hashes, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """The stem, the page and the count of each word that mentions tell of a page, by stem and then by page.

    ``page_of`` is the page of each passage. A page is mentioned where a passage about another page has its
    title, unless several pages have this title. ``stop_words`` tell nothing.
    """
    first, last, page, weight = _mentions(tokens, page_of, pages)
    stems, stem_of = np.unique(tokens.vocabulary.stems, return_inverse=True)
    tells = (stems != 0) & ~is_in(stems, stop_words)
    passage = np.searchsorted(tokens.starts, first, side="right") - 1
    starts, ends = tokens.starts[passage], tokens.starts[passage + 1]
    near: list[_Keys] = [np.zeros(0, np.int64)]
    weights: list[_Weights] = [np.zeros(0)]
    for distance in range(1, NEAR + 1):
        for at, inside in (
            (first - distance, first - distance >= starts),
            (last + distance, last + distance < ends),
        ):
            stem = stem_of[tokens.words[at[inside]]]
            told = tells[stem]
            near.append(stem[told] * len(pages) + page[inside][told])
            weights.append(NEAR_COUNT * weight[inside][told])
    title_starts, title_words = _title_words(pages, stems, tells)
    about, sizes = rows_of(title_words, title_starts, page_of[passage])
    near.append(about * len(pages) + np.repeat(page, sizes))
    weights.append(ABOUT_COUNT * np.repeat(weight, sizes))
    keys, number = np.unique(np.concatenate(near), return_inverse=True)
    counts = np.bincount(number, np.concatenate(weights), minlength=len(keys))
    stem, told_of = np.divmod(keys, max(len(pages), 1))
    return stems[stem], told_of.astype(np.int32), counts.astype(np.float32)


def _title_words(
    pages: Sequence[Page], stems: Hashes, tells: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the words in the title of each page begin, and these words as places in ``stems``."""
    titles = [title_stems(page) for page in pages]
    words = np.fromiter((stem for title in titles for stem in title), np.uint64)
    page = np.repeat(np.arange(len(pages)), [len(title) for title in titles])
    some, at = common(words, stems)
    page, at = page[some][tells[at]], at[tells[at]]
    return np.searchsorted(page, np.arange(len(pages) + 1)), at


def _mentions(
    tokens: TokenizedTexts, page_of: npt.NDArray[np.int32], pages: Sequence[Page]
) -> tuple[_Keys, _Keys, _Keys, _Weights]:
    """The first token, the last token and the page of every mention, and the share of one that it counts."""
    hashes, pages_with = title_hashes(pages)
    titles, at, times = np.unique(hashes, return_index=True, return_counts=True)
    titles, page_with = titles[times == 1], pages_with[at[times == 1]].astype(np.int64)
    may_be_title = np.zeros(int(_LOW_BITS) + 1, np.bool_)  # most runs of words are none
    may_be_title[titles & _LOW_BITS] = True
    met = np.zeros(len(titles), np.int64)
    found: list[npt.NDArray[np.int64]] = []
    for start, stop in tokens.blocks():
        block = tokens.between(start, stop)
        runs, ends = title_runs(block.stems)
        content = ends[: np.count_nonzero(block.stems)]
        length = 1 + np.cumsum(np.append(False, ends[1:] <= ends[:-1])[: len(ends)])
        some = np.flatnonzero(may_be_title[runs & _LOW_BITS])
        hit, title = common(runs[some], titles)
        hit = some[hit]
        passage, last = block.passages, ends[hit]
        first = content[np.searchsorted(content, last) - length[hit] + 1]
        told = passage[first] == passage[last]
        told &= last - first <= length[hit] + 2
        told &= page_of[start + passage[last]] != page_with[title]
        told &= met[title] <= MOST_MENTIONS
        met += np.bincount(title[told], minlength=len(met))
        offset = int(tokens.starts[start])
        found.append(np.stack([first + offset, last + offset, title, length[hit]])[:, told])
    first, last, title, length = np.concatenate([np.zeros((4, 0), np.int64), *found], axis=1)
    kept = met[title] <= np.where(length == 1, MOST_MENTIONS_OF_A_WORD, MOST_MENTIONS)
    first, last, title = first[kept], last[kept], title[kept]
    return first, last, page_with[title], np.minimum(1.0, FULL_MENTIONS / met[title])
