"""What past sentences share with a tossup: words close together, and none of those held back."""

from __future__ import annotations

import json
import math
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.past_sentences import FIGURES, RECENT, PastSentences
from quizwriter.errors import QuizwriterError
from tests.helpers.foreign_bundles import seal

ASKED = [
    ("Alder", "guesstrain", "A miller kept seven grey geese. His barn burned in a storm of hail."),
    ("Birch", "guesstrain", "A miller kept an owl. Seven sailors saw grey walls. Geese flew there."),
    ("Cedar", "buzztrain", "A miller kept seven grey geese. It is held back."),
    ("Cedar", "guesstrain", "A queen crossed the river."),
]
ALDER, BIRCH, CEDAR = ROWS = np.arange(3)
WORDS = ["miller", "kept", "seven", "grey", "geese", "owl", "river", "queen", "zzz", "the", "barn"]


def asked(folder, questions):
    """A bundle of these questions: page, fold and text."""
    rows = [
        {"id": str(number), "text": text, "page": page, "answer": page, "category": "Science", "fold": fold}
        for number, (page, fold, text) in enumerate(questions)
    ]
    file = folder.with_suffix(".jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    build(Inputs((file,)), folder, "Sentences", Progress())
    return Bundle.open(folder)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return asked(tmp_path_factory.mktemp("sentences") / "bundle", ASKED)


@pytest.fixture(scope="module")
def sentences(bundle):
    return PastSentences(bundle)


def test_words_that_one_sentence_says_together_count_together(sentences):
    so_far, of_late, _, two, three, most, question = sentences.of(Tossup("seven grey geese"), ROWS)

    # eight sentences are in the bundle; each of the three words is in three of them
    word = math.log(8 / 3)
    assert so_far[-1] == pytest.approx([3 * word, 2 * word, 0], rel=1e-5)
    assert of_late[-1] == pytest.approx(so_far[-1])
    assert question[-1] == pytest.approx([3 * word, 3 * word, 0], rel=1e-5)  # the question, sentence or not
    assert two[-1].tolist() == [2, 1, 0]
    assert three[-1].tolist() == [1, 0, 0]
    assert most[-1].tolist() == [3, 2, 0]


def test_a_question_that_is_held_back_tells_no_player_anything(sentences):
    found = sentences.of(Tossup("A miller kept seven grey geese."), ROWS)

    assert not found[:, :, CEDAR].any()
    assert found[0, -1, ALDER] > found[0, -1, BIRCH] > 0


def test_words_far_from_each_other_do_not_count_together(sentences):
    between = " ".join(["zzz"] * RECENT)
    found = sentences.of(Tossup(f"seven {between} geese"), ROWS)
    alone = sentences.of(Tossup("geese"), ROWS)

    assert found[0, -1, ALDER] == pytest.approx(alone[0, -1, ALDER])
    assert found[1, RECENT - 1, ALDER] == pytest.approx(alone[0, -1, ALDER])  # seven is still near
    assert found[1, RECENT, ALDER] == 0  # and no longer
    assert found[6, -1, ALDER] == pytest.approx(2 * alone[0, -1, ALDER])  # one question has both


def test_the_weight_above_what_any_sentence_shares_adds_up(sentences, monkeypatch):
    monkeypatch.setattr("quizwriter.engine.past_sentences.LEAST_SHARED", 1.5)
    above = sentences.of(Tossup("seven grey geese"), ROWS)[2]

    word = math.log(8 / 3)
    assert above[:, ALDER] == pytest.approx([0, 2 * word - 1.5, 5 * word - 3], rel=1e-4)


@given(words=st.lists(st.sampled_from(WORDS), max_size=40), data=st.data())
def test_no_figure_depends_on_words_not_yet_heard(sentences, words, data):
    tossup = Tossup(" ".join(words))
    count = data.draw(st.integers(0, len(tossup.words)))

    found, part = (sentences.of(one, ROWS) for one in (tossup, tossup.heard(count)))

    assert found.shape == (FIGURES, len(tossup.words), len(ROWS))
    assert np.allclose(found[:, :count], part, rtol=1e-5, atol=1e-5)


def test_packets_that_are_added_count_with_the_bundle(bundle, sentences, tmp_path):
    texts = [
        "Owls sleep in old barns by day.",
        "Owls hunt in the fields by night.",
        "Seven grey geese flew, and owls slept.",
    ]
    added = asked(
        tmp_path / "added", [(page, "guesstrain", text) for page, text in zip("ABC", texts, strict=True)]
    )
    tossup = Tossup("seven grey geese")

    found, without = (
        one.of(tossup, ROWS)[5, -1].tolist() for one in (PastSentences(bundle, added), sentences)
    )

    assert without == [3, 2, 0]
    assert found == [3, 2, 3]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sentences/offsets.npy", lambda values: values[:-1]),
        ("sentences/first.npy", lambda values: values[:-1]),
        ("sentences/first.npy", lambda values: values + 10**9 * (values > 0)),
        ("sentences/rows.npy", lambda values: values + 1_000),
        ("library/passages.npy", lambda values: values + 1_000),
    ],
)
def test_files_that_do_not_fit_each_other_are_refused(bundle, tmp_path, name, change):
    folder = shutil.copytree(bundle.folder, tmp_path / "bundle")
    np.save(folder / name, change(np.load(folder / name)))
    seal(folder)

    with pytest.raises(QuizwriterError):
        PastSentences(Bundle.open(folder)).of(Tossup("seven grey geese"), ROWS)
