"""The library of past questions in a bundle: its words, sentences and guides, and how each is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from index_builder.data.corpus import Corpus
from index_builder.index.tokenized_corpus import SentenceTokens, TokenizedCorpus
from index_builder.index.tokenized_texts import Numbers, postings_by_stem, rows_of
from quizwriter.domain.page import answer_key
from quizwriter.domain.pronunciation import respellings
from quizwriter.engine.bundle import BundleWriter
from quizwriter.engine.clue_tables import TITLES, TOTALS, TitleWords, rarities, sentence_totals
from quizwriter.engine.retrieval import PassageKind


def write_library(corpus: Corpus, tokens: TokenizedCorpus, writer: BundleWriter) -> None:
    """Put the questions of ``corpus`` into a bundle; ``tokens`` are its own.

    Texts are not copied: each question says which passage has its text.
    """
    rows = corpus.library
    key_of = {page: answer_key(page) for page in {row.page for row in rows}}
    keys = [key_of[row.page] for row in rows]
    starts = [place for place, key in enumerate(keys) if not place or key != keys[place - 1]]
    names = [str(rows[start].page) for start in starts]
    writer.lines("library/pages.txt", names)
    for name, values in zip(TITLES, TitleWords.of(names).arrays, strict=True):
        writer.array(name, values)
    writer.lines("library/page_keys.txt", [keys[start] for start in starts])
    writer.array("library/page_starts.npy", np.asarray([*starts, len(rows)] if rows else [0], np.int64))
    writer.array("library/passages.npy", np.asarray([row.passage for row in rows], np.int32))
    writer.array("library/kinds.npy", np.asarray([row.kind for row in rows], np.int8))
    writer.array("library/years.npy", np.asarray([row.year for row in rows], np.int16))
    difficulties, powers = [row.origin.difficulty or 0 for row in rows], [row.origin.power for row in rows]
    writer.array("library/difficulties.npy", np.asarray(difficulties, np.int8))
    writer.array("library/powers.npy", np.asarray([-1 if at is None else at for at in powers], np.int32))
    _write_names(writer, "tournament", "tournaments", [row.origin.tournament for row in rows])
    _write_names(writer, "category", "categories", [row.category for row in rows])
    _write_names(writer, "place", "places", [row.origin.place for row in rows])
    writer.texts("library/lines", [row.line for row in rows])
    _write_guides(corpus, writer)
    passages = np.asarray([row.passage for row in rows], np.int32)
    texts = np.where(passages >= 0, passages, len(corpus.passages) - 1 - passages)
    _write_words(corpus, tokens, texts, writer)
    _write_sentences(tokens.sentences, texts, writer)


def _write_names(writer: BundleWriter, one: str, many: str, names: Sequence[str]) -> None:
    """The distinct ``names``, and the number of each row's name."""
    distinct = sorted(set(names))
    number = {name: place for place, name in enumerate(distinct)}
    writer.lines(f"library/{one}_names.txt", distinct)
    writer.array(f"library/{many}.npy", np.asarray([number[name] for name in names], np.int32))


def _write_words(corpus: Corpus, tokens: TokenizedCorpus, texts: Numbers, writer: BundleWriter) -> None:
    """For each stem the texts that have it: questions by their rows, then articles in their order.

    ``texts`` has the number of each question's text: passages first, then the tossups held back.
    """
    rows, count = len(corpus.library), len(corpus.passages)
    text_of = np.full(count + len(corpus.held), -1, np.int32)
    articles = np.flatnonzero(corpus.kinds == PassageKind.ARTICLE)
    text_of[articles] = rows + np.arange(len(articles), dtype=np.int32)
    text_of[texts] = np.arange(rows, dtype=np.int32)
    terms, sizes, found = postings_by_stem(
        (tokens.passages, text_of[:count]),
        (tokens.held, text_of[count:]),
        (tokens.lines, np.arange(rows, dtype=np.int32)),
    )
    writer.array("library/terms.npy", terms)
    writer.array("library/offsets.npy", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
    writer.array("library/rows.npy", found)


def _write_guides(corpus: Corpus, writer: BundleWriter) -> None:
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


def _write_sentences(tokens: SentenceTokens, texts: Numbers, writer: BundleWriter) -> None:
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
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    writer.array("sentences/offsets.npy", offsets)
    writer.array("sentences/rows.npy", found)
    totals = sentence_totals(
        rarities(counts, len(order)), offsets, lambda start, end: found[start:end], len(order)
    )
    writer.array(TOTALS, totals)
