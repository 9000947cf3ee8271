"""The command that says of each sentence of drafts or questions how often its clue was heard."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened_to_play
from quizwriter.cli.output import print_json, print_lines, print_text, progress
from quizwriter.cli.problems import tossups_of
from quizwriter.domain.page import page_title
from quizwriter.domain.stock_clues import SentenceClues
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.past_wording import clue_sentence, hearing_line, near_sentence
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

SOURCES = 3
"""How many sources of a clue are printed; JSON has more."""


@command(
    "stock",
    "Show for each sentence how often its clue was heard, where, and similar wordings.",
    argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a text file with one tossup, - for the standard input, JSON lines, QANTA JSON, or a packet",
    ),
    json=True,
)
def _stock(arguments: argparse.Namespace) -> int:
    found = []
    with opened_to_play(arguments) as app, progress() as bars:
        engine = app.engines.load()
        tossups = [(name, tossup) for name in arguments.files for tossup in tossups_of(app, name)]
        numbers: dict[str, int] = {}
        for name, tossup in bars.counted("Looking up clues", tossups):
            numbers[name] = numbers.get(name, 0) + 1
            tossup = Tossup(tossup.text, _filed(engine, tossup.answer))
            clues = app.clue_lookup.look_up(engine, tossup)
            found.append((name, numbers[name], tossup, clues))
    if arguments.json:
        print_json([_as_json(*one) for one in found])
    else:
        for one in found:
            _print(*one)
    return 0


def _filed(engine: Engine, answer: Answer | None) -> Answer | None:
    """``answer`` with the page that the bundle has for it, where it has one."""
    if answer is None:
        return None
    return Answer(answer.line, engine.pages.find(answer.page or answer.main) or answer.page)


def _as_json(name: str, number: int, tossup: Tossup, clues: Sequence[SentenceClues]) -> dict[str, Any]:
    return {
        "file": name,
        "question": number,
        "answer": tossup.answer.line if tossup.answer is not None else None,
        "page": tossup.answer.page if tossup.answer is not None else None,
        "sentences": [_sentence_json(tossup.text, one) for one in clues],
    }


def _sentence_json(text: str, one: SentenceClues) -> dict[str, Any]:
    return {
        "text": one.span.of(text),
        "span": [one.span.start, one.span.end],
        "stock": one.stock,
        "heard_on_answer": one.on_answer,
        "heard_anywhere": one.anywhere,
        "similar_wording": one.alike,
        "places": {str(place): count for place, count in one.places.items()},
        "first_year": one.first,
        "last_year": one.last,
        "words": [[word.start, word.end] for word in one.words],
        "sources": [
            {
                "source": hearing.source,
                "tournament": hearing.tournament or None,
                "year": hearing.year,
                "place": str(hearing.place),
                "answer": page_title(hearing.answer),
                "same_answer": hearing.same_answer,
                "same_clue": hearing.same_clue,
                "passage": hearing.passage,
                "chance": round(hearing.chance, 3),
            }
            for hearing in one.hearings
        ],
        "near_duplicate": {
            "source": one.near.name,
            "passage": one.near.passage,
            "share": round(one.near.share, 3),
        }
        if one.near is not None
        else None,
    }


def _print(name: str, number: int, tossup: Tossup, clues: Sequence[SentenceClues]) -> None:
    print_lines(f"{name} {number}: {tossup.answer.main if tossup.answer is not None else 'No answer'}")
    for one in clues:
        sentence = one.span.of(tossup.text)
        styles = [(word.start - one.span.start, word.end - one.span.start, "underline") for word in one.words]
        print_text(f"{sentence}", *(styles if one.stock else ()))
        print_text(f"  {'Stock clue. ' if one.stock else ''}{clue_sentence(one)}")
        for hearing in one.hearings[:SOURCES]:
            print_text(f"    {hearing_line(hearing)}")
        if one.near is not None:
            print_text(f"  {near_sentence(one.near)}")
    marked = sum(one.stock for one in clues)
    print_lines(f"{counted_noun(marked, 'stock clue')} in {counted_noun(len(clues), 'sentence')}.", "")
