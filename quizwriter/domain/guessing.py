"""To be read a tossup word by word: guesses, buzzes, and who makes them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.tossup import Page, Tossup

TOP = 5
"""How many guesses a player says after every word."""

RANK_DEPTH = 50
"""Among how many pages a player looks for the true answer after every word."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A page and how strongly a guesser believes in it.

    ``score`` is a natural logarithm up to a constant of the row: the odds of two guesses of a row are
    ``exp`` of the difference of their scores. It is never compared across guessers.
    """

    page: Page
    score: float


Row = tuple[Guess, ...]
"""What a guesser says after some word: best first, no page twice."""


def odds(row: Row, confidence: float) -> tuple[float, ...]:
    """The chance of each guess of ``row`` when that of the first is ``confidence``.

    The others follow by their odds against the first, as far as what it leaves them goes.
    """
    if not row:
        return ()
    others = [confidence * math.exp(min(0.0, guess.score - row[0].score)) for guess in row[1:]]
    left, wanted = 1.0 - confidence, sum(others)
    scale = left / wanted if wanted > left else 1.0
    return (confidence, *(chance * scale for chance in others))


def win_chance(share: float) -> float:
    """The chance of winning a tossup by a right answer after ``share`` of it, from 0 to 1.

    Source:
        Rodriguez et al., "Quizbowl: The Case for Incremental Question Answering", arXiv 1904.04792,
        a cubic fitted to games people played on Protobowl.
    """
    return min(1.0, 0.9931 + 0.0775 * share - 1.278 * share**2 + 0.588 * share**3)


@dataclass(frozen=True, slots=True)
class Buzz:
    """The decision to answer after ``heard`` words; ``confidence`` is the chance of being right."""

    heard: int
    guess: Guess
    confidence: float


@dataclass(frozen=True)
class Playthrough:
    """One player's whole game on one tossup.

    ``heard`` rises strictly and ends with the number of words; ``rows[i]`` is said after ``heard[i]``
    words. ``ranks[i]`` is the place of the true answer then, from 1; None when it is not among the
    first ``RANK_DEPTH``, or when there is no answer to look for. ``chances[i]`` is the player's confidence
    in the first guess of ``rows[i]``, as a probability; empty until a buzzer has judged it. ``trouble``
    says, in words for the writer, why there are no rows.
    """

    guesser: str
    tossup: Tossup
    heard: tuple[int, ...] = ()
    rows: tuple[Row, ...] = ()
    ranks: tuple[int | None, ...] = ()
    chances: tuple[float, ...] = ()
    buzz: Buzz | None = None
    milliseconds: float = 0.0
    trouble: str | None = None

    @property
    def final(self) -> Row:
        """The guesses once everything is heard; empty if nothing was."""
        return self.rows[-1] if self.rows else ()

    def index_after(self, heard: int) -> int | None:
        """Which row was the last said when ``heard`` words had been read; None before the first."""
        index = None
        for i, count in enumerate(self.heard):
            if count > heard:
                break
            index = i
        return index

    @cached_property
    def right(self) -> tuple[bool, ...]:
        """For each row, whether its first guess is the true answer."""
        answer = self.tossup.answer
        if answer is None:
            return (False,) * len(self.rows)
        verdicts: dict[Page, bool] = {}
        found = []
        for row in self.rows:
            if not row:
                found.append(False)
                continue
            page = row[0].page
            if page not in verdicts:
                verdicts[page] = answer.accepts(page)
            found.append(verdicts[page])
        return tuple(found)

    @property
    def first_correct(self) -> int | None:
        """Words heard when the first guess is right for the first time."""
        return next((self.heard[i] for i, right in enumerate(self.right) if right), None)

    @property
    def stable_correct(self) -> int | None:
        """Words heard when the first guess is right for good."""
        stable = None
        for count, right in zip(reversed(self.heard), reversed(self.right), strict=True):
            if not right:
                break
            stable = count
        return stable

    @property
    def buzzes_right(self) -> bool:
        """Whether there is a buzz and it is on the true answer."""
        answer = self.tossup.answer
        return self.buzz is not None and answer is not None and answer.accepts(self.buzz.guess.page)


@dataclass
class Reliability:
    """How far chances mean what they say, over many games: every row with a guess, each game counting once.

    Source:
        Naeini et al., "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015: chances
        are sorted into bins of equal width, whose mean chance is held against the share that was right.
    """

    bins: int = 10
    _sums: dict[int, tuple[float, float, float]] = field(default_factory=dict)  # count, said, right

    def add(self, play: Playthrough) -> None:
        """Count the rows of ``play``."""
        rows = [
            (chance, right)
            for row, chance, right in zip(play.rows, play.chances, play.right, strict=True)
            if row
        ]
        for chance, right in rows:
            place = min(int(chance * self.bins), self.bins - 1)
            count, said, true = self._sums.get(place, (0.0, 0.0, 0.0))
            share = 1 / len(rows)
            self._sums[place] = (count + share, said + chance * share, true + right * share)

    @property
    def error(self) -> float:
        """The expected calibration error, from 0 to 1."""
        total = sum(count for count, _, _ in self._sums.values())
        return sum(abs(said - right) for _, said, right in self._sums.values()) / total if total else 0.0

    def table(self) -> list[tuple[float, float, float]]:
        """For each bin that has any: how many games' worth of rows, the mean chance, the share right."""
        return [
            (round(count, 1), round(said / count, 4), round(right / count, 4))
            for _, (count, said, right) in sorted(self._sums.items())
        ]


class Guesser(Protocol):
    """Names pages. Immutable once loaded, so that any thread may use it."""

    @property
    def name(self) -> str:
        """A short lower-case name: ``ir``, ``dan``."""

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses as ``tossup`` is read; no row depends on words not yet heard."""

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """Why ``page``, after all of ``tossup``; None if this guesser has no evidence of its own.

        ``exact`` asks for exact weights where those given otherwise are an estimate; it may take longer.
        """


class Buzzer(Protocol):
    """Decides when to interrupt."""

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        """For each row of ``play``, the chance that its first guess is right; 0 where it has none.

        No chance depends on rows said later.
        """

    def buzz(self, play: Playthrough) -> Buzz | None:
        """The first moment worth answering at, by ``play.chances``; None to sit it out."""


@dataclass(frozen=True, slots=True)
class Player:
    """A guesser with its finger on a buzzer. ``engine`` is the digest of what it was loaded from.

    One that is ``distant`` asks over a network: it may be slow, out of reach for a while, and come back.
    """

    guesser: Guesser
    buzzer: Buzzer
    engine: str = ""
    distant: bool = False

    @property
    def name(self) -> str:
        """The guesser's name."""
        return self.guesser.name

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The whole game on ``tossup``, the buzz and the time it took included."""
        started = time.perf_counter()
        play = self.guesser.play(tossup, top)
        play = replace(play, chances=self.buzzer.chances(play))
        play = replace(play, buzz=self.buzzer.buzz(play))
        return replace(play, milliseconds=(time.perf_counter() - started) * 1000)
