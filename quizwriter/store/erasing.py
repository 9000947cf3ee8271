"""A database without the names of forgotten people, to the last byte: rows, free pages and log."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Progress
from quizwriter.domain.forgotten_names import ForgottenNames
from quizwriter.store import merging, signed_rows, summaries
from quizwriter.store.database import Database
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.system.atomic import atomic_path
from quizwriter.system.signing import SigningKey
from quizwriter.workflow.branches import Branch
from quizwriter.workflow.forgetting import clean_branches


class ErasureReport(msgspec.Struct):
    """What was changed in a database: so many people, entries, texts and answers, and other items.

    ``alone`` are the ids of tossups whose text or answer has a part of a name alone, which stays.
    ``unsigned`` counts the entries of other people that lost their signatures. ``damaged`` are the ids of
    tossups that could not be read, where names may still be. ``masked`` and ``renamed`` are those of
    :class:`quizwriter.domain.forgotten_names.ForgottenNames`.
    """

    people: int = 0
    events: int = 0
    texts: int = 0
    answers: int = 0
    items: int = 0
    unsigned: int = 0
    damaged: list[str] = []
    alone: list[str] = []
    masked: dict[str, tuple[int, ...]] = {}
    renamed: dict[str, str] = {}

    @property
    def places(self) -> int:
        return self.people + self.events + self.texts + self.answers + self.items


class _NothingWritten(Exception):
    """Ends a transaction that only counted."""


def erase_names(
    database: Database,
    forgotten: ForgottenNames,
    signer: SigningKey | None = None,
    progress: Progress = lambda done, total: None,
    *,
    only_count: bool = False,
) -> ErasureReport:
    """Erase the names in all tables, all or nothing; ``only_count``: say what that would change."""
    report = ErasureReport()
    with suppress(_NothingWritten), database.transaction() as db:
        db.execute("pragma secure_delete = on")
        _erase_people(db, forgotten, report)
        roots = [root for (root,) in db.execute("select distinct root from tossup order by root")]
        for done, root in enumerate(roots):
            progress(done, len(roots))
            _erase_in_tossup(db, root, forgotten, signer, report)
        _erase_in_items(db, forgotten, report)
        if only_count:
            raise _NothingWritten
    return report


def erase_beginnings(
    db: sqlite3.Connection, roots: Iterable[str], forgotten: ForgottenNames, signer: SigningKey | None
) -> None:
    """Erase in the tossups ``roots`` the beginnings of names that went on elsewhere, as ``masked`` has them.

    A tossup with a whole name, which was typed here since, stays as it is.
    """
    db.execute("pragma secure_delete = on")
    bare = replace(forgotten, masked={})
    for root in roots:
        keys = [key for (key,) in db.execute("select id from tossup where root = ?", [root])]
        if not clean_branches([merging.read_branch(db, key) for key in keys], bare).masked:
            _erase_in_tossup(db, root, forgotten, signer, ErasureReport())


def _erase_people(db: sqlite3.Connection, forgotten: ForgottenNames, report: ErasureReport) -> None:
    for person in merging.people(db).values():
        new = forgotten.without_name(person)
        if (new.name, new.email, new.signature) != (person.name, person.email, person.signature):
            report.people += 1
            db.execute(
                "update person set name = ?, email = '', key = '', signature = '' where id = ?",
                [new.name, person.id],
            )


def _erase_in_tossup(
    db: sqlite3.Connection,
    root: str,
    forgotten: ForgottenNames,
    signer: SigningKey | None,
    report: ErasureReport,
) -> None:
    keys = [key for (key,) in db.execute("select id from tossup where root = ? order by id", [root])]
    before: list[Branch] = []
    for key in keys:
        try:
            branch = merging.read_branch(db, key)
            before.append(replace(branch, runs=signed_rows.branch_runs(db, branch)))
        except DamagedDatabaseError:
            report.damaged.append(key)
    if len(before) < len(keys):
        return
    cleaned = clean_branches(before, forgotten)
    after = cleaned.branches
    for key, branch in zip(keys, after, strict=True):
        line = branch.answer.line if branch.answer is not None else ""
        if any(True for text in (branch.text, line) for _ in forgotten.spans(text, remark=True)):
            report.alone.append(key)
    if after == tuple(before):
        return
    kinds = {cleaned.renamed.get(made, made): kind for made, kind in merging.kinds_of_edits(db, root).items()}
    for key, old, new in zip(keys, before, after, strict=True):
        report.texts += old.changes != new.changes
        report.answers += old.answers != new.answers
        merging.replace_branch(db, key, new, kinds, old)
    said = {event.id: event for branch in after for event in branch.events}
    known = {event.id: event for branch in before for event in branch.events}
    changed = [event for key, event in said.items() if key not in known]
    report.events += len(changed)
    report.unsigned += sum(
        event.signature is not None and cleaned.renamed.get(key, key) != key
        and (signer is None or signer.person != event.author)
        for key, event in known.items()
    )  # fmt: skip
    db.execute("delete from event where root = ?", [root])
    for event in said.values():
        mine = event.id not in known
        merging.put_event(db, signed_rows.sign_event(event, signer) if mine else event)
    ids = {made for branch in after for made in branch.ids}
    for first, last in db.execute("select first, last from signed_run where root = ?", [root]).fetchall():
        if first not in ids or last not in ids:
            db.execute(
                "delete from signed_run where root = ? and first = ? and last = ?", [root, first, last]
            )
    for key in keys:
        summaries.list_review(db, key)
    report.masked |= {forgotten.digest(key): at for key, at in cleaned.masked.items()}
    report.renamed |= {forgotten.digest(key): new for key, new in cleaned.renamed.items()}


def _erase_in_items(db: sqlite3.Connection, forgotten: ForgottenNames, report: ErasureReport) -> None:
    for kind, name, body in db.execute("select kind, name, body from kept").fetchall():
        new = forgotten.blacked(str(name), remark=True), _clean_json(str(body), forgotten, remark=True)
        if new != (name, body):
            report.items += 1
            db.execute("delete from kept where kind = ? and name = ?", [kind, name])
            db.execute("insert or replace into kept (kind, name, body) values (?, ?, ?)", [kind, *new])
    for model, digest, body in db.execute("select model, digest, body from model_answer").fetchall():
        if (clean := _clean_json(str(body), forgotten, remark=False)) != body:
            report.items += 1
            db.execute(
                "update model_answer set body = ? where model = ? and digest = ?", [clean, model, digest]
            )


def _clean_json(body: str, forgotten: ForgottenNames, *, remark: bool) -> str:
    """A text that should be JSON without names; unchanged, it stays to the letter."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return forgotten.blacked(body, remark=remark)
    clean = forgotten.without_names(value, remark=remark, keys=True)
    return body if clean == value else json.dumps(clean, ensure_ascii=False)


def clean_backup(path: Path, forgotten: ForgottenNames) -> int:
    """Replace the backup at ``path`` by one without the names; how many places were changed.

    Raises:
        DamagedDatabaseError: the backup is damaged, and stays as it was.
    """
    problem = f"The backup {path} could not be written"
    with atomic_path(path, problem=problem) as new:
        shutil.copyfile(path, new)
        database = Database(new, backup=False)
        try:
            report = erase_names(database, forgotten)
            database.compact()
        finally:
            database.close_as_one_file()
        if report.damaged:
            raise DamagedDatabaseError(
                f"The backup {path} is damaged, so names may be left in it.", "Delete it."
            )
    return report.places
