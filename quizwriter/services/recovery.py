"""Backups of the database and its rescue, also while the database cannot be opened."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.errors import QuizwriterError
from quizwriter.store.backups import DAYS, Backup, BackupReason, Backups, DatabaseContents
from quizwriter.store.rescue import RescueReport
from quizwriter.store.store import Store
from quizwriter.workflow.wording import counted_noun

REASONS = {
    BackupReason.DAY: "daily backup",
    BackupReason.UPDATE: "before an update of QuizWriter",
    BackupReason.RESTORE: "before a backup was restored",
    BackupReason.MOVED: "when the database was moved or replaced",
    BackupReason.EMPTIED: "before the bin was emptied",
    BackupReason.REQUESTED: "made on request",
}


class BackupLine(msgspec.Struct, frozen=True):
    """A backup as a list shows it, and what restoring it would change.

    ``returning`` tossups are in the backup only, ``changing`` ones differ from the database, and ``leaving``
    ones are in the database only. They are None where the database cannot be read. ``trouble`` says why the
    backup itself cannot be read; then everything else is 0.
    """

    path: Path
    made: datetime  # by the clock of this computer
    reason: str
    size: int  # bytes
    tossups: int = 0
    words: int = 0
    returning: int | None = None
    changing: int | None = None
    leaving: int | None = None
    trouble: str = ""

    @property
    def change(self) -> str:
        """What restoring the backup would change, in one sentence."""
        if self.trouble:
            return self.trouble
        if self.returning is None or self.changing is None or self.leaving is None:
            return "The present database cannot be read, so the changes are unknown."
        parts = []
        if self.returning:
            parts.append(f"{counted_noun(self.returning, 'tossup')} would return")
        if self.changing:
            parts.append(f"{counted_noun(self.changing, 'tossup')} would go back to that version")
        if self.leaving:
            parts.append(f"{counted_noun(self.leaving, 'tossup')} would leave the list")
        return f"{', '.join(parts)}." if parts else "No text or answer would change."


class Recovery:
    """The backups of one database, and what is done when the database is damaged."""

    def __init__(
        self,
        database: Path,
        open_store: Callable[[], Store],
        days: Callable[[], int] = lambda: DAYS,
        keep_name: Callable[[], object] = lambda: None,
    ) -> None:
        """Recovery of the file ``database``; ``open_store`` opens it, and fails where it is damaged.

        The last backup of each of so many ``days`` is kept. ``keep_name`` lets a database that was restored
        know the present name of the user.
        """
        self.database = database
        self._backups = Backups(database, days=days)
        self._open_store = open_store
        self._keep_name = keep_name

    @property
    def folder(self) -> Path:
        """Where the backups are; the first backup makes it."""
        return self._backups.folder

    def serve_window(
        self, after_save: Callable[[], object], after_replacement: Callable[[Path], object]
    ) -> None:
        """Never let the calling thread, that of a window, wait longer than a moment for the database.

        No saving waits for the disk; ``after_save`` is called after each, to :meth:`sync` soon.
        ``after_replacement`` is called with the backup of the former database, in the thread that saves, once
        another program put another database in its place.
        """
        store = self._open_store()
        store.serve_window(after_save)
        store.after_replacement = after_replacement

    def sync(self) -> None:
        self._open_store().sync()

    def is_backup_due(self) -> bool:
        return self._backups.is_due()

    def back_up(
        self,
        *,
        requested: bool = False,
        progress: Progress = lambda done, total: None,
        cancellation: Cancellation | None = None,
    ) -> Backup:
        """Make today's backup, or one that stays until somebody deletes it; slow, any thread may call it."""
        reason = BackupReason.REQUESTED if requested else BackupReason.DAY
        return self._backups.make(reason, progress=progress, cancellation=cancellation)

    def lines(self, progress: Progress = lambda done, total: None) -> tuple[BackupLine, ...]:
        """All backups, the newest first. Slow: each is read."""
        try:
            now = self._backups.contents()
        except QuizwriterError:
            now = None
        found = self._backups.all()
        lines = []
        for done, one in enumerate(found):
            progress(done, len(found))
            lines.append(self._line(one, now))
        return tuple(lines)

    def restore(self, backup: Path) -> Path:
        """Restore the open database from ``backup``; the result is the backup of the old contents."""
        return self._open_store().restore(backup)

    def restore_closed(self, backup: Path) -> Path:
        """As :meth:`restore`, where the database cannot be opened; nobody may have it open."""
        from quizwriter.store.restore import restore_closed

        aside = restore_closed(self.database, backup)
        self._bring_up_to_date()
        return aside

    def rescue_closed(self, progress: Progress = lambda done, total: None) -> tuple[RescueReport, Path]:
        """Put what can be read of the database, which nobody may have open, in its place.

        The result is the list of what came back, and the path at which the damaged database is kept.
        """
        from quizwriter.store.restore import rescue_closed

        report, aside = rescue_closed(self.database, progress)
        self._bring_up_to_date()
        return report, aside

    def _bring_up_to_date(self) -> None:
        """Take what happened after the backup was made: another name of the user, and people forgotten."""
        store = self._open_store()
        self._keep_name()
        if store.forgotten:
            store.erase_names(store.forgotten)

    def newest(self) -> Path | None:
        return next((one.path for one in self._backups.all()), None)

    def _line(self, one: Backup, now: DatabaseContents | None) -> BackupLine:
        made, reason = one.made.astimezone(), REASONS[one.reason]
        try:
            then = self._backups.contents(one.path)
        except QuizwriterError as trouble:
            return BackupLine(one.path, made, reason, one.size, trouble=trouble.problem)
        changes: tuple[int | None, int | None, int | None] = None, None, None
        if now is not None:
            both = then.states.keys() & now.states.keys()
            changes = (
                len(then.states.keys() - both),
                sum(then.states[key] != now.states[key] for key in both),
                len(now.states.keys() - both),
            )
        return BackupLine(one.path, made, reason, one.size, then.tossups, then.words, *changes)
