"""Branches in and out of the database: reading one whole, and merging those of other machines."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from quizwriter.decoding import DecodingError
from quizwriter.domain.review import Event, Person
from quizwriter.domain.signatures import Signature, SignatureReport
from quizwriter.domain.tossup import Tossup
from quizwriter.formats.events import encode_body
from quizwriter.store import summaries
from quizwriter.store.refusals import history_is_damaged
from quizwriter.store.rows import PEOPLE, answer_columns, decode_event, readable_people
from quizwriter.store.signed_rows import first_key
from quizwriter.workflow.branches import Branch, unite_branches
from quizwriter.workflow.session import now_ms

CLOCKS_DIFFER_MS = 24 * 3_600_000
"""How far the clock of another computer may be ahead; a name that is newer than that is from the future."""


class MergeOutcome(StrEnum):
    """What a merge did with a received tossup."""

    NEW = "new"
    UPDATED = "updated"
    BRANCHED = "branched"
    UNCHANGED = "unchanged"


@dataclass
class MergeReport:
    """What a merge did.

    ``outcomes`` are by the id that each received tossup was made with. ``moved`` gives the new id of each
    branch of this database whose id changed. ``answered`` are the tossups whose answer changed.
    ``signatures`` counts what signatures prove of all that arrived.
    """

    outcomes: dict[str, MergeOutcome] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    answered: list[str] = field(default_factory=list)
    signatures: SignatureReport = field(default_factory=SignatureReport)

    def count(self, outcome: MergeOutcome) -> int:
        """How many tossups had this ``outcome``."""
        return sum(one is outcome for one in self.outcomes.values())


def read_branch(db: sqlite3.Connection, tossup_id: str) -> Branch:
    """The tossup ``tossup_id``, which exists, with its whole history.

    Raises:
        QuizwriterError: the history is damaged.
    """
    root, created_ms, text = db.execute(
        "select root, created_ms, text from tossup where id = ?", [tossup_id]
    ).fetchone()
    try:
        found = Branch.of(
            root,
            created_ms,
            summaries.history(db, tossup_id),
            summaries.answers(db, tossup_id),
            summaries.games(db, tossup_id),
            (replace(event, tossup_id=root) for event in summaries.events(db, tossup_id)),
        )
    except ValueError:
        found = None
    if found is None or found.text != text:
        raise history_is_damaged(tossup_id)
    return found


def merge(db: sqlite3.Connection, arrived: Iterable[Branch]) -> MergeReport:
    """Merge the branches that ``arrived`` into the database.

    Raises:
        QuizwriterError: an event has the id of another one in the database.
    """
    merged = MergeReport()
    for one in arrived:
        root = one.root
        there = [key for (key,) in db.execute("select id from tossup where root = ?", [root])]
        before = {key: read_branch(db, key) for key in there}
        after = unite_branches([*before.values(), one])
        said = sum([put_event(db, event) for event in one.events])
        goes_on = {key: _goes_on(key, old, after) for key, old in before.items()}
        kept = {goes_on[key]: _local(db, key, old) for key, old in before.items()}
        changed = [key for key, whole in after.items() if before.get(key) != whole]
        kinds = _kinds(db, root) if changed else {}
        for key in changed:
            put_branch(db, key, after[key], kinds, *kept.get(key, (0, 0)), new=key not in before)
        for key in after if said else changed:
            summaries.list_review(db, key)
        merged.moved |= {old: new for old, new in goes_on.items() if old != new}
        merged.answered += [
            new for old, new in goes_on.items() if before[old].answer not in (None, after[new].answer)
        ]
        if len(after) > max(1, len(before)):
            merged.outcomes[root] = MergeOutcome.BRANCHED
        elif not before:
            merged.outcomes[root] = MergeOutcome.NEW
        elif changed:
            merged.outcomes.setdefault(root, MergeOutcome.UPDATED)
            if merged.outcomes[root] is MergeOutcome.UNCHANGED:
                merged.outcomes[root] = MergeOutcome.UPDATED
        else:
            merged.outcomes.setdefault(root, MergeOutcome.UNCHANGED)
    return merged


def _goes_on(key: str, old: Branch, after: Mapping[str, Branch]) -> str:
    """The id of the branch that continues ``old``, whose id was ``key``; the same id if there is a choice."""
    return min((name for name, new in after.items() if new.covers(old)), key=lambda name: (name != key, name))


def _local(db: sqlite3.Connection, key: str, old: Branch) -> tuple[int, int]:
    """This writer's cursor, and when the tossup was opened if that was after all edits, else 0."""
    cursor, changed_ms = db.execute("select cursor, changed_ms from tossup where id = ?", [key]).fetchone()
    return cursor, changed_ms if changed_ms > old.touched_ms else 0


def _kinds(db: sqlite3.Connection, root: str) -> dict[str, str]:
    """By the ids of the edits that are here: the kinds, which no other machine knows."""
    rows = db.execute(
        """
        select edit.id, edit.kind from edit join tossup on tossup.id = edit.tossup
        where tossup.root = ? and edit.kind <> ''
        """,
        [root],
    )
    return dict(rows.fetchall())


def put_event(db: sqlite3.Connection, event: Event) -> bool:
    """Add ``event``, whose tossup is given by its root; False if the database stays as it is.

    Of two events with one id, one stays: see :meth:`Event.preferred`.
    """
    row = db.execute(
        """
        select event.root, event.id, event.at_ms, event.author, event.kind, event.body, event.seq,
               event.after, event.key, event.signature, ''
        from event where id = ?
        """,
        [event.id],
    ).fetchone()
    if row is not None:
        with suppress(DecodingError):  # a damaged event is replaced by a sound one
            there = decode_event(row[0])(row[1:])
            if there.preferred(event) is there:
                return False
    kind, body = encode_body(event.body)
    signature = event.signature or Signature("", "")
    db.execute(
        """
        insert or replace into event (id, root, seq, after, at_ms, author, kind, body, key, signature)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            event.id, event.tossup_id, event.seq, event.after, event.at_ms, event.author, kind,
            json.dumps(body, ensure_ascii=False, sort_keys=True), signature.key, signature.value,
        ],
    )  # fmt: skip
    return True


def read_people(db: sqlite3.Connection) -> dict[str, Person]:
    """Everybody whom the database knows, by id; a person whose row is damaged is left out."""
    return {person.id: person for person in readable_people(db.execute(PEOPLE))}


def save_person(db: sqlite3.Connection, person: Person) -> None:
    """Save the name and address of ``person``, unless newer ones are known.

    A name that the person's key signed comes before every other name, and a name from the future comes after
    all others, or it would stay for good.
    """
    own = first_key(db, person.id)
    row = db.execute("select name, email, changed_ms, key from person where id = ?", [person.id]).fetchone()
    signature = person.signature or Signature("", "")
    new = (person.name, person.email, person.changed_ms, signature.key)
    if row is not None and _name_claim(*row, own=own) >= _name_claim(*new, own=own):
        return
    db.execute(
        """
        insert or replace into person (id, name, email, changed_ms, key, signature) values (?, ?, ?, ?, ?, ?)
        """,
        [person.id, *new, signature.value],
    )


def _name_claim(
    name: str, email: str, changed_ms: int, key: str, *, own: str
) -> tuple[bool, bool, int, str, str]:
    return bool(key) and key == own, changed_ms <= now_ms() + CLOCKS_DIFFER_MS, changed_ms, name, email


def put_branch(
    db: sqlite3.Connection,
    key: str,
    whole: Branch,
    kinds: Mapping[str, str],
    cursor: int,
    changed_ms: int,
    *,
    new: bool,
) -> None:
    """Write ``whole`` under the id ``key``; unless it is ``new``, it replaces the rows that are there.

    ``kinds`` are the kinds of this database's edits, by the ids of the edits.
    """
    tossup = Tossup(whole.text, whole.answer)
    line, page = answer_columns(whole.answer)
    if not new:
        for table in ("edit", "asked", "shown", "standing"):
            db.execute(f"delete from {table} where tossup = ?", [key])
    db.execute(
        """
        insert into tossup (id, answer_line, page, text, words, cursor, created_ms, changed_ms,
                            root, seq, head)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (id) do update set
            answer_line = excluded.answer_line, page = excluded.page, text = excluded.text,
            words = excluded.words, cursor = excluded.cursor, created_ms = excluded.created_ms,
            changed_ms = excluded.changed_ms, seq = excluded.seq, head = excluded.head
        """,
        [
            key, line, page, tossup.text, len(tossup.words), min(cursor, len(tossup.text)), whole.created_ms,
            max(changed_ms, whole.touched_ms), whole.root, len(whole.changes), whole.head,
        ],
    )  # fmt: skip
    db.executemany(
        """
        insert into edit (tossup, seq, at_ms, start, removed, inserted, author, id, kind)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            (
                key,
                one.seq,
                one.at_ms,
                one.edit.start,
                one.edit.removed,
                one.edit.inserted,
                one.author,
                made,
                kinds.get(made, one.kind),
            )
            for one, made in zip(whole.changes, whole.ids, strict=True)
        ),
    )
    db.executemany(
        "insert into asked (tossup, seq, at_ms, answer_line, page, author) values (?, ?, ?, ?, ?, ?)",
        ((key, one.seq, one.at_ms, *answer_columns(one.answer), one.author) for one in whole.answers),
    )
    db.executemany(
        """
        insert into shown (tossup, seq, at_ms, guesser, engine, words, first_correct, stable_correct,
                           buzz_heard, buzz_page, top)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        ((key, *game) for game in whole.games),
    )
    summaries.list_text(db, key, tossup, whole.touched_ms)
    if not new:
        db.execute("update listed set shift = null where tossup = ?", [key])
    summaries.list_games(db, key, whole.answer, whole.games)
