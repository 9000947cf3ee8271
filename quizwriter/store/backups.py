"""Backups of the database: made while people write, verified, kept by day and by week, and put back.

A backup is a database file of its own in the folder ``backups`` beside the database; its name says when and
why it was made. SQLite's online backup copies one state of the database, whatever is saved meanwhile.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from enum import StrEnum
from glob import escape
from itertools import chain, count
from pathlib import Path
from urllib.parse import quote

import msgspec

from quizwriter.cancellation import Cancellation, Cancelled, Progress
from quizwriter.errors import QuizwriterError
from quizwriter.store.refusals import DamagedDatabaseError, translate_errors
from quizwriter.store.rows import text_or_bytes
from quizwriter.system.atomic import atomic_path, sync_folder

FOLDER = "backups"
"""The folder beside the database."""

DAYS, WEEKS, OTHERS = 7, 4, 3
"""Backups that are kept: the last of each of so many days and weeks, and so many of each other reason."""

LEAST_BYTES = 1 << 30
"""All backups together may take this much, or :data:`MOST_TIMES` the size of the database if that is more."""

MOST_TIMES = 4

RESERVE_BYTES = 32 << 20
"""Bytes that a backup leaves free on the disk, because typing comes first."""

_PAGES = 512  # in one step, after which others may write
_STEPS = 1_000_000  # of SQLite's machine, after which a verification may be cancelled


class BackupReason(StrEnum):
    """Why a backup was made."""

    DAY = "day"  # the program makes one on each day on which it runs
    UPDATE = "update"  # a newer program was about to change the tables
    RESTORE = "restore"  # what another backup or a rescue replaced; only people delete it
    MOVED = "moved"  # somebody moved or replaced the open database: what it was; only people delete it
    EMPTIED = "emptied"  # somebody was about to empty the bin; only people delete it
    REQUESTED = "requested"  # somebody asked for it; only people delete it


HALF_RESTORED = ".quizwriter-restore-"
"""How the name of the folder begins in which a backup is made ready to be restored."""

LEFT_OVER_S = 24 * 3600
"""How old what is half made must be to be left over; making it takes minutes at most."""

_KEPT_FOR_GOOD = (
    BackupReason.REQUESTED,
    BackupReason.EMPTIED,
    BackupReason.RESTORE,
    BackupReason.MOVED,
)
"""Those that somebody asked for, and those that have what no database has any more."""

_NAME = re.compile(rf"-(\d{{8}}T\d{{6}}Z)(?:-\d+)?-({'|'.join(BackupReason)})")


class Backup(msgspec.Struct, frozen=True):
    """A backup: its file, when and why it was made, and its size in bytes."""

    path: Path
    made: datetime
    reason: BackupReason
    size: int


class DatabaseContents(msgspec.Struct, frozen=True):
    """The contents of a database: for each tossup by id, a value that changes with its text or answer."""

    words: int
    states: Mapping[str, int]

    @property
    def tossups(self) -> int:
        return len(self.states)


class Backups:
    """The backups of one database."""

    def __init__(
        self,
        database: Path,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        days: Callable[[], int] = lambda: DAYS,
    ) -> None:
        """The backups of the file ``database``, of which those of the last ``days`` days are kept."""
        self._database = database
        self._clock = clock
        self._days = days
        self.folder = database.parent / FOLDER

    def all(self) -> tuple[Backup, ...]:
        """All backups of the database, the newest first; files with other names are none."""
        found = []
        for path in self.folder.glob("*") if self.folder.is_dir() else ():
            if not path.name.startswith(f"{self._database.stem}-") or path.suffix != self._database.suffix:
                continue
            named = _NAME.fullmatch(path.stem, len(self._database.stem))
            if named and path.is_file() and not path.is_symlink():
                try:
                    made = datetime.strptime(named[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
                except ValueError:  # the 40th of May
                    continue
                found.append(Backup(path, made, BackupReason(named[2]), path.stat().st_size))
        return tuple(sorted(found, key=lambda one: (one.made, one.path.name), reverse=True))

    def is_due(self) -> bool:
        today = self._day(self._clock())
        return all(self._day(one.made) != today for one in self.all() if one.reason is BackupReason.DAY)

    def make(
        self,
        reason: BackupReason,
        connection: sqlite3.Connection | None = None,
        progress: Progress = lambda done, total: None,
        cancellation: Cancellation | None = None,
    ) -> Backup:
        """Make a backup, verify it, and delete old ones. Other threads and programs may write meanwhile.

        ``connection`` is one to the database that nobody else uses now; without it, one is opened.

        Raises:
            DamagedDatabaseError: the database is damaged. Nothing was kept, and no older backup was deleted.
        """
        path = self._free_name(reason)
        with translate_errors(self._database, "read"), _connected(self._database, connection) as source:
            self._remove_left_over()
            self._make_room(source)
            with (
                translate_errors(self.folder, "written"),
                atomic_path(path, problem=f"The backup {path} could not be written", make_folder=True) as new,
            ):
                _copy(source, new, progress, cancellation)
                self._verify(new, cancellation)
        made = next(one for one in self.all() if one.path == path)
        self._prune(made)
        return made

    def contents(self, backup: Path | None = None) -> DatabaseContents:
        path = backup or self._database
        opened = _connected(path, None) if backup is None else opened_untouched(path)
        with translate_errors(path, "read"), opened as db:
            rows = db.execute("select id, answer_line, page, text, words from tossup").fetchall()
        words = sum(row[4] for row in rows if isinstance(row[4], int))
        return DatabaseContents(words, {str(row[0]): hash(row[1:4]) for row in rows})

    def put_aside(self) -> Path:
        """Copy the files of the database as they are, because it cannot be opened; the copy's path."""
        aside = self._free_name(BackupReason.RESTORE)
        aside = aside.with_name(f"{aside.stem}-damaged{aside.suffix}")
        for end in ("", "-wal"):
            old = self._database.with_name(self._database.name + end)
            if old.is_file():
                problem = f"{old} could not be copied"
                with atomic_path(aside.with_name(aside.name + end), problem=problem, make_folder=True) as new:
                    shutil.copyfile(old, new)
        return aside

    def put_in_place(self, replacement: Path) -> None:
        """Let a copy of ``replacement`` be the database, which nobody has open."""
        problem = f"{self._database} could not be replaced"
        with atomic_path(self._database, problem=problem) as new:
            shutil.copyfile(replacement, new)
            for end in ("-wal", "-shm"):  # they belong to the old file
                self._database.with_name(self._database.name + end).unlink(missing_ok=True)
        sync_folder(self._database.parent)

    # -- when, where, how many

    def _day(self, moment: datetime) -> str:
        """The day by the clock on the wall; empty if it is still to come: the clock was wrong then."""
        return moment.astimezone().date().isoformat() if moment <= self._clock() else ""

    def _free_name(self, reason: BackupReason) -> Path:
        stamp = self._clock().astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        names = (f"-{number}" if number else "" for number in count())
        stem, suffix = self._database.stem, self._database.suffix
        paths = (self.folder / f"{stem}-{stamp}{number}-{reason}{suffix}" for number in names)
        return next(path for path in paths if not path.exists())

    def _kept(self, found: Sequence[Backup]) -> set[Path]:
        """The backups among ``found``, the newest first, that the rules keep."""
        kept: set[Path] = set()
        days: dict[str, Path] = {}
        weeks: dict[tuple[int, int], Path] = {}
        others: dict[BackupReason, list[Path]] = {}
        for one in found:
            if one.reason in _KEPT_FOR_GOOD:
                kept.add(one.path)
            elif one.reason is BackupReason.DAY:
                week = one.made.astimezone().isocalendar()
                days.setdefault(self._day(one.made), one.path)
                weeks.setdefault((week.year, week.week), one.path)
            else:
                others.setdefault(one.reason, []).append(one.path)
        kept.update([*days.values()][: self._days()], [*weeks.values()][:WEEKS])
        for paths in others.values():
            kept.update(paths[:OTHERS])
        return kept

    def _prune(self, made: Backup) -> None:
        """Delete what the rules do not keep, and the oldest beyond the limit of space; never ``made``."""
        found = self.all()
        kept = self._kept(found) | {made.path}
        if made.reason is not BackupReason.DAY:  # only who makes the daily ones knows how many are wanted
            kept |= {one.path for one in found if one.reason is BackupReason.DAY}
        most = max(LEAST_BYTES, MOST_TIMES * made.size)
        total = 0
        for one in found:
            total += one.size
            mine = one.path == made.path or one.reason in _KEPT_FOR_GOOD
            if one.path not in kept or (total > most and not mine):
                total -= one.size
                one.path.unlink(missing_ok=True)

    def _remove_left_over(self) -> None:
        """Delete what programs left half made that were killed while they made or restored a backup."""
        half = f".{escape(self._database.stem)}-*{escape(self._database.suffix)}.new*"
        found = chain(self.folder.glob(half), self._database.parent.glob(f"{HALF_RESTORED}*"))
        for path in found:
            with suppress(OSError):
                state = path.lstat()
                if time.time() - state.st_mtime < LEFT_OVER_S:  # somebody may be making it
                    continue
                shutil.rmtree(path) if stat.S_ISDIR(state.st_mode) else path.unlink()

    def _make_room(self, source: sqlite3.Connection) -> None:
        """Delete old backups until one more fits; the newest stays."""
        pages, size = (source.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size"))
        needed = pages * size
        with translate_errors(self.folder, "written"):
            self.folder.mkdir(parents=True, exist_ok=True)
            spare = [one for one in self.all() if one.reason is BackupReason.DAY][1:]
            while shutil.disk_usage(self.folder).free < needed + RESERVE_BYTES:
                if not spare:
                    free = shutil.disk_usage(self.folder).free
                    raise QuizwriterError(
                        f"There is no room for a backup of your tossups: it takes {_megabytes(needed)}, and "
                        f"{_megabytes(free)} are free on the disk of {self.folder}.",
                        "Free some disk space. What you write is saved all the same.",
                    )
                spare.pop().path.unlink(missing_ok=True)

    def _verify(self, copy: Path, cancellation: Cancellation | None) -> None:
        with opened_untouched(copy) as db:
            if cancellation is not None:
                db.set_progress_handler(lambda: cancellation.cancelled, _STEPS)
            try:
                found = [line for (line,) in db.execute("pragma integrity_check(1)")]
            except sqlite3.DatabaseError as trouble:
                if cancellation is not None and cancellation.cancelled:
                    raise Cancelled from trouble
                found = [str(trouble)]
        if found != ["ok"]:
            raise DamagedDatabaseError(
                f"The database {self._database} is damaged ({found[0]}), so no backup of it was made.",
                "Restore an earlier backup with File > Restore from backup…, or save what can be read with "
                "quizwriter rescue.",
            )


def replace_contents(target: sqlite3.Connection, source: Path) -> None:
    """Replace the contents of the database behind ``target`` by those of ``source``, all or nothing."""
    with opened_untouched(source) as db:
        db.backup(target)


def _copy(
    source: sqlite3.Connection, path: Path, progress: Progress, cancellation: Cancellation | None
) -> None:
    def follow(_: int, remaining: int, total: int) -> None:
        if cancellation is not None:
            cancellation.check()
        progress(total - remaining, total)

    with closing(sqlite3.connect(path, isolation_level=None)) as target:
        target.execute("pragma synchronous = off")  # the whole file is brought to the disk at the end
        source.backup(target, pages=_PAGES, progress=follow)
        target.execute("pragma journal_mode = delete")  # one file, without a log beside it


@contextmanager
def _connected(path: Path, connection: sqlite3.Connection | None) -> Iterator[sqlite3.Connection]:
    """A connection that sees one state of the database at ``path``; ``connection`` if there is one."""
    opened = connection or sqlite3.connect(
        f"file:{quote(os.fspath(path.absolute()))}?mode=rw", uri=True, isolation_level=None
    )
    try:
        if connection is None:
            opened.text_factory = text_or_bytes
            opened.execute("pragma trusted_schema = off")
            opened.execute("pragma query_only = on")
        # Without this, each saving of somebody else would begin the copy anew.
        opened.execute("begin")
        opened.execute("select count(*) from sqlite_master").fetchone()
        try:
            yield opened
        finally:
            if opened.in_transaction:
                opened.execute("rollback")
    finally:
        if connection is None:
            opened.close()


@contextmanager
def opened_untouched(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a database file that nobody writes; nothing is made beside it."""
    uri = f"file:{quote(os.fspath(path.absolute()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
        db.text_factory = text_or_bytes
        db.execute("pragma trusted_schema = off")
        yield db


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"
