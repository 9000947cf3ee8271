"""Tossups for the queue: written, played and reviewed as the tests need them."""

from __future__ import annotations

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Categorised, Commented, Person, PutInSet, Status, StatusSet
from quizwriter.domain.tossup import Answer
from quizwriter.workflow.session import PendingSave, RecordedPlay

ADA, BEN = Person("ada", "Ada", "", 1), Person("ben", "Ben", "", 1)


def put(app, key, line="", text="A text.", *, author="ada", at_ms=1_000, shown=(), bodies=()):
    """A tossup of one edit, and what was recorded of it."""
    page = Page(line.replace(" ", "_")) if line else None
    change = Change(1, at_ms, Edit(0, "", text), author)
    app.store.save(
        PendingSave(key, text, Answer(line, page) if line else None, 0, at_ms, (change,), shown, author)
    )
    app.store.add_events([Event.new(key, at_ms + 1, author, body) for body in bodies])


def played(guesser, first, stable, buzz, right=True, words=10, seq=1):
    page = Page("Kraków") if right else Page("Warsaw")
    return RecordedPlay(
        seq, 1_001, guesser, "engine", (Guess(page, 1.0),), first, stable, buzz, page if buzz else None, words
    )


def put_four(app):
    """Four tossups that differ in everything."""
    for person in (ADA, BEN):
        app.store.save_person(person)
    put(
        app, "a", "Kraków", "A dragon lived (*) below a castle in this city of kings, in the south.",
        at_ms=4_000, shown=(played("ir", 3, 5, 4), played("dan", None, None, 8, right=False)),
        bodies=[PutInSet("Winter"), Categorised(("Geography", "Europe")), StatusSet(Status.READY)],
    )  # fmt: skip
    put(
        app, "b", "_Zürich_ [or Zurich]", "A city on a lake.", author="ben", at_ms=3_000,
        shown=(played("ir", None, None, None),),
        bodies=[PutInSet("Autumn"), Categorised(("History",)), Commented("Which lake?")],
    )  # fmt: skip
    put(
        app, "c", "", "Nothing is decided here, 100% sure.", at_ms=2_000,
        bodies=[Categorised(("Geography",)), StatusSet(Status.REJECTED, "Too vague.")],
    )  # fmt: skip
    put(app, "d", "avocado", "A fruit.", author="", at_ms=1_000)
