"""The words that the texts of a bundle use: in how many of them each is, and which stand together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from quizwriter.engine.bundle import Bundle
from quizwriter.engine.name_table import NameCounts
from quizwriter.engine.stored_arrays import require
from quizwriter.engine.term_table import TermTable
from quizwriter.engine.tokenizer import Token, distinct, is_in, kind_hash, pair_hash, token

_WORDS, _COUNTS = "words/words.txt", "words/counts.npy"


class BundleWords:
    """The word list of a bundle, read when it is first needed. Any thread may ask."""

    def __init__(self, bundle: Bundle) -> None:
        """The list in ``bundle``; it is empty if an older version built the bundle."""
        self._bundle = bundle

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """In how many texts each word is; words that are only written with a capital have it."""
        if _WORDS not in self._bundle.files:
            return {}
        words, counts = self._bundle.names(_WORDS), self._bundle.array(_COUNTS)
        with self._bundle.refusing(_COUNTS):
            require(len(words) == len(counts), "it does not fit the words")
        return NameCounts(words, counts)

    @cached_property
    def _terms(self) -> TermTable:
        """All terms in the bundle; those of pairs are of several texts."""
        return TermTable(self._bundle)

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
        terms = distinct(np.asarray(wanted, np.uint64))
        known = is_in(np.asarray(wanted, np.uint64), terms[self._terms.places(terms) >= 0])
        return [(bool(known[at] or known[at + 1]), bool(known[at + 2])) for at in range(0, len(known), 3)]

    def _nearest(self, words: Iterable[str]) -> int:
        """The stem of the first of ``words`` that has one; 0 if none has."""
        return next((stem for word in words if (stem := self._stem(token(word)))), 0)

    def _stem(self, found: Token) -> int:
        return 0 if found.hash in self._everywhere else found.hash
