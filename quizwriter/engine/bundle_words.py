"""The words that the texts of a bundle use: in how many of them each is, and which stand together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from quizwriter.engine.bundle import Bundle
from quizwriter.engine.stored_arrays import require
from quizwriter.engine.tokenizer import Hashes, Token, kind_hash, pair_hash, places, token

_WORDS, _COUNTS = "words/words.txt", "words/counts.npy"
_AT_ONCE = 10_000


class BundleWords:
    """The word list of a bundle, read when it is first needed. Any thread may ask."""

    def __init__(self, bundle: Bundle) -> None:
        """The list in ``bundle``; it is empty if an older version built the bundle."""
        self._bundle = bundle

    @cached_property
    def counts(self) -> dict[str, int]:
        """In how many texts each word is; words that are only written with a capital have it."""
        if _WORDS not in self._bundle.files:
            return {}
        words, counts = self._bundle.lines(_WORDS), self._bundle.array(_COUNTS)
        with self._bundle.refusing(_COUNTS):
            require(len(words) == len(counts), "it does not fit the words")
        found: dict[str, int] = {}
        for start in range(0, len(words), _AT_ONCE):  # other threads get their turn in between
            stop = start + _AT_ONCE
            found.update(zip(words[start:stop], counts[start:stop].tolist(), strict=True))
        return found

    @cached_property
    def _terms(self) -> Hashes:
        """The hashes of all terms in the bundle, sorted; those of pairs are of several texts."""
        return self._bundle.array("ir/terms.npy")

    @cached_property
    def _everywhere(self) -> frozenset[int]:
        """The stems that most tossups have, which make no pairs."""
        return frozenset(self._bundle.array("ir/everywhere.npy").tolist())

    def together(
        self, before: Sequence[str], words: Sequence[str], after: Sequence[str]
    ) -> list[tuple[bool, bool]]:
        """For each of ``words``, whether it stands beside such neighbours, and is a kind of answer here.

        ``before`` and ``after`` are the words around the place, in the order of the text. A word is a kind of
        answer where it follows "this" or "these", as it does in other texts.
        """
        left, right = self._nearest(reversed(before)), self._nearest(after)
        pointed = bool(before) and token(before[-1]).pointer
        wanted: list[int] = []
        for word in words:
            found = token(word)
            stem = self._stem(found)
            wanted.append(pair_hash(left, stem) if left and stem else 0)
            wanted.append(pair_hash(stem, right) if right and stem else 0)
            wanted.append(kind_hash(found.hash) if pointed and found.hash else 0)
        known = places(np.asarray(wanted, np.uint64), self._terms) >= 0
        return [(bool(known[at] or known[at + 1]), bool(known[at + 2])) for at in range(0, len(known), 3)]

    def _nearest(self, words: Iterable[str]) -> int:
        """The stem of the first of ``words`` that has one; 0 if none has."""
        return next((stem for word in words if (stem := self._stem(token(word)))), 0)

    def _stem(self, found: Token) -> int:
        return 0 if found.hash in self._everywhere else found.hash
