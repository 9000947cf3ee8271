"""The rows in a SQLite file, read without SQLite: a damaged file still has most of them.

SQLite gives up on a table at its first damaged page. Here every page is read for itself: the pages that the
trees of the tables lead to, and then those that no tree leads to any more, whose rows are recognised by their
form. Nothing in the file is ever run: no trigger, no view, no function.

Source: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from quizwriter.cancellation import Progress
from quizwriter.store.rows import text_or_bytes
from quizwriter.system.decoding import open_regular

Value = None | int | float | str | bytes

_MAGIC = b"SQLite format 3\0"
_LOG_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
_TABLE, _TABLE_INSIDE, _INDEX, _INDEX_INSIDE = 13, 5, 10, 2
_INTEGERS = (0, 1, 2, 3, 4, 6, 8)  # bytes, by serial type
_USUAL_PAGE = 4096
_VIRTUAL = re.compile(r"\s*create\s+virtual", re.IGNORECASE)


class TableForm(msgspec.Struct, frozen=True):
    """A table as its rows are stored: the columns in their order, and which may be missing or null.

    ``kinds`` are the types of the columns. Rows that were written before a column was added are shorter.
    """

    name: str
    columns: tuple[str, ...]
    kinds: tuple[type, ...]
    nullable: tuple[bool, ...]
    least: int
    by_rowid: bool

    def fits(self, row: Sequence[Value]) -> bool:
        """Whether ``row`` has the form of the table; a text that is not UTF-8 counts as one."""
        if not self.least <= len(row) <= len(self.columns):
            return False
        return all(
            null if value is None else isinstance(value, (str, bytes) if kind is str else kind)
            for value, kind, null in zip(row, self.kinds, self.nullable, strict=False)
        )

    def by_column(self, row: Sequence[Value]) -> Mapping[str, Value]:
        return dict(zip(self.columns, row, strict=False))


class SalvagedFile:
    """A SQLite file, whole or damaged, with its write-ahead log if there is one. It is only ever read."""

    def __init__(self, path: Path, forms: Sequence[TableForm]) -> None:
        """The file at ``path``, in which tables of these ``forms`` are looked for."""
        self._forms = {form.name: form for form in forms}
        self._file = open_regular(path)
        self._log: BinaryIO | None = None
        self._frames: dict[int, int] = {}
        self.bad_pages = 0
        """Pages that a tree leads to and that are no pages any more; known when all rows were read."""
        head = self._file.read(100)
        self._sound_head = head[:16] == _MAGIC
        size = struct.unpack(">H", head[16:18])[0] if self._sound_head else 0
        size = 65536 if size == 1 else size
        self._size = size if 512 <= size <= 65536 and not size & (size - 1) else _USUAL_PAGE
        reserved = head[20] if self._sound_head else 0
        self._usable = self._size - (reserved if self._size - reserved >= 480 else 0)
        self.pages = -(-self._file.seek(0, 2) // self._size)
        """How many pages the file has, with those that are in the log only."""
        log = path.with_name(f"{path.name}-wal")
        if log.is_file():
            self._log = log.open("rb")
            self._read_log(self._log)
            self.pages = max([self.pages, *self._frames])

    def close(self) -> None:
        self._file.close()
        if self._log is not None:
            self._log.close()

    def rows(
        self, progress: Progress = lambda done, total: None
    ) -> Iterator[tuple[str, Mapping[str, Value]]]:
        """Every row, with its table; rows that no tree leads to may have been deleted or changed since.

        ``progress`` gets the number of pages that were read, and of all.
        """
        done: set[int] = set()
        for name, root in self._roots(done).items():
            form = self._forms.get(name)
            for row in self._tree(root, done, lambda: progress(len(done), self.pages)):
                if form is not None and form.least <= len(row) <= len(form.columns):
                    yield form.name, form.by_column(row)
        done |= {1, *self._free_pages()}
        strays: dict[bool, list[TableForm]] = {True: [], False: []}
        for form in self._forms.values():
            strays[form.by_rowid].append(form)
        for number in range(1, self.pages + 1):
            if number in done:
                continue
            done.add(number)
            progress(len(done), self.pages)
            page = self._page(number)
            kind = self._kind(page, number)
            if kind in (_TABLE, _INDEX, _INDEX_INSIDE):
                for row in self._cells(page, number, kind):
                    found = next((form for form in strays[kind == _TABLE] if form.fits(row)), None)
                    if found is not None:
                        yield found.name, found.by_column(row)
        progress(self.pages, self.pages)

    # -- trees

    def _roots(self, done: set[int]) -> dict[str, int]:
        """The first pages of all tables and indexes, by name; of indexes, names that no table has.

        The pages that say so are ``done`` then.
        """
        found: dict[str, int] = {}
        for row in self._tree(1, done, lambda: None) if self._sound_head else ():
            if len(row) != 5:
                continue
            kind, name, _, root, sql = row
            if not isinstance(name, str) or not isinstance(root, int) or not 1 < root <= self.pages:
                continue
            if kind == "table" and isinstance(sql, str) and not _VIRTUAL.match(sql):
                found[name] = root
            elif kind == "index":
                found[f"index {name}"] = root
        return found

    def _tree(self, root: int, done: set[int], progress: Callable[[], object]) -> Iterator[tuple[Value, ...]]:
        """The rows of the tree that begins at the page ``root``; pages that are ``done`` are left out."""
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in done:
                continue
            page = self._page(number)
            kind = self._kind(page, number)
            if kind is None:
                self.bad_pages += 1
                continue  # it may be a page with rows of something else: not done
            done.add(number)
            progress()
            if kind in (_TABLE_INSIDE, _INDEX_INSIDE):
                waiting += self._children(page, number)
            if kind != _TABLE_INSIDE:
                yield from self._cells(page, number, kind)

    def _kind(self, page: bytes, number: int) -> int | None:
        at = 100 if number == 1 else 0
        kind = page[at] if len(page) > at + 8 else 0
        if kind not in (_TABLE, _TABLE_INSIDE, _INDEX, _INDEX_INSIDE):
            return None
        count = struct.unpack_from(">H", page, at + 3)[0]
        return kind if at + 8 + 2 * count <= self._size else None

    def _pointers(self, page: bytes, number: int) -> Iterator[int]:
        at = 100 if number == 1 else 0
        inside = page[at] in (_TABLE_INSIDE, _INDEX_INSIDE)
        (count,) = struct.unpack_from(">H", page, at + 3)
        first = at + (12 if inside else 8)
        for place in range(first, min(first + 2 * count, len(page) - 1), 2):
            (pointer,) = struct.unpack_from(">H", page, place)
            if first <= pointer < len(page) - 4:
                yield pointer

    def _children(self, page: bytes, number: int) -> list[int]:
        at = 100 if number == 1 else 0
        found = [struct.unpack_from(">I", page, pointer)[0] for pointer in self._pointers(page, number)]
        found.append(struct.unpack_from(">I", page, at + 8)[0])
        return [child for child in reversed(found) if 1 < child <= self.pages]

    def _cells(self, page: bytes, number: int, kind: int) -> Iterator[tuple[Value, ...]]:
        for pointer in self._pointers(page, number):
            try:
                at = pointer + (4 if kind == _INDEX_INSIDE else 0)
                size, at = _varint(page, at)
                if kind == _TABLE:
                    _, at = _varint(page, at)  # the rowid, which no table of ours shows
                yield _record(self._payload(page, at, size, table=kind == _TABLE))
            except (ValueError, IndexError, struct.error):
                continue  # this cell is damaged; the others may be whole

    def _payload(self, page: bytes, at: int, size: int, *, table: bool) -> bytes:
        usable = self._usable
        most = usable - 35 if table else (usable - 12) * 64 // 255 - 23
        if size <= most:
            local = size
        else:
            least = (usable - 12) * 32 // 255 - 23
            local = least + (size - least) % (usable - 4)
            local = local if local <= most else least
        if size > self.pages * self._size:
            raise ValueError("the row is longer than the file")
        parts = [page[at : at + local]]
        missing = size - local
        seen: set[int] = set()
        if missing:
            (following,) = struct.unpack_from(">I", page, at + local)
            while missing > 0 and 1 < following <= self.pages and following not in seen:
                seen.add(following)
                more = self._page(following)
                parts.append(more[4 : 4 + min(missing, usable - 4)])
                missing -= len(parts[-1])
                (following,) = struct.unpack_from(">I", more, 0)
        whole = b"".join(parts)
        if len(whole) != size:
            raise ValueError("a part of the row is missing")
        return whole

    def _free_pages(self) -> set[int]:
        """The pages that are in no use, as far as that is readable: they hold deleted rows."""
        found: set[int] = set()
        trunk = struct.unpack_from(">I", self._page(1), 32)[0] if self._sound_head else 0
        while 1 < trunk <= self.pages and trunk not in found:
            found.add(trunk)
            page = self._page(trunk)
            if len(page) < 8:
                break
            trunk, count = struct.unpack_from(">II", page)
            for number in range(min(count, (len(page) - 8) // 4)):
                found.add(struct.unpack_from(">I", page, 8 + 4 * number)[0])
        return found

    # -- pages

    def _page(self, number: int) -> bytes:
        if number in self._frames and self._log is not None:
            self._log.seek(self._frames[number])
            return self._log.read(self._size)
        self._file.seek((number - 1) * self._size)
        return self._file.read(self._size)

    def _read_log(self, log: BinaryIO) -> None:
        """Find the newest committed state of each page in the log, as far as its checksums hold."""
        head = log.read(32)
        order = _LOG_MAGIC.get(struct.unpack(">I", head[:4])[0]) if len(head) == 32 else None
        if order is None:
            return
        if not self._sound_head:
            (self._size,) = struct.unpack(">I", head[8:12])
            self._usable = self._size
        sums = _checksum(head[:24], order, (0, 0))
        if struct.unpack(">II", head[24:32]) != sums or struct.unpack(">I", head[8:12])[0] != self._size:
            return
        pending: dict[int, int] = {}
        while len(frame := log.read(24 + self._size)) == 24 + self._size:
            number, committed = struct.unpack(">II", frame[:8])
            sums = _checksum(frame[24:], order, _checksum(frame[:8], order, sums))
            if frame[8:16] != head[16:24] or struct.unpack(">II", frame[16:24]) != sums:
                return
            pending[number] = log.tell() - self._size
            if committed:
                self._frames |= pending
                pending.clear()


def _checksum(raw: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    for one, other in struct.iter_unpack(f"{order}II", raw):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """The number at ``at``, and where it ends."""
    value = 0
    for place in range(at, at + 8):
        byte = raw[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    return value << 8 | raw[at + 8], at + 9


def _record(raw: bytes) -> tuple[Value, ...]:
    end, at = _varint(raw, 0)
    body, found = end, list[Value]()
    while at < end:
        kind, at = _varint(raw, at)
        if kind < 7:
            size = _INTEGERS[kind]
            value: Value = int.from_bytes(raw[body : body + size], "big", signed=True) if kind else None
        elif kind == 7:
            size = 8
            (value,) = struct.unpack_from(">d", raw, body)
        elif kind < 10:
            size, value = 0, kind - 8
        elif kind < 12:
            raise ValueError("there is no such type")
        else:
            size = (kind - 12) // 2
            part = raw[body : body + size]
            value = text_or_bytes(part) if kind % 2 else part
        body += size
        if body > len(raw):
            raise ValueError("the row is too short")
        found.append(value)
    if at != end or body != len(raw):
        raise ValueError("the row is of another length")
    return tuple(found)
