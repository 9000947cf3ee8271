"""The database: what goes in comes out, whole or not at all, and nothing foreign is touched."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store import database
from quizwriter.store.backups import Backups
from quizwriter.store.store import Store
from quizwriter.store.summaries import TossupSummary
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession
from tests.helpers.fakes import fill

BAIKAL = Answer("Lake Baikal [accept Baikal]", "Lake_Baikal")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "quizwriter.db"


@pytest.fixture
def store(path):
    with closing(Store(path)) as opened:
        yield opened


def saving(*versions, key="one", answer=None, at_ms=1, cursor=0):
    session = WritingSession(key, clock=lambda: at_ms)
    for text in versions:
        session.type(text)
    session.set_answer(answer)
    session.move_cursor(cursor)
    return session.take_unsaved()


@contextmanager
def foreign(path):
    """The database as another program opens it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        yield database


def files_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def count(path, table):
    with foreign(path) as database:
        return database.execute(f"select count(*) from {table}").fetchone()[0]


def test_a_tossup_comes_back_as_it_was_saved(store):
    store.save(saving("This lake", answer=BAIKAL, cursor=4))

    kept = store.load("one")
    assert (kept.tossup, kept.seq, kept.cursor) == (Tossup("This lake", BAIKAL), 1, 4)


def test_only_what_another_program_writes_is_foreign(store, path):
    before = store.foreign_version()
    store.save(saving("This lake"))
    store.tossups()  # the connection that reads has seen it
    assert store.foreign_version() == before

    with foreign(path) as database:
        database.execute("update tossup set answer_line = 'Lake Ladoga'")
    assert store.foreign_version() != before


def test_a_tossup_is_still_there_in_the_next_run(path):
    with closing(Store(path)) as store:
        store.save(saving("This lake"))

    with closing(Store(path)) as store:
        assert store.load("one").tossup == Tossup("This lake")
        assert store.check() == ()


@pytest.mark.parametrize(
    "text",
    ["😀 lake 👩‍🚀", "بحيرة بايكال", "שלום abc", "a\0b", "\0", "e\u0301 é", "line\r\nline\n", "\U0010ffff"],
)
def test_any_text_comes_back_code_point_for_code_point(store, text):
    store.save(saving(text, answer=Answer(text, text)))

    assert store.load("one").tossup == Tossup(text, Answer(text, text))
    assert store.history("one")[0].edit == Edit(0, "", text)
    assert store.check() == ()


def test_only_tossups_that_are_not_there_yet_are_added(store):
    store.save(saving("Mine", key="one"))
    store.add([saving("Another's", "Another's!", key="one"), saving("New", key="two", answer=BAIKAL)])

    assert store.load("one").tossup.text == "Mine"
    assert store.load("two").tossup == Tossup("New", BAIKAL)
    assert store.check() == ()


def test_tossups_are_added_all_or_none(store):
    broken = saving("Twice", key="two")
    broken = replace(broken, changes=broken.changes * 2)
    with pytest.raises(sqlite3.IntegrityError):
        store.add([saving("New", key="one"), broken])

    assert store.tossups() == ()


def test_an_answer_without_a_page_comes_back_without_one(store):
    store.save(saving("This", answer=Answer("Lake Baikal")))

    assert store.load("one").tossup.answer == Answer("Lake Baikal")


def test_a_tossup_without_an_answer_comes_back_without_one(store):
    store.save(saving("This"))

    assert store.load("one").tossup.answer is None


def test_the_history_is_every_edit_in_order(store):
    store.save(saving("lake", "a lake", "a lake!"))

    assert [change.edit for change in store.history("one")] == [
        Edit(0, "", "lake"),
        Edit(0, "", "a "),
        Edit(6, "", "!"),
    ]


def test_a_session_of_the_next_run_goes_on_with_the_history(store):
    store.save(saving("This"))
    kept = store.load("one")
    session = WritingSession("one", kept.tossup, seq=kept.seq)
    session.type("This lake")
    store.save(session.take_unsaved())

    assert [change.seq for change in store.history("one")] == [1, 2]
    assert store.check() == ()


def test_an_unknown_tossup_is_said_not_to_be_there(store):
    with pytest.raises(QuizwriterError, match="not in the database"):
        store.load("none")


def test_tossups_are_listed_with_the_one_changed_last_first(store):
    store.save(saving("This lake freezes", key="old", at_ms=1))
    store.save(saving("That (*) river", key="new", at_ms=2, answer=BAIKAL))

    assert store.tossups() == (
        TossupSummary("new", BAIKAL.line, "That (*) river", 2, 2),
        TossupSummary("old", "", "This lake freezes", 3, 1),
    )


def test_a_list_shows_no_more_than_the_beginning(store):
    store.save(saving("😀" * 500))

    assert store.tossups()[0].opening == "😀" * 60


def test_a_list_shows_what_stands_after_a_nul(store):
    store.save(saving("a\0b"))

    assert store.tossups()[0].opening == "a\0b"


def test_opening_a_tossup_makes_it_the_last_one_but_not_the_one_changed_last(store):
    store.save(saving("This lake", key="old", at_ms=1))
    store.save(saving("That river", key="new", at_ms=2))
    opened = WritingSession("old", Tossup("This lake"), seq=1, clock=lambda: 3)
    opened.touch()
    opened.move_cursor(4)
    store.save(opened.take_unsaved())

    assert store.last() == "old"
    assert [(row.tossup_id, row.changed_ms) for row in store.tossups()] == [("new", 2), ("old", 1)]
    assert store.load("old").cursor == 4


def test_the_last_tossup_is_the_one_saved_last_even_if_the_clock_was_put_back(store):
    store.save(saving("a", key="a", at_ms=3))
    store.save(saving("b", key="b", at_ms=2))

    assert store.last() == "b"


def test_another_answer_is_a_change(store):
    store.save(saving("This lake", key="old", at_ms=1))
    store.save(saving("That river", key="new", at_ms=2))
    session = WritingSession("old", Tossup("This lake"), seq=1, clock=lambda: 3)
    session.set_answer(BAIKAL)
    store.save(session.take_unsaved())

    assert [row.tossup_id for row in store.tossups()] == ["old", "new"]


def test_an_empty_database_has_no_tossups_and_no_last_one(store):
    assert store.tossups() == ()
    assert store.last() is None


def test_every_answer_a_tossup_was_given_is_kept_once(store, path):
    store.save(saving("a", answer=BAIKAL))
    session = WritingSession("one", Tossup("a", BAIKAL), seq=1)
    session.type("ab")
    store.save(session.take_unsaved())
    session.set_answer(Answer("Onega"))
    store.save(session.take_unsaved())

    with foreign(path) as database:
        asked = database.execute("select answer_line, page from asked order by id").fetchall()
    assert asked == [(BAIKAL.line, BAIKAL.page), ("Onega", None)]


def test_what_was_shown_is_kept(store, path):
    shown = RecordedPlay(
        1, 5, "ir", "digest", (Guess("Été", 1.5), Guess("Ladoga", 1.0)), 3, 4, 2, "Ladoga", 9
    )
    store.save(PendingSave("one", "a", None, 0, 1, (Change(1, 1, Edit(0, "", "a")),), (shown,)))

    with foreign(path) as database:
        row = database.execute(
            "select seq, at_ms, guesser, engine, words, first_correct, stable_correct, buzz_heard, buzz_page,"
            " top from shown"
        ).fetchone()
    assert row == (1, 5, "ir", "digest", 9, 3, 4, 2, "Ladoga", '[["Été", 1.5], ["Ladoga", 1.0]]')


@given(st.lists(st.one_of(st.text("ab😀", max_size=4), st.none()), max_size=12))
def test_a_tossup_written_and_saved_in_any_way_is_sound(shared_store, steps):
    key = str(len(shared_store.tossups()))
    session = WritingSession(key)
    for step in [*steps, None]:
        if step is not None:
            session.type(step)
        elif (unsaved := session.take_unsaved()) is not None:
            shared_store.save(unsaved)

    assert shared_store.check() == ()
    assert (
        not steps
        or key not in {row.tossup_id for row in shared_store.tossups()}
        or (shared_store.load(key).tossup == session.tossup)
    )


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory):
    with closing(Store(tmp_path_factory.mktemp("shared") / "quizwriter.db")) as opened:
        yield opened


@pytest.mark.parametrize(
    "broken",
    [
        PendingSave(
            "one", "abc", BAIKAL, 0, 9, (Change(2, 9, Edit(1, "", "b")), Change(2, 9, Edit(2, "", "c")))
        ),
        PendingSave("one", "ab", BAIKAL, 0, 9, (Change(1, 9, Edit(1, "", "b")),)),
    ],
    ids=["one number twice", "a number saved before"],
)
def test_a_saving_that_fails_leaves_nothing_of_itself(store, path, broken):
    store.save(saving("a"))
    before = (store.load("one"), store.tossups(), store.history("one"), count(path, "asked"))

    with pytest.raises((sqlite3.IntegrityError, QuizwriterError)):
        store.save(broken)
    assert (store.load("one"), store.tossups(), store.history("one"), count(path, "asked")) == before


def test_after_a_saving_that_failed_the_next_one_works(store):
    store.save(saving("a"))
    with pytest.raises(QuizwriterError, match="changed elsewhere"):
        store.save(PendingSave.begun("one", "b", None, 9))
    store.save(saving("c", key="two"))

    assert store.load("two").tossup.text == "c"
    assert store.check() == ()


def test_migrations_of_any_type_and_length_are_named_in_a_sentence(path):
    Store(path).close()
    db = sqlite3.connect(path)
    for name in ("x" * 3_000_000, b"\xff", 7):
        db.execute("insert into _sqlite_migrations (migration_set, name) values ('quizwriter', ?)", [name])
    db.commit()
    db.close()
    with pytest.raises(QuizwriterError, match="newer QuizWriter") as refused:
        Store(path)
    assert len(str(refused.value)) < 300 + len(str(path))


def test_a_database_of_a_newer_version_is_refused_untouched(path):
    Store(path).close()
    with foreign(path) as database:
        database.execute(
            "insert into _sqlite_migrations (migration_set, name, applied_at)"
            " values ('quizwriter', '0999_x\u202e\n', '')"  # no sentence is turned round by it
        )
        database.execute("pragma wal_checkpoint(truncate)")
    before = files_of(path.parent)

    with pytest.raises(QuizwriterError, match=r"newer QuizWriter \(it has 0999_x\)"):
        Store(path)
    assert files_of(path.parent) == before


@pytest.mark.parametrize(
    "migrations",
    ["", "(migration_set, name, applied_at)", "(version)"],
    ids=["none", "sqlite-utils' migrations", "migrations of its own"],
)
def test_a_database_of_another_program_is_refused_untouched(path, migrations):
    path.parent.mkdir()
    with foreign(path) as database:
        database.execute("create table recipes (name text)")
        if migrations:
            database.execute(f"create table _sqlite_migrations {migrations}")
        if "name" in migrations:
            database.execute("insert into _sqlite_migrations values ('recipes', '0001_recipes', '')")
    before = files_of(path.parent)

    with pytest.raises(QuizwriterError, match="belongs to another program"):
        Store(path)
    assert files_of(path.parent) == before


def test_a_file_that_is_no_database_is_refused_untouched(path):
    path.parent.mkdir()
    path.write_bytes(b"This lake freezes every winter. " * 200)
    before = files_of(path.parent)

    with pytest.raises(QuizwriterError, match="file is not a database"):
        Store(path)
    assert files_of(path.parent) == before


def test_an_empty_file_becomes_a_database(path):
    path.parent.mkdir()
    path.touch()

    with closing(Store(path)) as store:
        assert store.check() == ()


def test_a_folder_in_the_way_is_said(path):
    path.mkdir(parents=True)

    with pytest.raises(QuizwriterError, match="could not be opened"):
        Store(path)


def test_a_file_where_the_folder_should_be_is_said(path):
    path.parent.write_text("not a folder")

    with pytest.raises(QuizwriterError, match=r"folder of the database .* cannot be used"):
        Store(path)


@pytest.mark.skipif(sys.platform == "win32", reason="There an open file can be neither moved nor deleted.")
def test_a_database_moved_away_while_it_is_open_takes_no_more_until_it_is_back(store, path):
    store.save(saving("This"))
    path.parent.rename(path.parent.with_name("elsewhere"))
    unsaved = saving("That", key="two")
    with pytest.raises(QuizwriterError, match="was moved or deleted while it was open"):
        store.save(unsaved)
    path.parent.mkdir()
    path.write_text("another file")
    with pytest.raises(QuizwriterError, match="was moved or deleted while it was open"):
        store.save(unsaved)
    path.unlink()
    (copy,) = Backups(path).all()  # what was open when another file lay in its place
    with sqlite3.connect(copy.path) as db:
        assert db.execute("select text from tossup").fetchall() == [("This",)]
    db.close()
    shutil.rmtree(path.parent)
    path.parent.with_name("elsewhere").rename(path.parent)
    store.save(unsaved)

    assert store.load("two").tossup.text == "That"
    assert store.check() == ()


def test_a_folder_that_may_not_be_written_is_said(path):
    path.parent.mkdir(mode=0o500)
    if os.access(path.parent, os.W_OK):
        pytest.skip("The superuser may write anywhere.")

    with pytest.raises(
        QuizwriterError, match=r"Check that the path is a file you may read and write|Allow writing"
    ):
        Store(path)


@pytest.mark.parametrize(
    ("tampering", "sentence"),
    [
        ("update edit set inserted = 'x' where seq = 3", "does not replay"),
        ("update edit set removed = 'x' where seq = 1", "does not replay"),
        ("update edit set start = 9 where seq = 2", "does not replay"),
        ("update tossup set text = 'other'", "does not"),
        ("delete from edit where seq = 2", "does not replay"),
        ("delete from edit where seq = 3", "does not lead to its text"),
        ("update edit set seq = 7 where seq = 3", "does not lead to its text"),
        ("delete from tossup", "A row of edit refers to a row that does not exist."),
    ],
)
def test_a_history_tampered_with_is_found(store, path, tampering, sentence):
    store.save(saving("lake", "a lake", "a lake!"))
    with foreign(path) as database:
        database.execute(tampering)

    assert sentence in " ".join(store.check())


def test_one_damaged_history_does_not_hide_another(store, path):
    store.save(saving("lake", key="one"))
    store.save(saving("river", key="two"))
    with foreign(path) as database:
        database.execute("update edit set removed = 'x'")

    assert len(store.check()) == 2


def test_a_check_while_another_program_saves_finds_nothing_wrong(store, path):
    for number in range(20):
        store.save(saving("lake", "a lake", key=str(number)))
    session = WritingSession("one")
    found, enough = [], threading.Event()

    def check():
        with closing(Store(path)) as other:
            while not enough.is_set():
                found.extend(other.check())

    checker = threading.Thread(target=check)
    checker.start()
    for number in range(40):
        session.type(str(number))
        store.save(session.take_unsaved())
    enough.set()
    checker.join()

    assert found == []


def test_damage_inside_the_file_is_told_not_crashed_on(path):
    with closing(Store(path)) as store:
        for number in range(50):
            store.save(saving("lake " * 200, key=str(number)))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 20_000] = b"\xff" * 20_000
    path.write_bytes(raw)

    try:
        with closing(Store(path)) as store:
            told = " ".join(store.check())
    except QuizwriterError as trouble:
        told = str(trouble)
    assert told


def test_while_another_program_writes_saving_is_refused_and_then_works(path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_MS", 250)  # instead of 10 s
    unsaved = saving("This")
    with closing(Store(path)) as store, foreign(path) as other:
        other.execute("begin immediate")
        with pytest.raises(QuizwriterError, match="Another program is using it"):
            store.save(unsaved)
        other.execute("rollback")
        store.save(unsaved)

        assert store.load("one").tossup.text == "This"
        assert store.check() == ()


def test_while_another_program_writes_reading_goes_on(store, path):
    store.save(saving("This"))
    with foreign(path) as other:
        other.execute("begin immediate")
        other.execute("update tossup set text = 'That'")

        assert store.load("one").tossup.text == "This"
        other.execute("rollback")


def test_two_stores_see_what_the_other_saved(store, path):
    with closing(Store(path)) as other:
        store.save(saving("This", key="one"))
        other.save(saving("That", key="two"))

        assert other.load("one").tossup.text == "This"
        assert store.load("two").tossup.text == "That"


def test_threads_take_turns(store):
    def write(key):
        session = WritingSession(key)
        for _ in range(20):
            session.type(session.tossup.text + "x")
            store.save(session.take_unsaved())

    threads = [threading.Thread(target=write, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [row.opening for row in store.tossups()] == ["x" * 20] * 4
    assert store.check() == ()


def test_threads_that_open_a_new_database_at_once_all_get_it_or_are_told_to_wait(path, monkeypatch):
    make = database.Database.__init__.__wrapped__  # tests take a copy else
    monkeypatch.setattr(database.Database, "__init__", make)
    together, said = threading.Barrier(5), []

    def open_one():
        together.wait()
        try:
            with closing(Store(path)) as store:
                said.append(store.check())
        except QuizwriterError as trouble:
            said.append(trouble.remedy)

    threads = [threading.Thread(target=open_one) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(said) == 5
    assert {*said} <= {(), "Another program is using it; close that one."}
    assert () in said


def test_programs_that_open_a_new_database_at_once_all_get_it_or_are_told_to_wait(path):
    program = (
        "import sys, pathlib\n"
        "from quizwriter.errors import QuizwriterError\n"
        "import quizwriter.store.schema\n"
        "from quizwriter.store.store import Store\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
        "try:\n"
        "    print(Store(pathlib.Path(sys.argv[1])).check())\n"
        "except QuizwriterError as trouble:\n"
        "    print(trouble.remedy)\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [process.stdout.readline() for process in running] == ["ready\n"] * 3
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=30)[0].strip() for process in running]

    assert {*said} <= {"()", "Another program is using it; close that one."}
    assert "()" in said


def test_on_a_full_disk_nothing_is_lost_and_the_same_saving_is_saved_once_there_is_room(small_disk):
    filler = small_disk / "filler"
    with closing(Store(small_disk / "quizwriter.db")) as store:
        store.save(saving("This"))
        before = (store.load("one"), store.history("one"))
        session = WritingSession("one", Tossup("This"), seq=1)
        session.type("This lake " + "freezes " * 3_000)
        session.set_answer(BAIKAL)
        unsaved = session.take_unsaved()
        fill(filler)

        with pytest.raises(QuizwriterError, match="Free some disk space"):
            store.save(unsaved)
        assert (store.load("one"), store.history("one")) == before
        assert store.check() == ()

        session.type(session.tossup.text + "solid.")
        later = unsaved.before(session.take_unsaved())
        with pytest.raises(QuizwriterError, match="Free some disk space"):
            store.save(later)

        filler.unlink()
        store.save(later)
        assert store.load("one").tossup == session.tossup
        assert store.check() == ()


def test_on_a_full_disk_a_new_database_is_refused_in_a_sentence(small_disk):
    filler = small_disk / "filler"
    fill(filler)

    with pytest.raises(QuizwriterError, match=r"Free some disk space|Check the disk"):
        Store(small_disk / "quizwriter.db")
    filler.unlink()
    with closing(Store(small_disk / "quizwriter.db")) as store:
        assert store.check() == ()


def test_a_window_is_refused_what_others_make_it_wait_for(tmp_path, monkeypatch):
    """Without that, this test never ends: those who write here end only when the window was refused."""
    monkeypatch.setattr(database, "BUSY_MS", 3_600_000)
    store, other = Store(tmp_path / "quizwriter.db"), Store(tmp_path / "quizwriter.db")
    store.serve_window(lambda: None)
    writing, done = threading.Event(), threading.Event()

    def write(who):
        with who._database.transaction():
            writing.set()
            done.wait()

    for who, said in ((store, "something larger"), (other, "Another program is using it")):
        thread = threading.Thread(target=write, args=(who,))
        thread.start()
        writing.wait()
        with pytest.raises(QuizwriterError, match=said):
            store.put_item("filter", "mine", "{}")
        done.set()
        thread.join()
        writing.clear()
        done.clear()
        store.put_item("filter", "mine", "{}")
    store.close()
    other.close()
