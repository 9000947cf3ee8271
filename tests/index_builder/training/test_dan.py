"""Files of word vectors, from which the training of a DAN may start."""

from __future__ import annotations

import numpy as np
import pytest

from index_builder.training.dan import read_word_vectors
from index_builder.training.training_set import TrainingSet
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.tokenizer import token
from quizwriter.errors import QuizwriterError

NUMBERS = " ".join(str(number / 10) for number in range(12))


@pytest.fixture
def training_set(bare_forest):
    return TrainingSet.of(Bundle.open(bare_forest))


@pytest.mark.parametrize("header", ["", "3 12\n"], ids=["glove", "word2vec"])
def test_word_vectors_are_read(tmp_path, training_set, header):
    terms = np.unique(training_set.stems)
    file = tmp_path / "vectors.txt"
    file.write_text(
        f"{header}novel {NUMBERS}\nat a place {NUMBERS}\nnovels {NUMBERS[::-1]}\nking {NUMBERS} \n",
        encoding="utf-8",
    )

    vectors, known = read_word_vectors(file, terms, 14)

    assert sorted(terms[known].tolist()) == sorted(token(word).hash for word in ("novel", "king"))
    assert vectors.shape == (2, 14)
    assert np.allclose(vectors[0], vectors[1])
    assert 0.05 < vectors.std() < 0.2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"novel {NUMBERS}\nking a b c d e f g h i j k l\n", "does not hold word vectors"),
        (f"novel {NUMBERS}\nking 1 2 3\n", "does not hold word vectors"),
        ("novel 1 2 3\n", "does not hold word vectors"),
        (f"novel {NUMBERS.replace('0.5', 'nan')}\n", "does not hold word vectors"),
        (f"unheard {NUMBERS}\n", "has no vector for any word"),
        ("", "has no vector for any word"),
        (None, "cannot be read"),
    ],
)
def test_a_file_without_word_vectors_is_refused(tmp_path, training_set, text, problem):
    file = tmp_path / "vectors.txt"
    if text is not None:
        file.write_text(text, encoding="utf-8")

    with pytest.raises(QuizwriterError, match=problem):
        read_word_vectors(file, np.unique(training_set.stems), 14)
