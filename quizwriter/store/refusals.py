"""The refusals of a database, as sentences: errors of SQLite, and breaches of the rules of the store."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import DecodingError


class DamagedDatabaseError(QuizwriterError):
    """The database is damaged: a backup can be restored, or the tossups that can be read can be rescued."""


_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_MEND = "Restore a backup with File > Restore from backup…, or save what can be read with quizwriter rescue."

_REMEDIES = {
    sqlite3.SQLITE_FULL: "Free some disk space.",
    sqlite3.SQLITE_IOERR: "Check the disk, and that the folder is still there.",
    sqlite3.SQLITE_BUSY: "Another program is using it; close that one.",
    sqlite3.SQLITE_LOCKED: "Another program is using it; close that one.",
    sqlite3.SQLITE_READONLY: "Allow writing to it and its folder.",
    sqlite3.SQLITE_PERM: "Allow reading and writing it.",
    sqlite3.SQLITE_CANTOPEN: "Check that the path is a file you may read and write.",
}
"""What helps, by SQLite's primary result code; a code that is not here is a bug of ours."""

_PAGE_BYTES = 4096
_DROPPED = re.compile(r"no such table: (?:main\.)?(\w{1,60})\Z")


@contextmanager
def translate_errors(path: Path, done: str) -> Iterator[None]:
    """A block that uses the database at ``path``, which is ``done`` in it: opened, read or written."""
    try:
        yield
    except DecodingError as trouble:
        raise DamagedDatabaseError(
            f"A row of the database {path} is damaged ({trouble}).", _MEND
        ) from trouble
    except UnicodeDecodeError as trouble:  # of SQLite's own message, which quotes the damaged schema
        raise DamagedDatabaseError(
            f"The database {path} is damaged: its schema makes no sense.", _MEND
        ) from trouble
    except OSError as trouble:
        raise QuizwriterError(
            f"The folder of the database {path} cannot be used ({trouble.strerror}).",
            "Allow writing there, or choose another folder with QUIZWRITER_HOME.",
        ) from trouble
    except sqlite3.Error as trouble:
        code = getattr(trouble, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in _DAMAGED:
            raise DamagedDatabaseError(f"The database {path} is damaged ({trouble}).", _MEND) from trouble
        if dropped := _DROPPED.match(str(trouble)):  # it was there when the database was opened
            raise database_lacks(path, f"the table {dropped[1]}") from trouble
        remedy = _REMEDIES.get(code & 0xFF) if code is not None else None
        if remedy is None:
            raise
        why = str(trouble)
        if remedy is _REMEDIES[sqlite3.SQLITE_IOERR] and _is_full(
            path
        ):  # SQLite does not say so of all its files
            why, remedy = "the disk is full", _REMEDIES[sqlite3.SQLITE_FULL]
        raise QuizwriterError(f"The database {path} could not be {done} ({why}).", remedy) from trouble


def _is_full(path: Path) -> bool:
    """Whether the disk of ``path`` has less room than a page of a database."""
    try:
        return shutil.disk_usage(path.parent).free < _PAGE_BYTES
    except OSError:
        return False


def database_is_busy(path: Path) -> QuizwriterError:
    """The refusal to let a window wait while this program writes something large, such as a merge."""
    return QuizwriterError(
        f"The database {path} is being written to by something larger, such as tossups that are received.",
        "Try again in a moment.",
    )


def database_lacks(path: Path, what: str) -> DamagedDatabaseError:
    """The refusal of a database of ours in which ``what``, a table or a column, is missing."""
    return DamagedDatabaseError(f"The database {path} is damaged ({what} is missing).", _MEND)


def database_is_altered(path: Path, trouble: sqlite3.Error) -> DamagedDatabaseError:
    """The refusal to update a database whose tables are not as an older version made them."""
    return DamagedDatabaseError(f"The database {path} is damaged: it cannot be updated ({trouble}).", _MEND)


def database_has_code(path: Path, what: str) -> QuizwriterError:
    """The refusal of a database with ``what``, which SQLite would run while QuizWriter reads and writes."""
    return QuizwriterError(
        f"The database {path} has {what}, which QuizWriter never makes and does not run.",
        "Take the tossups out of it into a new database with quizwriter rescue; nothing in it was touched.",
    )


def database_is_gone(path: Path, copy: Path | None) -> QuizwriterError:
    """The refusal to write into a file that nobody would find again; ``copy`` has what was saved so far."""
    saved = f" What was saved until then is in {copy}." if copy is not None else ""
    return QuizwriterError(
        f"The database {path} was moved or deleted while it was open, or another program replaced it.{saved}",
        "Keep sync programs away from its folder. Put it back, or copy the draft and start QuizWriter again.",
    )


def tossup_is_absent() -> QuizwriterError:
    return QuizwriterError(
        "That tossup is not in the database.",
        "Pick another from the list, which quizwriter list prints, too.",
    )


def tossup_is_locked() -> QuizwriterError:
    return QuizwriterError(
        "This tossup is accepted, so it cannot be edited.", "Unlock it, or copy the draft into a new one."
    )


def tossup_was_changed_elsewhere() -> QuizwriterError:
    """The refusal of edits that do not follow on the saved history."""
    return QuizwriterError(
        "This tossup was changed elsewhere since it was opened.",
        "Copy the draft, open the tossup again and put in what is missing.",
    )


def tossup_is_damaged(tossup_id: str, reason: str) -> DamagedDatabaseError:
    return DamagedDatabaseError(f"The tossup {tossup_id} is damaged in the database ({reason}).", _MEND)
