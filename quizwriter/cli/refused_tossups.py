"""How commands print why something was not recorded for some tossups."""

from __future__ import annotations

from quizwriter.cli.output import print_lines
from quizwriter.services.review import RecordReport


def print_refused(done: RecordReport) -> None:
    """Each reason once, with its number of tossups, its remedy and the ids."""
    for reason in done.reasons:
        print_lines(f"{reason.sentence} ({', '.join(reason.tossups)})")
