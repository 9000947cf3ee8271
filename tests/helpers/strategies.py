"""What Hypothesis draws questions from."""

from __future__ import annotations

from hypothesis import strategies as st

from quizwriter.domain.tossup import Tossup

CLUES = [
    *("Pinkerton", "aria", "this", "opera", "Nagasaki", "geisha", "Haydn", "Joseph", "symphony", "Clara"),
    *("Schumann", "lullaby", "theme", "of", "by", "(*)", '("BROMZ")', "For", "10", "points,", "name", "zzz"),
    *("cone", "ellipse", "Sphere", "Turandot"),
]
tossups = st.lists(st.sampled_from(CLUES), max_size=18).map(lambda words: Tossup(" ".join(words)))
"""Tossups on what the starter bundle knows, with words that it does not know."""
