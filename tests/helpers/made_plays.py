"""Games made up for the fitting of buzzers."""

from __future__ import annotations

import math

from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup


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
