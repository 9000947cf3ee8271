"""Which other tossups of the set ask for the same, and which guides names have in the user's tossups."""

import pytest

from quizwriter.domain.page import Page
from quizwriter.domain.review import PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.workflow.session import PendingSave

BRAHMS = Page("Johannes_Brahms")


@pytest.fixture
def app(app):
    answers = {
        "a": (Answer("Brahms", BRAHMS), "Winter"),
        "b": (Answer("Johannes *_Brahms_* [or J. B.]", BRAHMS), "Winter"),
        "c": (Answer("johannes brahms"), "Winter"),
        "d": (Answer("Brahms", BRAHMS), "Summer"),
        "e": (Answer("Brahms", BRAHMS), ""),
        "f": (Answer("Turandot"), "Winter"),
        "g": (None, "Winter"),
    }
    for key, (answer, name) in answers.items():
        text = f"Text {key} of a tossup."
        app.store.save(PendingSave.begun(key, text, answer, 1_000, "ada"))
        if name:
            app.review.record([key], PutInSet(name))
    return app


def test_the_same_answer_in_the_set_is_found_with_the_opening(app):
    assert app.tossups.asking_the_same("a", Answer("Brahms", BRAHMS)) == (
        "Text b of a tossup.",
        "Text c of a tossup.",
    )
    assert app.tossups.asking_the_same("f", Answer("Turandot")) == ()


def test_a_tossup_in_no_set_has_no_others(app):
    assert app.tossups.asking_the_same("e", Answer("Brahms", BRAHMS)) == ()
    assert app.tossups.asking_the_same("absent", Answer("Brahms", BRAHMS)) == ()


def test_the_guides_of_a_name_are_those_of_the_other_tossups(app):
    texts = {
        "x": "In Łódkowo (“wood-KO-vo”) eels sleep.",
        "y": "Łódkowo (“wood-KO-vo”) has Ilse Brandt (“IL-zuh BRAHNT”).",
        "z": "Łódkowo (“the draft itself”) sleeps; Łódkowo is not said twice.",
    }
    for at_ms, (key, text) in enumerate(texts.items(), start=100):
        app.store.save(PendingSave.begun(key, text, None, at_ms, "ada"))

    (guide,) = app.tossups.guides_of(("in Łódkowo", "Łódkowo"), "z")
    assert (guide.said, guide.count, guide.own) == ("wood-KO-vo", 2, True)
    (guide,) = app.tossups.guides_of(("Ilse Brandt", "Brandt"), "z")
    assert (guide.name, guide.said) == ("Ilse Brandt", "IL-zuh BRAHNT")
    assert app.tossups.guides_of(("Nobody",), "z") == app.tossups.guides_of((), "z") == ()
