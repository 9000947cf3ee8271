"""The state of a set: each number beside its recount from the events, by code that shares nothing with it."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.review import (
    Commented,
    Consent,
    ConsentGiven,
    RoomsRecorded,
    Status,
    StatusSet,
)
from quizwriter.domain.tossup import Answer
from quizwriter.services.known_people import OUTSIDE
from quizwriter.services.wiring import App
from quizwriter.workflow.session import AnswerChange
from tests.services.test_known_people import packet


@pytest.fixture
def app(tmp_path):
    made = App(tmp_path / "home")
    made.profile.set_profile("Ada Example", "")
    tags = ("AE, Science", "AE, Arts", "Ben, Science", "Cy, Arts", "")
    writers = {"ae": made.profile.me.id, "cy": OUTSIDE}
    made.transfer.import_files([packet(tmp_path / "p.txt", *tags)], set_name="Spring", writers=writers)
    made.transfer.import_files([packet(tmp_path / "q.txt", "")], set_name="Other")
    yield made
    made.store.close()


def numbers(lines):
    return {(one.group, one.title): len(one.tossups) for one in lines}


def test_each_number_is_that_of_a_recount(app):
    spring = [one.tossup_id for one in app.store.release_states() if one.set_name == "Spring"]

    def say(key, *bodies):
        at_ms, me = 1_950_000_000_000, app.profile.me.id
        app.store.add_events([Event.new(key, at_ms + at, me, body) for at, body in enumerate(bodies)])

    # Ids are drawn, so the order by id differs from run to run; mine[2] is to have a category.
    categories = {key: app.store.review_of(key).category for key in spring}
    mine = [key for key in spring if app.store.review_of(key).writer == app.profile.me.id]
    mine.sort(key=lambda key: bool(categories[key]))
    say(mine[0], ConsentGiven(Consent.YES), StatusSet(Status.READY))
    say(mine[1], ConsentGiven(Consent.NO), Commented("Is it?"), StatusSet(Status.ACCEPTED))
    say(mine[2], RoomsRecorded("room.json", 9, ("a",), (4,)))
    theirs = next(key for key in spring if key not in mine)
    say(theirs, RoomsRecorded("room.json", 9, ("a",), (0,)))

    found = app.statistics.state(["Spring"])
    events = {key: app.store.events(key) for key in spring}
    statuses = {
        key: [one.body.status for one in said if isinstance(one.body, StatusSet)]
        for key, said in events.items()
    }
    assert numbers(found) == {
        ("Written", "Tossups"): len(spring),
        ("Written", "Draft"): sum(not one for one in statuses.values()),
        ("Written", "Ready"): 1,
        ("Written", "Accepted"): 1,
        ("Waiting for", "Ada Example"): 1,
        ("Waiting for", "Ben"): 1,
        ("Waiting for", "Cy"): 1,
        ("Waiting for", "an editor"): 1,
        ("Waiting for", "an answer to a comment"): 1,
        ("Consents", "Yes, signed by the writer"): 1,
        ("Consents", "Yes, not signed"): 0,
        ("Consents", "Yes, recorded by somebody else"): 0,
        ("Consents", "Not asked"): 3,
        ("Consents", "No"): 1,
        ("Consents", "Do not release"): 0,
        ("To be decided", "Whose it is"): 1,  # Ben's: Cy uses no QuizWriter
        ("Machines", "Not played as it is now"): 5,
        ("People", "Played by people"): 2,
        ("People", "Answered by people"): 1,
        **Counter(("People, by category", categories[key][0]) for key in (mine[2], theirs)),
    }
    waits = next(one for one in found if one.title == "an editor")
    assert (waits.tossups, waits.since_ms) == ((mine[0],), 1_950_000_000_001)
    assert sum(len(one.tossups) for one in found if one.group == "Consents") == len(spring)
    assert len(app.statistics.state()[0].tossups) == 6
    (whole,) = app.store.branches([mine[1]])
    other = AnswerChange(len(whole.changes), 1_950_000_100_000, Answer("Another"), "ben")
    app.store.merge([replace(whole, answers=(*whole.answers, other))])
    decided = [one for one in app.statistics.state(["Spring"]) if one.group == "To be decided"]
    assert numbers(decided)["To be decided", "Changed after they were accepted"] == 1


def test_the_command_prints_the_state(app, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUIZWRITER_HOME", str(app.home))
    assert main(["figures", "--in-set", "Spring"]) == 0
    said = capsys.readouterr().out
    assert "Waiting for" in said
    assert "Yes, signed by the writer" in said
