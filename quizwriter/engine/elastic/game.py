"""A tossup played on an Elasticsearch server: the queries, and the guesses that follow from the answers."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.guessing import RANK_DEPTH, Guess, Playthrough, Row
from quizwriter.domain.page import Page
from quizwriter.domain.players import ELASTIC
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.elastic.answers import Hit
from quizwriter.engine.elastic.client import PRIOR_TERM, ElasticIndex
from quizwriter.engine.elastic.term_queries import (
    Query,
    SearchFunction,
    TossupTerms,
    called_query,
    term_query,
)
from quizwriter.engine.evidence import TITLE_POINTS
from quizwriter.engine.networks import spaced_positions

PAGES_PER_QUERY = 60
"""How many pages one query asks for: the ranks that are kept, and some more for titles read aloud."""

MOST_POSITIONS = 64
"""A game asks about at most so many positions; in drafts longer than any tossup they lie farther apart."""

ANCHOR_STRIDE = 4
"""Every so many positions there is an anchor; see :class:`ServerGame`."""

SHORT_QUERY = 16
"""A query of fewer terms requires that a page has one of them; see :func:`_sum_query`."""


class _RankedPages(msgspec.Struct, frozen=True):
    """Pages and their points after ``heard`` words. No other page has more points than ``floor``."""

    heard: int
    points: Mapping[Page, float]
    floor: float

    def best(self, named: Mapping[Page, int]) -> list[tuple[Page, float]]:
        """The pages that no other page can come before, best first, ties by name; with their points."""
        final = self.after(self.heard, named).items()
        return sorted((pair for pair in final if pair[1] > self.floor), key=lambda pair: (-pair[1], pair[0]))

    def after(self, heard: int, named: Mapping[Page, int]) -> dict[Page, float]:
        """The least points of each page after ``heard`` words, which are not fewer than ours."""
        return {
            page: points + TITLE_POINTS if named.get(page, math.inf) <= heard else points
            for page, points in self.points.items()
        }

    def leads(self, count: int, until: int, floor: float, named: Mapping[Page, int]) -> Iterator[bool]:
        """Whether at least ``count`` pages have more than ``floor`` after each number of words.

        The numbers are those between ours and ``until``. Points fall only where a title is read.
        """
        read = {named[page] for page in self.points if page in named}
        ahead = False
        for heard in range(self.heard + 1, until):
            if heard == self.heard + 1 or heard in read:
                final = self.after(heard, named).values()
                ahead = sum(points > floor for points in final) >= count
            yield ahead


class ServerGame:
    """One tossup played on the server, in two requests.

    The first request asks for the best pages at every fourth position: the anchors. The points of a page
    never fall except by :data:`TITLE_POINTS`. Therefore, before an anchor, a page that is not on the anchor's
    list has no more points than the last page of the list. Where enough pages had more points than that
    already at the anchor before, all of the first guesses between the two anchors are on the list.

    The second request brings the points of each term for all pages listed. They give the guesses after every
    word between such anchors. The same request asks about the other positions, most of which are in the first
    dozen words.
    """

    def __init__(self, search: SearchFunction, index: ElasticIndex, tossup: Tossup, top: int) -> None:
        self._search = search
        self._index = index
        self._tossup = tossup
        self._top = top
        self._heard = TossupTerms(tossup, index)
        self._named: Mapping[Page, int] = {}
        self._knows_answer: bool | None = None
        self._rows: dict[int, tuple[Row, int | None]] = {}

    def play(self) -> Playthrough:
        """The guesses at the positions of :func:`spaced_positions`, and after most words between."""
        positions = spaced_positions(self._tossup, MOST_POSITIONS)
        anchors = self._anchors(positions[::-1][::ANCHOR_STRIDE][::-1])
        settled, asked = self._sort_positions(positions, anchors)
        pages = sorted({page for anchor in anchors for page in anchor.points}) if settled else []
        queries = self._term_queries(asked, few=math.inf)
        searches = [*([self._points_search(pages)] if pages else []), *map(_page_search, queries.values())]
        answers = self._search(self._index, searches) if searches else []
        for word in (*settled, *asked):
            self._rows[word] = (), None  # no guess, unless the server answers
        if pages:
            self._add_summed(settled, answers.pop(0))
        for word, answer in zip(queries, answers, strict=True):
            self._add_ranked(self._ranked_pages(word, answer, few=math.inf))
        for anchor in anchors:
            if anchor.heard not in asked:
                self._add_ranked(anchor)
        rows = sorted(self._rows.items())
        return Playthrough(
            ELASTIC,
            self._tossup,
            tuple(heard for heard, _ in rows),
            tuple(row for _, (row, _) in rows),
            tuple(rank for _, (_, rank) in rows),
            knows_answer=self._knows_answer,
        )

    def _anchors(self, positions: Sequence[int]) -> list[_RankedPages]:
        """The server's best pages at ``positions``; the same request finds the titles read aloud."""
        queries = self._term_queries(positions)
        answer = self._tossup.answer
        looked_up = [] if answer is None else [_answer_search(answer.keys)]
        searches = [self._title_search(), *looked_up, *map(_page_search, queries.values())]
        first, *answers = self._search(self._index, searches)
        if answer is not None:
            self._knows_answer = any(answer.accepts(hit.page) for hit in answers.pop(0))
        titles = self._heard.titles
        self._named = {hit.page: titles[hit.title] + 1 for hit in first if hit.title in titles}
        found = dict(zip(queries, answers, strict=True))
        return [
            self._ranked_pages(heard, found[heard]) if heard in found else _RankedPages(heard, {}, -math.inf)
            for heard in positions
        ]

    def _sort_positions(
        self, positions: Sequence[int], anchors: Sequence[_RankedPages]
    ) -> tuple[dict[int, float], list[int]]:
        """The words heard whose guesses are among the pages listed, each with the floor of the next anchor.

        The second result has the positions that need a query of their own.
        """
        settled: dict[int, float] = {}
        asked: list[int] = []
        before = _RankedPages(0, {}, -math.inf)
        for after in anchors:
            ahead = before.leads(self._top, after.heard, after.floor, self._named)
            for heard, enough in enumerate(ahead, before.heard + 1):
                if enough or after.floor == -math.inf:
                    settled[heard] = after.floor
                elif heard in positions:
                    asked.append(heard)
            if after.floor > -math.inf and len(after.best(self._named)) < self._top:
                asked.append(after.heard)
            before = after
        return settled, asked

    def _term_queries(self, positions: Iterable[int], few: float = SHORT_QUERY) -> dict[int, Query]:
        """The query for each position at which a term is complete; ``few`` as in :func:`_sum_query`."""
        queries: dict[int, Query] = {}
        weights: dict[str, float] = {}
        clauses: dict[str, Query] = {}
        kinds = dict[str, None]()
        heard = self._heard
        terms = deque(zip(heard.names, heard.last, heard.weights.tolist(), heard.kinds.tolist(), strict=True))
        for position in sorted(positions):
            while terms and terms[0][1] < position:
                name, _, weight, is_kind = terms.popleft()
                weights[name] = weights.get(name, 0.0) + weight
                clauses[name] = term_query(name, weights[name])
                kinds |= {name: None} if is_kind else {}
            if clauses:
                more = [called_query(kinds, heard.called_points)] if kinds and heard.called_points else []
                queries[position] = _sum_query(list(clauses.values()), more, few)
        return queries

    def _title_search(self) -> dict[str, Any]:
        return {
            "query": {"constant_score": {"filter": {"terms": {"title": list(self._heard.titles)}}}},
            "size": 1_000,
            "stored_fields": "_none_",
            "docvalue_fields": ["page", "title"],
            "track_total_hits": False,
        }

    def _points_search(self, pages: Sequence[Page]) -> dict[str, Any]:
        clauses = [term_query(name, 1, str(number)) for number, name in enumerate(self._heard.distinct)]
        query = {
            "filter": {"terms": {"page": pages}},
            "should": [term_query(PRIOR_TERM, 1, PRIOR_TERM), *clauses],
        }
        return {**_page_search({"bool": query}), "size": len(pages)}

    def _ranked_pages(self, heard: int, hits: Sequence[Hit], few: float = SHORT_QUERY) -> _RankedPages:
        # the numbers behind the digits that the server prints: it computes in single precision
        points = {hit.page: float(np.float32(hit.points)) for hit in hits}
        floor = min(points.values()) if len(points) == PAGES_PER_QUERY else -math.inf
        largest = self._index.largest_prior
        if self._heard.count_by(heard) >= few and any(score <= largest for score in points.values()):
            floor = max(floor, largest)  # pages with less may have no term in common
        return _RankedPages(heard, points, floor)

    def _add_ranked(self, listed: _RankedPages) -> None:
        best = listed.best(self._named)[:RANK_DEPTH]
        right = self._correct([page for page, _ in best])
        row = tuple(Guess(page, points) for page, points in best[: self._top])
        self._rows[listed.heard] = row, int(np.argmax(right)) + 1 if right.any() else None

    def _add_summed(self, settled: Mapping[int, float], found: Sequence[Hit]) -> None:
        """Add the rows after the words of ``settled``, whose guesses are sums of the points of terms.

        The rank of the true answer is its rank among the pages listed; no others are known.

        Shapes:
            added, points: ``[words, pages]``. scores, orders: ``[settled, pages]``.
        """
        if not found:
            return
        hits = sorted(((hit.page, hit.matched_queries) for hit in found), key=itemgetter(0))
        pages = [page for page, _ in hits]
        right = self._correct(pages)
        shares = self._shares([matched for _, matched in hits])
        added = np.zeros((len(self._tossup.words), len(pages)))
        np.add.at(added, self._heard.last, self._heard.points(shares[:-1]))
        points = np.cumsum(added, axis=0)
        touched = points > 0
        points += shares[-1]
        for place, page in enumerate(pages):
            if page in self._named:
                points[self._named[page] - 1 :, place] += TITLE_POINTS
        words = np.asarray(list(settled), np.int64) - 1
        scores = np.where(touched[words], points[words], -np.inf)
        orders = np.argsort(-scores, axis=1, kind="stable")[:, :RANK_DEPTH]
        ranked = np.take_along_axis(scores, orders, axis=1)
        correct = right[orders] & (ranked > -np.inf)
        first = np.where(correct.any(axis=1), correct.argmax(axis=1) + 1, 0).tolist()
        best = zip(orders[:, : self._top].tolist(), ranked[:, : self._top].tolist(), strict=True)
        for (heard, floor), rank, (places, sums) in zip(settled.items(), first, best, strict=True):
            row = tuple(
                Guess(pages[at], score) for at, score in zip(places, sums, strict=True) if score > floor
            )
            self._rows[heard] = row, rank or None

    def _shares(self, matched: Sequence[Mapping[str, float]]) -> npt.NDArray[np.float64]:
        """The points that each distinct term adds to each page; what a page starts with is the last row.

        Shapes:
            ``[terms + 1, pages]``.
        """
        distinct = len(self._heard.distinct)
        number = {str(term): term for term in range(distinct)} | {PRIOR_TERM: distinct}
        places: list[tuple[int, int]] = []
        points: list[float] = []
        for page, shares in enumerate(matched):
            for name, share in shares.items():
                if name in number:
                    places.append((number[name], page))
                    points.append(share)
        found = np.zeros((distinct + 1, len(matched)))
        if places:
            terms, pages = np.asarray(places).T
            found[terms, pages] = np.asarray(points, np.float32)
        return found

    def _correct(self, pages: Sequence[Page]) -> npt.NDArray[np.bool_]:
        answer = self._tossup.answer
        return np.asarray([answer is not None and answer.accepts(page) for page in pages], np.bool_)


def _sum_query(clauses: list[Query], more: list[Query], few: float) -> Query:
    """The query for the sum of ``clauses``, of ``more`` that need one of them, and of the prior.

    A page without any term of the query is never guessed. A query of ``few`` terms or more does not require a
    term, because the server is twice as fast then: a page without any has no more points than the largest
    prior, and is left out afterwards.
    """
    more = [*more, term_query(PRIOR_TERM, 1)]
    if len(clauses) >= few:
        return {"bool": {"should": [*clauses, *more]}}
    return {"bool": {"must": [{"bool": {"should": clauses}}], "should": more}}


def _answer_search(keys: Sequence[str]) -> dict[str, Any]:
    """The search for pages with these answer keys, which tells whether the index has a page that is right."""
    return {
        "query": {"bool": {"filter": [{"terms": {"key": list(keys)}}]}},
        "size": 4 * len(keys),
        "stored_fields": "_none_",
        "docvalue_fields": ["page"],
        "track_total_hits": False,
    }


def _page_search(query: Query) -> dict[str, Any]:
    """The search for the pages with the most points. Only their names are read.

    A server that counts all pages adds up all postings, one term after the other. One that does not count
    looks for postings to pass over, which takes twice as long where a query has a hundred terms.
    """
    return {
        "query": query,
        "size": PAGES_PER_QUERY,
        "stored_fields": "_none_",
        "docvalue_fields": ["page"],
        "track_total_hits": True,
    }
