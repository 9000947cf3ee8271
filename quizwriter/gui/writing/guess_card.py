"""What a player guessed after some word, as the guess pane paints it."""

from __future__ import annotations

import math
from urllib.parse import quote

import msgspec
from PySide6.QtCore import QUrl

from quizwriter.domain.guessing import TOP, Playthrough, odds
from quizwriter.domain.page import Page
from quizwriter.workflow.wording import percent, rank_line, share_line


def wikipedia(page: Page) -> QUrl:
    return QUrl("https://en.wikipedia.org/wiki/" + quote(page.replace(" ", "_"), safe="_(),'!:"))


class GuessLine(msgspec.Struct, frozen=True):
    """One guess as it is painted; ``chance`` is that it is right, None where nobody judged that."""

    rank: int
    page: Page
    chance: float | None
    right: bool
    focus: bool

    @property
    def appearance(self) -> tuple[object, ...]:
        """Everything that is painted of the guess, except the length of its bar."""
        return (
            self.rank,
            self.page,
            None if self.chance is None else percent(self.chance),
            self.right,
            self.focus,
        )


class GuessCard(msgspec.Struct, frozen=True):
    """One player's guesses as they are painted; ``note`` says where the true answer stands."""

    player: str
    lines: tuple[GuessLine, ...] = ()
    buzz: str = ""
    note: str = ""
    trouble: str = ""
    current: bool = False  # whose evidence is shown
    stale: bool = False  # of an older draft, or not here yet


def guess_card(play: Playthrough, heard: int, focus: Page | None = None) -> GuessCard:
    """What ``play`` said after ``heard`` words, with the page in ``focus`` marked."""
    index = play.index_after(heard)
    row = play.rows[index] if index is not None else ()
    chances: tuple[float | None, ...] = (None,) * len(row)
    if index is not None and play.chances:
        chances = odds(row, play.chances[index])
    answer = play.tossup.answer
    buzz = ""
    if play.buzz is not None:
        share = share_line(play.buzz.heard, len(play.tossup.words))
        buzz = "buzzes here" if play.buzz.heard == heard else f"buzzes at {share}"
    elif play.rows:
        waits = f"waits for {math.ceil(round(100 * play.waits_for, 6))}\u00a0%" if play.waits_for else ""
        buzz = "no buzz at the words asked" if play.sampled else waits or "does not buzz"
    note = rank_line(play, index) if row else ""
    if play.sampled and index is None and play.trouble is None:
        nearest = min(play.heard, key=lambda asked: abs(asked - heard), default=None)
        note = f"Not asked at this word; asked at word {nearest}" if nearest is not None else "Not asked yet"
    return GuessCard(
        player=play.guesser,
        lines=tuple(
            GuessLine(
                rank=rank,
                page=guess.page,
                chance=chance,
                right=answer is not None and answer.accepts(guess.page),
                focus=guess.page == focus,
            )
            for rank, (guess, chance) in enumerate(zip(row[:TOP], chances[:TOP], strict=True), start=1)
        ),
        buzz=buzz,
        note=note,
        trouble=play.trouble or "",
    )
