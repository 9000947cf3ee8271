"""The sentences of past questions in a bundle, and the index by which stock clues are found."""

from __future__ import annotations

import numpy as np

from index_builder.index.tokenized_corpus import SentenceTokens
from index_builder.index.tokenized_texts import Numbers, postings_by_stem, rows_of
from quizwriter.engine.bundle import BundleWriter


def write_sentences(tokens: SentenceTokens, texts: Numbers, writer: BundleWriter) -> None:
    """Put the sentences of the library's questions into a bundle.

    A sentence is kept as its place in its question; for each stem there are the sentences that have it.

    Shapes:
        ``texts`` says for each question of the library which of the texts in ``tokens`` is its own.
    """
    count = len(tokens.starts)
    order, sizes = rows_of(np.arange(count), tokens.first, texts)
    number = np.full(count, -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    terms, counts, found = postings_by_stem((tokens.tokens, number))
    writer.array("sentences/first.npy", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
    writer.array("sentences/starts.npy", tokens.starts[order])
    writer.array("sentences/ends.npy", tokens.ends[order])
    writer.array("sentences/terms.npy", terms)
    writer.array("sentences/offsets.npy", np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
    writer.array("sentences/rows.npy", found)
