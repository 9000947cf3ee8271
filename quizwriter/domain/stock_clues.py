"""What past questions say of the sentences of a draft: how often a clue was heard, where, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from quizwriter.domain.span import Span

STOCK_FROM = 2
"""A clue is stock if so many past questions have it.

How many clues are found so, and how many marks are false, is measured in docs/researchers.md.
"""


class CluePlace(StrEnum):
    """Where in a past question a clue stood: in a tossup from the lead-in to the giveaway, or in a bonus."""

    LEAD_IN = "lead-in"
    EARLY = "early"
    MIDDLE = "middle"
    LATE = "late"
    GIVEAWAY = "giveaway"
    BONUS = "bonus part"


def clue_place(number: int, sentences: int) -> CluePlace:
    """The place of the sentence ``number``, from 0, in a tossup of so many ``sentences``."""
    if number >= sentences - 1:
        return CluePlace.GIVEAWAY
    if number == 0:
        return CluePlace.LEAD_IN
    share = number / (sentences - 1)
    return CluePlace.EARLY if share < 0.4 else CluePlace.MIDDLE if share < 0.7 else CluePlace.LATE


class Hearing(msgspec.Struct, frozen=True):
    """A sentence of a past question with the clue of a draft's sentence; else one that is only worded alike.

    ``passage`` is that sentence, ``hits`` the words in it that the draft shares, ``answer`` the answer line's
    page, ``tournament`` is empty and ``year`` None where the source does not say. ``number`` is that of the
    past question in its library. ``chance`` is the estimated chance that both sentences have the same clue.
    """

    number: int
    passage: str
    hits: tuple[Span, ...]
    answer: str
    same_answer: bool
    same_clue: bool
    place: CluePlace
    source: str
    tournament: str
    year: int | None
    chance: float


class NearSentence(msgspec.Struct, frozen=True):
    """A sentence of a past question, or of another tossup of the set, that says nearly the same.

    ``name`` is what people call its question, ``share`` how much of the rare words of both is common to both,
    from 0 to 1, ``key`` the id of the set's tossup; empty for a past question.
    """

    name: str
    passage: str
    share: float
    key: str = ""


class SentenceClues(msgspec.Struct, frozen=True):
    """What past questions say of one sentence of a draft.

    ``span`` is the sentence in the draft; ``words`` are the words in it that make its clue known.
    ``on_answer`` and ``anywhere`` count the past questions that have its clue, on the draft's answer and on
    all answers; ``places`` counts them by place. ``first`` and ``last`` are years, None where none is known.
    ``alike`` counts those that are only worded alike. ``hearings`` are the surest of all, those with the clue
    first, and of them those on the draft's answer.
    """

    span: Span
    words: tuple[Span, ...] = ()
    on_answer: int = 0
    anywhere: int = 0
    alike: int = 0
    places: Mapping[CluePlace, int] = msgspec.field(default_factory=dict)
    first: int | None = None
    last: int | None = None
    hearings: tuple[Hearing, ...] = ()
    near: NearSentence | None = None

    @property
    def stock(self) -> bool:
        return self.anywhere >= STOCK_FROM

    @property
    def usual_place(self) -> CluePlace | None:
        """The place where most questions have the clue; None if none has it."""
        return max(self.places, key=lambda place: self.places[place], default=None)

    def moved(self, by: int) -> SentenceClues:
        words = tuple(Span(word.start + by, word.end + by) for word in self.words)
        return replace(self, span=Span(self.span.start + by, self.span.end + by), words=words)
