"""Saving what a writer does: edits, answers, games and events, and the list columns that follow from them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Annotated, NamedTuple

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Event, decode_body, encode_body
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.page import Page
from quizwriter.domain.review import Resolved, StatusSet
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.span import Span
from quizwriter.domain.styles import AnswerStyled, Styled, answer_styles, styles_after
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store import merging, signed_rows, summaries
from quizwriter.store.refusals import (
    tossup_is_absent,
    tossup_is_locked,
    tossup_was_changed_elsewhere,
)
from quizwriter.store.rows import answer_columns, answer_of_columns, decoded, game_of_play
from quizwriter.system.decoding import Count, DecodingError, decode_row
from quizwriter.system.moments import AHEAD_MS
from quizwriter.system.signing import SigningKey
from quizwriter.workflow.branches import Branch, Game
from quizwriter.workflow.session import AnswerChange, PendingSave


class _SavedRow(NamedTuple):
    answer_line: str
    page: Page | None
    text: str
    root: str
    seq: Count
    head: str
    locked: Count
    superseded: Count
    binned: Count
    changed_ms: Count


class Saved(NamedTuple):
    """Where a saving went: the tossup or branch, and the number and id of its last edit."""

    tossup_id: str
    seq: int
    head: str


def save(db: sqlite3.Connection, saving: PendingSave, signer: SigningKey | None = None) -> Saved:
    """Write ``saving``, and everything that lists show of its tossup; ``signer`` signs its person's edits."""
    key, changes = saving.tossup_id, saving.changes
    before = db.execute(
        """
        select answer_line, page, text, root, tossup.seq, head, locked, superseded, bin <> '',
               listed.changed_ms
        from tossup join listed on listed.tossup = tossup.id where id = ?
        """,
        [key],
    ).fetchone()
    new = "", None, "", key, 0, key, 0, 0, 0, 0
    if before is None and saving.text and not (saving.changes or saving.answered or saving.styled):
        # it was only looked at, and a restored backup lacks it: nothing of it is to be saved
        return Saved(key, saving.seq, saving.head)
    if before is None and saving.seq:
        return _save_apart(db, saving, Branch.of(key, saving.at_ms, ()), signer)
    (row,) = decoded(key, [before or new], partial(decode_row, kind=_SavedRow))
    asked, text, root, seq, head = (row.answer_line, row.page), row.text, row.root, row.seq, row.head
    if before is not None and saving.after not in ("", head):
        return _save_aside(db, saving, root, signer)
    answer = saving.answer
    if before is not None and not saving.answered:
        answer = answer_of_columns(*asked)
    line, page = answer_columns(answer)
    answered = (line, page) != asked
    if row.locked and (changes or answered or saving.styled):
        raise tossup_is_locked()
    if changes and changes[0].seq != seq + 1:
        raise tossup_was_changed_elsewhere()
    text = saving.text if changes or before is None else text
    possible = {game_of_play(shown): shown.possible for shown in saving.shown}
    games = _new_games(db, key, list(possible))
    rows, parent = [], head
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
                max(?7, (select coalesce(max(changed_ms), 0) + 1 from tossup where changed_ms < ?7 + ?11)),
                ?8, ?9, ?10)
        on conflict (id) do update set answer_line = ?2, page = ?3, text = ?4, words = ?5,
                                       cursor = ?6, changed_ms = excluded.changed_ms, seq = ?9, head = ?10
        """,
        [key, line, page, text, len(tossup.words), saving.cursor, saving.at_ms, root, seq, head, AHEAD_MS],
    )
    asked_ms = 0
    if answered:
        (asked_ms,) = db.execute(  # the order is by the time, also when the clock was put back
            """
            insert into asked (tossup, seq, at_ms, answer_line, page, author)
            values (?1, ?2, max(?3, (select coalesce(max(at_ms), -1) + 1 from asked
                                          where tossup = ?1 and at_ms < ?3 + ?7)),
                    ?4, ?5, ?6)
            returning at_ms
            """,
            [key, seq, saving.at_ms, line, page, saving.author, AHEAD_MS],
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
                           first_correct, stable_correct, buzz_heard, buzz_page, top, possible)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [(key, *game, possible.get(game)) for game in games],
    )
    if signer is not None and changes and not saving.copied:
        signed_rows.sign_edits(db, signer, root, parent, changes)
    for event in _placed(db, saving, root, row.seq, parent, signer):
        merging.put_event(db, event)
    if before is None or changes or answered:
        edited_ms = max((change.at_ms for change in changes), default=0)
        known_ms = saving.at_ms if before is None else row.changed_ms
        summaries.list_text(db, key, tossup, max(known_ms, edited_ms, asked_ms))
    if changes and (
        row.superseded or row.binned or changes[0].seq == 1
    ):  # whoever types first is the author, see list_review
        summaries.list_review(db, key)
    summaries.put_knowledge(db, saving.shown)
    if answered:
        summaries.list_all_games(db, key, answer)
    elif saving.shown:
        summaries.list_games(db, key, answer, games)
    return Saved(key, seq, head)


def _placed(
    db: sqlite3.Connection, saving: PendingSave, root: str, seq: int, head: str, signer: SigningKey | None
) -> Iterator[Event]:
    """The style events, with the ids of the edits before them; the last edit before all is ``seq``, ``head``.

    It is later than all events of the tossup that are here, and signed as those are.
    """
    if not saving.styled:
        return
    ids = {seq: head}
    for change in saving.changes:
        head = ids[change.seq] = change.id_after(head)
    latest = _latest_ms(db, root, saving.at_ms)
    for event in saving.styled:
        latest = max(event.at_ms, latest + 1)
        placed = replace(event, tossup_id=root, after=ids[event.seq], at_ms=latest)
        placed = replace(placed, id=placed.content_id)
        yield placed if saving.copied else signed_rows.sign_event(placed, signer)


def _latest_ms(db: sqlite3.Connection, root: str, at_ms: int) -> int:
    """The time of the last event of a tossup that is not from the future; -1 without any."""
    row = db.execute(
        "select coalesce(max(at_ms), -1) from event where root = ? and at_ms < ?", [root, at_ms + AHEAD_MS]
    ).fetchone()
    return decode_row(row, _LatestRow).at_ms


def _answered_ms(db: sqlite3.Connection, tossup_id: str, at_ms: int) -> int:
    """The same of the last answer."""
    row = db.execute(
        "select coalesce(max(at_ms), -1) from asked where tossup = ? and at_ms < ?",
        [tossup_id, at_ms + AHEAD_MS],
    ).fetchone()
    return decode_row(row, _LatestRow).at_ms


def _new_games(db: sqlite3.Connection, tossup_id: str, games: list[Game]) -> list[Game]:
    """The ``games`` that are not in the database yet: a merge may have brought the same one."""
    if not games:
        return games
    first = min(game[0] for game in games)
    known = set(
        db.execute(
            """
            select seq, at_ms, guesser, engine, words, first_correct, stable_correct, buzz_heard, buzz_page,
                   top
            from shown where tossup = ? and seq >= ?
            """,
            [tossup_id, first],
        )
    )
    return [game for game in games if game not in known]


def _save_aside(db: sqlite3.Connection, saving: PendingSave, root: str, signer: SigningKey | None) -> Saved:
    """Put ``saving`` where its history is, which has got another id or parted from what is under its own."""
    family = [key for (key,) in db.execute("select id from tossup where root = ? order by id", [root])]
    heads = dict(db.execute("select head, id from tossup where root = ?", [root]))
    if saving.after in heads:
        return save(db, replace(saving, tossup_id=heads[saving.after]), signer)
    for name in sorted(family, key=lambda name: name != saving.tossup_id):
        whole = merging.read_branch(db, name)
        seq = (
            0
            if saving.after == root
            else next((at for at, known in enumerate(whole.ids, start=1) if known == saving.after), -1)
        )
        if seq >= 0:
            return _save_branch(db, saving, whole.until(seq), signer)
    return _save_apart(db, saving, merging.read_branch(db, saving.tossup_id), signer)


def _save_apart(
    db: sqlite3.Connection, saving: PendingSave, whole: Branch, signer: SigningKey | None
) -> Saved:
    """Put ``saving``, whose history the database has lost since it was opened, beside ``whole``.

    A backup was restored, and ``whole`` is what it has. The edits that led from there to what the writer saw
    are gone, so one edit stands for them: the branch leaves ``whole`` before its last edit with it. The
    answer and the styles that the writer saw go along.
    """
    text = saving.text_before
    so_far = whole if whole.text == text else whole.until(max(0, len(whole.changes) - 1))
    seq = len(so_far.changes)
    edit = Edit.between(so_far.text, text)
    if edit is not None:
        bridge = Change(saving.seq, saving.at_ms, edit, saving.author)
        saving = replace(saving, changes=(bridge, *saving.changes), seq=saving.seq - 1)
    saving = saving.placed_after(so_far.head, seq)
    if saving.changes or saving.answered or saving.styled:
        saving = _as_seen(saving, so_far)
    return _save_branch(db, saving, so_far, signer)


def _as_seen(saving: PendingSave, so_far: Branch) -> PendingSave:
    """``saving``, which follows on ``so_far``, with the answer and the styles that the writer saw."""
    changes, events = [*so_far.changes, *saving.changes], [*so_far.events, *saving.styled]
    line = saving.answer.line if saving.answer is not None else ""
    bodies: list[Body] = []
    if saving.styles not in (None, styles_after(changes, events)):
        bodies.append(Styled.setting(Span(0, len(saving.text)), saving.styles, EditKind.MORE))
    if saving.answer_styles not in (None, answer_styles(line, events)):
        bodies.append(AnswerStyled(line, tuple(saving.answer_styles.spans())))
    made = (
        replace(Event.new(saving.tossup_id, saving.at_ms, saving.author, body), seq=len(changes))
        for body in bodies
    )
    return replace(saving, answered=True, styled=(*saving.styled, *made))


def _save_branch(
    db: sqlite3.Connection, saving: PendingSave, so_far: Branch, signer: SigningKey | None
) -> Saved:
    """Merge ``saving``, which follows on ``so_far``, the beginning of a branch."""
    root, seq = so_far.root, len(so_far.changes)
    asked = list(so_far.answers)
    if saving.answered and saving.answer != so_far.answer:
        at = saving.changes[-1].seq if saving.changes else seq
        asked.append(AnswerChange(at, saving.at_ms, saving.answer, saving.author))
    new = saving.changes or saving.styled or len(asked) > len(so_far.answers)
    if new and fold_events(so_far.events).locked:
        raise tossup_is_locked()
    possible = {game_of_play(one): one.possible for one in saving.shown}
    games = [*so_far.games, *possible]
    events = [*so_far.events, *_placed(db, saving, root, seq, saving.after, signer)]
    summaries.put_knowledge(db, saving.shown)
    try:
        branch = Branch.of(root, so_far.created_ms, [*so_far.changes, *saving.changes], asked, games, events)
    except ValueError:
        raise tossup_was_changed_elsewhere() from None
    merging.merge(db, [branch], {game: at for game, at in possible.items() if at is not None})
    if signer is not None and not saving.copied:
        signed_rows.sign_edits(db, signer, root, saving.after, saving.changes)
        signed_rows.sign_siblings(db, signer, root)
    found = db.execute(
        """
        select id from tossup where root = ?1 and (head = ?2 or id in (select tossup from edit where id = ?2))
        """,
        [root, branch.head],
    ).fetchone()
    return Saved(saving.tossup_id if found is None else found[0], len(branch.changes), branch.head)


def erase(db: sqlite3.Connection, keys: Iterable[str]) -> tuple[str, ...]:
    """Remove the tossups ``keys`` that are in the bin, with all rows that only they need; those removed."""
    erased = []
    for key in keys:
        row = db.execute(
            f"select root from tossup join listed on tossup = id where id = ? and {summaries.BINNED}", [key]
        ).fetchone()
        if row is None:
            continue  # somebody took it out of the bin, or went on with it
        for table in ("edit", "asked", "shown", "standing", "listed"):
            db.execute(f"delete from {table} where tossup = ?", [key])
        db.execute("delete from tossup where id = ?", [key])
        if db.execute("select 1 from tossup where root = ?", row).fetchone() is None:
            db.execute("delete from event where root = ?", row)
            db.execute("delete from signed_run where root = ?", row)
        erased.append(key)
    return tuple(erased)


class _PlaceRow(NamedTuple):
    root: str
    seq: Count
    head: str


class _LatestRow(NamedTuple):
    at_ms: Annotated[int, msgspec.Meta(ge=-1)]  # -1: nothing was said yet


def add_events(
    db: sqlite3.Connection, events: Iterable[Event], signer: SigningKey | None = None
) -> Iterator[Event]:
    """Write ``events`` and what follows from them; those that are new, as they were stored.

    The ``signer`` signs those of its person that happen now. A status is later than the answer that
    is there.
    """
    touched: dict[str, None] = {}
    for event in events:
        row = db.execute("select root, seq, head from tossup where id = ?", [event.tossup_id]).fetchone()
        if row is None:
            raise tossup_is_absent()
        root, seq, head = decode_row(row, _PlaceRow)
        latest = _latest_ms(db, root, event.at_ms)
        if isinstance(event.body, StatusSet):  # what gets a status is the answer that is there, whenever set
            latest = max(latest, _answered_ms(db, event.tossup_id, event.at_ms))
        if db.execute(  # under its own id, or under the one that it got when it was stored
            "select 1 from event where id = ?1 or (id > ?1 || '-' and id < ?1 || '.')", [event.id]
        ).fetchone():
            continue
        kept = event
        if not event.after:
            kept = replace(event, at_ms=max(event.at_ms, latest + 1), seq=seq, after=head)
            kept = replace(kept, tossup_id=root)
            _check_readable(kept.body)
            kept = signed_rows.sign_event(replace(kept, id=kept.content_id), signer)
        merging.put_event(db, replace(kept, tossup_id=root))
        branches = db.execute("select id from tossup where root = ?", [root])
        touched.update(dict.fromkeys(key for (key,) in branches))
        yield replace(kept, tossup_id=event.tossup_id)
    for tossup_id in touched:
        summaries.list_review(db, tossup_id)


def _check_readable(body: Body) -> None:
    """Refuse what could not be read again: the database would be called damaged."""
    kind, values = encode_body(body)
    try:
        decode_body(kind, json.dumps(values, ensure_ascii=False))
    except DecodingError as trouble:
        raise QuizwriterError(f"Nothing was recorded: {trouble}.", "Shorten it, and try again.") from trouble


def save_with_events(
    db: sqlite3.Connection,
    heads: Mapping[str, str],
    pending: PendingSave | None,
    events: Iterable[Event],
    remarks: Iterable[tuple[Event, bool]],
    signer: SigningKey | None,
) -> tuple[Event, ...]:
    for tossup_id, head in heads.items():
        row = db.execute("select head from tossup where id = ?", [tossup_id]).fetchone()
        if row is None or row[0] != head:
            raise QuizwriterError(
                "A branch was edited after it was shown here, so nothing was changed.",
                "Look at the branches again, and decide then.",
            )
    if pending is not None:
        save(db, pending, signer)
    added = []
    for remark, resolved in remarks:
        for made in list(add_events(db, [remark], signer)):
            added.append(made)
            if resolved:
                body = Resolved(made.id)
                added += add_events(db, [Event.new(made.tossup_id, made.at_ms, made.author, body)], signer)
    return (*added, *add_events(db, events, signer))
