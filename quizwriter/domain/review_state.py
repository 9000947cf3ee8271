"""Where a tossup stands after its events (:mod:`quizwriter.domain.review`), and whose consent counts.

Two machines that hold the same events hold the same state, in whatever order the events came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Event
from quizwriter.domain.review import (
    LOCKED,
    Arm,
    ArmDrawn,
    BasedOn,
    BegunFor,
    Binned,
    BriefChosen,
    Categorised,
    Cited,
    ClueSourced,
    Commented,
    Consent,
    ConsentBasis,
    ConsentGiven,
    Decided,
    Dismissed,
    Imported,
    NeverSent,
    Override,
    PutInSet,
    Replied,
    Resolved,
    Rewritten,
    RoomsRecorded,
    Round,
    SamePerson,
    SetWord,
    Status,
    StatusSet,
    StyleChosen,
    Suggested,
    Superseded,
    Tagged,
    TakenBack,
    WrittenBy,
)
from quizwriter.domain.signatures import Authenticity
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.tossup_game import Played


class Comment(msgspec.Struct, frozen=True):
    """A comment with what was said to it."""

    event: Event
    replies: tuple[Event, ...] = ()
    resolved: bool = False


class Suggestion(msgspec.Struct, frozen=True):
    """A suggested edit, and what was decided; None while nothing is."""

    event: Event
    decision: Event | None = None


class ConsentState(msgspec.Struct, frozen=True):
    """Whether a tossup may be released, and who says so.

    ``writer`` is the person whose consent it takes. ``basis`` says how sure it is that the writer said it,
    and ``given_by`` is the person who said or recorded it. ``handed_by`` handed the tossup over to a writer
    who has done nothing with it yet.
    """

    writer: str = ""  # a person's id; empty if unknown
    consent: Consent = Consent.NOT_ASKED
    basis: ConsentBasis = ConsentBasis.NONE
    given_by: str = ""  # a person's id
    reason: str = ""  # how the person knows it who recorded it
    event: Event | None = None
    handed_by: str = ""  # a person's id

    def can_hand_over(self, person: str) -> bool:
        """Whether ``person`` decides whose tossup it is: see :func:`fold_consent`."""
        return not self.writer or person in (self.writer, self.handed_by)


_NOTHING_SAID = ConsentState()


class Review(msgspec.Struct, frozen=True):
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
    release: ConsentState = _NOTHING_SAID
    source: str = ""
    imported: Event | None = None
    rewritten: Event | None = None
    based_on: Event | None = None
    buzz_goal: BuzzGoal | None = None
    begun_for: BegunFor | None = None
    clue_sources: tuple[Event, ...] = ()
    binned: Mapping[str, Event] = msgspec.field(default_factory=dict)
    same_people: Mapping[str, str] = msgspec.field(default_factory=dict)  # by id, who somebody is
    superseded: Event | None = None
    comments: tuple[Comment, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    tags: Mapping[tuple[Round, str], tuple[str, ...]] = msgspec.field(default_factory=dict)
    dismissed: tuple[Event, ...] = ()
    styles: Mapping[str, StyleChosen] = msgspec.field(default_factory=dict)  # by set, the newest
    set_words: Mapping[tuple[str, str], SetWord] = msgspec.field(
        default_factory=dict
    )  # by set and word, the newest
    briefs: Mapping[str, BriefChosen] = msgspec.field(default_factory=dict)  # by set, the newest
    never_sent: frozenset[str] = frozenset()  # the sets that bar the tossup from servers, for good
    arm_drawn: Event | None = None  # the first draw, for good
    left_draft: Event | None = None  # the first status beside draft, also where somebody took it back
    rooms: tuple[Event, ...] = ()  # what people did who played the tossup
    games: tuple[Event, ...] = ()  # each reading of it here, see :mod:`quizwriter.domain.tossup_game`

    def words_of_set(self, name: str) -> tuple[str, ...]:
        """The words that are right in the set ``name``: those of its style sheet, and what was said since."""
        chosen = self.styles.get(name)
        said = {word: one.right for (of, word), one in self.set_words.items() if of == name}
        listed = chosen.sheet.words if chosen is not None else ()
        return tuple(word for word in dict.fromkeys((*listed, *said)) if said.get(word, True))

    @property
    def consent(self) -> Consent:
        return self.release.consent

    @property
    def writer(self) -> str:
        """The id of the person whose tossup it is, and whose consent counts; empty if unknown."""
        return self.release.writer

    @property
    def arm(self) -> Arm | None:
        """The arm of its set's comparison in which the tossup is written; None if it is in none."""
        return (
            self.arm_drawn.body.arm if self.arm_drawn and isinstance(self.arm_drawn.body, ArmDrawn) else None
        )

    @property
    def hides_machines(self) -> bool:
        """Whether its writer is shown nothing of what machines make of it, until it leaves the draft."""
        return self.arm is Arm.HIDDEN and self.left_draft is None

    @property
    def locked(self) -> bool:
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
        return sum(not comment.resolved for comment in self.comments)

    @property
    def open_suggestions(self) -> int:
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


NOT_OF_THE_AUTHOR = (Authenticity.UNCONFIRMED, Authenticity.OTHER_KEY, Authenticity.FORGED)
"""With these, another person may have made the event, who decides nothing for its author's lists."""


def fold_events(
    events: Iterable[Event], first_author: str = "", has_key: Callable[[str], bool] = lambda _: False
) -> Review:
    """Where a tossup stands after ``events``, in whatever order they come; the same one twice counts once.

    ``first_author`` is the person who typed first, whose consent counts: see :func:`fold_consent`.
    ``has_key`` says of a person whether a key is known.
    """
    happened = sorted({event.id: event for event in events}.values(), key=lambda event: event.order)
    same = fold_people(happened, has_key)
    review = Review(release=fold_consent(happened, first_author, same), same_people=same)
    comments: dict[str, Comment] = {}
    suggestions: dict[str, Suggestion] = {}
    tags: dict[tuple[Round, str], tuple[str, ...]] = {}
    dismissed: list[Event] = []
    styles: dict[str, StyleChosen] = {}
    set_words: dict[tuple[str, str], SetWord] = {}
    briefs: dict[str, BriefChosen] = {}
    clue_sources: list[Event] = []
    rooms: list[Event] = []
    games: list[Event] = []
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
            case Cited(source=source):
                review = replace(review, source=source)
            case Imported():
                review = replace(review, imported=event)
            case Rewritten():
                review = replace(review, rewritten=event)
            case BasedOn():
                review = replace(review, based_on=event)
            case BuzzGoal() as goal:
                review = replace(review, buzz_goal=goal if goal.is_set or goal.is_waived else None)
            case BegunFor() as begun_for:
                review = replace(review, begun_for=begun_for)
            case BriefChosen(name=name, at_ms=at_ms) as brief:
                if name not in briefs or at_ms >= briefs[name].at_ms:
                    briefs[name] = brief
            case ClueSourced():
                clue_sources.append(event)
            case RoomsRecorded():
                rooms.append(event)
            case Played():
                games.append(event)
            case Binned() if event.author and event.authenticity not in NOT_OF_THE_AUTHOR:
                binned[event.author] = event
            case Superseded():
                review = replace(review, superseded=event)
            case Dismissed():
                dismissed.append(event)
            case StyleChosen(name=name, at_ms=at_ms) as chosen:
                if name not in styles or at_ms >= styles[name].at_ms:
                    styles[name] = chosen
            case SetWord(name=name, word=word, at_ms=at_ms) as said:
                if (name, word) not in set_words or at_ms >= set_words[name, word].at_ms:
                    set_words[name, word] = said
            case _:
                pass  # an answer to what is not here, or was taken back
    return replace(
        review,
        comments=tuple(comments.values()),
        suggestions=tuple(suggestions.values()),
        tags=tags,
        dismissed=tuple(dismissed),
        styles=styles,
        set_words=set_words,
        briefs=briefs,
        clue_sources=tuple(clue_sources),
        binned=binned,
        # also where somebody took it back: what must not be sent is not sent because of a mistake
        never_sent=frozenset(event.body.name for event in happened if isinstance(event.body, NeverSent)),
        # likewise: nobody leaves an arm, and what was shown once stays seen
        arm_drawn=next((event for event in happened if isinstance(event.body, ArmDrawn)), None),
        left_draft=next((event for event in happened if _leaves_draft(event.body)), None),
        rooms=tuple(rooms),
        games=tuple(games),
    )


def _leaves_draft(body: Body) -> bool:
    return isinstance(body, StatusSet) and body.status is not Status.DRAFT


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


def fold_people(happened: Sequence[Event], has_key: Callable[[str], bool]) -> dict[str, str]:
    """Who somebody without a key is, by id, after the events that ``happened``, in their order.

    Only signed events count. The person somebody is said to be can take that back; then only this person can
    say so again.
    """
    acting = {event.author for event in happened if _is_verified(event)}
    found: dict[str, tuple[str, Event]] = {}
    refused: set[tuple[str, str]] = set()
    for event in happened:
        if not _is_verified(event):
            continue
        match event.body:
            case SamePerson(person=person, into=into):
                allowed = event.author == into or (person, into) not in refused
                if allowed and person not in ("", into) and person not in acting and not has_key(person):
                    refused.discard((person, into))
                    found[person] = into, event
            case TakenBack(events=events):
                for person, (into, said) in list(found.items()):
                    if said.id in events and event.author in (said.author, into):
                        del found[person]
                        if event.author == into:
                            refused.add((person, into))
            case _:
                pass
    return {person: into for person, (into, _) in found.items() if into not in found}


def fold_consent(
    happened: Sequence[Event], first_author: str, same_people: Mapping[str, str]
) -> ConsentState:
    """Whether the writer lets a tossup be released, after the events that ``happened``, in their order.

    The writer is who typed first (``first_author``), or the person to whom the writer handed the tossup over.
    Until that person has done something with the tossup, such as to say yes, who handed it over can hand it
    to another person: an import names people who have never seen it. ``same_people`` says who somebody is.

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
    for person, into in same_people.items():
        said = statements.get(person, _NOTHING_SAID)
        if said.event is not None and not said.consent.strictness and into not in statements:
            statements[into] = statements.pop(person)
    active = {same_people.get(event.author, event.author) for event in happened}
    writer, handed_by = same_people.get(first_author, first_author), ""
    sure = writer == first_author  # who says to be the person that typed first may not be
    for event in _counting([one for one in happened if _hands_over(one)], own=True):
        if not isinstance(event.body, WrittenBy):
            continue
        to, by = (
            same_people.get(event.body.person, event.body.person),
            same_people.get(event.author, event.author),
        )
        if to == writer or (writer and by != writer and (by != handed_by or writer in active)):
            continue
        if not _is_verified(event):
            if statements.get(writer, _NOTHING_SAID).basis is ConsentBasis.VERIFIED:
                continue  # nobody but the writer can hand over what the writer signed
            sure = False
        writer, handed_by = to, by
    handed_by = "" if writer in active or writer == first_author else handed_by
    said = statements.pop(writer, _NOTHING_SAID)
    if said.basis is ConsentBasis.VERIFIED and sure:
        return replace(said, writer=writer, handed_by=handed_by)
    records = [one for one in statements.values() if one.consent is not Consent.NOT_ASKED]
    strictest = max(records, key=lambda one: one.consent.strictness, default=_NOTHING_SAID)
    if said.event is not None and strictest.consent.strictness <= said.consent.strictness:
        return replace(said, writer=writer, handed_by=handed_by, basis=ConsentBasis.UNSIGNED)
    basis = ConsentBasis.RECORDED if records else ConsentBasis.NONE
    return replace(strictest, writer=writer, handed_by=handed_by, basis=basis)


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
    return ConsentState(
        consent=_consent(event), basis=basis, given_by=event.author, reason=reason, event=event
    )
