"""The sentences of past questions in a bundle, and the index by which stock clues are found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from index_builder.index.tokenized_texts import postings_by_stem, tokenize_texts
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import BundleWriter


def write_sentences(texts: Iterable[str], writer: BundleWriter) -> None:
    """Put the sentences of ``texts``, those of the library's questions in its order, into a bundle.

    A sentence is kept as its place in its question; for each stem there are the sentences that have it.
    """
    first, starts, ends, sentences = [0], list[int](), list[int](), list[str]()
    for text in texts:
        for span in Tossup(text).sentences:
            starts.append(span.start)
            ends.append(span.end)
            sentences.append(span.of(text))
        first.append(len(starts))
    tokens = tokenize_texts(sentences)
    terms, sizes, found = postings_by_stem(tokens.stems, tokens.passages)
    writer.array("sentences/first.npy", np.asarray(first, np.int64))
    writer.array("sentences/starts.npy", np.asarray(starts, np.int32))
    writer.array("sentences/ends.npy", np.asarray(ends, np.int32))
    writer.array("sentences/terms.npy", terms)
    writer.array("sentences/offsets.npy", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
    writer.array("sentences/rows.npy", found)
