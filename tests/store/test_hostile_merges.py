"""Merges of what somebody made to do harm, or while others write: nothing here is changed but by addition."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from contextlib import closing

import pytest
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Commented, PutInSet, Status, StatusSet
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.formats.archive import Pack
from quizwriter.services.wiring import App
from quizwriter.store import database, merging
from quizwriter.store.merging import MergeOutcome
from quizwriter.store.store import Store
from quizwriter.system.moments import AHEAD_MS, LATEST_MS
from quizwriter.workflow.branches import Branch
from quizwriter.workflow.session import WritingSession
from tests.helpers.database import connected, select
from tests.helpers.hostile_packs import edit_row, forks, tossup_row, write_rows
from tests.helpers.processor_time import seconds


@pytest.fixture
def store(tmp_path):
    with closing(Store(tmp_path / "here.db")) as opened:
        yield opened


def typed(store, key, text):
    """Type ``text`` as the writer does, in the tossup ``key``."""
    try:
        kept = store.load(key)
        session = WritingSession(key, kept.tossup, seq=kept.seq, head=kept.head, author="writer")
    except QuizwriterError:
        session = WritingSession(key, author="writer")
    session.type(text)
    store.save(session.take_unsaved())


def branch(root, text, at_ms=1, author="mallory", **parts):
    return Branch.of(root, at_ms, [Change(1, at_ms, Edit(0, "", text), author)] if text else [], **parts)


def everything(store):
    return {
        name: select(store, f"select * from {name} order by 1, 2") for name in ("tossup", "edit", "event")
    }


# -- nobody's branch is changed


def test_a_pack_that_aims_at_the_id_of_a_branch_takes_nothing_away(store, tmp_path):
    """The second tossup has the id that the writer's branch would get when the first takes its place."""
    typed(store, "mine", "A colony of kings")
    (head,) = [head for (head,) in select(store, "select head from tossup")]
    aimed = hashlib.sha256(f"branch mine {head}".encode()).hexdigest()[:32]
    fork = tossup_row("mine", "Ha", [edit_row(0, "", "Ha", 0)])
    path = write_rows(tmp_path / "a.qwpack", [fork, tossup_row(aimed, "", [])])

    store.merge(Pack(path).branches())

    assert store.load("mine").tossup.text == "A colony of kings"
    assert store.check() == ()
    typed(store, "mine", "A colony of kings and queens")
    assert store.load("mine").tossup.text == "A colony of kings and queens"
    assert store.check() == ()


def test_a_tossup_with_the_id_of_a_branch_is_refused(store, tmp_path):
    typed(store, "mine", "A colony of kings")
    store.merge([branch("mine", "of queens")])
    (other,) = store.sibling_branches("mine")
    before = everything(store)
    path = write_rows(tmp_path / "b.qwpack", [tossup_row(other, "Ha", [edit_row(0, "", "Ha")])])

    with pytest.raises(QuizwriterError, match="a branch of another tossup has this id"):
        store.merge(Pack(path).branches())
    assert everything(store) == before


def test_a_branch_gets_another_id_where_a_tossup_took_it_in_advance(store):
    mine, forked = branch("mine", "one"), branch("mine", "two")
    aimed = hashlib.sha256(f"branch mine {forked.head}".encode()).hexdigest()[:32]
    store.merge([mine])
    store.merge([branch(aimed, "squatter")])
    store.merge([forked])

    (other,) = store.sibling_branches("mine")
    assert other != aimed
    assert [store.load(key).tossup.text for key in ("mine", other, aimed)] == ["one", "two", "squatter"]
    assert store.check() == ()


def test_branches_beyond_the_limit_are_left_out_and_the_writers_own_goes_on(store, monkeypatch):
    monkeypatch.setattr(merging, "MOST_BRANCHES", 3)
    typed(store, "mine", "one")
    (own,) = store.branches(["mine"])
    report = store.merge([branch("mine", f"fork {number}") for number in range(5)])

    assert report.left_out == 3
    assert len(store.sibling_branches("mine")) == 2
    longer = [*own.changes, Change(2, 9, Edit(3, "", " more"), "editor")]
    assert store.merge([Branch.of("mine", own.created_ms, longer)]).left_out == 0
    assert store.load("mine").tossup.text == "one more"
    assert store.merge([branch("mine", "yet another")]).left_out == 1
    assert store.check() == ()


def test_branches_that_would_repeat_very_many_rows_are_left_out(store, monkeypatch):
    monkeypatch.setattr(merging, "MOST_ROWS", 100)
    games = [(0, at, "ir", "d", 1, None, None, None, None, "[]") for at in range(40)]
    report = store.merge([branch("mine", f"fork {number}", games=games) for number in range(5)])

    assert report.left_out == 3
    assert len(select(store, "select id from tossup")) == 2


def test_a_hundred_branches_are_merged_within_seconds(store, tmp_path):
    path = write_rows(tmp_path / "forks.qwpack", forks(100))

    assert seconds(lambda: store.merge(Pack(path).branches()), 5) < 5
    assert len(store.sibling_branches("forked")) == 99
    assert store.check() == ()


# -- dates


def test_an_event_far_in_the_future_does_not_date_those_after_it(store):
    """As older programs took it: new events must be dated so that others take them."""
    typed(store, "mine", "one")
    store.merge([Branch.of("mine", 1, [], events=[Event("e", "mine", LATEST_MS, "m", PutInSet("Evil"))])])
    now = int(time.time() * 1_000)
    (made,) = store.add_events([Event.new("mine", now, "writer", Commented("Hm."))])
    session = WritingSession("mine", store.load("mine").tossup, seq=1, clock=lambda: now, author="writer")
    session.set_answer(Answer("Ants"))
    store.save(session.take_unsaved())

    assert made.at_ms == now
    assert all(one.at_ms < now + AHEAD_MS for one in store.answers("mine"))


def test_what_follows_a_clock_that_is_years_ahead_is_later_all_the_same(store):
    typed(store, "mine", "one")
    now = int(time.time() * 1_000)
    ahead = Event("e", "mine", now + AHEAD_MS // 2, "m", StatusSet(Status.REJECTED))
    store.merge([Branch.of("mine", 1, [], events=[ahead])])
    store.add_events([Event.new("mine", now, "writer", StatusSet(Status.DRAFT))])

    assert fold_events(store.events("mine")).status is Status.DRAFT


def test_a_database_with_dates_beyond_the_calendar_is_listed_queued_and_told(tmp_path):
    app = App(tmp_path)
    typed(app.store, "mine", "A colony of kings")
    with connected(app.store) as db:
        for table in ("edit", "event", "asked"):
            db.execute(f"update {table} set at_ms = {2**53}")
        db.execute(f"update tossup set changed_ms = {2**53}, created_ms = {2**53}")
        db.execute(f"update listed set changed_ms = {2**53}, status_ms = {2**53}")

    assert app.transfer.history_json("mine")["edits"][0]["at"].startswith("9999-12-31")
    assert [one.tossup_id for one in app.store.tossups()] == ["mine"]
    typed(app.store, "mine", "A colony of ants")
    assert app.store.load("mine").tossup.text == "A colony of ants"
    app.store.close()


# -- while others write


def test_what_is_known_already_needs_no_lock(store, monkeypatch):
    monkeypatch.setattr(database, "BUSY_MS", 50)
    known = branch("mine", "one", events=[Event("e", "mine", 1, "m", PutInSet("Open"))])
    store.merge([known])
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("begin immediate")

        assert store.merge([known]).outcomes == {"mine": MergeOutcome.UNCHANGED}
        with pytest.raises(QuizwriterError, match="locked"):
            store.merge([branch("mine", "two")])


def test_reading_does_not_wait_for_writing(store):
    typed(store, "mine", "one")
    with store._database.transaction():
        assert store.load("mine").tossup.text == "one"


def test_what_is_written_while_a_merge_is_planned_is_kept(store):
    typed(store, "mine", "one")
    typed(store, "yours", "two")
    (mine,) = store.branches(["mine"])
    other = Event("other", "mine", 5, "m", PutInSet("Open"))
    longer = Branch.of(
        "mine", mine.created_ms, [*mine.changes, Change(2, 9, Edit(3, "", "!"), "editor")], events=[other]
    )

    def arriving():
        yield longer
        typed(store, "mine", "one and more")  # it diverges now
        store.add_events([Event.new("mine", 7, "writer", Commented("Mine."))])
        yield branch("third", "three")

    store.merge(arriving())

    (fork,) = store.sibling_branches("mine")
    assert store.load("mine").tossup.text == "one and more"
    assert store.load(fork).tossup.text == "one!"
    assert {type(one.body) for one in store.events("mine")} == {Commented, PutInSet}
    assert store.load("third").tossup.text == "three"
    assert store.check() == ()


def test_events_that_come_while_a_merge_is_planned_belong_to_all_branches(store):
    typed(store, "mine", "one")

    def arriving():
        yield Branch.of("mine", 1, [], events=[Event("e", "mine", 5, "m", PutInSet("Open"))])
        typed(store, "mine", "one and more")

    store.merge(arriving())

    assert fold_events(store.events("mine")).set_name == "Open"
    assert select(store, "select set_name from listed") == [("Open",)]


def test_four_merges_at_once_all_succeed(tmp_path):
    path = tmp_path / "shared.db"
    stores = [Store(path) for _ in range(4)]
    troubles = []

    def merge(number):
        try:
            stores[number].merge([branch(f"{number}-{at}", "text") for at in range(30)])
        except BaseException as trouble:
            troubles.append(trouble)
            raise

    threads = [threading.Thread(target=merge, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not troubles
    assert len(stores[0].tossups()) == 120
    assert stores[0].check() == ()
    for store in stores:
        store.close()


@pytest.mark.parametrize("checks", range(0, 11, 2))
def test_a_merge_that_is_cancelled_takes_nothing(tmp_path, checks):
    """In each of its parts: while a pack is read, decoded and written; the tenth check is before the lock."""
    path = write_rows(tmp_path / "a.qwpack", [tossup_row(f"t{number}", "", []) for number in range(3)])
    app = App(tmp_path / "home")

    if checks < 10:
        with pytest.raises(Cancelled):
            app.transfer.merge([path], cancellation=_CancelledAfter(checks))
    else:
        app.transfer.merge([path], cancellation=_CancelledAfter(checks))
    assert len(app.store.release_states()) == (3 if checks >= 10 else 0)
    app.store.close()


class _CancelledAfter(Cancellation):
    """A token that is cancelled when it was checked so many times."""

    def __init__(self, checks):
        super().__init__()
        self._checks = checks

    def check(self):
        self._checks -= 1
        if self._checks < 0:
            self.cancel()
        super().check()


def test_waiting_for_a_lock_can_be_cancelled(store):
    cancellation = Cancellation()
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("begin immediate")
        timer = threading.Timer(0.2, cancellation.cancel)
        timer.start()

        with pytest.raises(Cancelled):
            store.merge([branch("mine", "one")], cancellation=cancellation)
        timer.join()
    assert store.tossups() == ()


def test_a_pack_whose_writing_is_cancelled_is_not_there(tmp_path):
    app = App(tmp_path / "home")
    for number in range(5):
        typed(app.store, f"t{number}", "text")

    with pytest.raises(Cancelled):
        app.transfer.pack(tmp_path / "all.qwpack", cancellation=_CancelledAfter(3))
    assert list(tmp_path.glob("*qwpack*")) == []
    app.store.close()


def test_a_branch_with_only_other_events_is_not_written_again(store):
    typed(store, "mine", "one")
    (mine,) = store.branches(["mine"])
    before = select(store, "select rowid, * from asked")
    said = replace(mine, events=(Event("e", "mine", 5, "m", PutInSet("Open")),))

    assert store.merge([said]).outcomes == {"mine": MergeOutcome.UPDATED}
    assert select(store, "select rowid, * from asked") == before
    assert store.merge([said]).outcomes == {"mine": MergeOutcome.UNCHANGED}
