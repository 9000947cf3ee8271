"""The kinds of events (:mod:`quizwriter.domain.events`), with their people, statuses and consents."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from typing import Annotated

import msgspec

from quizwriter.domain.events import Body, Released, event_kind
from quizwriter.domain.history import Edit
from quizwriter.domain.signatures import signed_text
from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.system.signing import Signature

_LETTERS = re.compile(r"[^\W\d_]+")


def name_key(name: str) -> str:
    """What two spellings of a name have in common: neither case, accents nor signs count."""
    bare = unicodedata.normalize("NFKD", name.casefold())
    return " ".join(_LETTERS.findall("".join(one for one in bare if not unicodedata.combining(one))))


_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # marks that reorder what comes behind them


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
    def shown_name(self) -> str:
        """The name, else the address, in one line and in its own order, so that it looks like no other line.

        A pack may bring names with ends of lines, and marks that turn the words behind them.
        """
        name, email = (" ".join(_TURNING.sub("", text).split()) for text in (self.name, self.email))
        return name or email

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


@event_kind("status", log="status")
class StatusSet(Body, frozen=True):
    """The tossup has another status."""

    status: Status
    reason: str = ""
    overridden: tuple[Override, ...] = ()


@event_kind(
    "comment", log="comment", texts={"quoted": "what a comment on {} quotes"}, released=Released.WITH_REMARKS
)
class Commented(Body, frozen=True):
    """A comment on the stretch ``[start, end)`` of the text after edit ``seq``; empty: on all of it."""

    text: str
    seq: int = 0
    start: int = 0
    end: int = 0
    quoted: str = ""  # the stretch as it was


@event_kind("reply", log="comment", released=Released.WITH_REMARKS)
class Replied(Body, frozen=True):
    """An answer to a comment."""

    comment: str  # the event's id
    text: str


@event_kind("resolved", log="comment", released=Released.WITH_REMARKS)
class Resolved(Body, frozen=True):
    """A comment is done with, or open again."""

    comment: str
    resolved: bool = True


@event_kind("suggestion", log="suggestion", released=Released.WITH_REMARKS)
class Suggested(Body, frozen=True):
    """An edit of the text after edit ``seq`` that the writer may accept."""

    seq: int
    edit: Edit
    note: str = ""


@event_kind("decision", log="suggestion", released=Released.WITH_REMARKS)
class Decided(Body, frozen=True):
    """A suggestion was accepted or declined."""

    suggestion: str  # the event's id
    accepted: bool
    reason: str = ""


@event_kind("tags", log="tags")
class Tagged(Body, frozen=True):
    """All phenomena that one person finds in the tossup; that person's next such event replaces it."""

    tags: tuple[str, ...]
    round: Round = Round.BLIND


@event_kind("category", log="category")
class Categorised(Body, frozen=True):
    """The category, up to three levels, the broadest first."""

    levels: tuple[str, ...]


@event_kind(
    "set", log="set", later={"packet": 3}, texts={"name": "an earlier set of {}", "packet": "a packet of {}"}
)
class PutInSet(Body, frozen=True):
    """The set the tossup is meant for, and the packet of that set; empty for none."""

    name: str
    packet: str = ""


@event_kind("writer", log="author")
class WrittenBy(Body, frozen=True):
    """Whose tossup it is, where that is not who typed first."""

    person: str


@event_kind("same person", log="author", pack=4, released=Released.NEVER)
class SamePerson(Body, frozen=True):
    """The ``person``, of whom no key is known, is the person ``into``; both are ids.

    It counts where its author signed it. Its author and the person ``into`` can take it back.
    """

    person: str
    into: str


@event_kind("outside writer", log="author", pack=5, released=Released.NEVER)
class OutsideWriter(Body, frozen=True):
    """The ``person``, of whom no key is known, does not use QuizWriter; its author can take it back.

    The event is of every tossup that names the person then, so that it goes with any of them.
    """

    person: str


@event_kind("consent", log="consent", later={"reason": 1})
class ConsentGiven(Body, frozen=True):
    """Whether it may be published; ``reason`` says how a person knows it who is not the writer."""

    consent: Consent
    reason: str = ""

    @property
    def strictness(self) -> int:
        return self.consent.strictness


@event_kind("superseded", log="branch")
class Superseded(Body, frozen=True):
    """Another branch was adopted: the one whose last edit was ``by``. Edits after this bring it back."""

    by: str


@event_kind("source", log="source", texts={"source": "an earlier source of {}"})
class Cited(Body, frozen=True):
    """Where the tossup came from, as its source says."""

    source: str


@event_kind("imported", log="source", texts={"file": "an earlier imported of {}"})
class Imported(Body, frozen=True):
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


@event_kind("rewritten", log="source")
class Rewritten(Body, frozen=True):
    """The tossup began as another one: a copy of that tossup as it was after edit ``edit``."""

    tossup: str  # the id of the other tossup
    edit: int


@event_kind(
    "dismissed",
    log="problem",
    pack=3,
    texts={"quoted": "what a dismissed problem of {} quotes"},
    released=Released.WITH_REMARKS,
)
class Dismissed(Body, frozen=True):
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


@event_kind("style", log="style", pack=3, texts={"name": "an earlier style of {}"})
class StyleChosen(Body, frozen=True):
    """The set ``name`` has this style sheet since ``at_ms``.

    The event is of every tossup that was in the set then, so that the style sheet goes with any of them.
    """

    name: str
    sheet: StyleSheet
    at_ms: int = 0


@event_kind(
    "set word", log="style", pack=3, texts={"name": "an earlier set of {}", "word": "a word of a set of {}"}
)
class SetWord(Body, frozen=True):
    """The ``word`` is right as it is written in the set ``name`` since ``at_ms``, or is no more.

    The event is of every tossup that was in the set then. One event is about one word, so that words which
    several people add at once all count; it comes before any list of words in a style sheet.
    """

    name: str
    word: str
    right: bool = True
    at_ms: int = 0


@event_kind("based on", log="source", pack=3, texts={"source": "an earlier based on of {}"})
class BasedOn(Body, frozen=True):
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


@event_kind("brief", log="set", pack=3, later={"beats": 4, "by_f1": 4}, released=Released.NEVER)
class BriefChosen(Body, frozen=True):
    """The set ``name`` has this brief since ``at_ms``.

    The event is of every tossup that was in the set then, so that the brief goes with any of them. Each
    tossup is to beat the players ``beats``; see :class:`quizwriter.services.beat_goal.BeatGoal`.
    """

    name: str
    lines: tuple[BriefLine, ...] = ()
    at_ms: int = 0
    beats: tuple[str, ...] = ()
    by_f1: bool = False


@event_kind("begun for", log="goal", pack=3, released=Released.NEVER)
class BegunFor(Body, frozen=True):
    """The tossup was begun for a line of the brief with this type of answer and this difficulty."""

    answer_type: str = ""
    difficulty: str = ""


@event_kind("clue source", log="source", pack=3, released=Released.NEVER)
class ClueSourced(Body, frozen=True):
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


@event_kind("bin", log="bin", pack=3, released=Released.NEVER)
class Binned(Body, frozen=True):
    """Its author does not want to see the tossup in lists any more, or wants to see it again."""

    binned: bool = True


@event_kind("never sent", log="set", pack=3, released=Released.NEVER)
class NeverSent(Body, frozen=True):
    """The tossups of the set ``name`` are sent to no player on a server, for good: nobody can take it back.

    The event is of every tossup that was in the set then, so that it goes with any of them. It holds for
    the tossup in every set.
    """

    name: str


class NameVerdict(StrEnum):
    """What an editor decided about a name in texts that are to be released."""

    THIS_PERSON = "this person"  # it is the writer: the text has to be changed
    ANOTHER_PERSON = "another person"
    NEVER_RELEASE = "never release"  # the tossups with the name stay out of releases


@event_kind("name decision", log="set", pack=4, released=Released.NEVER)
class NameDecided(Body, frozen=True):
    """Wherever ``words`` are found that may name a writer, they mean what ``verdict`` says.

    The event is of every tossup in which they were found then, so that the decision goes with any of them.
    """

    words: str
    verdict: NameVerdict


class Arm(StrEnum):
    """In which arm of a set's comparison a tossup is written: with the machines' side hidden, or shown."""

    HIDDEN = "hidden"
    SHOWN = "shown"


@event_kind("arm", log="set", pack=3)
class ArmDrawn(Body, frozen=True):
    """The tossup was drawn into an ``arm`` of the set ``name``, for good: nobody can take it back.

    The arm follows from ``seed`` and the tossup, see :mod:`quizwriter.workflow.control_arm`.
    """

    name: str
    arm: Arm
    seed: int


@event_kind("rooms", log="people", pack=3, later={"digest": 4, "free": 6}, released=Released.NEVER)
class RoomsRecorded(Body, frozen=True):
    """People played the tossup as it was after this event's edit, when it had ``words`` words.

    ``digest`` is that of the version that was read, empty where no file said its text. ``games`` has a digest
    of each room, so that none counts twice, and ``right`` for each of them how many
    words were heard at the first right buzz, 0 where nobody was right. ``wrong`` has the same of each wrong
    buzz, and ``free`` of those among them before the last word that were no negs; earlier versions did not
    tell these. ``file`` is a name without folders. No person is named.
    """

    file: str
    words: int
    games: tuple[str, ...] = ()
    right: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    digest: Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{64})?\Z")] = ""
    free: tuple[int, ...] = ()


@event_kind("taken back", log="taken back")
class TakenBack(Body, frozen=True):
    """Those events count no longer."""

    events: tuple[str, ...]
