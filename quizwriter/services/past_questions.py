"""Past questions: what was asked on an answer, and the search over everything that the writer has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from quizwriter.domain.answer_line import without_markup
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.past_questions import (
    EVERY_QUESTION,
    PastReport,
    QuestionFilter,
    QuestionKind,
    SearchHit,
    SearchResult,
    TimesAsked,
)
from quizwriter.workflow.queue import QueueFilter, QueueSort

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.engine.library import Library
    from quizwriter.engine.search_words import SearchWords
    from quizwriter.services.queue import Queue
    from quizwriter.services.tossups import Tossups

MOST_OWN = 200
"""Own tossups that a search reads."""


class PastQuestions:
    """Asks the library of the engine in use, and the writer's own tossups. Any thread may ask."""

    def __init__(self, queue: Callable[[], Queue], tossups: Callable[[], Tossups]) -> None:
        """Own tossups are those of ``queue`` and ``tossups``, whose database is opened when it is needed."""
        self._queue, self._tossups = queue, tossups

    def report(self, engine: Engine, page: str, draft: str = "") -> PastReport:
        """The past questions on ``page``, and which of their clues ``draft`` has.

        Slow at the first time for a page (up to half a second), quick for another draft.
        """
        library = _library(engine)
        return PastReport(
            page, library.counts(page), library.questions_on(page), library.clues_on(page, draft)
        )

    def times_asked(self, asked: Callable[[Page], int], library: Library | None, page: str) -> TimesAsked:
        """How often ``page`` was the answer, by ``library``, or by ``asked``, which knows of tossups only.

        Quick. It takes no engine, as who keeps one keeps its connections open.
        """
        return TimesAsked(tossups=asked(Page(page))) if library is None else library.counts(page)

    def search(
        self,
        engine: Engine,
        words: str,
        wanted: QuestionFilter = EVERY_QUESTION,
        *,
        limit: int = 100,
        start: int = 0,
    ) -> SearchResult:
        """The texts with these words: own tossups, past questions, the newest first, and articles.

        See :meth:`quizwriter.engine.library.Library.search` for what ``words`` may be.
        """
        from quizwriter.engine.search_words import SearchWords

        library = _library(engine)
        asked = SearchWords(words)
        own = self._own(asked, words, wanted) if asked.stems else []
        shown = own[start : start + limit]
        found = library.search(words, wanted, limit=limit - len(shown), start=max(0, start - len(own)))
        counts = dict(found.counts)
        if own:
            counts[QuestionKind.OWN] = len(own)
        return SearchResult((*shown, *found.hits), counts, found.partial, found.too_common)

    def _own(self, asked: SearchWords, words: str, wanted: QuestionFilter) -> list[SearchHit]:
        if not wanted.takes_own:
            return []
        queue = self._queue()
        plain = " ".join("".join(letter if letter.isalnum() else " " for letter in words).split())
        keys = queue.find(QueueFilter(text=plain), QueueSort())[:MOST_OWN]
        drafts = self._tossups().drafts(keys)
        found = []
        for row in queue.rows(keys):
            tossup = drafts[row.tossup_id]
            line = tossup.answer.line if tossup.answer else ""
            if (
                asked.has_all_phrases(tossup.text, line)
                and f" {answer_key(wanted.answer)}" in f" {answer_key(line)}"
                and wanted.category.casefold() in " ".join(row.category).casefold()
                and wanted.tournament.casefold() in row.set_name.casefold()
            ):
                source = row.set_name or "your tossup"
                hits = asked.hits(tossup.text)
                said = without_markup(line)
                found.append(
                    SearchHit(QuestionKind.OWN, tossup.text, said, source, hits, tossup_id=row.tossup_id)
                )
        return found


def _library(engine: Engine) -> Library:
    from quizwriter.engine.library import NO_LIBRARY

    if engine.library is None:
        raise NO_LIBRARY
    return engine.library
