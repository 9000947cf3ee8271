"""What the editor says of a release, asked once and kept, and what earlier releases have settled."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomli_w

from quizwriter.challenge.documents import ASKED, LICENCES
from quizwriter.errors import QuizwriterError

_NONE: Mapping[str, str] = MappingProxyType({})


def kept_in(home: Path) -> Path:
    """Where what the editor says of a set is kept."""
    return home / "challenge.toml"


@dataclass(frozen=True)
class SetMetadata:
    """What the editor says of a set: what it is called, under which terms, and the answers of the data sheet.

    ``others`` are names that mean somebody else than the writers. ``maintainer`` and ``contact`` are an
    office's or a team's, never a person's.
    """

    title: str = "Challenge set"
    version: str = "1.0"
    licence: str = next(iter(LICENCES))
    maintainer: str = ""
    contact: str = ""
    website: str = ""
    seed: int = 0
    histories: bool = True
    others: tuple[str, ...] = ()
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
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except OSError as trouble:
            raise QuizwriterError(
                f"{path} cannot be read ({trouble.strerror}).", "Check its name and that you may read it."
            ) from trouble
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as trouble:
            raise QuizwriterError(f"{path} is not TOML ({trouble}).", "Correct the file.") from trouble
        known = {one.name: getattr(cls(), one.name) for one in fields(cls)}
        asked = {item.key for item in ASKED}
        found: dict[str, Any] = {}
        for name, raw in values.items():
            value: Any = tuple(raw) if isinstance(raw, list) else raw
            sensible = name in known and (
                isinstance(value, dict) if name == "answers" else type(value) is type(known[name])
            )
            if name == "answers" and sensible:
                sensible = value.keys() <= asked and all(isinstance(one, str) for one in value.values())
            if name == "licence" and value not in LICENCES:
                sensible = False
            if name == "others" and sensible:
                sensible = all(isinstance(one, str) for one in value)
            if not sensible:
                raise QuizwriterError(
                    f"In {path}, {name} = {raw!r} makes no sense.", "Correct that line or delete it."
                )
            found[name] = value
        return cls(**found)

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
        put(path, "".join(lines))


@dataclass(frozen=True)
class Ledger:
    """What earlier releases have settled for each tossup: its number, and its split for one seed."""

    seed: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)
    retracted: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, seed: int) -> Ledger:
        """The one kept in ``path``; its splits count no longer where they were drawn with another seed.

        Raises:
            QuizwriterError: it cannot be read.
        """
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            same = kept["seed"] == seed
            numbers = {str(key): int(number) for key, number in kept["numbers"].items()}
            splits = {str(key): str(name) for key, name in kept["splits"].items()} if same else {}
        except FileNotFoundError:
            return cls(seed)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as trouble:
            raise QuizwriterError(
                f"{path}, which says what earlier releases have settled, cannot be read ({trouble}).",
                "Restore a copy; or delete it, and name the folder of the last release when you export.",
            ) from trouble
        return cls(seed, numbers, splits)

    @classmethod
    def of_release(cls, folder: Path, seed: int) -> Ledger:
        """What the challenge set in ``folder`` has settled.

        Raises:
            QuizwriterError: there is none, or it cannot be read.
        """
        try:
            whole = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
            splits = json.loads((folder / "splits.json").read_text(encoding="utf-8"))
            retracted = json.loads((folder / "retracted.json").read_text(encoding="utf-8"))
            of = {number: name for name, inside in splits["splits"].items() for number in inside}
            numbers = {str(one["tossup_id"]): int(one["qanta_id"]) for one in whole["quizwriter"]}
            settled = {key: str(of[number]) for key, number in numbers.items()}
            for one in retracted:
                str(one["tossup_id"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as trouble:
            raise QuizwriterError(
                f"{folder} is no challenge set that can be continued ({trouble}).",
                "Choose the folder of the last version; quizwriter verify says what is wrong with it.",
            ) from trouble
        if splits["seed"] != seed:
            raise QuizwriterError(
                f"The splits of {folder} were drawn with the seed {splits['seed']}, not {seed}.",
                "Use that seed, so that what is in a split stays there.",
            )
        return cls(seed, numbers, settled, list(retracted))

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
        put(path, json.dumps(kept, indent=1) + "\n")


def put(path: Path, text: str) -> None:
    """Write ``text`` to ``path``, whole or not at all.

    Raises:
        QuizwriterError: the disk does not take it.
    """
    beside = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as trouble:
        raise QuizwriterError(
            f"{path} could not be written ({trouble.strerror}).", "Make room, or allow writing there."
        ) from trouble
