"""Undecided names in the state of a set: each is one of the export's own, and leads to its tossups."""

import pytest

from quizwriter.challenge.name_decisions import decide_names
from quizwriter.challenge.set_names import state_with_names, undecided_names
from quizwriter.domain.review import NameVerdict, Person
from quizwriter.domain.tossup import Answer
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave

GROUP, TITLE = "To be decided", "Whether a name is a writer's"


@pytest.fixture
def app(tmp_path):
    app = App(tmp_path)
    app.profile.set_profile("Ada Example", "")
    yield app
    app.store.close()


def put(app, key, text, line="Baikal"):
    app.store.save(PendingSave.begun(key, text, Answer(line), 1))


def named(app):
    """The tossups behind the number; None where there is no such line."""
    return next(
        (one.tossups for one in state_with_names(app) if (one.group, one.title) == (GROUP, TITLE)), None
    )


def test_a_name_counts_until_it_is_decided_on(app):
    app.store.save_person(Person("jordan", "Jordan Schwartzmann"))
    put(app, "plain", "This lake holds a fifth of the fresh water.")
    assert named(app) is None

    put(app, "text", "This lake was first measured by Jordan Schwartzmann in 1931.")
    put(app, "line", "This lake is deep.", line="Baikal [Jordan Schwartzmann: accept nothing else]")
    assert sorted(named(app)) == ["line", "text"]

    decide_names(
        app, {"Jordan Schwartzmann": NameVerdict.ANOTHER_PERSON}, undecided_names(app, named(app)), ()
    )
    assert named(app) is None
