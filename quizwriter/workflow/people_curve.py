"""How early people answer a tossup: the curve of recorded rooms, and the predicted one where there are none.

The prediction is the mean curve of recorded rooms on tossups of one difficulty. It knows nothing of the text,
which is why it is always called *predicted*, and why how well it does is said beside it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from math import ceil, log
from typing import Annotated

import msgspec

from quizwriter.domain.past_questions import EASIEST, HARDEST
from quizwriter.domain.review import RoomsRecorded
from quizwriter.domain.tossup import Tossup
from quizwriter.domain.tossup_game import Played, Said
from quizwriter.workflow.wording import counted_noun

STEPS = 20
"""A curve has one value after each twentieth of the words."""

PSEUDO_ROOMS = 1.0
"""Rooms that each step counts beforehand, so that no step is impossible."""

DIFFICULTY_NAMES: Mapping[str, int] = {
    "middle school": 1, "easy high school": 2, "high school": 3, "regular high school": 3,
    "hard high school": 4, "national high school": 5, "high school nationals": 5, "easy college": 6,
    "medium college": 7, "college": 7, "regionals": 8, "nationals": 9, "open": 10,
}  # fmt: skip
"""Words for a difficulty and its number, as the question files count them; others are not understood."""


class PeopleCurve(msgspec.Struct, frozen=True):
    """Which share of rooms was answered rightly after each word heard; ``shares`` has one for each word.

    A ``recorded`` curve is of ``rooms`` rooms in which people played this tossup; any other is predicted, and
    ``basis`` says from what. ``wrong`` are the words at which recorded people buzzed wrong. ``edited`` says
    that the text was edited since people played it.
    """

    shares: tuple[float, ...]
    recorded: bool
    rooms: int
    basis: str = ""
    wrong: tuple[int, ...] = ()
    edited: bool = False

    @property
    def half(self) -> int | None:
        """After how many words half of the rooms are answered; None where they never are."""
        return next((at for at, share in enumerate(self.shares, start=1) if share >= 0.5), None)

    @property
    def in_words(self) -> str:
        """The curve for those who do not see it, and for the tooltip."""
        where = "never half of the rooms" if self.half is None else f"half of the rooms by word {self.half}"
        last = self.shares[-1] if self.shares else 0.0
        end = f"{where}, {100 * last:.0f}\N{NO-BREAK SPACE}% at the end"
        if not self.recorded:
            return f"People, predicted: {end}. {self.basis}"
        since = " The text was edited since." if self.edited else ""
        return f"People, recorded in {counted_noun(self.rooms, 'room')}: {end}.{since}"

    def at_word(self, heard: int) -> str:
        """What the curve says after ``heard`` words."""
        if not 1 <= heard <= len(self.shares):
            return ""
        share = f"{100 * self.shares[heard - 1]:.0f}\N{NO-BREAK SPACE}%"
        whom = f"of {counted_noun(self.rooms, 'room')}, recorded" if self.recorded else "of rooms, predicted"
        buzzed = self.wrong.count(heard)
        wrong = f"; {counted_noun(buzzed, 'wrong buzz', 'wrong buzzes')} here" if buzzed else ""
        return f"Word {heard} of {len(self.shares)}, people: {share} {whom}, have answered{wrong}"


def recorded_curve(
    recorded: Sequence[RoomsRecorded], words: int, *, edited: bool = False
) -> PeopleCurve | None:
    """The curve of rooms that were recorded of a tossup that has ``words`` words now; None without a room.

    A room that was recorded twice counts once. Where the text had another number of words then, a buzz counts
    at the same share of the words.
    """
    rooms, wrong = recorded_rooms(recorded, words)
    if not rooms or not words:
        return None
    at = sorted(heard for heard in rooms if heard is not None)
    shares = tuple(bisect_right(at, heard) / len(rooms) for heard in range(1, words + 1))
    return PeopleCurve(shares, True, len(rooms), "", tuple(sorted(wrong)), edited)


def recorded_rooms(
    recorded: Sequence[RoomsRecorded], words: int
) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
    """After how many of ``words`` words each recorded room was answered, None: never; and the wrong buzzes.

    As for :func:`recorded_curve`, a room counts once, and buzzes keep their share of the words.
    """
    right: dict[str, int | None] = {}
    wrong: list[int] = []
    for one in recorded:
        if one.games and all(game in right for game in one.games):
            continue
        for game, heard in zip(one.games, one.right, strict=False):
            right.setdefault(game, _moved(heard, one.words, words) if heard > 0 else None)
        wrong += [_moved(heard, one.words, words) for heard in one.wrong]
    return tuple(right.values()), tuple(wrong)


def rooms_of_games(played: Iterable[Played], writers: Collection[str]) -> tuple[RoomsRecorded, ...]:
    """The games of people who are none of the ``writers``, oldest first, as recorded rooms.

    A person who hears a tossup again knows it, so only the first game of each counts.
    """
    heard: set[str] = set()
    found = []
    for one in played:
        game, seats = one.replay(), one.rules.seats
        known = heard.union(writers)
        counted = {at for at, seat in enumerate(seats) if not seat.machine and seat.person not in known}
        heard.update(seat.person for seat in seats if seat.person)
        if game is None or not counted or one.replaced:
            continue
        buzzes = [(buzz, max(1, buzz.word)) for buzz in game.state.buzzes if buzz.seat in counted]
        right = next((word for buzz, word in buzzes if buzz.said is Said.ACCEPT), 0)
        wrong = tuple(word for buzz, word in buzzes if buzz.said is Said.REJECT)
        found.append(RoomsRecorded("", one.rules.tossup.words, (one.game,), (right,), wrong))
    return tuple(found)


def _moved(heard: int, words: int, to: int) -> int:
    """Word ``heard`` of ``words`` in a text of ``to`` words; past the end counts as the end."""
    if words < 1 or heard >= words:
        return to
    return heard if words == to else min(to, max(1, ceil(max(heard, 1) / words * to)))


# -- the predicted curve


_Number = Annotated[int, msgspec.Meta(ge=0)]


class MeanCurve(msgspec.Struct, frozen=True):
    """How many of ``rooms`` rooms were answered in each of :data:`STEPS` parts of the words."""

    rooms: _Number
    tossups: _Number
    answered: Annotated[tuple[_Number, ...], msgspec.Meta(min_length=STEPS, max_length=STEPS)]

    @property
    def chances(self) -> tuple[float, ...]:
        """The chance that a room is answered in each part, and last that it never is."""
        never = self.rooms - sum(self.answered)
        whole = self.rooms + PSEUDO_ROOMS * (STEPS + 1)
        return tuple((count + PSEUDO_ROOMS) / whole for count in (*self.answered, never))

    def shares(self, words: int) -> tuple[float, ...]:
        """The share of rooms that is answered after each of ``words`` words."""
        steps = [0.0, *accumulate(self.chances[:-1])]
        found = []
        for heard in range(1, words + 1):
            place = STEPS * heard / words
            part = min(STEPS - 1, int(place))
            found.append(steps[part] + (place - part) * (steps[part + 1] - steps[part]))
        return tuple(found)


class CurveOutcome(msgspec.Struct, frozen=True):
    """A room for the fit: its tossup, that one's difficulty, and in which part it was answered, or None."""

    tossup: str
    difficulty: int | None
    part: int | None


def curve_part(heard: int, words: int) -> int:
    """In which part of the words word ``heard`` lies, from 0; past the end counts as the end."""
    return min(STEPS, max(1, ceil(STEPS * heard / words))) - 1


def fit_curves(outcomes: Sequence[CurveOutcome]) -> dict[int | None, MeanCurve]:
    """The mean curve of each difficulty that ``outcomes`` have; that under None is of all of them."""
    found: dict[int | None, MeanCurve] = {}
    levels = sorted({one.difficulty for one in outcomes if one.difficulty is not None})
    for level in (*levels, None):
        rooms = [one for one in outcomes if level is None or one.difficulty == level]
        answered = [0] * STEPS
        for one in rooms:
            if one.part is not None:
                answered[one.part] += 1
        found[level] = MeanCurve(len(rooms), len({one.tossup for one in rooms}), tuple(answered))
    return found


def log_losses(curves: Mapping[int | None, MeanCurve], outcomes: Sequence[CurveOutcome]) -> list[float]:
    """For each of ``outcomes`` minus the natural logarithm of the chance that its curve gave it."""
    chances = {level: curve.chances for level, curve in curves.items()}
    return [
        -log(chances.get(one.difficulty, chances[None])[STEPS if one.part is None else one.part])
        for one in outcomes
    ]


class PredictedCurves(msgspec.Struct, frozen=True):
    """The mean curves that the program predicts with, and how well they did on tossups held back.

    ``curves`` are by difficulty, that under None is of all. ``loss`` is the mean log loss of a room, in nats,
    by the curve of its difficulty, ``loss_of_all`` by the one curve of all; ``held_back`` rooms were judged.
    """

    curves: Mapping[int | None, MeanCurve]
    loss: float
    loss_of_all: float
    held_back: int
    source: str = ""

    def curve(self, words: int, difficulty: int | None) -> PeopleCurve | None:
        """The predicted curve of a tossup of ``words`` words; None where there is nothing to predict with."""
        known = difficulty if difficulty in self.curves else None
        mean = self.curves.get(known)
        if mean is None or not mean.rooms or not words:
            return None
        of = (
            f"difficulty {known}"
            if known is not None
            else "all difficulties, because this one's is not known"
        )
        return PeopleCurve(mean.shares(words), False, mean.rooms, f"It is the mean of {of}. {self.accuracy}")

    @property
    def accuracy(self) -> str:
        """How well the curves told when a room answers, in a sentence."""
        return (
            f"It does not depend on the text: on {self.held_back:,} rooms held back its log loss is "
            f"{self.loss:.3f}, against {self.loss_of_all:.3f} by one curve for all."
        )


def has_end(tossup: Tossup) -> bool:
    """Whether the last sentence asks; where it will be, a mean curve cannot know before."""
    if not tossup.sentences:
        return False
    last = tossup.sentences[-1]
    called = (span for span, clue in zip(tossup.words, tossup.clues, strict=True) if not clue)
    return last.of(tossup.text).endswith("?") or any(span.start >= last.start for span in called)


def difficulty_of(said: str) -> int | None:
    """The number of a difficulty in words or digits; None where it is not understood."""
    text = " ".join(said.casefold().split())
    if text.isascii() and text.isdigit() and len(text) <= 2 and EASIEST <= int(text) <= HARDEST:
        return int(text)
    return DIFFICULTY_NAMES.get(text)
