"""The folder of a challenge set: its files and their forms, its digests, and how it is put in place."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType
from typing import Any

from quizwriter import __version__
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.challenge.selection import SHARES, Candidate
from quizwriter.domain.review import Round
from quizwriter.errors import QuizwriterError
from quizwriter.formats.histories import HistoryParts, ReleaseView, encode_history
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.checks import Check

FORMAT = "quizwriter challenge set"
SCHEMA = 1
MANIFEST, SUMS = "MANIFEST.json", "SHA256SUMS"
QUESTIONS, TABLE, TRICKME = "questions.json", "questions.csv", "questions.trickme.json"
PLAYS, HISTORIES, SPLITS, RETRACTED = "plays.jsonl", "histories.jsonl", "splits.json", "retracted.json"
SHEET, README, LICENCE = "DATASHEET.md", "README.md", "LICENSE.txt"
OURS = "quizwriter"
"""The key in ``questions.json`` with what we add to each question.

QANTA's loader makes its questions of all that stands in a row, so no row may hold more than it knows.
"""

PROGRAM = f"QuizWriter {__version__}"

QANTA: Mapping[str, tuple[type, ...]] = {
    "qanta_id": (int,),
    "text": (str,),
    "first_sentence": (str,),
    "tokenizations": (list,),
    "answer": (str,),
    "page": (str, NoneType),
    "fold": (str,),
    "gameplay": (bool,),
    "category": (str, NoneType),
    "subcategory": (str, NoneType),
    "tournament": (str,),
    "difficulty": (str, NoneType),
    "year": (int,),
    "proto_id": (str, NoneType),
    "qdb_id": (int, NoneType),
    "dataset": (str,),
}
"""The fields of a question in QANTA's form, in their order, each with what it may be.

Source:
    ``qanta.datasets.quiz_bowl.Question`` in Pinafore/qb, and the loader of QANTA in Hugging Face datasets.
"""


@dataclass(frozen=True)
class ReleasedQuestion:
    """A question that is released."""

    one: Candidate
    number: int
    split: str
    games: tuple[PlaySummary, ...]
    checks: tuple[Check, ...]
    group: int | None  # the number of the one that stands for its near duplicates
    repeats: int  # near duplicates that were left out for it

    @property
    def overrides(self) -> dict[str, str]:
        """By check, why it need not pass."""
        return {override.check: override.reason for override in self.one.review.waived}

    @property
    def tags(self) -> list[str]:
        """The phenomena, as they were decided; else all that anybody found."""
        by_round: dict[str, set[str]] = {}
        for (of, _), tags in self.one.review.tags.items():
            by_round.setdefault(of, set()).update(tags)
        return sorted(by_round.get(Round.DECIDING, by_round.get(Round.BLIND, set())))

    def qanta(self, title: str) -> dict[str, Any]:
        """The question as QANTA's loader wants it, no field more."""
        tossup, review = self.one.tossup, self.one.review
        assert tossup.answer is not None
        first = tossup.sentences[0]
        levels = (*review.category, "", "")
        return {
            "qanta_id": self.number,
            "text": tossup.text,
            "first_sentence": first.of(tossup.text),
            "tokenizations": [[span.start, span.end] for span in tossup.sentences],
            "answer": tossup.answer.line,
            "page": tossup.answer.page,
            "fold": "adversarial",
            "gameplay": False,
            "category": levels[0] or None,
            "subcategory": levels[1] or None,
            "tournament": review.set_name or title,
            "difficulty": None,
            "year": year(self.one.changed_ms),
            "proto_id": None,
            "qdb_id": None,
            "dataset": "trickme",
        }

    def ours(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """What we know besides."""
        tossup, review, overrides = self.one.tossup, self.one.review, self.overrides
        return {
            "qanta_id": self.number,
            "tossup_id": self.one.tossup_id,
            "split": self.split,
            "writer": pseudonyms.of(self.one.author),
            "status": str(review.status),
            "levels": list(review.category),
            "source": review.source,
            "words": len(tossup.words),
            "power": tossup.power,
            "tags": self.tags,
            "checks": [
                {
                    "check": check.name,
                    "passed": check.passed,
                    "told": check.finding,
                    "overridden": "" if check.passed else overrides.get(check.name, ""),
                }
                for check in self.checks
            ],
            "stumped": [game.guesser for game in self.games if game.stumped()],
            "positions": [
                {
                    "guesser": game.guesser,
                    "first_correct": game.first_correct,
                    "stable_correct": game.stable_correct,
                    "buzz": game.buzz,
                    "buzzes_right": game.buzzes_right,
                    "can_know": game.knowable,
                }
                for game in self.games
            ],
            "near_duplicates_group": self.group,
            "near_duplicates_left_out": self.repeats,
        }

    def trickme(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """The question as Trick Me wrote it: the time is the day of the last edit, in seconds since 1970."""
        tossup, review = self.one.tossup, self.one.review
        assert tossup.answer is not None
        return {
            "question": tossup.text,
            "answer": tossup.answer.page or tossup.answer.main.replace(" ", "_"),
            "email": pseudonyms.of(self.one.author),
            "category": review.category[0] if review.category else "None",
            "time": self.one.changed_ms // 86_400_000 * 86_400,
        }

    def history(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """How the tossup came to be, as :class:`ReleaseView` writes it."""
        one = self.one
        parts = HistoryParts(one.changes, one.answers, one.games, one.events)
        view = ReleaseView(parts, pseudonyms.of)
        return {"qanta_id": self.number, "tossup_id": one.tossup_id, **encode_history(parts, view)}


def year(at_ms: int) -> int:
    return datetime.fromtimestamp(at_ms / 1000, UTC).year


def pretty(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def line(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def listing(values: Iterable[object]) -> Iterator[bytes]:
    """``values`` as a JSON list, one a line."""
    yield b"[\n"
    for number, value in enumerate(values):
        yield (b",\n" if number else b"") + line(value).rstrip()
    yield b"\n]\n"


def questions(
    rows: Sequence[ReleasedQuestion], told: Sequence[Mapping[str, Any]], release: SetMetadata
) -> Iterator[bytes]:
    yield b'{"questions": '
    yield from listing(row.qanta(release.title) for row in rows)
    for name, value in (
        ("version", release.version),
        ("maintainer_name", release.maintainer),
        ("maintainer_contact", release.contact),
        ("maintainer_website", release.website),
        ("project_website", release.website),
        ("bibtex", ""),
        ("dependent_checksums", {}),
    ):
        yield b',"%s": ' % name.encode() + line(value)
    yield b',"%s": ' % OURS.encode()
    yield from listing(told)
    yield b"}\n"


def table(
    rows: Sequence[ReleasedQuestion],
    told: Sequence[Mapping[str, Any]],
    players: Sequence[str],
    release: SetMetadata,
) -> str:
    out = io.StringIO()
    positions = ("first_correct", "stable_correct", "buzz", "buzzes_right")
    head = [
        *("qanta_id", "tossup_id", "split", "text", "answer", "page", "category", "subcategory", "topic"),
        *("tournament", "year", "writer", "words", "power", "tags", "stumped", "overridden", "not_passed"),
    ]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*head, *(f"{name}_{position}" for name in players for position in positions)])
    for row, ours in zip(rows, told, strict=True):
        qanta = row.qanta(release.title)
        levels = (*row.one.review.category, "", "", "")
        failed = [check for check in ours["checks"] if not check["passed"]]
        overridden = [f"{check['check']}: {check['overridden']}" for check in failed if check["overridden"]]
        writer.writerow(
            [
                row.number, ours["tossup_id"], row.split, qanta["text"], qanta["answer"], qanta["page"],
                *levels[:3], qanta["tournament"], qanta["year"], ours["writer"], ours["words"], ours["power"],
                "; ".join(row.tags), "; ".join(ours["stumped"]), "; ".join(overridden),
                "; ".join(check["check"] for check in failed),
                *(place[position] for place in ours["positions"] for position in positions),
            ]
        )  # fmt: skip
    return out.getvalue()


def splits_of(rows: Sequence[ReleasedQuestion], seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "shares": dict(SHARES),
        "stratified_by": ["category", "how many players it stumps"],
        "splits": {name: [row.number for row in rows if row.split == name] for name in SHARES},
    }


def write(path: Path, parts: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(parts)


def digest(path: Path) -> str:
    """SHA-256 of the file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Put the digests of all files in ``folder`` into its manifest, and these and its own into a list."""
    names = sorted(path.name for path in folder.iterdir() if path.name not in {MANIFEST, SUMS})
    files = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": digest(folder / name)} for name in names
    }
    write(folder / MANIFEST, [pretty({**manifest, "files": files})])
    write(folder / SUMS, [sums(folder)])


def sums(folder: Path) -> bytes:
    """The list of digests of the files in ``folder``, as ``sha256sum`` writes it."""
    names = sorted(path.name for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{digest(folder / name)}  {name}\n" for name in names).encode()


@contextmanager
def writing(out: Path) -> Iterator[Path]:
    """A folder to fill, which is ``out`` once the block ends well, and gone if it does not.

    Raises:
        QuizwriterError: something is in the way, or the disk does not take it.
    """
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise QuizwriterError(
                f"{out} is there already, and not empty.",
                "Name a new folder: released versions stay as they are.",
            )
        out = out.resolve()
        half = out.with_name(f".{out.name}.exporting")
        try:
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir(parents=True)
            yield half
            if out.exists():
                out.rmdir()
            half.rename(out)
        finally:
            shutil.rmtree(half, ignore_errors=True)
    except OSError as trouble:
        raise QuizwriterError(
            f"The challenge set could not be written to {out} ({trouble.strerror or trouble}).",
            "Make room or allow writing there; nothing half was left.",
        ) from trouble
