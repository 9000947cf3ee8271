"""The list of words in a bundle, by which slips of spelling are told from names."""

from __future__ import annotations

from array import array

import numpy as np

from index_builder.data.corpus import Corpus
from index_builder.index.tokenized_corpus import TokenizedCorpus
from index_builder.index.tokenized_texts import TokenizedTexts, rows_of, tokenize_texts
from quizwriter.engine.bundle import BundleWriter
from quizwriter.engine.tokenizer import distinct
from quizwriter.spelling import LONGEST, WORD, Dictionaries, known_words
from quizwriter.system.resource_files import resources_folder


def write_words(corpus: Corpus, tokens: TokenizedCorpus, writer: BundleWriter) -> None:
    """Put the words of all texts, answer lines and titles of ``corpus`` into a bundle."""
    vocabulary = tokens.passages.vocabulary
    titles = tokenize_texts((page.replace("_", " ") for page in corpus.pages), vocabulary=vocabulary)
    dictionaries = Dictionaries(resources_folder() / "spelling")
    counts = known_words(*count_words(tokens.passages, tokens.lines, titles), dictionaries)
    words = sorted(counts)
    writer.lines("words/words.txt", words)
    writer.array("words/counts.npy", np.asarray([counts[word] for word in words], np.int32))


def count_words(*parts: TokenizedTexts) -> tuple[dict[str, int], dict[str, int]]:
    """In how many texts each casefolded word is, and in how many in small letters.

    ``parts`` are tokens of one vocabulary. A token is a word, unless digits make it none or several.
    """
    numbers: dict[str, int] = {}
    words, starts, is_small = array("i"), array("q", [0]), bytearray()
    for token in parts[0].vocabulary.words:
        for word in WORD.findall(token):
            if len(word) <= LONGEST:
                written = word.replace("’", "'")
                folded = written.casefold()
                words.append(numbers.setdefault(folded, len(numbers)))
                is_small.append(written == folded and written[0].islower())
        starts.append(len(words))
    number, small = np.asarray(words), np.array(is_small, np.bool_)
    counts = np.zeros((2, len(numbers)), np.int64)
    for texts in parts:
        for start, stop in texts.blocks():
            block = texts.between(start, stop)
            at, sizes = rows_of(np.arange(len(words)), np.asarray(starts), block.words)
            keys = np.repeat(block.passages, sizes) * np.int64(len(numbers)) + number[at]
            # sorted once: a word of a text comes twice if it is written in both ways there
            found = distinct(2 * keys + small[at])
            keys, in_small = found >> 1, found & 1 == 1
            for row, some in zip(counts, (np.diff(keys, prepend=-1) > 0, in_small), strict=True):
                row += np.bincount(keys[some] % max(len(numbers), 1), minlength=len(numbers))
    every, small_ones = (
        {word: count for word, count in zip(numbers, row, strict=True) if count} for row in counts.tolist()
    )
    return every, small_ones
