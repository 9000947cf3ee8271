"""Looks up the sentences of drafts: their clues in past questions, and what says nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quizwriter.domain.stock_clues import SentenceClues
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store import Store

if TYPE_CHECKING:
    from quizwriter.engine import Engine, SetSentences

NO_SENTENCES = QuizwriterError(
    "This bundle cannot tell stock clues, because an older version of QuizWriter built it.",
    "Build the bundle again with this version.",
)


class ClueLookup:
    """Asks the past questions of a bundle, and the other tossups of a set, about the sentences of a draft."""

    def __init__(self, store: Store) -> None:
        """The sets are those in ``store``."""
        self._store = store
        self._last: tuple[tuple[tuple[str, str, str], ...], SetSentences] | None = None

    def look_up(self, engine: Engine, tossup: Tossup, tossup_id: str = "") -> tuple[SentenceClues, ...]:
        """What past questions say of each sentence of ``tossup``; any thread may call it.

        ``tossup_id`` is its id in the database: the other tossups of its set are looked through, too, for
        sentences that say nearly the same. Without one, no set is.

        Raises:
            QuizwriterError: the bundle has no index of sentences, or it or the database cannot be read.
        """
        if engine.clue_finder is None:
            raise NO_SENTENCES
        return engine.clue_finder.look_up(tossup, self._others(tossup_id) if tossup_id else None)

    def _others(self, tossup_id: str) -> SetSentences:
        """The sentences of the other tossups in the set of ``tossup_id``; the last are kept."""
        from quizwriter.engine import SetSentences

        rows = self._store.tossups_of_set(self._store.review_of(tossup_id).set_name)
        others = tuple(row for row in rows if row[0] != tossup_id)
        last = self._last
        if last is None or last[0] != others:
            last = self._last = others, SetSentences(others)
        return last[1]
