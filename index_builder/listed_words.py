"""The list of words in ``resources/spelling`` by which the rule on spelling knows names and rare words.

It is made for a release from the large English list of the package wordfreq, without the slips that the
package codespell knows: ``make words`` does it.
"""

from __future__ import annotations

import gzip
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec

from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_text

SHORTEST, LONGEST = 3, 40
"""Letters of a word that is listed."""

LISTED = "listed_words.txt"


def write_listed_words(source: Path, slips: Path, folder: Path) -> int:
    """Write the words of ``source``, a list of the package wordfreq, into ``folder``; how many they are.

    ``slips`` is the dictionary of the package codespell; its slips are left out, which many people write.

    A line has the words that begin with the same three letters: these letters, and then behind a space each
    the rest of every word. Only words of letters are taken, in small letters.

    Source:
        The format cB of wordfreq 3: a header, then lists of words, the most frequent first.
        https://github.com/rspeer/wordfreq
        The dictionary of codespell: a line for each slip, as in "teh->the".
        https://github.com/codespell-project/codespell
    """
    try:
        lists = msgspec.msgpack.decode(gzip.decompress(source.read_bytes()), type=list[Any])
        header, *words = lists
        if not isinstance(header, dict) or header.get("format") != "cB":
            raise ValueError("the header is another one")
        found = {word for one in msgspec.convert(words, list[list[str]]) for word in one}
    except (OSError, EOFError, ValueError, zlib.error, msgspec.MsgspecError) as trouble:
        raise QuizwriterError(
            f"{source} is not a list of the package wordfreq: {trouble}.",
            "Choose large_en.msgpack.gz in its folder data.",
        ) from trouble
    try:
        known = {
            line.partition("->")[0] for line in slips.read_text(encoding="utf-8").splitlines() if "->" in line
        }
    except (OSError, UnicodeDecodeError) as trouble:
        raise QuizwriterError(
            f"{slips} cannot be read: {trouble}.", "Choose dictionary.txt of codespell."
        ) from trouble
    if not known:
        raise QuizwriterError(f"{slips} has no slips.", "Choose dictionary.txt of the package codespell.")
    lines = listed_lines(found - known)
    with atomic_text(folder / LISTED, make_folder=True) as file:
        file.writelines(f"{line}\n" for line in lines)
    return sum(line.count(" ") for line in lines)


def listed_lines(words: set[str]) -> list[str]:
    """The lines of the list of ``words``; the same words give the same lines."""
    ends: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(words):
        if SHORTEST <= len(word) <= LONGEST and word.isalpha() and word == word.casefold():
            ends[word[:SHORTEST]].append(word[SHORTEST:])
    return [f"{beginning} {' '.join(rests)}" for beginning, rests in ends.items()]
