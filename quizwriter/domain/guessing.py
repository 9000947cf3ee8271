"""To be read a tossup word by word: guesses, buzzes, and who makes them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from typing import Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from quizwriter.domain.evidence import Evidence, Faithfulness
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup

TOP = 5
"""How many guesses a player says after every word."""

RANK_DEPTH = 50
"""Among how many pages a player looks for the true answer after every word."""


class Guess(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
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


def chance_of(page: Page, score: float, row: Row, confidence: float) -> float:
    """The chance of ``page``, which has ``score``, when that of the first guess of ``row`` is ``confidence``.

    It is the one :func:`odds` gives it, also where the row does not name the page.
    """
    whole = row if any(guess.page == page for guess in row) else (*row, Guess(page, score))
    found = zip(whole, odds(whole, confidence), strict=True)
    return next(chance for guess, chance in found if guess.page == page)


def win_chance(share: float) -> float:
    """The chance of winning a tossup by a right answer after ``share`` of it, from 0 to 1.

    Source:
        Rodriguez et al., "Quizbowl: The Case for Incremental Question Answering", arXiv 1904.04792,
        a cubic fitted to games people played on Protobowl.
    """
    return min(1.0, 0.9931 + 0.0775 * share - 1.278 * share**2 + 0.588 * share**3)


class Outcome(StrEnum):
    """What one player made of one question in the end."""

    RIGHT = "right"
    WRONG = "wrong"
    CANNOT_KNOW = "cannot know it"


def can_know(answer: Answer | None, said: bool | None, first_correct: int | None = None) -> bool:
    """Whether a player is able to name ``answer`` at all.

    ``said`` is what the player says of the pages it knows; None when it does not say, as games recorded by
    older versions. Then the answer's page decides: an answer with a page counts as known, an answer without
    one as unknown. A player that was right after ``first_correct`` words has shown that it knows the page. No
    player can know the answer while none is set.
    """
    if answer is None:
        return False
    if first_correct is not None:
        return True
    return answer.page is not None if said is None else said


def outcome(stable_correct: int | None, *, knowable: bool) -> Outcome:
    """The one of three states in which a game ends.

    The player *gets it*, and the outcome is right, when its first guess is the true answer after the last
    word heard; ``stable_correct`` says since which word. A player that was right earlier and lost the answer
    again does not get it: the outcome is wrong. Where the page is not ``knowable`` for the player, the
    question tells nothing about the player, and no share, count or choice includes the game.
    """
    if stable_correct is not None:
        return Outcome.RIGHT
    return Outcome.WRONG if knowable else Outcome.CANNOT_KNOW


def stumped(first_correct: int | None, possible: int | None, *, knowable: bool) -> bool:
    """Whether the question stumps a player: it can know the answer, and its first guess is always wrong.

    ``possible`` is after how many words that guess may be right first, None for never: see
    :func:`quizwriter.judging.first_possible`. What nobody can decide is no stump.
    """
    return knowable and first_correct is None and possible is None


class Buzz(msgspec.Struct, frozen=True):
    """The decision to answer after ``heard`` words; ``confidence`` is the chance of being right."""

    heard: int
    guess: Guess
    confidence: float


class Playthrough(msgspec.Struct, frozen=True, dict=True):
    """One player's whole game on one tossup.

    ``heard`` rises strictly and ends with the number of words; ``rows[i]`` is said after ``heard[i]``
    words. ``ranks[i]`` is the place of the true answer then, from 1; None when it is not among the
    first ``RANK_DEPTH``, or when there is no answer to look for. ``chances[i]`` is the player's confidence
    in the first guess of ``rows[i]``, as a probability; empty until a buzzer has judged it. ``trouble``
    says, in words for the writer, why there are no rows. ``knows_answer`` says whether the true answer is
    among the pages that the player knows; None when the player does not say. ``possible`` is after how many
    words the first guess may be right first, where the judge was asked.

    A game that is ``sampled`` has rows for the words only after which the player was asked: between them
    nothing is known of it, and nothing is concluded; ``heard`` need not end with the number of words then.
    ``grows`` says that more rows come. ``waits_for`` is the chance at which the player buzzes; 0 if unknown.
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
    knows_answer: bool | None = None
    sampled: bool = False
    grows: bool = False
    waits_for: float = 0.0
    possible: int | None = None

    @property
    def final(self) -> Row:
        """The guesses once everything is heard; empty if nothing was."""
        return self.rows[-1] if self.rows else ()

    def index_after(self, heard: int) -> int | None:
        """Which row was the last said when ``heard`` words had been read; None before the first.

        In a game that is sampled, a row counts after its own word only.
        """
        if self.sampled:
            return self.heard.index(heard) if heard in self.heard else None
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
    def knowable(self) -> bool:
        """Whether the player is able to name the true answer; see :func:`can_know`."""
        return can_know(self.tossup.answer, self.knows_answer, self.first_correct)

    @property
    def outcome(self) -> Outcome:
        """How the game ends, see :func:`outcome`."""
        return outcome(self.stable_correct, knowable=self.knowable)

    def first_buzz(self, chance: float) -> Buzz | None:
        """The buzz at the first row whose chance is at least ``chance``; None if no row has it."""
        for heard, row, now in zip(self.heard, self.rows, self.chances, strict=True):
            if row and now >= chance:
                return Buzz(heard, row[0], now)
        return None

    def buzzing_at(self, chance: float) -> Playthrough:
        """The game with the buzz at the first guess of this chance; with its own buzz where it is 0."""
        if not chance or not self.chances:
            return self
        return replace(self, buzz=self.first_buzz(chance), waits_for=chance)

    @property
    def buzzes_right(self) -> bool:
        answer = self.tossup.answer
        return self.buzz is not None and answer is not None and answer.accepts(self.buzz.guess.page)


class PlayOutline(msgspec.Struct, frozen=True):
    """What a game comes to, without its course. Positions are words heard, None where there is none.

    ``page`` is the first guess after the last word, None without one; ``answer_chance`` is the chance that
    the player gives the true answer then, 0 where it is not among its first guesses. The other fields are
    those of :class:`Playthrough`.
    """

    guesser: str
    words: int
    first_correct: int | None = None
    stable_correct: int | None = None
    buzz: Buzz | None = None
    buzzes_right: bool = False
    page: Page | None = None
    answer_chance: float = 0.0
    knowable: bool = False
    trouble: str | None = None
    possible: int | None = None

    @classmethod
    def of(cls, play: Playthrough) -> PlayOutline:
        """The outline of ``play``, whose chances a buzzer has judged."""
        final, answer = play.final, play.tossup.answer
        chances = odds(final, play.chances[-1]) if final and play.chances else ()
        right = (
            chance
            for guess, chance in zip(final, chances, strict=False)
            if answer is not None and answer.accepts(guess.page)
        )
        return cls(
            play.guesser,
            len(play.tossup.words),
            play.first_correct,
            play.stable_correct,
            play.buzz,
            play.buzzes_right,
            final[0].page if final else None,
            next(right, 0.0),
            play.knowable,
            play.trouble,
            play.possible,
        )

    @property
    def right_buzz(self) -> int | None:
        """Words heard at the buzz, if it is on the true answer."""
        return self.buzz.heard if self.buzz is not None and self.buzzes_right else None


class FoolRadius(msgspec.Struct, frozen=True):
    """The fewest added words that take the first place from the true answer, and give it to ``rival``.

    ``words`` are those, the strongest first. ``exact``: no page needs fewer words; otherwise it is a bound.
    ``distractor`` is a sentence about the rival that speaks for it most.
    """

    rival: Page
    words: tuple[str, ...]
    exact: bool
    distractor: str = ""


class Reliability(msgspec.Struct):
    """How far chances mean what they say, over many games: every row with a guess, each game counting once.

    Source:
        Naeini et al., "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015: chances
        are sorted into bins of equal width, whose mean chance is held against the share that was right.
    """

    bins: int = 10
    _sums: dict[int, tuple[float, float, float]] = msgspec.field(default_factory=dict)  # count, said, right

    def add(self, play: Playthrough) -> None:
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
        """The ``top`` guesses as ``tossup`` is read; no row depends on words not yet heard.

        Raises:
            ValueError: ``top`` is less than 1, or more than the guesser ranks.
        """

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """Why ``page``, after all of ``tossup``; None if this guesser has no evidence of its own.

        ``exact`` asks for exact weights where those given otherwise are an estimate; it may take longer.
        """


@runtime_checkable
class GradualGuesser(Guesser, Protocol):
    """A guesser that takes so long that its game is shown while it grows."""

    def games(self, tossup: Tossup, top: int = TOP) -> Iterator[Playthrough]:
        """The game on ``tossup`` as far as it is known: at once, and again after each answer.

        Whoever iterates may stop after any step; nothing more is asked then.
        """


class Buzzer(Protocol):
    """Decides when to interrupt. ``threshold`` is the chance at which it does, 0 if that is not all."""

    @property
    def threshold(self) -> float:
        """The chance at which it buzzes."""

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        """For each row of ``play``, the chance that its first guess is right; 0 where it has none.

        No chance depends on rows said later.
        """

    def buzz(self, play: Playthrough) -> Buzz | None:
        """The first moment worth answering at, by ``play.chances``; None to sit it out."""


class Player(msgspec.Struct, frozen=True):
    """A guesser with its finger on a buzzer. ``engine`` is the digest of what it was loaded from.

    One that is ``distant`` asks over a network: it may be slow, out of reach for a while, and come back.
    Each game of one that is ``metered`` costs money or minutes: it plays only where the user asked for it.
    One that plays ``at_pauses`` takes longer than a key may: it is asked at the ends of sentences and where
    the writer pauses.
    """

    guesser: Guesser
    buzzer: Buzzer
    engine: str = ""
    distant: bool = False
    metered: bool = False
    at_pauses: bool = False

    @property
    def has_gaps(self) -> bool:
        """Whether it is asked after some words of a tossup only: what counts whole games leaves it out."""
        return self.metered or self.at_pauses

    @property
    def name(self) -> str:
        return self.guesser.name

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The whole game on ``tossup``, the buzz and the time it took included."""
        started = time.perf_counter()
        play = self.judged(self.guesser.play(tossup, top))
        return replace(play, milliseconds=(time.perf_counter() - started) * 1000)

    def games(self, tossup: Tossup, top: int = TOP) -> Iterator[Playthrough]:
        """The game as it grows, each time as :meth:`play` gives it; the last one is whole."""
        if not isinstance(self.guesser, GradualGuesser):
            yield self.play(tossup, top)
            return
        started = time.perf_counter()
        for play in self.guesser.games(tossup, top):
            yield replace(self.judged(play), milliseconds=(time.perf_counter() - started) * 1000)

    def judged(self, play: Playthrough) -> Playthrough:
        play = replace(play, chances=self.buzzer.chances(play))
        return replace(play, buzz=self.buzzer.buzz(play), waits_for=self.buzzer.threshold or play.waits_for)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """The guesser's evidence for ``page`` after ``tossup``, with chances as the buzzer sees them."""
        found = self.guesser.explain(tossup, page, exact=exact)
        if found is None or found.faithfulness is None or not found.faithfulness.unread:
            return found
        play = self.guesser.play(tossup)
        if not play.final:
            return found

        def judged(row: Row, score: float) -> float:
            chances = self.buzzer.chances(replace(play, rows=(*play.rows[:-1], row)))
            return chance_of(page, score, row, chances[-1])

        top, *others = (
            judged(tuple(Guess(*guess) for guess in row), 0.0) for row in found.faithfulness.unread
        )
        whole = judged(play.final, found.score)
        return replace(found, faithfulness=Faithfulness(whole, top, math.fsum(others) / len(others)))
