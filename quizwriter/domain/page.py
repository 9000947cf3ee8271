"""Pages, the canonical names of answers, and what of a name people vary."""

from __future__ import annotations

import re
import unicodedata
from typing import NewType

Page = NewType("Page", str)
"""The canonical name of an answer, as Wikipedia titles it with underscores: ``Jane_Austen``."""


def page_title(page: str) -> str:
    """``page`` as people read it: spaces instead of underscores."""
    return page.replace("_", " ")


def plain_title(page: Page) -> str:
    """The title of ``page`` as a sentence says it, without what only tells it from others."""
    title = page_title(page)
    return _ASIDE.sub("", title) or title


_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss", "ħ": "h"}
)  # letters that Unicode does not take apart into a base and an accent
_ASIDE = re.compile(r" ?\([^()]*\)\Z")
_APOSTROPHES = re.compile("['’‘ʻ`]")
_NOT_A_WORD = re.compile(r"[\W_]+")
_ARTICLES = ("the ", "a ", "an ")
_ASCII_APOSTROPHES = b"'`"
_ASCII_KEY = b"".join(one.lower() if one.isalnum() else b" " for one in map(bytes, zip(range(256))))
"""What a key has for each character of ASCII."""


def answer_key(name: str) -> str:
    """``name`` without what people vary: case, accents, punctuation, underscores, a leading article.

    Two names with the same key are the same answer, as with Wikipedia's redirects. A name made of
    punctuation alone is its own key.
    """
    if name.isascii():  # most names are, and a bundle has hundreds of thousands
        words = b" ".join(name.encode().translate(_ASCII_KEY, _ASCII_APOSTROPHES).split()).decode()
    else:
        folded = unicodedata.normalize("NFKD", name.casefold()).translate(_LETTERS)
        bare = "".join(letter for letter in folded if not unicodedata.combining(letter))
        words = _NOT_A_WORD.sub(" ", _APOSTROPHES.sub("", bare)).strip()
    if words.startswith(_ARTICLES):
        words = words.partition(" ")[2]
    return words or name.strip()
