"""What past questions call each page, counted and matched with what a tossup calls its answer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="PyTorch is not installed.")

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from index_builder.training import page_kinds
from index_builder.training.page_kinds import fit_kinds
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.answer_kinds import KIND_FIGURES, AnswerKinds
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.tokenizer import token
from quizwriter.system.decoding import DecodingError

CALLED = {
    "Arcadia": ["country", "country", "nation"],
    "Borduria": ["country", "nation", "nation"],
    "Chronicle": ["novel", "novel", "long novel"],
    "Drama": ["play", "play", "play"],
}
ARTICLES = {
    "Encounter": "Encounter is a long novel of many parts.",
    "Fief": "Fief was green. It lies far away.",
}
PAGES = [*CALLED, *ARTICLES, "Gale_(play)"]
WORDS = ["this", "these", "country", "nation", "novel", "long", "play", "of", "zzz", "ships."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds") / "bundle"
    asked = [
        (page, f"It is far away. This {kind} has ships.") for page, kinds in CALLED.items() for kind in kinds
    ]
    asked.append(("Gale_(play)", "It is far away, and it has ships."))
    rows = [
        {
            "id": str(number),
            "text": text,
            "page": page,
            "answer": page,
            "category": "Science",
            "fold": "guesstrain",
        }
        for number, (page, text) in enumerate(asked)
    ]
    file, articles = folder.with_suffix(".jsonl"), folder.with_name("articles.jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    articles.write_text(
        "".join(json.dumps({"page": page, "text": text}) + "\n" for page, text in ARTICLES.items()),
        encoding="utf-8",
    )
    build(Inputs((file,), wiki=(articles,)), folder, "Kinds", Progress())
    return folder


@pytest.fixture(scope="module")
def arrays(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_kinds, "LEAST_USED", 2)
        patch.setattr(page_kinds, "RANDOM_MENTIONS", 0.1)
        return fit_kinds(Bundle.open(folder))


@pytest.fixture(scope="module")
def fit(folder, arrays):
    """How well pages are what a text calls its answer after all of it: the mean of all kinds."""
    rows = {page: row for row, page in enumerate(Bundle.open(folder).lines("pages.txt"))}
    kinds = AnswerKinds(arrays)

    def fit(text, *pages):
        return kinds.match(Tossup(text), np.asarray([rows[page] for page in pages]))[0, -1].tolist()

    return fit


def test_a_page_fits_what_past_questions_call_it(fit):
    country, novel = fit("Ships of this country", "Arcadia", "Chronicle")

    assert country > 0.3
    assert novel < -0.5


def test_kinds_that_one_page_is_called_are_alike(fit, arrays):
    """Borduria is called a nation oftener; that a nation is a country, Arcadia tells."""
    likeness = arrays["kind_likeness"].astype(np.float64)
    place = {stem: row for row, stem in enumerate(arrays["kind_terms"].tolist())}
    nation, country, play = (place[token(word).hash] for word in ("nation", "country", "play"))

    assert likeness.sum(axis=1) == pytest.approx(np.ones(len(likeness)), abs=1e-2)
    assert likeness[nation, country] > 5 * likeness[nation, play]
    borduria, drama = fit("this country", "Borduria", "Drama")
    assert borduria > 0 > drama


def test_a_page_is_what_its_article_or_its_title_says_where_no_question_calls_it_anything(fit):
    encounter, fief, gale = fit("this novel", "Encounter", "Fief", "Gale_(play)")
    assert encounter > 0 > gale
    assert fief == pytest.approx(0, abs=1e-3)  # nothing is said of it

    encounter, fief, gale = fit("this play", "Encounter", "Fief", "Gale_(play)")
    assert gale > 0 > encounter


def test_the_kind_may_be_some_words_after_this(fit):
    assert fit("this long and novel", "Chronicle") == fit("this novel", "Chronicle")
    assert fit("this zzz yyy xxx novel", "Chronicle") == [0]
    assert fit("novel", "Chronicle") == [0]


@given(words=st.lists(st.sampled_from(WORDS), max_size=30), data=st.data())
def test_no_figure_depends_on_words_not_yet_heard(arrays, words, data):
    tossup, rows = Tossup(" ".join(words)), np.arange(len(PAGES) + 2)
    count = data.draw(st.integers(0, len(tossup.words)))
    kinds = AnswerKinds(arrays)

    found, part = (kinds.match(one, rows) for one in (tossup, tossup.heard(count)))

    assert found.shape == (KIND_FIGURES, len(tossup.words), len(rows))
    assert np.allclose(found[:, :count], part, atol=1e-6)
    assert not found[:, :, len(PAGES) :].any() or np.allclose(found[:, :, len(PAGES) :], 0, atol=1e-6)


def test_a_bundle_without_kinds_says_nothing_of_any_page(folder):
    arrays = fit_kinds(Bundle.open(folder))  # no kind is used often enough

    assert not AnswerKinds(arrays).match(Tossup("this novel has ships"), np.arange(3)).any()


def test_arrays_that_do_not_fit_each_other_are_refused(arrays):
    class Stored(dict):
        @property
        def shapes(self):
            return {name: values.shape for name, values in self.items()}

    AnswerKinds.check(Stored(arrays))
    for name in ("kind_shares", "kind_likeness", "page_kinds"):
        with pytest.raises(DecodingError):
            AnswerKinds.check(Stored({**arrays, name: arrays[name][:-1]}))


def test_numbers_that_make_no_sense_do_no_harm(arrays):
    strange = {
        **arrays,
        "page_kinds": arrays["page_kinds"] + 10**6,
        "page_kind_starts": arrays["page_kind_starts"] * 10**6,
    }

    assert np.isfinite(AnswerKinds(strange).match(Tossup("this novel"), np.arange(len(PAGES)))).all()
