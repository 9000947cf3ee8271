"""The list of words in a bundle: built from texts, answer lines and titles, refused where it is damaged."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.bundle_words import BundleWords
from quizwriter.errors import QuizwriterError
from tests.helpers.json_lines import write_lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    rows = [
        {
            "id": "one",
            "text": "Quilters sew a banner in Vadsbru.",
            "page": "Ida_Frost",
            "answer": "Ida Frost",
        },
        {"id": "two", "text": "The quilters’ banner burnt.", "page": "Vadsbru", "answer": "Vadsbru"},
    ]
    path = write_lines(folder / "tossups.jsonl", rows)
    build(Inputs((path,)), folder / "bundle", "Quilts", Progress())
    return folder


def test_words_of_texts_answers_and_titles_are_counted(folder):
    counts = BundleWords(Bundle.open(folder / "bundle")).counts
    assert counts["quilters"] == counts["banner"] == 2
    assert counts["Vadsbru"] >= 3
    assert counts["Frost"] >= 1
    assert "vadsbru" not in counts


def test_words_that_stand_together_in_texts_are_known(folder):
    words = BundleWords(Bundle.open(folder / "bundle"))
    assert words.together(("the",), ["quilters", "mill"], ("banner",)) == [(True, False), (False, False)]
    assert words.together((), ["the", "Vadsbru"], ()) == [(False, False)] * 2


def test_a_bundle_of_an_older_version_has_no_words(folder):
    bundle = Bundle.open(folder / "bundle")
    for name in ("words/words.txt", "words/counts.npy"):
        bundle.manifest.files.pop(name)
    assert BundleWords(bundle).counts == {}


def test_a_list_that_does_not_fit_is_refused(folder, tmp_path):
    bad = shutil.copytree(folder / "bundle", tmp_path / "bad")
    bundle = Bundle.open(bad)
    np.save(bad / "words/counts.npy", np.load(bad / "words/counts.npy")[:-1])
    with pytest.raises(QuizwriterError, match="does not fit the words"):
        _ = BundleWords(bundle).counts
