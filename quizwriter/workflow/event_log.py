"""The log of a set: everything that was recorded of its tossups beside the edits, as sentences in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from quizwriter.domain.review import (
    ArmDrawn,
    BasedOn,
    BegunFor,
    Binned,
    Body,
    BriefChosen,
    Categorised,
    Cited,
    ClueSourced,
    Commented,
    ConsentGiven,
    Decided,
    Dismissed,
    Event,
    Imported,
    NeverSent,
    Person,
    PutInSet,
    Replied,
    Resolved,
    Rewritten,
    RoomsRecorded,
    Round,
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
from quizwriter.domain.styles import AnswerStyled, Styled
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
    "taken back": "Taken back",
    "release": "Release",
}
"""The kinds of entries, and what people call them."""

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
    names = {key: person.name or person.email or "unknown" for key, person in people.items()}
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
    labels = person_labels(people)
    found = [
        LogEntry(
            event.at_ms,
            _kind(event.body),
            _text(event.body, labels, by_id),
            event.author,
            (tossups.get(event.tossup_id) or LoggedTossup(event.tossup_id, "", ""),),
            event.id not in gone,
            event.authenticity,
        )
        for event in happened
        if not isinstance(event.body, Styled | AnswerStyled)
    ]
    for one in releases:
        about = tuple(tossups.get(key) or LoggedTossup(key, "", "") for key in one.tossups)
        found.append(LogEntry(one.at_ms, "release", _release_text(one), one.author, about))
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
    """``entry`` ready for JSON."""
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


def _kind(body: Body) -> str:
    match body:
        case StatusSet():
            return "status"
        case Commented() | Replied() | Resolved():
            return "comment"
        case Suggested() | Decided():
            return "suggestion"
        case Tagged():
            return "tags"
        case ConsentGiven():
            return "consent"
        case Categorised():
            return "category"
        case PutInSet():
            return "set"
        case WrittenBy():
            return "author"
        case Cited() | Imported() | Rewritten() | BasedOn() | ClueSourced():
            return "source"
        case Dismissed():
            return "problem"
        case StyleChosen() | SetWord():
            return "style"
        case BuzzGoal() | BegunFor():
            return "goal"
        case BriefChosen() | NeverSent() | ArmDrawn():
            return "set"
        case RoomsRecorded():
            return "people"
        case Binned():
            return "bin"
        case Superseded():
            return "branch"
        case TakenBack():
            return "taken back"
        case Styled() | AnswerStyled():
            return ""  # it is in no log


def _text(body: Body, labels: Mapping[str, str], by_id: Mapping[str, Event]) -> str:
    match body:
        case StatusSet(status=status, reason=reason, overridden=overridden):
            waived = "; ".join(f"{one.check} need not pass: {one.reason}" for one in overridden)
            return _joined(f"Status {status}", reason, waived)
        case Commented(text=text, quoted=words):
            return f"On {quoted(words)}: {text}" if words else text
        case Replied(text=text, comment=comment):
            return _joined(f"Reply{_about(comment, by_id, ' to')}", text)
        case Resolved(comment=comment, resolved=resolved):
            return f"{'Resolved' if resolved else 'Opened again'}{_about(comment, by_id)}"
        case Suggested(edit=edit, note=note):
            return _joined(f"Suggests {quoted(edit.inserted)} for {quoted(edit.removed)}", note)
        case Decided(accepted=accepted, reason=reason, suggestion=suggestion):
            return _joined(f"{'Accepted' if accepted else 'Declined'}{_about(suggestion, by_id)}", reason)
        case Tagged(tags=tags, round=of):
            what = "Decides on" if of is Round.DECIDING else "Finds"
            return f"{what} {listed(tags)}" if tags else f"{what} no tag"
        case ConsentGiven(consent=consent, reason=reason):
            return _joined(f"Consent {consent}", reason)
        case Categorised(levels=levels):
            return " / ".join(levels) if levels else "No category"
        case PutInSet(name=name, packet=packet):
            return (f"{name}, packet {packet}" if packet else name) or "No set"
        case WrittenBy(person=person):
            return f"Written by {labels.get(person, 'somebody unknown')}"
        case Cited(source=source):
            return source
        case Imported(file=file):
            return f"Imported from {file}"
        case Rewritten():
            return "Began as a copy of another tossup"
        case Dismissed(rule=rule, reason=reason, quoted=words):
            return _joined(f"{rule} is no problem{f' in {quoted(words)}' if words else ''}", reason)
        case StyleChosen(name=name):
            return f"Style sheet of {name or 'the tossups in no set'}"
        case SetWord(name=name, word=word, right=right):
            where = name or "the tossups in no set"
            return f"{quoted(word)} is right in {where}" if right else f"{quoted(word)} is no word of {where}"
        case BasedOn(source=source):
            return f"Based on {source}"
        case ClueSourced(source=source, quoted=words):
            return f"On {quoted(words)}: {source}" if words else source
        case BuzzGoal():
            return goal_sentence(body)
        case BegunFor(answer_type=kind, difficulty=difficulty):
            return f"Begun for the brief: {', '.join(filter(None, (kind, difficulty))) or 'any answer'}"
        case BriefChosen(name=name, lines=lines):
            return f"Brief of {name or 'the tossups in no set'}: {counted_noun(len(lines), 'line')}"
        case NeverSent(name=name):
            return f"Tossups of {name or 'no set'} are never sent to a player on a server"
        case ArmDrawn(name=name, arm=arm, seed=seed):
            return f"Drawn for the comparison of {name or 'no set'}: machines {arm} until ready (seed {seed})"
        case RoomsRecorded(file=file, games=games, right=right):
            rooms = counted_noun(len(games), "room")
            return f"Played by people: right in {sum(map(bool, right))} of {rooms} ({file})"
        case Binned(binned=binned):
            return "Moved to the bin" if binned else "Taken out of the bin"
        case Superseded():
            return "Another branch was adopted"
        case TakenBack(events=events):
            texts = [_text(by_id[key].body, labels, by_id) for key in events if key in by_id]
            return f"Takes back: {'; '.join(texts)}" if texts else "Takes back what is not here"
        case Styled() | AnswerStyled():
            return ""


def _about(key: str, by_id: Mapping[str, Event], joint: str = "") -> str:
    event = by_id.get(key)
    match event.body if event is not None else None:
        case Commented(text=text):
            return f"{joint} {quoted(text)}"
        case Suggested(edit=edit):
            return f"{joint} {quoted(edit.inserted)} for {quoted(edit.removed)}"
    return ""


def _joined(what: str, *more: str) -> str:
    return ": ".join([what, *filter(None, more)])


def _release_text(one: ReleaseRecord) -> str:
    tossups = counted_noun(len(one.tossups), "tossup")
    if one.retracted:
        return _joined(f"{tossups} withdrawn in {one.title} {one.version}", one.reason)
    return f"{tossups} released in {one.title} {one.version}"
