"""The check of a whole database: SQLite's own, and whether every history leads to its tossup's text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from quizwriter.cancellation import Progress
from quizwriter.domain.history import Change, edit_ids, replay
from quizwriter.domain.review import Consent, Status
from quizwriter.errors import QuizwriterError
from quizwriter.formats.histories import decode_guesses
from quizwriter.store import summaries
from quizwriter.store.database import Database
from quizwriter.store.rows import PEOPLE, decode_person, decode_tossup, decoded
from quizwriter.system.decoding import DecodingError, decode_row


class _ListedRow(NamedTuple):
    root: str
    status: str
    consent: str


_STATUSES, _CONSENTS = frozenset(map(str, Status)), frozenset(map(str, Consent))


def find_damage(database: Database, progress: Progress = lambda done, total: None) -> tuple[str, ...]:
    """The faults of the database, in sentences that name the tossup; empty if it is sound.

    Nobody waits for the check: it reads one tossup at a time, and a tossup that was changed meanwhile is as
    sound as before. A damaged tossup does not keep the others from being checked.
    """
    with database.reading() as db:
        damage = [str(line) for (line,) in _rows(db, "pragma integrity_check") if line != "ok"]
        damage += [
            f"A row of {table} refers to a row that does not exist." if row else str(table)
            for table, *row in _rows(db, "pragma foreign_key_check")
        ]
        keys = [key for (key,) in _rows(db, "select id from tossup order by id")]
        damage += _people(db)
    for done, key in enumerate(keys):
        progress(done, len(keys))
        try:
            with database.snapshot() as db:
                damage += _tossup(db, key)
        except QuizwriterError as trouble:
            damage.append(trouble.problem)
    progress(len(keys), len(keys))
    return tuple(dict.fromkeys(damage))


def _rows(db: sqlite3.Connection, statement: str) -> Iterator[tuple[object, ...]]:
    """The rows of ``statement`` until one cannot be read, which SQLite's own check reports."""
    try:
        yield from db.execute(statement)
    except sqlite3.DatabaseError as trouble:
        yield (f"Not all of the database can be read ({trouble}).",)


def _people(db: sqlite3.Connection) -> Iterator[str]:
    for row in _rows(db, PEOPLE):
        try:
            decode_person(row)
        except DecodingError as trouble:
            yield f"A person is damaged ({trouble})."


def _tossup(db: sqlite3.Connection, key: object) -> Iterator[str]:
    if not isinstance(key, str):
        yield "The id of a tossup is damaged."
        return
    row = db.execute(
        """
        select root, status, consent, text, answer_line, page, tossup.seq, cursor, head, locked
        from tossup join listed on listed.tossup = id where id = ?
        """,
        [key],
    ).fetchone()
    if row is None:
        yield f"The tossup {key} is in no list."
        return
    (found,) = decoded(key, [row[3:]], decode_tossup)
    ((root, status, consent),) = decoded(key, [row[:3]], partial(decode_row, kind=_ListedRow))
    text, head = found[0].text, found[3]
    if status not in _STATUSES:
        yield f"The status of tossup {key} is unknown ({status[:40]!r})."
    if consent not in _CONSENTS:
        yield f"The consent of tossup {key} is unknown ({consent[:40]!r})."
    changes = summaries.history(db, key)
    try:
        if not _leads_to(changes, text, root, head):
            yield f"The history of tossup {key} does not lead to its text."
    except ValueError as trouble:
        yield f"The history of tossup {key} does not replay: {trouble}."
    summaries.answers(db, key)
    summaries.events(db, key)
    for game in summaries.game_rows(db, key):
        try:
            decode_guesses(game[-1])
        except DecodingError as trouble:
            yield f"A game on tossup {key} is damaged ({trouble})."


def _leads_to(changes: tuple[Change, ...], text: str, root: str, head: str) -> bool:
    """Whether ``changes`` are all there, the last one is ``head``, and they replay to ``text`` and back."""
    complete = [change.seq for change in changes] == list(range(1, len(changes) + 1))
    complete = complete and head == (edit_ids(root, changes) or [root])[-1]
    there = replay(change.edit for change in changes)
    back = replay((change.edit.inverse() for change in reversed(changes)), text)
    return complete and there == text and not back
