"""What past questions and the other tossups of a set say of the sentences of a draft."""

from __future__ import annotations

import pytest

from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.engine import load
from quizwriter.services import App
from quizwriter.workflow.session import WritingSession
from tests.helpers.stock_bundle import FRESH, stock_bundle

IDA = Answer("Ida Frost", Page("Ida_Frost"))
REWORDED = "This explorer's second voyage: quilters of Vadsbru sew its crooked herringbone banner still."
OTHER = "Blinded by a solar eclipse, the mayor of Ulvangsund heard drummers tune their copper kettles."


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return load(stock_bundle(tmp_path_factory.mktemp("stock"))[0])


@pytest.fixture
def app(tmp_path):
    with App(tmp_path / "home") as app:
        yield app


def saved(app, key, tossup):
    session = WritingSession(key)
    session.type(tossup.text)
    session.set_answer(tossup.answer)
    app.tossups.save(session.take_unsaved())


def test_the_other_tossups_of_the_set_are_looked_through_but_never_the_draft_itself(app, engine):
    saved(app, "one", Tossup(FRESH, Answer("Ulvangsund")))
    saved(app, "two", Tossup(OTHER, Answer("Drums")))

    (clues,) = app.clue_lookup.look_up(engine, Tossup(OTHER, Answer("Drums")), "two")
    assert (clues.near.key, clues.near.name, clues.near.passage) == ("one", "Ulvangsund", FRESH)

    (alone,) = app.clue_lookup.look_up(engine, Tossup(OTHER, Answer("Drums")))
    assert alone.near is None


def test_a_draft_that_says_past_sentences_in_other_words_is_not_ready(app, engine):
    draft = Tossup(f"{REWORDED} For 10 points, name this explorer.", IDA)
    saved(app, "one", draft)

    checks = {one.name: one for one in app.review.check({"one": draft}, engine)["one"]}

    assert not checks["past"].passed
    assert "2004 Fjord Open" in checks["past"].finding


def test_one_known_sentence_among_many_keeps_no_draft_from_being_ready(app, engine):
    draft = Tossup(f"{REWORDED} {FRESH} {OTHER} Foxes sleep in tiled ovens there. It rains.", IDA)
    saved(app, "one", draft)

    checks = {one.name: one for one in app.review.check({"one": draft}, engine)["one"]}

    assert checks["past"].passed
