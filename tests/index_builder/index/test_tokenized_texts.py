"""Tokens of many texts: the same as text by text, whoever reads them and in whatever blocks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from index_builder.data.corpus import Corpus, HeldTossup, PassageRow
from index_builder.index import tokenized_texts
from index_builder.index.tokenized_corpus import tokenize_corpus
from index_builder.index.tokenized_texts import postings_by_stem, rising_order, tokenize_texts
from index_builder.index.word_list import count_words
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import TOKEN, hashes_of, token
from quizwriter.spelling import LONGEST, WORD

WORDS = [
    "Émile",
    "this",
    "O’Hara's",
    "19th",
    "a1b2",
    "x²",
    "Dr.",
    "eels",
    "THE",
    "quilter-made",
    "3'a",
    "ß",
    "ﬁ",
]
SIGNS = ["—", "“", "”", "'", "’", ",", ".", "(", "[", "_", "?", " ", "  ", "\n", "\x1c", "\u3000", ". Next"]
PIECES = st.sampled_from([*WORDS, *SIGNS])
TEXTS = st.lists(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=20), max_size=6)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(tokenized_texts, "BLOCK", 3)
    monkeypatch.setattr(tokenized_texts, "AT_ONCE", 2)


@given(TEXTS)
@example(["eels\ud800this"])  # half of a pair parts words
def test_the_tokens_of_many_texts_are_those_of_each(texts):
    found = tokenize_texts(texts)

    words = [TOKEN.findall(text) for text in texts]
    stems, pointers = hashes_of([word for some in words for word in some])
    assert found.stems.tolist() == stems.tolist()
    assert found.pointers.tolist() == pointers.tolist()
    assert np.diff(found.starts).tolist() == [len(some) for some in words]
    assert [found.vocabulary.words[one] for one in found.words] == [word for some in words for word in some]


@pytest.mark.parametrize("first", ["a", "a" * 9_000], ids=["a full table", "a table with room"])
def test_stretches_that_differ_in_one_byte_are_told_apart(first):
    """Those of eight and of sixteen bytes are compared by one number and by two, longer ones by neither."""
    letters = "abcdefghijklmnopqr"
    words = [
        letters[:at] + other + letters[at + 1 : size]
        for size in (8, 9, 16, 17, 18)
        for at in range(size)
        for other in "xyz"
    ]

    found = tokenize_texts([first, "", *[" ".join(words)] * 4])  # the table is as large as the first two

    assert [found.vocabulary.words[one] for one in found.words] == [first, *words * 4]


def test_progress_counts_the_texts_that_are_done():
    told = []
    tokenize_texts(["a b", "", "c"], told.append)
    assert told == [2, 3]


@given(TEXTS)
def test_each_text_is_in_one_block(texts):
    found = tokenize_texts(texts)

    blocks = [found.between(start, stop) for start, stop in found.blocks()]

    assert [word for block in blocks for word in block.words] == found.words.tolist()
    assert sum(map(len, blocks)) == len(texts)


@given(TEXTS)
def test_texts_of_one_group_are_in_one_block(texts):
    groups = np.arange(len(texts)) // 2

    borders = [start for start, _ in tokenize_texts(texts).blocks(groups)]

    assert all(start % 2 == 0 for start in borders)


@given(TEXTS, TEXTS)
def test_postings_say_which_texts_have_a_stem(texts, others):
    one = tokenize_texts(texts)
    other = tokenize_texts(others, vocabulary=one.vocabulary)
    numbers = np.arange(len(others), dtype=np.int32) - 1  # the first is left out

    terms, sizes, found = postings_by_stem((one, np.arange(len(texts), dtype=np.int32)), (other, numbers))

    expected = {(token(word).hash, at) for at, text in enumerate(texts) for word in TOKEN.findall(text)}
    expected |= {
        (token(word).hash, at - 1) for at, text in enumerate(others) if at for word in TOKEN.findall(text)
    }
    assert list(zip(np.repeat(terms, sizes).tolist(), found.tolist(), strict=True)) == sorted(
        one for one in expected if one[0]
    )


HIGH = 1 << 63
HASHES = st.integers(0, 3).map(lambda low: HIGH + low) | st.integers(0, 2 * HIGH - 1)


@given(st.lists(HASHES, max_size=20))
@example([HIGH >> 1, 5])  # a bit too long to stand whole before the places of two
@example([HIGH + 1, HIGH, HIGH + 1, HIGH])  # alike but for the bits that have no room beside a place
def test_equal_keys_stay_in_their_order(hashes):
    expected = sorted(range(len(hashes)), key=hashes.__getitem__)

    assert rising_order(np.array(hashes, np.uint64)).tolist() == expected
    small = np.array([one % 4 for one in hashes], np.int64)
    assert rising_order(small).tolist() == np.argsort(small, kind="stable").tolist()


@given(TEXTS)
@example(["eels Eels", "é" * LONGEST, "É" * (LONGEST + 1)])
def test_words_are_counted_as_if_each_text_were_searched(texts):
    every, small = count_words(tokenize_texts(texts))

    words = [
        {word.replace("’", "'") for word in WORD.findall(text) if len(word) <= LONGEST} for text in texts
    ]
    assert every == Counter(word for some in words for word in {word.casefold() for word in some})
    expected = Counter(word for some in words for word in some if word[:1].islower())
    assert {word: count for word, count in expected.items() if word.casefold() == word} == small


@given(TEXTS)
def test_no_token_crosses_the_end_of_a_sentence(texts):
    passages = tuple(PassageRow(Page("P"), PassageKind.TOSSUP, 0, "", text) for text in texts)
    held = tuple(HeldTossup(text, Page("P"), "") for text in texts)

    found = tokenize_corpus(Corpus(("P",), (0,), passages, held))

    assert found.passages.stems.tolist() == tokenize_texts(texts).stems.tolist()
    assert found.held.stems.tolist() == found.passages.stems.tolist()
    sentences = [sentence.of(text) for text in texts for sentence in Tossup(text).sentences]
    count = found.sentences.first[len(texts)]
    assert found.sentences.tokens.between(0, count).stems.tolist() == tokenize_texts(sentences).stems.tolist()
