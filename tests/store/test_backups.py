"""Backups of the database: what they hold, which are kept, and how one is put back."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.events import Event
from quizwriter.domain.forgotten_names import ForgottenNames, ForgottenPerson
from quizwriter.domain.review import Binned, Consent, ConsentBasis, ConsentGiven, Person
from quizwriter.domain.span import Span
from quizwriter.domain.styles import TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store.backups import HALF_RESTORED, BackupReason, Backups
from quizwriter.store.database import COLUMNS
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.store.store import Store
from quizwriter.system.signing import SigningKey
from quizwriter.workflow.session import PendingSave, WritingSession
from tests.helpers.database import connected, select
from tests.helpers.fakes import fill as fill_disk
from tests.helpers.made_histories import fill
from tests.helpers.patience import PATIENCE_S

NOON = datetime(2031, 10, 4, 12, tzinfo=UTC)
BOLD = TextStyles.of_codes(bytes([1] * 4))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A database of six tossups, which is closed."""
    path = tmp_path_factory.mktemp("made") / "quizwriter.db"
    with closing(Store(path)) as store:
        fill(store, 6, seed=3)
    return path


@pytest.fixture
def store(tmp_path, made):
    (tmp_path / "home").mkdir()
    with closing(Store(shutil.copyfile(made, tmp_path / "home" / "quizwriter.db"))) as opened:
        yield opened


class Clock:
    """A clock that a test sets."""

    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        return self.now


def type_on(store, key, text="and more"):
    stored = store.load(key)
    session = WritingSession(key, stored.tossup, seq=stored.seq, head=stored.head)
    session.type(stored.tossup.text + text)
    store.save(session.take_unsaved())


def states(store):
    return {key: store.load(key).tossup.text for key in store.expand_branches()}


def test_a_backup_is_one_sound_file_with_everything(store, tmp_path):
    backup = store.backups.make(BackupReason.REQUESTED)

    assert store.backups.all() == (backup,)
    assert [path.name for path in backup.path.parent.iterdir()] == [backup.path.name]  # no log beside it
    shutil.copyfile(backup.path, tmp_path / "copy.db")
    copy = Store(tmp_path / "copy.db")
    assert copy.check() == ()
    assert states(copy) == states(store)
    for table in COLUMNS:
        assert select(copy, f"select * from {table}") == select(store, f"select * from {table}")
    copy.close()


def test_the_columns_that_are_looked_for_are_those_that_a_new_database_has(store):
    for table, columns in COLUMNS.items():
        assert [row[1] for row in select(store, f"pragma table_info({table})")] == columns.split()
    tables = {name for (name,) in select(store, "select name from sqlite_master where type = 'table'")}
    assert tables - {"_sqlite_migrations"} == set(COLUMNS)


def test_a_backup_holds_one_state_while_somebody_writes(store):
    keys = store.expand_branches()
    begun, steps = threading.Event(), []

    def write():
        begun.wait(PATIENCE_S)
        for _ in range(20):
            type_on(store, keys[0])

    writer = threading.Thread(target=write)
    writer.start()
    before = store.load(keys[0]).tossup.text

    def progress(done, total):
        steps.append((done, total))
        begun.set()
        writer.join(PATIENCE_S)  # everything is written while the copy is under way

    backup = store.backups.make(BackupReason.DAY, progress=progress)
    assert steps[-1][0] == steps[-1][1]
    assert store.load(keys[0]).tossup.text != before
    with sqlite3.connect(f"file:{backup.path}?mode=ro&immutable=1", uri=True) as db:
        assert db.execute("select text from tossup where id = ?", [keys[0]]).fetchone() == (before,)
    db.close()


def test_a_cancelled_backup_leaves_nothing(store):
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(Cancelled):
        store.backups.make(BackupReason.DAY, cancellation=cancellation)
    assert list(store.backups.folder.iterdir()) == []


def test_seven_days_and_four_weeks_are_kept_and_all_that_people_asked_for(store):
    clock = Clock(NOON - timedelta(days=40))
    backups = Backups(store.path, clock)
    for day in range(41):
        clock.now = NOON - timedelta(days=40 - day)
        assert backups.is_due()
        backups.make(BackupReason.DAY)
        assert not backups.is_due()
        if day in (3, 30):
            backups.make(BackupReason.REQUESTED)
        if day % 10 == 0:
            backups.make(BackupReason.UPDATE)

    by_reason = {
        reason: [(NOON - one.made).days for one in backups.all() if one.reason is reason]
        for reason in BackupReason
    }
    sundays = {NOON.isoweekday() + 7 * week for week in range(3)}  # this week has its day among the seven
    assert by_reason[BackupReason.DAY] == sorted({*range(7), *sundays})
    assert by_reason[BackupReason.REQUESTED] == [10, 37]
    assert by_reason[BackupReason.UPDATE] == [0, 10, 20]


def test_the_last_backup_of_a_day_stands_for_it(store):
    clock = Clock()
    backups = Backups(store.path, clock)
    for hour in range(3):
        clock.now = NOON + timedelta(hours=hour)
        backups.make(BackupReason.DAY)
    assert [one.made.hour for one in backups.all()] == [14]


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_that_was_wrong_keeps_no_backup_from_being_made(store, years):
    clock = Clock(NOON.replace(year=NOON.year + years))
    backups = Backups(store.path, clock)
    for _ in range(10):
        backups.make(BackupReason.DAY)
        clock.now += timedelta(days=1)
    clock.now = NOON
    made = backups.make(BackupReason.DAY)
    assert made.path in [one.path for one in backups.all()]
    clock.now += timedelta(days=1)
    assert backups.is_due()
    tomorrow = backups.make(BackupReason.DAY)
    assert {made.path, tomorrow.path} <= {one.path for one in backups.all()}


def test_old_backups_give_way_to_the_limit_of_space(store, monkeypatch):
    clock = Clock()
    backups = Backups(store.path, clock)
    monkeypatch.setattr("quizwriter.store.backups.LEAST_BYTES", 0)
    for day in range(6):
        clock.now = NOON + timedelta(days=day)
        made = backups.make(BackupReason.DAY)
    assert [one.made.day for one in backups.all()] == [9, 8, 7, 6]
    assert sum(one.size for one in backups.all()) <= 4 * made.size


def test_without_room_no_backup_is_made_and_one_sentence_says_so(store, monkeypatch):
    monkeypatch.setattr("quizwriter.store.backups.RESERVE_BYTES", 1 << 60)
    with pytest.raises(QuizwriterError, match=r"no room for a backup of your tossups: it takes .* are free"):
        store.backups.make(BackupReason.DAY)
    assert store.backups.all() == ()
    type_on(store, store.expand_branches()[0])


def test_a_disk_that_fills_up_meanwhile_leaves_no_half_backup(small_disk, monkeypatch):
    monkeypatch.setattr("quizwriter.store.backups.RESERVE_BYTES", -(1 << 60))
    store = Store(small_disk / "quizwriter.db")
    fill(store, 1, seed=3)
    fill_disk(small_disk / "filler")
    with pytest.raises(QuizwriterError, match=r"full|No space"):
        store.backups.make(BackupReason.DAY)
    assert not any(store.backups.folder.iterdir())
    (small_disk / "filler").unlink()
    assert store.check() == ()
    store.close()


def test_a_damaged_database_gets_no_backup_and_loses_none(store):
    clock = Clock()
    backups = Backups(store.path, clock)
    good = backups.make(BackupReason.DAY)
    store.close()
    raw = bytearray(store.path.read_bytes())
    raw[5 * 4096 : 6 * 4096] = b"\x55" * 4096
    store.path.write_bytes(raw)
    clock.now += timedelta(days=30)
    with pytest.raises(DamagedDatabaseError, match="so no backup of it was made"):
        backups.make(BackupReason.DAY)
    assert backups.all() == (good,)


def test_a_restored_backup_can_be_taken_back(store):
    keys = store.expand_branches()
    before = states(store)
    backup = store.backups.make(BackupReason.DAY)
    type_on(store, keys[0], " which came later")
    session = WritingSession("new")
    session.type("A tossup begun later")
    store.save(session.take_unsaved())
    after = states(store)

    aside = store.restore(backup.path)
    assert states(store) == before
    assert store.check() == ()
    type_on(store, keys[0])  # it is written to as before
    with connected(store) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)

    store.restore(aside)
    assert states(store) == after
    assert store.check() == ()


def test_what_the_writer_signs_counts_after_a_backup_that_is_older_than_the_key(tmp_path):
    key = SigningKey.generate("ada")
    with closing(Store(tmp_path / "quizwriter.db", lambda: key, owner=lambda: "ada")) as store:
        session = WritingSession("one", author="ada")
        session.type("A lake.")
        store.save(session.take_unsaved())
        old = store.backups.make(BackupReason.REQUESTED).path
        store.use_key(key, Person("ada", "Ada"))
        store.add_events([Event.new("one", 5, "ada", Binned(True))])
        new = store.backups.make(BackupReason.REQUESTED).path
        for path, binned in ((old, []), (new, ["one"])):
            store.restore(path)
            assert [one.tossup_id for one in store.tossups(binned=True)] == binned
        store.restore(old)
        store.add_events([Event.new("one", 6, "ada", Binned(True))])
        assert store.review_of("one").binned
        assert [one.tossup_id for one in store.tossups(binned=True)] == ["one"]


def test_what_a_backup_would_change_is_counted(store):
    keys = store.expand_branches()
    backup = store.backups.make(BackupReason.DAY)
    type_on(store, keys[0])
    then, now = store.backups.contents(backup.path), store.backups.contents()
    assert (then.tossups, now.tossups) == (6, 6)
    assert {key for key in keys if then.states[key] != now.states[key]} == {keys[0]}
    assert now.words > then.words > 0


def test_a_file_that_is_no_database_of_ours_is_not_restored(store, tmp_path):
    before = states(store)
    for content in (b"", b"no database", None):
        foreign = tmp_path / "foreign.db"
        if content is None:
            with sqlite3.connect(foreign) as db:
                db.execute("create table theirs (x)")
            db.close()
        else:
            foreign.write_bytes(content)
        if content == b"":
            continue  # an empty file is a new database
        with pytest.raises(QuizwriterError):
            store.restore(foreign)
        foreign.unlink()
    assert states(store) == before
    assert [path.name for path in store.path.parent.iterdir() if path.name.startswith(".")] == []


def test_other_files_in_the_folder_are_neither_listed_nor_deleted(store):
    backups = store.backups
    backups.folder.mkdir()
    names = ("notes.txt", "quizwriter-20319999T999999Z-day.db", "other-20310101T000000Z-day.db")
    for name in names:
        (backups.folder / name).write_text("mine")
    backups.make(BackupReason.DAY)
    assert len(backups.all()) == 1
    assert all((backups.folder / name).read_text() == "mine" for name in names)


def test_what_a_killed_program_left_half_made_is_gone_after_a_day(store):
    backups, home = store.backups, store.path.parent
    backups.folder.mkdir()
    for age, days in (("old", 2), ("new", 0)):
        half = backups.folder / f".quizwriter-{age}-update.db.new"
        restored = home / f"{HALF_RESTORED}{age}"
        restored.mkdir()
        for path in (half, half.with_name(f"{half.name}-journal"), restored / "half.db"):
            path.write_text("half")
        for path in (half, half.with_name(f"{half.name}-journal"), restored):
            os.utime(path, (time.time() - days * 86_400,) * 2)
    foreign = home / ".restore-photos"  # of another program
    foreign.mkdir()
    os.utime(foreign, (0, 0))

    backups.make(BackupReason.DAY)

    left = [
        path.name for path in chain(backups.folder.iterdir(), home.iterdir()) if path.name.startswith(".")
    ]
    assert sorted(left) == [
        ".quizwriter-new-update.db.new", ".quizwriter-new-update.db.new-journal", f"{HALF_RESTORED}new",
        foreign.name,
    ]  # fmt: skip


def test_signs_in_the_name_of_a_database_are_no_pattern(tmp_path):
    """What another database has half made is left, also where its name fits the pattern of ours."""
    with closing(Store(tmp_path / "quiz[12].db")) as store:
        store.backups.folder.mkdir()
        own, other = (store.backups.folder / f".{name}-old.db.new" for name in ("quiz[12]", "quiz1"))
        for path in (own, other):
            path.write_text("half")
            os.utime(path, (0, 0))
        store.backups.make(BackupReason.DAY)

        assert (own.exists(), other.exists()) == (False, True)


def test_a_session_goes_on_in_one_branch_of_what_a_backup_restored(store):
    key = store.expand_branches()[0]
    backup = store.backups.make(BackupReason.REQUESTED).path
    before = store.load(key)
    type_on(store, key, " of kings")
    stored = store.load(key)
    session = WritingSession(key, stored.tossup, seq=stored.seq, head=stored.head, author="me")
    answer = set_bold_and_answer(session)
    store.save(session.take_unsaved())
    store.restore(backup)

    places = set()
    for word in (" and", " queens", " came"):
        session.type(session.tossup.text + word)
        places.add(store.save(session.take_unsaved()))

    (branch,) = places
    assert branch != key
    assert store.load(key) == before
    assert store.load(branch).tossup == Tossup(before.tossup.text + " of kings and queens came", answer)
    assert (store.load(branch).styles, store.load(branch).answer_styles) == (BOLD, BOLD)
    assert store.sibling_branches(key) == (branch,)
    assert store.check() == ()


def test_a_tossup_that_a_backup_lacks_comes_back_once_somebody_types_on(store):
    backup = store.backups.make(BackupReason.REQUESTED).path
    session = WritingSession("later", author="me")
    session.type("A tossup")
    answer = set_bold_and_answer(session)
    store.save(session.take_unsaved())
    store.restore(backup)

    session.touch()  # who only looks changes nothing
    store.save(session.take_unsaved())
    assert "later" not in store.expand_branches()
    for word in (" begun", " later"):
        session.type(session.tossup.text + word)
        assert store.save(session.take_unsaved()) == "later"
    assert store.load("later").tossup == Tossup("A tossup begun later", answer)
    assert (store.load("later").styles, store.load("later").answer_styles) == (BOLD, BOLD)
    assert store.check() == ()


@pytest.mark.parametrize("change", ["answer", "styles"])
def test_a_tossup_that_a_backup_lacks_comes_back_with_a_change_beside_its_text(store, change):
    backup = store.backups.make(BackupReason.REQUESTED).path
    session = WritingSession("later", author="me")
    session.type("A tossup")
    store.save(session.take_unsaved())
    store.restore(backup)

    if change == "answer":
        session.set_answer(Answer("Hamlet"))
    else:
        session.restyle(Span(0, 4), BOLD)
    store.save(session.take_unsaved())

    assert (store.load("later").tossup, store.load("later").styles) == (session.tossup, session.styles)
    assert store.check() == ()


def set_bold_and_answer(session):
    """Set the first letters bold, and give an answer; the answer."""
    session.restyle(Span(0, 4), BOLD)
    session.set_answer(Answer("Hamlet"))
    session.restyle_answer(BOLD)
    return session.tossup.answer


@pytest.mark.skipif(sys.platform == "win32", reason="There an open file cannot be replaced.")
def test_another_database_of_ours_in_the_same_place_is_used_from_then_on(store, tmp_path):
    key = store.expand_branches()[0]
    backup = store.backups.make(BackupReason.REQUESTED).path
    before = store.load(key)
    type_on(store, key, " of kings")
    stored = store.load(key)
    session = WritingSession(key, stored.tossup, seq=stored.seq, head=stored.head, author="me")
    store.backups.put_in_place(backup)

    session.type(session.tossup.text + " came")
    branch = store.save(session.take_unsaved())

    texts = {key: before.tossup.text, branch: before.tossup.text + " of kings came"}
    assert {one: store.load(one).tossup.text for one in texts} == texts
    store.close()
    again = Store(tmp_path / "home" / "quizwriter.db")
    assert {one: again.load(one).tossup.text for one in texts} == texts
    assert again.check() == ()
    again.close()
    aside = next(one for one in Backups(store.path).all() if one.reason is BackupReason.MOVED)
    assert Backups(store.path).contents(aside.path).tossups == 6


@pytest.mark.parametrize("way", ["restored", "replaced"])
def test_what_was_saved_in_a_former_database_is_never_deleted(store, way):
    if way == "replaced" and sys.platform == "win32":
        pytest.skip("There an open file cannot be replaced.")
    backup = store.backups.make(BackupReason.REQUESTED).path
    saved = [f"later-{number}" for number in range(4)]
    told = []
    store.after_replacement = told.append
    for key in saved:
        store.save(PendingSave.begun(key, "Saved.", None, 1))
        if way == "restored":
            store.restore(backup)
        else:
            store.backups.put_in_place(backup)
            store.put_item("filter", "mine", "{}")

    kept = [one.path for one in store.backups.all()]
    assert {key for path in kept for key in store.backups.contents(path).states} >= {*saved}
    assert len(told) == (4 if way == "replaced" else 0)
    assert {*told} <= {*kept}


@pytest.mark.skipif(sys.platform == "win32", reason="There an open file cannot be replaced.")
def test_another_database_in_the_same_place_learns_the_key_and_gets_no_forgotten_names(tmp_path):
    key, names, trouble = SigningKey.generate("ada"), [ForgottenNames()], []

    def forgotten():
        if trouble:
            raise trouble.pop()
        return names[0]

    with closing(Store(tmp_path / "quizwriter.db", lambda: key, forgotten=forgotten)) as store:
        store.save(PendingSave.begun("one", "A lake.", None, 1, "ada"))
        store.save_person(Person("eve", "Eve Adams", "", 1))
        old = store.backups.make(BackupReason.REQUESTED).path
        store.use_key(key, Person("ada", "Ada"))
        by = names[0].described(["Eve Adams"], [])
        who = ForgottenPerson("Former writer 1", ("eve",), by.whole, by.parts, firsts=by.firsts)
        names[0] = ForgottenNames(people=(who,))
        store.backups.put_in_place(old)

        trouble.append(QuizwriterError("The list cannot be read.", "Restore it."))
        with pytest.raises(QuizwriterError, match="The list"):
            store.put_item("filter", "mine", "{}")
        store.put_item("filter", "mine", "{}")
        assert store.people()["eve"].name == "Former writer 1"
        store.add_events([Event.new("one", 5, "ada", ConsentGiven(Consent.YES))])
        assert store.review_of("one").release.basis is ConsentBasis.VERIFIED
