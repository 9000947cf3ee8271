"""The editor's statements about a set, kept between releases, and the ledger of earlier releases."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import msgspec
import tomli_w
from msgspec.structs import asdict, replace

from quizwriter.challenge.data_sheet import EDITOR_ITEMS
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.challenge.selection import SPLIT_SHARES
from quizwriter.challenge.statements import LICENCES
from quizwriter.challenge.working_names import ReleasedFile, WorkingName, released_names
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import RETRACTED
from quizwriter.system.atomic import atomic_text
from quizwriter.system.decoding import DecodingError, decode_json, decode_toml, decode_value, read_limited
from quizwriter.workflow.wording import listed

if TYPE_CHECKING:
    from quizwriter.services.wiring import App

_NUMBER = re.compile(r"[0-9]{1,18}")
_LAST_NUMBER = re.compile(r"(.*?)(\d{1,9})(\D*)\Z", re.DOTALL)
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_NONE: Mapping[str, str] = MappingProxyType({})
DEFAULT_LICENCE = next(iter(LICENCES))
MAX_METADATA_BYTES, MAX_LEDGER_BYTES, MAX_QUESTIONS_BYTES = 1 << 20, 256 << 20, 1 << 30
"""The largest sizes in bytes: of the editor's file, of a ledger or list of splits, of ``questions.json``."""

ShortText = Annotated[str, msgspec.Meta(max_length=1_000)]
Name = Annotated[str, msgspec.Meta(max_length=200)]


def metadata_path(home: Path) -> Path:
    """The file below the data folder ``home`` that keeps the editor's statements about a set."""
    return home / "challenge.toml"


class SetMetadata(msgspec.Struct, frozen=True):
    """What the editor says of a set: its title, version and licence, and the answers for the data sheet.

    ``others`` are names in the texts that, an older version was told, do not mean a writer. ``maintainer``
    and ``contact`` are an office's or a team's, never a person's. ``released`` is the day of the release,
    like 2031-10-16, or empty. ``histories`` and ``remarks`` say whether edits, and whether what people wrote
    about the tossups, are released too, and ``working_names`` whether names of files, packets and own tags
    are.
    """

    title: ShortText = "Challenge set"
    version: ShortText = "1.0"
    licence: ShortText = DEFAULT_LICENCE
    maintainer: ShortText = ""
    contact: ShortText = ""
    website: ShortText = ""
    released: ShortText = ""
    seed: int = 0
    histories: bool = False
    remarks: bool = False
    working_names: bool = False
    others: tuple[ShortText, ...] = ()
    answers: Mapping[str, str] = msgspec.field(default_factory=lambda: _NONE)

    @property
    def slug(self) -> str:
        """The title as part of a file name: at most 40 letters and digits, and six digits of its digest."""
        bare = _NOT_IN_A_NAME.sub("-", self.title.casefold()).strip("-")[:40]
        return f"{bare or 'set'}-{hashlib.sha256(self.title.encode()).hexdigest()[:6]}"

    @classmethod
    def read(cls, path: Path) -> SetMetadata:
        """The statements in the file at ``path``; the defaults where it says nothing or is missing."""
        try:
            values = decode_toml(read_limited(path, MAX_METADATA_BYTES))
            said = decode_value(values, cls)
            if unknown := sorted(said.answers.keys() - {item.key for item in EDITOR_ITEMS}):
                raise DecodingError(f"the field {unknown[0]!r} is unknown")
            if said.licence not in LICENCES:
                raise DecodingError(f"the licence is one of {listed(list(LICENCES), 'or')}")
        except FileNotFoundError:
            return cls()
        except OSError as trouble:
            raise QuizwriterError(
                f"{path} cannot be read ({trouble.strerror}).", "Check its name and that you may read it."
            ) from trouble
        except DecodingError as trouble:
            raise QuizwriterError(
                f"{path} cannot be used, because a value in it is wrong ({trouble}).",
                "Correct that line of the file, or delete it.",
            ) from trouble
        return said

    def write(self, path: Path) -> None:
        """Write the statements to ``path``, with every question of the data sheet above its answer."""
        values = {name: value for name, value in asdict(self).items() if name != "answers"}
        lines = [tomli_w.dumps(values), "\n[answers]\n"]
        for item in EDITOR_ITEMS:
            answer = {item.key: self.answers.get(item.key, "")}
            lines.append(f"# {item.question} {item.hint}\n{tomli_w.dumps(answer)}")
        with atomic_text(path, make_folder=True) as file:
            file.writelines(lines)


def next_version(version: str) -> str:
    """The version after ``version``: its last number and one more."""
    found = _LAST_NUMBER.match(version)
    if not found:
        return f"{version}.1"
    return f"{found[1]}{str(int(found[2]) + 1).zfill(len(found[2]))}{found[3]}"


def version_order(version: str) -> tuple[int, ...]:
    """By what versions are compared: their numbers, where 1 and 1.0 are the same."""
    numbers = [int(number) for number in _NUMBER.findall(version)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


class ReleasedVersion(msgspec.Struct, frozen=True):
    """A version of a set that was released; ``taken``: no export may have its number again."""

    version: str
    taken: bool


def released_versions(app: App, title: str) -> list[ReleasedVersion]:
    """The versions of the set ``title`` of which this computer knows.

    An export may be repeated under its number, as before it is published; a retraction is a version of a set
    that was.
    """
    withdrawn = WithdrawnQuestions.read(app.home, Pseudonyms.load(app.home / "pseudonyms.key")).known
    made = [
        ReleasedVersion(one.version, one.retracted) for one in app.set_log.releases() if one.title == title
    ]
    return made + [ReleasedVersion(one.version, True) for one in withdrawn if one.title == title]


def later_version(wanted: str, released: Iterable[ReleasedVersion]) -> str:
    """``wanted``, or one more than the last of those ``released`` where numbers would go back."""
    last = max(released, key=lambda one: (version_order(one.version), one.taken), default=None)
    if last is None:
        return wanted
    before, after = version_order(last.version), version_order(wanted)
    return next_version(last.version) if after < before or (last.taken and after == before) else wanted


def version_after(folder: Path) -> str:
    try:
        manifest = decode_json(read_limited(folder / "MANIFEST.json", MAX_LEDGER_BYTES), _Manifest)
    except _UNREADABLE as trouble:
        raise _not_continued(folder, trouble) from trouble
    return next_version(manifest.version)


def _not_continued(folder: Path, trouble: Exception) -> QuizwriterError:
    reason: object = trouble
    if isinstance(trouble, OSError):
        reason = f"{Path(trouble.filename or folder).name}: {trouble.strerror or trouble}"
    return QuizwriterError(
        f"{folder} is not a challenge set that can be continued ({reason}).",
        "Choose the folder of the last version; quizwriter verify says what is wrong with it.",
    )


def today() -> str:
    """The day of a release that is made now, here."""
    return datetime.now().astimezone().date().isoformat()


def check_day(day: str) -> str:
    """``day``, if it is a day of the calendar like 2031-10-16."""
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        raise QuizwriterError(f"“{day}” is not a day.", "Write the day like 2031-10-16.") from None


class Retraction(msgspec.Struct, frozen=True):
    """A question that was withdrawn from a released set: the version that withdrew it, and the reason."""

    qanta_id: int
    tossup_id: Name  # as the set gives it
    version: str
    reason: str


class _LedgerFile(msgspec.Struct):
    seed: int
    numbers: dict[Name, int]
    splits: dict[Name, Name]
    key: str = ""  # fingerprint of the key that made the ids; empty: the ids are those of the database
    working_names: dict[Name, WorkingName] = {}


class _Manifest(msgspec.Struct):
    version: Name
    title: ShortText = ""
    key: str = ""  # as in the ledger
    questions: int = 0


class _QuestionNumber(msgspec.Struct):
    qanta_id: int
    tossup_id: Name
    provenance: ReleasedFile | None = None
    tags: list[ShortText] = []


class _QuestionText(msgspec.Struct):
    qanta_id: int
    text: str


class _Questions(msgspec.Struct):
    questions: list[_QuestionText]
    quizwriter: list[_QuestionNumber]  # see quizwriter.challenge.layout.QUIZWRITER_KEY


class _Splits(msgspec.Struct):
    seed: int
    splits: dict[Name, list[int]]


class EarlierRelease(msgspec.Struct, frozen=True):
    """A released version of a set, as its folder says."""

    title: str
    version: str
    questions: int
    sums: str  # digest of its list of digests
    retracted: list[Retraction]
    withdrawn: list[Withdrawal]  # the same, as the program keeps it

    def as_json(self) -> dict[str, object]:
        """What the manifest of the next version says of it, ready for JSON."""
        return {
            "title": self.title,
            "version": self.version,
            "questions": self.questions,
            "retracted": len(self.retracted),
            "sums": self.sums,
        }


class Ledger(msgspec.Struct, frozen=True):
    """The number and the split, drawn with one seed, of each question that an earlier release has published.

    The keys are the ids under which the questions are released. ``working_names`` says what each number
    stands for that was released in place of a name. ``earlier`` is the version that the ledger was read from,
    if any.
    """

    seed: int = 0
    numbers: Mapping[str, int] = msgspec.field(default_factory=dict)
    splits: Mapping[str, str] = msgspec.field(default_factory=dict)
    working_names: Mapping[str, WorkingName] = msgspec.field(default_factory=dict)
    earlier: EarlierRelease | None = None

    @classmethod
    def read(cls, path: Path, seed: int, pseudonyms: Pseudonyms) -> Ledger:
        """The ledger in the file at ``path``; an empty one where there is no file.

        Its splits are left out if they were drawn with another seed. Older versions kept the ids of the
        database; they become released ids.
        """
        try:
            kept = decode_json(read_limited(path, MAX_LEDGER_BYTES), _LedgerFile)
            _check_split_names(kept.splits.values())
        except FileNotFoundError:
            return cls(seed)
        except _UNREADABLE as trouble:
            raise QuizwriterError(
                f"{path}, which says what earlier releases have settled, cannot be read ({trouble}).",
                "Restore a copy; or delete it, and name the folder of the last release when you export.",
            ) from trouble
        released = _released_ids(kept.key, pseudonyms, path)
        splits = kept.splits if kept.seed == seed else {}
        return cls(
            seed,
            {released(key): number for key, number in kept.numbers.items()},
            {released(key): name for key, name in splits.items()},
            kept.working_names,
        )

    @classmethod
    def of_release(cls, folder: Path, seed: int, pseudonyms: Pseudonyms) -> Ledger:
        try:
            manifest = decode_json(read_limited(folder / "MANIFEST.json", MAX_LEDGER_BYTES), _Manifest)
            whole = decode_json(read_limited(folder / "questions.json", MAX_QUESTIONS_BYTES), _Questions)
            splits = decode_json(read_limited(folder / "splits.json", MAX_LEDGER_BYTES), _Splits)
            retracted = read_retractions(folder / RETRACTED)
            sums = hashlib.sha256(read_limited(folder / "SHA256SUMS", MAX_LEDGER_BYTES)).hexdigest()
            _check_split_names(splits.splits)
            of = {number: name for name, inside in splits.splits.items() for number in inside}
            numbers = {one.tossup_id: one.qanta_id for one in whole.quizwriter}
            settled = {key: of[number] for key, number in numbers.items()}
        except (*_UNREADABLE, LookupError) as trouble:
            raise _not_continued(folder, trouble) from trouble
        if splits.seed != seed:
            raise QuizwriterError(
                f"The splits of {folder} were drawn with the seed {splits.seed}, not {seed}.",
                "Use that seed, so that what is in a split stays there.",
            )
        released = _released_ids(manifest.key, pseudonyms, folder)
        texts = {one.qanta_id: one.text for one in whole.questions}
        withdrawn = [
            withdrawal_of(one, texts.get(one.qanta_id, ""), manifest.title, manifest.key, pseudonyms)
            for one in retracted
        ]
        return cls(
            seed,
            {released(key): number for key, number in numbers.items()},
            {released(key): name for key, name in settled.items()},
            released_names((one.provenance, one.tags) for one in whole.quizwriter),
            EarlierRelease(
                manifest.title, manifest.version, len(whole.quizwriter), sums, retracted, withdrawn
            ),
        )

    def merged_with(self, other: Ledger) -> Ledger:
        return replace(
            self,
            numbers={**other.numbers, **self.numbers},
            splits={**other.splits, **self.splits},
            working_names={**self.working_names, **other.working_names},
        )

    def save(
        self,
        path: Path,
        numbers: Mapping[str, int],
        splits: Mapping[str, str],
        working_names: Mapping[str, WorkingName],
        pseudonyms: Pseudonyms,
    ) -> None:
        """Write this ledger with what the other arguments add to ``path``."""
        kept = {
            "seed": self.seed,
            "key": pseudonyms.fingerprint,
            "numbers": dict(sorted({**self.numbers, **numbers}.items())),
            "splits": dict(sorted({**self.splits, **splits}.items())),
            "working_names": {
                released: asdict(one)
                for released, one in sorted({**self.working_names, **working_names}.items())
            },
        }
        with atomic_text(path, make_folder=True) as file:
            file.write(json.dumps(kept, indent=1) + "\n")


class Withdrawal(msgspec.Struct, frozen=True):
    """A withdrawn question as the program keeps it, so that no set ever releases it again.

    ``tossup_id`` is the released id, empty where another key made it. ``text`` tells an equal text, also
    under another id: see :meth:`quizwriter.challenge.privacy.Pseudonyms.of_text`.
    """

    tossup_id: str
    text: str
    title: str
    version: str
    reason: str


def withdrawal_of(one: Retraction, text: str, title: str, key: str, pseudonyms: Pseudonyms) -> Withdrawal:
    """What the program keeps of a question with this ``text`` that was withdrawn from the set ``title``.

    ``key`` is the fingerprint of the key that made the ids of the set. It is empty for sets of older
    versions, which give the ids of the database.
    """
    tossup_id = one.tossup_id if key == pseudonyms.fingerprint else ""
    if not key:
        tossup_id = pseudonyms.of_question(one.tossup_id)
    return Withdrawal(tossup_id, pseudonyms.of_text(text), title, one.version, one.reason)


class _WithdrawnFile(msgspec.Struct):
    key: str
    withdrawn: list[Withdrawal]


class WithdrawnQuestions(msgspec.Struct, frozen=True, dict=True):
    """All questions that were withdrawn from any set, in the file ``challenge/withdrawn.json``.

    The file lies in the data folder and belongs to no profile and to no set.
    """

    path: Path
    pseudonyms: Pseudonyms
    known: tuple[Withdrawal, ...] = ()

    @classmethod
    def read(cls, home: Path, pseudonyms: Pseudonyms) -> WithdrawnQuestions:
        """The withdrawn questions that the data folder ``home`` knows."""
        path = home / "challenge" / "withdrawn.json"
        try:
            kept = decode_json(read_limited(path, MAX_LEDGER_BYTES), _WithdrawnFile)
        except FileNotFoundError:
            return cls(path, pseudonyms)
        except _UNREADABLE as trouble:
            raise QuizwriterError(
                f"{path}, which says what was withdrawn from released sets, cannot be read ({trouble}).",
                "Restore a copy of it. Without it, a withdrawn question could be released again.",
            ) from trouble
        _released_ids(kept.key, pseudonyms, path)
        return cls(path, pseudonyms, tuple(kept.withdrawn))

    def has(self, tossup_id: str, text: str) -> bool:
        """Whether the tossup with this id in the database, or one with this text, was withdrawn."""
        return (
            self.pseudonyms.of_question(tossup_id) in self._ids
            or self.pseudonyms.of_text(text) in self._texts
        )

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(one.tossup_id for one in self.known)

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(one.text for one in self.known)

    def with_more(self, more: Iterable[Withdrawal]) -> WithdrawnQuestions:
        """These withdrawn questions and ``more``; they are not written yet."""
        return replace(self, known=tuple(dict.fromkeys((*self.known, *more))))

    def save(self) -> None:
        kept = _WithdrawnFile(self.pseudonyms.fingerprint, list(self.known))
        with atomic_text(self.path, make_folder=True) as file:
            file.write(json.dumps(msgspec.to_builtins(kept), indent=1) + "\n")


def retractions(
    ledger: Ledger, earlier: EarlierRelease | None, withdrawn: WithdrawnQuestions, title: str
) -> list[Retraction]:
    """The withdrawn questions that the next version of the set ``title`` lists.

    First those that the version before lists, then those of the set that the program knows of.
    """
    listed_before = earlier.retracted if earlier else []
    ids = {one.qanta_id for one in listed_before}
    found = [
        Retraction(one.qanta_id, kept.tossup_id, one.version, one.reason)
        for one, kept in zip(listed_before, earlier.withdrawn if earlier else [], strict=True)
    ]
    for one in withdrawn.known:
        number = ledger.numbers.get(one.tossup_id)
        if number is not None and number not in ids and one.title == title:
            ids.add(number)
            found.append(Retraction(number, one.tossup_id, one.version, one.reason))
    return found


def _released_ids(key: str, pseudonyms: Pseudonyms, path: Path) -> Callable[[str], str]:
    """What turns an id in the file or folder at ``path`` into a released id; ``key`` made the ids there."""
    if not key:
        return pseudonyms.of_question
    if key != pseudonyms.fingerprint:
        raise QuizwriterError(
            f"The ids in {path} were made with another key of pseudonyms than the one here.",
            "Put the file pseudonyms.key of that release into the data folder, so that each question keeps "
            "its id, its number and its split.",
        )
    return str


_UNREADABLE = (OSError, DecodingError)


def read_released(path: Path) -> tuple[list[_QuestionNumber], dict[int, str]]:
    """The numbers and ids of the questions in the file at ``path``, and their texts by number."""
    whole = decode_json(read_limited(path, MAX_QUESTIONS_BYTES), _Questions)
    return whole.quizwriter, {one.qanta_id: one.text for one in whole.questions}


def read_retractions(path: Path) -> list[Retraction]:
    return decode_json(read_limited(path, MAX_LEDGER_BYTES), list[Retraction])


def _check_split_names(names: Iterable[str]) -> None:
    if unknown := sorted({*names} - SPLIT_SHARES.keys()):
        raise DecodingError(f"`{unknown[0]}` is no split")
