"""A connection of a test's own to the database of a store: for what is in the file, and changes by hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from quizwriter.store.store import Store


@contextmanager
def connected(store: Store) -> Iterator[sqlite3.Connection]:
    """The file of ``store``, opened once more; a transaction begun in the block is committed at its end."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        yield db
        if db.in_transaction:
            db.execute("commit")


def select(store: Store, statement: str, *values: object) -> list[tuple[object, ...]]:
    """All rows that ``statement`` finds in the file of ``store``."""
    with connected(store) as db:
        return db.execute(statement, values).fetchall()
