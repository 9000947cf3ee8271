"""The terms of a tossup as an Elasticsearch index names them, and the clauses of queries for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from quizwriter.domain.tossup import Tossup
from quizwriter.engine.elastic.answers import Hit
from quizwriter.engine.elastic.client import ElasticIndex, term_names
from quizwriter.engine.evidence import KIND
from quizwriter.engine.tokenizer import title_runs, tokenize

"""The short name of the player."""

SearchFunction = Callable[[ElasticIndex, Sequence[Mapping[str, Any]]], list[list[Hit]]]
Query = Mapping[str, Any]


class TossupTerms:
    """The terms of a tossup under their names in the index. Words are counted from 0.

    ``names`` are the terms in the order in which the words complete them. For each, ``first`` and ``last``
    have its first and last word, ``weights`` what its points are multiplied by, and ``kinds`` whether it is
    what the tossup calls its answer. ``titles`` has, for each run of words that may be a title, the word that
    first completes the run.
    """

    def __init__(self, tossup: Tossup, index: ElasticIndex) -> None:
        reading = tokenize(tossup)
        terms = reading.terms(index.stop_words)
        order = np.argsort(terms.last, kind="stable")
        self.names = term_names(terms.hashes[order])
        self.first: list[int] = terms.first[order].tolist()
        self.last: list[int] = terms.last[order].tolist()
        self.weights = index.hearing.weights(terms)[order]
        self.kinds = terms.sorts[order] == KIND
        self.called_points = index.hearing.called_points
        hashes, ends = title_runs(reading.stems)
        self.titles: dict[str, int] = {}
        for name, word in zip(term_names(hashes), reading.words[ends].tolist(), strict=True):
            self.titles[name] = min(word, self.titles.get(name, word))

    @cached_property
    def distinct(self) -> list[str]:
        return list(dict.fromkeys(self.names))

    def count_by(self, heard: int) -> int:
        """How many distinct terms the first ``heard`` words complete."""
        return len({name for name, last in zip(self.names, self.last, strict=True) if last < heard})

    def points(self, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What each of ``names`` adds to some pages, as it was heard.

        Shapes:
            ``shares``, the points of each of :attr:`distinct`: ``[distinct, pages]``. Result: ``[names,
            pages]``.
        """
        number = {name: place for place, name in enumerate(self.distinct)}
        found = shares[np.asarray([number[name] for name in self.names], np.int64)]
        called = (found > 0) & self.kinds[:, None]
        first = called & (np.cumsum(called, axis=0) == 1)
        return np.asarray(found * self.weights[:, None] + self.called_points * first, np.float64)


def term_query(name: str, weight: float, query_name: str = "") -> Query:
    """The clause that adds a page's points for the term ``name``, times ``weight``.

    The answer lists the clause's points under ``query_name``, where it is given.
    """
    value: dict[str, Any] = {"value": name}
    if weight != 1:
        value["boost"] = weight
    if query_name:
        value["_name"] = query_name
    return {"term": {"terms": value}}


def called_query(kinds: Collection[str], points: float) -> Query:
    """The clause that adds ``points`` to a page that past questions called by one of these ``kinds``."""
    some = {"bool": {"should": [term_query(name, 1) for name in kinds]}}
    return {"constant_score": {"filter": some, "boost": points}}
