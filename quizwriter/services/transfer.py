"""Tossups in and out: question files that become drafts, packs, and histories as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from quizwriter.cancellation import Cancellation
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import (
    Body,
    Categorised,
    Cited,
    Event,
    Person,
    PutInSet,
    WrittenBy,
    fold_events,
)
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.services.profile import Profile
from quizwriter.services.tossups import Tossups
from quizwriter.store import MergeOutcome as MergeOutcome
from quizwriter.store import MergeReport as MergeReport
from quizwriter.store import Store
from quizwriter.workflow.session import PendingSave, now_ms
from quizwriter.workflow.wording import merge_sentence, move_line

if TYPE_CHECKING:
    from quizwriter.formats.question_files import ReadReport

SUFFIX = ".qwpack"
"""How the name of a pack ends."""

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Is told how many of how many tossups are done."""

_AT_ONCE = 500  # tossups of a question file that are written together


@dataclass
class ImportReport:
    """What came of question files: the tossups added, how many were here already, and the reports."""

    added: list[str] = field(default_factory=list)
    known: int = 0
    reports: list[ReadReport] = field(default_factory=list)


def _person_id(name: str) -> str:
    """The id of somebody of whom a file says no more than the name; the same everywhere."""
    from quizwriter.formats.question_files import clean

    return "named-" + hashlib.sha256(clean(name).casefold().encode()).hexdigest()[:24]


def _counted(
    things: Iterable[T], total: int, progress: Progress | None, cancellation: Cancellation | None
) -> Iterator[T]:
    """``things``, with progress told between them; it raises Cancelled as soon as they are not wanted."""
    for done, thing in enumerate(things):
        if cancellation is not None:
            cancellation.check()
        if progress is not None and done % 20 == 0:
            progress(done, total)
        yield thing


def import_sentence(merged: MergeReport) -> str:
    """What came of it, in a sentence or two."""
    counts = {came: merged.count(came) for came in MergeOutcome}
    return merge_sentence(
        counts[MergeOutcome.NEW],
        counts[MergeOutcome.UPDATED],
        counts[MergeOutcome.BRANCHED],
        counts[MergeOutcome.UNCHANGED],
        answered=len(merged.answered),
    )


@dataclass(frozen=True, slots=True)
class BranchLine:
    """A branch as people tell it from others: what it says, and what was done to it since they parted."""

    tossup_id: str
    tossup: Tossup
    edits: int  # since they parted
    authors: tuple[str, ...]  # of those edits; unknown ones are left out
    at_ms: int  # of the last of them


def display_title(tossup: Tossup) -> str:
    """What to call a tossup: its answer, or how it begins."""
    if tossup.answer is not None:
        return tossup.answer.main
    opening = " ".join(tossup.text[:60].split())
    return f"“{opening} …”" if opening else "An empty tossup"


class Transfer:
    """Takes tossups in and gives them out."""

    def __init__(self, store: Store, profile: Profile, tossups: Tossups) -> None:
        """Transfer into and out of ``store``; ``profile`` is who imports and adopts."""
        self._store = store
        self._profile = profile
        self._tossups = tossups

    def import_files(
        self,
        paths: Sequence[Path],
        *,
        set_name: str = "",
        progress: Callable[[ReadReport], None] | None = None,
    ) -> ImportReport:
        """Make each question of some files a draft with its answer, author, category and source.

        A question that was added here before is not added again. ``progress`` gets the report of the file
        that is being read, as far as it is.

        Raises:
            QuizwriterError: a file cannot be read to its end, or nothing can be written; what was read of the
                files before stays.
        """
        from quizwriter.formats.question_files import ReadReport, one_line, question_of, rows, source_of

        done = ImportReport()
        for path in paths:
            report = ReadReport(str(path))
            done.reports.append(report)
            seen: set[str] = set()
            found: list[tuple[PendingSave, list[Body]]] = []
            people: dict[str, Person] = {}
            for row in rows(path, report):
                question = question_of(row, report, seen)
                if question is None:
                    continue
                line = one_line(row.get("answer")) or question.answer
                key = hashlib.sha256(
                    f"{self._profile.me.id}\n{question.id}\n{question.text}".encode()
                ).hexdigest()[:32]
                at_ms = now_ms()
                change = Change(1, at_ms, Edit(0, "", question.text), self._profile.me.id)
                answer = Answer(line, None if question.page is None else Page(question.page))
                said: list[Body] = [Cited(source_of(row))]
                if set_name:
                    said.append(PutInSet(set_name))
                if question.category:
                    said.append(
                        Categorised(
                            tuple(filter(None, (question.category, one_line(row.get("subcategory")))))
                        )
                    )
                author = one_line(row.get("author")) or one_line(row.get("writer"))
                if author:
                    person = Person(_person_id(author), author)
                    people[person.id] = person
                    said.append(WrittenBy(person.id))
                found.append(
                    (
                        PendingSave(
                            key, question.text, answer, 0, at_ms, (change,), author=self._profile.me.id
                        ),
                        said,
                    )
                )
                if len(found) == _AT_ONCE:
                    self._add(found, people, done)
                    if progress is not None:
                        progress(report)
            self._add(found, people, done)
        return done

    def _add(
        self, found: list[tuple[PendingSave, list[Body]]], people: dict[str, Person], done: ImportReport
    ) -> None:
        for person in people.values():
            self._store.save_person(person)
        added = set(self._store.add(saving for saving, _ in found))
        self._store.add_events(
            Event.new(saving.tossup_id, saving.at_ms, self._profile.me.id, body)
            for saving, bodies in found
            if saving.tossup_id in added
            for body in bodies
        )
        done.added += sorted(added)
        done.known += len(found) - len(added)
        found.clear()
        people.clear()

    def pack(
        self,
        path: Path,
        tossup_ids: Iterable[str] | None = None,
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
    ) -> int:
        """Write tossups, or all, with all their branches into the pack ``path``; how many branches those are.

        Raises:
            QuizwriterError: one is not there or damaged, or the pack cannot be written.
            Cancelled: the work was cancelled; no pack was written.
        """
        from quizwriter.formats import archive

        keys = self._store.expand_branches(tossup_ids)
        branches = _counted(self._store.branches(keys), len(keys), progress, cancellation)
        return archive.write(path, branches, self._store.people().values())

    def merge(
        self,
        paths: Sequence[Path],
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
    ) -> MergeReport:
        """Put what packs hold beside what is here: all of all packs, or nothing.

        Raises:
            QuizwriterError: one cannot be read or is refused, which says which and why.
            Cancelled: the work was cancelled; nothing was merged.
        """
        from quizwriter.formats.archive import Pack

        arrived = [Pack(path) for path in paths]
        total = sum(one.tossups for one in arrived)
        people = [person for one in arrived for person in one.people()]
        branches = (branch for one in arrived for branch in one.branches())
        return self._store.merge(_counted(branches, total, progress, cancellation), people)

    def diverged(self) -> tuple[tuple[BranchLine, ...], ...]:
        """Of each tossup that was edited in two places and not joined again, its branches.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        people = self._store.people()
        found = []
        for family in self._store.diverged():
            histories = {key: self._store.history(key) for key in family}
            shortest = min(map(len, histories.values()))
            same = next(
                (at for at in range(shortest) if len({history[at] for history in histories.values()}) > 1),
                shortest,
            )
            lines = []
            for key, history in histories.items():
                own = history[same:]
                names = dict.fromkeys(people[one.author].name for one in own if one.author in people)
                last = max((one.at_ms for one in own), default=0)
                lines.append(
                    BranchLine(key, self._store.load(key).tossup, len(own), tuple(filter(None, names)), last)
                )
            found.append(tuple(lines))
        return tuple(found)

    def adopt(self, tossup_id: str) -> tuple[Event, ...]:
        """Go on with one branch of a tossup alone; the events that say so, which can be taken back.

        Raises:
            QuizwriterError: nothing could be written.
        """
        return self._store.adopt(tossup_id, self._profile.me.id, now_ms())

    def arrivals(self, merged: MergeReport) -> list[tuple[str, str, MergeOutcome]]:
        """What arrived and was not known: its id, what to call it, and what came of it."""
        return [
            (key, display_title(self._store.load(key).tossup), came)
            for key, came in merged.outcomes.items()
            if came is not MergeOutcome.UNCHANGED
        ]

    def history_json(self, tossup_id: str) -> dict[str, Any]:
        """All that is known of a tossup, ready for JSON.

        Raises:
            QuizwriterError: it is not there, or its history does not replay.
        """
        from quizwriter.formats.histories import HistoryParts, ReadableView, encode_history

        store = self._store
        kept = store.load(tossup_id)
        people = store.people()
        past = self._tossups.titled_history(tossup_id)
        events = store.events(tossup_id)
        parts = HistoryParts(
            past.history.changes, store.answers(tossup_id), store.game_rows(tossup_id), events
        )
        encoded = encode_history(parts, ReadableView({key: person.name for key, person in people.items()}))
        answer = kept.tossup.answer
        return {
            "id": tossup_id,
            "text": kept.tossup.text,
            "answer": answer and answer.line,
            "page": answer and answer.page,
            "status": str(fold_events(events).status),
            **{name: rows for name, rows in encoded.items() if name != "events"},
            "moves": [
                {
                    "edits": [move.first, move.last],
                    "told": move_line(move),
                    "players": {
                        shift.player: {
                            "before": shift.before.buzz_heard,
                            "after": shift.after.buzz_heard,
                            "words": shift.after.words,
                        }
                        for shift in move.shifts
                    },
                }
                for move in past.history.moves
            ],
            "events": encoded["events"],
            "branches": list(store.sibling_branches(tossup_id)),
        }
