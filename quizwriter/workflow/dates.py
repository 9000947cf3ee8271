"""How dates and times are written for people: as 2026-11-21, or in a language that the writer chose."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import msgspec

from quizwriter.system.moments import utc_time


class DateStyle(msgspec.Struct, frozen=True):
    """How a day and a moment are written; ``relative``: recent ones are *yesterday*, in English."""

    day: Callable[[datetime], str]
    moment: Callable[[datetime], str]
    relative: bool = True


ISO_DATES = DateStyle("{:%Y-%m-%d}".format, "{:%Y-%m-%d %H:%M}".format)
"""The style of commands, files, and of windows until the writer chooses another one."""

_style = ISO_DATES


def use_date_style(style: DateStyle) -> None:
    """Write dates in ``style`` from now on, in the whole program, as a locale does."""
    global _style  # a locale is of the whole program, too
    _style = style


def relative_time(at_ms: int, now_ms: int) -> str:
    """When ``at_ms`` was, as one says it at ``now_ms``, by this computer's clock and zone.

    Just now; 14:02; yesterday, 14:02; 2025-10-03 14:02.
    """
    at, now = (utc_time(ms).astimezone() for ms in (at_ms, now_ms))
    clock = f"{at:%H:%M}"
    if _style.relative and abs(now_ms - at_ms) < 60_000:
        return "just now"
    days = (now.date() - at.date()).days
    if days == 0:
        return clock
    if _style.relative and days == 1:
        return f"yesterday, {clock}"
    return moment(at_ms)


def day(at_ms: int) -> str:
    """The day of a moment, here: 2026-11-21."""
    return _style.day(utc_time(at_ms).astimezone())


def moment(at_ms: int) -> str:
    """A moment to the minute, here: 2026-11-21 14:05."""
    return _style.moment(utc_time(at_ms).astimezone())
