"""How early people answer a tossup: the curve of recorded rooms, and the predicted one where there are none.

The prediction is the mean curve of recorded rooms on tossups of one difficulty. It knows nothing of the text,
which is why it is always called *predicted*, and why how well it does is said beside it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import ceil, log
from typing import Annotated

import msgspec

from quizwriter.domain.past_questions import EASIEST, HARDEST
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.estimates import share_of
from quizwriter.workflow.people_rooms import FEWEST_ROOMS, BuzzFit, PeopleBuzz, PeopleRooms
from quizwriter.workflow.wording import counted_noun, quoted

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
    """Which share of rooms was answered rightly after each of ``words`` words heard.

    A ``recorded`` curve is of ``rooms`` rooms in which people played this tossup, with the edges of Wilson's
    95 % intervals; of fewer than :data:`FEWEST_ROOMS` there are no ``shares``. Any other is predicted, and
    ``basis`` says from what. ``buzzes`` are people's that fit the text. Later edits moved ``moved`` rooms;
    ``gone`` no longer fit, and ``cut`` ended before people had answered: these do not count. Of ``untold``
    nothing said which version was read.
    """

    words: int
    shares: tuple[float, ...]
    recorded: bool
    rooms: int
    basis: str = ""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    buzzes: tuple[PeopleBuzz, ...] = ()
    moved: int = 0
    gone: int = 0
    cut: int = 0
    untold: int = 0

    @property
    def half(self) -> int | None:
        """After how many words half of the rooms are answered; None where they never are."""
        return next((at for at, share in enumerate(self.shares, start=1) if share >= 0.5), None)

    @property
    def in_words(self) -> str:
        """The curve for those who do not see it, and for the tooltip."""
        end = ""
        if self.shares:
            where = (
                "never half of the rooms" if self.half is None else f"half of the rooms by word {self.half}"
            )
            end = f": {where}, {_percent(self.shares[-1])}\N{NO-BREAK SPACE}% at the end{self._band(-1)}"
        if not self.recorded:
            return f"People, predicted{end}. {self.basis}"
        few = "" if self.shares else f": too few for a curve, which needs {FEWEST_ROOMS}"
        return f"People, recorded in {counted_noun(self.rooms, 'room')}{end}{few}.{self._told_edits}"

    @property
    def _told_edits(self) -> str:
        """What later edits did to the rooms, and what is not known of them."""
        counts = (
            (self.moved, "was moved by later edits", "were moved by later edits"),
            (self.gone, "no longer fits the text", "no longer fit the text"),
            (self.cut, "ended before people had answered", "ended before people had answered"),
            (self.untold, "does not say which version was read", "do not say which version was read"),
        )
        return "".join(
            f" {counted_noun(number, 'room')} {one if number == 1 else many}."
            for number, one, many in counts
            if number
        )

    def _band(self, at: int) -> str:
        return f" ({_percent(self.low[at])} to {_percent(self.high[at])})" if self.low else ""

    def at_word(self, heard: int) -> str:
        """What the curve and people say after ``heard`` words."""
        if not 1 <= heard <= self.words:
            return ""
        said = []
        if self.shares:
            people = "people" if self.recorded else "people, predicted"
            rooms = counted_noun(self.rooms, "recorded room") if self.recorded else "rooms"
            share = f"{_percent(self.shares[heard - 1])}\N{NO-BREAK SPACE}%{self._band(heard - 1)}"
            said.append(f"{people}: {share} of {rooms} have answered")
        for right, one, many in ((True, "right buzz", "right buzzes"), (False, "wrong buzz", "wrong buzzes")):
            if number := len(self.buzzes_at(heard, right=right)):
                said.append(f"{counted_noun(number, one, many)} here")
        said += [
            f"{quoted(one.answers[-1])}{f' ({one.who})' if one.who else ''}"
            for one in self.buzzes_at(heard, right=False)
            if one.answers
        ]
        return f"Word {heard} of {self.words}, {'; '.join(said)}" if said else f"Word {heard} of {self.words}"

    def buzzes_at(self, heard: int, *, right: bool) -> tuple[PeopleBuzz, ...]:
        return tuple(one for one in self.buzzes if one.placed.word == heard and one.right is right)

    @property
    def wrong_answers(self) -> tuple[str, ...]:
        """What people said and was rejected, each once, the most frequent first."""
        said = Counter(one.answers[-1] for one in self.buzzes if not one.right and one.answers)
        return tuple(answer for answer, _ in said.most_common())


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def recorded_curve(people: PeopleRooms, words: int) -> PeopleCurve | None:
    """The curve of rooms that fit a text of ``words`` words; None where nobody played it."""
    fitting = people.fitting
    buzzes = tuple(one for one in people.buzzes if one.placed.fit is not BuzzFit.GONE)
    if not words or not (people.rooms or buzzes):
        return None
    right, number = people.right_words, len(fitting)
    found = [share_of(bisect_right(right, heard), number) for heard in range(1, words + 1)]
    if number < FEWEST_ROOMS:
        found = []
    return PeopleCurve(
        words,
        tuple(one.value or 0.0 for one in found),
        True,
        number,
        low=tuple(one.low or 0.0 for one in found),
        high=tuple(one.high or 0.0 for one in found),
        buzzes=buzzes,
        moved=sum(one.placed.fit is BuzzFit.MOVED for one in fitting),
        gone=people.counted(BuzzFit.GONE),
        cut=sum(not one.whole and one.placed.fit is not BuzzFit.GONE for one in people.rooms),
        untold=sum(not one.told for one in people.rooms),
    )


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
        return PeopleCurve(
            words, mean.shares(words), False, mean.rooms, f"It is the mean of {of}. {self.accuracy}"
        )

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
