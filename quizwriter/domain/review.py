"""What happens to a tossup beside its edits: who said what of it, when, and where it stands because of that.

Everything is an :class:`Event` that is only ever added. The state of a tossup is a fold of its events, so two
machines that hold the same events hold the same state.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from quizwriter.domain.history import Edit


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who writes or edits; ``changed_ms`` says when the name was given: the newest counts."""

    id: str
    name: str = ""
    email: str = ""
    changed_ms: int = 0


class Status(StrEnum):
    """How far a tossup is on its way into the set."""

    DRAFT = "draft"
    READY = "ready"
    IN_REVIEW = "in review"
    EDITED = "edited"
    PROOFREAD = "proofread"
    ACCEPTED = "accepted"
    SENT_BACK = "sent back"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


_REFUSED = (Status.SENT_BACK, Status.REJECTED, Status.WITHDRAWN)
_ALLOWED: dict[Status, tuple[Status, ...]] = {
    Status.DRAFT: (Status.READY, Status.REJECTED, Status.WITHDRAWN),
    Status.READY: (Status.IN_REVIEW, Status.DRAFT, *_REFUSED),
    Status.IN_REVIEW: (Status.EDITED, Status.READY, *_REFUSED),
    Status.EDITED: (Status.PROOFREAD, Status.IN_REVIEW, *_REFUSED),
    Status.PROOFREAD: (Status.ACCEPTED, Status.EDITED, *_REFUSED),
    Status.ACCEPTED: (Status.EDITED, *_REFUSED),  # each of them unlocks it
    Status.SENT_BACK: (Status.READY, Status.DRAFT, Status.REJECTED, Status.WITHDRAWN),
    Status.REJECTED: (Status.DRAFT,),
    Status.WITHDRAWN: (Status.DRAFT,),
}

LOCKED = frozenset({Status.ACCEPTED})
"""In these a tossup takes no edits."""


def allowed_next(status: Status) -> tuple[Status, ...]:
    """What may follow ``status``, the usual next step first."""
    return _ALLOWED[status]


class Round(StrEnum):
    """Of which round a tagging is: those who see nothing of each other, or the one who decides."""

    BLIND = "blind"
    DECIDING = "deciding"


class Consent(StrEnum):
    """Whether the writer lets a tossup be published."""

    NOT_ASKED = "not asked"
    YES = "yes"
    NO = "no"
    DO_NOT_RELEASE = "do not release"


@dataclass(frozen=True, slots=True)
class Override:
    """A check that did not pass, and why that is all right."""

    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class StatusSet:
    """The tossup has another status."""

    status: Status
    reason: str = ""
    overridden: tuple[Override, ...] = ()


@dataclass(frozen=True, slots=True)
class Commented:
    """A comment on the stretch ``[start, end)`` of the text after edit ``seq``; empty: on all of it."""

    text: str
    seq: int = 0
    start: int = 0
    end: int = 0
    quoted: str = ""  # the stretch as it was


@dataclass(frozen=True, slots=True)
class Replied:
    """An answer to a comment."""

    comment: str  # the event's id
    text: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """A comment is done with, or open again."""

    comment: str
    resolved: bool = True


@dataclass(frozen=True, slots=True)
class Suggested:
    """An edit of the text after edit ``seq`` that the writer may accept."""

    seq: int
    edit: Edit
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """A suggestion was accepted or declined."""

    suggestion: str  # the event's id
    accepted: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Tagged:
    """All phenomena that one person finds in the tossup; that person's next such event replaces it."""

    tags: tuple[str, ...]
    round: Round = Round.BLIND


@dataclass(frozen=True, slots=True)
class Categorised:
    """The category, up to three levels, the broadest first."""

    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PutInSet:
    """The set the tossup is meant for; empty for none."""

    name: str


@dataclass(frozen=True, slots=True)
class WrittenBy:
    """Whose tossup it is, where that is not who typed first."""

    person: str


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    """Whether it may be published."""

    consent: Consent


@dataclass(frozen=True, slots=True)
class Superseded:
    """Another branch was adopted: the one whose last edit was ``by``. Edits after this bring it back."""

    by: str


@dataclass(frozen=True, slots=True)
class Cited:
    """Where the tossup came from, as its source says."""

    source: str


@dataclass(frozen=True, slots=True)
class Imported:
    """The tossup came from a file, as it is after this event's edit.

    ``file`` is the name without folders, ``digest`` the SHA-256 digest of the whole file, ``question`` the id
    that the file gives. ``tournament``, ``year``, ``authors`` and ``page`` are as the file says; empty or
    None where it says nothing.
    """

    file: str
    digest: str
    question: str = ""
    tournament: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()  # people's ids
    page: str = ""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The tossup began as another one: a copy of that tossup as it was after edit ``edit``."""

    tossup: str  # the id of the other tossup
    edit: int


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Those events count no longer."""

    events: tuple[str, ...]


Body = (
    StatusSet
    | Commented
    | Replied
    | Resolved
    | Suggested
    | Decided
    | Tagged
    | Categorised
    | PutInSet
    | WrittenBy
    | ConsentGiven
    | Superseded
    | Cited
    | Imported
    | Rewritten
    | TakenBack
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a tossup beside its edits.

    ``seq`` and ``after`` name the last edit there was then, by its number and its id; the store fills them
    in. An event belongs to every branch that has this edit.
    """

    id: str
    tossup_id: str
    at_ms: int  # milliseconds since 1970, later than any event of the tossup that was known then
    author: str  # a person's id; empty if unknown
    body: Body
    seq: int = 0
    after: str = ""

    @classmethod
    def new(cls, tossup_id: str, at_ms: int, author: str, body: Body) -> Event:
        """An event that happens now, with an id that no other machine makes."""
        return cls(uuid.uuid4().hex, tossup_id, at_ms, author, body)

    @property
    def order(self) -> tuple[int, str]:
        """The place among others, the same on every machine."""
        return self.at_ms, self.id


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with what was said to it."""

    event: Event
    replies: tuple[Event, ...] = ()
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested edit, and what was decided; None while nothing is."""

    event: Event
    decision: Event | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """Where a tossup stands.

    ``status_set`` is the event that says so, None for a draft that never was anything else, and
    ``made_ready`` the last that said it was ready. ``seq`` of ``superseded`` is compared with the history by
    :meth:`is_superseded`. ``tags`` are by round and person, those given last at the end.
    """

    status: Status = Status.DRAFT
    status_set: Event | None = None
    made_ready: Event | None = None
    set_name: str = ""
    category: tuple[str, ...] = ()
    writer: str = ""  # a person's id; empty: who typed first
    consent: Consent = Consent.NOT_ASKED
    source: str = ""
    imported: Event | None = None
    rewritten: Event | None = None
    superseded: Event | None = None
    comments: tuple[Comment, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    tags: Mapping[tuple[Round, str], tuple[str, ...]] = field(default_factory=dict)

    @property
    def locked(self) -> bool:
        """Whether it takes no edits."""
        return self.status in LOCKED

    @property
    def overridden(self) -> tuple[Override, ...]:
        """The checks that did not hold when the status was set, with reasons."""
        return _overridden(self.status_set)

    @property
    def waived(self) -> tuple[Override, ...]:
        """The checks that need not hold, with reasons: of when it was last ready, and of its status."""
        found = (*_overridden(self.made_ready), *_overridden(self.status_set))
        return tuple({override.check: override for override in found}.values())

    @property
    def open_comments(self) -> int:
        """How many comments are not resolved."""
        return sum(not comment.resolved for comment in self.comments)

    @property
    def open_suggestions(self) -> int:
        """How many suggestions wait for a decision."""
        return sum(suggestion.decision is None for suggestion in self.suggestions)

    def is_superseded(self, seq: int) -> bool:
        """Whether another branch was adopted, and nothing was edited since; ``seq`` is the last edit's."""
        return self.superseded is not None and self.superseded.seq >= seq


def _overridden(event: Event | None) -> tuple[Override, ...]:
    body = event.body if event is not None else None
    return body.overridden if isinstance(body, StatusSet) else ()


def fold_events(events: Iterable[Event]) -> Review:
    """Where a tossup stands after ``events``, in whatever order they come; the same one twice counts once."""
    happened = sorted({event.id: event for event in events}.values(), key=lambda event: event.order)
    review = Review()
    comments: dict[str, Comment] = {}
    suggestions: dict[str, Suggestion] = {}
    tags: dict[tuple[Round, str], tuple[str, ...]] = {}
    for event in _counting(happened):
        match event.body:
            case StatusSet(status=status):
                review = replace(review, status=status, status_set=event)
                if status is Status.READY:
                    review = replace(review, made_ready=event)
            case Commented():
                comments[event.id] = Comment(event)
            case Replied(comment=about) if about in comments:
                comment = comments[about]
                comments[about] = replace(comment, replies=(*comment.replies, event))
            case Resolved(comment=about, resolved=resolved) if about in comments:
                comments[about] = replace(comments[about], resolved=resolved)
            case Suggested():
                suggestions[event.id] = Suggestion(event)
            case Decided(suggestion=about) if about in suggestions:
                suggestions[about] = replace(suggestions[about], decision=event)
            case Tagged(tags=found, round=of):
                tags.pop((of, event.author), None)  # the last one is last
                tags[of, event.author] = found
            case Categorised(levels=levels):
                review = replace(review, category=levels)
            case PutInSet(name=name):
                review = replace(review, set_name=name)
            case WrittenBy(person=person):
                review = replace(review, writer=person)
            case ConsentGiven(consent=consent):
                review = replace(review, consent=consent)
            case Cited(source=source):
                review = replace(review, source=source)
            case Imported():
                review = replace(review, imported=event)
            case Rewritten():
                review = replace(review, rewritten=event)
            case Superseded():
                review = replace(review, superseded=event)
            case _:
                pass  # an answer to what is not here, or was taken back
    return replace(
        review, comments=tuple(comments.values()), suggestions=tuple(suggestions.values()), tags=tags
    )


def _counting(happened: list[Event]) -> list[Event]:
    """Those of ``happened``, in their order, that were not taken back; taking back can be taken back."""
    gone: set[str] = set()
    for event in reversed(happened):
        if isinstance(event.body, TakenBack) and event.id not in gone:
            gone.update(event.body.events)
    return [event for event in happened if event.id not in gone]
