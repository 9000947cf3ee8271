"""From running text to index terms; shared with index_builder, so that both always agree."""

from __future__ import annotations

import re
from functools import lru_cache

import Stemmer
from anyascii import anyascii

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # noqa: RUF001 - the typographic apostrophe is meant
_POSSESSIVE = re.compile(r"['’]s?$|['’](?=s\b)")  # noqa: RUF001

STOP_WORDS = frozenset(
    """
    a about after all also although am an and another any are as at be became because been before being
    both but by can could did do does doing during each either for from had has have having he her here
    hers herself him himself his how however i if in into is it its itself just me more most my nor not of
    off on once one only or other our out over own she should so some such than that the their theirs them
    themselves then there these they this those through thus to too under until up upon very was we were
    what when where which while who whom whose why will with would you your
    """.split()
)
"""Words that say nothing about the answer; chosen by hand, measured to cost no accuracy."""


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def tokens(text: str) -> list[re.Match[str]]:
    """The tokens of ``text`` as matches: runs of letters and digits, inner apostrophes included."""
    return list(_TOKEN.finditer(text))


@lru_cache(maxsize=50_000)
def term(token: str) -> str:
    """The index form of ``token``: folded to ASCII, lower case, without possessive, stemmed.

    Empty for a stop word.

    Source:
        The stemmer is Snowball's English one (Porter 2).
    """
    folded = _POSSESSIVE.sub("", anyascii(token).lower()).replace("'", "")
    return "" if folded in STOP_WORDS else _stemmer().stemWord(folded)
