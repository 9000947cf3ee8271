"""The log of sets and tossups: everything that was recorded beside the edits, and every release made here."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import asdict

from quizwriter.errors import QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store, from_store
from quizwriter.system.decoding import decode_small_json, translate_decoding_errors
from quizwriter.workflow.event_log import LogEntry, LogFilter, ReleaseRecord, fits, log_entries, person_labels
from quizwriter.workflow.session import now_ms

log = logging.getLogger(__name__)

_KIND = "release"  # of the items that say what was exported or retracted


class SetLog:
    """Reads the log of one database, and keeps which releases were made from it. Any thread may ask."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store, self._profile = store, profile

    people = from_store(Store.people)

    def entries(self, wanted: LogFilter | None = None) -> tuple[LogEntry, ...]:
        """Everything that was recorded and fits ``wanted``, the newest first."""
        wanted = wanted or LogFilter()
        people = self._store.people()
        only = wanted.tossups[0] if len(wanted.tossups) == 1 else None
        events = self._store.events(only) if only is not None else self._store.all_events()
        found = log_entries(events, self.releases(), self._store.logged_tossups(), people)
        labels = person_labels(people)
        return tuple(entry for entry in found if fits(entry, wanted, labels))

    def releases(self) -> tuple[ReleaseRecord, ...]:
        """The exports and retractions that were made from this database, the oldest first."""
        found = []
        for name, stored in self._store.items(_KIND).items():
            try:
                with translate_decoding_errors("The record of a release cannot be read", "Export again."):
                    found.append(decode_small_json(stored, ReleaseRecord))
            except QuizwriterError as trouble:
                log.warning("the release %s: %s", name, trouble)
        return tuple(sorted(found, key=lambda one: one.at_ms))

    def record_release(
        self,
        title: str,
        version: str,
        folder: Path,
        tossup_ids: Sequence[str],
        *,
        retracted: bool = False,
        reason: str = "",
    ) -> None:
        """Keep that tossups were released in ``folder``, or withdrawn in the version that is there."""
        at_ms = max([now_ms(), *(one.at_ms + 1 for one in self.releases())])  # after every earlier one
        record = ReleaseRecord(
            at_ms, self._profile.me.id, title, version, str(folder.resolve()), tuple(tossup_ids),
            retracted, reason,
        )  # fmt: skip
        self._store.put_item(_KIND, uuid.uuid4().hex, json.dumps(asdict(record), ensure_ascii=False))
