"""The columns of a row as the domain's objects, and back.

A database is outside data: a disk damages it, a sync program mixes two of them, and people open the database
of somebody else. Every row is decoded here. The decoders get a text that is not UTF-8 as bytes.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, NamedTuple, TypeVar, overload

import msgspec

from quizwriter.domain.events import Body, Event, Released, decode_body, event_kinds
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.page import Page
from quizwriter.domain.review import Person
from quizwriter.domain.signatures import judge
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.formats.histories import decode_guesses
from quizwriter.store.refusals import tossup_is_damaged
from quizwriter.system.decoding import Count, DecodingError, decode_row
from quizwriter.system.signing import Signature
from quizwriter.workflow.branches import Game
from quizwriter.workflow.session import AnswerChange, RecordedPlay

log = logging.getLogger(__name__)

T = TypeVar("T")
Row = Sequence[object]

Number = Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]
"""The number of an edit."""


class _TossupRow(NamedTuple):
    text: str
    answer_line: str
    page: Page | None
    seq: Count
    cursor: Count
    head: str
    locked: Count


class _EditRow(NamedTuple):
    seq: Number
    at_ms: Count  # also beyond the calendar: older programs took any date from a pack
    start: Count
    removed: str
    inserted: str
    author: str
    kind: str


class _AnswerRow(NamedTuple):
    seq: Count
    at_ms: Count
    answer_line: str
    page: Page | None
    author: str


class _GameRow(NamedTuple):
    seq: Count
    at_ms: Count
    guesser: str
    engine: str
    words: Count
    first_correct: Count | None
    stable_correct: Count | None
    buzz_heard: Count | None
    buzz_page: str | None
    top: str


class _EventRow(NamedTuple):
    id: str
    at_ms: Count
    author: str
    kind: str
    body: str
    seq: Count
    after: str
    signed_by: str  # a key; empty: nobody signed it
    signature: str
    first_key: str | None  # the first one seen for the author


class _PersonRow(NamedTuple):
    id: str
    name: str
    email: str
    changed_ms: Count
    signed_by: str
    signature: str
    first_key: str


PEOPLE = """
    select id, name, email, changed_ms, person.key, signature, coalesce(signing_key.key, '')
    from person left join signing_key on signing_key.person = id and first order by id
"""
"""All people, with the first key that was seen for each."""

_KINDS = {str(kind): kind for kind in EditKind}


def text_or_bytes(raw: bytes) -> str | bytes:
    """A text column as SQLite hands it over; its bytes if they are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def shown_text(value: object) -> str:
    """A text column for a list, which must show a damaged row, too: what cannot be read is replaced."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if isinstance(value, str) else ""


def decoded(tossup_id: str, rows: Iterable[Row], decode: Callable[[Row], T]) -> Iterator[T]:
    for row in rows:
        try:
            one = decode(row)
        except DecodingError as trouble:
            raise tossup_is_damaged(tossup_id, str(trouble)) from trouble
        yield one


def decode_tossup(row: Row) -> tuple[Tossup, int, int, str, bool]:
    """The tossup with the columns text, answer_line and page, and then seq, cursor, head and locked."""
    text, line, page, seq, cursor, head, locked = decode_row(row, _TossupRow)
    return Tossup(text, answer_of_columns(line, page)), seq, cursor, head, bool(locked)


def decode_edit(row: Row) -> Change:
    """The edit with the columns seq, at_ms, start, removed, inserted, author and kind."""
    seq, at_ms, start, removed, inserted, author, kind = decode_row(row, _EditRow)
    return Change(seq, at_ms, Edit(start, removed, inserted), author, _KINDS.get(kind, EditKind.UNKNOWN))


def decode_answer(row: Row) -> AnswerChange:
    """The answer with the columns seq, at_ms, answer_line, page and author."""
    seq, at_ms, line, page, author = decode_row(row, _AnswerRow)
    return AnswerChange(seq, at_ms, answer_of_columns(line, page), author)


def decode_game(row: Row) -> Game:
    """The columns of a player's game; its guesses stay JSON."""
    return decode_row(row, _GameRow)


LONGEST_KNOWN_BODY = 500
"""Characters of a body that is remembered: what holds for a set is an event of each of its tossups."""


def _body(kind: str, raw: bytes | str) -> Body:
    known = event_kinds().get(kind)
    remark = known is not None and known.released is Released.WITH_REMARKS  # said once, and never again
    return decode_body(kind, raw) if remark or len(raw) > LONGEST_KNOWN_BODY else _known_body(kind, raw)


_known_body = lru_cache(maxsize=8_192)(decode_body)


def decode_event(tossup_id: str) -> Callable[[Row], Event]:
    """The decoder of events of ``tossup_id`` with the columns id, at_ms, author, kind, body, seq, after, key
    and signature, and with the first key of the author.

    It raises DecodingError: a column is damaged, or the kind or the body is unknown.
    """
    kept: dict[str, str] = {}  # thousands of comments have few authors and keys

    def decode(row: Row) -> Event:
        key, at_ms, author, kind, body, seq, after, signed_by, signature, first_key = decode_row(
            row, _EventRow
        )
        author, after, signed_by = (kept.setdefault(one, one) for one in (author, after, signed_by))
        return Event(
            key, tossup_id, at_ms, author, _body(kind, body), seq, after,
            Signature(signed_by, signature) if signed_by else None, judge(signed_by, first_key),
        )  # fmt: skip

    return decode


_BINS = msgspec.json.Decoder(dict[str, int])


def binned_ms(bins: object, owner: str) -> int:
    """When the tossup came into the bin of ``owner``, in ms since 1970; 0 if it is not there.

    ``bins`` is the column of that name, see :meth:`quizwriter.domain.review.Review.bins`. A damaged one is
    no bin: the tossup stays in sight.
    """
    try:
        found = _BINS.decode(bins) if isinstance(bins, str) else {}
    except msgspec.MsgspecError:
        return 0
    return found.get(owner, found.get("", 0)) if owner else 0


def decode_person(row: Row) -> Person:
    """The person with the columns of :data:`PEOPLE`."""
    person, name, email, changed_ms, signed_by, signature, first_key = decode_row(row, _PersonRow)
    signed = Signature(signed_by, signature) if signed_by else None
    return Person(person, name, email, changed_ms, signed, first_key)


def readable_people(rows: Iterable[Row]) -> Iterator[Person]:
    """The people in ``rows`` that are not damaged."""
    for row in rows:
        try:
            yield decode_person(row)
        except DecodingError as damage:
            log.info("a person is damaged: %s", damage)


def answer_of_columns(line: str, page: str | None) -> Answer | None:
    """The answer with the columns ``answer_line`` and ``page``; None if the line is empty."""
    return Answer(line, None if page is None else Page(page)) if line else None


def answer_columns(answer: Answer | None) -> tuple[str, str | None]:
    return (answer.line, answer.page) if answer is not None else ("", None)


def game_of_play(shown: RecordedPlay) -> Game:
    """The columns of a player's game."""
    return (
        shown.seq, shown.at_ms, shown.guesser, shown.engine, shown.words, shown.first_correct,
        shown.stable_correct, shown.buzz_heard, shown.buzz_page,
        json.dumps([[guess.page, guess.score] for guess in shown.top], ensure_ascii=False),
    )  # fmt: skip


def play_of_game(game: Game, *, answer_key: str, knows_answer: bool | None, knowable: bool) -> RecordedPlay:
    """The play with the columns ``game``; its guesses are decoded when somebody looks at them.

    The other arguments are what :class:`RecordedPlay` has of that name.
    """
    seq, at_ms, guesser, engine, words, first, stable, buzz, page, top = game
    return RecordedPlay(
        seq, at_ms, guesser, engine, StoredGuesses(top), first, stable, buzz,
        None if page is None else Page(page), words, answer_key, knows_answer, knowable,
    )  # fmt: skip


class StoredGuesses(Sequence[Guess]):
    """The guesses of a stored game, decoded when they are first used: most of a history never are.

    Damaged guesses are none: a history is shown without them, and the check of the database names them.
    """

    __slots__ = ("_kept",)

    def __init__(self, kept: str) -> None:
        self._kept: str | tuple[Guess, ...] = kept

    @property
    def _read(self) -> tuple[Guess, ...]:
        if isinstance(self._kept, str):
            try:
                self._kept = decode_guesses(self._kept)
            except DecodingError as damage:
                log.info("the guesses of a game are damaged: %s", damage)
                self._kept = ()
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
        return self._read == (other._read if isinstance(other, StoredGuesses) else other)

    def __hash__(self) -> int:
        return hash(self._read)

    def __repr__(self) -> str:
        return repr(self._read)
