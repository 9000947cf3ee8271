"""Packs: tossups with their whole histories in one file, to be sent from one machine to another.

A pack is a zip of ``tossups.jsonl`` (a tossup, or a branch of one, each line), ``people.jsonl`` and
``manifest.json``; the comment of the zip is a digest of all bytes before it. A pack may come from anywhere,
so nothing in it is believed before it is checked, and nothing of it is ever unpacked to the disk.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

from quizwriter import __version__
from quizwriter.atomic import atomic_write
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Event, Person, body_json, body_of
from quizwriter.domain.tossup import Answer, Page
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.branches import Branch, Game
from quizwriter.workflow.session import AnswerChange

FORMAT, VERSION = "quizwriter-pack", 1
SUFFIX = ".qwpack"
TOSSUPS, PEOPLE, MANIFEST = "tossups.jsonl", "people.jsonl", "manifest.json"

T = TypeVar("T")

MOST_BYTES = 4 << 30
"""Unpacked bytes of a pack; the histories of 2,000 tossups typed key by key are a third of that."""
LONGEST_LINE = 64 << 20
_LONGEST_MANIFEST = 1 << 20
_SEAL = b"sha256:"
_DIGITS = 64
_LATEST = 1 << 53  # what JSON numbers can say exactly


def write(path: Path, branches: Iterable[Branch], people: Iterable[Person]) -> int:
    """Make the pack at ``path`` of ``branches`` and those of ``people`` who have to do with them; how many.

    What was at ``path`` stays until the pack is whole.

    Raises:
        QuizwriterError: it cannot be written.
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
            concerned.update(asked.author for asked in branch.asked)
            for event in branch.events:
                concerned.add(event.author)
                concerned.add(str(body_json(event.body)[1].get("person", "")))
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
    """A pack that is there to be read. Whatever is wrong with it is said with its name."""

    def __init__(self, path: Path) -> None:
        """Look at the pack at ``path``: that it is whole and unchanged, and what it says it holds.

        Raises:
            QuizwriterError: it is no pack, was cut or changed, comes from a newer program, or would unpack
                to what no pack can hold.
        """
        self.path = path
        with self._explained(), path.open("rb") as file:
            if not self._sealed(file):
                raise self._damaged()
            with zipfile.ZipFile(file) as pack:
                self._look_over(pack)
                self._files = self._manifest(pack)["files"]
        self.tossups: int = self._files[TOSSUPS]["lines"]
        """How many tossups it holds, branches counted each."""

    def people(self) -> Iterator[Person]:
        """Those who wrote and said what is in it.

        Raises:
            QuizwriterError: it is damaged.
        """
        return self._rows(PEOPLE, _person)

    def branches(self) -> Iterator[Branch]:
        """What it holds, each with a history that replays to the text it should.

        Raises:
            QuizwriterError: it is damaged, or a history does not replay.
        """
        return self._rows(TOSSUPS, _branch)

    def _rows(self, name: str, made: Callable[[Any], T]) -> Iterator[T]:
        expected = self._files[name]
        digest, size, lines = hashlib.sha256(), 0, 0
        with self._explained(), zipfile.ZipFile(self.path) as pack:
            self._look_over(pack)
            with pack.open(name) as packed, _buffered(packed) as file:
                while line := file.readline(LONGEST_LINE + 1):
                    size += len(line)
                    if len(line) > LONGEST_LINE or size > expected["bytes"]:
                        raise self._too_large()
                    digest.update(line)
                    lines += 1
                    try:
                        row = json.loads(line)
                        if b"\\ud" in line.lower():
                            json.dumps(row, ensure_ascii=False).encode()  # or half a character comes through
                        yield made(row)
                    except (ValueError, RecursionError) as trouble:
                        raise self._senseless(name, lines, trouble) from trouble
        if (digest.hexdigest(), size, lines) != (expected["sha256"], expected["bytes"], expected["lines"]):
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
        """See that ``pack`` has the files it should and no others, and what they unpack to."""
        names = [entry.filename for entry in pack.infolist()]
        wanted = [TOSSUPS, PEOPLE, MANIFEST]
        if strange := sorted(set(names) - set(wanted)):
            raise self._refused(f"holds {strange[0][:80]!r}, which is no part of a pack")
        if sorted(names) != sorted(wanted):
            raise self._refused("does not hold what a pack holds")
        if sum(entry.file_size for entry in pack.infolist()) > MOST_BYTES:
            raise self._too_large()

    def _manifest(self, pack: zipfile.ZipFile) -> dict[str, Any]:
        with pack.open(MANIFEST) as file:
            raw = file.read(_LONGEST_MANIFEST + 1)
        try:
            manifest = json.loads(raw[:_LONGEST_MANIFEST])
            version = _number(manifest["version"]) if manifest["format"] == FORMAT else 0
        except (ValueError, RecursionError, TypeError, LookupError):
            version = 0
        if version > VERSION:
            raise QuizwriterError(
                f"The pack {self.path} was made by a newer QuizWriter ({str(manifest.get('program'))[:20]}).",
                "Install that version or a later one; nothing of the pack was taken.",
            )
        try:
            for name in (TOSSUPS, PEOPLE):
                said = manifest["files"][name]
                _text(said["sha256"]), _number(said["bytes"]), _number(said["lines"])
        except (ValueError, TypeError, LookupError):
            version = 0
        if not version:
            raise self._refused("is not a pack of QuizWriter")
        checked: dict[str, Any] = manifest
        return checked

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What reading a broken file raises, as a sentence."""
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

    def _senseless(self, name: str, line: int, trouble: Exception) -> QuizwriterError:
        what = {TOSSUPS: "tossup", PEOPLE: "person"}[name]
        reason = "too deep" if isinstance(trouble, RecursionError) else trouble
        return self._refused(f"makes no sense at {what} {line} ({reason})")

    def _refused(self, what: str) -> QuizwriterError:
        return QuizwriterError(
            f"The file {self.path} {what}.", "Have it sent again; nothing of it was taken."
        )


def _buffered(file: IO[bytes]) -> io.BufferedReader:
    """``file`` with a buffer that suits long lines."""
    return io.BufferedReader(cast(io.RawIOBase, file), 1 << 20)


def _branch_row(branch: Branch) -> dict[str, object]:
    return {
        "id": branch.root,
        "created_ms": branch.created_ms,
        "text": branch.text,
        "edits": [
            [change.at_ms, change.edit.start, change.edit.removed, change.edit.inserted, change.author]
            for change in branch.changes
        ],
        "asked": [
            [asked.seq, asked.at_ms, asked.answer and [asked.answer.line, asked.answer.page], asked.author]
            for asked in branch.asked
        ],
        "games": branch.games,
        "events": [
            [event.id, event.seq, event.after, event.at_ms, event.author, *body_json(event.body)]
            for event in branch.events
        ],
    }


def _branch(row: Any) -> Branch:  # noqa: ANN401 - whatever JSON holds
    """The branch that ``row`` tells of.

    Raises:
        ValueError: it tells of none, or the history does not lead to the text.
    """
    if not isinstance(row, dict) or row.keys() != _PARTS:
        raise ValueError("not a tossup")
    root = _key(row["id"])
    changes = []
    for seq, edit in enumerate(_list(row["edits"]), start=1):
        at_ms, start, removed, inserted, author = _list(edit, 5)
        if type(removed) is not str or type(inserted) is not str or type(start) is not int:
            raise ValueError("an edit that is none")
        changes.append(Change(seq, _number(at_ms), Edit(start, removed, inserted), _text(author)))
    asked = []
    for one in _list(row["asked"]):
        seq, at_ms, answer, author = _list(one, 4)
        if answer is not None:
            line, page = _list(answer, 2)
            answer = Answer(_text(line), None if page is None else Page(_text(page)))
        asked.append(AnswerChange(_number(seq, len(changes)), _number(at_ms), answer, _text(author)))
    games = _games(_list(row["games"]), len(changes))
    events = []
    for one in _list(row["events"]):
        key, seq, after, at_ms, author, kind, body = _list(one, 7)
        seq = _number(seq, len(changes))
        made = body_of(_text(kind), body)
        events.append(Event(_key(key), root, _number(at_ms), _text(author), made, seq, _text(after)))
    created_ms = _number(row["created_ms"])
    try:
        branch = Branch.of(root, created_ms, changes, asked, games, events)
    except ValueError as trouble:
        raise ValueError(f"the history of {root} does not replay: {trouble}") from trouble
    if branch.text != row["text"]:
        raise ValueError(f"the history of {root} does not lead to its text")
    if not all(branch.has(event.seq, event.after) for event in events):
        raise ValueError(f"an event of {root} that belongs to no edit of it")
    return branch


_PARTS = {"id", "created_ms", "text", "edits", "asked", "games", "events"}


_GUESS = r'\["[^"\\]*+(?:\\.[^"\\]*+)*+", -?\d++(?:\.\d++)?(?:[eE][-+]?\d++)?\]'
_TOP = re.compile(rf"\[(?:{_GUESS}(?:, {_GUESS})*+)?\]")
_OPTIONAL = {int, type(None)}


def _games(rows: list[Any], edits: int) -> list[Game]:
    """The games that ``rows`` tell of; looked at column by column, because they are so many."""
    if not rows:
        return []
    if set(map(type, rows)) != {list} or set(map(len, rows)) != {10}:
        raise ValueError("a game that is none")
    columns = list(zip(*rows, strict=True))
    seqs, times, _, _, words, first, stable, buzz, pages, tops = columns
    kinds = [set(map(type, column)) for column in columns]
    allowed = [{int}] * 2 + [{str}] * 2 + [{int}] + [_OPTIONAL] * 3 + [{str, type(None)}, {str}]
    if not all(map(set.issubset, kinds, allowed)):
        raise ValueError("a game that is none")
    for column, most in ((seqs, edits), (times, _LATEST), (words, _LATEST)):
        _number(min(column)), _number(max(column), most)
    for positions in (first, stable, buzz):
        said = [one for one in positions if one is not None]
        if said:
            _number(min(said)), _number(max(said))
    if not all(map(_TOP.fullmatch, tops)) or any(
        (at is None) != (page is None) for at, page in zip(buzz, pages, strict=True)
    ):
        raise ValueError("a game that is none")
    return list(map(tuple, rows))


def _person(row: object) -> Person:
    key, name, email, changed_ms = _list(row, 4)
    return Person(_key(key), _text(name), _text(email), _number(changed_ms))


def _list(value: object, length: int | None = None) -> list[Any]:
    if type(value) is not list or (length is not None and len(value) != length):
        raise ValueError("a list that is none")
    return value


def _text(value: object) -> str:
    if type(value) is not str:
        raise ValueError("a text that is none")
    return value


def _key(value: object) -> str:
    if type(value) is not str or not 0 < len(value) <= 200:
        raise ValueError("an id that is none")
    return value


def _number(value: object, most: int = _LATEST) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("a number that is none")
    return value
