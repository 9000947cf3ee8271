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
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import IO, Annotated, Any, BinaryIO, TypeVar, cast

import msgspec

from quizwriter import __version__
from quizwriter.atomic import atomic_write, temporary_file
from quizwriter.decoding import (
    LARGEST_NUMBER,
    LONGEST_IDENTIFIER,
    LONGEST_TEXT,
    Count,
    DecodingError,
    Identifier,
    Milliseconds,
    check_zip,
    decode_json,
)
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.moments import AHEAD_MS
from quizwriter.domain.review import Event, Person
from quizwriter.domain.signatures import Signature, SignedRun
from quizwriter.domain.tossup import Answer, Page
from quizwriter.errors import QuizwriterError
from quizwriter.formats.events import decode_body, encode_body, first_pack_version
from quizwriter.formats.histories import (
    LONGEST_GUESSES,
    ArchiveView,
    HistoryParts,
    decode_guesses,
    encode_history,
)
from quizwriter.signing import KEY_DIGITS, SIGNATURE_DIGITS
from quizwriter.workflow.branches import MOST_BRANCHES, Branch, Game
from quizwriter.workflow.session import AnswerChange, now_ms

FORMAT, VERSION = "quizwriter-pack", 3
_COMMON_VERSION = 2  # of a pack that holds nothing which only newer programs know
TOSSUPS, PEOPLE, MANIFEST = "tossups.jsonl", "people.jsonl", "manifest.json"

T = TypeVar("T")

MOST_BYTES = 4 << 30
"""Unpacked bytes of a pack; the histories of 2,000 tossups typed key by key are a third of that."""
LONGEST_LINE = 64 << 20
MOST_TOSSUPS, MOST_PEOPLE = 100_000, 100_000
MOST_EDITS, MOST_ANSWERS, MOST_GAMES, MOST_EVENTS = 100_000, 10_000, 100_000, 10_000
"""Rows of one branch; a tossup typed key by key has a fiftieth of each."""
LONGEST_ANSWER, LONGEST_NAME = 10_000, 1_000
"""Characters of an answer line, and of a page, a player, an engine, a name or an e-mail address."""

_MOST_IN_MEMORY = 64 << 20
_LONGEST_PERSON, _LONGEST_MANIFEST = 1 << 16, 1 << 16
_MOST_ARRAYS = (
    1_000_000  # opening brackets in the rows of one kind: more would take memory before they are refused
)
_DIRECTORY = struct.Struct("<4s4H2LH")  # the end of a zip file, before its comment
_LARGEST_DIRECTORY = 4096
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
    version = _COMMON_VERSION

    def rows() -> Iterator[object]:
        nonlocal version
        for branch in branches:
            concerned.update(change.author for change in branch.changes)
            concerned.update(one.author for one in branch.answers)
            for event in branch.events:
                concerned.add(event.author)
                version = max(version, first_pack_version(event.body))
                concerned.add(str(encode_body(event.body)[1].get("person", "")))
            yield _branch_row(branch)

    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as pack:
        files[TOSSUPS] = _put(pack, TOSSUPS, rows())
        known = [people[key] for key in sorted(concerned) if key in people]
        files[PEOPLE] = _put(pack, PEOPLE, map(_person_row, known))
        manifest = {"format": FORMAT, "version": version, "program": __version__, "files": files}
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
        """The people who wrote or said something in the pack.

        Raises:
            QuizwriterError: the pack is damaged.
        """
        return self._rows(PEOPLE, _person)

    def branches(self) -> Iterator[Branch]:
        """The branches in the pack, as :func:`read_branches` gives them.

        Raises:
            QuizwriterError: the pack is damaged, or a history does not replay.
        """
        return read_branches([self])

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """The lines of the tossups, each with the id of its tossup.

        Raises:
            QuizwriterError: the pack is damaged.
        """
        return self._rows(TOSSUPS, lambda line: (decode_json(line, _Root).id, line))

    def branch(self, line: bytes, number: int) -> Branch:
        """The branch in ``line``, which is line ``number`` of the tossups.

        Raises:
            QuizwriterError: the line is not that of a tossup, or its history does not replay.
        """
        return self._decoded(TOSSUPS, number, lambda line: _branch(line, self._latest_ms), line)

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
            with pack.open(name) as packed, _buffered(packed) as file:
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
            raise self.refused(f"is no pack that QuizWriter wrote: {trouble}") from trouble

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
            found = {name: files[name] for name in (TOSSUPS, PEOPLE)}
        except (DecodingError, KeyError) as trouble:
            raise self.refused("is not a pack of QuizWriter") from trouble
        for name, most, what in ((TOSSUPS, MOST_TOSSUPS, "tossups"), (PEOPLE, MOST_PEOPLE, "people")):
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
        return self.refused("is no pack, or was cut off or changed on its way")

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

    Raises:
        QuizwriterError: a pack is damaged, a history does not replay, or there is no room for the file.
    """
    places: dict[str, list[tuple[Pack, int, int]]] = {}
    with temporary_file(_MOST_IN_MEMORY) as spool:
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
        **({"signatures": _run_rows(branch)} if branch.runs else {}),
    }


def _run_rows(branch: Branch) -> list[object]:
    """The signatures of edits: the numbers of the first and the last edit, the key and the signature."""
    numbers = {made: seq for seq, made in enumerate(branch.ids, start=1)}
    rows = [(numbers[run.first], numbers[run.last], run.signature) for run in branch.runs]
    return [[first, last, one.key, one.value] for first, last, one in sorted(rows, key=itemgetter(0, 1))]


def _person_row(person: Person) -> list[object]:
    signed = [person.signature.key, person.signature.value] if person.signature else []
    return [person.id, person.name, person.email, person.changed_ms, *signed]


_Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
_Author = Annotated[str, msgspec.Meta(max_length=LONGEST_IDENTIFIER)]
_Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
_AnswerLine = Annotated[str, msgspec.Meta(max_length=LONGEST_ANSWER)]
_Guesses = Annotated[str, msgspec.Meta(max_length=LONGEST_GUESSES)]


_Key = Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{KEY_DIGITS}}}\Z")]
_SignatureText = Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{SIGNATURE_DIGITS}}}\Z")]


class _EditRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    at_ms: Milliseconds
    start: Count
    removed: _Text
    inserted: _Text
    author: _Author


class _AnswerRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    seq: Count
    at_ms: Milliseconds
    answer: tuple[_AnswerLine, _Name | None] | None
    author: _Author


class _RunRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """The signature of the edits from number ``first`` to number ``last``."""

    first: Count
    last: Count
    key: _Key
    signature: _SignatureText


class _EventRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    id: Identifier
    seq: Count
    after: _Author
    at_ms: Milliseconds
    author: _Author
    kind: _Name
    body: msgspec.Raw
    key: _Key | None = None
    signature: _SignatureText | None = None


_GameRow = tuple[
    Count, Milliseconds, _Name, _Name, Count, Count | None, Count | None, Count | None, _Name | None, _Guesses
]


class _BranchRow(msgspec.Struct, forbid_unknown_fields=True):
    """A line whose rows are still JSON, so that they are counted before they take memory."""

    id: Identifier
    created_ms: Milliseconds
    text: _Text
    edits: msgspec.Raw
    asked: msgspec.Raw
    games: msgspec.Raw
    events: msgspec.Raw
    signatures: msgspec.Raw = msgspec.Raw(b"[]")  # packs of version 1 have none


class _Root(msgspec.Struct):
    id: Identifier


class _PersonRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    id: Identifier
    name: _Name
    email: _Name
    changed_ms: Milliseconds
    key: _Key | None = None
    signature: _SignatureText | None = None


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


def _branch(line: bytes, latest_ms: int) -> Branch:
    """The branch in ``line``, a row of a pack in which nothing is dated after ``latest_ms``.

    Raises:
        ValueError: the line is not such a row, has more of something than a tossup may have, or the history
            does not lead to the text.
    """
    row = decode_json(line, _BranchRow)
    edits: list[_EditRow] = _some(row.edits, _EditRow, "edits", MOST_EDITS)
    asked: list[_AnswerRow] = _some(row.asked, _AnswerRow, "asked", MOST_ANSWERS)
    games: list[Game] = _some(row.games, _GameRow, "games", MOST_GAMES)
    said: list[_EventRow] = _some(row.events, _EventRow, "events", MOST_EVENTS)
    runs: list[_RunRow] = _some(row.signatures, _RunRow, "signatures", MOST_EDITS)
    if len({one.id for one in said}) < len(said):
        raise ValueError("two events have the same id")
    changes = [
        Change(seq, edit.at_ms, Edit(edit.start, edit.removed, edit.inserted), edit.author)
        for seq, edit in enumerate(edits, start=1)
    ]
    length = 0
    for edit in edits:
        length += len(edit.inserted) - len(edit.removed)
        if not 0 <= length <= LONGEST_TEXT:
            raise ValueError(f"a version has more than {LONGEST_TEXT:,} characters, or fewer than none")
    answers = []
    for one in asked:
        text, page = one.answer or ("", None)
        answer = None if one.answer is None else Answer(text, None if page is None else Page(page))
        answers.append(AnswerChange(one.seq, one.at_ms, answer, one.author))
    for number, game in enumerate(games):
        try:
            decode_guesses(game[9])
        except DecodingError as trouble:
            raise ValueError(f"games[{number}][9]: {trouble}") from trouble
    events = [
        Event(
            one.id,
            row.id,
            one.at_ms,
            one.author,
            decode_body(one.kind, bytes(one.body)),
            one.seq,
            one.after,
            _signature(one.key, one.signature),
        )
        for one in said
    ]
    last = len(changes)
    places = (*(one.seq for one in answers), *(game[0] for game in games), *(one.seq for one in events))
    if any(seq > last for seq in places):
        raise ValueError(f"a row names an edit after the last one, which is edit {last}")
    if any((game[7] is None) != (game[8] is None) for game in games):
        raise ValueError("games: a buzz has no page, or a page has no buzz")
    dates = (
        row.created_ms,
        *(one.at_ms for some in (edits, asked, said) for one in some),
        *(game[1] for game in games),
    )
    if max(dates) > latest_ms:
        raise ValueError("it is dated more than 100 years after the clock of this computer")
    try:
        branch = Branch.of(row.id, row.created_ms, changes, answers, games, events)
    except ValueError as trouble:
        raise ValueError(f"the history of {row.id} does not replay: {trouble}") from trouble
    if branch.text != row.text:
        raise ValueError(f"the history of {row.id} does not lead to its text")
    if not all(branch.contains(event.seq, event.after) for event in events):
        raise ValueError(f"an event of {row.id} belongs to no edit of this history")
    if not all(1 <= run.first <= run.last <= last for run in runs):
        raise ValueError(f"a signature names an edit after the last one, which is edit {last}")
    return replace(
        branch,
        runs=tuple(
            SignedRun(
                branch.ids[run.first - 1],
                branch.ids[run.last - 1],
                changes[run.first - 1].author,
                Signature(run.key, run.signature),
            )
            for run in runs
        ),
    )


def _signature(key: str | None, value: str | None) -> Signature | None:
    return None if key is None or value is None else Signature(key, value)


def _some(raw: msgspec.Raw, kind: object, name: str, most: int) -> list[Any]:
    """The at most ``most`` rows ``raw`` of the list ``name``.

    Raises:
        DecodingError: they are too many, or one is not a ``kind``.
    """
    text = bytes(raw)
    if text.count(b"[") > _MOST_ARRAYS:
        raise DecodingError(f"{name}: more than {most:,} rows")
    try:
        rows = decode_json(text, list[kind])  # type: ignore[valid-type]
    except DecodingError as trouble:
        place = str(trouble)
        raise DecodingError(f"{name}{place}" if place.startswith("[") else f"{name}: {place}") from trouble
    if len(rows) > most:
        raise DecodingError(f"{name}: more than {most:,} rows")
    return rows


def _person(line: bytes) -> Person:
    row = decode_json(line, _PersonRow)
    return Person(row.id, row.name, row.email, row.changed_ms, _signature(row.key, row.signature))
