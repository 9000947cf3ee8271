"""Progress of a set and of its writers: how long it took, whom it stumps, who acts next."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from quizwriter.domain.review import Status
from quizwriter.workflow.queue import QueueRow
from quizwriter.workflow.wording import percent, player_title

IDLE_MS = 5 * 60_000
"""A pause between two edits of one person that is longer than this is no writing."""

HOURS_RULE = (
    "Hours are the sums of the pauses between consecutive edits of one person, without pauses over five "
    "minutes. Imported texts and pastes take no time."
)

WRITERS_TURN = frozenset({Status.DRAFT, Status.SENT_BACK})
EDITORS_TURN = frozenset({Status.READY, Status.IN_REVIEW, Status.EDITED, Status.PROOFREAD})
"""The statuses in which a tossup waits for its writer, and for an editor."""


QUALIFIED_SHARE = 0.8
"""The share of the decided tossups of a sample that must be accepted. Source: as for :func:`sample_size`."""


class StumpRate(msgspec.Struct, frozen=True):
    """How often one player was stumped: of the tossups that it played and whose answer it can know."""

    stumps: int
    tossups: int

    @property
    def share(self) -> float | None:
        """The share of the tossups that stump it; None without any."""
        return self.stumps / self.tossups if self.tossups else None


class SetProgress(msgspec.Struct, frozen=True):
    """The figures of some tossups: those of one writer, or of one set."""

    name: str
    tossups: int
    statuses: Mapping[Status, int]
    hours: float
    stumps: Mapping[str, StumpRate]  # by player
    writers_turn: int  # tossups that wait for their writers
    editors_turn: int  # tossups that wait for an editor
    open_comments: int
    sample: tuple[str, ...] = msgspec.field(default=())  # ids of the tossups drawn for review
    accepted: int = 0  # tossups of the sample
    decided: int = 0  # those of the sample that were accepted, sent back or rejected

    @property
    def qualified(self) -> bool | None:
        """Whether enough of the sample was accepted; None while nothing of it was decided on."""
        return self.accepted >= QUALIFIED_SHARE * self.decided if self.decided else None


def writing_ms(times: Iterable[int]) -> int:
    """How many milliseconds somebody wrote who made edits at ``times``: see :data:`HOURS_RULE`."""
    total, before = 0, None
    for at in sorted(times):
        if before is not None and at - before <= IDLE_MS:
            total += at - before
        before = at
    return total


def sample_size(number: int) -> int:
    """How many of ``number`` tossups of a writer are drawn for review, at least one and at most all.

    Source: Bartolo et al., Beat the AI (TACL 2020): floor(5 · log10(n) + 1) of n questions of an annotator.
    """
    return min(number, math.floor(5 * math.log10(number) + 1)) if number > 0 else 0


def review_sample(tossup_ids: Iterable[str], writer: str, seed: int) -> tuple[str, ...]:
    """The tossups of ``writer`` that are drawn for review: the same on every computer, for one ``seed``."""
    ordered = sorted(tossup_ids)
    draw = random.Random(f"{seed}:{writer}")
    return tuple(sorted(draw.sample(ordered, sample_size(len(ordered)))))


def progress_of(
    name: str,
    rows: Sequence[QueueRow],
    edit_times: Mapping[str, Sequence[int]],
    sample: Sequence[str],
) -> SetProgress:
    """The figures of ``rows``; ``edit_times`` are the times of the edits of each person on these tossups."""
    statuses = Counter(row.status for row in rows)
    drawn = frozenset(sample)
    of_sample = Counter(row.status for row in rows if row.tossup_id in drawn)
    accepted = of_sample[Status.ACCEPTED]
    stumps: dict[str, tuple[int, int]] = {}
    for row in rows:
        for player, game in row.counted.items():
            found, tossups = stumps.get(player, (0, 0))
            stumps[player] = found + game.stumped, tossups + 1
    return SetProgress(
        name,
        len(rows),
        {status: statuses[status] for status in Status if status in statuses},
        sum(map(writing_ms, edit_times.values())) / 3_600_000,
        {player: StumpRate(*stumps[player]) for player in sorted(stumps)},
        sum(statuses[status] for status in WRITERS_TURN),
        sum(statuses[status] for status in EDITORS_TURN),
        sum(row.comments for row in rows),
        tuple(sample),
        accepted,
        accepted + of_sample[Status.SENT_BACK] + of_sample[Status.REJECTED],
    )


PROGRESS_COLUMNS = (
    "Name", "Tossups", "Accepted", "Waiting for the writer", "Waiting for an editor", "Open comments",
    "Hours", "To review", "Stumps",
)  # fmt: skip
"""What a table of figures says of writers and sets."""


def progress_cells(one: SetProgress) -> tuple[str, ...]:
    """``one`` as a row under :data:`PROGRESS_COLUMNS`."""
    stumps = ", ".join(
        f"{player_title(player)} {found.stumps:,} of {found.tossups:,}"
        for player, found in one.stumps.items()
        if found.tossups
    )
    return (
        one.name, f"{one.tossups:,}", f"{one.statuses.get(Status.ACCEPTED, 0):,}", f"{one.writers_turn:,}",
        f"{one.editors_turn:,}", f"{one.open_comments:,}", f"{one.hours:.1f}", _sample_cell(one), stumps,
    )  # fmt: skip


def _sample_cell(one: SetProgress) -> str:
    if not one.sample:
        return ""
    cell = f"{len(one.sample):,}"
    if one.decided:
        cell += f": {one.accepted:,} of {one.decided:,}"
    return f"{cell} (< {percent(QUALIFIED_SHARE)})" if one.qualified is False else cell


def progress_json(one: SetProgress) -> dict[str, Any]:
    return {
        "name": one.name,
        "tossups": one.tossups,
        "statuses": {str(status): count for status, count in one.statuses.items()},
        "hours": round(one.hours, 2),
        "stumps": {
            player: {"stumps": found.stumps, "tossups": found.tossups} for player, found in one.stumps.items()
        },
        "waits_for_writer": one.writers_turn,
        "waits_for_editor": one.editors_turn,
        "open_comments": one.open_comments,
        "review_sample": list(one.sample),
        "sample_accepted": one.accepted,
        "sample_decided": one.decided,
        "qualified": one.qualified,
    }
