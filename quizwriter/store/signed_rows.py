"""Keys and signatures in the database: made where a writer saves, checked where something arrives.

The first key that is seen for a person is that person's key, unless it is another person's already. Other
keys are kept, and prove nothing.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby
from operator import attrgetter, itemgetter

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event, kind_of
from quizwriter.domain.history import Change
from quizwriter.domain.review import Person
from quizwriter.domain.signatures import Authenticity, Forgery, SignatureReport, SignedRun, judge
from quizwriter.store import summaries
from quizwriter.system.signing import Signature, SigningKey, fits
from quizwriter.workflow.branches import Branch

_SIGNED_ALONE = ("consent", "writer", "same person", "taken back", "bin")
"""The kinds of events of which a key decides whether they count, and what the list of tossups says."""


def first_key(db: sqlite3.Connection, person: str) -> str:
    """The key of ``person``; empty if none is known."""
    row = db.execute("select key from signing_key where person = ? and first", [person]).fetchone()
    return "" if row is None else str(row[0])


def put_key(db: sqlite3.Connection, person: str, key: str, *, first: bool = False) -> bool:
    """Keep that ``key`` signed something of ``person``; whether that changed the person's own key.

    ``first``: it is the person's own key, whatever was seen before.
    """
    known = first_key(db, person)
    if first and known not in ("", key):
        db.execute("update signing_key set first = 0 where person = ?", [person])
        known = ""
    of_another = "select 1 from signing_key where key = ? and person <> ? and first"
    own = not known and (first or db.execute(of_another, [key, person]).fetchone() is None)
    db.execute(
        """
        insert into signing_key (person, key, first) values (?, ?, ?)
        on conflict (person, key) do update set first = max(first, excluded.first)
        """,
        [person, key, own],
    )
    return own


def learn_key(db: sqlite3.Connection, key: SigningKey, *, first: bool = False) -> None:
    """Keep ``key`` as :func:`put_key` does, and let what it signed count."""
    if put_key(db, key.person, key.public, first=first):
        list_signed(db, [key.person])


def list_signed(db: sqlite3.Connection, people: Iterable[str]) -> None:
    """Write the list columns anew that follow from what ``people`` signed."""
    for person in people:
        rows = db.execute(
            f"""
            select id from tossup
            where root in (select root from event where author = ?1 and kind in {_SIGNED_ALONE}
                           or kind = 'same person' and instr(body, ?1))
            """,
            [person],
        )
        for (tossup_id,) in rows.fetchall():
            summaries.list_review(db, tossup_id)


def sign_event(event: Event, key: SigningKey | None) -> Event:
    """``event``, whose tossup is given by its root, signed if ``key`` is its author's."""
    if key is None or key.person != event.author:
        return event
    return replace(event, signature=key.sign(event.statement))


def sign_person(person: Person, key: SigningKey | None) -> Person:
    if key is None or key.person != person.id:
        return person
    return replace(person, signature=key.sign(person.statement))


def sign_edits(
    db: sqlite3.Connection, key: SigningKey, root: str, before: str, changes: Sequence[Change]
) -> None:
    """Sign those of ``changes``, which follow on the edit ``before``, that are by the person of ``key``.

    A run that ends at the edit before grows; its signature is replaced by one, unless another branch goes on
    from there and needs it. Only a run that this key signed grows: edits under the same name that came
    unsigned from elsewhere stay unsigned.
    """
    last, run = before, ""
    for change in changes:
        made = change.id_after(last)
        if change.author != key.person:
            _end_run(db, key, root, run, last)
            run = ""
        elif not run:
            run = _grown_run(db, key, root, change.seq - 1, last) or made
        last = made
    _end_run(db, key, root, run, last)


def _grown_run(db: sqlite3.Connection, key: SigningKey, root: str, seq: int, last: str) -> str:
    """The first edit of the run by ``key`` that ends at edit ``seq`` with the id ``last``, or nothing."""
    run = [root, last, key.person, key.public]
    ends = "from signed_run where root = ? and last = ? and person = ? and key = ?"
    row = db.execute(f"select first {ends}", run).fetchone()
    if row is None:
        return ""
    (branches,) = db.execute(
        """
        select count(*) from tossup join edit on edit.tossup = tossup.id
        where tossup.root = ? and edit.seq = ? and edit.id = ?
        """,
        [root, seq, last],
    ).fetchone()
    if branches == 1:
        db.execute(f"delete {ends} and first = ?", [*run, row[0]])
    return str(row[0])


def sign_siblings(db: sqlite3.Connection, key: SigningKey, root: str) -> None:
    """Sign for each branch of a tossup the edits of which only its siblings show that ``key`` signed them.

    A signature proves something only beside its last edit. Where a branch leaves its sibling in the middle of
    a run, what they have in common would prove nothing once the branch is sent, or kept, alone.
    """
    branches = _branch_ids(db, root)
    if len(branches) < 2:
        return
    own = [run for run in read_runs(db, root) if (run.person, run.signature.key) == (key.person, key.public)]
    covered = [_covered(ids, own) for ids in branches]
    signed = {ids[at] for ids, found in zip(branches, covered, strict=True) for at in found}
    for ids, found in zip(branches, covered, strict=True):
        bare = [at for at, made in enumerate(ids) if made in signed and at not in found]
        for _, row in groupby(enumerate(bare), key=lambda one: one[1] - one[0]):
            places = [at for _, at in row]
            _end_run(db, key, root, ids[places[0]], ids[places[-1]])


def _end_run(db: sqlite3.Connection, key: SigningKey, root: str, first: str, last: str) -> None:
    if first:
        bare = SignedRun(first, last, key.person, Signature(key.public, ""))
        _put_runs(db, root, [replace(bare, signature=key.sign(bare.statement(root)))])


def _put_runs(db: sqlite3.Connection, root: str, runs: Iterable[SignedRun]) -> None:
    db.executemany(
        """
        insert or ignore into signed_run (root, first, last, person, key, signature)
        values (?, ?, ?, ?, ?, ?)
        """,
        ((root, one.first, one.last, one.person, one.signature.key, one.signature.value) for one in runs),
    )


def read_runs(db: sqlite3.Connection, root: str) -> tuple[SignedRun, ...]:
    """All signatures of edits of the tossup that was made with the id ``root``."""
    rows = db.execute(
        "select first, last, person, key, signature from signed_run where root = ? order by 1, 2, 3, 4",
        [root],
    )
    return tuple(
        SignedRun(first, last, person, Signature(key, value)) for first, last, person, key, value in rows
    )


def edit_authenticity(db: sqlite3.Connection, tossup_id: str) -> tuple[Authenticity, ...]:
    """Whether the authors of the tossup's edits are proved, in the order of the edits."""
    own = db.execute("select id, author from edit where tossup = ? order by seq", [tossup_id]).fetchall()
    row = db.execute("select root from tossup where id = ?", [tossup_id]).fetchone()
    if row is None:
        return ()
    signed = _signers(db, row[0])
    keys = {author: first_key(db, author) for author in {author for _, author in own}}
    return tuple(judge(_chosen(signed.get(made, ()), keys[author]), keys[author]) for made, author in own)


def _signers(db: sqlite3.Connection, root: str) -> dict[str, set[str]]:
    """The keys that signed each edit of a tossup, on whichever of its branches."""
    runs = read_runs(db, root)
    signed: dict[str, set[str]] = {}
    for ids in _branch_ids(db, root) if runs else ():
        for at, found in _covered(ids, runs).items():
            signed.setdefault(ids[at], set()).update(found)
    return signed


def _branch_ids(db: sqlite3.Connection, root: str) -> list[list[str]]:
    return [
        [made for (made,) in db.execute("select id from edit where tossup = ? order by seq", [tossup_id])]
        for (tossup_id,) in db.execute("select id from tossup where root = ? order by id", [root]).fetchall()
    ]


def _chosen(keys: Collection[str], own: str) -> str:
    """Of the ``keys`` that signed an edit the author's ``own``, or else the same on every computer."""
    return own if own in keys else min(keys, default="")


def branch_runs(db: sqlite3.Connection, branch: Branch) -> tuple[SignedRun, ...]:
    places = {made: at for at, made in enumerate(branch.ids)}
    return tuple(run for run in read_runs(db, branch.root) if run.first in places and run.last in places)


def _covered(ids: Sequence[str], runs: Iterable[SignedRun]) -> dict[int, set[str]]:
    """Which of the edits ``ids`` are in one of ``runs``, by their places, and the keys that signed them."""
    places = {made: at for at, made in enumerate(ids)}
    stretches = sorted(
        (run.signature.key, places[run.first], places[run.last] + 1)
        for run in runs
        if run.first in places and run.last in places
    )
    found: dict[int, set[str]] = {}
    for key, some in groupby(stretches, key=itemgetter(0)):
        reached = 0  # a run that grew is kept in all its lengths, and each edit is looked at once
        for _, start, end in some:
            for at in range(max(start, reached), end):
                found.setdefault(at, set()).add(key)
            reached = max(reached, end)
    return found


def _begins(changes: Sequence[Change]) -> list[int]:
    """For each of ``changes``, where the edits begin that its author made in a row up to it."""
    found: list[int] = []
    for at, one in enumerate(changes):
        found.append(found[-1] if at and changes[at - 1].author == one.author else at)
    return found


class _SignedEvent(msgspec.Struct, frozen=True):
    root: str
    author: str
    signature: Signature


class ArrivedSignatures:
    """The signatures of branches and people that arrive: checked while those are read, written after them."""

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str], None] = {}
        self._runs: dict[str, dict[SignedRun, None]] = {}
        self._events: dict[str, _SignedEvent] = {}
        self._edits: Counter[tuple[str, frozenset[str]]] = Counter()  # by author and keys
        self._said: Counter[tuple[str, frozenset[str]]] = Counter()
        self._forged: dict[Forgery, int] = {}

    def checked(self, db: sqlite3.Connection, branches: Iterable[Branch]) -> Iterator[Branch]:
        """``branches`` without forged events; their signatures are kept for :meth:`write`.

        Each edit and each event is counted once, with the keys of all its signatures, here and there: a
        branch may bring what only its sibling proves.
        """
        for root, some in groupby(branches, key=attrgetter("root")):
            signed: dict[str, tuple[str, set[str]]] = {}
            said: dict[str, tuple[str, set[str]]] = {}
            for branch in some:
                events = tuple(event for event in branch.events if self._is_genuine(event))
                places = {made: at for at, made in enumerate(branch.ids)} if branch.runs else {}
                begins = _begins(branch.changes) if branch.runs else []
                runs = [run for run in branch.runs if self._is_signed(branch, places, begins, run)]
                self._runs.setdefault(root, {}).update(dict.fromkeys(runs))
                covered = _covered(branch.ids, runs)
                for at, (made, change) in enumerate(zip(branch.ids, branch.changes, strict=True)):
                    signed.setdefault(made, (change.author, set()))[1].update(covered.get(at, ()))
                for event in events:
                    keys = said.setdefault(event.id, (event.author, set()))[1]
                    keys.update([event.signature.key] if event.signature else [])
                yield replace(branch, events=events)
            if any(not keys for _, keys in signed.values()):
                for made, keys in _signers(db, root).items():
                    signed.get(made, ("", set()))[1].update(keys)
            for event_id, (_, keys) in said.items():
                if not keys:
                    found = db.execute("select key from event where id = ? and key <> ''", [event_id])
                    keys.update(key for (key,) in found)
            self._edits.update((author, frozenset(keys)) for author, keys in signed.values())
            self._said.update((author, frozenset(keys)) for author, keys in said.values())

    def keep_runs(self, root: str, branches: Iterable[Branch]) -> None:
        """Keep of the signatures of edits of a tossup those that these ``branches`` still have."""
        runs = (run for branch in branches for run in branch.runs)
        self._runs[root] = dict.fromkeys(runs)

    def checked_people(self, people: Iterable[Person]) -> list[Person]:
        """``people`` without forged names."""
        found = []
        for person in people:
            if person.signature is None or fits(person.signature, person.statement):
                self._note(person.id, person.signature)
                found.append(person)
            else:
                self._forge(Forgery("person", person.id))
        return found

    def _is_genuine(self, event: Event) -> bool:
        signature = event.signature
        bare = signature is None and not event.altered
        if bare or (signature and event.id == event.content_id and fits(signature, event.statement)):
            self._note(event.author, signature)
            if signature is not None:
                self._events[event.id] = _SignedEvent(event.tossup_id, event.author, signature)
            return True
        self._forge(Forgery(kind_of(event.body).name, event.author, event.tossup_id))
        return False

    def _is_signed(
        self, branch: Branch, places: Mapping[str, int], begins: Sequence[int], run: SignedRun
    ) -> bool:
        if run in self._runs.get(branch.root, ()):
            return True
        first, last = places.get(run.first, 0), places.get(run.last, -1)
        whole = run.first in places and first <= last
        whole = whole and begins[last] <= first and branch.changes[last].author == run.person
        if whole and fits(run.signature, run.statement(branch.root)):
            self._note(run.person, run.signature)
            return True
        self._forge(Forgery("edits", run.person, branch.root))
        return False

    def _note(self, person: str, signature: Signature | None) -> None:
        if signature is not None:
            self._keys[person, signature.key] = None

    def _forge(self, forgery: Forgery) -> None:
        self._forged[forgery] = self._forged.get(forgery, 0) + 1

    def is_news(self, db: sqlite3.Connection) -> bool:
        """Whether :meth:`write_keys` or :meth:`write` would write something; False only if not."""
        own_key = _own_keys(db)
        known = "select 1 from signing_key where person = ? and key = ?"
        if any(db.execute(known, [person, key]).fetchone() is None for person, key in self._keys):
            return True
        if any(_improves(db, event_id, signed, own_key) for event_id, signed in self._events.items()):
            return True
        return any(not runs.keys() <= set(read_runs(db, root)) for root, runs in self._runs.items() if runs)

    def report(self, db: sqlite3.Connection) -> SignatureReport:
        """What signatures prove of all that arrived, by the keys that the database knows."""
        return self._report(_own_keys(db))

    def write_keys(self, db: sqlite3.Connection) -> None:
        """Keep the keys; before people are saved, whose names depend on them."""
        list_signed(db, [person for person, key in sorted(self._keys) if put_key(db, person, key)])

    def write(self, db: sqlite3.Connection, signer: SigningKey | None) -> SignatureReport:
        """Write the signatures after the branches they are of, and report on all that arrived.

        The ``signer`` signs again what a sibling proves, so that each branch can be sent alone.
        """
        own_key = _own_keys(db)
        touched: dict[str, None] = {}
        for event_id, signed in self._events.items():
            if not _improves(db, event_id, signed, own_key):
                continue
            (kind,) = db.execute(
                "update event set key = ?, signature = ? where id = ? returning kind",
                [signed.signature.key, signed.signature.value, event_id],
            ).fetchone()
            if kind in _SIGNED_ALONE:
                touched[signed.root] = None
        for root in touched:
            for (tossup_id,) in db.execute("select id from tossup where root = ?", [root]).fetchall():
                summaries.list_review(db, tossup_id)
        for root, runs in self._runs.items():
            _put_runs(db, root, runs)
            if signer is not None:
                sign_siblings(db, signer, root)
        return self._report(own_key)

    def _report(self, own_key: Callable[[str], str]) -> SignatureReport:
        report = SignatureReport(forged=[one for one, times in self._forged.items() for _ in range(times)])
        for counter, found in ((report.edits, self._edits), (report.events, self._said)):
            for (person, keys), count in found.items():
                counter[judge(_chosen(keys, own_key(person)), own_key(person))] += count
        report.other_keys = sorted({person for person, key in self._keys if key != own_key(person)})
        return report


def _own_keys(db: sqlite3.Connection) -> Callable[[str], str]:
    """The function from a person to the key of that person; each is asked for once."""
    return lru_cache(maxsize=None)(partial(first_key, db))


def _improves(
    db: sqlite3.Connection, event_id: str, signed: _SignedEvent, own_key: Callable[[str], str]
) -> bool:
    """Whether the stored event has a weaker signature than ``signed``, or none."""
    row = db.execute("select key from event where id = ?", [event_id]).fetchone()
    if row is None:
        return False
    key, than, own = signed.signature.key, row[0], own_key(signed.author)  # than: empty if unsigned
    return bool(key != than and (not than or (than != own and (key == own or key < than))))
