"""Sentences about past questions and stock clues, the same in the window and in commands."""

from __future__ import annotations

from collections.abc import Mapping

from quizwriter.domain.page import page_title
from quizwriter.domain.past_questions import (
    PastClue,
    PastQuestion,
    QuestionKind,
    SearchResult,
    TimesAsked,
    UsualPlace,
)
from quizwriter.domain.stock_clues import CluePlace, Hearing, NearSentence, SentenceClues
from quizwriter.workflow.wording import counted_noun, listed, percent, quoted

KIND_NOUNS: Mapping[QuestionKind, tuple[str, str]] = {
    QuestionKind.OWN: ("own tossup", "own tossups"),
    QuestionKind.TOSSUP: ("past tossup", "past tossups"),
    QuestionKind.BONUS_PART: ("bonus part", "bonus parts"),
    QuestionKind.ARTICLE: ("passage of an article", "passages of articles"),
}
"""What a search finds, in the order in which it is told: one and several."""


def counts_line(counts: TimesAsked) -> str:
    """How often an answer was asked, in a few words: "3 tossups, 5 bonus parts"."""
    return ", ".join(_counted(counts)) or "never asked"


def _counted(counts: TimesAsked) -> list[str]:
    asked = ((counts.tossups, "tossup"), (counts.bonus_parts, "bonus part"))
    return [counted_noun(count, noun) for count, noun in asked if count]


def asked_sentence(counts: TimesAsked) -> str:
    """How often an answer was asked: "Asked in 49 tossups and 32 bonus parts, first 2009, last 2025."."""
    if not counts.all:
        return "No past question has this answer."
    said = f"Asked in {listed(_counted(counts))}"
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
        said += " The words of the phrase are very common, so only the newest texts with them were searched."
    return said


NEW_CLUE = "No past question has this clue."


def clue_sentence(clues: SentenceClues) -> str:
    """How often the clue of a sentence was heard, on which answers, when, and where in the questions."""
    alike = f" {counted_noun(clues.alike, 'past question')} with similar wording." if clues.alike else ""
    if not clues.anywhere:
        return f"{NEW_CLUE}{alike}"
    said = [f"Heard in {counted_noun(clues.anywhere, 'past question')}"]
    if clues.on_answer and clues.on_answer < clues.anywhere:
        said.append(f"{clues.on_answer:,} of them on this answer")
    elif not clues.on_answer:
        said.append("all on other answers" if clues.anywhere > 1 else "on another answer")
    if clues.first is not None and clues.first != clues.last:
        said.append(f"first {clues.first}, last {clues.last}")
    elif clues.first is not None:
        said.append(f"in {clues.first}")
    return f"{', '.join(said)}; {place_clause(clues)}.{alike}"


def place_clause(clues: SentenceClues) -> str:
    """Where the questions have the clue: "usually in the giveaway"."""
    place = clues.usual_place
    if place is None:
        return ""
    often = "usually" if clues.places[place] < clues.anywhere else "always" if clues.anywhere > 1 else ""
    where = {
        CluePlace.LEAD_IN: "in the lead-in",
        CluePlace.GIVEAWAY: "in the giveaway",
        CluePlace.BONUS: "in a bonus",
    }.get(place, f"in the {place} part")
    return f"{often} {where}".strip()


def near_sentence(near: NearSentence) -> str:
    """Which sentence says nearly the same, and where it is."""
    where = f"the tossup on {near.name} in this set" if near.key and near.name else near.name or "this set"
    same = "The same" if near.share > 0.995 else f"Nearly the same ({percent(near.share)})"
    return f"{same} is in {where}: {quoted(near.passage, 400)}"


def hearing_line(hearing: Hearing) -> str:
    """Where a clue was heard: place in the question, source, and the answer if it is another one.

    Of a sentence that is only worded alike, this comes first.
    """
    place = hearing.place.capitalize() if hearing.same_clue else f"Similar wording, {hearing.place}"
    other = "" if hearing.same_answer else f" on {page_title(hearing.answer)}"
    return f"{place}{other}: {hearing.source}{_year(hearing)}"


def _year(hearing: Hearing) -> str:
    return f" ({hearing.year})" if hearing.year and str(hearing.year) not in hearing.source else ""
