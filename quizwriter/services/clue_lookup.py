"""Looks up the sentences of drafts: their clues in past questions, and what says nearly the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from quizwriter.domain.stock_clues import SentenceClues
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store.store import Store
from quizwriter.workflow.near_duplicates import (
    DUPLICATE_THRESHOLD,
    DuplicateFinder,
    NearDuplicate,
    OtherTossup,
    RepeatFinder,
)

if TYPE_CHECKING:
    from quizwriter.engine.clue_finder import ClueFinder, SetSentences
    from quizwriter.engine.engine import Engine

NO_SENTENCES = QuizwriterError(
    "This bundle cannot tell stock clues, because an older version of QuizWriter built it.",
    "Build the bundle again with this version.",
)


class ClueLookup:
    """Asks the past questions of a bundle, and the other tossups of a set, about the sentences of a draft."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: tuple[tuple[tuple[str, str, str], ...], SetSentences] | None = None

    def look_up(
        self,
        engine: Engine,
        tossup: Tossup,
        tossup_id: str = "",
        give_way: Callable[[], object] = lambda: None,
    ) -> tuple[SentenceClues, ...]:
        """What past questions say of each sentence of ``tossup``; any thread may call it.

        ``tossup_id`` is its id in the database: the other tossups of its set are looked through, too, for
        sentences that say nearly the same. Without one, no set is. ``give_way`` is called every few
        milliseconds.
        """
        if engine.clue_finder is None:
            raise NO_SENTENCES
        others = self._others(tossup_id) if tossup_id else None
        return engine.clue_finder.look_up(tossup, others, give_way)

    def _others(self, tossup_id: str) -> SetSentences:
        """The sentences of the other tossups in the set of ``tossup_id``; the last are kept."""
        from quizwriter.engine.clue_finder import SetSentences

        others = self._store.others_of_set(self._store.review_of(tossup_id).set_name, tossup_id)
        last = self._last
        if last is None or last[0] != others:
            last = self._last = others, SetSentences(others)
        return last[1]


class RepeatedSentences:
    """Finds what says the same as a draft: whole tossups, and else sentences that say nearly the same.

    Sentences repeat a draft if they make up so much of it as two tossups share that say the same.
    """

    def __init__(
        self, finder: ClueFinder, draft: Tossup, whole: DuplicateFinder, others: SetSentences | None = None
    ) -> None:
        """``whole`` are tossups that may be like ``draft``.

        Sentences are compared with ``others``, those of the draft's set; None: with those of past questions,
        in ``finder``.
        """
        self._finder, self._draft, self._whole, self._others = finder, draft, whole, others

    def of(self, text: str, key: str = "") -> tuple[NearDuplicate, ...]:
        found = self._whole.of(text, key)
        if found:
            return found
        tossup = Tossup(text, self._draft.answer)
        near = list(self._finder.near_sentences(tossup, self._others, key))
        repeated = sum(any(span.start <= word.start < span.end for span, _ in near) for word in tossup.words)
        share = repeated / max(1, len(tossup.words))
        if share < DUPLICATE_THRESHOLD:
            return ()
        names = {(one.key or one.name): one.name for _, one in near}
        return tuple(NearDuplicate(OtherTossup(key, name, ""), share) for key, name in names.items())


def repeat_finders(
    engine: Engine, draft: Tossup, in_set: DuplicateFinder, others: SetSentences
) -> tuple[RepeatFinder, RepeatFinder]:
    """What finds repeats of ``draft`` in its set and among past questions: while one writes and at *ready*.

    ``in_set`` are the tossups of the set, and ``others`` their sentences; the draft may be among them.
    """
    found = engine.retrieval.similar_past_tossups(draft)
    past = DuplicateFinder(OtherTossup(source, source, text) for source, text in found)
    finder = engine.clue_finder
    if finder is None:
        return in_set, past
    return RepeatedSentences(finder, draft, in_set, others), RepeatedSentences(finder, draft, past)
