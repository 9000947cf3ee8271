"""Sentences about past questions, the same in the window and in commands."""

from __future__ import annotations

from collections.abc import Mapping

from quizwriter.domain.past_questions import (
    PastClue,
    PastQuestion,
    QuestionKind,
    SearchResult,
    TimesAsked,
    UsualPlace,
)
from quizwriter.workflow.wording import counted_noun, listed

KIND_NOUNS: Mapping[QuestionKind, tuple[str, str]] = {
    QuestionKind.OWN: ("own tossup", "own tossups"),
    QuestionKind.TOSSUP: ("past tossup", "past tossups"),
    QuestionKind.BONUS_PART: ("bonus part", "bonus parts"),
    QuestionKind.ARTICLE: ("passage of an article", "passages of articles"),
}
"""What a search finds, in the order in which it is told: one and several."""


def asked_sentence(counts: TimesAsked) -> str:
    """How often an answer was asked: "Asked in 49 tossups and 32 bonus parts, first 2009, last 2025."."""
    if not counts.all:
        return "No past question has this answer."
    asked = [
        counted_noun(count, noun)
        for count, noun in ((counts.tossups, "tossup"), (counts.bonus_parts, "bonus part"))
        if count
    ]
    said = f"Asked in {listed(asked)}"
    if counts.first is not None and counts.first == counts.last:
        said += f", in {counts.first}"
    elif counts.first is not None:
        said += f", first {counts.first}, last {counts.last}"
    if counts.yours:
        said += f"; {counts.yours:,} of them from your packets"
    return f"{said}."


def clue_line(clue: PastClue) -> str:
    """Where a clue was used: "in 14 of 31 tossups, first 2006, usually last sentence, last 2021"."""
    bonus = counted_noun(clue.bonus_parts, "bonus part")
    of_tossups = counted_noun(clue.of_tossups, "tossup")
    parts = [f"in {clue.tossups} of {of_tossups}" if clue.tossups else f"in {bonus}"]
    if clue.first is not None:
        parts.append(f"only {clue.first}" if clue.first == clue.last else f"first {clue.first}")
    if clue.place is not UsualPlace.NONE:
        parts.append(f"usually {clue.place}")
    if clue.last is not None and clue.last != clue.first:
        parts.append(f"last {clue.last}")
    if clue.tossups and clue.bonus_parts:
        parts.append(f"and in {bonus}")
    return ", ".join(parts)


def question_line(question: PastQuestion) -> str:
    """Where a question was asked, how hard it was, and whether it had a power mark."""
    parts = [question.source]
    if question.difficulty is not None:
        parts.append(f"difficulty {question.difficulty}")
    if question.power is not None:
        parts.append("power mark")
    return " · ".join(parts)


def result_sentence(result: SearchResult) -> str:
    """How many texts a search found, by kind."""
    if result.too_common:
        return "Nearly every text has these words. Add a rarer word."
    if not result.count:
        said = "No text has all these words."
    else:
        counts = [
            counted_noun(count, one, many)
            for kind, (one, many) in KIND_NOUNS.items()
            if (count := result.counts.get(kind, 0))
        ]
        said = f"{listed(counts)}."
    if result.partial:
        said += " The phrase has very common words, so that only the newest texts with them were read."
    return said
