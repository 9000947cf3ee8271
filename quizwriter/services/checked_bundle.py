"""The bundle whose files a window checked last: unchanged files need not be read again at every start."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from pathlib import Path

from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_write

log = logging.getLogger(__name__)

FILE_NAME = "checked-bundle.txt"
"""The name of the file in the writer's folder; it holds the state of one bundle."""

SETTLED_S = 3.0
"""How old the last change of a file is at least: a later one in the same moment would have the same times."""


class CheckedBundle:
    """The state of the bundle that was checked last.

    The state of a bundle is that of its folder and of every file in it: size, number, and times of the last
    change. A program that changes a file changes one of these. What a disk loses by itself changes none;
    ``quizwriter check`` finds that.
    """

    def __init__(self, home: Path) -> None:
        self._file = home / FILE_NAME

    def state(self, bundle: Path) -> str:
        """The state of ``bundle`` at its place; empty where it changed a moment ago, or is unknown."""
        digest = hashlib.sha256()
        newest = 0
        try:
            for folder, below, names in os.walk(bundle.resolve()):
                below.sort()
                for name in ("", *sorted(names)):
                    path = os.path.join(folder, name)
                    found = os.lstat(path)
                    newest = max(newest, found.st_mtime_ns, found.st_ctime_ns)
                    facts = (found.st_mode, found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
                    digest.update(repr((path, facts)).encode("utf-8", "surrogateescape"))
        except OSError:
            return ""
        return digest.hexdigest() if 0 < newest < time.time_ns() - SETTLED_S * 1e9 else ""

    def has(self, state: str) -> bool:
        """Whether this is the state of a bundle that was sound."""
        try:
            with self._file.open("rb") as file:
                return bool(state) and file.read(len(state) + 1) == state.encode()
        except OSError:
            return False

    def keep(self, bundle: Path, state: str) -> None:
        """Keep that ``bundle``, which was in this ``state`` before it was checked, is sound.

        Nothing is kept of one that has changed meanwhile.
        """
        if not state or self.state(bundle) != state:
            return
        try:
            with atomic_write(self._file, problem="The state of the bundle could not be saved") as file:
                file.write(state.encode())
        except QuizwriterError as trouble:
            log.info("%s", trouble)  # the next start reads all files again
