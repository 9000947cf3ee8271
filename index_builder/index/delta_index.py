"""The index of packets added to a bundle: by how much the points of the bundle change.

The bundle's own files stay as they are. The index of added packets plays beside them: it has the points that
must be added to those of the bundle, or taken from them, to get what a build from everything would give.
"""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from index_builder.data.corpus import Corpus
from index_builder.index.library_index import write_library
from index_builder.index.term_matrix import (
    PSEUDO_COUNT,
    WEIGHTINGS,
    TermCounts,
    TermWeighting,
    count_terms,
    question_counts,
    weighting_table,
    write_passages,
    write_priors,
)
from index_builder.index.tokenized_corpus import tokenize_corpus
from quizwriter.domain.page import answer_key
from quizwriter.engine.bundle import Bundle, BundleWriter
from quizwriter.engine.retrieval import HEARING, PassageKind
from quizwriter.engine.stored_arrays import require
from quizwriter.engine.tokenizer import Hashes, places, title_hashes
from quizwriter.errors import QuizwriterError

TOLERANCE = 0.25
"""Points stay as they are when the term's share of the corpus, or the page's length norm, changes by less
than this: the points of a word change by .06 at most, and correcting them would copy much of the bundle."""


def require_same_weighting(bundle: Bundle) -> None:
    """Return if texts can be counted into ``bundle``."""
    if not np.array_equal(bundle.array("counts/weighings.npy"), weighting_table()):
        raise QuizwriterError(
            f"The bundle in {bundle.folder} was built by a version that weighs words otherwise.",
            "Build it again.",
        )


def write_delta_index(
    bundle: Bundle, corpus: Corpus, writer: BundleWriter, *, tolerance: float = TOLERANCE
) -> None:
    """Put the points that ``corpus`` adds to ``bundle`` into ``writer``.

    The first pages of ``corpus`` are those of the bundle, in their order; its passages are the added ones.
    """
    require_same_weighting(bundle)
    tokens = tokenize_corpus(corpus)
    before = _BundleCounts.of(bundle, len(corpus.pages))
    added = count_terms(tokens.passages, corpus.kinds, corpus.page_rows, bundle.array("ir/everywhere.npy"))
    found = [
        before.changes(sort, weighting, counts, tolerance=tolerance)
        for sort, (weighting, counts) in enumerate(zip(WEIGHTINGS, added, strict=True))
    ]
    hashes, rows, points = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((rows, hashes))
    distinct, sizes = np.unique(hashes, return_counts=True)
    writer.array("ir/terms.npy", distinct)
    writer.array("ir/offsets.npy", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
    writer.array("ir/rows.npy", rows[order])
    writer.array("ir/points.npy", points[order])
    _write_pages(bundle, corpus, writer)
    write_passages(corpus, writer)
    write_library(corpus, tokens, writer)


def _write_pages(bundle: Bundle, corpus: Corpus, writer: BundleWriter) -> None:
    """All pages, as in any bundle; only the keys and titles of new pages are worked out."""
    asked = bundle.array("pages_asked.npy")
    new = corpus.pages[len(asked) :]
    writer.lines("pages.txt", list(corpus.pages))
    writer.lines("page_keys.txt", [*bundle.lines("page_keys.txt"), *map(answer_key, new)])
    tossups = np.asarray(corpus.tossup_counts) + np.pad(asked, (0, len(new)))
    questions = question_counts(corpus.kinds, corpus.page_rows, len(corpus.pages))
    own = np.concatenate([[0], np.cumsum(bundle.array("passages/kinds.npy") != PassageKind.ARTICLE)])
    questions += np.pad(np.diff(own[bundle.array("passages/page_starts.npy")]), (0, len(new)))
    # the prior of a bundle without this file counts tossups only
    write_priors(tossups, questions if HEARING in bundle.files else tossups, writer)
    titles, titled = title_hashes(new)
    titles = np.concatenate([bundle.array("ir/titles.npy"), titles])
    order = np.argsort(titles, kind="stable")
    writer.array("ir/titles.npy", titles[order])
    writer.array("ir/titled.npy", np.concatenate([bundle.array("ir/titled.npy"), titled + len(asked)])[order])


class _BundleCounts(msgspec.Struct, frozen=True):
    """The counts of a bundle, and its postings with their terms; ``pages`` counts the added pages too."""

    terms: Hashes
    sorts: npt.NDArray[np.int8]
    totals: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    masses: npt.NDArray[np.float64]
    term: npt.NDArray[np.int32]
    rows: npt.NDArray[np.int32]
    points: npt.NDArray[np.float32]
    keys: npt.NDArray[np.int64]  # of each posting, term and page in one, rising
    pages: int

    @classmethod
    def of(cls, bundle: Bundle, pages: int) -> _BundleCounts:
        """The counts of ``bundle``, for so many ``pages``."""
        lengths = bundle.array("counts/lengths.npy").astype(np.float64)
        terms, totals = bundle.array("ir/terms.npy"), bundle.array("counts/totals.npy")
        masses, sorts = bundle.array("counts/masses.npy"), bundle.array("counts/sorts.npy")
        sizes = np.diff(bundle.array("ir/offsets.npy"))
        with bundle.refusing("the counts"):
            own_pages = len(bundle.array("pages_asked.npy"))
            require(len(terms) == len(sizes) == len(totals) == len(sorts), "they do not fit ir/terms.npy")
            require(len(masses) == len(WEIGHTINGS), "there is not a mass for each sort of terms")
            require(lengths.shape == (len(WEIGHTINGS), own_pages), "they do not fit the list of pages")
        term = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        rows, points = bundle.array("ir/rows.npy"), bundle.array("ir/points.npy")
        with bundle.refusing("ir/rows.npy"):
            require(len(term) == len(rows) == len(points), "it does not fit ir/offsets.npy")
            require(rows.max(initial=-1) < own_pages, "a row is no page")
        return cls(
            terms=terms,
            sorts=sorts,
            totals=totals.astype(np.float64),
            lengths=np.pad(lengths, ((0, 0), (0, pages - lengths.shape[1]))),
            masses=masses,
            term=term,
            rows=rows,
            points=points,
            keys=term.astype(np.int64) * pages + rows,
            pages=pages,
        )

    def changes(
        self, sort: int, weighting: TermWeighting, added: TermCounts, *, tolerance: float
    ) -> tuple[Hashes, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Term, page and change of points, for one sort of terms; ``added`` counts those on added passages.

        The counts on pages of the bundle are worked out from their points there.
        """
        hashes, sizes, rows, tf = added
        if not len(hashes):
            return hashes, rows, tf
        at = places(hashes, self.terms)
        term = np.where(at >= 0, at, len(self.terms) + np.arange(len(at)))  # new ones are numbered on
        term_of = np.repeat(term, sizes)
        more = np.bincount(term_of, tf, minlength=len(self.terms) + len(at))
        total = np.concatenate([self.totals, np.zeros(len(at))])
        mass = self.masses[sort] + more.sum() + PSEUDO_COUNT * np.count_nonzero(at < 0)
        length = self.lengths[sort]
        longer = length + np.bincount(rows, tf, minlength=self.pages)
        before = (total + PSEUDO_COUNT) / (self.masses[sort] or 1.0)
        share = (total + more + PSEUDO_COUNT) / mass

        moved = _has_changed(before, share, tolerance)[: len(self.terms)] & (self.sorts == sort)
        grown = _has_changed(weighting.length_norm(length), weighting.length_norm(longer), tolerance)
        touched = moved[self.term]
        touched |= grown[self.rows] & (self.sorts[self.term] == sort)
        added_keys = term_of.astype(np.int64) * self.pages + rows
        there = self._postings_at(added_keys)
        touched[there[there >= 0]] = True
        old = np.flatnonzero(touched)

        keys = np.concatenate([added_keys, self.keys[old]])
        keys, number = np.unique(keys, return_inverse=True)
        term, page = np.divmod(keys, self.pages)
        points = np.zeros(len(keys))
        points[number[len(added_keys) :]] = self.points[old]
        counts = weighting.counts(points, length[page], before[term])
        counts += np.bincount(number[: len(added_keys)], tf, minlength=len(keys))
        changes = weighting.points(counts, longer[page], share[term]) - points
        names = np.concatenate([self.terms, hashes])
        return names[term], page.astype(np.int32), changes.astype(np.float32)

    def _postings_at(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where the postings with these keys are; -1 where there is no such posting."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[found] == keys, found, -1)


def _has_changed(
    before: npt.NDArray[np.float64], after: npt.NDArray[np.float64], tolerance: float
) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(np.log(after / before)) > np.log1p(tolerance))
