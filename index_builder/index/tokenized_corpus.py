"""The tokens of a corpus: those of its passages, questions held back and answer lines, each read once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from queue import SimpleQueue

import msgspec
import numpy as np

from index_builder.data.corpus import Corpus, CorpusText
from index_builder.helper_process import HelperProcess, has_second_core, serve
from index_builder.index.tokenized_texts import (
    AT_ONCE,
    Numbers,
    PackedVocabulary,
    Places,
    TokenizedTexts,
    rows_of,
    tokenize_texts,
)
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.retrieval import PassageKind
from quizwriter.system.children import Child

SHARED_FROM = 20 << 20
"""Characters of the smallest corpus that two processes read."""

_MOVED_AT_ONCE = 1 << 16
"""Sentences whose tokens are put into another order at once."""


class SentenceTokens(msgspec.Struct, frozen=True):
    """The tokens of texts, sentence by sentence; the text of an article is one sentence.

    Shapes:
        ``first`` says for each text which sentence it begins with, and has one entry more. ``starts`` and
        ``ends`` are where each sentence stands in its text.
    """

    tokens: TokenizedTexts
    first: Places
    starts: Numbers
    ends: Numbers

    def at(self, rows: Sequence[int]) -> SentenceTokens:
        """The tokens of the texts in these ``rows``, in this order."""
        order, counts = rows_of(np.arange(len(self.starts)), self.first, np.asarray(rows, np.int64))
        tokens = self.tokens
        parts = [  # places of all tokens at once would fill half a gigabyte
            rows_of(tokens.words, tokens.starts, some)
            for some in np.array_split(order, 1 + len(order) // _MOVED_AT_ONCE)
        ]
        words, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
        return SentenceTokens(
            TokenizedTexts(tokens.vocabulary, words, np.concatenate([[0], np.cumsum(sizes)])),
            np.concatenate([[0], np.cumsum(counts)]),
            self.starts[order],
            self.ends[order],
        )

    @property
    def texts(self) -> TokenizedTexts:
        """The tokens text by text: none crosses the end of a sentence, because there is white space."""
        return self.tokens.joined(self.first)


class TokenizedCorpus(msgspec.Struct, frozen=True):
    """The tokens of a corpus; all have one vocabulary.

    ``passages`` has the tokens of the passages, ``held`` those of the tossups held back, and ``lines`` those
    of the answer lines in the library. ``sentences`` has the passages and then the tossups held back once
    more.
    """

    passages: TokenizedTexts
    held: TokenizedTexts
    lines: TokenizedTexts
    sentences: SentenceTokens


class CorpusTokenizer:
    """Finds the tokens of a corpus, whose texts it gets as they are read.

    Of a large corpus, another process takes text after text from then on; this one, too, once the tokens are
    asked for. Which of them takes a text changes nothing but the numbers of words.
    """

    def __init__(self) -> None:
        self._blocks = SimpleQueue[list[CorpusText] | None]()
        self._characters = 0
        self._helper: HelperProcess | None = None
        self._sent: list[CorpusText] = []

    def __enter__(self) -> CorpusTokenizer:
        return self

    def __exit__(self, *trouble: object) -> None:
        if self._helper is not None:
            self._blocks.put(None)  # or what sends the texts would wait for another one
            self._helper.close()

    def take(self, texts: Iterator[CorpusText]) -> None:
        """Take over ``texts``, which are in any order."""
        while block := list(islice(texts, AT_ONCE)):
            self._blocks.put(block)
            self._characters += sum(len(text) for text, _ in block)
        if self._helper is None and self._characters >= SHARED_FROM and has_second_core():
            self._helper = HelperProcess(Child.TOKENS, self._messages())

    def tokens_of(self, corpus: Corpus, progress: Callable[[int], None]) -> TokenizedCorpus:
        """Every token of ``corpus``, all of whose texts were taken; to be asked for once.

        ``progress`` is told how many passages are done, more or less.
        """
        count = len(corpus.passages)
        texts, found = self._found(lambda done: progress(min(done, count)))
        row_of = {text: row for row, text in enumerate(texts)}
        sentences = found.at([row_of[text] for text in _texts(corpus)])
        lines = found.at([row_of[text] for text in _lines(corpus)])
        progress(count)
        whole = sentences.texts
        return TokenizedCorpus(
            whole.between(0, count), whole.between(count, len(whole)), lines.texts, sentences
        )

    def _found(self, progress: Callable[[int], None]) -> tuple[list[CorpusText], SentenceTokens]:
        """The texts that were taken, in an order of their own, and their tokens."""
        for _ in range(2):  # one for each process
            self._blocks.put(None)
        own: list[CorpusText] = []

        def texts() -> Iterator[CorpusText]:
            for block in iter(self._blocks.get, None):
                progress(len(own) + len(self._sent))
                own.extend(block)
                yield from block

        found = _tokenized(texts())
        if self._helper is None:
            return own, found
        answer = self._helper.answer()
        other = _tokenized(iter(self._sent)) if answer is None else _decoded(answer)
        return [*own, *self._sent], _joined(found, other)

    def _messages(self) -> Iterator[bytes]:
        """The blocks that the other process gets, each when it is ready for it."""
        for block in iter(self._blocks.get, None):
            self._sent += block
            # of bytes: a text that is encoded by it would keep them for good
            yield msgspec.msgpack.encode([(text.encode(), is_question) for text, is_question in block])


def tokenize_corpus(corpus: Corpus, progress: Callable[[int], None] = lambda done: None) -> TokenizedCorpus:
    """Every token of ``corpus``; ``progress`` is told how many passages are done."""
    with CorpusTokenizer() as tokenizer:
        tokenizer.take(chain(_texts(corpus), _lines(corpus)))
        return tokenizer.tokens_of(corpus, progress)


def _texts(corpus: Corpus) -> Iterator[CorpusText]:
    """The passages, and then the tossups held back."""
    yield from ((one.text, one.kind is not PassageKind.ARTICLE) for one in corpus.passages)
    yield from ((one.text, True) for one in corpus.held)


def _lines(corpus: Corpus) -> Iterator[CorpusText]:
    """The answer lines in the library."""
    return ((row.line, False) for row in corpus.library)


def _tokenized(texts: Iterator[CorpusText]) -> SentenceTokens:
    first, starts, ends = array("q", [0]), array("i"), array("i")

    def sentences() -> Iterator[str]:
        for text, is_question in texts:
            if is_question:
                for span in Tossup(text).sentences:
                    starts.append(span.start)
                    ends.append(span.end)
                    yield span.of(text)
            else:
                starts.append(0)
                ends.append(len(text))
                yield text
            first.append(len(starts))

    tokens = tokenize_texts(sentences())
    return SentenceTokens(tokens, np.asarray(first), np.asarray(starts), np.asarray(ends))


def _joined(one: SentenceTokens, other: SentenceTokens) -> SentenceTokens:
    vocabulary = one.tokens.vocabulary
    added = other.tokens.vocabulary
    number = vocabulary.numbers_of(added.words, added.stems, added.pointers)
    tokens = TokenizedTexts(
        vocabulary,
        np.concatenate([one.tokens.words, number[other.tokens.words]]),
        _continued(one.tokens.starts, other.tokens.starts),
    )
    return SentenceTokens(
        tokens,
        _continued(one.first, other.first),
        np.concatenate([one.starts, other.starts]),
        np.concatenate([one.ends, other.ends]),
    )


def _continued(one: Places, other: Places) -> Places:
    return np.concatenate([one, one[-1] + other[1:]])


# -- the other process


class _Answer(msgspec.Struct):
    """What the other process found: a vocabulary and the arrays of :class:`SentenceTokens`."""

    vocabulary: PackedVocabulary
    tokens: bytes
    token_starts: bytes
    first: bytes
    starts: bytes
    ends: bytes


def tokenize_apart(messages: Iterator[bytes]) -> Iterator[bytes]:
    """The :class:`_Answer` for the texts in ``messages``; what the other process runs."""
    blocks = (msgspec.msgpack.decode(one, type=list[tuple[bytes, bool]]) for one in messages)
    found = _tokenized((raw.decode(), is_question) for block in blocks for raw, is_question in block)
    tokens = found.tokens
    answer = _Answer(
        PackedVocabulary.of(tokens.vocabulary),
        *(one.tobytes() for one in (tokens.words, tokens.starts, found.first, found.starts, found.ends)),
    )
    yield msgspec.msgpack.encode(answer)


def _decoded(raw: bytes) -> SentenceTokens:
    answer = msgspec.msgpack.decode(raw, type=_Answer)
    tokens = TokenizedTexts(
        answer.vocabulary.unpacked(),
        np.frombuffer(answer.tokens, np.int32),
        np.frombuffer(answer.token_starts, np.int64),
    )
    return SentenceTokens(
        tokens,
        np.frombuffer(answer.first, np.int64),
        np.frombuffer(answer.starts, np.int32),
        np.frombuffer(answer.ends, np.int32),
    )


def main(arguments: Sequence[str]) -> int:
    """Be the helper process of :func:`tokenize_apart`."""
    return serve(tokenize_apart)
