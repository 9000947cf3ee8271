"""The tables, as migrations in the order they were released; none is ever edited afterwards.

``sqlite_utils`` is slow to import, so this module is loaded only when a database needs a migration.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import cast

from quizwriter.store.database import PARTIAL_INDEXES
from quizwriter.store.rows import answer_of_columns
from quizwriter.store.summaries import list_final_guesses, list_review, rebuild_columns, renumber_edits
from quizwriter.store.views import VIEWS, drop_views


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Let imports in the block find that ``module`` is not installed, unless it is imported already."""
    modules = cast("dict[str, ModuleType | None]", sys.modules)
    absent = module not in modules
    if absent:
        modules[module] = None  # what Python's import system takes for a module that is missing
    try:
        yield
    finally:
        if absent:
            del modules[module]


with _without("pandas"):  # half a second, which sqlite-utils spends where it finds it and nothing here needs
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations

migrations = Migrations("quizwriter")


@migrations(name="0001_tossups")
def _tossups(db: Database) -> None:
    for statement in (
        """
        create table tossup (
            id text primary key,
            answer_line text not null,
            page text,
            text text not null,           -- the draft as it stands: every edit replayed
            words integer not null,
            cursor integer not null,      -- code points
            created_ms integer not null,
            changed_ms integer not null   -- when it was saved last, if only because it was opened
        ) strict
        """,
        """
        create table edit (
            tossup text not null references tossup (id),
            seq integer not null,         -- from 1, without gaps
            at_ms integer not null,
            start integer not null,       -- code points
            removed text not null,
            inserted text not null,
            primary key (tossup, seq)
        ) strict, without rowid
        """,
        """
        create table asked (              -- every answer a tossup was given, in order
            id integer primary key,
            tossup text not null references tossup (id),
            at_ms integer not null,
            answer_line text not null,
            page text
        ) strict
        """,
        """
        create table shown (              -- what a player showed the writer, after which edit
            id integer primary key,
            tossup text not null references tossup (id),
            seq integer not null,
            at_ms integer not null,
            guesser text not null,
            engine text not null,         -- digest of the bundle
            words integer not null,
            first_correct integer,        -- words heard
            stable_correct integer,
            buzz_heard integer,
            buzz_page text,
            top text not null             -- JSON: [[page, score], ...], best first
        ) strict
        """,
        "create index tossup_changed on tossup (changed_ms)",
        "create index shown_tossup on shown (tossup, seq)",
        "create index asked_tossup on asked (tossup)",
    ):
        db.execute(statement)


@migrations(name="0002_review")
def _review(db: Database) -> None:
    for statement in (
        "alter table tossup add column root text not null default ''",  # the id it was made with
        "alter table tossup add column seq integer not null default 0",  # of its last edit
        "alter table tossup add column head text not null default ''",  # the id of its last edit
        "alter table edit add column id text not null default ''",  # see domain.history.Change.id_after
        "alter table edit add column author text not null default ''",  # person, empty if unknown
        "alter table asked add column seq integer not null default 0",  # the last edit there was
        "alter table asked add column author text not null default ''",
        """
        create table person (
            id text primary key,
            name text not null,
            email text not null,
            changed_ms integer not null
        ) strict
        """,
        """
        create table event (              -- what happened beside the edits; rows are only ever added
            id text primary key,
            root text not null,           -- the tossup with all its branches
            seq integer not null,         -- the last edit there was: the event is of all branches with it
            after text not null,          -- the id of that edit; root before the first
            at_ms integer not null,
            author text not null,
            kind text not null,
            body text not null            -- JSON, see domain.review
        ) strict
        """,
        """
        create table listed (             -- what lists sort and filter by; all follows from the other tables
            tossup text primary key references tossup (id),
            changed_ms integer not null,  -- when its text or its answer was changed last
            answer text not null,         -- its answer line's key, see domain.tossup.answer_key
            words integer not null,
            power integer,                -- words in power
            author text not null,         -- whose it is
            status text not null,
            status_ms integer not null,   -- when it was set; 0 if never
            status_seq integer not null,  -- the last edit there was then
            locked integer not null,      -- takes no edits
            superseded integer not null,  -- another branch was adopted
            set_name text not null,
            category text not null,       -- three levels, empty where there are fewer
            subcategory text not null,
            topic text not null,
            consent text not null,
            comments integer not null,    -- open ones
            suggestions integer not null, -- open ones
            players integer not null,     -- how many have played it
            stumped integer not null,     -- how many of those were right after no word of it
            shift integer                 -- the farthest that one edit moved a buzz, in words
        ) strict, without rowid
        """,
        """
        create table standing (           -- each player's last game
            tossup text not null references tossup (id),
            guesser text not null,
            engine text not null,
            seq integer not null,
            words integer not null,
            first_correct integer,
            stable_correct integer,
            buzz_heard integer,
            buzz_right integer,           -- null without a buzz
            primary key (tossup, guesser)
        ) strict, without rowid
        """,
        """
        create table kept (               -- what people set up for the queue, by kind and name
            kind text not null,
            name text not null,
            body text not null,           -- JSON
            primary key (kind, name)
        ) strict, without rowid
        """,
        "create index tossup_root on tossup (root)",
        "create index event_root on event (root, at_ms)",
        "update tossup set root = id, head = id",
        """
        update asked set seq = coalesce((select max(seq) from edit
                                         where edit.tossup = asked.tossup and edit.at_ms <= asked.at_ms), 0)
        """,
    ):
        db.execute(statement)


@migrations(name="0003_undo")
def _undo(db: Database) -> None:
    db.execute("alter table edit add column kind text not null default ''")  # see domain.history.EditKind


@migrations(name="0004_outcomes")
def _outcomes(db: Database) -> None:
    for statement in (
        """
        create table answer_knowledge (   -- whether a player knows an answer, as it said itself
            answer text not null,         -- see domain.tossup.Answer.key
            guesser text not null,
            engine text not null,
            knows integer not null,
            primary key (answer, guesser, engine)
        ) strict, without rowid
        """,
        # whether the player can know the answer, see domain.guessing.can_know
        "alter table standing add column knowable integer not null default 0",
        # how many of those who played can know the answer
        "alter table listed add column able integer not null default 0",
        """
        update standing set knowable = first_correct is not null or exists (
            select 1 from tossup where id = standing.tossup and answer_line != '' and page is not null)
        """,
        """
        update listed set
            able = (select count(*) from standing where standing.tossup = listed.tossup and knowable),
            stumped = (select count(*) from standing
                       where standing.tossup = listed.tossup and knowable and first_correct is null)
        """,
        """
        update listed set author = coalesce(
            (select author from edit where edit.tossup = listed.tossup order by seq limit 1),
            (select author from asked where asked.tossup = listed.tossup order by at_ms limit 1), '')
        where author = ''
        """,
    ):
        db.execute(statement)


@migrations(name="0005_signatures")
def _signatures(db: Database) -> None:
    for statement in (
        """
        create table signing_key (        -- the keys by which people sign, see domain.signatures
            person text not null,
            key text not null,
            first integer not null,       -- whether it is the first one seen for the person, and so theirs
            primary key (person, key)
        ) strict, without rowid
        """,
        PARTIAL_INDEXES["signing_key_first"],
        """
        create table signed_run (         -- consecutive edits of one person, covered by one signature
            root text not null,
            first text not null,          -- ids of edits
            last text not null,
            person text not null,
            key text not null,
            signature text not null,
            primary key (root, last, person, key, first)
        ) strict, without rowid
        """,
        "alter table event add column key text not null default ''",  # empty: nobody signed it
        "alter table event add column signature text not null default ''",
        "alter table person add column key text not null default ''",
        "alter table person add column signature text not null default ''",
        # see domain.review.ConsentState
        "alter table listed add column consent_basis text not null default 'none'",
        "alter table listed add column consent_by text not null default ''",
    ):
        db.execute(statement)


@migrations(name="0006_styles")
def _styles(db: Database) -> None:
    # Nearly every tossup has no such event, which each opening asks. Programs without this migration do not
    # know these kinds of events, and would take the tossups that have some for damaged.
    db.execute(PARTIAL_INDEXES["event_styles"])


@migrations(name="0007_bin")
def _bin(db: Database) -> None:
    db.execute("alter table listed add column packet text not null default ''")  # of the set
    # JSON: see domain.review.Review.bins; empty where nobody decided anything
    db.execute("alter table listed add column bin text not null default ''")
    for (tossup_id,) in db.execute(  # the columns that 0005 added, once all columns are there
        """
        select tossup.id from tossup join listed on listed.tossup = tossup.id
        where root in (select root from event where kind = 'consent')
        """
    ).fetchall():
        list_review(db.conn, tossup_id)


@migrations(name="0008_language_model")
def _language_model(db: Database) -> None:
    for statement in (
        """
        create table model_answer (       -- what a language model said, so that it is never paid for twice
            model text not null,
            digest text not null,         -- of the prompt's version and the words that were sent
            body text not null,           -- JSON: see engine.language_model.ModelAnswer
            at_ms integer not null,
            primary key (model, digest)
        ) strict, without rowid
        """,
        """
        create table model_spending (
            day text primary key,         -- 2031-10-04, by the clock of the writer
            requests integer not null,
            prompt_tokens integer not null,
            completion_tokens integer not null,
            money_millionths integer not null
        ) strict, without rowid
        """,
    ):
        db.execute(statement)


@migrations(name="0009_views")
def _views(_: Database) -> None:
    """Nothing: :func:`migrate` makes the views. Programs without this migration refuse all views."""


@migrations(name="0010_possible")
def _possible(db: Database) -> None:
    """Where a first guess may be right first: of games before this, only that of the end is known."""
    for table in ("shown", "standing"):
        db.execute(f"alter table {table} add column possible integer")  # words heard; null: never, or unknown
    for tossup_id, line, page in db.execute(
        "select id, answer_line, page from tossup join listed on listed.tossup = tossup.id where stumped"
    ).fetchall():
        list_final_guesses(db.conn, tossup_id, answer_of_columns(line, page))


@migrations(name="0011_counted")
def _counted(db: Database) -> None:
    """Whom a tossup stumps is counted from its games when somebody asks, for the players in use then."""
    for column in ("players", "able", "stumped"):
        db.execute(f"alter table listed drop column {column}")


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the database behind ``connection`` to the newest schema, with the views of this program."""
    db = Database(connection)
    drop_views(connection)  # renaming or dropping a column that a view names would fail
    migrations.apply(db)
    for name, view in VIEWS.items():
        db.create_view(name, view.select.strip())
    for (tossup_id,) in connection.execute(
        "select id from tossup where id not in (select tossup from listed)"
    ).fetchall():
        renumber_edits(connection, tossup_id)
        rebuild_columns(connection, tossup_id)
