"""The store: every edit, answer, game and event of every tossup, saved and asked for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Progress
from quizwriter.domain.events import Event, decode_body, encode_body
from quizwriter.domain.forgotten_names import ForgottenNames
from quizwriter.domain.guessing import can_know
from quizwriter.domain.review import BasedOn, Cited, Imported, Person, RoomsRecorded
from quizwriter.domain.review_state import Review, fold_events
from quizwriter.domain.signatures import Authenticity, judge
from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.domain.tossup import Tossup
from quizwriter.domain.tossup_game import Played
from quizwriter.store import merging, queries, saving, signed_rows, summaries
from quizwriter.store.database import Database
from quizwriter.store.integrity import find_damage
from quizwriter.store.merging import MergeReport
from quizwriter.store.model_answers import ModelAnswers
from quizwriter.store.refusals import DamagedDatabaseError, tossup_is_absent
from quizwriter.store.rows import decode_tossup, decoded, play_of_game
from quizwriter.store.signed_rows import ArrivedSignatures
from quizwriter.system.atomic import temporary_file
from quizwriter.system.signing import SigningKey
from quizwriter.workflow.branches import Branch
from quizwriter.workflow.forgetting import clean_branches
from quizwriter.workflow.session import PendingSave, RecordedPlay

if TYPE_CHECKING:
    from quizwriter.cancellation import Cancellation
    from quizwriter.store.backups import Backups
    from quizwriter.store.erasing import ErasureReport
    from quizwriter.store.plays import PlaySummary


class StoredTossup(msgspec.Struct, frozen=True):
    """A saved tossup: ``seq`` numbers its last edit, whose id is ``head``; ``cursor`` is in code points."""

    tossup_id: str
    tossup: Tossup
    seq: int
    cursor: int
    head: str = ""
    locked: bool = False  # takes no edits
    styles: TextStyles = PLAIN  # of the text
    answer_styles: TextStyles = PLAIN  # of the answer line


_OF_FILES = (BasedOn, Cited, Imported, Played, RoomsRecorded)


def _without_names_of_files(event: Event, forgotten: ForgottenNames) -> Event:
    """``event`` without forgotten names where it repeats what a file says; what is typed here stays."""
    if not isinstance(event.body, _OF_FILES):
        return event
    kind, values = encode_body(event.body)
    said = json.dumps(forgotten.without_names(values), ensure_ascii=False)
    return replace(event, body=decode_body(kind, said))


P = ParamSpec("P")
T = TypeVar("T")


def _reads(query: Callable[Concatenate[sqlite3.Connection, P], T]) -> Callable[Concatenate[Store, P], T]:
    """The method of a store, of the same name, that asks ``query`` in a block that reads."""

    @wraps(query)
    def method(self: Store, /, *arguments: P.args, **named: P.kwargs) -> T:
        with self._database.reading() as db:
            return query(db, *arguments, **named)

    return method


class Store:
    """The database of one writer. Any thread may use it; calls take turns."""

    def __init__(
        self,
        path: Path,
        signing_key: Callable[[], SigningKey | None] = lambda: None,
        owner: Callable[[], str] = lambda: "",
        forgotten: Callable[[], ForgottenNames] = ForgottenNames,
        remember: Callable[[ForgottenNames], object] = lambda names: None,
    ) -> None:
        """Open the database at ``path``, making or updating it as needed.

        ``signing_key`` gives the key of the writer, called in the thread that saves; None: nothing is signed.
        ``owner`` gives the id of the person whose bin is that of this database; empty: it has none.
        ``forgotten`` gives the people whose names nothing brings back that comes from elsewhere.
        ``remember`` keeps more of the letters that were part of their names.
        """
        self.path = path
        self._database = Database(path, owner=owner)
        self._database.after_replacement = self._take_replacement
        self.after_replacement: Callable[[Path], object] = lambda aside: None
        """Called with the backup of the former database once another one took its place; in any thread."""
        self._signing_key = signing_key
        self._forgotten, self._remember = forgotten, remember
        self._parted: dict[str, tuple[str, int]] = {}
        """By the id of an edit that a session made: its id and number here, where a backup was restored."""

    release_states = _reads(summaries.release_states)
    history = _reads(summaries.history)
    answers = _reads(summaries.answers)
    events = _reads(summaries.events)
    all_events = _reads(summaries.all_events)
    events_of_kind = _reads(summaries.events_of_kind)
    style_events = _reads(summaries.style_events)
    branch_families = _reads(summaries.branch_families)
    answers_of_set = _reads(summaries.answers_of_set)
    game_rows = _reads(summaries.game_rows)
    review_of = _reads(summaries.review_of)
    standing_of = _reads(summaries.standing_of)
    people = _reads(merging.people)
    edit_authenticity = _reads(signed_rows.edit_authenticity)
    sets = _reads(queries.sets)
    packets = _reads(queries.packets)
    packet_tossups = _reads(queries.packet_tossups)
    status_times = _reads(queries.status_times)
    branch_roots = _reads(queries.branch_roots)
    one_of_each = _reads(queries.one_of_each)
    others_of_set = _reads(queries.others_of_set)
    people_with_keys = _reads(queries.people_with_keys)
    tossups_with = _reads(queries.tossups_with)
    players = _reads(queries.players)
    count_statuses = _reads(queries.count_statuses)
    played_by_people = _reads(queries.played_by_people)
    facets = _reads(queries.facets)
    queue = _reads(queries.queue)
    queue_rows = _reads(queries.queue_rows)
    tossups = _reads(summaries.tossups)
    last = _reads(summaries.last)
    edit_times = _reads(summaries.edit_times)
    logged_tossups = _reads(summaries.logged_tossups)
    players_shown = _reads(summaries.players_shown)
    tossups_of_set = _reads(summaries.tossups_of_set)
    root_of = _reads(summaries.root_of)
    texts_with = _reads(summaries.texts_with)
    imported_texts = _reads(summaries.imported_texts)
    items = _reads(summaries.items)

    def close(self) -> None:
        self._database.close()

    def save(self, pending: PendingSave) -> str:
        """Put ``pending`` on disk, whole or not at all; the id of the tossup or branch that has it now."""
        key = self._signing_key()
        parted = self._parted.get(pending.after)
        placed = pending if parted is None else pending.placed_after(*parted)
        with self._database.transaction() as db:
            saved = saving.save(db, placed, key)
        if pending.head and saved.head != pending.head:
            self._parted[pending.head] = saved.head, saved.seq
        return saved.tossup_id

    def add(self, many: Iterable[PendingSave]) -> tuple[str, ...]:
        """Put on disk the tossups that are not there yet, all or none; returns their ids."""
        key = self._signing_key()
        with self._database.transaction() as db:
            known = {tossup_id for (tossup_id,) in db.execute("select id from tossup")}
            added = []
            for pending in many:
                if pending.tossup_id not in known:
                    saving.save(db, pending, key)
                    added.append(pending.tossup_id)
            return tuple(added)

    def erase(self, tossup_ids: Iterable[str]) -> tuple[str, ...]:
        """Remove those of the tossups that are in the bin, after a backup of the database; those removed."""
        from quizwriter.store.backups import BackupReason

        self.backups.make(BackupReason.EMPTIED)
        with self._database.transaction() as db:
            return saving.erase(db, tossup_ids)

    def load(self, tossup_id: str) -> StoredTossup:
        with self._database.reading() as db:
            row = db.execute(
                """
                select text, answer_line, page, tossup.seq, cursor, head, locked
                from tossup join listed on listed.tossup = tossup.id where id = ?
                """,
                [tossup_id],
            ).fetchone()
            if row is None:
                raise tossup_is_absent()
            (found,) = decoded(tossup_id, [row], decode_tossup)
            tossup, seq, cursor, head, locked = found
            styles = summaries.styles(db, tossup_id, tossup.answer)
        return StoredTossup(tossup_id, tossup, seq, cursor, head, locked, *styles)

    def recorded_plays(self, tossup_id: str) -> tuple[RecordedPlay, ...]:
        """The games that players showed of the tossup, in the order of the edits before them.

        Each play says whether the player can know the answer that the tossup had at that edit.
        """
        answers, at = self.answers(tossup_id), 0
        keys = {one.answer.key for one in answers if one.answer is not None}
        with self._database.reading() as db:
            said = summaries.knowledge(db, keys)
            root = db.execute("select root from tossup where id = ?", [tossup_id]).fetchone()
            possible = merging.possible_of_games(db, *root) if root is not None else {}
        found = []
        for game in self.game_rows(tossup_id):
            seq, at_ms, player, engine, _, first_correct, *_ = game
            while at + 1 < len(answers) and (
                answers[at + 1].seq < seq or (answers[at + 1].seq == seq and answers[at + 1].at_ms <= at_ms)
            ):
                at += 1
            answer = answers[at].answer if answers else None
            key = answer.key if answer else ""
            knows = said.get((key, player, engine))
            knowable = can_know(answer, knows, first_correct)
            play = play_of_game(game, answer_key=key, knows_answer=knows, knowable=knowable)
            found.append(replace(play, possible=possible.get(game)))
        return tuple(found)

    def add_events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Put ``events`` on disk, all or none; the new ones, as they were stored.

        An event without ``after`` happens now: after the last edit, and later than all other events of the
        tossup, whatever the clock says. Events that are there already stay as they are.
        """
        key, forgotten = self._signing_key(), self._forgotten()
        if forgotten:
            events = [_without_names_of_files(event, forgotten) for event in events]
        with self._database.transaction() as db:
            return tuple(saving.add_events(db, events, key))

    def foreign_version(self) -> int:
        return self._database.foreign_version()

    def save_person(self, *people: Person) -> None:
        """Save the name and address of each of ``people``, unless newer ones are known."""
        key, forgotten = self._signing_key(), self._forgotten()
        with self._database.transaction() as db:
            for person in people:
                merging.save_person(db, signed_rows.sign_person(forgotten.without_name(person), key))

    def use_key(self, key: SigningKey, me: Person, *, imported: bool = False) -> Authenticity:
        """Keep that ``key`` is that of the writer ``me``, and sign the writer's name if it is not signed.

        The result says whether it is the first key that this database knows of the writer. An ``imported``
        key is made the first: the writer has proved by a passphrase whose it is.
        """
        with self._database.transaction() as db:
            signed_rows.learn_key(db, key, first=imported)
            known = merging.people(db).get(me.id, me)
            if known.name and (known.signature is None or known.signature.key != key.public):
                merging.save_person(db, signed_rows.sign_person(known, key))
            return judge(key.public, signed_rows.first_key(db, key.person))

    def branches(
        self, tossup_ids: Iterable[str], damaged: list[DamagedDatabaseError] | None = None
    ) -> Iterator[Branch]:
        """Each of the tossups with its whole history, read one after the other.

        With the list ``damaged``, a damaged tossup is left out, and the list gets what is wrong with it.
        """
        for tossup_id in tossup_ids:
            try:
                with self._database.snapshot() as db:
                    if db.execute("select 1 from tossup where id = ?", [tossup_id]).fetchone() is None:
                        raise tossup_is_absent()
                    branch = merging.read_branch(db, tossup_id)
                    runs = signed_rows.branch_runs(db, branch)
            except DamagedDatabaseError as damage:
                if damaged is None:
                    raise
                damaged.append(damage)
                continue
            yield replace(branch, runs=runs)

    def merge(
        self,
        branches: Iterable[Branch],
        people: Iterable[Person] = (),
        *,
        step: Callable[[], object] = lambda: None,
        cancellation: Cancellation | None = None,
    ) -> MergeReport:
        """Merge ``branches`` from other machines, all or none; those of one tossup follow each other.

        Nothing here is lost, and nothing is added twice: neither the order of merges nor their number
        matters. A history that continues one of this database replaces it; a history that diverges becomes a
        branch beside it. All of it is worked out while others can write; what is known already takes no lock.
        ``step`` is called before each tossup is written.
        """
        arrived, forgotten = ArrivedSignatures(), self._forgotten()
        known = [forgotten.without_name(person) for person in arrived.checked_people(people)]
        masked: dict[str, tuple[int, ...]] = {}
        completed: list[str] = []  # tossups with the beginning of a name that goes on in what arrives
        with temporary_file() as spool:
            plan = merging.MergePlan(spool)
            with self._database.long_snapshot() as db:
                for root, some in groupby(arrived.checked(db, branches), key=attrgetter("root")):
                    whole = list(some)
                    if forgotten:
                        cleaned = clean_branches(whole, forgotten)
                        whole = list(cleaned.branches)
                        arrived.keep_runs(root, whole)
                        masked |= {forgotten.digest(key): at for key, at in cleaned.masked.items()}
                        if merging.has_edits(db, root, cleaned.masked):
                            completed.append(root)
                    plan.add(db, whole)
                news = any(merging.is_better_name(db, person) for person in known)
                if plan.empty and not news and not arrived.is_news(db):
                    return replace(plan.report(), signatures=arrived.report(db))
            key = self._signing_key()  # which may be made, and is then written
            if not masked.items() <= forgotten.masked.items():
                forgotten = replace(forgotten, masked={**forgotten.masked, **masked})
                self._remember(forgotten)
            with self._database.transaction(cancellation) as db:
                if completed:
                    from quizwriter.store.erasing import erase_beginnings

                    erase_beginnings(db, completed, forgotten, key)
                merged = plan.write(db, step)
                arrived.write_keys(db)
                for person in known:
                    merging.save_person(db, person)
                merged.signatures = arrived.write(db, key)
                return merged

    def expand_branches(self, tossup_ids: Iterable[str] | None = None) -> tuple[str, ...]:
        """The ids of the given tossups, or of all, and of all their branches, also superseded ones."""
        found: dict[str, None] = {}
        with self._database.reading() as db:
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
                    raise tossup_is_absent()
                found.update(dict.fromkeys(key for (key,) in rows))
        return tuple(found)

    def sibling_branches(self, tossup_id: str) -> tuple[str, ...]:
        """The ids of the tossup's other branches that are not superseded."""
        with self._database.reading() as db:
            rows = db.execute(
                """
                select id from tossup join listed on listed.tossup = tossup.id
                where root = (select root from tossup where id = ?1) and id != ?1 and not superseded
                order by id
                """,
                [tossup_id],
            ).fetchall()
        return tuple(key for (key,) in rows)

    def save_with_events(
        self,
        heads: Mapping[str, str],
        pending: PendingSave | None,
        events: Iterable[Event],
        remarks: Iterable[tuple[Event, bool]] = (),
    ) -> tuple[Event, ...]:
        """Put edits and events on disk together, all or none; the events, as they were stored.

        ``heads`` says for each tossup the last edit that somebody looked at. ``remarks`` are events, each
        with whether it is recorded as resolved, too.
        """
        key = self._signing_key()
        with self._database.transaction() as db:
            return saving.save_with_events(db, heads, pending, events, remarks, key)

    def put_plays(self, tossup_id: str, tossup: Tossup, plays: Sequence[PlaySummary]) -> bool:
        """Keep games of ``tossup`` as the players' last ones; False where the text or answer is another now.

        Lists show these games. They are no part of the history: no writer saw them while writing.
        """
        with self._database.reading() as db:
            if summaries.are_listed(db, tossup_id, plays):
                return True
        with self._database.transaction() as db:
            return summaries.list_plays(db, tossup_id, tossup, plays)

    def tag_reviews(self, keys: Sequence[str]) -> dict[str, Review]:
        """The reviews of the tossups ``keys``, by id, with the phenomena people tagged and nothing else."""
        with self._database.reading() as db:
            found = summaries.tag_events(db, keys)
        return {key: fold_events(found.get(key, ())) for key in keys}

    @property
    def forgotten(self) -> ForgottenNames:
        """Whose names nothing brings back that comes from elsewhere."""
        return self._forgotten()

    def put_item(self, kind: str, name: str, body: str | None) -> None:
        """Save ``body`` under ``name`` in place of the former body; None deletes the item."""
        with self._database.transaction() as db:
            if body is None:
                db.execute("delete from kept where kind = ? and name = ?", [kind, name])
            else:
                db.execute(
                    "insert or replace into kept (kind, name, body) values (?, ?, ?)", [kind, name, body]
                )

    def serve_window(self, after_commit: Callable[[], object]) -> None:
        self._database.serve_window(after_commit)

    def sync(self) -> None:
        """Bring everything that was saved to the disk. Any thread may call it; no other waits."""
        self._database.sync()

    @property
    def model_answers(self) -> ModelAnswers:
        return ModelAnswers(self._database)

    @property
    def backups(self) -> Backups:
        from quizwriter.store.backups import Backups

        return Backups(self.path)

    def restore(self, backup: Path) -> Path:
        """Replace the contents by those of ``backup``; the result is the backup of the old contents.

        Names that people had before, or that were forgotten since, do not come back.
        """
        from quizwriter.store.restore import restore_open

        aside = restore_open(self._database, backup)
        self._take_up(aside)
        return aside

    def _take_replacement(self, aside: Path) -> None:
        self._take_up(aside)
        self.after_replacement(aside)

    def _take_up(self, aside: Path) -> None:
        """Let the database, which is another one than before, know what only the former one ``aside`` knew.

        It may be older than the key of the writer, than names, and than the forgetting of a person. A former
        database that is damaged says nothing.
        """
        from quizwriter.store.backups import opened_untouched

        people: dict[str, Person] = {}
        with suppress(sqlite3.Error), opened_untouched(aside) as former:
            people = merging.people(former)
        key = self._signing_key()
        with self._database.transaction() as db:
            if key is not None:
                own = key.person in people and people[key.person].key == key.public
                signed_rows.learn_key(db, key, first=own)
            for person in people.values():
                merging.save_person(db, person)
        if forgotten := self._forgotten():
            self.erase_names(forgotten)

    def erase_names(
        self,
        forgotten: ForgottenNames,
        progress: Progress = lambda done, total: None,
        *,
        only_count: bool = False,
    ) -> ErasureReport:
        """Erase the names of forgotten people to the last byte; ``only_count``: only say where they are."""
        from quizwriter.store.erasing import erase_names

        key = self._signing_key()
        report = erase_names(self._database, forgotten, key, progress, only_count=only_count)
        if not only_count:
            self._database.compact()
        return report

    def check(self, progress: Progress = lambda done, total: None) -> tuple[str, ...]:
        """The faults of the database, in sentences that name the tossup; empty if it is sound.

        Sound means: SQLite finds no damage, every row can be decoded, and every history replays to its
        tossup's text and back, and is numbered as it should be. ``progress`` gets the number of tossups that
        are checked, and of all.
        """
        return find_damage(self._database, progress)


class _OfStore(Protocol):
    """A service with a store."""

    _store: Store


def from_store(method: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[_OfStore, P], T]:
    """The method of a service that calls ``method`` of its store."""
    name = method.__name__

    @wraps(method)
    def forwarded(self: _OfStore, /, *arguments: P.args, **named: P.kwargs) -> T:
        store_method: Callable[P, T] = getattr(self._store, name)
        return store_method(*arguments, **named)

    return forwarded
