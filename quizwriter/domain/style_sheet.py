"""The style sheet of a set: which rules its tossups follow, and how long they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class StyleSheet:
    """What a set wants of its tossups.

    ``changed`` names the rules that are not as they are by default: on where that is off, and the other way
    round. ``shortest`` and ``longest`` are words of a tossup, ``longest_sentence`` words of a sentence.
    ``words`` are right as they are written, whatever a dictionary says.
    """

    changed: tuple[str, ...] = ()
    shortest: int = 50
    longest: int = 175
    longest_sentence: int = 45
    spelling: Spelling = Spelling.EITHER
    points: PointsPhrase = PointsPhrase.FIGURES
    powers: Powers = Powers.AS_OTHERS
    words: tuple[str, ...] = ()


STANDARD_STYLE = StyleSheet()
"""The style sheet of sets that have none; 98 in 100 published tossups are as long as it wants."""
