"""What a set still wants: the lines of its brief, with the tossups that there are for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from quizwriter.domain.review import BriefLine, Status

MOST_LINES, MOST_WANTED = 200, 10_000
"""Lines of a brief, and tossups that one line wants."""

NOT_COUNTED = frozenset({Status.REJECTED, Status.WITHDRAWN})
"""Tossups with these statuses fill no line."""


class CountedTossup(msgspec.Struct, frozen=True):
    """What a brief looks at in a tossup of the set."""

    category: tuple[str, ...]
    answer_type: str = ""
    difficulty: str = ""


class BriefState(msgspec.Struct, frozen=True):
    """A line of a brief, and how many tossups of the set there are for it."""

    line: BriefLine
    there: int

    @property
    def missing(self) -> int:
        return max(0, self.line.wanted - self.there)


def line_title(line: BriefLine) -> str:
    """What people call a line: *Science / Physics, a person, hard*."""
    return ", ".join(
        filter(None, (" / ".join(line.category) or "Any category", line.answer_type, line.difficulty))
    )


def sound_lines(lines: Iterable[BriefLine]) -> tuple[BriefLine, ...]:
    """The first :data:`MOST_LINES` lines that want something, each with a number that a set can have."""
    found = [
        BriefLine(
            tuple(" ".join(level.split())[:100] for level in line.category[:3] if level.strip()),
            " ".join(line.answer_type.split())[:100],
            " ".join(line.difficulty.split())[:100],
            min(line.wanted, MOST_WANTED),
        )
        for line in lines
        if line.wanted > 0
    ]
    return tuple(found[:MOST_LINES])


def brief_states(lines: Sequence[BriefLine], tossups: Iterable[CountedTossup]) -> tuple[BriefState, ...]:
    """The ``lines`` with the number of tossups for each; a tossup counts for the most exact line only."""
    exactness = [len(one.category) + bool(one.answer_type) + bool(one.difficulty) for one in lines]
    exact = sorted(range(len(lines)), key=lambda at: -exactness[at])
    counts: Counter[int] = Counter()
    for tossup in tossups:
        at = next((at for at in exact if _fits(lines[at], tossup)), None)
        if at is not None:
            counts[at] += 1
    return tuple(BriefState(line, counts[at]) for at, line in enumerate(lines))


def proposed_lines(tossups: Iterable[CountedTossup]) -> tuple[BriefLine, ...]:
    """A brief with the categories that a set has now, as many of each as there are."""
    counts = Counter(tossup.category[:1] for tossup in tossups if tossup.category)
    return tuple(BriefLine(category, wanted=count) for category, count in sorted(counts.items()))


def _fits(line: BriefLine, tossup: CountedTossup) -> bool:
    return (
        tossup.category[: len(line.category)] == line.category
        and line.answer_type.casefold() in ("", tossup.answer_type.casefold())
        and line.difficulty.casefold() in ("", tossup.difficulty.casefold())
    )
