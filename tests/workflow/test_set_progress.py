"""Figures of sets and writers: hours without pauses, stumps, whose turn it is, review samples."""

from __future__ import annotations

import pytest

from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Status, StatusSet
from quizwriter.workflow.session import PendingSave
from quizwriter.workflow.set_progress import (
    PROGRESS_COLUMNS,
    SetProgress,
    progress_cells,
    progress_json,
    review_sample,
    sample_size,
    writing_ms,
)
from tests.helpers.made_queue import put


@pytest.mark.parametrize(
    ("number", "drawn"), [(0, 0), (1, 1), (2, 2), (3, 3), (10, 6), (50, 9), (100, 11), (1_000, 16)]
)
def test_the_size_of_a_sample_is_that_of_beat_the_ai(number, drawn):
    assert sample_size(number) == drawn


def test_a_sample_follows_from_the_seed_and_the_writer_alone():
    ids = [f"t{number}" for number in range(100)]
    drawn = review_sample(ids, "ada", 0)
    assert len(set(drawn)) == 11
    assert review_sample(reversed(ids), "ada", 0) == drawn
    assert review_sample(ids, "ben", 0) != drawn
    assert review_sample(ids, "ada", 1) != drawn


def test_pauses_are_no_writing():
    minute = 60_000
    assert writing_ms([]) == writing_ms([7]) == 0
    assert writing_ms([0, 2 * minute, 4 * minute]) == 4 * minute
    assert writing_ms([4 * minute, 0, 5 * minute]) == 5 * minute  # in any order
    assert writing_ms([0, minute, 61 * minute, 62 * minute]) == 2 * minute


@pytest.fixture
def app(four):
    return four


def test_writers_and_sets_are_counted(app):
    report = app.statistics.report()
    writers = {one.name: one for one in report.writers}
    assert {name: one.tossups for name, one in writers.items()} == {"Ada": 2, "Ben": 1, "unknown": 1}
    ada = writers["Ada"]
    assert ada.statuses == {Status.READY: 1, Status.REJECTED: 1}
    assert (ada.writers_turn, ada.editors_turn, ada.open_comments) == (0, 1, 0)
    assert (writers["Ben"].writers_turn, writers["Ben"].open_comments) == (1, 1)
    assert (ada.stumps["dan"].stumps, ada.stumps["dan"].tossups) == (1, 1)
    assert (ada.stumps["ir"].stumps, ada.stumps["ir"].share) == (0, 0.0)
    assert set(ada.sample) == {"a", "c"}
    assert (ada.accepted, ada.decided, ada.qualified) == (0, 1, False)  # one was rejected, the other waits
    assert [one.name for one in report.sets] == ["in no set", "Autumn", "Winter"]
    assert report.everything.tossups == 4
    assert len(progress_cells(ada)) == len(PROGRESS_COLUMNS)
    assert progress_json(ada)["stumps"]["dan"] == {"stumps": 1, "tossups": 1}


@pytest.mark.parametrize(
    ("accepted", "refused", "qualified", "said"),
    [
        (0, 0, None, "3"),
        (4, 1, True, "3: 4 of 5"),
        (3, 1, False, "3: 3 of 4 (< 80\N{NO-BREAK SPACE}%)"),
        (0, 1, False, "3: 0 of 1 (< 80\N{NO-BREAK SPACE}%)"),
    ],
)
def test_a_writer_qualifies_by_four_fifths_of_the_sample_that_was_decided_on(
    accepted, refused, qualified, said
):
    one = SetProgress(
        "Ada", 9, {}, 0.0, {}, 0, 0, 0, ("a", "b", "c"), accepted=accepted, decided=accepted + refused
    )
    assert one.qualified is qualified
    assert progress_cells(one)[PROGRESS_COLUMNS.index("To review")] == said
    assert progress_json(one)["qualified"] is qualified


def test_only_the_sets_that_are_wanted_are_counted(app):
    report = app.statistics.report(["Winter"])
    assert [one.name for one in report.writers] == ["Ada"]
    assert report.everything.tossups == 1


def test_hours_come_from_the_times_of_edits(app):
    put(app, "e", "Eel", "A", at_ms=1_000_000, bodies=[StatusSet(Status.READY)])
    text = "A"
    for number, at_ms in enumerate((1_060_000, 1_120_000, 9_000_000), start=2):
        change = Change(number, at_ms, Edit(len(text), "", "b"), "ada")
        text += "b"
        app.store.save(PendingSave("e", text, None, 0, at_ms, (change,), answered=False))
    ada = next(one for one in app.statistics.report().writers if one.name == "Ada")
    # two minutes on this tossup; the edits of Ada's other tossups are one second apart
    assert ada.hours == pytest.approx((120_000 + 2_000) / 3_600_000)
