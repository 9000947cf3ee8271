"""What the postings of a bundle lack when more texts are counted in: the index of added packets.

The bundle's own files stay as they are. What is written plays beside them: for terms and pages the points
that must be added to, or taken from, those of the bundle to get what a build from everything would give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from index_builder.corpus import Corpus
from index_builder.index import (
    UNSEEN,
    WEIGHINGS,
    Weighing,
    counted,
    counting,
    tokenise,
    weighed,
    write_asked,
    write_passages,
)
from quizwriter.domain.tossup import answer_key
from quizwriter.engine.bundle import Bundle, BundleWriter
from quizwriter.engine.tokenizer import Hashes, places, terms_of, title_hashes
from quizwriter.errors import QuizwriterError

TOLERANCE = 0.25
"""Points are left when the term's share of the corpus, or the page's room, moves by less than so much: a
word's change by .06 at most, and correcting that would copy much of the bundle."""


def check_weighed(bundle: Bundle) -> None:
    """See that ``bundle`` is one that texts can be counted in.

    Raises:
        QuizwriterError: the bundle was built by a version that did not keep its counts, or weighed otherwise.
    """
    if not np.array_equal(bundle.array("counts/weighings.npy"), weighed()):
        raise QuizwriterError(
            f"The bundle in {bundle.folder} was built by a version that weighs words otherwise.",
            "Build it again.",
        )


def write_correction(
    bundle: Bundle, corpus: Corpus, writer: BundleWriter, *, tolerance: float = TOLERANCE
) -> None:
    """Put what ``corpus`` adds to ``bundle`` into ``writer``.

    The first pages of ``corpus`` are those of the bundle, in their order; only added passages are in it.

    Raises:
        QuizwriterError: the bundle was built by a version that did not keep its counts, or weighed otherwise.
    """
    check_weighed(bundle)
    tokens = tokenise(corpus.texts, lambda _: None)
    page_of = np.asarray(corpus.page_rows, np.int32)
    kinds = np.asarray(corpus.kinds, np.int8)
    known = _Known.of(bundle, len(corpus.pages))
    sorts = terms_of(tokens.stems, tokens.pointers, tokens.passages, bundle.array("ir/everywhere.npy"))
    found = []
    for number, (weighing, terms) in enumerate(zip(WEIGHINGS, sorts, strict=True)):
        passages = tokens.passages[terms.last]
        more = counted(terms.hashes, page_of[passages], counting(weighing)[kinds[passages]])
        found.append(known.corrected(number, weighing, *more, tolerance=tolerance))
    hashes, rows, points = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((rows, hashes))
    distinct, sizes = np.unique(hashes, return_counts=True)
    writer.array("ir/terms.npy", distinct)
    writer.array("ir/offsets.npy", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
    writer.array("ir/rows.npy", rows[order])
    writer.array("ir/points.npy", points[order])
    _write_pages(bundle, corpus, writer)
    write_passages(corpus, writer)


def _write_pages(bundle: Bundle, corpus: Corpus, writer: BundleWriter) -> None:
    """All pages, as in any bundle; only what is new is worked out."""
    asked = bundle.array("pages_asked.npy")
    new = corpus.pages[len(asked) :]
    writer.lines("pages.txt", list(corpus.pages))
    writer.lines("page_keys.txt", [*bundle.lines("page_keys.txt"), *map(answer_key, new)])
    write_asked(np.asarray(corpus.asked) + np.pad(asked, (0, len(new))), writer)
    titles, titled = title_hashes(new)
    titles = np.concatenate([bundle.array("ir/titles.npy"), titles])
    order = np.argsort(titles, kind="stable")
    writer.array("ir/titles.npy", titles[order])
    writer.array("ir/titled.npy", np.concatenate([bundle.array("ir/titled.npy"), titled + len(asked)])[order])


@dataclass(frozen=True)
class _Known:
    """The counts of a bundle, and its postings with the term of each; ``pages`` counts the added ones too."""

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
    def of(cls, bundle: Bundle, pages: int) -> _Known:
        """Those of ``bundle``."""
        lengths = bundle.array("counts/lengths.npy").astype(np.float64)
        sizes = np.diff(bundle.array("ir/offsets.npy"))
        term = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        rows = bundle.array("ir/rows.npy")
        return cls(
            terms=bundle.array("ir/terms.npy"),
            sorts=bundle.array("counts/sorts.npy"),
            totals=bundle.array("counts/totals.npy").astype(np.float64),
            lengths=np.pad(lengths, ((0, 0), (0, pages - lengths.shape[1]))),
            masses=bundle.array("counts/masses.npy"),
            term=term,
            rows=rows,
            points=bundle.array("ir/points.npy"),
            keys=term.astype(np.int64) * pages + rows,
            pages=pages,
        )

    def corrected(
        self,
        sort: int,
        weighing: Weighing,
        hashes: Hashes,
        sizes: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int32],
        tf: npt.NDArray[np.float32],
        *,
        tolerance: float,
    ) -> tuple[Hashes, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Term, page and missing points, for the terms of one sort: ``tf`` is what they count on added pages.

        What terms count on pages of the bundle is worked out from their points there.
        """
        if not len(hashes):
            return hashes, rows, tf
        at = places(hashes, self.terms)
        term = np.where(at >= 0, at, len(self.terms) + np.arange(len(at)))  # new ones are numbered on
        term_of = np.repeat(term, sizes)
        more = np.bincount(term_of, tf, minlength=len(self.terms) + len(at))
        total = np.concatenate([self.totals, np.zeros(len(at))])
        mass = self.masses[sort] + more.sum() + UNSEEN * np.count_nonzero(at < 0)
        length = self.lengths[sort]
        longer = length + np.bincount(rows, tf, minlength=self.pages)
        before = (total + UNSEEN) / (self.masses[sort] or 1.0)
        share = (total + more + UNSEEN) / mass

        moved = _moved(before, share, tolerance)[: len(self.terms)] & (self.sorts == sort)
        grown = _moved(weighing.room(length), weighing.room(longer), tolerance)
        touched = moved[self.term]
        touched |= grown[self.rows] & (self.sorts[self.term] == sort)
        added = term_of.astype(np.int64) * self.pages + rows
        there = self._postings_at(added)
        touched[there[there >= 0]] = True
        old = np.flatnonzero(touched)

        keys = np.concatenate([added, self.keys[old]])
        keys, number = np.unique(keys, return_inverse=True)
        term, page = np.divmod(keys, self.pages)
        points = np.zeros(len(keys))
        points[number[len(added) :]] = self.points[old]
        counts = weighing.counts(points, length[page], before[term])
        counts += np.bincount(number[: len(added)], tf, minlength=len(keys))
        missing = weighing.points(counts, longer[page], share[term]) - points
        names = np.concatenate([self.terms, hashes])
        return names[term], page.astype(np.int32), missing.astype(np.float32)

    def _postings_at(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where the postings with these keys are; -1 where there is none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[found] == keys, found, -1)


def _moved(
    before: npt.NDArray[np.float64], after: npt.NDArray[np.float64], tolerance: float
) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(np.log(after / before)) > np.log1p(tolerance))
