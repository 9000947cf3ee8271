"""Files that a manifest names: regular files inside the manifest's folder, and nothing else.

A folder with a manifest, such as a bundle or a challenge set, may come from a stranger. Its manifest may
name any path, and the folder may hold symbolic links, pipes and devices. Every name from a manifest is
decoded as a :data:`MemberName`, and every file that it names is opened by :func:`open_member`. What is no
regular file raises a :class:`DecodingError`; what is not there, or cannot be read, an ``OSError``.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from quizwriter.system.decoding import DecodingError, decode_value

_DEVICES = r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.[^/]*)?(?:/|\Z)"
_LETTER = r"[^\x00-\x1f\x7f\"*:<>?\\|/"  # what Windows allows in a name; "/" parts names everywhere
_PART = rf"(?!(?i:{_DEVICES})){_LETTER}]*{_LETTER}. ]"  # "." and ".." end with a dot

MemberName = Annotated[str, msgspec.Meta(max_length=400, pattern=rf"\A{_PART}(?:/{_PART})*\Z")]
"""The name of a file within a folder: parts with "/" between them.

Each part is a possible name of a file on every system. The name is never absolute and never climbs, has no
letter of a drive and no control character, and names no device of Windows such as ``NUL``.
"""

_UNFOLLOWED = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)  # what systems say instead of following a link
_REPARSE_POINT = 0x400  # the attribute of links and junctions on Windows


def open_member(folder: Path, name: str) -> io.BufferedReader:
    """The regular file ``name`` in ``folder``, opened for reading.

    ``folder`` itself may be a link, because a person chose it. Nothing below it is followed.
    """
    parts = decode_value(name, MemberName).split("/")
    descriptor = _open_below(folder, parts) if os.open in os.supports_dir_fd else _open_checked(folder, parts)
    return os.fdopen(descriptor, "rb")


def read_member(folder: Path, name: str, most_bytes: int) -> bytes:
    """The contents of the file ``name`` in ``folder``, of at most ``most_bytes`` bytes."""
    with open_member(folder, name) as file:
        raw = file.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise DecodingError(f"{name} has more than {most_bytes:,} bytes")
    return raw


def member_state(folder: Path, name: str) -> tuple[int, str]:
    """The size in bytes of the file ``name`` in ``folder``, and the SHA-256 digest of its bytes."""
    with open_member(folder, name) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest


def member_size(folder: Path, name: str) -> int:
    """The size in bytes of the file ``name`` in ``folder``, which is not read."""
    with open_member(folder, name) as file:
        return os.fstat(file.fileno()).st_size


def member_folder(folder: Path, name: str) -> Path:
    """The path of the folder ``name`` in ``folder``, which need not be there; to be written to or removed."""
    path = folder
    for part in decode_value(name, MemberName).split("/"):
        path /= part
        with suppress(FileNotFoundError):
            state = path.lstat()
            if _is_link(state) or not stat.S_ISDIR(state.st_mode):
                raise DecodingError(f"{path} is a link, or no folder")
    return path


def _open_below(folder: Path, parts: list[str]) -> int:
    """Open one part after the other, so that nobody can put a link in between."""
    above = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = _open_unfollowed(part, os.O_DIRECTORY, above)
            os.close(above)
            above = below
        _require_regular(os.stat(parts[-1], dir_fd=above, follow_symlinks=False), parts[-1])
        descriptor = _open_unfollowed(parts[-1], os.O_NONBLOCK, above)  # a pipe would wait for its writer
    finally:
        os.close(above)
    return _checked(descriptor, parts[-1])


def _open_unfollowed(part: str, flags: int, above: int) -> int:
    try:
        return os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=above)
    except OSError as trouble:
        if trouble.errno in _UNFOLLOWED:
            raise DecodingError(f"{part} is a link, or no folder") from trouble
        raise


def _open_checked(folder: Path, parts: list[str]) -> int:
    """The same where the system opens whole paths only, as Windows does."""
    path = folder
    for part in parts:
        path /= part
        state = path.lstat()
        if _is_link(state):
            raise DecodingError(f"{part} is a link, or no folder")
    _require_regular(state, parts[-1])
    return _checked(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), parts[-1])


def _checked(descriptor: int, name: str) -> int:
    try:
        _require_regular(os.fstat(descriptor), name)
    except BaseException:
        with suppress(OSError):
            os.close(descriptor)
        raise
    return descriptor


def _is_link(state: os.stat_result) -> bool:
    return stat.S_ISLNK(state.st_mode) or bool(getattr(state, "st_file_attributes", 0) & _REPARSE_POINT)


def _require_regular(state: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise DecodingError(f"{name} is not a regular file")
