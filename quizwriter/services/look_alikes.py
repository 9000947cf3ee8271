"""Letters that look alike: what a name or a text is in plain letters, whatever it was written with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from anyascii import anyascii

from quizwriter.domain.tossup_game import BLANKS

_LETTERS = str.maketrans(
    {
        "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th",
        "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ß": "ss", "ħ": "h", "Ħ": "H", "’": "'", "ʻ": "'",
    }
)  # fmt: skip
_OTHER_STYLE = re.compile(r"\b(?:LATIN .*SMALL CAPITAL|SQUARED|CIRCLED|PARENTHESIZED|REGIONAL INDICATOR)\b")
"""What is in the Unicode name of a letter that is only drawn in another style."""

MOST_LETTERS = 6  # of one character; what stands for more is a word or a sentence, and no part of a name


def plain_letters(text: str) -> str:
    """``text`` with letters that look alike made one: accents, other alphabets and invisible characters go.

    Upper and lower case stay. Letters without a look-alike in ASCII stay.

    Source:
        The skeleton of Unicode Technical Standard 39, with the table of ``confusable_homoglyphs``, onto
        ASCII.
    """
    if text.isascii():
        return text
    return "".join(map(_plain, text))


@lru_cache(maxsize=20_000)
def _plain(one: str) -> str:
    """The plain letters of one character; empty if nobody sees it."""
    if one.isascii():
        return one
    one = one.translate(_LETTERS)
    if _OTHER_STYLE.search(unicodedata.name(one, "") if len(one) == 1 else ""):
        letter = anyascii(one).strip("()[]")
        if len(letter) == 1 and letter.isalpha():
            return letter
    apart = (
        one
        for one in unicodedata.normalize("NFKD", one)
        if one.isascii()
        or (unicodedata.category(one) not in {"Cf", "Mn", "Me", "Cc", "Co", "Cs"} and one not in BLANKS)
    )
    letters = "".join(apart).translate(_look_alikes())
    return letters if len(letters) <= MOST_LETTERS else " "


@cache
def _look_alikes() -> Mapping[int, str]:
    from confusable_homoglyphs.confusables import confusables_data

    found = {}
    for letter, others in confusables_data.items():
        if len(letter) == 1 and not letter.isascii() and letter.isalpha():
            alike = [
                one["c"] for one in others if len(one["c"]) == 1 and one["c"].isascii() and one["c"].isalpha()
            ]
            if alike:
                found[ord(letter)] = alike[0].upper() if letter.isupper() else alike[0]
    return found


_SAME = str.maketrans("l1|0", "iiio")


def look(name: str) -> str:
    """What ``name`` looks like: the same for all names that people may take for it."""
    return plain_letters(name).casefold().translate(_SAME)
