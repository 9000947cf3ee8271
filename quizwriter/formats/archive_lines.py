"""The lines of a pack: a branch, or a person, as JSON and back, with the limits of what one may hold.

What is written here is read here: a branch that no program could read again is refused while it is written.
"""

from __future__ import annotations

import json
from operator import itemgetter
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event, decode_body
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Person
from quizwriter.domain.signatures import SignedRun
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.formats.histories import (
    LONGEST_GUESSES,
    ArchiveView,
    HistoryParts,
    decode_guesses,
    encode_history,
)
from quizwriter.system.decoding import (
    LONGEST_IDENTIFIER,
    LONGEST_TEXT,
    Count,
    DecodingError,
    Identifier,
    Milliseconds,
    decode_json,
)
from quizwriter.system.signing import KEY_DIGITS, SIGNATURE_DIGITS, Signature
from quizwriter.workflow.branches import Branch, Game
from quizwriter.workflow.session import AnswerChange

LONGEST_LINE = 64 << 20
"""Bytes of the line of a branch."""
MOST_EDITS = MOST_ANSWERS = MOST_GAMES = MOST_EVENTS = 100_000
"""Rows of one branch; a tossup typed key by key has a fiftieth of each."""
LONGEST_ANSWER, LONGEST_NAME = 10_000, 1_000
"""Characters of an answer line, and of a page, a player, an engine, a name or an e-mail address."""

_MOST_ARRAYS = (
    1_000_000  # opening brackets in the rows of one kind: more would take memory before they are refused
)


def encode_line(row: object) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def encode_branch(branch: Branch) -> bytes:
    row = _branch_row(branch)
    for name, most, what in _row_limits():
        if len(row[name]) > most:
            raise _unpackable(branch, f"{len(row[name]):,} {what}, and no pack holds more than {most:,}")
    line = encode_line(row)
    if len(line) > LONGEST_LINE:
        raise _unpackable(
            branch, f"a history of more than {LONGEST_LINE >> 20} MB, the most that a pack holds"
        )
    if line.count(b"[") > _MOST_ARRAYS and any(
        encode_line(row[name]).count(b"[") > _MOST_ARRAYS for name, _, _ in _row_limits()
    ):
        raise _unpackable(
            branch, f"more than {_MOST_ARRAYS:,} lists in its history, the most that a pack holds"
        )
    return line


def _row_limits() -> tuple[tuple[str, int, str], ...]:
    """The lists of a branch in a pack: the name, the most rows, and what people call the rows."""
    return (
        ("edits", MOST_EDITS, "edits"),
        ("asked", MOST_ANSWERS, "changes of its answer"),
        ("games", MOST_GAMES, "games of players"),
        ("events", MOST_EVENTS, "events, such as comments and styles"),
    )


def _unpackable(branch: Branch, what: str) -> QuizwriterError:
    title = branch.answer.main if branch.answer else " ".join(branch.text[:60].split())
    return QuizwriterError(
        f"No pack was written, because the tossup “{title[:60]}” has {what}.",
        "Pack the other tossups without it. A backup of the database holds this one whole.",
    )


def _branch_row(branch: Branch) -> dict[str, Any]:
    parts = HistoryParts(branch.changes, branch.answers, branch.games, branch.events)
    return {
        "id": branch.root,
        "created_ms": branch.created_ms,
        "text": branch.text,
        **encode_history(parts, ArchiveView()),
        **({"signatures": _run_rows(branch)} if branch.runs else {}),
    }


def _run_rows(branch: Branch) -> list[object]:
    """The signatures of edits: the numbers of the first and the last edit, the key and the signature."""
    numbers = {made: seq for seq, made in enumerate(branch.ids, start=1)}
    rows = [(numbers[run.first], numbers[run.last], run.signature) for run in branch.runs]
    return [[first, last, one.key, one.value] for first, last, one in sorted(rows, key=itemgetter(0, 1))]


def encode_person(person: Person) -> bytes:
    signed = [person.signature.key, person.signature.value] if person.signature else []
    return encode_line([person.id, person.name, person.email, person.changed_ms, *signed])


_Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
_Author = Annotated[str, msgspec.Meta(max_length=LONGEST_IDENTIFIER)]
_Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
_AnswerLine = Annotated[str, msgspec.Meta(max_length=LONGEST_ANSWER)]
_Guesses = Annotated[str, msgspec.Meta(max_length=LONGEST_GUESSES)]


_Key = Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{KEY_DIGITS}}}\Z")]
_SignatureText = Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{SIGNATURE_DIGITS}}}\Z")]


class _EditRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    at_ms: Milliseconds
    start: Count
    removed: _Text
    inserted: _Text
    author: _Author


class _AnswerRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    seq: Count
    at_ms: Milliseconds
    answer: tuple[_AnswerLine, _Name | None] | None
    author: _Author


class _RunRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """The signature of the edits from number ``first`` to number ``last``."""

    first: Count
    last: Count
    key: _Key
    signature: _SignatureText


class _EventRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    id: Identifier
    seq: Count
    after: _Author
    at_ms: Milliseconds
    author: _Author
    kind: _Name
    body: msgspec.Raw
    key: _Key | None = None
    signature: _SignatureText | None = None


_GameRow = tuple[
    Count, Milliseconds, _Name, _Name, Count, Count | None, Count | None, Count | None, _Name | None, _Guesses
]


class _BranchRow(msgspec.Struct, forbid_unknown_fields=True):
    """A line whose rows are still JSON, so that they are counted before they take memory."""

    id: Identifier
    created_ms: Milliseconds
    text: _Text
    edits: msgspec.Raw
    asked: msgspec.Raw
    games: msgspec.Raw
    events: msgspec.Raw
    signatures: msgspec.Raw = msgspec.Raw(b"[]")  # packs of version 1 have none


class _Root(msgspec.Struct):
    id: Identifier


class _PersonRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    id: Identifier
    name: _Name
    email: _Name
    changed_ms: Milliseconds
    key: _Key | None = None
    signature: _SignatureText | None = None


def root_of(line: bytes) -> str:
    return decode_json(line, _Root).id


def decode_branch(line: bytes, latest_ms: int) -> Branch:
    """The branch in ``line``, a row of a pack in which nothing is dated after ``latest_ms``.

    Raises:
        ValueError: the line is not such a row, has more of something than a tossup may have, or the history
            does not lead to the text.
    """
    row = decode_json(line, _BranchRow)
    edits: list[_EditRow] = _some(row.edits, _EditRow, "edits", MOST_EDITS)
    asked: list[_AnswerRow] = _some(row.asked, _AnswerRow, "asked", MOST_ANSWERS)
    games: list[Game] = _some(row.games, _GameRow, "games", MOST_GAMES)
    said: list[_EventRow] = _some(row.events, _EventRow, "events", MOST_EVENTS)
    runs: list[_RunRow] = _some(row.signatures, _RunRow, "signatures", MOST_EDITS)
    if len({one.id for one in said}) < len(said):
        raise ValueError("two events have the same id")
    changes = [
        Change(seq, edit.at_ms, Edit(edit.start, edit.removed, edit.inserted), edit.author)
        for seq, edit in enumerate(edits, start=1)
    ]
    length = 0
    for edit in edits:
        length += len(edit.inserted) - len(edit.removed)
        if not 0 <= length <= LONGEST_TEXT:
            raise ValueError(f"a version has more than {LONGEST_TEXT:,} characters, or fewer than none")
    answers = []
    for one in asked:
        text, page = one.answer or ("", None)
        answer = None if one.answer is None else Answer(text, None if page is None else Page(page))
        answers.append(AnswerChange(one.seq, one.at_ms, answer, one.author))
    for number, game in enumerate(games):
        try:
            decode_guesses(game[9])
        except DecodingError as trouble:
            raise ValueError(f"games[{number}][9]: {trouble}") from trouble
    events = [
        Event(
            one.id,
            row.id,
            one.at_ms,
            one.author,
            decode_body(one.kind, bytes(one.body)),
            one.seq,
            one.after,
            _signature(one.key, one.signature),
        )
        for one in said
    ]
    last = len(changes)
    places = (*(one.seq for one in answers), *(game[0] for game in games), *(one.seq for one in events))
    if any(seq > last for seq in places):
        raise ValueError(f"a row names an edit after the last one, which is edit {last}")
    if any((game[7] is None) != (game[8] is None) for game in games):
        raise ValueError("games: a buzz has no page, or a page has no buzz")
    dates = (
        row.created_ms,
        *(one.at_ms for some in (edits, asked, said) for one in some),
        *(game[1] for game in games),
        *(getattr(one.body, "at_ms", 0) for one in events),
    )
    if max(dates) > latest_ms:
        raise ValueError("it is dated more than 100 years after the clock of this computer")
    try:
        branch = Branch.of(row.id, row.created_ms, changes, answers, games, events)
    except ValueError as trouble:
        raise ValueError(f"the history of {row.id} does not replay: {trouble}") from trouble
    if branch.text != row.text:
        raise ValueError(f"the history of {row.id} does not lead to its text")
    if not all(branch.contains(event.seq, event.after) for event in events):
        raise ValueError(f"an event of {row.id} belongs to no edit of this history")
    if not all(1 <= run.first <= run.last <= last for run in runs):
        raise ValueError(f"a signature names an edit after the last one, which is edit {last}")
    return replace(
        branch,
        runs=tuple(
            SignedRun(
                branch.ids[run.first - 1],
                branch.ids[run.last - 1],
                changes[run.first - 1].author,
                Signature(run.key, run.signature),
            )
            for run in runs
        ),
    )


def _signature(key: str | None, value: str | None) -> Signature | None:
    return None if key is None or value is None else Signature(key, value)


def _some(raw: msgspec.Raw, kind: object, name: str, most: int) -> list[Any]:
    """The at most ``most`` rows ``raw`` of the list ``name``."""
    text = bytes(raw)
    if text.count(b"[") > _MOST_ARRAYS:
        raise DecodingError(f"{name}: more than {most:,} rows")
    try:
        rows = decode_json(text, list[kind])  # type: ignore[valid-type]
    except DecodingError as trouble:
        place = str(trouble)
        raise DecodingError(f"{name}{place}" if place.startswith("[") else f"{name}: {place}") from trouble
    if len(rows) > most:
        raise DecodingError(f"{name}: more than {most:,} rows")
    return rows


def decode_person(line: bytes) -> Person:
    row = decode_json(line, _PersonRow)
    return Person(row.id, row.name, row.email, row.changed_ms, _signature(row.key, row.signature))
