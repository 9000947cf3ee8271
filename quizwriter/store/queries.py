"""The queue's rows by SQL: which tossups fit a filter, in which order, and what there is to filter by."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from quizwriter.domain.page import answer_key
from quizwriter.domain.review import Consent, Status
from quizwriter.store.rows import shown_text
from quizwriter.store.summaries import CHANGED_SINCE, LISTED, tossups_of_set

if TYPE_CHECKING:  # and imported in the functions: not needed at start
    from quizwriter.workflow.queue import LastPlay, QueueFacets, QueueFilter, QueueRow, QueueSort

_STATUSES = " ".join(f"when '{status}' then {place}" for place, status in enumerate(Status))

_CONSENTS = " ".join(f"when '{consent}' then {place}" for place, consent in enumerate(Consent))

_BY = {
    "answer": ["nullif(listed.answer, '')"],
    "set": ["nullif(set_name, '') collate nocase"],
    "category": [f"nullif({level}, '') collate nocase" for level in ("category", "subcategory", "topic")],
    "status": [f"case status {_STATUSES} end"],
    "consent": [f"case consent {_CONSENTS} end"],
    "author": ["nullif(person.name, '') collate nocase"],
    "words": ["listed.words"],
    "power": ["power"],
    "stumped": ["case when counted.able then counted.stumped end", "counted.able"],
    "shift": ["shift"],
    "changed": ["listed.changed_ms"],
    "comments": ["nullif(comments + suggestions, 0)"],
    "first": ["game.first_correct"],
    "stable": ["game.stable_correct"],
    "buzz": ["game.buzz_heard"],
}
"""What each column is sorted by."""

_STATUS = {str(status): status for status in Status}
_CONSENT = {str(consent): consent for consent in Consent}

MOST_WORDS, LONGEST_WORD = 100, 1_000
"""Words that tossups are looked for by, and letters of each; SQLite refuses conditions without an end."""

_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"')
"""A text in JSON, with its escapes as they are."""

_AT_ONCE = 500  # ids in one statement; SQLite's own limit is above that

_OUTDATED = "standing.seq <> draft.seq"
"""The condition that a game is of another text than that of ``draft``."""

_STUMPED = "knowable and first_correct is null and possible is null"
"""The condition that a game stumps its player, see :func:`quizwriter.domain.guessing.stumped`."""


def queue(
    db: sqlite3.Connection, wanted: QueueFilter, sort: QueueSort, players: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The ids of the tossups that fit ``wanted``, in the order ``sort``; those in no list are left out.

    ``players`` are those in use, each with the digest of what it was loaded from. Where nobody knows them,
    games of all players count, and *unplayed* are tossups that no player has played as they are now.
    """
    from quizwriter.workflow.queue import COLUMNS, GAME, PEOPLE

    if sort.column not in (GAME if sort.player else COLUMNS.keys() - PEOPLE):
        raise ValueError(f"there is no column {sort.column!r}")
    tables, given = ["listed"], []
    if sort.column == "author":
        tables.append("left join person on person.id = listed.author")
    if sort.player:
        tables.append(
            "left join standing game on game.tossup = listed.tossup and game.guesser = ? and listed.words > 0"
        )
        given.append(sort.player)
    if sort.column == "stumped":
        counts, used = _counts(players or {})
        tables.append(
            f"""left join (select standing.tossup, sum(knowable) as able, sum({_STUMPED}) as stumped
                from standing join listed using (tossup) join tossup draft on draft.id = standing.tossup
                where {counts} group by standing.tossup) counted on counted.tossup = listed.tossup"""
        )
        given += used
    conditions, values = _conditions(wanted, players or {})
    if "draft." in " ".join(conditions):
        tables.append("join tossup draft on draft.id = listed.tossup")
    down = "desc" if sort.down else "asc"
    by = [f"{value} {down} nulls last" for value in _BY[sort.column]]
    rows = db.execute(
        f"""
        select listed.tossup from {" ".join(tables)} where {" and ".join(conditions)}
        order by {", ".join(by)}, listed.changed_ms desc, listed.tossup
        """,
        [*given, *values],
    )
    return tuple(key for (key,) in rows)


def _conditions(wanted: QueueFilter, players: Mapping[str, str]) -> tuple[list[str], list[str | int]]:
    conditions, values = [LISTED], list[str | int]()

    def fits(condition: str, *given: str | int) -> None:
        conditions.append(condition)
        values.extend(given)

    words = tuple(dict.fromkeys(word[:LONGEST_WORD] for word in wanted.text.split()))[:MOST_WORDS]
    if words:
        in_answer = " and ".join("instr(listed.answer, ?)" for _ in words)
        in_text = " and ".join("draft.text like ? escape '!'" for _ in words)
        fits(f"(({in_answer}) or ({in_text}))", *map(answer_key, words), *map(_like, words))
    for column, options in (
        ("set_name", wanted.sets),
        ("status", tuple(map(str, wanted.statuses))),
        ("listed.author", wanted.authors),
        ("consent", tuple(map(str, wanted.consents))),
    ):
        if options:
            fits(f"{column} in ({_marks(options)})", *options)
    if wanted.categories:
        levels = ("category", "subcategory", "topic")
        paths = [path[: len(levels)] for path in wanted.categories]
        alternatives = (
            "("
            + (" and ".join(f"{level} = ?" for level, _ in zip(levels, path, strict=False)) or "true")
            + ")"
            for path in paths
        )
        fits(f"({' or '.join(alternatives)})", *(level for path in paths for level in path))
    counts, used = _counts(players)
    game = f"exists (select 1 from standing where standing.tossup = listed.tossup and {counts}"
    for player in wanted.stumps:
        fits(f"{game} and guesser = ? and {_STUMPED})", *used, player)
    if wanted.least_words is not None:
        fits("listed.words >= ?", wanted.least_words)
    if wanted.most_words is not None:
        fits("listed.words <= ?", wanted.most_words)
    if wanted.changed_after_ms is not None:
        fits("listed.changed_ms >= ?", wanted.changed_after_ms)
    if wanted.changed:
        fits(CHANGED_SINCE)
    if wanted.commented:
        fits("comments + suggestions")
    if wanted.unplayed:
        lacking = " or ".join([f"not {game} and guesser = ?)"] * len(players)) or f"not {game})"
        fits(f"listed.words > 0 and ({lacking})", *(value for player in players for value in (*used, player)))
    if wanted.tossups:
        fits("listed.tossup in (select value from json_each(?))", json.dumps(wanted.tossups))
    return conditions, values


def _counts(players: Mapping[str, str]) -> tuple[str, list[str]]:
    """The condition that a game counts for a figure, and its values.

    The game is of the text as it is now, which has words, and of the player as it is in use.
    """
    older, used = _of_older_player(players)
    return f"listed.words > 0 and not ({_OUTDATED}) and not ({older})", used


def _of_older_player(players: Mapping[str, str]) -> tuple[str, list[str]]:
    """The condition that a game is by an older version of one of ``players``, and its values."""
    if not players:
        return "false", []
    engine = f"case standing.guesser {'when ? then ? ' * len(players)}else standing.engine end"
    return f"standing.engine <> {engine}", [value for player in players.items() for value in player]


def count_statuses(db: sqlite3.Connection, keys: Sequence[str]) -> dict[Status, int]:
    found = Counter[Status]()
    for status, count in db.execute(
        """
        select status, count(*) from listed where tossup in (select value from json_each(?)) group by 1
        """,
        [json.dumps(list(keys))],
    ):
        found[_shown_status(status)] += count
    return dict(found)


def played_by_people(db: sqlite3.Connection, keys: Sequence[str]) -> tuple[str, ...]:
    """Those of the tossups ``keys`` of which games of people or rooms of theirs are known."""
    found = db.execute(
        """
        select distinct tossup.id
        from tossup join event on event.root = tossup.root
        where tossup.id in (select value from json_each(?)) and event.kind in ('rooms', 'game')
        """,
        [json.dumps(list(keys))],
    )
    return tuple(key for (key,) in found)


def queue_rows(
    db: sqlite3.Connection, keys: Sequence[str], players: Mapping[str, str] | None = None
) -> tuple[QueueRow, ...]:
    """The rows of the tossups ``keys``, in that order; a tossup that is not there has no row.

    ``players`` are those in use, as for :func:`queue`. A tossup without words has no games.
    """
    from quizwriter.workflow.queue import LastPlay, QueueRow

    older, used = _of_older_player(players or {})
    found: dict[str, QueueRow] = {}
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        games: dict[str, dict[str, LastPlay]] = {}
        for (
            key, guesser, words, first, stable, buzz, right, knows, engine, outdated, possible, is_older,
        ) in db.execute(
            f"""
            select standing.tossup, guesser, standing.words, first_correct, stable_correct, buzz_heard,
                   buzz_right, knowable, engine, {_OUTDATED}, possible, {older}
            from standing join listed using (tossup) join tossup draft on draft.id = standing.tossup
            where standing.tossup in ({_marks(some)}) and listed.words > 0
            """,
            [*used, *some],
        ):  # fmt: skip
            kept = None if right is None else bool(right)
            games.setdefault(key, {})[guesser] = LastPlay(
                words, first, stable, buzz, kept, bool(knows), engine, bool(outdated), possible,
                bool(is_older),
            )  # fmt: skip
        for (
            key, line, opening, set_name, category, subcategory, topic, status, since, locked, author, words,
            power, shift, changed_ms, comments, consent,
        ) in db.execute(
            f"""
            select id, answer_line, substr(cast(text as blob), 1, 480), set_name, category, subcategory,
                   topic, status, {CHANGED_SINCE}, locked, author, listed.words, power,
                   shift, listed.changed_ms, comments + suggestions, consent
            from listed join tossup on tossup.id = listed.tossup where listed.tossup in ({_marks(some)})
            """,
            some,
        ):  # fmt: skip
            levels = tuple(level for level in (category, subcategory, topic) if level)
            found[key] = QueueRow(
                key, shown_text(line), (opening or b"").decode("utf-8", "ignore")[:120], set_name, levels,
                _shown_status(status),
                bool(since), bool(locked), author, words, power, shift, changed_ms,
                comments, games.get(key, {}),
                _CONSENT.get(consent, Consent.NOT_ASKED),  # a damaged one, as a damaged status
            )  # fmt: skip
    return tuple(found[key] for key in keys if key in found)


def _shown_status(status: object) -> Status:
    """The status in a row; a damaged one is shown as *draft*, and the check of the database names it."""
    return _STATUS.get(str(status), Status.DRAFT)


def facets(db: sqlite3.Connection) -> QueueFacets:
    """The values to filter by, each with the number of its tossups: of those with branches, that of rows."""
    from quizwriter.workflow.queue import QueueFacets

    number, source = "count(*)", f"listed where {LISTED}"
    if branch_roots(db):  # slower, and of most databases the same
        number, source = "count(distinct root)", f"listed join tossup on id = listed.tossup where {LISTED}"

    def counted(column: str) -> dict[str, int]:
        statement = f"select {column}, {number} from {source} group by 1 order by 1"
        return dict(db.execute(f"{statement} collate nocase"))

    statuses, consents = counted("status"), counted("consent")
    (tossups,) = db.execute(f"select {number} from {source}").fetchone()
    paths = db.execute(
        f"select category, subcategory, topic, {number} from {source} group by 1, 2, 3 order by 1, 2, 3"
    )
    return QueueFacets(
        sets=counted("set_name"),
        statuses={status: statuses[status] for status in Status if status in statuses},
        categories={tuple(level for level in levels if level): count for *levels, count in paths},
        authors=counted("author"),
        consents={consent: consents[consent] for consent in Consent if consent in consents},
        tossups=tossups,
    )


def sets(db: sqlite3.Connection) -> tuple[str, ...]:
    """The names of all sets; empty for those in none."""
    return tuple(
        name
        for (name,) in db.execute(
            f"select distinct set_name from listed where {LISTED} order by 1 collate nocase"
        )
    )


def packets(db: sqlite3.Connection, set_name: str) -> tuple[str, ...]:
    rows = db.execute(
        f"""
        select distinct packet from listed where set_name = ? and packet <> '' and {LISTED}
        order by length(packet), 1 collate nocase
        """,
        [set_name],
    )
    return tuple(name for (name,) in rows)


def packet_tossups(db: sqlite3.Connection, set_name: str, packet: str = "") -> tuple[str, ...]:
    """The tossups of a set, or of a ``packet`` of it: by packets, and in each as they were begun.

    Each is one, see :func:`one_of_each`.
    """
    rows = db.execute(
        f"""
        select id from tossup join listed on listed.tossup = tossup.id
        where set_name = ?1 and ?2 in ('', packet) and {LISTED}
        order by length(packet), packet collate nocase, created_ms, id
        """,
        [set_name, packet],
    )
    return one_of_each(db, [key for (key,) in rows])


def players(db: sqlite3.Connection) -> tuple[str, ...]:
    return tuple(name for (name,) in db.execute("select distinct guesser from standing order by 1"))


def status_times(db: sqlite3.Connection) -> dict[str, int]:
    """When each tossup got its status, in milliseconds since 1970; for a draft, when it was begun."""
    return dict(
        db.execute(
            """
            select id, case when status_ms then status_ms else created_ms end
            from tossup join listed on listed.tossup = tossup.id
            """
        ).fetchall()
    )


def branch_roots(db: sqlite3.Connection) -> dict[str, str]:
    """By id, the tossup of each branch that lists show beside another one, the one changed last first."""
    rows = db.execute(
        f"""
        select id, root from (
            select id, root, listed.changed_ms as at_ms, count(*) over (partition by root) as shown
            from tossup join listed on listed.tossup = tossup.id
            where root in (select root from tossup group by root having count(*) > 1) and {LISTED}
        ) where shown > 1 order by at_ms desc, id
        """
    )
    return dict(rows.fetchall())


def one_of_each(db: sqlite3.Connection, keys: Sequence[str]) -> tuple[str, ...]:
    """``keys`` with one branch of each tossup, the one that the queue shows: a tossup counts once."""
    from quizwriter.workflow.queue import group_branches

    return group_branches(keys, branch_roots(db))[0]


def others_of_set(db: sqlite3.Connection, name: str, but: str = "") -> tuple[tuple[str, str, str], ...]:
    """Id, answer line and text of each tossup of a set, without that with the branch ``but``."""
    rows = {row[0]: row for row in tossups_of_set(db, name, but)}
    return tuple(rows[key] for key in one_of_each(db, list(rows)))


def people_with_keys(db: sqlite3.Connection) -> frozenset[str]:
    return frozenset(person for (person,) in db.execute("select person from signing_key where first"))


def tossups_with(db: sqlite3.Connection, people: Collection[str]) -> dict[str, dict[str, str]]:
    """By root, a branch of each tossup on which one of ``people`` did something or is named."""
    roots: dict[str, set[str]] = {person: set() for person in people}
    did = db.execute(
        """
        with wanted as (select value from json_each(?))
        select author, root from edit join tossup on tossup.id = tossup where author in wanted
        union select author, root from asked join tossup on tossup.id = tossup where author in wanted
        union select author, root from event where author in wanted
        """,
        [json.dumps([*roots])],
    )
    for person, root in did:
        roots[person].add(root)
    sought = next(iter(roots)) if len(roots) == 1 else ""  # of one person few events are read
    for root, body in db.execute("select root, body from event where instr(body, ?)", [sought]):
        for person in roots.keys() & _STRING.findall(body):
            roots[person].add(root)
    first = dict(db.execute("select root, min(id) from tossup group by root"))
    return {person: {root: first[root] for root in sorted(some)} for person, some in roots.items()}


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _like(word: str) -> str:
    return "%" + "".join(f"!{letter}" if letter in "!%_" else letter for letter in word) + "%"
