"""Moments as the program keeps them, milliseconds since 1970, and the dates they can be shown as."""

from __future__ import annotations

from datetime import UTC, datetime

LATEST_MS = 253_402_214_400_000
"""The beginning of 9999-12-31. Later moments have no date in some time zone."""

AHEAD_MS = 100 * 366 * 86_400_000
"""How far ahead of this computer's clock, about 100 years, another one's may be: some clocks begin in 1970.

What is dated later is refused where it arrives. New events and answers follow everything that is not later,
so that nobody can use up the calendar for others.
"""


def utc_time(at_ms: int) -> datetime:
    """The date and time of ``at_ms`` in UTC; of a moment outside the calendar, the nearest in it."""
    return datetime.fromtimestamp(min(max(at_ms, 0), LATEST_MS) / 1000, UTC)
