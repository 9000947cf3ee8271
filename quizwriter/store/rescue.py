"""A damaged database read as far as it goes: each tossup for itself, into a new database, with a list."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Progress
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.styles import Styled
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.formats.histories import decode_guesses
from quizwriter.store import merging, summaries
from quizwriter.store.database import Database
from quizwriter.store.integrity import find_damage
from quizwriter.store.rows import (
    answer_columns,
    answer_of_columns,
    decode_answer,
    decode_edit,
    decode_event,
    decode_game,
)
from quizwriter.store.salvage import SalvagedFile, TableForm, Value
from quizwriter.system.atomic import atomic_path
from quizwriter.system.decoding import DecodingError
from quizwriter.system.moments import LATEST_MS
from quizwriter.workflow.branches import Branch, Game
from quizwriter.workflow.session import AnswerChange
from quizwriter.workflow.wording import counted_noun

T = TypeVar("T")
Row = Mapping[str, Value]
_TYPES = {"TEXT": str, "INTEGER": int}
_CARRIED = ("person", "kept", "answer_knowledge", "signing_key", "model_answer", "model_spending")
"""Tables whose rows stand for themselves."""

_DERIVED = ("listed", "standing", "_sqlite_migrations")
"""Tables that follow from the others."""


class RescueState(StrEnum):
    """How much of a tossup came back."""

    WHOLE = "whole"
    PART = "part"
    LOST = "lost"


class RescuedTossup(msgspec.Struct, frozen=True):
    """What came back of a tossup; ``missing`` says in sentences what did not."""

    tossup_id: str
    title: str
    state: RescueState
    missing: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        return f"{self.title}: {self.state}. {' '.join(self.missing)}".rstrip()


class RescueReport(msgspec.Struct, frozen=True):
    """What came back of a damaged database, and what did not."""

    source: Path
    target: Path
    pages: int
    bad_pages: int
    tossups: tuple[RescuedTossup, ...]
    notes: tuple[str, ...] = ()

    def count(self, state: RescueState) -> int:
        return sum(one.state is state for one in self.tossups)

    @property
    def lines(self) -> tuple[str, ...]:
        """What came back, and one line on each tossup that did not come back whole."""
        concerned = (one.line for one in self.tossups if one.state is not RescueState.WHOLE)
        return (self.sentence, *self.notes, *concerned)

    @property
    def sentence(self) -> str:
        whole, part, lost = map(self.count, RescueState)
        return (
            f"{counted_noun(whole, 'tossup')} rescued completely, {part:,} in part, and {lost:,} "
            f"{'is' if lost == 1 else 'are'} lost."
        )


class _Parts(msgspec.Struct):
    """All readable rows, by the tossup or the root that they belong to."""

    tossups: dict[str, Row] = msgspec.field(default_factory=dict)
    edits: defaultdict[str, defaultdict[int, list[Row]]] = msgspec.field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    answers: defaultdict[str, list[Row]] = msgspec.field(default_factory=lambda: defaultdict(list))
    games: defaultdict[str, list[Row]] = msgspec.field(default_factory=lambda: defaultdict(list))
    events: defaultdict[str, dict[str, Row]] = msgspec.field(default_factory=lambda: defaultdict(dict))
    runs: defaultdict[str, list[Row]] = msgspec.field(default_factory=lambda: defaultdict(list))
    others: defaultdict[str, list[Row]] = msgspec.field(default_factory=lambda: defaultdict(list))
    mentioned: set[str] = msgspec.field(
        default_factory=set
    )  # ids of tossups in tables that follow from the others

    def add(self, table: str, row: Row) -> None:
        """Sort ``row`` in; of two rows with one key, the first one counts, and of edits the fitting one."""
        owner = row.get({"tossup": "id", "event": "root", "signed_run": "root"}.get(table, "tossup"))
        if table in _CARRIED:
            self.others[table].append(row)
        elif not isinstance(owner, str) or not owner:
            return
        elif table == "tossup":
            self.tossups.setdefault(owner, row)
        elif table == "edit" and isinstance(row["seq"], int):
            self.edits[owner][row["seq"]].append(row)
        elif table == "asked":
            self.answers[owner].append(row)
        elif table == "shown":
            self.games[owner].append(row)
        elif table == "event" and isinstance(row["id"], str):
            self.events[owner].setdefault(row["id"], row)
        elif table == "signed_run":
            self.runs[owner].append(row)
        elif table in ("listed", "standing"):
            self.mentioned.add(owner)


def rescue(source: Path, target: Path, progress: Progress = lambda done, total: None) -> RescueReport:
    """Write all that can be read in the database ``source`` into the new database ``target``.

    ``source`` and its log are only read, and by no database engine. A tossup comes back whole when its edits
    replay to the last one that its row names. Otherwise the history goes up to the last edit that fits, and
    one more edit leads to the text that was found.
    """
    with translate_reading_errors(target):
        is_there = target.exists()
    if is_there:
        raise QuizwriterError(f"{target} is there already.", "Name a file that is not there yet.")
    with atomic_path(target, problem=f"{target} could not be written", make_folder=True) as new:
        database = Database(new)
        try:
            with database.reading() as db:
                forms = _forms(db)
            parts, pages, bad = _read(source, forms, progress)
            if not parts.tossups and not parts.edits:
                raise QuizwriterError(
                    f"Nothing in {source} can be read as a tossup.", "Restore a backup instead."
                )
            report = _write(database, parts, progress)
            with database.reading() as db:
                db.execute("pragma wal_checkpoint(truncate)")
            if damage := find_damage(database):
                raise AssertionError(f"the new database is not sound: {damage[0]}")
        finally:
            database.close()
            for end in ("-wal", "-shm"):
                new.with_name(new.name + end).unlink(missing_ok=True)
    notes = [f"{bad:,} of {pages:,} pages of the file are damaged."] if bad else []
    return RescueReport(source, target, pages, bad, tuple(report), tuple(notes))


def _read(source: Path, forms: Sequence[TableForm], progress: Progress) -> tuple[_Parts, int, int]:
    parts = _Parts()
    with (
        translate_reading_errors(source, "Check the path and the disk."),
        closing(SalvagedFile(source, forms)) as file,
    ):
        for table, row in file.rows(progress):
            parts.add(table, row)
        return parts, file.pages, file.bad_pages


def _forms(db: sqlite3.Connection) -> list[TableForm]:
    """The tables of a new database, as their rows are stored; those with the most columns first."""
    found = []
    for name, sql in db.execute("select name, sql from sqlite_master where type = 'table'").fetchall():
        columns = db.execute(f"pragma table_info({name})").fetchall()
        by_rowid = "without rowid" not in sql
        if not by_rowid:  # such a row begins with its key
            columns.sort(key=lambda column: column[5] or len(columns) + column[0])
        found.append(
            TableForm(
                name,
                tuple(column[1] for column in columns),
                tuple(_TYPES.get(column[2].upper(), object) for column in columns),
                tuple(not column[3] and not (column[5] and not by_rowid) for column in columns),
                sum(column[4] is None for column in columns),
                by_rowid,
            )
        )
    return sorted(found, key=lambda form: -form.least)


# -- one tossup after the other


def _write(database: Database, parts: _Parts, progress: Progress) -> list[RescuedTossup]:
    keys = sorted({*parts.tossups, *parts.edits, *parts.answers, *parts.games, *parts.mentioned})
    roots = {root for row in parts.tossups.values() if isinstance(root := row.get("root"), str) and root}
    found, branches = [], dict[str, tuple[Branch, Row]]()
    for done, key in enumerate(keys):
        progress(done, len(keys))
        rescued, branch = _tossup(parts, key, roots)
        found.append(rescued)
        if branch is not None:
            branches[key] = branch, parts.tossups.get(key, {})
    events = {root: _events(parts, root, branches) for root in {one.root for one, _ in branches.values()}}
    with database.transaction() as db:
        for table in _CARRIED:
            _carry(db, table, parts.others[table])
        for key, (branch, row) in branches.items():
            kinds = {made: str(change.kind) for change, made in zip(branch.changes, branch.ids, strict=True)}
            cursor, opened = (_number(row.get(name)) for name in ("cursor", "changed_ms"))
            games, _ = _decoded(parts.games.get(key, ()), (*_GAME, "possible"), _possible_game)
            possible = {game: at for game, at in games if isinstance(at, int)}
            merging.put_branch(db, key, branch, kinds, cursor, opened, possible)
        for root, (known, _) in events.items():
            for event in known:
                merging.put_event(db, event)
            ids = {made for branch, _ in branches.values() if branch.root == root for made in branch.ids}
            whole = [run for run in parts.runs[root] if {run.get("first"), run.get("last")} <= ids]
            _carry(db, "signed_run", whole)
        for key in branches:
            summaries.list_review(db, key)
    moved = {key: events[branch.root][1] for key, (branch, _) in branches.items()}
    return [_with_events(one, *moved.get(one.tossup_id, (0, 0))) for one in found]


def _tossup(parts: _Parts, key: str, roots: Iterable[str]) -> tuple[RescuedTossup, Branch | None]:
    row, missing = parts.tossups.get(key, {}), list[str]()
    root, changes, ids, text = _history(parts.edits.get(key, {}), key, row, roots)
    head = ids[-1] if ids else root
    known = max([_number(row.get("seq")), *parts.edits.get(key, {})], default=0)
    stored = row.get("text")
    whole = bool(row) and row.get("head", "") in (head, "") and known == len(changes)
    if not row:
        missing.append(
            "The text was rebuilt from its edits." if changes else "Its text and its history are lost."
        )
    if not whole:
        if known > len(changes) and changes:
            missing.append(f"The history goes up to edit {len(changes):,} of {known:,}.")
        elif row and known and not changes:
            missing.append("The text is there without its history.")
        if isinstance(stored, bytes):
            missing.append("Bytes of the text that are no letters were replaced.")
            stored = stored.decode(errors="replace")
        last = Edit.between(text, stored) if isinstance(stored, str) else None
        if last is not None:
            at_ms = _moment(row.get("changed_ms"), changes[-1].at_ms if changes else 0)
            changes.append(Change(len(changes) + 1, at_ms, last))
    asked, lost_answers = _decoded(parts.answers.get(key, ()), _ANSWER, decode_answer)
    answers = [replace(one, seq=min(one.seq, len(changes))) for one in asked]
    present = _present_answer(row)
    latest = max(answers, key=lambda one: (one.seq, one.at_ms), default=None)
    if present is not None and (latest is None or latest.answer != present):
        at_ms = max([_moment(row.get("changed_ms"), 0), *(one.at_ms + 1 for one in answers)])
        answers.append(AnswerChange(len(changes), at_ms, present))
    games, lost_games = _decoded(parts.games.get(key, ()), _GAME, _whole_game)
    fitting = [game for game in games if game[0] <= len(changes)]
    if lost_answers:
        missing.append(f"Lost: {counted_noun(lost_answers, 'earlier answer')}.")
    if lost_games + len(games) - len(fitting):
        missing.append(f"Players' analyses that are lost: {lost_games + len(games) - len(fitting):,}.")
    if not changes and not answers and not isinstance(stored, str):
        return RescuedTossup(
            key, f"Tossup {key}", RescueState.LOST, ("Neither text nor edits are left.",)
        ), None
    created = _moment(row.get("created_ms"), changes[0].at_ms if changes else 0)
    branch = Branch.of(root, created, changes, answers, fitting)
    state = RescueState.PART if missing else RescueState.WHOLE
    return RescuedTossup(key, _title(branch), state, tuple(missing)), branch


def _history(
    edits: Mapping[int, Sequence[Row]], key: str, row: Row, roots: Iterable[str]
) -> tuple[str, list[Change], list[str], str]:
    """The root of the tossup, its edits up to the first that is missing or does not fit, their ids, its text.

    The id of an edit says what all edits up to it are, so a stray row of an older state is never taken. Where
    the row of the tossup is lost, the id of the first edit says which of the known ``roots`` is its root.
    """
    stored = row.get("root")
    candidates = [stored] if isinstance(stored, str) and stored else [key, *roots]
    best: tuple[str, list[Change], list[str], str] = (candidates[0], [], [], "")
    for root in candidates:
        changes, ids, text, before = list[Change](), list[str](), "", root
        while True:
            fitting = None
            for one in edits.get(len(changes) + 1, ()):
                with suppress(DecodingError, ValueError):
                    change = decode_edit(_values(one, _EDIT))
                    made = change.id_after(before)
                    if one.get("id") in (made, "", None):  # the first databases had no ids
                        fitting = change, made, change.edit.apply(text)
                        break
            if fitting is None:
                break
            change, before, text = fitting
            changes.append(change)
            ids.append(before)
        if len(changes) > len(best[1]):
            best = root, changes, ids, text
    return best


def _events(
    parts: _Parts, root: str, branches: Mapping[str, tuple[Branch, Row]]
) -> tuple[list[Event], tuple[int, int]]:
    """The events of ``root``; how many of them were moved, because their edit is lost, and how many are lost.

    A moved event stands at the last edit of a branch, under another id and unsigned: what was signed stood
    elsewhere. What refers to it is moved, too, because it was said later.
    """
    family = [branch for branch, _ in branches.values() if branch.root == root]
    home = max(family, key=lambda branch: len(branch.changes))
    sound, ids, lost = list[Event](), dict[str, str](), 0
    moved = list[tuple[Event, Row]]()
    for row in parts.events.get(root, {}).values():
        try:
            event = decode_event(root)([*_values(row, _EVENT), None])
        except DecodingError:
            lost += 1
            continue
        if any(branch.contains(event.seq, event.after) for branch in family) and not event.altered:
            sound.append(event)
        elif isinstance(event.body, Styled):
            lost += 1  # it names letters of a text that is lost
        else:
            moved.append((event, row))
            ids[event.id] = Event.new("", 0, "", event.body).id
    for event, row in moved:
        body = str(row["body"])
        for old, new in ids.items():
            body = body.replace(old, new)
        placed = [ids[event.id], *_values({**row, "body": body}, _EVENT)[1:5], len(home.changes), home.head]
        with suppress(DecodingError):
            sound.append(decode_event(root)([*placed, "", "", None]))
    return sound, (len(moved), lost)


def _with_events(rescued: RescuedTossup, moved: int, lost: int) -> RescuedTossup:
    missing = list(rescued.missing)
    if moved:
        missing.append(f"Comments and decisions moved from a lost edit to the last one: {moved:,}.")
    if lost:
        missing.append(f"Comments, decisions and styles that are lost: {lost:,}.")
    if not missing or rescued.state is RescueState.LOST:
        return rescued
    return replace(rescued, state=RescueState.PART, missing=tuple(missing))


# -- rows

_EDIT = ("seq", "at_ms", "start", "removed", "inserted", "author", "kind")
_ANSWER = ("seq", "at_ms", "answer_line", "page", "author")
_GAME = (
    "seq", "at_ms", "guesser", "engine", "words", "first_correct", "stable_correct", "buzz_heard",
    "buzz_page", "top",
)  # fmt: skip
_EVENT = ("id", "at_ms", "author", "kind", "body", "seq", "after", "key", "signature")
_ADDED: dict[str, Value] = {"author": "", "kind": "", "seq": 0, "key": "", "signature": ""}
"""The values of columns that rows of older databases lack."""


def _values(row: Row, columns: Sequence[str]) -> list[Value]:
    return [row.get(column, _ADDED.get(column)) for column in columns]


def _decoded(
    rows: Iterable[Row], columns: Sequence[str], decode: Callable[[Sequence[object]], T]
) -> tuple[list[T], int]:
    """The rows that can be decoded, and how many cannot."""
    found, lost = list[T](), 0
    for row in rows:
        try:
            found.append(decode(_values(row, columns)))
        except DecodingError:
            lost += 1
    return found, lost


def _whole_game(row: Sequence[object]) -> Game:
    game = decode_game(row)
    decode_guesses(game[-1])
    return game


def _possible_game(row: Sequence[object]) -> tuple[Game, object]:
    return _whole_game(row[:-1]), row[-1]


def _carry(db: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    """Put ``rows`` into ``table`` as they are; a row that the table does not take is left out."""
    for row in rows:
        if any(isinstance(value, bytes) for value in row.values()):
            continue
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        with suppress(sqlite3.IntegrityError, sqlite3.InterfaceError, OverflowError):
            db.execute(f"insert or ignore into {table} ({names}) values ({marks})", [*row.values()])


def _number(value: Value) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 53 else 0


def _moment(value: Value, otherwise: int) -> int:
    return value if isinstance(value, int) and 0 <= value <= LATEST_MS else otherwise


def _present_answer(row: Row) -> Answer | None:
    line, page = row.get("answer_line"), row.get("page")
    if not isinstance(line, str):
        return None
    return answer_of_columns(line, Page(page) if isinstance(page, str) else None)


def _title(branch: Branch) -> str:
    line, _ = answer_columns(branch.answer)
    return line or f"“{' '.join(branch.text.split()[:6])} …”"
