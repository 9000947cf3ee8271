"""The tokens of a corpus: those of its passages, questions held back and answer lines, each read once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from index_builder.data import Corpus
from index_builder.index.tokenized_texts import AT_ONCE, Numbers, Places, TokenizedTexts, tokenize_texts
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.retrieval import PassageKind


@dataclass(frozen=True)
class TokenizedCorpus:
    """The tokens of a corpus; all have one vocabulary.

    ``passages`` has the tokens of the passages, ``held`` those of the tossups held back, and ``lines`` those
    of the answer lines in the library. ``sentences`` has those of the passages and the tossups held back once
    more, sentence by sentence; the text of an article is one sentence there.

    Shapes:
        ``first`` says for each passage, and then for each tossup held back, which of ``sentences`` it begins
        with, and has one entry more. ``starts`` and ``ends`` are where each sentence stands in its text.
    """

    passages: TokenizedTexts
    held: TokenizedTexts
    lines: TokenizedTexts
    sentences: TokenizedTexts
    first: Places
    starts: Numbers
    ends: Numbers


def tokenize_corpus(corpus: Corpus, progress: Callable[[int], None] = lambda done: None) -> TokenizedCorpus:
    """Every token of ``corpus``; ``progress`` is told how many passages are done.

    No token crosses the end of a sentence, because sentences are divided by white space.
    """
    first, starts, ends = array("q", [0]), array("i"), array("i")

    def sentences() -> Iterator[str]:
        for number, passage in enumerate(corpus.passages):
            if number % AT_ONCE == 0:
                progress(number)
            if passage.kind is PassageKind.ARTICLE:
                starts.append(0)
                ends.append(len(passage.text))
                yield passage.text
                first.append(len(starts))
            else:
                yield from of_question(passage.text)
        progress(len(corpus.passages))
        for held in corpus.held:
            yield from of_question(held.text)

    def of_question(text: str) -> Iterator[str]:
        for span in Tossup(text).sentences:
            starts.append(span.start)
            ends.append(span.end)
            yield span.of(text)
        first.append(len(starts))

    tokens = tokenize_texts(sentences())
    texts, count = tokens.joined(np.asarray(first)), len(corpus.passages)
    return TokenizedCorpus(
        texts.between(0, count),
        texts.between(count, len(texts)),
        tokenize_texts((row.line for row in corpus.library), vocabulary=tokens.vocabulary),
        tokens,
        np.asarray(first),
        np.asarray(starts),
        np.asarray(ends),
    )
