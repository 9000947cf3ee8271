"""The columns by which lists sort and filter: they follow from the other tables, in the same transactions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import can_know
from quizwriter.domain.history import Change, edit_ids
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.review import ConsentBasis
from quizwriter.domain.review_state import Review, fold_events
from quizwriter.domain.styles import PLAIN, TextStyles, answer_styles, styles_after
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.store.rows import (
    StoredGuesses,
    decode_answer,
    decode_edit,
    decode_event,
    decode_game,
    decoded,
    shown_text,
)
from quizwriter.workflow.branches import Game, games_in_order
from quizwriter.workflow.session import AnswerChange, RecordedPlay

if TYPE_CHECKING:
    from quizwriter.store.plays import PlaySummary
    from quizwriter.workflow.event_log import LoggedTossup


OPENING = 60
"""Characters of a tossup that a list shows."""


class TossupSummary(msgspec.Struct, frozen=True):
    """A tossup as a list shows it."""

    tossup_id: str
    answer_line: str
    opening: str  # its first characters
    words: int
    changed_ms: int  # when its text or its answer was changed last
    set_name: str = ""
    packet: str = ""
    status: str = "draft"
    binned_ms: int = 0  # when it came into the bin; 0 if it is not there


class ReleaseState(msgspec.Struct, frozen=True):
    """What decides whether a tossup can be released."""

    tossup_id: str
    root: str  # which its branches share
    status: str
    set_name: str
    consent: str
    superseded: bool  # another branch was adopted
    words: int
    answered: bool
    author: str  # a person's id; empty if unknown
    consent_basis: str = ConsentBasis.NONE
    consent_by: str = ""  # the person who gave or recorded the consent; empty if nobody did
    binned: bool = False  # it is in the bin of the owner of the database
    changed_since: bool = False  # its text or answer was changed after it got its status


CHANGED_SINCE = """
    (status_ms and (status_seq < (select seq from tossup where id = listed.tossup) or exists (
        select 1 from asked where asked.tossup = listed.tossup and (seq, at_ms) >= (status_seq, status_ms))))
"""
"""The condition that the text or the answer of a row of ``listed`` was changed after its status was set."""


def changed_accepted(db: sqlite3.Connection, root: str) -> frozenset[str]:
    """The branches of a tossup that are locked, but not as they were when somebody accepted them."""
    rows = db.execute(
        f"""
        select listed.tossup from tossup join listed on listed.tossup = tossup.id
        where root = ? and locked and not superseded and {CHANGED_SINCE}
        """,
        [root],
    )
    return frozenset(key for (key,) in rows)


def release_states(db: sqlite3.Connection) -> tuple[ReleaseState, ...]:
    """Where every branch of every tossup stands, the one changed last first."""
    rows = db.execute(
        f"""
        select id, root, status, set_name, consent, superseded, listed.words, answer_line <> '', author,
               consent_basis, consent_by, bin <> '' and binned_ms(bin), {CHANGED_SINCE}
        from tossup join listed on listed.tossup = tossup.id order by listed.changed_ms desc, id
        """
    )
    return tuple(
        ReleaseState(
            key, root, status, set_name, consent, bool(superseded), words, bool(answered), author, basis,
            given_by, bool(binned), bool(changed),
        )
        for key, root, status, set_name, consent, superseded, words, answered, author, basis, given_by,
            binned, changed in rows
    )  # fmt: skip


LISTED = "not superseded and (bin = '' or not binned_ms(bin))"
"""The condition that a row of the table ``listed`` is shown in lists: it is not in the bin of the owner."""

BINNED = "not superseded and bin <> '' and binned_ms(bin)"
"""The condition that it is in that bin."""


def tossups(db: sqlite3.Connection, *, binned: bool = False) -> tuple[TossupSummary, ...]:
    """What lists show, the one changed last first; ``binned``: what is in the bin, instead."""
    rows = db.execute(
        f"""
        select id, answer_line, substr(cast(text as blob), 1, ?), tossup.words, listed.changed_ms,
               set_name, packet, status, case when bin <> '' then binned_ms(bin) else 0 end
        from tossup join listed on listed.tossup = tossup.id
        where {BINNED if binned else LISTED}
        order by {"binned_ms(bin)" if binned else "listed.changed_ms"} desc, id
        """,
        [4 * OPENING],  # bytes, because substr ends a text at a NUL
    ).fetchall()
    return tuple(
        TossupSummary(
            key,
            shown_text(line),
            (opening or b"").decode("utf-8", "ignore")[:OPENING],
            words,
            changed_ms,
            shown_text(set_name),
            shown_text(packet),
            shown_text(status),
            binned_ms,
        )
        for key, line, opening, words, changed_ms, set_name, packet, status, binned_ms in rows
    )


def last(db: sqlite3.Connection) -> str | None:
    """The id of the tossup that was saved last, even if it was only opened; None in an empty database."""
    row = db.execute(
        f"""
        select id from tossup join listed on listed.tossup = tossup.id where {LISTED}
        order by tossup.changed_ms desc, id limit 1
        """
    ).fetchone()
    return None if row is None else row[0]


def tossups_of_set(db: sqlite3.Connection, name: str, but: str = "") -> tuple[tuple[str, str, str], ...]:
    """Id, answer line and text of every tossup of a set; the empty name asks for tossups in no set.

    Each branch of a tossup has a row. The tossup with the branch ``but`` is left out.
    """
    return tuple(
        db.execute(
            f"""
            select id, answer_line, text from tossup join listed on listed.tossup = tossup.id
            where set_name = ? and root is not (select root from tossup where id = ?) and {LISTED} order by id
            """,
            [name, but],
        )
    )


def root_of(db: sqlite3.Connection, tossup_id: str) -> str | None:
    """The id that the tossup of a branch was made with, the same on every computer; None: it is not there."""
    row = db.execute("select root from tossup where id = ?", [tossup_id]).fetchone()
    return None if row is None else str(row[0])


def texts_with(db: sqlite3.Connection, letters: str) -> tuple[tuple[str, str], ...]:
    """Id and text of every tossup outside the bin whose text has ``letters``."""
    listed = f"tossup join listed on listed.tossup = tossup.id where {LISTED}"
    return tuple(db.execute(f"select id, text from {listed} and instr(text, ?)", [letters]))


def imported_texts(db: sqlite3.Connection, person: str) -> dict[str, list[str]]:
    """The ids of the tossups that ``person`` took from files, by what their texts were."""
    rows = db.execute(
        """
        select inserted, tossup from edit join event on event.root = edit.tossup
        where edit.seq = 1 and event.kind = 'imported' and event.author = ?
        group by edit.tossup order by min(event.at_ms), edit.tossup
        """,
        [person],
    )
    found: dict[str, list[str]] = {}
    for text, key in rows:
        found.setdefault(text, []).append(key)
    return found


def logged_tossups(db: sqlite3.Connection) -> dict[str, LoggedTossup]:
    """The answer and the set of every tossup, by id, also of superseded ones."""
    from quizwriter.workflow.event_log import LoggedTossup  # imported late: not needed at start

    rows = db.execute("select id, answer_line, set_name from tossup join listed on listed.tossup = tossup.id")
    return {row[0]: LoggedTossup(*row) for row in rows}


def items(db: sqlite3.Connection, kind: str) -> dict[str, str]:
    """The bodies of a ``kind`` of items, by name: saved filters, or the categories of sets."""
    return dict(db.execute("select name, body from kept where kind = ? order by name", [kind]))


def answers_of_set(db: sqlite3.Connection, name: str, but: str) -> tuple[tuple[str, Answer, str], ...]:
    """Id, answer and first words of every tossup of a set that lists show, as in :func:`tossups_of_set`."""
    rows = db.execute(
        f"""
        select id, answer_line, page, substr(cast(text as blob), 1, ?)
        from tossup join listed on listed.tossup = tossup.id
        where set_name = ? and root is not (select root from tossup where id = ?) and {LISTED} order by id
        """,
        [4 * OPENING, name, but],
    ).fetchall()
    return tuple(
        (
            key,
            Answer(shown_text(line), Page(page) if isinstance(page, str) else None),
            (opening or b"").decode("utf-8", "ignore")[:OPENING],
        )
        for key, line, page, opening in rows
    )


_AT_ONCE = 500  # ids in one statement; SQLite's own limit is above that


def renumber_edits(db: sqlite3.Connection, tossup_id: str) -> None:
    """Compute the ids of a tossup's edits, and the id of the last one."""
    changes = history(db, tossup_id)
    (root,) = db.execute("select root from tossup where id = ?", [tossup_id]).fetchone()
    found = edit_ids(root, changes)
    db.executemany(
        "update edit set id = ? where tossup = ? and seq = ?",
        ((key, tossup_id, change.seq) for key, change in zip(found, changes, strict=True)),
    )
    last = (changes[-1].seq, found[-1]) if changes else (0, root)
    db.execute("update tossup set seq = ?, head = ? where id = ?", [*last, tossup_id])


def rebuild_columns(db: sqlite3.Connection, tossup_id: str) -> None:
    """Compute all columns of a tossup's list rows from the other tables."""
    text, line, page, created_ms = db.execute(
        "select text, answer_line, page, created_ms from tossup where id = ?", [tossup_id]
    ).fetchone()
    (changed_ms,) = db.execute(
        """
        select max(?1, coalesce((select max(at_ms) from edit where tossup = ?2), 0),
                   coalesce((select max(at_ms) from asked where tossup = ?2), 0))
        """,
        [created_ms, tossup_id],
    ).fetchone()
    answer = Answer(line, None if page is None else Page(page)) if line else None
    list_text(db, tossup_id, Tossup(text, answer), changed_ms)
    list_review(db, tossup_id)
    list_all_games(db, tossup_id, answer)


class BranchState(msgspec.Struct, frozen=True):
    """A branch in the database: its id as a tossup, the id of its last edit, and whether it is superseded."""

    tossup_id: str
    head: str
    superseded: bool


def branch_families(db: sqlite3.Connection) -> tuple[tuple[BranchState, ...], ...]:
    """The branches of each tossup that has several, also superseded ones; the original comes first."""
    families: dict[str, list[BranchState]] = {}
    for root, key, head, superseded in db.execute(
        """
        select root, id, head, superseded from tossup join listed on listed.tossup = tossup.id
        where root in (select root from tossup where id != root) order by root, id != root, id
        """
    ):
        families.setdefault(root, []).append(BranchState(key, head, bool(superseded)))
    return tuple(tuple(states) for states in families.values() if len(states) > 1)


def list_text(db: sqlite3.Connection, tossup_id: str, tossup: Tossup, changed_ms: int | None) -> None:
    """Write the columns that follow from text and answer; ``changed_ms`` is None to leave that column."""
    db.execute(
        """
        insert into listed (tossup, changed_ms, answer, words, power, author, status, status_ms, status_seq,
                            locked, superseded, set_name, category, subcategory, topic, consent, comments,
                            suggestions, shift)
        values (?1, coalesce(?2, 0), ?5, ?3, ?4,
                coalesce((select author from edit where tossup = ?1 order by seq limit 1),
                         (select author from asked where tossup = ?1 order by at_ms limit 1), ''),
                'draft', 0, 0, 0, 0, '', '', '', '', 'not asked', 0, 0, null)
        on conflict (tossup) do update set changed_ms = coalesce(?2, changed_ms), answer = ?5, words = ?3,
                                           power = ?4
        """,
        [
            tossup_id,
            changed_ms,
            len(tossup.words),
            tossup.power,
            answer_key(tossup.answer.line) if tossup.answer else "",
        ],
    )


def review_of(db: sqlite3.Connection, tossup_id: str) -> Review:
    """Where a tossup stands after its events; a tossup that is not there stands at the beginning."""
    return _folded(db, tossup_id, events(db, tossup_id))


def standing_of(db: sqlite3.Connection, tossup_id: str) -> Review:
    """As :func:`review_of`, without comments: a tossup may have thousands, and opening it waits for this."""
    return _folded(
        db, tossup_id, events(db, tossup_id, "and event.kind not in ('comment', 'reply', 'resolved')")
    )


def _folded(db: sqlite3.Connection, tossup_id: str, happened: Sequence[Event]) -> Review:
    def has_key(person: str) -> bool:
        return db.execute("select 1 from signing_key where person = ?", [person]).fetchone() is not None

    return fold_events(happened, _typist(db, tossup_id), has_key)


def _typist(db: sqlite3.Connection, tossup_id: str) -> str:
    """The person who typed first; empty if unknown."""
    (found,) = db.execute(
        """
        select coalesce((select author from edit where tossup = ?1 order by seq limit 1),
                        (select author from asked where tossup = ?1 order by at_ms limit 1), '')
        """,
        [tossup_id],
    ).fetchone()
    return str(found)


def list_review(db: sqlite3.Connection, tossup_id: str) -> None:
    review = review_of(db, tossup_id)
    (seq,) = db.execute("select seq from tossup where id = ?", [tossup_id]).fetchone()
    levels = (*review.category, "", "", "")[:3]
    since = review.status_set
    bins = review.bins(seq, review.writer)
    db.execute(
        """
        update listed
        set author = ?2, status = ?3, status_ms = ?4, status_seq = ?5, locked = ?6, superseded = ?7,
            set_name = ?8, category = ?9, subcategory = ?10, topic = ?11, consent = ?12, comments = ?13,
            suggestions = ?14, consent_basis = ?15, consent_by = ?16, packet = ?17, bin = ?18
        where tossup = ?1
        """,
        [
            tossup_id,
            review.writer,
            str(review.status),
            since.at_ms if since else 0,
            since.seq if since else 0,
            review.locked,
            review.is_superseded(seq),
            review.set_name,
            *levels,
            str(review.consent),
            review.open_comments,
            review.open_suggestions,
            str(review.release.basis),
            review.release.given_by,
            review.packet,
            json.dumps(bins, sort_keys=True) if bins else "",
        ],
    )


def list_all_games(db: sqlite3.Connection, tossup_id: str, answer: Answer | None) -> None:
    """Compute anew the columns that follow from the games of a tossup, for ``answer``.

    Buzzes are right or wrong, and shifts count or not, by the answer: another answer changes them for the
    games that were played before it was given.
    """
    db.execute("delete from standing where tossup = ?", [tossup_id])
    db.execute("update listed set shift = null where tossup = ?", [tossup_id])
    list_games(db, tossup_id, answer, games_in_order(game_rows(db, tossup_id)))


def list_games(db: sqlite3.Connection, tossup_id: str, answer: Answer | None, games: Iterable[Game]) -> None:
    """Write the columns that follow from ``games``, given in their order, on a tossup with ``answer``.

    A game without a buzz counts as a buzz at the end: a buzz that goes away is a shift, too. A player that
    cannot know the answer has no shift.
    """
    before = {
        row[0]: row
        for row in db.execute(
            "select guesser, engine, seq, words, buzz_heard from standing where tossup = ?", [tossup_id]
        )
    }
    (shift,) = db.execute("select shift from listed where tossup = ?", [tossup_id]).fetchone()
    key = answer.key if answer else ""
    said = knowledge(db, [key])
    last: dict[str, Game] = {}
    for one in games:
        seq, _, guesser, engine, words, first, _, buzz, _, _ = one
        if guesser in before:
            _, same_engine, last_seq, last_words, last_buzz = before[guesser]
            if seq < last_seq:
                continue  # an old draft, played again
            knows = said.get((key, guesser, engine))
            if engine == same_engine and seq > last_seq and can_know(answer, knows, first):
                at, last_at = words if buzz is None else buzz, last_words if last_buzz is None else last_buzz
                shift = max(shift or 0, abs(at - last_at))
        before[guesser] = (guesser, engine, seq, words, buzz)
        last[guesser] = one
    db.executemany(
        """
        insert or replace into standing (tossup, seq, guesser, engine, words, first_correct, stable_correct,
                                         buzz_heard, buzz_right, possible)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (
                tossup_id, seq, guesser, engine, words, first, stable, buzz,
                None if page is None else answer is not None and answer.accepts(page),
                _possible(db, tossup_id, answer, game),
            )
            for game in last.values()
            for seq, _, guesser, engine, words, first, stable, buzz, page, _ in (game,)
        ],
    )  # fmt: skip
    db.execute("update listed set shift = ?2 where tossup = ?1", [tossup_id, shift])
    list_outcomes(db, tossup_id, answer)


def _possible(db: sqlite3.Connection, tossup_id: str, answer: Answer | None, game: Game) -> int | None:
    """Where the first guess of ``game`` may be right first, as far as it is known; None if it was right.

    A game that came in a pack, or from an older version, tells its guesses at the end only.
    """
    seq, _, guesser, engine, words, first, _, _, _, top = game
    if answer is None or first is not None:
        return None
    row = db.execute(
        "select possible from shown where (tossup, seq, guesser, engine) = (?, ?, ?, ?) order by id desc",
        [tossup_id, seq, guesser, engine],
    ).fetchone()
    if row is not None and row[0] is not None:
        return int(row[0])
    return words if _ends_possible(answer, top) else None


def _ends_possible(answer: Answer, top: str) -> bool:
    """Whether the first of the guesses ``top`` at the end of a game may be right."""
    from quizwriter.judging import may_be_right  # here, as the start does not wait for the judge

    final = next(iter(StoredGuesses(top)), None)
    return final is not None and may_be_right(answer, final.page)


def list_final_guesses(db: sqlite3.Connection, tossup_id: str, answer: Answer | None) -> None:
    """Write of games from older versions whether the first guess may be right at the end."""
    rows = db.execute(
        """
        select guesser, top from standing join shown using (tossup, seq, guesser, engine)
        where tossup = ? and standing.first_correct is null
        """,
        [tossup_id],
    ).fetchall()
    db.executemany(
        "update standing set possible = words where tossup = ? and guesser = ?",
        [(tossup_id, guesser) for guesser, top in rows if answer and _ends_possible(answer, top)],
    )
    list_outcomes(db, tossup_id, answer)


def are_listed(db: sqlite3.Connection, tossup_id: str, plays: Sequence[PlaySummary]) -> bool:
    """Whether lists show these games already, of the text as it is now."""
    rows = db.execute(
        """
        select guesser, engine, standing.words, first_correct, stable_correct, buzz_heard, knowable, possible
        from standing join tossup on tossup.id = standing.tossup and tossup.seq = standing.seq
        where tossup = ?
        """,
        [tossup_id],
    )
    known = {row[0]: row for row in rows}
    return all(
        known.get(play.guesser)
        == (play.guesser, play.engine, play.words, play.first_correct, play.stable_correct, play.buzz,
            play.knowable, play.possible)
        for play in plays
    )  # fmt: skip


def list_plays(db: sqlite3.Connection, tossup_id: str, tossup: Tossup, plays: Sequence[PlaySummary]) -> bool:
    """Write games of ``tossup`` that were played while nobody looked; False where the tossup has changed.

    They move no buzz, as no edit made them: the biggest shift stays.
    """
    row = db.execute("select text, answer_line, page, seq from tossup where id = ?", [tossup_id]).fetchone()
    answer = tossup.answer
    asked = (answer.line, answer.page) if answer else ("", None)
    if row is None or row[:3] != (tossup.text, *asked):
        return False
    key = answer.key if answer else ""
    db.executemany(
        "insert or replace into answer_knowledge (answer, guesser, engine, knows) values (?, ?, ?, ?)",
        [(key, play.guesser, play.engine, play.knowable) for play in plays if key],
    )
    db.executemany(
        """
        insert or replace into standing (tossup, seq, guesser, engine, words, first_correct, stable_correct,
                                         buzz_heard, buzz_right, possible)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (tossup_id, row[3], play.guesser, play.engine, play.words, play.first_correct,
             play.stable_correct, play.buzz, None if play.buzz is None else play.buzzes_right, play.possible)
            for play in plays
        ],
    )  # fmt: skip
    list_outcomes(db, tossup_id, answer)
    return True


def list_outcomes(db: sqlite3.Connection, tossup_id: str, answer: Answer | None) -> None:
    """Write which players can know ``answer``.

    The verdict of a player of the same engine on the same answer decides, whenever it was given. Without one,
    as in databases of older versions, :func:`quizwriter.domain.guessing.can_know` decides.
    """
    rows = db.execute(
        """
        select standing.guesser, first_correct, knows from standing
            left join answer_knowledge known
            on known.guesser = standing.guesser and known.engine = standing.engine and known.answer = ?2
        where tossup = ?1
        """,
        [tossup_id, answer.key if answer else ""],
    ).fetchall()
    db.executemany(
        "update standing set knowable = ? where tossup = ? and guesser = ?",
        [
            (can_know(answer, None if knows is None else bool(knows), first), tossup_id, guesser)
            for guesser, first, knows in rows
        ],
    )


def put_knowledge(db: sqlite3.Connection, shown: Iterable[RecordedPlay]) -> None:
    """Keep which answers the players said that they know, so that it holds for every tossup with one."""
    db.executemany(
        "insert or replace into answer_knowledge (answer, guesser, engine, knows) values (?, ?, ?, ?)",
        {
            (one.answer_key, one.guesser, one.engine, one.knows_answer)
            for one in shown
            if one.knows_answer is not None and one.answer_key
        },
    )


def knowledge(db: sqlite3.Connection, keys: Iterable[str]) -> dict[tuple[str, str, str], bool]:
    """Whether players know the answers ``keys``, as they said: by key, player and engine."""
    return {
        (key, guesser, engine): bool(knows)
        for key in keys
        for guesser, engine, knows in db.execute(
            "select guesser, engine, knows from answer_knowledge where answer = ?", [key]
        )
    }


def history(db: sqlite3.Connection, tossup_id: str) -> tuple[Change, ...]:
    rows = db.execute(
        "select seq, at_ms, start, removed, inserted, author, kind from edit where tossup = ? order by seq",
        [tossup_id],
    )
    return tuple(decoded(tossup_id, rows, decode_edit))


def edit_times(db: sqlite3.Connection) -> dict[str, list[tuple[str, int]]]:
    """Who made each edit of every tossup, and when in milliseconds since 1970, by tossup id."""
    found: dict[str, list[tuple[str, int]]] = {}
    for tossup_id, author, at_ms in db.execute("select tossup, author, at_ms from edit"):
        found.setdefault(tossup_id, []).append((author, at_ms))
    return found


def players_shown(db: sqlite3.Connection, tossup_id: str) -> tuple[tuple[int, str], ...]:
    """For each edit after which a player showed its game of the tossup: its number, and the player."""
    return tuple(
        db.execute("select distinct seq, guesser from shown where tossup = ? order by 1, 2", [tossup_id])
    )


def game_rows(db: sqlite3.Connection, tossup_id: str) -> list[Game]:
    """The games that players showed of a tossup, in the order of the edits before them."""
    rows = db.execute(
        """
        select seq, at_ms, guesser, engine, words, first_correct, stable_correct, buzz_heard, buzz_page, top
        from shown where tossup = ? order by seq, at_ms, id
        """,
        [tossup_id],
    )
    return list(decoded(tossup_id, rows, decode_game))


def answers(db: sqlite3.Connection, tossup_id: str) -> tuple[AnswerChange, ...]:
    rows = db.execute(
        "select seq, at_ms, answer_line, page, author from asked where tossup = ? order by seq, at_ms",
        [tossup_id],
    )
    return tuple(decoded(tossup_id, rows, decode_answer))


_EVENT_COLUMNS = """
    event.id, event.at_ms, event.author, event.kind, event.body, event.seq, event.after, event.key,
    event.signature, signing_key.key
"""
_EVENT_KEYS = "left join signing_key on signing_key.person = event.author and signing_key.first"


def events(db: sqlite3.Connection, tossup_id: str, which: str = "") -> tuple[Event, ...]:
    """Every event of a tossup, in order; not those of other branches. ``which`` is a further condition."""
    rows = db.execute(
        f"""
        select {_EVENT_COLUMNS}
        from event left join edit on edit.tossup = ?1 and edit.seq = event.seq {_EVENT_KEYS}
        where event.root = (select root from tossup where id = ?1)
              and (event.seq = 0 or edit.id = event.after) {which}
        order by event.at_ms, event.id
        """,
        [tossup_id],
    )
    return tuple(decoded(tossup_id, rows, decode_event(tossup_id)))


def styles(db: sqlite3.Connection, tossup_id: str, answer: Answer | None) -> tuple[TextStyles, TextStyles]:
    rows = db.execute(
        f"""
        select {_EVENT_COLUMNS}
        from event left join edit on edit.tossup = ?1 and edit.seq = event.seq {_EVENT_KEYS}
        where event.root = (select root from tossup where id = ?1)
              and event.kind in ('styles', 'answer styles') and (event.seq = 0 or edit.id = event.after)
        order by event.at_ms, event.id
        """,
        [tossup_id],
    )
    said = tuple(decoded(tossup_id, rows, decode_event(tossup_id)))
    if not said:
        return PLAIN, PLAIN
    line = answer.line if answer is not None else ""
    return styles_after(history(db, tossup_id), said), answer_styles(line, said)


def all_events(db: sqlite3.Connection) -> tuple[Event, ...]:
    """Every event of every tossup, each once: under the tossup itself, or one of its branches."""
    rows = db.execute(
        f"""
        select first.id, {_EVENT_COLUMNS}
        from event join (select root, coalesce(max(case when id = root then id end), min(id)) as id
                         from tossup group by root) first on first.root = event.root {_EVENT_KEYS}
        """
    )
    return tuple(
        event
        for tossup_id, *row in rows
        for event in decoded(tossup_id, [tuple(row)], decode_event(tossup_id))
    )


def style_events(db: sqlite3.Connection) -> tuple[Event, ...]:
    """The events that choose style sheets and words of sets, and those that take any of these back."""
    return events_of_kind(db, "style") + events_of_kind(db, "set word")


def events_of_kind(db: sqlite3.Connection, kind: str) -> tuple[Event, ...]:
    """The events of this kind of all tossups, and those that take any of these back."""
    rows = db.execute(
        f"""
        select event.root, {_EVENT_COLUMNS}
        from event {_EVENT_KEYS}
        where event.kind = ?1 or (event.kind = 'taken back' and event.root in (
            select root from event where kind = ?1))
        """,
        [kind],
    )
    return tuple(event for root, *row in rows for event in decoded(root, [tuple(row)], decode_event(root)))


def tag_events(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, list[Event]]:
    """The events that tag, of many tossups at once, by tossup; a tossup without such events is left out."""
    found: dict[str, list[Event]] = {}
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        for tossup_id, *row in db.execute(
            f"""
            select tossup.id, {_EVENT_COLUMNS}
            from tossup join event on event.root = tossup.root
                 left join edit on edit.tossup = tossup.id and edit.seq = event.seq {_EVENT_KEYS}
            where tossup.id in ({", ".join("?" * len(some))}) and event.kind in ('tags', 'taken back')
                  and (event.seq = 0 or edit.id = event.after)
            """,
            some,
        ):
            found.setdefault(tossup_id, []).extend(decoded(tossup_id, [row], decode_event(tossup_id)))
    return found
