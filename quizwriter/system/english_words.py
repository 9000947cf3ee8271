"""The list of words of English texts of all kinds, in small letters; it has many names, too."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from quizwriter.system.resource_files import resource_lines

_BEGINNING = 3  # letters by which the list puts words together


def is_listed(folded: str) -> bool:
    """Whether the list has ``folded``, a word in small letters."""
    return f" {folded[_BEGINNING:]} " in _rests().get(folded[:_BEGINNING], "")


@cache
def _rests() -> Mapping[str, str]:
    """The rests of the words by how they begin, between spaces."""
    lines = resource_lines("spelling/listed_words.txt")
    return {line[:_BEGINNING]: f"{line[_BEGINNING:]} " for line in lines}
