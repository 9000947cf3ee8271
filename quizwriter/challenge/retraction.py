"""The questions of a released challenge set, and their withdrawal in a new version of it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quizwriter.challenge.layout import (
    CHECKSUMS,
    QUESTIONS,
    indented_json,
    new_folder,
    write_manifest,
    write_parts,
)
from quizwriter.challenge.metadata import (
    MAX_QUESTIONS_BYTES,
    Retraction,
    WithdrawnQuestions,
    next_version,
    read_released,
    read_retractions,
    released_versions,
    version_order,
    withdrawal_of,
)
from quizwriter.challenge.name_decisions import NameDecisions
from quizwriter.challenge.privacy import Pseudonyms, name_scanner
from quizwriter.challenge.verify import changed_files, read_manifest
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import RETRACTED
from quizwriter.services.wiring import App
from quizwriter.system.decoding import DecodingError, decode_json, file_digest, read_limited

if TYPE_CHECKING:
    from quizwriter.services.wiring import App


def retract(app: App, folder: Path, ids: Sequence[str], reason: str, out: Path, version: str = "") -> str:
    """Withdraw questions in a new version in the folder ``out``.

    Each of ``ids`` is a ``qanta_id``, a ``tossup_id`` of the set, or the id of a tossup here.

    The files with questions are copied from ``folder`` unchanged; ``retracted.json`` lists the withdrawn
    questions with the ``reason``. The program keeps in the data folder that they were withdrawn, so that no
    export releases them again. ``version`` names the new version; without it, the last number of the
    version grows until nothing was released under it. The result is the new version.
    """
    manifest = read_manifest(folder)
    if changed := changed_files(folder, manifest):
        raise QuizwriterError(
            f"The challenge set in {folder} is not as it was released: {changed[0]}",
            "Get it again; quizwriter verify lists all that is wrong.",
        )
    if not reason.strip():
        raise QuizwriterError("A question is withdrawn for a reason.", "Say why with --reason.")
    decisions = NameDecisions.of_editor(app)
    for match in name_scanner(app).search(reason, "the reason", remark=True):
        if not decisions.passes(match):
            raise QuizwriterError(
                f"The reason names a person: “{match.found}” (like {match.name}).",
                "Say why without the name.",
            )
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
    title = str(manifest.get("title") or "")
    used = {version_order(one.version) for one in released_versions(app, title)}
    later = next_version(before)
    while version_order(later) in used:
        later = next_version(later)
    version = version or later
    if version_order(version) in used or version_order(version) <= version_order(before):
        raise QuizwriterError(
            f"Version {version} was released, or comes before version {before}.", f"Name {later}."
        )
    withdrawn = {row.qanta_id for row in retracted}
    added = []
    for one in ids:
        row = by_id.get(one) or by_id.get(pseudonyms.of_question(one))
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
        key = str(manifest.get("key") or "")
        known.with_more(
            withdrawal_of(one, texts.get(one.qanta_id, ""), title, key, pseudonyms) for one in added
        ).save()
    here = {pseudonyms.of_question(one.tossup_id): one.tossup_id for one in app.store.release_states()}
    app.set_log.record_release(
        title, version, out, [here.get(one.tossup_id, one.tossup_id) for one in added],
        retracted=True, reason=reason.strip(),
    )  # fmt: skip
    return version


class PublishedQuestion(msgspec.Struct, frozen=True):
    """A question of a released set. ``tossup_id`` is that of the tossup here; empty if it is not here."""

    qanta_id: int
    answer: str
    text: str
    tossup_id: str
    withdrawn: bool


class _Question(msgspec.Struct):
    qanta_id: int
    text: str
    answer: str = ""


class _Extra(msgspec.Struct):
    qanta_id: int
    tossup_id: str


class _QuestionsFile(msgspec.Struct):
    questions: list[_Question]
    quizwriter: list[_Extra]  # see quizwriter.challenge.layout.QUIZWRITER_KEY


def published_questions(app: App, folder: Path) -> tuple[PublishedQuestion, ...]:
    """The questions of the challenge set in ``folder``, by their numbers."""
    try:
        whole = decode_json(read_limited(folder / "questions.json", MAX_QUESTIONS_BYTES), _QuestionsFile)
        withdrawn = {one.qanta_id for one in read_retractions(folder / RETRACTED)}
    except (OSError, DecodingError) as trouble:
        raise QuizwriterError(
            f"There is no challenge set that can be read in {folder} ({trouble}).",
            "Choose the folder of a released version.",
        ) from trouble
    pseudonyms = Pseudonyms.load(app.home / "pseudonyms.key")
    here = {key: key for key in (one.tossup_id for one in app.store.release_states())}
    here |= {pseudonyms.of_question(key): key for key in tuple(here)}
    released = {one.qanta_id: here.get(one.tossup_id, "") for one in whole.quizwriter}
    return tuple(
        PublishedQuestion(
            one.qanta_id, one.answer, one.text[:200], released.get(one.qanta_id, ""),
            one.qanta_id in withdrawn,
        )
        for one in sorted(whole.questions, key=lambda one: one.qanta_id)
    )  # fmt: skip
