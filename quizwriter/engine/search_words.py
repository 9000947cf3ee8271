"""What a search looks for: words in any order and phrases, without case, accents and endings."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate, islice

from anyascii import anyascii

from quizwriter.domain.span import Span
from quizwriter.engine.tokenizer import TOKEN, token

LONGEST_SEARCH = 400
"""Characters of a search that are looked at."""

MOST_TOKENS = 20_000
"""Words of a text that are looked at to mark those that were found."""

_QUOTED = re.compile(r'["“”„]([^"“”„]*)["“”„]')


class SearchWords:
    """What a search looks for: ``stems`` that a text must have, and phrases.

    ``said``: there are words, if only such as nearly every text has.
    """

    def __init__(self, words: str) -> None:
        if len(words) > LONGEST_SEARCH:  # what is left of a word that was cut would be found nowhere
            start = words[: LONGEST_SEARCH + 1]
            words = start.rsplit(maxsplit=1)[0] if any(map(str.isspace, start)) else start
        every = TOKEN.findall(words)
        self.said = bool(every)
        self.stems = frozenset(token(word).hash for word in every) - {0}
        quoted = (phrase for phrase in _QUOTED.findall(words) if len(TOKEN.findall(phrase)) > 1)
        self._phrases = tuple(map(_spelt, quoted))
        loose = TOKEN.findall(_QUOTED.sub(" ", words)) if self._phrases else every
        self._loose = frozenset(token(word).hash for word in loose) - {0}

    @property
    def has_phrases(self) -> bool:
        """Whether words have to stand one after the other."""
        return bool(self._phrases)

    def has_all_phrases(self, *texts: str) -> bool:
        spelt = [_spelt(text) for text in texts]
        return all(any(phrase in text for text in spelt) for phrase in self._phrases)

    def matches(self, text: str) -> bool:
        stems = {token(word).hash for word in TOKEN.findall(text)}
        return bool(self.stems) and self.stems <= stems and self.has_all_phrases(text)

    def hits(self, text: str) -> tuple[Span, ...]:
        """Where ``text`` has the words; those of a phrase only where the phrase stands."""
        found = list(islice(TOKEN.finditer(text), MOST_TOKENS))
        marked = {place for place, one in enumerate(found) if token(one.group()).hash in self._loose}
        if self._phrases:
            spelt = [_spelt(one.group()).strip() for one in found]
            for phrase in self._phrases:
                marked |= _runs(phrase, spelt)
        return tuple(Span(*found[place].span()) for place in sorted(marked))


def _runs(phrase: str, words: list[str]) -> set[int]:
    """The numbers of the ``words`` that, one after the other, are ``phrase``."""
    starts = [0, *accumulate(len(word) + 1 for word in words)]  # in the text of all words
    text = f" {' '.join(words)} "
    found: set[int] = set()
    at = text.find(phrase)
    while at >= 0:
        first, last = bisect_left(starts, at), bisect_left(starts, at + len(phrase) - 1)
        found.update(range(first, last))
        at = text.find(phrase, at + 1)
    return found


_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}


def _spelt(text: str) -> str:
    """The words of ``text`` in small ASCII letters, a space before and after each."""
    return f" {' '.join(_folded(text).translate(_SPACES).split())} "


_NOT_ASCII = re.compile(r"[^\x00-\x7f]{1,40}")


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return _NOT_ASCII.sub(lambda found: _in_ascii(found.group()), text).lower()


@lru_cache(maxsize=5_000)
def _in_ascii(letters: str) -> str:
    return anyascii(letters)
