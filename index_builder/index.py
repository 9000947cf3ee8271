"""From passages to the matrix of terms and pages that the retrieval player sums over."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from index_builder.corpus import Corpus
from quizwriter.domain.tossup import Page, answer_key
from quizwriter.engine.bundle import BundleWriter
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import TOKEN, Hashes, terms_of, title_hashes, token

SOURCE_WEIGHT = {PassageKind.TOSSUP: 1.0, PassageKind.BONUS: 1.0, PassageKind.ARTICLE: 0.2}
"""How much a term in a passage counts: articles are not written like questions."""


Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Weighing:
    """How the points of one sort of term are worked out; see :func:`_matrix`."""

    weight: float  # by which the language model's log ratio counts
    sharpness: float
    smoothing: float  # terms that every page is given before its own are counted
    saturation: float  # a term said this often counts half of what it would
    normalisation: float = 1.0  # 1: a term counts by its part of the page, 0: by how often it is said there
    sources: tuple[PassageKind, ...] = tuple(PassageKind)
    least: float = 0.0  # a term that counts less than this in the whole corpus is left out

    def points(self, tf: Numbers, length: Numbers, share: Numbers) -> npt.NDArray[np.float32]:
        """What a term adds to a page, ``weight * log(1 + sharpness * tf' / (room * share))``.

        ``tf`` is what the term counts on the page, ``length`` what all terms there do, and ``share`` the
        term's part of the whole corpus; ``tf'`` is ``tf / (1 + tf / saturation)``, for ``room`` see
        :meth:`room`. How rare a term is has its say in ``share``; a weight that falls with it adds nothing.
        """
        heard = tf / (1 + tf / np.float32(self.saturation))
        ratio = self.sharpness * heard / (self.room(length) * share)
        return np.asarray(self.weight * np.log1p(ratio), np.float32)

    def room(self, length: Numbers) -> Numbers:
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
        heard = ratio * self.room(length) * share / self.sharpness
        return heard / (1 - heard / self.saturation)


# Fitted by softmax regression on the buzzer fold, chosen on the development fold.
WORDS = Weighing(0.24, 0.02, 10.0, 1.5, normalisation=0.65)
PAIRS = Weighing(0.09, 5e-5, 0.0, math.inf, normalisation=0.0, least=1.0)
KINDS = Weighing(0.12, 100.0, 5.0, math.inf, sources=(PassageKind.TOSSUP, PassageKind.BONUS))

WEIGHINGS = (WORDS, PAIRS, KINDS)


def weighed() -> npt.NDArray[np.float64]:
    """The numbers of :data:`WEIGHINGS`, a row for each sort, as a bundle keeps them: counts come back from
    points only by the numbers that made them."""
    return np.asarray([[*astuple(weighing)[:_NUMBERS], ASKED] for weighing in WEIGHINGS])


_NUMBERS = 5  # of a Weighing, before its sources

UNSEEN = 0.5
"""What every term counts before it is counted."""

ASKED = 0.25
"""Points a page starts with for each e-fold of the tossups asked on it: popular answers come again."""

EVERYWHERE_SHARE, EVERYWHERE_LEAST = 0.05, 40
"""A stem in more than this share of the tossups, and in at least so many, counts as a stop word."""


@dataclass(frozen=True)
class Tokens:
    """Every token of some texts, in order; ``passages`` says which text each is of."""

    stems: Hashes
    pointers: npt.NDArray[np.bool_]
    passages: npt.NDArray[np.int32]


def write_index(corpus: Corpus, writer: BundleWriter, progress: Callable[[int], None]) -> dict[str, int]:
    """Put the matrix, the pages and the passages of ``corpus`` into a bundle; the manifest's counts.

    ``progress`` is told how many passages are done.
    """
    tokens = tokenise(corpus.texts, progress)
    page_of = np.asarray(corpus.page_rows, np.int32)
    kinds = np.asarray(corpus.kinds, np.int8)
    common = everywhere(*said_in(tokens, kinds), int(np.count_nonzero(kinds == PassageKind.TOSSUP)))
    matrices = []
    sorts = terms_of(tokens.stems, tokens.pointers, tokens.passages, common)
    for weighing, terms in zip(WEIGHINGS, sorts, strict=True):
        passages = tokens.passages[terms.last]
        counts = counting(weighing)[kinds[passages]]
        matrices.append(_matrix(terms.hashes, page_of[passages], counts, len(corpus.pages), weighing))
    _write_matrices(writer, matrices)
    _write_counts(writer, matrices)
    writer.array("ir/everywhere.npy", common)
    write_pages(corpus.pages, np.asarray(corpus.asked), writer)
    write_passages(corpus, writer)
    return {
        "pages": len(corpus.pages),
        "passages": len(corpus.texts),
        "terms": sum(len(matrix.terms) for matrix in matrices),
        "postings": sum(len(matrix.rows) for matrix in matrices),
        "tokens": len(tokens.stems),
    }


def tokenise(texts: Sequence[str], progress: Callable[[int], None]) -> Tokens:
    """Every token of ``texts``; each distinct word is folded, stemmed and hashed once.

    ``progress`` is told how many texts are done.
    """
    stems: list[int] = []
    pointers: list[bool] = []
    numbers: dict[str, int] = _Numbers(stems, pointers)
    tokens, lengths = array("i"), []
    for place, text in enumerate(texts):
        before = len(tokens)
        tokens.extend([numbers[word] for word in TOKEN.findall(text)])
        lengths.append(len(tokens) - before)
        if place % 1000 == 0:
            progress(place)
    progress(len(texts))
    which = np.frombuffer(tokens, np.int32) if tokens else np.zeros(0, np.int32)
    return Tokens(
        np.asarray(stems, np.uint64)[which],
        np.asarray(pointers, np.bool_)[which],
        np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
    )


class _Numbers(dict[str, int]):
    """Numbers words as they are first met, and keeps what the index needs of each."""

    def __init__(self, stems: list[int], pointers: list[bool]) -> None:
        super().__init__()
        self._stems, self._pointers = stems, pointers

    def __missing__(self, word: str) -> int:
        found = token(word)
        self._stems.append(found.hash)
        self._pointers.append(found.pointer)
        self[word] = len(self)
        return len(self) - 1


def said_in(tokens: Tokens, kinds: npt.NDArray[np.int8]) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """The stems in the tossups among some passages, sorted, and in how many of them each is."""
    inside = (tokens.stems != 0) & (kinds[tokens.passages] == PassageKind.TOSSUP)
    stems, number = np.unique(tokens.stems[inside], return_inverse=True)
    seen = _distinct(number.astype(np.int64) * len(kinds) + tokens.passages[inside])
    return stems, np.bincount(seen // len(kinds), minlength=len(stems))


def everywhere(stems: Hashes, counts: npt.NDArray[np.int64], tossups: int) -> Hashes:
    """Those of ``stems`` that are in so many of all ``tossups`` that they say nothing."""
    return stems[counts > max(EVERYWHERE_LEAST, EVERYWHERE_SHARE * tossups)]


def _distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    values = np.sort(values)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


@dataclass(frozen=True)
class _Matrix:
    """Distinct terms, sorted; how many pages have each; those pages, term by term; what each term adds.

    ``totals`` are the counts of each term in the whole corpus, ``length`` those of all terms on each page,
    ``mass`` what a total is divided by to be a share.
    """

    terms: Hashes
    counts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    points: npt.NDArray[np.float32]
    totals: npt.NDArray[np.float64]
    length: npt.NDArray[np.float64]
    mass: float


def _matrix(
    hashes: Hashes, pages: npt.NDArray[np.int32], counts: npt.NDArray[np.float32], of: int, weighing: Weighing
) -> _Matrix:
    """What each term adds to each of ``of`` pages, from every occurrence: its hash, its page, what it counts.

    With ``total`` what a term counts in the whole corpus, its share is ``(total + UNSEEN) / mass``.
    """
    terms, sizes, page, frequency = counted(hashes, pages, counts)
    term = np.repeat(np.arange(len(terms), dtype=np.int32), sizes)

    length = np.asarray(np.bincount(page, frequency, minlength=of), np.float64)
    total = np.asarray(np.bincount(term, frequency, minlength=len(terms)), np.float64)
    mass = float(total.sum() + UNSEEN * len(terms))
    share = (total + UNSEEN) / mass
    kept = total[term] >= weighing.least
    term, page, frequency = term[kept], page[kept], frequency[kept]
    points = weighing.points(frequency, length[page], share[term])
    sizes = np.bincount(term, minlength=len(terms))
    some = sizes > 0
    return _Matrix(terms[some], sizes[some], page, points, total[some], length, mass)


def _parts(hashes: Hashes, used: npt.NDArray[np.bool_]) -> Iterator[npt.NDArray[np.int64]]:
    """The places of those used, in eight parts of rising hashes: sorting one takes an eighth of the room."""
    part_of = (hashes >> np.uint64(61)).astype(np.int8)
    return (np.flatnonzero(used & (part_of == part)) for part in range(8))


def counted(
    hashes: Hashes, pages: npt.NDArray[np.int32], counts: npt.NDArray[np.float32]
) -> tuple[Hashes, npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Distinct terms, sorted; how many pages have each; those pages, term by term; what is counted there.

    ``hashes`` are the occurrences of terms, page by page; those whose count is nothing are left out.
    """
    found = [_counted(hashes[some], pages[some], counts[some]) for some in _parts(hashes, counts > 0)]
    terms, sizes, page, frequency = (np.concatenate(column) for column in zip(*found, strict=True))
    return terms, sizes, page, frequency


def _counted(
    hashes: Hashes, pages: npt.NDArray[np.int32], counts: npt.NDArray[np.float32]
) -> tuple[Hashes, npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    order = np.argsort(hashes, kind="stable")  # occurrences come page by page, so a term's pages stay sorted
    hashes, pages, counts = hashes[order], pages[order], counts[order]
    new_term = np.concatenate([[True], hashes[1:] != hashes[:-1]])[: len(hashes)]
    starts = np.flatnonzero(new_term | np.concatenate([[True], pages[1:] != pages[:-1]])[: len(hashes)])
    frequency = np.add.reduceat(counts, starts) if len(starts) else counts
    sizes = np.diff(np.flatnonzero(new_term[starts]), append=len(starts))
    return hashes[new_term], sizes, pages[starts], frequency


def counting(weighing: Weighing) -> npt.NDArray[np.float32]:
    """What an occurrence counts, by the kind of its passage."""
    return np.asarray(
        [SOURCE_WEIGHT[kind] if kind in weighing.sources else 0.0 for kind in PassageKind], np.float32
    )


def _write_matrices(writer: BundleWriter, matrices: list[_Matrix]) -> None:
    """The matrices as one; terms sorted by hash, postings by term and page."""
    terms = np.concatenate([matrix.terms for matrix in matrices])
    order = np.argsort(terms)
    sizes = np.concatenate([matrix.counts for matrix in matrices])
    starts = np.cumsum(sizes) - sizes
    offsets = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int64)
    moved = np.repeat(starts[order] - offsets[:-1], sizes[order]) + np.arange(offsets[-1])
    writer.array("ir/terms.npy", terms[order])
    writer.array("ir/offsets.npy", offsets)
    writer.array("ir/rows.npy", np.concatenate([matrix.rows for matrix in matrices])[moved])
    writer.array("ir/points.npy", np.concatenate([matrix.points for matrix in matrices])[moved])


def _write_counts(writer: BundleWriter, matrices: list[_Matrix]) -> None:
    """What points were made from, so that more texts can be counted in; see index_builder.correction."""
    order = np.argsort(np.concatenate([matrix.terms for matrix in matrices]))
    sorts = np.repeat(np.arange(len(matrices), dtype=np.int8), [len(matrix.terms) for matrix in matrices])
    totals = np.concatenate([matrix.totals for matrix in matrices])
    writer.array("counts/sorts.npy", sorts[order])
    writer.array("counts/totals.npy", totals[order].astype(np.float32))
    writer.array("counts/lengths.npy", np.asarray([matrix.length for matrix in matrices], np.float32))
    writer.array("counts/weighings.npy", weighed())
    writer.array("counts/masses.npy", np.asarray([matrix.mass for matrix in matrices]))


def write_pages(pages: Sequence[Page], asked: Numbers, writer: BundleWriter) -> None:
    """Put ``pages`` into a bundle: their names, keys and titles, and how many tossups ask for each."""
    writer.lines("pages.txt", list(pages))
    writer.lines("page_keys.txt", [answer_key(page) for page in pages])
    write_asked(asked, writer)
    hashes, rows = title_hashes(pages)
    writer.array("ir/titles.npy", hashes)
    writer.array("ir/titled.npy", rows)


def write_asked(asked: Numbers, writer: BundleWriter) -> None:
    """Put into a bundle how many tossups ask for each page, and what that is worth."""
    writer.array("pages_asked.npy", asked.astype(np.int32))
    writer.array("ir/prior.npy", (ASKED * np.log1p(asked)).astype(np.float32))


def write_passages(corpus: Corpus, writer: BundleWriter) -> None:
    """Put the passages of ``corpus`` into a bundle, and where those of each page begin."""
    writer.texts("passages/texts", list(corpus.texts))
    writer.texts("passages/sources", list(corpus.sources))
    starts = np.searchsorted(np.asarray(corpus.page_rows, np.int64), np.arange(len(corpus.pages) + 1))
    writer.array("passages/page_starts.npy", starts.astype(np.int64))
    writer.array("passages/kinds.npy", np.asarray(corpus.kinds, np.int8))
    categories = sorted(set(corpus.categories))
    number = {category: place for place, category in enumerate(categories)}
    writer.lines("passages/category_names.txt", categories)
    writer.array("passages/categories.npy", np.asarray([number[one] for one in corpus.categories], np.int16))
    writer.texts("held/texts", [held.text for held in corpus.held])
    writer.lines("held/pages.txt", [held.page for held in corpus.held])
    writer.lines("held/folds.txt", [held.fold for held in corpus.held])
