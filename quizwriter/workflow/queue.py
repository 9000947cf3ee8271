"""The queue: all tossups as rows that are filtered and sorted, said alike by the window and the commands."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from quizwriter.domain.guessing import Outcome, outcome, stumped
from quizwriter.domain.review import Consent, Person, Status
from quizwriter.system.moments import utc_time
from quizwriter.workflow.dates import day
from quizwriter.workflow.people_rooms import RoomFigures
from quizwriter.workflow.wording import player_title


class QueueFilter(msgspec.Struct, frozen=True):
    """Which tossups are wanted: those that fit everything given; what is empty or None fits all.

    ``text`` is words that are all in the answer or all in the text, whatever their case. ``categories`` are
    paths from the broadest level on and hold all below them; ``authors`` are people's ids, "" being
    unknown; ``stumps`` are players who can know the answer and were right after no word, in games that
    count; ``changed`` asks for those that were edited after their status was set. ``unplayed`` asks for those
    with words that at least one player in use has not played as they are now.
    """

    text: str = ""
    sets: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ()
    categories: tuple[tuple[str, ...], ...] = ()
    authors: tuple[str, ...] = ()
    stumps: tuple[str, ...] = ()
    least_words: int | None = None
    most_words: int | None = None
    changed_after_ms: int | None = None
    changed: bool = False
    commented: bool = False  # has open comments or suggestions
    consents: tuple[Consent, ...] = ()
    unplayed: bool = False  # not every player in use has played the text as it is now
    tossups: tuple[str, ...] = ()  # the ids of the only tossups that are wanted


class QueueSort(msgspec.Struct, frozen=True):
    """By which column, and whether from the greatest down; what has nothing there comes last.

    ``column`` is a key of :data:`COLUMNS`, or one of :data:`GAME` for the player named.
    """

    column: str = "changed"
    down: bool = True
    player: str = ""


COLUMNS = {
    "answer": "Answer",
    "set": "Set",
    "category": "Category",
    "status": "Status",
    "consent": "Consent",
    "author": "Author",
    "words": "Words",
    "power": "Power",
    "stumped": "Stumped",
    "shift": "Biggest shift",
    "changed": "Changed",
    "comments": "Open comments",
    "conversion": "Conversion",
    "people_word": "People's mean word",
    "negs": "Negs",
    "people_early": "People early, machines late",
}
"""What the queue tells of a tossup, and how people call it; each player's :data:`GAME` comes beside."""

PEOPLE = frozenset({"conversion", "people_word", "negs", "people_early"})
"""The columns that people's games fill; see :meth:`QueueRow.of_people`."""

GAME = {"first": "first right", "stable": "stays right", "buzz": "buzz"}
"""What the queue tells of a player's last game, in words heard."""


class LastPlay(msgspec.Struct, frozen=True):
    """A player's last game of a tossup; numbers are words heard, None is never."""

    words: int
    first: int | None
    stable: int | None
    buzz: int | None
    right: bool | None  # None without a buzz
    knowable: bool = True  # whether the player can know the answer, see :func:`domain.guessing.can_know`
    engine: str = ""  # the digest of what the player was loaded from
    outdated: bool = False  # the text was edited since
    possible: int | None = None  # where the first guess may be right first, see judging.first_possible
    of_older_player: bool = False  # the player in use is loaded from something else

    @property
    def counts(self) -> bool:
        """Whether the game is of the text and the player as they are now: no figure counts others."""
        return not (self.outdated or self.of_older_player)

    @property
    def buzzes_wrong(self) -> bool:
        """Whether the player buzzes with another page, although it can know the answer."""
        return self.right is False and self.outcome is not Outcome.CANNOT_KNOW

    @property
    def outcome(self) -> Outcome:
        return outcome(self.stable, knowable=self.knowable)

    @property
    def stumped(self) -> bool:
        return stumped(self.first, self.possible, knowable=self.knowable)

    def position(self, name: str) -> int | None:
        return {"first": self.first, "stable": self.stable, "buzz": self.buzz}[name]


class QueueRow(msgspec.Struct, frozen=True):
    """A tossup as the queue shows it."""

    tossup_id: str
    answer_line: str
    opening: str
    set_name: str
    category: tuple[str, ...]
    status: Status
    changed_since: bool  # text or answer were edited after the status was set
    locked: bool
    author: str  # a person's id
    words: int
    power: int | None
    shift: int | None
    changed_ms: int
    comments: int  # open ones, suggestions among them
    games: Mapping[str, LastPlay] = msgspec.field(default_factory=dict)  # without words there are none
    consent: Consent = Consent.NOT_ASKED
    survival: str = ""  # whether the stump of IR survives learning, in a sentence; empty: nobody asked
    people: RoomFigures | None = None  # None: nobody played it

    @property
    def counted(self) -> dict[str, LastPlay]:
        """The games that figures count, by player: those that count, of players that can know the answer."""
        return {name: game for name, game in self.games.items() if game.counts and game.knowable}

    @property
    def able(self) -> int:
        return len(self.counted)

    @property
    def stumped(self) -> int:
        """How many of the players in :attr:`counted` the tossup stumps."""
        return sum(game.stumped for game in self.counted.values())

    def of_people(self, column: str) -> float | None:
        """The value in one of the columns :data:`PEOPLE`; None where there is nothing.

        *People early, machines late* is by how many words people's mean right buzz comes before the first
        player that can know the answer is right for good; one that never is counts as right at the end.
        """
        if self.people is None:
            return None
        if column == "negs":
            return self.people.negs
        if column == "conversion":
            return self.people.answered / self.people.rooms
        mean = self.people.mean_word
        if column == "people_word" or mean is None:
            return mean
        ends = (one.words if one.stable is None else one.stable for one in self.counted.values())
        machines = min(ends, default=None)
        return None if machines is None else machines - mean


class BranchGroup(msgspec.Struct, frozen=True):
    """The branches of one tossup that fit a filter, the one shown first; ``opened``: each has a row."""

    root: str
    keys: tuple[str, ...]
    opened: bool = False


class QueueFacets(msgspec.Struct, frozen=True):
    """What there is to filter by, each with how many tossups have it, and how many ``tossups`` there are."""

    sets: Mapping[str, int]
    statuses: Mapping[Status, int]
    categories: Mapping[tuple[str, ...], int]
    authors: Mapping[str, int]
    consents: Mapping[Consent, int] = msgspec.field(default_factory=dict)
    tossups: int = 0


def group_branches(
    keys: Sequence[str], roots: Mapping[str, str], opened: Collection[str] = ()
) -> tuple[tuple[str, ...], dict[str, BranchGroup]]:
    """``keys`` with one row for each tossup, and the branches of those that have several, by their ids.

    ``roots`` are the tossups of branches, by their ids: of those among ``keys``, the first in ``roots`` has
    the row. A tossup among those ``opened`` has a row for each branch, the others behind the first.
    """
    if not roots:  # as in most databases, which may have thousands of tossups
        return tuple(keys), {}
    there = roots.keys() & set(keys)
    families: dict[str, list[str]] = {}
    for key in roots:
        if key in there:
            families.setdefault(roots[key], []).append(key)
    groups: dict[str, BranchGroup] = {}
    found: list[str] = []
    for key in keys:
        family = families.get(roots.get(key, ""), [])
        if len(family) < 2:
            found.append(key)
        elif key == family[0]:
            group = BranchGroup(roots[key], tuple(family), roots[key] in opened)
            groups |= dict.fromkeys(family, group)
            found += family if group.opened else [key]
    return tuple(found), groups


def person_name(people: Mapping[str, Person], author: str) -> str:
    """What to call the person with the id ``author``; empty if unknown."""
    person = people.get(author)
    return person.shown_name if person is not None else ""


def row_json(row: QueueRow, people: Mapping[str, Person]) -> dict[str, Any]:
    return {
        "id": row.tossup_id,
        "answer": row.answer_line,
        "opening": row.opening,
        "set": row.set_name,
        "category": list(row.category),
        "status": str(row.status),
        "consent": str(row.consent),
        "changed_since_status": row.changed_since,
        "author": person_name(people, row.author),
        "words": row.words,
        "power": row.power,
        "players": {
            name: {"words": game.words, "first": game.first, "stable": game.stable, "buzz": game.buzz,
                   "buzz_right": game.right, "outcome": str(game.outcome), "engine": game.engine,
                   "text_edited_since": game.outdated}
            for name, game in row.games.items()
        },
        "stumped": row.stumped,
        "can_know": row.able,
        "biggest_shift": row.shift,
        "changed": utc_time(row.changed_ms).isoformat(timespec="seconds"),
        "open_comments": row.comments,
        "people": None if row.people is None else msgspec.to_builtins(row.people),
    }  # fmt: skip


def column_title(column: str, player: str = "") -> str:
    """What people call a column."""
    return f"{player_title(player)} {GAME[column]}" if player else COLUMNS[column]


def cell(row: QueueRow, people: Mapping[str, Person], column: str, player: str = "") -> str:
    """What stands in ``row`` under ``column``, of ``player`` where that is one of :data:`GAME`."""
    if column in GAME:
        game = row.games.get(player)
        if game is None:
            return ""
        if column != "buzz" and game.outcome is Outcome.CANNOT_KNOW:
            return str(Outcome.CANNOT_KNOW)
        wrong = column == "buzz" and game.buzzes_wrong
        return f"{_number(game.position(column))} ✗" if wrong else _number(game.position(column))
    match column:
        case "answer":
            return row.answer_line
        case "set":
            return row.set_name
        case "category":
            return " / ".join(row.category)
        case "status":
            return str(row.status)
        case "consent":
            return str(row.consent)
        case "author":
            return person_name(people, row.author)
        case "words":
            return str(row.words)
        case "power":
            return _number(row.power)
        case "stumped":
            if not row.able:
                return "nobody can know it" if any(game.counts for game in row.games.values()) else ""
            return f"{row.stumped} of {row.able}"
        case "shift":
            return _number(row.shift)
        case "changed":
            return day(row.changed_ms)
        case "comments":
            return str(row.comments or "")
        case "conversion":
            return f"{row.people.answered} of {row.people.rooms}" if row.people is not None else ""
        case "negs":
            return str(row.people.negs) if row.people is not None else ""
        case "people_word" | "people_early":
            found = row.of_people(column)
            sign = "+" if column == "people_early" else ""
            return "" if found is None else f"{found:{sign}.1f}".replace("-", "\N{MINUS SIGN}")
    raise ValueError(column)


def _number(number: int | None) -> str:
    return "" if number is None else str(number)
