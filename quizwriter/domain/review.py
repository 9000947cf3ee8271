"""What happens to a tossup beside its edits: who said what of it, when, and where it stands because of that.

Everything is an :class:`Event` that is only ever added. The state of a tossup is a fold of its events, so two
machines that hold the same events hold the same state.

All kinds of events and their fold are in one file, so that nobody adds a kind and forgets what it means.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum

from quizwriter.domain.history import Edit
from quizwriter.domain.signatures import Authenticity, Signature, signed_text
from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.domain.styles import AnswerStyled, Styled


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who writes or edits; ``changed_ms`` says when the name was given: the newest counts.

    ``key`` is the first key that was seen for the person, empty if there is none.
    """

    id: str
    name: str = ""
    email: str = ""
    changed_ms: int = 0
    signature: Signature | None = field(default=None, compare=False)
    key: str = field(default="", compare=False)

    @property
    def statement(self) -> bytes:
        """The text that the person signs."""
        return signed_text("person", self.id, self.name, self.email, self.changed_ms)


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

    @property
    def strictness(self) -> int:
        """How much it forbids: 0 of a yes or of no answer, more of a refusal."""
        return {Consent.NO: 1, Consent.DO_NOT_RELEASE: 2}.get(self, 0)


class ConsentBasis(StrEnum):
    """How sure it is that the writer said what a consent says."""

    NONE = "none"  # nobody said anything
    VERIFIED = "verified"  # the writer's key signed it
    UNSIGNED = "unsigned"  # it is under the writer's name, and no key confirms it
    RECORDED = "recorded"  # another person wrote down what the writer said, and ``reason`` says how


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
    """The set the tossup is meant for, and the packet of that set; empty for none."""

    name: str
    packet: str = ""


@dataclass(frozen=True, slots=True)
class WrittenBy:
    """Whose tossup it is, where that is not who typed first."""

    person: str


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    """Whether it may be published; ``reason`` says how a person knows it who is not the writer."""

    consent: Consent
    reason: str = ""


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
class Dismissed:
    """What the rule ``rule`` finds there is no problem: in the stretch ``[start, end)`` after edit ``seq``.

    ``quoted`` is the stretch as it was; empty: the rule is about the whole tossup. ``in_answer``: the words
    are in the answer line, where the stretch says nothing.
    """

    rule: str
    reason: str
    seq: int = 0
    start: int = 0
    end: int = 0
    quoted: str = ""
    in_answer: bool = False


@dataclass(frozen=True, slots=True)
class StyleChosen:
    """The set ``name`` has this style sheet since ``at_ms``.

    The event is of every tossup that was in the set then, so that the style sheet goes with any of them.
    """

    name: str
    sheet: StyleSheet
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class BasedOn:
    """The tossup began as the text of a question that others asked before, and is not the writer's alone.

    ``source`` says which question that is, such as its tournament and its answer; ``question`` is its id
    among the past questions, empty if it has none.
    """

    source: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class BuzzGoal:
    """No player, or not the ``player`` that is named, is to buzz before ``per_cent`` of the words.

    0 per cent: there is no goal.
    """

    per_cent: int
    player: str = ""


@dataclass(frozen=True, slots=True)
class BriefLine:
    """So many tossups are ``wanted`` of a category, a type of answer and a difficulty; empty: of any."""

    category: tuple[str, ...] = ()
    answer_type: str = ""
    difficulty: str = ""
    wanted: int = 0


@dataclass(frozen=True, slots=True)
class BriefChosen:
    """The set ``name`` has this brief since ``at_ms``.

    The event is of every tossup that was in the set then, so that the brief goes with any of them.
    """

    name: str
    lines: tuple[BriefLine, ...] = ()
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class BegunFor:
    """The tossup was begun for a line of the brief with this type of answer and this difficulty."""

    answer_type: str = ""
    difficulty: str = ""


@dataclass(frozen=True, slots=True)
class ClueSourced:
    """Where the clue comes from that is the stretch ``[start, end)`` of the text after edit ``seq``.

    ``source`` is a link, a book or a passage of the evidence, in words for people; ``excerpt`` is what
    the source says there, empty if nobody noted it.
    """

    source: str
    seq: int = 0
    start: int = 0
    end: int = 0
    quoted: str = ""  # the stretch as it was
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Binned:
    """Its author does not want to see the tossup in lists any more, or wants to see it again."""

    binned: bool = True


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
    | Dismissed
    | StyleChosen
    | BasedOn
    | BuzzGoal
    | BriefChosen
    | BegunFor
    | ClueSourced
    | Binned
    | TakenBack
    | Styled
    | AnswerStyled
)

KINDS: Mapping[str, type[Body]] = {
    "status": StatusSet,
    "comment": Commented,
    "reply": Replied,
    "resolved": Resolved,
    "suggestion": Suggested,
    "decision": Decided,
    "tags": Tagged,
    "category": Categorised,
    "set": PutInSet,
    "writer": WrittenBy,
    "consent": ConsentGiven,
    "superseded": Superseded,
    "source": Cited,
    "imported": Imported,
    "rewritten": Rewritten,
    "dismissed": Dismissed,
    "style": StyleChosen,
    "based on": BasedOn,
    "buzz goal": BuzzGoal,
    "brief": BriefChosen,
    "begun for": BegunFor,
    "clue source": ClueSourced,
    "bin": Binned,
    "taken back": TakenBack,
    "styles": Styled,
    "answer styles": AnswerStyled,
}
"""The names of the kinds of bodies, in files and databases and in the ids of events."""

_KIND_NAMES = {body: kind for kind, body in KINDS.items()}


def body_kind(body: Body) -> str:
    """The name of the kind of ``body``."""
    return _KIND_NAMES[type(body)]


_CONTENT_ID = re.compile(r"(.*)-([0-9a-f]{32})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a tossup beside its edits.

    ``seq`` and ``after`` name the last edit there was then, by its number and its id; the store fills them
    in. An event belongs to every branch that has this edit.

    ``authenticity`` is what the signature proves on this computer; the store fills it in.
    """

    id: str
    tossup_id: str
    at_ms: int  # milliseconds since 1970, later than any event of the tossup that was known then
    author: str  # a person's id; empty if unknown
    body: Body
    seq: int = 0
    after: str = ""
    signature: Signature | None = field(default=None, compare=False)
    authenticity: Authenticity = field(default=Authenticity.UNSIGNED, compare=False)

    @classmethod
    def new(cls, tossup_id: str, at_ms: int, author: str, body: Body) -> Event:
        """An event that happens now, with a random id; the store makes :attr:`content_id` of it."""
        return cls(uuid.uuid4().hex, tossup_id, at_ms, author, body)

    @property
    def content_id(self) -> str:
        """The id that says what the event is: what was its id, a hyphen, and 32 digits of SHA-256.

        ``tossup_id`` has to be the root of the tossup. A value of the body that is the default is left out,
        so that a field that a later version adds changes no id.
        """
        found = _CONTENT_ID.fullmatch(self.id)
        name = found[1] if found else self.id
        body = json.dumps(_given(self.body), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        text = signed_text(
            "event",
            name,
            self.tossup_id,
            self.seq,
            self.after,
            self.at_ms,
            self.author,
            body_kind(self.body),
            body,
        )
        return f"{name}-{hashlib.sha256(text).hexdigest()[:32]}"

    @property
    def altered(self) -> bool:
        """Whether the id says that the event was another one; the random id of an older program says nothing.

        ``tossup_id`` has to be the root of the tossup.
        """
        return _CONTENT_ID.fullmatch(self.id) is not None and self.id != self.content_id

    @property
    def statement(self) -> bytes:
        """The text that its author signs; ``tossup_id`` has to be the root of the tossup."""
        return signed_text("said", self.content_id)

    def preferred(self, other: Event) -> Event:
        """This or ``other``, which has the same id: the same choice on every computer.

        A signed event comes before an unsigned one, a refusal of consent before anything else.
        """
        same = (self, self.signature) == (other, other.signature)
        return self if same else max(self, other, key=Event._claim)

    def _claim(self) -> tuple[bool, int, str]:
        return self.signature is not None, _consent(self).strictness, self.content_id

    @property
    def order(self) -> tuple[int, str]:
        """The place among others, the same on every machine."""
        return self.at_ms, self.id


def _given(value: object) -> object:
    """``value`` ready for JSON, without those fields of dataclasses that have their defaults."""
    if is_dataclass(value):
        found = {one.name: (getattr(value, one.name), one.default) for one in fields(value)}
        return {
            name: _given(has)
            for name, (has, default) in found.items()
            if default is MISSING or has != default
        }
    if isinstance(value, tuple):
        return [_given(one) for one in value]
    return value


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
class ConsentState:
    """Whether a tossup may be released, and who says so.

    ``writer`` is the person whose consent it takes. ``basis`` says how sure it is that the writer said it,
    and ``given_by`` is the person who said or recorded it.
    """

    writer: str = ""  # a person's id; empty if unknown
    consent: Consent = Consent.NOT_ASKED
    basis: ConsentBasis = ConsentBasis.NONE
    given_by: str = ""  # a person's id
    reason: str = ""  # how the person knows it who recorded it
    event: Event | None = None


_NOTHING_SAID = ConsentState()


@dataclass(frozen=True, slots=True)
class Review:
    """Where a tossup stands.

    ``status_set`` is the event that says so, None for a draft that never was anything else, and
    ``made_ready`` the last that said it was ready. ``seq`` of ``superseded`` is compared with the history by
    :meth:`is_superseded`. ``tags`` are by round and person, those given last at the end. ``dismissed`` are
    the events by which somebody said that a problem is none. ``binned`` is what each person decided last of
    the bin.
    """

    status: Status = Status.DRAFT
    status_set: Event | None = None
    made_ready: Event | None = None
    set_name: str = ""
    packet: str = ""  # of the set
    category: tuple[str, ...] = ()
    writer: str = ""  # a person's id; empty: who typed first
    release: ConsentState = _NOTHING_SAID
    source: str = ""
    imported: Event | None = None
    rewritten: Event | None = None
    based_on: Event | None = None
    buzz_goal: BuzzGoal | None = None
    begun_for: BegunFor | None = None
    clue_sources: tuple[Event, ...] = ()
    binned: Mapping[str, Event] = field(default_factory=dict)
    superseded: Event | None = None
    comments: tuple[Comment, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    tags: Mapping[tuple[Round, str], tuple[str, ...]] = field(default_factory=dict)
    dismissed: tuple[Event, ...] = ()
    styles: Mapping[str, StyleChosen] = field(default_factory=dict)  # by set, the newest
    briefs: Mapping[str, BriefChosen] = field(default_factory=dict)  # by set, the newest

    @property
    def consent(self) -> Consent:
        """Whether it may be released; ``release`` says who said so."""
        return self.release.consent

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

    def bins(self, seq: int, writer: str) -> dict[str, int]:
        """In whose bins the tossup is since when, in ms; ``seq`` is the last edit's, ``writer`` whose it is.

        The empty id stands for everybody without an entry. 0: it is in that person's lists. Each person
        decides for the own lists alone; but a draft that its writer throws away is in everybody's bin. An
        edit after the decision brings the tossup back, so nobody loses what others go on with, and an
        accepted tossup is in no bin.
        """
        if self.locked:
            return {}
        found = {}
        for person, event in self.binned.items():
            away = isinstance(event.body, Binned) and event.body.binned and event.seq >= seq
            found[person] = event.at_ms if away else 0
        if found.get(writer) and self.status is Status.DRAFT:
            found[""] = found[writer]
        return found


def _overridden(event: Event | None) -> tuple[Override, ...]:
    body = event.body if event is not None else None
    return body.overridden if isinstance(body, StatusSet) else ()


_NOT_OF_THE_AUTHOR = (Authenticity.UNCONFIRMED, Authenticity.OTHER_KEY, Authenticity.FORGED)
"""With these, another person may have made the event, who decides nothing for its author's lists."""


def fold_events(events: Iterable[Event], first_author: str = "") -> Review:
    """Where a tossup stands after ``events``, in whatever order they come; the same one twice counts once.

    ``first_author`` is the person who typed first, whose consent counts: see :func:`fold_consent`.
    """
    happened = sorted({event.id: event for event in events}.values(), key=lambda event: event.order)
    review = Review(release=fold_consent(happened, first_author))
    comments: dict[str, Comment] = {}
    suggestions: dict[str, Suggestion] = {}
    tags: dict[tuple[Round, str], tuple[str, ...]] = {}
    dismissed: list[Event] = []
    styles: dict[str, StyleChosen] = {}
    briefs: dict[str, BriefChosen] = {}
    clue_sources: list[Event] = []
    binned: dict[str, Event] = {}
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
            case PutInSet(name=name, packet=packet):
                review = replace(review, set_name=name, packet=packet)
            case WrittenBy(person=person):
                review = replace(review, writer=person)
            case Cited(source=source):
                review = replace(review, source=source)
            case Imported():
                review = replace(review, imported=event)
            case Rewritten():
                review = replace(review, rewritten=event)
            case BasedOn():
                review = replace(review, based_on=event)
            case BuzzGoal() as goal:
                review = replace(review, buzz_goal=goal if 0 < goal.per_cent <= 100 else None)
            case BegunFor() as begun_for:
                review = replace(review, begun_for=begun_for)
            case BriefChosen(name=name, at_ms=at_ms) as brief:
                if name not in briefs or at_ms >= briefs[name].at_ms:
                    briefs[name] = brief
            case ClueSourced():
                clue_sources.append(event)
            case Binned() if event.author and event.authenticity not in _NOT_OF_THE_AUTHOR:
                binned[event.author] = event
            case Superseded():
                review = replace(review, superseded=event)
            case Dismissed():
                dismissed.append(event)
            case StyleChosen(name=name, at_ms=at_ms) as chosen:
                if name not in styles or at_ms >= styles[name].at_ms:
                    styles[name] = chosen
            case _:
                pass  # an answer to what is not here, or was taken back
    return replace(
        review,
        comments=tuple(comments.values()),
        suggestions=tuple(suggestions.values()),
        tags=tags,
        dismissed=tuple(dismissed),
        styles=styles,
        briefs=briefs,
        clue_sources=tuple(clue_sources),
        binned=binned,
    )


def _counting(happened: Sequence[Event], *, own: bool = False) -> list[Event]:
    """Those of ``happened``, in their order, that were not taken back; taking back can be taken back.

    ``own``: only the author of an event can take it back.
    """
    gone: set[tuple[str, str]] = set()
    for event in reversed(happened):
        author = event.author if own else ""
        if isinstance(event.body, TakenBack) and (event.id, author) not in gone:
            gone.update((one, author) for one in event.body.events)
    return [event for event in happened if (event.id, event.author if own else "") not in gone]


def fold_consent(happened: Sequence[Event], first_author: str) -> ConsentState:
    """Whether the writer lets a tossup be released, after the events that ``happened``, in their order.

    The writer is who typed first (``first_author``), or the person to whom the writer handed the tossup over.

    - What the writer signed counts before everything else, and the last such statement holds.
    - A statement under the writer's name without the writer's signature counts where the writer signed none.
      Once a key of the writer is known, such statements can forbid what others of them allow, but not the
      other way round: a writer with a key who allows the release after all signs that.
    - Another person only records what the writer said. A record can forbid what no signature of the writer
      allows, and can allow what the writer said nothing of. Of several records the strictest counts.
    - Only the person who made a statement can take it back.
    """
    own: dict[str, list[Event]] = {}
    for event in happened:
        if isinstance(event.body, ConsentGiven | TakenBack):
            own.setdefault(event.author, []).append(event)
    statements = {person: _statement(events) for person, events in own.items()}
    writer, sure = first_author, True
    for event in _counting([one for one in happened if _hands_over(one)], own=True):
        body = event.body
        if not isinstance(body, WrittenBy) or body.person == writer or (writer and event.author != writer):
            continue
        if not _is_verified(event):
            if statements.get(writer, _NOTHING_SAID).basis is ConsentBasis.VERIFIED:
                continue  # nobody but the writer can hand over what the writer signed
            sure = False
        writer = body.person
    said = statements.pop(writer, _NOTHING_SAID)
    if said.basis is ConsentBasis.VERIFIED and sure:
        return replace(said, writer=writer)
    records = [one for one in statements.values() if one.consent is not Consent.NOT_ASKED]
    strictest = max(records, key=lambda one: one.consent.strictness, default=_NOTHING_SAID)
    if said.event is not None and strictest.consent.strictness <= said.consent.strictness:
        return replace(said, writer=writer, basis=ConsentBasis.UNSIGNED)
    basis = ConsentBasis.RECORDED if records else ConsentBasis.NONE
    return replace(strictest, writer=writer, basis=basis)


def _hands_over(event: Event) -> bool:
    """Whether ``event`` counts where the question is who the writer is."""
    if isinstance(event.body, WrittenBy):
        return event.authenticity is not Authenticity.OTHER_KEY
    loose = event.authenticity in (Authenticity.UNCONFIRMED, Authenticity.OTHER_KEY)
    return isinstance(event.body, TakenBack) and not loose


def _statement(own: Sequence[Event]) -> ConsentState:
    """What a person said of the release, by the person's ``own`` events alone."""
    signed = [event for event in own if _is_verified(event)]
    said = _consents(_counting(signed))
    if said:
        return _state(said[-1], ConsentBasis.VERIFIED)
    if all(event.authenticity is Authenticity.UNSIGNED for event in own):
        said = _consents(_counting(own))
        return _state(said[-1], ConsentBasis.UNSIGNED) if said else _NOTHING_SAID
    believed = [event for event in own if isinstance(event.body, ConsentGiven) or _is_verified(event)]
    said = [
        event
        for event in _consents(_counting(believed))
        if event.authenticity is not Authenticity.OTHER_KEY or _consent(event).strictness
    ]
    if not said:
        return _NOTHING_SAID
    strictest = max(map(_consent, said), key=lambda one: one.strictness)
    return _state([one for one in said if _consent(one) is strictest][-1], ConsentBasis.UNSIGNED)


def _is_verified(event: Event) -> bool:
    return event.authenticity is Authenticity.VERIFIED


def _consents(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if isinstance(event.body, ConsentGiven)]


def _consent(event: Event) -> Consent:
    return event.body.consent if isinstance(event.body, ConsentGiven) else Consent.NOT_ASKED


def _state(event: Event, basis: ConsentBasis) -> ConsentState:
    reason = event.body.reason if isinstance(event.body, ConsentGiven) else ""
    return ConsentState("", _consent(event), basis, event.author, reason, event)
