"""Packs by somebody who means harm: sealed and listed rightly, so that only their rows can be refused."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from quizwriter.formats.archive import MANIFEST, PEOPLE, TOSSUPS

Row = dict[str, object]

NOON_MS = 1_700_000_000_000


def edit_row(start: int, removed: str, inserted: str, at_ms: int = NOON_MS, author: str = "mallory") -> list:
    """An edit as a pack holds it."""
    return [at_ms, start, removed, inserted, author]


def tossup_row(root: str, text: str, edits: Sequence[Sequence[object]], **parts: object) -> Row:
    """A tossup as a pack holds it; ``parts`` are its other fields."""
    return {
        "id": root, "created_ms": NOON_MS, "text": text, "edits": edits, "asked": [], "games": [],
        "events": [], **parts,
    }  # fmt: skip


def seal(path: Path) -> None:
    """Make the digest of the pack at ``path`` right again."""
    raw = path.read_bytes()[:-64]
    path.write_bytes(raw + hashlib.sha256(raw).hexdigest().encode())


def write_members(
    path: Path,
    members: Mapping[str, bytes | Iterable[bytes]],
    *,
    manifest: Mapping[str, object] | None = None,
    compression: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """A pack with the ``members`` whose manifest, changed by ``manifest``, and seal are right."""
    files = {}
    with zipfile.ZipFile(path, "w", compression) as pack:
        for name, blocks in members.items():
            digest, size, lines = hashlib.sha256(), 0, 0
            with pack.open(name, "w", force_zip64=True) as file:
                for block in [blocks] if isinstance(blocks, bytes) else blocks:
                    digest.update(block)
                    size += len(block)
                    lines += block.count(b"\n")
                    file.write(block)
            files[name] = {"sha256": digest.hexdigest(), "bytes": size, "lines": lines}
        said = {"format": "quizwriter-pack", "version": 1, "program": "hostile", "files": files}
        pack.writestr(MANIFEST, json.dumps(said | dict(manifest or {})))
        pack.comment = b"sha256:" + b"0" * 64
    seal(path)
    return path


def write_rows(path: Path, rows: Iterable[Row], people: Iterable[Sequence[object]] = ()) -> Path:
    """A pack of tossups as they are given, whatever is wrong with them."""
    return write_members(
        path,
        {
            TOSSUPS: (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows),
            PEOPLE: (json.dumps(person).encode() + b"\n" for person in people),
        },
    )


def forks(count: int, root: str = "forked") -> Iterable[Row]:
    """One tossup that diverged at its first edit, ``count`` times."""
    for number in range(count):
        yield tossup_row(root, f"{number}", [edit_row(0, "", f"{number}")])


def slow_replay(length: int, edits: int) -> Row:
    """A tossup with a text of ``length`` letters, at whose beginning and end ``edits`` letters are typed."""
    made = [edit_row(0, "", "a" * length)]
    made += [edit_row(0 if at % 2 else length + at, "", "a") for at in range(edits)]
    return tossup_row("slow", "a" * (length + edits), made)


def wide_body(lists: int) -> bytes:
    """A line whose only event says ``lists`` empty lists."""
    row = tossup_row("wide", "", [], events=[["e", 0, "wide", NOON_MS, "mallory", "tags", "HERE"]])
    return json.dumps(row).encode().replace(b'"HERE"', b"[" + b"[]," * (lists - 1) + b"[]]") + b"\n"


def patched(path: Path, change: Callable[[bytearray, int], None]) -> Path:
    """The pack with each header of its members changed by ``change``, which gets the bytes and the place."""
    raw = bytearray(path.read_bytes())
    for signature in (b"PK\x03\x04", b"PK\x01\x02"):
        at = raw.find(signature)
        while at >= 0:
            change(raw, at)
            at = raw.find(signature, at + 4)
    path.write_bytes(raw)
    seal(path)
    return path


def encrypted(raw: bytearray, at: int) -> None:
    """Say of the member with the header at ``at`` that it is encrypted."""
    flags = at + (6 if raw[at + 2] == 3 else 8)
    struct.pack_into("<H", raw, flags, struct.unpack_from("<H", raw, flags)[0] | 1)
