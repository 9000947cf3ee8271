"""The control arm as an experiment: each arm with its number, its share and its interval."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Arm, ArmDrawn, PutInSet, Status, StatusSet
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.session import PendingSave

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))
EASY = "In this opera Pinkerton leaves Cio-Cio-San in Nagasaki, and she hears a humming chorus."
HARD = "Nothing here says what it is about, nor where, nor when."


def write(app, key, arm, text, *, later="", ready=True):
    change = Change(1, 1, Edit(0, "", text), "ada")
    app.store.save(PendingSave(key, text, BUTTERFLY, 0, 1, (change,), author="ada"))
    bodies = [PutInSet("Spring"), *([ArmDrawn("Spring", arm, 1)] if arm else [])]
    bodies += [StatusSet(Status.READY)] if ready else []
    app.store.add_events([Event.new(key, 2, "ada", body) for body in bodies])
    if later:
        change = Change(2, 3, Edit(0, text, later), "ada")
        app.store.save(PendingSave(key, later, BUTTERFLY, 0, 3, (change,), author="ada"))


def test_the_arms_are_counted_as_the_tossups_were_when_first_ready(app):
    write(app, "a", Arm.SHOWN, HARD, later=EASY)  # it became easy when it was ready
    write(app, "b", Arm.SHOWN, EASY)
    write(app, "c", Arm.HIDDEN, EASY, later=HARD)
    write(app, "d", Arm.HIDDEN, EASY, ready=False)
    write(app, "e", None, HARD)
    report = run("arms", ExperimentInputs(app, "Spring"))

    shown, hidden = report.found.rows
    assert shown[:4] == ["ir", "machines in sight", 2, 2]
    assert hidden[:4] == ["ir", "machines hidden", 1, 1]
    assert isinstance(shown[4], Estimate)
    assert (shown[4].value, shown[4].number, hidden[4].value) == (0.5, 2, 0.0)
    assert shown[4].low > 0
    assert hidden[5] == 1
    assert dict(report.left_out) == {
        "a tossup that was drawn into no arm": 1,
        "a tossup whose machines are hidden until it is ready": 1,
    }
    assert "stumped by 1 of 2 tossups written with the machines in sight" in report.found.sentence


def test_one_arm_alone_is_refused_in_a_sentence(app):
    write(app, "a", Arm.SHOWN, EASY)
    with pytest.raises(QuizwriterError, match="not in both arms"):
        run("arms", ExperimentInputs(app, "Spring"))
