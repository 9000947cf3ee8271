"""The index of a bundle: the matrix of terms, and beside it the pages, passages, library and list of words.

Of a large corpus, another process works out the matrix, and one more the slips of spelling, while this one
writes all else. That takes half the time, and the arrays of the matrix are not in memory together with the
texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from index_builder.data.corpus import Corpus
from index_builder.helper_process import HelperProcess, has_second_core, serve
from index_builder.index.library_index import write_library
from index_builder.index.term_matrix import (
    question_counts,
    write_aliases,
    write_name_words,
    write_pages,
    write_passages,
    write_terms,
)
from index_builder.index.tokenized_corpus import TokenizedCorpus
from index_builder.index.tokenized_texts import PackedVocabulary, TokenizedTexts
from index_builder.index.word_list import words_written
from quizwriter.domain.page import Page
from quizwriter.engine.bundle import BundleWriter
from quizwriter.errors import QuizwriterError
from quizwriter.system.children import Child

APART_FROM = 3 << 20
"""Tokens of the smallest corpus whose matrix and list of words other processes make."""


def write_index(corpus: Corpus, tokens: TokenizedCorpus, writer: BundleWriter) -> dict[str, int]:
    """Put the matrix, the pages and the passages of ``corpus`` into a bundle; the manifest's counts.

    ``tokens`` are its own.
    """
    words = tokens.passages
    apart = len(words.words) >= APART_FROM and has_second_core()
    helper = HelperProcess(Child.TERMS, _messages(corpus, words, writer.folder)) if apart else None
    try:
        with words_written(corpus, tokens, writer, apart=apart):
            questions = question_counts(corpus.kinds, corpus.page_rows, len(corpus.pages))
            write_pages(corpus.pages, np.asarray(corpus.tossup_counts), questions, writer)
            write_aliases(corpus.aliases, writer)
            write_name_words(corpus.pages, corpus.aliases, writer)
            write_passages(corpus, writer)
            write_library(corpus, tokens, writer)
        raw = None if helper is None else helper.answer()
    finally:
        if helper is not None:
            helper.close()
    if raw is None:
        terms, postings = write_terms(words, corpus.kinds, corpus.page_rows, corpus.pages, writer)
    else:
        terms, postings = msgspec.msgpack.decode(raw, type=tuple[int, int])
    return {
        "pages": len(corpus.pages),
        "passages": len(corpus.passages),
        "questions": len(corpus.library),
        "terms": terms,
        "postings": postings,
        "tokens": len(words.words),
    }


# -- the other process


class _Texts(msgspec.Struct):
    """What the other process is told first; arrays follow."""

    folder: str
    pages: list[str]
    vocabulary: PackedVocabulary  # without the words, of which the matrix needs the stems only


def _messages(corpus: Corpus, tokens: TokenizedTexts, folder: Path) -> list[bytes | memoryview]:
    """What the other process gets, as it is now: titles are added to the vocabulary meanwhile."""
    texts = _Texts(str(folder), list(corpus.pages), PackedVocabulary.of(tokens.vocabulary, words=[]))
    arrays = (tokens.words, tokens.starts, corpus.kinds, corpus.page_rows)
    return [msgspec.msgpack.encode(texts), *(np.ascontiguousarray(one).data.cast("B") for one in arrays)]


def write_terms_apart(messages: Iterator[bytes]) -> Iterator[bytes]:
    """Put the matrix of the tokens in ``messages`` into a bundle; what the other process runs."""
    texts = msgspec.msgpack.decode(next(messages), type=_Texts)
    words, starts = np.frombuffer(next(messages), np.int32), np.frombuffer(next(messages), np.int64)
    kinds, page_rows = np.frombuffer(next(messages), np.int8), np.frombuffer(next(messages), np.int32)
    tokens = TokenizedTexts(texts.vocabulary.unpacked(), words, starts)
    try:
        counts = write_terms(
            tokens, kinds, page_rows, list(map(Page, texts.pages)), BundleWriter(Path(texts.folder))
        )
    except OSError as trouble:
        raise QuizwriterError("The matrix could not be written.", "See what the caller says.") from trouble
    yield msgspec.msgpack.encode(counts)


def main(arguments: Sequence[str]) -> int:
    """Be the helper process of :func:`write_terms_apart`."""
    return serve(write_terms_apart)
