"""The tables, as migrations in the order they were released; none is ever edited afterwards.

``sqlite_utils`` is slow to import, so this module is loaded only when a database needs a migration.
"""

from __future__ import annotations

import sqlite3

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


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the database behind ``connection`` to the newest schema."""
    migrations.apply(Database(connection))
