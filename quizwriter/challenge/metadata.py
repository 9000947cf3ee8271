"""The editor's statements about a set, kept between releases, and the ledger of earlier releases."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import msgspec
import tomli_w

from quizwriter.atomic import atomic_text
from quizwriter.challenge.documents import EDITOR_ITEMS, LICENCES
from quizwriter.challenge.selection import SPLIT_SHARES
from quizwriter.decoding import DecodingError, decode_json, decode_toml, decode_value, read_limited
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.wording import listed

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


@dataclass(frozen=True)
class SetMetadata:
    """What the editor says of a set: its title, version and licence, and the answers for the data sheet.

    ``others`` are names in the texts that do not mean a writer. ``maintainer`` and ``contact`` are an
    office's or a team's, never a person's.
    """

    title: ShortText = "Challenge set"
    version: ShortText = "1.0"
    licence: ShortText = DEFAULT_LICENCE
    maintainer: ShortText = ""
    contact: ShortText = ""
    website: ShortText = ""
    seed: int = 0
    histories: bool = True
    others: tuple[ShortText, ...] = ()
    answers: Mapping[str, str] = field(default_factory=lambda: _NONE)

    @property
    def slug(self) -> str:
        """The title as part of a file name: at most 40 letters and digits, and six digits of its digest."""
        bare = _NOT_IN_A_NAME.sub("-", self.title.casefold()).strip("-")[:40]
        return f"{bare or 'set'}-{hashlib.sha256(self.title.encode()).hexdigest()[:6]}"

    @classmethod
    def read(cls, path: Path) -> SetMetadata:
        """The statements in the file at ``path``; the defaults where it says nothing or is missing.

        Raises:
            QuizwriterError: the file cannot be read, or one of its values is wrong.
        """
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
        """Write the statements to ``path``, with every question of the data sheet above its answer.

        Raises:
            QuizwriterError: the file cannot be written; the old file stays.
        """
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "answers"}
        values["others"] = list(self.others)
        lines = [tomli_w.dumps(values), "\n[answers]\n"]
        for item in EDITOR_ITEMS:
            answer = {item.key: self.answers.get(item.key, "")}
            lines.append(f"# {item.question} {item.hint}\n{tomli_w.dumps(answer)}")
        with atomic_text(path, make_folder=True) as file:
            file.writelines(lines)


class Retraction(msgspec.Struct, frozen=True):
    """A question that was withdrawn from a released set: the version that withdrew it, and the reason."""

    qanta_id: int
    tossup_id: Name
    version: str
    reason: str


class _LedgerFile(msgspec.Struct):
    seed: int
    numbers: dict[Name, int]
    splits: dict[Name, Name]


class _QuestionNumber(msgspec.Struct):
    qanta_id: int
    tossup_id: Name


class _Questions(msgspec.Struct):
    quizwriter: list[_QuestionNumber]  # see quizwriter.challenge.layout.OURS


class _Splits(msgspec.Struct):
    seed: int
    splits: dict[Name, list[int]]


@dataclass(frozen=True)
class Ledger:
    """The number and the split, drawn with one seed, of each tossup that an earlier release has published."""

    seed: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)
    retracted: list[Retraction] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, seed: int) -> Ledger:
        """The ledger in the file at ``path``; an empty one where there is no file.

        Its splits are left out if they were drawn with another seed.

        Raises:
            QuizwriterError: the file cannot be read.
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
        return cls(seed, kept.numbers, kept.splits if kept.seed == seed else {})

    @classmethod
    def of_release(cls, folder: Path, seed: int) -> Ledger:
        """The ledger of the challenge set in ``folder``.

        Raises:
            QuizwriterError: ``folder`` holds no challenge set, its files cannot be read, or it has another
                seed.
        """
        try:
            whole = decode_json(read_limited(folder / "questions.json", MAX_QUESTIONS_BYTES), _Questions)
            splits = decode_json(read_limited(folder / "splits.json", MAX_LEDGER_BYTES), _Splits)
            retracted = read_retractions(folder / "retracted.json")
            _check_split_names(splits.splits)
            of = {number: name for name, inside in splits.splits.items() for number in inside}
            numbers = {one.tossup_id: one.qanta_id for one in whole.quizwriter}
            settled = {key: of[number] for key, number in numbers.items()}
        except (*_UNREADABLE, LookupError) as trouble:
            raise QuizwriterError(
                f"{folder} is no challenge set that can be continued ({trouble}).",
                "Choose the folder of the last version; quizwriter verify says what is wrong with it.",
            ) from trouble
        if splits.seed != seed:
            raise QuizwriterError(
                f"The splits of {folder} were drawn with the seed {splits.seed}, not {seed}.",
                "Use that seed, so that what is in a split stays there.",
            )
        return cls(seed, numbers, settled, retracted)

    def merged_with(self, other: Ledger) -> Ledger:
        """This ledger, with the tossups of ``other`` that it lacks."""
        return replace(
            self, numbers={**other.numbers, **self.numbers}, splits={**other.splits, **self.splits}
        )

    def save(self, path: Path, numbers: Mapping[str, int], splits: Mapping[str, str]) -> None:
        """Write this ledger with ``numbers`` and ``splits`` added to ``path``.

        Raises:
            QuizwriterError: the file cannot be written.
        """
        kept = {
            "seed": self.seed,
            "numbers": dict(sorted({**self.numbers, **numbers}.items())),
            "splits": dict(sorted({**self.splits, **splits}.items())),
        }
        with atomic_text(path, make_folder=True) as file:
            file.write(json.dumps(kept, indent=1) + "\n")


_UNREADABLE = (OSError, DecodingError)


def read_retractions(path: Path) -> list[Retraction]:
    """The withdrawn questions that the file at ``path`` lists.

    Raises:
        OSError: the file cannot be read.
        DecodingError: the file does not list withdrawn questions.
    """
    return decode_json(read_limited(path, MAX_LEDGER_BYTES), list[Retraction])


def _check_split_names(names: Iterable[str]) -> None:
    if unknown := sorted({*names} - SPLIT_SHARES.keys()):
        raise DecodingError(f"`{unknown[0]}` is no split")
