"""Branches in and out of the database: reading one whole, and merging those of other machines.

A merge is planned while the database is only read: what arrives is united with what is here, and the rows to
be written go into a file. Then one short transaction writes them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import IO

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event, encode_body
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Person
from quizwriter.domain.signatures import SignatureReport
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store import summaries
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.store.rows import (
    PEOPLE,
    answer_columns,
    answer_of_columns,
    decode_event,
    readable_people,
)
from quizwriter.store.signed_rows import first_key
from quizwriter.system.decoding import DecodingError
from quizwriter.system.signing import Signature
from quizwriter.workflow.branches import (
    MOST_BRANCHES,
    Branch,
    Game,
    name_branches,
    preferred_events,
    unite_branches,
)
from quizwriter.workflow.session import AnswerChange, now_ms

MOST_ROWS = 500_000
"""Edits, answers, games and events of all branches of a tossup, above which new branches are left out."""


_EventColumns = tuple[str, int, str, str, str, int, str, str, str, str]

CLOCKS_DIFFER_MS = 24 * 3_600_000
"""How far the clock of another computer may be ahead; a name that is newer than that is from the future."""


class MergeOutcome(StrEnum):
    """The outcome of a merge for one received tossup."""

    NEW = "new"
    UPDATED = "updated"
    BRANCHED = "branched"
    UNCHANGED = "unchanged"


class MergeReport(msgspec.Struct):
    """The result of a merge.

    ``outcomes`` are by the id that each received tossup was made with. ``answered`` are the tossups whose
    answer changed. ``changed_accepted`` are those that stay accepted, but are
    no longer as they were accepted.
    ``left_out`` are the received branches that were not taken, because their tossup has as
    many branches as a tossup may have. ``signatures`` counts what signatures
    prove of all that arrived.
    """

    outcomes: dict[str, MergeOutcome] = msgspec.field(default_factory=dict)
    answered: list[str] = msgspec.field(default_factory=list)
    changed_accepted: list[str] = msgspec.field(default_factory=list)
    left_out: int = 0
    signatures: SignatureReport = msgspec.field(default_factory=SignatureReport)

    def count(self, outcome: MergeOutcome) -> int:
        return sum(one is outcome for one in self.outcomes.values())


def read_branch(db: sqlite3.Connection, tossup_id: str) -> Branch:
    """The tossup ``tossup_id``, which exists, with its whole history."""
    root, created_ms, text = db.execute(
        "select root, created_ms, text from tossup where id = ?", [tossup_id]
    ).fetchone()
    try:
        found = Branch.of(
            root,
            created_ms,
            summaries.history(db, tossup_id),
            summaries.answers(db, tossup_id),
            summaries.game_rows(db, tossup_id),
            (replace(event, tossup_id=root) for event in summaries.events(db, tossup_id)),
        )
    except ValueError:
        found = None
    if found is None or found.text != text:
        raise DamagedDatabaseError(
            f"The history of tossup {tossup_id} is damaged.", "Run quizwriter check for the details."
        )
    return found


class _BranchRows(msgspec.Struct):
    """A branch that is new or longer than here, as the columns of its rows."""

    key: str
    new: bool
    touched_before_ms: int  # when what is here was changed last
    created_ms: int
    touched_ms: int
    text: str
    answer: tuple[str, str | None]
    head: str
    edits: list[tuple[int, int, int, str, str, str, str, str]]
    asked: list[tuple[int, int, str, str | None, str]]
    shown: list[Game]


class _Plan(msgspec.Struct):
    """The rows that a merge writes for one tossup; ``found`` are those that were here when it was planned."""

    root: str
    found: list[tuple[str, str, int, int, int]]
    outcome: MergeOutcome
    branches: list[_BranchRows] = []
    events: list[_EventColumns] = []
    answered: list[str] = []
    left_out: int = 0


class MergePlan:
    """A merge that is ready to be written."""

    def __init__(self, spool: IO[bytes]) -> None:
        """A plan of nothing yet; ``spool`` is an empty file for it."""
        self._roots: set[str] = set()
        self._unchanged: list[str] = []
        self._spool = spool

    def add(self, db: sqlite3.Connection, arrived: Sequence[Branch]) -> None:
        """Plan to merge the branches of one tossup that ``arrived``. ``db`` is in a snapshot."""
        root = arrived[0].root
        if root in self._roots:
            raise ValueError("the branches of a tossup are planned at once")
        self._roots.add(root)
        plan = _plan(db, root, arrived)
        if plan.branches or plan.events or plan.left_out:
            self._spool.write(msgspec.json.encode(plan) + b"\n")
        else:
            self._unchanged.append(root)

    @property
    def empty(self) -> bool:
        return self._spool.tell() == 0

    def report(self) -> MergeReport:
        return MergeReport(dict.fromkeys(self._unchanged, MergeOutcome.UNCHANGED))

    def write(self, db: sqlite3.Connection, step: Callable[[], object]) -> MergeReport:
        """Write what was planned; ``db`` is in a transaction. ``step`` is called before each tossup.

        What somebody else wrote since the plan was made is kept: the plan for its tossup is made again.
        """
        report = self.report()
        self._spool.seek(0)
        for line in self._spool:
            step()
            plan = msgspec.json.decode(line, type=_Plan)
            taken = (one for one in plan.branches if one.new and summaries.root_of(db, one.key) is not None)
            if plan.found != _found(db, plan.root) or any(taken):
                plan = _plan(db, plan.root, _planned_branches(db, plan))
            before = summaries.changed_accepted(db, plan.root)
            _write(db, plan)
            report.changed_accepted += sorted(summaries.changed_accepted(db, plan.root) - before)
            report.outcomes[plan.root] = plan.outcome
            report.answered += plan.answered
            report.left_out += plan.left_out
        return report


def merge(db: sqlite3.Connection, arrived: Sequence[Branch], possible: Mapping[Game, int] = {}) -> None:
    """Merge the branches of one tossup that ``arrived`` into the database, which is in a transaction.

    ``possible`` says of games that come from this computer what :func:`possible_of_games` says of others.
    """
    _write(db, _plan(db, arrived[0].root, arrived), possible)


def _plan(db: sqlite3.Connection, root: str, arrived: Sequence[Branch]) -> _Plan:
    if summaries.root_of(db, root) not in (None, root):
        raise QuizwriterError(
            f"The pack has a tossup {root[:40]}, but here a branch of another tossup has this id.",
            "The pack was made by hand; nothing of it was taken.",
        )
    found = _found(db, root)
    before = {key: read_branch(db, key) for key, *_ in found}
    united = unite_branches([*before.values(), *arrived])
    named = name_branches(before, united, lambda key: summaries.root_of(db, key) is not None)
    after = _within_limits(named, before)
    bare = {key: replace(whole, events=()) for key, whole in before.items()}
    changed = [key for key, whole in after.items() if bare.get(key) != replace(whole, events=())]
    events = [_event_columns(event) for event in _news(db, arrived, after)]
    kinds = kinds_of_edits(db, root) if changed else {}
    if len(after) > max(1, len(before)):
        outcome = MergeOutcome.BRANCHED
    elif after and not before:  # a tossup that was erased since may come with events alone
        outcome = MergeOutcome.NEW
    else:
        outcome = MergeOutcome.UPDATED if changed or events else MergeOutcome.UNCHANGED
    return _Plan(
        root,
        found,
        outcome,
        [_rows(key, after[key], kinds, before.get(key)) for key in changed],
        events,
        [key for key, old in before.items() if old.answer not in (None, after[key].answer)],
        len(named) - len(after),
    )


def _within_limits(named: Mapping[str, Branch], before: Mapping[str, Branch]) -> dict[str, Branch]:
    """``named`` without the new branches that would be more than a tossup may have.

    A branch that is here is always continued, so nobody can keep a writer from being heard by filling up a
    tossup with branches.
    """
    kept = {key: branch for key, branch in named.items() if key in before}
    rows = sum(map(_size, kept.values()))
    for key, branch in named.items():
        if key not in kept and len(kept) < MOST_BRANCHES:
            rows += _size(branch)
            if rows <= MOST_ROWS or not kept:
                kept[key] = branch
    return kept


def _size(branch: Branch) -> int:
    return len(branch.changes) + len(branch.answers) + len(branch.games) + len(branch.events)


def _news(db: sqlite3.Connection, arrived: Sequence[Branch], after: Mapping[str, Branch]) -> Iterator[Event]:
    """The events that ``arrived`` of which the database does not know, and that belong to a branch here."""
    for event in preferred_events(arrived):
        if is_news(db, event) and any(whole.contains(event.seq, event.after) for whole in after.values()):
            yield event


def has_edits(db: sqlite3.Connection, root: str, ids: Iterable[str]) -> bool:
    """Whether a tossup has one of the edits ``ids`` here."""
    row = db.execute(
        """
        select 1 from edit join tossup on tossup.id = edit.tossup
        where root = ? and edit.id in (select value from json_each(?)) limit 1
        """,
        [root, json.dumps([*ids])],
    ).fetchone()
    return row is not None


def _found(db: sqlite3.Connection, root: str) -> list[tuple[str, str, int, int, int]]:
    """The branches of a tossup with the heads and the numbers of everything that is ever only added."""
    return db.execute(
        """
        select id, head, (select count(*) from asked where tossup = tossup.id),
               (select count(*) from shown where tossup = tossup.id),
               (select count(*) from event where root = tossup.root)
        from tossup where root = ? order by id
        """,
        [root],
    ).fetchall()


def _rows(key: str, whole: Branch, kinds: Mapping[str, str], before: Branch | None = None) -> _BranchRows:
    """``whole``, which was ``before``, as rows; ``kinds`` are those of the edits here, by the edits' ids."""
    return _BranchRows(
        key,
        before is None,
        before.touched_ms if before else 0,
        whole.created_ms,
        whole.touched_ms,
        whole.text,
        answer_columns(whole.answer),
        whole.head,
        [
            (one.seq, one.at_ms, one.edit.start, one.edit.removed, one.edit.inserted, one.author, made,
             kinds.get(made, one.kind))
            for one, made in zip(whole.changes, whole.ids, strict=True)
        ],
        [(one.seq, one.at_ms, *answer_columns(one.answer), one.author) for one in whole.answers],
        list(whole.games),
    )  # fmt: skip


def _planned_branches(db: sqlite3.Connection, plan: _Plan) -> list[Branch]:
    """The branches that ``plan`` would have written, with its events."""
    events = [decode_event(plan.root)(row) for row in plan.events]
    found = []
    for rows in plan.branches:
        changes = [
            Change(seq, at_ms, Edit(start, removed, inserted), author)
            for seq, at_ms, start, removed, inserted, author, _, _ in rows.edits
        ]
        answers = (
            AnswerChange(seq, at_ms, answer_of_columns(line, page), author)
            for seq, at_ms, line, page, author in rows.asked
        )
        bare = Branch.of(plan.root, rows.created_ms, changes, answers, rows.shown)
        found.append(replace(bare, events=tuple(one for one in events if bare.contains(one.seq, one.after))))
    unchanged = (key for key, *_ in plan.found if not any(rows.key == key for rows in plan.branches))
    for key in unchanged:
        if summaries.root_of(db, key) == plan.root:
            whole = read_branch(db, key)
            said = (one for one in events if whole.contains(one.seq, one.after))
            found.append(replace(whole, events=(*whole.events, *said)))
    return found


def _write(db: sqlite3.Connection, plan: _Plan, possible: Mapping[Game, int] = {}) -> None:
    for rows in plan.branches:
        _put(db, plan.root, rows, possible=possible)
    for row in plan.events:
        put_event(db, decode_event(plan.root)(row))
    touched = {rows.key for rows in plan.branches}
    if plan.events:
        touched |= {key for key, *_ in plan.found}
    for key in sorted(touched):
        summaries.list_review(db, key)


def kinds_of_edits(db: sqlite3.Connection, root: str) -> dict[str, str]:
    """By the ids of the edits that are here: the kinds, which no other machine knows."""
    rows = db.execute(
        """
        select edit.id, edit.kind from edit join tossup on tossup.id = edit.tossup
        where tossup.root = ? and edit.kind <> ''
        """,
        [root],
    )
    return dict(rows.fetchall())


def possible_of_games(db: sqlite3.Connection, root: str) -> dict[Game, int]:
    """After how many words the first guess of games here may be right first, which no other machine knows."""
    rows = db.execute(
        """
        select shown.seq, at_ms, guesser, engine, shown.words, first_correct, stable_correct, buzz_heard,
               buzz_page, top, possible
        from shown join tossup on tossup.id = shown.tossup
        where tossup.root = ? and typeof(possible) = 'integer'
        """,
        [root],
    )
    return {row[:-1]: row[-1] for row in rows}


def _event_columns(event: Event) -> _EventColumns:
    """The columns that :func:`decode_event` takes, but for the key that was seen first."""
    kind, body = encode_body(event.body)
    said = json.dumps(body, ensure_ascii=False, sort_keys=True)
    signature = event.signature or Signature("", "")
    return (
        event.id, event.at_ms, event.author, kind, said, event.seq, event.after, signature.key,
        signature.value, "",
    )  # fmt: skip


def is_news(db: sqlite3.Connection, event: Event) -> bool:
    """Whether :func:`put_event` would write ``event``."""
    row = db.execute(
        """
        select event.root, event.id, event.at_ms, event.author, event.kind, event.body, event.seq,
               event.after, event.key, event.signature, ''
        from event where id = ?
        """,
        [event.id],
    ).fetchone()
    if row is None:
        return True
    with suppress(DecodingError):  # a damaged event is replaced by a sound one
        there = decode_event(row[0])(row[1:])
        return there.preferred(event) is not there
    return True


def put_event(db: sqlite3.Connection, event: Event) -> bool:
    """Add ``event``, whose tossup is given by its root; False if the database stays as it is.

    Of two events with one id, one stays: see :meth:`Event.preferred`.
    """
    if not is_news(db, event):
        return False
    db.execute(
        """
        insert or replace into event (root, id, at_ms, author, kind, body, seq, after, key, signature)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [event.tossup_id, *_event_columns(event)[:-1]],
    )
    return True


def people(db: sqlite3.Connection) -> dict[str, Person]:
    """Everybody whom the database knows, by id; a person whose row is damaged is left out."""
    return {person.id: person for person in readable_people(db.execute(PEOPLE))}


def save_person(db: sqlite3.Connection, person: Person) -> None:
    """Save the name and address of ``person``, unless newer ones are known.

    A name that the person's key signed comes before every other name, and a name from the future comes after
    all others, or it would stay for good.
    """
    if not is_better_name(db, person):
        return
    signature = person.signature or Signature("", "")
    db.execute(
        """
        insert or replace into person (id, name, email, changed_ms, key, signature) values (?, ?, ?, ?, ?, ?)
        """,
        [person.id, person.name, person.email, person.changed_ms, signature.key, signature.value],
    )


def is_better_name(db: sqlite3.Connection, person: Person) -> bool:
    """Whether :func:`save_person` would write ``person``."""
    own = first_key(db, person.id)
    row = db.execute("select name, email, changed_ms, key from person where id = ?", [person.id]).fetchone()
    key = person.signature.key if person.signature else ""
    new = _name_claim(person.name, person.email, person.changed_ms, key, own=own)
    return row is None or new > _name_claim(*row, own=own)


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
    possible: Mapping[Game, int] = {},
) -> None:
    """Write ``whole`` under the id ``key``, which is not there yet.

    ``kinds`` are the kinds of its edits, by their ids, and ``possible`` is as :func:`possible_of_games`. The
    cursor is at ``cursor``, and the tossup was opened last at ``changed_ms``, if that is after all edits.
    """
    _put(db, whole.root, _rows(key, whole, kinds), cursor, changed_ms, possible)


def replace_branch(
    db: sqlite3.Connection, key: str, whole: Branch, kinds: Mapping[str, str], before: Branch
) -> None:
    """Write ``whole`` in the place of the branch ``before``, which has the id ``key``; not its events."""
    _put(db, whole.root, _rows(key, whole, kinds, before))


def _put(
    db: sqlite3.Connection,
    root: str,
    whole: _BranchRows,
    cursor: int = 0,
    changed_ms: int = 0,
    possible: Mapping[Game, int] = {},
) -> None:
    """Write ``whole``; unless it is new, it replaces the rows that are there."""
    key = whole.key
    possible = {**possible, **possible_of_games(db, root)}
    answer = answer_of_columns(*whole.answer)
    tossup = Tossup(whole.text, answer)
    if not whole.new:
        cursor, changed_ms = db.execute(
            "select cursor, changed_ms from tossup where id = ?", [key]
        ).fetchone()
        if changed_ms <= whole.touched_before_ms:  # it was not opened since
            changed_ms = 0
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
            key, *whole.answer, whole.text, len(tossup.words), min(cursor, len(whole.text)), whole.created_ms,
            max(changed_ms, whole.touched_ms), root, len(whole.edits), whole.head,
        ],
    )  # fmt: skip
    db.executemany(
        """
        insert into edit (tossup, seq, at_ms, start, removed, inserted, author, id, kind)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        ((key, *row) for row in whole.edits),
    )
    db.executemany(
        "insert into asked (tossup, seq, at_ms, answer_line, page, author) values (?, ?, ?, ?, ?, ?)",
        ((key, *row) for row in whole.asked),
    )
    db.executemany(
        """
        insert into shown (tossup, seq, at_ms, guesser, engine, words, first_correct, stable_correct,
                           buzz_heard, buzz_page, top, possible)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        ((key, *game, possible.get(game)) for game in whole.shown),
    )
    summaries.list_text(db, key, tossup, whole.touched_ms)
    if not whole.new:
        db.execute("update listed set shift = null where tossup = ?", [key])
    summaries.list_games(db, key, answer, whole.shown)
