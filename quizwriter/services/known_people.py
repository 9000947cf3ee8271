"""The people of a database: whose the questions of a file are, and who somebody without a key is."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Set

import msgspec

from quizwriter.domain.events import Event
from quizwriter.domain.forgotten_names import ForgottenNames
from quizwriter.domain.review import OutsideWriter, Person, SamePerson, TakenBack, name_key
from quizwriter.domain.review_state import NOT_OF_THE_AUTHOR
from quizwriter.errors import QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store
from quizwriter.system.decoding import decode_small_json, translate_decoding_errors
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.wording import counted_noun, listed

OUTSIDE = "outside"
"""The answer to *whose is this?* of a writer who does not use QuizWriter."""

OUTSIDER = "A writer who does not use QuizWriter"
"""What :data:`OUTSIDE` is called in a list to choose from."""

LATER = "later"
"""The answer of a writer of the set who is not known here yet."""

NAMED = "named-"
"""How the ids of people begin of whom a file gave only the name."""

_ANSWERS = "writers of a packet"
_OUTSIDE_HERE = "writer without QuizWriter"
"""The items that keep on one computer what :class:`OutsideWriter` says where a tossup names the person."""


class KnownPerson(msgspec.Struct, frozen=True):
    """Somebody in the database, and whether a key is known; ``outside``: who does not use QuizWriter."""

    person: Person
    has_key: bool
    tossups: int
    outside: bool = False
    into: str = ""  # the id of who this is, by :class:`quizwriter.domain.review.SamePerson`

    def told(self, names: Mapping[str, str]) -> str:
        """Who this is, in some words; ``names`` are those of people, by their ids."""
        if self.has_key:
            return "signs with a key"
        if self.into:
            return f"is {names.get(self.into, self.into)}"
        if self.outside:
            return "does not use QuizWriter"
        return "not decided yet" if self.undecided else "has no key here"

    @property
    def undecided(self) -> bool:
        """Whether nobody said who this is: a file gave the name of a writer, and no more."""
        return self.person.id.startswith(NAMED) and not (self.has_key or self.outside or self.into)


class NamedWriter(msgspec.Struct, frozen=True):
    """A writer as some files name one, the name empty where they name none.

    ``answer`` is what was said of the name before, ``proposal`` the id of the person it fits best; both are
    empty where there is none.
    """

    name: str
    questions: int
    answer: str = ""
    proposal: str = ""


class Proposals:
    """Whom names fit: by the whole name, else by initials, else by the first or last name.

    A person with a key comes before one without.
    """

    def __init__(self, people: Iterable[KnownPerson]) -> None:
        self._fitting: dict[tuple[bool, str, str], set[str]] = {}
        for one in people:
            parts = name_key(one.person.name).split()
            if not parts or one.into:
                continue
            fits = {("whole", " ".join(parts)), ("part", parts[0]), ("part", parts[-1])}
            if len(parts) > 1:
                initials = "".join(part[0] for part in parts)
                fits |= {("initials", initials), ("initials", initials[0] + initials[-1])}
            for how, words in fits:
                self._fitting.setdefault((one.has_key, how, words), set()).add(one.person.id)

    def of(self, name: str) -> str:
        """The id of the one person whom ``name`` fits; empty where it fits nobody, or two people alike."""
        wanted = name_key(name)
        initials = wanted.replace(" ", "") if name.upper() == name else ""
        fits = (("whole", wanted), ("initials", initials), ("part", wanted))
        ranks = (self._fitting.get((has_key, *fit)) for has_key in (True, False) for fit in fits)
        best = next(filter(None, ranks), set[str]())
        return next(iter(best)) if len(best) == 1 else ""


class NamesOfFile:
    """Whom the names in a file mean: a name of which nothing was said is a person of that name."""

    def __init__(
        self,
        people: Mapping[str, Person],
        keys: Collection[str],
        forgotten: ForgottenNames,
        answers: Mapping[str, str],
    ) -> None:
        self._people, self._forgotten, self._answers = people, forgotten, answers
        self._named: dict[str, Person] = {}
        for one in people.values():
            if one.id.startswith(NAMED) and one.id not in keys:
                self._named.setdefault(name_key(one.name), one)
        self._found: dict[str, Person] = {}
        self._new: list[Person] = []

    def person(self, name: str) -> Person | None:
        """Whom ``name`` means; None of no name, if nothing was said of questions without."""
        if name not in self._found and (name or self._answers.get("")):
            self._found[name] = found = self._person(name)
            self._new.append(found)
        return self._found.get(name)

    def taken(self) -> list[Person]:
        """Those who were found since this was called last."""
        new, self._new = self._new, []
        return new

    def _person(self, name: str) -> Person:
        wanted = name_key(name)
        answer = self._answers.get(wanted, "")
        if answer not in ("", OUTSIDE, LATER):
            return self._people.get(answer) or Person(answer)
        forgotten = self._forgotten.person_of(name)
        if forgotten is not None and forgotten.ids:
            return Person(forgotten.ids[0], forgotten.pseudonym)
        return self._named.get(wanted) or Person(NAMED + uuid.uuid4().hex[:24], name)

    def answered(self, answer: str) -> set[str]:
        """The ids of those whom a name with this ``answer`` means."""
        return {one.id for name, one in self._found.items() if self._answers.get(name_key(name)) == answer}


def writer_questions(named: Iterable[NamedWriter], people: Mapping[str, str]) -> list[str]:
    """What is to be asked of the writers whom nobody decided, for commands; ``people`` are names by ids."""
    lines = []
    for one in named:
        if one.name and not one.answer:
            fits = people.get(one.proposal, "")
            itself = one.proposal.startswith(NAMED) and name_key(fits) == name_key(one.name)
            may = f" This may be {fits}." if fits and not itself else ""
            lines.append(
                f"{one.name} wrote {counted_noun(one.questions, 'question')}. Who is that?{may} Import the "
                f"file again with --writer “{one.name}=me”, =outside, or = and a name."
            )
    return lines


def merge_line(name: str, into: str, count: int) -> str:
    """What merging ``name`` did, on ``count`` tossups; ``into`` is another person's name, or OUTSIDE."""
    if not count:
        return f"Nothing changes: it was recorded before on every tossup that names {name}."
    who = OUTSIDER[0].lower() + OUTSIDER[1:] if into == OUTSIDE else into
    return f"{name} is {who} on {counted_noun(count, 'tossup')}."


class People:
    """Knows who is who. Any thread may ask."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store, self._profile = store, profile

    def known(self) -> tuple[KnownPerson, ...]:
        """Everybody in the database by name, the user first."""
        people, me = dict(self._store.people()), self._profile.me
        people[me.id] = me
        keys, authors = self._store.people_with_keys(), self._store.facets().authors
        outside = {*self._store.items(_OUTSIDE_HERE), *(person for _, person in self._outside())}
        same = self._same()
        found = [
            KnownPerson(one, one.id in keys, authors.get(one.id, 0), one.id in outside, same.get(one.id, ""))
            for one in people.values()
        ]
        return tuple(sorted(found, key=lambda one: (one.person.id != me.id, one.person.name.casefold())))

    def _same(self) -> dict[str, str]:
        """Who somebody is, as it counts on the first tossup that says so."""
        found: dict[str, str] = {}
        for key in dict.fromkeys(event.tossup_id for event in self._store.events_of_kind("same person")):
            for person, into in self._store.review_of(key).same_people.items():
                found.setdefault(person, into)
        return found

    def _outside(self) -> list[tuple[Event, str]]:
        """What was said of writers who do not use QuizWriter, and holds, each event with the person's id."""
        happened = [
            event
            for event in self._store.events_of_kind("outside writer")
            if event.authenticity not in NOT_OF_THE_AUTHOR
        ]
        gone = {
            (one, event.author)
            for event in happened
            if isinstance(event.body, TakenBack)
            for one in event.body.events
        }
        return [
            (event, event.body.person)
            for event in happened
            if isinstance(event.body, OutsideWriter) and (event.id, event.author) not in gone
        ]

    def find(self, name: str) -> Person:
        """The one person whose name, e-mail address or id is ``name``; *me* is the user."""
        if name == "me":
            return self._profile.me
        known = [one for one in self.known() if not one.into]
        found = [one for one in known if name in (one.person.id, one.person.email)] or [
            one for one in known if name_key(name) and name_key(one.person.name) == name_key(name)
        ]
        if len(found) > 1:
            found = [one for one in found if one.has_key] or found
        if len(found) != 1:
            names = sorted({one.person.name for one in known if one.person.name})
            raise QuizwriterError(
                f"{'Several people are' if found else 'Nobody here is'} called {name}.",
                f"Give an id or an e-mail address: {listed([one.person.id for one in found], 'or')}."
                if found
                else f"Choose one of {listed(names, 'or')}."
                if names
                else "Enter your own name first: File > Profile…, or quizwriter profile --name.",
            )
        return found[0].person

    def find_merged(self, name: str) -> Person:
        """The one person of whom :meth:`separate` takes something back, whose name or id is ``name``."""
        found = [
            one.person
            for one in self.known()
            if (one.into or one.outside) and name in (one.person.id, one.person.name)
        ]
        if len(found) != 1:
            raise QuizwriterError(
                f"{'Several people' if found else 'Nobody'} called {name} "
                f"{'are' if found else 'is'} merged, or marked as not using QuizWriter.",
                "quizwriter people lists everybody with an id.",
            )
        return found[0]

    # -- whose the questions of a file are

    def asked_of(self, files: Mapping[str, Mapping[str, int]]) -> tuple[NamedWriter, ...]:
        """Whose the questions of ``files`` may be, which call their writers so many times by names."""
        kept, proposals = self._kept(), Proposals(self.known())
        counts: dict[str, int] = {}
        said: dict[str, set[str]] = {}
        for file, names in files.items():
            for name, count in names.items():
                counts[name] = counts.get(name, 0) + count
                said.setdefault(name, set()).add(kept.get(file, {}).get(name_key(name), ""))
        found = []
        for name, count in counts.items():
            key = name_key(name)
            elsewhere = {answers[key] for answers in kept.values() if name and key in answers}
            answer = said[name].pop() if len(said[name]) == 1 else ""
            proposal = proposals.of(name) if name else self._profile.me.id
            found.append(
                NamedWriter(name, count, answer, elsewhere.pop() if len(elsewhere) == 1 else proposal)
            )
        return tuple(found)

    def answers(self, file: str) -> dict[str, str]:
        """What was said of the names in ``file``, by :func:`name_key`: a person's id, OUTSIDE or LATER."""
        return self._kept().get(file, {})

    def _kept(self) -> dict[str, dict[str, str]]:
        found = {}
        for file, stored in self._store.items(_ANSWERS).items():
            with translate_decoding_errors(
                "The record of a packet's writers cannot be read", "Import it again."
            ):
                found[file] = decode_small_json(stored, dict[str, str])
        return found

    def remember(self, file: str, answers: Mapping[str, str]) -> None:
        """Keep what was said of the names in ``file``, beside what was said before."""
        if answers:
            forgotten = self._store.forgotten
            file = forgotten.blacked(file, remark=True)
            new = {name: answer for name, answer in answers.items() if not forgotten.person_of(name)}
            said = {**self.answers(file), **new}
            self._store.put_item(_ANSWERS, file, json.dumps(said, ensure_ascii=False, sort_keys=True))

    def names_of_file(self, answers: Mapping[str, str]) -> NamesOfFile:
        """Whom the names in a file mean, by the ``answers`` to whose they are; nothing is kept."""
        keys = self._store.people_with_keys()
        return NamesOfFile(self._store.people(), keys, self._store.forgotten, answers)

    def mark_outside(self, people: Collection[str]) -> int:
        """Record that these writers do not use QuizWriter, so that nobody waits for their own answers.

        It goes with packs to the other editors, and stays here of somebody whom no tossup names, such as an
        editor in a tag. The result is how many times it is recorded on a tossup.
        """
        if not people:
            return 0
        me, said, here = self._profile.me.id, self._said_outside(), self._store.items(_OUTSIDE_HERE)
        made = []
        for person, named in self._store.tossups_with(people).items():
            before = {event.tossup_id for event in said.get(person, ())}
            new = (key for root, key in named.items() if root not in before)
            made += [Event.new(key, now_ms(), me, OutsideWriter(person)) for key in new]
            if bool(named) is (person in here):
                self._store.put_item(_OUTSIDE_HERE, person, None if named else "1")
        self._store.add_events(made)
        return len(made)

    def _said_outside(self) -> dict[str, list[Event]]:
        """What the user said, and may take back, of writers who do not use QuizWriter, by person."""
        found: dict[str, list[Event]] = {}
        for event, person in self._outside():
            if event.author == self._profile.me.id:
                found.setdefault(person, []).append(event)
        return found

    def take_back_outside(self, people: Set[str]) -> None:
        """Take back that these writers do not use QuizWriter, where the user said so."""
        for person in self._store.items(_OUTSIDE_HERE).keys() & people:
            self._store.put_item(_OUTSIDE_HERE, person, None)
        said = self._said_outside()
        self._take_back(event for person in said.keys() & people for event in said[person])

    # -- who somebody without a key is

    def merge(self, person: str, into: str) -> int:
        """Record, signed, that the ``person`` without a key is the person ``into``; on how many tossups.

        OUTSIDE: it is a writer who does not use QuizWriter.
        """
        people = {one.person.id: one for one in self.known()}
        first, other = people.get(person), people.get(into)
        if first is None or (other is None and into != OUTSIDE) or person == into:
            raise QuizwriterError("Two different people are needed.", "Choose them from the list of people.")
        if first.has_key:
            raise QuizwriterError(
                f"{first.person.name} has a key, and signs for herself or himself.",
                "Only a person without a key can be merged into another one.",
            )
        if other is None:
            return self.mark_outside([person])
        if not other.has_key:
            raise QuizwriterError(
                f"No key of {other.person.name} is known.",
                "Receive a file from that person first, which brings the key.",
            )
        keys = self._store.tossups_with([person])[person].values()
        made = self._add(keys, lambda _: SamePerson(person, into))
        counted = [
            one for one in made if self._store.review_of(one.tossup_id).same_people.get(person) == into
        ]
        if made and not counted:
            raise QuizwriterError(
                f"{other.person.name} undid this merge with {first.person.name} before, so nothing changes.",
                "Only that person can merge them again.",
            )
        return len({one.tossup_id for one in counted})

    def merge_named(self, answers: Mapping[str, str], tossups: Collection[str]) -> None:
        """Merge who was made of a name before it was said, at a later import, whose it is.

        ``answers`` are those of :meth:`answers`, ``tossups`` those of the file: who is named elsewhere, too,
        may be another person.
        """
        keys, identity = self._store.people_with_keys(), self._profile.identity
        for one in tuple(self._store.people().values()) if identity.trouble is None else ():
            into = answers.get(name_key(one.name), "")
            if one.id.startswith(NAMED) and one.id not in keys and into in keys and into != one.id:
                named = {*self._store.tossups_with([one.id])[one.id].values()}
                if named and named.issubset(tossups) and one.id not in self._same():
                    self.merge(one.id, into)

    def separate(self, person: str) -> int:
        """Take back that ``person`` is somebody else, or outside; on how many tossups.

        Its author can, and the person whom this one was said to be.
        """
        me, found = self._profile.me.id, self._said_outside().get(person, [])
        for event in self._store.events_of_kind("same person"):
            body = event.body
            if not isinstance(body, SamePerson) or body.person != person:
                continue
            counts = self._store.review_of(event.tossup_id).same_people.get(person) == body.into
            if counts and me in (event.author, body.into):
                found.append(event)
        here = person in self._store.items(_OUTSIDE_HERE)
        self._store.put_item(_OUTSIDE_HERE, person, None)
        if not found and not here:
            raise QuizwriterError(
                "There is nothing here that you can undo.",
                "Only the person who recorded it can, or the person into whom the name was merged.",
            )
        return self._take_back(found)

    def _take_back(self, events: Iterable[Event]) -> int:
        by_tossup: dict[str, list[str]] = {}
        for event in events:
            by_tossup.setdefault(event.tossup_id, []).append(event.id)
        if by_tossup:
            self._add(by_tossup, lambda key: TakenBack(tuple(by_tossup[key])))
        return len(by_tossup)

    def _add(self, keys: Iterable[str], body: Callable[[str], SamePerson | TakenBack]) -> tuple[Event, ...]:
        """Record what counts only with the user's signature."""
        identity, at_ms, me = self._profile.identity, now_ms(), self._profile.me.id
        identity.needed_key()
        if identity.trouble is not None:
            raise identity.trouble
        return self._store.add_events([Event.new(key, at_ms, me, body(key)) for key in keys])
