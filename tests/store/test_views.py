"""The views of the database, and the queries that the page on formats gives people."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.players import PLAYERS
from quizwriter.domain.review import Commented, Person, PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.store import database
from quizwriter.store.backups import Backups
from quizwriter.store.rescue import rescue
from quizwriter.store.store import Store
from quizwriter.store.views import VIEWS, View
from quizwriter.workflow.session import PendingSave, RecordedPlay
from quizwriter.workflow.wording import player_title

NOON = 1_950_000_000_000  # 2031-10-17T10:40:00Z
BAIKAL = Answer("Lake Baikal [accept Baikal]", "Lake_Baikal")
PAGE = Path("docs/formats.md").read_text("utf-8")


def game(seq, player, words, buzz, *top, right=None):
    """``right``: the words after which the first guess is right for good."""
    return RecordedPlay(
        seq,
        NOON + 1000 * seq,
        player,
        "digest",
        tuple(Guess(page, 9.0 - rank) for rank, page in enumerate(top)),
        right,
        right,
        buzz,
        None if buzz is None else top[0],
        words,
    )


@pytest.fixture
def path(tmp_path):
    """A database with a tossup of three edits by two people, and games of two players."""
    path = tmp_path / "quizwriter.db"
    with closing(Store(path)) as store:
        store.save_person(Person("p1", "Ada", "", 1))
        store.save_person(Person("p2", "Bo", "", 1))
        edits = (
            Change(1, NOON + 1000, Edit(0, "", "A deep rift lake."), "p1"),
            Change(2, NOON + 2000, Edit(2, "deep", "Siberian"), "p2"),
            Change(3, NOON + 86_400_000, Edit(21, "", " Seals swim."), "p1"),
        )
        shown = (
            game(1, "ir", 4, 4, "Lake_Tanganyika", "Lake_Baikal"),
            game(1, "elasticsearch", 4, None, "Lake_Tanganyika"),
            game(2, "ir", 4, 2, "Lake_Baikal", "Lake_Tanganyika", right=1),
            game(3, "ir", 6, 2, "Lake_Baikal", right=1),
            game(3, "elasticsearch", 6, 6, "Lake_Baikal", right=6),
        )
        text = "A Siberian rift lake. Seals swim."
        store.save(PendingSave("one", text, BAIKAL, 0, NOON, edits, shown, author="p1"))
        store.add_events([Event.new("one", NOON + 86_400_001, "p2", PutInSet("Winter"))])
        with store._database.transaction() as db:
            (after,) = db.execute("select id from edit where seq = 2").fetchone()
        store.add_events(
            [Event("said", "one", NOON + 90_000_000, "p2", Commented("Which lake?"), seq=2, after=after)]
        )
    return path


def rows(path, query):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(query).fetchall()


def queries():
    return re.findall(r"^```sql\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)


EXPECTED = (
    [(BAIKAL.line, "Bo", "deep", "Siberian", 4, 2, -2)],
    [("Elastic", BAIKAL.line, "Lake Tanganyika", 1), ("IR", BAIKAL.line, "Lake Tanganyika", 1)],
    [("Elastic", 1, 1, 1.0), ("IR", 1, 1, 0.33)],
    [("2031-10-18T11:40:00Z", "Bo", BAIKAL.line, "Which lake?", "A Siberian rift lake.")],
    [("2031-10-17", "Ada", 1, 17, 0), ("2031-10-17", "Bo", 1, 8, 4), ("2031-10-18", "Ada", 1, 12, 0)],
)


@pytest.mark.parametrize("number", range(5))
def test_a_query_of_the_page_finds_what_happened(path, number):
    asked = queries()
    assert len(asked) == len(EXPECTED)
    assert asked[number].count("\n") <= 10
    assert rows(path, asked[number]) == EXPECTED[number]


def test_a_version_has_the_text_and_the_set(path):
    assert rows(path, "select version, time, writer, set_name, text from tossup_versions order by 1") == [
        (1, "2031-10-17T10:40:01Z", "Ada", "Winter", "A deep rift lake."),
        (2, "2031-10-17T10:40:02Z", "Bo", "Winter", "A Siberian rift lake."),
        (3, "2031-10-18T10:40:00Z", "Ada", "Winter", "A Siberian rift lake. Seals swim."),
    ]


def test_a_version_has_the_answer_of_its_time(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("update asked set seq = 1")
        db.execute("insert into asked (tossup, at_ms, answer_line, seq) values ('one', ?, 'Seal', 3)", [NOON])
    assert rows(path, "select version, answer from tossup_versions order by 1") == [
        (1, BAIKAL.line), (2, BAIKAL.line), (3, "Seal")
    ]  # fmt: skip
    assert rows(path, "select distinct version, answer from buzzes order by 1")[-1] == (3, "Seal")


def test_a_buzz_is_right_by_what_the_player_showed(path):
    assert rows(path, "select player, version, buzz, guess, is_right from buzzes order by 1, 2") == [
        ("Elastic", 1, None, None, None),
        ("Elastic", 3, 6, "Lake Baikal", 1),
        ("IR", 1, 4, "Lake Tanganyika", 0),
        ("IR", 2, 2, "Lake Baikal", 1),
        ("IR", 3, 2, "Lake Baikal", 1),
    ]


def test_guesses_have_their_rank_and_title(path):
    found = rows(path, "select player, rank, guess, score from shown_guesses where version = 2")
    assert found == [("IR", 1, "Lake Baikal", 9.0), ("IR", 2, "Lake Tanganyika", 8.0)]


@pytest.mark.parametrize("name", [*PLAYERS, "tfidf"])
def test_a_player_has_the_title_of_its_lane(path, name):
    with closing(sqlite3.connect(path)) as db:
        db.execute("update shown set guesser = ?", [name])
        assert db.execute("select distinct player from buzzes").fetchall() == [(player_title(name),)]


def test_rows_that_cannot_be_decoded_leave_the_others_readable(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("update shown set top = '{' where seq = 2")
        db.execute("update event set body = '{' where kind = 'set'")
    assert rows(path, "select count(*) from shown_guesses") == [(5,)]
    assert rows(path, "select kind, text from events order by time") == [
        ("set", None),
        ("comment", "Which lake?"),
    ]


def test_an_older_database_gets_the_views_after_a_backup(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for name in VIEWS:
            db.execute(f"drop view {name}")
        db.execute("delete from _sqlite_migrations where name = '0009_views'")
        db.execute("create view edits as select 1")  # somebody's own, which the older program refused
    Store(path).close()
    assert {name for (name,) in rows(path, "select name from sqlite_master where type = 'view'")} == set(
        VIEWS
    )
    assert rows(path, "select count(*) from edits") == [(3,)]
    assert len(Backups(path).all()) == 1


def test_a_view_that_reads_differently_is_replaced_unread(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("drop view edits")
        db.execute("create view edits as select * from nowhere")
    with closing(Store(path)) as store:
        assert store.check() == ()
    assert rows(path, "select count(*) from edits") == [(3,)]
    assert Backups(path).all() == ()


def test_a_view_declared_anew_is_in_every_database_opened_after(path, monkeypatch):
    monkeypatch.setitem(VIEWS, "long_tossups", View("a long tossup", "select id from tossup where words > 3"))
    with closing(Store(path)) as store:
        assert store.check() == ()
    assert rows(path, "select * from long_tossups") == [("one",)]


def test_a_rescued_database_has_the_views_too(path, tmp_path):
    rescue(path, tmp_path / "rescued.db")
    assert rows(tmp_path / "rescued.db", queries()[0]) == EXPECTED[0]


def test_sqlite_utils_is_imported_for_a_new_database_only_and_never_pandas(path, tmp_path):
    assert find_spec("pandas"), "which nothing hides"
    code = f"""
import sys
from pathlib import Path
from quizwriter.store.store import Store
Store(Path({str(path)!r})).close()
assert "sqlite_utils" not in sys.modules
Store(Path({str(tmp_path / "new.db")!r})).close()
assert "sqlite_utils" in sys.modules and "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_migration_is_named_where_it_is_looked_for():
    from quizwriter.store.schema import migrations

    assert tuple(one.name for one in migrations._migrations) == database.MIGRATIONS
