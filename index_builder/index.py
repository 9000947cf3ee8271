"""From passages to the matrix of terms and pages that the retrieval player sums over."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from index_builder.corpus import Corpus
from quizwriter.domain.tossup import answer_key
from quizwriter.engine.bundle import BundleWriter
from quizwriter.engine.retrieval import Kind
from quizwriter.engine.terms import TOKEN, Hashes, Terms, indexable, terms_of, title_hash, token

SOURCE_WEIGHT = {Kind.TOSSUP: 1.0, Kind.BONUS: 1.0, Kind.ARTICLE: 0.2}
"""How much a term in a passage counts: questions are written like questions, articles are not."""

TERM_WEIGHTS = (0.18, 0.15, 0.20)
"""Of words, pairs and kinds: fitted by softmax regression on the buzzer fold."""

SHARPNESS, SMOOTHING = 0.3, 100.0
"""The language model's: how quickly a repeated term saturates, and how many words every page is given."""

EVERYWHERE_SHARE, EVERYWHERE_LEAST = 0.10, 40
"""A stem in more than this share of the tossups, and in at least so many, counts as a stop word."""


@dataclass(frozen=True)
class _Tokens:
    """Every token of a corpus, in order."""

    stems: Hashes
    pointers: npt.NDArray[np.bool_]
    passages: npt.NDArray[np.int32]


def write_index(corpus: Corpus, writer: BundleWriter, progress: Callable[[int], None]) -> dict[str, int]:
    """Put the matrix, the pages and the passages of ``corpus`` into a bundle; the manifest's counts.

    ``progress`` is told how many passages are done.
    """
    tokens = _tokenise(corpus, progress)
    page_of = np.asarray(corpus.page_rows, np.int32)
    kinds = np.asarray(corpus.kinds, np.int8)
    everywhere = _everywhere(tokens, kinds)
    weight_of = np.zeros(max(Kind) + 1, np.float32)
    for kind, weight in SOURCE_WEIGHT.items():
        weight_of[kind] = weight
    weights = weight_of[kinds]

    hashes, counts, rows, points = [], [], [], []
    for terms, factor in zip(
        terms_of(tokens.stems, tokens.pointers, tokens.passages, everywhere), TERM_WEIGHTS, strict=True
    ):
        found = _matrix(terms, tokens.passages[terms.last], page_of, weights, len(corpus.pages))
        hashes.append(found[0])
        counts.append(found[1])
        rows.append(found[2])
        points.append(found[3] * np.float32(factor))
    _write_matrix(writer, hashes, counts, rows, points)
    writer.array("ir/everywhere.npy", everywhere)
    _write_titles(corpus, writer)
    _write_passages(corpus, writer)
    return {
        "pages": len(corpus.pages),
        "passages": len(corpus.texts),
        "terms": sum(map(len, hashes)),
        "postings": sum(map(len, rows)),
        "tokens": len(tokens.stems),
    }


def _tokenise(corpus: Corpus, progress: Callable[[int], None]) -> _Tokens:
    """Every token of every passage; each distinct word is folded, stemmed and hashed once."""
    stems: list[int] = []
    pointers: list[bool] = []
    numbers: dict[str, int] = _Numbers(stems, pointers)
    tokens, lengths = array("i"), []
    for place, text in enumerate(corpus.texts):
        before = len(tokens)
        tokens.extend([numbers[word] for word in TOKEN.findall(indexable(text))])
        lengths.append(len(tokens) - before)
        if place % 1000 == 0:
            progress(place)
    progress(len(corpus.texts))
    which = np.frombuffer(tokens, np.int32) if tokens else np.zeros(0, np.int32)
    return _Tokens(
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


def _everywhere(tokens: _Tokens, kinds: npt.NDArray[np.int8]) -> Hashes:
    """The stems in so many tossups that they say nothing, sorted."""
    tossups = int(np.count_nonzero(kinds == Kind.TOSSUP))
    inside = (tokens.stems != 0) & (kinds[tokens.passages] == Kind.TOSSUP)
    stems, number = np.unique(tokens.stems[inside], return_inverse=True)
    seen = _distinct(number.astype(np.int64) * len(kinds) + tokens.passages[inside])
    counts = np.bincount(seen // len(kinds), minlength=len(stems))
    return stems[counts > max(EVERYWHERE_LEAST, EVERYWHERE_SHARE * tossups)]


def _distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    values = np.sort(values)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


def _matrix(
    terms: Terms,
    passages: npt.NDArray[np.int32],
    page_of: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    pages: int,
) -> tuple[Hashes, npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Distinct terms, sorted; how many pages have each; those pages, and what each term adds to them.

    Points are ``log(1 + SHARPNESS * tf / ((length + SMOOTHING) * p))``, where ``tf`` counts the term in the
    page's passages, ``length`` all terms there, and ``p`` is the term's share of the whole corpus; passages
    count by the weight of their source.
    """
    hashes, number = np.unique(terms.hashes, return_inverse=True)
    key = number.astype(np.int64) * pages + page_of[passages]
    order = np.argsort(key)
    key, counted = key[order], weights[passages][order]
    starts = (
        np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else np.zeros(0, np.int64)
    )
    frequency = np.add.reduceat(counted, starts) if len(key) else counted
    key = key[starts]
    term, page = key // pages, (key % pages).astype(np.int32)

    length = np.bincount(page, frequency, minlength=pages)
    total = np.bincount(term, frequency, minlength=len(hashes)) + 0.5
    share = total / total.sum()
    points = np.log1p(SHARPNESS * frequency / ((length[page] + SMOOTHING) * share[term])).astype(np.float32)
    return hashes, np.bincount(term, minlength=len(hashes)), page, points


def _write_matrix(
    writer: BundleWriter,
    hashes: list[Hashes],
    counts: list[npt.NDArray[np.int64]],
    rows: list[npt.NDArray[np.int32]],
    points: list[npt.NDArray[np.float32]],
) -> None:
    """The words', pairs' and kinds' matrices as one; terms sorted by hash, postings by term and page."""
    every = np.concatenate(hashes)
    order = np.argsort(every)
    sizes = np.concatenate(counts)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    sorted_sizes = sizes[order]
    offsets = np.concatenate([[0], np.cumsum(sorted_sizes)]).astype(np.int64)
    moved = np.repeat(starts[:-1][order] - offsets[:-1], sorted_sizes) + np.arange(offsets[-1])
    writer.array("ir/terms.npy", every[order])
    writer.array("ir/offsets.npy", offsets)
    writer.array("ir/rows.npy", np.concatenate(rows)[moved])
    writer.array("ir/points.npy", np.concatenate(points)[moved])


def _write_titles(corpus: Corpus, writer: BundleWriter) -> None:
    found = [
        (hashed, row) for row, page in enumerate(corpus.pages) if (hashed := title_hash(page)) is not None
    ]
    found.sort()
    writer.array("ir/titles.npy", np.asarray([hashed for hashed, _ in found], np.uint64))
    writer.array("ir/titled.npy", np.asarray([row for _, row in found], np.int32))


def _write_passages(corpus: Corpus, writer: BundleWriter) -> None:
    writer.lines("pages.txt", list(corpus.pages))
    writer.lines("page_keys.txt", [answer_key(page) for page in corpus.pages])
    writer.array("pages_asked.npy", np.asarray(corpus.asked, np.int32))
    writer.texts("passages/texts", list(corpus.texts))
    writer.texts("passages/sources", list(corpus.sources))
    starts = np.searchsorted(np.asarray(corpus.page_rows, np.int64), np.arange(len(corpus.pages) + 1))
    writer.array("passages/page_starts.npy", starts.astype(np.int64))
    writer.array("passages/kinds.npy", np.asarray(corpus.kinds, np.int8))
