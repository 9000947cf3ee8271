"""The list of words in a bundle: built from texts, answer lines and titles, without slips of theirs."""

from __future__ import annotations

import shutil
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index import word_list
from index_builder.index.word_list import known_words
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


def word_counts(texts):
    """The words of ``texts``, each of which is given by its words."""
    every = Counter(word for words in texts for word in {word.casefold() for word in words})
    small = Counter(word for words in texts for word in set(words) if word[:1].islower())
    return known_words(every, small)


def test_a_word_list_leaves_out_published_slips_and_keeps_names_apart():
    texts = [["This", "river", "past", "Vadsbru's", "mill"]] * 90 + [["rivver", "Rivver", "vadsbrus"]]
    counts = word_counts(texts)
    assert counts["river"] == 90
    assert counts["this"] == 90 if "this" in counts else counts["This"] == 90
    assert "Vadsbru's" in counts
    assert "rivver" not in {word.casefold() for word in counts}


class Usual:
    """A dictionary of a few words."""

    def __contains__(self, word):
        return word in {"witch", "Witch", "Wyth"}


def test_a_word_list_keeps_words_of_a_dictionary_that_are_near_far_more_usual_ones():
    every = {"with": 60_000, "witch": 450, "wiith": 450, "wyth": 300}
    small = {"with": 60_000, "witch": 300, "wiith": 300, "wyth": 3}
    assert "witch" not in known_words(every, small)
    counts = known_words(every, small, Usual())
    assert counts == {"with": 60_000, "witch": 450, "Wyth": 300}


@pytest.mark.parametrize(
    ("every", "small", "found"),
    [
        ({"with": 60_000, "wyth": 450}, {"with": 60_000, "wyth": 3}, {"with", "Wyth"}),  # seldom small
        ({"with": 60_000, "witch": 400}, {"with": 60_000, "witch": 100}, {"with", "witch"}),  # a quarter
        ({"with": 60_000, "witch": 400}, {"with": 60_000, "witch": 99}, {"with", "Witch"}),
        ({"turkey": 6_000}, {"turkey": 100}, {"turkey"}),  # no slip for itself
        ({"river": 600, "rivex": 10}, {"river": 600}, {"river"}),
        ({"river": 599, "rivex": 10}, {"river": 599}, {"river", "Rivex"}),
        ({"river": 60, "rivex": 1}, {"river": 60}, {"river"}),
        (
            {"river": 60_000, "rivet": 1_100, "rives": 1_100, "rived": 1_100, "rivel": 1_100, "rivex": 500},
            {"river": 60_000, "rivet": 1_100, "rives": 1_100, "rived": 1_100, "rivel": 1_100, "rivex": 10},
            {"river", "rivet", "rives", "rived", "rivel"},  # the most usual word counts
        ),
    ],
)
def test_how_usual_a_word_is_says_what_one_near_it_is(every, small, found):
    assert known_words(every, small, Usual()).keys() == found


@pytest.mark.parametrize(
    ("every", "kept"),
    [
        ({"of": 2_000, "quilts": 2_000, "ofquilts": 20}, False),
        ({"of": 2_000, "quilts": 2_100, "ofquilts": 21}, True),
        ({"of": 2_000, "quilts": 1_999, "ofquilts": 20}, True),
        ({"of": 1_999, "quilts": 2_000, "ofquilts": 20}, True),
        ({"of": 2_000, "quilts": 200, "ofquilts": 1}, False),
        ({"of": 2_000, "quilts": 199, "ofquilts": 1}, True),
        ({"a": 5_000, "was": 250, "awas": 2}, True),  # each has two letters
        ({"of": 5_000, "a": 5_000, "ofa": 1}, True),
    ],
)
def test_how_usual_words_are_that_are_run_together(every, kept):
    assert (len(known_words(every, every)) == len(every)) is kept


def test_a_word_list_leaves_out_words_that_are_run_together():
    texts = [["of", "this"]] * 2_500 + [["ofthis", "Ofthis", "Offthis", "ofthat"]] + [["offal"]]
    counts = word_counts(texts)
    assert "ofthis" not in {word.casefold() for word in counts}
    assert {"Offthis", "ofthat", "offal"} <= set(counts)  # a name, and what has no two usual words


@example({"sea": 5_000, "tea": 70, "lake": 5_000, "lark": 70, "lape": 70, "river": 5_000, "rivar": 70})
@given(st.dictionaries(st.text("abé", min_size=2, max_size=6), st.sampled_from([1, 70, 5_000, 200_000])))
def test_a_word_list_leaves_out_each_word_that_is_one_slip_from_a_far_more_usual_one(every):
    def is_slip(word):
        least = every[word] * {2: 1_500, 3: 1_500, 4: 150}.get(len(word), 60)
        return any(
            OSA.distance(word, other) == 1 and len(other) > 2 and count >= least
            for other, count in every.items()
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_list, "_AT_ONCE", 3)
        found = known_words(every, {})
    assert found == {word.capitalize(): count for word, count in every.items() if not is_slip(word)}
