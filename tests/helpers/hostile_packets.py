"""Word documents and texts that were made to do harm; each is small, and none is a packet."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>{before}<w:{kind} '
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">{inside}</w:{kind}>'
)
_BODY, _STYLES = "word/document.xml", "word/styles.xml"


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of Word's XML."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def body(inside: str, before: str = "") -> bytes:
    """The main part of a document."""
    return _HEAD.format(kind="document", inside=f"<w:body>{inside}</w:body>", before=before).encode()


def styles(links: dict[str, str]) -> bytes:
    """Styles, each of which is based on another."""
    inside = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:basedOn w:val="{other}"/></w:style>'
        for name, other in links.items()
    )
    return _HEAD.format(kind="styles", inside=inside, before="").encode()


def many_attributes() -> bytes:
    """A tag with millions of attributes; no test but its own waits until it is made."""
    return body("<w:p " + " ".join(f'a{number}=""' for number in range(1_500_001)) + "/>")


def save(
    path: Path, parts: dict[str, bytes | Callable[[], bytes]], compression: int = zipfile.ZIP_DEFLATED
) -> Path:
    """A Word document at ``path`` with these parts in place of its own."""
    plain = io.BytesIO()
    docx.Document().save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", compression) as new:
        for name in dict.fromkeys([*old.namelist(), *parts]):
            part = parts[name] if name in parts else old.read(name)
            new.writestr(name, part() if callable(part) else part)
    return path


def encrypted(path: Path) -> Path:
    """A Word document whose zip says that its parts are encrypted."""
    raw = bytearray(save(path, {}).read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = raw.find(mark)
        while at >= 0:
            raw[at + place] |= 1
            at = raw.find(mark, at + 4)
    path.write_bytes(raw)
    return path


def nested(tag: str, levels: int) -> bytes:
    """A document of tags within each other."""
    return body(f"<w:{tag}>" * levels + paragraph("deep") + f"</w:{tag}>" * levels)


TABLE = "<w:tbl><w:tr><w:tc>"
LAUGHS = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
UTF_7 = b'<?xml version="1.0" encoding="UTF-7"?>+ADw-a/+AD4-'

REFUSED = {
    "millions of paragraphs": ({_BODY: body("<w:p/>" * 2_000_000)}, "tags and attributes"),
    "millions of attributes": ({_BODY: many_attributes}, "tags and attributes"),
    "millions of tags in another part": (
        {"word/settings.xml": body("<w:a/>" * 1_500_001)},
        "tags and attributes",
    ),
    "many paragraphs": ({_BODY: body("<w:p/>" * 50_001)}, "more than 50,000 paragraphs"),
    "a long paragraph": ({_BODY: body(paragraph("a" * 60_000))}, "paragraph 1 is longer than 50,000"),
    "gigabytes": ({"word/media/a.png": bytes(65 << 20)}, "becomes longer than 64 MB"),
    "a document type": ({_BODY: body("<w:p/>", LAUGHS)}, "document type"),
    "an unusual encoding": ({_BODY: UTF_7}, "unusual encoding"),
    "tables in tables": (
        {_BODY: body(TABLE * 60 + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * 60)},
        "nested too deeply",
    ),
    "links in links": (
        {_BODY: body("<w:p>" + "<w:ins>" * 100 + "</w:ins>" * 100 + "</w:p>")},
        "nested too deeply",
    ),
    "deeper than a parser goes": ({_BODY: nested("sdt", 5_000)}, "not a sound Word document"),
    "no body": ({_BODY: _HEAD.format(kind="document", inside="", before="").encode()}, "it has no text"),
    "no XML": ({_BODY: b"nothing"}, "not a sound Word document"),
    "other XML": ({_BODY: b"<a><b/></a>"}, "not a sound Word document"),
    "content types without end": ({"[Content_Types].xml": b"<Types/>"}, "not a sound Word document"),
}
"""Parts of documents that are refused, and what the sentence says."""

CHAIN = {f"s{number}": f"s{number + 1}" for number in range(5_000)}
LOOP = {"s0": "s1", "s1": "s2", "s2": "s0"}

SLOW = {
    "a cell without a full stop": body(
        f"{TABLE}{paragraph('a b ' * 12_000)}</w:tc><w:tc>{paragraph('x')}</w:tc></w:tr></w:tbl>"
    ),
    "cells": body("<w:tbl><w:tr>" + f"<w:tc>{paragraph('5.')}</w:tc>" * 10_000 + "</w:tr></w:tbl>"),
    "cells of labels": body(
        "<w:tbl><w:tr>" + f"<w:tc>{paragraph('a')}{paragraph('5.')}</w:tc>" * 10_000 + "</w:tr></w:tbl>"
    ),
    "a heading of dashes": body(paragraph("Tossup 1 " + "-" * 40_000 + "x")),
    "a heading of spaces": body(paragraph("tossup" + "\u00a0" * 40_000 + "x")),
    "open answers": body("".join(map(paragraph, ["ANSWER: a (", "b", "c"] * 10_000))),
    "words": body("<w:p>" + "<w:r><w:t>a </w:t></w:r>" * 20_000 + "</w:p>"),
}
"""Documents that took minutes, and are read or refused in seconds."""
