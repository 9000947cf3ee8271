"""The check of a whole database: SQLite's own, and whether every history leads to its tossup's text."""

from __future__ import annotations

from quizwriter.domain.history import Change, edit_ids, replay
from quizwriter.store import summaries
from quizwriter.store.database import Database


def find_damage(database: Database) -> tuple[str, ...]:
    """What is wrong with the database, in sentences; empty if it is sound.

    The histories are replayed after reading, so that nobody waits for that.
    """
    with database.snapshot() as db:
        damage = [str(line) for (line,) in db.execute("pragma integrity_check") if line != "ok"]
        damage += [
            f"A row of {table} points nowhere." for table, *_ in db.execute("pragma foreign_key_check")
        ]
        rows = db.execute("select id, text, root, head from tossup").fetchall()
        histories = [summaries.history(db, tossup_id) for tossup_id, *_ in rows]
    for (tossup_id, text, root, head), changes in zip(rows, histories, strict=True):
        try:
            if not _leads_to(changes, text, root, head):
                damage.append(f"The history of tossup {tossup_id} does not lead to its text.")
        except ValueError as trouble:
            damage.append(f"The history of tossup {tossup_id} does not replay: {trouble}.")
    return tuple(damage)


def _leads_to(changes: tuple[Change, ...], text: str, root: str, head: str) -> bool:
    """Whether ``changes`` are all there, the last one is ``head``, and they replay to ``text`` and back.

    Raises:
        ValueError: an edit does not fit the text before it.
    """
    complete = [change.seq for change in changes] == list(range(1, len(changes) + 1))
    complete = complete and head == (edit_ids(root, changes) or [root])[-1]
    there = replay(change.edit for change in changes)
    back = replay((change.edit.inverse() for change in reversed(changes)), text)
    return complete and there == text and not back
