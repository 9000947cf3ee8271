"""Every number of milliseconds has a date: old databases hold dates that nobody may write any more."""

from quizwriter.system.moments import LATEST_MS, utc_time


def test_a_moment_has_its_date():
    assert utc_time(1_700_000_000_000).isoformat() == "2023-11-14T22:13:20+00:00"


def test_a_moment_outside_the_calendar_has_the_nearest_date():
    assert utc_time(2**53) == utc_time(LATEST_MS)
    assert utc_time(-1) == utc_time(0)
    assert utc_time(2**53).year == 9999
