"""What the last edit did: where each player buzzed before it, kept while the text changes."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from quizwriter.domain.guessing import Outcome, Playthrough
from quizwriter.domain.history import Edit
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.wording import position_line, share_line

PAUSE_S = 10.0
"""After so long a pause, the next edit is another one."""

NOT_YET = "not yet"
"""Where a player buzzes that has not buzzed on an unfinished draft."""


class BuzzPlace(msgspec.Struct, frozen=True):
    """Where a player buzzes: after ``heard`` of so many ``words``, and the code point ``at`` of the text.

    ``right`` is None where there is no answer to compare with. ``waits`` says how sure a player must be that
    does not buzz. ``unfinished``: the text does not ask for the answer yet. ``unable``: the player has no
    page for the answer, so its buzz is wrong and tells nothing of the tossup.
    """

    words: int
    heard: int | None = None
    right: bool | None = None
    at: int | None = None
    waits: str = ""
    unfinished: bool = False
    unable: bool = False

    @classmethod
    def of(cls, play: Playthrough) -> BuzzPlace:
        words, buzz, answered = play.tossup.words, play.buzz, play.tossup.answer is not None
        unable = answered and play.outcome is Outcome.CANNOT_KNOW
        if buzz is None:
            if unable:
                return cls(len(words), unable=True)
            return cls(len(words), waits=_waits(play), unfinished=all(play.tossup.clues))
        right = play.buzzes_right if answered else None
        return cls(len(words), buzz.heard, right, words[buzz.heard - 1].end, unable=unable)

    @property
    def share(self) -> str:
        """The share of the tossup heard at the buzz: *24 %*, *wrong at 24 %*, *never*, *not yet*."""
        if self.unable and self.heard is None:
            return Outcome.CANNOT_KNOW
        said = NOT_YET if self.unfinished else share_line(self.heard, self.words)
        return f"wrong at {said}" if self.right is False else said

    @property
    def in_words(self) -> str:
        """The same with the word: *95 % (word 99 of 104)*."""
        if self.unable and self.heard is None:
            return Outcome.CANNOT_KNOW
        said = (NOT_YET if self.unfinished else position_line(self.heard, self.words)) + self.waits
        unable = f", {Outcome.CANNOT_KNOW}" if self.unable else ""
        return f"wrong at {said}{unable}" if self.right is False else said

    def word_in(self, tossup: Tossup) -> int | None:
        """How many words of ``tossup`` are heard at :attr:`at`, in code points of its text.

        In a text of as many words no word was pushed along, and a clue that was moved did not take its buzz
        with it.
        """
        if len(tossup.words) == self.words:
            return self.heard
        return None if self.at is None else sum(span.start < self.at for span in tossup.words)

    def after(self, edit: Edit) -> BuzzPlace:
        if self.at is None or self.at <= edit.start:
            return self
        by = len(edit.inserted) - len(edit.removed)
        return replace(self, at=max(edit.start, self.at + by))


def _waits(play: Playthrough) -> str:
    """How sure a player was of the answer, or else of any guess, and must be: " (92 %, waits for 93 %)"."""
    chances = [
        chance
        for chance, row, right in zip(play.chances, play.rows, play.right, strict=False)
        if row and (right or not any(play.right))
    ]
    if not chances or not play.waits_for:
        return ""
    most, least = math.floor(100 * max(chances)), math.ceil(round(100 * play.waits_for, 6))
    return f" ({most}\u00a0%, waits for {least}\u00a0%)"


def move_label(now: BuzzPlace, before: BuzzPlace | None, tossup: Tossup) -> str:
    """Where a player buzzes, and where it did ``before`` the last edit if that is another word and share."""
    if before is None or (before.word_in(tossup), before.right) == (now.heard, now.right):
        return now.in_words
    return now.in_words if before.share == now.share else f"{before.share} → {now.in_words}"


class BuzzMoves:
    """Where the players buzz now, and where they did before the edits that belong to the last one.

    What is typed without a pause and without going elsewhere is one edit.
    """

    def __init__(self, text: str = "") -> None:
        self._text = text
        self._now: dict[str, BuzzPlace] = {}
        self._before: dict[str, BuzzPlace] = {}
        self._ended, self._last_s = True, -math.inf

    def take(self, plays: Iterable[Playthrough]) -> None:
        for play in plays:
            if play.tossup.text == self._text and play.trouble is None and not play.grows:
                self._now[play.guesser] = BuzzPlace.of(play)

    def end(self) -> None:
        """Have the next change of the text count as another edit."""
        self._ended = True

    def follow(self, text: str, at_s: float) -> None:
        """The text is another, at this time in seconds."""
        edit = Edit.between(self._text, text)
        if edit is None:
            return
        if self._ended or at_s > self._last_s + PAUSE_S:
            self._before = dict(self._now)
        self._text, self._ended, self._last_s = text, False, at_s
        self._now = {name: place.after(edit) for name, place in self._now.items()}
        self._before = {name: place.after(edit) for name, place in self._before.items()}

    def before(self, player: str) -> BuzzPlace | None:
        """Where ``player`` buzzed before the last edit, in code points of the text as it is."""
        return self._before.get(player)
