"""The database file: how it is opened, who may use it when, and what a transaction is."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quizwriter.store.refusals import (
    database_is_foreign,
    database_is_gone,
    database_is_newer,
    translate_errors,
)

MIGRATIONS = ("0001_tossups", "0002_review", "0003_undo", "0004_outcomes", "0005_signatures")
"""The names of all migrations in :mod:`quizwriter.store.schema`, so that opening need not load it."""

BUSY_MS = 250
"""How long a statement waits for another program that is writing."""


class Database:
    """An open database file of ours, with all migrations applied. Any thread may use it; calls take turns."""

    def __init__(self, path: Path) -> None:
        """Open the database at ``path``, making or updating it as needed.

        Raises:
            QuizwriterError: the file cannot be read, is not a database, is another program's, or was written
                by a newer version.
        """
        self.path = path
        self._lock = threading.Lock()
        with translate_errors(path, "opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=BUSY_MS / 1000, check_same_thread=False, isolation_level=None
            )
            try:
                self._connection.execute("select count(*) from sqlite_master")  # makes the file
                self._file = path.stat()
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

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
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A block whose writing is on disk when the block ends, or undone as a whole if it raises.

        Raises:
            QuizwriterError: nothing could be written, or the file is no longer where it was opened.
        """
        with self._lock, translate_errors(self.path, "written"):
            if not self._is_in_place():
                raise database_is_gone(self.path)
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise

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
        with self._lock, translate_errors(self.path, "read"):
            yield self._connection

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A block whose statements all see the database as it is when the block begins.

        Raises:
            QuizwriterError: the file cannot be read.
        """
        with self.reading() as db:
            db.execute("begin")
            try:
                yield db
            finally:
                db.execute("rollback")
