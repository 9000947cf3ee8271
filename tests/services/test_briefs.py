"""The brief of a set: what is wanted, what is there, and a tossup begun for a line of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event, encode_body, first_pack_version
from quizwriter.domain.page import Page
from quizwriter.domain.review import (
    Arm,
    ArmDrawn,
    BegunFor,
    BriefChosen,
    BriefLine,
    Categorised,
    PutInSet,
    Status,
    StatusSet,
)
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.services.beat_goal import NO_BEAT_GOAL, BeatGoal, GoalCount
from quizwriter.services.wiring import App
from quizwriter.store.store import Store
from quizwriter.workflow.brief_lines import CountedTossup, brief_states, line_title, sound_lines
from quizwriter.workflow.session import PendingSave

PHYSICS = BriefLine(("Science", "Physics"), "a person", "hard", 2)
SCIENCE = BriefLine(("Science",), wanted=3)


@pytest.fixture
def app(app):
    for at, (key, levels) in enumerate(
        {"a": ("Science", "Physics"), "b": ("Science",), "c": ("History",)}.items(), start=1
    ):
        app.store.save(PendingSave.begun(key, f"Text {key}.", None, at, "ada"))
        app.store.add_events(
            [
                Event.new(key, at, "ada", PutInSet("Spring")),
                Event.new(key, at, "ada", Categorised(levels)),
            ]
        )
    return app


def counted(report):
    return [(state.line, state.there, state.missing) for state in report.states]


def test_a_tossup_counts_for_the_most_exact_line_that_fits():
    tossups = [
        CountedTossup(("Science", "Physics"), "A person", "hard"),
        CountedTossup(("Science", "Physics")),
        CountedTossup(("History",)),
    ]
    assert [state.there for state in brief_states([SCIENCE, PHYSICS], tossups)] == [1, 1]
    assert [state.missing for state in brief_states([SCIENCE, PHYSICS], tossups)] == [2, 1]
    assert [state.there for state in brief_states([BriefLine(wanted=9), SCIENCE], tossups)] == [1, 2]
    assert line_title(PHYSICS) == "Science / Physics, a person, hard"


def test_lines_from_outside_have_sound_sizes():
    wild = [BriefLine(("a" * 500, " ", "b", "c"), "x " * 300, "", 10**9), BriefLine(wanted=-3)] * 500
    found = sound_lines(wild)
    assert len(found) == 200
    assert found[0].wanted == 10_000
    assert (found[0].category[0], found[0].category[1]) == ("a" * 100, "b")


def test_a_set_without_a_brief_proposes_the_categories_that_it_has(app):
    report = app.briefs.report("Spring")
    assert report.proposed
    assert counted(report) == [
        (BriefLine(("History",), wanted=1), 1, 0),
        (BriefLine(("Science",), wanted=2), 2, 0),
    ]


def test_a_brief_is_kept_and_counts_what_is_there(app):
    app.briefs.choose("Spring", [PHYSICS, SCIENCE])
    assert counted(app.briefs.report("Spring")) == [(PHYSICS, 0, 2), (SCIENCE, 2, 1)]
    app.store.add_events([Event.new("a", 9, "ada", StatusSet(Status.REJECTED))])
    assert counted(app.briefs.report("Spring")) == [(PHYSICS, 0, 2), (SCIENCE, 1, 2)]


def test_a_tossup_begun_for_a_line_is_in_the_set_and_fills_the_line(app):
    app.briefs.choose("Spring", [PHYSICS])
    key = app.briefs.begin("Spring", PHYSICS)
    review = app.review.review_of(key)
    assert (review.set_name, review.category) == ("Spring", ("Science", "Physics"))
    assert review.begun_for == BegunFor("a person", "hard")
    assert app.store.load(key).tossup.text == ""
    assert counted(app.briefs.report("Spring")) == [(PHYSICS, 1, 1)]


def test_a_set_without_a_tossup_has_a_brief_and_it_goes_with_the_first(app):
    app.briefs.choose("Autumn", [SCIENCE])
    assert counted(app.briefs.report("Autumn")) == [(SCIENCE, 0, 3)]
    key = app.briefs.begin("Autumn", SCIENCE)
    assert app.review.review_of(key).briefs["Autumn"].lines == (SCIENCE,)


def test_a_brief_travels_with_the_tossups_and_the_newest_counts(app, tmp_path):
    app.briefs.choose("Spring", [PHYSICS])
    with App(tmp_path / "ben", database=tmp_path / "ben.db") as ben:
        assert isinstance(ben.store, Store)
        ben.store.merge(app.store.branches(["a"]), ())
        assert [state.line for state in ben.briefs.report("Spring").states] == [PHYSICS]
    later = BriefChosen("Spring", (SCIENCE,), 10**14)
    app.store.add_events([Event.new("c", 99, "eva", later)])
    assert [state.line for state in app.briefs.report("Spring").states] == [SCIENCE]
    app.briefs.choose("Spring", [PHYSICS])
    assert [state.line for state in app.briefs.report("Spring").states] == [PHYSICS], "eva's clock is ahead"


def test_a_goal_stays_with_the_set(app):
    goal = BeatGoal(("dan", "ir"), by_f1=True)
    before = app.briefs.report("Spring")
    app.briefs.choose("Spring", goal=goal)
    assert app.briefs.report("Spring") == replace(before, goal=goal), "its categories are proposed still"
    app.briefs.choose("Spring", [SCIENCE])
    assert not app.briefs.report("Spring").proposed
    assert app.briefs.goal("Spring") == app.briefs.report("Spring").goal == goal
    assert counted(app.briefs.report("Spring")) == [(SCIENCE, 2, 1)]
    assert app.briefs.goal("Autumn") == NO_BEAT_GOAL
    app.store.add_events([Event.new("c", 99, "eva", BriefChosen("Autumn", (), 1, ("rnn", "rnn")))])
    assert app.briefs.goal("Autumn") == NO_BEAT_GOAL, "no goal that can be chosen"


def test_only_games_that_are_kept_are_counted_unless_players_may_play(app, engine):
    ir = BeatGoal(("ir",))

    def count(goal=ir, **how):
        return app.briefs.count_goal("Spring", goal, engine.players, **how)

    assert count() == GoalCount(0, 0, unplayed=3)
    assert count(play=True) == count() == GoalCount(0, 0, unknown=3), "they have no answer"
    answer = Answer("Macbeth", Page("Macbeth"))
    app.store.save(PendingSave.begun("d", "A river of no renown.", answer, 5, "ada"))
    app.store.add_events([Event.new("d", 5, "ada", PutInSet("Spring"))])
    assert count() == GoalCount(0, 0, unknown=3, unplayed=1)
    assert count(play=True) == GoalCount(1, 1, unknown=3)
    for key, arm in (("b", Arm.SHOWN), ("d", Arm.HIDDEN)):
        app.store.add_events([Event.new(key, 6, "ada", ArmDrawn("Spring", arm, 1))])
    assert count(play=True) == GoalCount(0, 0, unknown=3, hidden=1)
    app.store.save(PendingSave.begun("e", "(*)", answer, 7, "ada"))
    app.store.add_events([Event.new("e", 7, "ada", PutInSet("Spring"))])
    assert count(play=True) == GoalCount(0, 0, unknown=3, hidden=1, wordless=1)
    assert count().sentence.endswith(" 1 with the machines hidden, 1 without a word.")
    missing = count(BeatGoal(("dan", "ir")))
    assert missing.sentence == "Nothing is counted: the bundle has no DAN."


def test_a_brief_without_a_goal_is_written_as_it_always_was():
    _, values = encode_body(BriefChosen("Spring", (), 3))
    assert values == {"name": "Spring", "lines": (), "at_ms": 3}
    assert first_pack_version(BriefChosen("Spring")) == 3
    assert first_pack_version(BriefChosen("Spring", beats=("dan",))) == 4


def test_a_damaged_brief_is_told(app):
    app.store.put_item("brief", "Spring", "[]")
    with pytest.raises(QuizwriterError, match="This set's brief"):
        app.briefs.report("Spring")
