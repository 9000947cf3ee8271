"""The list of words in a bundle, by which slips of spelling are told from names."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from index_builder.data import Corpus
from index_builder.index.tokenized_corpus import TokenizedCorpus
from index_builder.index.tokenized_texts import TokenizedTexts, distinct, rows_of, tokenize_texts
from quizwriter.engine.bundle import BundleWriter
from quizwriter.spelling import LONGEST, WORD, known_words


def write_words(corpus: Corpus, tokens: TokenizedCorpus, writer: BundleWriter) -> None:
    """Put the words of all texts, answer lines and titles of ``corpus`` into a bundle."""
    vocabulary = tokens.passages.vocabulary
    titles = tokenize_texts((page.replace("_", " ") for page in corpus.pages), vocabulary=vocabulary)
    counted = _WordCounts(vocabulary.words)
    for texts in (tokens.passages, tokens.lines, titles):
        counted.add(texts)
    counts = known_words(*counted.found())
    words = sorted(counts)
    writer.lines("words/words.txt", words)
    writer.array("words/counts.npy", np.asarray([counts[word] for word in words], np.int32))


class _WordCounts:
    """In how many texts each word is, in any case and in small letters; tokens with digits have several."""

    def __init__(self, tokens: list[str]) -> None:
        self._numbers: dict[str, int] = {}
        words, starts, small = array("i"), array("q", [0]), bytearray()
        for token in tokens:
            for word in WORD.findall(token):
                if len(word) <= LONGEST:
                    written = word.replace("’", "'")
                    folded = written.casefold()
                    words.append(self._numbers.setdefault(folded, len(self._numbers)))
                    small.append(written == folded and written[0].islower())
            starts.append(len(words))
        self._words, self._starts = np.asarray(words), np.asarray(starts)
        self._is_small = np.array(small, np.bool_)
        self._every = np.zeros(len(self._numbers), np.int64)
        self._small = np.zeros(len(self._numbers), np.int64)

    def add(self, texts: TokenizedTexts) -> None:
        """Count the words of ``texts``."""
        for start, stop in texts.blocks():
            block = texts.between(start, stop)
            at, sizes = rows_of(np.arange(len(self._words)), self._starts, block.words)
            keys = np.repeat(block.passages, sizes) * np.int64(len(self._numbers)) + self._words[at]
            self._every += self._in_texts(keys)
            self._small += self._in_texts(keys[self._is_small[at]])

    def _in_texts(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.bincount(distinct(keys) % max(len(self._numbers), 1), minlength=len(self._numbers))

    def found(self) -> tuple[dict[str, int], dict[str, int]]:
        """In how many texts each word is, and in how many it is in small letters."""
        every, small = (
            {word: count for word, count in zip(self._numbers, counts.tolist(), strict=True) if count}
            for counts in (self._every, self._small)
        )
        return every, small
