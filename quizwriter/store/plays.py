"""The plays of tossups, word by word, kept so that no player plays a tossup twice.

The plays are in a database of their own, ``plays.db``, and not among what people wrote: they are many times
as much, they can be made again, a backup need not have them, and an export that keeps them never makes the
saving of a draft wait for its turn.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import ceil
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from quizwriter.domain.guessing import Player, Playthrough, stumped
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.judging import first_possible, may_be_right
from quizwriter.store.rows import text_or_bytes
from quizwriter.system.decoding import DecodingError, decode_json, decode_value
from quizwriter.workflow.analysis import LONGEST_DRAFT
from quizwriter.workflow.checks import Check

log = logging.getLogger(__name__)

PLAYS = "plays.db"
VERSION = 2
"""Of the tables. A file with another version is emptied: what was in it is played again."""

BUSY_S = 10.0
"""How long one program waits for another that is keeping a play; nobody types meanwhile."""

_TABLES = (
    """
    create table play (
        engine text not null,         -- digest of what the player was loaded from
        tossup text not null,         -- digest of the player's name, the text and the answer
        guesser text not null,
        words integer not null,
        first_correct integer,        -- words heard; null: never
        stable_correct integer,
        buzz integer,
        buzz_page text not null,
        buzz_chance real not null,
        buzzes_right integer not null,
        knowable integer not null,
        curve text not null,          -- see PlaySummary
        possible integer,             -- words heard; null: the first guess is never possible
        course text not null,         -- JSON, see Course
        primary key (engine, tossup)
    ) strict, without rowid
    """,
    """
    create table checked (            -- the checks that rest on the tossup alone
        engine text not null,         -- digest of the bundle whose past questions were compared
        program text not null,        -- the program that checked, with its version
        tossup text not null,         -- digest of the text and the answer
        checks text not null,         -- JSON
        primary key (engine, program, tossup)
    ) strict, without rowid
    """,
)

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0)]
Flag = Annotated[int, msgspec.Meta(ge=0, le=1)]


class PlaySummary(msgspec.Struct, frozen=True):
    """A play without its course. Positions are words heard, None where there is none.

    ``curve`` has a character for each per cent of the words, from 1 to 100: 1 where the first guess is right
    then, ? where the player was not asked.
    """

    guesser: str
    engine: str  # digest of what the player was loaded from
    words: Count
    first_correct: Count | None
    stable_correct: Count | None
    buzz: Count | None
    buzz_page: str
    buzz_chance: float
    buzzes_right: bool
    knowable: bool  # whether the player can know the answer; of other plays nothing is counted
    curve: Annotated[str, msgspec.Meta(min_length=100, max_length=100)]
    possible: Count | None = None  # where the first guess may be right first, see may_be_right

    def right_after(self, share: int) -> bool:
        """Whether the first guess is right after ``share`` per cent of the words, from 1 to 100."""
        return self.curve[share - 1] == "1"

    def stumped(self, until: int = 100) -> bool:
        """Whether the player can know the answer and its first guess is surely wrong at all times until then.

        ``until`` is in per cent of the words.
        """
        last = -(-until * self.words // 100)  # rounded up, in whole numbers: 7 / 100 * 100 is more than 7
        early = (at if at is not None and at <= last else None for at in (self.first_correct, self.possible))
        return stumped(*early, knowable=self.knowable)


class Course(msgspec.Struct, frozen=True):
    """A play word by word.

    After each count of words in ``heard``: ``right`` says whether the first guess is right, ``chances`` what
    the player gives it, ``ranks`` the place of the true answer, ``guesses`` the numbers of its guesses in
    ``pages``, best first, ``scores`` how strong they are.
    """

    heard: list[Count]
    right: list[Flag]
    chances: list[float]
    ranks: list[Count | None]
    pages: list[str]
    guesses: list[list[Count]]
    scores: list[list[float]]

    def __post_init__(self) -> None:
        columns = (self.heard, self.right, self.chances, self.ranks, self.guesses, self.scores)
        if len({len(column) for column in columns}) != 1:
            raise ValueError("the columns differ in length")

    @property
    def last_guess(self) -> Page | None:
        """The first guess after the last word; None if there was no guess."""
        last = self.guesses[-1] if self.guesses else []
        return Page(self.pages[last[0]]) if last else None

    def curve(self, words: int, *, sampled: bool = False) -> str:
        """See :class:`PlaySummary`; ``words`` is how many the whole text has.

        Of a game that is ``sampled``, nothing is known but after the words in ``heard``.
        """
        found, at = [], -1
        for share in range(1, 101):
            count = ceil(share / 100 * words)
            if sampled and count not in self.heard:
                found.append("?")
                continue
            while at + 1 < len(self.heard) and self.heard[at + 1] <= count:
                at += 1
            found.append("1" if at >= 0 and self.right[at] else "0")
        return "".join(found)

    def first_possible(self, answer: Answer | None) -> int | None:
        """After how many words the first guess may be right first; None where it is always surely wrong."""
        if answer is None:
            return None
        firsts = ((heard, row[0]) for heard, row in zip(self.heard, self.guesses, strict=True) if row)
        return next((heard for heard, at in firsts if may_be_right(answer, self.pages[at])), None)


class PlayRecord(NamedTuple):
    """A whole play of a player on a tossup."""

    summary: PlaySummary
    course: Course

    @classmethod
    def of(cls, play: Playthrough, engine: str) -> PlayRecord:
        """The summary of ``play`` that is kept; ``engine`` is the digest of the files of the player."""
        numbers: dict[str, int] = {}
        words, buzz = len(play.tossup.words), play.buzz
        course = Course(
            heard=list(play.heard),
            right=[int(right) for right in play.right],
            chances=[round(float(chance), 4) for chance in play.chances],
            ranks=list(play.ranks),
            guesses=[[numbers.setdefault(guess.page, len(numbers)) for guess in row] for row in play.rows],
            pages=list(numbers),
            scores=[[round(float(guess.score), 3) for guess in row] for row in play.rows],
        )
        summary = PlaySummary(
            guesser=play.guesser,
            engine=engine,
            words=words,
            first_correct=play.first_correct,
            stable_correct=play.stable_correct,
            buzz=buzz.heard if buzz else None,
            buzz_page=buzz.guess.page if buzz else "",
            buzz_chance=round(float(buzz.confidence), 4) if buzz else 0.0,
            buzzes_right=play.buzzes_right,
            knowable=play.knowable,
            curve=course.curve(words, sampled=play.sampled),
            possible=first_possible(play),
        )
        return cls(summary, course)

    @property
    def row(self) -> dict[str, Any]:
        """The play as a row of ``plays.jsonl`` has it, but for the question's id."""
        columns = msgspec.structs.asdict(self.summary) | msgspec.structs.asdict(self.course)
        del columns["curve"], columns["possible"]  # which the other columns give
        return columns

    def line(self, question: int) -> bytes:
        """The line of ``plays.jsonl`` for the play of the question with this number."""
        return _encode({"qanta_id": question, **self.row}) + b"\n"


def play_and_record(player: Player, tossup: Tossup) -> PlayRecord:
    """Have ``player`` play ``tossup`` now, of which it hears no more than a draft may have."""
    play = player.play(tossup if len(tossup.words) <= LONGEST_DRAFT else tossup.heard(LONGEST_DRAFT))
    if play.trouble is not None:
        raise QuizwriterError(
            f"{player.name} could not play: {play.trouble}", "Switch that player off, or fix the problem."
        )
    return PlayRecord.of(play, player.engine)


class PlayCache:
    """The plays that are kept, and the checks that are slow; each is made again where it is damaged.

    One thread uses it; several programs may have it open. A program that is killed loses the play it was at.
    """

    def __init__(self, home: Path) -> None:
        """The plays that are kept in the data folder ``home``."""
        self._path, self._old = home / PLAYS, home / "plays"
        with self._translated():
            home.mkdir(parents=True, exist_ok=True)
            try:
                self._db = self._open()
            except sqlite3.DatabaseError as trouble:
                if trouble.sqlite_errorcode not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    raise
                log.warning("%s is damaged (%s); what it held is played again", self._path, trouble)
                for end in ("", "-wal", "-shm"):
                    self._path.with_name(PLAYS + end).unlink(missing_ok=True)
                self._db = self._open()

    def close(self) -> None:
        self._db.close()

    def has(self, player: Player, tossup: Tossup) -> bool:
        return self._select("1", player, tossup) is not None

    def summary(self, player: Player, tossup: Tossup) -> PlaySummary:
        """The summary of the play of ``player`` on ``tossup``: the one kept, else one played and kept now."""
        found = self._select(_SUMMARY, player, tossup)
        if found is not None:
            try:
                return _summary(found)
            except DecodingError as damage:
                log.warning("a play by %s is damaged (%s) and is played again", player.name, damage)
        return self._play(player, tossup).summary

    def record(self, player: Player, tossup: Tossup) -> PlayRecord:
        """The whole play; as for :meth:`summary`."""
        found = self._select(f"course, {_SUMMARY}", player, tossup)
        if found is not None:
            course, *summary = found
            try:
                return PlayRecord(_summary(summary), _decoded_text(course, Course))
            except DecodingError as damage:
                log.warning("a play by %s is damaged (%s) and is played again", player.name, damage)
        return self._play(player, tossup)

    def checks(
        self, engine: str, program: str, tossup: Tossup, make: Callable[[], tuple[Check, ...]]
    ) -> tuple[Check, ...]:
        """The checks of ``tossup`` by ``program`` against the bundle with the digest ``engine``.

        ``make`` makes them where none are kept; they are kept then.
        """
        key = engine, program, _digest("", tossup)
        with self._translated():
            sql = "select checks from checked where (engine, program, tossup) = (?, ?, ?)"
            found = self._db.execute(sql, key).fetchone()
        if found is not None:
            try:
                return _decoded_text(found[0], tuple[Check, ...])
            except DecodingError as damage:
                log.warning("the checks of a tossup are damaged (%s) and are made again", damage)
        made = make()
        with self._translated():
            self._db.execute("replace into checked values (?, ?, ?, ?)", (*key, _encode(made).decode()))
        return made

    def remove_old_files(self, engines: Iterable[str]) -> None:
        """Remove the files in which versions before the database kept the plays of these ``engines``.

        This version does not read them: they do not say whether a player can know the answer. The caller has
        played with the engines since. A file that cannot be removed stays.
        """
        with suppress(OSError):
            for engine in engines:
                name = f"{hashlib.sha256(engine.encode()).hexdigest()[:24]}.jsonl"
                (self._old / name).unlink(missing_ok=True)
            self._old.rmdir()  # if nothing else is in it

    def _play(self, player: Player, tossup: Tossup) -> PlayRecord:
        record = play_and_record(player, tossup)
        with self._translated():
            self._keep(_digest(player.name, tossup), record)
        return record

    def _select(self, columns: str, player: Player, tossup: Tossup) -> tuple[Any, ...] | None:
        words = min(len(tossup.words), LONGEST_DRAFT)  # another version may have counted them another way
        key = player.engine, _digest(player.name, tossup), words
        with self._translated():
            sql = f"select {columns} from play where (engine, tossup, words) = (?, ?, ?)"
            found = self._db.execute(sql, key).fetchone()
        return None if found is None else tuple(found)

    def _keep(self, tossup: str, record: PlayRecord) -> None:
        values = msgspec.structs.astuple(record.summary)
        marks = ", ".join("?" * (2 + len(values)))
        sql = f"replace into play (tossup, course, {_SUMMARY}) values ({marks})"
        self._db.execute(sql, (tossup, _encode(record.course).decode(), *values))

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None)
        db.text_factory = text_or_bytes
        try:
            db.execute("pragma trusted_schema = off")
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = normal")
            if _version(db) != VERSION:
                db.execute("begin immediate")
                if _version(db) != VERSION:  # another program may have been quicker
                    for statement in ("drop table if exists play", "drop table if exists checked", *_TABLES):
                        db.execute(statement)
                    db.execute(f"pragma user_version = {VERSION}")
                db.execute("commit")
            db.execute("select count(*) from play").fetchone()
        except BaseException:
            db.close()
            raise
        return db

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as trouble:
            raise QuizwriterError(
                f"The plays kept in {self._path} cannot be used ({trouble}).",
                "Free some disk space or allow writing there. If you delete it, they are played again.",
            ) from trouble


_SUMMARY = ", ".join(PlaySummary.__struct_fields__)
_encode = msgspec.json.Encoder().encode


def _summary(columns: Sequence[Any]) -> PlaySummary:
    named = dict(zip(PlaySummary.__struct_fields__, columns, strict=True))
    for name in ("buzzes_right", "knowable"):
        named[name] = bool(named[name])
    return decode_value(named, PlaySummary)


def _decoded_text(column: object, kind: type[T]) -> T:
    if not isinstance(column, str):
        raise DecodingError("a column holds bytes that are no text")
    return decode_json(column, kind)


def _digest(player: str, tossup: Tossup) -> str:
    answer = tossup.answer
    about: list[object] = [player, tossup.text, answer and answer.line, answer and answer.page]
    if answer is not None and len(answer.keys) > 1:
        about.append(answer.keys)  # plays that were kept before know the page alone
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:40]


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("pragma user_version").fetchone()[0])
