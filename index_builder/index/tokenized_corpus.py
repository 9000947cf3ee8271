"""The tokens of a corpus: those of its passages, questions held back and answer lines, each read once."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice

import msgspec
import numpy as np

from index_builder.data.corpus import Corpus
from index_builder.helper_process import HelperProcess, has_second_core, serve
from index_builder.index.tokenized_texts import (
    AT_ONCE,
    Numbers,
    PackedVocabulary,
    Places,
    TokenizedTexts,
    tokenize_texts,
)
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.retrieval import PassageKind
from quizwriter.system.children import Child

SHARED_FROM = 20 << 20
"""Characters of the smallest corpus whose second half another process reads."""

Text = tuple[str, bool]
"""A text, and whether it is that of a question, which is read sentence by sentence."""


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


def tokenize_corpus(corpus: Corpus, progress: Callable[[int], None] = lambda done: None) -> TokenizedCorpus:
    """Every token of ``corpus``; ``progress`` is told how many passages are done.

    Another process reads the second half of a large corpus. The result differs in the numbers of words only.
    """
    passages, count = corpus.passages, len(corpus.passages)

    def texts() -> Iterator[Text]:
        yield from ((one.text, one.kind is not PassageKind.ARTICLE) for one in passages)
        yield from ((one.text, True) for one in corpus.held)

    lengths = list(accumulate(len(text) for text, _ in texts()))
    half = bisect(lengths, lengths[-1] / 2) if lengths else 0
    if not lengths or lengths[-1] < SHARED_FROM or not has_second_core():
        found = _tokenized(texts(), progress)
    else:
        helper = HelperProcess(Child.TOKENS, _messages(islice(texts(), half, None)))
        try:
            one, answer = _tokenized(islice(texts(), half), progress), helper.answer()
        finally:
            helper.close()
        found = _joined(one, _tokenized(islice(texts(), half, None)) if answer is None else _decoded(answer))
        del one, answer
    progress(count)
    whole = found.texts
    return TokenizedCorpus(
        whole.between(0, count),
        whole.between(count, len(whole)),
        tokenize_texts((row.line for row in corpus.library), vocabulary=found.tokens.vocabulary),
        found,
    )


def _tokenized(texts: Iterator[Text], progress: Callable[[int], None] = lambda done: None) -> SentenceTokens:
    first, starts, ends = array("q", [0]), array("i"), array("i")

    def sentences() -> Iterator[str]:
        for number, (text, is_question) in enumerate(texts):
            if number % AT_ONCE == 0:
                progress(number)
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


def _messages(texts: Iterator[Text]) -> Iterator[bytes]:
    while some := [(text.encode(), is_question) for text, is_question in islice(texts, AT_ONCE)]:
        yield msgspec.msgpack.encode(some)  # of bytes: a text that is encoded by it would keep them for good


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
