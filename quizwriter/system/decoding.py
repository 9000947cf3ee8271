"""Outside data: JSON and plain values become typed objects within limits, or a reason why they cannot.

All data that this run of the program did not make is outside data: files, database rows, answers of servers.
Types are :class:`msgspec.Struct`, named tuples and annotated builtins; msgspec checks them.
What is not of its type or exceeds a limit raises :class:`DecodingError`; what cannot be read, an ``OSError``.
"""

from __future__ import annotations

import bz2
import codecs
import errno
import gzip
import hashlib
import io
import lzma
import math
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from quizwriter.errors import QuizwriterError
from quizwriter.system.moments import LATEST_MS

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

T = TypeVar("T")

LARGEST_NUMBER = 1 << 53
"""The largest whole number up to which every JSON reader is exact."""

LONGEST_TEXT = 100_000
"""Characters of one text of a small value; a tossup is a hundredth of that."""

DEEPEST = 8
"""Levels of lists and objects in a small value."""

LONGEST_IDENTIFIER = 200
"""Characters of the id of a tossup, an event or a person; those that we make have 32."""

LONGEST_REASON = 300
"""Characters of a place or of a reason in a :class:`DecodingError`."""

DEEPEST_JSON = 64
"""Levels of lists and objects in any JSON document; ours have at most ten."""

MOST_VALUES = 250_000
"""Values, lists and objects included, in a JSON document of no known form; each takes up to 100 bytes."""

MOST_RATIO = 200
"""How many times longer a file may become when it is unpacked; question files become 5 to 40 times longer."""

SMALLEST_BOMB = 16 << 20
"""Unpacked bytes from which :data:`MOST_RATIO` counts."""

MOST_MEMBERS = 5_000
"""Files in a zip; a Word document with pictures has some dozens."""

Count = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_NUMBER)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=LATEST_MS)]
Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_IDENTIFIER)]

_REFUSALS = (RecursionError, msgspec.MsgspecError, ValueError, OverflowError)
"""How libraries refuse a value; ValueError and OverflowError come of int(), with too many digits."""

_COLUMN = re.compile(r"\[(\d+)\]: (.*)", re.DOTALL)
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "null": "nothing",
    "array": "a list",
    "object": "named fields",
    "bytes": "bytes",
}
"""How the reasons of msgspec call a kind of value, and how a reader of any trade calls it."""

_IN_KEY = "key` in `"
"""What msgspec puts before the place of an object of which a key is wrong."""

_KIND = re.compile(r"`([a-z |]{1,60})`")
_FORM = re.compile(r" matching regex '.*", re.DOTALL)
_BOUND = re.compile(r"( of length)? ([<>])= (-?[\d.]{1,40})")
_BUFFER = 1 << 20  # bytes
_CHUNK = 1 << 17  # bytes that are looked at together
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_TOML_TEXT = re.compile(  # one that is not closed is no TOML, and is looked at once
    rb""""{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?|'{3}(?:[^']|'(?!''))*+(?:'{3,5})?"""
    rb"""|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)
_NO_TOML_KEY = re.compile(rb"""[^\w\-."'\x80-\xff]+""")
_ESCAPED = re.compile(rb'\\["\\]')
_NO_SHAPE = bytes(set(range(256)) - set(b'"[]{},'))
_NO_BRACKETS = bytes(set(range(256)) - _STEPS.keys())


class DecodingError(ValueError):
    """The data is not of the expected form; the text says what was expected and where."""


def decode_json(raw: bytes | str, kind: type[T], *, most_bytes: int | None = None) -> T:
    """The JSON document ``raw``, of at most ``most_bytes`` and :data:`DEEPEST_JSON` levels, as a ``kind``."""
    if most_bytes is not None and len(raw) > most_bytes:
        raise DecodingError(f"it is longer than {most_bytes:,} bytes")
    check_json_shape(raw)
    with _reasons():
        return msgspec.json.decode(raw, type=kind)


def decode_toml(raw: bytes) -> dict[str, object]:
    """The TOML document ``raw`` as plain values, for :func:`decode_value`, whose limits hold.

    A key has at most :data:`DEEPEST` parts.
    """
    raw = raw.removeprefix(codecs.BOM_UTF8)  # as Windows' Notepad begins a text
    # the parser's time grows with the square of the parts of a key
    keys = _NO_TOML_KEY.split(_TOML_TEXT.sub(b'""', raw.translate(None, b" \t")))
    if max(key.count(b".") for key in keys) >= DEEPEST:
        raise DecodingError(f"a key has more than {DEEPEST} parts")
    try:
        with _reasons():
            values = msgspec.toml.decode(raw, type=dict[str, object])
    except DecodingError:
        raise
    except ValueError as trouble:  # the parser makes whole numbers of any length
        raise DecodingError("a number has too many digits") from trouble
    _check_limits(values, DEEPEST)
    return values


def decode_value(value: object, kind: type[T]) -> T:
    """The plain ``value``, of lists, dictionaries, texts and numbers, as a ``kind``.

    The value has to be small: see :data:`LONGEST_TEXT`, :data:`DEEPEST` and :data:`LARGEST_NUMBER`. Fields
    that ``kind`` does not have are refused.
    """
    _check_limits(value, DEEPEST)
    with _reasons():
        decoded = msgspec.convert(value, kind)
    if isinstance(value, Mapping | list):
        _refuse_unknown(value, decoded)
    return decoded


def convert_value(value: object, kind: type[T]) -> T:
    """As :func:`decode_value` of a value whose size is known to be bearable; other fields are left out."""
    with _reasons():
        return msgspec.convert(value, kind)


def decode_row(row: Sequence[object], kind: type[T]) -> T:
    """The ``row`` of a database, of texts, numbers, bytes and None, as a ``kind``, which is a named tuple."""
    # No context manager: a history has tens of thousands of rows, and entering one costs more than the row.
    try:
        return msgspec.convert(row, kind)
    except _REFUSALS as trouble:
        reason = _reason(trouble)
        column = _COLUMN.match(str(reason))
        if column is None:
            raise reason from trouble
        what = (
            "holds bytes that are no text" if column[2].endswith("found bytes") else f"is wrong: {column[2]}"
        )
        names = getattr(kind, "_fields", ())
        name = names[int(column[1])] if names else f"number {int(column[1]) + 1}"
        raise DecodingError(f"the column {name} {what}") from trouble


def decode_small_json(raw: bytes | str, kind: type[T]) -> T:
    """The JSON document ``raw`` as a ``kind``, with the limits of :func:`decode_value`."""
    check_json_shape(raw, deepest=DEEPEST, most_values=MOST_VALUES)
    with _reasons():
        value = msgspec.json.decode(raw)
    return decode_value(value, kind)


def check_json_shape(
    raw: bytes | str, *, deepest: int = DEEPEST_JSON, most_values: int | None = None
) -> None:
    """Check how deep and how large ``raw`` would be, before a decoder builds anything of it.

    ``raw`` need not be JSON. The check takes one look at each byte and almost no memory.
    """
    if isinstance(raw, str):
        raw = raw.encode("utf-8", "surrogatepass")
    openings = raw.count(b"[") + raw.count(b"{")
    commas = 0 if most_values is None else raw.count(b",")
    # brackets and commas in texts count here, so most documents need no closer look
    if openings <= deepest and (most_values is None or openings + commas < most_values):
        return
    shape, values = _JsonShape(deepest), 0
    for start in range(0, len(raw), _CHUNK):
        shape.add(raw[start : start + _CHUNK])
        values += shape.values
        if most_values is not None and values >= most_values:
            raise DecodingError(f"it has more than {most_values:,} values")


class _JsonShape:
    """How deep a JSON document is, of which one piece after the other is added."""

    def __init__(self, deepest: int) -> None:
        self._deepest = deepest
        self._depth = 0
        self._in_text = self._in_escape = False
        self.lowest: int | None = None
        """The fewest levels that were open in the piece added last, after a bracket; None without one."""
        self.values = 0
        """How many values begin in the piece added last."""

    def add(self, piece: bytes) -> None:
        if self._in_escape:
            piece = piece[1:]
        if b"\\" in piece:  # to look for one byte is quick
            piece = _ESCAPED.sub(b"", piece)
            self._in_escape = piece.endswith(b"\\")
        else:
            self._in_escape = False
        parts = piece.translate(None, _NO_SHAPE).split(b'"')
        outside = b"".join(parts[self._in_text :: 2])
        self._in_text ^= len(parts) % 2 == 0
        brackets = outside.translate(None, _NO_BRACKETS)
        self.values = outside.count(b",") + brackets.count(b"[") + brackets.count(b"{")
        self.lowest = None
        if brackets:
            depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=self._depth))[1:]
            self._depth, self.lowest = depths[-1], min(depths)
            if max(depths) > self._deepest:
                raise DecodingError("lists or objects are nested too deeply")


def open_regular(path: Path) -> io.BufferedReader:
    """The file at ``path``, opened for reading; a link is followed, a pipe, a device or a folder refused."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def file_digest(path: Path) -> str:
    """The SHA-256 digest of the regular file at ``path``, in hexadecimal."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_limited(path: Path, most_bytes: int) -> bytes:
    raw = bytearray()
    with open_regular(path) as file:
        while chunk := file.read(_BUFFER):  # a file object makes room for all that it is asked for
            raw += chunk
            if len(raw) > most_bytes:
                raise DecodingError(f"{path.name} has more than {most_bytes >> 20:,} MB")
    return bytes(raw)


class JsonListReader:
    """The bytes of a JSON document that is a list of rows, for a parser that builds one row at a time.

    The parser gets no more of a row than a row may have.
    """

    def __init__(self, stream: io.BufferedReader, row_level: int, longest_row: int) -> None:
        """Read from ``stream``, where the rows lie within ``row_level`` lists and objects."""
        self._stream = stream
        self._row_level = row_level
        self._longest_row = longest_row
        self._shape = _JsonShape(DEEPEST_JSON)
        self._length = self._values = 0  # of the row that is not finished

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most ``size``.

        A row has at most :data:`DEEPEST_JSON` levels and :data:`MOST_VALUES` values.
        """
        chunk = self._stream.read(size)
        self._shape.add(chunk)
        if self._shape.lowest is not None and self._shape.lowest <= self._row_level:
            self._length = self._values = 0
        self._length += len(chunk)
        self._values += self._shape.values
        if self._length > self._longest_row + len(chunk):
            raise DecodingError(f"a row is longer than {self._longest_row >> 20:,} MB")
        if self._values > MOST_VALUES + len(chunk):
            raise DecodingError(f"a row has more than {MOST_VALUES:,} values")
        return chunk


def unpacked(raw: io.BufferedReader) -> io.BufferedReader:
    """The contents of ``raw``, unpacked if it is a gzip, xz or bzip2 file.

    Reading the result raises :class:`DecodingError` when the contents become more than :data:`MOST_RATIO`
    times longer than what was read of ``raw``. What a damaged file raises is for
    :func:`translate_unpacking_errors`.
    """
    magic = raw.read(2)
    raw.seek(0)
    if magic == b"\x1f\x8b":
        return io.BufferedReader(_RatioGuard(gzip.GzipFile(fileobj=raw), raw), _BUFFER)
    if magic == b"\xfd7":
        return io.BufferedReader(_RatioGuard(lzma.LZMAFile(raw), raw), _BUFFER)
    if magic == b"BZ":
        return io.BufferedReader(_RatioGuard(bz2.BZ2File(raw), raw), _BUFFER)
    return raw


class _RatioGuard(io.RawIOBase):
    """The bytes of ``stream``, which unpacks ``packed``, as long as they do not become too many."""

    def __init__(
        self, stream: gzip.GzipFile | lzma.LZMAFile | bz2.BZ2File, packed: io.BufferedReader
    ) -> None:
        super().__init__()
        self._stream = stream
        self._packed = packed
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        # a stream gives at most so many bytes at a time as the buffer has room for
        count = self._stream.readinto(buffer)
        self._size += count
        if self._size > SMALLEST_BOMB and self._size > MOST_RATIO * self._packed.tell():
            raise DecodingError(f"it becomes more than {MOST_RATIO} times longer when it is unpacked")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def check_zip(archive: zipfile.ZipFile, most_bytes: int) -> None:
    """Check that all files in ``archive`` can be unpacked, and how large they become, before any is unpacked.

    :mod:`zipfile` reads no more bytes of a file than the archive says that the file has. Refused are more
    than :data:`MOST_MEMBERS` files, encryption, unusual packing, and what becomes longer than ``most_bytes``
    or more than :data:`MOST_RATIO` times longer.
    """
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise DecodingError(f"it holds more than {MOST_MEMBERS:,} files")
    if any(member.flag_bits & 0x1 for member in members):
        raise DecodingError("it is encrypted")
    if any(member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for member in members):
        raise DecodingError("it is packed in an unusual way")
    size = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if size > most_bytes:
        raise DecodingError(f"it becomes longer than {most_bytes >> 20:,} MB when it is unpacked")
    if size > SMALLEST_BOMB and size > MOST_RATIO * packed:
        raise DecodingError(f"it becomes more than {MOST_RATIO} times longer when it is unpacked")


@contextmanager
def translate_unpacking_errors() -> Iterator[None]:
    try:
        yield
    except OSError as trouble:
        if trouble.errno is not None:
            raise
        raise DecodingError("it is damaged or ends early") from trouble  # gzip and bz2 say so of damage
    except (
        EOFError,
        lzma.LZMAError,
        zlib.error,
        zipfile.BadZipFile,
        struct.error,
        RuntimeError,  # a zip is encrypted, or packed in a way that zipfile does not know
        UnicodeDecodeError,  # the name of a file in a zip
        MemoryError,  # the head of an xz file asks for gigabytes
    ) as trouble:
        raise DecodingError("it is damaged or ends early") from trouble


@contextmanager
def translate_decoding_errors(problem: str, remedy: str) -> Iterator[None]:
    """Turn a :class:`DecodingError` of the block into a :class:`QuizwriterError`: ``problem``, then why."""
    try:
        yield
    except DecodingError as trouble:
        raise QuizwriterError(f"{problem} ({trouble}).", remedy) from trouble


@contextmanager
def _reasons() -> Iterator[None]:
    try:
        yield
    except _REFUSALS as trouble:
        raise _reason(trouble) from trouble


def _reason(trouble: Exception) -> DecodingError:
    """What ``trouble``, one of :data:`_REFUSALS`, is called."""
    if isinstance(trouble, RecursionError):
        return DecodingError("lists or objects are nested too deeply")
    if isinstance(trouble, UnicodeDecodeError):
        return DecodingError("it is not a UTF-8 text")
    what, _, place = str(trouble).rpartition(" - at `")
    if not what:
        return DecodingError(_shortened(_in_plain_words(place)))
    of_key = "a key of " if place.startswith(_IN_KEY) else ""
    place = of_key + place.removesuffix("`").removeprefix(_IN_KEY).removeprefix("$").removeprefix(".")
    what = _in_plain_words(what)
    return DecodingError(f"{_shortened(place)}: {what[:1].lower()}{_shortened(what[1:])}")


def _in_plain_words(reason: str) -> str:
    """What msgspec says, without the names of types and the signs that programmers use.

    A reason that repeats a value from the data, or is none of msgspec's, stays as it is.
    """
    for begins, end in (
        ("Object missing required field ", "missing"),
        ("Object contains unknown field ", "unknown"),
    ):
        if reason.startswith(begins):
            return f"the field {reason.removeprefix(begins)} is {end}"
    if not reason.startswith("Expected `"):
        return reason
    reason = _FORM.sub(" of another form", reason).replace(", got ", ", found ")
    return _KIND.sub(_named_kind, _BOUND.sub(_named_bound, reason))


def _named_kind(found: re.Match[str]) -> str:
    names = found[1].split(" | ")
    return " or ".join(_KINDS[name] for name in names) if _KINDS.keys() >= {*names} else found[0]


def _named_bound(found: re.Match[str]) -> str:
    side = "more" if found[2] == ">" else "less"
    return f"{found[1] or ','} {found[3]} or {side}"


def _shortened(reason: str) -> str:
    """``reason``, which may repeat names from the data, without control characters and not too long."""
    printed = "".join(letter if letter.isprintable() else " " for letter in reason[: LONGEST_REASON + 1])
    return printed if len(printed) <= LONGEST_REASON else printed[:LONGEST_REASON] + "…"


def _check_limits(value: object, levels: int) -> None:
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise DecodingError(f"a text is longer than {LONGEST_TEXT:,} characters")
    elif isinstance(value, bool):
        pass
    elif isinstance(value, int):
        if abs(value) > LARGEST_NUMBER:
            raise DecodingError(f"a number is larger than {LARGEST_NUMBER:,}")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise DecodingError("a number is not finite")
    elif isinstance(value, Mapping | list | tuple):
        if not levels:
            raise DecodingError("lists or objects are nested too deeply")
        for one in (*value, *value.values()) if isinstance(value, Mapping) else value:
            _check_limits(one, levels - 1)


def _refuse_unknown(given: object, decoded: object) -> None:
    """Compare what was ``given`` with the object that it was ``decoded`` to, field by field."""
    if isinstance(given, list | tuple) and isinstance(decoded, list | tuple):
        for one, other in zip(given, decoded, strict=True):
            _refuse_unknown(one, other)
    elif isinstance(given, Mapping) and not isinstance(decoded, Mapping):
        known = _fields(type(decoded))  # type: ignore[arg-type] # every class can be hashed
        for name, value in given.items():
            if name not in known:
                raise DecodingError(f"the field {str(name)[:40]!r} is unknown")
            _refuse_unknown(value, getattr(decoded, known[name]))


@cache
def _fields(kind: type[Any]) -> Mapping[str, str]:
    """The fields of ``kind``, by their names in the data."""
    if not issubclass(kind, msgspec.Struct):
        return {}
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
