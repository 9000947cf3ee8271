"""The categories a set is made of: up to three levels, its own or the standard ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def with_parents(paths: Iterable[Sequence[str]]) -> tuple[Category, ...]:
    """``paths`` with every level before those below it, and no category twice.

    Names are stripped, empty names and levels below :data:`DEEPEST` are left out.
    """
    clean = (tuple(filter(None, map(str.strip, path)))[:DEEPEST] for path in paths)
    return tuple(dict.fromkeys(path[:depth] for path in clean for depth in range(1, len(path) + 1)))
