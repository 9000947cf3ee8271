"""Tables 1 and 2 of the paper, drafted: for each tag a question, its clue, and the wrong page it leads to.

The rows say which player was wrong in the end, with what, and which words of which sentence lead there by
retrieval's evidence. Nobody judged whether the tag is why. Texts of past questions belong to others, so that
evidence is given by its source and by the words that the question shares with it.

Source:
    Wallace et al., "Trick Me If You Can" (2019), section 5, tables 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup, bare_word
from quizwriter.engine.engine import Engine
from quizwriter.judging import may_be_right
from quizwriter.services.tossups import phenomena
from quizwriter.store.plays import PlayRecord
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.sources import LONGEST_SOURCE, one_line

MOST_CUES = 6
"""Words of the clue that are named, those that speak most for the wrong page."""

LONGEST_CLUE = 300
"""Characters of a clue in a table; what is cut ends in an ellipsis."""

READING, COMPOSING, OTHER = "distracting clues", "reasoning", ""
"""The groups of phenomena, one a table: clues that mislead, clues to be put together; then all other tags."""


class WrongGuessRow(msgspec.Struct, frozen=True):
    """The last guess of the first player that knows the answer and is wrong in the end.

    ``sentence`` is the number, from 0, of the sentence that speaks most for ``page``, ``words`` are those of
    it that do, and ``source`` says which text about the page has most of them; empty where there is none.
    """

    guesser: str
    page: str
    sentence: int = 0
    words: tuple[str, ...] = ()
    source: str = ""


def wrong_guess(engine: Engine, tossup: Tossup, records: Sequence[PlayRecord]) -> WrongGuessRow | None:
    """The row for ``tossup``, on which players had the games ``records``; None where none was wrong."""
    for record in records:
        course, summary = record.course, record.summary
        if not summary.knowable or summary.stable_correct is not None:
            continue
        page = course.last_guess
        if page is not None:
            if tossup.answer is not None and may_be_right(tossup.answer, page):
                continue  # it may be the same answer, so it is no example of a wrong one
            return _explained(engine, tossup, summary.guesser, page)
    return None


def _explained(engine: Engine, tossup: Tossup, guesser: str, page: str) -> WrongGuessRow:
    found = engine.pages.find(page)
    if found is None:
        return WrongGuessRow(guesser, page)
    evidence = engine.retrieval.explain(tossup, Page(found))
    weights = [0.0] * len(tossup.sentences)
    cues: list[list[tuple[float, Span]]] = [[] for _ in weights]
    for cue in evidence.cues:
        at = next((at for at, one in enumerate(tossup.sentences) if cue.span.start < one.end), None)
        if at is not None and cue.weight > 0:
            weights[at] += cue.weight
            cues[at].append((cue.weight, cue.span))
    if not any(weights):
        return WrongGuessRow(guesser, page)
    sentence = weights.index(max(weights))
    best = sorted(cues[sentence], key=lambda cue: (-cue[0], cue[1].start))[:MOST_CUES]
    spans = sorted({span for _, span in best}, key=lambda span: span.start)
    passages = [one for one in evidence.passages if one.sentence == sentence]
    source = max(passages, key=lambda one: len(one.hits)).source if passages else ""
    return WrongGuessRow(
        guesser,
        page,
        sentence,
        tuple(bare_word(span.of(tossup.text)) for span in spans),
        one_line(source, LONGEST_SOURCE),
    )


class TaggedExample(msgspec.Struct, frozen=True):
    """A tag, how many questions have it, on how many of these a player is wrong in the end, and one of them.

    ``share`` is of all questions. Of the example: its number, its clue, its answer, and what was guessed.
    """

    tag: str
    group: str
    share: Estimate
    hits: int
    wrong: int
    number: int | None = None
    clue: str = ""
    answer: str = ""
    guess: WrongGuessRow | None = None


def tagged_examples(
    tags: Mapping[int, Sequence[str]],
    guesses: Mapping[int, WrongGuessRow],
    tossups: Mapping[int, Tossup],
) -> Iterator[TaggedExample]:
    """An example for each of ``tags``, which are those of each question by its number."""
    groups = {one.name: one.group for one in phenomena()}
    for tag in sorted({tag for of in tags.values() for tag in of}):
        numbers = [number for number, of in sorted(tags.items()) if tag in of]
        wrong = [number for number in numbers if number in guesses]
        group = groups.get(tag, OTHER)
        share = share_of(len(numbers), len(tags))
        if not wrong:
            yield TaggedExample(tag, group, share, len(numbers), 0)
            continue
        number, guess = wrong[0], guesses[wrong[0]]
        tossup = tossups[number]
        span = tossup.sentences[guess.sentence] if guess.sentence < len(tossup.sentences) else Span(0, 0)
        clue = " ".join(span.of(tossup.text).split())
        yield TaggedExample(
            tag,
            group,
            share,
            len(numbers),
            len(wrong),
            number,
            clue if len(clue) <= LONGEST_CLUE else f"{clue[:LONGEST_CLUE].rsplit(' ', 1)[0]} …",
            tossup.answer.main if tossup.answer is not None else "",
            guess,
        )
