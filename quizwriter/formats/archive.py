"""Packs: tossups with their whole histories in one file, to be sent from one machine to another.

A pack is a zip of ``tossups.jsonl`` (each line is a tossup or one branch of a tossup), ``people.jsonl`` and
``manifest.json``; the comment of the zip is a digest of all bytes before it. A pack may come from anybody:
everything in it is checked before use, and nothing of it is unpacked to the disk.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, BinaryIO, TypeVar, cast

import msgspec

from quizwriter import __version__
from quizwriter.atomic import atomic_write
from quizwriter.decoding import (
    LARGEST_NUMBER,
    Count,
    DecodingError,
    Identifier,
    Milliseconds,
    decode_json,
)
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Event, Person
from quizwriter.domain.tossup import Answer, Page
from quizwriter.errors import QuizwriterError
from quizwriter.formats.events import decode_body, encode_body
from quizwriter.formats.histories import ArchiveView, HistoryParts, encode_history
from quizwriter.workflow.branches import Branch
from quizwriter.workflow.session import AnswerChange

FORMAT, VERSION = "quizwriter-pack", 1
TOSSUPS, PEOPLE, MANIFEST = "tossups.jsonl", "people.jsonl", "manifest.json"

T = TypeVar("T")

MOST_BYTES = 4 << 30
"""Unpacked bytes of a pack; the histories of 2,000 tossups typed key by key are a third of that."""
LONGEST_LINE = 64 << 20
_LONGEST_MANIFEST = 1 << 20
_SEAL = b"sha256:"
_DIGITS = 64


def write(path: Path, branches: Iterable[Branch], people: Iterable[Person]) -> int:
    """Write the pack at ``path`` and return how many branches it holds.

    Of ``people``, the pack holds those who wrote or said something in ``branches``. A file that is already at
    ``path`` stays until the pack is whole.

    Raises:
        QuizwriterError: the pack cannot be written.
    """
    with atomic_write(
        path,
        problem=f"The pack {path} could not be written",
        remedy="Make room or allow writing there, or choose another place.",
    ) as file:
        return _write(file, branches, {person.id: person for person in people})


def _write(out: BinaryIO, branches: Iterable[Branch], people: dict[str, Person]) -> int:
    files: dict[str, dict[str, object]] = {}
    concerned: set[str] = set()

    def rows() -> Iterator[object]:
        for branch in branches:
            concerned.update(change.author for change in branch.changes)
            concerned.update(one.author for one in branch.answers)
            for event in branch.events:
                concerned.add(event.author)
                concerned.add(str(encode_body(event.body)[1].get("person", "")))
            yield _branch_row(branch)

    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as pack:
        files[TOSSUPS] = _put(pack, TOSSUPS, rows())
        known = [people[key] for key in sorted(concerned) if key in people]
        files[PEOPLE] = _put(pack, PEOPLE, ([one.id, one.name, one.email, one.changed_ms] for one in known))
        manifest = {"format": FORMAT, "version": VERSION, "program": __version__, "files": files}
        _put(pack, MANIFEST, [manifest])
        pack.comment = _SEAL + b"0" * _DIGITS
    size = out.seek(0, os.SEEK_END)
    out.seek(0)
    sealed = _digest(out, size - _DIGITS)
    out.seek(-_DIGITS, os.SEEK_END)
    out.write(sealed.encode())
    lines = files[TOSSUPS]["lines"]
    assert isinstance(lines, int)
    return lines


def _put(pack: zipfile.ZipFile, name: str, rows: Iterable[object]) -> dict[str, object]:
    """Write ``rows`` into ``pack`` as JSON lines; their digest and numbers."""
    digest, size, lines = hashlib.sha256(), 0, 0
    entry = zipfile.ZipInfo(name)  # of 1980, so that the same state makes the same pack
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    with pack.open(entry, "w", force_zip64=True) as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            digest.update(line)
            size += len(line)
            lines += 1
            file.write(line)
    return {"sha256": digest.hexdigest(), "bytes": size, "lines": lines}


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
        """Open the pack at ``path``: check that it is whole and unchanged, and read its manifest.

        Raises:
            QuizwriterError: the file is not a pack, was cut off or changed, comes from a newer program, or
                would unpack to more than a pack may hold.
        """
        self.path = path
        with self._explained(), path.open("rb") as file:
            if not self._sealed(file):
                raise self._damaged()
            with zipfile.ZipFile(file) as pack:
                self._look_over(pack)
                self._files = self._manifest(pack)
        self.tossups: int = self._files[TOSSUPS].lines
        """How many tossups the pack holds; each branch counts."""

    def people(self) -> Iterator[Person]:
        """The people who wrote or said something in the pack.

        Raises:
            QuizwriterError: the pack is damaged.
        """
        return self._rows(PEOPLE, _person)

    def branches(self) -> Iterator[Branch]:
        """The branches in the pack; the history of each replays to its text.

        Raises:
            QuizwriterError: the pack is damaged, or a history does not replay.
        """
        return self._rows(TOSSUPS, _branch)

    def _rows(self, name: str, decode: Callable[[bytes], T]) -> Iterator[T]:
        expected = self._files[name]
        digest, size, lines = hashlib.sha256(), 0, 0
        with self._explained(), zipfile.ZipFile(self.path) as pack:
            self._look_over(pack)
            with pack.open(name) as packed, _buffered(packed) as file:
                while line := file.readline(LONGEST_LINE + 1):
                    size += len(line)
                    if len(line) > LONGEST_LINE or size > expected.bytes:
                        raise self._too_large()
                    digest.update(line)
                    lines += 1
                    try:
                        row = decode(line)
                    except ValueError as trouble:
                        what = {TOSSUPS: "tossup", PEOPLE: "person"}[name]
                        raise self._refused(f"makes no sense at {what} {lines} ({trouble})") from trouble
                    yield row
        if (digest.hexdigest(), size, lines) != (expected.sha256, expected.bytes, expected.lines):
            raise self._damaged()

    def _sealed(self, file: IO[bytes]) -> bool:
        """Whether every byte is as it was written."""
        size = self.path.stat().st_size
        end = len(_SEAL) + _DIGITS
        if size < end:
            return False
        digest = _digest(file, size - _DIGITS)
        file.seek(-end, os.SEEK_END)
        return file.read(end) == _SEAL + digest.encode()

    def _look_over(self, pack: zipfile.ZipFile) -> None:
        """Check that ``pack`` has the files of a pack and no others, and how large they are unpacked."""
        names = [entry.filename for entry in pack.infolist()]
        wanted = [TOSSUPS, PEOPLE, MANIFEST]
        if strange := sorted(set(names) - set(wanted)):
            raise self._refused(f"holds {strange[0][:80]!r}, which is no part of a pack")
        if sorted(names) != sorted(wanted):
            raise self._refused("does not hold what a pack holds")
        if sum(entry.file_size for entry in pack.infolist()) > MOST_BYTES:
            raise self._too_large()

    def _manifest(self, pack: zipfile.ZipFile) -> dict[str, _FileEntry]:
        """The entries of the files with the rows."""
        with pack.open(MANIFEST) as file:
            raw = file.read(_LONGEST_MANIFEST + 1)
        try:
            header = decode_json(raw, _Header, most_bytes=_LONGEST_MANIFEST)
            if header.format != FORMAT:
                raise DecodingError("it has another format")
            if header.version > VERSION:
                raise QuizwriterError(
                    f"The pack {self.path} was made by a newer QuizWriter ({str(header.program)[:20]}).",
                    "Install that version or a later one; nothing of the pack was taken.",
                )
            files = decode_json(raw, _Manifest).files
            return {name: files[name] for name in (TOSSUPS, PEOPLE)}
        except (DecodingError, KeyError) as trouble:
            raise self._refused("is not a pack of QuizWriter") from trouble

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """A block that reads the pack; what a broken file raises becomes a sentence."""
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as trouble:
            raise self._damaged() from trouble
        except OSError as trouble:
            raise QuizwriterError(
                f"The pack {self.path} cannot be read ({trouble.strerror}).",
                "Check its name and that you may read it.",
            ) from trouble

    def _damaged(self) -> QuizwriterError:
        return self._refused("is no pack, or was cut off or changed on its way")

    def _too_large(self) -> QuizwriterError:
        return self._refused("would unpack to more than any pack holds")

    def _refused(self, what: str) -> QuizwriterError:
        return QuizwriterError(
            f"The file {self.path} {what}.", "Ask for the file again; nothing of it was taken."
        )


def _buffered(file: IO[bytes]) -> io.BufferedReader:
    """``file`` with a buffer that suits long lines."""
    return io.BufferedReader(cast(io.RawIOBase, file), 1 << 20)


def _branch_row(branch: Branch) -> dict[str, object]:
    parts = HistoryParts(branch.changes, branch.answers, branch.games, branch.events)
    return {
        "id": branch.root,
        "created_ms": branch.created_ms,
        "text": branch.text,
        **encode_history(parts, ArchiveView()),
    }


class _EditRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    at_ms: Milliseconds
    start: Count
    removed: str
    inserted: str
    author: str


class _AnswerRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    seq: Count
    at_ms: Milliseconds
    answer: tuple[str, str | None] | None
    author: str


class _EventRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    id: Identifier
    seq: Count
    after: str
    at_ms: Milliseconds
    author: str
    kind: str
    body: object


_GUESS = r'\["[^"\\]*+(?:\\.[^"\\]*+)*+", -?\d++(?:\.\d++)?(?:[eE][-+]?\d++)?\]'
_Guesses = Annotated[str, msgspec.Meta(pattern=rf"\A\[(?:{_GUESS}(?:, {_GUESS})*+)?\]\Z")]
_GameRow = tuple[
    Count, Milliseconds, str, str, Count, Count | None, Count | None, Count | None, str | None, _Guesses
]


class _BranchRow(msgspec.Struct, forbid_unknown_fields=True):
    id: Identifier
    created_ms: Milliseconds
    text: str
    edits: list[_EditRow]
    asked: list[_AnswerRow]
    games: list[_GameRow]
    events: list[_EventRow]


class _PersonRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    id: Identifier
    name: str
    email: str
    changed_ms: Milliseconds


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


def _branch(line: bytes) -> Branch:
    """The branch in ``line``, a row of the pack.

    Raises:
        ValueError: the line is not such a row, or the history does not lead to the text.
    """
    row = decode_json(line, _BranchRow)
    changes = [
        Change(seq, edit.at_ms, Edit(edit.start, edit.removed, edit.inserted), edit.author)
        for seq, edit in enumerate(row.edits, start=1)
    ]
    answers = []
    for one in row.asked:
        text, page = one.answer or ("", None)
        answer = None if one.answer is None else Answer(text, None if page is None else Page(page))
        answers.append(AnswerChange(one.seq, one.at_ms, answer, one.author))
    games = row.games
    events = [
        Event(one.id, row.id, one.at_ms, one.author, decode_body(one.kind, one.body), one.seq, one.after)
        for one in row.events
    ]
    last = len(changes)
    places = (*(one.seq for one in answers), *(game[0] for game in games), *(one.seq for one in events))
    if any(seq > last for seq in places):
        raise ValueError(f"a row names an edit after the last one, which is edit {last}")
    if any((game[7] is None) != (game[8] is None) for game in games):
        raise ValueError("games: a buzz has no page, or a page has no buzz")
    try:
        branch = Branch.of(row.id, row.created_ms, changes, answers, games, events)
    except ValueError as trouble:
        raise ValueError(f"the history of {row.id} does not replay: {trouble}") from trouble
    if branch.text != row.text:
        raise ValueError(f"the history of {row.id} does not lead to its text")
    if not all(branch.contains(event.seq, event.after) for event in events):
        raise ValueError(f"an event of {row.id} belongs to no edit of this history")
    return branch


def _person(line: bytes) -> Person:
    row = decode_json(line, _PersonRow)
    return Person(row.id, row.name, row.email, row.changed_ms)
