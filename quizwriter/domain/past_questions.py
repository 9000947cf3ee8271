"""Past questions: what was asked before, how often, and what a search for it finds."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.span import Span


class QuestionKind(StrEnum):
    """What a past question is, or where else a text comes from that a search finds."""

    TOSSUP = "tossup"
    BONUS_PART = "bonus part"
    ARTICLE = "article"
    OWN = "own tossup"


EASIEST, HARDEST = 1, 10
"""Difficulties, from middle school to open tournaments."""


class PastQuestion(msgspec.Struct, frozen=True):
    """A tossup or a part of a bonus as it was asked.

    ``number`` tells it from the others of its bundle. ``line`` is its answer line, ``place`` where in the
    tournament it was asked ("packet 3, tossup 7"). ``year`` and ``difficulty`` (:data:`EASIEST` to
    :data:`HARDEST`) are None where the source does not say; ``power`` is the place in ``text``, in code
    points, where the power ends, or None. ``yours``: a packet that the writer added has it.
    """

    number: int
    kind: QuestionKind
    text: str
    line: str
    page: Page
    category: str = ""
    tournament: str = ""
    place: str = ""
    year: int | None = None
    difficulty: int | None = None
    power: int | None = None
    yours: bool = False

    @property
    def source(self) -> str:
        """Where it was asked, as a writer reads it: "2017 NASAT, packet 17, tossup 16"."""
        return ", ".join(filter(None, (self.tournament or "a past question", self.place)))


class TimesAsked(msgspec.Struct, frozen=True):
    """How often a page was the answer; ``first`` and ``last`` are years, None where none is known."""

    tossups: int = 0
    bonus_parts: int = 0
    yours: int = 0  # of these, from packets that the writer added
    first: int | None = None
    last: int | None = None

    @property
    def all(self) -> int:
        return self.tossups + self.bonus_parts


class PastAnswerLine(msgspec.Struct, frozen=True):
    """An answer line that past questions had: how many, and the last year, None where it is not known."""

    line: str
    count: int
    last: int | None = None


class QuestionFilter(msgspec.Struct, frozen=True):
    """Which past questions are wanted; what is empty or None does not matter.

    ``answer`` is the beginning of some words of the page's name; ``category`` and ``tournament`` are parts of
    these names. Case does not matter. Years and difficulties include their ends; a question without a year
    is in no span of years. ``yours``: only questions of packets that the writer added, or none of these.
    """

    kinds: frozenset[QuestionKind] = frozenset()
    answer: str = ""
    category: str = ""
    tournament: str = ""
    first_year: int | None = None
    last_year: int | None = None
    easiest: int | None = None
    hardest: int | None = None
    yours: bool | None = None

    @property
    def takes_own(self) -> bool:
        """Whether own tossups are wanted, which have no year and no difficulty."""
        spans = (self.first_year, self.last_year, self.easiest, self.hardest, self.yours)
        return all(one is None for one in spans) and (not self.kinds or QuestionKind.OWN in self.kinds)

    @property
    def takes_articles(self) -> bool:
        """Whether articles are wanted: nothing is asked that only questions have."""
        spans = (self.first_year, self.last_year, self.easiest, self.hardest, self.yours)
        asked = bool(self.category or self.tournament) or any(one is not None for one in spans)
        return not asked and (not self.kinds or QuestionKind.ARTICLE in self.kinds)

    def takes(self, question: PastQuestion) -> bool:
        return (
            (not self.kinds or question.kind in self.kinds)
            and (not self.answer or f" {answer_key(self.answer)}" in f" {answer_key(question.page)}")
            and self.category.casefold() in question.category.casefold()
            and self.tournament.casefold() in question.tournament.casefold()
            and _within(question.year, self.first_year, self.last_year)
            and _within(question.difficulty, self.easiest, self.hardest)
            and (self.yours is None or question.yours == self.yours)
        )


EVERY_QUESTION = QuestionFilter()


def _within(value: int | None, lowest: int | None, highest: int | None) -> bool:
    if value is None:
        return lowest is None and highest is None
    return (lowest is None or value >= lowest) and (highest is None or value <= highest)


class SearchHit(msgspec.Struct, frozen=True):
    """A text that has the words of a search; ``hits`` are these words in ``text``.

    ``question`` is the past question that it is; articles and own tossups have none. ``tossup_id`` names the
    own tossup.
    """

    kind: QuestionKind
    text: str
    page: str
    source: str
    hits: tuple[Span, ...] = ()
    question: PastQuestion | None = None
    tossup_id: str = ""


class SearchResult(msgspec.Struct, frozen=True):
    """What a search found: the first hits, and how many texts have the words, by kind.

    ``partial``: a phrase of very common words was looked for in the newest of these texts only.
    ``too_common``: nothing was looked for, because nearly every text has these words.
    """

    hits: tuple[SearchHit, ...] = ()
    counts: dict[QuestionKind, int] = msgspec.field(default_factory=dict)
    partial: bool = False
    too_common: bool = False

    @property
    def count(self) -> int:
        return sum(self.counts.values())


class UsualPlace(StrEnum):
    """Where in tossups a clue usually stands; none where it has no usual place."""

    FIRST = "first sentence"
    MIDDLE = "in the middle"
    LAST = "last sentence"
    NONE = ""


class PastClue(msgspec.Struct, frozen=True):
    """A clue that several questions on one answer use.

    ``example`` is how one of them says it, and ``words`` are the words in it that the others have, too.
    ``tossups`` of ``of_tossups`` tossups have the clue, and ``bonus_parts`` parts of bonuses. ``first`` and
    ``last`` are years. ``said`` has where each of these questions says it, by its number. ``in_draft``: the
    draft has the clue.
    """

    example: str
    words: tuple[Span, ...]
    tossups: int
    of_tossups: int
    bonus_parts: int
    first: int | None
    last: int | None
    place: UsualPlace
    said: Mapping[int, Span]
    in_draft: bool = False


class PastReport(msgspec.Struct, frozen=True):
    """Everything about one answer: how often it was asked, its questions, the oldest first, and its clues."""

    page: str
    counts: TimesAsked = TimesAsked()
    questions: tuple[PastQuestion, ...] = ()
    clues: tuple[PastClue, ...] = ()
