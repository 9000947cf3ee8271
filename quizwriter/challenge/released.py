"""What a released challenge set holds, question by question, for the person who wants to withdraw one."""

from __future__ import annotations

from pathlib import Path

import msgspec

from quizwriter.challenge.metadata import MAX_QUESTIONS_BYTES, read_retractions
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.system.decoding import DecodingError, decode_json, read_limited


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
        withdrawn = {one.qanta_id for one in read_retractions(folder / "retracted.json")}
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
