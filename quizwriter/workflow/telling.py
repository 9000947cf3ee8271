"""An analysis in plain English, said alike by the window and the commands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import IN_SIGHT, Playthrough
from quizwriter.domain.tossup import Span, Tossup, page_title

_OWNED = re.compile(r"['’]s$")  # so that "opera" and "opera's" are one word to people


def player_title(name: str) -> str:
    """A guesser's name as people write it."""
    return name.upper() if len(name) <= 3 else name.capitalize()


def ordinal(number: int) -> str:
    """``number`` as a rank: 1st, 2nd, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def counted(number: int, noun: str) -> str:
    """``number`` with its noun: 1 word, 2 words, 1,024 words."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(frozen=True, slots=True)
class Lane:
    """A player's game as the time line paints it.

    ``states`` has a letter for every word: ``r`` right, ``w`` another page leads, ``c`` it would have
    buzzed wrong before, ``.`` nothing said yet, ``?`` there is no answer to compare with. The other
    numbers are words heard.
    """

    name: str
    states: str = ""
    first: int | None = None
    stable: int | None = None
    buzz: int | None = None
    buzz_page: str = ""
    buzzes_right: bool | None = None  # None: no answer to compare with
    trouble: str | None = None


def lane(play: Playthrough) -> Lane:
    """``play`` as the time line paints it."""
    answer, buzz = play.tossup.answer, play.buzz
    states = []
    last = 0
    state = "."
    for count, row, right in zip(play.heard, play.rows, play.right, strict=True):
        states.append(state * (count - 1 - last))
        if not row:
            state = "."
        elif answer is None:
            state = "?"
        elif right:
            state = "r"
        else:
            late = buzz is not None and not play.buzzes_right and count >= buzz.heard
            state = "c" if late else "w"
        states.append(state)
        last = count
    return Lane(
        name=play.guesser,
        states="".join(states),
        first=play.first_correct,
        stable=play.stable_correct,
        buzz=buzz.heard if buzz else None,
        buzz_page=buzz.guess.page if buzz else "",
        buzzes_right=None if answer is None or buzz is None else play.buzzes_right,
        trouble=play.trouble,
    )


def tell(play: Playthrough) -> str:
    """The whole of one player's game in a sentence or two."""
    title, words, answer = player_title(play.guesser), len(play.tossup.words), play.tossup.answer
    if play.trouble is not None:
        return f"{title}: {play.trouble}"
    if not words:
        return ""
    if play.buzz is None:
        said = f"{title} does not buzz in {counted(words, 'word')}"
    else:
        page = page_title(play.buzz.guess.page)
        said = f"{title} buzzes at word {play.buzz.heard} of {words} on {page}"
        if answer is not None and not play.buzzes_right:
            said += ", which is wrong"
    said += "."
    if answer is None:
        return said
    first, stable = play.first_correct, play.stable_correct
    if first is None:
        return f"{said} It never has your answer first."
    if stable is None:
        return f"{said} Right first at word {first}, but not in the end."
    if first == stable:
        return f"{said} Right for good from word {stable}."
    return f"{said} Right first at word {first}, for good from word {stable}."


def rank_line(play: Playthrough, index: int | None) -> str:
    """Where the true answer stands in row ``index``; empty when there is none to look for."""
    if play.tossup.answer is None or index is None or index >= len(play.ranks):
        return ""
    rank = play.ranks[index]
    if rank is not None:
        return f"Your answer: {ordinal(rank)}"
    if play.tossup.answer.page is None:
        return "Your answer is not in this bundle"
    return f"Your answer: not among the first {IN_SIGHT}"


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of the draft, and what it adds to the score of the page in focus."""

    number: int  # from 0
    span: Span
    share: float  # of the score; negative where it speaks against
    words: tuple[tuple[Span, float], ...]  # each word's share, relative to the strongest


def parts(tossup: Tossup, evidence: Evidence) -> tuple[Part, ...]:
    """The sentences with their shares of ``evidence``'s score; those not heard have none."""
    strongest = max((abs(cue.weight) for cue in evidence.cues), default=0.0) or 1.0
    total = sum(cue.weight for cue in evidence.cues)
    found = []
    for number, span in enumerate(tossup.sentences):
        inside = [cue for cue in evidence.cues if span.start <= cue.span.start < span.end]
        weight = sum(cue.weight for cue in inside)
        shaded = tuple((cue.span, cue.weight / strongest) for cue in inside)
        found.append(Part(number, span, weight / total if total > 0 else 0.0, shaded))
    return tuple(found)


def lead_words(tossup: Tossup, evidence: Evidence, *, at_most: int = 3) -> tuple[str, ...]:
    """The words of the draft that speak loudest for the page, loudest first, none twice."""
    found: dict[str, str] = {}
    for cue in sorted(evidence.cues, key=lambda cue: -cue.weight):
        if cue.weight <= 0 or len(found) == at_most:
            break
        word = _OWNED.sub("", cue.span.of(tossup.text).strip(" .,;:!?\"“”'‘’()[]"))
        if word:
            found.setdefault(word.casefold(), word)
    return tuple(found.values())
