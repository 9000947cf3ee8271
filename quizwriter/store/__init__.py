"""SQLite, and only here: every edit of every tossup, and what the writer was shown."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quizwriter.domain.history import Change, Edit, replay
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.writing import Saving

MIGRATIONS = ("0001_tossups",)
"""The names of all migrations in :mod:`quizwriter.store.schema`, so that opening need not load it."""

BUSY_MS = 250

OPENING = 60
"""Characters of a tossup that a list shows."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A tossup as a list shows it."""

    tossup_id: str
    answer_line: str
    opening: str  # its first characters
    words: int
    changed_ms: int  # when its text or its answer was changed last


@dataclass(frozen=True, slots=True)
class Kept:
    """A tossup as it was saved: ``seq`` numbers its last edit, ``cursor`` is in code points."""

    tossup_id: str
    tossup: Tossup
    seq: int
    cursor: int


class Store:
    """The database of one writer. Any thread may use it; calls take turns."""

    def __init__(self, path: Path) -> None:
        """Open the database at ``path``, making or updating it as needed.

        Raises:
            QuizwriterError: it cannot be read, is no database, or a newer program wrote it.
        """
        self.path = path
        self._lock = threading.Lock()
        with self._explained("opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=BUSY_MS / 1000, check_same_thread=False, isolation_level=None
            )
            try:
                self._db.execute("select count(*) from sqlite_master")  # makes the file
                self._file = path.stat()
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        applied = self._applied()
        if newer := sorted(applied - set(MIGRATIONS)):
            raise QuizwriterError(
                f"The database {self.path} was written by a newer QuizWriter (it has {newer[0]}).",
                "Install that version or a later one; nothing in the file was touched.",
            )
        if not applied and self._db.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise QuizwriterError(
                f"The database {self.path} belongs to another program.",
                "Move it away, or choose another folder with QUIZWRITER_HOME; nothing in it was touched.",
            )
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = normal")
        self._db.execute("pragma foreign_keys = on")
        if applied != set(MIGRATIONS):
            from quizwriter.store.schema import migrate

            with self._transaction() as db:  # or two programs opening a new one would both make its tables
                migrate(db)

    def _applied(self) -> set[str]:
        """Our migrations that the database has; another program's may stand in the same table."""
        columns = {name for _, name, *_ in self._db.execute("pragma table_info(_sqlite_migrations)")}
        if not columns >= {"migration_set", "name"}:
            return set()
        ours = "select name from _sqlite_migrations where migration_set = 'quizwriter'"
        return {name for (name,) in self._db.execute(ours)}

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    def save(self, saving: Saving) -> None:
        """Put ``saving`` on disk, whole or not at all.

        Raises:
            QuizwriterError: the disk is full, the file locked, ...; nothing of it was saved.
        """
        with self._transaction() as db:
            _write(db, saving)

    def add(self, savings: Iterable[Saving]) -> None:
        """Put on disk the tossups that are not there yet, all or none; those that are stay as they are.

        Raises:
            QuizwriterError: as for :meth:`save`.
        """
        with self._transaction() as db:
            known = {tossup_id for (tossup_id,) in db.execute("select id from tossup")}
            for saving in savings:
                if saving.tossup_id not in known:
                    _write(db, saving)

    def tossups(self) -> tuple[Listed, ...]:
        """Every tossup, the one changed last first."""
        with self._reading() as db:
            rows = db.execute(
                """
                select id, answer_line, substr(cast(text as blob), 1, ?), words,
                       max(created_ms,
                           coalesce((select at_ms from edit where edit.tossup = tossup.id
                                     order by seq desc limit 1), 0),
                           coalesce((select at_ms from asked where asked.tossup = tossup.id
                                     order by asked.id desc limit 1), 0)) as changed
                from tossup order by changed desc, id
                """,
                [4 * OPENING],  # bytes, because substr ends a text at a NUL
            ).fetchall()
        return tuple(
            Listed(key, line, (opening or b"").decode("utf-8", "ignore")[:OPENING], words, changed_ms)
            for key, line, opening, words, changed_ms in rows
        )

    def last(self) -> str | None:
        """The id of the tossup saved last, if only because it was opened; None while there is none."""
        with self._reading() as db:
            row = db.execute("select id from tossup order by changed_ms desc, id limit 1").fetchone()
        return None if row is None else row[0]

    def load(self, tossup_id: str) -> Kept:
        """The tossup as it was saved.

        Raises:
            QuizwriterError: there is none with this id.
        """
        with self._reading() as db:
            row = db.execute(
                """
                select text, answer_line, page, cursor,
                       (select coalesce(max(seq), 0) from edit where edit.tossup = tossup.id)
                from tossup where id = ?
                """,
                [tossup_id],
            ).fetchone()
        if row is None:
            raise QuizwriterError("That tossup is not in the database.", "Pick another from the list.")
        text, line, page, cursor, seq = row
        answer = Answer(line, None if page is None else Page(page)) if line else None
        return Kept(tossup_id, Tossup(text, answer), seq, cursor)

    def history(self, tossup_id: str) -> tuple[Change, ...]:
        """Every edit of the tossup, in order."""
        with self._reading() as db:
            return _history(db, tossup_id)

    def check(self) -> tuple[str, ...]:
        """What is wrong with the database, in sentences; empty if it is sound.

        Sound means: SQLite finds no damage, and every history replays to its tossup's text and back.
        """
        histories = {}
        with self._reading() as db, _one_moment(db):
            damage = [str(line) for (line,) in db.execute("pragma integrity_check") if line != "ok"]
            damage += [
                f"A row of {table} points nowhere." for table, *_ in db.execute("pragma foreign_key_check")
            ]
            texts = dict(db.execute("select id, text from tossup"))
            for tossup_id in texts:
                histories[tossup_id] = _history(db, tossup_id)
        for tossup_id, text in texts.items():
            changes = histories[tossup_id]
            try:
                complete = [change.seq for change in changes] == list(range(1, len(changes) + 1))
                there = replay(change.edit for change in changes)
                back = replay((change.edit.undone() for change in reversed(changes)), text)
            except ValueError as trouble:
                damage.append(f"The history of tossup {tossup_id} does not replay: {trouble}.")
                continue
            if not complete or there != text or back:
                damage.append(f"The history of tossup {tossup_id} does not lead to its text.")
        return tuple(damage)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explained("written"):
            self._see_that_it_is_there()
            self._db.execute("begin immediate")
            try:
                yield self._db
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    def _see_that_it_is_there(self) -> None:
        """Or all would be written to a file that nobody will find again."""
        try:
            there = os.path.samestat(self.path.stat(), self._file)
        except FileNotFoundError:
            there = False
        if not there:
            raise QuizwriterError(
                f"The database {self.path} was moved or deleted while it was open.",
                "Put it back, or copy the draft and start QuizWriter again.",
            )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explained("read"):
            yield self._db

    @contextmanager
    def _explained(self, done: str) -> Iterator[None]:
        """The world's troubles as :class:`QuizwriterError`; a broken statement stays our bug."""
        try:
            yield
        except OSError as trouble:
            raise QuizwriterError(
                f"The folder of the database {self.path} cannot be used ({trouble.strerror}).",
                "Allow writing there, or choose another folder with QUIZWRITER_HOME.",
            ) from trouble
        except sqlite3.Error as trouble:
            code = getattr(trouble, "sqlite_errorcode", None)
            remedy = _REMEDIES.get(code & 0xFF) if code is not None else None
            if remedy is None:
                raise
            raise QuizwriterError(
                f"The database {self.path} could not be {done} ({trouble}).", remedy
            ) from trouble


def _write(db: sqlite3.Connection, saving: Saving) -> None:
    line = saving.answer.line if saving.answer else ""
    page = saving.answer.page if saving.answer else None
    key = saving.tossup_id
    before = db.execute("select answer_line, page from tossup where id = ?", [key]).fetchone()
    db.execute(
        """
        insert into tossup (id, answer_line, page, text, words, cursor, created_ms, changed_ms)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7,  -- whatever the clock says, what is saved last is last
                max(?7, (select coalesce(max(changed_ms), 0) + 1 from tossup)))
        on conflict (id) do update set answer_line = ?2, page = ?3, text = ?4, words = ?5,
                                       cursor = ?6, changed_ms = excluded.changed_ms
        """,
        [key, line, page, saving.text, len(Tossup(saving.text).words), saving.cursor, saving.at_ms],
    )
    if (line, page) != (before or ("", None)):
        db.execute(
            "insert into asked (tossup, at_ms, answer_line, page) values (?, ?, ?, ?)",
            [key, saving.at_ms, line, page],
        )
    db.executemany(
        "insert into edit (tossup, seq, at_ms, start, removed, inserted) values (?, ?, ?, ?, ?, ?)",
        [
            (
                key,
                change.seq,
                change.at_ms,
                change.edit.start,
                change.edit.removed,
                change.edit.inserted,
            )
            for change in saving.changes
        ],
    )
    db.executemany(
        """
        insert into shown (tossup, seq, at_ms, guesser, engine, words,
                           first_correct, stable_correct, buzz_heard, buzz_page, top)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (
                key, shown.seq, shown.at_ms, shown.guesser, shown.engine, shown.words,
                shown.first_correct, shown.stable_correct, shown.buzz_heard, shown.buzz_page,
                json.dumps([[guess.page, guess.score] for guess in shown.top], ensure_ascii=False),
            )
            for shown in saving.shown
        ],
    )  # fmt: skip


def _history(db: sqlite3.Connection, tossup_id: str) -> tuple[Change, ...]:
    rows = db.execute(
        "select seq, at_ms, start, removed, inserted from edit where tossup = ? order by seq", [tossup_id]
    )
    return tuple(Change(seq, at_ms, Edit(*edit)) for seq, at_ms, *edit in rows)


@contextmanager
def _one_moment(db: sqlite3.Connection) -> Iterator[None]:
    """All reading inside sees the database as it is now, whoever writes meanwhile."""
    db.execute("begin")
    try:
        yield
    finally:
        db.execute("rollback")


_REMEDIES = {
    sqlite3.SQLITE_FULL: "Make room on the disk.",
    sqlite3.SQLITE_IOERR: "Check the disk, and that the folder is still there.",
    sqlite3.SQLITE_BUSY: "Another program is using it; close that one.",
    sqlite3.SQLITE_LOCKED: "Another program is using it; close that one.",
    sqlite3.SQLITE_READONLY: "Allow writing to it and its folder.",
    sqlite3.SQLITE_PERM: "Allow reading and writing it.",
    sqlite3.SQLITE_CANTOPEN: "Check that the path is a file you may read and write.",
    sqlite3.SQLITE_NOTADB: "It is no database, or was damaged: move it away, or restore a copy.",
    sqlite3.SQLITE_CORRUPT: "It was damaged: move it away, or restore a copy.",
}
"""What helps, by SQLite's primary result code; whatever is not here is a bug of ours."""
