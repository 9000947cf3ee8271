"""The folder of a challenge set: the names and formats of its files, their digests, and how it is written."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import NoneType
from typing import Any, cast

import msgspec

from quizwriter import __version__
from quizwriter.challenge.figures import PeopleRow, ProvenanceRow, loop_row, people_row, position_row
from quizwriter.challenge.page_rule import answer_label
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.challenge.selection import SPLIT_SHARES, Candidate
from quizwriter.challenge.wrong_guesses import WrongGuessRow
from quizwriter.domain.provenance import Origin
from quizwriter.errors import QuizwriterError
from quizwriter.formats.histories import HistoryParts, ReleaseView, encode_history
from quizwriter.formats.tables import write_table
from quizwriter.store.plays import PlaySummary
from quizwriter.system.decoding import file_digest
from quizwriter.system.moments import utc_time
from quizwriter.workflow.checks import Check
from quizwriter.workflow.people_rooms import PastVersions
from quizwriter.workflow.sources import LONGEST_SOURCE, one_line
from quizwriter.workflow.tagging import decided

FORMAT = "quizwriter challenge set"
SCHEMA = 6
"""Of the manifest. Before 2, sets stated less; before 3, only the answer's own page was right.

Since 4, questions say who was in the loop and what a player took for the answer, expected wins are by
characters, and a set has a control wherever the bundle has one. Since 5, the plot is SVG; that of sets before
is verified by its digest; guesses that may be right stump nobody; and numbers stand for names of files,
packets and own tags.
"""

MANIFEST, CHECKSUMS, SIGNATURE = "MANIFEST.json", "SHA256SUMS", "SHA256SUMS.minisig"
QUESTIONS, TABLE, TRICKME = "questions.json", "questions.csv", "questions.trickme.json"
CONTROL = "control.jsonl"
PLAYS, SPLITS = "plays.jsonl", "splits.json"
DATA_SHEET, README, LICENCE = "DATASHEET.md", "README.md", "LICENSE.txt"
QUIZWRITER_KEY = "quizwriter"
"""The key in ``questions.json`` whose value holds what QuizWriter adds to each question.

QANTA's loader passes every field of a row to its question class, so a row may hold no other fields.
"""

PROGRAM = f"QuizWriter {__version__}"

NO_YEAR = -1
"""The year of a question in QANTA's form where no year is recorded; the field must hold a number."""

QANTA_FIELDS: Mapping[str, tuple[type, ...]] = {
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
"""The fields of a question in QANTA's form, in their order, each with the types it may have.

Source:
    ``qanta.datasets.quiz_bowl.Question`` in Pinafore/qb, and the loader of QANTA in Hugging Face datasets.
"""


class ReleasedQuestion(msgspec.Struct, frozen=True):
    """A question that is released, with its number, split, games and checks."""

    candidate: Candidate
    number: int
    split: str
    games: tuple[PlaySummary, ...]
    checks: tuple[Check, ...]
    duplicate_group: int | None  # the number of the question that stands for its near duplicates, if any
    omitted_duplicates: int  # how many near duplicates of this question were left out
    wrong_guess: WrongGuessRow | None = None

    @property
    def overrides(self) -> dict[str, str]:
        """The reason of each override, by the name of its check."""
        return {override.check: override.reason for override in self.candidate.review.waived}

    @property
    def tags(self) -> list[str]:
        """The tags that were decided; without a decision, the tags of all taggers."""
        final = decided(self.candidate.review)
        return sorted(final if final is not None else set().union(*self.candidate.review.tags.values()))

    @property
    def tournament(self) -> str:
        """The tournament that an imported question was asked at, or the set that it was written for."""
        imported = self.candidate.provenance.imported
        return self.candidate.review.set_name if imported is None else imported.tournament

    @property
    def year(self) -> int | None:
        """The year that the file of an imported question gives, or the year of the last edit here."""
        provenance = self.candidate.provenance
        if provenance.origin is Origin.IMPORTED:
            return provenance.imported.year if provenance.imported else None
        if provenance.origin is Origin.NOT_RECORDED:
            return None
        return None if provenance.last_ms is None else utc_time(provenance.last_ms).year

    def qanta_row(self) -> dict[str, Any]:
        """The question with the fields of :data:`QANTA_FIELDS` and no others, ready for JSON."""
        tossup, review = self.candidate.tossup, self.candidate.review
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
            "tournament": self.tournament,
            "difficulty": None,
            "year": NO_YEAR if self.year is None else self.year,
            "proto_id": None,
            "qdb_id": None,
            "dataset": "trickme",
        }

    def quizwriter_row(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """What QuizWriter adds to the fields of QANTA, ready for JSON."""
        tossup, review, overrides = self.candidate.tossup, self.candidate.review, self.overrides
        return {
            "qanta_id": self.number,
            "tossup_id": self.candidate.released_id,
            "split": self.split,
            "writer": pseudonyms.of(self.candidate.author),
            "provenance": self._provenance_row(pseudonyms),
            "consent": str(review.release.basis),
            "status": str(review.status),
            "set": review.set_name,
            "levels": list(review.category),
            "source": review.source,
            "words": len(tossup.words),
            "power": tossup.power,
            "tags": self.tags,
            "tags_decided": not self.tags or decided(review) is not None,
            "taggings": sorted(
                (
                    {"by": pseudonyms.of(person), "round": str(of), "tags": sorted(tags)}
                    for (of, person), tags in review.tags.items()
                ),
                key=lambda row: (row["by"], row["round"]),
            ),
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
            "positions": [position_row(game) for game in self.games],
            "near_duplicates_group": self.duplicate_group,
            "near_duplicates_left_out": self.omitted_duplicates,
            "loop": msgspec.to_builtins(loop_row(self.candidate.changes, self.candidate.shown)),
            "wrong_guess": msgspec.to_builtins(self.wrong_guess),
        } | ({} if self.people is None else {"people": msgspec.to_builtins(self.people)})

    @property
    def people(self) -> PeopleRow | None:
        """What people did who played the question; None where nobody did."""
        one = self.candidate
        return people_row(one.review.rooms, one.tossup, PastVersions(one.changes, one.answers))

    def _provenance_row(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        provenance = self.candidate.provenance
        imported, rewritten = provenance.imported, provenance.rewritten
        same = self.candidate.review.same_people
        row = ProvenanceRow(
            origin=provenance.origin,
            edits=provenance.edits,
            first_day=utc_day(provenance.first_ms),
            last_day=utc_day(provenance.last_ms),
            players=provenance.players,
        )
        if imported is not None:
            row = msgspec.structs.replace(
                row,
                file=imported.file,
                digest=imported.digest,
                tournament=imported.tournament,
                year=imported.year,
                authors=tuple(sorted({pseudonyms.of(same.get(one, one)) for one in imported.authors})),
            )
        if rewritten is not None:
            row = msgspec.structs.replace(row, rewritten_from=pseudonyms.of_question(rewritten.tossup))
        if provenance.based_on is not None:
            row = msgspec.structs.replace(row, based_on=one_line(provenance.based_on.source, LONGEST_SOURCE))
        row = msgspec.structs.replace(row, arm=str(self.candidate.review.arm or ""))
        return cast(dict[str, Any], msgspec.to_builtins(row))

    def trickme_row(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """The question in the form of the Trick Me interface, ready for JSON.

        ``time`` is the beginning of the day of the last edit, in seconds since 1970.
        """
        tossup, review = self.candidate.tossup, self.candidate.review
        assert tossup.answer is not None
        return {
            "question": tossup.text,
            "answer": answer_label(tossup.answer),
            "email": pseudonyms.of(self.candidate.author),
            "category": review.category[0] if review.category else "None",
            "time": self.candidate.changed_ms // 86_400_000 * 86_400,
        }

    def history_row(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """The history of the tossup as :class:`ReleaseView` encodes it, ready for JSON."""
        one = self.candidate
        parts = HistoryParts(one.changes, one.answers, one.games, one.events)
        view = ReleaseView(parts, pseudonyms.of, pseudonyms.of_question)
        return {"qanta_id": self.number, "tossup_id": one.released_id, **encode_history(parts, view)}


def utc_day(at_ms: int | None) -> str:
    """The day of a time in milliseconds since 1970, in UTC: 2031-10-16; empty without a time."""
    return "" if at_ms is None else utc_time(at_ms).date().isoformat()


def indented_json(value: object) -> bytes:
    """``value`` as JSON with one space of indentation, in UTF-8, with a line feed at the end."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def json_line(value: object) -> bytes:
    """``value`` as JSON in one line, in UTF-8, with a line feed at the end."""
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def json_list(values: Iterable[object]) -> Iterator[bytes]:
    """``values`` as a JSON list with one value in each line, in UTF-8."""
    yield b"[\n"
    for number, value in enumerate(values):
        yield (b",\n" if number else b"") + json_line(value).rstrip()
    yield b"\n]\n"


def questions_json(
    rows: Sequence[ReleasedQuestion], extras: Sequence[Mapping[str, Any]], head: Mapping[str, Any]
) -> Iterator[bytes]:
    """The parts of the file :data:`QUESTIONS`; ``extras`` holds the :meth:`quizwriter_row` of each row.

    ``head`` is what it says of the whole set.
    """
    yield b'{"questions": '
    yield from json_list(row.qanta_row() for row in rows)
    for name, value in head.items():
        yield b',"%s": ' % name.encode() + json_line(value)
    yield b',"%s": ' % QUIZWRITER_KEY.encode()
    yield from json_list(extras)
    yield b"}\n"


def questions_csv(
    rows: Sequence[ReleasedQuestion],
    extras: Sequence[Mapping[str, Any]],
    players: Sequence[str],
) -> str:
    """The file :data:`TABLE`, with five columns for each of ``players``; ``extras`` as before."""
    out = io.StringIO(newline="")
    write_table(out, questions_table([row.qanta_row() for row in rows], extras, players), line_end="\n")
    return out.getvalue()


def questions_table(
    questions: Iterable[Mapping[str, Any]], extras: Iterable[Mapping[str, Any]], players: Sequence[str]
) -> Iterator[list[object]]:
    """The rows of :data:`TABLE`, the head first, from the two lists of :data:`QUESTIONS`."""
    positions = ("first_correct", "stable_correct", "buzz", "buzzes_right", "can_know")
    head = [
        *("qanta_id", "tossup_id", "split", "text", "answer", "page", "category", "subcategory", "topic"),
        *("tournament", "year", "origin", "writer", "words", "power", "tags", "tags_decided", "stumped"),
        *("overridden", "not_passed"),
    ]
    rows = list(zip(questions, extras, strict=True))
    based = any(
        extra["provenance"].get("based_on") for _, extra in rows
    )  # older versions have no such column
    head += ["based_on"] if based else []
    looped = any(extra.get("loop") is not None for _, extra in rows)
    head += ["in_the_loop", "attempts", "minutes"] if looped else []
    yield [*head, *(f"{name}_{position}" for name in players for position in positions)]
    for qanta, extra in rows:
        levels = (*extra["levels"], "", "", "")
        failed = [check for check in extra["checks"] if not check["passed"]]
        overridden = [f"{check['check']}: {check['overridden']}" for check in failed if check["overridden"]]
        year = None if qanta["year"] == NO_YEAR else qanta["year"]
        loop: Mapping[str, Any] = extra["loop"] if looped else {}
        yield [
            qanta["qanta_id"], extra["tossup_id"], extra["split"], qanta["text"], qanta["answer"],
            qanta["page"], *levels[:3], qanta["tournament"], year, extra["provenance"]["origin"],
            extra["writer"], extra["words"], extra["power"],
            "; ".join(extra["tags"]), extra["tags_decided"], "; ".join(extra["stumped"]),
            "; ".join(overridden),
            "; ".join(check["check"] for check in failed),
            *([extra["provenance"].get("based_on", "")] if based else []),
            *(["; ".join(loop["players"]), loop["attempts"], loop["minutes"]] if looped else []),
            *(place[position] for place in extra["positions"] for position in positions),
        ]  # fmt: skip


def split_rows(
    rows: Sequence[ReleasedQuestion], extras: Sequence[Mapping[str, Any]], split: str
) -> Iterator[dict[str, Any]]:
    """The questions of one split with the fields of both lists of :data:`QUESTIONS`."""
    for row, extra in zip(rows, extras, strict=True):
        if row.split == split:
            yield {**row.qanta_row(), **extra}


def split_file(split: str) -> str:
    return f"questions.{split}.jsonl"


def splits_json(rows: Sequence[ReleasedQuestion], seed: int) -> dict[str, Any]:
    """The contents of the file :data:`SPLITS`, ready for JSON."""
    return {
        "seed": seed,
        "shares": dict(SPLIT_SHARES),
        "stratified_by": ["category", "how many players it stumps"],
        "splits": {name: [row.number for row in rows if row.split == name] for name in SPLIT_SHARES},
    }


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Write ``parts``, one after the other, to the file at ``path``."""
    with path.open("wb") as file:
        file.writelines(parts)


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write ``manifest`` with the digests of all files in ``folder``, then the list of checksums."""
    names = sorted(
        path.name for path in folder.iterdir() if path.name not in {MANIFEST, CHECKSUMS, SIGNATURE}
    )
    files = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": file_digest(folder / name)}
        for name in names
    }
    write_parts(folder / MANIFEST, [indented_json({**manifest, "files": files})])
    write_parts(folder / CHECKSUMS, [checksum_list(folder)])


def checksum_list(folder: Path) -> bytes:
    """The list of digests of the files in ``folder``, as ``sha256sum`` writes it."""
    names = sorted(path.name for path in folder.iterdir() if path.name not in {CHECKSUMS, SIGNATURE})
    return "".join(f"{file_digest(folder / name)}  {name}\n" for name in names).encode()


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A folder to fill. It becomes ``out`` when the block ends, and is removed if the block raises."""
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise QuizwriterError(
                f"{out} is there already, and not empty.",
                "Name a new folder: released versions stay as they are.",
            )
        out = out.resolve()
        unfinished = out.with_name(f".{out.name}.exporting")
        try:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            yield unfinished
            if out.exists():
                out.rmdir()
            unfinished.rename(out)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as trouble:
        raise QuizwriterError(
            f"The challenge set could not be written to {out} ({trouble.strerror or trouble}).",
            "Free some disk space or allow writing there. No unfinished files were left.",
        ) from trouble
