"""Made-up games of players: what they guess first is given, or drawn."""

from __future__ import annotations

import math

from quizwriter.domain.guessing import Buzz, Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup


def led_by(pages, name, text, *, knows=True, buzz=None):
    """A game on an eel: ``pages`` lead, a word each, which buzzes after ``buzz`` words."""
    rows = tuple((Guess(Page(page), 1.0),) for page in pages)
    ranks = tuple(1 if page == "Eel" else None for page in pages)
    buzzed = None if buzz is None else Buzz(buzz, rows[buzz - 1][0], 0.9)
    tossup = Tossup(text, Answer("Eel", Page("Eel")))
    heard, chances = tuple(range(1, len(rows) + 1)), (0.5,) * len(rows)
    return Playthrough(name, tossup, heard, rows, ranks, chances, buzzed, knows_answer=knows)


def made_play(draw, answer="A"):
    """A game whose first guess is right with a chance that its lead alone tells."""
    words = draw.randrange(15, 30)
    tossup = Tossup(" ".join(["word"] * words), Answer(answer, Page(answer)))
    rows = []
    for _ in range(words):
        lead = draw.uniform(0, 6)
        right = draw.random() < 1 / (1 + math.exp(3 - 1.2 * lead))
        pages = ("A", "B") if right else ("B", "A")
        rows.append((Guess(Page(pages[0]), 3.0), Guess(Page(pages[1]), 3.0 - lead)))
    return Playthrough("made", tossup, tuple(range(1, words + 1)), tuple(rows), (None,) * words)
