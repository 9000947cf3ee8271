"""More evidence from the internet: what there is, and the program that fetches and indexes it."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.errors import QuizwriterError

if TYPE_CHECKING:
    from index_builder.data import DataSource

FETCHED = "sources"
"""The folder beside the bundle that holds what was fetched; :mod:`index_builder.pipeline` calls it so."""


@dataclass(frozen=True)
class DownloadOffer:
    """What more evidence there is to be had; sizes as people say them."""

    sources: tuple[DataSource, ...]
    folder: Path  # where it is kept
    free: str  # room on that disk
    kept: str  # the size of what was fetched before; empty if nothing was


class Downloads:
    """What *Get more evidence* fetches, and where it is kept."""

    def __init__(self, home: Path) -> None:
        """Downloads below the data folder ``home``."""
        self._home = home

    @property
    def folder(self) -> Path:
        """Where *Get more evidence* keeps what it fetches and makes; not there before."""
        return self._home / "evidence"

    def offer(self) -> DownloadOffer:
        """What *Get more evidence* would fetch, and what is here of it."""
        from index_builder.data import QANTA, WIKIPEDIA, megabytes

        folder = self.folder
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        kept = sum(path.stat().st_size for path in (folder / FETCHED).glob("*"))
        free = shutil.disk_usage(there).free
        return DownloadOffer((QANTA, WIKIPEDIA), folder, megabytes(free), megabytes(kept) if kept else "")

    def command(self, *, mirror: str) -> list[str]:
        """The program that fetches and indexes more evidence, and says how far it is in lines of JSON.

        ``mirror`` is a file with the questions, or another address of them; empty for their own.
        """
        command = [sys.executable, "-P", "-m", "index_builder", "all", "--json-progress"]
        command += ["--out", str(self.folder)]
        return [*command, *(["--mirror", mirror] if mirror else [])]

    def remove_fetched(self) -> None:
        """Remove what was fetched; the bundles built of it stay.

        Raises:
            QuizwriterError: it cannot be removed.
        """
        folder = self.folder / FETCHED
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass
        except OSError as trouble:
            raise QuizwriterError(
                f"{folder} could not be removed ({trouble.strerror}).", "Remove that folder by hand."
            ) from trouble
