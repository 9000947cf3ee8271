"""The list of pronunciation guides in a bundle: how questions and answer lines say names."""

from __future__ import annotations

from collections import Counter

import numpy as np

from index_builder.data.corpus import Corpus
from quizwriter.domain.pronunciation import respellings
from quizwriter.engine.bundle import BundleWriter


def write_guides(corpus: Corpus, writer: BundleWriter) -> None:
    """Put the guides of all questions of ``corpus`` into a bundle; one without any gets no list."""
    counts: Counter[tuple[str, str]] = Counter()
    years: dict[tuple[str, str], int] = {}
    for row in corpus.library:
        passages = corpus.passages if row.passage >= 0 else corpus.held
        text = passages[row.passage if row.passage >= 0 else -1 - row.passage].text
        for found in {*row.guides, *respellings(text), *respellings(row.line)}:
            counts[found] += 1
            years[found] = max(years.get(found, 0), row.year)
    if not counts:
        return
    rows = sorted(counts)
    writer.lines("guides/names.txt", [name for name, _ in rows])
    writer.lines("guides/said.txt", [said for _, said in rows])
    writer.array("guides/counts.npy", np.asarray([counts[row] for row in rows], np.int32))
    writer.array("guides/years.npy", np.asarray([years[row] for row in rows], np.int16))
