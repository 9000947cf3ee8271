"""The control of a challenge set: other questions, on which no player was trained, and its players' games.

The texts of the control are not released, because they belong to others. Its games are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from quizwriter.challenge.selection import Candidate
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine import Engine
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.controls import ControlCandidate, ControlPool, was_asked
from quizwriter.formats.question_files import DEVELOPMENT, FileQuestion, ReadReport, questions
from quizwriter.store.plays import PlayRecord, PlaySummary
from quizwriter.workflow.checks import DuplicateFinder, OtherTossup

FEWEST_WORDS, MOST_WORDS = 20, 400
"""A control question is no fragment, and no longer than a draft may be."""


@dataclass(frozen=True, slots=True)
class ControlQuestion:
    """A question of the control, and the number of the released question that it is matched to."""

    number: int  # from 1
    tossup: Tossup
    category: str
    matched: int
    same_answer: bool


@dataclass(frozen=True, slots=True)
class Control:
    """The questions of the control, and the file that they come from."""

    file: str
    digest: str
    questions: tuple[ControlQuestion, ...]

    def as_json(self) -> dict[str, Any]:
        """What the manifest says of the control, ready for JSON."""
        return {
            "file": self.file,
            "digest": self.digest,
            "fold": DEVELOPMENT,
            "questions": len(self.questions),
            "same_answer": sum(one.same_answer for one in self.questions),
        }


def control_row(question: ControlQuestion, record: PlayRecord) -> dict[str, Any]:
    """A row of ``control.jsonl``: a game without the guesses, which would tell the text's answer."""
    summary = msgspec.structs.asdict(record.summary)
    del summary["curve"], summary["buzz_page"]
    course = record.course
    return {
        "control": question.number,
        "matched": question.matched,
        "category": question.category,
        **summary,
        "heard": course.heard,
        "right": course.right,
        "chances": course.chances,
    }


def read_control(
    path: Path,
    released: Mapping[int, Candidate],
    games: Mapping[int, Sequence[PlaySummary]],
    engine: Engine,
    step: Callable[[int, int], None],
) -> Control:
    """The control in the question file at ``path``, matched one to one to the ``released`` questions.

    Only questions of the fold on which no player is trained are taken: the file says the fold, else it
    follows from the question's id as it does when a bundle is built. Their answers are pages of the bundle of
    ``engine``. A question that comes near a past question of the bundle or a released one is left out.
    Matched are the released questions that any player of ``games`` can know, in the order of their numbers:
    to a question on the same answer, else of the same category, else to any other; of several, to the one
    whose length is nearest. ``step`` gets how many are matched and how many will be.

    Raises:
        QuizwriterError: the file cannot be read, or no question in it can be used.
    """
    report = ReadReport(str(path))
    pool = ControlPool(_held_back(questions(path, report), engine))
    near_released = DuplicateFinder(
        OtherTossup(one.tossup_id, one.tossup_id, one.tossup.text) for one in released.values()
    )
    wanted = [number for number in sorted(released) if any(game.knowable for game in games[number])]
    matches: dict[int, tuple[ControlCandidate, bool]] = {}
    for same_answer in (True, False):  # no question takes another one's only match on its answer
        for number in wanted:
            step(len(matches), len(wanted))
            while number not in matches:
                nearest = _nearest(pool, released[number], same_answer=same_answer)
                if nearest is None:
                    break
                if not near_released.of(nearest.tossup.text) and not was_asked(nearest.tossup, engine):
                    matches[number] = nearest, same_answer
    found = [
        ControlQuestion(at, one.tossup, one.category, number, same)
        for at, (number, (one, same)) in enumerate(sorted(matches.items(), key=lambda match: match[0]), 1)
    ]
    if not found:
        raise QuizwriterError(
            f"{path} has no question for a control: none of the fold “{DEVELOPMENT}” has an answer that is a "
            "page of the bundle and was not asked before.",
            "Name a file with held-back questions, or leave the control out.",
        )
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Control(path.name, digest, tuple(found))


def _held_back(read: Iterator[FileQuestion], engine: Engine) -> Iterator[ControlCandidate]:
    for question in read:
        if question.fold != DEVELOPMENT:
            continue
        page = engine.pages.find(question.page or question.answer)
        if page is None:
            continue
        tossup = Tossup(question.text, Answer(question.answer, page))
        if FEWEST_WORDS <= tossup.length <= MOST_WORDS:
            yield ControlCandidate.of(question.id, tossup, question.category)


def _nearest(pool: ControlPool, target: Candidate, *, same_answer: bool) -> ControlCandidate | None:
    category = target.review.category[0] if target.review.category else ""
    key = target.tossup.answer.key if target.tossup.answer else ""
    return pool.take_nearest(key, category, target.tossup.length, same_answer=same_answer)
