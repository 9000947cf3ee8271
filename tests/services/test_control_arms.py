"""Control arms: drawn once and for good, played by nobody before the tossup is ready, and compared."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Arm, ArmDrawn, PutInSet, Status, StatusSet, TakenBack
from quizwriter.domain.review_state import fold_events
from quizwriter.errors import QuizwriterError
from quizwriter.services.control_arms import hidden_among
from quizwriter.services.wiring import App
from quizwriter.workflow.branches import Branch
from quizwriter.workflow.control_arm import drawn_arm, text_when_ready
from quizwriter.workflow.session import PendingSave


def write(app, key, *texts):
    before = ""
    for seq, text in enumerate(texts, start=1):
        change = Change(seq, seq, Edit(0, before, text), "ada")
        app.store.save(PendingSave(key, text, None, 0, seq, (change,), author="ada"))
        before = text


def arm_of(app, key):
    return app.store.review_of(key).arm


def test_the_coin_is_fair_and_the_same_everywhere():
    drawn = [drawn_arm(7, f"tossup {number}") for number in range(2_000)]

    assert 900 < drawn.count(Arm.HIDDEN) < 1_100
    assert drawn != [drawn_arm(8, f"tossup {number}") for number in range(2_000)]
    assert [drawn_arm(7, "a"), drawn_arm(7, "b"), drawn_arm(7, "c")] == [Arm.SHOWN, Arm.SHOWN, Arm.HIDDEN]


def test_a_set_draws_the_tossups_it_has_and_those_that_come(app):
    for key in ("a", "b"):
        write(app, key, f"Text {key}.")
    app.review.record(["a"], PutInSet("Spring"))
    events = app.control_arms.start("Spring", seed=5)
    assert [event.body for event in events] == [ArmDrawn("Spring", drawn_arm(5, "a"), 5)]
    assert app.control_arms.start("Spring", seed=6) == ()  # the seed stays
    assert app.control_arms.seed("Spring") == 5

    app.review.record(["b"], PutInSet("Spring"))
    assert arm_of(app, "b") is drawn_arm(5, "b")
    key = app.control_arms.begin("Spring")
    assert arm_of(app, key) is drawn_arm(5, key)
    assert sum(app.control_arms.sizes("Spring").values()) == 3


def branched(app, key, *, played=False):
    """A tossup of Spring in six branches, the last of which a player may have ``played``."""
    write(app, key, f"Text {key}.")
    app.review.record([key], PutInSet("Spring"))
    (base,) = app.store.branches([key])
    made = []
    for number in range(6):
        changes = (*base.changes, Change(2, 2 + number, Edit(0, "", f"{number} "), "ben"))
        games = [(2, 9, "ir", "", 3, None, None, None, None, "[]")] if played and number == 5 else []
        made.append(Branch.of(key, base.created_ms, changes, (), games, base.events))
    app.store.merge(made, ())


def test_all_branches_of_a_tossup_are_in_one_arm_and_none_once_one_was_played(app):
    branched(app, "a")
    branched(app, "b", played=True)
    drawn = app.control_arms.start("Spring", seed=5)

    assert len(app.store.tossups_of_set("Spring")) == 12
    assert [event.body for event in drawn] == [ArmDrawn("Spring", drawn_arm(5, "a"), 5)] * 6
    assert app.control_arms.sizes("Spring") == {Arm.HIDDEN: 0, Arm.SHOWN: 1, None: 1}


def test_nobody_leaves_an_arm(app):
    write(app, "a", "Text.")
    app.review.record(["a"], PutInSet("Spring"))
    (drawn,) = app.control_arms.start("Spring", seed=5)
    arm = arm_of(app, "a")
    app.review.take_back([drawn])
    app.review.record(["a"], PutInSet("Autumn"))
    app.control_arms.start("Autumn", seed=6)
    app.store.add_events([Event.new("a", 99, "ada", ArmDrawn("Autumn", Arm.SHOWN, 1))])

    assert arm_of(app, "a") is arm
    copy = app.tossups.duplicate("a")
    assert arm_of(app, copy) is arm


def test_what_was_shown_or_comes_from_elsewhere_is_not_drawn(app, tmp_path):
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"text": "A lake in the north of Asia is deep.", "answer": "a lake"}\n')
    (key,) = app.transfer.import_files([questions], set_name="Spring").added
    assert app.control_arms.start("Spring") == ()
    assert arm_of(app, key) is None


def test_a_hidden_tossup_is_hidden_until_it_first_leaves_the_draft():
    drawn = Event("e1", "t", 1, "ada", ArmDrawn("Spring", Arm.HIDDEN, 5))
    ready = Event("e2", "t", 2, "ada", StatusSet(Status.READY))
    back = Event("e3", "t", 3, "ada", TakenBack(("e2",)))

    assert fold_events([drawn]).hides_machines
    assert not fold_events([drawn, ready]).hides_machines
    assert not fold_events([drawn, ready, back]).hides_machines  # it was seen
    shown = replace(drawn, body=ArmDrawn("Spring", Arm.SHOWN, 5))
    assert not fold_events([shown]).hides_machines


def test_the_text_that_counts_is_that_of_the_first_ready(app):
    write(app, "a", "One.", "One. Two.", "One. Two. Three.")
    ready = Event("e", "a", 2, "ada", StatusSet(Status.READY), seq=2, after="x")
    review = fold_events([ready])

    assert text_when_ready(app.store.history("a"), review) == "One. Two."
    assert text_when_ready(app.store.history("a"), fold_events([])) is None


def test_a_hidden_tossup_is_not_played_with_all_others(app):
    for key in ("a", "b"):
        write(app, key, "This opera has a humming chorus and a sailor.")
    app.store.add_events([Event.new("a", 9, "ada", ArmDrawn("Spring", Arm.HIDDEN, 5))])

    assert hidden_among(app.store, ["a", "b"]) == {"a"}
    app.review.set_status(["a"], Status.READY)
    assert hidden_among(app.store, ["a", "b"]) == frozenset()


def test_a_set_without_a_name_or_an_arm_is_refused(app):
    with pytest.raises(QuizwriterError, match="no set"):
        app.control_arms.start("")
    with pytest.raises(QuizwriterError, match="no control arm"):
        app.control_arms.begin("Spring")


def test_the_arm_of_a_set_is_known_where_one_of_its_tossups_came_in_a_pack(app, tmp_path):
    write(app, "a", "Text.")
    app.review.record(["a"], PutInSet("Spring"))
    app.control_arms.start("Spring", seed=5)
    app.transfer.pack(tmp_path / "a.qwpack")
    with App(tmp_path / "other") as other:
        other.transfer.merge([tmp_path / "a.qwpack"])
        assert other.control_arms.seed("Spring") == 5
        assert arm_of(other, "a") is arm_of(app, "a")
