"""The style sheet of a set: which rules its tossups follow, how long they are, how early players may buzz."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from quizwriter.domain.events import Body, Released, event_kind


class Spelling(StrEnum):
    """The spelling that a set uses; ``EITHER`` is both."""

    EITHER = "either"
    AMERICAN = "American"
    BRITISH = "British"


class PointsPhrase(StrEnum):
    """How a set writes the phrase before the last clue."""

    FIGURES = "for 10 points"
    WORDS = "for ten points"


class Powers(StrEnum):
    """Whether the tossups of a set have a power mark; ``AS_OTHERS``: if most of the others have one."""

    AS_OTHERS = "as the others"
    EXPECTED = "expected"
    NONE = "none"


@event_kind("buzz goal", log="goal", pack=3, released=Released.NEVER)
class BuzzGoal(Body, frozen=True):
    """No player, or not the ``player`` that is named, is to buzz before ``per_cent`` of the words.

    0 per cent: there is no goal. A tossup with :data:`NO_GOAL_AT_ALL` has none even in a set that has one.
    """

    per_cent: int
    player: str = ""

    @property
    def is_set(self) -> bool:
        """Whether there is a goal: its share is above 0 and at most 100 per cent."""
        return 0 < self.per_cent <= 100

    @property
    def is_waived(self) -> bool:
        """Whether it says that a tossup has no goal, whatever its set says."""
        return self == NO_GOAL_AT_ALL


NO_GOAL = BuzzGoal(0)
NO_GOAL_AT_ALL = BuzzGoal(0, "nobody")  # for older programs it is the goal of the set


class StyleSheet(msgspec.Struct, frozen=True):
    """What a set wants of its tossups.

    ``changed`` names the rules that are not as they are by default: on where that is off, and the other way
    round. ``shortest`` and ``longest`` are words of a tossup, ``longest_sentence`` words of a sentence.
    ``words`` are right as they are written, whatever a dictionary says. ``buzz_percent`` is the chance, in
    per cent, at which all players buzz on tossups of the set; 0: each buzzes by its own rule, None: the set
    leaves it to the writer. ``goal`` is that of all tossups of the set that have none of their own.
    """

    changed: tuple[str, ...] = ()
    shortest: int = 50
    longest: int = 175
    longest_sentence: int = 45
    spelling: Spelling = Spelling.EITHER
    points: PointsPhrase = PointsPhrase.FIGURES
    powers: Powers = Powers.AS_OTHERS
    words: tuple[str, ...] = ()
    buzz_percent: int | None = None
    goal: BuzzGoal = NO_GOAL

    def chosen_buzz_percent(self, of_writer: int) -> int:
        """The chance that counts, in per cent: that of the set, else the one ``of_writer``."""
        of_set = self.buzz_percent
        return of_set if of_set is not None and 0 <= of_set < 100 else of_writer


STANDARD_STYLE = StyleSheet()
"""The style sheet of sets that have none; 98 in 100 published tossups are as long as it wants."""
