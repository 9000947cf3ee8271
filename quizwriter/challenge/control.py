"""The control of a challenge set: other questions, on which no player was trained, and its players' games.

The texts of the control are not released, because they belong to others. Its games are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from quizwriter.cancellation import Progress
from quizwriter.challenge.selection import Candidate
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import Engine, held_back, held_back_key
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.accuracy import characters_heard
from quizwriter.experiments.controls import (
    ControlCandidate,
    held_back_origins,
    is_fresh,
    matched,
    with_page,
)
from quizwriter.formats.question_files import DEVELOPMENT, FileQuestion, ReadReport, questions
from quizwriter.store.plays import PlayRecord, PlaySummary
from quizwriter.system.decoding import file_digest
from quizwriter.workflow.wording import counted_noun

CONTROL_FILE = "a question file"
"""What is released in place of the name of the control's file, which its digest identifies."""


class ControlQuestion(msgspec.Struct, frozen=True):
    """A question of the control, and the number of the released question that it is matched to."""

    number: int  # from 1
    tossup: Tossup
    category: str
    matched: int
    same_answer: bool
    same_category: bool = False
    difficulty: int | None = None


class Control(msgspec.Struct, frozen=True):
    """The questions of the control, and where they come from.

    ``file`` and ``digest`` are those of a question file; of the bundle's own questions ``file`` is empty, and
    ``digest`` that of the bundle.
    """

    file: str
    digest: str
    seed: int
    questions: tuple[ControlQuestion, ...]

    def as_json(self) -> dict[str, Any]:
        """What the manifest says of the control, ready for JSON."""
        levels = Counter(one.difficulty for one in self.questions if one.difficulty is not None)
        return {
            "file": self.file,
            "digest": self.digest,
            "fold": DEVELOPMENT,
            "seed": self.seed,
            "questions": len(self.questions),
            "same_answer": sum(one.same_answer for one in self.questions),
            "same_category": sum(one.same_category and not one.same_answer for one in self.questions),
            "difficulties": {str(level): number for level, number in sorted(levels.items())},
        }


def control_row(question: ControlQuestion, record: PlayRecord) -> dict[str, Any]:
    """A row of ``control.jsonl``: a game without the guesses, which would tell the text's answer."""
    summary = msgspec.structs.asdict(record.summary)
    del summary["curve"], summary["buzz_page"], summary["possible"]
    course = record.course
    return {
        "control": question.number,
        "matched": question.matched,
        "category": question.category,
        **summary,
        "buzz_characters": buzz_characters(record.summary, question.tossup),
        "heard": course.heard,
        "right": course.right,
        "chances": course.chances,
    }


def buzz_characters(game: PlaySummary, tossup: Tossup) -> float | None:
    """The share of the characters that were read when the player buzzed; None where it did not."""
    return None if game.buzz is None else round(characters_heard(tossup, game.buzz), 4)


class ControlSearch(msgspec.Struct, frozen=True):
    """Looks for the control of the ``released`` questions, on which the players of ``engine`` had ``games``.

    Matched are the released questions that any player can know, in the order of their numbers, by
    :func:`quizwriter.experiments.controls.matched`, as the experiment ``curves`` does. A question that comes
    near a past question of the bundle or a released one is
    left out. ``step`` gets how many are matched and how many will be.
    """

    released: Mapping[int, Candidate]
    games: Mapping[int, Sequence[PlaySummary]]
    engine: Engine
    seed: int
    step: Progress

    def in_file(self, path: Path) -> Control:
        """The control in the question file at ``path``.

        Only questions of the fold on which no player is trained are taken: the file says the fold, else it
        follows from the question's id as it does when a bundle is built. Their answers are pages of the
        bundle.
        """
        report = ReadReport(str(path))
        found = self._matched(self._of_file(questions(path, report)))
        if not found:
            raise QuizwriterError(
                f"{path} has no question for a control: none of the fold “{DEVELOPMENT}” has an answer that "
                "is a page of the bundle and was not asked before.",
                "Name a file with held-back questions, or leave the control out.",
            )
        return Control(path.name, file_digest(path), self.seed, found)

    def in_bundle(self) -> Control | str:
        """The control among the questions that the bundle holds back, or a sentence that says why not."""
        there = held_back(self.engine.folder, DEVELOPMENT)
        if not there:
            return (
                f"The bundle “{self.engine.title}” holds no questions back: its players learned from all of "
                "them."
            )
        known = held_back_origins(self.engine)
        found = self._matched(
            ControlCandidate.of(
                held_back_key(number), with_page(tossup, self.engine), category, self.engine, difficulty
            )
            for number, tossup in enumerate(there)
            for category, difficulty in [known.get(tossup.text, ("", None))]
        )
        if not found:
            return (
                f"None of the {counted_noun(len(there), 'question')} that the bundle “{self.engine.title}” "
                "holds back can be matched to a question of this set that a player can know."
            )
        return Control("", self.engine.digest, self.seed, found)

    def _of_file(self, read: Iterator[FileQuestion]) -> Iterator[ControlCandidate]:
        for question in read:
            page = self.engine.pages.find(question.page or question.answer)
            if question.fold == DEVELOPMENT and page is not None:
                tossup = Tossup(question.text, Answer(question.answer, page))
                difficulty = question.origin.difficulty
                yield ControlCandidate.of(question.id, tossup, question.category, self.engine, difficulty)

    def _matched(self, candidates: Iterable[ControlCandidate]) -> tuple[ControlQuestion, ...]:
        targets = {
            number: self._target(self.released[number])
            for number in sorted(self.released)
            if any(game.knowable for game in self.games[number])
        }
        matches = matched(
            targets,
            candidates,
            self.seed,
            may_be=is_fresh((one.tossup.text for one in self.released.values()), self.engine),
            step=self.step,
        )
        return tuple(
            ControlQuestion(
                at,
                one.tossup,
                one.category,
                number,
                same,
                bool(one.category) and one.category.casefold() == targets[number].category.casefold(),
                one.difficulty,
            )
            for at, (number, (one, same)) in enumerate(matches.items(), start=1)
        )

    def _target(self, released: Candidate) -> ControlCandidate:
        category = released.review.category[0] if released.review.category else ""
        tossup = with_page(released.tossup, self.engine)
        return ControlCandidate.of(released.tossup_id, tossup, category, self.engine)
