"""Branches in the queue: one row for a tossup, its branches inside, and no change of many takes both."""

from __future__ import annotations

import pytest

from quizwriter.domain.review import Categorised, Status
from quizwriter.domain.tossup import Answer
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.queue.queue_window import QueueWindow
from quizwriter.services.wiring import App
from quizwriter.workflow.session import WritingSession


def edit(app, key, text):
    kept = app.store.load(key)
    session = WritingSession(key, kept.tossup, seq=kept.seq, author=app.profile.me.id, head=kept.head)
    session.type(text)
    app.store.save(session.take_unsaved())


@pytest.fixture
def branched(app, tmp_path):
    """The program of somebody with a tossup in two branches and another one; the ids of the branches."""
    for key, line in (("a" * 32, "lake"), ("b" * 32, "river")):
        session = WritingSession(key, author="ada")
        session.type(f"This {line} is in a story.")
        session.set_answer(Answer(line))
        app.store.save(session.take_unsaved())
    app.transfer.pack(tmp_path / "all.qwpack")
    other = App(tmp_path / "other")
    other.profile.set_profile("Ben Ortiz", "")
    other.transfer.merge([tmp_path / "all.qwpack"])
    edit(app, "a" * 32, "This lake is in a long story.")
    edit(other, "a" * 32, "This deep lake is in a story.")
    other.transfer.pack(tmp_path / "back.qwpack")
    other.store.close()
    app.transfer.merge([tmp_path / "back.qwpack"])
    roots = app.store.branch_roots()
    assert set(roots.values()) == {"a" * 32}
    return tuple(sorted(roots))


@pytest.fixture
def window(qtbot, theme, app, branched):
    saver = Saver(app.store.save)
    made = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    with qtbot.waitSignal(made.painted):
        made.present()
    yield made
    made.shutdown()
    saver.stop()
    qtbot.wait(1)


def answers(window):
    rows = (window.model.row(place) for place in range(window.model.rowCount()))
    return sorted(window.model.text(row, "answer", "") for row in rows)


def test_a_tossup_with_branches_is_one_row_that_opens(qtbot, window, branched):
    assert answers(window) == ["river", "▸ 2 branches: lake"]
    with qtbot.waitSignal(window.painted):
        window.open_branches("a" * 32)
    assert answers(window) == sorted(["river", "▾ 2 branches: lake", "      └ lake"])
    first = next(key for key in window.model.keys if key in branched)
    at = window.model.keys.index(first)
    assert set(window.model.keys[at : at + 2]) == set(branched)  # one behind the other
    with qtbot.waitSignal(window.tagging_requested) as asked:
        window.action_bar.tag_button.click()
    assert sorted(asked.args[0]) == sorted([first, "b" * 32]), "a tossup is tagged and printed once"
    with qtbot.waitSignal(window.painted):
        window.open_branches("a" * 32)
    assert answers(window) == ["river", "▸ 2 branches: lake"]


def test_no_change_of_many_takes_both_branches(qtbot, window, app, branched):
    window.table.selectAll()
    assert len(window.table.selected) == 2
    with qtbot.waitSignal(window.review_actions.changed):
        window.bulk.set_category(("Geography",))
    qtbot.waitUntil(lambda: bool(window.messages.text("review")))
    told = window.messages.text("review")
    assert "It has several branches, and all of them were chosen. Merge them with Review" in told
    assert "2 tossups" not in told  # its branches are one tossup
    assert app.store.review_of("b" * 32).category == ("Geography",)
    assert {app.store.review_of(key).category for key in branched} == {()}


def test_branches_are_counted_as_one_tossup_that_stays(qtbot, window, branched):
    window.table.selectAll()
    window.bulk.set_status(Status.WITHDRAWN)
    qtbot.waitUntil(lambda: window.review_actions.dialog is not None)
    dialog = window.review_actions.dialog
    qtbot.waitUntil(lambda: dialog.left.topLevelItemCount() > 0)
    assert dialog.heading.text() == "Withdraw: 2 tossups"
    (left,) = (dialog.left.topLevelItem(at) for at in range(dialog.left.topLevelItemCount()))
    assert (left.text(0), left.childCount()) == ("lake", 0)
    dialog.reject()


def test_one_branch_alone_is_changed(app, branched):
    assert app.review.record(branched[:1], Categorised(("Geography",))).refused == ()
    plan = app.review.plan_status([*branched, "b" * 32], Status.WITHDRAWN)
    assert {key: bool(one.hindrance) for key, one in plan.items()} == {
        branched[0]: True,
        branched[1]: True,
        "b" * 32: False,
    }
    done = app.review.set_status([*branched, "b" * 32], Status.WITHDRAWN, "No.")
    assert (done.changed, [len(one.tossups) for one in done.reasons]) == (("b" * 32,), [1])
