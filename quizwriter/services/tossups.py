"""The tossups of the database: opening and saving them, their histories, and the example set."""

from __future__ import annotations

import tomllib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Progress
from quizwriter.domain.events import Body, Event
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.pronunciation import UsedGuide, own_guides
from quizwriter.domain.provenance import Provenance, provenance
from quizwriter.domain.review import Binned, Categorised, PutInSet, Rewritten
from quizwriter.domain.signatures import Authenticity
from quizwriter.domain.styles import AnswerStyled, Styled, TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.language_models import kept_for_good
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store, from_store
from quizwriter.store.summaries import TossupSummary
from quizwriter.system.decoding import (
    Count,
    Identifier,
    Milliseconds,
    decode_json,
    decode_value,
    translate_decoding_errors,
)
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession, now_ms
from quizwriter.workflow.tagging import Phenomenon
from quizwriter.workflow.wording import provenance_sentence

if TYPE_CHECKING:
    from quizwriter.formats.question_files import ReadReport
    from quizwriter.workflow.history_analysis import History
    from quizwriter.workflow.replacing import EditableTossup, TossupEdits

T = TypeVar("T")

EXAMPLES_MS = 1_795_275_000_000  # the time of the examples' edits, the same on all machines


class TitledHistory(msgspec.Struct, frozen=True):
    """A tossup's history, its title, and the names of its people by id."""

    history: History
    title: str
    names: dict[str, str]
    authenticity: tuple[Authenticity, ...] = ()  # of each edit, whether its author is proved
    origin: str = ""  # where the tossup comes from, in a sentence


class DatabaseReport(msgspec.Struct, frozen=True):
    """The result of a database check: the number of tossups, and a sentence on each damage."""

    path: Path
    tossups: int
    damage: tuple[str, ...]


class EditedTossup(msgspec.Struct, frozen=True):
    """A tossup ``before`` and ``after`` its edits, and the ``styles`` of the old answer."""

    before: Tossup
    after: Tossup
    styles: TextStyles


class EditReport(msgspec.Struct, frozen=True):
    """The tossups that were edited, with what takes that back, and those that were not."""

    undo: Mapping[str, EditedTossup]
    refused: tuple[str, ...] = ()


class Tossups:
    """The tossups of one writer's database."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    summaries = from_store(Store.tossups)
    foreign_version = from_store(Store.foreign_version)
    save = from_store(Store.save)
    empty_bin = from_store(Store.erase)

    def asking_the_same(self, tossup_id: str, answer: Answer) -> tuple[str, ...]:
        """The openings of the other tossups of the set of ``tossup_id`` that ask for ``answer``.

        Empty for a tossup in no set. Any thread may ask.
        """
        name = self._store.review_of(tossup_id).set_name
        if not name:
            return ()
        found = {
            other: opening
            for other, its_answer, opening in self._store.answers_of_set(name, tossup_id)
            if its_answer.line and its_answer.key == answer.key
        }
        return tuple(found[key] for key in self._store.one_of_each([*found]))

    def new_session(self) -> WritingSession:
        """A session on an empty tossup; the first save puts the tossup into the database."""
        return WritingSession(uuid.uuid4().hex, author=self._profile.me.id)

    def session(self, tossup_id: str) -> WritingSession:
        stored = self._store.load(tossup_id)
        return WritingSession(
            stored.tossup_id,
            stored.tossup,
            seq=stored.seq,
            head=stored.head,
            cursor=stored.cursor,
            author=self._profile.me.id,
            styles=stored.styles,
            answer_styles=stored.answer_styles,
        )

    def last_session(self) -> WritingSession:
        """A session on the tossup that was edited last, or on an empty one."""
        last = self._store.last()
        return self.new_session() if last is None else self.session(last)

    def drafts(self, keys: Sequence[str]) -> dict[str, Tossup]:
        return {key: self._store.load(key).tossup for key in keys}

    def titled_history(self, tossup_id: str) -> TitledHistory:
        from quizwriter.workflow.history_analysis import History  # imported late: not needed at start

        store = self._store
        tossup = store.load(tossup_id).tossup
        history = History(
            store.history(tossup_id),
            store.recorded_plays(tossup_id),
            store.answers(tossup_id),
            store.events(tossup_id),
        )
        opening = " ".join(tossup.text.split()[:6])
        names = {key: person.name for key, person in store.people().items()}
        return TitledHistory(
            history,
            tossup.answer.main if tossup.answer else opening or "a new tossup",
            names,
            store.edit_authenticity(tossup_id),
            provenance_sentence(self._provenance(tossup_id, history.changes), names),
        )

    def provenance(self, tossup_id: str) -> Provenance:
        return self._provenance(tossup_id, self._store.history(tossup_id))

    def _provenance(self, tossup_id: str, changes: Sequence[Change]) -> Provenance:
        return provenance(changes, self._store.review_of(tossup_id), self._store.players_shown(tossup_id))

    def branch_from(self, tossup_id: str, history: History, index: int) -> str:
        """Save a new tossup with the steps of ``history`` up to step ``index``. The result is its id.

        ``history`` is that of the tossup ``tossup_id``; the new one says that it began as a copy of it.
        """
        step = history.steps[index]
        pending = PendingSave(
            uuid.uuid4().hex,
            history.text(index),
            step.answer,
            cursor=0,
            at_ms=now_ms(),
            changes=history.changes[: step.seq],
            shown=tuple(one for one in history.shown if one.seq <= step.seq),
            author=self._profile.me.id,
            copied=True,
            styled=tuple(
                replace(Event.new("", one.at_ms, one.author, one.body), seq=one.seq)
                for one in history.styled
                if one.seq <= step.seq and isinstance(one.body, Styled | AnswerStyled)
            ),
        )
        self._store.save(pending)
        review = self._store.review_of(tossup_id)
        said: list[Body] = [Rewritten(tossup_id, step.seq), *kept_for_good(self._store, review)]
        self._store.add_events(
            [Event.new(pending.tossup_id, pending.at_ms, pending.author, one) for one in said]
        )
        return pending.tossup_id

    def duplicate(self, tossup_id: str) -> str:
        """Save a copy of a tossup with its history, set, category and clue sources; return its id."""
        history = self.titled_history(tossup_id).history
        if not history.steps:
            raise QuizwriterError("This tossup is empty.", "Write some text first.")
        copy = self.branch_from(tossup_id, history, len(history.steps) - 1)
        review = self._store.review_of(tossup_id)
        said: list[Body] = [event.body for event in review.clue_sources]
        if review.set_name:
            said.append(PutInSet(review.set_name, review.packet))
        if review.category:
            said.append(Categorised(review.category))
        if review.based_on is not None:
            said.append(review.based_on.body)
        if review.buzz_goal is not None:
            said.append(review.buzz_goal)
        me, at_ms = self._profile.me.id, now_ms()
        self._store.add_events([Event.new(copy, at_ms, me, body) for body in said])
        return copy

    # -- several texts at once

    def guides_of(self, names: Sequence[str], but: str) -> tuple[UsedGuide, ...]:
        """The pronunciation guides of ``names`` in the user's tossups without ``but``, by name as given.

        Any thread may ask.
        """
        if not names:
            return ()
        texts = [text for key, text in self._store.texts_with(names[-1].split()[-1]) if key != but]
        return tuple(guide for name in names for guide in own_guides(name, texts))

    def editable(self, tossup_ids: Sequence[str]) -> tuple[EditableTossup, ...]:
        """The tossups as find and replace reads them."""
        from quizwriter.workflow.replacing import EditableTossup

        found = []
        for key in tossup_ids:
            stored = self._store.load(key)
            answer, text = stored.tossup.answer, stored.tossup.text
            title = answer.main if answer is not None else " ".join(text.split()[:6]) or "An empty tossup"
            found.append(
                EditableTossup(key, title, text, stored.locked, None if answer is None else answer.line)
            )
        return tuple(found)

    def edit(self, edits: Mapping[str, TossupEdits]) -> EditReport:
        """Make ``edits`` of several saved tossups; those of a text are a step of undo in its tossup's log.

        A tossup that takes no edits, or whose text or answer line is not any more the one of which the edits
        were planned, stays as it is. An answer that gets another name loses its page.
        """
        from quizwriter.workflow.replacing import edited

        made: dict[str, EditedTossup] = {}
        refused = []
        for key, planned in edits.items():
            stored = self._store.load(key)
            answer = stored.tossup.answer
            wanted = [least for one in planned.text if (least := one.trimmed()) is not None]  # as if typed
            text = edited(stored.tossup.text, wanted)
            line = edited("" if answer is None else answer.line, planned.answer)
            if text is None or line is None or stored.locked:
                refused.append(key)
                continue
            at_ms, author = now_ms(), self._profile.me.id
            changes = tuple(
                Change(
                    stored.seq + place, at_ms, edit, author, EditKind.MORE if place > 1 else EditKind.FIRST
                )
                for place, edit in enumerate(wanted, start=1)
            )
            if changes:
                self._store.save(
                    PendingSave(
                        key, text, answer, min(stored.cursor, len(text)), at_ms, changes,
                        author=author, after=stored.head, answered=False,
                    )
                )  # fmt: skip
            after = self._answer_anew(key, line, planned.answer) if planned.answer else answer
            made[key] = EditedTossup(stored.tossup, Tossup(text, after), stored.answer_styles)
        return EditReport(made, tuple(refused))

    def take_back(self, edited: Mapping[str, EditedTossup]) -> EditReport:
        """Undo what :meth:`edit` did, as a step of undo in the log of each text, styles and pages included.

        A tossup that is locked, gone or was changed since stays as it is.
        """
        undone: dict[str, EditedTossup] = {}
        refused = []
        for key, one in edited.items():
            try:
                stored = self._store.load(key)
            except QuizwriterError:  # it is gone from the bin, for instance
                refused.append(key)
                continue
            session = self.session(key)
            if one.before.text != one.after.text:
                self._undo_last(session)
            if stored.locked or stored.tossup != one.after or session.tossup.text != one.before.text:
                refused.append(key)
                continue
            if session.set_answer(one.before.answer):
                session.restyle_answer(one.styles)
            self._save_session(session)
            undone[key] = one
        return EditReport(undone, tuple(refused))

    def _undo_last(self, session: WritingSession) -> None:
        """Undo the last step of the log; nothing is done where the log is another text's."""
        key = session.tossup_id
        try:
            session.take_log(session.log_of(self._store.history(key), self._store.events(key)))
        except ValueError:
            return
        session.undo()

    def _answer_anew(self, tossup_id: str, line: str, edits: Sequence[Edit]) -> Answer | None:
        """Save the edited answer ``line`` with its styles, which each edit takes along."""
        session = self.session(tossup_id)
        before, styles = session.tossup.answer, session.answer_styles
        answer = Answer(line)
        if before is not None and answer_key(answer.main) == answer_key(before.main):
            answer = replace(answer, page=before.page)
        for edit in edits:
            styles = styles.after(edit)
        session.set_answer(answer if line.strip() else None)
        session.restyle_answer(styles)
        self._save_session(session)
        return session.tossup.answer

    def _save_session(self, session: WritingSession) -> None:
        if (unsaved := session.take_unsaved()) is not None:
            self.save(unsaved)

    # -- the bin

    def bin_contents(self) -> tuple[TossupSummary, ...]:
        """The tossups in the user's bin, the last one thrown away first."""
        return self._store.tossups(binned=True)

    def put_in_bin(self, tossup_ids: Sequence[str], *, binned: bool = True) -> tuple[Event, ...]:
        """Throw tossups away, or take them out of the bin again; the events that say so.

        What that means for other people is in :meth:`quizwriter.domain.review.Review.bins`.
        """
        if binned and any(self._store.review_of(key).locked for key in tossup_ids):
            raise QuizwriterError(
                "An accepted tossup cannot be moved to the bin.", "Unlock it first, or withdraw it."
            )
        me, at_ms = self._profile.me.id, now_ms()
        return self._store.add_events([Event.new(key, at_ms, me, Binned(binned)) for key in tossup_ids])

    def check_database(self, progress: Progress = lambda done, total: None) -> DatabaseReport:
        """Whether the database is sound and every history replays to its tossup's text and back. Slow.

        ``progress`` gets the number of tossups that are checked, and of all.
        """
        return DatabaseReport(self._store.path, len(self._store.tossups()), self._store.check(progress))

    def add_examples(self) -> tuple[TossupSummary, ...]:
        """Add the missing examples to the database. The result is the summaries of all examples."""
        packet = tuple(_examples(now_ms()))
        self._store.add(packet)
        listed = {one.tossup_id: one for one in self._store.tossups()}
        return tuple(listed[pending.tossup_id] for pending in packet)


def example_tossup() -> Tossup:
    """The first tossup of the example set, with its answer."""
    return next(iter(read_tossups(resources_folder() / "examples.jsonl")))


def read_tossups(path: Path, limit: int | None = None, report: ReadReport | None = None) -> Iterator[Tossup]:
    """The first ``limit`` tossups of a question file, or all, each with its answer.

    A question without a page gets its answer as the page. ``report`` counts what was left out.
    """
    from quizwriter.formats.question_files import ReadReport, questions

    for question in islice(questions(path, report or ReadReport(str(path))), limit):
        page = question.page or question.answer.replace(" ", "_")
        yield Tossup(question.text, Answer(question.answer, Page(page)))


def phenomena() -> tuple[Phenomenon, ...]:
    """The phenomena for tags that come with the program, each with an example."""
    path = resources_folder() / "phenomena.toml"
    with translate_decoding_errors(f"{path} is damaged", "Install QuizWriter again."):
        return decode_value(tomllib.loads(path.read_text(encoding="utf-8")), _Phenomena).phenomenon


class _Phenomena(msgspec.Struct):
    phenomenon: tuple[Phenomenon, ...]


class _ExampleEdit(msgspec.Struct):
    at_ms: Milliseconds
    start: Count
    removed: str
    inserted: str


class _ExampleHistory(msgspec.Struct):
    id: Identifier
    edits: list[_ExampleEdit]
    shown: tuple[RecordedPlay, ...] = ()


class _Example(msgspec.Struct):
    id: Identifier
    text: str
    answer: str
    page: Page


def _examples(at_ms: int) -> Iterator[PendingSave]:
    """The example set, each tossup with its recorded history or as one edit, the first one the newest."""

    def read(name: str, kind: type[T]) -> Iterator[T]:
        path = resources_folder() / name
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            with translate_decoding_errors(
                f"Line {number} of {path} is damaged", "Install QuizWriter again."
            ):
                yield decode_json(line, kind)

    histories = {one.id: one for one in read("example_histories.jsonl", _ExampleHistory)}
    for age, example in enumerate(read("examples.jsonl", _Example)):
        whole = _ExampleHistory(example.id, [_ExampleEdit(EXAMPLES_MS, 0, "", example.text)])
        history = histories.get(example.id, whole)
        yield PendingSave(
            tossup_id=example.id,
            text=example.text,
            answer=Answer(example.answer, example.page),
            cursor=0,
            at_ms=at_ms - age,
            changes=tuple(
                Change(seq, edit.at_ms, Edit(edit.start, edit.removed, edit.inserted))
                for seq, edit in enumerate(history.edits, start=1)
            ),
            shown=history.shown,
        )
