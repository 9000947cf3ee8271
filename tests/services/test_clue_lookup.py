"""What past questions and the other tossups of a set say of the sentences of a draft."""

from __future__ import annotations

import pytest

from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.services.wiring import App
from quizwriter.workflow.problems.rules import find_problems
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


def findings(problems, rule):
    return [one.sentence for one in problems if one.rule == rule]


def test_a_draft_that_says_a_tossup_of_its_set_in_other_words_is_found_while_one_writes_and_at_ready(
    app, engine
):
    """Both times by one function: the sentences are reworded, so no run of words is the same."""
    said = "Quilters of Vadsbru still sew the crooked herringbone banner of this explorer's second voyage."
    saved(app, "one", Tossup(f"{said} For 10 points, name this explorer.", IDA))
    draft = Tossup(f"{REWORDED} For ten points, who led it?", Answer("Ida Frost"))
    saved(app, "two", draft)

    (check,) = [one for one in app.review.check({"two": draft}, engine)["two"] if one.name == "set"]
    around = app.problems.surroundings("two")
    inspection = app.problems.spelt(around.inspection("two", draft), engine, around)

    assert not check.passed
    assert "Ida Frost" in check.finding
    assert [one.sentence for one in find_problems(inspection, only=["set"])] == [check.finding]
    assert find_problems(around.inspection("two", draft), only=["set"]) == ()  # by runs of words alone


def test_past_sentences_in_other_words_are_a_problem_while_one_writes(app, engine):
    draft = Tossup(f"{REWORDED} For 10 points, name this explorer.", IDA)
    saved(app, "one", draft)

    found = app.problems.of_saved("one", engine)
    (check,) = [one for one in app.review.check({"one": draft}, engine)["one"] if one.name == "past"]

    assert findings(found, "past") == [check.finding]
