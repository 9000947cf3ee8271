"""The tokens of a corpus: those of its passages, questions held back and answer lines, each read once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice

import msgspec
import numpy as np

from index_builder.data.corpus import Corpus
from index_builder.helper_process import HelperProcess, WorkQueue, has_second_core, serve
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

_Block = tuple[bool, list[str]]
"""Some texts, and whether they are read sentence by sentence."""

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

    Once there are enough of them, another process reads text after text; so does this one when the tokens are
    asked for. Which of them takes a text changes nothing but the numbers of words.
    """

    def __init__(self) -> None:
        self._blocks = WorkQueue[_Block]()
        self._characters = 0
        self._helper: HelperProcess | None = None
        self._sent: list[_Block] = []

    def __enter__(self) -> CorpusTokenizer:
        return self

    def __exit__(self, *trouble: object) -> None:
        self._blocks.end()
        if self._helper is not None:
            self._helper.close()

    def take(self, texts: Iterable[str], in_sentences: bool) -> None:
        """Take over ``texts``, and whether they are read sentence by sentence."""
        left = iter(texts)
        while some := list(islice(left, AT_ONCE)):
            self._blocks.put((in_sentences, some))
            self._characters += sum(map(len, some))
        if self._helper is None and self._characters >= SHARED_FROM and has_second_core():
            self._helper = HelperProcess(Child.TOKENS, self._messages())

    def tokens_of(self, corpus: Corpus, progress: Callable[[int], None]) -> TokenizedCorpus:
        """Every token of ``corpus``, all of whose texts were taken; to be asked for once.

        ``progress`` is told how many passages are done, more or less.
        """
        passages = len(corpus.passages)
        blocks, found = self._found(lambda done: progress(min(done, passages)))
        rows: dict[bool, dict[str, int]] = {True: {}, False: {}}
        numbers = count()
        for in_sentences, texts in blocks:
            rows[in_sentences].update(zip(texts, numbers))  # noqa: B905  (numbers do not end)
        order = [rows[one.kind is not PassageKind.ARTICLE][one.text] for one in corpus.passages]
        order += [rows[True][one.text] for one in corpus.held]
        lines = [rows[False][one.line] for one in corpus.library]
        sentences = found.at(order)
        whole = sentences.texts
        progress(passages)
        return TokenizedCorpus(
            whole.between(0, passages),
            whole.between(passages, len(whole)),
            found.at(lines).texts,
            sentences,
        )

    def _found(self, progress: Callable[[int], None]) -> tuple[list[_Block], SentenceTokens]:
        """The blocks that were taken, in an order of their own, and their tokens."""
        self._blocks.end()
        own: list[_Block] = []

        def blocks() -> Iterator[_Block]:
            for block in self._blocks:
                progress(AT_ONCE * (len(own) + len(self._sent)))
                own.append(block)
                yield block

        found = _tokenized(blocks())
        if self._helper is None:
            return own, found
        answer = self._helper.answer()
        other = _tokenized(self._sent) if answer is None else _decoded(answer)
        return [*self._sent, *own], _joined(other, found)

    def _messages(self) -> Iterator[bytes]:
        """The blocks that the other process gets, each when it is ready for it."""
        for in_sentences, texts in self._blocks:
            self._sent.append((in_sentences, texts))
            # of bytes: a text that is encoded by it would keep them for good
            yield msgspec.msgpack.encode((in_sentences, [text.encode() for text in texts]))


def tokenize_corpus(corpus: Corpus, progress: Callable[[int], None] = lambda done: None) -> TokenizedCorpus:
    """Every token of ``corpus``; ``progress`` is told how many passages are done."""
    with CorpusTokenizer() as tokenizer:
        passages, article = corpus.passages, PassageKind.ARTICLE
        tokenizer.take((one.text for one in passages if one.kind is not article), True)
        tokenizer.take((one.text for one in passages if one.kind is article), False)
        tokenizer.take((one.text for one in corpus.held), True)
        tokenizer.take(dict.fromkeys(row.line for row in corpus.library), False)
        return tokenizer.tokens_of(corpus, progress)


def _tokenized(blocks: Iterable[_Block]) -> SentenceTokens:
    first, starts, ends = array("q", [0]), array("i"), array("i")

    def sentences() -> Iterator[str]:
        for in_sentences, texts in blocks:
            for text in texts:
                if in_sentences:
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
    tokens: memoryview
    token_starts: memoryview
    first: memoryview
    starts: memoryview
    ends: memoryview


def tokenize_apart(messages: Iterator[bytes]) -> Iterator[bytes]:
    """The :class:`_Answer` for the blocks in ``messages``; what the other process runs."""
    blocks = (msgspec.msgpack.decode(one, type=tuple[bool, list[bytes]]) for one in messages)
    found = _tokenized((in_sentences, [raw.decode() for raw in texts]) for in_sentences, texts in blocks)
    tokens = found.tokens
    answer = _Answer(
        PackedVocabulary.of(tokens.vocabulary),
        *(one.data for one in (tokens.words, tokens.starts, found.first, found.starts, found.ends)),
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
