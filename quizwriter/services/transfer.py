"""Tossups in and out: question files that become drafts, packs, and histories as JSON."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Cancelled, Progress
from quizwriter.domain.events import Body, Event
from quizwriter.domain.history import EditKind
from quizwriter.domain.page import Page
from quizwriter.domain.review import (
    BasedOn,
    Categorised,
    Cited,
    Imported,
    Person,
    PutInSet,
    WrittenBy,
    name_key,
)
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.signatures import Authenticity, SignatureReport
from quizwriter.domain.span import Span
from quizwriter.domain.styles import AnswerStyled, Styled
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.formats.file_formats import FORMATS
from quizwriter.services import known_people
from quizwriter.services.known_people import NamedWriter, People
from quizwriter.services.profile import Profile
from quizwriter.services.tossups import Tossups
from quizwriter.store.merging import MergeOutcome, MergeReport
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.store.store import Store, StoredTossup
from quizwriter.system.decoding import file_digest
from quizwriter.workflow.categories import DEEPEST
from quizwriter.workflow.session import PendingSave, now_ms
from quizwriter.workflow.wording import counted_noun, merge_sentence, move_line, signature_sentence

if TYPE_CHECKING:
    from quizwriter.formats.question_files import FileQuestion, ReadReport
    from quizwriter.workflow.problems.rule import PageIndex
    from quizwriter.workflow.queue import QueueRow

SUFFIX = FORMATS["pack"].endings[0]
"""How the name of a pack ends."""

T = TypeVar("T")
MOST_PREVIEWED = 2_000
"""Drafts that an :class:`ImportPreview` has whole."""

_BATCH_SIZE = 500  # tossups of a question file in one transaction


class ImportReport(msgspec.Struct):
    """The result of an import: the ids added, the number of known tossups, and a report on each file.

    ``unlisted`` are the added tossups whose answer has no page in the bundle; None without a bundle.
    ``names`` counts the questions of each writer as the files name them.
    """

    added: list[str] = msgspec.field(default_factory=list)
    known: int = 0
    unlisted: list[str] | None = None
    reports: list[ReadReport] = msgspec.field(default_factory=list)
    names: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)  # of writers, by file
    handed_over: list[str] = msgspec.field(default_factory=list)  # known tossups with another writer now

    def sentence(self, set_name: str = "") -> str:
        said = f"{counted_noun(len(self.added), 'draft')} added{f' to {set_name}' if set_name else ''}"
        if bonuses := sum(report.bonuses for report in self.reports):
            said += f", {counted_noun(bonuses, 'bonus', 'bonuses')} left out"
        return f"{said}; {self.known:,} were here already." if self.known else f"{said}."


class ImportPreview(msgspec.Struct, frozen=True):
    """A preview of an import: the rows of the new drafts as the files have them, and how many are here."""

    drafts: tuple[QueueRow, ...]
    known: int
    reports: tuple[ReadReport, ...]
    people: Mapping[str, Person]
    unlisted: int | None = None  # drafts whose answer is no page of the bundle, as in an ImportReport
    writers: tuple[NamedWriter, ...] = ()
    questions: Mapping[str, StoredTossup] = msgspec.field(
        default_factory=dict
    )  # the first of the drafts, whole


def left_out_lines(reports: Iterable[ReadReport], *, with_folders: bool = True) -> list[str]:
    """What was left out of each file, and what was cleaned: for each reason how many, and the first.

    Without ``with_folders``, only files that have one name are told with their paths.
    """
    lines, reports = [], tuple(reports)
    names = Counter(Path(report.path).name for report in reports)
    for report in reports:
        name = Path(report.path).name
        file = report.path if with_folders or names[name] > 1 else name
        for reason, times in report.rejected.most_common():
            opening = report.openings.get(reason)
            noun = "part" if opening else "row"
            dot = "" if opening and opening.endswith((".", "!", "?")) else "."
            first = f"begins “{opening}”" if opening else f"is row {report.first[reason]}"
            which = "It" if times == 1 else "The first"
            lines.append(f"{file}: {counted_noun(times, noun)} left out: {reason}. {which} {first}{dot}")
        if report.bonuses:
            count = counted_noun(report.bonuses, "bonus", "bonuses")
            lines.append(f"{file}: {count} left out, because only tossups become drafts.")
        if report.headings:
            count = counted_noun(report.headings, "line")
            kinds = "headings, notes, page numbers"
            lines.append(f"{file}: {count} left out as not part of a question ({kinds}).")
        if report.long_tags:
            count = counted_noun(report.long_tags, "tag is", "tags are")
            lines.append(f"{file}: {count} too long for a category or a name, and left out.")
        if report.editors:
            count = counted_noun(report.editors, "editor")
            lines.append(f"{file}: {count} in tags left out, because editors do not count as writers.")
        if report.odd:
            count = counted_noun(
                report.odd, "character that no text can hold was", "characters that no text can hold were"
            )
            lines.append(f"{file}: {count} replaced by what is meant, or left out.")
    return lines


def file_rows(path: Path, report: ReadReport) -> Iterator[dict[str, Any]]:
    from quizwriter.formats.file_formats import question_rows

    return question_rows(path, report)


def _looked_up(line: str, given: str | None, pages: PageIndex | None) -> tuple[Answer, bool]:
    """The answer ``line`` with its page, and whether the page is among ``pages``."""
    answer = Answer(line, None if given is None else Page(given))
    if pages is None:
        return answer, given is not None
    page = pages.find(given) if given else pages.meant(answer.main) or pages.find(answer.main)
    return (answer, False) if page is None else (Answer(line, page), True)


def _category_levels(question: FileQuestion, subcategory: str) -> tuple[str, ...]:
    """The category of a question from the broadest level on; a packet's tag may name all of them."""
    if question.tag.category[:1] == (question.category,) and not subcategory:
        return question.tag.category[:DEEPEST]
    return tuple(filter(None, (question.category, subcategory))) if question.category else ()


def _year(value: object) -> int | None:
    """The year that a file gives as a number or as digits; None where it gives none of four digits."""
    digits = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(digits) if len(digits) == 4 and digits.isascii() and digits.isdigit() else None


def _steps(total: int, progress: Progress | None, cancellation: Cancellation | None) -> Callable[[], None]:
    """A function to call between two of ``total`` steps: it reports progress, and raises Cancelled."""
    count = itertools.count()

    def step() -> None:
        if cancellation is not None:
            cancellation.check()
        done = next(count)
        if progress is not None and done % 20 == 0:
            progress(min(done, total), total)

    return step


@contextmanager
def _cancelled_as(problem: str) -> Iterator[None]:
    try:
        yield
    except Cancelled as trouble:
        raise Cancelled(problem) from trouble


def _counted(things: Iterable[T], step: Callable[[], object]) -> Iterator[T]:
    """``things``; ``step`` is called before each."""
    for thing in things:
        step()
        yield thing


def merge_report_sentence(merged: MergeReport, names: Mapping[str, str]) -> str:
    """The result of a merge in some sentences; ``names`` are those of people, by their ids."""
    counts = {came: merged.count(came) for came in MergeOutcome}
    came = merge_sentence(
        counts[MergeOutcome.NEW],
        counts[MergeOutcome.UPDATED],
        counts[MergeOutcome.BRANCHED],
        counts[MergeOutcome.UNCHANGED],
        answered=len(merged.answered),
        changed_accepted=len(merged.changed_accepted),
        left_out=merged.left_out,
    )
    return f"{came}\n{signature_sentence(merged.signatures, names)}".rstrip()


def signatures_json(report: SignatureReport) -> dict[str, object]:
    """What signatures prove of everything that was received, ready for JSON."""
    return {
        "edits": _counts_json(report.edits),
        "events": _counts_json(report.events),
        "other_keys": report.other_keys,
        "forged": [{"kind": one.kind, "person": one.person, "tossup": one.root} for one in report.forged],
    }


def _counts_json(counts: Mapping[Authenticity, int]) -> dict[str, int]:
    found = dict.fromkeys(
        (one.word for one in (Authenticity.VERIFIED, Authenticity.UNSIGNED, Authenticity.OTHER_KEY)), 0
    )
    for one, count in counts.items():
        found[one.word] += count
    return found


def display_title(tossup: Tossup) -> str:
    """The title of a tossup: its main answer, or the beginning of its text."""
    if tossup.answer is not None:
        return tossup.answer.main
    opening = " ".join(tossup.text[:60].split())
    return f"“{opening} …”" if opening else "An empty tossup"


class Transfer:
    """Imports question files and packs, and exports packs and histories."""

    def __init__(self, store: Store, profile: Profile, tossups: Tossups, people: People) -> None:
        """Transfer into and out of ``store``; the events are by the user of ``profile``."""
        self._store = store
        self._people = people
        self._profile = profile
        self._tossups = tossups

    def import_files(
        self,
        paths: Sequence[Path],
        *,
        set_name: str = "",
        writers: Mapping[str, str] | None = None,
        without: Collection[str] = (),
        pages: PageIndex | None = None,
        imported: dict[str, list[str]] | None = None,
        progress: Callable[[ReadReport], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> ImportReport:
        """Make each question of some files a draft with its answer, author, category, source and provenance.

        ``writers`` says whose the questions of each name are, as :meth:`People.answers` does; it is kept
        for the file, and holds where the file is imported again. A name of which nothing was said becomes a
        person of that name. A tossup that is here gets the writer that ``writers`` says, where the user may
        hand it over.

        A question that the user imported already, from this file or from one of another name, is not added
        again: ``imported`` has the ids by their texts, of this database if not given; the new ones are put
        in. A file that has a text twice gives two drafts. Neither are those added ``without`` which the
        import is wanted, by the ids of their drafts. The page that a file gives, else the
        answer, is looked up in ``pages``, which are those of the bundle in use; a page that the bundle does
        not have stays as the file gives it. ``progress`` gets the report on the file that is being read, as
        it is so far.
        """
        from quizwriter.formats.question_files import ReadReport, one_line, origin_of, question_of

        done, forgotten = ImportReport(unlisted=None if pages is None else []), self._store.forgotten
        spelt: dict[str, str] = {}  # each name as it was spelt first
        imported = self._store.imported_texts(self._profile.me.id) if imported is None else imported
        at_ms = 0
        for path in paths:
            with translate_reading_errors(path):
                digest = file_digest(path)
            file = one_line(path.name)
            answers = {**self._people.answers(file), **(writers or {})}
            meant = self._people.names_of_file(answers)
            names = done.names.setdefault(file, {})
            report = ReadReport(str(path))
            done.reports.append(report)
            seen: set[str] = set()
            here: set[str] = set()
            times: Counter[str] = Counter()
            found: list[tuple[PendingSave, list[Body], bool]] = []
            for row in file_rows(path, report):
                if cancellation is not None:
                    cancellation.check()
                question = question_of(row, report, seen)
                if question is None:
                    continue
                if forgotten:
                    question = replace(
                        question,
                        text=forgotten.blacked(question.text),
                        line=forgotten.blacked(question.line),
                    )
                own = f"{self._profile.me.id}\n{question.id}\n{question.text}"
                same = imported.setdefault(question.text, [])
                if times[question.text] == len(same):
                    same.append(hashlib.sha256(own.encode()).hexdigest()[:32])
                key = same[times[question.text]]
                times[question.text] += 1
                here.add(key)
                if key in without:
                    continue
                at_ms = max(now_ms(), at_ms + 1)  # or those of one moment would be listed in no order
                answer, listed = _looked_up(question.line, question.page, pages)
                author = one_line(row.get("author")) or one_line(row.get("writer"))
                # a packet tag names people, too: they are kept as people, not as words of the question
                called = {
                    spelt.setdefault(name_key(one) or one, one): None
                    for one in (author, *question.tag.people)
                    if one
                } or {"": None}
                for one in called:
                    names[one] = names.get(one, 0) + 1
                named = [person for one in called if (person := meant.person(one)) is not None]
                for editor in question.tag.editors:  # no writers, but their names are not to be released
                    meant.person(spelt.setdefault(name_key(editor) or editor, editor))
                tournament = one_line(row.get("tournament"))
                said: list[Body] = [
                    Imported(
                        file=file,
                        digest=digest,
                        question=question.id,
                        tournament=tournament,
                        year=_year(row.get("year")),
                        authors=tuple(dict.fromkeys(person.id for person in named)),
                        page=question.page or "",
                    )
                ]
                if tournament:
                    said.append(Cited(origin_of(row, "").source))
                if set_name:
                    said.append(PutInSet(set_name))
                if levels := _category_levels(question, one_line(row.get("subcategory"))):
                    said.append(Categorised(levels))
                if question.based_on:
                    said.append(BasedOn(question.based_on))
                if question.styles:
                    whole = Span(0, len(question.text))
                    said.append(Styled.setting(whole, question.styles, EditKind.MORE))
                if question.line_styles:
                    said.append(AnswerStyled(answer.line, tuple(question.line_styles.spans())))
                if named and named[0].id != self._profile.me.id:
                    said.append(WrittenBy(named[0].id))
                pending = PendingSave.begun(key, question.text, answer, at_ms, self._profile.me.id)
                found.append((pending, said, listed))
                if len(found) == _BATCH_SIZE:
                    self._add(found, meant.taken(), done, asked=bool(writers))
                    if progress is not None:
                        progress(report)
            self._add(found, meant.taken(), done, asked=bool(writers))
            self._people.remember(file, writers or {})
            if done.handed_over:
                self._people.merge_named(writers or {}, here)
            self._people.mark_outside(meant.answered(known_people.OUTSIDE))
            self._people.take_back_outside(meant.answered(known_people.LATER))
        return done

    def _add(
        self,
        found: list[tuple[PendingSave, list[Body], bool]],
        people: Iterable[Person],
        done: ImportReport,
        *,
        asked: bool,
    ) -> None:
        me = self._profile.me.id
        self._store.save_person(*(one for one in people if one.id != me and one.name))
        added = set(self._store.add(saving for saving, _, _ in found))
        self._store.add_events(
            Event.new(saving.tossup_id, saving.at_ms, me, body)
            for saving, bodies, _ in found
            if saving.tossup_id in added
            for body in bodies
        )
        for saving, bodies, _ in found if asked else ():
            if saving.tossup_id not in added and self._hand_over(saving.tossup_id, bodies):
                done.handed_over.append(saving.tossup_id)
        done.added += [saving.tossup_id for saving, _, _ in found if saving.tossup_id in added]
        done.known += len(found) - len(added)
        if done.unlisted is not None:
            unlisted = [saving.tossup_id for saving, _, listed in found if not listed]
            done.unlisted += [key for key in unlisted if key in added]
        found.clear()

    def _hand_over(self, tossup_id: str, bodies: Iterable[Body]) -> bool:
        """Give a tossup that is here the writer whom the answers at its import name now."""
        me = self._profile.me.id
        named = next((body.person for body in bodies if isinstance(body, WrittenBy)), me)
        state = self._store.review_of(tossup_id).release
        if named == state.writer or not state.can_hand_over(me):
            return False
        return bool(self._store.add_events([Event.new(tossup_id, now_ms(), me, WrittenBy(named))]))

    def preview_import(
        self,
        paths: Sequence[Path],
        *,
        pages: PageIndex | None = None,
        progress: Callable[[ReadReport], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> ImportPreview:
        """What :meth:`import_files` would add; nothing is added.

        The files are imported into a database that is thrown away, so that a preview shows what an import
        makes.
        """
        here = {one.tossup_id for one in self._store.release_states()}
        try:
            thrown_away = TemporaryDirectory(prefix="quizwriter-import-")
        except OSError as trouble:
            raise QuizwriterError(
                f"The import cannot be shown, because no temporary file can be written: {trouble}.",
                "Nothing was added. Free some disk space, and try again.",
            ) from trouble
        with thrown_away as folder:
            scratch = Store(Path(folder) / "preview.db")
            try:
                trial = Transfer(scratch, self._profile, self._tossups, People(scratch, self._profile))
                report = trial.import_files(
                    paths,
                    pages=pages,
                    imported=self._store.imported_texts(self._profile.me.id),
                    progress=progress,
                    cancellation=cancellation,
                )
                new = tuple(key for key in report.added if key not in here)
                return ImportPreview(
                    scratch.queue_rows(new),
                    report.known + len(report.added) - len(new),
                    tuple(report.reports),
                    scratch.people(),
                    None if report.unlisted is None else len(set(report.unlisted).intersection(new)),
                    self._people.asked_of(report.names),
                    {key: scratch.load(key) for key in new[:MOST_PREVIEWED]},
                )
            finally:
                scratch.close()

    def pack(
        self,
        path: Path,
        tossup_ids: Iterable[str] | None = None,
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
        damaged: list[DamagedDatabaseError] | None = None,
    ) -> int:
        """Write tossups, or all, with their branches to the pack ``path``. The result: how many branches.

        With the list ``damaged``, a damaged tossup is left out, and the list gets what is wrong with it.
        """
        from quizwriter.formats import archive

        keys = self._store.expand_branches(tossup_ids)
        branches = _counted(self._store.branches(keys, damaged), _steps(len(keys), progress, cancellation))
        with _cancelled_as("No pack was written, because you stopped it."):
            return archive.write(path, branches, self._store.people().values())

    def merge(
        self,
        paths: Sequence[Path],
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
    ) -> MergeReport:
        """Merge the tossups of packs into the database: all tossups of all packs, or none."""
        from quizwriter.formats.archive import Pack, read_branches

        with _cancelled_as("Nothing was received, because you stopped it."):
            arrived = [Pack(path) for path in paths]
            # each tossup is read, decoded and written
            step = _steps(3 * sum(one.tossups for one in arrived), progress, cancellation)
            people = [person for one in arrived for person in one.people()]
            branches = read_branches(arrived, step)
            return self._store.merge(branches, people, step=step, cancellation=cancellation)

    def arrived_tossups(self, merged: MergeReport) -> list[tuple[str, str, MergeOutcome]]:
        """The id, the title and the outcome of each tossup that a merge added or changed."""
        return [
            (key, display_title(self._store.load(key).tossup), came)
            for key, came in merged.outcomes.items()
            if came is not MergeOutcome.UNCHANGED
        ]

    def history_json(self, tossup_id: str) -> dict[str, Any]:
        """A tossup with its history, moves and events, ready for JSON."""
        from quizwriter.formats.histories import HistoryParts, ReadableView, encode_history
        from quizwriter.system.decoding import translate_decoding_errors

        store = self._store
        kept = store.load(tossup_id)
        people = store.people()
        past = self._tossups.titled_history(tossup_id)
        events = store.events(tossup_id)
        parts = HistoryParts(
            past.history.changes, store.answers(tossup_id), store.game_rows(tossup_id), events
        )
        view = ReadableView({key: person.name for key, person in people.items()})
        with translate_decoding_errors(
            f"A game of tossup {tossup_id} is damaged", "Run quizwriter check for the details."
        ):
            encoded = encode_history(parts, view)
        answer = kept.tossup.answer
        return {
            "id": tossup_id,
            "text": kept.tossup.text,
            "answer": answer and answer.line,
            "page": answer and answer.page,
            "origin": past.origin,
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
