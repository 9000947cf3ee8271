"""The categories a set is made of: up to three levels, its own or the standard ones."""

from __future__ import annotations

import json
from collections.abc import Iterable

from quizwriter.errors import QuizwriterError

Category = tuple[str, ...]
"""A category from the broadest level on, one to three names."""

DEEPEST = 3

_STANDARD = {
    "Literature": "American, British, Classical, European, World: Drama, Long fiction, Poetry, Short fiction",
    "History": "American, Ancient, European, World, Other",
    "Science": "Biology, Chemistry, Physics, Mathematics, Astronomy, Computer science, Earth science",
    "Fine Arts": "Painting, Sculpture, Architecture, Photography, Film, Classical music, Opera, Jazz, Dance",
    "Religion": "Christianity, Islam, Judaism, Hinduism, Buddhism, Other",
    "Mythology": "Classical, Norse, Egyptian, Other",
    "Philosophy": "Ancient, Modern, Analytic, Other",
    "Social Science": "Anthropology, Economics, Linguistics, Political science, Psychology, Sociology",
    "Geography": "Physical, Human",
    "Current Events": "United States, World",
    "Pop Culture": "Film, Literature, Music, Sports, Television, Video games",
    "Other": "",
}


def _standard() -> Iterable[Category]:
    for name, below in _STANDARD.items():
        yield (name,)
        second, _, third = below.partition(":")
        for level in filter(None, second.split(", ")):
            yield (name, level)
            for last in filter(None, third.strip().split(", ")):
                yield (name, level, last)


STANDARD: tuple[Category, ...] = tuple(_standard())
"""What sets have that have no categories of their own, each level before those below it."""


def as_json(paths: Iterable[Category]) -> str:
    """``paths`` to be kept; see :func:`of_json`."""
    return json.dumps([list(path) for path in paths], ensure_ascii=False)


def of_json(kept: str) -> tuple[Category, ...]:
    """What :func:`as_json` wrote, whole: each level before those below it, none twice.

    Raises:
        QuizwriterError: it is no such thing.
    """
    try:
        rows = json.loads(kept)
        paths = [tuple(level for level in map(str.strip, row) if level)[:DEEPEST] for row in rows]
    except (ValueError, TypeError):
        raise QuizwriterError(
            "The categories of this set make no sense to this version.", "Set them up again."
        ) from None
    return tuple(dict.fromkeys(path[:depth] for path in paths for depth in range(1, len(path) + 1)))
