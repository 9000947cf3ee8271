"""The history of a tossup as JSON: one encoder, and a view for each form.

The encoder knows of what a history consists and in which order; a view decides how a row of it is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec

from quizwriter.domain.events import Event, encode_body
from quizwriter.domain.guessing import Guess, can_know
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer
from quizwriter.errors import translate_reading_errors
from quizwriter.system.decoding import DecodingError, decode_json, open_regular, translate_decoding_errors
from quizwriter.system.moments import utc_time
from quizwriter.workflow.branches import Game
from quizwriter.workflow.session import AnswerChange, RecordedPlay

LONGEST_GUESSES = 20_000
"""Characters of the guesses of one game as JSON; five guesses are a hundredth of that."""

RELEASED_HISTORIES = "histories.jsonl"
"""The file of a challenge set in which the histories are, in the form of :class:`ReleaseView`."""

LONGEST_LINE = 64 << 20
"""Bytes of a line of the files of a challenge set; a long history is a tenth of that."""


_GUESSES = msgspec.json.Decoder(tuple[Guess, ...])


def decode_guesses(raw: str) -> tuple[Guess, ...]:
    """The guesses of a game, best first, from JSON of at most :data:`LONGEST_GUESSES` characters."""
    if len(raw) > LONGEST_GUESSES:
        raise DecodingError(f"guesses are longer than {LONGEST_GUESSES:,} characters")
    try:
        return _GUESSES.decode(raw)
    except msgspec.MsgspecError as trouble:  # not by decode_json: a pack has hundreds of thousands of them
        raise DecodingError(str(trouble)) from trouble


class HistoryParts(msgspec.Struct, frozen=True):
    """All that a tossup's history consists of, each part in its order."""

    changes: Sequence[Change]
    answers: Sequence[AnswerChange]
    games: Iterable[Game]
    events: Sequence[Event]

    @property
    def begun_ms(self) -> int:
        """The earliest moment of all edits, answers and events; 0 of an empty history."""
        return min(
            (one.at_ms for some in (self.changes, self.answers, self.events) for one in some), default=0
        )


class HistoryView(Protocol):
    """How the rows of a history are written; ``names`` are the keys of edits, answers, games and events."""

    names: tuple[str, str, str, str]

    def edit(self, change: Change) -> object:
        """An edit's row."""

    def answer(self, seq: int, at_ms: int, line: str | None, page: str | None, author: str) -> object:
        """The row of an answer that was set, or removed if ``line`` is None, after edit ``seq``."""

    def game(self, game: Game) -> object:
        """The row of a player's game."""

    def event(self, event: Event, kind: str, body: dict[str, Any]) -> object:
        """An event's row; ``kind`` and ``body`` are what :func:`encode_body` gives."""


def encode_history(parts: HistoryParts, view: HistoryView) -> dict[str, list[object]]:
    """The lists of edits, answers, games and events of a history as ``view`` writes them, ready for JSON."""
    edits, answers, games, events = view.names
    return {
        edits: [view.edit(change) for change in parts.changes],
        answers: [
            view.answer(
                one.seq,
                one.at_ms,
                one.answer.line if one.answer else None,
                one.answer.page if one.answer else None,
                one.author,
            )
            for one in parts.answers
        ],
        games: [view.game(game) for game in parts.games],
        events: [view.event(event, *encode_body(event.body)) for event in parts.events],
    }


class ArchiveView:
    """The form in packs: rows are arrays, times and people are as in the database."""

    names = ("edits", "asked", "games", "events")

    def edit(self, change: Change) -> object:
        """Time, start, removed and inserted text, author; the number is the place in the list."""
        edit = change.edit
        return [change.at_ms, edit.start, edit.removed, edit.inserted, change.author]

    def answer(self, seq: int, at_ms: int, line: str | None, page: str | None, author: str) -> object:
        """Number of the edit before, time, line and page or null, author."""
        return [seq, at_ms, None if line is None else [line, page], author]

    def game(self, game: Game) -> object:
        return game

    def event(self, event: Event, kind: str, body: dict[str, Any]) -> object:
        """Id, number and id of the edit before, time, author, kind, body, and key and signature."""
        signed = [event.signature.key, event.signature.value] if event.signature else []
        return [event.id, event.seq, event.after, event.at_ms, event.author, kind, body, *signed]


class ReadableView:
    """The form of ``quizwriter history --json``: times by the calendar, people by their names."""

    names = ("edits", "answers", "analyses", "events")

    def __init__(self, people: Mapping[str, str]) -> None:
        """A view that calls people by what ``people`` gives for their ids."""
        self._people = people

    def _when_and_who(self, at_ms: int, author: str) -> dict[str, str | None]:
        at = utc_time(at_ms).isoformat(timespec="milliseconds")
        return {"at": at, "author": self._people.get(author) or None, "author_id": author or None}

    def edit(self, change: Change) -> object:
        edit = change.edit
        return {
            "seq": change.seq,
            **self._when_and_who(change.at_ms, change.author),
            "start": edit.start,
            "removed": edit.removed,
            "inserted": edit.inserted,
        }

    def answer(self, seq: int, at_ms: int, line: str | None, page: str | None, author: str) -> object:
        """The answer by names."""
        return {"after_edit": seq, **self._when_and_who(at_ms, author), "answer": line, "page": page}

    def game(self, game: Game) -> object:
        seq, at_ms, guesser, engine, words, first, stable, buzz, page, top = game
        return {
            "after_edit": seq,
            "at": self._when_and_who(at_ms, "")["at"],
            "player": guesser,
            "engine": engine,
            "words": words,
            "first_correct": first,
            "stable_correct": stable,
            "buzz": buzz,
            "buzz_page": page,
            "guesses": [{"page": guess.page, "score": guess.score} for guess in decode_guesses(top)],
        }

    def event(self, event: Event, kind: str, body: dict[str, Any]) -> object:
        """The event by names, the values of its body among them."""
        when_and_who = self._when_and_who(event.at_ms, event.author)
        return {"id": event.id, "after_edit": event.seq, **when_and_who, "kind": kind, **body}


class ReleaseView:
    """The form in challenge sets: nobody's name and nobody's working hours.

    Times are milliseconds since the tossup was begun, and events refer to each other by number. A body is
    JSON in a text, because its form differs from kind to kind, and tables want one type in a column.
    """

    names = ("edits", "answers", "shown", "events")

    def __init__(
        self, parts: HistoryParts, pseudonym: Callable[[str], str], released_id: Callable[[str], str]
    ) -> None:
        """A view of ``parts`` that calls people by what ``pseudonym`` gives for their ids.

        ``released_id`` gives the id of another tossup.
        """
        self._released_id = released_id
        self._begun_ms = parts.begun_ms
        self._numbers = {event.id: number for number, event in enumerate(parts.events)}
        self._pseudonym = pseudonym

    def edit(self, change: Change) -> object:
        edit = change.edit
        return {
            "ms": change.at_ms - self._begun_ms,
            "by": self._pseudonym(change.author),
            "start": edit.start,
            "removed": edit.removed,
            "inserted": edit.inserted,
        }

    def answer(self, seq: int, at_ms: int, line: str | None, page: str | None, author: str) -> object:
        """The answer; where there is no line or page, the text is empty."""
        return {
            "seq": seq,
            "ms": at_ms - self._begun_ms,
            "by": self._pseudonym(author),
            "answer": line or "",
            "page": page or "",
        }

    def game(self, game: Game) -> object:
        seq, at_ms, guesser, engine, words, first, stable, buzz, page, top = game
        return {
            "seq": seq,
            "ms": at_ms - self._begun_ms,
            "guesser": guesser,
            "engine": engine,
            "words": words,
            "first_correct": first,
            "stable_correct": stable,
            "buzz": buzz,
            "buzz_page": page or "",
            "top": top,
        }

    def event(self, event: Event, kind: str, body: dict[str, Any]) -> object:
        """The event, with references to others by number, -1 if the other is not in this history."""
        values = dict(body)
        for name in ("comment", "suggestion"):
            if name in values:
                values[name] = self._numbers.get(values[name], -1)
        if "person" in values:
            values["person"] = self._pseudonym(values["person"])
        if "authors" in values:
            values["authors"] = [self._pseudonym(one) for one in values["authors"]]
        if "tossup" in values:
            values["tossup"] = self._released_id(values["tossup"])
        values.pop("step", None)  # of undo
        values.pop("at_ms", None)  # when a set chose its style sheet: with it, every time could be told
        values.pop("question", None)  # in a file; packs hold it, too
        if "by" in values:  # an edit of another branch; packs hold its id, too
            values["by"] = ""
        if "events" in values:
            values["events"] = [self._numbers.get(one, -1) for one in values["events"]]
        return {
            "number": self._numbers[event.id],
            "seq": event.seq,
            "ms": event.at_ms - self._begun_ms,
            "by": self._pseudonym(event.author),
            "kind": kind,
            "body": json.dumps(values, ensure_ascii=False, sort_keys=True),
        }


# -- the released form, read again

Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class ReleasedBy(msgspec.Struct):
    """What somebody did, by a pseudonym."""

    by: str


class ReleasedEdit(ReleasedBy):
    """An edit, see :meth:`ReleaseView.edit`."""

    start: Number
    removed: str
    inserted: str
    ms: Number = 0


class ReleasedAnswer(ReleasedBy):
    """An answer that was set or taken back, see :meth:`ReleaseView.answer`."""

    seq: Number = 0
    ms: Number = 0
    answer: str = ""
    page: str = ""


class ReleasedGame(msgspec.Struct):
    """What a player showed, see :meth:`ReleaseView.game`; its guesses are not read."""

    seq: Number
    guesser: str
    engine: str
    words: Number
    first_correct: Number | None
    stable_correct: Number | None
    buzz: Number | None
    buzz_page: str = ""
    ms: Number = 0


class ReleasedEvent(ReleasedBy):
    """An event, see :meth:`ReleaseView.event`."""

    body: str


class ReleasedHistory(msgspec.Struct):
    """The history of a question as a challenge set has it."""

    qanta_id: int
    edits: list[ReleasedEdit]
    answers: list[ReleasedAnswer]
    events: list[ReleasedEvent]
    shown: list[ReleasedGame] = []
    tossup_id: str = ""

    def changes(self) -> tuple[Change, ...]:
        """The edits; times are from the first moment of the tossup on, authors are pseudonyms."""
        return tuple(
            Change(seq, one.ms, Edit(one.start, one.removed, one.inserted), one.by)
            for seq, one in enumerate(self.edits, start=1)
        )

    def answer_changes(self) -> tuple[AnswerChange, ...]:
        """What the tossup was to ask for, in order."""
        return tuple(
            AnswerChange(
                one.seq,
                one.ms,
                Answer(one.answer, Page(one.page) if one.page else None) if one.answer else None,
                one.by,
            )
            for one in self.answers
        )

    def plays(self, knows: Mapping[str, bool]) -> tuple[RecordedPlay, ...]:
        """What the players showed; ``knows`` says which of them can know the answer of the question."""
        answers = self.answer_changes()
        final = answers[-1].answer if answers else None
        found, at = [], 0
        for one in sorted(self.shown, key=lambda game: (game.seq, game.ms)):
            while at + 1 < len(answers) and (answers[at + 1].seq, answers[at + 1].at_ms) <= (one.seq, one.ms):
                at += 1
            answer = answers[at].answer if answers else None
            key = answer.key if answer else ""
            said = knows.get(one.guesser) if final is not None and key == final.key else None
            found.append(
                RecordedPlay(
                    one.seq, one.ms, one.guesser, one.engine, (), one.first_correct, one.stable_correct,
                    one.buzz, Page(one.buzz_page) if one.buzz_page else None, one.words, key, said,
                    can_know(answer, said, one.first_correct),
                )
            )  # fmt: skip
        return tuple(found)


def released_histories(path: Path) -> Iterator[ReleasedHistory]:
    """The histories in the file ``path`` of a challenge set, one after the other."""
    number = 0
    with translate_reading_errors(path), open_regular(path) as file:
        while line := file.readline(LONGEST_LINE):
            number += 1
            with translate_decoding_errors(
                f"{path}, line {number}, is not a history of a challenge set",
                "Verify the set, or copy it again.",
            ):
                yield decode_json(line, ReleasedHistory)
