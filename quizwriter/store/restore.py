"""A database restored from a backup, or from its own readable rest. The old file is kept aside."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from quizwriter.cancellation import Progress
from quizwriter.errors import QuizwriterError
from quizwriter.store.backups import HALF_RESTORED, BackupReason, Backups
from quizwriter.store.database import Database
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.store.rescue import RescueReport, rescue
from quizwriter.system.atomic import DEFAULT_REMEDY


def restore_open(database: Database, backup: Path) -> Path:
    """Restore ``backup`` into the open ``database``; return the file that keeps the former contents."""
    with _checked_copy(database.path, backup) as checked:
        backups = Backups(database.path)
        try:
            aside = backups.make(BackupReason.RESTORE).path
        except DamagedDatabaseError:
            aside = backups.put_aside()
        database.replace_contents(checked)
    return aside


def restore_closed(path: Path, backup: Path) -> Path:
    """As :func:`restore_open`, for the database at ``path``, which nobody has open: it may be damaged."""
    backups = Backups(path)
    with _checked_copy(path, backup) as checked:
        aside = backups.put_aside()
        backups.put_in_place(checked)
    return aside


def rescue_closed(path: Path, progress: Progress) -> tuple[RescueReport, Path]:
    """Let what can be read of the database at ``path``, which nobody has open, take its place.

    The result is the list of what came back, and the path at which the damaged database is kept.
    """
    backups = Backups(path)
    aside = backups.put_aside()
    with _work_folder(path, f"{path} could not be rescued") as folder:
        report = rescue(aside, folder / path.name, progress)
        backups.put_in_place(report.target)
    return report, aside


@contextmanager
def _checked_copy(path: Path, backup: Path) -> Iterator[Path]:
    """A copy of ``backup`` that a :class:`Database` has opened, updated and found sound."""
    with _work_folder(path, f"The backup {backup} could not be restored") as folder:
        copy = folder / backup.name
        shutil.copyfile(backup, copy)
        opened = Database(copy, backup=False)
        try:
            with opened.reading() as db:
                found = db.execute("pragma integrity_check(1)").fetchone()[0]
        finally:
            opened.close()
        if found != "ok":
            raise DamagedDatabaseError(f"The backup {backup} is damaged ({found}).", "Choose another backup.")
        yield copy


@contextmanager
def _work_folder(path: Path, problem: str) -> Iterator[Path]:
    """A folder on the disk of the database at ``path``, removed at the end of the block."""
    try:
        with TemporaryDirectory(prefix=HALF_RESTORED, dir=path.parent) as folder:
            yield Path(folder)
    except OSError as trouble:
        raise QuizwriterError(f"{problem} ({trouble.strerror}).", DEFAULT_REMEDY) from trouble
