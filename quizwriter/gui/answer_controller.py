"""What is known of the answer in the field: looked up in other threads, and shown under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quizwriter.domain.tossup import Answer
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.writing.answer_field import NO_FACTS, AnswerFacts
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.workflow.answer_notes import lines_sentence

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

MOST_READ = 200
"""So many of the most frequent past answer lines are read for what they have in common."""


class AnswerController(QObject):
    """Looks up how often the answer was asked, its past answer lines, and the same answer in the set."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._app, self._field = context.app, context.panes.answer
        self._session, self._engine, self._persistent = context.session, context.engine, context.persistent
        self._wanted: tuple[str, Answer] | None = None
        self._looks_up = False
        self._jobs = Jobs("answer facts", self)
        self._field.settled.connect(self._look_up_newest)

    def _look_up_newest(self, answer: Answer | None) -> None:
        self._wanted = None if answer is None else (self._session().tossup_id, answer)
        if not self._looks_up:
            self._look_up()

    def _look_up(self) -> None:
        if self._wanted is None:
            return
        (tossup_id, answer), self._wanted = self._wanted, None
        self._looks_up = True
        engine = self._engine()

        def show(facts: AnswerFacts) -> None:
            self._looks_up = False
            self._field.show_facts(answer, facts)
            self._look_up()

        self._jobs.ask(lambda _: self._facts(tossup_id, answer, engine), show, lambda _: show(NO_FACTS))

    def _facts(self, tossup_id: str, answer: Answer, engine: Engine | None) -> AnswerFacts:
        """What is known of ``answer``. A library that is damaged says so in its own pane."""
        elsewhere = self._app.tossups.asking_the_same(tossup_id, answer) if self._persistent else ()
        page = answer.page or answer.main
        if engine is None:
            return AnswerFacts(elsewhere=elsewhere)
        if engine.library is None:  # a bundle of an older version
            times = (
                None
                if answer.page is None
                else self._app.past.times_asked(engine.pages.asked, engine.library, page)
            )
            return AnswerFacts(times, elsewhere=elsewhere)
        lines = engine.library.answer_lines(page)
        said = lines_sentence(lines[:MOST_READ], answer.main)
        return AnswerFacts(
            self._app.past.times_asked(engine.pages.asked, engine.library, page), lines, said, elsewhere
        )
