"""How quickly and how well the desk helps while one writes: what looks sentences, answers and words up."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter.bench.clue_accuracy import clue_accuracy
from quizwriter.bench.completion_figures import completion_figures
from quizwriter.bench.library import library_figures
from quizwriter.bench.problem_figures import problem_figures
from quizwriter.cancellation import PartProgress
from quizwriter.domain.answer_line import read_answer_line
from quizwriter.domain.tossup import Tossup
from quizwriter.formats.question_files import HELD_BACK
from quizwriter.judging import Verdict, judge
from quizwriter.services.wiring import App
from quizwriter.workflow.estimates import percentile

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.engine.library import Library

LOOKED_UP = 200
"""How many tossups are looked up."""


def bench_desk(
    app: App, questions: Path | None = None, progress: PartProgress = lambda work, done, total: None
) -> dict[str, Any]:
    """Every figure of the desk, by name; times are milliseconds of this thread's processor.

    With a file of ``questions``, marks are measured on the tournaments in it that the bundle held back, and
    problems on its hard tournaments.
    """
    engine = app.engines.load()
    figures: dict[str, Any] = {"bundle": engine.title, **_look_up_times(engine, progress)}
    if engine.library is not None:
        figures |= library_figures(app, engine, progress) | _judge_figures(engine.library, progress)
    figures |= completion_figures(engine, progress)
    problems = app.problems
    figures |= problem_figures(
        engine, questions, progress, problems.speller(engine), lambda one: problems.spelt(one, engine)
    )
    if questions is not None and HELD_BACK in engine.about:
        figures |= clue_accuracy(engine, questions, progress)
    return figures


def _look_up_times(engine: Engine, progress: PartProgress) -> dict[str, Any]:
    """How long the clues of a sentence take that was not looked up before."""
    library, finder = engine.library, engine.clue_finder
    if library is None or finder is None:
        return {}
    questions = sum(shelf.questions for shelf in library.shelves)
    chosen = random.Random(16).sample(range(questions), min(LOOKED_UP, questions))
    times: list[float] = []
    finder.look_up(Tossup("This reads what is read once."))
    for done, number in enumerate(chosen):
        progress("Looking up clues", done, len(chosen))
        question = library.question(number)
        started = time.thread_time()
        clues = finder.look_up(Tossup(question.text))
        times += [1000 * (time.thread_time() - started) / max(1, len(clues))] * len(clues)
    return {
        "library_questions": questions,
        "clue_sentence_p50": round(percentile(times, 50), 1),
        "clue_sentence_p95": round(percentile(times, 95), 1),
    }


def _judge_figures(library: Library, progress: PartProgress) -> dict[str, Any]:
    """How long a judgement takes, the line unread before, and how often a line takes its own main answer and
    that of another page."""
    questions = sum(shelf.questions for shelf in library.shelves)
    chosen = random.Random(17).sample(range(questions), min(LOOKED_UP, questions))
    asked = [library.question(number) for number in chosen]
    times: list[float] = []
    own = others = 0
    for done, (one, other) in enumerate(zip(asked, [*asked[1:], *asked[:1]], strict=True)):
        progress("Judging answers", done, len(asked))
        for typed in (read_answer_line(one.line).main, read_answer_line(other.line).main):
            started = time.thread_time()
            accepted = judge(one.line, typed).verdict is Verdict.ACCEPT
            times.append(1000 * (time.thread_time() - started))
            own += accepted and typed == read_answer_line(one.line).main
            others += accepted and one.page != other.page and typed != read_answer_line(one.line).main
    return {
        "judgement_p50": round(percentile(times, 50), 3),
        "judgement_p95": round(percentile(times, 95), 3),
        "judge_takes_own_answer": round(own / max(1, len(asked)), 3),
        "judge_takes_other_pages": others,
    }
