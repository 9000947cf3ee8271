"""The database file: how it is opened, who may use it when, and what a transaction is."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from quizwriter.cancellation import Cancellation
from quizwriter.store.refusals import (
    database_is_foreign,
    database_is_gone,
    database_is_newer,
    translate_errors,
)

MIGRATIONS = ("0001_tossups", "0002_review", "0003_undo", "0004_outcomes", "0005_signatures")
"""The names of all migrations in :mod:`quizwriter.store.schema`, so that opening need not load it."""

BUSY_MS = 10_000
"""How long a transaction waits for another program that is writing; a merge writes for a few seconds."""

_TRY_MS = 100  # between two looks whether the wait was cancelled


class Database:
    """An open database file of ours, with all migrations applied. Any thread may use it.

    Those who write take turns, and so do those who read; nobody who reads waits for somebody who writes.
    """

    def __init__(self, path: Path) -> None:
        """Open the database at ``path``, making or updating it as needed.

        Raises:
            QuizwriterError: the file cannot be read, is not a database, is another program's, or was written
                by a newer version.
        """
        self.path = path
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        with translate_errors(path, "opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect()
            try:
                self._connection.execute("select count(*) from sqlite_master")  # makes the file
                self._file = path.stat()
                self._prepare()
                self._reader = self._connect()
            except BaseException:
                self._connection.close()
                raise

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, timeout=BUSY_MS / 1000, check_same_thread=False, isolation_level=None
        )

    def _prepare(self) -> None:
        db = self._connection
        applied = self._applied()
        if newer := sorted(applied - set(MIGRATIONS)):
            raise database_is_newer(self.path, newer[0])
        if not applied and db.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise database_is_foreign(self.path)
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.execute("pragma foreign_keys = on")
        if applied != set(MIGRATIONS):
            from quizwriter.store.schema import migrate

            with self.transaction():  # or two programs opening a new one would both make its tables
                migrate(db)

    def _applied(self) -> set[str]:
        """Our migrations that the database has; another program's may stand in the same table."""
        columns = {name for _, name, *_ in self._connection.execute("pragma table_info(_sqlite_migrations)")}
        if not columns >= {"migration_set", "name"}:
            return set()
        ours = "select name from _sqlite_migrations where migration_set = 'quizwriter'"
        return {name for (name,) in self._connection.execute(ours)}

    def close(self) -> None:
        """Close the file."""
        with self._lock, self._reading:
            self._reader.close()
            self._connection.close()

    @contextmanager
    def transaction(self, cancellation: Cancellation | None = None) -> Iterator[sqlite3.Connection]:
        """A block whose writing is on disk when the block ends, or undone as a whole if it raises.

        It begins when no other program writes any more, at the latest after :data:`BUSY_MS`.

        Raises:
            QuizwriterError: nothing could be written, or the file is no longer where it was opened.
            Cancelled: the transaction was cancelled before it began.
        """
        with self._lock, translate_errors(self.path, "written"):
            if not self._is_in_place():
                raise database_is_gone(self.path)
            self._begin(cancellation)
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise

    def _begin(self, cancellation: Cancellation | None) -> None:
        db = self._connection
        until = time.monotonic() + BUSY_MS / 1000
        db.execute(f"pragma busy_timeout = {min(_TRY_MS, BUSY_MS)}")
        try:
            while True:
                if cancellation is not None:
                    cancellation.check()
                try:
                    db.execute("begin immediate")
                    return
                except sqlite3.OperationalError as trouble:
                    if trouble.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                        raise
        finally:
            db.execute(f"pragma busy_timeout = {BUSY_MS}")

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), self._file)
        except FileNotFoundError:
            return False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A block that reads.

        Raises:
            QuizwriterError: the file cannot be read.
        """
        with self._reading, translate_errors(self.path, "read"):
            yield self._reader

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A block whose statements all see the database as it is when the block begins.

        Raises:
            QuizwriterError: the file cannot be read.
        """
        with self.reading() as db, _snapshot(db):
            yield db

    @contextmanager
    def long_snapshot(self) -> Iterator[sqlite3.Connection]:
        """As :meth:`snapshot`, for a block that takes long: nobody waits for it.

        Raises:
            QuizwriterError: the file cannot be read.
        """
        with translate_errors(self.path, "read"), closing(self._connect()) as db, _snapshot(db):
            yield db


@contextmanager
def _snapshot(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("begin")
    try:
        yield
    finally:
        db.execute("rollback")
