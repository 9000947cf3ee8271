"""The log of a database: all events once, releases, and the filters."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizwriter.domain.review import Consent, ConsentGiven, PutInSet, Status
from quizwriter.workflow.event_log import LogFilter


@pytest.fixture
def app(four):
    return four


def test_every_event_of_every_tossup_is_there_once(app):
    entries = app.set_log.entries()
    assert len(entries) == sum(len(app.store.events(key)) for key in "abcd") == 8
    assert [entry.at_ms for entry in entries] == sorted((entry.at_ms for entry in entries), reverse=True)
    assert {entry.title for entry in entries} == {"Kraków", "_Zürich_ [or Zurich]", "No answer yet"}


def test_an_event_of_a_tossup_with_branches_is_there_once(app):
    history = app.tossups.titled_history("a").history
    app.tossups.branch_from("a", history, 0)
    assert sum(entry.kind == "status" for entry in app.set_log.entries(LogFilter(text="ready"))) == 1


def test_what_is_recorded_now_comes_first_and_is_found(app):
    app.review.record(["a"], ConsentGiven(Consent.YES))
    app.review.set_status(["a"], Status.SENT_BACK, "The second clue is not unique.")
    sent, *_ = app.set_log.entries(LogFilter(text="unique"))
    assert (sent.kind, sent.author, sent.text) == (
        "status", "ada", "Status sent back: The second clue is not unique.",
    )  # fmt: skip
    (given,) = app.set_log.entries(LogFilter(kinds=("consent",)))
    assert given.text == "Consent yes"


def test_the_set_of_an_entry_is_the_one_of_the_tossup_now(app):
    app.review.record(["b"], PutInSet("Winter"))
    entries = app.set_log.entries(LogFilter(sets=("Winter",)))
    assert {one.tossup_id for entry in entries for one in entry.tossups} == {"a", "b"}


def test_releases_are_kept(app):
    app.set_log.record_release("Winter Open", "1.0", Path("/sets/winter"), ["a", "b"])
    app.set_log.record_release(
        "Winter Open", "1.1", Path("/sets/w11"), ["b"], retracted=True, reason="Wrong."
    )
    assert [one.version for one in app.set_log.releases()] == ["1.0", "1.1"]
    entries = app.set_log.entries(LogFilter(kinds=("release",), tossups=("b",)))
    assert [entry.text for entry in entries] == [
        "1 tossup withdrawn in Winter Open 1.1: Wrong.", "2 tossups released in Winter Open 1.0",
    ]  # fmt: skip


@pytest.mark.logs("the release")
def test_a_damaged_record_of_a_release_is_left_out(app):
    app.store.put_item("release", "x", '{"at_ms": "never"}')
    assert app.set_log.releases() == ()
