"""New databases as copies of one: making the tables takes five times as long, and nine waits for the disk."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import wraps
from pathlib import Path

import pytest

from quizwriter.store import database as of_program
from quizwriter.store.database import Database
from quizwriter.store.store import Store


@contextmanager
def made_once(folder: Path) -> Iterator[None]:
    """Until the block ends, a database that is not there yet begins as a copy of one in ``folder``."""
    whole = folder / "quizwriter.db"
    Database(whole).close()
    make, made = Database.__init__, _tables()

    @wraps(make)
    def copied(database: Database, path: Path, **given: object) -> None:
        if _tables() == made:  # a test may add one
            with suppress(OSError, ValueError):  # of which the program says more
                if not path.exists() and not path.is_symlink():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(whole, path)
        make(database, path, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "__init__", copied)
        patch.setattr(Database, "made_of", whole, raising=False)
        yield


def empty(store: Store) -> None:
    """Make the open database of ``store`` as it was when it was new."""
    database = store._database
    with closing(sqlite3.connect(database.made_of)) as new, database._lock:
        new.backup(database._connection)


def _tables() -> tuple[object, ...]:
    return *of_program.MIGRATIONS, *of_program.VIEWS.values()
