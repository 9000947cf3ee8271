"""Looks up the sentences of drafts: their clues in past questions, and what says nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quizwriter.domain.stock_clues import SentenceClues
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store import Store
from quizwriter.workflow.near_duplicates import (
    DUPLICATE_THRESHOLD,
    DuplicateFinder,
    NearDuplicate,
    OtherTossup,
)

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


class RepeatedSentences:
    """Finds what says the same as a draft: whole tossups, and else sentences that say nearly the same.

    Sentences repeat a draft if they make up so much of it as two tossups share that say the same.
    """

    def __init__(self, engine: Engine, draft: Tossup, whole: DuplicateFinder) -> None:
        """The past questions of ``engine``; ``whole`` are those of them that may be like ``draft``."""
        self._finder, self._draft, self._whole = engine.clue_finder, draft, whole

    def of(self, text: str, key: str = "") -> tuple[NearDuplicate, ...]:
        """Those that say what ``text`` says, the nearest first."""
        found = self._whole.of(text, key)
        if found or self._finder is None:
            return found
        clues = self._finder.look_up(Tossup(text, self._draft.answer))
        near = [(one.span, one.near) for one in clues if one.near is not None]
        words = Tossup(text).words
        repeated = sum(any(span.start <= word.start < span.end for span, _ in near) for word in words)
        share = repeated / max(1, len(words))
        if share < DUPLICATE_THRESHOLD:
            return ()
        names = dict.fromkeys(one.name for _, one in near)
        return tuple(NearDuplicate(OtherTossup(name, name, ""), share) for name in names)
