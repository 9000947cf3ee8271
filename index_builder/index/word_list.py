"""The list of words in a bundle, by which slips of spelling are told from names."""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec
import numpy as np
from rapidfuzz.distance import OSA

from index_builder.data.corpus import Corpus
from index_builder.helper_process import HelperProcess, serve
from index_builder.index.tokenized_corpus import TokenizedCorpus
from index_builder.index.tokenized_texts import Places, TokenizedTexts, rows_of, tokenize_texts
from quizwriter.engine.bundle import BundleWriter
from quizwriter.engine.tokenizer import Hashes, common, distinct
from quizwriter.spelling import LONGEST, SHORTEST, SURELY_KNOWN, WORD, Dictionaries
from quizwriter.system.children import Child
from quizwriter.system.resource_files import resources_folder

MOST_RUN_TOGETHER = 20
"""Texts in which two words may be run together that are no word all the same."""

_USUAL = 2_000
"""Texts that have the first of two words that are run together."""

_TIMES = np.asarray([60, 60, 1_500, 1_500, 150, 60])
"""By the letters of a slip, in how many times as many texts the word is that it is a slip for."""

_OF_WORD = 4
"""A quarter of the texts with a word of the dictionary have it in small letters, or it is a name."""

_AT_ONCE = 20_000
"""Words that are looked at in one go; all of a large list fill a quarter of a gigabyte."""

_Counts = tuple[dict[str, int], dict[str, int]]
"""In how many texts each casefolded word is, and in how many it is in small letters."""

_MULTIPLIER = 0x9E3779B97F4A7C15  # odd, so that there is a number by which a product is divided by it


@contextmanager
def words_written(
    corpus: Corpus, tokens: TokenizedCorpus, writer: BundleWriter, *, apart: bool
) -> Iterator[None]:
    """A block after which the words of all texts, answer lines and titles of ``corpus`` are in a bundle.

    ``apart``: another process tells slips meanwhile.
    """
    titles = tokenize_texts(corpus.pages, vocabulary=tokens.passages.vocabulary)
    counts = count_words(tokens.passages, tokens.lines, titles)
    helper = HelperProcess(Child.WORDS, [msgspec.msgpack.encode(counts)]) if apart else None
    try:
        yield
        raw = None if helper is None else helper.answer()
    finally:
        if helper is not None:
            helper.close()
    known = _known(counts) if raw is None else msgspec.msgpack.decode(raw, type=dict[str, int])
    words = sorted(known)
    writer.lines("words/words.txt", words)
    writer.array("words/counts.npy", np.asarray([known[word] for word in words], np.int32))


def _known(counts: _Counts) -> dict[str, int]:
    return known_words(*counts, Dictionaries(resources_folder() / "spelling", in_parts=False))


def known_words_apart(messages: Iterator[bytes]) -> Iterator[bytes]:
    """The known words by the counts in the one message; what the other process runs."""
    for message in messages:
        yield msgspec.msgpack.encode(_known(msgspec.msgpack.decode(message, type=_Counts)))


def main(arguments: Sequence[str]) -> int:
    """Be the helper process of :func:`known_words_apart`."""
    return serve(known_words_apart)


def count_words(*parts: TokenizedTexts) -> _Counts:
    """In how many texts each casefolded word is, and in how many in small letters.

    ``parts`` are tokens of one vocabulary. A token is a word, unless digits make it none or several.
    """
    numbers: dict[str, int] = {}
    words, starts, is_small = array("i"), array("q", [0]), bytearray()
    for token in parts[0].vocabulary.words:
        for word in [token] if token.isalpha() else WORD.findall(token):  # most are words
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


def known_words(
    every: Mapping[str, int], small: Mapping[str, int], dictionaries: Container[str] = ()
) -> dict[str, int]:
    """The words of published texts, without slips for other words, and in how many texts each is.

    ``every`` counts the texts that each casefolded word is in, ``small`` those that have it in small letters.
    Words are in small letters, but those that are only written with a capital have it. Published texts have
    slips, too: a word is left out if a word of far more texts is one slip away, or if it is two such words
    run together, unless ``dictionaries`` have it.
    """
    words = list(every)
    all_counts = np.fromiter(every.values(), np.int64, len(words))
    all_small = np.fromiter((small.get(word, 0) for word in words), np.int64, len(words))
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    times = _TIMES[np.minimum(lengths, len(_TIMES) - 1)]
    near = _most_near(words, lengths, all_counts, times * np.where(all_small, all_small, all_counts))
    usual = {word for word, count in every.items() if count >= _USUAL}
    slips, names = (near >= times * counts for counts in (all_counts, all_small))  # one never small is a name
    found = {}
    for word, in_small, is_slip, is_name in zip(
        words, all_small.tolist(), slips.tolist(), names.tolist(), strict=True
    ):
        count, name = every[word], word[:1].upper() + word[1:]
        is_slip = is_slip or (
            in_small and count <= MOST_RUN_TOGETHER and _is_run_together(word, count, every, usual)
        )
        if is_slip and name not in dictionaries:
            continue
        is_name = is_name and not (in_small * _OF_WORD >= count and word in dictionaries)
        found[name if is_name else word] = count
    return found


def _most_near(words: Sequence[str], lengths: Places, counts: Places, least: Places) -> Places:
    """For each of ``words``, the ``counts`` of the most usual word one slip away; 0 if it is below ``least``.

    Words one slip away have something in common that is left of them without one letter.
    """
    usual = np.flatnonzero((counts >= SURELY_KNOWN) & (lengths >= SHORTEST))
    rests, usual_of = _rests([words[at] for at in usual.tolist()], lengths[usual])
    order = np.argsort(rests, kind="stable")
    rising, other_of = rests[order], usual[usual_of[order]]
    shared = distinct(rising)
    starts = np.append(rising.searchsorted(shared), len(rising))
    found = np.zeros(len(words), np.int64)
    for first in range(0, len(words), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        rests, word_of = _rests(words[some], lengths[some])
        which, at = common(rests, shared)
        others, sizes = rows_of(other_of, starts, at)
        word = np.repeat(first + word_of[which], sizes)
        pairs = np.flatnonzero((counts[others] >= least[word]) & (others != word))
        for one, other in zip(word[pairs].tolist(), others[pairs].tolist(), strict=True):
            if counts[other] > found[one] and OSA.distance(words[one], words[other], score_cutoff=1) <= 1:
                found[one] = counts[other]
    return found


def _rests(words: Sequence[str], lengths: Places) -> tuple[Hashes, Places]:
    """A hash of each of ``words`` without each of its letters, then of all of it; and the number of the word.

    The hash of letters is the sum of each one's code times the multiplier to the power of its place.
    """
    codes = np.frombuffer("".join(words).encode("utf-32-le"), "<u4").astype(np.uint64)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    powers = np.uint64(_MULTIPLIER) ** np.arange(lengths.max(initial=0), dtype=np.uint64)
    places = np.arange(len(codes)) - np.repeat(starts, lengths)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes * powers[places])])
    word = np.repeat(np.arange(len(words)), lengths + 1)
    without = np.arange(len(word)) - word
    before = sums[without] - sums[starts[word]]
    behind = sums[ends[word]] - sums[np.minimum(without + 1, ends[word])]
    return before + behind * np.uint64(pow(_MULTIPLIER, -1, 1 << 64)), word


def _is_run_together(word: str, count: int, counts: Mapping[str, int], usual: Container[str]) -> bool:
    """Whether ``word`` is two far more usual ones without the space between: "ofthe"."""
    return any(
        word[:at] in usual and counts.get(word[at:], 0) >= max(200, 100 * count)
        for at in range(2, len(word) - 1)
    )
