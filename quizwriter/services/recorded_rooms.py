"""People's buzzes on the tossups of the writer: read from files, kept as events, and shown as a curve."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from quizwriter.cancellation import Cancellation
from quizwriter.domain.events import Event
from quizwriter.domain.review import Person, RoomsRecorded
from quizwriter.domain.tossup import Tossup
from quizwriter.domain.tossup_game import version_digest
from quizwriter.errors import QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store
from quizwriter.system.decoding import DecodingError, decode_json, read_limited
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.people_curve import (
    MeanCurve,
    PeopleCurve,
    PredictedCurves,
    difficulty_of,
    has_end,
    recorded_curve,
)
from quizwriter.workflow.people_rooms import PastVersions, PeopleRooms, RoomFigures, neg_of, people_rooms
from quizwriter.workflow.queue import group_branches
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.formats.buzz_files import Room

CURVES = "people_curves.json"
MOST_CURVE_BYTES = 1 << 20
MOST_QUESTION_FILES = 2_000
LONGEST_WORDS = 2_000
"""Words of a tossup that a file of buzzes may speak of; the longest have 250."""

_DIGITS = 16  # of the digest of a room


class RoomImport(msgspec.Struct, frozen=True):
    """The buzzes of a file on the tossups of a set, before anything is kept.

    ``recorded`` has for each tossup what is new, by the version read. ``remarks`` say in a sentence each what
    was left out.
    """

    set_name: str
    file: str
    recorded: Mapping[str, tuple[RoomsRecorded, ...]]
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        found = [one for of_tossup in self.recorded.values() for one in of_tossup]
        rooms = sum(len(one.games) for one in found)
        buzzes = sum(sum(map(bool, one.right)) + len(one.wrong) for one in found)
        if not rooms:
            return f"{self.file} has nothing new about the tossups of {self.set_name}."
        return (
            f"{counted_noun(rooms, 'room')} with {counted_noun(buzzes, 'buzz', 'buzzes')} on "
            f"{counted_noun(len(self.recorded), 'tossup')} of {self.set_name}."
        )


class _Found(msgspec.Struct):
    """The new rooms of one tossup, of one version."""

    words: int
    games: list[str] = msgspec.field(default_factory=list)
    right: list[int] = msgspec.field(default_factory=list)
    wrong: list[int] = msgspec.field(default_factory=list)
    free: list[int] = msgspec.field(default_factory=list)


def people_of(
    store: Store,
    tossup_id: str,
    tossup: Tossup,
    people: Mapping[str, Person] | None = None,
    *,
    imported: bool = True,
) -> PeopleRooms:
    """The rooms of people on a tossup whose text and answer are ``tossup`` now. Slow.

    ``people`` are those of the database, where they were read already. Without those ``imported`` from files
    of buzzes, they are the games played here: only these say who buzzed in which room.
    """
    review = store.review_of(tossup_id)
    events = (*(review.rooms if imported else ()), *review.games)
    if not events:
        return PeopleRooms()
    known = store.people() if people is None else people
    return people_rooms(
        events, tossup, PastVersions(store.history(tossup_id), store.answers(tossup_id), known)
    )


def people_figures(store: Store, played: Sequence[str]) -> dict[str, RoomFigures]:
    """What people did on the tossups that they ``played``. Slow."""
    people = store.people()
    found = ((key, people_of(store, key, store.load(key).tossup, people).figures) for key in played)
    return {key: figures for key, figures in found if figures is not None}


class RecordedRooms:
    """Reads people's buzzes on the tossups of a set, keeps them, and says how early people answer."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store, self._profile = store, profile
        self._predicted: PredictedCurves | None = None

    def plan(
        self,
        set_name: str,
        buzzes: Path,
        questions: Path | None = None,
        cancellation: Cancellation | None = None,
    ) -> RoomImport:
        """The buzzes of the file or folder ``buzzes`` on the tossups of a set; nothing is kept yet.

        A buzz belongs to the tossup that was imported from a file under the same id, or whose text is or was
        that of the question with this id, or with this packet and number, in ``questions``: a file, or a
        folder of packets; by default, ``buzzes`` itself if it is a folder. Only such a text tells which
        version was read. Slow; any thread may call it.
        """
        # here, as the people's lane needs no reader of files
        from quizwriter.formats.buzz_files import read_rooms
        from quizwriter.formats.question_files import ReadReport

        cancellation = cancellation or Cancellation()
        report = ReadReport(str(buzzes))
        rooms = read_rooms(buzzes, report)
        every = [key for key, _, _ in self._store.tossups_of_set(set_name)]
        keys, groups = group_branches(every, self._store.branch_roots())
        shown = {key: groups[key].keys[0] if key in groups else key for key in (*keys, *every)}
        tossups = {key: self._store.load(key).tossup for key in shown}
        if not tossups:
            raise QuizwriterError(f"No tossup is in the set {set_name or '(none)'}.", "Choose another set.")
        names = self._names(tossups, shown, questions or (buzzes if buzzes.is_dir() else None), cancellation)
        known = {key: self._known_games(key) for key in keys}
        found: dict[tuple[str, str], _Found] = {}  # by tossup and version
        unmatched = textless = late = again = untold = 0
        nothing: tuple[str, Tossup | None] = "", None
        for room in rooms:
            cancellation.check()
            key, version = names.get(room.question) or names.get(
                f"{room.set.casefold()} / {room.question}", nothing
            )
            if not key or room.plays_systems:
                unmatched += len(room.buzzes)
                continue
            read = version or tossups[key]
            words = room.words or len(read.words)
            game = _digest(room)
            if not words:
                textless += len(room.buzzes)
                continue
            if game in known[key]:
                again += 1
                continue
            known[key].add(game)
            untold += version is None
            placed = room.in_our_words(read.text).buzzes
            late += sum(buzz.position >= words + 1 for buzz in placed)
            digest = version_digest(version) if version is not None else ""
            one = found.setdefault((key, digest), _Found(words))
            heard = [min(words, buzz.position + 1) for buzz in placed]
            one.games.append(game)
            one.right.append(next((at for at, b in zip(heard, placed, strict=True) if b.right), 0))
            one.wrong += [at for at, b in zip(heard, placed, strict=True) if not b.right]
            neg = neg_of(((at, b.right, b.value) for at, b in zip(heard, placed, strict=True)), words)
            one.free += [
                at
                for number, (at, b) in enumerate(zip(heard, placed, strict=True))
                if not b.right and at < words and number != neg
            ]
        remarks = [
            *_counted(unmatched, "buzz fits", "buzzes fit", "no tossup of the set"),
            *_counted(
                textless,
                "buzz is",
                "buzzes are",
                "on a tossup without a text, so its words cannot be counted",
            ),
            *_counted(late, "buzz lies", "buzzes lie", "past the last word, which counts as the end"),
            *_counted(untold, "room does", "rooms do", "not say which version was read"),
            *_counted(again, "room is", "rooms are", "recorded already, and not counted twice"),
            *(f"{count:,} rows: {reason}." for reason, count in sorted(report.rejected.items())),
        ]
        if not found and not again:
            raise QuizwriterError(
                f"No buzz in {buzzes.name} is on a tossup of {set_name}.",
                "Name the packets or the question file that were read there, too.",
            )
        recorded: dict[str, tuple[RoomsRecorded, ...]] = {}
        for (key, digest), one in found.items():
            rooms_of_version = RoomsRecorded(
                buzzes.name,
                one.words,
                tuple(one.games),
                tuple(one.right),
                tuple(sorted(one.wrong)),
                digest,
                tuple(sorted(one.free)),
            )
            recorded[key] = (*recorded.get(key, ()), rooms_of_version)
        return RoomImport(set_name, buzzes.name, recorded, tuple(remarks))

    def record(self, planned: RoomImport) -> tuple[Event, ...]:
        """Keep what was planned, as events of the tossups as they are now."""
        at_ms, me = now_ms(), self._profile.me.id
        return self._store.add_events(
            [Event.new(key, at_ms, me, body) for key, bodies in planned.recorded.items() for body in bodies]
        )

    def people(self, tossup_id: str, tossup: Tossup) -> PeopleRooms:
        """The rooms of people on a tossup whose text and answer are ``tossup`` now. Slow."""
        return people_of(self._store, tossup_id, tossup)

    def curve(self, tossup_id: str, tossup: Tossup) -> PeopleCurve | None:
        """The curve of people: recorded, else predicted once the tossup has its end; else None. Slow."""
        words = len(tossup.words)
        if (curve := recorded_curve(self.people(tossup_id, tossup), words)) is not None:
            return curve
        if not has_end(tossup):
            return None
        review = self._store.review_of(tossup_id)
        difficulty = difficulty_of(review.begun_for.difficulty) if review.begun_for else None
        if difficulty is None:
            brief = review.briefs.get(review.set_name)
            said = {difficulty_of(line.difficulty) for line in brief.lines} if brief is not None else set()
            difficulty = next(iter(said)) if len(said) == 1 else None  # on which all lines agree
        return self.predicted.curve(words, difficulty)

    @property
    def predicted(self) -> PredictedCurves:
        if self._predicted is None:
            self._predicted = read_curves(resources_folder() / CURVES)
        return self._predicted

    def _known_games(self, key: str) -> set[str]:
        events = self._store.review_of(key).rooms
        return {game for one in events if isinstance(one.body, RoomsRecorded) for game in one.body.games}

    def _names(
        self,
        tossups: Mapping[str, Tossup],
        shown: Mapping[str, str],
        questions: Path | None,
        cancellation: Cancellation,
    ) -> dict[str, tuple[str, Tossup | None]]:
        """The tossup of each name that a file of buzzes may use, and its version if that is known.

        A name of several tossups is left out. A name of a branch is one of the branch ``shown`` for it, which
        has no version that only another branch has.
        """
        from quizwriter.formats.file_formats import question_rows
        from quizwriter.formats.question_files import ReadReport, one_line, question_names

        by_text: dict[tuple[str, ...], tuple[str, Tossup | None]] = {}
        if questions is not None:
            texts = [*tossups.items()]
            for key in tossups:
                past = PastVersions(self._store.history(key), self._store.answers(key))
                texts += ((key, one) for one in past.at_rest())
            for key, one in texts:
                by_text.setdefault(one.bare_words, (shown[key], one if shown[key] == key else None))
        found: dict[str, dict[str, Tossup | None]] = {key: {shown[key]: None} for key in tossups}
        for key in tossups:
            imported = self._store.review_of(key).imported
            question = getattr(imported.body, "question", "") if imported is not None else ""
            if question:
                found.setdefault(question, {})[shown[key]] = None
        for path in _question_files(questions):
            report = ReadReport(str(path))
            for row in question_rows(path, report):
                cancellation.check()
                text = row.get("text", row.get("question"))
                of_text = by_text.get(Tossup(text).bare_words) if isinstance(text, str) else None
                if of_text is None:
                    continue
                for name in question_names(row, one_line(str(row.get("id", row.get("bq", ""))))):
                    if name:
                        found.setdefault(name, {})[of_text[0]] = of_text[1]
        return {name: next(iter(keys.items())) for name, keys in found.items() if len(keys) == 1}


def _question_files(path: Path | None) -> Iterator[Path]:
    if path is None:
        return
    if not path.is_dir():
        yield path
        return
    from quizwriter.formats.file_formats import READ, endings

    count = 0
    for one in sorted(path.rglob("*")):
        if one.name.casefold().endswith(endings(READ)) and one.name != "index.json" and one.is_file():
            count += 1
            if count > MOST_QUESTION_FILES:
                raise QuizwriterError(
                    f"{path.name} has more than {MOST_QUESTION_FILES:,} question files.",
                    "Choose a smaller folder.",
                )
            yield one


def _digest(room: Room) -> str:
    """A digest of a room: of its buzzes, or of its name where nobody buzzed."""
    said = repr([(b.team, b.player, b.position, b.right) for b in room.buzzes]) if room.buzzes else room.room
    text = f"{room.question}\0{said}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _counted(number: int, one: str, many: str, what: str) -> Iterable[str]:
    if number:
        yield f"{number:,} {one if number == 1 else many} {what}."


# -- the file of predicted curves


class _CurveRow(MeanCurve, frozen=True):
    difficulty: Annotated[int, msgspec.Meta(ge=1, le=10)] | None = None


class _CurveFile(msgspec.Struct, frozen=True):
    source: str
    command: str
    held_back: Annotated[int, msgspec.Meta(ge=0)]
    loss: float
    loss_of_all: float
    curves: tuple[_CurveRow, ...]
    interval: tuple[float, float] = (0.0, 0.0)


def read_curves(path: Path) -> PredictedCurves:
    try:
        read = decode_json(read_limited(path, MOST_CURVE_BYTES), _CurveFile)
    except (OSError, DecodingError) as trouble:
        raise QuizwriterError(
            f"The curves in {path.name} cannot be used ({trouble}).", "Install QuizWriter again."
        ) from trouble
    curves = {one.difficulty: one for one in read.curves}
    return PredictedCurves(curves, read.loss, read.loss_of_all, read.held_back, read.source)


def curve_rows(curves: Mapping[int | None, MeanCurve]) -> list[dict[str, object]]:
    """The rows of ``curves`` for a file that :func:`read_curves` reads."""
    return [
        {"difficulty": level, "rooms": one.rooms, "tossups": one.tossups, "answered": list(one.answered)}
        for level, one in curves.items()
    ]
