"""Mutations of foreign files: of bytes, texts, JSON, arrays, XML, zip files and SQLite databases.

Every function takes a :class:`random.Random` first and draws everything from it, so a seed gives the same
file again. A mutation keeps most of the structure: a reader looks far only into files that are nearly right.
"""

from __future__ import annotations

import io
import json
import random
import re
import sqlite3
import struct
import zipfile
from contextlib import closing, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

NUMBERS = (
    *(0, 1, -1, 2, 7, 127, 255, 256, 65_535, 10_000, 2**31 - 1, 2**31, -(2**31), 2**53, 2**53 + 1, 2**63 - 1),
    *(2**63, -(2**63), 2**64, 10**30, 253_402_214_400_000, 253_402_214_400_001, 253_402_300_800_000),
    *(0.5, -0.0, 1e-320, 1e308, -1e308, 1e22, float("nan"), float("inf"), float("-inf")),
)
LETTERS = (
    *(
        "",
        " ",
        "\0",
        "\n",
        "\r",
        "\u2028",
        "\ufeff",
        "\u200b",
        "\ud800",
        "\udfff",
        "\U0010ffff",
        "\x1b[31m",
        "\x01",
    ),
    *(
        "e\u0301" * 50,
        "\u202eabc",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "İı",
        "\u017f",
        "ß",
        "\x85",
        "\xa0",
    ),
    *(
        "=1+1",
        "@SUM(A1)",
        "-2",
        "+3",
        "'; drop table tossups; --",
        "<img src='file:///dev/zero'>",
        "<b>",
        "&lt;",
    ),
    *(
        "%s%n",
        "{0}",
        "$HOME",
        "(*)",
        '("PRO-nun")',
        "[accept",
        "ANSWER:",
        "[10]",
        "1.",
        "“",
        "For 10 points",
        "-",
    ),
    *(
        "../../outside",
        "/dev/zero",
        "/dev/stdin",
        "C:\\Windows\\x",
        "\\\\host\\share",
        "nul",
        ".",
        "..",
        "a/b",
    ),
    *("null", "true", "NaN", "1e999", "0x10", "12", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00"),
)
RUNS = (
    " ",
    ".",
    "-",
    "(",
    "[",
    "{",
    '"',
    "a",
    "A ",
    "a. ",
    "\n",
    "<",
    "&",
    "\u0301",
    "[a",
    "(a",
    "\\",
    "*",
    "1",
    "😀",
)


def number(draw: random.Random) -> int | float:
    """A number at some border, or any other."""
    return draw.choice(NUMBERS) if draw.random() < 0.8 else draw.randint(-(10**6), 10**6)


def run(draw: random.Random, longest: int = 20_000) -> str:
    """The same letters over and over."""
    return draw.choice(RUNS) * draw.choice((3, 50, 1_000, 5_000, longest))


def text(draw: random.Random, value: str, longest: int = 20_000) -> str:
    """``value`` with some of its letters taken out, repeated, moved or replaced by hostile ones."""
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        start = draw.randint(0, len(value))
        end = min(len(value), start + draw.choice((0, 0, 1, 3, 20, 200)))
        kind = draw.randrange(7)
        if kind == 0:
            new = draw.choice(LETTERS)
        elif kind == 1:
            new = run(draw, longest)
        elif kind == 2:
            new = ""
        elif kind == 3:
            new = value[start:end] * draw.choice((2, 3, 40))
        elif kind == 4:
            new = value[end : end + 60] + value[start:end]
        elif kind == 5:
            new = chr(draw.choice((draw.randrange(0x250), draw.randrange(0x11_0000))))
        else:
            new = value[start:end].swapcase()
        value = value[:start] + new + value[end:]
    return value


def raw(draw: random.Random, value: bytes) -> bytes:
    """``value`` with some bytes changed, taken out, put in, repeated or cut off."""
    found = bytearray(value)
    for _ in range(draw.choice((1, 1, 2, 4, 16))):
        at = draw.randint(0, len(found))
        kind = draw.randrange(8)
        if kind == 0 and found:
            found[at % len(found)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            found[at:at] = draw.randbytes(draw.choice((1, 2, 8, 300)))
        elif kind == 2:
            del found[at : at + draw.choice((1, 4, 64, 5_000))]
        elif kind == 3:
            block = found[at : at + draw.choice((1, 16, 500))]
            found[at:at] = block * draw.choice((1, 2, 30))
        elif kind == 4:
            whole = int(draw.choice((0, 1, 255, 65_535, 2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1)))
            size = draw.choice((2, 4, 8))
            found[at : at + size] = (whole & (1 << 8 * size) - 1).to_bytes(
                size, draw.choice(("little", "big"))
            )
        elif kind == 5:
            found[at:at] = draw.choice(LETTERS).encode("utf-8", "surrogatepass")
        elif kind == 6:
            other = draw.randint(0, len(found))
            found[at:at] = found[other : other + 200]
        elif draw.random() < 0.3:
            del found[at:]
    return bytes(found)


# -- JSON


class _Verbatim(str):
    """JSON that is written as it is, whether it is sound or not."""

    __slots__ = ()


def _strange(draw: random.Random) -> Any:
    kind = draw.randrange(9)
    if kind == 0:
        return number(draw)
    if kind == 1:
        return draw.choice(LETTERS)
    if kind == 2:
        return run(draw)
    if kind == 3:
        return draw.choice((None, True, False, [], {}, [None], {"": None}))
    if kind == 4:
        return _Verbatim(
            draw.choice(("9" * 5_000, "-" + "9" * 400, "1e400", "1." + "3" * 5_000, "1e-999999999"))
        )
    if kind == 5:
        levels = draw.choice((20, 500, 2_000, 100_000))
        opening, closing_ = draw.choice((("[", "]"), ('{"a":', "}")))
        return _Verbatim(opening * levels + "1" + closing_ * levels)
    if kind == 6:
        return [draw.choice(("a", 1, None, [], {}))] * draw.choice((10, 1_000, 50_000))
    if kind == 7:
        return {str(place): place for place in range(draw.choice((10, 1_000)))}
    return _Verbatim(
        draw.choice(('{"a":1,"a":2}', "nul", '"\\ud800"', '"\\u0000"', "'a'", "[1,]", "", "01", "[,]"))
    )


def _nodes(value: Any, found: list[tuple[Any, Any]]) -> None:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        if len(found) < 3_000:
            found.append((value, key))
            _nodes(one, found)


def value(draw: random.Random, whole: Any, times: int | None = None) -> Any:
    """``whole``, which is changed in place, with some of its values replaced, removed, repeated or moved."""
    for _ in range(times or draw.choice((1, 1, 1, 2, 3, 8))):
        places: list[tuple[Any, Any]] = []
        _nodes(whole, places)
        if not places or draw.random() < 0.01:
            return _strange(draw)
        inside, key = draw.choice(places)
        old = inside[key]
        kind = draw.randrange(11)
        if kind == 0:
            del inside[key]
        elif kind == 1 and isinstance(inside, list):
            inside[key:key] = [old] * draw.choice((1, 2, 30, 300))
        elif kind == 2 and isinstance(inside, dict):
            inside[draw.choice((*map(str, LETTERS[:12]), "id", "text", "x" * 300, *map(str, inside)))] = (
                inside.pop(key)
            )
        elif kind == 3:
            other, where = draw.choice(places)
            inside[key] = deepcopy(other[where])
        elif kind == 4:
            inside[key] = draw.choice(([old], {"a": old}, [[[old]]], {"": old, "b": old}))
        elif kind in (5, 6, 7) and isinstance(old, str):
            inside[key] = text(draw, old)
        elif kind in (5, 6, 7) and isinstance(old, int | float):
            inside[key] = draw.choice(
                (old + 1, old - 1, -old, old * 2, str(old)[:400], number(draw), number(draw))
            )
        elif kind == 8 and isinstance(inside, list):
            draw.shuffle(inside)
        else:
            inside[key] = _strange(draw)
    return whole


_PIECE = re.compile('"@verbatim-([0-9]+)@"')


def dumps(whole: Any) -> bytes:
    """The JSON of what :func:`value` made, with the pieces in it that are no sound JSON."""
    pieces: list[str] = []

    def kept(one: Any) -> Any:
        if isinstance(one, _Verbatim):
            pieces.append(str(one))
            return f"@verbatim-{len(pieces) - 1}@"
        if isinstance(one, dict):
            return {key: kept(inside) for key, inside in one.items()}
        return [kept(inside) for inside in one] if isinstance(one, list) else one

    written = json.dumps(kept(whole), ensure_ascii=False, default=str)
    written = _PIECE.sub(lambda found: pieces[int(found[1])], written)
    return written.encode("utf-8", "surrogatepass")


def json_bytes(draw: random.Random, source: bytes) -> bytes:
    """The JSON document ``source`` with values changed, and now and then with bytes changed."""
    if draw.random() < 0.12:
        return raw(draw, source)
    return dumps(value(draw, json.loads(source)))


def json_lines(draw: random.Random, source: bytes) -> bytes:
    """The JSON lines ``source`` with some lines changed, removed, repeated or moved."""
    lines = source.split(b"\n")
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(lines))
        kind = draw.randrange(10)
        if kind == 0:
            del lines[at]
            lines = lines or [b""]
        elif kind == 1:
            lines[at:at] = [lines[at]] * draw.choice((1, 3))
        elif kind == 2:
            draw.shuffle(lines)
        else:
            with suppress(ValueError, RecursionError):  # the line was changed before
                lines[at] = json_bytes(draw, lines[at])
    joined = b"\n".join(lines)
    return raw(draw, joined) if draw.random() < 0.08 else joined


# -- arrays, XML, zip files


def array(draw: random.Random, source: bytes) -> bytes:
    """The ``.npy`` file ``source`` with other values, another type, another shape, or a wrong header."""
    kind = draw.randrange(6)
    if kind == 0:
        return raw(draw, source)
    if kind == 1:  # a header that promises what does not follow
        descr = draw.choice(
            (
                "'<f4'",
                "'<i8'",
                "'|O'",
                "'<U9'",
                "'|V0'",
                "'|b1'",
                "'<c16'",
                "'M8[s]'",
                "'>f8'",
                "[('a', '<i4')]",
            )
        )
        shape = draw.choice(
            ("()", "(0,)", "(-1,)", "(9999999999,)", "(1, 0, 3)", "(2,2)", f"({'1,' * 70})", "'a'", "(1.5,)")
        )
        fortran = draw.choice(("True", "False", "1"))
        head = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
        head += b" " * (-(len(head) + 11) % 64) + b"\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + source[128:]
    values = np.load(io.BytesIO(source), allow_pickle=False)
    with np.errstate(all="ignore"):
        if kind == 2 and values.size:
            flat = values.ravel().copy()
            for _ in range(draw.choice((1, 1, 4, flat.size))):
                with suppress(OverflowError, ValueError):
                    flat[draw.randrange(flat.size)] = number(draw)
            values = flat.reshape(values.shape)
        elif kind == 3:
            values = values.astype(
                draw.choice(("f4", "f8", "i1", "i4", "i8", "u8", "?", "f2", "U4", ">i8", "c8"))
            )
        elif kind == 4 and values.size:
            cut = draw.randint(0, len(values)) if values.ndim else 0
            values = (
                draw.choice(
                    (values[:cut], np.concatenate([values, values]), values[..., None], values.T[::-1])
                )
                if values.ndim
                else values[None]
            )
        else:
            values = draw.choice(
                (
                    np.zeros(0),
                    np.zeros((0, 3)),
                    np.asarray(5),
                    values * 0,
                    values[::-1] if values.ndim else values,
                )
            )
    out = io.BytesIO()
    np.save(out, values, allow_pickle=False)
    return out.getvalue()


def xml(draw: random.Random, source: bytes) -> bytes:
    """The XML document ``source`` with elements, attributes and texts changed, or with a hostile prologue."""
    kind = draw.randrange(14)
    if kind == 0:
        return raw(draw, source)
    if kind == 1:
        entity = draw.choice(
            (b'<!ENTITY e SYSTEM "file:///etc/passwd">', b'<!ENTITY e "aaaaaaaaaaaaaaaaaaaa">')
        )
        bomb = b"".join(
            b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 20 if n else b"e" * 50) for n in range(8)
        )
        body = source.split(b"?>", 1)[-1]
        body = body.replace(b"</w:t>", draw.choice((b"&e;", b"&e7;")) + b"</w:t>", 2)
        return b'<?xml version="1.0"?><!DOCTYPE x [' + entity + bomb + b"]>" + body
    tree = etree.fromstring(source)
    for _ in range(draw.choice((1, 1, 2, 5))):
        nodes = list(tree.iter(etree.Element))
        node = draw.choice(nodes)
        kind = draw.randrange(9)
        parent = node.getparent()
        if kind == 0 and parent is not None:
            parent.remove(node)
        elif kind == 1 and parent is not None:
            for _ in range(draw.choice((1, 3, 300))):
                parent.insert(parent.index(node), deepcopy(node))
        elif kind == 2:
            other = draw.choice(nodes)
            node.append(deepcopy(other))
        elif kind == 3:
            with suppress(ValueError):
                node.text = text(draw, node.text or "a text", longest=50_000)
        elif kind == 4 and node.attrib:
            name = draw.choice(list(node.attrib))
            with suppress(ValueError):
                node.attrib[name] = draw.choice((*LETTERS, str(number(draw)), run(draw)))
        elif kind == 5 and node.attrib:
            del node.attrib[draw.choice(list(node.attrib))]
        elif kind == 6:
            node.tag = draw.choice(nodes).tag
        elif kind == 7:
            inner = node
            for _ in range(draw.choice((5, 100, 240, 2_000))):
                inner = etree.SubElement(inner, draw.choice((node.tag, "{x}deep")))
        elif parent is not None:
            with suppress(ValueError):  # a node does not fit into itself
                draw.choice(nodes).append(node)
    return etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True)


def zip_members(source: bytes) -> dict[str, bytes]:
    """The members of the zip file ``source``, unpacked, in their order."""
    with zipfile.ZipFile(io.BytesIO(source)) as file:
        return {name: file.read(name) for name in file.namelist()}


_PACKINGS = zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA


def zipped(draw: random.Random, members: dict[str, bytes]) -> bytes:
    """A zip file of ``members``, now and then with its names, kinds of packing or bytes changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        odd = draw.random() < 0.05
        for name, content in members.items():
            packing = draw.choice(_PACKINGS) if odd else zipfile.ZIP_DEFLATED
            if draw.random() < 0.005:
                name = draw.choice((f"../{name}", f"/{name}", name.upper(), name * 50, "", "a\\b"))
            elif draw.random() < 0.003:
                continue
            with suppress(ValueError, UserWarning):
                file.writestr(zipfile.ZipInfo(name), content, packing)
                if draw.random() < 0.005:
                    file.writestr(
                        zipfile.ZipInfo(f"{name}2"), bytes(draw.choice((1, 20_000_000))), zipfile.ZIP_DEFLATED
                    )
    return raw(draw, out.getvalue()) if draw.random() < 0.08 else out.getvalue()


# -- SQLite


def _cell(draw: random.Random, old: object) -> object:
    kind = draw.randrange(8)
    if isinstance(old, str) and kind < 5:
        if old[:1] in "[{" and kind < 4:
            with suppress(ValueError):
                return json_bytes(draw, old.encode()).decode("utf-8", "replace")
        return text(draw, old).encode("utf-8", "replace").decode()
    if isinstance(old, bytes) and kind < 5:
        return raw(draw, old)
    if isinstance(old, int | float) and kind < 4:
        return (
            max(-(2**63), min(2**63 - 1, old + draw.choice((-1, 1, 1_000)))) if isinstance(old, int) else -old
        )
    if kind == 5:
        return draw.choice((None, b"", b"\xff\xfe", b"\0", "", "\0a", 0, -1, 2**63 - 1, -(2**63), 1e308, 0.5))
    if kind == 6:
        return run(draw)
    found = number(draw)
    return max(-(2**63), min(2**63 - 1, found)) if isinstance(found, int) else found


_STATEMENTS = (
    "drop table {table}",
    "delete from {table}",
    "delete from {table} where rowid % 2 = 0",
    "alter table {table} rename to {table}_2",
    "alter table {table} rename column {column} to other",
    "alter table {table} add column more text",
    "alter table {table} drop column {column}",
    "create trigger t after update on {table} begin select abs(-9223372036854775808); end",
    "create trigger t after insert on {table} begin delete from {table}; end",
    "pragma user_version = 2147483647",
    "pragma application_id = 77",
    "update {table} set {column} = cast(x'fffe80' as text)",
    "update {table} set {column} = x'00ff'",
    "update {table} set {column} = zeroblob(30000000) where rowid = 1",
    "update {table} set {column} = (select {column} from {table} order by 1 limit 1)",
    "insert or ignore into {table} select * from {table}",
    "create table other (a, b)",
)


def database(draw: random.Random, path: Path) -> None:
    """Change the SQLite database ``path``: some cells, whole tables, its schema, or its bytes."""
    if draw.random() < 0.3:
        path.write_bytes(raw(draw, path.read_bytes()))
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for trouble in ("foreign_keys = off", "ignore_check_constraints = on", "writable_schema = on"):
            db.execute(f"pragma {trouble}")
        names = (
            "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
        )
        tables = [name for (name,) in db.execute(names)]
        for (trigger,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            db.execute(f'drop trigger "{trigger}"')
        for _ in range(draw.choice((1, 1, 2, 4))):
            table = draw.choice(tables)
            with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                columns = [row[1] for row in db.execute(f'pragma table_info("{table}")')]
                if not columns:
                    continue  # an earlier change took the table away
                column = draw.choice(columns)
                if draw.random() < 0.12:
                    for statement in draw.choice(_STATEMENTS).format(table=table, column=column).split(";;"):
                        db.execute(statement)
                    continue
                row = db.execute(f'select rowid, "{column}" from "{table}" order by rowid').fetchall()
                if not row:
                    continue
                place, old = draw.choice(row)
                db.execute(f'update "{table}" set "{column}" = ? where rowid = ?', (_cell(draw, old), place))
