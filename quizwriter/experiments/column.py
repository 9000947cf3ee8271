"""The columns of an experiment's table: modules import this one and declare ``column.share("right")``."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    COUNT = "count"
    SHARE = "share"
    NUMBER = "number"
    P = "p"


class ResultColumn(msgspec.Struct, frozen=True):
    """A column of an experiment's table; one of estimates becomes four columns of the file."""

    title: str
    kind: Kind
    estimated: bool = False


def text(title: str) -> ResultColumn:
    return ResultColumn(title, Kind.TEXT)


def count(title: str) -> ResultColumn:
    return ResultColumn(title, Kind.COUNT)


def share(title: str) -> ResultColumn:
    """A column of estimated shares, or differences of shares, from -1 to 1."""
    return ResultColumn(title, Kind.SHARE, estimated=True)


def number(title: str, *, estimated: bool = False) -> ResultColumn:
    return ResultColumn(title, Kind.NUMBER, estimated)


def p_value(title: str) -> ResultColumn:
    return ResultColumn(title, Kind.P)
