"""The rewrite bank: past questions are played, and begun as tossups that say what they are based on."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.domain.events import Body, Event
from quizwriter.domain.past_questions import PastQuestion, QuestionFilter, QuestionKind
from quizwriter.domain.review import BasedOn, Categorised, PutInSet
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.engines import Engines
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store
from quizwriter.workflow.rewrite_offers import (
    RewriteGame,
    RewriteOffer,
    in_order,
    question_key,
    question_source,
)
from quizwriter.workflow.session import PendingSave, now_ms

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

MOST_PLAYED = 60
"""Questions that one search plays; a player takes up to half a second for each."""


class RewriteBank:
    """Past questions to rewrite, for the user of one database."""

    def __init__(self, store: Store, home: Path, engines: Engines, profile: Profile) -> None:
        self._store, self._home, self._engines, self._profile = store, home, engines, profile

    def own_categories(self) -> tuple[str, ...]:
        """The broadest levels of the categories in which the user writes, the most frequent first."""
        from quizwriter.workflow.queue import QueueFilter, QueueSort

        keys = self._store.queue(QueueFilter(authors=(self._profile.me.id,)), QueueSort())
        counts: dict[str, int] = {}
        for row in self._store.queue_rows(keys):
            if row.category:
                counts[row.category[0]] = counts.get(row.category[0], 0) + 1
        return tuple(sorted(counts, key=lambda name: (-counts[name], name)))

    def taken(self, set_name: str) -> frozenset[str]:
        """The keys of the past questions on which somebody based a tossup of the set.

        Without a set, the questions count on which the user based any tossup here.
        """
        sets = {key: one.set_name for key, one in self._store.logged_tossups().items()}
        return frozenset(
            event.body.question
            for event in self._store.all_events()
            if isinstance(event.body, BasedOn)
            and (sets.get(event.tossup_id) == set_name if set_name else event.author == self._profile.me.id)
        )

    def offers(
        self,
        engine: Engine,
        category: str = "",
        set_name: str = "",
        *,
        seed: int = 0,
        found: Callable[[RewriteOffer], object] = lambda offer: None,
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
    ) -> tuple[RewriteOffer, ...]:
        """Past tossups of a category that the players of ``engine`` get early and nobody of the set rewrote.

        Slow; any thread may call it. At most :data:`MOST_PLAYED` questions are drawn and played, those first
        that the players have not learnt from; another ``seed`` draws others. Games are kept, so that a second
        call is quick. ``found`` gets each offer at once.
        """
        from quizwriter.engine.library import NO_LIBRARY
        from quizwriter.store.plays import PlayCache  # imported late: not needed at start

        library = engine.library
        if library is None:
            raise NO_LIBRARY
        cancellation = cancellation or Cancellation()
        wanted = QuestionFilter(kinds=frozenset({QuestionKind.TOSSUP}), category=category)
        of_category = f" of the category {category}" if category else ""
        unread, read = library.tossups(wanted)
        drawn = _drawn(unread, MOST_PLAYED, seed)
        drawn += _drawn(read, MOST_PLAYED - len(drawn), seed)
        if not drawn:
            raise QuizwriterError(f"The bundle has no past tossup{of_category}.", "Choose another category.")
        taken, late = self.taken(set_name), frozenset(unread)
        offers = []
        with (
            closing(PlayCache(self._home)) as cache,
            self._engines.batch_players(engine, cancellation) as batch,
        ):
            for done, number in enumerate(drawn):
                cancellation.check()
                if progress is not None:
                    progress(done, len(drawn))
                question = library.question(number)
                if question_key(question.text) in taken:
                    continue
                tossup = Tossup(question.text, Answer(question.line, question.page))
                games = [cache.summary(player, tossup) for player in batch.players]
                offer = RewriteOffer(
                    question,
                    tuple(
                        RewriteGame(one.guesser, one.words, one.buzz if one.buzzes_right else None, one.curve)
                        for one in games
                        if one.knowable
                    ),
                    number not in late,
                )
                if offer.is_early:
                    offers.append(offer)
                    found(offer)
        if not offers and len(drawn) == len(unread) + len(read):  # another search would draw the same
            raise QuizwriterError(
                f"The players answer no past tossup{of_category} early that is not rewritten yet.",
                "Choose another category.",
            )
        return in_order(offers)

    def begin(self, question: PastQuestion, set_name: str = "", goal: BuzzGoal | None = None) -> str:
        """Save a new tossup with the text of ``question``, which it is based on. The result is its id."""
        me, at_ms, key = self._profile.me.id, now_ms(), uuid.uuid4().hex
        text = question.text
        self._store.save(PendingSave.begun(key, text, Answer(question.line, question.page), at_ms, me))
        said: list[Body] = [BasedOn(question_source(question), question_key(text))]
        if set_name:
            said.append(PutInSet(set_name))
        if question.category:
            said.append(Categorised(tuple(question.category.split(" / ")[:3])))
        if goal is not None:
            said.append(goal)
        self._store.add_events([Event.new(key, at_ms, me, body) for body in said])
        return key


def _drawn(numbers: Collection[int], most: int, seed: int) -> list[int]:
    ordered = sorted(numbers)
    return random.Random(seed).sample(ordered, min(max(0, most), len(ordered)))
