"""Outside data: JSON and plain values become typed objects within limits, or a reason why they cannot.

All data that this run of the program did not make is outside data: files, database rows, answers of servers.
Types are dataclasses, :class:`msgspec.Struct` and annotated builtins; msgspec checks them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from quizwriter.errors import QuizwriterError

T = TypeVar("T")

LARGEST_NUMBER = 1 << 53
"""The largest whole number up to which every JSON reader is exact."""

LATEST_MS = 253_402_214_400_000
"""The beginning of 9999-12-31 in milliseconds since 1970. Later moments have no date in some time zone."""

LONGEST_TEXT = 100_000
"""Characters of one text of a small value; a tossup is a hundredth of that."""

DEEPEST = 8
"""Levels of lists and objects in a small value."""

Count = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_NUMBER)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=LATEST_MS)]
Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]

_COLUMN = re.compile(r"\[(\d+)\]: (.*)", re.DOTALL)
_PLACE = re.compile(r"(.*) - at `(?:key in )?\$?\.?(.*)`", re.DOTALL)


class DecodingError(ValueError):
    """The data is not of the expected form; the text says what was expected and where."""


def decode_json(raw: bytes | str, kind: type[T], *, most_bytes: int | None = None) -> T:
    """The JSON document ``raw`` as a ``kind``.

    Raises:
        DecodingError: ``raw`` is longer than ``most_bytes``, is not JSON, or is not a ``kind``.
    """
    if most_bytes is not None and len(raw) > most_bytes:
        raise DecodingError(f"it is longer than {most_bytes:,} bytes")
    with _reasons():
        return msgspec.json.decode(raw, type=kind)


def decode_toml(raw: bytes) -> dict[str, object]:
    """The TOML document ``raw`` as plain values, for :func:`decode_value`.

    Raises:
        DecodingError: ``raw`` is not TOML.
    """
    with _reasons():
        return msgspec.toml.decode(raw, type=dict[str, object])


def decode_value(value: object, kind: type[T]) -> T:
    """The plain ``value``, of lists, dictionaries, texts and numbers, as a ``kind``.

    The value has to be small: see :data:`LONGEST_TEXT`, :data:`DEEPEST` and :data:`LARGEST_NUMBER`. Fields
    that ``kind`` does not have are refused, also where ``kind`` is a dataclass.

    Raises:
        DecodingError: the value is not a ``kind``, or exceeds a limit.
    """
    _check_limits(value, DEEPEST)
    with _reasons():
        decoded = msgspec.convert(value, kind)
    if isinstance(value, Mapping | list):
        _refuse_unknown(value, decoded)
    return decoded


def decode_row(row: Sequence[object], kind: type[T]) -> T:
    """The ``row`` of a database, of texts, numbers, bytes and None, as a ``kind``, which is a named tuple.

    Raises:
        DecodingError: the row has other columns, or a value is not of the type and range of its column.
    """
    try:
        with _reasons():
            return msgspec.convert(row, kind)
    except DecodingError as trouble:
        column = _COLUMN.match(str(trouble))
        if column is None:
            raise
        what = (
            "holds bytes that are no text" if column[2].endswith("got `bytes`") else f"is wrong: {column[2]}"
        )
        names = getattr(kind, "_fields", ())
        name = names[int(column[1])] if names else f"number {int(column[1]) + 1}"
        raise DecodingError(f"the column {name} {what}") from trouble


def decode_small_json(raw: bytes | str, kind: type[T]) -> T:
    """The JSON document ``raw`` as a ``kind``, with the limits of :func:`decode_value`.

    Raises:
        DecodingError: ``raw`` is not JSON or not a ``kind``, or exceeds a limit.
    """
    with _reasons():
        value = msgspec.json.decode(raw)
    return decode_value(value, kind)


def read_limited(path: Path, most_bytes: int) -> bytes:
    """The contents of the file at ``path``.

    Raises:
        OSError: the file cannot be read.
        DecodingError: the file has more than ``most_bytes`` bytes.
    """
    with path.open("rb") as file:
        raw = file.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise DecodingError(f"{path.name} has more than {most_bytes >> 20:,} MB")
    return raw


@contextmanager
def translate_decoding_errors(problem: str, remedy: str) -> Iterator[None]:
    """A block whose :class:`DecodingError` becomes a :class:`QuizwriterError`: ``problem``, then the reason.

    Raises:
        QuizwriterError: the data that the block decodes is refused.
    """
    try:
        yield
    except DecodingError as trouble:
        raise QuizwriterError(f"{problem} ({trouble}).", remedy) from trouble


@contextmanager
def _reasons() -> Iterator[None]:
    try:
        yield
    except RecursionError as trouble:
        raise DecodingError("lists or objects are nested too deeply") from trouble
    except (msgspec.MsgspecError, UnicodeError) as trouble:
        reason = str(trouble)
        placed = _PLACE.fullmatch(reason)
        if placed:
            what, place = placed.groups()
            reason = f"{place}: {what[:1].lower()}{what[1:]}"
        raise DecodingError(reason) from trouble


def _check_limits(value: object, levels: int) -> None:
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise DecodingError(f"a text is longer than {LONGEST_TEXT:,} characters")
    elif isinstance(value, bool):
        pass
    elif isinstance(value, int):
        if abs(value) > LARGEST_NUMBER:
            raise DecodingError(f"a number is larger than {LARGEST_NUMBER:,}")
    elif isinstance(value, Mapping | list | tuple):
        if not levels:
            raise DecodingError("lists or objects are nested too deeply")
        for one in value.values() if isinstance(value, Mapping) else value:
            _check_limits(one, levels - 1)


def _refuse_unknown(given: object, decoded: object) -> None:
    """Compare what was ``given`` with the object that it was ``decoded`` to, field by field."""
    if isinstance(given, list | tuple) and isinstance(decoded, list | tuple):
        for one, other in zip(given, decoded, strict=True):
            _refuse_unknown(one, other)
    elif isinstance(given, Mapping) and not isinstance(decoded, Mapping):
        for name, value in given.items():
            if name not in _field_names(decoded):
                raise DecodingError(f"the field {str(name)[:40]!r} is unknown")
            _refuse_unknown(value, getattr(decoded, name))


def _field_names(decoded: object) -> tuple[str, ...]:
    if isinstance(decoded, msgspec.Struct):
        return decoded.__struct_fields__
    return tuple(field.name for field in fields(decoded)) if is_dataclass(decoded) else ()
