"""The short forms of given names, from the lists in ``resources/nicknames``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from anyascii import anyascii

from quizwriter.system.resource_files import resource_lines

_SAME = re.compile("[iy]+")

SHORTEST_CUT = 3
"""Letters of the beginning of a given name that counts as a nickname."""


def _folded(name: str) -> str:
    """What the spellings of a given name have in common: *dmitrii*, *dmitry*, *dmitri*."""
    return name[:1] + _SAME.sub("i", name[1:])


@cache
def _listed() -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    short: dict[str, set[str]] = defaultdict(set)
    whole: dict[str, set[str]] = defaultdict(set)
    for line in (
        *resource_lines("nicknames/nicknames.txt"),
        *resource_lines("nicknames/more_nicknames.txt"),
    ):
        given, *shorter = (anyascii(name).casefold() for name in line.split())
        short[_folded(given)].update(shorter)
        for name in shorter:
            whole[_folded(name)].add(given)
    return (
        {name: frozenset(of) for name, of in short.items()},
        {name: frozenset(of) for name, of in whole.items()},
    )


def nicknames_of(first: str) -> frozenset[str]:
    """The short forms of a given name, the names of which it is one, and their other short forms.

    All are in plain small letters; who is called *ben* may be a *benjamin*, whom others call *benny*.
    """
    short, whole = _listed()
    names = whole.get(_folded(first), frozenset())
    others = (short[_folded(name)] for name in names)
    return (short.get(_folded(first), frozenset()) | names).union(*others) - {first}


def cut_names(first: str) -> frozenset[str]:
    """What is left when its end or its beginning is cut off: *alejandro* as *ale*, *jandro*.

    Such a form counts beside a last name only.
    """
    beginnings = {first[:end] for end in range(SHORTEST_CUT, len(first))}
    endings = {first[start:] for start in range(1, len(first) - SHORTEST_CUT)}
    return frozenset(beginnings | endings)


def is_given_name(name: str) -> bool:
    """Whether a list has ``name``, in plain small letters, as a given name or a short form."""
    short, whole = _listed()
    return _folded(name) in short or _folded(name) in whole
