"""The log of a set: everything that was recorded of its tossups beside the edits, as sentences in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from quizwriter.domain.events import Body, Event, kind_of
from quizwriter.domain.review import (
    ArmDrawn,
    BasedOn,
    BegunFor,
    Binned,
    BriefChosen,
    Categorised,
    Cited,
    ClueSourced,
    Commented,
    ConsentGiven,
    Decided,
    Dismissed,
    Imported,
    NameDecided,
    NeverSent,
    OutsideWriter,
    Person,
    PutInSet,
    Replied,
    Resolved,
    Rewritten,
    RoomsRecorded,
    Round,
    SamePerson,
    SetWord,
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
from quizwriter.system.moments import utc_time
from quizwriter.workflow.goals import goal_sentence
from quizwriter.workflow.wording import counted_noun, listed, quoted

KINDS = {
    "status": "Status",
    "comment": "Comment",
    "suggestion": "Suggestion",
    "tags": "Tags",
    "consent": "Consent",
    "category": "Category",
    "set": "Set",
    "author": "Author",
    "source": "Source",
    "problem": "Dismissed problem",
    "style": "Style sheet",
    "goal": "Goal",
    "people": "People's buzzes",
    "bin": "Bin",
    "branch": "Branch",
    "taken back": "Undone",
    "release": "Release",
}
"""The pages of the log, and what people call them; :func:`quizwriter.domain.events.event_kind` names them."""

SIGNATURES = {
    Authenticity.VERIFIED: "signed",
    Authenticity.UNSIGNED: "not signed",
    Authenticity.UNCONFIRMED: "not signed, although this person signs",
    Authenticity.OTHER_KEY: "signed with another key",
    Authenticity.FORGED: "forged",
}
"""What a log says of the signature of an entry."""


class LoggedTossup(msgspec.Struct, frozen=True):
    """What a log says of a tossup: its answer and its set as they are now."""

    tossup_id: str
    title: str
    set_name: str


class ReleaseRecord(msgspec.Struct, frozen=True):
    """An export or a retraction that was made here: which tossups went into which version."""

    at_ms: int
    author: str  # a person's id
    title: str
    version: str
    folder: str
    tossups: tuple[str, ...]
    retracted: bool = False  # they were withdrawn in this version, and not released
    reason: str = ""


class LogEntry(msgspec.Struct, frozen=True):
    """One thing that was recorded of a tossup, or of several by a release.

    ``kind`` is one of :data:`KINDS`. ``counts`` is False for what was taken back later.
    """

    at_ms: int
    kind: str
    text: str
    author: str  # a person's id; empty if unknown
    tossups: tuple[LoggedTossup, ...]
    counts: bool = True
    authenticity: Authenticity = Authenticity.UNSIGNED

    @property
    def title(self) -> str:
        """The tossup's answer, or how many tossups the entry is about."""
        if len(self.tossups) == 1:
            return self.tossups[0].title or "No answer yet"
        return counted_noun(len(self.tossups), "tossup")


class LogFilter(msgspec.Struct, frozen=True):
    """Which entries are wanted: those that fit everything given; what is empty fits all.

    ``text`` is words that are all in what was said, in the answer or in the name of the person, whatever
    their case.
    """

    text: str = ""
    sets: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    tossups: tuple[str, ...] = ()


def person_labels(people: Mapping[str, Person]) -> dict[str, str]:
    """What to call each person, so that no two are called the same.

    People who share a name are told apart by their addresses, else by the beginning of their ids.
    """
    names = {key: person.shown_name or "unknown" for key, person in people.items()}
    same: dict[str, int] = {}
    for name in names.values():
        same[name] = same.get(name, 0) + 1
    return {
        key: name if same[name] == 1 else f"{name} ({people[key].email or key[:8]})"
        for key, name in names.items()
    }


def log_entries(
    events: Iterable[Event],
    releases: Iterable[ReleaseRecord],
    tossups: Mapping[str, LoggedTossup],
    people: Mapping[str, Person],
) -> tuple[LogEntry, ...]:
    """Everything that was recorded, the newest first.

    ``events`` are those of all tossups, in any order; ``tossups`` are by id. How a text looks is no more in
    the log than what was typed.
    """
    happened = sorted(events, key=lambda event: event.order)
    by_id = {event.id: event for event in happened}
    gone: set[str] = set()
    for event in reversed(happened):
        if isinstance(event.body, TakenBack) and event.id not in gone:
            gone.update(event.body.events)
    names = LogNames(person_labels(people), by_id)
    found = [
        LogEntry(
            event.at_ms,
            kind_of(event.body).log,
            log_sentence(event.body, names),
            event.author,
            (tossups.get(event.tossup_id) or LoggedTossup(event.tossup_id, "", ""),),
            event.id not in gone,
            event.authenticity,
        )
        for event in happened
        if kind_of(event.body).log
    ]
    for one in releases:
        about = tuple(tossups.get(key) or LoggedTossup(key, "", "") for key in one.tossups)
        count, title = counted_noun(len(one.tossups), "tossup"), f"{one.title} {one.version}"
        withdrawn = _joined(f"{count} withdrawn in {title}", one.reason)
        said = withdrawn if one.retracted else f"{count} released in {title}"
        found.append(LogEntry(one.at_ms, "release", said, one.author, about))
    return tuple(sorted(found, key=lambda entry: entry.at_ms, reverse=True))


def fits(entry: LogEntry, wanted: LogFilter, labels: Mapping[str, str]) -> bool:
    """Whether ``entry`` is wanted; ``labels`` are what people are called, by id."""
    if wanted.kinds and entry.kind not in wanted.kinds:
        return False
    if wanted.authors and entry.author not in wanted.authors:
        return False
    if wanted.sets and not any(one.set_name in wanted.sets for one in entry.tossups):
        return False
    if wanted.tossups and not any(one.tossup_id in wanted.tossups for one in entry.tossups):
        return False
    words = wanted.text.casefold().split()
    if words:
        titles = " ".join(one.title for one in entry.tossups)
        said = f"{entry.text} {titles} {labels.get(entry.author, '')}".casefold()
        return all(word in said for word in words)
    return True


def entry_json(entry: LogEntry, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "at": utc_time(entry.at_ms).isoformat(timespec="seconds"),
        "kind": entry.kind,
        "text": entry.text,
        "by": labels.get(entry.author, ""),
        "signature": str(entry.authenticity),
        "taken_back": not entry.counts,
        "tossups": [one.tossup_id for one in entry.tossups],
        "sets": sorted({one.set_name for one in entry.tossups} - {""}),
    }


_NO_SET = "the tossups in no set"


class LogNames(msgspec.Struct, frozen=True):
    """What sentences of the log refer to: the ``labels`` of people and the ``events``, by id."""

    labels: Mapping[str, str]
    events: Mapping[str, Event]

    def quote(self, key: str, joint: str = "") -> str:
        """The words of a comment or a suggestion behind ``joint``; empty if the log does not have it."""
        event = self.events.get(key)
        match event.body if event is not None else None:
            case Commented(text=text):
                return f"{joint} {quoted(text)}"
            case Suggested(edit=edit):
                return f"{joint} {quoted(edit.inserted)} for {quoted(edit.removed)}"
        return ""


def log_sentence(body: Body, names: LogNames) -> str:
    """The text of the entry for ``body``; each kind of event with a page in the log has a case here."""
    match body:
        case StatusSet():
            waived = "; ".join(f"Check “{one.check}” overridden: {one.reason}" for one in body.overridden)
            return _joined(f"Status {body.status}", body.reason, waived)
        case Commented():
            return f"On {quoted(body.quoted)}: {body.text}" if body.quoted else body.text
        case Replied():
            return _joined(f"Reply{names.quote(body.comment, ' to')}", body.text)
        case Resolved():
            return f"{'Resolved' if body.resolved else 'Reopened'}{names.quote(body.comment)}"
        case Suggested():
            return _joined(
                f"Suggests {quoted(body.edit.inserted)} for {quoted(body.edit.removed)}", body.note
            )
        case Decided():
            decision = "Accepted" if body.accepted else "Declined"
            return _joined(f"{decision}{names.quote(body.suggestion)}", body.reason)
        case Tagged():
            what = "Decides on" if body.round is Round.DECIDING else "Finds"
            return f"{what} {listed(body.tags)}" if body.tags else f"{what} no tag"
        case ConsentGiven():
            return _joined(f"Consent {body.consent}", body.reason)
        case Categorised():
            return " / ".join(body.levels) if body.levels else "No category"
        case PutInSet():
            return (f"{body.name}, packet {body.packet}" if body.packet else body.name) or "No set"
        case WrittenBy():
            return f"Written by {names.labels.get(body.person, 'somebody unknown')}"
        case SamePerson():
            person, into = (names.labels.get(key, "somebody unknown") for key in (body.person, body.into))
            return f"{person} is {into}"
        case OutsideWriter():
            return f"{names.labels.get(body.person, 'Somebody unknown')} does not use QuizWriter"
        case Cited():
            return body.source
        case Imported():
            return f"Imported from {body.file}"
        case Rewritten():
            return "Started as a copy of another tossup"
        case Dismissed():
            where = f" in {quoted(body.quoted)}" if body.quoted else ""
            return _joined(f"Problem dismissed: {body.rule}{where}", body.reason)
        case StyleChosen():
            return f"Style sheet of {body.name or _NO_SET}"
        case SetWord():
            return (
                f"{quoted(body.word)} is {'right in' if body.right else 'no word of'} {body.name or _NO_SET}"
            )
        case BasedOn():
            return f"Based on {body.source}"
        case ClueSourced():
            return f"On {quoted(body.quoted)}: {body.source}" if body.quoted else body.source
        case BuzzGoal():
            return goal_sentence(body)
        case BegunFor():
            wanted = ", ".join(filter(None, (body.answer_type, body.difficulty)))
            return f"Started for the brief: {wanted or 'any answer'}"
        case BriefChosen():
            return f"Brief of {body.name or _NO_SET}: {counted_noun(len(body.lines), 'line')}"
        case NeverSent():
            return f"Tossups of {body.name or 'no set'} are never sent to players on servers"
        case NameDecided():
            return f"In releases, {quoted(body.words)}: {body.verdict}"
        case ArmDrawn():
            comparison = f"the comparison of {body.name or 'no set'}"
            return f"Drawn for {comparison}: machines {body.arm} until ready (seed {body.seed})"
        case RoomsRecorded():
            rooms = counted_noun(len(body.games), "room")
            return f"Played by people: right in {sum(map(bool, body.right))} of {rooms} ({body.file})"
        case Played():
            game, rules = body.replay(), body.rules
            if game is None:
                return "A game with impossible moves"
            right = game.state.answered
            end = (
                "no right answer"
                if right is None
                else f"answered after word {right.word} of {rules.tossup.words}"
            )
            return f"Read in a game ({rules.format.in_words}): {end}"
        case Binned():
            return "Moved to the bin" if body.binned else "Restored from the bin"
        case Superseded():
            return "Another branch was adopted"
        case TakenBack():
            texts = [_text(names.events[key].body, names) for key in body.events if key in names.events]
            return f"Undoes: {'; '.join(texts)}" if texts else "Undoes an event that is not in this database"
    raise TypeError(f"no sentence for events of the kind {kind_of(body).name!r}")


def _text(body: Body, names: LogNames) -> str:
    return log_sentence(body, names) if kind_of(body).log else ""


def _joined(what: str, *more: str) -> str:
    return ": ".join([what, *filter(None, more)])
