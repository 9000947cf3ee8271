"""A database with damaged rows: the damaged tossup is named, and all others are read as before."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import Status, StatusSet
from quizwriter.errors import QuizwriterError
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.store.store import Store
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.session import WritingSession
from tests.helpers.made_histories import fill

ROWS = {
    "bytes in the text": "update tossup set text = cast(x'41ff42' as text) where id = ?1",
    "a blob for the text": "update tossup set text = x'00ff' where id = ?1",
    "no text": "update tossup set text = null where id = ?1",
    "bytes in the answer": "update tossup set answer_line = cast(x'ff' as text) where id = ?1",
    "a cursor before the text": "update tossup set cursor = -4 where id = ?1",
    "bytes in an edit": "update edit set inserted = cast(x'ff' as text) where tossup = ?1 and seq = 1",
    "no edit": "update edit set removed = null where tossup = ?1 and seq = 1",
    "an edit in the year 280000": "update edit set at_ms = 1 << 53 where tossup = ?1 and seq = 2",
    "an edit before 1970": "update edit set at_ms = -5 where tossup = ?1 and seq = 2",
    "an edit that does not replay": "update edit set removed = 'qqqq' where tossup = ?1 and seq = 2",
    "an edit twice as far": "update edit set start = 1 << 40 where tossup = ?1 and seq = 2",
    "an edit is missing": "delete from edit where tossup = ?1 and seq = 2",
    "an event that is not JSON": "update event set body = '{' where root = ?1",
    "an event of another form": "update event set body = '[3]' where root = ?1",
    "an event of an unknown kind": "update event set kind = 'vote' where root = ?1",
    "an unknown status in an event": 'update event set body = \'{"status":"lost"}\' where root = ?1',
    "an event later than every number": "update event set at_ms = (1 << 53) + 1 where root = ?1",
    "an unknown status": "update listed set status = 'lost' where tossup = ?1",
    "an unknown consent": "update listed set consent = 'lost' where tossup = ?1",
    "a game that is not JSON": "update shown set top = '[[' where tossup = ?1",
    "a game with a blob": "update shown set guesser = x'ff' where tossup = ?1",
    "bytes in a given answer": "update asked set answer_line = cast(x'ff' as text) where tossup = ?1",
    "no list row": "delete from listed where tossup = ?1",
}
"""Damage to the rows of the tossup ?1, by what it is."""


def loosened(db):
    """Let the tables of ``db`` take values of any type, as other programs make them."""
    db.execute("pragma writable_schema = on")
    db.execute(
        "update sqlite_master set sql = replace(replace(replace(sql, ' not null', ''), "
        "'strict, without', 'without'), 'strict', '') where type = 'table' and sql like '%strict%'"
    )
    db.execute("pragma writable_schema = off")


def damage(path, *statements):
    """Carry out ``statements`` in the database at ``path``."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        loosened(db)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement, values in statements:
            db.execute(statement, values)


def refusal(read, key):
    """What ``read`` refuses ``key`` with; None if it does not."""
    try:
        for one in read(key) if read(key).__class__ is tuple else ():
            list(getattr(one, "top", ()))
    except QuizwriterError as trouble:
        return trouble
    return None


@pytest.fixture
def path(tmp_path):
    return tmp_path / "quizwriter.db"


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A database of five sound tossups, each with games, events and several edits; and their ids."""
    path = tmp_path_factory.mktemp("sound") / "quizwriter.db"
    store = Store(path)
    keys = fill(store, 5, seed=11)
    store.add_events(Event.new(key, 1, "", StatusSet(Status.READY)) for key in keys)
    assert all(len(store.history(key)) > 2 and store.game_rows(key) for key in keys)
    assert store.check() == ()
    store.close()
    return path, keys


@pytest.fixture
def keys(sound, path):
    """The ids of the tossups in a copy of that database at ``path``."""
    whole, keys = sound
    shutil.copyfile(whole, path)
    return keys


@pytest.mark.parametrize("statement", ROWS.values(), ids=ROWS)
def test_a_damaged_row_is_named_with_its_tossup_and_the_others_are_as_before(path, keys, statement):
    damage(path, (statement, [keys[1]]))
    seen = []
    with closing(Store(path)) as store:
        found = store.check(lambda done, total: seen.append((done, total)))
        assert found
        assert all(keys[1] in line for line in found if not line.startswith(("NULL value", "non-"))), found
        assert seen == [(done, 5) for done in range(6)]

        for read in (
            store.load,
            store.history,
            store.recorded_plays,
            store.answers,
            store.events,
            lambda key: list(store.branches([key])),
        ):
            for key in keys:
                if key != keys[1]:
                    read(key)
                elif (trouble := refusal(read, key)) is not None:
                    assert key in str(trouble) or "not in the database" in str(trouble)

        assert {one.tossup_id for one in store.tossups()} >= set(keys) - {keys[1]}
        rows = store.queue_rows(store.queue(QueueFilter(), QueueSort()))
        assert {row.tossup_id for row in rows} >= set(keys) - {keys[1]}
        store.facets(), store.sets(), store.players(), store.people(), store.tag_reviews(keys[2:])

        session = WritingSession(keys[0], store.load(keys[0]).tossup, seq=store.load(keys[0]).seq)
        session.type("Another text")
        store.save(session.take_unsaved())
        try:  # what is typed into the damaged one is saved, or refused in a sentence
            stored = store.load(keys[1])
            session = WritingSession(keys[1], stored.tossup, seq=stored.seq, head=stored.head)
            session.type("Another text")
            store.save(session.take_unsaved())
        except QuizwriterError:
            pass


def test_one_byte_in_the_tossup_opened_last_is_a_sentence(path, keys):
    with closing(Store(path)) as store:
        last = store.last()
    damage(path, (ROWS["bytes in the text"], [last]))
    with closing(Store(path)) as store:
        assert store.last() == last
        with pytest.raises(DamagedDatabaseError, match=rf"^The tossup {last} is damaged in the database"):
            store.load(last)


@pytest.mark.parametrize("table", ["tossup", "edit", "event", "listed", "kept", "answer_knowledge"])
def test_a_missing_table_is_named(path, keys, table):
    damage(path, ("pragma foreign_keys = off", []), (f"drop table {table}", []))
    with pytest.raises(DamagedDatabaseError, match=rf"\(the table {table} is missing\)"):
        Store(path)


def test_a_missing_column_is_named(path, keys):
    damage(path, ("alter table edit drop column kind", []))
    with pytest.raises(DamagedDatabaseError, match=r"\(the column kind of the table edit is missing\)"):
        Store(path)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("create trigger t after insert on edit begin delete from tossup; end", "a trigger"),
        ("create view v as select * from tossup", "a view"),
        ("create virtual table f using fts5(x)", "a virtual table"),
        ("create index x on event (hex(zeroblob(100)))", "an index of an expression"),
        ("create index x on event (id) where hex(body) like '%'", "a rule in the index x"),
        ("create unique index x on tossup (id, root)", "a rule in the index x"),
        ("create table x (y text references tossup (id))", "a link from the table x to tossup"),
        (
            "alter table person add column x text generated always as (hex(email))",
            "a rule in the table person",
        ),
        ("alter table edit add column x integer default 1 check (x)", "a rule in the table edit"),
        ("alter table kept add column x text references person (id)", "a link from the table kept to person"),
        (
            "alter table asked add column x text references tossup on delete cascade",
            "a rule in the table asked",
        ),
        ("alter table shown add column x text default '--' collate nocase", "a rule in the table shown"),
    ],
)
def test_what_would_run_within_a_foreign_database_is_refused_untouched(path, keys, statement, what):
    damage(path, (statement, []))
    before = path.read_bytes()
    with pytest.raises(QuizwriterError, match=f"has {what}, which QuizWriter never makes"):
        Store(path)
    assert path.read_bytes() == before


TRIGGER = "create trigger t after insert on edit begin delete from tossup; end"


@pytest.mark.parametrize(
    ("statement", "change", "what"),
    [
        (TRIGGER, "type = 'Trigger' where name = 't'", "a trigger"),
        (TRIGGER, "type = cast('trigger' as blob) where name = 't'", "a trigger"),
        (TRIGGER, "type = cast(x'7472696767657200' as text) where name = 't'", "a trigger"),
        (TRIGGER, "sql = replace(sql, ' TRIGGER', ' temp trigger') where name = 't'", "a temp table"),
        ("create view v as select 1", "type = 'VIEW' where name = 'v'", "a view"),
        (
            "create virtual table f using fts5(x)",
            "sql = replace(sql, ' VIRTUAL', '/**/virtual') where name = 'f'",
            "a virtual table",
        ),
        (
            "create unique index x on tossup (id)",
            "tbl_name = cast('tossup' as blob) where name = 'x'",
            "a rule in the index x",
        ),
        (
            "create unique index x on tossup (id)",
            "tbl_name = tbl_name || char(0) || 'y' where name = 'x'",
            "a rule in the index x",
        ),
        (
            "alter table edit add column x integer default 1 check (x)",
            "sql = cast(sql as blob) where name = 'edit'",
            "a rule in the table edit",
        ),
    ],
)
def test_what_would_run_is_refused_whatever_the_list_of_tables_says_of_it(
    path, keys, statement, change, what
):
    damage(
        path, (statement, []), ("pragma writable_schema = on", []), (f"update sqlite_master set {change}", [])
    )
    with pytest.raises(QuizwriterError, match=rf"has {what}, which QuizWriter never makes"):
        Store(path)


def test_bytes_in_a_statement_of_the_schema_are_no_bug(path, keys):
    said = "cast(cast(sql as blob) || x'202f2aff2a2f' as text)"
    change = f"update sqlite_master set sql = {said} where name = 'kept'"
    damage(path, ("pragma writable_schema = on", []), (change, []))
    with closing(Store(path)) as store:
        assert store.check() == ()


def test_a_view_in_the_place_of_the_list_of_migrations_is_not_run(path, keys):
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select m.* from moved m, n"
    damage(
        path,
        ("alter table _sqlite_migrations rename to moved", []),
        (f"create view _sqlite_migrations as {endless}", []),
    )
    with pytest.raises(QuizwriterError, match="belongs to another program"):
        Store(path)


def test_a_link_of_another_program_that_leads_nowhere_is_told_in_a_sentence(path, keys):
    damage(path, ("create table one (at references two)", []), ("create table two (at)", []))
    with closing(Store(path)) as store:
        (said,) = store.check()
    assert said.startswith("Not all of the database can be read (foreign key mismatch")


def test_tables_indexes_and_columns_of_other_programs_may_stay(path, keys):
    damage(
        path,
        ('create table "check" (at as (1), id integer primary key check (id > 0))', []),
        ("create index mine on event (author, at_ms)", []),
        ("""alter table tossup add column "as" text default 'check (x)' /* where */""", []),
    )
    with closing(Store(path)) as store:
        assert store.check() == ()


def test_a_person_with_damaged_columns_is_said(path, keys):
    damage(
        path,
        ("insert into person (id, name, email, changed_ms) values ('p', cast(x'ff' as text), '', 0)", []),
    )
    with closing(Store(path)) as store:
        assert any(line.startswith("A person is damaged") for line in store.check())
        assert "p" not in store.people()


def test_a_table_that_another_program_removes_meanwhile_is_damage_and_no_bug(path):
    with closing(Store(path)) as store:
        session = WritingSession("one")
        session.type("This lake")
        with closing(sqlite3.connect(path)) as db:
            db.execute("drop table edit")

        with pytest.raises(DamagedDatabaseError, match="the table edit is missing") as trouble:
            store.save(session.take_unsaved())

    assert "quizwriter rescue" in trouble.value.remedy
