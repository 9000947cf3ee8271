"""What the training of a DAN starts from: the classes that terms are on, and files of word vectors."""

from __future__ import annotations

import numpy as np
import pytest

from index_builder.training.dan import DanLearner, read_word_vectors
from index_builder.training.learner import TrainingPlan
from index_builder.training.page_classifier import NetworkSize
from index_builder.training.training_set import TrainingSet
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.tokenizer import token
from quizwriter.errors import QuizwriterError

NUMBERS = " ".join(str(number / 10) for number in range(12))


@pytest.fixture
def training_set(bare_forest):
    return TrainingSet.of(Bundle.open(bare_forest))


def test_terms_of_one_class_begin_alike_and_those_of_other_classes_apart(training_set):
    plan = TrainingPlan(4, 1e9, 16, seed=3, size=NetworkSize(5, 16, 8))
    learner, again = DanLearner(training_set, plan), DanLearner(training_set, plan)
    learner.start()
    again.start()
    vectors = learner.module.vectors.weight.detach().numpy()
    text = np.searchsorted(training_set.starts, learner._last, side="right") - 1
    classes = [set() for _ in learner.terms]
    for term, label in zip(learner._numbers.tolist(), training_set.labels[text].tolist(), strict=True):
        classes[term].add(label)
    alone = np.asarray([next(iter(one)) if len(one) == 1 else -1 for one in classes])
    length = np.linalg.norm(vectors, axis=1)
    near = (vectors / length[:, None]) @ (vectors / length[:, None]).T
    same = (alone[:, None] == alone) & (alone >= 0)[:, None] & (alone >= 0)
    other = (alone[:, None] != alone) & (alone >= 0)[:, None] & (alone >= 0)

    assert same.sum() > len(vectors)
    assert other.any()
    assert near[same].min() > 0.999
    assert near[other].mean() < 0.1
    assert 0.05 < vectors.std() < 0.2
    assert np.array_equal(vectors, again.module.vectors.weight.detach().numpy())


def test_a_word_of_a_file_begins_with_its_vector_there(tmp_path, training_set):
    file = tmp_path / "vectors.txt"
    file.write_text(f"novel {NUMBERS}\nking {NUMBERS[::-1]}\n", encoding="utf-8")
    learner = DanLearner(training_set, TrainingPlan(4, 1e9, 16, size=NetworkSize(14, 16, 8)), file)
    vectors, rows = read_word_vectors(file, learner.terms, 14)

    learner.start()

    assert np.array_equal(learner.module.vectors.weight.detach().numpy()[rows], vectors)


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
