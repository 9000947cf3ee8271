"""What the editor says of a release, asked once and kept, and what earlier releases have settled."""

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
from quizwriter.challenge.documents import ASKED, LICENCES
from quizwriter.challenge.selection import SHARES
from quizwriter.decoding import DecodingError, decode_json, decode_toml, decode_value, read_limited
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.wording import listed

_NONE: Mapping[str, str] = MappingProxyType({})
USUAL_LICENCE = next(iter(LICENCES))
MOST_SAID, MOST_SETTLED, MOST_QUESTIONS = 1 << 20, 256 << 20, 1 << 30
"""Bytes of the editor's file, of a list of what is settled, and of the questions of a set."""

ShortText = Annotated[str, msgspec.Meta(max_length=1_000)]
Name = Annotated[str, msgspec.Meta(max_length=200)]


def kept_in(home: Path) -> Path:
    """Where what the editor says of a set is kept."""
    return home / "challenge.toml"


@dataclass(frozen=True)
class SetMetadata:
    """What the editor says of a set: what it is called, under which terms, and the answers of the data sheet.

    ``others`` are names that mean somebody else than the writers. ``maintainer`` and ``contact`` are an
    office's or a team's, never a person's.
    """

    title: ShortText = "Challenge set"
    version: ShortText = "1.0"
    licence: ShortText = USUAL_LICENCE
    maintainer: ShortText = ""
    contact: ShortText = ""
    website: ShortText = ""
    seed: int = 0
    histories: bool = True
    others: tuple[ShortText, ...] = ()
    answers: Mapping[str, str] = field(default_factory=lambda: _NONE)

    @property
    def slug(self) -> str:
        """The title as a file's name."""
        bare = re.sub(r"[^a-z0-9]+", "-", self.title.casefold()).strip("-")[:40]
        return f"{bare or 'set'}-{hashlib.sha256(self.title.encode()).hexdigest()[:6]}"

    @classmethod
    def read(cls, path: Path) -> SetMetadata:
        """What was said in ``path``; the defaults where nothing was.

        Raises:
            QuizwriterError: the file cannot be read, or makes no sense.
        """
        try:
            values = decode_toml(read_limited(path, MOST_SAID))
            said = decode_value(values, cls)
            if unknown := sorted(said.answers.keys() - {item.key for item in ASKED}):
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
        """Keep it in ``path``, with every question of the data sheet above its answer.

        Raises:
            QuizwriterError: it cannot be written; what was there stays.
        """
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "answers"}
        values["others"] = list(self.others)
        lines = [tomli_w.dumps(values), "\n[answers]\n"]
        for item in ASKED:
            answer = {item.key: self.answers.get(item.key, "")}
            lines.append(f"# {item.question} {item.hint}\n{tomli_w.dumps(answer)}")
        with atomic_text(path, make_folder=True) as file:
            file.writelines(lines)


class Retraction(msgspec.Struct, frozen=True):
    """A question that was withdrawn from a released set, in which version and why."""

    qanta_id: int
    tossup_id: Name
    version: str
    reason: str


class _LedgerFile(msgspec.Struct):
    seed: int
    numbers: dict[Name, int]
    splits: dict[Name, Name]


class _Numbered(msgspec.Struct):
    qanta_id: int
    tossup_id: Name


class _Questions(msgspec.Struct):
    quizwriter: list[_Numbered]  # see quizwriter.challenge.layout.OURS


class _Splits(msgspec.Struct):
    seed: int
    splits: dict[Name, list[int]]


@dataclass(frozen=True)
class Ledger:
    """What earlier releases have settled for each tossup: its number, and its split for one seed."""

    seed: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)
    retracted: list[Retraction] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, seed: int) -> Ledger:
        """The one kept in ``path``; its splits count no longer where they were drawn with another seed.

        Raises:
            QuizwriterError: it cannot be read.
        """
        try:
            kept = decode_json(read_limited(path, MOST_SETTLED), _LedgerFile)
            _see_that_they_are_splits(kept.splits.values())
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
        """What the challenge set in ``folder`` has settled.

        Raises:
            QuizwriterError: there is none, or it cannot be read.
        """
        try:
            whole = decode_json(read_limited(folder / "questions.json", MOST_QUESTIONS), _Questions)
            splits = decode_json(read_limited(folder / "splits.json", MOST_SETTLED), _Splits)
            retracted = read_retractions(folder / "retracted.json")
            _see_that_they_are_splits(splits.splits)
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

    def over(self, other: Ledger) -> Ledger:
        """This, and of ``other`` what this does not settle."""
        return replace(
            self, numbers={**other.numbers, **self.numbers}, splits={**other.splits, **self.splits}
        )

    def keep(self, path: Path, numbers: Mapping[str, int], splits: Mapping[str, str]) -> None:
        """Settle ``numbers`` and ``splits`` as well, in ``path``.

        Raises:
            QuizwriterError: it cannot be written.
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
    """What the file at ``path`` says was withdrawn.

    Raises:
        OSError, DecodingError: the file cannot be read, or holds something else.
    """
    return decode_json(read_limited(path, MOST_SETTLED), list[Retraction])


def _see_that_they_are_splits(names: Iterable[str]) -> None:
    if unknown := sorted({*names} - SHARES.keys()):
        raise DecodingError(f"`{unknown[0]}` is no split")
