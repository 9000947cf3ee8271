"""The list of words in a bundle, by which slips of spelling are told from names."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from index_builder.data import Corpus
from quizwriter.engine.bundle import BundleWriter
from quizwriter.spelling import WORD, word_counts


def write_words(corpus: Corpus, writer: BundleWriter) -> None:
    """Put the words of all texts, answer lines and titles of ``corpus`` into a bundle."""
    counts = word_counts(_texts(corpus))
    words = sorted(counts)
    writer.lines("words/words.txt", words)
    writer.array("words/counts.npy", np.asarray([counts[word] for word in words], np.int32))


def _texts(corpus: Corpus) -> Iterator[list[str]]:
    for passage in corpus.passages:
        yield WORD.findall(passage.text)
    for row in corpus.library:
        yield WORD.findall(row.line)
    for page in corpus.pages:
        yield WORD.findall(page.replace("_", " "))
