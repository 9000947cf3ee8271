"""Downloads of more evidence: the sources, and the program that fetches and indexes them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quizwriter.errors import QuizwriterError
from quizwriter.system.children import Child, child_command
from quizwriter.system.extras import TRAINING, require_extra

if TYPE_CHECKING:
    from index_builder.data.catalogue import DataSource

SOURCES_FOLDER = "sources"
"""The name of the folder for downloaded files; :mod:`index_builder.pipeline` uses the same name."""


class DownloadOffer(msgspec.Struct, frozen=True):
    """The evidence that can be downloaded. Sizes are text for people."""

    sources: tuple[DataSource, ...]
    folder: Path  # the folder for it
    free_space: str  # the free space on the disk of ``folder``
    fetched_size: str  # the size of the files that are here already; empty if there are none
    untrained: str = ""  # why only the first player will use the evidence; empty if the others are trained


class Downloads:
    """The downloads of *Get more evidence*."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @property
    def folder(self) -> Path:
        """The folder of the downloads and of the bundles made of them. The first download makes it."""
        return self._home / "evidence"

    def offer(self) -> DownloadOffer:
        """The sources that *Get more evidence* downloads, and the size of the files that are here already."""
        from index_builder.data.catalogue import QANTA, WIKIPEDIA, megabytes

        folder = self.folder
        existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free = megabytes(shutil.disk_usage(existing).free)
        fetched = sum(path.stat().st_size for path in (folder / SOURCES_FOLDER).glob("*"))
        untrained = ""
        try:
            require_extra("train", TRAINING)
        except QuizwriterError as trouble:
            untrained = str(trouble)
        return DownloadOffer(
            (QANTA, WIKIPEDIA), folder, free, megabytes(fetched) if fetched else "", untrained
        )

    def command(self, *, mirror: str) -> tuple[str, ...]:
        """The command that fetches and indexes more evidence. It prints its progress as lines of JSON.

        ``mirror`` is a file with the questions or another address of them; empty: the address of the source.
        """
        other = ("--mirror", mirror) if mirror else ()
        return child_command(Child.BUILDER, "all", "--json-progress", "--out", str(self.folder), *other)

    def remove_fetched(self) -> None:
        """Remove the downloaded files; the bundles that were built of them stay."""
        folder = self.folder / SOURCES_FOLDER
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass
        except OSError as trouble:
            raise QuizwriterError(
                f"{folder} could not be removed ({trouble.strerror}).", "Remove that folder by hand."
            ) from trouble
