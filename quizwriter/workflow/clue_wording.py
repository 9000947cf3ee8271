"""Sentences about stock clues and near duplicates, as windows and commands say them."""

from __future__ import annotations

from quizwriter.domain.page import page_title
from quizwriter.domain.stock_clues import CluePlace, Hearing, NearSentence, SentenceClues
from quizwriter.workflow.wording import counted_noun, percent, quoted

NEW_CLUE = "No past question has this clue."


def clue_sentence(clues: SentenceClues) -> str:
    """How often the clue of a sentence was heard, on which answers, when, and where in the questions."""
    if not clues.anywhere:
        return NEW_CLUE
    said = [f"Heard in {counted_noun(clues.anywhere, 'past question')}"]
    if clues.on_answer and clues.on_answer < clues.anywhere:
        said.append(f"{clues.on_answer:,} of them on this answer")
    elif not clues.on_answer:
        said.append("all on other answers" if clues.anywhere > 1 else "on another answer")
    if clues.first is not None and clues.first != clues.last:
        said.append(f"first {clues.first}, last {clues.last}")
    elif clues.first is not None:
        said.append(f"in {clues.first}")
    return f"{', '.join(said)}; {place_clause(clues)}."


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
    """Where a clue was heard: place in the question, source, and the answer if it is another one."""
    place = hearing.place.capitalize()
    other = "" if hearing.same_answer else f" on {page_title(hearing.answer)}"
    return f"{place}{other}: {hearing.source}{_year(hearing)}"


def _year(hearing: Hearing) -> str:
    return f" ({hearing.year})" if hearing.year and str(hearing.year) not in hearing.source else ""
