"""The figures of sets and writers, from the rows of the queue and the times of the edits."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from quizwriter.services.engines import Engines
from quizwriter.services.known_people import People
from quizwriter.services.recorded_rooms import people_figures
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

    def __init__(self, store: Store, people: People, engines: Engines) -> None:
        """The figures of the tossups in ``store``, by the games of the players that ``engines`` use."""
        self._store, self._people, self._engines = store, people, engines

    def state(self, sets: Sequence[str] = ()) -> tuple[StateLine, ...]:
        """The state of the tossups in ``sets``, or of all: each number with the tossups behind it."""
        found = self._store.queue(QueueFilter(sets=tuple(sets)), QueueSort("answer", down=False))
        keys, groups = group_branches(found, self._store.branch_roots())
        known = self._people.known()
        players = self._engines.players_in_use
        unplayed = self._store.queue(QueueFilter(sets=tuple(sets), unplayed=True), QueueSort(), players)
        return state_of_set(
            self._store.queue_rows(keys, players),
            {one.tossup_id: one.consent_basis for one in self._store.release_states()},
            self._store.status_times(),
            person_labels({one.person.id: one.person for one in known}),
            unplayed=frozenset(unplayed),
            undecided={one.person.id for one in known if one.undecided},
            branched=groups,
            people=people_figures(self._store, self._store.played_by_people(keys)),
            packets={one.tossup_id: one.packet for one in self._store.tossups()},
        )

    def report(self, sets: Sequence[str] = (), seed: int = 0) -> StatisticsReport:
        """The figures of the tossups in ``sets``, or of all; ``seed`` draws the review samples.

        A tossup with branches counts once, as in :meth:`state`, and the hours of all its branches count.
        """
        found = self._store.queue(QueueFilter(sets=tuple(sets)), QueueSort("answer", down=False))
        keys, groups = group_branches(found, self._store.branch_roots())
        rows = self._store.queue_rows(keys, self._engines.players_in_use)
        labels = person_labels(self._store.people())
        times = self._store.edit_times()

        def count(name: str, some: Sequence[QueueRow], sample: Sequence[str] = ()) -> SetProgress:
            found: dict[str, list[int]] = {}
            for row in some:
                group = groups.get(row.tossup_id)
                branches = (row.tossup_id,) if group is None else group.keys
                for author, at_ms in {one for key in branches for one in times.get(key, ())}:
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
