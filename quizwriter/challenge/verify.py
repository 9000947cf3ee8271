"""Verifies that a challenge set is what its manifest says, and withdraws questions from it."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import msgspec

from quizwriter.challenge.layout import (
    CHECKSUMS,
    FORMAT,
    HISTORIES,
    MANIFEST,
    PLAYS,
    QANTA_FIELDS,
    QUESTIONS,
    QUIZWRITER_KEY,
    RETRACTED,
    SCHEMA,
    SPLITS,
    TABLE,
    TRICKME,
    checksum_list,
    file_digest,
    indented_json,
    new_folder,
    write_manifest,
    write_parts,
)
from quizwriter.challenge.metadata import (
    Retraction,
    WithdrawnQuestions,
    next_version,
    read_released,
    read_retractions,
    withdrawal_of,
)
from quizwriter.challenge.names import EMAIL, NameDecisions, NameScanner, raise_if_named
from quizwriter.challenge.privacy import PSEUDONYM, Pseudonyms, known_people
from quizwriter.decoding import Count, DecodingError, decode_json, read_limited
from quizwriter.domain.history import Edit, replay
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.formats.tables import read_table
from quizwriter.store.plays import play_and_record
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.services import App

SAMPLE_SIZE = 20
"""The number of questions that are played again."""

LARGEST_MANIFEST = 1 << 24
"""Bytes; ours have some thousands, and a hundred versions before add a thousand each."""

FileName = Annotated[str, msgspec.Meta(pattern=r"\A\w[\w.-]{0,99}\Z")]
"""The name of a file in the folder of the set; it leads nowhere else."""


class _Form(msgspec.Struct):
    format: str
    schema: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


class _FileEntry(msgspec.Struct):
    bytes: Count
    sha256: str


class _BundleEntry(msgspec.Struct):
    digest: str
    title: str


class _EarlierEntry(msgspec.Struct):
    version: str
    retracted: Count
    files: dict[FileName, str]


class _SetManifest(msgspec.Struct):
    """What is used of a manifest."""

    version: str
    files: dict[FileName, _FileEntry]
    bundle: _BundleEntry
    title: str = ""
    earlier: list[_EarlierEntry] = []


_CHECKSUM_LINE = re.compile(r"([0-9a-f]{64})  ([\w.-]+)\Z")
_TOLERANCE = 0.01  # scores from other processors differ in the last digits


@dataclass
class VerifyReport:
    """The result: each of ``problems`` names its file; ``notes`` say what was verified and what was not."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(
    app: App, folder: Path, progress: Callable[[str, int, int], None] = lambda work, done, total: None
) -> VerifyReport:
    """Verify the challenge set in ``folder``: its digests, files, earlier versions, names and games.

    A sample of :data:`SAMPLE_SIZE` questions is played again if ``app`` opens the bundle that the manifest
    names. The files are searched for the names of the people in the database of ``app``. ``progress`` gets
    the current step, the number of questions that were played again, and the number of all that will be.

    Raises:
        QuizwriterError: ``folder`` holds no challenge set, or a newer program wrote it.
    """
    manifest = _read_manifest(folder)
    report = VerifyReport()
    progress("Reading", 0, 0)
    _check_digests(folder, manifest, report)
    if not all(map(_is_plain, folder.iterdir())):
        return report
    reader = _SetReader(folder, report.problems)
    reader.read_all()
    _check_earlier_versions(folder, manifest, reader, report)
    _check_privacy(app, folder, reader, report)
    _replay_sample(app, manifest, reader, report, progress)
    return report


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        for name in (MANIFEST, CHECKSUMS):
            if (folder / name).exists() and not _is_plain(folder / name):
                raise DecodingError(f"{name} is not a plain file")
        raw = read_limited(path, LARGEST_MANIFEST)
        form = decode_json(raw, _Form)
        if form.format != FORMAT:
            raise DecodingError("it has another format")
        if form.schema > SCHEMA:
            raise QuizwriterError(
                f"The challenge set in {folder} is for a newer QuizWriter (its schema is {form.schema}).",
                "Install a newer QuizWriter.",
            )
        decode_json(raw, _SetManifest)
        return decode_json(raw, dict[str, Any])
    except OSError as trouble:
        raise QuizwriterError(
            f"There is no challenge set in {folder} ({MANIFEST}: {trouble.strerror}).",
            f"Choose the folder that holds {MANIFEST}.",
        ) from trouble
    except DecodingError as trouble:
        raise QuizwriterError(
            f"{path} is not the manifest of a challenge set, or was damaged ({trouble}).",
            "Get the challenge set again.",
        ) from trouble


def _is_plain(path: Path) -> bool:
    """Whether ``path`` is a file, and no link, pipe or device, which could lead anywhere or never end."""
    return stat.S_ISREG(path.lstat().st_mode)


def _check_digests(folder: Path, manifest: Mapping[str, Any], report: VerifyReport) -> None:
    """Compare every file with both lists of digests, which shows whether the file or a list was changed."""
    try:
        raw = (folder / CHECKSUMS).read_bytes()
    except OSError as trouble:
        report.problems.append(f"{CHECKSUMS} cannot be read ({trouble.strerror}).")
        raw = b""
    listed_sums: dict[str, str] = {}
    for number, line in enumerate(raw.decode("utf-8", "replace").splitlines(), start=1):
        if found := _CHECKSUM_LINE.match(line):
            listed_sums[found[2]] = found[1]
        else:
            report.problems.append(f"{CHECKSUMS}, line {number}, is not a digest and a name.")
    files = manifest["files"]
    there = {path.name for path in folder.iterdir()}
    for name in sorted({*there, *files, *listed_sums} - {CHECKSUMS}):
        path = folder / name
        if name not in there:
            report.problems.append(f"{name} is missing.")
            continue
        if not _is_plain(path):
            report.problems.append(f"{name} is not a plain file.")
            continue
        found_digest = file_digest(path)
        by_manifest = files[name]["sha256"] if name in files else None
        if name != MANIFEST and by_manifest is None:
            report.problems.append(f"{name} is in the folder, but not in {MANIFEST}.")
        elif name == MANIFEST or found_digest == by_manifest:
            if raw and listed_sums.get(name) != found_digest:
                changed = name if name == MANIFEST and listed_sums.get(name) else CHECKSUMS
                report.problems.append(f"{changed} was changed: the digest of {name} is another.")
        else:
            report.problems.append(f"{name} was changed: its digest is not the one in {MANIFEST}.")
    if raw and not report.problems and raw != checksum_list(folder):
        report.problems.append(f"{CHECKSUMS} was changed.")
    if not report.problems:
        report.notes.append(f"{counted_noun(len(there), 'file')}, every digest as listed.")


_PLAY_COLUMNS = ("heard", "guesses", "scores", "chances", "ranks", "right")


class _SetReader:
    """Reads the files of a challenge set and compares them with each other."""

    def __init__(self, folder: Path, problems: list[str]) -> None:
        self._folder = folder
        self._problems = problems
        self.questions: dict[int, dict[str, Any]] = {}
        self.extras: dict[int, dict[str, Any]] = {}
        self.plays: dict[int, list[dict[str, Any]]] = {}  # of a sample of the questions
        self.retracted: list[dict[str, Any]] = []
        self.pseudonyms: dict[str, str] = {}  # each with the place where it was found first
        self.contact = ""

    def read_all(self) -> None:
        """Read every file, and add each error with its file and place to the problems."""
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
            if list(row) != list(QANTA_FIELDS) or any(
                type(row[name]) not in kinds for name, kinds in QANTA_FIELDS.items()
            ):
                yield place, "it is not in QANTA's form."
            text = row["text"]
            if any(not 0 <= start < end <= len(text) for start, end in row["tokenizations"]):
                yield place, "a sentence is outside the text."
            if number in self.questions:
                yield place, "it is there twice."
            self.questions[number] = row
        for row in whole[QUIZWRITER_KEY]:
            self.extras[row["qanta_id"]] = row
            self._check_pseudonym(row["writer"], f"{QUESTIONS}, question {row['qanta_id']}")
        if self.extras.keys() != self.questions.keys():
            yield "", f"the questions and what is under “{QUIZWRITER_KEY}” are not the same."

    def _table(self, file: TextIO) -> Iterator[tuple[str, str]]:
        rows = list(read_table(file))
        for row in rows:
            question = self.questions.get(int(row["qanta_id"]))
            if question is None or (row["text"], row["answer"]) != (question["text"], question["answer"]):
                yield f", question {row['qanta_id']}", f"it is not as in {QUESTIONS}."
            self._check_pseudonym(row["writer"], f"{TABLE}, question {row['qanta_id']}")
        if len(rows) != len(self.questions):
            yield "", f"it has {len(rows)} questions, {QUESTIONS} {len(self.questions)}."

    def _trickme(self, file: TextIO) -> Iterator[tuple[str, str]]:
        rows = json.load(file)
        texts = sorted(row["question"] for row in rows)
        if texts != sorted(question["text"] for question in self.questions.values()):
            yield "", f"its questions are not those of {QUESTIONS}."
        for number, row in enumerate(rows, start=1):
            self._check_pseudonym(row["email"], f"{TRICKME}, question {number}")

    def _splits(self, file: TextIO) -> Iterator[tuple[str, str]]:
        splits = json.load(file)["splits"]
        numbers = [number for inside in splits.values() for number in inside]
        if sorted(numbers) != sorted(self.questions):
            yield "", "the splits do not have every question once."
        for name, inside in splits.items():
            for number in inside:
                if number in self.extras and self.extras[number]["split"] != name:
                    yield f", question {number}", f"it is in another split than in {QUESTIONS}."

    def _retracted(self, file: TextIO) -> Iterator[tuple[str, str]]:
        self.retracted = json.load(file)
        for row in self.retracted:
            if not {"qanta_id", "tossup_id", "version", "reason"} <= row.keys():
                yield f", question {row.get('qanta_id')}", "it is not said why, or since when."

    def _plays(self, file: TextIO) -> Iterator[tuple[str, str]]:
        numbers = sorted(self.questions)
        sample = set(random.Random(0).sample(numbers, min(SAMPLE_SIZE, len(numbers))))
        there = set()
        for number, line in enumerate(file, start=1):
            play = json.loads(line)
            question = play["qanta_id"]
            lengths = {len(play[name]) for name in _PLAY_COLUMNS}
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
                self._check_pseudonym(one["by"], f"{HISTORIES}{place}")
            for event in row["events"]:
                body = json.loads(event["body"])
                if "person" in body:
                    self._check_pseudonym(body["person"], f"{HISTORIES}{place}")
        if seen != self.questions.keys():
            yield "", "it does not have every question."

    def _check_pseudonym(self, name: str, place: str) -> None:
        if not PSEUDONYM.match(name) and name not in self.pseudonyms:
            self._problems.append(f"{place}: {name!r} is no pseudonym.")
        self.pseudonyms.setdefault(name, place)


def _check_earlier_versions(
    folder: Path, manifest: Mapping[str, Any], reader: _SetReader, report: VerifyReport
) -> None:
    """Compare the files with the digests of earlier versions."""
    for earlier in manifest.get("earlier", []):
        version = earlier["version"]
        changed = [
            name
            for name, before in earlier["files"].items()
            if name != RETRACTED and (not (folder / name).exists() or file_digest(folder / name) != before)
        ]
        report.problems += [f"{name} is not as in version {version}." for name in changed]
        kept = reader.retracted[: earlier["retracted"]]
        if _sha256(indented_json(kept)) != earlier["files"].get(RETRACTED):
            report.problems.append(f"{RETRACTED} does not begin as in version {version}.")
        elif not changed:
            report.notes.append(f"All that version {version} released is as it was.")


def _check_privacy(app: App, folder: Path, reader: _SetReader, report: VerifyReport) -> None:
    scanner = NameScanner(known_people(app), decided=NameDecisions.read(app.home).keys)
    for path in sorted(folder.iterdir()):
        if not path.is_file():
            continue
        report.problems += [
            f"{one.place}: “{one.name}” is named, as “{one.found}” ({one.context})."
            for one in scanner.search_file(path)
        ]
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if b"@" not in line or path.suffix == ".png":
                    continue
                for found in EMAIL.finditer(line.decode("utf-8", "replace")):
                    if found[0] != reader.contact:
                        place = f"{path.name}, line {number}"
                        report.problems.append(f"{place}: {found[0]} looks like an e-mail address.")
    known = sorted(reader.pseudonyms.keys() - {"unknown"})
    report.notes.append(
        f"{counted_noun(len(known), 'pseudonym')}, each well formed." if known else "Nobody is named."
    )
    key = app.home / "pseudonyms.key"
    if known and key.exists():
        mine = Pseudonyms.load(key)
        ours = {mine.of(person.id) for person in known_people(app) if person.id}
        report.notes.append(
            f"{len(ours.intersection(known)):,} of them are of people in the database here, by its key."
        )


def _replay_sample(
    app: App,
    manifest: Mapping[str, Any],
    reader: _SetReader,
    report: VerifyReport,
    progress: Callable[[str, int, int], None],
) -> None:
    """Play the sample again and compare the games, if the players of the manifest are here."""
    bundle = manifest["bundle"]
    try:
        engine = app.engines.load()
    except QuizwriterError as trouble:
        report.notes.append(f"Nothing was played again: {trouble.problem}")
        return
    if engine.digest != bundle["digest"]:
        report.notes.append(
            f"Nothing was played again: the bundle “{bundle['title']}” ({bundle['digest']}) is not the one "
            "open here. Name its folder with --bundle."
        )
        return
    players = {player.name: player for player in engine.players}
    games = 0
    for done, (number, plays) in enumerate(sorted(reader.plays.items())):
        progress("Playing", done, len(reader.plays))
        row = reader.questions[number]
        page = row["page"]
        tossup = Tossup(row["text"], Answer(row["answer"], None if page is None else Page(page)))
        for play in plays:
            player = players.get(play["guesser"])
            if player is None:
                report.problems.append(f"{PLAYS}: the bundle has no player “{play['guesser']}”.")
                continue
            games += 1
            if differing := _first_difference(play_and_record(player, tossup).row, play):
                report.problems.append(
                    f"{PLAYS}: {play['guesser']} plays question {number} another way ({differing})."
                )
    report.notes.append(
        f"{counted_noun(len(reader.plays), 'question')} played again: {counted_noun(games, 'game')}."
    )


def _first_difference(now: Mapping[str, Any], then: Mapping[str, Any]) -> str:
    """The first field in which two games differ by more than rounding; empty if there is none."""
    compared = dict(now)
    if "knowable" not in then:  # sets released by older versions do not say it
        del compared["knowable"]
    return next((name for name, value in compared.items() if not _nearly_equal(value, then.get(name))), "")


def _nearly_equal(one: object, other: object) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_nearly_equal, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) <= _TOLERANCE
    return one == other


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def retract(app: App, folder: Path, ids: Sequence[str], reason: str, out: Path, version: str = "") -> str:
    """Withdraw questions, by their ``qanta_id`` or tossup id, in a new version in the folder ``out``.

    The files with questions are copied from ``folder`` unchanged; ``retracted.json`` lists the withdrawn
    questions with the ``reason``. The program keeps in the data folder that they were withdrawn, so that no
    export releases them again. ``version`` names the new version; without it, the last number of the
    version grows by one. The result is the new version.

    Raises:
        QuizwriterError: the challenge set was changed, it has no such question, a question was withdrawn
            before, the reason contains a name, or ``out`` cannot be written.
    """
    manifest = _read_manifest(folder)
    report = VerifyReport()
    _check_digests(folder, manifest, report)
    if report.problems:
        raise QuizwriterError(
            f"The challenge set in {folder} is not as it was released: {report.problems[0]}",
            "Get it again; quizwriter verify lists all that is wrong.",
        )
    if not reason.strip():
        raise QuizwriterError("A question is withdrawn for a reason.", "Say why with --reason.")
    raise_if_named(NameScanner(known_people(app)).search(reason, "the reason", remark=True))
    try:
        rows, texts = read_released(folder / QUESTIONS)
        retracted = read_retractions(folder / RETRACTED)
    except (OSError, DecodingError) as trouble:
        raise QuizwriterError(
            f"The challenge set in {folder} cannot be read ({trouble}).",
            "Get it again; quizwriter verify lists all that is wrong.",
        ) from trouble
    pseudonyms = Pseudonyms.load(app.home / "pseudonyms.key")
    known = WithdrawnQuestions.read(app.home, pseudonyms)
    by_id = {str(name): row for row in rows for name in (row.qanta_id, row.tossup_id)}
    before = manifest["version"]
    version = version or next_version(before)
    if version == before:
        raise QuizwriterError(f"{version} is the version it has.", "Name another.")
    withdrawn = {row.qanta_id for row in retracted}
    added = []
    for one in ids:
        row = by_id.get(one)
        if row is None:
            raise QuizwriterError(f"There is no question {one} in {folder}.", "Look its qanta_id up there.")
        if row.qanta_id in withdrawn:
            raise QuizwriterError(f"Question {one} was withdrawn before.", "Leave it out.")
        withdrawn.add(row.qanta_id)
        added.append(Retraction(row.qanta_id, row.tossup_id, version, reason.strip()))
    with new_folder(out) as unfinished:
        for name in manifest["files"]:
            if name != RETRACTED:
                shutil.copyfile(folder / name, unfinished / name)
        write_parts(unfinished / RETRACTED, [indented_json(msgspec.to_builtins([*retracted, *added]))])
        earlier = {
            "version": before,
            "sums": file_digest(folder / CHECKSUMS),
            "retracted": len(retracted),
            "files": {name: one["sha256"] for name, one in manifest["files"].items()},
        }
        extras = {name: value for name, value in manifest.items() if name != "files"}
        write_manifest(
            unfinished, {**extras, "version": version, "earlier": [*manifest.get("earlier", []), earlier]}
        )
        key, title = str(manifest.get("key") or ""), str(manifest.get("title") or "")
        known.with_more(
            withdrawal_of(one, texts.get(one.qanta_id, ""), title, key, pseudonyms) for one in added
        ).save()
    here = {pseudonyms.of_question(one.tossup_id): one.tossup_id for one in app.store.release_states()}
    app.set_log.record_release(
        title, version, out, [here.get(one.tossup_id, one.tossup_id) for one in added],
        retracted=True, reason=reason.strip(),
    )  # fmt: skip
    return version
