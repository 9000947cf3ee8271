"""A tossup of a set that was edited in two places is one question of an experiment, and one history."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import PutInSet
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.services.wiring import App
from tests.experiments.test_effort import VERSIONS, rows, save
from tests.services.test_branches import write

ONE_LEFT_OUT = {"another branch of a tossup that is here already": 1}


@pytest.fixture
def branched(app, tmp_path):
    """A program with two tossups in the set Spring, of which one has two branches."""
    app.profile.set_profile("Ada", "")
    for key in ("t1", "t2"):
        save(app, VERSIONS, (True, True, False, False), key=key)
    app.store.add_events([Event.new(key, 1, "ada", PutInSet("Spring")) for key in ("t1", "t2")])
    app.transfer.pack(tmp_path / "all.qwpack")
    with App(tmp_path / "other") as other:
        other.profile.set_profile("Ben", "")
        other.transfer.merge([tmp_path / "all.qwpack"])
        write(other, "t1", f"{VERSIONS[-1]} She was Norwegian.")
        other.transfer.pack(tmp_path / "back.qwpack")
    write(app, "t1", f"Famously, {VERSIONS[-1]}")
    app.transfer.merge([tmp_path / "back.qwpack"])
    assert len(app.store.tossups_of_set("Spring")) == 3
    return app


@pytest.mark.parametrize("by", ["set", "selection"])
def test_the_questions_of_a_set_and_of_a_selection_have_one_row_a_tossup(branched, by):
    keys = tuple(key for key, _, _ in branched.store.tossups_of_set("Spring"))
    chosen = {"questions_from": "Spring"} if by == "set" else {"tossup_ids": keys}
    given = ExperimentInputs(branched, **chosen)

    assert len(given.questions) == 2
    assert given.left_out == ONE_LEFT_OUT


def test_what_the_branches_have_in_common_is_counted_once_as_effort(branched):
    given = ExperimentInputs(branched, questions_from="Spring")
    every = rows(run("effort", given))[0]

    assert every["tossups"] == 2
    assert given.left_out == ONE_LEFT_OUT
