"""The figures of sets and writers, from the rows of the queue and the times of the edits."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from quizwriter.domain.review import RoomsRecorded
from quizwriter.domain.tossup_game import Played
from quizwriter.services.known_people import People
from quizwriter.store.store import Store
from quizwriter.workflow.event_log import person_labels
from quizwriter.workflow.queue import QueueFilter, QueueRow, QueueSort, group_branches
from quizwriter.workflow.set_progress import SetProgress, progress_of, review_sample
from quizwriter.workflow.set_state import StateLine, state_of_set


class StatisticsReport(msgspec.Struct, frozen=True):
    """The figures of each writer and of each set, and of all tossups together; ``seed`` drew the samples."""

    seed: int
    writers: tuple[SetProgress, ...]
    sets: tuple[SetProgress, ...]
    everything: SetProgress


class Statistics:
    """Counts what is in one database. Any thread may ask."""

    def __init__(self, store: Store, people: People) -> None:
        self._store, self._people = store, people

    def state(self, sets: Sequence[str] = ()) -> tuple[StateLine, ...]:
        """The state of the tossups in ``sets``, or of all: each number with the tossups behind it."""
        found = self._store.queue(QueueFilter(sets=tuple(sets)), QueueSort("answer", down=False))
        keys, groups = group_branches(found, self._store.branch_roots())
        heard, answered = self._by_people(set(keys))
        known = self._people.known()
        return state_of_set(
            self._store.queue_rows(keys),
            {one.tossup_id: one.consent_basis for one in self._store.release_states()},
            self._store.status_times(),
            person_labels({one.person.id: one.person for one in known}),
            undecided={one.person.id for one in known if one.undecided},
            branched=groups,
            played_by_people=heard,
            answered_by_people=answered,
        )

    def _by_people(self, keys: set[str]) -> tuple[set[str], set[str]]:
        """Which of the tossups ``keys`` people heard, in rooms or in games, and which they answered."""
        heard, answered = set[str](), set[str]()
        events = (*self._store.events_of_kind("rooms"), *self._store.events_of_kind("game"))
        for key in dict.fromkeys(event.tossup_id for event in events if event.tossup_id in keys):
            review = self._store.review_of(key)
            for event in (*review.rooms, *review.games):
                match event.body:
                    case RoomsRecorded(games=games, right=right) if games:
                        heard.add(key)
                        if any(right):
                            answered.add(key)
                    case Played() as played if played.people and (game := played.replay()) is not None:
                        heard.add(key)
                        buzz = game.state.answered
                        if buzz is not None and buzz.seat in played.people:
                            answered.add(key)
                    case _:
                        pass
        return heard, answered

    def report(self, sets: Sequence[str] = (), seed: int = 0) -> StatisticsReport:
        """The figures of the tossups in ``sets``, or of all; ``seed`` draws the review samples."""
        keys = self._store.queue(QueueFilter(sets=tuple(sets)), QueueSort("author", down=False))
        rows = self._store.queue_rows(keys)
        labels = person_labels(self._store.people())
        times = self._store.edit_times()

        def count(name: str, some: Sequence[QueueRow], sample: Sequence[str] = ()) -> SetProgress:
            found: dict[str, list[int]] = {}
            for row in some:
                for author, at_ms in times.get(row.tossup_id, ()):
                    found.setdefault(author, []).append(at_ms)
            return progress_of(name, some, found, sample)

        by_writer: dict[str, list[QueueRow]] = {}
        by_set: dict[str, list[QueueRow]] = {}
        for row in rows:
            by_writer.setdefault(row.author, []).append(row)
            by_set.setdefault(row.set_name, []).append(row)
        writers = {
            key: count(
                labels.get(key, "unknown"),
                some,
                review_sample([row.tossup_id for row in some], key, seed),
            )
            for key, some in by_writer.items()
        }
        return StatisticsReport(
            seed,
            tuple(sorted(writers.values(), key=lambda one: one.name.casefold())),
            tuple(count(name or "in no set", by_set[name]) for name in sorted(by_set, key=str.casefold)),
            count("all", rows),
        )
