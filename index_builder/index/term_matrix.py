"""From passages to the matrix of terms and pages that the retrieval player sums over.

The way is the same for every index: :func:`tokenize_corpus` makes tokens of the passages, :func:`count_terms`
counts the terms on each page, and :meth:`TermCounts.points` works out what each term adds to each page. A
bundle does this once for all passages, the index of added packets for those, and the publisher to
Elasticsearch batch by batch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import astuple, replace

from index_builder.data.corpus import Corpus
from index_builder.index.mentions import MentionCounter, MentionCounts
from index_builder.index.tokenized_texts import BLOCK, PARTS, TokenizedTexts, postings_by_stem, rising_order
from quizwriter.domain.page import Page, answer_key
from quizwriter.engine.bundle import BundleWriter
from quizwriter.engine.completion import NameWords
from quizwriter.engine.evidence import HeardWeighting
from quizwriter.engine.pages import Alias, count_main_words
from quizwriter.engine.retrieval import HEARING as HEARING_FILE
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import (
    Hashes,
    common,
    hashes_of_titles,
    terms_of,
    title_hashes,
    title_stems,
)

KIND_WEIGHTS = {PassageKind.TOSSUP: 1.0, PassageKind.BONUS: 1.0, PassageKind.ARTICLE: 0.2}
"""How much a term in a passage of each kind counts: articles are not written like questions."""


Numbers = npt.NDArray[Any]


class TermWeighting(msgspec.Struct, frozen=True):
    """How the points of one sort of term are worked out: words, pairs of words, or what follows "this"."""

    weight: float  # of the logarithm of the language model's ratio
    sharpness: float
    smoothing: float  # terms that every page is given before its own are counted
    saturation: float  # a term that occurs so often counts half of what it would
    normalisation: float = 1.0  # 1: a term counts by its share of the page, 0: by how often it occurs there
    kinds: tuple[PassageKind, ...] = tuple(PassageKind)  # of passages in which the term is counted
    minimum_total: float = 0.0  # a term that counts less than this in the whole corpus is left out

    def points(self, tf: Numbers, length: Numbers, share: Numbers) -> npt.NDArray[np.float32]:
        """What a term adds to a page, ``weight * log(1 + sharpness * tf' / (norm * share))``.

        ``tf`` is the term's count on the page, ``length`` the count of all terms there, and ``share`` the
        term's share of the whole corpus; ``tf'`` is ``tf / (1 + tf / saturation)``, and ``norm`` is
        :meth:`length_norm`. ``share`` says how rare a term is; a further weight for rarity adds nothing.
        """
        saturated = tf / (1 + tf / np.float32(self.saturation))
        ratio = self.sharpness * saturated / (self.length_norm(length) * share)
        return np.asarray(self.weight * np.log1p(ratio), np.float32)

    def length_norm(self, length: Numbers) -> Numbers:
        """What counts on a page of this ``length`` are divided by: ``(length + smoothing) ** normalisation``.

        A page is long because much was asked about it, and less because it says the same more often.

        Source:
            Singhal, Buckley and Mitra, "Pivoted Document Length Normalization" (1996), on why long
            documents must be held back less than by their length.
        """
        return np.asarray((length + self.smoothing) ** self.normalisation)

    def counts(self, points: Numbers, length: Numbers, share: Numbers) -> Numbers:
        """The ``tf`` from which :meth:`points` made ``points``."""
        ratio = np.expm1(points.astype(np.float64) / self.weight)
        saturated = ratio * self.length_norm(length) * share / self.sharpness
        return saturated / (1 - saturated / self.saturation)

    @property
    def occurrence_counts(self) -> npt.NDArray[np.float32]:
        return np.asarray(
            [KIND_WEIGHTS[kind] if kind in self.kinds else 0.0 for kind in PassageKind], np.float32
        )


# Fitted by softmax regression on the buzzer fold, chosen on the development fold.
WORDS = TermWeighting(0.24, 0.02, 10.0, 1.5, normalisation=0.65)
PAIRS = TermWeighting(0.09, 5e-5, 0.0, math.inf, normalisation=0.0, minimum_total=1.0)
KINDS = TermWeighting(0.12, 100.0, 5.0, math.inf, kinds=(PassageKind.TOSSUP, PassageKind.BONUS))

WEIGHTINGS = (WORDS, PAIRS, KINDS)
"""One for each of :data:`quizwriter.engine.tokenizer.SORTS`, in that order."""

HEARING = HeardWeighting(early_loss=0.1875, again_loss=0.625, kind_weight=0.625, called_points=1.625)
"""How terms count by how they are heard. Fitted by softmax regression on 2,400 tossups of the buzzer fold,
chosen on 1,368 of the development fold, and rounded: the product with a rounded point is exact."""

_SAVED_NUMBERS = 5  # of a TermWeighting, before its kinds

MENTIONS_FROM = 2_000
"""A bundle of so many pages counts where they are mentioned. On few pages, such as the starter's, there is
little to find, and the players that come with the program were trained without it."""

LEAST_MENTION_POINTS = 0.1
"""A term that a page has from mentions alone adds as much, or nothing: common words make long lists."""

PSEUDO_COUNT = 0.5
"""What every term counts in the corpus before it is counted."""

PRIOR_WEIGHT = 0.25
"""Points a page starts with for each e-fold of the questions on it: popular answers come again."""

STOP_WORD_SHARE, STOP_WORD_MINIMUM = 0.05, 40
"""A stem in more than this share of the tossups, and in more than so many, counts as a stop word."""


def weighting_table() -> npt.NDArray[np.float64]:
    """The numbers of :data:`WEIGHTINGS`, a row for each sort of term, as a bundle saves them.

    Counts can be worked out from points only by the numbers that made the points.
    """
    return np.asarray([[*astuple(weighting)[:_SAVED_NUMBERS], PRIOR_WEIGHT] for weighting in WEIGHTINGS])


class TermCounts(NamedTuple):
    """What terms of one sort count on pages: a sparse matrix, term by term.

    Shapes:
        ``terms`` are the distinct hashes, sorted; ``sizes`` counts the pages that have each term. ``pages``
        and ``counts`` run parallel, one entry for each posting, the pages of a term one after the other.
    """

    terms: Hashes
    sizes: npt.NDArray[np.int64]
    pages: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]

    def totals(self) -> npt.NDArray[np.float64]:
        found = np.bincount(self._term_of_posting(), self.counts, minlength=len(self.terms))
        return np.asarray(found, np.float64)

    def page_lengths(self, pages: int) -> npt.NDArray[np.float64]:
        return np.asarray(np.bincount(self.pages, self.counts, minlength=pages), np.float64)

    def of_terms(self, kept: npt.NDArray[np.bool_]) -> TermCounts:
        postings = np.repeat(kept, self.sizes)
        return TermCounts(self.terms[kept], self.sizes[kept], self.pages[postings], self.counts[postings])

    def with_terms(self, more: Hashes) -> TermCounts:
        """The counts with ``more`` terms, sorted, of which those that are new count nothing."""
        terms = np.union1d(self.terms, more)
        sizes = np.zeros(len(terms), np.int64)
        sizes[np.searchsorted(terms, self.terms)] = self.sizes
        return self._replace(terms=terms, sizes=sizes)

    def points(
        self,
        weighting: TermWeighting,
        totals: npt.NDArray[np.float64],
        mass: float,
        length: npt.NDArray[np.float64],
    ) -> Postings:
        """The postings of the terms that are not too seldom.

        ``totals`` are the counts of ``terms`` in the whole corpus, of which a term's share is
        ``(total + PSEUDO_COUNT) / mass``; ``length`` is that of each page.
        """
        term = self._term_of_posting()
        share = (totals + PSEUDO_COUNT) / mass
        kept = totals[term] >= weighting.minimum_total
        term, page, tf = term[kept], self.pages[kept], self.counts[kept]
        points = np.empty(len(term), np.float32)
        for start in range(0, len(term), BLOCK):  # all at once take half a gigabyte in between
            some = slice(start, start + BLOCK)
            points[some] = weighting.points(tf[some], length[page[some]], share[term[some]])
        return term, page, points

    def _term_of_posting(self) -> npt.NDArray[np.int32]:
        return np.repeat(np.arange(len(self.terms), dtype=np.int32), self.sizes)


Postings = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""For each posting the number of its term, its page, and what the term adds to it; by term, then by page."""


def with_mentions(
    postings: Postings,
    terms: Hashes,
    weighting: TermWeighting,
    share: npt.NDArray[np.float64],
    length: npt.NDArray[np.float64],
    mentions: MentionCounts,
) -> Postings:
    """``postings`` of ``terms`` with what ``mentions`` tell of pages added to the counts.

    A page is as long as before, and a term as common: ``share`` is each term's share of the corpus, and
    ``length`` that of each page. What mentions say of other terms is left out.
    """
    of_term, of_page, of_points = postings
    known, term = common(mentions.stems, terms)
    page, counts = mentions.pages[known], mentions.counts[known]
    keys = term * len(length) + page
    own = of_term * np.int64(len(length)) + of_page
    place = np.searchsorted(own, keys)
    at = np.minimum(place, len(own) - 1)  # without postings there are no terms either
    there = (own[at] == keys) & (place < len(own))
    before = np.where(there, of_points[at], np.float32(0))
    del own, keys, at
    counts = weighting.counts(before, length[page], share[term]) + counts
    points = weighting.points(counts, length[page], share[term])
    changed = of_points.copy()
    changed[place[there]] = points[there]
    new = ~there & (points >= LEAST_MENTION_POINTS)
    return (
        np.insert(of_term, place[new], term[new]),
        np.insert(of_page, place[new], page[new]),
        np.insert(changed, place[new], points[new]),
    )


def write_terms(
    tokens: TokenizedTexts,
    kinds: npt.NDArray[np.int8],
    page_of: npt.NDArray[np.int32],
    pages: Sequence[Page],
    writer: BundleWriter,
) -> tuple[int, int]:
    """Put the matrix of the terms among ``tokens`` into a bundle; how many terms and postings it has.

    ``kinds`` and ``page_of`` have the kind and the page of each passage; those of a page stand together.
    """
    tossups = int(np.count_nonzero(kinds == PassageKind.TOSSUP))
    stop_words = corpus_stop_words(*tossup_frequencies(tokens, kinds), tossups)
    mentions = None
    if len(pages) >= MENTIONS_FROM:  # before the matrices, with which they would fill gigabytes
        titles = [title_stems(page) for page in pages]
        counter = MentionCounter(*hashes_of_titles(titles), len(pages), stop_words)
        mentions = counter.settled(counter.read(tokens, page_of, titles))
    matrices = list[_TermMatrix]()
    found = _count_parts(tokens, kinds, page_of, stop_words)
    for weighting, parts in zip(WEIGHTINGS, found, strict=True):
        matrix = _TermMatrix.of(parts, weighting, len(pages))
        if mentions is not None:  # they tell of words, which come first
            matrix, mentions = matrix.with_mentions(WORDS, mentions), None
        matrices.append(matrix)
    _write_matrices(writer, matrices)
    _write_counts(writer, matrices)
    writer.array("ir/everywhere.npy", stop_words)
    writer.array(HEARING_FILE, np.asarray(astuple(HEARING)))
    return sum(len(matrix.terms) for matrix in matrices), sum(len(matrix.rows) for matrix in matrices)


def tossup_frequencies(
    tokens: TokenizedTexts, kinds: npt.NDArray[np.int8]
) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """The stems in the tossups among some passages, sorted, and in how many of the tossups each occurs.

    ``kinds`` are those of the passages.
    """
    tossups = np.where(kinds == PassageKind.TOSSUP, np.arange(len(kinds), dtype=np.int32), np.int32(-1))
    stems, counts, _ = postings_by_stem((tokens, tossups))
    return stems, counts


def corpus_stop_words(stems: Hashes, frequencies: npt.NDArray[np.int64], tossups: int) -> Hashes:
    """Those of ``stems`` that occur in so many of all ``tossups`` that they say nothing about an answer."""
    return stems[frequencies > max(STOP_WORD_MINIMUM, STOP_WORD_SHARE * tossups)]


def count_terms(
    tokens: TokenizedTexts, kinds: npt.NDArray[np.int8], page_of: npt.NDArray[np.int32], stop_words: Hashes
) -> Iterator[TermCounts]:
    """What terms count on pages, for each of :data:`WEIGHTINGS` in turn.

    ``kinds`` and ``page_of`` have the kind and the page of each passage; those of a page stand together.
    """
    return map(_joined, _count_parts(tokens, kinds, page_of, stop_words))


def _count_parts(
    tokens: TokenizedTexts, kinds: npt.NDArray[np.int8], page_of: npt.NDArray[np.int32], stop_words: Hashes
) -> Iterator[Iterator[TermCounts]]:
    """As :func:`count_terms`, in parts of rising hashes."""
    blocks: list[list[_Occurrences]] = [[] for _ in WEIGHTINGS]
    for start, stop in tokens.blocks(page_of):
        block = tokens.between(start, stop)
        texts = block.passages
        sorts = terms_of(block.stems, block.pointers, texts, stop_words)
        for found, weighting, terms in zip(blocks, WEIGHTINGS, sorts, strict=True):
            passages = start + texts[terms.last]
            counts = weighting.occurrence_counts[kinds[passages]]
            found.append(_summed(_Occurrences(terms.hashes, page_of[passages], counts)))
    yield from map(_merged, blocks)


class _Occurrences(NamedTuple):
    """Terms on pages, and what each counts there; run parallel."""

    hashes: Hashes
    pages: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]

    def at(self, which: Numbers | slice) -> _Occurrences:
        """Some of them."""
        return _Occurrences(self.hashes[which], self.pages[which], self.counts[which])


_NOTHING = _Occurrences(np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros(0, np.float32))


def _summed(found: _Occurrences) -> _Occurrences:
    """Each term once for each page, by rising hashes. Occurrences that count nothing are left out."""
    counted = np.flatnonzero(found.counts > 0)
    hashes, pages, counts = found.at(counted[rising_order(found.hashes[counted])])
    new = np.concatenate([[True], (hashes[1:] != hashes[:-1]) | (pages[1:] != pages[:-1])])
    starts = np.flatnonzero(new[: len(hashes)])
    sums = np.add.reduceat(counts, starts) if len(starts) else counts
    return _Occurrences(hashes[starts], pages[starts], sums)


def _merged(blocks: list[_Occurrences]) -> Iterator[TermCounts]:
    """The counts of ``blocks``, none of which has a page of another one; their pages rise.

    They come in parts of rising hashes. The list of blocks is empty when the last one comes.
    """
    borders = np.arange(1, PARTS, dtype=np.uint64) * np.uint64((1 << 64) // PARTS)
    places = [[0, *np.searchsorted(block.hashes, borders), len(block.hashes)] for block in blocks]
    for part in range(PARTS):
        some = [
            block.at(slice(at[part], at[part + 1])) for block, at in zip(blocks, places, strict=True)
        ] or [_NOTHING]
        joined = _Occurrences(*map(np.concatenate, zip(*some, strict=True)))
        # pages stay as they rise for each term; quick because blocks follow that are sorted
        hashes, pages, counts = joined.at(np.argsort(joined.hashes, kind="stable"))
        del some, joined
        if part == PARTS - 1:
            blocks.clear()
        starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]])[: len(hashes)])
        yield TermCounts(hashes[starts], np.diff(starts, append=len(hashes)), pages, counts)


def _joined(parts: Iterable[TermCounts]) -> TermCounts:
    """Parts of rising hashes as one."""
    return TermCounts(*map(np.concatenate, zip(*parts, strict=True)))


class _TermMatrix(msgspec.Struct, frozen=True):
    """The points of one sort of term, and what they were made from.

    Shapes:
        ``terms`` are sorted; ``sizes`` counts the pages that have each, ``totals`` is its count in the whole
        corpus. ``rows`` and ``points`` have an entry for each posting, term by term. ``length`` is the count
        of all terms on each page, and ``mass`` what a total is divided by to be a share.
    """

    terms: Hashes
    sizes: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    points: npt.NDArray[np.float32]
    totals: npt.NDArray[np.float64]
    length: npt.NDArray[np.float64]
    mass: float

    @classmethod
    def of(cls, parts: Iterable[TermCounts], weighting: TermWeighting, pages: int) -> _TermMatrix:
        """The matrix of all terms on so many pages. Those that are too seldom are never all in memory."""
        length, mass = np.zeros(pages), 0.0
        found, totals = list[TermCounts](), list[npt.NDArray[np.float64]]()
        for part in parts:
            total = part.totals()
            length += part.page_lengths(pages)
            mass += float(total.sum() + PSEUDO_COUNT * len(total))
            kept = total >= weighting.minimum_total
            found.append(part.of_terms(kept))
            totals.append(total[kept])
        counts, every = _joined(found), np.concatenate(totals)
        found.clear()
        _, rows, points = counts.points(weighting, every, mass, length)
        return cls(counts.terms, counts.sizes, rows, points, every, length, mass)

    def with_mentions(self, weighting: TermWeighting, mentions: MentionCounts) -> _TermMatrix:
        """The matrix with what ``mentions`` tell of pages added to the counts; see :func:`with_mentions`."""
        share = (self.totals + PSEUDO_COUNT) / self.mass
        ends = np.concatenate([[0], np.cumsum(self.sizes)])
        parts = list[tuple[Numbers, Numbers, Numbers]]()
        for low, high in pairwise(np.unique(np.linspace(0, len(self.terms), PARTS + 1).astype(np.int64))):
            terms, own = self.terms[low:high], slice(ends[low], ends[high])
            term = np.repeat(np.arange(len(terms), dtype=np.int32), self.sizes[low:high])
            first = np.searchsorted(mentions.stems, terms[0])
            last = np.searchsorted(mentions.stems, terms[-1], "right")
            told = mentions.at(slice(first, last))
            postings = term, self.rows[own], self.points[own]
            term, rows, points = with_mentions(postings, terms, weighting, share[low:high], self.length, told)
            parts.append((np.bincount(term, minlength=len(terms)), rows, points))
        if not parts:
            return self
        sizes, rows, points = map(np.concatenate, zip(*parts, strict=True))
        return replace(self, sizes=sizes, rows=rows, points=points)


def _write_matrices(writer: BundleWriter, matrices: list[_TermMatrix]) -> None:
    """The matrices as one; terms sorted by hash, postings by term and page."""
    terms = np.concatenate([matrix.terms for matrix in matrices])
    order = np.argsort(terms)
    sizes = np.concatenate([matrix.sizes for matrix in matrices])
    starts = np.cumsum(sizes) - sizes
    offsets = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int64)
    moved = np.repeat(starts[order] - offsets[:-1], sizes[order])
    moved += np.arange(len(moved))
    writer.array("ir/terms.npy", terms[order])
    writer.array("ir/offsets.npy", offsets)
    writer.array("ir/rows.npy", np.concatenate([matrix.rows for matrix in matrices])[moved])
    writer.array("ir/points.npy", np.concatenate([matrix.points for matrix in matrices])[moved])


def _write_counts(writer: BundleWriter, matrices: list[_TermMatrix]) -> None:
    """What points were made from, for counting in more texts; see :mod:`index_builder.index.delta_index`."""
    order = np.argsort(np.concatenate([matrix.terms for matrix in matrices]))
    sorts = np.repeat(np.arange(len(matrices), dtype=np.int8), [len(matrix.terms) for matrix in matrices])
    totals = np.concatenate([matrix.totals for matrix in matrices])
    writer.array("counts/sorts.npy", sorts[order])
    writer.array("counts/totals.npy", totals[order].astype(np.float32))
    writer.array("counts/lengths.npy", np.asarray([matrix.length for matrix in matrices], np.float32))
    writer.array("counts/weighings.npy", weighting_table())
    writer.array("counts/masses.npy", np.asarray([matrix.mass for matrix in matrices]))


def write_pages(
    pages: Sequence[Page], tossup_counts: Numbers, questions: Numbers, writer: BundleWriter
) -> None:
    """Put ``pages`` into a bundle: their names, keys and titles, and how often each is asked for.

    ``tossup_counts`` and ``questions`` are as in :func:`write_priors`.
    """
    writer.lines("pages.txt", list(pages))
    writer.lines("page_keys.txt", [answer_key(page) for page in pages])
    write_priors(tossup_counts, questions, writer)
    hashes, rows = title_hashes(pages)
    writer.array("ir/titles.npy", hashes)
    writer.array("ir/titled.npy", rows)


def write_aliases(aliases: Sequence[Alias], writer: BundleWriter) -> None:
    """Put other names of the pages into a bundle; a bundle without any has no such files."""
    if not aliases:
        return
    writer.lines("aliases/names.txt", [alias.name for alias in aliases])
    writer.lines("aliases/keys.txt", [alias.key for alias in aliases])
    numbers = [(alias.row, alias.lines, alias.beside, alias.mapped) for alias in aliases]
    writer.array("aliases/numbers.npy", np.asarray(numbers, np.int32))


def write_name_words(pages: Sequence[Page], aliases: Sequence[Alias], writer: BundleWriter) -> None:
    """Put the words of all names of pages into a bundle: the answer field completes by them."""
    keys = [answer_key(page) for page in pages]
    words = NameWords.of(keys, [alias.key for alias in aliases], count_main_words(pages, keys))
    words.write(writer)


def question_counts(kinds: Numbers, page_rows: Numbers, pages: int) -> npt.NDArray[np.int64]:
    """How many tossups and parts of bonuses among some passages each of so many ``pages`` has."""
    return np.bincount(page_rows[kinds != PassageKind.ARTICLE], minlength=pages)


def write_priors(tossup_counts: Numbers, questions: Numbers, writer: BundleWriter) -> None:
    """Put into a bundle how many tossups ask for each page, and the points that the page starts with.

    ``questions`` counts those that the page has in the index, bonuses too.
    """
    writer.array("pages_asked.npy", tossup_counts.astype(np.int32))
    writer.array("ir/prior.npy", prior_points(questions))


def prior_points(questions: Numbers) -> npt.NDArray[np.float32]:
    """The points that a page with so many ``questions`` starts with."""
    return np.asarray(PRIOR_WEIGHT * np.log1p(questions), np.float32)


def write_passages(corpus: Corpus, writer: BundleWriter) -> None:
    """Put the passages of ``corpus`` into a bundle, and where those of each page begin."""
    writer.texts("passages/texts", [passage.text for passage in corpus.passages])
    writer.texts("passages/sources", [passage.source for passage in corpus.passages])
    starts = np.searchsorted(corpus.page_rows.astype(np.int64), np.arange(len(corpus.pages) + 1))
    writer.array("passages/page_starts.npy", starts.astype(np.int64))
    writer.array("passages/kinds.npy", corpus.kinds)
    categories = sorted({passage.category for passage in corpus.passages})
    number = {category: place for place, category in enumerate(categories)}
    writer.lines("passages/category_names.txt", categories)
    numbers = [number[passage.category] for passage in corpus.passages]
    writer.array("passages/categories.npy", np.asarray(numbers, np.int16))
    writer.texts("held/texts", [held.text for held in corpus.held])
    writer.lines("held/pages.txt", [held.page for held in corpus.held])
    writer.lines("held/folds.txt", [held.fold for held in corpus.held])
