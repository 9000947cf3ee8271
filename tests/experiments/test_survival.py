"""What retraining said of tossups of the database is kept with day and bundle, for the text as it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.page import Page
from quizwriter.domain.review import PutInSet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.experiments import retraining
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.retraining import keep_survival
from quizwriter.experiments.runner import run
from quizwriter.experiments.training_plans import stratified_folds
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))
TEXT = "Zorblatt quexes a grommished frindle. This thing has a zwimp. For 10 points, name this thing."


@pytest.fixture
def app(tmp_path, starter):
    with App(tmp_path / "home", bundle=starter) as app:
        for at, key in enumerate(("a", "b", "c", "d"), start=1):
            text = TEXT if key in "ab" else f"Pinkerton leaves Cio-Cio-San in Nagasaki, {key}."
            app.store.save(PendingSave.begun(key, text, BUTTERFLY, at, "ada"))
            app.store.add_events([Event.new(key, at, "ada", PutInSet("Spring"))])
        yield app


def test_siblings_give_a_stump_away_and_that_is_kept(app):
    given = ExperimentInputs(app, "Spring", options={"folds": "4"})
    report = run("retrain", given)

    assert keep_survival(given, report, "22 November") == 4
    found = app.survival.of("a", Tossup(TEXT, BUTTERFLY))
    assert (found.before, found.after, found.learned, found.day) == (True, False, 3, "22 November")
    assert found.in_words.startswith("IR gets it after studying")
    assert app.survival.of("a", Tossup(f"{TEXT} More.", BUTTERFLY)) is None
    assert app.survival.of("nobody", Tossup(TEXT, BUTTERFLY)) is None
    told = {row.tossup_id: row.survival for row in app.queue.rows(["a", "c"])}
    assert told == {"a": found.in_words, "c": ""}  # IR gets c anyway
    with closing(sqlite3.connect(app.store.path, isolation_level=None)) as other:
        other.execute("update tossup set text = cast(x'ff' as text) where id = 'b'")
    assert {row.tossup_id for row in app.queue.rows(["a", "b"])} >= {"a"}
    without = ExperimentInputs(app, "Spring")
    assert [one.key for one in without.questions] == ["a", "c", "d"]
    assert without.left_out == {"a tossup that is damaged or no longer there": 1}
    app.store.put_item("survives learning", "a", "[]")
    assert app.survival.of("a", Tossup(TEXT, BUTTERFLY)) is None


def test_every_fold_has_its_share_of_every_category():
    categories = ["History"] * 20 + ["Science"] * 10 + ["Trash"] * 3
    folds = stratified_folds(categories, 5, np.random.default_rng(1))

    by_category = [
        [int(((folds == fold) & (np.array(categories) == one)).sum()) for fold in range(5)]
        for one in ("History", "Science", "Trash")
    ]
    assert by_category[:2] == [[4] * 5, [2] * 5]
    assert sum(by_category[2]) == 3
    assert max(by_category[2]) == 1
    assert (folds != stratified_folds(categories, 5, np.random.default_rng(2))).any()


def test_the_more_of_a_set_is_learned_the_more_of_its_stumps_are_given_away(app, monkeypatch):
    monkeypatch.setattr(retraining, "SIZES", (25, 100))
    report = run("retrain", ExperimentInputs(app, "Spring", options={"folds": "4", "plan": "sizes"}))

    rows = report.found.rows
    assert [row[1] for row in rows] == ["nothing", "25 %", "100 %"]
    right = [row[6].value for row in rows]
    assert right[0] == 0.5  # a and b are of nonsense
    assert right[-1] == 1.0  # each is given away by the other
    assert rows[0][7] is None
    assert rows[-1][7].value == pytest.approx(0.5)
