"""Verifies a challenge set: digests, signature, figures, earlier versions, names, and games played again."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from quizwriter.cancellation import PartProgress
from quizwriter.challenge.layout import (
    CHECKSUMS,
    FORMAT,
    MANIFEST,
    PLAYS,
    PROGRAM,
    SCHEMA,
    SIGNATURE,
    checksum_list,
    indented_json,
)
from quizwriter.challenge.name_decisions import NameDecisions
from quizwriter.challenge.name_search import EMAIL, search_set
from quizwriter.challenge.page_rule import BY_JUDGE, BY_LINE
from quizwriter.challenge.privacy import Pseudonyms, name_scanner
from quizwriter.challenge.release_signature import check_signature
from quizwriter.challenge.set_reader import SetReader, is_too_large
from quizwriter.errors import QuizwriterError
from quizwriter.formats.histories import LONGEST_LINE
from quizwriter.formats.question_files import RETRACTED
from quizwriter.store.plays import play_and_record
from quizwriter.system.decoding import DecodingError, decode_json
from quizwriter.system.members import MemberName, member_size, member_state, open_member, read_member
from quizwriter.workflow.sources import one_line
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.services.wiring import App

SAMPLE_SIZE = 20
"""The number of questions that are played again."""

_CHECKSUM_LINE = re.compile(r"([0-9a-f]{64})  ([\w.-]+)\Z")
_TOLERANCE = 0.01  # scores from other processors differ in the last digits
_BY_RIGHTNESS = frozenset({"right", "ranks", "first_correct", "stable_correct", "buzzes_right", "knowable"})
"""What a game says by the rule of what is right."""

_LARGEST_FILE = 16 << 30  # bytes; of histories that were typed key by key, a set has far fewer
_LONGEST_MANIFEST = 16 << 20  # bytes; a set of 10,000 questions needs a thousandth


class _FileState(msgspec.Struct):
    bytes: Annotated[int, msgspec.Meta(ge=0, le=_LARGEST_FILE)]
    sha256: str


class _EarlierVersion(msgspec.Struct):
    version: str
    files: dict[MemberName, str]
    retracted: int


class _Player(msgspec.Struct):
    name: str
    digest: str


class _Bundle(msgspec.Struct):
    title: str
    digest: str


class _Form(msgspec.Struct):
    format: str
    schema: int


class _Manifest(_Form):
    """What every manifest has; the documents need more, which :mod:`set_reader` finds out."""

    title: str
    version: str
    program: str
    bundle: _Bundle
    players: list[_Player]
    settings: dict[str, Any]
    questions: int
    files: dict[MemberName, _FileState]
    earlier: list[_EarlierVersion] = []


class VerifyReport(msgspec.Struct):
    """The result: each of ``problems`` names its file; ``notes`` say what was verified and what was not."""

    problems: list[str] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)


def verify(
    app: App,
    folder: Path,
    progress: PartProgress = lambda work, done, total: None,
    *,
    public_key: str = "",
    sample: int = SAMPLE_SIZE,
) -> VerifyReport:
    """Verify the challenge set in ``folder``; nothing that it states is believed.

    All figures are computed again from the rows. So many questions as ``sample`` says, drawn anew each time,
    are played again if ``app`` opens the bundle that the manifest names. The files are searched for the names
    of the people in the database of ``app``. ``public_key`` is the key, in the form of minisign, whose
    signature the set must have. ``progress`` gets the current step, the number of questions that were played
    again, and the number of all that will be.
    """
    manifest = read_manifest(folder)
    report = VerifyReport()
    progress("Reading", 0, 0)
    report.problems += changed_files(folder, manifest)
    if not report.problems:
        report.notes.append(f"{counted_noun(len(manifest['files']) + 2, 'file')}, every digest as listed.")
    check_signature(folder, public_key, report.problems, report.notes)
    reader = SetReader(folder, manifest, report.problems)
    reader.read_all()
    report.notes += _not_computed(manifest)
    _check_earlier_versions(folder, manifest, reader, report)
    _check_privacy(app, folder, manifest, reader, report)
    _play_again(app, manifest, reader, report, progress, sample)
    return report


def _not_computed(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What an older or another program wrote and nobody computed again, and what was right by an old rule."""
    if manifest["schema"] < BY_JUDGE:
        yield (
            f"Old rule (schema {manifest['schema']}): the figures are by the definitions of then, when a "
            "player counted as stumped also where a guess may be the answer under another title."
        )
    if manifest["schema"] < 2:
        yield (
            "No figure of README.md and DATASHEET.md, no plot and no check was computed again, since sets of "
            f"schema {manifest['schema']} do not say enough."
        )
    elif manifest["program"] != PROGRAM:
        yield (
            "The sentences, words, power marks and checks were not computed again, since "
            f"{one_line(manifest['program'], 40)} made the set, and this is {PROGRAM}."
        )


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of the challenge set in ``folder``, with all that every manifest has."""
    path = folder / MANIFEST
    try:
        raw = read_member(folder, MANIFEST, _LONGEST_MANIFEST)
        form = decode_json(raw, _Form)
        if form.format != FORMAT or form.schema < 1:
            raise DecodingError("it has another format")
        if form.schema > SCHEMA:
            raise QuizwriterError(
                f"The challenge set in {folder} is for a newer QuizWriter (its schema is {form.schema}).",
                "Install a newer QuizWriter.",
            )
        decode_json(raw, _Manifest)
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


def changed_files(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """What is not as the two lists of digests say: of each file, whether it or a list was changed."""
    problems: list[str] = []
    raw: bytes | None = None
    try:
        raw = read_member(folder, CHECKSUMS, _LONGEST_MANIFEST)
    except (OSError, DecodingError) as trouble:
        problems.append(f"{CHECKSUMS} cannot be read ({trouble}).")
    listed_sums: dict[str, str] = {}
    for number, line in enumerate((raw or b"").decode("utf-8", "replace").splitlines(), start=1):
        if found := _CHECKSUM_LINE.match(line):
            listed_sums[found[2]] = found[1]
        else:
            problems.append(f"{CHECKSUMS}, line {number}, is not a digest and a name.")
    files = manifest["files"]
    there = {path.name for path in folder.iterdir()} - {SIGNATURE}
    for name in sorted({*there, *files, *listed_sums} - {CHECKSUMS}):
        if name not in there:
            problems.append(f"{name} is missing.")
            continue
        listed = files.get(name)
        try:
            size = member_size(folder, name)
            # a file with holes has any size, and reading it takes hours
            as_long = listed is not None and size == listed["bytes"]
            found_digest = member_state(folder, name)[1] if as_long or name == MANIFEST else ""
        except (OSError, DecodingError):
            problems.append(f"{ascii(name)[1:-1]} is not a plain file.")
            continue
        by_manifest = listed["sha256"] if listed else None
        if name != MANIFEST and by_manifest is None:
            problems.append(f"{name} is in the folder, but not in {MANIFEST}.")
        elif name == MANIFEST or found_digest == by_manifest:
            if raw is not None and listed_sums.get(name) != found_digest:
                changed = name if name == MANIFEST and listed_sums.get(name) else CHECKSUMS
                problems.append(f"{changed} was changed: the digest of {name} is another.")
        else:
            problems.append(f"{name} was changed: its digest is not the one in {MANIFEST}.")
    if raw is not None and not problems and raw != checksum_list(folder):
        problems.append(f"{CHECKSUMS} was changed.")
    return problems


def _check_earlier_versions(
    folder: Path, manifest: Mapping[str, Any], reader: SetReader, report: VerifyReport
) -> None:
    digest_of = cache(partial(_digest_of, folder, manifest["files"]))
    for earlier in manifest.get("earlier", []):
        version = earlier["version"]
        changed = [
            name
            for name, before in earlier["files"].items()
            if name != RETRACTED and digest_of(name) != before
        ]
        report.problems += [f"{name} is not as in version {version}." for name in changed]
        kept = msgspec.to_builtins(reader.retracted[: earlier["retracted"]])
        if hashlib.sha256(indented_json(kept)).hexdigest() != earlier["files"].get(RETRACTED):
            report.problems.append(f"{RETRACTED} does not begin as in version {version}.")
        elif not changed:
            report.notes.append(f"All that version {version} released is as it was.")


def _digest_of(folder: Path, files: Mapping[str, Any], name: str) -> str:
    """The digest of a file; empty if it is no regular file, or not as long as ``files`` says."""
    try:
        if name not in files or member_size(folder, name) != files[name]["bytes"]:
            return ""
        return member_state(folder, name)[1]
    except (OSError, DecodingError):
        return ""


def _check_privacy(
    app: App, folder: Path, manifest: Mapping[str, Any], reader: SetReader, report: VerifyReport
) -> None:
    decisions = NameDecisions.of_anybody(app)
    searched = _searched(folder, manifest, report)
    found = list(search_set(name_scanner(app), folder, searched))
    stopping = [one for one in found if not decisions.passes(one)]
    report.problems += [
        f"{one.place}: “{one.name}” is named, as “{one.found}” ({one.context})." for one in stopping
    ]
    if not all(one.exact for one in stopping):
        report.notes.append(
            "If the editor decided that a name found here means another person, merge the editor's pack and "
            "verify again: the decision is in it."
        )
    if passed := len(decisions.groups(one for one in found if decisions.passes(one))):
        report.notes.append(
            f"{counted_noun(passed, 'name')} like that of a writer mean other people, as an editor decided."
            if passed > 1
            else "1 name like that of a writer means another person, as an editor decided."
        )
    for path in searched:
        if path.suffix == ".png":
            continue
        with open_member(folder, path.name) as file:
            for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE), b""), start=1):
                if b"@" not in line:
                    continue
                for address in EMAIL.findall(line.decode("utf-8", "replace")):
                    if address != reader.contact:
                        place = f"{path.name}, line {number}"
                        report.problems.append(f"{place}: {address} looks like an e-mail address.")
    known = sorted(reader.pseudonyms.keys() - {"unknown"})
    report.notes.append(
        f"{counted_noun(len(known), 'pseudonym')}, each well formed." if known else "Nobody is named."
    )
    key = app.home / "pseudonyms.key"
    if known and key.exists():
        mine = Pseudonyms.load(key)
        ours = {mine.of(person) for person in (*app.store.people(), app.profile.me.id) if person}
        report.notes.append(
            f"{len(ours.intersection(known)):,} of them are of people in the database here, by its key."
        )


def _searched(folder: Path, manifest: Mapping[str, Any], report: VerifyReport) -> list[Path]:
    """The files that are searched for names; what is too long for that is a problem of the set."""
    found = []
    for path in sorted(folder.iterdir()):
        try:
            size = member_size(folder, path.name)
        except (OSError, DecodingError):
            continue  # which is said already
        if is_too_large(manifest["files"], path.name, size):
            report.problems.append(
                f"{path.name} was not searched for names: it has {size >> 20:,} MB, more than any such file."
            )
        else:
            found.append(path)
    return found


def _play_again(
    app: App,
    manifest: Mapping[str, Any],
    reader: SetReader,
    report: VerifyReport,
    progress: PartProgress,
    sample: int,
) -> None:
    """Play a sample again and compare the games, if the players of the manifest are here."""
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
    # drawn anew each time: with a sample that is known, all other games could be falsified
    drawn = random.SystemRandom().sample(sorted(reader.questions), min(sample, len(reader.questions)))
    games, done = 0, set()
    for number, play in reader.plays_of(frozenset(drawn)):
        done.add(number)
        progress("Playing", len(done), len(drawn))
        player = players.get(str(play.get("guesser")))
        if player is None:
            report.problems.append(f"{PLAYS}: the bundle has no player “{str(play.get('guesser'))[:40]}”.")
            continue
        games += 1
        tossup = reader.questions[number].tossup
        now = play_and_record(player, tossup).row
        if manifest["schema"] < BY_LINE and tossup.answer is not None and len(tossup.answer.keys) > 1:
            now = {name: value for name, value in now.items() if name not in _BY_RIGHTNESS}
        if differing := _first_difference(now, play):
            report.problems.append(
                f"{PLAYS}: {player.name} plays question {number} another way ({differing})."
            )
    report.notes.append(
        f"{counted_noun(len(drawn), 'question')} played again: {counted_noun(games, 'game')}."
    )


def _first_difference(now: Mapping[str, Any], then: Mapping[str, Any]) -> str:
    """The first field in which two games differ by more than rounding; empty if there is none."""
    compared = dict(now)
    if "knowable" not in then:  # sets released by older versions do not say it
        compared.pop("knowable", None)
    return next((name for name, value in compared.items() if not _nearly_equal(value, then.get(name))), "")


def _nearly_equal(one: object, other: object) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_nearly_equal, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) <= _TOLERANCE
    return one == other
