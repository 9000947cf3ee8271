"""The texts of a release: those of a tossup, and the remarks that people made about it.

Remarks are comments, replies, notes and reasons. A challenge set holds them only if the editor wants them,
who then sees each of them, by person, before the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from quizwriter.challenge.selection import Candidate
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
from quizwriter.domain.styles import AnswerStyled

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


def released_texts(one: Candidate, *, histories: bool) -> Iterator[tuple[str, str, bool]]:
    """The texts that are released of a tossup: the place, the text, and whether it is a remark."""
    name = quoted_title(one)
    yield f"the text of {name}", one.tossup.text, False
    if one.tossup.answer is not None:
        yield f"the answer of {name}", one.tossup.answer.line, False
    for override in one.review.waived:
        yield f"the reason for “{override.check}” of {name}", override.reason, True
    yield f"the source of {name}", one.review.source, True
    yield f"the set of {name}", one.review.set_name, True
    for level in one.review.category:
        yield f"the category of {name}", level, True
    for tags in one.review.tags.values():
        for tag in tags:
            yield f"a tag of {name}", tag, True
    if (imported := one.provenance.imported) is not None:
        yield f"the name of the file of {name}", imported.file, True
        yield f"the tournament of {name}", imported.tournament, True
    if (based_on := one.provenance.based_on) is not None:
        yield f"the past question of {name}", based_on.source, True
    if not histories:
        return
    for remark in remarks_in(one.events, one.tossup_id, name):
        yield f"a {remark.kind} on {name}", remark.text, True
    for event in one.events:
        for field, place in kind_of(event.body).texts.items():
            yield place.format(name), getattr(event.body, field), not isinstance(event.body, AnswerStyled)
    for asked in one.answers:
        if asked.answer is not None:
            yield f"an earlier answer of {name}", asked.answer.line, False


def quoted_title(one: Candidate) -> str:
    """The main answer of a tossup, or its id, in quotation marks."""
    return f"“{one.tossup.answer.main if one.tossup.answer else one.tossup_id}”"
