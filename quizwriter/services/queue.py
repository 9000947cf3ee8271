"""The queue: all tossups as a table, its filters, and the table as a file."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from quizwriter.cancellation import Progress
from quizwriter.errors import QuizwriterError
from quizwriter.formats.tables import write_table
from quizwriter.services.engines import Engines
from quizwriter.store.store import Store, from_store
from quizwriter.system.atomic import atomic_text
from quizwriter.system.decoding import decode_small_json, translate_decoding_errors
from quizwriter.workflow.queue import (
    PEOPLE,
    BranchGroup,
    QueueFilter,
    QueueRow,
    QueueSort,
    cell,
    column_title,
    group_branches,
)

if TYPE_CHECKING:
    from quizwriter.workflow.people_rooms import RoomFigures

log = logging.getLogger(__name__)


class Queue:
    """The tossups of one database as rows. Any thread may ask."""

    def __init__(self, store: Store, engines: Engines) -> None:
        """The tossups in ``store``; games of older versions of the players that ``engines`` use are stale."""
        self._store, self._engines = store, engines

    count_statuses = from_store(Store.count_statuses)
    facets = from_store(Store.facets)
    players = from_store(Store.players)

    def find(self, wanted: QueueFilter, sort: QueueSort) -> tuple[str, ...]:
        if sort.column not in PEOPLE:
            return self._store.queue(wanted, sort, self._engines.players_in_use)
        keys = self._store.queue(wanted, QueueSort(), self._engines.players_in_use)
        figures = self._people(keys)
        values = {
            row.tossup_id: replace(row, people=figures[row.tossup_id]).of_people(sort.column)
            for row in self._store.queue_rows(tuple(figures), self._engines.players_in_use)
        }
        known = {key: value for key, value in values.items() if value is not None}
        order = sorted(known, key=known.__getitem__, reverse=sort.down)
        return (*order, *(key for key in keys if key not in known))

    def find_tossups(
        self, wanted: QueueFilter, sort: QueueSort, opened: Collection[str] = ()
    ) -> tuple[tuple[str, ...], dict[str, BranchGroup]]:
        """As :meth:`find`, with one row for each tossup: see :func:`group_branches`."""
        return group_branches(self.find(wanted, sort), self._store.branch_roots(), opened)

    def rows(self, keys: Sequence[str]) -> tuple[QueueRow, ...]:
        """The rows of the tossups ``keys``, in that order; unknown ids are left out."""
        from quizwriter.services.survival import SurvivalResults  # here, as the start does not wait for it

        rows = self._store.queue_rows(keys, self._engines.players_in_use)
        survival = SurvivalResults(self._store).in_words([row.tossup_id for row in rows])
        figures = self._people([row.tossup_id for row in rows])
        return tuple(
            replace(row, survival=survival.get(row.tossup_id, ""), people=figures.get(row.tossup_id))
            for row in rows
        )

    def _people(self, keys: Sequence[str]) -> dict[str, RoomFigures]:
        """What people did on those of the tossups ``keys`` that they played."""
        played = self._store.played_by_people(keys)
        if not played:  # as in most databases, whose window opens without the modules of rooms
            return {}
        from quizwriter.services.recorded_rooms import people_figures

        return people_figures(self._store, played)

    def filters(self) -> dict[str, QueueFilter]:
        """The saved filters by name; filters that this version cannot read are left out."""
        found = {}
        for name, stored in self._store.items("filter").items():
            try:
                with translate_decoding_errors(
                    "A saved filter was made by a newer version", "Delete it and save it again."
                ):
                    found[name] = decode_small_json(stored, QueueFilter)
            except QuizwriterError as trouble:
                log.warning("the filter %s: %s", name, trouble)
        return found

    def save_filter(self, name: str, wanted: QueueFilter | None) -> None:
        """Save a filter under a name, in place of an older one; None deletes the filter."""
        body = None
        if wanted is not None:
            # What fits all tossups is left out, but 0 and False stay: saved filters have always had them.
            kept = {key: value for key, value in asdict(wanted).items() if value or value == 0}
            body = json.dumps(kept)
        self._store.put_item("filter", name, body)

    def lines(
        self, keys: Sequence[str], columns: Sequence[tuple[str, str]], progress: Progress | None = None
    ) -> Iterator[list[str]]:
        """The rows of the queue as text: the id of a tossup and its values in ``columns``.

        Each of ``columns`` is a column and a player; the player is empty for columns without one.
        """
        people = self._store.people()
        for start in range(0, len(keys), 500):
            if progress is not None:
                progress(start, len(keys))
            for row in self.rows(keys[start : start + 500]):
                yield [row.tossup_id, *(cell(row, people, column, player) for column, player in columns)]

    def export_csv(
        self,
        path: Path,
        keys: Sequence[str],
        columns: Sequence[tuple[str, str]],
        progress: Progress | None = None,
    ) -> None:
        """Write the tossups ``keys`` to ``path`` as CSV, an id and the ``columns`` each."""
        remedy = "Choose another folder, or free some disk space."
        # Excel reads the file as UTF-8 only if it begins with a byte order mark
        with atomic_text(path, encoding="utf-8-sig", newline="", remedy=remedy) as file:
            write_table(file, self._table(keys, columns, progress))

    def _table(
        self, keys: Sequence[str], columns: Sequence[tuple[str, str]], progress: Progress | None
    ) -> Iterator[list[str]]:
        yield ["Id", *(column_title(*column) for column in columns)]
        yield from self.lines(keys, columns, progress)
