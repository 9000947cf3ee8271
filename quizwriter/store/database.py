"""The database file: how it is opened, who may use it when, and what a transaction is."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from quizwriter.cancellation import Cancellation
from quizwriter.domain.tossup_game import clean_line
from quizwriter.errors import QuizwriterError
from quizwriter.store.refusals import (
    database_has_code,
    database_is_altered,
    database_is_busy,
    database_is_gone,
    database_lacks,
    translate_errors,
)
from quizwriter.store.rows import binned_ms, shown_text, text_or_bytes
from quizwriter.store.views import VIEWS, are_current

MIGRATIONS = (
    "0001_tossups",
    "0002_review",
    "0003_undo",
    "0004_outcomes",
    "0005_signatures",
    "0006_styles",
    "0007_bin",
    "0008_language_model",
    "0009_views",
    "0010_possible",
    "0011_counted",
)
"""The names of all migrations in :mod:`quizwriter.store.schema`, so that opening need not load it."""

COLUMNS = {
    "tossup": "id answer_line page text words cursor created_ms changed_ms root seq head",
    "edit": "tossup seq at_ms start removed inserted id author kind",
    "asked": "id tossup at_ms answer_line page seq author",
    "shown": "id tossup seq at_ms guesser engine words first_correct stable_correct buzz_heard buzz_page top "
    "possible",
    "person": "id name email changed_ms key signature",
    "event": "id root seq after at_ms author kind body key signature",
    "listed": "tossup changed_ms answer words power author status status_ms status_seq locked superseded "
    "set_name category subcategory topic consent comments suggestions shift "
    "consent_basis consent_by packet bin",
    "standing": "tossup guesser engine seq words first_correct stable_correct buzz_heard buzz_right knowable "
    "possible",
    "kept": "kind name body",
    "answer_knowledge": "answer guesser engine knows",
    "signing_key": "person key first",
    "signed_run": "root first last person key signature",
    "model_answer": "model digest body at_ms",
    "model_spending": "day requests prompt_tokens completion_tokens money_millionths",
}
"""The columns of every table after all migrations. A database that lacks one was damaged."""

PARTIAL_INDEXES = {
    "signing_key_first": "create unique index signing_key_first on signing_key (person) where first",
    "event_styles": "create index event_styles on event (root, at_ms)"
    " where kind in ('styles', 'answer styles')",
}
"""The statements of the indexes that look at rows before they take them, by name."""

BUSY_MS = 10_000
"""How long a transaction waits for another program that is writing; a merge writes for a few seconds."""

MOMENT_MS = 250
"""How long the thread of a window waits instead."""

_QUOTED = re.compile(
    r"""'(?:[^']|'')*+(?:'|\Z)|"(?:[^"]|"")*+(?:"|\Z)|`(?:[^`]|``)*+(?:`|\Z)|\[[^\]]*+(?:\]|\Z)"""
    r"""|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"""
)
_RULE = re.compile(r"\b(?:as|cascade|check|collate|conflict|generated|set|unique|where)\b|\bdefault\s*+\(")
"""What makes SQLite work out an expression, or change other rows than it is told to."""

_LONGEST_MIGRATION = 40  # characters of a name; ours have half as many
_TRY_MS = 100  # between two looks whether the wait was cancelled


log = logging.getLogger(__name__)

_Statement = tuple[str, str, str, str, str]
"""What a statement makes, its name, its table, itself, and itself without capitals, comments and quotes."""

_Files = tuple[os.stat_result, os.stat_result | None]


class Database:
    """An open database file of ours, with all migrations applied. Any thread may use it.

    Those who write take turns, and so do those who read; nobody who reads waits for somebody who writes.
    """

    def __init__(self, path: Path, *, backup: bool = True, owner: Callable[[], str] = lambda: "") -> None:
        """Open the database at ``path``, making or updating it as needed; ``backup``: after a backup of it.

        ``owner`` gives the id of the person whose bin counts, see :data:`quizwriter.store.summaries.LISTED`.

        Raises:
            DamagedDatabaseError: the file is damaged, or is no database.
        """
        self.path = path
        self._owner = owner
        self._lock = threading.RLock()  # opening a replacement may update it within a transaction
        self._window_thread: int | None = None
        self._reading = threading.Lock()
        self._saved_aside: Path | None = None
        self._after_commit: Callable[[], object] | None = None
        self._replaced: Path | None = None
        self.after_replacement: Callable[[Path], object] = lambda aside: None
        """Called before the first writing into a database that took the place of the one that was opened.

        The argument is the backup of the former one.
        """
        with translate_errors(path, "opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect()
            try:
                self._connection.execute("select count(*) from sqlite_master")  # makes the file
                self._files: _Files = self.path.stat(), None
                self._prepare(backup=backup)
                self._reader = self._connect()
                self._files = self._stat_files()
            except BaseException:
                self._connection.close()
                raise

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_MS / 1000, check_same_thread=False, isolation_level=None
        )
        connection.text_factory = text_or_bytes
        connection.create_function("binned_ms", 1, lambda bins: binned_ms(bins, self._owner()))
        connection.execute("pragma trusted_schema = off")  # before anything of it is read
        connection.execute("pragma cell_size_check = on")  # a damaged page is refused before it is used
        return connection

    def _prepare(self, *, backup: bool) -> None:
        db = self._connection
        schema = list(_schema(db))
        applied = self._applied(schema)
        if newer := sorted(applied - set(MIGRATIONS)):
            raise QuizwriterError(
                f"The database {self.path} was written by a newer QuizWriter "
                f"(it has {clean_line(newer[0])}).",
                "Install that version or a later one; nothing in the file was touched.",
            )
        if not applied and db.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise QuizwriterError(
                f"The database {self.path} belongs to another program.",
                "Move it away, or choose another folder with QUIZWRITER_HOME; nothing in it was touched.",
            )
        views = self._check_code(schema)
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = full")  # a saving is on the disk when its transaction ends
        db.execute("pragma fullfsync = on")  # macOS asks the drive only then
        db.execute("pragma checkpoint_fullfsync = on")
        db.execute("pragma foreign_keys = on")
        outdated = applied != set(MIGRATIONS)
        if outdated or not are_current(views):
            from quizwriter.store.schema import migrate

            if applied and outdated and backup:
                from quizwriter.store.backups import BackupReason, Backups

                Backups(self.path).make(BackupReason.UPDATE, db)
            with self.transaction():  # or two programs opening a new one would both make its tables
                try:
                    migrate(db)
                except sqlite3.OperationalError as trouble:
                    if (
                        trouble.sqlite_errorcode & 0xFF == sqlite3.SQLITE_ERROR
                    ):  # a table is not as it was made
                        raise database_is_altered(self.path, trouble) from trouble
                    raise
        self._refuse_gaps()

    def _check_code(self, schema: Iterable[_Statement]) -> dict[str, str]:
        """The statements of the views that have the names of ours; other code in the database is refused.

        SQLite would run a trigger, a virtual table, or a rule in a table or index of ours, while QuizWriter
        reads and writes.
        """
        views, db = {}, self._connection
        for kind, name, table, sql, bare in schema:
            if kind == "view" and name in VIEWS:
                views[name] = sql
            elif kind not in ("table", "index", ""):
                what = f"{kind} table" if kind.startswith(("virtual", "temp")) else kind[:40]
                raise database_has_code(self.path, f"a {what}")
            elif table.lower() in COLUMNS and _has_rule(name, sql, bare):
                raise database_has_code(self.path, f"a rule in the {kind} {name.lower()[:40]}")
        expressions = "select m.name from sqlite_master m, pragma_index_xinfo(m.name) where cid = -2"
        if db.execute(expressions).fetchone() is not None:
            raise database_has_code(self.path, "an index of an expression")
        links = """
            select lower(m.name), lower(f."table"), f."from", f.on_update || f.on_delete
            from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'
        """
        for table, other, column, action in db.execute(links).fetchall():
            ours = (other, column, action) == ("tossup", "tossup", "NO ACTIONNO ACTION")
            if not ours if table in COLUMNS else other in COLUMNS:
                raise database_has_code(self.path, f"a link from the table {table[:40]} to {other[:40]}")
        return views

    def _refuse_gaps(self) -> None:
        found: dict[str, set[str]] = {}
        for table, column in self._connection.execute(
            "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'"
        ):
            found.setdefault(table, set()).add(column)
        for table, columns in COLUMNS.items():
            if table not in found:
                raise database_lacks(self.path, f"the table {table}")
            if gaps := [column for column in columns.split() if column not in found[table]]:
                raise database_lacks(self.path, f"the column {gaps[0]} of the table {table}")

    def _applied(self, schema: Iterable[_Statement]) -> set[str]:
        """Our migrations that the database has; another program's may stand in the same table."""
        if not any(one[:2] == ("table", "_sqlite_migrations") for one in schema):
            return set()  # a view of this name would run before it is refused
        columns = {name for _, name, *_ in self._connection.execute("pragma table_info(_sqlite_migrations)")}
        if not columns >= {"migration_set", "name"}:
            return set()
        ours = "select name from _sqlite_migrations where migration_set = 'quizwriter'"
        # whatever type and length a foreign hand gave them: one is named in a sentence
        return {str(name)[:_LONGEST_MIGRATION] for (name,) in self._connection.execute(ours)}

    def replace_contents(self, source: Path) -> None:
        """Replace the contents by those of ``source``, a file that :class:`Database` opened and closed.

        Everything is replaced in one transaction, or nothing.
        """
        from quizwriter.store.backups import replace_contents

        with self._lock, translate_errors(self.path, "written"):
            self._settle_in()
            replace_contents(self._connection, source)

    def serve_window(self, after_commit: Callable[[], object]) -> None:
        """Never let the calling thread, that of a window, wait longer than a moment from now on.

        No transaction waits for the disk; ``after_commit`` is called, to :meth:`sync` soon. A transaction
        that has ended survives the end of the program all the same. After a power failure, the transactions
        since the last :meth:`sync` may be undone, the last ones first; nothing is damaged. A transaction of
        this thread that cannot begin within :data:`MOMENT_MS` is refused.
        """
        with self._lock, translate_errors(self.path, "written"):
            self._connection.execute("pragma synchronous = normal")
            self._after_commit = after_commit
            self._window_thread = threading.get_ident()

    def sync(self) -> None:
        """Bring all transactions that have ended to the disk; nobody waits for that but the caller."""
        with translate_errors(self.path, "written"):
            try:
                # Opening and closing the log lets go of no lock: SQLite's locks are on the other two files.
                log = os.open(self.path.with_name(f"{self.path.name}-wal"), os.O_RDWR)
            except FileNotFoundError:
                return  # everything is in the database itself, which SQLite has synced
            try:
                os.fsync(log)
            finally:
                os.close(log)

    def compact(self) -> None:
        """Write the file anew without its free pages, and empty the log beside it: what was deleted is gone.

        Raises:
            QuizwriterError: another program has the database open and is reading it.
        """
        with self._lock, self._reading, translate_errors(self.path, "written"):
            db = self._connection
            db.execute("pragma secure_delete = on")
            db.execute("vacuum")
            busy, *_ = db.execute("pragma wal_checkpoint(truncate)").fetchone()
        if busy:
            raise database_is_busy(self.path)

    def close_as_one_file(self) -> None:
        """Close the database, which nobody else has open, without a log beside it."""
        with self._lock, self._reading:
            self._reader.close()
            self._connection.execute("pragma journal_mode = delete")
            self._connection.close()

    def close(self) -> None:
        with self._lock, self._reading:
            self._reader.close()
            self._connection.close()

    @contextmanager
    def transaction(self, cancellation: Cancellation | None = None) -> Iterator[sqlite3.Connection]:
        """A block whose writing is on disk when the block ends, or undone as a whole if it raises.

        It begins when nobody else writes any more, at the latest after :data:`BUSY_MS`, or
        :data:`MOMENT_MS` in the thread of a window.
        """
        patience_ms = MOMENT_MS if threading.get_ident() == self._window_thread else BUSY_MS
        with self._turn(patience_ms), translate_errors(self.path, "written"):
            self._settle_in()
            self._begin(cancellation, patience_ms)
            try:
                yield self._connection
                self._connection.execute("commit")
                if self._after_commit is not None:
                    self._after_commit()
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise

    @contextmanager
    def _turn(self, patience_ms: int) -> Iterator[None]:
        """The turn of the caller among the threads of this program that write."""
        window = threading.get_ident() == self._window_thread
        if not self._lock.acquire(timeout=patience_ms / 1000 if window else -1):
            raise database_is_busy(self.path)
        try:
            yield
        finally:
            self._lock.release()

    def _begin(self, cancellation: Cancellation | None, patience_ms: int) -> None:
        db = self._connection
        until = time.monotonic() + patience_ms / 1000
        db.execute(f"pragma busy_timeout = {min(_TRY_MS, patience_ms)}")
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

    def _stat_files(self) -> _Files:
        """The database and its write-ahead log, which is there as long as somebody has the database open."""
        log = self.path.with_name(f"{self.path.name}-wal")
        return self.path.stat(), log.stat() if log.exists() else None

    def _is_in_place(self) -> bool:
        """Whether both files are still those that were opened: a sync program replaces one or the other."""
        try:
            now = self._stat_files()
        except FileNotFoundError:
            return False
        return all(
            before is None or (after is not None and os.path.samestat(before, after))
            for before, after in zip(self._files, now, strict=True)
        )

    def _settle_in(self) -> None:
        """Go on with another database where one took the place of the one that was opened."""
        if not self._is_in_place():
            self._replaced = self._take_replacement()
        aside, self._replaced = self._replaced, None  # what is called writes, too
        if aside is not None:
            try:
                self.after_replacement(aside)
            except BaseException:
                self._replaced = aside
                raise

    def _take_replacement(self) -> Path:
        """Go on with another database of ours that somebody put in the place of the one that was opened.

        What was saved until then is copied aside first; the result is that copy.
        """
        copy = self._save_aside()
        if copy is None or not self.path.exists():
            raise database_is_gone(self.path, copy)
        before, files = self._connection, self._files
        self._connection, self._files = self._connect(), (self.path.stat(), None)
        try:
            schema = _schema(self._connection)
            if not self._applied(
                schema
            ):  # a file that a sync program has not filled yet is no database of ours
                raise database_is_gone(self.path, copy)
            self._prepare(backup=True)
            if self._after_commit is not None:
                self._connection.execute("pragma synchronous = normal")
            reader = self._connect()
        except BaseException as trouble:
            self._connection.close()
            self._connection, self._files = before, files
            if isinstance(trouble, QuizwriterError | sqlite3.Error):
                raise database_is_gone(self.path, copy) from trouble
            raise
        before.close()
        with self._reading:
            self._reader.close()
            self._reader = reader
        self._files, self._saved_aside = self._stat_files(), None
        return copy

    def _save_aside(self) -> Path | None:
        """The path of a copy of what is still open here, made once; None if none could be made.

        A write-ahead log that is left beside a file to which it does not belong would be mixed into that file
        at the next start, so it is removed.
        """
        from quizwriter.store.backups import BackupReason, Backups

        if self._saved_aside is None and self.path.parent.is_dir():
            try:
                self._saved_aside = Backups(self.path).make(BackupReason.MOVED, self._connection).path
            except QuizwriterError as trouble:
                log.warning("what is open could not be copied: %s", trouble)
                return None
            if self.path.exists() and not os.path.samestat(self.path.stat(), self._files[0]):
                for end, before in (("-wal", self._files[1]), ("-shm", None)):
                    left = self.path.with_name(self.path.name + end)
                    if left.exists() and (before is None or os.path.samestat(left.stat(), before)):
                        left.unlink()
        return self._saved_aside

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._reading, translate_errors(self.path, "read"):
            yield self._reader

    def foreign_version(self) -> int:
        """A number that changes once another program has written into the file.

        The connection that writes is asked: for every other one, this program's own savings are foreign, too.
        """
        with self._lock, translate_errors(self.path, "read"):
            return int(self._connection.execute("pragma data_version").fetchone()[0])

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A block whose statements all see the database as it is when the block begins."""
        with self.reading() as db, _snapshot(db):
            yield db

    @contextmanager
    def long_snapshot(self) -> Iterator[sqlite3.Connection]:
        """As :meth:`snapshot`, for a block that takes long: nobody waits for it."""
        with translate_errors(self.path, "read"), closing(self._connect()) as db, _snapshot(db):
            yield db


def _schema(db: sqlite3.Connection) -> Iterator[_Statement]:
    """The statements that the database was made by, as SQLite reads them.

    A foreign hand may give them any type, and writes behind the first NUL what SQLite does not read. By the
    statement alone SQLite knows what it makes: it takes "Trigger" for the kind of one, too.
    """
    for row in db.execute("select name, tbl_name, sql from sqlite_master").fetchall():
        name, table, sql = (shown_text(one).partition("\0")[0] for one in row)
        bare = _QUOTED.sub(" ", sql.lower())
        kind = "".join(bare.split()[1:2])  # empty: an index that SQLite made for a key
        yield "index" if kind == "unique" else kind, name, table, sql, bare


def _has_rule(name: str, sql: str, bare: str) -> bool:
    """Whether ``sql`` makes a table or an index with more than columns, types, keys and defaults."""
    return _RULE.search(bare) is not None and " ".join(sql.lower().split()) != PARTIAL_INDEXES.get(name)


@contextmanager
def _snapshot(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("begin")
    try:
        yield
    finally:
        db.execute("rollback")
