"""Forgetting a person: everything on this computer loses the name for good; the rest is said."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Progress
from quizwriter.domain.forgotten_names import ForgottenNames, ForgottenPerson
from quizwriter.domain.review import Person, name_key
from quizwriter.domain.tossup_game import Played
from quizwriter.engine.bundle import PACKETS, YOURS
from quizwriter.errors import QuizwriterError
from quizwriter.services.known_people import NAMED, KnownPerson, People
from quizwriter.services.profile import Profile
from quizwriter.services.rooms import JOURNALS, MOST_JOURNAL_BYTES
from quizwriter.services.set_log import SetLog
from quizwriter.store.backups import Backup, Backups
from quizwriter.store.erasing import ErasureReport, clean_backup
from quizwriter.store.store import Store
from quizwriter.system.atomic import atomic_write, write_over
from quizwriter.system.decoding import DecodingError, decode_json, read_limited
from quizwriter.workflow.wording import counted_noun, listed

log = logging.getLogger(__name__)

FILE_NAME = "forgotten.json"
"""The file in the data folder that knows who was forgotten, by salted digests."""

_MOST_BYTES = MOST_JOURNAL_BYTES
"""Bytes of one file here that is read: a log from which games may come back is never too long."""

_TEXTS = (".json", ".jsonl", ".log", ".1", ".toml", ".txt", ".csv", ".md")
"""How the names of files in the data folder end that may hold words of people."""

_OF_BUNDLES = (".json", ".jsonl", ".utf8")
"""The same of added packets."""


class ForgottenList:
    """The list of forgotten people of one data folder. Any thread may ask."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME
        self._read: tuple[tuple[int, int, int] | None, ForgottenNames] = None, ForgottenNames()

    def names(self) -> ForgottenNames:
        try:
            state = self.path.stat()
            stamp = state.st_ino, state.st_mtime_ns, state.st_size
            if self._read[0] != stamp:
                self._read = stamp, decode_json(read_limited(self.path, _MOST_BYTES), ForgottenNames)
        except FileNotFoundError:
            return ForgottenNames()
        except (OSError, DecodingError) as trouble:
            raise QuizwriterError(
                f"{self.path}, the list of forgotten people, cannot be read ({trouble}).",
                "Restore a copy of it. If you delete it, names may come back with packs and backups.",
            ) from trouble
        return self._read[1]

    def save(self, names: ForgottenNames) -> None:
        problem = f"The list of forgotten people could not be written to {self.path}"
        with atomic_write(self.path, problem=problem, make_folder=True, private=True) as file:
            file.write(msgspec.json.encode(names) + b"\n")


class ForgetPlan(msgspec.Struct, frozen=True):
    """What forgetting somebody would change here, and what it cannot reach.

    ``names`` are all that the person is called here. ``released`` names the challenge sets with tossups of
    the person.
    """

    names: tuple[str, ...]
    emails: tuple[str, ...]
    ids: tuple[str, ...]
    keys: tuple[str, ...]
    tossups: int
    places: ErasureReport
    backups: tuple[Backup, ...]
    released: tuple[str, ...] = ()

    @property
    def here(self) -> list[str]:
        """What would be changed on this computer, in sentences."""
        found = self.places
        parts = [
            counted_noun(count, *noun)
            for count, noun in (
                (found.events, ("comment or other entry", "comments and other entries")),
                (found.texts, ("text with its history", "texts with their histories")),
                (found.answers, ("answer line",)),
                (found.items, ("setting of a set", "settings of sets")),
            )
            if count
        ]
        stay = "stays" if self.tossups == 1 else "stay"
        lines = []
        if self.tossups or not parts:  # a player may have written none
            lines.append(f"{counted_noun(self.tossups, 'tossup')} {stay}, under a pseudonym.")
        if parts:
            lines.append(f"The name is blacked out in {listed(parts)}.")
        if found.unsigned:
            lines.append(
                f"{counted_noun(found.unsigned, 'entry', 'entries')} of others lose their signatures."
            )
        return lines

    @property
    def elsewhere(self) -> list[str]:
        """What forgetting cannot reach, in sentences."""
        lines = [
            "Packs, packets, printed pages and playtests that you sent keep the name. Ask those who have them"
            " to forget it, too; what comes back from them comes without the name."
        ]
        if self.released:
            lines.append(
                f"Released: {listed(self.released)}. They hold a pseudonym, and no name that the search for "
                "names found. What is published can only be withdrawn."
            )
        return lines


class ForgetReport(msgspec.Struct, frozen=True):
    """What was done: the pseudonym, what changed in the database, and backups that could not be cleaned."""

    pseudonym: str
    database: ErasureReport
    backups: int = 0
    files: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        said = f"The person is called {self.pseudonym} from now on."
        if self.backups:
            said += f" {counted_noun(self.backups, 'backup')} cleaned."
        return " ".join([said, *self.left])


class ForgottenPeople:
    """Forgets people. Slow: every history is read; any thread may call it."""

    def __init__(
        self,
        home: Path,
        store: Store,
        profile: Profile,
        people: People,
        releases: SetLog,
        known: ForgottenList,
    ) -> None:
        self._home, self._store, self._profile = home, store, profile
        self._people, self._releases, self._list = people, releases, known

    def plan(self, name: str, progress: Progress = lambda done, total: None) -> ForgetPlan:
        """What :meth:`forget` would do of the person, or of the player of games, called ``name``.

        Somebody whom it has forgotten can be named again: that goes on where it was stopped.
        """
        found = self._found(name)
        if any(one.person.id == self._profile.me.id for one in found):
            raise QuizwriterError(
                "That is you, and what you write needs a name.",
                "Change your name with File > Profile…, or quizwriter profile --name.",
            )
        people = [one.person for one in found]
        names = tuple(dict.fromkeys(one.name for one in people if one.name)) or (name,)
        emails = tuple(dict.fromkeys(one.email for one in people if one.email))
        ids = tuple(one.id for one in people)
        keys = tuple(one.key for one in people if one.key)
        forgotten, _ = self._with(names, emails, ids, keys)
        places = self._store.erase_names(forgotten, progress, only_count=True)
        written = {one.tossup_id for one in self._store.release_states() if one.author in ids}
        released = dict.fromkeys(
            f"{one.title} {one.version} ({counted_noun(len(written & set(one.tossups)), 'tossup')})"
            for one in self._releases.releases()
            if not one.retracted and written & set(one.tossups)
        )
        backups = Backups(self._store.path).all()
        return ForgetPlan(names, emails, ids, keys, len(written), places, backups, tuple(released))

    def _found(self, name: str) -> list[KnownPerson]:
        """Everybody who is meant, with the names of files that were said to be the same person."""
        known = self._people.known()
        try:
            person: Person | None = self._people.find(name)
        except QuizwriterError:
            if not self._has_played(name) and self._list.names().person_of(name, name) is None:
                raise
            person = None
        if person is None:
            return []
        called = name_key(person.name)
        return [
            one
            for one in known
            if person.id in (one.person.id, one.into)
            or (one.person.id.startswith(NAMED) and name_key(one.person.name) == called != "")
        ]

    def _has_played(self, name: str) -> bool:
        wanted = name_key(name)
        return any(
            name_key(seat.name) == wanted
            for event in self._store.events_of_kind("game")
            if isinstance(event.body, Played)
            for seat in event.body.rules.seats
        )

    def _with(
        self, names: Iterable[str], emails: Iterable[str], ids: Iterable[str], keys: Iterable[str]
    ) -> tuple[ForgottenNames, str]:
        """The list with one more person, who gets the pseudonym.

        Who is in it and no longer in the database stays as they are: then an earlier forgetting was stopped.
        """
        before = self._list.names()
        known = [] if ids else [before.person_of(name, name) for name in names]
        if known and known[0] is not None:
            return before, known[0].pseudonym
        if not before:
            before = ForgottenNames(secrets.token_hex(16))
        pseudonym = f"Former writer {secrets.token_hex(2)}"
        by = before.described(names, emails)
        person = ForgottenPerson(
            pseudonym, tuple(ids), by.whole, by.parts, frozenset(map(before.digest, keys)), by.firsts
        )
        return replace(before, people=(*before.people, person)), pseudonym

    def forget(
        self, plan: ForgetPlan, *, backups: bool = True, progress: Progress = lambda done, total: None
    ) -> ForgetReport:
        """Do what ``plan`` says; ``backups``: in the backups, too. What it took back does not come again."""
        forgotten, pseudonym = self._with(plan.names, plan.emails, plan.ids, plan.keys)
        self._list.save(forgotten)  # first: if this stops, the next one goes on from there
        report = self._store.erase_names(forgotten, progress)
        self._list.save(
            replace(
                forgotten,
                masked={**forgotten.masked, **report.masked},
                renamed={**forgotten.renamed, **report.renamed},
            )
        )
        cleaned, left = 0, list[str]()
        if report.damaged:
            left.append(
                f"{counted_noun(len(report.damaged), 'tossup')} could not be read and may contain the name: "
                f"{listed(report.damaged)}."
            )
        folder = Backups(self._store.path).folder
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if not backups:
                left.append(f"{path.name} was left as it is and still contains the name.")
                continue
            try:
                clean_backup(path, forgotten)
                cleaned += 1
            except QuizwriterError as trouble:
                left.append(f"{path.name} may contain the name: {trouble}")
        files, unread = self._clean_files(forgotten)
        left += [*unread, *self._packets_with(forgotten)]
        return ForgetReport(pseudonym, report, cleaned, files, tuple(left))

    def _clean_files(self, forgotten: ForgottenNames) -> tuple[tuple[str, ...], list[str]]:
        """Black the names in the texts of the data folder; the files changed, and sentences on those left."""
        changed, left = list[str](), list[str]()
        for folder in (self._home, self._home / "challenge", self._home / JOURNALS):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if path.suffix not in _TEXTS or path == self._list.path or path.is_symlink():
                    continue
                try:
                    if path.is_file() and _clean_file(path, forgotten):
                        changed.append(path.name)
                except (OSError, UnicodeError, DecodingError, QuizwriterError) as trouble:
                    left.append(
                        f"{path} may contain the name: {_reason(trouble)}. Delete it if you do not need it."
                    )
        return tuple(changed), left

    def _packets_with(self, forgotten: ForgottenNames) -> Iterable[str]:
        """A sentence for each bundle whose added packets have the name, or may: they stay as they are."""
        chosen = self._profile.settings.bundle
        folders = [
            *(path for name in ("evidence", "bundles") for path in sorted((self._home / name).rglob(YOURS))),
            *([Path(chosen) / YOURS] if chosen else ()),
        ]
        for yours in dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()):
            found, unread = dict[str, None](), list[str]()
            for path in sorted(path for path in yours.rglob("*") if path.suffix in _OF_BUNDLES):
                inside = path.relative_to(yours).parts
                try:
                    text, clean = _with_clean(path, forgotten)
                    if clean != text:
                        found[inside[1] if inside[0] == PACKETS else ""] = None
                except (OSError, UnicodeError, DecodingError) as trouble:
                    unread.append(f"{path} was not searched and may contain the name: {_reason(trouble)}.")
            if names := list(filter(None, found)):
                yield (
                    f"Packets that were added to a bundle contain the name: {listed(names)}. Remove them in "
                    "File > Add packets…, or each with "
                    f'quizwriter add --bundle "{yours.parent}" --remove {names[0]}'
                )
            elif found:
                yield (
                    f"Packets that were added to a bundle contain the name: {yours}. Delete that folder, and "
                    "add the packets without the name again."
                )
            yield from unread

    def allow(self, name: str) -> int:
        """Let the ``name`` come from elsewhere again, such as for another person of that name; how many."""
        before = self._list.names()
        found = before.person_of(name, name)
        if found is None:
            raise QuizwriterError(
                f"Nobody called {name} was forgotten on this computer.", "Give the name as it was."
            )
        kept = tuple(one for one in before.people if one is not found)
        self._list.save(replace(before, people=kept))
        return len(before.people) - len(kept)


def _with_clean(path: Path, forgotten: ForgottenNames) -> tuple[str, str]:
    """What is in the file, and the same with the names blacked."""
    text = read_limited(path, _MOST_BYTES).decode()
    if path.suffix == ".jsonl":
        return text, "".join(_clean_json(line, forgotten) for line in text.splitlines(keepends=True))
    return text, _clean_json(text, forgotten) if path.suffix == ".json" else forgotten.blacked(text)


def _clean_file(path: Path, forgotten: ForgottenNames) -> bool:
    """Black the names in the file; whether there were any."""
    text, clean = _with_clean(path, forgotten)
    if clean == text:
        return False
    raw = clean.encode()
    if ".log" in path.name or path.suffix == ".jsonl":  # a program may have it open, at its end
        write_over(path, raw)
    else:
        with atomic_write(path, problem=f"{path} could not be written", private=True) as new:
            new.write(raw)
    return True


def _reason(trouble: Exception) -> str:
    if isinstance(trouble, UnicodeError):
        return "it is not a UTF-8 text"
    return str((isinstance(trouble, OSError) and trouble.strerror) or trouble).rstrip(".")


def _clean_json(text: str, forgotten: ForgottenNames) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return forgotten.blacked(text)
    clean = forgotten.without_names(value, remark=False, keys=True)
    if clean == value:
        return text
    indent = 0 if "\n" in text.strip() else None  # a line of a log stays one
    return json.dumps(clean, ensure_ascii=False, indent=indent) + "\n"
