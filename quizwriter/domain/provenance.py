"""Where a tossup comes from: what its history and its events say, and nothing that they do not say."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from quizwriter.domain.history import Change
from quizwriter.domain.review import BasedOn, Imported, Rewritten
from quizwriter.domain.review_state import Review

PASTED = 100
"""An edit that inserts more characters than this at once was not typed."""


class Origin(StrEnum):
    """Where the text of a tossup comes from."""

    WRITTEN = "written here"
    IMPORTED = "imported"
    REWRITTEN = "rewritten"
    NOT_RECORDED = "not recorded"


class Provenance(msgspec.Struct, frozen=True):
    """The origin of a tossup, and the work on it in QuizWriter.

    ``edits`` counts the edits by people here: of an imported tossup, those since the import; of a rewritten
    tossup, those since it was copied. ``based_on`` is the past question with whose text it began.
    ``first_ms`` and ``last_ms`` are the times of the first and the last edit in milliseconds since 1970, None
    without edits. ``players`` are the players that showed their games of a text which was edited afterwards.
    """

    origin: Origin
    edits: int = 0
    first_ms: int | None = None
    last_ms: int | None = None
    players: tuple[str, ...] = ()
    imported: Imported | None = None
    rewritten: Rewritten | None = None
    based_on: BasedOn | None = None


def provenance(changes: Sequence[Change], review: Review, shown: Sequence[tuple[int, str]]) -> Provenance:
    """The provenance of the tossup with these ``changes`` and this ``review``.

    ``shown`` holds the number of an edit and the name of a player for each game that was shown of the text
    after that edit.

    An event says so where a tossup was imported or rewritten. Without such an event, a tossup was written
    here if its text was typed. Where most of a text came in one piece, it was pasted, or imported by an older
    version, and nothing says where it comes from. The same holds where an older version noted a source.
    """
    event, origin = None, Origin.NOT_RECORDED
    imported: Imported | None = None
    rewritten: Rewritten | None = None
    based_on = review.based_on.body if review.based_on is not None else None
    if review.rewritten is not None and isinstance(review.rewritten.body, Rewritten):
        event, origin, rewritten = review.rewritten, Origin.REWRITTEN, review.rewritten.body
    elif review.imported is not None and isinstance(review.imported.body, Imported):
        event, origin, imported = review.imported, Origin.IMPORTED, review.imported.body
    elif review.based_on is not None:
        event, origin = review.based_on, Origin.REWRITTEN
    elif changes and not review.source and not _mostly_pasted(changes):
        origin = Origin.WRITTEN
    since = event.seq if event is not None else 0
    edits = [change for change in changes if change.seq > since]
    if origin is Origin.NOT_RECORDED:
        edits = edits[1:]  # the first is the text as it came
    last = edits[-1].seq if edits else 0
    players = sorted({name for seq, name in shown if since <= seq < last})
    times = [change.at_ms for change in edits]
    return Provenance(
        origin,
        len(edits),
        min(times, default=None),
        max(times, default=None),
        tuple(players),
        imported,
        rewritten,
        based_on if isinstance(based_on, BasedOn) else None,
    )


def _mostly_pasted(changes: Sequence[Change]) -> bool:
    """Whether more than half of the longest text came in edits that nobody types.

    What was removed before and comes back, as undo does it, is not counted.
    """
    removed: set[str] = set()
    pasted = length = longest = 0
    for change in changes:
        edit = change.edit
        length += len(edit.inserted) - len(edit.removed)
        longest = max(longest, length)
        if len(edit.inserted) > PASTED and edit.inserted not in removed:
            pasted += len(edit.inserted)
        if len(edit.removed) > PASTED:
            removed.add(edit.removed)
    return pasted * 2 > longest
