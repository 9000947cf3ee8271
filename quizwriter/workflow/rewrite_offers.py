"""The rewrite bank: past questions that players get early, which a writer may make harder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from quizwriter.domain.page import page_title
from quizwriter.domain.past_questions import PastQuestion
from quizwriter.workflow.wording import player_title

EARLY = 0.6
"""A question is got early if the players buzz right, on average, before this share of its words."""

USUAL_GOAL = 60
"""Per cent of the words before which no player is to buzz, unless the writer says otherwise."""


class RewriteGame(msgspec.Struct, frozen=True):
    """A player's game on a past question: ``buzz`` and ``words`` in words heard, None for no right buzz.

    ``curve`` has a character for each per cent of the words, 1 where the first guess is right.
    """

    player: str
    words: int
    buzz: int | None
    curve: str

    @property
    def share(self) -> float:
        """Where it buzzed right, from 0 to 1; 1 if it never did."""
        return 1.0 if self.buzz is None or not self.words else min(1.0, self.buzz / self.words)


class RewriteOffer(msgspec.Struct, frozen=True):
    """A past question with the games of the players that can know its answer.

    ``read`` says that the players have learnt from this very text, so that their games say little.
    """

    question: PastQuestion
    games: tuple[RewriteGame, ...]
    read: bool = False

    @property
    def share(self) -> float:
        """Where the players buzz right on average, from 0 to 1."""
        return sum(game.share for game in self.games) / len(self.games) if self.games else 1.0

    @property
    def is_early(self) -> bool:
        return bool(self.games) and self.share <= EARLY

    @property
    def places(self) -> str:
        return ", ".join(
            f"{player_title(game.player)} {round(100 * game.share)} %"
            if game.buzz is not None
            else f"{player_title(game.player)} never"
            for game in self.games
        )


def question_key(text: str) -> str:
    """An id of a past question that is the same in every bundle, also where spaces differ."""
    return hashlib.sha256(" ".join(text.split()).casefold().encode()).hexdigest()[:24]


def question_source(question: PastQuestion) -> str:
    return f"{question.source}, on {page_title(question.page)}"


def in_order(offers: Sequence[RewriteOffer]) -> tuple[RewriteOffer, ...]:
    """The offers that are got early, those first that say most: unread texts, then the earliest."""
    found = [one for one in offers if one.is_early]
    return tuple(sorted(found, key=lambda one: (one.read, one.share, one.question.number)))
