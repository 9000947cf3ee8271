"""Files that are written whole or not at all."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, TextIO, cast

from quizwriter.errors import QuizwriterError

DEFAULT_REMEDY = "Free some disk space, or allow writing there."


@contextmanager
def atomic_path(path: Path, *, problem: str, make_folder: bool = False) -> Iterator[Path]:
    """A path for a program or a library to make a file at, which becomes ``path`` when the block ends.

    As :func:`atomic_write`, for what opens its file itself.
    """
    new = path.parent / f".{path.name}.new"  # with_name() takes no path such as "."
    with _published(new, path, problem, DEFAULT_REMEDY, make_folder=make_folder):
        for end in ("", "-wal", "-shm", "-journal"):  # what a stopped program left: SQLite would add it
            new.with_name(new.name + end).unlink(missing_ok=True)
        yield new
        with new.open("rb+") as file:
            os.fsync(file.fileno())


@contextmanager
def atomic_write(
    path: Path,
    *,
    problem: str = "",
    remedy: str = DEFAULT_REMEDY,
    make_folder: bool = False,
    private: bool = False,
) -> Iterator[BinaryIO]:
    """A file to write and read, which becomes ``path`` when the block ends.

    The file lies beside ``path`` until it is complete and on the disk. If the block raises, or the computer
    stops, the old file at ``path`` stays. Once the block has ended, the new file survives a power failure.
    ``make_folder`` makes a missing folder. Other users of the computer cannot read a ``private`` file.
    """
    new = path.parent / f".{path.name}.new"  # with_name() takes no path such as "."
    with _published(new, path, problem, remedy, make_folder=make_folder):
        if private:
            new.unlink(missing_ok=True)  # one that others can read may have been left
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        flags |= os.O_EXCL if private else os.O_TRUNC
        with open(os.open(new, flags, 0o600 if private else 0o666), "w+b") as file:
            yield cast("BinaryIO", file)
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def _published(new: Path, path: Path, problem: str, remedy: str, *, make_folder: bool) -> Iterator[None]:
    """A block that makes ``new``, which becomes ``path`` at its end, or is removed."""
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield
            new.replace(path)
        except BaseException:
            with suppress(OSError):
                new.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except (OSError, UnicodeEncodeError) as trouble:
        reason = trouble.strerror if isinstance(trouble, OSError) else trouble.reason
        raise QuizwriterError(f"{problem or f'{path} could not be written'} ({reason}).", remedy) from trouble


def write_over(path: Path, raw: bytes) -> None:
    """Put ``raw`` in the place of what the file at ``path`` holds: it stays the file that others have open.

    Room for it is made first, so that a full disk leaves the file as it was.
    """
    with path.open("r+b", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            _write_all(file, bytes(max(0, len(raw) - before)))
            os.fsync(file.fileno())
        except OSError:
            file.truncate(before)
            raise
        file.seek(0)
        _write_all(file, raw)
        file.truncate()
        os.fsync(file.fileno())


def _write_all(file: io.FileIO, raw: bytes) -> None:
    left = memoryview(raw)
    while left:
        left = left[file.write(left) :]


def sync_folder(folder: Path) -> None:
    """Bring the names of the files in ``folder`` to the disk: a renamed file keeps its new name.

    Windows and some network disks cannot do that by themselves; there the system does it in its own time.
    """
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def temporary_file() -> Iterator[IO[bytes]]:
    """A file for the time of the block, of which no more than 64 MiB take memory."""
    try:
        with tempfile.SpooledTemporaryFile(64 << 20) as file:
            yield file
    except OSError as trouble:
        raise QuizwriterError(
            f"A temporary file in {tempfile.gettempdir()} could not be written ({trouble.strerror}).",
            "Free some disk space there.",
        ) from trouble


@contextmanager
def atomic_text(
    path: Path,
    *,
    encoding: str = "utf-8",
    newline: str = "\n",
    problem: str = "",
    remedy: str = DEFAULT_REMEDY,
    make_folder: bool = False,
) -> Iterator[TextIO]:
    """:func:`atomic_write` for text; line ends become ``newline``, or stay if it is empty."""
    with atomic_write(path, problem=problem, remedy=remedy, make_folder=make_folder) as file:
        text = io.TextIOWrapper(file, encoding=encoding, newline=newline)
        try:
            yield text
            text.flush()
        finally:
            with suppress(OSError, ValueError):
                text.detach()  # the file is closed where it was opened
