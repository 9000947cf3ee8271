"""The lock of the window on its folder, so that nothing replaces the database under what somebody types."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from PySide6.QtCore import QLockFile

from quizwriter.errors import QuizwriterError


@contextmanager
def window_lock(folder: Path, remedy: str) -> Iterator[None]:
    """A block in which no window opens on the tossups in ``folder``; ``remedy`` helps while one is open."""
    with suppress(OSError):  # who opens the database says better what is wrong
        folder.mkdir(parents=True, exist_ok=True)
    lock = QLockFile(str(folder / "window.lock"))
    lock.setStaleLockTime(0)  # a window may stay open for weeks; one that was killed holds nothing
    failed = not lock.tryLock(0) and lock.error() == QLockFile.LockError.LockFailedError
    if failed and os.access(folder, os.W_OK):  # where nothing can be written, a stale lock stays
        raise QuizwriterError(f"QuizWriter is already open with the tossups in {folder}.", remedy)
    try:
        yield
    finally:
        lock.unlock()
