"""What happens to a tossup beside its edits: who said what of it, when, and where it stands because of that.

Everything is an :class:`Event` that is only ever added. The state of a tossup is a fold of its events, see
:mod:`quizwriter.domain.review_state`: a new kind of event gets its meaning there.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from enum import StrEnum

import msgspec

from quizwriter.domain.history import Edit
from quizwriter.domain.signatures import Authenticity, signed_text
from quizwriter.domain.style_sheet import BuzzGoal, StyleSheet
from quizwriter.domain.styles import AnswerStyled, Styled
from quizwriter.system.signing import Signature


class Person(msgspec.Struct, frozen=True):
    """Somebody who writes or edits; ``changed_ms`` says when the name was given: the newest counts.

    ``key`` is the first key that was seen for the person, empty if there is none.
    """

    id: str
    name: str = ""
    email: str = ""
    changed_ms: int = 0
    signature: Signature | None = None
    key: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Person) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[str, str, str, int]:
        return self.id, self.name, self.email, self.changed_ms  # a signature and a key prove who it is

    @property
    def statement(self) -> bytes:
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


class Override(msgspec.Struct, frozen=True):
    """A check that did not pass, and why that is all right."""

    check: str
    reason: str


class StatusSet(msgspec.Struct, frozen=True):
    """The tossup has another status."""

    status: Status
    reason: str = ""
    overridden: tuple[Override, ...] = ()


class Commented(msgspec.Struct, frozen=True):
    """A comment on the stretch ``[start, end)`` of the text after edit ``seq``; empty: on all of it."""

    text: str
    seq: int = 0
    start: int = 0
    end: int = 0
    quoted: str = ""  # the stretch as it was


class Replied(msgspec.Struct, frozen=True):
    """An answer to a comment."""

    comment: str  # the event's id
    text: str


class Resolved(msgspec.Struct, frozen=True):
    """A comment is done with, or open again."""

    comment: str
    resolved: bool = True


class Suggested(msgspec.Struct, frozen=True):
    """An edit of the text after edit ``seq`` that the writer may accept."""

    seq: int
    edit: Edit
    note: str = ""


class Decided(msgspec.Struct, frozen=True):
    """A suggestion was accepted or declined."""

    suggestion: str  # the event's id
    accepted: bool
    reason: str = ""


class Tagged(msgspec.Struct, frozen=True):
    """All phenomena that one person finds in the tossup; that person's next such event replaces it."""

    tags: tuple[str, ...]
    round: Round = Round.BLIND


class Categorised(msgspec.Struct, frozen=True):
    """The category, up to three levels, the broadest first."""

    levels: tuple[str, ...]


class PutInSet(msgspec.Struct, frozen=True):
    """The set the tossup is meant for, and the packet of that set; empty for none."""

    name: str
    packet: str = ""


class WrittenBy(msgspec.Struct, frozen=True):
    """Whose tossup it is, where that is not who typed first."""

    person: str


class ConsentGiven(msgspec.Struct, frozen=True):
    """Whether it may be published; ``reason`` says how a person knows it who is not the writer."""

    consent: Consent
    reason: str = ""


class Superseded(msgspec.Struct, frozen=True):
    """Another branch was adopted: the one whose last edit was ``by``. Edits after this bring it back."""

    by: str


class Cited(msgspec.Struct, frozen=True):
    """Where the tossup came from, as its source says."""

    source: str


class Imported(msgspec.Struct, frozen=True):
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


class Rewritten(msgspec.Struct, frozen=True):
    """The tossup began as another one: a copy of that tossup as it was after edit ``edit``."""

    tossup: str  # the id of the other tossup
    edit: int


class Dismissed(msgspec.Struct, frozen=True):
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


class StyleChosen(msgspec.Struct, frozen=True):
    """The set ``name`` has this style sheet since ``at_ms``.

    The event is of every tossup that was in the set then, so that the style sheet goes with any of them.
    """

    name: str
    sheet: StyleSheet
    at_ms: int = 0


class SetWord(msgspec.Struct, frozen=True):
    """The ``word`` is right as it is written in the set ``name`` since ``at_ms``, or is no more.

    The event is of every tossup that was in the set then. One event is about one word, so that words which
    several people add at once all count; it comes before any list of words in a style sheet.
    """

    name: str
    word: str
    right: bool = True
    at_ms: int = 0


class BasedOn(msgspec.Struct, frozen=True):
    """The tossup began as the text of a question that others asked before, and is not the writer's alone.

    ``source`` says which question that is, such as its tournament and its answer; ``question`` is its id
    among the past questions, empty if it has none.
    """

    source: str
    question: str = ""


class BriefLine(msgspec.Struct, frozen=True):
    """So many tossups are ``wanted`` of a category, a type of answer and a difficulty; empty: of any."""

    category: tuple[str, ...] = ()
    answer_type: str = ""
    difficulty: str = ""
    wanted: int = 0


class BriefChosen(msgspec.Struct, frozen=True):
    """The set ``name`` has this brief since ``at_ms``.

    The event is of every tossup that was in the set then, so that the brief goes with any of them.
    """

    name: str
    lines: tuple[BriefLine, ...] = ()
    at_ms: int = 0


class BegunFor(msgspec.Struct, frozen=True):
    """The tossup was begun for a line of the brief with this type of answer and this difficulty."""

    answer_type: str = ""
    difficulty: str = ""


class ClueSourced(msgspec.Struct, frozen=True):
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


class Binned(msgspec.Struct, frozen=True):
    """Its author does not want to see the tossup in lists any more, or wants to see it again."""

    binned: bool = True


class NeverSent(msgspec.Struct, frozen=True):
    """The tossups of the set ``name`` are sent to no player on a server, for good: nobody can take it back.

    The event is of every tossup that was in the set then, so that it goes with any of them. It holds for
    the tossup in every set.
    """

    name: str


class Arm(StrEnum):
    """In which arm of a set's comparison a tossup is written: with the machines' side hidden, or shown."""

    HIDDEN = "hidden"
    SHOWN = "shown"


class ArmDrawn(msgspec.Struct, frozen=True):
    """The tossup was drawn into an ``arm`` of the set ``name``, for good: nobody can take it back.

    The arm follows from ``seed`` and the tossup, see :mod:`quizwriter.workflow.control_arm`.
    """

    name: str
    arm: Arm
    seed: int


class RoomsRecorded(msgspec.Struct, frozen=True):
    """People played the tossup as it was after this event's edit, when it had ``words`` words.

    ``games`` has a digest of each room, so that none counts twice, and ``right`` for each of them how many
    words were heard at the first right buzz, 0 where nobody was right. ``wrong`` has the same of each wrong
    buzz. ``file`` is a name without folders. No person is named.
    """

    file: str
    words: int
    games: tuple[str, ...] = ()
    right: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()


class TakenBack(msgspec.Struct, frozen=True):
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
    | SetWord
    | BasedOn
    | BuzzGoal
    | BriefChosen
    | BegunFor
    | ClueSourced
    | Binned
    | NeverSent
    | ArmDrawn
    | RoomsRecorded
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
    "set word": SetWord,
    "based on": BasedOn,
    "buzz goal": BuzzGoal,
    "brief": BriefChosen,
    "begun for": BegunFor,
    "clue source": ClueSourced,
    "bin": Binned,
    "never sent": NeverSent,
    "arm": ArmDrawn,
    "rooms": RoomsRecorded,
    "taken back": TakenBack,
    "styles": Styled,
    "answer styles": AnswerStyled,
}
"""The names of the kinds of bodies, in files and databases and in the ids of events."""

_KIND_NAMES = {body: kind for kind, body in KINDS.items()}


def body_kind(body: Body) -> str:
    return _KIND_NAMES[type(body)]


_CONTENT_ID = re.compile(r"(.*)-([0-9a-f]{32})", re.DOTALL)


class Event(msgspec.Struct, frozen=True):
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
    signature: Signature | None = None
    authenticity: Authenticity = Authenticity.UNSIGNED

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:  # two machines may know different signatures of one event
        return self.id, self.tossup_id, self.at_ms, self.author, self.body, self.seq, self.after

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
        consent = self.body.consent if isinstance(self.body, ConsentGiven) else Consent.NOT_ASKED
        return self.signature is not None, consent.strictness, self.content_id

    @property
    def order(self) -> tuple[int, str]:
        """The place among others, the same on every machine."""
        return self.at_ms, self.id


def _given(value: object) -> object:
    """``value`` ready for JSON, without those fields of records that have their defaults."""
    if isinstance(value, msgspec.Struct):
        names, defaults = value.__struct_fields__, value.__struct_defaults__
        usual = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        found = {name: getattr(value, name) for name in names}
        return {name: _given(has) for name, has in found.items() if name not in usual or has != usual[name]}
    if isinstance(value, tuple):
        return [_given(one) for one in value]
    return value
