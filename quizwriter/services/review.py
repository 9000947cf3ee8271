"""What is said and decided of tossups: statuses with their checks, categories, comments, tags, people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quizwriter.cancellation import Cancellation
from quizwriter.decoding import decode_small_json, refusing
from quizwriter.domain.history import Change
from quizwriter.domain.review import (
    Body,
    Categorised,
    Event,
    Person,
    PutInSet,
    Review,
    Status,
    TakenBack,
    WrittenBy,
    fold_events,
)
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.store import Store
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.statuses import change_status
from quizwriter.workflow.wording import listed

if TYPE_CHECKING:
    from quizwriter.engine import Engine
    from quizwriter.workflow.categories import Category
    from quizwriter.workflow.checks import Check


@dataclass(frozen=True, slots=True)
class RecordReport:
    """What was recorded of several tossups, and of which it could not be, with the reason."""

    events: tuple[Event, ...]
    refused: tuple[tuple[str, QuizwriterError], ...] = ()


class ReviewService:
    """Records events of tossups in the database, by the rules, and reads them."""

    def __init__(self, store: Store, profile: Profile) -> None:
        """Reviews in ``store``; ``profile`` is who decides."""
        self._store = store
        self._profile = profile

    def events(self, tossup_id: str) -> tuple[Event, ...]:
        """Every event of a tossup, in order.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        return self._store.events(tossup_id)

    def changes(self, tossup_id: str) -> tuple[Change, ...]:
        """Every edit of a tossup, in order, which comments are anchored in.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        return self._store.history(tossup_id)

    def tossup(self, tossup_id: str) -> Tossup:
        """The tossup as it was saved.

        Raises:
            QuizwriterError: it is not there, or cannot be read.
        """
        return self._store.load(tossup_id).tossup

    def reviews(self, tossup_ids: Sequence[str]) -> dict[str, Review]:
        """The tags of several tossups by id; tossups without events are left out.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        return self._store.tag_reviews(tossup_ids)

    def people(self) -> dict[str, Person]:
        """Everybody who wrote or said something, by id.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        return self._store.people()

    def find_people(self, name: str) -> tuple[str, ...]:
        """The ids of everybody whose name, address or id is ``name``.

        Raises:
            QuizwriterError: nobody has it, or the database cannot be read.
        """
        people = self._store.people()
        found = tuple(key for key, person in people.items() if name in (key, person.name, person.email))
        if not found:
            names = sorted({person.name for person in people.values() if person.name})
            raise QuizwriterError(
                f"Nobody here is called {name}.",
                f"Choose one of {listed(names, 'or')}."
                if names
                else "No tossup here has an author with a name yet.",
            )
        return found

    def save_person(self, person: Person) -> None:
        """Keep what ``person`` is called, unless something newer is known.

        Raises:
            QuizwriterError: it could not be kept.
        """
        self._store.save_person(person)

    def add_events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Add ``events`` as they are; those that were not there before.

        Raises:
            QuizwriterError: nothing could be written.
        """
        return self._store.add_events(events)

    def check(
        self,
        drafts: Mapping[str, Tossup],
        engine: Engine | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> dict[str, tuple[Check, ...]]:
        """What must hold before ``drafts``, by id, are ready; see :mod:`quizwriter.workflow.checks`.

        Slow (up to seconds for a set of thousands); any thread may call it. Past questions are those of
        ``engine``; without one they cannot be looked at. ``progress`` is told how many of how many are done.

        Raises:
            QuizwriterError: the database cannot be read, or ``cancellation`` was cancelled.
        """
        from quizwriter.workflow.checks import DuplicateFinder, OtherTossup, check

        sets: dict[str, DuplicateFinder] = {}
        checked = {}
        for done, (key, draft) in enumerate(drafts.items()):
            if cancellation is not None:
                cancellation.check()
            if progress is not None:
                progress(done, len(drafts))
            name = fold_events(self._store.events(key)).set_name
            if name not in sets:
                sets[name] = DuplicateFinder(OtherTossup(*row) for row in self._store.tossups_of_set(name))
            past = None
            if engine is not None:
                found = engine.retrieval.similar_past_tossups(draft)
                past = DuplicateFinder(OtherTossup(source, source, text) for source, text in found)
            checked[key] = check(draft, key, in_set=sets[name], past=past)
        return checked

    def set_status(
        self,
        keys: Sequence[str],
        status: Status,
        reason: str = "",
        *,
        failed: Mapping[str, Sequence[str]] | None = None,
        overridden: Mapping[str, str] | None = None,
    ) -> RecordReport:
        """Give the tossups ``keys`` another status, but those whose rules do not let them.

        ``failed`` names for each the checks that do not pass, and ``overridden`` says for each check why
        that is all right: see :func:`quizwriter.workflow.statuses.change_status`.

        Raises:
            QuizwriterError: nothing could be written.
        """

        def change(key: str, review: Review) -> Body:
            names = (failed or {}).get(key, ())
            return change_status(review, status, reason, failed=names, overridden=overridden)

        return self._record(keys, change)

    def record(self, keys: Sequence[str], body: Body) -> RecordReport:
        """Record ``body`` of each of the tossups ``keys``, but of those of which it holds already.

        Raises:
            QuizwriterError: nothing could be written.
        """

        def change(_: str, review: Review) -> Body | None:
            match body:
                case Categorised(levels=levels) if levels == review.category:
                    return None
                case PutInSet(name=name) if name == review.set_name:
                    return None
                case WrittenBy(person=person) if person == review.writer:
                    return None
            return body

        return self._record(keys, change)

    def _record(self, keys: Sequence[str], change: Callable[[str, Review], Body | None]) -> RecordReport:
        events, refused = [], []
        at_ms = now_ms()
        for key in keys:
            try:
                body = change(key, fold_events(self._store.events(key)))
            except QuizwriterError as trouble:
                refused.append((key, trouble))
                continue
            if body is not None:
                events.append(Event.new(key, at_ms, self._profile.me.id, body))
        return RecordReport(self._store.add_events(events), tuple(refused))

    def take_back(self, events: Sequence[Event]) -> RecordReport:
        """Have ``events`` count no longer; taking back what was taken back makes them count again.

        Raises:
            QuizwriterError: nothing could be written.
        """
        of: dict[str, list[str]] = {}
        for event in events:
            of.setdefault(event.tossup_id, []).append(event.id)
        at_ms = now_ms()
        made = [
            Event.new(key, at_ms, self._profile.me.id, TakenBack(tuple(found))) for key, found in of.items()
        ]
        return RecordReport(self._store.add_events(made))

    def categories(self, set_name: str) -> tuple[Category, ...]:
        """The categories of a set, each level before those below it: its own, else the standard ones.

        Raises:
            QuizwriterError: they cannot be read.
        """
        from quizwriter.workflow import categories

        stored = self._store.items("categories").get(set_name)
        if stored is None:
            return categories.STANDARD
        with refusing("The categories of this set make no sense to this version", "Set them up again."):
            return categories.with_parents(decode_small_json(stored, list[list[str]]))

    def save_categories(self, set_name: str, paths: Sequence[Category] | None) -> None:
        """Give a set categories of its own; None: the standard ones.

        Raises:
            QuizwriterError: they could not be kept.
        """
        body = None if paths is None else json.dumps([list(path) for path in paths], ensure_ascii=False)
        self._store.put_item("categories", set_name, body)

    def sets_with_categories(self) -> tuple[str, ...]:
        """The names of the sets that have categories of their own.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        return tuple(self._store.items("categories"))

    def sets(self) -> tuple[str, ...]:
        """The names of all sets that tossups are put in.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        return self._store.sets()
