"""The sources of clues: read from the database, and exported for editors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from quizwriter.domain.review import BasedOn
from quizwriter.domain.review_state import Review
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.store.store import Store
from quizwriter.system.atomic import atomic_text
from quizwriter.workflow.sources import SourcedTossup, source_rows, sourced_clues, sources_json


class StoredSources(msgspec.Struct, frozen=True):
    """The review of a tossup, and the trail of its text, in which the clues are found again."""

    review: Review
    trail: AnchorTracker


class ClueSources:
    """The sources of the clues of the tossups in one database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def stored(self, tossup_id: str) -> StoredSources:
        """The sources of a tossup with the trail of its saved text."""
        trail = AnchorTracker(change.edit for change in self._store.history(tossup_id))
        return StoredSources(self._store.review_of(tossup_id), trail)

    def of(self, tossup_ids: Sequence[str]) -> tuple[SourcedTossup, ...]:
        """The tossups with the sources of their clues. Slow for many."""
        found = []
        for key in tossup_ids:
            answer = self._store.load(key).tossup.answer
            stored = self.stored(key)
            based_on = stored.review.based_on.body if stored.review.based_on is not None else None
            found.append(
                SourcedTossup(
                    key,
                    answer.line if answer is not None else "",
                    stored.review.set_name,
                    stored.review.packet,
                    based_on.source if isinstance(based_on, BasedOn) else "",
                    sourced_clues(stored.review, stored.trail),
                )
            )
        return tuple(found)

    def export(self, path: Path, tossup_ids: Sequence[str]) -> int:
        """Write the sources of the tossups to ``path``, as CSV or JSON by its ending; how many sources."""
        from quizwriter.formats.tables import write_table

        found = self.of(tossup_ids)
        with atomic_text(
            path,
            newline="",
            problem=f"The sources could not be written to {path}",
            remedy="Free some disk space or allow writing there, or choose another place.",
        ) as file:
            if path.suffix.casefold() == ".json":
                json.dump(sources_json(found), file, ensure_ascii=False, indent=1)
            else:
                write_table(file, source_rows(found))
        return sum(len(one.clues) for one in found)
