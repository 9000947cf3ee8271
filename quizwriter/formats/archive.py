"""Packs: tossups with their whole histories in one file, to be sent from one machine to another.

A pack is a zip of ``tossups.jsonl`` (each line is a tossup or one branch of a tossup), ``people.jsonl`` and
``manifest.json``; the comment of the zip is a digest of all bytes before it. A pack may come from anybody:
everything in it is checked before use, and nothing of it is unpacked to the disk.
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, BinaryIO, TypeVar, cast

import msgspec

from quizwriter import __version__
from quizwriter.domain.events import encode_body, first_pack_version, newest_pack_version
from quizwriter.domain.review import Person
from quizwriter.domain.tossup_game import clean_line
from quizwriter.errors import QuizwriterError
from quizwriter.formats.archive_lines import (
    LONGEST_LINE,
    decode_branch,
    decode_person,
    encode_branch,
    encode_line,
    encode_person,
    root_of,
)
from quizwriter.system.atomic import atomic_write, temporary_file
from quizwriter.system.decoding import LARGEST_NUMBER, Count, DecodingError, check_zip, decode_json
from quizwriter.system.moments import AHEAD_MS
from quizwriter.workflow.branches import MOST_BRANCHES, Branch
from quizwriter.workflow.session import now_ms

FORMAT = "quizwriter-pack"
_COMMON_VERSION = 2  # of a pack that holds nothing which only newer programs know
TOSSUPS, PEOPLE, MANIFEST = "tossups.jsonl", "people.jsonl", "manifest.json"

T = TypeVar("T")

MOST_BYTES = 4 << 30
"""Unpacked bytes of a pack; the histories of 2,000 tossups typed key by key are a third of that."""
MOST_TOSSUPS, MOST_PEOPLE = 100_000, 100_000

_LONGEST_PERSON, _LONGEST_MANIFEST = 1 << 16, 1 << 16
_DIRECTORY = struct.Struct("<4s4H2LH")  # the end of a zip file, before its comment
_LARGEST_DIRECTORY = 4096
_SEAL = b"sha256:"
_DIGITS = 64


def write(path: Path, branches: Iterable[Branch], people: Iterable[Person]) -> int:
    """Write the pack at ``path`` and return how many branches it holds.

    Of ``people``, the pack holds those who wrote or said something in ``branches``, or are named there. A
    file that is already at ``path`` stays until the pack is whole.
    """
    with atomic_write(
        path,
        problem=f"The pack {path} could not be written",
        remedy="Free some disk space or allow writing there, or choose another place.",
    ) as file:
        return _write(file, branches, {person.id: person for person in people})


def _write(out: BinaryIO, branches: Iterable[Branch], people: dict[str, Person]) -> int:
    files: dict[str, _FileEntry] = {}
    concerned: set[str] = set()
    version = _COMMON_VERSION

    def lines() -> Iterator[bytes]:
        nonlocal version
        for branch in branches:
            concerned.update(change.author for change in branch.changes)
            concerned.update(one.author for one in branch.answers)
            for event in branch.events:
                concerned.add(event.author)
                version = max(version, first_pack_version(event.body))
                for value in encode_body(event.body)[1].values():  # some are the ids of people
                    named = value if isinstance(value, list | tuple) else (value,)
                    concerned.update(one for one in named if isinstance(one, str) and one in people)
            yield encode_branch(branch)

    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as pack:
        files[TOSSUPS] = _put(pack, TOSSUPS, lines())
        known = [people[key] for key in sorted(concerned) if key in people]
        files[PEOPLE] = _put(pack, PEOPLE, map(encode_person, known))
        entries = {name: msgspec.structs.asdict(entry) for name, entry in files.items()}
        manifest = {"format": FORMAT, "version": version, "program": __version__, "files": entries}
        _put(pack, MANIFEST, [encode_line(manifest)])
        _check_whole(pack, files)
        pack.comment = _SEAL + b"0" * _DIGITS
    size = out.seek(0, os.SEEK_END)
    out.seek(0)
    sealed = _digest(out, size - _DIGITS)
    out.seek(-_DIGITS, os.SEEK_END)
    out.write(sealed.encode())
    return files[TOSSUPS].lines


def _put(pack: zipfile.ZipFile, name: str, written: Iterable[bytes]) -> _FileEntry:
    """Write lines into ``pack``; their digest and numbers."""
    digest, size, lines = hashlib.sha256(), 0, 0
    entry = zipfile.ZipInfo(name)  # of 1980, so that the same state makes the same pack
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    with pack.open(entry, "w", force_zip64=True) as file:
        for line in written:
            digest.update(line)
            size += len(line)
            lines += 1
            file.write(line)
    return _FileEntry(digest.hexdigest(), size, lines)


def _digest(file: IO[bytes], size: int) -> str:
    digest = hashlib.sha256()
    while size > 0:
        block = file.read(min(size, 1 << 20))
        if not block:
            break
        digest.update(block)
        size -= len(block)
    return digest.hexdigest()


class Pack:
    """A pack to read from. Every refusal names its file."""

    def __init__(self, path: Path) -> None:
        """Open the pack at ``path``: check that it is whole and unchanged, and read its manifest."""
        self.path = path
        with self._explained():
            if path.exists() and not path.is_file():  # a pipe would be waited for
                raise self._damaged()
        with self._explained(), path.open("rb") as file:
            if not self._sealed(file) or not self._is_small_zip(file):
                raise self._damaged()
            with zipfile.ZipFile(file) as pack:
                self._look_over(pack)
                self._files = self._manifest(pack)
        self._latest_ms = now_ms() + AHEAD_MS
        self.tossups: int = self._files[TOSSUPS].lines
        """How many tossups the pack holds; each branch counts."""

    def people(self) -> Iterator[Person]:
        return self._rows(PEOPLE, decode_person)

    def branches(self) -> Iterator[Branch]:
        return read_branches([self])

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """The lines of the tossups, each with the id of its tossup."""
        return self._rows(TOSSUPS, lambda line: (root_of(line), line))

    def branch(self, line: bytes, number: int) -> Branch:
        return self._decoded(TOSSUPS, number, lambda line: decode_branch(line, self._latest_ms), line)

    def _decoded(self, name: str, number: int, decode: Callable[[bytes], T], line: bytes) -> T:
        try:
            return decode(line)
        except ValueError as trouble:
            what = {TOSSUPS: "tossup", PEOPLE: "person"}[name]
            raise self.refused(f"makes no sense at {what} {number} ({trouble})") from trouble

    def _rows(self, name: str, decode: Callable[[bytes], T]) -> Iterator[T]:
        expected = self._files[name]
        longest = {TOSSUPS: LONGEST_LINE, PEOPLE: _LONGEST_PERSON}[name]
        digest, size, lines = hashlib.sha256(), 0, 0
        with self._explained(), zipfile.ZipFile(self.path) as pack:
            self._look_over(pack)
            with pack.open(name) as packed, io.BufferedReader(cast(io.RawIOBase, packed), 1 << 20) as file:
                while line := file.readline(longest + 1):
                    size += len(line)
                    lines += 1
                    if len(line) > longest or size > expected.bytes or lines > expected.lines:
                        raise self._too_large()
                    digest.update(line)
                    yield self._decoded(name, lines, decode, line)
        if (digest.hexdigest(), size, lines) != (expected.sha256, expected.bytes, expected.lines):
            raise self._damaged()

    def _sealed(self, file: IO[bytes]) -> bool:
        """Whether every byte is as it was written."""
        size = file.seek(0, os.SEEK_END)
        end = len(_SEAL) + _DIGITS
        if not end <= size <= MOST_BYTES:
            return False
        file.seek(0)
        digest = _digest(file, size - _DIGITS)
        file.seek(-end, os.SEEK_END)
        return file.read(end) == _SEAL + digest.encode()

    def _is_small_zip(self, file: IO[bytes]) -> bool:
        """Whether the list of members is as short as that of a pack, so that reading it takes no memory."""
        size = file.seek(0, os.SEEK_END)
        comment = len(_SEAL) + _DIGITS
        at = size - comment - _DIRECTORY.size
        if at < 0:
            return False
        file.seek(at)
        mark, *_, directory, _, length = _DIRECTORY.unpack(file.read(_DIRECTORY.size))
        return bool(mark == b"PK\x05\x06" and length == comment and directory <= _LARGEST_DIRECTORY)

    def _look_over(self, pack: zipfile.ZipFile) -> None:
        """Check that ``pack`` has the files of a pack and no others, and how large they are unpacked."""
        names = [entry.filename for entry in pack.infolist()]
        wanted = [TOSSUPS, PEOPLE, MANIFEST]
        if strange := sorted(set(names) - set(wanted)):
            raise self.refused(f"holds {strange[0][:80]!r}, which is no part of a pack")
        if sorted(names) != sorted(wanted):
            raise self.refused("does not hold what a pack holds")
        try:
            check_zip(pack, MOST_BYTES)
        except DecodingError as trouble:
            raise self.refused(f"is not a pack that QuizWriter wrote: {trouble}") from trouble

    def _manifest(self, pack: zipfile.ZipFile) -> dict[str, _FileEntry]:
        with pack.open(MANIFEST) as file:
            raw = file.read(_LONGEST_MANIFEST + 1)
        try:
            header = decode_json(raw, _Header, most_bytes=_LONGEST_MANIFEST)
            if header.format != FORMAT:
                raise DecodingError("it has another format")
            if header.version > newest_pack_version():
                program = clean_line(str(header.program), 20)
                raise QuizwriterError(
                    f"The pack {self.path} was made by a newer QuizWriter ({program}).",
                    "Install that version or a later one; nothing of the pack was taken.",
                )
            files = decode_json(raw, _Manifest).files
            found = {name: files[name] for name in (TOSSUPS, PEOPLE)}
        except (DecodingError, KeyError) as trouble:
            raise self.refused("is not a pack of QuizWriter") from trouble
        for name, most, what in _line_limits():
            if found[name].lines > most:
                raise self.refused(f"has more than {most:,} {what}")
        return found

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """A block that reads the pack; what a broken file raises becomes a sentence."""
        try:
            yield
        except (
            zipfile.BadZipFile,
            zlib.error,
            struct.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
        ) as trouble:
            raise self._damaged() from trouble
        except OSError as trouble:
            raise QuizwriterError(
                f"The pack {self.path} cannot be read ({trouble.strerror}).",
                "Check its name and that you may read it.",
            ) from trouble

    def _damaged(self) -> QuizwriterError:
        return self.refused("is not a pack, or was cut off or changed in transit")

    def _too_large(self) -> QuizwriterError:
        return self.refused("would unpack to more than any pack holds")

    def refused(self, what: str) -> QuizwriterError:
        """The refusal of the pack; ``what`` goes on after its name."""
        return QuizwriterError(
            f"The file {self.path} {what}.", "Ask for the file again; nothing of it was taken."
        )


def read_branches(packs: Sequence[Pack], step: Callable[[], object] = lambda: None) -> Iterator[Branch]:
    """The branches in ``packs``; those of one tossup follow each other. The history of each replays.

    All packs are read to their ends before the first branch is decoded: meanwhile their lines are in a
    temporary file. ``step`` is called for each line that is read, and again for each that is decoded.
    """
    places: dict[str, list[tuple[Pack, int, int]]] = {}
    with temporary_file() as spool:
        for pack in packs:
            counts: Counter[str] = Counter()
            for number, (root, line) in enumerate(pack.lines(), start=1):
                step()
                counts[root] += 1
                if counts[root] > MOST_BRANCHES:
                    raise pack.refused(f"has more than {MOST_BRANCHES} branches of the tossup {root[:40]}")
                places.setdefault(root, []).append((pack, number, spool.tell()))
                spool.write(line)
        for found in places.values():
            for pack, number, start in found:
                step()
                spool.seek(start)
                yield pack.branch(spool.readline(), number)


def _check_whole(pack: zipfile.ZipFile, files: Mapping[str, _FileEntry]) -> None:
    """Check that all members of a new pack together are no more than :class:`Pack` reads."""
    trouble = next(
        (
            f"it holds more than {most:,} {what}"
            for name, most, what in _line_limits()
            if files[name].lines > most
        ),
        "",
    )
    try:
        check_zip(pack, MOST_BYTES)
    except DecodingError as reason:
        trouble = trouble or str(reason)
    if trouble:
        raise QuizwriterError(
            f"No pack was written, because nobody could read it: {trouble}.", "Pack fewer tossups at once."
        )


def _line_limits() -> tuple[tuple[str, int, str], ...]:
    return (TOSSUPS, MOST_TOSSUPS, "tossups"), (PEOPLE, MOST_PEOPLE, "people")


class _Header(msgspec.Struct):
    """What the manifest of every version says of itself, also of a newer one."""

    format: str
    version: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_NUMBER)]
    program: object = None


class _FileEntry(msgspec.Struct):
    sha256: str
    bytes: Count
    lines: Count


class _Manifest(msgspec.Struct):
    files: dict[str, _FileEntry]
