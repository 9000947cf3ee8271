"""SQLite, and only here: every edit and every event of every tossup, and what the writer was shown."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from quizwriter.decoding import decode_json
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, edit_ids, replay
from quizwriter.domain.review import Event, Person, Review, Superseded, fold_events
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store import merging, summaries
from quizwriter.store.merging import MergeOutcome as MergeOutcome
from quizwriter.store.merging import MergeReport as MergeReport
from quizwriter.workflow.branches import Branch, Game
from quizwriter.workflow.session import AnswerChange, PendingSave, RecordedPlay

if TYPE_CHECKING:
    from quizwriter.workflow.queue import QueueFacets, QueueFilter, QueueRow, QueueSort

MIGRATIONS = ("0001_tossups", "0002_review", "0003_undo", "0004_outcomes")
"""The names of all migrations in :mod:`quizwriter.store.schema`, so that opening need not load it."""

BUSY_MS = 250

OPENING = 60
"""Characters of a tossup that a list shows."""


@dataclass(frozen=True, slots=True)
class TossupSummary:
    """A tossup as a list shows it."""

    tossup_id: str
    answer_line: str
    opening: str  # its first characters
    words: int
    changed_ms: int  # when its text or its answer was changed last


@dataclass(frozen=True, slots=True)
class StoredTossup:
    """A tossup as it was saved: ``seq`` numbers its last edit, whose id is ``head``; ``cursor`` is in code
    points.
    """

    tossup_id: str
    tossup: Tossup
    seq: int
    cursor: int
    head: str = ""
    locked: bool = False  # takes no edits


class Store:
    """The database of one writer. Any thread may use it; calls take turns."""

    def __init__(self, path: Path) -> None:
        """Open the database at ``path``, making or updating it as needed.

        Raises:
            QuizwriterError: it cannot be read, is no database, or a newer program wrote it.
        """
        self.path = path
        self._lock = threading.Lock()
        with self._explained("opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=BUSY_MS / 1000, check_same_thread=False, isolation_level=None
            )
            try:
                self._db.execute("select count(*) from sqlite_master")  # makes the file
                self._file = path.stat()
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        applied = self._applied()
        if newer := sorted(applied - set(MIGRATIONS)):
            raise QuizwriterError(
                f"The database {self.path} was written by a newer QuizWriter (it has {newer[0]}).",
                "Install that version or a later one; nothing in the file was touched.",
            )
        if not applied and self._db.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise QuizwriterError(
                f"The database {self.path} belongs to another program.",
                "Move it away, or choose another folder with QUIZWRITER_HOME; nothing in it was touched.",
            )
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = normal")
        self._db.execute("pragma foreign_keys = on")
        if applied != set(MIGRATIONS):
            from quizwriter.store.schema import migrate

            with self._transaction() as db:  # or two programs opening a new one would both make its tables
                migrate(db)

    def _applied(self) -> set[str]:
        """Our migrations that the database has; another program's may stand in the same table."""
        columns = {name for _, name, *_ in self._db.execute("pragma table_info(_sqlite_migrations)")}
        if not columns >= {"migration_set", "name"}:
            return set()
        ours = "select name from _sqlite_migrations where migration_set = 'quizwriter'"
        return {name for (name,) in self._db.execute(ours)}

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    def save(self, saving: PendingSave) -> None:
        """Put ``saving`` on disk, whole or not at all.

        Raises:
            QuizwriterError: the disk is full, the file locked, ..., the tossup takes no edits, or was
                changed elsewhere; nothing of it was saved.
        """
        with self._transaction() as db:
            _write(db, saving)

    def add(self, savings: Iterable[PendingSave]) -> tuple[str, ...]:
        """Put on disk the tossups that are not there yet, all or none; their ids. The others stay.

        Raises:
            QuizwriterError: as for :meth:`save`.
        """
        with self._transaction() as db:
            known = {tossup_id for (tossup_id,) in db.execute("select id from tossup")}
            added = []
            for saving in savings:
                if saving.tossup_id not in known:
                    _write(db, saving)
                    added.append(saving.tossup_id)
            return tuple(added)

    def tossups(self) -> tuple[TossupSummary, ...]:
        """Every tossup but those superseded, the one changed last first."""
        with self._reading() as db:
            rows = db.execute(
                """
                select id, answer_line, substr(cast(text as blob), 1, ?), tossup.words, listed.changed_ms
                from tossup join listed on listed.tossup = tossup.id
                where not listed.superseded order by listed.changed_ms desc, id
                """,
                [4 * OPENING],  # bytes, because substr ends a text at a NUL
            ).fetchall()
        return tuple(
            TossupSummary(key, line, (opening or b"").decode("utf-8", "ignore")[:OPENING], words, changed_ms)
            for key, line, opening, words, changed_ms in rows
        )

    def release_states(self) -> tuple[summaries.ReleaseState, ...]:
        """Where every tossup stands, those superseded too, by id."""
        with self._reading() as db:
            return summaries.release_states(db)

    def last(self) -> str | None:
        """The id of the tossup saved last, if only because it was opened; None while there is none."""
        with self._reading() as db:
            row = db.execute(
                """
                select id from tossup join listed on listed.tossup = tossup.id where not superseded
                order by tossup.changed_ms desc, id limit 1
                """
            ).fetchone()
        return None if row is None else row[0]

    def load(self, tossup_id: str) -> StoredTossup:
        """The tossup as it was saved.

        Raises:
            QuizwriterError: there is none with this id.
        """
        with self._reading() as db:
            row = db.execute(
                """
                select text, answer_line, page, tossup.seq, cursor, head, locked
                from tossup join listed on listed.tossup = tossup.id where id = ?
                """,
                [tossup_id],
            ).fetchone()
        if row is None:
            raise _absent()
        text, line, page, seq, cursor, head, locked = row
        return StoredTossup(
            tossup_id, Tossup(text, _answer(line, page)), seq, cursor, head, locked=bool(locked)
        )

    def history(self, tossup_id: str) -> tuple[Change, ...]:
        """Every edit of the tossup, in order."""
        with self._reading() as db:
            return summaries.history(db, tossup_id)

    def shown(self, tossup_id: str) -> tuple[RecordedPlay, ...]:
        """All that players showed of the tossup, in the order of the edits it was shown of."""
        return tuple(
            RecordedPlay(
                seq,
                at_ms,
                guesser,
                engine,
                _StoredGuesses(top),
                first,
                stable,
                buzz,
                None if page is None else Page(page),
                words,
            )
            for seq, at_ms, guesser, engine, words, first, stable, buzz, page, top in self.games(tossup_id)
        )

    def games(self, tossup_id: str) -> list[Game]:
        """The rows behind :meth:`shown`, in the same order, their guesses still JSON."""
        with self._reading() as db:
            return db.execute(
                """
                select seq, at_ms, guesser, engine, words, first_correct, stable_correct, buzz_heard,
                       buzz_page, top
                from shown where tossup = ? order by seq, at_ms, id
                """,
                [tossup_id],
            ).fetchall()

    def answers(self, tossup_id: str) -> tuple[AnswerChange, ...]:
        """Every answer the tossup was given, in order."""
        with self._reading() as db:
            rows = db.execute(
                """
                select seq, at_ms, answer_line, page, author from asked where tossup = ? order by seq, at_ms
                """,
                [tossup_id],
            ).fetchall()
        return tuple(
            AnswerChange(seq, at_ms, _answer(line, page), author) for seq, at_ms, line, page, author in rows
        )

    def add_events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Put ``events`` on disk, all or none; those that are new, as they were kept.

        Those without ``after`` happen now: after the last edit, and later than all other events of the
        tossup, whatever the clock says. Those that are there already stay as they are.

        Raises:
            QuizwriterError: as for :meth:`save`, or a tossup is not there.
        """
        with self._transaction() as db:
            return tuple(_record(db, events))

    def events(self, tossup_id: str) -> tuple[Event, ...]:
        """Every event of the tossup, in order; not those of its other branches."""
        with self._reading() as db:
            return summaries.events(db, tossup_id)

    def save_person(self, person: Person) -> None:
        """Keep what ``person`` is called, unless something newer is known.

        Raises:
            QuizwriterError: as for :meth:`save`.
        """
        with self._transaction() as db:
            merging.save_person(db, person)

    def people(self) -> dict[str, Person]:
        """Everybody who is known, by id."""
        with self._reading() as db:
            rows = db.execute("select id, name, email, changed_ms from person order by id").fetchall()
        return {row[0]: Person(*row) for row in rows}

    def branches(self, tossup_ids: Iterable[str]) -> Iterator[Branch]:
        """All that is known of each of the tossups, one after the other, as it is then.

        Raises:
            QuizwriterError: one is not there, or its history is damaged.
        """
        for tossup_id in tossup_ids:
            with self._reading() as db, _one_moment(db):
                if db.execute("select 1 from tossup where id = ?", [tossup_id]).fetchone() is None:
                    raise _absent()
                branch = merging.branch(db, tossup_id)
            yield branch

    def merge(self, branches: Iterable[Branch], people: Iterable[Person] = ()) -> MergeReport:
        """Put ``branches`` of tossups, from wherever, beside what is here; all or none.

        What is here stays, and what is here already is not put again, so neither the order nor how often
        something is merged matters. A history that goes on from one that is here replaces it; one that parts
        from it becomes a branch beside it.

        Raises:
            QuizwriterError: as for :meth:`save`, or ``branches`` raises it.
        """
        with self._transaction() as db:
            for person in people:
                merging.save_person(db, person)
            return merging.merge(db, branches)

    def expand_branches(self, tossup_ids: Iterable[str] | None = None) -> tuple[str, ...]:
        """The ids of tossups, or all, and of all their branches, those superseded too.

        Raises:
            QuizwriterError: one is not there.
        """
        found: dict[str, None] = {}
        with self._reading() as db:
            if tossup_ids is None:
                return tuple(key for (key,) in db.execute("select id from tossup order by id"))
            for tossup_id in tossup_ids:
                rows = db.execute(
                    """
                    select id from tossup where root = (select root from tossup where id = ?) order by id
                    """,
                    [tossup_id],
                ).fetchall()
                if not rows:
                    raise _absent()
                found.update(dict.fromkeys(key for (key,) in rows))
        return tuple(found)

    def sibling_branches(self, tossup_id: str) -> tuple[str, ...]:
        """The ids of the tossup's other branches that are not superseded."""
        with self._reading() as db:
            rows = db.execute(
                """
                select id from tossup join listed on listed.tossup = tossup.id
                where root = (select root from tossup where id = ?1) and id != ?1 and not superseded
                order by id
                """,
                [tossup_id],
            ).fetchall()
        return tuple(key for (key,) in rows)

    def diverged(self) -> tuple[tuple[str, ...], ...]:
        """Of each tossup with several branches that are not superseded, their ids, its own first."""
        with self._reading() as db:
            rows = db.execute(
                """
                select root, id from tossup join listed on listed.tossup = tossup.id
                where not superseded and root in (select root from tossup where id != root)
                order by root, id != root, id
                """
            ).fetchall()
        families: dict[str, list[str]] = {}
        for root, key in rows:
            families.setdefault(root, []).append(key)
        return tuple(tuple(keys) for keys in families.values() if len(keys) > 1)

    def adopt(self, tossup_id: str, author: str, at_ms: int) -> tuple[Event, ...]:
        """Have the tossup's other branches superseded by this one; the events that say so.

        Nothing of them is lost: taking the events back, or an edit of theirs, brings them back.

        Raises:
            QuizwriterError: as for :meth:`record`.
        """
        others = self.sibling_branches(tossup_id)
        with self._reading() as db:
            row = db.execute("select head from tossup where id = ?", [tossup_id]).fetchone()
        if row is None:
            raise _absent()
        return self.add_events(Event.new(other, at_ms, author, Superseded(row[0])) for other in others)

    def queue(self, wanted: QueueFilter, sort: QueueSort) -> tuple[str, ...]:
        """The ids of the tossups that fit ``wanted``, in the order ``sort``; not those superseded.

        Raises:
            ValueError: there is no such column.
        """
        from quizwriter.store import queries  # here, as nobody starts with it

        with self._reading() as db:
            return queries.ids(db, wanted, sort)

    def queue_rows(self, keys: Sequence[str]) -> tuple[QueueRow, ...]:
        """Those of the tossups ``keys`` that are there, in that order."""
        from quizwriter.store import queries  # here, as nobody starts with it

        with self._reading() as db:
            return queries.rows(db, keys)

    def facets(self) -> QueueFacets:
        """What the queue can be filtered by."""
        from quizwriter.store import queries  # here, as nobody starts with it

        with self._reading() as db:
            return queries.facets(db)

    def sets(self) -> tuple[str, ...]:
        """The names of all sets; the empty one is of tossups in none."""
        from quizwriter.store import queries  # here, as nobody starts with it

        with self._reading() as db:
            return queries.sets(db)

    def players(self) -> tuple[str, ...]:
        """Everybody who has played any tossup."""
        from quizwriter.store import queries  # here, as nobody starts with it

        with self._reading() as db:
            return queries.players(db)

    def tagged(self, keys: Sequence[str]) -> dict[str, Review]:
        """What people found in each of the tossups ``keys``; of all else that was said there is nothing."""
        with self._reading() as db:
            found = summaries.tags(db, keys)
        return {key: fold_events(found.get(key, ())) for key in keys}

    def in_set(self, name: str) -> tuple[tuple[str, str, str], ...]:
        """Id, answer line and text of every tossup of a set; the empty name is of those in none."""
        with self._reading() as db:
            return tuple(
                db.execute(
                    """
                    select id, answer_line, text from tossup join listed on listed.tossup = tossup.id
                    where set_name = ? and not superseded order by id
                    """,
                    [name],
                )
            )

    def items(self, kind: str) -> dict[str, str]:
        """What people keep of a ``kind`` beside the tossups, by name: saved filters, categories of sets."""
        with self._reading() as db:
            return dict(db.execute("select name, body from kept where kind = ? order by name", [kind]))

    def put_item(self, kind: str, name: str, body: str | None) -> None:
        """Keep ``body`` under ``name``, in place of what was there; None forgets it.

        Raises:
            QuizwriterError: as for :meth:`save`.
        """
        with self._transaction() as db:
            if body is None:
                db.execute("delete from kept where kind = ? and name = ?", [kind, name])
            else:
                db.execute(
                    "insert or replace into kept (kind, name, body) values (?, ?, ?)", [kind, name, body]
                )

    def check(self) -> tuple[str, ...]:
        """What is wrong with the database, in sentences; empty if it is sound.

        Sound means: SQLite finds no damage, and every history replays to its tossup's text and back, and
        is numbered as it should be.
        """
        histories = {}
        with self._reading() as db, _one_moment(db):
            damage = [str(line) for (line,) in db.execute("pragma integrity_check") if line != "ok"]
            damage += [
                f"A row of {table} points nowhere." for table, *_ in db.execute("pragma foreign_key_check")
            ]
            rows = db.execute("select id, text, root, head from tossup").fetchall()
            for tossup_id, *_ in rows:
                histories[tossup_id] = summaries.history(db, tossup_id)
        for tossup_id, text, root, head in rows:
            changes = histories[tossup_id]
            try:
                complete = [change.seq for change in changes] == list(range(1, len(changes) + 1))
                complete = complete and head == (edit_ids(root, changes) or [root])[-1]
                there = replay(change.edit for change in changes)
                back = replay((change.edit.undone() for change in reversed(changes)), text)
            except ValueError as trouble:
                damage.append(f"The history of tossup {tossup_id} does not replay: {trouble}.")
                continue
            if not complete or there != text or back:
                damage.append(f"The history of tossup {tossup_id} does not lead to its text.")
        return tuple(damage)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explained("written"):
            self._see_that_it_is_there()
            self._db.execute("begin immediate")
            try:
                yield self._db
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    def _see_that_it_is_there(self) -> None:
        """Or all would be written to a file that nobody will find again."""
        try:
            there = os.path.samestat(self.path.stat(), self._file)
        except FileNotFoundError:
            there = False
        if not there:
            raise QuizwriterError(
                f"The database {self.path} was moved or deleted while it was open.",
                "Put it back, or copy the draft and start QuizWriter again.",
            )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explained("read"):
            yield self._db

    @contextmanager
    def _explained(self, done: str) -> Iterator[None]:
        """The world's troubles as :class:`QuizwriterError`; a broken statement stays our bug."""
        try:
            yield
        except OSError as trouble:
            raise QuizwriterError(
                f"The folder of the database {self.path} cannot be used ({trouble.strerror}).",
                "Allow writing there, or choose another folder with QUIZWRITER_HOME.",
            ) from trouble
        except sqlite3.Error as trouble:
            code = getattr(trouble, "sqlite_errorcode", None)
            remedy = _REMEDIES.get(code & 0xFF) if code is not None else None
            if remedy is None:
                raise
            raise QuizwriterError(
                f"The database {self.path} could not be {done} ({trouble}).", remedy
            ) from trouble


def _write(db: sqlite3.Connection, saving: PendingSave) -> None:
    key, changes = saving.tossup_id, saving.changes
    before = db.execute(
        """
        select answer_line, page, text, root, tossup.seq, head, locked, superseded, listed.changed_ms
        from tossup join listed on listed.tossup = tossup.id where id = ?
        """,
        [key],
    ).fetchone()
    *asked, text, root, seq, head, locked, superseded, changed_ms = before or (
        "", None, "", key, 0, key, 0, 0, 0,
    )  # fmt: skip
    if before is not None and saving.after not in ("", head):
        _write_aside(db, saving, root)
        return
    answer = saving.answer
    if before is not None and not saving.answered:
        answer = _answer(*asked)
    line, page = (answer.line, answer.page) if answer else ("", None)
    answered = [line, page] != asked
    if locked and (changes or answered):
        raise _locked()
    if changes and changes[0].seq != seq + 1:
        raise _elsewhere()
    text = saving.text if changes or before is None else text
    games = [_game(shown) for shown in saving.shown]
    rows = []
    for change in changes:
        seq, head = change.seq, change.id_after(head)
        edit = change.edit
        rows.append(
            (
                key,
                seq,
                change.at_ms,
                edit.start,
                edit.removed,
                edit.inserted,
                change.author,
                head,
                change.kind,
            )
        )
    tossup = Tossup(text, answer)
    db.execute(
        """
        insert into tossup (id, answer_line, page, text, words, cursor, created_ms, changed_ms,
                            root, seq, head)
        values (?1, ?2, ?3, ?4, ?5, ?6, ?7,  -- whatever the clock says, what is saved last is last
                max(?7, (select coalesce(max(changed_ms), 0) + 1 from tossup)), ?8, ?9, ?10)
        on conflict (id) do update set answer_line = ?2, page = ?3, text = ?4, words = ?5,
                                       cursor = ?6, changed_ms = excluded.changed_ms, seq = ?9, head = ?10
        """,
        [key, line, page, text, len(tossup.words), saving.cursor, saving.at_ms, root, seq, head],
    )
    asked_ms = 0
    if answered:
        (asked_ms,) = db.execute(  # the order is by the time, also when the clock was put back
            """
            insert into asked (tossup, seq, at_ms, answer_line, page, author)
            values (?1, ?2, max(?3, (select coalesce(max(at_ms), -1) + 1 from asked where tossup = ?1)),
                    ?4, ?5, ?6)
            returning at_ms
            """,
            [key, seq, saving.at_ms, line, page, saving.author],
        ).fetchone()
    db.executemany(
        """
        insert into edit (tossup, seq, at_ms, start, removed, inserted, author, id, kind)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
    )
    db.executemany(
        """
        insert into shown (tossup, seq, at_ms, guesser, engine, words,
                           first_correct, stable_correct, buzz_heard, buzz_page, top)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [(key, *game) for game in games],
    )
    if before is None or changes or answered:
        edited_ms = max((change.at_ms for change in changes), default=0)
        known_ms = saving.at_ms if before is None else changed_ms
        summaries.list_text(db, key, tossup, max(known_ms, edited_ms, asked_ms))
    if changes and (superseded or changes[0].seq == 1):  # whoever types first is the author, see list_review
        summaries.list_review(db, key)
    summaries.put_knowledge(db, saving.shown)
    if saving.shown:
        summaries.list_games(db, key, answer, games)
    elif answered:
        summaries.list_outcomes(db, key, answer)


def _write_aside(db: sqlite3.Connection, saving: PendingSave, root: str) -> None:
    """Put ``saving`` where its history is, which has got another id or parted from what is under its own."""
    family = [key for (key,) in db.execute("select id from tossup where root = ? order by id", [root])]
    heads = dict(db.execute("select head, id from tossup where root = ?", [root]))
    if saving.after in heads:
        _write(db, replace(saving, tossup_id=heads[saving.after]))
        return
    for key in sorted(family, key=lambda key: key != saving.tossup_id):
        whole = merging.branch(db, key)
        seq = (
            0
            if saving.after == root
            else next((at for at, known in enumerate(whole.ids, start=1) if known == saving.after), -1)
        )
        if seq >= 0:
            break
    else:
        raise _elsewhere()
    so_far = whole.until(seq)
    asked = list(so_far.asked)
    if saving.answered and saving.answer != so_far.answer:
        at = saving.changes[-1].seq if saving.changes else seq
        asked.append(AnswerChange(at, saving.at_ms, saving.answer, saving.author))
    if (saving.changes or len(asked) > len(so_far.asked)) and fold_events(so_far.events).locked:
        raise _locked()
    games = [*so_far.games, *map(_game, saving.shown)]
    summaries.put_knowledge(db, saving.shown)
    try:
        branch = Branch.of(
            root, so_far.created_ms, [*so_far.changes, *saving.changes], asked, games, so_far.events
        )
    except ValueError:
        raise _elsewhere() from None
    merging.merge(db, [branch])


def _game(shown: RecordedPlay) -> Game:
    return (
        shown.seq, shown.at_ms, shown.guesser, shown.engine, shown.words, shown.first_correct,
        shown.stable_correct, shown.buzz_heard, shown.buzz_page,
        json.dumps([[guess.page, guess.score] for guess in shown.top], ensure_ascii=False),
    )  # fmt: skip


def _locked() -> QuizwriterError:
    return QuizwriterError(
        "This tossup is accepted, so it takes no edits.", "Unlock it, or copy the draft into a new one."
    )


def _elsewhere() -> QuizwriterError:
    return QuizwriterError(
        "This tossup was changed elsewhere since it was opened.",
        "Copy the draft, open the tossup again and put in what is missing.",
    )


def _record(db: sqlite3.Connection, events: Iterable[Event]) -> Iterator[Event]:
    touched: dict[str, None] = {}
    for event in events:
        row = db.execute("select root, seq, head from tossup where id = ?", [event.tossup_id]).fetchone()
        if row is None:
            raise _absent()
        root, seq, head = row
        latest, there = db.execute(
            "select coalesce(max(at_ms), -1), coalesce(max(id = ?), 0) from event where root = ?",
            [event.id, root],
        ).fetchone()
        if there:
            continue
        kept = event
        if not event.after:
            kept = replace(event, at_ms=max(event.at_ms, latest + 1), seq=seq, after=head)
        merging.put_event(db, replace(kept, tossup_id=root))
        branches = db.execute("select id from tossup where root = ?", [root])
        touched.update(dict.fromkeys(key for (key,) in branches))
        yield kept
    for tossup_id in touched:
        summaries.list_review(db, tossup_id)


def _answer(line: str, page: str | None) -> Answer | None:
    return Answer(line, None if page is None else Page(page)) if line else None


class _StoredGuesses(Sequence[Guess]):
    """Guesses as they are kept, read when somebody looks at them: of a long history, a few in thousands."""

    __slots__ = ("_kept",)

    def __init__(self, kept: str) -> None:
        self._kept: str | tuple[Guess, ...] = kept

    @property
    def _read(self) -> tuple[Guess, ...]:
        if isinstance(self._kept, str):
            self._kept = tuple(Guess(*one) for one in decode_json(self._kept, list[tuple[Page, float]]))
        return self._kept

    def __len__(self) -> int:
        return len(self._read)

    @overload
    def __getitem__(self, at: int) -> Guess: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Guess, ...]: ...
    def __getitem__(self, at: int | slice) -> Guess | tuple[Guess, ...]:
        return self._read[at]

    def __eq__(self, other: object) -> bool:
        return self._read == (other._read if isinstance(other, _StoredGuesses) else other)

    def __hash__(self) -> int:
        return hash(self._read)

    def __repr__(self) -> str:
        return repr(self._read)


def _absent() -> QuizwriterError:
    return QuizwriterError("That tossup is not in the database.", "Pick another from the list.")


@contextmanager
def _one_moment(db: sqlite3.Connection) -> Iterator[None]:
    """All reading inside sees the database as it is now, whoever writes meanwhile."""
    db.execute("begin")
    try:
        yield
    finally:
        db.execute("rollback")


_REMEDIES = {
    sqlite3.SQLITE_FULL: "Make room on the disk.",
    sqlite3.SQLITE_IOERR: "Check the disk, and that the folder is still there.",
    sqlite3.SQLITE_BUSY: "Another program is using it; close that one.",
    sqlite3.SQLITE_LOCKED: "Another program is using it; close that one.",
    sqlite3.SQLITE_READONLY: "Allow writing to it and its folder.",
    sqlite3.SQLITE_PERM: "Allow reading and writing it.",
    sqlite3.SQLITE_CANTOPEN: "Check that the path is a file you may read and write.",
    sqlite3.SQLITE_NOTADB: "It is no database, or was damaged: move it away, or restore a copy.",
    sqlite3.SQLITE_CORRUPT: "It was damaged: move it away, or restore a copy.",
}
"""What helps, by SQLite's primary result code; whatever is not here is a bug of ours."""
