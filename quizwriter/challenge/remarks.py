"""What people wrote about a tossup beside its text: comments, replies, notes and reasons.

They are in a challenge set only if the editor wants them in, and then the editor sees each of them, by
person, before it is released.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event, Released, kind_of
from quizwriter.domain.review import (
    Commented,
    ConsentGiven,
    Decided,
    Dismissed,
    Replied,
    StatusSet,
    Suggested,
)
from quizwriter.domain.review_state import Review

NOT_RELEASED = "reason not released"
"""Stands in a challenge set for the reason of an override where remarks stay out."""


class Remark(msgspec.Struct, frozen=True):
    """A text that ``person``, an id, wrote about the tossup ``title``; ``kind`` is "comment" and so on."""

    tossup_id: str
    title: str
    person: str
    kind: str
    text: str


def remarks_in(events: Iterable[Event], tossup_id: str, title: str) -> Iterator[Remark]:
    """The remarks in ``events``, in their order."""
    for event in events:
        for kind, text in _texts(event):
            if text.strip():
                yield Remark(tossup_id, title, event.author, kind, text)


def _texts(event: Event) -> Iterator[tuple[str, str]]:
    match event.body:
        case Commented(text=text):
            yield "comment", text
        case Replied(text=text):
            yield "reply", text
        case Suggested(edit=edit, note=note):
            yield "suggested text", edit.inserted
            yield "note on a suggestion", note
        case Decided(reason=reason):
            yield "reason of a decision", reason
        case ConsentGiven(reason=reason):
            yield "reason of a consent", reason
        case Dismissed(rule=rule, reason=reason):
            yield f"reason for “{rule}”", reason
        case StatusSet(status=status, reason=reason, overridden=overridden):
            yield f"reason of the status {status}", reason
            for one in overridden:
                yield f"reason for “{one.check}”", one.reason


def without_working_notes(events: Iterable[Event]) -> tuple[Event, ...]:
    """``events`` without notes for the desk, such as sources of clues, goals, briefs and the bin."""
    return tuple(event for event in events if kind_of(event.body).released is not Released.NEVER)


def without_remarks(events: Iterable[Event]) -> tuple[Event, ...]:
    """``events`` without those that only say something, and without the reasons of the others."""
    kept = []
    for event in events:
        if kind_of(event.body).released is Released.WITH_REMARKS:
            continue
        match event.body:
            case ConsentGiven():
                kept.append(replace(event, body=replace(event.body, reason="")))
            case _:
                kept.append(_without_reasons(event) or event)
    return tuple(kept)


def review_without_remarks(review: Review) -> Review:
    """``review`` without remarks; an override keeps its check, with :data:`NOT_RELEASED` as the reason."""
    return replace(
        review,
        comments=(),
        suggestions=(),
        dismissed=(),
        status_set=_without_reasons(review.status_set),
        made_ready=_without_reasons(review.made_ready),
    )


def _without_reasons(event: Event | None) -> Event | None:
    if event is None or not isinstance(event.body, StatusSet):
        return event
    overridden = tuple(replace(one, reason=NOT_RELEASED) for one in event.body.overridden)
    return replace(event, body=replace(event.body, reason="", overridden=overridden))
