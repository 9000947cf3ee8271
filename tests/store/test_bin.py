"""The bin: what it hides from whom, what brings a tossup back, and what emptying it removes and keeps."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Binned, PutInSet, Status, StatusSet, TakenBack
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.signatures import Authenticity
from quizwriter.store.backups import BackupReason
from quizwriter.store.store import Store
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.session import PendingSave

ANY = QueueFilter(), QueueSort()


def saving(key, text="A lake in Siberia.", author="ada", at_ms=1):
    return PendingSave.begun(key, text, None, at_ms, author)


def open_store(path, owner):
    return Store(path, owner=lambda: owner)


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "ada.db", "ada")
    store.save(saving("t"))
    store.save(saving("u", "A river in Brazil.", at_ms=2))
    yield store
    store.close()


def throw(store, key, who="ada", binned=True):
    return store.add_events([Event.new(key, 10, who, Binned(binned))])


def listed(store, **which):
    return [one.tossup_id for one in store.tossups(**which)]


def test_a_tossup_in_the_bin_is_in_no_list_and_can_come_back(store):
    store.add_events([Event.new("t", 3, "ada", PutInSet("Spring", "Packet 1"))])
    assert (store.sets(), store.packets("Spring")) == (("", "Spring"), ("Packet 1",))

    throw(store, "t")
    assert (listed(store), listed(store, binned=True)) == (["u"], ["t"])
    assert store.queue(*ANY) == ("u",)
    assert (store.last(), store.sets(), dict(store.facets().sets)) == ("u", ("",), {"": 1})
    assert store.tossups_of_set("Spring") == ()
    assert store.packets("Spring") == ()
    (away,) = store.tossups(binned=True)
    assert (away.set_name, away.packet, away.status, away.binned_ms > 0) == (
        "Spring",
        "Packet 1",
        "draft",
        True,
    )

    throw(store, "t", binned=False)
    assert set(listed(store)) == {"t", "u"}
    assert listed(store, binned=True) == []


def test_taking_the_event_back_takes_the_tossup_out_of_the_bin(store):
    (event,) = throw(store, "t")
    store.add_events([Event.new("t", 11, "ada", TakenBack((event.id,)))])
    assert "t" in listed(store)


def test_an_edit_brings_a_tossup_back(store):
    throw(store, "t")
    added = Edit(18, "", " It freezes.")
    store.save(
        PendingSave("t", "A lake in Siberia. It freezes.", None, 0, 20, (Change(2, 20, added, "ben"),))
    )
    assert "t" in listed(store)


def test_an_accepted_tossup_is_in_no_bin(store):
    throw(store, "t")
    store.add_events([Event.new("t", 12, "eva", StatusSet(Status.ACCEPTED))])
    assert "t" in listed(store)


def test_everybody_decides_for_the_own_lists_but_a_writers_draft_is_gone_for_all(tmp_path, store):
    throw(store, "t")  # Ada's own draft
    ben = open_store(tmp_path / "ben.db", "ben")
    ben.merge(store.branches(["t", "u"]), ())
    assert (listed(ben), listed(ben, binned=True)) == (["u"], ["t"])

    throw(ben, "t", "ben", binned=False)  # Ben wants to see it all the same
    throw(ben, "u", "ben")  # and does not want to see Ada's other one
    assert (listed(ben), listed(ben, binned=True)) == (["t"], ["u"])

    store.merge(ben.branches(["t", "u"]), ())
    assert (listed(store), listed(store, binned=True)) == (["u"], ["t"])
    ben.close()


def test_the_writer_does_not_take_from_an_editor_what_is_handed_in(tmp_path, store):
    store.add_events([Event.new("t", 5, "ada", StatusSet(Status.READY))])
    throw(store, "t")
    eva = open_store(tmp_path / "eva.db", "eva")
    eva.merge(store.branches(["t"]), ())
    assert (listed(eva), listed(store)) == (["t"], ["u"])
    eva.close()


@pytest.mark.parametrize("doubt", [Authenticity.UNCONFIRMED, Authenticity.OTHER_KEY])
def test_nobody_throws_away_a_tossup_in_anothers_name(doubt):
    sure = Event("e", "t", 1, "ada", Binned(), 1)
    forged = Event("e", "t", 1, "ada", Binned(), 1, authenticity=doubt)
    assert fold_events([sure], "ada").bins(1, "ada") == {"ada": 1, "": 1}
    assert fold_events([forged], "ada").bins(1, "ada") == {}


def test_emptying_removes_what_is_in_the_bin_and_keeps_a_backup(store):
    throw(store, "t")
    assert store.erase(["t", "u"]) == ("t",)  # the other one is not in the bin
    assert (listed(store), listed(store, binned=True), store.events("t")) == (["u"], [], ())
    assert store.check() == ()
    (backup,) = store.backups.all()
    assert backup.reason is BackupReason.EMPTIED
    assert set(store.backups.contents(backup.path).states) == {"t", "u"}


def test_what_was_removed_comes_back_with_a_pack_as_it_was(tmp_path, store):
    ben = open_store(tmp_path / "ben.db", "ben")
    ben.merge(store.branches(["t"]), ())
    throw(store, "t")
    store.erase(["t"])
    store.merge(ben.branches(["t"]), ())
    assert "t" in listed(store)
    ben.close()


def test_a_damaged_bin_hides_nothing(store):
    throw(store, "t")
    with store._database.transaction() as db:
        db.execute("update listed set bin = '{broken' where tossup = 't'")
    assert "t" in listed(store)
