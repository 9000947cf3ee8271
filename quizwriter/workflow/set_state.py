"""The state of a set: how far its tossups are, for whom they wait, and what is known of them; row by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from quizwriter.domain.review import Consent, ConsentBasis, Status
from quizwriter.system.moments import utc_time
from quizwriter.workflow.dates import day
from quizwriter.workflow.people_rooms import RoomFigures
from quizwriter.workflow.queue import QueueRow
from quizwriter.workflow.set_progress import EDITORS_TURN, WRITERS_TURN
from quizwriter.workflow.wording import counted_noun, player_title


class StateLine(msgspec.Struct, frozen=True):
    """One number of the state of a set, and the tossups behind it.

    ``of`` is how many there could be, 0 where that says nothing; ``since_ms`` is since when the first of the
    tossups waits, 0 where nothing waits. ``rooms`` are those in which people answered them, and all.
    """

    group: str
    title: str
    tossups: tuple[str, ...]
    of: int = 0
    since_ms: int = 0
    rooms: tuple[int, int] | None = None

    @property
    def number(self) -> str:
        if self.rooms is not None:
            answered, rooms = self.rooms
            return f"{answered:,} of {counted_noun(rooms, 'room')}"
        return f"{len(self.tossups):,} of {self.of:,}" if self.of else f"{len(self.tossups):,}"

    @property
    def cells(self) -> tuple[str, str, str]:
        """The title, the number, and since when."""
        return self.title, self.number, f"since {day(self.since_ms)}" if self.since_ms else ""


def state_of_set(
    rows: Sequence[QueueRow],
    bases: Mapping[str, str],
    since: Mapping[str, int],
    names: Mapping[str, str],
    *,
    unplayed: Collection[str],
    undecided: Collection[str],
    branched: Collection[str],
    people: Mapping[str, RoomFigures],
    packets: Mapping[str, str],
) -> tuple[StateLine, ...]:
    """The numbers of ``rows``, one for each tossup.

    ``bases`` say how sure each consent is, ``since`` when each tossup got its status, ``names`` what people
    are called. ``unplayed`` are the tossups that a player in use has not played as they are now, ``branched``
    those with several branches; ``undecided`` are people of whom only a file gave the name. ``people`` has
    those that people played, ``packets`` the packet of each.
    """

    def line(
        group: str, title: str, some: Iterable[QueueRow], *, of: int = 0, waits: bool = False
    ) -> StateLine:
        keys = tuple(row.tossup_id for row in some)
        first = min((since.get(key, 0) for key in keys), default=0) if waits else 0
        return StateLine(group, title, keys, of, first)

    total = len(rows)
    lines = [line("Written", "Tossups", rows)]
    lines += [
        line("Written", str(status).capitalize(), (row for row in rows if row.status is status))
        for status in Status
    ]
    writers: dict[str, list[QueueRow]] = {}
    for row in rows:
        if row.status in WRITERS_TURN:
            writers.setdefault(row.author, []).append(row)
    lines += [
        line("Waiting for", names.get(author) or "unknown", writers[author], waits=True)
        for author in sorted(writers, key=lambda key: names.get(key, "").casefold())
    ]
    lines.append(
        line("Waiting for", "an editor", (row for row in rows if row.status in EDITORS_TURN), waits=True)
    )
    lines.append(line("Waiting for", "an answer to a comment", (row for row in rows if row.comments)))
    for title, consent, wanted in _CONSENTS:
        found = [
            row
            for row in rows
            if row.consent is consent and (wanted is None or bases.get(row.tossup_id) in wanted)
        ]
        lines.append(line("Consents", title, found, of=total))
    again = (row for row in rows if row.locked and row.changed_since)
    lines.append(line("To be decided", "Changed after they were accepted", again))
    lines.append(line("To be decided", "Whose it is", (row for row in rows if row.author in undecided)))
    lines.append(line("To be decided", "Which branch", (row for row in rows if row.tossup_id in branched)))
    counted = [(row, row.counted) for row in rows]
    for player in sorted({name for _, games in counted for name in games}):
        able = [(row, games[player]) for row, games in counted if player in games]
        stumps = (row for row, game in able if game.stumped)
        lines.append(line("Machines", f"{player_title(player)} is stumped", stumps, of=len(able)))
    left = (row for row in rows if row.tossup_id in unplayed)
    with_words = sum(row.words > 0 for row in rows)
    lines.append(line("Machines", "Not played as it is now", left, of=with_words))
    heard = [row for row in rows if row.tossup_id in people]
    lines.append(line("People", "Played by people", heard, of=total))
    right = (row for row in heard if people[row.tossup_id].answered)
    lines.append(line("People", "Answered by people", right, of=len(heard)))
    for group, named in (
        ("People, by category", {row.tossup_id: row.category[0] for row in heard if row.category}),
        ("People, by packet", packets),
    ):
        for name in sorted({named.get(row.tossup_id, "") for row in heard} - {""}, key=str.casefold):
            some = [row.tossup_id for row in heard if named.get(row.tossup_id) == name]
            lines.append(StateLine(group, name, tuple(some), rooms=_rooms(people[key] for key in some)))
    return tuple(one for one in lines if one.tossups or one.of)


def _rooms(figures: Iterable[RoomFigures]) -> tuple[int, int]:
    """In how many rooms tossups were answered, and how many rooms there were."""
    found = [(one.answered, one.rooms) for one in figures]
    return sum(answered for answered, _ in found), sum(rooms for _, rooms in found)


_CONSENTS: tuple[tuple[str, Consent, frozenset[ConsentBasis] | None], ...] = (
    ("Yes, signed by the writer", Consent.YES, frozenset({ConsentBasis.VERIFIED})),
    ("Yes, not signed", Consent.YES, frozenset({ConsentBasis.UNSIGNED})),
    ("Yes, recorded by somebody else", Consent.YES, frozenset({ConsentBasis.RECORDED})),
    ("Not asked", Consent.NOT_ASKED, None),
    ("No", Consent.NO, None),
    ("Do not release", Consent.DO_NOT_RELEASE, None),
)


def state_json(lines: Iterable[StateLine]) -> list[dict[str, Any]]:
    return [
        {
            "group": one.group,
            "title": one.title,
            "tossups": list(one.tossups),
            "of": one.of,
            "rooms": list(one.rooms) if one.rooms is not None else None,
            "since": utc_time(one.since_ms).isoformat(timespec="seconds") if one.since_ms else None,
        }
        for one in lines
    ]
