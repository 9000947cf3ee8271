"""Whether a challenge set is what its manifest says, and how a question is withdrawn from it."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from quizwriter.challenge.layout import (
    FORMAT,
    HISTORIES,
    MANIFEST,
    OURS,
    PLAYS,
    QANTA,
    QUESTIONS,
    RETRACTED,
    SCHEMA,
    SPLITS,
    SUMS,
    TABLE,
    TRICKME,
    digest,
    pretty,
    seal,
    sums,
    write,
    writing,
)
from quizwriter.challenge.metadata import Retraction, read_retractions
from quizwriter.challenge.privacy import EMAIL, PSEUDONYM, NameScanner, Pseudonyms, people, refuse
from quizwriter.domain.history import Edit, replay
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store.plays import play_and_record
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.services import App

SAMPLE = 20
"""How many questions are played again."""

_SUM = re.compile(r"([0-9a-f]{64})  ([\w.-]+)\Z")
_CLOSE = 0.01  # scores of other processors differ in the last digits


@dataclass
class VerifyReport:
    """What was found: each of ``problems`` names its file, ``notes`` say what was looked at and what not."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(
    app: App, folder: Path, progress: Callable[[str, int, int], None] = lambda work, done, total: None
) -> VerifyReport:
    """Whether the challenge set in ``folder`` is whole and says nothing that is not so.

    Every digest is made anew, every file read, a sample played again if the players' bundle is the one that
    ``app`` opens, and the pseudonyms are looked at, also against the people of this computer. ``progress`` is
    told what is going on, and how many of how many questions are played again.

    Raises:
        QuizwriterError: there is no challenge set, or a newer program wrote it.
    """
    manifest = _manifest(folder)
    verdict = VerifyReport()
    progress("Reading", 0, 0)
    _digests(folder, manifest, verdict)
    read = _SetReader(folder, verdict.problems)
    read.everything()
    _versions(folder, manifest, read, verdict)
    _privacy(app, folder, read, verdict)
    _again(app, manifest, read, verdict, progress)
    return verdict


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
        form, schema = manifest["format"], manifest["schema"]
        if form != FORMAT or not isinstance(schema, int) or schema < 1:
            raise ValueError
        if schema > SCHEMA:
            raise QuizwriterError(
                f"The challenge set in {folder} is for a newer QuizWriter (its schema is {schema}).",
                "Install a newer QuizWriter.",
            )
        {name: (one["bytes"], one["sha256"]) for name, one in manifest["files"].items()}
        str(manifest["version"]), str(manifest["bundle"]["digest"])
    except OSError as trouble:
        raise QuizwriterError(
            f"There is no challenge set in {folder} ({MANIFEST}: {trouble.strerror}).",
            f"Choose the folder that holds {MANIFEST}.",
        ) from trouble
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise QuizwriterError(
            f"{path} is not the manifest of a challenge set, or was damaged.", "Get the challenge set again."
        ) from None
    return dict(manifest)


def _digests(folder: Path, manifest: Mapping[str, Any], verdict: VerifyReport) -> None:
    """Hold every file against both lists of digests, so that it is known which of the two was changed."""
    try:
        raw = (folder / SUMS).read_bytes()
    except OSError as trouble:
        verdict.problems.append(f"{SUMS} cannot be read ({trouble.strerror}).")
        raw = b""
    listed_sums: dict[str, str] = {}
    for number, line in enumerate(raw.decode("utf-8", "replace").splitlines(), start=1):
        if found := _SUM.match(line):
            listed_sums[found[2]] = found[1]
        else:
            verdict.problems.append(f"{SUMS}, line {number}, is not a digest and a name.")
    files = manifest["files"]
    there = {path.name for path in folder.iterdir()}
    for name in sorted({*there, *files, *listed_sums} - {SUMS}):
        path = folder / name
        if name not in there:
            verdict.problems.append(f"{name} is missing.")
            continue
        if not path.is_file() or path.is_symlink():
            verdict.problems.append(f"{name} is not a plain file.")
            continue
        found_digest = digest(path)
        by_manifest = files[name]["sha256"] if name in files else None
        if name != MANIFEST and by_manifest is None:
            verdict.problems.append(f"{name} is in the folder, but not in {MANIFEST}.")
        elif name == MANIFEST or found_digest == by_manifest:
            if raw and listed_sums.get(name) != found_digest:
                changed = name if name == MANIFEST and listed_sums.get(name) else SUMS
                verdict.problems.append(f"{changed} was changed: the digest of {name} is another.")
        else:
            verdict.problems.append(f"{name} was changed: its digest is not the one in {MANIFEST}.")
    if raw and not verdict.problems and raw != sums(folder):
        verdict.problems.append(f"{SUMS} was changed.")
    if not verdict.problems:
        verdict.notes.append(f"{counted_noun(len(there), 'file')}, every digest as listed.")


_COLUMNS = ("heard", "guesses", "scores", "chances", "ranks", "right")


class _SetReader:
    """Everything in the folder, read again and held against each other."""

    def __init__(self, folder: Path, problems: list[str]) -> None:
        self._folder = folder
        self._problems = problems
        self.questions: dict[int, dict[str, Any]] = {}
        self.ours: dict[int, dict[str, Any]] = {}
        self.plays: dict[int, list[dict[str, Any]]] = {}  # of a sample of the questions
        self.retracted: list[dict[str, Any]] = []
        self.pseudonyms: dict[str, str] = {}  # and the place of the first
        self.contact = ""

    def everything(self) -> None:
        """Read every file; what is wrong goes to the problems, each by its file and place."""
        for name, reader in (
            (QUESTIONS, self._questions),
            (TABLE, self._table),
            (TRICKME, self._trickme),
            (SPLITS, self._splits),
            (RETRACTED, self._retracted),
            (PLAYS, self._plays),
            (HISTORIES, self._histories),
        ):
            path = self._folder / name
            if not path.exists():
                if name != HISTORIES:
                    self._problems.append(f"{name} is missing, so it was not read.")
                continue
            try:
                with path.open(encoding="utf-8", newline="") as file:
                    for place, problem in reader(file):
                        self._problems.append(f"{name}{place}: {problem}")
            except OSError as trouble:
                self._problems.append(f"{name} cannot be read ({trouble.strerror}).")
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as bad:
                self._problems.append(f"{name} makes no sense ({type(bad).__name__}: {bad}).")

    def _questions(self, file: TextIO) -> Iterator[tuple[str, str]]:
        whole = json.load(file)
        self.contact = str(whole["maintainer_contact"])
        for row in whole["questions"]:
            number = row["qanta_id"]
            place = f", question {number}"
            if list(row) != list(QANTA) or any(type(row[name]) not in kinds for name, kinds in QANTA.items()):
                yield place, "it is not in QANTA's form."
            text = row["text"]
            if any(not 0 <= start < end <= len(text) for start, end in row["tokenizations"]):
                yield place, "a sentence is outside the text."
            if number in self.questions:
                yield place, "it is there twice."
            self.questions[number] = row
        for row in whole[OURS]:
            self.ours[row["qanta_id"]] = row
            self._called(row["writer"], f"{QUESTIONS}, question {row['qanta_id']}")
        if self.ours.keys() != self.questions.keys():
            yield "", f"the questions and what is under “{OURS}” are not the same."

    def _table(self, file: TextIO) -> Iterator[tuple[str, str]]:
        rows = list(csv.DictReader(file))
        for row in rows:
            question = self.questions.get(int(row["qanta_id"]))
            if question is None or (row["text"], row["answer"]) != (question["text"], question["answer"]):
                yield f", question {row['qanta_id']}", f"it is not as in {QUESTIONS}."
            self._called(row["writer"], f"{TABLE}, question {row['qanta_id']}")
        if len(rows) != len(self.questions):
            yield "", f"it has {len(rows)} questions, {QUESTIONS} {len(self.questions)}."

    def _trickme(self, file: TextIO) -> Iterator[tuple[str, str]]:
        rows = json.load(file)
        texts = sorted(row["question"] for row in rows)
        if texts != sorted(question["text"] for question in self.questions.values()):
            yield "", f"its questions are not those of {QUESTIONS}."
        for number, row in enumerate(rows, start=1):
            self._called(row["email"], f"{TRICKME}, question {number}")

    def _splits(self, file: TextIO) -> Iterator[tuple[str, str]]:
        splits = json.load(file)["splits"]
        numbers = [number for inside in splits.values() for number in inside]
        if sorted(numbers) != sorted(self.questions):
            yield "", "the splits do not have every question once."
        for name, inside in splits.items():
            for number in inside:
                if number in self.ours and self.ours[number]["split"] != name:
                    yield f", question {number}", f"it is in another split than in {QUESTIONS}."

    def _retracted(self, file: TextIO) -> Iterator[tuple[str, str]]:
        self.retracted = json.load(file)
        for row in self.retracted:
            if not {"qanta_id", "tossup_id", "version", "reason"} <= row.keys():
                yield f", question {row.get('qanta_id')}", "it is not said why, or since when."

    def _plays(self, file: TextIO) -> Iterator[tuple[str, str]]:
        numbers = sorted(self.questions)
        sample = set(random.Random(0).sample(numbers, min(SAMPLE, len(numbers))))
        there = set()
        for number, line in enumerate(file, start=1):
            play = json.loads(line)
            question = play["qanta_id"]
            lengths = {len(play[name]) for name in _COLUMNS}
            named = max((page for row in play["guesses"] for page in row), default=-1)
            if question not in self.questions:
                yield f", line {number}", f"there is no question {question}."
            elif len(lengths) != 1 or named >= len(play["pages"]):
                yield f", line {number}", "the game does not fit together."
            else:
                found = next((index for index, right in enumerate(play["right"]) if right), None)
                if play["first_correct"] != (None if found is None else play["heard"][found]):
                    yield f", line {number}", "the player is not right first where it says."
            there.add(question)
            if question in sample:
                self.plays.setdefault(question, []).append(play)
        for question in sorted(self.questions.keys() - there):
            yield "", f"nobody plays question {question}."

    def _histories(self, file: TextIO) -> Iterator[tuple[str, str]]:
        seen = set()
        for number, line in enumerate(file, start=1):
            row = json.loads(line)
            place = f", line {number}"
            question = self.questions.get(row["qanta_id"])
            seen.add(row["qanta_id"])
            edits = (Edit(edit["start"], edit["removed"], edit["inserted"]) for edit in row["edits"])
            try:
                text = replay(edits)
            except ValueError as trouble:
                yield place, f"the history does not replay: {trouble}."
                continue
            if question is None or text != question["text"]:
                yield place, "the history does not lead to the question's text."
            for one in (*row["edits"], *row["answers"], *row["events"]):
                self._called(one["by"], f"{HISTORIES}{place}")
            for event in row["events"]:
                body = json.loads(event["body"])
                if "person" in body:
                    self._called(body["person"], f"{HISTORIES}{place}")
        if seen != self.questions.keys():
            yield "", "it does not have every question."

    def _called(self, name: str, place: str) -> None:
        if not PSEUDONYM.match(name) and name not in self.pseudonyms:
            self._problems.append(f"{place}: {name!r} is no pseudonym.")
        self.pseudonyms.setdefault(name, place)


def _versions(folder: Path, manifest: Mapping[str, Any], read: _SetReader, verdict: VerifyReport) -> None:
    """Whether what earlier versions released is still so."""
    for earlier in manifest.get("earlier", []):
        version = earlier["version"]
        changed = [
            name
            for name, before in earlier["files"].items()
            if name != RETRACTED and (not (folder / name).exists() or digest(folder / name) != before)
        ]
        verdict.problems += [f"{name} is not as in version {version}." for name in changed]
        kept = read.retracted[: earlier["retracted"]]
        if _sha256(pretty(kept)) != earlier["files"][RETRACTED]:
            verdict.problems.append(f"{RETRACTED} does not begin as in version {version}.")
        elif not changed:
            verdict.notes.append(f"All that version {version} released is as it was.")


def _privacy(app: App, folder: Path, read: _SetReader, verdict: VerifyReport) -> None:
    watch = NameScanner(people(app), ())
    for path in sorted(folder.iterdir()):
        if not path.is_file():
            continue
        verdict.problems += [
            f"{one.place}: “{one.name}” is named ({one.around})." for one in watch.search_file(path)
        ]
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if b"@" not in line or path.suffix == ".png":
                    continue
                for found in EMAIL.finditer(line.decode("utf-8", "replace")):
                    if found[0] != read.contact:
                        place = f"{path.name}, line {number}"
                        verdict.problems.append(f"{place}: {found[0]} looks like an e-mail address.")
    known = sorted(read.pseudonyms.keys() - {"unknown"})
    verdict.notes.append(
        f"{counted_noun(len(known), 'pseudonym')}, each well formed." if known else "Nobody is named."
    )
    key = app.home / "pseudonyms.key"
    if known and key.exists():
        mine = Pseudonyms.kept(key)
        ours = {mine.of(person.id) for person in people(app) if person.id}
        verdict.notes.append(
            f"{len(ours.intersection(known)):,} of them are of people in the database here, by its key."
        )


def _again(
    app: App,
    manifest: Mapping[str, Any],
    read: _SetReader,
    verdict: VerifyReport,
    progress: Callable[[str, int, int], None],
) -> None:
    """Play some questions again, if the same players are here."""
    bundle = manifest["bundle"]
    try:
        engine = app.engines.load()
    except QuizwriterError as trouble:
        verdict.notes.append(f"Nothing was played again: {trouble.problem}")
        return
    if engine.digest != bundle["digest"]:
        verdict.notes.append(
            f"Nothing was played again: the bundle “{bundle['title']}” ({bundle['digest']}) is not the one "
            "open here. Name its folder with --bundle."
        )
        return
    players = {player.name: player for player in engine.players}
    games = 0
    for done, (number, plays) in enumerate(sorted(read.plays.items())):
        progress("Playing", done, len(read.plays))
        row = read.questions[number]
        page = row["page"]
        tossup = Tossup(row["text"], Answer(row["answer"], None if page is None else Page(page)))
        for play in plays:
            player = players.get(play["guesser"])
            if player is None:
                verdict.problems.append(f"{PLAYS}: the bundle has no player “{play['guesser']}”.")
                continue
            games += 1
            if differing := _differing(play_and_record(player, tossup).row, play):
                verdict.problems.append(
                    f"{PLAYS}: {play['guesser']} plays question {number} another way ({differing})."
                )
    verdict.notes.append(
        f"{counted_noun(len(read.plays), 'question')} played again: {counted_noun(games, 'game')}."
    )


def _differing(now: Mapping[str, Any], then: Mapping[str, Any]) -> str:
    """In what two games differ, beyond the last digits; empty if in nothing."""
    compared = dict(now)
    if "knowable" not in then:  # sets released by older versions do not say it
        del compared["knowable"]
    return next((name for name, value in compared.items() if not _close(value, then.get(name))), "")


def _close(one: object, other: object) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) <= _CLOSE
    return one == other


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def retract(app: App, folder: Path, ids: Sequence[str], reason: str, out: Path, version: str = "") -> str:
    """Withdraw questions, by their ``qanta_id`` or tossup id, in a new version in the folder ``out``.

    ``folder`` stays as it is, and so do all files with questions in the new version: what is withdrawn is
    listed there, with the ``reason``, and nothing else changes. The number of the new version.

    Raises:
        QuizwriterError: the challenge set was changed, it has no such question, one was withdrawn before, the
            reason names somebody, or ``out`` does not take it.
    """
    manifest = _manifest(folder)
    verdict = VerifyReport()
    _digests(folder, manifest, verdict)
    if verdict.problems:
        raise QuizwriterError(
            f"The challenge set in {folder} is not as it was released: {verdict.problems[0]}",
            "Get it again; quizwriter verify lists all that is wrong.",
        )
    if not reason.strip():
        raise QuizwriterError("A question is withdrawn for a reason.", "Say why with --reason.")
    refuse(NameScanner(people(app)).search(reason, "the reason", talk=True))
    rows = json.loads((folder / QUESTIONS).read_bytes())[OURS]
    retracted = read_retractions(folder / RETRACTED)
    by_id = {str(row[name]): row for row in rows for name in ("qanta_id", "tossup_id")}
    before = manifest["version"]
    version = version or _next(before)
    if version == before:
        raise QuizwriterError(f"{version} is the version it has.", "Name another.")
    gone = {row.qanta_id for row in retracted}
    added = []
    for one in ids:
        row = by_id.get(one)
        if row is None:
            raise QuizwriterError(f"There is no question {one} in {folder}.", "Look its qanta_id up there.")
        if row["qanta_id"] in gone:
            raise QuizwriterError(f"Question {one} was withdrawn before.", "Leave it out.")
        gone.add(row["qanta_id"])
        added.append(Retraction(row["qanta_id"], row["tossup_id"], version, reason.strip()))
    with writing(out) as half:
        for name in manifest["files"]:
            if name != RETRACTED:
                shutil.copyfile(folder / name, half / name)
        write(half / RETRACTED, [pretty(msgspec.to_builtins([*retracted, *added]))])
        earlier = {
            "version": before,
            "sums": digest(folder / SUMS),
            "retracted": len(retracted),
            "files": {name: one["sha256"] for name, one in manifest["files"].items()},
        }
        told = {name: value for name, value in manifest.items() if name != "files"}
        seal(half, {**told, "version": version, "earlier": [*manifest.get("earlier", []), earlier]})
    return version


def _next(version: str) -> str:
    """The version after ``version``: its last number and one more."""
    found = re.match(r"(.*?)(\d+)(\D*)\Z", version, re.DOTALL)
    return f"{found[1]}{int(found[2]) + 1}{found[3]}" if found else f"{version}.1"
